//! Facts of the wire, the registers and the sizes: no behaviour, no dependencies.
//!
//! * [`field`]: a bit field of a header, for byte slices and for gates, and the proof that fields tile a header.
//! * [`wire`]: one file per header in frame order, the RC opcodes, the reference parse of a whole frame.
//! * [`regs`]: one file per register block, each with its map in address order.
//! * [`event`]: what is told of a flow, with its codes.
//! * [`heard`]: what becomes of a budget frame, with its codes.
//! * [`upcall`]: what the host is told of frames that belong to no flow.
//! * [`params`]: widths, counts and defaults, each with its unit.
//! * [`pci`]: ids, BARs and vectors of the device on PCI.
//! * [`hash`]: flow hashes, CRC-32, SipHash.
//! * [`docs`]: the tables of `docs/registers.md` and `docs/wire.md`.
//!
//! The model, the gates, the driver and the simulator all build on these and on nothing else in common.
#![forbid(unsafe_code)]

pub mod docs;
pub mod event;
pub mod field;
pub mod hash;
pub mod heard;
pub mod params;
pub mod pci;
pub mod regs;
pub mod supported;
pub mod upcall;
pub mod wire;
