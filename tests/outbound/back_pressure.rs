//! `back_pressure` against the model, and its requests against the verdicts.

use crate::harness::Random;
use matchrdma_model::back_pressure::{BackPressure, Threshold, Thresholds};
use matchrdma_rtl::back_pressure::Dut;

/// What each queue holds, beats.
fn set_held(dut: &mut Dut, held: &[u16; 17]) {
    macro_rules! each {
        ($($i:literal $set:ident),*) => {$(dut.$set(held[$i].into());)*};
    }
    each!(0 set_held_beats_0, 1 set_held_beats_1, 2 set_held_beats_2, 3 set_held_beats_3, 4 set_held_beats_4,
        5 set_held_beats_5, 6 set_held_beats_6, 7 set_held_beats_7, 8 set_held_beats_8, 9 set_held_beats_9,
        10 set_held_beats_10, 11 set_held_beats_11, 12 set_held_beats_12, 13 set_held_beats_13,
        14 set_held_beats_14, 15 set_held_beats_15, 16 set_held_beats_16);
}

fn any_threshold(random: &mut Random) -> Threshold {
    let on = random.pick(&[0, 1, 64, 65, 6400, 12_800, u32::MAX]);
    let any = 64 * random.below(150) as u32;
    Threshold { on, off: random.pick(&[0, on / 2, on, any]) }
}

/// Levels move with what a path holds when it is looked at, two cycles later; requests follow the levels.
#[test]
fn levels_and_requests_are_the_models() {
    let mut random = Random::new();
    let mut dut = Dut::new();
    dut.set_rst(1);
    dut.tick();
    dut.set_rst(0);
    let mut model = BackPressure::new();
    let mut settings = [Thresholds::default(); 16];
    let mut held = [0u16; 17];
    // what the model is told when the gates act on it
    let mut looks: [Option<(usize, u64)>; 2] = [None; 2];
    let (mut asked, mut clears) = (None, [0u16; 2]);
    let (mut moves, mut requests, mut last) = (0, 0, (0, 0));
    for cycle in 0..200_000u32 {
        let path = random.below(16) as usize;
        if random.chance(1, 50) {
            settings[path] = Thresholds {
                cnp: any_threshold(&mut random),
                pfc: any_threshold(&mut random),
                ecn_clear: random.chance(1, 2),
            };
        }
        let queue = random.below(17) as usize;
        held[queue] = if random.chance(1, 20) { random.bits(16) as u16 } else { random.below(250) as u16 };
        let looked = random.chance(3, 4);
        let Thresholds { cnp, pfc, ecn_clear } = settings[path];
        dut.set_scan_valid(looked.into());
        dut.set_scan_path(path as u32);
        dut.set_scan_cnp_on(cnp.on);
        dut.set_scan_cnp_off(cnp.off);
        dut.set_scan_pfc_on(pfc.on);
        dut.set_scan_pfc_off(pfc.off);
        dut.set_scan_ecn_clear(ecn_clear.into());
        set_held(&mut dut, &held);
        let (valid, active) = (random.chance(1, 2), random.chance(3, 4));
        let (queue, flow, run) = (random.below(17) as usize, random.bits(12) as u32, random.bits(8) as u32);
        dut.set_judged_valid(valid.into());
        dut.set_judged_followed(active.into());
        dut.set_judged_queue(queue as u32);
        dut.set_judged_flow(flow);
        dut.set_judged_run(run);
        dut.settle();
        let levels = (dut.cnp_over() as u16, dut.pfc_over() as u16);
        assert_eq!(levels, model.levels(), "cycle {cycle}");
        assert_eq!(dut.ecn_clear() as u16, clears[0] & levels.0, "cycle {cycle}");
        let request = (dut.cnp_valid() == 1).then(|| (dut.cnp_flow(), dut.cnp_run()));
        assert_eq!(request, asked, "cycle {cycle}");
        moves += u32::from(levels != last);
        last = levels;
        asked = Some((flow, run)).filter(|_| valid && active && model.notifies(queue));
        requests += u32::from(asked.is_some());
        // the scan of the cycle before acts at the end of this one
        if let Some((path, bytes)) = looks[0] {
            model.look(path, bytes);
        }
        clears[0] = clears[1];
        looks = [None; 2];
        if looked {
            model.set(path, settings[path]);
            looks[0] = Some((path, 64 * u64::from(held[path])));
            clears[1] = clears[1] & !(1 << path) | u16::from(ecn_clear) << path;
        }
        dut.rise();
    }
    println!("{moves} moves, {requests} requests");
    assert!(moves > 10_000 && requests > 10_000);
}

/// The client is to be stopped while any path is over.
#[test]
fn one_path_is_enough_to_stop_the_client() {
    let mut dut = Dut::new();
    dut.set_rst(1);
    dut.tick();
    dut.set_rst(0);
    let look = |dut: &mut Dut, path: u32, beats: u16| {
        let mut held = [0; 17];
        held[path as usize] = beats;
        set_held(dut, &held);
        dut.set_scan_valid(1);
        dut.set_scan_path(path);
        dut.set_scan_pfc_on(6400);
        dut.set_scan_pfc_off(3200);
        dut.tick();
        dut.set_scan_valid(0);
        (0..3).for_each(|_| dut.tick());
        dut.settle();
        dut.over()
    };
    assert_eq!([look(&mut dut, 3, 99), look(&mut dut, 3, 100), look(&mut dut, 15, 200)], [0, 1, 1]);
    assert_eq!([look(&mut dut, 3, 51), look(&mut dut, 3, 50), look(&mut dut, 15, 50)], [1, 1, 0]);
}
