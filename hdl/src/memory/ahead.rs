//! Beside **path_memory**: the next descriptors of every queue, read ahead.
//!
//! In: which queues hold unread descriptors, and what was read. Out: reads; the descriptor at the head of any queue,
//! in the same cycle; its intent, in the cycle after it was taken.
//! Latency: a descriptor that may be read in one cycle is counted in `waits` four cycles later.
//! Model: none, it is wiring. Tests: `tests/memory/path_memory.rs`. Registers: none.
//!
//! Eight places per queue: a place that is given back is filled again six cycles later, so that one queue alone may
//! give a descriptor in every cycle. All places lie in one table, those of a queue side by side.

use crate::prim::{Decoder, Eights, LutRam, RoundRobin, Sdp};
use rust_hdl::prelude::*;

/// Seventeen queues of up to eight descriptors: 15 bits (frame, bytes) that are looked at before the choice, and an
/// intent that is not.
#[derive(LogicBlock, Default)]
pub struct Ahead {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Empties the places of the queue `clear`.
    pub clearing: Signal<In, Bit>,
    pub clear: Signal<In, Bits<5>>,
    pub unread: Signal<In, Bits<17>>,
    pub re: Signal<Out, Bit>,
    pub rqueue: Signal<Out, Bits<5>>,
    /// What was read two cycles ago.
    pub word: Signal<In, Bits<87>>,
    /// Queues whose head is here, and those of which nothing else is.
    pub waits: Signal<Out, Bits<17>>,
    pub single: Signal<Out, Bits<17>>,
    pub offer: Signal<In, Bits<5>>,
    pub head: Signal<Out, Bits<15>>,
    /// Takes the head of `offer`.
    pub take: Signal<In, Bit>,
    /// Of what was taken in the cycle before.
    pub intent: Signal<Out, Bits<72>>,
    turns: RoundRobin<17, 5>,
    used: Eights<17>,
    there: Eights<17>,
    heads: LutRam<15, 8>,
    intents: Sdp<72, 8>,
    write_slots: LutRam<3, 5>,
    read_slots: LutRam<3, 5>,
    wants: Signal<Local, Bits<17>>,
    picked: DFF<Bit>,
    picked_queue: DFF<Bits<5>>,
    pick: Decoder<17, 5>,
    arrival: Decoder<17, 5>,
    departure: Decoder<17, 5>,
    reads: Signal<Local, Bit>,
    write_slot: Signal<Local, Bits<3>>,
    read_slot: Signal<Local, Bits<3>>,
    place: Signal<Local, Bits<8>>,
    // On its way through the memory.
    coming1: DFF<Bit>,
    coming2: DFF<Bit>,
    place1: DFF<Bits<8>>,
    place2: DFF<Bits<8>>,
}

impl Logic for Ahead {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, picked, picked_queue, coming1, coming2, place1, place2);
        self.turns.clk.next = self.clk.val();
        self.turns.rst.next = self.rst.val();
        self.used.clk.next = self.clk.val();
        self.used.rst.next = self.rst.val();
        self.there.clk.next = self.clk.val();
        self.there.rst.next = self.rst.val();
        self.heads.clk.next = self.clk.val();
        self.intents.clk.next = self.clk.val();
        self.write_slots.clk.next = self.clk.val();
        self.read_slots.clk.next = self.clk.val();

        // The choice may be a cycle late, so it is tested once more.
        self.wants.next = self.unread.val() & !self.used.full.val();
        self.turns.want.next = self.wants.val();
        self.turns.take.next = true;
        self.picked.d.next = self.turns.any.val();
        self.picked_queue.d.next = self.turns.index.val();
        self.pick.on.next = self.picked.q.val();
        self.pick.index.next = self.picked_queue.q.val();
        self.reads.next = (self.pick.one_hot.val() & self.wants.val()).any();
        self.re.next = self.reads.val();
        self.rqueue.next = self.picked_queue.q.val();
        self.used.up.next = self.pick.one_hot.val() & self.wants.val();
        self.write_slots.raddr.next = self.picked_queue.q.val();
        self.write_slot.next = self.write_slots.rdata.val();
        self.write_slots.we.next = self.reads.val() | self.clearing.val();
        self.write_slots.waddr.next = self.picked_queue.q.val();
        self.write_slots.wdata.next = self.write_slot.val() + 1;
        self.coming1.d.next = self.reads.val();
        self.place1.d.next = bit_cast::<8, 5>(self.picked_queue.q.val()) << 3 | bit_cast::<8, 3>(self.write_slot.val());

        // What was read takes its place.
        self.coming2.d.next = self.coming1.q.val();
        self.place2.d.next = self.place1.q.val();
        self.heads.we.next = self.coming2.q.val();
        self.heads.waddr.next = self.place2.q.val();
        self.heads.wdata.next = bit_cast::<15, 87>(self.word.val());
        self.intents.we.next = self.coming2.q.val();
        self.intents.waddr.next = self.place2.q.val();
        self.intents.wdata.next = self.word.val().get_bits::<72>(15);
        self.arrival.on.next = self.coming2.q.val();
        self.arrival.index.next = self.place2.q.val().get_bits::<5>(3);
        self.there.up.next = self.arrival.one_hot.val();

        // Out.
        self.read_slots.raddr.next = self.offer.val();
        self.read_slot.next = self.read_slots.rdata.val();
        self.place.next = bit_cast::<8, 5>(self.offer.val()) << 3 | bit_cast::<8, 3>(self.read_slot.val());
        self.heads.raddr.next = self.place.val();
        self.head.next = self.heads.rdata.val();
        self.intents.raddr.next = self.place.val();
        self.intent.next = self.intents.rdata.val();
        self.departure.on.next = self.take.val();
        self.departure.index.next = self.offer.val();
        self.used.down.next = self.departure.one_hot.val();
        self.there.down.next = self.departure.one_hot.val();
        self.waits.next = self.there.some.val();
        self.single.next = self.there.one.val();
        self.read_slots.we.next = self.take.val() | self.clearing.val();
        self.read_slots.waddr.next = self.offer.val();
        self.read_slots.wdata.next = self.read_slot.val() + 1;
        if self.clearing.val() {
            self.write_slots.waddr.next = self.clear.val();
            self.write_slots.wdata.next = 0.into();
            self.read_slots.waddr.next = self.clear.val();
            self.read_slots.wdata.next = 0.into();
        }
        if self.rst.val() {
            self.picked.d.next = false;
            self.coming1.d.next = false;
            self.coming2.d.next = false;
        }
    }
}
