//! CRC-32 as XOR networks.
//!
//! A reflected CRC is linear: the register after `W` bits is *advance(state)* XOR *data(bits)*.
//! [`CrcData`] is the second term, pipelined, since no state waits for it; [`CrcAdvance`] is the first, 32 bits wide,
//! small enough for the one cycle that a running CRC has. With no initial value and no final inversion, `CrcData`
//! alone is also a hash.
//!
//! Bit 0 of the data goes first: byte 0 of a beat, least significant bit first, as on the wire.

use rust_hdl::prelude::*;

/// Inputs of one XOR between registers: two levels of six-input tables.
const TAPS: usize = 36;

/// Column `k`: what data bit `k` of `W` adds to the register after all `W`.
fn data_columns(poly: u32, bits: usize) -> Vec<u32> {
    let mut column = poly; // the last bit, stepped through once
    let mut columns = vec![0; bits];
    for slot in columns.iter_mut().rev() {
        *slot = column;
        column = step(poly, column);
    }
    columns
}

/// Column `k`: where state bit `k` goes when `bits` zeros follow.
fn advance_columns(poly: u32, bits: usize) -> Vec<u32> {
    (0..32).map(|k| (0..bits).fold(1 << k, |state, _| step(poly, state))).collect()
}

/// The register after a zero bit.
fn step(poly: u32, state: u32) -> u32 {
    state >> 1 ^ if state & 1 == 1 { poly } else { 0 }
}

/// `columns` applied to the set bits of a vector.
fn apply(columns: &[u32], bit: impl Fn(usize) -> bool) -> u32 {
    columns.iter().enumerate().filter(|(k, _)| bit(*k)).fold(0, |sum, (_, column)| sum ^ column)
}

/// `^{...}` of the bits of `din` from `from` up that output `row` depends on. A chain of `^` would break synthesis.
fn row(columns: &[u32], from: usize, row: usize) -> String {
    let taps: Vec<_> = (0..columns.len())
        .rev()
        .filter(|k| columns[*k] >> row & 1 == 1)
        .map(|k| format!("din[{}]", from + k))
        .collect();
    if taps.is_empty() {
        "1'b0".into()
    } else {
        format!("^{{{}}}", taps.join(", "))
    }
}

/// What `W` data bits add to a CRC register of polynomial `POLY` (reflected). Latency: `LATENCY` cycles, 1 or 2.
///
/// One cycle is for up to 72 bits or so; 512 bits at full clock need two. No reset, no enable: it follows its input.
#[derive(LogicBlock, Default)]
pub struct CrcData<const W: usize, const POLY: u32, const LATENCY: usize> {
    pub clk: Signal<In, Clock>,
    pub din: Signal<In, Bits<W>>,
    pub dout: Signal<Out, Bits<32>>,
    _stage: [u32; 1],
}

impl<const W: usize, const POLY: u32, const LATENCY: usize> Logic for CrcData<W, POLY, LATENCY> {
    fn update(&mut self) {
        if self.clk.pos_edge() {
            let din = self.din.val();
            let now = apply(&data_columns(POLY, W), |k| din.get_bit(k));
            let out = if LATENCY == 2 { std::mem::replace(&mut self._stage[0], now) } else { now };
            self.dout.next = bits(out.into());
        }
    }

    fn connect(&mut self) {
        self.dout.connect();
    }

    fn hdl(&self) -> Verilog {
        assert!(LATENCY == 1 || LATENCY == 2, "a latency of {LATENCY} is not built");
        let columns = data_columns(POLY, W);
        // neighbouring bits go together, so that the 32 rows of a part share their sub-terms
        let parts: Vec<_> = columns.chunks(if LATENCY == 2 { 2 * TAPS } else { W }).collect();
        let mut code = String::new();
        let names: Vec<_> = (0..parts.len()).map(|p| format!("part{p}")).collect();
        if LATENCY == 2 {
            code += &format!("reg [31:0] {};\n", names.join(", "));
        }
        code += "always @(posedge clk) begin\n";
        let mut from = 0;
        for (part, name) in parts.iter().zip(&names) {
            let target = if LATENCY == 2 { name } else { "dout" };
            let rows: Vec<_> = (0..32).rev().map(|bit| row(part, from, bit)).collect();
            code += &format!("  {target} <= {{{}}};\n", rows.join(",\n    "));
            from += part.len();
        }
        if LATENCY == 2 {
            code += &format!("  dout <= {};\n", names.join(" ^ "));
        }
        Verilog::Custom(code + "end")
    }
}

/// A CRC register of polynomial `POLY` (reflected) after `BITS` more zero bits. Combinational.
#[derive(LogicBlock, Default)]
pub struct CrcAdvance<const POLY: u32, const BITS: usize> {
    pub din: Signal<In, Bits<32>>,
    pub dout: Signal<Out, Bits<32>>,
}

impl<const POLY: u32, const BITS: usize> Logic for CrcAdvance<POLY, BITS> {
    fn update(&mut self) {
        let din = self.din.val();
        let out = apply(&advance_columns(POLY, BITS), |k| din.get_bit(k));
        self.dout.next = bits(out.into());
    }

    fn connect(&mut self) {
        self.dout.connect();
    }

    fn hdl(&self) -> Verilog {
        let columns = advance_columns(POLY, BITS);
        let rows: Vec<_> = (0..32).rev().map(|bit| row(&columns, 0, bit)).collect();
        Verilog::Custom(format!("always @(*) dout = {{{}}};", rows.join(",\n  ")))
    }
}

/// A CRC register of polynomial `POLY` (reflected) after the lower half of a word of 64 bits, and after all of it.
/// Combinational, four levels.
#[derive(LogicBlock, Default)]
pub struct CrcWord<const POLY: u32> {
    pub state: Signal<In, Bits<32>>,
    pub din: Signal<In, Bits<64>>,
    pub half: Signal<Out, Bits<32>>,
    pub whole: Signal<Out, Bits<32>>,
}

impl<const POLY: u32> Logic for CrcWord<POLY> {
    fn update(&mut self) {
        let (state, din) = (self.state.val(), self.din.val());
        let columns = advance_columns(POLY, 32);
        let half: Bits<32> = bits(apply(&columns, |k| state.get_bit(k) ^ din.get_bit(k)).into());
        let whole = apply(&columns, |k| half.get_bit(k) ^ din.get_bit(32 + k));
        self.half.next = half;
        self.whole.next = bits(whole.into());
    }

    fn connect(&mut self) {
        self.half.connect();
        self.whole.connect();
    }

    fn hdl(&self) -> Verilog {
        let columns = advance_columns(POLY, 32);
        let rows = |of: &str| {
            let taps = |bit: usize| (0..32).rev().filter(move |k| advance_columns(POLY, 32)[*k] >> bit & 1 == 1);
            let row = |bit| taps(bit).map(|k| format!("{of}[{k}]")).collect::<Vec<_>>().join(", ");
            (0..columns.len()).rev().map(|bit| format!("^{{{}}}", row(bit))).collect::<Vec<_>>().join(",\n  ")
        };
        Verilog::Custom(format!(
            "wire [31:0] low = state ^ din[31:0];\nwire [31:0] high = half ^ din[63:32];\n\
             always @(*) half = {{{}}};\nalways @(*) whole = {{{}}};",
            rows("low"),
            rows("high")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use matchrdma_spec::hash::{crc32_update, POLY_IEEE};

    #[test]
    fn columns_add_up_to_the_crc_of_the_bytes() {
        let bytes: Vec<u8> = (0..64).map(|i| (i * 37 + 11) as u8).collect();
        let bit = |k: usize| bytes[k / 8] >> (k % 8) & 1 == 1;
        let state = 0x1234_5678;
        let sum = apply(&data_columns(POLY_IEEE, 512), bit)
            ^ apply(&advance_columns(POLY_IEEE, 512), |k| state >> k & 1 == 1);
        assert_eq!(sum, crc32_update(state, &bytes));
    }
}
