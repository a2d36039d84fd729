//! Beside host 2: **meter**. `2^A` counters of 64 bits in a RAM: what `index` counts grows by `gain`.
//!
//! In: an event per cycle (`valid, index, gain`), for ever, two of the same index in turn too; a read (`ask`,
//! `ask_index`), which is `taken` in the first cycle without an event. Out: `done` with `value`, four cycles after.
//! A value holds every event before the read. Counters start at zero when the device is configured; no reset clears them.
//! Latency: five cycles to memory; an event sees the three before it on their way.
//! Model: `model/src/meters.rs`. Tests: `tests/host/meter.rs`. Registers: `METER`.

use crate::prim::Sdp;
use rust_hdl::prelude::*;

/// The counters.
#[derive(LogicBlock)]
pub struct Meter<const A: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub index: Signal<In, Bits<A>>,
    pub gain: Signal<In, Bits<14>>,
    pub ask: Signal<In, Bit>,
    pub ask_index: Signal<In, Bits<A>>,
    pub taken: Signal<Out, Bit>,
    pub done: Signal<Out, Bit>,
    pub value: Signal<Out, Bits<64>>,
    ram: Sdp<64, A>,
    valid1: DFF<Bit>,
    asked1: DFF<Bit>,
    index1: DFF<Bits<A>>,
    gain1: DFF<Bits<14>>,
    valid2: DFF<Bit>,
    asked2: DFF<Bit>,
    index2: DFF<Bits<A>>,
    gain2: DFF<Bits<14>>,
    /// The event two, and three, before the one at stage 2 is of the same index.
    same_by2: DFF<Bit>,
    same_by3: DFF<Bit>,
    valid3: DFF<Bit>,
    asked3: DFF<Bit>,
    index3: DFF<Bits<A>>,
    gain3: DFF<Bits<14>>,
    /// The event before the one at stage 3 is of the same index.
    same_by1: DFF<Bit>,
    base3: DFF<Bits<64>>,
    valid4: DFF<Bit>,
    asked4: DFF<Bit>,
    index4: DFF<Bits<A>>,
    sum4: DFF<Bits<64>>,
    sum5: DFF<Bits<64>>,
    base: Signal<Local, Bits<64>>,
    sum: Signal<Local, Bits<64>>,
}

impl<const A: usize> Default for Meter<A> {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            valid: Default::default(),
            index: Default::default(),
            gain: Default::default(),
            ask: Default::default(),
            ask_index: Default::default(),
            taken: Default::default(),
            done: Default::default(),
            value: Default::default(),
            ram: Sdp::by_depth(),
            valid1: Default::default(),
            asked1: Default::default(),
            index1: Default::default(),
            gain1: Default::default(),
            valid2: Default::default(),
            asked2: Default::default(),
            index2: Default::default(),
            gain2: Default::default(),
            same_by2: Default::default(),
            same_by3: Default::default(),
            valid3: Default::default(),
            asked3: Default::default(),
            index3: Default::default(),
            gain3: Default::default(),
            same_by1: Default::default(),
            base3: Default::default(),
            valid4: Default::default(),
            asked4: Default::default(),
            index4: Default::default(),
            sum4: Default::default(),
            sum5: Default::default(),
            base: Default::default(),
            sum: Default::default(),
        }
    }
}

impl<const A: usize> Logic for Meter<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, valid1, asked1, index1, gain1, valid2, asked2, index2, gain2, same_by2, same_by3);
        dff_setup!(self, clk, valid3, asked3, index3, gain3, same_by1, base3, valid4, asked4, index4, sum4, sum5);
        // 0: an event, or else a read.
        self.taken.next = self.ask.val() & !self.valid.val();
        self.valid1.d.next = self.valid.val();
        self.asked1.d.next = self.ask.val() & !self.valid.val();
        self.index1.d.next = self.ask_index.val();
        self.gain1.d.next = 0.into();
        if self.valid.val() {
            self.index1.d.next = self.index.val();
            self.gain1.d.next = self.gain.val();
        }
        // 1: the RAM is read.
        self.ram.clk.next = self.clk.val();
        self.ram.raddr.next = self.index1.q.val();
        self.valid2.d.next = self.valid1.q.val();
        self.asked2.d.next = self.asked1.q.val();
        self.index2.d.next = self.index1.q.val();
        self.gain2.d.next = self.gain1.q.val();
        self.same_by2.d.next = self.valid3.q.val() & (self.index3.q.val() == self.index1.q.val());
        self.same_by3.d.next = self.valid4.q.val() & (self.index4.q.val() == self.index1.q.val());
        // 2: what it said, or what is newer.
        self.valid3.d.next = self.valid2.q.val();
        self.asked3.d.next = self.asked2.q.val();
        self.index3.d.next = self.index2.q.val();
        self.gain3.d.next = self.gain2.q.val();
        self.same_by1.d.next = self.valid3.q.val() & (self.index3.q.val() == self.index2.q.val());
        self.base3.d.next = self.ram.rdata.val();
        if self.same_by2.q.val() {
            self.base3.d.next = self.sum4.q.val();
        } else if self.same_by3.q.val() {
            self.base3.d.next = self.sum5.q.val();
        }
        // 3: the sum.
        self.base.next = self.base3.q.val();
        if self.same_by1.q.val() {
            self.base.next = self.sum4.q.val();
        }
        self.sum.next = self.base.val() + bit_cast::<64, 14>(self.gain3.q.val());
        self.valid4.d.next = self.valid3.q.val();
        self.asked4.d.next = self.asked3.q.val();
        self.index4.d.next = self.index3.q.val();
        self.sum4.d.next = self.sum.val();
        // 4: it is written, or told.
        self.ram.we.next = self.valid4.q.val();
        self.ram.waddr.next = self.index4.q.val();
        self.ram.wdata.next = self.sum4.q.val();
        self.sum5.d.next = self.sum4.q.val();
        self.done.next = self.asked4.q.val();
        self.value.next = self.sum4.q.val();
        if self.rst.val() {
            self.valid1.d.next = false;
            self.asked1.d.next = false;
            self.valid2.d.next = false;
            self.asked2.d.next = false;
            self.valid3.d.next = false;
            self.asked3.d.next = false;
            self.valid4.d.next = false;
            self.asked4.d.next = false;
        }
    }
}
