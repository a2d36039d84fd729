//! The XOR networks against the byte-wise CRC, and against one that shares nothing with this project.

use crate::harness::Random;
use matchrdma_spec::hash::{crc32_update, POLY_CASTAGNOLI};

/// Drives random words through a pipelined network and compares `latency` cycles later.
macro_rules! data_term {
    ($name:ident, $module:ident, $words:literal, $bits:literal, $latency:literal, $crc:expr) => {
        #[test]
        fn $name() {
            let mut random = Random::new();
            let mut dut = matchrdma_rtl::$module::Dut::new();
            let mut expected = std::collections::VecDeque::from([None; $latency]);
            let crc: fn(&[u8]) -> u32 = $crc;
            for cycle in 0..4000 {
                // one bit at a time first: every tap on its own
                let din: [u32; $words] = if cycle < $bits {
                    std::array::from_fn(|w| if cycle / 32 == w { 1 << (cycle % 32) } else { 0 })
                } else {
                    random.words($bits)
                };
                let bytes: Vec<u8> = din.iter().flat_map(|w| w.to_le_bytes()).take($bits / 8).collect();
                expected.push_back(Some(crc(&bytes)));
                dut.set_din(din);
                dut.settle();
                if let Some(crc) = expected.pop_front().flatten() {
                    assert_eq!(dut.dout(), crc, "cycle {cycle}");
                }
                dut.rise();
            }
        }
    };
}

data_term!(a_beat_adds_what_its_64_bytes_add, crc_ieee, 16, 512, 2, |bytes| crc32_update(0, bytes));
data_term!(a_flow_key_is_hashed_by_castagnoli, crc_castagnoli, 10, 312, 2, |bytes| bitwise(POLY_CASTAGNOLI, 0, bytes));

#[test]
fn a_word_takes_one_cycle() {
    let mut random = Random::new();
    let mut dut = matchrdma_rtl::crc_word::Dut::new();
    for _ in 0..1000 {
        let din = random.u32();
        dut.set_din(din);
        dut.tick();
        assert_eq!(dut.dout(), crc32_update(0, &din.to_le_bytes()));
    }
}

#[test]
fn a_state_moves_on_by_64_zero_bytes() {
    let mut random = Random::new();
    let mut dut = matchrdma_rtl::crc_advance::Dut::new();
    for _ in 0..1000 {
        let state = random.u32();
        dut.set_din(state);
        dut.eval();
        assert_eq!(dut.dout(), crc32_update(state, &[0; 64]));
    }
}

/// One bit at a time, as the standard defines it.
fn bitwise(poly: u32, mut state: u32, bytes: &[u8]) -> u32 {
    for byte in bytes {
        state ^= u32::from(*byte);
        for _ in 0..8 {
            state = if state & 1 == 1 { state >> 1 ^ poly } else { state >> 1 };
        }
    }
    state
}
