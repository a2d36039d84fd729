//! Line to client.

pub mod ack_filter;
mod arbiter;
mod itinerary;

pub use arbiter::Arbiter;
pub use itinerary::Inbound;
