//! Inside [forecast](super): **drains**. What left the client port of each path in the slot that ended.
//!
//! In: a beat of a path that leaves; `turn`, in the last cycle of a slot: a beat in that cycle is of the next. Out, between
//! two of them: bytes of the path that is asked for, a cycle later.
//! Model: `drained_of` of `model::budget_rail`. Tests: `tests/budget/forecast.rs`. Registers: none.
//!
//! Two sums per path, one for slots that are even, one for those that are odd: one is read while the other grows.

use crate::prim::LutRam;
use rust_hdl::prelude::*;

/// Sums without a reset: those that were not begun in their slot count as 0.
#[derive(LogicBlock, Default)]
pub struct Drains {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub turn: Signal<In, Bit>,
    pub left_valid: Signal<In, Bit>,
    pub left_path: Signal<In, Bits<4>>,
    pub left_bytes: Signal<In, Bits<9>>,
    pub path: Signal<In, Bits<4>>,
    pub drained: Signal<Out, Bits<32>>,
    sums: LutRam<32, 5>,
    sums_of_path: LutRam<32, 5>,
    out: DFF<Bits<32>>,
    odd: DFF<Bit>,
    begun: DFF<Bits<16>>,
    ended: DFF<Bits<16>>,
    grows: Signal<Local, Bits<16>>,
    is_odd: Signal<Local, Bit>,
    where_grows: Signal<Local, Bits<5>>,
    where_ended: Signal<Local, Bits<5>>,
    so_far: Signal<Local, Bits<32>>,
    sum: Signal<Local, Bits<32>>,
}

impl Logic for Drains {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, out, odd, begun, ended);
        self.sums.clk.next = self.clk.val();
        self.sums_of_path.clk.next = self.clk.val();
        self.is_odd.next = self.odd.q.val() ^ self.turn.val();
        self.odd.d.next = self.is_odd.val();
        self.grows.next = self.begun.q.val();
        if self.turn.val() {
            self.grows.next = 0.into();
            self.ended.d.next = self.begun.q.val();
        }
        self.where_grows.next = bit_cast::<5, 4>(self.left_path.val());
        if self.is_odd.val() {
            self.where_grows.next = bit_cast::<5, 4>(self.left_path.val()) | bits::<5>(16);
        }
        self.sums.raddr.next = self.where_grows.val();
        self.so_far.next = 0.into();
        if self.grows.val().get_bit(self.left_path.val().index()) {
            self.so_far.next = self.sums.rdata.val();
        }
        self.sum.next = self.so_far.val() + bit_cast::<32, 9>(self.left_bytes.val());
        self.sums.we.next = self.left_valid.val();
        self.sums.waddr.next = self.where_grows.val();
        self.sums.wdata.next = self.sum.val();
        self.sums_of_path.we.next = self.left_valid.val();
        self.sums_of_path.waddr.next = self.where_grows.val();
        self.sums_of_path.wdata.next = self.sum.val();
        self.begun.d.next = self.grows.val();
        for i in 0..16 {
            if self.left_valid.val() & (self.left_path.val().index() == i) {
                self.begun.d.next = self.begun.d.val().replace_bit(i, true);
            }
        }
        // The slot that ended is of the other parity than the one that runs.
        self.where_ended.next = bit_cast::<5, 4>(self.path.val());
        if !self.odd.q.val() {
            self.where_ended.next = bit_cast::<5, 4>(self.path.val()) | bits::<5>(16);
        }
        self.sums_of_path.raddr.next = self.where_ended.val();
        self.drained.next = self.out.q.val();
        self.out.d.next = 0.into();
        if self.ended.q.val().get_bit(self.path.val().index()) {
            self.out.d.next = self.sums_of_path.rdata.val();
        }
        if self.rst.val() {
            self.odd.d.next = false;
            self.begun.d.next = 0.into();
            self.ended.d.next = 0.into();
        }
    }
}
