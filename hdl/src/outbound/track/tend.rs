//! Beside the rail: **tend**. What time does to a flow: the rules of `track` that need no frame.
//!
//! In at t + 1: the answers of `view`, the flow's records. Out, in the same cycle: the record after it, whether it is
//! written, and an event.
//! Model: `model::track`. Tests: those of `track`.

use super::view::View;
use crate::prim::Lit;
use crate::record::{Back, Rx, Said, Times};
use matchrdma_spec::event;
use matchrdma_spec::params::PSN_BITS;
use matchrdma_spec::regs::timer;
use rust_hdl::prelude::*;

/// The rules.
#[derive(LogicBlock, Default)]
pub struct Tend {
    pub view: Signal<In, View>,
    pub rx: Signal<In, Rx>,
    pub moved: Signal<In, Bits<16>>,
    pub back: Signal<In, Back>,
    pub said: Signal<In, Said>,
    pub times: Signal<In, Times>,
    pub write: Signal<Out, Bit>,
    pub nxt: Signal<Out, Rx>,
    pub nxt_moved: Signal<Out, Bits<16>>,
    pub code: Signal<Out, Bits<4>>,
    pub psn: Signal<Out, Bits<PSN_BITS>>,
    n: Signal<Local, Rx>,
    v: Signal<Local, View>,
    here: Signal<Local, Bit>,
    gives_up: Signal<Local, Bit>,
    rests: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    returns: Signal<Local, Bit>,
    cause: Signal<Local, Bits<4>>,
    now: Signal<Local, Bits<16>>,
    oldest: Signal<Local, Bits<16>>,
    age_max: Lit<16, { timer::NEVER as u64 }>,
    drain_gap: Lit<4, { event::DRAIN_GAP as u64 }>,
    idle: Lit<4, { event::IDLE as u64 }>,
    drained: Lit<4, { event::DRAINED as u64 }>,
    drain_timeout: Lit<4, { event::DRAIN_TIMEOUT as u64 }>,
}

impl Logic for Tend {
    #[hdl_gen]
    fn update(&mut self) {
        self.v.next = self.view.val();
        self.gives_up.next = self.v.val().on & self.v.val().active & self.v.val().late;
        self.rests.next =
            self.v.val().on & self.v.val().active & !self.v.val().late & !self.v.val().debt & self.v.val().idle;
        self.here.next = self.v.val().on & self.v.val().drain;
        self.begins.next = self.here.val() & !self.rx.val().drain;
        self.ends.next =
            self.here.val() & self.rx.val().drain & self.v.val().settled & (!self.v.val().debt | self.v.val().overdue);
        // spec::event::returns_to_sync
        self.cause.next = self.rx.val().cause;
        self.returns.next = self.cause.val().get_bit(2) & !self.cause.val().get_bit(3);

        self.n.next = self.rx.val();
        self.code.next = 0.into();
        self.psn.next = self.rx.val().expected;
        if self.gives_up.val() {
            self.n.next.drain = true;
            self.n.next.cause = self.drain_gap.val();
            self.code.next = self.drain_gap.val();
        }
        if self.begins.val() {
            self.n.next.drain = true;
            self.n.next.cause = self.back.val().cause;
        }
        if self.rests.val() | (self.ends.val() & self.returns.val()) {
            self.n.next.run = self.v.val().run;
            self.n.next.synced = false;
            self.n.next.gap = false;
            self.n.next.sample_valid = false;
            self.n.next.count = 0.into();
        }
        if self.rests.val() {
            self.code.next = self.idle.val();
        }
        if self.ends.val() {
            self.n.next.drain = false;
            self.n.next.off = !self.returns.val();
            if self.returns.val() {
                self.n.next.rewound = true;
            }
            self.psn.next = self.said.val().acked_psn;
            self.code.next = self.drained.val();
            if self.v.val().debt {
                self.code.next = self.drain_timeout.val();
            }
        }
        self.nxt.next = self.n.val();
        self.write.next = self.gives_up.val() | self.rests.val() | self.begins.val() | self.ends.val();

        self.now.next = self.times.val().now;
        self.oldest.next = self.now.val() - self.age_max.val();
        self.nxt_moved.next = self.moved.val();
        if self.gives_up.val() | self.begins.val() {
            self.nxt_moved.next = self.now.val();
        } else if self.v.val().ancient {
            self.nxt_moved.next = self.oldest.val();
        }
    }
}
