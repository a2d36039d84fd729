// The shell's 250 MHz box as the plugin sees it, for the bench: ports as in the shell's src/box_250mhz/box_250mhz.sv lines 27 to
// 97 with NUM_CMAC_PORT 2, NUM_PHYS_FUNC 2 and NUM_QDMA 1, and its two includes (lines 112 and 128).
module opennic_250_box(
  input                     s_axil_awvalid,
  input              [31:0] s_axil_awaddr,
  output                    s_axil_awready,
  input                     s_axil_wvalid,
  input              [31:0] s_axil_wdata,
  output                    s_axil_wready,
  output                    s_axil_bvalid,
  output              [1:0] s_axil_bresp,
  input                     s_axil_bready,
  input                     s_axil_arvalid,
  input              [31:0] s_axil_araddr,
  output                    s_axil_arready,
  output                    s_axil_rvalid,
  output             [31:0] s_axil_rdata,
  output              [1:0] s_axil_rresp,
  input                     s_axil_rready,
  input               [1:0] s_axis_qdma_h2c_tvalid,
  input            [1023:0] s_axis_qdma_h2c_tdata,
  input             [127:0] s_axis_qdma_h2c_tkeep,
  input               [1:0] s_axis_qdma_h2c_tlast,
  input              [31:0] s_axis_qdma_h2c_tuser_size,
  input              [31:0] s_axis_qdma_h2c_tuser_src,
  input              [31:0] s_axis_qdma_h2c_tuser_dst,
  output              [1:0] s_axis_qdma_h2c_tready,
  output              [1:0] m_axis_qdma_c2h_tvalid,
  output           [1023:0] m_axis_qdma_c2h_tdata,
  output            [127:0] m_axis_qdma_c2h_tkeep,
  output              [1:0] m_axis_qdma_c2h_tlast,
  output             [31:0] m_axis_qdma_c2h_tuser_size,
  output             [31:0] m_axis_qdma_c2h_tuser_src,
  output             [31:0] m_axis_qdma_c2h_tuser_dst,
  input               [1:0] m_axis_qdma_c2h_tready,
  output              [1:0] m_axis_adap_tx_250mhz_tvalid,
  output           [1023:0] m_axis_adap_tx_250mhz_tdata,
  output            [127:0] m_axis_adap_tx_250mhz_tkeep,
  output              [1:0] m_axis_adap_tx_250mhz_tlast,
  output             [31:0] m_axis_adap_tx_250mhz_tuser_size,
  output             [31:0] m_axis_adap_tx_250mhz_tuser_src,
  output             [31:0] m_axis_adap_tx_250mhz_tuser_dst,
  input               [1:0] m_axis_adap_tx_250mhz_tready,
  input               [1:0] s_axis_adap_rx_250mhz_tvalid,
  input            [1023:0] s_axis_adap_rx_250mhz_tdata,
  input             [127:0] s_axis_adap_rx_250mhz_tkeep,
  input               [1:0] s_axis_adap_rx_250mhz_tlast,
  input              [31:0] s_axis_adap_rx_250mhz_tuser_size,
  input              [31:0] s_axis_adap_rx_250mhz_tuser_src,
  input              [31:0] s_axis_adap_rx_250mhz_tuser_dst,
  output              [1:0] s_axis_adap_rx_250mhz_tready,
  input  [15:0] mod_rstn,
  output [15:0] mod_rst_done,
  input box_rstn,
  output box_rst_done,
  input                     axil_aclk,
  input                     axis_aclk
);

  localparam NUM_PHYS_FUNC = 2;
  localparam NUM_QDMA = 1;
  wire internal_box_rstn = box_rstn;
  assign box_rst_done = box_rstn;

  `include "box_250mhz_address_map_inst.vh"
  `include "user_plugin_250mhz_inst.vh"

endmodule
