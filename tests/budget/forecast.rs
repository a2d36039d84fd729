//! Forecasts, gates against model, slot by slot.

use super::words::{drive_word, Words};
use crate::harness::Random;
use matchrdma_model::forecast::{Ended, Forecast, Outlook};
use matchrdma_model::rate_estimator::EstimatorCfg;
use matchrdma_rtl::forecast::Dut;
use matchrdma_spec::params::PATHS;
use matchrdma_spec::regs::table::{CALENDAR, FLOW, PATH};
use std::collections::BTreeMap;

/// Cycles of a pass, and the fewest between two boundaries.
const PASS: u64 = 128;
const LEAST: u64 = 130;

/// How many, of a name with a default.
fn number(name: &str, or: u64) -> u64 {
    std::env::var(name).map_or(or, |n| n.parse().expect("a number"))
}

/// The outlook in a port's words.
pub fn outlook(words: [u32; 4]) -> Option<Outlook> {
    let word = words.iter().rev().fold(0u128, |all, word| all << 32 | u128::from(*word));
    let field = |lsb: u32, bits: u32| (word >> lsb & ((1 << bits) - 1)) as i64;
    (field(0, 1) == 1).then(|| Outlook {
        ahead: field(1, 32),
        sum: field(33, 44),
        distance: field(77, 12),
        error: -field(89, 32),
    })
}

struct Bench {
    dut: Dut,
    words: Words,
    model: Forecast,
    constants: EstimatorCfg,
    /// The slot that runs, as RATE counts them.
    slot: u32,
    loops: [u64; PATHS],
    drained: [u32; PATHS],
    here: u16,
    /// What the law sees: it stands while slots are left out.
    shown: [Option<Outlook>; PATHS],
    seen: BTreeMap<&'static str, u64>,
    longest: i64,
}

impl Bench {
    /// After a reset, which may come in the middle of a pass.
    fn begin(mut dut: Dut, random: &mut Random) -> Bench {
        let lines = [1_638_400, 131_072, u32::MAX, random.u32() >> random.below(32)];
        let (line, a, p) = (i64::from(random.pick(&lines)), random.below(7) as u32, random.below(14) as u32);
        let slots = [0, 5, u32::MAX - 20, 1 << 31, random.u32()];
        let slot = random.pick(&slots);
        dut.set_line(line as u32);
        dut.set_a(a);
        dut.set_p(p);
        drive_word!(dut, None);
        dut.set_left_valid(0);
        dut.set_loops_we(0);
        dut.set_banks(0);
        dut.set_set(0);
        dut.set_go(1);
        dut.tick();
        dut.set_go(0);
        (0..random.below(2 * PASS)).for_each(|_| dut.tick());
        dut.set_rst(1);
        (0..2).for_each(|_| dut.tick());
        dut.set_rst(0);
        let mut bench = Bench {
            dut,
            words: Words::new(random),
            model: Forecast::default(),
            constants: EstimatorCfg { line, a, p, c: 0, h: 0 },
            slot,
            loops: [0; PATHS],
            drained: [0; PATHS],
            here: 0,
            shown: [None; PATHS],
            seen: BTreeMap::new(),
            longest: 0,
        };
        bench.fill(random);
        bench
    }

    fn count(&mut self, what: &'static str, n: bool) {
        *self.seen.entry(what).or_default() += u64::from(n);
    }

    /// One cycle, in which a beat may leave.
    fn step(&mut self, random: &mut Random) {
        let left = random.chance(1, 4);
        let (path, bytes) = (random.below(PATHS as u64) as usize, random.bits(9) as u32);
        self.dut.set_left_valid(left.into());
        self.dut.set_left_path(path as u32);
        self.dut.set_left_bytes(bytes);
        self.drained[path] += if left { bytes } else { 0 };
        self.dut.set_here(u32::from(self.here) >> self.dut.visits() & 1);
        self.dut.settle();
        self.dut.rise();
    }

    /// What is on its way into the tables gets there.
    fn fill(&mut self, random: &mut Random) {
        while let Some(word) = self.words.on_their_way.pop_front() {
            drive_word!(self.dut, Some(word));
            self.step(random);
        }
        drive_word!(self.dut, None);
    }

    /// The end of a slot; the commit that waits takes effect. Slots that are left out do not show.
    fn boundary(&mut self, random: &mut Random, shows: bool, backlogged: bool) {
        self.here = random.bits(16) as u16 | random.bits(16) as u16;
        self.dut.set_go(1);
        self.dut.set_shows(shows.into());
        self.dut.set_backlogged(backlogged.into());
        let drained = std::mem::take(&mut self.drained);
        self.step(random);
        self.dut.set_go(0);
        self.dut.set_shows(random.bits(1) as u32);
        self.dut.set_backlogged(random.bits(1) as u32);
        self.words.boundary();
        let banks = self.words.tables.banks();
        self.slot = self.slot.wrapping_add(1);
        self.dut.set_slot(self.slot);
        self.dut.set_banks(banks & 0xf);
        self.dut.set_set(banks >> 8);
        let ended = std::array::from_fn(|path| Ended {
            drained: drained[path],
            backlogged: backlogged && self.here >> path & 1 == 1,
            loops: self.loops[path] as i64,
        });
        let before: [bool; PATHS] = std::array::from_fn(|path| self.model.outlook(path).is_some());
        self.model.boundary(&self.words.tables, self.slot, &ended, &self.constants);
        (0..PASS).for_each(|_| self.step(random));
        for (path, before) in before.into_iter().enumerate() {
            let on = self.model.outlook(path).is_some();
            self.count("begins", on && !before);
            self.count("ends", before && !on);
        }
        if shows {
            self.shown = std::array::from_fn(|path| self.model.outlook(path));
        }
        self.compare(random);
    }

    fn compare(&mut self, random: &mut Random) {
        for path in 0..PATHS {
            self.dut.set_at(path as u32);
            self.step(random);
            self.dut.set_at(random.below(16) as u32);
            self.dut.settle();
            let found = outlook(self.dut.outlook());
            assert_eq!(found, self.shown[path], "path {path} in slot {}, {:?}", self.slot, self.constants);
            if let Some(Outlook { distance, error, .. }) = found {
                self.longest = self.longest.max(distance);
                self.count("on", true);
                self.count("excess", error < 0);
                self.count("behind", (distance as u64) < self.loops[path]);
                self.count("beyond", distance as u64 > self.loops[path]);
            }
        }
    }

    /// The law finds a path's loop.
    fn found(&mut self, random: &mut Random, path: usize, loops: u64) {
        self.loops[path] = loops;
        self.dut.set_loops_we(1);
        self.dut.set_loops_path(path as u32);
        self.dut.set_loops(loops as u32);
        self.step(random);
        self.dut.set_loops_we(0);
        self.dut.set_loops_path(random.below(16) as u32);
        self.dut.set_loops(random.bits(12) as u32);
    }
}

#[test]
fn gates_and_model_agree_slot_for_slot_over_commits_drains_and_loops_that_jump() {
    let mut random = Random::new();
    let slots = number("SLOTS", 24_000);
    let mut dut = Dut::new();
    let mut seen = BTreeMap::<&str, u64>::new();
    let (mut left, mut longest) = (slots, 0);
    while left > 0 {
        // The first run has one commit and the longest loops: `ahead` goes all the way, and comes back.
        let whole = left == slots;
        let length = if whole { 4300 } else { 1 + random.below(900) }.min(left);
        let commits = if whole { u64::MAX } else { random.pick(&[2, 10, 100]) };
        let reach = if whole { 4095 } else { random.pick(&[1, 4, 40, 400, 4095]) };
        left -= length;
        let mut bench = Bench::begin(dut, &mut random);
        let mut doubted = [false; PATHS];
        if whole {
            (bench.constants.line, bench.constants.a, bench.constants.p) = (1_638_400, 2, 4);
            bench.dut.set_line(1_638_400);
            bench.dut.set_a(2);
            bench.dut.set_p(4);
        }
        // What never promises an eighth of the line is never doubted.
        let most = bench.constants.line / if whole { 1 } else { random.pick(&[1, 9, 9]) };
        for n in 0..length {
            if n == 1 || random.chance(1, commits) {
                let (paths, calendars) = (1 << PATH, 1 << CALENDAR);
                let first = if whole { 3 } else { random.pick(&[1, 3]) };
                let mask = if n == 1 { first } else { random.below(4) };
                let mask = [1 << FLOW, paths, calendars, paths | calendars][mask as usize];
                bench.words.draw(&mut random, mask, if n == 1 { 40 } else { 2 }, bench.slot, most);
                for path in (0..PATHS).step_by(2).filter(|_| whole) {
                    let set = bench.words.tables.path(path);
                    let length = set.forecast_length.max(1);
                    bench.words.path(
                        path,
                        matchrdma_spec::regs::entry::Path {
                            forecast_length: length,
                            forecast_loops: true,
                            forecast_start: bench.slot,
                            ..set
                        },
                    );
                }
                bench.fill(&mut random);
                bench.words.commit(mask);
                bench.count("commits", true);
            }
            for path in 0..PATHS {
                let jumps = random.chance(1, 40) && (!whole || n > 4200);
                let loops = match bench.loops[path] {
                    _ if n == 2 && whole => 4095 - path as u64 / 4,
                    _ if n == 2 || jumps => random.below(reach + 1),
                    same => same,
                };
                if loops != bench.loops[path] || random.chance(1, 8) {
                    let more = if random.chance(1, 4) { random.below(3) } else { 0 };
                    bench.found(&mut random, path, (loops + more).min(4095));
                }
            }
            (0..random.below(40) + LEAST - PASS).for_each(|_| bench.step(&mut random));
            let shows = n == 0 || random.chance(7, 8);
            // In the first run, what is doubted in its first slots is trusted again when the doubt is over.
            let backlogged = random.chance(1, 2) && (!whole || n < 60);
            bench.boundary(&mut random, shows, backlogged);
            if whole && n == 100 {
                doubted = std::array::from_fn(|path| bench.model.outlook(path).is_none());
            }
            if whole && n == 2300 {
                let again = (0..PATHS).filter(|&path| doubted[path] && bench.model.outlook(path).is_some()).count();
                bench.seen.insert("trusted again", again as u64);
            }
            bench.count("left out", !shows);
        }
        bench.seen.iter().for_each(|(what, n)| *seen.entry(what).or_default() += n);
        longest = longest.max(bench.longest);
        dut = bench.dut;
    }
    println!("{slots} slots, {longest} slots ahead: {seen:?}");
    assert!(longest == 4095, "{longest}");
    assert!(seen["trusted again"] > 0, "{seen:?}");
    for what in ["on", "excess", "behind", "beyond", "left out", "commits", "begins", "ends"] {
        assert!(seen[what] * 40 >= slots, "too seldom: {what}");
    }
}
