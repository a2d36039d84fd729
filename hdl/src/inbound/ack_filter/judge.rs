//! Beside the rail: **judge**. What a good response means to its flow: rules 5 to 8 of `ack_filter`.
//!
//! In at t + 1: what the op is, `rx`, `said`, `back` (of this run, or empty), the flow's state. Out, in the same cycle:
//! the record after it, whether it is written, what becomes of the frame, and an event.
//! Model: `model::ack_filter`. Tests: those of `ack_filter`.

use crate::prim::Lit;
use crate::record::{Back, Rx, Said};
use matchrdma_spec::event;
use matchrdma_spec::params::PSN_BITS;
use rust_hdl::prelude::*;

/// A good response, as known before its flow is.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Response {
    /// A positive ACK.
    pub yes: Bit,
    /// Any other ACK.
    pub no: Bit,
    /// The end of an answer that is no ACK.
    pub answered: Bit,
    /// MTU code of an answer that must be as long as the MTU.
    pub fill: Bits<3>,
    /// Low bits of the syndrome that a flow in Fault will answer with.
    pub refusal: Bits<2>,
    pub room: Bit,
    pub psn: Bits<PSN_BITS>,
    pub msn: Bits<PSN_BITS>,
}

/// The rules.
#[derive(LogicBlock, Default)]
pub struct Judge {
    pub op: Signal<In, Response>,
    pub rx: Signal<In, Rx>,
    pub said: Signal<In, Said>,
    /// A record of another run counts as empty.
    pub back: Signal<In, Back>,
    pub fault: Signal<In, Bit>,
    pub drain: Signal<In, Bit>,
    pub active: Signal<In, Bit>,
    pub sync: Signal<In, Bit>,
    pub write: Signal<Out, Bit>,
    pub nxt: Signal<Out, Back>,
    /// The frame goes on.
    pub keep: Signal<Out, Bit>,
    /// Dropped, for the flow is in Fault.
    pub fails: Signal<Out, Bit>,
    /// A real ACK is absorbed.
    pub takes: Signal<Out, Bit>,
    /// The flow becomes Active by this frame.
    pub pairs: Signal<Out, Bit>,
    pub confirms: Signal<Out, Bit>,
    pub code: Signal<Out, Bits<4>>,
    n: Signal<Local, Back>,
    r: Signal<Local, Response>,
    unsent_by: Signal<Local, Bits<PSN_BITS>>,
    beyond_said: Signal<Local, Bits<PSN_BITS>>,
    beyond_seen: Signal<Local, Bits<PSN_BITS>>,
    offset: Signal<Local, Bits<PSN_BITS>>,
    sent: Signal<Local, Bit>,
    said_here: Signal<Local, Bit>,
    told: Signal<Local, Bit>,
    news: Signal<Local, Bit>,
    pairing: Signal<Local, Bit>,
    stray: Signal<Local, Bit>,
    mismatch: Signal<Local, Bit>,
    refuted: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    back_to_sync: Signal<Local, Bit>,
    event_active: Lit<4, { event::ACTIVE as u64 }>,
    event_resync: Lit<4, { event::RESYNC as u64 }>,
    drain_msn: Lit<4, { event::DRAIN_MSN as u64 }>,
    fault_refused: Lit<4, { event::FAULT_REFUSED as u64 }>,
    mispaired: Lit<4, { event::MISPAIRED as u64 }>,
}

impl Logic for Judge {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = self.op.val();
        self.unsent_by.next = self.rx.val().expected - self.r.val().psn;
        self.sent.next = self.unsent_by.val().any() & !self.unsent_by.val().get_bit(23);
        self.beyond_said.next = self.r.val().psn - self.said.val().acked_psn;
        self.said_here.next = self.said.val().valid & (self.said.val().run == self.rx.val().run);
        self.told.next = self.said_here.val() & (!self.beyond_said.val().any() | self.beyond_said.val().get_bit(23));
        self.beyond_seen.next = self.r.val().psn - self.back.val().seen_psn;
        self.news.next = (self.r.val().yes | self.r.val().answered)
            & !self.fault.val()
            & (!self.back.val().seen | (self.beyond_seen.val().any() & !self.beyond_seen.val().get_bit(23)))
            & (!self.active.val() | self.sent.val());
        self.pairing.next = self.sync.val()
            & self.r.val().yes
            & self.r.val().room
            & self.rx.val().synced
            & self.rx.val().sample_valid
            & (self.rx.val().sample_psn == self.r.val().psn)
            & !self.back.val().resync;
        self.offset.next = self.r.val().msn - self.rx.val().sample_count;
        self.stray.next = self.active.val() & self.r.val().yes & !self.sent.val();
        self.mismatch.next = self.active.val()
            & self.r.val().yes
            & self.sent.val()
            & self.said_here.val()
            & !self.beyond_said.val().any()
            & (self.r.val().msn != self.said.val().acked_msn);
        self.refuted.next = (self.active.val() | self.drain.val()) & self.r.val().no & self.told.val();
        self.refused.next = self.active.val() & self.r.val().no & !self.told.val();
        self.back_to_sync.next = self.refused.val() | (self.stray.val() & self.rx.val().rewound);

        self.n.next = self.back.val();
        if self.news.val() {
            self.n.next.seen = true;
            self.n.next.seen_psn = self.r.val().psn;
        }
        if self.pairing.val() {
            self.n.next.active = true;
            self.n.next.offset = self.offset.val();
        }
        if self.r.val().fill.any() & !self.fault.val() {
            self.n.next.mtu = self.r.val().fill;
        }
        if self.refuted.val() {
            self.n.next.fault = true;
            self.n.next.refusal = self.r.val().refusal;
        }
        if self.back_to_sync.val() {
            self.n.next.active = false;
        }
        if self.back_to_sync.val() | (self.sync.val() & self.r.val().no) {
            self.n.next.resync = true;
        }
        if self.stray.val() & !self.rx.val().rewound {
            self.n.next.off = true;
        }
        if self.mismatch.val() {
            self.n.next.drain = true;
        }
        self.code.next = 0.into();
        if self.pairing.val() {
            self.code.next = self.event_active.val();
        }
        if self.back_to_sync.val() {
            self.code.next = self.event_resync.val();
        }
        if self.refuted.val() {
            self.code.next = self.fault_refused.val();
            self.n.next.cause = self.fault_refused.val();
        }
        if self.stray.val() & !self.rx.val().rewound {
            self.code.next = self.mispaired.val();
            self.n.next.cause = self.mispaired.val();
        }
        if self.mismatch.val() {
            self.code.next = self.drain_msn.val();
            self.n.next.cause = self.drain_msn.val();
        }
        self.nxt.next = self.n.val();
        self.write.next = self.news.val()
            | self.pairing.val()
            | self.refuted.val()
            | self.stray.val()
            | self.mismatch.val()
            | self.refused.val()
            | (self.sync.val() & self.r.val().no)
            | (self.r.val().fill.any() & !self.fault.val());
        self.takes.next = self.active.val() & self.r.val().yes & self.sent.val();
        self.fails.next = self.refuted.val() | (self.fault.val() & (self.r.val().yes | self.r.val().no));
        self.keep.next = !self.takes.val() & !self.fails.val();
        self.pairs.next = self.pairing.val();
        self.confirms.next = self.r.val().yes & !self.fault.val() & !self.stray.val();
    }
}
