//! The words of a frame, side by side till the last is there, then its beats.
//!
//! In: `word`s by number (`at`), the last with `last`; `clear` before the first of a frame; `shape`, and what is told of
//! the frame, while it is here. Out: one or two beats, without a gap; `left` with the last of them.
//!
//! What lies beyond a frame's end is zero: all is cleared before a frame, and what only a first beat has when that leaves.

use super::plan::{frame_bytes, PAD, WORDS};
use crate::prim::{Lit, Rom, Value, Wide};
use matchrdma_spec::params::BEAT_BYTES;
use rust_hdl::prelude::*;

const FRAME_BITS: usize = 64 * WORDS;

/// One beat of a frame.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Beat {
    pub data: Bits<512>,
    pub bytes: Bits<7>,
    pub first: Bit,
    pub last: Bit,
    pub nak: Bit,
    pub cnp: Bit,
}

/// The bits of a first beat in words that have nothing of a second one.
#[derive(Clone, Debug)]
struct Beyond;

impl Value<512> for Beyond {
    fn value() -> Bits<512> {
        let from = FRAME_BITS - 8 * (PAD + BEAT_BYTES);
        let to = 512 - 8 * PAD;
        (from..to).fold(Bits::default(), |all, bit| all.replace_bit(bit, true))
    }
}

/// Words in, beats out.
#[derive(LogicBlock)]
pub struct Beats {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub clear: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub at: Signal<In, Bits<4>>,
    pub word: Signal<In, Bits<64>>,
    pub last: Signal<In, Bit>,
    pub shape: Signal<In, Bits<4>>,
    pub nak: Signal<In, Bit>,
    pub cnp: Signal<In, Bit>,
    pub ack_valid: Signal<Out, Bit>,
    pub ack: Signal<Out, Beat>,
    pub ack_ready: Signal<In, Bit>,
    pub left: Signal<Out, Bit>,

    beat_bytes: Lit<7, { BEAT_BYTES as u64 }>,
    first_at: Lit<10, { 8 * PAD as u64 }>,
    second_at: Lit<10, { 8 * (PAD + BEAT_BYTES) as u64 }>,
    beyond: Wide<512, Beyond>,
    done0: DFF<Bits<64>>,
    done1: DFF<Bits<64>>,
    done2: DFF<Bits<64>>,
    done3: DFF<Bits<64>>,
    done4: DFF<Bits<64>>,
    done5: DFF<Bits<64>>,
    done6: DFF<Bits<64>>,
    done7: DFF<Bits<64>>,
    done8: DFF<Bits<64>>,
    done9: DFF<Bits<64>>,
    done10: DFF<Bits<64>>,
    done11: DFF<Bits<64>>,
    done12: DFF<Bits<64>>,
    frame: Signal<Local, Bits<FRAME_BITS>>,
    full: DFF<Bit>,
    second: DFF<Bit>,
    sizes: Rom<7, 4>,
    bytes: Signal<Local, Bits<7>>,
    two: Signal<Local, Bit>,
    head: Signal<Local, Bits<512>>,
    tail: Signal<Local, Bits<512>>,
    cleared: Signal<Local, Bits<512>>,
    beat: Signal<Local, Beat>,
    leaves: Signal<Local, Bit>,
}

impl Default for Beats {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            clear: Default::default(),
            valid: Default::default(),
            at: Default::default(),
            word: Default::default(),
            last: Default::default(),
            shape: Default::default(),
            nak: Default::default(),
            cnp: Default::default(),
            ack_valid: Default::default(),
            ack: Default::default(),
            ack_ready: Default::default(),
            left: Default::default(),
            beat_bytes: Default::default(),
            first_at: Default::default(),
            second_at: Default::default(),
            beyond: Default::default(),
            done0: Default::default(),
            done1: Default::default(),
            done2: Default::default(),
            done3: Default::default(),
            done4: Default::default(),
            done5: Default::default(),
            done6: Default::default(),
            done7: Default::default(),
            done8: Default::default(),
            done9: Default::default(),
            done10: Default::default(),
            done11: Default::default(),
            done12: Default::default(),
            frame: Default::default(),
            full: Default::default(),
            second: Default::default(),
            sizes: Rom::new(|at| bits(frame_bytes(at) as u64)),
            bytes: Default::default(),
            two: Default::default(),
            head: Default::default(),
            tail: Default::default(),
            cleared: Default::default(),
            beat: Default::default(),
            leaves: Default::default(),
        }
    }
}

impl Logic for Beats {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, done0, done1, done2, done3, done4, done5, done6);
        dff_setup!(self, clk, done7, done8, done9, done10, done11, done12, full, second);
        if self.valid.val() & (self.at.val() == 0) {
            self.done0.d.next = self.word.val();
        }
        if self.valid.val() & (self.at.val() == 1) {
            self.done1.d.next = self.word.val();
        }
        if self.valid.val() & (self.at.val() == 2) {
            self.done2.d.next = self.word.val();
        }
        if self.valid.val() & (self.at.val() == 3) {
            self.done3.d.next = self.word.val();
        }
        if self.valid.val() & (self.at.val() == 4) {
            self.done4.d.next = self.word.val();
        }
        if self.valid.val() & (self.at.val() == 5) {
            self.done5.d.next = self.word.val();
        }
        if self.valid.val() & (self.at.val() == 6) {
            self.done6.d.next = self.word.val();
        }
        if self.valid.val() & (self.at.val() == 7) {
            self.done7.d.next = self.word.val();
        }
        if self.valid.val() & (self.at.val() == 8) {
            self.done8.d.next = self.word.val();
        }
        if self.valid.val() & (self.at.val() == 9) {
            self.done9.d.next = self.word.val();
        }
        if self.valid.val() & (self.at.val() == 10) {
            self.done10.d.next = self.word.val();
        }
        if self.valid.val() & (self.at.val() == 11) {
            self.done11.d.next = self.word.val();
        }
        if self.valid.val() & (self.at.val() == 12) {
            self.done12.d.next = self.word.val();
        }
        if self.clear.val() {
            self.done0.d.next = 0.into();
            self.done1.d.next = 0.into();
            self.done2.d.next = 0.into();
            self.done3.d.next = 0.into();
            self.done4.d.next = 0.into();
            self.done5.d.next = 0.into();
            self.done6.d.next = 0.into();
            self.done7.d.next = 0.into();
            self.done8.d.next = 0.into();
            self.done9.d.next = 0.into();
            self.done10.d.next = 0.into();
            self.done11.d.next = 0.into();
            self.done12.d.next = 0.into();
        }
        self.frame.next = bit_cast::<FRAME_BITS, 64>(self.done0.q.val())
            | (bit_cast::<FRAME_BITS, 64>(self.done1.q.val()) << 64)
            | (bit_cast::<FRAME_BITS, 64>(self.done2.q.val()) << 128)
            | (bit_cast::<FRAME_BITS, 64>(self.done3.q.val()) << 192)
            | (bit_cast::<FRAME_BITS, 64>(self.done4.q.val()) << 256)
            | (bit_cast::<FRAME_BITS, 64>(self.done5.q.val()) << 320)
            | (bit_cast::<FRAME_BITS, 64>(self.done6.q.val()) << 384)
            | (bit_cast::<FRAME_BITS, 64>(self.done7.q.val()) << 448)
            | (bit_cast::<FRAME_BITS, 64>(self.done8.q.val()) << 512)
            | (bit_cast::<FRAME_BITS, 64>(self.done9.q.val()) << 576)
            | (bit_cast::<FRAME_BITS, 64>(self.done10.q.val()) << 640)
            | (bit_cast::<FRAME_BITS, 64>(self.done11.q.val()) << 704)
            | (bit_cast::<FRAME_BITS, 64>(self.done12.q.val()) << 768);

        self.sizes.addr.next = self.shape.val();
        self.bytes.next = self.sizes.dout.val();
        self.two.next = self.bytes.val() > self.beat_bytes.val();
        self.head.next = bit_cast::<512, FRAME_BITS>(self.frame.val() >> self.first_at.val());
        self.tail.next = bit_cast::<512, FRAME_BITS>(self.frame.val() >> self.second_at.val());
        self.cleared.next = self.head.val() & self.beyond.val();
        self.beat.next.nak = self.nak.val();
        self.beat.next.cnp = self.cnp.val();
        self.beat.next.data = self.head.val();
        self.beat.next.bytes = self.bytes.val();
        self.beat.next.first = true;
        self.beat.next.last = !self.two.val();
        if self.second.q.val() {
            self.beat.next.data = self.tail.val() | self.cleared.val();
            self.beat.next.bytes = self.bytes.val() - self.beat_bytes.val();
            self.beat.next.first = false;
            self.beat.next.last = true;
        } else if self.two.val() {
            self.beat.next.bytes = self.beat_bytes.val();
        }
        self.ack.next = self.beat.val();
        self.ack_valid.next = self.full.q.val();
        if self.valid.val() & self.last.val() {
            self.full.d.next = true;
        }
        self.leaves.next = self.full.q.val() & self.ack_ready.val();
        self.left.next = self.leaves.val() & (self.second.q.val() | !self.two.val());
        if self.leaves.val() {
            self.second.d.next = self.two.val() & !self.second.q.val();
            self.full.d.next = self.two.val() & !self.second.q.val();
        }
        if self.leaves.val() & self.two.val() & !self.second.q.val() {
            self.done5.d.next = 0.into();
            self.done6.d.next = 0.into();
            self.done7.d.next = 0.into();
        }
        if self.rst.val() {
            self.full.d.next = false;
            self.second.d.next = false;
        }
    }
}
