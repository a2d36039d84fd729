//! Beside [reservoir](super): **divide**, a division in as many cycles as its quotient has bits.
//!
//! In: `go` with `dividend` and `divisor`, taken in that cycle; not while `busy`. Out: `busy`, for 44 cycles from the next
//! one on; `quotient`, rounded down, which stands from then on until the next `go`. By 0: any quotient.
//! Model: `/` of `model::sharing::by_weight`. Tests: `tests/budget/reservoir/divide.rs`. Registers: none.

use rust_hdl::prelude::*;

/// One bit of the quotient per cycle, from the top: the divisor is taken off where it fits.
#[derive(LogicBlock, Default)]
pub struct Divide {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub go: Signal<In, Bit>,
    pub dividend: Signal<In, Bits<44>>,
    pub divisor: Signal<In, Bits<12>>,
    pub busy: Signal<Out, Bit>,
    pub quotient: Signal<Out, Bits<44>>,
    /// What is left of the dividend, above what there is of the quotient.
    work: DFF<Bits<44>>,
    rest: DFF<Bits<12>>,
    by: DFF<Bits<12>>,
    left: DFF<Bits<6>>,
    longer: Signal<Local, Bits<13>>,
    less: Signal<Local, Bits<13>>,
}

impl Logic for Divide {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, work, rest, by, left);
        self.longer.next =
            bit_cast::<13, 12>(self.rest.q.val()) << 1 | bit_cast::<13, 1>(self.work.q.val().get_bits::<1>(43));
        self.less.next = self.longer.val() - bit_cast::<13, 12>(self.by.q.val());
        if self.left.q.val().any() {
            self.left.d.next = self.left.q.val() - 1;
            self.work.d.next = self.work.q.val() << 1;
            self.rest.d.next = bit_cast::<12, 13>(self.longer.val());
            if !self.less.val().get_bit(12) {
                self.work.d.next = self.work.q.val() << 1 | 1;
                self.rest.d.next = bit_cast::<12, 13>(self.less.val());
            }
        }
        if self.go.val() {
            self.work.d.next = self.dividend.val();
            self.rest.d.next = 0.into();
            self.by.d.next = self.divisor.val();
            self.left.d.next = 44.into();
        }
        self.busy.next = self.left.q.val().any();
        self.quotient.next = self.work.q.val();
        if self.rst.val() {
            self.left.d.next = 0.into();
        }
    }
}
