//! Live budgets on the gates: two gateways, a line between them, and a data centre whose drain falls to half.

use matchrdma_sim::run::{schemes, Engine};
use matchrdma_sim::scenario::{Scenario, Scheme};

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
