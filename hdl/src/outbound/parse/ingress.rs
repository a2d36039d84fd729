//! Part of [parse](super): frames that are too long are cut, bytes beyond the end become zero, and every beat waits for
//! the next one of its frame.
//!
//! In: the port at cycle 0. Out: a beat and the start of the next, to be ignored behind a last one; at cycle 2 for a last
//! beat, for another one cycle after the next beat came.

use crate::prim::{ones, Clear, Lit, XorNet};
use matchrdma_spec::params::MAX_FRAME_BEATS;
use rust_hdl::prelude::*;

/// What travels with a beat, beside its data: the rail's bits.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Mark {
    /// A beat is here.
    pub valid: Bit,
    /// First of its frame.
    pub first: Bit,
    /// Last of its frame.
    pub last: Bit,
    /// With `last`: MAC error, or cut.
    pub err: Bit,
    /// With `last`: cut.
    pub cut: Bit,
    /// Valid bytes.
    pub bytes: Bits<7>,
}

/// Registers are numbered by the cycle they are seen in.
#[derive(LogicBlock)]
pub struct Ingress {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub tdata: Signal<In, Bits<512>>,
    pub tkeep: Signal<In, Bits<64>>,
    pub tlast: Signal<In, Bit>,
    pub tvalid: Signal<In, Bit>,
    pub tuser: Signal<In, Bit>,
    pub mark2: Signal<Out, Mark>,
    pub data2: Signal<Out, Bits<512>>,
    pub next2: Signal<Out, Bits<272>>,
    full: Lit<64, { u64::MAX }>,
    final_beat: Lit<8, { MAX_FRAME_BEATS as u64 - 1 }>,
    // The frame so far.
    open: DFF<Bit>,
    swallow: DFF<Bit>,
    count: DFF<Bits<8>>,
    err: DFF<Bit>,
    number: Signal<Local, Bits<8>>,
    too_long: Signal<Local, Bit>,
    err_now: Signal<Local, Bit>,
    keep: Signal<Local, Bits<64>>,
    above: Signal<Local, Bits<64>>,
    top: Signal<Local, Bits<64>>,
    length: XorNet<64, 7>,
    mark1: DFF<Mark>,
    data1: Clear<512, 64>,
    // The beat that waits.
    held: DFF<Mark>,
    held_data: DFF<Bits<512>>,
    leaves: Signal<Local, Bit>,
}

impl Default for Ingress {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            tdata: Default::default(),
            tkeep: Default::default(),
            tlast: Default::default(),
            tvalid: Default::default(),
            tuser: Default::default(),
            mark2: Default::default(),
            data2: Default::default(),
            next2: Default::default(),
            full: Default::default(),
            final_beat: Default::default(),
            open: Default::default(),
            swallow: Default::default(),
            count: Default::default(),
            err: Default::default(),
            number: Default::default(),
            too_long: Default::default(),
            err_now: Default::default(),
            keep: Default::default(),
            above: Default::default(),
            top: Default::default(),
            length: XorNet::new(|byte| ones(byte as u64 + 1, 0)),
            mark1: Default::default(),
            data1: Default::default(),
            held: Default::default(),
            held_data: Default::default(),
            leaves: Default::default(),
        }
    }
}

impl Logic for Ingress {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, open, swallow, count, err, mark1, held, held_data);
        self.data1.clk.next = self.clk.val();

        // Cycle 0: where in its frame is this beat?
        self.number.next = 0.into();
        self.err_now.next = self.tuser.val();
        if self.open.q.val() {
            self.number.next = self.count.q.val();
            self.err_now.next = self.tuser.val() | self.err.q.val();
        }
        // No MAC ends a frame with an empty beat.
        if self.tlast.val() & !self.tkeep.val().get_bit(0) {
            self.err_now.next = true;
        }
        self.too_long.next = !self.tlast.val() & (self.number.val() == self.final_beat.val());
        if self.tvalid.val() {
            if self.swallow.q.val() {
                self.swallow.d.next = !self.tlast.val();
            } else {
                self.open.d.next = !(self.tlast.val() | self.too_long.val());
                self.swallow.d.next = self.too_long.val();
                self.count.d.next = self.number.val() + 1;
                self.err.d.next = self.err_now.val();
            }
        }

        // Only a last beat may be short. The top of a run of ones tells its length. A run with holes is no stream that
        // a MAC sends: its bytes count as some number from 0 to 64.
        self.keep.next = self.full.val();
        if self.tlast.val() {
            self.keep.next = self.tkeep.val();
        }
        self.data1.din.next = self.tdata.val();
        self.data1.clear.next = !self.keep.val();
        self.above.next = self.keep.val() >> 1;
        self.top.next = self.keep.val() & !self.above.val();
        self.length.din.next = self.top.val();
        self.mark1.d.next.valid = self.tvalid.val() & !self.swallow.q.val();
        self.mark1.d.next.first = !self.open.q.val();
        self.mark1.d.next.last = self.tlast.val() | self.too_long.val();
        self.mark1.d.next.err = (self.err_now.val() & self.tlast.val()) | self.too_long.val();
        self.mark1.d.next.cut = self.too_long.val();
        self.mark1.d.next.bytes = self.length.dout.val();
        if self.length.dout.val().get_bit(6) {
            self.mark1.d.next.bytes = 64.into();
        }

        // Cycle 1: a beat comes, so the one before it has what it waited for.
        self.leaves.next = self.held.q.val().valid & (self.held.q.val().last | self.mark1.q.val().valid);
        if self.leaves.val() {
            self.held.d.next.valid = false;
        }
        if self.mark1.q.val().valid {
            self.held.d.next = self.mark1.q.val();
            self.held_data.d.next = self.data1.dout.val();
        }
        self.mark2.next = self.held.q.val();
        self.mark2.next.valid = self.leaves.val();
        self.data2.next = self.held_data.q.val();
        self.next2.next = self.data1.dout.val().get_bits::<272>(0);

        if self.rst.val() {
            self.open.d.next = false;
            self.swallow.d.next = false;
            self.mark1.d.next.valid = false;
            self.held.d.next.valid = false;
        }
    }
}
