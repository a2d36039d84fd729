//! `route` in gates, with starts as the driver flattens them, against the longest prefix of the model.

use crate::harness::Random;
use matchrdma::route_table::{flatten, Prefix, Route, Start};
use matchrdma_model::route::{self, RouteTable};
use matchrdma_rtl::route::Dut;
use matchrdma_spec::params::{PATHS, PREFIXES, QUEUE_BYPASS, ROUTE_STARTS};
use std::collections::VecDeque;

const CYCLES: usize = 10;

/// A lookup.
#[derive(Clone, Copy, Debug)]
struct Ask {
    ip: bool,
    v6: bool,
    addr: u128,
}

/// A write of an entry.
#[derive(Clone, Copy, Debug)]
struct Write {
    bank: u32,
    at: usize,
    start: Start,
}

/// The block beside the routes of its banks.
struct Bench {
    dut: Dut,
    banks: [Vec<Route>; 2],
    bank: usize,
    due: VecDeque<Option<(Ask, u8)>>,
}

fn words(v: u128) -> [u32; 4] {
    std::array::from_fn(|i| (v >> (32 * i)) as u32)
}

impl Bench {
    fn new() -> Self {
        Bench { dut: Dut::new(), banks: Default::default(), bank: 0, due: vec![None; CYCLES].into() }
    }

    /// One cycle: a lookup in the bank in force, perhaps a write to the other one, and the answer of ten cycles ago.
    fn cycle(&mut self, ask: Ask, write: Option<Write>) {
        self.dut.set_ip(ask.ip.into());
        self.dut.set_v6(ask.v6.into());
        self.dut.set_addr(words(ask.addr));
        self.dut.set_bank(self.bank as u32);
        self.dut.set_row_we(write.is_some().into());
        if let Some(Write { bank, at, start }) = write {
            self.dut.set_row_bank(bank);
            self.dut.set_row_addr(at as u32);
            let [a, b, c, d] = words(start.addr);
            self.dut.set_row_data([a, b, c, d, u32::from(start.v6) | u32::from(start.queue) << 1]);
        }
        self.due.push_back(Some((ask, self.model().queue(ask.ip, ask.v6, ask.addr))));
        self.dut.settle();
        if let Some((ask, want)) = self.due.pop_front().unwrap() {
            assert_eq!(self.dut.to_queue(), u32::from(want), "{ask:x?} of ten cycles ago");
        }
        self.dut.rise();
    }

    fn model(&self) -> RouteTable {
        let of = |r: &Route| (route::Prefix { v6: r.prefix.v6, addr: r.prefix.addr, len: r.prefix.len }, r.path);
        RouteTable::new(self.banks[self.bank].iter().map(of).collect())
    }

    /// Writes routes to the shadow bank, entries in any order, while it is asked; then the banks flip.
    fn load(&mut self, routes: Vec<Route>, random: &mut Random) {
        let (shadow, mut starts) = (1 - self.bank, flatten(&routes).unwrap());
        starts.resize(ROUTE_STARTS, Start::UNUSED);
        let mut left: Vec<usize> = (0..ROUTE_STARTS).collect();
        while !left.is_empty() {
            let at = left.swap_remove(random.below(left.len() as u64) as usize);
            let ask = any_ask(&self.banks[self.bank], random);
            self.cycle(ask, Some(Write { bank: shadow as u32, at, start: starts[at] }));
        }
        // the block keeps a write for a cycle
        let ask = any_ask(&self.banks[self.bank], random);
        self.cycle(ask, None);
        self.banks[shadow] = routes;
        self.bank = shadow;
    }

    fn ask(&mut self, count: usize, random: &mut Random) {
        for _ in 0..count {
            let ask = any_ask(&self.banks[self.bank], random);
            self.cycle(ask, None);
        }
    }
}

fn wide(random: &mut Random) -> u128 {
    u128::from(random.u64()) << 64 | u128::from(random.u64())
}

fn width(v6: bool) -> u8 {
    if v6 {
        128
    } else {
        32
    }
}

/// At and beside the ends of prefixes, one bit off, or anything.
fn any_ask(routes: &[Route], random: &mut Random) -> Ask {
    let ip = random.chance(31, 32);
    let (v6, addr) = match random.below(8) {
        0 => (random.chance(1, 2), wide(random)),
        1 => (random.chance(1, 2), random.pick(&[0, 1, u128::MAX, u128::MAX - 1, u32::MAX.into()])),
        _ if routes.is_empty() => (random.chance(1, 2), random.bits(33).into()),
        kind => {
            let Prefix { v6, addr, len } = random.pick(routes).prefix;
            let free = width(v6) - len;
            let hosts = if free == 128 { u128::MAX } else { (1 << free) - 1 };
            let addr = match kind {
                2 => addr,
                3 => addr.wrapping_sub(1),
                4 => addr | hosts,
                5 => (addr | hosts).wrapping_add(1),
                6 => addr ^ 1 << random.below(width(v6).into()),
                _ => addr | (wide(random) & hosts),
            };
            (v6, addr)
        }
    };
    Ask { ip, v6, addr: if v6 { addr } else { addr & u128::from(u32::MAX) } }
}

/// `count` prefixes: `close` ones lie in, beside and around one another; else they are anywhere.
fn any_routes(count: usize, close: bool, random: &mut Random) -> Vec<Route> {
    let mut routes: Vec<Route> = vec![];
    let near = [0, wide(random), u128::MAX, 0x0a09_0000];
    while routes.len() < count {
        let v6 = random.chance(1, 2);
        let len = match random.below(8) {
            0 => 0,
            1 | 2 => width(v6),
            _ => 1 + random.below(width(v6).into()) as u8,
        };
        let free = width(v6) - len;
        let base = if close { random.pick(&near) ^ u128::from(random.bits(4)) << free.min(124) } else { wide(random) };
        let keep = if free == 128 { 0 } else { !((1 << free) - 1) };
        let addr = base & keep & if v6 { u128::MAX } else { u32::MAX.into() };
        let prefix = Prefix { v6, addr, len };
        if routes.iter().all(|r| r.prefix != prefix) {
            routes.push(Route { prefix, path: random.below(PATHS as u64) as u8 });
        }
    }
    routes
}

#[test]
fn out_of_reset_no_route_leads_anywhere_in_either_bank() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    bench.ask(300, &mut random);
    bench.bank = 1;
    bench.ask(300, &mut random);
}

#[test]
fn the_longest_prefix_wins_while_banks_are_written_and_flip() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    let mut starts = 0;
    for round in 0..250 {
        let count = match round % 5 {
            0 => 0,
            1 => PREFIXES,
            _ => random.below(PREFIXES as u64 + 1) as usize,
        };
        let routes = any_routes(count, round % 3 != 0, &mut random);
        starts = starts.max(flatten(&routes).unwrap().len());
        bench.load(routes, &mut random);
        let count = random.below(600) as usize;
        bench.ask(count, &mut random);
    }
    assert!(starts > 110, "{starts} starts at most are too few to show much");
}

/// 64 prefixes that leave no entry of the table unused.
fn full_table(v6: bool) -> Vec<Route> {
    let at = |i: u8| if v6 { u128::from(i) << 120 } else { u128::from(i) << 24 };
    let len = if v6 { 7 } else { 8 };
    let routes = (0..PREFIXES as u8)
        .map(|i| Route { prefix: Prefix { v6, addr: at(4 * i), len }, path: i % PATHS as u8 })
        .collect::<Vec<_>>();
    assert_eq!(flatten(&routes).unwrap().len(), ROUTE_STARTS);
    routes
}

/// Every start of a table that is full, at its address and beside it.
#[test]
fn every_entry_of_a_full_table_is_found() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    for v6 in [false, true] {
        let routes = full_table(v6);
        let starts = flatten(&routes).unwrap();
        bench.load(routes, &mut random);
        for start in &starts {
            for addr in [start.addr.wrapping_sub(1), start.addr, start.addr + 1] {
                let addr = if v6 { addr } else { addr & u128::from(u32::MAX) };
                bench.cycle(Ask { ip: true, v6, addr }, None);
                bench.cycle(Ask { ip: true, v6: !v6, addr: addr & u128::from(u32::MAX) }, None);
            }
        }
    }
    bench.ask(CYCLES, &mut random);
}

/// The bank is that of the cycle in which a lookup entered: two tables that contradict each other, flipped in every
/// cycle.
#[test]
fn a_lookup_stays_in_the_bank_it_entered() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    let routes = full_table(true);
    let other = routes.iter().map(|r| Route { path: (r.path + 1) % PATHS as u8, ..*r }).collect();
    bench.load(routes, &mut random);
    bench.load(other, &mut random);
    for _ in 0..5000 {
        bench.bank = random.below(2) as usize;
        bench.ask(1, &mut random);
    }
    let nowhere = bench.model().queue(false, false, 0);
    assert_eq!(usize::from(nowhere), QUEUE_BYPASS);
}
