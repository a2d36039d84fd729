//! `egress` on external memory against the model's two queues: order, bytes held, and the rate of the line.

use crate::harness::Random;
use matchrdma_rtl::axi4::Settings;
use matchrdma_rtl::egress_external::Dut;
use matchrdma_sim::external_memory::{run, settings, Load, LINE, MEMORY_KIB, UNPACED};
use matchrdma_spec::params::*;

fn good(load: &Load) -> matchrdma_sim::external_memory::Outcome {
    println!("{load:?}");
    let outcome = run(load).unwrap_or_else(|why| panic!("{why}"));
    println!("{outcome:?}");
    outcome
}

#[test]
fn a_hundred_gigabits_enter_and_leave_at_once_and_nothing_is_lost() {
    // `bench --only rtl` has a million cycles of each
    for memory in [Settings::hbm(), Settings::ddr4()] {
        let o = good(&Load::line_rate(memory, 100_000, Random::seed()));
        assert_eq!((o.frames_lost(), o.spoilt), (0, [0; 2]));
        assert!(o.frames_out.iter().all(|n| *n > 200));
        println!("{}", o.statistics);
    }
}

#[test]
fn the_classes_wait_for_what_they_must_and_for_nothing_else() {
    for (memory, rates) in
        [(Settings::ideal(), [UNPACED; 2]), (Settings::hbm(), [LINE; 2]), (Settings::ddr4(), [UNPACED, LINE])]
    {
        let load = Load { blocks: [64, 32], rates, trouble: 3000, ..Load::line_rate(memory, 100_000, Random::seed()) };
        let o = good(&load);
        assert!(o.no_room[0] > 10, "it was full");
        assert!(o.frames_out.iter().all(|n| *n > 100));
        assert_eq!(o.frames_in, o.frames_out);
    }
}

#[test]
fn what_the_memory_spoils_is_counted_and_no_longer_held() {
    let memory = Settings { errors: [500, 500], ..Settings::hbm() };
    let o = good(&Load { trouble: 300, ..Load::line_rate(memory, 100_000, Random::seed()) });
    assert!(o.failures > 50 && o.spoilt[0] > 20 && o.spoilt[1] > 0);
    assert_eq!((0..2).map(|c| o.frames_out[c] + o.spoilt[c]).collect::<Vec<_>>(), o.frames_in);
}

#[test]
fn a_memory_that_stands_still_costs_room_and_no_frame_that_was_kept() {
    let memory = Settings { refresh: [20_000, 6000], ..Settings::hbm() };
    let o = good(&Load::line_rate(memory, 100_000, Random::seed()));
    assert!(o.no_room[0] > 10 && o.peak_beats < 16 << 16, "the stage was full, the ring was not");
    assert_eq!(o.frames_in, o.frames_out);
}

#[test]
fn more_failed_blocks_than_are_remembered_stop_the_writes_and_damage_nothing() {
    let memory = Settings { errors: [6000, 0], ..Settings::hbm() };
    let load = Load { rates: [LINE, 2], sizes: [64, 1000], ..Load::line_rate(memory, 60_000, Random::seed()) };
    let o = good(&load);
    assert!(o.failures > 64 && o.no_room[0] > 10 && o.frames_out[0] > 10);
    assert_eq!((0..2).map(|c| o.frames_out[c] + o.spoilt[c]).collect::<Vec<_>>(), o.frames_in);
}

#[test]
fn classes_that_both_wait_take_turns() {
    let load =
        Load { rates: [UNPACED, 20], sizes: [64, 200], ..Load::line_rate(Settings::ideal(), 40_000, Random::seed()) };
    let o = good(&Load { rest: 8, ..load });
    // both are always full, and each entry of one is followed by one of the other
    assert!(o.no_room[0] > 100 && o.no_room[1] > 100);
    assert!(o.turns > 1000 && o.repeats < 20, "{} turns, {} repeats", o.turns, o.repeats);
}

/// What the host reads after it has enabled these settings, and whether frames have room. Bases in bytes.
fn enabled(dut: &mut Dut, base: [u64; 2], size: [u32; 2]) -> (u64, bool) {
    dut.set_memory_enable(0);
    dut.tick();
    settings(dut, base, size);
    enable(dut)
}

fn enable(dut: &mut Dut) -> (u64, bool) {
    dut.set_memory_enable(1);
    (0..4).for_each(|_| dut.tick());
    let rooms = [0, 1].map(|lossless| {
        dut.set_judge_lossless(lossless);
        dut.settle();
        dut.room() == 1
    });
    assert_eq!(rooms[0], rooms[1]);
    (dut.memory_status().into(), rooms[0])
}

fn fresh() -> Dut {
    let mut dut = Dut::new();
    dut.set_rst(1);
    dut.tick();
    dut.set_rst(0);
    (0..40).for_each(|_| dut.tick());
    dut
}

#[test]
fn settings_that_the_memory_cannot_hold_are_refused_with_the_reason() {
    let mut dut = fresh();
    let end = u64::from(MEMORY_KIB) << 10;
    let kib = |k: u64| k << 10;
    let cases = [
        ([kib(64), kib(32)], [5, 5], MEMORY_ON),
        ([0, kib(1 << 22)], [22, 5], MEMORY_ON),
        ([end - kib(32), 0], [5, 5], MEMORY_ON),
        ([kib(64) + 512, kib(0)], [5, 5], MEMORY_MISALIGNED),
        ([kib(64), 64], [5, 5], MEMORY_MISALIGNED),
        ([kib(64), kib(0)], [4, 5], MEMORY_SIZE),
        ([kib(64), kib(0)], [5, 0], MEMORY_SIZE),
        ([0, kib(1 << 24)], [23, 5], MEMORY_SIZE),
        ([kib(1 << 24), 0], [5, 31], MEMORY_SIZE),
        ([end - kib(31), 0], [5, 5], MEMORY_SMALL),
        ([0, end - kib(1 << 22) + kib(1)], [5, 22], MEMORY_SMALL),
        ([kib(64), kib(95)], [5, 5], MEMORY_OVERLAP),
        ([kib(95), kib(64)], [5, 5], MEMORY_OVERLAP),
        ([kib(0), kib(64)], [10, 5], MEMORY_OVERLAP),
        ([kib(64), kib(96)], [5, 5], MEMORY_ON),
    ];
    for (base, size, status) in cases {
        assert_eq!(enabled(&mut dut, base, size), (status, status == MEMORY_ON), "{base:x?} {size:?}");
    }
}

#[test]
fn memory_that_is_not_ready_or_no_longer_has_no_room() {
    let mut dut = fresh();
    settings(&mut dut, [0, 1 << 20], [10, 5]);
    dut.set_memory_ready(0);
    assert_eq!(enable(&mut dut), (MEMORY_NOT_READY, false));
    dut.set_memory_ready(1);
    assert_eq!(enable(&mut dut), (MEMORY_NOT_READY, false), "the host must ask again");
    assert_eq!(enabled(&mut dut, [0, 1 << 20], [10, 5]), (MEMORY_ON, true));
    dut.set_memory_ready(0);
    assert_eq!(enable(&mut dut), (MEMORY_NOT_READY, false));
    dut.set_memory_enable(0);
    dut.tick();
    assert_eq!(u64::from(dut.memory_status()), MEMORY_OFF);
}

#[test]
fn rings_stay_where_they_are_while_they_hold_something() {
    let mut dut = fresh();
    assert_eq!(enabled(&mut dut, [0, 1 << 20], [10, 5]), (MEMORY_ON, true));
    dut.set_rail_valid(1);
    dut.set_rail_bytes(64);
    dut.set_rail_first(1);
    dut.set_rail_last(1);
    dut.set_lossless(1);
    for set in [Dut::set_verdict_valid, Dut::set_forward, Dut::set_push] {
        set(&mut dut, 1);
    }
    dut.tick();
    dut.set_rail_valid(0);
    dut.set_verdict_valid(0);
    assert_eq!(enabled(&mut dut, [0, 1 << 20], [11, 5]), (MEMORY_HOLDS, false));
}
