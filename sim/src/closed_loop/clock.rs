//! Clocks that differ.

/// Cycles of one clock beside those of the run.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    milli_hz: u64,
    of: u64,
    phase: u64,
}

impl Clock {
    /// A clock of `hz` beside one of `base_hz`.
    pub fn new(hz: f64, base_hz: u64) -> Self {
        Clock { milli_hz: (hz * 1000.0).round() as u64, of: base_hz * 1000, phase: 0 }
    }

    /// Its frequency, Hz.
    pub fn hz(&self) -> u64 {
        self.milli_hz / 1000
    }

    /// Its cycles in the next cycle of the run.
    pub fn ticks(&mut self) -> u64 {
        self.phase += self.milli_hz;
        let ticks = self.phase / self.of;
        self.phase %= self.of;
        ticks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_keep_their_ratio_for_ever() {
        for (hz, base) in [(322_265_625.0, 250_000_000), (250_025_000.0, 250_000_000), (249_975_000.0, 250_000_000)] {
            let mut clock = Clock::new(hz, base);
            let ticks: u64 = (0..10_000_000).map(|_| clock.ticks()).sum();
            assert!((ticks as f64 - hz / base as f64 * 1e7).abs() <= 1.0, "{hz}: {ticks}");
        }
    }
}
