//! What far gateways say, gates against model.

use crate::harness::Random;
use matchrdma_model::budget_rx::{BudgetCfg, BudgetRx, Heard, Peer, Said};
use matchrdma_rtl::budget_rx::Dut;
use matchrdma_spec::heard::HEARD;
use matchrdma_spec::regs::law;
use matchrdma_spec::wire::budget::{self, Budget, BYTES, CRC};
use std::collections::{BTreeMap, VecDeque};

fn words<const N: usize>(bytes: &[u8]) -> [u32; N] {
    std::array::from_fn(|i| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().unwrap()))
}

/// A port's bits from the lowest up.
struct Fields<'a>(&'a [u32], usize);

impl Fields<'_> {
    fn take(&mut self, bits: usize) -> u64 {
        let bit = |i: usize| u64::from(self.0[i / 32] >> (i % 32) & 1);
        let value = (0..bits).fold(0, |value, i| value | bit(self.1 + i) << i);
        self.1 += bits;
        value
    }
}

/// What is told of a frame: code, path, whether the rate was above line.
type Told = (u32, u32, bool);

fn told(heard: Heard) -> Told {
    let code = heard.code().into();
    match heard {
        Heard::Budget(path, high) => (code, path as u32, high),
        Heard::Hello(path) | Heard::Opened(path) => (code, path as u32, false),
        Heard::Refused(_) => (code, 99, false),
    }
}

/// The block, and the model beside it.
struct Bench {
    dut: Dut,
    model: BudgetRx,
    cfg: BudgetCfg,
    peers: [Peer; 16],
    expected: VecDeque<Told>,
    /// Changes of rate and limit that the gates told: path, rate, limit.
    changes: Vec<(u32, u32, u64)>,
    lapses: u16,
    lost: u32,
    seen: BTreeMap<u32, u32>,
}

impl Bench {
    fn new(cfg: BudgetCfg, peers: [Peer; 16]) -> Bench {
        let mut dut = Dut::new();
        dut.set_site(cfg.site.into());
        dut.set_session(cfg.session);
        dut.set_line(cfg.line);
        dut.set_floor(cfg.floor);
        dut.set_from_wire(cfg.from_wire);
        dut.set_rst(1);
        (0..3).for_each(|_| dut.tick());
        dut.set_rst(0);
        let (model, expected) = (BudgetRx::new(cfg, peers), VecDeque::new());
        let seen = BTreeMap::new();
        let mut bench = Bench { dut, model, cfg, peers, expected, changes: vec![], lapses: 0, lost: 0, seen };
        for (path, peer) in peers.iter().enumerate() {
            bench.dut.set_peer_we(1);
            bench.dut.set_peer_path(path as u32);
            bench.dut.set_peer_on(peer.on.into());
            bench.dut.set_peer_site(peer.site.into());
            bench.dut.set_peer_key(words::<4>(&peer.key));
            bench.step();
        }
        bench.dut.set_peer_we(0);
        bench.idle();
        bench
    }

    fn step(&mut self) {
        self.dut.settle();
        if self.dut.heard_valid() == 1 {
            let now = (self.dut.heard(), self.dut.heard_path(), self.dut.heard_high() == 1);
            let (code, path, high) = self.expected.pop_front().expect("a frame was given");
            assert_eq!((now.0, now.2), (code, high));
            assert!(path == 99 || path == now.1, "path {path}, not {}", now.1);
            *self.seen.entry(code).or_default() += 1;
        }
        if self.dut.live_we() == 1 {
            self.changes.push((self.dut.live_path(), self.dut.live_rate(), self.dut.limit()));
        }
        if self.dut.lapse_valid() == 1 {
            self.lapses |= 1 << self.dut.live_path();
        }
        self.lost += self.dut.lost();
        self.dut.rise();
    }

    fn idle(&mut self) {
        for _ in 0..2000 {
            self.dut.settle();
            if self.dut.busy() == 0 {
                (0..2).for_each(|_| self.step());
                return;
            }
            self.step();
        }
        panic!("busy for ever");
    }

    fn came(&mut self, path: usize, bytes: u32) {
        self.model.bytes_came(path, bytes.into());
        self.dut.set_came_valid(1);
        self.dut.set_came_path(path as u32);
        self.dut.set_came_bytes(bytes);
        self.step();
        self.dut.set_came_valid(0);
    }

    fn frame(&mut self, frame: &[u8], bad: bool) {
        self.expected.push_back(told(self.model.frame(frame, bad)));
        self.dut.set_frame_valid(1);
        self.dut.set_frame(words::<{ BYTES / 4 }>(frame));
        self.dut.set_bad(bad.into());
        self.step();
        self.dut.set_frame_valid(0);
        self.step();
    }

    fn boundary(&mut self) {
        let lapses = self.model.boundary();
        self.lapses = 0;
        self.dut.set_boundary(1);
        self.step();
        self.dut.set_boundary(0);
        self.idle();
        assert_eq!(self.lapses, lapses);
    }

    fn compare(&mut self) {
        assert!(self.expected.is_empty());
        for path in 0..16 {
            let said = *self.model.said(path);
            self.dut.set_ask_path(path as u32);
            self.dut.settle();
            let port = self.dut.said();
            let mut f = Fields(&port, 0);
            let mut now = Said { session: f.take(32) as u32, knows_us: f.take(1) == 1, ..Said::default() };
            (now.sequence, now.slot, now.echo) = (f.take(64), f.take(64), f.take(64));
            (now.rate, now.limit, now.waiting) = (f.take(32) as u32, f.take(64), f.take(64));
            f.take(64);
            (now.lease, now.live, now.lapsed) = (f.take(16) as u16, f.take(1) == 1, f.take(1) == 1);
            now.arrived = self.dut.arrived();
            assert_eq!(now, said, "path {path}");
            assert_eq!(self.dut.free() >> path & 1 == 1, said.free(self.cfg.floor), "path {path}");
        }
        // the last change told of a path is what holds
        for (path, rate, limit) in std::mem::take(&mut self.changes).into_iter().rev().take(1) {
            let said = self.model.said(path as usize);
            assert_eq!((rate, limit), (said.rate, said.limit));
        }
    }

    /// A frame as a far gateway may send it, or not quite.
    fn any_frame(&self, random: &mut Random) -> Vec<u8> {
        let path = random.below(16) as usize;
        let (peer, said) = (self.peers[path], *self.model.said(path));
        let small = |random: &mut Random, value: u64| value.wrapping_add(random.below(4)).wrapping_sub(1);
        let rate_bits = random.pick(&[10, 22, 26, 31, 40]);
        let mut b = Budget {
            ethertype: 0x88b5,
            magic: budget::MAGIC_VALUE,
            version: 1,
            kind: 1 + random.chance(3, 4) as u8,
            lease: random.below(4) as u16,
            src_site: peer.site,
            dst_site: self.cfg.site,
            session: said.session,
            peer_session: if random.chance(1, 6) { 0 } else { self.cfg.session },
            sequence: small(random, said.sequence),
            slot: random.bits(48),
            echo: random.bits(48),
            limit: random.bits(62),
            sent: random.bits(62),
            waiting: random.bits(64),
            rate: random.bits(rate_bits),
            ..Budget::default()
        };
        if random.chance(1, 8) || b.session == 0 {
            b.session = said.session.wrapping_add(random.below(4) as u32).wrapping_sub(1);
        }
        match random.below(40) {
            0 => b.version = random.bits(8) as u8,
            1 => b.kind = random.bits(8) as u8,
            2 => b.dst_site ^= 1 << random.below(16),
            3 => b.src_site ^= 1 << random.below(16),
            4 => b.peer_session ^= 1 << random.below(32),
            5 => b.slot |= 1 << random.pick(&[47, 48, 63]),
            6 => b.echo |= 1 << random.pick(&[47, 48, 63]),
            7 => b.limit |= 1 << random.pick(&[61, 62, 63]),
            8 => b.sent |= 1 << random.pick(&[61, 62, 63]),
            _ => {}
        }
        let mut frame = vec![0; BYTES];
        b.emit(&mut frame);
        budget::seal(&mut frame, &peer.key);
        if random.chance(1, 20) {
            frame[random.below(BYTES as u64) as usize] ^= 1 << random.below(8);
            if random.chance(1, 2) {
                let crc = budget::crc(&frame);
                CRC.set(&mut frame, crc.into());
            }
        }
        frame
    }
}

fn setting(random: &mut Random) -> (BudgetCfg, [Peer; 16]) {
    let slot_ps = random.pick(&[4_096_000, 6_355_006, 131_072_000, 101_680_097, 4_194_304_000]);
    let (from_wire, to_wire) = law::factors(slot_ps);
    let line = (12_500 * slot_ps / 1_000_000) as u32;
    let cfg = BudgetCfg {
        site: random.bits(16) as u16,
        session: 1 + random.bits(20) as u32,
        line,
        floor: line >> random.below(12),
        from_wire,
        to_wire,
        slot_ps,
        clock_hz: 250_000_000,
        capabilities: 2,
        lease: 32,
    };
    let peers = std::array::from_fn(|i| Peer {
        on: random.chance(7, 8),
        site: (i as u16) << 8 | random.bits(8) as u16,
        key: if random.chance(1, 4) { budget::ZERO_KEY } else { random.bytes(16).try_into().unwrap() },
    });
    (cfg, peers)
}

#[test]
fn gates_and_model_hear_the_same() {
    let mut random = Random::new();
    let mut seen = BTreeMap::<u32, u32>::new();
    let (mut highs, mut frees) = (0, 0);
    for _ in 0..60 {
        let (cfg, peers) = setting(&mut random);
        let mut bench = Bench::new(cfg, peers);
        for _ in 0..120 {
            // frames and bytes as fast as they may come, then a slot's end
            for _ in 0..random.below(12) {
                if random.chance(1, 2) {
                    bench.came(random.below(16) as usize, random.bits(14) as u32);
                }
                let frame = bench.any_frame(&mut random);
                bench.frame(&frame, random.chance(1, 40));
                highs += u32::from(bench.expected.back().is_some_and(|told| told.2));
            }
            bench.idle();
            bench.compare();
            bench.boundary();
            bench.compare();
            frees += (0..16).filter(|path| bench.model.said(*path).free(cfg.floor)).count();
        }
        assert_eq!(bench.lost, 0);
        bench.seen.iter().for_each(|(code, n)| *seen.entry(*code).or_default() += n);
    }
    println!("heard by code {seen:?}, above line {highs}, free {frees}");
    assert!(seen.len() == HEARD.len() && seen.values().all(|n| *n > 20) && highs > 100 && frees > 100, "{seen:?}");
}

#[test]
fn sixteen_wait_and_what_is_more_is_lost_and_told() {
    let mut random = Random::new();
    let (cfg, peers) = setting(&mut random);
    let mut bench = Bench::new(cfg, peers);
    let frame = vec![0; BYTES];
    for _ in 0..19 {
        bench.frame(&frame, true);
    }
    bench.idle();
    // one was worked on, sixteen waited
    assert_eq!((bench.lost, bench.expected.len()), (2, 2));
}
