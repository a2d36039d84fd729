// Address map of the 250 MHz box: one slave, so it needs no crossbar. Offsets from the box's window (BAR2 + 0x100000):
//
//   0x00000 - 0x0ffff   the gateway's registers (docs/registers.md)
//   0x10000 - 0xfffff   nothing: answered with an error
module box_250mhz_address_map(
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
  output           m_axil_core_awvalid,
  output    [31:0] m_axil_core_awaddr,
  input            m_axil_core_awready,
  output           m_axil_core_wvalid,
  output    [31:0] m_axil_core_wdata,
  input            m_axil_core_wready,
  input            m_axil_core_bvalid,
  input      [1:0] m_axil_core_bresp,
  output           m_axil_core_bready,
  output           m_axil_core_arvalid,
  output    [31:0] m_axil_core_araddr,
  input            m_axil_core_arready,
  input            m_axil_core_rvalid,
  input     [31:0] m_axil_core_rdata,
  input      [1:0] m_axil_core_rresp,
  output           m_axil_core_rready
);

  assign m_axil_core_awvalid = s_axil_awvalid;
  assign m_axil_core_awaddr = {12'h0, s_axil_awaddr[19:0]};
  assign s_axil_awready = m_axil_core_awready;
  assign m_axil_core_wvalid = s_axil_wvalid;
  assign m_axil_core_wdata = s_axil_wdata;
  assign s_axil_wready = m_axil_core_wready;
  assign s_axil_bvalid = m_axil_core_bvalid;
  assign s_axil_bresp = m_axil_core_bresp;
  assign m_axil_core_bready = s_axil_bready;
  assign m_axil_core_arvalid = s_axil_arvalid;
  assign m_axil_core_araddr = {12'h0, s_axil_araddr[19:0]};
  assign s_axil_arready = m_axil_core_arready;
  assign s_axil_rvalid = m_axil_core_rvalid;
  assign s_axil_rdata = m_axil_core_rdata;
  assign s_axil_rresp = m_axil_core_rresp;
  assign m_axil_core_rready = s_axil_rready;

endmodule
