//! The view of the host: what is learnt, what is written into tables, and how a device is reached.
//!
//! * [`apply`]: from a configuration to a gateway that does what it says.
//! * [`calendar`]: rates over time as entries, slot by slot.
//! * [`core`]: the core behind a device, found and asked.
//! * [`daemon`]: learns while a gateway runs, and installs flows.
//! * [`error`]: what went wrong, where, and what to do.
//! * [`flow_table`]: where flow keys lie in the key tables.
//! * [`learn`]: which queue pairs belong together.
//! * [`lossless`]: what the memory at hand carries.
//! * [`observe`]: what a gateway says of itself.
//! * [`rail`]: what the budget rail is told, and what it says of a path.
//! * [`route_table`]: prefixes as the range starts of the route table.
//! * `sysfs`: what the kernel says of a device, and why it does not let us at it. Feature `vfio`.
//! * [`tables`]: banked tables, and what is to be written into them.
//! * [`timetable`]: budgets over time, read from files, in slots of a gateway.
//! * [`transport`]: how a device is reached.
//! * [`upcall`]: what the gateway tells, taken out and learnt from.
//! * `vfio`: devices of this machine; feature `vfio`. `vfio_user`: simulated ones; feature `sim`. `cli`: the commands.
#![deny(unsafe_code)]

pub mod apply;
pub mod calendar;
#[cfg(feature = "cli")]
pub mod cli;
pub mod core;
pub mod daemon;
pub mod error;
pub mod flow_table;
#[cfg(any(feature = "vfio", feature = "sim"))]
mod interrupt;
pub mod learn;
pub mod lossless;
pub mod observe;
pub mod rail;
pub mod route_table;
#[cfg(feature = "vfio")]
pub mod sysfs;
pub mod tables;
pub mod timetable;
pub mod transport;
pub mod upcall;
#[cfg(feature = "vfio")]
pub mod vfio;
#[cfg(feature = "sim")]
pub mod vfio_user;

pub use error::{Error, Kind, Result};
