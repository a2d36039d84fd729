//! THEMIS near the destination: the packets of a flow that its receiver complains about go round in circles for a while.
//!
//! As in the published code: the first CNP of a flow makes its packets go round once; more CNPs add rounds, slower and
//! slower; without CNPs for a while the rounds go down again. The loop is a port of its own, and a FIFO.

use crate::net::packet::{Packet, Ps};
use std::collections::VecDeque;

/// Constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recirculation {
    /// Rate of the loop, bits per second.
    pub bps: f64,
    /// One round.
    pub round: Ps,
    /// CNPs that the second round takes; one more for each further.
    pub alpha: u32,
    /// Most rounds.
    pub most: u32,
    /// Without a CNP for so long, one round less.
    pub quiet: Ps,
}

impl Recirculation {
    /// The loop port of the THEMIS repository, and the cap of its port to another simulator.
    pub const PUBLISHED: Recirculation =
        Recirculation { bps: 1.6e12, round: 100_000, alpha: 5, most: 64, quiet: 500_000_000 };
}

#[derive(Clone, Copy, Debug, Default)]
struct Looping {
    rounds: u32,
    alpha: u32,
    counter: u32,
    heard_at: Ps,
}

/// The loop.
#[derive(Debug)]
pub(super) struct Loop {
    cfg: Recirculation,
    flows: Vec<Looping>,
    free_at: Ps,
    out: VecDeque<(Ps, Packet)>,
}

impl Loop {
    pub(super) fn new(cfg: Recirculation) -> Self {
        Loop { cfg, flows: vec![], free_at: 0, out: VecDeque::new() }
    }

    fn flow(&mut self, flow: u32) -> &mut Looping {
        if self.flows.len() <= flow as usize {
            self.flows.resize(flow as usize + 1, Looping::default());
        }
        &mut self.flows[flow as usize]
    }

    /// The receiver of a flow complained.
    pub(super) fn complained(&mut self, flow: u32, now: Ps) {
        let (alpha, most) = (self.cfg.alpha, self.cfg.most);
        let f = self.flow(flow);
        f.heard_at = now;
        if f.rounds == 0 {
            *f = Looping { rounds: 1, alpha, counter: 1, heard_at: now };
            return;
        }
        f.counter += 1;
        if f.counter >= f.alpha {
            f.counter -= f.alpha;
            f.alpha += 1;
            f.rounds = (f.rounds + 1).min(most);
        }
    }

    /// A packet of data: `Some` time at which it comes out of the loop, `None` when it need not go in.
    pub(super) fn enter(&mut self, packet: Packet, now: Ps) -> Option<Ps> {
        let Recirculation { bps, round, quiet, .. } = self.cfg;
        let f = self.flow(packet.flow);
        let steps = ((now - f.heard_at) / quiet).min(u64::from(f.rounds)) as u32;
        if steps > 0 {
            f.rounds -= steps;
            f.heard_at += u64::from(steps) * quiet;
        }
        let rounds = f.rounds;
        // What is in the loop comes out first, or the flow would be out of order.
        if rounds == 0 && self.out.is_empty() {
            return None;
        }
        let work = f64::from(packet.bytes) * 8.0 * f64::from(rounds.max(1)) / bps * 1e12;
        self.free_at = self.free_at.max(now) + work as Ps;
        let at = self.free_at + u64::from(rounds) * round;
        let at = at.max(self.out.back().map_or(0, |o| o.0));
        self.out.push_back((at, packet));
        Some(at)
    }

    /// The packet that comes out now.
    pub(super) fn leave(&mut self) -> Option<Packet> {
        self.out.pop_front().map(|(_, packet)| packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_grow_slower_and_slower_and_go_down_again() {
        let mut l = Loop::new(Recirculation::PUBLISHED);
        let packet = Packet::data(3, 0, 4096, false);
        assert_eq!(l.enter(packet, 0), None);
        let rounds = |l: &mut Loop, n: u32| {
            (0..n).for_each(|_| l.complained(3, 1000));
            l.flow(3).rounds
        };
        assert_eq!(rounds(&mut l, 1), 1);
        assert_eq!(rounds(&mut l, 4), 2);
        assert_eq!((rounds(&mut l, 5), rounds(&mut l, 1)), (2, 3));
        let at = l.enter(packet, 2000).unwrap();
        assert_eq!(at, 2000 + 3 * 20_970 + 3 * 100_000);
        assert_eq!(l.leave(), Some(packet));
        assert_eq!(l.enter(packet, 2_000_000_000), None, "quiet for long enough");
    }

    #[test]
    fn what_goes_in_later_comes_out_later() {
        let mut l = Loop::new(Recirculation::PUBLISHED);
        (0..300).for_each(|_| l.complained(3, 1000));
        let quiet = Recirculation::PUBLISHED.quiet;
        // The second goes in when half its rounds are forgotten, just before the first comes out.
        let first = l.enter(Packet::data(3, 0, 4096, false), quiet - 1).unwrap();
        let second = l.enter(Packet::data(3, 1, 4096, false), quiet + 1_001).unwrap();
        let third = l.enter(Packet::data(9, 0, 4096, false), quiet + 1_002).unwrap();
        assert!(first <= second && second <= third, "{first} {second} {third}");
    }
}
