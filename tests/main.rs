//! Where the crates meet, as sentences.
#![forbid(unsafe_code)]

mod harness;
mod model;
mod prim;
