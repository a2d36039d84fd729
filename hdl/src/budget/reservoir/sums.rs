//! Beside [reservoir](super): **sums**. What is found from sums over all paths: the two levels, and the room.
//!
//! In: `go` (a slot begins); each path's weight and flags, once; the results of the [alu](super::Alu). Out: the level
//! that is tried, or found, of `est` and of `hi`; whether steps are left (`more`); the divider's quotient, of what nobody
//! asks for or of the reserve, by the weight of all marked paths; the room, with `room_we`.
//! Latency: three cycles from the last result of an operation to what comes of its sum, 45 more to a quotient.
//! Model: `model::sharing`. Tests: `tests/budget/reservoir/law.rs`. Registers: none.

use super::divide::Divide;
use super::program::Op;
use crate::prim::Lit;
use rust_hdl::prelude::*;

/// A sum, a difference, and what follows from it.
#[derive(LogicBlock, Default)]
pub struct Sums {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub line: Signal<In, Bits<32>>,
    pub capacity: Signal<In, Bits<48>>,
    pub est: Signal<In, Bits<32>>,
    pub hi: Signal<In, Bits<32>>,
    pub go: Signal<In, Bit>,
    pub path_valid: Signal<In, Bit>,
    pub weight: Signal<In, Bits<8>>,
    pub waits: Signal<In, Bit>,
    /// The first and the last of an operation's paths enter the alu; its results leave it.
    pub begins: Signal<In, Bit>,
    pub ends: Signal<In, Bit>,
    pub op: Signal<In, Op>,
    pub result_valid: Signal<In, Bit>,
    pub result_first: Signal<In, Bit>,
    pub result_ends: Signal<In, Bit>,
    pub result_op: Signal<In, Op>,
    pub result: Signal<In, Bits<64>>,
    pub any: Signal<Out, Bit>,
    pub below: Signal<Out, Bit>,
    pub more: Signal<Out, Bit>,
    pub level: Signal<Out, Bits<32>>,
    pub level_hi: Signal<Out, Bits<32>>,
    pub busy: Signal<Out, Bit>,
    pub quotient: Signal<Out, Bits<44>>,
    pub room_we: Signal<Out, Bit>,
    pub room: Signal<Out, Bits<48>>,
    divide: Divide,
    // The weight of all, and of those that wait.
    some: DFF<Bit>,
    all_weight: DFF<Bits<12>>,
    wait_weight: DFF<Bits<12>>,
    is_below: DFF<Bit>,
    // The levels so far, those that are tried, and the step from the one to the other.
    low: DFF<Bits<32>>,
    low_hi: DFF<Bits<32>>,
    tried: DFF<Bits<32>>,
    tried_hi: DFF<Bits<32>>,
    step: DFF<Bits<32>>,
    seeks: DFF<Bit>,
    steps: DFF<Bit>,
    // Sums.
    sum10: DFF<Bits<64>>,
    v10: DFF<Bit>,
    op10: DFF<Op>,
    of10: DFF<Bits<48>>,
    sum11: DFF<Bits<44>>,
    rest11: DFF<Bits<64>>,
    v11: DFF<Bit>,
    op11: DFF<Op>,
    begun: Signal<Local, Bits<64>>,
    more_all: Signal<Local, Bits<12>>,
    more_wait: Signal<Local, Bits<12>>,
    difference: Signal<Local, Bits<64>>,
    half: Signal<Local, Bits<32>>,
    next_tried: Signal<Local, Bits<32>>,
    next_tried_hi: Signal<Local, Bits<32>>,
    highest: Lit<32, { 1 << 31 }>,
}

impl Logic for Sums {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clk,
            some,
            all_weight,
            wait_weight,
            is_below,
            low,
            low_hi,
            tried,
            tried_hi,
            step,
            seeks,
            steps
        );
        dff_setup!(self, clk, sum10, v10, op10, of10, sum11, rest11, v11, op11);
        self.divide.clk.next = self.clk.val();
        self.divide.rst.next = self.rst.val();

        // Once per slot: what the paths weigh, and the highest bit of the line.
        self.more_all.next = self.all_weight.q.val() + bit_cast::<12, 8>(self.weight.val());
        self.more_wait.next = self.wait_weight.q.val() + bit_cast::<12, 8>(self.weight.val());
        if self.path_valid.val() {
            self.all_weight.d.next = self.more_all.val();
            if self.waits.val() {
                self.some.d.next = true;
                self.wait_weight.d.next = self.more_wait.val();
            }
        }
        self.is_below.d.next = self.est.val() < self.line.val();
        self.half.next = self.step.q.val() >> 1;
        if self.seeks.q.val() {
            self.step.d.next = self.half.val();
            if (self.step.q.val() & self.line.val()).any() {
                self.step.d.next = self.step.q.val();
                self.seeks.d.next = false;
            }
        }
        // A round of a level begins, and ends: the one of `hi` is the last of its step.
        self.steps.d.next = self.half.val().any();
        self.next_tried.next = self.low.q.val() | self.step.q.val();
        self.next_tried_hi.next = self.low_hi.q.val() | self.step.q.val();
        if self.begins.val() {
            self.tried.d.next = self.next_tried.val();
            if self.op.val().hi {
                self.tried.d.next = self.tried.q.val();
                self.tried_hi.d.next = self.next_tried_hi.val();
            }
        }
        if self.ends.val() & self.op.val().again {
            self.step.d.next = self.half.val();
        }
        if self.go.val() {
            self.some.d.next = false;
            self.all_weight.d.next = 0.into();
            self.wait_weight.d.next = 0.into();
            self.low.d.next = 0.into();
            self.low_hi.d.next = 0.into();
            self.step.d.next = self.highest.val();
            self.seeks.d.next = true;
        }

        // The sum of an operation.
        self.begun.next = self.sum10.q.val();
        if self.result_first.val() {
            self.begun.next = 0.into();
        }
        if self.result_valid.val() {
            self.sum10.d.next = self.begun.val() + self.result.val();
        }
        self.v10.d.next = self.result_valid.val() & self.result_ends.val();
        self.op10.d.next = self.result_op.val();
        self.of10.d.next = bit_cast::<48, 32>(self.est.val());
        if self.result_op.val().hi {
            self.of10.d.next = bit_cast::<48, 32>(self.hi.val());
        }
        if self.result_op.val().room {
            self.of10.d.next = self.capacity.val();
        }
        // What it leaves.
        self.difference.next = bit_cast::<64, 48>(self.of10.q.val()) - self.sum10.q.val();
        self.rest11.d.next = self.difference.val();
        self.sum11.d.next = self.sum10.q.val().get_bits::<44>(0);
        self.v11.d.next = self.v10.q.val();
        self.op11.d.next = self.op10.q.val();
        // What is done with it. A level above the line gives every path what the line does, so it is let through.
        if self.v11.q.val() & self.op11.q.val().level & !self.rest11.q.val().get_bit(63) {
            if self.op11.q.val().hi {
                self.low_hi.d.next = self.tried_hi.q.val();
            } else {
                self.low.d.next = self.tried.q.val();
            }
        }
        self.divide.go.next = self.v11.q.val() & self.op11.q.val().divide;
        self.divide.divisor.next = self.all_weight.q.val();
        // With no weight at all any quotient will do; where nothing is divided it must be 0.
        if self.some.q.val() & !self.op11.q.val().over {
            self.divide.divisor.next = self.wait_weight.q.val();
        }
        self.divide.dividend.next = self.sum11.q.val();
        if self.op11.q.val().over {
            self.divide.dividend.next = 0.into();
            if !self.some.q.val() & !self.rest11.q.val().get_bit(63) {
                self.divide.dividend.next = self.rest11.q.val().get_bits::<44>(0);
            }
        }
        self.busy.next = self.divide.busy.val();
        self.quotient.next = self.divide.quotient.val();
        self.room_we.next = self.v11.q.val() & self.op11.q.val().room;
        self.room.next = self.rest11.q.val().get_bits::<48>(0);
        if self.rest11.q.val().get_bit(63) {
            self.room.next = 0.into();
        }
        self.any.next = self.some.q.val();
        self.below.next = self.is_below.q.val();
        self.more.next = self.steps.q.val();
        self.level.next = self.tried.q.val();
        self.level_hi.next = self.tried_hi.q.val();
        if self.rst.val() {
            self.v10.d.next = false;
            self.v11.d.next = false;
        }
    }
}
