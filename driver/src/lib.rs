//! The view of the host: what is learnt, what is written into tables, and how a device is reached.
//!
//! * [`learn`]: which queue pairs belong together.
#![deny(unsafe_code)]

pub mod learn;
