//! Where the crates meet, as sentences.
#![forbid(unsafe_code)]

mod budget;
mod driver;
mod gateway;
mod harness;
mod host;
mod inbound;
mod memory;
mod model;
mod outbound;
mod prim;
mod replay;
mod shell;
