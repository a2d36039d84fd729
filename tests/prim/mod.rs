//! The parts of the gates against plain Rust.

mod axis;
mod crc32;
mod delay;
mod field_tap;
mod fifo;
mod ram;
mod shapes;
mod turns;
