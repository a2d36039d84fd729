//! The queues against `VecDeque`.

use crate::harness::{grid, Random};
use std::collections::VecDeque;

/// Pushes and pops at random and compares every flag in every cycle, with the queue empty, full and in between.
macro_rules! against_vecdeque {
    ($name:ident, $module:ident, $depth:expr, $margin:expr, $word:ty, $draw:expr) => {
        #[test]
        fn $name() {
            let mut random = Random::new();
            for (source, sink) in grid() {
                let mut dut = matchrdma_rtl::$module::Dut::new();
                let mut queue: VecDeque<$word> = VecDeque::new();
                dut.set_rst(1);
                dut.tick();
                dut.set_rst(0);
                let (mut was_full, mut was_empty) = (false, false);
                for cycle in 0..3000 {
                    let wr = source.goes(cycle, &mut random);
                    let rd = sink.goes(cycle + 7, &mut random);
                    let draw: fn(&mut Random) -> $word = $draw;
                    let din = draw(&mut random);
                    dut.set_wr(wr.into());
                    dut.set_rd(rd.into());
                    dut.set_din(din);
                    dut.settle();
                    let at = format!("{source:?}, {sink:?}, cycle {cycle}");
                    assert_eq!(dut.count() as usize, queue.len(), "count; {at}");
                    assert_eq!(dut.empty() == 1, queue.is_empty(), "empty; {at}");
                    assert_eq!(dut.full() == 1, queue.len() == $depth, "full; {at}");
                    assert_eq!(dut.almost_full() == 1, queue.len() + $margin >= $depth, "almost_full; {at}");
                    if let Some(head) = queue.front() {
                        assert_eq!(dut.dout(), *head, "dout; {at}");
                    }
                    was_full |= queue.len() == $depth;
                    was_empty |= queue.is_empty();
                    let room = queue.len() < $depth;
                    if rd {
                        queue.pop_front();
                    }
                    if wr && room {
                        queue.push_back(din);
                    }
                    dut.rise();
                }
                assert!(was_empty);
                assert!(
                    was_full
                        || sink == crate::harness::Stall::Never
                        || source != crate::harness::Stall::Never
                        || $depth > 500
                );
            }
        }
    };
}

against_vecdeque!(a_queue_in_lookup_tables_is_a_vecdeque, fifo_lut, 16, 2, u64, |r| r.bits(36));
against_vecdeque!(a_queue_in_block_ram_is_a_vecdeque, fifo_block, 512, 8, [u32; 19], |r| r.words(577));

#[test]
fn a_queue_of_one_word_moves_one_word_per_cycle() {
    let mut dut = matchrdma_rtl::fifo_block::Dut::new();
    let word = |i: u32| std::array::from_fn(|k| if k < 18 { i + k as u32 } else { i & 1 });
    dut.set_wr(1);
    dut.set_din(word(0));
    dut.tick();
    dut.set_rd(1);
    for i in 1..2000 {
        dut.set_din(word(i));
        dut.settle();
        assert_eq!((dut.count(), dut.dout()), (1, word(i - 1)));
        dut.rise();
    }
}
