//! Tables with forecasts, for the model and, word by word, for the gates.

use crate::harness::Random;
use matchrdma_model::tables::Tables;
use matchrdma_spec::hash::crc32;
use matchrdma_spec::params::{CALENDAR_ENTRIES, PATHS};
use matchrdma_spec::regs::entry::*;
use matchrdma_spec::regs::table::*;
use std::collections::VecDeque;

/// A word on its way into a shadow bank of the gates.
#[derive(Clone, Copy, Debug)]
pub enum Word {
    /// Bank and path, word, value.
    Path(u32, u32, u32),
    /// Bank, path, entry and word; value.
    Calendar(u32, u32),
}

/// The tables, and what the gates do not have yet.
pub struct Words {
    pub tables: Tables,
    pub on_their_way: VecDeque<Word>,
    /// Of these the gates' first bank still holds what no commit has written.
    stale: Vec<usize>,
}

impl Words {
    /// As after a reset: the bank that is read holds what it held before, and is not set. The other is written whole by
    /// the scan of the first commit.
    pub fn new(random: &mut Random) -> Self {
        let mut words = Words { tables: Tables::new(), on_their_way: VecDeque::new(), stale: vec![PATH, CALENDAR] };
        for table in [PATH, CALENDAR] {
            words.bank(table, 0, &mut || random.u32());
            words.bank(table, 1, &mut || 0);
        }
        words
    }

    /// All of a bank.
    fn bank(&mut self, table: usize, bank: u32, value: &mut dyn FnMut() -> u32) {
        let (paths, entries) = (PATHS as u32, WINDOWS[CALENDAR].length() as u32);
        if table == PATH {
            let words = (0..paths).flat_map(|path| [14, 15].map(|word| (bank << 4 | path, word)));
            self.on_their_way.extend(words.map(|(path, word)| Word::Path(path, word, value())));
        } else {
            self.on_their_way.extend((0..entries).map(|word| Word::Calendar(bank << 13 | word, value())));
        }
    }

    /// The end of a slot. What a table's first commit has left in the other bank, the scan of its next one overwrites.
    pub fn boundary(&mut self) {
        self.tables.boundary();
        for table in [PATH, CALENDAR] {
            if self.tables.banks() >> (8 + table) & 1 == 1 && self.stale.contains(&table) {
                self.stale.retain(|stale| *stale != table);
                self.bank(table, 0, &mut || 0);
            }
        }
    }

    fn write(&mut self, table: usize, word: usize, value: u32) {
        if self.tables.read(table, word) == value {
            return;
        }
        assert!(self.tables.write(table, word, value));
        let bank = !self.tables.banks() >> table & 1;
        self.on_their_way.push_back(match table {
            PATH => Word::Path(bank << 4 | word as u32 >> 4, word as u32 & 15, value),
            _ => Word::Calendar(bank << 13 | word as u32, value),
        });
    }

    /// Other settings of a path, for the next commit.
    pub fn path(&mut self, path: usize, set: Path) {
        for (i, value) in set.pack().into_iter().enumerate() {
            self.write(PATH, PATH_WORDS * path + i, value);
        }
    }

    /// Some paths get other forecasts, and all of them other entries, as far as the tables in `mask` go; for the next
    /// commit. `slot` is the one that runs.
    pub fn draw(&mut self, random: &mut Random, mask: u32, entries: usize, slot: u32, line: i64) {
        for path in 0..PATHS {
            if mask >> PATH & 1 == 1 && (entries > 8 || random.chance(1, 4)) {
                self.path(path, draw_path(random, slot));
            }
            let set = self.tables.path(path);
            for _ in 0..if mask >> CALENDAR & 1 == 1 { entries } else { 0 } {
                let near = usize::from(set.forecast_first) + random.below(10) as usize;
                let at = if random.chance(1, 2) { random.below(256) as usize } else { near % CALENDAR_ENTRIES };
                for (i, value) in draw_entry(random, line).pack().into_iter().enumerate() {
                    self.write(CALENDAR, CalendarEntry::word(path, at) + i, value);
                }
            }
        }
    }

    /// The tables in `mask` wait for the end of the slot.
    pub fn commit(&mut self, mask: u32) {
        assert!(self.on_their_way.is_empty());
        for table in (0..TABLES).filter(|t| mask >> t & 1 == 1) {
            let bytes: Vec<u8> =
                (0..WINDOWS[table].length()).flat_map(|w| self.tables.read(table, w).to_le_bytes()).collect();
            self.tables.set_crc(table, crc32(&bytes));
        }
        self.tables.commit(mask);
        self.tables.scanned();
        assert_eq!(self.tables.status().code, CODE_OK);
    }
}

/// Words 14 and 15 of a path; the others do not count.
fn draw_path(random: &mut Random, slot: u32) -> Path {
    let most = random.pick(&[2, 3, 8, 256]);
    let length = random.below(most + 1) as u16;
    let first = random.below((CALENDAR_ENTRIES as u64 - u64::from(length) + 1).min(256)) as u8;
    let start = match random.below(8) {
        0 => slot.wrapping_sub((1 << 31) - random.below(6) as u32),
        1 => slot.wrapping_add((1 << 31) - random.below(6) as u32),
        2 => slot.wrapping_sub(random.bits(30) as u32),
        _ => slot.wrapping_add(random.below(12) as u32).wrapping_sub(3),
    };
    Path {
        forecast_first: first,
        forecast_length: length,
        forecast_loops: random.chance(2, 3),
        forecast_start: start,
        ..Path::default()
    }
}

fn draw_entry(random: &mut Random, line: i64) -> CalendarEntry {
    let budget = match random.below(8) {
        0 => u32::MAX,
        1 => random.u32(),
        2 => 0,
        _ => random.below(line as u64 + 1) as u32,
    };
    let slots = match random.below(16) {
        0 => 1 + random.bits(16) as u32,
        1..=8 => 1,
        _ => 1 + random.below(4) as u32,
    };
    CalendarEntry { budget, slots }
}

/// Drives a word of a [`Words`] into the ports of a Dut, or nothing.
macro_rules! drive_word {
    ($dut:expr, $word:expr) => {{
        let word: Option<$crate::budget::words::Word> = $word;
        $dut.set_path_we(matches!(word, Some($crate::budget::words::Word::Path(..))).into());
        $dut.set_calendar_we(matches!(word, Some($crate::budget::words::Word::Calendar(..))).into());
        match word {
            Some($crate::budget::words::Word::Path(at, word, value)) => {
                $dut.set_path_addr(at);
                $dut.set_path_word(word);
                $dut.set_path_data(value);
            }
            Some($crate::budget::words::Word::Calendar(at, value)) => {
                $dut.set_calendar_addr(at);
                $dut.set_calendar_data(value);
            }
            None => {}
        }
    }};
}
pub(crate) use drive_word;
