//! Where the data goes: the line's end, the gateway, and a data centre that drains as the scenario says.

use super::data_centre::DataCentre;
use super::far::{Far, Told};
use super::{Clock, Port};
use crate::engine::Gateway;
use crate::host::Responder;
use crate::link::{Fibre, Receiver, Sender, Wire};
use crate::scenario::{Pair, Scenario, Scheme};
use crate::waiting::Waiting;
use matchrdma_spec::params::OVERHEAD_BYTES;
use matchrdma_spec::wire::packet::parse_frame;

/// A responder and what the record needs of it.
pub struct Receiving {
    /// The queue pair.
    pub responder: Responder,
    /// Its class in the record.
    pub class: usize,
    /// Placed when counting began.
    pub before: u64,
    /// Cycle of the newest packet in order.
    pub placed_at: u64,
}

/// The destination, but for its gateway.
pub struct Destination {
    /// By queue pair.
    pub receiving: Vec<Receiving>,
    /// What waits in the gateway, by class of the record.
    pub waits: Vec<Waiting>,
    /// Bits that left for the data centre while it counts; those that could have left, times cycles per second.
    drained_bits: u64,
    drainable_hz_bits: u64,
    /// Behind the gateway.
    pub data_centre: DataCentre,
    /// Towards the sources.
    pub port: Port,
    clock_hz: u64,
    first_qpn: u32,
    clock: Clock,
    line_in: Sender,
    line_out: Receiver,
    out: Receiver,
    up: Sender,
    wire_down: Fibre,
    wire_up: Fibre,
    far: Option<Far>,
    /// Classes of the record that each source has.
    paths: usize,
    sources: usize,
}

impl Destination {
    /// With its queue pairs and the classes they are of.
    pub fn new(s: &Scenario, kind: Scheme, pairs: &[Pair], classes: &[usize]) -> Self {
        let clock = Clock::new(s.destination.hz(s.clock_hz), s.clock_hz);
        let client_bps = (s.client.rate_gbps * 1e9) as u64;
        let line_bps = (s.line.rate_gbps * 1e9) as u64;
        // Several lines end here: a frame waits for those before it only as long as the bus takes.
        let into_bps = if s.source_count() > 1 { clock.hz() * 512 } else { line_bps };
        let client = || Wire::new(client_bps, clock.hz());
        let fibre = || Fibre::new(s.cycles(s.client.one_way_delay_us));
        let receiving = pairs.iter().zip(classes).map(|(p, &class)| Receiving {
            responder: Responder::new(p.far, p.near, p.first_psn),
            class,
            before: 0,
            placed_at: 0,
        });
        Destination {
            receiving: receiving.collect(),
            waits: vec![Waiting::default(); s.classes()],
            drained_bits: 0,
            drainable_hz_bits: 0,
            data_centre: DataCentre::new(s, pairs),
            port: Port::default(),
            clock_hz: s.clock_hz,
            first_qpn: pairs[0].far.qpn,
            line_in: Sender::new(Wire::new(into_bps, clock.hz())),
            line_out: Receiver::new(Wire::new(line_bps, clock.hz())),
            out: Receiver::new(client()),
            up: Sender::new(client()),
            wire_down: fibre(),
            wire_up: fibre(),
            far: Far::new(s, kind),
            paths: s.paths.len(),
            sources: s.source_count(),
            clock,
        }
    }

    /// The queue pair that a request is for.
    pub fn pair(&self, frame: &[u8]) -> Option<usize> {
        let i = parse_frame(frame).dest_qpn.wrapping_sub(self.first_qpn) as usize;
        (i < self.receiving.len()).then_some(i)
    }

    fn class(&self, frame: &[u8]) -> usize {
        self.pair(frame).map_or(self.waits.len() - 1, |i| self.receiving[i].class)
    }

    /// A frame at the line's end.
    pub fn arrives(&mut self, frame: &[u8]) {
        let class = self.class(frame);
        self.waits[class].enter(frame);
        self.line_in.send(frame);
    }

    /// One cycle of the data centre; `placed` hears of payload placed in order: class, bytes.
    pub fn wires(&mut self, placed: &mut dyn FnMut(usize, u64), now: u64) {
        let wire_up = &mut self.wire_up;
        if let Some(bps) = self.data_centre.cycle(now, &mut |frame| wire_up.enter(frame, now)) {
            self.out.set_rate(bps);
        }
        self.drainable_hz_bits += self.data_centre.bps();
        while let Some(f) = self.wire_down.leave(now) {
            let Some(i) = self.pair(&f) else { continue };
            let r = &mut self.receiving[i];
            let before = r.responder.placed_bytes;
            let answer = r.responder.receive(&f).flatten();
            if r.responder.placed_bytes > before {
                r.placed_at = now;
                placed(r.class, r.responder.placed_bytes - before);
            }
            if let Some(a) = answer {
                self.wire_up.enter(a, now);
            }
        }
        while let Some(f) = self.wire_up.leave(now) {
            self.up.send(&f);
        }
    }

    /// The gateway, for as many of its cycles as one cycle of the run has. Gives the frames that leave for the line.
    pub fn gateway(&mut self, gateway: &mut dyn Gateway, now: u64) -> Vec<Vec<u8>> {
        let mut back = vec![];
        for _ in 0..self.clock.ticks() {
            let (down, up) = (self.line_in.cycle(), self.up.cycle());
            let t = gateway.tick(up.as_ref(), down.as_ref(), self.out.ready(), self.line_out.ready());
            if let Some(f) = self.out.cycle(t.client_tx.as_ref()) {
                let class = self.class(&f);
                self.waits[class].leave(&f);
                self.drained_bits += (f.len() as u64 + u64::from(OVERHEAD_BYTES)) * 8;
                self.wire_down.enter(f, now);
            }
            back.extend(self.line_out.cycle(t.line_tx.as_ref()).inspect(|f| self.port.left(f)));
        }
        back
    }

    /// What the destination of a baseline says to its sources now, and to which.
    pub fn says(&mut self, now: u64) -> Vec<(usize, Told)> {
        let Some(far) = &mut self.far else { return vec![] };
        let mut waits: Vec<u64> =
            self.waits.chunks(self.paths).map(|of_one| of_one.iter().map(Waiting::bytes).sum()).collect();
        // What takes no path stands behind the others.
        let rest: u64 = waits.drain(self.sources..).sum();
        waits[0] += rest;
        far.look(&waits, now)
    }

    /// What left so far counts no more.
    pub fn begin(&mut self) {
        (self.drained_bits, self.drainable_hz_bits) = (0, 0);
        self.receiving.iter_mut().for_each(|r| r.before = r.responder.placed_bytes);
    }

    /// From cycle `from` on it drains as the scenario says, for so many cycles. Gives from which cycle on at which rate.
    pub fn plan(&mut self, from: u64, cycles: u64) -> Vec<(u64, u64)> {
        self.data_centre.plan(from, cycles)
    }

    /// What left, of what could have.
    pub fn utilisation(&self) -> f64 {
        self.drained_bits as f64 / (self.drainable_hz_bits as f64 / self.clock_hz as f64).max(1.0)
    }
}
