//! Network order, once.
//!
//! Byte 0 of a frame is bits 7:0 of a beat, so a big-endian field lies byte-reversed in it. [`Swap`] reverses the
//! bytes of a whole window; after it, the field of `n` bytes at byte offset `o` of a window of `B` bits is the plain
//! slice `get_bits::<8n>(B - 8 * (o + n))`, most significant byte first.

use rust_hdl::prelude::*;

/// `dout` is `din` with its bytes in reverse order: wires only, no latency. `B` is a multiple of 8.
#[derive(LogicBlock, Default)]
pub struct Swap<const B: usize> {
    pub din: Signal<In, Bits<B>>,
    pub dout: Signal<Out, Bits<B>>,
}

impl<const B: usize> Logic for Swap<B> {
    fn update(&mut self) {
        let din = self.din.val();
        let mut dout = Bits::<B>::default();
        for bit in 0..B {
            dout = dout.replace_bit(B - 8 - bit / 8 * 8 + bit % 8, din.get_bit(bit));
        }
        self.dout.next = dout;
    }

    fn connect(&mut self) {
        self.dout.connect();
    }

    fn hdl(&self) -> Verilog {
        assert!(B.is_multiple_of(8) && B > 0, "{B} bits are no whole bytes");
        let bytes: Vec<_> = (0..B / 8).map(|byte| format!("din[{}:{}]", 8 * byte + 7, 8 * byte)).collect();
        Verilog::Custom(format!("always @(*) dout = {{{}}};", bytes.join(", ")))
    }
}
