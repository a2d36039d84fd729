//! Budget 2 of 4: **reservoir**. From [`rate_estimator`](crate::rate_estimator), to the budget frames.
//!
//! In, once per slot: the estimate, and per path what has arrived, what waits here, and what its source last said.
//! Out: per path a grant (bytes of one slot) and a limit (total that its source may ever have sent).
//!
//! A delayed reservoir: the level now, plus what was granted and is still on its way, less what drains meanwhile,
//! should come out at one slot's share and a reserve that remembers how high the drain has been.
//! Nothing overflows by the limit, not by the prediction: each raise of a limit is taken from the room there is.

use crate::forecast::Outlook;
use crate::ledger::Ledger;
use crate::sharing::{by_weight, shares, Claim};

/// Constants of the law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReservoirCfg {
    /// Rate of the port, bytes per slot.
    pub line: i64,
    /// Bytes of the buffer.
    pub capacity: i64,
    /// What a path gets in any case, bytes per slot.
    pub floor: i64,
    /// How fast a deviation is made good: `2^-tau` per slot.
    pub tau: u32,
}

/// A longer loop counts as this, slots. The ledger looks back half as far.
const LONGEST: u64 = 4095;
/// With an outlook: how fast a deviation is made good.
const OUTLOOK_TAU: u32 = 3;

/// A path in one slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathSlot {
    /// In live mode, with a peer.
    pub live: bool,
    /// Weight.
    pub weight: u8,
    /// Total of bytes that came, or were lost on the line.
    pub arrived: u64,
    /// Bytes that wait here.
    pub occupancy: u64,
    /// Bytes that wait at the source, as it last said.
    pub waiting: u64,
    /// Newest of our slots that the source had applied when it last said something.
    pub echo: u64,
    /// What the port will drain of it, when the host has said so: that stands in for its share, without a reserve.
    pub outlook: Option<Outlook>,
}

/// What a path may send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Bytes of one slot.
    pub grant: u32,
    /// Total of bytes that its source may ever have sent.
    pub limit: u64,
}

#[derive(Clone, Debug, Default)]
struct Path {
    ledger: Ledger,
    arrived_before: u64,
    demand: i64,
    /// Its loop as it was used last.
    loops: i64,
}

/// The law for `N` paths to one port.
#[derive(Clone, Debug)]
pub struct Reservoir<const N: usize> {
    cfg: ReservoirCfg,
    slot: u64,
    paths: [Path; N],
}

impl<const N: usize> Reservoir<N> {
    /// Nothing was granted yet.
    pub fn new(cfg: ReservoirCfg) -> Self {
        let path = Path { demand: cfg.line, ..Path::default() };
        Reservoir { cfg, slot: 0, paths: core::array::from_fn(|_| path.clone()) }
    }

    /// Other constants from now on.
    pub fn set(&mut self, cfg: ReservoirCfg) {
        self.cfg = cfg;
    }

    /// The slot that is granted next.
    pub fn slot(&self) -> u64 {
        self.slot
    }

    /// Slots since the newest that a path's source had applied: the loop as it is, as far as it counts.
    pub fn loop_slots(&self, echo: u64) -> u64 {
        self.slot.saturating_sub(echo).min(LONGEST)
    }

    /// A path's loop as the law last used it; 0 before the first slot.
    pub fn last_loop(&self, path: usize) -> i64 {
        self.paths[path].loops
    }

    /// A path's far gateway begins a new session: nothing came yet, and nobody knows what it asks for.
    ///
    /// Grants of before count no longer when from now on its `echo` is at least the slot that is granted next.
    pub fn forget(&mut self, path: usize) {
        (self.paths[path].arrived_before, self.paths[path].demand) = (0, self.cfg.line);
    }

    /// The end of a slot: what each path may send. `est` and `hi` are the estimator's, of this slot.
    pub fn grant(&mut self, est: i64, hi: i64, seen: &[PathSlot; N]) -> [Budget; N] {
        let ReservoirCfg { line, capacity, floor, tau } = self.cfg;
        for (path, s) in self.paths.iter_mut().zip(seen) {
            let came = s.arrived.wrapping_sub(path.arrived_before) as i64;
            path.arrived_before = s.arrived;
            path.demand += (came - path.demand) >> 2;
        }
        let waits = seen.map(|s| s.live && s.waiting > 0);
        let any = waits.contains(&true);
        let weight = seen.map(|s| if s.live { i64::from(s.weight) } else { 0 });
        let claims: [Claim; N] = core::array::from_fn(|i| Claim {
            weight: weight[i],
            demand: if waits[i] { line } else { self.paths[i].demand.clamp(0, line) },
        });
        let share = shares(&claims, est, line, !any);
        let share_hi = shares(&claims, hi, line, !any);
        let loops: [i64; N] = core::array::from_fn(|i| self.loop_slots(seen[i].echo) as i64);
        self.paths.iter_mut().zip(loops).for_each(|(path, slots)| path.loops = slots);
        let reserve_all = (0..N).map(|i| (share_hi[i] - share[i]).max(0) * loops[i]).sum();
        let marked = core::array::from_fn(|i| seen[i].live && (waits[i] || !any));
        let reserve = by_weight(weight, marked, reserve_all);

        let largest: [u64; N] = core::array::from_fn(|i| self.paths[i].ledger.largest_limit(seen[i].echo));
        let held = |i: usize| seen[i].occupancy as i64 + (largest[i] as i64 - seen[i].arrived as i64).max(0);
        let mut room = capacity - (0..N).map(held).sum::<i64>();
        let mut out = [Budget::default(); N];
        // Paths take their raise in turn, another one first in each slot.
        for k in 0..N {
            let i = (k + self.slot as usize) % N;
            let s = &seen[i];
            if !s.live {
                self.paths[i].ledger.note(0, 0);
                continue;
            }
            let in_flight = self.paths[i].ledger.in_flight(s.echo);
            let grant = match (in_flight, s.outlook) {
                (None, _) => floor,
                (Some(f), Some(Outlook { ahead, sum, distance, error })) => {
                    // What it will drain while all that is under way comes, and then.
                    let meanwhile = (sum + (loops[i] - distance) * ahead + error * loops[i]).max(0);
                    let predicted = s.occupancy as i64 + f as i64 - meanwhile;
                    // A quarter of a slot may wait, so that the port is never without.
                    ((ahead + error).clamp(0, line) + (((line >> 2) - predicted) >> OUTLOOK_TAU)).clamp(floor, line)
                }
                (Some(f), None) => {
                    let target = if est >= line { 0 } else { share[i] };
                    let predicted = s.occupancy as i64 + f as i64 - share[i] * loops[i];
                    let g = (share[i] + ((target + reserve[i] - predicted) >> tau)).clamp(floor, line);
                    if any && !waits[i] {
                        // It has nothing to send now: enough to begin with, and what it had.
                        g.max((claims[i].demand + (claims[i].demand >> 3)).min(line))
                    } else {
                        g
                    }
                }
            };
            let base = (largest[i]).max(s.arrived);
            let wanted = s.arrived + in_flight.unwrap_or(0) + 5 * grant as u64;
            let limit = wanted.min(base + room.max(0) as u64);
            room -= limit.saturating_sub(base) as i64;
            self.paths[i].ledger.note(grant as u64, limit);
            out[i] = Budget { grant: grant as u32, limit };
        }
        self.slot += 1;
        out
    }
}

#[cfg(test)]
#[path = "reservoir_tests.rs"]
mod tests;
