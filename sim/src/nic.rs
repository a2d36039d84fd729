//! The sending NIC: queue pairs that take turns on one port, and stop for PFC.

use crate::frame::End;
use crate::host::Requester;
use crate::link::Wire;
use matchrdma_spec::params::{GAP_TIMEOUT_NS, PSN_MASK};
use matchrdma_spec::wire::packet::parse_frame;
use matchrdma_spec::wire::pfc::{self, Pfc};
use matchrdma_spec::wire::{aeth, opcode};

/// Class of the lossless traffic, which is all that the NIC sends.
pub const LOSSLESS_CLASS: usize = 3;

/// What the NIC saw of one queue pair.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// Newest PSN of a real ACK that reached the gateway.
    real: Option<u32>,
    /// A later ACK came: the gateway's own.
    acknowledged: bool,
    /// PSN of the newest NAK, and when it came.
    nak: Option<(u32, u64)>,
}

/// The port and its queue pairs.
pub struct Nic {
    /// The queue pairs.
    pub requesters: Vec<Requester>,
    seen: Vec<Seen>,
    near: Vec<End>,
    wire: Wire,
    turn: usize,
    paused_until: u64,
    cycles_per_quantum: f64,
    gap_timeout_cycles: u64,
    /// Acknowledgements received.
    pub acks: u64,
    /// PFC frames received that stop, and that let go.
    pub pfc: [u64; 2],
    /// Cycles in which PFC held the port.
    pub paused_cycles: u64,
    /// NAKs that named a gap again within the gap timeout.
    pub naks_again: u64,
}

impl Nic {
    /// A port of `rate_bps` beside a clock of `clock_hz`.
    pub fn new(requesters: Vec<Requester>, near: Vec<End>, rate_bps: u64, clock_hz: u64) -> Self {
        Nic {
            seen: vec![Seen::default(); near.len()],
            requesters,
            near,
            wire: Wire::new(rate_bps, clock_hz),
            turn: 0,
            paused_until: 0,
            cycles_per_quantum: f64::from(pfc::QUANTUM_BITS) * clock_hz as f64 / rate_bps as f64,
            gap_timeout_cycles: (u128::from(GAP_TIMEOUT_NS) * u128::from(clock_hz) / 1_000_000_000) as u64,
            acks: 0,
            pfc: [0; 2],
            paused_cycles: 0,
            naks_again: 0,
        }
    }

    /// One cycle; the frame that goes onto the wire.
    pub fn cycle(&mut self, now: u64) -> Option<Vec<u8>> {
        let paused = now < self.paused_until;
        self.paused_cycles += u64::from(paused);
        let mut sent = None;
        if self.wire.free() && !paused {
            let n = self.requesters.len();
            let next = (0..n).map(|k| (self.turn + k) % n).find_map(|i| Some((i, self.requesters[i].poll(now)?)));
            if let Some((i, frame)) = next {
                self.turn = (i + 1) % n;
                self.wire.carry(frame.len());
                sent = Some(frame);
            }
        }
        self.wire.cycle(None);
        sent
    }

    /// Takes a frame from the wire.
    pub fn receive(&mut self, frame: &[u8], now: u64) {
        if let Some(pfc) = Pfc::parse(frame).filter(|_| pfc::is_pfc(frame)) {
            if pfc.enable >> LOSSLESS_CLASS & 1 == 1 {
                let quanta = pfc.times()[LOSSLESS_CLASS];
                self.pfc[usize::from(quanta == 0)] += 1;
                self.paused_until = now + (f64::from(quanta) * self.cycles_per_quantum).ceil() as u64;
            }
            return;
        }
        let m = parse_frame(frame);
        let Some(i) = self.pair(m.dest_qpn).filter(|_| m.roce) else { return };
        if m.opcode == opcode::ACKNOWLEDGE && aeth::is_nak(m.syndrome) {
            let again = self.seen[i].nak.is_some_and(|(psn, at)| psn == m.psn && now - at < self.gap_timeout_cycles);
            self.naks_again += u64::from(again);
            self.seen[i].nak = Some((m.psn, now));
        }
        let known = self.requesters[i].receive(frame, now);
        self.acks += u64::from(known && m.opcode == opcode::ACKNOWLEDGE);
    }

    /// An ACK passes the near gateway: on its way in (`real`), or out to the sender.
    pub fn note_ack(&mut self, frame: &[u8], real: bool) {
        let m = parse_frame(frame);
        if !m.roce || m.opcode != opcode::ACKNOWLEDGE || !aeth::is_ack(m.syndrome) {
            return;
        }
        let Some(i) = self.pair(m.dest_qpn) else { return };
        let seen = &mut self.seen[i];
        let newer = |than: Option<u32>| than.is_none_or(|t| (m.psn.wrapping_sub(t) & PSN_MASK) - 1 < PSN_MASK / 2);
        if real {
            if seen.real.is_none_or(|t| m.psn != t) && newer(seen.real) {
                seen.real = Some(m.psn);
            }
        } else if seen.real != Some(m.psn) && newer(seen.real) {
            seen.acknowledged = true;
        }
    }

    /// Queue pairs that their gateway has not acknowledged yet.
    pub fn unacknowledged(&self) -> usize {
        self.seen.iter().filter(|s| !s.acknowledged).count()
    }

    fn pair(&self, qpn: u32) -> Option<usize> {
        // Numbered upwards from the first.
        let i = qpn.wrapping_sub(self.near.first()?.qpn) as usize;
        (i < self.near.len()).then_some(i)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame;
    use crate::host::RequesterLimits;

    fn nic() -> (Nic, End, End) {
        let near = End { mac: 1, ip: 0x0a01_0001, qpn: 0x100 };
        let far = End { mac: 2, ip: 0x0a02_0001, qpn: 0x200 };
        let limits = RequesterLimits {
            window_bytes: 1 << 20,
            message_bytes: 4096,
            mtu_bytes: 1024,
            messages_in_flight: 256,
            ack_timeout_cycles: 1 << 30,
            handshake: false,
            start_cycle: 0,
            idle: (0, 0),
            dcqcn_bps: None,
            clock_hz: 250_000_000,
        };
        (Nic::new(vec![Requester::new(near, far, 0, limits)], vec![near], 100_000_000_000, 250_000_000), near, far)
    }

    fn pfc_frame(quanta: u16) -> Vec<u8> {
        let mut times = [0; 8];
        times[LOSSLESS_CLASS] = quanta;
        let mut frame = vec![0; pfc::BYTES];
        Pfc::new(7, 1 << LOSSLESS_CLASS, times).emit(&mut frame);
        frame
    }

    #[test]
    fn pfc_holds_the_port_for_its_quanta_and_lets_go_at_once() {
        let (mut nic, ..) = nic();
        let sent = |nic: &mut Nic, from, to| (from..to).filter(|now| nic.cycle(*now).is_some()).count();
        assert!(sent(&mut nic, 0, 100) > 3);
        // 100 quanta of 512 bits at 400 bits a cycle
        nic.receive(&pfc_frame(100), 100);
        assert_eq!(sent(&mut nic, 100, 228), 0);
        assert!(sent(&mut nic, 228, 300) > 2);
        nic.receive(&pfc_frame(u16::MAX), 300);
        assert_eq!(sent(&mut nic, 300, 400), 0);
        nic.receive(&pfc_frame(0), 400);
        assert!(sent(&mut nic, 400, 500) > 3);
        assert_eq!((nic.pfc, nic.paused_cycles), ([2, 1], 228));
    }

    #[test]
    fn a_gap_named_again_too_soon_counts() {
        let (mut nic, near, far) = nic();
        let nak = frame::ack(far, near, 0, aeth::NAK_PSN_SEQUENCE, 0);
        nic.receive(&nak, 0);
        nic.receive(&nak, 2_500_000);
        assert_eq!(nic.naks_again, 0);
        nic.receive(&nak, 2_500_001);
        assert_eq!((nic.naks_again, nic.acks), (1, 3));
    }
}
