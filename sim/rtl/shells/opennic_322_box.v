// The shell's 322 MHz box as the plugin sees it, for the bench: ports as in the shell's src/box_322mhz/box_322mhz.sv lines 24 to
// 77 with NUM_CMAC_PORT 2, and its two includes (lines 92 and 93).
module opennic_322_box(
  input            s_axil_awvalid,
  input     [31:0] s_axil_awaddr,
  output           s_axil_awready,
  input            s_axil_wvalid,
  input     [31:0] s_axil_wdata,
  output           s_axil_wready,
  output           s_axil_bvalid,
  output     [1:0] s_axil_bresp,
  input            s_axil_bready,
  input            s_axil_arvalid,
  input     [31:0] s_axil_araddr,
  output           s_axil_arready,
  output           s_axil_rvalid,
  output    [31:0] s_axil_rdata,
  output     [1:0] s_axil_rresp,
  input            s_axil_rready,
  input      [1:0] s_axis_adap_tx_322mhz_tvalid,
  input   [1023:0] s_axis_adap_tx_322mhz_tdata,
  input    [127:0] s_axis_adap_tx_322mhz_tkeep,
  input      [1:0] s_axis_adap_tx_322mhz_tlast,
  input      [1:0] s_axis_adap_tx_322mhz_tuser_err,
  output     [1:0] s_axis_adap_tx_322mhz_tready,
  output     [1:0] m_axis_adap_rx_322mhz_tvalid,
  output  [1023:0] m_axis_adap_rx_322mhz_tdata,
  output   [127:0] m_axis_adap_rx_322mhz_tkeep,
  output     [1:0] m_axis_adap_rx_322mhz_tlast,
  output     [1:0] m_axis_adap_rx_322mhz_tuser_err,
  output     [1:0] m_axis_cmac_tx_tvalid,
  output  [1023:0] m_axis_cmac_tx_tdata,
  output   [127:0] m_axis_cmac_tx_tkeep,
  output     [1:0] m_axis_cmac_tx_tlast,
  output     [1:0] m_axis_cmac_tx_tuser_err,
  input      [1:0] m_axis_cmac_tx_tready,
  input      [1:0] s_axis_cmac_rx_tvalid,
  input   [1023:0] s_axis_cmac_rx_tdata,
  input    [127:0] s_axis_cmac_rx_tkeep,
  input      [1:0] s_axis_cmac_rx_tlast,
  input      [1:0] s_axis_cmac_rx_tuser_err,
  input      [7:0] mod_rstn,
  output     [7:0] mod_rst_done,
  input            box_rstn,
  output           box_rst_done,
  input            axil_aclk,
  input      [1:0] cmac_clk
);

  wire internal_box_rstn = box_rstn;
  assign box_rst_done = box_rstn;

  `include "box_322mhz_address_map_inst.vh"
  `include "user_plugin_322mhz_inst.vh"

endmodule
