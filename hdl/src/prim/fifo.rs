//! A queue in one clock domain, first word fall-through.

use super::head_ram::HeadRam;
use super::lut_ram::LutRam;
use rust_hdl::prelude::*;

/// `2^A` words of `W` bits.
///
/// `dout` is valid whenever `empty` is low; a word pushed in one cycle can be popped in the next.
/// One push and one pop per cycle, for ever, whatever it holds; while `full`, a push is ignored even beside a pop,
/// and a pop while `empty` is ignored. All flags come from registers.
#[derive(LogicBlock)]
pub struct Fifo<const W: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub wr: Signal<In, Bit>,
    pub din: Signal<In, Bits<W>>,
    pub full: Signal<Out, Bit>,
    /// At most `margin` more words fit.
    pub almost_full: Signal<Out, Bit>,
    pub rd: Signal<In, Bit>,
    pub dout: Signal<Out, Bits<W>>,
    pub empty: Signal<Out, Bit>,
    /// Words held.
    pub count: Signal<Out, Bits<16>>,
    ram: HeadRam<W, A>,
    head: DFF<Bits<A>>,
    tail: DFF<Bits<A>>,
    held: DFF<Bits<16>>,
    is_full: DFF<Bit>,
    is_almost_full: DFF<Bit>,
    not_empty: DFF<Bit>,
    push: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    head_next: Signal<Local, Bits<A>>,
    held_next: Signal<Local, Bits<16>>,
    depth: Constant<Bits<16>>,
    almost: Constant<Bits<16>>,
}

impl<const W: usize, const A: usize> Fifo<W, A> {
    /// `almost_full` rises when at most `margin` more words fit.
    pub fn new(margin: usize) -> Self {
        assert!(A < 16 && margin <= 1 << A, "a queue of 2^{A} words with a margin of {margin}");
        Self {
            clk: Default::default(),
            rst: Default::default(),
            wr: Default::default(),
            din: Default::default(),
            full: Default::default(),
            almost_full: Default::default(),
            rd: Default::default(),
            dout: Default::default(),
            empty: Default::default(),
            count: Default::default(),
            ram: Default::default(),
            head: Default::default(),
            tail: Default::default(),
            held: Default::default(),
            is_full: Default::default(),
            is_almost_full: Default::default(),
            not_empty: Default::default(),
            push: Default::default(),
            pop: Default::default(),
            head_next: Default::default(),
            held_next: Default::default(),
            depth: Constant::new(bits(1 << A)),
            almost: Constant::new(bits((1 << A) - margin as u64)),
        }
    }
}

impl<const W: usize, const A: usize> Default for Fifo<W, A> {
    fn default() -> Self {
        Self::new(1)
    }
}

impl<const W: usize, const A: usize> Logic for Fifo<W, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, head, tail, held, is_full, is_almost_full, not_empty);
        self.push.next = self.wr.val() & !self.is_full.q.val();
        self.pop.next = self.rd.val() & self.not_empty.q.val();
        self.head_next.next = self.head.q.val();
        if self.pop.val() {
            self.head_next.next = self.head.q.val() + 1;
        }
        self.head.d.next = self.head_next.val();
        if self.push.val() {
            self.tail.d.next = self.tail.q.val() + 1;
        }
        self.ram.clk.next = self.clk.val();
        self.ram.we.next = self.push.val();
        self.ram.waddr.next = self.tail.q.val();
        self.ram.wdata.next = self.din.val();
        self.ram.head.next = self.head.q.val();
        self.ram.head_next.next = self.head_next.val();
        self.dout.next = self.ram.dout.val();
        self.held_next.next = self.held.q.val();
        if self.push.val() & !self.pop.val() {
            self.held_next.next = self.held.q.val() + 1;
        } else if self.pop.val() & !self.push.val() {
            self.held_next.next = self.held.q.val() - 1;
        }
        if self.rst.val() {
            self.held_next.next = 0.into();
            self.head.d.next = 0.into();
            self.tail.d.next = 0.into();
        }
        self.held.d.next = self.held_next.val();
        self.is_full.d.next = self.held_next.val() == self.depth.val();
        self.is_almost_full.d.next = self.held_next.val() >= self.almost.val();
        self.not_empty.d.next = self.held_next.val().any();
        self.full.next = self.is_full.q.val();
        self.almost_full.next = self.is_almost_full.q.val();
        self.empty.next = !self.not_empty.q.val();
        self.count.next = self.held.q.val();
    }
}

/// A queue of `2^A` words in lookup tables, for a user who counts: a push into a full one is not refused.
///
/// It has no flags but `empty`.
/// A word pushed in one cycle can be popped in the next; a pop while `empty` is ignored.
#[derive(LogicBlock, Default)]
pub struct LutFifo<const W: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub wr: Signal<In, Bit>,
    pub din: Signal<In, Bits<W>>,
    pub rd: Signal<In, Bit>,
    pub dout: Signal<Out, Bits<W>>,
    pub empty: Signal<Out, Bit>,
    ram: LutRam<W, A>,
    head: DFF<Bits<A>>,
    tail: DFF<Bits<A>>,
    held: DFF<Bits<8>>,
    not_empty: DFF<Bit>,
    pop: Signal<Local, Bit>,
    held_next: Signal<Local, Bits<8>>,
}

impl<const W: usize, const A: usize> Logic for LutFifo<W, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, head, tail, held, not_empty);
        self.ram.clk.next = self.clk.val();
        self.ram.we.next = self.wr.val();
        self.ram.waddr.next = self.tail.q.val();
        self.ram.wdata.next = self.din.val();
        self.ram.raddr.next = self.head.q.val();
        self.dout.next = self.ram.rdata.val();
        self.pop.next = self.rd.val() & self.not_empty.q.val();
        self.held_next.next = self.held.q.val();
        if self.wr.val() & !self.pop.val() {
            self.held_next.next = self.held.q.val() + 1;
        } else if self.pop.val() & !self.wr.val() {
            self.held_next.next = self.held.q.val() - 1;
        }
        if self.wr.val() {
            self.tail.d.next = self.tail.q.val() + 1;
        }
        if self.pop.val() {
            self.head.d.next = self.head.q.val() + 1;
        }
        if self.rst.val() {
            self.held_next.next = 0.into();
            self.head.d.next = 0.into();
            self.tail.d.next = 0.into();
        }
        self.held.d.next = self.held_next.val();
        self.not_empty.d.next = self.held_next.val().any();
        self.empty.next = !self.not_empty.q.val();
    }
}
