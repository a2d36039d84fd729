//! Block `TABLE`: commits of the banked tables, and the windows that their shadow banks are written through.
//!
//! Each table has two banks. One is in force; the other, the shadow bank, is written word by word. A commit names
//! tables and the CRC-32 of each shadow bank; the gateway checks them and then all of them take effect together, at a
//! boundary between two slots, or none does. What a word means: [`super::entry`].

use super::{Access::*, Block, Reg, RegField, Window};
use crate::params::{CALENDAR_ENTRIES, FLOWS, PATHS, ROUTE_STARTS};

/// Tables: their number is their bit in masks and their place in arrays.
pub const TABLES: usize = 4;
/// Table of ranges of addresses, with their queues.
pub const ROUTE: usize = 0;
/// Table of paths' settings.
pub const PATH: usize = 1;
/// Table of flows' settings.
pub const FLOW: usize = 2;
/// Table of paths' budgets over time.
pub const CALENDAR: usize = 3;
/// The order in which a commit scans the tables it names: paths before the routes that must not lead to one that is off.
pub const SCAN_ORDER: [usize; TABLES] = [PATH, ROUTE, FLOW, CALENDAR];

/// Words of a route's entry.
pub const ROUTE_WORDS: usize = 8;
/// Words of a path's entry.
pub const PATH_WORDS: usize = 16;
/// Words of a flow's entry.
pub const FLOW_WORDS: usize = 1;
/// Words of a calendar's entry.
pub const CALENDAR_WORDS: usize = 2;

/// The windows, by number of the table.
pub const WINDOWS: [Window; TABLES] = [
    Window {
        name: "ROUTE",
        base: 0x1000,
        entries: ROUTE_STARTS,
        words: ROUTE_WORDS,
        doc: "Ranges of addresses, ascending: 0..3 first address, lowest word first; 4: bit 0 IPv6, bits 12:8 queue; 5..7 zero.",
    },
    Window {
        name: "PATH",
        base: 0x3000,
        entries: PATHS,
        words: PATH_WORDS,
        doc: "Settings of a path: 0: bits 2:0 budget mode, bit 8 clear ECN; 1 rate, bytes per slot; 2 burst, bytes; 3 and 4 CNP on and off, 5 and 6 PFC on and off, held bytes (on = 0: never); 7: bits 15:0 site of the far gateway, bits 23:16 weight, bit 24 there is one; 8: bits 8:0 calendar length, bit 31 loop; 9 calendar start, slot number; 10..13 key of the far gateway, its first byte in bits 7:0 of word 10, all zero: no tag; 14: bits 7:0 first entry of the forecast, bits 16:8 its length, bit 31 loop; 15 its start, slot number.",
    },
    Window {
        name: "FLOW_SETTING",
        base: 0x4000,
        entries: FLOWS,
        words: FLOW_WORDS,
        doc: "Setting of a flow: bit 0 enable, bit 1 ack_ops_write, bits 6:4 path MTU, bits 15:8 serial; the rest zero.",
    },
    Window {
        name: "CALENDAR",
        base: 0x8000,
        entries: PATHS * CALENDAR_ENTRIES,
        words: CALENDAR_WORDS,
        doc: "Budgets of a path over time, 256 entries each, for the calendar that it is sent by and for the forecast of what is drained of it: 0 budget, bytes per slot; 1: bits 15:0 slots less one.",
    },
];

/// `TABLE_STATUS` code: the newest commit took effect, or there was none.
pub const CODE_OK: u32 = 0;
/// `TABLE_STATUS` code: a commit runs.
pub const CODE_BUSY: u32 = 1;
/// `TABLE_STATUS` code: the words have another CRC than the host said.
pub const CODE_CRC: u32 = 2;
/// `TABLE_STATUS` code: a range does not start behind the one before.
pub const CODE_ROUTE_ORDER: u32 = 3;
/// `TABLE_STATUS` code: a queue that does not exist, or an unused range with another queue than the bypass.
pub const CODE_ROUTE_QUEUE: u32 = 4;
/// `TABLE_STATUS` code: a route to a path that is off.
pub const CODE_ROUTE_PATH_OFF: u32 = 5;
/// `TABLE_STATUS` code: a budget mode that does not exist.
pub const CODE_PATH_MODE: u32 = 6;
/// `TABLE_STATUS` code: a paced path with a bucket that is too small for a frame, or too deep.
pub const CODE_PATH_BURST: u32 = 7;
/// `TABLE_STATUS` code: an MTU that does not exist.
pub const CODE_FLOW_MTU: u32 = 8;
/// `TABLE_STATUS` code: a bit that must be zero is not.
pub const CODE_RESERVED: u32 = 9;
/// `TABLE_STATUS` code: a calendar of more than 256 entries, or of none where one is used.
pub const CODE_CALENDAR_LENGTH: u32 = 10;
/// `TABLE_STATUS` code: a commit of no table.
pub const CODE_EMPTY_MASK: u32 = 11;
/// `TABLE_STATUS` code: a path in mode live or lesser without a far gateway, or of weight 0.
pub const CODE_PATH_PEER: u32 = 12;
/// `TABLE_STATUS` code: a forecast that reaches beyond the path's 256 entries.
pub const CODE_FORECAST_LENGTH: u32 = 13;
/// Names of the codes, by number.
pub const CODES: [&str; 14] = [
    "OK",
    "BUSY",
    "CRC",
    "ROUTE_ORDER",
    "ROUTE_QUEUE",
    "ROUTE_PATH_OFF",
    "PATH_MODE",
    "PATH_BURST",
    "FLOW_MTU",
    "RESERVED",
    "CALENDAR_LENGTH",
    "EMPTY_MASK",
    "PATH_PEER",
    "FORECAST_LENGTH",
];

/// Tables of a commit.
pub const MASK: RegField = RegField::new("mask", 0, 4, "bit 0 routes, 1 paths, 2 flow settings, 3 calendars");
/// A commit runs.
pub const BUSY: RegField = RegField::new("busy", 0, 1, "1: a commit is being checked or waits for the end of its slot");
/// A commit was refused.
pub const REFUSED: RegField =
    RegField::new("refused", 1, 1, "1: a commit was refused because one was running; the next one clears it");
/// How the newest commit ended.
pub const CODE: RegField = RegField::new(
    "code",
    8,
    8,
    "0 OK, 1 BUSY, 2 CRC, 3 ROUTE_ORDER, 4 ROUTE_QUEUE, 5 ROUTE_PATH_OFF, 6 PATH_MODE, 7 PATH_BURST, 8 FLOW_MTU, 9 RESERVED, 10 CALENDAR_LENGTH, 11 EMPTY_MASK, 12 PATH_PEER, 13 FORECAST_LENGTH",
);
/// Table of the fault.
pub const TABLE: RegField =
    RegField::new("table", 16, 4, "table that the code is of: 0 routes, 1 paths, 2 flow settings, 3 calendars");
/// Banks in force.
pub const BANK: RegField = RegField::new("bank", 0, 4, "bank in force of each table, bit by bit as in a mask");
/// Tables that count.
pub const SET: RegField = RegField::new("set", 8, 4, "1: committed since reset; until then all is bypass, open, off");

macro_rules! crc {
    ($name:literal, $offset:literal) => {
        Reg::new($name, $offset, RW, &[], "CRC-32 that the shadow bank must have, words little-endian in address order")
    };
}
/// CRC of each shadow bank, by number of the table.
pub const CRC: [Reg; TABLES] = [
    crc!("TABLE_CRC_ROUTE", 0x0a00),
    crc!("TABLE_CRC_PATH", 0x0a04),
    crc!("TABLE_CRC_FLOW", 0x0a08),
    crc!("TABLE_CRC_CALENDAR", 0x0a0c),
];
/// Commit.
pub const COMMIT: Reg =
    Reg::new("TABLE_COMMIT", 0x0a10, WO, &[MASK], "commits the shadow banks of these tables, together");
/// State.
pub const STATUS: Reg =
    Reg::new("TABLE_STATUS", 0x0a14, RO, &[BUSY, REFUSED, CODE, TABLE], "state of the newest commit");
/// Where the fault is.
pub const ERROR_WORD: Reg =
    Reg::new("TABLE_ERROR_WORD", 0x0a18, RO, &[], "number of the word in its table that the code is of; 0 with CRC");
/// Commits so far.
pub const GENERATION: Reg = Reg::new("TABLE_GENERATION", 0x0a1c, RO, &[], "commits that took effect since reset");
/// Banks.
pub const BANKS: Reg = Reg::new("TABLE_BANKS", 0x0a20, RO, &[BANK, SET], "which banks are in force");

/// In address order.
pub const MAP: &[Reg] = &[CRC[0], CRC[1], CRC[2], CRC[3], COMMIT, STATUS, ERROR_WORD, GENERATION, BANKS];

/// The block.
pub const BLOCK: Block =
    Block { name: "TABLE", base: 0x0a00, bytes: 0x100, map: MAP, doc: "Commits of the banked tables." };

const _: () = assert!(BLOCK.is_sound());

/// The table and the word that a byte address of the windows is of.
pub fn word_at(address: u16) -> Option<(usize, usize)> {
    let inside = |w: &Window| address >= w.base && usize::from(address - w.base) < 4 * w.length();
    let table = WINDOWS.iter().position(inside).filter(|_| address.is_multiple_of(4))?;
    Some((table, usize::from(address - WINDOWS[table].base) / 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_lie_behind_the_blocks_and_do_not_overlap() {
        let mut next = usize::from(super::super::BLOCKS.last().unwrap().base);
        for window in WINDOWS {
            assert!(usize::from(window.base) >= next && window.base >= 0x1000, "{}", window.name);
            assert!(window.length().is_power_of_two() && usize::from(window.base).is_multiple_of(4 * window.length()));
            next = usize::from(window.base) + 4 * window.length();
        }
        assert_eq!(next, super::super::WINDOW_BYTES);
    }

    #[test]
    fn an_address_names_a_word() {
        assert_eq!(word_at(0x0ffc), None);
        assert_eq!((word_at(0x1000), word_at(0x1ffc), word_at(0x2000)), (Some((ROUTE, 0)), Some((ROUTE, 1023)), None));
        assert_eq!((word_at(0x33fc), word_at(0x3400), word_at(0x3402)), (Some((PATH, 255)), None, None));
        assert_eq!((word_at(0x7ffc), word_at(0x8000)), (Some((FLOW, 4095)), Some((CALENDAR, 0))));
        assert_eq!((word_at(0xfffc), word_at(0xfffe)), (Some((CALENDAR, 8191)), None));
    }
}
