//! What came of a replay: `report.json`, and a summary for people.

use super::{Args, Outcome, CLIENT, LINE, REPORT};
use crate::replay::play::{FlowResult, Played};
use crate::replay::survey::Survey;
use matchrdma::learn::{address, Source};
use matchrdma_spec::regs::counters::*;
use serde::Serialize;
use std::fmt::Write;

/// `report.json`.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct Report {
    /// Frames that came in, both ports.
    pub frames_in: u64,
    /// Frames that left on the client port, built ones too.
    pub frames_out_client: u64,
    /// Frames that left on the line port.
    pub frames_out_line: u64,
    /// Frames forwarded that belonged to no Active flow.
    pub bypassed: u64,
    /// ACKs built.
    pub pseudo_acks: u64,
    /// NAKs built.
    pub naks: u64,
    /// Frames dropped, by reason.
    pub dropped: Dropped,
    /// Flows in the tables.
    pub flows: Vec<Flow>,
    /// From the last beat of a request to the last beat of the pseudo-ACK that names its PSN; `null` without any.
    pub pseudo_ack_latency_cycles: Option<Latency>,
    /// Clock cycles played.
    pub cycles: u64,
    /// Clock cycles played per second.
    pub cycles_per_second: f64,
    /// Whether those are cycles of two gateways: a replay has one.
    pub pair: bool,
}

/// Frames dropped, by reason.
#[derive(Clone, Debug, Serialize, PartialEq)]
#[allow(missing_docs)]
pub struct Dropped {
    pub bad_icrc: u64,
    pub mac_error: u64,
    pub out_of_order: u64,
    pub duplicate: u64,
    pub budget_from_client: u64,
    pub overflow: u64,
    pub malformed: u64,
}

impl Dropped {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.bad_icrc
            + self.mac_error
            + self.out_of_order
            + self.duplicate
            + self.budget_from_client
            + self.overflow
            + self.malformed
    }
}

/// A flow at the end.
#[derive(Clone, Debug, Serialize, PartialEq)]
#[allow(missing_docs)]
pub struct Flow {
    pub requester: String,
    pub responder: String,
    pub requester_qpn: u32,
    pub responder_qpn: u32,
    pub state: &'static str,
    pub expected_psn: u32,
    pub departed_psn: u32,
    pub acknowledged_psn: u32,
    pub confirmed_psn: u32,
    pub msn: u32,
    /// Event by which it last drained, failed or was left alone.
    pub cause: Option<&'static str>,
    pub state_ticks: u32,
    pub debt: u32,
    pub debt_age_ticks: u32,
    /// Of a barrier that holds.
    pub held_ticks: Option<u32>,
}

/// Of a list of cycles.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Latency {
    pub min: u64,
    pub p50: u64,
    pub max: u64,
}

/// What is written.
pub fn report(played: &Played) -> Report {
    let count = |counter| played.counters.get(counter);
    let latency = |sorted: &[u64]| {
        Some(Latency { min: *sorted.first()?, p50: sorted[(sorted.len() - 1) / 2], max: *sorted.last()? })
    };
    Report {
        frames_in: count(&CLIENT_FRAMES_IN) + count(&LINE_FRAMES_IN),
        frames_out_client: count(&CLIENT_FRAMES_OUT),
        frames_out_line: count(&LINE_FRAMES_OUT),
        bypassed: count(&BYPASSED),
        pseudo_acks: count(&PSEUDO_ACKS),
        naks: count(&NAKS),
        dropped: Dropped {
            bad_icrc: count(&DROP_BAD_ICRC),
            mac_error: count(&DROP_MAC_ERROR),
            out_of_order: count(&DROP_OUT_OF_ORDER),
            duplicate: count(&DROP_DUPLICATE),
            budget_from_client: count(&DROP_BUDGET_FROM_CLIENT),
            overflow: count(&DROP_OVERFLOW),
            malformed: count(&DROP_MALFORMED),
        },
        flows: played.flows.iter().map(flow).collect(),
        pseudo_ack_latency_cycles: latency(&played.latencies),
        cycles: played.cycles,
        cycles_per_second: (played.cycles as f64 / played.took.as_secs_f64().max(1e-9)).round(),
        pair: false,
    }
}

fn flow(result: &FlowResult) -> Flow {
    let (flow, state) = (&result.installed.flow, &result.state);
    Flow {
        requester: address(flow.route.v6, flow.route.requester).to_string(),
        responder: address(flow.route.v6, flow.route.responder).to_string(),
        requester_qpn: flow.requester_qpn,
        responder_qpn: flow.responder_qpn,
        state: state.state,
        expected_psn: state.expected_psn,
        departed_psn: state.departed_psn,
        acknowledged_psn: state.acknowledged_psn,
        confirmed_psn: state.confirmed_psn,
        msn: state.msn,
        cause: state.cause,
        state_ticks: state.state_ticks,
        debt: state.debt,
        debt_age_ticks: state.debt_age_ticks,
        held_ticks: state.held_ticks,
    }
}

/// `report.json`, with a newline at its end.
pub fn json(report: &Report) -> String {
    let mut text = serde_json::to_string_pretty(report).unwrap_or_default();
    text.push('\n');
    text
}

/// For people.
pub fn summary(args: &Args, outcome: &Outcome) -> String {
    let Outcome { survey, played, report } = outcome;
    let mut out = String::new();
    let mut line = |text: String| {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{text}");
    };
    line(format!("{}: {}", args.capture.display(), seen(survey)));
    line(match (survey.flows.len(), report.pseudo_acks, report.naks) {
        (0, ..) => "no queue pairs were paired, so the gateway acknowledged nothing".to_string(),
        (_, acks, 0) => format!("{acks} pseudo-ACKs"),
        (_, acks, naks) => format!("{acks} pseudo-ACKs and {naks} NAKs"),
    });
    for (flow, result) in report.flows.iter().zip(&played.flows) {
        let from = match result.installed.flow.source {
            Source::Acks => "ACKs",
            Source::Cm => "RDMA CM",
            Source::Rdma => "the hosts",
        };
        line(format!(
            "  {} qp {} -> {} qp {} (paired by {from}): {} for {} ticks{}{}, {} pseudo-ACKs, acknowledged PSN {}, confirmed {}, debt {}{}{}",
            flow.requester,
            flow.requester_qpn,
            flow.responder,
            flow.responder_qpn,
            flow.state,
            flow.state_ticks,
            if result.became_active && flow.state != "Active" { ", was Active" } else { "" },
            flow.cause.map_or(String::new(), |cause| format!(", last cause {cause}")),
            result.pseudo_acks,
            flow.acknowledged_psn,
            flow.confirmed_psn,
            flow.debt,
            if flow.debt > 0 { format!(" for {} ticks", flow.debt_age_ticks) } else { String::new() },
            flow.held_ticks.map_or(String::new(), |ticks| format!(", held by a barrier for {ticks} ticks")),
        ));
    }
    if let Some(Latency { min, p50, max }) = report.pseudo_ack_latency_cycles {
        line(format!("pseudo-ACK after {p50} cycles ({min} to {max})"));
    }
    line(format!("dropped: {}", drops(&report.dropped)));
    line(format!("{} cycles, {:.0} per second", report.cycles, report.cycles_per_second));
    let names = [CLIENT, LINE, REPORT].map(|name| args.out.join(name).display().to_string());
    line(format!("wrote {}", names.join(", ")));
    out
}

fn seen(survey: &Survey) -> String {
    let near = survey.near.map_or("nobody".to_string(), |mac| mac.to_string());
    let bad = match survey.bad_icrc {
        0 => String::new(),
        n => format!(" ({n} with a wrong ICRC)"),
    };
    let Survey { frames, roce, from_near, .. } = survey;
    format!("{frames} frames, {roce} RoCEv2{bad}, {from_near} from {near} into the client port")
}

fn drops(dropped: &Dropped) -> String {
    let all = [
        (dropped.bad_icrc, "wrong ICRC"),
        (dropped.mac_error, "MAC error"),
        (dropped.out_of_order, "out of order"),
        (dropped.duplicate, "duplicate"),
        (dropped.budget_from_client, "budget frame from the client"),
        (dropped.overflow, "no room"),
        (dropped.malformed, "malformed"),
    ];
    let named: Vec<String> = all.iter().filter(|(n, _)| *n > 0).map(|(n, why)| format!("{n} {why}")).collect();
    if named.is_empty() {
        "nothing".to_string()
    } else {
        named.join(", ")
    }
}
