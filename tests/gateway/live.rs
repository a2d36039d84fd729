//! Live budgets on the gates: gateways with lines between them, and a data centre whose drain falls to half, or does what
//! it likes while budget frames are lost and late; sessions that begin anew; the model's rail beside that of the gates.

use super::network;
use super::shadow::{Granted, Shadowed, WEIGHT};
use crate::harness::Random;
use matchrdma_sim::closed_loop::{self, CountFrom, Outcome};
use matchrdma_sim::configure::Host;
use matchrdma_sim::rtl_gateway::RtlGateway;
use matchrdma_sim::run::{schemes, Engine};
use matchrdma_sim::scenario::{Scenario, Scheme, Sender, Source};
use matchrdma_sim::setup;
use matchrdma_spec::wire::budget::Budget;
use std::collections::BTreeSet;

/// The scenario `drain-step`, short and with live budgets alone.
fn scenario() -> Scenario {
    let path = format!("{}/../sim/scenarios/drain-step/scenario.toml", env!("CARGO_MANIFEST_DIR"));
    let mut s = Scenario::read(path.as_ref()).expect("a scenario of the tree");
    (s.round_trips, s.warm_up_round_trips, s.schemes) = (10, 3, vec![Scheme::MatchRdma]);
    s
}

#[test]
fn a_drain_that_falls_fills_what_it_must_and_no_more_on_gates_as_in_the_model() {
    let s = scenario();
    let run = |engine| schemes(&s, engine).expect("it runs").remove(0);
    let (_, model, m) = run(Engine::Model);
    let (_, gates, g) = run(Engine::Rtl);
    let product = s.line.rate_gbps * 1e9 / 8.0 * s.round_trip_cycles() as f64 / s.clock_hz as f64;
    let slot = s.line.rate_gbps * 1e9 / 8.0 * (1u64 << s.slot_log2_cycles) as f64 / s.clock_hz as f64;
    println!(
        "gates {:?} {:.4}, model {:?} {:.4}",
        g.occupancy_bytes, g.drain_utilisation, m.occupancy_bytes, m.drain_utilisation
    );
    for (o, x) in [(&model, &m), (&gates, &g)] {
        assert_eq!((x.dropped_frames, x.dead_flows, o.repeated, o.naks, o.timeouts), (0, 0, 0, 0, 0));
        assert!(x.occupancy_bytes.peak as f64 <= 1.05 * 0.5 * product + 2.0 * slot, "{:?}", x.occupancy_bytes);
        assert!(x.drain_utilisation >= 0.97 && x.budget_overhead > 0.0, "{}", x.drain_utilisation);
    }
    let apart = |a: u64, b: u64| a.abs_diff(b) as f64;
    assert!(apart(g.occupancy_bytes.peak, m.occupancy_bytes.peak) <= slot);
    assert!(apart(g.occupancy_bytes.mean, m.occupancy_bytes.mean) <= slot);
    assert!((g.goodput_bps / m.goodput_bps - 1.0).abs() <= 0.01, "{} {}", g.goodput_bps, m.goodput_bps);
}

/// Payload of a slot, of all paths.
fn placed(o: &Outcome, slot: usize) -> u64 {
    o.slots[slot].iter().map(|x| x.placed_bytes).sum()
}

#[test]
fn gates_that_begin_another_session_are_back_within_two_round_trips() {
    let mut s = scenario();
    (s.destination.drain, s.round_trips) = ("full".into(), 13);
    // The source, then the destination, each while the other knows its old session.
    let restarts = [1600.0, 2600.0];
    s.sources = vec![Source { restart_us: restarts[0], ..Source::at(s.line.one_way_delay_us) }];
    s.destination.restart_us = restarts[1];
    let (_, o, x) = schemes(&s, Engine::Rtl).expect("it runs").remove(0);
    assert_eq!((x.dropped_frames, x.dead_flows, o.repeated, o.naks, o.timeouts), (0, 0, 0, 0, 0));
    for restart in restarts {
        let (restart, trip) = (s.cycles(restart) >> s.slot_log2_cycles, s.round_trip_cycles() >> s.slot_log2_cycles);
        // The budget is here after two, and what is sent on it there half of one later.
        let (restart, back) = (restart as usize, (restart + 5 * trip / 2 + 4) as usize);
        assert!((restart..back).any(|slot| placed(&o, slot) == 0), "the old session is over");
        let (before, after): (u64, u64) = (
            (restart - 8..restart).map(|slot| placed(&o, slot)).sum(),
            (back..back + 8).map(|slot| placed(&o, slot)).sum(),
        );
        println!("{before} bytes in eight slots, then {after}");
        assert!(after * 10 >= before * 9, "{before} {after}");
    }
}

/// One or two short lines, of random lengths; budget frames are lost and late.
fn short_lines(random: &mut Random, paths: u64) -> Scenario {
    let mut s = scenario();
    let slot_us = (1u64 << s.slot_log2_cycles) as f64 * 1e6 / s.clock_hz as f64;
    (s.line.rate_gbps, s.client.rate_gbps, s.warm_up_round_trips) = (50.0, 50.0, 0);
    s.paths[0].budget_gbps = 50.0;
    // Round trips of 2 to 8 slots.
    let delay = |random: &mut Random| (4 + random.below(13)) as f64 / 4.0 * slot_us;
    s.sources = (0..paths).map(|_| Source { weight: 1 + random.below(4) as u8, ..Source::at(delay(random)) }).collect();
    s.senders = (0..paths as usize).map(|source| Sender { source, queue_pairs: 4, ..s.senders[0] }).collect();
    s.destination.drain = random.pick(&["markov:2", "flap:30", "swing:0:3", "noise:0.5:0.4", "step:0.1"]).into();
    let slots = if paths > 1 { 8 } else { 4 };
    s.destination.capacity_kib = (s.product_bytes() + slots * s.line_slot_bytes()) >> 10;
    s.budget_frames.lost_permille = random.below(201);
    s.budget_frames.late_slots = random.below(4);
    s.seed = random.bits(32);
    s
}

/// How many, of a name with a default.
fn number(name: &str, or: u64) -> u64 {
    std::env::var(name).map_or(or, |n| n.parse().expect("a number"))
}

/// Also while hardly any gets through: then the limit holds, not the rate.
#[test]
fn nothing_is_dropped_while_budgets_are_lost_and_late() {
    let mut random = Random::new();
    let runs = number("RUNS", 10);
    for run in 0..runs + 2 {
        let mut s = short_lines(&mut random, 1 + run % 2);
        if run >= runs {
            (s.budget_frames.lost_permille, s.destination.drain) = (900, "flap:100".into());
        }
        let (_, o, x) = schemes(&s, Engine::Rtl).expect("it runs").remove(0);
        let (lost, late) = (s.budget_frames.lost_permille, s.budget_frames.late_slots);
        let (peak, capacity) = (x.occupancy_bytes.peak, s.destination.capacity_kib << 10);
        println!(
            "run {run}: {} path(s), {} cycles of round trip, drain {}, {lost} of 1000 lost, {late} slots late: peak {peak} \
             of {capacity}, drained {:.3}",
            s.source_count(),
            s.round_trip_cycles(),
            s.destination.drain,
            x.drain_utilisation
        );
        assert_eq!((x.dropped_frames, o.repeated, o.naks, o.timeouts), (0, 0, 0, 0), "run {run}");
        assert!(peak > 0 && peak <= capacity, "run {run}: {peak} of {capacity}");
    }
}

/// Slots that are compared at least.
const SLOTS: usize = 380;

/// When a slot ends is not to be seen at the ports, so every cycle is tried in which it may have ended: the law takes more than
/// half a slot here.
///
/// A limit of the network simulator may be higher: what the gates let go while a budget frame was built counts there as not yet
/// arrived until the next one.
#[test]
fn over_a_whole_run_the_gates_grant_slot_for_slot_what_the_model_and_the_network_simulator_grant() {
    let mut s = scenario();
    // Less than what the network simulator's law would count on, so that all have the same.
    s.destination.capacity_kib = 720;
    let (mut near, mut far) = (RtlGateway::new(), Shadowed::new());
    setup::configure(&mut Host::new(&mut near), &s, Scheme::MatchRdma, 0).expect("it is set up");
    setup::configure_destination(&mut Host::new(&mut far), &s).expect("it is set up");
    let (count, from) = (s.round_trips * s.round_trip_cycles(), CountFrom::Active { at_most: 10_000_000 });
    let outcome = closed_loop::run(&s, Scheme::MatchRdma, &mut [&mut near], &mut far, from, count, &mut |_| ());
    network::beside(&s, &outcome.expect("it runs"), &far.told);
    let settings = setup::destination(&s);
    let rail = Shadowed::rail(&settings, &setup::peer(setup::source_site(0), WEIGHT));
    let replay = |end: u64| far.replay(&settings, rail.clone(), network::point(&s).destination(), end);
    let agree = |[rail, net]: &[Granted; 2]| {
        let above = 0..=2 * u64::from(network::frame(&s));
        let same = |b: &Budget| {
            net.iter().any(|g| (g.0, g.1) == (b.slot, b.rate) && above.contains(&g.2.wrapping_sub(b.limit)))
        };
        let all = || far.told.iter().map(|(_, b)| b);
        [all().filter(|b| rail.contains(&(b.slot, b.rate, b.limit))).count(), all().filter(|b| same(b)).count()]
    };
    let (first, slot_cycles) = (far.told[0].0, 1u64 << s.slot_log2_cycles);
    let tried = slot_cycles / 2..slot_cycles;
    let best = tried.map(|back| (agree(&replay(first - back)), back)).max().expect("cycles are tried");
    let rates: BTreeSet<u64> = far.told.iter().map(|(_, b)| b.rate).collect();
    println!("{:?} of {} slots agree, ending {} cycles before their budget has left", best.0, far.told.len(), best.1);
    assert!(best.0 == [far.told.len(); 2] && far.told.len() >= SLOTS && rates.len() > 100, "{} rates", rates.len());
}
