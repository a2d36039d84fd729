//! A sender, the gateway, a far responder and links that lose and delay, at random: what the sender is told must be
//! true, whatever happens in between, and everything arrives.

use crate::gateway::{Gateway, Params, Port, Timers};
use crate::icrc;
use crate::invariants::{Watch, Watched};
use crate::psn;
use crate::record::{Cfg, Reason, State};
use crate::sample::{self, damaged, key_in, key_out};
use matchrdma_spec::regs::counters::*;
use matchrdma_spec::wire::opcode;
use matchrdma_spec::wire::packet::{parse_frame, Meta};
use std::collections::{BTreeMap, VecDeque};

const I: u16 = 17;
const MTU: u32 = 256;
/// Steps of a tick.
const TICK: u64 = 50;
/// Steps without progress after which the sender goes back.
const PATIENCE: u32 = 400;

/// Numbers that look random (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }
}

/// What a conversation is like; chances in percent.
#[derive(Clone, Copy, Default)]
struct Weather {
    ack_ops_write: bool,
    /// READ and ATOMIC among the requests.
    reads: u64,
    /// Loss and damage between sender and gateway, both ways.
    near_loss: u64,
    near_damage: u64,
    /// RNR for a SEND.
    not_ready: u64,
    /// Packets in the middle ask for an ACK as well.
    asks: u64,
    /// Per mille of steps in which the host starts the flow afresh.
    restarts: u64,
    /// Packet memories of hardly more than what `room` keeps.
    tight: bool,
    on_arrival: bool,
    /// Per mille of steps in which the far side falls silent, and for how many steps.
    stalls: u64,
    stall_steps: u64,
    /// Per mille of requests that the line loses, which it is not allowed to.
    far_loss: u64,
    /// From this packet on nothing of all that happens any more; 0: never.
    calm_from: usize,
    timers: Option<Timers>,
}

struct Packet {
    psn: u32,
    psns: u32,
    op: u8,
    ack_req: bool,
    frame: Vec<u8>,
    /// Messages complete with this packet, this one's included.
    messages: u32,
}

/// Requests of every kind, with PSNs that wrap.
fn requests(count: usize, first: u32, weather: &Weather, random: &mut Random) -> Vec<Packet> {
    let mut packets: Vec<Packet> = Vec::new();
    let mut at = first;
    while packets.len() < count {
        let mut message = Vec::new();
        if random.percent(weather.reads) {
            let len = random.below(5 * u64::from(MTU)) as u32;
            message.push(if random.percent(70) {
                (opcode::READ_REQUEST, Some(len), 0)
            } else {
                (opcode::CMP_SWAP, None, 28)
            });
        } else {
            let write = random.percent(60);
            let (first, middle, last, only) = if write { (6, 7, 8, 10) } else { (0, 1, 2, 4) };
            let middles = random.below(4) as usize;
            let whole = Some(MTU).filter(|_| write);
            if random.percent(50) {
                message.push((only, whole, 12));
            } else {
                message.push((first, whole, MTU as usize));
                message.extend(vec![(middle, None, MTU as usize); middles]);
                message.push((last, None, 12));
            }
        }
        for (op, reth, payload) in message {
            let psns = reth.filter(|_| op == opcode::READ_REQUEST).map_or(1, |len| len.div_ceil(MTU).max(1));
            let ends = opcode::completes_message(op);
            let ack_req = ends || random.percent(weather.asks);
            let messages = packets.last().map_or(0, |p| p.messages) + u32::from(ends);
            let frame = sample::request(op, at, ack_req, reth, payload);
            packets.push(Packet { psn: at, psns, op, ack_req, frame, messages });
            at = psn::add(at, psns);
        }
    }
    packets
}

/// A requester that goes back to the first unacknowledged packet when it must.
struct Sender {
    packets: Vec<Packet>,
    next: usize,
    sent: usize,
    una: usize,
    /// Response packets of the READ at `una`.
    got: u32,
    first_msn: u32,
    idle: u32,
    implied_naks: u32,
    /// Told that it is over.
    failed: bool,
}

impl Sender {
    fn new(packets: Vec<Packet>, first_msn: u32) -> Self {
        let (next, sent, una, got, idle, implied_naks) = (0, 0, 0, 0, 0, 0);
        Sender { packets, next, sent, una, got, first_msn, idle, implied_naks, failed: false }
    }

    fn offer(&mut self, window: usize) -> Option<Vec<u8>> {
        self.idle += 1;
        if self.idle > PATIENCE {
            self.back_to(self.una);
        }
        let packet = self.packets.get(self.next).filter(|_| self.next < self.una + window)?;
        self.next += 1;
        self.sent = self.sent.max(self.next);
        Some(packet.frame.clone())
    }

    fn back_to(&mut self, at: usize) {
        (self.next, self.got, self.idle) = (at, 0, 0);
    }

    /// The packet that holds a PSN, among those that wait for an answer.
    fn holder(&self, at: u32) -> Option<usize> {
        let waiting = &self.packets[self.una..self.sent];
        waiting.iter().position(|p| psn::sub(at, p.psn) < p.psns).map(|i| self.una + i)
    }

    /// Everything before `end` is answered; false: a READ in front was not, so something was lost.
    fn answered_before(&mut self, end: usize) -> bool {
        let open = (self.una..end).find(|&i| opcode::is_barrier(self.packets[i].op, false));
        let done = open.unwrap_or(end);
        if done > self.una {
            (self.una, self.got, self.idle) = (done, 0, 0);
            self.next = self.next.max(done);
        }
        if let Some(read) = open {
            self.implied_naks += 1;
            self.back_to(read);
        }
        open.is_none()
    }

    /// `executed`: messages that the responder has counted by now.
    fn hears(&mut self, meta: &Meta, executed: u32) {
        let Some(at) = self.holder(meta.psn) else { return };
        let read = opcode::is_barrier(self.packets[at].op, false);
        if meta.opcode == opcode::ACKNOWLEDGE && meta.syndrome >> 5 == 0 {
            let right = psn::add(self.packets[at].messages, self.first_msn);
            // A repeated READ is answered with the count of now, which is then said for its PSN.
            let later = psn::after(meta.msn, right) && !psn::after(meta.msn, executed);
            assert!(meta.msn == right || later, "MSN of PSN {:#x}: {} for {right}", meta.psn, meta.msn);
            self.answered_before(at + 1);
        } else if meta.opcode == opcode::ACKNOWLEDGE {
            self.failed |= (0x61..0x64).contains(&meta.syndrome);
            if self.answered_before(at) {
                self.back_to(at);
            }
        } else if read && self.answered_before(at) {
            let packet = &self.packets[at];
            let place = psn::sub(meta.psn, packet.psn);
            if place > self.got {
                self.implied_naks += 1;
                self.back_to(at);
            } else if place == self.got {
                (self.got, self.idle) = (self.got + 1, 0);
                if self.got == packet.psns {
                    (self.una, self.got) = (at + 1, 0);
                    self.next = self.next.max(self.una);
                }
            }
        }
    }

    fn done(&self) -> bool {
        self.una == self.packets.len()
    }
}

/// A responder as the standard has it.
struct Responder {
    expected: u32,
    msn: u32,
    naked: bool,
    /// An ACK that is owed.
    owes: bool,
}

impl Responder {
    fn hears(&mut self, frame: &[u8], weather: &Weather, random: &mut Random, out: &mut VecDeque<Vec<u8>>) {
        let meta = parse_frame(frame);
        if !icrc::good(frame, &meta) {
            return;
        }
        let far = psn::after(meta.psn, self.expected);
        let new = meta.psn == self.expected;
        let barrier = opcode::is_barrier(meta.opcode, false);
        if far || (new && opcode::is_send(meta.opcode) && random.percent(weather.not_ready)) {
            if !self.naked || !far {
                self.settle(out);
                out.push_back(sample::ack(self.expected, if far { 0x60 } else { 0x2a }, self.msn));
                self.naked = true;
            }
            return;
        }
        if barrier {
            self.settle(out);
        }
        if new {
            self.naked = false;
            self.msn = psn::add(self.msn, u32::from(opcode::completes_message(meta.opcode)));
        }
        if barrier {
            let psns = if meta.opcode == opcode::READ_REQUEST { meta.reth_len.div_ceil(MTU).max(1) } else { 1 };
            let last = psn::sub(psn::add(meta.psn, psns), 1);
            self.expected = if new { psn::add(last, 1) } else { self.expected };
            for i in 0..psns {
                let op = match (meta.opcode, i) {
                    (opcode::READ_REQUEST, 0) if psns == 1 => opcode::READ_RESPONSE_ONLY,
                    (opcode::READ_REQUEST, 0) => opcode::READ_RESPONSE_FIRST,
                    (opcode::READ_REQUEST, i) if i + 1 == psns => opcode::READ_RESPONSE_LAST,
                    (opcode::READ_REQUEST, _) => opcode::READ_RESPONSE_MIDDLE,
                    _ => opcode::ATOMIC_ACKNOWLEDGE,
                };
                // A MIDDLE has no AETH: the four bytes are payload then.
                out.push_back(sample::read_response(op, psn::add(meta.psn, i), self.msn, 64));
            }
            return;
        }
        self.expected = if new { psn::add(meta.psn, 1) } else { self.expected };
        self.owes |= meta.ack_req;
        if self.owes && random.percent(60) {
            self.settle(out);
        }
    }

    fn settle(&mut self, out: &mut VecDeque<Vec<u8>>) {
        if std::mem::take(&mut self.owes) {
            out.push_back(sample::ack(psn::sub(self.expected, 1), 0x1f, self.msn));
        }
    }
}

struct Conversation {
    sender: Sender,
    gateway: Gateway,
    responder: Responder,
    watch: Watch,
    serial: u8,
    weather: Weather,
    random: Random,
    steps: u64,
    silent_until: u64,
    events: BTreeMap<u8, u64>,
    near_up: VecDeque<Vec<u8>>,
    near_down: VecDeque<Vec<u8>>,
    line_up: VecDeque<Vec<u8>>,
    line_down: VecDeque<Vec<u8>>,
}

impl Conversation {
    fn new(weather: Weather, packets: usize, seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let first = psn::sub(0, random.below(packets as u64) as u32);
        let packets = requests(packets, first, &weather, &mut random);
        let first_msn = psn::sub(0, random.below(100) as u32);
        let params = if weather.tight {
            Params { outbound: [2, 2, 0], inbound_beats: 310, descriptors: 40 }
        } else {
            Params::default()
        };
        let mut gateway = Gateway::new(params);
        gateway.add_flow(key_out(), key_in(), I);
        gateway.set_enable(true);
        gateway.set_ack_on_arrival(weather.on_arrival);
        gateway.set_timers(weather.timers.unwrap_or_default());
        let responder = Responder { expected: packets[0].psn, msn: first_msn, naked: false, owes: false };
        let sender = Sender::new(packets, first_msn);
        let mut watch = Watch::new();
        let ack_ops_write = weather.ack_ops_write;
        watch.flow(I, Watched { key_out: key_out(), key_in: key_in(), mtu: Some(MTU), ack_ops_write });
        let mut c = Conversation {
            sender,
            gateway,
            responder,
            watch,
            serial: 0,
            weather,
            random,
            steps: 0,
            silent_until: 0,
            events: BTreeMap::new(),
            near_up: VecDeque::new(),
            near_down: VecDeque::new(),
            line_up: VecDeque::new(),
            line_down: VecDeque::new(),
        };
        c.restart();
        c
    }

    fn restart(&mut self) {
        self.serial = self.serial.wrapping_add(1);
        let ack_ops_write = self.weather.ack_ops_write;
        self.gateway.set_cfg(I, Cfg { enable: true, mtu: 1, serial: self.serial, ack_ops_write });
        self.watch.lapsed(I);
    }

    /// A tick passes.
    fn tick(&mut self, now: u64) {
        self.gateway.set_now(now as u32);
        self.gateway.sweep();
    }

    /// One thing happens.
    fn step(&mut self) {
        self.steps += 1;
        if self.steps.is_multiple_of(TICK) {
            self.tick(self.steps / TICK);
        }
        for event in self.gateway.take_events() {
            *self.events.entry(event.code).or_default() += 1;
        }
        if self.weather.calm_from != 0 && self.sender.una >= self.weather.calm_from {
            let Weather { ack_ops_write, reads, asks, tight, on_arrival, timers, .. } = self.weather;
            self.weather = Weather { ack_ops_write, reads, asks, tight, on_arrival, timers, ..Weather::default() };
        }
        if self.random.below(1000) < self.weather.stalls {
            self.silent_until = self.steps + self.random.below(self.weather.stall_steps);
        }
        let weather = self.weather;
        match self.random.below(10) {
            0 | 1 => {
                let frame = self.sender.offer(40);
                self.near_up.extend(frame);
            }
            2 | 3 => {
                if let Some(frame) = self.near_up.pop_front() {
                    self.client_in(frame);
                }
            }
            4 => self.leave(Port::Line),
            5 => self.leave(Port::Client),
            6 => {
                let active = self.gateway.flow(I).state == State::Active;
                self.watch.active(I, active);
                if let Some(ack) = self.gateway.next_ack() {
                    self.watch.built(&ack.frame).unwrap_or_else(|v| panic!("{v}"));
                    self.near_down.push_back(ack.frame);
                }
            }
            7 => {
                if let Some(frame) = self.near_down.pop_front() {
                    if !self.random.percent(weather.near_loss) {
                        self.sender.hears(&parse_frame(&frame), self.responder.msn);
                    }
                }
            }
            8 if self.steps < self.silent_until => {}
            8 => match self.line_up.pop_front() {
                Some(_) if self.random.below(1000) < weather.far_loss => {}
                Some(frame) => self.responder.hears(&frame, &weather, &mut self.random, &mut self.line_down),
                None => self.responder.settle(&mut self.line_down),
            },
            _ => {
                if let Some(frame) = self.line_down.pop_front() {
                    self.line_in(frame);
                }
            }
        }
        if self.random.below(1000) < weather.restarts {
            self.restart();
        }
    }

    fn client_in(&mut self, frame: Vec<u8>) {
        if self.random.percent(self.weather.near_loss) {
            return;
        }
        let harmed = self.random.percent(self.weather.near_damage);
        let frame = if harmed { damaged(frame) } else { frame };
        let verdict = self.gateway.admit_client(&frame, false);
        if self.weather.on_arrival && verdict.forward {
            self.watch.to_line(&frame);
        }
        self.watch.active(I, verdict.active);
        if !verdict.forward && !matches!(verdict.reason, Reason::Overflow | Reason::OutOfOrder) {
            self.watch.dropped_from_client(&frame).unwrap_or_else(|v| panic!("{v}"));
        }
    }

    fn line_in(&mut self, frame: Vec<u8>) {
        self.watch.from_line(&frame).unwrap_or_else(|v| panic!("{v}"));
        let verdict = self.gateway.admit_line(&frame, false);
        if verdict.reason != Reason::None {
            self.watch.dropped_from_line(&frame);
        }
    }

    fn leave(&mut self, port: Port) {
        let (left, to) = match port {
            Port::Line => (self.gateway.depart_line(), &mut self.line_up),
            Port::Client => (self.gateway.depart_client(), &mut self.near_down),
        };
        if !matches!(self.gateway.flow(I).state, State::Sync | State::Active) {
            self.watch.lapsed(I);
        }
        if let Some(frame) = left.flatten() {
            match port {
                Port::Line if self.weather.on_arrival => {}
                Port::Line => self.watch.to_line(&frame),
                Port::Client => {
                    self.watch.overtaken(&frame).unwrap_or_else(|v| panic!("{v}"));
                    self.watch.to_client(&frame);
                }
            }
            to.push_back(frame);
        }
    }

    /// Until the sender has an answer to everything.
    fn run(mut self, what: &str) -> Conversation {
        for _ in 0..4_000_000 {
            self.step();
            if self.sender.done() {
                let last = &self.sender.packets[self.sender.packets.len() - 1];
                let end = psn::add(last.psn, last.psns);
                while self.responder.expected != end {
                    assert!(!self.line_up.is_empty() || !self.gateway.outbound().is_empty(), "{what}: lost");
                    self.step();
                }
                return self;
            }
        }
        let stuck = &self.sender.packets[self.sender.una];
        panic!(
            "{what}: stuck at PSN {:#x} (op {:#x}, AckReq {}): {:?}, far {:#x}",
            stuck.psn,
            stuck.op,
            stuck.ack_req,
            self.gateway.flow(I),
            self.responder.expected
        );
    }

    fn count(&self, counter: &Counter) -> u64 {
        self.gateway.counters().get(counter)
    }
}

/// Runs eight conversations, the first from `SEED` (1 when unset); gives the sum of what `measure` finds in them.
fn conversations<const N: usize>(weather: Weather, measure: fn(&Conversation) -> [u64; N]) -> [u64; N] {
    let first = std::env::var("SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1u64);
    (first..first + 8).fold([0; N], |sum, seed| {
        let found = measure(&Conversation::new(weather, 600, seed).run(&format!("SEED={seed}")));
        std::array::from_fn(|i| sum[i] + found[i])
    })
}

#[test]
fn a_quiet_one_is_acknowledged_early_and_loses_nothing() {
    let weather = Weather { asks: 10, ..Weather::default() };
    let [acks, naks, drops, implied] = conversations(weather, |c| {
        assert_eq!(c.gateway.flow(I).state, State::Active);
        let drops = c.count(&DROP_DUPLICATE) + c.count(&DROP_OUT_OF_ORDER) + c.count(&DROP_BAD_ICRC);
        [c.count(&PSEUDO_ACKS), c.count(&NAKS), drops, c.sender.implied_naks.into()]
    });
    assert!(acks > 500, "{acks}");
    assert_eq!((naks, drops, implied), (0, 0, 0));
}

#[test]
fn with_reads_no_ack_is_taken_for_an_implied_nak() {
    let weather = Weather { reads: 25, asks: 10, ..Weather::default() };
    let [acks, implied] = conversations(weather, |c| [c.count(&PSEUDO_ACKS), c.sender.implied_naks.into()]);
    assert!(acks > 200, "{acks}");
    assert_eq!(implied, 0);
}

#[test]
fn with_ops_write_sends_wait_for_the_far_side_and_may_be_refused() {
    let weather = Weather { ack_ops_write: true, reads: 10, asks: 10, not_ready: 3, ..Weather::default() };
    let [acks, faults] =
        conversations(weather, |c| [c.count(&PSEUDO_ACKS), u64::from(c.gateway.flow(I).state == State::Fault)]);
    assert!(acks > 100, "{acks}");
    assert_eq!(faults, 0);
}

#[test]
fn what_the_near_side_loses_it_sends_again() {
    let weather = Weather { reads: 15, near_loss: 3, near_damage: 2, asks: 10, ..Weather::default() };
    let [naks, bad, ahead, behind] = conversations(weather, |c| {
        [&NAKS, &DROP_BAD_ICRC, &DROP_OUT_OF_ORDER, &DROP_DUPLICATE].map(|counter| c.count(counter))
    });
    assert!(naks > 20 && bad > 20 && ahead > 100 && behind > 50, "{naks} {bad} {ahead} {behind}");
}

#[test]
fn a_full_memory_costs_time_and_nothing_else() {
    let weather = Weather { reads: 15, asks: 10, tight: true, ..Weather::default() };
    let [overflows] = conversations(weather, |c| [c.count(&DROP_OVERFLOW)]);
    assert!(overflows > 100, "{overflows}");
}

#[test]
fn the_host_may_start_a_flow_afresh_at_any_time() {
    let weather = Weather { reads: 15, near_loss: 2, near_damage: 1, asks: 10, restarts: 1, ..Weather::default() };
    let [acks, restarts] = conversations(weather, |c| [c.count(&PSEUDO_ACKS), c.serial.into()]);
    assert!(acks > 100 && restarts > 20, "{acks} {restarts}");
}

#[test]
fn on_arrival_the_same_is_said_sooner() {
    let weather = Weather { reads: 15, near_loss: 2, asks: 10, on_arrival: true, ..Weather::default() };
    let [acks] = conversations(weather, |c| [c.count(&PSEUDO_ACKS)]);
    assert!(acks > 200, "{acks}");
}

#[test]
fn everything_at_once() {
    let weather = Weather {
        ack_ops_write: true,
        reads: 20,
        near_loss: 3,
        near_damage: 2,
        not_ready: 2,
        asks: 10,
        restarts: 1,
        tight: true,
        on_arrival: false,
        ..Weather::default()
    };
    let [acks] = conversations(weather, |c| [c.count(&PSEUDO_ACKS)]);
    assert!(acks > 20, "{acks}");
}

#[path = "conversation_states_tests.rs"]
mod states;
