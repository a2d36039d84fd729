//! The gates against the model: the same frames must leave, each flow's in the same order, and the same events, counters
//! and flows must be read.
//!
//! Frames go in as batches of one per flow at most, through both ports at once, with gaps, and with ports that do not
//! always take what leaves. One flow's frames are to quiescence, one after the other, so that the model's answer is the
//! only right one; those of different flows overlap, and no answer depends on that but the order in which what the
//! gateway builds leaves among the rest.
//!
//! The model also steers: what it says of a flow tells which PSN is in order, so that every rule is met often.
//! What it promises is watched as well, as far as a far side that answers at random leaves a promise: the model tells
//! the watch when a flow is not Active.
//!
//! `PACKETS`, `FLOWS` and `SEEDS` set how much is run: in all, at once, and from how many seeds beginning with `SEED`.

mod host;
mod judge;
mod stimuli;

use self::judge::Sent;
use super::bench::{noisy, Bench};
use super::packets::Way;
use crate::harness::{Random, Tally};
use matchrdma_model::gateway::{Gateway, Params, Timers};
use matchrdma_model::record::{Cfg, Kind, Reason, State};
use matchrdma_sim::engine::Gateway as _;
use matchrdma_spec::event;
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::params::{FLOWS, PSN_MASK};
use matchrdma_spec::regs::counters::{NAKS, PSEUDO_ACKS};
use matchrdma_spec::regs::flow::{DIR_INBOUND, DIR_OUTBOUND};
use matchrdma_spec::regs::{control, timer};
use matchrdma_spec::wire::packet::parse_frame;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

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
    /// Much goes wrong on its way; else little.
    wild: bool,
    /// Never goes on for long where it was: its runs go round.
    erratic: bool,
    /// When the watch was last told.
    active: bool,
}

struct Run {
    random: Random,
    bench: Bench,
    model: Gateway,
    flows: Vec<Flow>,
    keys: BTreeMap<(u32, FlowKey), u16>,
    enable: bool,
    now: u32,
    ident: u32,
    batch: Vec<Sent>,
    /// Flows that a frame of the batch concerns.
    busy: BTreeSet<u16>,
    /// Frames of the batch when it is full.
    full: usize,
    tally: Tally,
}

/// Longer timers run out later by far.
const TIMERS: Timers = Timers { gap_timeout: 10, flow_idle: 100, debt_timeout: 1000 };

impl Run {
    fn new(random: Random, tally: Tally, flows: u32) -> Self {
        let mut run = Run {
            random,
            bench: Bench::new(),
            model: Gateway::new(Params::default()),
            flows: vec![],
            keys: BTreeMap::new(),
            enable: false,
            now: 0,
            ident: 0,
            batch: vec![],
            busy: BTreeSet::new(),
            full: 1,
            tally,
        };
        // Its far side answers at random.
        run.bench.gates.distrust();
        let mut free: BTreeSet<u16> = (0..FLOWS as u16).collect();
        for i in 0..flows {
            let v6 = i % 3 == 2;
            let address = |host: u128| if v6 { 0x2001_0db8 << 96 | host << 64 | host } else { 0x0a00_0000 | host };
            let vids = [vec![], vec![], vec![100], vec![7, 4094], vec![0]][i as usize % 5].clone();
            // Some pairs of hosts have several flows.
            let pair = u128::from(i / 4);
            let out = Way { v6, vids, src: address(1 + pair), dst: address(10_001 + pair), src_mac: 1, dst_mac: 2 };
            let any = *free.iter().nth(run.random.below(free.len() as u64) as usize).expect("an index is free");
            let index = [0, 4095, 1, 2048].get(i as usize).copied().unwrap_or(any);
            free.remove(&index);
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
                wild: false,
                erratic: i % 16 == 15,
                active: false,
            };
            run.flows.push(flow);
            run.add_keys(i as usize);
            run.restart(i as usize);
        }
        run.commit();
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
        self.compare_events();
        self.tell_lapsed();
    }

    fn switch(&mut self, on: bool) {
        self.enable = on;
        self.model.set_enable(on);
        self.bench.write(&control::CONTROL, on.into());
    }

    /// Whether something may go wrong with a frame of flow number `i`.
    fn goes_wrong(&mut self, i: usize) -> bool {
        self.flows[i].wild || self.random.chance(1, 12)
    }

    fn step(&mut self) {
        self.meddle();
        // Another flow than those of the batch, as long as there are many.
        let mut i = self.random.below(self.flows.len() as u64) as usize;
        for _ in 0..8 {
            if self.busy.contains(&self.flows[i].index) {
                i = self.random.below(self.flows.len() as u64) as usize;
            }
        }
        let from_client = self.random.chance(3, 5);
        let what = self.random.below(20);
        if what > 0 && self.busy.contains(&self.flows[i].index) {
            self.flush();
        }
        let bytes = match what {
            0 => self.other(),
            _ if from_client => self.request(i),
            _ => self.response(i),
        };
        let mut bytes = if self.goes_wrong(i) { self.damage(bytes) } else { bytes };
        if bytes.len() < 60 && self.random.chance(1, 2) {
            bytes.resize(60, 0xcc);
        }
        let mac_error = self.random.chance(1, 60) && self.goes_wrong(i);
        self.send(i, bytes, from_client, mac_error);
    }

    /// A frame for flow number `i`, or for none: the model's answer now, the gates' with the batch.
    fn send(&mut self, i: usize, bytes: Vec<u8>, from_client: bool, mac_error: bool) {
        let meta = parse_frame(&bytes);
        let direction = if from_client { DIR_OUTBOUND } else { DIR_INBOUND };
        let hit = self.keys.get(&(direction, meta.flow_key())).copied().filter(|_| meta.roce);
        if hit.is_some_and(|index| self.busy.contains(&index)) {
            self.flush();
        }
        self.busy.extend(hit);
        let index = self.flows[i].index;
        let before = self.model.flow(index);
        let (active, reason, kind, absorbed) = if from_client {
            let v = self.model.admit_client(&bytes, mac_error);
            (v.active, v.reason, v.intent.kind, false)
        } else {
            let v = self.model.admit_line(&bytes, mac_error);
            (v.active, v.reason, v.intent.kind, v.absorbed)
        };
        let mut sent = Sent {
            port: if from_client { "client" } else { "line" },
            line: vec![],
            client: VecDeque::new(),
            beats: noisy(&bytes, mac_error, &mut self.random),
            about: format!("flow {index}, {} bytes, MAC error {mac_error}: model {reason:?} {kind:?}", bytes.len()),
            bytes,
        };
        loop {
            while let Some(ack) = self.model.next_ack() {
                self.tally.count("built", if ack.nak { "NAK" } else { "ACK" });
                sent.client.push_back((ack.frame, true));
            }
            if let Some(entry) = self.model.depart_line() {
                sent.line.extend(entry);
            } else if let Some(entry) = self.model.depart_client() {
                sent.client.extend(entry.map(|frame| (frame, false)));
            } else {
                break;
            }
        }
        let after = self.model.flow(index);
        let port = sent.port;
        if absorbed {
            self.tally.count(port, "absorbed");
        } else if reason != Reason::None {
            self.tally.count(port, reason);
        } else {
            self.tally.count(port, if active { kind } else { Kind::None });
        }
        self.tally.count(if active { "of Active" } else { "of others" }, (port, kind));
        self.tally.count("state", after.state);
        self.cases(&meta, from_client, &before, &after);
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
        self.batch.push(sent);
        if self.batch.len() >= self.full {
            self.flush();
        }
    }
}

fn number(name: &str, or: u64) -> u64 {
    std::env::var(name).map_or(or, |n| n.parse().unwrap_or_else(|_| panic!("{name}={n} is no number")))
}

#[test]
fn the_gates_do_what_the_model_does() {
    let (packets, flows, seeds) = (number("PACKETS", 24_000), number("FLOWS", 64), number("SEEDS", 3));
    let (first, mut tally) = (Random::seed(), Tally::default());
    let begun = std::time::Instant::now();
    let mut cycles = 0;
    for seed in first..first + seeds {
        let mut run = Run::new(Random::seeded(seed), tally, flows as u32);
        for n in 1..=packets / seeds {
            run.step();
            if n % 1000 == 0 || n == packets / seeds {
                run.flush();
                run.compare(n);
            }
        }
        run.bench.settle();
        let said = run.bench.counter(&PSEUDO_ACKS) + run.bench.counter(&NAKS);
        assert_eq!(run.bench.gates.built_frames(), said, "the watch saw all that was built");
        cycles += run.bench.gates.cycles();
        tally = run.tally;
    }
    tally.print();
    let seconds = begun.elapsed().as_secs_f64();
    let all = packets / seeds * seeds;
    println!(
        "{all} packets over {flows} flows, {seeds} seeds, {cycles} cycles, {:.0} packets per second: no difference",
        all as f64 / seconds
    );
    // In a long run everything comes often.
    let often = |n: u64| n * packets / 20_000;
    // What befalls a flow now and then needs some hundred packets of each.
    let once = u64::from(packets / flows >= 300);
    tally.reached("built", &["ACK", "NAK"], often(10));
    tally.reached("client", &[Reason::MacError, Reason::Malformed, Reason::BudgetFromClient], often(3));
    tally.reached(
        "client",
        &[Reason::BadIcrc, Reason::OutOfOrder, Reason::Duplicate, Reason::Fault, Reason::Pfc],
        often(3),
    );
    tally.reached("line", &[Reason::MacError, Reason::Malformed, Reason::BadIcrc, Reason::Fault], often(3));
    // Debt for as long as it may last, in Drain, is rare.
    let common = |e: &&event::Event| packets >= 100_000 || e.code != event::DRAIN_TIMEOUT;
    let of_flows = event::EVENTS.iter().filter(|e| !event::is_of_path(e.code));
    let events: Vec<_> = of_flows.filter(common).map(|e| e.name).collect();
    tally.reached("event", &events, once);
    tally.reached("client", &[Kind::None, Kind::Ack, Kind::Barrier], often(30));
    tally.reached("line", &["absorbed"], often(30));
    tally.reached("line", &[Kind::None, Kind::Answer], often(30));
    tally.reached("of Active", &[("client", Kind::Nak), ("client", Kind::Reack), ("line", Kind::Confirm)], often(10));
    tally.reached(
        "of others",
        &[("client", Kind::Refuse), ("client", Kind::Barrier), ("line", Kind::Confirm)],
        often(10),
    );
    tally.reached("state", &[State::Off, State::Sync, State::Active, State::Drain, State::Fault], often(30));
    tally.reached("case", &judge::CASES, once);
    if let Ok(file) = std::env::var("DIFFERENTIAL_JSON") {
        let told = serde_json::json!({
            "packets": all, "flows": flows, "seeds": seeds, "first_seed": first, "cycles": cycles,
            "packets_per_second": (all as f64 / seconds).round(), "differences": 0, "reached": tally.json(),
        });
        std::fs::write(&file, format!("{told:#}\n")).unwrap_or_else(|e| panic!("writing {file}: {e}"));
    }
}
