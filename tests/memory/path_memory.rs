//! `path_memory` against the model's plain queues.

mod bench;

use crate::harness::frame::Sizes;
use crate::harness::{grid, Random, Stall};
use bench::{reset, Bench, Drive, Reached, EASY};
use matchrdma_rtl::path_memory::Dut;
use matchrdma_spec::params::{PAGE_BEATS, QUEUES};

#[test]
fn every_queue_is_a_queue() {
    let mut random = Random::new();
    let mut total = Reached::default();
    for sizes in Sizes::ALL {
        for (source, sink) in grid() {
            let some = random.bits(17) | 1;
            let queues = random.pick(&[1 << 16, 0b101, EASY.queues, EASY.queues, some]);
            println!("{sizes:?} {source:?} {sink:?} {queues:017b}");
            let starts = random.pick(&[1, 1, 3, 20]);
            let mut bench = Bench::new();
            bench.run(Drive { sizes, source, sink, queues, starts, ..EASY }, 3000, &mut random);
            bench.drain(&mut random);
            total.kept += bench.reached.kept;
            total.refused += bench.reached.refused;
            total.alone += bench.reached.alone;
        }
    }
    println!("{total:?}");
    assert!(total.kept > 10_000 && total.refused > 5000 && total.alone > 2000, "all verdicts were given");
}

#[test]
fn pages_never_run_out_and_a_full_queue_leaves_the_others_theirs() {
    let mut random = Random::new();
    for sizes in Sizes::ALL {
        let mut bench = Bench::new();
        // nothing leaves
        let stuck = Drive { sizes, sink: Stall::Mostly, starts: 1 << 40, keeps: 4, ..EASY };
        let one = Drive { queues: 1 << 3, ..stuck };
        bench.run(one, 12_000, &mut random);
        let alone = (bench.late.beat_pages(3), bench.late.descriptor_pages(3));
        bench.run(stuck, 14_000, &mut random);
        assert!(bench.reached.no_room > 100, "room ran out");
        println!("{sizes:?}: alone {alone:?}, {:?}", bench.reached);
        for queue in 0..QUEUES {
            let of_beats = bench.late.beat_pages(queue);
            let of_descriptors = bench.late.descriptor_pages(queue);
            assert!(of_beats > 3 || of_descriptors > 3, "queue {queue} has its guarantee: {of_beats} {of_descriptors}");
        }
        // and then at full speed, near the brim
        bench.run(Drive { sizes, ..EASY }, 10_000, &mut random);
        bench.drain(&mut random);
    }
}

/// Queues whose words end near a page's end, so that one more beat of each takes a page; then a longest frame.
#[test]
fn pages_never_run_out_when_all_queues_turn_a_page_at_once() {
    let mut random = Random::new();
    let mut most = 0;
    for _ in 0..6 {
        let mut bench = Bench::new();
        let fill = Drive { sizes: Sizes::OneBeat, sink: Stall::Mostly, starts: 1 << 40, keeps: 4, ..EASY };
        // up to the last beat of a page in each
        for queue in 0..QUEUES {
            let mut beats = PAGE_BEATS * if queue == 0 { 7 } else { random.pick(&[2, 3]) } - 1;
            while beats > 0 {
                let length = 64 * beats.min(150);
                let frame = Drive { queues: 1 << queue, length: Some(length), ..fill };
                let kept = bench.reached.kept;
                while bench.reached.kept == kept {
                    bench.step(&frame, bench.to_come.is_empty() && bench.coming.is_empty(), &mut random);
                }
                beats -= length / 64;
            }
        }
        // near the brim, then one more of each
        let full = Drive { queues: 1, length: Some(9600), ..fill };
        while bench.late.beat_pages(0) < 6 + 132 - 2 {
            bench.step(&full, true, &mut random);
        }
        bench.run(Drive { source: Stall::Half, ..fill }, 400, &mut random);
        bench.run(Drive { length: Some(64), ..fill }, 400, &mut random);
        bench.run(Drive { queues: 1, sizes: Sizes::Any, ..fill }, 8000, &mut random);
        bench.run(Drive { sizes: Sizes::Any, ..fill }, 8000, &mut random);
        most = most.max(bench.reached.most_pages);
        bench.drain(&mut random);
    }
    println!("{most} pages");
    assert!(most > 200);
}

#[test]
fn a_reset_inside_a_frame_forgets_everything() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    bench.run(Drive { starts: 5, sink: Stall::Half, ..EASY }, 2000, &mut random);
    let mut dut = std::mem::replace(&mut bench.dut, Dut::new());
    // beats come in while the queues are cleared
    reset(&mut dut);
    let mut fresh = Bench::of(dut);
    fresh.run(EASY, 3000, &mut random);
    assert!(fresh.reached.kept > 20);
    fresh.drain(&mut random);
}

/// One one-beat frame in every cycle into one queue, and one out, for ever.
#[test]
fn one_queue_alone_gives_a_frame_in_every_cycle() {
    let mut random = Random::new();
    let mut dut = Dut::new();
    reset(&mut dut);
    dut.set_head_ready(1);
    dut.set_rail_first(1);
    dut.set_rail_last(1);
    dut.set_rail_bytes(64);
    dut.set_forward(1);
    dut.set_push(1);
    dut.set_judge_queue(9);
    dut.set_rail_queue(9);
    dut.set_offer_queue(9);
    (0..600).for_each(|_| dut.tick());
    let mut flows = (false, false);
    for cycle in 0..50_000u32 {
        dut.set_rail_valid(1);
        dut.set_verdict_valid(1);
        let mut data = random.words(512);
        data[0] = cycle;
        dut.set_rail_data(data);
        dut.settle();
        let waits = dut.waits() >> 9 & 1;
        dut.set_start(waits & dut.may_start());
        dut.settle();
        assert_eq!(dut.room(), 1);
        if waits == 1 && !flows.0 {
            assert_eq!(cycle, 5, "from commit to its start");
        }
        flows.0 |= waits == 1;
        assert!(!flows.0 || (waits == 1 && dut.may_start() == 1), "a start in cycle {cycle}");
        if dut.head_valid() == 1 && !flows.1 {
            assert_eq!(cycle, 9, "from start to the head");
        }
        flows.1 |= dut.head_valid() == 1;
        assert!(!flows.1 || dut.head_valid() == 1, "a frame in cycle {cycle}");
        if flows.1 {
            assert_eq!(dut.head_data()[0], cycle - 9);
        }
        dut.rise();
    }
    assert!(flows.1);
}
