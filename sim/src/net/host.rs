//! A host: a NIC with queue pairs that send, and others that receive.

use super::load::Posts;
use super::packet::{Kind, Packet, Ps, SECOND};
use super::world::Net;
use crate::dcqcn::{Dcqcn, DcqcnCfg};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// How a sender behaves, the same in every scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SenderCfg {
    /// Unacknowledged bytes that a queue pair may have.
    pub window_bytes: u64,
    /// Length of every message.
    pub message_bytes: u64,
    /// Payload of a full packet.
    pub mtu_bytes: u32,
    /// Messages begun and not acknowledged.
    pub messages_in_flight: u64,
    /// Goes back to the oldest unacknowledged packet after so long without progress.
    pub ack_timeout: Ps,
    /// Every so many packets ask for an acknowledgement, and the last of each message.
    pub ack_every: u64,
}

/// The sending end of a queue pair.
#[derive(Clone, Debug)]
pub struct Requester {
    flow: u32,
    cfg: SenderCfg,
    /// Packets that the user has posted; `u64::MAX`: for ever.
    posted: u64,
    next: u64,
    oldest: u64,
    highest: u64,
    progress_at: Ps,
    ready: bool,
    rate: Option<Dcqcn>,
    /// Its rate lets it send again.
    may_at: Ps,
    /// Packets sent again.
    pub repeated: u64,
    /// NAKs received.
    pub naks: u64,
    /// CNPs received.
    pub notified: u64,
    /// Times its timer ran out.
    pub timeouts: u64,
}

impl Requester {
    fn per_message(&self) -> u64 {
        self.cfg.message_bytes.div_ceil(u64::from(self.cfg.mtu_bytes)).max(1)
    }

    /// Unacknowledged bytes, counting full packets.
    pub fn unacknowledged_bytes(&self) -> u64 {
        (self.next - self.oldest) * u64::from(self.cfg.mtu_bytes)
    }

    /// Messages of which everything is acknowledged.
    pub fn messages_done(&self) -> u64 {
        self.oldest / self.per_message()
    }

    fn may_send(&self) -> bool {
        let per = self.per_message();
        self.next < self.posted
            && self.unacknowledged_bytes() + u64::from(self.cfg.mtu_bytes) <= self.cfg.window_bytes
            && self.next / per < self.oldest / per + self.cfg.messages_in_flight
    }

    /// How fast it may send now, bits per second, if anything but the port limits it.
    pub fn rate_bps(&mut self, now: Ps) -> Option<f64> {
        self.rate.as_mut().map(|r| r.rate(now))
    }

    fn make(&mut self, now: Ps) -> Packet {
        let per = self.per_message();
        let place = self.next % per;
        let left = self.cfg.message_bytes - place * u64::from(self.cfg.mtu_bytes);
        let payload = left.min(u64::from(self.cfg.mtu_bytes)) as u32;
        let asks = place + 1 == per || (place + 1).is_multiple_of(self.cfg.ack_every);
        if self.next == self.oldest {
            self.progress_at = now;
        }
        let packet = Packet::data(self.flow, self.next, payload, asks);
        self.next += 1;
        if self.next > self.highest {
            self.highest = self.next;
        } else {
            self.repeated += 1;
        }
        if let Some(rate) = &mut self.rate {
            rate.sent(packet.bytes, now);
            let spacing = f64::from(packet.bytes) * 8.0 * SECOND as f64 / rate.rate(now);
            self.may_at = self.may_at.max(now) + spacing as Ps;
        }
        packet
    }

    fn acknowledged(&mut self, number: u64, now: Ps) {
        if number > self.oldest && number <= self.highest {
            self.oldest = number;
            self.next = self.next.max(number);
            self.progress_at = now;
        }
    }
}

/// The receiving end of a queue pair.
#[derive(Clone, Copy, Debug, Default)]
pub struct Responder {
    expected: u64,
    /// Packets of a message, where somebody wants to know of whole ones.
    per_message: u64,
    refused: bool,
    notified_at: Option<Ps>,
    /// Payload placed in order, bytes.
    pub placed_bytes: u64,
    /// CNPs sent.
    pub notified: u64,
}

/// A NIC and its queue pairs.
#[derive(Clone, Debug)]
pub struct Host {
    me: u32,
    /// Its link out.
    link: u32,
    requesters: Vec<Requester>,
    responders: Vec<Responder>,
    /// Flow to place in `requesters` and `responders`; `u32::MAX`: not ours.
    requester_of: Vec<u32>,
    responder_of: Vec<u32>,
    ready: VecDeque<u32>,
    /// Queue pairs that their rate holds, by when they may go on.
    paced: BinaryHeap<Reverse<(Ps, u32)>>,
    paced_timer: Ps,
    /// Messages to be posted: when, by which queue pair.
    posts: Option<Box<std::iter::Peekable<Posts>>>,
    /// Node that is told of whole messages.
    user: Option<u32>,
}

/// Least time between CNPs of a flow.
const CNP_SPACING: Ps = 50_000_000;
/// Timer tag: retransmission is looked at.
const RETRANSMIT: u32 = 0;
/// Timer tag: a queue pair may go on by its rate.
const PACED: u32 = 1;
/// Timer tag: a message is posted.
const POST: u32 = 2;
/// Timer tag of a host: its user posts a message by the sending end of this and its place.
pub const POSTED: u32 = 16;
/// Timer tag of a user: a message of the flow is placed whole.
pub const PLACED: u32 = 1 << 30;
/// Timer tag of a user: a message of the flow is acknowledged whole.
pub const ACKNOWLEDGED: u32 = 1 << 31;

impl Host {
    /// A host without queue pairs.
    pub fn new(me: u32, link: u32) -> Self {
        Host {
            me,
            link,
            requesters: vec![],
            responders: vec![],
            requester_of: vec![],
            responder_of: vec![],
            ready: VecDeque::new(),
            paced: BinaryHeap::new(),
            paced_timer: Ps::MAX,
            posts: None,
            user: None,
        }
    }

    /// Adds the sending end of a flow that writes messages for ever, or so many; with DCQCN or without.
    pub fn add_requester(&mut self, flow: u32, cfg: SenderCfg, messages: Option<u64>, rate: Option<DcqcnCfg>) {
        place(&mut self.requester_of, flow, self.requesters.len() as u32);
        let mut r = Requester {
            flow,
            cfg,
            posted: u64::MAX,
            next: 0,
            oldest: 0,
            highest: 0,
            progress_at: 0,
            ready: false,
            rate: rate.map(Dcqcn::new),
            may_at: 0,
            repeated: 0,
            naks: 0,
            notified: 0,
            timeouts: 0,
        };
        if let Some(messages) = messages {
            r.posted = messages * r.per_message();
        }
        self.requesters.push(r);
    }

    /// Adds the receiving end of a flow.
    pub fn add_responder(&mut self, flow: u32) {
        place(&mut self.responder_of, flow, self.responders.len() as u32);
        self.responders.push(Responder::default());
    }

    /// From now on a node is told of whole messages: placed, of `packets` each, and acknowledged.
    pub fn used_by(&mut self, node: u32, packets: &[u64]) {
        self.user = Some(node);
        for (r, n) in self.responders.iter_mut().zip(packets) {
            r.per_message = *n;
        }
    }

    /// Further messages of the sending ends, one by one, in the order of time.
    pub fn post(&mut self, posts: Posts) {
        self.posts = Some(Box::new(posts.peekable()));
    }

    /// The sending ends.
    pub fn requesters(&self) -> &[Requester] {
        &self.requesters
    }

    /// The receiving ends.
    pub fn responders(&self) -> &[Responder] {
        &self.responders
    }

    /// The run begins.
    pub fn start(&mut self, net: &mut Net) {
        (0..self.requesters.len() as u32).for_each(|i| self.make_ready(i));
        net.wake(self.link);
        if let Some(least) = self.requesters.iter().map(|r| r.cfg.ack_timeout).min() {
            net.timer(self.me, RETRANSMIT, least / 4);
        }
        self.next_post(net);
    }

    fn next_post(&mut self, net: &mut Net) {
        let next = self.posts.as_mut().and_then(|posts| posts.peek());
        next.into_iter().for_each(|(at, _)| net.timer(self.me, POST, at - net.now));
    }

    fn make_ready(&mut self, i: u32) {
        let r = &mut self.requesters[i as usize];
        if !r.ready && r.may_send() {
            r.ready = true;
            self.ready.push_back(i);
        }
    }

    /// The next packet for the wire.
    pub fn pull(&mut self, net: &mut Net) -> Option<Packet> {
        while self.paced.peek().is_some_and(|Reverse((at, _))| *at <= net.now) {
            let Reverse((_, i)) = self.paced.pop().expect("it was looked at");
            self.ready.push_back(i);
        }
        while let Some(i) = self.ready.pop_front() {
            let r = &mut self.requesters[i as usize];
            if r.may_at > net.now {
                // It stays marked ready: it waits here for its time.
                self.paced.push(Reverse((r.may_at, i)));
                continue;
            }
            r.ready = false;
            let packet = r.may_send().then(|| r.make(net.now));
            self.make_ready(i);
            if packet.is_some() {
                return packet;
            }
        }
        if let Some(Reverse((at, _))) = self.paced.peek() {
            if *at < self.paced_timer {
                self.paced_timer = *at;
                net.timer(self.me, PACED, at - net.now);
            }
        }
        None
    }

    /// A packet for a queue pair of this host.
    pub fn arrive(&mut self, net: &mut Net, packet: Packet) {
        let flow = packet.flow as usize;
        if packet.kind == Kind::Data {
            let i = self.responder_of[flow];
            let r = &mut self.responders[i as usize];
            let before = r.expected;
            let answer = receive(r, packet, net.now, CNP_SPACING);
            if let Some(user) = self.user.filter(|_| r.expected > before && r.expected.is_multiple_of(r.per_message)) {
                net.timer(user, PLACED | packet.flow, 0);
            }
            answer.into_iter().flatten().for_each(|p| {
                net.send(self.link, p);
            });
            return;
        }
        let i = self.requester_of[flow];
        let r = &mut self.requesters[i as usize];
        let done = self.user.map_or(0, |_| r.messages_done());
        match packet.kind {
            Kind::Ack => r.acknowledged(packet.number, net.now),
            Kind::Nak => {
                r.naks += 1;
                r.acknowledged(packet.number, net.now);
                r.next = r.oldest;
            }
            Kind::Cnp => {
                r.notified += 1;
                if let Some(rate) = &mut r.rate {
                    rate.notified(net.now);
                }
            }
            _ => {}
        }
        if let Some(user) = self.user {
            (done..r.messages_done()).for_each(|_| net.timer(user, ACKNOWLEDGED | packet.flow, 0));
        }
        self.make_ready(i);
        if !self.ready.is_empty() {
            net.wake(self.link);
        }
    }

    /// A timer ran out.
    pub fn timer(&mut self, net: &mut Net, tag: u32) {
        if tag == PACED {
            self.paced_timer = Ps::MAX;
            net.wake(self.link);
            return;
        }
        if tag >= POSTED {
            let r = &mut self.requesters[(tag - POSTED) as usize];
            r.posted += r.per_message();
            self.make_ready(tag - POSTED);
            net.wake(self.link);
            return;
        }
        if tag == POST {
            while let Some((_, i)) = self.posts.as_mut().and_then(|p| p.next_if(|(at, _)| *at <= net.now)) {
                let r = &mut self.requesters[i as usize];
                r.posted += r.per_message();
                self.make_ready(i);
            }
            net.wake(self.link);
            self.next_post(net);
            return;
        }
        let mut least = Ps::MAX;
        for i in 0..self.requesters.len() {
            let r = &mut self.requesters[i];
            least = least.min(r.cfg.ack_timeout);
            if r.next > r.oldest && net.now - r.progress_at > r.cfg.ack_timeout {
                r.timeouts += 1;
                r.next = r.oldest;
                r.progress_at = net.now;
                self.make_ready(i as u32);
            }
        }
        net.wake(self.link);
        net.timer(self.me, RETRANSMIT, least / 4);
    }
}

fn place(of: &mut Vec<u32>, flow: u32, at: u32) {
    if of.len() <= flow as usize {
        of.resize(flow as usize + 1, u32::MAX);
    }
    of[flow as usize] = at;
}

/// What a responder answers: an acknowledgement, a notification.
fn receive(r: &mut Responder, p: Packet, now: Ps, cnp_spacing: Ps) -> [Option<Packet>; 2] {
    let mut answer = [None, None];
    if p.number == r.expected {
        r.expected += 1;
        r.refused = false;
        r.placed_bytes += u64::from(p.payload);
        answer[0] = p.asks.then(|| Packet::control(Kind::Ack, p.flow, r.expected));
    } else if p.number > r.expected {
        answer[0] = (!r.refused).then(|| Packet::control(Kind::Nak, p.flow, r.expected));
        r.refused = true;
    } else if p.asks {
        answer[0] = Some(Packet::control(Kind::Ack, p.flow, r.expected));
    }
    if p.marked && r.notified_at.is_none_or(|t| now - t >= cnp_spacing) {
        r.notified_at = Some(now);
        r.notified += 1;
        answer[1] = Some(Packet::control(Kind::Cnp, p.flow, 0));
    }
    answer
}

#[cfg(test)]
#[path = "host_tests.rs"]
mod tests;
