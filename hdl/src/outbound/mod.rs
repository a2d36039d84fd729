//! Client to line.

mod departure;
pub mod flow;
pub mod flow_state;
pub mod icrc;
mod itinerary;
pub mod opcode_class;
mod pacer;
pub mod parse;
pub mod pseudo_ack;
pub mod psn_count;
pub mod track;

pub use departure::Departure;
pub use itinerary::Outbound;
pub use pacer::Pacer;
