//! Beside [pacer](super): what each path has sent, and may send.
//!
//! In: starts, and limits. Out: how much of its limit a path has left; what any path has sent.
//! Latency: a start counts two cycles later; a written limit in the next.
//! Model: `model::pacer`. Tests: `tests/outbound/pacer.rs`. Registers: none.

use crate::prim::{Lit, LutRam};
use rust_hdl::prelude::*;

/// Totals of 64 bits for sixteen paths. `left` is `limit - sent` of the path `load`, at most 2^17 - 1; `exact`: it is
/// no more than that. Below zero it is zero.
#[derive(LogicBlock, Default)]
pub struct Quota {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub limit_we: Signal<In, Bit>,
    pub limit_path: Signal<In, Bits<4>>,
    pub limit: Signal<In, Bits<64>>,
    pub start: Signal<In, Bit>,
    pub path: Signal<In, Bits<4>>,
    pub cost: Signal<In, Bits<15>>,
    pub load: Signal<In, Bits<4>>,
    pub left: Signal<Out, Bits<17>>,
    pub exact: Signal<Out, Bit>,
    pub sent_path: Signal<In, Bits<4>>,
    pub sent: Signal<Out, Bits<64>>,
    limits: LutRam<64, 4>,
    totals: LutRam<64, 4>,
    totals_of_load: LutRam<64, 4>,
    totals_of_host: LutRam<64, 4>,
    started: DFF<Bit>,
    started_path: DFF<Bits<4>>,
    started_cost: DFF<Bits<15>>,
    /// Counts from `rst`: the tables are cleared.
    cleared: DFF<Bits<5>>,
    clears: Signal<Local, Bit>,
    apart: Signal<Local, Bits<65>>,
    zero: Signal<Local, Bits<64>>,
    most: Lit<17, { (1 << 17) - 1 }>,
}

impl Logic for Quota {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, started, started_path, started_cost, cleared);
        self.limits.clk.next = self.clk.val();
        self.totals.clk.next = self.clk.val();
        self.totals_of_load.clk.next = self.clk.val();
        self.totals_of_host.clk.next = self.clk.val();

        self.started.d.next = self.start.val();
        self.started_path.d.next = self.path.val();
        self.started_cost.d.next = self.cost.val();
        self.totals.raddr.next = self.started_path.q.val();
        self.totals.we.next = self.started.q.val();
        self.totals.waddr.next = self.started_path.q.val();
        self.totals.wdata.next = self.totals.rdata.val() + bit_cast::<64, 15>(self.started_cost.q.val());
        self.limits.we.next = self.limit_we.val();
        self.limits.waddr.next = self.limit_path.val();
        self.limits.wdata.next = self.limit.val();
        self.clears.next = !self.cleared.q.val().get_bit(4);
        self.zero.next = 0.into();
        if self.clears.val() {
            self.cleared.d.next = self.cleared.q.val() + 1;
            self.totals.we.next = true;
            self.totals.waddr.next = bit_cast::<4, 5>(self.cleared.q.val());
            self.totals.wdata.next = self.zero.val();
            self.limits.we.next = true;
            self.limits.waddr.next = bit_cast::<4, 5>(self.cleared.q.val());
            self.limits.wdata.next = self.zero.val();
        }
        self.totals_of_load.we.next = self.totals.we.val();
        self.totals_of_load.waddr.next = self.totals.waddr.val();
        self.totals_of_load.wdata.next = self.totals.wdata.val();
        self.totals_of_host.we.next = self.totals.we.val();
        self.totals_of_host.waddr.next = self.totals.waddr.val();
        self.totals_of_host.wdata.next = self.totals.wdata.val();

        self.limits.raddr.next = self.load.val();
        self.totals_of_load.raddr.next = self.load.val();
        self.apart.next =
            bit_cast::<65, 64>(self.limits.rdata.val()) - bit_cast::<65, 64>(self.totals_of_load.rdata.val());
        self.left.next = bit_cast::<17, 65>(self.apart.val());
        self.exact.next = true;
        if self.apart.val().get_bits::<47>(17).any() {
            self.left.next = self.most.val();
            self.exact.next = false;
        }
        if self.apart.val().get_bit(64) {
            self.left.next = 0.into();
            self.exact.next = true;
        }
        self.totals_of_host.raddr.next = self.sent_path.val();
        self.sent.next = self.totals_of_host.rdata.val();
        if self.rst.val() {
            self.started.d.next = false;
            self.cleared.d.next = 0.into();
        }
    }
}
