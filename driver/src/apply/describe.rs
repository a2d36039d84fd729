//! What will be otherwise than it is, in words.

use super::flows::Moves;
use crate::core::Caps;
use crate::learn::address;
use crate::tables::Mirror;
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::params::QUEUE_BYPASS;
use matchrdma_spec::regs::entry::{self, CalendarEntry, Path, Route};
use matchrdma_spec::regs::table::{CALENDAR, ROUTE, ROUTE_WORDS};
use matchrdma_spec::regs::{pacer, Reg};
use serde::Serialize;
use std::fmt;

/// One thing that changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// What.
    pub what: String,
    /// What it is; empty: it is not there.
    pub from: String,
    /// What it will be; empty: it goes.
    pub to: String,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.from.is_empty(), self.to.is_empty()) {
            (true, _) => write!(f, "+ {}: {}", self.what, self.to),
            (_, true) => write!(f, "- {}: {}", self.what, self.from),
            _ => write!(f, "~ {}: {} -> {}", self.what, self.from, self.to),
        }
    }
}

/// A register.
pub(super) fn register(reg: &Reg, from: u32, to: u32) -> Change {
    Change { what: reg.name.into(), from: format!("{from:#x}"), to: format!("{to:#x}") }
}

/// Names of the budget modes, by number.
pub const MODES: [&str; 6] = ["open", "fixed", "calendar", "live", "lesser", "off"];

/// Routes, paths and calendars.
pub(super) fn tables(old: &Mirror, new: &Mirror, caps: &Caps, settings: &[(Reg, u32)]) -> Vec<Change> {
    let mut changes = Vec::new();
    if old.wanted(ROUTE) != new.wanted(ROUTE) {
        changes.push(Change { what: "routes".into(), from: routes(old), to: routes(new) });
    }
    let slot_k = settings.iter().find(|(reg, _)| *reg == pacer::SLOT_K).map_or(0, |(_, k)| *k);
    let slot = crate::timetable::Slot { log2_cycles: slot_k, clock_hz: caps.clock_hz.into() };
    for n in 0..caps.paths as usize {
        let (a, b) = (old.path(n), new.path(n));
        if a != b {
            changes.push(Change { what: format!("path {n}"), from: path(&a, &slot), to: path(&b, &slot) });
        } else if calendar(old, n, &a) != calendar(new, n, &b) {
            let text = |mirror| format!("{:x?}", matchrdma_spec::hash::crc32(&bytes(calendar(mirror, n, &a))));
            changes.push(Change { what: format!("entries of path {n}, CRC"), from: text(old), to: text(new) });
        }
    }
    changes
}

/// Words of a path's entries that count.
fn calendar<'a>(mirror: &'a Mirror, n: usize, path: &Path) -> &'a [u32] {
    let forecast = usize::from(path.forecast_first) + usize::from(path.forecast_length);
    let used = forecast.max(path.length.into());
    &mirror.wanted(CALENDAR)[CalendarEntry::word(n, 0)..][..CalendarEntry::word(0, used)]
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Ranges of addresses in force, each by its first one.
pub fn ranges(mirror: &Mirror) -> Vec<Route> {
    let all = mirror.wanted(ROUTE).chunks(ROUTE_WORDS).map(Route::unpack);
    all.take_while(|route| !route.unused()).collect()
}

fn routes(mirror: &Mirror) -> String {
    let text: Vec<String> = ranges(mirror)
        .iter()
        .map(|route| match usize::from(route.queue) {
            QUEUE_BYPASS => format!("{} no path", address(route.v6, route.address)),
            path => format!("{} path {path}", address(route.v6, route.address)),
        })
        .collect();
    if text.is_empty() {
        return "none".into();
    }
    format!("from {}", text.join(", from "))
}

fn path(path: &Path, slot: &crate::timetable::Slot) -> String {
    let mut text = MODES.get(usize::from(path.mode)).unwrap_or(&"?").to_string();
    if path.paced() {
        text +=
            &format!(" {:.3} Gb/s ({} bytes a slot, burst {})", slot.rate(path.rate).in_gbps(), path.rate, path.burst);
    }
    if path.peer_on {
        let tag = if path.peer_key == [0; 16] { "no key" } else { "a key" };
        text += &format!(", site {} weight {} with {tag}", path.peer_site, path.weight);
    }
    if path.timed() {
        let again = if path.loops { "again and again" } else { "once" };
        text += &format!(", calendar of {} entries from slot {}, {again}", path.length, path.start);
    }
    if path.forecast_length > 0 {
        let again = if path.forecast_loops { "again and again" } else { "once" };
        text += &format!(", forecast of {} entries from slot {}, {again}", path.forecast_length, path.forecast_start);
    }
    for (what, on, off) in [("CNP", path.cnp_on, path.cnp_off), ("PFC", path.pfc_on, path.pfc_off)] {
        if on > 0 {
            text += &format!(", {what} from {on} to {off} bytes");
        }
    }
    if path.ecn_clear {
        text += ", ECN cleared";
    }
    debug_assert!(path.mode != entry::MODE_OFF || !path.paced());
    text
}

/// A flow by its keys.
pub fn flow(out: &FlowKey, back: &FlowKey) -> String {
    let v6 = out.v6 == 1;
    let vlan = if out.vlan == 0 { String::new() } else { format!(" vlan {:#x}", out.vlan) };
    format!("{} qp {:#x} -> {} qp {:#x}{vlan}", address(v6, out.src), back.qpn, address(v6, out.dst), out.qpn)
}

/// Flows that come, go, or start afresh.
pub(super) fn flows(moves: &Moves) -> Vec<Change> {
    let what = |index: &u16| format!("flow {index}");
    let none = String::new;
    let gone = moves.gone.iter().map(|(n, out, back)| Change { what: what(n), from: flow(out, back), to: none() });
    let new = moves.new.iter().map(|(n, out, back)| Change { what: what(n), from: none(), to: flow(out, back) });
    let afresh =
        moves.afresh.iter().map(|n| Change { what: what(n), from: "as it was".into(), to: "starts afresh".into() });
    gone.chain(new).chain(afresh).collect()
}
