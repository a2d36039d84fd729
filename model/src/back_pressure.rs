//! Outbound, beside 5: **back_pressure**. From packet memory's levels, to `pseudo_ack` (notifications), `pfc`, and the
//! clearing of ECN.
//!
//! In: what each path holds, and its thresholds. Out: who is over which, with hysteresis.
//! Gates: `hdl/src/outbound/back_pressure.rs`. Registers: path settings, `PFC_OVER`.

use matchrdma_spec::params::PATHS;

/// When a path is over: from `on` bytes up, until it holds no more than `off`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Threshold {
    /// Bytes; 0: never.
    pub on: u32,
    /// Bytes.
    pub off: u32,
}

impl Threshold {
    fn over(&self, bytes: u64, was: bool) -> bool {
        self.on > 0 && (bytes >= self.on.into() || was && bytes > self.off.into())
    }
}

/// Thresholds of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Thresholds {
    /// For notifications to senders.
    pub cnp: Threshold,
    /// For PFC.
    pub pfc: Threshold,
    /// Over the first, frames lose their ECN.
    pub ecn_clear: bool,
}

/// Who is over which threshold.
#[derive(Clone, Copy, Debug, Default)]
pub struct BackPressure {
    paths: [Thresholds; PATHS],
    cnp: [bool; PATHS],
    pfc: [bool; PATHS],
}

impl BackPressure {
    /// No thresholds.
    pub fn new() -> Self {
        BackPressure::default()
    }

    /// The host set a path's thresholds; they count when it is looked at next.
    pub fn set(&mut self, path: usize, thresholds: Thresholds) {
        self.paths[path] = thresholds;
    }

    /// A path holds so many bytes.
    pub fn look(&mut self, path: usize, bytes: u64) {
        let Thresholds { cnp, pfc, .. } = self.paths[path];
        self.cnp[path] = cnp.over(bytes, self.cnp[path]);
        self.pfc[path] = pfc.over(bytes, self.pfc[path]);
    }

    /// Senders on this queue are to be notified.
    pub fn notifies(&self, queue: usize) -> bool {
        queue < PATHS && self.cnp[queue]
    }

    /// Frames to this queue lose their ECN.
    pub fn clears_ecn(&self, queue: usize) -> bool {
        self.notifies(queue) && self.paths[queue].ecn_clear
    }

    /// Some path is over its threshold for PFC.
    pub fn over(&self) -> bool {
        self.pfc.contains(&true)
    }

    /// Bit n: path n, for notifications; for PFC.
    pub fn levels(&self) -> (u16, u16) {
        let bits = |levels: &[bool; PATHS]| levels.iter().rev().fold(0, |bits, &on| bits << 1 | u16::from(on));
        (bits(&self.cnp), bits(&self.pfc))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_over_from_one_threshold_to_the_other() {
        let mut b = BackPressure::new();
        b.set(3, Thresholds { cnp: Threshold { on: 1000, off: 400 }, ..Thresholds::default() });
        let seen: Vec<bool> = [999, 1000, 401, 999, 400, 401, 2000, 0]
            .into_iter()
            .map(|bytes| {
                b.look(3, bytes);
                b.notifies(3)
            })
            .collect();
        assert_eq!(seen, [false, true, true, true, false, false, true, false]);
        assert!(!b.over());
    }

    #[test]
    fn zero_is_never_and_the_bypass_queue_is_nobodys_path() {
        let mut b = BackPressure::new();
        b.look(0, u64::MAX);
        assert!(!b.notifies(0) && !b.over() && !b.notifies(16));
        b.set(15, Thresholds { pfc: Threshold { on: 1, off: 0 }, ecn_clear: true, ..Thresholds::default() });
        b.look(15, 64);
        assert!(b.over() && !b.clears_ecn(15));
        assert_eq!(b.levels(), (0, 1 << 15));
        b.set(15, Thresholds { cnp: Threshold { on: 1, off: 0 }, ecn_clear: true, ..Thresholds::default() });
        b.look(15, 64);
        assert!(!b.over() && b.clears_ecn(15), "a threshold that went away");
    }
}
