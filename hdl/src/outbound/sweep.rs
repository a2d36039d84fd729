//! Beside the rail: **sweep**. Once a tick each flow is offered to a stage, in the cycles that bring no frame.
//!
//! In: `now`, the tick; `hold`, a frame came. Out, in the same cycle: `offer`, and `index`, the flow whose turn it is.
//! A round of all flows begins when `now` changes; when it changes within a round, another round follows.
//! Model: `model::gateway` looks after every flow at once. Tests: `tests/gateway/`. Registers: none.

use matchrdma_spec::params::FLOW_BITS;
use rust_hdl::prelude::*;

/// The counter.
#[derive(LogicBlock, Default)]
pub struct Sweep {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub now: Signal<In, Bits<16>>,
    pub hold: Signal<In, Bit>,
    pub offer: Signal<Out, Bit>,
    pub index: Signal<Out, Bits<FLOW_BITS>>,
    /// The tick before.
    earlier: DFF<Bits<16>>,
    /// A round is to begin.
    due: DFF<Bit>,
    runs: DFF<Bit>,
    turn: DFF<Bits<FLOW_BITS>>,
    following: Signal<Local, Bits<FLOW_BITS>>,
}

impl Logic for Sweep {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, earlier, due, runs, turn);
        self.earlier.d.next = self.now.val();
        self.following.next = self.turn.q.val() + 1;
        self.offer.next = self.runs.q.val() & !self.hold.val();
        self.index.next = self.turn.q.val();
        if self.runs.q.val() & !self.hold.val() {
            self.turn.d.next = self.following.val();
            // the turn has wrapped
            self.runs.d.next = self.following.val().any();
        }
        if !self.runs.q.val() & self.due.q.val() {
            self.runs.d.next = true;
            self.due.d.next = false;
        }
        if self.now.val() != self.earlier.q.val() {
            self.due.d.next = true;
        }
        if self.rst.val() {
            self.due.d.next = false;
            self.runs.d.next = false;
            self.turn.d.next = 0.into();
        }
    }
}
