//! Beside host 2: **known**. Which words have a register, or are of the window of a banked table.
//!
//! In: the addresses of a write and of a read. Out, a cycle later: whether `spec::regs` allows them; `wr_calm`: the write
//! is of a window or of a key row; `rd_window`: a window is read.
//! An address that is not a multiple of four has no register. Model: `spec::regs`. Tests: `tests/host/reg_file.rs`. Registers: all.

use crate::prim::Rom;
use matchrdma_spec::regs::{self, Access};
use rust_hdl::prelude::*;

/// Words of the window that have a register: bit 0 may be read, bit 1 may be written, bit 2 is of a key row, by which
/// no other write is judged. The map ends below 0x1000.
fn permissions(word: usize) -> Bits<3> {
    let register = regs::at((4 * word) as u16);
    let mut of_rows = regs::flow::ROW_WORD.iter().chain([&regs::flow::ROW_SELECT]);
    let calm = register.is_some_and(|r| of_rows.any(|row| row.offset == r.offset));
    match register.map(|r| r.access) {
        None => bits(0),
        Some(Access::RO) => bits(1),
        Some(Access::RW | Access::WO) => bits(3 | u64::from(calm) << 2),
    }
}

/// Parts of 1 KiB that are of a window: may be read and written.
fn windows(part: usize) -> Bits<1> {
    bits(regs::table::word_at((part << 10) as u16).is_some().into())
}

/// The tables, with a register behind each.
#[derive(LogicBlock)]
pub struct Known {
    pub clk: Signal<In, Clock>,
    pub wr_addr: Signal<In, Bits<16>>,
    pub wr_ok: Signal<Out, Bit>,
    pub wr_calm: Signal<Out, Bit>,
    pub rd_addr: Signal<In, Bits<16>>,
    pub rd_ok: Signal<Out, Bit>,
    pub rd_window: Signal<Out, Bit>,
    for_wr: Rom<3, 10>,
    for_rd: Rom<3, 10>,
    wr_windows: Rom<1, 6>,
    rd_windows: Rom<1, 6>,
    wr_found: DFF<Bits<3>>,
    wr_word: DFF<Bit>,
    rd_found: DFF<Bits<3>>,
    rd_word: DFF<Bit>,
    wr_table: DFF<Bit>,
    rd_table: DFF<Bit>,
}

impl Default for Known {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            wr_addr: Default::default(),
            wr_ok: Default::default(),
            wr_calm: Default::default(),
            rd_addr: Default::default(),
            rd_ok: Default::default(),
            rd_window: Default::default(),
            for_wr: Rom::new(permissions),
            for_rd: Rom::new(permissions),
            wr_windows: Rom::new(windows),
            rd_windows: Rom::new(windows),
            wr_found: Default::default(),
            wr_word: Default::default(),
            rd_found: Default::default(),
            rd_word: Default::default(),
            wr_table: Default::default(),
            rd_table: Default::default(),
        }
    }
}

impl Logic for Known {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, wr_found, wr_word, rd_found, rd_word, wr_table, rd_table);
        self.for_wr.addr.next = self.wr_addr.val().get_bits::<10>(2);
        self.wr_found.d.next = self.for_wr.dout.val();
        self.wr_word.d.next = !(self.wr_addr.val().get_bits::<4>(12).any() | self.wr_addr.val().get_bits::<2>(0).any());
        self.wr_windows.addr.next = self.wr_addr.val().get_bits::<6>(10);
        self.wr_table.d.next = self.wr_windows.dout.val().any() & !self.wr_addr.val().get_bits::<2>(0).any();
        self.wr_ok.next = (self.wr_found.q.val().get_bit(1) & self.wr_word.q.val()) | self.wr_table.q.val();
        self.wr_calm.next = (self.wr_found.q.val().get_bit(2) & self.wr_word.q.val()) | self.wr_table.q.val();
        self.for_rd.addr.next = self.rd_addr.val().get_bits::<10>(2);
        self.rd_found.d.next = self.for_rd.dout.val();
        self.rd_word.d.next = !(self.rd_addr.val().get_bits::<4>(12).any() | self.rd_addr.val().get_bits::<2>(0).any());
        self.rd_windows.addr.next = self.rd_addr.val().get_bits::<6>(10);
        self.rd_table.d.next = self.rd_windows.dout.val().any() & !self.rd_addr.val().get_bits::<2>(0).any();
        self.rd_window.next = self.rd_table.q.val();
        self.rd_ok.next = (self.rd_found.q.val().get_bit(0) & self.rd_word.q.val()) | self.rd_table.q.val();
    }
}
