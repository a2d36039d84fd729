//! Inside [forecast](super): **words**. What is set of a path, and how long its loop is.
//!
//! In: words of the table PATH on their way into a shadow bank; the bank in force, if one was ever committed; the loops
//! that the law finds. Out, a cycle after `path`: its words 14 (first, length, whether it loops) and 15 (start), its loop.
//! Without a commit there is no forecast, and a loop that was not found yet is 0.
//! Model: `model::forecast`. Tests: `tests/budget/forecast.rs`. Registers: a path's words 14 and 15.

use crate::prim::{Lit, LutRam};
use matchrdma_spec::params::PATHS;
use rust_hdl::prelude::*;

/// Copies of both banks.
#[derive(LogicBlock, Default)]
pub struct Words {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub path_we: Signal<In, Bit>,
    pub path_addr: Signal<In, Bits<5>>,
    pub path_word: Signal<In, Bits<4>>,
    pub path_data: Signal<In, Bits<32>>,
    pub bank: Signal<In, Bit>,
    pub is_set: Signal<In, Bit>,
    pub loops_we: Signal<In, Bit>,
    pub loops_path: Signal<In, Bits<4>>,
    pub loops_found: Signal<In, Bits<12>>,
    pub path: Signal<In, Bits<4>>,
    pub span: Signal<Out, Bits<18>>,
    pub start: Signal<Out, Bits<32>>,
    pub loops: Signal<Out, Bits<12>>,
    spans: LutRam<18, 5>,
    starts: LutRam<32, 5>,
    founds: LutRam<12, 4>,
    known: DFF<Bits<16>>,
    span1: DFF<Bits<18>>,
    start1: DFF<Bits<32>>,
    loops1: DFF<Bits<12>>,
    place: Signal<Local, Bits<5>>,
    second: Lit<5, { PATHS as u64 }>,
    loop_bit: Lit<18, { 1 << 17 }>,
    word_span: Lit<4, 14>,
    word_start: Lit<4, 15>,
}

impl Logic for Words {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, known, span1, start1, loops1);
        self.spans.clk.next = self.clk.val();
        self.starts.clk.next = self.clk.val();
        self.founds.clk.next = self.clk.val();
        self.spans.waddr.next = self.path_addr.val();
        self.spans.wdata.next = bit_cast::<18, 17>(self.path_data.val().get_bits::<17>(0));
        if self.path_data.val().get_bit(31) {
            self.spans.wdata.next = bit_cast::<18, 17>(self.path_data.val().get_bits::<17>(0)) | self.loop_bit.val();
        }
        self.spans.we.next = self.path_we.val() & (self.path_word.val() == self.word_span.val());
        self.starts.waddr.next = self.path_addr.val();
        self.starts.wdata.next = self.path_data.val();
        self.starts.we.next = self.path_we.val() & (self.path_word.val() == self.word_start.val());
        self.founds.we.next = self.loops_we.val();
        self.founds.waddr.next = self.loops_path.val();
        self.founds.wdata.next = self.loops_found.val();
        for i in 0..16 {
            if self.loops_we.val() & (self.loops_path.val().index() == i) {
                self.known.d.next = self.known.d.val().replace_bit(i, true);
            }
        }
        self.place.next = bit_cast::<5, 4>(self.path.val());
        if self.bank.val() {
            self.place.next = bit_cast::<5, 4>(self.path.val()) | self.second.val();
        }
        self.spans.raddr.next = self.place.val();
        self.starts.raddr.next = self.place.val();
        self.founds.raddr.next = self.path.val();
        self.span1.d.next = 0.into();
        if self.is_set.val() {
            self.span1.d.next = self.spans.rdata.val();
        }
        self.start1.d.next = self.starts.rdata.val();
        self.loops1.d.next = 0.into();
        if self.known.q.val().get_bit(self.path.val().index()) {
            self.loops1.d.next = self.founds.rdata.val();
        }
        self.span.next = self.span1.q.val();
        self.start.next = self.start1.q.val();
        self.loops.next = self.loops1.q.val();
        if self.rst.val() {
            self.known.d.next = 0.into();
        }
    }
}
