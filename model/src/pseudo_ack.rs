//! Outbound, beside 5: **pseudo_ack**. From departures on both ports, to the `arbiter` on the client port.
//!
//! In: intents, in the order in which what they speak of left the line port or the client port. Out: ACK and NAK
//! frames to the sender, which this block alone builds while a flow is Active, so that they never step backwards.
//! What may be said, and when it must wait for the far side, is all here.
//! Gates: `hdl/src/outbound/pseudo_ack.rs`. Registers: per-flow `said` fields, `PSEUDO_ACKS`, `NAKS`.

use crate::ack_filter::Template;
use crate::icrc;
use crate::psn;
use crate::record::*;
use matchrdma_spec::wire::{aeth, bth, eth, icrc as icrc_format, ipv4, ipv6, udp, vlan};
use std::collections::VecDeque;

/// Syndrome of an ACK without credits.
pub const SYNDROME_ACK: u8 = 0x1f;
/// Syndrome of a NAK for a PSN sequence error.
pub const SYNDROME_NAK: u8 = 0x60;

/// A frame that was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AckFrame {
    /// Its bytes, ICRC included.
    pub frame: Vec<u8>,
    /// A NAK, not an ACK.
    pub nak: bool,
    /// The flow it speaks for.
    pub flow: u16,
    /// The PSN it names.
    pub psn: u32,
    /// The message count it names.
    pub msn: u32,
}

/// A PSN and the message count there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Point {
    psn: u32,
    msn: u32,
}

/// What is known of one flow.
#[derive(Clone, Copy, Debug, Default)]
struct Context {
    run: u8,
    /// The real ACK that made the flow Active has left the client port.
    valid: bool,
    acked: Point,
    /// `acked` is to be said.
    pend: bool,
    nak: Option<Point>,
    /// First and last PSN of what only the far side may answer.
    barrier: Option<(u32, u32)>,
    /// To be said once it may.
    held: Option<Point>,
    /// Newest data that left, whether it asked or not.
    newest: Option<Point>,
    departed_psn: u32,
    confirmed_psn: u32,
}

impl Context {
    fn may_ack(&self) -> bool {
        self.pend && self.valid && self.barrier.is_none_or(|(first, _)| psn::after(first, self.acked.psn))
    }

    fn may_nak(&self) -> bool {
        // The far side may have acknowledged the gap meanwhile: an earlier run had sent it.
        let news = self.nak.is_some_and(|nak| !psn::after(self.acked.psn, psn::sub(nak.psn, 1)));
        news && self.valid && self.barrier.is_none()
    }

    /// Data or a request left in order up to `psn`: a gap before it is closed.
    fn close_gap(&mut self, psn: u32) {
        self.nak = self.nak.filter(|nak| psn::after(nak.psn, psn));
    }

    fn apply(&mut self, intent: &Intent, live: bool) {
        let at = Point { psn: intent.psn, msn: intent.msn };
        match intent.kind {
            Kind::Ack if live => {
                self.departed_psn = at.psn;
                self.close_gap(at.psn);
                self.newest = Some(at);
                if !intent.req {
                    // Nobody waits for it.
                } else if self.barrier.is_some() || !self.valid {
                    self.held = Some(at);
                } else if psn::after(at.psn, self.acked.psn) {
                    self.acked = at;
                    self.pend = true;
                }
            }
            Kind::Nak if live => self.nak = Some(at),
            Kind::Reack if live && self.valid => {
                self.pend = true;
                if let Some(newest) = self.newest.filter(|newest| psn::after(newest.psn, self.acked.psn)) {
                    if self.barrier.is_some() {
                        self.held = Some(newest);
                    } else {
                        self.acked = newest;
                    }
                }
            }
            Kind::Ack | Kind::Nak | Kind::Reack | Kind::None => {}
            Kind::Barrier => {
                let (first, last) = (intent.psn, intent.msn);
                self.departed_psn = last;
                self.close_gap(last);
                let (old_first, old_last) = self.barrier.unwrap_or((first, last));
                self.barrier = Some((psn::earlier(old_first, first), psn::later(old_last, last)));
            }
            Kind::Confirm => self.confirm(at, intent.req),
        }
    }

    fn confirm(&mut self, at: Point, req: bool) {
        self.confirmed_psn = at.psn;
        if !self.valid && req {
            // It has left itself, and with it all that is older.
            self.acked = at;
            self.valid = true;
        } else if self.valid && psn::after(at.psn, self.acked.psn) {
            self.acked = at;
            self.pend |= req;
        }
        self.barrier = match self.barrier {
            Some((_, last)) if !psn::after(last, at.psn) => None,
            Some((first, last)) if !psn::after(first, at.psn) => Some((psn::add(at.psn, 1), last)),
            unmoved => unmoved,
        };
        if self.barrier.is_none() && self.valid {
            if let Some(held) = self.held.take().filter(|held| psn::after(held.psn, self.acked.psn)) {
                self.acked = held;
                self.pend = true;
            }
        }
    }

    /// What is to be said now; it counts as said.
    fn say(&mut self) -> Option<(bool, Point)> {
        if self.may_nak() {
            let nak = self.nak.take()?;
            self.pend = false;
            self.acked = Point { psn: psn::sub(nak.psn, 1), msn: nak.msn };
            Some((true, nak))
        } else if self.may_ack() {
            self.pend = false;
            Some((false, self.acked))
        } else {
            None
        }
    }
}

/// The acknowledgements of every flow.
#[derive(Clone, Debug)]
pub struct PseudoAck {
    enable: bool,
    eager: bool,
    context: Vec<Context>,
    queued: Vec<bool>,
    ready: VecDeque<u16>,
    cfg: Vec<Cfg>,
    rx: Vec<Rx>,
    back: Vec<Back>,
    template: Vec<Template>,
}

impl PseudoAck {
    /// All flows empty. `eager`: every intent that makes something sayable has it built in the same call, so that
    /// nothing is ever coalesced; else frames are built when [`PseudoAck::build`] is called.
    pub fn new(eager: bool) -> Self {
        PseudoAck {
            enable: false,
            eager,
            context: vec![Context::default(); FLOWS],
            queued: vec![false; FLOWS],
            ready: VecDeque::new(),
            cfg: vec![Cfg::default(); FLOWS],
            rx: vec![Rx::default(); FLOWS],
            back: vec![Back::default(); FLOWS],
            template: vec![Template::default(); FLOWS],
        }
    }

    /// The host switched the gateway on or off.
    pub fn set_enable(&mut self, enable: bool) {
        self.enable = enable;
    }

    /// The host wrote a flow's settings.
    pub fn set_cfg(&mut self, index: u16, cfg: Cfg) {
        self.cfg[usize::from(index)] = cfg;
    }

    /// `track` wrote its record of a flow.
    pub fn set_rx(&mut self, index: u16, rx: Rx) {
        self.rx[usize::from(index)] = rx;
    }

    /// `ack_filter` wrote its record of a flow.
    pub fn set_back(&mut self, index: u16, back: Back) {
        self.back[usize::from(index)] = back;
    }

    /// `ack_filter` wrote the template of a flow.
    pub fn set_template(&mut self, index: u16, template: Template) {
        self.template[usize::from(index)] = template;
    }

    /// The record of a flow, as other stages copy it.
    pub fn said(&self, index: u16) -> Said {
        let c = &self.context[usize::from(index)];
        Said {
            run: c.run,
            valid: c.valid,
            acked_psn: c.acked.psn,
            acked_msn: c.acked.msn,
            departed_psn: c.departed_psn,
            confirmed_psn: c.confirmed_psn,
        }
    }

    /// Something left a port. Returns a frame only when built eagerly.
    pub fn intent(&mut self, intent: Intent) -> Option<AckFrame> {
        let at = usize::from(intent.flow);
        let (cfg, rx) = (&self.cfg[at], &self.rx[at]);
        let alive = self.enable && cfg.enable && current(cfg, rx) && intent.run == rx.run;
        if !alive || intent.kind == Kind::None {
            return None;
        }
        let live = state(self.enable, cfg, rx, &self.back[at]) == State::Active;
        let context = &mut self.context[at];
        if context.run != intent.run {
            *context = Context { run: intent.run, ..Context::default() };
        }
        context.apply(&intent, live);
        if live && (context.may_ack() || context.may_nak()) && !self.queued[at] {
            self.queued[at] = true;
            self.ready.push_back(intent.flow);
        }
        if self.eager {
            self.build()
        } else {
            None
        }
    }

    /// Something waits to be built.
    pub fn busy(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Builds the next frame. Flows leave the ready queue until one still has something to say.
    pub fn build(&mut self) -> Option<AckFrame> {
        while let Some(flow) = self.ready.pop_front() {
            let at = usize::from(flow);
            self.queued[at] = false;
            let (cfg, rx) = (&self.cfg[at], &self.rx[at]);
            let live = state(self.enable, cfg, rx, &self.back[at]) == State::Active;
            if !live || self.context[at].run != rx.run {
                continue;
            }
            if let Some((nak, Point { psn, msn })) = self.context[at].say() {
                let syndrome = if nak { SYNDROME_NAK } else { SYNDROME_ACK };
                let frame = frame(&self.template[at], psn, syndrome, msn);
                return Some(AckFrame { frame, nak, flow, psn, msn });
            }
        }
        None
    }
}

/// The template saying something else.
pub fn frame(template: &Template, psn: u32, syndrome: u8, msn: u32) -> Vec<u8> {
    let l3 = eth::BYTES + usize::from(template.vlans) * vlan::BYTES;
    let ip_header_bytes = if template.v6 { ipv6::BYTES } else { ipv4::BYTES };
    let bth_at = l3 + ip_header_bytes + udp::BYTES;
    let aeth_at = bth_at + bth::BYTES;
    let end = aeth_at + aeth::BYTES + icrc_format::BYTES;
    let mut frame = template.header[..end].to_vec();
    frame[bth_at + 8] = 0;
    frame[bth_at + 9..aeth_at].copy_from_slice(&psn.to_be_bytes()[1..]);
    frame[aeth_at] = syndrome;
    frame[aeth_at + 1..aeth_at + 4].copy_from_slice(&msn.to_be_bytes()[1..]);
    icrc::seal(&mut frame, l3, ip_header_bytes);
    frame
}

#[cfg(test)]
#[path = "pseudo_ack_tests.rs"]
mod tests;
