//! Comparisons of wide words in one carry chain: three bits of each per step, two lookup tables where order is asked
//! for, one where only equality is.

use rust_hdl::prelude::*;

/// Bits per step: those of both words fill a table of six inputs.
const STEP: usize = 3;

/// The steps of `bits` bits, the lowest first.
fn steps(bits: usize) -> Vec<String> {
    (0..bits).step_by(STEP).map(|low| format!("{}:{low}", bits.min(low + STEP) - 1)).collect()
}

/// One bit per step, the highest first.
fn per_step(bits: usize, what: impl Fn(&str) -> String) -> String {
    let all: Vec<_> = steps(bits).iter().rev().map(|step| what(step)).collect();
    format!("{{{}}}", all.join(",\n  "))
}

/// `same`: `a == b`. No latency.
#[derive(LogicBlock, Default)]
pub struct Same<const W: usize> {
    pub a: Signal<In, Bits<W>>,
    pub b: Signal<In, Bits<W>>,
    pub same: Signal<Out, Bit>,
}

impl<const W: usize> Logic for Same<W> {
    fn update(&mut self) {
        self.same.next = self.a.val() == self.b.val();
    }

    fn connect(&mut self) {
        self.same.connect();
    }

    fn hdl(&self) -> Verilog {
        let n = steps(W).len();
        let same = per_step(W, |step| format!("a[{step}] == b[{step}]"));
        // a carry comes in, and goes on where a step has only ones
        Verilog::Custom(format!(
            "wire [{top}:0] steps = {same};\n\
             wire [{n}:0] chain = {{1'b0, steps}} + 1'b1;\n\
             always @(*) same = chain[{n}];",
            top = n - 1
        ))
    }
}

/// `reaches`: `a >= b`. No latency.
#[derive(LogicBlock, Default)]
pub struct Reaches<const W: usize> {
    pub a: Signal<In, Bits<W>>,
    pub b: Signal<In, Bits<W>>,
    pub reaches: Signal<Out, Bit>,
}

impl<const W: usize> Logic for Reaches<W> {
    fn update(&mut self) {
        self.reaches.next = self.a.val() >= self.b.val();
    }

    fn connect(&mut self) {
        self.reaches.connect();
    }

    fn hdl(&self) -> Verilog {
        let n = steps(W).len();
        let more = per_step(W, |step| format!("a[{step}] > b[{step}]"));
        let same = per_step(W, |step| format!("a[{step}] == b[{step}]"));
        // a step with more makes a carry, one with the same lets it through
        Verilog::Custom(format!(
            "wire [{top}:0] more = {more};\n\
             wire [{top}:0] same = {same};\n\
             wire [{n}:0] chain = {{1'b0, more}} + {{1'b0, more | same}} + 1'b1;\n\
             always @(*) reaches = chain[{n}];",
            top = n - 1
        ))
    }
}
