//! Block `EVENT`: what happened to flows, in the order in which it happened, and the interrupt line.

use super::{Access::*, Block, Reg, RegField};

/// Events that wait at most, beside a few on their way.
pub const EVENTS_MAX: usize = 512;
/// Width of the time of an event or upcall, in core clock cycles since reset.
pub const TIME_BITS: usize = 48;

/// Interrupt while an event waits.
pub const CONTROL_IRQ_EVENTS: RegField =
    RegField::new("irq_events", 0, 1, "1: the interrupt line is high while an event waits");
/// Interrupt while an upcall waits.
pub const CONTROL_IRQ_UPCALLS: RegField =
    RegField::new("irq_upcalls", 1, 1, "1: the interrupt line is high while an upcall waits");
/// Events that wait.
pub const STATUS_WAITING: RegField = RegField::new("waiting", 0, 16, "events that wait");
/// What.
pub const HEAD_CODE: RegField =
    RegField::new("code", 0, 5, "what happened (docs/registers.md, Events); 0: no event waits");
/// Run of the flow.
pub const HEAD_RUN: RegField = RegField::new("run", 8, 8, "run of the flow");
/// Flow.
pub const HEAD_FLOW: RegField = RegField::new("flow", 16, 12, "flow index, or path");
/// PSN.
pub const PSN_FIELD: RegField = RegField::new("psn", 0, 24, "packet sequence number");
/// High part of a time.
pub const TIME_HIGH_FIELD: RegField = RegField::new("time", 0, 16, "bits 47:32 of the time");

/// Interrupts.
pub const CONTROL: Reg =
    Reg::new("EVENT_CONTROL", 0x0c00, RW, &[CONTROL_IRQ_EVENTS, CONTROL_IRQ_UPCALLS], "interrupt line; 0 after reset");
/// How many wait.
pub const STATUS: Reg = Reg::new("EVENT_STATUS", 0x0c04, RO, &[STATUS_WAITING], "events that wait");
/// How many were lost.
pub const LOST: Reg = Reg::new("EVENT_LOST", 0x0c08, RO, &[], "events lost since reset because the queue was full");
/// Next, please.
pub const TAKE: Reg =
    Reg::new("EVENT_TAKE", 0x0c0c, WO, &[], "any write takes the oldest event out; nothing when none waits");
/// The oldest.
pub const HEAD: Reg =
    Reg::new("EVENT_HEAD", 0x0c10, RO, &[HEAD_CODE, HEAD_RUN, HEAD_FLOW], "the oldest event; 0: none waits");
/// Its PSN.
pub const PSN: Reg = Reg::new("EVENT_PSN", 0x0c14, RO, &[PSN_FIELD], "PSN that the oldest event is about");
/// Its time.
pub const TIME_LOW: Reg = Reg::new(
    "EVENT_TIME_LOW",
    0x0c18,
    RO,
    &[],
    "when, in core clock cycles since reset: bits 31:0 of the oldest event",
);
/// Its time.
pub const TIME_HIGH: Reg = Reg::new("EVENT_TIME_HIGH", 0x0c1c, RO, &[TIME_HIGH_FIELD], "the same, bits 47:32");
/// Time now.
pub const NOW: Reg = Reg::new("EVENT_NOW", 0x0c20, RO, &[], "time now, bits 47:16: in units of 65,536 cycles");

/// In address order.
pub const MAP: &[Reg] = &[CONTROL, STATUS, LOST, TAKE, HEAD, PSN, TIME_LOW, TIME_HIGH, NOW];

/// The block.
pub const BLOCK: Block = Block {
    name: "EVENT",
    base: 0x0c00,
    bytes: 0x40,
    map: MAP,
    doc: "What happened to flows, oldest first; the interrupt line.",
};

const _: () = assert!(BLOCK.is_sound());
