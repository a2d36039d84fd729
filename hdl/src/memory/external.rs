//! Between judgement and departure towards the client: **external memory**, behind an AXI4 master.
//! Inbound: it may stand in [egress](crate::inbound::Egress) for the two on-chip memories.
//!
//! In: the rail and its verdict, as [`PacketMemory`](super::PacketMemory) has them, with the class. Out: a head stream and
//! `room` for each class. Latency: the memory's, twice, and about 40 cycles.
//! Model: `model::packet_memory`. Tests: `tests/memory/external.rs`. Registers: none of its own.
//!
//! Two rings in one memory. Frames are packed back to back, by beats of 64 bytes; bursts have up to 1 KiB and cross no
//! block of 1 KiB. What a verdict refuses never reaches the port. What is written is read only after its response.

mod guard;
mod lane;
mod port;
mod stage;
mod walk;
mod window;

pub use self::guard::Guard;

use self::lane::Lane;
use self::port::Port;
use crate::prim::Lit;
use crate::record::Intent;
use rust_hdl::prelude::*;

/// `2^D` descriptors for the lossless class, `2^RD` for the rest. Index 0: the lossless class, 1: the rest.
///
/// A ring has `mask` + 1 blocks of 1 KiB, a power of two from 32 on, from `base` KiB on. Both may change only while
/// nothing is held. While `on` is low nothing has room. `lost` pulses when the frame that `head_total` and `head_queue`
/// describe is dropped: the memory answered one of its blocks with an error.
#[derive(LogicBlock, Default)]
pub struct External<const D: usize, const RD: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub on: Signal<In, Bit>,
    pub base: [Signal<In, Bits<30>>; 2],
    pub mask: [Signal<In, Bits<22>>; 2],
    pub rail_valid: Signal<In, Bit>,
    pub rail_data: Signal<In, Bits<512>>,
    pub rail_bytes: Signal<In, Bits<7>>,
    pub rail_first: Signal<In, Bit>,
    pub rail_last: Signal<In, Bit>,
    pub rail_queue: Signal<In, Bits<5>>,
    pub rail_total: Signal<Out, Bits<14>>,
    pub verdict_valid: Signal<In, Bit>,
    pub forward: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub lossless: Signal<In, Bit>,
    pub intent: Signal<In, Intent>,
    pub room: [Signal<Out, Bit>; 2],
    pub empty: Signal<Out, Bit>,
    pub held_beats: [Signal<Out, Bits<26>>; 2],
    pub held_descriptors: [Signal<Out, Bits<16>>; 2],
    pub head_valid: [Signal<Out, Bit>; 2],
    pub head_frame: [Signal<Out, Bit>; 2],
    pub head_data: [Signal<Out, Bits<512>>; 2],
    pub head_bytes: [Signal<Out, Bits<7>>; 2],
    pub head_first: [Signal<Out, Bit>; 2],
    pub head_last: [Signal<Out, Bit>; 2],
    pub head_intent: [Signal<Out, Intent>; 2],
    pub head_queue: [Signal<Out, Bits<5>>; 2],
    pub head_total: [Signal<Out, Bits<14>>; 2],
    pub head_ready: [Signal<In, Bit>; 2],
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
    roce: Lane<D>,
    rest: Lane<RD>,
    port: Port,
    silence: Signal<Local, Intent>,
    all: Lit<64, { u64::MAX }>,
}

impl<const D: usize, const RD: usize> Logic for External<D, RD> {
    #[hdl_gen]
    fn update(&mut self) {
        self.roce.clk.next = self.clk.val();
        self.roce.rst.next = self.rst.val();
        self.roce.on.next = self.on.val();
        self.roce.base.next = self.base[0].val();
        self.roce.mask.next = self.mask[0].val();
        self.roce.rail_valid.next = self.rail_valid.val();
        self.roce.rail_data.next = self.rail_data.val();
        self.roce.rail_bytes.next = self.rail_bytes.val();
        self.roce.rail_first.next = self.rail_first.val();
        self.roce.rail_last.next = self.rail_last.val();
        self.roce.verdict_valid.next = self.verdict_valid.val();
        self.roce.forward.next = self.forward.val();
        self.roce.rail_queue.next = self.rail_queue.val();
        self.roce.push.next = self.push.val() & (self.lossless.val() | !self.forward.val());
        self.roce.intent.next = self.intent.val();
        self.rail_total.next = self.roce.rail_total.val();
        self.room[0].next = self.roce.room.val();
        self.held_beats[0].next = self.roce.held_beats.val();
        self.held_descriptors[0].next = self.roce.held_descriptors.val();
        self.head_valid[0].next = self.roce.head_valid.val();
        self.head_frame[0].next = self.roce.head_frame.val();
        self.head_data[0].next = self.roce.head_data.val();
        self.head_bytes[0].next = self.roce.head_bytes.val();
        self.head_first[0].next = self.roce.head_first.val();
        self.head_last[0].next = self.roce.head_last.val();
        self.head_intent[0].next = self.roce.head_intent.val();
        self.head_queue[0].next = self.roce.head_queue.val();
        self.head_total[0].next = self.roce.head_total.val();
        self.roce.head_ready.next = self.head_ready[0].val();
        self.lost[0].next = self.roce.lost.val();
        self.port.write_want[0].next = self.roce.write_want.val();
        self.port.write_beats[0].next = self.roce.write_beats.val();
        self.port.write_address[0].next = self.roce.write_address.val();
        self.port.word_valid[0].next = self.roce.word_valid.val();
        self.port.word[0].next = self.roce.word.val();
        self.port.done_stop[0].next = self.roce.done_stop.val();
        self.port.read_want[0].next = self.roce.read_want.val();
        self.port.read_beats[0].next = self.roce.read_beats.val();
        self.port.read_address[0].next = self.roce.read_address.val();
        self.port.read_slot[0].next = self.roce.read_slot.val();
        self.roce.write_take.next = self.port.write_take[0].val();
        self.roce.word_pop.next = self.port.word_pop[0].val();
        self.roce.done_valid.next = self.port.done_valid[0].val();
        self.roce.read_take.next = self.port.read_take[0].val();
        self.roce.came_valid.next = self.port.came_valid[0].val();
        self.roce.done_beats.next = self.port.done_beats.val();
        self.roce.done_error.next = self.port.done_error.val();
        self.roce.came_slot.next = self.port.came_slot.val();
        self.roce.came_data.next = self.port.came_data.val();
        self.roce.came_error.next = self.port.came_error.val();

        self.rest.clk.next = self.clk.val();
        self.rest.rst.next = self.rst.val();
        self.rest.on.next = self.on.val();
        self.rest.base.next = self.base[1].val();
        self.rest.mask.next = self.mask[1].val();
        self.rest.rail_valid.next = self.rail_valid.val();
        self.rest.rail_data.next = self.rail_data.val();
        self.rest.rail_bytes.next = self.rail_bytes.val();
        self.rest.rail_first.next = self.rail_first.val();
        self.rest.rail_last.next = self.rail_last.val();
        self.rest.verdict_valid.next = self.verdict_valid.val();
        self.rest.forward.next = self.forward.val();
        self.rest.rail_queue.next = 0.into();
        self.rest.push.next = self.push.val() & self.forward.val() & !self.lossless.val();
        self.silence.next.kind = 0.into();
        self.silence.next.req = false;
        self.silence.next.flow = 0.into();
        self.silence.next.run = 0.into();
        self.silence.next.psn = 0.into();
        self.silence.next.msn = 0.into();
        self.rest.intent.next = self.silence.val();
        self.room[1].next = self.rest.room.val();
        self.held_beats[1].next = self.rest.held_beats.val();
        self.held_descriptors[1].next = self.rest.held_descriptors.val();
        self.head_valid[1].next = self.rest.head_valid.val();
        self.head_frame[1].next = self.rest.head_frame.val();
        self.head_data[1].next = self.rest.head_data.val();
        self.head_bytes[1].next = self.rest.head_bytes.val();
        self.head_first[1].next = self.rest.head_first.val();
        self.head_last[1].next = self.rest.head_last.val();
        self.head_intent[1].next = self.rest.head_intent.val();
        self.head_queue[1].next = self.rest.head_queue.val();
        self.head_total[1].next = self.rest.head_total.val();
        self.rest.head_ready.next = self.head_ready[1].val();
        self.lost[1].next = self.rest.lost.val();
        self.port.write_want[1].next = self.rest.write_want.val();
        self.port.write_beats[1].next = self.rest.write_beats.val();
        self.port.write_address[1].next = self.rest.write_address.val();
        self.port.word_valid[1].next = self.rest.word_valid.val();
        self.port.word[1].next = self.rest.word.val();
        self.port.done_stop[1].next = self.rest.done_stop.val();
        self.port.read_want[1].next = self.rest.read_want.val();
        self.port.read_beats[1].next = self.rest.read_beats.val();
        self.port.read_address[1].next = self.rest.read_address.val();
        self.port.read_slot[1].next = self.rest.read_slot.val();
        self.rest.write_take.next = self.port.write_take[1].val();
        self.rest.word_pop.next = self.port.word_pop[1].val();
        self.rest.done_valid.next = self.port.done_valid[1].val();
        self.rest.read_take.next = self.port.read_take[1].val();
        self.rest.came_valid.next = self.port.came_valid[1].val();
        self.rest.done_beats.next = self.port.done_beats.val();
        self.rest.done_error.next = self.port.done_error.val();
        self.rest.came_slot.next = self.port.came_slot.val();
        self.rest.came_data.next = self.port.came_data.val();
        self.rest.came_error.next = self.port.came_error.val();

        self.empty.next = self.roce.empty.val() & self.rest.empty.val();
        self.port.clk.next = self.clk.val();
        self.port.rst.next = self.rst.val();
        self.m_axi_awid.next = self.port.m_axi_awid.val();
        self.m_axi_awaddr.next = self.port.m_axi_awaddr.val();
        self.m_axi_awlen.next = self.port.m_axi_awlen.val();
        self.m_axi_awvalid.next = self.port.m_axi_awvalid.val();
        self.m_axi_wdata.next = self.port.m_axi_wdata.val();
        self.m_axi_wlast.next = self.port.m_axi_wlast.val();
        self.m_axi_wvalid.next = self.port.m_axi_wvalid.val();
        self.m_axi_bready.next = self.port.m_axi_bready.val();
        self.m_axi_arid.next = self.port.m_axi_arid.val();
        self.m_axi_araddr.next = self.port.m_axi_araddr.val();
        self.m_axi_arlen.next = self.port.m_axi_arlen.val();
        self.m_axi_arvalid.next = self.port.m_axi_arvalid.val();
        self.port.m_axi_awready.next = self.m_axi_awready.val();
        self.port.m_axi_wready.next = self.m_axi_wready.val();
        self.port.m_axi_bresp.next = self.m_axi_bresp.val();
        self.port.m_axi_bvalid.next = self.m_axi_bvalid.val();
        self.port.m_axi_arready.next = self.m_axi_arready.val();
        self.port.m_axi_rid.next = self.m_axi_rid.val();
        self.port.m_axi_rdata.next = self.m_axi_rdata.val();
        self.port.m_axi_rresp.next = self.m_axi_rresp.val();
        self.port.m_axi_rvalid.next = self.m_axi_rvalid.val();
        // 64 bytes a beat, one after another, whole
        self.m_axi_awsize.next = 6.into();
        self.m_axi_awburst.next = 1.into();
        self.m_axi_arsize.next = 6.into();
        self.m_axi_arburst.next = 1.into();
        self.m_axi_wstrb.next = self.all.val();
        self.m_axi_rready.next = true;
    }
}
