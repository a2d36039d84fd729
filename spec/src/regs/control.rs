//! Block `CONTROL`: on, off, and whether anything is still inside.

use super::{Access::*, Block, Reg, RegField};

/// Gateway on.
pub const ENABLE: RegField = RegField::new("enable", 0, 1, "0: bypass, every flow is treated as Off");
/// Acknowledge on arrival.
pub const ACK_ON_ARRIVAL: RegField = RegField::new(
    "ack_on_arrival",
    1,
    1,
    "1: pseudo-ACK when data is admitted, not when it has departed; unsafe on reset",
);
/// Nothing inside.
pub const IDLE: RegField = RegField::new("idle", 0, 1, "1: both packet memories are empty");

/// Switches.
pub const CONTROL: Reg = Reg::new("CONTROL", 0x0100, RW, &[ENABLE, ACK_ON_ARRIVAL], "switches; 0 after reset");
/// State.
pub const STATUS: Reg = Reg::new("STATUS", 0x0104, RO, &[IDLE], "state of the gateway");

/// In address order.
pub const MAP: &[Reg] = &[CONTROL, STATUS];

/// The block.
pub const BLOCK: Block = Block {
    name: "CONTROL",
    base: 0x0100,
    bytes: 0x100,
    map: MAP,
    doc: "On, off, and whether anything is still inside.",
};

const _: () = assert!(BLOCK.is_sound());
