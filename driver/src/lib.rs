//! The view of the host: what is learnt, what is written into tables, and how a device is reached.
//!
//! * [`calendar`]: rates over time as entries, slot by slot.
//! * [`flow_table`]: where flow keys lie in the key tables.
//! * [`learn`]: which queue pairs belong together.
//! * [`rail`]: what the budget rail is told, and what it says of a path.
//! * [`route_table`]: prefixes as the range starts of the route table.
//! * [`tables`]: banked tables, and what is to be written into them.
//! * [`upcall`]: what the gateway tells, taken out and learnt from.
#![deny(unsafe_code)]

pub mod calendar;
pub mod flow_table;
pub mod learn;
pub mod rail;
pub mod route_table;
pub mod tables;
pub mod upcall;
