//! Beside host 2: **upcall**. What a direction tells the host of frames that belong to no flow.
//!
//! In: the op at `JUDGE` (`op_valid, roce, good, err, hit, judged`); the frame two cycles later (`waited`), with `qp1`: it is
//! a datagram for queue pair 1; what is wanted (`digests`, `frames`, `v6`, `src`, `dst`); `now`; `take`.
//! Out: the oldest entry (`valid, entry, stamp, digest, first, last, bytes`), `count`, `lost` (a pulse).
//! A digest is written in the cycle of its own frame's last beat, which is no datagram's, so one entry per cycle is enough.
//! An entry is refused when fewer than eight places are free; of a datagram the first eight beats are taken, or none.
//! Model: `spec::upcall` says what a digest holds. Tests: `tests/host/upcall.rs`. Registers: `UPCALL`.

use super::HostQueue;
use crate::outbound::opcode_class::OpcodeClass;
use crate::prim::Lit;
use crate::record::{Beat, Meta};
use matchrdma_spec::upcall::lsb;
use rust_hdl::prelude::*;

/// Width of an entry with what stands beside it: 64 bytes, time, bytes, digest, first, last.
const WIDTH: usize = 512 + 48 + 7 + 3;

/// One direction.
#[derive(LogicBlock)]
pub struct Upcall {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub op_valid: Signal<In, Bit>,
    pub roce: Signal<In, Bit>,
    pub good: Signal<In, Bit>,
    pub err: Signal<In, Bit>,
    pub hit: Signal<In, Bit>,
    pub judged: Signal<In, Meta>,
    pub waited: Signal<In, Beat>,
    pub qp1: Signal<In, Bit>,
    pub digests: Signal<In, Bit>,
    pub frames: Signal<In, Bit>,
    pub v6: Signal<In, Bit>,
    pub src: Signal<In, Bits<128>>,
    pub dst: Signal<In, Bits<128>>,
    pub now: Signal<In, Bits<48>>,
    pub take: Signal<In, Bit>,
    pub valid: Signal<Out, Bit>,
    pub entry: Signal<Out, Bits<512>>,
    pub stamp: Signal<Out, Bits<48>>,
    pub digest: Signal<Out, Bit>,
    pub first: Signal<Out, Bit>,
    pub last: Signal<Out, Bit>,
    pub bytes: Signal<Out, Bits<7>>,
    pub count: Signal<Out, Bits<16>>,
    pub lost: Signal<Out, Bit>,
    opcode_class: OpcodeClass,
    queue: HostQueue<WIDTH, 9>,
    // Of the op, a cycle later.
    unknown1: DFF<Bit>,
    asks1: DFF<Bit>,
    is_ack1: DFF<Bit>,
    same_src1: DFF<Bit>,
    same_dst1: DFF<Bit>,
    judged1: DFF<Meta>,
    // Two cycles later, beside the last beat.
    told2: DFF<Bit>,
    digest2: DFF<Bits<512>>,
    /// Beats taken of the datagram that passes; 8: no more.
    beats: DFF<Bits<4>>,
    taking: DFF<Bit>,
    refused: DFF<Bit>,
    m: Signal<Local, Meta>,
    m1: Signal<Local, Meta>,
    b: Signal<Local, Beat>,
    syndrome: Signal<Local, Bits<8>>,
    begins: Signal<Local, Bit>,
    goes_on: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    held: Signal<Local, Bits<WIDTH>>,
    at_dst: Lit<16, { lsb::DST_IP as u64 }>,
    at_vlan: Lit<16, { lsb::VLAN as u64 }>,
    at_opcode: Lit<16, { lsb::OPCODE as u64 }>,
    at_qpn: Lit<16, { lsb::DEST_QPN as u64 }>,
    at_syndrome: Lit<16, { lsb::SYNDROME as u64 }>,
    at_psn: Lit<16, { lsb::PSN as u64 }>,
    at_v6: Lit<16, { lsb::V6 as u64 }>,
    at_msn: Lit<16, { lsb::MSN as u64 }>,
}

impl Default for Upcall {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            op_valid: Default::default(),
            roce: Default::default(),
            good: Default::default(),
            err: Default::default(),
            hit: Default::default(),
            judged: Default::default(),
            waited: Default::default(),
            qp1: Default::default(),
            digests: Default::default(),
            frames: Default::default(),
            v6: Default::default(),
            src: Default::default(),
            dst: Default::default(),
            now: Default::default(),
            take: Default::default(),
            valid: Default::default(),
            entry: Default::default(),
            stamp: Default::default(),
            digest: Default::default(),
            first: Default::default(),
            last: Default::default(),
            bytes: Default::default(),
            count: Default::default(),
            lost: Default::default(),
            opcode_class: Default::default(),
            queue: HostQueue::new(matchrdma_spec::regs::upcall::FRAME_ENTRIES),
            unknown1: Default::default(),
            asks1: Default::default(),
            is_ack1: Default::default(),
            same_src1: Default::default(),
            same_dst1: Default::default(),
            judged1: Default::default(),
            told2: Default::default(),
            digest2: Default::default(),
            beats: Default::default(),
            taking: Default::default(),
            refused: Default::default(),
            m: Default::default(),
            m1: Default::default(),
            b: Default::default(),
            syndrome: Default::default(),
            begins: Default::default(),
            goes_on: Default::default(),
            ends: Default::default(),
            held: Default::default(),
            at_dst: Default::default(),
            at_vlan: Default::default(),
            at_opcode: Default::default(),
            at_qpn: Default::default(),
            at_syndrome: Default::default(),
            at_psn: Default::default(),
            at_v6: Default::default(),
            at_msn: Default::default(),
        }
    }
}

impl Logic for Upcall {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, unknown1, asks1, is_ack1, same_src1, same_dst1, judged1, told2, digest2);
        dff_setup!(self, clk, beats, taking, refused);
        self.queue.clk.next = self.clk.val();
        self.queue.rst.next = self.rst.val();

        // The op: a request that asks, or a positive ACK, of no flow, between the two addresses.
        self.m.next = self.judged.val();
        self.syndrome.next = self.m.val().syndrome;
        self.opcode_class.opcode.next = self.m.val().opcode;
        self.unknown1.d.next = self.op_valid.val()
            & self.digests.val()
            & self.roce.val()
            & self.good.val()
            & !self.err.val()
            & !self.hit.val()
            & (self.m.val().v6 == self.v6.val());
        self.asks1.d.next = self.opcode_class.rc.val()
            & self.opcode_class.known.val()
            & !self.opcode_class.response.val()
            & self.m.val().ack_req;
        self.is_ack1.d.next =
            self.opcode_class.rc.val() & self.opcode_class.ack.val() & !self.syndrome.val().get_bits::<3>(5).any();
        self.same_src1.d.next = self.m.val().src_ip == self.src.val();
        self.same_dst1.d.next = self.m.val().dst_ip == self.dst.val();
        self.judged1.d.next = self.m.val();
        self.m1.next = self.judged1.q.val();
        self.told2.d.next = self.unknown1.q.val()
            & (self.asks1.q.val() | self.is_ack1.q.val())
            & self.same_src1.q.val()
            & self.same_dst1.q.val();
        self.digest2.d.next = bit_cast::<512, 128>(self.m1.val().src_ip)
            | (bit_cast::<512, 128>(self.m1.val().dst_ip) << self.at_dst.val())
            | (bit_cast::<512, 24>(self.m1.val().vlan) << self.at_vlan.val())
            | (bit_cast::<512, 8>(self.m1.val().opcode) << self.at_opcode.val())
            | (bit_cast::<512, 24>(self.m1.val().dest_qpn) << self.at_qpn.val())
            | (bit_cast::<512, 8>(self.m1.val().syndrome) << self.at_syndrome.val())
            | (bit_cast::<512, 24>(self.m1.val().psn) << self.at_psn.val())
            | (bit_cast::<512, 1>(self.m1.val().v6.into()) << self.at_v6.val())
            | (bit_cast::<512, 24>(self.m1.val().msn) << self.at_msn.val());

        // A datagram: from its first beat on, if all that may come fits.
        self.b.next = self.waited.val();
        self.begins.next = self.b.val().valid & self.b.val().first & self.qp1.val() & self.frames.val();
        self.goes_on.next = self.b.val().valid & !self.b.val().first & self.taking.q.val();
        self.ends.next = self.b.val().last | (self.goes_on.val() & (self.beats.q.val() == 7));
        self.queue.wr.next = false;
        self.queue.din.next = bits::<570>(0);
        self.refused.d.next = false;
        if self.told2.q.val() {
            self.queue.wr.next = !self.queue.almost_full.val();
            self.refused.d.next = self.queue.almost_full.val();
            self.queue.din.next = bit_cast::<570, 512>(self.digest2.q.val())
                | (bit_cast::<570, 48>(self.now.val()) << 512)
                | (bit_cast::<570, 7>(bits::<7>(64)) << 560)
                | (bit_cast::<570, 3>(bits::<3>(7)) << 567);
        } else {
            self.queue.wr.next = (self.begins.val() & !self.queue.almost_full.val()) | self.goes_on.val();
            self.queue.din.next = bit_cast::<570, 512>(self.b.val().data)
                | (bit_cast::<570, 48>(self.now.val()) << 512)
                | (bit_cast::<570, 7>(self.b.val().bytes) << 560)
                | (bit_cast::<570, 1>(self.begins.val().into()) << 568)
                | (bit_cast::<570, 1>(self.ends.val().into()) << 569);
            self.refused.d.next = self.begins.val() & self.queue.almost_full.val();
        }
        if self.begins.val() {
            self.beats.d.next = bits::<4>(1);
            self.taking.d.next = !self.queue.almost_full.val() & !self.b.val().last;
        } else if self.goes_on.val() {
            self.beats.d.next = self.beats.q.val() + 1;
            if self.ends.val() {
                self.taking.d.next = false;
            }
        } else if self.b.val().valid & self.b.val().first {
            self.taking.d.next = false;
        }
        self.lost.next = self.refused.q.val();

        self.queue.rd.next = self.take.val();
        self.held.next = self.queue.dout.val();
        self.valid.next = !self.queue.empty.val();
        self.entry.next = self.held.val().get_bits::<512>(0);
        self.stamp.next = self.held.val().get_bits::<48>(512);
        self.bytes.next = self.held.val().get_bits::<7>(560);
        self.digest.next = self.held.val().get_bit(567);
        self.first.next = self.held.val().get_bit(568);
        self.last.next = self.held.val().get_bit(569);
        self.count.next = self.queue.count.val();
        if self.rst.val() {
            self.unknown1.d.next = false;
            self.told2.d.next = false;
            self.taking.d.next = false;
            self.refused.d.next = false;
        }
    }
}
