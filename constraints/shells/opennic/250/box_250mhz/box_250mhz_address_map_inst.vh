// From the box's registers to the gateway's.
wire axil_core_awvalid;
wire [31:0] axil_core_awaddr;
wire axil_core_awready;
wire axil_core_wvalid;
wire [31:0] axil_core_wdata;
wire axil_core_wready;
wire axil_core_bvalid;
wire [1:0] axil_core_bresp;
wire axil_core_bready;
wire axil_core_arvalid;
wire [31:0] axil_core_araddr;
wire axil_core_arready;
wire axil_core_rvalid;
wire [31:0] axil_core_rdata;
wire [1:0] axil_core_rresp;
wire axil_core_rready;

box_250mhz_address_map address_map_inst(
  .s_axil_awvalid(s_axil_awvalid),
  .s_axil_awaddr(s_axil_awaddr),
  .s_axil_awready(s_axil_awready),
  .s_axil_wvalid(s_axil_wvalid),
  .s_axil_wdata(s_axil_wdata),
  .s_axil_wready(s_axil_wready),
  .s_axil_bvalid(s_axil_bvalid),
  .s_axil_bresp(s_axil_bresp),
  .s_axil_bready(s_axil_bready),
  .s_axil_arvalid(s_axil_arvalid),
  .s_axil_araddr(s_axil_araddr),
  .s_axil_arready(s_axil_arready),
  .s_axil_rvalid(s_axil_rvalid),
  .s_axil_rdata(s_axil_rdata),
  .s_axil_rresp(s_axil_rresp),
  .s_axil_rready(s_axil_rready),
  .m_axil_core_awvalid(axil_core_awvalid),
  .m_axil_core_awaddr(axil_core_awaddr),
  .m_axil_core_awready(axil_core_awready),
  .m_axil_core_wvalid(axil_core_wvalid),
  .m_axil_core_wdata(axil_core_wdata),
  .m_axil_core_wready(axil_core_wready),
  .m_axil_core_bvalid(axil_core_bvalid),
  .m_axil_core_bresp(axil_core_bresp),
  .m_axil_core_bready(axil_core_bready),
  .m_axil_core_arvalid(axil_core_arvalid),
  .m_axil_core_araddr(axil_core_araddr),
  .m_axil_core_arready(axil_core_arready),
  .m_axil_core_rvalid(axil_core_rvalid),
  .m_axil_core_rdata(axil_core_rdata),
  .m_axil_core_rresp(axil_core_rresp),
  .m_axil_core_rready(axil_core_rready)
);
