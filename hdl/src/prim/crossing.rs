//! What stands on a border between two clocks: flip-flops that a vendor's tool keeps together, and flip-flops that a reset
//! clears though their clock stands.

use rust_hdl::prelude::*;

/// A reset for one clock: high as soon as `areset` is, low two to three cycles of `clk` after it fell. High at first.
///
/// `areset` comes from a flip-flop, of whatever clock. `rst` clears flip-flops of `clk` without it ([`AsyncClear`]);
/// `held` is a second flip-flop of the same level, for logic.
#[derive(LogicBlock, Default)]
pub struct ResetSync {
    pub clk: Signal<In, Clock>,
    pub areset: Signal<In, Bit>,
    pub rst: Signal<Out, Bit>,
    pub held: Signal<Out, Bit>,
    _stages: u8,
}

impl Logic for ResetSync {
    fn update(&mut self) {
        if self.areset.val() {
            self._stages = 7;
        } else if self.clk.pos_edge() {
            self._stages = (self._stages << 1) & 7;
        }
        self.rst.next = self._stages & 4 != 0;
        self.held.next = self._stages & 4 != 0;
    }

    fn connect(&mut self) {
        self.rst.connect();
        self.held.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            "(* ASYNC_REG = \"TRUE\" *) reg [1:0] stages;\n\
             initial begin\n  stages = 2'h3;\n  rst = 1'h1;\n  held = 1'h1;\nend\n\
             always @(posedge clk or posedge areset) begin\n\
             \x20 if (areset) begin\n    stages <= 2'h3;\n    rst <= 1'h1;\n    held <= 1'h1;\n  end\n\
             \x20 else begin\n    stages <= {stages[0], 1'h0};\n    rst <= stages[1];\n    held <= stages[1];\n  end\n\
             end"
            .into(),
        )
    }
}

/// `W` flip-flops that `rst` clears at once, whether `clk` runs or not. Zero at first.
#[derive(LogicBlock, Default)]
pub struct AsyncClear<const W: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub d: Signal<In, Bits<W>>,
    pub q: Signal<Out, Bits<W>>,
}

impl<const W: usize> Logic for AsyncClear<W> {
    fn update(&mut self) {
        if self.rst.val() {
            self.q.next = 0.into();
        } else if self.clk.pos_edge() {
            self.q.next = self.d.val();
        }
    }

    fn connect(&mut self) {
        self.q.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "initial q = {W}'h0;\n\
             always @(posedge clk or posedge rst) begin\n  if (rst) q <= {W}'h0; else q <= d;\nend"
        ))
    }
}

/// `W` bits of another clock, two cycles of `clk` late. Of a word only one bit may change at a time. Zero in reset.
#[derive(LogicBlock, Default)]
pub struct Synchroniser<const W: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub din: Signal<In, Bits<W>>,
    pub dout: Signal<Out, Bits<W>>,
    _first: Bits<W>,
    _second: Bits<W>,
}

impl<const W: usize> Logic for Synchroniser<W> {
    fn update(&mut self) {
        if self.rst.val() {
            (self._first, self._second) = Default::default();
        } else if self.clk.pos_edge() {
            self._second = self._first;
            self._first = self.din.val();
        }
        self.dout.next = self._second;
    }

    fn connect(&mut self) {
        self.dout.connect();
    }

    fn hdl(&self) -> Verilog {
        let top = W - 1;
        Verilog::Custom(format!(
            "(* ASYNC_REG = \"TRUE\" *) reg [{top}:0] first;\n\
             (* ASYNC_REG = \"TRUE\" *) reg [{top}:0] second;\n\
             initial begin\n  first = {W}'h0;\n  second = {W}'h0;\nend\n\
             always @(posedge clk or posedge rst) begin\n\
             \x20 if (rst) begin\n    first <= {W}'h0;\n    second <= {W}'h0;\n  end\n\
             \x20 else begin\n    first <= din;\n    second <= first;\n  end\n\
             end\n\
             always @(*) dout = second;"
        ))
    }
}
