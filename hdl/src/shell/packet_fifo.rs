//! Towards a MAC: **packet_fifo** holds a frame until all of it is here, so that none pauses once it has begun.
//!
//! In: a stream. Out: the same frames without a pause inside, and `size`, the bytes of the frame that is offered, from its
//! first beat to its last. A frame of n beats waits n cycles; a beat per cycle for ever.
//! Model: none. Tests: `tests/shell/packet_fifo.rs`. Registers: none.

use crate::prim::{ones, AxisM, AxisS, Fifo, Lit, XorNet};
use matchrdma_spec::params::MAX_FRAME_BEATS;
use rust_hdl::prelude::*;

/// Room for 512 beats: three of the longest frames.
const DEPTH_LOG2: usize = 9;
const _: () = assert!(MAX_FRAME_BEATS < 1 << DEPTH_LOG2, "a frame that does not fit would never leave");

/// The queue of beats, and beside it one of the sizes of whole frames.
#[derive(LogicBlock)]
pub struct PacketFifo {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub s_axis: AxisS<512, 64, 1>,
    pub m_axis: AxisM<512, 64, 1>,
    /// Bytes of the frame on `m_axis`.
    pub size: Signal<Out, Bits<16>>,
    beats: Fifo<578, DEPTH_LOG2>,
    sizes: Fifo<16, DEPTH_LOG2>,
    data_bits: Lit<10, 512>,
    keep_bits: Lit<10, 576>,
    last_bits: Lit<10, 577>,
    above: Signal<Local, Bits<64>>,
    top: Signal<Local, Bits<64>>,
    length: XorNet<64, 7>,
    bytes: DFF<Bits<16>>,
    so_far: Signal<Local, Bits<16>>,
    ends: Signal<Local, Bits<1>>,
    taken: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    user: Signal<Local, Bits<1>>,
}

impl Default for PacketFifo {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            s_axis: Default::default(),
            m_axis: Default::default(),
            size: Default::default(),
            beats: Default::default(),
            sizes: Default::default(),
            data_bits: Default::default(),
            keep_bits: Default::default(),
            last_bits: Default::default(),
            above: Default::default(),
            top: Default::default(),
            length: XorNet::new(|byte| ones(byte as u64 + 1, 0)),
            bytes: Default::default(),
            so_far: Default::default(),
            ends: Default::default(),
            taken: Default::default(),
            last: Default::default(),
            goes: Default::default(),
            user: Default::default(),
        }
    }
}

impl Logic for PacketFifo {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, bytes);
        self.beats.clk.next = self.clk.val();
        self.beats.rst.next = self.rst.val();
        self.sizes.clk.next = self.clk.val();
        self.sizes.rst.next = self.rst.val();

        // In: the beat as it is; with the last one the size.
        self.s_axis.tready.next = !self.beats.full.val();
        self.taken.next = self.s_axis.tvalid.val() & !self.beats.full.val();
        self.beats.wr.next = self.taken.val();
        self.ends.next = 0.into();
        if self.s_axis.tlast.val() {
            self.ends.next = 1.into();
        }
        self.beats.din.next = bit_cast::<578, 512>(self.s_axis.tdata.val())
            | (bit_cast::<578, 64>(self.s_axis.tkeep.val()) << self.data_bits.val())
            | (bit_cast::<578, 1>(self.s_axis.tuser.val()) << self.keep_bits.val())
            | (bit_cast::<578, 1>(self.ends.val()) << self.last_bits.val());
        self.above.next = self.s_axis.tkeep.val() >> 1;
        self.top.next = self.s_axis.tkeep.val() & !self.above.val();
        self.length.din.next = self.top.val();
        self.so_far.next = self.bytes.q.val() + bit_cast::<16, 7>(self.length.dout.val());
        self.sizes.wr.next = self.taken.val() & self.s_axis.tlast.val();
        self.sizes.din.next = self.so_far.val();
        if self.taken.val() {
            self.bytes.d.next = self.so_far.val();
            if self.s_axis.tlast.val() {
                self.bytes.d.next = 0.into();
            }
        }

        // Out: while there is the size of a frame, all of it is here.
        self.last.next = self.beats.dout.val().get_bit(577);
        self.goes.next = !self.sizes.empty.val() & self.m_axis.tready.val();
        self.beats.rd.next = self.goes.val();
        self.sizes.rd.next = self.goes.val() & self.last.val();
        self.m_axis.tvalid.next = !self.sizes.empty.val();
        self.m_axis.tdata.next = self.beats.dout.val().get_bits::<512>(0);
        self.m_axis.tkeep.next = self.beats.dout.val().get_bits::<64>(512);
        self.user.next = self.beats.dout.val().get_bits::<1>(576);
        self.m_axis.tuser.next = self.user.val();
        self.m_axis.tlast.next = self.last.val();
        self.size.next = self.sizes.dout.val();

        if self.rst.val() {
            self.bytes.d.next = 0.into();
        }
    }
}
