//! `probe`, `status`, `events`: what a gateway says.

use super::{device, print, Common};
use crate::core::Caps;
use crate::error::Result;
use crate::observe::Budget;
use crate::transport::Transport;
use matchrdma_spec::regs::counters::COUNTERS;
use matchrdma_spec::regs::{event, law, rate, table};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

#[derive(Serialize)]
struct Probed {
    device: String,
    window: String,
    #[serde(flatten)]
    caps: Caps,
}

/// `probe`.
pub(super) fn probe(common: &Common) -> Result<()> {
    let mut core = device::core(common)?;
    let probed = Probed { device: core.bus().name(), window: core.window().to_string(), caps: *core.caps() };
    let Caps { map_version, flows, paths, prefixes, data_bits, clock_hz, outbound_bytes, egress_bytes } = probed.caps;
    let text = format!(
        "{}: core at {}, register map {map_version}\n{flows} flows, {paths} paths, {prefixes} prefixes; {data_bits} bits at \
         {:.3} MHz; packet memory {} KiB towards the line, {} KiB towards the client\n",
        probed.device,
        probed.window,
        f64::from(clock_hz) / 1e6,
        outbound_bytes / 1024,
        egress_bytes / 1024
    );
    print(common.json, &probed, &text);
    Ok(())
}

#[derive(Serialize)]
struct Status {
    device: String,
    enable: bool,
    ack_on_arrival: bool,
    idle: bool,
    generation: u32,
    slot: u32,
    law_session: u32,
    events_waiting: u32,
    events_lost: u32,
    counters: BTreeMap<&'static str, u64>,
    paths: Vec<Budget>,
}

/// `status`.
pub(super) fn status(common: &Common, prometheus: bool) -> Result<()> {
    let mut core = device::core(common)?;
    let (enable, ack_on_arrival) = core.switches()?;
    let all = core.counters()?;
    let paths = core.caps().paths as usize;
    let status = Status {
        device: core.bus().name(),
        enable,
        ack_on_arrival,
        idle: core.idle()?,
        generation: core.read(&table::GENERATION)?,
        slot: core.read(&rate::SLOT)?,
        law_session: core.read(&law::SESSION)?,
        events_waiting: event::STATUS_WAITING.get(core.read(&event::STATUS)?),
        events_lost: core.read(&event::LOST)?,
        counters: COUNTERS.iter().map(|counter| (counter.name, all.get(counter))).collect(),
        paths: (0..paths).map(|n| core.budget(n)).collect::<Result<_>>()?,
    };
    if prometheus {
        print(false, &status, &exposition(&status));
        return Ok(());
    }
    let mut text = format!(
        "{}: {}{}{}, generation {}, slot {}\nbudget rail: {}\nevents: {} wait, {} lost\n",
        status.device,
        if enable { "on" } else { "off" },
        if ack_on_arrival { ", acknowledges on arrival (unsafe on reset)" } else { "" },
        if status.idle { ", idle" } else { "" },
        status.generation,
        status.slot,
        if status.law_session == 0 { "off".into() } else { format!("session {}", status.law_session) },
        status.events_waiting,
        status.events_lost,
    );
    for counter in COUNTERS {
        text += &format!("{:>20}  {}\n", status.counters[counter.name], counter.doc);
    }
    print(common.json, &status, &text);
    Ok(())
}

/// The text that Prometheus reads.
fn exposition(status: &Status) -> String {
    let mut text = String::new();
    let device = status.device.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    for counter in COUNTERS {
        let name = format!("matchrdma_{}_total", counter.name.to_lowercase());
        let value = status.counters[counter.name];
        text +=
            &format!("# HELP {name} {}\n# TYPE {name} counter\n{name}{{device=\"{device}\"}} {value}\n", counter.doc);
    }
    let gauges = [
        ("enabled", "1: the gateway is on", u32::from(status.enable)),
        ("generation", "commits of tables since reset", status.generation),
        ("events_waiting", "events that wait", status.events_waiting),
    ];
    for (name, doc, value) in gauges {
        let name = format!("matchrdma_{name}");
        text += &format!("# HELP {name} {doc}\n# TYPE {name} gauge\n{name}{{device=\"{device}\"}} {value}\n");
    }
    let name = "matchrdma_path_rate_bytes_per_slot";
    text += &format!("# HELP {name} rate in force, 0 when open\n# TYPE {name} gauge\n");
    for (n, path) in status.paths.iter().enumerate() {
        text += &format!("{name}{{device=\"{device}\",path=\"{n}\"}} {}\n", path.rate);
    }
    text
}

/// An interrupt may be so late and has still come.
const LATE: Duration = Duration::from_millis(200);

/// `events`: what waits, then what comes, by interrupt.
pub(super) fn events(common: &Common, seconds: Option<f64>, json: bool) -> Result<()> {
    let mut core = device::core(common)?;
    let stop = super::told_to_end()?;
    let old = core.read(&event::CONTROL)?;
    core.write(&event::CONTROL, event::CONTROL_IRQ_EVENTS.with(old, 1))?;
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds.max(0.0)));
    let clock = f64::from(core.caps().clock_hz);
    // What waited before we came has interrupted nobody.
    let (mut told, mut warned) = (true, false);
    loop {
        while let Some(event) = core.event()? {
            let of = if event.name.starts_with("LEASE") || event.name.starts_with("PEER") { "path" } else { "flow" };
            let at = event.cycles as f64 / clock;
            let text = format!("{at:12.6} s  {of} {:4}  {:16}  PSN {:#08x}\n", event.flow, event.name, event.psn);
            print(json, &event, &text);
            told = told || core.bus().interrupt(Instant::now() + LATE)?;
            if !told && !warned {
                warned = true;
                eprintln!(
                    "matchrdma: an event without an interrupt: at {}: expected an MSI-X message, found none; events are \
                     looked for once a second; see /proc/interrupts and lspci -vv: MSI-X enabled, BusMaster+",
                    core.bus().name()
                );
            }
        }
        let soon = Instant::now() + Duration::from_secs(1);
        if stop.load(Ordering::Relaxed) || end.is_some_and(|end| Instant::now() >= end) {
            return core.write(&event::CONTROL, old);
        }
        // A second at most: an event is not left lying if its interrupt is lost.
        told = core.bus().interrupt(end.map_or(soon, |end| end.min(soon)))?;
    }
}
