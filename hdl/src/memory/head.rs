//! Beside **packet_memory**: what is at the head of a queue of entries and one of beats, as one stream.
//!
//! In: the first entry, the first beat. Out: the head stream, and what it takes of both.
//! Latency: none. Model: `model::packet_memory`. Tests: `tests/memory/`. Registers: none.

use super::Descriptor;
use crate::record::Intent;
use rust_hdl::prelude::*;

/// Makes first, last and bytes of each beat from the entry of its frame, which must be there whole.
///
/// An entry that is `hidden` is taken, beat by beat, and not shown; `hides` is up with its last beat.
#[derive(LogicBlock, Default)]
pub struct Head {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub entry_valid: Signal<In, Bit>,
    pub entry: Signal<In, Descriptor>,
    pub hidden: Signal<In, Bit>,
    pub entry_take: Signal<Out, Bit>,
    pub beat_valid: Signal<In, Bit>,
    pub beat: Signal<In, Bits<512>>,
    pub beat_take: Signal<Out, Bit>,
    pub hides: Signal<Out, Bit>,
    pub head_valid: Signal<Out, Bit>,
    pub head_frame: Signal<Out, Bit>,
    pub head_data: Signal<Out, Bits<512>>,
    pub head_bytes: Signal<Out, Bits<7>>,
    pub head_first: Signal<Out, Bit>,
    pub head_last: Signal<Out, Bit>,
    pub head_intent: Signal<Out, Intent>,
    pub head_queue: Signal<Out, Bits<5>>,
    /// Bytes of the whole frame.
    pub head_total: Signal<Out, Bits<14>>,
    pub head_ready: Signal<In, Bit>,
    there: Signal<Local, Bit>,
    frame: Signal<Local, Bit>,
    bytes: Signal<Local, Bits<14>>,
    tail: Signal<Local, Bits<6>>,
    number: DFF<Bits<8>>,
    next_number: Signal<Local, Bits<8>>,
    last: Signal<Local, Bit>,
    shown: Signal<Local, Bit>,
    drops: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
}

impl Logic for Head {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, number);
        self.frame.next = self.entry.val().frame;
        self.bytes.next = self.entry.val().bytes;
        self.there.next = self.entry_valid.val() & (self.beat_valid.val() | !self.frame.val());
        self.shown.next = self.there.val() & !self.hidden.val();
        self.drops.next = self.there.val() & self.hidden.val();
        self.next_number.next = self.number.q.val() + 1;
        self.last.next = (self.next_number.val() == self.entry.val().beats) | !self.frame.val();
        self.head_valid.next = self.shown.val();
        self.head_frame.next = self.frame.val();
        self.head_data.next = self.beat.val();
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
        self.head_total.next = self.bytes.val();
        self.leaves.next = (self.shown.val() & self.head_ready.val()) | self.drops.val();
        self.beat_take.next = self.leaves.val() & self.frame.val();
        self.entry_take.next = self.leaves.val() & self.last.val();
        self.hides.next = self.drops.val() & self.last.val();
        if self.leaves.val() {
            self.number.d.next = self.next_number.val();
            if self.last.val() {
                self.number.d.next = 0.into();
            }
        }
        if self.rst.val() {
            self.number.d.next = 0.into();
        }
    }
}
