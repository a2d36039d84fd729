//! The driver's own binary, killed at any moment of an apply to a device that is another process: the old configuration runs
//! whole, or the new one, and the next apply succeeds. `KILLS=n` says how often.

use super::bad_input::caps;
use super::configs;
use super::process::Rig;
use super::visit::wanted;
use crate::harness::Random;
use matchrdma::observe::Budget;
use matchrdma_spec::regs::entry::{MODE_CALENDAR, MODE_FIXED};
use matchrdma_spec::regs::table;
use std::time::{Duration, Instant};
use std::{env, thread};

const KILLS: usize = 10;
/// All configurations together have so many flows, and so they take no more indices.
const FLOWS: u64 = 120;
const ON: &str = "[gateway]\nenable = true\nslot_log2_cycles = 10\n";

/// What a device says of what it runs, as far as time does not change it.
#[derive(Debug, PartialEq)]
struct Snapshot {
    generation: u32,
    on: bool,
    /// Mode of each path in force, and rate and burst of those that have one.
    budgets: Vec<(u8, Option<(u32, u32)>)>,
    /// State and run of each flow that the configurations can have.
    flows: Vec<(&'static str, u8)>,
}

fn budget(budget: Budget) -> (u8, Option<(u32, u32)>) {
    (budget.mode, (budget.mode == MODE_FIXED).then_some((budget.rate, budget.burst)))
}

fn snapshot(rig: &Rig) -> Snapshot {
    let mut core = rig.core();
    core.wait("a commit", &table::STATUS, |word| table::BUSY.get(word) == 0).unwrap();
    let paths = core.caps().paths as usize;
    Snapshot {
        generation: core.read(&table::GENERATION).unwrap(),
        on: core.switches().unwrap().0,
        budgets: (0..paths).map(|path| budget(core.budget(path).unwrap())).collect(),
        flows: (0..FLOWS as u16)
            .map(|index| core.flow_state(index).unwrap())
            .map(|flow| (flow.state, flow.run))
            .collect(),
    }
}

/// The device runs this text, by its own word and by the driver's.
fn runs(rig: &Rig, text: &str, snapshot: &Snapshot) {
    let want = wanted(text, &caps()).unwrap();
    assert!(snapshot.on);
    for (path, (want, has)) in want.paths.iter().zip(&snapshot.budgets).enumerate() {
        let calendar = want.mode == MODE_CALENDAR && has.0 == MODE_CALENDAR;
        let fixed = (want.mode == MODE_FIXED).then_some((want.rate, want.burst));
        assert!(calendar || (want.mode, fixed) == *has, "path {path}: {want:?}, and {has:?} is in force");
    }
    let works = snapshot.flows.iter().filter(|(state, _)| *state == "Sync").count();
    assert_eq!(works, want.flows.len());
    let shown: serde_json::Value = serde_json::from_str(&rig.run(&["show", "flows", "--json"])).unwrap();
    assert_eq!(shown.as_array().unwrap().len(), want.flows.len());
}

/// Applies a text and lets it end; how long that took.
fn apply(rig: &Rig, text: &str) -> Duration {
    let config = rig.config(text);
    let begun = Instant::now();
    rig.run(&["apply", &config]);
    begun.elapsed()
}

#[test]
fn a_binary_killed_leaves_the_whole_old_or_the_whole_new_configuration() {
    let kills = env::var("KILLS").map_or(KILLS, |text| text.parse().expect("a number"));
    let mut random = Random::new();
    let rig = Rig::new();
    let mut took = Duration::ZERO;
    // Of the first one, every row is written; the second one is as those that are killed.
    for _ in 0..2 {
        let text = configs::random(&mut random, FLOWS, ON);
        took = apply(&rig, &text);
        runs(&rig, &text, &snapshot(&rig));
    }
    let mut ended = [0; 3];
    while ended[0] + ended[1] < kills {
        let kill: usize = ended.iter().sum();
        assert!(kill < 20 + 4 * kills, "the kills come too late: {ended:?}");
        let before = snapshot(&rig);
        let text = configs::random(&mut random, FLOWS, ON);
        let config = rig.config(&text);
        // Half of them late, where the commit is.
        let part = if kill.is_multiple_of(2) { random.below(1000) } else { 500 + random.below(450) };
        let begun = Instant::now();
        let mut child = rig.driver(&["apply", &config]).spawn().unwrap();
        thread::sleep((took * part as u32 / 1000).saturating_sub(begun.elapsed()));
        child.kill().unwrap();
        let whole = child.wait().unwrap().success();
        let after = snapshot(&rig);
        let is_new = after.generation != before.generation;
        assert!(is_new || !whole, "kill {kill}: it ended, and the old configuration runs");
        if !is_new {
            assert_eq!(after, before, "kill {kill}: neither the old configuration nor a new one");
        }
        ended[if whole { 2 } else { usize::from(is_new) }] += 1;
        let next = apply(&rig, &text);
        let now = snapshot(&rig);
        runs(&rig, &text, &now);
        if is_new {
            assert_eq!(now, after, "kill {kill}: the new configuration was not whole");
        } else {
            assert_eq!(now.generation, before.generation.wrapping_add(1), "kill {kill}");
            took = next;
        }
    }
    let [old, new, whole] = ended;
    println!(
        "{kills} kills: the old configuration ran after {old}, the new one after {new}; {whole} more came too late"
    );
    assert!(kills < 50 || old > 0 && new > 0, "the kills are spread: {ended:?}");
}
