//! Line to client.

mod ack_filter;
mod ack_filter_rules;
mod arbiter;
mod pfc;
