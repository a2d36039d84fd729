//! `CONFIG.toml`: what an operator writes. Units are in the names; an unknown key is refused with its line and column.

use crate::error::{Error, Kind, Result};
use serde::Deserialize;
use std::net::IpAddr;
use std::ops::Range;
use toml::Spanned;

/// A whole configuration. What it does not name is as after reset.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The gateway itself.
    #[serde(default)]
    pub gateway: Gateway,
    /// How long is too long.
    #[serde(default)]
    pub timers: Timers,
    /// The client port.
    #[serde(default)]
    pub client: Client,
    /// The budget rail; without it no budget frame is sent, and none counts.
    pub law: Option<Spanned<Law>>,
    /// Paths.
    #[serde(default)]
    pub path: Vec<Spanned<Path>>,
    /// Which prefix leads to which path.
    #[serde(default)]
    pub route: Vec<Spanned<Route>>,
    /// Queue pairs.
    #[serde(default)]
    pub flow: Vec<Spanned<Flow>>,
}

/// `[gateway]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Gateway {
    /// On at the end.
    pub enable: bool,
    /// `departure`, or `arrival`, which is unsafe on reset.
    pub ack_on: AckOn,
    /// A slot is 2^this cycles of the core clock.
    pub slot_log2_cycles: Spanned<u32>,
    /// Rate of the ports, Gb/s.
    pub port_gbps: Spanned<f64>,
    /// Bytes counted beside each frame's own.
    pub overhead_bytes: Spanned<u32>,
    /// Pseudo-ACKs take at most one part in 2^this of the client port.
    pub ack_share_log2: Spanned<u32>,
    /// After how long the senders repeat what is not acknowledged, ms; 67.1 is the timeout 14 of queue pairs.
    pub sender_timeout_ms: f64,
}

/// When data is acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AckOn {
    /// When it has left.
    #[default]
    Departure,
    /// When it has come.
    Arrival,
}

fn bare<T>(value: T) -> Spanned<T> {
    Spanned::new(0..0, value)
}

impl Default for Gateway {
    fn default() -> Self {
        use matchrdma_spec::params as p;
        Gateway {
            enable: true,
            ack_on: AckOn::Departure,
            slot_log2_cycles: bare(p::SLOT_K_DEFAULT),
            port_gbps: bare(p::LINE_BPS as f64 / 1e9),
            overhead_bytes: bare(p::OVERHEAD_BYTES),
            ack_share_log2: bare(p::ACK_SHARE_LOG2_DEFAULT),
            sender_timeout_ms: 67.1,
        }
    }
}

/// `[timers]`, µs; each is rounded up to ticks, and "never" is `inf`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Timers {
    /// A tick is 2^this cycles.
    pub tick_log2_cycles: Spanned<u32>,
    /// A gap open for longer drains its flow.
    pub gap_timeout_us: Spanned<f64>,
    /// A flow without debt that stood still for longer returns to Sync.
    pub flow_idle_us: Spanned<f64>,
    /// Debt older than this is a fault.
    pub debt_timeout_us: Spanned<f64>,
}

impl Default for Timers {
    fn default() -> Self {
        use matchrdma_spec::params as p;
        let us = |ns: u64| bare(ns as f64 / 1e3);
        Timers {
            tick_log2_cycles: bare(matchrdma_spec::regs::timer::TICK_LOG2_DEFAULT),
            gap_timeout_us: us(p::GAP_TIMEOUT_NS),
            flow_idle_us: us(p::FLOW_IDLE_NS),
            debt_timeout_us: us(p::DEBT_TIMEOUT_NS),
        }
    }
}

/// `[client]`: flow control and notifications.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Client {
    /// Obeys and sends PFC.
    pub pfc: bool,
    /// The lossless class.
    pub pfc_class: Spanned<u32>,
    /// Pause that an XOFF asks for, quanta of 512 bit times.
    pub pfc_quanta: Spanned<u32>,
    /// Source of PFC frames.
    pub pfc_source_mac: Spanned<String>,
    /// Least time between two ACKs of a flow, µs.
    pub ack_gap_us: Spanned<f64>,
    /// Least time between two CNPs of a flow, µs.
    pub cnp_spacing_us: Spanned<f64>,
    /// DSCP of CNPs.
    pub cnp_dscp: Spanned<u32>,
    /// Priority in their VLAN tags.
    pub cnp_pcp: Spanned<u32>,
}

impl Default for Client {
    fn default() -> Self {
        use matchrdma_spec::regs::pfc::{CLASS_FIELD, CNP_DSCP_FIELD, CNP_PCP_FIELD, RESET};
        let [control, _, quanta, .., cnp_class] = RESET;
        Client {
            pfc: false,
            pfc_class: bare(CLASS_FIELD.get(control)),
            pfc_quanta: bare(quanta),
            pfc_source_mac: bare("02:00:00:00:00:01".into()),
            ack_gap_us: bare(0.0),
            cnp_spacing_us: bare(matchrdma_spec::params::CNP_SPACING_NS as f64 / 1e3),
            cnp_dscp: bare(CNP_DSCP_FIELD.get(cnp_class)),
            cnp_pcp: bare(CNP_PCP_FIELD.get(cnp_class)),
        }
    }
}

/// `[law]`: the budget rail.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Law {
    /// Our site, which no other gateway has.
    pub site: u16,
    /// Longest round trip to a far gateway, µs: the law's constants follow from it.
    pub round_trip_us: Spanned<f64>,
    /// Our session, higher than any before; without it the clock in seconds, when one has to begin.
    pub session: Option<Spanned<u32>>,
    /// Bytes that may wait for the client port, KiB; without it all memory of that direction.
    pub capacity_kib: Option<Spanned<u64>>,
    /// What an outage leaves is the port's rate over this.
    pub floor_part: Option<Spanned<u32>>,
    /// How long a budget of ours holds, slots of the receiver.
    pub lease_slots: Option<u16>,
    /// A surplus or lack is made good in 2^this slots.
    pub tau: Option<Spanned<u32>>,
    /// Gain of the estimate: one part in 2^this.
    pub a: Option<Spanned<u32>>,
    /// How fast an estimate without a measurement rises.
    pub p: Option<Spanned<u32>>,
    /// What a CNP takes off.
    pub c: Option<Spanned<u32>>,
    /// How fast the highest estimate is forgotten.
    pub h: Option<Spanned<u32>>,
    /// Destination of budget frames.
    pub destination_mac: Option<Spanned<String>>,
    /// Source of budget frames.
    pub source_mac: Option<Spanned<String>>,
}

/// `[[path]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// Its number.
    pub index: Spanned<u32>,
    /// What budget it has.
    #[serde(default)]
    pub mode: Mode,
    /// The fixed rate; with a calendar what holds before and after it.
    pub rate_gbps: Option<Spanned<f64>>,
    /// Depth of its bucket.
    pub burst_bytes: Option<Spanned<u32>>,
    /// CNPs from so many held bytes on.
    #[serde(default)]
    pub cnp_on_bytes: u32,
    /// Until so few.
    #[serde(default)]
    pub cnp_off_bytes: u32,
    /// PFC from so many held bytes on.
    #[serde(default)]
    pub pfc_on_bytes: u32,
    /// Until so few.
    #[serde(default)]
    pub pfc_off_bytes: u32,
    /// ECN is cleared once a CNP was sent.
    #[serde(default)]
    pub clear_ecn: bool,
    /// The far gateway.
    pub peer: Option<Spanned<Peer>>,
    /// Budgets over time: what we may send.
    pub calendar: Option<Spanned<Calendar>>,
    /// What our client port will drain of the path, over time: the law goes by it.
    pub forecast: Option<Spanned<Calendar>>,
}

/// What budget a path has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Line rate.
    #[default]
    Open,
    /// A fixed rate.
    Fixed,
    /// The calendar.
    Calendar,
    /// What the far gateway grants.
    Live,
    /// The lesser of the two.
    Lesser,
    /// No route may lead there.
    Off,
}

/// The far gateway of a path.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Peer {
    /// Its site.
    pub site: u16,
    /// Share of the path among those into our data centre.
    pub weight: Option<Spanned<u32>>,
    /// Key of both directions, 32 hexadecimal digits; without it there is no tag.
    pub key_hex: Option<Spanned<String>>,
}

/// Budgets over time: of a file, or here.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calendar {
    /// As `calendar load` takes it; relative to the configuration.
    pub file: Option<Spanned<String>>,
    /// Or the entries themselves.
    #[serde(default)]
    pub entry: Vec<Spanned<Entry>>,
    /// After the last entry comes the first.
    #[serde(default)]
    pub repeat: bool,
    /// Slot of the first entry; one that is past is now.
    #[serde(default)]
    pub start_slot: u32,
    /// The entries are of the far end, so far away: they begin so much earlier here, µs.
    #[serde(default)]
    pub early_us: f64,
}

/// A budget and how long it holds.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Budget, Gb/s.
    pub budget_gbps: f64,
    /// For so long, µs.
    pub duration_us: f64,
}

/// `[[route]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Route {
    /// Addresses.
    pub prefix: Spanned<String>,
    /// The path they are behind.
    pub path: Spanned<u32>,
}

/// `[[flow]]`: one direction of a connected pair of queue pairs, whose requester is near.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// Address of the requester.
    pub requester: IpAddr,
    /// Its queue pair number.
    pub requester_qpn: Spanned<u32>,
    /// Address of the responder.
    pub responder: IpAddr,
    /// Its queue pair number.
    pub responder_qpn: Spanned<u32>,
    /// VLAN id of its frames, without it untagged.
    pub vlan: Option<Spanned<u32>>,
    /// Outer VLAN id, of frames with two tags.
    pub outer_vlan: Option<Spanned<u32>>,
    /// Path MTU.
    pub mtu_bytes: Option<Spanned<u32>>,
    /// Which requests are acknowledged early.
    #[serde(default)]
    pub ack_ops: AckOps,
}

/// Which requests are acknowledged early.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AckOps {
    /// SEND and WRITE.
    #[default]
    All,
    /// WRITE without immediate only.
    Write,
}

/// A configuration with the text that it was read from.
pub struct Source<'a> {
    name: &'a str,
    text: &'a str,
    /// Where its lines begin.
    lines: Vec<usize>,
}

impl<'a> Source<'a> {
    /// The text of a file of this name.
    pub fn new(name: &'a str, text: &'a str) -> Self {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Source { name, text, lines }
    }

    /// Line and column of a place of the text. Asked for every flow, so lines are not counted again.
    pub fn place(&self, span: &Range<usize>) -> String {
        let at = span.start.min(self.text.len());
        let line = self.lines.partition_point(|begin| *begin <= at);
        let column = self.text[self.lines[line - 1]..at].chars().count() + 1;
        format!("{}:{line}:{column}", self.name)
    }

    /// A fault of what stands at a place.
    pub fn wrong(&self, what: impl Into<String>, span: &Range<usize>) -> Error {
        Error::new(Kind::Config, what).at(self.place(span)).so("correct the file and apply it again")
    }

    /// Reads it.
    pub fn parse(&self) -> Result<Config> {
        toml::from_str(self.text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let found = self.text.get(span.clone()).map_or("", |text| text.lines().next().unwrap_or("")).to_owned();
            self.wrong("reading the configuration", &span).but(error.message().trim().replace('\n', " "), found)
        })
    }
}
