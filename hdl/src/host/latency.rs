//! Beside host 2: **latency**. How long an acknowledgement takes, of one packet at a time.
//!
//! In: a committed request that asks for an ACK (`commit_valid, commit_flow, commit_psn`); an ACK that was built
//! (`ack_valid, ack_flow, ack_psn`). The first commit while none is under way is the sample; the first ACK of its flow that
//! is not before it ends it. Out: `bin_valid, bin`: log2 of the cycles from one to the other, the last bin when it was given
//! up. Model: none, for the model has no clock. Tests: `tests/host/latency.rs`. Registers: `METER`.

use crate::prim::Lit;
use rust_hdl::prelude::*;

/// The sample.
#[derive(LogicBlock, Default)]
pub struct Latency {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub commit_valid: Signal<In, Bit>,
    pub commit_flow: Signal<In, Bits<12>>,
    pub commit_psn: Signal<In, Bits<24>>,
    pub ack_valid: Signal<In, Bit>,
    pub ack_flow: Signal<In, Bits<12>>,
    pub ack_psn: Signal<In, Bits<24>>,
    pub bin_valid: Signal<Out, Bit>,
    pub bin: Signal<Out, Bits<5>>,
    busy: DFF<Bit>,
    flow: DFF<Bits<12>>,
    psn: DFF<Bits<24>>,
    /// Cycles since the sample; bit 24: given up.
    cycles: DFF<Bits<25>>,
    ack1: DFF<Bit>,
    same1: DFF<Bit>,
    behind1: DFF<Bits<24>>,
    ended: DFF<Bit>,
    /// Cycles at the end, and their log2 where it is known by then.
    span: DFF<Bits<25>>,
    behind: Signal<Local, Bits<24>>,
    half16: Signal<Local, Bits<16>>,
    half8: Signal<Local, Bits<8>>,
    half4: Signal<Local, Bits<4>>,
    half2: Signal<Local, Bits<2>>,
    log2: Signal<Local, Bits<5>>,
    last: Lit<5, { matchrdma_spec::params::HISTOGRAM_BINS as u64 - 1 }>,
}

impl Logic for Latency {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, busy, flow, psn, cycles, ack1, same1, behind1, ended, span);
        self.cycles.d.next = self.cycles.q.val() + 1;
        // The ACK, compared; a cycle later it may end the sample.
        self.behind.next = self.ack_psn.val() - self.psn.q.val();
        self.ack1.d.next = self.ack_valid.val() & self.busy.q.val();
        self.same1.d.next = self.ack_flow.val() == self.flow.q.val();
        self.behind1.d.next = self.behind.val();
        self.ended.d.next = false;
        self.span.d.next = self.cycles.q.val();
        if self.busy.q.val() {
            if (self.ack1.q.val() & self.same1.q.val() & !self.behind1.q.val().get_bit(23))
                | self.cycles.q.val().get_bit(24)
            {
                self.busy.d.next = false;
                self.ended.d.next = true;
            }
        } else if self.commit_valid.val() {
            self.busy.d.next = true;
            self.flow.d.next = self.commit_flow.val();
            self.psn.d.next = self.commit_psn.val();
            self.cycles.d.next = bits::<25>(0);
        }
        // The highest bit that is set, half by half.
        self.log2.next = bits::<5>(0);
        self.half16.next = self.span.q.val().get_bits::<16>(0);
        if self.span.q.val().get_bits::<8>(16).any() {
            self.half16.next = bit_cast::<16, 8>(self.span.q.val().get_bits::<8>(16));
            self.log2.next = self.log2.val() | 16;
        }
        self.half8.next = self.half16.val().get_bits::<8>(0);
        if self.half16.val().get_bits::<8>(8).any() {
            self.half8.next = self.half16.val().get_bits::<8>(8);
            self.log2.next = self.log2.val() | 8;
        }
        self.half4.next = self.half8.val().get_bits::<4>(0);
        if self.half8.val().get_bits::<4>(4).any() {
            self.half4.next = self.half8.val().get_bits::<4>(4);
            self.log2.next = self.log2.val() | 4;
        }
        self.half2.next = self.half4.val().get_bits::<2>(0);
        if self.half4.val().get_bits::<2>(2).any() {
            self.half2.next = self.half4.val().get_bits::<2>(2);
            self.log2.next = self.log2.val() | 2;
        }
        if self.half2.val().get_bit(1) {
            self.log2.next = self.log2.val() | 1;
        }
        if self.span.q.val().get_bit(24) {
            self.log2.next = self.last.val();
        }
        self.bin_valid.next = self.ended.q.val();
        self.bin.next = self.log2.val();
        if self.rst.val() {
            self.busy.d.next = false;
            self.ack1.d.next = false;
            self.ended.d.next = false;
        }
    }
}
