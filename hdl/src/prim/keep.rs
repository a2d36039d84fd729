//! A beat's byte count as AXI4-Stream's byte mask.

use rust_hdl::prelude::*;

/// `mask` has its low `bytes` bits set, `bytes` at most 64: no latency.
#[derive(LogicBlock, Default)]
pub struct Keep {
    pub bytes: Signal<In, Bits<7>>,
    pub mask: Signal<Out, Bits<64>>,
}

impl Logic for Keep {
    fn update(&mut self) {
        let bytes = self.bytes.val().index();
        self.mask.next = bits(if bytes >= 64 { u64::MAX } else { (1 << bytes) - 1 });
    }

    fn connect(&mut self) {
        self.mask.connect();
    }

    fn hdl(&self) -> Verilog {
        // one comparison with a constant per bit: two levels of lookup tables, where a shift would take four
        let lanes: Vec<_> = (0..64).rev().map(|lane| format!("bytes > 7'd{lane}")).collect();
        Verilog::Custom(format!("always @(*) mask = {{{}}};", lanes.join(", ")))
    }
}
