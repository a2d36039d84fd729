//! The memories against a plain array.

use crate::harness::Random;

/// Writes and reads at random, mostly near each other, so that the two ports often meet.
macro_rules! against_array {
    ($name:ident, $module:ident, $address_bits:literal, $word:ty, $draw:expr) => {
        #[test]
        fn $name() {
            let mut random = Random::new();
            let mut dut = matchrdma_rtl::$module::Dut::new();
            let draw: fn(&mut Random) -> $word = $draw;
            let mut words = vec![<$word>::default(); 1 << $address_bits];
            let mut met = 0;
            for cycle in 0..8000u64 {
                let base = cycle >> 4;
                let address = |random: &mut Random| (base + random.below(4)) as usize % (1 << $address_bits);
                let (raddr, waddr) = (address(&mut random), address(&mut random));
                let (we, wdata) = (random.chance(1, 2), draw(&mut random));
                dut.set_raddr(raddr as u32);
                dut.set_waddr(waddr as u32);
                dut.set_we(we.into());
                dut.set_wdata(wdata);
                dut.tick();
                assert_eq!(dut.rdata(), words[raddr], "cycle {cycle}");
                met += usize::from(we && raddr == waddr);
                if we {
                    words[waddr] = wdata;
                }
            }
            assert!(met > 500, "the ports met {met} times only");
        }
    };
}

against_array!(block_ram_is_an_array_read_before_written, ram_block, 8, [u32; 3], |r| r.words(72));
against_array!(ultra_ram_is_an_array_read_before_written, ram_ultra, 12, [u32; 3], |r| r.words(72));
against_array!(ram_in_lookup_tables_is_an_array_read_before_written, ram_lut, 5, u64, |r| r.bits(33));
