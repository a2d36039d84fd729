//! What every test of the gates needs: seeded stimuli and the stall grid.

// a tool may wait for its first test
#![allow(dead_code, unused_imports)]

pub mod clocks;
pub mod frame;
pub mod frames;
pub mod front;
pub mod head;
pub mod pcap;
mod random;
pub mod records;
pub mod replayed;
pub mod roce;
mod roce_check;
pub mod routes;
mod stall;
mod tally;

pub use random::Random;
pub use roce_check::{acknowledgement, Acknowledgement};
pub use stall::{grid, Stall};
pub use tally::Tally;
