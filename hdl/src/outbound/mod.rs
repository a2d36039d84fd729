//! Client to line.

pub mod flow_state;
pub mod opcode_class;
pub mod psn_count;
pub mod track;
mod departure;
mod pacer;

pub use departure::Departure;
pub use pacer::Pacer;
