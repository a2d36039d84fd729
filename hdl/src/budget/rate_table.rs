//! Beside the pacer: **rate_table**. Slots, and the budget of each path in each of them.
//!
//! In: `set_slot_k`; words of the tables PATH and CALENDAR on their way into shadow banks; the banks in force, and a
//! commit that waits (`pending`, `pending_mask`); live budgets. Out: `flip`, in the last cycle of a slot, when the commit
//! is in force from the next cycle on; `slot_end` in the last cycle of a slot; `slot`, `slot_k`, and of each path `rate`,
//! `burst`, `open`, `limited`, `mode`, `phase`: all change in the cycle after `slot_end`, `rate` of a live path also two
//! cycles after `live_we`.
//! The sequencer begins its pass [`LEAD`] cycles before the end: a commit that waits by then is of this boundary, a later
//! one of the next. Another `set_slot_k` than the slot's ends the slot early, after a pass.
//! Model: `model::rate_table`. Tests: `tests/budget/rate_table.rs`. Registers: `RATE`, `PACER_SLOT_K`.

mod calendar;
mod path_rate;

use crate::prim::Lit;
use calendar::Calendar;
use matchrdma_spec::params::{SLOT_K_DEFAULT, SLOT_K_MIN};
use path_rate::PathRate;
use rust_hdl::prelude::*;

/// From the beginning of a pass to the end of its slot, cycles.
pub const LEAD: u64 = 140;
const _: () = assert!(LEAD > 130 && LEAD + 10 < 1 << SLOT_K_MIN);

/// The slots and the paths.
#[derive(LogicBlock)]
pub struct RateTable {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub set_slot_k: Signal<In, Bits<5>>,
    pub path_we: Signal<In, Bit>,
    pub path_addr: Signal<In, Bits<5>>,
    pub path_word: Signal<In, Bits<4>>,
    pub path_data: Signal<In, Bits<32>>,
    pub calendar_we: Signal<In, Bit>,
    pub calendar_addr: Signal<In, Bits<14>>,
    pub calendar_data: Signal<In, Bits<32>>,
    pub banks: Signal<In, Bits<4>>,
    pub set: Signal<In, Bits<4>>,
    pub pending: Signal<In, Bit>,
    pub pending_mask: Signal<In, Bits<4>>,
    pub live_we: Signal<In, Bit>,
    pub live_path: Signal<In, Bits<4>>,
    pub live_rate: Signal<In, Bits<32>>,
    pub flip: Signal<Out, Bit>,
    pub slot_end: Signal<Out, Bit>,
    pub slot: Signal<Out, Bits<32>>,
    pub slot_k: Signal<Out, Bits<5>>,
    pub rate: [Signal<Out, Bits<32>>; 16],
    pub burst: [Signal<Out, Bits<32>>; 16],
    pub open: Signal<Out, Bits<16>>,
    pub limited: Signal<Out, Bits<16>>,
    /// Mode and phase of the path that is asked for, a cycle later.
    pub ask: Signal<In, Bits<4>>,
    pub told_rate: Signal<Out, Bits<32>>,
    pub told_burst: Signal<Out, Bits<25>>,
    pub told_mode: Signal<Out, Bits<3>>,
    pub told_phase: Signal<Out, Bits<2>>,
    calendar: Calendar,
    paths: [PathRate; 16],
    left: DFF<Bits<20>>,
    k: DFF<Bits<5>>,
    k_shown: DFF<Bits<5>>,
    number: DFF<Bits<32>>,
    coming: DFF<Bits<32>>,
    takes: DFF<Bit>,
    takes_mask: DFF<Bits<4>>,
    ended: DFF<Bit>,
    begins: DFF<Bit>,
    shown_rate: Signal<Local, Bits<32>>,
    shown_burst: Signal<Local, Bits<25>>,
    shown_mode: Signal<Local, Bits<3>>,
    shown_phase: Signal<Local, Bits<2>>,
    edge_now: Signal<Local, Bit>,
    length: Signal<Local, Bits<21>>,
    whole: Signal<Local, Bits<21>>,
    effect: Signal<Local, Bits<4>>,
    then_banks: Signal<Local, Bits<4>>,
    then_set: Signal<Local, Bits<4>>,
    power: Signal<Local, Bits<16>>,
    opens: Signal<Local, Bits<16>>,
    limits: Signal<Local, Bits<16>>,
    depth: Signal<Local, Bits<25>>,
    lead: Lit<20, LEAD>,
    cut: Lit<20, { LEAD + 2 }>,
    one: Lit<21, 1>,
    reset_k: Lit<5, { SLOT_K_DEFAULT as u64 }>,
    reset_left: Lit<20, { (1 << SLOT_K_DEFAULT) - 1 }>,
}

impl Default for RateTable {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            set_slot_k: Default::default(),
            path_we: Default::default(),
            path_addr: Default::default(),
            path_word: Default::default(),
            path_data: Default::default(),
            calendar_we: Default::default(),
            calendar_addr: Default::default(),
            calendar_data: Default::default(),
            banks: Default::default(),
            set: Default::default(),
            pending: Default::default(),
            pending_mask: Default::default(),
            live_we: Default::default(),
            live_path: Default::default(),
            live_rate: Default::default(),
            flip: Default::default(),
            slot_end: Default::default(),
            slot: Default::default(),
            slot_k: Default::default(),
            rate: std::array::from_fn(|_| Default::default()),
            burst: std::array::from_fn(|_| Default::default()),
            open: Default::default(),
            limited: Default::default(),
            ask: Default::default(),
            told_rate: Default::default(),
            told_burst: Default::default(),
            told_mode: Default::default(),
            told_phase: Default::default(),
            calendar: Default::default(),
            paths: std::array::from_fn(|_| Default::default()),
            left: Default::default(),
            k: Default::default(),
            k_shown: Default::default(),
            number: Default::default(),
            coming: Default::default(),
            takes: Default::default(),
            takes_mask: Default::default(),
            ended: Default::default(),
            begins: Default::default(),
            shown_rate: Default::default(),
            shown_burst: Default::default(),
            shown_mode: Default::default(),
            shown_phase: Default::default(),
            edge_now: Default::default(),
            length: Default::default(),
            whole: Default::default(),
            effect: Default::default(),
            then_banks: Default::default(),
            then_set: Default::default(),
            power: Default::default(),
            opens: Default::default(),
            limits: Default::default(),
            depth: Default::default(),
            lead: Default::default(),
            cut: Default::default(),
            one: Default::default(),
            reset_k: Default::default(),
            reset_left: Default::default(),
        }
    }
}

impl Logic for RateTable {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, left, k, k_shown, number, coming, takes, takes_mask, ended, begins);
        self.calendar.clk.next = self.clk.val();
        self.calendar.rst.next = self.rst.val();
        self.calendar.path_we.next = self.path_we.val();
        self.calendar.path_addr.next = self.path_addr.val();
        self.calendar.path_word.next = self.path_word.val();
        self.calendar.path_data.next = self.path_data.val();
        self.calendar.calendar_we.next = self.calendar_we.val();
        self.calendar.calendar_addr.next = self.calendar_addr.val();
        self.calendar.calendar_data.next = self.calendar_data.val();

        // The slot counts down. Budgets pass two registers behind its end, so that is what `slot_end` lags, less one.
        self.length.next = self.one.val() << bit_cast::<21, 5>(self.set_slot_k.val());
        self.whole.next = self.length.val() - 1;
        self.edge_now.next = !self.left.q.val().any();
        self.left.d.next = self.left.q.val() - 1;
        if (self.set_slot_k.val() != self.k.q.val()) & (self.left.q.val() > self.cut.val()) {
            self.left.d.next = self.cut.val();
        }
        self.ended.d.next = self.edge_now.val();
        if self.edge_now.val() {
            self.left.d.next = self.whole.val().get_bits::<20>(0);
            self.k.d.next = self.set_slot_k.val();
            self.coming.d.next = self.coming.q.val() + 1;
        }
        if self.ended.q.val() {
            self.number.d.next = self.number.q.val() + 1;
            self.k_shown.d.next = self.k.q.val();
        }

        // A commit that waits as the pass begins is of this boundary.
        self.begins.d.next = self.left.q.val() == self.lead.val();
        if self.left.q.val() == self.lead.val() {
            self.takes.d.next = self.pending.val();
            self.takes_mask.d.next = bits::<4>(0);
            if self.pending.val() {
                self.takes_mask.d.next = self.pending_mask.val();
            }
        }
        self.effect.next = self.takes_mask.q.val();
        self.then_banks.next = self.banks.val() ^ self.effect.val();
        self.then_set.next = self.set.val() | self.effect.val();
        self.calendar.go.next = self.begins.q.val();
        self.calendar.slot.next = self.coming.q.val();
        self.calendar.bank_now.next = self.banks.val().get_bit(1);
        self.calendar.bank_then.next = self.then_banks.val().get_bit(1);
        self.calendar.set_now.next = self.set.val().get_bit(1);
        self.calendar.set_then.next = self.then_set.val().get_bit(1);
        self.calendar.entries_then.next = self.then_banks.val().get_bit(3);
        self.flip.next = self.ended.q.val() & self.takes.q.val();
        self.slot_end.next = self.ended.q.val();
        self.slot.next = self.number.q.val();
        self.slot_k.next = self.k_shown.q.val();

        self.power.next = bits::<16>(1);
        self.opens.next = bits::<16>(0);
        self.limits.next = bits::<16>(0);
        self.shown_rate.next = bits::<32>(0);
        self.shown_burst.next = bits::<25>(0);
        self.shown_mode.next = bits::<3>(0);
        self.shown_phase.next = bits::<2>(0);
        self.depth.next = bits::<25>(0);
        for i in 0..16 {
            self.paths[i].clk.next = self.clk.val();
            self.paths[i].rst.next = self.rst.val();
            self.paths[i].load.next = self.calendar.load.val() & (self.calendar.path.val().index() == i);
            self.paths[i].load_mode.next = self.calendar.mode.val();
            self.paths[i].load_phase.next = self.calendar.phase.val();
            self.paths[i].load_base.next = self.calendar.base.val();
            self.paths[i].load_burst.next = self.calendar.burst.val();
            self.paths[i].turn.next = self.edge_now.val();
            self.paths[i].live_we.next = self.live_we.val() & (self.live_path.val().index() == i);
            self.paths[i].live_rate.next = self.live_rate.val();
            self.rate[i].next = self.paths[i].rate.val();
            self.depth.next = self.paths[i].burst.val();
            self.burst[i].next = bit_cast::<32, 25>(self.depth.val());
            if self.paths[i].open.val() {
                self.opens.next = self.opens.val() | self.power.val();
            }
            if self.paths[i].limited.val() {
                self.limits.next = self.limits.val() | self.power.val();
            }
            // those that are not asked for say zeros
            self.paths[i].asked.next = self.ask.val().index() == i;
            self.shown_rate.next = self.shown_rate.val() | self.paths[i].told_rate.val();
            self.shown_burst.next = self.shown_burst.val() | self.paths[i].told_burst.val();
            self.shown_mode.next = self.shown_mode.val() | self.paths[i].told_mode.val();
            self.shown_phase.next = self.shown_phase.val() | self.paths[i].told_phase.val();
            self.power.next = self.power.val() << 1;
        }
        self.open.next = self.opens.val();
        self.limited.next = self.limits.val();
        self.told_rate.next = self.shown_rate.val();
        self.told_burst.next = self.shown_burst.val();
        self.told_mode.next = self.shown_mode.val();
        self.told_phase.next = self.shown_phase.val();
        if self.rst.val() {
            self.left.d.next = self.reset_left.val();
            self.k.d.next = self.reset_k.val();
            self.k_shown.d.next = self.reset_k.val();
            self.number.d.next = bits::<32>(0);
            self.coming.d.next = bits::<32>(1);
            self.takes.d.next = false;
            self.takes_mask.d.next = bits::<4>(0);
            self.ended.d.next = false;
            self.begins.d.next = false;
        }
    }
}
