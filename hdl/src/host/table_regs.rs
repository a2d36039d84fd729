//! Beside host 2: **table_regs**. Block `TABLE`: commits of the banked tables.
//!
//! In: the register bus; the state of the newest commit. Out: its word, a cycle after `ra`; `go` with `mask`, in the
//! cycle in which `TABLE_COMMIT` is written; the CRC that the host expects of each table.
//! Model: `model::tables`. Tests: `tests/host/tables.rs`. Registers: `TABLE`.

use crate::prim::Lit;
use matchrdma_spec::regs::table;
use rust_hdl::prelude::*;

/// The block.
#[derive(LogicBlock, Default)]
pub struct TableRegs {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub wr: Signal<In, Bit>,
    pub wa: Signal<In, Bits<16>>,
    pub wd: Signal<In, Bits<32>>,
    pub ra: Signal<In, Bits<16>>,
    pub rd: Signal<Out, Bits<32>>,
    pub go: Signal<Out, Bit>,
    pub mask: Signal<Out, Bits<4>>,
    pub crc_route: Signal<Out, Bits<32>>,
    pub crc_path: Signal<Out, Bits<32>>,
    pub crc_flow: Signal<Out, Bits<32>>,
    pub crc_calendar: Signal<Out, Bits<32>>,
    pub busy: Signal<In, Bit>,
    pub refused: Signal<In, Bit>,
    pub code: Signal<In, Bits<8>>,
    pub fault_in: Signal<In, Bits<4>>,
    pub fault_at: Signal<In, Bits<13>>,
    pub generation: Signal<In, Bits<32>>,
    pub banks: Signal<In, Bits<4>>,
    pub set: Signal<In, Bits<4>>,
    expect_route: DFF<Bits<32>>,
    expect_path: DFF<Bits<32>>,
    expect_flow: DFF<Bits<32>>,
    expect_calendar: DFF<Bits<32>>,
    read: DFF<Bits<32>>,
    status: Signal<Local, Bits<32>>,
    at_route: Lit<16, { table::CRC[table::ROUTE].offset as u64 }>,
    at_path: Lit<16, { table::CRC[table::PATH].offset as u64 }>,
    at_flow: Lit<16, { table::CRC[table::FLOW].offset as u64 }>,
    at_calendar: Lit<16, { table::CRC[table::CALENDAR].offset as u64 }>,
    at_commit: Lit<16, { table::COMMIT.offset as u64 }>,
    at_status: Lit<16, { table::STATUS.offset as u64 }>,
    at_error: Lit<16, { table::ERROR_WORD.offset as u64 }>,
    at_generation: Lit<16, { table::GENERATION.offset as u64 }>,
    at_banks: Lit<16, { table::BANKS.offset as u64 }>,
}

impl Logic for TableRegs {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, expect_route, expect_path, expect_flow, expect_calendar, read);
        if self.wr.val() & (self.wa.val() == self.at_route.val()) {
            self.expect_route.d.next = self.wd.val();
        }
        if self.wr.val() & (self.wa.val() == self.at_path.val()) {
            self.expect_path.d.next = self.wd.val();
        }
        if self.wr.val() & (self.wa.val() == self.at_flow.val()) {
            self.expect_flow.d.next = self.wd.val();
        }
        if self.wr.val() & (self.wa.val() == self.at_calendar.val()) {
            self.expect_calendar.d.next = self.wd.val();
        }
        self.go.next = self.wr.val() & (self.wa.val() == self.at_commit.val());
        self.mask.next = self.wd.val().get_bits::<4>(0);

        self.status.next = bit_cast::<32, 8>(self.code.val()) << 8;
        self.status.next = self.status.val() | (bit_cast::<32, 4>(self.fault_in.val()) << 16);
        if self.busy.val() {
            self.status.next = self.status.val() | 1;
        }
        if self.refused.val() {
            self.status.next = self.status.val() | 2;
        }
        self.read.d.next = bits::<32>(0);
        if self.ra.val() == self.at_route.val() {
            self.read.d.next = self.expect_route.q.val();
        }
        if self.ra.val() == self.at_path.val() {
            self.read.d.next = self.expect_path.q.val();
        }
        if self.ra.val() == self.at_flow.val() {
            self.read.d.next = self.expect_flow.q.val();
        }
        if self.ra.val() == self.at_calendar.val() {
            self.read.d.next = self.expect_calendar.q.val();
        }
        if self.ra.val() == self.at_status.val() {
            self.read.d.next = self.status.val();
        }
        if self.ra.val() == self.at_error.val() {
            self.read.d.next = bit_cast::<32, 13>(self.fault_at.val());
        }
        if self.ra.val() == self.at_generation.val() {
            self.read.d.next = self.generation.val();
        }
        if self.ra.val() == self.at_banks.val() {
            self.read.d.next = bit_cast::<32, 4>(self.banks.val()) | (bit_cast::<32, 4>(self.set.val()) << 8);
        }
        self.rd.next = self.read.q.val();
        self.crc_route.next = self.expect_route.q.val();
        self.crc_path.next = self.expect_path.q.val();
        self.crc_flow.next = self.expect_flow.q.val();
        self.crc_calendar.next = self.expect_calendar.q.val();
        if self.rst.val() {
            self.expect_route.d.next = bits::<32>(0);
            self.expect_path.d.next = bits::<32>(0);
            self.expect_flow.d.next = bits::<32>(0);
            self.expect_calendar.d.next = bits::<32>(0);
        }
    }
}

const _: () = assert!(table::BUSY.mask() == 1 && table::REFUSED.mask() == 2);
const _: () = assert!(table::CODE.lsb == 8 && table::TABLE.lsb == 16 && table::SET.lsb == 8);
