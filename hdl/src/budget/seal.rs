//! Budget, beside 3 and 4: **seal**. Tag and CRC of a budget frame, to put them in or to check them.
//!
//! In: `go` with `frame` and `key`, which stand till `done`. Out with `done`, 36 cycles later: `tag` and `crc` as
//! numbers, of the frame as it is but for its tag, which `check` says to take from the frame and not to make; `tag_ok` and
//! `crc_ok`, of the frame as it is, when `check` was up.
//! Model: `spec::wire::budget`. Tests: `tests/budget/seal.rs`. Registers: none.
//!
//! | cycle after `go` | what |
//! | --- | --- |
//! | 0 to 26 | thirteen words of eight bytes, from byte 14, two cycles each: a SipHash round per cycle, the CRC beside it |
//! | 27 to 30 | the last four rounds |
//! | 32, 33 | the tag goes through the CRC |
//!
//! The CRC's words lie two bytes before those of the tag, so that they end where the tag begins.

use super::sip_hash::SipHash;
use crate::prim::{CrcWord, Lit, Pick, Swap};
use matchrdma_spec::hash::POLY_IEEE;
use matchrdma_spec::wire::budget::{BYTES, COVERED_FROM, CRC, TAG};
use rust_hdl::prelude::*;

/// Cycles from `go` to `done`.
pub const TAKES: u64 = 36;
const FRAME_BITS: usize = 8 * BYTES;
/// Words under the tag; of the last, these bytes are.
const WORDS: usize = (TAG.first_byte() - COVERED_FROM).div_ceil(8);
const LAST_BYTES: usize = (TAG.first_byte() - COVERED_FROM) % 8;
const WORD_BITS: usize = 64 * WORDS;

/// One frame at a time.
#[derive(LogicBlock, Default)]
pub struct Seal {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub go: Signal<In, Bit>,
    pub frame: Signal<In, Bits<FRAME_BITS>>,
    pub key: Signal<In, Bits<128>>,
    pub check: Signal<In, Bit>,
    pub done: Signal<Out, Bit>,
    pub tag: Signal<Out, Bits<64>>,
    pub crc: Signal<Out, Bits<32>>,
    pub tag_ok: Signal<Out, Bit>,
    pub crc_ok: Signal<Out, Bit>,
    runs: DFF<Bit>,
    cycle: DFF<Bits<6>>,
    covered_at: Lit<11, { 8 * COVERED_FROM as u64 }>,
    tag_at: Lit<11, { 8 * TAG.first_byte() as u64 }>,
    crc_at: Lit<11, { 8 * CRC.first_byte() as u64 }>,
    last: Lit<4, { WORDS as u64 - 1 }>,
    of_last: Lit<64, { (1 << (8 * LAST_BYTES)) - 1 }>,
    /// SipHash ends with the length in its last byte.
    length: Lit<64, { ((TAG.first_byte() - COVERED_FROM) as u64) << 56 }>,
    /// The CRC's initial value, on the first four bytes that it covers.
    begins: Lit<64, { (u32::MAX as u64) << 16 }>,
    first_take: Lit<6, 1>,
    last_take: Lit<6, { 2 * WORDS as u64 - 1 }>,
    finish_at: Lit<6, { 2 * WORDS as u64 + 1 }>,
    last_round: Lit<6, { 2 * WORDS as u64 + 4 }>,
    tag_goes: Lit<6, { 2 * WORDS as u64 + 6 }>,
    ends: Lit<6, { TAKES - 2 }>,
    pick: Pick<64, 4, WORD_BITS>,
    at: Signal<Local, Bits<4>>,
    m: DFF<Bits<64>>,
    odd: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    gives: Signal<Local, Bit>,
    sip: SipHash,
    zero_key: DFF<Bit>,
    made: DFF<Bits<64>>,
    // the CRC: what the tag's word had beyond, the word, and the register
    held: DFF<Bits<16>>,
    word: DFF<Bits<64>>,
    goes: DFF<Bit>,
    crc_word: CrcWord<POLY_IEEE>,
    state: DFF<Bits<32>>,
    made_bytes: Swap<64>,
    seen_bytes: Signal<Local, Bits<64>>,
    seen_tag: Swap<64>,
    seen_crc: Swap<32>,
    crc_bytes: Signal<Local, Bits<32>>,
    is_done: DFF<Bit>,
    right_tag: DFF<Bit>,
    right_crc: DFF<Bit>,
    whole: Signal<Local, Bits<32>>,
}

impl Logic for Seal {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, runs, cycle, m, zero_key, made, held, word, goes, state, is_done, right_tag, right_crc);
        if self.runs.q.val() {
            self.cycle.d.next = self.cycle.q.val() + 1;
        }
        if self.cycle.q.val() == self.ends.val() {
            self.runs.d.next = false;
        }
        if self.go.val() {
            self.runs.d.next = true;
            self.cycle.d.next = 0.into();
        }

        // the tag's words: each stands for two cycles, one behind `at`
        self.at.next = bit_cast::<4, 6>(self.cycle.q.val() >> 1);
        self.pick.din.next = bit_cast::<WORD_BITS, FRAME_BITS>(self.frame.val() >> self.covered_at.val());
        self.pick.at.next = self.at.val();
        self.m.d.next = self.pick.dout.val();
        if self.at.val() == self.last.val() {
            self.m.d.next = (self.pick.dout.val() & self.of_last.val()) | self.length.val();
        }
        self.odd.next = self.cycle.q.val().get_bit(0);
        self.takes.next = self.runs.q.val() & self.odd.val() & (self.cycle.q.val() <= self.last_take.val());
        self.gives.next = self.runs.q.val()
            & !self.odd.val()
            & self.cycle.q.val().any()
            & (self.cycle.q.val() < self.finish_at.val());
        self.sip.clk.next = self.clk.val();
        self.sip.start.next = self.go.val();
        self.sip.key.next = self.key.val();
        self.sip.m.next = self.m.q.val();
        self.sip.take.next = self.takes.val();
        self.sip.give.next = self.gives.val();
        self.sip.finish.next = self.cycle.q.val() == self.finish_at.val();
        self.sip.round.next = self.runs.q.val()
            & (self.cycle.q.val() >= self.first_take.val())
            & (self.cycle.q.val() <= self.last_round.val());
        self.zero_key.d.next = !self.key.val().any();
        self.made.d.next = self.sip.tag.val();
        if self.zero_key.q.val() {
            self.made.d.next = 0.into();
        }

        // the CRC's: two bytes of the word before, six of this one; in the end the tag
        self.made_bytes.din.next = self.made.q.val();
        self.seen_bytes.next = bit_cast::<64, FRAME_BITS>(self.frame.val() >> self.tag_at.val());
        if self.gives.val() {
            self.held.d.next = bit_cast::<16, 64>(self.m.q.val() >> 48);
        }
        if self.go.val() {
            self.held.d.next = 0.into();
        }
        self.word.d.next = (self.m.q.val() << 16) | bit_cast::<64, 16>(self.held.q.val());
        if self.cycle.q.val() == self.first_take.val() {
            self.word.d.next = ((self.m.q.val() << 16) | bit_cast::<64, 16>(self.held.q.val())) ^ self.begins.val();
        }
        self.goes.d.next = self.takes.val();
        if self.runs.q.val() & (self.cycle.q.val() == self.tag_goes.val()) {
            self.goes.d.next = true;
            self.word.d.next = self.made_bytes.dout.val();
            if self.check.val() {
                self.word.d.next = self.seen_bytes.val();
            }
        }
        self.crc_word.state.next = self.state.q.val();
        self.crc_word.din.next = self.word.q.val();
        if self.goes.q.val() {
            self.state.d.next = self.crc_word.whole.val();
        }
        if self.go.val() {
            self.state.d.next = 0.into();
        }

        // what is told
        self.seen_tag.din.next = self.seen_bytes.val();
        self.crc_bytes.next = bit_cast::<32, FRAME_BITS>(self.frame.val() >> self.crc_at.val());
        self.seen_crc.din.next = self.crc_bytes.val();
        self.right_tag.d.next = self.zero_key.q.val() | (self.seen_tag.dout.val() == self.made.q.val());
        self.is_done.d.next = self.runs.q.val() & (self.cycle.q.val() == self.ends.val());
        self.done.next = self.is_done.q.val();
        self.tag.next = self.made.q.val();
        self.whole.next = !self.state.q.val();
        self.crc.next = self.whole.val();
        self.tag_ok.next = self.right_tag.q.val();
        self.right_crc.d.next = self.whole.val() == self.seen_crc.dout.val();
        self.crc_ok.next = self.right_crc.q.val();
        if self.rst.val() {
            self.runs.d.next = false;
            self.is_done.d.next = false;
        }
    }
}
