//! Budget 3 of 4: **budget_rx**. What the far gateways say of each path.
//!
//! In: frames of the line port, after all before them were judged; bytes that each path has brought; slot boundaries.
//! Out: the rate and byte limit of each path; for the law, what has arrived, the echo and what waits; for `budget_tx`, the
//! session and slot last heard.
//!
//! A frame counts only when everything about it is right, in this order: its length, CRC, version and kind; both sites; the
//! path; its tag; its sessions; its number. What is not is dropped, and counted under the first name that fits; the rate
//! stays. The highest number wins, so a frame that comes twice, late or out of order changes nothing.
//!
//! A *session* is the life of one gateway's state. The host gives each a number higher than the one before, so that a
//! hello of an older life, sent again by anyone, opens nothing. A hello of a new session sets everything that both ends
//! count of the path to nought.

use matchrdma_spec::heard;
use matchrdma_spec::params::PATHS;
use matchrdma_spec::wire::budget::{self, Budget};

/// Who is at the far end of a path, and what holds for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Peer {
    /// The path has a far gateway.
    pub on: bool,
    /// Its site.
    pub site: u16,
    /// Key of both directions; zero: no tag.
    pub key: [u8; 16],
}

/// What the host says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetCfg {
    /// Our site.
    pub site: u16,
    /// Our session: higher than any before, never 0.
    pub session: u32,
    /// Bytes of one of our slots at line rate.
    pub line: u32,
    /// What an outage leaves, bytes per slot.
    pub floor: u32,
    /// A local rate is a wire rate times this, over 2^32.
    pub from_wire: u64,
    /// A wire rate is a local rate times this, over 2^32.
    pub to_wire: u64,
    /// Length of our slots, ps.
    pub slot_ps: u64,
    /// Core clock, Hz.
    pub clock_hz: u32,
    /// What we are able to do.
    pub capabilities: u32,
    /// Lease that we give, slots of the receiver.
    pub lease: u16,
}

/// Product over 2^32, rounded down.
pub fn scaled(rate: u32, factor: u64) -> u64 {
    ((u128::from(rate) * u128::from(factor)) >> 32) as u64
}

/// Why a frame did not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refused {
    /// Its length is not that of a budget frame, or the port says that it is damaged.
    Malformed,
    /// Its CRC is wrong.
    Corrupt,
    /// Another version, or a kind that is none.
    Version,
    /// It is for another site.
    Elsewhere,
    /// No path has its sender's site.
    Unknown,
    /// Its tag is wrong.
    Tag,
    /// Not of the session that is known, or not for ours.
    Session,
    /// Its number is not higher than the last one.
    Old,
    /// A budget whose slots or totals are beyond what can be counted.
    Range,
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// Dropped.
    Refused(Refused),
    /// A hello of a new session: path.
    Opened(usize),
    /// A hello of the session that is known: path.
    Hello(usize),
    /// A budget: path, and whether its rate was above line and was lowered to it.
    Budget(usize, bool),
}

impl Heard {
    /// Its code in `spec::heard`.
    pub fn code(&self) -> u8 {
        match self {
            Heard::Budget(..) => heard::BUDGET,
            Heard::Hello(_) => heard::HELLO,
            Heard::Opened(_) => heard::OPENED,
            Heard::Refused(Refused::Malformed) => heard::MALFORMED,
            Heard::Refused(Refused::Corrupt) => heard::CORRUPT,
            Heard::Refused(Refused::Version) => heard::VERSION,
            Heard::Refused(Refused::Elsewhere) => heard::ELSEWHERE,
            Heard::Refused(Refused::Unknown) => heard::UNKNOWN,
            Heard::Refused(Refused::Tag) => heard::TAG,
            Heard::Refused(Refused::Session) => heard::SESSION,
            Heard::Refused(Refused::Old) => heard::OLD,
            Heard::Refused(Refused::Range) => heard::RANGE,
        }
    }
}

/// What is known of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Session of the far gateway, 0: never heard.
    pub session: u32,
    /// It knows our session.
    pub knows_us: bool,
    /// Number of its last frame.
    pub sequence: u64,
    /// Its slot whose budget is applied here; 0: none.
    pub slot: u64,
    /// Newest of our slots that it had applied.
    pub echo: u64,
    /// What we may send, bytes per local slot.
    pub rate: u32,
    /// What we may ever have sent.
    pub limit: u64,
    /// Bytes that wait there.
    pub waiting: u64,
    /// Bytes that came from there, or were lost on the line.
    pub arrived: u64,
    /// Slots for which the rate still holds.
    pub lease: u16,
    /// A budget was heard in this session.
    pub live: bool,
    /// The lease ran out, and nothing has been heard since.
    pub lapsed: bool,
}

impl Said {
    /// The byte limit does not count: an outage has brought the rate to its floor.
    pub fn free(&self, floor: u32) -> bool {
        self.lapsed && self.rate <= floor
    }
}

/// All paths.
#[derive(Clone, Debug)]
pub struct BudgetRx {
    cfg: BudgetCfg,
    peers: [Peer; PATHS],
    said: [Said; PATHS],
}

impl BudgetRx {
    /// Nobody was heard.
    pub fn new(cfg: BudgetCfg, peers: [Peer; PATHS]) -> Self {
        BudgetRx { cfg, peers, said: [Said::default(); PATHS] }
    }

    /// What the host says is another from now on.
    pub fn set(&mut self, cfg: BudgetCfg) {
        self.cfg = cfg;
    }

    /// A path has another far gateway, or none. What was heard stays until a new session.
    pub fn set_peer(&mut self, path: usize, peer: Peer) {
        self.peers[path] = peer;
    }

    /// What is known of a path.
    pub fn said(&self, path: usize) -> &Said {
        &self.said[path]
    }

    /// Bytes of a path came from the line.
    pub fn bytes_came(&mut self, path: usize, bytes: u64) {
        self.said[path].arrived += bytes;
    }

    /// A frame that `is_budget`; `damaged`: the port says so.
    pub fn frame(&mut self, frame: &[u8], damaged: bool) -> Heard {
        match self.judge(frame, damaged) {
            Err(why) => Heard::Refused(why),
            Ok((path, said)) => self.apply(path, &said),
        }
    }

    fn judge(&self, frame: &[u8], damaged: bool) -> Result<(usize, Budget), Refused> {
        if damaged || frame.len() != budget::BYTES {
            return Err(Refused::Malformed);
        }
        if !budget::crc_ok(frame) {
            return Err(Refused::Corrupt);
        }
        let b = Budget::parse(frame).ok_or(Refused::Malformed)?;
        if b.version != budget::VERSION_VALUE || ![budget::KIND_HELLO, budget::KIND_BUDGET].contains(&b.kind) {
            return Err(Refused::Version);
        }
        if b.dst_site != self.cfg.site {
            return Err(Refused::Elsewhere);
        }
        let path = self.peers.iter().position(|p| p.on && p.site == b.src_site).ok_or(Refused::Unknown)?;
        if !budget::tag_ok(frame, &self.peers[path].key) {
            return Err(Refused::Tag);
        }
        let known = &self.said[path];
        let hello = b.kind == budget::KIND_HELLO;
        let ours = b.peer_session == self.cfg.session || (hello && b.peer_session == 0);
        let theirs = b.session == known.session && b.session != 0 || (hello && b.session > known.session);
        if !ours || !theirs {
            return Err(Refused::Session);
        }
        if b.session == known.session && b.sequence <= known.sequence {
            return Err(Refused::Old);
        }
        let slots = b.slot.max(b.echo) >> budget::SLOT_BITS;
        let totals = b.limit.max(b.sent) >> budget::TOTAL_BITS;
        if !hello && (slots, totals) != (0, 0) {
            return Err(Refused::Range);
        }
        Ok((path, b))
    }

    fn apply(&mut self, path: usize, b: &Budget) -> Heard {
        let cfg = &self.cfg;
        let said = &mut self.said[path];
        let opened = b.session != said.session;
        if opened {
            *said = Said { session: b.session, ..Said::default() };
        }
        said.sequence = b.sequence;
        said.knows_us = b.peer_session == cfg.session;
        if b.kind == budget::KIND_HELLO {
            return if opened { Heard::Opened(path) } else { Heard::Hello(path) };
        }
        let rate = scaled(b.rate.min(u32::MAX.into()) as u32, cfg.from_wire);
        let high = rate > cfg.line.into();
        (said.rate, said.limit) = (rate.min(cfg.line.into()) as u32, b.limit);
        (said.slot, said.echo, said.waiting) = (b.slot, b.echo, b.waiting);
        (said.arrived, said.lease) = (b.sent, b.lease);
        (said.live, said.lapsed) = (true, false);
        Heard::Budget(path, high)
    }

    /// One of our slots ends. The paths whose lease has just run out, as bits.
    pub fn boundary(&mut self) -> u16 {
        let mut lapses = 0;
        for (path, said) in self.said.iter_mut().enumerate().filter(|(_, said)| said.live) {
            if said.lease > 0 {
                said.lease -= 1;
                continue;
            }
            lapses |= u16::from(!said.lapsed) << path;
            said.lapsed = true;
            said.rate = (said.rate >> 1).max(self.cfg.floor);
        }
        lapses
    }
}
