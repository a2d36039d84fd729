//! `arrivals`: what each frame brings, and budget frames whole, whatever else comes.

use crate::harness::frame::{beats, Beat};
use crate::harness::Random;
use matchrdma_model::arrivals::{told, Told};
use matchrdma_model::parse::Arrival;
use matchrdma_rtl::arrivals::Dut;
use matchrdma_spec::params::QUEUES;
use matchrdma_spec::wire::budget::{BYTES, MAGIC_VALUE};
use std::collections::VecDeque;

fn budget_frame(length: usize, random: &mut Random) -> Vec<u8> {
    let mut frame = random.bytes(length);
    frame[12..14].copy_from_slice(&[0x88, 0xb5]);
    frame[14..18].copy_from_slice(&MAGIC_VALUE.to_be_bytes());
    frame
}

/// `waited` as one number: data, bytes, first, last, valid.
fn packed(beat: Option<Beat>, random: &mut Random) -> [u32; 17] {
    let mut all = [0; 17];
    let noise: [u32; 16] = random.words(512);
    all[..16].copy_from_slice(&beat.map_or(noise, |b| b.data));
    all[16] =
        beat.map_or(random.bits(9) as u32, |b| b.bytes | u32::from(b.first) << 7 | u32::from(b.last) << 8 | 1 << 9);
    all
}

#[test]
fn what_comes_is_told_in_order_and_budgets_are_whole() {
    let mut random = Random::new();
    let overhead = random.bits(8) as u8;
    let mut dut = Dut::new();
    dut.set_overhead(overhead.into());
    dut.set_rst(1);
    dut.tick();
    dut.set_rst(0);
    let mut rest: VecDeque<Beat> = VecDeque::new();
    let mut now: Option<(Vec<u8>, bool, usize, bool)> = None;
    // beats on their way from the op to the verdict; cycles in which something is due
    let mut late: VecDeque<Option<Beat>> = vec![None; 2].into();
    let mut due: VecDeque<(u64, Told, Vec<u8>)> = VecDeque::new();
    let (mut came, mut good, mut bad) = (0, 0, 0);
    for cycle in 0..200_000u64 {
        if rest.is_empty() && random.chance(3, 4) {
            let is_budget = random.chance(1, 2);
            let length = match is_budget {
                true => random.pick(&[BYTES, BYTES, BYTES, 60, BYTES - 1, BYTES + 1, 64, 192]),
                false => 60 + random.below(200) as usize,
            };
            let frame = if is_budget { budget_frame(length, &mut random) } else { random.bytes(length) };
            let queue = if is_budget { QUEUES - 1 } else { random.below(QUEUES as u64) as usize };
            rest = beats(&frame).into();
            now = Some((frame, random.chance(1, 8), queue, is_budget));
        }
        let beat = if random.chance(7, 8) { rest.pop_front() } else { None };
        late.push_back(beat);
        dut.set_op_valid(0);
        dut.set_op_queue(random.bits(5) as u32);
        dut.set_op_bytes(random.bits(13) as u32);
        dut.set_op_budget(random.bits(1) as u32);
        dut.set_op_err(random.bits(1) as u32);
        if beat.is_some_and(|beat| beat.last) {
            let (frame, err, queue, is_budget) = now.take().expect("a frame is here");
            dut.set_op_valid(1);
            dut.set_op_queue(queue as u32);
            dut.set_op_bytes(frame.len() as u32);
            dut.set_op_budget(is_budget.into());
            dut.set_op_err(err.into());
            let told = told(&Arrival::new(&frame, err), queue, &frame, overhead);
            let after = if matches!(told, Told::Came(..)) { 4 } else { 3 };
            due.push_back((cycle + after, told, frame));
        }
        let waited = late.pop_front().expect("two are on their way");
        dut.set_waited(packed(waited, &mut random));
        dut.settle();
        let (mut comes, mut frames) = (dut.came_valid() == 1, dut.frame_valid() == 1);
        for (_, told, frame) in due.iter().filter(|entry| entry.0 == cycle) {
            match told {
                Told::Came(path, bytes) => {
                    assert!(std::mem::take(&mut comes), "bytes came");
                    assert_eq!((dut.came_path() as usize, u64::from(dut.came_bytes())), (*path, *bytes));
                    came += 1;
                }
                Told::Budget(damaged) => {
                    assert!(std::mem::take(&mut frames), "a budget frame came");
                    assert_eq!(dut.bad() == 1, *damaged, "{} bytes", frame.len());
                    if *damaged {
                        bad += 1;
                    } else {
                        let shown: Vec<u8> = dut.frame().iter().flat_map(|w| w.to_le_bytes()).collect();
                        assert_eq!(&shown, frame);
                        // all that came before it has been told, in an earlier cycle
                        let told =
                            |entry: &&(u64, Told, Vec<u8>)| matches!(entry.1, Told::Came(..)) && entry.0 >= cycle;
                        let after = due.iter().position(|entry| std::ptr::eq(&entry.2, frame)).expect("it is there");
                        assert_eq!(due.iter().take(after).filter(told).count(), 0, "told too late");
                        good += 1;
                    }
                }
                Told::Nothing => {}
            }
        }
        assert!(!comes && !frames, "nothing else is told");
        due.retain(|entry| entry.0 > cycle);
        dut.rise();
    }
    println!("{came} frames of paths, {good} good budget frames, {bad} bad ones");
    assert!(came > 5000 && good > 5000 && bad > 5000);
}
