//! The senders of a scenario.

use super::{positive, within};
use serde::{Deserialize, Serialize};
use std::net::Ipv4Addr;

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
    /// The source that they are at.
    #[serde(default)]
    pub source: usize,
    /// From here on no message begins;
    #[serde(default)]
    pub idle_from_us: f64,
    /// until here.
    #[serde(default)]
    pub idle_until_us: f64,
}

fn default_far() -> Ipv4Addr {
    Ipv4Addr::new(10, 2, 0, 1)
}

impl Sender {
    /// Checks it; `name` is where it stands.
    pub(super) fn check(&self, name: &str) -> Result<(), String> {
        let key = |k: &str| format!("{name}.{k}");
        positive(&key("ack_timeout_ms"), self.ack_timeout_ms, 1e6)?;
        within(&key("queue_pairs"), self.queue_pairs.into(), 1, 1024)?;
        within(&key("window_kib"), self.window_kib, 4, 1 << 20)?;
        within(&key("message_kib"), self.message_kib.into(), 1, 1 << 20)?;
        within(&key("messages_in_flight"), self.messages_in_flight, 1, 1 << 20)?;
        if ![256, 512, 1024, 2048, 4096].contains(&self.mtu_bytes) {
            return Err(format!("{name}.mtu_bytes = {}: expected 256, 512, 1024, 2048 or 4096", self.mtu_bytes));
        }
        let idle = [("idle_from_us", self.idle_from_us), ("idle_until_us", self.idle_until_us)];
        let start = [("start_us", self.start_us), ("start_spacing_us", self.start_spacing_us)];
        for (what, x) in start.into_iter().chain(idle) {
            if !(0.0..=1e6).contains(&x) {
                return Err(format!("{name}.{what} = {x}: expected 0 to 1000000"));
            }
        }
        Ok(())
    }
}
