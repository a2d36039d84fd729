//! Beside host 2: **pfc_regs**. Block `PFC`: flow control on the client port, back-pressure, how often senders are
//! spoken to.
//!
//! In: the register bus; what is seen. Out: its word, a cycle after `ra`; what was set. Model: none.
//! Tests: `tests/gateway/pressure.rs`. Registers: `PFC`.

use crate::prim::Lit;
use matchrdma_spec::regs::pfc;
use rust_hdl::prelude::*;

/// What the host set.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct PfcSet {
    pub enable: Bit,
    pub pcp: Bits<3>,
    pub step: Bits<16>,
    pub quanta: Bits<16>,
    pub source: Bits<48>,
    pub ack_gap: Bits<16>,
    pub cnp_spacing: Bits<20>,
    pub cnp_dscp: Bits<6>,
    pub cnp_pcp: Bits<3>,
}

/// What it reads; the last five are pulses.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct PfcSeen {
    pub paused: Bits<8>,
    pub cnp_over: Bits<16>,
    pub pfc_over: Bits<16>,
    pub xoff_in: Bit,
    pub xon_in: Bit,
    pub xoff_out: Bit,
    pub xon_out: Bit,
    pub cnp: Bit,
}

/// The block.
#[derive(LogicBlock, Default)]
pub struct PfcRegs {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub wr: Signal<In, Bit>,
    pub wa: Signal<In, Bits<16>>,
    pub wd: Signal<In, Bits<32>>,
    pub ra: Signal<In, Bits<16>>,
    pub rd: Signal<Out, Bits<32>>,
    pub set: Signal<Out, PfcSet>,
    pub seen: Signal<In, PfcSeen>,
    kept: DFF<PfcSet>,
    read: DFF<Bits<32>>,
    xoff_in: DFF<Bits<32>>,
    xon_in: DFF<Bits<32>>,
    xoff_out: DFF<Bits<32>>,
    xon_out: DFF<Bits<32>>,
    cnps: DFF<Bits<32>>,
    at_control: Lit<16, { pfc::CONTROL.offset as u64 }>,
    at_step: Lit<16, { pfc::STEP.offset as u64 }>,
    at_quanta: Lit<16, { pfc::QUANTA.offset as u64 }>,
    at_source_low: Lit<16, { pfc::SOURCE_LOW.offset as u64 }>,
    at_source_high: Lit<16, { pfc::SOURCE_HIGH.offset as u64 }>,
    at_ack_gap: Lit<16, { pfc::ACK_GAP.offset as u64 }>,
    at_cnp_spacing: Lit<16, { pfc::CNP_SPACING.offset as u64 }>,
    at_cnp_class: Lit<16, { pfc::CNP_CLASS.offset as u64 }>,
    at_status: Lit<16, { pfc::STATUS.offset as u64 }>,
    at_over: Lit<16, { pfc::OVER.offset as u64 }>,
    at_xoff_in: Lit<16, { pfc::XOFF_IN.offset as u64 }>,
    at_xon_in: Lit<16, { pfc::XON_IN.offset as u64 }>,
    at_xoff_out: Lit<16, { pfc::XOFF_OUT.offset as u64 }>,
    at_xon_out: Lit<16, { pfc::XON_OUT.offset as u64 }>,
    at_cnps: Lit<16, { pfc::CNPS.offset as u64 }>,
    reset_pcp: Lit<3, { pfc::CLASS_FIELD.get(pfc::RESET[0]) as u64 }>,
    reset_step: Lit<16, { pfc::RESET[1] as u64 }>,
    reset_quanta: Lit<16, { pfc::RESET[2] as u64 }>,
    reset_source: Lit<48, { (pfc::RESET[4] as u64) << 32 | pfc::RESET[3] as u64 }>,
    reset_ack_gap: Lit<16, { pfc::RESET[5] as u64 }>,
    reset_cnp_spacing: Lit<20, { pfc::RESET[6] as u64 }>,
    reset_cnp_dscp: Lit<6, { pfc::CNP_DSCP_FIELD.get(pfc::RESET[7]) as u64 }>,
    reset_cnp_pcp: Lit<3, { pfc::CNP_PCP_FIELD.get(pfc::RESET[7]) as u64 }>,
    source: Signal<Local, Bits<48>>,
    low: Signal<Local, Bits<48>>,
    high: Signal<Local, Bits<48>>,
}

impl Logic for PfcRegs {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, kept, read, xoff_in, xon_in, xoff_out, xon_out, cnps);
        self.source.next = self.kept.q.val().source;
        if self.wr.val() & (self.wa.val() == self.at_control.val()) {
            self.kept.d.next.enable = self.wd.val().get_bit(0);
            self.kept.d.next.pcp = self.wd.val().get_bits::<3>(4);
        }
        if self.wr.val() & (self.wa.val() == self.at_step.val()) {
            self.kept.d.next.step = self.wd.val().get_bits::<16>(0);
        }
        if self.wr.val() & (self.wa.val() == self.at_quanta.val()) {
            self.kept.d.next.quanta = self.wd.val().get_bits::<16>(0);
        }
        self.low.next = (self.source.val() >> 32) << 32;
        self.high.next = bit_cast::<48, 32>(self.source.val().get_bits::<32>(0));
        if self.wr.val() & (self.wa.val() == self.at_source_low.val()) {
            self.kept.d.next.source = self.low.val() | bit_cast::<48, 32>(self.wd.val());
        }
        if self.wr.val() & (self.wa.val() == self.at_source_high.val()) {
            self.kept.d.next.source = self.high.val() | (bit_cast::<48, 16>(self.wd.val().get_bits::<16>(0)) << 32);
        }
        if self.wr.val() & (self.wa.val() == self.at_ack_gap.val()) {
            self.kept.d.next.ack_gap = self.wd.val().get_bits::<16>(0);
        }
        if self.wr.val() & (self.wa.val() == self.at_cnp_spacing.val()) {
            self.kept.d.next.cnp_spacing = self.wd.val().get_bits::<20>(0);
        }
        if self.wr.val() & (self.wa.val() == self.at_cnp_class.val()) {
            self.kept.d.next.cnp_dscp = self.wd.val().get_bits::<6>(0);
            self.kept.d.next.cnp_pcp = self.wd.val().get_bits::<3>(8);
        }
        if self.seen.val().xoff_in {
            self.xoff_in.d.next = self.xoff_in.q.val() + 1;
        }
        if self.seen.val().xon_in {
            self.xon_in.d.next = self.xon_in.q.val() + 1;
        }
        if self.seen.val().xoff_out {
            self.xoff_out.d.next = self.xoff_out.q.val() + 1;
        }
        if self.seen.val().xon_out {
            self.xon_out.d.next = self.xon_out.q.val() + 1;
        }
        if self.seen.val().cnp {
            self.cnps.d.next = self.cnps.q.val() + 1;
        }
        self.read.d.next = bits::<32>(0);
        if self.ra.val() == self.at_control.val() {
            self.read.d.next = bit_cast::<32, 3>(self.kept.q.val().pcp) << 4;
            if self.kept.q.val().enable {
                self.read.d.next = (bit_cast::<32, 3>(self.kept.q.val().pcp) << 4) | 1;
            }
        }
        if self.ra.val() == self.at_step.val() {
            self.read.d.next = bit_cast::<32, 16>(self.kept.q.val().step);
        }
        if self.ra.val() == self.at_quanta.val() {
            self.read.d.next = bit_cast::<32, 16>(self.kept.q.val().quanta);
        }
        if self.ra.val() == self.at_source_low.val() {
            self.read.d.next = self.source.val().get_bits::<32>(0);
        }
        if self.ra.val() == self.at_source_high.val() {
            self.read.d.next = bit_cast::<32, 16>(self.source.val().get_bits::<16>(32));
        }
        if self.ra.val() == self.at_ack_gap.val() {
            self.read.d.next = bit_cast::<32, 16>(self.kept.q.val().ack_gap);
        }
        if self.ra.val() == self.at_cnp_spacing.val() {
            self.read.d.next = bit_cast::<32, 20>(self.kept.q.val().cnp_spacing);
        }
        if self.ra.val() == self.at_cnp_class.val() {
            self.read.d.next =
                (bit_cast::<32, 3>(self.kept.q.val().cnp_pcp) << 8) | bit_cast::<32, 6>(self.kept.q.val().cnp_dscp);
        }
        if self.ra.val() == self.at_status.val() {
            self.read.d.next = bit_cast::<32, 8>(self.seen.val().paused);
        }
        if self.ra.val() == self.at_over.val() {
            self.read.d.next =
                (bit_cast::<32, 16>(self.seen.val().pfc_over) << 16) | bit_cast::<32, 16>(self.seen.val().cnp_over);
        }
        if self.ra.val() == self.at_xoff_in.val() {
            self.read.d.next = self.xoff_in.q.val();
        }
        if self.ra.val() == self.at_xon_in.val() {
            self.read.d.next = self.xon_in.q.val();
        }
        if self.ra.val() == self.at_xoff_out.val() {
            self.read.d.next = self.xoff_out.q.val();
        }
        if self.ra.val() == self.at_xon_out.val() {
            self.read.d.next = self.xon_out.q.val();
        }
        if self.ra.val() == self.at_cnps.val() {
            self.read.d.next = self.cnps.q.val();
        }
        self.rd.next = self.read.q.val();
        self.set.next = self.kept.q.val();
        if self.rst.val() {
            self.kept.d.next.enable = false;
            self.kept.d.next.pcp = self.reset_pcp.val();
            self.kept.d.next.step = self.reset_step.val();
            self.kept.d.next.quanta = self.reset_quanta.val();
            self.kept.d.next.source = self.reset_source.val();
            self.kept.d.next.ack_gap = self.reset_ack_gap.val();
            self.kept.d.next.cnp_spacing = self.reset_cnp_spacing.val();
            self.kept.d.next.cnp_dscp = self.reset_cnp_dscp.val();
            self.kept.d.next.cnp_pcp = self.reset_cnp_pcp.val();
            self.xoff_in.d.next = bits::<32>(0);
            self.xon_in.d.next = bits::<32>(0);
            self.xoff_out.d.next = bits::<32>(0);
            self.xon_out.d.next = bits::<32>(0);
            self.cnps.d.next = bits::<32>(0);
        }
    }
}
