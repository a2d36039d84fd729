//! **opennic_250**: what stands between the OpenNIC shell's 250 MHz box and the core.
//!
//! One clock carries both ports; the registers come on the shell's 125 MHz.
//!
//! ```text
//! adapter 0 rx ─► client_guard ─────────────► m_axis_core_client
//! adapter 0 tx ◄─ client_slice ◄─ client_store ◄─ s_axis_core_client
//! ```
//!
//! and the line's the same, by adapter 1. In: the two adapters' receive ends, the box's registers, the core's sending ends.
//! Out: the other ends, the adapters' with the size of the frame in `tuser` of every beat, and the core's `rst`.
//! Model: none. Tests: `tests/shell/opennic.rs`. Registers: none of its own.

use super::{AxilCross, BoxReset, MacGuard, PacketFifo};
use crate::prim::{AxisSlice, ResetSync};
use rust_hdl::prelude::*;

/// The box without the core.
#[derive(LogicBlock, Default)]
pub struct OpenNic250 {
    pub axil_clk: Signal<In, Clock>,
    pub axis_clk: Signal<In, Clock>,
    pub mod_rstn: Signal<In, Bit>,
    pub mod_rst_done: Signal<Out, Bit>,
    /// Of `axis_clk`.
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
    pub s_axis_mac_client_tlast: Signal<In, Bit>,
    pub s_axis_mac_client_tvalid: Signal<In, Bit>,
    pub m_axis_mac_client_tdata: Signal<Out, Bits<512>>,
    pub m_axis_mac_client_tkeep: Signal<Out, Bits<64>>,
    pub m_axis_mac_client_tuser: Signal<Out, Bits<16>>,
    pub m_axis_mac_client_tlast: Signal<Out, Bit>,
    pub m_axis_mac_client_tvalid: Signal<Out, Bit>,
    pub m_axis_mac_client_tready: Signal<In, Bit>,
    pub s_axis_mac_line_tdata: Signal<In, Bits<512>>,
    pub s_axis_mac_line_tkeep: Signal<In, Bits<64>>,
    pub s_axis_mac_line_tlast: Signal<In, Bit>,
    pub s_axis_mac_line_tvalid: Signal<In, Bit>,
    pub m_axis_mac_line_tdata: Signal<Out, Bits<512>>,
    pub m_axis_mac_line_tkeep: Signal<Out, Bits<64>>,
    pub m_axis_mac_line_tuser: Signal<Out, Bits<16>>,
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
    axis_reset: ResetSync,
    registers: AxilCross,
    client_guard: MacGuard,
    client_store: PacketFifo,
    client_slice: AxisSlice<512, 64, 16>,
    line_guard: MacGuard,
    line_store: PacketFifo,
    line_slice: AxisSlice<512, 64, 16>,
}

impl Logic for OpenNic250 {
    #[hdl_gen]
    fn update(&mut self) {
        self.reset.axil_clk.next = self.axil_clk.val();
        self.reset.mod_rstn.next = self.mod_rstn.val();
        self.mod_rst_done.next = self.reset.done.val();
        self.axis_reset.clk.next = self.axis_clk.val();
        self.axis_reset.areset.next = self.reset.areset.val();
        self.core_rst.next = self.axis_reset.held.val();

        // Registers.
        self.registers.axil_clk.next = self.axil_clk.val();
        self.registers.clk.next = self.axis_clk.val();
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

        // Client: the adapter drops frames with an error itself.
        self.client_guard.clk.next = self.axis_clk.val();
        self.client_guard.rst.next = self.axis_reset.held.val();
        self.client_store.clk.next = self.axis_clk.val();
        self.client_store.rst.next = self.axis_reset.held.val();
        self.client_slice.clk.next = self.axis_clk.val();
        self.client_slice.rst.next = self.axis_reset.held.val();
        self.client_guard.room.next = true;
        self.client_guard.s_axis_tuser.next = 0.into();
        self.client_guard.s_axis_tdata.next = self.s_axis_mac_client_tdata.val();
        self.client_guard.s_axis_tkeep.next = self.s_axis_mac_client_tkeep.val();
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
        self.client_slice.s_axis.tlast.next = self.client_store.m_axis.tlast.val();
        self.client_slice.s_axis.tvalid.next = self.client_store.m_axis.tvalid.val();
        self.client_slice.s_axis.tuser.next = self.client_store.size.val();
        self.client_store.m_axis.tready.next = self.client_slice.s_axis.tready.val();
        self.m_axis_mac_client_tdata.next = self.client_slice.m_axis.tdata.val();
        self.m_axis_mac_client_tkeep.next = self.client_slice.m_axis.tkeep.val();
        self.m_axis_mac_client_tuser.next = self.client_slice.m_axis.tuser.val();
        self.m_axis_mac_client_tlast.next = self.client_slice.m_axis.tlast.val();
        self.m_axis_mac_client_tvalid.next = self.client_slice.m_axis.tvalid.val();
        self.client_slice.m_axis.tready.next = self.m_axis_mac_client_tready.val();

        // Line: the adapter drops frames with an error itself.
        self.line_guard.clk.next = self.axis_clk.val();
        self.line_guard.rst.next = self.axis_reset.held.val();
        self.line_store.clk.next = self.axis_clk.val();
        self.line_store.rst.next = self.axis_reset.held.val();
        self.line_slice.clk.next = self.axis_clk.val();
        self.line_slice.rst.next = self.axis_reset.held.val();
        self.line_guard.room.next = true;
        self.line_guard.s_axis_tuser.next = 0.into();
        self.line_guard.s_axis_tdata.next = self.s_axis_mac_line_tdata.val();
        self.line_guard.s_axis_tkeep.next = self.s_axis_mac_line_tkeep.val();
        self.line_guard.s_axis_tlast.next = self.s_axis_mac_line_tlast.val();
        self.line_guard.s_axis_tvalid.next = self.s_axis_mac_line_tvalid.val();
        self.m_axis_core_line_tdata.next = self.line_guard.tdata.val();
        self.m_axis_core_line_tkeep.next = self.line_guard.tkeep.val();
        self.m_axis_core_line_tuser.next = self.line_guard.tuser.val();
        self.m_axis_core_line_tlast.next = self.line_guard.tlast.val();
        self.m_axis_core_line_tvalid.next = self.line_guard.pass.val();
        self.line_store.s_axis.tdata.next = self.s_axis_core_line_tdata.val();
        self.line_store.s_axis.tkeep.next = self.s_axis_core_line_tkeep.val();
        self.line_store.s_axis.tuser.next = self.s_axis_core_line_tuser.val();
        self.line_store.s_axis.tlast.next = self.s_axis_core_line_tlast.val();
        self.line_store.s_axis.tvalid.next = self.s_axis_core_line_tvalid.val();
        self.s_axis_core_line_tready.next = self.line_store.s_axis.tready.val();
        self.line_slice.s_axis.tdata.next = self.line_store.m_axis.tdata.val();
        self.line_slice.s_axis.tkeep.next = self.line_store.m_axis.tkeep.val();
        self.line_slice.s_axis.tlast.next = self.line_store.m_axis.tlast.val();
        self.line_slice.s_axis.tvalid.next = self.line_store.m_axis.tvalid.val();
        self.line_slice.s_axis.tuser.next = self.line_store.size.val();
        self.line_store.m_axis.tready.next = self.line_slice.s_axis.tready.val();
        self.m_axis_mac_line_tdata.next = self.line_slice.m_axis.tdata.val();
        self.m_axis_mac_line_tkeep.next = self.line_slice.m_axis.tkeep.val();
        self.m_axis_mac_line_tuser.next = self.line_slice.m_axis.tuser.val();
        self.m_axis_mac_line_tlast.next = self.line_slice.m_axis.tlast.val();
        self.m_axis_mac_line_tvalid.next = self.line_slice.m_axis.tvalid.val();
        self.line_slice.m_axis.tready.next = self.m_axis_mac_line_tready.val();
    }
}
