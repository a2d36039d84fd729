//! Two gateways on a fibre, a sending NIC at one end and a receiving NIC at the other.
//!
//! ```text
//! nic ─client wire─ [near gateway] ═══ line ═══ [far gateway] ─client wire─ responders
//! ```

use crate::engine::Gateway;
use crate::frame::End;
use crate::host::{Requester, RequesterLimits, Responder};
use crate::link::{Fibre, Receiver, Sender, Wire};
use crate::nic::Nic;
use crate::scenario::{Pair, Scenario};
use crate::waiting::Waiting;
use crate::witness::Witness;
use matchrdma_model::invariants::Watched;
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::params::PSN_MASK;
use matchrdma_spec::wire::packet::parse_frame;

/// The ends of queue pair `i` of the first group of senders: (near, far).
pub fn ends(i: u32) -> (End, End) {
    let near = End { mac: 0x0200_0000_0001, ip: 0x0a01_0001, qpn: 0x100 + i };
    let far = End { mac: 0x0200_0000_0002, ip: 0x0a02_0001, qpn: 0x200 + i };
    (near, far)
}

/// Keys of a queue pair: as its requests have it, and as the answers do.
pub fn pair_keys(pair: &Pair) -> (FlowKey, FlowKey) {
    let (near, far) = (pair.near, pair.far);
    let key = |from: End, to: End| FlowKey { v6: 0, vlan: 0, src: from.ip.into(), dst: to.ip.into(), qpn: to.qpn };
    (key(near, far), key(far, near))
}

/// PSN of the first packet of queue pair `i`.
pub fn first_psn(i: u32) -> u32 {
    (0xff_ff00 + 0x1_0001 * i) & PSN_MASK
}

/// One slot of one path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// Payload placed in order at the receiver, bytes.
    pub placed_bytes: u64,
    /// Unacknowledged at the senders when the slot ended, bytes.
    pub window_bytes: u64,
    /// Most that waited in the source gateway in the slot, frame bytes.
    pub near_bytes: u64,
    /// Most that waited in the destination gateway in the slot, frame bytes.
    pub far_bytes: u64,
}

/// What a run gives.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Slot by slot, path by path; behind the last path what takes none.
    pub slots: Vec<Vec<Slot>>,
    /// Cycle at which the last flow was seen to be acknowledged by its gateway.
    pub active_cycle: Option<u64>,
    /// Cycle from which goodput counts, and how many cycles it counts.
    pub counted: (u64, u64),
    /// Payload placed in order while goodput counts, bytes.
    pub counted_bytes: u64,
    /// The same of the queue pair that placed least.
    pub least_bytes: u64,
    /// Queue pairs that placed nothing in the last quarter of the counted time.
    pub silent: u64,
    /// Frames sent again by the senders.
    pub repeated: u64,
    /// NAKs that the senders received.
    pub naks: u64,
    /// Of these, such as named a gap again within the gap timeout.
    pub naks_again: u64,
    /// ACKs that stepped back at a sender.
    pub backwards: u64,
    /// Retransmission timers that ran out.
    pub timeouts: u64,
    /// ACKs and NAKs that the senders received.
    pub acks: u64,
    /// CNPs that the senders received.
    pub cnps: u64,
    /// PFC frames that stopped the senders' port, and that let it go.
    pub pfc: [u64; 2],
    /// Cycles in which PFC held the senders' port.
    pub paused_cycles: u64,
    /// ACKs and NAKs that the near gateway built, each one held against what must hold.
    pub watched: u64,
    /// Cycles simulated.
    pub cycles: u64,
}

/// When a run starts to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountFrom {
    /// When every flow is acknowledged by the gateway; an error after this many cycles without.
    Active {
        /// Cycles to wait.
        at_most: u64,
    },
    /// At a cycle.
    Cycle(u64),
}

/// A responder and what the record needs of it.
struct Receiving {
    responder: Responder,
    /// Its path, or the number of paths.
    path: usize,
    /// Placed when counting began.
    before: u64,
    /// Cycle of the newest packet in order.
    placed_at: u64,
}

/// The parts around the gateways.
struct Bench {
    pairs: Vec<Pair>,
    nic: Nic,
    receiving: Vec<Receiving>,
    to_near: Sender,
    near_out: Receiver,
    line_there: Fibre,
    line_back: Fibre,
    near_line_out: Receiver,
    far_line_in: Sender,
    far_out: Receiver,
    far_in: Sender,
    far_line_out: Receiver,
    near_line_in: Sender,
    wire_up: Fibre,
    wire_down: Fibre,
    far_wire_down: Fibre,
    far_wire_up: Fibre,
    /// By path, and what takes none.
    near_waits: Vec<Waiting>,
    far_waits: Vec<Waiting>,
    slots: Vec<Slot>,
    /// On the near gateway.
    witness: Witness,
}

impl Bench {
    fn new(s: &Scenario) -> Self {
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
                dcqcn_bps: sender.dcqcn.then_some(client_bps),
                clock_hz: s.clock_hz,
            }
        };
        let client = || Wire::new(client_bps as u64, s.clock_hz);
        let line = || Wire::new((s.line.rate_gbps * 1e9) as u64, s.clock_hz);
        let near_fibre = || Fibre::new(s.cycles(s.client.one_way_delay_us));
        let fibre = || Fibre::new(s.cycles(s.line.one_way_delay_us));
        let pairs = s.pairs();
        let requesters = pairs.iter().map(|p| Requester::new(p.near, p.far, p.first_psn, limits(p))).collect();
        let near = pairs.iter().map(|p| p.near).collect();
        let classes = s.paths.len() + 1;
        let receiving = pairs.iter().map(|p| Receiving {
            responder: Responder::new(p.far, p.near, p.first_psn),
            path: p.path.unwrap_or(s.paths.len()),
            before: 0,
            placed_at: 0,
        });
        let watched = |(i, p): (usize, &Pair)| {
            let ((key_out, key_in), mtu) = (pair_keys(p), Some(s.senders[p.sender].mtu_bytes));
            (i as u16, Watched { key_out, key_in, mtu, ack_ops_write: false })
        };
        Self {
            witness: Witness::new(pairs.iter().enumerate().map(watched)),
            nic: Nic::new(requesters, near, client_bps as u64, s.clock_hz),
            receiving: receiving.collect(),
            pairs,
            to_near: Sender::new(client()),
            near_out: Receiver::new(client()),
            line_there: fibre(),
            line_back: fibre(),
            near_line_out: Receiver::new(line()),
            far_line_in: Sender::new(line()),
            far_out: Receiver::new(client()),
            far_in: Sender::new(client()),
            far_line_out: Receiver::new(line()),
            near_line_in: Sender::new(line()),
            wire_up: near_fibre(),
            wire_down: near_fibre(),
            far_wire_down: near_fibre(),
            far_wire_up: near_fibre(),
            near_waits: vec![Waiting::default(); classes],
            far_waits: vec![Waiting::default(); classes],
            slots: vec![Slot::default(); classes],
        }
    }

    /// Which of the record's classes a frame towards the line belongs to.
    fn class(&self, frame: &[u8]) -> usize {
        let i = parse_frame(frame).dest_qpn.wrapping_sub(self.pairs[0].far.qpn) as usize;
        self.receiving.get(i).map_or(self.slots.len() - 1, |r| r.path)
    }

    /// Everything but the gateways.
    fn wires(&mut self, now: u64) {
        if let Some(f) = self.nic.cycle(now) {
            self.wire_up.enter(f, now);
        }
        while let Some(f) = self.wire_up.leave(now) {
            let class = self.class(&f);
            self.near_waits[class].enter(&f);
            self.to_near.send(&f);
        }
        while let Some(f) = self.wire_down.leave(now) {
            self.nic.receive(&f, now);
        }
        while let Some(f) = self.far_wire_down.leave(now) {
            let i = parse_frame(&f).dest_qpn.wrapping_sub(self.pairs[0].far.qpn) as usize;
            let Some(r) = self.receiving.get_mut(i) else { continue };
            let before = r.responder.placed_bytes;
            let answer = r.responder.receive(&f).flatten();
            if r.responder.placed_bytes > before {
                r.placed_at = now;
                self.slots[r.path].placed_bytes += r.responder.placed_bytes - before;
            }
            if let Some(a) = answer {
                self.far_wire_up.enter(a, now);
            }
        }
        while let Some(f) = self.far_wire_up.leave(now) {
            self.far_in.send(&f);
        }
        while let Some(f) = self.line_there.leave(now) {
            let class = self.class(&f);
            self.far_waits[class].enter(&f);
            self.far_line_in.send(&f);
        }
        while let Some(f) = self.line_back.leave(now) {
            self.nic.note_ack(&f, true);
            self.near_line_in.send(&f);
        }
    }

    /// Both gateways.
    fn gateways(&mut self, near: &mut dyn Gateway, far: &mut dyn Gateway, now: u64) -> Result<(), String> {
        let (up, back) = (self.to_near.cycle(), self.near_line_in.cycle());
        let t = near.tick(up.as_ref(), back.as_ref(), self.near_out.ready(), self.near_line_out.ready());
        self.witness.cycle(near, up.as_ref(), back.as_ref(), &t)?;
        if let Some(f) = self.near_out.cycle(t.client_tx.as_ref()) {
            self.nic.note_ack(&f, false);
            self.wire_down.enter(f, now);
        }
        if let Some(f) = self.near_line_out.cycle(t.line_tx.as_ref()) {
            let class = self.class(&f);
            self.near_waits[class].leave(&f);
            self.line_there.enter(f, now);
        }
        let (down, up) = (self.far_line_in.cycle(), self.far_in.cycle());
        let t = far.tick(up.as_ref(), down.as_ref(), self.far_out.ready(), self.far_line_out.ready());
        if let Some(f) = self.far_out.cycle(t.client_tx.as_ref()) {
            let class = self.class(&f);
            self.far_waits[class].leave(&f);
            self.far_wire_down.enter(f, now);
        }
        if let Some(f) = self.far_line_out.cycle(t.line_tx.as_ref()) {
            self.line_back.enter(f, now);
        }
        for (class, slot) in self.slots.iter_mut().enumerate() {
            slot.near_bytes = slot.near_bytes.max(self.near_waits[class].bytes());
            slot.far_bytes = slot.far_bytes.max(self.far_waits[class].bytes());
        }
        Ok(())
    }

    /// A slot is over.
    fn slot(&mut self) -> Vec<Slot> {
        for (requester, r) in self.nic.requesters.iter().zip(&self.receiving) {
            self.slots[r.path].window_bytes += requester.unacknowledged_bytes();
        }
        std::mem::replace(&mut self.slots, vec![Slot::default(); self.near_waits.len()])
    }

    fn outcome(&self, slots: Vec<Vec<Slot>>, active_cycle: Option<u64>, counted: (u64, u64), now: u64) -> Outcome {
        let placed = || self.receiving.iter().map(|r| r.responder.placed_bytes - r.before);
        let sum = |of: fn(&Requester) -> u64| self.nic.requesters.iter().map(of).sum();
        Outcome {
            slots,
            active_cycle,
            counted,
            counted_bytes: placed().sum(),
            least_bytes: placed().min().unwrap_or(0),
            silent: self.receiving.iter().filter(|r| now - r.placed_at > counted.1 / 4).count() as u64,
            repeated: sum(|r| r.repeated),
            naks: sum(|r| r.naks),
            naks_again: self.nic.naks_again,
            backwards: sum(|r| r.backwards),
            timeouts: sum(|r| r.timeouts),
            acks: self.nic.acks,
            cnps: sum(|r| r.cnps),
            pfc: self.nic.pfc,
            paused_cycles: self.nic.paused_cycles,
            watched: self.witness.built_frames(),
            cycles: now,
        }
    }
}

/// Watches the near gateway and runs until goodput was counted for `count_cycles`. `progress` is told the share done, now and then.
pub fn run(
    s: &Scenario,
    near: &mut dyn Gateway,
    far: &mut dyn Gateway,
    from: CountFrom,
    count_cycles: u64,
    progress: &mut dyn FnMut(f64),
) -> Result<Outcome, String> {
    let mut b = Bench::new(s);
    let mut slots = Vec::new();
    let slot_cycles = 1u64 << s.slot_log2_cycles;
    let mut active_cycle = None;
    let mut counted_from = match from {
        CountFrom::Active { .. } => None,
        CountFrom::Cycle(c) => Some(c),
    };
    let mut now = 0u64;
    loop {
        b.wires(now);
        b.gateways(near, far, now)?;
        now += 1;
        if active_cycle.is_none() && b.nic.unacknowledged() == 0 {
            active_cycle = Some(now);
            if matches!(from, CountFrom::Active { .. }) {
                counted_from = Some(now);
            }
        }
        if counted_from == Some(now) {
            b.receiving.iter_mut().for_each(|r| r.before = r.responder.placed_bytes);
        }
        if now.is_multiple_of(slot_cycles) {
            slots.push(b.slot());
            let whole = counted_from.unwrap_or(now) + count_cycles;
            progress((now as f64 / whole as f64).min(1.0));
        }
        match (counted_from, from) {
            (Some(start), _) if now == start + count_cycles => {
                b.witness.finish(near)?;
                return Ok(b.outcome(slots, active_cycle, (start, count_cycles), now));
            }
            (None, CountFrom::Active { at_most }) if now > at_most => {
                return Err(format!(
                    "{} of {} flows were not acknowledged by their gateway within {at_most} cycles",
                    b.nic.unacknowledged(),
                    b.pairs.len()
                ));
            }
            _ => {}
        }
    }
}
