//! A word delayed by a fixed number of cycles, in RAM.

use super::ram::Sdp;
use rust_hdl::prelude::*;

/// `dout` is `din` of exactly `N` cycles ago, every cycle. `2 <= N <= 2^A + 1`.
///
/// There is no enable and the contents have no reset: after `rst`, words from before it still come out for `N`
/// cycles. `settled` is low during those, so AND it with any valid bit that travels in the word.
#[derive(LogicBlock)]
pub struct Delay<const W: usize, const A: usize, const N: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub din: Signal<In, Bits<W>>,
    pub dout: Signal<Out, Bits<W>>,
    pub settled: Signal<Out, Bit>,
    ram: Sdp<W, A>,
    writes: DFF<Bits<A>>,
    reads: DFF<Bits<A>>,
    age: DFF<Bits<16>>,
    is_settled: DFF<Bit>,
    back: Constant<Bits<A>>,
    cycles: Constant<Bits<16>>,
}

impl<const W: usize, const A: usize, const N: usize> Default for Delay<W, A, N> {
    fn default() -> Self {
        assert!(N >= 2 && N <= (1 << A) + 1 && N < 1 << 16, "a delay of {N} cycles in 2^{A} words");
        Self {
            clk: Default::default(),
            rst: Default::default(),
            din: Default::default(),
            dout: Default::default(),
            settled: Default::default(),
            ram: Sdp::by_depth(),
            writes: Default::default(),
            reads: Default::default(),
            age: Default::default(),
            is_settled: Default::default(),
            // next cycle's write pointer is ours + 1, and it must read what was written N - 1 cycles before
            back: Constant::new(bits(((1 << A) + 2 - N as u64) & ((1 << A) - 1))),
            cycles: Constant::new(bits(N as u64 - 1)),
        }
    }
}

impl<const W: usize, const A: usize, const N: usize> Logic for Delay<W, A, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, writes, reads, age, is_settled);
        self.writes.d.next = self.writes.q.val() + 1;
        self.reads.d.next = self.writes.q.val() + self.back.val();
        self.ram.clk.next = self.clk.val();
        self.ram.we.next = true;
        self.ram.waddr.next = self.writes.q.val();
        self.ram.wdata.next = self.din.val();
        self.ram.raddr.next = self.reads.q.val();
        self.dout.next = self.ram.rdata.val();
        if self.age.q.val() == self.cycles.val() {
            self.is_settled.d.next = true;
        } else {
            self.age.d.next = self.age.q.val() + 1;
        }
        self.settled.next = self.is_settled.q.val();
        if self.rst.val() {
            self.age.d.next = 0.into();
            self.is_settled.d.next = false;
        }
    }
}
