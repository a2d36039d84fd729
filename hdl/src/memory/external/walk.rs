//! Beside **external memory**: which frames are there whole, and which of them are not what they should be.
//!
//! In: descriptors in order; how many beats have come in a row. Out: entries that may be shown, with `spoilt`.
//! Latency: an entry whose last beat came in one cycle may be shown two cycles later.
//! Model: `model::packet_memory`. Tests: `tests/memory/external.rs`. Registers: none.

use crate::memory::Descriptor;
use crate::prim::{Fifo, Unpack};
use rust_hdl::prelude::*;

/// An entry that is there whole.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Entry {
    pub descriptor: Descriptor,
    /// Its frame must not be shown.
    pub spoilt: Bit,
}

const DESCRIPTOR_BITS: usize = <Descriptor as Synth>::BITS;
const ENTRY_BITS: usize = <Entry as Synth>::BITS;

/// Goes over the beats of one frame after another; a frame is done when all its beats have come.
///
/// It looks at the error mark of each block in which it stands: a frame that shares a block may be lost with it.
#[derive(LogicBlock, Default)]
pub struct Walk {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub descriptor_valid: Signal<In, Bit>,
    pub descriptor: Signal<In, Bits<DESCRIPTOR_BITS>>,
    pub descriptor_take: Signal<Out, Bit>,
    /// Of the window.
    pub have: Signal<In, Bits<5>>,
    pub spoilt: Signal<In, Bit>,
    pub step: Signal<Out, Bits<5>>,
    pub ends: Signal<Out, Bit>,
    pub entry_valid: Signal<Out, Bit>,
    pub entry: Signal<Out, Entry>,
    pub entry_take: Signal<In, Bit>,
    record: Unpack<DESCRIPTOR_BITS, Descriptor>,
    entries: Fifo<ENTRY_BITS, 5>,
    shown: Unpack<ENTRY_BITS, Entry>,
    next: Signal<Local, Descriptor>,
    whole: Signal<Local, Entry>,
    done: DFF<Bits<8>>,
    found: DFF<Bit>,
    goes: Signal<Local, Bit>,
    need: Signal<Local, Bits<8>>,
    there: Signal<Local, Bits<8>>,
    wrong: Signal<Local, Bit>,
    closes: Signal<Local, Bit>,
}

impl Logic for Walk {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, done, found);
        self.entries.clk.next = self.clk.val();
        self.entries.rst.next = self.rst.val();
        self.record.din.next = self.descriptor.val();
        self.next.next = self.record.dout.val();
        self.goes.next = self.descriptor_valid.val() & !self.entries.full.val();
        self.there.next = bit_cast::<8, 5>(self.have.val());
        self.need.next = self.next.val().beats - self.done.q.val();
        self.wrong.next = self.found.q.val() | (self.spoilt.val() & self.have.val().any());

        // As many beats as there are, but none of the next frame.
        self.step.next = 0.into();
        self.closes.next = self.goes.val() & !self.next.val().frame;
        if self.goes.val() & self.next.val().frame {
            self.step.next = self.have.val();
            self.done.d.next = self.done.q.val() + self.there.val();
            self.found.d.next = self.wrong.val();
            if self.there.val() >= self.need.val() {
                self.step.next = bit_cast::<5, 8>(self.need.val());
                self.closes.next = true;
            }
        }
        if self.closes.val() {
            self.done.d.next = 0.into();
            self.found.d.next = false;
        }
        self.whole.next.descriptor = self.next.val();
        self.whole.next.spoilt = self.wrong.val() & self.next.val().frame;
        self.entries.wr.next = self.closes.val();
        self.entries.din.next = self.whole.val().into();
        self.ends.next = self.closes.val();
        self.descriptor_take.next = self.closes.val();
        self.shown.din.next = self.entries.dout.val();
        self.entry.next = self.shown.dout.val();
        self.entry_valid.next = !self.entries.empty.val();
        self.entries.rd.next = self.entry_take.val();
        if self.rst.val() {
            self.done.d.next = 0.into();
            self.found.d.next = false;
        }
    }
}
