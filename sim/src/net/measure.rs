//! `bench --only net`: the figures that a reader of the papers asks for first, and how fast they are computed.

use super::experiment::{self, Experiment};
use super::packet::SECOND;
use super::point::US;
use super::results::Row;
use super::scenario::NetScenario;
use super::speed;
use serde::Serialize;
use std::path::Path;

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

/// The rows of the runs whose axes have these values.
fn rows(scenarios: &Path, name: &str, wanted: &[(&str, &str)]) -> Result<Vec<Row>, String> {
    let path = scenarios.join(name).join("scenario.toml");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let scenario = NetScenario::parse(&text).map_err(|e| format!("{}{e}", path.display()))?;
    let has = |axes: &[(&str, String)]| wanted.iter().all(|w| axes.iter().any(|a| a.0 == w.0 && a.1 == w.1));
    let cells = scenario.cells();
    let rows: Vec<Row> = (0..cells.len()).filter(|i| has(&cells[*i].axes)).map(|i| scenario.run(i)).collect();
    if rows.is_empty() {
        return Err(format!("{}: no run has {wanted:?}", path.display()));
    }
    Ok(rows)
}

fn number(row: &Row, column: &str) -> f64 {
    row.number(column).unwrap_or(f64::NAN)
}

fn of<'a>(rows: &'a [Row], scheme: &str, drain: &str) -> Result<&'a Row, String> {
    let found = rows.iter().find(|r| r.text("scheme") == scheme && r.text("drain") == drain);
    found.ok_or_else(|| format!("no run of {scheme} with {drain}"))
}

/// Measures, by the scenarios `fig3-throughput`, `fig3-buffer` and `geopipe` of a folder.
pub fn net(scenarios: &Path) -> Result<Net, String> {
    const DELAY_MS: &str = "10";
    const MESSAGE_KIB: &str = "16384";
    const NEAR_MS: &str = "0.5";
    let far = rows(scenarios, "fig3-throughput", &[("one_way_delay_ms", DELAY_MS), ("message_kib", MESSAGE_KIB)])?;
    let goodput = |scheme| Ok::<f64, String>(number(of(&far, scheme, "full")?, "goodput_gbps"));
    let throughput_gain = goodput("matchrdma")? / goodput("conventional")?;
    let near = rows(scenarios, "fig3-buffer", &[("one_way_delay_ms", NEAR_MS)])?;
    let drains = super::results::values(&near, "drain");
    let (mut mean, mut p99, mut loss) = (f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY);
    for drain in &drains {
        let (base, ours) = (of(&near, "pseudo_ack_pfc", drain)?, of(&near, "matchrdma", drain)?);
        let cut = |column| 1.0 - number(ours, column) / number(base, column);
        mean = mean.min(cut("occupancy_mean_bdp"));
        p99 = p99.min(cut("occupancy_p99_bdp"));
        loss = loss.max(cut("goodput_gbps"));
    }
    let pipelines = experiment::read(&scenarios.join("geopipe/scenario.toml"))?;
    let best = (0..pipelines.runs())
        .map(|i| pipelines.run(i))
        .max_by(|a, b| number(a, "bubble_cut_percent").total_cmp(&number(b, "bubble_cut_percent")))
        .ok_or("geopipe: no run")?;
    Ok(Net {
        throughput_gain,
        mean_occupancy_cut: mean,
        p99_occupancy_cut: p99,
        throughput_loss: loss,
        bubble_cut: number(&best, "bubble_cut_percent") / 100.0,
        packet_hops_per_second: speed::hops_per_second(speed::four_links(), SECOND),
        bare_heap_hops_per_second: speed::bare_heap_hops_per_second(20_000_000),
        thousand_hosts_hops_per_second: speed::hops_per_second(speed::thousand_hosts(), 300 * US),
        conditions: Conditions {
            throughput: format!("fig3-throughput: messages of {MESSAGE_KIB} KiB, {DELAY_MS} ms one way"),
            occupancy: format!("fig3-buffer: {NEAR_MS} ms one way, the worst of {}", drains.join(", ")),
            bubble: format!(
                "geopipe: {} Gb/s a pipeline, {} ms one way, batch {}",
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
