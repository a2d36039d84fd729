//! Inside [forecast](super): **slack**. How much too much a calendar promises, learned from what left.
//!
//! In: of `path`, in beat 0 `full`: it would have drained more if it had been let; from beat 1 on what it `drained` in the
//! slot that ended, and what was `promised` of that; from beat 3 on, whether it `keeps` on. Out, in beat 7: `excess`, bytes
//! per slot, and `trusted`: it was not too much for some time. Model: `model::forecast`. Tests: `tests/budget/forecast.rs`. Registers: `LAW`.

use crate::prim::{Lit, LutRam};
use rust_hdl::prelude::*;

/// Registers of a stage are those of the path from that beat on. `gap`, `apart` and `next` have a sign.
#[derive(LogicBlock, Default)]
pub struct Slack {
    pub clk: Signal<In, Clock>,
    pub valid: Signal<In, Bit>,
    pub path: Signal<In, Bits<4>>,
    pub beat: Signal<In, Bits<3>>,
    pub line: Signal<In, Bits<32>>,
    pub a: Signal<In, Bits<5>>,
    pub p: Signal<In, Bits<5>>,
    pub drained: Signal<In, Bits<32>>,
    pub full: Signal<In, Bit>,
    pub promised: Signal<In, Bits<32>>,
    pub keeps: Signal<In, Bit>,
    pub excess: Signal<Out, Bits<32>>,
    pub trusted: Signal<Out, Bit>,
    doubts: LutRam<11, 4>,
    doubt7: DFF<Bits<11>>,
    eighth: Signal<Local, Bits<32>>,
    most: Lit<11, { (1 << 11) - 1 }>,
    excesses: LutRam<32, 4>,
    was: Signal<Local, Bits<32>>,
    full1: DFF<Bit>,
    gap2: DFF<Bits<34>>,
    apart3: DFF<Bits<34>>,
    most3: DFF<Bits<32>>,
    apart4: DFF<Bits<34>>,
    most4: DFF<Bits<32>>,
    fade: DFF<Bits<32>>,
    next5: DFF<Bits<34>>,
    next6: DFF<Bits<32>>,
    turned: Signal<Local, Bits<34>>,
    moved: Signal<Local, Bits<34>>,
}

impl Logic for Slack {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, full1, gap2, apart3, most3, apart4, most4, fade, next5, next6, doubt7);
        self.doubts.clk.next = self.clk.val();
        self.doubts.raddr.next = self.path.val();
        self.excesses.clk.next = self.clk.val();
        self.excesses.raddr.next = self.path.val();
        self.was.next = self.excesses.rdata.val();
        self.fade.d.next = self.line.val() >> self.p.val();
        // Beat 0.
        if self.beat.val() == 0 {
            self.full1.d.next = self.full.val();
        }
        // Beat 1: what was missing.
        self.gap2.d.next = bit_cast::<34, 32>(self.promised.val()) - bit_cast::<34, 32>(self.drained.val());
        // Beat 2.
        self.apart3.d.next = bit_cast::<34, 32>(self.was.val()) - self.gap2.q.val();
        self.most3.d.next = self.gap2.q.val().get_bits::<32>(0);
        if self.gap2.q.val().get_bit(33) {
            self.most3.d.next = 0.into();
        }
        // Beat 3: the shift, which keeps the sign; the smaller.
        self.turned.next = self.apart3.q.val();
        if self.apart3.q.val().get_bit(33) {
            self.turned.next = !self.apart3.q.val();
        }
        self.moved.next = self.turned.val() >> self.a.val();
        self.apart4.d.next = self.moved.val();
        if self.apart3.q.val().get_bit(33) {
            self.apart4.d.next = !self.moved.val();
        }
        self.most4.d.next = self.most3.q.val();
        if self.was.val() < self.most3.q.val() {
            self.most4.d.next = self.was.val();
        }
        // Beat 4: nearer to what was missing; without a backlog only less than it was, and some of it is forgotten.
        self.next5.d.next = bit_cast::<34, 32>(self.most4.q.val()) - bit_cast::<34, 32>(self.fade.q.val());
        if self.full1.q.val() {
            self.next5.d.next = bit_cast::<34, 32>(self.was.val()) - self.apart4.q.val();
        }
        // Beat 5.
        self.next6.d.next = self.next5.q.val().get_bits::<32>(0);
        if self.next5.q.val().get_bit(33) | !self.keeps.val() {
            self.next6.d.next = 0.into();
        }
        // Beat 6: too much by more than an eighth of the line, it is doubted for some time.
        self.eighth.next = self.line.val() >> 3;
        self.doubt7.d.next = self.doubts.rdata.val() - 1;
        if !self.doubts.rdata.val().any() | !self.keeps.val() {
            self.doubt7.d.next = 0.into();
        }
        if self.next6.q.val() > self.eighth.val() {
            self.doubt7.d.next = self.most.val();
        }
        // Beat 7.
        self.trusted.next = !self.doubt7.q.val().any();
        self.doubts.we.next = self.valid.val() & self.beat.val().all();
        self.doubts.waddr.next = self.path.val();
        self.doubts.wdata.next = self.doubt7.q.val();
        self.excess.next = self.next6.q.val();
        self.excesses.we.next = self.valid.val() & self.beat.val().all();
        self.excesses.waddr.next = self.path.val();
        self.excesses.wdata.next = self.next6.q.val();
    }
}
