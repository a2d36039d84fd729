//! The records that pass between stages (`docs/blocks.md`, "Records"), as plain structs with the gates' field names.

use crate::psn;

use matchrdma_spec::params::READ_UNKNOWN_MTU_MAX_BYTES;
pub use matchrdma_spec::params::{FLOWS, PSN_WINDOW};
use matchrdma_spec::regs::flow as reg;
use matchrdma_spec::wire::opcode;

/// Path MTU in bytes of a code: 0 unknown, 1..=5 are 256, 512, 1024, 2048, 4096; other codes are unknown too.
pub fn mtu_bytes(code: u8) -> Option<u32> {
    reg::mtu_bytes(code.into())
}

/// The code of a path MTU in bytes; 0 when it is none of the five.
pub fn mtu_code(bytes: u32) -> u8 {
    reg::mtu_code(bytes) as u8
}

/// What an intent is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Nothing.
    #[default]
    None = 0,
    /// Data up to `psn` is committed in order.
    Ack = 1,
    /// `psn` was expected and something later came.
    Nak = 2,
    /// A duplicate asked for an ACK.
    Reack = 3,
    /// Only the far side may answer `psn`..=`msn`.
    Barrier = 4,
    /// The far side acknowledged `psn` in an ACK.
    Confirm = 5,
    /// The request at `psn` is refused; the low byte of `msn` is the syndrome.
    Refuse = 6,
    /// The far side answered `psn` with the end of a READ response, or an ATOMIC ACK.
    Answer = 7,
}

impl Kind {
    /// The kind of a code of the gates.
    pub fn of(code: u64) -> Option<Kind> {
        use Kind::*;
        [None, Ack, Nak, Reack, Barrier, Confirm, Refuse, Answer].get(code as usize).copied()
    }
}

/// Why a stage dropped a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Reason {
    /// It did not.
    #[default]
    None = 0,
    /// The MAC marked it.
    MacError = 1,
    /// Longer than a frame may be.
    Malformed = 2,
    /// A budget frame on the client port.
    BudgetFromClient = 3,
    /// Packet memory was full.
    Overflow = 4,
    /// Wrong ICRC on an active flow.
    BadIcrc = 5,
    /// Ahead of the expected PSN.
    OutOfOrder = 6,
    /// Behind the expected PSN.
    Duplicate = 7,
    /// A request of a flow in Fault, or the far side's ACK or NAK for one.
    Fault = 8,
    /// A MAC control frame on the client port.
    Pfc = 9,
}

/// Where a flow stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Passed through.
    Off,
    /// Followed, everything forwarded, nothing acknowledged.
    Sync,
    /// Acknowledged on behalf of the far side.
    Active,
    /// Everything forwarded; nothing new acknowledged.
    Drain,
    /// The far side refused what had been acknowledged.
    Fault,
}

/// What an acknowledgement may be asked to say. `msn` of a `Barrier` is the last PSN it consumes, and `req` says that
/// it was sent before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub struct Intent {
    pub kind: Kind,
    pub req: bool,
    pub flow: u16,
    pub run: u8,
    pub psn: u32,
    pub msn: u32,
}

impl Intent {
    /// The same with every field zero that its kind does not use, so that two intents which mean the same are equal.
    pub fn canonical(self) -> Intent {
        let Intent { kind, req, flow, run, psn, msn } = self;
        match kind {
            Kind::None => Intent::default(),
            Kind::Reack => Intent { kind, flow, run, ..Intent::default() },
            Kind::Nak | Kind::Answer => Intent { req: false, ..self },
            Kind::Refuse => Intent { req: false, msn: msn & 0xff, ..self },
            Kind::Ack | Kind::Barrier | Kind::Confirm => Intent { kind, req, flow, run, psn, msn },
        }
    }
}

/// A flow as the host set it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cfg {
    /// Follow this flow.
    pub enable: bool,
    /// Leave SEND and WRITE with immediate to the far side.
    pub ack_ops_write: bool,
    /// Path MTU code.
    pub mtu: u8,
    /// Changed by the host whenever the flow (re)starts.
    pub serial: u8,
}

/// A flow as `track` knows it: the responder's view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub struct Rx {
    pub serial: u8,
    pub run: u8,
    pub synced: bool,
    pub drain: bool,
    pub gap: bool,
    pub sample_valid: bool,
    pub mtu: u8,
    pub expected: u32,
    pub count: u32,
    pub sample_psn: u32,
    pub sample_count: u32,
    pub off: bool,
    pub rewound: bool,
    pub mig: bool,
    pub cause: u8,
    /// It was Active since the host last started it: the template is its own.
    pub mould: bool,
}

impl Rx {
    /// The same with every field zero that has no meaning at present (the count of a flow not in sync, and so on).
    pub fn canonical(mut self) -> Rx {
        if !self.synced {
            self.count = 0;
            self.sample_valid = false;
        }
        if !self.sample_valid {
            self.sample_psn = 0;
            self.sample_count = 0;
        }
        self
    }
}

/// A flow as `ack_filter` knows it: the far side's answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub struct Back {
    pub run: u8,
    pub active: bool,
    pub fault: bool,
    pub resync: bool,
    pub seen: bool,
    pub mtu: u8,
    pub offset: u32,
    pub seen_psn: u32,
    pub off: bool,
    pub drain: bool,
    pub cause: u8,
    pub refusal: u8,
}

impl Back {
    /// An empty one of run `run`.
    pub fn empty(run: u8) -> Back {
        Back { run, ..Back::default() }
    }

    /// The same with every field zero that has no meaning at present.
    pub fn canonical(mut self) -> Back {
        if !self.active {
            self.offset = 0;
        }
        if !self.seen {
            self.seen_psn = 0;
        }
        if !self.fault {
            self.refusal = 0;
        }
        self
    }
}

/// A flow as `pseudo_ack` knows it: what the sender was told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub struct Said {
    pub run: u8,
    pub valid: bool,
    pub acked_psn: u32,
    pub acked_msn: u32,
    pub departed_psn: u32,
    pub confirmed_psn: u32,
    pub barrier: bool,
}

/// `rx` belongs to the flow the host configured; else it is left over from an earlier one and counts as empty.
pub fn current(cfg: &Cfg, rx: &Rx) -> bool {
    rx.serial == cfg.serial
}

/// `back` belongs to the run `rx` is in; else it counts as empty.
pub fn same(cfg: &Cfg, rx: &Rx, back: &Back) -> bool {
    current(cfg, rx) && back.run == rx.run
}

/// Where a flow stands, from its three records and the global enable.
pub fn state(enable: bool, cfg: &Cfg, rx: &Rx, back: &Back) -> State {
    let (current, same) = (current(cfg, rx), same(cfg, rx, back));
    if !enable || !cfg.enable || (current && rx.off) || (same && back.off) {
        State::Off
    } else if same && back.fault {
        State::Fault
    } else if (current && rx.drain) || (same && back.drain) {
        State::Drain
    } else if same && back.active {
        State::Active
    } else {
        State::Sync
    }
}

/// The sender was told of something that the far side has not confirmed.
pub fn debt(rx: &Rx, back: &Back, said: &Said) -> bool {
    let told = said.valid && said.run == rx.run && back.run == rx.run && back.seen;
    told && psn::after(said.acked_psn, back.seen_psn)
}

/// The present, in ticks, and what is longer ago than each timer: `docs/blocks.md`, "Time".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// The present, 24 bits.
    pub now: u32,
    /// A gap that opened before is due.
    pub gap: u16,
    /// A flow that stood still since before is idle.
    pub idle: u16,
    /// Debt from before is too old.
    pub debt: u16,
}

/// Longest age that a stamp can tell, ticks.
pub const AGE_MAX: u16 = 0x7fff;

impl Times {
    /// At tick `now`, with these timers in ticks.
    pub fn at(now: u32, gap_timeout: u16, flow_idle: u16, debt_timeout: u16) -> Times {
        let before = |ticks: u16| (now as u16).wrapping_sub(ticks);
        let (gap, idle, debt) = (before(gap_timeout), before(flow_idle), before(debt_timeout));
        Times { now: now & 0xff_ffff, gap, idle, debt }
    }

    /// A stamp of now.
    pub fn stamp(&self) -> u16 {
        self.now as u16
    }

    /// The stamp, or when it is older than can be told, the oldest that can.
    pub fn clamp(&self, stamp: u16) -> u16 {
        if self.stamp().wrapping_sub(stamp) > AGE_MAX {
            self.stamp().wrapping_sub(AGE_MAX)
        } else {
            stamp
        }
    }
}

/// Stamp `a` is of before `b`.
pub fn before(a: u16, b: u16) -> bool {
    a.wrapping_sub(b) >> 15 != 0
}

/// What happened to a flow, or to a path in place of one: `spec::event`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub struct Event {
    pub code: u8,
    pub flow: u16,
    pub run: u8,
    pub psn: u32,
}

impl Event {
    /// One that tells a path.
    pub fn of_path(code: u8, path: usize) -> Self {
        debug_assert!(matchrdma_spec::event::is_of_path(code));
        Event { code, flow: path as u16, run: 0, psn: 0 }
    }
}

/// The run that follows `rx`'s: never the one that `back` still speaks of.
pub fn next_run(rx: &Rx, back: &Back) -> u8 {
    let next = rx.run.wrapping_add(1);
    if next == back.run {
        rx.run.wrapping_add(2)
    } else {
        next
    }
}

/// What an opcode asks of the stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Another transport than RC.
    Other,
    /// An RC opcode that no standard names.
    Unknown,
    /// Data that a pseudo-ACK may answer: SEND and WRITE.
    Data,
    /// READ request.
    Read,
    /// ATOMIC, FLUSH or ATOMIC WRITE: one PSN, answered by the far side.
    Remote,
    /// ACK, READ response or ATOMIC ACK.
    Response,
}

/// The class of a BTH opcode.
pub fn op(opcode: u8) -> Op {
    match opcode {
        o if opcode::transport(o) != opcode::TRANSPORT_RC => Op::Other,
        o if !opcode::known_rc(o) => Op::Unknown,
        o if opcode::is_response(o) => Op::Response,
        opcode::READ_REQUEST => Op::Read,
        o if opcode::is_send(o) || opcode::is_write(o) => Op::Data,
        _ => Op::Remote,
    }
}

/// LAST or ONLY packet of a SEND or WRITE.
pub fn ends_data(opcode: u8) -> bool {
    op(opcode) == Op::Data && opcode::completes_message(opcode)
}

/// FIRST or MIDDLE packet of a SEND or WRITE: its payload is the path MTU.
pub fn fills_mtu(opcode: u8) -> bool {
    op(opcode) == Op::Data && !opcode::completes_message(opcode)
}

/// PSNs that a request takes: a READ one for each packet of its response. `None`: a READ of unknown path MTU.
pub fn consumes(opcode: u8, reth_len: u32, mtu: Option<u32>) -> Option<u32> {
    match (op(opcode), mtu) {
        (Op::Read, Some(mtu)) => Some(reth_len.div_ceil(mtu).max(1)),
        (Op::Read, None) if reth_len > READ_UNKNOWN_MTU_MAX_BYTES => None,
        _ => Some(1),
    }
}

/// A PSN so far from the expected one that this cannot be the same connection: not within a window before it, nor
/// less than one behind it.
pub fn astray(psn: u32, expected: u32) -> bool {
    psn::sub(psn::add(psn, PSN_WINDOW), expected) >= 2 * PSN_WINDOW
}

/// A good request whose payload is none that its opcode allows, whatever the path MTU.
pub fn odd(opcode: u8, payload: u32) -> bool {
    match op(opcode) {
        Op::Data if fills_mtu(opcode) => mtu_code(payload) == 0,
        Op::Data => payload > 4096,
        Op::Read => payload != 0,
        Op::Remote => payload != if opcode == opcode::ATOMIC_WRITE { 8 } else { 0 },
        _ => false,
    }
}

/// A good request whose payload does not go with the path MTU.
pub fn misfit(opcode: u8, payload: u32, mtu: Option<u32>) -> bool {
    match mtu {
        Some(mtu) if fills_mtu(opcode) => payload != mtu,
        Some(mtu) if op(opcode) == Op::Data => payload > mtu,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn active() -> (Cfg, Rx, Back) {
        let cfg = Cfg { enable: true, serial: 3, ..Cfg::default() };
        let rx = Rx { serial: 3, run: 9, synced: true, ..Rx::default() };
        (cfg, rx, Back { active: true, ..Back::empty(9) })
    }

    #[test]
    fn states_are_derived_in_their_order() {
        let (cfg, rx, back) = active();
        assert_eq!(state(true, &cfg, &rx, &back), State::Active);
        assert_eq!(state(false, &cfg, &rx, &back), State::Off);
        assert_eq!(state(true, &Cfg { enable: false, ..cfg }, &rx, &back), State::Off);
        assert_eq!(state(true, &cfg, &Rx { drain: true, ..rx }, &back), State::Drain);
        assert_eq!(state(true, &cfg, &rx, &Back { fault: true, ..back }), State::Fault);
        assert_eq!(state(true, &cfg, &Rx { drain: true, ..rx }, &Back { fault: true, ..back }), State::Fault);
        assert_eq!(state(true, &cfg, &rx, &Back { active: false, ..back }), State::Sync);
    }

    #[test]
    fn an_older_run_or_serial_is_void() {
        let (cfg, rx, back) = active();
        let back = Back { fault: true, ..back };
        assert_eq!(state(true, &cfg, &Rx { run: 10, ..rx }, &back), State::Sync);
        assert_eq!(state(true, &cfg, &Rx { serial: 4, drain: true, ..rx }, &back), State::Sync);
    }

    #[test]
    fn a_run_is_never_the_one_back_remembers() {
        let rx = Rx { run: 0xff, ..Rx::default() };
        assert_eq!(next_run(&rx, &Back::empty(7)), 0);
        assert_eq!(next_run(&rx, &Back::empty(0)), 1);
        assert_eq!(next_run(&rx, &Back::empty(0xff)), 0);
    }

    #[test]
    fn every_opcode_has_one_class() {
        let count = |class| (0..=0xffu8).filter(|&o| op(o) == class).count();
        assert_eq!([Op::Data, Op::Read, Op::Remote, Op::Response, Op::Unknown].map(count), [14, 1, 4, 6, 7]);
        assert_eq!(count(Op::Other), 224);
        assert!((0..=0xff).all(|o| !ends_data(o) || op(o) == Op::Data));
        assert_eq!((0..=0xff).filter(|&o| opcode::completes_message(o)).count(), 15);
        assert_eq!((0..=0xff).filter(|&o| opcode::is_barrier(o, false)).count(), 5);
        assert_eq!((0..=0xff).filter(|&o| opcode::is_barrier(o, true)).count(), 15);
    }

    #[test]
    fn a_read_takes_a_psn_for_each_response_packet() {
        let n = |len, code| consumes(0x0c, len, mtu_bytes(code));
        assert_eq!([n(0, 3), n(1, 3), n(1024, 3), n(1025, 3)], [Some(1), Some(1), Some(1), Some(2)]);
        assert_eq!(n(u32::MAX, 1), Some(1 << 24));
        assert_eq!([n(256, 0), n(257, 0), n(257, 6)], [Some(1), None, None]);
        assert_eq!(consumes(0x0a, 99_999, None), Some(1));
    }

    #[test]
    fn mtu_codes_are_the_five_of_the_standard() {
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 6, 7].map(mtu_bytes).map(|m| m.unwrap_or(0)),
            [0, 256, 512, 1024, 2048, 4096, 0, 0]
        );
        assert_eq!([256, 512, 1024, 2048, 4096, 0, 128, 8192, 1000].map(mtu_code), [1, 2, 3, 4, 5, 0, 0, 0, 0]);
    }

    #[test]
    fn unused_fields_do_not_make_intents_differ() {
        let full = |kind| Intent { kind, req: true, flow: 5, run: 6, psn: 7, msn: 8 };
        assert_eq!(full(Kind::None).canonical(), Intent::default());
        assert_eq!(full(Kind::Ack).canonical(), full(Kind::Ack));
        assert_eq!(full(Kind::Nak).canonical(), Intent { req: false, ..full(Kind::Nak) });
        assert_eq!(full(Kind::Reack).canonical().psn, 0);
        assert_eq!(Kind::of(5), Some(Kind::Confirm));
        assert_eq!((0..8).filter_map(Kind::of).map(|kind| kind as u64).sum::<u64>(), 28);
        assert_eq!(full(Kind::Refuse).canonical(), Intent { req: false, ..full(Kind::Refuse) });
        assert_eq!(full(Kind::Answer).canonical(), Intent { req: false, ..full(Kind::Answer) });
        assert_eq!(full(Kind::Barrier).canonical(), full(Kind::Barrier));
        assert_eq!(Kind::of(8), None);
    }
}
