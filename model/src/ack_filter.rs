//! Inbound 3 of 4: **ack_filter**. From `flow`, to `packet_memory`.
//!
//! In: one op per frame from the line. Out: keep the frame, drop it, or absorb it (a real ACK on an Active flow), and
//! what its leaving the client port tells `pseudo_ack`. It decides when a flow becomes Active, and when the far side
//! has refused what the sender was already told.
//! Gates: `hdl/src/inbound/ack_filter.rs`, two cycles. Registers: per-flow `back` fields, drop counters.

use crate::psn;
use crate::record::*;
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
    /// The record as it was written; `None` when it was not.
    pub back: Option<Back>,
    /// The template as it was written; `None` when it was not.
    pub template: Option<Template>,
}

/// The far side of every flow.
#[derive(Clone, Debug)]
pub struct AckFilter {
    back: Vec<Back>,
    cfg: Vec<Cfg>,
    rx: Vec<Rx>,
    said: Vec<Said>,
}

impl Default for AckFilter {
    fn default() -> Self {
        AckFilter {
            back: vec![Back::default(); FLOWS],
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
        let at = usize::from(op.index);
        let (cfg, rx, said) = (self.cfg[at], self.rx[at], self.said[at]);
        let state = state(op.enable, &cfg, &rx, &self.back[at]);
        let concerned = op.roce
            && op.hit
            && state != State::Off
            && current(&cfg, &rx)
            && crate::record::op(op.opcode) == Op::Response;
        let active = concerned && state == State::Active;
        let refusal = concerned && op.good && op.opcode == ACKNOWLEDGE && op.syndrome >> 5 != 0;
        if !op.room && !refusal {
            return InVerdict { active, ..drop(Reason::Overflow) };
        }
        if !concerned {
            return forward(Kind::None, &op);
        }
        if !op.good {
            let verdict = if active { drop(Reason::BadIcrc) } else { forward(Kind::None, &op) };
            return InVerdict { active, ..verdict };
        }
        // What another run left behind counts as empty.
        let back = Some(self.back[at]).filter(|b| b.run == rx.run).unwrap_or(Back::empty(rx.run));
        let verdict = match state {
            State::Off | State::Fault | State::Drain => forward(Kind::None, &op),
            State::Sync | State::Active => judge(&op, active, &rx, &said, back),
        };
        if let Some(back) = verdict.back {
            self.back[at] = back;
        }
        if !op.room {
            // A refusal that is lost has its effect all the same: what was refused must not count as acknowledged.
            return InVerdict { active, back: verdict.back, ..drop(Reason::Overflow) };
        }
        let intent = Intent { flow: op.index, run: rx.run, ..verdict.intent };
        InVerdict { active, intent: intent.canonical(), ..verdict }
    }
}

fn drop(reason: Reason) -> InVerdict {
    InVerdict { reason, ..InVerdict::default() }
}

fn forward(kind: Kind, op: &InOp) -> InVerdict {
    let intent = Intent { kind, psn: op.psn, msn: op.msn, ..Intent::default() }.canonical();
    InVerdict { forward: true, push: true, intent, ..InVerdict::default() }
}

/// A good response on a flow in Sync or Active.
fn judge(op: &InOp, active: bool, rx: &Rx, said: &Said, mut back: Back) -> InVerdict {
    match op.opcode {
        ACKNOWLEDGE if op.syndrome >> 5 == 0 && active => {
            if !psn::after(rx.expected, op.psn) {
                // It acknowledges what never passed here: these two queue pairs are no pair.
                back.fault = true;
                return InVerdict { back: Some(back), ..forward(Kind::None, op) };
            }
            let intent = Intent { kind: Kind::Confirm, req: true, psn: op.psn, msn: op.msn, ..Intent::default() };
            InVerdict { push: true, absorbed: true, intent, ..InVerdict::default() }
        }
        ACKNOWLEDGE if op.syndrome >> 5 == 0 => {
            let mut verdict = forward(Kind::Confirm, op);
            if rx.synced && rx.sample_valid && !back.resync && op.psn == rx.sample_psn {
                back.active = true;
                back.offset = psn::sub(op.msn, rx.sample_count);
                verdict.template = Some(Template { header: op.header, vlans: op.vlans, v6: op.v6 });
                verdict.intent.req = true;
            }
            back.seen = true;
            back.seen_psn = op.psn;
            InVerdict { back: Some(back), ..verdict }
        }
        ACKNOWLEDGE => {
            // NAK or RNR.
            if active && said.valid && said.run == rx.run && !psn::after(op.psn, said.acked_psn) {
                back.fault = true;
            } else {
                back.active = false;
                back.resync = true;
            }
            InVerdict { back: Some(back), ..forward(Kind::None, op) }
        }
        READ_RESPONSE_FIRST | READ_RESPONSE_MIDDLE => {
            let code = mtu_code(u32::from(op.payload));
            back.mtu = if code != 0 { code } else { back.mtu };
            InVerdict { back: Some(back).filter(|_| code != 0), ..forward(Kind::None, op) }
        }
        READ_RESPONSE_LAST | READ_RESPONSE_ONLY | ATOMIC_ACKNOWLEDGE => forward(Kind::Confirm, op),
        _ => forward(Kind::None, op),
    }
}

#[cfg(test)]
#[path = "ack_filter_tests.rs"]
mod tests;
