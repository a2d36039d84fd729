//! Live budgets between gateways of the model: each scenario of theirs keeps what its README says.
//!
//! `DRAINS=all` runs the whole list of periods, which takes some ten minutes.

use super::*;
use crate::scenario::Source;
use crate::setup;
use matchrdma_spec::params::{LEASE_SLOTS, PATHS, SLOT_K_DEFAULT};

fn scenario(name: &str) -> Scenario {
    let path = format!("{}/scenarios/{name}/scenario.toml", env!("CARGO_MANIFEST_DIR"));
    Scenario::read(path.as_ref()).expect("a scenario of the tree")
}

struct Ran {
    s: Scenario,
    runs: Vec<(Scheme, Outcome, SchemeSummary)>,
}

impl Ran {
    fn new(name: &str, kinds: &[Scheme]) -> Ran {
        Ran::changed(name, kinds, |_| ())
    }

    /// A scenario of the tree that is changed before.
    fn changed(name: &str, kinds: &[Scheme], change: impl Fn(&mut Scenario)) -> Ran {
        let mut s = scenario(name);
        s.schemes.retain(|kind| kinds.contains(kind));
        assert_eq!(s.schemes.len(), kinds.len());
        change(&mut s);
        s.check().expect("a scenario");
        let runs = schemes(&s, Engine::Model).expect("it runs");
        for (kind, outcome, summary) in &runs {
            let broken = (summary.dropped_frames, outcome.repeated, outcome.naks, outcome.timeouts, summary.dead_flows);
            assert_eq!(broken, (0, 0, 0, 0, 0), "{name}, {}", kind.name());
        }
        Ran { s, runs }
    }

    fn of(&self, kind: Scheme) -> (&Outcome, &SchemeSummary) {
        let run = self.runs.iter().find(|run| run.0 == kind).expect("it was run");
        (&run.1, &run.2)
    }

    /// Slots of a round trip.
    fn round_trip(&self) -> usize {
        (self.s.round_trip_cycles() >> self.s.slot_log2_cycles) as usize
    }

    /// Payload of a class per slot, mean over some slots, of what the port could drain.
    fn share(&self, class: usize, from: usize, slots: usize) -> f64 {
        let o = self.of(Scheme::MatchRdma).0;
        let placed: u64 = o.slots[from..from + slots].iter().map(|x| x[class].placed_bytes).sum();
        placed as f64 / slots as f64 / (f64::from(setup::destination(&self.s).line()) * 4096.0 / 4178.0)
    }

    /// Against a destination that stops its sources at a threshold of a bandwidth-delay product.
    fn beats_far_pfc(&self, to: f64) {
        let (far, live) = (self.of(Scheme::PseudoAckFarPfc).1, self.of(Scheme::MatchRdma).1);
        let (product, slot) = (self.s.product_bytes() as f64, self.s.line_slot_bytes() as f64);
        let saved = 1.0 - live.occupancy_bytes.mean as f64 / far.occupancy_bytes.mean as f64;
        let bound = 1.05 * (1.0 - to) * product + 2.0 * slot;
        println!(
            "{}: mean {} of {} bytes ({:.1} % less), peak {} of at most {bound:.0}, drained {:.2} %",
            self.s.destination.drain,
            live.occupancy_bytes.mean,
            far.occupancy_bytes.mean,
            saved * 100.0,
            live.occupancy_bytes.peak,
            live.drain_utilisation * 100.0,
        );
        assert!(saved >= 0.627 && live.occupancy_bytes.peak as f64 <= bound);
        assert!(live.drain_utilisation >= 0.97 && far.drain_utilisation >= 0.97);
    }
}

const BOTH: [Scheme; 2] = [Scheme::PseudoAckFarPfc, Scheme::MatchRdma];

#[test]
fn a_drain_that_falls_to_half_fills_little() {
    Ran::new("drain-step", &BOTH).beats_far_pfc(0.5);
}

#[test]
fn a_drain_that_swings_is_used_with_other_clocks_too() {
    let equal = Ran::new("drain-periodic", &BOTH);
    equal.beats_far_pfc(0.5);
    let other = Ran::new("unequal-clocks", &[Scheme::MatchRdma]);
    let (equal, other) = (equal.of(Scheme::MatchRdma).1, other.of(Scheme::MatchRdma).1);
    let apart = other.drain_utilisation - equal.drain_utilisation;
    println!("drained {:.4} and {:.4}", equal.drain_utilisation, other.drain_utilisation);
    assert!(apart.abs() <= 0.01, "{apart}");
    assert!(other.occupancy_bytes.mean <= equal.occupancy_bytes.mean + other.slot_bytes);
}

#[test]
fn a_drain_of_any_period_is_used_and_little_waits() {
    let all = std::env::var("DRAINS").is_ok_and(|drains| drains == "all");
    for period in if all { &[10, 20, 50, 100, 400][..] } else { &[10] } {
        let periods = |s: &mut Scenario| {
            s.destination.drain = format!("swing:0.5:{period}");
            s.round_trips = (2 * period).max(80);
        };
        Ran::changed("drain-periodic", &BOTH, periods).beats_far_pfc(0.5);
    }
}

#[test]
fn two_sources_share_by_weight_also_over_lines_of_other_lengths() {
    for (name, near_first) in [("incast-gateways", true), ("incast-unequal", true), ("incast-unequal", false)] {
        let ran = Ran::changed(name, &[Scheme::MatchRdma], |s| {
            if !near_first {
                let (near, far) = (s.sources[0].one_way_delay_us, s.sources[1].one_way_delay_us);
                (s.sources[0].one_way_delay_us, s.sources[1].one_way_delay_us) = (far, near);
            }
        });
        let settled = 20 * ran.round_trip();
        let shares = [0, 1].map(|class| ran.share(class, settled, 40 * ran.round_trip()));
        let used = ran.of(Scheme::MatchRdma).1.drain_utilisation;
        println!("{name}: {shares:?}, drained {used:.4}");
        assert!((shares[0] / 0.25 - 1.0).abs() <= 0.02 && (shares[1] / 0.75 - 1.0).abs() <= 0.02, "{shares:?}");
        assert!(used >= 0.99, "{used}");
    }
}

#[test]
fn sixteen_far_gateways_are_told_for_less_than_fifteen_parts_in_ten_thousand() {
    let mut s = scenario("incast-gateways");
    (s.line.rate_gbps, s.client.rate_gbps) = (100.0, 100.0);
    (s.slot_log2_cycles, s.round_trips, s.warm_up_round_trips) = (SLOT_K_DEFAULT, 16, 0);
    assert_eq!(16 * s.round_trip_cycles() % (1 << SLOT_K_DEFAULT), 0, "whole slots");
    s.sources = vec![s.sources[0]; PATHS];
    s.senders = (0..PATHS).map(|source| Sender { source, queue_pairs: 1, ..s.senders[0] }).collect();
    s.check().expect("a scenario");
    let (_, o, summary) = schemes(&s, Engine::Model).expect("it runs").remove(0);
    assert_eq!((summary.dropped_frames, o.naks), (0, 0));
    // Each has heard budgets: it sends. The memory holds less than a slot, so they take turns.
    let placed: Vec<u64> = (0..PATHS).map(|class| o.slots.iter().map(|slot| slot[class].placed_bytes).sum()).collect();
    assert!(placed.iter().all(|bytes| *bytes > 1 << 19), "{placed:?}");
    println!("budget frames take {:.4} % of a line", summary.budget_overhead * 100.0);
    assert!((0.0014..0.0015).contains(&summary.budget_overhead), "{}", summary.budget_overhead);
}

/// The other end hears of the new session, and we of its answer; then budgets: two round trips, and what is then sent
/// comes half of one later.
#[test]
fn a_gateway_that_begins_another_session_is_back_within_two_round_trips() {
    for (at_source, at_destination) in [(true, false), (false, true), (true, true)] {
        let ran = Ran::changed("drain-step", &[Scheme::MatchRdma], |s| {
            (s.round_trips, s.destination.drain) = (30, "full".into());
            s.sources = vec![Source::at(s.line.one_way_delay_us)];
            s.sources[0].restart_us = if at_source { 5000.0 } else { 0.0 };
            s.destination.restart_us = if at_destination { 5000.0 } else { 0.0 };
        });
        let (trip, restart) = (ran.round_trip(), (ran.s.cycles(5000.0) >> ran.s.slot_log2_cycles) as usize);
        let back = restart + 5 * trip / 2 + 4;
        let (before, after) = (ran.share(0, restart - trip, trip), ran.share(0, back, trip));
        println!("source {at_source}, destination {at_destination}: {before:.3}, {after:.3}");
        assert!((restart..back).any(|slot| ran.share(0, slot, 1) == 0.0), "the old session is over");
        assert!(before >= 0.98 && after >= 0.9, "{before} {after}");
    }
}

#[test]
fn a_data_centre_that_drains_at_random_stops_by_pfc_or_complains_loses_nothing() {
    let random = [("markov:2", 0.0), ("noise:0.5:0.2", 0.0), ("flap:100", 0.0), ("swing:0.5:20", 500.0)];
    for (drain, cnp_every_us) in random {
        let ran = Ran::changed("drain-random", &[Scheme::MatchRdma], |s| {
            (s.destination.drain, s.destination.cnp_every_us) = (drain.into(), cnp_every_us);
            s.round_trips = 40;
            s.destination.capacity_kib = (s.product_bytes() + 4 * s.line_slot_bytes()) >> 10;
        });
        let (o, summary) = ran.of(Scheme::MatchRdma);
        let (peak, used) = (summary.occupancy_bytes.peak, summary.drain_utilisation);
        println!("{drain}: peak {peak}, drained {used:.4}, said {:?}, {} CNPs", o.data_centre, o.cnps);
        assert!(peak <= ran.s.destination.capacity_kib << 10 && used >= 0.8, "{drain}: {peak} {used}");
        assert_eq!((o.data_centre[0] > 0, o.data_centre[1] > 30), (cnp_every_us > 0.0, drain.starts_with("flap")));
        // All went on to the senders, but for those on their way.
        assert!(o.cnps + 2 >= o.data_centre[0], "{} of {}", o.cnps, o.data_centre[0]);
    }
}

#[test]
fn an_idle_sources_share_goes_to_the_other_and_comes_back() {
    let ran = Ran::new("idle-burst", &[Scheme::MatchRdma]);
    let (o, trip) = (ran.of(Scheme::MatchRdma).0, ran.round_trip());
    let slot = |us: f64| (ran.s.cycles(us) >> ran.s.slot_log2_cycles) as usize;
    let (from, until) = (slot(ran.s.senders[1].idle_from_us), slot(ran.s.senders[1].idle_until_us));
    // When nothing waits there any more, and when something does again.
    let empty = (from..until).find(|&i| o.slots[i][1].near_bytes == 0).expect("it runs dry");
    let again = (until..).find(|&i| o.slots[i][1].near_bytes > 0).expect("it begins again");
    let gained = ran.share(0, empty + 2 * trip, 10 * trip);
    let (soon, later) = (ran.share(1, again + 7 * trip / 4, trip / 4), ran.share(1, again + 2 * trip, 8 * trip));
    println!("dry at {empty}, the other gains {gained:.3}; again at {again}, back at {soon:.3}, then {later:.3}");
    assert!(gained >= 0.97 && soon >= 0.75 * 0.95 && (later / 0.75 - 1.0).abs() <= 0.05, "{gained} {soon} {later}");
}

#[test]
fn an_outage_ends_at_the_floor_and_is_over_a_round_trip_after_the_first_good_frame() {
    let ran = Ran::new("lease-loss", &[Scheme::MatchRdma]);
    let (trip, line) = (ran.round_trip(), f64::from(setup::destination(&ran.s).line()));
    let slot = |us: f64| (ran.s.cycles(us) >> ran.s.slot_log2_cycles) as usize;
    let (from, until) = (slot(ran.s.budget_frames.outage_from_us), slot(ran.s.budget_frames.outage_until_us));
    // The last frame of before arrives half a round trip later, and so does what is sent then.
    let floor = from + trip + LEASE_SLOTS as usize + 16;
    let (low, high) = (ran.share(0, floor + 1, until - floor - 1), ran.share(0, until + trip / 2 + trip, trip));
    println!("floor {:.0} bytes per slot, recovered to {high:.3}", low * line);
    let floor = f64::from(setup::source(&ran.s, 0).line() >> 8);
    assert!((0.5..=2.0).contains(&(low * line / floor)), "{} of {floor}", low * line);
    assert!(high >= 0.9, "{high}");
}

const TOLD: [Scheme; 2] = [Scheme::MatchRdmaCalendar, Scheme::MatchRdmaCalendarBoth];

/// What is told of the drain, so many slots late, to one end or to both.
fn told(kind: Scheme, late_slots: f64) -> SchemeSummary {
    let mut s = scenario("calendar-gateways");
    s.schemes.retain(|scheme| *scheme == kind);
    s.destination.calendar_late_slots = late_slots;
    let (_, outcome, summary) = schemes(&s, Engine::Model).expect("it runs").remove(0);
    let o = summary.occupancy_bytes;
    println!(
        "{} {late_slots} slots late: peak {} bytes, mean {}, drained {:.4}, {} ACKs",
        kind.name(),
        o.peak,
        o.mean,
        summary.drain_utilisation,
        outcome.acks
    );
    assert_eq!((summary.dropped_frames, outcome.repeated, outcome.timeouts, summary.dead_flows), (0, 0, 0, 0));
    summary
}

#[test]
fn a_drain_that_is_told_beforehand_to_a_quarter_slot_is_used_and_next_to_nothing_waits() {
    for kind in TOLD {
        for late_slots in [0.0, 0.25, -0.25] {
            let told = told(kind, late_slots);
            assert!(told.occupancy_bytes.peak <= 2 * told.slot_bytes, "{late_slots}: {}", told.occupancy_bytes.peak);
            assert!(told.drain_utilisation >= 0.99, "{late_slots}: {}", told.drain_utilisation);
        }
    }
}

#[test]
fn a_drain_that_is_told_a_round_trip_late_is_no_worse_than_one_that_is_not_told() {
    let ran = Ran::new("calendar-gateways", &[Scheme::MatchRdma]);
    let untold = ran.of(Scheme::MatchRdma).1;
    println!("not told: {:?}, drained {:.4}", untold.occupancy_bytes, untold.drain_utilisation);
    for kind in TOLD {
        let late = told(kind, ran.round_trip() as f64);
        assert!(late.occupancy_bytes.peak <= untold.occupancy_bytes.peak);
        assert!(late.occupancy_bytes.mean <= untold.occupancy_bytes.mean);
        // It is found out in the warm-up, and set aside; what the sources add is the reserve's to make up for.
        assert!(late.drain_utilisation >= untold.drain_utilisation - 0.005, "{}", late.drain_utilisation);
    }
}

/// A calendar of the source holds whatever becomes of budgets: what waits stays under a slot when many are lost.
#[test]
fn calendars_at_both_ends_keep_less_waiting_when_budget_frames_are_lost() {
    let peak = |kind| {
        let mut s = scenario("calendar-gateways");
        s.schemes.retain(|scheme| *scheme == kind);
        s.budget_frames.lost_permille = 200;
        let (_, _, summary) = schemes(&s, Engine::Model).expect("it runs").remove(0);
        println!("{}: {:?}, {:.4}", kind.name(), summary.occupancy_bytes, summary.drain_utilisation);
        assert!(summary.dropped_frames == 0 && summary.drain_utilisation >= 0.98);
        (summary.occupancy_bytes.peak, summary.slot_bytes)
    };
    let ((one, _), (both, slot)) = (peak(Scheme::MatchRdmaCalendar), peak(Scheme::MatchRdmaCalendarBoth));
    assert!(both < slot && 2 * both < one, "{both} {one}");
}
