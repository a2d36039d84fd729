//! Line to client.

pub mod ack_filter;
mod arbiter;

pub use arbiter::Arbiter;
