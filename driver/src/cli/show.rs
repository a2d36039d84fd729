//! `show`: tables in force, with live state.

use super::{device, print, Common};
use crate::apply::describe::{flow, ranges, MODES};
use crate::apply::learnt::Standing;
use crate::error::{Error, Kind, Result};
use crate::learn::{address, Source};
use crate::observe::{Budget, FlowState};
use crate::timetable::Slot;
use crate::transport::Transport;
use clap::ValueEnum;
use matchrdma_spec::params::QUEUE_BYPASS;
use matchrdma_spec::regs::entry::CalendarEntry;
use matchrdma_spec::regs::rate;
use matchrdma_spec::regs::table::{CALENDAR, CALENDAR_WORDS};
use serde::Serialize;

/// Which table.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum What {
    /// Queue pairs, with their states
    Flows,
    /// Ranges of addresses
    Routes,
    /// Paths, with their budgets
    Paths,
    /// Budgets over time
    Calendar,
}

#[derive(Serialize)]
struct Flow {
    index: u16,
    keys: String,
    /// How it was learnt; none: a configuration names it.
    learnt: Option<Source>,
    #[serde(flatten)]
    state: FlowState,
}

#[derive(Serialize)]
struct Route {
    from: String,
    path: Option<u8>,
}

#[derive(Serialize)]
struct Path {
    path: usize,
    mode: &'static str,
    gbps: Option<f64>,
    #[serde(flatten)]
    budget: Budget,
}

#[derive(Serialize)]
struct Entry {
    path: usize,
    entry: usize,
    gbps: f64,
    slots: u32,
}

/// Shows it. Paths are the device's own word; the rest needs the record of what was applied.
pub(super) fn show(common: &Common, what: What) -> Result<()> {
    let mut host = device::host(common)?;
    let slot = Slot { log2_cycles: host.core().read(&rate::SLOT_K)?, clock_hz: host.core().caps().clock_hz.into() };
    if let What::Paths = what {
        let paths = host.core().caps().paths as usize;
        let paths = (0..paths).map(|n| host.core().budget(n).map(|budget| path(n, budget, &slot)));
        let paths = paths.collect::<Result<Vec<_>>>()?;
        let line = |p: &Path| match p.gbps {
            Some(gbps) => format!("path {:2}  {:8}  {gbps:9.3} Gb/s  burst {}\n", p.path, p.mode, p.budget.burst),
            None => format!("path {:2}  {:8}\n", p.path, p.mode),
        };
        print(common.json, &paths, &paths.iter().map(line).collect::<String>());
        return Ok(());
    }
    if !host.known() {
        let error = Error::new(Kind::Record, "showing a table in force").at(host.core().bus().name());
        let error = error.but("a record of what was applied", "none of this device as it is");
        return Err(error.so("a device cannot tell its tables: apply a configuration from this host first"));
    }
    let mirror = host.record().mirror.clone();
    match what {
        What::Flows => {
            let standing = host.standing();
            let flows = standing.iter().map(|Standing { index, keys, source }| {
                let state = host.core().flow_state(*index)?;
                Ok(Flow { index: *index, keys: flow(&keys.0, &keys.1), learnt: *source, state })
            });
            let flows = flows.collect::<Result<Vec<_>>>()?;
            let line = |f: &Flow| {
                let cause = f.state.cause.map_or(String::new(), |cause| format!("  last {cause}"));
                let learnt = f.learnt.map_or(String::new(), |source| format!("  learnt from {source}"));
                format!("flow {:4}  {:6}  debt {:6}  {}{learnt}{cause}\n", f.index, f.state.state, f.state.debt, f.keys)
            };
            print(common.json, &flows, &flows.iter().map(line).collect::<String>());
        }
        What::Routes => {
            let route = |r: &matchrdma_spec::regs::entry::Route| Route {
                from: address(r.v6, r.address).to_string(),
                path: (usize::from(r.queue) != QUEUE_BYPASS).then_some(r.queue),
            };
            let routes: Vec<Route> = ranges(&mirror).iter().map(route).collect();
            let line = |r: &Route| match r.path {
                Some(path) => format!("from {:39}  path {path}\n", r.from),
                None => format!("from {:39}  no path\n", r.from),
            };
            print(common.json, &routes, &routes.iter().map(line).collect::<String>());
        }
        What::Calendar => {
            let mut all = Vec::new();
            for path in 0..host.core().caps().paths as usize {
                let words = &mirror.wanted(CALENDAR)[CalendarEntry::word(path, 0)..];
                let entries =
                    words.chunks(CALENDAR_WORDS).take(mirror.path(path).length.into()).map(CalendarEntry::unpack);
                all.extend(entries.enumerate().map(|(entry, CalendarEntry { budget, slots })| Entry {
                    path,
                    entry,
                    gbps: slot.rate(budget).in_gbps(),
                    slots,
                }));
            }
            let line =
                |e: &Entry| format!("path {:2}  {:3}  {:9.3} Gb/s  {} slots\n", e.path, e.entry, e.gbps, e.slots);
            print(common.json, &all, &all.iter().map(line).collect::<String>());
        }
        What::Paths => {}
    }
    Ok(())
}

fn path(path: usize, budget: Budget, slot: &Slot) -> Path {
    let gbps = (!budget.open).then(|| slot.rate(budget.rate).in_gbps());
    Path { path, mode: MODES.get(usize::from(budget.mode)).unwrap_or(&"?"), gbps, budget }
}
