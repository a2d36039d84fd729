//! Beside host 2: **flow_regs**. Block `FLOW`, what is written: rows of the key tables.
//!
//! In: the register bus. Out: its word, a cycle after `ra`; a row, with a pulse when the last word of its window is written.
//! Model: `spec::regs::flow`. Tests: `tests/host/reg_file.rs`. Registers: `FLOW`, up to the row window.

use crate::prim::Lit;
use matchrdma_spec::regs::flow;
use rust_hdl::prelude::*;

/// The window that rows are written through.
#[derive(LogicBlock, Default)]
pub struct FlowRegs {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub wr: Signal<In, Bit>,
    pub wa: Signal<In, Bits<16>>,
    pub wd: Signal<In, Bits<32>>,
    pub ra: Signal<In, Bits<16>>,
    pub rd: Signal<Out, Bits<32>>,
    pub row_we: Signal<Out, Bit>,
    pub row_inbound: Signal<Out, Bit>,
    pub row_bank: Signal<Out, Bits<2>>,
    pub row_addr: Signal<Out, Bits<11>>,
    pub row_data: Signal<Out, Bits<318>>,
    select: DFF<Bits<32>>,
    dir: DFF<Bit>,
    word: [DFF<Bits<32>>; 9],
    row: DFF<Bits<318>>,
    row_write: DFF<Bit>,
    read: DFF<Bits<32>>,
    place: Signal<Local, Bits<16>>,
    number: Signal<Local, Bits<14>>,
    joined: Signal<Local, Bits<318>>,
    select_bits: Lit<32, { (flow::ROW_SELECT_ROW.mask() | flow::ROW_SELECT_BANK.mask()) as u64 }>,
    at_select: Lit<16, { flow::ROW_SELECT.offset as u64 }>,
    at_dir: Lit<16, { flow::ROW_DIR.offset as u64 }>,
    at_first: Lit<16, { flow::ROW_WORD[0].offset as u64 }>,
    at_last: Lit<16, { flow::ROW_WORD[9].offset as u64 }>,
}

// The words of the window follow one another: their number is their place.
const _: () = assert!(flow::ROW_WORD[9].offset - flow::ROW_WORD[0].offset == 36);

impl Logic for FlowRegs {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, select, dir, row, row_write, read);
        if self.wr.val() & (self.wa.val() == self.at_select.val()) {
            self.select.d.next = self.wd.val() & self.select_bits.val();
        }
        if self.wr.val() & (self.wa.val() == self.at_dir.val()) {
            self.dir.d.next = self.wd.val().get_bit(0);
        }
        self.place.next = self.wa.val() - self.at_first.val();
        self.number.next = self.place.val().get_bits::<14>(2);
        for i in 0..9 {
            self.word[i].clock.next = self.clk.val();
            self.word[i].d.next = self.word[i].q.val();
            if self.wr.val() & (self.number.val().index() == i) {
                self.word[i].d.next = self.wd.val();
            }
        }
        self.joined.next = bit_cast::<318, 32>(self.wd.val()) << 288;
        self.joined.next = self.joined.val() | (bit_cast::<318, 32>(self.word[0].q.val()) << 0);
        self.joined.next = self.joined.val() | (bit_cast::<318, 32>(self.word[1].q.val()) << 32);
        self.joined.next = self.joined.val() | (bit_cast::<318, 32>(self.word[2].q.val()) << 64);
        self.joined.next = self.joined.val() | (bit_cast::<318, 32>(self.word[3].q.val()) << 96);
        self.joined.next = self.joined.val() | (bit_cast::<318, 32>(self.word[4].q.val()) << 128);
        self.joined.next = self.joined.val() | (bit_cast::<318, 32>(self.word[5].q.val()) << 160);
        self.joined.next = self.joined.val() | (bit_cast::<318, 32>(self.word[6].q.val()) << 192);
        self.joined.next = self.joined.val() | (bit_cast::<318, 32>(self.word[7].q.val()) << 224);
        self.joined.next = self.joined.val() | (bit_cast::<318, 32>(self.word[8].q.val()) << 256);
        self.row_write.d.next = false;
        if self.wr.val() & (self.wa.val() == self.at_last.val()) {
            self.row.d.next = self.joined.val();
            self.row_write.d.next = true;
        }
        self.read.d.next = bits::<32>(0);
        if self.ra.val() == self.at_select.val() {
            self.read.d.next = self.select.q.val();
        }
        if (self.ra.val() == self.at_dir.val()) & self.dir.q.val() {
            self.read.d.next = bits::<32>(1);
        }
        self.rd.next = self.read.q.val();
        self.row_we.next = self.row_write.q.val();
        self.row_inbound.next = self.dir.q.val();
        self.row_addr.next = self.select.q.val().get_bits::<11>(0);
        self.row_bank.next = self.select.q.val().get_bits::<2>(16);
        self.row_data.next = self.row.q.val();
        if self.rst.val() {
            self.row_write.d.next = false;
        }
    }
}
