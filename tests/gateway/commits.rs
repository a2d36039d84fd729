//! Commits of the banked tables, on the whole gateway: under traffic at line rate, and with what is wrong in them.

use super::bench::{watched, Bench};
use crate::harness::Random;
use matchrdma_sim::commits;
use matchrdma_sim::configure::Host;
use matchrdma_sim::engine::Gateway;
use matchrdma_spec::hash::crc32;
use matchrdma_spec::params::SLOT_K_MIN;
use matchrdma_spec::regs::entry::*;
use matchrdma_spec::regs::table::{self, *};
use matchrdma_spec::regs::{pacer, rate};

/// Burst and rate that no frame waits for.
const PLENTY: Path = Path {
    mode: MODE_FIXED,
    ecn_clear: false,
    rate: 1 << 20,
    burst: 1 << 20,
    cnp_on: 0,
    cnp_off: 0,
    pfc_on: 0,
    pfc_off: 0,
    length: 0,
    loops: false,
    start: 0,
    peer_on: false,
    peer_site: 0,
    weight: 0,
    peer_key: [0; 16],
    forecast_first: 0,
    forecast_length: 0,
    forecast_loops: false,
    forecast_start: 0,
};

/// All of them with `COMMITS=1000`, fewer where time counts.
#[test]
fn a_commit_under_traffic_at_line_rate_loses_nothing_and_no_slot_sees_a_mixture() {
    let commits = std::env::var("COMMITS").ok().map_or(60, |n| n.parse().expect("COMMITS is a number"));
    let mut random = Random::new();
    let seen = commits::run(&mut watched(), commits, random.u64()).expect("no commit is refused");
    println!("{seen:?}");
    assert_eq!((seen.mixtures, seen.frames_lost, seen.frames_wrong), (0, [0; 2], [0; 2]));
    assert!(seen.slots_read > commits && seen.first_slots > commits / 2);
    assert!(seen.frames.iter().all(|n| *n > u64::from(commits)));
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
        mirror.set_path(3, &Path { rate: mirror.path(3).rate + 1, ..PLENTY });
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
    /// (words to write: table, word, value; mask; what to add to the checksum; code, table and word that are told)
    type Case<'a> = (&'a [(usize, usize, u32)], u32, u32, (u32, usize, usize));
    let cases: &[Case] = &[
        (&[], f, 1, (CODE_CRC, FLOW, 0)),
        (&[], r | p | f, 1 << 31, (CODE_CRC, PATH, 0)),
        (&[], 0, 0, (CODE_EMPTY_MASK, 0, 0)),
        (&[(FLOW, 4095, 0x60)], f, 0, (CODE_FLOW_MTU, FLOW, 4095)),
        (&[(FLOW, 9, 0x1_0001)], f, 0, (CODE_RESERVED, FLOW, 9)),
        (&[(PATH, of(15, 0), 6)], p, 0, (CODE_PATH_MODE, PATH, of(15, 0))),
        (&[(PATH, of(3, 2), BURST_MIN - 1)], p, 0, (CODE_PATH_BURST, PATH, of(3, 2))),
        (&[(PATH, of(3, 0), MODE_CALENDAR.into())], p, 0, (CODE_CALENDAR_LENGTH, PATH, of(3, 8))),
        (&[(PATH, of(4, 14), 255 | 2 << 8)], p, 0, (CODE_FORECAST_LENGTH, PATH, of(4, 14))),
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
