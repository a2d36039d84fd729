//! Outbound 4 of 5: **track**. From `flow`, to `packet_memory`.
//!
//! In: one op per frame, judged by `icrc` and found by `flow`. Out: keep the frame or drop it, and what may be
//! acknowledged once it has left. It keeps each flow as the far responder would: expected PSN and message count.
//! Gates: `hdl/src/outbound/track.rs`, two cycles. Registers: per-flow `rx` fields, drop counters.
//!
//! Here a copy written by another stage is seen by the very next op; in gates a few cycles later. Both are right:
//! nothing but the order of two ports says which comes first.

use crate::psn;
use crate::record::*;
use matchrdma_spec::wire::opcode::{completes_message, is_barrier};

/// One frame from the client port, as `track` sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrackOp {
    /// The flow table knows the frame's key.
    pub hit: bool,
    /// Flow index, when `hit`.
    pub index: u16,
    /// A complete RoCEv2 packet.
    pub roce: bool,
    /// ICRC and IP checksum right; meaningful when `roce`.
    pub good: bool,
    /// MAC error, or cut.
    pub err: bool,
    /// Longer than a frame may be.
    pub cut: bool,
    /// A budget frame.
    pub budget: bool,
    /// BTH opcode.
    pub opcode: u8,
    /// BTH PSN.
    pub psn: u32,
    /// BTH AckReq.
    pub ack_req: bool,
    /// RETH length, bytes.
    pub reth_len: u32,
    /// Payload, bytes.
    pub payload: u16,
    /// Packet memory can take the frame.
    pub room: bool,
    /// Global enable.
    pub enable: bool,
}

/// What becomes of the frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Keep the frame.
    pub forward: bool,
    /// Queue a descriptor: always with `forward`; alone it carries only the intent.
    pub push: bool,
    /// Why it was dropped.
    pub reason: Reason,
    /// The flow was Active.
    pub active: bool,
    /// What its departure is to tell `pseudo_ack`; canonical.
    pub intent: Intent,
}

/// The receive side of every flow.
#[derive(Clone, Debug)]
pub struct Track {
    rx: Vec<Rx>,
    cfg: Vec<Cfg>,
    back: Vec<Back>,
}

impl Default for Track {
    fn default() -> Self {
        Track { rx: vec![Rx::default(); FLOWS], cfg: vec![Cfg::default(); FLOWS], back: vec![Back::default(); FLOWS] }
    }
}

impl Track {
    /// All flows empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// The host wrote a flow's settings.
    pub fn set_cfg(&mut self, index: u16, cfg: Cfg) {
        self.cfg[usize::from(index)] = cfg;
    }

    /// `ack_filter` wrote its record of a flow.
    pub fn set_back(&mut self, index: u16, back: Back) {
        self.back[usize::from(index)] = back;
    }

    /// The record of a flow, as other stages copy it.
    pub fn rx(&self, index: u16) -> Rx {
        self.rx[usize::from(index)]
    }

    /// Judges one frame and moves its flow on.
    pub fn op(&mut self, op: TrackOp) -> Verdict {
        if op.err {
            return drop(if op.cut { Reason::Malformed } else { Reason::MacError });
        }
        if op.budget {
            return drop(Reason::BudgetFromClient);
        }
        let class = crate::record::op(op.opcode);
        let at = usize::from(op.index);
        let (cfg, back) = (self.cfg[at], self.back[at]);
        let state = state(op.enable, &cfg, &self.rx[at], &back);
        let concerned = op.roce && op.hit && state != State::Off && !matches!(class, Op::Other | Op::Response);
        let active = concerned && state == State::Active;
        if !op.room {
            if concerned && state == State::Sync {
                self.rx[at] = restarted(&cfg, &self.rx[at], &back);
            }
            return Verdict { active, ..drop(Reason::Overflow) };
        }
        if !concerned {
            return forward(Intent::default());
        }
        let flow = Flow { op, class, cfg, back };
        let (rx, verdict) = match state {
            State::Off | State::Fault | State::Drain => (self.rx[at], forward(Intent::default())),
            State::Sync => flow.sync(self.rx[at]),
            State::Active => flow.active(self.rx[at]),
        };
        self.rx[at] = rx;
        // The intent belongs to the run in which the op left the flow.
        let intent = Intent { flow: op.index, run: rx.run, ..verdict.intent };
        Verdict { active, intent: intent.canonical(), ..verdict }
    }
}

fn drop(reason: Reason) -> Verdict {
    Verdict { reason, ..Verdict::default() }
}

fn drop_but_push(reason: Reason, intent: Intent) -> Verdict {
    Verdict { push: true, reason, intent, ..Verdict::default() }
}

fn forward(intent: Intent) -> Verdict {
    Verdict { forward: true, push: true, intent, ..Verdict::default() }
}

/// A new run: nothing known but the path MTU, and that only of the same serial.
fn restarted(cfg: &Cfg, rx: &Rx, back: &Back) -> Rx {
    Rx {
        serial: cfg.serial,
        run: next_run(rx, back),
        mtu: if current(cfg, rx) { rx.mtu } else { 0 },
        expected: rx.expected,
        ..Rx::default()
    }
}

/// An op together with what the other stages know of its flow.
struct Flow {
    op: TrackOp,
    class: Op,
    cfg: Cfg,
    back: Back,
}

impl Flow {
    /// PSNs the packet takes, by the MTU as it was known before the op.
    fn consumes(&self, rx: &Rx) -> Option<u32> {
        let current = current(&self.cfg, rx);
        let same = same(&self.cfg, rx, &self.back);
        let mtu = mtu_bytes(self.cfg.mtu)
            .or(mtu_bytes(rx.mtu).filter(|_| current))
            .or(mtu_bytes(self.back.mtu).filter(|_| same));
        consumes(self.op.opcode, self.op.reth_len, mtu)
    }

    fn barrier_intent(&self, n: u32) -> Intent {
        let msn = psn::sub(psn::add(self.op.psn, n), 1);
        Intent { kind: Kind::Barrier, psn: self.op.psn, msn, ..Intent::default() }
    }

    fn learn_mtu(&self, rx: &mut Rx) {
        let code = mtu_code(u32::from(self.op.payload));
        if fills_mtu(self.op.opcode) && code != 0 {
            rx.mtu = code;
        }
    }

    /// Follow, forward, look for a packet whose real ACK will tell the message count.
    fn sync(&self, before: Rx) -> (Rx, Verdict) {
        let op = &self.op;
        let fresh = restarted(&self.cfg, &before, &self.back);
        let n = match self.consumes(&before) {
            Some(n) if op.good && self.class != Op::Unknown => n,
            _ => return (fresh, forward(Intent::default())),
        };
        let seen = same(&self.cfg, &before, &self.back);
        let stale = !current(&self.cfg, &before) || (seen && self.back.resync);
        let mut rx = if stale { fresh } else { before };
        if !rx.synced || op.psn != rx.expected {
            if rx.synced {
                rx = fresh;
            }
            rx.synced = true;
            rx.expected = psn::add(op.psn, n);
            rx.count = u32::from(completes_message(op.opcode));
        } else {
            rx.expected = psn::add(rx.expected, n);
            rx.count = psn::add(rx.count, u32::from(completes_message(op.opcode)));
            self.learn_mtu(&mut rx);
            let passed = seen && self.back.seen && !psn::after(rx.sample_psn, self.back.seen_psn);
            if ends_data(op.opcode) && op.ack_req && (!rx.sample_valid || passed) {
                rx.sample_valid = true;
                rx.sample_psn = op.psn;
                rx.sample_count = rx.count;
            }
        }
        let barrier = is_barrier(op.opcode, self.cfg.ack_ops_write);
        (rx, forward(if barrier { self.barrier_intent(n) } else { Intent::default() }))
    }

    /// Accept what is in order and refuse what is not, as the responder would.
    fn active(&self, mut rx: Rx) -> (Rx, Verdict) {
        let op = &self.op;
        if !op.good {
            return (rx, drop(Reason::BadIcrc));
        }
        let in_order = op.psn == rx.expected;
        let n = self.consumes(&rx);
        if self.class == Op::Unknown || astray(op.psn, rx.expected) || (in_order && n.is_none()) {
            rx.drain = true;
            return (rx, forward(Intent::default()));
        }
        let n = n.unwrap_or(1);
        let barrier = is_barrier(op.opcode, self.cfg.ack_ops_write);
        let verdict = if in_order {
            rx.expected = psn::add(rx.expected, n);
            rx.count = psn::add(rx.count, u32::from(completes_message(op.opcode)));
            rx.gap = false;
            self.learn_mtu(&mut rx);
            let msn = psn::add(rx.count, self.back.offset);
            let ack = Intent { kind: Kind::Ack, req: op.ack_req, psn: op.psn, msn, ..Intent::default() };
            forward(if barrier { self.barrier_intent(n) } else { ack })
        } else if psn::after(op.psn, rx.expected) {
            let msn = psn::add(rx.count, self.back.offset);
            let nak = Intent { kind: Kind::Nak, psn: rx.expected, msn, ..Intent::default() };
            let first = !rx.gap;
            rx.gap = true;
            if first {
                drop_but_push(Reason::OutOfOrder, nak)
            } else {
                drop(Reason::OutOfOrder)
            }
        } else if barrier {
            forward(self.barrier_intent(n))
        } else if op.ack_req {
            drop_but_push(Reason::Duplicate, Intent { kind: Kind::Reack, ..Intent::default() })
        } else {
            drop(Reason::Duplicate)
        };
        (rx, verdict)
    }
}

#[cfg(test)]
#[path = "track_tests.rs"]
mod tests;
