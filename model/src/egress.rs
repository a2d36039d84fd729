//! Inbound 4 of 5: **egress**. From `ack_filter`, to the `arbiter`; to the budget rail, what waits and what came.
//!
//! In: frames of two classes, then a verdict. Out: frames and intents, in the order of their commit within a class; the
//! classes take turns. While the client has paused the lossless class only the rest goes on.
//! Bytes are counted as the pacer of the far side counts them: each frame's own and an overhead.
//! Gates: `hdl/src/inbound/egress.rs`. Register: `PACER_OVERHEAD`.

use crate::packet_memory::{Entry, PacketMemory};
use crate::record::{Intent, Kind};
use matchrdma_spec::params::{
    DESCRIPTORS, OVERHEAD_BYTES, PATHS, QUEUES, QUEUE_BYPASS, REST_BEATS, REST_DESCRIPTORS, RING_BEATS,
};
use std::collections::VecDeque;

/// Which of the two queues a frame is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// RoCE frames, and entries without a frame.
    Lossless,
    /// All else.
    Rest,
}

impl Class {
    /// Of a frame that is RoCE or is not.
    pub fn of(roce: bool) -> Class {
        if roce {
            Class::Lossless
        } else {
            Class::Rest
        }
    }
}

/// Two queues with memory of their own, and what they hold of each path.
#[derive(Clone, Debug)]
pub struct Egress {
    lossless: PacketMemory,
    rest: PacketMemory,
    /// Of the entries of the lossless class: the queue of each frame.
    queues: VecDeque<usize>,
    /// The other class left last.
    rest_first: bool,
    overhead: u8,
    /// Bytes of lossless frames by queue; the last is that of no path.
    held: [u64; QUEUES],
    /// Lossless frames of paths.
    frames: usize,
}

impl Default for Egress {
    fn default() -> Self {
        Egress::new(RING_BEATS, DESCRIPTORS)
    }
}

impl Egress {
    /// Empty, with a lossless queue of a size.
    pub fn new(beats: usize, descriptors: usize) -> Self {
        Egress::of(PacketMemory::new(beats, descriptors), PacketMemory::new(REST_BEATS, REST_DESCRIPTORS))
    }

    /// Of two memories that are empty.
    pub fn of(lossless: PacketMemory, rest: PacketMemory) -> Self {
        let queues = VecDeque::new();
        let overhead = OVERHEAD_BYTES as u8;
        Egress { lossless, rest, queues, rest_first: false, overhead, held: [0; QUEUES], frames: 0 }
    }

    /// Bytes that count beside each frame's own. Changes only while nothing is held.
    pub fn set_overhead(&mut self, overhead: u8) {
        self.overhead = overhead;
    }

    /// A frame of a class may be committed now.
    pub fn room(&self, class: Class) -> bool {
        match class {
            Class::Lossless => self.lossless.room(),
            Class::Rest => self.rest.room(),
        }
    }

    /// Beats of a frame that is still coming in: until it is judged they take their place in both memories.
    pub fn write(&mut self, beats: usize) {
        self.lossless.write(beats);
        self.rest.write(beats);
    }

    /// The frame that came in is kept; its source leads to a queue. Only the lossless class has intents.
    pub fn commit(&mut self, class: Class, queue: usize, frame: Vec<u8>, intent: Intent) {
        self.refuse(None);
        if class == Class::Rest {
            return self.rest.commit(frame, Intent::default());
        }
        self.held[queue] += frame.len() as u64 + u64::from(self.overhead);
        self.frames += usize::from(queue < PATHS);
        self.queues.push_back(queue);
        self.lossless.commit(frame, intent);
    }

    /// The frame that came in is not kept. An intent may stay in its place.
    pub fn refuse(&mut self, intent: Option<Intent>) {
        self.queues.extend(intent.map(|_| QUEUE_BYPASS));
        self.lossless.refuse(intent);
        self.rest.refuse(None);
    }

    /// The class whose entry leaves next. While `paused` no frame of the lossless class starts, and without a `place` for
    /// it no entry whose intent says something; entries without a frame wait for nothing else.
    pub fn turn(&self, paused: bool, place: bool) -> Option<Class> {
        let may = |entry: &&Entry| (entry.frame.is_none() || !paused) && (place || entry.intent.kind == Kind::None);
        match (self.lossless.next().filter(may), self.rest.next()) {
            (None, None) => None,
            (Some(_), None) => Some(Class::Lossless),
            (None, Some(_)) => Some(Class::Rest),
            (Some(_), Some(_)) if self.rest_first => Some(Class::Rest),
            (Some(_), Some(_)) => Some(Class::Lossless),
        }
    }

    /// What a class has at its head.
    pub fn head(&self, class: Class) -> Option<&Entry> {
        match class {
            Class::Lossless => self.lossless.next(),
            Class::Rest => self.rest.next(),
        }
    }

    /// What departs next, given that every intent finds its place.
    pub fn next(&self, paused: bool) -> Option<&Entry> {
        self.head(self.turn(paused, true)?)
    }

    /// The queue of the frame at the head of a class; `QUEUE_BYPASS` of what has no path, of the rest, and without a frame.
    pub fn head_queue(&self, class: Class) -> usize {
        self.queues.front().copied().filter(|_| class == Class::Lossless).unwrap_or(QUEUE_BYPASS)
    }

    /// The head of a class has departed: its last beat is gone.
    pub fn depart_of(&mut self, class: Class) -> Option<Entry> {
        if class == Class::Rest {
            self.rest_first = false;
            return self.rest.depart();
        }
        let (entry, queue) = (self.lossless.depart()?, self.queues.pop_front()?);
        if let Some(frame) = &entry.frame {
            self.held[queue] -= frame.len() as u64 + u64::from(self.overhead);
            self.frames -= usize::from(queue < PATHS);
        }
        self.rest_first = true;
        Some(entry)
    }

    /// The head of a class is lost: external memory answered with an error for it. It counts no longer, its intent is not
    /// told, and it takes no turn.
    pub fn lose_of(&mut self, class: Class) -> Option<Entry> {
        let rest_first = self.rest_first;
        let entry = self.depart_of(class);
        self.rest_first = rest_first;
        entry
    }

    /// What departs next has departed.
    pub fn depart(&mut self, paused: bool) -> Option<Entry> {
        self.depart_of(self.turn(paused, true)?)
    }

    /// Bytes of the lossless frames of a path, overheads included.
    pub fn occupancy(&self, path: usize) -> u64 {
        assert!(path < PATHS);
        self.held[path]
    }

    /// Bytes of the lossless frames of no path.
    pub fn stray(&self) -> u64 {
        self.held[QUEUE_BYPASS]
    }

    /// A lossless frame of a path waits, or is leaving.
    pub fn backlog(&self) -> bool {
        self.frames > 0
    }

    /// Nothing waits.
    pub fn is_empty(&self) -> bool {
        self.lossless.is_empty() && self.rest.is_empty()
    }

    /// The queue of a class.
    pub fn queue(&self, class: Class) -> &PacketMemory {
        match class {
            Class::Lossless => &self.lossless,
            Class::Rest => &self.rest,
        }
    }

    /// Bytes of the frames that wait, without overheads.
    pub fn held_bytes(&self) -> usize {
        self.lossless.held_bytes() + self.rest.held_bytes()
    }
}

#[cfg(test)]
#[path = "egress_tests.rs"]
mod tests;
