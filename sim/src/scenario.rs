//! Scenario files: TOML, units in the names of keys, unknown keys refused.

mod ends;
mod scheme;
mod sender;

pub use self::ends::{BudgetFrames, Destination, Source};
pub use self::scheme::Scheme;
pub use self::sender::Sender;

use crate::closed_loop::ends;
use crate::frame::End;
use crate::link::{Fate, Fibre};
use crate::net::rng::Stream;
use matchrdma::route_table::{flatten, Prefix, Route};
use matchrdma_spec::params::{BURST_DEFAULT_BYTES, PATHS, PSN_MASK, SLOT_K_LIVE_MIN, SLOT_K_MAX, SLOT_K_MIN};
use serde::{Deserialize, Serialize};
use std::path::Path as FilePath;

/// One experiment.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What the table calls it.
    pub name: String,
    /// Clock of the simulation, and of gateways that have none of their own.
    pub clock_hz: u64,
    /// Round trips that are counted.
    pub round_trips: u64,
    /// Slot, as log2 of cycles.
    pub slot_log2_cycles: u32,
    /// What it is run with, one after another.
    #[serde(default = "default_schemes")]
    pub schemes: Vec<Scheme>,
    /// The wires between NICs and gateways.
    pub client: Wire,
    /// The line between the gateways.
    pub line: Wire,
    /// Queue pairs of the sending NIC.
    #[serde(rename = "sender")]
    pub senders: Vec<Sender>,
    /// Paths of each source gateway, path 0 first.
    #[serde(rename = "path")]
    pub paths: Vec<Path>,
    /// Where the data comes from; without any: one, as far away as the line is long.
    #[serde(default, rename = "source")]
    pub sources: Vec<Source>,
    /// Where the data goes.
    #[serde(default)]
    pub destination: Destination,
    /// What becomes of budget frames on the line.
    #[serde(default)]
    pub budget_frames: BudgetFrames,
    /// Round trips between the last flow's acknowledgement by its gateway and the first that is counted.
    #[serde(default)]
    pub warm_up_round_trips: u64,
    /// Of all that is random.
    #[serde(default = "default_seed")]
    pub seed: u64,
}

fn default_seed() -> u64 {
    1
}

fn default_schemes() -> Vec<Scheme> {
    vec![Scheme::Bypass, Scheme::PseudoAck]
}

/// A wire and its length.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Wire {
    /// Rate on the wire.
    pub rate_gbps: f64,
    /// Delay one way.
    pub one_way_delay_us: f64,
}

/// A path of the source gateway.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// What it carries: prefixes of far addresses.
    pub prefixes: Vec<String>,
    /// How its rate is set.
    #[serde(default)]
    pub mode: Mode,
    /// Budget, in frame bytes with their overhead on the wire.
    pub budget_gbps: f64,
    /// Depth of its token bucket.
    #[serde(default = "default_burst_kib")]
    pub burst_kib: u32,
    /// Waiting bytes from which its senders get CNPs; 0: never.
    #[serde(default)]
    pub cnp_on_kib: u32,
    /// Waiting bytes at which that ends.
    #[serde(default)]
    pub cnp_off_kib: u32,
    /// Waiting bytes from which PFC stops the client port; 0: never.
    #[serde(default)]
    pub pfc_on_kib: u32,
    /// Waiting bytes at which that ends.
    #[serde(default)]
    pub pfc_off_kib: u32,
}

fn default_burst_kib() -> u32 {
    BURST_DEFAULT_BYTES >> 10
}

/// How a path's rate is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Line rate; the budget is for the table only.
    Open,
    /// Its budget, for ever.
    #[default]
    Fixed,
}

/// QPN of the first requester.
pub const NEAR_QPN: u32 = 0x100;

/// Site of the destination; source `n` has the one `n + 1` behind it.
pub const DESTINATION_SITE: u16 = 100;

/// The source at a site.
pub fn site_source(site: u16) -> Option<usize> {
    site.checked_sub(DESTINATION_SITE + 1).map(usize::from)
}

/// Address of the sending host of source `n`.
fn near_ip(n: usize) -> u32 {
    0x0a01_0001 + ((n as u32) << 8)
}

/// A queue pair of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The requester.
    pub near: End,
    /// The responder.
    pub far: End,
    /// PSN of its first packet.
    pub first_psn: u32,
    /// Its group of senders.
    pub sender: usize,
    /// Its source.
    pub source: usize,
    /// It sends nothing before, microseconds.
    pub start_us: f64,
    /// Its path; `None`: bypass.
    pub path: Option<usize>,
}

impl Scenario {
    /// Reads and checks a file. Errors name the file, the line and the column.
    pub fn read(path: &FilePath) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let s: Self = toml::from_str(&text).map_err(|e| match e.span() {
            Some(at) => {
                let before = &text[..at.start.min(text.len())];
                let line = before.matches('\n').count() + 1;
                let column = before.len() - before.rfind('\n').map_or(0, |i| i + 1) + 1;
                format!("{}:{line}:{column}: {}", path.display(), e.message())
            }
            None => format!("{}: {}", path.display(), e.message()),
        })?;
        s.check().map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(s)
    }

    /// Checks what a file cannot tell of itself.
    pub fn check(&self) -> Result<(), String> {
        within("clock_hz", self.clock_hz, 1_000_000, 1_000_000_000)?;
        within("round_trips", self.round_trips, 10, 100_000)?;
        let live = self.schemes.iter().any(|scheme| scheme.has_budgets());
        let shortest = if live { SLOT_K_LIVE_MIN } else { SLOT_K_MIN };
        within("slot_log2_cycles", self.slot_log2_cycles.into(), shortest.into(), SLOT_K_MAX.into())?;
        // The bus itself carries 512 bits a cycle.
        let bus_gbps = self.clock_hz as f64 * 512.0 / 1e9;
        for (name, wire) in [("client", &self.client), ("line", &self.line)] {
            positive(&format!("{name}.rate_gbps"), wire.rate_gbps, bus_gbps)?;
            positive(&format!("{name}.one_way_delay_us"), wire.one_way_delay_us, 1e6)?;
        }
        within("schemes", self.schemes.len() as u64, 1, 16)?;
        within("sender", self.senders.len() as u64, 1, 64)?;
        // A gateway hears of one path to each far gateway.
        within("path", self.paths.len() as u64, 1, if live { 1 } else { PATHS as u64 })?;
        self.senders.iter().enumerate().try_for_each(|(i, sender)| sender.check(&format!("sender[{i}]")))?;
        self.paths.iter().enumerate().try_for_each(|(i, path)| path.check(&format!("path[{i}]"), &self.line))?;
        within("source", self.source_count() as u64, 1, PATHS as u64)?;
        within("source times path", (self.classes() - 1) as u64, 1, 64)?;
        for (i, source) in self.sources.iter().enumerate() {
            source.check(i)?;
        }
        self.destination.check()?;
        within("budget_frames.lost_permille", self.budget_frames.lost_permille, 0, 1000)?;
        within("budget_frames.late_slots", self.budget_frames.late_slots, 0, 1000)?;
        within("warm_up_round_trips", self.warm_up_round_trips, 0, 100_000)?;
        for (i, pair) in self.senders.windows(2).enumerate() {
            if pair[1].source < pair[0].source {
                return Err(format!("sender[{}].source: expected those of one source side by side", i + 1));
            }
        }
        for (i, sender) in self.senders.iter().enumerate() {
            within(&format!("sender[{i}].source"), sender.source as u64, 0, self.source_count() as u64 - 1)?;
        }
        within("sender.queue_pairs in all", self.pairs().len() as u64, 1, 1024)?;
        flatten(&self.routes()?).map(drop).map_err(|e| e.to_string())
    }

    /// What leads to which path.
    pub fn routes(&self) -> Result<Vec<Route>, String> {
        let of = |(path, p): (usize, &Path)| -> Result<Vec<Route>, String> {
            let read = |text: &String| {
                let prefix = text.parse::<Prefix>().map_err(|e| format!("path[{path}].prefixes: {e}"))?;
                Ok(Route { prefix, path: path as u8 })
            };
            p.prefixes.iter().map(read).collect()
        };
        Ok(self.paths.iter().enumerate().map(of).collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// Every queue pair, group by group.
    pub fn pairs(&self) -> Vec<Pair> {
        let routes = self.routes().unwrap_or_default();
        let groups = self.senders.iter().enumerate();
        let each = groups.flat_map(|(group, s)| (0..s.queue_pairs).map(move |k| (group, k, s)));
        let pair = |(i, (sender, k, s)): (u32, (usize, u32, &Sender))| {
            let ip = u32::from(s.far);
            let start_us = s.start_us + f64::from(k) * s.start_spacing_us;
            let within = |r: &&Route| !r.prefix.v6 && r.prefix.contains_address(ip.into());
            let path = routes.iter().filter(within).max_by_key(|r| r.prefix.len).map(|r| r.path.into());
            let (near, far) = ends(i);
            let (near, far) = (End { ip: near_ip(s.source), ..near }, End { ip, ..far });
            let first_psn = (0xff_ff00 + 0x1_0001 * i) & PSN_MASK;
            Pair { near, far, first_psn, sender, source: s.source, path, start_us }
        };
        (0..).zip(each).map(pair).collect()
    }

    /// Cycles of a time in microseconds.
    pub fn cycles(&self, microseconds: f64) -> u64 {
        (microseconds * self.clock_hz as f64 / 1e6).round() as u64
    }

    /// One way over the longest line and both client wires, and back, in cycles.
    pub fn round_trip_cycles(&self) -> u64 {
        let longest = (0..self.source_count()).map(|n| self.source(n).one_way_delay_us).fold(0.0, f64::max);
        2 * self.cycles(longest) + 4 * self.cycles(self.client.one_way_delay_us)
    }

    /// What the line carries in a round trip, bytes.
    pub fn product_bytes(&self) -> u64 {
        (self.line.rate_gbps * 1e9 / 8.0 * self.round_trip_cycles() as f64 / self.clock_hz as f64) as u64
    }

    /// What the line carries in a slot, bytes.
    pub fn line_slot_bytes(&self) -> u64 {
        (self.line.rate_gbps * 1e9 / 8.0 * (1u64 << self.slot_log2_cycles) as f64 / self.clock_hz as f64) as u64
    }

    /// Cycles between the last flow's acknowledgement and the first that is counted.
    pub fn warm_up_cycles(&self) -> u64 {
        self.warm_up_round_trips * self.round_trip_cycles()
    }

    /// How many sources there are.
    pub fn source_count(&self) -> usize {
        self.sources.len().max(1)
    }

    /// A source.
    pub fn source(&self, n: usize) -> Source {
        self.sources.get(n).copied().unwrap_or(Source::at(self.line.one_way_delay_us))
    }

    /// Classes of the record: the paths of each source, and what takes none.
    pub fn classes(&self) -> usize {
        self.source_count() * self.paths.len() + 1
    }

    /// What leads from the destination to which source: path `n` to source `n`.
    pub fn routes_back(&self) -> Vec<Route> {
        let route = |n: usize| Route {
            prefix: Prefix { v6: false, addr: (near_ip(n) & !0xff).into(), len: 24 },
            path: n as u8,
        };
        (0..self.source_count()).map(route).collect()
    }

    /// A line with the fate of its budget frames; `of` tells lines apart.
    pub fn fibre(&self, delay_cycles: u64, of: u64) -> Fibre {
        let BudgetFrames { lost_permille, late_slots, outage_from_us, outage_until_us } = self.budget_frames;
        let outage = (self.cycles(outage_from_us), self.cycles(outage_until_us));
        let fibre = Fibre::new(delay_cycles);
        if lost_permille == 0 && late_slots == 0 && outage.0 == outage.1 {
            return fibre;
        }
        let late_cycles = late_slots << self.slot_log2_cycles;
        fibre.with_fate(Fate { lost_permille, late_cycles, outage, random: Stream::new(self.seed, 1 + of) })
    }

    /// The last queue pair starts in this cycle.
    pub fn last_start_cycle(&self) -> u64 {
        self.cycles(self.pairs().iter().map(|p| p.start_us).fold(0.0, f64::max))
    }

    /// What all paths together may send.
    pub fn budget_bps(&self) -> f64 {
        self.paths.iter().map(|p| p.budget_gbps * 1e9).sum::<f64>().min(self.line.rate_gbps * 1e9)
    }
}

fn positive(what: &str, x: f64, most: f64) -> Result<(), String> {
    let sound = x.is_finite() && x > 0.0 && x <= most;
    sound.then_some(()).ok_or_else(|| format!("{what} = {x}: expected more than 0 and at most {most}"))
}

fn within(what: &str, x: u64, least: u64, most: u64) -> Result<(), String> {
    let sound = (least..=most).contains(&x);
    sound.then_some(()).ok_or_else(|| format!("{what} = {x}: expected {least} to {most}"))
}

impl Path {
    fn check(&self, name: &str, line: &Wire) -> Result<(), String> {
        positive(&format!("{name}.budget_gbps"), self.budget_gbps, line.rate_gbps)?;
        within(&format!("{name}.burst_kib"), self.burst_kib.into(), 10, 1 << 14)?;
        for (what, on, off) in [("cnp", self.cnp_on_kib, self.cnp_off_kib), ("pfc", self.pfc_on_kib, self.pfc_off_kib)]
        {
            within(&format!("{name}.{what}_on_kib"), on.into(), 0, 1 << 20)?;
            within(&format!("{name}.{what}_off_kib"), off.into(), 0, on.into())?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "scenario_tests.rs"]
mod tests;
