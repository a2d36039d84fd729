//! Outbound 5 of 5: **pacer**. Beside [packet_memory], which asks it when the next frame may start.
//!
//! In: the path's budget, and every start. Out: `go`.
//! Latency: `go` comes from registers, and knows the starts up to the cycle before. A new `rate`, `burst` or `slot_k`
//! counts from the next cycle.
//! Model: `model::pacer`. Tests: `tests/outbound/pacer.rs`. Registers: `PACER_*`.
//!
//! A token bucket in bytes. Its fixed point has 20 fraction bits, as many as the longest slot has cycle bits, so that a
//! budget of any whole number of bytes per slot of 2^k cycles is exact: `rate << (20 - k)` is added each cycle.
//! Tokens are 56 bits signed: 36 of bytes hold any `burst` and the debt of one frame.
//!
//! [packet_memory]: crate::memory::PacketMemory

use rust_hdl::prelude::*;

/// `go` while tokens are not negative; a frame that starts may drive them below zero, by itself at most.
/// A queue that is never empty so sends its budget, give or take one frame. `mode` 0 (open): `go`, and no tokens.
#[derive(LogicBlock, Default)]
pub struct Pacer {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// 0 open, 1 fixed.
    pub mode: Signal<In, Bit>,
    /// Bytes per slot.
    pub rate: Signal<In, Bits<32>>,
    /// Slot, as log2 of cycles: 10 to 20.
    pub slot_k: Signal<In, Bits<5>>,
    /// Most tokens an idle queue gathers, bytes.
    pub burst: Signal<In, Bits<32>>,
    /// What a frame costs beside its bytes.
    pub overhead: Signal<In, Bits<8>>,
    pub next_bytes: Signal<In, Bits<14>>,
    pub started: Signal<In, Bit>,
    /// What started is a frame: a descriptor without one costs nothing.
    pub started_frame: Signal<In, Bit>,
    pub go: Signal<Out, Bit>,
    tokens: DFF<Bits<56>>,
    gain: DFF<Bits<56>>,
    most: DFF<Bits<56>>,
    /// Tokens above this (signed) would be more than `most` in the next cycle.
    limit: DFF<Bits<56>>,
    gain_next: Signal<Local, Bits<56>>,
    most_next: Signal<Local, Bits<56>>,
    over: Signal<Local, Bits<56>>,
    places: Signal<Local, Bits<5>>,
    cost: Signal<Local, Bits<15>>,
    paid: Signal<Local, Bits<56>>,
    kept: Signal<Local, Bits<56>>,
}

impl Logic for Pacer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, tokens, gain, most, limit);
        // The shifts are off the path of a decision.
        self.places.next = bits::<5>(20) - self.slot_k.val();
        self.gain_next.next = bit_cast::<56, 32>(self.rate.val()) << self.places.val();
        self.most_next.next = bit_cast::<56, 32>(self.burst.val()) << 20;
        self.gain.d.next = self.gain_next.val();
        self.most.d.next = self.most_next.val();
        self.limit.d.next = self.most_next.val() - self.gain_next.val();

        // `tokens + gain > most`, told beside the sum rather than behind it: the difference is negative.
        self.over.next = self.limit.q.val() - self.tokens.q.val();
        self.kept.next = self.tokens.q.val() + self.gain.q.val();
        if self.over.val().get_bit(55) {
            self.kept.next = self.most.q.val();
        }
        self.cost.next = bit_cast::<15, 14>(self.next_bytes.val()) + bit_cast::<15, 8>(self.overhead.val());
        self.paid.next = 0.into();
        if self.started.val() & self.started_frame.val() {
            self.paid.next = bit_cast::<56, 15>(self.cost.val()) << 20;
        }
        self.tokens.d.next = self.kept.val() - self.paid.val();
        if self.rst.val() | !self.mode.val() {
            self.tokens.d.next = 0.into();
        }
        self.go.next = !self.mode.val() | !self.tokens.q.val().get_bit(55);
    }
}
