//! A gateway as a source: one queue per path, paced; acknowledgements to the senders.

use super::Mail;
use crate::net::packet::{Kind, Packet, Ps};
use crate::net::world::Net;
use std::collections::VecDeque;

/// When the sender is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acks {
    /// By the far end alone.
    Far,
    /// When data comes in.
    Arrival,
    /// When data leaves on the line.
    Departure,
}

/// What a source does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SourceCfg {
    /// Who acknowledges.
    pub acks: Acks,
    /// Paced by budgets.
    pub paced: bool,
    /// Depth of the token bucket, bytes.
    pub burst: u64,
    /// Slots without a budget after which the rate is halved per slot.
    pub lease: u64,
    /// What is left of it at least, bytes per slot.
    pub floor: u64,
    /// A sender whose packet finds more than this in its path's queue gets a CNP; 0: never.
    pub cnp_on: u64,
    /// Least time between CNPs to one sender.
    pub cnp_spacing: Ps,
    /// The client is paused while a path's queue is above this; 0: never.
    pub pfc_on: u64,
    /// And let go below this.
    pub pfc_off: u64,
}

/// A flow that passes.
#[derive(Clone, Copy, Debug, Default)]
struct Passing {
    expected: u64,
    acknowledged: u64,
    refused: bool,
    notified_at: Option<Ps>,
    failed: bool,
}

/// One path of a source.
#[derive(Debug)]
pub struct Path {
    /// Its link out.
    pub line_out: u32,
    cfg: SourceCfg,
    slot: Ps,
    queue: VecDeque<Packet>,
    /// In the queue, bytes.
    pub held: u64,
    /// Most that was in the queue.
    pub held_peak: u64,
    rate: u64,
    /// Bytes times picoseconds of a slot.
    tokens: i128,
    tokens_at: Ps,
    /// Total sent, bytes on the wire.
    pub sent: u64,
    limit: u64,
    newest: u64,
    quiet_slots: u64,
    budgets: u64,
    on_hold: bool,
    client_paused: bool,
    pub(super) timer_set: bool,
    flows: Vec<Passing>,
    /// CNPs sent to senders.
    pub notified: u64,
    /// Acknowledgements given to senders.
    pub acks: u64,
    /// Flows that the far end refused after they were acknowledged.
    pub failed: u64,
}

impl Path {
    pub(super) fn new(cfg: SourceCfg, slot: Ps, line_out: u32) -> Self {
        Path {
            line_out,
            cfg,
            slot,
            queue: VecDeque::new(),
            held: 0,
            held_peak: 0,
            rate: 0,
            tokens: 0,
            tokens_at: 0,
            sent: 0,
            limit: u64::MAX,
            newest: 0,
            quiet_slots: 0,
            budgets: 0,
            on_hold: false,
            client_paused: false,
            timer_set: false,
            flows: vec![],
            notified: 0,
            acks: 0,
            failed: 0,
        }
    }

    /// Rate in force, bytes per slot.
    pub fn rate(&self) -> u64 {
        self.rate
    }

    fn flow(&mut self, flow: u32) -> &mut Passing {
        if self.flows.len() <= flow as usize {
            self.flows.resize(flow as usize + 1, Passing::default());
        }
        &mut self.flows[flow as usize]
    }

    /// A packet from the client.
    pub(super) fn offer(&mut self, net: &mut Net, packet: Packet, client_in: u32, client_out: u32) {
        if self.cfg.acks != Acks::Far && !self.in_order(net, &packet, client_out) {
            return;
        }
        self.held += u64::from(packet.bytes);
        self.held_peak = self.held_peak.max(self.held);
        self.queue.push_back(packet);
        if self.cfg.cnp_on > 0 && self.held > self.cfg.cnp_on {
            let (now, spacing) = (net.now, self.cfg.cnp_spacing);
            let f = self.flow(packet.flow);
            if f.notified_at.is_none_or(|t| now - t >= spacing) {
                f.notified_at = Some(now);
                self.notified += 1;
                net.send(client_out, Packet::control(Kind::Cnp, packet.flow, 0));
            }
        }
        if self.cfg.pfc_on > 0 && self.held > self.cfg.pfc_on && !self.client_paused {
            self.client_paused = true;
            net.pause(client_in, true);
        }
        if self.cfg.acks == Acks::Arrival && packet.asks {
            self.acknowledge(net, packet.flow, packet.number + 1, client_out);
        }
        net.wake(self.line_out);
    }

    /// Whether a packet is the next of its flow; what is not is answered.
    fn in_order(&mut self, net: &mut Net, packet: &Packet, client_out: u32) -> bool {
        let f = self.flow(packet.flow);
        if f.failed {
            return false;
        }
        if packet.number == f.expected {
            f.expected += 1;
            f.refused = false;
            return true;
        }
        if packet.number > f.expected {
            if !f.refused {
                f.refused = true;
                let nak = Packet::control(Kind::Nak, packet.flow, f.expected);
                net.send(client_out, nak);
            }
        } else if packet.asks {
            let again = f.acknowledged;
            net.send(client_out, Packet::control(Kind::Ack, packet.flow, again));
        }
        false
    }

    fn acknowledge(&mut self, net: &mut Net, flow: u32, number: u64, client_out: u32) {
        self.flow(flow).acknowledged = number;
        self.acks += 1;
        net.send(client_out, Packet::control(Kind::Ack, flow, number));
    }

    /// An answer of the far end: whether it goes on to the sender.
    pub(super) fn answered(&mut self, packet: &Packet) -> bool {
        if self.cfg.acks == Acks::Far {
            return true;
        }
        if packet.kind == Kind::Nak {
            let f = self.flow(packet.flow);
            if packet.number < f.acknowledged && !f.failed {
                f.failed = true;
                self.failed += 1;
            }
        }
        false
    }

    /// The next packet for the line; `Err`: after so long.
    pub(super) fn release(&mut self, net: &mut Net, client: (u32, u32)) -> Result<Option<Packet>, Ps> {
        let Some(packet) = self.queue.front().copied() else { return Ok(None) };
        if self.on_hold {
            return Ok(None);
        }
        let bytes = u64::from(packet.bytes);
        if self.cfg.paced {
            if self.limit != u64::MAX && self.sent + bytes > self.limit {
                return Ok(None);
            }
            self.refill(net.now);
            if self.tokens < 0 {
                if self.rate == 0 || self.timer_set {
                    return Ok(None);
                }
                self.timer_set = true;
                let rate = i128::from(self.rate);
                return Err(((-self.tokens + rate - 1) / rate) as Ps);
            }
            self.tokens -= i128::from(bytes) * i128::from(self.slot);
        }
        self.queue.pop_front();
        self.held -= bytes;
        self.sent += bytes;
        if self.client_paused && self.held < self.cfg.pfc_off {
            self.client_paused = false;
            net.pause(client.0, false);
        }
        if self.cfg.acks == Acks::Departure && packet.asks {
            self.acknowledge(net, packet.flow, packet.number + 1, client.1);
        }
        Ok(Some(packet))
    }

    fn refill(&mut self, now: Ps) {
        let full = i128::from(self.cfg.burst) * i128::from(self.slot);
        let gain = i128::from(self.rate) * i128::from(now - self.tokens_at);
        self.tokens = (self.tokens + gain).min(full);
        self.tokens_at = now;
    }

    /// Mail from the destination.
    pub(super) fn told(&mut self, net: &mut Net, mail: Mail) {
        match mail {
            Mail::Hold { on } => self.on_hold = on,
            Mail::Budget { slot, grant, limit } if self.cfg.paced && slot >= self.newest => {
                self.refill(net.now);
                (self.newest, self.rate, self.limit) = (slot, grant, limit);
                self.quiet_slots = 0;
                self.budgets += 1;
            }
            _ => {}
        }
        net.wake(self.line_out);
    }

    /// A slot of this gateway is over: the lease, and a report behind all that was released.
    pub(super) fn slot(&mut self, net: &mut Net) {
        if !self.cfg.paced {
            return;
        }
        self.quiet_slots += 1;
        if self.budgets > 0 && self.quiet_slots > self.cfg.lease {
            self.refill(net.now);
            self.rate = (self.rate / 2).max(self.cfg.floor);
        }
        let report = net.mail(Mail::Report { echo: self.newest, waiting: self.held });
        net.send(self.line_out, report);
    }
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
