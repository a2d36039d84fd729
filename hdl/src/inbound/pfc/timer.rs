//! How long a class is still paused.
//!
//! In: `load` with `quanta`; `step`, quanta per cycle. Out: `runs`, from the cycle after the load until none is left.

use rust_hdl::prelude::*;

/// Quanta with 8 fraction bits, counted down.
#[derive(LogicBlock, Default)]
pub struct Timer {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub step: Signal<In, Bits<16>>,
    pub load: Signal<In, Bit>,
    pub quanta: Signal<In, Bits<16>>,
    pub runs: Signal<Out, Bit>,
    left: DFF<Bits<24>>,
    by: Signal<Local, Bits<24>>,
    less: Signal<Local, Bits<24>>,
}

impl Logic for Timer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, left);
        self.by.next = bit_cast::<24, 16>(self.step.val());
        self.less.next = self.left.q.val() - self.by.val();
        self.left.d.next = 0.into();
        if self.load.val() {
            self.left.d.next = bit_cast::<24, 16>(self.quanta.val()) << 8;
        } else if self.left.q.val() > self.by.val() {
            self.left.d.next = self.less.val();
        }
        self.runs.next = self.left.q.val().any();
        if self.rst.val() {
            self.left.d.next = 0.into();
        }
    }
}
