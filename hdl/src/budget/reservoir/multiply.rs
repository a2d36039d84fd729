//! Beside [alu](super::Alu): **multiply**. The one multiplier.
//!
//! In: `x` and `y`. Out, a cycle later: `product`, none of the three with a sign. It is made of two parts, as wide as the
//! multipliers of the target parts are; each has a register behind it, and their sum has none.
//! Model: `*`. Tests: `tests/budget/reservoir/law.rs`. Registers: none.

use crate::prim::Product;
use rust_hdl::prelude::*;

/// 44 by 13 bits.
#[derive(LogicBlock, Default)]
pub struct Multiply {
    pub clk: Signal<In, Clock>,
    pub x: Signal<In, Bits<44>>,
    pub y: Signal<In, Bits<13>>,
    pub product: Signal<Out, Bits<57>>,
    low: Product<26, 13, 39>,
    high: Product<18, 13, 31>,
    low1: DFF<Bits<39>>,
    high1: DFF<Bits<31>>,
}

impl Logic for Multiply {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, low1, high1);
        self.low.x.next = self.x.val().get_bits::<26>(0);
        self.low.y.next = self.y.val();
        self.high.x.next = self.x.val().get_bits::<18>(26);
        self.high.y.next = self.y.val();
        self.low1.d.next = self.low.p.val();
        self.high1.d.next = self.high.p.val();
        self.product.next = (bit_cast::<57, 31>(self.high1.q.val()) << 26) + bit_cast::<57, 39>(self.low1.q.val());
    }
}
