//! Client to line: the itinerary. A frame meets, in this order:
//!
//! 1. [`Front`]: [`parse`] reads the headers and makes the rail,
//! 2. then [`icrc`], [`flow`] and [`route`] side by side, while the frame waits in a delay line
//! 3. [`Track`]: the verdict, at the frame's last beat
//! 4. [`PacedMemory`]: a queue per path, and [`Pacer`], which says whose frame starts
//! 5. [`Departure`]: the line port; what has left may be acknowledged
//!
//! Timing and rules: `docs/blocks.md`. Model: `model::gateway`. Tests: `tests/gateway/`.

pub mod back_pressure;
mod departure;
pub mod ecn;
pub mod flow;
pub mod flow_state;
pub mod front;
pub mod icrc;
pub mod opcode_class;
mod paced_memory;
pub mod pacer;
pub mod parse;
pub mod pseudo_ack;
pub mod psn_count;
pub mod route;
pub mod sweep;
pub mod track;

pub use departure::Departure;
pub use paced_memory::PacedMemory;
pub use pacer::Pacer;

use self::pacer::Gains;

use self::back_pressure::BackPressure;
use self::front::Front;
use self::sweep::Sweep;
use self::track::Track;
use crate::inbound::Occupancy;
use crate::record::{Back, Beat, Cfg, Intent, Meta, Rx, Said, Times};
use rust_hdl::prelude::*;

/// From `s_axis_client` to `m_axis_line`.
#[derive(LogicBlock, Default)]
pub struct Outbound {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub s_axis_client_tdata: Signal<In, Bits<512>>,
    pub s_axis_client_tkeep: Signal<In, Bits<64>>,
    pub s_axis_client_tuser: Signal<In, Bits<1>>,
    pub s_axis_client_tlast: Signal<In, Bit>,
    pub s_axis_client_tvalid: Signal<In, Bit>,
    pub m_axis_line_tdata: Signal<Out, Bits<512>>,
    pub m_axis_line_tkeep: Signal<Out, Bits<64>>,
    pub m_axis_line_tuser: Signal<Out, Bit>,
    pub m_axis_line_tlast: Signal<Out, Bit>,
    pub m_axis_line_tvalid: Signal<Out, Bit>,
    pub m_axis_line_tready: Signal<In, Bit>,
    // To pseudo_ack and pfc.
    pub cnp_valid: Signal<Out, Bit>,
    pub cnp_flow: Signal<Out, Bits<12>>,
    pub cnp_run: Signal<Out, Bits<8>>,
    pub cnp_over: Signal<Out, Bits<16>>,
    pub pfc_over: Signal<Out, Bits<16>>,
    pub over: Signal<Out, Bit>,
    // To and from pseudo_ack and ack_filter.
    pub line_intent_valid: Signal<Out, Bit>,
    pub line_intent: Signal<Out, Intent>,
    pub line_intent_ready: Signal<In, Bit>,
    pub rx_we: Signal<Out, Bit>,
    pub rx_addr: Signal<Out, Bits<12>>,
    pub rx_data: Signal<Out, Rx>,
    pub back_we: Signal<In, Bit>,
    pub back_addr: Signal<In, Bits<12>>,
    pub back_data: Signal<In, Back>,
    pub said_we: Signal<In, Bit>,
    pub said_addr: Signal<In, Bits<12>>,
    pub said_data: Signal<In, Said>,
    // From the host.
    pub enable: Signal<In, Bit>,
    pub times: Signal<In, Times>,
    pub ack_on_arrival: Signal<In, Bit>,
    pub path_slot_k: Signal<In, Bits<5>>,
    pub path_rate: [Signal<In, Bits<32>>; 16],
    pub path_burst: [Signal<In, Bits<32>>; 16],
    pub path_open: Signal<In, Bits<16>>,
    pub path_limited: Signal<In, Bits<16>>,
    pub path_overhead: Signal<In, Bits<8>>,
    pub limit_we: Signal<In, Bit>,
    pub limit_path: Signal<In, Bits<4>>,
    pub limit: Signal<In, Bits<64>>,
    pub sent_path: Signal<In, Bits<4>>,
    pub sent: Signal<Out, Bits<64>>,
    pub waiting_path: Signal<In, Bits<4>>,
    pub waiting: Signal<Out, Bits<24>>,
    pub tx_order: Signal<In, Bit>,
    pub tx_clear: Signal<Out, Bit>,
    pub tx_valid: Signal<In, Bit>,
    pub tx_data: Signal<In, Bits<512>>,
    pub tx_bytes: Signal<In, Bits<7>>,
    pub tx_last: Signal<In, Bit>,
    pub tx_ready: Signal<Out, Bit>,
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
    pub scan_valid: Signal<In, Bit>,
    pub scan_path: Signal<In, Bits<4>>,
    pub scan_cnp_on: Signal<In, Bits<32>>,
    pub scan_cnp_off: Signal<In, Bits<32>>,
    pub scan_pfc_on: Signal<In, Bits<32>>,
    pub scan_pfc_off: Signal<In, Bits<32>>,
    pub scan_ecn_clear: Signal<In, Bit>,
    // To the counters.
    pub check_valid: Signal<Out, Bit>,
    pub check_bytes: Signal<Out, Bits<14>>,
    pub verdict_valid: Signal<Out, Bit>,
    pub forward: Signal<Out, Bit>,
    pub reason: Signal<Out, Bits<4>>,
    pub active: Signal<Out, Bit>,
    pub event_valid: Signal<Out, Bit>,
    pub event_code: Signal<Out, Bits<5>>,
    pub event_flow: Signal<Out, Bits<12>>,
    pub event_run: Signal<Out, Bits<8>>,
    pub event_psn: Signal<Out, Bits<24>>,
    pub empty: Signal<Out, Bit>,
    // To watch: the op, its frame, what became of it.
    pub op_roce: Signal<Out, Bit>,
    pub op_good: Signal<Out, Bit>,
    pub op_err: Signal<Out, Bit>,
    pub op_hit: Signal<Out, Bit>,
    pub op_judged: Signal<Out, Meta>,
    pub frame_waited: Signal<Out, Beat>,
    pub frame_qp1: Signal<Out, Bit>,
    pub op_index: Signal<Out, Bits<12>>,
    pub op_queue: Signal<Out, Bits<5>>,
    pub intent: Signal<Out, Intent>,
    pub left_valid: Signal<Out, Bit>,
    pub left_queue: Signal<Out, Bits<5>>,
    pub left_bytes: Signal<Out, Bits<14>>,
    front: Front,
    sweep: Sweep,
    now: Signal<Local, Times>,
    track: Track,
    memory: PacedMemory,
    gains: Gains,
    departure: Departure,
    /// Bytes that wait for the line, by path.
    waits: Occupancy,
    bytes1: DFF<Bits<14>>,
    bytes2: DFF<Bits<14>>,
    back_pressure: BackPressure,
    judged: Signal<Local, Meta>,
    waited: Signal<Local, Beat>,
}

impl Logic for Outbound {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, bytes1, bytes2);
        self.front.clk.next = self.clk.val();
        self.sweep.clk.next = self.clk.val();
        self.sweep.rst.next = self.rst.val();
        self.track.clk.next = self.clk.val();
        self.memory.clk.next = self.clk.val();
        self.gains.clk.next = self.clk.val();
        self.departure.clk.next = self.clk.val();
        self.front.rst.next = self.rst.val();
        self.track.rst.next = self.rst.val();
        self.memory.rst.next = self.rst.val();
        self.gains.rst.next = self.rst.val();
        self.departure.rst.next = self.rst.val();

        // s_axis_client -> front
        self.front.s_axis_tdata.next = self.s_axis_client_tdata.val();
        self.front.s_axis_tkeep.next = self.s_axis_client_tkeep.val();
        self.front.s_axis_tuser.next = self.s_axis_client_tuser.val();
        self.front.s_axis_tlast.next = self.s_axis_client_tlast.val();
        self.front.s_axis_tvalid.next = self.s_axis_client_tvalid.val();
        self.front.row_we.next = self.row_we.val();
        self.front.row_bank.next = self.row_bank.val();
        self.front.row_addr.next = self.row_addr.val();
        self.front.row_data.next = self.row_data.val();
        self.front.by_source.next = false;
        self.front.route_bank.next = self.route_bank.val();
        self.front.route_set.next = self.route_set.val();
        self.front.route_we.next = self.route_we.val();
        self.front.route_we_bank.next = self.route_we_bank.val();
        self.front.route_addr.next = self.route_addr.val();
        self.front.route_data.next = self.route_data.val();
        self.judged.next = self.front.judged.val();
        self.waited.next = self.front.waited.val();

        // front -> track
        self.track.op_valid.next = self.front.check_valid.val();
        self.track.hit.next = self.front.hit.val();
        self.track.index.next = self.front.index.val();
        self.track.roce.next = self.front.roce.val();
        self.track.good.next = self.front.good.val();
        self.track.err.next = self.front.err.val();
        self.track.cut.next = self.front.cut.val();
        self.now.next = self.times.val();
        self.sweep.now.next = self.now.val().now;
        self.sweep.hold.next = self.front.check_valid.val();
        self.track.sweep_valid.next = self.sweep.offer.val();
        self.track.sweep_index.next = self.sweep.index.val();
        self.track.mac_control.next = self.judged.val().mac_control;
        self.track.mig_req.next = self.judged.val().mig_req;
        self.track.times.next = self.times.val();
        self.track.said_we.next = self.said_we.val();
        self.track.said_addr.next = self.said_addr.val();
        self.track.said_data.next = self.said_data.val();
        self.track.budget.next = self.judged.val().budget;
        self.track.opcode.next = self.judged.val().opcode;
        self.track.psn.next = self.judged.val().psn;
        self.track.ack_req.next = self.judged.val().ack_req;
        self.track.reth_len.next = self.judged.val().reth_len;
        self.track.payload.next = self.judged.val().payload;
        self.track.room.next = self.memory.room.val() & self.departure.commit_room.val();
        self.track.enable.next = self.enable.val();
        self.track.cfg_we.next = self.cfg_we.val();
        self.track.cfg_addr.next = self.cfg_addr.val();
        self.track.cfg_data.next = self.cfg_data.val();
        self.track.cfg_bank.next = self.cfg_bank.val();
        self.track.back_we.next = self.back_we.val();
        self.track.back_addr.next = self.back_addr.val();
        self.track.back_data.next = self.back_data.val();
        self.rx_we.next = self.track.rx_we.val();
        self.rx_addr.next = self.track.rx_addr.val();
        self.rx_data.next = self.track.rx_data.val();

        // track -> path_memory
        self.memory.rail_valid.next = self.waited.val().valid;
        self.memory.rail_data.next = self.waited.val().data;
        self.memory.rail_bytes.next = self.waited.val().bytes;
        self.memory.rail_first.next = self.waited.val().first;
        self.memory.rail_last.next = self.waited.val().last;
        self.memory.verdict_valid.next = self.track.verdict_valid.val();
        self.memory.forward.next = self.track.forward.val();
        self.memory.push.next = self.track.push.val();
        self.memory.intent.next = self.track.intent.val();

        // route -> path_memory
        self.memory.rail_queue.next = self.front.beat_queue.val();
        self.memory.judge_queue.next = self.front.judge_queue.val();

        // The budgets -> pacer
        self.gains.slot_k.next = self.path_slot_k.val();
        for i in 0..16 {
            self.gains.rate[i].next = self.path_rate[i].val();
            self.memory.gain[i].next = self.gains.gain[i].val();
            self.memory.burst[i].next = self.path_burst[i].val().get_bits::<25>(0);
        }
        self.memory.open.next = self.path_open.val();
        self.memory.limited.next = self.path_limited.val();
        self.memory.overhead.next = self.path_overhead.val();
        self.memory.limit_we.next = self.limit_we.val();
        self.memory.limit_path.next = self.limit_path.val();
        self.memory.limit.next = self.limit.val();
        self.memory.sent_path.next = self.sent_path.val();
        self.sent.next = self.memory.sent.val();

        // path_memory -> departure -> m_axis_line, pseudo_ack
        self.departure.ack_on_arrival.next = self.ack_on_arrival.val();
        self.departure.commit_valid.next = self.track.verdict_valid.val() & self.track.push.val();
        self.departure.commit_intent.next = self.track.intent.val();
        self.departure.head_valid.next = self.memory.head_valid.val();
        self.departure.head_frame.next = self.memory.head_frame.val();
        self.departure.head_data.next = self.memory.head_data.val();
        self.departure.head_bytes.next = self.memory.head_bytes.val();
        self.departure.head_last.next = self.memory.head_last.val();
        self.departure.head_intent.next = self.memory.head_intent.val();
        self.memory.head_ready.next = self.departure.head_ready.val();
        self.m_axis_line_tdata.next = self.departure.m_axis_line_tdata.val();
        self.m_axis_line_tkeep.next = self.departure.m_axis_line_tkeep.val();
        self.m_axis_line_tuser.next = self.departure.m_axis_line_tuser.val();
        self.m_axis_line_tlast.next = self.departure.m_axis_line_tlast.val();
        self.m_axis_line_tvalid.next = self.departure.m_axis_line_tvalid.val();
        self.departure.m_axis_line_tready.next = self.m_axis_line_tready.val();
        self.line_intent_valid.next = self.departure.line_intent_valid.val();
        self.line_intent.next = self.departure.line_intent.val();
        self.departure.line_intent_ready.next = self.line_intent_ready.val();

        // The pacer, budget_tx -> departure
        self.departure.started.next = self.memory.start.val() & self.memory.start_frame.val();
        self.departure.tx_order.next = self.tx_order.val();
        self.tx_clear.next = self.departure.tx_clear.val();
        self.departure.tx_valid.next = self.tx_valid.val();
        self.departure.tx_data.next = self.tx_data.val();
        self.departure.tx_bytes.next = self.tx_bytes.val();
        self.departure.tx_last.next = self.tx_last.val();
        self.tx_ready.next = self.departure.tx_ready.val();

        // track, the pacer -> what waits, for budget_tx
        self.bytes1.d.next = self.front.bytes.val();
        self.bytes2.d.next = self.bytes1.q.val();
        self.waits.clk.next = self.clk.val();
        self.waits.rst.next = self.rst.val();
        self.waits.overhead.next = self.path_overhead.val();
        self.waits.came_valid.next = self.track.verdict_valid.val() & self.track.forward.val();
        self.waits.came_queue.next = self.front.beat_queue.val();
        self.waits.came_bytes.next = self.bytes2.q.val();
        self.waits.left_valid.next = self.memory.start.val() & self.memory.start_frame.val();
        self.waits.left_queue.next = self.memory.start_queue.val();
        self.waits.left_bytes.next = self.memory.start_bytes.val();
        self.waits.ask_path.next = self.waiting_path.val();
        self.waits.here_path.next = self.waiting_path.val();
        self.waiting.next = self.waits.told.val();

        // track, packet_memory -> back_pressure -> front, pseudo_ack, pfc
        self.back_pressure.clk.next = self.clk.val();
        self.back_pressure.rst.next = self.rst.val();
        self.back_pressure.scan_valid.next = self.scan_valid.val();
        self.back_pressure.scan_path.next = self.scan_path.val();
        self.back_pressure.scan_cnp_on.next = self.scan_cnp_on.val();
        self.back_pressure.scan_cnp_off.next = self.scan_cnp_off.val();
        self.back_pressure.scan_pfc_on.next = self.scan_pfc_on.val();
        self.back_pressure.scan_pfc_off.next = self.scan_pfc_off.val();
        self.back_pressure.scan_ecn_clear.next = self.scan_ecn_clear.val();
        for i in 0..17 {
            self.back_pressure.held_beats[i].next = self.memory.held_beats[i].val();
        }
        self.back_pressure.judged_valid.next = self.track.verdict_valid.val();
        self.back_pressure.judged_followed.next = self.track.followed.val();
        self.back_pressure.judged_queue.next = self.front.beat_queue.val();
        self.back_pressure.judged_flow.next = self.track.intent.val().flow;
        self.back_pressure.judged_run.next = self.track.intent.val().run;
        self.front.clear_ecn.next = self.back_pressure.ecn_clear.val();
        self.cnp_valid.next = self.back_pressure.cnp_valid.val();
        self.cnp_flow.next = self.back_pressure.cnp_flow.val();
        self.cnp_run.next = self.back_pressure.cnp_run.val();
        self.cnp_over.next = self.back_pressure.cnp_over.val();
        self.pfc_over.next = self.back_pressure.pfc_over.val();
        self.over.next = self.back_pressure.over.val();

        // To the counters.
        self.check_valid.next = self.front.check_valid.val();
        self.check_bytes.next = self.front.bytes.val();
        self.verdict_valid.next = self.track.verdict_valid.val();
        self.forward.next = self.track.forward.val();
        self.reason.next = self.track.reason.val();
        self.active.next = self.track.active.val();
        self.event_valid.next = self.track.event_valid.val();
        self.event_code.next = self.track.event_code.val();
        self.event_flow.next = self.track.event_flow.val();
        self.event_run.next = self.track.event_run.val();
        self.event_psn.next = self.track.event_psn.val();
        self.empty.next = self.memory.empty.val();

        // To watch.
        self.op_roce.next = self.front.roce.val();
        self.op_good.next = self.front.good.val();
        self.op_err.next = self.front.err.val();
        self.op_hit.next = self.front.hit.val();
        self.op_judged.next = self.front.judged.val();
        self.frame_waited.next = self.front.waited.val();
        self.frame_qp1.next = self.front.beat_qp1.val();
        self.op_index.next = self.front.index.val();
        self.op_queue.next = self.front.judge_queue.val();
        self.intent.next = self.track.intent.val();
        self.left_valid.next = self.memory.start.val() & self.memory.start_frame.val();
        self.left_queue.next = self.memory.start_queue.val();
        self.left_bytes.next = self.memory.start_bytes.val();
    }
}
