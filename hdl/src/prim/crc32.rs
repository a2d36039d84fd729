//! CRC-32 as XOR networks.
//!
//! A reflected CRC is linear: the register after `W` bits is *advance(state)* XOR *data(bits)*.
//! [`CrcData`] is the second term, pipelined, since no state waits for it; [`CrcAdvance`] is the first, 32 bits wide,
//! small enough for the one cycle that a running CRC has. With no initial value and no final inversion, `CrcData`
//! alone is also a hash.
//!
//! Wide data is first folded: a multiple of the polynomial with few terms says where else each of its high bits may
//! stand, so a few XORs per bit make it much shorter, and only what is left goes through the dense matrix.
//!
//! Bit 0 of the data goes first: byte 0 of a beat, least significant bit first, as on the wire.

use matchrdma_spec::hash::{POLY_CASTAGNOLI, POLY_IEEE};
use rust_hdl::prelude::*;
use std::collections::BTreeMap;

/// Multiples of a polynomial that have few terms: their exponents, the largest first. Data is folded by each in turn.
/// The smallest number of terms there is at about half the length of the one before, found by search.
fn multiples(poly: u32) -> &'static [&'static [usize]] {
    match poly {
        POLY_IEEE => &[&[300, 155, 117, 89, 0], &[185, 93, 54, 46, 20, 19, 0], &[85, 48, 41, 39, 17, 13, 6, 3, 0]],
        POLY_CASTAGNOLI => &[&[229, 137, 125, 54, 52, 49, 23, 0]],
        _ => &[],
    }
}

/// Folds before the first register.
const FOLDS: usize = 2;

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

/// `^{...}` of the bits of `din` that output `row` depends on. A chain of `^` would break synthesis.
fn row(columns: &[u32], row: usize) -> String {
    let taps: Vec<_> =
        (0..columns.len()).rev().filter(|k| columns[*k] >> row & 1 == 1).map(|k| format!("din[{k}]")).collect();
    if taps.is_empty() {
        "1'b0".into()
    } else {
        format!("^{{{}}}", taps.join(", "))
    }
}

/// Data bits as a polynomial times x^32, by exponent; what is there is named, zeros are not listed.
struct Folded {
    terms: BTreeMap<usize, String>,
    code: String,
}

impl Folded {
    fn new(bits: usize) -> Self {
        Self { terms: (0..bits).map(|k| (bits + 31 - k, format!("din[{k}]"))).collect(), code: String::new() }
    }

    /// By one multiple: what stands at its largest exponent or above is moved down.
    fn fold(&mut self, multiple: &[usize]) {
        let (largest, others) = (multiple[0], &multiple[1..]);
        let mut sums: BTreeMap<usize, Vec<String>> =
            std::mem::take(&mut self.terms).into_iter().map(|(at, name)| (at, vec![name])).collect();
        while let Some((at, names)) = sums.pop_last() {
            let name = if names.len() == 1 { names[0].clone() } else { format!("by{largest}_{at}") };
            if names.len() > 1 {
                self.code += &format!("wire {name} = ^{{{}}};\n", names.join(", "));
            }
            if at < largest {
                self.terms.insert(at, name);
                continue;
            }
            for other in others {
                sums.entry(at - largest + other).or_default().push(name.clone());
            }
        }
    }

    /// A register behind it. Gives the statement that loads it.
    fn register(&mut self) -> String {
        let names: Vec<_> = self.terms.values().rev().cloned().collect();
        self.code += &format!("reg [{}:0] folded;\n", names.len() - 1);
        self.terms.values_mut().enumerate().for_each(|(bit, name)| *name = format!("folded[{bit}]"));
        format!("folded <= {{{}}};\n", names.join(", "))
    }

    /// Bit `bit` of the CRC register.
    fn row(&self, poly: u32, bit: usize) -> String {
        let taps: Vec<_> = self
            .terms
            .iter()
            .filter(|(at, _)| (0..**at).fold(1 << 31, |power, _| step(poly, power)) >> bit & 1 == 1)
            .map(|(_, name)| name.as_str())
            .collect();
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
        if LATENCY == 1 {
            let columns = data_columns(POLY, W);
            let rows: Vec<_> = (0..32).rev().map(|bit| row(&columns, bit)).collect();
            return Verilog::Custom(format!("always @(posedge clk) dout <= {{{}}};", rows.join(",\n  ")));
        }
        let mut data = Folded::new(W);
        let fits = multiples(POLY).iter().filter(|multiple| multiple[0] < W);
        let (first, second): (Vec<_>, Vec<_>) = fits.enumerate().partition(|(number, _)| *number < FOLDS);
        first.iter().for_each(|(_, multiple)| data.fold(multiple));
        let load = data.register();
        second.iter().for_each(|(_, multiple)| data.fold(multiple));
        let rows: Vec<_> = (0..32).rev().map(|bit| data.row(POLY, bit)).collect();
        let code = data.code;
        Verilog::Custom(format!(
            "{code}always @(posedge clk) begin\n  {load}  dout <= {{{}}};\nend",
            rows.join(",\n    ")
        ))
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
        let rows: Vec<_> = (0..32).rev().map(|bit| row(&columns, bit)).collect();
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
    use matchrdma_spec::hash::crc32_update;

    #[test]
    fn what_data_is_folded_by_is_a_multiple_of_its_polynomial() {
        for poly in [POLY_IEEE, POLY_CASTAGNOLI] {
            assert!(!multiples(poly).is_empty());
            for multiple in multiples(poly) {
                let power = |at: usize| (0..at).fold(1u32 << 31, |power, _| step(poly, power));
                assert_eq!(multiple.iter().fold(0, |sum, at| sum ^ power(*at)), 0, "{multiple:?}");
            }
        }
    }

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
