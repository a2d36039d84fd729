//! `ecn` against the model, frame by frame, and the checksum against one computed from nothing.

use crate::harness::frame::{beats, bytes};
use crate::harness::{roce, Random};
use matchrdma_model::ecn::clear;
use matchrdma_rtl::ecn::Dut;
use std::collections::VecDeque;

/// A frame of any kind, most of them IP, some nearly.
fn any_frame(random: &mut Random) -> Vec<u8> {
    let mut frame = random.bytes(12);
    for _ in 0..random.pick(&[0, 0, 0, 1, 2, 3]) {
        frame.extend(random.pick(&[[0x81, 0], [0x88, 0xa8]]));
        frame.extend(random.bytes(2));
    }
    let v6 = random.chance(1, 2);
    frame.extend(if random.chance(1, 10) {
        [random.bits(8) as u8, random.bits(8) as u8]
    } else if v6 {
        [0x86, 0xdd]
    } else {
        [8, 0]
    });
    let length = 20 + random.below(300) as usize;
    let mut ip = random.bytes(length);
    ip[0] = if random.chance(1, 10) {
        ip[0]
    } else if v6 {
        0x60 | ip[0] & 15
    } else {
        0x45
    };
    if random.chance(9, 10) {
        let sum = checksum(&ip[..20]);
        ip[10..12].copy_from_slice(&sum.to_be_bytes());
    }
    if random.chance(1, 30) {
        // the sum without ECN is all ones, which stand for zero
        let sum = 0xffff - u16::from(ip[1] & 3);
        ip[10..12].copy_from_slice(&sum.to_be_bytes());
    }
    frame.extend(ip);
    if random.chance(1, 10) {
        frame.truncate(1 + random.below(70) as usize);
    }
    frame
}

/// The checksum of an IPv4 header, whatever stands in its place.
fn checksum(header: &[u8]) -> u16 {
    let word = |i: usize| u32::from(header[2 * i]) << 8 | u32::from(header[2 * i + 1]);
    let sum: u32 = (0..10).filter(|i| *i != 5).map(word).sum();
    let sum = (sum & 0xffff) + (sum >> 16);
    !(((sum & 0xffff) + (sum >> 16)) as u16)
}

/// A valid beat: data, bytes, first, last.
type Shown = ([u32; 16], u32, bool, bool);

/// As the port has it.
fn pack((data, bytes, first, last): Shown) -> [u32; 17] {
    let rest = bytes | u32::from(first) << 7 | u32::from(last) << 8 | 1 << 9;
    std::array::from_fn(|i| if i < 16 { data[i] } else { rest })
}

fn unpack(beat: [u32; 17]) -> Option<Shown> {
    let data = std::array::from_fn(|i| beat[i]);
    let rest = beat[16];
    Some((data, rest & 0x7f, rest >> 7 & 1 == 1, rest >> 8 & 1 == 1)).filter(|_| rest >> 9 & 1 == 1)
}

#[test]
fn every_frame_of_a_path_that_says_so_loses_its_ecn_and_no_other() {
    let mut random = Random::new();
    let mut dut = Dut::new();
    let mut coming: VecDeque<_> = VecDeque::new();
    let mut expected: VecDeque<Vec<u8>> = VecDeque::new();
    let (mut queue, mut partial, mut paths) = (0u32, Vec::new(), 0u32);
    let mut in_flight: VecDeque<bool> = [false; 2].into();
    let (mut cleared, mut frames, mut starts) = (0, 0, false);
    for cycle in 0..300_000u32 {
        if coming.is_empty() {
            paths = if random.chance(1, 8) { random.bits(16) as u32 } else { paths };
            if random.chance(2, 3) {
                let frame = any_frame(&mut random);
                queue = random.below(17) as u32;
                coming = beats(&frame).into();
                starts = true;
                let mut after = frame.clone();
                if queue < 16 && paths >> queue & 1 == 1 {
                    clear(&mut after);
                }
                cleared += u32::from(after != frame);
                let l3 = 14;
                if after != frame
                    && frame[12..15] == [8, 0, 0x45]
                    && checksum(&frame[l3..l3 + 20]) == u16::from_be_bytes([frame[24], frame[25]])
                {
                    assert_eq!(
                        checksum(&after[l3..l3 + 20]),
                        u16::from_be_bytes([after[24], after[25]]),
                        "cycle {cycle}"
                    );
                }
                expected.push_back(after);
            }
        } else if random.chance(1, 20) {
            // levels move while a frame passes: its first beat has decided
            paths ^= 1 << random.below(16);
        }
        let first = std::mem::take(&mut starts);
        let beat = coming.pop_front();
        dut.set_clear(paths);
        dut.set_queue_in(queue);
        dut.set_beat_in(match &beat {
            Some(b) => pack((b.data, b.bytes, first, b.last)),
            None => random.words(521),
        });
        dut.settle();
        in_flight.push_back(beat.is_some());
        let out = unpack(dut.beat_out());
        assert_eq!(out.is_some(), in_flight.pop_front().unwrap_or(false), "cycle {cycle}");
        if let Some((data, count, first, last)) = out {
            assert_eq!(first, partial.is_empty());
            partial.extend(bytes(data, count));
            if last {
                assert_eq!(partial, expected.pop_front().unwrap(), "cycle {cycle}");
                partial.clear();
                frames += 1;
            }
        }
        dut.rise();
    }
    println!("{frames} frames, {cleared} changed");
    assert!(frames > 30_000 && cleared > 3000);
}

/// What a RoCE frame is after it: whole, to a parser of the tests' own.
#[test]
fn a_marked_roce_frame_arrives_whole() {
    let mut frame = roce::build(1, 2, 0x0a, 5, 77, true, &[9; 40]);
    frame[15] |= 3;
    let sum = checksum(&frame[14..34]);
    frame[24..26].copy_from_slice(&sum.to_be_bytes());
    clear(&mut frame);
    let seen = roce::parse(&frame).unwrap();
    assert!(seen.icrc_ok && seen.checksum_ok && seen.tos & 3 == 0);
}
