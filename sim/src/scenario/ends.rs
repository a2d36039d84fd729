//! The ends of the lines of a scenario: sources, the destination; and what becomes of budget frames between them.

use super::within;
use serde::{Deserialize, Serialize};

/// A source and its line.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Length of its line.
    pub one_way_delay_us: f64,
    /// Its weight at the destination.
    #[serde(default = "default_weight")]
    pub weight: u8,
    /// Clock of its gateway; 0: that of the scenario.
    #[serde(default)]
    pub clock_hz: u64,
    /// How far that is off, parts per million.
    #[serde(default)]
    pub clock_ppm: f64,
}

fn default_weight() -> u8 {
    1
}

impl Source {
    /// Clock of its gateway, Hz.
    pub fn hz(&self, of: u64) -> f64 {
        hz(self.clock_hz, self.clock_ppm, of)
    }
}

fn hz(own: u64, ppm: f64, of: u64) -> f64 {
    (if own == 0 { of } else { own }) as f64 * (1.0 + ppm * 1e-6)
}

/// The destination and its data centre.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Destination {
    /// How its data centre drains, from the first counted cycle on; words as in `matchrdma-sim sweep`.
    #[serde(default = "default_drain")]
    pub drain: String,
    /// What its paths may fill, KiB; 0: what its packet memory holds.
    #[serde(default)]
    pub capacity_kib: u64,
    /// With `pseudo_ack_far_pfc`: waiting bytes from which it stops its sources.
    #[serde(default)]
    pub pfc_on_kib: u64,
    /// With `match_rdma_calendar`: what its host says of its drain is so many slots late; below 0: early.
    #[serde(default)]
    pub calendar_late_slots: f64,
    /// Clock of its gateway; 0: that of the scenario.
    #[serde(default)]
    pub clock_hz: u64,
    /// How far that is off, parts per million.
    #[serde(default)]
    pub clock_ppm: f64,
}

impl Default for Destination {
    fn default() -> Self {
        Destination {
            drain: default_drain(),
            capacity_kib: 0,
            pfc_on_kib: 0,
            calendar_late_slots: 0.0,
            clock_hz: 0,
            clock_ppm: 0.0,
        }
    }
}

fn default_drain() -> String {
    "full".into()
}

impl Destination {
    /// Clock of its gateway, Hz.
    pub fn hz(&self, of: u64) -> f64 {
        hz(self.clock_hz, self.clock_ppm, of)
    }
}

/// What becomes of budget frames.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BudgetFrames {
    /// So many of 1000 are lost.
    #[serde(default)]
    pub lost_permille: u64,
    /// The others are late by at most so many slots.
    #[serde(default)]
    pub late_slots: u64,
    /// From here on none gets through, microseconds after reset;
    #[serde(default)]
    pub outage_from_us: f64,
    /// until here.
    #[serde(default)]
    pub outage_until_us: f64,
}

/// Checks a clock, whose keys begin with `key`.
pub(super) fn clock(key: &str, hz: u64, ppm: f64) -> Result<(), String> {
    within(&format!("{key}clock_hz"), if hz == 0 { 1_000_000 } else { hz }, 1_000_000, 1_000_000_000)?;
    let sound = (-1000.0..=1000.0).contains(&ppm);
    sound.then_some(()).ok_or_else(|| format!("{key}clock_ppm = {ppm}: expected -1000 to 1000"))
}
