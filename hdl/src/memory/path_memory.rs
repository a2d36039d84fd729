//! Between judgement and departure towards the line: **path_memory**. From [track], to [pacer] and [departure].
//!
//! In: the rail with the queue of each frame, delayed so that a frame's last beat comes with its verdict; starts.
//! Out: the head stream; per queue, what waits, what is held, and `room`.
//! Latency: a frame committed in one cycle waits for its start five cycles later when its queue was empty, and is at
//! the head four cycles after its start when nothing is before it.
//! Model: `model::path_memory`. Tests: `tests/memory/path_memory.rs`. Registers: none of its own.
//!
//! Two paged stores, one of beats and one of descriptors. Descriptors are read ahead, so that the pacer sees the head
//! of any queue at once; the beats of a frame that was started stream through the memory into a small queue, behind
//! which a handshake is a departure.
//!
//! [track]: crate::outbound
//! [pacer]: crate::outbound::pacer
//! [departure]: crate::outbound::departure

use super::{Ahead, Paged, Share};
use crate::prim::{Decoder, Fifo, LutFifo, Unpack};
use crate::record::Intent;
use matchrdma_spec::params::{DESCRIPTORS, RING_BEATS};
use rust_hdl::prelude::*;

const _: () = assert!(RING_BEATS == 1 << 14 && DESCRIPTORS == 1 << 12);

/// One entry of a queue. Without a frame it carries only an intent.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Queued {
    pub frame: Bit,
    pub bytes: Bits<14>,
    pub intent: Intent,
}

/// What was started, on its way to the head.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Leaving {
    pub queue: Bits<5>,
    pub frame: Bit,
    pub bytes: Bits<14>,
    pub intent: Bits<72>,
}

/// Seventeen queues in 16,384 beats and 4096 descriptors.
///
/// `start` takes what is at the head of `offer_queue`, which must be in `waits`, in a cycle in which `may_start` is up.
/// Entries leave in the order in which they were started.
#[derive(LogicBlock, Default)]
pub struct PathMemory {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub rail_valid: Signal<In, Bit>,
    pub rail_data: Signal<In, Bits<512>>,
    pub rail_bytes: Signal<In, Bits<7>>,
    pub rail_first: Signal<In, Bit>,
    pub rail_last: Signal<In, Bit>,
    /// The same at all beats of a frame.
    pub rail_queue: Signal<In, Bits<5>>,
    pub verdict_valid: Signal<In, Bit>,
    pub forward: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub intent: Signal<In, Intent>,
    pub judge_queue: Signal<In, Bits<5>>,
    /// A frame of `judge_queue` may be kept.
    pub room: Signal<Out, Bit>,
    pub empty: Signal<Out, Bit>,
    /// Committed beats of each queue that are not read, as of some cycles ago.
    pub held_beats: [Signal<Out, Bits<16>>; 17],
    /// Queues with something to start, and those with one entry at hand.
    pub waits: Signal<Out, Bits<17>>,
    pub single: Signal<Out, Bits<17>>,
    pub offer_queue: Signal<In, Bits<5>>,
    pub offer_frame: Signal<Out, Bit>,
    pub offer_bytes: Signal<Out, Bits<14>>,
    pub may_start: Signal<Out, Bit>,
    pub start: Signal<In, Bit>,
    pub head_valid: Signal<Out, Bit>,
    pub head_frame: Signal<Out, Bit>,
    pub head_data: Signal<Out, Bits<512>>,
    pub head_bytes: Signal<Out, Bits<7>>,
    pub head_first: Signal<Out, Bit>,
    pub head_last: Signal<Out, Bit>,
    pub head_intent: Signal<Out, Intent>,
    pub head_queue: Signal<Out, Bits<5>>,
    pub head_ready: Signal<In, Bit>,
    beats: Paged<512, 6, 14, 22>,
    beats_share: Share,
    queue: Paged<87, 4, 12, 20>,
    queue_share: Share,
    ahead: Ahead,
    // In.
    counted: DFF<Bits<8>>,
    earlier: Signal<Local, Bits<8>>,
    count: Signal<Local, Bits<8>>,
    ends: Signal<Local, Bit>,
    keeps: Signal<Local, Bit>,
    pushes: Signal<Local, Bit>,
    fresh: Signal<Local, Queued>,
    judged: Decoder<17, 5>,
    held: [DFF<Bits<16>>; 17],
    looked: Decoder<17, 5>,
    // Started.
    head_word: Signal<Local, Bits<15>>,
    started: DFF<Bit>,
    started_queue: DFF<Bits<5>>,
    started_word: DFF<Bits<15>>,
    rounded: Signal<Local, Bits<14>>,
    reading: DFF<Bit>,
    to_read: DFF<Bits<8>>,
    on_way: DFF<Bits<4>>,
    reads: Signal<Local, Bit>,
    read_ends: Signal<Local, Bit>,
    read1: DFF<Bit>,
    read2: DFF<Bit>,
    // Out.
    left: Signal<Local, Leaving>,
    words: LutFifo<512, 3>,
    /// One more fits than `almost_full` tells, for the start of the cycle before.
    entries: Fifo<92, 4>,
    record: Unpack<92, Leaving>,
    said: Unpack<72, Intent>,
    entry: Signal<Local, Leaving>,
    there: Signal<Local, Bit>,
    frame: Signal<Local, Bit>,
    bytes: Signal<Local, Bits<14>>,
    total: Signal<Local, Bits<14>>,
    tail: Signal<Local, Bits<6>>,
    number: DFF<Bits<8>>,
    next_number: Signal<Local, Bits<8>>,
    last: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    departs: Signal<Local, Bit>,
    descriptors: DFF<Bits<16>>,
}

impl Logic for PathMemory {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clk,
            counted,
            started,
            started_queue,
            started_word,
            reading,
            to_read,
            on_way,
            read1,
            read2,
            number,
            descriptors
        );
        self.beats.clk.next = self.clk.val();
        self.beats.rst.next = self.rst.val();
        self.beats_share.clk.next = self.clk.val();
        self.beats_share.rst.next = self.rst.val();
        self.queue.clk.next = self.clk.val();
        self.queue.rst.next = self.rst.val();
        self.queue_share.clk.next = self.clk.val();
        self.queue_share.rst.next = self.rst.val();
        self.ahead.clk.next = self.clk.val();
        self.ahead.rst.next = self.rst.val();
        self.words.clk.next = self.clk.val();
        self.words.rst.next = self.rst.val();
        self.entries.clk.next = self.clk.val();
        self.entries.rst.next = self.rst.val();

        // In: every beat is written, the verdict says whether it stays.
        self.earlier.next = self.counted.q.val();
        if self.rail_first.val() {
            self.earlier.next = 0.into();
        }
        self.count.next = self.earlier.val() + 1;
        if self.rail_valid.val() {
            self.counted.d.next = self.count.val();
        }
        self.ends.next = self.rail_valid.val() & self.rail_last.val();
        self.pushes.next = self.verdict_valid.val() & self.push.val();
        self.keeps.next = self.pushes.val() & self.forward.val();
        self.beats.we.next = self.rail_valid.val();
        self.beats.wqueue.next = self.rail_queue.val();
        self.beats.data.next = self.rail_data.val();
        self.beats.commit.next = self.ends.val() & self.keeps.val();
        self.beats.rewind.next = self.ends.val() & !self.keeps.val();
        self.fresh.next.frame = self.forward.val();
        self.fresh.next.bytes = (bit_cast::<14, 8>(self.earlier.val()) << 6) + bit_cast::<14, 7>(self.rail_bytes.val());
        self.fresh.next.intent = self.intent.val();
        self.queue.we.next = self.pushes.val();
        self.queue.wqueue.next = self.rail_queue.val();
        self.queue.data.next = self.fresh.val().into();
        self.queue.commit.next = self.pushes.val();
        self.queue.rewind.next = false;

        // Who has room, and what is held.
        self.beats_share.hold.next = self.beats.hold.val();
        self.beats.look.next = self.beats_share.look.val();
        self.beats_share.pages.next = self.beats.pages.val();
        self.queue_share.hold.next = self.queue.hold.val();
        self.queue.look.next = self.queue_share.look.val();
        self.queue_share.pages.next = self.queue.pages.val();
        self.judged.on.next = true;
        self.judged.index.next = self.judge_queue.val();
        self.room.next = (self.judged.one_hot.val() & self.beats_share.room.val() & self.queue_share.room.val()).any();
        self.looked.on.next = !self.beats.hold.val();
        self.looked.index.next = self.beats_share.look.val();
        for i in 0..17 {
            self.held[i].clock.next = self.clk.val();
            self.held[i].d.next = self.held[i].q.val();
            if self.looked.one_hot.val().get_bit(i) {
                self.held[i].d.next = self.beats.words.val();
            }
            self.held_beats[i].next = self.held[i].q.val();
            if self.rst.val() {
                self.held[i].d.next = 0.into();
            }
        }

        // Descriptors are read ahead; the head of the queue that is asked for is shown.
        self.ahead.clearing.next = self.queue.clearing.val();
        self.ahead.clear.next = self.queue.clear.val();
        self.ahead.unread.next = self.queue.unread.val();
        self.queue.re.next = self.ahead.re.val();
        self.queue.rqueue.next = self.ahead.rqueue.val();
        self.ahead.word.next = self.queue.word.val();
        self.waits.next = self.ahead.waits.val();
        self.single.next = self.ahead.single.val();
        self.ahead.offer.next = self.offer_queue.val();
        self.head_word.next = self.ahead.head.val();
        self.offer_frame.next = self.head_word.val().get_bit(0);
        self.offer_bytes.next = self.head_word.val().get_bits::<14>(1);

        // A start: its beats are read from the next cycle on, as far as there is a place for them to land.
        self.reads.next = self.reading.q.val() & !self.on_way.q.val().get_bit(3);
        self.read_ends.next = self.reads.val() & (self.to_read.q.val() == 1);
        self.may_start.next = (!self.reading.q.val() | self.read_ends.val()) & !self.entries.almost_full.val();
        self.beats.re.next = self.reads.val();
        self.beats.rqueue.next = self.started_queue.q.val();
        if self.reads.val() {
            self.to_read.d.next = self.to_read.q.val() - 1;
        }
        if self.read_ends.val() {
            self.reading.d.next = false;
        }
        self.rounded.next = self.head_word.val().get_bits::<14>(1) + 63;
        self.ahead.take.next = self.start.val();
        self.started.d.next = self.start.val();
        if self.start.val() {
            self.started_queue.d.next = self.offer_queue.val();
            self.started_word.d.next = self.head_word.val();
            self.reading.d.next = self.head_word.val().get_bit(0);
            self.to_read.d.next = self.rounded.val().get_bits::<8>(6);
        }
        self.left.next.queue = self.started_queue.q.val();
        self.left.next.frame = self.started_word.q.val().get_bit(0);
        self.left.next.bytes = self.started_word.q.val().get_bits::<14>(1);
        self.left.next.intent = self.ahead.intent.val();
        self.entries.wr.next = self.started.q.val();
        self.entries.din.next = self.left.val().into();
        self.read1.d.next = self.reads.val();
        self.read2.d.next = self.read1.q.val();
        self.words.wr.next = self.read2.q.val();
        self.words.din.next = self.beats.word.val();

        // Out: the entry at the head.
        self.record.din.next = self.entries.dout.val();
        self.entry.next = self.record.dout.val();
        self.frame.next = self.entry.val().frame;
        self.bytes.next = self.entry.val().bytes;
        self.said.din.next = self.entry.val().intent;
        self.there.next = !self.entries.empty.val() & (!self.words.empty.val() | !self.frame.val());
        self.total.next = self.bytes.val() + 63;
        self.next_number.next = self.number.q.val() + 1;
        self.last.next = (self.next_number.val() == self.total.val().get_bits::<8>(6)) | !self.frame.val();
        self.head_valid.next = self.there.val();
        self.head_frame.next = self.frame.val();
        self.head_data.next = self.words.dout.val();
        self.head_first.next = !self.number.q.val().any();
        self.head_last.next = self.last.val();
        // bytes modulo 64, where 64 counts as 64
        self.tail.next = bit_cast::<6, 14>(self.bytes.val());
        self.head_bytes.next = 64.into();
        if self.last.val() & self.tail.val().any() {
            self.head_bytes.next = bit_cast::<7, 6>(self.tail.val());
        }
        self.head_intent.next = self.said.dout.val();
        self.head_queue.next = self.entry.val().queue;

        self.leaves.next = self.there.val() & self.head_ready.val();
        self.takes.next = self.leaves.val() & self.frame.val();
        self.departs.next = self.leaves.val() & self.last.val();
        self.words.rd.next = self.takes.val();
        self.entries.rd.next = self.departs.val();
        if self.leaves.val() {
            self.number.d.next = self.next_number.val();
        }
        if self.departs.val() {
            self.number.d.next = 0.into();
        }
        if self.reads.val() & !self.takes.val() {
            self.on_way.d.next = self.on_way.q.val() + 1;
        }
        if self.takes.val() & !self.reads.val() {
            self.on_way.d.next = self.on_way.q.val() - 1;
        }
        if self.pushes.val() & !self.departs.val() {
            self.descriptors.d.next = self.descriptors.q.val() + 1;
        }
        if self.departs.val() & !self.pushes.val() {
            self.descriptors.d.next = self.descriptors.q.val() - 1;
        }
        self.empty.next = !self.descriptors.q.val().any();
        if self.rst.val() {
            self.counted.d.next = 0.into();
            self.started.d.next = false;
            self.reading.d.next = false;
            self.on_way.d.next = 0.into();
            self.read1.d.next = false;
            self.read2.d.next = false;
            self.number.d.next = 0.into();
            self.descriptors.d.next = 0.into();
        }
    }
}
