//! Network order.

use crate::harness::Random;

#[test]
fn a_swapped_window_has_byte_0_on_top() {
    let mut random = Random::new();
    let mut dut = matchrdma_rtl::swap_window::Dut::new();
    for _ in 0..100 {
        let bytes = random.bytes(128);
        dut.set_din(std::array::from_fn(|w| u32::from_le_bytes(std::array::from_fn(|b| bytes[4 * w + b]))));
        dut.eval();
        let out: Vec<u8> = dut.dout().iter().rev().flat_map(|w| w.to_be_bytes()).collect();
        assert_eq!(out, bytes);
    }
}
