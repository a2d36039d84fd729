//! A beat in every cycle on both receive sides: nothing is lost, no frame gets a gap.

use super::bench::{watched, Bench};
use matchrdma_sim::load::{self, Acknowledged, Loaded};
use matchrdma_sim::run::keys;
use matchrdma_spec::regs::control;
use matchrdma_spec::regs::counters::*;

const CYCLES: u64 = 100_000;

fn bypass(sizes: &[usize]) {
    let r: Loaded = load::bypass(&mut watched(), sizes, CYCLES);
    println!("{sizes:?}: {r:?}");
    assert!(r.cycles >= CYCLES, "{r:?}: a beat in every cycle, on both sides");
    assert_eq!(r.frames_in, r.frames_out, "{r:?}");
    assert_eq!((r.wrong_beats, r.gaps), ([0, 0], [0, 0]), "{r:?}");
    // The first frame of a larger size makes its own length of pause, once.
    let longest = sizes.iter().map(|s| s.div_ceil(64) as u64).max().unwrap_or(0);
    assert!(r.pauses.iter().all(|p| *p <= longest), "{r:?}");
}

#[test]
fn frames_of_64_bytes_pass_at_a_beat_per_cycle() {
    bypass(&[64]);
}

#[test]
fn frames_of_65_bytes_pass_at_a_beat_per_cycle() {
    bypass(&[65]);
}

#[test]
fn frames_of_256_bytes_pass_at_a_beat_per_cycle() {
    bypass(&[256]);
}

#[test]
fn frames_of_1500_bytes_pass_at_a_beat_per_cycle() {
    bypass(&[1500]);
}

#[test]
fn frames_of_4154_bytes_pass_at_a_beat_per_cycle() {
    bypass(&[4154]);
}

#[test]
fn mixed_frames_pass_at_a_beat_per_cycle() {
    bypass(&[64, 4154, 65, 65, 256, 1500, 64, 64, 129, 60, 9600]);
}

/// Requests of one packet that each ask, a beat per cycle; the other side leaves the pseudo-ACKs their share.
fn active(flows: u32, payload: usize) -> Acknowledged {
    let mut bench = Bench::new();
    bench.install((0..flows).map(keys), 1);
    bench.write(&control::CONTROL, 1);
    let r = load::active(&mut bench.gates, flows, payload, CYCLES, 16);
    println!("{flows} flows, {payload} bytes: {r:?}");
    assert!(r.busy >= CYCLES, "{r:?}: a beat in every cycle");
    assert_eq!((r.forwarded, r.covered, r.others[1]), (r.requests, r.requests, r.others[0]), "{r:?}");
    for counter in COUNTERS.iter().filter(|c| c.name.starts_with("DROP_")) {
        assert_eq!(bench.counter(counter), 0, "{}", counter.name);
    }
    assert_eq!(bench.counter(&NAKS), 0);
    r
}

#[test]
fn sixteen_flows_are_acknowledged_at_a_beat_per_cycle() {
    let r = active(16, 1024);
    assert_eq!(r.acks, r.requests, "so few never wait for their turn twice");
}

#[test]
fn a_thousand_flows_are_acknowledged_at_a_beat_per_cycle() {
    let r = active(1024, 1024);
    assert_eq!(r.acks, r.requests, "each has its own");
}

#[test]
fn short_requests_of_many_flows_are_acknowledged_at_a_beat_per_cycle() {
    // Two beats each: more ACKs are due than the port has room for, so one stands for several.
    let r = active(16, 8);
    assert!(r.acks < r.requests, "{r:?}");
}
