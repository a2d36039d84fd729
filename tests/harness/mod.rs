//! What every test of the gates needs: seeded stimuli and the stall grid.

// a tool may wait for its first test
#![allow(dead_code, unused_imports)]

mod random;
mod stall;

pub use random::Random;
pub use stall::{grid, Stall};
