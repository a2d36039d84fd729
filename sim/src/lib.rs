//! Cycle-accurate and long-haul simulation.
#![forbid(unsafe_code)]
