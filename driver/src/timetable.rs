//! Budgets over time: read from a CSV file or a configuration, and told in slots of this gateway.
//!
//! A file has a heading, `budget_gbps,duration_us` or `budget_bytes_per_slot,slots`, and a row for each entry. Slots of
//! another gateway, with another clock or another length, become ours: ends of entries are rounded to whole slots one by
//! one, so that no error adds up, and budgets are rounded down.

use crate::error::{Error, Kind, Result};
use matchrdma_spec::params::{slot_ps, CALENDAR_ENTRIES};
use matchrdma_spec::regs::entry::{CalendarEntry, CALENDAR_REPEAT};

/// A clock and a slot of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// A slot is 2^this cycles.
    pub log2_cycles: u32,
    /// Of a clock of so many Hz.
    pub clock_hz: u64,
}

/// Picoseconds of a second.
const SECOND_PS: u128 = 1_000_000_000_000;
/// Bits of a byte.
const BYTE: u128 = 8;
/// Most slots of one entry.
const MOST_SLOTS: u64 = CALENDAR_REPEAT.max() as u64 + 1;

impl Slot {
    /// Cycles of a slot.
    fn cycles(self) -> u128 {
        1 << self.log2_cycles
    }

    /// Length of a slot, ps, rounded down.
    pub fn ps(self) -> u64 {
        slot_ps(self.log2_cycles, self.clock_hz)
    }

    /// Bytes of a slot at a rate, rounded down; `None`: more than a word.
    pub fn bytes(self, rate: Rate) -> Option<u32> {
        u32::try_from(rate.bits * self.cycles() / (BYTE * rate.seconds * u128::from(self.clock_hz))).ok()
    }

    /// The rate that so many bytes of a slot are.
    pub fn rate(self, bytes: u32) -> Rate {
        Rate { bits: BYTE * u128::from(bytes) * u128::from(self.clock_hz), seconds: self.cycles() }
    }

    /// The whole slot that lies nearest to a time.
    fn nearest(self, ps: u128) -> u64 {
        let slot = SECOND_PS * self.cycles();
        ((ps * u128::from(self.clock_hz) + slot / 2) / slot) as u64
    }
}

/// A rate as a fraction, so that slots of two clocks convert without loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// So many bits
    pub bits: u128,
    /// in so many seconds.
    pub seconds: u128,
}

impl Rate {
    /// Of Gb/s.
    pub fn gbps(gbps: f64) -> Self {
        Rate { bits: (gbps.max(0.0) * 1e9).round() as u128, seconds: 1 }
    }

    /// In Gb/s.
    pub fn in_gbps(self) -> f64 {
        self.bits as f64 / self.seconds as f64 / 1e9
    }
}

/// A budget and how long it holds, and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Period {
    /// Budget.
    pub rate: Rate,
    /// How long, ps.
    pub ps: u128,
    /// Place of the budget in its file, and of how long it holds.
    pub places: [String; 2],
}

/// Picoseconds of a time in µs; `None`: no time.
pub fn us_to_ps(us: f64) -> Option<u128> {
    (us.is_finite() && us >= 0.0).then(|| (us * 1e6).round() as u128)
}

/// Reads a file. Slots in it are of `slot`.
pub fn read(name: &str, text: &str, slot: Slot) -> Result<Vec<Period>> {
    let place = |row: usize, column: usize| format!("{name}, row {row}, column {column}");
    let wrong = |row: usize, column: usize, expected: &str, found: &str| {
        let error = Error::new(Kind::Config, "reading a calendar").at(place(row, column));
        error.but(expected, format!("{found:?}")).so("correct the file and load it again")
    };
    let rows = text.lines().enumerate().map(|(n, line)| (n + 1, line.split('#').next().unwrap_or("").trim()));
    let mut rows = rows.filter(|(_, line)| !line.is_empty());
    let headings = "budget_gbps,duration_us or budget_bytes_per_slot,slots";
    let (row, heading) = rows.next().ok_or_else(|| wrong(1, 1, headings, ""))?;
    let in_slots = match heading.replace(' ', "").as_str() {
        "budget_gbps,duration_us" => false,
        "budget_bytes_per_slot,slots" => true,
        _ => return Err(wrong(row, 1, headings, heading)),
    };
    let mut periods = Vec::new();
    for (row, line) in rows {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        if cells.len() != 2 {
            return Err(wrong(row, cells.len().min(2) + 1, "two columns", line));
        }
        let whole = |column: usize| {
            cells[column].parse::<u32>().map_err(|_| wrong(row, column + 1, "a whole number", cells[column]))
        };
        let number = |column: usize| {
            let value = cells[column].parse::<f64>().ok().filter(|v| v.is_finite() && *v >= 0.0);
            value.ok_or_else(|| wrong(row, column + 1, "a number, not negative", cells[column]))
        };
        let (rate, ps) = match in_slots {
            true => {
                (slot.rate(whole(0)?), u128::from(whole(1)?) * SECOND_PS * slot.cycles() / u128::from(slot.clock_hz))
            }
            false => (Rate::gbps(number(0)?), us_to_ps(number(1)?).unwrap_or(0)),
        };
        periods.push(Period { rate, ps, places: [place(row, 1), place(row, 2)] });
    }
    match periods.is_empty() {
        true => Err(wrong(row + 1, 1, "an entry", "")),
        false => Ok(periods),
    }
}

/// The entries that hold these budgets, in slots of ours. None may be over `line`, bytes of a slot.
pub fn entries(periods: &[Period], slot: Slot, line: u32) -> Result<Vec<CalendarEntry>> {
    let refuse = |place: &str, expected: String, found: String| {
        Error::new(Kind::Config, "checking a calendar").at(place).but(expected, found)
    };
    let (mut entries, mut passed, mut begun) = (Vec::new(), 0, 0);
    for Period { rate, ps, places } in periods {
        let over = || {
            let expected = format!("at most {:.3} Gb/s, the rate of the port", slot.rate(line).in_gbps());
            refuse(&places[0], expected, format!("{:.3} Gb/s", rate.in_gbps())).so("lower the budget")
        };
        // A budget that is rounded down to the line's bytes may be no more than they are.
        let budget = slot.bytes(*rate).filter(|bytes| *bytes <= line).ok_or_else(over)?;
        passed += ps;
        let end = slot.nearest(passed);
        let mut slots = end - begun;
        if slots == 0 {
            let expected = format!("at least a slot, {:.3} us", slot.ps() as f64 / 1e6);
            let found = format!("{:.3} us", *ps as f64 / 1e6);
            return Err(refuse(&places[1], expected, found).so("join it with the entry beside it, or shorten the slot"));
        }
        begun = end;
        while slots > 0 {
            let some = slots.min(MOST_SLOTS);
            entries.push(CalendarEntry { budget, slots: some as u32 });
            slots -= some;
            if entries.len() > CALENDAR_ENTRIES {
                let expected = format!("at most {CALENDAR_ENTRIES} entries, of {MOST_SLOTS} slots each");
                return Err(refuse(&places[0], expected, "more".into()).so("join entries, or lengthen the slot"));
            }
        }
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: Slot = Slot { log2_cycles: 15, clock_hz: 250_000_000 };
    const LINE: u32 = 1_638_400;

    #[test]
    fn gigabits_and_microseconds_become_bytes_and_slots() {
        let text = "# morning\nbudget_gbps, duration_us\n100, 262.144\n50, 131.072 # half\n0, 65.6\n";
        let found = entries(&read("a.csv", text, OURS).unwrap(), OURS, LINE).unwrap();
        let expected = [(LINE, 2), (LINE / 2, 1), (0, 1)];
        assert_eq!(found.iter().map(|e| (e.budget, e.slots)).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn slots_of_another_clock_keep_their_rate_and_their_time() {
        let theirs = Slot { log2_cycles: 14, clock_hz: 322_265_625 };
        let text = format!("budget_bytes_per_slot,slots\n{}", "500000,100\n250000,157\n".repeat(60));
        let periods = read("b.csv", &text, theirs).unwrap();
        let found = entries(&periods, OURS, LINE).unwrap();
        let slots: u64 = found.iter().map(|e| u64::from(e.slots)).sum();
        let time = |slot: Slot, n: u64| u128::from(n) * SECOND_PS * slot.cycles() / u128::from(slot.clock_hz);
        let (there, here) = (time(theirs, 60 * 257), time(OURS, slots));
        assert!(there.abs_diff(here) <= u128::from(OURS.ps()) / 2 + 1, "{there} {here}");
        // 500000 bytes in 50.84 us are 1289062.5 in 131.072 us.
        assert_eq!((found[0].budget, found[1].budget), (1_289_062, 644_531));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_row_and_column() {
        let place = |text: &str| read("c.csv", text, OURS).and_then(|p| entries(&p, OURS, LINE)).unwrap_err();
        let cases = [
            ("", "row 1, column 1"),
            ("gbps,us\n", "row 1, column 1"),
            ("budget_gbps,duration_us\n", "row 2, column 1"),
            ("budget_gbps,duration_us\n1,1000\nx,1000\n", "row 3, column 1"),
            ("budget_gbps,duration_us\n1,-5\n", "row 2, column 2"),
            ("budget_gbps,duration_us\n1\n", "row 2, column 2"),
            ("budget_gbps,duration_us\n1,2,3\n", "row 2, column 3"),
            ("budget_gbps,duration_us\n\n100.1,1000\n", "row 3, column 1"),
            ("budget_gbps,duration_us\n10,1000\n10,60\n", "row 3, column 2"),
            ("budget_bytes_per_slot,slots\n1.5,2\n", "row 2, column 1"),
        ];
        for (text, expected) in cases {
            assert!(place(text).place.ends_with(expected), "{text:?}: {}", place(text));
        }
        let many = format!("budget_gbps,duration_us\n{}", "1,1000\n".repeat(257));
        assert!(place(&many).expected.contains("256"));
    }

    #[test]
    fn an_entry_that_is_too_long_is_split() {
        let text = "budget_bytes_per_slot,slots\n7,65537\n";
        let found = entries(&read("d.csv", text, OURS).unwrap(), OURS, LINE).unwrap();
        assert_eq!(found.iter().map(|e| e.slots).collect::<Vec<_>>(), [65536, 1]);
    }
}
