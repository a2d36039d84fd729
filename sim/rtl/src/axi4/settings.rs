//! What kind of memory it is.

/// How often a channel is held up, in parts of 256 of the cycles, each channel by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stalls {
    /// `awready` low.
    pub aw: u8,
    /// `wready` low.
    pub w: u8,
    /// `arready` low.
    pub ar: u8,
    /// `bvalid` held back, though a response is due.
    pub b: u8,
    /// `rvalid` held back, though data is due.
    pub r: u8,
}

/// A memory behind the port. Times are in cycles of the port's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Channels, side by side; blocks of [`Settings::INTERLEAVE`] bytes go round them.
    pub channels: usize,
    /// What one channel moves in a cycle, reads and writes together, in 1/256 bytes.
    pub rate: u64,
    /// From the service of a read to its first beat: at least, and how much more at most.
    pub read_latency: [u64; 2],
    /// From the service of a write to its response, likewise.
    pub write_latency: [u64; 2],
    /// A channel does nothing for so long between reads and writes.
    pub turnaround: u64,
    /// Bursts of one direction that are served before the other has its turn.
    pub batch: u32,
    /// A channel does nothing for the second, out of each of the first: refresh. Zero is never.
    pub refresh: [u64; 2],
    /// Bursts of each direction that the memory takes before one is answered.
    pub outstanding: usize,
    /// Reads of different IDs come back in any order, their beats mixed; else as they were asked for.
    pub reorder: bool,
    /// Random pauses.
    pub stalls: Stalls,
    /// In parts of 2^16: bursts that end in SLVERR, writes and reads.
    pub errors: [u16; 2],
}

/// Cycles of a 250 MHz clock, of 4 ns, in so many ns.
const fn cycles(ns: u64) -> u64 {
    ns.div_ceil(4)
}

impl Settings {
    /// A block that lies in one channel, bytes.
    pub const INTERLEAVE: u64 = 1024;

    /// Four HBM2 pseudo-channels at 250 MHz: 14.4 GB/s each (256 bits at 450 MHz), refreshed for 350 ns every 3.9 us
    /// (AMD PG276). Idle reads are said to take 107 to 138 ns on a U280 (Wang et al., "Shuhai", FCCM 2020); 120 to 360 ns
    /// leaves as much again for a switch and for clock crossings. The turn-around is a guess, 20 ns.
    pub const fn hbm() -> Self {
        Settings {
            channels: 4,
            rate: 14_400 * 256 / 250,
            read_latency: [cycles(120), cycles(240)],
            write_latency: [cycles(80), cycles(160)],
            turnaround: cycles(20),
            batch: 4,
            refresh: [cycles(3900), cycles(350)],
            outstanding: 64,
            reorder: true,
            stalls: Stalls { aw: 8, w: 4, ar: 8, b: 8, r: 4 },
            errors: [0; 2],
        }
    }

    /// Two DDR4-2400 channels of 64 bits at 250 MHz: 19.2 GB/s each, refreshed for 350 ns (8 Gb) every 3.9 us (JEDEC
    /// JESD79-4, hot). Idle reads are said to take 73 to 107 ns (Shuhai, as above); 100 to 400 ns leaves room for a
    /// controller's queue and an interconnect. The turn-around is a guess, 20 ns; a controller gathers bursts before it turns.
    pub const fn ddr4() -> Self {
        Settings {
            channels: 2,
            rate: 19_200 * 256 / 250,
            read_latency: [cycles(100), cycles(300)],
            write_latency: [cycles(60), cycles(200)],
            turnaround: cycles(20),
            batch: 8,
            ..Settings::hbm()
        }
    }

    /// A memory that answers at once and never waits.
    pub const fn ideal() -> Self {
        Settings {
            channels: 1,
            rate: 256 * 256,
            read_latency: [2, 0],
            write_latency: [2, 0],
            turnaround: 0,
            refresh: [0; 2],
            reorder: false,
            stalls: Stalls { aw: 0, w: 0, ar: 0, b: 0, r: 0 },
            ..Settings::hbm()
        }
    }

    /// What it could move in a cycle at best, bytes.
    pub fn peak(&self) -> f64 {
        (self.rate * self.channels as u64) as f64 / 256.0
    }
}
