//! Between [rail](super::BudgetRail) and the pacer: **totals**. What a path has sent in the session of its far gateway.
//!
//! The pacer counts from reset, the budgets from the beginning of a session. In: `opened`, a session begins; `asks`, the
//! path that the rail asks for; the pacer's total of `sent_path`, in the same cycle; limits of the session. Out: the
//! path's total of the session, in the cycle of `asks` unless `holds`; limits as the pacer counts, two cycles later.
//! Model: `sim::model_gateway`, `sent_before`. Tests: `tests/budget/totals.rs`. Registers: none.

use crate::prim::LutRam;
use rust_hdl::prelude::*;

/// All paths. For 16 cycles after `rst` no session may begin.
#[derive(LogicBlock, Default)]
pub struct Totals {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub opened_valid: Signal<In, Bit>,
    pub opened_path: Signal<In, Bits<4>>,
    pub asks: Signal<In, Bits<4>>,
    /// A session begins: what is asked for comes later.
    pub holds: Signal<Out, Bit>,
    pub sent_path: Signal<Out, Bits<4>>,
    pub sent_in_all: Signal<In, Bits<64>>,
    pub sent: Signal<Out, Bits<64>>,
    pub live_we: Signal<In, Bit>,
    pub live_path: Signal<In, Bits<4>>,
    pub live_limit: Signal<In, Bits<64>>,
    pub limit_we: Signal<Out, Bit>,
    pub limit_path: Signal<Out, Bits<4>>,
    pub limit: Signal<Out, Bits<64>>,
    /// What the pacer had sent when the session began, read for `asks` and for a limit.
    of_ask: LutRam<64, 4>,
    of_limit: LutRam<64, 4>,
    at: Signal<Local, Bits<4>>,
    write: Signal<Local, Bit>,
    path: Signal<Local, Bits<4>>,
    value: Signal<Local, Bits<64>>,
    comes: DFF<Bit>,
    coming_path: DFF<Bits<4>>,
    coming: DFF<Bits<64>>,
    out_we: DFF<Bit>,
    out_path: DFF<Bits<4>>,
    out_limit: DFF<Bits<64>>,
    /// Counts from `rst`: the table is cleared.
    cleared: DFF<Bits<5>>,
}

impl Logic for Totals {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, comes, coming_path, coming, out_we, out_path, out_limit, cleared);
        self.of_ask.clk.next = self.clk.val();
        self.of_limit.clk.next = self.clk.val();
        self.at.next = self.asks.val();
        if self.opened_valid.val() {
            self.at.next = self.opened_path.val();
        }
        self.holds.next = self.opened_valid.val();
        self.sent_path.next = self.at.val();
        self.of_ask.raddr.next = self.at.val();
        self.sent.next = self.sent_in_all.val() - self.of_ask.rdata.val();

        self.write.next = self.opened_valid.val();
        self.path.next = self.opened_path.val();
        self.value.next = self.sent_in_all.val();
        if !self.cleared.q.val().get_bit(4) {
            self.cleared.d.next = self.cleared.q.val() + 1;
            self.write.next = true;
            self.path.next = bit_cast::<4, 5>(self.cleared.q.val());
            self.value.next = 0.into();
        }
        self.of_ask.we.next = self.write.val();
        self.of_ask.waddr.next = self.path.val();
        self.of_ask.wdata.next = self.value.val();
        self.of_limit.we.next = self.write.val();
        self.of_limit.waddr.next = self.path.val();
        self.of_limit.wdata.next = self.value.val();

        // A limit that comes with the session meets its beginning a cycle later.
        self.comes.d.next = self.live_we.val();
        self.coming_path.d.next = self.live_path.val();
        self.coming.d.next = self.live_limit.val();
        self.of_limit.raddr.next = self.coming_path.q.val();
        self.out_we.d.next = self.comes.q.val();
        self.out_path.d.next = self.coming_path.q.val();
        self.out_limit.d.next = self.coming.q.val() + self.of_limit.rdata.val();
        self.limit_we.next = self.out_we.q.val();
        self.limit_path.next = self.out_path.q.val();
        self.limit.next = self.out_limit.q.val();
        if self.rst.val() {
            self.comes.d.next = false;
            self.out_we.d.next = false;
            self.cleared.d.next = 0.into();
        }
    }
}
