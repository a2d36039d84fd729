//! Inside [seal](super::Seal): **sip_hash**. SipHash-2-4 of Aumasson and Bernstein (2012), a round per cycle.
//!
//! In: `start` with the key; then per word `m` two cycles of `round`, with `take` in the first and `give` in the second;
//! then four of `round`, with `finish` in the first. Out: `tag`, from then on.
//! Model: `spec::hash`. Tests: `tests/budget/seal.rs`. Registers: none.

use crate::prim::Lit;
use rust_hdl::prelude::*;

/// The state, and what a round makes of it.
#[derive(LogicBlock, Default)]
pub struct SipHash {
    pub clk: Signal<In, Clock>,
    pub start: Signal<In, Bit>,
    pub key: Signal<In, Bits<128>>,
    pub round: Signal<In, Bit>,
    pub take: Signal<In, Bit>,
    pub give: Signal<In, Bit>,
    pub finish: Signal<In, Bit>,
    pub m: Signal<In, Bits<64>>,
    pub tag: Signal<Out, Bits<64>>,
    v0: DFF<Bits<64>>,
    v1: DFF<Bits<64>>,
    v2: DFF<Bits<64>>,
    v3: DFF<Bits<64>>,
    low: Signal<Local, Bits<64>>,
    high: Signal<Local, Bits<64>>,
    // a round: each name is a state word, and how often it has been changed
    a2: Signal<Local, Bits<64>>,
    a3: Signal<Local, Bits<64>>,
    b0: Signal<Local, Bits<64>>,
    b1: Signal<Local, Bits<64>>,
    b2: Signal<Local, Bits<64>>,
    b3: Signal<Local, Bits<64>>,
    c0: Signal<Local, Bits<64>>,
    c1: Signal<Local, Bits<64>>,
    c2: Signal<Local, Bits<64>>,
    c3: Signal<Local, Bits<64>>,
    given: Signal<Local, Bits<64>>,
    k_0: Lit<64, { u64::from_be_bytes(*b"somepseu") }>,
    k_1: Lit<64, { u64::from_be_bytes(*b"dorandom") }>,
    k_2: Lit<64, { u64::from_be_bytes(*b"lygenera") }>,
    k_3: Lit<64, { u64::from_be_bytes(*b"tedbytes") }>,
    ones: Lit<64, { u8::MAX as u64 }>,
}

impl Logic for SipHash {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, v0, v1, v2, v3);
        self.a2.next = self.v2.q.val();
        if self.finish.val() {
            self.a2.next = self.v2.q.val() ^ self.ones.val();
        }
        self.a3.next = self.v3.q.val();
        if self.take.val() {
            self.a3.next = self.v3.q.val() ^ self.m.val();
        }
        self.b0.next = self.v0.q.val() + self.v1.q.val();
        self.b1.next = ((self.v1.q.val() << 13) | (self.v1.q.val() >> 51)) ^ self.b0.val();
        self.b2.next = self.a2.val() + self.a3.val();
        self.b3.next = ((self.a3.val() << 16) | (self.a3.val() >> 48)) ^ self.b2.val();
        self.c0.next = ((self.b0.val() << 32) | (self.b0.val() >> 32)) + self.b3.val();
        self.c3.next = ((self.b3.val() << 21) | (self.b3.val() >> 43)) ^ self.c0.val();
        self.c2.next = self.b2.val() + self.b1.val();
        self.c1.next = ((self.b1.val() << 17) | (self.b1.val() >> 47)) ^ self.c2.val();
        self.given.next = self.c0.val();
        if self.give.val() {
            self.given.next = self.c0.val() ^ self.m.val();
        }
        if self.round.val() {
            self.v0.d.next = self.given.val();
            self.v1.d.next = self.c1.val();
            self.v2.d.next = (self.c2.val() << 32) | (self.c2.val() >> 32);
            self.v3.d.next = self.c3.val();
        }
        self.low.next = self.key.val().get_bits::<64>(0);
        self.high.next = self.key.val().get_bits::<64>(64);
        if self.start.val() {
            self.v0.d.next = self.low.val() ^ self.k_0.val();
            self.v1.d.next = self.high.val() ^ self.k_1.val();
            self.v2.d.next = self.low.val() ^ self.k_2.val();
            self.v3.d.next = self.high.val() ^ self.k_3.val();
        }
        self.tag.next = self.v0.q.val() ^ self.v1.q.val() ^ self.v2.q.val() ^ self.v3.q.val();
    }
}
