//! `pacer` with its memory: every start against the model, and against the promise: each path its budget, give or take
//! a frame, and nobody held up by another's backlog.

mod rig;

use crate::harness::{Random, Stall};
use matchrdma_model::pacer::{MOST_GAIN, OPEN};
use matchrdma_model::rate_table::Budget;
use matchrdma_spec::params::{PATHS, QUEUES};
use rig::{Line, Rig};

const SIZES: [usize; 6] = [60, 64, 65, 256, 1500, 4154];

fn fixed(rate: u32) -> Budget {
    Budget { open: false, rate, burst: 16384, limited: false }
}

#[test]
fn a_bucket_is_the_sum_of_what_came_and_went() {
    let mut random = Random::new();
    let (mut held_back, mut full, mut emptied) = (0, 0, 0);
    for _ in 0..300 {
        let mut dut = matchrdma_rtl::pacer_bucket::Dut::new();
        dut.set_rst(1);
        dut.tick();
        dut.set_rst(0);
        let most = random.pick(&[1000, 1 << 20, 50 << 20, MOST_GAIN + 1]);
        let often = 1 + random.below(20);
        let deep = random.pick(&[1, 10_000, (1 << 24) - 9623]);
        let mut burst = 9624 + random.below(deep);
        let mut gain = random.below(most);
        let (mut open, mut tokens) = (false, 0i64);
        for _ in 0..2000 {
            if random.chance(1, 500) {
                gain = random.below(most);
                open = random.chance(1, 5);
            }
            if random.chance(1, 50) {
                burst = 9624 + random.below(deep);
            }
            dut.set_gain(gain as u32);
            dut.set_burst(burst as u32);
            dut.set_open(open.into());
            dut.settle();
            let go = open || tokens >= 0;
            assert_eq!(dut.go() == 1, go, "tokens {tokens}");
            let cost = random.pick(&[84, 88, 1524, 9624, 16383 + 255]);
            let start = go && random.chance(1, often);
            dut.set_start(start.into());
            dut.set_cost(cost as u32);
            held_back += u32::from(!go);
            let beyond = (tokens >> 20) - burst as i64;
            full += u32::from(beyond >= 0);
            emptied += u32::from(beyond >= 1024);
            tokens += if beyond >= 0 { 0 } else { gain as i64 } - i64::from(start) * (cost << 20);
            if open || beyond >= 1024 {
                tokens = 0;
            }
            dut.rise();
        }
    }
    assert!(held_back > 10_000 && full > 3000 && emptied > 20, "{held_back} {full} {emptied}");
}

/// Everything at random, every start judged by the model.
#[test]
fn every_start_is_one_that_the_model_allows() {
    let mut random = Random::new();
    let mut starts = 0;
    for run in 0..12 {
        let mut rig = Rig::new(random.pick(&[10, 12, 20]), random.pick(&[0, 24, 255]));
        let sink = random.pick(&[Stall::Never, Stall::Half, Stall::Bursts, Stall::Mostly]);
        let sizes = random.pick(&[&SIZES[..2], &SIZES[..4], &SIZES, &[9600]]);
        println!("run {run}: {sink:?}");
        for cycle in 0..12_000u64 {
            if random.chance(1, 300) || cycle == 0 {
                let line = 64u64 << rig.slot_k;
                let most = random.pick(&[2, line / 100, line / 8, line, 1 << 32]);
                let budget = Budget {
                    open: random.chance(1, 4),
                    rate: random.below(most) as u32,
                    burst: 9624 + random.below(1 << 17) as u32,
                    limited: random.chance(1, 3),
                };
                rig.set_budget(random.below(PATHS as u64) as usize, budget);
            }
            if random.chance(1, 100) {
                let path = random.below(PATHS as u64) as usize;
                let most = random.pick(&[100, 2000, 30_000, 400_000]);
                let limit = rig.model.sent(path).max(rig.limits[path]) + random.below(most);
                rig.write_limit(path, limit);
            }
            if rig.is_between() && random.chance(3, 4) {
                let queue = random.below(QUEUES as u64) as usize;
                rig.feed(queue, random.pick(sizes));
            }
            let ready = sink.goes(cycle, &mut random);
            rig.cycle(ready, &mut random);
        }
        starts += rig.starts;
        // all are let go
        (0..PATHS).for_each(|path| rig.set_budget(path, OPEN));
        rig.drain(&mut random);
    }
    assert!(starts > 10_000, "{starts} starts");
}

/// Over any whole number of slots, from any slot to any later one: how far what was sent is from the budget.
fn spread(totals: &[u64], rate: u32) -> u64 {
    let ahead = |(slot, total): (usize, &u64)| *total as i64 - (slot as i64 + 1) * i64::from(rate);
    let all = totals.iter().enumerate().map(ahead);
    let (least, most) = all.fold((i64::MAX, i64::MIN), |(least, most), a| (least.min(a), most.max(a)));
    (most - least) as u64
}

/// Some paths that are never empty: what each had begun to send by the end of each slot, overheads included.
fn backlog(rates: &[(usize, u32)], slot_k: u8, slots: u64, sizes: &[usize], line: &mut Line) -> Vec<Vec<u64>> {
    let mut random = Random::new();
    let mut rig = Rig::new(slot_k, 24);
    rig.bares = false;
    let most = rates.iter().map(|r| r.1).max().unwrap_or(1).max(1);
    let enough = |rate: u32| 160 + 400 * u64::from(rate) / u64::from(most);
    let mut totals = vec![vec![]; rates.len()];
    let warm = 30_000;
    for cycle in 0..warm + (slots << slot_k) {
        if cycle == warm {
            rates.iter().for_each(|&(path, rate)| rig.set_budget(path, fixed(rate)));
        }
        if cycle == 0 {
            rates.iter().for_each(|&(path, _)| rig.set_budget(path, fixed(0)));
        }
        if rig.is_between() {
            let share = |&&(path, rate): &&(usize, u32)| (rig.held[path] << 20) / enough(rate);
            let next = rates.iter().filter(|&&(path, rate)| rig.held[path] < enough(rate)).min_by_key(share);
            if let Some(&(path, _)) = next {
                rig.feed(path, random.pick(sizes));
            }
        }
        if cycle < warm {
            rig.cycle(true, &mut random);
            if cycle == warm - 1 {
                rig.begun = [0; QUEUES];
            }
            continue;
        }
        let ready = line.ready();
        if let Some(left) = rig.cycle(ready, &mut random) {
            line.sent(left);
        }
        if (cycle - warm + 1).is_multiple_of(1 << slot_k) {
            totals.iter_mut().zip(rates).for_each(|(totals, &(path, _))| totals.push(rig.begun[path]));
        }
        for &(path, _) in rates {
            assert!(rig.waiting(path) > 0, "path {path} is backlogged in cycle {cycle}");
        }
    }
    totals
}

#[test]
fn a_path_alone_sends_its_budget_give_or_take_one_frame() {
    for (rate, slot_k, slots, sizes) in [
        (40_000, 10, 300, &SIZES[..]),
        (49_999, 10, 300, &SIZES[..2]),
        (12_345, 10, 1000, &SIZES[..]),
        (1_234_567, 15, 10, &SIZES[..]),
        (1, 10, 300, &SIZES[..]),
    ] {
        let totals = backlog(&[(7, rate)], slot_k, slots, sizes, &mut Line::new(64));
        let off = spread(&totals[0], rate);
        let longest = sizes.iter().max().map_or(0, |s| *s as u64 + 24);
        println!("rate {rate}: {off} bytes beside the budget, frames of {longest}");
        assert!(off <= longest);
    }
}

/// Rates 1 : 2 : 4 ... : 32768, together 95 % of a line that takes 50 bytes per cycle (100 Gb/s at 250 MHz).
#[test]
fn sixteen_paths_send_their_budgets_at_once() {
    let slots = 1000;
    let line = (50u64 << 11) * 95 / 100;
    let rates: Vec<_> = (0..PATHS).map(|i| (i, ((line << i) / 65_535).max(1) as u32)).collect();
    assert!(rates.iter().map(|r| u64::from(r.1)).sum::<u64>() <= line);
    for sizes in [&SIZES[..], &SIZES[..1]] {
        let totals = backlog(&rates, 11, slots, sizes, &mut Line::new(50));
        let longest = sizes.iter().max().map_or(0, |s| *s as u64 + 24);
        let mut worst = 0;
        for (totals, &(path, rate)) in totals.iter().zip(&rates) {
            let off = spread(totals, rate);
            println!("frames to {longest}, path {path}, rate {rate}: {off} bytes beside the budget");
            worst = worst.max(off);
            let budget = slots * u64::from(rate);
            let error = totals[totals.len() - 1].abs_diff(budget).saturating_sub(PATHS as u64 * longest);
            assert!(error * 1_000_000 < budget, "under 1 ppm: {error} of {budget}");
        }
        assert!(worst <= PATHS as u64 * longest, "{worst}");
    }
}

/// Path 3 may not send, its queue is full; the others do not notice.
#[test]
fn a_backlog_holds_nobody_else_up() {
    let mut random = Random::new();
    let mut rig = Rig::new(10, 24);
    rig.set_budget(3, fixed(0));
    rig.set_budget(4, Budget { limited: true, ..OPEN });
    for cycle in 0..40_000u64 {
        if rig.is_between() {
            let full = (cycle % 3 != 0).then_some(if cycle % 2 == 0 { 3 } else { 4 });
            rig.feed(full.unwrap_or(random.below(QUEUES as u64) as usize), random.pick(&SIZES));
        }
        rig.cycle(true, &mut random);
    }
    assert!(rig.refused[3] > 10 && rig.refused[4] > 10, "{:?}", rig.refused);
    for queue in (0..QUEUES).filter(|q| ![3, 4].contains(q)) {
        assert_eq!(rig.refused[queue], 0, "queue {queue}");
        assert!(rig.longest_wait[queue] < 1500, "queue {queue} waited {} cycles", rig.longest_wait[queue]);
    }
    assert!(rig.model.sent(3) < 10_000 && rig.model.sent(4) == 0);
    rig.set_budget(3, OPEN);
    rig.set_budget(4, OPEN);
    rig.drain(&mut random);
}

/// A one-beat frame in every cycle: seventeen queues in turn, at random, in runs, or few of them.
#[test]
fn a_frame_in_every_cycle_leaves_in_every_cycle() {
    let mut random = Random::new();
    for pattern in 0..6 {
        let mut rig = Rig::new(10, 24);
        rig.bares = false;
        let (mut queue, mut most, mut bubbles) = (0, 0, 0);
        for cycle in 0..60_000u64 {
            queue = match pattern {
                0 => (queue + 1) % QUEUES,
                1 => random.below(QUEUES as u64) as usize,
                2 => (queue + usize::from(random.chance(1, 4))) % QUEUES,
                3 => cycle as usize & 1,
                4 => (cycle as usize >> 5) % 3,
                _ => 16,
            };
            if cycle >= 600 {
                rig.feed(queue, 60 + random.below(5) as usize);
            }
            let left = rig.cycle(true, &mut random);
            most = most.max(rig.held.iter().sum::<u64>());
            bubbles += u32::from(cycle > 2000 && left.is_none());
        }
        println!("pattern {pattern}: at most {most} beats held, {bubbles} cycles without a beat");
        assert_eq!(rig.refused.iter().sum::<u64>(), 0);
        assert!(most < 300, "pattern {pattern}: {most} beats");
        rig.drain(&mut random);
    }
}

#[test]
fn a_frame_alone_is_at_the_head_eleven_cycles_after_its_commit() {
    let mut random = Random::new();
    for queue in [0, 7, 16] {
        let mut rig = Rig::new(10, 24);
        rig.bares = false;
        (0..100).for_each(|_| assert!(rig.cycle(true, &mut random).is_none()));
        rig.feed(queue, 64);
        let left = (0..20).position(|_| rig.cycle(true, &mut random).is_some());
        assert_eq!(left, Some(11), "queue {queue}");
    }
}
