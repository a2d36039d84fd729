//! What Linux's own RoCE stack sent (`tests/vectors`), replayed through the model gateway.
//!
//! The frames are those of a network without a gateway, so the sender of the capture knows nothing of pseudo-ACKs;
//! what the gateway would have told it must agree with what the real responder told it later.

use matchrdma_model::gateway::{Gateway, Params, Port};
use matchrdma_model::invariants::{Watch, Watched};
use matchrdma_model::record::{Cfg, State};
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::regs::counters::*;
use matchrdma_spec::wire::opcode;
use matchrdma_spec::wire::packet::{icrc_ok, parse_frame};
use std::collections::HashMap;

const LAB_NEAR: u128 = 0x0a09_0001;
const LAB_FAR: u128 = 0x0a09_0002;
const DOC_NEAR: u128 = 0xc000_020a;
const DOC_FAR: u128 = 0xc633_6414;

/// A queue pair whose requester is on the near side.
#[derive(Clone, Copy)]
struct Pair {
    v6: bool,
    vlan: u32,
    near: u128,
    far: u128,
    requester: u32,
    responder: u32,
}

impl Pair {
    const fn lab(qpn: u32) -> Pair {
        Pair { v6: false, vlan: 0, near: LAB_NEAR, far: LAB_FAR, requester: qpn, responder: qpn }
    }

    const fn v6(near: u128, far: u128, qpn: u32) -> Pair {
        Pair { v6: true, vlan: 0, near, far, requester: qpn, responder: qpn }
    }

    const fn vlan(qpn: u32) -> Pair {
        Pair { v6: false, vlan: 100, near: 0x0a09_6401, far: 0x0a09_6402, requester: qpn, responder: qpn }
    }

    const DOC: Pair = Pair { v6: false, vlan: 0, near: DOC_NEAR, far: DOC_FAR, requester: 0xa11, responder: 0xb22 };

    fn keys(&self) -> (FlowKey, FlowKey) {
        let Pair { v6, vlan, near, far, requester, responder } = *self;
        let v6 = v6.into();
        (
            FlowKey { v6, vlan, src: near, dst: far, qpn: responder },
            FlowKey { v6, vlan, src: far, dst: near, qpn: requester },
        )
    }
}

/// What came of one capture.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    states: Vec<State>,
    pseudo_acks: u64,
    naks: u64,
    absorbed: u64,
    /// Built ACKs for a PSN that the real responder acknowledged as well.
    compared: usize,
}

fn frames(name: &str) -> Vec<Vec<u8>> {
    let path = format!("{}/vectors/{name}.pcap", env!("CARGO_MANIFEST_DIR"));
    let file = std::fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    assert_eq!(file[..4], [0xd4, 0xc3, 0xb2, 0xa1], "{path}: a little-endian pcap of microseconds");
    let mut rest = &file[24..];
    let mut frames = Vec::new();
    while !rest.is_empty() {
        let length = u32::from_le_bytes(rest[8..12].try_into().unwrap()) as usize;
        frames.push(rest[16..16 + length].to_vec());
        rest = &rest[16 + length..];
    }
    frames
}

/// Plays a capture whose near side is `mac`.
fn replay(name: &str, mac: [u8; 6], mtu: u32, pairs: &[Pair]) -> Outcome {
    let mut gateway = Gateway::new(Params::default());
    let mut watch = Watch::new();
    gateway.set_enable(true);
    for (index, pair) in (0..).zip(pairs) {
        let (key_out, key_in) = pair.keys();
        gateway.add_flow(key_out, key_in, index);
        let code = matchrdma_spec::regs::flow::mtu_code(mtu) as u8;
        gateway.set_cfg(index, Cfg { enable: true, mtu: code, serial: 1, ..Cfg::default() });
        watch.flow(index, Watched { key_out, key_in, mtu: Some(mtu), ack_ops_write: false });
    }
    let mut real = HashMap::new();
    let mut said = Vec::new();
    for (number, frame) in (1..).zip(frames(name)) {
        let near = frame[6..12] == mac;
        let meta = parse_frame(&frame);
        if !near && meta.opcode == opcode::ACKNOWLEDGE && meta.syndrome >> 5 == 0 && icrc_ok(&frame, &meta) {
            real.insert((meta.flow_key(), meta.psn), meta.msn);
        }
        if !near {
            watch.from_line(&frame).unwrap_or_else(|v| panic!("{name} {number}: {v}"));
        }
        let out = if near { gateway.client_in(&frame, false) } else { gateway.line_in(&frame, false) };
        for out in out {
            match (out.port, out.built) {
                (Port::Line, _) => {
                    assert!(near && out.frame == frame, "{name} {number}: changed on its way to the line");
                    watch.to_line(&frame);
                }
                (Port::Client, false) => {
                    assert!(!near && out.frame == frame, "{name} {number}: changed on its way to the client");
                    watch.to_client(&frame);
                }
                (Port::Client, true) => {
                    watch.built(&out.frame).unwrap_or_else(|v| panic!("{name} {number}: {v}"));
                    let meta = parse_frame(&out.frame);
                    said.extend(Some(meta).filter(|m| m.syndrome == 0x1f));
                }
            }
        }
    }
    let matching = said.iter().filter_map(|m| Some((m, *real.get(&(m.flow_key(), m.psn))?)));
    let compared = matching.clone().count();
    for (meta, msn) in matching {
        assert_eq!(meta.msn, msn, "{name}: MSN at PSN {:#x}", meta.psn);
    }
    let counter = |c| gateway.counters().get(c);
    Outcome {
        states: (0..).zip(pairs).map(|(i, _)| gateway.flow(i).state).collect(),
        pseudo_acks: counter(&PSEUDO_ACKS),
        naks: counter(&NAKS),
        absorbed: counter(&ABSORBED_ACKS),
        compared,
    }
}

const LAB: [u8; 6] = [0x52, 0x54, 0, 0, 0, 0x0a];
const LAB_B: [u8; 6] = [0x52, 0x54, 0, 0, 0, 0x0b];
const DOC: [u8; 6] = [0x02, 0, 0x5e, 0x10, 0, 1];

fn lab(name: &str, mtu: u32, pair: Pair) -> Outcome {
    replay(name, LAB, mtu, &[pair])
}

/// Everything after the first matched ACK is acknowledged early, and the real ACK is then no news.
fn active(pseudo_acks: u64) -> Outcome {
    Outcome { states: vec![State::Active], pseudo_acks, naks: 0, absorbed: pseudo_acks, compared: pseudo_acks as usize }
}

/// Nothing is acknowledged early.
fn sync() -> Outcome {
    Outcome { states: vec![State::Sync], ..active(0) }
}

#[test]
fn writes_are_acknowledged_as_the_responder_does_later() {
    let v6 = |host: u128| 0x2001_0db8 << 96 | host;
    let cases = [
        ("write-64k-mtu4096", 4096, Pair::lab(0x12), 4),
        ("write-16k-mtu1024", 1024, Pair::lab(0x13), 5),
        ("write-one-way-20ms", 2048, Pair::lab(0x1f), 7),
        ("ipv6-write", 4096, Pair::v6(v6(1), v6(2), 0x12), 4),
        ("vlan100-pcp3-write", 2048, Pair::vlan(0x14), 4),
        ("psn-wrap-write", 1024, Pair::lab(0x16), 4),
    ];
    for (name, mtu, pair, pseudo_acks) in cases {
        assert_eq!(lab(name, mtu, pair), active(pseudo_acks), "{name}");
    }
    assert_eq!(replay("psn-wrap-synthetic", DOC, 1024, &[Pair::DOC]), active(7));
}

#[test]
fn sends_of_every_length_are_acknowledged_as_the_responder_does_later() {
    let link_local = |host: u128| 0xfe80 << 112 | 0x5054_00ff_fe00_0000 | host;
    assert_eq!(lab("send-10000-mtu4096", 4096, Pair::lab(0x14)), active(5));
    assert_eq!(lab("send-depth8", 2048, Pair::lab(0x15)), active(15));
    assert_eq!(lab("small-sizes", 1024, Pair::lab(0x17)), active(12));
    assert_eq!(lab("ipv6-linklocal-send", 1024, Pair::v6(link_local(0xa), link_local(0xb), 0x13)), active(5));
}

#[test]
fn queue_pairs_do_not_mix() {
    let out = replay("qp4-interleaved", LAB, 2048, &[0x1b, 0x1c, 0x1d, 0x1e].map(Pair::lab));
    assert_eq!(out, Outcome { states: vec![State::Active; 4], ..active(16) });
}

#[test]
fn both_ways_of_a_queue_pair_are_flows_of_their_own() {
    assert_eq!(lab("rping-cm", 4096, Pair::lab(0x17)), active(4));
    let back = Pair { near: LAB_FAR, far: LAB_NEAR, ..Pair::lab(0x17) };
    assert_eq!(replay("rping-cm", LAB_B, 4096, &[back]), active(8));
}

#[test]
fn a_flow_without_a_matching_ack_only_passes() {
    assert_eq!(lab("read-32k", 4096, Pair::lab(0x16)), sync());
    assert_eq!(lab("vlan100-pcp3-read", 1024, Pair::vlan(0x15)), sync());
    assert_eq!(lab("write-90000-mtu512", 512, Pair::lab(0x11)), Outcome { states: vec![State::Active], ..sync() });
    for name in ["background", "bad-icrc", "eth-padding", "truncated"] {
        assert_eq!(replay(name, DOC, 1024, &[Pair::DOC]), sync(), "{name}");
    }
    assert_eq!(replay("cnp", DOC, 1024, &[Pair::DOC]), Outcome { states: vec![State::Active], ..sync() });
}

#[test]
fn on_a_line_that_loses_a_flow_stays_in_sync() {
    // Each message of the capture lost a packet on the line, which is not allowed to: the sender goes back before the
    // ACK of any sample comes, and what it repeats is no sample.
    assert_eq!(lab("drop-middle-nak", 1024, Pair::lab(0x18)), sync());
}

#[test]
fn duplicates_are_answered_again() {
    let out = lab("rtt80-spurious-retransmit", 1024, Pair::lab(0x1a));
    assert_eq!(out, Outcome { absorbed: 52, ..active(7) });
    let out = lab("drop-last-timer", 1024, Pair::lab(0x19));
    assert_eq!(out, Outcome { absorbed: 35, ..active(7) });
}
