//! The gateway: everything between the four streams and the register window. One join per arrow.
//!
//! ```text
//! s_axis_client ─► outbound ─────────────────────► m_axis_line
//!                     │ line_intent      ▲ rx, back
//!                     ▼                  ▼
//!                 pseudo_ack ◄── client_intent ┐
//!                     │ ack                    │
//! m_axis_client ◄─────┴──────────────── inbound ◄── s_axis_line
//! ```

use crate::budget::{Budgets, PathScan, RateTable};
use crate::host::{PfcRegs, RegFile, Tally, Watch};
use crate::inbound::pfc::Pfc;
use crate::inbound::Inbound;
use crate::outbound::pseudo_ack::PseudoAck;
use crate::outbound::Outbound;
use rust_hdl::prelude::*;

/// The core, with `2^A` beats and `2^D` descriptors of packet memory towards the client.
///
/// Neither receive side can wait: their `tready` is always high.
#[derive(LogicBlock, Default)]
pub struct Gateway<const A: usize, const D: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub s_axis_client_tdata: Signal<In, Bits<512>>,
    pub s_axis_client_tkeep: Signal<In, Bits<64>>,
    pub s_axis_client_tuser: Signal<In, Bits<1>>,
    pub s_axis_client_tlast: Signal<In, Bit>,
    pub s_axis_client_tvalid: Signal<In, Bit>,
    pub s_axis_client_tready: Signal<Out, Bit>,
    pub m_axis_client_tdata: Signal<Out, Bits<512>>,
    pub m_axis_client_tkeep: Signal<Out, Bits<64>>,
    pub m_axis_client_tuser: Signal<Out, Bit>,
    pub m_axis_client_tlast: Signal<Out, Bit>,
    pub m_axis_client_tvalid: Signal<Out, Bit>,
    pub m_axis_client_tready: Signal<In, Bit>,
    pub s_axis_line_tdata: Signal<In, Bits<512>>,
    pub s_axis_line_tkeep: Signal<In, Bits<64>>,
    pub s_axis_line_tuser: Signal<In, Bits<1>>,
    pub s_axis_line_tlast: Signal<In, Bit>,
    pub s_axis_line_tvalid: Signal<In, Bit>,
    pub s_axis_line_tready: Signal<Out, Bit>,
    pub m_axis_line_tdata: Signal<Out, Bits<512>>,
    pub m_axis_line_tkeep: Signal<Out, Bits<64>>,
    pub m_axis_line_tuser: Signal<Out, Bit>,
    pub m_axis_line_tlast: Signal<Out, Bit>,
    pub m_axis_line_tvalid: Signal<Out, Bit>,
    pub m_axis_line_tready: Signal<In, Bit>,
    pub s_axil_awaddr: Signal<In, Bits<16>>,
    pub s_axil_awvalid: Signal<In, Bit>,
    pub s_axil_awready: Signal<Out, Bit>,
    pub s_axil_wdata: Signal<In, Bits<32>>,
    pub s_axil_wstrb: Signal<In, Bits<4>>,
    pub s_axil_wvalid: Signal<In, Bit>,
    pub s_axil_wready: Signal<Out, Bit>,
    pub s_axil_bresp: Signal<Out, Bits<2>>,
    pub s_axil_bvalid: Signal<Out, Bit>,
    pub s_axil_bready: Signal<In, Bit>,
    pub s_axil_araddr: Signal<In, Bits<16>>,
    pub s_axil_arvalid: Signal<In, Bit>,
    pub s_axil_arready: Signal<Out, Bit>,
    pub s_axil_rdata: Signal<Out, Bits<32>>,
    pub s_axil_rresp: Signal<Out, Bits<2>>,
    pub s_axil_rvalid: Signal<Out, Bit>,
    pub s_axil_rready: Signal<In, Bit>,
    /// High while something waits that the host wants to hear of.
    pub irq: Signal<Out, Bit>,
    outbound: Outbound,
    inbound: Inbound<A, D>,
    pseudo_ack: PseudoAck,
    pfc: Pfc,
    pfc_regs: PfcRegs,
    path_scan: PathScan,
    reg_file: RegFile,
    tally: Tally,
    rate_table: RateTable,
    budgets: Budgets,
    watch: Watch,
}

impl<const A: usize, const D: usize> Logic for Gateway<A, D> {
    #[hdl_gen]
    fn update(&mut self) {
        self.outbound.clk.next = self.clk.val();
        self.outbound.rst.next = self.rst.val();
        self.inbound.clk.next = self.clk.val();
        self.inbound.rst.next = self.rst.val();
        self.pseudo_ack.clk.next = self.clk.val();
        self.pseudo_ack.rst.next = self.rst.val();
        self.reg_file.clk.next = self.clk.val();
        self.reg_file.rst.next = self.rst.val();

        // The client port.
        self.s_axis_client_tready.next = true;
        self.outbound.s_axis_client_tdata.next = self.s_axis_client_tdata.val();
        self.outbound.s_axis_client_tkeep.next = self.s_axis_client_tkeep.val();
        self.outbound.s_axis_client_tuser.next = self.s_axis_client_tuser.val();
        self.outbound.s_axis_client_tlast.next = self.s_axis_client_tlast.val();
        self.outbound.s_axis_client_tvalid.next = self.s_axis_client_tvalid.val();
        self.m_axis_client_tdata.next = self.inbound.m_axis_client_tdata.val();
        self.m_axis_client_tkeep.next = self.inbound.m_axis_client_tkeep.val();
        self.m_axis_client_tuser.next = self.inbound.m_axis_client_tuser.val();
        self.m_axis_client_tlast.next = self.inbound.m_axis_client_tlast.val();
        self.m_axis_client_tvalid.next = self.inbound.m_axis_client_tvalid.val();
        self.inbound.m_axis_client_tready.next = self.m_axis_client_tready.val();
        // The line port.
        self.s_axis_line_tready.next = true;
        self.inbound.s_axis_line_tdata.next = self.s_axis_line_tdata.val();
        self.inbound.s_axis_line_tkeep.next = self.s_axis_line_tkeep.val();
        self.inbound.s_axis_line_tuser.next = self.s_axis_line_tuser.val();
        self.inbound.s_axis_line_tlast.next = self.s_axis_line_tlast.val();
        self.inbound.s_axis_line_tvalid.next = self.s_axis_line_tvalid.val();
        self.m_axis_line_tdata.next = self.outbound.m_axis_line_tdata.val();
        self.m_axis_line_tkeep.next = self.outbound.m_axis_line_tkeep.val();
        self.m_axis_line_tuser.next = self.outbound.m_axis_line_tuser.val();
        self.m_axis_line_tlast.next = self.outbound.m_axis_line_tlast.val();
        self.m_axis_line_tvalid.next = self.outbound.m_axis_line_tvalid.val();
        self.outbound.m_axis_line_tready.next = self.m_axis_line_tready.val();

        // What departed, and what the far side said: outbound, inbound -> pseudo_ack.
        self.pseudo_ack.line_intent_valid.next = self.outbound.line_intent_valid.val();
        self.pseudo_ack.line_intent.next = self.outbound.line_intent.val();
        self.outbound.line_intent_ready.next = self.pseudo_ack.line_intent_ready.val();
        self.pseudo_ack.client_intent_valid.next = self.inbound.client_intent_valid.val();
        self.pseudo_ack.client_intent.next = self.inbound.client_intent.val();
        self.inbound.client_intent_ready.next = self.pseudo_ack.client_intent_ready.val();
        // Who holds too much: outbound -> pseudo_ack, pfc.
        self.pseudo_ack.cnp_valid.next = self.outbound.cnp_valid.val();
        self.pseudo_ack.cnp_flow.next = self.outbound.cnp_flow.val();
        self.pseudo_ack.cnp_run.next = self.outbound.cnp_run.val();
        self.pseudo_ack.ack_gap.next = self.pfc_regs.set.val().ack_gap;
        self.pseudo_ack.cnp_spacing.next = self.pfc_regs.set.val().cnp_spacing;
        self.pseudo_ack.cnp_dscp.next = self.pfc_regs.set.val().cnp_dscp;
        self.pseudo_ack.cnp_pcp.next = self.pfc_regs.set.val().cnp_pcp;
        self.pfc.clk.next = self.clk.val();
        self.pfc.rst.next = self.rst.val();
        self.pfc.over.next = self.outbound.over.val();
        // PFC frames: s_axis_client -> pfc -> inbound's arbiter.
        self.pfc.s_axis_client_tdata.next = self.s_axis_client_tdata.val();
        self.pfc.s_axis_client_tkeep.next = self.s_axis_client_tkeep.val();
        self.pfc.s_axis_client_tuser.next = self.s_axis_client_tuser.val();
        self.pfc.s_axis_client_tlast.next = self.s_axis_client_tlast.val();
        self.pfc.s_axis_client_tvalid.next = self.s_axis_client_tvalid.val();
        self.pfc.enable.next = self.pfc_regs.set.val().enable;
        self.pfc.pcp.next = self.pfc_regs.set.val().pcp;
        self.pfc.step.next = self.pfc_regs.set.val().step;
        self.pfc.quanta.next = self.pfc_regs.set.val().quanta;
        self.pfc.source.next = self.pfc_regs.set.val().source;
        self.inbound.pfc_valid.next = self.pfc.pfc_valid.val();
        self.inbound.pfc_data.next = self.pfc.pfc_data.val();
        self.pfc.pfc_ready.next = self.inbound.pfc_ready.val();
        self.inbound.paused.next = self.pfc.held.val();
        self.pfc_regs.seen.next.paused = self.pfc.paused.val();
        self.pfc_regs.seen.next.cnp_over = self.outbound.cnp_over.val();
        self.pfc_regs.seen.next.pfc_over = self.outbound.pfc_over.val();
        self.pfc_regs.seen.next.xoff_in = self.pfc.xoff_in.val();
        self.pfc_regs.seen.next.xon_in = self.pfc.xon_in.val();
        self.pfc_regs.seen.next.xoff_out = self.pfc.xoff_out.val();
        self.pfc_regs.seen.next.xon_out = self.pfc.xon_out.val();
        self.pfc_regs.seen.next.cnp = self.pseudo_ack.built_valid.val() & self.pseudo_ack.built_kind.val().get_bit(1);
        // Thresholds, path by path: reg_file -> path_scan -> outbound.
        self.path_scan.clk.next = self.clk.val();
        self.path_scan.rst.next = self.rst.val();
        self.path_scan.path_we.next = self.reg_file.path_we.val();
        self.path_scan.path_addr.next = self.reg_file.path_addr.val();
        self.path_scan.path_word.next = self.reg_file.path_word.val();
        self.path_scan.path_data.next = self.reg_file.path_data.val();
        self.path_scan.bank.next = self.reg_file.commit_banks.val().get_bit(1);
        self.path_scan.set.next = self.reg_file.commit_set.val().get_bit(1);
        self.outbound.scan_valid.next = self.path_scan.scan_valid.val();
        self.outbound.scan_path.next = self.path_scan.scan_path.val();
        self.outbound.scan_cnp_on.next = self.path_scan.scan_cnp_on.val();
        self.outbound.scan_cnp_off.next = self.path_scan.scan_cnp_off.val();
        self.outbound.scan_pfc_on.next = self.path_scan.scan_pfc_on.val();
        self.outbound.scan_pfc_off.next = self.path_scan.scan_pfc_off.val();
        self.outbound.scan_ecn_clear.next = self.path_scan.scan_ecn_clear.val();
        // ACK frames: pseudo_ack -> inbound's arbiter.
        self.inbound.ack_valid.next = self.pseudo_ack.ack_valid.val();
        self.inbound.ack_data.next = self.pseudo_ack.ack_data.val();
        self.inbound.ack_bytes.next = self.pseudo_ack.ack_bytes.val();
        self.inbound.ack_last.next = self.pseudo_ack.ack_last.val();
        self.pseudo_ack.ack_ready.next = self.inbound.ack_ready.val();

        // Records of flows: each from its one writer to its readers.
        self.inbound.rx_we.next = self.outbound.rx_we.val();
        self.inbound.rx_addr.next = self.outbound.rx_addr.val();
        self.inbound.rx_data.next = self.outbound.rx_data.val();
        self.pseudo_ack.rx_we.next = self.outbound.rx_we.val();
        self.pseudo_ack.rx_addr.next = self.outbound.rx_addr.val();
        self.pseudo_ack.rx_data.next = self.outbound.rx_data.val();
        self.reg_file.rx_we.next = self.outbound.rx_we.val();
        self.reg_file.rx_addr.next = self.outbound.rx_addr.val();
        self.reg_file.rx_data.next = self.outbound.rx_data.val();
        self.reg_file.swept_valid.next = self.inbound.swept_valid.val();
        self.reg_file.age_valid.next = self.inbound.age_valid.val();
        self.reg_file.age.next = self.inbound.age.val();
        self.outbound.back_we.next = self.inbound.back_we.val();
        self.outbound.back_addr.next = self.inbound.back_addr.val();
        self.outbound.back_data.next = self.inbound.back_data.val();
        self.pseudo_ack.back_we.next = self.inbound.back_we.val();
        self.pseudo_ack.back_addr.next = self.inbound.back_addr.val();
        self.pseudo_ack.back_data.next = self.inbound.back_data.val();
        self.reg_file.back_we.next = self.inbound.back_we.val();
        self.reg_file.back_addr.next = self.inbound.back_addr.val();
        self.reg_file.back_data.next = self.inbound.back_data.val();
        self.outbound.said_we.next = self.pseudo_ack.said_we.val();
        self.outbound.said_addr.next = self.pseudo_ack.said_addr.val();
        self.outbound.said_data.next = self.pseudo_ack.said_data.val();
        self.inbound.said_we.next = self.pseudo_ack.said_we.val();
        self.inbound.said_addr.next = self.pseudo_ack.said_addr.val();
        self.inbound.said_data.next = self.pseudo_ack.said_data.val();
        self.reg_file.said_we.next = self.pseudo_ack.said_we.val();
        self.reg_file.said_addr.next = self.pseudo_ack.said_addr.val();
        self.reg_file.said_data.next = self.pseudo_ack.said_data.val();
        self.outbound.cfg_we.next = self.reg_file.cfg_we.val();
        self.outbound.cfg_addr.next = self.reg_file.cfg_addr.val();
        self.outbound.cfg_data.next = self.reg_file.cfg_data.val();
        self.outbound.cfg_bank.next = self.reg_file.cfg_bank.val();
        self.inbound.cfg_we.next = self.reg_file.cfg_we.val();
        self.inbound.cfg_addr.next = self.reg_file.cfg_addr.val();
        self.inbound.cfg_data.next = self.reg_file.cfg_data.val();
        self.inbound.cfg_bank.next = self.reg_file.cfg_bank.val();
        self.pseudo_ack.cfg_we.next = self.reg_file.cfg_we.val();
        self.pseudo_ack.cfg_addr.next = self.reg_file.cfg_addr.val();
        self.pseudo_ack.cfg_data.next = self.reg_file.cfg_data.val();
        self.pseudo_ack.cfg_bank.next = self.reg_file.cfg_bank.val();
        self.pseudo_ack.tpl_we.next = self.inbound.tpl_we.val();
        self.pseudo_ack.tpl_addr.next = self.inbound.tpl_addr.val();
        self.pseudo_ack.tpl_data.next = self.inbound.tpl_data.val();

        // What the host set.
        self.outbound.ack_on_arrival.next = self.reg_file.ack_on_arrival.val();
        self.outbound.path_slot_k.next = self.rate_table.slot_k.val();
        for i in 0..16 {
            self.outbound.path_rate[i].next = self.rate_table.rate[i].val();
            self.outbound.path_burst[i].next = self.rate_table.burst[i].val();
        }
        self.outbound.path_open.next = self.rate_table.open.val();
        self.outbound.path_overhead.next = self.reg_file.pacer_overhead.val();
        self.inbound.overhead.next = self.reg_file.pacer_overhead.val();
        self.inbound.slot_end.next = self.rate_table.slot_end.val();
        self.inbound.ack_share_log2.next = self.reg_file.ack_share_log2.val();
        self.outbound.times.next = self.reg_file.times.val();
        self.inbound.times.next = self.reg_file.times.val();
        self.outbound.enable.next = self.reg_file.enable.val();
        self.inbound.enable.next = self.reg_file.enable.val();
        self.pseudo_ack.enable.next = self.reg_file.enable.val();
        self.outbound.row_we.next = self.reg_file.row_we.val() & !self.reg_file.row_inbound.val();
        self.inbound.row_we.next = self.reg_file.row_we.val() & self.reg_file.row_inbound.val();
        self.outbound.row_bank.next = self.reg_file.row_bank.val();
        self.outbound.row_addr.next = self.reg_file.row_addr.val();
        self.outbound.row_data.next = self.reg_file.row_data.val();
        self.inbound.row_bank.next = self.reg_file.row_bank.val();
        self.inbound.row_addr.next = self.reg_file.row_addr.val();
        self.inbound.row_data.next = self.reg_file.row_data.val();

        // Banked tables: reg_file -> those who read them, and rate_table, which says when a commit takes effect.
        self.outbound.route_bank.next = self.reg_file.route_bank.val();
        self.outbound.route_set.next = self.reg_file.route_set.val();
        self.outbound.route_we.next = self.reg_file.route_we.val();
        self.outbound.route_we_bank.next = self.reg_file.route_we_bank.val();
        self.outbound.route_addr.next = self.reg_file.route_addr.val();
        self.outbound.route_data.next = self.reg_file.route_data.val();
        self.inbound.route_bank.next = self.reg_file.route_bank.val();
        self.inbound.route_set.next = self.reg_file.route_set.val();
        self.inbound.route_we.next = self.reg_file.route_we.val();
        self.inbound.route_we_bank.next = self.reg_file.route_we_bank.val();
        self.inbound.route_addr.next = self.reg_file.route_addr.val();
        self.inbound.route_data.next = self.reg_file.route_data.val();
        self.rate_table.clk.next = self.clk.val();
        self.rate_table.rst.next = self.rst.val();
        self.rate_table.set_slot_k.next = self.reg_file.pacer_slot_k.val();
        self.rate_table.path_we.next = self.reg_file.path_we.val();
        self.rate_table.path_addr.next = self.reg_file.path_addr.val();
        self.rate_table.path_word.next = self.reg_file.path_word.val();
        self.rate_table.path_data.next = self.reg_file.path_data.val();
        self.rate_table.calendar_we.next = self.reg_file.calendar_we.val();
        self.rate_table.calendar_addr.next = self.reg_file.calendar_addr.val();
        self.rate_table.calendar_data.next = self.reg_file.calendar_data.val();
        self.rate_table.banks.next = self.reg_file.commit_banks.val();
        self.rate_table.set.next = self.reg_file.commit_set.val();
        self.rate_table.pending.next = self.reg_file.commit_pending.val();
        self.rate_table.pending_mask.next = self.reg_file.commit_mask.val();
        // Live budgets: path_scan, rate_table, inbound, outbound <-> budgets.
        self.budgets.clk.next = self.clk.val();
        self.budgets.rst.next = self.rst.val();
        self.budgets.peer_we.next = self.path_scan.scan_valid.val();
        self.budgets.peer_path.next = self.path_scan.scan_path.val();
        self.budgets.peer_on.next = self.path_scan.peer_on.val();
        self.budgets.peer_site.next = self.path_scan.peer_site.val();
        self.budgets.peer_weight.next = self.path_scan.peer_weight.val();
        self.budgets.peer_key.next = self.path_scan.peer_key.val();
        self.budgets.path_we.next = self.reg_file.path_we.val();
        self.budgets.path_addr.next = self.reg_file.path_addr.val();
        self.budgets.path_word.next = self.reg_file.path_word.val();
        self.budgets.path_data.next = self.reg_file.path_data.val();
        self.budgets.calendar_we.next = self.reg_file.calendar_we.val();
        self.budgets.calendar_addr.next = self.reg_file.calendar_addr.val();
        self.budgets.calendar_data.next = self.reg_file.calendar_data.val();
        self.budgets.banks.next = self.reg_file.commit_banks.val();
        self.budgets.set.next = self.reg_file.commit_set.val();
        self.budgets.slot.next = self.rate_table.slot.val();
        self.budgets.slot_end.next = self.rate_table.slot_end.val();
        self.budgets.limited.next = self.rate_table.limited.val();
        self.rate_table.live_we.next = self.budgets.live_we.val();
        self.rate_table.live_path.next = self.budgets.live_path.val();
        self.rate_table.live_rate.next = self.budgets.live_rate.val();
        self.budgets.drained.next = self.inbound.drained.val();
        self.budgets.other.next = self.inbound.other.val();
        self.budgets.backlogged.next = self.inbound.backlogged.val();
        self.budgets.left_valid.next = self.inbound.left_valid.val();
        self.budgets.left_path.next = self.inbound.left_path.val();
        self.budgets.left_bytes.next = self.inbound.left_bytes.val();
        self.inbound.here_path.next = self.budgets.here_path.val();
        self.budgets.here.next = self.inbound.here.val();
        self.inbound.occupancy_path.next = self.budgets.occupancy_path.val();
        self.budgets.occupancy.next = self.inbound.occupancy.val();
        self.budgets.stray.next = self.inbound.stray.val();
        self.budgets.came_valid.next = self.inbound.came_valid.val();
        self.budgets.came_path.next = self.inbound.came_path.val();
        self.budgets.came_bytes.next = self.inbound.came_bytes.val();
        self.budgets.frame_valid.next = self.inbound.frame_valid.val();
        self.budgets.frame.next = self.inbound.frame.val();
        self.budgets.bad.next = self.inbound.bad.val();
        self.budgets.op_valid.next = self.outbound.check_valid.val();
        self.budgets.op_roce.next = self.outbound.op_roce.val();
        self.budgets.op_good.next = self.outbound.op_good.val();
        self.budgets.op_err.next = self.outbound.op_err.val();
        self.budgets.op_judged.next = self.outbound.op_judged.val();
        self.outbound.path_limited.next = self.budgets.limits.val();
        self.outbound.limit_we.next = self.budgets.limit_we.val();
        self.outbound.limit_path.next = self.budgets.limit_path.val();
        self.outbound.limit.next = self.budgets.limit.val();
        self.outbound.sent_path.next = self.budgets.sent_path.val();
        self.budgets.sent.next = self.outbound.sent.val();
        self.outbound.waiting_path.next = self.budgets.waiting_path.val();
        self.budgets.waiting.next = self.outbound.waiting.val();
        self.outbound.tx_order.next = self.budgets.tx_order.val();
        self.budgets.tx_clear.next = self.outbound.tx_clear.val();
        self.outbound.tx_valid.next = self.budgets.tx_valid.val();
        self.outbound.tx_data.next = self.budgets.tx_data.val();
        self.outbound.tx_bytes.next = self.budgets.tx_bytes.val();
        self.outbound.tx_last.next = self.budgets.tx_last.val();
        self.budgets.tx_ready.next = self.outbound.tx_ready.val();
        self.budgets.wr.next = self.reg_file.bus_wr.val();
        self.budgets.wa.next = self.reg_file.bus_wa.val();
        self.budgets.wd.next = self.reg_file.bus_wd.val();
        self.budgets.ra.next = self.reg_file.bus_ra.val();
        self.rate_table.ask.next = self.reg_file.told_ask.val();
        self.reg_file.flip.next = self.rate_table.flip.val();
        self.reg_file.slot.next = self.rate_table.slot.val();
        self.reg_file.slot_k.next = self.rate_table.slot_k.val();
        self.reg_file.told_rate.next = self.rate_table.told_rate.val();
        self.reg_file.told_burst.next = self.rate_table.told_burst.val();
        self.reg_file.told_mode.next = self.rate_table.told_mode.val();
        self.reg_file.told_phase.next = self.rate_table.told_phase.val();

        // AXI4-Lite.
        self.reg_file.s_axil_awaddr.next = self.s_axil_awaddr.val();
        self.reg_file.s_axil_awvalid.next = self.s_axil_awvalid.val();
        self.s_axil_awready.next = self.reg_file.s_axil_awready.val();
        self.reg_file.s_axil_wdata.next = self.s_axil_wdata.val();
        self.reg_file.s_axil_wstrb.next = self.s_axil_wstrb.val();
        self.reg_file.s_axil_wvalid.next = self.s_axil_wvalid.val();
        self.s_axil_wready.next = self.reg_file.s_axil_wready.val();
        self.s_axil_bresp.next = self.reg_file.s_axil_bresp.val();
        self.s_axil_bvalid.next = self.reg_file.s_axil_bvalid.val();
        self.reg_file.s_axil_bready.next = self.s_axil_bready.val();
        self.reg_file.s_axil_araddr.next = self.s_axil_araddr.val();
        self.reg_file.s_axil_arvalid.next = self.s_axil_arvalid.val();
        self.s_axil_arready.next = self.reg_file.s_axil_arready.val();
        self.s_axil_rdata.next = self.reg_file.s_axil_rdata.val();
        self.s_axil_rresp.next = self.reg_file.s_axil_rresp.val();
        self.s_axil_rvalid.next = self.reg_file.s_axil_rvalid.val();
        self.reg_file.s_axil_rready.next = self.s_axil_rready.val();
        self.reg_file.idle.next = self.outbound.empty.val() & self.inbound.empty.val() & !self.pseudo_ack.busy.val();

        // Events -> tally -> counters.
        self.tally.client_check_valid.next = self.outbound.check_valid.val();
        self.tally.client_check_bytes.next = self.outbound.check_bytes.val();
        self.tally.client_verdict_valid.next = self.outbound.verdict_valid.val();
        self.tally.client_forward.next = self.outbound.forward.val();
        self.tally.client_reason.next = self.outbound.reason.val();
        self.tally.client_active.next = self.outbound.active.val();
        self.tally.line_check_valid.next = self.inbound.check_valid.val();
        self.tally.line_check_bytes.next = self.inbound.check_bytes.val();
        self.tally.line_verdict_valid.next = self.inbound.verdict_valid.val();
        self.tally.line_forward.next = self.inbound.forward.val();
        self.tally.line_reason.next = self.inbound.reason.val();
        self.tally.line_active.next = self.inbound.active.val();
        self.tally.absorbed.next = self.inbound.absorbed.val();
        self.tally.ack_done.next = self.pseudo_ack.ack_valid.val()
            & self.inbound.ack_ready.val()
            & self.pseudo_ack.ack_last.val()
            & !self.pseudo_ack.ack_cnp.val();
        self.tally.ack_nak.next = self.pseudo_ack.ack_nak.val();
        self.tally.client_left.next = self.inbound.m_axis_client_tvalid.val() & self.m_axis_client_tready.val();
        self.tally.client_last.next = self.inbound.m_axis_client_tlast.val();
        self.tally.client_keep.next = self.inbound.m_axis_client_tkeep.val();
        self.tally.line_left.next = self.outbound.m_axis_line_tvalid.val() & self.m_axis_line_tready.val();
        self.tally.line_last.next = self.outbound.m_axis_line_tlast.val();
        self.tally.line_keep.next = self.outbound.m_axis_line_tkeep.val();
        for i in 0..21 {
            self.reg_file.gain[i].next = self.tally.gain[i].val();
        }

        // What an operator sees: outbound, inbound, pseudo_ack -> watch -> the register bus.
        self.watch.clk.next = self.clk.val();
        self.watch.rst.next = self.rst.val();
        self.watch.wr.next = self.reg_file.bus_wr.val();
        self.watch.wa.next = self.reg_file.bus_wa.val();
        self.watch.wd.next = self.reg_file.bus_wd.val();
        self.watch.ra.next = self.reg_file.bus_ra.val();
        self.pfc_regs.clk.next = self.clk.val();
        self.pfc_regs.rst.next = self.rst.val();
        self.pfc_regs.wr.next = self.reg_file.bus_wr.val();
        self.pfc_regs.wa.next = self.reg_file.bus_wa.val();
        self.pfc_regs.wd.next = self.reg_file.bus_wd.val();
        self.pfc_regs.ra.next = self.reg_file.bus_ra.val();
        self.reg_file.bus_rd.next = self.watch.rd.val() | self.pfc_regs.rd.val() | self.budgets.rd.val();
        self.irq.next = self.watch.irq.val();
        self.watch.client_op.next = self.outbound.check_valid.val();
        self.watch.client_roce.next = self.outbound.op_roce.val();
        self.watch.client_good.next = self.outbound.op_good.val();
        self.watch.client_err.next = self.outbound.op_err.val();
        self.watch.client_hit.next = self.outbound.op_hit.val();
        self.watch.client_judged.next = self.outbound.op_judged.val();
        self.watch.client_waited.next = self.outbound.frame_waited.val();
        self.watch.client_qp1.next = self.outbound.frame_qp1.val();
        self.watch.law_event_valid.next = self.budgets.event_valid.val();
        self.watch.law_event_code.next = self.budgets.event_code.val();
        self.watch.law_event_path.next = self.budgets.event_path.val();
        self.watch.client_event_valid.next = self.outbound.event_valid.val();
        self.watch.client_event_code.next = self.outbound.event_code.val();
        self.watch.client_event_flow.next = self.outbound.event_flow.val();
        self.watch.client_event_run.next = self.outbound.event_run.val();
        self.watch.client_event_psn.next = self.outbound.event_psn.val();
        self.watch.line_op.next = self.inbound.check_valid.val();
        self.watch.line_roce.next = self.inbound.op_roce.val();
        self.watch.line_good.next = self.inbound.op_good.val();
        self.watch.line_err.next = self.inbound.op_err.val();
        self.watch.line_hit.next = self.inbound.op_hit.val();
        self.watch.line_judged.next = self.inbound.op_judged.val();
        self.watch.line_waited.next = self.inbound.frame_waited.val();
        self.watch.line_qp1.next = self.inbound.frame_qp1.val();
        self.watch.line_event_valid.next = self.inbound.event_valid.val();
        self.watch.line_event_code.next = self.inbound.event_code.val();
        self.watch.line_event_flow.next = self.inbound.event_flow.val();
        self.watch.line_event_run.next = self.inbound.event_run.val();
        self.watch.line_event_psn.next = self.inbound.event_psn.val();
        self.watch.client_index.next = self.outbound.op_index.val();
        self.watch.client_queue.next = self.outbound.op_queue.val();
        self.watch.client_bytes.next = self.outbound.check_bytes.val();
        self.watch.verdict_valid.next = self.outbound.verdict_valid.val();
        self.watch.forward.next = self.outbound.forward.val();
        self.watch.reason.next = self.outbound.reason.val();
        self.watch.intent.next = self.outbound.intent.val();
        self.watch.left_valid.next = self.outbound.left_valid.val();
        self.watch.left_queue.next = self.outbound.left_queue.val();
        self.watch.left_bytes.next = self.outbound.left_bytes.val();
        self.watch.built_valid.next = self.pseudo_ack.built_valid.val();
        self.watch.built_kind.next = self.pseudo_ack.built_kind.val();
        self.watch.built_flow.next = self.pseudo_ack.built_flow.val();
        self.watch.built_psn.next = self.pseudo_ack.built_psn.val();
        self.watch.age_valid.next = self.inbound.age_valid.val();
        self.watch.age.next = self.inbound.age.val();
    }
}
