//! Beside **external memory**: where frames wait for their verdict, and then for the port.
//!
//! In: the rail's beats and what the verdict says. Out: bursts that may be written, and their beats.
//! Latency: a beat that was committed in one cycle may be taken four cycles later.
//! Model: `model::packet_memory`. Tests: `tests/memory/external.rs`. Registers: none.
//!
//! A frame that is refused is forgotten here, so only good frames ever reach the port. A burst ends with its block of
//! 1 KiB; it waits until the block is full, or until nothing has filled it for a while.

use crate::memory::OnChip;
use crate::prim::Lit;
use matchrdma_spec::params::STAGE_BEATS_LOG2;
use rust_hdl::prelude::*;

/// `STAGE_BEATS` beats. Places are counted in beats and run modulo 2^26.
#[derive(LogicBlock, Default)]
pub struct Stage {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub we: Signal<In, Bit>,
    pub data: Signal<In, Bits<512>>,
    /// With the last beat's `we`, as in [`OnChip`].
    pub commit: Signal<In, Bit>,
    pub rewind: Signal<In, Bit>,
    /// Beats held here.
    pub used: Signal<Out, Bits<16>>,
    /// Behind the last beat, committed or not.
    pub written: Signal<Out, Bits<26>>,
    /// A burst of so many beats may be written at this place.
    pub want: Signal<Out, Bit>,
    pub beats: Signal<Out, Bits<5>>,
    pub place: Signal<Out, Bits<26>>,
    /// It will be.
    pub take: Signal<In, Bit>,
    /// The next beat of the bursts taken.
    pub valid: Signal<Out, Bit>,
    pub word: Signal<Out, Bits<512>>,
    pub pop: Signal<In, Bit>,
    ring: OnChip<512, STAGE_BEATS_LOG2>,
    tip: DFF<Bits<26>>,
    good: DFF<Bits<26>>,
    given: DFF<Bits<26>>,
    age: DFF<Bits<4>>,
    after: Signal<Local, Bits<26>>,
    pending: Signal<Local, Bits<26>>,
    offset: Signal<Local, Bits<4>>,
    block: Lit<5, 16>,
    gap: Signal<Local, Bits<5>>,
    full: Signal<Local, Bit>,
    some: Signal<Local, Bit>,
    size: Signal<Local, Bits<5>>,
}

impl Logic for Stage {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, tip, good, given, age);
        self.ring.clk.next = self.clk.val();
        self.ring.rst.next = self.rst.val();
        self.ring.we.next = self.we.val();
        self.ring.data.next = self.data.val();
        self.ring.commit.next = self.commit.val();
        self.ring.rewind.next = self.rewind.val();
        self.used.next = self.ring.used.val();
        self.after.next = self.tip.q.val() + 1;
        if self.we.val() {
            self.tip.d.next = self.after.val();
        }
        if self.commit.val() {
            self.good.d.next = self.after.val();
        }
        if self.rewind.val() {
            self.tip.d.next = self.good.q.val();
        }
        self.written.next = self.tip.q.val();

        // A burst: to the end of its block, or less when the rest is long in coming.
        self.pending.next = self.good.q.val() - self.given.q.val();
        self.offset.next = bit_cast::<4, 26>(self.given.q.val());
        self.gap.next = self.block.val() - bit_cast::<5, 4>(self.offset.val());
        self.some.next = self.pending.val().any();
        self.full.next = self.pending.val() >= bit_cast::<26, 5>(self.gap.val());
        self.size.next = bit_cast::<5, 26>(self.pending.val());
        if self.full.val() {
            self.size.next = self.gap.val();
        }
        self.want.next = self.full.val() | (self.some.val() & self.age.q.val().all());
        self.beats.next = self.size.val();
        self.place.next = self.given.q.val();
        if self.some.val() & !self.age.q.val().all() {
            self.age.d.next = self.age.q.val() + 1;
        }
        if self.take.val() {
            self.given.d.next = self.given.q.val() + bit_cast::<26, 5>(self.size.val());
            self.age.d.next = 0.into();
        }

        self.valid.next = self.ring.valid.val();
        self.word.next = self.ring.head.val();
        self.ring.take.next = self.pop.val();
        if self.rst.val() {
            self.tip.d.next = 0.into();
            self.good.d.next = 0.into();
            self.given.d.next = 0.into();
            self.age.d.next = 0.into();
        }
    }
}
