//! The golden behaviour of the gateway in plain integer Rust, one file per stage of `docs/blocks.md`.
//!
//! It depends on `spec` alone and never on the gates, which are compared with it. There is no clock here, no floating
//! point, no randomness, no input and no output.
#![forbid(unsafe_code)]
pub mod ack_filter;
pub mod psn;
pub mod record;
pub mod track;
