//! `drain` against the model, slot by slot.

use crate::harness::Random;
use matchrdma_model::drain::Drain;
use matchrdma_rtl::drain::Dut;
use std::collections::VecDeque;

/// What a cycle is like.
#[derive(Clone, Copy, Default)]
struct Cycle {
    left: Option<(bool, u64, bool)>,
    path: usize,
    backlog: bool,
    paused: bool,
}

#[test]
fn every_byte_and_every_cycle_counts_in_one_slot() {
    let mut random = Random::new();
    let overhead = random.bits(8) as u8;
    let (mut dut, mut model) = (Dut::new(), Drain::default());
    dut.set_overhead(overhead.into());
    model.set_overhead(overhead);
    dut.set_rst(1);
    dut.tick();
    dut.set_rst(0);
    // the gates are two cycles late
    let mut past: VecDeque<Cycle> = VecDeque::new();
    let (mut backlogged, mut not, mut before) = (0, 0, false);
    // of each path, by the beats that are told, and by those that left
    let (mut told, mut of_path) = ([0u64; 16], [0u64; 16]);
    for slot in 0..3000 {
        let length = random.pick(&[1, 7, 8, 9, 64, 200, 1024]);
        // slots that are near the threshold, and others
        let idle = random.pick(&[0, 1, length / 8, length / 8 + 1, length / 2]).min(length);
        let mut lacks: Vec<bool> = (0..length).map(|i| i < idle).collect();
        for i in (1..lacks.len()).rev() {
            lacks.swap(i, random.below(i as u64 + 1) as usize);
        }
        let (busy, pauses) = (random.below(4), random.below(4));
        for (i, lacks) in lacks.iter().enumerate() {
            let left = random.chance(busy, 3).then(|| (random.chance(1, 2), 1 + random.below(64), random.chance(1, 3)));
            let cycle =
                Cycle { left, path: random.below(16) as usize, backlog: !lacks, paused: random.chance(pauses, 3) };
            past.push_back(cycle);
            let (path, bytes, last) = left.unwrap_or((random.chance(1, 2), random.bits(6), random.chance(1, 2)));
            dut.set_left_valid(left.is_some().into());
            dut.set_left_path(path.into());
            dut.set_left_number(cycle.path as u32);
            dut.set_left_bytes(bytes as u32);
            dut.set_left_last(last.into());
            // of the cycle before
            dut.set_backlog(before.into());
            before = cycle.backlog;
            dut.set_paused(cycle.paused.into());
            let ends = i + 1 == length;
            dut.set_slot_end(ends.into());
            dut.settle();
            while past.len() > 2 {
                let Cycle { left, path, backlog, paused } = past.pop_front().expect("it is there");
                model.cycles(1, backlog, paused);
                if let Some((of_one, bytes, last)) = left {
                    model.left(of_one, bytes, last);
                    of_path[path] += if !of_one { 0 } else { bytes + if last { overhead.into() } else { 0 } };
                }
            }
            if ends {
                assert!(slot == 0 || told == of_path, "slot {slot}: {told:?}, {of_path:?}");
                (told, of_path) = ([0; 16], [0; 16]);
            }
            if dut.beat_valid() == 1 {
                told[dut.beat_path() as usize] += u64::from(dut.beat_bytes());
            }
            if ends && slot > 0 {
                let expected = model.slot();
                let seen = (u64::from(dut.drained()), u64::from(dut.other()), u64::from(dut.paused_cycles()));
                assert_eq!(seen, (expected.drained, expected.other, expected.paused), "slot {slot}");
                assert_eq!(dut.backlogged() == 1, expected.backlogged, "slot {slot} of {length}, {idle} idle");
                backlogged += usize::from(expected.backlogged);
                not += usize::from(!expected.backlogged);
            } else if ends {
                model.slot();
            }
            dut.rise();
        }
    }
    assert!(backlogged > 500 && not > 500, "{backlogged} of {}", backlogged + not);
}
