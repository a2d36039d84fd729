//! The flows that have something to say, in the order they came to have it, each at most once.
//!
//! In: `flow` of every op one cycle ahead (stage 4), then `op`, and with it `build` (with `spoke`) or `wants` (stage 5);
//! `gap`, the least number of cycles between two builds of a flow that speak.
//! Out: `head_valid`, `head_flow` (`take` takes it); `open`; `busy`.
//!
//! A bit per flow says that its entry is in the queue: set when the entry goes in, cleared by the build that takes it.
//! A flow that spoke keeps its bit while it [rests](Rest); then its entry goes in again, whether it has something to
//! say or not: the build that says nothing clears the bit.
//! It is no part of the flow's context: it says where the entry is, whatever became of the run, so that the queue of
//! one entry per flow can never overflow.
//!
//! A RAM has no reset. After `rst` all bits are swept to zero, one per cycle, and `open` is low meanwhile:
//! a bit left over would keep its flow silent for ever.

use super::rest::Rest;
use crate::prim::{Fifo, Sdp};
use rust_hdl::prelude::*;

/// One op per cycle.
#[derive(LogicBlock, Default)]
pub struct Ready {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub flow: Signal<In, Bits<12>>,
    pub op: Signal<In, Bit>,
    /// The op took the flow's entry.
    pub build: Signal<In, Bit>,
    /// The build made a frame.
    pub spoke: Signal<In, Bit>,
    pub gap: Signal<In, Bits<16>>,
    /// The flow has something to say.
    pub wants: Signal<In, Bit>,
    pub head_valid: Signal<Out, Bit>,
    pub head_flow: Signal<Out, Bits<12>>,
    pub take: Signal<In, Bit>,
    pub open: Signal<Out, Bit>,
    pub busy: Signal<Out, Bit>,
    queueds: Sdp<1, 12>,
    fifo: Fifo<12, 12>,
    rest: Rest,
    rests: Signal<Local, Bit>,
    flow5: DFF<Bits<12>>,
    /// The op one cycle earlier was of the same flow: its bit is not in the table yet.
    from6: DFF<Bit>,
    queued6: DFF<Bits<1>>,
    sweeping: DFF<Bit>,
    sweep: DFF<Bits<12>>,
    queued: Signal<Local, Bits<1>>,
    queued_next: Signal<Local, Bits<1>>,
    pushes: Signal<Local, Bit>,
}

impl Logic for Ready {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, flow5, from6, queued6, sweeping, sweep);
        self.flow5.d.next = self.flow.val();
        self.from6.d.next = self.op.val() & (self.flow.val() == self.flow5.q.val());

        self.queueds.clk.next = self.clk.val();
        self.queueds.raddr.next = self.flow.val();
        self.queued.next = self.queueds.rdata.val();
        if self.from6.q.val() {
            self.queued.next = self.queued6.q.val();
        }
        self.rests.next = self.op.val() & self.build.val() & self.spoke.val() & self.gap.val().any();
        self.pushes.next = false;
        self.queued_next.next = self.queued.val();
        if self.op.val() {
            if self.build.val() & !self.rests.val() {
                self.queued_next.next = 0.into();
            } else if self.wants.val() & !self.build.val() {
                self.queued_next.next = 1.into();
                self.pushes.next = !self.queued.val().any();
            }
        }
        self.queued6.d.next = self.queued_next.val();
        self.queueds.we.next = self.op.val() | self.sweeping.q.val();
        self.queueds.waddr.next = self.flow5.q.val();
        self.queueds.wdata.next = self.queued_next.val();
        if self.sweeping.q.val() {
            self.queueds.waddr.next = self.sweep.q.val();
            self.queueds.wdata.next = 0.into();
            self.sweep.d.next = self.sweep.q.val() + 1;
            self.sweeping.d.next = !self.sweep.q.val().all();
        }

        self.fifo.clk.next = self.clk.val();
        self.fifo.rst.next = self.rst.val();
        self.rest.clk.next = self.clk.val();
        self.rest.rst.next = self.rst.val();
        self.rest.gap.next = self.gap.val();
        self.rest.put.next = self.rests.val();
        self.rest.flow.next = self.flow5.q.val();
        self.rest.take.next = !self.pushes.val();
        self.fifo.wr.next = self.pushes.val() | self.rest.due.val();
        self.fifo.din.next = self.rest.due_flow.val();
        if self.pushes.val() {
            self.fifo.din.next = self.flow5.q.val();
        }
        self.fifo.rd.next = self.take.val();
        self.head_valid.next = !self.fifo.empty.val();
        self.head_flow.next = self.fifo.dout.val();
        self.open.next = !self.sweeping.q.val();
        self.busy.next = self.sweeping.q.val() | !self.fifo.empty.val() | self.rest.busy.val();
        if self.rst.val() {
            self.sweeping.d.next = true;
            self.sweep.d.next = 0.into();
        }
    }
}
