//! The rail, and the model beside it.

use crate::budget::words::{drive_word, Words};
use crate::harness::Random;
use matchrdma_model::budget_rail::{BudgetRail, PortSlot, RailCfg};
use matchrdma_model::budget_rx::Peer;
use matchrdma_rtl::budget_rail::Dut;
use std::collections::{BTreeMap, VecDeque};

/// Paths.
pub const PATHS: usize = 16;
/// Cycles from the end of the round that finds the longest loop to those in which the law may look at the paths.
const BEFORE_THE_LAW: u64 = 50;

/// A port's words.
pub fn words<const N: usize>(bytes: &[u8]) -> [u32; N] {
    std::array::from_fn(|i| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().unwrap()))
}

/// Where a slot's work is, as it is seen from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// It is over.
    None,
    /// Leases, then the longest loop, since that cycle.
    Begun(u64),
    /// The estimator, then the law asks, since that cycle.
    Rates(u64),
    /// The law has all that it needs.
    Law,
}

/// A frame that was given and not heard yet.
pub struct Waiting {
    pub frame: Vec<u8>,
    pub bad: bool,
    /// What each path had brought when it came.
    pub came: [u64; PATHS],
}

/// All that is compared.
pub struct Bench {
    pub dut: Dut,
    pub model: BudgetRail,
    /// The model without the slot that the law is at: what is told until its budgets are there.
    pub old: Option<BudgetRail>,
    pub cfg: RailCfg,
    pub peers: [Peer; PATHS],
    pub weights: [u8; PATHS],
    pub sent: [u64; PATHS],
    pub waiting: [u64; PATHS],
    pub port: PortSlot,
    /// The tables, the slot that runs as RATE counts them, and what left of each path in it.
    pub words: Words,
    pub rate_slot: u32,
    pub left: [u32; PATHS],
    pub work: Work,
    pub begun: u64,
    pub given: VecDeque<Waiting>,
    pub came: [u64; PATHS],
    /// What was told of rates and limits, and of leases in this slot.
    pub live: [(u32, u64); PATHS],
    pub lapses: u16,
    pub turn: (u32, u32),
    pub budgets: u64,
    /// A path whose session was opened, and whose `sent` is set to 0 in that cycle.
    pub forgets: Option<(usize, u64)>,
    /// The frame that is under way, beats of it that left, and the paths that are still to be told.
    pub under: Option<(Vec<u8>, usize)>,
    pub cleared: bool,
    pub offered: bool,
    /// Nobody takes frames.
    pub blocked: bool,
    /// How often something was left out.
    pub late: u32,
    /// How often that was to be.
    pub left_out: u32,
    pub round: u16,
    /// Paths that got a far gateway in the round: they may be told.
    pub perhaps: u16,
    pub cycle: u64,
    pub seen: BTreeMap<&'static str, u64>,
}

impl Bench {
    /// After a reset, which may come at any moment.
    pub fn begin(mut dut: Dut, cfg: RailCfg, random: &mut Random) -> Bench {
        let slots = [0, u32::MAX - 100, 1 << 31, random.u32()];
        let rate_slot = random.pick(&slots);
        dut.set_session(cfg.budget.session);
        dut.set_boundary(0);
        dut.set_frame_valid(0);
        dut.set_came_valid(0);
        dut.set_peer_we(0);
        dut.set_left_valid(0);
        dut.set_banks(0);
        dut.set_set(0);
        drive_word!(dut, None);
        let mut bench = Bench {
            dut,
            model: BudgetRail::new(cfg),
            old: None,
            cfg,
            peers: [Peer::default(); PATHS],
            weights: [0; PATHS],
            sent: [0; PATHS],
            waiting: [0; PATHS],
            port: PortSlot::default(),
            words: Words::new(random),
            rate_slot,
            left: [0; PATHS],
            work: Work::None,
            begun: 0,
            given: VecDeque::new(),
            came: [0; PATHS],
            live: [(0, 0); PATHS],
            lapses: 0,
            turn: (0, 0),
            budgets: 0,
            forgets: None,
            under: None,
            cleared: false,
            offered: false,
            blocked: false,
            late: 0,
            left_out: 0,
            round: 0,
            perhaps: 0,
            cycle: 0,
            seen: BTreeMap::new(),
        };
        bench.levels(cfg);
        bench.dut.set_rst(1);
        (0..3).for_each(|_| bench.dut.tick());
        bench.dut.set_rst(0);
        bench.fill(random);
        bench
    }

    /// What is on its way into the tables gets there.
    pub fn fill(&mut self, random: &mut Random) {
        while let Some(word) = self.words.on_their_way.pop_front() {
            drive_word!(self.dut, Some(word));
            self.step(random);
        }
        drive_word!(self.dut, None);
    }

    /// The host's levels. A session waits till no slot is at work, and must not meet frames or bytes.
    pub fn levels(&mut self, cfg: RailCfg) {
        let (b, e, law) = (cfg.budget, cfg.estimator, cfg.law);
        self.dut.set_line(b.line);
        self.dut.set_floor(b.floor);
        self.dut.set_capacity(law.capacity as u64);
        self.dut.set_tau(law.tau);
        self.dut.set_a(e.a);
        self.dut.set_p(e.p);
        self.dut.set_c(e.c);
        self.dut.set_h(e.h);
        self.dut.set_site(b.site.into());
        self.dut.set_from_wire(b.from_wire);
        self.dut.set_to_wire(b.to_wire);
        self.dut.set_slot_ps(b.slot_ps);
        self.dut.set_clock_hz(b.clock_hz);
        self.dut.set_capabilities(b.capabilities);
        self.dut.set_lease(b.lease.into());
        self.dut.set_dst(cfg.addresses.0);
        self.dut.set_src(cfg.addresses.1);
        self.cfg = cfg;
    }

    fn models(&mut self, act: impl Fn(&mut BudgetRail)) {
        self.old.iter_mut().chain([&mut self.model]).for_each(act);
    }

    /// Frames that were given and not heard yet.
    pub fn pending(&self) -> usize {
        self.given.len()
    }

    /// What the law sees may not change now.
    pub fn frozen(&self) -> bool {
        matches!(self.work, Work::Rates(since) if self.cycle > since + BEFORE_THE_LAW)
    }

    pub fn peer(&mut self, random: &mut Random, path: usize, peer: Peer, weight: u8) {
        self.dut.set_peer_we(1);
        self.dut.set_peer_path(path as u32);
        self.dut.set_peer_on(peer.on.into());
        self.dut.set_peer_site(peer.site.into());
        self.dut.set_peer_weight(weight.into());
        self.dut.set_peer_key(words::<4>(&peer.key));
        self.step(random);
        self.dut.set_peer_we(0);
        self.models(|model| model.set_peer(path, peer, weight));
        (self.peers[path], self.weights[path]) = (peer, weight);
        self.round &= !(u16::from(!peer.on) << path);
        self.perhaps |= u16::from(peer.on) << path;
    }

    pub fn came(&mut self, random: &mut Random, path: usize, bytes: u32) {
        self.dut.set_came_valid(1);
        self.dut.set_came_path(path as u32);
        self.dut.set_came_bytes(bytes);
        self.step(random);
        self.dut.set_came_valid(0);
        self.models(|model| model.came(path, bytes.into()));
        self.came[path] += u64::from(bytes);
    }

    pub fn frame(&mut self, random: &mut Random, frame: Vec<u8>, bad: bool) {
        self.dut.set_frame_valid(1);
        self.dut.set_frame(words::<32>(&frame));
        self.dut.set_bad(bad.into());
        self.given.push_back(Waiting { frame, bad, came: self.came });
        self.step(random);
        self.dut.set_frame_valid(0);
        self.step(random);
    }

    pub fn boundary(&mut self, random: &mut Random) {
        assert_eq!(self.work, Work::None);
        (self.work, self.begun) = (Work::Begun(self.cycle), self.cycle);
        self.turns(random);
    }

    /// A slot ends while one is at work: the law leaves it out, forecasts and leases do not.
    pub fn leave_out(&mut self, random: &mut Random) {
        assert!(self.work == Work::Law && self.given.is_empty());
        self.left_out += 1;
        self.port.backlogged = random.chance(1, 2);
        self.turns(random);
        let lapses = self.model.boundary();
        self.old.iter_mut().for_each(|old| assert_eq!(old.boundary(), lapses));
        (0..150).for_each(|_| self.step(random));
        assert_eq!(std::mem::take(&mut self.lapses), lapses);
        *self.seen.entry("left out").or_default() += 1;
    }

    /// The last cycle of a slot. A commit that waits takes effect with the next.
    fn turns(&mut self, random: &mut Random) {
        self.dut.set_boundary(1);
        self.dut.set_drained(self.port.drained);
        self.dut.set_other(self.port.other);
        self.dut.set_backlogged(self.port.backlogged.into());
        self.dut.set_cnp(self.port.cnp.into());
        self.port.drained_of = std::mem::take(&mut self.left);
        self.step(random);
        self.words.boundary();
        let banks = self.words.tables.banks();
        self.rate_slot = self.rate_slot.wrapping_add(1);
        self.dut.set_rate_slot(self.rate_slot);
        self.dut.set_banks(banks & 0xf);
        self.dut.set_set(banks >> 8);
        for model in self.old.iter_mut().chain([&mut self.model]) {
            model.forecast(&self.words.tables, self.rate_slot, &self.port);
        }
        let on = (0..PATHS).filter(|path| self.model.outlook(*path).is_some()).count();
        *self.seen.entry("foreseen").or_default() += on as u64;
        self.dut.set_boundary(0);
        self.dut.set_drained(random.u32());
        self.dut.set_other(random.u32());
        self.dut.set_backlogged(random.bits(1) as u32);
        self.dut.set_cnp(random.bits(1) as u32);
    }

    /// Another session of ours; nothing comes from the line meanwhile.
    pub fn session(&mut self, random: &mut Random, session: u32) {
        assert!(self.work == Work::None && self.given.is_empty());
        self.dut.set_session(session);
        (0..2).for_each(|_| self.step(random));
        self.cfg.budget.session = session;
        let cfg = self.cfg;
        self.models(|model| model.set(cfg));
        if session == 0 {
            self.round = 0;
        }
        // the paths come round
        for path in 0..PATHS {
            self.peer(random, path, self.peers[path], self.weights[path]);
        }
        (0..30).for_each(|_| self.step(random));
        *self.seen.entry("our session").or_default() += 1;
    }

    /// Other constants of the law.
    pub fn constants(&mut self, cfg: RailCfg) {
        assert_eq!(self.work, Work::None);
        self.levels(cfg);
        self.models(|model| model.set(cfg));
    }

    /// One cycle.
    pub fn step(&mut self, random: &mut Random) {
        if let Some((path, when)) = self.forgets {
            if self.cycle == when {
                (self.sent[path], self.forgets) = (0, None);
            }
        }
        let (clear, ready) = (random.chance(3, 4), !self.blocked && random.chance(1, 2));
        let path = self.dut.ask_path() as usize;
        self.dut.set_sent(self.sent[path]);
        self.dut.set_waiting(self.waiting[path]);
        self.dut.set_occupancy(self.port.occupancy[path]);
        self.dut.set_stray(self.port.stray);
        let left = random.chance(1, 8);
        let (of, bytes) = (random.below(PATHS as u64) as usize, random.bits(9) as u32);
        self.left[of] += if left { bytes } else { 0 };
        self.dut.set_left_valid(left.into());
        self.dut.set_left_path(of as u32);
        self.dut.set_left_bytes(bytes);
        self.dut.set_here((self.port.occupancy[self.dut.visits() as usize] > 0).into());
        self.dut.set_tx_clear(clear.into());
        self.dut.set_tx_ready(ready.into());
        self.dut.settle();
        assert_eq!(self.dut.ask_path() as usize, path);
        self.hears();
        self.works(path as u32);
        self.sends(path, ready);
        self.late += self.dut.late();
        assert_eq!(self.dut.lost(), 0);
        self.cleared = clear;
        self.dut.rise();
        self.cycle += 1;
    }
}
