//! What every test of the gates needs: seeded stimuli and the stall grid.

// a tool may wait for its first test
#![allow(dead_code, unused_imports)]

pub mod frame;
pub mod head;
mod random;
pub mod records;
mod stall;
mod tally;

pub use random::Random;
pub use stall::{grid, Stall};
pub use tally::Tally;
