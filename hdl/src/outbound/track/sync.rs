//! Beside the rail: **sync**. What a request does to a flow in Sync: rule 8 of `track`.
//!
//! In at t + 1: the op, the answers of `view`, `rx`, `moved`. Out, in the same cycle: the record after it, whether it is
//! written, and whether the op is a barrier.
//! Model: `model::track`. Tests: those of `track`.

use super::view::{Request, View};
use crate::record::{Cfg, Rx, Times};
use matchrdma_spec::params::PSN_BITS;
use rust_hdl::prelude::*;

/// The rule.
#[derive(LogicBlock, Default)]
pub struct SyncRule {
    pub op: Signal<In, Request>,
    pub view: Signal<In, View>,
    pub rx: Signal<In, Rx>,
    pub moved: Signal<In, Bits<16>>,
    pub cfg: Signal<In, Cfg>,
    pub times: Signal<In, Times>,
    /// The PSN behind the op's last.
    pub after: Signal<In, Bits<PSN_BITS>>,
    pub write: Signal<Out, Bit>,
    pub nxt: Signal<Out, Rx>,
    pub nxt_moved: Signal<Out, Bits<16>>,
    pub barrier: Signal<Out, Bit>,
    /// ... of a request that was sent before.
    pub twice: Signal<Out, Bit>,
    n: Signal<Local, Rx>,
    v: Signal<Local, View>,
    r: Signal<Local, Request>,
    lost: Signal<Local, Bit>,
    backward: Signal<Local, Bit>,
    onward: Signal<Local, Bit>,
    jump: Signal<Local, Bit>,
    follows: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
}

impl Logic for SyncRule {
    #[hdl_gen]
    fn update(&mut self) {
        self.v.next = self.view.val();
        self.r.next = self.op.val();
        self.lost.next = self.r.val().spoilt | self.v.val().blind;
        // it goes back; it goes on where it was; it begins elsewhere
        self.backward.next = self.v.val().current
            & !self.v.val().in_order
            & !self.v.val().astray
            & !self.v.val().ahead
            & !self.v.val().late;
        self.onward.next = self.v.val().current & self.v.val().in_order;
        self.jump.next = !self.backward.val() & !self.onward.val();
        self.follows.next = self.rx.val().synced & !self.v.val().void & self.v.val().in_order & !self.lost.val();
        self.takes.next =
            self.follows.val() & self.r.val().sampling & (!self.rx.val().sample_valid | self.v.val().passed);

        self.n.next = self.rx.val();
        self.n.next.serial = self.cfg.val().serial;
        self.n.next.drain = false;
        self.n.next.off = false;
        self.n.next.synced = !self.lost.val();
        self.n.next.gap = !self.lost.val() & self.backward.val();
        if self.lost.val() | self.v.val().void | (self.rx.val().synced & self.jump.val()) {
            self.n.next.run = self.v.val().run;
        }
        self.n.next.sample_valid = self.takes.val() | (self.follows.val() & self.rx.val().sample_valid);
        if self.takes.val() {
            self.n.next.sample_psn = self.r.val().psn;
            self.n.next.sample_count = self.v.val().count;
        }
        if self.follows.val() {
            self.n.next.count = self.v.val().count;
        } else if self.lost.val() | (self.backward.val() & self.v.val().void) {
            self.n.next.count = 0.into();
        } else if !self.backward.val() {
            self.n.next.count = 0.into();
            if self.r.val().completes {
                self.n.next.count = 1.into();
            }
        }
        if !self.lost.val() & !self.backward.val() {
            self.n.next.expected = self.after.val();
            self.n.next.mig = self.r.val().mig;
        }
        if self.follows.val() & self.r.val().fill.any() {
            self.n.next.mtu = self.r.val().fill;
        }
        if !self.v.val().current {
            self.n.next.mtu = 0.into();
            self.n.next.cause = 0.into();
            self.n.next.rewound = false;
            self.n.next.mould = false;
        } else if !self.lost.val() & self.jump.val() & (self.v.val().astray | !self.v.val().ahead) {
            self.n.next.rewound = true;
        }
        self.nxt_moved.next = self.moved.val();
        if !self.lost.val() & (!self.backward.val() | !self.rx.val().gap | self.v.val().void) {
            self.nxt_moved.next = self.times.val().now;
        }
        self.nxt.next = self.n.val();
        // a flow that has not begun waits for a packet that it can begin with
        self.write.next = self.v.val().current | !self.lost.val();
        self.barrier.next = self.v.val().waits & !self.lost.val();
        self.twice.next = self.backward.val() & self.r.val().barrier;
    }
}
