//! Beside [pacer](super): the token bucket of one path.
//!
//! In: the path's budget, and every start. Out: whether a frame may start.
//! Latency: `go` comes from a register, and knows the starts up to the cycle before.
//! Model: `model::pacer`. Tests: `tests/outbound/pacer.rs`. Registers: none.
//!
//! Tokens are bytes with 20 fraction bits, as many as the longest slot has cycle bits, so that a budget of any whole
//! number of bytes per slot is exact. 26 bits of whole bytes, signed, hold any burst and the debt of one frame.

use rust_hdl::prelude::*;

/// Each cycle the bucket gains, unless it holds its burst; a start takes its cost. One that holds 1024 bytes beyond its
/// burst (a deeper one was set before) is emptied.
#[derive(LogicBlock, Default)]
pub struct Bucket {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// No budget: always `go`, and no tokens.
    pub open: Signal<In, Bit>,
    /// Bytes per cycle, 20 fraction bits.
    pub gain: Signal<In, Bits<29>>,
    /// Bytes, at most 2^24.
    pub burst: Signal<In, Bits<25>>,
    pub start: Signal<In, Bit>,
    /// Bytes.
    pub cost: Signal<In, Bits<15>>,
    pub go: Signal<Out, Bit>,
    tokens: DFF<Bits<46>>,
    whole: Signal<Local, Bits<26>>,
    beyond: Signal<Local, Bits<26>>,
    full: Signal<Local, Bit>,
    overflows: Signal<Local, Bit>,
    gained: Signal<Local, Bits<46>>,
    kept: Signal<Local, Bits<46>>,
    kept_whole: Signal<Local, Bits<26>>,
    paid: Signal<Local, Bits<26>>,
    left: Signal<Local, Bits<26>>,
}

impl Logic for Bucket {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, tokens);
        self.whole.next = self.tokens.q.val().get_bits::<26>(20);
        self.beyond.next = self.whole.val() - bit_cast::<26, 25>(self.burst.val());
        // both numbers are below 2^25 in size, and a negative one is below any burst
        self.full.next = !self.beyond.val().get_bit(25) & !self.tokens.q.val().get_bit(45);
        self.overflows.next = self.full.val() & self.beyond.val().get_bits::<15>(10).any();
        self.gained.next = 0.into();
        if !self.full.val() {
            self.gained.next = bit_cast::<46, 29>(self.gain.val());
        }
        self.kept.next = self.tokens.q.val() + self.gained.val();
        self.kept_whole.next = self.kept.val().get_bits::<26>(20);
        self.paid.next = 0.into();
        if self.start.val() {
            self.paid.next = bit_cast::<26, 15>(self.cost.val());
        }
        self.left.next = self.kept_whole.val() - self.paid.val();
        self.tokens.d.next =
            bit_cast::<46, 26>(self.left.val()) << 20 | bit_cast::<46, 20>(self.kept.val().get_bits::<20>(0));
        if self.rst.val() | self.open.val() | self.overflows.val() {
            self.tokens.d.next = 0.into();
        }
        self.go.next = self.open.val() | !self.tokens.q.val().get_bit(45);
    }
}
