//! Beside host 2: **host_queue**. A queue that the host empties: as [`Fifo`](crate::prim::Fifo), but a word is at the head two
//! cycles after it was pushed, and the next one two cycles after a pop. For that it needs no register beside its RAM.
//!
//! In: `wr, din`; `rd`. Out: `dout` while not `empty`; `full`, `almost_full`, `count`. A push while full and a pop while empty
//! are ignored. Model: a queue of the tests. Tests: `tests/host/event_regs.rs`, `tests/host/upcall.rs`. Registers: none.

use crate::prim::Sdp;
use rust_hdl::prelude::*;

/// `2^A` words of `W` bits.
#[derive(LogicBlock)]
pub struct HostQueue<const W: usize, const A: usize> {
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
    pub count: Signal<Out, Bits<16>>,
    ram: Sdp<W, A>,
    head: DFF<Bits<A>>,
    tail: DFF<Bits<A>>,
    held: DFF<Bits<16>>,
    is_full: DFF<Bit>,
    is_almost_full: DFF<Bit>,
    shown: DFF<Bit>,
    push: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    held_next: Signal<Local, Bits<16>>,
    depth: Constant<Bits<16>>,
    almost: Constant<Bits<16>>,
}

impl<const W: usize, const A: usize> HostQueue<W, A> {
    /// `almost_full` rises when at most `margin` more words fit.
    pub fn new(margin: usize) -> Self {
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
            ram: Sdp::by_depth(),
            head: Default::default(),
            tail: Default::default(),
            held: Default::default(),
            is_full: Default::default(),
            is_almost_full: Default::default(),
            shown: Default::default(),
            push: Default::default(),
            pop: Default::default(),
            held_next: Default::default(),
            depth: Constant::new(bits(1 << A)),
            almost: Constant::new(bits((1 << A) - margin as u64)),
        }
    }
}

impl<const W: usize, const A: usize> Default for HostQueue<W, A> {
    fn default() -> Self {
        Self::new(1)
    }
}

impl<const W: usize, const A: usize> Logic for HostQueue<W, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, head, tail, held, is_full, is_almost_full, shown);
        self.push.next = self.wr.val() & !self.is_full.q.val();
        self.pop.next = self.rd.val() & self.shown.q.val();
        if self.pop.val() {
            self.head.d.next = self.head.q.val() + 1;
        }
        if self.push.val() {
            self.tail.d.next = self.tail.q.val() + 1;
        }
        self.ram.clk.next = self.clk.val();
        self.ram.we.next = self.push.val();
        self.ram.waddr.next = self.tail.q.val();
        self.ram.wdata.next = self.din.val();
        self.ram.raddr.next = self.head.q.val();
        self.dout.next = self.ram.rdata.val();
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
        // A word that is held now is read at the end of this cycle, unless the head moves on.
        self.shown.d.next = self.held.q.val().any() & !self.pop.val() & !self.rst.val();
        self.held.d.next = self.held_next.val();
        self.is_full.d.next = self.held_next.val() == self.depth.val();
        self.is_almost_full.d.next = self.held_next.val() >= self.almost.val();
        self.full.next = self.is_full.q.val();
        self.almost_full.next = self.is_almost_full.q.val();
        self.empty.next = !self.shown.q.val();
        self.count.next = self.held.q.val();
    }
}
