//! What a shadow bank is filled with, right and wrong.

use super::*;

impl Bench {
    /// A table in which all is right.
    pub fn fill(&mut self, table: usize, random: &mut Random) {
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
    pub fn spoil(&mut self, table: usize, random: &mut Random) {
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
