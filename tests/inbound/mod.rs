//! Line to client.

mod ack_filter;
mod ack_filter_rules;
mod arbiter;
mod arrivals;
mod drain;
mod egress;
mod egress_external;
mod itinerary;
mod pfc;
