//! Beside [reservoir](super): **ledger**. What was granted to each path and has not come back as spent.
//!
//! In: echoes, then `look`; budgets (first all grants, then all limits), then `note`. Both pulses only while not `busy`.
//! Out, as the last round of `look` finds it: `found` with a path and its loop. After `look`: of the path that was asked for with `at`, one cycle later, its loop in slots (4095: or longer), the
//! bytes in flight (0 beyond a loop of 2047), and the largest limit in force. `note` writes the slot's grants and limits.
//! Latency: `busy` for 149 cycles from the one after a pulse: nine rounds of 16, and five for the last path.
//! Model: `model::ledger`, 16 of them. Tests: `tests/budget/reservoir/ledger.rs`. Registers: none.
//!
//! Per path a ring of 2048 totals, so that what is in flight is one subtraction; and a [Queue] of limits, which is what
//! the rounds are for.

use super::queue::Queue;
use crate::prim::{Lit, LutRam, Ultra};
use rust_hdl::prelude::*;

/// The ledgers of sixteen paths.
#[derive(LogicBlock, Default)]
pub struct Ledger {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The slot that is granted next; stands still from `look` to the end of `note`.
    pub slot: Signal<In, Bits<48>>,
    pub echo_we: Signal<In, Bit>,
    pub echo_path: Signal<In, Bits<4>>,
    pub echo: Signal<In, Bits<48>>,
    pub look: Signal<In, Bit>,
    pub grant_we: Signal<In, Bit>,
    pub limit_we: Signal<In, Bit>,
    pub budget_path: Signal<In, Bits<4>>,
    pub budget: Signal<In, Bits<64>>,
    pub note: Signal<In, Bit>,
    pub busy: Signal<Out, Bit>,
    pub at: Signal<In, Bits<4>>,
    pub loops: Signal<Out, Bits<12>>,
    pub in_flight: Signal<Out, Bits<44>>,
    pub largest: Signal<Out, Bits<64>>,
    pub found: Signal<Out, Bit>,
    pub found_path: Signal<Out, Bits<4>>,
    pub found_loops: Signal<Out, Bits<12>>,
    // What the caller wrote, and what is read.
    echoes: LutRam<48, 4>,
    grants: LutRam<32, 4>,
    limits: LutRam<64, 4>,
    out_loops: LutRam<12, 4>,
    out_flight: LutRam<44, 4>,
    out_largest: LutRam<64, 4>,
    read_loops: DFF<Bits<12>>,
    read_flight: DFF<Bits<44>>,
    read_largest: DFF<Bits<64>>,
    // Of each path: total of all grants, and what it was before each of 2048 slots.
    totals: LutRam<44, 4>,
    ring: Ultra<44, 15>,
    queue: Queue,
    /// Since reset nothing was noted: what the tables hold is of before.
    fresh: DFF<Bit>,
    // The sequencer.
    runs: DFF<Bit>,
    notes: DFF<Bit>,
    step: DFF<Bits<8>>,
    path: DFF<Bits<4>>,
    drain: DFF<Bits<3>>,
    first: DFF<Bit>,
    // Stages 1 to 5: of a path in the ninth round.
    path1: DFF<Bits<4>>,
    ends1: DFF<Bit>,
    path2: DFF<Bits<4>>,
    ends2: DFF<Bit>,
    path3: DFF<Bits<4>>,
    ends3: DFF<Bit>,
    total3: DFF<Bits<44>>,
    grant3: DFF<Bits<32>>,
    distance3: DFF<Bits<49>>,
    path4: DFF<Bits<4>>,
    ends4: DFF<Bit>,
    flight4: DFF<Bits<44>>,
    loops4: DFF<Bits<12>>,
    path5: DFF<Bits<4>>,
    ends5: DFF<Bit>,
    flight5: DFF<Bits<44>>,
    loops5: DFF<Bits<12>>,
    oldest: Signal<Local, Bits<15>>,
    newest: Signal<Local, Bits<15>>,
    wide_echo: Signal<Local, Bits<49>>,
    wide_slot: Signal<Local, Bits<49>>,
    known: Signal<Local, Bits<44>>,
    sum: Signal<Local, Bits<44>>,
    difference: Signal<Local, Bits<44>>,
    looked: Signal<Local, Bit>,
    highest: Lit<8, 128>,
}

impl Logic for Ledger {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, read_loops, read_flight, read_largest, fresh, runs, notes, step, path, drain, first);
        dff_setup!(self, clk, path1, ends1, path2, ends2, path3, ends3, total3, grant3, distance3);
        dff_setup!(self, clk, path4, ends4, flight4, loops4, path5, ends5, flight5, loops5);
        self.echoes.clk.next = self.clk.val();
        self.grants.clk.next = self.clk.val();
        self.limits.clk.next = self.clk.val();
        self.out_loops.clk.next = self.clk.val();
        self.out_flight.clk.next = self.clk.val();
        self.out_largest.clk.next = self.clk.val();
        self.totals.clk.next = self.clk.val();
        self.ring.clk.next = self.clk.val();
        self.queue.clk.next = self.clk.val();
        self.queue.rst.next = self.rst.val();
        self.echoes.we.next = self.echo_we.val();
        self.echoes.waddr.next = self.echo_path.val();
        self.echoes.wdata.next = self.echo.val();
        self.grants.we.next = self.grant_we.val();
        self.grants.waddr.next = self.budget_path.val();
        self.grants.wdata.next = self.budget.val().get_bits::<32>(0);
        self.limits.we.next = self.limit_we.val();
        self.limits.waddr.next = self.budget_path.val();
        self.limits.wdata.next = self.budget.val();

        // A path per cycle; `step` halves after each round, and is 0 in the ninth.
        if self.drain.q.val().any() {
            self.drain.d.next = self.drain.q.val() - 1;
        }
        if self.runs.q.val() {
            self.path.d.next = self.path.q.val() + 1;
            self.drain.d.next = 5.into();
            if self.path.q.val().all() {
                self.first.d.next = false;
                self.step.d.next = self.step.q.val() >> 1;
                if !self.step.q.val().any() {
                    self.runs.d.next = false;
                }
            }
        }
        if self.notes.q.val() & self.ends5.q.val() & self.path5.q.val().all() {
            self.fresh.d.next = false;
        }
        if self.look.val() | self.note.val() {
            self.runs.d.next = true;
            self.notes.d.next = self.note.val();
            self.step.d.next = self.highest.val();
            self.path.d.next = 0.into();
            self.first.d.next = true;
        }
        self.busy.next = self.runs.q.val() | self.drain.q.val().any();
        self.path1.d.next = self.path.q.val();
        self.ends1.d.next = self.runs.q.val() & !self.step.q.val().any();
        self.path2.d.next = self.path1.q.val();
        self.ends2.d.next = self.ends1.q.val();
        self.queue.slot.next = self.slot.val();
        self.queue.fresh.next = self.fresh.q.val();
        self.queue.notes.next = self.notes.q.val();
        self.queue.valid.next = self.runs.q.val();
        self.queue.first.next = self.first.q.val();
        self.queue.path.next = self.path.q.val();
        self.queue.step.next = self.step.q.val();

        // Stage 2: the total before the echo is read, and the total before this slot written.
        self.echoes.raddr.next = self.path2.q.val();
        self.grants.raddr.next = self.path2.q.val();
        self.limits.raddr.next = self.path2.q.val();
        self.totals.raddr.next = self.path2.q.val();
        self.queue.bound.next = bit_cast::<64, 48>(self.echoes.rdata.val());
        if self.notes.q.val() {
            self.queue.bound.next = self.limits.rdata.val();
        }
        self.oldest.next =
            bit_cast::<15, 4>(self.path2.q.val()) << 11 | bit_cast::<15, 11>(self.echoes.rdata.val().get_bits::<11>(0));
        self.newest.next =
            bit_cast::<15, 4>(self.path2.q.val()) << 11 | bit_cast::<15, 11>(self.slot.val().get_bits::<11>(0));
        self.wide_echo.next = bit_cast::<49, 48>(self.echoes.rdata.val());
        self.wide_slot.next = bit_cast::<49, 48>(self.slot.val());
        self.known.next = self.totals.rdata.val();
        if self.fresh.q.val() {
            self.known.next = 0.into();
        }
        self.ring.raddr.next = self.oldest.val();
        self.ring.we.next = self.ends2.q.val() & self.notes.q.val();
        self.ring.waddr.next = self.newest.val();
        self.ring.wdata.next = self.known.val();
        self.path3.d.next = self.path2.q.val();
        self.ends3.d.next = self.ends2.q.val();
        self.total3.d.next = self.known.val();
        self.grant3.d.next = self.grants.rdata.val();
        self.distance3.d.next = self.wide_slot.val() - self.wide_echo.val();

        // Stage 3: the loop, and what was granted since the echo; the total after this slot.
        self.sum.next = self.total3.q.val() + bit_cast::<44, 32>(self.grant3.q.val());
        self.totals.we.next = self.ends3.q.val() & self.notes.q.val();
        self.totals.waddr.next = self.path3.q.val();
        self.totals.wdata.next = self.sum.val();
        self.difference.next = self.total3.q.val() - self.ring.rdata.val();
        self.path4.d.next = self.path3.q.val();
        self.ends4.d.next = self.ends3.q.val();
        self.loops4.d.next = bit_cast::<12, 49>(self.distance3.q.val());
        self.flight4.d.next = self.difference.val();
        if self.distance3.q.val().get_bits::<37>(12).any() {
            self.loops4.d.next = bits::<12>(4095);
        }
        if self.distance3.q.val().get_bits::<38>(11).any() {
            self.flight4.d.next = 0.into();
        }
        // An echo of a slot to come, and one of this slot.
        if self.distance3.q.val().get_bit(48) {
            self.loops4.d.next = 0.into();
        }
        if !self.distance3.q.val().any() {
            self.flight4.d.next = 0.into();
        }
        self.path5.d.next = self.path4.q.val();
        self.ends5.d.next = self.ends4.q.val();
        self.flight5.d.next = self.flight4.q.val();
        self.loops5.d.next = self.loops4.q.val();

        // Stage 5: found.
        self.looked.next = self.ends5.q.val() & !self.notes.q.val();
        self.out_loops.we.next = self.looked.val();
        self.out_loops.waddr.next = self.path5.q.val();
        self.out_loops.wdata.next = self.loops5.q.val();
        self.out_flight.we.next = self.looked.val();
        self.out_flight.waddr.next = self.path5.q.val();
        self.out_flight.wdata.next = self.flight5.q.val();
        self.out_largest.we.next = self.looked.val();
        self.out_largest.waddr.next = self.path5.q.val();
        self.out_largest.wdata.next = self.queue.front.val();
        self.found.next = self.looked.val();
        self.found_path.next = self.path5.q.val();
        self.found_loops.next = self.loops5.q.val();
        self.out_loops.raddr.next = self.at.val();
        self.out_flight.raddr.next = self.at.val();
        self.out_largest.raddr.next = self.at.val();
        self.read_loops.d.next = self.out_loops.rdata.val();
        self.read_flight.d.next = self.out_flight.rdata.val();
        self.read_largest.d.next = self.out_largest.rdata.val();
        self.loops.next = self.read_loops.q.val();
        self.in_flight.next = self.read_flight.q.val();
        self.largest.next = self.read_largest.q.val();
        if self.rst.val() {
            self.fresh.d.next = true;
            self.runs.d.next = false;
            self.drain.d.next = 0.into();
            self.ends1.d.next = false;
            self.ends2.d.next = false;
            self.ends3.d.next = false;
            self.ends4.d.next = false;
            self.ends5.d.next = false;
        }
    }
}
