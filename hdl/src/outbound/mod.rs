//! Client to line.

mod departure;
mod pacer;

pub use departure::Departure;
pub use pacer::Pacer;
