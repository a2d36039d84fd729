//! Beside host 2: **timer_regs**. Block `TIMER`: the time that flows are looked after by.
//!
//! In: the register bus. Out: its word, a cycle after `ra`; `times`, the present and what is longer ago than each timer,
//! all of the same tick. A tick is 2^`TIMER_TICK_LOG2` cycles; writing `TIMER_NOW` or `TIMER_TICK_LOG2` begins a new one.
//! Model: `model::record::Times`. Tests: `tests/host/timer_regs.rs`. Registers: `TIMER`.

use crate::prim::Lit;
use crate::record::Times;
use matchrdma_spec::regs::timer;
use rust_hdl::prelude::*;

/// The block.
#[derive(LogicBlock, Default)]
pub struct TimerRegs {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub wr: Signal<In, Bit>,
    pub wa: Signal<In, Bits<16>>,
    pub wd: Signal<In, Bits<32>>,
    pub ra: Signal<In, Bits<16>>,
    pub rd: Signal<Out, Bits<32>>,
    pub times: Signal<Out, Times>,
    read: DFF<Bits<32>>,
    tick_log2: DFF<Bits<5>>,
    gap: DFF<Bits<15>>,
    idle: DFF<Bits<15>>,
    debt: DFF<Bits<15>>,
    now: DFF<Bits<24>>,
    /// Cycles of a tick less one.
    whole: DFF<Bits<32>>,
    /// Cycles until the next tick, less one.
    left: DFF<Bits<32>>,
    /// The length was written: `whole` is of it in the second cycle.
    renew: DFF<Bits<2>>,
    out: DFF<Times>,
    tick: Signal<Local, Bit>,
    later: Signal<Local, Bits<24>>,
    less: Signal<Local, Bits<32>>,
    one: Signal<Local, Bits<32>>,
    span: Signal<Local, Bits<32>>,
    low: Signal<Local, Bits<16>>,
    gap_ticks: Signal<Local, Bits<16>>,
    idle_ticks: Signal<Local, Bits<16>>,
    debt_ticks: Signal<Local, Bits<16>>,
    gap_from: Signal<Local, Bits<16>>,
    idle_from: Signal<Local, Bits<16>>,
    debt_from: Signal<Local, Bits<16>>,
    at_tick: Lit<16, { timer::TICK_LOG2.offset as u64 }>,
    at_now: Lit<16, { timer::NOW.offset as u64 }>,
    at_gap: Lit<16, { timer::GAP_TIMEOUT.offset as u64 }>,
    at_idle: Lit<16, { timer::FLOW_IDLE.offset as u64 }>,
    at_debt: Lit<16, { timer::DEBT_TIMEOUT.offset as u64 }>,
    reset_tick: Lit<5, { timer::TICK_LOG2_DEFAULT as u64 }>,
    reset_whole: Lit<32, { (1 << timer::TICK_LOG2_DEFAULT) - 1 }>,
    reset_gap: Lit<15, { timer::DEFAULTS[0] as u64 }>,
    reset_idle: Lit<15, { timer::DEFAULTS[1] as u64 }>,
    reset_debt: Lit<15, { timer::DEFAULTS[2] as u64 }>,
}

impl Logic for TimerRegs {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, read, tick_log2, gap, idle, debt, now, whole, left, renew, out);
        self.one.next = bits::<32>(1) << self.tick_log2.q.val();
        self.span.next = self.one.val() - 1;
        self.whole.d.next = self.span.val();
        self.less.next = self.left.q.val() - 1;
        self.later.next = self.now.q.val() + 1;
        self.tick.next = !self.left.q.val().any() & !self.renew.q.val().any();
        self.renew.d.next = self.renew.q.val() << 1;
        self.left.d.next = self.less.val();
        if self.renew.q.val().any() {
            self.left.d.next = self.whole.q.val();
        }
        if self.tick.val() {
            self.left.d.next = self.whole.q.val();
            self.now.d.next = self.later.val();
        }
        if self.wr.val() & (self.wa.val() == self.at_tick.val()) {
            self.tick_log2.d.next = self.wd.val().get_bits::<5>(0);
            // until `whole` is of the new length
            self.renew.d.next = bits::<2>(1);
        }
        if self.wr.val() & (self.wa.val() == self.at_now.val()) {
            self.now.d.next = self.wd.val().get_bits::<24>(0);
            self.left.d.next = self.whole.q.val();
        }
        if self.wr.val() & (self.wa.val() == self.at_gap.val()) {
            self.gap.d.next = self.wd.val().get_bits::<15>(0);
        }
        if self.wr.val() & (self.wa.val() == self.at_idle.val()) {
            self.idle.d.next = self.wd.val().get_bits::<15>(0);
        }
        if self.wr.val() & (self.wa.val() == self.at_debt.val()) {
            self.debt.d.next = self.wd.val().get_bits::<15>(0);
        }

        self.low.next = self.now.q.val().get_bits::<16>(0);
        self.gap_ticks.next = bit_cast::<16, 15>(self.gap.q.val());
        self.idle_ticks.next = bit_cast::<16, 15>(self.idle.q.val());
        self.debt_ticks.next = bit_cast::<16, 15>(self.debt.q.val());
        self.gap_from.next = self.low.val() - self.gap_ticks.val();
        self.idle_from.next = self.low.val() - self.idle_ticks.val();
        self.debt_from.next = self.low.val() - self.debt_ticks.val();
        self.out.d.next.now = self.low.val();
        self.out.d.next.above = self.now.q.val().get_bits::<8>(16);
        self.out.d.next.gap = self.gap_from.val();
        self.out.d.next.idle = self.idle_from.val();
        self.out.d.next.debt = self.debt_from.val();
        self.times.next = self.out.q.val();

        self.read.d.next = bits::<32>(0);
        if self.ra.val() == self.at_tick.val() {
            self.read.d.next = bit_cast::<32, 5>(self.tick_log2.q.val());
        }
        if self.ra.val() == self.at_now.val() {
            self.read.d.next = bit_cast::<32, 24>(self.now.q.val());
        }
        if self.ra.val() == self.at_gap.val() {
            self.read.d.next = bit_cast::<32, 15>(self.gap.q.val());
        }
        if self.ra.val() == self.at_idle.val() {
            self.read.d.next = bit_cast::<32, 15>(self.idle.q.val());
        }
        if self.ra.val() == self.at_debt.val() {
            self.read.d.next = bit_cast::<32, 15>(self.debt.q.val());
        }
        self.rd.next = self.read.q.val();
        if self.rst.val() {
            self.tick_log2.d.next = self.reset_tick.val();
            self.gap.d.next = self.reset_gap.val();
            self.idle.d.next = self.reset_idle.val();
            self.debt.d.next = self.reset_debt.val();
            self.whole.d.next = self.reset_whole.val();
            self.left.d.next = self.reset_whole.val();
            self.now.d.next = bits::<24>(0);
            self.renew.d.next = bits::<2>(0);
        }
    }
}
