//! Scenario files of the network simulator: TOML, units in the names of keys, unknown keys refused. Where a key may have
//! several values, the scenario is the grid of all of them.

use super::claims::Compare;
use super::columns::{measures, AXES, MEASURES};
use super::drain::Drain;
use super::experiment::{place_of, About, Each, Experiment, Plot, Trace};
use super::host::SenderCfg;
use super::load::Load;
use super::packet::Ps;
use super::point::{Point, Source, Window, US};
use super::results::Row;
use super::scheme::Scheme;
use matchrdma_spec::params::{SLOT_K_LIVE_MIN, SLOT_K_MAX};
use matchrdma_spec::regs::law;
use serde::{Deserialize, Serialize};

/// An experiment.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct NetScenario {
    /// What tables call it.
    pub name: String,
    /// `network`: what tells this file from one for the gates.
    pub engine: NetEngine,
    /// What it is to show, in a sentence.
    pub claim: String,
    /// Who is compared.
    pub schemes: Vec<Scheme>,
    /// Seeds, each a run of its own.
    pub seeds: Vec<u64>,
    /// Longest round trips before counting begins.
    pub warm_round_trips: u64,
    /// Longest round trips that are counted.
    pub round_trips: u64,
    /// Lines between gateways.
    pub line: LineKeys,
    /// The destination's data centre.
    pub client: ClientKeys,
    /// Every sending queue pair.
    pub sender: SenderKeys,
    /// Sending data centres, one by one; else as many alike as `line.sources` says.
    #[serde(default)]
    pub source: Vec<SourceKeys>,
    /// Constants of the law; those of the defaults when absent.
    #[serde(default)]
    pub law: LawKeys,
    /// What happens to budget frames on their way; nothing when absent.
    #[serde(default)]
    pub control: ControlKeys,
    /// Claims of the report.
    #[serde(default)]
    pub compare: Vec<Compare>,
    /// Figures of the report.
    #[serde(default)]
    pub plot: Vec<Plot>,
    /// Its figures over time.
    #[serde(default)]
    pub trace: Vec<Trace>,
}

/// Which simulator a file is for.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NetEngine {
    /// Packets without bytes.
    Network,
}

/// `[line]`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LineKeys {
    /// Rate of the lines and of every port.
    pub rate_gbps: Each<f64>,
    /// One way, of the longest.
    pub one_way_delay_ms: Each<f64>,
    /// Sending data centres, all alike; one when absent.
    pub sources: Option<Each<u64>>,
}

/// `[law]`.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LawKeys {
    /// Slot, as log2 of cycles of 250 MHz; as suits the delay when absent.
    pub slot_log2: Option<Each<u32>>,
    /// Slots over which the peak of what drains is forgotten, as log2; 13 round trips of them when absent.
    pub leak_log2: Option<Each<u32>>,
}

/// `[control]`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ControlKeys {
    /// Of budget frames, so many are lost.
    pub budget_loss_percent: Each<f64>,
    /// The others come late by up to so many slots, each by its own.
    pub budget_late_slots: Each<u64>,
}

impl Default for ControlKeys {
    fn default() -> Self {
        ControlKeys { budget_loss_percent: Each::One(0.0), budget_late_slots: Each::One(0) }
    }
}

/// `[client]`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ClientKeys {
    /// One way between a host and its gateway.
    pub one_way_delay_us: f64,
    /// How it drains.
    pub drain: Each<String>,
    /// Buffer, in round trips of the line at its rate; unlimited when absent.
    pub buffer_round_trips: Option<f64>,
}

/// `[sender]`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SenderKeys {
    /// Queue pairs of each source.
    pub queue_pairs: Each<u32>,
    /// Unacknowledged bytes that each may have.
    pub window_kib: Each<u64>,
    /// Length of every message.
    pub message_kib: Each<u64>,
    /// Messages begun and not acknowledged; as many as the window allows when absent.
    pub messages_in_flight: Option<u64>,
    /// Payload of a full packet.
    pub mtu_bytes: u32,
    /// Retransmission timer.
    pub ack_timeout_ms: f64,
    /// Every so many packets ask for an acknowledgement.
    pub ack_every_packets: u64,
    /// DCQCN at the sender.
    pub dcqcn: bool,
    /// What the queue pairs of a source have to send; `full`, always something, when absent.
    #[serde(default = "always")]
    pub load: Each<String>,
}

fn always() -> Each<String> {
    Each::One(Load::Full.to_string())
}

/// `[[source]]`.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SourceKeys {
    /// Weight of its path.
    pub weight: u8,
    /// Its delay, in parts of `line.one_way_delay_ms`.
    pub delay_ratio: f64,
}

/// One point of the grid, with the values that make it.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// What is run.
    pub point: Point,
    /// Values of the axes, by column.
    pub axes: Vec<(&'static str, String)>,
}

impl NetScenario {
    /// Reads and checks a text. Errors begin with `:line:column: ` or `: `.
    pub fn parse(text: &str) -> Result<Self, String> {
        let s: Self = toml::from_str(text).map_err(|e| place_of(text, &e))?;
        s.check().map_err(|e| format!(": {e}"))?;
        Ok(s)
    }

    fn check(&self) -> Result<(), String> {
        let positive = |what: &str, x: f64, most: f64| {
            let sound = x.is_finite() && x > 0.0 && x <= most;
            sound.then_some(()).ok_or_else(|| format!("{what} = {x}: expected more than 0 and at most {most}"))
        };
        let some = |what: &str, n: usize| (n > 0).then_some(()).ok_or_else(|| format!("{what}: expected at least one"));
        some("schemes", self.schemes.len())?;
        some("seeds", self.seeds.len())?;
        let rates = self.line.rate_gbps.all();
        some("line.rate_gbps", rates.len())?;
        rates.iter().try_for_each(|r| positive("line.rate_gbps", *r, 10_000.0))?;
        positive("client.one_way_delay_us", self.client.one_way_delay_us, 1e6)?;
        positive("sender.ack_timeout_ms", self.sender.ack_timeout_ms, 1e6)?;
        positive("round_trips", self.round_trips as f64, 1e6)?;
        let delays = self.line.one_way_delay_ms.all();
        some("line.one_way_delay_ms", delays.len())?;
        delays.iter().try_for_each(|d| positive("line.one_way_delay_ms", *d, 1000.0))?;
        if let Some(b) = self.client.buffer_round_trips {
            positive("client.buffer_round_trips", b, 1e6)?;
        }
        let drains = self.client.drain.all();
        some("client.drain", drains.len())?;
        drains.iter().try_for_each(|d| d.parse::<Drain>().map(drop))?;
        let loads = self.sender.load.all();
        some("sender.load", loads.len())?;
        loads.iter().try_for_each(|l| l.parse::<Load>().map(drop))?;
        for (what, all) in [
            ("sender.queue_pairs", self.sender.queue_pairs.all().iter().map(|q| u64::from(*q)).collect::<Vec<_>>()),
            ("sender.window_kib", self.sender.window_kib.all()),
            ("sender.message_kib", self.sender.message_kib.all()),
            ("sender.ack_every_packets", vec![self.sender.ack_every_packets]),
            ("sender.messages_in_flight", vec![self.sender.messages_in_flight.unwrap_or(1)]),
        ] {
            some(what, all.len())?;
            all.iter().try_for_each(|n| positive(what, *n as f64, 1e9))?;
        }
        if ![256, 512, 1024, 2048, 4096].contains(&self.sender.mtu_bytes) {
            return Err(format!("sender.mtu_bytes = {}: expected 256, 512, 1024, 2048 or 4096", self.sender.mtu_bytes));
        }
        if !self.source.is_empty() && self.line.sources.is_some() {
            return Err("line.sources and [[source]]: expected one of them".into());
        }
        let paths = matchrdma_spec::params::PATHS as u64;
        if let Some(n) = self.source_counts().iter().find(|n| !(1..=paths).contains(n)) {
            return Err(format!("sources: {n}, expected 1 to {paths}"));
        }
        if self.schemes.contains(&Scheme::MatchrdmaCalendar) && self.source_counts() != [1] {
            return Err("schemes: matchrdma_calendar knows one source only; expected no other".into());
        }
        for (what, key, least, most) in [
            ("law.slot_log2", &self.law.slot_log2, SLOT_K_LIVE_MIN, SLOT_K_MAX),
            ("law.leak_log2", &self.law.leak_log2, 0, law::H.max()),
        ] {
            let values = key.as_ref().map(Each::all);
            some(what, values.as_ref().map_or(1, Vec::len))?;
            if let Some(k) = values.iter().flatten().find(|k| !(least..=most).contains(*k)) {
                return Err(format!("{what} = {k}: expected {least} to {most}"));
            }
        }
        for loss in self.control.budget_loss_percent.all() {
            if !(0.0..=100.0).contains(&loss) {
                return Err(format!("control.budget_loss_percent = {loss}: expected 0 to 100"));
            }
        }
        for s in &self.source {
            positive("source.delay_ratio", s.delay_ratio, 1.0)?;
            positive("source.weight", s.weight.into(), 255.0)?;
        }
        let columns: Vec<&str> = AXES.iter().copied().chain(MEASURES).collect();
        self.compare.iter().try_for_each(|c| c.check(&columns))?;
        self.plot.iter().try_for_each(|plot| plot.check(&columns))?;
        let cells = if self.trace.is_empty() { vec![] } else { self.cells() };
        self.trace.iter().try_for_each(|trace| trace.check(cells.iter().map(|cell| cell.axes.as_slice())))?;
        Ok(())
    }

    /// The whole grid, in an order that does not change: the first axis varies slowest.
    pub fn cells(&self) -> Vec<Cell> {
        let words = |all: Vec<f64>| all.iter().map(f64::to_string).collect::<Vec<_>>();
        let numbers = |all: Vec<u64>| all.iter().map(u64::to_string).collect::<Vec<_>>();
        let given = |key: &Option<Each<u32>>| match key {
            Some(each) => each.all().iter().map(u32::to_string).collect(),
            None => vec![String::new()],
        };
        let pairs = self.sender.queue_pairs.all().into_iter().map(u64::from).collect();
        let axes: [(&'static str, Vec<String>); AXES.len()] = [
            ("rate_gbps", words(self.line.rate_gbps.all())),
            ("one_way_delay_ms", words(self.line.one_way_delay_ms.all())),
            ("drain", self.client.drain.all()),
            ("load", self.sender.load.all()),
            ("sources", numbers(self.source_counts())),
            ("message_kib", numbers(self.sender.message_kib.all())),
            ("window_kib", numbers(self.sender.window_kib.all())),
            ("queue_pairs", numbers(pairs)),
            ("slot_log2", given(&self.law.slot_log2)),
            ("leak_log2", given(&self.law.leak_log2)),
            ("budget_loss_percent", words(self.control.budget_loss_percent.all())),
            ("budget_late_slots", numbers(self.control.budget_late_slots.all())),
            ("seed", numbers(self.seeds.clone())),
            ("scheme", self.schemes.iter().map(|s| s.name().to_string()).collect()),
        ];
        let all: usize = axes.iter().map(|a| a.1.len()).product();
        (0..all)
            .map(|mut index| {
                let mut chosen: Vec<(&'static str, String)> = vec![];
                for (name, values) in axes.iter().rev() {
                    chosen.push((name, values[index % values.len()].clone()));
                    index /= values.len();
                }
                chosen.reverse();
                Cell { point: self.point(&chosen), axes: chosen }
            })
            .collect()
    }

    fn source_counts(&self) -> Vec<u64> {
        match (&self.line.sources, self.source.len()) {
            (Some(counts), 0) => counts.all(),
            (None, 0) => vec![1],
            (_, listed) => vec![listed as u64],
        }
    }

    fn point(&self, axes: &[(&'static str, String)]) -> Point {
        let value = |name: &str| axes.iter().find(|a| a.0 == name).map_or("", |a| a.1.as_str());
        let real = |name: &str| value(name).parse::<f64>().unwrap_or(0.0);
        let whole = |name: &str| value(name).parse::<u64>().unwrap_or(0);
        let rate = real("rate_gbps") * 1e9;
        let delay = (real("one_way_delay_ms") * 1e9) as Ps;
        let alike = vec![SourceKeys { weight: 1, delay_ratio: 1.0 }; whole("sources") as usize];
        let sources = if self.source.is_empty() { &alike } else { &self.source };
        let bdp = rate / 8.0 * 2.0 * delay as f64 / 1e12;
        let scheme = Scheme::ALL.into_iter().find(|s| s.name() == value("scheme"));
        Point {
            scheme: scheme.unwrap_or(Scheme::Matchrdma),
            seed: whole("seed"),
            line_bps: rate as u64,
            client_bps: rate as u64,
            client_delay: (self.client.one_way_delay_us * US as f64) as Ps,
            slot: value("slot_log2").parse().map_or_else(|_| Point::slot_for(delay), Point::slot_of),
            leak: value("leak_log2").parse().ok(),
            sources: sources
                .iter()
                .map(|s| Source {
                    weight: s.weight,
                    delay: (delay as f64 * s.delay_ratio) as Ps,
                    queue_pairs: whole("queue_pairs") as u32,
                })
                .collect(),
            sender: SenderCfg {
                window_bytes: whole("window_kib") << 10,
                message_bytes: whole("message_kib") << 10,
                mtu_bytes: self.sender.mtu_bytes,
                messages_in_flight: self.sender.messages_in_flight.unwrap_or(1 << 40),
                ack_timeout: (self.sender.ack_timeout_ms * 1e9) as Ps,
                ack_every: self.sender.ack_every_packets,
            },
            dcqcn: self.sender.dcqcn,
            load: value("load").parse().unwrap_or(Load::Full),
            budget_loss: real("budget_loss_percent") / 100.0,
            budget_late: whole("budget_late_slots"),
            drain: value("drain").parse().unwrap_or(Drain::Full),
            capacity: self.client.buffer_round_trips.map_or(1 << 44, |b| (b * bdp) as u64),
            warm_round_trips: self.warm_round_trips,
            round_trips: self.round_trips,
        }
    }
}

impl Experiment for NetScenario {
    fn about(&self) -> About<'_> {
        About { name: &self.name, claim: &self.claim, compares: &self.compare, plots: &self.plot, traces: &self.trace }
    }

    fn shown(&self) -> &[&'static str] {
        const SHOWN: &[&str] = &[
            "goodput_gbps",
            "drain_utilisation",
            "occupancy_mean_bdp",
            "occupancy_p99_bdp",
            "occupancy_peak_bdp",
            "dropped_frames",
        ];
        SHOWN
    }

    fn axes(&self) -> &[&'static str] {
        &AXES
    }

    fn runs(&self) -> usize {
        self.cells().len()
    }

    fn run(&self, index: usize) -> Row {
        let cell = &self.cells()[index];
        let mut traces = vec![vec![]; self.trace.len()];
        let windows: Vec<(usize, Window)> = self
            .trace
            .iter()
            .enumerate()
            .filter(|(_, trace)| trace.is_of(&cell.axes))
            .map(|(i, t)| (i, Window::of_round_trips(t.from_round_trips, t.round_trips, cell.point.rtt())))
            .collect();
        let outcome = cell.point.run(&windows, &mut |i, at, bytes| traces[i].push((at, bytes)));
        let axes = cell.axes.iter().map(|(name, value)| (name.to_string(), value.clone()));
        let measured = MEASURES.iter().map(|m| m.to_string()).zip(measures(&cell.point, &outcome));
        Row { index, values: axes.chain(measured).collect(), traces }
    }

    fn parameters(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("a scenario is data")
    }
}

#[cfg(test)]
#[path = "scenario_tests.rs"]
mod tests;
