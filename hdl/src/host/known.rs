//! Beside host 2: **known**. Which words of the window have a register.
//!
//! In: the addresses of a write and of a read. Out, a cycle later: whether `spec::regs` allows them.
//! An address that is not a multiple of four has no register. Model: `spec::regs`. Tests: `tests/host/reg_file.rs`. Registers: all.

use crate::prim::Rom;
use matchrdma_spec::regs::{self, Access};
use rust_hdl::prelude::*;

/// Words of the window that have a register: bit 0 may be read, bit 1 may be written. The map ends below 0x1000.
fn permissions(word: usize) -> Bits<2> {
    match regs::at((4 * word) as u16).map(|r| r.access) {
        None => bits(0),
        Some(Access::RO) => bits(1),
        Some(Access::RW | Access::WO) => bits(3),
    }
}

/// The tables, with a register behind each.
#[derive(LogicBlock)]
pub struct Known {
    pub clk: Signal<In, Clock>,
    pub wr_addr: Signal<In, Bits<16>>,
    pub wr_ok: Signal<Out, Bit>,
    pub rd_addr: Signal<In, Bits<16>>,
    pub rd_ok: Signal<Out, Bit>,
    for_wr: Rom<2, 10>,
    for_rd: Rom<2, 10>,
    wr_found: DFF<Bits<2>>,
    wr_word: DFF<Bit>,
    rd_found: DFF<Bits<2>>,
    rd_word: DFF<Bit>,
}

impl Default for Known {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            wr_addr: Default::default(),
            wr_ok: Default::default(),
            rd_addr: Default::default(),
            rd_ok: Default::default(),
            for_wr: Rom::new(permissions),
            for_rd: Rom::new(permissions),
            wr_found: Default::default(),
            wr_word: Default::default(),
            rd_found: Default::default(),
            rd_word: Default::default(),
        }
    }
}

impl Logic for Known {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, wr_found, wr_word, rd_found, rd_word);
        self.for_wr.addr.next = self.wr_addr.val().get_bits::<10>(2);
        self.wr_found.d.next = self.for_wr.dout.val();
        self.wr_word.d.next = !(self.wr_addr.val().get_bits::<4>(12).any() | self.wr_addr.val().get_bits::<2>(0).any());
        self.wr_ok.next = self.wr_found.q.val().get_bit(1) & self.wr_word.q.val();
        self.for_rd.addr.next = self.rd_addr.val().get_bits::<10>(2);
        self.rd_found.d.next = self.for_rd.dout.val();
        self.rd_word.d.next = !(self.rd_addr.val().get_bits::<4>(12).any() | self.rd_addr.val().get_bits::<2>(0).any());
        self.rd_ok.next = self.rd_found.q.val().get_bit(0) & self.rd_word.q.val();
    }
}
