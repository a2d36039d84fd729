//! One run of the network simulator: a scheme, its path, its senders, its drain; and what is measured.

use super::drain::{bytes_between, Drain, Rates};
use super::gateway::{Calendar, Gateway, GatewayCfg, Sink};
use super::host::{Host, SenderCfg};
use super::link::Link as Cable;
use super::load::{Fluid, Load, Posts};
use super::packet::{Ps, DATA_OVERHEAD, SECOND};
use super::rng::Stream;
use super::scheme::{Link, Scheme};
use super::world::{Flow, Node, World};
use crate::dcqcn::DcqcnCfg;
use matchrdma_spec::params::CLOCK_HZ_250;
use serde::Serialize;

/// Streams of the sources' loads, behind those of the gateways.
const LOADS: u64 = 1 << 32;
/// Stream of what the destination drains; those of the gateways are their nodes' and one.
const DRAIN: u64 = 0;
/// Stream of when the sources' slots begin.
const PHASES: u64 = 1 << 33;

/// One microsecond.
pub const US: Ps = 1_000_000;

/// A data centre that sends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source {
    /// Weight of its path.
    pub weight: u8,
    /// One way to the destination.
    pub delay: Ps,
    /// Queue pairs.
    pub queue_pairs: u32,
}

/// What is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Who controls.
    pub scheme: Scheme,
    /// Of all randomness.
    pub seed: u64,
    /// Rate of the lines and of the hosts' ports, bits per second.
    pub line_bps: u64,
    /// Rate of the destination's client port, bits per second.
    pub client_bps: u64,
    /// One way between a host and its gateway.
    pub client_delay: Ps,
    /// Slot.
    pub slot: Ps,
    /// log2 of the slots over which the law forgets the peak of what drains, when it is not the default.
    pub leak: Option<u32>,
    /// Who sends.
    pub sources: Vec<Source>,
    /// How each queue pair sends.
    pub sender: SenderCfg,
    /// With DCQCN at the sender.
    pub dcqcn: bool,
    /// What the queue pairs of each source have to send.
    pub load: Load,
    /// Part of the budget frames that is lost.
    pub budget_loss: f64,
    /// Slots by which the others may be late.
    pub budget_late: u64,
    /// How the destination drains.
    pub drain: Drain,
    /// Its buffer, bytes.
    pub capacity: u64,
    /// Longest round trips before counting begins.
    pub warm_round_trips: u64,
    /// Longest round trips that are counted.
    pub round_trips: u64,
}

/// What waited at the destination, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Occupancy {
    /// Most.
    pub peak: u64,
    /// On average over time.
    pub mean: f64,
    /// Not exceeded in 99 of 100 samples.
    pub p99: u64,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Payload placed in order.
    pub goodput_bps: f64,
    /// Of what the destination could have drained.
    pub drain_utilisation: f64,
    /// What waited at the destination.
    pub occupancy_bytes: Occupancy,
    /// One round trip of the longest path at line rate.
    pub bdp_bytes: u64,
    /// What no law can avoid at a step of the drain without notice; 0 for other patterns.
    pub floor_bytes: u64,
    /// One slot at line rate.
    pub slot_bytes: u64,
    /// What an ideal law would let wait on average, of a single source that does not always have something.
    pub ideal_bytes: Option<f64>,
    /// Packets that found no room.
    pub dropped_frames: u64,
    /// Of the line, towards each source.
    pub budget_overhead: f64,
    /// Packets sent again.
    pub repeated_frames: u64,
    /// Retransmission timers that ran out.
    pub timeouts: u64,
    /// CNPs that reached senders.
    pub cnps: u64,
    /// Most that waited at a source.
    pub near_peak_bytes: u64,
    /// Share of each source in what was drained.
    pub shares: Vec<f64>,
    /// Simulated.
    pub seconds: f64,
    /// Packets that came over a link, in the whole run.
    pub packet_hops: u64,
}

/// A stretch of a run that is looked at closely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Its beginning.
    pub from: Ps,
    /// Between two looks.
    pub every: Ps,
    /// How many.
    pub looks: u64,
}

impl Window {
    /// From round trip `from` on, `length` of them.
    pub fn of_round_trips(from: f64, length: f64, rtt: Ps) -> Self {
        const LOOKS: u64 = 400;
        let ps = |trips: f64| (trips * rtt as f64) as Ps;
        Window { from: ps(from), every: (ps(length) / LOOKS).max(1), looks: LOOKS }
    }
}

impl Point {
    /// The longest round trip between gateways.
    pub fn rtt(&self) -> Ps {
        2 * self.sources.iter().map(|s| s.delay).max().unwrap_or(0)
    }

    /// Slot that suits a delay: long paths the default, short ones at least 24 slots in a round trip.
    pub fn slot_for(delay: Ps) -> Ps {
        let k = match delay / US {
            0..=150 => 11,
            151..=350 => 12,
            351..=750 => 12,
            751..=1500 => 13,
            _ => 15,
        };
        Self::slot_of(k)
    }

    /// `2^k` cycles of a core of 250 MHz.
    pub fn slot_of(k: u32) -> Ps {
        (SECOND / CLOCK_HZ_250) << k
    }

    fn link(&self) -> Link {
        Link {
            bytes_per_second: self.client_bps as f64 / 8.0,
            rtt: self.rtt(),
            slot: self.slot,
            paths: self.sources.len() as u64,
            leak: self.leak,
        }
    }

    /// What the destination's client port drains.
    fn rates(&self, from: Ps, until: Ps) -> Rates {
        self.drain.rates(self.client_bps, from, until, self.rtt(), self.slot, Stream::new(self.seed, DRAIN))
    }

    /// Hosts and gateways of the sources, then gateway and host of the destination.
    fn build(&self, from: Ps, until: Ps) -> World {
        let mut w = World::default();
        let n = self.sources.len() as u32;
        let (sink, receiver) = (2 * n, 2 * n + 1);
        let mut random = Stream::new(self.seed, PHASES);
        let link = self.link();
        let cable = |w: &mut World, a, b, bps, delay| {
            w.net.links.push(Cable::new(a, b, bps, delay));
            w.net.links.push(Cable::new(b, a, bps, delay));
            w.net.links.len() as u32 - 2
        };
        let far = cable(&mut w, (sink, 0), (receiver, 0), self.client_bps, self.client_delay);
        w.net.links[far as usize].tells = true;
        w.net.links[far as usize].rates = Some(self.rates(from, until));
        let gateway = |me: u32, phase, client, silent: bool| {
            let mut cfg = GatewayCfg {
                slot: self.slot,
                phase,
                source: self.scheme.source(&link),
                sink: self.scheme.sink(&link, self.capacity),
                sample: self.slot / 4,
                loss: self.budget_loss,
                late: self.budget_late,
            };
            if silent {
                cfg.sink.law = super::gateway::SinkLaw::None;
            }
            Gateway::new(me, cfg, client, Stream::new(self.seed, u64::from(me) + 1))
        };
        let mut destination = gateway(sink, 0, (far + 1, far), false);
        destination.path_to = vec![u32::MAX; 2 * n as usize + 2];
        if self.scheme == Scheme::MatchrdmaCalendar {
            destination.sink.calendar = Some(Calendar::new(self.rates(from, until), 0, self.slot));
        }
        let mut receiving = Host::new(receiver, far + 1);
        let rate = self.dcqcn.then(|| DcqcnCfg::published(self.line_bps as f64));
        for (i, s) in (0u32..).zip(&self.sources) {
            let near = cable(&mut w, (2 * i, 0), (2 * i + 1, 0), self.line_bps, self.client_delay);
            let line = cable(&mut w, (2 * i + 1, 1), (sink, i as u16 + 1), self.line_bps, s.delay);
            for pulled in [near, line, line + 1] {
                w.net.links[pulled as usize].pulls = true;
            }
            let mut host = Host::new(2 * i, near);
            host.post(self.posts(i, until));
            let posted = (self.load != Load::Full).then_some(0);
            for _ in 0..s.queue_pairs {
                let flow = w.net.flows.len() as u32;
                w.net.flows.push(Flow { from: 2 * i, to: receiver });
                host.add_requester(flow, self.sender, posted, rate);
                receiving.add_responder(flow);
            }
            let phase = random.below(self.slot);
            let mut source = gateway(2 * i + 1, phase, (near, near + 1), true);
            source.path_to = vec![u32::MAX; 2 * n as usize + 2];
            source.path_to[receiver as usize] = 0;
            source.add_path(line, 1);
            destination.path_to[2 * i as usize] = i;
            destination.add_path(line + 1, s.weight);
            w.nodes.push(Node::Host(host));
            w.nodes.push(Node::Gateway(Box::new(source)));
        }
        w.nodes.push(Node::Gateway(Box::new(destination)));
        w.nodes.push(Node::Host(receiving));
        w.start();
        w
    }

    /// Runs it. In each window `looked` hears its name, how many round trips have passed and what waits at the destination, BDP.
    pub fn run(&self, windows: &[(usize, Window)], looked: &mut dyn FnMut(usize, f64, f64)) -> Outcome {
        let (from, until) = self.counted();
        self.play(&mut self.build(from, until), windows, looked)
    }

    /// Runs it; gives also the budgets of path 0, slot by slot, bytes per slot.
    pub fn budgets(&self) -> (Outcome, Vec<u64>) {
        let (from, until) = self.counted();
        let (mut w, node) = (self.build(from, until), 2 * self.sources.len());
        sink(&mut w, node).granted = Some(vec![]);
        let outcome = self.play(&mut w, &[], &mut |_, _, _| {});
        (outcome, sink(&mut w, node).granted.take().unwrap_or_default())
    }

    /// Its destination by itself, with no path yet.
    pub fn destination(&self) -> Sink {
        Sink::new(0, self.scheme.sink(&self.link(), self.capacity), (0, 0), Stream::new(self.seed, 1))
    }

    /// From when to when it counts.
    fn counted(&self) -> (Ps, Ps) {
        let rtt = self.rtt() + 4 * self.client_delay;
        let from = self.warm_round_trips * rtt;
        (from, from + self.round_trips * rtt)
    }

    fn play(&self, w: &mut World, windows: &[(usize, Window)], looked: &mut dyn FnMut(usize, f64, f64)) -> Outcome {
        let (from, until) = self.counted();
        let looks = |(name, w): &(usize, Window)| {
            let (name, w) = (*name, *w);
            (0..w.looks).map(move |n| (w.from + n * w.every, Some(name)))
        };
        let mut stops: Vec<(Ps, Option<usize>)> =
            windows.iter().flat_map(looks).filter(|(at, _)| *at < until).collect();
        stops.push((from, None));
        stops.sort_unstable();
        let (node, bdp) = (2 * self.sources.len(), self.link().bdp() as f64);
        let mut counted = 0;
        for (at, name) in stops {
            w.run(at);
            match name {
                Some(name) => looked(name, at as f64 / self.rtt() as f64, sink(w, node).occupancy() as f64 / bdp),
                None => {
                    counted = placed(w, node + 1);
                    sink(w, node).count_from(from);
                }
            }
        }
        w.run(until);
        self.outcome(w, from, until, counted)
    }

    fn outcome(&self, w: &mut World, from: Ps, until: Ps, counted: u64) -> Outcome {
        let n = self.sources.len();
        let seconds = (until - from) as f64 / SECOND as f64;
        let link = self.link();
        let placed = placed(w, 2 * n + 1) - counted;
        let mut out = Outcome {
            goodput_bps: placed as f64 * 8.0 / seconds,
            drain_utilisation: 0.0,
            occupancy_bytes: Occupancy { peak: 0, mean: 0.0, p99: 0 },
            bdp_bytes: link.bdp(),
            floor_bytes: match self.drain {
                Drain::Step(to) | Drain::Swing(to, _) => ((1.0 - to) * link.bdp() as f64) as u64,
                _ => 0,
            },
            slot_bytes: link.slot_bytes(),
            ideal_bytes: (n == 1 && self.load != Load::Full).then(|| self.ideal(from, until)),
            dropped_frames: 0,
            budget_overhead: 0.0,
            repeated_frames: 0,
            timeouts: 0,
            cnps: 0,
            near_peak_bytes: 0,
            shares: vec![],
            seconds: until as f64 / SECOND as f64,
            packet_hops: w.net.hops,
        };
        if !matches!(self.scheme, Scheme::Conventional | Scheme::Themis | Scheme::PseudoAck | Scheme::PseudoAckPfc) {
            let frames = 1e12 / self.slot as f64;
            out.budget_overhead = frames * f64::from(super::packet::MAIL_BYTES) * 8.0 / self.line_bps as f64;
        }
        for i in 0..n {
            if let Node::Host(h) = &w.nodes[2 * i] {
                for r in h.requesters() {
                    out.repeated_frames += r.repeated;
                    out.timeouts += r.timeouts;
                    out.cnps += r.notified;
                }
            }
            if let Node::Gateway(g) = &w.nodes[2 * i + 1] {
                out.near_peak_bytes = out.near_peak_bytes.max(g.paths[0].held_peak);
            }
        }
        let s = sink(w, 2 * n);
        out.drain_utilisation = s.drained_total as f64 / bytes_between(self.rates(from, until), from, until);
        out.occupancy_bytes = Occupancy { peak: s.peak, mean: s.mean(until), p99: s.quantile(990) };
        out.dropped_frames = s.dropped;
        out.shares = s.drained_of[..n].iter().map(|b| *b as f64 / s.drained_total.max(1) as f64).collect();
        out
    }

    /// Bytes of a message on the wire.
    fn message_bytes(&self) -> u64 {
        let packets = self.sender.message_bytes.div_ceil(self.sender.mtu_bytes.into());
        self.sender.message_bytes + packets * u64::from(DATA_OVERHEAD)
    }

    /// Messages that source `i` posts.
    fn posts(&self, i: u32, until: Ps) -> Posts {
        let random = Stream::new(self.seed, LOADS + u64::from(i));
        let (bytes, pairs) = (self.message_bytes(), self.sources[i as usize].queue_pairs);
        self.load.posts(self.line_bps, bytes, pairs, until, self.rtt(), random)
    }

    fn ideal(&self, from: Ps, until: Ps) -> f64 {
        let (bytes, drain) = (self.message_bytes(), self.rates(from, until));
        let posts = self.posts(0, until).map(|p| (p.0, bytes));
        Fluid { posts, drain, line_bps: self.line_bps, rtt: self.rtt(), from, until }.ideal()
    }

    /// Goodput that window and rate allow a sender without a gateway, bits per second: `min(C, n W / RTT)`.
    pub fn closed_form_bps(&self) -> f64 {
        let mtu = f64::from(self.sender.mtu_bytes);
        let most = self.client_bps.min(self.line_bps) as f64 * mtu / (mtu + f64::from(DATA_OVERHEAD));
        let rtt = (self.rtt() + 4 * self.client_delay) as f64 / SECOND as f64;
        let pairs: u32 = self.sources.iter().map(|s| s.queue_pairs).sum();
        let in_flight =
            self.sender.window_bytes.min(self.sender.messages_in_flight.saturating_mul(self.sender.message_bytes));
        most.min(f64::from(pairs) * in_flight as f64 * 8.0 / rtt)
    }
}

fn placed(w: &World, node: usize) -> u64 {
    match &w.nodes[node] {
        Node::Host(h) => h.responders().iter().map(|r| r.placed_bytes).sum(),
        _ => 0,
    }
}

fn sink(w: &mut World, node: usize) -> &mut Sink {
    match &mut w.nodes[node] {
        Node::Gateway(g) => &mut g.sink,
        _ => unreachable!("the destination is a gateway"),
    }
}

#[cfg(test)]
#[path = "point_tests.rs"]
mod tests;
