//! Beside host 2: **pacer_regs**. Block `PACER`: how fast frames leave on the line, and the share of pseudo-ACKs.
//!
//! In: the register bus. Out: its word, a cycle after `ra`; what was set; `deny`. Model: none. Tests: `tests/host/reg_file.rs`. Registers: `PACER`.

use crate::prim::Lit;
use matchrdma_spec::params::{SLOT_K_MAX, SLOT_K_MIN};
use matchrdma_spec::regs::pacer;
use rust_hdl::prelude::*;

/// The block.
#[derive(LogicBlock, Default)]
pub struct PacerRegs {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub wr: Signal<In, Bit>,
    pub wa: Signal<In, Bits<16>>,
    pub wd: Signal<In, Bits<32>>,
    pub ra: Signal<In, Bits<16>>,
    pub rd: Signal<Out, Bits<32>>,
    /// What is about to be written may not be: a slot that is too short or too long.
    pub deny: Signal<Out, Bit>,
    pub slot_k: Signal<Out, Bits<5>>,
    pub overhead: Signal<Out, Bits<8>>,
    pub ack_share_log2: Signal<Out, Bits<4>>,
    set_slot_k: DFF<Bits<5>>,
    set_overhead: DFF<Bits<8>>,
    set_share: DFF<Bits<4>>,
    read: DFF<Bits<32>>,
    refuse: DFF<Bit>,
    least: Lit<32, { SLOT_K_MIN as u64 }>,
    most: Lit<32, { SLOT_K_MAX as u64 }>,
    at_slot_k: Lit<16, { pacer::SLOT_K.offset as u64 }>,
    at_overhead: Lit<16, { pacer::OVERHEAD.offset as u64 }>,
    at_share: Lit<16, { pacer::ACK_SHARE_LOG2.offset as u64 }>,
    reset_slot_k: Lit<5, { pacer::RESET[0] as u64 }>,
    reset_overhead: Lit<8, { pacer::RESET[1] as u64 }>,
    reset_share: Lit<4, { pacer::RESET[2] as u64 }>,
}

impl Logic for PacerRegs {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, set_slot_k, set_overhead, set_share, read, refuse);
        if self.wr.val() & (self.wa.val() == self.at_slot_k.val()) {
            self.set_slot_k.d.next = self.wd.val().get_bits::<5>(0);
        }
        if self.wr.val() & (self.wa.val() == self.at_overhead.val()) {
            self.set_overhead.d.next = self.wd.val().get_bits::<8>(0);
        }
        if self.wr.val() & (self.wa.val() == self.at_share.val()) {
            self.set_share.d.next = self.wd.val().get_bits::<4>(0);
        }
        self.refuse.d.next = (self.wa.val() == self.at_slot_k.val())
            & ((self.wd.val() < self.least.val()) | (self.wd.val() > self.most.val()));
        self.deny.next = self.refuse.q.val();
        self.read.d.next = bits::<32>(0);
        if self.ra.val() == self.at_slot_k.val() {
            self.read.d.next = bit_cast::<32, 5>(self.set_slot_k.q.val());
        }
        if self.ra.val() == self.at_overhead.val() {
            self.read.d.next = bit_cast::<32, 8>(self.set_overhead.q.val());
        }
        if self.ra.val() == self.at_share.val() {
            self.read.d.next = bit_cast::<32, 4>(self.set_share.q.val());
        }
        self.rd.next = self.read.q.val();
        self.slot_k.next = self.set_slot_k.q.val();
        self.overhead.next = self.set_overhead.q.val();
        self.ack_share_log2.next = self.set_share.q.val();
        if self.rst.val() {
            self.set_slot_k.d.next = self.reset_slot_k.val();
            self.set_overhead.d.next = self.reset_overhead.val();
            self.set_share.d.next = self.reset_share.val();
        }
    }
}
