//! Pairs from RDMA CM messages (IBTA 1.6, 12.6): a REQ names the queue pair of its sender, the REP that answers it
//! the other one. A DREQ names the queue pair of its receiver: the connection ends. It stays known until it is forgotten, since
//! who reads a whole capture wants the connections that were.

use super::{LearnedFlow, Route, Source};
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::regs::flow::mtu_bytes;
use matchrdma_spec::wire::cm::{dreq::CmDreq, rep::CmRep, req::CmReq, rtu::CmRtu};
use matchrdma_spec::wire::cm::{ATTRIBUTE_DREQ, ATTRIBUTE_REJ, ATTRIBUTE_REP, ATTRIBUTE_REQ};
use matchrdma_spec::wire::packet::Meta;
use matchrdma_spec::wire::{bth, deth, mad};
use std::collections::BTreeMap;

/// `CmReq::service_type` of a reliable connection.
const SERVICE_RC: u8 = 0;
/// Requests remembered while they wait for their reply.
const MAX_OPEN: usize = 4096;

/// Connections remembered.
const MAX_MADE: usize = 16384;
/// Ended connections that are remembered until they are asked for.
const MAX_ENDED: usize = 4096;

/// Connections seen being made.
#[derive(Clone, Debug, Default)]
pub struct Cm {
    /// By route of the REQ and communication id of its sender.
    open: BTreeMap<(Route, u32), CmReq>,
    /// By the same: the flow whose requester sent the REQ.
    made: BTreeMap<(Route, u32), LearnedFlow>,
    /// Keys of packets to queue pairs that a DREQ named.
    ended: Vec<FlowKey>,
}

impl Cm {
    /// A UD packet with the right ICRC.
    pub fn datagram(&mut self, frame: &[u8], meta: &Meta) {
        if meta.dest_qpn != mad::QP_GSI {
            return;
        }
        let Some(datagram) = frame.get(meta.bth_offset() + bth::BYTES + deth::BYTES..) else { return };
        let Some(header) = mad::Mad::parse(datagram) else { return };
        let message = &datagram[mad::BYTES..];
        if header.class != mad::CLASS_CM || header.method != mad::METHOD_SEND {
            return;
        }
        let there = Route::of_request(meta);
        match header.attribute {
            ATTRIBUTE_REQ => {
                if let Some(req) = CmReq::parse(message).filter(|r| r.service_type == SERVICE_RC) {
                    if self.open.len() >= MAX_OPEN {
                        self.open.pop_first();
                    }
                    self.open.insert((there, req.local_comm_id), req);
                }
            }
            ATTRIBUTE_REP => {
                if let Some(rep) = CmRep::parse(message) {
                    self.reply(there.reversed(), &rep);
                }
            }
            ATTRIBUTE_REJ => {
                // It begins as an RTU does, with the communication ids of its sender and its receiver.
                if let Some(ids) = CmRtu::parse(message) {
                    for key in [(there, ids.local_comm_id), (there.reversed(), ids.remote_comm_id)] {
                        self.open.remove(&key);
                        self.made.remove(&key);
                    }
                }
            }
            ATTRIBUTE_DREQ => {
                if let Some(dreq) = CmDreq::parse(message) {
                    let key = there.key(dreq.remote_qpn);
                    if self.ended.len() < MAX_ENDED && !self.ended.contains(&key) {
                        self.ended.push(key);
                    }
                }
            }
            _ => {}
        }
    }

    /// Forgets the connection one of whose ends has this key.
    pub fn forget(&mut self, key: &FlowKey) {
        let open = &mut self.open;
        self.made.retain(|id, flow| {
            let keep = flow.key_out() != *key && flow.key_in() != *key;
            if !keep {
                open.remove(id);
            }
            keep
        });
    }

    /// Keys of packets to queue pairs whose connection has ended since this was asked.
    pub fn ended(&mut self) -> Vec<FlowKey> {
        std::mem::take(&mut self.ended)
    }

    /// A REP to a REQ that took `route`. It stays open: a lost REP is sent again.
    fn reply(&mut self, route: Route, rep: &CmRep) {
        let key = (route, rep.remote_comm_id);
        let Some(req) = self.open.get(&key) else { return };
        let flow = LearnedFlow {
            route,
            requester_qpn: req.local_qpn,
            responder_qpn: rep.local_qpn,
            mtu: mtu_bytes(req.path_mtu.into()),
            source: Source::Cm,
        };
        // A number that is in use again belongs to the newest connection.
        self.made.retain(|_, old| old.key_out() != flow.key_out() && old.key_in() != flow.key_in());
        if self.made.len() >= MAX_MADE {
            self.made.pop_first();
        }
        self.made.insert(key, flow);
    }

    /// Pairs known now, both directions of each.
    pub fn flows(&self) -> Vec<LearnedFlow> {
        self.made.values().flat_map(|flow| [*flow, flow.reversed()]).collect()
    }
}

#[cfg(test)]
#[path = "cm_tests.rs"]
mod tests;
