//! Budgets slot by slot, cycle by cycle: every path against the model in every cycle.

use crate::harness::Random;
use matchrdma_model::rate_table::{Budget, Phase, RateTable};
use matchrdma_model::tables::Tables;
use matchrdma_rtl::rate_table::Dut;
use matchrdma_spec::hash::crc32;
use matchrdma_spec::params::{PATHS, SLOT_K_DEFAULT};
use matchrdma_spec::regs::entry::*;
use matchrdma_spec::regs::table::*;
use std::collections::VecDeque;

/// A commit that waits for longer than this at the end of a slot is of that boundary.
const LEAD: u64 = 150;

struct Bench {
    dut: Dut,
    tables: Tables,
    model: RateTable,
    k: u32,
    /// Cycles since the last boundary, and since the commit waits.
    cycle: u64,
    waits: u64,
    /// Live budgets on their way: they apply two cycles after they are written.
    live: VecDeque<Option<(usize, u32)>>,
    flips: u32,
    ended: bool,
    /// Whose budget is asked for, and what it was in the cycle before.
    ask: usize,
    told: (u32, u32),
}

macro_rules! of_path {
    ($dut:expr, $path:expr, $($n:literal $rate:ident $burst:ident),*) => {
        match $path { $($n => ($dut.$rate(), $dut.$burst()),)* _ => unreachable!() }
    };
}

impl Bench {
    fn new() -> Self {
        let mut dut = Dut::new();
        dut.set_set_slot_k(SLOT_K_DEFAULT);
        dut.set_rst(1);
        (0..4).for_each(|_| dut.tick());
        dut.set_rst(0);
        let live = VecDeque::from([None]);
        let (tables, model) = (Tables::new(), RateTable::new());
        let k = SLOT_K_DEFAULT;
        Bench { dut, tables, model, k, cycle: 0, waits: 0, live, flips: 0, ended: false, ask: 0, told: (0, 0) }
    }

    fn budget(&self, path: usize) -> Budget {
        let (rate, burst) = of_path!(self.dut, path, 0 rate_0 burst_0, 1 rate_1 burst_1, 2 rate_2 burst_2,
            3 rate_3 burst_3, 4 rate_4 burst_4, 5 rate_5 burst_5, 6 rate_6 burst_6, 7 rate_7 burst_7,
            8 rate_8 burst_8, 9 rate_9 burst_9, 10 rate_10 burst_10, 11 rate_11 burst_11, 12 rate_12 burst_12,
            13 rate_13 burst_13, 14 rate_14 burst_14, 15 rate_15 burst_15);
        let bit = |word: u32| word >> path & 1 == 1;
        Budget { open: bit(self.dut.open()), limited: bit(self.dut.limited()), rate, burst }
    }

    /// One cycle, with all that shows in it.
    fn step(&mut self, live: Option<(usize, u32)>) {
        let waiting = self.tables.waiting();
        self.dut.set_pending(u32::from(waiting != 0));
        self.dut.set_pending_mask(waiting);
        self.dut.set_banks(self.tables.banks() & 0xf);
        self.dut.set_set(self.tables.banks() >> 8);
        self.dut.set_live_we(live.is_some().into());
        let (path, rate) = live.unwrap_or_default();
        self.dut.set_live_path(path as u32);
        self.dut.set_live_rate(rate);
        self.dut.set_ask(self.ask as u32);
        self.dut.settle();
        assert_eq!((self.dut.told_rate(), self.dut.told_burst()), self.told, "of path {}", (self.ask + 15) % 16);
        let budget = self.budget(self.ask);
        self.told = (budget.rate, budget.burst);
        self.ask = (self.ask + 1) % PATHS;
        for path in 0..PATHS {
            assert_eq!(self.budget(path), self.model.budget(path), "path {path} in slot {}", self.model.slot());
        }
        assert_eq!((self.dut.slot(), self.dut.slot_k()), (self.model.slot(), self.k));
        self.cycle += 1;
        self.waits += u64::from(waiting != 0);
        self.ended = self.dut.slot_end() == 1;
        if self.ended {
            assert!(self.cycle <= 1 << self.k, "a slot of {} cycles", self.cycle);
            let flips = self.dut.flip() == 1;
            assert!(flips || self.waits < LEAD, "a commit waits for {} cycles and is left out", self.waits);
            if flips {
                assert!(waiting != 0, "nothing waits");
                self.tables.boundary();
                self.flips += 1;
                self.waits = 0;
            }
            self.model.boundary(&self.tables);
            self.cycle = 0;
        } else {
            assert_eq!(self.dut.flip(), 0);
        }
        self.live.push_back(live);
        if let Some(Some((path, rate))) = self.live.pop_front() {
            self.model.live(path, rate);
        }
        self.dut.rise();
    }

    fn slot(&mut self) {
        loop {
            self.step(None);
            if self.ended {
                return;
            }
        }
    }

    fn set_k(&mut self, k: u32) {
        self.dut.set_set_slot_k(k);
        for _ in 0..LEAD {
            self.step(None);
            if self.ended {
                self.k = k;
                return;
            }
        }
        panic!("the slot does not end early");
    }

    /// A word into the shadow bank, of the model and of the gates.
    fn write(&mut self, table: usize, word: usize, value: u32) {
        assert!(self.tables.write(table, word, value));
        let bank = !self.tables.banks() >> table & 1;
        if table == PATH {
            self.dut.set_path_we(1);
            self.dut.set_path_addr(bank << 4 | word as u32 >> 4);
            self.dut.set_path_word(word as u32 & 15);
            self.dut.set_path_data(value);
        } else {
            self.dut.set_calendar_we(1);
            self.dut.set_calendar_addr(bank << 13 | word as u32);
            self.dut.set_calendar_data(value);
        }
        self.step(None);
        self.dut.set_path_we(0);
        self.dut.set_calendar_we(0);
    }

    fn path(&mut self, path: usize, set: Path) {
        for (i, value) in set.pack().into_iter().enumerate() {
            if self.tables.read(PATH, PATH_WORDS * path + i) != value {
                self.write(PATH, PATH_WORDS * path + i, value);
            }
        }
    }

    fn entry(&mut self, path: usize, at: usize, entry: CalendarEntry) {
        for (i, value) in entry.pack().into_iter().enumerate() {
            self.write(CALENDAR, CalendarEntry::word(path, at) + i, value);
        }
    }

    fn commit(&mut self, mask: u32) {
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

/// A thousand commits at random moments, with calendars, live budgets and 16 paths, in the shortest slot: a slot that
/// had some of the old and some of the new would differ from the model, which knows only one or the other.
#[test]
fn no_slot_sees_a_mixture_of_old_and_new() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    bench.set_k(10);
    let mut phases = [0; 3];
    while bench.flips < 1000 {
        let mask = random.pick(&[1 << PATH, 1 << CALENDAR, 1 << PATH | 1 << CALENDAR, 1 << FLOW]);
        let changed = random.chance(1, 2);
        for path in 0..PATHS {
            if mask >> PATH & 1 == 1 && (changed || random.chance(1, 3)) {
                let old = bench.tables.path(path);
                let fresh = random.chance(1, 3);
                let near = bench.model.slot().wrapping_add(random.below(12) as u32).wrapping_sub(3);
                let set = Path {
                    mode: random.pick(&[0, 1, 2, 2, 2, 3, 4, 4, 5]),
                    rate: random.u32() >> random.below(20),
                    burst: BURST_MIN + random.below(100_000) as u32,
                    length: if fresh { 1 + random.below(5) as u16 } else { old.length.max(1) },
                    loops: if fresh { random.chance(1, 2) } else { old.loops },
                    start: if fresh { near } else { old.start },
                    peer_on: true,
                    weight: 1,
                    ..Path::default()
                };
                bench.path(path, set);
            }
            if mask >> CALENDAR & 1 == 1 && random.chance(1, 2) {
                let at = random.below(5) as usize;
                let entry = CalendarEntry { budget: random.u32(), slots: 1 + random.below(3) as u32 };
                bench.entry(path, at, entry);
            }
        }
        (0..random.below(1200)).for_each(|_| bench.step(None));
        bench.commit(mask);
        while bench.tables.waiting() != 0 {
            let live = random.chance(1, 50).then(|| (random.below(16) as usize, random.u32() >> random.below(20)));
            bench.step(live);
        }
        for path in 0..PATHS {
            phases[match bench.model.phase(path) {
                Phase::Before => 0,
                Phase::Running(..) => 1,
                Phase::Over => 2,
            }] += 1;
        }
        // Sometimes long enough for calendars to run.
        if random.chance(1, 20) {
            (0..15).for_each(|_| bench.slot());
        }
    }
    println!("{} slots; calendars before, running, over: {phases:?}", bench.model.slot());
    assert!(phases.iter().all(|n| *n > 100));
}

#[test]
fn a_calendar_of_256_entries_runs_and_loops() {
    let mut bench = Bench::new();
    bench.set_k(10);
    for at in 0..256 {
        bench.entry(7, at, CalendarEntry { budget: 1000 + at as u32, slots: 1 });
    }
    let start = bench.model.slot() + 6;
    let set =
        Path { mode: MODE_CALENDAR, rate: 5, burst: BURST_MIN, length: 256, loops: true, start, ..Path::default() };
    bench.path(7, set);
    bench.commit(1 << PATH | 1 << CALENDAR);
    let mut seen = vec![];
    for _ in 0..530 {
        bench.slot();
        seen.push(bench.model.budget(7).rate);
    }
    let from = seen.iter().position(|r| *r == 1000).expect("it starts");
    assert!(seen[from..].iter().zip(0..).all(|(rate, n)| *rate == 1000 + n % 256));
    assert_eq!(bench.model.phase(7), Phase::Running((530 - 1 - from) % 256, 0));
}

#[test]
fn a_slot_has_its_length_and_another_length_ends_it_early() {
    let mut bench = Bench::new();
    for k in [10, 11, 20, 10, 12, 15] {
        bench.step(None);
        bench.set_k(k);
        if k < 20 {
            for _ in 0..3 {
                bench.slot();
                assert_eq!(bench.cycle, 0);
            }
            let before = bench.model.slot();
            (0..1 << k).for_each(|_| bench.step(None));
            assert_eq!(bench.model.slot(), before + 1, "a slot of 2^{k} cycles");
        }
    }
}
