//! Two data centres, one host each, and what is between them.

use super::drain::Drain;
use super::gateway::{Acks, Gateway, GatewayCfg, SinkCfg, SinkLaw, SourceCfg};
use super::host::{Host, SenderCfg};
use super::packet::{Ps, SECOND};
use super::rng::Stream;
use super::speed::cable;
use super::world::{Flow, Node, World};
use matchrdma_model::rate_estimator::EstimatorCfg;
use matchrdma_model::reservoir::ReservoirCfg;

const GBPS: u64 = 1_000_000_000;
const US: Ps = 1_000_000;
const MS: Ps = 1_000 * US;

fn sender(window_bytes: u64) -> SenderCfg {
    SenderCfg {
        window_bytes,
        message_bytes: 64 << 10,
        mtu_bytes: 4096,
        messages_in_flight: 1 << 20,
        ack_timeout: 500 * MS,
        ack_every: 16,
    }
}

const QUIET: SourceCfg = SourceCfg {
    acks: Acks::Far,
    paced: false,
    burst: 16_384,
    lease: 32,
    floor: 6_400,
    cnp_on: 0,
    cnp_spacing: 50 * US,
    pfc_on: 2 << 20,
    pfc_off: 1 << 20,
};

/// Host, gateway, line, gateway, host; `flows` queue pairs; the far client link drains half from `halves` on.
fn long_haul(acks: Acks, law: SinkLaw, delay: Ps, slot: Ps, flows: u32, window: u64, halves: Option<Ps>) -> World {
    let mut w = World::default();
    let rate = 100 * GBPS;
    let near = cable(&mut w, (0, 0), (1, 0), rate, US);
    let line = cable(&mut w, (1, 1), (2, 1), rate, delay);
    let far = cable(&mut w, (2, 0), (3, 0), rate, US);
    for pulled in [near, line, line + 1] {
        w.net.links[pulled as usize].pulls = true;
    }
    w.net.links[far as usize].tells = true;
    let halved = |at| Drain::Step(0.5).rates(rate, at, at, 2 * delay, slot, Stream::new(1, 9));
    w.net.links[far as usize].rates = halves.map(halved);
    let bytes_per_slot = (u128::from(rate) * u128::from(slot) / 8 / u128::from(SECOND)) as u64;
    let paced = !matches!(law, SinkLaw::None | SinkLaw::Pfc { .. });
    let cfg = |law| GatewayCfg {
        slot,
        phase: 0,
        source: SourceCfg { acks, paced, ..QUIET },
        sink: SinkCfg {
            capacity: 1 << 40,
            line: bytes_per_slot,
            law,
            passes_cnp: true,
            ecn: None,
            recirculation: None,
        },
        sample: slot / 4,
        loss: 0.0,
        late: 0,
    };
    let mut near_host = Host::new(0, near);
    let mut far_host = Host::new(3, far + 1);
    for flow in 0..flows {
        w.net.flows.push(Flow { from: 0, to: 3 });
        near_host.add_requester(flow, sender(window), None, None);
        far_host.add_responder(flow);
    }
    let mut a = Gateway::new(1, cfg(SinkLaw::None), (near, near + 1), Stream::new(1, 1));
    a.path_to = vec![u32::MAX, u32::MAX, u32::MAX, 0];
    a.add_path(line, 1);
    let mut b = Gateway::new(2, cfg(law), (far + 1, far), Stream::new(1, 2));
    b.path_to = vec![0; 4];
    b.add_path(line + 1, 1);
    w.nodes = vec![Node::Host(near_host), Node::Gateway(Box::new(a)), Node::Gateway(Box::new(b)), Node::Host(far_host)];
    w.start();
    w
}

fn placed(w: &World, node: usize) -> u64 {
    match &w.nodes[node] {
        Node::Host(h) => h.responders().iter().map(|r| r.placed_bytes).sum(),
        _ => panic!("no host"),
    }
}

fn gateway(w: &mut World, node: usize) -> &mut Gateway {
    match &mut w.nodes[node] {
        Node::Gateway(g) => g,
        _ => panic!("no gateway"),
    }
}

/// Goodput from `from` to `to`, bits per second.
fn goodput(w: &mut World, from: Ps, to: Ps) -> f64 {
    w.run(from);
    let before = placed(w, 3);
    w.run(to);
    (placed(w, 3) - before) as f64 * 8.0 * SECOND as f64 / (to - from) as f64
}

#[test]
fn without_a_gateway_throughput_is_window_over_round_trip() {
    for (window, delay) in [(512 << 10, MS / 2), (4 << 20, MS / 2), (8 << 20, 5 * MS), (8 << 20, MS / 2)] {
        let mut w = long_haul(Acks::Far, SinkLaw::None, delay, 131 * US, 1, window, None);
        let rtt = 2 * delay + 4 * US;
        let got = goodput(&mut w, 20 * MS, 20 * MS + 40 * rtt);
        let line = 100e9 * 4096.0 / 4194.0;
        let want = (window as f64 * 8.0 * SECOND as f64 / rtt as f64).min(line);
        assert!((got / want - 1.0).abs() < 0.03, "window {window} delay {delay}: {got:.3e} of {want:.3e}");
    }
}

fn budgets(delay: Ps, slot: Ps) -> SinkLaw {
    let line = (100 * GBPS / 8) as i64 * slot as i64 / SECOND as i64;
    let loop_slots = (2 * delay).div_ceil(slot);
    let h = ((13 * loop_slots) as f64).log2().round() as u32;
    let tau = ((loop_slots as f64).log2().round() as i32 - 3).clamp(1, 3) as u32;
    SinkLaw::Budgets {
        estimator: EstimatorCfg { line, a: 4, p: 4, c: 3, h },
        reservoir: ReservoirCfg { line, capacity: 2 * delay as i64 / 80 + 4 * line, floor: line >> 8, tau },
    }
}

#[test]
fn with_budgets_throughput_does_not_depend_on_distance() {
    for delay in [MS / 2, 5 * MS] {
        let slot = 131_072_000;
        let mut w = long_haul(Acks::Departure, budgets(delay, slot), delay, slot, 1, 8 << 20, None);
        let got = goodput(&mut w, 20 * 2 * delay, 40 * 2 * delay);
        assert!(got > 0.95 * 100e9 * 4096.0 / 4194.0, "{got:.3e}");
        assert_eq!(gateway(&mut w, 2).sink.dropped, 0);
    }
}

/// (utilisation of the drain, mean and peak of what waits, of a BDP).
fn halved(law: SinkLaw, acks: Acks) -> (f64, f64, f64) {
    let (delay, slot) = (5 * MS, 131_072_000);
    let rtt = 2 * delay;
    let (start, step, end) = (10 * rtt, 20 * rtt, 60 * rtt);
    let mut w = long_haul(acks, law, delay, slot, 16, 8 << 20, Some(step));
    w.run(start);
    gateway(&mut w, 2).sink.count_from(start);
    w.run(end);
    let sink = &gateway(&mut w, 2).sink;
    let could = (step - start) as f64 / 80.0 + (end - step) as f64 / 160.0;
    let bdp = rtt as f64 / 80.0;
    assert_eq!(sink.dropped, 0);
    (sink.drained_total as f64 / could, sink.mean(end) / bdp, sink.peak as f64 / bdp)
}

#[test]
fn budgets_keep_less_waiting_than_pfc_when_the_drain_halves() {
    let bdp = 10 * MS / 80;
    let pfc = halved(SinkLaw::Pfc { xoff: bdp, xon: bdp - 16_640 }, Acks::Arrival);
    let ours = halved(budgets(5 * MS, 131_072_000), Acks::Departure);
    let bifrost = halved(SinkLaw::Bifrost { reserve: bdp + 2 * 1_638_400 }, Acks::Departure);
    eprintln!("utilisation, mean, peak: pfc {pfc:.3?} bifrost {bifrost:.3?} ours {ours:.3?}");
    assert!(ours.0 > 0.97, "{ours:?}");
    assert!(ours.1 < (1.0 - 0.627) * pfc.1, "{ours:?} {pfc:?}");
    assert!(ours.2 < 0.525 + 2.0 * 1_638_400.0 / bdp as f64, "{ours:?}");
}

/// Two hosts send to a third through one switch.
fn two_to_one(xoff: u64, buffer: u64, dcqcn: bool) -> World {
    use super::ecn::Ecn;
    use super::switch::{Switch, SwitchCfg};
    let mut w = World::default();
    let links: Vec<u32> = (0..3).map(|h| cable(&mut w, (h, 0), (3, h as u16), 100 * GBPS, US)).collect();
    let cfg = SwitchCfg { ecn: Ecn::scaled(100e9), xoff, xon: xoff / 2, buffer };
    let mut s = Switch::new(cfg, Stream::new(1, 9));
    for &link in &links {
        s.add_input(link);
        s.route.push(link + 1);
        w.net.links[link as usize].pulls = true;
        w.net.links[link as usize + 1].tells = true;
    }
    let mut receiver = Host::new(2, links[2]);
    for h in 0..2u32 {
        let mut host = Host::new(h, links[h as usize]);
        w.net.flows.push(Flow { from: h, to: 2 });
        let rate = dcqcn.then(|| crate::dcqcn::DcqcnCfg::published(100e9));
        host.add_requester(h, sender(4 << 20), None, rate);
        receiver.add_responder(h);
        w.nodes.push(Node::Host(host));
    }
    w.nodes.push(Node::Host(receiver));
    w.nodes.push(Node::Switch(Box::new(s)));
    w.start();
    w.run(5 * MS);
    w
}

fn switch_of(w: &World) -> &super::switch::Switch {
    match &w.nodes[3] {
        Node::Switch(s) => s,
        _ => panic!("no switch"),
    }
}

#[test]
fn a_switch_pauses_before_it_drops_and_goes_on() {
    let w = two_to_one(200_000, 1 << 20, false);
    let s = switch_of(&w);
    assert!(s.dropped == 0 && s.pauses > 10, "{} dropped, {} pauses", s.dropped, s.pauses);
    assert!(placed(&w, 2) > 55_000_000, "both go on: {}", placed(&w, 2));
    let w = two_to_one(1 << 40, 300_000, false);
    assert!(switch_of(&w).dropped > 0 && switch_of(&w).pauses == 0, "without PFC what is too much is dropped");
}

#[test]
fn marks_slow_the_senders_down() {
    let w = two_to_one(1 << 40, 1 << 40, true);
    let Node::Host(h) = &w.nodes[0] else { panic!("no host") };
    assert!(h.requesters()[0].notified > 3, "{}", h.requesters()[0].notified);
    assert!(placed(&w, 2) > 40_000_000, "{}", placed(&w, 2));
}
