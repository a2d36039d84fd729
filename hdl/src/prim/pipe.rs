//! Wide registers that cost no lookup table: for a word that waits, and for one of which parts become zero.

use rust_hdl::prelude::*;
use std::collections::VecDeque;

/// `dout` is `din` of exactly `N` cycles ago; `rst` clears all of them.
///
/// Without its reset, synthesis would make a shift register of it, of one lookup table per bit.
/// From eight cycles or so on, a [`Delay`](super::Delay) is the better bargain.
#[derive(LogicBlock, Default)]
pub struct Pipe<const W: usize, const N: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub din: Signal<In, Bits<W>>,
    pub dout: Signal<Out, Bits<W>>,
    _waiting: VecDeque<Bits<W>>,
}

impl<const W: usize, const N: usize> Logic for Pipe<W, N> {
    fn update(&mut self) {
        if self.clk.pos_edge() {
            if self.rst.val() {
                self._waiting.clear();
            }
            self._waiting.resize(N, Bits::default());
            self._waiting.push_front(if self.rst.val() { Bits::default() } else { self.din.val() });
            self._waiting.truncate(N);
            self.dout.next = self._waiting[N - 1];
        }
    }

    fn connect(&mut self) {
        self.dout.connect();
    }

    fn hdl(&self) -> Verilog {
        assert!(N >= 1, "no cycle to wait");
        let words: Vec<_> = (1..N).map(|n| format!("word{n}")).chain(["dout".into()]).collect();
        let mut code = String::new();
        words[..N - 1].iter().for_each(|word| code += &format!("reg [{}:0] {word};\n", W - 1));
        code += "always @(posedge clk)\n  if (rst) begin\n";
        words.iter().for_each(|word| code += &format!("    {word} <= {W}'h0;\n"));
        code += "  end else begin\n";
        let from = std::iter::once("din").chain(words.iter().map(String::as_str));
        from.zip(&words).for_each(|(from, word)| code += &format!("    {word} <= {from};\n"));
        Verilog::Custom(code + "  end")
    }
}

/// `dout` is `din` of the cycle before, those of its `N` equal parts zero whose bit of `clear` was up.
///
/// The clearing is the registers' own.
#[derive(LogicBlock, Default)]
pub struct Clear<const W: usize, const N: usize> {
    pub clk: Signal<In, Clock>,
    pub din: Signal<In, Bits<W>>,
    pub clear: Signal<In, Bits<N>>,
    pub dout: Signal<Out, Bits<W>>,
}

impl<const W: usize, const N: usize> Logic for Clear<W, N> {
    fn update(&mut self) {
        if self.clk.pos_edge() {
            let (din, clear) = (self.din.val(), self.clear.val());
            let kept = |bit: usize| din.get_bit(bit) && !clear.get_bit(bit / (W / N));
            self.dout.next = (0..W).fold(Bits::default(), |word, bit| word.replace_bit(bit, kept(bit)));
        }
    }

    fn connect(&mut self) {
        self.dout.connect();
    }

    fn hdl(&self) -> Verilog {
        assert!(W.is_multiple_of(N), "{N} parts of {W} bits are not equal");
        let mut code = String::from("always @(posedge clk) begin\n");
        for part in 0..N {
            let (low, high) = (part * (W / N), (part + 1) * (W / N) - 1);
            code += &format!(
                "  if (clear[{part}]) dout[{high}:{low}] <= {}'h0; else dout[{high}:{low}] <= din[{high}:{low}];\n",
                W / N
            );
        }
        Verilog::Custom(code + "end")
    }
}
