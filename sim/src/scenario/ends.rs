//! The ends of the lines of a scenario: sources, the destination; and what becomes of budget frames between them.

use super::{positive, within};
use crate::net::drain::Drain;
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
    /// Its host begins another session here, microseconds after reset; 0: never.
    #[serde(default)]
    pub restart_us: f64,
}

fn default_weight() -> u8 {
    1
}

impl Source {
    /// One that is so far away, with nothing else special about it.
    pub fn at(one_way_delay_us: f64) -> Self {
        Source { one_way_delay_us, weight: default_weight(), clock_hz: 0, clock_ppm: 0.0, restart_us: 0.0 }
    }

    /// Checks source `i`.
    pub(super) fn check(&self, i: usize) -> Result<(), String> {
        let key = |k: &str| format!("source[{i}].{k}");
        positive(&key("one_way_delay_us"), self.one_way_delay_us, 1e6)?;
        within(&key("weight"), self.weight.into(), 1, 255)?;
        time(&key("restart_us"), self.restart_us)?;
        clock(&key(""), self.clock_hz, self.clock_ppm)
    }

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
    /// While nothing may drain it says so by PFC; else the wire just stands still.
    #[serde(default)]
    pub says_pfc: bool,
    /// While less may drain than its port carries, it sends a CNP so often, to one queue pair after the other; 0: never.
    #[serde(default)]
    pub cnp_every_us: f64,
    /// With `match_rdma_calendar`, also at both ends: what hosts say of its drain is so many slots late; below 0: early.
    #[serde(default)]
    pub calendar_late_slots: f64,
    /// Clock of its gateway; 0: that of the scenario.
    #[serde(default)]
    pub clock_hz: u64,
    /// How far that is off, parts per million.
    #[serde(default)]
    pub clock_ppm: f64,
    /// Its host begins another session here, microseconds after reset; 0: never.
    #[serde(default)]
    pub restart_us: f64,
}

impl Default for Destination {
    fn default() -> Self {
        Destination {
            drain: default_drain(),
            capacity_kib: 0,
            says_pfc: false,
            cnp_every_us: 0.0,
            calendar_late_slots: 0.0,
            clock_hz: 0,
            clock_ppm: 0.0,
            restart_us: 0.0,
        }
    }
}

fn default_drain() -> String {
    "full".into()
}

impl Destination {
    pub(super) fn check(&self) -> Result<(), String> {
        clock("destination.", self.clock_hz, self.clock_ppm)?;
        within("destination.capacity_kib", self.capacity_kib, 0, 1 << 20)?;
        time("destination.cnp_every_us", self.cnp_every_us)?;
        time("destination.restart_us", self.restart_us)?;
        let late = self.calendar_late_slots;
        if !(-1000.0..=1000.0).contains(&late) {
            return Err(format!("destination.calendar_late_slots = {late}: expected -1000 to 1000"));
        }
        self.drain.parse::<Drain>().map(drop).map_err(|e| format!("destination.{e}"))
    }

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

/// Checks a time that may be 0.
fn time(key: &str, us: f64) -> Result<(), String> {
    let sound = (0.0..=1e9).contains(&us);
    sound.then_some(()).ok_or_else(|| format!("{key} = {us}: expected 0 to 1000000000"))
}

/// Checks a clock, whose keys begin with `key`.
fn clock(key: &str, hz: u64, ppm: f64) -> Result<(), String> {
    within(&format!("{key}clock_hz"), if hz == 0 { 1_000_000 } else { hz }, 1_000_000, 1_000_000_000)?;
    let sound = (-1000.0..=1000.0).contains(&ppm);
    sound.then_some(()).ok_or_else(|| format!("{key}clock_ppm = {ppm}: expected -1000 to 1000"))
}
