//! [`Sdp`] in UltraRAM by default, so that a block with such a table still derives `Default`.

use super::ram::Sdp;
use rust_hdl::prelude::*;

/// `2^A` words of `W` bits: ports, latency and contents of [`Sdp::ultra`].
#[derive(LogicBlock)]
pub struct Ultra<const W: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    pub raddr: Signal<In, Bits<A>>,
    pub rdata: Signal<Out, Bits<W>>,
    pub we: Signal<In, Bit>,
    pub waddr: Signal<In, Bits<A>>,
    pub wdata: Signal<In, Bits<W>>,
    ram: Sdp<W, A>,
}

impl<const W: usize, const A: usize> Default for Ultra<W, A> {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            raddr: Default::default(),
            rdata: Default::default(),
            we: Default::default(),
            waddr: Default::default(),
            wdata: Default::default(),
            ram: Sdp::ultra(),
        }
    }
}

impl<const W: usize, const A: usize> Logic for Ultra<W, A> {
    #[hdl_gen]
    fn update(&mut self) {
        self.ram.clk.next = self.clk.val();
        self.ram.raddr.next = self.raddr.val();
        self.rdata.next = self.ram.rdata.val();
        self.ram.we.next = self.we.val();
        self.ram.waddr.next = self.waddr.val();
        self.ram.wdata.next = self.wdata.val();
    }
}
