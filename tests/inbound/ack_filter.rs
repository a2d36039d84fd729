//! `ack_filter` against the model, op by op, at random.
//!
//! Ops and sweeps come back to back and with gaps, half of them to the flow of the op before; `cfg`, `rx` and `said` are
//! written beside them, and time passes. Every verdict, every intent, every template, every event and the record after
//! every op is compared.

use crate::harness::records::{pack_cfg, pack_rx, pack_said, pack_times, unpack_back, unpack_intent};
use crate::harness::{Random, Tally};
use matchrdma_model::ack_filter::{AckFilter, InOp, InVerdict, Swept, Template, HEADER_BYTES};
use matchrdma_model::psn;
use matchrdma_model::record::{state, Back, Cfg, Event, Kind, Reason, Rx, Said, State, Times, FLOWS};
use matchrdma_rtl::ack_filter::Dut;
use matchrdma_spec::event;
use matchrdma_spec::wire::opcode;
use std::collections::VecDeque;

/// From an op to its verdict, cycles.
pub const LATENCY: u64 = 2;

/// What the gates may be told in one cycle.
#[derive(Clone, Copy, Default)]
pub struct Inputs {
    pub op: InOp,
    pub valid: bool,
    /// A flow to look after; only without an op.
    pub sweep: Option<u16>,
    pub times: Times,
    pub cfg: Option<(u16, Cfg)>,
    pub rx: Option<(u16, Rx)>,
    pub said: Option<(u16, Said)>,
}

/// What they say in one cycle; the verdict is without `back` and `template`.
pub struct Outputs {
    pub event: Option<Event>,
    pub age: Option<u16>,
    pub verdict: Option<InVerdict>,
    pub back: Option<(u16, Back)>,
    pub template: Option<(u16, Template)>,
}

/// The gates out of reset.
pub fn fresh() -> Dut {
    let mut dut = Dut::new();
    dut.set_rst(1);
    dut.tick();
    dut.tick();
    dut.set_rst(0);
    dut
}

/// Bytes as a port, byte 0 in bits 7:0.
fn port<const N: usize>(bytes: &[u8]) -> [u32; N] {
    std::array::from_fn(|i| (0..4).map(|k| u32::from(*bytes.get(4 * i + k).unwrap_or(&0)) << (8 * k)).sum())
}

/// One cycle: the outputs are those before its rising edge.
pub fn cycle(dut: &mut Dut, inputs: &Inputs) -> Outputs {
    let op = &inputs.op;
    dut.set_op_valid(inputs.valid.into());
    dut.set_hit(op.hit.into());
    dut.set_index(op.index.into());
    dut.set_roce(op.roce.into());
    dut.set_good(op.good.into());
    dut.set_err(op.err.into());
    dut.set_cut(op.cut.into());
    dut.set_budget(op.budget.into());
    dut.set_times(pack_times(inputs.times));
    dut.set_sweep_valid(inputs.sweep.is_some().into());
    dut.set_sweep_index(inputs.sweep.unwrap_or(0).into());
    dut.set_opcode(op.opcode.into());
    dut.set_psn(op.psn);
    dut.set_syndrome(op.syndrome.into());
    dut.set_msn(op.msn);
    dut.set_payload(op.payload.into());
    dut.set_vlans(op.vlans.into());
    dut.set_v6(op.v6.into());
    dut.set_room(op.room.into());
    dut.set_enable(op.enable.into());
    dut.set_cfg_we(inputs.cfg.is_some().into());
    if let Some((index, cfg)) = inputs.cfg {
        // Bank 1, so that a reader of bank 0 finds no flow switched on.
        dut.set_cfg_addr(0x1000 | u32::from(index));
        dut.set_cfg_bank(1);
        dut.set_cfg_data(pack_cfg(cfg));
    }
    dut.set_rx_we(inputs.rx.is_some().into());
    if let Some((index, rx)) = inputs.rx {
        dut.set_rx_addr(index.into());
        dut.set_rx_data(pack_rx(rx));
    }
    dut.set_said_we(inputs.said.is_some().into());
    if let Some((index, said)) = inputs.said {
        dut.set_said_addr(index.into());
        dut.set_said_data(pack_said(said));
    }
    dut.settle();
    let event = (dut.event_valid() == 1).then(|| Event {
        code: dut.event_code() as u8,
        flow: dut.event_flow() as u16,
        run: dut.event_run() as u8,
        psn: dut.event_psn(),
    });
    let age = (dut.age_valid() == 1).then(|| dut.age() as u16);
    let verdict = (dut.verdict_valid() == 1).then(|| InVerdict {
        forward: dut.forward() == 1,
        push: dut.push() == 1,
        reason: REASONS.into_iter().find(|r| *r as u32 == dut.reason()).expect("a reason of this direction"),
        active: dut.active() == 1,
        absorbed: dut.absorbed() == 1,
        intent: unpack_intent(dut.intent()).canonical(),
        event,
        back: None,
        template: None,
    });
    let back = (dut.back_we() == 1).then(|| (dut.back_addr() as u16, unpack_back(dut.back_data())));
    let template = (dut.tpl_we() == 1).then(|| {
        let words = dut.tpl_data();
        let header = std::array::from_fn(|i| (words[i / 4] >> (8 * (i % 4))) as u8);
        let (vlans, v6) = ((words[22] >> 16 & 3) as u8, words[22] >> 18 & 1 == 1);
        (dut.tpl_addr() as u16, Template { header, vlans, v6 })
    });
    dut.rise();
    // it comes a cycle after its op
    dut.set_header(port(&op.header));
    Outputs { event, age, verdict, back, template }
}

const REASONS: [Reason; 6] =
    [Reason::None, Reason::MacError, Reason::Malformed, Reason::Overflow, Reason::BadIcrc, Reason::Fault];

fn near(random: &mut Random, psn: u32) -> u32 {
    psn::sub(psn::add(psn, random.below(5) as u32), 2)
}

fn draw_op(random: &mut Random, index: u16, rx: &Rx, said: &Said, enable: bool) -> InOp {
    let err = random.chance(1, 50);
    let mut header = [0; HEADER_BYTES];
    header.copy_from_slice(&random.bytes(HEADER_BYTES));
    let psn = match random.below(100) {
        0..=29 => rx.sample_psn,
        30..=49 => near(random, rx.sample_psn),
        50..=74 => near(random, rx.expected),
        75..=84 => said.acked_psn,
        85..=93 => near(random, said.acked_psn),
        94..=96 => psn::add(rx.expected, random.pick(&[0x7f_ffff, 0x80_0000, 0x80_0001])),
        _ => random.bits(24) as u32,
    };
    let budget = random.chance(1, 60);
    InOp {
        hit: !random.chance(1, 50) && !budget,
        index,
        budget,
        roce: !random.chance(1, 50) && !budget,
        good: !random.chance(1, 30),
        err,
        cut: err && random.chance(1, 2),
        opcode: match random.below(20) {
            0..=11 => opcode::ACKNOWLEDGE,
            12..=18 => random.pick(&[0x0d, 0x0e, 0x0f, 0x10, 0x12]),
            _ => random.bits(8) as u8,
        },
        psn,
        syndrome: if random.chance(7, 8) {
            random.bits(5) as u8
        } else {
            random.pick(&[0x60, 0x60, 0x61, 0x20, 0x3f, 0x80])
        },
        msn: if random.chance(4, 5) { said.acked_msn } else { random.bits(24) as u32 },
        payload: random.pick(&[0, 64, 256, 512, 1024, 1024, 2048, 4096, 4095, 1500, 8192]),
        header,
        vlans: random.below(3) as u8,
        v6: random.chance(1, 2),
        room: !random.chance(1, 40),
        enable,
    }
}

/// What `track` might write: the flow goes on, or starts over.
fn draw_rx(random: &mut Random, cfg: &Cfg, back: &Back, before: &Rx) -> Rx {
    let expected = if random.chance(1, 20) { 0xff_fff0 } else { psn::add(before.expected, random.below(3) as u32) };
    let stuck = back.run == before.run && (back.resync || back.fault || back.off || back.drain);
    let over = if stuck { random.chance(2, 3) } else { random.chance(1, 20) };
    Rx {
        serial: if random.chance(14, 15) { cfg.serial } else { random.bits(8) as u8 },
        run: before.run.wrapping_add(over.into()),
        synced: random.chance(9, 10),
        drain: random.chance(1, 30),
        gap: random.chance(1, 5),
        sample_valid: random.chance(5, 6),
        mtu: 0,
        expected,
        count: random.bits(24) as u32,
        sample_psn: psn::sub(expected, random.below(6) as u32),
        sample_count: random.bits(24) as u32,
        off: random.chance(1, 200),
        rewound: random.chance(1, 3),
        mould: random.chance(1, 2),
        mig: random.chance(1, 2),
        cause: random.bits(4) as u8,
    }
}

fn draw_said(random: &mut Random, rx: &Rx) -> Said {
    Said {
        run: if random.chance(9, 10) { rx.run } else { random.bits(8) as u8 },
        valid: random.chance(5, 6),
        acked_psn: psn::sub(rx.expected, random.below(5) as u32),
        acked_msn: random.bits(24) as u32,
        departed_psn: random.bits(24) as u32,
        confirmed_psn: random.bits(24) as u32,
        barrier: random.chance(1, 2),
    }
}

fn draw_cfg(random: &mut Random, before: &Cfg) -> Cfg {
    Cfg {
        enable: !random.chance(1, 16),
        ack_ops_write: random.chance(1, 2),
        mtu: random.bits(3) as u8,
        serial: if random.chance(3, 4) { before.serial } else { random.bits(8) as u8 },
    }
}

/// The model and all that was written to it.
struct Reference {
    filter: AckFilter,
    cfg: Vec<Cfg>,
    rx: Vec<Rx>,
    said: Vec<Said>,
    tally: Tally,
}

impl Reference {
    fn sweep(&mut self, index: u16, enable: bool, times: &Times) -> Swept {
        let at = usize::from(index);
        let state = state(enable, &self.cfg[at], &self.rx[at], &self.filter.back(index));
        let swept = self.filter.sweep(index, enable, times);
        self.tally.count("swept", state);
        if let Some(event) = swept.event {
            self.tally.count("event", event.code);
        }
        if swept.age.is_some() {
            self.tally.count("swept", "owes");
        }
        swept
    }

    fn op(&mut self, op: InOp) -> (InVerdict, Back) {
        let at = usize::from(op.index);
        let before = self.filter.back(op.index);
        let verdict = self.filter.op(op);
        let after = self.filter.back(op.index);
        let tally = &mut self.tally;
        tally.count("reason", verdict.reason);
        if let Some(event) = verdict.event {
            tally.count("event", event.code);
        }
        if op.roce && op.hit && !op.err && op.room && opcode::is_response(op.opcode) {
            let state = state(op.enable, &self.cfg[at], &self.rx[at], &before);
            tally.count("state", state);
            tally.count("intent", (state, verdict.intent.kind, verdict.absorbed));
            if before.run == after.run {
                let what = [
                    ("becomes Active", after.active && !before.active),
                    ("faults", after.fault && !before.fault),
                    ("stops acting", !after.active && before.active),
                    ("resyncs", after.resync && !before.resync),
                    ("sees an ACK", after.seen && after.seen_psn != before.seen_psn),
                    ("learns the MTU", after.mtu != before.mtu),
                ];
                what.iter().filter(|w| w.1).for_each(|w| tally.count("back", w.0));
            } else {
                tally.count("back", "is of a new run");
            }
        }
        (verdict, after)
    }
}

/// One op or sweep that is under way.
struct Due {
    at: u64,
    what: String,
    flow: u16,
    verdict: Option<InVerdict>,
    swept: Swept,
    back: Back,
}

fn play(random: &mut Random, ops: u64, tally: Tally) -> Tally {
    let mut model = Reference {
        filter: AckFilter::new(),
        cfg: vec![Cfg::default(); FLOWS],
        rx: vec![Rx::default(); FLOWS],
        said: vec![Said::default(); FLOWS],
        tally,
    };
    let flows: Vec<u16> = (0..6).map(|_| random.bits(12) as u16).chain([0, 4095]).collect();
    let mut dut = fresh();
    let mut mirror = vec![Back::default(); FLOWS];
    let mut due: VecDeque<Due> = VecDeque::new();
    let (mut enable, mut steady, mut flow, mut before_flow) = (true, true, flows[0], None);
    let (mut done, mut at, mut now) = (0, 0u64, random.bits(24) as u32);
    // a stage looks at a flow again only after it has looked at all others
    let mut last_sweep = [u64::MAX; 2];
    let debt_timeout = random.pick(&[0, 0, 1, 4, 0x7fff]);
    while done < ops || !due.is_empty() {
        if random.chance(1, 40) {
            steady = random.chance(2, 3);
        }
        now += u32::from(random.chance(1, 12));
        if random.chance(1, 20_000) {
            now += random.bits(16) as u32;
        }
        now &= 0xff_ffff;
        let times = Times::at(now, 0, 0, debt_timeout);
        enable = if enable { !random.chance(1, 1000) } else { random.chance(1, 20) };
        if random.chance(1, 2) {
            flow = random.pick(&flows);
        }
        let k = usize::from(flow);
        let op = draw_op(random, flow, &model.rx[k], &model.said[k], enable);
        let mut inputs =
            Inputs { op, valid: done < ops && (steady || random.chance(1, 3)), times, ..Inputs::default() };
        if random.chance(1, 6) && !last_sweep.contains(&flow.into()) {
            inputs.sweep = Some(flow);
            inputs.valid &= random.chance(1, 4);
        }
        last_sweep = [last_sweep[1], inputs.sweep.filter(|_| !inputs.valid).map_or(u64::MAX, u64::from)];
        let index = random.pick(&flows);
        let k = usize::from(index);
        if random.chance(1, 10) {
            inputs.rx = Some((index, draw_rx(random, &model.cfg[k], &model.filter.back(index), &model.rx[k])));
        }
        if random.chance(1, 10) {
            inputs.said = Some((index, draw_said(random, &model.rx[k])));
        }
        if random.chance(1, 40) || at < 50 {
            inputs.cfg = Some((index, draw_cfg(random, &model.cfg[k])));
        }
        // the op reads before this cycle's writes
        let mut next = Due {
            at: at + LATENCY,
            what: String::new(),
            flow,
            verdict: None,
            swept: Swept::default(),
            back: Back::default(),
        };
        if inputs.valid {
            let (verdict, back) = model.op(op);
            next = Due { what: format!("{op:x?}"), verdict: Some(verdict), back, ..next };
            next.swept.event = verdict.event;
            due.push_back(next);
            if before_flow == Some((at.wrapping_sub(1), flow)) {
                model.tally.count("flow", "same as in the cycle before");
            }
            before_flow = Some((at, flow));
            done += 1;
        } else if inputs.sweep.is_some() {
            let swept = model.sweep(flow, enable, &times);
            next = Due { what: format!("sweep of {flow:x}"), swept, back: model.filter.back(flow), ..next };
            due.push_back(next);
            if before_flow == Some((at.wrapping_sub(1), flow)) {
                model.tally.count("flow", "swept right behind an op");
            }
            before_flow = Some((at, flow));
        }
        if let Some((index, cfg)) = inputs.cfg {
            model.cfg[usize::from(index)] = cfg;
            model.filter.set_cfg(index, cfg);
        }
        if let Some((index, rx)) = inputs.rx {
            model.rx[usize::from(index)] = rx;
            model.filter.set_rx(index, rx);
        }
        if let Some((index, said)) = inputs.said {
            model.said[usize::from(index)] = said;
            model.filter.set_said(index, said);
        }
        let seen = cycle(&mut dut, &inputs);
        if let Some((index, back)) = seen.back {
            mirror[usize::from(index)] = back;
        }
        match due.front() {
            Some(d) if d.at == at => {
                let Due { what, flow, verdict, swept, back, .. } = due.pop_front().unwrap();
                let expected = verdict.map(|v| InVerdict { back: None, template: None, ..v });
                assert_eq!(seen.verdict, expected, "cycle {at}: {what}");
                assert_eq!((seen.event, seen.age), (swept.event, swept.age), "cycle {at}: {what}");
                assert_eq!(mirror[usize::from(flow)].canonical(), back.canonical(), "cycle {at}: {what}");
                let template = verdict.and_then(|v| v.template);
                assert_eq!(seen.template, template.map(|t| (flow, t)), "cycle {at}: {what}");
            }
            _ => assert!(
                seen.verdict.is_none() && seen.back.is_none() && seen.template.is_none() && seen.event.is_none(),
                "cycle {at}: a verdict on nothing"
            ),
        }
        at += 1;
    }
    model.tally
}

#[test]
fn a_million_random_ops_are_judged_as_the_model_does() {
    let mut random = Random::new();
    let mut tally = Tally::default();
    for _ in 0..20 {
        tally = play(&mut random, 50_000, tally);
    }
    tally.print();
    tally.reached("reason", &REASONS, 1000);
    tally.reached("state", &[State::Off, State::Sync, State::Active, State::Drain, State::Fault], 1000);
    tally.reached("swept", &[State::Off, State::Sync, State::Active, State::Drain, State::Fault], 1000);
    tally.reached("swept", &["owes"], 300);
    let intents = [
        (State::Sync, Kind::Confirm, false),
        (State::Sync, Kind::Answer, false),
        (State::Sync, Kind::None, false),
        (State::Drain, Kind::Confirm, false),
        (State::Drain, Kind::Answer, false),
        (State::Active, Kind::Confirm, true),
        (State::Active, Kind::Answer, false),
        (State::Active, Kind::None, false),
        (State::Fault, Kind::None, false),
    ];
    tally.reached("intent", &intents, 1000);
    let of_ack_filter =
        [event::ACTIVE, event::RESYNC, event::DRAIN_MSN, event::FAULT_REFUSED, event::FAULT_DEBT, event::MISPAIRED];
    tally.reached("event", &of_ack_filter, 100);
    let writes =
        ["becomes Active", "faults", "stops acting", "resyncs", "sees an ACK", "learns the MTU", "is of a new run"];
    tally.reached("back", &writes, 1000);
    tally.reached("flow", &["same as in the cycle before"], 100_000);
    tally.reached("flow", &["swept right behind an op"], 10_000);
}
