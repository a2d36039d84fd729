//! `matchrdma-sim run`: one scenario, every scheme it can be run with, on verilated gateways.

use crate::cli::Done;
use crate::closed_loop::{self, CountFrom, Outcome};
use crate::configure::{bytes_per_slot, FlowSetting, Host, Tables};
use crate::engine::Gateway;
use crate::frame::End;
use crate::outdir::OutDir;
use crate::report;
use crate::rtl_gateway::RtlGateway;
use crate::scenario::Scenario;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::params::OVERHEAD_BYTES;
use matchrdma_spec::regs::counters::COUNTERS;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

/// Runs a scenario on two gateways and compares schemes
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: matchrdma-sim run sim/scenarios/ack-clock/scenario.toml --out target/ack-clock")]
pub struct Args {
    /// Scenario file
    scenario: PathBuf,
    /// What the gateways are made of
    #[arg(long, value_enum, default_value = "rtl")]
    engine: Engine,
    /// Seed of everything random (this scenario draws nothing; it is written down all the same)
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Result folder, made whole or not at all
    #[arg(long)]
    out: PathBuf,
    /// Print summary.json instead of the table
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Engine {
    /// The gates, in Verilator
    Rtl,
    /// The golden model
    Model,
}

/// How a scheme did. Keys that a scheme has no meaning for are absent.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct SchemeSummary {
    /// Payload placed in order at the receiver.
    pub goodput_bps: f64,
    /// Against the bypass run.
    pub goodput_ratio_to_bypass: f64,
    /// Goodput over the line rate.
    pub drain_utilisation: f64,
    /// What waited in the destination gateway.
    pub occupancy_bytes: Occupancy,
    /// Lowest peak that any law could have: nothing changes its drain here.
    pub floor_bytes: u64,
    /// One slot at the path's budget.
    pub slot_bytes: u64,
    /// Frames that the gateways refused.
    pub dropped_frames: u64,
    /// Budget frames over line rate: there are none yet.
    pub budget_overhead: f64,
    /// Round trips from the start until every flow was acknowledged by its gateway.
    pub settle_rtts: Option<f64>,
    /// Frames that the senders sent again.
    pub repeated_frames: u64,
    /// ACKs that the senders received.
    pub acks: u64,
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
    if args.engine == Engine::Model {
        return Err("run --engine model is not built yet: use --engine rtl".into());
    }
    let s = Scenario::read(&args.scenario)?;
    let out = OutDir::begin(&args.out, &report::FILES)?;
    let count = s.round_trips * s.round_trip_cycles();
    // A sample needs one answered message; three round trips allow for one that was resampled.
    let at_most = 4 * s.round_trip_cycles() + s.cycles(1000.0);
    let (active, active_summary) = scheme(&s, "pseudo_ack", true, CountFrom::Active { at_most }, count)?;
    let from = active.active_cycle.ok_or("no flow became Active")?;
    let (bypass, bypass_summary) = scheme(&s, "bypass", false, CountFrom::Cycle(from), count)?;
    if active.backwards > 0 {
        return Err(format!("{} ACKs stepped back at a sender: expected none", active.backwards));
    }
    let mut summary = Summary {
        version: env!("CARGO_PKG_VERSION").into(),
        seed: args.seed,
        window_limit_bps: window_limit_bps(&s),
        budget_limit_bps: budget_limit_bps(&s),
        schemes: BTreeMap::from([("bypass".into(), bypass_summary), ("pseudo_ack".into(), active_summary)]),
        parameters: s.clone(),
    };
    let base = summary.schemes["bypass"].goodput_bps;
    for scheme in summary.schemes.values_mut() {
        scheme.goodput_ratio_to_bypass = scheme.goodput_bps / base;
    }
    let series = series(&s, &[("bypass", &bypass), ("pseudo_ack", &active)]);
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

/// Window over round trip, both wires' own time for one message included; at most the line.
fn window_limit_bps(s: &Scenario) -> f64 {
    let window = (s.sender.window_kib << 13) as f64;
    let inflight = f64::from(s.sender.message_kib << 13) * s.sender.messages_in_flight as f64;
    let seconds = s.round_trip_cycles() as f64 / s.clock_hz as f64;
    (f64::from(s.sender.queue_pairs) * window.min(inflight) / seconds).min(s.line.rate_gbps * 1e9)
}

/// The payload share of the budget, for full packets.
fn budget_limit_bps(s: &Scenario) -> f64 {
    let mtu = f64::from(s.sender.mtu_bytes.min(s.sender.message_kib << 10));
    // Ethernet, IPv4, UDP, BTH and ICRC, and what the path counts on top.
    let frame = mtu + 58.0 + f64::from(OVERHEAD_BYTES);
    s.path.budget_gbps * 1e9 * mtu / frame
}

fn scheme(s: &Scenario, name: &str, on: bool, from: CountFrom, count: u64) -> Result<(Outcome, SchemeSummary), String> {
    let bps = (s.path.budget_gbps * 1e9) as u64;
    let budget =
        bytes_per_slot(bps, s.path.slot_log2_cycles, s.clock_hz).ok_or("path.budget_gbps: under a byte a slot")?;
    let mut near = RtlGateway::new();
    let mut far = RtlGateway::new();
    if on {
        let mut host = Host::new(&mut near);
        let mut tables = Tables::new();
        host.identify()?;
        host.fixed_budget(budget, s.path.slot_log2_cycles).map_err(|e| e.to_string())?;
        let setting = FlowSetting { serial: 1, ..Default::default() };
        for i in 0..s.sender.queue_pairs {
            let (out, back) = keys(i);
            tables.install(&mut host, out, back, setting)?;
        }
        host.enable(false).map_err(|e| e.to_string())?;
    }
    let bar = bar(name);
    let begun = Instant::now();
    let o = closed_loop::run(s, &mut near, &mut far, from, count, &mut |done| bar.set_position((done * 1e3) as u64))?;
    bar.finish_and_clear();
    let spent = begun.elapsed().as_secs_f64();
    let dropped = drops(&mut near)? + drops(&mut far)?;
    let seconds = o.counted.1 as f64 / s.clock_hz as f64;
    let goodput = o.counted_bytes as f64 * 8.0 / seconds;
    let first = (o.counted.0 >> s.path.slot_log2_cycles) as usize;
    let summary = SchemeSummary {
        goodput_bps: goodput,
        goodput_ratio_to_bypass: 1.0,
        drain_utilisation: goodput / (s.client.rate_gbps * 1e9),
        occupancy_bytes: occupancy(o.slots.iter().skip(first).map(|x| x.far_bytes).collect()),
        floor_bytes: 0,
        slot_bytes: budget.into(),
        dropped_frames: dropped,
        budget_overhead: 0.0,
        settle_rtts: o.active_cycle.map(|c| c as f64 / s.round_trip_cycles() as f64),
        repeated_frames: o.repeated,
        acks: o.acks,
        cycles_per_second: o.cycles as f64 / spent,
    };
    Ok((o, summary))
}

/// Keys of queue pair `i`: as its requests have it, and as the answers do.
pub fn keys(i: u32) -> (FlowKey, FlowKey) {
    let (near, far) = closed_loop::ends(i);
    let key = |from: End, to: End| FlowKey { v6: 0, vlan: 0, src: from.ip.into(), dst: to.ip.into(), qpn: to.qpn };
    (key(near, far), key(far, near))
}

fn drops(gateway: &mut dyn Gateway) -> Result<u64, String> {
    let counters = Host::new(gateway).counters().map_err(|e| e.to_string())?;
    Ok(COUNTERS.iter().filter(|c| c.name.starts_with("DROP_")).map(|c| counters.get(c)).sum())
}

fn occupancy(mut slots: Vec<u64>) -> Occupancy {
    slots.sort_unstable();
    let n = slots.len().max(1);
    Occupancy {
        peak: slots.last().copied().unwrap_or(0),
        mean: slots.iter().sum::<u64>() / n as u64,
        p99: slots.get((n * 99).div_ceil(100).saturating_sub(1)).copied().unwrap_or(0),
    }
}

fn series(s: &Scenario, runs: &[(&str, &Outcome)]) -> String {
    let us = (1u64 << s.path.slot_log2_cycles) as f64 / s.clock_hz as f64 * 1e6;
    let mut csv = String::from(
        "scheme,path,slot,time_us,goodput_bps,unacknowledged_bytes,near_occupancy_bytes,far_occupancy_bytes\n",
    );
    for (name, o) in runs {
        for (i, x) in o.slots.iter().enumerate() {
            let (time, goodput) = ((i + 1) as f64 * us, x.placed_bytes as f64 * 8e6 / us);
            csv +=
                &format!("{name},0,{i},{time:.3},{goodput:.0},{},{},{}\n", x.window_bytes, x.near_bytes, x.far_bytes);
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
        let o = occupancy((0..=100).collect());
        assert_eq!((o.peak, o.mean, o.p99), (100, 50, 99));
        let none = occupancy(vec![]);
        assert_eq!((none.peak, none.mean, none.p99), (0, 0, 0));
    }
}
