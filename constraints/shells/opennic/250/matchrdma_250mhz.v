// The gateway as the plugin of OpenNIC's 250 MHz box: ports as the shell's src/box_250mhz/box_250mhz.sv has them, for two CMACs.
// CMAC 0 is the client, CMAC 1 the line. Only wires: `adapter` and `core` are gates of `matchrdma-hdl emit`.
module matchrdma_250mhz #(
  parameter HOST_PORTS = 1
) (
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
  input    [HOST_PORTS-1:0] s_axis_qdma_h2c_tvalid,
  input  [512*HOST_PORTS-1:0] s_axis_qdma_h2c_tdata,
  input  [64*HOST_PORTS-1:0] s_axis_qdma_h2c_tkeep,
  input    [HOST_PORTS-1:0] s_axis_qdma_h2c_tlast,
  input  [16*HOST_PORTS-1:0] s_axis_qdma_h2c_tuser_size,
  input  [16*HOST_PORTS-1:0] s_axis_qdma_h2c_tuser_src,
  input  [16*HOST_PORTS-1:0] s_axis_qdma_h2c_tuser_dst,
  output   [HOST_PORTS-1:0] s_axis_qdma_h2c_tready,
  output   [HOST_PORTS-1:0] m_axis_qdma_c2h_tvalid,
  output [512*HOST_PORTS-1:0] m_axis_qdma_c2h_tdata,
  output [64*HOST_PORTS-1:0] m_axis_qdma_c2h_tkeep,
  output   [HOST_PORTS-1:0] m_axis_qdma_c2h_tlast,
  output [16*HOST_PORTS-1:0] m_axis_qdma_c2h_tuser_size,
  output [16*HOST_PORTS-1:0] m_axis_qdma_c2h_tuser_src,
  output [16*HOST_PORTS-1:0] m_axis_qdma_c2h_tuser_dst,
  input    [HOST_PORTS-1:0] m_axis_qdma_c2h_tready,
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
  input                     mod_rstn,
  output                    mod_rst_done,
  input                     axil_aclk,
  input                     axis_aclk
);

  wire rst;
  wire [15:0] axil_awaddr;
  wire axil_awvalid;
  wire axil_awready;
  wire [31:0] axil_wdata;
  wire axil_wvalid;
  wire axil_wready;
  wire [1:0] axil_bresp;
  wire axil_bvalid;
  wire axil_bready;
  wire [15:0] axil_araddr;
  wire axil_arvalid;
  wire axil_arready;
  wire [31:0] axil_rdata;
  wire [1:0] axil_rresp;
  wire axil_rvalid;
  wire axil_rready;
  wire client_rx_tvalid;
  wire [511:0] client_rx_tdata;
  wire [63:0] client_rx_tkeep;
  wire client_rx_tlast;
  wire client_rx_tuser;
  wire client_rx_tready;
  wire client_tx_tvalid;
  wire [511:0] client_tx_tdata;
  wire [63:0] client_tx_tkeep;
  wire client_tx_tlast;
  wire client_tx_tuser;
  wire client_tx_tready;
  wire line_rx_tvalid;
  wire [511:0] line_rx_tdata;
  wire [63:0] line_rx_tkeep;
  wire line_rx_tlast;
  wire line_rx_tuser;
  wire line_rx_tready;
  wire line_tx_tvalid;
  wire [511:0] line_tx_tdata;
  wire [63:0] line_tx_tkeep;
  wire line_tx_tlast;
  wire line_tx_tuser;
  wire line_tx_tready;
  wire irq;

  // The host's streams end here: what it sends is taken, so that no queue of the shell fills; it is sent nothing.
  assign s_axis_qdma_h2c_tready = {HOST_PORTS{1'b1}};
  assign m_axis_qdma_c2h_tvalid = {HOST_PORTS{1'b0}};
  assign m_axis_qdma_c2h_tdata = {HOST_PORTS{512'h0}};
  assign m_axis_qdma_c2h_tkeep = {HOST_PORTS{64'h0}};
  assign m_axis_qdma_c2h_tlast = {HOST_PORTS{1'b0}};
  assign m_axis_qdma_c2h_tuser_size = {HOST_PORTS{16'h0}};
  assign m_axis_qdma_c2h_tuser_src = {HOST_PORTS{16'h0}};
  assign m_axis_qdma_c2h_tuser_dst = {HOST_PORTS{16'h0}};

  // A receive side is always ready. To a CMAC, by its bit: 6 for the client's, 7 for the line's.
  assign s_axis_adap_rx_250mhz_tready = 2'b11;
  assign m_axis_adap_tx_250mhz_tuser_src = 32'h0;
  assign m_axis_adap_tx_250mhz_tuser_dst = {16'h0080, 16'h0040};

  opennic_250 adapter(
    .axil_clk(axil_aclk),
    .axis_clk(axis_aclk),
    .mod_rstn(mod_rstn),
    .mod_rst_done(mod_rst_done),
    .core_rst(rst),
    .s_axil_awvalid(s_axil_awvalid),
    .s_axil_awaddr(s_axil_awaddr[19:0]),
    .s_axil_awready(s_axil_awready),
    .s_axil_wvalid(s_axil_wvalid),
    .s_axil_wdata(s_axil_wdata),
    .s_axil_wready(s_axil_wready),
    .s_axil_bvalid(s_axil_bvalid),
    .s_axil_bresp(s_axil_bresp),
    .s_axil_bready(s_axil_bready),
    .s_axil_arvalid(s_axil_arvalid),
    .s_axil_araddr(s_axil_araddr[19:0]),
    .s_axil_arready(s_axil_arready),
    .s_axil_rvalid(s_axil_rvalid),
    .s_axil_rdata(s_axil_rdata),
    .s_axil_rresp(s_axil_rresp),
    .s_axil_rready(s_axil_rready),
    .m_axil_awaddr(axil_awaddr),
    .m_axil_awvalid(axil_awvalid),
    .m_axil_awready(axil_awready),
    .m_axil_wdata(axil_wdata),
    .m_axil_wvalid(axil_wvalid),
    .m_axil_wready(axil_wready),
    .m_axil_bresp(axil_bresp),
    .m_axil_bvalid(axil_bvalid),
    .m_axil_bready(axil_bready),
    .m_axil_araddr(axil_araddr),
    .m_axil_arvalid(axil_arvalid),
    .m_axil_arready(axil_arready),
    .m_axil_rdata(axil_rdata),
    .m_axil_rresp(axil_rresp),
    .m_axil_rvalid(axil_rvalid),
    .m_axil_rready(axil_rready),
    .s_axis_mac_client_tvalid(s_axis_adap_rx_250mhz_tvalid[0]),
    .s_axis_mac_client_tdata(s_axis_adap_rx_250mhz_tdata[511:0]),
    .s_axis_mac_client_tkeep(s_axis_adap_rx_250mhz_tkeep[63:0]),
    .s_axis_mac_client_tlast(s_axis_adap_rx_250mhz_tlast[0]),
    .m_axis_mac_client_tvalid(m_axis_adap_tx_250mhz_tvalid[0]),
    .m_axis_mac_client_tdata(m_axis_adap_tx_250mhz_tdata[511:0]),
    .m_axis_mac_client_tkeep(m_axis_adap_tx_250mhz_tkeep[63:0]),
    .m_axis_mac_client_tlast(m_axis_adap_tx_250mhz_tlast[0]),
    .m_axis_mac_client_tuser(m_axis_adap_tx_250mhz_tuser_size[15:0]),
    .m_axis_mac_client_tready(m_axis_adap_tx_250mhz_tready[0]),
    .m_axis_core_client_tvalid(client_rx_tvalid),
    .m_axis_core_client_tdata(client_rx_tdata),
    .m_axis_core_client_tkeep(client_rx_tkeep),
    .m_axis_core_client_tlast(client_rx_tlast),
    .m_axis_core_client_tuser(client_rx_tuser),
    .s_axis_core_client_tvalid(client_tx_tvalid),
    .s_axis_core_client_tdata(client_tx_tdata),
    .s_axis_core_client_tkeep(client_tx_tkeep),
    .s_axis_core_client_tlast(client_tx_tlast),
    .s_axis_core_client_tuser(client_tx_tuser),
    .s_axis_core_client_tready(client_tx_tready),
    .s_axis_mac_line_tvalid(s_axis_adap_rx_250mhz_tvalid[1]),
    .s_axis_mac_line_tdata(s_axis_adap_rx_250mhz_tdata[1023:512]),
    .s_axis_mac_line_tkeep(s_axis_adap_rx_250mhz_tkeep[127:64]),
    .s_axis_mac_line_tlast(s_axis_adap_rx_250mhz_tlast[1]),
    .m_axis_mac_line_tvalid(m_axis_adap_tx_250mhz_tvalid[1]),
    .m_axis_mac_line_tdata(m_axis_adap_tx_250mhz_tdata[1023:512]),
    .m_axis_mac_line_tkeep(m_axis_adap_tx_250mhz_tkeep[127:64]),
    .m_axis_mac_line_tlast(m_axis_adap_tx_250mhz_tlast[1]),
    .m_axis_mac_line_tuser(m_axis_adap_tx_250mhz_tuser_size[31:16]),
    .m_axis_mac_line_tready(m_axis_adap_tx_250mhz_tready[1]),
    .m_axis_core_line_tvalid(line_rx_tvalid),
    .m_axis_core_line_tdata(line_rx_tdata),
    .m_axis_core_line_tkeep(line_rx_tkeep),
    .m_axis_core_line_tlast(line_rx_tlast),
    .m_axis_core_line_tuser(line_rx_tuser),
    .s_axis_core_line_tvalid(line_tx_tvalid),
    .s_axis_core_line_tdata(line_tx_tdata),
    .s_axis_core_line_tkeep(line_tx_tkeep),
    .s_axis_core_line_tlast(line_tx_tlast),
    .s_axis_core_line_tuser(line_tx_tuser),
    .s_axis_core_line_tready(line_tx_tready)
  );

  // The box has no interrupt: the host asks.
  gateway core(
    .clk(axis_aclk),
    .rst(rst),
    .s_axis_client_tvalid(client_rx_tvalid),
    .s_axis_client_tdata(client_rx_tdata),
    .s_axis_client_tkeep(client_rx_tkeep),
    .s_axis_client_tlast(client_rx_tlast),
    .s_axis_client_tuser(client_rx_tuser),
    .s_axis_client_tready(client_rx_tready),
    .m_axis_client_tvalid(client_tx_tvalid),
    .m_axis_client_tdata(client_tx_tdata),
    .m_axis_client_tkeep(client_tx_tkeep),
    .m_axis_client_tlast(client_tx_tlast),
    .m_axis_client_tuser(client_tx_tuser),
    .m_axis_client_tready(client_tx_tready),
    .s_axis_line_tvalid(line_rx_tvalid),
    .s_axis_line_tdata(line_rx_tdata),
    .s_axis_line_tkeep(line_rx_tkeep),
    .s_axis_line_tlast(line_rx_tlast),
    .s_axis_line_tuser(line_rx_tuser),
    .s_axis_line_tready(line_rx_tready),
    .m_axis_line_tvalid(line_tx_tvalid),
    .m_axis_line_tdata(line_tx_tdata),
    .m_axis_line_tkeep(line_tx_tkeep),
    .m_axis_line_tlast(line_tx_tlast),
    .m_axis_line_tuser(line_tx_tuser),
    .m_axis_line_tready(line_tx_tready),
    .s_axil_awaddr(axil_awaddr),
    .s_axil_awvalid(axil_awvalid),
    .s_axil_awready(axil_awready),
    .s_axil_wdata(axil_wdata),
    .s_axil_wstrb(4'hf),
    .s_axil_wvalid(axil_wvalid),
    .s_axil_wready(axil_wready),
    .s_axil_bresp(axil_bresp),
    .s_axil_bvalid(axil_bvalid),
    .s_axil_bready(axil_bready),
    .s_axil_araddr(axil_araddr),
    .s_axil_arvalid(axil_arvalid),
    .s_axil_arready(axil_arready),
    .s_axil_rdata(axil_rdata),
    .s_axil_rresp(axil_rresp),
    .s_axil_rvalid(axil_rvalid),
    .s_axil_rready(axil_rready),
    .irq(irq)
  );

endmodule
