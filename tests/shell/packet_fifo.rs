//! Frames in with any pauses, the same frames out without one, each with its size.

use crate::harness::{grid, Random, Stall};
use matchrdma_rtl::axis::{Frame, Sink, Source};
use matchrdma_rtl::packet_fifo::Dut;
use std::collections::VecDeque;

#[test]
fn a_frame_leaves_whole_and_its_size_stands_beside_every_beat() {
    let mut random = Random::new();
    for (stall_in, stall_out) in grid() {
        let mut dut = Dut::new();
        dut.set_rst(1);
        dut.tick();
        dut.set_rst(0);
        let mut source = Source::default();
        let mut sink = Sink::default();
        sink.no_gaps = true;
        let mut sent = VecDeque::new();
        for size in [1, 63, 64, 65, 128, 200, 256, 1500, 9600, 9600, 9537].into_iter().chain(1..=130).chain([64; 600]) {
            let frame = Frame { bytes: random.bytes(size), user: random.bits(1) as u32 };
            source.push(&frame);
            sent.push_back(frame);
        }
        let (mut cycle, mut waited) = (0, false);
        while !sent.is_empty() {
            assert!(cycle < 200_000, "{stall_in:?}, {stall_out:?}: {} frames never came", sent.len());
            dut.set_s_axis(source.offer(stall_in.goes(cycle, &mut random)));
            dut.set_m_axis_tready(sink.offer(stall_out.goes(cycle + 5, &mut random)).into());
            dut.settle();
            waited |= dut.s_axis_tready() == 0;
            source.settle(dut.s_axis_tready() == 1);
            if let (Some(_), Some(frame)) = (dut.m_axis(), sent.front()) {
                assert_eq!(dut.size() as usize, frame.bytes.len(), "{stall_in:?}, {stall_out:?}");
            }
            sink.settle(dut.m_axis());
            dut.rise();
            while let Some(frame) = sink.pop() {
                assert_eq!(Some(frame), sent.pop_front(), "{stall_in:?}, {stall_out:?}");
            }
            cycle += 1;
        }
        assert!(sink.is_empty() && dut.m_axis().is_none());
        assert!(waited || stall_out != Stall::Mostly || stall_in == Stall::Mostly, "it was never full");
    }
}

#[test]
fn a_beat_in_every_cycle_goes_on_for_ever() {
    let mut dut = Dut::new();
    let (mut source, mut random) = (Source::default(), Random::new());
    for _ in 0..40 {
        source.push(&random.bytes(9600).into());
        source.push(&random.bytes(60).into());
        source.push(&random.bytes(1500).into());
    }
    let beats = source.left();
    dut.set_m_axis_tready(1);
    let mut cycles = 0;
    while source.left() > 0 {
        dut.set_s_axis(source.offer(true));
        dut.settle();
        assert!(source.settle(dut.s_axis_tready() == 1), "it waits, {cycles} cycles of {beats}");
        dut.rise();
        cycles += 1;
    }
}
