//! `matchrdma-sim run`: one scenario, every scheme it can be run with, on verilated gateways or those of the model.
//! Whatever the near one says to a sender is held against `model::invariants`: a broken promise ends the run.

use crate::cli::Done;
use crate::closed_loop::{self, pair_keys, CountFrom, Outcome, Slot};
use crate::configure::Host;
use crate::engine::Gateway;
use crate::model_gateway::ModelGateway;
use crate::nic::LOSSLESS_CLASS;
use crate::outdir::OutDir;
use crate::report;
use crate::rtl_gateway::RtlGateway;
use crate::scenario::{Pair, Scenario, Scheme, Sender};
use crate::setup::{configure, configure_destination};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::params::OVERHEAD_BYTES;
use matchrdma_spec::regs::counters::{COUNTERS, DROP_PFC};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

/// Runs a scenario on its gateways and compares schemes
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: matchrdma-sim run sim/scenarios/ack-clock/scenario.toml --out target/ack-clock")]
pub struct Args {
    /// Scenario file
    scenario: PathBuf,
    /// What the gateways are made of
    #[arg(long, value_enum, default_value = "rtl")]
    engine: Engine,
    /// Seed of everything random, in place of the scenario's
    #[arg(long)]
    seed: Option<u64>,
    /// How the data centre drains, in place of the scenario's word
    #[arg(long)]
    drain: Option<String>,
    /// Round trips that are counted, in place of the scenario's
    #[arg(long)]
    round_trips: Option<u64>,
    /// Result folder, made whole or not at all
    #[arg(long)]
    out: PathBuf,
    /// Print summary.json instead of the table
    #[arg(long)]
    json: bool,
}

/// What the gateways are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// The gates, in Verilator
    #[default]
    Rtl,
    /// The golden model
    Model,
}

impl Engine {
    /// One of them, out of reset.
    pub fn gateway(self) -> Box<dyn Gateway> {
        match self {
            Engine::Rtl => Box::new(RtlGateway::new()),
            Engine::Model => Box::new(ModelGateway::new()),
        }
    }
}

/// How a scheme did. Keys that a scheme has no meaning for are absent.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct SchemeSummary {
    /// Payload placed in order at the receiver.
    pub goodput_bps: f64,
    /// Against the bypass run, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goodput_ratio_to_bypass: Option<f64>,
    /// Of what the data centre could have drained, frames with their overhead, the part that it did.
    pub drain_utilisation: f64,
    /// What waited in the destination gateway.
    pub occupancy_bytes: Occupancy,
    /// Lowest peak that any law could have: nothing changes its drain here.
    pub floor_bytes: u64,
    /// One slot at the budget of all paths.
    pub slot_bytes: u64,
    /// Frames that the gateways refused.
    pub dropped_frames: u64,
    /// Of what the line could carry, the part that budget frames and their overhead took: where and whichever way it was most.
    pub budget_overhead: f64,
    /// Round trips from the start until every flow was acknowledged by its gateway.
    pub settle_rtts: Option<f64>,
    /// Frames that the senders sent again.
    pub repeated_frames: u64,
    /// ACKs and NAKs that the senders received.
    pub acks: u64,
    /// NAKs that the senders received.
    pub naks: u64,
    /// Of these, such as named a gap again within the gap timeout.
    pub naks_again: u64,
    /// Retransmission timers that ran out.
    pub timeouts: u64,
    /// CNPs that the senders received.
    pub cnps: u64,
    /// PFC frames that stopped the senders' port.
    pub pfc_stops: u64,
    /// Part of the time that PFC held the senders' port.
    pub paused_share: f64,
    /// Payload of the queue pair that placed least, against an equal share.
    pub least_share: f64,
    /// Queue pairs that ended in a state that is not Sync or Active, or placed nothing in the last quarter.
    pub dead_flows: u64,
    /// Cycles of the gateway pair simulated per second.
    pub cycles_per_second: f64,
}

/// Bytes over slots.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct Occupancy {
    /// Most.
    pub peak: u64,
    /// Mean over the slots.
    pub mean: u64,
    /// 99 % of the slots had no more.
    pub p99: u64,
}

/// `summary.json`.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Summary {
    /// Version of the program that wrote it.
    pub version: String,
    /// The scenario as it was read.
    pub parameters: Scenario,
    /// What the gateways were made of.
    #[serde(default)]
    pub engine: Engine,
    /// The seed.
    pub seed: u64,
    /// What the window allows at most: window over round trip, all queue pairs together, or the line.
    pub window_limit_bps: f64,
    /// What the budget allows: payload share of the budget.
    pub budget_limit_bps: f64,
    /// By scheme.
    pub schemes: BTreeMap<String, SchemeSummary>,
}

/// Does it.
pub fn run(args: &Args) -> Done {
    let mut s = Scenario::read(&args.scenario)?;
    s.seed = args.seed.unwrap_or(s.seed);
    s.round_trips = args.round_trips.unwrap_or(s.round_trips);
    s.destination.drain = args.drain.clone().unwrap_or(s.destination.drain);
    s.check()?;
    let out = OutDir::begin(&args.out, &report::FILES)?;
    let mut runs = schemes(&s, args.engine)?;
    let base = runs.iter().find(|run| run.0 == Scheme::Bypass).map(|run| run.2.goodput_bps);
    for (.., summary) in &mut runs {
        summary.goodput_ratio_to_bypass = base.map(|base| summary.goodput_bps / base);
    }
    let summary = Summary {
        version: env!("CARGO_PKG_VERSION").into(),
        engine: args.engine,
        seed: s.seed,
        window_limit_bps: window_limit_bps(&s),
        budget_limit_bps: budget_limit_bps(&s),
        schemes: runs.iter().map(|run| (run.0.name().into(), run.2.clone())).collect(),
        parameters: s.clone(),
    };
    let series = series(&s, &runs);
    let text = serde_json::to_string_pretty(&summary).expect("numbers and strings") + "\n";
    out.write("series.csv", series.as_bytes())?;
    out.write("summary.json", text.as_bytes())?;
    for (name, page) in report::pages(&text, &series)? {
        out.write(&name, page.as_bytes())?;
    }
    out.publish()?;
    if args.json {
        print!("{text}");
    } else {
        println!("{}", report::table(&summary));
        println!("plots: {}", args.out.join("report.html").display());
    }
    Ok(())
}

/// Runs every scheme of a scenario on gateways of its own.
pub fn schemes(s: &Scenario, engine: Engine) -> Result<Vec<(Scheme, Outcome, SchemeSummary)>, String> {
    let count = s.round_trips * s.round_trip_cycles();
    // A sample needs one answered message; three round trips allow for one that was resampled.
    let at_most = s.last_start_cycle() + 4 * s.round_trip_cycles() + s.cycles(20_000.0);
    let mut runs: Vec<(Scheme, Outcome, SchemeSummary)> = vec![];
    let mut from = CountFrom::Active { at_most };
    // Bypass counts from the instant that the others' first did.
    let mut order = s.schemes.clone();
    order.sort_by_key(|scheme| *scheme == Scheme::Bypass);
    for kind in order {
        let begin = if kind == Scheme::Bypass { from } else { CountFrom::Active { at_most } };
        let (outcome, summary) = scheme(s, engine, kind, begin, count)?;
        if outcome.backwards > 0 {
            let (name, n) = (kind.name(), outcome.backwards);
            return Err(format!("{name}: {n} ACKs stepped back at a sender: expected none"));
        }
        if let (CountFrom::Active { .. }, Some(cycle)) = (from, outcome.active_cycle) {
            from = CountFrom::Cycle(cycle);
        }
        runs.push((kind, outcome, summary));
    }
    runs.sort_by_key(|run| run.0);
    Ok(runs)
}

/// Window over round trip, all queue pairs together; at most the line.
fn window_limit_bps(s: &Scenario) -> f64 {
    let seconds = s.round_trip_cycles() as f64 / s.clock_hz as f64;
    let group = |x: &Sender| {
        let window = (x.window_kib << 13) as f64;
        let inflight = f64::from(x.message_kib << 13) * x.messages_in_flight as f64;
        f64::from(x.queue_pairs) * window.min(inflight) / seconds
    };
    s.senders.iter().map(group).sum::<f64>().min(s.line.rate_gbps * 1e9)
}

/// The payload share of the budgets, for full packets.
fn budget_limit_bps(s: &Scenario) -> f64 {
    let group = |x: &Sender| (f64::from(x.queue_pairs), f64::from(x.mtu_bytes.min(x.message_kib << 10)));
    // Ethernet, IPv4, UDP, BTH and ICRC, and what the path counts on top.
    let frame = |mtu: f64| mtu + 58.0 + f64::from(OVERHEAD_BYTES);
    let pairs: f64 = s.senders.iter().map(|x| group(x).0).sum();
    let share: f64 = s.senders.iter().map(|x| group(x).0 * group(x).1 / frame(group(x).1)).sum::<f64>() / pairs;
    s.budget_bps() * share
}

fn scheme(
    s: &Scenario,
    engine: Engine,
    kind: Scheme,
    from: CountFrom,
    count: u64,
) -> Result<(Outcome, SchemeSummary), String> {
    let mut near: Vec<_> = (0..s.source_count()).map(|_| engine.gateway()).collect();
    let mut far = engine.gateway();
    if kind != Scheme::Bypass {
        for (source, gateway) in near.iter_mut().enumerate() {
            configure(&mut Host::new(&mut **gateway), s, kind, source)?;
        }
    }
    if kind.has_budgets() {
        configure_destination(&mut Host::new(&mut *far), s)?;
    }
    if s.destination.says_pfc {
        let mut host = Host::new(&mut *far);
        host.pfc(LOSSLESS_CLASS as u32).map_err(|e| e.to_string())?;
        let clock_hz = s.destination.hz(s.clock_hz) as u64;
        host.pfc_rate((s.client.rate_gbps * 1e9) as u64, clock_hz).map_err(|e| e.to_string())?;
    }
    let bar = bar(kind.name());
    let begun = Instant::now();
    let mut sources: Vec<&mut dyn Gateway> = near.iter_mut().map(|gateway| &mut **gateway as _).collect();
    let progress = &mut |done| bar.set_position((done * 1e3) as u64);
    let o = closed_loop::run(s, kind, &mut sources, &mut *far, from, count, progress);
    bar.finish_and_clear();
    let o = o.map_err(|e| format!("{}: {e}", kind.name()))?;
    let spent = begun.elapsed().as_secs_f64();
    let mut dead_flows = o.silent;
    let mut dropped = drops(&mut *far)?;
    for (source, gateway) in near.iter_mut().enumerate() {
        dropped += drops(&mut **gateway)?;
        if kind != Scheme::Bypass {
            dead_flows += dead(&mut **gateway, s, source)?;
        }
    }
    let seconds = o.counted.1 as f64 / s.clock_hz as f64;
    let goodput = o.counted_bytes as f64 * 8.0 / seconds;
    let first = (o.counted.0 >> s.slot_log2_cycles) as usize;
    let slot_seconds = (1u64 << s.slot_log2_cycles) as f64 / s.clock_hz as f64;
    let summary = SchemeSummary {
        goodput_bps: goodput,
        goodput_ratio_to_bypass: None,
        drain_utilisation: o.utilisation,
        occupancy_bytes: occupancy(&o.slots[first.min(o.slots.len())..]),
        floor_bytes: 0,
        slot_bytes: (s.budget_bps() * slot_seconds / 8.0) as u64,
        dropped_frames: dropped,
        budget_overhead: o.budget_bytes as f64 * 8.0 / (s.line.rate_gbps * 1e9 * seconds),
        settle_rtts: o.active_cycle.map(|c| c as f64 / s.round_trip_cycles() as f64),
        repeated_frames: o.repeated,
        acks: o.acks,
        naks: o.naks,
        naks_again: o.naks_again,
        timeouts: o.timeouts,
        cnps: o.cnps,
        pfc_stops: o.pfc[0],
        paused_share: o.paused_cycles as f64 / o.cycles as f64,
        least_share: o.least_bytes as f64 * s.pairs().len() as f64 / o.counted_bytes.max(1) as f64,
        dead_flows,
        cycles_per_second: o.cycles as f64 / spent,
    };
    Ok((o, summary))
}

/// Flows that the gateway of a source gave up.
fn dead(gateway: &mut dyn Gateway, s: &Scenario, source: usize) -> Result<u64, String> {
    let mut host = Host::new(gateway);
    let mut dead = 0;
    for i in 0..s.pairs().iter().filter(|pair| pair.source == source).count() {
        dead += u64::from(!["Sync", "Active"].contains(&host.flow_state(i as u16)?.state));
    }
    Ok(dead)
}

/// Keys of queue pair `i` of [`closed_loop::ends`]: as its requests have it, and as the answers do.
pub fn keys(i: u32) -> (FlowKey, FlowKey) {
    let (near, far) = closed_loop::ends(i);
    pair_keys(&Pair { near, far, first_psn: 0, sender: 0, source: 0, path: None, start_us: 0.0 })
}

fn drops(gateway: &mut dyn Gateway) -> Result<u64, String> {
    let counters = Host::new(gateway).counters().map_err(|e| e.to_string())?;
    // A PFC frame is obeyed.
    let dropped = COUNTERS.iter().filter(|c| c.name.starts_with("DROP_") && c.name != DROP_PFC.name);
    Ok(dropped.map(|c| counters.get(c)).sum())
}

fn occupancy(slots: &[Vec<Slot>]) -> Occupancy {
    let mut most: Vec<u64> = slots.iter().map(|x| x.iter().map(|p| p.far_bytes).sum()).collect();
    most.sort_unstable();
    let n = slots.len().max(1);
    Occupancy {
        peak: most.last().copied().unwrap_or(0),
        mean: slots.iter().flatten().map(|p| p.far_mean_bytes).sum::<u64>() / n as u64,
        p99: most.get((n * 99).div_ceil(100).saturating_sub(1)).copied().unwrap_or(0),
    }
}

fn series(s: &Scenario, runs: &[(Scheme, Outcome, SchemeSummary)]) -> String {
    let us = (1u64 << s.slot_log2_cycles) as f64 / s.clock_hz as f64 * 1e6;
    let mut csv = String::from(
        "scheme,path,slot,time_us,goodput_bps,unacknowledged_bytes,near_occupancy_bytes,far_occupancy_bytes\n",
    );
    for (kind, o, _) in runs {
        for (i, slot) in o.slots.iter().enumerate() {
            // behind the paths: what takes none, if anything does
            let rows = slot.iter().enumerate().filter(|(p, x)| *p + 1 < s.classes() || **x != Slot::default());
            for (path, x) in rows {
                let (time, goodput) = ((i + 1) as f64 * us, x.placed_bytes as f64 * 8e6 / us);
                let name = kind.name();
                let (window, near, far) = (x.window_bytes, x.near_bytes, x.far_bytes);
                csv += &format!("{name},{path},{i},{time:.3},{goodput:.0},{window},{near},{far}\n");
            }
        }
    }
    csv
}

fn bar(name: &str) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg:>11} [{wide_bar}] {percent:>3} % {eta} left").expect("a template");
    ProgressBar::new(1000).with_style(style).with_message(name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn occupancy_is_of_the_slots() {
        let slot = |n| Slot { far_bytes: 2 * n, far_mean_bytes: n, ..Slot::default() };
        let o = occupancy(&(0..=100).map(|n| vec![slot(n), Slot::default()]).collect::<Vec<_>>());
        assert_eq!((o.peak, o.mean, o.p99), (200, 50, 198));
        let none = occupancy(&[]);
        assert_eq!((none.peak, none.mean, none.p99), (0, 0, 0));
    }
}

#[cfg(test)]
#[path = "live_tests.rs"]
mod live;
