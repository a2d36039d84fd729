//! A table of constants.

use rust_hdl::prelude::*;

/// `dout` is word number `addr` of a table of `2^A` words: no latency, lookup tables.
#[derive(LogicBlock)]
pub struct Rom<const W: usize, const A: usize> {
    pub addr: Signal<In, Bits<A>>,
    pub dout: Signal<Out, Bits<W>>,
    _words: Vec<Bits<W>>,
}

impl<const W: usize, const A: usize> Rom<W, A> {
    /// The table of `word(0)`, `word(1)` and so on.
    pub fn new(word: impl Fn(usize) -> Bits<W>) -> Self {
        Self { addr: Default::default(), dout: Default::default(), _words: (0..1 << A).map(word).collect() }
    }
}

impl<const W: usize, const A: usize> Logic for Rom<W, A> {
    fn update(&mut self) {
        self.dout.next = self._words[self.addr.val().index()];
    }

    fn connect(&mut self) {
        self.dout.connect();
    }

    fn hdl(&self) -> Verilog {
        let mut code = format!("always @(*) case (addr)\n  default: dout = {W}'h0;\n");
        for (at, word) in self._words.iter().enumerate() {
            code += &format!("  {A}'d{at}: dout = {W}'h{word:x};\n");
        }
        code += "endcase";
        Verilog::Custom(code)
    }
}
