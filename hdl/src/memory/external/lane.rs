//! Beside **external memory**: one class of frames, a ring of its own.
//!
//! In: the rail with its verdict, as [`PacketMemory`](crate::memory::PacketMemory) has it. Out: its head stream and `room`.
//! Latency: the memory's, twice, and about 40 cycles. Model: `model::packet_memory`. Tests: `tests/memory/external.rs`.
//! Registers: none of its own.
//!
//! A frame goes through six places that follow each other round the ring: written, committed, given to the port, durable
//! (its response came), asked for, left. Nothing is asked for before it is durable.

use super::stage::Stage;
use super::walk::{Entry, Walk};
use super::window::Window;
use crate::memory::head::Head;
use crate::memory::{Descriptor, OnChip};
use crate::prim::Fifo;
use crate::record::Intent;
use matchrdma_spec::params::{MAX_FRAME_BEATS, STAGE_BEATS};
use rust_hdl::prelude::*;

/// Free descriptors that `room` asks for: more than the verdicts on their way.
const ROOM_DESCRIPTORS: usize = 32;

const DESCRIPTOR_BITS: usize = <Descriptor as Synth>::BITS;

/// `2^D` descriptors on chip, and a ring of `mask` + 1 blocks of 1 KiB from `base` KiB on; `mask` + 1 is a power of two
/// from 32 on. Both may change only while nothing is held.
///
/// While `on` is low there is no room. A block of which a write failed, or a read, spoils the frames that share it: they
/// are `lost`, each told once, and never shown.
#[derive(LogicBlock)]
pub struct Lane<const D: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub on: Signal<In, Bit>,
    pub base: Signal<In, Bits<30>>,
    pub mask: Signal<In, Bits<22>>,
    pub rail_valid: Signal<In, Bit>,
    pub rail_data: Signal<In, Bits<512>>,
    pub rail_bytes: Signal<In, Bits<7>>,
    pub rail_first: Signal<In, Bit>,
    pub rail_last: Signal<In, Bit>,
    pub rail_queue: Signal<In, Bits<5>>,
    pub rail_total: Signal<Out, Bits<14>>,
    pub verdict_valid: Signal<In, Bit>,
    pub forward: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub intent: Signal<In, Intent>,
    pub room: Signal<Out, Bit>,
    pub empty: Signal<Out, Bit>,
    pub held_beats: Signal<Out, Bits<26>>,
    pub held_descriptors: Signal<Out, Bits<16>>,
    pub head_valid: Signal<Out, Bit>,
    pub head_frame: Signal<Out, Bit>,
    pub head_data: Signal<Out, Bits<512>>,
    pub head_bytes: Signal<Out, Bits<7>>,
    pub head_first: Signal<Out, Bit>,
    pub head_last: Signal<Out, Bit>,
    pub head_intent: Signal<Out, Intent>,
    pub head_queue: Signal<Out, Bits<5>>,
    /// Bytes of the frame at the head, whether it is shown or lost.
    pub head_total: Signal<Out, Bits<14>>,
    pub head_ready: Signal<In, Bit>,
    /// The frame at the head is lost, and gone.
    pub lost: Signal<Out, Bit>,
    // The port.
    pub write_want: Signal<Out, Bit>,
    pub write_beats: Signal<Out, Bits<5>>,
    pub write_address: Signal<Out, Bits<40>>,
    pub write_take: Signal<In, Bit>,
    pub word_valid: Signal<Out, Bit>,
    pub word: Signal<Out, Bits<512>>,
    pub word_pop: Signal<In, Bit>,
    pub done_valid: Signal<In, Bit>,
    pub done_beats: Signal<In, Bits<5>>,
    pub done_error: Signal<In, Bit>,
    /// No more responses for now: too many have failed.
    pub done_stop: Signal<Out, Bit>,
    pub read_want: Signal<Out, Bit>,
    pub read_beats: Signal<Out, Bits<5>>,
    pub read_address: Signal<Out, Bits<40>>,
    pub read_slot: Signal<Out, Bits<5>>,
    pub read_take: Signal<In, Bit>,
    pub came_valid: Signal<In, Bit>,
    pub came_slot: Signal<In, Bits<5>>,
    pub came_data: Signal<In, Bits<512>>,
    pub came_error: Signal<In, Bit>,
    stage: Stage,
    window: Window,
    walk: Walk,
    descriptors: OnChip<DESCRIPTOR_BITS, D>,
    top: Head,
    /// Blocks that failed, in the order of their reading.
    failed: Fifo<22, 6>,
    last_failed: DFF<Bits<22>>,
    durable: DFF<Bits<26>>,
    counted: DFF<Bits<8>>,
    descriptors_held: DFF<Bits<16>>,
    has_room: DFF<Bit>,
    most: DFF<Bits<26>>,
    earlier: Signal<Local, Bits<8>>,
    count: Signal<Local, Bits<8>>,
    ends: Signal<Local, Bit>,
    keeps: Signal<Local, Bit>,
    total: Signal<Local, Bits<14>>,
    fresh: Signal<Local, Descriptor>,
    entry: Signal<Local, Entry>,
    held: Signal<Local, Bits<26>>,
    size: Signal<Local, Bits<26>>,
    write_block: Signal<Local, Bits<22>>,
    write_place: Signal<Local, Bits<30>>,
    read_block: Signal<Local, Bits<22>>,
    read_place: Signal<Local, Bits<30>>,
    done_block: Signal<Local, Bits<22>>,
    again: Signal<Local, Bit>,
    spoils: Signal<Local, Bit>,
    pushed: Signal<Local, Bit>,
    popped: Signal<Local, Bit>,
    reserve: Constant<Bits<26>>,
    most_staged: Constant<Bits<16>>,
    most_descriptors: Constant<Bits<16>>,
}

impl<const D: usize> Default for Lane<D> {
    fn default() -> Self {
        assert!((1 << D) > ROOM_DESCRIPTORS, "a queue of 2^{D} descriptors never has room");
        Self {
            clk: Default::default(),
            rst: Default::default(),
            on: Default::default(),
            base: Default::default(),
            mask: Default::default(),
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
            head_valid: Default::default(),
            head_frame: Default::default(),
            head_data: Default::default(),
            head_bytes: Default::default(),
            head_first: Default::default(),
            head_last: Default::default(),
            head_intent: Default::default(),
            head_queue: Default::default(),
            head_total: Default::default(),
            head_ready: Default::default(),
            lost: Default::default(),
            write_want: Default::default(),
            write_beats: Default::default(),
            write_address: Default::default(),
            write_take: Default::default(),
            word_valid: Default::default(),
            word: Default::default(),
            word_pop: Default::default(),
            done_valid: Default::default(),
            done_beats: Default::default(),
            done_error: Default::default(),
            done_stop: Default::default(),
            read_want: Default::default(),
            read_beats: Default::default(),
            read_address: Default::default(),
            read_slot: Default::default(),
            read_take: Default::default(),
            came_valid: Default::default(),
            came_slot: Default::default(),
            came_data: Default::default(),
            came_error: Default::default(),
            stage: Default::default(),
            window: Default::default(),
            walk: Default::default(),
            descriptors: OnChip::by_depth(),
            top: Default::default(),
            failed: Default::default(),
            last_failed: Default::default(),
            durable: Default::default(),
            counted: Default::default(),
            descriptors_held: Default::default(),
            has_room: Default::default(),
            most: Default::default(),
            earlier: Default::default(),
            count: Default::default(),
            ends: Default::default(),
            keeps: Default::default(),
            total: Default::default(),
            fresh: Default::default(),
            entry: Default::default(),
            held: Default::default(),
            size: Default::default(),
            write_block: Default::default(),
            write_place: Default::default(),
            read_block: Default::default(),
            read_place: Default::default(),
            done_block: Default::default(),
            again: Default::default(),
            spoils: Default::default(),
            pushed: Default::default(),
            popped: Default::default(),
            reserve: Constant::new(bits(2 * MAX_FRAME_BEATS as u64)),
            most_staged: Constant::new(bits((STAGE_BEATS - 2 * MAX_FRAME_BEATS) as u64)),
            most_descriptors: Constant::new(bits(((1 << D) - ROOM_DESCRIPTORS) as u64)),
        }
    }
}

impl<const D: usize> Logic for Lane<D> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, last_failed, durable, counted, descriptors_held, has_room, most);
        self.stage.clk.next = self.clk.val();
        self.stage.rst.next = self.rst.val();
        self.window.clk.next = self.clk.val();
        self.window.rst.next = self.rst.val();
        self.walk.clk.next = self.clk.val();
        self.walk.rst.next = self.rst.val();
        self.descriptors.clk.next = self.clk.val();
        self.descriptors.rst.next = self.rst.val();
        self.top.clk.next = self.clk.val();
        self.top.rst.next = self.rst.val();
        self.failed.clk.next = self.clk.val();
        self.failed.rst.next = self.rst.val();

        // In: every beat is staged, the verdict says whether it stays.
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
        self.stage.we.next = self.rail_valid.val();
        self.stage.data.next = self.rail_data.val();
        self.stage.commit.next = self.ends.val() & self.keeps.val();
        self.stage.rewind.next = self.ends.val() & !self.keeps.val();
        self.fresh.next.frame = self.forward.val();
        self.fresh.next.beats = self.count.val();
        self.total.next = (bit_cast::<14, 8>(self.earlier.val()) << 6) + bit_cast::<14, 7>(self.rail_bytes.val());
        self.rail_total.next = self.total.val();
        self.fresh.next.bytes = self.total.val();
        self.fresh.next.queue = self.rail_queue.val();
        self.fresh.next.intent = self.intent.val();
        self.pushed.next = self.verdict_valid.val() & self.push.val();
        self.descriptors.we.next = self.pushed.val();
        self.descriptors.commit.next = self.pushed.val();
        self.descriptors.rewind.next = false;
        self.descriptors.data.next = self.fresh.val().into();

        // Room: in the ring, in the stage, among the descriptors.
        self.held.next = self.stage.written.val() - self.window.left.val();
        self.size.next = bit_cast::<26, 22>(self.mask.val()) << 4 | 15;
        self.most.d.next = self.size.val() - self.reserve.val() + 1;
        self.has_room.d.next = (self.held.val() <= self.most.q.val())
            & (self.stage.used.val() <= self.most_staged.val())
            & (self.descriptors_held.q.val() <= self.most_descriptors.val());
        self.room.next = self.has_room.q.val() & self.on.val();
        self.held_beats.next = self.held.val();
        self.held_descriptors.next = self.descriptors_held.q.val();
        self.empty.next = !self.descriptors_held.q.val().any();

        // Write.
        self.write_want.next = self.stage.want.val();
        self.write_beats.next = self.stage.beats.val();
        self.write_block.next = self.stage.place.val().get_bits::<22>(4) & self.mask.val();
        self.write_place.next = self.base.val() + bit_cast::<30, 22>(self.write_block.val());
        self.write_address.next = bit_cast::<40, 30>(self.write_place.val()) << 10
            | bit_cast::<40, 4>(self.stage.place.val().get_bits::<4>(0)) << 6;
        self.stage.take.next = self.write_take.val();
        self.word_valid.next = self.stage.valid.val();
        self.word.next = self.stage.word.val();
        self.stage.pop.next = self.word_pop.val();

        // Responses come in order: what is written is durable up to here, and a block that failed is remembered.
        self.done_block.next = self.durable.q.val().get_bits::<22>(4);
        if self.done_valid.val() {
            self.durable.d.next = self.durable.q.val() + bit_cast::<26, 5>(self.done_beats.val());
        }
        self.again.next = !self.failed.empty.val() & (self.last_failed.q.val() == self.done_block.val());
        self.failed.wr.next = self.done_valid.val() & self.done_error.val() & !self.again.val();
        self.failed.din.next = self.done_block.val();
        if self.failed.wr.val() {
            self.last_failed.d.next = self.done_block.val();
        }
        self.done_stop.next = self.failed.full.val();

        // Read.
        self.window.durable.next = self.durable.q.val();
        self.read_want.next = self.window.want.val();
        self.read_beats.next = self.window.beats.val();
        self.read_block.next = self.window.place.val().get_bits::<22>(4) & self.mask.val();
        self.read_place.next = self.base.val() + bit_cast::<30, 22>(self.read_block.val());
        self.read_address.next = bit_cast::<40, 30>(self.read_place.val()) << 10
            | bit_cast::<40, 4>(self.window.place.val().get_bits::<4>(0)) << 6;
        self.read_slot.next = self.window.place.val().get_bits::<5>(4);
        self.window.take.next = self.read_take.val();
        self.spoils.next =
            !self.failed.empty.val() & (self.failed.dout.val() == self.window.place.val().get_bits::<22>(4));
        self.window.spoils.next = self.spoils.val();
        self.failed.rd.next = self.read_take.val() & self.spoils.val();
        self.window.came_valid.next = self.came_valid.val();
        self.window.came_slot.next = self.came_slot.val();
        self.window.came_data.next = self.came_data.val();
        self.window.came_error.next = self.came_error.val();

        // Which frames are there.
        self.walk.descriptor_valid.next = self.descriptors.valid.val();
        self.walk.descriptor.next = self.descriptors.head.val();
        self.descriptors.take.next = self.walk.descriptor_take.val();
        self.walk.have.next = self.window.have.val();
        self.walk.spoilt.next = self.window.spoilt.val();
        self.window.step.next = self.walk.step.val();
        self.window.ends.next = self.walk.ends.val();

        // Out.
        self.entry.next = self.walk.entry.val();
        self.top.entry_valid.next = self.walk.entry_valid.val();
        self.top.entry.next = self.entry.val().descriptor;
        self.top.hidden.next = self.entry.val().spoilt;
        self.walk.entry_take.next = self.top.entry_take.val();
        self.top.beat_valid.next = self.window.valid.val();
        self.top.beat.next = self.window.word.val();
        self.window.pop.next = self.top.beat_take.val();
        self.lost.next = self.top.hides.val();
        self.head_valid.next = self.top.head_valid.val();
        self.head_frame.next = self.top.head_frame.val();
        self.head_data.next = self.top.head_data.val();
        self.head_bytes.next = self.top.head_bytes.val();
        self.head_first.next = self.top.head_first.val();
        self.head_last.next = self.top.head_last.val();
        self.head_intent.next = self.top.head_intent.val();
        self.head_queue.next = self.top.head_queue.val();
        self.head_total.next = self.top.head_total.val();
        self.top.head_ready.next = self.head_ready.val();

        self.popped.next = self.top.entry_take.val();
        if self.pushed.val() & !self.popped.val() {
            self.descriptors_held.d.next = self.descriptors_held.q.val() + 1;
        } else if self.popped.val() & !self.pushed.val() {
            self.descriptors_held.d.next = self.descriptors_held.q.val() - 1;
        }
        if self.rst.val() {
            self.durable.d.next = 0.into();
            self.counted.d.next = 0.into();
            self.descriptors_held.d.next = 0.into();
            self.has_room.d.next = false;
        }
    }
}
