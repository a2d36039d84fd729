//! Banked tables: what the host wants in them, what it knows of the gateway's two banks, and what is to be written.
//!
//! After a commit the shadow bank holds the table before last, so the host keeps a mirror of both banks and writes the
//! words that differ. Pure: it writes no register; whoever uses it takes [`Mirror::writes`] to the bus.

use matchrdma_spec::hash::crc32;
use matchrdma_spec::params::CALENDAR_ENTRIES;
use matchrdma_spec::regs::entry::{CalendarEntry, FlowSetting, Path, Route};
use matchrdma_spec::regs::table::*;

/// One table: both banks as far as they are known, and what is wanted.
#[derive(Clone, Debug)]
struct Image {
    want: Vec<u32>,
    banks: [Vec<Option<u32>>; 2],
    force: usize,
    set: bool,
}

/// The host's view of the tables of a gateway.
#[derive(Clone, Debug)]
pub struct Mirror {
    tables: [Image; TABLES],
}

/// A table without an entry: what is in force until the first commit.
fn empty(table: usize) -> Vec<u32> {
    let length = WINDOWS[table].length();
    match table {
        ROUTE => Route::UNUSED.pack().into_iter().cycle().take(length).collect(),
        _ => vec![0; length],
    }
}

impl Mirror {
    /// Of a gateway of which nothing is known but that it is out of reset.
    pub fn unknown() -> Self {
        Self::of(None)
    }

    /// Of a gateway that has just been powered up: its memories hold zeros.
    pub fn powered_up() -> Self {
        Self::of(Some(0))
    }

    fn of(word: Option<u32>) -> Self {
        let image = |table: usize| {
            let bank = vec![word; WINDOWS[table].length()];
            Image { want: empty(table), banks: [bank.clone(), bank], force: 0, set: false }
        };
        Mirror { tables: core::array::from_fn(image) }
    }

    /// Of a gateway in which these tables are in force, as far as they were committed; what its shadow banks hold is not
    /// known. The same is wanted.
    pub fn in_force(tables: [Option<Vec<u32>>; TABLES]) -> Self {
        let mut mirror = Self::unknown();
        for (image, words) in mirror.tables.iter_mut().zip(tables) {
            let Some(words) = words.filter(|words| words.len() == image.want.len()) else { continue };
            image.banks[image.force] = words.iter().copied().map(Some).collect();
            (image.want, image.set) = (words, true);
        }
        mirror
    }

    /// What is in force of a table, if it was committed and is known.
    pub fn forced(&self, table: usize) -> Option<Vec<u32>> {
        let image = &self.tables[table];
        image.banks[image.force].iter().copied().collect::<Option<Vec<u32>>>().filter(|_| image.set)
    }

    /// What is wanted of a table.
    pub fn wanted(&self, table: usize) -> &[u32] {
        &self.tables[table].want
    }

    /// Setting of a flow, as it is wanted now.
    pub fn flow(&self, index: u16) -> FlowSetting {
        FlowSetting::unpack(self.tables[FLOW].want[FLOW_WORDS * usize::from(index)])
    }

    /// What is written to the shadow banks from now on is not known to arrive: all of it is written again.
    pub fn forget_shadow(&mut self) {
        for image in &mut self.tables {
            image.banks[1 - image.force].fill(None);
        }
    }

    /// The gateway was reset: its memories keep what they hold, but nothing is in force.
    pub fn reset(&mut self) {
        for (table, image) in self.tables.iter_mut().enumerate() {
            (image.want, image.force, image.set) = (empty(table), 0, false);
        }
    }

    /// The ranges of addresses, ascending; the rest is not used. At most as many as the table has.
    pub fn set_routes(&mut self, routes: &[Route]) {
        assert!(routes.len() <= WINDOWS[ROUTE].entries, "{} ranges do not fit", routes.len());
        self.tables[ROUTE].want = empty(ROUTE);
        for (entry, route) in routes.iter().enumerate() {
            self.put(ROUTE, ROUTE_WORDS * entry, &route.pack());
        }
    }

    /// Settings of a path.
    pub fn set_path(&mut self, path: usize, settings: &Path) {
        self.put(PATH, PATH_WORDS * path, &settings.pack());
    }

    /// Settings of a path, as they are wanted now.
    pub fn path(&self, path: usize) -> Path {
        Path::unpack(&self.tables[PATH].want[PATH_WORDS * path..])
    }

    /// Setting of a flow.
    pub fn set_flow(&mut self, index: u16, setting: FlowSetting) {
        self.put(FLOW, FLOW_WORDS * usize::from(index), &[setting.pack()]);
    }

    /// A path's calendar. How many entries count is said by the path's settings.
    pub fn set_calendar(&mut self, path: usize, entries: &[CalendarEntry]) {
        self.put_entries(path, 0, entries);
    }

    /// The forecast of what the client port drains of a path, from slot `start` on, in its entries from `first` on;
    /// without entries there is none.
    pub fn set_forecast(&mut self, path: usize, first: u8, entries: &[CalendarEntry], loops: bool, start: u32) {
        self.put_entries(path, first.into(), entries);
        let settings = Path {
            forecast_first: first,
            forecast_length: entries.len() as u16,
            forecast_loops: loops,
            forecast_start: start,
            ..self.path(path)
        };
        self.set_path(path, &settings);
    }

    fn put_entries(&mut self, path: usize, first: usize, entries: &[CalendarEntry]) {
        assert!(first + entries.len() <= CALENDAR_ENTRIES, "{} entries from {first} on do not fit", entries.len());
        for (n, entry) in entries.iter().enumerate() {
            self.put(CALENDAR, CalendarEntry::word(path, first + n), &entry.pack());
        }
    }

    fn put(&mut self, table: usize, first: usize, words: &[u32]) {
        self.tables[table].want[first..first + words.len()].copy_from_slice(words);
    }

    /// Tables in which something else is in force than is wanted, as a mask.
    pub fn changed(&self) -> u32 {
        let differs = |(table, image): (usize, &Image)| match image.set {
            true => image.banks[image.force].iter().zip(&image.want).any(|(has, want)| *has != Some(*want)),
            false => image.want != empty(table),
        };
        let bit = |pair: (usize, &Image)| u32::from(differs(pair)).checked_shl(pair.0 as u32).unwrap_or(0);
        self.tables.iter().enumerate().map(bit).sum()
    }

    /// Words to be written before a commit of these tables: byte address and value, in address order.
    pub fn writes(&self, mask: u32) -> Vec<(u16, u32)> {
        let mut writes = Vec::new();
        for table in of_mask(mask) {
            let image = &self.tables[table];
            let shadow = image.banks[1 - image.force].iter().zip(&image.want).enumerate();
            let differ = shadow.filter(|(_, (has, want))| **has != Some(**want));
            writes.extend(differ.map(|(word, (_, want))| (WINDOWS[table].address(word), *want)));
        }
        writes
    }

    /// The word at this address was written.
    pub fn wrote(&mut self, address: u16, value: u32) {
        if let Some((table, word)) = word_at(address) {
            let image = &mut self.tables[table];
            image.banks[1 - image.force][word] = Some(value);
        }
    }

    /// The CRC that the commit has to name.
    pub fn crc(&self, table: usize) -> u32 {
        let bytes: Vec<u8> = self.tables[table].want.iter().flat_map(|w| w.to_le_bytes()).collect();
        crc32(&bytes)
    }

    /// A commit of these tables took effect.
    pub fn committed(&mut self, mask: u32) {
        for table in of_mask(mask) {
            let image = &mut self.tables[table];
            (image.force, image.set) = (1 - image.force, true);
        }
    }
}

/// The tables of a mask.
pub fn of_mask(mask: u32) -> impl Iterator<Item = usize> {
    (0..TABLES).filter(move |table| MASK.get(mask).checked_shr(*table as u32).is_some_and(|m| m % 2 == 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use matchrdma_spec::regs::entry::{BURST_MIN, MODE_FIXED};

    fn commit(mirror: &mut Mirror) -> (u32, usize) {
        let mask = mirror.changed();
        let writes = mirror.writes(mask);
        writes.iter().for_each(|(address, value)| mirror.wrote(*address, *value));
        mirror.committed(mask);
        assert_eq!(mirror.changed(), 0);
        (mask, writes.len())
    }

    #[test]
    fn only_what_differs_from_the_shadow_bank_is_written() {
        let mut m = Mirror::powered_up();
        assert_eq!(commit(&mut m), (0, 0));
        let setting = FlowSetting { enable: true, serial: 1, ..FlowSetting::default() };
        m.set_flow(5, setting);
        assert_eq!(commit(&mut m), (1 << FLOW, 1));
        m.set_flow(6, setting);
        // The other bank has neither.
        assert_eq!(commit(&mut m), (1 << FLOW, 2));
        m.set_flow(5, FlowSetting { serial: 2, ..setting });
        // That bank has 5 as it was first, and not 6.
        assert_eq!(commit(&mut m), (1 << FLOW, 2));
        m.set_path(3, &Path { mode: MODE_FIXED, rate: 7, burst: BURST_MIN, ..Path::default() });
        assert_eq!(m.writes(1 << PATH), [(0x30c0, 1), (0x30c4, 7), (0x30c8, BURST_MIN)]);
        assert_eq!(commit(&mut m).0, 1 << PATH);
        assert_eq!(m.path(3).rate, 7);
    }

    #[test]
    fn of_a_gateway_that_nobody_knows_all_is_written() {
        let mut m = Mirror::unknown();
        m.set_routes(&[Route { address: 0, v6: false, queue: 3 }]);
        assert_eq!(commit(&mut m), (1 << ROUTE, WINDOWS[ROUTE].length()));
        m.reset();
        assert_eq!(m.changed(), 0, "out of reset nothing is in force, and nothing is wanted");
        m.set_routes(&[Route { address: 0, v6: false, queue: 4 }]);
        assert_eq!(commit(&mut m), (1 << ROUTE, 1), "the memories keep what they hold");
    }

    #[test]
    fn the_crc_is_that_of_the_words_in_address_order() {
        let mut m = Mirror::powered_up();
        assert_eq!(m.crc(PATH), crc32(&[0; 1024]));
        m.set_calendar(1, &[CalendarEntry { budget: 0x0102_0304, slots: 2 }]);
        let mut bytes = vec![0; 32768];
        bytes[2048..2053].copy_from_slice(&[4, 3, 2, 1, 1]);
        assert_eq!(m.crc(CALENDAR), crc32(&bytes));
        // The forecast has its own entries, and leaves the path's other settings.
        m.set_path(1, &Path { mode: MODE_FIXED, rate: 9, ..Path::default() });
        m.set_forecast(1, 255, &[CalendarEntry { budget: 7, slots: 1 }], true, 77);
        bytes[4088] = 7;
        assert_eq!(m.crc(CALENDAR), crc32(&bytes));
        let Path { rate, forecast_first, forecast_length, forecast_loops, forecast_start, .. } = m.path(1);
        assert_eq!((rate, forecast_first, forecast_length, forecast_loops, forecast_start), (9, 255, 1, true, 77));
    }
}
