//! The host's window: AXI4-Lite, registers, counters.

mod axil;
mod counters;
mod known;
mod reg_file;
mod tally;

pub use axil::Axil;
pub use counters::Counters;
pub use known::Known;
pub use reg_file::RegFile;
pub use tally::Tally;
