//! What a scenario is run with.

use serde::{Deserialize, Serialize};

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
    /// `PseudoAckPfc`, and a destination that stops its sources' lines when a bandwidth-delay product waits there, as PFC
    /// over the line would.
    PseudoAckFarPfc,
    /// The same from half of that on.
    PseudoAckFarPfcHalf,
    /// The same from a quarter of that on.
    PseudoAckFarPfcQuarter,
    /// `PseudoAckPfc`, and a destination that sets the rates of its sources' lines, slot by slot, as Bifrost does.
    Bifrost,
    /// `PseudoAckPfc`, at the rates that the destination grants.
    MatchRdma,
    /// The same, with a destination that is told beforehand how its data centre drains.
    MatchRdmaCalendar,
    /// The same, and sources whose paths have it as a calendar, a line's delay earlier: the lesser of both holds.
    MatchRdmaCalendarBoth,
}

impl Scheme {
    /// The source gateway stops its client port from the thresholds of its paths on.
    pub const fn has_pfc(self) -> bool {
        !matches!(self, Scheme::Bypass | Scheme::PseudoAck)
    }

    /// The sources send what the destination grants.
    pub const fn has_budgets(self) -> bool {
        matches!(self, Scheme::MatchRdma | Scheme::MatchRdmaCalendar | Scheme::MatchRdmaCalendarBoth)
    }

    /// The destination's host knows how its data centre drains.
    pub const fn has_forecast(self) -> bool {
        matches!(self, Scheme::MatchRdmaCalendar | Scheme::MatchRdmaCalendarBoth)
    }

    /// The sources' hosts know it too.
    pub const fn has_calendar(self) -> bool {
        matches!(self, Scheme::MatchRdmaCalendarBoth)
    }

    /// What waits at the destination when it stops its sources: a bandwidth-delay product over this.
    pub const fn far_pfc_part(self) -> Option<u64> {
        match self {
            Scheme::PseudoAckFarPfc => Some(1),
            Scheme::PseudoAckFarPfcHalf => Some(2),
            Scheme::PseudoAckFarPfcQuarter => Some(4),
            _ => None,
        }
    }

    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Scheme::Bypass => "bypass",
            Scheme::PseudoAck => "pseudo_ack",
            Scheme::PseudoAckPfc => "pseudo_ack_pfc",
            Scheme::PseudoAckFarPfc => "pseudo_ack_far_pfc",
            Scheme::PseudoAckFarPfcHalf => "pseudo_ack_far_pfc_half",
            Scheme::PseudoAckFarPfcQuarter => "pseudo_ack_far_pfc_quarter",
            Scheme::Bifrost => "bifrost",
            Scheme::MatchRdma => "match_rdma",
            Scheme::MatchRdmaCalendar => "match_rdma_calendar",
            Scheme::MatchRdmaCalendarBoth => "match_rdma_calendar_both",
        }
    }
}
