//! Which queue pairs belong together, learnt from what passes a gateway or told by the hosts.
//!
//! Data packets carry only the responder's queue pair number; the requester's shows only in what comes back. A flow
//! needs both. Sources, the surest first:
//!
//! * [`rdma`]: the hosts' own `rdma -j res show qp`.
//! * [`cm`]: RDMA CM messages, which name both.
//! * [`acks`]: which ACK may answer which request.
//!
//! No device and no I/O here: a caller hands in frames, or digests of them, and takes flows out.

pub mod acks;
pub mod cm;
pub mod rdma;

use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::upcall::Digest;
use matchrdma_spec::wire::packet::{icrc_ok, parse_frame, Meta};
use matchrdma_spec::wire::{aeth, opcode};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// Two addresses and a VLAN, in the direction that requests take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Route {
    /// IPv6, not IPv4.
    pub v6: bool,
    /// As in a flow key.
    pub vlan: u32,
    /// Address that requests come from; IPv4 in the low 32 bits.
    pub requester: u128,
    /// Address that requests go to; IPv4 in the low 32 bits.
    pub responder: u128,
}

impl Route {
    /// The route of a packet that goes from requester to responder.
    pub fn of_request(meta: &Meta) -> Self {
        Route { v6: meta.v6, vlan: meta.vlan, requester: meta.src_ip, responder: meta.dst_ip }
    }

    /// The route of the requests that a packet from responder to requester answers.
    pub fn of_response(meta: &Meta) -> Self {
        Self::of_request(meta).reversed()
    }

    /// The other direction.
    pub fn reversed(self) -> Self {
        Route { requester: self.responder, responder: self.requester, ..self }
    }
}

/// How a flow came to be known. A later one is surer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// From ACKs that only one queue pair can have caused.
    Acks,
    /// From RDMA CM messages.
    Cm,
    /// From the hosts' own lists.
    Rdma,
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Source::Acks => "ACKs",
            Source::Cm => "RDMA CM",
            Source::Rdma => "the hosts' lists",
        })
    }
}

/// One direction of a connected pair of queue pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LearnedFlow {
    /// Between whom.
    pub route: Route,
    /// Queue pair number at the requester: where ACKs go.
    pub requester_qpn: u32,
    /// Queue pair number at the responder: where requests go.
    pub responder_qpn: u32,
    /// Path MTU, bytes, where the source tells.
    pub mtu: Option<u32>,
    /// How it came to be known.
    pub source: Source,
}

impl LearnedFlow {
    /// Key of its requests.
    pub fn key_out(&self) -> FlowKey {
        self.route.key(self.responder_qpn)
    }

    /// Key of its responses.
    pub fn key_in(&self) -> FlowKey {
        self.route.reversed().key(self.requester_qpn)
    }

    /// The other direction of the same pair.
    pub fn reversed(&self) -> Self {
        LearnedFlow {
            route: self.route.reversed(),
            requester_qpn: self.responder_qpn,
            responder_qpn: self.requester_qpn,
            ..*self
        }
    }
}

impl Route {
    fn key(&self, qpn: u32) -> FlowKey {
        FlowKey { v6: u8::from(self.v6), vlan: self.vlan, src: self.requester, dst: self.responder, qpn }
    }
}

/// An address of a key, as people write it.
pub fn address(v6: bool, address: u128) -> IpAddr {
    match v6 {
        true => IpAddr::V6(address.into()),
        false => IpAddr::V4((address as u32).into()),
    }
}

/// Learns from the frames of both directions.
#[derive(Clone, Debug)]
pub struct Learner {
    acks: acks::Acks,
    cm: cm::Cm,
}

impl Learner {
    /// Installs a pair from ACKs when at least `min_acks` agree: [`acks::LIVE`] or [`acks::WHOLE_FILE`].
    pub fn new(min_acks: usize) -> Self {
        Learner { acks: acks::Acks::new(min_acks), cm: cm::Cm::default() }
    }

    /// One frame, in the order in which frames passed. Frames with a wrong ICRC tell nothing.
    pub fn frame(&mut self, frame: &[u8]) {
        let meta = parse_frame(frame);
        if !meta.ip_ok || !icrc_ok(frame, &meta) {
            return;
        }
        if meta.opcode == opcode::UD_SEND_ONLY {
            self.cm.datagram(frame, &meta);
        } else if opcode::is_request(meta.opcode) && meta.ack_req {
            self.acks.request(Route::of_request(&meta), meta.dest_qpn, meta.psn);
        } else if meta.opcode == opcode::ACKNOWLEDGE && aeth::is_ack(meta.syndrome) {
            self.acks.ack(Route::of_response(&meta), meta.dest_qpn, meta.psn);
        }
    }

    /// What a gateway told of a frame, in the order in which frames passed.
    pub fn digest(&mut self, digest: &Digest) {
        let route = Route { v6: digest.v6, vlan: digest.vlan, requester: digest.src_ip, responder: digest.dst_ip };
        if digest.opcode == opcode::ACKNOWLEDGE {
            self.acks.ack(route.reversed(), digest.dest_qpn, digest.psn);
        } else {
            self.acks.request(route, digest.dest_qpn, digest.psn);
        }
    }

    /// Frames were missed (an upcall queue overflowed): what ACKs seemed to show is forgotten.
    pub fn overflow(&mut self) {
        self.acks.overflow();
    }

    /// Forgets the connection one of whose ends has this key, and what ACKs seemed to show of any.
    pub fn forget(&mut self, key: &FlowKey) {
        self.cm.forget(key);
        self.acks.overflow();
    }

    /// Keys of packets to queue pairs whose connection has ended, by RDMA CM, since this was asked.
    pub fn ended(&mut self) -> Vec<FlowKey> {
        self.cm.ended()
    }

    /// What is known now, both directions of each pair, the surest source of each flow only.
    pub fn flows(&self) -> Vec<LearnedFlow> {
        surest(self.cm.flows().into_iter().chain(self.acks.flows()))
    }
}

/// One flow for each key of requests and of responses: of several the one of the surest source, of equal ones the
/// first. In order of their keys.
pub fn surest(flows: impl IntoIterator<Item = LearnedFlow>) -> Vec<LearnedFlow> {
    let mut flows: Vec<LearnedFlow> = flows.into_iter().collect();
    flows.sort_by_key(|flow| std::cmp::Reverse(flow.source));
    let (mut kept, mut inward) = (BTreeMap::new(), BTreeSet::new());
    for flow in flows {
        if !kept.contains_key(&flow.key_out()) && inward.insert(flow.key_in()) {
            kept.insert(flow.key_out(), flow);
        }
    }
    kept.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(requester_qpn: u32, responder_qpn: u32, source: Source) -> LearnedFlow {
        let route = Route { requester: 1, responder: 2, ..Route::default() };
        LearnedFlow { route, requester_qpn, responder_qpn, mtu: None, source }
    }

    #[test]
    fn the_surest_source_wins_on_both_keys() {
        let acks = [flow(1, 11, Source::Acks), flow(2, 12, Source::Acks), flow(3, 13, Source::Acks)];
        let sure = [flow(9, 11, Source::Cm), flow(2, 19, Source::Rdma)];
        let kept = surest(acks.into_iter().chain(sure));
        assert_eq!(kept, [sure[0], acks[2], sure[1]]);
    }

    #[test]
    fn keys_are_those_of_the_frames() {
        let there = flow(7, 8, Source::Rdma);
        assert_eq!(there.key_out(), FlowKey { src: 1, dst: 2, qpn: 8, ..FlowKey::default() });
        assert_eq!(there.key_in(), FlowKey { src: 2, dst: 1, qpn: 7, ..FlowKey::default() });
        assert_eq!(there.reversed().key_out(), there.key_in());
        assert_eq!(there.reversed().reversed(), there);
    }

    #[test]
    fn addresses_read_as_written() {
        assert_eq!(address(false, 0x0a09_0001).to_string(), "10.9.0.1");
        assert_eq!(address(true, 0x2001_0db8 << 96 | 1).to_string(), "2001:db8::1");
    }
}
