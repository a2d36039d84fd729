//! The budget rail, gates against model: whatever comes from the line, slot for slot.

mod bench;
mod compare;
mod far;

use crate::harness::Random;
use bench::{Bench, Work, PATHS};
use far::Far;
use matchrdma_model::budget_rail::RailCfg;
use matchrdma_model::budget_rx::{BudgetCfg, Peer};
use matchrdma_model::rate_estimator::EstimatorCfg;
use matchrdma_model::reservoir::ReservoirCfg;
use matchrdma_rtl::budget_rail::Dut;
use matchrdma_spec::heard::HEARD;
use matchrdma_spec::regs::law;
use matchrdma_spec::regs::table::{CALENDAR, PATH};
use matchrdma_spec::wire::budget::ZERO_KEY;
use std::collections::BTreeMap;

/// How many, of a name with a default.
fn number(name: &str, or: u64) -> u64 {
    std::env::var(name).map_or(or, |n| n.parse().expect("a number"))
}

fn constants(random: &mut Random, line: u32) -> (EstimatorCfg, ReservoirCfg) {
    let shift = |random: &mut Random, most: u64| 1 + random.below(most) as u32;
    let line = i64::from(line);
    let estimator =
        EstimatorCfg { line, a: shift(random, 6), p: shift(random, 6), c: shift(random, 5), h: shift(random, 11) };
    let capacity = match random.below(8) {
        0 => 0,
        1 => (1 << 48) - 1,
        2 => line * random.below(8) as i64,
        _ => line * (8 + random.below(400) as i64),
    };
    let floor = if random.chance(1, 4) { random.below(line as u64 + 1) as i64 } else { line >> 8 };
    (estimator, ReservoirCfg { line, capacity, floor, tau: random.below(4) as u32 })
}

fn setting(random: &mut Random) -> RailCfg {
    let slot_ps = random.pick(&[4_096_000, 6_355_006, 131_072_000, 101_680_097]);
    let (from_wire, to_wire) = law::factors(slot_ps);
    let bits = random.pick(&[1, 8, 17, 17, 17, 27]);
    let line = 1 + random.bits(bits) as u32;
    let (estimator, law) = constants(random, line);
    let budget = BudgetCfg {
        site: random.bits(16) as u16,
        session: 1 + random.bits(20) as u32,
        line,
        floor: law.floor as u32,
        from_wire,
        to_wire,
        slot_ps,
        clock_hz: random.u32(),
        capabilities: random.u32(),
        lease: random.bits(16) as u16,
    };
    RailCfg { budget, estimator, law, addresses: (random.bits(48), random.bits(48)) }
}

/// The lines, and what is on them.
struct World {
    fars: [Far; PATHS],
    /// Frames that come late, with the cycle; all that were ever sent, or some of them.
    late: Vec<(u64, Vec<u8>)>,
    past: Vec<Vec<u8>>,
    /// One of so many sources waits.
    busy: u64,
    /// The port drains up to so many eighths of its line.
    drain: u64,
    /// Our session stays, so that loops may grow long.
    calm: bool,
}

impl World {
    fn frame(&mut self, random: &mut Random, bench: &mut Bench) {
        let path = random.below(PATHS as u64) as usize;
        let said = *bench.model.said(path);
        let slot = bench.model.slot_number();
        self.fars[path].waits = self.busy > 0 && random.chance(1, self.busy);
        let frame = self.fars[path].frame(random, &bench.cfg, &bench.peers[path], &said, slot);
        if self.past.len() < 64 {
            self.past.push(frame.clone());
        } else {
            self.past[random.below(64) as usize] = frame.clone();
        }
        match random.below(40) {
            0..=1 => *bench.seen.entry("lost").or_default() += 1,
            2..=5 => self.late.push((bench.cycle + random.below(6000), frame)),
            6 => {
                self.late.push((bench.cycle + random.below(500), frame.clone()));
                bench.frame(random, frame, false);
            }
            7 => {
                let old = random.pick(&self.past);
                bench.frame(random, old, false);
            }
            8 if random.chance(1, 4) => bench.frame(random, frame, true),
            _ => bench.frame(random, frame, false),
        }
    }

    /// One cycle or some, in which anything may happen that does not hurt the comparison.
    fn live(&mut self, random: &mut Random, bench: &mut Bench) {
        let path = random.below(PATHS as u64) as usize;
        match random.below(600) {
            0..=5 if bench.pending() < 12 => self.frame(random, bench),
            6..=35 if !bench.frozen() => {
                let bytes = random.bits(14) as u32;
                self.fars[path].sent += u64::from(bytes);
                // some of it is lost on the line
                if random.chance(1, 30) {
                    self.fars[path].sent += random.bits(16);
                }
                bench.came(random, path, bytes);
            }
            36..=60 => {
                bench.sent[path] += random.bits(14);
                bench.waiting[path] = random.bits(40);
                bench.step(random);
            }
            _ => bench.step(random),
        }
        if let Some(due) = self.late.iter().position(|(when, _)| *when < bench.cycle) {
            if bench.pending() < 12 {
                let (_, frame) = self.late.swap_remove(due);
                bench.frame(random, frame, false);
            }
        }
    }

    /// Between two slots.
    fn changes(&mut self, random: &mut Random, bench: &mut Bench) {
        let line = u64::from(bench.cfg.budget.line);
        if random.chance(1, 10) {
            // whose a frame is is found when it comes
            while bench.pending() > 0 {
                bench.step(random);
            }
            let path = random.below(PATHS as u64) as usize;
            let peer = Peer { on: path == 3 || path == 9 || random.chance(3, 4), ..bench.peers[path] };
            let weight = random.bits(8) as u8;
            bench.peer(random, path, peer, weight);
        }
        if random.chance(1, 150) {
            let (estimator, law) = constants(random, line as u32);
            let budget = BudgetCfg { floor: law.floor as u32, ..bench.cfg.budget };
            let cfg = RailCfg { estimator, law, budget, ..bench.cfg };
            bench.constants(cfg);
        }
        if !self.calm && random.chance(1, 60) {
            while bench.pending() > 0 {
                bench.step(random);
            }
            let session = if random.chance(1, 8) { 0 } else { random.bits(20) as u32 };
            bench.session(random, session);
        }
        if random.chance(1, 12) {
            let mask = random.pick(&[1 << PATH, 1 << CALENDAR, 1 << PATH | 1 << CALENDAR]);
            let entries = if bench.words.tables.is_set(CALENDAR) { 2 } else { 40 };
            bench.words.draw(random, mask, entries, bench.rate_slot, line as i64);
            bench.fill(random);
            bench.words.commit(mask);
        }
        let port = &mut bench.port;
        if random.chance(1, 40) {
            self.drain = random.pick(&[1, 2, 8, 16]);
        }
        port.drained = random.below(line * self.drain / 8 + 1).min(u32::MAX.into()) as u32;
        port.other = if random.chance(1, 2) { 0 } else { random.below(line + 1) as u32 };
        port.backlogged = random.chance(1, 2);
        port.cnp = random.chance(1, 40);
        port.stray = if random.chance(3, 4) { 0 } else { random.below(line * 40 + 1) };
        if random.chance(1, 100) {
            self.busy = random.pick(&[1, 2, 16, 0]);
        }
        for path in 0..PATHS {
            port.occupancy[path] = match random.below(16) {
                0 if random.chance(1, 20) => random.bits(48),
                1..=6 => 0,
                _ => random.below(line * 4 + 1),
            };
        }
    }
}

#[test]
fn gates_and_model_agree_slot_for_slot_whatever_comes_from_the_line() {
    let mut random = Random::new();
    let slots = number("SLOTS", 4000);
    let mut dut = Dut::new();
    let mut seen = BTreeMap::<&str, u64>::new();
    let mut left = slots;
    while left > 0 {
        // the first run is longer than the ledger, in a long test twice over
        let length = if left < slots {
            200 + random.below(1800)
        } else if slots < 20_000 {
            2300
        } else {
            4600
        };
        let length = length.min(left);
        left -= length;
        let cfg = setting(&mut random);
        let mut bench = Bench::begin(dut, cfg, &mut random);
        let fars = std::array::from_fn(|_| Far::new(&mut random));
        let mut world = World { fars, late: vec![], past: vec![], busy: 2, drain: 16, calm: left + length == slots };
        for path in 0..PATHS {
            let key = if random.chance(1, 4) { ZERO_KEY } else { random.bytes(16).try_into().unwrap() };
            let on = path == 3 || path == 9 || random.chance(7, 8);
            let peer = Peer { on, site: (path as u16) << 8 | random.bits(8) as u16, key };
            let weight = random.bits(8) as u8;
            bench.peer(&mut random, path, peer, weight);
        }
        (0..70).for_each(|_| bench.step(&mut random));
        for _ in 0..length {
            world.changes(&mut random, &mut bench);
            let pause = random.pick(&[0, 1, 30, 300]);
            (0..random.below(pause + 1)).for_each(|_| world.live(&mut random, &mut bench));
            bench.boundary(&mut random);
            let mut over = random.chance(1, 6).then(|| bench.cycle + 350 + random.below(700));
            while bench.work != Work::None {
                match over {
                    // the law has the loops, and no frame waits to be heard
                    Some(when) if bench.cycle > when && bench.work == Work::Law => {
                        while bench.pending() > 0 && bench.work == Work::Law {
                            bench.step(&mut random);
                        }
                        if bench.work == Work::Law {
                            bench.leave_out(&mut random);
                        }
                        over = None;
                    }
                    _ => world.live(&mut random, &mut bench),
                }
            }
        }
        assert_eq!(bench.late, bench.left_out);
        bench.seen.iter().for_each(|(what, n)| *seen.entry(what).or_default() += n);
        dut = bench.dut;
    }
    println!("{seen:?}");
    assert_eq!(seen["slots"], slots);
    let often = [
        "lapse",
        "free",
        "our session",
        "told hello",
        "opened while the law works",
        "told of the slot before",
        "nobody waits",
        "one that takes no part waits",
        "left out",
    ];
    for what in HEARD.iter().map(|heard| heard.name).chain(often) {
        assert!(seen[what] * 400 >= slots, "too seldom: {what}");
    }
    assert!(seen["live"] > 4 * slots && seen["told"] > 8 * slots);
    assert!(seen["foreseen"] > 4 * slots);
}

#[test]
fn a_slot_that_ends_too_early_is_left_out_and_so_are_frames_that_nobody_takes() {
    let mut random = Random::new();
    let cfg = setting(&mut random);
    let mut bench = Bench::begin(Dut::new(), cfg, &mut random);
    for path in 0..PATHS {
        let peer = Peer { on: true, site: path as u16, key: random.bytes(16).try_into().unwrap() };
        bench.peer(&mut random, path, peer, 1);
    }
    (0..70).for_each(|_| bench.step(&mut random));
    let mut late = 0;
    for n in 0..60 {
        bench.blocked = n % 3 != 0;
        bench.boundary(&mut random);
        for wait in [random.below(90), 100, random.below(600)] {
            (0..wait).for_each(|_| bench.step(&mut random));
            if random.chance(1, 2) {
                // another boundary: the slot that is at work knows nothing of it
                bench.model.boundary();
                bench.dut.set_boundary(1);
                bench.step(&mut random);
                bench.dut.set_boundary(0);
                bench.step(&mut random);
                late += 1;
                assert_eq!(bench.late, late);
            }
        }
        while bench.work != Work::None {
            bench.step(&mut random);
        }
        (0..3).for_each(|_| bench.step(&mut random));
        // the round of the slot before was not over
        late += u32::from(n % 3 == 2);
        assert_eq!(bench.late, late, "slot {n}");
        if n % 3 != 1 {
            bench.blocked = false;
            (0..1200).for_each(|_| bench.step(&mut random));
        }
    }
}
