//! A switch: output queues, ECN marking, and PFC by what each input has in the shared buffer.

use super::ecn::Ecn;
use super::packet::{Kind, Packet, LOSSLESS};
use super::rng::Stream;
use super::world::Net;

/// Thresholds, bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SwitchCfg {
    /// Marks by the length of an output queue.
    pub ecn: Ecn,
    /// PFC: an input with more than this is paused.
    pub xoff: u64,
    /// PFC: and let go below this.
    pub xon: u64,
    /// Shared buffer; what comes to a full one is dropped.
    pub buffer: u64,
}

/// A switch.
#[derive(Clone, Debug)]
pub struct Switch {
    cfg: SwitchCfg,
    /// Link out towards each node of the network that is a host.
    pub route: Vec<u32>,
    /// Link by which each port's packets come in.
    pub inputs: Vec<u32>,
    held_of: Vec<u64>,
    paused: Vec<bool>,
    held: u64,
    random: Stream,
    /// Packets dropped.
    pub dropped: u64,
    /// Times an input was paused.
    pub pauses: u64,
}

impl Switch {
    /// A switch without cables.
    pub fn new(cfg: SwitchCfg, random: Stream) -> Self {
        Switch {
            cfg,
            route: vec![],
            inputs: vec![],
            held_of: vec![],
            paused: vec![],
            held: 0,
            random,
            dropped: 0,
            pauses: 0,
        }
    }

    /// Adds a port by which packets of `link` come in.
    pub fn add_input(&mut self, link: u32) -> u16 {
        self.inputs.push(link);
        self.held_of.push(0);
        self.paused.push(false);
        self.inputs.len() as u16 - 1
    }

    /// A packet came in.
    pub fn arrive(&mut self, net: &mut Net, port: u16, mut packet: Packet) {
        let out = self.route[net.destination(&packet) as usize];
        packet.port = port;
        if packet.kind == Kind::Data {
            if self.held + u64::from(packet.bytes) > self.cfg.buffer {
                self.dropped += 1;
                return;
            }
            packet.marked |= self.cfg.ecn.marks(net.links[out as usize].queued(LOSSLESS), &mut self.random);
        }
        if !net.send(out, packet) && packet.kind == Kind::Data {
            let i = usize::from(port);
            self.held += u64::from(packet.bytes);
            self.held_of[i] += u64::from(packet.bytes);
            if self.held_of[i] > self.cfg.xoff && !self.paused[i] {
                self.paused[i] = true;
                self.pauses += 1;
                net.pause(self.inputs[i], true);
            }
        }
    }

    /// A packet left a queue.
    pub fn left(&mut self, net: &mut Net, packet: &Packet) {
        if packet.kind != Kind::Data {
            return;
        }
        let i = usize::from(packet.port);
        self.held -= u64::from(packet.bytes);
        self.held_of[i] -= u64::from(packet.bytes);
        if self.paused[i] && self.held_of[i] < self.cfg.xon {
            self.paused[i] = false;
            net.pause(self.inputs[i], false);
        }
    }
}
