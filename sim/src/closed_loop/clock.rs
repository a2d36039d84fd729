//! Clocks that differ, and the destination of the baseline, which stops its sources.

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

/// Stops the sources when so many bytes wait, and lets them go when a few frames less do.
#[derive(Clone, Copy, Debug)]
pub struct FarPfc {
    on: u64,
    off: u64,
    stopped: bool,
}

impl FarPfc {
    /// Bytes between stopping and letting go.
    const HYSTERESIS_BYTES: u64 = 16 << 10;

    /// Stops at so many bytes.
    pub fn new(on: u64) -> Self {
        FarPfc { on, off: on.saturating_sub(Self::HYSTERESIS_BYTES), stopped: false }
    }

    /// So many wait: says whether to stop, when that has changed.
    pub fn look(&mut self, bytes: u64) -> Option<bool> {
        let stop = bytes >= if self.stopped { self.off } else { self.on };
        (stop != std::mem::replace(&mut self.stopped, stop)).then_some(stop)
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

    #[test]
    fn it_stops_once_and_lets_go_once() {
        let mut pfc = FarPfc::new(100 << 10);
        let said: Vec<_> = [0, 99, 100, 120, 90, 85, 84, 83, 50].into_iter().map(|kib| pfc.look(kib << 10)).collect();
        assert_eq!(said, [None, None, Some(true), None, None, None, None, Some(false), None]);
    }
}
