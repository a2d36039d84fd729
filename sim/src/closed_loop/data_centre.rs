//! The data centre behind the destination: how fast it drains, and what it says about it.

use crate::frame;
use crate::net::drain::Drain;
use crate::net::packet::SECOND;
use crate::net::rng::Stream;
use crate::nic::LOSSLESS_CLASS;
use crate::scenario::{Pair, Scenario};
use matchrdma_spec::wire::pfc::{self, Pfc};
use std::collections::VecDeque;

/// Source address of its PFC frames.
const PFC_SOURCE: u64 = 0x0200_0000_0002;

/// Rates over time, and the frames that go with them.
pub struct DataCentre {
    drain: Drain,
    /// When which rate begins, in cycles of the run: the next first.
    schedule: VecDeque<(u64, u64)>,
    /// What may drain now, and what the port carries, bits per second.
    bps: u64,
    port_bps: u64,
    clock_hz: u64,
    round_trip_cycles: u64,
    slot_cycles: u64,
    seed: u64,
    says_pfc: bool,
    /// An XOFF is to be said again.
    again_at: Option<u64>,
    /// Cycles between CNPs, and when the next is due; the queue pair that gets it.
    cnp_cycles: u64,
    cnp_at: u64,
    turn: usize,
    pairs: Vec<Pair>,
    /// CNPs sent, and XOFFs.
    pub said: [u64; 2],
}

impl DataCentre {
    /// It drains all that its port carries.
    pub fn new(s: &Scenario, pairs: &[Pair]) -> Self {
        let port_bps = (s.client.rate_gbps * 1e9) as u64;
        DataCentre {
            drain: s.destination.drain.parse().unwrap_or(Drain::Full),
            schedule: VecDeque::new(),
            bps: port_bps,
            port_bps,
            clock_hz: s.clock_hz,
            round_trip_cycles: s.round_trip_cycles(),
            slot_cycles: 1 << s.slot_log2_cycles,
            seed: s.seed,
            says_pfc: s.destination.says_pfc,
            again_at: None,
            cnp_cycles: s.cycles(s.destination.cnp_every_us),
            cnp_at: 0,
            turn: 0,
            pairs: pairs.to_vec(),
            said: [0; 2],
        }
    }

    /// From cycle `from` on it drains as the scenario says, for so many cycles. Gives from which cycle on at which rate.
    pub fn plan(&mut self, from: u64, cycles: u64) -> Vec<(u64, u64)> {
        let ps = |cycles: u64| (u128::from(cycles) * u128::from(SECOND) / u128::from(self.clock_hz)) as u64;
        let (round_trip, slot) = (ps(self.round_trip_cycles), ps(self.slot_cycles));
        let rates = self.drain.rates(self.port_bps, 0, ps(cycles), round_trip, slot, Stream::new(self.seed, 0));
        let cycle = |at: u64| from + (u128::from(at) * u128::from(self.clock_hz) / u128::from(SECOND)) as u64;
        self.schedule = rates.map(|(at, bps)| (cycle(at), bps)).collect();
        [(0, self.port_bps)].into_iter().chain(self.schedule.iter().copied()).collect()
    }

    /// What may drain now, bits per second.
    pub fn bps(&self) -> u64 {
        self.bps
    }

    /// One cycle: the rate of the wire from now on, if that changes; what is said goes to `say`.
    pub fn cycle(&mut self, now: u64, say: &mut dyn FnMut(Vec<u8>)) -> Option<u64> {
        let mut changed = None;
        while let Some((_, bps)) = self.schedule.pop_front_if(|(at, _)| *at <= now) {
            if self.says_pfc && (bps == 0) != (self.bps == 0) {
                self.again_at = (bps == 0).then_some(now);
                if bps > 0 {
                    say(pause(0));
                }
            }
            self.bps = bps;
            changed = Some(if bps == 0 && self.says_pfc { self.port_bps } else { bps });
        }
        if self.again_at == Some(now) {
            say(pause(u16::MAX));
            self.said[1] += 1;
            // Half of what was asked for: quanta of 512 bits.
            let bits = u128::from(u16::MAX) * u128::from(pfc::QUANTUM_BITS) / 2;
            self.again_at = Some(now + (bits * u128::from(self.clock_hz) / u128::from(self.port_bps)) as u64);
        }
        if self.cnp_cycles > 0 && self.bps < self.port_bps && now >= self.cnp_at {
            self.cnp_at = now + self.cnp_cycles;
            let pair = &self.pairs[self.turn % self.pairs.len()];
            say(frame::cnp(pair.far, pair.near));
            self.said[0] += 1;
            self.turn += 1;
        }
        changed
    }
}

/// PFC for the lossless class: so many quanta, 0 lets go.
fn pause(quanta: u16) -> Vec<u8> {
    let mut times = [0; pfc::CLASSES];
    times[LOSSLESS_CLASS] = quanta;
    let mut frame = vec![0; pfc::BYTES];
    Pfc::new(PFC_SOURCE, 1 << LOSSLESS_CLASS, times).emit(&mut frame);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;
    use matchrdma_spec::wire::opcode;
    use matchrdma_spec::wire::packet::parse_frame;

    fn scenario(destination: &str) -> Scenario {
        let text = format!(
            "name = \"x\"\nclock_hz = 250_000_000\nround_trips = 10\nslot_log2_cycles = 10\n\
             [client]\nrate_gbps = 100.0\none_way_delay_us = 0.3\n[line]\nrate_gbps = 100.0\none_way_delay_us = 20.0\n\
             [[sender]]\nqueue_pairs = 2\nwindow_kib = 64\nmessage_kib = 16\nmtu_bytes = 4096\n\
             messages_in_flight = 16\nack_timeout_ms = 67.0\n\
             [[path]]\nprefixes = [\"10.2.0.0/16\"]\nbudget_gbps = 95.0\n[destination]\n{destination}\n"
        );
        toml::from_str(&text).expect("a scenario")
    }

    #[test]
    fn a_drain_that_stops_says_so_again_and_again_and_then_lets_go() {
        let s = scenario("drain = \"swing:0.0:100\"\nsays_pfc = true");
        let mut d = DataCentre::new(&s, &s.pairs());
        let (trip, mut said) = (s.round_trip_cycles(), vec![]);
        d.plan(0, 200 * trip);
        for now in 0..=100 * trip {
            let rate = d.cycle(now, &mut |frame| said.push((now, Pfc::parse(&frame).expect("PFC").times()[3])));
            assert!(rate.is_none_or(|rate| rate == 100_000_000_000), "the wire goes on");
            assert_eq!(d.bps() == 0, (50 * trip..100 * trip).contains(&now), "{now}");
        }
        // 65,535 quanta of 512 bits at 400 bits a cycle: 83,884 cycles, and half of that.
        assert_eq!(said[..2], [(50 * trip, u16::MAX), (50 * trip + 41_942, u16::MAX)]);
        assert_eq!(said.last(), Some(&(100 * trip, 0)));
        assert_eq!(said.len() as u64, d.said[1] + 1);
    }

    #[test]
    fn a_drain_below_the_port_is_complained_about_to_one_after_the_other() {
        let s = scenario("drain = \"step:0.5\"\ncnp_every_us = 4.0");
        let mut d = DataCentre::new(&s, &s.pairs());
        let mut said = vec![];
        d.plan(0, 50_000);
        (0..50_000).for_each(|now| {
            d.cycle(now, &mut |frame| said.push((now, parse_frame(&frame))));
        });
        let own: Vec<_> = said.iter().map(|(now, m)| (*now, m.opcode, m.dest_qpn)).collect();
        assert_eq!(
            own[..3],
            [(10_000, opcode::CNP, 0x100), (11_000, opcode::CNP, 0x101), (12_000, opcode::CNP, 0x100)]
        );
        assert_eq!((own.len(), d.said), (40, [40, 0]));
    }
}
