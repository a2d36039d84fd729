//! `egress` on external memory against the model's two queues: order, bytes held, and the rate of the line.

use crate::harness::Random;
use matchrdma_rtl::axi4::Settings;
use matchrdma_sim::external_memory::{run, Load, LINE, UNPACED};

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
