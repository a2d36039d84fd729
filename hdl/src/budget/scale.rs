//! Inside [budget_rx](super::BudgetRx): **scale**. A rate of one gateway in the slots of another.
//!
//! In: `go` with `rate`, whose upper half makes it the largest there is, and `factor` (32 fraction bits). Out 38 cycles
//! later, until the next: `scaled`, rounded down and at most `most`; `high`, it was more.
//! Model: `model::budget_rx::scaled`. Tests: `tests/budget/budget_rx.rs`. Registers: none.

use crate::prim::Lit;
use rust_hdl::prelude::*;

/// One bit of the factor per cycle, from the top.
#[derive(LogicBlock, Default)]
pub struct Scale {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub go: Signal<In, Bit>,
    pub rate: Signal<In, Bits<64>>,
    pub factor: Signal<In, Bits<36>>,
    pub most: Signal<In, Bits<32>>,
    pub scaled: Signal<Out, Bits<32>>,
    pub high: Signal<Out, Bit>,
    one: DFF<Bits<32>>,
    other: DFF<Bits<36>>,
    sum: DFF<Bits<68>>,
    twice: Signal<Local, Bits<68>>,
    added: Signal<Local, Bits<68>>,
    left: DFF<Bits<6>>,
    whole: Signal<Local, Bits<36>>,
    above: Signal<Local, Bit>,
    result: DFF<Bits<32>>,
    is_high: DFF<Bit>,
    full: Lit<32, { u32::MAX as u64 }>,
}

impl Logic for Scale {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, one, other, sum, left, result, is_high);
        self.twice.next = self.sum.q.val() << 1;
        self.added.next = 0.into();
        if self.other.q.val().get_bit(35) {
            self.added.next = bit_cast::<68, 32>(self.one.q.val());
        }
        if self.left.q.val().any() {
            self.left.d.next = self.left.q.val() - 1;
            self.sum.d.next = self.twice.val() + self.added.val();
            self.other.d.next = self.other.q.val() << 1;
        }
        if self.go.val() {
            self.left.d.next = 36.into();
            self.sum.d.next = 0.into();
            self.other.d.next = self.factor.val();
            self.one.d.next = bit_cast::<32, 64>(self.rate.val());
            if self.rate.val().get_bits::<32>(32).any() {
                self.one.d.next = self.full.val();
            }
        }
        self.whole.next = bit_cast::<36, 68>(self.sum.q.val() >> 32);
        self.above.next = self.whole.val() > bit_cast::<36, 32>(self.most.val());
        self.is_high.d.next = self.above.val();
        self.result.d.next = bit_cast::<32, 36>(self.whole.val());
        if self.above.val() {
            self.result.d.next = self.most.val();
        }
        self.high.next = self.is_high.q.val();
        self.scaled.next = self.result.q.val();
        if self.rst.val() {
            self.left.d.next = 0.into();
        }
    }
}
