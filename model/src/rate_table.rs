//! **rate_table**: the budget of each path, slot by slot.
//!
//! In: the tables in force in each slot, and live budgets. Out: rate, burst, open and limited of each path. All change
//! together, at a boundary between two slots; only a live budget applies on arrival.
//! Gates: `hdl/src/budget/rate_table.rs`. Registers: `RATE`, `PACER_SLOT_K`, tables `PATH` and `CALENDAR`.

use crate::tables::Tables;
use matchrdma_spec::params::PATHS;
use matchrdma_spec::regs::entry::*;
use matchrdma_spec::regs::table::PATH;

/// What a path may send in this slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Line rate: the rest does not count.
    pub open: bool,
    /// The byte limit of the far gateway counts too.
    pub limited: bool,
    /// Bytes per slot; 0 when open.
    pub rate: u32,
    /// Depth of the bucket, bytes.
    pub burst: u32,
}

/// Where a calendar stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Before its start, or there is none.
    #[default]
    Before,
    /// In an entry, which holds for so many slots after this one.
    Running(usize, u32),
    /// Behind its last entry.
    Over,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    path: Path,
    phase: Phase,
    /// What the calendar says, or the fixed rate.
    base: u32,
    live: u32,
}

/// All paths.
#[derive(Clone, Debug, Default)]
pub struct RateTable {
    slot: u32,
    set: bool,
    paths: [State; PATHS],
}

impl RateTable {
    /// Out of reset: slot 0, every path open.
    pub fn new() -> Self {
        Self::default()
    }

    /// A slot ends; in the next one these tables are in force.
    pub fn boundary(&mut self, tables: &Tables) {
        self.slot = self.slot.wrapping_add(1);
        let first = !self.set && tables.is_set(PATH);
        self.set = tables.is_set(PATH);
        for (p, state) in self.paths.iter_mut().enumerate() {
            let path = tables.path(p);
            // Another start or another length starts a calendar anew; any other commit leaves it where it is.
            let anew = first
                || (path.length, path.loops, path.start) != (state.path.length, state.path.loops, state.path.start);
            let begun = self.slot.wrapping_sub(path.start) < 1 << 31;
            let slots = |entry: usize| tables.calendar(p, entry).slots - 1;
            let phase = match state.phase {
                _ if !path.timed() => Phase::Before,
                Phase::Running(at, left) if !anew && left > 0 => Phase::Running(at, left - 1),
                Phase::Running(at, _) if !anew && at + 1 < path.length.into() => Phase::Running(at + 1, slots(at + 1)),
                Phase::Running(..) if !anew && path.loops => Phase::Running(0, slots(0)),
                Phase::Running(..) | Phase::Over if !anew => Phase::Over,
                _ if begun => Phase::Running(0, slots(0)),
                _ => Phase::Before,
            };
            state.base = match phase {
                Phase::Running(at, _) => tables.calendar(p, at).budget,
                _ => path.rate,
            };
            (state.path, state.phase) = (path, phase);
        }
    }

    /// The far gateway grants a budget.
    pub fn live(&mut self, path: usize, rate: u32) {
        self.paths[path].live = rate;
    }

    /// The slot that runs.
    pub fn slot(&self) -> u32 {
        self.slot
    }

    /// A path's mode in force.
    pub fn mode(&self, path: usize) -> u8 {
        self.paths[path].path.mode
    }

    /// Where a path's calendar stands.
    pub fn phase(&self, path: usize) -> Phase {
        self.paths[path].phase
    }

    /// What a path may send.
    pub fn budget(&self, path: usize) -> Budget {
        let state = &self.paths[path];
        let mode = state.path.mode;
        let open = matches!(mode, MODE_OPEN | MODE_OFF);
        Budget {
            open,
            limited: matches!(mode, MODE_LIVE | MODE_LESSER),
            rate: match mode {
                _ if open => 0,
                MODE_LIVE => state.live,
                MODE_LESSER => state.live.min(state.base),
                _ => state.base,
            },
            burst: state.path.burst & 0x1ff_ffff,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use matchrdma_spec::hash::crc32;
    use matchrdma_spec::regs::table::*;

    fn commit(t: &mut Tables, mask: u32) {
        for (table, window) in WINDOWS.iter().enumerate() {
            let bytes: Vec<u8> = (0..window.length()).flat_map(|w| t.read(table, w).to_le_bytes()).collect();
            t.set_crc(table, crc32(&bytes));
        }
        t.commit(mask);
        t.scanned();
        assert_eq!(t.status().code, CODE_OK);
        t.boundary();
    }

    fn write(t: &mut Tables, path: usize, set: Path, calendar: &[(u32, u32)]) {
        for (i, word) in set.pack().into_iter().enumerate() {
            assert!(t.write(PATH, PATH_WORDS * path + i, word));
        }
        for (n, (budget, slots)) in calendar.iter().enumerate() {
            for (i, word) in (CalendarEntry { budget: *budget, slots: *slots }).pack().into_iter().enumerate() {
                assert!(t.write(CALENDAR, CalendarEntry::word(path, n) + i, word));
            }
        }
    }

    const TIMED: Path = Path {
        mode: MODE_CALENDAR,
        rate: 1000,
        burst: 16384,
        length: 3,
        start: 4,
        ecn_clear: false,
        cnp_on: 0,
        cnp_off: 0,
        pfc_on: 0,
        pfc_off: 0,
        loops: true,
        peer_on: true,
        peer_site: 0,
        weight: 1,
        peer_key: [0; 16],
        forecast_first: 0,
        forecast_length: 0,
        forecast_loops: false,
        forecast_start: 0,
    };

    fn rates(path: Path, slots: usize) -> Vec<u32> {
        let (mut t, mut r) = (Tables::new(), RateTable::new());
        write(&mut t, 5, path, &[(10, 1), (20, 3), (30, 2)]);
        commit(&mut t, 1 << PATH | 1 << CALENDAR);
        (0..slots)
            .map(|_| {
                r.boundary(&t);
                r.budget(5).rate
            })
            .collect()
    }

    #[test]
    fn a_calendar_holds_each_budget_for_its_slots() {
        assert_eq!(rates(TIMED, 12), [1000, 1000, 1000, 10, 20, 20, 20, 30, 30, 10, 20, 20]);
        let once = Path { loops: false, start: 1, ..TIMED };
        assert_eq!(rates(once, 8), [10, 20, 20, 20, 30, 30, 1000, 1000]);
    }

    #[test]
    fn a_commit_leaves_the_other_calendars_where_they_are() {
        let (mut t, mut r) = (Tables::new(), RateTable::new());
        for path in [1, 2] {
            write(&mut t, path, Path { start: 1, ..TIMED }, &[(10, 1), (20, 3), (30, 2)]);
        }
        commit(&mut t, 1 << PATH | 1 << CALENDAR);
        (0..3).for_each(|_| r.boundary(&t));
        for path in [1, 2] {
            write(&mut t, path, Path { start: 1, ..TIMED }, &[(11, 1), (21, 3), (31, 2)]);
        }
        write(&mut t, 2, Path { start: 3, ..TIMED }, &[]);
        commit(&mut t, 1 << PATH | 1 << CALENDAR);
        let seen: Vec<_> = (0..5)
            .map(|_| {
                r.boundary(&t);
                (r.budget(1).rate, r.budget(2).rate)
            })
            .collect();
        assert_eq!(seen, [(21, 11), (31, 21), (31, 21), (11, 21), (21, 31)]);
    }

    #[test]
    fn live_budgets_apply_on_arrival() {
        let (mut t, mut r) = (Tables::new(), RateTable::new());
        write(&mut t, 0, Path { mode: MODE_LIVE, burst: 9624, peer_on: true, weight: 1, ..Path::default() }, &[]);
        write(&mut t, 1, Path { mode: MODE_LESSER, start: 1, ..TIMED }, &[(10, 1), (20, 3), (30, 2)]);
        commit(&mut t, 1 << PATH | 1 << CALENDAR);
        r.boundary(&t);
        assert_eq!(r.budget(0), Budget { open: false, limited: true, rate: 0, burst: 9624 });
        (0..2).for_each(|p| r.live(p, 15));
        assert_eq!((r.budget(0).rate, r.budget(1).rate), (15, 10));
        r.boundary(&t);
        assert_eq!((r.budget(0).rate, r.budget(1).rate), (15, 15));
        assert_eq!(r.budget(2), Budget { open: true, ..Budget::default() });
    }
}
