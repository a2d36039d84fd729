//! Two gateways that tell each other budgets over a line that delays, loses, repeats and damages frames.

use super::*;
use crate::budget_rx::{scaled, Refused};
use matchrdma_spec::params::LEASE_SLOTS;
use matchrdma_spec::regs::law;
use matchrdma_spec::wire::budget::{self, Budget as Frame};
use std::collections::VecDeque;

const KEY: [u8; 16] = *b"a key for a test";
/// 100 Gb/s and slots of 131 us.
const LINE: u32 = 1_638_400;

fn cfg(site: u16, session: u32, slot_ps: u64) -> BudgetCfg {
    let (from_wire, to_wire) = law::factors(slot_ps);
    let line = (12_500 * slot_ps / 1_000_000) as u32;
    BudgetCfg {
        site,
        session,
        line,
        floor: line >> 8,
        from_wire,
        to_wire,
        slot_ps,
        clock_hz: 250_000_000,
        capabilities: 2,
        lease: LEASE_SLOTS as u16,
    }
}

/// One gateway: it sends all that it may over path 3, and drains what comes.
struct End {
    cfg: BudgetCfg,
    rail: BudgetRail,
    sent: u64,
    beyond: u64,
    occupancy: u64,
    capacity: u64,
    drain: u64,
    peak: u64,
    dropped: u64,
    drained: u64,
    sends: bool,
}

fn rail(budget: BudgetCfg, capacity: u64) -> RailCfg {
    let line = i64::from(budget.line);
    RailCfg {
        budget,
        estimator: EstimatorCfg { line, a: 4, p: 4, c: 3, h: 9 },
        law: ReservoirCfg { line, capacity: capacity as i64, floor: line >> 8, tau: 2 },
        addresses: (2, 1),
    }
}

impl End {
    fn new(cfg: BudgetCfg, far: u16, capacity: u64) -> End {
        let mut rail = BudgetRail::new(rail(cfg, capacity));
        rail.set_peer(3, Peer { on: true, site: far, key: KEY }, 1);
        End {
            cfg,
            rail,
            sent: 0,
            beyond: 0,
            occupancy: 0,
            capacity,
            drain: u64::from(cfg.line),
            peak: 0,
            dropped: 0,
            drained: 0,
            sends: false,
        }
    }

    fn heard(&mut self, frame: &[u8], damaged: bool) -> Heard {
        let heard = self.rail.frame(frame, damaged);
        if heard == Heard::Opened(3) {
            self.sent = 0;
        }
        heard
    }

    fn comes(&mut self, bytes: u64) {
        self.rail.came(3, bytes);
        self.occupancy += bytes;
        self.peak = self.peak.max(self.occupancy);
        self.dropped += self.occupancy.saturating_sub(self.capacity);
        self.occupancy = self.occupancy.min(self.capacity);
    }

    /// A slot: what leaves for the line, bytes and then a frame.
    fn slot(&mut self) -> (u64, Vec<u8>) {
        self.rail.boundary();
        let said = *self.rail.said(3);
        let left = said.limit.saturating_sub(self.sent);
        let free = self.rail.free(3);
        let bytes = if !self.sends {
            0
        } else if free {
            u64::from(said.rate)
        } else {
            left.min(said.rate.into())
        };
        self.sent += bytes;
        self.beyond += if free { bytes.saturating_sub(left) } else { 0 };
        let drained = self.drain.min(self.occupancy);
        let backlogged = self.occupancy > self.drain;
        self.occupancy -= drained;
        self.drained += drained;
        let mut port = PortSlot { drained: drained as u32, backlogged, ..PortSlot::default() };
        port.occupancy[3] = self.occupancy;
        self.rail.slot(&port);
        let waiting = u64::from(self.sends) << 20;
        (bytes, self.rail.tell(3, self.sent, waiting, self.occupancy).expect("it has a peer"))
    }
}

/// What is on the line: it arrives in a slot, as bytes and then a frame.
#[derive(Default)]
struct Line(VecDeque<(usize, u64, Vec<u8>)>);

/// `a` and `b` for some slots, with `delay` between them; `lost` of each 100 frames do not arrive.
struct Pair {
    a: End,
    b: End,
    now: usize,
    delay: usize,
    lost: u32,
    seed: u32,
    lines: [Line; 2],
    /// Every so many slots what one sent is lost on the line.
    loses: usize,
    heard: Vec<(usize, bool, Heard)>,
}

impl Pair {
    fn new(a: End, b: End, delay: usize) -> Pair {
        Pair { a, b, now: 0, delay, lost: 0, seed: 1, lines: Default::default(), loses: usize::MAX, heard: vec![] }
    }

    fn run(&mut self, slots: usize) {
        for _ in 0..slots {
            let leaves = [self.a.slot(), self.b.slot()];
            for (line, (bytes, frame)) in self.lines.iter_mut().zip(leaves) {
                line.0.push_back((self.now + self.delay, bytes, frame));
            }
            for to_b in [true, false] {
                while self.lines[usize::from(!to_b)].0.front().is_some_and(|l| l.0 <= self.now) {
                    let (_, bytes, frame) = self.lines[usize::from(!to_b)].0.pop_front().expect("it is there");
                    let end = if to_b { &mut self.b } else { &mut self.a };
                    if !(self.now + 1).is_multiple_of(self.loses) {
                        end.comes(bytes);
                    }
                    self.seed = self.seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    if (self.seed >> 16) % 100 >= self.lost {
                        self.heard.push((self.now, to_b, end.heard(&frame, false)));
                    }
                }
            }
            self.now += 1;
        }
    }
}

const SLOT_250: u64 = 131_072_000;
/// 2^15 cycles of 322.265625 MHz.
const SLOT_322: u64 = 101_680_097;

fn pair(delay: usize) -> Pair {
    let capacity = (2 * delay as u64 + 6) * u64::from(LINE);
    let mut a = End::new(cfg(1, 7, SLOT_250), 2, capacity);
    a.sends = true;
    Pair::new(a, End::new(cfg(2, 9, SLOT_250), 1, capacity), delay)
}

#[test]
fn a_hello_each_way_opens_both_and_budgets_follow() {
    let mut p = pair(12);
    p.run(60);
    assert_eq!(p.heard[0], (12, true, Heard::Opened(3)));
    assert_eq!(p.heard[1], (12, false, Heard::Opened(3)));
    let first = p.heard.iter().find(|h| matches!(h.2, Heard::Budget(..))).unwrap();
    assert!(first.0 <= 3 * (12 + 1), "{first:?}");
    assert!(p.heard.iter().all(|h| !matches!(h.2, Heard::Refused(_))), "{:?}", p.heard);
    assert_eq!(p.a.rail.said(3).session, 9);
    p.run(400);
    assert_eq!((p.a.rail.said(3).rate, p.b.dropped), (LINE, 0));
    assert!(p.b.drained > 350 * u64::from(LINE), "{}", p.b.drained);
}

#[test]
fn a_hello_grants_nothing_and_opens_a_clean_slate() {
    let mut p = pair(12);
    let (_, frame) = p.a.slot();
    let hello = Frame::parse(&frame).unwrap();
    let none = [hello.slot, hello.echo, hello.rate, hello.limit, hello.sent, hello.waiting, hello.occupancy];
    assert_eq!((hello.kind, none, hello.session, hello.peer_session), (budget::KIND_HELLO, [0; 7], 7, 0));
    p.run(100);
    let waits = budget(|b| (b.kind, b.session, b.sequence, b.rate, b.limit) = (budget::KIND_HELLO, 8, 1, 7, 7));
    assert_eq!(p.b.heard(&waits, false), Heard::Opened(3));
    let clean = Said { session: 8, knows_us: true, sequence: 1, ..Said::default() };
    assert_eq!((*p.b.rail.said(3), p.b.sent), (clean, 0));
}

#[test]
fn what_the_line_loses_counts_as_arrived() {
    let mut p = pair(12);
    p.loses = 10;
    p.run(2000);
    // else the loop would take what is lost for bytes under way, and stand still in the end
    assert!(p.b.drained > 1700 * u64::from(LINE), "{}", p.b.drained / u64::from(LINE));
}

#[test]
fn a_path_that_begins_anew_may_begin_at_full_rate() {
    let line = i64::from(LINE);
    let cfg = ReservoirCfg { line, capacity: 100 * line, floor: line >> 8, tau: 2 };
    let mut law = Reservoir::<PATHS>::new(cfg);
    let mut seen = [PathSlot::default(); PATHS];
    seen[3] = PathSlot { live: true, weight: 1, ..PathSlot::default() };
    seen[4] = PathSlot { waiting: 1, ..seen[3] };
    for slot in 0..100 {
        (seen[3].echo, seen[4].echo) = (slot, slot);
        seen[3].arrived += LINE as u64 / 2;
        law.grant(line, line, &seen);
    }
    law.forget(3);
    (seen[3].arrived, seen[3].echo, seen[4].echo) = (0, law.slot(), law.slot());
    let grant = law.grant(line, line, &seen)[3].grant;
    assert!(grant > LINE / 2, "{grant}");
}

#[test]
fn one_that_restarts_comes_back_within_two_round_trips_and_nothing_is_dropped() {
    for again in [0, 1, 2] {
        let mut p = pair(12);
        p.lost = 10;
        p.run(2500);
        let capacity = p.b.capacity;
        // its state is gone; what its line holds arrives
        if again == 0 {
            p.a = End::new(cfg(1, 8, SLOT_250), 2, capacity);
            p.a.sends = true;
        } else if again == 2 {
            // the host begins a new life of the far one
            p.b.cfg.session = 10;
            p.b.rail.set(rail(p.b.cfg, capacity));
            assert_eq!(*p.b.rail.said(3), Said::default());
        } else {
            let held = p.b.occupancy;
            p.b = End::new(cfg(2, 10, SLOT_250), 1, capacity);
            p.b.occupancy = held;
        }
        p.lost = 0;
        p.heard.clear();
        p.run(4 * (12 + 1) + 1);
        assert!(p.a.rail.said(3).live && p.a.rail.said(3).rate > 0, "again {again}: {:?}", p.a.rail.said(3));
        let before = p.b.drained;
        p.run(400);
        assert!(p.b.drained - before > 380 * u64::from(LINE), "again {again}");
        assert_eq!((p.b.dropped, p.a.dropped), (0, 0), "again {again}");
    }
}

#[test]
fn nothing_is_dropped_while_frames_are_lost_and_the_drain_swings() {
    let mut p = pair(14);
    p.lost = 20;
    for step in 0..80 {
        p.b.drain = u64::from(LINE) * [4, 2, 1, 3, 2][step % 5] / 4;
        p.run(40);
    }
    assert_eq!(p.b.dropped, 0);
    assert!(p.b.peak <= p.b.capacity && p.b.drained > 80 * 40 * u64::from(LINE) * 9 / 20, "{}", p.b.drained);
}

#[test]
fn an_outage_halves_the_rate_to_the_floor_and_ends_with_the_first_good_frame() {
    let mut p = pair(12);
    p.run(500);
    p.lost = 100;
    let (sent, floor) = (p.a.sent, p.a.cfg.floor);
    p.run(LEASE_SLOTS as usize + 16);
    assert_eq!(p.a.rail.said(3).rate, floor);
    assert!(p.a.rail.said(3).lapsed && p.a.sent > sent);
    p.run(100);
    assert!(p.a.beyond > 0 && p.a.beyond <= (100 + 16) * u64::from(floor));
    p.lost = 0;
    p.run(3 * 12);
    assert!(!p.a.rail.said(3).lapsed && p.a.rail.said(3).rate > LINE / 2);
    assert_eq!(p.b.dropped, 0);
}

#[test]
fn ends_with_other_clocks_and_slots_agree_on_the_rate() {
    for rate in [1, 1000, 400_000, 819_200, LINE] {
        let (ours, theirs) = (cfg(1, 7, SLOT_250), cfg(2, 9, SLOT_322));
        let there = scaled(scaled(rate, ours.to_wire) as u32, theirs.from_wire);
        // bytes per ns, each rounded down twice
        let (want, got) = (u128::from(rate) * u128::from(SLOT_322), u128::from(there) * u128::from(SLOT_250));
        assert!(got <= want && want - got <= u128::from(SLOT_250) * 2, "{rate}: {there}");
    }
}

/// A good budget of site 1 to site 2 in sessions 7 and 9, changed by `change` before it is sealed.
fn budget(change: impl Fn(&mut Frame)) -> Vec<u8> {
    let mut b = Frame {
        ethertype: 0x88b5,
        magic: budget::MAGIC_VALUE,
        version: budget::VERSION_VALUE,
        kind: budget::KIND_BUDGET,
        src_site: 1,
        dst_site: 2,
        session: 7,
        peer_session: 9,
        sequence: 1_000_000,
        rate: 1000,
        limit: 5000,
        sent: 10,
        lease: 32,
        ..Frame::default()
    };
    change(&mut b);
    let mut frame = vec![0; budget::BYTES];
    b.emit(&mut frame);
    budget::seal(&mut frame, &KEY);
    frame
}

#[test]
fn what_is_wrong_has_its_name_and_changes_nothing() {
    let mut p = pair(12);
    p.run(100);
    let b = &mut p.b;
    let before = *b.rail.said(3);
    let damage = |at: usize| {
        let mut frame = budget(|_| ());
        frame[at] ^= 1;
        frame
    };
    let mut resealed = damage(116);
    let crc = budget::crc(&resealed);
    budget::CRC.set(&mut resealed, crc.into());
    let cases = [
        (budget(|_| ())[..127].to_vec(), Refused::Malformed),
        (damage(40), Refused::Corrupt),
        (damage(127), Refused::Corrupt),
        (budget(|b| b.version += 1), Refused::Version),
        (budget(|b| b.kind = 3), Refused::Version),
        (budget(|b| b.dst_site = 3), Refused::Elsewhere),
        (budget(|b| b.src_site = 3), Refused::Unknown),
        (budget(|b| b.src_site = 0), Refused::Unknown),
        (resealed, Refused::Tag),
        (budget(|b| b.session = 6), Refused::Session),
        (budget(|b| b.session = 8), Refused::Session),
        (budget(|b| b.peer_session = 8), Refused::Session),
        (budget(|b| (b.kind, b.session, b.peer_session) = (budget::KIND_HELLO, 6, 0)), Refused::Session),
        (budget(|b| b.sequence = 1), Refused::Old),
        (budget(|b| b.sequence = before.sequence), Refused::Old),
        (budget(|b| b.slot = 1 << 48), Refused::Range),
        (budget(|b| b.echo = 1 << 48), Refused::Range),
        (budget(|b| b.limit = 1 << 62), Refused::Range),
        (budget(|b| b.sent = 1 << 62), Refused::Range),
    ];
    for (frame, why) in cases {
        assert_eq!(b.heard(&frame, false), Heard::Refused(why));
        assert_eq!(*b.rail.said(3), before, "{why:?}");
    }
    assert_eq!(b.heard(&budget(|_| ()), true), Heard::Refused(Refused::Malformed));
    assert_eq!(b.heard(&budget(|_| ()), false), Heard::Budget(3, false));
    assert_eq!(b.heard(&budget(|_| ()), false), Heard::Refused(Refused::Old));
    assert_eq!(b.heard(&budget(|b| (b.sequence, b.rate) = (2_000_000, u64::MAX)), false), Heard::Budget(3, true));
    assert_eq!(b.rail.said(3).rate, LINE);
}

#[test]
fn what_strays_takes_from_the_room_of_the_paths_and_session_0_says_nothing() {
    let mut p = pair(12);
    p.run(100);
    let line = u64::from(LINE);
    let limit = |stray| {
        let mut rail = p.b.rail.clone();
        rail.slot(&PortSlot { drained: LINE, backlogged: true, stray, ..PortSlot::default() })[3].limit
    };
    let (none, all) = (limit(0), limit(100 * line));
    assert!(none > all, "{none} {all}");
    assert!(all >= p.b.rail.said(3).arrived, "what is under way stays allowed");
    let mut off = rail(p.b.cfg, 1000);
    off.budget.session = 0;
    p.b.rail.set(off);
    assert_eq!(p.b.rail.tell(3, 0, 0, 0), None);
}
