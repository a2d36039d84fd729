//! Inbound, beside 5: **drain**. From the client port, to the budget rail's estimator.
//!
//! In: what leaves the port, beat by beat or frame by frame, and what waits. Out, per slot: how much left, and whether
//! something waited all along. Gates: `hdl/src/inbound/drain.rs`. Register: `PACER_OVERHEAD`.

use matchrdma_spec::params::OVERHEAD_BYTES;

/// What the client port did in a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drained {
    /// Bytes of lossless frames of paths, overheads included.
    pub drained: u64,
    /// Bytes of all else: the rest, the lossless class of no path, ACKs, PFC.
    pub other: u64,
    /// A lossless frame of a path waited, or was leaving, in at least 7/8 of the cycles; paused or not.
    pub backlogged: bool,
    /// Cycles in which the client had paused the lossless class.
    pub paused: u64,
}

/// Counts through a slot.
#[derive(Clone, Debug)]
pub struct Drain {
    overhead: u8,
    now: Drained,
    cycles: u64,
    idle: u64,
}

impl Default for Drain {
    fn default() -> Self {
        Drain { overhead: OVERHEAD_BYTES as u8, now: Drained::default(), cycles: 0, idle: 0 }
    }
}

impl Drain {
    /// Bytes that count with the last of each frame.
    pub fn set_overhead(&mut self, overhead: u8) {
        self.overhead = overhead;
    }

    /// So many bytes left, of a lossless frame of a path or of something else; the last of their frame or not.
    pub fn left(&mut self, of_path: bool, bytes: u64, last: bool) {
        let cost = bytes + if last { u64::from(self.overhead) } else { 0 };
        *(if of_path { &mut self.now.drained } else { &mut self.now.other }) += cost;
    }

    /// So many cycles went by, in which a lossless frame of a path waited or was leaving, and the client paused us, or not.
    pub fn cycles(&mut self, cycles: u64, backlog: bool, paused: bool) {
        self.cycles += cycles;
        self.idle += if backlog { 0 } else { cycles };
        self.now.paused += if paused { cycles } else { 0 };
    }

    /// The slot is over.
    pub fn slot(&mut self) -> Drained {
        let backlogged = 8 * self.idle <= self.cycles;
        (self.cycles, self.idle) = (0, 0);
        Drained { backlogged, ..std::mem::take(&mut self.now) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seven_eighths_of_a_slot_are_a_backlog() {
        let mut drain = Drain::default();
        for (idle, backlogged) in [(0, true), (128, true), (129, false), (1024, false)] {
            drain.cycles(1024 - idle, true, true);
            drain.cycles(idle, false, false);
            let slot = drain.slot();
            assert_eq!((slot.backlogged, slot.paused), (backlogged, 1024 - idle));
        }
    }

    #[test]
    fn a_frame_counts_beat_by_beat_and_costs_its_overhead_at_its_end() {
        let mut drain = Drain::default();
        drain.left(true, 64, false);
        assert_eq!(drain.slot().drained, 64);
        drain.left(true, 10, true);
        drain.left(false, 60, true);
        let slot = drain.slot();
        assert_eq!((slot.drained, slot.other), (10 + 24, 60 + 24));
        assert_eq!(drain.slot().drained, 0);
    }
}
