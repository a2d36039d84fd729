//! Calendars: from rates over time, as a host knows them, to the entries of a path, slot by slot.
//!
//! Pure: what comes out goes into [`Mirror`](crate::tables::Mirror). Of a slot in which the rate changes the entry is what
//! the parts make together, so a calendar is as exact as the host knows when the gateway's slots begin.

use matchrdma_spec::params::CALENDAR_ENTRIES;
use matchrdma_spec::regs::entry::{CalendarEntry, CALENDAR_REPEAT};
use std::fmt;

/// A gateway's slots, beside the host's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slots {
    /// A slot that the host saw begin, as `RATE_SLOT` numbers it,
    pub number: u32,
    /// and when that was, ps.
    pub began_ps: u64,
    /// Length of a slot, ps.
    pub length_ps: u64,
}

impl Slots {
    /// When a slot begins, ps; the numbers may wrap between the two.
    pub fn begins_ps(&self, number: u32) -> i128 {
        let slots = number.wrapping_sub(self.number) as i32;
        i128::from(self.began_ps) + i128::from(slots) * i128::from(self.length_ps)
    }
}

/// The rates change in too many slots: so many entries would be needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong(pub usize);

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a calendar of {} entries: expected at most {CALENDAR_ENTRIES}", self.0)
    }
}

impl std::error::Error for TooLong {}

/// The entries of `count` slots from `first` on. `rates`: from when on (ps), bits per second, ascending; before the
/// first there is none. All of them act `later_ps` later: less than 0 for the calendar of a source, by the time from
/// there to where the rates are.
pub fn entries(
    rates: &[(u64, u64)],
    slots: &Slots,
    first: u32,
    count: u32,
    later_ps: i64,
) -> Result<Vec<CalendarEntry>, TooLong> {
    let ends = rates.iter().skip(1).map(|(at, _)| i128::from(*at)).chain([i128::MAX]);
    let spans: Vec<_> = rates.iter().zip(ends).map(|((at, bps), end)| (i128::from(*at), end, *bps)).collect();
    let mut out: Vec<CalendarEntry> = vec![];
    for n in 0..count {
        let begins = slots.begins_ps(first.wrapping_add(n)) - i128::from(later_ps);
        let ends = begins + i128::from(slots.length_ps);
        let bit_ps: i128 =
            spans.iter().map(|(at, end, bps)| overlap((begins, ends), (*at, *end)) * i128::from(*bps)).sum();
        let budget = (bit_ps / 8_000_000_000_000) as u32;
        match out.last_mut() {
            Some(last) if last.budget == budget && last.slots <= CALENDAR_REPEAT.max() => last.slots += 1,
            _ => out.push(CalendarEntry { budget, slots: 1 }),
        }
    }
    if out.len() > CALENDAR_ENTRIES {
        Err(TooLong(out.len()))
    } else {
        Ok(out)
    }
}

fn overlap(a: (i128, i128), b: (i128, i128)) -> i128 {
    (a.1.min(b.1) - a.0.max(b.0)).max(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOTS: Slots = Slots { number: u32::MAX, began_ps: 1_000_000, length_ps: 8_000_000 };

    fn budgets(rates: &[(u64, u64)], first: u32, count: u32, later_ps: i64) -> Vec<(u32, u32)> {
        entries(rates, &SLOTS, first, count, later_ps)
            .expect("few entries")
            .iter()
            .map(|e| (e.budget, e.slots))
            .collect()
    }

    #[test]
    fn a_slot_in_which_the_rate_changes_has_a_part_of_each() {
        // 8 us of 8 Gb/s are 8,000 bytes. Slot 0 begins at 9 us; the rate falls a quarter of slot 2 late.
        let rates = [(0, 8_000_000_000), (27_000_000, 4_000_000_000)];
        assert_eq!(budgets(&rates, 0, 6, 0), [(8000, 2), (5000, 1), (4000, 3)]);
        // Two slots and a quarter late; a quarter early; before the first rate there is nothing.
        assert_eq!(budgets(&rates, 0, 6, 18_000_000), [(0, 1), (7000, 1), (8000, 2), (6000, 1), (4000, 1)]);
        assert_eq!(budgets(&rates, 0, 6, -2_000_000), [(8000, 2), (4000, 4)]);
        assert_eq!(budgets(&rates, u32::MAX, 2, 0), [(8000, 2)], "slots wrap");
        assert_eq!(SLOTS.begins_ps(u32::MAX - 1), -7_000_000, "before the one that was seen");
    }

    #[test]
    fn an_entry_holds_for_65536_slots_and_a_calendar_has_256() {
        assert_eq!(budgets(&[(0, 8_000_000_000)], 0, 65_537, 0), [(8000, 65_536), (8000, 1)]);
        let each = |n: u64| (9_000_000 + 8_000_000 * n, 1_000_000_000 * (1 + n % 2));
        let rates: Vec<_> = (0..257).map(each).collect();
        assert_eq!(entries(&rates, &SLOTS, 0, 256, 0).map(|e| e.len()), Ok(256));
        let error = entries(&rates, &SLOTS, 0, 257, 0).expect_err("one too many");
        assert_eq!(error.to_string(), "a calendar of 257 entries: expected at most 256");
    }
}
