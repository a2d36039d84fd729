//! Block `PACER`: how fast frames leave on the line, and the share of pseudo-ACKs on the client output.

use super::{Access::*, Block, Reg, RegField};
use crate::params;

/// `PACER_MODE`: no pacing, line rate.
pub const MODE_OPEN: u32 = 0;
/// `PACER_MODE`: `PACER_RATE` bytes per slot.
pub const MODE_FIXED: u32 = 1;

/// Budget mode.
pub const MODE_FIELD: RegField = RegField::new("mode", 0, 1, "0 open, 1 fixed");
/// Slot length.
pub const SLOT_K_FIELD: RegField = RegField::new("k", 0, 5, "log2 of core clock cycles, 10 to 20");
/// Overhead.
pub const OVERHEAD_FIELD: RegField = RegField::new("bytes", 0, 8, "bytes");
/// Share.
pub const ACK_SHARE_LOG2_FIELD: RegField = RegField::new("log2", 0, 4, "one part in 2^log2");

/// Budget mode.
pub const MODE: Reg = Reg::new("PACER_MODE", 0x0200, RW, &[MODE_FIELD], "budget mode; open after reset");
/// Fixed budget.
pub const RATE: Reg =
    Reg::new("PACER_RATE", 0x0204, RW, &[], "budget in fixed mode, bytes per slot, overhead counted; 0 after reset");
/// Slot length.
pub const SLOT_K: Reg = Reg::new("PACER_SLOT_K", 0x0208, RW, &[SLOT_K_FIELD], "length of a slot; 15 after reset");
/// Bucket depth.
pub const BURST: Reg = Reg::new("PACER_BURST", 0x020c, RW, &[], "depth of the token bucket, bytes; 16384 after reset");
/// Bytes beside the frame.
pub const OVERHEAD: Reg =
    Reg::new("PACER_OVERHEAD", 0x0210, RW, &[OVERHEAD_FIELD], "bytes counted beside each frame's own; 24 after reset");
/// Pseudo-ACK share.
pub const ACK_SHARE_LOG2: Reg = Reg::new(
    "ACK_SHARE_LOG2",
    0x0214,
    RW,
    &[ACK_SHARE_LOG2_FIELD],
    "most that pseudo-ACKs take of the client output; 4 (1/16) after reset",
);

/// In address order.
pub const MAP: &[Reg] = &[MODE, RATE, SLOT_K, BURST, OVERHEAD, ACK_SHARE_LOG2];

/// What the registers of the block hold after reset, in address order.
pub const RESET: [u32; 6] = [
    MODE_OPEN,
    0,
    params::SLOT_K_DEFAULT,
    params::BURST_DEFAULT_BYTES,
    params::OVERHEAD_BYTES,
    params::ACK_SHARE_LOG2_DEFAULT,
];

/// The block.
pub const BLOCK: Block =
    Block { name: "PACER", base: 0x0200, bytes: 0x200, map: MAP, doc: "How fast frames leave on the line." };

const _: () = assert!(BLOCK.is_sound());
const _: () = assert!(RESET.len() == MAP.len());
const _: () = assert!(RESET[2] == 15 && RESET[3] == 16384 && RESET[4] == 24 && RESET[5] == 4, "as the docs say");
