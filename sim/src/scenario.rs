//! Scenario files: TOML, units in the names of keys, unknown keys refused.

use crate::frame::End;
use matchrdma::route_table::{flatten, Prefix, Route};
use matchrdma_spec::params::{BURST_DEFAULT_BYTES, PATHS, PSN_MASK, SLOT_K_MAX, SLOT_K_MIN};
use serde::{Deserialize, Serialize};
use std::net::Ipv4Addr;
use std::path::Path as FilePath;

/// One experiment.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What the table calls it.
    pub name: String,
    /// Clock of both gateways.
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
    /// Paths of the source gateway, path 0 first.
    #[serde(rename = "path")]
    pub paths: Vec<Path>,
}

fn default_schemes() -> Vec<Scheme> {
    vec![Scheme::Bypass, Scheme::PseudoAck]
}

/// How the source gateway is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scheme {
    /// As it comes out of reset.
    Bypass,
    /// Acknowledging and pacing; CNPs from the thresholds of the paths; never a PFC frame.
    PseudoAck,
    /// The same, and PFC from the thresholds of the paths.
    PseudoAckPfc,
}

impl Scheme {
    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Scheme::Bypass => "bypass",
            Scheme::PseudoAck => "pseudo_ack",
            Scheme::PseudoAckPfc => "pseudo_ack_pfc",
        }
    }
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

/// RC requesters that are alike.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Sender {
    /// Queue pairs, all to one far host.
    pub queue_pairs: u32,
    /// Unacknowledged bytes that a queue pair may have.
    pub window_kib: u64,
    /// Length of every message.
    pub message_kib: u32,
    /// Payload of a full packet.
    pub mtu_bytes: u32,
    /// Messages that a queue pair may have begun and not finished.
    pub messages_in_flight: u64,
    /// Retransmission timer.
    pub ack_timeout_ms: f64,
    /// The far host.
    #[serde(default = "default_far")]
    pub far: Ipv4Addr,
    /// CNPs slow a queue pair down, as DCQCN has it, with the published constants.
    #[serde(default)]
    pub dcqcn: bool,
    /// The first message goes alone: until its ACK is here, nothing follows.
    #[serde(default)]
    pub handshake: bool,
    /// Nothing is sent before.
    #[serde(default)]
    pub start_us: f64,
    /// Each queue pair of the group starts so much after the one before.
    #[serde(default)]
    pub start_spacing_us: f64,
}

fn default_far() -> Ipv4Addr {
    Ipv4Addr::new(10, 2, 0, 1)
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

    fn check(&self) -> Result<(), String> {
        within("clock_hz", self.clock_hz, 1_000_000, 1_000_000_000)?;
        within("round_trips", self.round_trips, 10, 100_000)?;
        within("slot_log2_cycles", self.slot_log2_cycles.into(), SLOT_K_MIN.into(), SLOT_K_MAX.into())?;
        // The bus itself carries 512 bits a cycle.
        let bus_gbps = self.clock_hz as f64 * 512.0 / 1e9;
        for (name, wire) in [("client", &self.client), ("line", &self.line)] {
            positive(&format!("{name}.rate_gbps"), wire.rate_gbps, bus_gbps)?;
            positive(&format!("{name}.one_way_delay_us"), wire.one_way_delay_us, 1e6)?;
        }
        within("schemes", self.schemes.len() as u64, 1, 3)?;
        within("sender", self.senders.len() as u64, 1, 64)?;
        within("path", self.paths.len() as u64, 1, PATHS as u64)?;
        self.senders.iter().enumerate().try_for_each(|(i, sender)| sender.check(&format!("sender[{i}]")))?;
        self.paths.iter().enumerate().try_for_each(|(i, path)| path.check(&format!("path[{i}]"), &self.line))?;
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
            let near = End { mac: 0x0200_0000_0001, ip: 0x0a01_0001, qpn: 0x100 + i };
            let far = End { mac: 0x0200_0000_0002, ip, qpn: 0x200 + i };
            Pair { near, far, first_psn: (0xff_ff00 + 0x1_0001 * i) & PSN_MASK, sender, path, start_us }
        };
        (0..).zip(each).map(pair).collect()
    }

    /// Cycles of a time in microseconds.
    pub fn cycles(&self, microseconds: f64) -> u64 {
        (microseconds * self.clock_hz as f64 / 1e6).round() as u64
    }

    /// One way over the line and both client wires, and back, in cycles.
    pub fn round_trip_cycles(&self) -> u64 {
        2 * self.cycles(self.line.one_way_delay_us) + 4 * self.cycles(self.client.one_way_delay_us)
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

impl Sender {
    fn check(&self, name: &str) -> Result<(), String> {
        let key = |k: &str| format!("{name}.{k}");
        positive(&key("ack_timeout_ms"), self.ack_timeout_ms, 1e6)?;
        within(&key("queue_pairs"), self.queue_pairs.into(), 1, 1024)?;
        within(&key("window_kib"), self.window_kib, 4, 1 << 20)?;
        within(&key("message_kib"), self.message_kib.into(), 1, 1 << 20)?;
        within(&key("messages_in_flight"), self.messages_in_flight, 1, 1 << 20)?;
        if ![256, 512, 1024, 2048, 4096].contains(&self.mtu_bytes) {
            return Err(format!("{name}.mtu_bytes = {}: expected 256, 512, 1024, 2048 or 4096", self.mtu_bytes));
        }
        for (what, x) in [("start_us", self.start_us), ("start_spacing_us", self.start_spacing_us)] {
            if !(0.0..=1e6).contains(&x) {
                return Err(format!("{name}.{what} = {x}: expected 0 to 1000000"));
            }
        }
        Ok(())
    }
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
