//! Block `TIMER`: the time that flows are looked after by, and how long is too long.

use super::{Access::*, Block, Reg, RegField};
use crate::params;

/// Longest time that a timer can be set to, ticks; one that is set to it never runs out.
pub const NEVER: u32 = 0x7fff;

/// Length of a tick.
pub const TICK_FIELD: RegField = RegField::new("log2", 0, 5, "log2 of core clock cycles");
/// A tick.
pub const NOW_FIELD: RegField = RegField::new("ticks", 0, 24, "ticks");
/// A time.
pub const TICKS_FIELD: RegField = RegField::new("ticks", 0, 15, "ticks; 32767 is never");

/// Length of a tick.
pub const TICK_LOG2: Reg =
    Reg::new("TIMER_TICK_LOG2", 0x0e00, RW, &[TICK_FIELD], "length of a tick; 16 (262 us at 250 MHz) after reset");
/// The present.
pub const NOW: Reg = Reg::new("TIMER_NOW", 0x0e04, RW, &[NOW_FIELD], "ticks since reset; writing sets it");
/// Gap timeout.
pub const GAP_TIMEOUT: Reg =
    Reg::new("TIMER_GAP_TIMEOUT", 0x0e08, RW, &[TICKS_FIELD], "a gap open for longer drains its flow; 39 after reset");
/// Idle.
pub const FLOW_IDLE: Reg = Reg::new(
    "TIMER_FLOW_IDLE",
    0x0e0c,
    RW,
    &[TICKS_FIELD],
    "a flow without debt that stood still for longer returns to Sync; 382 after reset",
);
/// Debt.
pub const DEBT_TIMEOUT: Reg = Reg::new(
    "TIMER_DEBT_TIMEOUT",
    0x0e10,
    RW,
    &[TICKS_FIELD],
    "debt older than this is a fault; not below 64 round trips; 3815 after reset",
);

/// In address order.
pub const MAP: &[Reg] = &[TICK_LOG2, NOW, GAP_TIMEOUT, FLOW_IDLE, DEBT_TIMEOUT];

/// Length of a tick after reset, log2 of core clock cycles.
pub const TICK_LOG2_DEFAULT: u32 = 16;

/// What the registers of the block hold after reset, in address order.
pub const RESET: [u32; 5] = [TICK_LOG2_DEFAULT, 0, DEFAULTS[0], DEFAULTS[1], DEFAULTS[2]];

/// The timers after reset, ticks: gap, idle, debt, in address order.
pub const DEFAULTS: [u32; 3] =
    [ticks(params::GAP_TIMEOUT_NS), ticks(params::FLOW_IDLE_NS), ticks(params::DEBT_TIMEOUT_NS)];

/// Ticks of the default length that `ns` take, rounded up.
const fn ticks(ns: u64) -> u32 {
    (ns * (params::CLOCK_HZ / 1000)).div_ceil(1_000_000 << TICK_LOG2_DEFAULT) as u32
}

/// The block.
pub const BLOCK: Block = Block {
    name: "TIMER",
    base: 0x0e00,
    bytes: 0x100,
    map: MAP,
    doc: "The time that flows are looked after by, and how long is too long.",
};

const _: () = assert!(BLOCK.is_sound());
const _: () = assert!(DEFAULTS[0] == 39 && DEFAULTS[1] == 382 && DEFAULTS[2] == 3815);
