//! `bench --only net`: the figures that a reader of the papers asks for first, and how fast they are computed.

use super::drain::Drain;
use super::experiment;
use super::host::SenderCfg;
use super::packet::SECOND;
use super::point::{Outcome, Point, Source, US};
use super::scheme::Scheme;
use super::speed;
use serde::Serialize;
use std::path::Path;

/// The drains over which what waits is compared: the least of each figure over all of them is told.
const DRAINS: [&str; 11] = [
    "step:0.5",
    "swing:0.5:10",
    "swing:0.5:20",
    "swing:0.5:50",
    "swing:0.5:100",
    "swing:0.5:400",
    "markov:2",
    "markov:10",
    "markov:40",
    "noise:0.8:0.2",
    "flap:100",
];

/// What is told.
#[derive(Debug, Serialize)]
pub struct Net {
    /// Goodput over that of conventional RDMA.
    pub throughput_gain: f64,
    /// Least cut of the mean of what waits, over all drains, against PFC at one BDP.
    pub mean_occupancy_cut: f64,
    /// Least cut of the 99th percentile.
    pub p99_occupancy_cut: f64,
    /// Largest loss of throughput against it.
    pub throughput_loss: f64,
    /// Largest cut of the bubble of 1F1B in the scenario `geopipe`.
    pub bubble_cut: f64,
    /// One flow, four links, an ACK for each packet.
    pub packet_hops_per_second: f64,
    /// A bare heap of events that does the same hops, in the same run.
    pub bare_heap_hops_per_second: f64,
    /// 1024 hosts under 32 leaves and 32 spines.
    pub thousand_hosts_hops_per_second: f64,
    /// Under which conditions.
    pub conditions: Conditions,
}

/// Conditions.
#[derive(Debug, Serialize)]
pub struct Conditions {
    /// Of the throughput gain.
    pub throughput: String,
    /// Of the occupancy cuts.
    pub occupancy: String,
    /// Of the bubble cut.
    pub bubble: String,
}

fn point(scheme: Scheme, delay_ms: f64, drain: Drain, queue_pairs: u32, round_trips: u64) -> Point {
    let delay = (delay_ms * 1e9) as u64;
    Point {
        scheme,
        seed: 1,
        line_bps: 100_000_000_000,
        client_bps: 100_000_000_000,
        client_delay: US,
        slot: Point::slot_for(delay),
        sources: vec![Source { weight: 1, delay, queue_pairs }],
        sender: SenderCfg {
            window_bytes: 8 << 20,
            message_bytes: 1 << 20,
            mtu_bytes: 4096,
            messages_in_flight: 1 << 40,
            ack_timeout: 4 * SECOND,
            ack_every: 16,
        },
        dcqcn: true,
        budget_loss: 0.0,
        budget_late: 0,
        drain,
        capacity: 1 << 44,
        warm_round_trips: 20,
        round_trips,
    }
}

fn run(p: Point) -> Outcome {
    p.run(&mut |_| {}, &mut |_| {})
}

/// Measures. `geopipe`: the scenario file of that name.
pub fn net(geopipe: &Path) -> Result<Net, String> {
    let goodput = |scheme| run(point(scheme, 10.0, Drain::Full, 1, 40)).goodput_bps;
    let throughput_gain = goodput(Scheme::Matchrdma) / goodput(Scheme::Conventional);
    let (mut mean, mut p99, mut loss) = (f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY);
    for word in DRAINS {
        let drain: Drain = word.parse()?;
        let of = |scheme| run(point(scheme, 0.5, drain, 16, 400));
        let (base, ours) = (of(Scheme::PseudoAckPfc), of(Scheme::Matchrdma));
        mean = mean.min(1.0 - ours.occupancy_bytes.mean / base.occupancy_bytes.mean);
        p99 = p99.min(1.0 - ours.occupancy_bytes.p99 as f64 / base.occupancy_bytes.p99 as f64);
        loss = loss.max(1.0 - ours.goodput_bps / base.goodput_bps);
    }
    let pipelines = experiment::read(geopipe)?;
    let best = (0..pipelines.runs())
        .map(|i| pipelines.run(i))
        .max_by(|a, b| {
            let cut = |r: &super::results::Row| r.number("bubble_cut_percent").unwrap_or(0.0);
            cut(a).total_cmp(&cut(b))
        })
        .ok_or("geopipe: no run")?;
    let hops = speed::hops_per_second(speed::four_links(), SECOND);
    Ok(Net {
        throughput_gain,
        mean_occupancy_cut: mean,
        p99_occupancy_cut: p99,
        throughput_loss: loss,
        bubble_cut: best.number("bubble_cut_percent").unwrap_or(0.0) / 100.0,
        packet_hops_per_second: hops,
        bare_heap_hops_per_second: speed::bare_heap_hops_per_second(20_000_000),
        thousand_hosts_hops_per_second: speed::hops_per_second(speed::thousand_hosts(), 300 * US),
        conditions: Conditions {
            throughput: "one queue pair, 8 MiB outstanding, 100 Gb/s, 10 ms one way".into(),
            occupancy: format!(
                "16 queue pairs of 8 MiB, 100 Gb/s, 0.5 ms one way, 400 round trips, seed 1; the worst of {}",
                DRAINS.join(", ")
            ),
            bubble: format!(
                "{} Gb/s a pipeline, {} ms one way, batch {}",
                best.text("rate_gbps"),
                best.text("one_way_delay_ms"),
                best.text("batch")
            ),
        },
    })
}

impl Net {
    /// For people.
    pub fn text(&self) -> String {
        let million = |x: f64| format!("{:.1} M", x / 1e6);
        format!(
            "throughput against conventional RDMA: {:.1} times ({})\n\
             what waits at the destination, against PFC at one BDP, least cut: mean {:.1} %, 99th percentile {:.1} %, at \
             {:.2} % of throughput or less\n  ({})\n\
             bubble of 1F1B taken away: {:.1} % ({})\n\
             network simulator: {} packet-hops per second; a bare heap of events {} in the same run; 1024 hosts {}\n",
            self.throughput_gain,
            self.conditions.throughput,
            100.0 * self.mean_occupancy_cut,
            100.0 * self.p99_occupancy_cut,
            100.0 * self.throughput_loss,
            self.conditions.occupancy,
            100.0 * self.bubble_cut,
            self.conditions.bubble,
            million(self.packet_hops_per_second),
            million(self.bare_heap_hops_per_second),
            million(self.thousand_hosts_hops_per_second),
        )
    }
}
