//! Banked tables against the model: what is refused and where, and that a commit takes effect whole or not at all.

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

    /// A table in which all is right.
    fn fill(&mut self, table: usize, random: &mut Random) {
        match table {
            ROUTE => {
                let n = random.below(129) as usize;
                let off: Vec<_> = (0..PATHS).filter(|p| self.model.path(*p).mode == MODE_OFF).collect();
                let mut starts: Vec<(bool, u128)> = (0..n)
                    .map(|_| {
                        let wide = u128::from(random.u64()) << 64 | u128::from(random.u64());
                        // Neighbours, and words that differ in one place only.
                        let near =
                            [wide >> 96, wide & 3, (wide & 1) << 32 | 7, (wide & 3) << 64, (wide & 3) << 126, wide];
                        (random.chance(1, 2), *near.get(random.below(6) as usize).expect("six"))
                    })
                    .collect();
                starts.sort_unstable();
                starts.dedup();
                for i in 0..WINDOWS[ROUTE].entries {
                    let queue = Some(random.below(17) as u8).filter(|q| !off.contains(&(*q).into())).unwrap_or(16);
                    let route = starts.get(i).map(|(v6, address)| Route { v6: *v6, address: *address, queue });
                    self.entry(ROUTE, ROUTE_WORDS * i, &route.unwrap_or(Route::UNUSED).pack());
                }
            }
            PATH => {
                let used: Vec<u8> = self.model.routes().iter().map(|r| r.queue).collect();
                for path in 0..PATHS {
                    let mut set = Path {
                        mode: random.below(6) as u8,
                        ecn_clear: random.chance(1, 2),
                        rate: random.u32(),
                        burst: BURST_MIN + random.below(u64::from(BURST_MAX - BURST_MIN) + 1) as u32,
                        cnp_on: random.u32(),
                        pfc_off: random.u32(),
                        length: 1 + random.below(256) as u16,
                        loops: random.chance(1, 2),
                        start: random.u32(),
                        peer_site: random.bits(16) as u16,
                        peer_key: std::array::from_fn(|_| random.bits(8) as u8),
                        peer_on: random.chance(1, 2),
                        weight: random.below(3) as u8,
                        forecast_first: random.bits(8) as u8,
                        forecast_loops: random.chance(1, 2),
                        forecast_start: random.u32(),
                        ..Path::default()
                    };
                    if set.granted() {
                        (set.peer_on, set.weight) = (true, 1 + random.below(255) as u8);
                    }
                    set.forecast_length = random.below(257 - u64::from(set.forecast_first)) as u16;
                    if set.mode == MODE_OFF && (used.contains(&(path as u8)) || random.chance(1, 2)) {
                        set.mode = MODE_OPEN;
                    }
                    self.entry(PATH, PATH_WORDS * path, &set.pack());
                }
            }
            FLOW => {
                for _ in 0..random.below(20) {
                    let set = FlowSetting {
                        enable: random.chance(1, 2),
                        ack_ops_write: random.chance(1, 2),
                        mtu: random.below(6) as u8,
                        serial: random.bits(8) as u8,
                    };
                    self.entry(FLOW, random.below(4096) as usize, &[set.pack()]);
                }
            }
            _ => {
                for _ in 0..random.below(20) {
                    let entry = CalendarEntry { budget: random.u32(), slots: 1 + random.below(65536) as u32 };
                    let at = CalendarEntry::word(random.below(16) as usize, random.below(256) as usize);
                    self.entry(CALENDAR, at, &entry.pack());
                }
            }
        }
    }

    /// Something wrong in a table.
    fn spoil(&mut self, table: usize, random: &mut Random) {
        let word = random.below(WINDOWS[table].length() as u64) as usize;
        let path = random.below(16) as usize;
        let timed = PATH_MODE.with(0, random.pick(&[MODE_CALENDAR, MODE_LESSER]).into());
        match (table, random.below(8)) {
            // Another start than that of the entry before, or the same.
            (ROUTE, 0..4) => {
                let entry = 1 + random.below(127) as usize;
                let words: Vec<_> = (0..5).map(|i| self.model.read(ROUTE, ROUTE_WORDS * (entry - 1) + i)).collect();
                let one = random.below(4) as usize;
                for (i, value) in words.into_iter().enumerate().filter(|(i, _)| *i != one || random.chance(1, 2)) {
                    self.write(ROUTE, ROUTE_WORDS * entry + i, value);
                }
            }
            (ROUTE, 4) => {
                self.write(ROUTE, 1020, 0x0001 | (random.below(32) as u32 * 256));
            }
            (ROUTE, 5) => {
                self.write(ROUTE, ROUTE_WORDS * (word / ROUTE_WORDS) + 4, random.below(32) as u32 * 256);
            }
            (PATH, 0) => {
                self.write(PATH, PATH_WORDS * path, 6 + random.bits(1) as u32);
            }
            (PATH, 1) => {
                self.write(PATH, PATH_WORDS * path, MODE_OFF.into());
            }
            (PATH, 2) => {
                self.write(PATH, PATH_WORDS * path, timed);
                self.write(PATH, PATH_WORDS * path + 8, random.pick(&[0, 1, 256, 257, 0x8000_0000, 511]));
            }
            (PATH, 3) => {
                self.write(PATH, PATH_WORDS * path, 1 + random.below(4) as u32);
                let edges = [BURST_MIN, BURST_MIN - 1, BURST_MAX, BURST_MAX + 1, 0, !0];
                self.write(PATH, PATH_WORDS * path + 2, random.pick(&edges));
            }
            (PATH, 4) => {
                let mode = random.pick(&[MODE_LIVE, MODE_LESSER, MODE_LESSER, MODE_CALENDAR]);
                let burst = BURST_MIN + random.bits(4) as u32;
                let (peer_on, weight) = (random.chance(1, 2), random.pick(&[0, 1, 16, 128]));
                let set = Path { mode, burst, length: random.below(2) as u16, peer_on, weight, ..Path::default() };
                for (i, word) in set.pack().into_iter().enumerate() {
                    self.write(PATH, PATH_WORDS * path + i, word);
                }
            }
            (PATH, 5) => {
                let word = PATH_WORDS * path + random.pick(&[0, 7, 7, 8, 13, 14, 15]);
                self.write(PATH, word, self.model.read(PATH, word) ^ 1 << random.below(32));
            }
            (PATH, 6) => {
                let first = random.pick(&[0, 1, 17, 254, 255]);
                let length = (random.pick(&[255, 256, 257, 258]) - u32::from(first)) % 512;
                let length = random.pick(&[length, length, length, 511]) as u16;
                let set = Path { forecast_first: first, forecast_length: length, ..Path::default() };
                let stray = u32::from(random.chance(1, 3)) << (17 + random.below(14));
                self.write(PATH, PATH_WORDS * path + 14, set.pack()[14] ^ stray);
            }
            (FLOW, 0..4) => {
                self.write(FLOW, word, random.bits(3) as u32 * 16);
            }
            // Any word, one bit or all of it.
            _ => {
                let (one, any) = (1 << random.below(32), random.u32());
                let value = self.model.read(table, word) ^ random.pick(&[one, any, 0x1f00]);
                self.write(table, word, value);
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
        if PATH_MODE.get(bench.model.read(PATH, word)) == MODE_OFF.into() {
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
