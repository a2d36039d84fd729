//! A configuration with as much as a core holds. Tests of the driver take it, too, wherever they run.

use matchrdma_spec::params::{CALENDAR_ENTRIES, FLOWS, PATHS, PREFIXES};
use std::fmt::Write;

/// Flows, prefixes, and calendars of all paths, of a gateway that is on.
pub fn full() -> String {
    let mut text = String::from("[gateway]\nenable = true\nslot_log2_cycles = 10\n");
    // Writing to a String cannot fail.
    let mut add = |part: std::fmt::Arguments| {
        let _ = text.write_fmt(part);
    };
    for path in 0..PATHS {
        add(format_args!("[[path]]\nindex = {path}\nmode = \"calendar\"\n[path.calendar]\nrepeat = true\n"));
        for entry in 0..CALENDAR_ENTRIES {
            let (gbps, us) = (1 + entry % 97, 140 + entry);
            add(format_args!("[[path.calendar.entry]]\nbudget_gbps = {gbps}\nduration_us = {us}\n"));
        }
    }
    for n in 0..PREFIXES {
        add(format_args!("[[route]]\nprefix = \"10.{n}.0.0/16\"\npath = {}\n", n % PATHS));
    }
    for n in 0..FLOWS {
        let (a, b, c) = (n / 200, 1 + n % 200, n % PREFIXES);
        let (near, far) = (256 + n, 70_000 + n);
        add(format_args!("[[flow]]\nrequester = \"192.168.{a}.{b}\"\nrequester_qpn = {near}\n"));
        add(format_args!("responder = \"10.{c}.0.1\"\nresponder_qpn = {far}\n"));
    }
    text
}
