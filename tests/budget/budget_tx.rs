//! What far gateways are told, gates against model.

use crate::harness::{Random, Stall};
use matchrdma_model::budget_rx::{BudgetCfg, Peer, Said};
use matchrdma_model::budget_tx::{BudgetTx, Telling};
use matchrdma_model::reservoir::Budget;
use matchrdma_rtl::budget_tx::Dut;
use matchrdma_spec::regs::law;
use matchrdma_spec::wire::budget;
use std::collections::BTreeMap;

const PATHS: usize = 16;
/// Cycles from the order to the offer of a frame that may leave at once.
const TAKES: u64 = 39;

fn words<const N: usize>(bytes: &[u8]) -> [u32; N] {
    std::array::from_fn(|i| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().unwrap()))
}

/// `Known`, with what the frame is about.
fn known(said: &Said) -> [u32; 15] {
    let (mut port, mut at) = ([0u32; 15], 0);
    for (value, bits) in
        [(u64::from(said.session), 32), (said.knows_us.into(), 1), (said.sequence, 64), (said.slot, 64)]
    {
        (0..bits).for_each(|i| port[(at + i) / 32] |= ((value >> i & 1) as u32) << ((at + i) % 32));
        at += bits;
    }
    port
}

struct Under {
    frame: Vec<u8>,
    path: usize,
    ordered: u64,
    got: usize,
}

/// The block, and the model beside it.
struct Bench {
    dut: Dut,
    model: BudgetTx,
    cfg: BudgetCfg,
    addresses: (u64, u64),
    peers: [Peer; PATHS],
    said: [Said; PATHS],
    granted: [Budget; PATHS],
    slots: [u64; PATHS],
    under: Option<Under>,
    cleared: bool,
    cycle: u64,
    /// Paths in the order of their frames, and hellos among them.
    told: Vec<usize>,
    hellos: u32,
    missed: u32,
}

impl Bench {
    fn new(random: &mut Random) -> Bench {
        let slot_ps = random.pick(&[4_096_000, 6_355_006, 131_072_000, 101_680_097, 4_194_304_000]);
        let (from_wire, to_wire) = law::factors(slot_ps);
        let cfg = BudgetCfg {
            site: random.bits(16) as u16,
            session: 1 + random.bits(20) as u32,
            line: 0,
            floor: 0,
            from_wire,
            to_wire,
            slot_ps,
            clock_hz: random.u32(),
            capabilities: random.u32(),
            lease: random.bits(16) as u16,
        };
        let mut dut = Dut::new();
        let addresses = (random.bits(48), random.bits(48));
        dut.set_site(cfg.site.into());
        dut.set_to_wire(to_wire);
        dut.set_slot_ps(slot_ps);
        dut.set_clock_hz(cfg.clock_hz);
        dut.set_capabilities(cfg.capabilities);
        dut.set_lease(cfg.lease.into());
        dut.set_dst(addresses.0);
        dut.set_src(addresses.1);
        dut.set_session(cfg.session);
        let peers = [Peer::default(); PATHS];
        let mut bench = Bench {
            dut,
            model: BudgetTx::new(cfg, peers, addresses.0, addresses.1),
            cfg,
            addresses,
            peers,
            said: [Said::default(); PATHS],
            granted: [Budget::default(); PATHS],
            slots: [0; PATHS],
            under: None,
            cleared: false,
            cycle: 0,
            told: vec![],
            hellos: 0,
            missed: 0,
        };
        // memories come to life with anything in them
        bench.dut.set_rst(1);
        bench.dut.set_budget_valid(1);
        for path in 0..PATHS {
            bench.dut.set_budget_path(path as u32);
            bench.dut.set_budget_grant(random.u32());
            bench.dut.set_budget_limit(random.u64());
            bench.dut.tick();
        }
        bench.dut.set_budget_valid(0);
        bench.dut.set_rst(0);
        bench
    }

    fn peer(&mut self, random: &mut Random, path: usize, peer: Peer) {
        self.dut.set_peer_we(1);
        self.dut.set_peer_path(path as u32);
        self.dut.set_peer_on(peer.on.into());
        self.dut.set_peer_site(peer.site.into());
        self.dut.set_peer_key(words::<4>(&peer.key));
        self.step(random, true, true);
        self.dut.set_peer_we(0);
        self.peers[path] = peer;
        self.model.set_peer(path, peer);
    }

    fn budget(&mut self, random: &mut Random, path: usize, budget: Budget, slot: u64, opened: Option<usize>) {
        self.dut.set_budget_valid(1);
        self.dut.set_budget_path(path as u32);
        self.dut.set_budget_grant(budget.grant);
        self.dut.set_budget_limit(budget.limit);
        self.dut.set_slot(slot);
        if let Some(opened) = opened {
            self.dut.set_opened_valid(1);
            self.dut.set_opened_path(opened as u32);
        }
        self.step(random, true, true);
        self.dut.set_budget_valid(0);
        self.dut.set_opened_valid(0);
        (self.granted[path], self.slots[path]) = (budget, slot);
        if let Some(opened) = opened {
            self.granted[opened] = Budget::default();
        }
    }

    fn session(&mut self, random: &mut Random, session: u32) {
        self.dut.set_session(session);
        self.step(random, true, true);
        self.cfg.session = session;
        self.model = BudgetTx::new(self.cfg, self.peers, self.addresses.0, self.addresses.1);
        self.granted = [Budget::default(); PATHS];
    }

    /// One cycle. What a path is like is another thing in each.
    fn step(&mut self, random: &mut Random, clear: bool, ready: bool) {
        self.dut.set_tx_clear(clear.into());
        self.dut.set_tx_ready(ready.into());
        let may_ask = random.chance(7, 8);
        self.dut.set_may_ask(may_ask.into());
        self.dut.settle();
        let path = self.dut.ask_path() as usize;
        let (sent, waiting, occupancy) = (random.u64(), random.bits(48), random.bits(48));
        self.dut.set_said(known(&self.said[path]));
        self.dut.set_sent(sent);
        self.dut.set_waiting(waiting);
        self.dut.set_occupancy(occupancy);
        self.dut.settle();
        assert_eq!(self.dut.ask_path() as usize, path);
        if self.dut.tx_valid() == 1 {
            let now = self.cycle;
            let under = self.under.as_mut().expect("a frame was ordered");
            assert!(under.got > 0 || self.cleared || now > under.ordered + TAKES, "before the way was clear");
            assert!(now >= under.ordered + TAKES);
            assert_eq!((self.dut.tx_bytes(), self.dut.tx_last()), (64, under.got as u32));
            let beat = words::<16>(&under.frame[64 * under.got..]);
            assert_eq!(self.dut.tx_data(), beat, "beat {} of path {}: {:?}", under.got, under.path, self.said[path]);
            if ready {
                under.got += 1;
                if under.got == 2 {
                    self.under = None;
                }
            }
        } else if let Some(under) = &self.under {
            assert_eq!(under.got, 0, "a frame breaks off");
            assert!(!(self.cleared && self.cycle >= under.ordered + TAKES), "it does not leave");
        }
        if self.dut.tx_order() == 1 {
            assert!(may_ask && self.under.is_none() && self.cfg.session != 0);
            let tell = Telling { slot: self.slots[path], sent, waiting, occupancy };
            let frame = self.model.frame(path, &self.said[path], &self.granted[path], &tell).expect("it has a peer");
            self.under = Some(Under { frame, path, ordered: self.cycle, got: 0 });
            self.told.push(path);
            self.hellos += u32::from(!self.said[path].knows_us);
        }
        self.missed += self.dut.missed();
        self.cleared = clear;
        self.dut.rise();
        self.cycle += 1;
    }

    fn go(&mut self, random: &mut Random) {
        self.dut.set_go(1);
        self.step(random, true, true);
        self.dut.set_go(0);
    }
}

fn any_said(random: &mut Random) -> Said {
    Said { session: random.u32(), knows_us: random.chance(3, 4), slot: random.u64(), ..Said::default() }
}

fn any_peer(random: &mut Random) -> Peer {
    let key = if random.chance(1, 4) { budget::ZERO_KEY } else { random.bytes(16).try_into().unwrap() };
    Peer { on: random.chance(3, 4), site: random.bits(16) as u16, key }
}

fn any_budget(random: &mut Random) -> Budget {
    let bits = random.pick(&[8, 20, 32]);
    Budget { grant: random.bits(bits) as u32, limit: random.u64() }
}

#[test]
fn frames_are_those_of_the_model_whatever_happens_meanwhile() {
    let mut random = Random::new();
    let mut seen = BTreeMap::<&str, u32>::new();
    for run in 0..48 {
        let mut bench = Bench::new(&mut random);
        let stalls = [Stall::Never, Stall::Half, Stall::Mostly, Stall::Bursts];
        let (clear, ready) = (stalls[run % 4], stalls[run / 4 % 4]);
        for path in 0..PATHS {
            let peer = any_peer(&mut random);
            bench.peer(&mut random, path, peer);
            bench.said[path] = any_said(&mut random);
        }
        for n in 0..6000u64 {
            let path = random.below(PATHS as u64) as usize;
            let goes = random.chance(1, 200);
            bench.dut.set_go(goes.into());
            match random.below(if run < 24 { 400 } else { 4000 }) {
                0..=1 => {
                    let (budget, slot) = (any_budget(&mut random), random.bits(48));
                    let opened = random.chance(1, 2).then(|| if random.chance(1, 2) { path } else { path ^ 1 });
                    bench.budget(&mut random, path, budget, slot, opened);
                    *seen.entry("opened").or_default() += u32::from(opened.is_some());
                }
                2 => bench.said[path] = any_said(&mut random),
                3 => {
                    let mut peer = any_peer(&mut random);
                    if bench.under.as_ref().is_some_and(|under| under.path == path) {
                        peer.key = bench.peers[path].key;
                    }
                    bench.peer(&mut random, path, peer);
                }
                4 if random.chance(1, 4) => {
                    let session = if random.chance(1, 4) { 0 } else { random.u32() };
                    bench.session(&mut random, session);
                    *seen.entry("sessions").or_default() += 1;
                }
                _ => {
                    let (clear, ready) = (clear.goes(n, &mut random), ready.goes(n + 5, &mut random));
                    bench.step(&mut random, clear, ready);
                }
            }
        }
        *seen.entry("frames").or_default() += bench.told.len() as u32;
        *seen.entry("hellos").or_default() += bench.hellos;
        *seen.entry("missed").or_default() += bench.missed;
    }
    println!("{seen:?}");
    assert!(seen["frames"] > 3000 && seen["hellos"] > 500 && seen["opened"] > 300 && seen["sessions"] > 50);
}

#[test]
fn a_round_tells_each_path_that_has_a_peer_once_and_in_time() {
    let mut random = Random::new();
    for run in 0..64u32 {
        let mut bench = Bench::new(&mut random);
        let on = [0, 0xffff, 0x8001, random.bits(16) as u32][run as usize % 4];
        for path in 0..PATHS {
            let peer = Peer { on: on >> path & 1 == 1, ..any_peer(&mut random) };
            bench.peer(&mut random, path, peer);
            bench.said[path] = any_said(&mut random);
            let budget = any_budget(&mut random);
            bench.budget(&mut random, path, budget, 7, None);
        }
        bench.go(&mut random);
        let start = bench.cycle;
        // a `go` in a round is told, and does nothing
        for _ in 0..20 {
            bench.step(&mut random, true, true);
        }
        bench.go(&mut random);
        while bench.dut.busy() == 1 {
            bench.step(&mut random, true, true);
            bench.dut.settle();
            assert!(bench.cycle < start + 2000, "it hangs");
        }
        let want: Vec<usize> = (0..PATHS).filter(|path| on >> path & 1 == 1).collect();
        assert_eq!(bench.told, want);
        (0..2).for_each(|_| bench.step(&mut random, true, true));
        // without peers the round was over by then
        assert_eq!(bench.missed, u32::from(on != 0));
        let took = bench.cycle - start;
        assert!(took <= 60 + 41 * want.len() as u64, "{} frames in {took} cycles", want.len());
    }
}
