//! **path_memory**, towards the line. From `track`, to the `pacer`.
//!
//! In: frames as they come, then a verdict. Out: of each queue, frames and intents in the order of their commit.
//! Nothing is dropped between commit and departure. Gates: `hdl/src/memory/path_memory.rs`.

use crate::packet_memory::{beats, Entry};
use crate::record::Intent;
use matchrdma_spec::params::{PAGE_BEATS, PAGE_DESCRIPTORS, QUEUES, QUEUE_PAGES, SHARED_PAGES};
use std::collections::VecDeque;

/// A queue that holds no more pages surely has room for a frame within its guarantee.
pub const LOW_PAGES: usize = 3;

/// One queue: what waits, and how many words it has been given and has given back since reset.
#[derive(Clone, Debug, Default)]
struct Queue {
    entries: VecDeque<Entry>,
    beats: Span,
    descriptors: Span,
}

/// Words that went through.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    written: usize,
    read: usize,
}

impl Span {
    /// Pages that hold them: each is filled before the next, and the page for the next word is there already.
    fn pages(self, size: usize) -> usize {
        self.written / size - self.read / size + 1
    }
}

/// A queue per path and one more, in pages of one memory.
#[derive(Clone, Debug)]
pub struct PathMemory {
    page_beats: usize,
    page_descriptors: usize,
    shared_pages: usize,
    ahead: usize,
    queues: Vec<Queue>,
}

impl Default for PathMemory {
    fn default() -> Self {
        PathMemory::new([PAGE_BEATS, PAGE_DESCRIPTORS, SHARED_PAGES])
    }
}

impl PathMemory {
    /// Empty: beats of a page, descriptors of a page, and pages that all queues share.
    pub fn new([page_beats, page_descriptors, shared_pages]: [usize; 3]) -> Self {
        let queues = vec![Queue::default(); QUEUES];
        PathMemory { page_beats, page_descriptors, shared_pages, ahead: 0, queues }
    }

    /// The same, but so many descriptors of each queue are at hand and take no room.
    pub fn with_ahead(self, ahead: usize) -> Self {
        PathMemory { ahead, ..self }
    }

    /// A frame of this queue may be committed now: within the queue's guarantee, or within what all share.
    pub fn room(&self, queue: usize) -> bool {
        let room = |pages: fn(&Self, usize) -> usize| {
            let shared: usize = (0..QUEUES).map(|q| pages(self, q).saturating_sub(QUEUE_PAGES)).sum();
            pages(self, queue) <= LOW_PAGES || shared <= self.shared_pages
        };
        room(Self::beat_pages) && room(Self::descriptor_pages)
    }

    /// Pages of beats that a queue owns.
    pub fn beat_pages(&self, queue: usize) -> usize {
        self.queues[queue].beats.pages(self.page_beats)
    }

    /// Pages of descriptors that a queue owns.
    pub fn descriptor_pages(&self, queue: usize) -> usize {
        let Queue { entries, descriptors, .. } = &self.queues[queue];
        let read = descriptors.read + self.ahead.min(entries.len());
        Span { read, ..*descriptors }.pages(self.page_descriptors)
    }

    /// The frame that came in is kept.
    pub fn commit(&mut self, queue: usize, frame: Vec<u8>, intent: Intent) {
        self.queues[queue].beats.written += beats(frame.len());
        self.push(queue, Entry { frame: Some(frame), intent });
    }

    /// The frame that came in is not kept. An intent may stay in its place.
    pub fn refuse(&mut self, queue: usize, intent: Option<Intent>) {
        if let Some(intent) = intent {
            self.push(queue, Entry { frame: None, intent });
        }
    }

    fn push(&mut self, queue: usize, entry: Entry) {
        self.queues[queue].descriptors.written += 1;
        self.queues[queue].entries.push_back(entry);
    }

    /// What departs next of a queue.
    pub fn next(&self, queue: usize) -> Option<&Entry> {
        self.queues[queue].entries.front()
    }

    /// It has departed.
    pub fn depart(&mut self, queue: usize) -> Option<Entry> {
        let queue = &mut self.queues[queue];
        let entry = queue.entries.pop_front()?;
        queue.beats.read += beats(entry.bytes());
        queue.descriptors.read += 1;
        Some(entry)
    }

    /// The first queue in which something waits.
    pub fn waiting(&self) -> Option<usize> {
        self.queues.iter().position(|q| !q.entries.is_empty())
    }

    /// Nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting().is_none()
    }

    /// Beats of the frames that wait in a queue.
    pub fn held_beats(&self, queue: usize) -> usize {
        self.queues[queue].beats.written - self.queues[queue].beats.read
    }

    /// Bytes of the frames that wait in a queue.
    pub fn held_bytes(&self, queue: usize) -> usize {
        self.queues[queue].entries.iter().map(Entry::bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(m: &mut PathMemory, queue: usize) -> usize {
        let mut frames = 0;
        while m.room(queue) {
            m.commit(queue, vec![0; 9600], Intent::default());
            frames += 1;
        }
        frames
    }

    #[test]
    fn each_queue_is_one_of_its_own() {
        let mut m = PathMemory::default();
        m.commit(3, vec![1; 65], Intent::default());
        m.commit(16, vec![2; 64], Intent::default());
        m.refuse(3, Some(Intent::default()));
        m.refuse(3, None);
        m.commit(3, vec![3; 1], Intent::default());
        assert_eq!((m.held_beats(3), m.held_bytes(3), m.held_beats(16), m.waiting()), (3, 66, 1, Some(3)));
        let left: Vec<_> = std::iter::from_fn(|| m.depart(3)).map(|e| e.bytes()).collect();
        assert_eq!((left, m.waiting()), (vec![65, 0, 1], Some(16)));
        assert_eq!(m.depart(16).map(|e| e.bytes()), Some(64));
        assert!(m.is_empty());
    }

    #[test]
    fn a_full_queue_leaves_the_others_their_guarantee() {
        let mut m = PathMemory::default();
        let frames = fill(&mut m, 5);
        assert!((133..=141).contains(&(frames * 150 / 64 + 1)), "its own and what is shared: {frames} frames");
        for queue in (0..QUEUES).filter(|q| *q != 5) {
            assert_eq!(fill(&mut m, queue), 2, "a frame beside one that waits");
        }
        m.depart(5);
        m.depart(5);
        m.depart(5);
        assert!(m.room(5));
    }

    #[test]
    fn intents_take_room_too() {
        let mut m = PathMemory::new([PAGE_BEATS, PAGE_DESCRIPTORS, 0]);
        let mut said = 0;
        while m.room(0) {
            m.refuse(0, Some(Intent::default()));
            said += 1;
        }
        assert_eq!(said, QUEUE_PAGES * PAGE_DESCRIPTORS);
        assert!(m.room(1), "of their own queue alone");
    }
}
