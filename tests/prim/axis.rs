//! The register slice: frames in, the same frames out, at one beat per cycle.

use crate::harness::{grid, Random, Stall};
use matchrdma_rtl::axis::{Frame, Sink, Source};
use matchrdma_rtl::axis_slice::Dut;
use std::collections::VecDeque;

#[test]
fn a_slice_passes_every_frame_whatever_the_stalls() {
    let mut random = Random::new();
    for (stall_in, stall_out) in grid() {
        let mut dut = Dut::new();
        dut.set_rst(1);
        dut.tick();
        dut.set_rst(0);
        let (mut source, mut sink) = (Source::default(), Sink::default());
        let mut sent = VecDeque::new();
        for size in [1, 63, 64, 65, 128, 200, 256, 1500].into_iter().chain([64; 64]) {
            let frame = Frame { bytes: random.bytes(size), user: random.bits(1) as u32 };
            source.push(&frame);
            sent.push_back(frame);
        }
        let beats = source.left() as u64;
        let mut cycle = 0;
        while !sent.is_empty() {
            assert!(cycle < 20_000, "{stall_in:?}, {stall_out:?}: {} frames never came", sent.len());
            dut.set_s_axis(source.offer(stall_in.goes(cycle, &mut random)));
            dut.set_m_axis_tready(sink.offer(stall_out.goes(cycle + 5, &mut random)).into());
            dut.settle();
            source.settle(dut.s_axis_tready() == 1);
            sink.settle(dut.m_axis());
            dut.rise();
            while let Some(frame) = sink.pop() {
                assert_eq!(Some(frame), sent.pop_front(), "{stall_in:?}, {stall_out:?}");
            }
            cycle += 1;
        }
        assert!(sink.is_empty() && dut.m_axis().is_none());
        if (stall_in, stall_out) == (Stall::Never, Stall::Never) {
            assert_eq!(cycle, beats + 2, "one beat per cycle, one cycle late, one more to leave reset");
        }
    }
}

#[test]
fn ready_of_a_slice_does_not_follow_the_sink_within_a_cycle() {
    let mut dut = Dut::new();
    dut.tick();
    for pattern in 0..256u32 {
        dut.set_s_axis_tvalid(pattern & 1);
        dut.set_m_axis_tready(0);
        dut.settle();
        let before = dut.s_axis_tready();
        dut.set_m_axis_tready(1);
        dut.settle();
        assert_eq!(dut.s_axis_tready(), before);
        dut.set_m_axis_tready(pattern >> 3 & 1);
        dut.tick();
    }
}
