//! Beside rate_table: **path_scan**. The thresholds of each path, one path per cycle, round and round.
//!
//! In: words of the path table on their way into a shadow bank; the bank in force, and `set` (there is one). Out:
//! `scan_valid` (always 1 once out of reset), `scan_path`, and that path's thresholds and `ecn_clear`; zero until `set`.
//! Each path comes once in 16 cycles. Model: `model::tables`. Tests: `tests/budget/path_scan.rs`. Registers: table `PATH`.

use crate::prim::{Lit, Sdp};
use matchrdma_spec::params::PATHS;
use matchrdma_spec::regs::entry::PATH_ECN_CLEAR;
use rust_hdl::prelude::*;

/// The memories and a counter.
#[derive(LogicBlock)]
pub struct PathScan {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub path_we: Signal<In, Bit>,
    pub path_addr: Signal<In, Bits<5>>,
    pub path_word: Signal<In, Bits<4>>,
    pub path_data: Signal<In, Bits<32>>,
    pub bank: Signal<In, Bit>,
    pub set: Signal<In, Bit>,
    pub scan_valid: Signal<Out, Bit>,
    pub scan_path: Signal<Out, Bits<4>>,
    pub scan_cnp_on: Signal<Out, Bits<32>>,
    pub scan_cnp_off: Signal<Out, Bits<32>>,
    pub scan_pfc_on: Signal<Out, Bits<32>>,
    pub scan_pfc_off: Signal<Out, Bits<32>>,
    pub scan_ecn_clear: Signal<Out, Bit>,
    cnp_on: Sdp<32, 5>,
    cnp_off: Sdp<32, 5>,
    pfc_on: Sdp<32, 5>,
    pfc_off: Sdp<32, 5>,
    ecn: Sdp<1, 5>,
    turn: DFF<Bits<4>>,
    shown: DFF<Bits<4>>,
    valid: DFF<Bit>,
    counts: DFF<Bit>,
    place: Signal<Local, Bits<5>>,
    second: Lit<5, { PATHS as u64 }>,
    marked: Signal<Local, Bits<32>>,
    ecn_clear: Lit<32, { PATH_ECN_CLEAR.mask() as u64 }>,
    word_mode: Lit<4, 0>,
    word_cnp_on: Lit<4, 3>,
    word_cnp_off: Lit<4, 4>,
    word_pfc_on: Lit<4, 5>,
    word_pfc_off: Lit<4, 6>,
}

impl Default for PathScan {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            path_we: Default::default(),
            path_addr: Default::default(),
            path_word: Default::default(),
            path_data: Default::default(),
            bank: Default::default(),
            set: Default::default(),
            scan_valid: Default::default(),
            scan_path: Default::default(),
            scan_cnp_on: Default::default(),
            scan_cnp_off: Default::default(),
            scan_pfc_on: Default::default(),
            scan_pfc_off: Default::default(),
            scan_ecn_clear: Default::default(),
            cnp_on: Sdp::distributed(),
            cnp_off: Sdp::distributed(),
            pfc_on: Sdp::distributed(),
            pfc_off: Sdp::distributed(),
            ecn: Sdp::distributed(),
            turn: Default::default(),
            shown: Default::default(),
            valid: Default::default(),
            counts: Default::default(),
            place: Default::default(),
            second: Default::default(),
            marked: Default::default(),
            ecn_clear: Default::default(),
            word_mode: Default::default(),
            word_cnp_on: Default::default(),
            word_cnp_off: Default::default(),
            word_pfc_on: Default::default(),
            word_pfc_off: Default::default(),
        }
    }
}

impl Logic for PathScan {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, turn, shown, valid, counts);
        self.cnp_on.clk.next = self.clk.val();
        self.cnp_off.clk.next = self.clk.val();
        self.pfc_on.clk.next = self.clk.val();
        self.pfc_off.clk.next = self.clk.val();
        self.ecn.clk.next = self.clk.val();
        self.cnp_on.waddr.next = self.path_addr.val();
        self.cnp_off.waddr.next = self.path_addr.val();
        self.pfc_on.waddr.next = self.path_addr.val();
        self.pfc_off.waddr.next = self.path_addr.val();
        self.ecn.waddr.next = self.path_addr.val();
        self.cnp_on.wdata.next = self.path_data.val();
        self.cnp_off.wdata.next = self.path_data.val();
        self.pfc_on.wdata.next = self.path_data.val();
        self.pfc_off.wdata.next = self.path_data.val();
        self.marked.next = self.path_data.val() & self.ecn_clear.val();
        self.ecn.wdata.next = self.marked.val().any().into();
        self.cnp_on.we.next = self.path_we.val() & (self.path_word.val() == self.word_cnp_on.val());
        self.cnp_off.we.next = self.path_we.val() & (self.path_word.val() == self.word_cnp_off.val());
        self.pfc_on.we.next = self.path_we.val() & (self.path_word.val() == self.word_pfc_on.val());
        self.pfc_off.we.next = self.path_we.val() & (self.path_word.val() == self.word_pfc_off.val());
        self.ecn.we.next = self.path_we.val() & (self.path_word.val() == self.word_mode.val());

        self.turn.d.next = self.turn.q.val() + 1;
        self.place.next = bit_cast::<5, 4>(self.turn.q.val());
        if self.bank.val() {
            self.place.next = bit_cast::<5, 4>(self.turn.q.val()) | self.second.val();
        }
        self.cnp_on.raddr.next = self.place.val();
        self.cnp_off.raddr.next = self.place.val();
        self.pfc_on.raddr.next = self.place.val();
        self.pfc_off.raddr.next = self.place.val();
        self.ecn.raddr.next = self.place.val();
        self.shown.d.next = self.turn.q.val();
        self.valid.d.next = true;
        self.counts.d.next = self.set.val();
        self.scan_valid.next = self.valid.q.val();
        self.scan_path.next = self.shown.q.val();
        self.scan_cnp_on.next = bits::<32>(0);
        self.scan_cnp_off.next = bits::<32>(0);
        self.scan_pfc_on.next = bits::<32>(0);
        self.scan_pfc_off.next = bits::<32>(0);
        self.scan_ecn_clear.next = false;
        if self.counts.q.val() {
            self.scan_cnp_on.next = self.cnp_on.rdata.val();
            self.scan_cnp_off.next = self.cnp_off.rdata.val();
            self.scan_pfc_on.next = self.pfc_on.rdata.val();
            self.scan_pfc_off.next = self.pfc_off.rdata.val();
            self.scan_ecn_clear.next = self.ecn.rdata.val().any();
        }
        if self.rst.val() {
            self.turn.d.next = bits::<4>(0);
            self.valid.d.next = false;
        }
    }
}
