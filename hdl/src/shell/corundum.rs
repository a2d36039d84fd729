//! **corundum**: what stands between Corundum's application block and the core.
//!
//! The core runs on the transmit clock of port 0's MAC, the client's; every stream crosses to or from the MAC's clock that it
//! belongs to, the registers from the shell's 250 MHz.
//!
//! In: the two MACs' ends of the direct streams, the host's of those that it sends, the application's registers, the core's
//! sending ends. Out: the other ends, and the core's `rst`.
//! Model: none. Tests: `tests/shell/corundum.rs`. Registers: none of its own.

use super::{AxilCross, BoxReset, DirectPort};
use crate::prim::ResetSync;
use rust_hdl::prelude::*;

/// The application without the core.
#[derive(LogicBlock, Default)]
pub struct Corundum {
    pub axil_clk: Signal<In, Clock>,
    /// High for a cycle of `axil_clk` or more.
    pub rst: Signal<In, Bit>,
    pub client_rx_clk: Signal<In, Clock>,
    pub client_rx_rst: Signal<In, Bit>,
    pub client_tx_clk: Signal<In, Clock>,
    pub client_tx_rst: Signal<In, Bit>,
    pub line_rx_clk: Signal<In, Clock>,
    pub line_rx_rst: Signal<In, Bit>,
    pub line_tx_clk: Signal<In, Clock>,
    pub line_tx_rst: Signal<In, Bit>,
    /// Of `client_tx_clk`.
    pub core_rst: Signal<Out, Bit>,
    pub s_axil_awaddr: Signal<In, Bits<20>>,
    pub s_axil_awvalid: Signal<In, Bit>,
    pub s_axil_awready: Signal<Out, Bit>,
    pub s_axil_wdata: Signal<In, Bits<32>>,
    pub s_axil_wstrb: Signal<In, Bits<4>>,
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
    pub host_client_tag: Signal<In, Bits<16>>,
    pub host_client_tlast: Signal<In, Bit>,
    pub host_client_tvalid: Signal<In, Bit>,
    pub host_client_tready: Signal<Out, Bit>,
    pub cpl_client_tag: Signal<Out, Bits<16>>,
    pub cpl_client_valid: Signal<Out, Bit>,
    pub cpl_client_ready: Signal<In, Bit>,
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
    pub host_line_tag: Signal<In, Bits<16>>,
    pub host_line_tlast: Signal<In, Bit>,
    pub host_line_tvalid: Signal<In, Bit>,
    pub host_line_tready: Signal<Out, Bit>,
    pub cpl_line_tag: Signal<Out, Bits<16>>,
    pub cpl_line_valid: Signal<Out, Bit>,
    pub cpl_line_ready: Signal<In, Bit>,
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
    core_reset: ResetSync,
    registers: AxilCross,
    client_port: DirectPort,
    line_port: DirectPort,
}

impl Logic for Corundum {
    #[hdl_gen]
    fn update(&mut self) {
        self.reset.axil_clk.next = self.axil_clk.val();
        self.reset.mod_rstn.next = !self.rst.val();
        self.core_reset.clk.next = self.client_tx_clk.val();
        self.core_reset.areset.next = self.reset.areset.val();
        self.core_rst.next = self.core_reset.held.val();

        // Registers.
        self.registers.axil_clk.next = self.axil_clk.val();
        self.registers.clk.next = self.client_tx_clk.val();
        self.registers.areset.next = self.reset.areset.val();
        self.registers.resetting.next = self.reset.resetting.val();
        self.registers.s_axil_awaddr.next = self.s_axil_awaddr.val();
        self.registers.s_axil_awvalid.next = self.s_axil_awvalid.val();
        self.s_axil_awready.next = self.registers.s_axil_awready.val();
        self.registers.s_axil_wdata.next = self.s_axil_wdata.val();
        self.registers.s_axil_wstrb.next = self.s_axil_wstrb.val();
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

        // Client.
        self.client_port.clk.next = self.client_tx_clk.val();
        self.client_port.rx_clk.next = self.client_rx_clk.val();
        self.client_port.tx_clk.next = self.client_tx_clk.val();
        self.client_port.rx_rst.next = self.client_rx_rst.val();
        self.client_port.tx_rst.next = self.client_tx_rst.val();
        self.client_port.areset.next = self.reset.areset.val();
        self.client_port.s_axis_mac_tdata.next = self.s_axis_mac_client_tdata.val();
        self.client_port.s_axis_mac_tkeep.next = self.s_axis_mac_client_tkeep.val();
        self.client_port.s_axis_mac_tuser.next = self.s_axis_mac_client_tuser.val();
        self.client_port.s_axis_mac_tlast.next = self.s_axis_mac_client_tlast.val();
        self.client_port.s_axis_mac_tvalid.next = self.s_axis_mac_client_tvalid.val();
        self.m_axis_mac_client_tdata.next = self.client_port.m_axis_mac.tdata.val();
        self.m_axis_mac_client_tkeep.next = self.client_port.m_axis_mac.tkeep.val();
        self.m_axis_mac_client_tuser.next = self.client_port.m_axis_mac.tuser.val();
        self.m_axis_mac_client_tlast.next = self.client_port.m_axis_mac.tlast.val();
        self.m_axis_mac_client_tvalid.next = self.client_port.m_axis_mac.tvalid.val();
        self.client_port.m_axis_mac.tready.next = self.m_axis_mac_client_tready.val();
        self.client_port.host_tag.next = self.host_client_tag.val();
        self.client_port.host_tlast.next = self.host_client_tlast.val();
        self.client_port.host_tvalid.next = self.host_client_tvalid.val();
        self.host_client_tready.next = self.client_port.host_tready.val();
        self.cpl_client_tag.next = self.client_port.cpl_tag.val();
        self.cpl_client_valid.next = self.client_port.cpl_valid.val();
        self.client_port.cpl_ready.next = self.cpl_client_ready.val();
        self.m_axis_core_client_tdata.next = self.client_port.m_axis_core_tdata.val();
        self.m_axis_core_client_tkeep.next = self.client_port.m_axis_core_tkeep.val();
        self.m_axis_core_client_tuser.next = self.client_port.m_axis_core_tuser.val();
        self.m_axis_core_client_tlast.next = self.client_port.m_axis_core_tlast.val();
        self.m_axis_core_client_tvalid.next = self.client_port.m_axis_core_tvalid.val();
        self.client_port.s_axis_core.tdata.next = self.s_axis_core_client_tdata.val();
        self.client_port.s_axis_core.tkeep.next = self.s_axis_core_client_tkeep.val();
        self.client_port.s_axis_core.tuser.next = self.s_axis_core_client_tuser.val();
        self.client_port.s_axis_core.tlast.next = self.s_axis_core_client_tlast.val();
        self.client_port.s_axis_core.tvalid.next = self.s_axis_core_client_tvalid.val();
        self.s_axis_core_client_tready.next = self.client_port.s_axis_core.tready.val();

        // Line.
        self.line_port.clk.next = self.client_tx_clk.val();
        self.line_port.rx_clk.next = self.line_rx_clk.val();
        self.line_port.tx_clk.next = self.line_tx_clk.val();
        self.line_port.rx_rst.next = self.line_rx_rst.val();
        self.line_port.tx_rst.next = self.line_tx_rst.val();
        self.line_port.areset.next = self.reset.areset.val();
        self.line_port.s_axis_mac_tdata.next = self.s_axis_mac_line_tdata.val();
        self.line_port.s_axis_mac_tkeep.next = self.s_axis_mac_line_tkeep.val();
        self.line_port.s_axis_mac_tuser.next = self.s_axis_mac_line_tuser.val();
        self.line_port.s_axis_mac_tlast.next = self.s_axis_mac_line_tlast.val();
        self.line_port.s_axis_mac_tvalid.next = self.s_axis_mac_line_tvalid.val();
        self.m_axis_mac_line_tdata.next = self.line_port.m_axis_mac.tdata.val();
        self.m_axis_mac_line_tkeep.next = self.line_port.m_axis_mac.tkeep.val();
        self.m_axis_mac_line_tuser.next = self.line_port.m_axis_mac.tuser.val();
        self.m_axis_mac_line_tlast.next = self.line_port.m_axis_mac.tlast.val();
        self.m_axis_mac_line_tvalid.next = self.line_port.m_axis_mac.tvalid.val();
        self.line_port.m_axis_mac.tready.next = self.m_axis_mac_line_tready.val();
        self.line_port.host_tag.next = self.host_line_tag.val();
        self.line_port.host_tlast.next = self.host_line_tlast.val();
        self.line_port.host_tvalid.next = self.host_line_tvalid.val();
        self.host_line_tready.next = self.line_port.host_tready.val();
        self.cpl_line_tag.next = self.line_port.cpl_tag.val();
        self.cpl_line_valid.next = self.line_port.cpl_valid.val();
        self.line_port.cpl_ready.next = self.cpl_line_ready.val();
        self.m_axis_core_line_tdata.next = self.line_port.m_axis_core_tdata.val();
        self.m_axis_core_line_tkeep.next = self.line_port.m_axis_core_tkeep.val();
        self.m_axis_core_line_tuser.next = self.line_port.m_axis_core_tuser.val();
        self.m_axis_core_line_tlast.next = self.line_port.m_axis_core_tlast.val();
        self.m_axis_core_line_tvalid.next = self.line_port.m_axis_core_tvalid.val();
        self.line_port.s_axis_core.tdata.next = self.s_axis_core_line_tdata.val();
        self.line_port.s_axis_core.tkeep.next = self.s_axis_core_line_tkeep.val();
        self.line_port.s_axis_core.tuser.next = self.s_axis_core_line_tuser.val();
        self.line_port.s_axis_core.tlast.next = self.s_axis_core_line_tlast.val();
        self.line_port.s_axis_core.tvalid.next = self.s_axis_core_line_tvalid.val();
        self.s_axis_core_line_tready.next = self.line_port.s_axis_core.tready.val();
    }
}
