//! The gateway in gates.
//!
//! Blocks are written in rust-hdl; [`emit`] is the only door to Verilog and [`tops()`] lists what goes through it.
#![forbid(unsafe_code)]
// A port is documented by its block and by docs/blocks.md, not one by one.
#![allow(missing_docs)]

pub mod budget;
pub mod emit;
pub mod gateway;
pub mod host;
pub mod inbound;
pub mod lint;
pub mod memory;
pub mod outbound;
pub mod prim;
pub mod record;
pub mod release;
pub mod shell;
pub mod tops;

pub use emit::{Emitted, Port};
pub use tops::tops;
