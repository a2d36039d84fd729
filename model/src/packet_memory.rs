//! **packet_memory**, one per direction. From `track` or `ack_filter`, to the `pacer` or the `arbiter`.
//!
//! In: frames as they come, then a verdict. Out: frames and intents, in the order in which they were committed.
//! Nothing is dropped between commit and departure. Gates: `hdl/src/memory/packet_memory.rs`.

use crate::record::Intent;
use matchrdma_spec::params::{BEAT_BYTES, DESCRIPTORS, MAX_FRAME_BEATS, RING_BEATS};
use std::collections::VecDeque;

/// Descriptors that must be free for `room`.
pub const ROOM_DESCRIPTORS: usize = 32;
/// Beats that must be free for `room`: two frames of maximum size.
pub const ROOM_BEATS: usize = 2 * MAX_FRAME_BEATS;

/// Beats that a frame takes.
pub fn beats(bytes: usize) -> usize {
    bytes.div_ceil(BEAT_BYTES)
}

/// What waits: a frame with its intent, or an intent alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The frame, if there is one.
    pub frame: Option<Vec<u8>>,
    /// What its departure tells `pseudo_ack`.
    pub intent: Intent,
}

impl Entry {
    /// Length of the frame, bytes; 0 without one.
    pub fn bytes(&self) -> usize {
        self.frame.as_ref().map_or(0, Vec::len)
    }
}

/// A ring of beats and a queue of descriptors.
#[derive(Clone, Debug)]
pub struct PacketMemory {
    ring_beats: usize,
    descriptors: usize,
    used_beats: usize,
    arriving_beats: usize,
    queue: VecDeque<Entry>,
}

impl Default for PacketMemory {
    fn default() -> Self {
        PacketMemory::new(RING_BEATS, DESCRIPTORS)
    }
}

impl PacketMemory {
    /// Empty, of a size.
    pub fn new(ring_beats: usize, descriptors: usize) -> Self {
        PacketMemory { ring_beats, descriptors, used_beats: 0, arriving_beats: 0, queue: VecDeque::new() }
    }

    /// A frame may be committed now.
    pub fn room(&self) -> bool {
        self.ring_beats - self.held_beats().min(self.ring_beats) >= ROOM_BEATS
            && self.descriptors - self.queue.len().min(self.descriptors) >= ROOM_DESCRIPTORS
    }

    /// Beats of a frame that is still coming in take their place in the ring.
    pub fn write(&mut self, beats: usize) {
        self.arriving_beats += beats;
    }

    /// The frame that came in is kept.
    pub fn commit(&mut self, frame: Vec<u8>, intent: Intent) {
        self.arriving_beats = 0;
        self.used_beats += beats(frame.len());
        self.queue.push_back(Entry { frame: Some(frame), intent });
    }

    /// The frame that came in is not kept; its beats are free again. An intent may stay in its place.
    pub fn refuse(&mut self, intent: Option<Intent>) {
        self.arriving_beats = 0;
        self.queue.extend(intent.map(|intent| Entry { frame: None, intent }));
    }

    /// What departs next.
    pub fn next(&self) -> Option<&Entry> {
        self.queue.front()
    }

    /// It has departed.
    pub fn depart(&mut self) -> Option<Entry> {
        let entry = self.queue.pop_front()?;
        self.used_beats -= beats(entry.bytes());
        Some(entry)
    }

    /// Nothing waits.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Beats taken, those of a frame still coming in included.
    pub fn held_beats(&self) -> usize {
        self.used_beats + self.arriving_beats
    }

    /// Bytes of the frames that wait.
    pub fn held_bytes(&self) -> usize {
        self.queue.iter().map(Entry::bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Kind;

    fn intent(psn: u32) -> Intent {
        Intent { kind: Kind::Ack, psn, ..Intent::default() }
    }

    #[test]
    fn entries_leave_in_the_order_of_their_commit() {
        let mut m = PacketMemory::default();
        m.commit(vec![1; 65], intent(1));
        m.refuse(Some(intent(2)));
        m.refuse(None);
        m.commit(vec![3; 64], intent(3));
        assert_eq!((m.held_beats(), m.held_bytes()), (3, 129));
        assert_eq!(m.next().map(Entry::bytes), Some(65));
        let left: Vec<_> = std::iter::from_fn(|| m.depart()).map(|e| (e.bytes(), e.intent.psn)).collect();
        assert_eq!(left, [(65, 1), (0, 2), (64, 3)]);
        assert!(m.is_empty() && m.held_beats() == 0);
    }

    #[test]
    fn room_keeps_two_longest_frames_free() {
        let mut m = PacketMemory::new(ROOM_BEATS + 3, 100);
        assert!(m.room());
        m.commit(vec![0; 64 * 3], intent(0));
        assert!(m.room(), "exactly enough");
        m.write(1);
        assert!(!m.room(), "a frame on its way in counts");
        m.refuse(None);
        assert!(m.room(), "and no longer once it is refused");
        m.commit(vec![0; 1], intent(0));
        assert!(!m.room());
        m.depart();
        assert!(m.room());
    }

    #[test]
    fn room_keeps_descriptors_free() {
        let mut m = PacketMemory::new(10_000, ROOM_DESCRIPTORS + 1);
        m.refuse(Some(intent(0)));
        assert!(m.room());
        m.refuse(Some(intent(1)));
        assert!(!m.room());
    }
}
