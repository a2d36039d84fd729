//! What a memory did.

use std::fmt;

/// Smallest, largest and mean of some numbers of cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// Smallest.
    pub min: u64,
    /// Largest.
    pub max: u64,
    sum: u64,
    count: u64,
}

impl Spread {
    /// One more.
    pub fn add(&mut self, value: u64) {
        self.min = if self.count == 0 { value } else { self.min.min(value) };
        self.max = self.max.max(value);
        self.sum += value;
        self.count += 1;
    }

    /// Mean; zero of none.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64
    }
}

/// Counts since reset. Index 0: writes, 1: reads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Cycles.
    pub cycles: u64,
    /// Beats moved.
    pub beats: [u64; 2],
    /// Bursts answered whole.
    pub bursts: [u64; 2],
    /// Those that ended in an error.
    pub failed: [u64; 2],
    /// From the address to the response, or to the last beat, cycles.
    pub latency: [Spread; 2],
    /// Cycles in which an address waited.
    pub waited: [u64; 2],
    /// Most bursts that were under way at once.
    pub most: [usize; 2],
    /// What the memory could have moved at best, bytes in a cycle.
    pub peak: f64,
}

impl Statistics {
    /// Beats moved in a cycle by one direction: 1 is the port's limit.
    pub fn per_cycle(&self, direction: usize) -> f64 {
        self.beats[direction] as f64 / self.cycles.max(1) as f64
    }

    /// Beats moved in a cycle over the two that could move.
    pub fn efficiency(&self) -> f64 {
        (self.per_cycle(0) + self.per_cycle(1)) / 2.0
    }

    /// Bytes moved over what the memory behind the port could have moved.
    pub fn used(&self) -> f64 {
        (self.per_cycle(0) + self.per_cycle(1)) * super::BEAT_BYTES as f64 / self.peak
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cycles, efficiency {:.3}, {:.3} of the memory", self.cycles, self.efficiency(), self.used())?;
        for (direction, name) in ["writes", "reads"].into_iter().enumerate() {
            let l = self.latency[direction];
            write!(
                f,
                "; {name}: {:.3} beats per cycle, {:.1} beats per burst, latency {} to {} (mean {:.0}) cycles, at most {} \
                 under way, address waited {} cycles, {} failed",
                self.per_cycle(direction),
                self.beats[direction] as f64 / self.bursts[direction].max(1) as f64,
                l.min,
                l.max,
                l.mean(),
                self.most[direction],
                self.waited[direction],
                self.failed[direction]
            )?;
        }
        Ok(())
    }
}
