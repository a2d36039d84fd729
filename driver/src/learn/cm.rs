//! Pairs from RDMA CM messages (IBTA 1.6, 12.6): a REQ names the queue pair of its sender, the REP that answers it
//! the other one.

use super::{LearnedFlow, Route, Source};
use matchrdma_spec::regs::flow::mtu_bytes;
use matchrdma_spec::wire::cm::{rep::CmRep, req::CmReq, rtu::CmRtu};
use matchrdma_spec::wire::cm::{ATTRIBUTE_REJ, ATTRIBUTE_REP, ATTRIBUTE_REQ};
use matchrdma_spec::wire::packet::Meta;
use matchrdma_spec::wire::{bth, deth, mad};
use std::collections::BTreeMap;

/// `CmReq::service_type` of a reliable connection.
const SERVICE_RC: u8 = 0;
/// Requests remembered while they wait for their reply.
const MAX_OPEN: usize = 4096;

/// Connections seen being made.
#[derive(Clone, Debug, Default)]
pub struct Cm {
    /// By route of the REQ and communication id of its sender.
    open: BTreeMap<(Route, u32), CmReq>,
    /// By the same: the flow whose requester sent the REQ.
    made: BTreeMap<(Route, u32), LearnedFlow>,
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
            _ => {}
        }
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
