//! Beside rate_table: **path_rate**. The budget of one path: what it is, what it will be, what the far gateway grants.
//!
//! In: `load` with mode, base and burst of the next slot; `turn` (the next slot's are in force from here on); `live_we`,
//! `live_rate`; `asked`. Out, all registered: a `turn` shows after two cycles, a live budget too; `told_*`, what it is, a
//! cycle after `asked`, else zeros.
//! Model: `model::rate_table`. Tests: `tests/budget/rate_table.rs`. Registers: `RATE`.

use crate::prim::Lit;
use matchrdma_spec::regs::entry;
use rust_hdl::prelude::*;

/// One path.
#[derive(LogicBlock, Default)]
pub struct PathRate {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub load: Signal<In, Bit>,
    pub load_mode: Signal<In, Bits<3>>,
    pub load_phase: Signal<In, Bits<2>>,
    pub load_base: Signal<In, Bits<32>>,
    pub load_burst: Signal<In, Bits<25>>,
    pub turn: Signal<In, Bit>,
    pub live_we: Signal<In, Bit>,
    pub live_rate: Signal<In, Bits<32>>,
    pub open: Signal<Out, Bit>,
    pub limited: Signal<Out, Bit>,
    pub rate: Signal<Out, Bits<32>>,
    pub burst: Signal<Out, Bits<25>>,
    /// The same, and mode and phase, a cycle after `asked`; else zeros.
    pub asked: Signal<In, Bit>,
    pub told_rate: Signal<Out, Bits<32>>,
    pub told_burst: Signal<Out, Bits<25>>,
    pub told_mode: Signal<Out, Bits<3>>,
    pub told_phase: Signal<Out, Bits<2>>,
    next_mode: DFF<Bits<3>>,
    next_phase: DFF<Bits<2>>,
    next_base: DFF<Bits<32>>,
    next_burst: DFF<Bits<25>>,
    now_mode: DFF<Bits<3>>,
    now_phase: DFF<Bits<2>>,
    now_base: DFF<Bits<32>>,
    now_burst: DFF<Bits<25>>,
    live: DFF<Bits<32>>,
    out_mode: DFF<Bits<3>>,
    out_phase: DFF<Bits<2>>,
    out_rate: DFF<Bits<32>>,
    out_burst: DFF<Bits<25>>,
    out_open: DFF<Bit>,
    out_limited: DFF<Bit>,
    show_rate: DFF<Bits<32>>,
    show_burst: DFF<Bits<25>>,
    show_mode: DFF<Bits<3>>,
    show_phase: DFF<Bits<2>>,
    m_open: Lit<3, { entry::MODE_OPEN as u64 }>,
    m_live: Lit<3, { entry::MODE_LIVE as u64 }>,
    m_lesser: Lit<3, { entry::MODE_LESSER as u64 }>,
    m_off: Lit<3, { entry::MODE_OFF as u64 }>,
}

impl Logic for PathRate {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, next_mode, next_phase, next_base, next_burst, now_mode, now_phase, now_base, now_burst);
        dff_setup!(self, clk, live, out_mode, out_phase, out_rate, out_burst, out_open, out_limited);
        dff_setup!(self, clk, show_rate, show_burst, show_mode, show_phase);
        if self.load.val() {
            self.next_mode.d.next = self.load_mode.val();
            self.next_phase.d.next = self.load_phase.val();
            self.next_base.d.next = self.load_base.val();
            self.next_burst.d.next = self.load_burst.val();
        }
        if self.turn.val() {
            self.now_mode.d.next = self.next_mode.q.val();
            self.now_phase.d.next = self.next_phase.q.val();
            self.now_base.d.next = self.next_base.q.val();
            self.now_burst.d.next = self.next_burst.q.val();
        }
        if self.live_we.val() {
            self.live.d.next = self.live_rate.val();
        }

        self.out_mode.d.next = self.now_mode.q.val();
        self.out_phase.d.next = self.now_phase.q.val();
        self.out_burst.d.next = self.now_burst.q.val();
        self.out_open.d.next = false;
        self.out_limited.d.next = false;
        self.out_rate.d.next = self.now_base.q.val();
        if self.now_mode.q.val() == self.m_lesser.val() {
            self.out_limited.d.next = true;
            if self.live.q.val() < self.now_base.q.val() {
                self.out_rate.d.next = self.live.q.val();
            }
        }
        if self.now_mode.q.val() == self.m_live.val() {
            self.out_limited.d.next = true;
            self.out_rate.d.next = self.live.q.val();
        }
        if (self.now_mode.q.val() == self.m_open.val()) | (self.now_mode.q.val() == self.m_off.val()) {
            self.out_open.d.next = true;
            self.out_rate.d.next = bits::<32>(0);
        }
        self.open.next = self.out_open.q.val();
        self.limited.next = self.out_limited.q.val();
        self.rate.next = self.out_rate.q.val();
        self.burst.next = self.out_burst.q.val();
        self.show_rate.d.next = self.out_rate.q.val();
        self.show_burst.d.next = self.out_burst.q.val();
        self.show_mode.d.next = self.out_mode.q.val();
        self.show_phase.d.next = self.out_phase.q.val();
        if !self.asked.val() {
            self.show_rate.d.next = bits::<32>(0);
            self.show_burst.d.next = bits::<25>(0);
            self.show_mode.d.next = bits::<3>(0);
            self.show_phase.d.next = bits::<2>(0);
        }
        self.told_rate.next = self.show_rate.q.val();
        self.told_burst.next = self.show_burst.q.val();
        self.told_mode.next = self.show_mode.q.val();
        self.told_phase.next = self.show_phase.q.val();
        if self.rst.val() {
            self.next_mode.d.next = bits::<3>(0);
            self.next_phase.d.next = bits::<2>(0);
            self.next_burst.d.next = bits::<25>(0);
            self.now_mode.d.next = bits::<3>(0);
            self.now_phase.d.next = bits::<2>(0);
            self.now_burst.d.next = bits::<25>(0);
            self.live.d.next = bits::<32>(0);
            self.out_mode.d.next = bits::<3>(0);
            self.out_phase.d.next = bits::<2>(0);
            self.out_burst.d.next = bits::<25>(0);
            self.out_rate.d.next = bits::<32>(0);
            self.out_open.d.next = true;
            self.out_limited.d.next = false;
        }
    }
}
