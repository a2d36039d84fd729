//! A linear map over bits: CRCs, hashes, moves of bits.

use rust_hdl::prelude::*;

/// Every bit of `dout` is the XOR of some bits of `din`: no latency. Verilog gets one `^{...}` per output bit, which
/// synthesis builds as a tree; a chain of `^` it does not.
#[derive(LogicBlock)]
pub struct XorNet<const I: usize, const O: usize> {
    pub din: Signal<In, Bits<I>>,
    pub dout: Signal<Out, Bits<O>>,
    /// The input bits of each output bit, ascending.
    _rows: Vec<Vec<usize>>,
}

impl<const I: usize, const O: usize> XorNet<I, O> {
    /// `reaches(i)` lists the output bits that input bit `i` flips.
    pub fn new(reaches: impl Fn(usize) -> Vec<usize>) -> Self {
        let mut rows = vec![vec![]; O];
        for i in 0..I {
            reaches(i).into_iter().for_each(|o| rows[o].push(i));
        }
        Self { din: Default::default(), dout: Default::default(), _rows: rows }
    }
}

/// The positions of the ones of a word, each moved up by `base`.
pub fn ones(word: u64, base: usize) -> Vec<usize> {
    (0..64).filter(|b| word >> b & 1 == 1).map(|b| base + b).collect()
}

impl<const I: usize, const O: usize> Logic for XorNet<I, O> {
    fn update(&mut self) {
        let din = self.din.val();
        let mut dout = Bits::<O>::default();
        for (o, row) in self._rows.iter().enumerate() {
            dout = dout.replace_bit(o, row.iter().fold(false, |x, &i| x ^ din.get_bit(i)));
        }
        self.dout.next = dout;
    }

    fn connect(&mut self) {
        self.dout.connect();
    }

    fn hdl(&self) -> Verilog {
        let mut code = String::from("always @(*) begin\n");
        for (o, row) in self._rows.iter().enumerate() {
            let inputs: Vec<_> = row.iter().map(|i| format!("din[{i}]")).collect();
            let value = if row.is_empty() { "1'b0".into() } else { format!("^{{{}}}", inputs.join(", ")) };
            code += &format!("  dout[{o}] = {value};\n");
        }
        code += "end";
        Verilog::Custom(code)
    }
}
