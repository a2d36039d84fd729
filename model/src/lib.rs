//! The golden behaviour of the gateway in plain integer Rust.
#![forbid(unsafe_code)]
