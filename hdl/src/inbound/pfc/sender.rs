//! What we ask of the client: XOFF while the gateway holds too much, and XON when it no longer does.
//!
//! In: `over`. Out: a frame, one beat of 60 bytes, which stays until it is taken.
//! XOFF is sent again when half of the time that the last one asked for is over.

use super::timer::Timer;
use crate::prim::{Lit, Swap};
use matchrdma_spec::wire::{eth, pfc};
use rust_hdl::prelude::*;

/// Bits of a frame.
const BITS: usize = 8 * pfc::BYTES;
/// What is in every frame, in network order, from the EtherType to the end of the opcode.
const KIND: u64 = (eth::TYPE_MAC_CONTROL as u64) << 16 | pfc::OPCODE_PFC as u64;

/// The lossless class, off or on.
#[derive(LogicBlock, Default)]
pub struct Sender {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub pcp: Signal<In, Bits<3>>,
    pub step: Signal<In, Bits<16>>,
    pub quanta: Signal<In, Bits<16>>,
    pub source: Signal<In, Bits<48>>,
    pub over: Signal<In, Bit>,
    pub pfc_valid: Signal<Out, Bit>,
    pub pfc_data: Signal<Out, Bits<512>>,
    pub pfc_ready: Signal<In, Bit>,
    pub xoff: Signal<Out, Bit>,
    pub xon: Signal<Out, Bit>,

    dst: Lit<48, { pfc::MAC_CONTROL_DST }>,
    kind: Lit<32, KIND>,
    dst_at: Lit<16, { pfc::DST.network_lsb(BITS) as u64 }>,
    src_at: Lit<16, { pfc::SRC.network_lsb(BITS) as u64 }>,
    kind_at: Lit<16, { pfc::OPCODE.network_lsb(BITS) as u64 }>,
    enable_at: Lit<16, { pfc::ENABLE.network_lsb(BITS) as u64 }>,
    times_at: Lit<16, { pfc::TIME7.network_lsb(BITS) as u64 }>,

    /// The client was told to stop, and not yet to go on.
    off: DFF<Bit>,
    timer: Timer,
    is_over: DFF<Bit>,
    /// A frame is on offer; it says XOFF.
    full: DFF<Bit>,
    stops: DFF<Bit>,
    half: Signal<Local, Bits<16>>,
    says_off: Signal<Local, Bit>,
    says_on: Signal<Local, Bit>,
    mine: Signal<Local, Bits<8>>,
    pause: Signal<Local, Bits<16>>,
    far: Signal<Local, Bits<8>>,
    times: Signal<Local, Bits<128>>,
    times_now: Signal<Local, Bits<128>>,
    frame: Signal<Local, Bits<BITS>>,
    swap: Swap<BITS>,
}

impl Logic for Sender {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, off, is_over, full, stops);
        self.is_over.d.next = self.over.val();
        self.timer.clk.next = self.clk.val();
        self.timer.rst.next = self.rst.val();
        self.timer.step.next = self.step.val();
        self.half.next = self.quanta.val() >> 1;
        self.timer.quanta.next = self.half.val();
        self.xoff.next = self.full.q.val() & self.stops.q.val() & self.pfc_ready.val();
        self.xon.next = self.full.q.val() & !self.stops.q.val() & self.pfc_ready.val();
        self.timer.load.next = self.xoff.val();
        self.says_off.next = self.is_over.q.val() & (!self.off.q.val() | !self.timer.runs.val());
        self.says_on.next = !self.is_over.q.val() & self.off.q.val();
        if self.full.q.val() {
            if self.pfc_ready.val() {
                self.full.d.next = false;
                self.off.d.next = self.stops.q.val();
            }
        } else {
            self.full.d.next = self.says_off.val() | self.says_on.val();
            self.stops.d.next = self.says_off.val();
        }
        self.pfc_valid.next = self.full.q.val();

        self.mine.next = bits::<8>(1) << self.pcp.val();
        self.pause.next = 0.into();
        if self.stops.q.val() {
            self.pause.next = self.quanta.val();
        }
        // class 0 comes first, on top
        self.far.next = bit_cast::<8, 3>(self.pcp.val()) << 4;
        self.times.next = bit_cast::<128, 16>(self.pause.val()) << 112;
        self.times_now.next = self.times.val() >> self.far.val();
        self.frame.next = (bit_cast::<BITS, 48>(self.dst.val()) << self.dst_at.val())
            | (bit_cast::<BITS, 48>(self.source.val()) << self.src_at.val())
            | (bit_cast::<BITS, 32>(self.kind.val()) << self.kind_at.val())
            | (bit_cast::<BITS, 8>(self.mine.val()) << self.enable_at.val())
            | (bit_cast::<BITS, 128>(self.times_now.val()) << self.times_at.val());
        self.swap.din.next = self.frame.val();
        self.pfc_data.next = bit_cast::<512, BITS>(self.swap.dout.val());
        if self.rst.val() {
            self.off.d.next = false;
            self.is_over.d.next = false;
            self.full.d.next = false;
        }
    }
}
