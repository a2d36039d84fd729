//! Everything at once: many connections, both directions full, ports that stall, frames that are damaged, lost or sent
//! twice, and a watch on what must hold.
//!
//! What is under way to the sender may be overtaken by a response or a refusal of the far side, or by a real ACK of a
//! flow that is Active no longer: a sender drops an ACK older than what it knows. So the gateway's own words must never
//! step back, and what overtakes them is counted.
//!
//! Every frame is unlike any other (a frame sent again has another IP identification), so that what leaves is known.

use super::bench::{noisy, Bench, Joiner, QUIET};
use super::packets::{budget, frame, plain, Way};
use super::peers::{Far, Near, Pair};
use crate::harness::{Random, Stall, Tally};
use matchrdma_model::invariants::{Due, Rule, Watch, Watched};
use matchrdma_model::record::{Cfg, State};
use matchrdma_sim::configure::Host;
use matchrdma_sim::engine::{Beat, Gateway};
use matchrdma_sim::reads::Reader;
use matchrdma_spec::params::{MAX_FRAME_BYTES, PSN_MASK};
use matchrdma_spec::regs::counters::*;
use matchrdma_spec::regs::flow::{mtu_code, DIR_INBOUND, DIR_OUTBOUND};
use matchrdma_spec::regs::{control, timer};
use matchrdma_spec::wire::opcode::is_barrier;
use matchrdma_spec::wire::packet::{icrc_ok, parse_frame};
use std::collections::VecDeque;

/// One stretch of traffic.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// Frames of no flow fill every cycle that is left at the client and at the line port.
    fill: [bool; 2],
    /// Of the client and of the line port.
    stall: [Stall; 2],
    /// In 1000 frames, so many are damaged, sent twice or worse.
    trouble: u64,
    /// Cycles of it.
    cycles: u64,
}

struct Connection {
    index: u16,
    near: Near,
    far: Far,
    cfg: Cfg,
    /// Newest PSN that the gateway told the sender of.
    said: Option<u32>,
    /// In 1000 frames, so many are lost behind the gateway.
    loss: u64,
}

/// A frame in the gateway, and what the watch says of it: that it must leave.
struct Inside {
    bytes: Vec<u8>,
    due: Option<Due>,
}

/// What is on its way somewhere, by the cycle it arrives.
type Delayed = VecDeque<(u64, Vec<u8>)>;

struct World {
    random: Random,
    bench: Bench,
    watch: Watch,
    reader: Reader,
    connections: Vec<Connection>,
    ident: u32,
    now: u64,
    /// Into the client and the line port.
    beats: [VecDeque<Beat>; 2],
    /// What may still leave on the other side: to the line; to the client, RoCE and the rest, which have queues of their own.
    inside: [VecDeque<Inside>; 3],
    inside_beats: [usize; 3],
    out: [Joiner; 2],
    to_far: Delayed,
    to_near: Delayed,
    answers: Delayed,
    frames_in: [u64; 2],
    bytes_in: [u64; 2],
    frames_out: [u64; 2],
    bytes_out: [u64; 2],
    built: u64,
    /// Went in and never left.
    vanished: u64,
    /// Of these, what the gateway must drop whatever happens: MAC errors, giants, budget frames.
    doomed: [u64; 3],
    tally: Tally,
}

impl World {
    fn new(random: Random) -> Self {
        let mut world = World {
            random,
            bench: Bench::new(),
            watch: Watch::new(),
            reader: Reader::default(),
            connections: vec![],
            ident: 0,
            now: 0,
            beats: Default::default(),
            inside: Default::default(),
            inside_beats: [0; 3],
            out: Default::default(),
            to_far: VecDeque::new(),
            to_near: VecDeque::new(),
            answers: VecDeque::new(),
            frames_in: [0; 2],
            bytes_in: [0; 2],
            frames_out: [0; 2],
            bytes_out: [0; 2],
            built: 0,
            vanished: 0,
            doomed: [0; 3],
            tally: Tally::default(),
        };
        for i in 0..12u32 {
            let v6 = i % 4 == 3;
            let address = |host: u128| if v6 { 0xfd00 << 112 | host } else { 0x0a00_0000 | host };
            let vids = [vec![], vec![9], vec![], vec![7, 4094]][i as usize / 3].clone();
            let pair = u128::from(i / 2);
            let way = Way { v6, vids, src: address(1 + pair), dst: address(101 + pair), src_mac: 1, dst_mac: 2 };
            let index = (i * 341) as u16;
            world.bench.add_key(DIR_OUTBOUND, way.key(0x100 + i), index, &mut world.random);
            world.bench.add_key(DIR_INBOUND, way.back().key(0x200 + i), index, &mut world.random);
            let pair = Pair {
                way,
                responder: 0x100 + i,
                requester: 0x200 + i,
                first_psn: 0,
                mtu: 256 << (i % 3),
                read_bytes: 0,
            };
            let cfg = Cfg::default();
            let (near, far) = (Near::new(pair.clone(), 0), Far::new(pair, 0));
            world.connections.push(Connection { index, near, far, cfg, said: None, loss: 0 });
        }
        world.bench.gates.unwatched();
        world.bench.write(&control::CONTROL, 1);
        world.reader = Reader::new(world.connections.iter().map(|c| c.index).collect());
        world
    }

    /// New connections of the same queue pairs. The last one is unknown to the gateway.
    fn restart(&mut self, goal: usize) {
        let count = self.connections.len();
        for (i, c) in self.connections.iter_mut().enumerate() {
            let mut pair = c.near.pair.clone();
            let knows = i % 3 != 1;
            // Some begin just before the wrap.
            pair.first_psn =
                if i % 2 == 0 { PSN_MASK - self.random.below(200) as u32 } else { self.random.bits(24) as u32 };
            pair.read_bytes = if knows { 5 * pair.mtu } else { 256 };
            c.loss = if i % 4 == 2 { 3 } else { 0 };
            c.said = None;
            c.near = Near::new(pair.clone(), goal);
            c.far = Far::new(pair.clone(), self.random.bits(24) as u32);
            c.far.rnr = c.loss;
            c.cfg = Cfg {
                enable: i + 1 < count,
                ack_ops_write: i % 5 == 4,
                mtu: if knows { mtu_code(pair.mtu) as u8 } else { 0 },
                serial: c.cfg.serial.wrapping_add(1),
            };
            self.bench.set_cfg(c.index, c.cfg);
            if c.cfg.enable {
                let (key_out, key_in) = (pair.way.key(pair.responder), pair.way.back().key(pair.requester));
                let mtu = knows.then_some(pair.mtu);
                self.watch.flow(c.index, Watched { key_out, key_in, mtu, ack_ops_write: c.cfg.ack_ops_write });
            }
        }
    }

    fn ident(&mut self) -> u32 {
        self.ident += 1;
        self.ident
    }

    /// Gives a frame to a port, 0 client or 1 line.
    fn give(&mut self, port: usize, bytes: Vec<u8>, mac_error: bool) {
        let count = bytes.len().div_ceil(64);
        self.beats[port].extend(noisy(&bytes, mac_error, &mut self.random));
        self.frames_in[port] += 1;
        self.bytes_in[port] += bytes.len().min(MAX_FRAME_BYTES) as u64;
        let giant = bytes.len() > MAX_FRAME_BYTES;
        let kind = if giant {
            1
        } else if mac_error {
            0
        } else {
            2
        };
        if giant || mac_error || (port == 0 && parse_frame(&bytes).budget) {
            self.doomed[kind] += 1;
            return;
        }
        if port == 1 {
            self.watch.from_line(&bytes).unwrap_or_else(|e| panic!("cycle {}: {e}", self.now));
        }
        let due = if port == 0 { self.watch.from_client(&bytes) } else { None };
        let queue = if port == 1 { Self::to_client(&bytes) } else { 0 };
        self.inside[queue].push_back(Inside { bytes, due });
        self.inside_beats[queue] += count;
    }

    /// Something that is no good, beside the frame itself. `true`: and the frame itself does not come.
    fn trouble(&mut self, port: usize, bytes: &[u8]) -> bool {
        let mut bad = bytes.to_vec();
        match self.random.below(8) {
            0..=2 => {
                // In the part that the ICRC covers, behind what says which flow it is.
                let at = bytes.len() - 1 - self.random.below(8) as usize;
                bad[at] ^= 1 << self.random.below(8);
                self.give(port, bad, false);
                self.random.chance(1, 2)
            }
            3 => {
                self.give(port, bad, true);
                true
            }
            4 => {
                bad.truncate(1 + self.random.below(bytes.len() as u64 - 1) as usize);
                self.give(port, bad, false);
                self.random.chance(1, 2)
            }
            5 => {
                let size = MAX_FRAME_BYTES + 1 + self.random.below(500) as usize;
                let number = self.random.u64();
                self.give(port, plain(size, number), false);
                false
            }
            6 if port == 0 => {
                self.give(port, budget(), false);
                false
            }
            _ => true,
        }
    }

    /// The next frame into the client port.
    fn take_client(&mut self, epoch: &Epoch, feeding: bool) {
        let start = self.random.below(self.connections.len() as u64) as usize;
        for k in 0..self.connections.len() {
            let i = (start + k) % self.connections.len();
            let ident = self.ident();
            if feeding && self.random.chance(epoch.trouble, 1000) {
                if let Some(again) = self.connections[i].near.duplicate(ident, &mut self.random) {
                    self.give(0, again, false);
                    return;
                }
            }
            if let Some(bytes) = self.connections[i].near.poll(self.now, ident, &mut self.random) {
                if !(feeding && self.random.chance(epoch.trouble, 1000) && self.trouble(0, &bytes)) {
                    self.give(0, bytes, false);
                }
                return;
            }
        }
        if feeding && epoch.fill[0] {
            self.fill(0);
        }
    }

    /// The next frame into the line port.
    fn take_line(&mut self, epoch: &Epoch, feeding: bool) {
        // The buffer behind it must not overflow: what was answered there is not answered again.
        if self.inside_beats[1] > 12_000 || self.inside[1].len() > 3000 {
            return;
        }
        if self.answers.front().is_some_and(|a| a.0 <= self.now) {
            let (_, bytes) = self.answers.pop_front().expect("there is one");
            if !(feeding && self.random.chance(epoch.trouble, 1000) && self.trouble(1, &bytes)) {
                self.give(1, bytes, false);
            }
        } else if feeding && epoch.fill[1] {
            self.fill(1);
        }
    }

    fn fill(&mut self, port: usize) {
        let size = self.random.pick(&[60, 64, 65, 256, 1500]);
        let number = u64::from(self.ident()) << 1 | port as u64;
        self.give(port, plain(size, number), false);
    }

    /// A whole frame left for the line.
    fn at_line(&mut self, bytes: Vec<u8>) {
        self.frames_out[1] += 1;
        self.bytes_out[1] += bytes.len() as u64;
        let at =
            self.inside[0].iter().position(|f| f.bytes == bytes).expect("only what came in leaves, once and in order");
        if self.inside[0][at].due.is_some() {
            self.tally.count("due", "left");
        }
        self.leave(0, at);
        // An ACK that is under way when a request leaves for the second time knows nothing of that.
        let meta = parse_frame(&bytes);
        let flow = self.connections.iter().find(|c| c.far.pair.responder == meta.dest_qpn).map(|c| c.index);
        let expected = flow.and_then(|index| self.watch.expected(index));
        let behind = expected.is_some_and(|e| meta.psn.wrapping_sub(e) & PSN_MASK > PSN_MASK / 2);
        let again = behind && is_barrier(meta.opcode, true);
        if !again {
            self.watch.to_line(&bytes);
        }
        self.to_far.push_back((self.now + 100, bytes));
    }

    /// A whole frame left for the client.
    fn at_client(&mut self, bytes: Vec<u8>) {
        self.frames_out[0] += 1;
        self.bytes_out[0] += bytes.len() as u64;
        let queue = Self::to_client(&bytes);
        if let Some(at) = self.inside[queue].iter().position(|f| f.bytes == bytes) {
            self.leave(queue, at);
            self.watch.to_client(&bytes);
        } else {
            self.built += 1;
            self.said(&bytes);
            let nak = parse_frame(&bytes).syndrome != 0x1f;
            self.tally.count("built", if nak { "NAK" } else { "ACK" });
        }
        self.to_near.push_back((self.now + 50, bytes));
    }

    /// The gateway's own word to a sender.
    fn said(&mut self, bytes: &[u8]) {
        let meta = parse_frame(bytes);
        let told = meta.psn.wrapping_sub(u32::from(meta.syndrome != 0x1f)) & PSN_MASK;
        let verdict = self.watch.built(bytes);
        let Some(c) = self.connections.iter_mut().find(|c| c.near.pair.requester == meta.dest_qpn) else {
            panic!("cycle {}: built for nobody: {} bytes {bytes:02x?}, {verdict:?}", self.now, bytes.len())
        };
        if (0x61..=0x63).contains(&meta.syndrome) {
            // The end of a queue pair: the far side refused what the sender had been told.
            assert!(!Self::sound(c), "cycle {}: flow {} failed", self.now, c.index);
            verdict.unwrap_or_else(|e| panic!("cycle {}: {e}", self.now));
            self.tally.count("built", "refusal");
            return;
        }
        let behind = c.said.is_some_and(|said| told.wrapping_sub(said) & PSN_MASK > PSN_MASK / 2);
        assert!(!behind, "cycle {}: flow {} was told {:x?} and now {told:#x}", self.now, c.index, c.said);
        c.said = Some(told);
        match verdict {
            Err(e) if e.rule == Rule::Backwards => self.tally.count("built", "overtaken by a real one"),
            Err(e) => panic!("cycle {}: {e}", self.now),
            Ok(()) => {}
        }
    }

    /// The queue of a frame from the line.
    fn to_client(bytes: &[u8]) -> usize {
        if parse_frame(bytes).roce {
            1
        } else {
            2
        }
    }

    /// The frame at `at` left; those before it never will.
    fn leave(&mut self, queue: usize, at: usize) {
        self.gone(queue, at);
        if let Some(left) = self.inside[queue].pop_front() {
            self.inside_beats[queue] -= left.bytes.len().div_ceil(64);
        }
    }

    /// The first `count` frames never left.
    fn gone(&mut self, queue: usize, count: usize) {
        self.vanished += count as u64;
        for Inside { bytes, due } in self.inside[queue].drain(..count) {
            self.inside_beats[queue] -= bytes.len().div_ceil(64);
            if queue > 0 {
                self.watch.dropped_from_line(&bytes);
            } else if let Some(due) = due {
                self.watch.kept_back(due, &bytes);
                self.tally.count("due", "kept back");
            }
        }
    }

    fn peers(&mut self) {
        while self.to_far.front().is_some_and(|f| f.0 <= self.now) {
            let (_, bytes) = self.to_far.pop_front().expect("there is one");
            let meta = parse_frame(&bytes);
            let Some(c) = self.connections.iter_mut().find(|c| c.far.pair.responder == meta.dest_qpn) else { continue };
            let lost = self.random.chance(c.loss, 1000);
            if !meta.roce || !icrc_ok(&bytes, &meta) || lost {
                continue;
            }
            let back = c.far.pair.way.back();
            for mut packet in c.far.receive(&meta, &mut self.random) {
                self.ident += 1;
                packet.ident = self.ident;
                self.answers.push_back((self.now + 100, frame(&back, &packet)));
            }
        }
        while self.to_near.front().is_some_and(|f| f.0 <= self.now) {
            let (_, bytes) = self.to_near.pop_front().expect("there is one");
            let meta = parse_frame(&bytes);
            let Some(c) = self.connections.iter_mut().find(|c| c.near.pair.requester == meta.dest_qpn) else {
                continue;
            };
            if meta.roce && icrc_ok(&bytes, &meta) {
                c.near.receive(&meta, self.now);
            }
        }
    }

    fn cycle(&mut self, epoch: &Epoch, feeding: bool) -> bool {
        self.peers();
        if self.beats[0].is_empty() {
            self.take_client(epoch, feeding);
        }
        if self.beats[1].is_empty() {
            self.take_line(epoch, feeding);
        }
        let give = [self.beats[0].pop_front(), self.beats[1].pop_front()];
        let ready = epoch.stall.map(|stall| !feeding || stall.goes(self.now, &mut self.random));
        let t = self.bench.gates.tick(give[0].as_ref(), give[1].as_ref(), ready[0], ready[1]);
        // What departs in a cycle departs before what is said in it.
        if self.out[1].take(t.line_tx) {
            let bytes = self.out[1].frames.pop().expect("a frame has ended");
            self.at_line(bytes);
        }
        if self.out[0].take(t.client_tx) {
            let bytes = self.out[0].frames.pop().expect("a frame has ended");
            self.at_client(bytes);
        }
        let read = self.reader.cycle(&mut self.bench.gates, &mut self.watch);
        read.unwrap_or_else(|e| panic!("cycle {}: {e}", self.now));
        self.now += 1;
        give.iter().any(Option::is_some) || t.client_tx.is_some() || t.line_tx.is_some()
    }

    /// Whether a connection can end well: nothing was lost where the gateway could not know.
    fn sound(c: &Connection) -> bool {
        c.loss == 0
    }

    fn run(&mut self, epoch: &Epoch) {
        for _ in 0..epoch.cycles {
            self.cycle(epoch, true);
        }
        // No more trouble: what can end well must.
        let (patience, late) = (self.now + 400_000, self.now + 150_000);
        // A repeated request whose answer the line lost, and which its sender needs no longer, holds its flow until
        // `flow_idle` has passed; so has one that asks for no ACK, of those that are the far side's to answer.
        let mut waited = false;
        while self.connections.iter().any(|c| Self::sound(c) && !c.near.is_done()) {
            self.cycle(epoch, false);
            if self.now == late {
                self.pass_idle();
                waited = true;
            }
            let stuck = self.connections.iter().find(|c| Self::sound(c) && !c.near.is_done());
            if let (Some(c), true) = (stuck, self.now > patience) {
                let gates = self.bench.flow(c.index);
                panic!("flow {} does not end: {}\n{gates:?}\n{:?}", c.index, c.near.progress(), c.cfg);
            }
        }
        // The others stop where they are.
        let last = self.connections.iter().map(|c| c.near.progress()).collect::<Vec<_>>();
        println!("cycle {}: {last:?}", self.now);
        self.connections.iter_mut().for_each(|c| c.near = Near::new(c.near.pair.clone(), 0));
        self.answers.clear();
        let mut quiet = 0;
        while quiet < 2 * QUIET {
            self.answers.clear();
            quiet = if self.cycle(epoch, false) || !self.to_far.is_empty() { 0 } else { quiet + 1 };
        }
        assert!(Host::new(&mut self.bench.gates).idle().expect("STATUS reads"), "it ends empty");
        assert!(self.out.iter().all(|o| o.part.is_empty()), "a frame without an end");
        (0..3).for_each(|queue| self.gone(queue, self.inside[queue].len()));
        let read = self.reader.finish(&mut self.bench.gates, &mut self.watch);
        read.unwrap_or_else(|e| panic!("cycle {}: {e}", self.now));
        self.balance();
        for c in &self.connections {
            let state = self.bench.flow(c.index).state;
            self.tally.count("state", state);
            // Whatever the near side lost, also before the flow was Active.
            if Self::sound(c) {
                let expected = if c.cfg.enable { State::Active } else { State::Off };
                let idle = waited && c.cfg.enable && state == State::Sync;
                assert!(state == expected || idle, "flow {} ended well: {state:?}", c.index);
            }
        }
    }

    /// The time that a flow may be idle is over at once.
    fn pass_idle(&mut self) {
        self.tally.count("time", "flow_idle has passed");
        let [idle, now] = [timer::FLOW_IDLE, timer::NOW]
            .map(|register| self.bench.gates.read(register.offset).expect("the register can be read"));
        self.bench.write(&timer::NOW, timer::NOW_FIELD.max() & (now + idle + 1));
    }

    /// What came in is what went out and what the counters say.
    fn balance(&mut self) {
        let all = self.bench.counters();
        let of = |c: &Counter| all[c.index].1;
        assert_eq!([of(&CLIENT_FRAMES_IN), of(&LINE_FRAMES_IN)], self.frames_in);
        assert_eq!([of(&CLIENT_BYTES_IN), of(&LINE_BYTES_IN)], self.bytes_in);
        assert_eq!([of(&CLIENT_FRAMES_OUT), of(&LINE_FRAMES_OUT)], self.frames_out);
        assert_eq!([of(&CLIENT_BYTES_OUT), of(&LINE_BYTES_OUT)], self.bytes_out);
        assert_eq!(of(&PSEUDO_ACKS) + of(&NAKS), self.built);
        let doomed = [of(&DROP_MAC_ERROR), of(&DROP_MALFORMED), of(&DROP_BUDGET_FROM_CLIENT)];
        assert_eq!(doomed, self.doomed);
        let dropped = all.iter().filter(|(c, _)| c.name.starts_with("DROP_")).map(|(_, n)| n).sum::<u64>();
        assert_eq!(dropped + of(&ABSORBED_ACKS), self.vanished + self.doomed.iter().sum::<u64>());
        let came: u64 = self.frames_in.iter().sum::<u64>() + self.built;
        assert_eq!(came, self.frames_out.iter().sum::<u64>() + dropped + of(&ABSORBED_ACKS));
        let show: Vec<String> = all.iter().map(|(c, n)| format!("{} {n}", c.name)).collect();
        println!("{}", show.join(", "));
    }
}

#[test]
fn nothing_is_said_that_did_not_depart_and_nothing_is_lost_that_is_not_counted() {
    use Stall::*;
    let mut world = World::new(Random::new());
    let epochs = [
        Epoch { fill: [true, true], stall: [Never, Never], trouble: 0, cycles: 20_000 },
        Epoch { fill: [true, true], stall: [Never, Never], trouble: 20, cycles: 30_000 },
        Epoch { fill: [false, false], stall: [Half, Half], trouble: 20, cycles: 30_000 },
        Epoch { fill: [true, false], stall: [Bursts, Mostly], trouble: 20, cycles: 30_000 },
        Epoch { fill: [true, true], stall: [Half, Bursts], trouble: 40, cycles: 40_000 },
    ];
    for epoch in &epochs {
        println!("{epoch:?}");
        world.restart(400);
        world.run(epoch);
    }
    println!("{} cycles", world.now);
    world.tally.print();
    world.tally.reached("built", &["ACK", "NAK"], 20);
    world.tally.reached("built", &["refusal"], 1);
    world.tally.reached("state", &[State::Active], 30);
}
