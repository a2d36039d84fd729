//! Line to client.

mod arbiter;

pub use arbiter::Arbiter;
