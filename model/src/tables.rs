//! **tables**: banked tables and their commit.
//!
//! In: words of shadow banks, commits, ends of slots. Out: what is in force, and how the newest commit ended.
//! Nothing of a commit is in force before all of it is. Gates: `hdl/src/host/tables.rs`. Registers: `TABLE`, windows.

use matchrdma_spec::hash::crc32;
use matchrdma_spec::params::{CALENDAR_ENTRIES, PATHS, QUEUE_BYPASS};
use matchrdma_spec::regs::entry::*;
use matchrdma_spec::regs::table::*;

/// Why a commit is refused, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// `TABLE_STATUS` code.
    pub code: u32,
    /// Table.
    pub table: usize,
    /// Number of the word in the table.
    pub word: usize,
}

/// What `TABLE_STATUS` and `TABLE_ERROR_WORD` say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// A commit is checked or waits.
    pub busy: bool,
    /// One was refused meanwhile.
    pub refused: bool,
    /// How the newest ended.
    pub code: u32,
    /// Table of the fault.
    pub table: u32,
    /// Word of the fault.
    pub word: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Commit {
    None,
    /// Checked, with this result, which nobody has seen yet.
    Scanning(u32, Result<(), Fault>),
    /// Waits for the end of its slot.
    Waiting(u32),
}

/// Two banks of each table.
#[derive(Clone, Debug)]
pub struct Tables {
    banks: [[Vec<u32>; 2]; TABLES],
    force: [usize; TABLES],
    set: [bool; TABLES],
    crc: [u32; TABLES],
    commit: Commit,
    status: Status,
    generation: u32,
}

impl Default for Tables {
    fn default() -> Self {
        Self::new()
    }
}

impl Tables {
    /// All words zero, nothing in force.
    pub fn new() -> Self {
        let bank = |t: usize| vec![0; WINDOWS[t].length()];
        Tables {
            banks: core::array::from_fn(|t| [bank(t), bank(t)]),
            force: [0; TABLES],
            set: [false; TABLES],
            crc: [0; TABLES],
            commit: Commit::None,
            status: Status::default(),
            generation: 0,
        }
    }

    /// Writes a word of a shadow bank; `false`: refused, since a commit has the bank.
    #[must_use]
    pub fn write(&mut self, table: usize, word: usize, value: u32) -> bool {
        let free = self.mask() >> table & 1 == 0;
        if free {
            self.banks[table][1 - self.force[table]][word] = value;
        }
        free
    }

    /// Reads a word of a shadow bank.
    pub fn read(&self, table: usize, word: usize) -> u32 {
        self.shadow(table)[word]
    }

    /// `TABLE_CRC`.
    pub fn set_crc(&mut self, table: usize, crc: u32) {
        self.crc[table] = crc;
    }

    /// `TABLE_COMMIT`.
    pub fn commit(&mut self, mask: u32) {
        if self.commit != Commit::None {
            self.status.refused = true;
        } else if mask & 0xf == 0 {
            self.status = Status { code: CODE_EMPTY_MASK, ..Status::default() };
        } else {
            self.status = Status { busy: true, ..Status::default() };
            self.commit = Commit::Scanning(mask & 0xf, self.check(mask & 0xf));
        }
    }

    /// The scan has come to its end.
    pub fn scanned(&mut self) {
        if let Commit::Scanning(mask, result) = self.commit.clone() {
            match result {
                Ok(()) => self.commit = Commit::Waiting(mask),
                Err(fault) => {
                    self.commit = Commit::None;
                    self.status.busy = false;
                    (self.status.code, self.status.table) = (fault.code, fault.table as u32);
                    self.status.word = fault.word as u32;
                }
            }
        }
    }

    /// Tables that a commit would put into force at the end of this slot.
    pub fn waiting(&self) -> u32 {
        match self.commit {
            Commit::Waiting(mask) => mask,
            _ => 0,
        }
    }

    /// The slot ends: what waits is in force from now on.
    pub fn boundary(&mut self) {
        if let Commit::Waiting(mask) = self.commit {
            for table in (0..TABLES).filter(|t| mask >> t & 1 == 1) {
                self.force[table] = 1 - self.force[table];
                self.set[table] = true;
            }
            self.generation = self.generation.wrapping_add(1);
            self.commit = Commit::None;
            self.status.busy = false;
        }
    }

    /// What the host reads.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Commits that took effect.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// `TABLE_BANKS`.
    pub fn banks(&self) -> u32 {
        (0..TABLES).fold(0, |w, t| w | (self.force[t] as u32) << t | u32::from(self.set[t]) << (8 + t))
    }

    /// Whether a table was ever committed.
    pub fn is_set(&self, table: usize) -> bool {
        self.set[table]
    }

    /// A flow's setting in force.
    pub fn flow(&self, index: u16) -> FlowSetting {
        match self.set[FLOW] {
            true => FlowSetting::unpack(self.now(FLOW)[usize::from(index)]),
            false => FlowSetting::default(),
        }
    }

    /// A path's settings in force: open until some are committed.
    pub fn path(&self, path: usize) -> Path {
        match self.set[PATH] {
            true => Path::unpack(&self.now(PATH)[PATH_WORDS * path..]),
            false => Path::default(),
        }
    }

    /// The ranges in force, without the unused ones.
    pub fn routes(&self) -> Vec<Route> {
        let all = self.now(ROUTE).chunks(ROUTE_WORDS).map(Route::unpack).filter(|r| !r.unused());
        all.filter(|_| self.set[ROUTE]).collect()
    }

    /// An entry of a path's calendar in force.
    pub fn calendar(&self, path: usize, entry: usize) -> CalendarEntry {
        CalendarEntry::unpack(&self.now(CALENDAR)[CalendarEntry::word(path, entry)..])
    }

    fn mask(&self) -> u32 {
        match self.commit {
            Commit::None => 0,
            Commit::Scanning(mask, _) | Commit::Waiting(mask) => mask,
        }
    }

    /// The words of the bank that is in force, whether it was ever committed or not.
    pub fn now(&self, table: usize) -> &[u32] {
        &self.banks[table][self.force[table]]
    }

    fn shadow(&self, table: usize) -> &[u32] {
        &self.banks[table][1 - self.force[table]]
    }

    /// The first table in the order of the scan that is wrong; in a table its CRC, else its first wrong word.
    fn check(&self, mask: u32) -> Result<(), Fault> {
        for table in SCAN_ORDER.into_iter().filter(|t| mask >> t & 1 == 1) {
            let words = self.shadow(table);
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            if crc32(&bytes) != self.crc[table] {
                return Err(Fault { code: CODE_CRC, table, word: 0 });
            }
            let wrong = match table {
                ROUTE => self.check_routes(words, mask),
                PATH => self.check_paths(words, mask),
                FLOW => words.iter().enumerate().find_map(|(i, w)| check_flow(*w).map(|code| (code, i))),
                _ => words
                    .iter()
                    .skip(1)
                    .step_by(CALENDAR_WORDS)
                    .position(|w| w & !CALENDAR_REPEAT.mask() != 0)
                    .map(|entry| (CODE_RESERVED, CALENDAR_WORDS * entry + 1)),
            };
            if let Some((code, word)) = wrong {
                return Err(Fault { code, table, word });
            }
        }
        Ok(())
    }

    fn check_routes(&self, words: &[u32], mask: u32) -> Option<(u32, usize)> {
        // The paths that will be in force with these routes.
        let off = |queue: u8| {
            let path = usize::from(queue);
            path < PATHS && self.mode_with(mask, path) == Some(MODE_OFF)
        };
        let mut before: Option<Route> = None;
        for (entry, words) in words.chunks(ROUTE_WORDS).enumerate() {
            let at = ROUTE_WORDS * entry;
            let route = Route::unpack(words);
            if words[4] & !(ROUTE_V6.mask() | ROUTE_QUEUE.mask()) != 0 {
                return Some((CODE_RESERVED, at + 4));
            }
            if route.queue > QUEUE_BYPASS as u8 || route.unused() && route.queue != QUEUE_BYPASS as u8 {
                return Some((CODE_ROUTE_QUEUE, at + 4));
            }
            let ascends = before.is_none_or(|b| (route.v6, route.address) > (b.v6, b.address));
            if !ascends && !route.unused() {
                return Some((CODE_ROUTE_ORDER, at + 4));
            }
            if off(route.queue) {
                return Some((CODE_ROUTE_PATH_OFF, at + 4));
            }
            if let Some(i) = (5..ROUTE_WORDS).find(|i| words[*i] != 0) {
                return Some((CODE_RESERVED, at + i));
            }
            before = Some(route);
        }
        None
    }

    /// A path's mode once the tables of `mask` are in force.
    fn mode_with(&self, mask: u32, path: usize) -> Option<u8> {
        let word = match mask >> PATH & 1 == 1 {
            true => self.shadow(PATH)[PATH_WORDS * path],
            false => self.now(PATH).get(PATH_WORDS * path).copied().filter(|_| self.set[PATH])?,
        };
        Some(PATH_MODE.get(word) as u8)
    }

    fn check_paths(&self, words: &[u32], mask: u32) -> Option<(u32, usize)> {
        let stays = mask >> ROUTE & 1 == 0;
        let used: Vec<u8> = self.routes().iter().map(|r| r.queue).filter(|_| stays).collect();
        for (path, words) in words.chunks(PATH_WORDS).enumerate() {
            let set = Path::unpack(words);
            for (i, (word, may)) in words.iter().zip(Path::BITS).enumerate() {
                let code = match i {
                    _ if word & !may != 0 => CODE_RESERVED,
                    0 if set.mode > MODE_OFF => CODE_PATH_MODE,
                    0 if set.mode == MODE_OFF && used.contains(&(path as u8)) => CODE_ROUTE_PATH_OFF,
                    2 if set.paced() && !(BURST_MIN..=BURST_MAX).contains(&set.burst) => CODE_PATH_BURST,
                    7 if set.granted() && !(set.peer_on && set.weight > 0) => CODE_PATH_PEER,
                    8 if usize::from(set.length) > CALENDAR_ENTRIES || set.timed() && set.length == 0 => {
                        CODE_CALENDAR_LENGTH
                    }
                    14 if usize::from(set.forecast_first) + usize::from(set.forecast_length) > CALENDAR_ENTRIES => {
                        CODE_FORECAST_LENGTH
                    }
                    _ => continue,
                };
                return Some((code, PATH_WORDS * path + i));
            }
        }
        None
    }
}

fn check_flow(word: u32) -> Option<u32> {
    match FlowSetting::unpack(word).mtu {
        _ if word & !FlowSetting::BITS != 0 => Some(CODE_RESERVED),
        6 | 7 => Some(CODE_FLOW_MTU),
        _ => None,
    }
}

#[cfg(test)]
#[path = "tables_tests.rs"]
mod tests;
