//! A gateway that knows no flow tells its host of what passes, and the host learns the pairs, with real captures.

use super::bench::{noisy, Bench, Joiner};
use crate::harness::{frames, Random};
use matchrdma::learn::{acks, LearnedFlow, Learner};
use matchrdma::upcall::{want, Upcalls, Wanted};
use matchrdma_sim::configure::Host;
use matchrdma_sim::engine::Gateway;
use matchrdma_spec::regs::upcall;
use matchrdma_spec::wire::packet::parse_frame;
use std::net::{IpAddr, Ipv4Addr};

/// Who sends the first request of a capture, and to whom.
fn pair(capture: &[Vec<u8>]) -> (u128, u128) {
    let first = capture.iter().map(|f| parse_frame(f)).find(|m| m.roce).expect("a RoCE frame");
    (first.src_ip, first.dst_ip)
}

fn v4(address: u128) -> IpAddr {
    Ipv4Addr::from(address as u32).into()
}

/// Plays a capture through a bypass, polls when `polls` says so, and gives what the host then knows.
fn through_the_gates(capture: &[Vec<u8>], wanted: Wanted, polls: impl Fn(usize) -> bool) -> (Upcalls, u32) {
    let mut random = Random::new();
    let mut bench = Bench::new();
    let (near, _) = pair(capture);
    want(&mut *Host::new(&mut bench.gates), &wanted).unwrap();
    let mut upcalls = Upcalls::new(Learner::new(acks::WHOLE_FILE));
    upcalls.poll(&mut *Host::new(&mut bench.gates)).unwrap();
    let mut out: [Joiner; 2] = Default::default();
    for (n, frame) in capture.iter().enumerate() {
        let from_client = parse_frame(frame).src_ip == near;
        for beat in noisy(frame, false, &mut random).iter().map(Some).chain([None; 3]) {
            let (client, line) = if from_client { (beat, None) } else { (None, beat) };
            let t = bench.gates.tick(client, line, true, true);
            out[0].take(t.client_tx);
            out[1].take(t.line_tx);
        }
        if polls(n) {
            // what is still on its way is told with the next one
            upcalls.poll(&mut *Host::new(&mut bench.gates)).unwrap();
        }
    }
    for _ in 0..400 {
        let t = bench.gates.tick(None, None, true, true);
        out[0].take(t.client_tx);
        out[1].take(t.line_tx);
    }
    upcalls.poll(&mut *Host::new(&mut bench.gates)).unwrap();
    assert_eq!(out.iter().map(|o| o.frames.len()).sum::<usize>(), capture.len(), "it is a bypass all the while");
    let lost = bench.gates.read(upcall::LOST.offset).unwrap();
    (upcalls, lost)
}

/// What the same learner knows when it sees the frames themselves.
fn from_the_frames(capture: &[Vec<u8>]) -> Vec<LearnedFlow> {
    let mut learner = Learner::new(acks::WHOLE_FILE);
    capture.iter().for_each(|f| learner.frame(f));
    learner.flows()
}

#[test]
fn pairs_are_learnt_from_digests() {
    for name in ["qp4-interleaved.pcap", "write-16k-mtu1024.pcap", "send-depth8.pcap"] {
        let capture = frames::capture(name);
        let (near, far) = pair(&capture);
        let wanted = Wanted { between: Some((v4(near), v4(far))), datagrams: false };
        let (upcalls, lost) = through_the_gates(&capture, wanted, |n| n % 7 == 0);
        let expected = from_the_frames(&capture);
        assert_eq!(lost, 0, "{name}");
        assert!(!expected.is_empty(), "{name} teaches something");
        assert_eq!(upcalls.learner.flows(), expected, "{name}");
        println!("{name}: {} flows learnt from digests", expected.len());
    }
}

#[test]
fn pairs_are_learnt_from_datagrams() {
    let capture = frames::capture("rping-cm.pcap");
    let wanted = Wanted { between: None, datagrams: true };
    let (upcalls, lost) = through_the_gates(&capture, wanted, |n| n % 3 == 0);
    let expected: Vec<_> =
        from_the_frames(&capture).into_iter().filter(|f| f.source == matchrdma::learn::Source::Cm).collect();
    assert_eq!(lost, 0);
    assert_eq!(expected.len(), 2, "one connection, both directions");
    assert_eq!(upcalls.learner.flows(), expected);
}

#[test]
fn other_addresses_are_not_told_of() {
    let capture = frames::capture("qp4-interleaved.pcap");
    let (near, far) = pair(&capture);
    let wanted = Wanted { between: Some((v4(near), v4(far + 1))), datagrams: true };
    let (upcalls, lost) = through_the_gates(&capture, wanted, |_| true);
    assert_eq!((upcalls.learner.flows(), lost), (vec![], 0));
}

#[test]
fn an_overflow_voids_the_evidence() {
    let capture = frames::capture("qp4-interleaved.pcap");
    let (near, far) = pair(&capture);
    let wanted = Wanted { between: Some((v4(near), v4(far))), datagrams: false };
    let many: Vec<Vec<u8>> = capture.iter().cycle().take(80 * capture.len()).cloned().collect();
    let (upcalls, lost) = through_the_gates(&many, wanted, |_| false);
    assert!(lost > 0, "{} frames fit", many.len());
    assert_eq!(upcalls.learner.flows(), [], "what is left shows nothing");
}
