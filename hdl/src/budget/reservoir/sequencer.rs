//! Beside [reservoir](super): **sequencer**. Which operation, and of which path, in each cycle.
//!
//! In: `go`, while `ready`; `slot`; `busy` of the divider or the ledger; `more` (steps of a level are left). Out: for 16
//! cycles from the one after `go`, `asks`, with the path in `ask`; then `look`; then the operation `op` of `path` in
//! each cycle with `valid`; then `note`; then `done`, and `ready` again. A reset runs its own operations first.
//! Latency: that of the program. Model: none of its own. Tests: `tests/budget/reservoir/law.rs`. Registers: none.

use super::program::{program, Op, BITS, LAW};
use crate::prim::{Lit, Rom, Unpack};
use rust_hdl::prelude::*;

/// Cycles from an operation of the last path until all that comes of it is there.
const THROUGH: u64 = 11;

/// The program and its counters.
#[derive(LogicBlock)]
pub struct Sequencer {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub go: Signal<In, Bit>,
    pub slot: Signal<In, Bits<48>>,
    pub busy: Signal<In, Bit>,
    pub more: Signal<In, Bit>,
    pub ready: Signal<Out, Bit>,
    pub asks: Signal<Out, Bit>,
    pub ask: Signal<Out, Bits<4>>,
    pub look: Signal<Out, Bit>,
    pub valid: Signal<Out, Bit>,
    pub first: Signal<Out, Bit>,
    pub ends: Signal<Out, Bit>,
    pub path: Signal<Out, Bits<4>>,
    pub op: Signal<Out, Op>,
    pub note: Signal<Out, Bit>,
    pub done: Signal<Out, Bit>,
    rom: Rom<BITS, 6>,
    word: Unpack<BITS, Op>,
    op0: DFF<Op>,
    // The operation after it is fetched in two steps, while the paths have their turns.
    pc: DFF<Bits<6>>,
    then_pc: DFF<Bits<6>>,
    then_op: DFF<Op>,
    lane: DFF<Bits<4>>,
    quiet: DFF<Bits<4>>,
    idle: DFF<Bit>,
    resets: DFF<Bit>,
    asking: DFF<Bit>,
    settles: DFF<Bits<2>>,
    running: DFF<Bit>,
    fetches: DFF<Bits<2>>,
    looks: DFF<Bit>,
    through: DFF<Bit>,
    noting: DFF<Bit>,
    waiting: DFF<Bits<2>>,
    ended: DFF<Bit>,
    goes: Signal<Local, Bit>,
    turn: Signal<Local, Bits<4>>,
    ahead: Signal<Local, Bits<6>>,
    back: Signal<Local, Bits<6>>,
    law: Lit<6, { LAW as u64 }>,
    cycles: Lit<4, THROUGH>,
}

impl Default for Sequencer {
    fn default() -> Self {
        let words = program();
        assert!(words.len() <= 64);
        let word = move |at: usize| words.get(at).copied().unwrap_or_default().into();
        Self {
            clk: Default::default(),
            rst: Default::default(),
            go: Default::default(),
            slot: Default::default(),
            busy: Default::default(),
            more: Default::default(),
            ready: Default::default(),
            asks: Default::default(),
            ask: Default::default(),
            look: Default::default(),
            valid: Default::default(),
            first: Default::default(),
            ends: Default::default(),
            path: Default::default(),
            op: Default::default(),
            note: Default::default(),
            done: Default::default(),
            rom: Rom::new(word),
            word: Default::default(),
            op0: Default::default(),
            pc: Default::default(),
            then_pc: Default::default(),
            then_op: Default::default(),
            lane: Default::default(),
            quiet: Default::default(),
            idle: Default::default(),
            resets: Default::default(),
            asking: Default::default(),
            settles: Default::default(),
            running: Default::default(),
            fetches: Default::default(),
            looks: Default::default(),
            through: Default::default(),
            noting: Default::default(),
            waiting: Default::default(),
            ended: Default::default(),
            goes: Default::default(),
            turn: Default::default(),
            ahead: Default::default(),
            back: Default::default(),
            law: Default::default(),
            cycles: Default::default(),
        }
    }
}

impl Logic for Sequencer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clk, op0, pc, then_pc, then_op, lane, quiet, idle, resets, asking, settles, running, fetches, looks
        );
        dff_setup!(self, clk, through, noting, waiting, ended);
        self.looks.d.next = false;
        self.ended.d.next = false;
        self.noting.d.next = false;

        // The next operation.
        self.ahead.next = self.pc.q.val() + 1;
        self.back.next = self.pc.q.val() - 1;
        self.then_pc.d.next = self.ahead.val();
        if self.op0.q.val().again & self.more.val() {
            self.then_pc.d.next = self.back.val();
        }
        if self.op0.q.val().last {
            self.then_pc.d.next = self.law.val();
        }
        self.rom.addr.next = self.then_pc.q.val();
        self.word.din.next = self.rom.dout.val();
        self.then_op.d.next = self.word.dout.val();

        // All is through: a while after the last operation, when nobody works.
        self.goes.next =
            self.running.q.val() & (self.lane.q.val().any() | !self.op0.q.val().fence | self.through.q.val());
        self.through.d.next = !self.quiet.q.val().any() & !self.goes.val() & !self.busy.val();
        if self.quiet.q.val().any() {
            self.quiet.d.next = self.quiet.q.val() - 1;
        }
        if self.goes.val() {
            self.quiet.d.next = self.cycles.val();
            self.lane.d.next = self.lane.q.val() + 1;
            if self.lane.q.val().all() {
                self.pc.d.next = self.then_pc.q.val();
                self.op0.d.next = self.then_op.q.val();
                if self.op0.q.val().last {
                    self.running.d.next = false;
                    self.resets.d.next = false;
                    if self.resets.q.val() {
                        self.idle.d.next = true;
                    } else {
                        self.waiting.d.next = 1.into();
                    }
                }
            }
        }
        // After the last: what was granted is noted.
        if (self.waiting.q.val() == 1) & self.through.q.val() {
            self.noting.d.next = true;
            self.waiting.d.next = 2.into();
        }
        if self.waiting.q.val() == 2 {
            self.waiting.d.next = 3.into();
        }
        if (self.waiting.q.val() == 3) & !self.busy.val() {
            self.waiting.d.next = 0.into();
            self.ended.d.next = true;
            self.idle.d.next = true;
        }
        // Before the first: the paths are asked, and two cycles later the last answer is written.
        if self.asking.q.val() {
            self.lane.d.next = self.lane.q.val() + 1;
            if self.lane.q.val().all() {
                self.asking.d.next = false;
                self.settles.d.next = 3.into();
            }
        }
        if self.settles.q.val().any() {
            self.settles.d.next = self.settles.q.val() - 1;
            if self.settles.q.val() == 1 {
                self.looks.d.next = true;
                self.running.d.next = true;
            }
        }
        if self.go.val() {
            self.idle.d.next = false;
            self.asking.d.next = true;
            self.lane.d.next = 0.into();
        }
        // After a reset the first word is fetched.
        if self.fetches.q.val().any() {
            self.fetches.d.next = self.fetches.q.val() - 1;
            self.then_pc.d.next = 0.into();
            if self.fetches.q.val() == 1 {
                self.op0.d.next = self.then_op.q.val();
                self.running.d.next = true;
            }
        }
        self.turn.next = self.lane.q.val() + self.slot.val().get_bits::<4>(0);
        self.ready.next = self.idle.q.val();
        self.asks.next = self.asking.q.val();
        self.ask.next = self.lane.q.val();
        self.look.next = self.looks.q.val();
        self.valid.next = self.goes.val();
        self.first.next = !self.lane.q.val().any();
        self.ends.next = self.lane.q.val().all();
        self.path.next = self.turn.val();
        self.op.next = self.op0.q.val();
        self.note.next = self.noting.q.val();
        self.done.next = self.ended.q.val();
        if self.rst.val() {
            self.pc.d.next = 0.into();
            self.lane.d.next = 0.into();
            self.quiet.d.next = 0.into();
            self.idle.d.next = false;
            self.resets.d.next = true;
            self.asking.d.next = false;
            self.settles.d.next = 0.into();
            self.running.d.next = false;
            self.fetches.d.next = 3.into();
            self.then_pc.d.next = 0.into();
            self.waiting.d.next = 0.into();
            self.through.d.next = true;
        }
    }
}
