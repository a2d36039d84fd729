//! Tags and CRCs of budget frames, gates against `spec`.

use crate::harness::Random;
use matchrdma_rtl::seal::Dut;
use matchrdma_spec::wire::budget::{self, BYTES, CRC, TAG};

/// Cycles from `go` to `done`.
const TAKES: u32 = 36;

fn words<const N: usize>(bytes: &[u8]) -> [u32; N] {
    core::array::from_fn(|i| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().unwrap()))
}

/// Tag, CRC, and whether those of the frame are right.
fn seal(dut: &mut Dut, frame: &[u8], key: &[u8; 16], check: bool) -> (u64, u32, bool, bool) {
    dut.set_frame(words::<{ BYTES / 4 }>(frame));
    dut.set_key(words::<4>(key));
    dut.set_check(check.into());
    dut.set_go(1);
    dut.tick();
    dut.set_go(0);
    for cycle in 1..=TAKES {
        dut.settle();
        assert_eq!(dut.done() == 1, cycle == TAKES, "cycle {cycle}");
        if cycle < TAKES {
            dut.rise();
        }
    }
    let seen = (dut.tag(), dut.crc(), dut.tag_ok() == 1, dut.crc_ok() == 1);
    dut.rise();
    seen
}

#[test]
fn what_is_made_is_right_and_what_is_wrong_is_seen() {
    let mut random = Random::new();
    let mut dut = Dut::new();
    dut.set_rst(1);
    dut.tick();
    dut.set_rst(0);
    let mut wrong = [0; 3];
    for round in 0..20_000 {
        let mut frame = random.bytes(BYTES);
        let key: [u8; 16] = if random.chance(1, 8) { budget::ZERO_KEY } else { random.bytes(16).try_into().unwrap() };
        let (tag, crc, ..) = seal(&mut dut, &frame, &key, false);
        budget::seal(&mut frame, &key);
        assert_eq!((u128::from(tag), u128::from(crc)), (TAG.get(&frame), CRC.get(&frame)), "round {round}");
        // now as it might come from the line
        if random.chance(1, 2) {
            let bit = random.below(8 * BYTES as u64) as usize;
            frame[bit / 8] ^= 1 << (bit % 8);
        }
        if random.chance(1, 2) {
            let crc = budget::crc(&frame);
            CRC.set(&mut frame, crc.into());
        }
        let (_, crc, tag_ok, crc_ok) = seal(&mut dut, &frame, &key, true);
        assert_eq!((tag_ok, crc_ok), (budget::tag_ok(&frame, &key), budget::crc_ok(&frame)), "round {round}");
        assert_eq!(crc, budget::crc(&frame));
        wrong[0] += u32::from(!tag_ok && crc_ok);
        wrong[1] += u32::from(tag_ok && !crc_ok);
        wrong[2] += u32::from(!tag_ok && !crc_ok);
    }
    println!("wrong tag {}, wrong CRC {}, both {}", wrong[0], wrong[1], wrong[2]);
    assert!(wrong.iter().all(|n| *n > 100));
}
