//! Beside host 2: **tables**. Two banks of each banked table: what the host writes, checked and handed on whole.
//!
//! In: the register bus (with `rd_go`: a read of a window is answered two cycles after it); `flip`, the slot ends.
//! Out: `deny` (a write to `wa` would be refused); words on their way into shadow banks of the readers, while a commit
//! is scanned; `pending`, and `pending_mask`; from the cycle after `flip` the banks in force, all changed together.
//! The host's words are kept in one memory of both banks, so that a reader holds only what it reads and is written only
//! by a scan. Model: `model::tables`. Tests: `tests/host/tables.rs`. Registers: `TABLE`, windows.

mod check;
mod rules;
mod scan;

use super::TableRegs;
use crate::prim::{Lit, Sdp};
use crate::record::Cfg;
use check::Check;
use matchrdma_spec::params::{FLOWS, PATHS};
use matchrdma_spec::regs::{table, WINDOW_BYTES};
use rust_hdl::prelude::*;
use scan::Scan;

/// The banks and their commits.
#[derive(LogicBlock, Default)]
pub struct Tables {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub wr: Signal<In, Bit>,
    pub wa: Signal<In, Bits<16>>,
    pub wd: Signal<In, Bits<32>>,
    pub ra: Signal<In, Bits<16>>,
    pub rd_go: Signal<In, Bit>,
    pub rd: Signal<Out, Bits<32>>,
    pub deny: Signal<Out, Bit>,
    pub flip: Signal<In, Bit>,
    pub pending: Signal<Out, Bit>,
    pub pending_mask: Signal<Out, Bits<4>>,
    /// Banks in force, bit by bit as in a mask.
    pub banks: Signal<Out, Bits<4>>,
    /// Tables committed since reset.
    pub set: Signal<Out, Bits<4>>,
    pub generation: Signal<Out, Bits<32>>,
    pub route_we: Signal<Out, Bit>,
    pub route_we_bank: Signal<Out, Bit>,
    pub route_addr: Signal<Out, Bits<7>>,
    pub route_data: Signal<Out, Bits<134>>,
    pub cfg_we: Signal<Out, Bit>,
    pub cfg_addr: Signal<Out, Bits<13>>,
    pub cfg_data: Signal<Out, Cfg>,
    pub path_we: Signal<Out, Bit>,
    /// Bank, path.
    pub path_addr: Signal<Out, Bits<5>>,
    pub path_word: Signal<Out, Bits<4>>,
    pub path_data: Signal<Out, Bits<32>>,
    pub calendar_we: Signal<Out, Bit>,
    /// Bank, path, entry, word.
    pub calendar_addr: Signal<Out, Bits<14>>,
    pub calendar_data: Signal<Out, Bits<32>>,
    regs: TableRegs,
    scan: Scan,
    check: Check,
    words: Sdp<32, 15>,
    valid: DFF<Bit>,
    start: DFF<Bit>,
    which: DFF<Bits<2>>,
    at: DFF<Bits<13>>,
    refuse: DFF<Bit>,
    got: DFF<Bit>,
    read: DFF<Bits<32>>,
    // What an address of a window means; `table` below stands for the address of the bus in use.
    w_mask: Signal<Local, Bits<4>>,
    r_mask: Signal<Local, Bits<4>>,
    w_bank: Signal<Local, Bit>,
    r_bank: Signal<Local, Bit>,
    steal: Signal<Local, Bit>,
    base: Signal<Local, Bits<14>>,
    one_hot: Signal<Local, Bits<4>>,
    shadow: Signal<Local, Bits<4>>,
    place: Signal<Local, Bits<15>>,
    w_place: Signal<Local, Bits<15>>,
    expected: Signal<Local, Bits<32>>,
    setting: Signal<Local, Cfg>,
    word: Signal<Local, Bits<32>>,
    second: Lit<15, { WINDOW_BYTES as u64 / 4 }>,
    path_second: Lit<5, { PATHS as u64 }>,
    flow_second: Lit<13, { FLOWS as u64 }>,
    calendar_second: Lit<14, { table::WINDOWS[table::CALENDAR].length() as u64 }>,
    in_route: Lit<4, { 1 << table::ROUTE }>,
    in_path: Lit<4, { 1 << table::PATH }>,
    in_flow: Lit<4, { 1 << table::FLOW }>,
    in_calendar: Lit<4, { 1 << table::CALENDAR }>,
    n_route: Lit<2, { table::ROUTE as u64 }>,
    n_path: Lit<2, { table::PATH as u64 }>,
    n_flow: Lit<2, { table::FLOW as u64 }>,
    route_high: Lit<4, { table::WINDOWS[table::ROUTE].base as u64 >> 12 }>,
    path_high: Lit<6, { table::WINDOWS[table::PATH].base as u64 >> 10 }>,
    flow_high: Lit<2, { table::WINDOWS[table::FLOW].base as u64 >> 14 }>,
    route_base: Lit<14, { table::WINDOWS[table::ROUTE].base as u64 / 4 }>,
    path_base: Lit<14, { table::WINDOWS[table::PATH].base as u64 / 4 }>,
    flow_base: Lit<14, { table::WINDOWS[table::FLOW].base as u64 / 4 }>,
    calendar_base: Lit<14, { table::WINDOWS[table::CALENDAR].base as u64 / 4 }>,
}

// The decoding above takes the windows for what they are.
const _: () = assert!(table::WINDOWS[table::ROUTE].length() == 1 << 10);
const _: () = assert!(table::WINDOWS[table::PATH].length() == 1 << 8);
const _: () = assert!(table::WINDOWS[table::FLOW].length() == 1 << 12);
const _: () = assert!(table::WINDOWS[table::CALENDAR].length() == 1 << 13);
const _: () = assert!(table::WINDOWS[table::CALENDAR].base as usize == WINDOW_BYTES / 2);

impl Logic for Tables {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, valid, start, which, at, refuse, got, read);
        self.regs.clk.next = self.clk.val();
        self.regs.rst.next = self.rst.val();
        self.scan.clk.next = self.clk.val();
        self.scan.rst.next = self.rst.val();
        self.check.clk.next = self.clk.val();
        self.check.rst.next = self.rst.val();
        self.words.clk.next = self.clk.val();

        // The registers.
        self.regs.wr.next = self.wr.val();
        self.regs.wa.next = self.wa.val();
        self.regs.wd.next = self.wd.val();
        self.regs.ra.next = self.ra.val();
        self.regs.busy.next = self.scan.busy.val();
        self.regs.refused.next = self.scan.refused.val();
        self.regs.code.next = self.scan.code.val();
        self.regs.fault_in.next = self.scan.fault_in.val();
        self.regs.fault_at.next = self.scan.fault_at.val();
        self.regs.generation.next = self.scan.generation.val();
        self.regs.banks.next = self.scan.banks.val();
        self.regs.set.next = self.scan.set.val();

        // Words that the host writes and reads: of the shadow banks.
        self.shadow.next = !self.scan.banks.val();
        self.w_mask.next = bits::<4>(0);
        if self.wa.val().get_bit(15) {
            self.w_mask.next = self.in_calendar.val();
        } else if self.wa.val().get_bits::<2>(14) == self.flow_high.val() {
            self.w_mask.next = self.in_flow.val();
        } else if self.wa.val().get_bits::<4>(12) == self.route_high.val() {
            self.w_mask.next = self.in_route.val();
        } else if self.wa.val().get_bits::<6>(10) == self.path_high.val() {
            self.w_mask.next = self.in_path.val();
        }
        self.r_mask.next = bits::<4>(0);
        if self.ra.val().get_bit(15) {
            self.r_mask.next = self.in_calendar.val();
        } else if self.ra.val().get_bits::<2>(14) == self.flow_high.val() {
            self.r_mask.next = self.in_flow.val();
        } else if self.ra.val().get_bits::<4>(12) == self.route_high.val() {
            self.r_mask.next = self.in_route.val();
        } else if self.ra.val().get_bits::<6>(10) == self.path_high.val() {
            self.r_mask.next = self.in_path.val();
        }
        self.w_bank.next = (self.w_mask.val() & self.shadow.val()).any();
        self.r_bank.next = (self.r_mask.val() & self.shadow.val()).any();
        self.refuse.d.next = (self.w_mask.val() & self.scan.held.val()).any();
        self.deny.next = self.refuse.q.val();
        self.w_place.next = bit_cast::<15, 14>(self.wa.val().get_bits::<14>(2));
        if self.w_bank.val() {
            self.w_place.next = bit_cast::<15, 14>(self.wa.val().get_bits::<14>(2)) | self.second.val();
        }
        self.words.we.next = self.wr.val() & self.w_mask.val().any();
        self.words.waddr.next = self.w_place.val();
        self.words.wdata.next = self.wd.val();

        // The scan; a read of the host takes its turn from it.
        self.steal.next = self.rd_go.val() & self.r_mask.val().any();
        self.scan.go.next = self.regs.go.val();
        self.scan.mask.next = self.regs.mask.val();
        self.scan.stall.next = self.steal.val();
        self.scan.flip.next = self.flip.val();
        self.base.next = self.calendar_base.val();
        self.one_hot.next = self.in_calendar.val();
        self.expected.next = self.regs.crc_calendar.val();
        if self.scan.which.val() == self.n_route.val() {
            self.base.next = self.route_base.val();
            self.one_hot.next = self.in_route.val();
            self.expected.next = self.regs.crc_route.val();
        }
        if self.scan.which.val() == self.n_path.val() {
            self.base.next = self.path_base.val();
            self.one_hot.next = self.in_path.val();
            self.expected.next = self.regs.crc_path.val();
        }
        if self.scan.which.val() == self.n_flow.val() {
            self.base.next = self.flow_base.val();
            self.one_hot.next = self.in_flow.val();
            self.expected.next = self.regs.crc_flow.val();
        }
        self.place.next = bit_cast::<15, 14>(self.base.val()) | bit_cast::<15, 13>(self.scan.at.val());
        if (self.one_hot.val() & self.shadow.val()).any() {
            self.place.next = self.place.val() | self.second.val();
        }
        if self.steal.val() {
            self.place.next = bit_cast::<15, 14>(self.ra.val().get_bits::<14>(2));
            if self.r_bank.val() {
                self.place.next = self.place.val() | self.second.val();
            }
        }
        self.words.raddr.next = self.place.val();
        self.got.d.next = self.steal.val();
        self.read.d.next = bits::<32>(0);
        if self.got.q.val() {
            self.read.d.next = self.words.rdata.val();
        }
        self.rd.next = self.read.q.val() | self.regs.rd.val();

        self.valid.d.next = self.scan.next_word.val();
        self.start.d.next = self.scan.start.val();
        self.which.d.next = self.scan.which.val();
        self.at.d.next = self.scan.at.val();
        self.check.valid.next = self.valid.q.val();
        self.check.start.next = self.start.q.val();
        self.check.which.next = self.which.q.val();
        self.check.at.next = self.at.q.val();
        self.check.word.next = self.words.rdata.val();
        self.check.mask.next = self.scan.held.val();
        self.check.expected.next = self.expected.val();
        self.scan.found.next = self.check.found.val();
        self.scan.found_at.next = self.check.found_at.val();
        self.check.taken.next = self.scan.taken.val();

        // To the readers' shadow banks.
        self.word.next = self.check.load_word.val();
        self.route_we.next = self.check.load_route.val();
        self.route_we_bank.next = self.shadow.val().get_bit(0);
        self.route_addr.next = self.check.load_at.val().get_bits::<7>(3);
        self.route_data.next = self.check.load_row.val();
        self.path_we.next = self.check.load_path.val();
        self.path_addr.next = bit_cast::<5, 4>(self.check.load_at.val().get_bits::<4>(4));
        if self.shadow.val().get_bit(1) {
            self.path_addr.next = bit_cast::<5, 4>(self.check.load_at.val().get_bits::<4>(4)) | self.path_second.val();
        }
        self.path_word.next = self.check.load_at.val().get_bits::<4>(0);
        self.path_data.next = self.check.load_word.val();
        self.cfg_we.next = self.check.load_flow.val();
        self.cfg_addr.next = self.check.load_at.val();
        if self.shadow.val().get_bit(2) {
            self.cfg_addr.next = self.check.load_at.val() | self.flow_second.val();
        }
        self.setting.next.enable = self.word.val().get_bit(0);
        self.setting.next.ack_ops_write = self.word.val().get_bit(1);
        self.setting.next.zero = bits::<2>(0);
        self.setting.next.mtu = self.word.val().get_bits::<3>(4);
        self.setting.next.zero1 = false;
        self.setting.next.serial = self.word.val().get_bits::<8>(8);
        self.cfg_data.next = self.setting.val();
        self.calendar_we.next = self.check.load_calendar.val();
        self.calendar_addr.next = bit_cast::<14, 13>(self.check.load_at.val());
        if self.shadow.val().get_bit(3) {
            self.calendar_addr.next = bit_cast::<14, 13>(self.check.load_at.val()) | self.calendar_second.val();
        }
        self.calendar_data.next = self.check.load_word.val();

        self.pending.next = self.scan.pending.val();
        self.pending_mask.next = self.scan.held.val();
        self.banks.next = self.scan.banks.val();
        self.set.next = self.scan.set.val();
        self.generation.next = self.scan.generation.val();
        if self.rst.val() {
            self.valid.d.next = false;
            self.start.d.next = false;
            self.got.d.next = false;
            self.refuse.d.next = false;
        }
    }
}
