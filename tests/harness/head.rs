//! The head stream of a packet memory, as a source for the blocks behind it.

use super::frame::{beats, intent, keep, word, Beat, Sizes, Word};
use super::Random;
use matchrdma_model::record::{Intent, Kind};
use std::collections::VecDeque;

/// What a taken beat was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// A beat within a frame.
    Beat,
    /// The last beat of a frame, or an entry without a frame.
    Entry,
}

/// So many random entries.
pub struct Head {
    sizes: Sizes,
    left: usize,
    /// One in this many entries has no frame.
    bare: u64,
    shown: Option<(VecDeque<Beat>, Intent)>,
}

impl Head {
    /// A source of `entries` entries, one in five without a frame.
    pub fn new(sizes: Sizes, entries: usize) -> Self {
        Head { sizes, left: entries, bare: 5, shown: None }
    }

    /// A source of frames that never ends.
    pub fn of_frames(sizes: Sizes) -> Self {
        Head { sizes, left: usize::MAX, bare: u64::MAX, shown: None }
    }

    /// The next entry comes to the head, if it may and there is one. What is shown stays.
    pub fn offer(&mut self, goes: bool, random: &mut Random) {
        if self.shown.is_none() && goes && self.left > 0 {
            self.left -= 1;
            let length = if random.chance(1, self.bare) { 0 } else { self.sizes.draw(random) };
            self.shown = Some((beats(&random.bytes(length)).into(), intent(random)));
        }
    }

    /// Nothing is shown and nothing will be.
    pub fn is_done(&self) -> bool {
        self.left == 0 && self.shown.is_none()
    }

    /// An entry is at the head.
    pub fn is_shown(&self) -> bool {
        self.shown.is_some()
    }

    /// A beat of a frame is at the head.
    pub fn is_frame(&self) -> bool {
        self.beat().is_some()
    }

    /// What is at the head is the first of its entry.
    pub fn is_first(&self) -> bool {
        self.is_shown() && self.beat().is_none_or(|b| b.first)
    }

    /// The beat at the head.
    pub fn beat(&self) -> Option<Beat> {
        self.shown.as_ref()?.0.front().copied()
    }

    /// The intent at the head.
    pub fn intent(&self) -> Option<Intent> {
        Some(self.shown.as_ref()?.1)
    }

    /// The intent at the head, if it says something.
    pub fn says(&self) -> Option<Intent> {
        self.intent().filter(|i| i.kind != Kind::None)
    }

    /// The beat on a port is the one at the head.
    pub fn assert_on_port(&self, (data, tkeep, tlast): (Word, u64, bool), tuser: u32) {
        let beat = self.beat().expect("a port shows only what is at the head");
        assert_eq!((tkeep, tlast, tuser), (keep(beat.bytes), beat.last, 0), "the port shows the head's beat");
        assert_eq!(word(&super::frame::bytes(data, beat.bytes)), beat.data, "the port shows the head's beat");
    }

    /// What is at the head is taken.
    pub fn take(&mut self) -> Taken {
        let (rest, _) = self.shown.as_mut().expect("something is at the head");
        rest.pop_front();
        if rest.is_empty() {
            self.shown = None;
            return Taken::Entry;
        }
        Taken::Beat
    }
}

/// Puts the head on the ports of a device; noise where nothing is valid.
macro_rules! drive {
    ($dut:ident, $head:ident, $random:ident) => {{
        let beat = $head.beat();
        $dut.set_head_valid($head.is_shown().into());
        $dut.set_head_frame(if $head.is_shown() { beat.is_some().into() } else { $random.bits(1) as u32 });
        $dut.set_head_data(beat.map_or_else(|| $random.words(512), |b| b.data));
        $dut.set_head_bytes(beat.map_or(64, |b| b.bytes));
        $dut.set_head_last(beat.map_or(true, |b| b.last).into());
        let said = $head.intent().unwrap_or_else(|| crate::harness::frame::intent($random));
        $dut.set_head_intent(crate::harness::frame::pack(said));
    }};
}
pub(crate) use drive;
