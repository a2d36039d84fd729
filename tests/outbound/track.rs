//! `track` against the model, op by op, at random.
//!
//! Ops come back to back and with gaps, half of them to the flow of the op before; `cfg` and `back` are written
//! beside them. Every verdict, every intent and the record after every op is compared.

use crate::harness::records::{pack_back, pack_cfg, unpack_intent, unpack_rx};
use crate::harness::{Random, Tally};
use matchrdma_model::psn;
use matchrdma_model::record::{state, Back, Cfg, Kind, Reason, Rx, State, FLOWS};
use matchrdma_model::track::{Track, TrackOp, Verdict};
use matchrdma_rtl::track::Dut;
use matchrdma_spec::wire::opcode;
use std::collections::VecDeque;

/// From an op to its verdict, cycles.
pub const LATENCY: u64 = 2;

/// What the gates may be told in one cycle.
#[derive(Clone, Copy, Default)]
pub struct Inputs {
    pub op: TrackOp,
    pub valid: bool,
    pub cfg: Option<(u16, Cfg)>,
    pub back: Option<(u16, Back)>,
}

/// What they say in one cycle.
pub struct Outputs {
    pub verdict: Option<Verdict>,
    pub rx: Option<(u16, Rx)>,
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
    dut.set_opcode(op.opcode.into());
    dut.set_psn(op.psn);
    dut.set_ack_req(op.ack_req.into());
    dut.set_reth_len(op.reth_len);
    dut.set_payload(op.payload.into());
    dut.set_room(op.room.into());
    dut.set_enable(op.enable.into());
    dut.set_cfg_we(inputs.cfg.is_some().into());
    if let Some((index, cfg)) = inputs.cfg {
        // Bank 1, so that a reader of bank 0 finds no flow switched on.
        dut.set_cfg_addr(0x1000 | u32::from(index));
        dut.set_cfg_bank(1);
        dut.set_cfg_data(pack_cfg(cfg));
    }
    dut.set_back_we(inputs.back.is_some().into());
    if let Some((index, back)) = inputs.back {
        dut.set_back_addr(index.into());
        dut.set_back_data(pack_back(back));
    }
    dut.settle();
    let verdict = (dut.verdict_valid() == 1).then(|| Verdict {
        forward: dut.forward() == 1,
        push: dut.push() == 1,
        reason: reason(dut.reason()),
        active: dut.active() == 1,
        intent: unpack_intent(dut.intent()).canonical(),
    });
    let rx = (dut.rx_we() == 1).then(|| (dut.rx_addr() as u16, unpack_rx(dut.rx_data())));
    dut.rise();
    Outputs { verdict, rx }
}

/// The reason of a code.
pub fn reason(code: u32) -> Reason {
    REASONS.into_iter().find(|r| *r as u32 == code).expect("a reason")
}

const REASONS: [Reason; 8] = [
    Reason::None,
    Reason::MacError,
    Reason::Malformed,
    Reason::BudgetFromClient,
    Reason::Overflow,
    Reason::BadIcrc,
    Reason::OutOfOrder,
    Reason::Duplicate,
];

/// An opcode: mostly data, sometimes each of the rest.
fn draw_opcode(random: &mut Random) -> u8 {
    match random.below(100) {
        0..=59 => random.pick(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 10, 7, 8, 0x16, 0x17]),
        60..=74 => opcode::READ_REQUEST,
        75..=89 => random.pick(&[opcode::CMP_SWAP, opcode::FETCH_ADD, opcode::FLUSH, opcode::ATOMIC_WRITE]),
        90..=95 => random.pick(&[0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12]),
        96 => random.pick(&[0x15, 0x18, 0x1b, 0x1e, 0x1f]),
        _ => random.bits(8) as u8,
    }
}

/// A PSN as seen from the flow's expected one.
fn draw_psn(random: &mut Random, rx: &Rx) -> u32 {
    let expected = rx.expected;
    match random.below(1000) {
        0..=759 => expected,
        760..=869 => psn::add(expected, 1 + random.below(3) as u32),
        870..=979 => psn::sub(expected, 1 + random.below(3) as u32),
        980..=987 => {
            let far = random.pick(&[0xffff, 0x1_0000, 0x1_0001, 0x7f_ffff, 0x80_0000]);
            random.pick(&[psn::add(expected, far), psn::sub(expected, far)])
        }
        988..=996 => psn::add(0xff_fff8, random.below(16) as u32),
        _ => random.bits(24) as u32,
    }
}

/// A READ length around what matters.
fn draw_length(random: &mut Random) -> u32 {
    let edge = random.pick(&[0u32, 256, 256, 512, 1024, 2048, 4096, 8192, 1 << 20, 1 << 31]);
    match random.below(4) {
        0 => edge,
        1 => edge.wrapping_add(1),
        2 => edge.wrapping_sub(1),
        _ => {
            let bits = random.below(33) as u32;
            random.bits(bits) as u32
        }
    }
}

fn draw_op(random: &mut Random, index: u16, rx: &Rx, enable: bool) -> TrackOp {
    let err = random.chance(1, 50);
    TrackOp {
        hit: !random.chance(1, 50),
        index,
        roce: !random.chance(1, 50),
        good: !random.chance(1, 40),
        err,
        cut: err && random.chance(1, 2),
        budget: random.chance(1, 60),
        opcode: draw_opcode(random),
        psn: draw_psn(random, rx),
        ack_req: random.chance(1, 2),
        reth_len: draw_length(random),
        payload: random.pick(&[0, 64, 256, 512, 1024, 1024, 2048, 4096, 4095, 1500, 8192]),
        room: !random.chance(1, 40),
        enable,
    }
}

/// What `ack_filter` might write: mostly of the run that is, active, and near the sample.
fn draw_back(random: &mut Random, rx: &Rx) -> Back {
    let seen_psn = psn::sub(psn::add(rx.sample_psn, random.below(5) as u32), 2);
    Back {
        run: if random.chance(9, 10) { rx.run } else { rx.run.wrapping_add(random.below(3) as u8) },
        active: random.chance(7, 10),
        fault: random.chance(1, 40),
        resync: random.chance(1, 12),
        seen: random.chance(1, 2),
        mtu: random.pick(&[0, 0, 0, 1, 2, 3, 4, 5]),
        offset: random.bits(24) as u32,
        seen_psn: if random.chance(3, 4) { seen_psn } else { random.bits(24) as u32 },
    }
}

fn draw_cfg(random: &mut Random, before: &Cfg) -> Cfg {
    let any = random.bits(8) as u8;
    Cfg {
        enable: !random.chance(1, 16),
        ack_ops_write: random.chance(1, 2),
        mtu: random.pick(&[0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7]),
        serial: random.pick(&[before.serial, before.serial.wrapping_add(1), any]),
    }
}

/// The model, and all that was written to it: the generator and the tally look at it.
struct Reference {
    track: Track,
    cfg: Vec<Cfg>,
    back: Vec<Back>,
    tally: Tally,
}

impl Reference {
    fn op(&mut self, op: TrackOp) -> (Verdict, Rx) {
        let at = usize::from(op.index);
        let (cfg, back, before) = (self.cfg[at], self.back[at], self.track.rx(op.index));
        let verdict = self.track.op(op);
        let after = self.track.rx(op.index);
        let tally = &mut self.tally;
        tally.count("reason", verdict.reason);
        if op.roce && op.hit && !op.err && !op.budget {
            let state = state(op.enable, &cfg, &before, &back);
            tally.count("state", state);
            if state == State::Active {
                tally.count("Active", (verdict.reason, verdict.intent.kind));
            } else {
                tally.count("intent", verdict.intent.kind);
            }
        }
        if after.run != before.run {
            tally.count("rx", "starts over");
            if after.run != before.run.wrapping_add(1) {
                tally.count("rx", "skips a run");
            }
        } else if after.sample_valid && after.sample_count != before.sample_count {
            tally.count("rx", if before.sample_valid { "samples again" } else { "samples" });
        }
        if after.mtu != before.mtu && after.mtu != 0 {
            tally.count("rx", "learns the MTU");
        }
        if after.drain && !before.drain {
            tally.count("rx", "drains");
        }
        if after != before && after.expected < before.expected && psn::after(after.expected, before.expected) {
            tally.count("rx", "wraps");
        }
        (verdict, after)
    }
}

/// Plays one life of `ops` ops over a few flows.
fn play(random: &mut Random, ops: u64, tally: Tally) -> Tally {
    let mut model =
        Reference { track: Track::new(), cfg: vec![Cfg::default(); FLOWS], back: vec![Back::default(); FLOWS], tally };
    let flows: Vec<u16> = (0..6).map(|_| random.bits(12) as u16).chain([0, 4095]).collect();
    let mut dut = fresh();
    let mut mirror = vec![Rx::default(); FLOWS];
    let mut due: VecDeque<(u64, TrackOp, Verdict, Rx)> = VecDeque::new();
    let (mut enable, mut steady, mut flow, mut before_flow) = (true, true, flows[0], None);
    let (mut done, mut at) = (0, 0u64);
    while done < ops || !due.is_empty() {
        if random.chance(1, 40) {
            steady = random.chance(2, 3);
        }
        enable = if enable { !random.chance(1, 1000) } else { random.chance(1, 20) };
        if random.chance(1, 2) {
            flow = random.pick(&flows);
        }
        let op = draw_op(random, flow, &model.track.rx(flow), enable);
        let mut inputs = Inputs { op, valid: done < ops && (steady || random.chance(1, 3)), ..Inputs::default() };
        if random.chance(1, 12) {
            let index = random.pick(&flows);
            inputs.back = Some((index, draw_back(random, &model.track.rx(index))));
        }
        if random.chance(1, 60) || at < 50 {
            let index = random.pick(&flows);
            inputs.cfg = Some((index, draw_cfg(random, &model.cfg[usize::from(index)])));
        }
        // the op reads before this cycle's writes
        if inputs.valid {
            let (verdict, rx) = model.op(op);
            due.push_back((at + LATENCY, op, verdict, rx));
            if before_flow == Some((at.wrapping_sub(1), flow)) {
                model.tally.count("flow", "same as in the cycle before");
            }
            before_flow = Some((at, flow));
            done += 1;
        }
        if let Some((index, cfg)) = inputs.cfg {
            model.cfg[usize::from(index)] = cfg;
            model.track.set_cfg(index, cfg);
        }
        if let Some((index, back)) = inputs.back {
            model.back[usize::from(index)] = back;
            model.track.set_back(index, back);
        }
        let seen = cycle(&mut dut, &inputs);
        if let Some((index, rx)) = seen.rx {
            mirror[usize::from(index)] = rx;
        }
        match due.front() {
            Some((when, ..)) if *when == at => {
                let (_, op, verdict, rx) = due.pop_front().unwrap();
                assert_eq!(seen.verdict, Some(verdict), "cycle {at}: {op:x?}");
                let written = mirror[usize::from(op.index)];
                assert_eq!(written.canonical(), rx.canonical(), "cycle {at}: {op:x?}");
            }
            _ => assert!(seen.verdict.is_none() && seen.rx.is_none(), "cycle {at}: a verdict on nothing"),
        }
        at += 1;
    }
    model.tally
}

#[test]
fn a_million_random_ops_are_judged_as_the_model_does() {
    let mut random = Random::new();
    let mut tally = Tally::default();
    for _ in 0..8 {
        tally = play(&mut random, 125_000, tally);
    }
    tally.print();
    tally.reached("reason", &REASONS, 1000);
    tally.reached("state", &[State::Off, State::Sync, State::Active, State::Drain, State::Fault], 1000);
    tally.reached("intent", &[Kind::None, Kind::Barrier], 1000);
    let active = [
        (Reason::None, Kind::None),
        (Reason::None, Kind::Ack),
        (Reason::None, Kind::Barrier),
        (Reason::OutOfOrder, Kind::Nak),
        (Reason::OutOfOrder, Kind::None),
        (Reason::Duplicate, Kind::Reack),
        (Reason::Duplicate, Kind::None),
        (Reason::BadIcrc, Kind::None),
        (Reason::Overflow, Kind::None),
    ];
    tally.reached("Active", &active, 200);
    tally.reached(
        "rx",
        &["starts over", "skips a run", "samples", "samples again", "learns the MTU", "drains", "wraps"],
        100,
    );
    tally.reached("flow", &["same as in the cycle before"], 100_000);
}
