//! A product of any two widths.

use rust_hdl::prelude::*;

/// `p` is `x * y`, without a sign, within the cycle. `P` is `X + Y`.
///
/// rust-hdl multiplies only some pairs of widths.
#[derive(LogicBlock)]
pub struct Product<const X: usize, const Y: usize, const P: usize> {
    pub x: Signal<In, Bits<X>>,
    pub y: Signal<In, Bits<Y>>,
    pub p: Signal<Out, Bits<P>>,
}

impl<const X: usize, const Y: usize, const P: usize> Default for Product<X, Y, P> {
    fn default() -> Self {
        assert_eq!(P, X + Y, "a product has the bits of both factors");
        Self { x: Default::default(), y: Default::default(), p: Default::default() }
    }
}

impl<const X: usize, const Y: usize, const P: usize> Logic for Product<X, Y, P> {
    // Only the emitted Verilog is ever run.
    fn update(&mut self) {}

    fn connect(&mut self) {
        self.p.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom("always @(*) p = x * y;".to_string())
    }
}
