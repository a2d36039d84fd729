//! Beside **packet_memory**: its on-chip backend, a ring in block RAM or UltraRAM.
//!
//! In: words, one per cycle, each run of them ended by `commit` or `rewind`. Out: the committed words, in order.
//! Latency: a word committed in one cycle is at `head` four cycles later when nothing waits before it.
//! Model: `model::packet_memory` (its queue). Tests: `tests/memory/packet_memory.rs`. Registers: none.
//!
//! A backend owes its user four things, and an external one would owe the same: every write is taken, `rewind` forgets
//! all that no commit covers, `head` gives a word per cycle for ever, and `used` is exact.

use crate::prim::{LutFifo, RamStyle, Sdp};
use rust_hdl::prelude::*;

/// A ring of `2^A` words of `W` bits, `A` at most 15.
///
/// `commit` comes with the last word's `we` and covers it; `rewind` may come with a `we` too and forgets that word.
/// A word's place is free again in the cycle after `take`, not when it is read ahead: `used` counts what was written
/// and neither forgotten nor taken, and is what the user must keep at `2^A` or below.
///
/// Pointers run modulo 2^16, so that their differences are counts; the low `A` bits are addresses.
#[derive(LogicBlock)]
pub struct OnChip<const W: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub we: Signal<In, Bit>,
    pub data: Signal<In, Bits<W>>,
    pub commit: Signal<In, Bit>,
    pub rewind: Signal<In, Bit>,
    pub used: Signal<Out, Bits<16>>,
    pub valid: Signal<Out, Bit>,
    pub head: Signal<Out, Bits<W>>,
    pub take: Signal<In, Bit>,
    ram: Sdp<W, A>,
    /// Words read ahead. Eight are enough: a place given back comes round in four cycles.
    ahead: LutFifo<W, 3>,
    written: DFF<Bits<16>>,
    committed: DFF<Bits<16>>,
    fetched: DFF<Bits<16>>,
    taken: DFF<Bits<16>>,
    reading: DFF<Bit>,
    word_valid: DFF<Bit>,
    /// The RAM's output register: UltraRAM wants it.
    word: DFF<Bits<W>>,
    after_write: Signal<Local, Bits<16>>,
    out: Signal<Local, Bits<16>>,
    fetch: Signal<Local, Bit>,
    has_head: Signal<Local, Bit>,
}

impl<const W: usize, const A: usize> OnChip<W, A> {
    /// In the given style.
    pub fn new(style: RamStyle) -> Self {
        assert!(A < 16, "a ring of 2^{A} words: `used` is 16 bits");
        Self {
            clk: Default::default(),
            rst: Default::default(),
            we: Default::default(),
            data: Default::default(),
            commit: Default::default(),
            rewind: Default::default(),
            used: Default::default(),
            valid: Default::default(),
            head: Default::default(),
            take: Default::default(),
            ram: Sdp::new(style),
            ahead: Default::default(),
            written: Default::default(),
            committed: Default::default(),
            fetched: Default::default(),
            taken: Default::default(),
            reading: Default::default(),
            word_valid: Default::default(),
            word: Default::default(),
            after_write: Default::default(),
            out: Default::default(),
            fetch: Default::default(),
            has_head: Default::default(),
        }
    }
    /// In UltraRAM from 4096 words on, in block RAM below.
    pub fn by_depth() -> Self {
        Self::new(if A >= 12 { RamStyle::Ultra } else { RamStyle::Block })
    }
}

impl<const W: usize, const A: usize> Default for OnChip<W, A> {
    fn default() -> Self {
        Self::by_depth()
    }
}

impl<const W: usize, const A: usize> Logic for OnChip<W, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, written, committed, fetched, taken, reading, word_valid, word);
        self.ram.clk.next = self.clk.val();
        self.ahead.clk.next = self.clk.val();
        self.ahead.rst.next = self.rst.val();

        // In.
        self.ram.we.next = self.we.val();
        self.ram.waddr.next = bit_cast::<A, 16>(self.written.q.val());
        self.ram.wdata.next = self.data.val();
        self.after_write.next = self.written.q.val() + 1;
        if self.we.val() {
            self.written.d.next = self.after_write.val();
        }
        if self.commit.val() {
            self.committed.d.next = self.after_write.val();
        }
        if self.rewind.val() {
            self.written.d.next = self.committed.q.val();
        }
        self.used.next = self.written.q.val() - self.taken.q.val();

        // Read ahead, as far as there is something committed and a place for it to land.
        self.out.next = self.fetched.q.val() - self.taken.q.val();
        self.fetch.next = (self.fetched.q.val() != self.committed.q.val()) & (self.out.val() < 8);
        if self.fetch.val() {
            self.fetched.d.next = self.fetched.q.val() + 1;
        }
        self.ram.raddr.next = bit_cast::<A, 16>(self.fetched.q.val());
        self.reading.d.next = self.fetch.val();
        self.word_valid.d.next = self.reading.q.val();
        self.word.d.next = self.ram.rdata.val();
        self.ahead.wr.next = self.word_valid.q.val();
        self.ahead.din.next = self.word.q.val();

        // Out.
        self.has_head.next = !self.ahead.empty.val();
        self.valid.next = self.has_head.val();
        self.head.next = self.ahead.dout.val();
        self.ahead.rd.next = self.take.val();
        if self.take.val() & self.has_head.val() {
            self.taken.d.next = self.taken.q.val() + 1;
        }
        if self.rst.val() {
            self.written.d.next = 0.into();
            self.committed.d.next = 0.into();
            self.fetched.d.next = 0.into();
            self.taken.d.next = 0.into();
            self.reading.d.next = false;
            self.word_valid.d.next = false;
        }
    }
}
