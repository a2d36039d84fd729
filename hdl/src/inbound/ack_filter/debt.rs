//! Beside the rail: **debt**. How long the sender has been told of something that the far side has not confirmed.
//!
//! In at t + 1 of a sweep: the flow's records and state, and its mark as it stands in the table. Out, in the same cycle:
//! the mark after it; `failed`, when the debt is too old; `owes` with `age`, when there is debt that was marked before.
//! A mark is a PSN that had been acknowledged and not confirmed when it was set; when it is confirmed, the next one is.
//! Model: `model::ack_filter`. Tests: those of `ack_filter`.

use crate::prim::Lit;
use crate::record::{Back, Rx, Said, Times};
use matchrdma_spec::params::PSN_BITS;
use matchrdma_spec::regs::timer;
use rust_hdl::prelude::*;

/// Debt that is watched.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Mark {
    pub set: Bit,
    pub run: Bits<8>,
    pub psn: Bits<PSN_BITS>,
    pub at: Bits<16>,
}

/// The watch.
#[derive(LogicBlock, Default)]
pub struct Debt {
    pub mark: Signal<In, Mark>,
    pub rx: Signal<In, Rx>,
    pub back: Signal<In, Back>,
    pub said: Signal<In, Said>,
    pub times: Signal<In, Times>,
    pub same: Signal<In, Bit>,
    pub on: Signal<In, Bit>,
    pub active: Signal<In, Bit>,
    pub drain: Signal<In, Bit>,
    pub nxt: Signal<Out, Mark>,
    pub failed: Signal<Out, Bit>,
    pub owes: Signal<Out, Bit>,
    pub age: Signal<Out, Bits<16>>,
    n: Signal<Local, Mark>,
    owed: Signal<Local, Bits<PSN_BITS>>,
    left: Signal<Local, Bits<PSN_BITS>>,
    since: Signal<Local, Bits<16>>,
    past: Signal<Local, Bits<16>>,
    oldest: Signal<Local, Bits<16>>,
    due: Signal<Local, Bit>,
    watched: Signal<Local, Bit>,
    passed: Signal<Local, Bit>,
    age_max: Lit<16, { timer::NEVER as u64 }>,
}

impl Logic for Debt {
    #[hdl_gen]
    fn update(&mut self) {
        self.owed.next = self.said.val().acked_psn - self.back.val().seen_psn;
        self.left.next = self.mark.val().psn - self.back.val().seen_psn;
        self.since.next = self.times.val().now - self.mark.val().at;
        self.past.next = self.mark.val().at - self.times.val().debt;
        self.oldest.next = self.times.val().now - self.age_max.val();
        self.due.next = self.on.val()
            & (self.active.val() | self.drain.val())
            & self.said.val().valid
            & (self.said.val().run == self.rx.val().run)
            & self.same.val()
            & self.back.val().seen
            & self.owed.val().any()
            & !self.owed.val().get_bit(23);
        self.watched.next = self.mark.val().set & (self.mark.val().run == self.rx.val().run);
        self.passed.next = !self.left.val().any() | self.left.val().get_bit(23);
        self.owes.next = self.due.val() & self.watched.val() & !self.passed.val();
        self.age.next = self.since.val();
        self.failed.next = false;
        self.n.next = self.mark.val();
        if !self.due.val() {
            self.n.next.set = false;
        } else if !self.watched.val() | self.passed.val() {
            self.n.next.set = true;
            self.n.next.run = self.rx.val().run;
            self.n.next.psn = self.said.val().acked_psn;
            self.n.next.at = self.times.val().now;
        } else {
            self.failed.next = self.on.val() & self.active.val() & self.past.val().get_bit(15);
            if self.since.val().get_bit(15) {
                self.n.next.at = self.oldest.val();
            }
        }
        self.nxt.next = self.n.val();
    }
}
