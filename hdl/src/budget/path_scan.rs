//! Beside rate_table: **path_scan**. The thresholds and the far gateway of each path, one path per cycle, round and round.
//!
//! In: words of the path table on their way into a shadow bank; the bank in force, and `set` (there is one). Out:
//! `scan_valid` (always 1 once out of reset), `scan_path`, and that path's thresholds, `ecn_clear`, its far gateway
//! (`peer_on`, `peer_site`, `peer_weight`, `peer_key`) and `live` (its mode needs one); zero until `set`.
//! Each path comes once in 16 cycles. Model: `model::tables`. Tests: `tests/budget/path_scan.rs`. Registers: table `PATH`.

use crate::prim::{Lit, Sdp};
use matchrdma_spec::params::PATHS;
use matchrdma_spec::regs::entry::{
    MODE_LESSER, MODE_LIVE, PATH_ECN_CLEAR, PATH_KEY, PATH_MODE, PATH_PEER_ON, PATH_PEER_SITE, PATH_WEIGHT,
};
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
    pub peer_on: Signal<Out, Bit>,
    pub peer_site: Signal<Out, Bits<16>>,
    pub peer_weight: Signal<Out, Bits<8>>,
    /// Byte 0 of the key in bits 7:0.
    pub peer_key: Signal<Out, Bits<128>>,
    /// The mode is live or the lesser of calendar and live.
    pub live: Signal<Out, Bit>,
    cnp_on: Sdp<32, 5>,
    cnp_off: Sdp<32, 5>,
    pfc_on: Sdp<32, 5>,
    pfc_off: Sdp<32, 5>,
    ecn: Sdp<1, 5>,
    grants: Sdp<1, 5>,
    peer: Sdp<25, 5>,
    key0: Sdp<32, 5>,
    key1: Sdp<32, 5>,
    key2: Sdp<32, 5>,
    key3: Sdp<32, 5>,
    turn: DFF<Bits<4>>,
    shown: DFF<Bits<4>>,
    valid: DFF<Bit>,
    counts: DFF<Bit>,
    place: Signal<Local, Bits<5>>,
    second: Lit<5, { PATHS as u64 }>,
    marked: Signal<Local, Bits<32>>,
    mode: Signal<Local, Bits<3>>,
    is_granted: Signal<Local, Bit>,
    key: Signal<Local, Bits<128>>,
    weight: Signal<Local, Bits<8>>,
    weight_at: Lit<25, { PATH_WEIGHT.lsb as u64 }>,
    m_live: Lit<3, { MODE_LIVE as u64 }>,
    m_lesser: Lit<3, { MODE_LESSER as u64 }>,
    ecn_clear: Lit<32, { PATH_ECN_CLEAR.mask() as u64 }>,
    word_mode: Lit<4, 0>,
    word_cnp_on: Lit<4, 3>,
    word_cnp_off: Lit<4, 4>,
    word_pfc_on: Lit<4, 5>,
    word_pfc_off: Lit<4, 6>,
    word_peer: Lit<4, 7>,
    word_key0: Lit<4, { PATH_KEY as u64 }>,
    word_key1: Lit<4, { PATH_KEY as u64 + 1 }>,
    word_key2: Lit<4, { PATH_KEY as u64 + 2 }>,
    word_key3: Lit<4, { PATH_KEY as u64 + 3 }>,
}

const _: () = assert!(PATH_MODE.lsb == 0 && PATH_MODE.bits == 3);
const _: () = assert!(PATH_PEER_SITE.lsb == 0 && PATH_PEER_SITE.bits == 16);
const _: () = assert!(PATH_WEIGHT.bits == 8 && PATH_PEER_ON.lsb == 24);

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
            peer_on: Default::default(),
            peer_site: Default::default(),
            peer_weight: Default::default(),
            peer_key: Default::default(),
            live: Default::default(),
            cnp_on: Sdp::distributed(),
            cnp_off: Sdp::distributed(),
            pfc_on: Sdp::distributed(),
            pfc_off: Sdp::distributed(),
            ecn: Sdp::distributed(),
            grants: Sdp::distributed(),
            peer: Sdp::distributed(),
            key0: Sdp::distributed(),
            key1: Sdp::distributed(),
            key2: Sdp::distributed(),
            key3: Sdp::distributed(),
            turn: Default::default(),
            shown: Default::default(),
            valid: Default::default(),
            counts: Default::default(),
            place: Default::default(),
            second: Default::default(),
            marked: Default::default(),
            mode: Default::default(),
            is_granted: Default::default(),
            key: Default::default(),
            weight: Default::default(),
            weight_at: Default::default(),
            m_live: Default::default(),
            m_lesser: Default::default(),
            ecn_clear: Default::default(),
            word_mode: Default::default(),
            word_cnp_on: Default::default(),
            word_cnp_off: Default::default(),
            word_pfc_on: Default::default(),
            word_pfc_off: Default::default(),
            word_peer: Default::default(),
            word_key0: Default::default(),
            word_key1: Default::default(),
            word_key2: Default::default(),
            word_key3: Default::default(),
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
        self.grants.clk.next = self.clk.val();
        self.peer.clk.next = self.clk.val();
        self.key0.clk.next = self.clk.val();
        self.key1.clk.next = self.clk.val();
        self.key2.clk.next = self.clk.val();
        self.key3.clk.next = self.clk.val();
        self.cnp_on.waddr.next = self.path_addr.val();
        self.cnp_off.waddr.next = self.path_addr.val();
        self.pfc_on.waddr.next = self.path_addr.val();
        self.pfc_off.waddr.next = self.path_addr.val();
        self.ecn.waddr.next = self.path_addr.val();
        self.grants.waddr.next = self.path_addr.val();
        self.peer.waddr.next = self.path_addr.val();
        self.key0.waddr.next = self.path_addr.val();
        self.key1.waddr.next = self.path_addr.val();
        self.key2.waddr.next = self.path_addr.val();
        self.key3.waddr.next = self.path_addr.val();
        self.cnp_on.wdata.next = self.path_data.val();
        self.cnp_off.wdata.next = self.path_data.val();
        self.pfc_on.wdata.next = self.path_data.val();
        self.pfc_off.wdata.next = self.path_data.val();
        self.marked.next = self.path_data.val() & self.ecn_clear.val();
        self.ecn.wdata.next = self.marked.val().any().into();
        self.mode.next = self.path_data.val().get_bits::<3>(0);
        self.is_granted.next = (self.mode.val() == self.m_live.val()) | (self.mode.val() == self.m_lesser.val());
        self.grants.wdata.next = self.is_granted.val().into();
        self.peer.wdata.next = self.path_data.val().get_bits::<25>(0);
        self.key0.wdata.next = self.path_data.val();
        self.key1.wdata.next = self.path_data.val();
        self.key2.wdata.next = self.path_data.val();
        self.key3.wdata.next = self.path_data.val();
        self.cnp_on.we.next = self.path_we.val() & (self.path_word.val() == self.word_cnp_on.val());
        self.cnp_off.we.next = self.path_we.val() & (self.path_word.val() == self.word_cnp_off.val());
        self.pfc_on.we.next = self.path_we.val() & (self.path_word.val() == self.word_pfc_on.val());
        self.pfc_off.we.next = self.path_we.val() & (self.path_word.val() == self.word_pfc_off.val());
        self.ecn.we.next = self.path_we.val() & (self.path_word.val() == self.word_mode.val());
        self.grants.we.next = self.path_we.val() & (self.path_word.val() == self.word_mode.val());
        self.peer.we.next = self.path_we.val() & (self.path_word.val() == self.word_peer.val());
        self.key0.we.next = self.path_we.val() & (self.path_word.val() == self.word_key0.val());
        self.key1.we.next = self.path_we.val() & (self.path_word.val() == self.word_key1.val());
        self.key2.we.next = self.path_we.val() & (self.path_word.val() == self.word_key2.val());
        self.key3.we.next = self.path_we.val() & (self.path_word.val() == self.word_key3.val());

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
        self.grants.raddr.next = self.place.val();
        self.peer.raddr.next = self.place.val();
        self.key0.raddr.next = self.place.val();
        self.key1.raddr.next = self.place.val();
        self.key2.raddr.next = self.place.val();
        self.key3.raddr.next = self.place.val();
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
        self.peer_on.next = false;
        self.peer_site.next = bits::<16>(0);
        self.peer_weight.next = bits::<8>(0);
        self.peer_key.next = bits::<128>(0);
        self.live.next = false;
        self.weight.next = bit_cast::<8, 25>(self.peer.rdata.val() >> self.weight_at.val());
        self.key.next = bit_cast::<128, 32>(self.key0.rdata.val());
        self.key.next = self.key.val() | (bit_cast::<128, 32>(self.key1.rdata.val()) << 32);
        self.key.next = self.key.val() | (bit_cast::<128, 32>(self.key2.rdata.val()) << 64);
        self.key.next = self.key.val() | (bit_cast::<128, 32>(self.key3.rdata.val()) << 96);
        if self.counts.q.val() {
            self.scan_cnp_on.next = self.cnp_on.rdata.val();
            self.scan_cnp_off.next = self.cnp_off.rdata.val();
            self.scan_pfc_on.next = self.pfc_on.rdata.val();
            self.scan_pfc_off.next = self.pfc_off.rdata.val();
            self.scan_ecn_clear.next = self.ecn.rdata.val().any();
            self.peer_on.next = self.peer.rdata.val().get_bit(24);
            self.peer_site.next = self.peer.rdata.val().get_bits::<16>(0);
            self.peer_weight.next = self.weight.val();
            self.peer_key.next = self.key.val();
            self.live.next = self.grants.rdata.val().any();
        }
        if self.rst.val() {
            self.turn.d.next = bits::<4>(0);
            self.valid.d.next = false;
        }
    }
}
