//! A gateway at an OTN port, or whatever stands there in another scheme. Both roles at once: a source towards each
//! path, a destination for each.
//!
//! Port 0 is the client's; port 1 + i is path i. The arithmetic of budgets is `model`'s.

mod calendar;
mod recirculate;
mod sink;
mod source;

pub use calendar::Calendar;
pub use recirculate::Recirculation;
pub use sink::{bifrost, Sink, SinkCfg, SinkLaw};
pub use source::{Acks, Path, SourceCfg};

use super::packet::{Kind, Packet, Ps};
use super::rng::Stream;
use super::world::Net;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What gateways say to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mail {
    /// Nothing: a place that is free.
    #[default]
    Nothing,
    /// Source to destination, behind all it has released.
    Report {
        /// Newest slot of the destination that it had applied.
        echo: u64,
        /// Bytes that wait.
        waiting: u64,
    },
    /// Destination to source.
    Budget {
        /// Slot of the destination.
        slot: u64,
        /// Bytes per slot.
        grant: u64,
        /// Total that may ever be sent; `u64::MAX`: no limit.
        limit: u64,
    },
    /// Destination to source: hold everything, or go on (PFC carried over the line).
    Hold {
        /// Hold.
        on: bool,
    },
}

/// What a gateway does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GatewayCfg {
    /// Slot.
    pub slot: Ps,
    /// When its slots begin, within a slot.
    pub phase: Ps,
    /// As a source.
    pub source: SourceCfg,
    /// As a destination.
    pub sink: SinkCfg,
    /// Occupancy is sampled so often.
    pub sample: Ps,
    /// Part of its budget frames that is lost on the way.
    pub loss: f64,
    /// Slots by which the others may be late.
    pub late: u64,
}

/// The node.
#[derive(Debug)]
pub struct Gateway {
    me: u32,
    cfg: GatewayCfg,
    /// Path towards each node of the network that is a remote host; `u32::MAX`: none.
    pub path_to: Vec<u32>,
    /// As a source, per path.
    pub paths: Vec<Path>,
    /// As a destination.
    pub sink: Sink,
    random: Stream,
    /// Budgets that are late: when they go, in which order they were made, on which line.
    late: BinaryHeap<Reverse<(Ps, u64, u32, Mail)>>,
    made: u64,
}

/// Timer tags.
const SLOT: u32 = 0;
const SAMPLE: u32 = 1;
const LOOP: u32 = 2;
const LATE: u32 = 3;
/// Tag of path i's pacer: this and i.
const PACER: u32 = 16;

impl Gateway {
    /// A gateway with its client's links: the one in, the one out.
    pub fn new(me: u32, cfg: GatewayCfg, client: (u32, u32), random: Stream) -> Self {
        let sink = Sink::new(me, cfg.sink, client, random.clone());
        let (path_to, paths) = (vec![], vec![]);
        Gateway { me, cfg, path_to, paths, sink, random, late: BinaryHeap::new(), made: 0 }
    }

    /// Adds a path whose link out is `line_out`; gives the port of what comes in.
    pub fn add_path(&mut self, line_out: u32, weight: u8) -> u16 {
        self.paths.push(Path::new(self.cfg.source, self.cfg.slot, line_out));
        self.sink.add_path(weight);
        self.paths.len() as u16
    }

    /// The run begins.
    pub fn start(&mut self, net: &mut Net) {
        net.timer(self.me, SLOT, self.cfg.phase + self.cfg.slot);
        net.timer(self.me, SAMPLE, self.cfg.sample);
    }

    /// A packet came in.
    pub fn arrive(&mut self, net: &mut Net, port: u16, packet: Packet) {
        if port == 0 {
            let path = self.path_to[net.destination(&packet) as usize] as usize;
            if packet.kind == Kind::Data {
                let client_in = self.sink.client_in;
                self.paths[path].offer(net, packet, client_in, self.sink.client_out);
            } else {
                self.sink.client_said(net.now, &packet);
                if self.sink.passes(&packet) {
                    net.send(self.paths[path].line_out, packet);
                }
            }
            return;
        }
        let path = usize::from(port) - 1;
        match packet.kind {
            Kind::Data => self.sink.arrive(net, path, packet, &self.paths),
            Kind::Mail => match net.open(&packet) {
                Mail::Report { echo, waiting } => self.sink.heard(path, echo, waiting),
                mail => self.paths[path].told(net, mail),
            },
            _ => {
                if self.paths[path].answered(&packet) {
                    net.send(self.sink.client_out, packet);
                }
            }
        }
    }

    /// A packet left a queue of the client port.
    pub fn left(&mut self, net: &mut Net, link: u32, packet: &Packet) {
        if link == self.sink.client_out && packet.kind == Kind::Data {
            self.sink.left(net, packet, &self.paths);
        }
    }

    /// The next packet for a line.
    pub fn pull(&mut self, net: &mut Net, link: u32) -> Option<Packet> {
        let i = self.paths.iter().position(|p| p.line_out == link)?;
        let client = (self.sink.client_in, self.sink.client_out);
        match self.paths[i].release(net, client) {
            Ok(packet) => packet,
            Err(after) => {
                net.timer(self.me, PACER + i as u32, after);
                None
            }
        }
    }

    /// A budget goes to its source: now, late, or never.
    fn budget(&mut self, net: &mut Net, line: u32, mail: Mail) {
        if self.cfg.loss > 0.0 && self.random.unit() < self.cfg.loss {
            return;
        }
        if self.cfg.late == 0 {
            let packet = net.mail(mail);
            net.send(line, packet);
            return;
        }
        let after = self.random.below(self.cfg.late * self.cfg.slot + 1);
        self.made += 1;
        self.late.push(Reverse((net.now + after, self.made, line, mail)));
        net.timer(self.me, LATE, after);
    }

    /// A timer ran out.
    pub fn timer(&mut self, net: &mut Net, tag: u32) {
        match tag {
            SLOT => {
                for (line, mail) in self.sink.slot(net.now, &self.paths) {
                    self.budget(net, line, mail);
                }
                for path in &mut self.paths {
                    path.slot(net);
                }
                net.timer(self.me, SLOT, self.cfg.slot);
            }
            SAMPLE => {
                self.sink.sample(net.now);
                net.timer(self.me, SAMPLE, self.cfg.sample);
            }
            LATE => {
                if let Some(Reverse((_, _, line, mail))) = self.late.pop() {
                    let packet = net.mail(mail);
                    net.send(line, packet);
                }
            }
            LOOP => self.sink.leave_loop(net, &self.paths),
            pacer => {
                let path = &mut self.paths[(pacer - PACER) as usize];
                path.timer_set = false;
                net.wake(path.line_out);
            }
        }
    }
}
