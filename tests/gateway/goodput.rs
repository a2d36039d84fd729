//! The effect: with acknowledgement at the gateway, a short window fills a long line.

use super::bench::watched;
use matchrdma_sim::closed_loop::{self, CountFrom, Outcome};
use matchrdma_sim::configure::Host;
use matchrdma_sim::engine::Gateway;
use matchrdma_sim::rtl_gateway::RtlGateway;
use matchrdma_sim::scenario::{BudgetFrames, Destination, Mode, Path, Scenario, Scheme, Sender, Wire};
use matchrdma_sim::setup::configure;
use matchrdma_spec::params::OVERHEAD_BYTES;
use matchrdma_spec::regs::counters::COUNTERS;

const MTU: u32 = 4096;
/// Frame bytes of a packet in the middle of a message, with what they cost on the wire.
const ON_WIRE: f64 = MTU as f64 + 58.0 + OVERHEAD_BYTES as f64;

/// A window of 64 KiB over 120 us: 4.3 Gb/s of a line of 100.
fn scenario() -> Scenario {
    Scenario {
        name: "short".into(),
        clock_hz: 250_000_000,
        round_trips: 10,
        client: Wire { rate_gbps: 100.0, one_way_delay_us: 0.3 },
        line: Wire { rate_gbps: 100.0, one_way_delay_us: 60.0 },
        slot_log2_cycles: 10,
        schemes: vec![Scheme::Bypass, Scheme::PseudoAck],
        senders: vec![Sender {
            queue_pairs: 1,
            window_kib: 64,
            message_kib: 16,
            mtu_bytes: MTU,
            messages_in_flight: 16,
            ack_timeout_ms: 67.0,
            far: [10, 2, 0, 1].into(),
            dcqcn: false,
            handshake: false,
            start_us: 0.0,
            start_spacing_us: 0.0,
            source: 0,
            idle_from_us: 0.0,
            idle_until_us: 0.0,
        }],
        paths: vec![Path {
            prefixes: vec!["10.2.0.0/16".into()],
            mode: Mode::Fixed,
            budget_gbps: 95.0,
            burst_kib: 16,
            cnp_on_kib: 0,
            cnp_off_kib: 0,
            pfc_on_kib: 0,
            pfc_off_kib: 0,
        }],
        sources: vec![],
        destination: Destination::default(),
        budget_frames: BudgetFrames::default(),
        warm_up_round_trips: 0,
        seed: 1,
    }
}

/// Goodput, bits per second, and what else came of it.
fn run(s: &Scenario, on: bool, from: CountFrom) -> (f64, Outcome) {
    // The closed loop has a watch on the near one itself.
    let (mut near, mut far) = (RtlGateway::new(), watched());
    if on {
        configure(&mut Host::new(&mut near), s, Scheme::PseudoAck, 0).expect("the gateway takes it");
    }
    let count = s.round_trips * s.round_trip_cycles();
    let kind = if on { Scheme::PseudoAck } else { Scheme::Bypass };
    let o = closed_loop::run(s, kind, &mut [&mut near], &mut far, from, count, &mut |_| {});
    let o = o.expect("the flow becomes Active");
    for gateway in [&mut near as &mut dyn Gateway, &mut far] {
        let counters = Host::new(gateway).counters().expect("counters can be read");
        for c in COUNTERS.iter().filter(|c| c.name.starts_with("DROP_")) {
            assert_eq!(counters.get(c), 0, "{}", c.name);
        }
    }
    assert_eq!((o.repeated, o.naks, o.backwards, o.timeouts), (0, 0, 0, 0));
    (o.counted_bytes as f64 * 8.0 * s.clock_hz as f64 / o.counted.1 as f64, o)
}

#[test]
fn a_window_of_a_twentieth_of_the_line_fills_the_budget() {
    let s = scenario();
    let seconds = s.round_trip_cycles() as f64 / s.clock_hz as f64;
    let allowed = (s.senders[0].window_kib << 13) as f64 / seconds;
    assert!(allowed <= s.line.rate_gbps * 1e9 / 20.0);
    let at_most = 4 * s.round_trip_cycles() + 50_000;
    let (active, outcome) = run(&s, true, CountFrom::Active { at_most });
    let (bypass, _) = run(&s, false, CountFrom::Cycle(outcome.active_cycle.expect("counted from Active")));
    // The budget counts frames; of each, this much is payload.
    let budget = s.paths[0].budget_gbps * 1e9;
    let of_budget = active * ON_WIRE / f64::from(MTU) / budget;
    println!(
        "window over round trip {:.3} Gb/s, bypass {:.3}, pseudo-ACK {:.3}: {:.1} times, {:.1} % of the budget, {} cycles",
        allowed / 1e9,
        bypass / 1e9,
        active / 1e9,
        active / bypass,
        of_budget * 100.0,
        outcome.cycles,
    );
    assert!((bypass / allowed - 1.0).abs() <= 0.03, "bypass {bypass} against {allowed}");
    assert!(active >= 15.0 * bypass, "{active} against {bypass}");
    assert!(of_budget >= 0.9, "{of_budget}");
}
