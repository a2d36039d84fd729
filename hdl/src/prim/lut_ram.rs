//! A small table in lookup tables, read within the cycle.

use rust_hdl::prelude::*;
use std::collections::BTreeMap;

/// `2^A` words of `W` bits: one write port, one read port without latency. A word read in the cycle it is written gives
/// its old value. Contents start at zero and have no reset.
#[derive(LogicBlock, Default)]
pub struct LutRam<const W: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    pub raddr: Signal<In, Bits<A>>,
    pub rdata: Signal<Out, Bits<W>>,
    pub we: Signal<In, Bit>,
    pub waddr: Signal<In, Bits<A>>,
    pub wdata: Signal<In, Bits<W>>,
    _words: BTreeMap<usize, Bits<W>>,
}

impl<const W: usize, const A: usize> Logic for LutRam<W, A> {
    fn update(&mut self) {
        if self.clk.pos_edge() && self.we.val() {
            self._words.insert(self.waddr.val().index(), self.wdata.val());
        }
        self.rdata.next = self._words.get(&self.raddr.val().index()).copied().unwrap_or_default();
    }

    fn connect(&mut self) {
        self.rdata.connect();
    }

    fn hdl(&self) -> Verilog {
        let (top, last) = (W - 1, (1usize << A) - 1);
        Verilog::Custom(format!(
            "(* ram_style = \"distributed\" *) reg [{top}:0] mem [0:{last}];\n\
             integer i;\n\
             initial for (i = 0; i <= {last}; i = i + 1) mem[i] = {W}'h0;\n\
             always @(posedge clk) if (we) mem[waddr] <= wdata;\n\
             always @(*) rdata = mem[raddr];"
        ))
    }
}
