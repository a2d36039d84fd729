//! Queue pairs: an RC requester with a window, perhaps slowed down by CNPs, and a responder. [`crate::nic`] is the port
//! that requesters share.

use crate::dcqcn::{Dcqcn, DcqcnCfg};
use crate::frame::{self, End, Write};
use matchrdma_spec::params::{OVERHEAD_BYTES, PSN_MASK};
use matchrdma_spec::wire::packet::{icrc_ok, parse_frame};
use matchrdma_spec::wire::{aeth, opcode};

/// What a requester may have on its way, and how it cuts messages.
#[derive(Clone, Copy, Debug)]
pub struct RequesterLimits {
    /// Unacknowledged bytes per queue pair.
    pub window_bytes: u64,
    /// Length of every message.
    pub message_bytes: u32,
    /// Payload of a full packet.
    pub mtu_bytes: u32,
    /// Messages begun and not acknowledged, per queue pair.
    pub messages_in_flight: u64,
    /// Go back to the oldest unacknowledged packet after this many cycles without progress.
    pub ack_timeout_cycles: u64,
    /// Until the first message is acknowledged, no other one begins.
    pub handshake: bool,
    /// Sends nothing before this cycle.
    pub start_cycle: u64,
    /// From the one cycle to the other no message begins.
    pub idle: (u64, u64),
    /// DCQCN on a port of this rate, bits per second.
    pub dcqcn_bps: Option<f64>,
    /// Clock that cycles are counted by.
    pub clock_hz: u64,
}

/// One queue pair that writes messages for ever. Packets are counted from zero; PSN is `first_psn` + count.
#[derive(Clone, Debug)]
pub struct Requester {
    near: End,
    far: End,
    first_psn: u32,
    limits: RequesterLimits,
    next: u64,
    oldest: u64,
    highest: u64,
    last_progress: u64,
    dcqcn: Option<Dcqcn>,
    /// DCQCN's rate allows the next frame at this time, ps.
    due_ps: u64,
    /// CNPs received.
    pub cnps: u64,
    /// Frames sent again.
    pub repeated: u64,
    /// NAKs received.
    pub naks: u64,
    /// ACKs that acknowledged less than an earlier one.
    pub backwards: u64,
    /// Times the ack timer ran out.
    pub timeouts: u64,
}

impl Requester {
    /// A queue pair at `near` that writes to `far`.
    pub fn new(near: End, far: End, first_psn: u32, limits: RequesterLimits) -> Self {
        Self {
            near,
            far,
            first_psn,
            limits,
            next: 0,
            oldest: 0,
            highest: 0,
            last_progress: 0,
            dcqcn: limits.dcqcn_bps.map(|bps| Dcqcn::new(DcqcnCfg::published(bps))),
            due_ps: 0,
            cnps: 0,
            repeated: 0,
            naks: 0,
            backwards: 0,
            timeouts: 0,
        }
    }

    fn ps(&self, cycles: u64) -> u64 {
        (u128::from(cycles) * 1_000_000_000_000 / u128::from(self.limits.clock_hz)) as u64
    }

    fn packets_per_message(&self) -> u64 {
        u64::from(self.limits.message_bytes.div_ceil(self.limits.mtu_bytes))
    }

    fn payload(&self, packet: u64) -> u32 {
        let in_message = (packet % self.packets_per_message()) as u32;
        self.limits.mtu_bytes.min(self.limits.message_bytes - in_message * self.limits.mtu_bytes)
    }

    /// Bytes sent and not acknowledged, counting full packets.
    pub fn unacknowledged_bytes(&self) -> u64 {
        (self.next - self.oldest) * u64::from(self.limits.mtu_bytes)
    }

    /// The next frame, when window, messages in flight and rate allow one.
    pub fn poll(&mut self, now: u64) -> Option<Vec<u8>> {
        let per_message = self.packets_per_message();
        if self.next > self.oldest && now - self.last_progress > self.limits.ack_timeout_cycles {
            self.timeouts += 1;
            self.next = self.oldest;
            self.last_progress = now;
        }
        let message = self.next / per_message;
        let payload = self.payload(self.next);
        let fits = self.unacknowledged_bytes() + u64::from(payload) <= self.limits.window_bytes;
        let early = now < self.limits.start_cycle || self.ps(now) < self.due_ps;
        let alone = self.limits.handshake && self.oldest < per_message;
        let in_flight = if alone { 1 } else { self.limits.messages_in_flight };
        let idle = (self.limits.idle.0..self.limits.idle.1).contains(&now) && self.next.is_multiple_of(per_message);
        if early || idle || !fits || message >= self.oldest / per_message + in_flight {
            return None;
        }
        if self.next == self.oldest {
            self.last_progress = now;
        }
        let position = self.next % per_message;
        let last = position + 1 == per_message;
        // A message longer than half a window asks for ACKs on its way, or it would stop for ever.
        let every = (self.limits.window_bytes / u64::from(self.limits.mtu_bytes) / 2).max(1);
        let ack_req = last || (position + 1).is_multiple_of(every);
        let w =
            Write { first: position == 0, last, message_bytes: self.limits.message_bytes, payload: payload as usize };
        let psn = (self.first_psn.wrapping_add(self.next as u32)) & PSN_MASK;
        let frame = frame::write(self.near, self.far, psn, ack_req, w);
        let now_ps = self.ps(now);
        if let Some(d) = &mut self.dcqcn {
            // Of the whole frame, with what it costs on the wire.
            let bytes = frame.len() as u32 + OVERHEAD_BYTES;
            let took = f64::from(bytes) * 8e12 / d.rate(now_ps);
            self.due_ps = self.due_ps.max(now_ps) + took as u64;
            d.sent(bytes, now_ps);
        }
        self.next += 1;
        if self.next > self.highest {
            self.highest = self.next;
        } else {
            self.repeated += 1;
        }
        Some(frame)
    }

    /// Takes a frame that may be for this queue pair; false when it is not.
    pub fn receive(&mut self, frame: &[u8], now: u64) -> bool {
        let m = parse_frame(frame);
        if !m.roce || m.dest_qpn != self.near.qpn || !icrc_ok(frame, &m) {
            return false;
        }
        if m.opcode == opcode::CNP {
            self.cnps += 1;
            let now_ps = self.ps(now);
            if let Some(d) = &mut self.dcqcn {
                d.notified(now_ps);
            }
            return true;
        }
        if m.opcode != opcode::ACKNOWLEDGE {
            return false;
        }
        // The packet meant: the PSN nearest to the oldest one, half a window either way.
        let base = self.first_psn.wrapping_add(self.oldest as u32) & PSN_MASK;
        let ahead = m.psn.wrapping_sub(base) & PSN_MASK;
        let half = PSN_MASK / 2;
        if aeth::is_ack(m.syndrome) {
            if ahead > half {
                // It names a packet acknowledged before: the newest one said again is no step back.
                if ahead != PSN_MASK {
                    self.backwards += 1;
                }
                return true;
            }
            self.advance(self.oldest + u64::from(ahead) + 1, now);
        } else if aeth::is_nak(m.syndrome) {
            self.naks += 1;
            if ahead <= half {
                self.advance(self.oldest + u64::from(ahead), now);
                self.next = self.oldest;
            }
        }
        true
    }

    fn advance(&mut self, to: u64, now: u64) {
        let to = to.min(self.highest);
        if to > self.oldest {
            self.oldest = to;
            self.next = self.next.max(to);
            self.last_progress = now;
        }
    }
}

/// The responder of one queue pair.
#[derive(Clone, Debug)]
pub struct Responder {
    far: End,
    near: End,
    expected: u32,
    msn: u32,
    nak_sent: bool,
    /// Payload placed in order, bytes.
    pub placed_bytes: u64,
    /// Frames refused by their ICRC.
    pub bad_icrc: u64,
}

impl Responder {
    /// The queue pair at `far` that `near` writes to.
    pub fn new(far: End, near: End, first_psn: u32) -> Self {
        Self { far, near, expected: first_psn, msn: 0, nak_sent: false, placed_bytes: 0, bad_icrc: 0 }
    }

    /// Takes a frame; `None` when it is for another queue pair, else the answer, if there is one.
    pub fn receive(&mut self, frame: &[u8]) -> Option<Option<Vec<u8>>> {
        let m = parse_frame(frame);
        if !m.roce || m.dest_qpn != self.far.qpn || !opcode::is_request(m.opcode) {
            return None;
        }
        if !icrc_ok(frame, &m) {
            self.bad_icrc += 1;
            return Some(None);
        }
        let ahead = m.psn.wrapping_sub(self.expected) & PSN_MASK;
        let answer = if ahead == 0 {
            self.placed_bytes += u64::from(m.payload);
            self.expected = (self.expected + 1) & PSN_MASK;
            self.nak_sent = false;
            if opcode::completes_message(m.opcode) {
                self.msn = (self.msn + 1) & PSN_MASK;
            }
            m.ack_req.then_some((m.psn, aeth::ACK))
        } else if ahead > PSN_MASK / 2 {
            m.ack_req.then_some((self.expected.wrapping_sub(1) & PSN_MASK, aeth::ACK))
        } else if self.nak_sent {
            None
        } else {
            self.nak_sent = true;
            Some((self.expected, aeth::NAK_PSN_SEQUENCE))
        };
        Some(answer.map(|(psn, syndrome)| frame::ack(self.far, self.near, psn, syndrome, self.msn)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEAR: End = End { mac: 1, ip: 0x0a00_0001, qpn: 0x11 };
    const FAR: End = End { mac: 2, ip: 0x0a00_0002, qpn: 0x22 };
    const LIMITS: RequesterLimits = RequesterLimits {
        window_bytes: 16384,
        message_bytes: 10000,
        mtu_bytes: 4096,
        messages_in_flight: 4,
        ack_timeout_cycles: 1000,
        handshake: false,
        start_cycle: 0,
        idle: (0, 0),
        dcqcn_bps: None,
        clock_hz: 250_000_000,
    };

    #[test]
    fn a_window_holds_the_requester_and_an_ack_lets_it_go() {
        let mut q = Requester::new(NEAR, FAR, 0xff_fffe, LIMITS);
        let mut r = Responder::new(FAR, NEAR, 0xff_fffe);
        let sent: Vec<_> = std::iter::from_fn(|| q.poll(0)).collect();
        assert_eq!(sent.len(), 4);
        let answers: Vec<_> = sent.iter().filter_map(|f| r.receive(f).unwrap()).collect();
        assert_eq!(answers.len(), 2, "half a window and the end of a message ask for ACKs");
        assert!(answers.iter().all(|a| q.receive(a, 1)));
        assert!(q.poll(1).is_some());
        assert_eq!(r.placed_bytes, 10000 + 4096);
    }

    #[test]
    fn with_a_handshake_the_first_message_goes_alone() {
        let limits = RequesterLimits { handshake: true, window_bytes: 1 << 20, ..LIMITS };
        let (mut q, mut r) = (Requester::new(NEAR, FAR, 5, limits), Responder::new(FAR, NEAR, 5));
        let sent: Vec<_> = std::iter::from_fn(|| q.poll(0)).collect();
        assert_eq!(sent.len(), 3);
        let answers: Vec<_> = sent.iter().filter_map(|f| r.receive(f).unwrap()).collect();
        assert!(q.receive(answers.last().unwrap(), 1));
        assert_eq!(std::iter::from_fn(|| q.poll(1)).count(), 12, "four messages in flight");
    }

    #[test]
    fn a_lost_packet_is_answered_by_one_nak_and_repeated() {
        let mut q = Requester::new(NEAR, FAR, 5, LIMITS);
        let mut r = Responder::new(FAR, NEAR, 5);
        let sent: Vec<_> = std::iter::from_fn(|| q.poll(0)).collect();
        let answers: Vec<_> = sent.iter().skip(1).filter_map(|f| r.receive(f).unwrap()).collect();
        assert_eq!(answers.len(), 1);
        assert!(q.receive(&answers[0], 1));
        assert_eq!((q.naks, q.unacknowledged_bytes()), (1, 0));
        assert_eq!(q.poll(2), Some(sent[0].clone()));
        assert_eq!(q.repeated, 1);
    }

    #[test]
    fn the_timer_goes_back_to_the_oldest_packet() {
        let mut q = Requester::new(NEAR, FAR, 5, LIMITS);
        let sent: Vec<_> = std::iter::from_fn(|| q.poll(0)).collect();
        assert_eq!(q.poll(1000), None);
        assert_eq!(q.poll(1001), Some(sent[0].clone()));
        assert_eq!(q.timeouts, 1);
    }

    /// 100 Gb/s is 50 bytes a cycle here; a CNP halves that, and nothing else does.
    #[test]
    fn a_notification_halves_the_rate_and_acks_do_not_matter() {
        let limits = RequesterLimits {
            window_bytes: 1 << 30,
            messages_in_flight: 1 << 20,
            ack_timeout_cycles: 1 << 40,
            dcqcn_bps: Some(100e9),
            ..LIMITS
        };
        let mut q = Requester::new(NEAR, FAR, 0, limits);
        let sent = |q: &mut Requester, from: u64, cycles: u64| -> u64 {
            let frames = (from..from + cycles).filter_map(|now| q.poll(now));
            frames.map(|f| f.len() as u64 + u64::from(OVERHEAD_BYTES)).sum()
        };
        let full = sent(&mut q, 0, 10_000);
        assert!((495_000..=505_000).contains(&full), "{full}");
        assert!(q.receive(&frame::cnp(FAR, NEAR), 10_000));
        let half = sent(&mut q, 10_000, 10_000);
        assert!((245_000..=255_000).contains(&half), "{half}");
        assert_eq!(q.cnps, 1);
    }
}
