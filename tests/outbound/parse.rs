//! `parse` in gates against `spec::wire::packet::parse_frame`.

use crate::harness::frames::{any_frame, beats, capture, captures, Beat, Roce};
use crate::harness::front::{expected_meta, Front};
use crate::harness::{Random, Stall};

const STALLS: [Stall; 4] = [Stall::Never, Stall::Half, Stall::Mostly, Stall::Bursts];

/// `count` frames as beats, a MAC error in some.
fn stream(count: usize, random: &mut Random, mut make: impl FnMut(&mut Random) -> Vec<u8>) -> Vec<Beat> {
    let mut all = vec![];
    for _ in 0..count {
        let frame = make(random);
        let err = random.chance(1, 10).then(|| random.below(frame.len().div_ceil(64) as u64) as usize);
        all.extend(beats(&frame, err, random));
    }
    all
}

#[test]
fn any_frames_are_read_as_the_spec_reads_them() {
    let mut random = Random::new();
    let mut front = Front::new();
    for stall in STALLS {
        let beats = stream(2500, &mut random, any_frame);
        let good = front.check(&beats, stall, &mut random);
        assert!(good > 500, "{stall:?}: {good} good frames are too few to show much");
    }
}

#[test]
fn captured_frames_are_read_as_the_spec_reads_them() {
    let mut random = Random::new();
    let mut front = Front::new();
    for name in captures() {
        let frames = capture(&name);
        for stall in [Stall::Never, Stall::Half] {
            let stream: Vec<Beat> = frames.iter().flat_map(|f| beats(f, None, &mut random)).collect();
            let good = front.check(&stream, stall, &mut random);
            println!("{name}: {} frames, {good} with a good ICRC, {stall:?}", frames.len());
        }
    }
}

#[test]
fn every_length_of_a_runt_is_read_with_zeros_behind_it() {
    let mut random = Random::new();
    let mut front = Front::new();
    let mut all = vec![];
    for vlans in 0..3 {
        for v6 in [false, true] {
            let whole = Roce { v6, vlans, opcode: 0x11, payload: 0, padding: 90 }.build(&mut random);
            (0..=132).for_each(|length| all.extend(beats(&whole[..length], None, &mut random)));
        }
    }
    for stall in STALLS {
        front.check(&all, stall, &mut random);
    }
}

#[test]
fn frames_of_all_sizes_pass_whole_over_the_stall_grid() {
    let mut random = Random::new();
    let mut front = Front::new();
    for stall in STALLS {
        for length in [1, 60, 64, 65, 127, 128, 129, 192, 193, 256, 1514, 4154, 9000, 9599, 9600] {
            let beats = stream(12, &mut random, |r| r.bytes(length));
            front.check(&beats, stall, &mut random);
        }
        let small =
            stream(64, &mut random, |r| Roce { v6: false, vlans: 0, opcode: 0x11, payload: 0, padding: 2 }.build(r));
        assert_eq!(small.len(), 64);
        front.check(&small, stall, &mut random);
    }
}

#[test]
fn a_frame_that_is_too_long_is_cut_and_the_next_one_is_whole() {
    let mut random = Random::new();
    let mut front = Front::new();
    for stall in STALLS {
        for length in [9600, 9601, 9664, 9665, 20_000, 60_000] {
            let mut all = vec![];
            for _ in 0..3 {
                let mut long = Roce { v6: true, vlans: 1, opcode: 7, payload: 4096, padding: 0 }.build(&mut random);
                long.resize(length, 0x77);
                all.extend(beats(&long, None, &mut random));
                all.extend(beats(&Roce::any(&mut random).build(&mut random), None, &mut random));
            }
            front.check(&all, stall, &mut random);
        }
    }
}

#[test]
fn frames_that_lost_their_last_beat_run_together_and_are_judged_as_one() {
    let mut random = Random::new();
    let mut front = Front::new();
    for stall in STALLS {
        let mut all = stream(400, &mut random, any_frame);
        for beat in &mut all {
            if random.chance(1, 40) {
                beat.last = false;
            }
        }
        all.extend(beats(&[0; 60], None, &mut random)); // ends whatever is open
        front.check(&all, stall, &mut random);
    }
}

#[test]
fn reset_forgets_an_open_frame() {
    let mut random = Random::new();
    let mut dut = matchrdma_rtl::parse::Dut::new();
    let long = beats(&random.bytes(400), None, &mut random);
    let short = beats(&random.bytes(60), None, &mut random);
    dut.set_s_axis_tvalid(1);
    for beat in &long[..3] {
        dut.set_s_axis_tdata(beat.data);
        dut.set_s_axis_tkeep(beat.keep);
        dut.set_s_axis_tlast(0);
        dut.tick();
    }
    dut.set_rst(1);
    dut.tick();
    dut.set_rst(0);
    dut.set_s_axis_tdata(short[0].data);
    dut.set_s_axis_tkeep(short[0].keep);
    dut.set_s_axis_tlast(1);
    for cycle in 0..20 {
        dut.settle();
        assert_eq!(dut.rail_valid() == 1, cycle == 8, "cycle {cycle}");
        if cycle == 8 {
            assert_eq!((dut.rail_first(), dut.rail_last(), dut.rail_bytes()), (1, 1, 60));
        }
        dut.rise();
        dut.set_s_axis_tvalid(0);
    }
}

#[test]
fn a_hundred_thousand_frames_of_one_beat_give_a_meta_in_every_cycle() {
    const FRAMES: usize = 100_000;
    let mut random = Random::new();
    let mut dut = matchrdma_rtl::parse::Dut::new();
    dut.set_rst(1);
    dut.tick();
    dut.set_rst(0);
    dut.set_s_axis_tvalid(1);
    dut.set_s_axis_tlast(1);
    let (mut scratch, mut sent) = (vec![], std::collections::VecDeque::new());
    for cycle in 0..FRAMES + 8 {
        if cycle < FRAMES {
            let vlans = random.below(2) as usize;
            let frame = if random.chance(1, 8) {
                random.bytes(60)
            } else {
                // 58 or 62 bytes: no extension header
                Roce { v6: false, vlans, opcode: random.pick(&[0, 1, 2, 4, 7, 8]), payload: 0, padding: 2 }
                    .build(&mut random)
            };
            let beat = &beats(&frame, None, &mut random)[0];
            dut.set_s_axis_tdata(beat.data);
            dut.set_s_axis_tkeep(beat.keep);
            sent.push_back(frame);
        } else {
            dut.set_s_axis_tvalid(0);
        }
        dut.settle();
        assert_eq!(dut.rail_valid() == 1, cycle >= 8, "cycle {cycle}");
        if cycle >= 8 {
            let frame = sent.pop_front().unwrap();
            let got = crate::harness::front::fields(&dut.meta());
            assert_eq!(got, expected_meta(&frame, &mut scratch), "cycle {cycle}");
        }
        dut.rise();
    }
    assert!(sent.is_empty());
}
