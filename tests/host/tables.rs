//! Banked tables against the model: what is refused and where, and that a commit takes effect whole or not at all.

mod contents;

use crate::harness::Random;
use matchrdma_model::tables::Tables;
use matchrdma_rtl::tables::Dut;
use matchrdma_spec::hash::crc32;
use matchrdma_spec::params::PATHS;
use matchrdma_spec::regs::entry::*;
use matchrdma_spec::regs::table::{self, *};

/// What the readers of the buses hold.
struct Readers {
    routes: [Vec<[u32; 5]>; 2],
    words: [[Vec<u32>; 2]; TABLES],
}

/// The gates, the model, and the readers that the gates fill.
struct Bench {
    dut: Dut,
    model: Tables,
    readers: Readers,
    flip: bool,
}

impl Bench {
    fn new() -> Self {
        let bank = |t: usize| vec![0; WINDOWS[t].length()];
        let words = std::array::from_fn(|t| [bank(t), bank(t)]);
        let routes = std::array::from_fn(|_| vec![[0; 5]; WINDOWS[ROUTE].entries]);
        let mut bench =
            Bench { dut: Dut::new(), model: Tables::new(), readers: Readers { routes, words }, flip: false };
        bench.dut.set_rst(1);
        (0..4).for_each(|_| bench.dut.tick());
        bench.dut.set_rst(0);
        bench
    }

    /// One cycle.
    fn step(&mut self) {
        self.dut.set_flip(self.flip.into());
        self.dut.settle();
        let r = &mut self.readers;
        if self.dut.route_we() == 1 {
            let row = self.dut.route_data();
            r.routes[self.dut.route_we_bank() as usize][self.dut.route_addr() as usize] = row;
        }
        if self.dut.path_we() == 1 {
            let (bank, path) = (self.dut.path_addr() as usize >> 4, self.dut.path_addr() as usize & 15);
            r.words[PATH][bank][16 * path + self.dut.path_word() as usize] = self.dut.path_data();
        }
        if self.dut.cfg_we() == 1 {
            let at = self.dut.cfg_addr() as usize;
            r.words[FLOW][at >> 12][at & 0xfff] = self.dut.cfg_data();
        }
        if self.dut.calendar_we() == 1 {
            let at = self.dut.calendar_addr() as usize;
            r.words[CALENDAR][at >> 13][at & 0x1fff] = self.dut.calendar_data();
        }
        self.dut.rise();
        self.flip = false;
    }

    /// A write on the bus; whether it was taken.
    fn put(&mut self, address: u16, data: u32) -> bool {
        self.dut.set_wa(address.into());
        self.dut.set_wd(data);
        self.step();
        self.dut.settle();
        let taken = self.dut.deny() == 0;
        self.dut.set_wr(taken.into());
        self.step();
        self.dut.set_wr(0);
        taken
    }

    fn get(&mut self, address: u16) -> u32 {
        self.dut.set_ra(address.into());
        self.step();
        self.dut.set_rd_go(1);
        self.step();
        self.dut.set_rd_go(0);
        if table::word_at(address).is_some() {
            self.step();
        }
        self.dut.settle();
        self.dut.rd()
    }

    /// A word into both.
    fn write(&mut self, table: usize, word: usize, value: u32) -> bool {
        let taken = self.put(WINDOWS[table].address(word), value);
        assert_eq!(taken, self.model.write(table, word, value), "table {table} word {word}");
        taken
    }

    fn entry(&mut self, table: usize, first: usize, words: &[u32]) {
        for (i, value) in words.iter().enumerate() {
            if self.model.read(table, first + i) != *value {
                assert!(self.write(table, first + i, *value));
            }
        }
    }

    /// The CRC of a shadow bank as the host computes it.
    fn crc(&self, table: usize) -> u32 {
        let bytes: Vec<u8> =
            (0..WINDOWS[table].length()).flat_map(|w| self.model.read(table, w).to_le_bytes()).collect();
        crc32(&bytes)
    }

    fn start(&mut self, mask: u32, spoil: u32) {
        for (table, register) in CRC.iter().enumerate() {
            let crc = self.crc(table) ^ (spoil * u32::from(mask >> table & 1 == 1));
            self.put(register.offset, crc);
            self.model.set_crc(table, crc);
        }
        self.commit(mask);
    }

    fn commit(&mut self, mask: u32) {
        assert!(self.put(COMMIT.offset, mask));
        self.model.commit(mask);
    }

    /// Until the scan is over; cycles.
    fn scan(&mut self) -> u32 {
        for cycles in 0..20_000 {
            self.dut.settle();
            if self.dut.pending() == 1 || BUSY.get(self.get(STATUS.offset)) == 0 {
                self.model.scanned();
                return 3 * cycles;
            }
        }
        panic!("the scan does not end");
    }

    fn flips(&mut self) {
        self.flip = true;
        self.step();
        self.model.boundary();
    }

    fn compare(&mut self) {
        let s = self.model.status();
        let status = u32::from(s.busy) | u32::from(s.refused) << 1 | s.code << 8 | s.table << 16;
        assert_eq!(self.get(STATUS.offset), status, "{s:?}");
        assert_eq!(self.get(ERROR_WORD.offset), s.word);
        assert_eq!(self.get(GENERATION.offset), self.model.generation());
        assert_eq!(self.get(BANKS.offset), self.model.banks());
    }

    /// What the readers read is what the model has in force.
    fn readers_agree(&mut self, mask: u32) {
        self.dut.settle();
        let banks = self.dut.banks();
        for table in (0..TABLES).filter(|t| mask >> t & 1 == 1) {
            let bank = (banks >> table & 1) as usize;
            if table == ROUTE {
                for (row, words) in self.readers.routes[bank].iter().zip(self.model.now(ROUTE).chunks(ROUTE_WORDS)) {
                    let route = Route::unpack(words);
                    let high = u32::from(route.v6) | u32::from(route.queue) << 1;
                    assert_eq!(*row, [words[0], words[1], words[2], words[3], high]);
                }
            } else {
                assert!(self.readers.words[table][bank] == self.model.now(table), "table {table}");
            }
        }
    }
}

#[test]
fn gates_refuse_and_accept_what_the_model_does() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    let mut seen = [0; CODES.len()];
    // Not the calendar in each: it is long.
    bench.fill(ROUTE, &mut random);
    for round in 0..1000 {
        let mask = random.below(8) as u32 | u32::from(random.chance(1, 6)) << CALENDAR;
        let tables: Vec<_> = (0..TABLES).filter(|t| mask >> t & 1 == 1).collect();
        for table in &tables {
            bench.fill(*table, &mut random);
        }
        if let (Some(table), true) = (tables.get(random.below(4) as usize), random.chance(2, 3)) {
            bench.spoil(*table, &mut random);
        }
        bench.start(mask, u32::from(random.chance(1, 12)) << random.below(32));
        // While it runs: writes to its tables and other commits are refused, those to other tables are not.
        for _ in 0..random.below(4) {
            let table = random.below(4) as usize;
            let word = random.below(WINDOWS[table].length() as u64) as usize;
            // Only a commit that cannot have ended by now is certain to refuse.
            if mask >> table & 1 == 1 || mask == 0 {
                let same = bench.model.read(table, word);
                bench.write(table, word, if mask == 0 { same } else { random.u32() });
                assert_eq!(bench.get(WINDOWS[table].address(word)), same, "a read while it scans");
            }
        }
        if mask != 0 && random.chance(1, 3) {
            bench.commit(random.bits(4) as u32);
        }
        bench.scan();
        bench.compare();
        let result = bench.model.status();
        seen[result.code as usize] += 1;
        let waits = bench.model.waiting();
        for _ in 0..random.below(30) {
            bench.step();
        }
        if random.chance(1, 4) {
            bench.commit(random.bits(4) as u32 & waits);
            seen[CODE_BUSY as usize] += u32::from(bench.model.status().refused);
        }
        bench.flips();
        bench.compare();
        bench.readers_agree(waits);
        for _ in 0..3 {
            let table = random.below(4) as usize;
            let word = random.below(WINDOWS[table].length() as u64) as usize;
            assert_eq!(bench.get(WINDOWS[table].address(word)), bench.model.read(table, word), "round {round}");
        }
        // What was spoilt is mended, or no later commit would pass.
        if result.code != CODE_OK {
            (0..TABLES).for_each(|t| mend(&mut bench, t));
        }
    }
    println!("{}", CODES.iter().zip(seen).map(|(code, n)| format!("{code} {n}")).collect::<Vec<_>>().join(", "));
    for (code, n) in CODES.iter().zip(seen) {
        assert!(n > 0, "{code} was never reached");
    }
}

/// Back to what is in force.
fn mend(bench: &mut Bench, table: usize) {
    for word in 0..WINDOWS[table].length() {
        let good = bench.model.now(table)[word];
        if bench.model.read(table, word) != good {
            assert!(bench.write(table, word, good));
        }
    }
}

#[test]
fn a_scan_takes_a_word_per_cycle_and_a_boundary_puts_all_into_force_at_once() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    for table in 0..TABLES {
        bench.fill(table, &mut random);
    }
    // The routes of this commit may lead anywhere.
    for word in (0..PATHS).map(|path| PATH_WORDS * path) {
        if PATH_MODE.get(bench.model.read(PATH, word)) == u32::from(MODE_OFF) {
            bench.write(PATH, word, MODE_OPEN.into());
        }
    }
    bench.start(0xf, 0);
    let words: usize = WINDOWS.iter().map(|w| w.length()).sum();
    let mut cycles = 0;
    while bench.dut.pending() == 0 {
        bench.step();
        bench.dut.settle();
        cycles += 1;
        assert!(cycles < words + 60, "{cycles} cycles for {words} words");
    }
    bench.model.scanned();
    (0..5000).for_each(|_| bench.step());
    assert_eq!((bench.dut.banks(), bench.dut.set(), bench.dut.pending_mask()), (0, 0, 0xf));
    bench.flips();
    bench.dut.settle();
    assert_eq!((bench.dut.banks(), bench.dut.set(), bench.dut.pending_mask()), (0xf, 0xf, 0));
    bench.readers_agree(0xf);
    bench.compare();
}
