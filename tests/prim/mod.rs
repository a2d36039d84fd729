//! The parts of the gates against plain Rust.

mod fifo;
