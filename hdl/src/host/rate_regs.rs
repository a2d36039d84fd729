//! Beside host 2: **rate_regs**. Block `RATE`: the slot that runs, and the budget of a path in it.
//!
//! In: the register bus; the slot; what [rate_table](crate::budget::RateTable) tells of the path that `ask` names.
//! Out: its word, a cycle after `ra`; `ask`. Model: `model::rate_table`. Tests: `tests/gateway/tables.rs`. Registers: `RATE`.

use crate::prim::Lit;
use matchrdma_spec::regs::{entry, rate};
use rust_hdl::prelude::*;

/// The block.
#[derive(LogicBlock, Default)]
pub struct RateRegs {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub wr: Signal<In, Bit>,
    pub wa: Signal<In, Bits<16>>,
    pub wd: Signal<In, Bits<32>>,
    pub ra: Signal<In, Bits<16>>,
    pub rd: Signal<Out, Bits<32>>,
    pub slot: Signal<In, Bits<32>>,
    pub slot_k: Signal<In, Bits<5>>,
    pub generation: Signal<In, Bits<32>>,
    pub told_rate: Signal<In, Bits<32>>,
    pub told_burst: Signal<In, Bits<25>>,
    pub told_mode: Signal<In, Bits<3>>,
    pub told_phase: Signal<In, Bits<2>>,
    pub ask: Signal<Out, Bits<4>>,
    path: DFF<Bits<4>>,
    read: DFF<Bits<32>>,
    word: Signal<Local, Bits<32>>,
    at_slot: Lit<16, { rate::SLOT.offset as u64 }>,
    at_slot_k: Lit<16, { rate::SLOT_K.offset as u64 }>,
    at_path: Lit<16, { rate::PATH.offset as u64 }>,
    at_rate: Lit<16, { rate::RATE.offset as u64 }>,
    at_mode: Lit<16, { rate::MODE.offset as u64 }>,
    at_burst: Lit<16, { rate::BURST.offset as u64 }>,
    at_generation: Lit<16, { rate::GENERATION.offset as u64 }>,
    m_open: Lit<3, { entry::MODE_OPEN as u64 }>,
    m_live: Lit<3, { entry::MODE_LIVE as u64 }>,
    m_lesser: Lit<3, { entry::MODE_LESSER as u64 }>,
    m_off: Lit<3, { entry::MODE_OFF as u64 }>,
    is_open: Lit<32, { rate::OPEN_FIELD.mask() as u64 }>,
    is_limited: Lit<32, { rate::LIMITED_FIELD.mask() as u64 }>,
}

const _: () = assert!(rate::PHASE_FIELD.lsb == 4);

impl Logic for RateRegs {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, path, read);
        if self.wr.val() & (self.wa.val() == self.at_path.val()) {
            self.path.d.next = self.wd.val().get_bits::<4>(0);
        }
        self.word.next = bit_cast::<32, 3>(self.told_mode.val()) | (bit_cast::<32, 2>(self.told_phase.val()) << 4);
        if (self.told_mode.val() == self.m_open.val()) | (self.told_mode.val() == self.m_off.val()) {
            self.word.next = self.word.val() | self.is_open.val();
        }
        if (self.told_mode.val() == self.m_live.val()) | (self.told_mode.val() == self.m_lesser.val()) {
            self.word.next = self.word.val() | self.is_limited.val();
        }
        self.read.d.next = bits::<32>(0);
        if self.ra.val() == self.at_slot.val() {
            self.read.d.next = self.slot.val();
        }
        if self.ra.val() == self.at_slot_k.val() {
            self.read.d.next = bit_cast::<32, 5>(self.slot_k.val());
        }
        if self.ra.val() == self.at_path.val() {
            self.read.d.next = bit_cast::<32, 4>(self.path.q.val());
        }
        if self.ra.val() == self.at_rate.val() {
            self.read.d.next = self.told_rate.val();
        }
        if self.ra.val() == self.at_mode.val() {
            self.read.d.next = self.word.val();
        }
        if self.ra.val() == self.at_burst.val() {
            self.read.d.next = bit_cast::<32, 25>(self.told_burst.val());
        }
        if self.ra.val() == self.at_generation.val() {
            self.read.d.next = self.generation.val();
        }
        self.rd.next = self.read.q.val();
        self.ask.next = self.path.q.val();
        if self.rst.val() {
            self.path.d.next = bits::<4>(0);
        }
    }
}
