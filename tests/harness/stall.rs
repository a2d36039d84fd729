//! The stall grid: how steadily a source offers, and how steadily a sink takes.

use super::Random;

/// A pattern of pauses on one side of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stall {
    /// Never pauses.
    Never,
    /// Pauses in half of the cycles, at random.
    Half,
    /// Pauses in 15 of 16 cycles, at random.
    Mostly,
    /// Goes for a while, then pauses for a while.
    Bursts,
}

impl Stall {
    /// Whether this side goes in cycle number `cycle`.
    pub fn goes(self, cycle: u64, random: &mut Random) -> bool {
        match self {
            Stall::Never => true,
            Stall::Half => random.chance(1, 2),
            Stall::Mostly => random.chance(1, 16),
            Stall::Bursts => (cycle / 23).is_multiple_of(2),
        }
    }
}

/// Every pair of (source, sink) patterns.
pub fn grid() -> impl Iterator<Item = (Stall, Stall)> {
    let all = [Stall::Never, Stall::Half, Stall::Mostly, Stall::Bursts];
    all.into_iter().flat_map(move |source| all.into_iter().map(move |sink| (source, sink)))
}
