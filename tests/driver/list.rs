//! What the driver does with a device, whatever device it is.

use super::configs;
use super::tap::Tap;
use super::visit::{apply_text, running, wanted};
use crate::harness::Random;
use matchrdma::apply::host::Host;
use matchrdma::apply::record::InMemory;
use matchrdma::core::Core;
use matchrdma::flow_table::FlowTable;
use matchrdma::transport::Transport;
use matchrdma::Kind;
use matchrdma_spec::params::{CALENDAR_ENTRIES, FLOWS, PATHS};
use matchrdma_spec::pci::NOBODY;
use matchrdma_spec::regs::{control, id, table, timer};

/// Each check of the list as a test of its own, in a module named after the kind of device, which is what a function of
/// that name gives: one out of reset. The last is gone when the next is asked for. All have the attribute, if there is one.
macro_rules! on {
    ($device:ident) => {
        on!($device, [cfg(test)]);
    };
    ($device:ident, $attribute:tt) => {
        on!($device, $attribute:
            it_is_found_and_says_who_it_is,
            a_dry_run_writes_nothing,
            what_is_applied_runs,
            the_same_again_is_no_work,
            another_host_without_the_record_must_stop_it,
            a_lost_record_is_no_lost_device,
            settings_need_a_stop,
            a_full_load_is_whole,
            flows_that_cannot_stand_beside_each_other_need_a_stop,
        );
    };
    ($device:ident, $attribute:tt: $($check:ident,)+) => {
        mod $device {
            use super::{$device, list};
            $(
                #[test]
                #$attribute
                fn $check() {
                    list::$check($device);
                }
            )+
        }
    };
}

const SMALL: &str = "[gateway]\nslot_log2_cycles = 10\n";

pub fn it_is_found_and_says_who_it_is<T: Transport>(device: impl Fn() -> T) {
    let mut core = Core::find(device()).unwrap();
    let caps = *core.caps();
    assert_eq!((caps.flows as usize, caps.paths as usize, caps.map_version), (FLOWS, PATHS, id::VERSION_VALUE));
    core.write(&id::SCRATCH, 0x1234_5678).unwrap();
    assert_eq!(core.read(&id::SCRATCH), Ok(0x1234_5678));
    let bus = core.window();
    assert_eq!(core.bus().read64(bus).unwrap() >> 32, u64::from(id::VERSION_VALUE));
    match core.bus().read32(bus.plus(0x0ffc)) {
        Ok(word) => assert_eq!(word, NOBODY, "outside of the map, seen through a bridge"),
        Err(outside) => assert_eq!(outside.kind, Kind::Access, "{outside}"),
    }
    assert_eq!(core.switches(), Ok((false, false)));
    // Out of reset it clears its contexts first.
    core.wait("waiting until nothing is inside", &control::STATUS, |word| control::IDLE.get(word) == 1).unwrap();
    assert_eq!(core.idle(), Ok(true));
    assert_eq!(core.flow_state(7).unwrap().state, "Off");
    assert_eq!(core.look(3), Ok(None), "the rail is off");
}

pub fn a_dry_run_writes_nothing<T: Transport>(device: impl Fn() -> T) {
    let mut tap = Tap::new(device());
    let mut host = Host::attach(Core::find(&mut tap).unwrap(), InMemory::default()).unwrap();
    let wanted = wanted(&configs::random(&mut Random::new(), 20, SMALL), &host.core().caps().clone()).unwrap();
    let plan = host.plan(&wanted, false).unwrap();
    assert!(!plan.changes.is_empty() && plan.tables != 0);
    drop(host);
    assert_eq!(tap.writes, 0);
}

pub fn what_is_applied_runs<T: Transport>(device: impl Fn() -> T) {
    let mut random = Random::new();
    let first = configs::random(&mut random, 40, SMALL);
    let (mut tap, store) = running(device(), &first);
    for round in 0..4 {
        let text = configs::random(&mut random, 40, SMALL);
        apply_text(&mut tap, store.clone(), &text, false).unwrap_or_else(|error| panic!("{error}"));
        let mut core = Core::find(&mut tap).unwrap();
        let caps = *core.caps();
        let want = wanted(&text, &caps).unwrap();
        assert_eq!(core.switches(), Ok((true, false)));
        for (n, path) in want.paths.iter().enumerate() {
            // A calendar's budget is what it says, not the path's own.
            let budget = core.budget(n).unwrap();
            assert_eq!((budget.mode, budget.burst), (path.mode, path.burst), "path {n}");
            assert!(path.timed() || budget.rate == if path.paced() { path.rate } else { 0 }, "path {n}: {budget:?}");
        }
        assert_eq!(core.read(&table::GENERATION), Ok(round + 2));
        let runs = tap.runs();
        assert!(runs.torn.is_empty(), "{:?}", runs.torn);
        assert_eq!(runs.paths, want.paths);
        let flows = want.flows.iter().map(|f| (f.key_out, f.key_in, f.ack_ops_write, f.mtu));
        assert_eq!(runs.flows, flows.collect());
        for (path, calendar) in want.calendars.iter().enumerate() {
            let words: Vec<u32> = calendar.iter().flat_map(|entry| entry.pack()).collect();
            assert_eq!(runs.calendars[path], words, "path {path}");
        }
    }
}

pub fn the_same_again_is_no_work<T: Transport>(device: impl Fn() -> T) {
    let text = configs::random(&mut Random::new(), 40, SMALL);
    let (mut tap, store) = running(device(), &text);
    let before = tap.writes;
    let done = apply_text(&mut tap, store, &text, false).unwrap();
    assert_eq!((tap.writes, done.tables), (before, 0));
}

pub fn another_host_without_the_record_must_stop_it<T: Transport>(device: impl Fn() -> T) {
    let mut random = Random::new();
    let (mut tap, _) = running(device(), &configs::random(&mut random, 40, SMALL));
    let (before, text) = (tap.writes, configs::random(&mut random, 40, SMALL));
    let refused = apply_text(&mut tap, InMemory::default(), &text, false).unwrap_err();
    assert_eq!((refused.kind, tap.writes), (Kind::Unreachable, before), "{refused}");
    apply_text(&mut tap, InMemory::default(), &text, true).unwrap_or_else(|error| panic!("{error}"));
    let runs = tap.runs();
    assert!(runs.torn.is_empty() && control::ENABLE.get(runs.control) == 1, "{:?}", runs.torn);
}

/// After a stop without a record the device is as if it had never run anything else.
pub fn a_lost_record_is_no_lost_device<T: Transport>(device: impl Fn() -> T) {
    let mut random = Random::new();
    let (mut tap, _) = running(device(), &configs::random(&mut random, 100, SMALL));
    // Without a route, so that the old ones must go.
    let text = format!(
        "{SMALL}[[flow]]\nrequester = \"10.1.0.1\"\nrequester_qpn = 9\nresponder = \"10.9.0.1\"\nresponder_qpn = 8\n"
    );
    apply_text(&mut tap, InMemory::default(), &text, true).unwrap();
    let runs = tap.runs();
    drop(tap);
    let (mut alone, _) = running(device(), &text);
    assert_eq!(runs.but(&alone.runs()), "");
}

pub fn settings_need_a_stop<T: Transport>(device: impl Fn() -> T) {
    let mut random = Random::new();
    let (mut tap, store) = running(device(), &configs::random(&mut random, 10, SMALL));
    let before = tap.writes;
    let text = format!("{SMALL}[timers]\ngap_timeout_us = 20e3\n");
    let refused = apply_text(&mut tap, store.clone(), &text, false).unwrap_err();
    assert_eq!((refused.kind, tap.writes), (Kind::Unreachable, before));
    assert!(refused.to_string().contains("TIMER_GAP_TIMEOUT"), "{refused}");
    apply_text(&mut tap, store, &text, true).unwrap();
    assert_eq!(Core::find(&mut tap).unwrap().read(&timer::GAP_TIMEOUT), Ok(77));
}

pub fn a_full_load_is_whole<T: Transport>(device: impl Fn() -> T) {
    let start = std::time::Instant::now();
    let text = configs::full();
    let (mut tap, store) = running(device(), &text);
    let took = start.elapsed();
    let runs = tap.runs();
    assert!(runs.torn.is_empty(), "{:?}", runs.torn);
    assert_eq!((runs.flows.len(), runs.paths.len()), (FLOWS, PATHS));
    assert!(runs.calendars.iter().all(|words| words.len() == table::CALENDAR_WORDS * CALENDAR_ENTRIES));
    println!("a full load: {} writes, {:.2} s", tap.writes, took.as_secs_f64());
    // Half of it again: the rest goes.
    let half = text[..text.rfind("qpn = 72048").unwrap()].to_owned();
    let half = half[..half.rfind("[[flow]]").unwrap()].to_owned();
    let before = tap.writes;
    apply_text(&mut tap, store, &half, false).unwrap();
    println!("without half of its flows: {} writes", tap.writes - before);
    assert_eq!(tap.runs().flows.len(), FLOWS / 2);
}

pub fn flows_that_cannot_stand_beside_each_other_need_a_stop<T: Transport>(device: impl Fn() -> T) {
    let flow = |back: u32| {
        format!("{SMALL}[[flow]]\nrequester = \"10.1.0.1\"\nrequester_qpn = {back}\nresponder = \"10.9.0.1\"\nresponder_qpn = 8\n")
    };
    let (mut tap, store) = running(device(), &flow(5));
    let before = tap.runs();
    let refused = apply_text(&mut tap, store.clone(), &flow(6), false).unwrap_err();
    assert_eq!((refused.kind, refused.place.as_str()), (Kind::Unreachable, "test.toml:3:1"), "{refused}");
    assert_eq!(tap.runs(), before);
    apply_text(&mut tap, store.clone(), &flow(6), true).unwrap();
    let (flows, torn) = (tap.runs().flows, tap.runs().torn);
    assert!(flows.iter().all(|f| f.1.qpn == 6) && flows.len() == 1 && torn.is_empty(), "{flows:?} {torn:?}");
    // A key that moved stays: the key tables of the host are those of the device.
    let mut host = Host::attach(Core::find(&mut tap).unwrap(), store).unwrap();
    assert_eq!(host.record().keys.each_ref().map(FlowTable::len), [1, 1]);
    assert_eq!(host.core().flow_state(0).unwrap().state, "Sync");
}
