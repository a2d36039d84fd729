//! Line to client: the itinerary. A frame meets, in this order:
//!
//! 1. [`Front`]: `parse` reads the headers and makes the rail,
//! 2. then `icrc`, `flow` (by the far side's view of the queue pair) and `route` (by the source) side by side, while
//!    the frame waits
//! 3. [`AckFilter`]: the verdict, at the frame's last beat
//! 4. [`Egress`]: the destination's buffer, one queue for RoCE and one for the rest
//! 5. [`Arbiter`]: the client port, shared with `pseudo_ack`
//!
//! Beside them, for the budget rail: [`Arrivals`], what each path brings, and [`Drain`], what leaves the client port.
//!
//! Timing and rules: `docs/blocks.md`. Model: `model::gateway`. Tests: `tests/gateway/`.

pub mod ack_filter;
mod arbiter;
mod arrivals;
mod drain;
mod egress;
pub mod pfc;

pub use arbiter::Arbiter;
pub use arrivals::Arrivals;
pub use drain::Drain;
pub use egress::{Egress, EgressExternal, Occupancy};

use self::ack_filter::AckFilter;
use crate::outbound::front::Front;
use crate::outbound::sweep::Sweep;
use crate::record::{Back, Beat, Cfg, Intent, Meta, Rx, Said, Times};
use matchrdma_spec::params::{REST_BEATS_LOG2, REST_DESCRIPTORS_LOG2};
use rust_hdl::prelude::*;

/// From `s_axis_line` to `m_axis_client`, with `2^A` beats and `2^D` descriptors of packet memory.
#[derive(LogicBlock, Default)]
pub struct Inbound<const A: usize, const D: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub s_axis_line_tdata: Signal<In, Bits<512>>,
    pub s_axis_line_tkeep: Signal<In, Bits<64>>,
    pub s_axis_line_tuser: Signal<In, Bits<1>>,
    pub s_axis_line_tlast: Signal<In, Bit>,
    pub s_axis_line_tvalid: Signal<In, Bit>,
    pub m_axis_client_tdata: Signal<Out, Bits<512>>,
    pub m_axis_client_tkeep: Signal<Out, Bits<64>>,
    pub m_axis_client_tuser: Signal<Out, Bit>,
    pub m_axis_client_tlast: Signal<Out, Bit>,
    pub m_axis_client_tvalid: Signal<Out, Bit>,
    pub m_axis_client_tready: Signal<In, Bit>,
    // To and from pseudo_ack and track.
    pub client_intent_valid: Signal<Out, Bit>,
    pub client_intent: Signal<Out, Intent>,
    pub client_intent_ready: Signal<In, Bit>,
    pub ack_valid: Signal<In, Bit>,
    pub ack_data: Signal<In, Bits<512>>,
    pub ack_bytes: Signal<In, Bits<7>>,
    pub ack_last: Signal<In, Bit>,
    pub ack_ready: Signal<Out, Bit>,
    pub pfc_valid: Signal<In, Bit>,
    pub pfc_data: Signal<In, Bits<512>>,
    pub pfc_ready: Signal<Out, Bit>,
    pub paused: Signal<In, Bit>,
    pub back_we: Signal<Out, Bit>,
    pub back_addr: Signal<Out, Bits<12>>,
    pub back_data: Signal<Out, Back>,
    pub rx_we: Signal<In, Bit>,
    pub rx_addr: Signal<In, Bits<12>>,
    pub rx_data: Signal<In, Rx>,
    pub said_we: Signal<In, Bit>,
    pub said_addr: Signal<In, Bits<12>>,
    pub said_data: Signal<In, Said>,
    pub tpl_we: Signal<Out, Bit>,
    pub tpl_addr: Signal<Out, Bits<12>>,
    pub tpl_data: Signal<Out, Bits<723>>,
    // From the host.
    pub enable: Signal<In, Bit>,
    pub times: Signal<In, Times>,
    pub ack_share_log2: Signal<In, Bits<4>>,
    pub cfg_we: Signal<In, Bit>,
    pub cfg_addr: Signal<In, Bits<13>>,
    pub cfg_data: Signal<In, Cfg>,
    pub cfg_bank: Signal<In, Bit>,
    pub row_we: Signal<In, Bit>,
    pub row_bank: Signal<In, Bits<2>>,
    pub row_addr: Signal<In, Bits<11>>,
    pub row_data: Signal<In, Bits<318>>,
    pub route_bank: Signal<In, Bit>,
    pub route_set: Signal<In, Bit>,
    pub route_we: Signal<In, Bit>,
    pub route_we_bank: Signal<In, Bit>,
    pub route_addr: Signal<In, Bits<7>>,
    pub route_data: Signal<In, Bits<134>>,
    // To and from the budget rail.
    pub overhead: Signal<In, Bits<8>>,
    pub slot_end: Signal<In, Bit>,
    pub drained: Signal<Out, Bits<32>>,
    pub other: Signal<Out, Bits<32>>,
    pub backlogged: Signal<Out, Bit>,
    pub paused_cycles: Signal<Out, Bits<32>>,
    pub occupancy_path: Signal<In, Bits<4>>,
    pub occupancy: Signal<Out, Bits<48>>,
    pub here_path: Signal<In, Bits<4>>,
    pub here: Signal<Out, Bit>,
    pub left_valid: Signal<Out, Bit>,
    pub left_path: Signal<Out, Bits<4>>,
    pub left_bytes: Signal<Out, Bits<9>>,
    pub stray: Signal<Out, Bits<48>>,
    pub came_valid: Signal<Out, Bit>,
    pub came_path: Signal<Out, Bits<4>>,
    pub came_bytes: Signal<Out, Bits<14>>,
    pub frame_valid: Signal<Out, Bit>,
    pub frame: Signal<Out, Bits<1024>>,
    pub bad: Signal<Out, Bit>,
    // To the counters.
    pub check_valid: Signal<Out, Bit>,
    pub check_bytes: Signal<Out, Bits<14>>,
    pub verdict_valid: Signal<Out, Bit>,
    pub forward: Signal<Out, Bit>,
    pub reason: Signal<Out, Bits<4>>,
    pub active: Signal<Out, Bit>,
    pub absorbed: Signal<Out, Bit>,
    pub event_valid: Signal<Out, Bit>,
    pub event_code: Signal<Out, Bits<5>>,
    pub event_flow: Signal<Out, Bits<12>>,
    pub event_run: Signal<Out, Bits<8>>,
    pub event_psn: Signal<Out, Bits<24>>,
    pub swept_valid: Signal<Out, Bit>,
    pub age_valid: Signal<Out, Bit>,
    pub age: Signal<Out, Bits<16>>,
    pub empty: Signal<Out, Bit>,
    // To watch: the op, its frame, what became of it.
    pub op_roce: Signal<Out, Bit>,
    pub op_good: Signal<Out, Bit>,
    pub op_err: Signal<Out, Bit>,
    pub op_hit: Signal<Out, Bit>,
    pub op_judged: Signal<Out, Meta>,
    pub frame_waited: Signal<Out, Beat>,
    pub frame_qp1: Signal<Out, Bit>,
    front: Front,
    sweep: Sweep,
    now: Signal<Local, Times>,
    ack_filter: AckFilter,
    roce1: DFF<Bit>,
    roce2: DFF<Bit>,
    egress: Egress<A, D, REST_BEATS_LOG2, REST_DESCRIPTORS_LOG2>,
    arrivals: Arrivals,
    drain: Drain,
    arbiter: Arbiter,
    judged: Signal<Local, Meta>,
    waited: Signal<Local, Beat>,
}

impl<const A: usize, const D: usize> Logic for Inbound<A, D> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, roce1, roce2);
        self.front.clk.next = self.clk.val();
        self.sweep.clk.next = self.clk.val();
        self.sweep.rst.next = self.rst.val();
        self.ack_filter.clk.next = self.clk.val();
        self.egress.clk.next = self.clk.val();
        self.arrivals.clk.next = self.clk.val();
        self.drain.clk.next = self.clk.val();
        self.arbiter.clk.next = self.clk.val();
        self.front.rst.next = self.rst.val();
        self.ack_filter.rst.next = self.rst.val();
        self.egress.rst.next = self.rst.val();
        self.arrivals.rst.next = self.rst.val();
        self.drain.rst.next = self.rst.val();
        self.arbiter.rst.next = self.rst.val();

        // s_axis_line -> front
        self.front.s_axis_tdata.next = self.s_axis_line_tdata.val();
        self.front.s_axis_tkeep.next = self.s_axis_line_tkeep.val();
        self.front.s_axis_tuser.next = self.s_axis_line_tuser.val();
        self.front.s_axis_tlast.next = self.s_axis_line_tlast.val();
        self.front.s_axis_tvalid.next = self.s_axis_line_tvalid.val();
        self.front.row_we.next = self.row_we.val();
        self.front.row_bank.next = self.row_bank.val();
        self.front.row_addr.next = self.row_addr.val();
        self.front.row_data.next = self.row_data.val();
        self.front.clear_ecn.next = 0.into();
        self.front.by_source.next = true;
        self.front.route_bank.next = self.route_bank.val();
        self.front.route_set.next = self.route_set.val();
        self.front.route_we.next = self.route_we.val();
        self.front.route_we_bank.next = self.route_we_bank.val();
        self.front.route_addr.next = self.route_addr.val();
        self.front.route_data.next = self.route_data.val();
        self.judged.next = self.front.judged.val();
        self.waited.next = self.front.waited.val();

        // front -> ack_filter
        self.ack_filter.op_valid.next = self.front.check_valid.val();
        self.ack_filter.hit.next = self.front.hit.val();
        self.ack_filter.index.next = self.front.index.val();
        self.ack_filter.roce.next = self.front.roce.val();
        self.ack_filter.good.next = self.front.good.val();
        self.ack_filter.err.next = self.front.err.val();
        self.ack_filter.cut.next = self.front.cut.val();
        self.ack_filter.budget.next = self.judged.val().budget;
        self.ack_filter.opcode.next = self.judged.val().opcode;
        self.ack_filter.psn.next = self.judged.val().psn;
        self.ack_filter.syndrome.next = self.judged.val().syndrome;
        self.ack_filter.msn.next = self.judged.val().msn;
        self.ack_filter.payload.next = self.judged.val().payload;
        self.ack_filter.vlans.next = self.judged.val().vlans;
        self.ack_filter.v6.next = self.judged.val().v6;
        self.ack_filter.header.next = self.front.header.val();
        self.egress.judge_lossless.next = self.front.roce.val();
        self.ack_filter.room.next = self.egress.room.val();
        self.now.next = self.times.val();
        self.sweep.now.next = self.now.val().now;
        self.sweep.hold.next = self.front.check_valid.val();
        self.ack_filter.sweep_valid.next = self.sweep.offer.val();
        self.ack_filter.sweep_index.next = self.sweep.index.val();
        self.ack_filter.times.next = self.times.val();
        self.ack_filter.enable.next = self.enable.val();
        self.ack_filter.cfg_we.next = self.cfg_we.val();
        self.ack_filter.cfg_addr.next = self.cfg_addr.val();
        self.ack_filter.cfg_data.next = self.cfg_data.val();
        self.ack_filter.cfg_bank.next = self.cfg_bank.val();
        self.ack_filter.rx_we.next = self.rx_we.val();
        self.ack_filter.rx_addr.next = self.rx_addr.val();
        self.ack_filter.rx_data.next = self.rx_data.val();
        self.ack_filter.said_we.next = self.said_we.val();
        self.ack_filter.said_addr.next = self.said_addr.val();
        self.ack_filter.said_data.next = self.said_data.val();
        self.back_we.next = self.ack_filter.back_we.val();
        self.back_addr.next = self.ack_filter.back_addr.val();
        self.back_data.next = self.ack_filter.back_data.val();
        self.tpl_we.next = self.ack_filter.tpl_we.val();
        self.tpl_addr.next = self.ack_filter.tpl_addr.val();
        self.tpl_data.next = self.ack_filter.tpl_data.val().into();

        // ack_filter -> egress
        self.egress.rail_valid.next = self.waited.val().valid;
        self.egress.rail_data.next = self.waited.val().data;
        self.egress.rail_bytes.next = self.waited.val().bytes;
        self.egress.rail_first.next = self.waited.val().first;
        self.egress.rail_last.next = self.waited.val().last;
        self.egress.rail_queue.next = self.front.beat_queue.val();
        self.egress.verdict_valid.next = self.ack_filter.verdict_valid.val();
        self.egress.forward.next = self.ack_filter.forward.val();
        self.egress.push.next = self.ack_filter.push.val();
        self.egress.intent.next = self.ack_filter.intent.val();
        self.roce1.d.next = self.front.roce.val();
        self.roce2.d.next = self.roce1.q.val();
        self.egress.lossless.next = self.roce2.q.val();
        self.egress.overhead.next = self.overhead.val();
        self.egress.occupancy_path.next = self.occupancy_path.val();
        self.occupancy.next = self.egress.occupancy.val();
        self.egress.here_path.next = self.here_path.val();
        self.here.next = self.egress.here.val();
        self.stray.next = self.egress.stray.val();

        // front -> arrivals
        self.arrivals.overhead.next = self.overhead.val();
        self.arrivals.op_valid.next = self.front.check_valid.val();
        self.arrivals.op_queue.next = self.front.judge_queue.val();
        self.arrivals.op_bytes.next = self.front.bytes.val();
        self.arrivals.op_budget.next = self.judged.val().budget;
        self.arrivals.op_err.next = self.front.err.val();
        self.arrivals.waited.next = self.front.waited.val();
        self.came_valid.next = self.arrivals.came_valid.val();
        self.came_path.next = self.arrivals.came_path.val();
        self.came_bytes.next = self.arrivals.came_bytes.val();
        self.frame_valid.next = self.arrivals.frame_valid.val();
        self.frame.next = self.arrivals.frame.val();
        self.bad.next = self.arrivals.bad.val();

        // egress, pseudo_ack -> arbiter -> m_axis_client, pseudo_ack
        self.egress.paused.next = self.paused.val();
        self.egress.space.next = self.arbiter.space.val();
        self.egress.holds.next = self.arbiter.holds.val();
        self.arbiter.head_valid.next = self.egress.head_valid.val();
        self.arbiter.head_frame.next = self.egress.head_frame.val();
        self.arbiter.head_data.next = self.egress.head_data.val();
        self.arbiter.head_bytes.next = self.egress.head_bytes.val();
        self.arbiter.head_last.next = self.egress.head_last.val();
        self.arbiter.head_intent.next = self.egress.head_intent.val();
        self.egress.head_ready.next = self.arbiter.head_ready.val();
        self.arbiter.ack_valid.next = self.ack_valid.val();
        self.arbiter.ack_data.next = self.ack_data.val();
        self.arbiter.ack_bytes.next = self.ack_bytes.val();
        self.arbiter.ack_last.next = self.ack_last.val();
        self.ack_ready.next = self.arbiter.ack_ready.val();
        self.arbiter.pfc_valid.next = self.pfc_valid.val();
        self.arbiter.pfc_data.next = self.pfc_data.val();
        self.pfc_ready.next = self.arbiter.pfc_ready.val();
        self.arbiter.paused.next = self.paused.val();
        self.arbiter.ack_share_log2.next = self.ack_share_log2.val();
        self.m_axis_client_tdata.next = self.arbiter.m_axis_client_tdata.val();
        self.m_axis_client_tkeep.next = self.arbiter.m_axis_client_tkeep.val();
        self.m_axis_client_tuser.next = self.arbiter.m_axis_client_tuser.val();
        self.m_axis_client_tlast.next = self.arbiter.m_axis_client_tlast.val();
        self.m_axis_client_tvalid.next = self.arbiter.m_axis_client_tvalid.val();
        self.arbiter.m_axis_client_tready.next = self.m_axis_client_tready.val();
        self.client_intent_valid.next = self.arbiter.client_intent_valid.val();
        self.client_intent.next = self.arbiter.client_intent.val();
        self.arbiter.client_intent_ready.next = self.client_intent_ready.val();

        // The client port -> drain
        self.drain.overhead.next = self.overhead.val();
        self.drain.left_valid.next = self.arbiter.left_valid.val();
        self.drain.left_path.next = self.arbiter.left_head.val() & self.egress.head_path.val();
        self.drain.left_number.next = self.egress.head_number.val();
        self.drain.left_bytes.next = self.arbiter.left_bytes.val();
        self.drain.left_last.next = self.arbiter.left_last.val();
        self.drain.backlog.next = self.egress.backlog.val();
        self.drain.paused.next = self.paused.val();
        self.drain.slot_end.next = self.slot_end.val();
        self.drained.next = self.drain.drained.val();
        self.other.next = self.drain.other.val();
        self.backlogged.next = self.drain.backlogged.val();
        self.left_valid.next = self.drain.beat_valid.val();
        self.left_path.next = self.drain.beat_path.val();
        self.left_bytes.next = self.drain.beat_bytes.val();
        self.paused_cycles.next = self.drain.paused_cycles.val();

        // To the counters.
        self.check_valid.next = self.front.check_valid.val();
        self.check_bytes.next = self.front.bytes.val();
        self.verdict_valid.next = self.ack_filter.verdict_valid.val();
        self.forward.next = self.ack_filter.forward.val();
        self.reason.next = self.ack_filter.reason.val();
        self.active.next = self.ack_filter.active.val();
        self.absorbed.next = self.ack_filter.verdict_valid.val() & self.ack_filter.absorbed.val();
        self.event_valid.next = self.ack_filter.event_valid.val();
        self.event_code.next = self.ack_filter.event_code.val();
        self.event_flow.next = self.ack_filter.event_flow.val();
        self.event_run.next = self.ack_filter.event_run.val();
        self.event_psn.next = self.ack_filter.event_psn.val();
        self.swept_valid.next = self.ack_filter.swept_valid.val();
        self.age_valid.next = self.ack_filter.age_valid.val();
        self.age.next = self.ack_filter.age.val();
        self.empty.next = self.egress.empty.val();

        // To watch.
        self.op_roce.next = self.front.roce.val();
        self.op_good.next = self.front.good.val();
        self.op_err.next = self.front.err.val();
        self.op_hit.next = self.front.hit.val();
        self.op_judged.next = self.front.judged.val();
        self.frame_waited.next = self.front.waited.val();
        self.frame_qp1.next = self.front.beat_qp1.val();
    }
}
