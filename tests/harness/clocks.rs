//! Clocks that have nothing to do with each other.

use super::Random;

/// `N` clocks by their periods in femtoseconds. An edge is placed up to `JITTER_FS` from where it belongs, so that phases
/// meet in every order.
pub struct Clocks<const N: usize> {
    periods: [u64; N],
    ideal: [u64; N],
    next: [u64; N],
    stands: [bool; N],
    state: u64,
}

/// Of an edge, either way.
const JITTER_FS: u64 = 100_000;

impl<const N: usize> Clocks<N> {
    /// With random phases.
    pub fn new(periods: [u64; N], random: &mut Random) -> Self {
        let ideal = periods.map(|p| JITTER_FS + random.below(p));
        Clocks { periods, ideal, next: ideal, stands: [false; N], state: random.u64() | 1 }
    }

    /// Stops a clock, or lets it go on.
    pub fn stand(&mut self, clock: usize, stands: bool) {
        self.stands[clock] = stands;
    }

    /// Which clock rises next.
    pub fn next(&mut self) -> usize {
        loop {
            let clock = (0..N).min_by_key(|c| self.next[*c]).expect("there are clocks");
            self.state ^= self.state << 13;
            self.state ^= self.state >> 7;
            self.state ^= self.state << 17;
            self.ideal[clock] += self.periods[clock];
            self.next[clock] = self.ideal[clock] - JITTER_FS + self.state % (2 * JITTER_FS + 1);
            if !self.stands[clock] {
                return clock;
            }
        }
    }
}
