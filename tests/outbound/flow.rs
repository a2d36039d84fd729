//! `flow` in gates, with rows placed by the driver, against a list of rows.

use crate::harness::Random;
use matchrdma::flow_table::{FlowTable, Place, RowWrite};
use matchrdma_rtl::flow::Dut;
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::params::{FLOWS, FLOW_BANKS, FLOW_ROWS};
use matchrdma_spec::regs::flow::FlowRow;
use std::collections::{HashSet, VecDeque};

const CYCLES: usize = 10;

/// The block beside the rows it was given.
struct Bench {
    dut: Dut,
    rows: Vec<Vec<FlowRow>>,
    due: VecDeque<Option<u16>>,
}

fn words(v: u128) -> [u32; 4] {
    std::array::from_fn(|i| (v >> (32 * i)) as u32)
}

impl Bench {
    fn new() -> Self {
        let mut dut = Dut::new();
        dut.set_rst(1);
        dut.tick();
        dut.set_rst(0);
        let rows = vec![vec![FlowRow::default(); FLOW_ROWS]; FLOW_BANKS];
        Bench { dut, rows, due: vec![None; CYCLES].into() }
    }

    /// One cycle: perhaps a row written, perhaps a key looked up, and the answer of ten cycles ago.
    fn cycle(&mut self, write: Option<RowWrite>, look: Option<FlowKey>, random: &mut Random) {
        self.dut.set_row_we(write.is_some().into());
        if let Some(RowWrite { place, content }) = write {
            self.rows[place.bank][place.row] = content;
            self.dut.set_row_bank(place.bank as u32);
            self.dut.set_row_addr(place.row as u32);
            self.dut.set_row_data(content.pack());
        }
        self.dut.set_look_valid(look.is_some().into());
        let key = look.unwrap_or_else(|| any_key(random));
        self.dut.set_key_v6(key.v6.into());
        self.dut.set_key_vlan(key.vlan);
        self.dut.set_key_src(words(key.src));
        self.dut.set_key_dst(words(key.dst));
        self.dut.set_key_qpn(key.qpn);
        self.due.push_back(look.and_then(|key| {
            let here = |(bank, row): (usize, &u16)| self.rows[bank][usize::from(*row)];
            let rows = key.rows();
            rows.iter().enumerate().map(here).find(|r| r.valid && r.key == key).map(|r| r.index)
        }));
        self.dut.settle();
        let got = (self.dut.hit() == 1).then(|| self.dut.index() as u16);
        assert_eq!(got, self.due.pop_front().unwrap(), "the answer to a key of ten cycles ago");
        self.dut.rise();
    }

    fn drain(&mut self, random: &mut Random) {
        (0..CYCLES).for_each(|_| self.cycle(None, None, random));
    }
}

/// Few hosts and VLANs, so that keys share most of their bits; or anything.
fn any_key(random: &mut Random) -> FlowKey {
    let v6 = random.bits(1) as u8;
    let wide = |random: &mut Random| u128::from(random.u64()) << 64 | u128::from(random.u64());
    let address = |random: &mut Random| match (v6, random.chance(1, 2)) {
        (1, true) => 0x2001_0db8 << 96 | u128::from(random.bits(4)),
        (1, false) => wide(random),
        (_, true) => 0x0a09_0000 | u128::from(random.bits(4)),
        _ => u128::from(random.u32()),
    };
    let vlan = if random.chance(1, 2) { 0 } else { random.bits(24) as u32 };
    let (src, dst) = (address(random), address(random));
    let width = random.pick(&[10, 24]);
    FlowKey { v6, vlan, src, dst, qpn: random.bits(width) as u32 }
}

/// The key with one of its 305 bits changed.
fn flipped(key: FlowKey, bit: usize) -> FlowKey {
    match bit {
        0..24 => FlowKey { qpn: key.qpn ^ 1 << bit, ..key },
        24..152 => FlowKey { dst: key.dst ^ 1 << (bit - 24), ..key },
        152..280 => FlowKey { src: key.src ^ 1 << (bit - 152), ..key },
        280..304 => FlowKey { vlan: key.vlan ^ 1 << (bit - 280), ..key },
        _ => FlowKey { v6: key.v6 ^ 1, ..key },
    }
}

#[test]
fn four_thousand_flows_are_found_while_rows_move() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    let (mut table, mut keys) = (FlowTable::new(), vec![]);
    while keys.len() < FLOWS {
        let (key, index) = (any_key(&mut random), keys.len() as u16);
        let Ok(writes) = table.insert(key, index) else { continue };
        if writes.is_empty() {
            continue;
        }
        keys.push(key);
        for write in writes {
            // every write in its own cycle, lookups in all of them
            let look = random.pick(&keys);
            bench.cycle(Some(write), random.chance(7, 8).then_some(look), &mut random);
        }
    }
    for round in 0..4 * FLOWS {
        let key = match round % 4 {
            0 | 1 => random.pick(&keys),
            2 => flipped(random.pick(&keys), random.below(305) as usize),
            _ => any_key(&mut random),
        };
        bench.cycle(None, Some(key), &mut random);
    }
    // one lookup per cycle, every flow
    for (key, index) in keys.iter().zip(0..) {
        assert_eq!(table.find(key).map(|f| f.1), Some(index));
        bench.cycle(None, Some(*key), &mut random);
    }
    for key in keys.iter().step_by(3) {
        let write = table.remove(key).unwrap();
        bench.cycle(Some(write), Some(*key), &mut random);
        bench.cycle(None, Some(*key), &mut random);
    }
    bench.drain(&mut random);
}

/// A row where a key hashes to that differs from it in one bit, whichever: no hit. (The host would not put it there.)
#[test]
fn every_bit_of_the_key_is_compared_in_every_bank() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    for bit in 0..305 {
        let key = any_key(&mut random);
        for (bank, row) in key.rows().into_iter().enumerate() {
            let decoy = FlowRow { key: flipped(key, bit), index: random.bits(12) as u16, valid: true };
            let off = FlowRow { key, index: random.bits(12) as u16, valid: false };
            for content in [decoy, off, FlowRow { valid: true, ..off }, FlowRow::default()] {
                // a lookup in the cycle before a write may see it already
                bench.cycle(None, None, &mut random);
                let place = Place { bank, row: row.into() };
                bench.cycle(Some(RowWrite { place, content }), Some(key), &mut random);
            }
        }
    }
    bench.drain(&mut random);
}

/// DESIGN: 4096 random flows always fit. Every other set is of one site's keys, which share most of their bits.
#[test]
fn a_thousand_sets_of_4096_flows_all_fit() {
    const SETS: usize = 1000;
    let mut random = Random::new();
    let mut longest = 0;
    for set in 0..SETS {
        let (mut table, mut seen) = (FlowTable::new(), HashSet::new());
        while table.len() < FLOWS {
            let key = if set % 2 == 0 {
                any_key(&mut random)
            } else {
                let hosts = random.bits(12);
                let (src, dst) = (0x0a01_0000 | u128::from(hosts & 63), 0x0a02_0000 | u128::from(hosts >> 6));
                FlowKey { v6: 0, vlan: 0, src, dst, qpn: 0x100 + random.bits(9) as u32 }
            };
            if seen.insert(key) {
                let writes = table.insert(key, table.len() as u16);
                longest = longest.max(writes.unwrap_or_else(|e| panic!("set {set}, key {}: {e}", table.len())).len());
            }
        }
    }
    println!("{SETS} sets; at most {longest} rows written for a key");
}
