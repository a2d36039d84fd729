//! Inside [budget_rx](super::BudgetRx) and [budget_tx](super::BudgetTx): **scale**. A rate of one gateway in the slots of
//! another.
//!
//! In: `go` with `rate`, whose upper half makes it the largest there is; `factor` (32 fraction bits), which stands. Out
//! 34 cycles later, until the next: `product`, rounded down; `scaled`, the same, at most `most`; `high`, it was more.
//! Model: `model::budget_rx::scaled`. Tests: `tests/budget/budget_rx.rs`. Registers: none.

use crate::prim::Lit;
use rust_hdl::prelude::*;

/// One bit of the rate per cycle, from the bottom: what falls off the sum is the fraction.
#[derive(LogicBlock, Default)]
pub struct Scale {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub go: Signal<In, Bit>,
    pub rate: Signal<In, Bits<64>>,
    pub factor: Signal<In, Bits<48>>,
    pub most: Signal<In, Bits<32>>,
    pub done: Signal<Out, Bit>,
    pub product: Signal<Out, Bits<48>>,
    pub scaled: Signal<Out, Bits<32>>,
    pub high: Signal<Out, Bit>,
    one: DFF<Bits<32>>,
    sum: DFF<Bits<48>>,
    added: Signal<Local, Bits<49>>,
    more: Signal<Local, Bits<49>>,
    left: DFF<Bits<6>>,
    above: Signal<Local, Bit>,
    ends: DFF<Bit>,
    ended: DFF<Bit>,
    result: DFF<Bits<32>>,
    is_high: DFF<Bit>,
    full: Lit<32, { u32::MAX as u64 }>,
}

impl Logic for Scale {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, one, sum, left, ends, ended, result, is_high);
        self.added.next = 0.into();
        if self.one.q.val().get_bit(0) {
            self.added.next = bit_cast::<49, 48>(self.factor.val());
        }
        self.more.next = bit_cast::<49, 48>(self.sum.q.val()) + self.added.val();
        if self.left.q.val().any() {
            self.left.d.next = self.left.q.val() - 1;
            self.sum.d.next = bit_cast::<48, 49>(self.more.val() >> 1);
            self.one.d.next = self.one.q.val() >> 1;
        }
        self.ends.d.next = self.left.q.val() == 1;
        self.ended.d.next = self.ends.q.val();
        if self.go.val() {
            self.left.d.next = 32.into();
            self.ends.d.next = false;
            self.ended.d.next = false;
            self.sum.d.next = 0.into();
            self.one.d.next = bit_cast::<32, 64>(self.rate.val());
            if self.rate.val().get_bits::<32>(32).any() {
                self.one.d.next = self.full.val();
            }
        }
        self.above.next = self.sum.q.val() > bit_cast::<48, 32>(self.most.val());
        self.is_high.d.next = self.above.val();
        self.result.d.next = bit_cast::<32, 48>(self.sum.q.val());
        if self.above.val() {
            self.result.d.next = self.most.val();
        }
        self.done.next = self.ended.q.val();
        self.product.next = self.sum.q.val();
        self.high.next = self.is_high.q.val();
        self.scaled.next = self.result.q.val();
        if self.rst.val() {
            self.left.d.next = 0.into();
            self.ends.d.next = false;
            self.ended.d.next = false;
        }
    }
}
