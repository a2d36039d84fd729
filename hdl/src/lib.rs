//! The gateway in gates.
#![forbid(unsafe_code)]
