//! Sixteen ledgers, gates against model.

use crate::harness::Random;
use matchrdma_model::ledger::{Ledger, LIMITS, SLOTS};
use matchrdma_rtl::reservoir_ledger::Dut;

const PATHS: usize = 16;
/// Cycles from a pulse to the end of `busy`: nine rounds and what is on its way.
const TAKES: u32 = 9 * 16 + 6;

fn pulse(dut: &mut Dut, set: fn(&mut Dut, u32)) {
    set(dut, 1);
    dut.tick();
    set(dut, 0);
    for cycle in 1..=TAKES {
        dut.settle();
        assert_eq!(dut.busy() == 1, cycle < TAKES, "cycle {cycle}");
        if cycle < TAKES {
            dut.rise();
        }
    }
}

/// One slot of all paths: what is looked up, then what is noted.
fn slot(dut: &mut Dut, model: &mut [Ledger], slot: u64, echo: &[u64; PATHS], next: &[(u32, u64); PATHS]) {
    dut.set_slot(slot);
    for (path, echo) in echo.iter().enumerate() {
        dut.set_echo_we(1);
        dut.set_echo_path(path as u32);
        dut.set_echo(*echo);
        dut.tick();
    }
    dut.set_echo_we(0);
    pulse(dut, Dut::set_look);
    for (path, ledger) in model.iter_mut().enumerate() {
        dut.set_at(path as u32);
        dut.tick();
        dut.settle();
        let loops = slot.saturating_sub(echo[path]).min(4095);
        let found = (u64::from(dut.loops()), dut.in_flight(), dut.largest());
        let want = (loops, ledger.in_flight(echo[path]).unwrap_or(0), ledger.largest_limit(echo[path]));
        assert_eq!(found, want, "path {path} of slot {slot}, echo {}", echo[path]);
    }
    for (path, (grant, limit)) in next.iter().enumerate() {
        dut.set_budget_path(path as u32);
        dut.set_budget((*grant).into());
        dut.set_grant_we(1);
        dut.tick();
        dut.set_grant_we(0);
        dut.set_budget(*limit);
        dut.set_limit_we(1);
        dut.tick();
        dut.set_limit_we(0);
        model[path].note((*grant).into(), *limit);
    }
    pulse(dut, Dut::set_note);
}

fn reset(dut: &mut Dut) {
    dut.set_rst(1);
    (0..3).for_each(|_| dut.tick());
    dut.set_rst(0);
}

#[test]
fn gates_and_model_agree_over_queues_of_all_lengths() {
    let mut random = Random::new();
    let mut dut = Dut::new();
    let (mut longest, mut lost) = (0, 0);
    for run in 0..3 {
        // A reset forgets all, whatever the tables hold.
        reset(&mut dut);
        let mut model = vec![Ledger::default(); PATHS];
        let (mut echo, mut limit) = ([0u64; PATHS], [1u64 << 40; PATHS]);
        for n in 0..[9000, 700, 700][run] {
            for (path, echo) in echo.iter_mut().enumerate() {
                // Loops of very different lengths; for long stretches nothing is heard; now and then an echo of a slot to come.
                let dead = (n / 700 + path as u64).is_multiple_of(5) && path > 3;
                if !dead && random.chance(1, 1 + path as u64 % 4) {
                    *echo = (*echo).max(n.saturating_sub([1, 3, 60, 300, 2046, 2047, 2048, 2050][path % 8]));
                    if random.chance(1, 500) {
                        *echo = n + random.below(3);
                    }
                }
                lost += u32::from(n - n.min(*echo) > SLOTS);
            }
            let next = std::array::from_fn(|path| {
                // Some rise, some fall for long, some go up and down.
                let step = random.below(1 << 12);
                limit[path] = match (n / [40, 300, 1000][path % 3]) % 3 {
                    0 => limit[path] + step,
                    1 => limit[path] - step,
                    _ => limit[path] + random.below(1 << 13) - (1 << 12),
                };
                if random.chance(1, 300) {
                    limit[path] += 1 << 20;
                }
                let grant = if random.chance(1, 50) { u32::MAX } else { random.bits(20) as u32 };
                (grant, if random.chance(1, 40) { 0 } else { limit[path] })
            });
            slot(&mut dut, &mut model, n, &echo, &next);
            longest = longest.max(model.iter().map(Ledger::limits).max().unwrap_or(0));
        }
    }
    println!("up to {longest} limits in a queue; {lost} echoes beyond the ledger");
    assert!(longest == LIMITS && lost > 1000);
}
