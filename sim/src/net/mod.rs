//! The long-haul network simulator: whole packets without bytes, integer picoseconds, one seed.
//!
//! Follow a packet: a [`host`] gives it to its [`link`], a [`switch`] queues and marks it, a [`gateway`] holds it for
//! its path and releases it by budget, and the far gateway's sink hands it to its data centre. [`world`] is the loop.
//! The arithmetic of budgets is `model`'s, the same that the gates are compared with.

pub mod aicb;
pub mod claims;
pub mod columns;
pub mod drain;
pub mod ecn;
pub mod event;
pub mod experiment;
pub mod gateway;
pub mod geopipe;
pub mod host;
pub mod link;
pub mod load;
pub mod measure;
pub mod packet;
pub mod pipeline;
pub mod plots;
pub mod point;
pub mod results;
pub mod rng;
pub mod scenario;
pub mod scheme;
pub mod speed;
pub mod switch;
pub mod training;
pub mod world;

#[cfg(test)]
mod tests;
