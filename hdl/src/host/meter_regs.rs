//! Beside host 2: **meter_regs**. Block `METER`: three values of a table, read one after the other.
//!
//! In: the register bus; from [meters](super::Meters): `taken`, `done`, `value`. Out: its word, a cycle after `ra`; the read
//! that is wanted. A write of `METER_SELECT` while a read runs starts it afresh when the value under way has come.
//! Model: none. Tests: `tests/host/meters.rs`. Registers: `METER`.

use crate::prim::Lit;
use matchrdma_spec::regs::meter;
use rust_hdl::prelude::*;

/// The block.
#[derive(LogicBlock, Default)]
pub struct MeterRegs {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub wr: Signal<In, Bit>,
    pub wa: Signal<In, Bits<16>>,
    pub wd: Signal<In, Bits<32>>,
    pub ra: Signal<In, Bits<16>>,
    pub rd: Signal<Out, Bits<32>>,
    pub ask: Signal<Out, Bit>,
    pub ask_table: Signal<Out, Bits<3>>,
    pub ask_step: Signal<Out, Bits<2>>,
    pub ask_index: Signal<Out, Bits<12>>,
    pub taken: Signal<In, Bit>,
    pub done: Signal<In, Bit>,
    pub value: Signal<In, Bits<64>>,
    index: DFF<Bits<12>>,
    chosen: DFF<Bits<3>>,
    step: DFF<Bits<2>>,
    asking: DFF<Bit>,
    waiting: DFF<Bit>,
    again: DFF<Bit>,
    value0: DFF<Bits<64>>,
    value1: DFF<Bits<64>>,
    value2: DFF<Bits<64>>,
    read: DFF<Bits<32>>,
    at_select: Lit<16, { meter::SELECT.offset as u64 }>,
    at_status: Lit<16, { meter::STATUS.offset as u64 }>,
    at_value0: Lit<16, { meter::VALUE[0].offset as u64 }>,
    at_value1: Lit<16, { meter::VALUE[1].offset as u64 }>,
    at_value2: Lit<16, { meter::VALUE[2].offset as u64 }>,
    at_value3: Lit<16, { meter::VALUE[3].offset as u64 }>,
    at_value4: Lit<16, { meter::VALUE[4].offset as u64 }>,
    at_value5: Lit<16, { meter::VALUE[5].offset as u64 }>,
}

impl Logic for MeterRegs {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, index, chosen, step, asking, waiting, again, value0, value1, value2, read);
        self.ask.next = self.asking.q.val();
        self.ask_table.next = self.chosen.q.val();
        self.ask_step.next = self.step.q.val();
        self.ask_index.next = self.index.q.val();

        if self.asking.q.val() & self.taken.val() {
            self.asking.d.next = false;
            self.waiting.d.next = true;
        }
        if self.waiting.q.val() & self.done.val() {
            self.waiting.d.next = false;
            if self.step.q.val() == 0 {
                self.value0.d.next = self.value.val();
            } else if self.step.q.val() == 1 {
                self.value1.d.next = self.value.val();
            } else {
                self.value2.d.next = self.value.val();
            }
            if self.again.q.val() {
                self.again.d.next = false;
                self.step.d.next = bits::<2>(0);
                self.asking.d.next = true;
            } else if self.step.q.val() != 2 {
                self.step.d.next = self.step.q.val() + 1;
                self.asking.d.next = true;
            }
        }
        if self.wr.val() & (self.wa.val() == self.at_select.val()) {
            self.index.d.next = self.wd.val().get_bits::<12>(0);
            self.chosen.d.next = self.wd.val().get_bits::<3>(16);
            if self.waiting.q.val() | (self.asking.q.val() & self.taken.val()) {
                self.again.d.next = true;
                if self.waiting.q.val() & self.done.val() {
                    self.again.d.next = false;
                    self.step.d.next = bits::<2>(0);
                    self.asking.d.next = true;
                }
            } else {
                self.step.d.next = bits::<2>(0);
                self.asking.d.next = true;
            }
        }

        self.read.d.next = bits::<32>(0);
        if self.ra.val() == self.at_select.val() {
            self.read.d.next = bit_cast::<32, 12>(self.index.q.val()) | (bit_cast::<32, 3>(self.chosen.q.val()) << 16);
        }
        if (self.ra.val() == self.at_status.val()) & (self.asking.q.val() | self.waiting.q.val()) {
            self.read.d.next = bits::<32>(1);
        }
        if self.ra.val() == self.at_value0.val() {
            self.read.d.next = self.value0.q.val().get_bits::<32>(0);
        }
        if self.ra.val() == self.at_value1.val() {
            self.read.d.next = self.value0.q.val().get_bits::<32>(32);
        }
        if self.ra.val() == self.at_value2.val() {
            self.read.d.next = self.value1.q.val().get_bits::<32>(0);
        }
        if self.ra.val() == self.at_value3.val() {
            self.read.d.next = self.value1.q.val().get_bits::<32>(32);
        }
        if self.ra.val() == self.at_value4.val() {
            self.read.d.next = self.value2.q.val().get_bits::<32>(0);
        }
        if self.ra.val() == self.at_value5.val() {
            self.read.d.next = self.value2.q.val().get_bits::<32>(32);
        }
        self.rd.next = self.read.q.val();
        if self.rst.val() {
            self.asking.d.next = false;
            self.waiting.d.next = false;
            self.again.d.next = false;
        }
    }
}
