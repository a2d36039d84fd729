//! Block `PFC`: flow control on the client port, back-pressure, and how often senders are spoken to.

use super::{Access::*, Block, Reg, RegField};
use crate::params;

/// Quanta per cycle are in units of one part in this many.
pub const STEP_ONE: u32 = 256;

/// PFC on.
pub const ENABLE_FIELD: RegField = RegField::new("enable", 0, 1, "obey and send PFC on the client port");
/// Lossless class.
pub const CLASS_FIELD: RegField = RegField::new("class", 4, 3, "the lossless class");
/// Step.
pub const STEP_FIELD: RegField = RegField::new("step", 0, 16, "1/256 quanta of 512 bit times per cycle");
/// Quanta.
pub const QUANTA_FIELD: RegField = RegField::new("quanta", 0, 16, "quanta of 512 bit times, at least 4");
/// Upper half of the address.
pub const SOURCE_HIGH_FIELD: RegField = RegField::new("address", 0, 16, "bits 47:32: the first two bytes");
/// Gap.
pub const GAP_FIELD: RegField = RegField::new("cycles", 0, 16, "cycles; 0: none");
/// Spacing.
pub const SPACING_FIELD: RegField = RegField::new("cycles", 0, 20, "cycles");
/// DSCP of notifications.
pub const CNP_DSCP_FIELD: RegField = RegField::new("dscp", 0, 6, "DSCP");
/// Priority of notifications.
pub const CNP_PCP_FIELD: RegField = RegField::new("pcp", 8, 3, "priority in their VLAN tags");
/// Classes that the client has paused.
pub const PAUSED_FIELD: RegField = RegField::new("paused", 0, 8, "bit n: the client has paused class n");
/// Paths over their threshold for notifications.
pub const CNP_OVER_FIELD: RegField = RegField::new("cnp", 0, 16, "bit n: path n, for notifications");
/// Paths over their threshold for PFC.
pub const PFC_OVER_FIELD: RegField = RegField::new("pfc", 16, 16, "bit n: path n, for PFC");

/// PFC on the client port.
pub const CONTROL: Reg = Reg::new(
    "PFC_CONTROL",
    0x0d00,
    RW,
    &[ENABLE_FIELD, CLASS_FIELD],
    "PFC on the client port; off, class 3 after reset",
);
/// Time.
pub const STEP: Reg =
    Reg::new("PFC_STEP", 0x0d04, RW, &[STEP_FIELD], "how fast pauses pass; 200 after reset (100 Gb/s at 250 MHz)");
/// What XOFF asks for.
pub const QUANTA: Reg =
    Reg::new("PFC_QUANTA", 0x0d08, RW, &[QUANTA_FIELD], "pause that an XOFF of ours asks for; 65535 after reset");
/// Source address.
pub const SOURCE_LOW: Reg =
    Reg::new("PFC_SOURCE_LOW", 0x0d0c, RW, &[], "source MAC address of our PFC frames, bits 31:0; 1 after reset");
/// Source address.
pub const SOURCE_HIGH: Reg = Reg::new(
    "PFC_SOURCE_HIGH",
    0x0d10,
    RW,
    &[SOURCE_HIGH_FIELD],
    "source MAC address of our PFC frames; 0x0200 after reset",
);
/// Gap between acknowledgements.
pub const ACK_GAP: Reg = Reg::new(
    "PSEUDO_ACK_GAP",
    0x0d14,
    RW,
    &[GAP_FIELD],
    "least time between two ACKs or NAKs of a flow; 0 after reset",
);
/// Spacing of notifications.
pub const CNP_SPACING: Reg =
    Reg::new("CNP_SPACING", 0x0d18, RW, &[SPACING_FIELD], "least time between two CNPs of a flow; 12500 after reset");
/// Class of notifications.
pub const CNP_CLASS: Reg = Reg::new(
    "CNP_CLASS",
    0x0d1c,
    RW,
    &[CNP_DSCP_FIELD, CNP_PCP_FIELD],
    "how CNPs go through the data centre; DSCP 48, priority 6 after reset",
);
/// What the client has paused.
pub const STATUS: Reg = Reg::new("PFC_STATUS", 0x0d20, RO, &[PAUSED_FIELD], "what the client has paused, now");
/// Who is over a threshold.
pub const OVER: Reg = Reg::new(
    "PFC_OVER",
    0x0d24,
    RO,
    &[CNP_OVER_FIELD, PFC_OVER_FIELD],
    "paths that hold more than their thresholds, now",
);
/// XOFF received.
pub const XOFF_IN: Reg = Reg::new("PFC_XOFF_IN", 0x0d28, RO, &[], "XOFFs received for the lossless class, modulo 2^32");
/// XON received.
pub const XON_IN: Reg = Reg::new("PFC_XON_IN", 0x0d2c, RO, &[], "XONs received for the lossless class, modulo 2^32");
/// XOFF sent.
pub const XOFF_OUT: Reg = Reg::new("PFC_XOFF_OUT", 0x0d30, RO, &[], "XOFFs sent, modulo 2^32");
/// XON sent.
pub const XON_OUT: Reg = Reg::new("PFC_XON_OUT", 0x0d34, RO, &[], "XONs sent, modulo 2^32");
/// Notifications sent.
pub const CNPS: Reg = Reg::new("CNPS", 0x0d38, RO, &[], "CNPs built, modulo 2^32");

/// In address order.
pub const MAP: &[Reg] = &[
    CONTROL,
    STEP,
    QUANTA,
    SOURCE_LOW,
    SOURCE_HIGH,
    ACK_GAP,
    CNP_SPACING,
    CNP_CLASS,
    STATUS,
    OVER,
    XOFF_IN,
    XON_IN,
    XOFF_OUT,
    XON_OUT,
    CNPS,
];

/// What the registers of the block that can be written hold after reset, in address order.
pub const RESET: [u32; 8] = [
    CLASS_FIELD.with(0, 3),
    (params::LINE_BPS / 512 * STEP_ONE as u64 / params::CLOCK_HZ) as u32,
    0xffff,
    1,
    0x0200,
    0,
    (params::CNP_SPACING_NS * params::CLOCK_HZ / 1_000_000_000) as u32,
    CNP_PCP_FIELD.with(CNP_DSCP_FIELD.with(0, 48), 6),
];

/// The block.
pub const BLOCK: Block = Block {
    name: "PFC",
    base: 0x0d00,
    bytes: 0x100,
    map: MAP,
    doc: "Flow control on the client port, back-pressure, and how often senders are spoken to.",
};

const _: () = assert!(BLOCK.is_sound());
const _: () = assert!(RESET[1] == 200 && RESET[6] == 12500, "as the docs say");
