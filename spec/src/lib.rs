//! Facts of the wire, the registers and the sizes: no behaviour, no dependencies.
//!
//! * [`field`]: a bit field of a header, for byte slices and for gates, and the proof that fields tile a header.
//! * [`wire`]: one file per header in frame order, the RC opcodes, the reference parse of a whole frame.
//! * [`params`]: widths, counts and defaults, each with its unit.
//! * [`hash`]: flow hashes, CRC-32, SipHash.
//!
//! The model, the gates, the driver and the simulator all build on these and on nothing else in common.
#![forbid(unsafe_code)]

pub mod field;
pub mod hash;
pub mod params;
pub mod wire;
