//! The gates against the model, frame by frame to quiescence: the same frames must leave, in the same order, and at the
//! end the same counters and the same flows must be read.
//!
//! The model also steers: what it says of a flow tells which PSN is in order, so that every rule is met often.

use super::bench::{noisy, Bench};
use super::packets::{aeth, budget, frame, mac_control, migrated, plain, reth, Packet, Way};
use crate::harness::{Random, Tally};
use matchrdma_model::gateway::{Gateway, Params, Timers};
use matchrdma_model::record::{Cfg, Kind, Reason, State};
use matchrdma_spec::event;
use matchrdma_spec::params::{MAX_FRAME_BYTES, PSN_MASK};
use matchrdma_spec::regs::flow::{DIR_INBOUND, DIR_OUTBOUND};
use matchrdma_spec::regs::{control, meter, timer};
use matchrdma_spec::wire::opcode::*;
use std::collections::VecDeque;

/// Requests by how often they come.
const REQUESTS: [(u8, u64); 19] = [
    (WRITE_ONLY, 24),
    (SEND_ONLY, 10),
    (WRITE_FIRST, 6),
    (WRITE_MIDDLE, 8),
    (WRITE_LAST, 6),
    (SEND_FIRST, 4),
    (SEND_MIDDLE, 4),
    (SEND_LAST, 4),
    (SEND_LAST_IMM, 2),
    (SEND_ONLY_IMM, 3),
    (WRITE_LAST_IMM, 2),
    (WRITE_ONLY_IMM, 3),
    (SEND_LAST_INV, 2),
    (SEND_ONLY_INV, 2),
    (READ_REQUEST, 8),
    (CMP_SWAP, 3),
    (FETCH_ADD, 3),
    (FLUSH, 2),
    (ATOMIC_WRITE, 2),
];

struct Flow {
    index: u16,
    out: Way,
    back: Way,
    responder: u32,
    requester: u32,
    cfg: Cfg,
    mtu: u32,
    /// PSNs whose ACK the far side owes, with its message count there.
    owed: VecDeque<(u32, u32)>,
    far_msn: u32,
    sent: VecDeque<Vec<u8>>,
}

struct Run {
    random: Random,
    bench: Bench,
    model: Gateway,
    flows: Vec<Flow>,
    enable: bool,
    now: u32,
    ident: u32,
    tally: Tally,
}

impl Run {
    fn new(random: Random, tally: Tally) -> Self {
        let mut run = Run {
            random,
            bench: Bench::new(),
            model: Gateway::new(Params::default()),
            flows: vec![],
            enable: false,
            now: 0,
            ident: 0,
            tally,
        };
        for i in 0..10u32 {
            let v6 = i % 3 == 2;
            let address = |host: u128| if v6 { 0x2001_0db8 << 96 | host << 64 | host } else { 0x0a00_0000 | host };
            let vids = [vec![], vec![], vec![100], vec![7, 4094], vec![0]][i as usize % 5].clone();
            // Some pairs of hosts have several flows.
            let pair = u128::from(i / 4);
            let out = Way { v6, vids, src: address(1 + pair), dst: address(101 + pair), src_mac: 1, dst_mac: 2 };
            let index = [0, 4095, 1, 2048, 77, 1023, 3, 2, 511, 4094][i as usize];
            let flow = Flow {
                index,
                back: out.back(),
                out,
                responder: run.random.bits(24) as u32,
                requester: 0x40 + i,
                cfg: Cfg::default(),
                mtu: 256 << (i % 3),
                owed: VecDeque::new(),
                far_msn: run.random.bits(24) as u32,
                sent: VecDeque::new(),
            };
            run.flows.push(flow);
            run.add_keys(i as usize);
            run.restart(i as usize);
        }
        run.switch(true);
        // Time stands still but when the test says so.
        run.bench.write(&timer::TICK_LOG2, 31);
        let Timers { gap_timeout, flow_idle, debt_timeout } = TIMERS;
        run.bench.write(&timer::GAP_TIMEOUT, gap_timeout.into());
        run.bench.write(&timer::FLOW_IDLE, flow_idle.into());
        run.bench.write(&timer::DEBT_TIMEOUT, debt_timeout.into());
        run.model.set_timers(TIMERS);
        run.now = run.random.bits(24) as u32;
        run.pass(1);
        run
    }

    /// So many ticks pass.
    fn pass(&mut self, ticks: u32) {
        self.now = (self.now + ticks) & 0xff_ffff;
        self.bench.write(&timer::NOW, self.now);
        // Once a tick each stage looks after each flow once.
        self.bench.sweep();
        self.model.set_now(self.now);
        self.model.sweep();
        for event in self.model.take_events() {
            self.tally.count("event", event.code);
        }
    }

    fn switch(&mut self, on: bool) {
        self.enable = on;
        self.model.set_enable(on);
        self.bench.write(&control::CONTROL, on.into());
    }

    fn add_keys(&mut self, i: usize) {
        let f = &self.flows[i];
        let (out, back) = (f.out.key(f.responder), f.back.key(f.requester));
        self.model.add_flow(out, back, f.index);
        self.bench.add_key(DIR_OUTBOUND, out, f.index, &mut self.random);
        self.bench.add_key(DIR_INBOUND, back, f.index, &mut self.random);
    }

    fn remove_keys(&mut self, i: usize) {
        let f = &self.flows[i];
        let (out, back) = (f.out.key(f.responder), f.back.key(f.requester));
        self.model.remove_flow(&out, &back);
        self.bench.remove_key(DIR_OUTBOUND, out);
        self.bench.remove_key(DIR_INBOUND, back);
    }

    /// The host starts a flow afresh.
    fn restart(&mut self, i: usize) {
        let f = &mut self.flows[i];
        let mtu_code = matchrdma_spec::regs::flow::mtu_code(f.mtu) as u8;
        f.cfg = Cfg {
            enable: true,
            ack_ops_write: self.random.chance(1, 4),
            mtu: self.random.pick(&[mtu_code, mtu_code, 0]),
            serial: f.cfg.serial.wrapping_add(1 + self.random.below(3) as u8),
        };
        f.owed.clear();
        self.set_cfg(i);
    }

    fn set_cfg(&mut self, i: usize) {
        let f = &self.flows[i];
        self.model.set_cfg(f.index, f.cfg);
        self.bench.set_cfg(f.index, f.cfg);
    }

    fn host(&mut self) {
        let i = self.random.below(self.flows.len() as u64) as usize;
        // A flow that has failed is the likelier one.
        let failed = |f: &Flow| matches!(self.model.flow(f.index).state, State::Fault | State::Drain | State::Off);
        let i = self.flows.iter().position(failed).filter(|_| self.random.chance(3, 4)).unwrap_or(i);
        match self.random.below(20) {
            0 => {
                self.flows[i].cfg.enable ^= true;
                self.set_cfg(i);
            }
            1 => {
                self.remove_keys(i);
                self.add_keys(i);
            }
            2 => {
                // The same serial: only how the flow is treated changes.
                self.flows[i].cfg.ack_ops_write ^= true;
                self.flows[i].cfg.enable = true;
                self.set_cfg(i);
            }
            3 => {
                let on = !self.enable;
                self.switch(on);
            }
            4 => {
                // Requester and responder exchange their queue pairs for others.
                self.remove_keys(i);
                self.flows[i].responder = self.random.bits(24) as u32;
                self.add_keys(i);
                self.restart(i);
            }
            _ => self.restart(i),
        }
        if !self.enable && self.random.chance(2, 3) {
            self.switch(true);
        }
    }

    fn near(&mut self, psn: u32) -> u32 {
        let by = match self.random.below(20) {
            0..=9 => 1 + self.random.below(4) as i64,
            10..=15 => -1 - self.random.below(12) as i64,
            16 => 65_535 + self.random.below(3) as i64,
            17 => -65_535 - self.random.below(3) as i64,
            18 => 0x7f_fffe + self.random.below(4) as i64,
            _ => self.random.bits(24) as i64,
        };
        (i64::from(psn) + by) as u32 & PSN_MASK
    }

    /// A request, in order or not.
    fn request(&mut self, i: usize) -> Vec<u8> {
        if self.random.chance(1, 16) && !self.flows[i].sent.is_empty() {
            let n = self.random.below(self.flows[i].sent.len() as u64) as usize;
            return self.flows[i].sent[n].clone();
        }
        let flow = self.model.flow(self.flows[i].index);
        let active = flow.state == State::Active;
        let psn = if self.random.chance(if active { 9 } else { 28 }, if active { 10 } else { 30 }) {
            flow.expected_psn
        } else if !active && self.random.chance(1, 2) {
            // Begin just before the wrap.
            PSN_MASK - self.random.below(6) as u32
        } else {
            self.near(flow.expected_psn)
        };
        let all: u64 = REQUESTS.iter().map(|r| r.1).sum();
        let mut draw = self.random.below(all);
        let mut opcode = REQUESTS
            .iter()
            .find(|r| {
                if draw < r.1 {
                    true
                } else {
                    draw -= r.1;
                    false
                }
            })
            .expect("a request")
            .0;
        if self.random.chance(1, 40) {
            let any = self.random.bits(8) as u8;
            opcode = self.random.pick(&[0x15, 0x18, 0x1f, CNP, UD_SEND_ONLY, 0x2a, 0xaa, ACKNOWLEDGE, any]);
        }
        let mtu = self.flows[i].mtu;
        let mut body = vec![0x33; ext_header_bytes(opcode)];
        if has_reth(opcode) {
            let len = match self.random.below(6) {
                0 => 0,
                1 => mtu * self.random.below(5) as u32,
                2 => 1 + self.random.below(256) as u32,
                3 => self.random.u32() >> self.random.below(32),
                _ => self.random.below(u64::from(mtu) * 4) as u32,
            };
            body.splice(..16, reth(len));
        }
        let most = self.random.pick(&[1, 16, 300u64]);
        let payload = match opcode {
            _ if self.random.chance(1, 120) => self.random.pick(&[mtu - 4, 8, mtu + 4]),
            o if is_first(o) || is_middle(o) => mtu,
            READ_REQUEST | CMP_SWAP | FETCH_ADD | FLUSH => 0,
            ATOMIC_WRITE => 8,
            _ => self.random.below(most) as u32,
        };
        body.extend(self.random.bytes(payload as usize));
        self.ident += 1;
        let f = &self.flows[i];
        let p = Packet { opcode, qpn: f.responder, psn, ack_req: self.random.chance(1, 2), body, ident: self.ident };
        let made = frame(&f.out, &p);
        let made = if self.random.chance(1, 120) { migrated(&self.flows[i].out, made) } else { made };
        let sent = &mut self.flows[i].sent;
        sent.push_back(made.clone());
        if sent.len() > 24 {
            sent.pop_front();
        }
        made
    }

    /// An answer of the far side, true or not.
    fn response(&mut self, i: usize) -> Vec<u8> {
        let flow = self.model.flow(self.flows[i].index);
        let mut opcode = ACKNOWLEDGE;
        let mut syndrome = self.random.bits(5) as u8;
        let newest = flow.expected_psn.wrapping_sub(1) & PSN_MASK;
        let (mut psn, mut msn) = (newest, self.flows[i].far_msn);
        // Until a flow is Active the far side does little else than acknowledge.
        let draw = self.random.below(if flow.state == State::Sync { 300 } else { 100 });
        match draw {
            0..=54 | 100.. => {
                // What it owes, one or several at once.
                for _ in 0..self.random.pick(&[1, 1, 1, 3]) {
                    (psn, msn) = self.flows[i].owed.pop_front().unwrap_or((psn, msn));
                }
            }
            55..=59 => psn = self.near(flow.expected_psn),
            60..=61 => psn = flow.expected_psn,
            62..=63 => {
                syndrome = self.random.pick(&[0x60, 0x61, 0x62, 0x63, 0x64, 0x20, 0x3f, 0x40, 0xff]);
                psn = self.random.pick(&[newest, flow.expected_psn, flow.acknowledged_psn]);
                psn = if self.random.chance(1, 3) { self.near(psn) } else { psn };
            }
            64..=92 => {
                opcode = self.random.pick(&[
                    READ_RESPONSE_FIRST,
                    READ_RESPONSE_MIDDLE,
                    READ_RESPONSE_LAST,
                    READ_RESPONSE_ONLY,
                    ATOMIC_ACKNOWLEDGE,
                ]);
                psn = self.random.pick(&[newest, newest, flow.departed_psn, flow.confirmed_psn.wrapping_add(1)]);
                psn &= PSN_MASK;
            }
            93..=95 => opcode = self.random.bits(8) as u8,
            96..=97 => return self.request(i),
            _ => psn = flow.confirmed_psn,
        }
        let mut body = vec![0x44; ext_header_bytes(opcode)];
        if has_aeth(opcode) {
            body.splice(..4, aeth(syndrome, msn));
        }
        let mtu = self.flows[i].mtu;
        let payload = match opcode {
            READ_RESPONSE_FIRST | READ_RESPONSE_MIDDLE => self.random.pick(&[mtu, mtu, mtu, mtu - 1]),
            READ_RESPONSE_LAST | READ_RESPONSE_ONLY => self.random.below(u64::from(mtu) + 1) as u32,
            _ => 0,
        };
        body.extend(self.random.bytes(payload as usize));
        self.ident += 1;
        let f = &self.flows[i];
        frame(&f.back, &Packet { opcode, qpn: f.requester, psn, ack_req: false, body, ident: self.ident })
    }

    /// A frame that belongs to no flow.
    fn other(&mut self) -> Vec<u8> {
        let number = self.random.u64();
        match self.random.below(8) {
            0 => plain(1 + self.random.below(60) as usize, number),
            1 => plain(MAX_FRAME_BYTES - 1 + self.random.below(3) as usize, number),
            2 => plain(MAX_FRAME_BYTES + 1 + self.random.below(3000) as usize, number),
            3 if self.random.chance(1, 2) => mac_control(&mut self.random),
            3 => budget(),
            4 => {
                let i = self.random.below(self.flows.len() as u64) as usize;
                let way = self.random.pick(&[self.flows[i].out.clone(), self.flows[i].back.clone()]);
                let body = [reth(5), vec![1; 5]].concat();
                let qpn = self.random.bits(24) as u32;
                frame(&way, &Packet { opcode: WRITE_ONLY, qpn, psn: 5, ack_req: true, body, ident: 0 })
            }
            _ => plain(60 + self.random.below(300) as usize, number),
        }
    }

    /// What may become of a frame on its way, or what a NIC never sends.
    fn damage(&mut self, mut f: Vec<u8>) -> Vec<u8> {
        match self.random.below(40) {
            0..=1 => {
                let at = self.random.below(f.len() as u64) as usize;
                f[at] ^= 1 << self.random.below(8);
            }
            2 if f.len() > 20 => f.truncate(1 + self.random.below(f.len() as u64 - 1) as usize),
            3 if f.len() > 60 => {
                // A length field or a version that is a little off.
                let at = 14 + self.random.below(40) as usize;
                f[at] = f[at].wrapping_add(self.random.pick(&[1, 4, 0xfc, 0xff]));
            }
            4 => {
                let more = 1 + self.random.below(90) as usize;
                f.extend(self.random.bytes(more));
            }
            _ => {}
        }
        f
    }

    fn step(&mut self) {
        if self.random.chance(1, 45) {
            self.host();
        }
        if self.random.chance(1, 90) {
            // The shorter timers run out before the longer ones, so that the order of the sweeps does not matter.
            let longest = self.random.below(20);
            let steps = [3, 11, 101, 1001, 1001].into_iter().zip([18, 10, 5, 3, 3]);
            steps.filter(|(_, odds)| longest < *odds).for_each(|(ticks, _)| self.pass(ticks));
        }
        let i = self.random.below(self.flows.len() as u64) as usize;
        let index = self.flows[i].index;
        let from_client = self.random.chance(3, 5);
        let bytes = match self.random.below(20) {
            0 => self.other(),
            _ if from_client => self.request(i),
            _ => self.response(i),
        };
        let mut bytes = self.damage(bytes);
        if bytes.len() < 60 && self.random.chance(1, 2) {
            bytes.resize(60, 0xcc);
        }
        let mac_error = self.random.chance(1, 60);
        let before = self.model.flow(index);
        let mut left = [vec![], vec![]];
        let (active, reason, kind, absorbed) = if from_client {
            let v = self.model.admit_client(&bytes, mac_error);
            (v.active, v.reason, v.intent.kind, false)
        } else {
            let v = self.model.admit_line(&bytes, mac_error);
            (v.active, v.reason, v.intent.kind, v.absorbed)
        };
        loop {
            while let Some(ack) = self.model.next_ack() {
                self.tally.count("built", if ack.nak { "NAK" } else { "ACK" });
                left[0].push(ack.frame);
            }
            if let Some(entry) = self.model.depart_line() {
                left[1].extend(entry);
            } else if let Some(entry) = self.model.depart_client() {
                left[0].extend(entry);
            } else {
                break;
            }
        }
        let port = if from_client { "client" } else { "line" };
        if absorbed {
            self.tally.count(port, "absorbed");
        } else if reason != Reason::None {
            self.tally.count(port, reason);
        } else {
            self.tally.count(port, if active { kind } else { Kind::None });
        }
        self.tally.count(if active { "of Active" } else { "of others" }, (port, kind));
        let after = self.model.flow(index);
        self.tally.count("state", after.state);
        if from_client && before.expected_psn != after.expected_psn {
            let f = &mut self.flows[i];
            let completed = after.msn.wrapping_sub(before.msn) & PSN_MASK == 1 || after.run != before.run;
            f.far_msn = (f.far_msn + u32::from(completed)) & PSN_MASK;
            let owed = (after.expected_psn.wrapping_sub(1) & PSN_MASK, f.far_msn);
            f.owed.push_back(owed);
            if f.owed.len() > 30 {
                f.owed.pop_front();
            }
        }
        let beats = noisy(&bytes, mac_error, &mut self.random);
        let found = self.bench.play(&beats, from_client);
        for event in self.model.take_events() {
            self.tally.count("event", event.code);
        }
        if found != left {
            let say = |all: &[Vec<Vec<u8>>; 2]| {
                let one = |f: &Vec<u8>| format!("{} bytes {:?}", f.len(), matchrdma_spec::wire::packet::parse_frame(f));
                all.iter().map(|port| port.iter().map(one).collect::<Vec<_>>()).collect::<Vec<_>>()
            };
            let gates = self.bench.flow(index);
            panic!(
                "{port} in, {} bytes, MAC error {mac_error}: {:?}\nflow {index}, {:?}\nbefore {before:?}\nmodel  {after:?}\ngates  {gates:?}\n\
                 model: {reason:?} {kind:?}, left {:#?}\ngates: left {:#?}",
                bytes.len(),
                matchrdma_spec::wire::packet::parse_frame(&bytes),
                self.flows[i].cfg,
                say(&left),
                say(&found),
            );
        }
    }

    fn compare(&mut self, at: u64) {
        for f in &self.flows {
            let (gates, model) = (self.bench.flow(f.index), self.model.flow(f.index));
            assert_eq!(gates, model, "flow {} after {at} frames, left gates, right model", f.index);
            for table in [meter::FLOW_OUT, meter::FLOW_SAID] {
                let (gates, model) = (self.bench.meter(table, f.index), self.model.meters().read(table, f.index));
                assert_eq!(gates, model, "meter {table} of flow {} after {at} frames", f.index);
            }
        }
        for queue in 0..17 {
            let (gates, model) = (self.bench.meter(meter::QUEUE, queue), self.model.meters().read(meter::QUEUE, queue));
            assert_eq!(gates, model, "meter of queue {queue} after {at} frames");
        }
        for ((counter, gates), (_, model)) in self.bench.counters().into_iter().zip(self.model.counters().iter()) {
            assert_eq!(gates, model, "{} after {at} frames, left gates, right model", counter.name);
        }
    }
}

/// Longer timers run out later by far.
const TIMERS: Timers = Timers { gap_timeout: 10, flow_idle: 100, debt_timeout: 1000 };

/// Gateways that are run, one after another, and frames for each.
const RUNS: u32 = 3;
const FRAMES: u64 = 2500;

#[test]
fn the_gates_do_what_the_model_does() {
    let (mut random, mut tally) = (Random::new(), Tally::default());
    for _ in 0..RUNS {
        let mut run = Run::new(random, tally);
        for n in 1..=FRAMES {
            run.step();
            if n % 100 == 0 {
                run.compare(n);
            }
        }
        run.bench.settle();
        (random, tally) = (run.random, run.tally);
    }
    tally.print();
    tally.reached("built", &["ACK", "NAK"], 10);
    tally.reached("client", &[Reason::MacError, Reason::Malformed, Reason::BudgetFromClient], 3);
    tally.reached("client", &[Reason::BadIcrc, Reason::OutOfOrder, Reason::Duplicate, Reason::Fault, Reason::Pfc], 3);
    tally.reached("line", &[Reason::MacError, Reason::Malformed, Reason::BadIcrc, Reason::Fault], 3);
    tally.reached("event", &event::EVENTS.iter().map(|e| e.code).collect::<Vec<_>>(), 1);
    tally.reached("client", &[Kind::None, Kind::Ack, Kind::Barrier], 30);
    tally.reached("line", &["absorbed"], 30);
    tally.reached("line", &[Kind::None, Kind::Answer], 30);
    tally.reached("state", &[State::Off, State::Sync, State::Active, State::Drain, State::Fault], 30);
}
