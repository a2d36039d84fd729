//! The schemes that are compared, each as what its gateways do. The sender is the same in all.

use super::gateway::{Acks, Recirculation, SinkCfg, SinkLaw, SourceCfg};
use super::packet::Ps;
use clap::ValueEnum;
use matchrdma::rail::Shifts;
use matchrdma_model::rate_estimator::EstimatorCfg;
use matchrdma_model::reservoir::ReservoirCfg;
use matchrdma_spec::params::{BURST_DEFAULT_BYTES, CNP_SPACING_NS, LEASE_SLOTS};
use serde::{Deserialize, Serialize};

/// A scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Scheme {
    /// RC with DCQCN; what stands at the OTN port only queues and marks.
    Conventional,
    /// CNPs from near the source, and recirculation near the destination.
    Themis,
    /// Acknowledged on arrival at the near gateway; nothing slows the source.
    PseudoAck,
    /// The same, with PFC from the destination at one BDP, carried over the line.
    PseudoAckPfc,
    /// Acknowledged at the near gateway; per slot the destination grants what its buffer could take.
    Bifrost,
    /// Acknowledged on departure, paced by budgets.
    Matchrdma,
    /// The same, with a calendar of what the destination will drain.
    MatchrdmaCalendar,
}

/// What a scheme is told of the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Rate of the line and of the client port, bytes per second.
    pub bytes_per_second: f64,
    /// Longest round trip between gateways.
    pub rtt: Ps,
    /// Slot.
    pub slot: Ps,
    /// Paths that share the destination.
    pub paths: u64,
    /// log2 of the slots over which the peak of what drains is forgotten, when it is not the default.
    pub leak: Option<u32>,
}

impl Link {
    /// Bytes of one slot at line rate.
    pub fn slot_bytes(&self) -> u64 {
        (self.bytes_per_second * self.slot as f64 / 1e12).round() as u64
    }

    /// Bytes of one round trip at line rate.
    pub fn bdp(&self) -> u64 {
        (self.bytes_per_second * self.rtt as f64 / 1e12).round() as u64
    }

    /// Shifts of the law that suit this path.
    pub fn shifts(&self) -> Shifts {
        let shifts = Shifts::of_loop(self.rtt.div_ceil(self.slot) as u32);
        Shifts { h: self.leak.unwrap_or(shifts.h), ..shifts }
    }
}

/// CNPs from near the source: spacing as in the published THEMIS code.
const PNP_SPACING: Ps = 5_000_000;
/// CNPs from our source: spacing of the register's default.
const CNP_SPACING: Ps = CNP_SPACING_NS * 1_000;
/// What a path gets in any case, of the line.
const FLOOR_LOG2: u32 = 8;

impl Scheme {
    /// All of them, as they are listed.
    pub const ALL: [Scheme; 7] = [
        Scheme::Conventional,
        Scheme::Themis,
        Scheme::PseudoAck,
        Scheme::PseudoAckPfc,
        Scheme::Bifrost,
        Scheme::Matchrdma,
        Scheme::MatchrdmaCalendar,
    ];

    /// Name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Scheme::Conventional => "conventional",
            Scheme::Themis => "themis",
            Scheme::PseudoAck => "pseudo_ack",
            Scheme::PseudoAckPfc => "pseudo_ack_pfc",
            Scheme::Bifrost => "bifrost",
            Scheme::Matchrdma => "matchrdma",
            Scheme::MatchrdmaCalendar => "matchrdma_calendar",
        }
    }

    /// What the source does.
    pub fn source(self, link: &Link) -> SourceCfg {
        let acks = match self {
            Scheme::Conventional | Scheme::Themis => Acks::Far,
            Scheme::PseudoAck | Scheme::PseudoAckPfc => Acks::Arrival,
            Scheme::Bifrost | Scheme::Matchrdma | Scheme::MatchrdmaCalendar => Acks::Departure,
        };
        let kmin = super::ecn::Ecn::scaled(link.bytes_per_second * 8.0).kmin;
        SourceCfg {
            acks,
            paced: acks == Acks::Departure,
            burst: BURST_DEFAULT_BYTES.into(),
            lease: LEASE_SLOTS.into(),
            floor: link.slot_bytes() >> FLOOR_LOG2,
            cnp_on: if self == Scheme::Themis { kmin } else { 0 },
            cnp_spacing: if self == Scheme::Themis { PNP_SPACING } else { CNP_SPACING },
            pfc_on: 4 << 20,
            pfc_off: 2 << 20,
        }
    }

    /// What the destination does, with a buffer of `capacity` bytes.
    pub fn sink(self, link: &Link, capacity: u64) -> SinkCfg {
        let (bdp, line) = (link.bdp(), link.slot_bytes());
        let Shifts { tau, a, p, c, h } = link.shifts();
        let law = match self {
            Scheme::Conventional | Scheme::Themis | Scheme::PseudoAck => SinkLaw::None,
            Scheme::PseudoAckPfc => SinkLaw::Pfc { xoff: bdp, xon: bdp.saturating_sub(4 * 4160) },
            Scheme::Bifrost => SinkLaw::Bifrost { reserve: bdp + 2 * line },
            Scheme::Matchrdma | Scheme::MatchrdmaCalendar => {
                let most = bdp + if link.paths > 1 { 8 } else { 4 } * line;
                SinkLaw::Budgets {
                    estimator: EstimatorCfg { line: line as i64, a, p, c, h },
                    reservoir: ReservoirCfg {
                        line: line as i64,
                        capacity: most.min(capacity) as i64,
                        floor: line as i64 >> FLOOR_LOG2,
                        tau,
                    },
                }
            }
        };
        let far = matches!(self, Scheme::Conventional | Scheme::Themis);
        SinkCfg {
            capacity,
            line,
            law,
            passes_cnp: far,
            ecn: far.then(|| super::ecn::Ecn::scaled(link.bytes_per_second * 8.0)),
            recirculation: (self == Scheme::Themis).then_some(Recirculation::PUBLISHED),
        }
    }
}
