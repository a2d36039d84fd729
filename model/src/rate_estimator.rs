//! Budget 1 of 4: **rate_estimator**. From the client port's drain, to [`reservoir`](crate::reservoir).
//!
//! In, once per slot: what left, and whether the port was backlogged. Out: `est`, what the port drains, and `hi`, how
//! high it has lately been; bytes per slot, the lossless class only.
//! All is integer; `>>` is arithmetic. Values stay within 0..=`line`, and fit 33 bits.

/// Constants of the law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EstimatorCfg {
    /// Rate of the port, bytes per slot.
    pub line: i64,
    /// Gain of the average: `2^-a`.
    pub a: u32,
    /// Rise while the port is not backlogged and something waits at a source: `line >> p` per slot.
    pub p: u32,
    /// Cut at a CNP of the local data centre: `2^-c`.
    pub c: u32,
    /// Leak of the peak: `2^-h` per slot.
    pub h: u32,
}

/// What a slot was like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// Bytes of the lossless class that left the port.
    pub drained: u32,
    /// Bytes of everything else that left the port.
    pub other: u32,
    /// The port was backlogged (a paused queue with frames counts) for at least 7/8 of the slot.
    pub backlogged: bool,
    /// Some source has frames waiting.
    pub waits: bool,
    /// A CNP came from the local data centre.
    pub cnp: bool,
    /// The longest loop of all paths, slots.
    pub longest: u32,
}

/// The estimator of one port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateEstimator {
    cfg: EstimatorCfg,
    est: i64,
    fast: i64,
    dev: i64,
    hi: i64,
    oth: i64,
    /// Slots for which `est` may not rise and CNPs are not heard.
    held: u32,
}

impl RateEstimator {
    /// Assumes the whole port until something else is seen.
    pub fn new(cfg: EstimatorCfg) -> Self {
        RateEstimator { cfg, est: cfg.line, fast: cfg.line, dev: 0, hi: cfg.line, oth: 0, held: 0 }
    }

    /// Other constants from now on.
    pub fn set(&mut self, cfg: EstimatorCfg) {
        self.cfg = cfg;
    }

    /// The end of a slot.
    pub fn slot(&mut self, s: Slot) {
        let EstimatorCfg { line, a, p, c, h } = self.cfg;
        let x = i64::from(s.drained);
        let before = self.est;
        if s.backlogged {
            let err = x - self.est;
            self.fast += (x - self.fast) >> 1;
            self.dev += (err.abs() - self.dev) >> 5;
            let jump = (self.fast - self.est).abs() > 2 * self.dev + (line >> 6);
            self.est = if jump { self.fast } else { self.est + (err >> a) };
        } else {
            // What left measures the demand, not the capacity: it can only be a lower bound.
            let top = self.est.max(x);
            self.est = if s.waits { top + (line >> p) } else { top };
        }
        self.est = self.est.clamp(0, line);
        if self.held > 0 {
            self.held -= 1;
            self.est = self.est.min(before);
        } else if s.cnp {
            self.est -= self.est >> c;
            self.held = s.longest;
        }
        if !s.backlogged || self.held > 0 {
            self.fast = self.est;
        }
        self.hi = self.est.max(self.hi - ((self.hi - self.est) >> h));
        self.oth += (i64::from(s.other) - self.oth) >> 2;
    }

    /// What the port drains, bytes per slot.
    pub fn est(&self) -> i64 {
        (self.est - self.oth).max(0)
    }

    /// How high it has lately been, bytes per slot.
    pub fn hi(&self) -> i64 {
        (self.hi - self.oth).max(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: i64 = 1_638_400;

    fn new() -> RateEstimator {
        RateEstimator::new(EstimatorCfg { line: LINE, a: 4, p: 4, c: 3, h: 9 })
    }

    fn full(drained: i64) -> Slot {
        Slot { drained: drained as u32, backlogged: true, waits: true, longest: 40, ..Slot::default() }
    }

    #[test]
    fn a_step_down_is_known_within_eight_slots() {
        let mut e = new();
        (0..8).for_each(|_| e.slot(full(LINE / 2)));
        assert!((e.est() - LINE / 2).abs() <= LINE / 32, "{}", e.est());
        assert!(e.hi() > LINE * 9 / 10, "the peak is remembered");
        (0..4000).for_each(|_| e.slot(full(LINE / 2)));
        assert!(e.hi() - e.est() <= LINE / 1000 + 512, "and leaks");
    }

    #[test]
    fn noise_is_averaged() {
        let mut e = new();
        let mut seed = 1u32;
        let mut worst = 0;
        for i in 0..4000 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let noise = i64::from(seed >> 8) * (LINE / 4) / (1 << 24) - LINE / 8;
            e.slot(full(LINE * 6 / 10 + noise));
            if i > 1000 {
                worst = worst.max((e.est() - LINE * 6 / 10).abs());
            }
        }
        assert!(worst < LINE / 8, "{worst}");
    }

    #[test]
    fn without_a_backlog_it_rises_only_when_something_waits() {
        let mut e = new();
        (0..200).for_each(|_| e.slot(full(LINE / 4)));
        let low = e.est();
        e.slot(Slot { drained: 10, ..Slot::default() });
        assert_eq!(e.est(), low);
        e.slot(Slot { drained: 10, waits: true, ..Slot::default() });
        assert_eq!(e.est(), low + (LINE >> 4));
        (0..20).for_each(|_| e.slot(Slot { waits: true, ..Slot::default() }));
        assert_eq!(e.est(), LINE);
    }

    #[test]
    fn a_cnp_cuts_once_per_loop() {
        let mut e = new();
        (0..8).for_each(|_| e.slot(Slot { cnp: true, ..full(LINE) }));
        assert_eq!(e.est(), LINE - (LINE >> 3));
        (0..33).for_each(|_| e.slot(full(LINE)));
        assert_eq!(e.est(), LINE - (LINE >> 3), "held for a loop of 40 slots");
        (0..100).for_each(|_| e.slot(full(LINE)));
        assert!(e.est() > LINE - LINE / 100, "and may rise after it");
    }

    #[test]
    fn other_traffic_is_taken_off() {
        let mut e = new();
        (0..100).for_each(|_| e.slot(Slot { other: 1000, ..full(LINE) }));
        assert!((LINE - e.est() - 1000).abs() < 4, "{}", e.est());
    }
}
