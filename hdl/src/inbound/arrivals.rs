//! Inbound, beside 3: **arrivals**. From [front](crate::outbound::front), to the budget rail.
//!
//! In: at `JUDGE` the op: its length, its queue, whether it is a budget frame or damaged; at `JUDGE`+2 its beats.
//! Out: bytes that a path brought, at `JUDGE`+4, when [egress](super::Egress) tells them too, whatever became of the frame;
//! budget frames whole, at `JUDGE`+3, which is a cycle or more behind `came` of what came before: a good one has two beats.
//! Model: `model::arrivals`. Tests: `tests/inbound/arrivals.rs`. Registers: `PACER_OVERHEAD`.

use crate::prim::{Lit, Pipe, Unpack};
use crate::record::Beat;
use matchrdma_spec::wire::budget::BYTES;
use rust_hdl::prelude::*;

/// On its way to `came`.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Coming {
    pub valid: Bit,
    pub path: Bits<4>,
    pub bytes: Bits<14>,
}

const COMING_BITS: usize = <Coming as Synth>::BITS;

/// A frame has byte 0 in bits 7:0. `bad`: damaged, or not of its length; then its bits mean nothing.
#[derive(LogicBlock, Default)]
pub struct Arrivals {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub overhead: Signal<In, Bits<8>>,
    pub op_valid: Signal<In, Bit>,
    pub op_queue: Signal<In, Bits<5>>,
    pub op_bytes: Signal<In, Bits<14>>,
    pub op_budget: Signal<In, Bit>,
    pub op_err: Signal<In, Bit>,
    pub waited: Signal<In, Beat>,
    pub came_valid: Signal<Out, Bit>,
    pub came_path: Signal<Out, Bits<4>>,
    pub came_bytes: Signal<Out, Bits<14>>,
    pub frame_valid: Signal<Out, Bit>,
    pub frame: Signal<Out, Bits<1024>>,
    pub bad: Signal<Out, Bit>,
    comes: Signal<Local, Bit>,
    coming: Signal<Local, Coming>,
    way: Pipe<COMING_BITS, 4>,
    come: Unpack<COMING_BITS, Coming>,
    budget1: DFF<Bit>,
    budget2: DFF<Bit>,
    budget3: DFF<Bit>,
    bad1: DFF<Bit>,
    bad2: DFF<Bit>,
    bad3: DFF<Bit>,
    length: Lit<14, { BYTES as u64 }>,
    newest: DFF<Bits<512>>,
    earlier: DFF<Bits<512>>,
}

impl Logic for Arrivals {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, budget1, budget2, budget3, bad1, bad2, bad3, newest, earlier);
        // What came of a path.
        self.comes.next = self.op_valid.val() & !self.op_queue.val().get_bit(4);
        self.coming.next.bytes = self.op_bytes.val() + bit_cast::<14, 8>(self.overhead.val());
        self.coming.next.path = bit_cast::<4, 5>(self.op_queue.val());
        self.coming.next.valid = self.comes.val();
        self.way.clk.next = self.clk.val();
        self.way.rst.next = self.rst.val();
        self.way.din.next = self.coming.val().into();
        self.come.din.next = self.way.dout.val();
        self.came_valid.next = self.come.dout.val().valid;
        self.came_path.next = self.come.dout.val().path;
        self.came_bytes.next = self.come.dout.val().bytes;

        // A budget frame: its last beat, and the one before.
        self.budget1.d.next = self.op_valid.val() & self.op_budget.val();
        self.budget2.d.next = self.budget1.q.val();
        self.budget3.d.next = self.budget2.q.val();
        self.bad1.d.next = self.op_err.val() | (self.op_bytes.val() != self.length.val());
        self.bad2.d.next = self.bad1.q.val();
        self.bad3.d.next = self.bad2.q.val();
        if self.waited.val().valid {
            self.newest.d.next = self.waited.val().data;
            self.earlier.d.next = self.newest.q.val();
        }
        self.frame_valid.next = self.budget3.q.val();
        self.bad.next = self.bad3.q.val();
        self.frame.next =
            (bit_cast::<1024, 512>(self.newest.q.val()) << 512) | bit_cast::<1024, 512>(self.earlier.q.val());
        if self.rst.val() {
            self.budget1.d.next = false;
            self.budget2.d.next = false;
            self.budget3.d.next = false;
        }
    }
}
