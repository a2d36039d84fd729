//! The destinations of the baselines, elements of the simulation: they tell their sources' lines to stop, or how fast to
//! go, and are heard a line's delay later. No gateway takes part.

use crate::net::gateway::bifrost;
use crate::scenario::{Scenario, Scheme};
use matchrdma_model::ledger::Ledger;

/// What the line of a source is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// To stop behind the frame that has begun, or to go on.
    Stop(bool),
    /// To carry so many bits per second.
    Rate(u64),
}

/// A destination that slows its sources.
#[derive(Clone, Debug)]
pub enum Far {
    /// By PFC, all of them.
    Pfc(FarPfc),
    /// By rates, each of them.
    Bifrost(Bifrost),
}

impl Far {
    /// That of a scheme, if it has one.
    pub fn new(s: &Scenario, kind: Scheme) -> Option<Self> {
        if kind == Scheme::Bifrost {
            return Some(Far::Bifrost(Bifrost::new(s)));
        }
        kind.far_pfc_part().map(|part| Far::Pfc(FarPfc::new(s.product_bytes() / part)))
    }

    /// A cycle is over in which so many bytes of each source wait. What is said now, and to which source.
    pub fn look(&mut self, waits: &[u64], now: u64) -> Vec<(usize, Told)> {
        match self {
            Far::Pfc(pfc) => {
                let stop = pfc.look(waits.iter().sum());
                stop.map_or(vec![], |stop| (0..waits.len()).map(|n| (n, Told::Stop(stop))).collect())
            }
            Far::Bifrost(bifrost) => bifrost.look(waits, now),
        }
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

/// Tells each source once per slot what of its share of the reserve neither waits nor is under way. The reserve is a
/// bandwidth-delay product and two slots.
#[derive(Clone, Debug)]
pub struct Bifrost {
    granted: Vec<Ledger>,
    /// From a grant to the bytes that were sent on it, cycles.
    loops: Vec<u64>,
    share: u64,
    line: u64,
    slot_cycles: u64,
    clock_hz: u64,
}

impl Bifrost {
    /// Nothing is granted yet.
    pub fn new(s: &Scenario) -> Self {
        let (sources, line) = (s.source_count(), s.line_slot_bytes());
        Bifrost {
            granted: vec![Ledger::default(); sources],
            loops: (0..sources).map(|n| 2 * s.cycles(s.source(n).one_way_delay_us)).collect(),
            share: (s.product_bytes() + 2 * line) / sources as u64,
            line,
            slot_cycles: 1 << s.slot_log2_cycles,
            clock_hz: s.clock_hz,
        }
    }

    fn look(&mut self, waits: &[u64], now: u64) -> Vec<(usize, Told)> {
        if !now.is_multiple_of(self.slot_cycles) {
            return vec![];
        }
        let mut told = vec![];
        for (n, granted) in self.granted.iter_mut().enumerate() {
            // What comes now was sent on the grant of so long ago.
            let echo = now.saturating_sub(self.loops[n]) / self.slot_cycles;
            let grant = bifrost(granted, self.share, self.line, waits[n], echo);
            let bits = u128::from(grant) * 8 * u128::from(self.clock_hz);
            told.push((n, Told::Rate((bits / u128::from(self.slot_cycles)) as u64)));
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stops_once_and_lets_go_once() {
        let mut pfc = FarPfc::new(100 << 10);
        let said: Vec<_> = [0, 99, 100, 120, 90, 85, 84, 83, 50].into_iter().map(|kib| pfc.look(kib << 10)).collect();
        assert_eq!(said, [None, None, Some(true), None, None, None, None, Some(false), None]);
    }

    #[test]
    fn what_waits_and_what_is_under_way_is_not_granted_again() {
        let mut far = Bifrost {
            granted: vec![Ledger::default()],
            loops: vec![400],
            share: 500,
            line: 100,
            slot_cycles: 100,
            clock_hz: 1000,
        };
        let mut bytes = |waits: u64, now: u64| match far.look(&[waits], now).as_slice() {
            [(0, Told::Rate(bps))] => bps * 100 / 1000 / 8,
            _ => 0,
        };
        let got: Vec<u64> = (0..12).map(|slot| bytes(0, slot * 100)).collect();
        // Four slots are under way for ever.
        assert_eq!(got, [100; 12]);
        assert_eq!([bytes(0, 1150), bytes(60, 1200), bytes(300, 1300), bytes(300, 1400)], [0, 40, 0, 0]);
        assert_eq!([bytes(300, 1500), bytes(300, 1600), bytes(300, 1700)], [60, 100, 40]);
    }
}
