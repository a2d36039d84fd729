//! Beside the rail: **view**. What `track` asks of an op and its flow before it applies a rule: comparisons, and nothing
//! but comparisons.
//!
//! In at t + 1: the op ([`Request`]), the flow's records, `times`. Out, in the same cycle: [`View`]. Each answer comes
//! from the records alone, so that none waits for another.
//! Model: `model::track`. Tests: those of `track`.

use super::super::flow_state::FlowState;
use crate::prim::Lit;
use crate::record::{Back, Cfg, Rx, Said, Times};
use matchrdma_spec::params::{PSN_BITS, PSN_WINDOW};
use rust_hdl::prelude::*;

/// An op, as known before its flow is.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Request {
    /// No frame came: look after the flow.
    pub sweep: Bit,
    /// Memory has no room for the frame.
    pub no_room: Bit,
    pub good: Bit,
    pub known: Bit,
    /// Its payload is none that its opcode allows.
    pub odd: Bit,
    /// `no_room`, bad, unknown or odd.
    pub spoilt: Bit,
    pub completes: Bit,
    pub barrier: Bit,
    pub receives: Bit,
    /// A sample may be taken at it.
    pub sampling: Bit,
    pub ends: Bit,
    pub fills: Bit,
    /// MTU code of a packet that must be as long as the MTU.
    pub fill: Bits<3>,
    /// Code of the least MTU that its payload fits in; 6: none.
    pub need: Bits<3>,
    pub asks: Bit,
    pub mig: Bit,
    pub psn: Bits<PSN_BITS>,
}

/// The answers.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct View {
    pub on: Bit,
    pub fault: Bit,
    pub drain: Bit,
    pub active: Bit,
    pub sync: Bit,
    pub current: Bit,
    /// Whatever was followed is void: a new run first.
    pub void: Bit,
    pub in_order: Bit,
    pub astray: Bit,
    /// Ahead of the expected PSN, when neither astray nor in order.
    pub ahead: Bit,
    /// The flow has stood still for `gap_timeout`.
    pub late: Bit,
    /// ... for `flow_idle`, for `debt_timeout`, for more than a tick.
    pub idle: Bit,
    pub overdue: Bit,
    pub settled: Bit,
    pub ancient: Bit,
    pub debt: Bit,
    /// An ACK has passed the sample.
    pub passed: Bit,
    /// A READ of unknown length in PSNs.
    pub blind: Bit,
    /// Its payload does not go with the path MTU.
    pub misfit: Bit,
    /// Only the far side can answer it.
    pub waits: Bit,
    pub run: Bits<8>,
    pub count: Bits<PSN_BITS>,
    pub msn_before: Bits<PSN_BITS>,
    pub msn_after: Bits<PSN_BITS>,
}

// A window is what bits 16:0 tell.
const _: () = assert!(PSN_WINDOW == 1 << 16);

/// The comparisons.
#[derive(LogicBlock, Default)]
pub struct Look {
    pub enable: Signal<In, Bit>,
    pub op: Signal<In, Request>,
    /// `psn + PSN_WINDOW` of the op, so that nearness is one subtraction.
    pub psn_high: Signal<In, Bits<PSN_BITS>>,
    pub long: Signal<In, Bit>,
    pub rx: Signal<In, Rx>,
    pub moved: Signal<In, Bits<16>>,
    pub cfg: Signal<In, Cfg>,
    pub back: Signal<In, Back>,
    pub said: Signal<In, Said>,
    pub times: Signal<In, Times>,
    pub mtu: Signal<Out, Bits<3>>,
    pub view: Signal<Out, View>,
    state: FlowState,
    v: Signal<Local, View>,
    from_window: Signal<Local, Bits<PSN_BITS>>,
    stood_gap: Signal<Local, Bits<16>>,
    stood_idle: Signal<Local, Bits<16>>,
    stood_debt: Signal<Local, Bits<16>>,
    stood_tick: Signal<Local, Bits<16>>,
    stood: Signal<Local, Bits<16>>,
    now: Signal<Local, Bits<16>>,
    run_one: Signal<Local, Bits<8>>,
    run_two: Signal<Local, Bits<8>>,
    sample_ahead: Signal<Local, Bits<PSN_BITS>>,
    owed: Signal<Local, Bits<PSN_BITS>>,
    told: Signal<Local, Bit>,
    mtu_known: Signal<Local, Bit>,
    count_one: Signal<Local, Bits<PSN_BITS>>,
    offset_not: Signal<Local, Bits<PSN_BITS>>,
    sum: Signal<Local, Bits<PSN_BITS>>,
    sum_and_one: Signal<Local, Bits<PSN_BITS>>,
    span: Lit<PSN_BITS, { 2 * PSN_WINDOW as u64 }>,
}

impl Logic for Look {
    #[hdl_gen]
    fn update(&mut self) {
        self.state.enable.next = self.enable.val();
        self.state.cfg.next = self.cfg.val();
        self.state.rx.next = self.rx.val();
        self.state.back.next = self.back.val();
        self.mtu.next = self.state.mtu.val();
        self.v.next.on = self.state.on.val();
        self.v.next.fault = self.state.fault.val();
        self.v.next.drain = self.state.drain.val();
        self.v.next.active = self.state.active.val();
        self.v.next.sync = self.state.sync.val();
        self.v.next.current = self.state.current.val();
        self.v.next.void = !self.state.current.val() | (self.state.same.val() & self.back.val().resync);

        // PSNs
        self.v.next.in_order = self.rx.val().expected == self.op.val().psn;
        self.from_window.next = self.psn_high.val() - self.rx.val().expected;
        self.v.next.astray = self.from_window.val() >= self.span.val();
        self.v.next.ahead = self.from_window.val().get_bit(16);
        self.sample_ahead.next = self.rx.val().sample_psn - self.back.val().seen_psn;
        self.v.next.passed = self.state.same.val()
            & self.back.val().seen
            & (!self.sample_ahead.val().any() | self.sample_ahead.val().get_bit(23));
        self.owed.next = self.said.val().acked_psn - self.back.val().seen_psn;
        self.told.next = self.said.val().valid
            & (self.said.val().run == self.rx.val().run)
            & self.state.same.val()
            & self.back.val().seen;
        self.v.next.debt = self.told.val() & self.owed.val().any() & !self.owed.val().get_bit(23);

        // times
        self.now.next = self.times.val().now;
        self.stood_gap.next = self.moved.val() - self.times.val().gap;
        self.stood_idle.next = self.moved.val() - self.times.val().idle;
        self.stood_debt.next = self.moved.val() - self.times.val().debt;
        self.stood.next = self.now.val() - self.moved.val();
        self.stood_tick.next = self.stood.val() >> 1;
        self.v.next.late = self.rx.val().gap & self.stood_gap.val().get_bit(15);
        self.v.next.idle = self.stood_idle.val().get_bit(15);
        self.v.next.overdue = self.stood_debt.val().get_bit(15);
        self.v.next.settled = self.stood_tick.val().any();
        self.v.next.ancient = self.stood.val().get_bit(15);

        // lengths
        self.mtu_known.next = self.state.mtu.val().any();
        self.v.next.blind = self.long.val() & !self.mtu_known.val();
        self.v.next.misfit = self.mtu_known.val()
            & ((self.op.val().fills & (self.op.val().fill != self.state.mtu.val()))
                | (self.op.val().ends & (self.op.val().need > self.state.mtu.val())));
        self.v.next.waits = self.op.val().barrier | (self.op.val().receives & self.cfg.val().ack_ops_write);

        // counts; a - !b is a + b + 1
        self.run_one.next = self.rx.val().run + 1;
        self.run_two.next = self.rx.val().run + 2;
        self.v.next.run = self.run_one.val();
        if self.run_one.val() == self.back.val().run {
            self.v.next.run = self.run_two.val();
        }
        self.count_one.next = self.rx.val().count + 1;
        self.v.next.count = self.rx.val().count;
        self.offset_not.next = !self.back.val().offset;
        self.sum.next = self.rx.val().count + self.back.val().offset;
        self.sum_and_one.next = self.rx.val().count - self.offset_not.val();
        self.v.next.msn_before = self.sum.val();
        self.v.next.msn_after = self.sum.val();
        if self.op.val().completes {
            self.v.next.count = self.count_one.val();
            self.v.next.msn_after = self.sum_and_one.val();
        }
        self.view.next = self.v.val();
    }
}
