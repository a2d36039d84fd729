//! Budget, inside 2: **ledger**. What was granted to a path and has not come back as spent.
//!
//! Grants are kept as running totals, so that what is in flight is one subtraction; limits as a queue whose values fall
//! from front to back, so that the largest still in force is one look.

use std::collections::VecDeque;

/// Slots that the ledger looks back.
pub const SLOTS: u64 = 2047;
/// Limits that it remembers. When more fall in a row, the last takes the place of those that follow, and stays as high
/// as it was: more counts as under way than is, never less.
pub const LIMITS: usize = 255;

/// The ledger of one path. Slots are numbered from 0; nothing was granted before slot 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Total of all grants before slot `first + i`, for each i.
    totals: VecDeque<u64>,
    /// Slot of the front of `totals`.
    first: u64,
    /// (slot, limit): limits not surpassed by a later one.
    limits: VecDeque<(u64, u64)>,
    total: u64,
}

impl Ledger {
    /// The slot that is granted next.
    pub fn next_slot(&self) -> u64 {
        self.first + self.totals.len() as u64
    }

    /// Grants of slots from `echo` on that were made already, bytes. `None` when `echo` lies beyond the ledger.
    pub fn in_flight(&self, echo: u64) -> Option<u64> {
        if echo >= self.next_slot() {
            return Some(0);
        }
        let at = echo.checked_sub(self.first)?;
        Some(self.total - self.totals[at as usize])
    }

    /// The largest limit of slots from `echo` on, 0 when there is none.
    pub fn largest_limit(&mut self, echo: u64) -> u64 {
        while self.limits.front().is_some_and(|(slot, _)| *slot < echo) {
            self.limits.pop_front();
        }
        self.limits.front().map_or(0, |(_, limit)| *limit)
    }

    /// Limits that are remembered.
    pub fn limits(&self) -> usize {
        self.limits.len()
    }

    /// Notes the grant and the limit of the next slot.
    pub fn note(&mut self, grant: u64, limit: u64) {
        let slot = self.next_slot();
        self.totals.push_back(self.total);
        self.total += grant;
        if self.totals.len() as u64 > SLOTS {
            self.totals.pop_front();
            self.first += 1;
        }
        while self.limits.back().is_some_and(|(_, l)| *l <= limit) {
            self.limits.pop_back();
        }
        let full = self.limits.len() == LIMITS;
        match self.limits.back_mut() {
            Some(last) if full => last.0 = slot,
            _ => self.limits.push_back((slot, limit)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_that_fall_for_long_count_for_more_than_they_are() {
        let mut ledger = Ledger::default();
        let high = 1000 + LIMITS as u64;
        (0..400).for_each(|slot| ledger.note(0, high - slot));
        assert_eq!(ledger.largest_limit(100), high - 100);
        // Those from the 255th on are one, which counts as the highest of them and as the newest.
        assert_eq!([ledger.largest_limit(253), ledger.largest_limit(255)], [high - 253, high - 254]);
        assert_eq!([ledger.largest_limit(399), ledger.largest_limit(400)], [high - 254, 0]);
        ledger.note(0, 7);
        assert_eq!(ledger.largest_limit(400), 7);
    }

    #[test]
    fn it_tells_what_a_plain_list_tells() {
        let mut ledger = Ledger::default();
        let (mut grants, mut limits) = (vec![], vec![]);
        let (mut seed, mut echo) = (3u32, 0u64);
        for slot in 0..6000u64 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // The echo goes forward in steps, and now and then lags behind.
            if seed >> 28 > 3 {
                echo = slot.min(echo + u64::from(seed >> 20) % 5);
            }
            let known = slot - echo <= SLOTS;
            let want: u64 = grants.iter().skip(echo as usize).sum();
            assert_eq!(ledger.in_flight(echo), known.then_some(want), "slot {slot} echo {echo}");
            let most = limits.iter().skip(echo as usize).copied().max().unwrap_or(0);
            assert_eq!(ledger.largest_limit(echo), most);
            assert_eq!(ledger.next_slot(), slot);
            let (grant, limit) = (u64::from(seed >> 12), slot * 1000 + u64::from(seed >> 16));
            grants.push(grant);
            limits.push(limit);
            ledger.note(grant, limit);
        }
        // Nothing heard for longer than the ledger.
        (0..3000).for_each(|_| ledger.note(1, 0));
        assert_eq!(ledger.in_flight(echo), None);
    }
}
