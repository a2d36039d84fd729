//! Beside the rail: **active**. What a request does to an Active flow: rule 9 of `track`.
//!
//! In at t + 1: the op, the answers of `view`, `rx`, `moved`. Out, in the same cycle: the record after it, whether it is
//! written, the verdict, the kind of intent, and an event.
//! Model: `model::track`. Tests: those of `track`.

use super::view::{Request, View};
use crate::prim::Lit;
use crate::record::{kind, reason, Rx, Times};
use matchrdma_spec::event;
use matchrdma_spec::params::PSN_BITS;
use rust_hdl::prelude::*;

/// The rule.
#[derive(LogicBlock, Default)]
pub struct ActiveRule {
    pub op: Signal<In, Request>,
    pub view: Signal<In, View>,
    pub rx: Signal<In, Rx>,
    pub moved: Signal<In, Bits<16>>,
    pub times: Signal<In, Times>,
    /// The PSN behind the op's last.
    pub after: Signal<In, Bits<PSN_BITS>>,
    pub write: Signal<Out, Bit>,
    pub nxt: Signal<Out, Rx>,
    pub nxt_moved: Signal<Out, Bits<16>>,
    pub keep: Signal<Out, Bit>,
    /// An intent without a frame.
    pub alone: Signal<Out, Bit>,
    pub why: Signal<Out, Bits<4>>,
    pub say_kind: Signal<Out, Bits<3>>,
    pub say_req: Signal<Out, Bit>,
    /// An event, and the cause of the Drain that begins.
    pub code: Signal<Out, Bits<4>>,
    n: Signal<Local, Rx>,
    v: Signal<Local, View>,
    r: Signal<Local, Request>,
    migrated: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    stays: Signal<Local, Bit>,
    onward: Signal<Local, Bit>,
    forward_gap: Signal<Local, Bit>,
    behind: Signal<Local, Bit>,
    opens: Signal<Local, Bit>,
    cause: Signal<Local, Bits<4>>,
    bad_icrc: Lit<4, { reason::BAD_ICRC }>,
    out_of_order: Lit<4, { reason::OUT_OF_ORDER }>,
    duplicate: Lit<4, { reason::DUPLICATE }>,
    ack_kind: Lit<3, { kind::ACK }>,
    nak_kind: Lit<3, { kind::NAK }>,
    reack_kind: Lit<3, { kind::REACK }>,
    barrier_kind: Lit<3, { kind::BARRIER }>,
    drain_opcode: Lit<4, { event::DRAIN_OPCODE as u64 }>,
    drain_malformed: Lit<4, { event::DRAIN_MALFORMED as u64 }>,
    drain_migrated: Lit<4, { event::DRAIN_MIGRATED as u64 }>,
    drain_astray: Lit<4, { event::DRAIN_ASTRAY as u64 }>,
    drain_read: Lit<4, { event::DRAIN_READ as u64 }>,
}

impl Logic for ActiveRule {
    #[hdl_gen]
    fn update(&mut self) {
        self.v.next = self.view.val();
        self.r.next = self.op.val();
        self.migrated.next = self.r.val().mig ^ self.rx.val().mig;
        self.leaves.next = self.r.val().good
            & (!self.r.val().known
                | self.r.val().odd
                | self.v.val().misfit
                | self.migrated.val()
                | self.v.val().astray
                | (self.v.val().in_order & self.v.val().blind));
        self.stays.next = self.r.val().good & !self.leaves.val();
        self.onward.next = self.stays.val() & self.v.val().in_order;
        self.forward_gap.next = self.stays.val() & !self.v.val().in_order & self.v.val().ahead;
        self.behind.next = self.stays.val() & !self.v.val().ahead;
        self.opens.next = self.forward_gap.val() & !self.rx.val().gap;
        self.cause.next = self.drain_read.val();
        if !self.r.val().known {
            self.cause.next = self.drain_opcode.val();
        } else if self.r.val().odd | self.v.val().misfit {
            self.cause.next = self.drain_malformed.val();
        } else if self.migrated.val() {
            self.cause.next = self.drain_migrated.val();
        } else if self.v.val().astray {
            self.cause.next = self.drain_astray.val();
        }

        self.write.next = self.leaves.val() | self.onward.val() | self.opens.val();
        self.n.next = self.rx.val();
        // What is not written is as it was: the next op of the flow may take it from here.
        self.n.next.mould = self.rx.val().mould | self.write.val();
        self.code.next = 0.into();
        if self.leaves.val() {
            self.n.next.drain = true;
            self.n.next.cause = self.cause.val();
            self.code.next = self.cause.val();
        }
        if self.onward.val() {
            self.n.next.expected = self.after.val();
            self.n.next.count = self.v.val().count;
            self.n.next.gap = false;
            if self.r.val().fill.any() {
                self.n.next.mtu = self.r.val().fill;
            }
        }
        if self.opens.val() {
            self.n.next.gap = true;
        }
        self.nxt.next = self.n.val();
        self.nxt_moved.next = self.moved.val();
        if self.write.val() {
            self.nxt_moved.next = self.times.val().now;
        }

        self.keep.next = self.leaves.val() | self.onward.val() | (self.behind.val() & self.v.val().waits);
        self.why.next = 0.into();
        self.alone.next = false;
        self.say_kind.next = 0.into();
        self.say_req.next = false;
        if !self.r.val().good {
            self.why.next = self.bad_icrc.val();
        }
        if self.onward.val() {
            self.say_kind.next = self.ack_kind.val();
            self.say_req.next = self.r.val().asks;
            if self.v.val().waits {
                self.say_kind.next = self.barrier_kind.val();
                self.say_req.next = false;
            }
        }
        if self.forward_gap.val() {
            self.why.next = self.out_of_order.val();
            if !self.rx.val().gap {
                self.alone.next = true;
                self.say_kind.next = self.nak_kind.val();
            }
        }
        if self.behind.val() {
            if self.v.val().waits {
                self.say_kind.next = self.barrier_kind.val();
                self.say_req.next = self.r.val().barrier;
            } else {
                self.why.next = self.duplicate.val();
                if self.r.val().asks {
                    self.alone.next = true;
                    self.say_kind.next = self.reack_kind.val();
                }
            }
        }
    }
}
