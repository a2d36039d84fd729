//! The whole law slot by slot, gates against model.

use crate::harness::Random;
use matchrdma_model::forecast::Outlook;
use matchrdma_model::reservoir::{Budget, PathSlot, Reservoir, ReservoirCfg};
use matchrdma_rtl::reservoir::Dut;

const PATHS: usize = 16;
type Seen = [PathSlot; PATHS];

/// Waits until it is ready, and gives up after a slot of 2^12 cycles.
fn until(dut: &mut Dut, is: fn(&Dut) -> u32) -> u32 {
    for cycle in 0..4096 {
        dut.settle();
        if is(dut) == 1 {
            return cycle;
        }
        dut.rise();
    }
    panic!("it hangs");
}

/// Cycles from `go` to `done`: 32 for each bit of the line, which has one at least.
fn takes(line: i64) -> u32 {
    948 + 32 * (64 - line.leading_zeros()).max(1)
}

/// A reset, which may come in the middle of a slot.
fn begin(dut: &mut Dut, random: &mut Random, cfg: ReservoirCfg) -> Reservoir<PATHS> {
    if random.chance(1, 2) {
        dut.set_go(1);
        dut.tick();
        dut.set_go(0);
        (0..random.below(1800)).for_each(|_| dut.tick());
    }
    dut.set_line(cfg.line as u32);
    dut.set_floor(cfg.floor as u32);
    dut.set_capacity(cfg.capacity as u64);
    dut.set_tau(cfg.tau);
    dut.set_rst(1);
    (0..2).for_each(|_| dut.tick());
    dut.set_rst(0);
    until(dut, Dut::ready);
    Reservoir::new(cfg)
}

/// A path's outlook as the law takes it; one that is none has no meaning.
fn outlook(random: &mut Random, seen: &PathSlot) -> [u32; 4] {
    let of = |on: u128, o: Outlook| {
        let fields = [(1, o.ahead as u128), (33, o.sum as u128), (77, o.distance as u128), (89, -o.error as u128)];
        fields.iter().fold(on, |word, (lsb, value)| word | value << lsb)
    };
    let word = match seen.outlook {
        Some(o) => of(1, o),
        None => of(0, draw_outlook(random, u32::MAX.into())),
    };
    std::array::from_fn(|i| (word >> (32 * i)) as u32)
}

fn draw_outlook(random: &mut Random, line: i64) -> Outlook {
    let line = line as u64;
    let ahead = match random.below(8) {
        0 => u32::MAX.into(),
        1 => 0,
        _ => random.below(line + 1),
    };
    let distance = match random.below(4) {
        0 => random.bits(12),
        _ => random.below(200),
    };
    let sum = match random.below(8) {
        0 => random.bits(44),
        1 => 0,
        _ => random.below(line * distance + 1),
    };
    let error = match random.below(4) {
        0 => random.bits(32),
        1 => 0,
        _ => random.below(line / 4 + 1),
    };
    Outlook { ahead: ahead as i64, sum: sum as i64, distance: distance as i64, error: -(error as i64) }
}

/// One slot: its budgets, and the cycles from `go` to `done`.
fn slot(
    random: &mut Random,
    dut: &mut Dut,
    (est, hi): (i64, i64),
    seen: &Seen,
    opened: &[bool; PATHS],
) -> ([Budget; PATHS], u32) {
    let outlooks: [[u32; 4]; PATHS] = std::array::from_fn(|path| outlook(random, &seen[path]));
    let mut looks = 0;
    dut.set_est(est as u32);
    dut.set_hi(hi as u32);
    dut.set_go(1);
    dut.tick();
    dut.set_go(0);
    let (mut out, mut got) = ([Budget::default(); PATHS], 0u32);
    let mut asked = None;
    for cycle in 1..4096 {
        // What a path is like is there in the cycle after it was asked, and in no other.
        let s = asked.map_or(PathSlot { arrived: u64::MAX, ..PathSlot::default() }, |path: usize| seen[path]);
        dut.set_seen_opened(asked.is_none_or(|path: usize| opened[path]).into());
        dut.set_seen_live(s.live.into());
        dut.set_seen_waits((s.waiting > 0).into());
        dut.set_seen_weight(s.weight.into());
        dut.set_seen_arrived(s.arrived);
        dut.set_seen_occupancy(s.occupancy);
        dut.set_seen_echo(s.echo);
        dut.set_outlook(outlooks[looks]);
        dut.settle();
        looks = dut.outlook_path() as usize;
        asked = (dut.asks() == 1).then(|| dut.ask() as usize);
        if dut.budget_valid() == 1 {
            let path = dut.budget_path();
            assert_eq!(u64::from(path), (dut.slot() + u64::from(got)) % 16, "in turn");
            out[path as usize] = Budget { grant: dut.budget_grant(), limit: dut.budget_limit() };
            got += 1;
        }
        if dut.done() == 1 {
            assert_eq!(got, 16);
            dut.rise();
            return (out, cycle);
        }
        dut.rise();
    }
    panic!("it hangs");
}

/// How many, of a name with a default.
fn number(name: &str, or: u64) -> u64 {
    std::env::var(name).map_or(or, |n| n.parse().expect("a number"))
}

fn draw_cfg(random: &mut Random) -> ReservoirCfg {
    let line = match random.below(10) {
        0 => i64::from(u32::MAX),
        1 => random.below(100) as i64,
        2 => 1 + random.below(1 << 26) as i64,
        3 => 1_638_400,
        _ => 100_000 + random.below(31_073) as i64,
    };
    let floor = if random.chance(1, 4) { random.below(line as u64 + 1) as i64 } else { line >> 8 };
    let capacity = match random.below(8) {
        0 => 0,
        1 => (1 << 48) - 1,
        2 => line * random.below(8) as i64,
        _ => line * (8 + random.below(400) as i64),
    };
    ReservoirCfg { line, capacity: capacity.min((1 << 48) - 1), floor, tau: random.below(4) as u32 }
}

/// A world that answers budgets in its own way: loops of all lengths, echoes that are late, repeated, lost.
struct World {
    cfg: ReservoirCfg,
    seen: Seen,
    /// Paths whose far gateway began a new session.
    opened: [bool; PATHS],
    /// Of each path: how many slots its echo lags, and for how many more slots nothing is heard of it.
    lag: [u64; PATHS],
    deaf: [u64; PATHS],
    /// Of each path: the host says what it will drain.
    foreseen: [bool; PATHS],
    granted: [Budget; PATHS],
    est: i64,
    hi: i64,
    /// One of so many paths waits; none ever.
    waiting: u64,
}

impl World {
    fn new(random: &mut Random, cfg: ReservoirCfg) -> Self {
        let mut w = World {
            cfg,
            seen: Seen::default(),
            opened: [false; PATHS],
            lag: [0; PATHS],
            deaf: [0; PATHS],
            foreseen: std::array::from_fn(|_| random.chance(1, 3)),
            granted: [Budget::default(); PATHS],
            est: cfg.line,
            hi: cfg.line,
            waiting: random.pick(&[1, 2, 16, 0]),
        };
        let (most, alive) = (random.pick(&[1, 255, 4]), 1 + random.below(4));
        let reach = random.pick(&[2, 30, 160]);
        for path in 0..PATHS {
            w.seen[path].live = random.chance(alive, 4);
            w.seen[path].weight = random.below(most + 1) as u8;
            w.lag[path] = random.below(reach);
        }
        w
    }

    fn step(&mut self, random: &mut Random, slot: u64) {
        let line = self.cfg.line as u64;
        if random.chance(1, 8) {
            self.est = random.below(line + 1) as i64;
        }
        if random.chance(1, 8) {
            self.est = self.cfg.line;
        }
        self.hi = self.est.max(self.hi - (self.hi >> 5));
        if random.chance(1, 20) {
            self.hi = random.below(line + 1) as i64;
        }
        if random.chance(1, 100) {
            self.waiting = random.pick(&[1, 2, 16, 0]);
        }
        for path in 0..PATHS {
            let s = &mut self.seen[path];
            self.opened[path] = false;
            s.live ^= random.chance(1, 200);
            if random.chance(1, 300) {
                s.weight = random.bits(8) as u8;
            }
            if random.chance(1, 100) {
                self.foreseen[path] = random.chance(1, 2);
            }
            s.outlook = self.foreseen[path].then(|| {
                let mut o = draw_outlook(random, self.cfg.line);
                // mostly the loop as it is
                if random.chance(2, 3) {
                    o.distance = (slot.saturating_sub(s.echo)).min(4095) as i64 + random.below(3) as i64;
                    o.distance = o.distance.min(4095);
                    o.sum = o.sum.min(o.ahead * o.distance);
                }
                o
            });
            s.waiting = u64::from(self.waiting > 0 && random.chance(1, self.waiting));
            // What comes: what was granted, or something else; now and then a great deal.
            let came = match random.below(16) {
                0 => random.below(line * 2 + 1),
                1..=3 => 0,
                4 if random.chance(1, 50) => random.bits(40),
                _ => u64::from(self.granted[path].grant),
            };
            s.arrived += came;
            let held = match random.below(16) {
                0 if random.chance(1, 20) => random.bits(48),
                1..=4 => 0,
                5..=8 => random.below(line * 4 + 1),
                _ => s.occupancy.min(line * 200) / 2 + came,
            };
            s.occupancy = held & ((1 << 48) - 1);
            if self.deaf[path] > 0 {
                self.deaf[path] -= 1;
                continue;
            }
            // A new session: nothing came yet, and what was granted counts no more.
            if random.chance(1, 500) {
                (s.arrived, s.echo, self.opened[path]) = (random.below(line + 1), slot, true);
            }
            // Rarely for so long that the ledger forgets.
            if random.chance(1, 400) {
                self.deaf[path] = random.pick(&[3, 40, 300, 2100, 4200]);
            }
            match random.below(64) {
                0 => s.echo = slot + random.below(2),
                1 => s.echo = slot.saturating_sub(random.below(3000)),
                2..=15 => {}
                _ => s.echo = slot.saturating_sub(self.lag[path] + random.below(3)),
            }
        }
    }
}

/// How often what was said.
#[derive(Debug, Default)]
struct Tally {
    budgets: u64,
    no_room: u64,
    floor: u64,
    line: u64,
    forgotten: u64,
    not_live: u64,
    nobody_waits: u64,
    idle: u64,
    foreseen: u64,
    foreseen_between: u64,
}

#[test]
fn gates_and_model_agree_slot_for_slot() {
    let (slots, seeds) = (number("SLOTS", 30_000), number("SEEDS", 4));
    let mut dut = Dut::new();
    let mut tally = Tally::default();
    for seed in (0..seeds).map(|n| Random::seed() + n) {
        let mut random = Random::seeded(seed);
        let (mut left, mut run) = (slots / seeds, 0);
        while left > 0 {
            // One run per seed is longer than the ledger twice over.
            let length = if run == 0 { 4500 } else { 1 + random.below(300) }.min(left);
            (left, run) = (left - length, run + 1);
            let cfg = draw_cfg(&mut random);
            let mut model = begin(&mut dut, &mut random, cfg);
            let mut world = World::new(&mut random, cfg);
            for n in 0..length {
                world.step(&mut random, n);
                let World { est, hi, seen, opened, .. } = world;
                (0..PATHS).filter(|path| opened[*path]).for_each(|path| model.forget(path));
                let want = model.grant(est, hi, &seen);
                let (found, cycles) = slot(&mut random, &mut dut, (est, hi), &seen, &opened);
                for path in 0..PATHS {
                    assert_eq!(
                        found[path], want[path],
                        "path {path}, slot {n}, run {run} of seed {seed}: {cfg:?} est {est} hi {hi} {:?}",
                        seen[path]
                    );
                }
                assert_eq!(cycles, takes(cfg.line));
                let any = seen.iter().any(|s| s.live && s.waiting > 0);
                for (s, b) in seen.iter().zip(&want) {
                    let loops = n.saturating_sub(s.echo);
                    tally.budgets += 1;
                    tally.no_room += u64::from(s.live && b.limit < s.arrived + u64::from(b.grant));
                    tally.floor += u64::from(s.live && i64::from(b.grant) == cfg.floor);
                    tally.line += u64::from(s.live && i64::from(b.grant) == cfg.line);
                    tally.forgotten += u64::from(s.live && loops > 2047);
                    tally.not_live += u64::from(!s.live);
                    tally.nobody_waits += u64::from(s.live && !any);
                    let foreseen = s.live && s.outlook.is_some() && loops <= 2047;
                    let between = i64::from(b.grant) > cfg.floor && i64::from(b.grant) < cfg.line;
                    tally.foreseen += u64::from(foreseen);
                    tally.foreseen_between += u64::from(foreseen && between);
                    tally.idle += u64::from(s.live && any && s.waiting == 0);
                }
                world.granted = want;
            }
        }
    }
    println!("{tally:?}; {} cycles per slot at 50 bytes per cycle and k = 11", takes(50 << 11));
    let Tally { no_room, floor, line, forgotten, not_live, nobody_waits, idle, budgets, .. } = tally;
    let Tally { foreseen, foreseen_between, .. } = tally;
    for (what, n) in [no_room, floor, line, not_live, nobody_waits, idle, foreseen, foreseen_between].iter().enumerate()
    {
        assert!(n * 100 > budgets, "too few of case {what}");
    }
    assert!(forgotten * 1000 > budgets, "too few echoes beyond the ledger");
    // The shortest slot that may be live has 2^11 cycles; the estimator takes 61 of them.
    assert!(takes(64 << 11) + 61 < 1 << 11);
}
