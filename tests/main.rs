//! Where the crates meet, as sentences.
#![forbid(unsafe_code)]

mod harness;
mod inbound;
mod memory;
mod model;
mod outbound;
mod prim;
