//! The parts of the gates against plain Rust.

mod async_fifo;
mod axis;
mod crc32;
mod delay;
mod field_tap;
mod fifo;
mod ram;
mod shapes;
mod turns;
