//! Line to client.

pub mod ack_filter;
