//! The ends of a connection: a requester that sends anything and goes back as it is told, and a responder that answers
//! as a NIC does. PSNs are counted from the first one, without a wrap.

use super::packets::{aeth, frame, reth, Packet, Way};
use crate::harness::Random;
use matchrdma_spec::params::PSN_MASK;
use matchrdma_spec::wire::opcode::*;
use matchrdma_spec::wire::packet::Meta;
use std::collections::VecDeque;

/// What both ends know.
#[derive(Clone, Debug)]
pub struct Pair {
    /// From requester to responder.
    pub way: Way,
    pub responder: u32,
    pub requester: u32,
    pub first_psn: u32,
    pub mtu: u32,
    /// Longest READ, bytes.
    pub read_bytes: u32,
}

impl Pair {
    fn psn(&self, count: u64) -> u32 {
        self.first_psn.wrapping_add(count as u32) & PSN_MASK
    }

    /// The count that `psn` has, nearest to `about`.
    fn count(&self, psn: u32, about: u64) -> u64 {
        let ahead = psn.wrapping_sub(self.psn(about)) & PSN_MASK;
        let by = if ahead > PSN_MASK / 2 { i64::from(ahead) - (1 << 24) } else { ahead.into() };
        (about as i64 + by).max(0) as u64
    }
}

#[derive(Clone, Debug)]
struct Request {
    opcode: u8,
    at: u64,
    /// Behind the last PSN that it takes.
    end: u64,
    ack_req: bool,
    body: Vec<u8>,
    /// Only the far side's own answer settles it.
    answered: bool,
}

/// The requester.
#[derive(Debug)]
pub struct Near {
    pub pair: Pair,
    plan: Vec<Request>,
    next: usize,
    /// First count that is not acknowledged.
    acked: u64,
    /// First request that is not: all before it are done.
    oldest: usize,
    /// Packets of the message that has begun: first opcode, and how many come.
    message: Option<(u8, u32)>,
    goal: usize,
    progress_at: u64,
}

/// Requests under way.
const WINDOW: usize = 48;
/// Cycles without progress before the requester goes back.
const TIMEOUT: u64 = 9000;

fn waits(opcode: u8) -> bool {
    is_barrier(opcode, false)
}

impl Near {
    /// Wants to send so many packets.
    pub fn new(pair: Pair, goal: usize) -> Self {
        Near { pair, plan: vec![], next: 0, acked: 0, oldest: 0, message: None, goal, progress_at: 0 }
    }

    /// Everything was sent and acknowledged.
    pub fn is_done(&self) -> bool {
        self.plan.len() == self.goal && self.oldest == self.goal
    }

    /// How far it came, for a failure.
    pub fn progress(&self) -> String {
        format!("{} of {} done, {} sent", self.oldest, self.goal, self.plan.len())
    }

    /// The next frame, if there is one.
    pub fn poll(&mut self, now: u64, ident: u32, random: &mut Random) -> Option<Vec<u8>> {
        if self.oldest < self.plan.len() && now > self.progress_at + TIMEOUT {
            self.next = self.oldest;
            self.progress_at = now;
        }
        if self.next == self.plan.len() {
            if self.plan.len() == self.goal || self.plan.len() - self.oldest >= WINDOW {
                return None;
            }
            if self.oldest == self.plan.len() {
                self.progress_at = now;
            }
            let request = self.new_request(random);
            self.plan.push(request);
        }
        self.next += 1;
        Some(self.build(self.next - 1, ident))
    }

    /// One that was sent before, again; the requester knows nothing of it.
    pub fn duplicate(&self, ident: u32, random: &mut Random) -> Option<Vec<u8>> {
        let from = self.oldest.saturating_sub(20);
        let among = self.next.checked_sub(from).filter(|n| *n > 0)?;
        Some(self.build(from + random.below(among as u64) as usize, ident))
    }

    fn build(&self, i: usize, ident: u32) -> Vec<u8> {
        let r = &self.plan[i];
        let body = r.body.clone();
        let (qpn, psn) = (self.pair.responder, self.pair.psn(r.at));
        frame(&self.pair.way, &Packet { opcode: r.opcode, qpn, psn, ack_req: r.ack_req, body, ident })
    }

    fn new_request(&mut self, random: &mut Random) -> Request {
        let mtu = self.pair.mtu;
        let mut reth_len = 0;
        let opcode = match self.message {
            Some((first, left)) => {
                self.message = Some((first, left - 1)).filter(|m| m.1 > 0);
                match (first, left) {
                    (WRITE_FIRST, 1) => random.pick(&[WRITE_LAST, WRITE_LAST, WRITE_LAST_IMM]),
                    (WRITE_FIRST, _) => WRITE_MIDDLE,
                    (_, 1) => random.pick(&[SEND_LAST, SEND_LAST, SEND_LAST_IMM, SEND_LAST_INV]),
                    _ => SEND_MIDDLE,
                }
            }
            None => {
                let one = [
                    WRITE_ONLY,
                    WRITE_ONLY,
                    WRITE_ONLY,
                    WRITE_ONLY,
                    WRITE_ONLY_IMM,
                    SEND_ONLY,
                    SEND_ONLY,
                    SEND_ONLY_IMM,
                    SEND_ONLY_INV,
                ];
                let far = [READ_REQUEST, READ_REQUEST, CMP_SWAP, FETCH_ADD, FLUSH, ATOMIC_WRITE];
                match random.below(10) {
                    0..=1 => WRITE_FIRST,
                    2 => SEND_FIRST,
                    3 => random.pick(&far),
                    _ => random.pick(&one),
                }
            }
        };
        if is_first(opcode) {
            let packets = 1 + random.below(4) as u32;
            self.message = Some((opcode, packets));
            reth_len = (packets + 1) * mtu;
        }
        let mut takes = 1;
        if opcode == READ_REQUEST {
            reth_len = random.below(u64::from(self.pair.read_bytes) + 1) as u32;
            takes = reth_len.div_ceil(mtu).max(1);
        }
        let payload = match opcode {
            o if is_first(o) || is_middle(o) => mtu as usize,
            READ_REQUEST | CMP_SWAP | FETCH_ADD | FLUSH => 0,
            ATOMIC_WRITE => 8,
            _ => random.below(200) as usize,
        };
        let mut body = vec![0x22; ext_header_bytes(opcode)];
        if has_reth(opcode) {
            body.splice(..16, reth(if reth_len == 0 && opcode != READ_REQUEST { payload as u32 } else { reth_len }));
        }
        body.extend(random.bytes(payload));
        let last_one = self.plan.len() + 1 == self.goal || self.plan.len() + 1 - self.oldest >= WINDOW - 2;
        let likely = if completes_message(opcode) { 7 } else { 1 };
        let at = self.plan.last().map_or(0, |r| r.end);
        let ack_req = last_one || waits(opcode) || random.chance(likely, 10);
        Request { opcode, at, end: at + u64::from(takes), ack_req, body, answered: !waits(opcode) }
    }

    /// A frame came for this queue pair.
    pub fn receive(&mut self, meta: &Meta, now: u64) {
        let count = self.pair.count(meta.psn, self.acked);
        match (meta.opcode, meta.syndrome >> 5) {
            (ACKNOWLEDGE, 0) => self.advance(count + 1, now),
            (ACKNOWLEDGE, 1 | 3) => {
                self.advance(count, now);
                if let Some(i) = (self.oldest..self.plan.len()).find(|&i| self.plan[i].at == count) {
                    self.next = i;
                }
            }
            (READ_RESPONSE_LAST | READ_RESPONSE_ONLY | ATOMIC_ACKNOWLEDGE, _) => {
                let open = self.plan[self.oldest..].iter_mut().find(|r| r.end == count + 1 && !r.answered);
                if let Some(request) = open {
                    request.answered = true;
                }
                self.advance(count + 1, now);
            }
            _ => {}
        }
    }

    /// All before `to` is acknowledged, as far as it needs no answer.
    fn advance(&mut self, to: u64, now: u64) {
        while self.plan.get(self.oldest).is_some_and(|r| r.end <= to && r.answered) {
            self.acked = self.plan[self.oldest].end;
            self.oldest += 1;
            self.progress_at = now;
        }
        self.next = self.next.max(self.oldest);
    }
}

/// The responder.
#[derive(Debug)]
pub struct Far {
    pub pair: Pair,
    expected: u64,
    msn: u32,
    nak_sent: bool,
    /// Answers of READs and the like: first count, response packets.
    answers: VecDeque<(u64, Vec<Packet>)>,
    /// In 1000 requests, so many find no receive buffer.
    pub rnr: u64,
    /// Packets placed in order.
    pub placed: u64,
}

impl Far {
    /// With a message count to begin with.
    pub fn new(pair: Pair, msn: u32) -> Self {
        Far { pair, expected: 0, msn, nak_sent: false, answers: VecDeque::new(), rnr: 0, placed: 0 }
    }

    fn packet(&self, opcode: u8, count: u64, syndrome: u8, msn: u32, rest: usize) -> Packet {
        let mut body = vec![0x66; ext_header_bytes(opcode)];
        if has_aeth(opcode) {
            body.splice(..4, aeth(syndrome, msn));
        }
        body.resize(body.len() + rest, 0x77);
        Packet { opcode, qpn: self.pair.requester, psn: self.pair.psn(count), body, ..Packet::default() }
    }

    /// A good request came: what is answered.
    pub fn receive(&mut self, meta: &Meta, random: &mut Random) -> Vec<Packet> {
        let count = self.pair.count(meta.psn, self.expected);
        if count > self.expected {
            if std::mem::replace(&mut self.nak_sent, true) {
                return vec![];
            }
            return vec![self.packet(ACKNOWLEDGE, self.expected, 0x60, self.msn, 0)];
        }
        if count < self.expected {
            if let Some((_, again)) = self.answers.iter().find(|a| a.0 == count) {
                return again.clone();
            }
            let newest = self.packet(ACKNOWLEDGE, self.expected - 1, 0x1f, self.msn, 0);
            return if meta.ack_req { vec![newest] } else { vec![] };
        }
        if random.chance(self.rnr, 1000) {
            return vec![self.packet(ACKNOWLEDGE, count, 0x2c, self.msn, 0)];
        }
        self.nak_sent = false;
        self.placed += 1;
        self.msn = (self.msn + u32::from(completes_message(meta.opcode))) & PSN_MASK;
        let mut takes = 1;
        let answer = match meta.opcode {
            READ_REQUEST => {
                let mtu = self.pair.mtu;
                takes = u64::from(meta.reth_len.div_ceil(mtu).max(1));
                let one = |i: u64| {
                    let opcode = match (i == 0, i + 1 == takes) {
                        (true, true) => READ_RESPONSE_ONLY,
                        (true, false) => READ_RESPONSE_FIRST,
                        (false, true) => READ_RESPONSE_LAST,
                        (false, false) => READ_RESPONSE_MIDDLE,
                    };
                    let bytes = mtu.min(meta.reth_len - i as u32 * mtu) as usize;
                    self.packet(opcode, count + i, 0x1f, self.msn, bytes)
                };
                (0..takes).map(one).collect()
            }
            CMP_SWAP | FETCH_ADD => vec![self.packet(ATOMIC_ACKNOWLEDGE, count, 0x1f, self.msn, 0)],
            FLUSH | ATOMIC_WRITE => vec![self.packet(READ_RESPONSE_ONLY, count, 0x1f, self.msn, 0)],
            _ if meta.ack_req && random.chance(4, 5) => {
                vec![self.packet(ACKNOWLEDGE, count, random.bits(5) as u8, self.msn, 0)]
            }
            _ => vec![],
        };
        if waits(meta.opcode) {
            self.answers.push_back((count, answer.clone()));
            if self.answers.len() > 256 {
                self.answers.pop_front();
            }
        }
        self.expected += takes;
        answer
    }
}
