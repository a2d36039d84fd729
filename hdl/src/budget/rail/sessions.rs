//! Inside [rail](super): **sessions**. What a new session of a far gateway makes void.
//!
//! In: `opened` of `path`; `slot`, the one that the law is at or grants next, and `granting`, it has been asked already;
//! what the far gateway `said` that it had applied. Out, of `ask_path`: `echo`, the newest of our slots that its source
//! had applied, none from before its session; `anew`, it began since the law asked last (`answered`: it is told now). Of
//! `budget_path`: `stale`, the law did not know. `settles`: what a path has sent is perhaps not yet 0.
//! Combinational from the paths. Model: `model::budget_rail`. Tests: `tests/budget/rail/`. Registers: none.

use crate::prim::{Lit, LutRam};
use rust_hdl::prelude::*;

/// A slot per path, and a bit.
#[derive(LogicBlock, Default)]
pub struct Sessions {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub opened: Signal<In, Bit>,
    pub path: Signal<In, Bits<4>>,
    pub slot: Signal<In, Bits<48>>,
    pub granting: Signal<In, Bit>,
    pub ask_path: Signal<In, Bits<4>>,
    pub said: Signal<In, Bits<48>>,
    pub answered: Signal<In, Bit>,
    pub budget_path: Signal<In, Bits<4>>,
    pub echo: Signal<Out, Bits<48>>,
    pub anew: Signal<Out, Bit>,
    pub stale: Signal<Out, Bit>,
    pub settles: Signal<Out, Bit>,
    since: LutRam<48, 4>,
    dated: DFF<Bits<16>>,
    opens: DFF<Bits<16>>,
    shy: DFF<Bits<2>>,
    next_slot: Signal<Local, Bits<48>>,
    from: Signal<Local, Bits<48>>,
    pause: Lit<2, 3>,
}

impl Logic for Sessions {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, dated, opens, shy);
        self.next_slot.next = self.slot.val();
        if self.granting.val() {
            self.next_slot.next = self.slot.val() + 1;
        }
        self.since.clk.next = self.clk.val();
        self.since.we.next = self.opened.val();
        self.since.waddr.next = self.path.val();
        self.since.wdata.next = self.next_slot.val();
        self.since.raddr.next = self.ask_path.val();
        self.from.next = 0.into();
        if self.dated.q.val().get_bit(self.ask_path.val().index()) {
            self.from.next = self.since.rdata.val();
        }
        self.echo.next = self.said.val();
        if self.said.val() < self.from.val() {
            self.echo.next = self.from.val();
        }
        self.anew.next = self.opens.q.val().get_bit(self.ask_path.val().index());
        self.stale.next = self.opens.q.val().get_bit(self.budget_path.val().index())
            | (self.opened.val() & (self.path.val() == self.budget_path.val()));
        for i in 0..16 {
            if self.answered.val() & (self.ask_path.val().index() == i) {
                self.opens.d.next = self.opens.d.val().replace_bit(i, false);
            }
            if self.opened.val() & (self.path.val().index() == i) {
                self.opens.d.next = self.opens.d.val().replace_bit(i, true);
                self.dated.d.next = self.dated.d.val().replace_bit(i, true);
            }
        }
        if self.shy.q.val().any() {
            self.shy.d.next = self.shy.q.val() - 1;
        }
        if self.opened.val() {
            self.shy.d.next = self.pause.val();
        }
        self.settles.next = self.shy.q.val().any();
        if self.rst.val() {
            self.opens.d.next = 0.into();
            self.dated.d.next = 0.into();
            self.shy.d.next = 0.into();
        }
    }
}
