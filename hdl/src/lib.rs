//! The gateway in gates.
#![forbid(unsafe_code)]
pub mod inbound;
pub mod memory;
pub mod outbound;
pub mod record;
