//! Beside host 2: **id_regs**. Block `ID`: what this core is.
//!
//! In: the register bus. Out: its word, a cycle after `ra`. Model: `spec::regs::id`. Tests: `tests/host/reg_file.rs`. Registers: `ID`.

use crate::prim::{Lit, Rom};
use matchrdma_spec::params::CLOCK_HZ;
use matchrdma_spec::regs::id;
use rust_hdl::prelude::*;

fn identity(word: usize) -> Bits<32> {
    bits(id::values(CLOCK_HZ as u32).get(word).copied().unwrap_or(0).into())
}

/// The block: constants, and a word without a meaning.
#[derive(LogicBlock)]
pub struct IdRegs {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub wr: Signal<In, Bit>,
    pub wa: Signal<In, Bits<16>>,
    pub wd: Signal<In, Bits<32>>,
    pub ra: Signal<In, Bits<16>>,
    pub rd: Signal<Out, Bits<32>>,
    words: Rom<32, 4>,
    scratch: DFF<Bits<32>>,
    read: DFF<Bits<32>>,
    at_scratch: Lit<16, { id::SCRATCH.offset as u64 }>,
}

impl Default for IdRegs {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            wr: Default::default(),
            wa: Default::default(),
            wd: Default::default(),
            ra: Default::default(),
            rd: Default::default(),
            words: Rom::new(identity),
            scratch: Default::default(),
            read: Default::default(),
            at_scratch: Default::default(),
        }
    }
}

impl Logic for IdRegs {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, scratch, read);
        if self.wr.val() & (self.wa.val() == self.at_scratch.val()) {
            self.scratch.d.next = self.wd.val();
        }
        self.words.addr.next = self.ra.val().get_bits::<4>(2);
        self.read.d.next = bits::<32>(0);
        if !self.ra.val().get_bits::<10>(6).any() {
            self.read.d.next = self.words.dout.val();
        }
        if self.ra.val() == self.at_scratch.val() {
            self.read.d.next = self.scratch.q.val();
        }
        self.rd.next = self.read.q.val();
        if self.rst.val() {
            self.scratch.d.next = bits::<32>(0);
        }
    }
}
