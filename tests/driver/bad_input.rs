//! What is wrong is told once, with its place, and the device is not touched.

use super::tap::Tap;
use super::visit::{apply_text, wanted};
use super::{configs, model};
use matchrdma::apply::record::InMemory;
use matchrdma::core::{Caps, Core};
use matchrdma::transport::{At, Transport};
use matchrdma::{Error, Kind, Result};
use matchrdma_spec::pci::NOBODY;
use matchrdma_spec::regs::counters::COUNTERS;
use matchrdma_spec::regs::id;
use std::time::Instant;

/// A device of plain words: BARs of some sizes, and what its ID block reads.
struct Plain {
    bars: [u64; 6],
    window: At,
    words: Vec<u32>,
    /// Reads until it is gone.
    reads: usize,
}

impl Plain {
    fn core(bar: u8, offset: u64) -> Self {
        let mut bars = [0; 6];
        bars[usize::from(bar)] = offset + 0x1_0000;
        Plain { bars, window: At { bar, offset }, words: id::values(250_000_000).into(), reads: usize::MAX }
    }
}

impl Transport for Plain {
    fn name(&self) -> String {
        "0000:03:00.0".into()
    }

    fn bar_bytes(&self, bar: u8) -> u64 {
        self.bars[usize::from(bar)]
    }

    fn read32(&mut self, at: At) -> Result<u32> {
        if self.reads == 0 {
            return Ok(NOBODY);
        }
        self.reads -= 1;
        let of_window = at.bar == self.window.bar && at.offset >= self.window.offset;
        let word = of_window.then(|| (at.offset - self.window.offset) as usize / 4);
        Ok(word.and_then(|word| self.words.get(word)).copied().unwrap_or(0))
    }

    fn write32(&mut self, at: At, _: u32) -> Result<()> {
        panic!("a write at {at}: the device is not to be touched");
    }

    fn interrupt(&mut self, _: Instant) -> Result<bool> {
        Ok(false)
    }
}

pub fn caps() -> Caps {
    *Core::find(Plain::core(0, 0)).expect("a core").caps()
}

/// It says what, where, what was expected, what was found, and what to do.
fn whole(error: Error) -> Error {
    let parts = [&error.what, &error.place, &error.expected, &error.found, &error.remedy];
    assert!(parts.iter().all(|part| !part.is_empty()), "{error:?}");
    error
}

#[test]
fn the_core_is_found_where_it_may_be() {
    for (bar, offset) in [(0, 0), (2, 0x10_0000), (2, 0x20_0000)] {
        let core = Core::find(Plain::core(bar, offset)).unwrap();
        assert_eq!(core.window(), At { bar, offset });
    }
}

#[test]
fn what_is_no_core_of_ours_is_told_with_both_values() {
    let with = |word: usize, value: u32| {
        let mut device = Plain::core(0, 0);
        device.words[word] = value;
        whole(Core::find(device).map(|_| ()).unwrap_err())
    };
    let magic = with(0, 0xdead_beef);
    assert_eq!((magic.kind, magic.expected.contains("0x4d524431")), (Kind::NoCore, true), "{magic}");
    assert!(magic.found.contains("0xdeadbeef"), "{magic}");
    let version = id::VERSION_VALUE;
    for (other, word) in [(version - 1, "older"), (version + 1, "newer")] {
        let map = with(1, other);
        assert_eq!((map.kind, map.what.contains(word)), (Kind::Map, true), "{map}");
        assert_eq!((map.expected.clone(), map.found.clone()), (version.to_string(), other.to_string()));
    }
    let gone = with(0, NOBODY);
    assert_eq!((gone.kind, gone.found.contains("gone")), (Kind::Gone, true), "{gone}");
    let small = Core::find(Plain { bars: [0x1000, 0, 0, 0, 0, 0], ..Plain::core(0, 0) }).map(|_| ());
    let small = whole(small.unwrap_err());
    assert!(small.kind == Kind::NoCore && small.found.contains("too small"), "{small}");
    let nothing = whole(Core::find(Plain { words: vec![0; 9], ..Plain::core(0, 0) }).map(|_| ()).unwrap_err());
    assert_eq!(nothing.kind, Kind::NoCore, "{nothing}");
}

#[test]
fn a_device_that_goes_away_says_so() {
    let mut core = Core::find(Plain { reads: 12, ..Plain::core(0, 0) }).unwrap();
    let error = (0..20).find_map(|_| core.read(&id::CAPS_FLOWS).err()).expect("it goes away");
    assert_eq!(error.kind, Kind::Gone);
    assert!(error.to_string().contains("0000:03:00.0") && error.remedy.contains("rescan"), "{error}");
}

/// A fault: what is written, where it is found, a word of what is expected, and of what is found.
type Fault = (&'static str, &'static str, &'static str, &'static str);

const FAULTS: &[Fault] = &[
    ("[gateway]\nenabel = true\n", "2:1", "unknown field", "enabel"),
    ("[gateway\n", "1:9", "", ""),
    ("[gateway]\nslot_log2_cycles = 9\n", "2:20", "10 to 20", "9"),
    ("[gateway]\nslot_log2_cycles = \"x\"\n", "2:20", "expected u32", "x"),
    ("[[path]]\nindex = 16\n", "2:9", "0 to 15", "16"),
    ("[[path]]\nindex = 1\n[[path]]\nindex = 1\n", "4:9", "each path once", "2:9"),
    ("[[path]]\nindex = 1\nmode = \"fixed\"\n", "1:1", "a rate", "none"),
    ("[[path]]\nindex = 1\nmode = \"fixed\"\nrate_gbps = 100.1\n", "4:13", "100.000 Gb/s", "100.1"),
    ("[[path]]\nindex = 1\nmode = \"fixed\"\nrate_gbps = 1\nburst_bytes = 9000\n", "5:15", "9624", "9000"),
    ("[[path]]\nindex = 1\nmode = \"live\"\n", "1:1", "a peer", "Live"),
    ("[[path]]\nindex = 1\nmode = \"live\"\npeer = { site = 7 }\n", "4:8", "[law]", "none"),
    ("[[path]]\nindex = 0\npeer = { site = 7 }\n[[path]]\nindex = 1\npeer = { site = 7 }\n[law]\nsite = 1\nround_trip_us = 1\n", "6:8", "one path", "3:8"),
    ("[[path]]\nindex = 0\npeer = { site = 7, key_hex = \"00\" }\n", "3:30", "32", "00"),
    ("[[path]]\nindex = 0\npeer = { site = 7, weight = 0 }\n", "3:29", "1 to 255", "0"),
    ("[[path]]\nindex = 0\npeer = { site = 7 }\n[law]\nsite = 7\nround_trip_us = 1\n", "4:1", "another site", "path 0"),
    ("[law]\nsite = 7\nround_trip_us = 0\n", "3:17", "a time", "0"),
    ("[law]\nsite = 7\nround_trip_us = 5\ncapacity_kib = 1025\n", "4:16", "1024 KiB", "1025"),
    ("[gateway]\nslot_log2_cycles = 10\n[law]\nsite = 7\nround_trip_us = 5\n", "2:20", "at least 11", "10"),
    ("[[path]]\nindex = 1\nmode = \"calendar\"\n", "1:1", "a calendar", "none"),
    ("[[path]]\nindex = 1\nmode = \"calendar\"\n[path.calendar]\nentry = [{ budget_gbps = 100.5, duration_us = 500 }]\n", "5:10", "100.000 Gb/s", "100.5"),
    ("[[path]]\nindex = 1\nmode = \"calendar\"\n[path.calendar]\nentry = [{ budget_gbps = 1, duration_us = 5 }]\n", "5:10", "131.072 us", "5.000"),
    ("[[path]]\nindex = 1\nmode = \"calendar\"\n[path.calendar]\nrepeat = true\n", "4:1", "a file, or entries", "neither"),
    ("[[path]]\nindex = 1\ncnp_on_bytes = 5\ncnp_off_bytes = 6\n", "1:1", "5 bytes", "6 bytes"),
    ("[[route]]\nprefix = \"10.0.0.0/33\"\npath = 0\n", "2:10", "at most 32", "33"),
    ("[[route]]\nprefix = \"10.0.0.1/8\"\npath = 0\n", "2:10", "10.0.0.0/8", "10.0.0.1"),
    ("[[route]]\nprefix = \"ten\"\npath = 0\n", "2:10", "ADDRESS/LENGTH", "ten"),
    ("[[route]]\nprefix = \"10.0.0.0/8\"\npath = 16\n", "3:8", "0 to 15", "16"),
    ("[[route]]\nprefix = \"10.0.0.0/8\"\npath = 0\n[[route]]\nprefix = \"10.0.0.0/8\"\npath = 1\n", "5:10", "one path", "0 and 1"),
    ("[[path]]\nindex = 3\nmode = \"off\"\n[[route]]\nprefix = \"10.0.0.0/8\"\npath = 3\n", "6:8", "not off", "3"),
    ("[[flow]]\nrequester = \"10.1.0.1\"\nrequester_qpn = 5\nresponder = \"10.9.0.1\"\nresponder_qpn = 1\n", "5:17", "2 to 16777215", "1"),
    ("[[flow]]\nrequester = \"10.1.0.1\"\nrequester_qpn = 5\nresponder = \"fe80::1\"\nresponder_qpn = 5\n", "1:1", "one family", "fe80::1"),
    ("[[flow]]\nrequester = \"10.1.0.1\"\nrequester_qpn = 5\nresponder = \"10.9.0.1\"\nresponder_qpn = 5\nmtu_bytes = 1500\n", "6:13", "4096", "1500"),
    ("[[flow]]\nrequester = \"10.1.0.1\"\nrequester_qpn = 5\nresponder = \"10.9.0.1\"\nresponder_qpn = 5\n[[flow]]\nrequester = \"10.1.0.1\"\nrequester_qpn = 6\nresponder = \"10.9.0.1\"\nresponder_qpn = 5\n", "6:1", "no two", "test.toml:1:1"),
    ("[[flow]]\nrequester = \"10.1.0.1\"\nrequester_qpn = 5\nresponder = \"10.9.0.1\"\nresponder_qpn = 5\n[[flow]]\nrequester = \"10.1.0.1\"\nrequester_qpn = 5\nresponder = \"10.9.0.1\"\nresponder_qpn = 6\n", "6:1", "requester_qpn", "test.toml:1:1"),
    ("[timers]\ngap_timeout_us = 0\n", "2:18", "over 0", "0"),
    ("[client]\npfc_source_mac = \"2:x\"\n", "2:18", "six bytes", "2:x"),
    ("[client]\ncnp_dscp = 64\n", "2:12", "0 to 63", "64"),
];

#[test]
fn a_wrong_configuration_is_told_by_line_and_column_and_nothing_is_written() {
    for (text, place, expected, found) in FAULTS {
        let mut tap = Tap::new(model());
        let error = apply_text(&mut tap, InMemory::default(), text, false).map(|_| text).unwrap_err();
        assert_eq!(error.kind, Kind::Config, "{text}\n{error}");
        assert_eq!(error.place, format!("test.toml:{place}"), "{text}\n{error}");
        assert!(error.expected.contains(expected) && error.found.contains(found), "{text}\n{error}");
        assert!(!error.remedy.is_empty(), "{error}");
        assert_eq!(tap.writes, 0, "{text}");
    }
}

#[test]
fn what_is_too_large_for_the_core_is_refused() {
    let core = caps();
    let error = |text: &str, caps: Caps| whole(wanted(text, &caps).map(|_| ()).unwrap_err());
    let full = configs::full();
    wanted(&full, &core).unwrap_or_else(|error| panic!("{error}"));
    let fewer = error(&full, Caps { flows: 4095, ..core });
    assert!(
        fewer.kind == Kind::Config && fewer.expected.contains("at most 4095 flows") && fewer.found == "4096",
        "{fewer}"
    );
    let fewer = error(&full, Caps { prefixes: 63, ..core });
    assert!(fewer.expected.contains("at most 63 prefixes"), "{fewer}");
    let fewer = error(&full, Caps { paths: 8, ..core });
    assert!(fewer.expected.contains("0 to 7"), "{fewer}");
}

/// A device that is pulled out after so many accesses: reads give all ones, and writes go nowhere.
struct Vanishing<T>(T, usize);

impl<T: Transport> Vanishing<T> {
    fn here(&mut self) -> bool {
        self.1 = self.1.saturating_sub(1);
        self.1 > 0
    }
}

impl<T: Transport> Transport for Vanishing<T> {
    fn name(&self) -> String {
        self.0.name()
    }

    fn bar_bytes(&self, bar: u8) -> u64 {
        self.0.bar_bytes(bar)
    }

    fn read32(&mut self, at: At) -> Result<u32> {
        if self.here() {
            self.0.read32(at)
        } else {
            Ok(NOBODY)
        }
    }

    fn write32(&mut self, at: At, word: u32) -> Result<()> {
        if self.here() {
            self.0.write32(at, word)
        } else {
            Ok(())
        }
    }

    fn interrupt(&mut self, deadline: Instant) -> Result<bool> {
        self.0.interrupt(deadline)
    }
}

#[test]
fn a_device_that_goes_away_within_an_apply_or_a_look_says_so() {
    let mut random = crate::harness::Random::new();
    let text = format!("{}[law]\nsite = 3\nround_trip_us = 100\n", configs::random(&mut random, 20, ""));
    for _ in 0..40 {
        let device = Vanishing(model(), 1 + random.below(20_000) as usize);
        let error = whole(apply_text(device, InMemory::default(), &text, false).map(|_| ()).unwrap_err());
        assert!(error.kind == Kind::Gone && error.remedy.contains("rescan"), "{error}");
    }
    let mut looks = 0;
    for left in 1..400 {
        let mut core = match Core::find(Vanishing(model(), left)) {
            Ok(core) => core,
            Err(error) => {
                assert_eq!(error.kind, Kind::Gone, "{error}");
                continue;
            }
        };
        let none =
            |all: matchrdma::observe::Counters| assert!(COUNTERS.iter().all(|c| all.get(c) == 0), "{left}: {all:?}");
        let look = core.counters().map(none).and_then(|()| core.flow_state(7).map(|_| ()));
        let look = look.and_then(|()| core.meter(1, 0).map(|_| ()));
        looks += usize::from(look.is_err());
        assert!(look.is_ok() || look.is_err_and(|error| error.kind == Kind::Gone), "{left}");
    }
    assert!(looks > 50, "{looks}");
}
