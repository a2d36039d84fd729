//! A queue from one clock to another, first word fall-through.

use super::crossing::{AsyncClear, ResetSync, Synchroniser};
use super::lut_ram::LutRam;
use rust_hdl::prelude::*;

/// `2^A` words of `W` bits in lookup tables, and one in the register of `dout`; `P` is `A + 1`.
///
/// Pointers cross in Gray code through two flip-flops each. A word that is pushed shows after three to four cycles of
/// `rd_clk`; a place that was emptied is free after two to three of `wr_clk`. While both clocks run alike, one word per
/// cycle for ever.
/// A push while `full` is ignored, and so is a pop while `empty`. `areset` comes from a flip-flop of whatever clock and
/// empties the queue at once, though a clock stands; the queue is full to its writer and empty to its reader until each
/// clock has run some cycles after it.
/// Constraint: `constraints/blocks/async_fifo.xdc`.
#[derive(LogicBlock)]
pub struct AsyncFifo<const W: usize, const A: usize, const P: usize> {
    pub areset: Signal<In, Bit>,
    pub wr_clk: Signal<In, Clock>,
    pub wr: Signal<In, Bit>,
    pub din: Signal<In, Bits<W>>,
    pub full: Signal<Out, Bit>,
    pub rd_clk: Signal<In, Clock>,
    pub rd: Signal<In, Bit>,
    pub dout: Signal<Out, Bits<W>>,
    pub empty: Signal<Out, Bit>,
    wr_reset: ResetSync,
    rd_reset: ResetSync,
    ram: LutRam<W, A>,
    tail: AsyncClear<P>,
    tail_gray: AsyncClear<P>,
    tail_seen: Synchroniser<P>,
    head: AsyncClear<P>,
    head_gray: AsyncClear<P>,
    head_seen: Synchroniser<P>,
    shown: AsyncClear<1>,
    word: DFF<Bits<W>>,
    push: Signal<Local, Bit>,
    is_full: Signal<Local, Bit>,
    tail_next: Signal<Local, Bits<P>>,
    tail_half: Signal<Local, Bits<P>>,
    free: Signal<Local, Bit>,
    fetch: Signal<Local, Bit>,
    head_next: Signal<Local, Bits<P>>,
    head_half: Signal<Local, Bits<P>>,
    /// The two top bits, in which the pointers of a full queue differ.
    lap: Constant<Bits<P>>,
}

impl<const W: usize, const A: usize, const P: usize> Default for AsyncFifo<W, A, P> {
    fn default() -> Self {
        assert!(P == A + 1 && (2..16).contains(&A), "a queue of 2^{A} words with pointers of {P} bits");
        Self {
            areset: Default::default(),
            wr_clk: Default::default(),
            wr: Default::default(),
            din: Default::default(),
            full: Default::default(),
            rd_clk: Default::default(),
            rd: Default::default(),
            dout: Default::default(),
            empty: Default::default(),
            wr_reset: Default::default(),
            rd_reset: Default::default(),
            ram: Default::default(),
            tail: Default::default(),
            tail_gray: Default::default(),
            tail_seen: Default::default(),
            head: Default::default(),
            head_gray: Default::default(),
            head_seen: Default::default(),
            shown: Default::default(),
            word: Default::default(),
            push: Default::default(),
            is_full: Default::default(),
            tail_next: Default::default(),
            tail_half: Default::default(),
            free: Default::default(),
            fetch: Default::default(),
            head_next: Default::default(),
            head_half: Default::default(),
            lap: Constant::new(bits(3 << (A - 1))),
        }
    }
}

impl<const W: usize, const A: usize, const P: usize> Logic for AsyncFifo<W, A, P> {
    #[hdl_gen]
    fn update(&mut self) {
        self.wr_reset.clk.next = self.wr_clk.val();
        self.wr_reset.areset.next = self.areset.val();
        self.rd_reset.clk.next = self.rd_clk.val();
        self.rd_reset.areset.next = self.areset.val();

        // The writer's side.
        self.tail.clk.next = self.wr_clk.val();
        self.tail.rst.next = self.wr_reset.rst.val();
        self.tail_gray.clk.next = self.wr_clk.val();
        self.tail_gray.rst.next = self.wr_reset.rst.val();
        self.head_seen.clk.next = self.wr_clk.val();
        self.head_seen.rst.next = self.wr_reset.rst.val();
        self.head_seen.din.next = self.head_gray.q.val();
        self.is_full.next =
            self.wr_reset.held.val() | (self.tail_gray.q.val() == (self.head_seen.dout.val() ^ self.lap.val()));
        self.push.next = self.wr.val() & !self.is_full.val();
        self.tail_next.next = self.tail.q.val();
        if self.push.val() {
            self.tail_next.next = self.tail.q.val() + 1;
        }
        self.tail_half.next = self.tail_next.val() >> 1;
        self.tail.d.next = self.tail_next.val();
        self.tail_gray.d.next = self.tail_next.val() ^ self.tail_half.val();
        self.ram.clk.next = self.wr_clk.val();
        self.ram.we.next = self.push.val();
        self.ram.waddr.next = bit_cast::<A, P>(self.tail.q.val());
        self.ram.wdata.next = self.din.val();
        self.full.next = self.is_full.val();

        // The reader's side.
        self.word.clock.next = self.rd_clk.val();
        self.word.d.next = self.word.q.val();
        self.shown.clk.next = self.rd_clk.val();
        self.shown.rst.next = self.rd_reset.rst.val();
        self.head.clk.next = self.rd_clk.val();
        self.head.rst.next = self.rd_reset.rst.val();
        self.head_gray.clk.next = self.rd_clk.val();
        self.head_gray.rst.next = self.rd_reset.rst.val();
        self.tail_seen.clk.next = self.rd_clk.val();
        self.tail_seen.rst.next = self.rd_reset.rst.val();
        self.tail_seen.din.next = self.tail_gray.q.val();
        self.free.next = self.rd.val() | !self.shown.q.val().any();
        self.fetch.next = self.free.val() & (self.head_gray.q.val() != self.tail_seen.dout.val());
        self.shown.d.next = self.shown.q.val();
        if self.free.val() {
            self.shown.d.next = 0.into();
        }
        self.head_next.next = self.head.q.val();
        self.ram.raddr.next = bit_cast::<A, P>(self.head.q.val());
        if self.fetch.val() {
            self.shown.d.next = 1.into();
            self.word.d.next = self.ram.rdata.val();
            self.head_next.next = self.head.q.val() + 1;
        }
        self.head_half.next = self.head_next.val() >> 1;
        self.head.d.next = self.head_next.val();
        self.head_gray.d.next = self.head_next.val() ^ self.head_half.val();
        self.dout.next = self.word.q.val();
        self.empty.next = !self.shown.q.val().any();
    }
}
