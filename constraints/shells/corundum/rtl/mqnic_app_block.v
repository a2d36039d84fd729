// The gateway as Corundum's application block (mqnic_app_block, read at 1ca0151b): port 0 goes to the data centre (client), port 1
// to the long-haul network (line). Parameters and ports have the shell's names, since its mqnic_core.v connects them by name.
// Both MACs are the gateway's: the host's frames are taken and told to be sent, and it is brought none. What the gateway does not
// use passes through (synchronous and interface streams) or rests (DMA, memories, statistics).
module mqnic_app_block #(
  parameter IF_COUNT = 2,
  parameter PORTS_PER_IF = 1,
  parameter SCHED_PER_IF = PORTS_PER_IF,
  parameter PORT_COUNT = IF_COUNT*PORTS_PER_IF,
  parameter CLK_PERIOD_NS_NUM = 4,
  parameter CLK_PERIOD_NS_DENOM = 1,
  parameter PTP_CLK_PERIOD_NS_NUM = 4,
  parameter PTP_CLK_PERIOD_NS_DENOM = 1,
  parameter PTP_TS_WIDTH = 96,
  parameter PTP_PORT_CDC_PIPELINE = 0,
  parameter PTP_PEROUT_ENABLE = 0,
  parameter PTP_PEROUT_COUNT = 1,
  parameter PTP_TS_ENABLE = 1,
  parameter TX_TAG_WIDTH = 16,
  parameter MAX_TX_SIZE = 9214,
  parameter MAX_RX_SIZE = 9214,
  parameter DDR_CH = 1,
  parameter DDR_ENABLE = 0,
  parameter DDR_GROUP_SIZE = 1,
  parameter AXI_DDR_DATA_WIDTH = 256,
  parameter AXI_DDR_ADDR_WIDTH = 32,
  parameter AXI_DDR_STRB_WIDTH = (AXI_DDR_DATA_WIDTH/8),
  parameter AXI_DDR_ID_WIDTH = 8,
  parameter AXI_DDR_AWUSER_ENABLE = 0,
  parameter AXI_DDR_AWUSER_WIDTH = 1,
  parameter AXI_DDR_WUSER_ENABLE = 0,
  parameter AXI_DDR_WUSER_WIDTH = 1,
  parameter AXI_DDR_BUSER_ENABLE = 0,
  parameter AXI_DDR_BUSER_WIDTH = 1,
  parameter AXI_DDR_ARUSER_ENABLE = 0,
  parameter AXI_DDR_ARUSER_WIDTH = 1,
  parameter AXI_DDR_RUSER_ENABLE = 0,
  parameter AXI_DDR_RUSER_WIDTH = 1,
  parameter AXI_DDR_MAX_BURST_LEN = 256,
  parameter AXI_DDR_NARROW_BURST = 0,
  parameter AXI_DDR_FIXED_BURST = 0,
  parameter AXI_DDR_WRAP_BURST = 0,
  parameter HBM_CH = 1,
  parameter HBM_ENABLE = 0,
  parameter HBM_GROUP_SIZE = 1,
  parameter AXI_HBM_DATA_WIDTH = 256,
  parameter AXI_HBM_ADDR_WIDTH = 32,
  parameter AXI_HBM_STRB_WIDTH = (AXI_HBM_DATA_WIDTH/8),
  parameter AXI_HBM_ID_WIDTH = 8,
  parameter AXI_HBM_AWUSER_ENABLE = 0,
  parameter AXI_HBM_AWUSER_WIDTH = 1,
  parameter AXI_HBM_WUSER_ENABLE = 0,
  parameter AXI_HBM_WUSER_WIDTH = 1,
  parameter AXI_HBM_BUSER_ENABLE = 0,
  parameter AXI_HBM_BUSER_WIDTH = 1,
  parameter AXI_HBM_ARUSER_ENABLE = 0,
  parameter AXI_HBM_ARUSER_WIDTH = 1,
  parameter AXI_HBM_RUSER_ENABLE = 0,
  parameter AXI_HBM_RUSER_WIDTH = 1,
  parameter AXI_HBM_MAX_BURST_LEN = 256,
  parameter AXI_HBM_NARROW_BURST = 0,
  parameter AXI_HBM_FIXED_BURST = 0,
  parameter AXI_HBM_WRAP_BURST = 0,
  parameter APP_ID = 32'h4d524731,
  parameter APP_CTRL_ENABLE = 1,
  parameter APP_DMA_ENABLE = 1,
  parameter APP_AXIS_DIRECT_ENABLE = 1,
  parameter APP_AXIS_SYNC_ENABLE = 1,
  parameter APP_AXIS_IF_ENABLE = 1,
  parameter APP_STAT_ENABLE = 1,
  parameter APP_GPIO_IN_WIDTH = 32,
  parameter APP_GPIO_OUT_WIDTH = 32,
  parameter DMA_ADDR_WIDTH = 64,
  parameter DMA_IMM_ENABLE = 0,
  parameter DMA_IMM_WIDTH = 32,
  parameter DMA_LEN_WIDTH = 16,
  parameter DMA_TAG_WIDTH = 16,
  parameter RAM_SEL_WIDTH = 4,
  parameter RAM_ADDR_WIDTH = 16,
  parameter RAM_SEG_COUNT = 2,
  parameter RAM_SEG_DATA_WIDTH = 256*2/RAM_SEG_COUNT,
  parameter RAM_SEG_BE_WIDTH = RAM_SEG_DATA_WIDTH/8,
  parameter RAM_SEG_ADDR_WIDTH = RAM_ADDR_WIDTH-$clog2(RAM_SEG_COUNT*RAM_SEG_BE_WIDTH),
  parameter RAM_PIPELINE = 2,
  parameter AXIL_APP_CTRL_DATA_WIDTH = 32,
  parameter AXIL_APP_CTRL_ADDR_WIDTH = 16,
  parameter AXIL_APP_CTRL_STRB_WIDTH = (AXIL_APP_CTRL_DATA_WIDTH/8),
  parameter AXIL_CTRL_DATA_WIDTH = 32,
  parameter AXIL_CTRL_ADDR_WIDTH = 16,
  parameter AXIL_CTRL_STRB_WIDTH = (AXIL_CTRL_DATA_WIDTH/8),
  parameter AXIS_DATA_WIDTH = 512,
  parameter AXIS_KEEP_WIDTH = AXIS_DATA_WIDTH/8,
  parameter AXIS_TX_USER_WIDTH = TX_TAG_WIDTH + 1,
  parameter AXIS_RX_USER_WIDTH = (PTP_TS_ENABLE ? PTP_TS_WIDTH : 0) + 1,
  parameter AXIS_RX_USE_READY = 0,
  parameter AXIS_SYNC_DATA_WIDTH = AXIS_DATA_WIDTH,
  parameter AXIS_SYNC_KEEP_WIDTH = AXIS_SYNC_DATA_WIDTH/8,
  parameter AXIS_SYNC_TX_USER_WIDTH = AXIS_TX_USER_WIDTH,
  parameter AXIS_SYNC_RX_USER_WIDTH = AXIS_RX_USER_WIDTH,
  parameter AXIS_IF_DATA_WIDTH = AXIS_SYNC_DATA_WIDTH*2**$clog2(PORTS_PER_IF),
  parameter AXIS_IF_KEEP_WIDTH = AXIS_IF_DATA_WIDTH/8,
  parameter AXIS_IF_TX_ID_WIDTH = 12,
  parameter AXIS_IF_RX_ID_WIDTH = PORTS_PER_IF > 1 ? $clog2(PORTS_PER_IF) : 1,
  parameter AXIS_IF_TX_DEST_WIDTH = $clog2(PORTS_PER_IF)+4,
  parameter AXIS_IF_RX_DEST_WIDTH = 8,
  parameter AXIS_IF_TX_USER_WIDTH = AXIS_SYNC_TX_USER_WIDTH,
  parameter AXIS_IF_RX_USER_WIDTH = AXIS_SYNC_RX_USER_WIDTH,
  parameter STAT_ENABLE = 1,
  parameter STAT_INC_WIDTH = 24,
  parameter STAT_ID_WIDTH = 12
)(
  input  clk,
  input  rst,
  input  [AXIL_APP_CTRL_ADDR_WIDTH-1:0] s_axil_app_ctrl_awaddr,
  input  [2:0] s_axil_app_ctrl_awprot,
  input  s_axil_app_ctrl_awvalid,
  output s_axil_app_ctrl_awready,
  input  [AXIL_APP_CTRL_DATA_WIDTH-1:0] s_axil_app_ctrl_wdata,
  input  [AXIL_APP_CTRL_STRB_WIDTH-1:0] s_axil_app_ctrl_wstrb,
  input  s_axil_app_ctrl_wvalid,
  output s_axil_app_ctrl_wready,
  output [1:0] s_axil_app_ctrl_bresp,
  output s_axil_app_ctrl_bvalid,
  input  s_axil_app_ctrl_bready,
  input  [AXIL_APP_CTRL_ADDR_WIDTH-1:0] s_axil_app_ctrl_araddr,
  input  [2:0] s_axil_app_ctrl_arprot,
  input  s_axil_app_ctrl_arvalid,
  output s_axil_app_ctrl_arready,
  output [AXIL_APP_CTRL_DATA_WIDTH-1:0] s_axil_app_ctrl_rdata,
  output [1:0] s_axil_app_ctrl_rresp,
  output s_axil_app_ctrl_rvalid,
  input  s_axil_app_ctrl_rready,
  output [AXIL_CTRL_ADDR_WIDTH-1:0] m_axil_ctrl_awaddr,
  output [2:0] m_axil_ctrl_awprot,
  output m_axil_ctrl_awvalid,
  input  m_axil_ctrl_awready,
  output [AXIL_CTRL_DATA_WIDTH-1:0] m_axil_ctrl_wdata,
  output [AXIL_CTRL_STRB_WIDTH-1:0] m_axil_ctrl_wstrb,
  output m_axil_ctrl_wvalid,
  input  m_axil_ctrl_wready,
  input  [1:0] m_axil_ctrl_bresp,
  input  m_axil_ctrl_bvalid,
  output m_axil_ctrl_bready,
  output [AXIL_CTRL_ADDR_WIDTH-1:0] m_axil_ctrl_araddr,
  output [2:0] m_axil_ctrl_arprot,
  output m_axil_ctrl_arvalid,
  input  m_axil_ctrl_arready,
  input  [AXIL_CTRL_DATA_WIDTH-1:0] m_axil_ctrl_rdata,
  input  [1:0] m_axil_ctrl_rresp,
  input  m_axil_ctrl_rvalid,
  output m_axil_ctrl_rready,
  output [DMA_ADDR_WIDTH-1:0] m_axis_ctrl_dma_read_desc_dma_addr,
  output [RAM_SEL_WIDTH-1:0] m_axis_ctrl_dma_read_desc_ram_sel,
  output [RAM_ADDR_WIDTH-1:0] m_axis_ctrl_dma_read_desc_ram_addr,
  output [DMA_LEN_WIDTH-1:0] m_axis_ctrl_dma_read_desc_len,
  output [DMA_TAG_WIDTH-1:0] m_axis_ctrl_dma_read_desc_tag,
  output m_axis_ctrl_dma_read_desc_valid,
  input  m_axis_ctrl_dma_read_desc_ready,
  input  [DMA_TAG_WIDTH-1:0] s_axis_ctrl_dma_read_desc_status_tag,
  input  [3:0] s_axis_ctrl_dma_read_desc_status_error,
  input  s_axis_ctrl_dma_read_desc_status_valid,
  output [DMA_ADDR_WIDTH-1:0] m_axis_ctrl_dma_write_desc_dma_addr,
  output [RAM_SEL_WIDTH-1:0] m_axis_ctrl_dma_write_desc_ram_sel,
  output [RAM_ADDR_WIDTH-1:0] m_axis_ctrl_dma_write_desc_ram_addr,
  output [DMA_IMM_WIDTH-1:0] m_axis_ctrl_dma_write_desc_imm,
  output m_axis_ctrl_dma_write_desc_imm_en,
  output [DMA_LEN_WIDTH-1:0] m_axis_ctrl_dma_write_desc_len,
  output [DMA_TAG_WIDTH-1:0] m_axis_ctrl_dma_write_desc_tag,
  output m_axis_ctrl_dma_write_desc_valid,
  input  m_axis_ctrl_dma_write_desc_ready,
  input  [DMA_TAG_WIDTH-1:0] s_axis_ctrl_dma_write_desc_status_tag,
  input  [3:0] s_axis_ctrl_dma_write_desc_status_error,
  input  s_axis_ctrl_dma_write_desc_status_valid,
  output [DMA_ADDR_WIDTH-1:0] m_axis_data_dma_read_desc_dma_addr,
  output [RAM_SEL_WIDTH-1:0] m_axis_data_dma_read_desc_ram_sel,
  output [RAM_ADDR_WIDTH-1:0] m_axis_data_dma_read_desc_ram_addr,
  output [DMA_LEN_WIDTH-1:0] m_axis_data_dma_read_desc_len,
  output [DMA_TAG_WIDTH-1:0] m_axis_data_dma_read_desc_tag,
  output m_axis_data_dma_read_desc_valid,
  input  m_axis_data_dma_read_desc_ready,
  input  [DMA_TAG_WIDTH-1:0] s_axis_data_dma_read_desc_status_tag,
  input  [3:0] s_axis_data_dma_read_desc_status_error,
  input  s_axis_data_dma_read_desc_status_valid,
  output [DMA_ADDR_WIDTH-1:0] m_axis_data_dma_write_desc_dma_addr,
  output [RAM_SEL_WIDTH-1:0] m_axis_data_dma_write_desc_ram_sel,
  output [RAM_ADDR_WIDTH-1:0] m_axis_data_dma_write_desc_ram_addr,
  output [DMA_IMM_WIDTH-1:0] m_axis_data_dma_write_desc_imm,
  output m_axis_data_dma_write_desc_imm_en,
  output [DMA_LEN_WIDTH-1:0] m_axis_data_dma_write_desc_len,
  output [DMA_TAG_WIDTH-1:0] m_axis_data_dma_write_desc_tag,
  output m_axis_data_dma_write_desc_valid,
  input  m_axis_data_dma_write_desc_ready,
  input  [DMA_TAG_WIDTH-1:0] s_axis_data_dma_write_desc_status_tag,
  input  [3:0] s_axis_data_dma_write_desc_status_error,
  input  s_axis_data_dma_write_desc_status_valid,
  input  [RAM_SEG_COUNT*RAM_SEL_WIDTH-1:0] ctrl_dma_ram_wr_cmd_sel,
  input  [RAM_SEG_COUNT*RAM_SEG_BE_WIDTH-1:0] ctrl_dma_ram_wr_cmd_be,
  input  [RAM_SEG_COUNT*RAM_SEG_ADDR_WIDTH-1:0] ctrl_dma_ram_wr_cmd_addr,
  input  [RAM_SEG_COUNT*RAM_SEG_DATA_WIDTH-1:0] ctrl_dma_ram_wr_cmd_data,
  input  [RAM_SEG_COUNT-1:0] ctrl_dma_ram_wr_cmd_valid,
  output [RAM_SEG_COUNT-1:0] ctrl_dma_ram_wr_cmd_ready,
  output [RAM_SEG_COUNT-1:0] ctrl_dma_ram_wr_done,
  input  [RAM_SEG_COUNT*RAM_SEL_WIDTH-1:0] ctrl_dma_ram_rd_cmd_sel,
  input  [RAM_SEG_COUNT*RAM_SEG_ADDR_WIDTH-1:0] ctrl_dma_ram_rd_cmd_addr,
  input  [RAM_SEG_COUNT-1:0] ctrl_dma_ram_rd_cmd_valid,
  output [RAM_SEG_COUNT-1:0] ctrl_dma_ram_rd_cmd_ready,
  output [RAM_SEG_COUNT*RAM_SEG_DATA_WIDTH-1:0] ctrl_dma_ram_rd_resp_data,
  output [RAM_SEG_COUNT-1:0] ctrl_dma_ram_rd_resp_valid,
  input  [RAM_SEG_COUNT-1:0] ctrl_dma_ram_rd_resp_ready,
  input  [RAM_SEG_COUNT*RAM_SEL_WIDTH-1:0] data_dma_ram_wr_cmd_sel,
  input  [RAM_SEG_COUNT*RAM_SEG_BE_WIDTH-1:0] data_dma_ram_wr_cmd_be,
  input  [RAM_SEG_COUNT*RAM_SEG_ADDR_WIDTH-1:0] data_dma_ram_wr_cmd_addr,
  input  [RAM_SEG_COUNT*RAM_SEG_DATA_WIDTH-1:0] data_dma_ram_wr_cmd_data,
  input  [RAM_SEG_COUNT-1:0] data_dma_ram_wr_cmd_valid,
  output [RAM_SEG_COUNT-1:0] data_dma_ram_wr_cmd_ready,
  output [RAM_SEG_COUNT-1:0] data_dma_ram_wr_done,
  input  [RAM_SEG_COUNT*RAM_SEL_WIDTH-1:0] data_dma_ram_rd_cmd_sel,
  input  [RAM_SEG_COUNT*RAM_SEG_ADDR_WIDTH-1:0] data_dma_ram_rd_cmd_addr,
  input  [RAM_SEG_COUNT-1:0] data_dma_ram_rd_cmd_valid,
  output [RAM_SEG_COUNT-1:0] data_dma_ram_rd_cmd_ready,
  output [RAM_SEG_COUNT*RAM_SEG_DATA_WIDTH-1:0] data_dma_ram_rd_resp_data,
  output [RAM_SEG_COUNT-1:0] data_dma_ram_rd_resp_valid,
  input  [RAM_SEG_COUNT-1:0] data_dma_ram_rd_resp_ready,
  input  ptp_clk,
  input  ptp_rst,
  input  ptp_sample_clk,
  input  ptp_td_sd,
  input  ptp_pps,
  input  ptp_pps_str,
  input  ptp_sync_locked,
  input  [PTP_TS_WIDTH-1:0] ptp_sync_ts_rel,
  input  ptp_sync_ts_rel_step,
  input  [PTP_TS_WIDTH-1:0] ptp_sync_ts_tod,
  input  ptp_sync_ts_tod_step,
  input  ptp_sync_pps,
  input  ptp_sync_pps_str,
  input  [PTP_PEROUT_COUNT-1:0] ptp_perout_locked,
  input  [PTP_PEROUT_COUNT-1:0] ptp_perout_error,
  input  [PTP_PEROUT_COUNT-1:0] ptp_perout_pulse,
  input  [PORT_COUNT-1:0] direct_tx_clk,
  input  [PORT_COUNT-1:0] direct_tx_rst,
  input  [PORT_COUNT*AXIS_DATA_WIDTH-1:0] s_axis_direct_tx_tdata,
  input  [PORT_COUNT*AXIS_KEEP_WIDTH-1:0] s_axis_direct_tx_tkeep,
  input  [PORT_COUNT-1:0] s_axis_direct_tx_tvalid,
  output [PORT_COUNT-1:0] s_axis_direct_tx_tready,
  input  [PORT_COUNT-1:0] s_axis_direct_tx_tlast,
  input  [PORT_COUNT*AXIS_TX_USER_WIDTH-1:0] s_axis_direct_tx_tuser,
  output [PORT_COUNT*AXIS_DATA_WIDTH-1:0] m_axis_direct_tx_tdata,
  output [PORT_COUNT*AXIS_KEEP_WIDTH-1:0] m_axis_direct_tx_tkeep,
  output [PORT_COUNT-1:0] m_axis_direct_tx_tvalid,
  input  [PORT_COUNT-1:0] m_axis_direct_tx_tready,
  output [PORT_COUNT-1:0] m_axis_direct_tx_tlast,
  output [PORT_COUNT*AXIS_TX_USER_WIDTH-1:0] m_axis_direct_tx_tuser,
  input  [PORT_COUNT*PTP_TS_WIDTH-1:0] s_axis_direct_tx_cpl_ts,
  input  [PORT_COUNT*TX_TAG_WIDTH-1:0] s_axis_direct_tx_cpl_tag,
  input  [PORT_COUNT-1:0] s_axis_direct_tx_cpl_valid,
  output [PORT_COUNT-1:0] s_axis_direct_tx_cpl_ready,
  output [PORT_COUNT*PTP_TS_WIDTH-1:0] m_axis_direct_tx_cpl_ts,
  output [PORT_COUNT*TX_TAG_WIDTH-1:0] m_axis_direct_tx_cpl_tag,
  output [PORT_COUNT-1:0] m_axis_direct_tx_cpl_valid,
  input  [PORT_COUNT-1:0] m_axis_direct_tx_cpl_ready,
  input  [PORT_COUNT-1:0] direct_rx_clk,
  input  [PORT_COUNT-1:0] direct_rx_rst,
  input  [PORT_COUNT*AXIS_DATA_WIDTH-1:0] s_axis_direct_rx_tdata,
  input  [PORT_COUNT*AXIS_KEEP_WIDTH-1:0] s_axis_direct_rx_tkeep,
  input  [PORT_COUNT-1:0] s_axis_direct_rx_tvalid,
  output [PORT_COUNT-1:0] s_axis_direct_rx_tready,
  input  [PORT_COUNT-1:0] s_axis_direct_rx_tlast,
  input  [PORT_COUNT*AXIS_RX_USER_WIDTH-1:0] s_axis_direct_rx_tuser,
  output [PORT_COUNT*AXIS_DATA_WIDTH-1:0] m_axis_direct_rx_tdata,
  output [PORT_COUNT*AXIS_KEEP_WIDTH-1:0] m_axis_direct_rx_tkeep,
  output [PORT_COUNT-1:0] m_axis_direct_rx_tvalid,
  input  [PORT_COUNT-1:0] m_axis_direct_rx_tready,
  output [PORT_COUNT-1:0] m_axis_direct_rx_tlast,
  output [PORT_COUNT*AXIS_RX_USER_WIDTH-1:0] m_axis_direct_rx_tuser,
  input  [PORT_COUNT*AXIS_SYNC_DATA_WIDTH-1:0] s_axis_sync_tx_tdata,
  input  [PORT_COUNT*AXIS_SYNC_KEEP_WIDTH-1:0] s_axis_sync_tx_tkeep,
  input  [PORT_COUNT-1:0] s_axis_sync_tx_tvalid,
  output [PORT_COUNT-1:0] s_axis_sync_tx_tready,
  input  [PORT_COUNT-1:0] s_axis_sync_tx_tlast,
  input  [PORT_COUNT*AXIS_SYNC_TX_USER_WIDTH-1:0] s_axis_sync_tx_tuser,
  output [PORT_COUNT*AXIS_SYNC_DATA_WIDTH-1:0] m_axis_sync_tx_tdata,
  output [PORT_COUNT*AXIS_SYNC_KEEP_WIDTH-1:0] m_axis_sync_tx_tkeep,
  output [PORT_COUNT-1:0] m_axis_sync_tx_tvalid,
  input  [PORT_COUNT-1:0] m_axis_sync_tx_tready,
  output [PORT_COUNT-1:0] m_axis_sync_tx_tlast,
  output [PORT_COUNT*AXIS_SYNC_TX_USER_WIDTH-1:0] m_axis_sync_tx_tuser,
  input  [PORT_COUNT*PTP_TS_WIDTH-1:0] s_axis_sync_tx_cpl_ts,
  input  [PORT_COUNT*TX_TAG_WIDTH-1:0] s_axis_sync_tx_cpl_tag,
  input  [PORT_COUNT-1:0] s_axis_sync_tx_cpl_valid,
  output [PORT_COUNT-1:0] s_axis_sync_tx_cpl_ready,
  output [PORT_COUNT*PTP_TS_WIDTH-1:0] m_axis_sync_tx_cpl_ts,
  output [PORT_COUNT*TX_TAG_WIDTH-1:0] m_axis_sync_tx_cpl_tag,
  output [PORT_COUNT-1:0] m_axis_sync_tx_cpl_valid,
  input  [PORT_COUNT-1:0] m_axis_sync_tx_cpl_ready,
  input  [PORT_COUNT*AXIS_SYNC_DATA_WIDTH-1:0] s_axis_sync_rx_tdata,
  input  [PORT_COUNT*AXIS_SYNC_KEEP_WIDTH-1:0] s_axis_sync_rx_tkeep,
  input  [PORT_COUNT-1:0] s_axis_sync_rx_tvalid,
  output [PORT_COUNT-1:0] s_axis_sync_rx_tready,
  input  [PORT_COUNT-1:0] s_axis_sync_rx_tlast,
  input  [PORT_COUNT*AXIS_SYNC_RX_USER_WIDTH-1:0] s_axis_sync_rx_tuser,
  output [PORT_COUNT*AXIS_SYNC_DATA_WIDTH-1:0] m_axis_sync_rx_tdata,
  output [PORT_COUNT*AXIS_SYNC_KEEP_WIDTH-1:0] m_axis_sync_rx_tkeep,
  output [PORT_COUNT-1:0] m_axis_sync_rx_tvalid,
  input  [PORT_COUNT-1:0] m_axis_sync_rx_tready,
  output [PORT_COUNT-1:0] m_axis_sync_rx_tlast,
  output [PORT_COUNT*AXIS_SYNC_RX_USER_WIDTH-1:0] m_axis_sync_rx_tuser,
  input  [IF_COUNT*AXIS_IF_DATA_WIDTH-1:0] s_axis_if_tx_tdata,
  input  [IF_COUNT*AXIS_IF_KEEP_WIDTH-1:0] s_axis_if_tx_tkeep,
  input  [IF_COUNT-1:0] s_axis_if_tx_tvalid,
  output [IF_COUNT-1:0] s_axis_if_tx_tready,
  input  [IF_COUNT-1:0] s_axis_if_tx_tlast,
  input  [IF_COUNT*AXIS_IF_TX_ID_WIDTH-1:0] s_axis_if_tx_tid,
  input  [IF_COUNT*AXIS_IF_TX_DEST_WIDTH-1:0] s_axis_if_tx_tdest,
  input  [IF_COUNT*AXIS_IF_TX_USER_WIDTH-1:0] s_axis_if_tx_tuser,
  output [IF_COUNT*AXIS_IF_DATA_WIDTH-1:0] m_axis_if_tx_tdata,
  output [IF_COUNT*AXIS_IF_KEEP_WIDTH-1:0] m_axis_if_tx_tkeep,
  output [IF_COUNT-1:0] m_axis_if_tx_tvalid,
  input  [IF_COUNT-1:0] m_axis_if_tx_tready,
  output [IF_COUNT-1:0] m_axis_if_tx_tlast,
  output [IF_COUNT*AXIS_IF_TX_ID_WIDTH-1:0] m_axis_if_tx_tid,
  output [IF_COUNT*AXIS_IF_TX_DEST_WIDTH-1:0] m_axis_if_tx_tdest,
  output [IF_COUNT*AXIS_IF_TX_USER_WIDTH-1:0] m_axis_if_tx_tuser,
  input  [IF_COUNT*PTP_TS_WIDTH-1:0] s_axis_if_tx_cpl_ts,
  input  [IF_COUNT*TX_TAG_WIDTH-1:0] s_axis_if_tx_cpl_tag,
  input  [IF_COUNT-1:0] s_axis_if_tx_cpl_valid,
  output [IF_COUNT-1:0] s_axis_if_tx_cpl_ready,
  output [IF_COUNT*PTP_TS_WIDTH-1:0] m_axis_if_tx_cpl_ts,
  output [IF_COUNT*TX_TAG_WIDTH-1:0] m_axis_if_tx_cpl_tag,
  output [IF_COUNT-1:0] m_axis_if_tx_cpl_valid,
  input  [IF_COUNT-1:0] m_axis_if_tx_cpl_ready,
  input  [IF_COUNT*AXIS_IF_DATA_WIDTH-1:0] s_axis_if_rx_tdata,
  input  [IF_COUNT*AXIS_IF_KEEP_WIDTH-1:0] s_axis_if_rx_tkeep,
  input  [IF_COUNT-1:0] s_axis_if_rx_tvalid,
  output [IF_COUNT-1:0] s_axis_if_rx_tready,
  input  [IF_COUNT-1:0] s_axis_if_rx_tlast,
  input  [IF_COUNT*AXIS_IF_RX_ID_WIDTH-1:0] s_axis_if_rx_tid,
  input  [IF_COUNT*AXIS_IF_RX_DEST_WIDTH-1:0] s_axis_if_rx_tdest,
  input  [IF_COUNT*AXIS_IF_RX_USER_WIDTH-1:0] s_axis_if_rx_tuser,
  output [IF_COUNT*AXIS_IF_DATA_WIDTH-1:0] m_axis_if_rx_tdata,
  output [IF_COUNT*AXIS_IF_KEEP_WIDTH-1:0] m_axis_if_rx_tkeep,
  output [IF_COUNT-1:0] m_axis_if_rx_tvalid,
  input  [IF_COUNT-1:0] m_axis_if_rx_tready,
  output [IF_COUNT-1:0] m_axis_if_rx_tlast,
  output [IF_COUNT*AXIS_IF_RX_ID_WIDTH-1:0] m_axis_if_rx_tid,
  output [IF_COUNT*AXIS_IF_RX_DEST_WIDTH-1:0] m_axis_if_rx_tdest,
  output [IF_COUNT*AXIS_IF_RX_USER_WIDTH-1:0] m_axis_if_rx_tuser,
  input  [DDR_CH-1:0] ddr_clk,
  input  [DDR_CH-1:0] ddr_rst,
  output [DDR_CH*AXI_DDR_ID_WIDTH-1:0] m_axi_ddr_awid,
  output [DDR_CH*AXI_DDR_ADDR_WIDTH-1:0] m_axi_ddr_awaddr,
  output [DDR_CH*8-1:0] m_axi_ddr_awlen,
  output [DDR_CH*3-1:0] m_axi_ddr_awsize,
  output [DDR_CH*2-1:0] m_axi_ddr_awburst,
  output [DDR_CH-1:0] m_axi_ddr_awlock,
  output [DDR_CH*4-1:0] m_axi_ddr_awcache,
  output [DDR_CH*3-1:0] m_axi_ddr_awprot,
  output [DDR_CH*4-1:0] m_axi_ddr_awqos,
  output [DDR_CH*AXI_DDR_AWUSER_WIDTH-1:0] m_axi_ddr_awuser,
  output [DDR_CH-1:0] m_axi_ddr_awvalid,
  input  [DDR_CH-1:0] m_axi_ddr_awready,
  output [DDR_CH*AXI_DDR_DATA_WIDTH-1:0] m_axi_ddr_wdata,
  output [DDR_CH*AXI_DDR_STRB_WIDTH-1:0] m_axi_ddr_wstrb,
  output [DDR_CH-1:0] m_axi_ddr_wlast,
  output [DDR_CH*AXI_DDR_WUSER_WIDTH-1:0] m_axi_ddr_wuser,
  output [DDR_CH-1:0] m_axi_ddr_wvalid,
  input  [DDR_CH-1:0] m_axi_ddr_wready,
  input  [DDR_CH*AXI_DDR_ID_WIDTH-1:0] m_axi_ddr_bid,
  input  [DDR_CH*2-1:0] m_axi_ddr_bresp,
  input  [DDR_CH*AXI_DDR_BUSER_WIDTH-1:0] m_axi_ddr_buser,
  input  [DDR_CH-1:0] m_axi_ddr_bvalid,
  output [DDR_CH-1:0] m_axi_ddr_bready,
  output [DDR_CH*AXI_DDR_ID_WIDTH-1:0] m_axi_ddr_arid,
  output [DDR_CH*AXI_DDR_ADDR_WIDTH-1:0] m_axi_ddr_araddr,
  output [DDR_CH*8-1:0] m_axi_ddr_arlen,
  output [DDR_CH*3-1:0] m_axi_ddr_arsize,
  output [DDR_CH*2-1:0] m_axi_ddr_arburst,
  output [DDR_CH-1:0] m_axi_ddr_arlock,
  output [DDR_CH*4-1:0] m_axi_ddr_arcache,
  output [DDR_CH*3-1:0] m_axi_ddr_arprot,
  output [DDR_CH*4-1:0] m_axi_ddr_arqos,
  output [DDR_CH*AXI_DDR_ARUSER_WIDTH-1:0] m_axi_ddr_aruser,
  output [DDR_CH-1:0] m_axi_ddr_arvalid,
  input  [DDR_CH-1:0] m_axi_ddr_arready,
  input  [DDR_CH*AXI_DDR_ID_WIDTH-1:0] m_axi_ddr_rid,
  input  [DDR_CH*AXI_DDR_DATA_WIDTH-1:0] m_axi_ddr_rdata,
  input  [DDR_CH*2-1:0] m_axi_ddr_rresp,
  input  [DDR_CH-1:0] m_axi_ddr_rlast,
  input  [DDR_CH*AXI_DDR_RUSER_WIDTH-1:0] m_axi_ddr_ruser,
  input  [DDR_CH-1:0] m_axi_ddr_rvalid,
  output [DDR_CH-1:0] m_axi_ddr_rready,
  input  [DDR_CH-1:0] ddr_status,
  input  [HBM_CH-1:0] hbm_clk,
  input  [HBM_CH-1:0] hbm_rst,
  output [HBM_CH*AXI_HBM_ID_WIDTH-1:0] m_axi_hbm_awid,
  output [HBM_CH*AXI_HBM_ADDR_WIDTH-1:0] m_axi_hbm_awaddr,
  output [HBM_CH*8-1:0] m_axi_hbm_awlen,
  output [HBM_CH*3-1:0] m_axi_hbm_awsize,
  output [HBM_CH*2-1:0] m_axi_hbm_awburst,
  output [HBM_CH-1:0] m_axi_hbm_awlock,
  output [HBM_CH*4-1:0] m_axi_hbm_awcache,
  output [HBM_CH*3-1:0] m_axi_hbm_awprot,
  output [HBM_CH*4-1:0] m_axi_hbm_awqos,
  output [HBM_CH*AXI_HBM_AWUSER_WIDTH-1:0] m_axi_hbm_awuser,
  output [HBM_CH-1:0] m_axi_hbm_awvalid,
  input  [HBM_CH-1:0] m_axi_hbm_awready,
  output [HBM_CH*AXI_HBM_DATA_WIDTH-1:0] m_axi_hbm_wdata,
  output [HBM_CH*AXI_HBM_STRB_WIDTH-1:0] m_axi_hbm_wstrb,
  output [HBM_CH-1:0] m_axi_hbm_wlast,
  output [HBM_CH*AXI_HBM_WUSER_WIDTH-1:0] m_axi_hbm_wuser,
  output [HBM_CH-1:0] m_axi_hbm_wvalid,
  input  [HBM_CH-1:0] m_axi_hbm_wready,
  input  [HBM_CH*AXI_HBM_ID_WIDTH-1:0] m_axi_hbm_bid,
  input  [HBM_CH*2-1:0] m_axi_hbm_bresp,
  input  [HBM_CH*AXI_HBM_BUSER_WIDTH-1:0] m_axi_hbm_buser,
  input  [HBM_CH-1:0] m_axi_hbm_bvalid,
  output [HBM_CH-1:0] m_axi_hbm_bready,
  output [HBM_CH*AXI_HBM_ID_WIDTH-1:0] m_axi_hbm_arid,
  output [HBM_CH*AXI_HBM_ADDR_WIDTH-1:0] m_axi_hbm_araddr,
  output [HBM_CH*8-1:0] m_axi_hbm_arlen,
  output [HBM_CH*3-1:0] m_axi_hbm_arsize,
  output [HBM_CH*2-1:0] m_axi_hbm_arburst,
  output [HBM_CH-1:0] m_axi_hbm_arlock,
  output [HBM_CH*4-1:0] m_axi_hbm_arcache,
  output [HBM_CH*3-1:0] m_axi_hbm_arprot,
  output [HBM_CH*4-1:0] m_axi_hbm_arqos,
  output [HBM_CH*AXI_HBM_ARUSER_WIDTH-1:0] m_axi_hbm_aruser,
  output [HBM_CH-1:0] m_axi_hbm_arvalid,
  input  [HBM_CH-1:0] m_axi_hbm_arready,
  input  [HBM_CH*AXI_HBM_ID_WIDTH-1:0] m_axi_hbm_rid,
  input  [HBM_CH*AXI_HBM_DATA_WIDTH-1:0] m_axi_hbm_rdata,
  input  [HBM_CH*2-1:0] m_axi_hbm_rresp,
  input  [HBM_CH-1:0] m_axi_hbm_rlast,
  input  [HBM_CH*AXI_HBM_RUSER_WIDTH-1:0] m_axi_hbm_ruser,
  input  [HBM_CH-1:0] m_axi_hbm_rvalid,
  output [HBM_CH-1:0] m_axi_hbm_rready,
  input  [HBM_CH-1:0] hbm_status,
  output [STAT_INC_WIDTH-1:0] m_axis_stat_tdata,
  output [STAT_ID_WIDTH-1:0] m_axis_stat_tid,
  output m_axis_stat_tvalid,
  input  m_axis_stat_tready,
  input  [APP_GPIO_IN_WIDTH-1:0] gpio_in,
  output [APP_GPIO_OUT_WIDTH-1:0] gpio_out,
  input  jtag_tdi,
  output jtag_tdo,
  input  jtag_tms,
  input  jtag_tck
);

  // The streams are cut for two ports of 512 bits, and the block is of no use beside another application.
  initial begin
    if (PORT_COUNT != 2 || AXIS_DATA_WIDTH != 512 || !APP_AXIS_DIRECT_ENABLE || TX_TAG_WIDTH != 16) begin
      $display("matchrdma: PORT_COUNT 2, AXIS_DATA_WIDTH 512, TX_TAG_WIDTH 16 and APP_AXIS_DIRECT_ENABLE 1 are needed");
      $finish;
    end
    if (APP_ID != 32'h4d524731) begin
      $display("matchrdma: APP_ID is 32'h4d524731, not 32'h%x", APP_ID);
      $finish;
    end
  end

  wire rst_core;
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
  wire irq;

  // Beyond a MiB there is nothing, as within it beyond the registers.
  wire [31:0] awaddr = s_axil_app_ctrl_awaddr;
  wire [31:0] araddr = s_axil_app_ctrl_araddr;
  wire [3:0] aw_beyond = |awaddr[31:20] ? 4'hf : awaddr[19:16];
  wire [3:0] ar_beyond = |araddr[31:20] ? 4'hf : araddr[19:16];

  // Frames of ours have tag 0, and what the MAC says of them ends here.
  wire [1:0] tx_bad;
  assign m_axis_direct_tx_tuser = {{TX_TAG_WIDTH{1'b0}}, tx_bad[1], {TX_TAG_WIDTH{1'b0}}, tx_bad[0]};
  assign s_axis_direct_tx_cpl_ready = 2'b11;
  assign m_axis_direct_tx_cpl_ts = {PORT_COUNT*PTP_TS_WIDTH{1'b0}};
  // A MAC has no way to wait.
  assign s_axis_direct_rx_tready = 2'b11;
  assign m_axis_direct_rx_tdata = {PORT_COUNT*AXIS_DATA_WIDTH{1'b0}};
  assign m_axis_direct_rx_tkeep = {PORT_COUNT*AXIS_KEEP_WIDTH{1'b0}};
  assign m_axis_direct_rx_tvalid = 2'b00;
  assign m_axis_direct_rx_tlast = 2'b00;
  assign m_axis_direct_rx_tuser = {PORT_COUNT*AXIS_RX_USER_WIDTH{1'b0}};

  // Synchronous and interface streams pass.
  assign s_axis_sync_tx_tready = m_axis_sync_tx_tready;
  assign m_axis_sync_tx_tdata = s_axis_sync_tx_tdata;
  assign m_axis_sync_tx_tkeep = s_axis_sync_tx_tkeep;
  assign m_axis_sync_tx_tvalid = s_axis_sync_tx_tvalid;
  assign m_axis_sync_tx_tlast = s_axis_sync_tx_tlast;
  assign m_axis_sync_tx_tuser = s_axis_sync_tx_tuser;
  assign s_axis_sync_tx_cpl_ready = m_axis_sync_tx_cpl_ready;
  assign m_axis_sync_tx_cpl_ts = s_axis_sync_tx_cpl_ts;
  assign m_axis_sync_tx_cpl_tag = s_axis_sync_tx_cpl_tag;
  assign m_axis_sync_tx_cpl_valid = s_axis_sync_tx_cpl_valid;
  assign s_axis_sync_rx_tready = m_axis_sync_rx_tready;
  assign m_axis_sync_rx_tdata = s_axis_sync_rx_tdata;
  assign m_axis_sync_rx_tkeep = s_axis_sync_rx_tkeep;
  assign m_axis_sync_rx_tvalid = s_axis_sync_rx_tvalid;
  assign m_axis_sync_rx_tlast = s_axis_sync_rx_tlast;
  assign m_axis_sync_rx_tuser = s_axis_sync_rx_tuser;
  assign s_axis_if_tx_tready = m_axis_if_tx_tready;
  assign m_axis_if_tx_tdata = s_axis_if_tx_tdata;
  assign m_axis_if_tx_tkeep = s_axis_if_tx_tkeep;
  assign m_axis_if_tx_tvalid = s_axis_if_tx_tvalid;
  assign m_axis_if_tx_tlast = s_axis_if_tx_tlast;
  assign m_axis_if_tx_tid = s_axis_if_tx_tid;
  assign m_axis_if_tx_tdest = s_axis_if_tx_tdest;
  assign m_axis_if_tx_tuser = s_axis_if_tx_tuser;
  assign s_axis_if_tx_cpl_ready = m_axis_if_tx_cpl_ready;
  assign m_axis_if_tx_cpl_ts = s_axis_if_tx_cpl_ts;
  assign m_axis_if_tx_cpl_tag = s_axis_if_tx_cpl_tag;
  assign m_axis_if_tx_cpl_valid = s_axis_if_tx_cpl_valid;
  assign s_axis_if_rx_tready = m_axis_if_rx_tready;
  assign m_axis_if_rx_tdata = s_axis_if_rx_tdata;
  assign m_axis_if_rx_tkeep = s_axis_if_rx_tkeep;
  assign m_axis_if_rx_tvalid = s_axis_if_rx_tvalid;
  assign m_axis_if_rx_tlast = s_axis_if_rx_tlast;
  assign m_axis_if_rx_tid = s_axis_if_rx_tid;
  assign m_axis_if_rx_tdest = s_axis_if_rx_tdest;
  assign m_axis_if_rx_tuser = s_axis_if_rx_tuser;

  // What rests.
  assign m_axil_ctrl_awaddr = {AXIL_CTRL_ADDR_WIDTH{1'b0}};
  assign m_axil_ctrl_awprot = 3'h0;
  assign m_axil_ctrl_awvalid = 1'b0;
  assign m_axil_ctrl_wdata = {AXIL_CTRL_DATA_WIDTH{1'b0}};
  assign m_axil_ctrl_wstrb = {AXIL_CTRL_STRB_WIDTH{1'b0}};
  assign m_axil_ctrl_wvalid = 1'b0;
  assign m_axil_ctrl_bready = 1'b1;
  assign m_axil_ctrl_araddr = {AXIL_CTRL_ADDR_WIDTH{1'b0}};
  assign m_axil_ctrl_arprot = 3'h0;
  assign m_axil_ctrl_arvalid = 1'b0;
  assign m_axil_ctrl_rready = 1'b1;
  assign m_axis_ctrl_dma_read_desc_dma_addr = {DMA_ADDR_WIDTH{1'b0}};
  assign m_axis_ctrl_dma_read_desc_ram_sel = {RAM_SEL_WIDTH{1'b0}};
  assign m_axis_ctrl_dma_read_desc_ram_addr = {RAM_ADDR_WIDTH{1'b0}};
  assign m_axis_ctrl_dma_read_desc_len = {DMA_LEN_WIDTH{1'b0}};
  assign m_axis_ctrl_dma_read_desc_tag = {DMA_TAG_WIDTH{1'b0}};
  assign m_axis_ctrl_dma_read_desc_valid = 1'b0;
  assign m_axis_ctrl_dma_write_desc_dma_addr = {DMA_ADDR_WIDTH{1'b0}};
  assign m_axis_ctrl_dma_write_desc_ram_sel = {RAM_SEL_WIDTH{1'b0}};
  assign m_axis_ctrl_dma_write_desc_ram_addr = {RAM_ADDR_WIDTH{1'b0}};
  assign m_axis_ctrl_dma_write_desc_imm = {DMA_IMM_WIDTH{1'b0}};
  assign m_axis_ctrl_dma_write_desc_imm_en = 1'b0;
  assign m_axis_ctrl_dma_write_desc_len = {DMA_LEN_WIDTH{1'b0}};
  assign m_axis_ctrl_dma_write_desc_tag = {DMA_TAG_WIDTH{1'b0}};
  assign m_axis_ctrl_dma_write_desc_valid = 1'b0;
  assign m_axis_data_dma_read_desc_dma_addr = {DMA_ADDR_WIDTH{1'b0}};
  assign m_axis_data_dma_read_desc_ram_sel = {RAM_SEL_WIDTH{1'b0}};
  assign m_axis_data_dma_read_desc_ram_addr = {RAM_ADDR_WIDTH{1'b0}};
  assign m_axis_data_dma_read_desc_len = {DMA_LEN_WIDTH{1'b0}};
  assign m_axis_data_dma_read_desc_tag = {DMA_TAG_WIDTH{1'b0}};
  assign m_axis_data_dma_read_desc_valid = 1'b0;
  assign m_axis_data_dma_write_desc_dma_addr = {DMA_ADDR_WIDTH{1'b0}};
  assign m_axis_data_dma_write_desc_ram_sel = {RAM_SEL_WIDTH{1'b0}};
  assign m_axis_data_dma_write_desc_ram_addr = {RAM_ADDR_WIDTH{1'b0}};
  assign m_axis_data_dma_write_desc_imm = {DMA_IMM_WIDTH{1'b0}};
  assign m_axis_data_dma_write_desc_imm_en = 1'b0;
  assign m_axis_data_dma_write_desc_len = {DMA_LEN_WIDTH{1'b0}};
  assign m_axis_data_dma_write_desc_tag = {DMA_TAG_WIDTH{1'b0}};
  assign m_axis_data_dma_write_desc_valid = 1'b0;
  assign ctrl_dma_ram_wr_cmd_ready = {RAM_SEG_COUNT{1'b1}};
  assign ctrl_dma_ram_wr_done = ctrl_dma_ram_wr_cmd_valid;
  assign ctrl_dma_ram_rd_cmd_ready = ctrl_dma_ram_rd_resp_ready;
  assign ctrl_dma_ram_rd_resp_data = {RAM_SEG_COUNT*RAM_SEG_DATA_WIDTH{1'b0}};
  assign ctrl_dma_ram_rd_resp_valid = ctrl_dma_ram_rd_cmd_valid;
  assign data_dma_ram_wr_cmd_ready = {RAM_SEG_COUNT{1'b1}};
  assign data_dma_ram_wr_done = data_dma_ram_wr_cmd_valid;
  assign data_dma_ram_rd_cmd_ready = data_dma_ram_rd_resp_ready;
  assign data_dma_ram_rd_resp_data = {RAM_SEG_COUNT*RAM_SEG_DATA_WIDTH{1'b0}};
  assign data_dma_ram_rd_resp_valid = data_dma_ram_rd_cmd_valid;
  assign m_axi_ddr_awid = {DDR_CH*AXI_DDR_ID_WIDTH{1'b0}};
  assign m_axi_ddr_awaddr = {DDR_CH*AXI_DDR_ADDR_WIDTH{1'b0}};
  assign m_axi_ddr_awlen = {DDR_CH*8{1'b0}};
  assign m_axi_ddr_awsize = {DDR_CH*3{1'b0}};
  assign m_axi_ddr_awburst = {DDR_CH*2{1'b0}};
  assign m_axi_ddr_awlock = {DDR_CH{1'b0}};
  assign m_axi_ddr_awcache = {DDR_CH*4{1'b0}};
  assign m_axi_ddr_awprot = {DDR_CH*3{1'b0}};
  assign m_axi_ddr_awqos = {DDR_CH*4{1'b0}};
  assign m_axi_ddr_awuser = {DDR_CH*AXI_DDR_AWUSER_WIDTH{1'b0}};
  assign m_axi_ddr_awvalid = {DDR_CH{1'b0}};
  assign m_axi_ddr_wdata = {DDR_CH*AXI_DDR_DATA_WIDTH{1'b0}};
  assign m_axi_ddr_wstrb = {DDR_CH*AXI_DDR_STRB_WIDTH{1'b0}};
  assign m_axi_ddr_wlast = {DDR_CH{1'b0}};
  assign m_axi_ddr_wuser = {DDR_CH*AXI_DDR_WUSER_WIDTH{1'b0}};
  assign m_axi_ddr_wvalid = {DDR_CH{1'b0}};
  assign m_axi_ddr_bready = {DDR_CH{1'b0}};
  assign m_axi_ddr_arid = {DDR_CH*AXI_DDR_ID_WIDTH{1'b0}};
  assign m_axi_ddr_araddr = {DDR_CH*AXI_DDR_ADDR_WIDTH{1'b0}};
  assign m_axi_ddr_arlen = {DDR_CH*8{1'b0}};
  assign m_axi_ddr_arsize = {DDR_CH*3{1'b0}};
  assign m_axi_ddr_arburst = {DDR_CH*2{1'b0}};
  assign m_axi_ddr_arlock = {DDR_CH{1'b0}};
  assign m_axi_ddr_arcache = {DDR_CH*4{1'b0}};
  assign m_axi_ddr_arprot = {DDR_CH*3{1'b0}};
  assign m_axi_ddr_arqos = {DDR_CH*4{1'b0}};
  assign m_axi_ddr_aruser = {DDR_CH*AXI_DDR_ARUSER_WIDTH{1'b0}};
  assign m_axi_ddr_arvalid = {DDR_CH{1'b0}};
  assign m_axi_ddr_rready = {DDR_CH{1'b0}};
  assign m_axi_hbm_awid = {HBM_CH*AXI_HBM_ID_WIDTH{1'b0}};
  assign m_axi_hbm_awaddr = {HBM_CH*AXI_HBM_ADDR_WIDTH{1'b0}};
  assign m_axi_hbm_awlen = {HBM_CH*8{1'b0}};
  assign m_axi_hbm_awsize = {HBM_CH*3{1'b0}};
  assign m_axi_hbm_awburst = {HBM_CH*2{1'b0}};
  assign m_axi_hbm_awlock = {HBM_CH{1'b0}};
  assign m_axi_hbm_awcache = {HBM_CH*4{1'b0}};
  assign m_axi_hbm_awprot = {HBM_CH*3{1'b0}};
  assign m_axi_hbm_awqos = {HBM_CH*4{1'b0}};
  assign m_axi_hbm_awuser = {HBM_CH*AXI_HBM_AWUSER_WIDTH{1'b0}};
  assign m_axi_hbm_awvalid = {HBM_CH{1'b0}};
  assign m_axi_hbm_wdata = {HBM_CH*AXI_HBM_DATA_WIDTH{1'b0}};
  assign m_axi_hbm_wstrb = {HBM_CH*AXI_HBM_STRB_WIDTH{1'b0}};
  assign m_axi_hbm_wlast = {HBM_CH{1'b0}};
  assign m_axi_hbm_wuser = {HBM_CH*AXI_HBM_WUSER_WIDTH{1'b0}};
  assign m_axi_hbm_wvalid = {HBM_CH{1'b0}};
  assign m_axi_hbm_bready = {HBM_CH{1'b0}};
  assign m_axi_hbm_arid = {HBM_CH*AXI_HBM_ID_WIDTH{1'b0}};
  assign m_axi_hbm_araddr = {HBM_CH*AXI_HBM_ADDR_WIDTH{1'b0}};
  assign m_axi_hbm_arlen = {HBM_CH*8{1'b0}};
  assign m_axi_hbm_arsize = {HBM_CH*3{1'b0}};
  assign m_axi_hbm_arburst = {HBM_CH*2{1'b0}};
  assign m_axi_hbm_arlock = {HBM_CH{1'b0}};
  assign m_axi_hbm_arcache = {HBM_CH*4{1'b0}};
  assign m_axi_hbm_arprot = {HBM_CH*3{1'b0}};
  assign m_axi_hbm_arqos = {HBM_CH*4{1'b0}};
  assign m_axi_hbm_aruser = {HBM_CH*AXI_HBM_ARUSER_WIDTH{1'b0}};
  assign m_axi_hbm_arvalid = {HBM_CH{1'b0}};
  assign m_axi_hbm_rready = {HBM_CH{1'b0}};
  assign m_axis_stat_tdata = {STAT_INC_WIDTH{1'b0}};
  assign m_axis_stat_tid = {STAT_ID_WIDTH{1'b0}};
  assign m_axis_stat_tvalid = 1'b0;
  assign gpio_out = {APP_GPIO_OUT_WIDTH{1'b0}};
  assign jtag_tdo = jtag_tdi;

  corundum matchrdma_adapter(
    .axil_clk(clk),
    .rst(rst),
    .client_rx_clk(direct_rx_clk[0]),
    .client_rx_rst(direct_rx_rst[0]),
    .client_tx_clk(direct_tx_clk[0]),
    .client_tx_rst(direct_tx_rst[0]),
    .line_rx_clk(direct_rx_clk[1]),
    .line_rx_rst(direct_rx_rst[1]),
    .line_tx_clk(direct_tx_clk[1]),
    .line_tx_rst(direct_tx_rst[1]),
    .core_rst(rst_core),
    .s_axil_awaddr({aw_beyond, awaddr[15:0]}),
    .s_axil_awvalid(s_axil_app_ctrl_awvalid),
    .s_axil_awready(s_axil_app_ctrl_awready),
    .s_axil_wdata(s_axil_app_ctrl_wdata),
    .s_axil_wstrb(s_axil_app_ctrl_wstrb),
    .s_axil_wvalid(s_axil_app_ctrl_wvalid),
    .s_axil_wready(s_axil_app_ctrl_wready),
    .s_axil_bresp(s_axil_app_ctrl_bresp),
    .s_axil_bvalid(s_axil_app_ctrl_bvalid),
    .s_axil_bready(s_axil_app_ctrl_bready),
    .s_axil_araddr({ar_beyond, araddr[15:0]}),
    .s_axil_arvalid(s_axil_app_ctrl_arvalid),
    .s_axil_arready(s_axil_app_ctrl_arready),
    .s_axil_rdata(s_axil_app_ctrl_rdata),
    .s_axil_rresp(s_axil_app_ctrl_rresp),
    .s_axil_rvalid(s_axil_app_ctrl_rvalid),
    .s_axil_rready(s_axil_app_ctrl_rready),
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
    .s_axis_mac_client_tdata(s_axis_direct_rx_tdata[511:0]),
    .s_axis_mac_client_tkeep(s_axis_direct_rx_tkeep[63:0]),
    .s_axis_mac_client_tuser(s_axis_direct_rx_tuser[0]),
    .s_axis_mac_client_tlast(s_axis_direct_rx_tlast[0]),
    .s_axis_mac_client_tvalid(s_axis_direct_rx_tvalid[0]),
    .m_axis_mac_client_tdata(m_axis_direct_tx_tdata[511:0]),
    .m_axis_mac_client_tkeep(m_axis_direct_tx_tkeep[63:0]),
    .m_axis_mac_client_tuser(tx_bad[0]),
    .m_axis_mac_client_tlast(m_axis_direct_tx_tlast[0]),
    .m_axis_mac_client_tvalid(m_axis_direct_tx_tvalid[0]),
    .m_axis_mac_client_tready(m_axis_direct_tx_tready[0]),
    .host_client_tag(s_axis_direct_tx_tuser[16:1]),
    .host_client_tlast(s_axis_direct_tx_tlast[0]),
    .host_client_tvalid(s_axis_direct_tx_tvalid[0]),
    .host_client_tready(s_axis_direct_tx_tready[0]),
    .cpl_client_tag(m_axis_direct_tx_cpl_tag[15:0]),
    .cpl_client_valid(m_axis_direct_tx_cpl_valid[0]),
    .cpl_client_ready(m_axis_direct_tx_cpl_ready[0]),
    .m_axis_core_client_tdata(client_rx_tdata),
    .m_axis_core_client_tkeep(client_rx_tkeep),
    .m_axis_core_client_tuser(client_rx_tuser),
    .m_axis_core_client_tlast(client_rx_tlast),
    .m_axis_core_client_tvalid(client_rx_tvalid),
    .s_axis_core_client_tdata(client_tx_tdata),
    .s_axis_core_client_tkeep(client_tx_tkeep),
    .s_axis_core_client_tuser(client_tx_tuser),
    .s_axis_core_client_tlast(client_tx_tlast),
    .s_axis_core_client_tvalid(client_tx_tvalid),
    .s_axis_core_client_tready(client_tx_tready),
    .s_axis_mac_line_tdata(s_axis_direct_rx_tdata[1023:512]),
    .s_axis_mac_line_tkeep(s_axis_direct_rx_tkeep[127:64]),
    .s_axis_mac_line_tuser(s_axis_direct_rx_tuser[AXIS_RX_USER_WIDTH]),
    .s_axis_mac_line_tlast(s_axis_direct_rx_tlast[1]),
    .s_axis_mac_line_tvalid(s_axis_direct_rx_tvalid[1]),
    .m_axis_mac_line_tdata(m_axis_direct_tx_tdata[1023:512]),
    .m_axis_mac_line_tkeep(m_axis_direct_tx_tkeep[127:64]),
    .m_axis_mac_line_tuser(tx_bad[1]),
    .m_axis_mac_line_tlast(m_axis_direct_tx_tlast[1]),
    .m_axis_mac_line_tvalid(m_axis_direct_tx_tvalid[1]),
    .m_axis_mac_line_tready(m_axis_direct_tx_tready[1]),
    .host_line_tag(s_axis_direct_tx_tuser[AXIS_TX_USER_WIDTH+16:AXIS_TX_USER_WIDTH+1]),
    .host_line_tlast(s_axis_direct_tx_tlast[1]),
    .host_line_tvalid(s_axis_direct_tx_tvalid[1]),
    .host_line_tready(s_axis_direct_tx_tready[1]),
    .cpl_line_tag(m_axis_direct_tx_cpl_tag[31:16]),
    .cpl_line_valid(m_axis_direct_tx_cpl_valid[1]),
    .cpl_line_ready(m_axis_direct_tx_cpl_ready[1]),
    .m_axis_core_line_tdata(line_rx_tdata),
    .m_axis_core_line_tkeep(line_rx_tkeep),
    .m_axis_core_line_tuser(line_rx_tuser),
    .m_axis_core_line_tlast(line_rx_tlast),
    .m_axis_core_line_tvalid(line_rx_tvalid),
    .s_axis_core_line_tdata(line_tx_tdata),
    .s_axis_core_line_tkeep(line_tx_tkeep),
    .s_axis_core_line_tuser(line_tx_tuser),
    .s_axis_core_line_tlast(line_tx_tlast),
    .s_axis_core_line_tvalid(line_tx_tvalid),
    .s_axis_core_line_tready(line_tx_tready)
  );

  // A receive side is always ready. The application has no interrupt: the host asks.
  gateway core(
    .clk(direct_tx_clk[0]),
    .rst(rst_core),
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
