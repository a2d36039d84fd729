//! Outbound 5 of 5: **pacer**. Beside [path_memory], whose queues it lets go.
//!
//! In: the budgets of sixteen paths, and what waits. Out: starts, one per cycle at most.
//! Latency: a queue that begins to wait, or whose bucket fills, may start two cycles later, at once if it was the
//! last to start. Budgets and limits count from the next cycle.
//! Model: `model::pacer`. Tests: `tests/outbound/pacer.rs`. Registers: `PACER_*`.
//!
//! One queue is current and goes on while it may, up to a quantum; meanwhile the next one is chosen in turn, so that a
//! change of queues costs nothing. Every start is decided by that path's bucket as it is in that cycle.
//! A path that stands at its byte limit is set aside until the limit is written.
//!
//! [path_memory]: crate::memory::PathMemory

mod bucket;
mod gains;
mod quota;

pub use bucket::Bucket;
pub use gains::Gains;
pub use quota::Quota;

use crate::prim::{Decoder, Lit, RoundRobin};
use matchrdma_spec::params::{QUANTUM_BEATS, QUEUE_BYPASS};
use rust_hdl::prelude::*;

/// Sixteen paths with a bucket each, and queue 16, which always may go.
#[derive(LogicBlock, Default)]
pub struct Pacer {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    // The budgets.
    pub open: Signal<In, Bits<16>>,
    pub gain: [Signal<In, Bits<29>>; 16],
    pub burst: [Signal<In, Bits<25>>; 16],
    /// What a frame costs beside its bytes.
    pub overhead: Signal<In, Bits<8>>,
    pub limited: Signal<In, Bits<16>>,
    pub limit_we: Signal<In, Bit>,
    pub limit_path: Signal<In, Bits<4>>,
    pub limit: Signal<In, Bits<64>>,
    pub sent_path: Signal<In, Bits<4>>,
    pub sent: Signal<Out, Bits<64>>,
    // The memory.
    pub waits: Signal<In, Bits<17>>,
    pub single: Signal<In, Bits<17>>,
    pub offer_queue: Signal<Out, Bits<5>>,
    pub offer_frame: Signal<In, Bit>,
    pub offer_bytes: Signal<In, Bits<14>>,
    pub may_start: Signal<In, Bit>,
    pub start: Signal<Out, Bit>,
    buckets: [Bucket; 16],
    quota: Quota,
    turns: RoundRobin<17, 5>,
    // The current queue, and the next.
    current: DFF<Bits<5>>,
    current_hot: DFF<Bits<17>>,
    left: DFF<Bits<17>>,
    exact: DFF<Bit>,
    quantum: DFF<Bits<8>>,
    next: DFF<Bits<5>>,
    next_hot: DFF<Bits<17>>,
    aside: DFF<Bits<17>>,
    pick: Decoder<17, 5>,
    limit_hot: Decoder<17, 5>,
    goes: Signal<Local, Bits<17>>,
    limits: Signal<Local, Bits<17>>,
    able: Signal<Local, Bits<17>>,
    willing: Signal<Local, Bit>,
    cost: Signal<Local, Bits<15>>,
    fits: Signal<Local, Bit>,
    allowed: Signal<Local, Bit>,
    can: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    rounded: Signal<Local, Bits<14>>,
    beats: Signal<Local, Bits<8>>,
    spent: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    switches: Signal<Local, Bit>,
    loadable: Signal<Local, Bits<17>>,
    has_next: Signal<Local, Bit>,
    fails: Signal<Local, Bit>,
    whole: Lit<8, { QUANTUM_BEATS as u64 }>,
    bypass: Lit<17, { 1 << QUEUE_BYPASS }>,
}

impl Logic for Pacer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, current, current_hot, left, exact, quantum, next, next_hot, aside);
        self.turns.clk.next = self.clk.val();
        self.turns.rst.next = self.rst.val();
        self.quota.clk.next = self.clk.val();
        self.quota.rst.next = self.rst.val();

        // Who may go: by its tokens, as of this cycle.
        self.goes.next = self.bypass.val();
        for i in 0..16 {
            self.goes.next = self.goes.val().replace_bit(i, self.buckets[i].go.val());
        }
        self.limits.next = bit_cast::<17, 16>(self.limited.val());
        self.able.next = self.waits.val() & self.goes.val();

        // The current queue: its head may start when the limit allows.
        self.offer_queue.next = self.current.q.val();
        self.willing.next = (self.able.val() & self.current_hot.q.val()).any();
        self.cost.next = 0.into();
        if self.offer_frame.val() {
            self.cost.next = bit_cast::<15, 14>(self.offer_bytes.val()) + bit_cast::<15, 8>(self.overhead.val());
        }
        self.fits.next = bit_cast::<17, 15>(self.cost.val()) <= self.left.q.val();
        self.allowed.next = self.fits.val() | !(self.limits.val() & self.current_hot.q.val()).any();
        self.can.next = self.willing.val() & self.allowed.val();
        self.starts.next = self.can.val() & self.may_start.val();
        self.start.next = self.starts.val();
        for i in 0..16 {
            self.buckets[i].clk.next = self.clk.val();
            self.buckets[i].rst.next = self.rst.val();
            self.buckets[i].open.next = self.open.val().get_bit(i);
            self.buckets[i].gain.next = self.gain[i].val();
            self.buckets[i].burst.next = self.burst[i].val();
            self.buckets[i].start.next = self.starts.val() & self.current_hot.q.val().get_bit(i);
            self.buckets[i].cost.next = self.cost.val();
        }
        self.quota.start.next = self.starts.val() & !self.current.q.val().get_bit(4);
        self.quota.path.next = bit_cast::<4, 5>(self.current.q.val());
        self.quota.cost.next = self.cost.val();
        self.quota.limit_we.next = self.limit_we.val();
        self.quota.limit_path.next = self.limit_path.val();
        self.quota.limit.next = self.limit.val();
        self.quota.sent_path.next = self.sent_path.val();
        self.sent.next = self.quota.sent.val();
        if self.starts.val() {
            self.left.d.next = self.left.q.val() - bit_cast::<17, 15>(self.cost.val());
            if !self.fits.val() {
                self.left.d.next = 0.into();
            }
        }

        // It goes on until it may not, has nothing more at hand, or has had its quantum.
        self.rounded.next = self.offer_bytes.val() + 63;
        self.beats.next = 1.into();
        if self.offer_frame.val() {
            self.beats.next = self.rounded.val().get_bits::<8>(6);
        }
        self.spent.next = self.quantum.q.val() <= self.beats.val();
        if self.starts.val() {
            self.quantum.d.next = self.quantum.q.val() - self.beats.val();
            if self.spent.val() {
                self.quantum.d.next = self.whole.val();
            }
        }
        self.leaves.next = !self.can.val()
            | (self.starts.val() & (self.spent.val() | (self.single.val() & self.current_hot.q.val()).any()));
        self.limit_hot.on.next = self.limit_we.val();
        self.limit_hot.index.next = bit_cast::<5, 4>(self.limit_path.val());
        self.loadable.next = self.next_hot.q.val() & !self.limit_hot.one_hot.val();
        self.has_next.next = self.loadable.val().any();
        self.switches.next = self.leaves.val() & self.has_next.val();

        // At its limit it stands aside; if that was only what is surely left, it is looked at afresh.
        self.fails.next = self.willing.val() & !self.allowed.val();
        if self.fails.val() & self.exact.q.val() {
            self.aside.d.next = self.aside.q.val() | self.current_hot.q.val();
        }
        if self.fails.val() | (self.limit_hot.one_hot.val() & self.current_hot.q.val()).any() {
            self.current_hot.d.next = 0.into();
        }
        self.quota.load.next = bit_cast::<4, 5>(self.next.q.val());
        if self.switches.val() {
            self.current.d.next = self.next.q.val();
            self.current_hot.d.next = self.next_hot.q.val();
            self.left.d.next = self.quota.left.val();
            self.exact.d.next = self.quota.exact.val();
            self.quantum.d.next = self.whole.val();
        }

        // Whose turn is next, of those that may go.
        self.turns.want.next = self.able.val()
            & !(self.aside.q.val() & self.limits.val())
            & !self.current_hot.q.val()
            & !self.next_hot.q.val();
        self.turns.take.next = self.switches.val() | !self.next_hot.q.val().any();
        self.pick.on.next = self.turns.any.val();
        self.pick.index.next = self.turns.index.val();
        if self.switches.val() | !self.next_hot.q.val().any() {
            self.next.d.next = self.turns.index.val();
            self.next_hot.d.next = self.pick.one_hot.val();
        }
        if self.limit_we.val() {
            self.aside.d.next = self.aside.d.val() & !self.limit_hot.one_hot.val();
        }
        if self.rst.val() {
            self.current_hot.d.next = 0.into();
            self.next_hot.d.next = 0.into();
            self.aside.d.next = 0.into();
            self.quantum.d.next = self.whole.val();
        }
    }
}
