//! Words of the banked tables: what each entry says.

use super::table::{CALENDAR_WORDS, PATH_WORDS, ROUTE_WORDS};
use super::{flow, RegField};
use crate::params::{CALENDAR_ENTRIES, QUEUE_BYPASS};

/// Budget mode: line rate.
pub const MODE_OPEN: u8 = 0;
/// Budget mode: a fixed rate.
pub const MODE_FIXED: u8 = 1;
/// Budget mode: the calendar.
pub const MODE_CALENDAR: u8 = 2;
/// Budget mode: what the far gateway grants.
pub const MODE_LIVE: u8 = 3;
/// Budget mode: the lesser of the two.
pub const MODE_LESSER: u8 = 4;
/// Budget mode: no route may lead here.
pub const MODE_OFF: u8 = 5;
/// Deepest bucket of a paced path, bytes.
pub const BURST_MAX: u32 = 1 << 24;
/// Shallowest bucket of a paced path, bytes: the longest frame with its overhead.
pub const BURST_MIN: u32 = crate::params::MAX_FRAME_BYTES as u32 + crate::params::OVERHEAD_BYTES;

/// Route, word 4: IPv6.
pub const ROUTE_V6: RegField = RegField::new("v6", 0, 1, "1: an IPv6 address");
/// Route, word 4: queue.
pub const ROUTE_QUEUE: RegField = RegField::new("queue", 8, 5, "0..15 path, 16 bypass");
/// Path, word 0: budget mode.
pub const PATH_MODE: RegField =
    RegField::new("mode", 0, 3, "0 open, 1 fixed, 2 calendar, 3 live, 4 the lesser of calendar and live, 5 off");
/// Path, word 0: ECN.
pub const PATH_ECN_CLEAR: RegField = RegField::new("ecn_clear", 8, 1, "1: ECN is cleared once a CNP was sent");
/// Path, word 7: site of the far gateway.
pub const PATH_PEER_SITE: RegField = RegField::new("peer_site", 0, 16, "site of the far gateway");
/// Path, word 7: weight.
pub const PATH_WEIGHT: RegField = RegField::new("weight", 16, 8, "share among the paths into one data centre");
/// Path, word 7: peer.
pub const PATH_PEER_ON: RegField = RegField::new("peer_on", 24, 1, "1: the path has a far gateway");
/// Path: the first of the words of the key that both directions are tagged with. Byte `i` of the key is byte `i % 4`,
/// from the lowest up, of word `PATH_KEY + i / 4`; all zero: no tag.
pub const PATH_KEY: usize = 10;
/// Words of the key.
pub const PATH_KEY_WORDS: usize = 4;
/// Path, word 8: length.
pub const PATH_LENGTH: RegField = RegField::new("length", 0, 9, "entries of the calendar, 1..256");
/// Path, word 8: loop.
pub const PATH_LOOP: RegField = RegField::new("loop", 31, 1, "1: after the last entry comes the first");
/// Path, word 14: first entry of the forecast.
pub const FORECAST_FIRST: RegField =
    RegField::new("forecast_first", 0, 8, "entry of the calendar that the forecast begins with");
/// Path, word 14: length of the forecast.
pub const FORECAST_LENGTH: RegField =
    RegField::new("forecast_length", 8, 9, "entries of the forecast, 0..256; 0: there is none");
/// Path, word 14: loop of the forecast.
pub const FORECAST_LOOP: RegField = RegField::new("forecast_loop", 31, 1, "1: after its last entry comes its first");
/// Calendar, word 1: repeats.
pub const CALENDAR_REPEAT: RegField = RegField::new("repeat", 0, 16, "slots less one");

/// A range of addresses: from `address` to the next range's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// First address; IPv4 in the low 32 bits.
    pub address: u128,
    /// IPv6. All IPv4 addresses come before all IPv6 addresses.
    pub v6: bool,
    /// Queue: 0..15 path, 16 bypass.
    pub queue: u8,
}

impl Route {
    /// An entry that is not used: these stand at the end.
    pub const UNUSED: Route = Route { address: u128::MAX, v6: true, queue: QUEUE_BYPASS as u8 };

    /// Whether the entry starts no range.
    pub fn unused(&self) -> bool {
        self.v6 && self.address == u128::MAX
    }

    /// The words.
    pub fn pack(&self) -> [u32; ROUTE_WORDS] {
        let mut words = [0; ROUTE_WORDS];
        (0..4).for_each(|i| words[i] = (self.address >> (32 * i)) as u32);
        words[4] = ROUTE_QUEUE.with(u32::from(self.v6), self.queue.into());
        words
    }

    /// What the words say; bits without a meaning are not looked at.
    pub fn unpack(words: &[u32]) -> Self {
        Route {
            address: (0..4).fold(0, |a, i| a | u128::from(words[i]) << (32 * i)),
            v6: ROUTE_V6.get(words[4]) == 1,
            queue: ROUTE_QUEUE.get(words[4]) as u8,
        }
    }
}

/// Settings of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// Budget mode.
    pub mode: u8,
    /// Clear ECN once a CNP was sent.
    pub ecn_clear: bool,
    /// Rate, bytes per slot.
    pub rate: u32,
    /// Depth of the bucket, bytes.
    pub burst: u32,
    /// CNPs from this many held bytes on; 0 never.
    pub cnp_on: u32,
    /// Until so few.
    pub cnp_off: u32,
    /// PFC from this many held bytes on; 0 never.
    pub pfc_on: u32,
    /// Until so few.
    pub pfc_off: u32,
    /// Entries of the calendar.
    pub length: u16,
    /// After the last entry comes the first.
    pub loops: bool,
    /// Slot of the first entry.
    pub start: u32,
    /// The path has a far gateway.
    pub peer_on: bool,
    /// Its site.
    pub peer_site: u16,
    /// Share of the path among those into one data centre; 0 only without a far gateway.
    pub weight: u8,
    /// Key of both directions; zero: no tag.
    pub peer_key: [u8; 16],
    /// First entry of the forecast, among those of the path's calendar.
    pub forecast_first: u8,
    /// Entries of the forecast, 0 none.
    pub forecast_length: u16,
    /// After its last entry comes its first.
    pub forecast_loops: bool,
    /// Slot of its first entry.
    pub forecast_start: u32,
}

impl Path {
    /// Bits of each word that may be set.
    pub const BITS: [u32; PATH_WORDS] = {
        let mut bits = [0; PATH_WORDS];
        bits[0] = PATH_MODE.mask() | PATH_ECN_CLEAR.mask();
        bits[7] = PATH_PEER_SITE.mask() | PATH_WEIGHT.mask() | PATH_PEER_ON.mask();
        bits[8] = PATH_LENGTH.mask() | PATH_LOOP.mask();
        bits[14] = FORECAST_FIRST.mask() | FORECAST_LENGTH.mask() | FORECAST_LOOP.mask();
        bits[15] = !0;
        let mut i = 0;
        while i < PATH_WORDS {
            if (i >= 1 && i <= 6) || (i >= 9 && i < PATH_KEY + PATH_KEY_WORDS) {
                bits[i] = !0;
            }
            i += 1;
        }
        bits
    };

    /// The words.
    pub fn pack(&self) -> [u32; PATH_WORDS] {
        let mut words = [0; PATH_WORDS];
        words[0] = PATH_ECN_CLEAR.with(self.mode.into(), self.ecn_clear.into());
        words[1] = self.rate;
        words[2] = self.burst;
        words[3..7].copy_from_slice(&[self.cnp_on, self.cnp_off, self.pfc_on, self.pfc_off]);
        words[8] = PATH_LOOP.with(self.length.into(), self.loops.into());
        words[9] = self.start;
        words[7] = PATH_WEIGHT.with(self.peer_site.into(), self.weight.into());
        words[7] = PATH_PEER_ON.with(words[7], self.peer_on.into());
        for (word, bytes) in words[PATH_KEY..].iter_mut().zip(self.peer_key.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        words[14] = FORECAST_LENGTH.with(self.forecast_first.into(), self.forecast_length.into());
        words[14] = FORECAST_LOOP.with(words[14], self.forecast_loops.into());
        words[15] = self.forecast_start;
        words
    }

    /// What the words say; bits without a meaning are not looked at.
    pub fn unpack(words: &[u32]) -> Self {
        Path {
            mode: PATH_MODE.get(words[0]) as u8,
            ecn_clear: PATH_ECN_CLEAR.get(words[0]) == 1,
            rate: words[1],
            burst: words[2],
            cnp_on: words[3],
            cnp_off: words[4],
            pfc_on: words[5],
            pfc_off: words[6],
            length: PATH_LENGTH.get(words[8]) as u16,
            loops: PATH_LOOP.get(words[8]) == 1,
            start: words[9],
            peer_on: PATH_PEER_ON.get(words[7]) == 1,
            peer_site: PATH_PEER_SITE.get(words[7]) as u16,
            weight: PATH_WEIGHT.get(words[7]) as u8,
            peer_key: core::array::from_fn(|i| words[PATH_KEY + i / 4].to_le_bytes()[i % 4]),
            forecast_first: FORECAST_FIRST.get(words[14]) as u8,
            forecast_length: FORECAST_LENGTH.get(words[14]) as u16,
            forecast_loops: FORECAST_LOOP.get(words[14]) == 1,
            forecast_start: words[15],
        }
    }

    /// Whether the mode has a bucket.
    pub fn paced(&self) -> bool {
        matches!(self.mode, MODE_FIXED | MODE_CALENDAR | MODE_LIVE | MODE_LESSER)
    }

    /// Whether the mode needs a far gateway.
    pub fn granted(&self) -> bool {
        matches!(self.mode, MODE_LIVE | MODE_LESSER)
    }

    /// Whether the mode has a calendar.
    pub fn timed(&self) -> bool {
        matches!(self.mode, MODE_CALENDAR | MODE_LESSER)
    }
}

/// Setting of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowSetting {
    /// On.
    pub enable: bool,
    /// Only WRITE without immediate is acknowledged early.
    pub ack_ops_write: bool,
    /// Code of the path MTU, 0 unknown.
    pub mtu: u8,
    /// Another value than before starts the flow afresh.
    pub serial: u8,
}

impl FlowSetting {
    /// Bits that may be set.
    pub const BITS: u32 =
        flow::CFG_ENABLE.mask() | flow::CFG_ACK_OPS_WRITE.mask() | flow::CFG_MTU.mask() | flow::CFG_SERIAL.mask();

    /// The word.
    pub fn pack(&self) -> u32 {
        let word = flow::CFG_ACK_OPS_WRITE.with(self.enable.into(), self.ack_ops_write.into());
        flow::CFG_SERIAL.with(flow::CFG_MTU.with(word, self.mtu.into()), self.serial.into())
    }

    /// What the word says.
    pub fn unpack(word: u32) -> Self {
        FlowSetting {
            enable: flow::CFG_ENABLE.get(word) == 1,
            ack_ops_write: flow::CFG_ACK_OPS_WRITE.get(word) == 1,
            mtu: flow::CFG_MTU.get(word) as u8,
            serial: flow::CFG_SERIAL.get(word) as u8,
        }
    }
}

/// A budget and how long it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CalendarEntry {
    /// Budget, bytes per slot.
    pub budget: u32,
    /// Slots, 1..65536.
    pub slots: u32,
}

impl CalendarEntry {
    /// The words.
    pub fn pack(&self) -> [u32; CALENDAR_WORDS] {
        [self.budget, CALENDAR_REPEAT.with(0, self.slots.wrapping_sub(1))]
    }

    /// What the words say.
    pub fn unpack(words: &[u32]) -> Self {
        CalendarEntry { budget: words[0], slots: CALENDAR_REPEAT.get(words[1]) + 1 }
    }

    /// First word of an entry in its table.
    pub const fn word(path: usize, entry: usize) -> usize {
        CALENDAR_WORDS * (CALENDAR_ENTRIES * path + entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_packs_into_its_words() {
        let route = Route { address: 0x0123_4567_89ab_cdef_0011_2233_4455_6677, v6: true, queue: 13 };
        let words = [0x4455_6677, 0x0011_2233, 0x89ab_cdef, 0x0123_4567, 0x0d01, 0, 0, 0];
        assert_eq!((route.pack(), Route::unpack(&words)), (words, route));
        assert_eq!(Route::UNUSED.pack(), [!0, !0, !0, !0, 0x1001, 0, 0, 0]);
        assert!(Route::UNUSED.unused() && !route.unused());
    }

    #[test]
    fn a_path_packs_into_its_words() {
        let path = Path {
            mode: MODE_LESSER,
            ecn_clear: true,
            rate: 1,
            burst: 2,
            cnp_on: 3,
            cnp_off: 4,
            pfc_on: 5,
            pfc_off: 6,
            length: 256,
            loops: true,
            start: 9,
            peer_on: true,
            peer_site: 0x0a0b,
            weight: 0x0c,
            peer_key: core::array::from_fn(|i| 0x10 + i as u8),
            forecast_first: 0xe1,
            forecast_length: 0x1f,
            forecast_loops: true,
            forecast_start: 0xfedc_ba98,
        };
        let key = [0x1312_1110, 0x1716_1514, 0x1b1a_1918, 0x1f1e_1d1c];
        let [k0, k1, k2, k3] = key;
        let words = [0x104, 1, 2, 3, 4, 5, 6, 0x010c_0a0b, 0x8000_0100, 9, k0, k1, k2, k3, 0x8000_1fe1, 0xfedc_ba98];
        assert_eq!((path.pack(), Path::unpack(&words)), (words, path));
        let may = [0x107, !0, !0, !0, !0, !0, !0, 0x01ff_ffff, 0x8000_01ff, !0, !0, !0, !0, !0, 0x8001_ffff, !0];
        assert_eq!(Path::BITS, may);
        assert!((0..8)
            .map(|mode| Path { mode, ..path })
            .filter(Path::paced)
            .eq((1..5).map(|mode| Path { mode, ..path })));
        assert!((0..8).map(|mode| Path { mode, ..path }).filter(Path::granted).map(|p| p.mode).eq([3, 4]));
        assert!((0..8).map(|mode| Path { mode, ..path }).filter(Path::timed).map(|p| p.mode).eq([2, 4]));
        assert_eq!((BURST_MIN, BURST_MAX), (9624, 1 << 24));
    }

    #[test]
    fn a_flow_setting_packs_into_its_word() {
        let setting = FlowSetting { enable: true, ack_ops_write: true, mtu: 5, serial: 0xa5 };
        assert_eq!((setting.pack(), FlowSetting::unpack(0xa553)), (0xa553, setting));
        assert_eq!((FlowSetting::default().pack(), FlowSetting::BITS), (0, 0xff73));
    }

    #[test]
    fn a_calendar_entry_packs_into_its_words() {
        let entry = CalendarEntry { budget: 77, slots: 65536 };
        assert_eq!((entry.pack(), CalendarEntry::unpack(&[77, 0xffff])), ([77, 0xffff], entry));
        assert_eq!(CalendarEntry { budget: 1, slots: 1 }.pack(), [1, 0]);
        assert_eq!((CalendarEntry::word(1, 0), CalendarEntry::word(15, 255)), (512, 8190));
    }
}
