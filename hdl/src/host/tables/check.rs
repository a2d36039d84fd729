//! Beside host 2: **check**. Every word of a scan: its CRC, whether it may stand there, and its way to the readers.
//!
//! In: `valid` with `which`, `at` and the word (one per cycle, in order); `start`, with `which`, before a table's first word;
//! the CRC that the table must have; `mask` of the commit; `taken` when it takes effect. Out, 3 cycles later: the word on the
//! bus of its table (`load_*`, a route's row whole with its word 4). Out, at least 4 cycles after the last word:
//! `found`, `found_at`. In a table with a wrong CRC nothing else counts.
//! Model: `model::tables`. Tests: `tests/host/tables.rs`. Registers: `TABLE`.

use super::rules::{PathRule, RouteRule};
use crate::prim::{CrcAdvance, CrcData, Lit};
use matchrdma_spec::hash::POLY_IEEE;
use matchrdma_spec::regs::{entry, table};
use rust_hdl::prelude::*;

/// The checks.
#[derive(LogicBlock, Default)]
pub struct Check {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub start: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub which: Signal<In, Bits<2>>,
    pub at: Signal<In, Bits<13>>,
    pub word: Signal<In, Bits<32>>,
    pub mask: Signal<In, Bits<4>>,
    pub taken: Signal<In, Bit>,
    pub expected: Signal<In, Bits<32>>,
    pub found: Signal<Out, Bits<8>>,
    pub found_at: Signal<Out, Bits<13>>,
    pub load_route: Signal<Out, Bit>,
    pub load_path: Signal<Out, Bit>,
    pub load_flow: Signal<Out, Bit>,
    pub load_calendar: Signal<Out, Bit>,
    pub load_at: Signal<Out, Bits<13>>,
    pub load_word: Signal<Out, Bits<32>>,
    pub load_row: Signal<Out, Bits<134>>,
    route: RouteRule,
    path: PathRule,
    crc_data: CrcData<32, POLY_IEEE, 1>,
    crc_advance: CrcAdvance<POLY_IEEE, 32>,
    // The word's cycle.
    valid1: DFF<Bit>,
    which1: DFF<Bits<2>>,
    at1: DFF<Bits<13>>,
    word1: DFF<Bits<32>>,
    // The cycle in which it is judged.
    valid2: DFF<Bit>,
    which2: DFF<Bits<2>>,
    at2: DFF<Bits<13>>,
    word2: DFF<Bits<32>>,
    code2: DFF<Bits<8>>,
    crc: DFF<Bits<32>>,
    sum_ok: DFF<Bit>,
    first_code: DFF<Bits<8>>,
    first_at: DFF<Bits<13>>,
    stray: Signal<Local, Bits<32>>,
    sum: Signal<Local, Bits<32>>,
    is_route: Signal<Local, Bit>,
    is_path: Signal<Local, Bit>,
    is_flow: Signal<Local, Bit>,
    is_calendar: Signal<Local, Bit>,
    flow_bits: Lit<32, { !entry::FlowSetting::BITS as u64 }>,
    calendar_bits: Lit<32, { !entry::CALENDAR_REPEAT.mask() as u64 }>,
    n_route: Lit<2, { table::ROUTE as u64 }>,
    n_path: Lit<2, { table::PATH as u64 }>,
    n_flow: Lit<2, { table::FLOW as u64 }>,
    n_calendar: Lit<2, { table::CALENDAR as u64 }>,
    code_crc: Lit<8, { table::CODE_CRC as u64 }>,
    code_mtu: Lit<8, { table::CODE_FLOW_MTU as u64 }>,
    code_reserved: Lit<8, { table::CODE_RESERVED as u64 }>,
}

impl Logic for Check {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, valid1, which1, at1, word1, valid2, which2, at2, word2, code2);
        dff_setup!(self, clk, crc, sum_ok, first_code, first_at);
        self.route.clk.next = self.clk.val();
        self.route.rst.next = self.rst.val();
        self.path.clk.next = self.clk.val();
        self.path.rst.next = self.rst.val();
        self.crc_data.clk.next = self.clk.val();

        self.valid1.d.next = self.valid.val();
        self.which1.d.next = self.which.val();
        self.at1.d.next = self.at.val();
        self.word1.d.next = self.word.val();
        self.is_route.next = self.which1.q.val() == self.n_route.val();
        self.is_path.next = self.which1.q.val() == self.n_path.val();
        self.is_flow.next = self.which1.q.val() == self.n_flow.val();
        self.is_calendar.next = self.which1.q.val() == self.n_calendar.val();

        // The paths of this commit come before its routes; else each is held against what is in force.
        self.route.start.next = self.start.val() & (self.which.val() == self.n_route.val());
        self.route.valid.next = self.valid1.q.val() & self.is_route.val();
        self.route.at.next = self.at1.q.val().get_bits::<3>(0);
        self.route.word.next = self.word1.q.val();
        self.route.taken.next = self.taken.val() & self.mask.val().get_bit(0);
        self.path.valid.next = self.valid1.q.val() & self.is_path.val();
        self.path.at.next = self.at1.q.val().get_bits::<8>(0);
        self.path.word.next = self.word1.q.val();
        self.path.taken.next = self.taken.val() & self.mask.val().get_bit(1);
        self.path.comes.next = self.mask.val().get_bit(1);
        self.path.routes_come.next = self.mask.val().get_bit(0);
        self.path.routed.next = self.route.routed.val();
        self.route.off.next = self.path.off.val();

        self.valid2.d.next = self.valid1.q.val();
        self.which2.d.next = self.which1.q.val();
        self.at2.d.next = self.at1.q.val();
        self.word2.d.next = self.word1.q.val();
        self.code2.d.next = bits::<8>(0);
        self.stray.next = self.word1.q.val() & self.calendar_bits.val();
        if self.is_calendar.val() & self.at1.q.val().get_bit(0) & self.stray.val().any() {
            self.code2.d.next = self.code_reserved.val();
        }
        if self.is_flow.val() {
            if self.word1.q.val().get_bit(6) & self.word1.q.val().get_bit(5) {
                self.code2.d.next = self.code_mtu.val();
            }
            self.stray.next = self.word1.q.val() & self.flow_bits.val();
            if self.stray.val().any() {
                self.code2.d.next = self.code_reserved.val();
            }
        }
        if self.is_route.val() {
            self.code2.d.next = self.route.code.val();
        }
        if self.is_path.val() {
            self.code2.d.next = self.path.code.val();
        }
        if self.valid2.q.val() & !self.first_code.q.val().any() {
            self.first_code.d.next = self.code2.q.val();
            self.first_at.d.next = self.at2.q.val();
        }

        // What this word adds comes with its second cycle.
        self.crc_data.din.next = self.word1.q.val();
        self.crc_advance.din.next = self.crc.q.val();
        self.sum.next = self.crc_advance.dout.val() ^ self.crc_data.dout.val();
        if self.valid2.q.val() {
            self.crc.d.next = self.sum.val();
        }
        self.sum.next = !self.crc.q.val();
        self.sum_ok.d.next = self.sum.val() == self.expected.val();
        if self.start.val() {
            self.crc.d.next = !bits::<32>(0);
            self.first_code.d.next = bits::<8>(0);
        }
        self.found.next = self.first_code.q.val();
        self.found_at.next = self.first_at.q.val();
        if !self.sum_ok.q.val() {
            self.found.next = self.code_crc.val();
            self.found_at.next = bits::<13>(0);
        }

        self.load_route.next =
            self.valid2.q.val() & (self.which2.q.val() == self.n_route.val()) & self.route.whole.val();
        self.load_path.next = self.valid2.q.val() & (self.which2.q.val() == self.n_path.val());
        self.load_flow.next = self.valid2.q.val() & (self.which2.q.val() == self.n_flow.val());
        self.load_calendar.next = self.valid2.q.val() & (self.which2.q.val() == self.n_calendar.val());
        self.load_at.next = self.at2.q.val();
        self.load_word.next = self.word2.q.val();
        self.load_row.next = self.route.row.val();
        if self.rst.val() {
            self.valid1.d.next = false;
            self.valid2.d.next = false;
        }
    }
}
