//! Beside [ledger](super::Ledger): **queue**. Of each path, the limits that no later one surpassed.
//!
//! In: each cycle with `valid` a path and the round's step (128 in the first round, 0 in the ninth), and two cycles later
//! that path's `bound`: its echo, or with `notes` its new limit. Out, five cycles after the path: in the ninth round,
//! without `notes`, the largest limit of slots from the echo on, 0 when there is none.
//! A path may come again after six cycles. Model: `limits` of `model::ledger`.
//! Tests: `tests/budget/reservoir/ledger.rs`. Registers: none.
//!
//! Values fall and slots rise from front to back, in 256 places of a ring. What leaves it in front (slots before the echo)
//! and behind (limits not above the new one) ends at a place that eight rounds find; the ninth takes them out, and puts
//! the new one in.

use crate::prim::{LutRam, Ultra};
use rust_hdl::prelude::*;

/// The queues of sixteen paths.
#[derive(LogicBlock, Default)]
pub struct Queue {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub slot: Signal<In, Bits<48>>,
    /// Since reset nothing was noted: what the tables hold is of before.
    pub fresh: Signal<In, Bit>,
    pub notes: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub first: Signal<In, Bit>,
    pub path: Signal<In, Bits<4>>,
    pub step: Signal<In, Bits<8>>,
    pub bound: Signal<In, Bits<64>>,
    pub front: Signal<Out, Bits<64>>,
    // Of each path: where its queue begins, how many it holds, the place so far; 256 limits and their slots.
    heads: LutRam<8, 4>,
    counts: LutRam<8, 4>,
    places: LutRam<8, 4>,
    ring_limits: Ultra<64, 12>,
    ring_slots: Ultra<48, 12>,
    // Stage 1
    v1: DFF<Bit>,
    path1: DFF<Bits<4>>,
    step1: DFF<Bits<8>>,
    head1: DFF<Bits<8>>,
    count1: DFF<Bits<8>>,
    place1: DFF<Bits<8>>,
    // Stage 2
    v2: DFF<Bit>,
    ends2: DFF<Bit>,
    path2: DFF<Bits<4>>,
    index2: DFF<Bits<8>>,
    place2: DFF<Bits<8>>,
    probe2: DFF<Bits<8>>,
    fits2: DFF<Bit>,
    full2: DFF<Bit>,
    rest2: DFF<Bits<8>>,
    // Stage 3
    v3: DFF<Bit>,
    ends3: DFF<Bit>,
    path3: DFF<Bits<4>>,
    index3: DFF<Bits<8>>,
    place3: DFF<Bits<8>>,
    probe3: DFF<Bits<8>>,
    fits3: DFF<Bit>,
    rest3: DFF<Bits<8>>,
    bound3: DFF<Bits<64>>,
    // Stage 4
    v4: DFF<Bit>,
    ends4: DFF<Bit>,
    path4: DFF<Bits<4>>,
    index4: DFF<Bits<8>>,
    place4: DFF<Bits<8>>,
    probe4: DFF<Bits<8>>,
    fits4: DFF<Bit>,
    rest4: DFF<Bits<8>>,
    low4: DFF<Bits<64>>,
    high4: DFF<Bits<64>>,
    // Stage 5
    v5: DFF<Bit>,
    ends5: DFF<Bit>,
    path5: DFF<Bits<4>>,
    index5: DFF<Bits<8>>,
    place5: DFF<Bits<8>>,
    rest5: DFF<Bits<8>>,
    front5: DFF<Bits<64>>,
    probe: Signal<Local, Bits<8>>,
    beyond: Signal<Local, Bits<8>>,
    prior: Signal<Local, Bits<8>>,
    minus: Signal<Local, Bit>,
    fewer: Signal<Local, Bits<8>>,
    more: Signal<Local, Bits<8>>,
    entry: Signal<Local, Bits<12>>,
    commit: Signal<Local, Bit>,
}

impl Logic for Queue {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, v1, path1, step1, head1, count1, place1);
        dff_setup!(self, clk, v2, ends2, path2, index2, place2, probe2, fits2, full2, rest2);
        dff_setup!(self, clk, v3, ends3, path3, index3, place3, probe3, fits3, rest3, bound3);
        dff_setup!(self, clk, v4, ends4, path4, index4, place4, probe4, fits4, rest4, low4, high4);
        dff_setup!(self, clk, v5, ends5, path5, index5, place5, rest5, front5);
        self.heads.clk.next = self.clk.val();
        self.counts.clk.next = self.clk.val();
        self.places.clk.next = self.clk.val();
        self.ring_limits.clk.next = self.clk.val();
        self.ring_slots.clk.next = self.clk.val();

        // Stage 0: what the path holds.
        self.v1.d.next = self.valid.val();
        self.path1.d.next = self.path.val();
        self.step1.d.next = self.step.val();
        self.heads.raddr.next = self.path.val();
        self.counts.raddr.next = self.path.val();
        self.places.raddr.next = self.path.val();
        self.head1.d.next = self.heads.rdata.val();
        self.count1.d.next = self.counts.rdata.val();
        self.place1.d.next = self.places.rdata.val();
        if self.first.val() {
            self.place1.d.next = 0.into();
        }
        if self.fresh.val() {
            self.head1.d.next = 0.into();
            self.count1.d.next = 0.into();
        }

        // Stage 1: the entry before the place that is tried. In the ninth round: where the queue begins, or goes on; the
        // last entry, when it is full.
        self.probe.next = self.place1.q.val() | self.step1.q.val();
        self.beyond.next = self.head1.q.val() + self.probe.val();
        self.prior.next = self.beyond.val() - 1;
        self.minus.next = self.step1.q.val().any() | (self.notes.val() & self.place1.q.val().all());
        self.fewer.next = self.count1.q.val() - self.place1.q.val();
        self.more.next = self.place1.q.val() + 1;
        self.v2.d.next = self.v1.q.val();
        self.ends2.d.next = !self.step1.q.val().any();
        self.path2.d.next = self.path1.q.val();
        self.index2.d.next = self.beyond.val();
        if self.minus.val() {
            self.index2.d.next = self.prior.val();
        }
        self.place2.d.next = self.place1.q.val();
        self.probe2.d.next = self.probe.val();
        self.fits2.d.next = self.probe.val() <= self.count1.q.val();
        self.full2.d.next = self.place1.q.val().all();
        self.rest2.d.next = self.fewer.val();
        if self.notes.val() {
            self.rest2.d.next = self.more.val();
            if self.place1.q.val().all() {
                self.rest2.d.next = self.place1.q.val();
            }
        }

        // Stage 2: the ring is read, and written in the ninth round of `note`.
        self.entry.next = bit_cast::<12, 4>(self.path2.q.val()) << 8 | bit_cast::<12, 8>(self.index2.q.val());
        self.commit.next = self.v2.q.val() & self.ends2.q.val() & self.notes.val();
        self.ring_limits.raddr.next = self.entry.val();
        self.ring_limits.we.next = self.commit.val() & !self.full2.q.val();
        self.ring_limits.waddr.next = self.entry.val();
        self.ring_limits.wdata.next = self.bound.val();
        self.ring_slots.raddr.next = self.entry.val();
        self.ring_slots.we.next = self.commit.val();
        self.ring_slots.waddr.next = self.entry.val();
        self.ring_slots.wdata.next = self.slot.val();
        self.v3.d.next = self.v2.q.val();
        self.ends3.d.next = self.ends2.q.val();
        self.path3.d.next = self.path2.q.val();
        self.index3.d.next = self.index2.q.val();
        self.place3.d.next = self.place2.q.val();
        self.probe3.d.next = self.probe2.q.val();
        self.fits3.d.next = self.fits2.q.val();
        self.rest3.d.next = self.rest2.q.val();
        self.bound3.d.next = self.bound.val();

        // Stage 3: what is to be compared.
        self.v4.d.next = self.v3.q.val();
        self.ends4.d.next = self.ends3.q.val();
        self.path4.d.next = self.path3.q.val();
        self.index4.d.next = self.index3.q.val();
        self.place4.d.next = self.place3.q.val();
        self.probe4.d.next = self.probe3.q.val();
        self.fits4.d.next = self.fits3.q.val();
        self.rest4.d.next = self.rest3.q.val();
        self.low4.d.next = bit_cast::<64, 48>(self.ring_slots.rdata.val());
        self.high4.d.next = self.bound3.q.val();
        if self.notes.val() {
            self.low4.d.next = self.bound3.q.val();
            self.high4.d.next = self.ring_limits.rdata.val();
        }
        if self.ends3.q.val() {
            self.high4.d.next = self.ring_limits.rdata.val();
        }

        // Stage 4: the place moves on. In front: while slots are before the echo; behind: while limits are above the new.
        self.v5.d.next = self.v4.q.val();
        self.ends5.d.next = self.ends4.q.val();
        self.path5.d.next = self.path4.q.val();
        self.index5.d.next = self.index4.q.val();
        self.place5.d.next = self.place4.q.val();
        if self.fits4.q.val() & (self.low4.q.val() < self.high4.q.val()) {
            self.place5.d.next = self.probe4.q.val();
        }
        self.rest5.d.next = self.rest4.q.val();
        self.front5.d.next = 0.into();
        if self.rest4.q.val().any() {
            self.front5.d.next = self.high4.q.val();
        }

        // Stage 5: written.
        self.places.we.next = self.v5.q.val();
        self.places.waddr.next = self.path5.q.val();
        self.places.wdata.next = self.place5.q.val();
        self.counts.we.next = self.v5.q.val() & self.ends5.q.val();
        self.counts.waddr.next = self.path5.q.val();
        self.counts.wdata.next = self.rest5.q.val();
        self.heads.we.next = self.v5.q.val() & self.ends5.q.val() & !self.notes.val();
        self.heads.waddr.next = self.path5.q.val();
        self.heads.wdata.next = self.index5.q.val();
        self.front.next = self.front5.q.val();
        if self.rst.val() {
            self.v1.d.next = false;
            self.v2.d.next = false;
            self.v3.d.next = false;
            self.v4.d.next = false;
            self.v5.d.next = false;
        }
    }
}
