//! Inside [forecast](super): **walk**. Where each calendar stands, and what it promises up to the end of the loop.
//!
//! In: words of the table CALENDAR on their way into a shadow bank; the bank in force, if one was ever committed; in the
//! beats 0 to 7 of a path the `slot` that begins, and from beat 1 on its words and the slots of its loop.
//! Out: from beat 1 on what was `promised` of the slot that ended, from beat 3 on whether the calendar `keeps` on after
//! it; in beat 7 what the law hears. Model: `model::forecast`. Tests: `tests/budget/forecast.rs`. Registers: a path's
//! words 14 and 15, `CALENDAR`.
//!
//! Three entries may be read of a path: that of the slot which begins (beat 3), and the two next of `ahead` (4 and 5).

use super::after::After;
use crate::prim::{Lit, LutRam, Sdp, Unpack};
use matchrdma_spec::params::{CALENDAR_ENTRIES, PATHS};
use rust_hdl::prelude::*;

/// An entry, counted from the first one; further slots in it; its budget.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Place {
    pub at: Bits<8>,
    pub left: Bits<16>,
    pub value: Bits<32>,
}

const PLACE_BITS: usize = <Place as Synth>::BITS;
const RUNS: u64 = 1;
const OVER: u64 = 2;

/// Registers of a stage are those of the path from that beat on.
#[derive(LogicBlock, Default)]
pub struct Walk {
    pub clk: Signal<In, Clock>,
    pub calendar_we: Signal<In, Bit>,
    pub calendar_addr: Signal<In, Bits<14>>,
    pub calendar_data: Signal<In, Bits<32>>,
    pub bank: Signal<In, Bit>,
    pub is_set: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub path: Signal<In, Bits<4>>,
    pub beat: Signal<In, Bits<3>>,
    pub slot: Signal<In, Bits<32>>,
    /// Whatever was is of no account: entries are others, or nothing is known of before.
    pub anew: Signal<In, Bit>,
    pub span: Signal<In, Bits<18>>,
    pub start: Signal<In, Bits<32>>,
    pub loops: Signal<In, Bits<12>>,
    pub promised: Signal<Out, Bits<32>>,
    pub keeps: Signal<Out, Bit>,
    pub on: Signal<Out, Bit>,
    pub ahead: Signal<Out, Bits<32>>,
    pub sum: Signal<Out, Bits<44>>,
    pub distance: Signal<Out, Bits<12>>,
    budgets: Sdp<32, 13>,
    repeats: Sdp<16, 13>,
    // Of each path: before, runs or over; the words that this is of; the two places, and what lies between.
    phases: LutRam<2, 4>,
    spans: LutRam<18, 4>,
    starts: LutRam<32, 4>,
    nears: LutRam<PLACE_BITS, 4>,
    aheads: LutRam<PLACE_BITS, 4>,
    sums: LutRam<44, 4>,
    distances: LutRam<12, 4>,
    near_was: Unpack<PLACE_BITS, Place>,
    ahead_was: Unpack<PLACE_BITS, Place>,
    after_near: After,
    after_ahead: After,
    after_next: After,
    promised1: DFF<Bits<32>>,
    anew2: DFF<Bit>,
    begun2: DFF<Bit>,
    last2: DFF<Bit>,
    after2: DFF<Bits<8>>,
    keeps3: DFF<Bit>,
    phase3: DFF<Bits<2>>,
    at3: DFF<Bits<8>>,
    left3: DFF<Bits<16>>,
    reads3: DFF<Bit>,
    joined3: DFF<Bit>,
    sum3: DFF<Bits<44>>,
    distance3: DFF<Bits<12>>,
    at4: DFF<Bits<8>>,
    after4: DFF<Bits<8>>,
    last4: DFF<Bit>,
    lacks4: DFF<Bits<13>>,
    near5: DFF<Place>,
    ahead5: DFF<Place>,
    after5: DFF<Bits<8>>,
    last5: DFF<Bit>,
    one5: DFF<Bit>,
    two5: DFF<Bit>,
    ahead6: DFF<Place>,
    after6: DFF<Bits<8>>,
    stays6: DFF<Bit>,
    sum6: DFF<Bits<44>>,
    distance6: DFF<Bits<12>>,
    ahead7: DFF<Place>,
    sum7: DFF<Bits<44>>,
    distance7: DFF<Bits<12>>,
    first: Signal<Local, Bits<8>>,
    length: Signal<Local, Bits<9>>,
    round: Signal<Local, Bit>,
    was: Signal<Local, Place>,
    was_ahead: Signal<Local, Place>,
    since: Signal<Local, Bits<32>>,
    goes_on: Signal<Local, Bit>,
    fewer2: Signal<Local, Bits<16>>,
    ahead_at: Signal<Local, Bits<8>>,
    now: Signal<Local, Place>,
    then: Signal<Local, Place>,
    moves5: Signal<Local, Bit>,
    next_place5: Signal<Local, Bits<8>>,
    then6: Signal<Local, Place>,
    then7: Signal<Local, Place>,
    fewer6: Signal<Local, Bits<16>>,
    fewer7: Signal<Local, Bits<16>>,
    asked: Signal<Local, Bits<8>>,
    entry: Signal<Local, Bits<8>>,
    place: Signal<Local, Bits<13>>,
    write_place: Signal<Local, Bits<13>>,
    budget: Signal<Local, Bits<32>>,
    further: Signal<Local, Bits<16>>,
    writes: Signal<Local, Bit>,
    second: Lit<13, { (PATHS * CALENDAR_ENTRIES) as u64 }>,
    runs: Lit<2, RUNS>,
    over: Lit<2, OVER>,
}

impl Logic for Walk {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clk, promised1, anew2, begun2, last2, after2, keeps3, phase3, at3, left3, reads3, joined3, sum3,
            distance3
        );
        dff_setup!(self, clk, at4, after4, last4, lacks4, near5, ahead5, after5, last5, one5, two5);
        dff_setup!(self, clk, ahead6, after6, stays6, sum6, distance6, ahead7, sum7, distance7);
        self.phases.clk.next = self.clk.val();
        self.spans.clk.next = self.clk.val();
        self.starts.clk.next = self.clk.val();
        self.nears.clk.next = self.clk.val();
        self.aheads.clk.next = self.clk.val();
        self.sums.clk.next = self.clk.val();
        self.distances.clk.next = self.clk.val();
        self.phases.raddr.next = self.path.val();
        self.spans.raddr.next = self.path.val();
        self.starts.raddr.next = self.path.val();
        self.nears.raddr.next = self.path.val();
        self.aheads.raddr.next = self.path.val();
        self.sums.raddr.next = self.path.val();
        self.distances.raddr.next = self.path.val();
        self.write_place.next = self.calendar_addr.val().get_bits::<13>(1);
        self.budgets.clk.next = self.clk.val();
        self.budgets.waddr.next = self.write_place.val();
        self.budgets.wdata.next = self.calendar_data.val();
        self.budgets.we.next = self.calendar_we.val() & !self.calendar_addr.val().get_bit(0);
        self.repeats.clk.next = self.clk.val();
        self.repeats.waddr.next = self.write_place.val();
        self.repeats.wdata.next = self.calendar_data.val().get_bits::<16>(0);
        self.repeats.we.next = self.calendar_we.val() & self.calendar_addr.val().get_bit(0);
        // Before the first commit entries are nothing.
        self.budget.next = 0.into();
        self.further.next = 0.into();
        if self.is_set.val() {
            self.budget.next = self.budgets.rdata.val();
            self.further.next = self.repeats.rdata.val();
        }
        self.first.next = self.span.val().get_bits::<8>(0);
        self.length.next = self.span.val().get_bits::<9>(8);
        self.round.next = self.span.val().get_bit(17);
        self.near_was.din.next = self.nears.rdata.val();
        self.ahead_was.din.next = self.aheads.rdata.val();
        self.was.next = self.near_was.dout.val();
        self.was_ahead.next = self.ahead_was.dout.val();
        self.promised1.d.next = self.was.val().value;
        self.promised.next = self.promised1.q.val();

        // Beat 1: whether it begins anew; the entry behind the one that was.
        self.anew2.d.next = self.anew.val()
            | (self.spans.rdata.val() != self.span.val())
            | (self.starts.rdata.val() != self.start.val())
            | !self.length.val().any();
        self.since.next = self.slot.val() - self.start.val();
        self.begun2.d.next = self.length.val().any() & !self.since.val().get_bit(31);
        self.after_near.at.next = self.was.val().at;
        self.after_near.length.next = self.length.val();
        self.after2.d.next = self.after_near.after.val();
        self.last2.d.next = self.after_near.last.val();

        // Beat 2: one slot further, or the first.
        self.goes_on.next = !self.anew2.q.val() & (self.phases.rdata.val() == self.runs.val());
        self.keeps3.d.next = self.goes_on.val();
        self.keeps.next = self.keeps3.q.val();
        self.fewer2.next = self.was.val().left - 1;
        self.phase3.d.next = self.phases.rdata.val();
        self.at3.d.next = 0.into();
        self.left3.d.next = self.fewer2.val();
        self.reads3.d.next = true;
        self.joined3.d.next = true;
        self.sum3.d.next = 0.into();
        self.distance3.d.next = 0.into();
        if self.goes_on.val() {
            self.at3.d.next = self.was.val().at;
            self.reads3.d.next = false;
            if !self.was.val().left.any() {
                self.at3.d.next = self.after2.q.val();
                self.reads3.d.next = true;
                if self.last2.q.val() & !self.round.val() {
                    self.phase3.d.next = self.over.val();
                }
            }
            if self.distances.rdata.val().any() {
                self.joined3.d.next = false;
                self.sum3.d.next = self.sums.rdata.val() - bit_cast::<44, 32>(self.was.val().value);
                self.distance3.d.next = self.distances.rdata.val() - 1;
            }
        } else if self.anew2.q.val() | (self.phases.rdata.val() != self.over.val()) {
            self.phase3.d.next = 0.into();
            if self.begun2.q.val() {
                self.phase3.d.next = self.runs.val();
            }
        }

        // Beat 3: the entry of the slot is asked for; where `ahead` stands, and how far it should be.
        self.ahead_at.next = self.was_ahead.val().at;
        if self.joined3.q.val() {
            self.ahead_at.next = self.at3.q.val();
        }
        self.at4.d.next = self.ahead_at.val();
        self.after_ahead.at.next = self.ahead_at.val();
        self.after_ahead.length.next = self.length.val();
        self.after4.d.next = self.after_ahead.after.val();
        self.last4.d.next = self.after_ahead.last.val();
        self.lacks4.d.next = bit_cast::<13, 12>(self.loops.val()) - bit_cast::<13, 12>(self.distance3.q.val());

        // Beat 4: the entry is here; the next of `ahead` is asked for.
        self.now.next.at = self.at3.q.val();
        self.now.next.left = self.left3.q.val();
        self.now.next.value = self.was.val().value;
        if self.reads3.q.val() {
            self.now.next.left = self.further.val();
            self.now.next.value = self.budget.val();
        }
        self.then.next.at = self.at4.q.val();
        self.then.next.left = self.was_ahead.val().left;
        self.then.next.value = self.was_ahead.val().value;
        if self.joined3.q.val() {
            self.then.next.left = self.now.val().left;
            self.then.next.value = self.now.val().value;
        }
        if self.beat.val() == 4 {
            self.near5.d.next = self.now.val();
            self.ahead5.d.next = self.then.val();
        }
        self.after_next.at.next = self.after4.q.val();
        self.after_next.length.next = self.length.val();
        self.after5.d.next = self.after_next.after.val();
        self.last5.d.next = self.after_next.last.val();
        self.one5.d.next = !self.lacks4.q.val().get_bit(12) & self.lacks4.q.val().any();
        self.two5.d.next = !self.lacks4.q.val().get_bit(12) & self.lacks4.q.val().get_bits::<11>(1).any();

        // Beat 5: the first slot of `ahead`.
        self.moves5.next =
            self.one5.q.val() & !self.ahead5.q.val().left.any() & !(self.last4.q.val() & !self.round.val());
        self.next_place5.next = self.after4.q.val();
        self.fewer6.next = self.ahead5.q.val().left - 1;
        self.then6.next = self.ahead5.q.val();
        if self.moves5.val() {
            self.next_place5.next = self.after5.q.val();
            self.then6.next.at = self.after4.q.val();
            self.then6.next.left = self.further.val();
            self.then6.next.value = self.budget.val();
        } else if self.one5.q.val() & self.ahead5.q.val().left.any() {
            self.then6.next.left = self.fewer6.val();
        }
        if self.beat.val() == 5 {
            self.ahead6.d.next = self.then6.val();
        }
        self.after6.d.next = self.next_place5.val();
        self.stays6.d.next = !self.round.val() & self.last4.q.val();
        if self.moves5.val() {
            self.stays6.d.next = !self.round.val() & self.last5.q.val();
        }
        self.sum6.d.next = self.sum3.q.val();
        self.distance6.d.next = self.distance3.q.val();
        if self.one5.q.val() {
            self.sum6.d.next = self.sum3.q.val() + bit_cast::<44, 32>(self.ahead5.q.val().value);
            self.distance6.d.next = self.distance3.q.val() + 1;
        }

        // Beat 6: the second.
        self.fewer7.next = self.ahead6.q.val().left - 1;
        self.then7.next = self.ahead6.q.val();
        if self.two5.q.val() & self.ahead6.q.val().left.any() {
            self.then7.next.left = self.fewer7.val();
        } else if self.two5.q.val() & !self.stays6.q.val() {
            self.then7.next.at = self.after6.q.val();
            self.then7.next.left = self.further.val();
            self.then7.next.value = self.budget.val();
        }
        self.ahead7.d.next = self.then7.val();
        self.sum7.d.next = self.sum6.q.val();
        self.distance7.d.next = self.distance6.q.val();
        if self.two5.q.val() {
            self.sum7.d.next = self.sum6.q.val() + bit_cast::<44, 32>(self.ahead6.q.val().value);
            self.distance7.d.next = self.distance6.q.val() + 1;
        }

        self.asked.next = self.next_place5.val();
        if self.beat.val() == 3 {
            self.asked.next = self.at3.q.val();
        }
        if self.beat.val() == 4 {
            self.asked.next = self.after4.q.val();
        }
        self.entry.next = self.first.val() + self.asked.val();
        self.place.next = bit_cast::<13, 8>(self.entry.val()) | (bit_cast::<13, 4>(self.path.val()) << 8);
        if self.bank.val() {
            self.place.next =
                bit_cast::<13, 8>(self.entry.val()) | (bit_cast::<13, 4>(self.path.val()) << 8) | self.second.val();
        }
        self.budgets.raddr.next = self.place.val();
        self.repeats.raddr.next = self.place.val();

        // Beat 7: written, and told.
        self.writes.next = self.valid.val() & self.beat.val().all();
        self.phases.we.next = self.writes.val();
        self.phases.waddr.next = self.path.val();
        self.phases.wdata.next = self.phase3.q.val();
        self.spans.we.next = self.writes.val();
        self.spans.waddr.next = self.path.val();
        self.spans.wdata.next = self.span.val();
        self.starts.we.next = self.writes.val();
        self.starts.waddr.next = self.path.val();
        self.starts.wdata.next = self.start.val();
        self.nears.we.next = self.writes.val();
        self.nears.waddr.next = self.path.val();
        self.nears.wdata.next = self.near5.q.val().into();
        self.aheads.we.next = self.writes.val();
        self.aheads.waddr.next = self.path.val();
        self.aheads.wdata.next = self.ahead7.q.val().into();
        self.sums.we.next = self.writes.val();
        self.sums.waddr.next = self.path.val();
        self.sums.wdata.next = self.sum7.q.val();
        self.distances.we.next = self.writes.val();
        self.distances.waddr.next = self.path.val();
        self.distances.wdata.next = self.distance7.q.val();
        self.on.next = self.phase3.q.val() == self.runs.val();
        self.ahead.next = self.ahead7.q.val().value;
        self.sum.next = self.sum7.q.val();
        self.distance.next = self.distance7.q.val();
    }
}
