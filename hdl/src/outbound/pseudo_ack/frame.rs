//! The frame: the flow's template with PSN, AETH and ICRC replaced, or made a congestion notification.
//!
//! In: `fire` with the template and what to say, at most in every second cycle.
//! Out: beats, from a queue; `left` when the last beat of a frame has gone.
//! The caller keeps at most [`FRAMES`] frames between `fire` and `left`, so the queue never overflows.
//!
//! | cycle | what |
//! | --- | --- |
//! | 1 to 3 | [`Seal`]: PSN and AETH go in |
//! | 4, 5 | CRC |
//! | 6 | the ICRC (and a notification's IPv4 checksum) goes in; the packet goes back behind its Ethernet header |
//! | 7, 8 | one or two beats into the queue |

use super::mould::{ETH_BITS, TAG_BITS, V4_BYTES, V4_CNP_BYTES, V6_BYTES, V6_CNP_BYTES};
use super::seal::{Parts, Seal};
use crate::prim::{CrcAdvance, CrcData, Delay, Fifo, Lit, Unpack};
use matchrdma_spec::hash::POLY_IEEE;
use matchrdma_spec::params::BEAT_BYTES;
use matchrdma_spec::wire::{eth, icrc, ipv4};
use rust_hdl::prelude::*;

/// Frames that may be under way at once, as log2.
pub const FRAMES_LOG2: usize = 4;

const V4_FRAME: u64 = (eth::BYTES + V4_BYTES + icrc::BYTES) as u64;
const V6_FRAME: u64 = (eth::BYTES + V6_BYTES + icrc::BYTES) as u64;
const V4_CNP_FRAME: u64 = (eth::BYTES + V4_CNP_BYTES + icrc::BYTES) as u64;
const V6_CNP_FRAME: u64 = (eth::BYTES + V6_CNP_BYTES + icrc::BYTES) as u64;
/// Zeros of an IPv6 notification beyond the beat that goes through the CRC.
const V6_CNP_REST: usize = 8 * (V6_CNP_BYTES - BEAT_BYTES);
const PARTS_BITS: usize = 693;
const BEAT_BITS: usize = 523;
/// The longest frame: an IPv6 notification with two tags.
const FRAME_BITS: usize = 816;

/// One beat of a frame.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Beat {
    pub data: Bits<512>,
    pub bytes: Bits<7>,
    pub first: Bit,
    pub last: Bit,
    pub nak: Bit,
    pub cnp: Bit,
}

/// Template in, beats out.
#[derive(LogicBlock, Default)]
pub struct AckFrame {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub fire: Signal<In, Bit>,
    pub template: Signal<In, Bits<723>>,
    pub nak: Signal<In, Bit>,
    pub cnp: Signal<In, Bit>,
    pub syndrome: Signal<In, Bits<8>>,
    pub dscp: Signal<In, Bits<6>>,
    pub pcp: Signal<In, Bits<3>>,
    pub psn: Signal<In, Bits<24>>,
    pub msn: Signal<In, Bits<24>>,
    pub ack_valid: Signal<Out, Bit>,
    pub ack: Signal<Out, Beat>,
    pub ack_ready: Signal<In, Bit>,
    pub left: Signal<Out, Bit>,

    skip0: Lit<10, ETH_BITS>,
    skip1: Lit<10, { ETH_BITS + TAG_BITS }>,
    skip2: Lit<10, { ETH_BITS + 2 * TAG_BITS }>,
    end4: Lit<10, { 8 * V4_BYTES as u64 }>,
    end6: Lit<10, { 8 * V6_BYTES as u64 }>,
    end4_cnp: Lit<10, { 8 * V4_CNP_BYTES as u64 }>,
    end6_cnp: Lit<10, { 8 * V6_CNP_BYTES as u64 }>,
    sum_at: Lit<10, { 8 * ipv4::CHECKSUM.first_byte() as u64 }>,
    bytes4: Lit<7, V4_FRAME>,
    bytes6: Lit<7, V6_FRAME>,
    bytes4_cnp: Lit<7, V4_CNP_FRAME>,
    bytes6_cnp: Lit<7, V6_CNP_FRAME>,
    beat_bytes: Lit<7, { BEAT_BYTES as u64 }>,

    seal: Seal,
    crc: CrcData<512, POLY_IEEE, 2>,
    rest: CrcAdvance<POLY_IEEE, V6_CNP_REST>,
    beside: Delay<PARTS_BITS, 2, 2>,
    parts: Unpack<PARTS_BITS, Parts>,
    valid4: DFF<Bit>,
    valid5: DFF<Bit>,
    icrc: Signal<Local, Bits<32>>,
    icrc6: Signal<Local, Bits<32>>,
    body: Signal<Local, Bits<FRAME_BITS>>,
    packet: Signal<Local, Bits<FRAME_BITS>>,
    placed: Signal<Local, Bits<FRAME_BITS>>,
    tag_bytes: Signal<Local, Bits<7>>,
    fresh: DFF<Bit>,
    frame: DFF<Bits<FRAME_BITS>>,
    bytes: DFF<Bits<7>>,
    is_nak: DFF<Bit>,
    is_cnp: DFF<Bit>,
    two: Signal<Local, Bit>,
    second: DFF<Bit>,
    beat: Signal<Local, Beat>,
    queue: Fifo<BEAT_BITS, { FRAMES_LOG2 + 1 }>,
    head: Unpack<BEAT_BITS, Beat>,
}

impl Logic for AckFrame {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, valid4, valid5, fresh, frame, bytes, is_nak, is_cnp, second);
        self.seal.clk.next = self.clk.val();
        self.seal.rst.next = self.rst.val();
        self.seal.fire.next = self.fire.val();
        self.seal.template.next = self.template.val();
        self.seal.nak.next = self.nak.val();
        self.seal.cnp.next = self.cnp.val();
        self.seal.syndrome.next = self.syndrome.val();
        self.seal.dscp.next = self.dscp.val();
        self.seal.pcp.next = self.pcp.val();
        self.seal.psn.next = self.psn.val();
        self.seal.msn.next = self.msn.val();

        self.crc.clk.next = self.clk.val();
        self.crc.din.next = self.seal.covered.val();
        self.beside.clk.next = self.clk.val();
        self.beside.rst.next = self.rst.val();
        self.beside.din.next = self.seal.parts.val().into();
        self.parts.din.next = self.beside.dout.val();
        self.valid4.d.next = self.seal.valid.val();
        self.valid5.d.next = self.valid4.q.val();

        // the ICRC is little-endian: its lowest byte comes first
        self.icrc.next = !self.crc.dout.val();
        self.rest.din.next = self.crc.dout.val();
        self.icrc6.next = !self.rest.dout.val();
        self.body.next = bit_cast::<FRAME_BITS, 512>(self.parts.dout.val().packet);
        self.packet.next = self.body.val() | (bit_cast::<FRAME_BITS, 32>(self.icrc.val()) << self.end4.val());
        if self.parts.dout.val().v6 {
            self.packet.next = self.body.val() | (bit_cast::<FRAME_BITS, 32>(self.icrc.val()) << self.end6.val());
            if self.parts.dout.val().cnp {
                self.packet.next =
                    self.body.val() | (bit_cast::<FRAME_BITS, 32>(self.icrc6.val()) << self.end6_cnp.val());
            }
        } else if self.parts.dout.val().cnp {
            self.packet.next = self.body.val()
                | (bit_cast::<FRAME_BITS, 32>(self.icrc.val()) << self.end4_cnp.val())
                | (bit_cast::<FRAME_BITS, 16>(self.seal.sum.val()) << self.sum_at.val());
        }
        self.placed.next = self.packet.val() << self.skip2.val();
        if self.parts.dout.val().vlans == 0 {
            self.placed.next = self.packet.val() << self.skip0.val();
        } else if self.parts.dout.val().vlans == 1 {
            self.placed.next = self.packet.val() << self.skip1.val();
        }
        self.tag_bytes.next = bit_cast::<7, 2>(self.parts.dout.val().vlans) << 2;
        self.fresh.d.next = self.valid5.q.val();
        if self.valid5.q.val() {
            self.frame.d.next = self.placed.val() | bit_cast::<FRAME_BITS, 176>(self.parts.dout.val().eth);
            self.is_nak.d.next = self.parts.dout.val().nak;
            self.is_cnp.d.next = self.parts.dout.val().cnp;
            if self.parts.dout.val().v6 {
                self.bytes.d.next = self.tag_bytes.val() + self.bytes6.val();
                if self.parts.dout.val().cnp {
                    self.bytes.d.next = self.tag_bytes.val() + self.bytes6_cnp.val();
                }
            } else if self.parts.dout.val().cnp {
                self.bytes.d.next = self.tag_bytes.val() + self.bytes4_cnp.val();
            } else {
                self.bytes.d.next = self.tag_bytes.val() + self.bytes4.val();
            }
        }

        // the frame stays for a second beat: the next one is at least two cycles behind
        self.two.next = self.bytes.q.val() > self.beat_bytes.val();
        self.second.d.next = self.fresh.q.val() & self.two.val();
        self.beat.next.nak = self.is_nak.q.val();
        self.beat.next.cnp = self.is_cnp.q.val();
        self.beat.next.data = self.frame.q.val().get_bits::<512>(0);
        self.beat.next.bytes = self.bytes.q.val();
        self.beat.next.first = true;
        self.beat.next.last = !self.two.val();
        if self.second.q.val() {
            self.beat.next.data = bit_cast::<512, FRAME_BITS>(self.frame.q.val() >> 512);
            self.beat.next.bytes = self.bytes.q.val() - self.beat_bytes.val();
            self.beat.next.first = false;
            self.beat.next.last = true;
        } else if self.two.val() {
            self.beat.next.bytes = self.beat_bytes.val();
        }
        self.queue.clk.next = self.clk.val();
        self.queue.rst.next = self.rst.val();
        self.queue.wr.next = self.fresh.q.val() | self.second.q.val();
        self.queue.din.next = self.beat.val().into();
        self.queue.rd.next = self.ack_ready.val();
        self.head.din.next = self.queue.dout.val();
        self.ack.next = self.head.dout.val();
        self.ack_valid.next = !self.queue.empty.val();
        self.left.next = !self.queue.empty.val() & self.head.dout.val().last & self.ack_ready.val();
        if self.rst.val() {
            self.valid4.d.next = false;
            self.valid5.d.next = false;
            self.fresh.d.next = false;
            self.second.d.next = false;
        }
    }
}
