//! `watch`: a live table of paths and flows.

use super::{device, print, Common};
use crate::apply::describe::MODES;
use crate::apply::flows::live;
use crate::core::Core;
use crate::error::Result;
use crate::timetable::Slot;
use crate::transport::Transport;
use matchrdma_spec::regs::{meter, rate};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{stdout, IsTerminal, Write};
use std::time::{Duration, Instant};

/// A path, as of one look.
#[derive(Serialize)]
struct Path {
    path: usize,
    mode: &'static str,
    budget_gbps: Option<f64>,
    /// What left since the look before, Gb/s; `None` at the first.
    sent_gbps: Option<f64>,
    refused_frames: u64,
    /// Of the budget rail: bytes that wait here for the client port, and at the far gateway for us.
    occupancy_bytes: Option<u64>,
    waiting_bytes: Option<u64>,
    live: Option<bool>,
}

#[derive(Serialize)]
struct Seen {
    paths: Vec<Path>,
    /// Flows in each state; none without a record of what was applied.
    flows: BTreeMap<&'static str, usize>,
}

/// Starts at the top of a terminal that was cleared.
const HOME: &str = "\x1b[H\x1b[J";

/// Looks every so many seconds, until the end.
pub(super) fn watch(common: &Common, every: f64, seconds: Option<f64>) -> Result<()> {
    let mut host = device::host(common)?;
    let mirror = host.record().mirror.clone();
    let flows: Vec<u16> = match host.known() {
        true => live(&host.record().keys, |index| mirror.flow(index).enable).into_keys().collect(),
        false => vec![],
    };
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds.max(0.0)));
    let mut before: Vec<Option<(Instant, u64)>> = vec![None; host.core().caps().paths as usize];
    loop {
        let seen = look(host.core(), &flows, &mut before)?;
        let mut text = String::new();
        if stdout().is_terminal() {
            text += HOME;
        }
        text += "path  mode      budget Gb/s    sent Gb/s  refused  waits here  waits there  far\n";
        for p in seen
            .paths
            .iter()
            .filter(|p| p.sent_gbps.unwrap_or(1.0) > 0.0 || p.budget_gbps.is_some() || p.live.is_some())
        {
            let number = |value: Option<f64>| value.map_or("-".into(), |v| format!("{v:.3}"));
            let bytes = |value: Option<u64>| value.map_or("-".into(), |v| v.to_string());
            let far = p.live.map_or("-", |live| if live { "live" } else { "silent" });
            text += &format!(
                "{:4}  {:8}  {:>11}  {:>11}  {:>7}  {:>10}  {:>11}  {far}\n",
                p.path,
                p.mode,
                number(p.budget_gbps),
                number(p.sent_gbps),
                p.refused_frames,
                bytes(p.occupancy_bytes),
                bytes(p.waiting_bytes),
            );
        }
        let states: Vec<String> = seen.flows.iter().map(|(state, count)| format!("{count} {state}")).collect();
        text += &format!("flows: {}\n", if states.is_empty() { "none known".into() } else { states.join(", ") });
        print(common.json, &seen, &text);
        let _ = stdout().flush();
        let next = Instant::now() + Duration::from_secs_f64(every.max(0.01));
        if end.is_some_and(|end| next > end) {
            return Ok(());
        }
        std::thread::sleep(next - Instant::now());
    }
}

fn look<T: Transport>(core: &mut Core<T>, flows: &[u16], before: &mut [Option<(Instant, u64)>]) -> Result<Seen> {
    let slot = Slot { log2_cycles: core.read(&rate::SLOT_K)?, clock_hz: core.caps().clock_hz.into() };
    let mut paths = Vec::new();
    for (path, before) in before.iter_mut().enumerate() {
        let budget = core.budget(path)?;
        let [_, bytes, refused_frames] = core.meter(meter::QUEUE, path as u16)?;
        let now = Instant::now();
        let sent_gbps = before
            .replace((now, bytes))
            .map(|(then, old)| 8.0 * bytes.wrapping_sub(old) as f64 / (now - then).as_secs_f64() / 1e9);
        // A rail that is off does not answer; a path without a far gateway has nothing to say.
        let rail = core.look(path)?.filter(|rail| rail.session != 0);
        paths.push(Path {
            path,
            mode: MODES.get(usize::from(budget.mode)).unwrap_or(&"?"),
            budget_gbps: (!budget.open).then(|| slot.rate(budget.rate).in_gbps()),
            sent_gbps,
            refused_frames,
            occupancy_bytes: rail.map(|rail| rail.occupancy),
            waiting_bytes: rail.map(|rail| rail.waiting),
            live: rail.map(|rail| rail.live && !rail.lapsed),
        });
    }
    let mut states = BTreeMap::new();
    for index in flows {
        *states.entry(core.flow_state(*index)?.state).or_default() += 1;
    }
    Ok(Seen { paths, flows: states })
}
