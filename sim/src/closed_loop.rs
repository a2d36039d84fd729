//! Two gateways on a fibre, a sending NIC at one end and a receiving NIC at the other.
//!
//! ```text
//! requester ─client wire─ [near gateway] ═══ line ═══ [far gateway] ─client wire─ responder
//! ```

use crate::engine::{Beat, Gateway};
use crate::frame::End;
use crate::host::{Requester, RequesterLimits, Responder};
use crate::link::{Fibre, Receiver, Sender, Wire};
use crate::scenario::Scenario;
use matchrdma_spec::params::PSN_MASK;
use matchrdma_spec::wire::packet::parse_frame;
use matchrdma_spec::wire::{aeth, opcode};

/// The ends of queue pair `i`: (near, far).
pub fn ends(i: u32) -> (End, End) {
    let near = End { mac: 0x0200_0000_0001, ip: 0x0a01_0001, qpn: 0x100 + i };
    let far = End { mac: 0x0200_0000_0002, ip: 0x0a02_0001, qpn: 0x200 + i };
    (near, far)
}

/// PSN of the first packet of queue pair `i`.
pub fn first_psn(i: u32) -> u32 {
    (0xff_ff00 + 0x1_0001 * i) & PSN_MASK
}

/// One slot of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// Payload placed in order at the receiver, bytes.
    pub placed_bytes: u64,
    /// Unacknowledged at the senders when the slot ended, bytes.
    pub window_bytes: u64,
    /// Waiting in the source gateway when the slot ended, frame bytes.
    pub near_bytes: u64,
    /// Most that waited in the destination gateway in the slot, frame bytes.
    pub far_bytes: u64,
}

/// What a run gives.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Slot by slot.
    pub slots: Vec<Slot>,
    /// Cycle at which the last flow was seen to be acknowledged by its gateway.
    pub active_cycle: Option<u64>,
    /// Cycle from which goodput counts, and how many cycles it counts.
    pub counted: (u64, u64),
    /// Payload placed in order while goodput counts, bytes.
    pub counted_bytes: u64,
    /// Frames sent again by the senders.
    pub repeated: u64,
    /// NAKs that the senders received.
    pub naks: u64,
    /// ACKs that stepped back at a sender.
    pub backwards: u64,
    /// Retransmission timers that ran out.
    pub timeouts: u64,
    /// ACKs that the senders received.
    pub acks: u64,
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

/// The parts around the gateways.
struct Bench {
    requesters: Vec<Requester>,
    responders: Vec<Responder>,
    /// Newest PSN of a real ACK that reached the near gateway, per queue pair.
    real: Vec<Option<u32>>,
    acknowledged: Vec<bool>,
    turn: usize,
    acks: u64,
    nic: Wire,
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
}

impl Bench {
    fn new(s: &Scenario) -> Self {
        let limits = RequesterLimits {
            window_bytes: s.sender.window_kib << 10,
            message_bytes: s.sender.message_kib << 10,
            mtu_bytes: s.sender.mtu_bytes,
            messages_in_flight: s.sender.messages_in_flight,
            ack_timeout_cycles: s.cycles(s.sender.ack_timeout_ms * 1e3),
        };
        let client = || Wire::new((s.client.rate_gbps * 1e9) as u64, s.clock_hz);
        let line = || Wire::new((s.line.rate_gbps * 1e9) as u64, s.clock_hz);
        let near_fibre = || Fibre::new(s.cycles(s.client.one_way_delay_us));
        let fibre = || Fibre::new(s.cycles(s.line.one_way_delay_us));
        let pairs = 0..s.sender.queue_pairs;
        Self {
            requesters: pairs.clone().map(|i| Requester::new(ends(i).0, ends(i).1, first_psn(i), limits)).collect(),
            responders: pairs.clone().map(|i| Responder::new(ends(i).1, ends(i).0, first_psn(i))).collect(),
            real: pairs.clone().map(|_| None).collect(),
            acknowledged: pairs.map(|_| false).collect(),
            turn: 0,
            acks: 0,
            nic: client(),
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
        }
    }

    /// An ACK passes the near gateway: on its way in (`real`), or out to the sender.
    fn note_ack(&mut self, frame: &[u8], real: bool) {
        let m = parse_frame(frame);
        if !m.roce || m.opcode != opcode::ACKNOWLEDGE || !aeth::is_ack(m.syndrome) {
            return;
        }
        let Some(i) = (0..self.real.len()).find(|i| ends(*i as u32).0.qpn == m.dest_qpn) else { return };
        let newer = |than: Option<u32>| than.is_none_or(|t| (m.psn.wrapping_sub(t) & PSN_MASK) - 1 < PSN_MASK / 2);
        if real {
            if self.real[i].is_none_or(|t| m.psn != t) && newer(self.real[i]) {
                self.real[i] = Some(m.psn);
            }
        } else if self.real[i] != Some(m.psn) && newer(self.real[i]) {
            self.acknowledged[i] = true;
        }
    }
}

/// Runs until goodput was counted for `count_cycles`. `progress` is told the share done, now and then.
pub fn run(
    s: &Scenario,
    near: &mut dyn Gateway,
    far: &mut dyn Gateway,
    from: CountFrom,
    count_cycles: u64,
    progress: &mut dyn FnMut(f64),
) -> Result<Outcome, String> {
    let mut b = Bench::new(s);
    let mut out = Outcome::default();
    let slot_cycles = 1u64 << s.path.slot_log2_cycles;
    let mut counted_from = match from {
        CountFrom::Active { .. } => None,
        CountFrom::Cycle(c) => Some(c),
    };
    let mut placed_at_start = 0;
    let mut slot = Slot::default();
    let mut placed_before = 0;
    let (mut near_waits, mut far_waits) = (0i64, 0i64);
    let bytes = |beat: &Option<Beat>| beat.map_or(0, |x| i64::from(x.bytes));
    let mut now = 0u64;
    loop {
        // The NICs.
        if b.nic.free() {
            let n = b.requesters.len();
            let next = (0..n).map(|k| (b.turn + k) % n).find_map(|i| Some((i, b.requesters[i].poll(now)?)));
            if let Some((i, f)) = next {
                b.turn = (i + 1) % n;
                b.nic.carry(f.len());
                b.wire_up.enter(f, now);
            }
        }
        b.nic.cycle(None);
        while let Some(f) = b.wire_up.leave(now) {
            b.to_near.send(&f);
        }
        while let Some(f) = b.wire_down.leave(now) {
            let known = b.requesters.iter_mut().any(|r| r.receive(&f, now));
            b.acks += u64::from(known);
        }
        while let Some(f) = b.far_wire_down.leave(now) {
            let answer = b.responders.iter_mut().find_map(|r| r.receive(&f)).flatten();
            if let Some(a) = answer {
                b.far_wire_up.enter(a, now);
            }
        }
        while let Some(f) = b.far_wire_up.leave(now) {
            b.far_in.send(&f);
        }
        while let Some(f) = b.line_there.leave(now) {
            b.far_line_in.send(&f);
        }
        while let Some(f) = b.line_back.leave(now) {
            b.note_ack(&f, true);
            b.near_line_in.send(&f);
        }
        // The gateways.
        let (up, back) = (b.to_near.cycle(), b.near_line_in.cycle());
        let t = near.tick(up.as_ref(), back.as_ref(), b.near_out.ready(), b.near_line_out.ready());
        near_waits += bytes(&up) - bytes(&t.line_tx);
        if let Some(f) = b.near_out.cycle(t.client_tx.as_ref()) {
            b.note_ack(&f, false);
            b.wire_down.enter(f, now);
        }
        if let Some(f) = b.near_line_out.cycle(t.line_tx.as_ref()) {
            b.line_there.enter(f, now);
        }
        let (down, up) = (b.far_line_in.cycle(), b.far_in.cycle());
        let t = far.tick(up.as_ref(), down.as_ref(), b.far_out.ready(), b.far_line_out.ready());
        far_waits += bytes(&down) - bytes(&t.client_tx);
        if let Some(f) = b.far_out.cycle(t.client_tx.as_ref()) {
            b.far_wire_down.enter(f, now);
        }
        if let Some(f) = b.far_line_out.cycle(t.line_tx.as_ref()) {
            b.line_back.enter(f, now);
        }
        slot.far_bytes = slot.far_bytes.max(far_waits.max(0) as u64);
        now += 1;
        // The record.
        if out.active_cycle.is_none() && b.acknowledged.iter().all(|a| *a) {
            out.active_cycle = Some(now);
            if matches!(from, CountFrom::Active { .. }) {
                counted_from = Some(now);
            }
        }
        if counted_from == Some(now) {
            placed_at_start = b.responders.iter().map(|r| r.placed_bytes).sum();
        }
        if now.is_multiple_of(slot_cycles) {
            let placed = b.responders.iter().map(|r| r.placed_bytes).sum::<u64>();
            slot.placed_bytes = placed - placed_before;
            placed_before = placed;
            slot.window_bytes = b.requesters.iter().map(Requester::unacknowledged_bytes).sum();
            slot.near_bytes = near_waits.max(0) as u64;
            out.slots.push(std::mem::take(&mut slot));
            let whole = counted_from.unwrap_or(now) + count_cycles;
            progress((now as f64 / whole as f64).min(1.0));
        }
        match (counted_from, from) {
            (Some(start), _) if now == start + count_cycles => {
                let placed: u64 = b.responders.iter().map(|r| r.placed_bytes).sum();
                out.counted = (start, count_cycles);
                out.counted_bytes = placed - placed_at_start;
                break;
            }
            (None, CountFrom::Active { at_most }) if now > at_most => {
                let waiting = b.acknowledged.iter().filter(|a| !**a).count();
                return Err(format!(
                    "{waiting} of {} flows were not acknowledged by their gateway within {at_most} cycles",
                    b.acknowledged.len()
                ));
            }
            _ => {}
        }
    }
    for r in &b.requesters {
        out.repeated += r.repeated;
        out.naks += r.naks;
        out.backwards += r.backwards;
        out.timeouts += r.timeouts;
    }
    out.acks = b.acks;
    out.cycles = now;
    Ok(out)
}
