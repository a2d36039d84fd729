//! Block `METER`: 64-bit counters per flow and per queue, and histograms. They start at zero when the device is
//! configured and are never cleared: a reset leaves them, and a reader takes differences.

use super::{Access::*, Block, Reg, RegField};

/// `METER_SELECT.table`: of a flow, what the client sent: frames kept, their bytes, frames dropped.
pub const FLOW_OUT: u32 = 0;
/// `METER_SELECT.table`: of a flow, what its sender was told: ACKs, NAKs, CNPs.
pub const FLOW_SAID: u32 = 1;
/// `METER_SELECT.table`: of a queue towards the line: frames that left, their bytes, frames refused for want of room.
pub const QUEUE: u32 = 2;
/// `METER_SELECT.table`: by bin, acknowledgements by their latency in cycles, one sampled at a time.
pub const ACK_LATENCY: u32 = 3;
/// `METER_SELECT.table`: by bin, looks at a flow with debt, by the age of its debt in ticks.
pub const DEBT_AGE: u32 = 4;

/// A flow, a queue, or a bin.
pub const SELECT_INDEX: RegField = RegField::new("index", 0, 12, "flow, queue or bin");
/// A table.
pub const SELECT_TABLE: RegField = RegField::new(
    "table",
    16,
    3,
    "0 flow out: frames kept, bytes, frames dropped; 1 flow said: ACKs, NAKs, CNPs; 2 queue: frames out, bytes, refused; \
     3 acknowledgement latency: count of a bin; 4 debt age: count of a bin",
);
/// Read in progress.
pub const STATUS_BUSY: RegField = RegField::new("busy", 0, 1, "1: the values are not those of METER_SELECT yet");

/// What to read.
pub const SELECT: Reg = Reg::new(
    "METER_SELECT",
    0x0b00,
    RW,
    &[SELECT_INDEX, SELECT_TABLE],
    "writing starts a read of the three values below; a write while it runs starts it afresh",
);
/// Whether it is read.
pub const STATUS: Reg = Reg::new(
    "METER_STATUS",
    0x0b04,
    RO,
    &[STATUS_BUSY],
    "a read waits for cycles in which nothing is counted, so at one event per cycle for ever it does not end",
);

macro_rules! values {
    ($($name:literal, $offset:literal, $doc:literal;)+) => {
        [$(Reg::new($name, $offset, RO, &[], $doc)),+]
    };
}
/// The three values, each low word first.
pub const VALUE: [Reg; 6] = values! {
    "METER_FIRST_LOW", 0x0b08, "first value of the table, bits 31:0";
    "METER_FIRST_HIGH", 0x0b0c, "first value, bits 63:32";
    "METER_SECOND_LOW", 0x0b10, "second value of the table, bits 31:0; 0 when it has none";
    "METER_SECOND_HIGH", 0x0b14, "second value, bits 63:32";
    "METER_THIRD_LOW", 0x0b18, "third value of the table, bits 31:0; 0 when it has none";
    "METER_THIRD_HIGH", 0x0b1c, "third value, bits 63:32";
};

/// In address order.
pub const MAP: &[Reg] = &[SELECT, STATUS, VALUE[0], VALUE[1], VALUE[2], VALUE[3], VALUE[4], VALUE[5]];

/// The block.
pub const BLOCK: Block = Block {
    name: "METER",
    base: 0x0b00,
    bytes: 0x100,
    map: MAP,
    doc: "Counters per flow and per queue, and histograms.",
};

const _: () = assert!(BLOCK.is_sound());
