//! External memory against two of the model's plain queues, with a memory behind the port that is late and strict.

mod bench;

use crate::harness::frame::Sizes;
use crate::harness::{grid, Random, Stall};
use bench::{Bench, Load, Reached};
use matchrdma_rtl::axi4::{Settings, Stalls, Statistics};
use matchrdma_rtl::external_memory::Dut;

fn over_the_grid(memory: Settings, cycles: u64) -> (Reached, Statistics) {
    let mut random = Random::new();
    let mut all = Reached::default();
    let mut bench = Bench::new(memory, Random::seed());
    for sizes in Sizes::ALL {
        for (source, sink) in grid() {
            let load = Load { sizes, source, sink, cycles, rest: 8, trouble: true };
            println!("{sizes:?} {source:?} {sink:?}");
            bench.run(load, &mut random);
            all.add(&std::mem::take(&mut bench.reached));
        }
    }
    println!("{all:?}\n{}", bench.memory.statistics());
    (all, *bench.memory.statistics())
}

/// Every channel held up in half of the cycles.
const STALLED: Settings = Settings { stalls: Stalls { aw: 128, w: 128, ar: 128, b: 128, r: 128 }, ..Settings::hbm() };

#[test]
fn two_rings_are_two_queues_whatever_the_memory() {
    for memory in [Settings::ideal(), Settings::hbm(), Settings::ddr4(), STALLED] {
        let (all, s) = over_the_grid(memory, 2000);
        assert!(all.kept.iter().all(|n| *n > 1000) && all.refused > 1000 && all.alone > 300, "all verdicts were given");
        assert!(all.no_room.iter().all(|n| *n > 100) && all.passed > 50, "room ran out, a class passed the other");
        assert_eq!(all.lost, [0; 2]);
        assert!(s.most[1] > 8 || memory == Settings::ideal(), "reads were under way together");
    }
}

#[test]
fn a_frame_that_an_error_touches_is_lost_whole_and_no_other_is() {
    let errors = |errors| Settings { errors, ..Settings::hbm() };
    for (memory, many) in [(errors([3000, 0]), false), (errors([0, 3000]), false), (errors([20_000, 5_000]), true)] {
        let (all, s) = over_the_grid(memory, 1000);
        assert!(s.failed[0] + s.failed[1] > 100, "{s}");
        assert!(all.lost.iter().all(|n| *n > 30), "{:?}", all.lost);
        // a burst has up to 16 frames of its own, and a block what shares it
        let least = (s.failed[0] + s.failed[1]) as usize / if many { 100 } else { 2 };
        assert!(all.lost[0] + all.lost[1] > least, "{:?} of {s}", all.lost);
    }
}

#[test]
fn both_rings_wrap_at_every_place_of_a_block() {
    let mut random = Random::new();
    for memory in [Settings::ideal(), Settings::hbm()] {
        let mut bench = Bench::new(memory, Random::seed());
        let mut all = Reached::default();
        for sizes in [Sizes::Any, Sizes::Few, Sizes::Mtu] {
            let load =
                Load { sizes, source: Stall::Never, sink: Stall::Never, cycles: 150_000, rest: 8, trouble: false };
            bench.run(load, &mut random);
            all.add(&std::mem::take(&mut bench.reached));
        }
        println!("{all:?}");
        assert!(all.wraps.iter().flatten().all(|n| *n > 0), "{:?}", all.wraps);
    }
}

#[test]
fn one_beat_a_cycle_enters_and_leaves_while_the_memory_can() {
    let mut random = Random::new();
    for sizes in Sizes::ALL {
        let mut bench = Bench::new(Settings::ideal(), Random::seed());
        let load = Load { sizes, source: Stall::Never, sink: Stall::Never, cycles: 20_000, rest: 1, trouble: false };
        bench.run(load, &mut random);
        let s = bench.memory.statistics();
        println!("{sizes:?}: {s}");
        assert!(s.beats[1] == s.beats[0] && s.cycles < 22_500, "{s}");
        assert_eq!((bench.reached.no_room, bench.reached.staged), ([0; 2], 0), "{sizes:?}");
    }
}

#[test]
fn a_reset_amid_traffic_forgets_all_and_begins_anew() {
    let mut random = Random::new();
    for _ in 0..20 {
        let mut bench = Bench::new(Settings::hbm(), random.u64());
        bench.dut.set_head_ready_0(0);
        bench.dut.set_head_ready_1(0);
        for _ in 0..40 + random.below(200) {
            let last = random.chance(1, 4);
            bench.dut.set_rail_valid(1);
            bench.dut.set_rail_bytes(64);
            bench.dut.set_rail_first(last.into());
            bench.dut.set_rail_last(last.into());
            bench.dut.set_lossless(random.chance(1, 2).into());
            for set in [Dut::set_verdict_valid, Dut::set_forward, Dut::set_push] {
                set(&mut bench.dut, last.into());
            }
            bench.cycle();
        }
        assert_eq!(bench.dut.empty(), 0);
        let mut fresh = Bench::new(Settings::hbm(), random.u64());
        std::mem::swap(&mut fresh.dut, &mut bench.dut);
        fresh.reset();
        assert_eq!((fresh.dut.empty(), fresh.dut.held_beats_0(), fresh.dut.held_beats_1()), (1, 0, 0));
        let load =
            Load { sizes: Sizes::Any, source: Stall::Never, sink: Stall::Half, cycles: 5000, rest: 8, trouble: true };
        fresh.run(load, &mut random);
        assert!(fresh.reached.kept[0] > 3);
    }
}
