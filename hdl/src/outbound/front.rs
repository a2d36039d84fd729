//! Beside the rail: **front**. What both directions do with a frame before it is judged: from a receive port, to
//! [track](super::track) or `ack_filter`, and to packet memory.
//!
//! In: a stream that is never held up; the host's rows and routes. Out at `JUDGE`: the op (what [icrc](super::icrc),
//! [flow](super::flow) and [route](super::route) found, `meta` of that frame); a cycle later its `header`; two cycles later
//! the frame itself, so that its last beat meets the verdict, and its queue, the same at all its beats.
//! Latency: from a last beat in, 18 cycles to the op and 20 to that beat.
//! Model: `model/src/gateway.rs`. Tests: `tests/outbound/front.rs`, `tests/gateway/`. Registers: those of its parts.

use super::ecn::Ecn;
use super::flow::Flow;
use super::icrc::Icrc;
use super::parse::Parse;
use super::route::Route;
use crate::prim::{Delay, Lit, Unpack};
use crate::record::{Beat, Meta};
use matchrdma_spec::wire::{mad, opcode};
use rust_hdl::prelude::*;

const META_BITS: usize = <Meta as Synth>::BITS;
const BEAT_BITS: usize = <Beat as Synth>::BITS;

/// Parse, icrc and flow, and the delays that line them up.
#[derive(LogicBlock, Default)]
pub struct Front {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub s_axis_tdata: Signal<In, Bits<512>>,
    pub s_axis_tkeep: Signal<In, Bits<64>>,
    pub s_axis_tuser: Signal<In, Bits<1>>,
    pub s_axis_tlast: Signal<In, Bit>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub row_we: Signal<In, Bit>,
    pub row_bank: Signal<In, Bits<2>>,
    pub row_addr: Signal<In, Bits<11>>,
    pub row_data: Signal<In, Bits<318>>,
    /// Routes lead by the source, not by the destination.
    pub by_source: Signal<In, Bit>,
    /// The table in force.
    pub route_bank: Signal<In, Bit>,
    /// There is a table of routes; else nothing leads to a path.
    pub route_set: Signal<In, Bit>,
    pub route_we: Signal<In, Bit>,
    pub route_we_bank: Signal<In, Bit>,
    pub route_addr: Signal<In, Bits<7>>,
    pub route_data: Signal<In, Bits<134>>,
    /// Paths whose frames lose their ECN.
    pub clear_ecn: Signal<In, Bits<16>>,
    // The op.
    pub check_valid: Signal<Out, Bit>,
    pub roce: Signal<Out, Bit>,
    pub good: Signal<Out, Bit>,
    pub bytes: Signal<Out, Bits<14>>,
    pub err: Signal<Out, Bit>,
    pub cut: Signal<Out, Bit>,
    pub hit: Signal<Out, Bit>,
    pub index: Signal<Out, Bits<12>>,
    pub judged: Signal<Out, Meta>,
    /// A cycle later: the frame's first 90 bytes, zero beyond its end.
    pub header: Signal<Out, Bits<720>>,
    pub judge_queue: Signal<Out, Bits<5>>,
    // The frame.
    pub waited: Signal<Out, Beat>,
    pub beat_queue: Signal<Out, Bits<5>>,
    /// It is a datagram for queue pair 1, as far as its first beats tell.
    pub beat_qp1: Signal<Out, Bit>,
    parse: Parse,
    icrc: Icrc,
    flow: Flow,
    routes: Route,
    meta_wait: Delay<META_BITS, 4, 10>,
    meta: Unpack<META_BITS, Meta>,
    // The header is taken from the frame as it leaves the delay.
    start: DFF<Bits<512>>,
    rest: DFF<Bits<208>>,
    after_first: DFF<Bit>,
    data10: Signal<Local, Bits<512>>,
    rail_wait: Delay<BEAT_BITS, 4, 10>,
    rail: Unpack<BEAT_BITS, Beat>,
    beat10: Signal<Local, Beat>,
    ecn: Ecn,
    first_wait: Delay<1, 4, 10>,
    first: Signal<Local, Bits<1>>,
    queue10: Signal<Local, Bits<5>>,
    kept: DFF<Bits<5>>,
    queue11: DFF<Bits<5>>,
    queue12: DFF<Bits<5>>,
    qp1_wait: Delay<1, 4, 12>,
    m: Signal<Local, Meta>,
    ud: Lit<8, { opcode::UD_SEND_ONLY as u64 }>,
    gsi: Lit<24, { mad::QP_GSI as u64 }>,
    beat: Signal<Local, Beat>,
}

impl Logic for Front {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, kept, queue11, queue12, start, rest, after_first);
        self.parse.clk.next = self.clk.val();
        self.icrc.clk.next = self.clk.val();
        self.flow.clk.next = self.clk.val();
        self.routes.clk.next = self.clk.val();
        self.first_wait.clk.next = self.clk.val();
        self.meta_wait.clk.next = self.clk.val();
        self.rail_wait.clk.next = self.clk.val();
        self.parse.rst.next = self.rst.val();
        self.icrc.rst.next = self.rst.val();
        self.flow.rst.next = self.rst.val();
        self.first_wait.rst.next = self.rst.val();
        self.meta_wait.rst.next = self.rst.val();
        self.rail_wait.rst.next = self.rst.val();

        // s_axis -> parse
        self.parse.s_axis_tdata.next = self.s_axis_tdata.val();
        self.parse.s_axis_tkeep.next = self.s_axis_tkeep.val();
        self.parse.s_axis_tuser.next = self.s_axis_tuser.val();
        self.parse.s_axis_tlast.next = self.s_axis_tlast.val();
        self.parse.s_axis_tvalid.next = self.s_axis_tvalid.val();

        // parse -> icrc
        self.icrc.rail_valid.next = self.parse.rail_valid.val();
        self.icrc.rail_data.next = self.parse.rail_data.val();
        self.icrc.rail_bytes.next = self.parse.rail_bytes.val();
        self.icrc.rail_first.next = self.parse.rail_first.val();
        self.icrc.rail_last.next = self.parse.rail_last.val();
        self.icrc.rail_err.next = self.parse.rail_err.val();
        self.icrc.rail_cut.next = self.parse.rail_cut.val();
        self.icrc.meta.next = self.parse.meta.val();
        self.check_valid.next = self.icrc.check_valid.val();
        self.roce.next = self.icrc.roce.val();
        self.good.next = self.icrc.good.val();
        self.bytes.next = self.icrc.bytes.val();
        self.err.next = self.icrc.err.val();
        self.cut.next = self.icrc.cut.val();

        // parse -> flow
        self.m.next = self.parse.meta.val();
        self.flow.look_valid.next = self.parse.rail_valid.val() & self.parse.rail_last.val();
        self.flow.key_v6.next = self.m.val().v6;
        self.flow.key_vlan.next = self.m.val().vlan;
        self.flow.key_src.next = self.m.val().src_ip;
        self.flow.key_dst.next = self.m.val().dst_ip;
        self.flow.key_qpn.next = self.m.val().dest_qpn;
        self.flow.row_we.next = self.row_we.val();
        self.flow.row_bank.next = self.row_bank.val();
        self.flow.row_addr.next = self.row_addr.val();
        self.flow.row_data.next = self.row_data.val();
        self.hit.next = self.flow.hit.val();
        self.index.next = self.flow.index.val();

        // parse -> route. A frame keeps the queue that its first beat found, whatever tables come while it passes.
        self.routes.ip.next = self.m.val().ip & self.route_set.val();
        self.routes.v6.next = self.m.val().v6;
        self.routes.addr.next = self.m.val().dst_ip;
        if self.by_source.val() {
            self.routes.addr.next = self.m.val().src_ip;
        }
        self.routes.bank.next = self.route_bank.val();
        self.routes.row_we.next = self.route_we.val();
        self.routes.row_bank.next = self.route_we_bank.val();
        self.routes.row_addr.next = self.route_addr.val();
        self.routes.row_data.next = self.route_data.val();
        self.first.next = (self.parse.rail_valid.val() & self.parse.rail_first.val()).into();
        self.first_wait.din.next = self.first.val();
        self.queue10.next = self.kept.q.val();
        if self.first_wait.dout.val().any() {
            self.queue10.next = self.routes.to_queue.val();
        }
        self.kept.d.next = self.queue10.val();
        self.queue11.d.next = self.queue10.val();
        self.queue12.d.next = self.queue11.q.val();
        self.judge_queue.next = self.queue10.val();
        self.beat_queue.next = self.queue12.q.val();

        // What is known at once waits for what is not, and the frame for its verdict.
        self.meta_wait.din.next = self.m.val().into();
        self.meta.din.next = self.meta_wait.dout.val();
        self.judged.next = self.meta.dout.val();
        self.beat.next.data = self.parse.rail_data.val();
        self.beat.next.bytes = self.parse.rail_bytes.val();
        self.beat.next.first = self.parse.rail_first.val();
        self.beat.next.last = self.parse.rail_last.val();
        self.beat.next.valid = self.parse.rail_valid.val();
        self.rail_wait.din.next = self.beat.val().into();
        self.rail.din.next = self.rail_wait.dout.val();
        self.qp1_wait.clk.next = self.clk.val();
        self.qp1_wait.rst.next = self.rst.val();
        self.qp1_wait.din.next = bits::<1>(0);
        if self.m.val().hdr_roce & (self.m.val().opcode == self.ud.val()) & (self.m.val().dest_qpn == self.gsi.val()) {
            self.qp1_wait.din.next = bits::<1>(1);
        }
        self.beat_qp1.next = self.qp1_wait.dout.val().any();
        self.beat10.next = self.rail.dout.val();
        self.beat10.next.valid = self.rail.dout.val().valid & self.rail_wait.settled.val();
        self.data10.next = self.beat10.val().data;
        if self.beat10.val().valid {
            self.after_first.d.next = self.beat10.val().first;
            if self.beat10.val().first {
                self.start.d.next = self.data10.val();
                self.rest.d.next = 0.into();
            } else if self.after_first.q.val() {
                self.rest.d.next = self.data10.val().get_bits::<208>(0);
            }
        }
        self.header.next = bit_cast::<720, 512>(self.start.q.val()) | (bit_cast::<720, 208>(self.rest.q.val()) << 512);
        self.ecn.clk.next = self.clk.val();
        self.ecn.clear.next = self.clear_ecn.val();
        self.ecn.beat_in.next = self.beat10.val();
        self.ecn.queue_in.next = self.queue10.val();
        self.waited.next = self.ecn.beat_out.val();
    }
}
