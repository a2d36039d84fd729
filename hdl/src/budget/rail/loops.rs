//! Inside [rail](super::BudgetRail): **loops**. The longest loop of the paths that take part, and whether any of their
//! sources waits.
//!
//! In: `go`; then, in 16 cycles, of `ask_path` in the same cycle: `live`, `waiting` and `echo`. Out: `done` 19 cycles
//! after `go`, with `longest` (slots, at most 4095) and `waits`, which stand until the next `go`.
//! Model: `model::budget_rail`. Tests: `tests/budget/loops.rs`. Registers: none.

use crate::prim::Lit;
use rust_hdl::prelude::*;

/// One path per cycle.
#[derive(LogicBlock, Default)]
pub struct Loops {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub go: Signal<In, Bit>,
    pub slot: Signal<In, Bits<48>>,
    pub ask_path: Signal<Out, Bits<4>>,
    pub live: Signal<In, Bit>,
    pub waiting: Signal<In, Bits<64>>,
    pub echo: Signal<In, Bits<48>>,
    pub done: Signal<Out, Bit>,
    pub longest: Signal<Out, Bits<16>>,
    pub waits: Signal<Out, Bit>,
    asks: DFF<Bit>,
    path: DFF<Bits<4>>,
    // A place per stage.
    live1: DFF<Bit>,
    live2: DFF<Bit>,
    echo1: DFF<Bits<48>>,
    lag2: DFF<Bits<12>>,
    left1: DFF<Bit>,
    left2: DFF<Bit>,
    ended: DFF<Bit>,
    lag: Signal<Local, Bits<49>>,
    most: DFF<Bits<12>>,
    any: DFF<Bit>,
    /// A longer loop counts as this.
    limit: Lit<12, { (1 << 12) - 1 }>,
}

impl Logic for Loops {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, asks, path, live1, live2, echo1, lag2, left1, left2, ended, most, any);
        if self.asks.q.val() {
            self.path.d.next = self.path.q.val() + 1;
            if self.path.q.val().all() {
                self.asks.d.next = false;
            }
        }
        self.ask_path.next = self.path.q.val();
        self.live1.d.next = self.asks.q.val() & self.live.val();
        self.echo1.d.next = self.echo.val();
        self.left1.d.next = self.asks.q.val() & self.path.q.val().all();
        if self.asks.q.val() & self.live.val() & self.waiting.val().any() {
            self.any.d.next = true;
        }
        // An echo of a slot to come is none of a loop.
        self.lag.next = bit_cast::<49, 48>(self.slot.val()) - bit_cast::<49, 48>(self.echo1.q.val());
        self.live2.d.next = self.live1.q.val() & !self.lag.val().get_bit(48);
        self.left2.d.next = self.left1.q.val();
        self.lag2.d.next = self.lag.val().get_bits::<12>(0);
        if self.lag.val().get_bits::<36>(12).any() {
            self.lag2.d.next = self.limit.val();
        }
        if self.live2.q.val() & (self.lag2.q.val() > self.most.q.val()) {
            self.most.d.next = self.lag2.q.val();
        }
        self.ended.d.next = self.left2.q.val();
        if self.go.val() {
            self.asks.d.next = true;
            self.path.d.next = 0.into();
            self.most.d.next = 0.into();
            self.any.d.next = false;
        }
        self.done.next = self.ended.q.val();
        self.longest.next = bit_cast::<16, 12>(self.most.q.val());
        self.waits.next = self.any.q.val();
        if self.rst.val() {
            self.asks.d.next = false;
            self.live1.d.next = false;
            self.live2.d.next = false;
            self.left1.d.next = false;
            self.left2.d.next = false;
            self.ended.d.next = false;
        }
    }
}
