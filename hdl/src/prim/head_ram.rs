//! The memory of a [`Fifo`](super::Fifo): a word that was written in one cycle can be seen in the next.

use rust_hdl::prelude::*;
use std::collections::BTreeMap;

/// Up to 64 words are a table that is read within the cycle, more are block RAM.
const LARGEST_TABLE: usize = 6;

/// `2^A` words of `W` bits. `dout` is word `head`; `head_next` is what `head` will be in the next cycle.
///
/// Block RAM is read one cycle ahead, and a word that arrives at that very address takes the register beside the RAM
/// instead. Contents start at zero and have no reset.
#[derive(LogicBlock, Default)]
pub struct HeadRam<const W: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    pub head: Signal<In, Bits<A>>,
    pub head_next: Signal<In, Bits<A>>,
    pub dout: Signal<Out, Bits<W>>,
    pub we: Signal<In, Bit>,
    pub waddr: Signal<In, Bits<A>>,
    pub wdata: Signal<In, Bits<W>>,
    _words: BTreeMap<usize, Bits<W>>,
}

impl<const W: usize, const A: usize> Logic for HeadRam<W, A> {
    fn update(&mut self) {
        if self.clk.pos_edge() && self.we.val() {
            self._words.insert(self.waddr.val().index(), self.wdata.val());
        }
        self.dout.next = self._words.get(&self.head.val().index()).copied().unwrap_or_default();
    }

    fn connect(&mut self) {
        self.dout.connect();
    }

    fn hdl(&self) -> Verilog {
        let (top, last) = (W - 1, (1usize << A) - 1);
        let style = if A > LARGEST_TABLE { "block" } else { "distributed" };
        let mut code = format!(
            "(* ram_style = \"{style}\" *) reg [{top}:0] mem [0:{last}];\n\
             integer i;\n\
             initial for (i = 0; i <= {last}; i = i + 1) mem[i] = {W}'h0;\n\
             always @(posedge clk) if (we) mem[waddr] <= wdata;\n"
        );
        code += &if A > LARGEST_TABLE {
            format!(
                "reg [{top}:0] rdata;\nreg [{top}:0] bypass;\nreg use_bypass;\n\
                 always @(posedge clk) begin\n\
                 \x20 rdata <= mem[head_next];\n\
                 \x20 bypass <= wdata;\n\
                 \x20 use_bypass <= we && (waddr == head_next);\n\
                 end\n\
                 always @(*) dout = use_bypass ? bypass : rdata;"
            )
        } else {
            "always @(*) dout = mem[head];".into()
        };
        Verilog::Custom(code)
    }
}
