//! A gateway at an OTN port, or whatever stands there in another scheme. Both roles at once: a source towards each
//! path, a destination for each.
//!
//! Port 0 is the client's; port 1 + i is path i. The arithmetic of budgets is `model`'s.

mod sink;
mod source;

pub use sink::{Sink, SinkCfg, SinkLaw};
pub use source::{Acks, Path, SourceCfg};

use super::packet::{Kind, Packet, Ps};
use super::world::Net;

/// What gateways say to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
}

/// Timer tags.
const SLOT: u32 = 0;
const SAMPLE: u32 = 1;
/// Tag of path i's pacer: this and i.
const PACER: u32 = 16;

impl Gateway {
    /// A gateway whose client link out is `client_out`; packets of its client come in by `client_in`.
    pub fn new(me: u32, cfg: GatewayCfg, client_in: u32, client_out: u32) -> Self {
        Gateway { me, cfg, path_to: vec![], paths: vec![], sink: Sink::new(cfg.sink, client_in, client_out) }
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
                self.sink.from_client(net, &packet);
                net.send(self.paths[path].line_out, packet);
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

    /// A timer ran out.
    pub fn timer(&mut self, net: &mut Net, tag: u32) {
        match tag {
            SLOT => {
                self.sink.slot(net, &self.paths);
                for path in &mut self.paths {
                    path.slot(net);
                }
                net.timer(self.me, SLOT, self.cfg.slot);
            }
            SAMPLE => {
                self.sink.sample(net.now);
                net.timer(self.me, SAMPLE, self.cfg.sample);
            }
            pacer => {
                let path = &mut self.paths[(pacer - PACER) as usize];
                path.timer_set = false;
                net.wake(path.line_out);
            }
        }
    }
}
