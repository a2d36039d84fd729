//! Between judgement and departure towards the client: **packet_memory**.
//! Inbound: two of them are [egress](crate::inbound::Egress).
//!
//! In: the rail, delayed so that a frame's last beat comes with its verdict. Out: the head stream, and `room`.
//! Latency: a frame committed in one cycle is at the head four cycles later when nothing waits before it.
//! Model: `model::packet_memory`. Tests: `tests/memory/packet_memory.rs`. Registers: none of its own.
//!
//! Two rings, one of beats and one of descriptors. A beat carries no marks: the descriptor knows how many beats and
//! bytes its frame has, so `head_first`, `head_last` and `head_bytes` are made at the head.
//!
use super::OnChip;
use crate::prim::Unpack;
use crate::record::Intent;
use matchrdma_spec::params::MAX_FRAME_BEATS;
use rust_hdl::prelude::*;

/// Free descriptors that `room` asks for: more than the verdicts on their way.
const ROOM_DESCRIPTORS: usize = 32;

/// One entry of the queue. Without a frame it carries only an intent.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Descriptor {
    pub frame: Bit,
    pub beats: Bits<8>,
    pub bytes: Bits<14>,
    pub queue: Bits<5>,
    pub intent: Intent,
}

const DESCRIPTOR_BITS: usize = <Descriptor as Synth>::BITS;

/// A ring of `2^A` beats and a queue of `2^D` descriptors.
///
/// Every beat of the rail is written; the last one commits (`forward` and `push`) or takes the frame back.
/// `room` is a register: it says whether one cycle ago two frames of maximum size and 32 descriptors were free.
/// It may therefore be late by the beats and the verdicts of a few cycles, for which the second frame leaves space.
///
/// A frame starts when it is at the head and `go` is up: `started` is up for that cycle, and from then on `head_valid`
/// stays up until the frame's last beat is taken, whatever `go` does.
#[derive(LogicBlock)]
pub struct PacketMemory<const A: usize, const D: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub rail_valid: Signal<In, Bit>,
    pub rail_data: Signal<In, Bits<512>>,
    pub rail_bytes: Signal<In, Bits<7>>,
    pub rail_first: Signal<In, Bit>,
    pub rail_last: Signal<In, Bit>,
    /// Kept with the frame, and shown with it.
    pub rail_queue: Signal<In, Bits<5>>,
    /// Bytes of the frame up to this beat.
    pub rail_total: Signal<Out, Bits<14>>,
    pub verdict_valid: Signal<In, Bit>,
    pub forward: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub intent: Signal<In, Intent>,
    pub room: Signal<Out, Bit>,
    pub empty: Signal<Out, Bit>,
    /// Beats written and neither taken back nor departed.
    pub held_beats: Signal<Out, Bits<16>>,
    /// Descriptors queued and not departed.
    pub held_descriptors: Signal<Out, Bits<16>>,
    pub next_valid: Signal<Out, Bit>,
    pub next_frame: Signal<Out, Bit>,
    pub next_bytes: Signal<Out, Bits<14>>,
    pub go: Signal<In, Bit>,
    pub started: Signal<Out, Bit>,
    pub head_valid: Signal<Out, Bit>,
    pub head_frame: Signal<Out, Bit>,
    pub head_data: Signal<Out, Bits<512>>,
    pub head_bytes: Signal<Out, Bits<7>>,
    pub head_first: Signal<Out, Bit>,
    pub head_last: Signal<Out, Bit>,
    pub head_intent: Signal<Out, Intent>,
    pub head_queue: Signal<Out, Bits<5>>,
    pub head_ready: Signal<In, Bit>,
    beats: OnChip<512, A>,
    queue: OnChip<DESCRIPTOR_BITS, D>,
    // In.
    counted: DFF<Bits<8>>,
    earlier: Signal<Local, Bits<8>>,
    count: Signal<Local, Bits<8>>,
    ends: Signal<Local, Bit>,
    keeps: Signal<Local, Bit>,
    total: Signal<Local, Bits<14>>,
    fresh: Signal<Local, Descriptor>,
    has_room: DFF<Bit>,
    most_beats: Constant<Bits<16>>,
    most_descriptors: Constant<Bits<16>>,
    // Out.
    record: Unpack<DESCRIPTOR_BITS, Descriptor>,
    entry: Signal<Local, Descriptor>,
    there: Signal<Local, Bit>,
    frame: Signal<Local, Bit>,
    bytes: Signal<Local, Bits<14>>,
    tail: Signal<Local, Bits<6>>,
    number: DFF<Bits<8>>,
    next_number: Signal<Local, Bits<8>>,
    last: Signal<Local, Bit>,
    under_way: DFF<Bit>,
    shown: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
}

impl<const A: usize, const D: usize> Default for PacketMemory<A, D> {
    fn default() -> Self {
        assert!((1 << A) > 2 * MAX_FRAME_BEATS, "a ring of 2^{A} beats has no room for two frames");
        assert!((1 << D) > ROOM_DESCRIPTORS, "a queue of 2^{D} descriptors never has room");
        Self {
            clk: Default::default(),
            rst: Default::default(),
            rail_valid: Default::default(),
            rail_data: Default::default(),
            rail_bytes: Default::default(),
            rail_first: Default::default(),
            rail_last: Default::default(),
            rail_queue: Default::default(),
            rail_total: Default::default(),
            verdict_valid: Default::default(),
            forward: Default::default(),
            push: Default::default(),
            intent: Default::default(),
            room: Default::default(),
            empty: Default::default(),
            held_beats: Default::default(),
            held_descriptors: Default::default(),
            next_valid: Default::default(),
            next_frame: Default::default(),
            next_bytes: Default::default(),
            go: Default::default(),
            started: Default::default(),
            head_valid: Default::default(),
            head_frame: Default::default(),
            head_data: Default::default(),
            head_bytes: Default::default(),
            head_first: Default::default(),
            head_last: Default::default(),
            head_intent: Default::default(),
            head_queue: Default::default(),
            head_ready: Default::default(),
            beats: OnChip::by_depth(),
            queue: OnChip::by_depth(),
            counted: Default::default(),
            earlier: Default::default(),
            count: Default::default(),
            ends: Default::default(),
            keeps: Default::default(),
            total: Default::default(),
            fresh: Default::default(),
            has_room: Default::default(),
            most_beats: Constant::new(bits(((1 << A) - 2 * MAX_FRAME_BEATS) as u64)),
            most_descriptors: Constant::new(bits(((1 << D) - ROOM_DESCRIPTORS) as u64)),
            record: Default::default(),
            entry: Default::default(),
            there: Default::default(),
            frame: Default::default(),
            bytes: Default::default(),
            tail: Default::default(),
            number: Default::default(),
            next_number: Default::default(),
            last: Default::default(),
            under_way: Default::default(),
            shown: Default::default(),
            leaves: Default::default(),
        }
    }
}

impl<const A: usize, const D: usize> Logic for PacketMemory<A, D> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, counted, has_room, number, under_way);
        self.beats.clk.next = self.clk.val();
        self.queue.clk.next = self.clk.val();
        self.beats.rst.next = self.rst.val();
        self.queue.rst.next = self.rst.val();

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
        self.keeps.next = self.verdict_valid.val() & self.forward.val() & self.push.val();
        self.beats.we.next = self.rail_valid.val();
        self.beats.data.next = self.rail_data.val();
        self.beats.commit.next = self.ends.val() & self.keeps.val();
        self.beats.rewind.next = self.ends.val() & !self.keeps.val();
        self.fresh.next.frame = self.forward.val();
        self.fresh.next.beats = self.count.val();
        self.total.next = (bit_cast::<14, 8>(self.earlier.val()) << 6) + bit_cast::<14, 7>(self.rail_bytes.val());
        self.rail_total.next = self.total.val();
        self.fresh.next.bytes = self.total.val();
        self.fresh.next.queue = self.rail_queue.val();
        self.fresh.next.intent = self.intent.val();
        self.queue.we.next = self.verdict_valid.val() & self.push.val();
        self.queue.commit.next = self.verdict_valid.val() & self.push.val();
        self.queue.rewind.next = false;
        self.queue.data.next = self.fresh.val().into();

        self.has_room.d.next =
            (self.beats.used.val() <= self.most_beats.val()) & (self.queue.used.val() <= self.most_descriptors.val());
        self.room.next = self.has_room.q.val();
        self.held_beats.next = self.beats.used.val();
        self.held_descriptors.next = self.queue.used.val();
        self.empty.next = !self.queue.used.val().any();

        // Out: the entry at the head. Both rings take four cycles, so a frame's first beat is there with its entry.
        self.record.din.next = self.queue.head.val();
        self.entry.next = self.record.dout.val();
        self.frame.next = self.entry.val().frame;
        self.bytes.next = self.entry.val().bytes;
        self.there.next = self.queue.valid.val() & (self.beats.valid.val() | !self.frame.val());
        self.next_valid.next = self.there.val() & !self.under_way.q.val();
        self.next_frame.next = self.frame.val();
        self.next_bytes.next = self.bytes.val();
        self.shown.next = self.there.val() & (self.under_way.q.val() | self.go.val());
        self.started.next = self.there.val() & self.go.val() & !self.under_way.q.val();

        self.next_number.next = self.number.q.val() + 1;
        self.last.next = (self.next_number.val() == self.entry.val().beats) | !self.frame.val();
        self.head_valid.next = self.shown.val();
        self.head_frame.next = self.frame.val();
        self.head_data.next = self.beats.head.val();
        self.head_first.next = !self.number.q.val().any();
        self.head_last.next = self.last.val();
        // bytes modulo 64, where 64 counts as 64
        self.tail.next = bit_cast::<6, 14>(self.bytes.val());
        self.head_bytes.next = 64.into();
        if self.last.val() & self.tail.val().any() {
            self.head_bytes.next = bit_cast::<7, 6>(self.tail.val());
        }
        self.head_intent.next = self.entry.val().intent;
        self.head_queue.next = self.entry.val().queue;

        self.leaves.next = self.shown.val() & self.head_ready.val();
        self.beats.take.next = self.leaves.val() & self.frame.val();
        self.queue.take.next = self.leaves.val() & self.last.val();
        if self.shown.val() {
            self.under_way.d.next = true;
        }
        if self.leaves.val() {
            self.number.d.next = self.next_number.val();
            if self.last.val() {
                self.number.d.next = 0.into();
                self.under_way.d.next = false;
            }
        }
        if self.rst.val() {
            self.counted.d.next = 0.into();
            self.has_room.d.next = false;
            self.number.d.next = 0.into();
            self.under_way.d.next = false;
        }
    }
}
