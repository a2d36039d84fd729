//! Beside **egress**: the same stage on external memory.
//!
//! In, out: as [`Egress`](super::Egress); where the rings are; an AXI4 master; `lost`, what the memory spoilt.
//! Latency: as [external memory](crate::memory::External). Bytes held are two cycles late.
//! Model: `model::egress`. Tests: `tests/inbound/egress_external.rs`. Registers: `PACER_OVERHEAD`.

use super::Turns;
use crate::memory::{External, Guard};
use crate::record::Intent;
use rust_hdl::prelude::*;

/// `2^D` descriptors for the lossless class, `2^RD` for the rest; the rings as in [`External`].
///
/// What the head stream shows may change from cycle to cycle until `holds` says that a frame of it is on the port.
#[derive(LogicBlock, Default)]
pub struct EgressExternal<const D: usize, const RD: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub rail_valid: Signal<In, Bit>,
    pub rail_data: Signal<In, Bits<512>>,
    pub rail_bytes: Signal<In, Bits<7>>,
    pub rail_first: Signal<In, Bit>,
    pub rail_last: Signal<In, Bit>,
    pub rail_queue: Signal<In, Bits<5>>,
    pub verdict_valid: Signal<In, Bit>,
    pub forward: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub lossless: Signal<In, Bit>,
    pub intent: Signal<In, Intent>,
    /// Whose room is asked for.
    pub judge_lossless: Signal<In, Bit>,
    pub room: Signal<Out, Bit>,
    pub empty: Signal<Out, Bit>,
    /// The client has paused the lossless class.
    pub paused: Signal<In, Bit>,
    /// An intent would find its place.
    pub space: Signal<In, Bit>,
    /// A frame from here is on the port and not yet over.
    pub holds: Signal<In, Bit>,
    pub head_valid: Signal<Out, Bit>,
    pub head_frame: Signal<Out, Bit>,
    pub head_data: Signal<Out, Bits<512>>,
    pub head_bytes: Signal<Out, Bits<7>>,
    pub head_last: Signal<Out, Bit>,
    pub head_intent: Signal<Out, Intent>,
    /// It is of the lossless class and of a path.
    pub head_path: Signal<Out, Bit>,
    pub head_number: Signal<Out, Bits<4>>,
    pub head_ready: Signal<In, Bit>,
    /// What a frame counts beside its bytes.
    pub overhead: Signal<In, Bits<8>>,
    pub occupancy_path: Signal<In, Bits<4>>,
    pub occupancy: Signal<Out, Bits<48>>,
    pub here_path: Signal<In, Bits<4>>,
    pub here: Signal<Out, Bit>,
    pub stray: Signal<Out, Bits<48>>,
    /// In the cycle before, a lossless frame of a path waited or was leaving.
    pub backlog: Signal<Out, Bit>,
    /// The settings as [`Guard`] takes them, and what it says of them (`spec::params::MEMORY_*`).
    pub memory_enable: Signal<In, Bit>,
    pub base: [Signal<In, Bits<40>>; 2],
    pub size: [Signal<In, Bits<5>>; 2],
    pub memory_kib: Signal<In, Bits<30>>,
    pub memory_ready: Signal<In, Bit>,
    pub memory_status: Signal<Out, Bits<3>>,
    /// Index 0: the lossless class, 1: the rest.
    pub lost: [Signal<Out, Bit>; 2],
    pub m_axi_awid: Signal<Out, Bits<6>>,
    pub m_axi_awaddr: Signal<Out, Bits<40>>,
    pub m_axi_awlen: Signal<Out, Bits<8>>,
    pub m_axi_awsize: Signal<Out, Bits<3>>,
    pub m_axi_awburst: Signal<Out, Bits<2>>,
    pub m_axi_awvalid: Signal<Out, Bit>,
    pub m_axi_awready: Signal<In, Bit>,
    pub m_axi_wdata: Signal<Out, Bits<512>>,
    pub m_axi_wstrb: Signal<Out, Bits<64>>,
    pub m_axi_wlast: Signal<Out, Bit>,
    pub m_axi_wvalid: Signal<Out, Bit>,
    pub m_axi_wready: Signal<In, Bit>,
    pub m_axi_bid: Signal<In, Bits<6>>,
    pub m_axi_bresp: Signal<In, Bits<2>>,
    pub m_axi_bvalid: Signal<In, Bit>,
    pub m_axi_bready: Signal<Out, Bit>,
    pub m_axi_arid: Signal<Out, Bits<6>>,
    pub m_axi_araddr: Signal<Out, Bits<40>>,
    pub m_axi_arlen: Signal<Out, Bits<8>>,
    pub m_axi_arsize: Signal<Out, Bits<3>>,
    pub m_axi_arburst: Signal<Out, Bits<2>>,
    pub m_axi_arvalid: Signal<Out, Bit>,
    pub m_axi_arready: Signal<In, Bit>,
    pub m_axi_rid: Signal<In, Bits<6>>,
    pub m_axi_rdata: Signal<In, Bits<512>>,
    pub m_axi_rresp: Signal<In, Bits<2>>,
    pub m_axi_rlast: Signal<In, Bit>,
    pub m_axi_rvalid: Signal<In, Bit>,
    pub m_axi_rready: Signal<Out, Bit>,
    memory: External<D, RD>,
    guard: Guard,
    turns: Turns,
}

impl<const D: usize, const RD: usize> Logic for EgressExternal<D, RD> {
    #[hdl_gen]
    fn update(&mut self) {
        self.memory.clk.next = self.clk.val();
        self.memory.rst.next = self.rst.val();
        self.turns.clk.next = self.clk.val();
        self.turns.rst.next = self.rst.val();

        // In.
        self.guard.clk.next = self.clk.val();
        self.guard.rst.next = self.rst.val();
        self.guard.enable.next = self.memory_enable.val();
        self.guard.memory_kib.next = self.memory_kib.val();
        self.guard.memory_ready.next = self.memory_ready.val();
        self.guard.empty.next = self.memory.empty.val();
        self.memory_status.next = self.guard.status.val();
        self.memory.on.next = self.guard.on.val();
        for i in 0..2 {
            self.guard.base[i].next = self.base[i].val();
            self.guard.size[i].next = self.size[i].val();
            self.memory.base[i].next = self.guard.base_kib[i].val();
            self.memory.mask[i].next = self.guard.mask[i].val();
        }
        self.lost[0].next = self.memory.lost[0].val();
        self.lost[1].next = self.memory.lost[1].val();
        self.memory.rail_valid.next = self.rail_valid.val();
        self.memory.rail_data.next = self.rail_data.val();
        self.memory.rail_bytes.next = self.rail_bytes.val();
        self.memory.rail_first.next = self.rail_first.val();
        self.memory.rail_last.next = self.rail_last.val();
        self.memory.rail_queue.next = self.rail_queue.val();
        self.memory.verdict_valid.next = self.verdict_valid.val();
        self.memory.forward.next = self.forward.val();
        self.memory.push.next = self.push.val();
        self.memory.lossless.next = self.lossless.val();
        self.memory.intent.next = self.intent.val();
        self.room.next = self.memory.room[1].val();
        if self.judge_lossless.val() {
            self.room.next = self.memory.room[0].val();
        }
        self.empty.next = self.memory.empty.val();

        // Out.
        self.turns.roce_valid.next = self.memory.head_valid[0].val();
        self.turns.roce_frame.next = self.memory.head_frame[0].val();
        self.turns.roce_data.next = self.memory.head_data[0].val();
        self.turns.roce_bytes.next = self.memory.head_bytes[0].val();
        self.turns.roce_last.next = self.memory.head_last[0].val();
        self.turns.roce_intent.next = self.memory.head_intent[0].val();
        self.turns.roce_queue.next = self.memory.head_queue[0].val();
        self.turns.roce_total.next = self.memory.head_total[0].val();
        self.turns.rest_valid.next = self.memory.head_valid[1].val();
        self.turns.rest_data.next = self.memory.head_data[1].val();
        self.turns.rest_bytes.next = self.memory.head_bytes[1].val();
        self.turns.rest_last.next = self.memory.head_last[1].val();
        self.turns.rest_intent.next = self.memory.head_intent[1].val();
        self.memory.head_ready[0].next = self.turns.roce_ready.val();
        self.memory.head_ready[1].next = self.turns.rest_ready.val();
        self.turns.roce_lost.next = self.memory.lost[0].val();
        self.turns.came_valid.next =
            self.verdict_valid.val() & self.push.val() & self.forward.val() & self.lossless.val();
        self.turns.came_queue.next = self.rail_queue.val();
        self.turns.came_bytes.next = self.memory.rail_total.val();
        self.turns.paused.next = self.paused.val();
        self.turns.space.next = self.space.val();
        self.turns.holds.next = self.holds.val();
        self.turns.head_ready.next = self.head_ready.val();
        self.turns.overhead.next = self.overhead.val();
        self.turns.occupancy_path.next = self.occupancy_path.val();
        self.turns.here_path.next = self.here_path.val();
        self.head_valid.next = self.turns.head_valid.val();
        self.head_frame.next = self.turns.head_frame.val();
        self.head_data.next = self.turns.head_data.val();
        self.head_bytes.next = self.turns.head_bytes.val();
        self.head_last.next = self.turns.head_last.val();
        self.head_intent.next = self.turns.head_intent.val();
        self.head_path.next = self.turns.head_path.val();
        self.head_number.next = self.turns.head_number.val();
        self.occupancy.next = self.turns.occupancy.val();
        self.here.next = self.turns.here.val();
        self.stray.next = self.turns.stray.val();
        self.backlog.next = self.turns.backlog.val();

        // The port.
        self.m_axi_awid.next = self.memory.m_axi_awid.val();
        self.m_axi_awaddr.next = self.memory.m_axi_awaddr.val();
        self.m_axi_awlen.next = self.memory.m_axi_awlen.val();
        self.m_axi_awsize.next = self.memory.m_axi_awsize.val();
        self.m_axi_awburst.next = self.memory.m_axi_awburst.val();
        self.m_axi_awvalid.next = self.memory.m_axi_awvalid.val();
        self.memory.m_axi_awready.next = self.m_axi_awready.val();
        self.m_axi_wdata.next = self.memory.m_axi_wdata.val();
        self.m_axi_wstrb.next = self.memory.m_axi_wstrb.val();
        self.m_axi_wlast.next = self.memory.m_axi_wlast.val();
        self.m_axi_wvalid.next = self.memory.m_axi_wvalid.val();
        self.memory.m_axi_wready.next = self.m_axi_wready.val();
        self.memory.m_axi_bid.next = self.m_axi_bid.val();
        self.memory.m_axi_bresp.next = self.m_axi_bresp.val();
        self.memory.m_axi_bvalid.next = self.m_axi_bvalid.val();
        self.m_axi_bready.next = self.memory.m_axi_bready.val();
        self.m_axi_arid.next = self.memory.m_axi_arid.val();
        self.m_axi_araddr.next = self.memory.m_axi_araddr.val();
        self.m_axi_arlen.next = self.memory.m_axi_arlen.val();
        self.m_axi_arsize.next = self.memory.m_axi_arsize.val();
        self.m_axi_arburst.next = self.memory.m_axi_arburst.val();
        self.m_axi_arvalid.next = self.memory.m_axi_arvalid.val();
        self.memory.m_axi_arready.next = self.m_axi_arready.val();
        self.memory.m_axi_rid.next = self.m_axi_rid.val();
        self.memory.m_axi_rdata.next = self.m_axi_rdata.val();
        self.memory.m_axi_rresp.next = self.m_axi_rresp.val();
        self.memory.m_axi_rlast.next = self.m_axi_rlast.val();
        self.memory.m_axi_rvalid.next = self.m_axi_rvalid.val();
        self.m_axi_rready.next = self.memory.m_axi_rready.val();
    }
}
