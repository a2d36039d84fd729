//! One run of training: two data centres, a gateway of each in both roles, and what is measured.

use super::{Iteration, Training};
use crate::dcqcn::DcqcnCfg;
use crate::net::drain::Drain;
use crate::net::gateway::{Calendar, Gateway, GatewayCfg};
use crate::net::host::{Host, SenderCfg};
use crate::net::link::Link as Cable;
use crate::net::packet::{Ps, SECOND};
use crate::net::pipeline::Pipeline;
use crate::net::point::Occupancy;
use crate::net::rng::Stream;
use crate::net::scheme::{Link, Scheme};
use crate::net::world::{Flow, Node, World};

/// Stream of what the first side drains; the other's is the next.
const DRAINS: u64 = 1 << 32;

/// What is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Who controls.
    pub scheme: Scheme,
    /// Of all randomness.
    pub seed: u64,
    /// Rate of the line and of every port, bits per second.
    pub bps: u64,
    /// One way over the line.
    pub delay: Ps,
    /// One way between a host and its gateway.
    pub client_delay: Ps,
    /// Slot.
    pub slot: Ps,
    /// How the port of each data centre drains.
    pub drain: Drain,
    /// Buffer of each gateway, bytes.
    pub capacity: u64,
    /// How each queue pair sends; the messages are those of the training.
    pub sender: SenderCfg,
    /// With DCQCN.
    pub dcqcn: bool,
    /// Schedule of each pipeline.
    pub pipeline: Pipeline,
    /// Pipelines alike.
    pub pipelines: usize,
    /// An activation, a gradient, bytes.
    pub message_bytes: u64,
    /// What each pipeline sends each way at the end of an iteration, bytes; 0: nothing.
    pub burst_bytes: u64,
    /// Iterations that are counted, behind one that is not.
    pub iterations: usize,
    /// A run that is not done by then is given up.
    pub horizon: Ps,
}

/// What a data centre had waiting in front of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// Bytes.
    pub occupancy: Occupancy,
    /// Packets that found no room.
    pub dropped: u64,
    /// Most that waited in its gateway for the line, bytes.
    pub near_peak: u64,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Iterations that were counted and ended.
    pub iterations: Vec<Iteration>,
    /// Part of the time to the last backward in which a stage does nothing, on average.
    pub bubble: f64,
    /// Payload placed, both ways.
    pub goodput_bps: f64,
    /// The first data centre, and the second.
    pub sides: [Side; 2],
    /// Packets sent again.
    pub repeated: u64,
    /// Retransmission timers that ran out.
    pub timeouts: u64,
    /// CNPs that reached senders.
    pub cnps: u64,
    /// One round trip at line rate, bytes.
    pub bdp: u64,
}

/// Nodes.
const HOST: [usize; 2] = [0, 3];
const GATEWAY: [usize; 2] = [1, 2];
const TRAINING: usize = 4;
/// What is looked at so often: whether an iteration is over.
const LOOK: Ps = 50_000_000;

impl Plan {
    fn rtt(&self) -> Ps {
        2 * self.delay
    }

    fn link(&self) -> Link {
        Link { bytes_per_second: self.bps as f64 / 8.0, rtt: self.rtt(), slot: self.slot, paths: 1, leak: None }
    }

    fn gateway(&self, side: usize, phase: Ps, client: (u32, u32), line_out: u32) -> Gateway {
        let link = self.link();
        let cfg = GatewayCfg {
            slot: self.slot,
            phase,
            source: self.scheme.source(&link),
            sink: self.scheme.sink(&link, self.capacity),
            sample: self.slot / 4,
            loss: 0.0,
            late: 0,
        };
        let me = GATEWAY[side];
        let mut g = Gateway::new(me as u32, cfg, client, Stream::new(self.seed, me as u64 + 1));
        g.path_to = vec![u32::MAX; HOST[1] + 1];
        g.path_to[HOST[1 - side]] = 0;
        g.add_path(line_out, 1);
        g
    }

    fn build(&self) -> World {
        let mut w = World::default();
        let mut random = Stream::new(self.seed, 0);
        let phases = [0, random.below(self.slot)];
        let cable = |w: &mut World, a: (usize, u16), b: (usize, u16), delay| {
            let (a, b) = ((a.0 as u32, a.1), (b.0 as u32, b.1));
            w.net.links.push(Cable::new(a, b, self.bps, delay));
            w.net.links.push(Cable::new(b, a, self.bps, delay));
            w.net.links.len() as u32 - 2
        };
        let client = [0, 1].map(|s| cable(&mut w, (HOST[s], 0), (GATEWAY[s], 0), self.client_delay));
        let line = cable(&mut w, (GATEWAY[0], 1), (GATEWAY[1], 1), self.delay);
        for pulled in [client[0], client[1], line, line + 1] {
            w.net.links[pulled as usize].pulls = true;
        }
        let bursts = self.burst_bytes > 0;
        let flows = Training::flows(bursts);
        let mut hosts = [0, 1].map(|s| Host::new(HOST[s] as u32, client[s]));
        let mut packets = [vec![], vec![]];
        for flow in 0..self.pipelines as u32 * flows {
            let (from, kind) = ((flow % 2) as usize, flow % flows);
            w.net.flows.push(Flow { from: HOST[from] as u32, to: HOST[1 - from] as u32 });
            let message_bytes = if kind < 2 { self.message_bytes } else { self.burst_bytes };
            let rate = self.dcqcn.then(|| DcqcnCfg::published(self.bps as f64));
            hosts[from].add_requester(flow, SenderCfg { message_bytes, ..self.sender }, Some(0), rate);
            hosts[1 - from].add_responder(flow);
            packets[1 - from].push(message_bytes.div_ceil(self.sender.mtu_bytes.into()));
        }
        let gateways = [0, 1].map(|s| {
            let (out, phase) = (client[s] as usize + 1, phases[s]);
            let random = Stream::new(self.seed, DRAINS + s as u64);
            let rates = self.drain.rates(self.bps, 0, self.horizon, self.rtt(), self.slot, random);
            let mut g = self.gateway(s, phase, (client[s], client[s] + 1), line + s as u32);
            if self.scheme == Scheme::MatchrdmaCalendar {
                g.sink.calendar = Some(Calendar::new(rates.clone(), phase, self.slot));
            }
            w.net.links[out].tells = true;
            w.net.links[out].rates = Some(rates);
            g
        });
        for (host, packets) in hosts.iter_mut().zip(&packets) {
            host.used_by(TRAINING as u32, packets);
        }
        let users = HOST.map(|h| h as u32);
        let training = Training::new(TRAINING as u32, users, self.pipeline.clone(), self.pipelines, bursts);
        let ([host_a, host_b], [a, b]) = (hosts, gateways);
        w.nodes = vec![
            Node::Host(host_a),
            Node::Gateway(Box::new(a)),
            Node::Gateway(Box::new(b)),
            Node::Host(host_b),
            Node::Training(Box::new(training)),
        ];
        w.start();
        w
    }

    /// Runs until the iterations are over, or up to the horizon.
    pub fn run(&self) -> Outcome {
        let mut w = self.build();
        let (mut at, mut counted) = (0, None);
        while at < self.horizon && ended(&w).len() <= self.iterations {
            at += LOOK;
            w.run(at);
            if counted.is_none() && !ended(&w).is_empty() {
                counted = Some((at, placed(&w)));
                GATEWAY.into_iter().for_each(|g| gateway(&mut w, g).sink.count_from(at));
            }
        }
        self.outcome(&mut w, at, counted.unwrap_or((0, 0)))
    }

    fn outcome(&self, w: &mut World, at: Ps, (from, before): (Ps, u64)) -> Outcome {
        let iterations: Vec<Iteration> = ended(w).iter().skip(1).copied().collect();
        let p = &self.pipeline;
        let busy = p.micro_batches as u64 * (p.forward + p.backward) * (iterations.len() * self.pipelines) as u64;
        let computing: Ps = iterations.iter().map(|i| i.computing).sum();
        let placed = placed(w) - before;
        let sides = GATEWAY.map(|g| {
            let g = gateway(w, g);
            let s = &g.sink;
            Side {
                occupancy: Occupancy { peak: s.peak, mean: s.mean(at), p99: s.quantile(990) },
                dropped: s.dropped,
                near_peak: g.paths[0].held_peak,
            }
        });
        let requesters = || hosts(w).flat_map(|h| h.requesters());
        Outcome {
            bubble: 1.0 - busy as f64 / computing.max(1) as f64,
            iterations,
            goodput_bps: placed as f64 * 8.0 * SECOND as f64 / (at - from).max(1) as f64,
            sides,
            repeated: requesters().map(|r| r.repeated).sum(),
            timeouts: requesters().map(|r| r.timeouts).sum(),
            cnps: requesters().map(|r| r.notified).sum(),
            bdp: self.link().bdp(),
        }
    }
}

fn hosts(w: &World) -> impl Iterator<Item = &Host> {
    w.nodes.iter().filter_map(|n| if let Node::Host(h) = n { Some(h) } else { None })
}

fn placed(w: &World) -> u64 {
    hosts(w).flat_map(|h| h.responders()).map(|r| r.placed_bytes).sum()
}

fn ended(w: &World) -> &[Iteration] {
    match &w.nodes[TRAINING] {
        Node::Training(t) => &t.iterations,
        _ => unreachable!("the training is behind the hosts and gateways"),
    }
}

fn gateway(w: &mut World, node: usize) -> &mut Gateway {
    match &mut w.nodes[node] {
        Node::Gateway(g) => g,
        _ => unreachable!("gateways are between the hosts"),
    }
}
