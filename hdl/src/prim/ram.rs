//! Simple dual-port RAM: one write port, one read port, one clock.

use rust_hdl::prelude::*;
use std::collections::BTreeMap;

/// What the memory is built of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RamStyle {
    /// Block RAM: 36 Kib each, 72 bits wide.
    #[default]
    Block,
    /// UltraRAM: 288 Kib each, 72 bits wide, 4096 deep. Cannot be initialised; powers up to zero.
    Ultra,
    /// Lookup tables: 32 or 64 deep.
    Distributed,
}

/// `2^A` words of `W` bits. Latency of a read: one cycle. A word read in the cycle it is written gives its old value.
/// Contents start at zero and have no reset.
#[derive(LogicBlock)]
pub struct Sdp<const W: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    pub raddr: Signal<In, Bits<A>>,
    pub rdata: Signal<Out, Bits<W>>,
    pub we: Signal<In, Bit>,
    pub waddr: Signal<In, Bits<A>>,
    pub wdata: Signal<In, Bits<W>>,
    _style: RamStyle,
    _words: BTreeMap<usize, Bits<W>>,
}

impl<const W: usize, const A: usize> Sdp<W, A> {
    /// In the given style.
    pub fn new(style: RamStyle) -> Self {
        Self {
            clk: Default::default(),
            raddr: Default::default(),
            rdata: Default::default(),
            we: Default::default(),
            waddr: Default::default(),
            wdata: Default::default(),
            _style: style,
            _words: BTreeMap::new(),
        }
    }
    /// In block RAM.
    pub fn block() -> Self {
        Self::new(RamStyle::Block)
    }
    /// In UltraRAM.
    pub fn ultra() -> Self {
        Self::new(RamStyle::Ultra)
    }
    /// In lookup tables.
    pub fn distributed() -> Self {
        Self::new(RamStyle::Distributed)
    }
    /// In lookup tables when 64 words or fewer, else in block RAM.
    pub fn by_depth() -> Self {
        Self::new(if A > 6 { RamStyle::Block } else { RamStyle::Distributed })
    }
}

impl<const W: usize, const A: usize> Default for Sdp<W, A> {
    fn default() -> Self {
        Self::block()
    }
}

impl<const W: usize, const A: usize> Logic for Sdp<W, A> {
    fn update(&mut self) {
        if self.clk.pos_edge() {
            self.rdata.next = self._words.get(&self.raddr.val().index()).copied().unwrap_or_default();
            if self.we.val() {
                self._words.insert(self.waddr.val().index(), self.wdata.val());
            }
        }
    }

    fn connect(&mut self) {
        self.rdata.connect();
    }

    fn hdl(&self) -> Verilog {
        let (style, initial) = match self._style {
            RamStyle::Block => ("block", true),
            RamStyle::Ultra => ("ultra", false),
            RamStyle::Distributed => ("distributed", true),
        };
        let (top, last) = (W - 1, (1usize << A) - 1);
        let mut code = format!("(* ram_style = \"{style}\" *) reg [{top}:0] mem [0:{last}];\n");
        if initial {
            code += &format!(
                "integer i;\ninitial begin\n  for (i = 0; i <= {last}; i = i + 1) mem[i] = {W}'h0;\n  rdata = {W}'h0;\nend\n"
            );
        }
        code += "always @(posedge clk) begin\n  rdata <= mem[raddr];\n  if (we) mem[waddr] <= wdata;\nend";
        Verilog::Custom(code)
    }
}
