//! A link one way: two queues, a transmitter, and a pipe of what is under way.
//!
//! Only the front of a pipe is in the heap, so the heap stays as small as the network, whatever the distance.

use super::drain::Rates;
use super::event::{Events, What};
use super::packet::{Packet, Ps, CLASSES, LOSSLESS};
use std::collections::VecDeque;

/// Picoseconds per byte as a fixed-point number.
const FRACTION: u32 = 16;

/// One direction of a cable.
#[derive(Clone, Debug)]
pub struct Link {
    /// Node and port it leaves.
    pub from: (u32, u16),
    /// Node and port it comes to.
    pub to: (u32, u16),
    /// Propagation.
    pub delay: Ps,
    /// Ask the node for the next packet when nothing is queued here.
    pub pulls: bool,
    /// The node wants to know of each packet that leaves the queues.
    pub tells: bool,
    /// Rates that a scenario sets.
    pub rates: Option<Rates>,
    ps_per_byte: u64,
    free_at: Ps,
    queues: [VecDeque<Packet>; CLASSES],
    queued: [u64; CLASSES],
    paused: bool,
    stopped: bool,
    pipe: VecDeque<(Ps, Packet)>,
    waking: bool,
}

impl Link {
    /// A link of `bps`.
    pub fn new(from: (u32, u16), to: (u32, u16), bps: u64, delay: Ps) -> Self {
        let mut link = Link {
            from,
            to,
            delay,
            pulls: false,
            tells: false,
            rates: None,
            ps_per_byte: 0,
            free_at: 0,
            queues: Default::default(),
            queued: [0; CLASSES],
            paused: false,
            stopped: false,
            pipe: VecDeque::new(),
            waking: false,
        };
        link.set_rate(bps);
        link
    }

    /// The next of the rates that a scenario sets is scheduled.
    pub fn next_rate(&mut self, me: u32, events: &mut Events) {
        if let Some((at, bps)) = self.rates.as_mut().and_then(Iterator::next) {
            events.at(at, What::Rate { link: me, bps });
        }
    }

    /// Sets the rate, from the next packet on; 0 stops it.
    pub fn set_rate(&mut self, bps: u64) {
        self.stopped = bps == 0;
        if bps > 0 {
            self.ps_per_byte = ((8_000_000_000_000u128 << FRACTION) / u128::from(bps)) as u64;
        }
    }

    /// Time on the wire of so many bytes.
    pub fn serial(&self, bytes: u32) -> Ps {
        (u64::from(bytes) * self.ps_per_byte) >> FRACTION
    }

    /// Queued in a class, bytes, without the packet on the wire.
    pub fn queued(&self, class: usize) -> u64 {
        self.queued[class]
    }

    /// Its rate is zero.
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    /// The lossless class is held by PFC.
    pub fn paused(&self) -> bool {
        self.paused
    }

    /// Puts a packet on the wire; it must be free.
    fn transmit(&mut self, me: u32, now: Ps, packet: Packet, events: &mut Events) {
        self.free_at = now + self.serial(packet.bytes);
        let there = self.free_at + self.delay;
        if self.pipe.is_empty() {
            events.at(there, What::Arrive { link: me });
        }
        self.pipe.push_back((there, packet));
    }

    /// Takes a packet from the node: onto the wire if that is free, else into its queue. True: on the wire.
    pub fn send(&mut self, me: u32, now: Ps, packet: Packet, events: &mut Events) -> bool {
        let class = packet.class();
        let held = self.stopped || (class == LOSSLESS && self.paused);
        if now >= self.free_at && !self.waking && !held && self.queues.iter().all(VecDeque::is_empty) {
            self.transmit(me, now, packet, events);
            return true;
        }
        self.queued[class] += u64::from(packet.bytes);
        self.queues[class].push_back(packet);
        self.wake(me, now, events);
        false
    }

    /// Asks for [`Link::free`] when the wire is free.
    pub fn wake(&mut self, me: u32, now: Ps, events: &mut Events) {
        if !self.waking {
            self.waking = true;
            events.at(self.free_at.max(now), What::Free { link: me });
        }
    }

    /// The wire is free: the next packet of the queues goes. Gives it back, for whoever counts.
    pub fn free(&mut self, me: u32, now: Ps, events: &mut Events) -> Option<Packet> {
        self.waking = false;
        if self.stopped {
            return None;
        }
        let classes = if self.paused { 1 } else { CLASSES };
        let packet = self.queues[..classes].iter_mut().find_map(VecDeque::pop_front)?;
        self.queued[packet.class()] -= u64::from(packet.bytes);
        self.transmit(me, now, packet, events);
        if self.pulls || self.queues.iter().any(|q| !q.is_empty()) {
            self.wake(me, now, events);
        }
        Some(packet)
    }

    /// The wire is free and the node gave this; asks again when it is through.
    pub fn pulled(&mut self, me: u32, now: Ps, packet: Packet, events: &mut Events) {
        self.transmit(me, now, packet, events);
        self.wake(me, now, events);
    }

    /// PFC arrived.
    pub fn pause(&mut self, me: u32, now: Ps, on: bool, events: &mut Events) {
        self.paused = on;
        if !on {
            self.wake(me, now, events);
        }
    }

    /// The packet at the front of the pipe is there.
    pub fn arrive(&mut self, me: u32, events: &mut Events) -> Packet {
        let (_, packet) = self.pipe.pop_front().expect("an arrival has its packet");
        if let Some((at, _)) = self.pipe.front() {
            events.at(*at, What::Arrive { link: me });
        }
        packet
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::packet::Kind;

    #[test]
    fn pfc_holds_the_lossless_class_alone() {
        let mut events = Events::default();
        let mut link = Link::new((0, 0), (1, 0), 100_000_000_000, 0);
        link.pause(0, 0, true, &mut events);
        assert!(!link.send(0, 0, Packet::data(0, 0, 4096, false), &mut events));
        assert!(!link.send(0, 0, Packet::control(Kind::Ack, 0, 1), &mut events));
        assert_eq!(link.free(0, 0, &mut events).map(|p| p.kind), Some(Kind::Ack));
        assert_eq!(link.free(0, 1_000_000, &mut events), None, "data is held");
        link.pause(0, 1_000_000, false, &mut events);
        assert_eq!(link.free(0, 1_000_000, &mut events).map(|p| p.kind), Some(Kind::Data));
        assert_eq!(link.queued(LOSSLESS), 0);
    }
}
