//! The parts of the gates against plain Rust.

mod crc32;
mod fifo;
