//! Quotients against `/`.

use crate::harness::Random;
use matchrdma_rtl::reservoir_divide::Dut;

#[test]
fn quotients_are_rounded_down_and_take_44_cycles() {
    let mut random = Random::new();
    let mut dut = Dut::new();
    dut.set_rst(1);
    dut.tick();
    dut.set_rst(0);
    for n in 0..20_000u32 {
        let (bits, bits_by) = (1 + random.below(44) as u32, 1 + random.below(12) as u32);
        let (dividend, by) = match n {
            0 => ((1 << 44) - 1, 4095),
            1 => ((1 << 44) - 1, 1),
            2 => (0, 4095),
            _ => (random.bits(bits), (random.bits(bits_by)).max(1) as u32),
        };
        dut.set_dividend(dividend);
        dut.set_divisor(by);
        dut.set_go(1);
        dut.tick();
        dut.set_go(0);
        dut.set_dividend(random.bits(44));
        dut.set_divisor(random.bits(12) as u32);
        for cycle in 1..=45 {
            dut.settle();
            assert_eq!(dut.busy() == 1, cycle <= 44, "cycle {cycle}");
            if cycle <= 44 {
                dut.rise();
            }
        }
        assert_eq!(dut.quotient(), dividend / u64::from(by), "{dividend} / {by}");
    }
}
