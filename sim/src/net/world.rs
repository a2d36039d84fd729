//! The world: nodes, links, and the loop that makes things happen.

use super::event::{Events, What};
use super::gateway::{Gateway, Mail};
use super::host::Host;
use super::link::Link;
use super::packet::{Kind, Packet, Ps};
use super::switch::Switch;
use super::training::Training;

/// The ends of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Node that sends the data.
    pub from: u32,
    /// Node that receives it.
    pub to: u32,
}

/// What every node may touch.
#[derive(Debug, Default)]
pub struct Net {
    /// The time.
    pub now: Ps,
    /// Cables, one way each.
    pub links: Vec<Link>,
    /// Queue pairs.
    pub flows: Vec<Flow>,
    events: Events,
    mail: Vec<Mail>,
    mail_free: Vec<u32>,
    /// Packets that came over a link.
    pub hops: u64,
}

impl Net {
    /// Sends over a link. True: it is on the wire at once.
    pub fn send(&mut self, link: u32, packet: Packet) -> bool {
        self.links[link as usize].send(link, self.now, packet, &mut self.events)
    }

    /// Something may be pulled for this link.
    pub fn wake(&mut self, link: u32) {
        self.links[link as usize].wake(link, self.now, &mut self.events);
    }

    /// Tells the far transmitter of a link to hold the lossless class, or to go on.
    pub fn pause(&mut self, link: u32, on: bool) {
        let at = self.now + self.links[link as usize].delay;
        self.events.at(at, What::Pause { link, on });
    }

    /// Calls a node later.
    pub fn timer(&mut self, node: u32, tag: u32, after: Ps) {
        self.events.at(self.now + after, What::Timer { node, tag });
    }

    /// Node that a packet is for.
    pub fn destination(&self, packet: &Packet) -> u32 {
        let flow = self.flows[packet.flow as usize];
        if packet.kind == Kind::Data {
            flow.to
        } else {
            flow.from
        }
    }

    /// A packet that carries mail.
    pub fn mail(&mut self, mail: Mail) -> Packet {
        let place = self.mail_free.pop().unwrap_or_else(|| {
            self.mail.push(Mail::default());
            self.mail.len() as u32 - 1
        });
        self.mail[place as usize] = mail;
        Packet::control(Kind::Mail, u32::MAX, place.into())
    }

    /// What a packet of mail carries; its place is free again.
    pub fn open(&mut self, packet: &Packet) -> Mail {
        self.mail_free.push(packet.number as u32);
        self.mail[packet.number as usize]
    }

    /// Events scheduled since the start.
    pub fn events(&self) -> u64 {
        self.events.scheduled()
    }
}

/// A node.
#[derive(Debug)]
pub enum Node {
    /// With queue pairs.
    Host(Host),
    /// With queues.
    Switch(Box<Switch>),
    /// At a port of the optical network.
    Gateway(Box<Gateway>),
    /// Without ports: what the hosts work for.
    Training(Box<Training>),
}

/// Everything.
#[derive(Debug, Default)]
pub struct World {
    /// Links, flows, time.
    pub net: Net,
    /// Nodes.
    pub nodes: Vec<Node>,
}

impl World {
    /// Starts every node and every link's rates.
    pub fn start(&mut self) {
        for (i, link) in self.net.links.iter_mut().enumerate() {
            link.next_rate(i as u32, &mut self.net.events);
        }
        for node in &mut self.nodes {
            match node {
                Node::Host(h) => h.start(&mut self.net),
                Node::Gateway(g) => g.start(&mut self.net),
                Node::Training(t) => t.start(&mut self.net),
                Node::Switch(_) => {}
            }
        }
    }

    /// Runs up to a time.
    pub fn run(&mut self, until: Ps) {
        let World { net, nodes } = self;
        while let Some((at, what)) = net.events.next(until) {
            net.now = at;
            match what {
                What::Arrive { link } => {
                    let packet = net.links[link as usize].arrive(link, &mut net.events);
                    let (node, port) = net.links[link as usize].to;
                    net.hops += 1;
                    match &mut nodes[node as usize] {
                        Node::Host(h) => h.arrive(net, packet),
                        Node::Switch(s) => s.arrive(net, port, packet),
                        Node::Gateway(g) => g.arrive(net, port, packet),
                        Node::Training(_) => {}
                    }
                }
                What::Free { link } => free(net, nodes, link),
                What::Timer { node, tag } => match &mut nodes[node as usize] {
                    Node::Host(h) => h.timer(net, tag),
                    Node::Gateway(g) => g.timer(net, tag),
                    Node::Training(t) => t.timer(net, tag),
                    Node::Switch(_) => {}
                },
                What::Pause { link, on } => net.links[link as usize].pause(link, at, on, &mut net.events),
                What::Rate { link, bps } => {
                    let l = &mut net.links[link as usize];
                    l.set_rate(bps);
                    l.wake(link, at, &mut net.events);
                    l.next_rate(link, &mut net.events);
                }
            }
        }
        net.now = until;
    }
}

/// A transmitter is free.
fn free(net: &mut Net, nodes: &mut [Node], link: u32) {
    let l = &mut net.links[link as usize];
    let node = l.from.0 as usize;
    if let Some(packet) = l.free(link, net.now, &mut net.events) {
        if l.tells {
            match &mut nodes[node] {
                Node::Switch(s) => s.left(net, &packet),
                Node::Gateway(g) => g.left(net, link, &packet),
                Node::Host(_) | Node::Training(_) => {}
            }
        }
    } else if l.pulls && !l.paused() && !l.stopped() {
        let packet = match &mut nodes[node] {
            Node::Host(h) => h.pull(net),
            Node::Gateway(g) => g.pull(net, link),
            Node::Switch(_) | Node::Training(_) => None,
        };
        if let Some(packet) = packet {
            net.links[link as usize].pulled(link, net.now, packet, &mut net.events);
        }
    }
}
