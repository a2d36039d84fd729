//! **opennic_322**: what stands between the OpenNIC shell's 322 MHz box and the core.
//!
//! The core runs on the clock of CMAC 0, the client's; the line's streams cross from and to the clock of CMAC 1, the registers
//! from the shell's 125 MHz. docs/decisions.md says why.
//!
//! ```text
//! CMAC 0 rx ─► client_guard ───────────────────────► m_axis_core_client      (client_clk)
//! CMAC 0 tx ◄─ client_slice ◄─ client_store ◄─────── s_axis_core_client
//! CMAC 1 rx ─► line_guard ─► line_in ──────────────► m_axis_core_line        (line_clk to client_clk)
//! CMAC 1 tx ◄─ line_slice ◄─ line_store ◄─ line_out ◄ s_axis_core_line       (client_clk to line_clk)
//! ```
//!
//! In: the two MAC ports, the box's registers, the core's sending ends. Out: the other ends, and the core's `rst`.
//! Model: none. Tests: `tests/shell/opennic.rs`. Registers: none of its own.

use super::{AxilCross, BoxReset, MacGuard, PacketFifo};
use crate::prim::{AsyncFifo, AxisSlice, Lit, ResetSync};
use rust_hdl::prelude::*;

/// The box without the core. Bit 0 of a MAC's `tuser` is its `tuser_err`.
#[derive(LogicBlock, Default)]
pub struct OpenNic322 {
    pub axil_clk: Signal<In, Clock>,
    pub client_clk: Signal<In, Clock>,
    pub line_clk: Signal<In, Clock>,
    pub mod_rstn: Signal<In, Bit>,
    pub mod_rst_done: Signal<Out, Bit>,
    /// Of `client_clk`.
    pub core_rst: Signal<Out, Bit>,
    pub s_axil_awaddr: Signal<In, Bits<20>>,
    pub s_axil_awvalid: Signal<In, Bit>,
    pub s_axil_awready: Signal<Out, Bit>,
    pub s_axil_wdata: Signal<In, Bits<32>>,
    pub s_axil_wvalid: Signal<In, Bit>,
    pub s_axil_wready: Signal<Out, Bit>,
    pub s_axil_bresp: Signal<Out, Bits<2>>,
    pub s_axil_bvalid: Signal<Out, Bit>,
    pub s_axil_bready: Signal<In, Bit>,
    pub s_axil_araddr: Signal<In, Bits<20>>,
    pub s_axil_arvalid: Signal<In, Bit>,
    pub s_axil_arready: Signal<Out, Bit>,
    pub s_axil_rdata: Signal<Out, Bits<32>>,
    pub s_axil_rresp: Signal<Out, Bits<2>>,
    pub s_axil_rvalid: Signal<Out, Bit>,
    pub s_axil_rready: Signal<In, Bit>,
    pub m_axil_awaddr: Signal<Out, Bits<16>>,
    pub m_axil_awvalid: Signal<Out, Bit>,
    pub m_axil_awready: Signal<In, Bit>,
    pub m_axil_wdata: Signal<Out, Bits<32>>,
    pub m_axil_wvalid: Signal<Out, Bit>,
    pub m_axil_wready: Signal<In, Bit>,
    pub m_axil_bresp: Signal<In, Bits<2>>,
    pub m_axil_bvalid: Signal<In, Bit>,
    pub m_axil_bready: Signal<Out, Bit>,
    pub m_axil_araddr: Signal<Out, Bits<16>>,
    pub m_axil_arvalid: Signal<Out, Bit>,
    pub m_axil_arready: Signal<In, Bit>,
    pub m_axil_rdata: Signal<In, Bits<32>>,
    pub m_axil_rresp: Signal<In, Bits<2>>,
    pub m_axil_rvalid: Signal<In, Bit>,
    pub m_axil_rready: Signal<Out, Bit>,
    pub s_axis_mac_client_tdata: Signal<In, Bits<512>>,
    pub s_axis_mac_client_tkeep: Signal<In, Bits<64>>,
    pub s_axis_mac_client_tuser: Signal<In, Bits<1>>,
    pub s_axis_mac_client_tlast: Signal<In, Bit>,
    pub s_axis_mac_client_tvalid: Signal<In, Bit>,
    pub m_axis_mac_client_tdata: Signal<Out, Bits<512>>,
    pub m_axis_mac_client_tkeep: Signal<Out, Bits<64>>,
    pub m_axis_mac_client_tuser: Signal<Out, Bits<1>>,
    pub m_axis_mac_client_tlast: Signal<Out, Bit>,
    pub m_axis_mac_client_tvalid: Signal<Out, Bit>,
    pub m_axis_mac_client_tready: Signal<In, Bit>,
    pub s_axis_mac_line_tdata: Signal<In, Bits<512>>,
    pub s_axis_mac_line_tkeep: Signal<In, Bits<64>>,
    pub s_axis_mac_line_tuser: Signal<In, Bits<1>>,
    pub s_axis_mac_line_tlast: Signal<In, Bit>,
    pub s_axis_mac_line_tvalid: Signal<In, Bit>,
    pub m_axis_mac_line_tdata: Signal<Out, Bits<512>>,
    pub m_axis_mac_line_tkeep: Signal<Out, Bits<64>>,
    pub m_axis_mac_line_tuser: Signal<Out, Bits<1>>,
    pub m_axis_mac_line_tlast: Signal<Out, Bit>,
    pub m_axis_mac_line_tvalid: Signal<Out, Bit>,
    pub m_axis_mac_line_tready: Signal<In, Bit>,
    pub m_axis_core_client_tdata: Signal<Out, Bits<512>>,
    pub m_axis_core_client_tkeep: Signal<Out, Bits<64>>,
    pub m_axis_core_client_tuser: Signal<Out, Bits<1>>,
    pub m_axis_core_client_tlast: Signal<Out, Bit>,
    pub m_axis_core_client_tvalid: Signal<Out, Bit>,
    pub s_axis_core_client_tdata: Signal<In, Bits<512>>,
    pub s_axis_core_client_tkeep: Signal<In, Bits<64>>,
    pub s_axis_core_client_tuser: Signal<In, Bits<1>>,
    pub s_axis_core_client_tlast: Signal<In, Bit>,
    pub s_axis_core_client_tvalid: Signal<In, Bit>,
    pub s_axis_core_client_tready: Signal<Out, Bit>,
    pub m_axis_core_line_tdata: Signal<Out, Bits<512>>,
    pub m_axis_core_line_tkeep: Signal<Out, Bits<64>>,
    pub m_axis_core_line_tuser: Signal<Out, Bits<1>>,
    pub m_axis_core_line_tlast: Signal<Out, Bit>,
    pub m_axis_core_line_tvalid: Signal<Out, Bit>,
    pub s_axis_core_line_tdata: Signal<In, Bits<512>>,
    pub s_axis_core_line_tkeep: Signal<In, Bits<64>>,
    pub s_axis_core_line_tuser: Signal<In, Bits<1>>,
    pub s_axis_core_line_tlast: Signal<In, Bit>,
    pub s_axis_core_line_tvalid: Signal<In, Bit>,
    pub s_axis_core_line_tready: Signal<Out, Bit>,
    reset: BoxReset,
    client_reset: ResetSync,
    line_reset: ResetSync,
    registers: AxilCross,
    client_guard: MacGuard,
    client_store: PacketFifo,
    client_slice: AxisSlice<512, 64, 1>,
    line_guard: MacGuard,
    line_in: AsyncFifo<578, 5, 6>,
    line_out: AsyncFifo<578, 5, 6>,
    line_store: PacketFifo,
    line_slice: AxisSlice<512, 64, 1>,
    line_in_last: Signal<Local, Bits<1>>,
    line_out_last: Signal<Local, Bits<1>>,
    data_bits: Lit<10, 512>,
    keep_bits: Lit<10, 576>,
    last_bits: Lit<10, 577>,
}

impl Logic for OpenNic322 {
    #[hdl_gen]
    fn update(&mut self) {
        // Resets: one flip-flop of the shell's clock, and for each clock its own way out.
        self.reset.axil_clk.next = self.axil_clk.val();
        self.reset.mod_rstn.next = self.mod_rstn.val();
        self.mod_rst_done.next = self.reset.done.val();
        self.client_reset.clk.next = self.client_clk.val();
        self.client_reset.areset.next = self.reset.areset.val();
        self.line_reset.clk.next = self.line_clk.val();
        self.line_reset.areset.next = self.reset.areset.val();
        self.core_rst.next = self.client_reset.held.val();

        // Registers.
        self.registers.axil_clk.next = self.axil_clk.val();
        self.registers.clk.next = self.client_clk.val();
        self.registers.areset.next = self.reset.areset.val();
        self.registers.resetting.next = self.reset.resetting.val();
        self.registers.s_axil_awaddr.next = self.s_axil_awaddr.val();
        self.registers.s_axil_awvalid.next = self.s_axil_awvalid.val();
        self.s_axil_awready.next = self.registers.s_axil_awready.val();
        self.registers.s_axil_wdata.next = self.s_axil_wdata.val();
        self.registers.s_axil_wstrb.next = 15.into();
        self.registers.s_axil_wvalid.next = self.s_axil_wvalid.val();
        self.s_axil_wready.next = self.registers.s_axil_wready.val();
        self.s_axil_bresp.next = self.registers.s_axil_bresp.val();
        self.s_axil_bvalid.next = self.registers.s_axil_bvalid.val();
        self.registers.s_axil_bready.next = self.s_axil_bready.val();
        self.registers.s_axil_araddr.next = self.s_axil_araddr.val();
        self.registers.s_axil_arvalid.next = self.s_axil_arvalid.val();
        self.s_axil_arready.next = self.registers.s_axil_arready.val();
        self.s_axil_rdata.next = self.registers.s_axil_rdata.val();
        self.s_axil_rresp.next = self.registers.s_axil_rresp.val();
        self.s_axil_rvalid.next = self.registers.s_axil_rvalid.val();
        self.registers.s_axil_rready.next = self.s_axil_rready.val();
        self.m_axil_awaddr.next = self.registers.m_axil_awaddr.val();
        self.m_axil_awvalid.next = self.registers.m_axil_awvalid.val();
        self.registers.m_axil_awready.next = self.m_axil_awready.val();
        self.m_axil_wdata.next = self.registers.m_axil_wdata.val();
        self.m_axil_wvalid.next = self.registers.m_axil_wvalid.val();
        self.registers.m_axil_wready.next = self.m_axil_wready.val();
        self.registers.m_axil_bresp.next = self.m_axil_bresp.val();
        self.registers.m_axil_bvalid.next = self.m_axil_bvalid.val();
        self.m_axil_bready.next = self.registers.m_axil_bready.val();
        self.m_axil_araddr.next = self.registers.m_axil_araddr.val();
        self.m_axil_arvalid.next = self.registers.m_axil_arvalid.val();
        self.registers.m_axil_arready.next = self.m_axil_arready.val();
        self.registers.m_axil_rdata.next = self.m_axil_rdata.val();
        self.registers.m_axil_rresp.next = self.m_axil_rresp.val();
        self.registers.m_axil_rvalid.next = self.m_axil_rvalid.val();
        self.m_axil_rready.next = self.registers.m_axil_rready.val();

        // Client: from the MAC, and whole frames to it.
        self.client_guard.clk.next = self.client_clk.val();
        self.client_guard.rst.next = self.client_reset.held.val();
        self.client_guard.room.next = true;
        self.client_store.clk.next = self.client_clk.val();
        self.client_store.rst.next = self.client_reset.held.val();
        self.client_slice.clk.next = self.client_clk.val();
        self.client_slice.rst.next = self.client_reset.held.val();
        self.client_guard.s_axis_tdata.next = self.s_axis_mac_client_tdata.val();
        self.client_guard.s_axis_tkeep.next = self.s_axis_mac_client_tkeep.val();
        self.client_guard.s_axis_tuser.next = self.s_axis_mac_client_tuser.val();
        self.client_guard.s_axis_tlast.next = self.s_axis_mac_client_tlast.val();
        self.client_guard.s_axis_tvalid.next = self.s_axis_mac_client_tvalid.val();
        self.m_axis_core_client_tdata.next = self.client_guard.tdata.val();
        self.m_axis_core_client_tkeep.next = self.client_guard.tkeep.val();
        self.m_axis_core_client_tuser.next = self.client_guard.tuser.val();
        self.m_axis_core_client_tlast.next = self.client_guard.tlast.val();
        self.m_axis_core_client_tvalid.next = self.client_guard.pass.val();
        self.client_store.s_axis.tdata.next = self.s_axis_core_client_tdata.val();
        self.client_store.s_axis.tkeep.next = self.s_axis_core_client_tkeep.val();
        self.client_store.s_axis.tuser.next = self.s_axis_core_client_tuser.val();
        self.client_store.s_axis.tlast.next = self.s_axis_core_client_tlast.val();
        self.client_store.s_axis.tvalid.next = self.s_axis_core_client_tvalid.val();
        self.s_axis_core_client_tready.next = self.client_store.s_axis.tready.val();
        self.client_slice.s_axis.tdata.next = self.client_store.m_axis.tdata.val();
        self.client_slice.s_axis.tkeep.next = self.client_store.m_axis.tkeep.val();
        self.client_slice.s_axis.tuser.next = self.client_store.m_axis.tuser.val();
        self.client_slice.s_axis.tlast.next = self.client_store.m_axis.tlast.val();
        self.client_slice.s_axis.tvalid.next = self.client_store.m_axis.tvalid.val();
        self.client_store.m_axis.tready.next = self.client_slice.s_axis.tready.val();
        self.m_axis_mac_client_tdata.next = self.client_slice.m_axis.tdata.val();
        self.m_axis_mac_client_tkeep.next = self.client_slice.m_axis.tkeep.val();
        self.m_axis_mac_client_tuser.next = self.client_slice.m_axis.tuser.val();
        self.m_axis_mac_client_tlast.next = self.client_slice.m_axis.tlast.val();
        self.m_axis_mac_client_tvalid.next = self.client_slice.m_axis.tvalid.val();
        self.client_slice.m_axis.tready.next = self.m_axis_mac_client_tready.val();

        // Line: the same on its own clock, and a queue each way.
        self.line_guard.clk.next = self.line_clk.val();
        self.line_guard.rst.next = self.line_reset.held.val();
        self.line_guard.room.next = !self.line_in.full.val();
        self.line_in.areset.next = self.reset.areset.val();
        self.line_in.wr_clk.next = self.line_clk.val();
        self.line_in.rd_clk.next = self.client_clk.val();
        self.line_out.areset.next = self.reset.areset.val();
        self.line_out.wr_clk.next = self.client_clk.val();
        self.line_out.rd_clk.next = self.line_clk.val();
        self.line_store.clk.next = self.line_clk.val();
        self.line_store.rst.next = self.line_reset.held.val();
        self.line_slice.clk.next = self.line_clk.val();
        self.line_slice.rst.next = self.line_reset.held.val();
        self.line_guard.s_axis_tdata.next = self.s_axis_mac_line_tdata.val();
        self.line_guard.s_axis_tkeep.next = self.s_axis_mac_line_tkeep.val();
        self.line_guard.s_axis_tuser.next = self.s_axis_mac_line_tuser.val();
        self.line_guard.s_axis_tlast.next = self.s_axis_mac_line_tlast.val();
        self.line_guard.s_axis_tvalid.next = self.s_axis_mac_line_tvalid.val();
        self.line_in_last.next = 0.into();
        if self.line_guard.tlast.val() {
            self.line_in_last.next = 1.into();
        }
        self.line_in.din.next = bit_cast::<578, 512>(self.line_guard.tdata.val())
            | (bit_cast::<578, 64>(self.line_guard.tkeep.val()) << self.data_bits.val())
            | (bit_cast::<578, 1>(self.line_guard.tuser.val()) << self.keep_bits.val())
            | (bit_cast::<578, 1>(self.line_in_last.val()) << self.last_bits.val());
        self.line_in.wr.next = self.line_guard.pass.val();
        self.line_in.rd.next = true;
        self.m_axis_core_line_tdata.next = self.line_in.dout.val().get_bits::<512>(0);
        self.m_axis_core_line_tkeep.next = self.line_in.dout.val().get_bits::<64>(512);
        self.m_axis_core_line_tuser.next = self.line_in.dout.val().get_bits::<1>(576);
        self.m_axis_core_line_tlast.next = self.line_in.dout.val().get_bit(577);
        self.m_axis_core_line_tvalid.next = !self.line_in.empty.val();
        self.line_out_last.next = 0.into();
        if self.s_axis_core_line_tlast.val() {
            self.line_out_last.next = 1.into();
        }
        self.line_out.din.next = bit_cast::<578, 512>(self.s_axis_core_line_tdata.val())
            | (bit_cast::<578, 64>(self.s_axis_core_line_tkeep.val()) << self.data_bits.val())
            | (bit_cast::<578, 1>(self.s_axis_core_line_tuser.val()) << self.keep_bits.val())
            | (bit_cast::<578, 1>(self.line_out_last.val()) << self.last_bits.val());
        self.line_out.wr.next = self.s_axis_core_line_tvalid.val();
        self.s_axis_core_line_tready.next = !self.line_out.full.val();
        self.line_store.s_axis.tdata.next = self.line_out.dout.val().get_bits::<512>(0);
        self.line_store.s_axis.tkeep.next = self.line_out.dout.val().get_bits::<64>(512);
        self.line_store.s_axis.tuser.next = self.line_out.dout.val().get_bits::<1>(576);
        self.line_store.s_axis.tlast.next = self.line_out.dout.val().get_bit(577);
        self.line_store.s_axis.tvalid.next = !self.line_out.empty.val();
        self.line_out.rd.next = self.line_store.s_axis.tready.val();
        self.line_slice.s_axis.tdata.next = self.line_store.m_axis.tdata.val();
        self.line_slice.s_axis.tkeep.next = self.line_store.m_axis.tkeep.val();
        self.line_slice.s_axis.tuser.next = self.line_store.m_axis.tuser.val();
        self.line_slice.s_axis.tlast.next = self.line_store.m_axis.tlast.val();
        self.line_slice.s_axis.tvalid.next = self.line_store.m_axis.tvalid.val();
        self.line_store.m_axis.tready.next = self.line_slice.s_axis.tready.val();
        self.m_axis_mac_line_tdata.next = self.line_slice.m_axis.tdata.val();
        self.m_axis_mac_line_tkeep.next = self.line_slice.m_axis.tkeep.val();
        self.m_axis_mac_line_tuser.next = self.line_slice.m_axis.tuser.val();
        self.m_axis_mac_line_tlast.next = self.line_slice.m_axis.tlast.val();
        self.m_axis_mac_line_tvalid.next = self.line_slice.m_axis.tvalid.val();
        self.line_slice.m_axis.tready.next = self.m_axis_mac_line_tready.val();
    }
}
