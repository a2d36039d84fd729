//! Block `RATE`: the slot that runs, and the budget that a path has in it.

use super::{Access::*, Block, Reg, RegField};

/// A path.
pub const PATH_FIELD: RegField = RegField::new("path", 0, 4, "path that the registers below are of");
/// Mode in force.
pub const MODE_FIELD: RegField =
    RegField::new("mode", 0, 3, "0 open, 1 fixed, 2 calendar, 3 live, 4 the lesser of calendar and live, 5 off");
/// Calendar.
pub const PHASE_FIELD: RegField =
    RegField::new("phase", 4, 2, "of the calendar: 0 before its start or none, 1 running, 2 over");
/// Open.
pub const OPEN_FIELD: RegField = RegField::new("open", 8, 1, "1: line rate");
/// Limited.
pub const LIMITED_FIELD: RegField =
    RegField::new("limited", 9, 1, "1: stopped by the byte limit of the far gateway too");
/// Log2 of the slot's length.
pub const K_FIELD: RegField = RegField::new("k", 0, 5, "log2 of core clock cycles");

/// The slot.
pub const SLOT: Reg = Reg::new("RATE_SLOT", 0x0f00, RO, &[], "number of the slot that runs; 0 is the one after reset");
/// Its length.
pub const SLOT_K: Reg = Reg::new("RATE_SLOT_K", 0x0f04, RO, &[K_FIELD], "length of the slot that runs");
/// The path to read.
pub const PATH: Reg = Reg::new("RATE_PATH", 0x0f08, RW, &[PATH_FIELD], "path to read; 0 after reset");
/// Its rate.
pub const RATE: Reg = Reg::new("RATE_RATE", 0x0f0c, RO, &[], "rate in force, bytes per slot; 0 when open");
/// Its mode.
pub const MODE: Reg =
    Reg::new("RATE_MODE", 0x0f10, RO, &[MODE_FIELD, PHASE_FIELD, OPEN_FIELD, LIMITED_FIELD], "mode in force");
/// Its bucket.
pub const BURST: Reg = Reg::new("RATE_BURST", 0x0f14, RO, &[], "depth of the bucket in force, bytes");
/// Generation.
pub const GENERATION: Reg =
    Reg::new("RATE_GENERATION", 0x0f18, RO, &[], "generation of the tables in force, as TABLE_GENERATION");

/// In address order.
pub const MAP: &[Reg] = &[SLOT, SLOT_K, PATH, RATE, MODE, BURST, GENERATION];

/// The block.
pub const BLOCK: Block = Block {
    name: "RATE",
    base: 0x0f00,
    bytes: 0x100,
    map: MAP,
    doc: "The slot that runs, and the budget of a path in it.",
};

const _: () = assert!(BLOCK.is_sound());
