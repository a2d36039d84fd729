//! Beside host 2: **flow_ages**. How long each flow has been in its state and held by a barrier, and how old its debt is.
//!
//! Once a tick, some cycles after the stages' own sweeps began, every flow is looked at: `at` is the flow whose records
//! are to be read, and in the next cycle `state` and `holds` say what they tell. What a look finds changed gets a stamp.
//! In: `times`; `ask` with `asked`, the host's flow, which goes before a look; of `ack_filter`'s sweeps the age of debt.
//! Out, a cycle after `ask`: `ticks` (0 while no look has found the state), `held_ticks`, `debt_age`.
//! Model: `model/src/gateway/ages.rs`. Tests: `tests/host/flow_ages.rs`. Registers: `FLOW_STATE_TICKS`, `FLOW_HELD`, `FLOW_DEBT_AGE`.

use crate::outbound::sweep::Sweep;
use crate::prim::{Lit, Sdp, Table};
use crate::record::Times;
use matchrdma_spec::params::FLOW_BITS;
use matchrdma_spec::regs::{flow, timer};
use rust_hdl::prelude::*;

/// What the looks found, and since when.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Looked {
    pub state: Bits<3>,
    pub since: Bits<24>,
    pub held: Bit,
    pub held_since: Bits<16>,
}

/// The block.
#[derive(LogicBlock, Default)]
pub struct FlowAges {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub times: Signal<In, Times>,
    pub ask: Signal<In, Bit>,
    pub asked: Signal<In, Bits<FLOW_BITS>>,
    pub at: Signal<Out, Bits<FLOW_BITS>>,
    pub state: Signal<In, Bits<3>>,
    pub holds: Signal<In, Bit>,
    pub swept_valid: Signal<In, Bit>,
    pub swept_flow: Signal<In, Bits<FLOW_BITS>>,
    pub age_valid: Signal<In, Bit>,
    pub age: Signal<In, Bits<16>>,
    pub ticks: Signal<Out, Bits<24>>,
    pub held_ticks: Signal<Out, Bits<15>>,
    pub debt_age: Signal<Out, Bits<16>>,
    looked: Table<Looked, FLOW_BITS>,
    debt: Sdp<16, FLOW_BITS>,
    sweep: Sweep,
    earlier: DFF<Bits<16>>,
    /// Cycles until a round begins.
    lag: DFF<Bits<5>>,
    /// Changes when a round is to begin.
    round: DFF<Bit>,
    looks: DFF<Bit>,
    flow: DFF<Bits<FLOW_BITS>>,
    turn: Signal<Local, Bits<FLOW_BITS>>,
    r: Signal<Local, Looked>,
    n: Signal<Local, Looked>,
    now: Signal<Local, Bits<24>>,
    stood: Signal<Local, Bits<24>>,
    oldest: Signal<Local, Bits<24>>,
    held_for: Signal<Local, Bits<16>>,
    held_oldest: Signal<Local, Bits<16>>,
    known: Signal<Local, Bit>,
    still: Signal<Local, Bit>,
    ticks_max: Lit<24, { flow::STATE_TICKS_MAX as u64 }>,
    held_max: Lit<16, { timer::NEVER as u64 }>,
}

impl Logic for FlowAges {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, earlier, lag, round, looks, flow);
        self.looked.clk.next = self.clk.val();
        self.debt.clk.next = self.clk.val();
        self.sweep.clk.next = self.clk.val();
        self.sweep.rst.next = self.rst.val();

        // A round follows those of the stages, which begin when the tick changes.
        self.earlier.d.next = self.times.val().now;
        if self.lag.q.val().any() {
            self.lag.d.next = self.lag.q.val() - 1;
            if self.lag.q.val() == 1 {
                self.round.d.next = !self.round.q.val();
            }
        } else if self.times.val().now != self.earlier.q.val() {
            self.lag.d.next = bits::<5>(31);
        }
        self.sweep.now.next = bits::<16>(0);
        if self.round.q.val() {
            self.sweep.now.next = bits::<16>(1);
        }
        self.sweep.hold.next = self.ask.val();
        self.looks.d.next = self.sweep.offer.val();
        self.turn.next = self.sweep.index.val();
        if self.ask.val() {
            self.turn.next = self.asked.val();
        }
        self.flow.d.next = self.turn.val();
        self.at.next = self.turn.val();
        self.looked.raddr.next = self.turn.val();
        self.debt.raddr.next = self.turn.val();

        // A cycle later: what was found before, against what is found.
        self.r.next = self.looked.rdata.val();
        self.now.next = (bit_cast::<24, 8>(self.times.val().above) << 16) | bit_cast::<24, 16>(self.times.val().now);
        self.stood.next = self.now.val() - self.r.val().since;
        self.oldest.next = self.now.val() - self.ticks_max.val();
        self.held_for.next = self.times.val().now - self.r.val().held_since;
        self.held_oldest.next = self.times.val().now - self.held_max.val();
        self.known.next = self.r.val().state == self.state.val();
        self.still.next = self.r.val().held & self.holds.val();
        self.n.next.state = self.state.val();
        self.n.next.since = self.now.val();
        self.ticks.next = bits::<24>(0);
        if self.known.val() {
            self.n.next.since = self.r.val().since;
            self.ticks.next = self.stood.val();
            if self.stood.val().get_bit(23) {
                self.n.next.since = self.oldest.val();
                self.ticks.next = self.ticks_max.val();
            }
        }
        self.n.next.held = self.holds.val();
        self.n.next.held_since = self.times.val().now;
        self.held_ticks.next = bits::<15>(0);
        if self.still.val() {
            self.n.next.held_since = self.r.val().held_since;
            self.held_ticks.next = self.held_for.val().get_bits::<15>(0);
            if self.held_for.val().get_bit(15) {
                self.n.next.held_since = self.held_oldest.val();
                self.held_ticks.next = self.held_max.val().get_bits::<15>(0);
            }
        }
        self.looked.we.next = self.looks.q.val();
        self.looked.waddr.next = self.flow.q.val();
        self.looked.wdata.next = self.n.val();

        // The age of debt, as `ack_filter` finds it.
        self.debt.we.next = self.swept_valid.val();
        self.debt.waddr.next = self.swept_flow.val();
        self.debt.wdata.next = bits::<16>(0);
        if self.age_valid.val() {
            self.debt.wdata.next = self.age.val();
        }
        self.debt_age.next = self.debt.rdata.val();
        if self.rst.val() {
            self.lag.d.next = bits::<5>(0);
            self.round.d.next = false;
            self.looks.d.next = false;
        }
    }
}
