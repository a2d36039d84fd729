//! One word of a wide vector.

use rust_hdl::prelude::*;

/// `dout` is word number `at` of `din`, which is some words of `W` bits side by side (`B` bits); zero beyond its end.
/// Combinational.
#[derive(LogicBlock, Default)]
pub struct Pick<const W: usize, const A: usize, const B: usize> {
    pub din: Signal<In, Bits<B>>,
    pub at: Signal<In, Bits<A>>,
    pub dout: Signal<Out, Bits<W>>,
}

impl<const W: usize, const A: usize, const B: usize> Logic for Pick<W, A, B> {
    fn update(&mut self) {
        let (din, from) = (self.din.val(), W * self.at.val().index());
        let mut dout = Bits::<W>::default();
        for bit in (0..W).filter(|bit| from + bit < B) {
            dout = dout.replace_bit(bit, din.get_bit(from + bit));
        }
        self.dout.next = dout;
    }

    fn connect(&mut self) {
        self.dout.connect();
    }

    fn hdl(&self) -> Verilog {
        assert!(B.is_multiple_of(W) && B <= W << A, "{B} bits are no words of {W} with {A} bits of number");
        let arm = |word: usize| format!("  {A}'d{word}: dout = din[{}:{}];\n", W * word + W - 1, W * word);
        let arms: String = (0..B / W).map(arm).collect();
        Verilog::Custom(format!("always @(*) case (at)\n{arms}  default: dout = {W}'h0;\nendcase"))
    }
}
