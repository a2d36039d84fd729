//! Beside rate_table: **calendar**. The sequencer: once per slot, what each path will have in the next.
//!
//! In: words of the tables PATH and CALENDAR on their way into shadow banks; `go` (a pass begins) with `slot` (the one to
//! come), the banks now and then, and whether the path table is set now and then. Out: `load` with `path` and that path's
//! mode, base, burst and phase: 16 pulses, the last one 128 cycles after `go`.
//! Eight cycles per path. A calendar starts anew when its length, its loop bit or its start differs from the bank in
//! force, and when a path table comes first. Model: `model::rate_table`. Tests: `tests/budget/rate_table.rs`. Registers: `RATE`.

use crate::prim::{Lit, Sdp};
use matchrdma_spec::params::{CALENDAR_ENTRIES, PATHS};
use matchrdma_spec::regs::entry;
use rust_hdl::prelude::*;

const BEFORE: u64 = 0;
const RUNNING: u64 = 1;
const OVER: u64 = 2;

/// The sequencer and its copies of two tables.
#[derive(LogicBlock)]
pub struct Calendar {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub path_we: Signal<In, Bit>,
    pub path_addr: Signal<In, Bits<5>>,
    pub path_word: Signal<In, Bits<4>>,
    pub path_data: Signal<In, Bits<32>>,
    pub calendar_we: Signal<In, Bit>,
    pub calendar_addr: Signal<In, Bits<14>>,
    pub calendar_data: Signal<In, Bits<32>>,
    pub go: Signal<In, Bit>,
    pub slot: Signal<In, Bits<32>>,
    pub bank_now: Signal<In, Bit>,
    pub bank_then: Signal<In, Bit>,
    pub set_now: Signal<In, Bit>,
    pub set_then: Signal<In, Bit>,
    pub entries_then: Signal<In, Bit>,
    pub load: Signal<Out, Bit>,
    pub path: Signal<Out, Bits<4>>,
    pub mode: Signal<Out, Bits<3>>,
    pub phase: Signal<Out, Bits<2>>,
    pub base: Signal<Out, Bits<32>>,
    pub burst: Signal<Out, Bits<25>>,
    modes: Sdp<3, 5>,
    rates: Sdp<32, 5>,
    bursts: Sdp<25, 5>,
    lengths: Sdp<10, 5>,
    starts: Sdp<32, 5>,
    budgets: Sdp<32, 13>,
    repeats: Sdp<16, 13>,
    /// Phase, entry, slots left.
    states: Sdp<26, 4>,
    busy: DFF<Bit>,
    count: DFF<Bits<7>>,
    old_length: DFF<Bits<10>>,
    old_start: DFF<Bits<32>>,
    anew: DFF<Bit>,
    begun: DFF<Bit>,
    timed: DFF<Bit>,
    phase_then: DFF<Bits<2>>,
    at_then: DFF<Bits<8>>,
    left_then: DFF<Bits<16>>,
    fresh: DFF<Bit>,
    base_then: DFF<Bits<32>>,
    number: Signal<Local, Bits<4>>,
    beat: Signal<Local, Bits<3>>,
    bank: Signal<Local, Bit>,
    place: Signal<Local, Bits<5>>,
    calendar_place: Signal<Local, Bits<13>>,
    write_place: Signal<Local, Bits<13>>,
    since: Signal<Local, Bits<32>>,
    was: Signal<Local, Bits<26>>,
    was_phase: Signal<Local, Bits<2>>,
    was_at: Signal<Local, Bits<8>>,
    was_left: Signal<Local, Bits<16>>,
    next_at: Signal<Local, Bits<9>>,
    keeps: Signal<Local, Bit>,
    fewer: Signal<Local, Bits<16>>,
    new_state: Signal<Local, Bits<26>>,
    set_mode: Signal<Local, Bits<3>>,
    idles: Lit<2, BEFORE>,
    running: Lit<2, RUNNING>,
    over: Lit<2, OVER>,
    m_calendar: Lit<3, { entry::MODE_CALENDAR as u64 }>,
    m_lesser: Lit<3, { entry::MODE_LESSER as u64 }>,
    second: Lit<5, { PATHS as u64 }>,
    entries_second: Lit<13, { (PATHS * CALENDAR_ENTRIES) as u64 }>,
    loops: Lit<10, { 1 << entry::PATH_LENGTH.bits }>,
    word_mode: Lit<4, 0>,
    word_rate: Lit<4, 1>,
    word_burst: Lit<4, 2>,
    word_length: Lit<4, 8>,
    word_start: Lit<4, 9>,
}

impl Default for Calendar {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            path_we: Default::default(),
            path_addr: Default::default(),
            path_word: Default::default(),
            path_data: Default::default(),
            calendar_we: Default::default(),
            calendar_addr: Default::default(),
            calendar_data: Default::default(),
            go: Default::default(),
            slot: Default::default(),
            bank_now: Default::default(),
            bank_then: Default::default(),
            set_now: Default::default(),
            set_then: Default::default(),
            entries_then: Default::default(),
            load: Default::default(),
            path: Default::default(),
            mode: Default::default(),
            phase: Default::default(),
            base: Default::default(),
            burst: Default::default(),
            modes: Sdp::distributed(),
            rates: Sdp::distributed(),
            bursts: Sdp::distributed(),
            lengths: Sdp::distributed(),
            starts: Sdp::distributed(),
            budgets: Sdp::block(),
            repeats: Sdp::block(),
            states: Sdp::distributed(),
            busy: Default::default(),
            count: Default::default(),
            old_length: Default::default(),
            old_start: Default::default(),
            anew: Default::default(),
            begun: Default::default(),
            timed: Default::default(),
            phase_then: Default::default(),
            at_then: Default::default(),
            left_then: Default::default(),
            fresh: Default::default(),
            base_then: Default::default(),
            number: Default::default(),
            beat: Default::default(),
            bank: Default::default(),
            place: Default::default(),
            calendar_place: Default::default(),
            write_place: Default::default(),
            since: Default::default(),
            was: Default::default(),
            was_phase: Default::default(),
            was_at: Default::default(),
            was_left: Default::default(),
            next_at: Default::default(),
            keeps: Default::default(),
            fewer: Default::default(),
            new_state: Default::default(),
            set_mode: Default::default(),
            idles: Default::default(),
            running: Default::default(),
            over: Default::default(),
            m_calendar: Default::default(),
            m_lesser: Default::default(),
            second: Default::default(),
            entries_second: Default::default(),
            loops: Default::default(),
            word_mode: Default::default(),
            word_rate: Default::default(),
            word_burst: Default::default(),
            word_length: Default::default(),
            word_start: Default::default(),
        }
    }
}

impl Logic for Calendar {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, busy, count, old_length, old_start, anew, begun, timed);
        dff_setup!(self, clk, phase_then, at_then, left_then, fresh, base_then);
        self.modes.clk.next = self.clk.val();
        self.rates.clk.next = self.clk.val();
        self.bursts.clk.next = self.clk.val();
        self.lengths.clk.next = self.clk.val();
        self.starts.clk.next = self.clk.val();
        self.budgets.clk.next = self.clk.val();
        self.repeats.clk.next = self.clk.val();
        self.states.clk.next = self.clk.val();

        // Words into the shadow banks.
        self.modes.waddr.next = self.path_addr.val();
        self.rates.waddr.next = self.path_addr.val();
        self.bursts.waddr.next = self.path_addr.val();
        self.lengths.waddr.next = self.path_addr.val();
        self.starts.waddr.next = self.path_addr.val();
        self.modes.wdata.next = self.path_data.val().get_bits::<3>(0);
        self.rates.wdata.next = self.path_data.val();
        self.bursts.wdata.next = self.path_data.val().get_bits::<25>(0);
        self.lengths.wdata.next = bit_cast::<10, 9>(self.path_data.val().get_bits::<9>(0));
        if self.path_data.val().get_bit(31) {
            self.lengths.wdata.next = bit_cast::<10, 9>(self.path_data.val().get_bits::<9>(0)) | self.loops.val();
        }
        self.starts.wdata.next = self.path_data.val();
        self.modes.we.next = self.path_we.val() & (self.path_word.val() == self.word_mode.val());
        self.rates.we.next = self.path_we.val() & (self.path_word.val() == self.word_rate.val());
        self.bursts.we.next = self.path_we.val() & (self.path_word.val() == self.word_burst.val());
        self.lengths.we.next = self.path_we.val() & (self.path_word.val() == self.word_length.val());
        self.starts.we.next = self.path_we.val() & (self.path_word.val() == self.word_start.val());
        self.write_place.next = self.calendar_addr.val().get_bits::<13>(1);
        self.budgets.waddr.next = self.write_place.val();
        self.repeats.waddr.next = self.write_place.val();
        self.budgets.wdata.next = self.calendar_data.val();
        self.repeats.wdata.next = self.calendar_data.val().get_bits::<16>(0);
        self.budgets.we.next = self.calendar_we.val() & !self.calendar_addr.val().get_bit(0);
        self.repeats.we.next = self.calendar_we.val() & self.calendar_addr.val().get_bit(0);

        // The pass.
        self.number.next = self.count.q.val().get_bits::<4>(3);
        self.beat.next = self.count.q.val().get_bits::<3>(0);
        if self.busy.q.val() {
            self.count.d.next = self.count.q.val() + 1;
            if self.count.q.val().all() {
                self.busy.d.next = false;
            }
        }
        if self.go.val() {
            self.busy.d.next = true;
            self.count.d.next = bits::<7>(0);
        }

        // Beat 0: the bank in force is read, then the one to come.
        self.bank.next = self.bank_then.val();
        if self.beat.val() == 0 {
            self.bank.next = self.bank_now.val();
        }
        self.place.next = bit_cast::<5, 4>(self.number.val());
        if self.bank.val() {
            self.place.next = bit_cast::<5, 4>(self.number.val()) | self.second.val();
        }
        self.modes.raddr.next = self.place.val();
        self.rates.raddr.next = self.place.val();
        self.bursts.raddr.next = self.place.val();
        self.lengths.raddr.next = self.place.val();
        self.starts.raddr.next = self.place.val();
        self.states.raddr.next = self.number.val();
        // Beat 1: the bank in force is here; beat 2: the one to come.
        if self.beat.val() == 1 {
            self.old_length.d.next = self.lengths.rdata.val();
            self.old_start.d.next = self.starts.rdata.val();
        }
        self.since.next = self.slot.val() - self.starts.rdata.val();
        self.set_mode.next = bits::<3>(0);
        if self.set_then.val() {
            self.set_mode.next = self.modes.rdata.val();
        }
        self.timed.d.next =
            (self.set_mode.val() == self.m_calendar.val()) | (self.set_mode.val() == self.m_lesser.val());
        self.begun.d.next = !self.since.val().get_bit(31);
        self.anew.d.next = (self.set_then.val() & !self.set_now.val())
            | (self.lengths.rdata.val() != self.old_length.q.val())
            | (self.starts.rdata.val() != self.old_start.q.val());

        // Beat 3: where the calendar will stand. The entry is read in beat 4 and here in beat 5.
        self.was.next = self.states.rdata.val();
        self.was_left.next = self.was.val().get_bits::<16>(0);
        self.was_at.next = self.was.val().get_bits::<8>(16);
        self.was_phase.next = self.was.val().get_bits::<2>(24);
        self.next_at.next = bit_cast::<9, 8>(self.was_at.val()) + 1;
        self.fewer.next = self.was_left.val() - 1;
        self.keeps.next = !self.anew.q.val() & (self.was_phase.val() != self.idles.val());
        if self.beat.val() == 3 {
            self.phase_then.d.next = self.idles.val();
            self.at_then.d.next = bits::<8>(0);
            self.left_then.d.next = bits::<16>(0);
            self.fresh.d.next = false;
            if self.timed.q.val() {
                if self.keeps.val() {
                    self.phase_then.d.next = self.was_phase.val();
                    if self.was_phase.val() == self.running.val() {
                        self.at_then.d.next = self.was_at.val();
                        self.left_then.d.next = self.fewer.val();
                        if !self.was_left.val().any() {
                            self.fresh.d.next = true;
                            self.at_then.d.next = self.next_at.val().get_bits::<8>(0);
                            if self.next_at.val() == self.lengths.rdata.val().get_bits::<9>(0) {
                                self.at_then.d.next = bits::<8>(0);
                                if !self.lengths.rdata.val().get_bit(9) {
                                    self.phase_then.d.next = self.over.val();
                                }
                            }
                        }
                    }
                } else if self.begun.q.val() {
                    self.phase_then.d.next = self.running.val();
                    self.fresh.d.next = true;
                }
            }
        }
        self.calendar_place.next =
            bit_cast::<13, 8>(self.at_then.q.val()) | (bit_cast::<13, 4>(self.number.val()) << 8);
        if self.entries_then.val() {
            self.calendar_place.next = self.calendar_place.val() | self.entries_second.val();
        }
        self.budgets.raddr.next = self.calendar_place.val();
        self.repeats.raddr.next = self.calendar_place.val();
        // Beat 5.
        if self.beat.val() == 5 {
            self.base_then.d.next = self.rates.rdata.val();
            if self.phase_then.q.val() == self.running.val() {
                self.base_then.d.next = self.budgets.rdata.val();
                if self.fresh.q.val() {
                    self.left_then.d.next = self.repeats.rdata.val();
                }
            }
        }
        // Beat 7: all of the path is here.
        self.new_state.next = bit_cast::<26, 16>(self.left_then.q.val());
        self.new_state.next = self.new_state.val() | (bit_cast::<26, 8>(self.at_then.q.val()) << 16);
        self.new_state.next = self.new_state.val() | (bit_cast::<26, 2>(self.phase_then.q.val()) << 24);
        self.states.waddr.next = self.number.val();
        self.states.wdata.next = self.new_state.val();
        self.states.we.next = self.busy.q.val() & self.beat.val().all();
        self.load.next = self.busy.q.val() & self.beat.val().all();
        self.path.next = self.number.val();
        self.mode.next = self.set_mode.val();
        self.phase.next = self.phase_then.q.val();
        self.base.next = self.base_then.q.val();
        self.burst.next = bits::<25>(0);
        if self.set_then.val() {
            self.burst.next = self.bursts.rdata.val();
        }
        if self.rst.val() {
            self.busy.d.next = false;
        }
    }
}
