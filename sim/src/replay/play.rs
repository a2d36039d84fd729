//! The second reading of a capture: every frame goes through the gateway, and everything that leaves is looked at.
//!
//! Frames enter at port speed, in the order of the file, the pauses between them cut to a bound. A frame from the line
//! enters only when every frame that was captured before it on the client side has left on the line or been dropped:
//! the far side cannot have answered what has not reached it.

use super::ledger::{Ledger, Pending};
use super::port::Port;
use super::{survey, Mac};
use crate::capture::Packet;
use crate::configure::{Host, SLOT_K};
use crate::engine::{beats, Gateway};
use crate::pcap_out::PcapOut;
use crate::reads::Reader;
use matchrdma::learn::LearnedFlow;
use matchrdma::observe::{Counters, FlowState};
use matchrdma_model::invariants::{Watch, Watched};
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::params::{LINE_BPS, MAX_FRAME_BYTES, OVERHEAD_BYTES};
use matchrdma_spec::regs::counters::{CLIENT_FRAMES_IN, CLIENT_FRAMES_OUT, LINE_FRAMES_IN, LINE_FRAMES_OUT};
use matchrdma_spec::regs::counters::{NAKS, PSEUDO_ACKS};
use matchrdma_spec::wire::packet::{icrc_ok, parse_frame, Meta};
use matchrdma_spec::wire::{aeth, opcode};
use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

/// A frame that has not left so many cycles after it came, with nothing before it waiting, was dropped.
/// Far over the longest way through the gates.
const THROUGH_CYCLES: u64 = 2000;

/// How to play.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Core clock, Hz.
    pub clock_hz: u64,
    /// Budget of the path, if it has a fixed one.
    pub path_bytes_per_slot: Option<u32>,
    /// Data is acknowledged when it has been admitted.
    pub ack_on_arrival: bool,
    /// SEND and WRITE with immediate are the far side's to answer.
    pub ack_ops_write: bool,
    /// Longest pause, cycles.
    pub max_gap: u64,
}

/// A flow in the tables of the gateway.
#[derive(Clone, Copy, Debug)]
pub struct Installed {
    /// Its index.
    pub index: u16,
    /// Whose it is.
    pub flow: LearnedFlow,
}

/// What became of a flow.
#[derive(Clone, Copy, Debug)]
pub struct FlowResult {
    /// Which.
    pub installed: Installed,
    /// As read at the end.
    pub state: FlowState,
    /// It was Active at some time.
    pub became_active: bool,
    /// ACKs that the gateway built for it.
    pub pseudo_acks: u64,
}

/// What came of it all.
#[derive(Clone, Debug)]
pub struct Played {
    /// As read at the end.
    pub counters: Counters,
    /// In order of their indices.
    pub flows: Vec<FlowResult>,
    /// From the last beat of a request to the last beat of the pseudo-ACK that names its PSN, cycles, sorted.
    pub latencies: Vec<u64>,
    /// Which of the frames that left the client port the gateway built, from 0.
    pub built_at: Vec<u64>,
    /// Clock cycles played.
    pub cycles: u64,
    /// How long that took.
    pub took: Duration,
}

/// What is kept of a flow while it is played.
struct Seen {
    installed: Installed,
    /// Requests for an ACK that came in: PSN and cycle of the last beat.
    asked: VecDeque<(u32, u64)>,
    became_active: bool,
    pseudo_acks: u64,
}

/// A gateway between two ports that a capture is played on.
pub struct Player<'a> {
    gateway: &'a mut dyn Gateway,
    setting: Setting,
    client_pcap: PcapOut,
    line_pcap: PcapOut,
    watch: Watch,
    reader: Reader,
    flows: Vec<Seen>,
    by_key_out: HashMap<FlowKey, usize>,
    by_key_in: HashMap<FlowKey, usize>,
    outbound: Ledger,
    inbound: Ledger,
    client: Port,
    line: Port,
    due: u64,
    last_time_ns: Option<u64>,
    built_at: Vec<u64>,
    latencies: Vec<u64>,
    begun: Instant,
    first_cycle: u64,
}

impl<'a> Player<'a> {
    /// Ready for the first frame. The gateway is set up already.
    pub fn new(
        gateway: &'a mut dyn Gateway,
        setting: Setting,
        flows: Vec<Installed>,
        client_pcap: PcapOut,
        line_pcap: PcapOut,
    ) -> Result<Self, String> {
        let mut watch = Watch::new();
        for Installed { index, flow } in &flows {
            let (key_out, key_in) = (flow.key_out(), flow.key_in());
            let ack_ops_write = setting.ack_ops_write;
            watch.flow(*index, Watched { key_out, key_in, mtu: flow.mtu, ack_ops_write });
        }
        let by = |key: fn(&LearnedFlow) -> FlowKey| flows.iter().map(|f| key(&f.flow)).zip(0..).collect();
        let (by_key_out, by_key_in) = (by(LearnedFlow::key_out), by(LearnedFlow::key_in));
        let seen = |installed| Seen { installed, asked: VecDeque::new(), became_active: false, pseudo_acks: 0 };
        let now = gateway.cycles();
        Ok(Player {
            gateway,
            setting,
            client_pcap,
            line_pcap,
            watch,
            reader: Reader::new(flows.iter().map(|f| f.index).collect()),
            flows: flows.into_iter().map(seen).collect(),
            by_key_out,
            by_key_in,
            outbound: Ledger::default(),
            inbound: Ledger::default(),
            client: Port::default(),
            line: Port::default(),
            due: now,
            last_time_ns: None,
            built_at: Vec::new(),
            latencies: Vec::new(),
            begun: Instant::now(),
            first_cycle: now,
        })
    }

    /// Plays one more frame of the capture: until it begins to enter its port.
    pub fn packet(&mut self, packet: Packet, near: Option<Mac>) -> Result<(), String> {
        let pause_ns = packet.time_ns.saturating_sub(self.last_time_ns.unwrap_or(packet.time_ns));
        let pause = u128::from(pause_ns) * u128::from(self.setting.clock_hz) / 1_000_000_000;
        self.last_time_ns = Some(packet.time_ns);
        self.due += self.setting.max_gap.min(u64::try_from(pause).unwrap_or(u64::MAX));
        let from_near = near.is_some() && survey::source(&packet.frame) == near;
        while self.gateway.cycles() < self.due || !self.port(from_near).is_free() || !(from_near || self.answerable()) {
            self.step()?;
        }
        let now = self.gateway.cycles();
        self.due = now;
        let wire_bytes = packet.frame.len() as u64 + u64::from(OVERHEAD_BYTES);
        let serial_cycles = (wire_bytes * 8 * self.setting.clock_hz).div_ceil(LINE_BPS);
        let port = self.port(from_near);
        port.beats.extend(beats(&packet.frame));
        port.free_at = now + serial_cycles.max(port.beats.len() as u64);
        port.coming = Some(packet);
        Ok(())
    }

    /// Plays on until nothing is inside, and reads what the gateway counted.
    pub fn finish(mut self) -> Result<Played, String> {
        let mut stuck = 0;
        loop {
            self.step()?;
            let now = self.gateway.cycles();
            let busy_at = self.client.busy_at.max(self.line.busy_at);
            if self.client.is_empty() && self.line.is_empty() && now > busy_at + self.quiet_cycles() {
                if Host::new(self.gateway).idle().map_err(|e| e.to_string())? {
                    break;
                }
                stuck += 1;
                if stuck > 8 * self.quiet_cycles() {
                    return Err(format!("cycle {now}: the gateway holds something and nothing leaves it"));
                }
            }
        }
        let took = self.begun.elapsed();
        let cycles = self.gateway.cycles() - self.first_cycle;
        self.client_pcap.finish()?;
        self.line_pcap.finish()?;
        let lost = self.inbound.overdue(u64::MAX);
        lost.iter().for_each(|p| not_forwarded(&mut self.watch, &mut self.flows, &self.by_key_in, p));
        self.outbound.overdue(u64::MAX).iter().for_each(|p| kept(&mut self.watch, p));
        let now = self.gateway.cycles();
        let read = self.reader.finish(self.gateway, &mut self.watch);
        read.map_err(|e| broken(now, e, "its flows had been read"))?;
        let mut host = Host::new(self.gateway);
        let counters = host.counters().map_err(|e| e.to_string())?;
        let mut flows = Vec::new();
        for seen in &self.flows {
            let state = host.flow_state(seen.installed.index)?;
            let became_active = seen.became_active || matches!(state.state, "Active" | "Drain" | "Fault");
            flows.push(FlowResult { installed: seen.installed, state, became_active, pseudo_acks: seen.pseudo_acks });
        }
        for (what, counted, seen) in [
            ("frames into the client port", counters.get(&CLIENT_FRAMES_IN), self.client.frames_in),
            ("frames into the line port", counters.get(&LINE_FRAMES_IN), self.line.frames_in),
            ("frames out of the client port", counters.get(&CLIENT_FRAMES_OUT), self.client.frames_out),
            ("frames out of the line port", counters.get(&LINE_FRAMES_OUT), self.line.frames_out),
            ("ACKs and NAKs built", counters.get(&PSEUDO_ACKS) + counters.get(&NAKS), self.built_at.len() as u64),
        ] {
            if counted != seen {
                return Err(format!(
                    "the counters of the gateway are wrong: {counted} {what}, seen from outside {seen}"
                ));
            }
        }
        self.latencies.sort_unstable();
        Ok(Played { counters, flows, latencies: self.latencies, built_at: self.built_at, cycles, took })
    }

    fn port(&mut self, near: bool) -> &mut Port {
        let now = self.gateway.cycles();
        let port = if near { &mut self.client } else { &mut self.line };
        // A port that waits for nothing is free as of now.
        if port.is_empty() && port.free_at <= now {
            port.free_at = 0;
        }
        port
    }

    /// The far side may have seen everything that came in on the client port.
    fn answerable(&mut self) -> bool {
        if !self.client.is_empty() {
            return false;
        }
        if !self.outbound.is_empty()
            && self.gateway.cycles() > self.line.busy_at.max(self.client.busy_at) + self.quiet_cycles()
        {
            let kept_back = self.outbound.overdue(u64::MAX);
            kept_back.iter().for_each(|p| kept(&mut self.watch, p));
        }
        self.outbound.is_empty()
    }

    /// After so long without a beat nothing more will leave: the way through the gateway, and the time in which the
    /// longest frame is paid for.
    fn quiet_cycles(&self) -> u64 {
        let paid = |rate: u32| ((MAX_FRAME_BYTES as u64 + u64::from(u8::MAX)) << SLOT_K) / u64::from(rate);
        THROUGH_CYCLES + self.setting.path_bytes_per_slot.map_or(0, paid)
    }

    /// One cycle.
    fn step(&mut self) -> Result<(), String> {
        let now = self.gateway.cycles();
        let (client_rx, line_rx) = (self.client.beats.pop_front(), self.line.beats.pop_front());
        let tick = self.gateway.tick(client_rx.as_ref(), line_rx.as_ref(), true, true);
        if let Some(packet) = self.client.fed(now, client_rx) {
            self.came_from_client(now, packet);
        }
        if let Some(packet) = self.line.fed(now, line_rx) {
            self.came_from_line(now, packet)?;
        }
        if let Some(frame) = self.line.left(now, tick.line_tx) {
            self.left_on_line(now, &frame)?;
        }
        if let Some(frame) = self.client.left(now, tick.client_tx) {
            self.left_to_client(now, &frame)?;
        }
        for lost in self.inbound.overdue(now.saturating_sub(2 * THROUGH_CYCLES)) {
            not_forwarded(&mut self.watch, &mut self.flows, &self.by_key_in, &lost);
        }
        let read = self.reader.cycle(self.gateway, &mut self.watch);
        read.map_err(|e| broken(now, e, "its flows had been read"))
    }

    fn came_from_client(&mut self, now: u64, packet: Packet) {
        let meta = parse_frame(&packet.frame);
        if let Some(&n) = self.by_key_out.get(&meta.flow_key()).filter(|_| meta.roce) {
            if meta.ack_req && opcode::is_request(meta.opcode) && icrc_ok(&packet.frame, &meta) {
                self.flows[n].asked.push_back((meta.psn, now));
            }
        }
        if self.setting.ack_on_arrival {
            self.watch.to_line(&packet.frame);
        }
        let due = self.watch.from_client(&packet.frame);
        self.outbound.came(Pending { cycle: now, number: packet.number, frame: packet.frame, due });
    }

    fn came_from_line(&mut self, now: u64, packet: Packet) -> Result<(), String> {
        let number = packet.number;
        self.watch.from_line(&packet.frame).map_err(|v| broken(now, v, &format!("packet {number} came")))?;
        self.inbound.came(Pending { cycle: now, number, frame: packet.frame, due: None });
        Ok(())
    }

    fn left_on_line(&mut self, now: u64, frame: &[u8]) -> Result<(), String> {
        let Some((_, kept_back)) = self.outbound.left(frame) else {
            return Err(format!("cycle {now}: a frame of {} bytes left on the line that never came in", frame.len()));
        };
        kept_back.iter().for_each(|p| kept(&mut self.watch, p));
        if !self.setting.ack_on_arrival {
            self.watch.to_line(frame);
        }
        self.line_pcap.frame(self.nanoseconds(now), frame)
    }

    fn left_to_client(&mut self, now: u64, frame: &[u8]) -> Result<(), String> {
        self.client_pcap.frame(self.nanoseconds(now), frame)?;
        let meta = parse_frame(frame);
        let flow = self.by_key_in.get(&meta.flow_key()).copied().filter(|_| meta.roce);
        if let Some((_, skipped)) = self.is_forwarded(&meta, flow, frame)?.then(|| self.inbound.left(frame)).flatten() {
            skipped.iter().for_each(|p| not_forwarded(&mut self.watch, &mut self.flows, &self.by_key_in, p));
            self.watch.to_client(frame);
            return Ok(());
        }
        self.built_at.push(self.client.frames_out - 1);
        self.watch.built(frame).map_err(|v| broken(now, v, "an ACK was built"))?;
        let Some(seen) = flow.and_then(|n| self.flows.get_mut(n)) else {
            return Err(format!("cycle {now}: a frame of {} bytes left for no flow and never came in", frame.len()));
        };
        seen.became_active = true;
        if aeth::is_ack(meta.syndrome) {
            seen.pseudo_acks += 1;
            if let Some(at) = seen.asked.iter().position(|(psn, _)| *psn == meta.psn) {
                let answered = seen.asked.drain(..=at).next_back();
                self.latencies.extend(answered.map(|(_, asked)| now - asked));
            }
        }
        Ok(())
    }

    /// Whether a frame that leaves is one that came from the line. A pseudo-ACK may be the very copy of a real one that
    /// was absorbed: then what the gateway counts decides.
    fn is_forwarded(&mut self, meta: &Meta, flow: Option<usize>, frame: &[u8]) -> Result<bool, String> {
        if !self.inbound.holds(frame) {
            return Ok(false);
        }
        if flow.is_none() || meta.opcode != opcode::ACKNOWLEDGE {
            return Ok(true);
        }
        let mut host = Host::new(self.gateway);
        let acks = host.counter(&PSEUDO_ACKS).map_err(|e| e.to_string())?;
        let naks = host.counter(&NAKS).map_err(|e| e.to_string())?;
        Ok(acks + naks == self.built_at.len() as u64)
    }

    fn nanoseconds(&self, cycle: u64) -> u64 {
        let ns = u128::from(cycle - self.first_cycle) * 1_000_000_000 / u128::from(self.setting.clock_hz);
        ns as u64
    }
}

/// A frame from the client did not leave.
fn kept(watch: &mut Watch, lost: &Pending) {
    if let Some(due) = lost.due {
        watch.kept_back(due, &lost.frame);
    }
}

/// A frame from the line did not leave. A good ACK that is kept back shows that its flow is Active.
fn not_forwarded(watch: &mut Watch, flows: &mut [Seen], by_key_in: &HashMap<FlowKey, usize>, lost: &Pending) {
    watch.dropped_from_line(&lost.frame);
    let meta = parse_frame(&lost.frame);
    let absorbed = meta.opcode == opcode::ACKNOWLEDGE && aeth::is_ack(meta.syndrome) && icrc_ok(&lost.frame, &meta);
    if let Some(&n) = by_key_in.get(&meta.flow_key()).filter(|_| absorbed) {
        flows[n].became_active = true;
    }
}

fn broken(now: u64, violation: impl std::fmt::Display, when: &str) -> String {
    format!("cycle {now}: when {when}, the gateway had broken a promise: {violation}")
}
