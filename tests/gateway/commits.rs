//! Commits of the banked tables, on the whole gateway: under traffic at line rate, and with what is wrong in them.

use super::bench::{Bench, Joiner};
use crate::harness::Random;
use matchrdma_rtl::axil::{Access, Error};
use matchrdma_sim::configure::Host;
use matchrdma_sim::engine::{beats, Beat, Gateway};
use matchrdma_spec::hash::crc32;
use matchrdma_spec::params::{PATHS, SLOT_K_MIN};
use matchrdma_spec::regs::counters::{CLIENT_FRAMES_OUT, LINE_FRAMES_OUT};
use matchrdma_spec::regs::entry::*;
use matchrdma_spec::regs::table::{self, *};
use matchrdma_spec::regs::{pacer, rate, Reg};
use std::collections::{BTreeSet, VecDeque};

/// One port's traffic: numbered frames in, a beat in every cycle; what comes out elsewhere is ticked off.
#[derive(Default)]
struct Stream {
    ready: VecDeque<Beat>,
    sent: u32,
    under_way: BTreeSet<u32>,
    out: Joiner,
}

impl Stream {
    /// An IPv4 frame that says its number in its last four bytes.
    fn beat(&mut self, random: &mut Random) -> Beat {
        if self.ready.is_empty() {
            let mut frame = vec![0x5a; random.pick(&[64, 64, 128, 300, 1500])];
            frame[12..15].copy_from_slice(&[0x08, 0x00, 0x45]);
            frame[23] = 6;
            frame[26..30].copy_from_slice(&[10, 0, 0, 1]);
            frame[30..34].copy_from_slice(&[10, 0, 0, 2]);
            let end = frame.len();
            frame[end - 4..].copy_from_slice(&self.sent.to_be_bytes());
            self.ready.extend(beats(&frame));
            self.under_way.insert(self.sent);
            self.sent += 1;
        }
        self.ready.pop_front().expect("a frame has beats")
    }

    fn take(&mut self, beat: Option<Beat>) {
        self.out.take(beat);
        for frame in self.out.frames.drain(..) {
            let number = u32::from_be_bytes(frame[frame.len() - 4..].try_into().expect("four bytes"));
            assert!(frame[34..frame.len() - 4].iter().all(|b| *b == 0x5a), "frame {number} is changed");
            assert!(self.under_way.remove(&number), "frame {number} leaves twice");
        }
    }
}

/// A gateway with traffic on both sides and a host that goes on meanwhile.
struct Rig {
    bench: Bench,
    random: Random,
    to_line: Stream,
    to_client: Stream,
}

impl Rig {
    fn new() -> Self {
        let (to_line, to_client) = Default::default();
        Rig { bench: Bench::new(), random: Random::new(), to_line, to_client }
    }

    /// One cycle of traffic.
    fn tick(&mut self, sends: bool) {
        let beats = sends.then(|| (self.to_line.beat(&mut self.random), self.to_client.beat(&mut self.random)));
        let (client, line) = beats.unzip();
        let t = self.bench.gates.tick(client.as_ref(), line.as_ref(), true, true);
        self.to_line.take(t.line_tx);
        self.to_client.take(t.client_tx);
    }

    fn access(&mut self, access: Access) -> Result<u32, Error> {
        self.bench.gates.begin(access);
        loop {
            self.tick(true);
            if let Some(answer) = self.bench.gates.answer() {
                return answer;
            }
        }
    }

    fn read(&mut self, reg: &Reg) -> u32 {
        self.access(Access::read(reg.offset.into())).expect("it can be read")
    }

    fn write(&mut self, address: u16, value: u32) {
        self.access(Access::write(address.into(), value)).expect("it can be written");
    }
}

/// What commit number `tag` puts into force: on every path the same, and different from every other commit's.
fn path(tag: u32) -> Path {
    // More than the line carries, so that no frame waits.
    Path { mode: MODE_FIXED, rate: (1 << 20) + tag, burst: (1 << 20) + tag, ..Path::default() }
}

/// How many commits: all of them with `COMMITS=1000`, fewer where time counts.
fn commits() -> u32 {
    std::env::var("COMMITS").ok().map_or(60, |n| n.parse().expect("COMMITS is a number"))
}

#[test]
fn a_commit_under_traffic_at_line_rate_loses_nothing_and_no_slot_sees_a_mixture() {
    let mut rig = Rig::new();
    let commits = commits();
    let (mut whole, mut checked) = (0, 0);
    // The tag in force by generation: a commit without paths leaves the one before.
    let mut tags = vec![0];
    for number in 1..=commits {
        let mask = rig.random.pick(&[1 << PATH, 1 << PATH | 1 << ROUTE, 1 << ROUTE, 0xb & !(1 << CALENDAR), 1 << PATH]);
        let mask = if number == 1 { 1 << PATH | 1 << ROUTE } else { mask };
        let tag = if mask >> PATH & 1 == 1 { number } else { *tags.last().expect("one") };
        let mirror = rig.bench.gates.mirror();
        if mask >> PATH & 1 == 1 {
            (0..PATHS).for_each(|p| mirror.set_path(p, &path(tag)));
        }
        let queue = (number % 17) as u8;
        mirror.set_routes(&[Route { address: 0x0a00_0001, v6: false, queue }]);
        for (address, value) in rig.bench.gates.mirror().writes(mask) {
            rig.write(address, value);
            rig.bench.gates.mirror().wrote(address, value);
        }
        for table in (0..TABLES).filter(|t| mask >> t & 1 == 1) {
            let crc = rig.bench.gates.mirror().crc(table);
            rig.write(CRC[table].offset, crc);
        }
        // A random moment of the slot.
        for _ in 0..rig.random.below(1 << SLOT_K_MIN) {
            rig.tick(true);
        }
        rig.write(COMMIT.offset, mask);
        loop {
            let (slot, generation) = (rig.read(&rate::SLOT), rig.read(&rate::GENERATION));
            let banks = rig.read(&BANKS);
            let mut seen = BTreeSet::new();
            for path in 0..PATHS as u32 {
                rig.write(rate::PATH.offset, path);
                seen.insert((rig.read(&rate::RATE), rig.read(&rate::BURST), rig.read(&rate::MODE)));
            }
            if rig.read(&rate::SLOT) == slot {
                whole += 1;
                let tag = tags.get(generation as usize).copied().unwrap_or(tag);
                let now = path(tag);
                let expected = if tag == 0 { (0, 0, 0x100) } else { (now.rate, now.burst, 1) };
                assert_eq!(seen, BTreeSet::from([expected]), "slot {slot}, generation {generation}");
                checked += u32::from(generation as usize == tags.len());
                assert_eq!(banks.count_ones() == 0, generation == 0);
            }
            if generation as usize == tags.len() {
                break;
            }
            let status = rig.read(&STATUS);
            assert_eq!(CODE.get(status), CODE_OK, "commit {number}: {}", CODES[CODE.get(status) as usize]);
        }
        tags.push(tag);
        rig.bench.gates.mirror().committed(mask);
    }
    for _ in 0..4000 {
        rig.tick(false);
    }
    println!(
        "{commits} commits, {whole} slots read whole, {checked} of them the first of theirs; {} and {} frames, {} cycles",
        rig.to_line.sent,
        rig.to_client.sent,
        rig.bench.gates.cycles()
    );
    // Whatever was cut short at the end.
    for stream in [&mut rig.to_line, &mut rig.to_client] {
        let part = u32::from(!stream.ready.is_empty());
        assert_eq!(stream.under_way.len() as u32, part, "frames are lost: {:?}", stream.under_way);
        assert_eq!(stream.out.part.len(), 0);
    }
    assert!(whole > commits / 2);
    assert!(rig.bench.counter(&LINE_FRAMES_OUT) > 0 && rig.bench.counter(&CLIENT_FRAMES_OUT) > 0);
}

/// Writes words of shadow banks, commits with a CRC that is right or not, and gives code, table and word.
fn refused(bench: &mut Bench, words: &[(usize, usize, u32)], mask: u32, spoil: u32) -> (u32, u32, u32) {
    let mut mirror = bench.gates.mirror().clone();
    let mut old = vec![];
    for (table, word, value) in words {
        let address = WINDOWS[*table].address(*word);
        old.push((address, bench.gates.read(address).expect("a window can be read")));
        bench.gates.write(address, *value).expect("a shadow bank can be written");
        mirror.wrote(address, *value);
    }
    for table in (0..TABLES).filter(|t| mask >> t & 1 == 1) {
        let bytes: Vec<u8> = (0..WINDOWS[table].length())
            .flat_map(|w| bench.gates.read(WINDOWS[table].address(w)).expect("a window can be read").to_le_bytes())
            .collect();
        bench.write(&CRC[table], crc32(&bytes) ^ spoil);
    }
    bench.write(&COMMIT, mask);
    let mut status = 1;
    while BUSY.get(status) == 1 {
        status = bench.gates.read(STATUS.offset).expect("STATUS reads");
    }
    let word = bench.gates.read(ERROR_WORD.offset).expect("ERROR_WORD reads");
    // As before, for the next.
    old.into_iter().rev().for_each(|(at, value)| bench.gates.write(at, value).expect("a shadow bank can be written"));
    (CODE.get(status), table::TABLE.get(status), word)
}

#[test]
fn what_is_wrong_is_refused_with_its_code_and_nothing_changes() {
    let mut bench = Bench::new();
    // Something in force: a route to path 3, path 5 off, a flow.
    for number in 0..2 {
        let mirror = bench.gates.mirror();
        mirror.set_routes(&[Route { address: 7 + number, v6: false, queue: 3 }]);
        mirror.set_path(3, &Path { rate: mirror.path(3).rate + 1, ..path(0) });
        mirror.set_path(5, &Path { mode: MODE_OFF, rate: mirror.path(5).rate + 1, ..Path::default() });
        mirror
            .set_flow(9, FlowSetting { enable: true, mtu: 3, serial: mirror.path(3).rate as u8, ack_ops_write: false });
        Host::new(&mut bench.gates).commit().expect("all is right");
    }
    let seen = |bench: &mut Bench| {
        let regs = [GENERATION, BANKS, rate::RATE, rate::BURST, rate::MODE, rate::GENERATION];
        bench.write(&rate::PATH, 3);
        regs.map(|r| bench.gates.read(r.offset).expect("it reads"))
    };
    let before = seen(&mut bench);
    // Both banks of each are alike now but for a number, so each of these differs from what is right in one place.
    let (r, p, f, c) = (1 << ROUTE, 1 << PATH, 1 << FLOW, 1 << CALENDAR);
    let route = |entry: usize, word: usize| ROUTE_WORDS * entry + word;
    let of = |path: usize, word: usize| PATH_WORDS * path + word;
    let cases: &[(&[(usize, usize, u32)], u32, u32, (u32, usize, usize))] = &[
        (&[], f, 1, (CODE_CRC, FLOW, 0)),
        (&[], r | p | f, 1 << 31, (CODE_CRC, PATH, 0)),
        (&[], 0, 0, (CODE_EMPTY_MASK, 0, 0)),
        (&[(FLOW, 4095, 0x60)], f, 0, (CODE_FLOW_MTU, FLOW, 4095)),
        (&[(FLOW, 9, 0x1_0001)], f, 0, (CODE_RESERVED, FLOW, 9)),
        (&[(PATH, of(15, 0), 6)], p, 0, (CODE_PATH_MODE, PATH, of(15, 0))),
        (&[(PATH, of(3, 2), BURST_MIN - 1)], p, 0, (CODE_PATH_BURST, PATH, of(3, 2))),
        (&[(PATH, of(3, 0), MODE_CALENDAR.into())], p, 0, (CODE_CALENDAR_LENGTH, PATH, of(3, 8))),
        (&[(PATH, of(3, 0), MODE_OFF.into())], p, 0, (CODE_ROUTE_PATH_OFF, PATH, of(3, 0))),
        (&[(ROUTE, route(0, 4), 5 << 8)], r, 0, (CODE_ROUTE_PATH_OFF, ROUTE, route(0, 4))),
        (&[(ROUTE, route(0, 4), 17 << 8)], r, 0, (CODE_ROUTE_QUEUE, ROUTE, route(0, 4))),
        (&[(ROUTE, route(127, 7), 1)], r, 0, (CODE_RESERVED, ROUTE, route(127, 7))),
        (&[(CALENDAR, 8191, 0x1_0000)], c, 0, (CODE_RESERVED, CALENDAR, 8191)),
    ];
    for (words, mask, spoil, (code, table, word)) in cases {
        let found = refused(&mut bench, words, *mask, *spoil);
        assert_eq!(found, (*code, *table as u32, *word as u32), "{}: {words:?}", CODES[*code as usize]);
        assert_eq!(seen(&mut bench), before, "{}", CODES[*code as usize]);
    }
    // No such entry; no such slot.
    for address in [0x2000, 0x2ffc, 0x3400, 0x3ffc, 0x1002] {
        assert!(bench.gates.write(address, 0).is_err() && bench.gates.read(address).is_err(), "{address:#x}");
    }
    for k in [0, 9, 21, 31, 1 << 5 | 10] {
        assert!(bench.gates.write(pacer::SLOT_K.offset, k).is_err(), "a slot of 2^{k} cycles");
    }
    assert_eq!(bench.gates.read(pacer::SLOT_K.offset).ok(), Some(SLOT_K_MIN));

    // Two at once: the first goes on, and its tables cannot be written meanwhile.
    bench.gates.mirror().set_flow(10, FlowSetting { enable: true, ..FlowSetting::default() });
    for (address, value) in bench.gates.mirror().writes(f) {
        bench.gates.write(address, value).expect("a shadow bank can be written");
        bench.gates.mirror().wrote(address, value);
    }
    let crc = bench.gates.mirror().crc(FLOW);
    bench.write(&CRC[FLOW], crc);
    bench.write(&COMMIT, f);
    bench.write(&COMMIT, r);
    assert!(bench.gates.write(WINDOWS[FLOW].address(0), 1).is_err(), "a bank that is scanned");
    assert!(bench.gates.write(WINDOWS[CALENDAR].address(0), 1).is_ok(), "another");
    let mut status = bench.gates.read(STATUS.offset).expect("STATUS reads");
    assert_eq!((BUSY.get(status), REFUSED.get(status), CODE.get(status)), (1, 1, CODE_OK));
    while BUSY.get(status) == 1 {
        status = bench.gates.read(STATUS.offset).expect("STATUS reads");
    }
    assert_eq!((REFUSED.get(status), CODE.get(status)), (1, CODE_OK));
    assert_eq!(bench.gates.read(GENERATION.offset).ok(), Some(before[0] + 1));
    assert!(bench.gates.write(WINDOWS[FLOW].address(0), 0).is_ok(), "free again");
}
