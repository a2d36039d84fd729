//! Where the data comes from: a NIC with its queue pairs, the gateway behind it, and the line that leads away.

use super::far::Told;
use super::notice::Notice;
use super::{Clock, Port};
use crate::engine::Gateway;
use crate::host::{Requester, RequesterLimits};
use crate::link::{Fibre, Receiver, Sender, Wire};
use crate::nic::Nic;
use crate::scenario::{Pair, Scenario};
use crate::waiting::Waiting;
use crate::witness::Witness;
use matchrdma_model::invariants::Watched;
use std::collections::VecDeque;

/// One source, but for its gateway.
pub struct Source {
    /// Its queue pairs.
    pub nic: Nic,
    /// On its gateway.
    pub witness: Witness,
    /// Its host, once it knows when which drain begins.
    pub notice: Option<Notice>,
    /// What waits in its gateway: by path, and what takes none.
    pub waits: Vec<Waiting>,
    /// To the destination, and back.
    pub line_there: Fibre,
    pub line_back: Fibre,
    /// Of the gateway, towards the line.
    pub port: Port,
    /// What its line is told, and when that is heard.
    told: VecDeque<(u64, Told)>,
    stopped: bool,
    delay_cycles: u64,
    clock: Clock,
    to_near: Sender,
    near_out: Receiver,
    line_out: Receiver,
    line_in: Sender,
    wire_up: Fibre,
    wire_down: Fibre,
}

impl Source {
    /// Source `n` with its queue pairs, which stand at `first` and behind in the list of all.
    pub fn new(s: &Scenario, n: usize, pairs: &[Pair], first: usize) -> Self {
        let source = s.source(n);
        let client_bps = s.client.rate_gbps * 1e9;
        let limits = |p: &Pair| {
            let sender = s.senders[p.sender];
            RequesterLimits {
                window_bytes: sender.window_kib << 10,
                message_bytes: sender.message_kib << 10,
                mtu_bytes: sender.mtu_bytes,
                messages_in_flight: sender.messages_in_flight,
                ack_timeout_cycles: s.cycles(sender.ack_timeout_ms * 1e3),
                handshake: sender.handshake,
                start_cycle: s.cycles(p.start_us),
                idle: (s.cycles(sender.idle_from_us), s.cycles(sender.idle_until_us)),
                dcqcn_bps: sender.dcqcn.then_some(client_bps),
                clock_hz: s.clock_hz,
            }
        };
        let watched = |(i, p): (usize, &Pair)| {
            let ((key_out, key_in), mtu) = (super::pair_keys(p), Some(s.senders[p.sender].mtu_bytes));
            (i as u16, Watched { key_out, key_in, mtu, ack_ops_write: false })
        };
        let clock = Clock::new(source.hz(s.clock_hz), s.clock_hz);
        let client = || Wire::new(client_bps as u64, clock.hz());
        let line = || Wire::new((s.line.rate_gbps * 1e9) as u64, clock.hz());
        let near_fibre = || Fibre::new(s.cycles(s.client.one_way_delay_us));
        let delay_cycles = s.cycles(source.one_way_delay_us);
        let requesters = pairs.iter().map(|p| Requester::new(p.near, p.far, p.first_psn, limits(p))).collect();
        let near = pairs.iter().map(|p| p.near).collect();
        debug_assert!(pairs.first().is_none_or(|p| p.near.qpn == crate::scenario::NEAR_QPN + first as u32));
        Source {
            nic: Nic::new(requesters, near, client_bps as u64, s.clock_hz),
            witness: Witness::new(pairs.iter().enumerate().map(watched)),
            notice: None,
            waits: vec![Waiting::default(); s.paths.len() + 1],
            line_there: s.fibre(delay_cycles, 2 * n as u64),
            line_back: s.fibre(delay_cycles, 2 * n as u64 + 1),
            port: Port::default(),
            told: VecDeque::new(),
            stopped: false,
            delay_cycles,
            to_near: Sender::new(client()),
            near_out: Receiver::new(client()),
            line_out: Receiver::new(line()),
            line_in: Sender::new(line()),
            wire_up: near_fibre(),
            wire_down: near_fibre(),
            clock,
        }
    }

    /// The destination says something to the line: heard when the line's delay is over.
    pub fn tell(&mut self, told: Told, now: u64) {
        self.told.push_back((now + self.delay_cycles, told));
    }

    /// One cycle of everything but the gateway. `path` tells which path a frame towards the line takes.
    pub fn wires(&mut self, path: &dyn Fn(&[u8]) -> usize, now: u64) {
        while let Some((_, told)) = self.told.pop_front_if(|(at, _)| *at <= now) {
            match told {
                Told::Stop(stop) => self.stopped = stop,
                Told::Rate(bps) => self.line_out.set_rate(bps),
            }
        }
        if let Some(f) = self.nic.cycle(now) {
            self.wire_up.enter(f, now);
        }
        while let Some(f) = self.wire_up.leave(now) {
            self.waits[path(&f)].enter(&f);
            self.to_near.send(&f);
        }
        while let Some(f) = self.wire_down.leave(now) {
            self.nic.receive(&f, now);
        }
        while let Some(f) = self.line_back.leave(now) {
            self.nic.note_ack(&f, true);
            self.line_in.send(&f);
        }
    }

    /// The gateway, for as many of its cycles as one cycle of the run has.
    pub fn gateway(
        &mut self,
        gateway: &mut dyn Gateway,
        path: &dyn Fn(&[u8]) -> usize,
        now: u64,
    ) -> Result<(), String> {
        if let Some(notice) = self.notice.as_mut().filter(|_| !self.witness.reader().under_way()) {
            notice.cycle(gateway, now)?;
        }
        // Meanwhile no flow is read.
        let free = !self.notice.as_ref().is_some_and(Notice::under_way);
        for _ in 0..self.clock.ticks() {
            let (up, back) = (self.to_near.cycle(), self.line_in.cycle());
            let line_ready = self.line_out.ready() && (!self.stopped || self.line_out.within());
            let t = gateway.tick(up.as_ref(), back.as_ref(), self.near_out.ready(), line_ready);
            self.witness.ports(gateway.cycles(), up.as_ref(), back.as_ref(), &t)?;
            self.witness.reads(gateway, free)?;
            if let Some(f) = self.near_out.cycle(t.client_tx.as_ref()) {
                self.nic.note_ack(&f, false);
                self.wire_down.enter(f, now);
            }
            if let Some(f) = self.line_out.cycle(t.line_tx.as_ref()) {
                self.waits[path(&f)].leave(&f);
                self.port.left(&f);
                self.line_there.enter(f, now);
            }
        }
        Ok(())
    }
}
