//! Outbound, beside 5: **pseudo_ack**. From departures on both ports, to the `arbiter` on the client port.
//!
//! In: intents, in the order in which what they speak of left the line port or the client port; flows whose sender is
//! to slow down. Out: ACK and NAK frames to the sender, which this block alone builds while a flow is Active, so that
//! they never step backwards; congestion notifications.
//! What may be said, and when it must wait for the far side, is all in `context`.
//! Gates: `hdl/src/outbound/pseudo_ack.rs`. Registers: per-flow `said` fields, `PSEUDO_ACKS`, `NAKS`, `PFC_*`.

mod context;
mod frame;

pub use self::frame::{acknowledgement, notification, CnpClass};

use self::context::{Context, Point, Says};
use crate::ack_filter::Template;
use crate::record::*;
use matchrdma_spec::wire::aeth;
use std::collections::VecDeque;

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

/// The acknowledgements of every flow.
#[derive(Clone, Debug)]
pub struct PseudoAck {
    enable: bool,
    eager: bool,
    context: Vec<Context>,
    queued: Vec<bool>,
    ready: VecDeque<u16>,
    /// Flows that spoke, and when each may speak again: in order, since all wait alike.
    resting: VecDeque<(u64, u16)>,
    now: u64,
    gap: u64,
    cnp_class: CnpClass,
    cnp_spacing: u64,
    /// When the next notification of a flow may be built.
    cnp_next: Vec<u64>,
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
            resting: VecDeque::new(),
            now: 0,
            gap: 0,
            cnp_class: CnpClass::default(),
            cnp_spacing: 0,
            cnp_next: vec![0; FLOWS],
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

    /// The host set the least time between two frames of a flow, in the units of [`PseudoAck::set_now`].
    pub fn set_gap(&mut self, gap: u64) {
        self.gap = gap;
    }

    /// The host set how notifications look, and the least time between two to one sender.
    pub fn set_cnp(&mut self, class: CnpClass, spacing: u64) {
        self.cnp_class = class;
        self.cnp_spacing = spacing;
    }

    /// Time, which never goes backwards: flows that have rested join the ready queue.
    pub fn set_now(&mut self, now: u64) {
        self.now = now;
        while let Some((_, flow)) = self.resting.pop_front_if(|(due, _)| *due <= now) {
            self.ready.push_back(flow);
        }
    }

    /// When a flow that rests may speak again: the earliest.
    pub fn next_due(&self) -> Option<u64> {
        self.resting.front().map(|(due, _)| *due)
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
            barrier: c.holds(),
        }
    }

    /// `rx` and the host know the flow.
    fn on(&self, at: usize) -> bool {
        self.enable && self.cfg[at].enable && current(&self.cfg[at], &self.rx[at])
    }

    fn live(&self, at: usize) -> bool {
        state(self.enable, &self.cfg[at], &self.rx[at], &self.back[at]) == State::Active
    }

    /// A frame for its sender can be built: the template is of these queue pairs, and they have not failed.
    fn moulded(&self, at: usize) -> bool {
        match state(self.enable, &self.cfg[at], &self.rx[at], &self.back[at]) {
            State::Active => true,
            State::Sync | State::Drain => current(&self.cfg[at], &self.rx[at]) && self.rx[at].mould,
            State::Off | State::Fault => false,
        }
    }

    /// Something left a port. Returns a frame only when built eagerly.
    pub fn intent(&mut self, intent: Intent) -> Option<AckFrame> {
        let at = usize::from(intent.flow);
        let alive = self.on(at) && intent.run == self.rx[at].run;
        if !alive || intent.kind == Kind::None {
            return None;
        }
        let live = self.live(at);
        let context = &mut self.context[at];
        if context.run != intent.run {
            *context = Context::new(intent.run);
        }
        context.apply(&intent, live);
        if context.wants(live) && !self.queued[at] {
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
            if !self.on(at) || self.context[at].run != self.rx[at].run {
                continue;
            }
            let live = self.live(at);
            if let Some(Says { syndrome, at: Point { psn, msn } }) = self.context[at].say(live) {
                if self.gap > 0 {
                    self.queued[at] = true;
                    self.resting.push_back((self.now + self.gap, flow));
                }
                let frame = acknowledgement(&self.template[at], psn, syndrome, msn);
                return Some(AckFrame { frame, nak: syndrome != aeth::ACK, flow, psn, msn });
            }
        }
        None
    }

    /// The sender of a flow is to slow down: a congestion notification, unless one was built a moment ago.
    pub fn notify(&mut self, flow: u16, run: u8) -> Option<Vec<u8>> {
        let at = usize::from(flow);
        if !self.moulded(at) || run != self.rx[at].run || self.now < self.cnp_next[at] {
            return None;
        }
        self.cnp_next[at] = self.now + self.cnp_spacing;
        Some(notification(&self.template[at], self.cnp_class))
    }
}

#[cfg(test)]
#[path = "pseudo_ack_tests.rs"]
mod tests;
