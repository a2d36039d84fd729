//! The daemon that learns, on the model's device: captures of the kernel's own RoCE stack and random frames pass, and flows
//! appear.

use super::model;
use super::tap::Tap;
use super::visit::{apply_text, running};
use crate::harness::{frames, roce, Random};
use matchrdma::apply::host::Host;
use matchrdma::apply::record::{InMemory, Store};
use matchrdma::core::Core;
use matchrdma::daemon::decision::Decision;
use matchrdma::daemon::{Daemon, Settings};
use matchrdma::learn::Source;
use matchrdma::Kind;
use matchrdma_sim::bus::Bus;
use matchrdma_sim::engine::{beats, Gateway};
use matchrdma_sim::frame::{ack, write, End, Write};
use matchrdma_sim::model_gateway::ModelGateway;
use matchrdma_spec::regs::{event, upcall};
use matchrdma_spec::wire::packet::parse_frame;
use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

pub type Device = Tap<Bus<ModelGateway>>;

/// The far end of the captures, and of the random frames.
pub const ROUTES: &str = "[gateway]\nslot_log2_cycles = 10\n[[route]]\nprefix = \"10.9.0.2/32\"\npath = 3\n[[route]]\nprefix = \"10.8.0.0/16\"\npath = 4\n";
pub const NEAR: Ipv4Addr = Ipv4Addr::new(10, 9, 0, 1);
pub const FAR: Ipv4Addr = Ipv4Addr::new(10, 9, 0, 2);

/// No ACK was under way before: none has to be waited for.
pub fn settings() -> Settings {
    let between = vec![(NEAR.into(), FAR.into())];
    Settings { between, settling: Duration::ZERO, ..Settings::default() }
}

/// A daemon on a gateway that runs a text.
pub fn daemon<'a>(tap: &'a mut Device, store: &InMemory, settings: Settings) -> Daemon<&'a mut Device, InMemory> {
    let host = Host::attach(Core::find(tap).unwrap(), store.clone()).unwrap();
    Daemon::begin(host, settings, Instant::now()).unwrap_or_else(|error| panic!("{error}"))
}

/// Frames pass: those that `near` sends come from the client.
fn play<S: Store>(daemon: &mut Daemon<&mut Device, S>, capture: &[Vec<u8>], near: Ipv4Addr) {
    let gateway = &mut daemon.host().core().bus().inner.0;
    for frame in capture {
        let from_client = parse_frame(frame).src_ip == u128::from(u32::from(near));
        for beat in beats(frame).map(Some).chain([None; 3]) {
            let (client, line) = if from_client { (beat, None) } else { (None, beat) };
            gateway.tick(client.as_ref(), line.as_ref(), true, true);
        }
    }
}

/// Decisions of a step, but for those about listening.
pub fn step<S: Store>(daemon: &mut Daemon<&mut Device, S>, at: Instant) -> Vec<Decision> {
    let said = daemon.step(at).unwrap_or_else(|error| panic!("{error}"));
    said.into_iter().filter(|decision| !matches!(decision, Decision::Listening { .. })).collect()
}

/// The same capture once its PSNs and its messages have gone on.
fn later(capture: &[Vec<u8>], psns: u32, messages: u32) -> Vec<Vec<u8>> {
    let on = |frame: &Vec<u8>| {
        let mut frame = frame.clone();
        let is_ack = frame[42] == 0x11;
        let mut add = |at: usize, by: u32| {
            let number = u32::from_be_bytes([0, frame[at], frame[at + 1], frame[at + 2]]) + by;
            frame[at..at + 3].copy_from_slice(&number.to_be_bytes()[1..]);
        };
        // PSN and, of an ACK, MSN: behind Ethernet, IPv4 and UDP.
        add(51, psns);
        if is_ack {
            add(55, messages);
        }
        roce::seal(&mut frame);
        frame
    };
    capture.iter().map(on).collect()
}

/// Queue pairs of the flows that act: requester's and responder's.
pub fn acting(tap: &mut Device) -> Vec<(u32, u32)> {
    let runs = tap.runs();
    assert!(runs.torn.is_empty(), "{:?}", runs.torn);
    runs.flows.iter().map(|flow| (flow.1.qpn, flow.0.qpn)).collect()
}

#[test]
fn a_connection_seen_being_made_is_a_flow_until_it_ends() {
    let capture = frames::capture("rping-cm.pcap");
    // CM DREQ: a MAD with attribute 0x15, behind Ethernet, IPv4, UDP, BTH and DETH.
    let end = capture.iter().position(|f| f.len() == 322 && f[78..80] == [0, 0x15]).expect("a DREQ");
    let (mut tap, store) = running(model(), ROUTES);
    let mut daemon = daemon(&mut tap, &store, Settings { between: vec![], ..settings() });
    let now = Instant::now();
    play(&mut daemon, &capture[..1], NEAR);
    assert_eq!(step(&mut daemon, now), [], "a request and a reply are wanted");
    play(&mut daemon, &capture[1..end], NEAR);
    let said = step(&mut daemon, now);
    let [Decision::Learnt { flow: 0, pair, source: Source::Cm, path: 3 }] = &said[..] else { panic!("{said:?}") };
    assert_eq!(pair, "10.9.0.1 qp 0x17 -> 10.9.0.2 qp 0x17");
    assert_eq!(daemon.host().core().flow_state(0).unwrap().state, "Sync");
    play(&mut daemon, &capture[end..], NEAR);
    let said = step(&mut daemon, now);
    assert!(matches!(&said[..], [Decision::Gone { flow: 0, why, .. }] if why.contains("ended")), "{said:?}");
    assert_eq!(step(&mut daemon, now), [], "it does not come back by itself");
    daemon.end().unwrap();
    assert_eq!(acting(&mut tap), []);
}

#[test]
fn a_connection_that_stood_still_too_long_does_not_come_back_by_itself() {
    let capture = frames::capture("rping-cm.pcap");
    let (mut tap, store) = running(model(), ROUTES);
    let mut daemon = daemon(&mut tap, &store, settings());
    let now = Instant::now();
    // CM REQ and REP.
    play(&mut daemon, &capture[..2], NEAR);
    assert_eq!(step(&mut daemon, now).len(), 1);
    assert_eq!(step(&mut daemon, now + Duration::from_secs(2)), []);
    let later = now + Duration::from_secs(700);
    assert!(matches!(&step(&mut daemon, later)[..], [Decision::Gone { flow: 0, .. }]));
    assert_eq!(step(&mut daemon, later + Duration::from_secs(2)), []);
}

#[test]
fn pairs_are_learnt_from_the_acks_of_captures_when_there_are_enough() {
    for (name, flows) in [("write-one-way-20ms.pcap", 1), ("send-depth8.pcap", 1), ("write-16k-mtu1024.pcap", 0)] {
        let (mut tap, store) = running(model(), ROUTES);
        let mut daemon = daemon(&mut tap, &store, settings());
        play(&mut daemon, &frames::capture(name), NEAR);
        let said = step(&mut daemon, Instant::now());
        let learnt = said.iter().filter(|d| matches!(d, Decision::Learnt { source: Source::Acks, .. })).count();
        assert_eq!((learnt, said.len()), (flows, flows), "{name}: {said:?}");
        daemon.end().unwrap();
    }
}

/// Four queue pairs with five ACKs each: too few, until their PSNs have gone on.
#[test]
fn interleaved_queue_pairs_are_told_apart_and_not_before_eight_acks() {
    let capture = frames::capture("qp4-interleaved.pcap");
    let (mut tap, store) = running(model(), ROUTES);
    let mut daemon = daemon(&mut tap, &store, settings());
    play(&mut daemon, &capture, NEAR);
    assert_eq!(step(&mut daemon, Instant::now()), []);
    play(&mut daemon, &later(&capture, 1000, 1000), NEAR);
    let said = step(&mut daemon, Instant::now());
    assert_eq!(said.len(), 4, "{said:?}");
    daemon.end().unwrap();
    let expected: Vec<(u32, u32)> = capture
        .iter()
        .filter_map(|f| roce::parse(f))
        .filter(|r| r.opcode == 0x11)
        .map(|r| r.qpn)
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .map(|qpn| (qpn, qpn))
        .collect();
    assert_eq!(acting(&mut tap), expected, "rxe gives both ends the same numbers here");
}

/// The n-th random pair: near and far end, by any of a few hosts.
fn ends(n: u32) -> (End, End) {
    let end = |ip: Ipv4Addr, qpn| End { mac: 0x0200_0000_0000 + u64::from(qpn), ip: ip.into(), qpn };
    (end(NEAR, 0x1000 + 7 * n), end(FAR, 0x8000 + 5 * n))
}

#[test]
fn random_pairs_are_learnt_each_with_its_own_and_in_no_other_way() {
    let mut random = Random::new();
    let (mut tap, store) = running(model(), ROUTES);
    let mut daemon = daemon(&mut tap, &store, settings());
    const PAIRS: u32 = 40;
    // They begin at a few PSNs only, so that many ACKs have several candidates.
    let mut psn: Vec<[u32; 2]> = (0..PAIRS).map(|_| [0, 1].map(|_| 8 * random.below(4) as u32)).collect();
    let mut under_way: Vec<(u32, usize, u32)> = vec![];
    let mut said = vec![];
    let one = Write { first: true, last: true, message_bytes: 64, payload: 64 };
    for _ in 0..6000 {
        let n = random.below(PAIRS.into()) as u32;
        let (near, far) = ends(n);
        let way = random.below(2) as usize;
        let (from, to) = if way == 0 { (near, far) } else { (far, near) };
        if random.below(2) == 0 {
            let asks = random.below(4) > 0;
            play(&mut daemon, &[write(from, to, psn[n as usize][way], asks, one)], NEAR);
            under_way.extend(asks.then_some((n, way, psn[n as usize][way])));
            psn[n as usize][way] += 1;
        } else if let Some(at) = under_way.iter().position(|(m, w, _)| (*m, *w) == (n, way)) {
            // Now and then a later one answers for all before it.
            let all: Vec<usize> =
                (at..under_way.len()).filter(|i| (under_way[*i].0, under_way[*i].1) == (n, way)).collect();
            let answered = all[random.below(2.min(all.len() as u64)) as usize];
            let psn = under_way[answered].2;
            under_way.retain(|(m, w, p)| (*m, *w) != (n, way) || *p > psn);
            play(&mut daemon, &[ack(to, from, psn, 0x1f, psn)], NEAR);
        }
        if random.below(50) == 0 {
            said.extend(step(&mut daemon, Instant::now()));
        }
    }
    said.extend(step(&mut daemon, Instant::now()));
    daemon.end().unwrap();
    let acting = acting(&mut tap);
    for (back, out) in &acting {
        assert_eq!((back - 0x1000) / 7, (out - 0x8000) / 5, "a wrong pair");
    }
    println!("{} of {PAIRS} random pairs learnt", acting.len());
    assert!(acting.len() as u32 > PAIRS * 3 / 4, "{}", acting.len());
    assert_eq!(said.len(), acting.len(), "a line each, {said:?}");
}

#[test]
fn a_flow_that_does_something_does_not_age_and_one_that_aged_is_learnt_again() {
    let capture = frames::capture("send-depth8.pcap");
    let (mut tap, store) = running(model(), ROUTES);
    let mut daemon = daemon(&mut tap, &store, settings());
    // Each message has an ACK of its own.
    let (acks, requests): (Vec<_>, Vec<_>) =
        capture.iter().filter_map(|f| roce::parse(f)).partition(|r| r.opcode == 0x11);
    let psns = requests.iter().map(|r| r.psn);
    let (span, messages) = (psns.clone().max().unwrap() - psns.min().unwrap() + 1, acks.len() as u32);
    let mut now = Instant::now();
    play(&mut daemon, &capture, NEAR);
    assert_eq!(step(&mut daemon, now).len(), 1);
    assert_eq!(step(&mut daemon, now + Duration::from_secs(2)), []);
    for n in 1..5 {
        now += Duration::from_secs(400);
        // It is a flow now, so nobody is told of its frames, but it moves.
        play(&mut daemon, &later(&capture, span * n, messages * n), NEAR);
        assert_eq!(step(&mut daemon, now), []);
    }
    assert_eq!(daemon.host().core().flow_state(0).unwrap().state, "Active");
    // The far side is silent: what the sender was told is not confirmed.
    let sent: Vec<Vec<u8>> = later(&capture, span * 5, messages * 5);
    let (sent, answers): (Vec<_>, Vec<_>) =
        sent.into_iter().partition(|f| roce::parse(f).is_none_or(|r| r.opcode != 0x11));
    play(&mut daemon, &sent, NEAR);
    assert!(daemon.host().core().flow_state(0).unwrap().debt > 0);
    for _ in 0..3 {
        now += Duration::from_secs(601);
        assert_eq!(step(&mut daemon, now), [], "a flow with debt stays");
    }
    play(&mut daemon, &answers, NEAR);
    assert_eq!(daemon.host().core().flow_state(0).unwrap().debt, 0);
    now += Duration::from_secs(2);
    assert_eq!(step(&mut daemon, now), [], "it has moved");
    now += Duration::from_secs(601);
    assert!(matches!(&step(&mut daemon, now)[..], [Decision::Gone { flow: 0, .. }]));
    assert_eq!(step(&mut daemon, now), []);
    play(&mut daemon, &capture, NEAR);
    assert!(matches!(&step(&mut daemon, now)[..], [Decision::Learnt { source: Source::Acks, .. }]));
}

#[test]
fn a_loss_voids_what_acks_showed_and_is_told() {
    let capture = frames::capture("write-one-way-20ms.pcap");
    let (mut tap, store) = running(model(), ROUTES);
    let mut daemon = daemon(&mut tap, &store, settings());
    for _ in 0..80 {
        play(&mut daemon, &capture, NEAR);
    }
    let said = step(&mut daemon, Instant::now());
    assert!(matches!(&said[..], [Decision::Void { why }] if why.contains("lost")), "{said:?}");
}

#[test]
fn acks_of_what_passed_before_do_not_count() {
    let capture = frames::capture("write-one-way-20ms.pcap");
    let (mut tap, store) = running(model(), ROUTES);
    let mut daemon = daemon(&mut tap, &store, Settings { settling: Duration::from_micros(800), ..settings() });
    play(&mut daemon, &capture, NEAR);
    assert_eq!(step(&mut daemon, Instant::now()), [], "it settles");
    // Two turns of EVENT_NOW and the settling time of 200,000 cycles.
    for _ in 0..2 * 65_536 + 200_000 {
        daemon.host().core().bus().inner.0.tick(None, None, true, true);
    }
    play(&mut daemon, &capture, NEAR);
    assert_eq!(step(&mut daemon, Instant::now()).len(), 1);
}

#[test]
fn who_ends_leaves_the_flows_and_the_gateway_as_it_was() {
    let (mut tap, store) = running(model(), ROUTES);
    Core::find(&mut tap).unwrap().write(&event::CONTROL, 1).unwrap();
    let mut daemon = daemon(&mut tap, &store, settings());
    play(&mut daemon, &frames::capture("send-depth8.pcap"), NEAR);
    // The interrupt line is up: what waits is told without a nap.
    let begun = Instant::now();
    assert_eq!(daemon.wait(begun + Duration::from_secs(20)), Ok(true));
    assert!(begun.elapsed() < Duration::from_secs(10));
    step(&mut daemon, Instant::now());
    assert_eq!(daemon.wait(Instant::now() + Duration::from_millis(20)), Ok(false));
    daemon.end().unwrap();
    let mut core = Core::find(&mut tap).unwrap();
    assert_eq!((core.read(&event::CONTROL), core.read(&upcall::CONTROL)), (Ok(1), Ok(0)));
    assert_eq!(acting(&mut tap).len(), 1);
    // The next one knows them, and so does an apply.
    apply_text(&mut tap, store.clone(), &format!("{ROUTES}[[path]]\nindex = 1\nmode = \"off\"\n"), false).unwrap();
    let host = Host::attach(Core::find(&mut tap).unwrap(), store).unwrap();
    assert_eq!(host.standing().iter().filter(|flow| flow.source == Some(Source::Acks)).count(), 1);
}

#[test]
fn a_gateway_that_this_host_has_not_configured_is_left_alone() {
    let mut tap = Tap::new(model());
    let host = Host::attach(Core::find(&mut tap).unwrap(), InMemory::default()).unwrap();
    let error = Daemon::begin(host, settings(), Instant::now()).map(|_| ()).unwrap_err();
    assert!(error.kind == Kind::Unreachable && error.remedy.contains("apply"), "{error}");
    assert_eq!(tap.writes, 0);
}
