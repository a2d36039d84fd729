//! What each scheme must show on one path.

use super::*;

fn point(scheme: Scheme, delay_ms: f64, drain: Drain) -> Point {
    let delay = (delay_ms * 1e9) as Ps;
    Point {
        scheme,
        seed: 1,
        line_bps: 100_000_000_000,
        client_bps: 100_000_000_000,
        client_delay: US,
        slot: Point::slot_for(delay),
        leak: None,
        sources: vec![Source { weight: 1, delay, queue_pairs: 16 }],
        sender: SenderCfg {
            window_bytes: 8 << 20,
            message_bytes: 1 << 20,
            mtu_bytes: 4096,
            messages_in_flight: 1 << 30,
            ack_timeout: 1_000_000 * US,
            ack_every: 16,
        },
        dcqcn: true,
        load: Load::Full,
        budget_loss: 0.0,
        budget_late: 0,
        drain,
        capacity: 1 << 40,
        warm_round_trips: 20,
        round_trips: 60,
    }
}

fn run(p: &Point) -> Outcome {
    p.run(&[], &mut |_, _, _| {})
}

#[test]
fn one_queue_pair_without_a_gateway_follows_the_closed_form() {
    for (window, delay) in [(8 << 20, 0.5), (8 << 20, 5.0), (1 << 20, 1.0)] {
        let mut p = point(Scheme::Conventional, delay, Drain::Full);
        p.sources[0].queue_pairs = 1;
        p.sender.window_bytes = window;
        let (got, want) = (run(&p).goodput_bps, p.closed_form_bps());
        assert!((got / want - 1.0).abs() < 0.03, "{window} {delay}: {got:.3e} of {want:.3e}");
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let p = point(Scheme::Matchrdma, 0.5, Drain::Markov(2.0));
    assert_eq!(run(&p), run(&p));
    assert_ne!(run(&p), run(&Point { seed: 2, ..p.clone() }));
}

#[test]
fn every_scheme_on_a_drain_that_halves() {
    let all: Vec<Outcome> = Scheme::ALL.iter().map(|&s| run(&point(s, 0.5, Drain::Step(0.5)))).collect();
    for (s, o) in Scheme::ALL.iter().zip(&all) {
        let bdp = o.bdp_bytes as f64;
        eprintln!(
            "{:<14} {:6.2} Gb/s  used {:.4}  peak {:.3} mean {:.3} p99 {:.3} BDP  near {:.2} MiB  again {} cnps {}",
            s.name(),
            o.goodput_bps / 1e9,
            o.drain_utilisation,
            o.occupancy_bytes.peak as f64 / bdp,
            o.occupancy_bytes.mean / bdp,
            o.occupancy_bytes.p99 as f64 / bdp,
            o.near_peak_bytes as f64 / f64::from(1 << 20),
            o.repeated_frames,
            o.cnps,
        );
    }
    let of = |s| &all[Scheme::ALL.iter().position(|x| *x == s).unwrap()];
    let (pfc, ours) = (of(Scheme::PseudoAckPfc), of(Scheme::Matchrdma));
    assert!(ours.drain_utilisation > 0.97);
    assert!(ours.occupancy_bytes.mean < 0.373 * pfc.occupancy_bytes.mean);
    assert!(ours.occupancy_bytes.peak as f64 <= 1.05 * ours.floor_bytes as f64 + 2.0 * ours.slot_bytes as f64);
    assert_eq!(ours.dropped_frames, 0);
    assert!(ours.budget_overhead < 0.0015);
    let told = of(Scheme::MatchrdmaCalendar);
    assert!(told.occupancy_bytes.peak <= 2 * told.slot_bytes && told.drain_utilisation > 0.99);
}

#[test]
fn two_sources_share_by_weight() {
    let mut p = point(Scheme::Matchrdma, 0.5, Drain::Full);
    p.sources = vec![
        Source { weight: 1, delay: 500 * US, queue_pairs: 16 },
        Source { weight: 3, delay: 100 * US, queue_pairs: 16 },
    ];
    p.round_trips = 200;
    let o = run(&p);
    assert!((o.shares[0] - 0.25).abs() < 0.02, "{:?}", o.shares);
    assert!(o.drain_utilisation > 0.97);
}

#[test]
fn budgets_that_are_lost_or_late_cost_a_little_and_drop_nothing() {
    let mut p = point(Scheme::Matchrdma, 0.5, Drain::Markov(2.0));
    p.round_trips = 200;
    p.capacity = 12_500_000 + 4 * 409_600;
    let clean = run(&p);
    (p.budget_loss, p.budget_late) = (0.2, 3);
    let rough = run(&p);
    assert_eq!((clean.dropped_frames, rough.dropped_frames), (0, 0));
    assert!(rough.drain_utilisation > clean.drain_utilisation - 0.02, "{rough:?} {clean:?}");
}

#[test]
fn a_calendar_is_of_the_slot_that_it_says() {
    let mut p = point(Scheme::MatchrdmaCalendar, 0.5, Drain::Swing(0.5, 10.0));
    p.round_trips = 100;
    let o = run(&p);
    assert!(o.occupancy_bytes.peak <= 2 * o.slot_bytes, "{} slots", o.occupancy_bytes.peak / o.slot_bytes);
    assert!(o.drain_utilisation > 0.99, "{}", o.drain_utilisation);
}

#[test]
fn senders_that_do_not_fill_the_line_let_no_more_wait_with_budgets_than_without() {
    for (load, drain) in [("poisson:0.6", Drain::Step(0.5)), ("burst:0.4:10", Drain::Swing(0.5, 50.0))] {
        let run = |scheme| run(&Point { load: load.parse().unwrap(), round_trips: 200, ..point(scheme, 0.5, drain) });
        let (without, with) = (run(Scheme::PseudoAck), run(Scheme::Matchrdma));
        let bdp = without.bdp_bytes as f64;
        let [a, b] = [&without, &with].map(|o| o.occupancy_bytes.mean / bdp);
        let ideal = with.ideal_bytes.unwrap() / bdp;
        println!(
            "{load}: {a:.4}, with budgets {b:.4}, ideal {ideal:.4}; {:.3e} of {:.3e}",
            with.goodput_bps, without.goodput_bps
        );
        assert!(b <= a + 0.01 && (with.goodput_bps / without.goodput_bps - 1.0).abs() < 0.001);
        assert!(ideal < 0.25 * a && b < (1.0 - 0.627) * a, "where much is possible, much is done");
    }
}
