//! What the memory at hand carries without loss, and what is warned of.

/// Slots that go by beside the round trip, with one path and with several: the law's own delay.
const SLOTS_ONE: u64 = 4;
const SLOTS_SEVERAL: u64 = 8;

/// The highest rate, bits per second, that a buffer of `capacity` bytes carries without loss over a round trip, when a
/// far gateway is told its budgets: `capacity >= rate * (round trip + 4 slots)`, 8 slots for several paths.
pub fn rate_bps(capacity_bytes: u64, round_trip_ps: u64, slot_ps: u64, paths: usize) -> u64 {
    let slots = if paths > 1 { SLOTS_SEVERAL } else { SLOTS_ONE };
    let loop_ps = u128::from(round_trip_ps) + u128::from(slots * slot_ps);
    (u128::from(capacity_bytes) * 8_000_000_000_000 / loop_ps.max(1)) as u64
}

/// How long a queue of so many bytes takes to leave at a rate, ms; forever at none.
pub fn drain_ms(bytes: u64, bps: f64) -> f64 {
    bytes as f64 * 8e3 / bps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_needs_its_round_trip_and_four_slots() {
        // 100 Gb/s over 10 ms and 4 slots of 131.072 us: 131.55 MB.
        let capacity = 131_553_600;
        let bps = rate_bps(capacity, 10_000_000_000, 131_072_000, 1);
        assert!((99_999_000_000..=100_000_000_000).contains(&bps), "{bps}");
        assert!(rate_bps(capacity, 10_000_000_000, 131_072_000, 2) < 95_300_000_000);
        assert!((drain_ms(1 << 20, 390_625_000.0) - 21.47).abs() < 0.01);
    }
}
