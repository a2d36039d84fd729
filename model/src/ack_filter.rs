//! Inbound 3 of 5: **ack_filter**. From `flow`, to `packet_memory`.
//!
//! In: one op per frame from the line. Out: keep the frame, drop it, or absorb it (a real ACK on an Active flow), and
//! what its leaving the client port tells `pseudo_ack`. It decides when a flow becomes Active, and when the far side
//! has refused what the sender was already told.
//! Gates: `hdl/src/inbound/ack_filter.rs`, two cycles. Registers: per-flow `back` fields, drop counters.

use crate::psn;
use crate::record::*;
use matchrdma_spec::event;
use matchrdma_spec::wire::opcode::*;

/// First bytes of a frame that `parse` hands on: as many as the longest ACK has in front of its ICRC, and four more.
pub const HEADER_BYTES: usize = 90;

/// One frame from the line port, as `ack_filter` sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InOp {
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
    /// A budget frame: none of the data centre's, and `budget_rx` hears it.
    pub budget: bool,
    /// BTH opcode.
    pub opcode: u8,
    /// BTH PSN.
    pub psn: u32,
    /// AETH syndrome.
    pub syndrome: u8,
    /// AETH MSN.
    pub msn: u32,
    /// Payload, bytes.
    pub payload: u16,
    /// First bytes of the frame, zero behind its end.
    pub header: [u8; HEADER_BYTES],
    /// VLAN tags.
    pub vlans: u8,
    /// IPv6.
    pub v6: bool,
    /// Packet memory can take the frame.
    pub room: bool,
    /// Global enable.
    pub enable: bool,
}

impl Default for InOp {
    fn default() -> Self {
        InOp {
            hit: false,
            index: 0,
            roce: false,
            good: false,
            err: false,
            cut: false,
            budget: false,
            opcode: 0,
            psn: 0,
            syndrome: 0,
            msn: 0,
            payload: 0,
            header: [0; HEADER_BYTES],
            vlans: 0,
            v6: false,
            room: false,
            enable: false,
        }
    }
}

/// A real ACK of a flow: what a pseudo-ACK looks like but for PSN, MSN, syndrome and ICRC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Template {
    pub header: [u8; HEADER_BYTES],
    pub vlans: u8,
    pub v6: bool,
}

impl Default for Template {
    fn default() -> Self {
        Template { header: [0; HEADER_BYTES], vlans: 0, v6: false }
    }
}

/// What becomes of the frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InVerdict {
    /// Keep the frame.
    pub forward: bool,
    /// Queue a descriptor: always with `forward`; alone it carries only the intent.
    pub push: bool,
    /// Why it was dropped.
    pub reason: Reason,
    /// The flow was Active.
    pub active: bool,
    /// A real ACK was absorbed.
    pub absorbed: bool,
    /// What its leaving the client port is to tell `pseudo_ack`; canonical.
    pub intent: Intent,
    /// What is to be told of the flow.
    pub event: Option<Event>,
    /// The record as it was written; `None` when it was not.
    pub back: Option<Back>,
    /// The template as it was written; `None` when it was not.
    pub template: Option<Template>,
}

/// What a look at a flow brought, when no frame came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// The record as it was written; `None` when it was not.
    pub back: Option<Back>,
    /// What is to be told of the flow.
    pub event: Option<Event>,
    /// The flow owes, and has for so many ticks.
    pub age: Option<u16>,
}

/// Debt that is watched: PSN `psn` of run `run` had been acknowledged and not confirmed at `at`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mark {
    set: bool,
    run: u8,
    psn: u32,
    at: u16,
}

/// The far side of every flow.
#[derive(Clone, Debug)]
pub struct AckFilter {
    back: Vec<Back>,
    mark: Vec<Mark>,
    cfg: Vec<Cfg>,
    rx: Vec<Rx>,
    said: Vec<Said>,
}

impl Default for AckFilter {
    fn default() -> Self {
        AckFilter {
            back: vec![Back::default(); FLOWS],
            mark: vec![Mark::default(); FLOWS],
            cfg: vec![Cfg::default(); FLOWS],
            rx: vec![Rx::default(); FLOWS],
            said: vec![Said::default(); FLOWS],
        }
    }
}

impl AckFilter {
    /// All flows empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// The host wrote a flow's settings.
    pub fn set_cfg(&mut self, index: u16, cfg: Cfg) {
        self.cfg[usize::from(index)] = cfg;
    }

    /// `track` wrote its record of a flow.
    pub fn set_rx(&mut self, index: u16, rx: Rx) {
        self.rx[usize::from(index)] = rx;
    }

    /// `pseudo_ack` wrote its record of a flow.
    pub fn set_said(&mut self, index: u16, said: Said) {
        self.said[usize::from(index)] = said;
    }

    /// The record of a flow, as other stages copy it.
    pub fn back(&self, index: u16) -> Back {
        self.back[usize::from(index)]
    }

    /// Judges one frame and moves its flow on.
    pub fn op(&mut self, op: InOp) -> InVerdict {
        if op.err {
            return drop(if op.cut { Reason::Malformed } else { Reason::MacError });
        }
        if op.budget {
            return InVerdict::default();
        }
        let at = usize::from(op.index);
        let (cfg, rx, said) = (self.cfg[at], self.rx[at], self.said[at]);
        let state = state(op.enable, &cfg, &rx, &self.back[at]);
        let concerned = op.roce
            && op.hit
            && state != State::Off
            && current(&cfg, &rx)
            && crate::record::op(op.opcode) == Op::Response;
        let active = concerned && state == State::Active;
        if !concerned || !op.good {
            let bad = active.then_some(Reason::BadIcrc);
            let reason = if op.room { bad } else { Some(Reason::Overflow) };
            let verdict = reason.map_or(forward(Kind::None, &op), drop);
            return InVerdict { active, ..verdict };
        }
        // What another run left behind counts as empty.
        let back = Some(self.back[at]).filter(|b| b.run == rx.run).unwrap_or(Back::empty(rx.run));
        let mut answer = Answer { op: &op, state, rx, said, back, before: back, template: None, code: 0 };
        let verdict = answer.judge();
        let event = Some(answer.code).filter(|c| *c != 0);
        let event = event.map(|code| Event { code, flow: op.index, run: rx.run, psn: op.psn });
        let (after, template) = (answer.back, answer.template);
        let written = Some(after).filter(|after| *after != answer.before);
        self.back[at] = written.unwrap_or(self.back[at]);
        if !op.room {
            // What the far side said has its effect all the same, but for what must reach the sender to have one.
            return InVerdict { active, back: written, event, ..drop(Reason::Overflow) };
        }
        let intent = Intent { flow: op.index, run: rx.run, ..verdict.intent };
        InVerdict { active, intent: intent.canonical(), back: written, template, event, ..verdict }
    }

    /// Looks after one flow when no frame comes.
    pub fn sweep(&mut self, index: u16, enable: bool, times: &Times) -> Swept {
        let at = usize::from(index);
        let (cfg, rx, said, back) = (self.cfg[at], self.rx[at], self.said[at], self.back[at]);
        let state = state(enable, &cfg, &rx, &back);
        let mark = &mut self.mark[at];
        let mut swept = Swept::default();
        let watched = mark.set && mark.run == rx.run;
        let due = debt(&rx, &back, &said) && matches!(state, State::Active | State::Drain);
        let passed = !psn::after(mark.psn, back.seen_psn);
        if !due {
            mark.set = false;
        } else if !watched || passed {
            *mark = Mark { set: true, run: rx.run, psn: said.acked_psn, at: times.stamp() };
        } else {
            swept.age = Some(times.stamp().wrapping_sub(mark.at));
            if state == State::Active && before(mark.at, times.debt) {
                let failed = Back { fault: true, cause: event::FAULT_DEBT, refusal: REFUSAL_REMOTE, ..back };
                self.back[at] = failed;
                swept.back = Some(failed);
                swept.event = Some(Event { code: event::FAULT_DEBT, flow: index, run: rx.run, psn: mark.psn });
            }
            mark.at = times.clamp(mark.at);
        }
        swept
    }

    /// How long the oldest debt that is watched has been open, ticks.
    pub fn debt_age(&self, index: u16, times: &Times) -> Option<u16> {
        let mark = &self.mark[usize::from(index)];
        let watched = mark.set && mark.run == self.rx[usize::from(index)].run;
        watched.then(|| times.stamp().wrapping_sub(mark.at))
    }
}

/// Low bits of the syndrome of a remote operational error, which is what a flow in Fault answers.
const REFUSAL_REMOTE: u8 = 3;

fn drop(reason: Reason) -> InVerdict {
    InVerdict { reason, ..InVerdict::default() }
}

fn forward(kind: Kind, op: &InOp) -> InVerdict {
    let intent = Intent { kind, psn: op.psn, msn: op.msn, ..Intent::default() }.canonical();
    InVerdict { forward: true, push: true, intent, ..InVerdict::default() }
}

/// A good response, together with what the stages know of its flow.
struct Answer<'a> {
    op: &'a InOp,
    state: State,
    rx: Rx,
    said: Said,
    back: Back,
    before: Back,
    template: Option<Template>,
    code: u8,
}

impl Answer<'_> {
    fn judge(&mut self) -> InVerdict {
        let op = self.op;
        match op.opcode {
            ACKNOWLEDGE if self.state == State::Fault => drop(Reason::Fault),
            _ if self.state == State::Fault => forward(Kind::None, op),
            ACKNOWLEDGE if op.syndrome >> 5 == 0 => self.ack(),
            ACKNOWLEDGE => self.refusal(),
            READ_RESPONSE_FIRST | READ_RESPONSE_MIDDLE => {
                let code = mtu_code(u32::from(op.payload));
                self.back.mtu = if code != 0 { code } else { self.back.mtu };
                forward(Kind::None, op)
            }
            _ => {
                self.see();
                forward(Kind::Answer, op)
            }
        }
    }

    /// It was sent, as far as is known here.
    fn sent(&self) -> bool {
        psn::after(self.rx.expected, self.op.psn)
    }

    /// The sender was told that it had arrived.
    fn told(&self) -> bool {
        let said = &self.said;
        said.valid && said.run == self.rx.run && !psn::after(self.op.psn, said.acked_psn)
    }

    /// The far side has everything up to this PSN.
    fn see(&mut self) {
        let psn = self.op.psn;
        let news = !self.back.seen || psn::after(psn, self.back.seen_psn);
        if news && (self.state != State::Active || self.sent()) {
            (self.back.seen, self.back.seen_psn) = (true, psn);
        }
    }

    fn ack(&mut self) -> InVerdict {
        let op = self.op;
        self.see();
        match self.state {
            State::Active if !self.sent() => {
                if self.rx.rewound {
                    // Sent before the flow went back.
                    (self.back.active, self.back.resync, self.code) = (false, true, event::RESYNC);
                } else {
                    // It acknowledges what never passed here: these two queue pairs are no pair.
                    (self.back.off, self.back.cause, self.code) = (true, event::MISPAIRED, event::MISPAIRED);
                }
                forward(Kind::None, op)
            }
            State::Active => {
                let said = &self.said;
                let same_psn = said.valid && said.run == self.rx.run && op.psn == said.acked_psn;
                if same_psn && op.msn != said.acked_msn {
                    (self.back.drain, self.back.cause, self.code) = (true, event::DRAIN_MSN, event::DRAIN_MSN);
                }
                let intent = Intent { kind: Kind::Confirm, req: true, psn: op.psn, msn: op.msn, ..Intent::default() };
                InVerdict { push: true, absorbed: true, intent, ..InVerdict::default() }
            }
            State::Sync => {
                let mut verdict = forward(Kind::Confirm, op);
                let rx = &self.rx;
                let sample = rx.synced && rx.sample_valid && op.psn == rx.sample_psn;
                // A match in a run that is about to be void would swallow what the sender repeats.
                if sample && op.room && !self.back.resync {
                    self.back.active = true;
                    self.back.offset = psn::sub(op.msn, rx.sample_count);
                    self.template = Some(Template { header: op.header, vlans: op.vlans, v6: op.v6 });
                    self.code = event::ACTIVE;
                    verdict.intent.req = true;
                }
                verdict
            }
            _ => forward(Kind::Confirm, op),
        }
    }

    /// NAK or RNR.
    fn refusal(&mut self) -> InVerdict {
        let op = self.op;
        match self.state {
            State::Active | State::Drain if self.told() => {
                let own = matches!(op.syndrome, 0x61 | 0x62);
                self.back.fault = true;
                self.back.refusal = if own { op.syndrome & 3 } else { REFUSAL_REMOTE };
                (self.back.cause, self.code) = (event::FAULT_REFUSED, event::FAULT_REFUSED);
                drop(Reason::Fault)
            }
            State::Active => {
                (self.back.active, self.back.resync, self.code) = (false, true, event::RESYNC);
                forward(Kind::None, op)
            }
            State::Sync => {
                self.back.resync = true;
                forward(Kind::None, op)
            }
            _ => forward(Kind::None, op),
        }
    }
}

#[cfg(test)]
#[path = "ack_filter_tests.rs"]
mod tests;
