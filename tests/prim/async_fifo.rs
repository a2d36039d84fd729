//! The queue between two clocks against `VecDeque`, at clocks of many ratios, and its reset while a clock stands.

use crate::harness::clocks::Clocks;
use crate::harness::{grid, Random, Stall};
use matchrdma_rtl::{async_fifo, async_fifo_wide};
use std::collections::VecDeque;

/// A reset with both clocks running, in whatever state it was.
macro_rules! restart {
    ($dut:expr, $clocks:expr) => {
        $dut.set_wr(0);
        $dut.set_rd(0);
        $dut.set_areset(1);
        $dut.eval();
        $dut.set_areset(0);
        for _ in 0..40 {
            edge!($dut, $clocks.next());
        }
    };
}

/// A rising edge of the writer's clock (0) or the reader's.
macro_rules! edge {
    ($dut:expr, $which:expr) => {
        if $which == 0 {
            $dut.set_wr_clk(1);
            $dut.eval();
            $dut.set_wr_clk(0);
        } else {
            $dut.set_rd_clk(1);
            $dut.eval();
            $dut.set_rd_clk(0);
        }
        $dut.eval();
    };
}

macro_rules! against_vecdeque {
    ($name:ident, $module:ident, $holds:expr, $word:ty, $draw:expr) => {
        #[test]
        fn $name() {
            let mut random = Random::new();
            let draw: fn(&mut Random) -> $word = $draw;
            // in ps
            for periods in [[3103, 3103], [3103, 3102], [8000, 3103], [3103, 8000], [4000, 4001], [1000, 16_000]] {
                for (source, sink) in grid() {
                    let at = format!("{periods:?}, {source:?}, {sink:?}");
                    let mut dut = $module::Dut::new();
                    let mut clocks = Clocks::new(periods.map(|p| p * 1000), &mut random);
                    restart!(dut, clocks);
                    let (mut queue, mut was_full, mut moved) = (VecDeque::<$word>::new(), false, 0);
                    let (mut wr, mut rd) = (false, false);
                    for cycle in 0..4000 {
                        let which = clocks.next();
                        // what stands before the edge is what the edge sees
                        if which == 0 {
                            let full = dut.full() == 1;
                            was_full |= full;
                            assert!(queue.len() <= $holds && (full || queue.len() < $holds), "{at}: room for more");
                            if wr && !full {
                                queue.push_back(dut.din());
                            }
                        } else if rd && dut.empty() == 0 {
                            assert_eq!(Some(dut.dout()), queue.pop_front(), "{at}, cycle {cycle}");
                            moved += 1;
                        }
                        edge!(dut, which);
                        if which == 0 {
                            wr = source.goes(cycle, &mut random);
                            dut.set_wr(wr.into());
                            dut.set_din(draw(&mut random));
                        } else {
                            rd = sink.goes(cycle, &mut random);
                            dut.set_rd(rd.into());
                        }
                        dut.eval();
                    }
                    dut.set_wr(0);
                    dut.set_rd(1);
                    dut.eval();
                    for _ in 0..4000 {
                        let which = clocks.next();
                        if which == 1 && dut.empty() == 0 {
                            assert_eq!(Some(dut.dout()), queue.pop_front(), "{at}, at the end");
                        }
                        edge!(dut, which);
                    }
                    assert!(queue.is_empty() && moved > 5, "{at}: {} left, {moved} moved", queue.len());
                    assert!(was_full || source != Stall::Never || sink != Stall::Mostly, "{at}: never full");
                }
            }
        }
    };
}

against_vecdeque!(a_small_queue_between_clocks_is_a_vecdeque, async_fifo, 5, u64, |r| r.bits(33));
against_vecdeque!(a_wide_queue_between_clocks_is_a_vecdeque, async_fifo_wide, 33, [u32; 19], |r| r.words(578));

#[test]
fn between_equal_clocks_a_word_moves_in_every_cycle() {
    let mut dut = async_fifo_wide::Dut::new();
    let mut clocks = Clocks::new([3_103_000; 2], &mut Random::new());
    restart!(dut, clocks);
    dut.set_wr(1);
    dut.set_rd(1);
    dut.eval();
    let mut came = 0;
    for _ in 0..4000 {
        let which = clocks.next();
        assert!(which == 1 || dut.full() == 0, "the writer waits");
        came += u32::from(which == 1 && dut.empty() == 0);
        edge!(dut, which);
    }
    assert!(came >= 1990, "{came} words in 2000 cycles");
}

/// Words are in the queue and one clock stands. A reset empties it; nothing old shows when the clock goes on.
#[test]
fn a_reset_empties_the_queue_though_a_clock_stands() {
    for stands in [0, 1] {
        for others in 0..8 {
            let mut dut = async_fifo::Dut::new();
            let mut clocks = Clocks::new([3_103_000; 2], &mut Random::new());
            restart!(dut, clocks);
            dut.set_wr(1);
            dut.set_din(7);
            dut.eval();
            for _ in 0..10 {
                edge!(dut, clocks.next());
            }
            dut.set_areset(1);
            dut.eval();
            assert_eq!((dut.full(), dut.empty()), (1, 1), "at once");
            dut.set_wr(0);
            dut.set_areset(0);
            dut.eval();
            for _ in 0..others {
                edge!(dut, 1 - stands);
            }
            assert_eq!(dut.empty(), 1, "clock {stands} stands");
            for _ in 0..20 {
                edge!(dut, clocks.next());
                assert_eq!(dut.empty(), 1, "clock {stands} stood, {others} cycles of the other");
            }
            assert_eq!(dut.full(), 0);
            dut.set_wr(1);
            dut.set_din(9);
            dut.eval();
            edge!(dut, 0);
            dut.set_wr(0);
            dut.eval();
            for _ in 0..4 {
                edge!(dut, 1);
            }
            assert_eq!((dut.empty(), dut.dout()), (0, 9));
        }
    }
}
