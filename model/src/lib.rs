//! The golden behaviour of the gateway in plain integer Rust, one file per stage of `docs/blocks.md`.
//!
//! It depends on `spec` alone and never on the gates, which are compared with it. There is no clock here (only
//! [`pacer`] is told of cycles), no floating point, no randomness, no input and no output.
//!
//! Follow a frame: [`gateway`] takes it from a port through [`icrc`] and [`flow`], then [`track`] towards the line or
//! [`ack_filter`] towards the client, into [`path_memory`] and out past [`pacer`], or into [`egress`] and out past
//! [`arbiter`]; its intent goes to [`pseudo_ack`]. [`invariants`] watches all of that from outside.
#![forbid(unsafe_code)]
pub mod ack_filter;
pub mod arbiter;
pub mod arrivals;
pub mod back_pressure;
pub mod budget_rail;
pub mod budget_rx;
pub mod budget_tx;
pub mod counters;
pub mod drain;
pub mod ecn;
pub mod egress;
pub mod flow;
pub mod forecast;
pub mod gateway;
pub mod icrc;
pub mod invariants;
pub mod ledger;
pub mod meters;
pub mod pacer;
pub mod packet_memory;
pub mod parse;
pub mod path_memory;
pub mod pfc;
pub mod pseudo_ack;
pub mod psn;
pub mod rate_estimator;
pub mod rate_table;
pub mod record;
pub mod reservoir;
pub mod route;
#[cfg(test)]
mod sample;
pub mod sharing;
pub mod tables;
pub mod track;

#[cfg(test)]
#[path = "conversation_tests.rs"]
mod conversation;
