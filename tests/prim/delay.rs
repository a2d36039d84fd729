//! The delay lines: what went in so many cycles ago, exactly.

use crate::harness::Random;

macro_rules! delays {
    ($name:ident, $module:ident, $cycles:literal, $bits:literal, $int:ty) => {
        #[test]
        fn $name() {
            let mut random = Random::new();
            let mut dut = matchrdma_rtl::$module::Dut::new();
            let mut past: Vec<$int> = vec![];
            let mut reset_at = 0;
            for cycle in 0..5000usize {
                let rst = cycle == 0 || cycle == 2500;
                let din = random.bits($bits) as $int;
                dut.set_rst(rst.into());
                dut.set_din(din);
                dut.settle();
                if let Some(then) = cycle.checked_sub($cycles) {
                    assert_eq!(dut.dout(), past[then], "cycle {cycle}");
                }
                // settled: the word coming out went in after the last reset
                let settled = cycle > reset_at + $cycles && cycle != 0;
                if cycle != reset_at {
                    assert_eq!(dut.settled() == 1, settled, "settled, cycle {cycle}");
                }
                past.push(din);
                if rst {
                    reset_at = cycle;
                }
                dut.rise();
            }
        }
    };
}

delays!(five_cycles_in_lookup_tables, delay_lut, 5, 8, u32);
delays!(two_hundred_cycles_in_block_ram, delay_block, 200, 40, u64);
delays!(as_many_cycles_as_the_ring_can_hold, delay_longest, 17, 8, u32);
delays!(as_few_cycles_as_the_ring_can_do, delay_shortest, 2, 8, u32);
