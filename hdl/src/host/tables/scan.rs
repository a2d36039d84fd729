//! Beside host 2: **scan**. The sequence of a commit, and what is known of it.
//!
//! In: `go` with `mask`; `stall` (no word in this cycle); what [`super::check`] found, taken when a table is over;
//! `flip` (the slot ends; only while `pending`). Out: `next_word` with `which` and `at`; `start` in the cycle of
//! a table's first word; `pending`; banks in force; the state that the host reads.
//! One word per cycle, in the order of `spec::regs::table::SCAN_ORDER`. Model: `model::tables`. Tests: `tests/host/tables.rs`. Registers: `TABLE`.

use crate::prim::Lit;
use matchrdma_spec::regs::table;
use rust_hdl::prelude::*;

const IDLE: u64 = 0;
const PICK: u64 = 1;
const RUN: u64 = 2;
const SETTLE: u64 = 3;
const JUDGE: u64 = 4;

/// The sequence.
#[derive(LogicBlock, Default)]
pub struct Scan {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub go: Signal<In, Bit>,
    pub mask: Signal<In, Bits<4>>,
    pub stall: Signal<In, Bit>,
    /// Code of the first wrong word of the table, or of its CRC.
    pub found: Signal<In, Bits<8>>,
    pub found_at: Signal<In, Bits<13>>,
    pub flip: Signal<In, Bit>,
    pub start: Signal<Out, Bit>,
    pub next_word: Signal<Out, Bit>,
    pub which: Signal<Out, Bits<2>>,
    pub at: Signal<Out, Bits<13>>,
    /// The tables of the commit under way, none when there is none.
    pub held: Signal<Out, Bits<4>>,
    pub pending: Signal<Out, Bit>,
    pub busy: Signal<Out, Bit>,
    pub refused: Signal<Out, Bit>,
    pub code: Signal<Out, Bits<8>>,
    pub fault_in: Signal<Out, Bits<4>>,
    pub fault_at: Signal<Out, Bits<13>>,
    pub generation: Signal<Out, Bits<32>>,
    pub banks: Signal<Out, Bits<4>>,
    pub set: Signal<Out, Bits<4>>,
    /// The commit takes effect: banks change with the next cycle.
    pub taken: Signal<Out, Bit>,
    state: DFF<Bits<3>>,
    todo: DFF<Bits<4>>,
    mine: DFF<Bits<4>>,
    waits: DFF<Bit>,
    turned_away: DFF<Bit>,
    result: DFF<Bits<8>>,
    result_in: DFF<Bits<4>>,
    result_at: DFF<Bits<13>>,
    count: DFF<Bits<32>>,
    in_force: DFF<Bits<4>>,
    ever: DFF<Bits<4>>,
    current: DFF<Bits<2>>,
    place: DFF<Bits<13>>,
    last: DFF<Bits<13>>,
    settle: DFF<Bits<3>>,
    begins: DFF<Bit>,
    active: Signal<Local, Bit>,
    effect: Signal<Local, Bit>,
    one: Signal<Local, Bits<4>>,
    idle: Lit<3, IDLE>,
    pick: Lit<3, PICK>,
    run: Lit<3, RUN>,
    settles: Lit<3, SETTLE>,
    judge: Lit<3, JUDGE>,
    route: Lit<2, { table::ROUTE as u64 }>,
    path: Lit<2, { table::PATH as u64 }>,
    flow: Lit<2, { table::FLOW as u64 }>,
    calendar: Lit<2, { table::CALENDAR as u64 }>,
    route_last: Lit<13, { table::WINDOWS[table::ROUTE].length() as u64 - 1 }>,
    path_last: Lit<13, { table::WINDOWS[table::PATH].length() as u64 - 1 }>,
    flow_last: Lit<13, { table::WINDOWS[table::FLOW].length() as u64 - 1 }>,
    calendar_last: Lit<13, { table::WINDOWS[table::CALENDAR].length() as u64 - 1 }>,
    empty_mask: Lit<8, { table::CODE_EMPTY_MASK as u64 }>,
}

impl Logic for Scan {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, state, todo, mine, waits, turned_away, result, result_in, result_at, count);
        dff_setup!(self, clk, in_force, ever, current, place, last, settle, begins);
        self.active.next = (self.state.q.val() != self.idle.val()) | self.waits.q.val();
        self.begins.d.next = false;
        self.next_word.next = false;

        // The last of these that applies counts: calendars are the last to be scanned, paths the first.
        if self.state.q.val() == self.pick.val() {
            self.begins.d.next = true;
            self.place.d.next = bits::<13>(0);
            self.state.d.next = self.run.val();
            self.current.d.next = self.calendar.val();
            self.last.d.next = self.calendar_last.val();
            if self.todo.q.val().get_bit(2) {
                self.current.d.next = self.flow.val();
                self.last.d.next = self.flow_last.val();
            }
            if self.todo.q.val().get_bit(0) {
                self.current.d.next = self.route.val();
                self.last.d.next = self.route_last.val();
            }
            if self.todo.q.val().get_bit(1) {
                self.current.d.next = self.path.val();
                self.last.d.next = self.path_last.val();
            }
            if !self.todo.q.val().any() {
                self.state.d.next = self.idle.val();
                self.waits.d.next = true;
            }
        }
        self.start.next = self.begins.q.val();
        self.settle.d.next = bits::<3>(0);
        if (self.state.q.val() == self.run.val()) & !self.stall.val() {
            self.next_word.next = true;
            self.place.d.next = self.place.q.val() + 1;
            if self.place.q.val() == self.last.q.val() {
                self.state.d.next = self.settles.val();
            }
        }
        // The last word passes the checks meanwhile.
        if self.state.q.val() == self.settles.val() {
            self.settle.d.next = self.settle.q.val() + 1;
            if self.settle.q.val().all() {
                self.state.d.next = self.judge.val();
            }
        }
        self.one.next = bits::<4>(1);
        if self.current.q.val() == self.path.val() {
            self.one.next = bits::<4>(2);
        }
        if self.current.q.val() == self.flow.val() {
            self.one.next = bits::<4>(4);
        }
        if self.current.q.val() == self.calendar.val() {
            self.one.next = bits::<4>(8);
        }
        if self.state.q.val() == self.judge.val() {
            self.todo.d.next = self.todo.q.val() & !self.one.val();
            self.state.d.next = self.pick.val();
            if self.found.val().any() {
                self.state.d.next = self.idle.val();
                self.result.d.next = self.found.val();
                self.result_in.d.next = bit_cast::<4, 2>(self.current.q.val());
                self.result_at.d.next = self.found_at.val();
            }
        }

        // All together.
        self.effect.next = self.flip.val() & self.waits.q.val();
        if self.effect.val() {
            self.in_force.d.next = self.in_force.q.val() ^ self.mine.q.val();
            self.ever.d.next = self.ever.q.val() | self.mine.q.val();
            self.count.d.next = self.count.q.val() + 1;
            self.waits.d.next = false;
        }
        if self.go.val() {
            if self.active.val() {
                self.turned_away.d.next = true;
            } else {
                self.turned_away.d.next = false;
                self.result.d.next = bits::<8>(0);
                self.result_in.d.next = bits::<4>(0);
                self.result_at.d.next = bits::<13>(0);
                self.mine.d.next = self.mask.val();
                self.todo.d.next = self.mask.val();
                self.state.d.next = self.pick.val();
                if !self.mask.val().any() {
                    self.state.d.next = self.idle.val();
                    self.result.d.next = self.empty_mask.val();
                }
            }
        }

        self.which.next = self.current.q.val();
        self.at.next = self.place.q.val();
        self.held.next = bits::<4>(0);
        if self.active.val() {
            self.held.next = self.mine.q.val();
        }
        self.pending.next = self.waits.q.val();
        self.busy.next = self.active.val();
        self.refused.next = self.turned_away.q.val();
        self.code.next = self.result.q.val();
        self.fault_in.next = self.result_in.q.val();
        self.fault_at.next = self.result_at.q.val();
        self.generation.next = self.count.q.val();
        self.banks.next = self.in_force.q.val();
        self.set.next = self.ever.q.val();
        self.taken.next = self.effect.val();
        if self.rst.val() {
            self.state.d.next = self.idle.val();
            self.waits.d.next = false;
            self.turned_away.d.next = false;
            self.result.d.next = bits::<8>(0);
            self.result_in.d.next = bits::<4>(0);
            self.result_at.d.next = bits::<13>(0);
            self.count.d.next = bits::<32>(0);
            self.in_force.d.next = bits::<4>(0);
            self.ever.d.next = bits::<4>(0);
        }
    }
}
