//! The MAC's port: what passes is whole frames, and a frame that was cut ends with an error mark.

use crate::harness::{grid, Random};
use matchrdma_rtl::axis::{beats, Frame};
use matchrdma_rtl::mac_guard::Dut;
use std::collections::VecDeque;

/// What passed in a cycle: bytes, error mark, end.
fn passed(dut: &Dut) -> Option<(Vec<u8>, u32, bool)> {
    (dut.pass() == 1).then(|| {
        let bytes: Vec<u8> = dut.tdata().iter().flat_map(|w| w.to_le_bytes()).collect();
        (bytes[..dut.tkeep().count_ones() as usize].to_vec(), dut.tuser(), dut.tlast() == 1)
    })
}

#[test]
fn whatever_the_room_frames_are_whole_or_marked_or_gone() {
    let mut random = Random::new();
    let (mut whole, mut marked, mut gone) = (0, 0, 0);
    for (stall_in, stall_out) in grid() {
        let mut dut = Dut::new();
        let mut port = VecDeque::new();
        let mut sent = VecDeque::new();
        for _ in 0..400 {
            let size = random.pick(&[16, 60, 64, 65, 128, 130, 300, 1500]);
            let frame = Frame { bytes: random.bytes(size), user: random.bits(1) as u32 };
            port.extend(beats(&frame));
            sent.push_back(frame);
        }
        let (mut part, mut cycle, mut idle) = (vec![], 0, 0);
        while idle < 20 {
            let beat = if stall_in.goes(cycle, &mut random) { port.pop_front() } else { None };
            // at the end there is room, so that an end that is owed comes
            let room = port.is_empty() || stall_out.goes(cycle + 3, &mut random);
            idle = if port.is_empty() { idle + 1 } else { 0 };
            dut.set_s_axis(beat.as_ref());
            dut.set_room(room.into());
            dut.settle();
            if let Some((bytes, user, last)) = passed(&dut) {
                assert!(room, "it passes where there is no room");
                part.extend_from_slice(&bytes);
                if last {
                    // frames before the one this began are gone whole
                    let begins = |f: &Frame| f.bytes.starts_with(&part[..part.len().min(64).saturating_sub(1).max(1)]);
                    while sent.front().is_some_and(|f| !(begins(f) || (f.bytes == part))) {
                        sent.pop_front();
                        gone += 1;
                    }
                    let frame = sent.pop_front().expect("what passes was sent");
                    if frame.bytes == part && frame.user == user {
                        whole += 1;
                    } else {
                        let is_cut = user == 1 && part.len() % 64 == 1 && part.len() <= frame.bytes.len();
                        assert!(is_cut, "{} of {} bytes, mark {user}", part.len(), frame.bytes.len());
                        assert_eq!(part[..part.len() - 1], frame.bytes[..part.len() - 1]);
                        marked += 1;
                    }
                    part.clear();
                }
            }
            dut.rise();
            cycle += 1;
        }
        assert!(part.is_empty(), "a frame without an end: {stall_in:?}, {stall_out:?}");
        gone += sent.len();
    }
    println!("{whole} whole, {marked} marked, {gone} gone");
    assert!(whole > 500 && marked > 50 && gone > 500);
}

/// Reset ends while the MAC is in the middle of a frame: its rest is no frame.
#[test]
fn what_is_under_way_when_reset_ends_is_left_out() {
    let mut random = Random::new();
    for (length, held) in (1..6).flat_map(|l| (0..8).map(move |h| (l, h))) {
        let mut dut = Dut::new();
        dut.set_room(1);
        let first = beats(&Frame::from(random.bytes(64 * length)));
        let second = beats(&Frame::from(random.bytes(130)));
        let mut came = vec![];
        for cycle in 0..30 {
            dut.set_rst(u32::from(cycle < held));
            let beat = if cycle < length { first.get(cycle) } else { second.get(cycle - length) };
            dut.set_s_axis(beat);
            dut.settle();
            if dut.pass() == 1 && cycle >= held {
                came.push(dut.tdata());
            }
            dut.rise();
        }
        // a beat is judged a cycle after it was on the port
        let from = match held {
            0 | 1 => 0,
            h if h - 1 < length => length,
            h if h - 1 == length => length,
            _ => continue,
        };
        let all: Vec<_> = first.iter().chain(&second).map(|b| b.data).collect();
        assert_eq!(came, all[from..], "{length} beats, {held} cycles of reset");
    }
}
