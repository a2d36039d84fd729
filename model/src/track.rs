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
use matchrdma_spec::event;
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
    /// A MAC control frame.
    pub mac_control: bool,
    /// BTH opcode.
    pub opcode: u8,
    /// BTH PSN.
    pub psn: u32,
    /// BTH AckReq.
    pub ack_req: bool,
    /// BTH MigReq.
    pub mig_req: bool,
    /// RETH length, bytes.
    pub reth_len: u32,
    /// Payload, bytes.
    pub payload: u16,
    /// Packet memory can take the frame.
    pub room: bool,
    /// Global enable.
    pub enable: bool,
    /// The time.
    pub times: Times,
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
    /// The flow is not Off.
    pub tracked: bool,
    /// What its departure is to tell `pseudo_ack`; canonical.
    pub intent: Intent,
    /// What is to be told of the flow.
    pub event: Option<Event>,
}

/// The receive side of every flow.
#[derive(Clone, Debug)]
pub struct Track {
    rx: Vec<Rx>,
    /// When each flow last came on, went back, opened a gap or began to drain: whichever was last.
    moved: Vec<u16>,
    cfg: Vec<Cfg>,
    back: Vec<Back>,
    said: Vec<Said>,
}

impl Default for Track {
    fn default() -> Self {
        Track {
            rx: vec![Rx::default(); FLOWS],
            moved: vec![0; FLOWS],
            cfg: vec![Cfg::default(); FLOWS],
            back: vec![Back::default(); FLOWS],
            said: vec![Said::default(); FLOWS],
        }
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

    /// `pseudo_ack` wrote its record of a flow.
    pub fn set_said(&mut self, index: u16, said: Said) {
        self.said[usize::from(index)] = said;
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
        if op.mac_control {
            return drop(Reason::Pfc);
        }
        let class = crate::record::op(op.opcode);
        let at = usize::from(op.index);
        let (cfg, back) = (self.cfg[at], self.back[at]);
        let state = state(op.enable, &cfg, &self.rx[at], &back);
        let concerned = op.roce && op.hit && state != State::Off && !matches!(class, Op::Other | Op::Response);
        let active = concerned && state == State::Active;
        if concerned && state == State::Sync {
            // A packet that memory has no room for is followed like one that is bad.
            let mut flow = Flow { op, class, cfg, back, rx: self.rx[at], moved: self.moved[at] };
            let verdict = flow.sync();
            (self.rx[at], self.moved[at]) = (flow.rx, flow.moved);
            return Verdict { tracked: true, ..if op.room { flow.finish(verdict) } else { drop(Reason::Overflow) } };
        }
        if !op.room {
            return Verdict { active, tracked: concerned, ..drop(Reason::Overflow) };
        }
        if !concerned {
            return forward(Intent::default());
        }
        let mut flow = Flow { op, class, cfg, back, rx: self.rx[at], moved: self.moved[at] };
        let verdict = match state {
            State::Active => flow.active(),
            State::Fault => flow.fault(),
            _ => forward(Intent::default()),
        };
        (self.rx[at], self.moved[at]) = (flow.rx, flow.moved);
        Verdict { active, tracked: true, ..flow.finish(verdict) }
    }

    /// Looks after one flow when no frame comes. True, when `rx` was written; what is to be told.
    pub fn sweep(&mut self, index: u16, enable: bool, times: &Times) -> (bool, Option<Event>) {
        let at = usize::from(index);
        let (cfg, back, said) = (self.cfg[at], self.back[at], self.said[at]);
        let (mut rx, mut moved) = (self.rx[at], self.moved[at]);
        let debt = debt(&rx, &back, &said);
        let over = |ticks: u16| before(moved, ticks);
        let event = match state(enable, &cfg, &rx, &back) {
            State::Active if rx.gap && over(times.gap) => {
                (rx.drain, rx.cause, moved) = (true, event::DRAIN_GAP, times.stamp());
                Some((event::DRAIN_GAP, rx.expected))
            }
            State::Active if !debt && over(times.idle) => {
                rx = restarted(&rx, &back);
                Some((event::IDLE, rx.expected))
            }
            State::Drain if !rx.drain => {
                (rx.drain, rx.cause, moved) = (true, back.cause, times.stamp());
                None
            }
            State::Drain if times.stamp().wrapping_sub(moved) > 1 && (!debt || over(times.debt)) => {
                if event::returns_to_sync(rx.cause) {
                    rx = Rx { drain: false, rewound: true, ..restarted(&rx, &back) };
                } else {
                    (rx.drain, rx.off) = (false, true);
                }
                Some((if debt { event::DRAIN_TIMEOUT } else { event::DRAINED }, said.acked_psn))
            }
            _ => None,
        };
        let wrote = rx != self.rx[at];
        self.rx[at] = rx;
        self.moved[at] = times.clamp(moved);
        (wrote, event.map(|(code, psn)| Event { code, flow: index, run: rx.run, psn }))
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

/// A new run, in which nothing has been followed yet. What was ever sent is not forgotten.
fn restarted(rx: &Rx, back: &Back) -> Rx {
    Rx { run: next_run(rx, back), synced: false, gap: false, sample_valid: false, count: 0, ..*rx }
}

/// An op together with what the stages know of its flow.
struct Flow {
    op: TrackOp,
    class: Op,
    cfg: Cfg,
    back: Back,
    rx: Rx,
    moved: u16,
}

impl Flow {
    /// The intent and the event belong to the run in which the op left the flow.
    fn finish(&self, verdict: Verdict) -> Verdict {
        let (flow, run) = (self.op.index, self.rx.run);
        let intent = Intent { flow, run, ..verdict.intent };
        let event = verdict.event.map(|event| Event { flow, run, ..event });
        Verdict { intent: intent.canonical(), event, ..verdict }
    }

    /// Path MTU, as it was known before the op.
    fn mtu(&self) -> Option<u32> {
        let current = current(&self.cfg, &self.rx);
        let same = same(&self.cfg, &self.rx, &self.back);
        mtu_bytes(self.cfg.mtu)
            .or(mtu_bytes(self.rx.mtu).filter(|_| current))
            .or(mtu_bytes(self.back.mtu).filter(|_| same))
    }

    /// PSNs the packet takes.
    fn consumes(&self) -> Option<u32> {
        consumes(self.op.opcode, self.op.reth_len, self.mtu())
    }

    fn completes(&self) -> u32 {
        completes_message(self.op.opcode).into()
    }

    /// The intent of a request that only the far side can answer; `repeat`: not for the first time.
    fn barrier_intent(&self, n: u32, repeat: bool) -> Intent {
        if !is_barrier(self.op.opcode, self.cfg.ack_ops_write) {
            return Intent::default();
        }
        let msn = psn::sub(psn::add(self.op.psn, n), 1);
        // One that an ACK answers, an ACK of anything later answers too, also when it is a repeat.
        let req = repeat && is_barrier(self.op.opcode, false);
        Intent { kind: Kind::Barrier, req, psn: self.op.psn, msn, ..Intent::default() }
    }

    fn learn_mtu(&mut self) {
        let code = mtu_code(u32::from(self.op.payload));
        if fills_mtu(self.op.opcode) && code != 0 {
            self.rx.mtu = code;
        }
    }

    /// The flow stands still from now on.
    fn stop(&mut self) {
        if !self.rx.gap {
            self.moved = self.op.times.stamp();
        }
        self.rx.gap = true;
    }

    /// Follow, forward, look for a packet whose real ACK will tell the message count.
    fn sync(&mut self) -> Verdict {
        let op = self.op;
        let odd = odd(op.opcode, op.payload.into());
        let n = match self.consumes() {
            Some(n) if op.room && op.good && self.class != Op::Unknown && !odd => n,
            _ => {
                // Nothing can be followed from here.
                if current(&self.cfg, &self.rx) {
                    self.rx = restarted(&self.rx, &self.back);
                }
                return forward(Intent::default());
            }
        };
        let after = psn::add(op.psn, n);
        let stale = !current(&self.cfg, &self.rx);
        let void = stale || (self.back.resync && same(&self.cfg, &self.rx, &self.back));
        let begun = self.rx.synced && !void;
        let in_order = op.psn == self.rx.expected && !stale;
        let astray = astray(op.psn, self.rx.expected);
        let ahead = psn::after(op.psn, self.rx.expected);
        let late = self.rx.gap && before(self.moved, op.times.gap);
        let repeat = !stale && !in_order && !astray && !ahead && !late;
        if void || (self.rx.synced && !in_order && !repeat) {
            self.rx = restarted(&self.rx, &self.back);
        }
        if stale {
            let Rx { run, .. } = self.rx;
            self.rx = Rx { run, serial: self.cfg.serial, ..Rx::default() };
        }
        self.rx.synced = true;
        if repeat {
            // A sender that goes back: what it repeats is no news, and no sample may be among it.
            self.rx.sample_valid = false;
            self.stop();
            return forward(self.barrier_intent(n, true));
        }
        self.rx.rewound |= !stale && !in_order && (astray || !ahead);
        self.rx.expected = after;
        self.rx.gap = false;
        self.rx.mig = op.mig_req;
        self.moved = op.times.stamp();
        if begun && in_order {
            self.rx.count = psn::add(self.rx.count, self.completes());
            self.learn_mtu();
            let seen = same(&self.cfg, &self.rx, &self.back) && self.back.seen;
            let passed = seen && !psn::after(self.rx.sample_psn, self.back.seen_psn);
            if ends_data(op.opcode) && op.ack_req && (!self.rx.sample_valid || passed) {
                self.rx.sample_valid = true;
                self.rx.sample_psn = op.psn;
                self.rx.sample_count = self.rx.count;
            }
        } else {
            self.rx.count = self.completes();
        }
        forward(self.barrier_intent(n, false))
    }

    /// Why the flow must drain, if it must.
    fn drains(&self, n: Option<u32>) -> Option<u8> {
        let (op, rx) = (&self.op, &self.rx);
        let payload = op.payload.into();
        if self.class == Op::Unknown {
            Some(event::DRAIN_OPCODE)
        } else if odd(op.opcode, payload) || misfit(op.opcode, payload, self.mtu()) {
            Some(event::DRAIN_MALFORMED)
        } else if op.mig_req != rx.mig {
            Some(event::DRAIN_MIGRATED)
        } else if astray(op.psn, rx.expected) {
            Some(event::DRAIN_ASTRAY)
        } else if op.psn == rx.expected && n.is_none() {
            Some(event::DRAIN_READ)
        } else {
            None
        }
    }

    /// Accept what is in order and refuse what is not, as the responder would.
    fn active(&mut self) -> Verdict {
        let op = self.op;
        if !op.good {
            return drop(Reason::BadIcrc);
        }
        let n = self.consumes();
        if let Some(code) = self.drains(n) {
            (self.rx.drain, self.rx.cause, self.moved) = (true, code, op.times.stamp());
            self.rx.mould = true;
            let event = Some(Event { code, flow: 0, run: 0, psn: op.psn });
            return Verdict { event, ..forward(Intent::default()) };
        }
        let n = n.unwrap_or(1);
        let barrier = is_barrier(op.opcode, self.cfg.ack_ops_write);
        if op.psn == self.rx.expected {
            self.rx.expected = psn::add(op.psn, n);
            self.rx.count = psn::add(self.rx.count, self.completes());
            self.rx.gap = false;
            self.moved = op.times.stamp();
            self.learn_mtu();
            let msn = psn::add(self.rx.count, self.back.offset);
            self.rx.mould = true;
            let ack = Intent { kind: Kind::Ack, req: op.ack_req, psn: op.psn, msn, ..Intent::default() };
            forward(if barrier { self.barrier_intent(n, false) } else { ack })
        } else if psn::after(op.psn, self.rx.expected) {
            let msn = psn::add(self.rx.count, self.back.offset);
            let nak = Intent { kind: Kind::Nak, psn: self.rx.expected, msn, ..Intent::default() };
            let first = !self.rx.gap;
            self.stop();
            self.rx.mould |= first;
            if first {
                drop_but_push(Reason::OutOfOrder, nak)
            } else {
                drop(Reason::OutOfOrder)
            }
        } else if barrier {
            forward(self.barrier_intent(n, true))
        } else if op.ack_req {
            drop_but_push(Reason::Duplicate, Intent { kind: Kind::Reack, ..Intent::default() })
        } else {
            drop(Reason::Duplicate)
        }
    }

    /// Refuse: what was acknowledged has not arrived.
    fn fault(&mut self) -> Verdict {
        if !self.op.good {
            return drop(Reason::BadIcrc);
        }
        let msn = SYNDROME_NAK | u32::from(self.back.refusal);
        drop_but_push(Reason::Fault, Intent { kind: Kind::Refuse, psn: self.op.psn, msn, ..Intent::default() })
    }
}

/// Syndrome of a NAK without its code.
const SYNDROME_NAK: u32 = 0x60;

#[cfg(test)]
#[path = "track_tests.rs"]
mod tests;
