//! Block `FLOW`: keys and live state of flows. Their settings are a banked table, [`super::table`].
//!
//! A key row is written word by word through a window; writing the last word writes the row whole. A flow acts only
//! when its setting enables it, so the driver writes rows first and settings then.

use super::{Access::*, Block, Reg, RegField};
use crate::hash::FlowKey;

/// Words of the row window.
pub const ROW_WORDS: usize = 10;
/// Width of a row, bits: key, flow index, valid.
pub const ROW_BITS: usize = 318;
/// Width of the key in a row, bits: it is the packed key read as one big-endian number.
pub const ROW_KEY_BITS: usize = 305;
/// Least significant bit of the destination queue pair number in a row, 24 bits.
pub const ROW_QPN_LSB: usize = 0;
/// Least significant bit of the destination address in a row, 128 bits.
pub const ROW_DST_LSB: usize = 24;
/// Least significant bit of the source address in a row, 128 bits.
pub const ROW_SRC_LSB: usize = 152;
/// Least significant bit of the VLAN word in a row, 24 bits.
pub const ROW_VLAN_LSB: usize = 280;
/// Bit of a row that says IPv6.
pub const ROW_V6_LSB: usize = 304;
/// Least significant bit of the flow index in a row, 12 bits.
pub const ROW_INDEX_LSB: usize = 305;
/// Bit of a row that says it is in use.
pub const ROW_VALID_LSB: usize = 317;

/// `FLOW_ROW_DIR`: the table that frames of the client port are looked up in.
pub const DIR_OUTBOUND: u32 = 0;
/// `FLOW_ROW_DIR`: the table that frames of the line port are looked up in.
pub const DIR_INBOUND: u32 = 1;

/// Flow state: passes through.
pub const STATE_OFF: u32 = 0;
/// Flow state: tracking, not acknowledging.
pub const STATE_SYNC: u32 = 1;
/// Flow state: acknowledging.
pub const STATE_ACTIVE: u32 = 2;
/// Flow state: forwards all, waits for its debt to be paid.
pub const STATE_DRAIN: u32 = 3;
/// Flow state: failed; only the host ends it.
pub const STATE_FAULT: u32 = 4;

/// Row of a bank.
pub const ROW_SELECT_ROW: RegField = RegField::new("row", 0, 11, "row of the bank");
/// Bank.
pub const ROW_SELECT_BANK: RegField = RegField::new("bank", 16, 2, "bank");
/// Table.
pub const ROW_DIR_FIELD: RegField = RegField::new("inbound", 0, 1, "0 outbound key table, 1 inbound key table");
/// A flow index.
pub const INDEX_FIELD: RegField = RegField::new("index", 0, 12, "flow index");
/// Flow on.
pub const CFG_ENABLE: RegField = RegField::new("enable", 0, 1, "0: the flow is Off");
/// Which opcodes are acknowledged early.
pub const CFG_ACK_OPS_WRITE: RegField =
    RegField::new("ack_ops_write", 1, 1, "0: SEND and WRITE are acknowledged; 1: only WRITE without immediate");
/// Path MTU.
pub const CFG_MTU: RegField =
    RegField::new("mtu", 4, 3, "path MTU: 0 unknown, 1 = 256, 2 = 512, 3 = 1024, 4 = 2048, 5 = 4096 bytes");
/// Run.
pub const CFG_SERIAL: RegField =
    RegField::new("serial", 8, 8, "run of the flow: a value other than its run id starts it afresh");
/// State of a flow.
pub const STATE_FIELD: RegField = RegField::new("state", 0, 3, "0 Off, 1 Sync, 2 Active, 3 Drain, 4 Fault");
/// Run that the state is of.
pub const STATE_RUN: RegField = RegField::new("run", 8, 8, "run id that the state is of");
/// Why it left Active for Drain, Fault or Off.
pub const STATE_CAUSE: RegField = RegField::new(
    "cause",
    16,
    4,
    "event code (docs/registers.md, Events) of why it last drained, failed or was left alone; 0: never since the host started it",
);
/// Time in the state.
pub const STATE_TICKS_FIELD: RegField =
    RegField::new("ticks", 0, 24, "ticks since a look found the state; 8388607 is that or more");
/// Debt.
pub const DEBT_FIELD: RegField = RegField::new("psns", 0, 24, "acknowledged PSNs that the far side has not confirmed");
/// Age of debt.
pub const DEBT_AGE_FIELD: RegField = RegField::new("ticks", 0, 16, "ticks, as of the newest look; 0 without debt");
/// Time held by a barrier.
pub const HELD_TICKS: RegField =
    RegField::new("ticks", 0, 15, "ticks since a look found it held, and every one since; 32767 is that or more");
/// A barrier holds.
pub const HELD_NOW: RegField = RegField::new("held", 16, 1, "1: the flow is Active and a barrier holds");
/// A PSN.
pub const PSN_FIELD: RegField = RegField::new("psn", 0, 24, "packet sequence number");
/// A message count.
pub const MSN_FIELD: RegField = RegField::new("msn", 0, 24, "message sequence number");
/// Read in progress.
pub const READ_BUSY: RegField = RegField::new("busy", 0, 1, "1: the state is not latched yet");

/// Row to write.
pub const ROW_SELECT: Reg =
    Reg::new("FLOW_ROW_SELECT", 0x0400, RW, &[ROW_SELECT_ROW, ROW_SELECT_BANK], "row that the window writes");
/// Table to write.
pub const ROW_DIR: Reg = Reg::new("FLOW_ROW_DIR", 0x0404, RW, &[ROW_DIR_FIELD], "table that the window writes");

macro_rules! row_words {
    ($($name:literal, $offset:literal;)+) => {
        [$(Reg::new($name, $offset, WO, &[], "one word of the row, lowest first; the last one writes the row whole")),+]
    };
}
/// Row window, lowest word first.
pub const ROW_WORD: [Reg; ROW_WORDS] = row_words! {
    "FLOW_ROW_WORD0", 0x0408;
    "FLOW_ROW_WORD1", 0x040c;
    "FLOW_ROW_WORD2", 0x0410;
    "FLOW_ROW_WORD3", 0x0414;
    "FLOW_ROW_WORD4", 0x0418;
    "FLOW_ROW_WORD5", 0x041c;
    "FLOW_ROW_WORD6", 0x0420;
    "FLOW_ROW_WORD7", 0x0424;
    "FLOW_ROW_WORD8", 0x0428;
    "FLOW_ROW_WORD9", 0x042c;
};
/// Flow to read.
pub const READ_INDEX: Reg = Reg::new(
    "FLOW_READ_INDEX",
    0x0438,
    RW,
    &[INDEX_FIELD],
    "writing latches the flow's state into the registers below",
);
/// Read in progress.
pub const READ_STATUS: Reg = Reg::new("FLOW_READ_STATUS", 0x043c, RO, &[READ_BUSY], "whether the latch is done");
/// Latched state.
pub const STATE: Reg =
    Reg::new("FLOW_STATE", 0x0440, RO, &[STATE_FIELD, STATE_RUN, STATE_CAUSE], "state of the flow, as latched");
/// Latched expected PSN.
pub const EXPECTED_PSN: Reg =
    Reg::new("FLOW_EXPECTED_PSN", 0x0444, RO, &[PSN_FIELD], "next PSN of the requester, as latched");
/// Latched departed PSN.
pub const DEPARTED_PSN: Reg =
    Reg::new("FLOW_DEPARTED_PSN", 0x0448, RO, &[PSN_FIELD], "newest PSN that left on the line, as latched");
/// Latched acknowledged PSN.
pub const ACKNOWLEDGED_PSN: Reg =
    Reg::new("FLOW_ACKNOWLEDGED_PSN", 0x044c, RO, &[PSN_FIELD], "newest PSN given to the sender, as latched");
/// Latched confirmed PSN.
pub const CONFIRMED_PSN: Reg =
    Reg::new("FLOW_CONFIRMED_PSN", 0x0450, RO, &[PSN_FIELD], "newest PSN that the far side acknowledged, as latched");
/// Latched message count.
pub const MSN: Reg = Reg::new("FLOW_MSN", 0x0454, RO, &[MSN_FIELD], "messages completed, as latched");
/// Latched time in the state.
pub const STATE_TICKS: Reg = Reg::new(
    "FLOW_STATE_TICKS",
    0x0458,
    RO,
    &[STATE_TICKS_FIELD],
    "how long the flow has been in its state, as latched",
);
/// Latched debt.
pub const DEBT: Reg = Reg::new("FLOW_DEBT", 0x045c, RO, &[DEBT_FIELD], "debt of the flow, as latched");
/// Latched age of debt.
pub const DEBT_AGE: Reg = Reg::new(
    "FLOW_DEBT_AGE",
    0x0460,
    RO,
    &[DEBT_AGE_FIELD],
    "how long the debt that is watched has been open, as latched",
);
/// Latched time held by a barrier.
pub const HELD: Reg =
    Reg::new("FLOW_HELD", 0x0464, RO, &[HELD_TICKS, HELD_NOW], "whether a barrier holds, and how long, as latched");

/// Longest time in a state that can be told, ticks.
pub const STATE_TICKS_MAX: u32 = 0x7f_ffff;

/// In address order.
pub const MAP: &[Reg] = &[
    ROW_SELECT,
    ROW_DIR,
    ROW_WORD[0],
    ROW_WORD[1],
    ROW_WORD[2],
    ROW_WORD[3],
    ROW_WORD[4],
    ROW_WORD[5],
    ROW_WORD[6],
    ROW_WORD[7],
    ROW_WORD[8],
    ROW_WORD[9],
    READ_INDEX,
    READ_STATUS,
    STATE,
    EXPECTED_PSN,
    DEPARTED_PSN,
    ACKNOWLEDGED_PSN,
    CONFIRMED_PSN,
    MSN,
    STATE_TICKS,
    DEBT,
    DEBT_AGE,
    HELD,
];

/// The block.
pub const BLOCK: Block =
    Block { name: "FLOW", base: 0x0400, bytes: 0x400, map: MAP, doc: "Keys and live state of flows." };

const _: () = assert!(BLOCK.is_sound());
const _: () = assert!(ROW_BITS <= 32 * ROW_WORDS && ROW_BITS == ROW_VALID_LSB + 1);
const _: () = assert!(ROW_INDEX_LSB == ROW_KEY_BITS && ROW_VALID_LSB == ROW_INDEX_LSB + crate::params::FLOW_BITS);

/// A row of a key table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FlowRow {
    /// The key.
    pub key: FlowKey,
    /// Flow index, 12 bits.
    pub index: u16,
    /// In use.
    pub valid: bool,
}

impl FlowRow {
    /// The row as the window takes it, lowest word first.
    pub fn pack(&self) -> [u32; ROW_WORDS] {
        let mut bytes = [0u8; 4 * ROW_WORDS];
        let packed = self.key.pack();
        packed.iter().rev().enumerate().for_each(|(i, b)| bytes[i] = *b);
        let mut words: [u32; ROW_WORDS] =
            core::array::from_fn(|i| u32::from_le_bytes(core::array::from_fn(|k| bytes[4 * i + k])));
        let top = u32::from(self.index & 0xfff) | u32::from(self.valid) << 12;
        words[9] |= top << (ROW_INDEX_LSB % 32);
        words
    }

    /// The row that these words write.
    pub fn unpack(words: &[u32; ROW_WORDS]) -> Self {
        let take = |lsb: usize, bits: usize| {
            (0..bits).fold(0u128, |v, i| v | u128::from(words[(lsb + i) / 32] >> ((lsb + i) % 32) & 1) << i)
        };
        FlowRow {
            key: FlowKey {
                v6: take(ROW_V6_LSB, 1) as u8,
                vlan: take(ROW_VLAN_LSB, 24) as u32,
                src: take(ROW_SRC_LSB, 128),
                dst: take(ROW_DST_LSB, 128),
                qpn: take(ROW_QPN_LSB, 24) as u32,
            },
            index: take(ROW_INDEX_LSB, 12) as u16,
            valid: take(ROW_VALID_LSB, 1) == 1,
        }
    }
}

/// Path MTU of a setting's code, bytes; `None` when unknown.
pub const fn mtu_bytes(code: u32) -> Option<u32> {
    match code {
        1..=5 => Some(128 << code),
        _ => None,
    }
}

/// Code of a path MTU in bytes; 0 for any other length.
pub const fn mtu_code(bytes: u32) -> u32 {
    match bytes {
        256 => 1,
        512 => 2,
        1024 => 3,
        2048 => 4,
        4096 => 5,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_packs_into_its_words() {
        let key = FlowKey { v6: 1, vlan: 0xab_cdef, src: 0x11 << 120 | 0x22, dst: 0x33 << 120 | 0x44, qpn: 0x12_3456 };
        let row = FlowRow { key, index: 0xa5c, valid: true };
        let words = row.pack();
        assert_eq!(words[0], 0x4412_3456);
        assert_eq!(words[4], 0x2233_0000); // dst 127:104, then src 7:0
        assert_eq!(words[8], 0xef11_0000); // src 127:104, then vlan 7:0
        assert_eq!(words[9], 0xabcd | 1 << 16 | 0xa5c << 17 | 1 << 29);
        assert_eq!(FlowRow::unpack(&words), row);
        assert_eq!(FlowRow::unpack(&[0; ROW_WORDS]), FlowRow::default());
        assert_eq!(FlowRow::unpack(&[!0; ROW_WORDS]).pack()[9], 0x3fff_ffff);
    }

    #[test]
    fn mtu_codes_go_both_ways() {
        for code in 1..=5 {
            assert_eq!(mtu_code(mtu_bytes(code).unwrap()), code);
        }
        assert_eq!((mtu_bytes(0), mtu_bytes(6), mtu_bytes(5)), (None, None, Some(4096)));
        assert_eq!(mtu_code(1500), 0);
    }
}
