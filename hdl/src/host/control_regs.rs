//! Beside host 2: **control_regs**. Block `CONTROL`: on, off, and whether anything is still inside.
//!
//! In: the register bus; `idle`. Out: its word, a cycle after `ra`; the switches. Model: none. Tests: `tests/host/reg_file.rs`. Registers: `CONTROL`.

use crate::prim::Lit;
use matchrdma_spec::regs::control;
use rust_hdl::prelude::*;

/// The block.
#[derive(LogicBlock, Default)]
pub struct ControlRegs {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub wr: Signal<In, Bit>,
    pub wa: Signal<In, Bits<16>>,
    pub wd: Signal<In, Bits<32>>,
    pub ra: Signal<In, Bits<16>>,
    pub rd: Signal<Out, Bits<32>>,
    pub idle: Signal<In, Bit>,
    pub enable: Signal<Out, Bit>,
    pub ack_on_arrival: Signal<Out, Bit>,
    switches: DFF<Bits<2>>,
    read: DFF<Bits<32>>,
    at_control: Lit<16, { control::CONTROL.offset as u64 }>,
    at_status: Lit<16, { control::STATUS.offset as u64 }>,
}

impl Logic for ControlRegs {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, switches, read);
        if self.wr.val() & (self.wa.val() == self.at_control.val()) {
            self.switches.d.next = self.wd.val().get_bits::<2>(0);
        }
        self.read.d.next = bits::<32>(0);
        if self.ra.val() == self.at_control.val() {
            self.read.d.next = bit_cast::<32, 2>(self.switches.q.val());
        }
        if (self.ra.val() == self.at_status.val()) & self.idle.val() {
            self.read.d.next = bits::<32>(1);
        }
        self.rd.next = self.read.q.val();
        self.enable.next = self.switches.q.val().get_bit(0);
        self.ack_on_arrival.next = self.switches.q.val().get_bit(1);
        if self.rst.val() {
            self.switches.d.next = bits::<2>(0);
        }
    }
}
