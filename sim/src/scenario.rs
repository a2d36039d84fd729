//! Scenario files: TOML, units in the names of keys, unknown keys refused.

use serde::{Deserialize, Serialize};
use std::path::Path;

/// One experiment.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What the table calls it.
    pub name: String,
    /// Clock of both gateways.
    pub clock_hz: u64,
    /// Round trips of the line that are counted.
    pub round_trips: u64,
    /// The wires between NICs and gateways.
    pub client: Wire,
    /// The line between the gateways.
    pub line: Wire,
    /// The sending NIC.
    pub sender: Sender,
    /// The path at the source gateway.
    pub path: Path_,
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

/// An RC requester.
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
}

/// The source gateway's path.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Path_ {
    /// Budget, in frame bytes with their overhead on the wire.
    pub budget_gbps: f64,
    /// Slot, as log2 of cycles.
    pub slot_log2_cycles: u32,
}

impl Scenario {
    /// Reads and checks a file. Errors name the file, the line and the column.
    pub fn read(path: &Path) -> Result<Self, String> {
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
        use matchrdma_spec::params::{SLOT_K_MAX, SLOT_K_MIN};
        let positive = |what: &str, x: f64, most: f64| {
            let sound = x.is_finite() && x > 0.0 && x <= most;
            sound.then_some(()).ok_or_else(|| format!("{what} = {x}: expected more than 0 and at most {most}"))
        };
        let within = |what: &str, x: u64, least: u64, most: u64| {
            let sound = (least..=most).contains(&x);
            sound.then_some(()).ok_or_else(|| format!("{what} = {x}: expected {least} to {most}"))
        };
        within("clock_hz", self.clock_hz, 1_000_000, 1_000_000_000)?;
        within("round_trips", self.round_trips, 10, 100_000)?;
        // The bus itself carries 512 bits a cycle.
        let bus_gbps = self.clock_hz as f64 * 512.0 / 1e9;
        positive("client.rate_gbps", self.client.rate_gbps, bus_gbps)?;
        positive("line.rate_gbps", self.line.rate_gbps, bus_gbps)?;
        positive("client.one_way_delay_us", self.client.one_way_delay_us, 1e6)?;
        positive("line.one_way_delay_us", self.line.one_way_delay_us, 1e6)?;
        positive("path.budget_gbps", self.path.budget_gbps, self.line.rate_gbps)?;
        positive("sender.ack_timeout_ms", self.sender.ack_timeout_ms, 1e6)?;
        within("sender.queue_pairs", self.sender.queue_pairs.into(), 1, 1024)?;
        within("sender.window_kib", self.sender.window_kib, 4, 1 << 20)?;
        within("sender.message_kib", self.sender.message_kib.into(), 1, 1 << 20)?;
        within("sender.messages_in_flight", self.sender.messages_in_flight, 1, 1 << 20)?;
        within("path.slot_log2_cycles", self.path.slot_log2_cycles.into(), SLOT_K_MIN.into(), SLOT_K_MAX.into())?;
        if ![256, 512, 1024, 2048, 4096].contains(&self.sender.mtu_bytes) {
            return Err(format!("sender.mtu_bytes = {}: expected 256, 512, 1024, 2048 or 4096", self.sender.mtu_bytes));
        }
        Ok(())
    }

    /// Cycles of a time in microseconds.
    pub fn cycles(&self, microseconds: f64) -> u64 {
        (microseconds * self.clock_hz as f64 / 1e6).round() as u64
    }

    /// One way over the line and both client wires, and back, in cycles.
    pub fn round_trip_cycles(&self) -> u64 {
        2 * self.cycles(self.line.one_way_delay_us) + 4 * self.cycles(self.client.one_way_delay_us)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Scenario, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("scenario.toml");
        std::fs::write(&path, text).unwrap();
        Scenario::read(&path).map_err(|e| e.replace(&dir.path().display().to_string(), "DIR"))
    }

    const GOOD: &str = include_str!("../scenarios/ack-clock/scenario.toml");

    #[test]
    fn the_scenario_of_the_demo_is_sound() {
        let s = read(GOOD).unwrap();
        assert_eq!(s.round_trip_cycles(), s.cycles(1000.0) + 4 * s.cycles(s.client.one_way_delay_us));
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_line() {
        let e = read(&GOOD.replace("window_kib", "windov_kib")).unwrap_err();
        assert!(e.starts_with("DIR/scenario.toml:") && e.contains("windov_kib"), "{e}");
    }

    #[test]
    fn impossible_values_are_refused_with_what_was_expected() {
        for (from, to, word) in [
            ("budget_gbps = 95.0", "budget_gbps = 195.0", "path.budget_gbps = 195"),
            ("mtu_bytes = 4096", "mtu_bytes = 4000", "sender.mtu_bytes = 4000"),
            ("queue_pairs = 1", "queue_pairs = 0", "sender.queue_pairs = 0"),
        ] {
            assert!(GOOD.contains(from), "{from}");
            let e = read(&GOOD.replace(from, to)).unwrap_err();
            assert!(e.contains(word), "{e}");
        }
    }
}
