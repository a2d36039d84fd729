//! Beside **path_memory**: which queues may take one more frame.
//!
//! In: pages of the queue `look`, in the same cycle. Out: `room`, a bit per queue.
//! Latency: each queue is looked at once in 17 cycles. What was seen in cycle T is in `room` from T + 3 on, and the sum
//! that begins with it from T + 19 on.
//! Model: `model::path_memory`. Tests: `tests/memory/path_memory.rs`. Registers: none.
//!
//! A queue is guaranteed [`QUEUE_PAGES`] pages; what it holds beyond is taken from the pages that all share. It has room
//! when a frame surely fits its guarantee, or when the sum of what all hold beyond theirs is at most [`SHARED_PAGES`].
//!
//! Why pages cannot run out. `room` of cycle c lets an op commit by c + 2, and a reader of `room` may register it once
//! more. Of one queue it rests on what was seen at T >= c - 20, so 23 commits at most are not in it. Of these all but
//! one are of frames that end in consecutive cycles, so 150 + 22 beats at most, which take floor((63 + 172) / 64) = 3
//! pages; 23 descriptors take floor((15 + 23) / 16) = 2. A queue seen with 3 pages or fewer so stays within its 6.
//! Of the sum it rests on T >= c - 36, 40 commits: 190 beats, of which each of 17 queues may need one to take a page,
//! and the other 173 take 2 more: 19 pages; descriptors take 17 + 23 / 16 = 18. So the pages beyond the guarantees are
//! never more than 132 + 19, those of all queues 17 * 6 + 151 = 253, and the 3 that are left are what a frame on its way
//! in takes before its verdict: floor((63 + 150) / 64).

use crate::prim::{Decoder, Lit};
use matchrdma_spec::params::{MAX_FRAME_BEATS, PAGES, PAGE_BEATS, QUEUES, QUEUE_PAGES, SHARED_PAGES};
use rust_hdl::prelude::*;

/// Pages that a frame of maximum size, and what comes beside it, may take of one queue.
const FRAME_PAGES: usize = (PAGE_BEATS - 1 + MAX_FRAME_BEATS + 22) / PAGE_BEATS;
/// Pages that all queues may take before the sum shows it.
const LATE_PAGES: usize = QUEUES + (MAX_FRAME_BEATS + 40 - QUEUES) / PAGE_BEATS;
/// A queue that holds no more has room.
const LOW_PAGES: usize = QUEUE_PAGES - FRAME_PAGES;

const _: () = assert!(FRAME_PAGES == 3 && LATE_PAGES == 19);
const _: () = assert!(QUEUES * QUEUE_PAGES + SHARED_PAGES + LATE_PAGES + FRAME_PAGES <= PAGES);

/// Looks at one queue after the other while `hold` is low; `room` is zero while it is up.
#[derive(LogicBlock, Default)]
pub struct Share {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub hold: Signal<In, Bit>,
    pub look: Signal<Out, Bits<5>>,
    pub pages: Signal<In, Bits<8>>,
    pub room: Signal<Out, Bits<17>>,
    turn: DFF<Bits<5>>,
    // What was seen in the cycle before.
    seen: DFF<Bit>,
    seen_queue: DFF<Bits<5>>,
    seen_pages: DFF<Bits<8>>,
    /// Queues beyond the mark up to which a frame surely fits.
    high: DFF<Bits<17>>,
    sum: DFF<Bits<12>>,
    /// The shared pages are used up.
    used_up: DFF<Bit>,
    has_room: DFF<Bits<17>>,
    place: Decoder<17, 5>,
    beyond: Signal<Local, Bits<12>>,
    sum_before: Signal<Local, Bits<12>>,
    sum_after: Signal<Local, Bits<12>>,
    low_pages: Lit<8, { LOW_PAGES as u64 }>,
    queue_pages: Lit<8, { QUEUE_PAGES as u64 }>,
    shared_pages: Lit<12, { SHARED_PAGES as u64 }>,
    all_queues: Lit<17, { (1 << QUEUES) - 1 }>,
    last_queue: Lit<5, { QUEUES as u64 - 1 }>,
}

impl Logic for Share {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, turn, seen, seen_queue, seen_pages, high, sum, used_up, has_room);
        self.look.next = self.turn.q.val();
        if !self.hold.val() {
            self.turn.d.next = self.turn.q.val() + 1;
            if self.turn.q.val() == self.last_queue.val() {
                self.turn.d.next = 0.into();
            }
        }
        self.seen.d.next = !self.hold.val();
        self.seen_queue.d.next = self.turn.q.val();
        self.seen_pages.d.next = self.pages.val();

        self.place.on.next = self.seen.q.val();
        self.place.index.next = self.seen_queue.q.val();
        if self.seen_pages.q.val() > self.low_pages.val() {
            self.high.d.next = self.high.q.val() | self.place.one_hot.val();
        } else {
            self.high.d.next = self.high.q.val() & !self.place.one_hot.val();
        }
        self.beyond.next = 0.into();
        if self.seen_pages.q.val() > self.queue_pages.val() {
            self.beyond.next = bit_cast::<12, 8>(self.seen_pages.q.val()) - bit_cast::<12, 8>(self.queue_pages.val());
        }
        self.sum_before.next = self.sum.q.val();
        if !self.seen_queue.q.val().any() {
            self.sum_before.next = 0.into();
        }
        self.sum_after.next = self.sum_before.val() + self.beyond.val();
        if self.seen.q.val() {
            self.sum.d.next = self.sum_after.val();
            if self.seen_queue.q.val() == self.last_queue.val() {
                self.used_up.d.next = self.sum_after.val() > self.shared_pages.val();
            }
        }

        self.has_room.d.next = !self.high.q.val();
        if !self.used_up.q.val() {
            self.has_room.d.next = self.all_queues.val();
        }
        self.room.next = self.has_room.q.val();
        if self.rst.val() {
            self.turn.d.next = 0.into();
            self.seen.d.next = false;
            self.high.d.next = 0.into();
            self.used_up.d.next = false;
        }
        if self.rst.val() | self.hold.val() {
            self.has_room.d.next = 0.into();
        }
    }
}
