//! `track` against the model, op by op, at random.
//!
//! Ops and sweeps come back to back and with gaps, half of them to the flow of the op before; `cfg`, `back` and `said`
//! are written beside them, and time passes. Every verdict, every intent, every event and the record after every op is
//! compared.

use crate::harness::records::{pack_back, pack_cfg, pack_said, pack_times, unpack_intent, unpack_rx};
use crate::harness::{Random, Tally};
use matchrdma_model::psn;
use matchrdma_model::record::{state, Back, Cfg, Event, Kind, Reason, Rx, Said, State, Times, FLOWS};
use matchrdma_model::track::{Track, TrackOp, Verdict};
use matchrdma_rtl::track::Dut;
use matchrdma_spec::event;
use matchrdma_spec::wire::opcode;
use std::collections::VecDeque;

/// From an op to its verdict, cycles.
pub const LATENCY: u64 = 2;

/// What the gates may be told in one cycle.
#[derive(Clone, Copy, Default)]
pub struct Inputs {
    pub op: TrackOp,
    pub valid: bool,
    /// A flow to look after; only without an op.
    pub sweep: Option<u16>,
    pub cfg: Option<(u16, Cfg)>,
    pub back: Option<(u16, Back)>,
    pub said: Option<(u16, Said)>,
}

/// What they say in one cycle.
pub struct Outputs {
    pub verdict: Option<Verdict>,
    pub rx: Option<(u16, Rx)>,
    pub event: Option<Event>,
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
    dut.set_mac_control(op.mac_control.into());
    dut.set_mig_req(op.mig_req.into());
    dut.set_times(pack_times(op.times));
    dut.set_sweep_valid(inputs.sweep.is_some().into());
    dut.set_sweep_index(inputs.sweep.unwrap_or(0).into());
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
    let verdict = (dut.verdict_valid() == 1).then(|| Verdict {
        forward: dut.forward() == 1,
        push: dut.push() == 1,
        reason: reason(dut.reason()),
        active: dut.active() == 1,
        tracked: dut.followed() == 1,
        intent: unpack_intent(dut.intent()).canonical(),
        event,
    });
    let rx = (dut.rx_we() == 1).then(|| (dut.rx_addr() as u16, unpack_rx(dut.rx_data())));
    dut.rise();
    Outputs { verdict, rx, event }
}

/// The reason of a code.
pub fn reason(code: u32) -> Reason {
    REASONS.into_iter().find(|r| *r as u32 == code).expect("a reason")
}

const REASONS: [Reason; 10] = [
    Reason::None,
    Reason::MacError,
    Reason::Malformed,
    Reason::BudgetFromClient,
    Reason::Overflow,
    Reason::BadIcrc,
    Reason::OutOfOrder,
    Reason::Duplicate,
    Reason::Fault,
    Reason::Pfc,
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

/// A payload that the opcode allows, mostly.
fn draw_payload(random: &mut Random, op: u8, mtu: u32) -> u16 {
    if random.chance(1, 40) {
        return random.pick(&[0, 8, 64, 256, 512, 1024, 1024, 2048, 4096, 4095, 4097, 1500, 8192]);
    }
    let fits = match op {
        opcode::ATOMIC_WRITE => 8,
        _ if !opcode::is_send(op) && !opcode::is_write(op) => 0,
        _ if opcode::completes_message(op) => random.pick(&[0, 1, 100, 256, mtu]).min(mtu),
        _ => mtu,
    };
    fits as u16
}

fn draw_op(random: &mut Random, index: u16, rx: &Rx, mtu: u32, enable: bool, times: Times) -> TrackOp {
    let err = random.chance(1, 50);
    let opcode = draw_opcode(random);
    TrackOp {
        hit: !random.chance(1, 50),
        index,
        roce: !random.chance(1, 50),
        good: !random.chance(1, 40),
        err,
        cut: err && random.chance(1, 2),
        budget: random.chance(1, 60),
        mac_control: random.chance(1, 100),
        opcode,
        psn: draw_psn(random, rx),
        ack_req: random.chance(1, 2),
        mig_req: rx.mig ^ random.chance(1, 60),
        reth_len: draw_length(random),
        payload: draw_payload(random, opcode, mtu),
        room: !random.chance(1, 40),
        enable,
        times,
    }
}

/// What `ack_filter` might write: mostly of the run that is, active, and near the sample.
fn draw_back(random: &mut Random, rx: &Rx) -> Back {
    let seen_psn = psn::sub(psn::add(rx.sample_psn, random.below(5) as u32), 2);
    Back {
        run: if random.chance(9, 10) { rx.run } else { rx.run.wrapping_add(random.below(3) as u8) },
        active: random.chance(7, 10),
        fault: random.chance(1, 30),
        resync: random.chance(1, 12),
        seen: random.chance(1, 2),
        mtu: if random.chance(1, 10) { random.below(6) as u8 } else { 0 },
        offset: random.bits(24) as u32,
        seen_psn: if random.chance(3, 4) { seen_psn } else { random.bits(24) as u32 },
        off: random.chance(1, 60),
        drain: random.chance(1, 20),
        cause: random.bits(4) as u8,
        refusal: 1 + random.below(3) as u8,
    }
}

/// What `pseudo_ack` might write: about what the far side has seen.
fn draw_said(random: &mut Random, rx: &Rx, back: &Back) -> Said {
    let acked_psn = psn::sub(psn::add(back.seen_psn, random.below(4) as u32), 2);
    Said {
        run: if random.chance(9, 10) { rx.run } else { random.bits(8) as u8 },
        valid: random.chance(5, 6),
        acked_psn: if random.chance(9, 10) { acked_psn } else { random.bits(24) as u32 },
        acked_msn: random.bits(24) as u32,
        departed_psn: random.bits(24) as u32,
        confirmed_psn: random.bits(24) as u32,
        barrier: random.chance(1, 2),
    }
}

fn draw_cfg(random: &mut Random, index: u16, before: &Cfg) -> Cfg {
    let any = random.bits(8) as u8;
    Cfg {
        enable: !random.chance(1, 16),
        ack_ops_write: random.chance(1, 2),
        mtu: if random.chance(1, 12) { random.bits(3) as u8 } else { random.pick(&[0, 1 + (index % 3) as u8]) },
        serial: random.pick(&[before.serial, before.serial.wrapping_add(1), before.serial.wrapping_add(1), any]),
    }
}

/// The model, and all that was written to it: the generator and the tally look at it.
struct Reference {
    track: Track,
    cfg: Vec<Cfg>,
    back: Vec<Back>,
    tally: Tally,
}

/// One op or sweep that is under way.
struct Due {
    at: u64,
    what: String,
    flow: u16,
    verdict: Option<Verdict>,
    event: Option<Event>,
    rx: Rx,
}

impl Reference {
    fn op(&mut self, op: TrackOp) -> (Verdict, Rx) {
        let at = usize::from(op.index);
        let (cfg, back, before) = (self.cfg[at], self.back[at], self.track.rx(op.index));
        let verdict = self.track.op(op);
        let after = self.track.rx(op.index);
        let tally = &mut self.tally;
        tally.count("reason", verdict.reason);
        if let Some(event) = verdict.event {
            tally.count("event", event.code);
        }
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
        if after.synced && !before.gap && after.gap {
            tally.count("rx", if verdict.forward { "goes back" } else { "opens a gap" });
        }
        if after.rewound && !before.rewound {
            tally.count("rx", "is rewound");
        }
        if verdict.intent.kind == Kind::Barrier && verdict.intent.req {
            tally.count("intent", "repeated barrier");
        }
        if after != before && after.expected < before.expected && psn::after(after.expected, before.expected) {
            tally.count("rx", "wraps");
        }
        (verdict, after)
    }

    fn sweep(&mut self, index: u16, enable: bool, times: &Times) -> (Option<Event>, Rx) {
        let at = usize::from(index);
        let state = state(enable, &self.cfg[at], &self.track.rx(index), &self.back[at]);
        let (wrote, event) = self.track.sweep(index, enable, times);
        self.tally.count("swept", state);
        if let Some(event) = event {
            self.tally.count("event", event.code);
        }
        if wrote && event.is_none() {
            self.tally.count("swept", "takes the Drain over");
        }
        (event, self.track.rx(index))
    }
}

/// Plays one life of `ops` ops over a few flows.
fn play(random: &mut Random, ops: u64, tally: Tally) -> Tally {
    let mut model =
        Reference { track: Track::new(), cfg: vec![Cfg::default(); FLOWS], back: vec![Back::default(); FLOWS], tally };
    let flows: Vec<u16> = (0..6).map(|_| random.bits(12) as u16).chain([0, 4095]).collect();
    let mut dut = fresh();
    let mut mirror = vec![Rx::default(); FLOWS];
    let mut due: VecDeque<Due> = VecDeque::new();
    let (mut enable, mut steady, mut flow, mut before_flow) = (true, true, flows[0], None);
    let (mut done, mut at, mut now) = (0, 0u64, random.bits(24) as u32);
    let timers = random.pick(&[[3, 20, 60], [0, 1, 2], [1, 3, 2], [2, 4, 0x7fff], [40, 100, 1000]]);
    while done < ops || !due.is_empty() {
        if random.chance(1, 40) {
            steady = random.chance(2, 3);
        }
        now += u32::from(random.chance(1, 12));
        if random.chance(1, 20_000) {
            now += random.bits(16) as u32;
        }
        now &= 0xff_ffff;
        let times = Times::at(now, timers[0], timers[1], timers[2]);
        enable = if enable { !random.chance(1, 1000) } else { random.chance(1, 20) };
        if random.chance(1, 2) {
            flow = random.pick(&flows);
        }
        let mtu = 256 << (flow % 3);
        let op = draw_op(random, flow, &model.track.rx(flow), mtu, enable, times);
        let mut inputs = Inputs { op, valid: done < ops && (steady || random.chance(1, 3)), ..Inputs::default() };
        if random.chance(1, 6) {
            inputs.sweep = Some(flow);
            inputs.valid &= random.chance(1, 4);
        }
        if random.chance(1, 12) {
            let index = random.pick(&flows);
            inputs.back = Some((index, draw_back(random, &model.track.rx(index))));
        }
        if random.chance(1, 12) {
            let index = random.pick(&flows);
            let back = model.back[usize::from(index)];
            inputs.said = Some((index, draw_said(random, &model.track.rx(index), &back)));
        }
        if random.chance(1, 30) || at < 50 {
            let index = random.pick(&flows);
            inputs.cfg = Some((index, draw_cfg(random, index, &model.cfg[usize::from(index)])));
        }
        // the op reads before this cycle's writes
        let mut next =
            Due { at: at + LATENCY, what: String::new(), flow, verdict: None, event: None, rx: Rx::default() };
        if inputs.valid {
            let (verdict, rx) = model.op(op);
            next = Due { what: format!("{op:x?}"), verdict: Some(verdict), event: verdict.event, rx, ..next };
            due.push_back(next);
            if before_flow == Some((at.wrapping_sub(1), flow)) {
                model.tally.count("flow", "same as in the cycle before");
            }
            before_flow = Some((at, flow));
            done += 1;
        } else if inputs.sweep.is_some() {
            let (event, rx) = model.sweep(flow, enable, &times);
            next = Due { what: format!("sweep of {flow:x}"), event, rx, ..next };
            due.push_back(next);
            if before_flow == Some((at.wrapping_sub(1), flow)) {
                model.tally.count("flow", "swept right behind an op");
            }
            before_flow = Some((at, flow));
        }
        if let Some((index, cfg)) = inputs.cfg {
            model.cfg[usize::from(index)] = cfg;
            model.track.set_cfg(index, cfg);
        }
        if let Some((index, back)) = inputs.back {
            model.back[usize::from(index)] = back;
            model.track.set_back(index, back);
        }
        if let Some((index, said)) = inputs.said {
            model.track.set_said(index, said);
        }
        let seen = cycle(&mut dut, &inputs);
        if let Some((index, rx)) = seen.rx {
            mirror[usize::from(index)] = rx;
        }
        match due.front() {
            Some(d) if d.at == at => {
                let Due { what, flow, verdict, event, rx, .. } = due.pop_front().unwrap();
                assert_eq!(seen.verdict, verdict, "cycle {at}: {what}");
                assert_eq!(seen.event, event, "cycle {at}: {what}");
                let written = mirror[usize::from(flow)];
                assert_eq!(written.canonical(), rx.canonical(), "cycle {at}: {what}");
            }
            _ => assert!(seen.verdict.is_none() && seen.rx.is_none() && seen.event.is_none(), "cycle {at}: on nothing"),
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
    tally.reached("swept", &["takes the Drain over"], 100);
    tally.reached("intent", &[Kind::None, Kind::Barrier, Kind::Refuse], 1000);
    tally.reached("intent", &["repeated barrier"], 1000);
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
    let of_track = [
        event::IDLE,
        event::DRAIN_GAP,
        event::DRAIN_ASTRAY,
        event::DRAIN_MIGRATED,
        event::DRAIN_OPCODE,
        event::DRAIN_MALFORMED,
        event::DRAIN_READ,
        event::DRAINED,
        event::DRAIN_TIMEOUT,
    ];
    tally.reached("event", &of_track, 50);
    let moves = [
        "starts over",
        "skips a run",
        "samples",
        "samples again",
        "learns the MTU",
        "drains",
        "goes back",
        "opens a gap",
        "is rewound",
        "wraps",
    ];
    tally.reached("rx", &moves, 100);
    tally.reached("flow", &["same as in the cycle before"], 100_000);
    tally.reached("flow", &["swept right behind an op"], 10_000);
}
