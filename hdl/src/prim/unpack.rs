//! Plain bits seen as a record again.

use rust_hdl::prelude::*;
use std::marker::PhantomData;

/// `dout` is the record whose packed form is `din` (first field at bit 0). Wires only.
///
/// rust-hdl turns a `LogicStruct` into `Bits` but has no way back, and a RAM or FIFO carries `Bits`.
#[derive(LogicBlock)]
pub struct Unpack<const W: usize, T: Synth> {
    pub din: Signal<In, Bits<W>>,
    pub dout: Signal<Out, T>,
    _record: PhantomData<T>,
}

impl<const W: usize, T: Synth> Default for Unpack<W, T> {
    fn default() -> Self {
        assert_eq!(W, T::BITS, "a record of another width");
        Self { din: Default::default(), dout: Default::default(), _record: PhantomData }
    }
}

impl<const W: usize, T: Synth> Logic for Unpack<W, T> {
    // Only the emitted Verilog is ever run: a record cannot be built from bits in rust-hdl.
    fn update(&mut self) {}

    fn connect(&mut self) {
        self.dout.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom("always @(*) dout = din;".to_string())
    }
}
