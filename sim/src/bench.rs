//! `matchrdma-sim bench`: measures the verilated gateway, and how fast it is simulated. No figure is asserted; a promise
//! that the gateway breaks meanwhile ends the bench.

pub mod driver;
mod external;
mod stages;

use self::stages::{stages, Stage};
use crate::beside::Seen;
use crate::cli::Done;
use crate::closed_loop::ends;
use crate::commits;
use crate::configure::{FlowSetting, Host, Tables};
use crate::engine::{beats, Beat, Gateway};
use crate::frame::{self, Write};
use crate::load;
use crate::net::packet::SECOND;
use crate::net::{measure, speed};
use crate::rtl_gateway::RtlGateway;
use crate::run::{keys, schemes, Engine, SchemeSummary};
use crate::scenario::Scenario;
use crate::watching::Watching;
use clap::ValueEnum;
use matchrdma_spec::params::{CLOCK_HZ_250, CLOCK_HZ_322, FLOWS, OVERHEAD_BYTES};
use matchrdma_spec::regs::counters::*;
use matchrdma_spec::regs::meter;
use matchrdma_spec::wire::aeth;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Measures the gates and their simulation
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: matchrdma-sim bench --only rtl --json rtl.json")]
pub struct Args {
    /// One part only
    #[arg(long, value_enum)]
    only: Option<Part>,
    /// Write the figures to a file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Beats per cycle, losses, latency, pacer
    Rtl,
    /// Cycles per second
    Sim,
    /// The network simulator: the papers' figures, and its speed
    Net,
    /// The host's driver: a full load on each device
    Driver,
}

#[derive(Serialize)]
struct Figures {
    #[serde(skip_serializing_if = "Option::is_none")]
    rtl: Option<Rtl>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sim: Option<Speed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    net: Option<measure::Net>,
    #[serde(skip_serializing_if = "Option::is_none")]
    driver: Option<BTreeMap<String, driver::Load>>,
}

#[derive(Serialize)]
struct Rtl {
    /// By frame size, both receive sides at once.
    beats_per_cycle: BTreeMap<String, f64>,
    frames_lost: u64,
    /// All flows Active, in random order, both receive sides at once.
    active_flows: Active,
    pseudo_ack_latency_cycles: Spread,
    /// The same at 250 and 322 MHz.
    pseudo_ack_latency_ns: BTreeMap<String, [f64; 3]>,
    /// Where the cycles of the median go; they sum to it.
    pseudo_ack_latency_stages: Vec<Stage>,
    pacer_error_ppm: f64,
    /// Commits at line rate.
    commits: Seen,
    /// `egress` on external memory, by the kind of memory.
    external_memory: BTreeMap<String, external::External>,
    /// The scenario of this name, by scheme.
    back_pressure: BTreeMap<String, SchemeSummary>,
}

#[derive(Serialize)]
struct Active {
    flows: u32,
    cycles: u64,
    /// Client side, line side; the line side leaves one part in 16 of the client output to pseudo-ACKs.
    beats_per_cycle: [f64; 2],
    requests: u64,
    acknowledged: u64,
    pseudo_acks: u64,
    frames_lost: u64,
    /// Counters that are not what was counted outside: global ones, and frames and bytes of each flow.
    counters_wrong: u64,
    counters_compared: u64,
}

#[derive(Clone, Copy, Serialize)]
struct Spread {
    min: u64,
    p50: u64,
    max: u64,
}

#[derive(Serialize)]
struct Speed {
    /// One gateway, both directions at full load.
    gateway_cycles_per_second: f64,
    /// The network simulator, one flow over four links.
    network_events_per_second: f64,
}

/// Where the scenarios are; the command runs at the root of the repository.
const SCENARIOS: &str = "sim/scenarios";
/// Cycles per size.
const CYCLES: u64 = 100_000;
/// Commits under traffic.
const COMMITS: u32 = 1000;
const SIZES: [usize; 6] = [64, 65, 256, 1500, 4154, 9000];
/// As many as there are.
const MANY: u32 = FLOWS as u32;

/// Does it.
pub fn run(args: &Args) -> Done {
    let wants = |part| args.only.is_none_or(|only| only == part);
    let figures = Figures {
        rtl: if wants(Part::Rtl) { Some(rtl()?) } else { None },
        sim: if wants(Part::Sim) { Some(sim()) } else { None },
        net: if wants(Part::Net) { Some(measure::net(Path::new(SCENARIOS))?) } else { None },
        driver: if wants(Part::Driver) { Some(driver::measure()?) } else { None },
    };
    let text = serde_json::to_string_pretty(&figures).expect("numbers and strings") + "\n";
    if let Some(path) = &args.json {
        std::fs::write(path, &text).map_err(|e| format!("writing {}: {e}", path.display()))?;
    }
    if let Some(r) = &figures.rtl {
        println!("both receive sides, {CYCLES} cycles per size, in bypass:");
        for (size, beats) in &r.beats_per_cycle {
            println!("  frames of {size:>4} bytes: {beats:.4} beats per cycle and side");
        }
        println!("  frames lost: {}", r.frames_lost);
        let a = &r.active_flows;
        println!(
            "{} Active flows in random order, {} cycles: {:.4} and {:.4} beats per cycle on the client and the line side\n  \
             {} requests, {} acknowledged by {} pseudo-ACKs; frames lost: {}; counters wrong: {} of {}",
            a.flows,
            a.cycles,
            a.beats_per_cycle[0],
            a.beats_per_cycle[1],
            a.requests,
            a.acknowledged,
            a.pseudo_acks,
            a.frames_lost,
            a.counters_wrong,
            a.counters_compared
        );
        let s = r.pseudo_ack_latency_cycles;
        println!(
            "request's last beat in to pseudo-ACK's first beat out, on arrival, empty gateway: min {} p50 {} max {} cycles",
            s.min, s.p50, s.max
        );
        for (mhz, [min, p50, max]) in &r.pseudo_ack_latency_ns {
            println!("  at {mhz} MHz: min {min:.0} p50 {p50:.0} max {max:.0} ns");
        }
        for Stage { stage, cycles } in &r.pseudo_ack_latency_stages {
            println!("  {cycles:>4} cycles  {stage}");
        }
        println!("pacer: {:.3} ppm from its budget over 1,000 slots of 1,024 cycles", r.pacer_error_ppm);
        println!("{COMMITS} commits of tables at random moments, {}", r.commits.text());
        print!("{}", external::text(&r.external_memory));
        for (scheme, b) in &r.back_pressure {
            println!(
                "back-pressure, {scheme}: {:.2} Gb/s, {} frames dropped, {} NAKs, {} again within gap_timeout, {} flows dead",
                b.goodput_bps / 1e9,
                b.dropped_frames,
                b.naks,
                b.naks_again,
                b.dead_flows
            );
        }
    }
    figures.driver.iter().for_each(|devices| print!("{}", driver::text(devices)));
    figures.net.iter().for_each(|n| print!("{}", n.text()));
    if let Some(s) = &figures.sim {
        println!("one verilated gateway, both directions full: {:.0} cycles per second", s.gateway_cycles_per_second);
    }
    Ok(())
}

fn rtl() -> Result<Rtl, String> {
    let mut beats_per_cycle = BTreeMap::new();
    let mut frames_lost = 0;
    for size in SIZES {
        let mut g = watched();
        let r = load::bypass(&mut g, &[size], CYCLES);
        g.finish()?;
        beats_per_cycle.insert(size.to_string(), r.cycles.min(CYCLES) as f64 / CYCLES as f64);
        frames_lost += (0..2).map(|i| r.frames_in[i] - r.frames_out[i]).sum::<u64>();
    }
    let mut g = watched();
    let commits = commits::run(&mut g, COMMITS, 1)?;
    g.finish()?;
    let spread = latency()?;
    let ns = |hz: u64| [spread.min, spread.p50, spread.max].map(|cycles| cycles as f64 * 1e9 / hz as f64);
    Ok(Rtl {
        beats_per_cycle,
        frames_lost,
        active_flows: active()?,
        pseudo_ack_latency_cycles: spread,
        pseudo_ack_latency_ns: [("250", CLOCK_HZ_250), ("322", CLOCK_HZ_322)]
            .into_iter()
            .map(|(mhz, hz)| (mhz.to_string(), ns(hz)))
            .collect(),
        pseudo_ack_latency_stages: stages(spread.p50),
        pacer_error_ppm: pacer()?,
        commits,
        external_memory: external::measure()?,
        back_pressure: back_pressure()?,
    })
}

/// A gateway whose promises are watched.
fn watched() -> Watching<RtlGateway> {
    Watching::new(RtlGateway::new())
}

/// Many senders and a slow path, with PFC and without.
fn back_pressure() -> Result<BTreeMap<String, SchemeSummary>, String> {
    let scenario = Scenario::read(&Path::new(SCENARIOS).join("back-pressure/scenario.toml"))?;
    Ok(schemes(&scenario, Engine::Rtl)?
        .into_iter()
        .map(|(scheme, _, summary)| (scheme.name().into(), summary))
        .collect())
}

/// Every flow Active, at full load, and what the gateway's own counters say of it.
fn active() -> Result<Active, String> {
    let mut g = watched();
    let mut host = Host::new(&mut g);
    let mut tables = Tables::new();
    for i in 0..MANY {
        let (out, back) = keys(i);
        tables.install(&mut host, out, back, FlowSetting { serial: 1, ..Default::default() })?;
    }
    host.enable(false)?;
    while !host.idle()? {}
    let r = load::crowd(&mut g, MANY, 2 * CYCLES, 16, 1);
    g.finish()?;
    let mut host = Host::new(&mut g);
    let counters = host.counters()?;
    // The two real ACKs of each flow passed while it was in Sync: both were forwarded.
    let expected = [
        (&CLIENT_FRAMES_IN, r.frames_in[0]),
        (&CLIENT_BYTES_IN, r.bytes_in[0]),
        (&LINE_FRAMES_IN, r.frames_in[1]),
        (&LINE_BYTES_IN, r.bytes_in[1]),
        (&LINE_FRAMES_OUT, r.frames_in[0]),
        (&LINE_BYTES_OUT, r.bytes_in[0]),
        (&CLIENT_FRAMES_OUT, r.frames_in[1] + r.acks),
        (&PSEUDO_ACKS, r.acks),
        (&NAKS, 0),
    ];
    let drops = COUNTERS.iter().filter(|c| c.name.starts_with("DROP_")).map(|c| (c, 0));
    let (mut wrong, mut compared) = (0, 0);
    for (counter, value) in expected.into_iter().chain(drops) {
        let found = counters.get(counter);
        if found != value {
            eprintln!("bench: {}: expected {value}, found {found}", counter.name);
        }
        wrong += u64::from(found != value);
        compared += 1;
    }
    for (index, [frames, bytes]) in r.by_flow.iter().enumerate() {
        wrong += u64::from(host.meter(meter::FLOW_OUT, index as u16)? != [*frames, *bytes, 0]);
        compared += 1;
    }
    Ok(Active {
        flows: MANY,
        cycles: 2 * CYCLES,
        beats_per_cycle: r.busy.map(|busy| busy as f64 / (2 * CYCLES) as f64),
        requests: r.requests,
        acknowledged: r.covered,
        pseudo_acks: r.acks,
        frames_lost: (0..2).map(|side| r.frames_in[side] - r.frames_out[side]).sum(),
        counters_wrong: wrong,
        counters_compared: compared,
    })
}

fn configured(on_arrival: bool, budget: Option<(u32, u32)>) -> Result<Watching<RtlGateway>, String> {
    let mut g = watched();
    let mut host = Host::new(&mut g);
    let (out, back) = keys(0);
    Tables::new().install(&mut host, out, back, FlowSetting { serial: 1, ..Default::default() })?;
    if let Some((rate, k)) = budget {
        host.fixed_budget(rate, k).map_err(|e| e.to_string())?;
    }
    host.enable(on_arrival).map_err(|e| e.to_string())?;
    // After reset `pseudo_ack` clears its contexts, one per cycle; what it hears meanwhile waits.
    while !host.idle().map_err(|e| e.to_string())? {}
    Ok(g)
}

fn request(psn: u32, payload: usize) -> Vec<u8> {
    let (near, far) = ends(0);
    frame::write(near, far, psn, true, Write { first: true, last: true, message_bytes: payload as u32, payload })
}

/// Makes the flow Active; the next PSN is 2.
fn activate(g: &mut dyn Gateway) {
    let (near, far) = ends(0);
    for psn in 0..2 {
        load::play(g, &request(psn, 1), true);
        load::play(g, &frame::ack(far, near, psn, aeth::ACK, psn + 1), false);
    }
}

fn latency() -> Result<Spread, String> {
    let mut g = configured(true, None)?;
    activate(&mut g);
    let mut all = Vec::new();
    for psn in 2..502 {
        let mut waiting: VecDeque<Beat> = beats(&request(psn, 1)).collect();
        let mut since_last = None;
        for _ in 0..400 + psn % 7 {
            let beat = waiting.pop_front();
            if beat.is_some_and(|b| b.last) {
                since_last = Some(0);
            }
            let t = g.tick(beat.as_ref(), None, true, true);
            match (&mut since_last, t.client_tx) {
                (Some(n), Some(_)) => {
                    all.push(*n);
                    since_last = None;
                }
                (Some(n), None) => *n += 1,
                _ => {}
            }
        }
    }
    g.finish()?;
    all.sort_unstable();
    match (all.first(), all.last()) {
        (Some(&min), Some(&max)) if all.len() == 500 => Ok(Spread { min, p50: all[all.len() / 2], max }),
        _ => Err(format!("measuring latency: 500 requests, {} pseudo-ACKs", all.len())),
    }
}

/// A path that is never empty, at a budget that does not divide: bytes sent over 1,000 slots against the budget.
fn pacer() -> Result<f64, String> {
    const K: u32 = 10;
    const SLOTS: u64 = 1000;
    let budget = 36_417u32;
    let mut g = configured(false, Some((budget, K)))?;
    let frame = request(0, 1024);
    let (mut source, mut sent, mut at_start) = (VecDeque::<Beat>::new(), 0u64, None);
    let (warm, slot) = (64u64, 1u64 << K);
    for now in 0..(warm + SLOTS) * slot {
        // The queue is kept full: what does not fit is refused, and another frame comes at once.
        if source.is_empty() {
            source.extend(beats(&frame));
        }
        let t = g.tick(source.pop_front().as_ref(), None, true, true);
        if let Some(b) = t.line_tx {
            sent += u64::from(b.bytes) + if b.last { u64::from(OVERHEAD_BYTES) } else { 0 };
        }
        if now + 1 == warm * slot {
            at_start = Some(sent);
        }
    }
    g.finish()?;
    let bytes = sent - at_start.unwrap_or(0);
    let due = u64::from(budget) * SLOTS;
    Ok((bytes as f64 - due as f64) / due as f64 * 1e6)
}

/// How fast the gates alone are simulated: the one load without a watch; `rtl` has the same under watch.
fn sim() -> Speed {
    let mut g = RtlGateway::new();
    let begun = Instant::now();
    load::bypass(&mut g, &SIZES, 2 * CYCLES);
    Speed {
        gateway_cycles_per_second: g.cycles() as f64 / begun.elapsed().as_secs_f64(),
        network_events_per_second: {
            let mut world = speed::four_links();
            let begun = Instant::now();
            world.run(SECOND / 2);
            world.net.events() as f64 / begun.elapsed().as_secs_f64()
        },
    }
}
