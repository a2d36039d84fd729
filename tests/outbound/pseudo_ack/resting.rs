//! The least time between two frames of a flow.

use super::bench::Bench;
use super::{activate, say, Kind};
use crate::harness::{acknowledgement, Random};
use std::collections::BTreeMap;

/// A flow with news in every cycle speaks once per gap, and each time says the newest.
#[test]
fn a_flow_that_always_has_news_speaks_once_per_gap() {
    let mut random = Random::new();
    for gap in [1u32, 2, 7, 60, 1000] {
        let mut bench = Bench::new();
        bench.set_enable(true);
        activate(&mut bench, &mut random, 11);
        bench.set_pace(gap, 0, 0, 0);
        let (mut times, mut psn) = (Vec::new(), 0);
        for _ in 0..10 * gap.max(60) {
            if bench.waiting() == (0, 0) {
                bench.offer(true, say(Kind::Ack, 11, 1, psn, psn));
                psn += 1;
            }
            bench.step(&mut random);
            for seen in bench.seen.drain(..) {
                let said = acknowledgement(&seen.frame);
                assert!(psn - said.psn < 40, "{} of {psn}", said.psn);
                times.push(bench.cycle);
            }
        }
        let gaps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        println!("gap {gap}: {gaps:?}");
        let most = u64::from(gap) + 20;
        assert!(gaps.len() > 5 && gaps.iter().all(|g| (u64::from(gap)..=most).contains(g)), "{gap}: {gaps:?}");
    }
}

/// What comes while a flow rests is said when it has rested, all in one; and a flow that has rested speaks at once.
#[test]
fn what_comes_while_a_flow_rests_is_said_in_one() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    bench.set_enable(true);
    activate(&mut bench, &mut random, 11);
    bench.set_pace(500, 0, 0, 0);
    let said = |bench: &mut Bench, random: &mut Random, cycles: u32| {
        (0..cycles).for_each(|_| bench.step(random));
        let seen = std::mem::take(&mut bench.seen);
        seen.iter().map(|s| acknowledgement(&s.frame).psn).collect::<Vec<u32>>()
    };
    bench.offer(true, say(Kind::Ack, 11, 1, 0, 0));
    assert_eq!(said(&mut bench, &mut random, 60), [0]);
    for psn in 1..9 {
        bench.offer(true, say(Kind::Ack, 11, 1, psn, psn));
    }
    assert_eq!(said(&mut bench, &mut random, 400), [0u32; 0]);
    assert_eq!(said(&mut bench, &mut random, 100), [8]);
    assert_eq!(said(&mut bench, &mut random, 600), [0u32; 0]);
    assert!(!bench.waits(), "it has rested, with nothing to say");
    bench.offer(true, say(Kind::Ack, 11, 1, 9, 9));
    assert_eq!(said(&mut bench, &mut random, 60), [9]);
}

/// Every flow there is speaks and rests at once, and nobody is lost or speaks too soon, also while the gap changes.
#[test]
fn all_flows_rest_and_all_are_heard_again() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    bench.set_enable(true);
    for flow in 0..4096 {
        activate(&mut bench, &mut random, flow);
    }
    let mut newest = BTreeMap::new();
    let mut last: BTreeMap<u32, u64> = BTreeMap::new();
    for round in 0..4u32 {
        let gap = [20_000, 300, 0, 65_535][round as usize];
        bench.set_pace(gap, 0, 0, 0);
        for psn in 2 * round..2 * round + 2 {
            (0..4096).for_each(|flow| bench.offer(flow % 2 == 0, say(Kind::Confirm, flow, 1, psn, psn)));
        }
        let start = bench.cycle;
        while bench.waiting() != (0, 0) || bench.waits() {
            bench.step(&mut random);
            for seen in bench.seen.drain(..) {
                let said = acknowledgement(&seen.frame);
                newest.insert(said.dest_qp, said.psn);
                if let Some(before) = last.insert(said.dest_qp, bench.cycle).filter(|before| *before > start) {
                    assert!(bench.cycle - before + 64 >= u64::from(gap), "{}: {before}", said.dest_qp);
                }
            }
            assert!(bench.cycle - start < 200_000, "all is said");
        }
        assert!((0..4096).all(|flow| newest.get(&flow) == Some(&(2 * round + 1))), "round {round}");
    }
}
