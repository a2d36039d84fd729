//! Whoever is killed in an apply leaves the whole old configuration or the whole new one, and the next apply succeeds.

use super::bad_input::caps;
use super::tap::{Fuse, Fused, Runs, Tap};
use super::visit::{apply_text, running, wanted};
use super::{configs, model};
use crate::harness::Random;
use matchrdma::route_table::flatten;
use matchrdma::Kind;
use matchrdma_spec::regs::control;

/// Moments at which the driver is killed.
const KILLS: usize = 200;
/// Steps of an apply up to its commit: most of them load the shadow banks.
const MOST: u64 = 14_000;
const ON: &str = "[gateway]\nenable = true\n";

/// What a device does that has a configuration.
pub fn configured(text: &str) -> Runs {
    let want = wanted(text, &caps()).unwrap_or_else(|error| panic!("{error}"));
    let mut runs = Tap::new(model()).runs();
    let settings = want.settings.iter().copied().chain(want.law.iter().flat_map(|law| law.writes()));
    for (reg, word) in settings {
        runs.registers.entry(reg.name).and_modify(|old| *old = word);
    }
    runs.control = control::ENABLE.with(0, want.enable.into());
    runs.routes = flatten(&want.routes).unwrap().into_iter().map(Into::into).collect();
    runs.calendars = want.calendars.iter().map(|all| all.iter().flat_map(|entry| entry.pack()).collect()).collect();
    runs.flows = want.flows.iter().map(|f| (f.key_out, f.key_in, f.ack_ops_write, f.mtu)).collect();
    runs.paths = want.paths;
    runs
}

#[test]
fn a_configured_device_is_one_that_never_had_another_configuration() {
    let mut random = Random::new();
    let text = configs::random(&mut random, 100, ON);
    assert_eq!(running(model(), &text).0.runs().but(&configured(&text)), "");
}

#[test]
fn a_gateway_that_is_on_runs_the_whole_old_or_the_whole_new_configuration() {
    let mut random = Random::new();
    let mut old = configs::random(&mut random, 300, ON);
    let (mut device, store) = running(model(), &old);
    let mut ended = [0, 0, 0];
    for kill in 0..KILLS {
        let new = configs::random(&mut random, 300, ON);
        let (before, after) = (configured(&old), configured(&new));
        // Half of them once the commit was asked for, half of them before.
        let late = (random.below(2) == 0).then(|| random.below(80) as usize);
        let fuse = Fuse::of(if late.is_some() { usize::MAX } else { random.below(MOST) as usize });
        device.after_commit = late;
        device.fuse = fuse.clone();
        let killed = apply_text(&mut device, Fused(store.clone(), fuse), &new, false);
        (device.fuse, device.after_commit) = (Fuse::of(usize::MAX), None);
        let runs = device.runs();
        assert!(runs.torn.is_empty(), "kill {kill}: {:?}", runs.torn);
        let which = (runs == after).then_some(1).or((runs == before).then_some(0));
        let neither = || format!("not the old one:\n{}\nnor the new one:\n{}", runs.but(&before), runs.but(&after));
        let Some(which) = which else { panic!("kill {kill}: {}", neither()) };
        match killed {
            Ok(_) => {
                ended[2] += 1;
                assert!(runs == after, "kill {kill}: it ended\n{}", runs.but(&after));
            }
            Err(error) => {
                assert_eq!(error.kind, Kind::Gone, "{error}");
                ended[which] += 1;
            }
        }
        // The next apply, of the same configuration or of another one.
        let next = if random.below(2) == 0 { new } else { configs::random(&mut random, 300, ON) };
        apply_text(&mut device, store.clone(), &next, false).unwrap_or_else(|error| panic!("kill {kill}: {error}"));
        assert_eq!(device.runs().but(&configured(&next)), "", "kill {kill}: the next apply");
        old = next;
    }
    let [before, after, whole] = ended;
    println!(
        "{KILLS} kills: the old configuration ran after {before}, the new one after {after}; {whole} came too late"
    );
    assert!(before > KILLS / 4 && after > KILLS / 20, "the kills are spread: {ended:?}");
}

/// What is no table changes too: then the gateway is off in between, on the operator's word.
#[test]
fn a_gateway_that_is_stopped_runs_the_old_the_new_or_nothing() {
    let mut random = Random::new();
    let settings = |random: &mut Random| {
        let (k, ms) = (11 + random.below(4), 1 + random.below(50));
        format!("[gateway]\nslot_log2_cycles = {k}\n[timers]\ngap_timeout_us = {ms}e3\n[law]\nsite = 3\nround_trip_us = {ms}e2\n")
    };
    let first = settings(&mut random);
    let mut old = configs::random(&mut random, 60, &first);
    let (mut device, store) = running(model(), &old);
    let mut ended = [0; 3];
    for kill in 0..KILLS / 2 {
        let next = settings(&mut random);
        let new = configs::random(&mut random, 60, &next);
        let (before, after) = (configured(&old), configured(&new));
        let at = if kill % 3 == 0 { 14_000 - random.below(600) } else { random.below(1000) };
        let fuse = Fuse::of(at as usize);
        device.fuse = fuse.clone();
        let killed = apply_text(&mut device, Fused(store.clone(), fuse), &new, true);
        device.fuse = Fuse::of(usize::MAX);
        let runs = device.runs();
        let off = control::ENABLE.get(runs.control) == 0;
        match killed {
            Ok(_) => assert_eq!(runs.but(&after), "", "kill {kill}"),
            Err(_) => {
                assert!(off || runs == before || runs == after, "kill {kill}: on, and neither\n{}", runs.but(&after))
            }
        }
        ended[if off {
            0
        } else if runs == before {
            1
        } else {
            2
        }] += 1;
        apply_text(&mut device, store.clone(), &new, true).unwrap_or_else(|error| panic!("kill {kill}: {error}"));
        assert_eq!(device.runs().but(&after), "", "kill {kill}: the next apply");
        old = new;
    }
    println!(
        "{} kills: off after {}, the old configuration ran after {}, the new one after {}",
        KILLS / 2,
        ended[0],
        ended[1],
        ended[2]
    );
    assert!(ended[0] > 10 && ended[2] > 3, "{ended:?}");
}
