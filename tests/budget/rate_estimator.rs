//! The estimator slot by slot, gates against model.

use crate::harness::Random;
use matchrdma_model::rate_estimator::{EstimatorCfg, RateEstimator, Slot};
use matchrdma_rtl::rate_estimator::Dut;

/// Cycles from `go` to `done`.
const TAKES: u32 = 61;

fn begin(dut: &mut Dut, cfg: EstimatorCfg) -> RateEstimator {
    dut.set_line(cfg.line as u32);
    dut.set_a(cfg.a);
    dut.set_p(cfg.p);
    dut.set_c(cfg.c);
    dut.set_h(cfg.h);
    dut.set_rst(1);
    (0..4).for_each(|_| dut.tick());
    dut.set_rst(0);
    RateEstimator::new(cfg)
}

fn slot(dut: &mut Dut, s: Slot) {
    dut.set_drained(s.drained);
    dut.set_other(s.other);
    dut.set_backlogged(s.backlogged.into());
    dut.set_waits(s.waits.into());
    dut.set_cnp(s.cnp.into());
    dut.set_longest(s.longest);
    dut.set_go(1);
    dut.tick();
    dut.set_go(0);
    // What the slot was like is taken with `go`.
    dut.set_drained(!s.drained);
    dut.set_other(!s.other);
    for cycle in 1..=TAKES {
        dut.settle();
        assert_eq!(dut.done() == 1, cycle == TAKES, "cycle {cycle}");
        if cycle < TAKES {
            dut.rise();
        }
    }
}

#[test]
fn gates_and_model_agree_over_100_000_random_slots() {
    let mut random = Random::new();
    let mut dut = Dut::new();
    let (mut held, mut jumps, mut idle) = (0u32, 0u32, 0u32);
    // A thousand ports of a hundred slots: their drain jumps, is noisy, and is now and then anything at all.
    for _ in 0..1000 {
        let line = match random.below(8) {
            0 => i64::from(u32::MAX),
            1 => random.below(100) as i64,
            _ => 50_000 + random.below(60_000_000) as i64,
        };
        let cfg = EstimatorCfg {
            line,
            a: random.below(8) as u32,
            p: random.below(8) as u32,
            c: random.below(6) as u32,
            h: random.below(16) as u32,
        };
        let mut model = begin(&mut dut, cfg);
        let (mut drain, mut was) = (line as u64, line);
        for n in 0..100 {
            if random.chance(1, 12) {
                drain = random.below(line as u64 + 1);
            }
            let noise = random.below(line as u64 / 8 + 1);
            let drained = match random.below(16) {
                0 => random.u32(),
                _ => (drain + noise).min(line as u64) as u32,
            };
            let (bits, loops) = (random.pick(&[8, 16, 24, 32]), random.pick(&[1, 3, 40]));
            let s = Slot {
                drained,
                other: if random.chance(1, 4) { random.bits(bits) as u32 } else { 0 },
                backlogged: random.chance(3, 4),
                waits: random.chance(1, 2),
                cnp: random.chance(1, 16),
                longest: random.below(loops) as u32,
            };
            model.slot(s);
            slot(&mut dut, s);
            let found = (i64::from(dut.est()), i64::from(dut.hi()));
            assert_eq!(found, (model.est(), model.hi()), "slot {n} of {cfg:?}: {s:?}");
            held += u32::from(s.cnp);
            jumps += u32::from((model.est() - was).abs() > line / 8);
            idle += u32::from(!s.backlogged);
            was = model.est();
        }
    }
    println!("{held} CNPs, {jumps} steps of more than an eighth of the line, {idle} slots without a backlog");
    assert!(held > 1000 && jumps > 1000 && idle > 10_000);
}

#[test]
fn a_reset_assumes_the_whole_port_again() {
    let mut dut = Dut::new();
    let cfg = EstimatorCfg { line: 1_638_400, a: 4, p: 4, c: 3, h: 9 };
    begin(&mut dut, cfg);
    let stands = Slot { backlogged: true, other: 5000, cnp: true, longest: 9, ..Slot::default() };
    (0..50).for_each(|_| slot(&mut dut, stands));
    assert!(dut.est() < 1_000_000 && dut.hi() < 1_638_400, "{} {}", dut.est(), dut.hi());
    let mut model = begin(&mut dut, cfg);
    dut.settle();
    assert_eq!((dut.est(), dut.hi()), (1_638_400, 1_638_400));
    (0..50).for_each(|_| {
        model.slot(stands);
        slot(&mut dut, stands);
        assert_eq!((i64::from(dut.est()), i64::from(dut.hi())), (model.est(), model.hi()));
    });
}
