//! A RAM whose words are records: [`super::Sdp`] in block RAM, with a struct for a word.

use rust_hdl::prelude::*;
use std::collections::BTreeMap;

/// `2^A` records. Latency of a read: one cycle. A record read in the cycle it is written gives its old value.
/// Contents start at zero and have no reset.
#[derive(LogicBlock, Default)]
pub struct Table<T: Synth, const A: usize> {
    pub clk: Signal<In, Clock>,
    pub raddr: Signal<In, Bits<A>>,
    pub rdata: Signal<Out, T>,
    pub we: Signal<In, Bit>,
    pub waddr: Signal<In, Bits<A>>,
    pub wdata: Signal<In, T>,
    _records: BTreeMap<usize, T>,
}

impl<T: Synth, const A: usize> Logic for Table<T, A> {
    fn update(&mut self) {
        if self.clk.pos_edge() {
            self.rdata.next = self._records.get(&self.raddr.val().index()).copied().unwrap_or_default();
            if self.we.val() {
                self._records.insert(self.waddr.val().index(), self.wdata.val());
            }
        }
    }

    fn connect(&mut self) {
        self.rdata.connect();
    }

    fn hdl(&self) -> Verilog {
        let (top, last) = (T::BITS - 1, (1usize << A) - 1);
        Verilog::Custom(format!(
            "(* ram_style = \"block\" *) reg [{top}:0] mem [0:{last}];\n\
             integer i;\n\
             initial begin\n  for (i = 0; i <= {last}; i = i + 1) mem[i] = 0;\n  rdata = 0;\nend\n\
             always @(posedge clk) begin\n  rdata <= mem[raddr];\n  if (we) mem[waddr] <= wdata;\nend"
        ))
    }
}
