//! Block `PACER`: the slot, what counts beside a frame, and the share of pseudo-ACKs on the client output. What a path
//! may send is in the table of paths, [`super::table`].

use super::{Access::*, Block, Reg, RegField};
use crate::params;

/// Slot length.
pub const SLOT_K_FIELD: RegField = RegField::new("k", 0, 5, "log2 of core clock cycles, 10 to 20");
/// Overhead.
pub const OVERHEAD_FIELD: RegField = RegField::new("bytes", 0, 8, "bytes");
/// Share.
pub const ACK_SHARE_LOG2_FIELD: RegField = RegField::new("log2", 0, 4, "one part in 2^log2");

/// Slot length.
pub const SLOT_K: Reg = Reg::new(
    "PACER_SLOT_K",
    0x0208,
    RW,
    &[SLOT_K_FIELD],
    "length of a slot; a write of another ends the running slot early, one outside 10..20 answers an error; 15 after reset",
);
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
pub const MAP: &[Reg] = &[SLOT_K, OVERHEAD, ACK_SHARE_LOG2];

/// What the registers of the block hold after reset, in address order.
pub const RESET: [u32; 3] = [params::SLOT_K_DEFAULT, params::OVERHEAD_BYTES, params::ACK_SHARE_LOG2_DEFAULT];

/// The block.
pub const BLOCK: Block =
    Block { name: "PACER", base: 0x0200, bytes: 0x100, map: MAP, doc: "How fast frames leave on the line." };

const _: () = assert!(BLOCK.is_sound());
const _: () = assert!(RESET.len() == MAP.len());
const _: () = assert!(RESET[0] == 15 && RESET[1] == 24 && RESET[2] == 4, "as the docs say");
