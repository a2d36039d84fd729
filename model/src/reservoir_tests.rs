//! The law in a closed loop of bytes: sources that pace and obey limits, lines with a delay, one port that drains.
//! A tick is a sixteenth of a slot. No packets here: those come with the whole gateways.

use super::*;
use crate::forecast::{Course, Ended, Told};
use crate::rate_estimator::{EstimatorCfg, RateEstimator, Slot};
use matchrdma_spec::regs::entry::CalendarEntry;
use std::collections::VecDeque;

const TICKS: usize = 16;
/// Line, bytes per tick: 100 Gb/s and slots of 131 us.
const LINE: i64 = 102_400;
const SLOT: i64 = LINE * TICKS as i64;

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

struct Source {
    delay: usize,
    weight: u8,
    rate: i64,
    left_over: i64,
    tokens: i64,
    sent: i64,
    limit: i64,
    newest: u64,
    /// Bytes that it offers in a tick; `None`: always more than it may send.
    offer: fn(usize) -> Option<i64>,
    queue: i64,
    /// On the line: bytes, and what it said with them (echo, waiting).
    line: VecDeque<(i64, u64, i64)>,
    /// Budget frames on their way: (tick of arrival, slot, budget).
    budgets: VecDeque<(usize, u64, Budget)>,
}

struct Run {
    drain: Vec<i64>,
    capacity: i64,
    /// Budget frames lost, of 1000, and late by at most so many ticks.
    lost: u64,
    late: u64,
    seed: u64,
    warm: usize,
    /// What the host knows that each slot drains, of path 0.
    calendar: Option<fn(u64) -> i64>,
}

#[derive(Default)]
struct Outcome {
    dropped: i64,
    /// Of what the port could have drained, in 1/10,000.
    utilisation: i64,
    peak: i64,
    mean: i64,
    drained: Vec<i64>,
}

fn source(delay: usize, weight: u8) -> Source {
    Source {
        delay,
        weight,
        rate: 0,
        left_over: 0,
        tokens: 0,
        sent: 0,
        limit: 0,
        newest: 0,
        offer: |_| None,
        queue: 0,
        line: VecDeque::from(vec![(0, 0, 1); delay]),
        budgets: VecDeque::new(),
    }
}

/// log2 of `n`, rounded.
fn log2(n: usize) -> u32 {
    (2 * n * n).max(1).ilog2() / 2
}

fn run<const N: usize>(r: &Run, sources: &mut [Source; N]) -> Outcome {
    let longest = sources.iter().map(|s| 2 * s.delay / TICKS).max().unwrap_or(0) + 1;
    let mut random = Random(r.seed);
    let cfg = EstimatorCfg { line: SLOT, a: 4, p: 4, c: 3, h: log2(13 * longest) };
    let mut estimator = RateEstimator::new(cfg);
    let tau = (log2(longest) as i32 - 3).clamp(1, 3) as u32;
    let mut course = Course::default();
    let mut law = Reservoir::<N>::new(ReservoirCfg { line: SLOT, capacity: r.capacity, floor: SLOT >> 8, tau });
    let mut seen = [PathSlot::default(); N];
    for (s, source) in seen.iter_mut().zip(sources.iter()) {
        *s = PathSlot { live: true, weight: source.weight, waiting: 1, ..PathSlot::default() };
    }
    let mut out = Outcome { drained: vec![0; N], ..Outcome::default() };
    let (mut drained_first, mut drained_slot, mut backlogged, mut could, mut did, mut sum) =
        (0i64, 0i64, 0usize, 0i64, 0i64, 0i64);
    for (now, &drain) in r.drain.iter().enumerate() {
        for (source, seen) in sources.iter_mut().zip(seen.iter_mut()) {
            while source.budgets.front().is_some_and(|b| b.0 <= now) {
                let (_, slot, budget) = source.budgets.pop_front().expect("it is there");
                // Slots start at 0 and stand for their successor here: 0 is "nothing applied yet".
                if slot >= source.newest {
                    source.newest = slot;
                    source.rate = i64::from(budget.grant);
                    source.limit = budget.limit as i64;
                }
            }
            source.queue = match (source.offer)(now) {
                None => 8 << 20,
                Some(bytes) => source.queue + bytes,
            };
            source.left_over += source.rate;
            let gain = source.left_over / TICKS as i64;
            source.left_over -= gain * TICKS as i64;
            source.tokens = (source.tokens + gain).min(gain + 16_384);
            let may = source.tokens.min(LINE).min(source.limit - source.sent).max(0);
            let bytes = source.queue.min(may);
            source.tokens -= bytes;
            source.queue -= bytes;
            source.sent += bytes;
            source.line.push_back((bytes, source.newest, source.queue));
            let (came, echo, waiting) = source.line.pop_front().expect("a line is never empty");
            seen.arrived += came as u64;
            seen.occupancy += came as u64;
            if now % TICKS == 0 {
                (seen.echo, seen.waiting) = (echo, waiting as u64);
            }
        }
        let mut held: i64 = seen.iter().map(|s| s.occupancy as i64).sum();
        if held > r.capacity {
            out.dropped += held - r.capacity;
            seen[0].occupancy = seen[0].occupancy.saturating_sub((held - r.capacity) as u64);
            held = r.capacity;
        }
        let leaves = held.min(drain);
        backlogged += usize::from(held > drain);
        let mut left = leaves;
        for (i, path) in seen.iter_mut().enumerate() {
            let mine = path.occupancy as i64;
            let part = i128::from(leaves) * i128::from(mine) / i128::from(held.max(1));
            let part = if i + 1 == N { left } else { part as i64 }.min(mine).min(left);
            path.occupancy -= part as u64;
            drained_first += if i == 0 { part } else { 0 };
            out.drained[i] += if now >= r.warm { part } else { 0 };
            left -= part;
        }
        drained_slot += leaves - left;
        if now >= r.warm {
            could += drain;
            did += leaves - left;
            let held = held - leaves;
            sum += held;
            out.peak = out.peak.max(held);
        }
        if (now + 1) % TICKS == 0 {
            let full = 8 * backlogged >= 7 * TICKS;
            if let Some(calendar) = r.calendar {
                // Its first entry is of the first slot that begins: 1.
                let entry = |n| CalendarEntry { budget: calendar(n as u64 + 1) as u32, slots: 1 };
                let told = Told { entry: &entry, length: usize::MAX, loops: false, start: 0 };
                let backlogged = full && seen[0].occupancy > 0;
                let ended = Ended { drained: drained_first as u32, backlogged, loops: law.last_loop(0) };
                course.boundary(&told, (now / TICKS) as u32 + 1, &ended, &cfg);
                seen[0].outlook = course.outlook(&told);
            }
            estimator.slot(Slot {
                drained: drained_slot as u32,
                backlogged: full,
                waits: seen.iter().any(|s| s.waiting > 0),
                longest: longest as u32,
                ..Slot::default()
            });
            (drained_first, drained_slot, backlogged) = (0, 0, 0);
            let slot = law.slot();
            let budgets = law.grant(estimator.est(), estimator.hi(), &seen);
            for (source, budget) in sources.iter_mut().zip(budgets) {
                if random.below(1000) >= r.lost {
                    let at = now + 1 + source.delay + if r.late > 0 { random.below(r.late + 1) as usize } else { 0 };
                    let place = source.budgets.iter().position(|b| b.0 > at).unwrap_or(source.budgets.len());
                    source.budgets.insert(place, (at, slot, budget));
                }
            }
        }
    }
    out.mean = sum / (r.drain.len() - r.warm).max(1) as i64;
    out.utilisation = (i128::from(did) * 10_000 / i128::from(could.max(1))) as i64;
    out
}

/// 5 ms one way.
const DELAY: usize = 610;
const BDP: i64 = 2 * DELAY as i64 * LINE;
const PLAIN: Run = Run { drain: vec![], capacity: 4 * BDP, lost: 0, late: 0, seed: 1, warm: 0, calendar: None };

fn alone(drain: Vec<i64>) -> Outcome {
    let warm = 3 * 2 * DELAY;
    run(&Run { drain, warm, ..PLAIN }, &mut [source(DELAY, 1)])
}

#[test]
fn a_drain_that_halves_leaves_no_more_than_what_was_on_its_way() {
    let ticks = 100 * 2 * DELAY;
    let o = alone((0..ticks).map(|t| if t > ticks / 5 { LINE / 2 } else { LINE }).collect());
    let floor = BDP / 2;
    assert!(o.peak <= floor + floor / 20 + 2 * SLOT, "peak {:.3} BDP", o.peak as f64 / BDP as f64);
    assert!(o.utilisation >= 9_970, "{}", o.utilisation);
    assert!(o.mean <= BDP / 10, "mean {:.3} BDP", o.mean as f64 / BDP as f64);
}

#[test]
fn a_drain_that_swings_is_used_and_little_waits() {
    for (period, utilisation) in [(10, 9_700), (20, 9_700), (50, 9_700), (100, 9_700), (400, 9_700)] {
        let half = period * DELAY;
        let o = alone((0..820 * 2 * DELAY).map(|t| if t / half % 2 == 1 { LINE / 2 } else { LINE }).collect());
        assert!(o.utilisation >= utilisation, "period {period} RTT: {}", o.utilisation);
        let floor = BDP / 2;
        assert!(o.peak <= floor + floor / 20 + 2 * SLOT, "period {period}: peak {:.3} BDP", o.peak as f64 / BDP as f64);
        assert!(o.mean <= BDP / 4, "period {period}: mean {:.3} BDP", o.mean as f64 / BDP as f64);
    }
}

/// A drain that jumps at random, now and then to nothing.
fn jumps(random: &mut Random, ticks: usize, rtt: u64) -> Vec<i64> {
    let (mut drain, mut until) = (LINE, 0);
    (0..ticks)
        .map(|t| {
            if t >= until {
                drain = match random.below(4) {
                    0 => LINE,
                    1 => 0,
                    _ => random.below(LINE as u64) as i64,
                };
                let mean = [8, rtt.max(2)][random.below(2) as usize];
                until = t + 1 + random.below(2 * mean) as usize;
            }
            drain
        })
        .collect()
}

#[test]
fn nothing_overflows_while_the_limit_is_obeyed() {
    for seed in 0..200 {
        let mut random = Random(seed);
        let delay = 1 + random.below(150 * TICKS as u64 / 2) as usize;
        let rtt = 2 * delay as u64;
        let ticks = (40 * rtt).clamp(4000, 60_000) as usize;
        let drain = jumps(&mut random, ticks, rtt);
        let capacity = rtt as i64 * LINE + 4 * SLOT;
        for share in [1, 2] {
            let r = Run {
                drain: drain.clone(),
                capacity: capacity / share,
                lost: random.below(201),
                late: random.below(4) * TICKS as u64,
                seed,
                warm: 0,
                calendar: None,
            };
            let o = run(&r, &mut [source(delay, 1)]);
            assert_eq!(o.dropped, 0, "seed {seed}, delay {delay} ticks, capacity 1/{share}");
        }
    }
}

#[test]
fn nothing_overflows_with_several_paths() {
    for seed in 0..100 {
        let mut random = Random(1000 + seed);
        let ends: [(usize, u8); 4] =
            std::array::from_fn(|_| (1 + random.below(60 * TICKS as u64) as usize, 1 + random.below(5) as u8));
        let longest = ends.iter().map(|e| 2 * e.0).max().unwrap();
        let ticks = (40 * longest).clamp(4000, 60_000);
        let drain = jumps(&mut random, ticks, longest as u64);
        let (lost, late) = (random.below(201), random.below(4) * TICKS as u64);
        // Less memory is slower, and loses as little.
        for share in [1, 2, 4] {
            let capacity = (longest as i64 * LINE + 8 * SLOT) / share;
            let r = Run { drain: drain.clone(), capacity, lost, late, seed, warm: 0, calendar: None };
            let o = run(&r, &mut ends.map(|(delay, weight)| source(delay, weight)));
            assert_eq!(o.dropped, 0, "seed {seed}, capacity 1/{share}");
        }
    }
}

#[test]
fn weights_are_kept_also_over_unequal_lines() {
    for (near, far) in [(DELAY / 2, DELAY / 2), (DELAY / 10, DELAY), (DELAY, DELAY / 10)] {
        let ticks = 200 * 2 * DELAY;
        let r = Run { drain: vec![LINE; ticks], warm: ticks / 2, ..PLAIN };
        let o = run(&r, &mut [source(near, 1), source(far, 3)]);
        let all: i64 = o.drained.iter().sum();
        let part = o.drained[0] * 1000 / all;
        assert!((245..=255).contains(&part), "{near} {far}: the first has {part} of 1000");
        assert!(o.utilisation >= 9_900, "{}", o.utilisation);
    }
}

#[test]
fn what_an_idle_path_leaves_goes_to_the_other() {
    let ticks = 200 * 2 * DELAY;
    let r = Run { drain: vec![LINE; ticks], warm: ticks / 2, ..PLAIN };
    let mut sources = [source(DELAY, 1), source(DELAY, 1)];
    sources[0].offer = |_| Some(LINE / 10);
    let o = run(&r, &mut sources);
    let all: i64 = o.drained.iter().sum();
    assert!((o.drained[0] - all / 10).abs() <= all / 100, "{:?}", o.drained);
    assert!(o.utilisation >= 9_900, "{}", o.utilisation);
}

#[test]
fn what_the_calendar_knows_costs_neither_room_nor_time() {
    // Half the line in every other phase of 80 slots, which is 2.6 round trips of 5 ms.
    const PHASE: u64 = 200;
    fn slot_drains(slot: u64) -> i64 {
        if slot / PHASE % 2 == 1 {
            SLOT / 2
        } else {
            SLOT
        }
    }
    let ticks = 40 * PHASE as usize * TICKS;
    let drain: Vec<i64> = (0..ticks).map(|t| slot_drains((t / TICKS) as u64) / TICKS as i64).collect();
    let warm = 4 * PHASE as usize * TICKS;
    let run_with = |calendar| {
        let r = Run { drain: drain.clone(), warm, calendar, ..PLAIN };
        run(&r, &mut [source(DELAY, 1)])
    };
    let told = run_with(Some(slot_drains as fn(u64) -> i64));
    assert!(told.peak <= 2 * SLOT, "peak {:.2} slots", told.peak as f64 / SLOT as f64);
    assert!(told.utilisation >= 9_900, "{}", told.utilisation);
    // One round trip late: it is found out, and no worse than without notice.
    let late = run_with(Some(|slot| slot_drains(slot.saturating_sub(77))));
    let untold = run_with(None);
    assert!(late.peak <= untold.peak + 2 * SLOT, "{} {}", late.peak, untold.peak);
    println!(
        "told {} {}, late {} {}, not told {} {}",
        told.peak, told.utilisation, late.peak, late.utilisation, untold.peak, untold.utilisation
    );
    assert!(late.utilisation + 50 >= untold.utilisation, "{} {}", late.utilisation, untold.utilisation);
}

#[test]
fn a_calendar_that_promises_too_much_is_corrected() {
    let ticks = 60 * 2 * DELAY;
    let r = Run { drain: vec![LINE / 2; ticks], warm: ticks / 2, calendar: Some(|_| SLOT), ..PLAIN };
    let o = run(&r, &mut [source(DELAY, 1)]);
    assert!(o.mean <= BDP / 8 && o.utilisation >= 9_900, "{:.3} BDP, {}", o.mean as f64 / BDP as f64, o.utilisation);
}

const SMALL: ReservoirCfg = ReservoirCfg { line: 1000, capacity: 10_000, floor: 4, tau: 1 };

#[test]
fn a_path_that_has_nothing_to_send_is_not_fed_when_nobody_waits() {
    let mut law = Reservoir::<1>::new(SMALL);
    let full = PathSlot { live: true, weight: 1, arrived: 9_000, occupancy: 9_000, ..PathSlot::default() };
    let grant = |law: &mut Reservoir<1>| law.grant(500, 500, &[full])[0].grant;
    assert_eq!(grant(&mut law), 4, "what it had been sending is no reason to fill the buffer");
}

#[test]
fn an_outlook_stands_in_for_the_share_as_far_as_it_reaches() {
    let mut law = Reservoir::<1>::new(SMALL);
    let mut grant = |occupancy, ahead, sum, distance, error| {
        let outlook = Some(Outlook { ahead, sum, distance, error });
        // Neither the estimate nor who waits counts, and its source has applied nothing yet.
        let seen = [PathSlot { live: true, weight: 1, occupancy, outlook, ..PathSlot::default() }];
        law.grant(100, 900, &seen)[0].grant
    };
    // 250 may wait.
    assert_eq!(grant(0, 800, 0, 0, 0), 800 + 31);
    // 831 under way: 800 drain in the one slot of the loop, all of which lies behind the far end.
    assert_eq!(grant(0, 800, 0, 0, 0), 800 + 27);
    // 1,658 under way and 100 here; of three slots the last, of 400, is beyond the loop: 2 * 800 - 2 * 8 drain.
    assert_eq!(grant(100, 400, 2000, 3, -8), 392 + 9);
    // 2,059 under way; 900 of one slot and twice 1,100 drain; no more than the line.
    assert_eq!(grant(0, 1100, 900, 1, 0), 1000);
    // 3,059 under way: less than the line by an eighth of what is beyond 250, though more than the line is promised.
    assert_eq!(grant(0, 1500, 0, 4, 0), 1000 - 352);
    assert_eq!(grant(6000, 0, 0, 0, -1000), 4, "the floor in any case");
}

#[test]
fn paths_take_turns_at_what_room_there_is() {
    let mut law = Reservoir::<2>::new(ReservoirCfg { capacity: 1_000, ..SMALL });
    let path = PathSlot { live: true, weight: 1, waiting: 1, ..PathSlot::default() };
    // The echo follows at once, so each slot shares out the whole room afresh.
    let limits: Vec<[u64; 2]> = (0..4)
        .map(|slot| {
            let seen = [PathSlot { echo: slot, ..path }; 2];
            law.grant(1000, 1000, &seen).map(|b| b.limit)
        })
        .collect();
    assert_eq!(limits, [[1000, 0], [0, 1000], [1000, 0], [0, 1000]]);
}
