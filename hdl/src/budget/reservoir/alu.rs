//! Beside [reservoir](super): **alu**. One operation of the law, of one path, per cycle.
//!
//! In: `op` of `path` with `valid`; a cycle later, of that path, the words of the slot, what the ledger found, its weight
//! and flags. Out, nine cycles after `op`: `result` with its path, to the registers and to whom it concerns.
//! A path has 16 registers of 64 bits, signed. What an operation writes one that begins ten cycles later may read.
//! Model: `model::reservoir`. Tests: `tests/budget/reservoir/law.rs`. Registers: none of the host's.

use super::super::forecast::Outlook;
use super::multiply::Multiply;
use super::program::*;
use crate::prim::{Lit, Sdp};
use rust_hdl::prelude::*;

/// Registers, multiplier, room, adder, bounds.
#[derive(LogicBlock, Default)]
pub struct Alu {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub line: Signal<In, Bits<32>>,
    pub floor: Signal<In, Bits<32>>,
    pub tau: Signal<In, Bits<2>>,
    /// The estimate is below the line; some path waits.
    pub below: Signal<In, Bit>,
    pub any: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub first: Signal<In, Bit>,
    pub ends: Signal<In, Bit>,
    pub path: Signal<In, Bits<4>>,
    pub op: Signal<In, Op>,
    // Of the path, a cycle later.
    pub arrived: Signal<In, Bits<64>>,
    pub occupancy: Signal<In, Bits<48>>,
    pub weight: Signal<In, Bits<8>>,
    pub live: Signal<In, Bit>,
    pub waits: Signal<In, Bit>,
    pub opened: Signal<In, Bit>,
    pub loops: Signal<In, Bits<12>>,
    pub in_flight: Signal<In, Bits<44>>,
    pub largest: Signal<In, Bits<64>>,
    pub outlook: Signal<In, Outlook>,
    // Of all paths, in the same cycle.
    pub level: Signal<In, Bits<32>>,
    pub level_hi: Signal<In, Bits<32>>,
    pub quotient: Signal<In, Bits<44>>,
    pub room_we: Signal<In, Bit>,
    pub room: Signal<In, Bits<48>>,
    pub out_valid: Signal<Out, Bit>,
    pub out_first: Signal<Out, Bit>,
    pub out_ends: Signal<Out, Bit>,
    pub out_path: Signal<Out, Bits<4>>,
    pub out_op: Signal<Out, Op>,
    pub result: Signal<Out, Bits<64>>,
    words_a: Sdp<64, 8>,
    words_b: Sdp<64, 8>,
    multiply: Multiply,
    // What goes with an operation: a place per stage, the youngest lowest.
    valids: DFF<Bits<9>>,
    firsts: DFF<Bits<9>>,
    endings: DFF<Bits<9>>,
    paths: DFF<Bits<36>>,
    op1: DFF<Op>,
    op2: DFF<Op>,
    op3: DFF<Op>,
    op4: DFF<Op>,
    op5: DFF<Op>,
    op6: DFF<Op>,
    op7: DFF<Op>,
    op8: DFF<Op>,
    op9: DFF<Op>,
    // The same, from the second stage on, of the path: live, waits, its loop is within the ledger,
    // its session begins, there is a forecast.
    lives: DFF<Bits<7>>,
    waiting: DFF<Bits<7>>,
    known: DFF<Bits<7>>,
    opens: DFF<Bits<7>>,
    foreseen: DFF<Bits<7>>,
    a2: DFF<Bits<64>>,
    b2: DFF<Bits<64>>,
    x2: DFF<Bits<44>>,
    y2: DFF<Bits<13>>,
    a3: DFF<Bits<64>>,
    b3: DFF<Bits<64>>,
    a4: DFF<Bits<64>>,
    b4: DFF<Bits<64>>,
    a5: DFF<Bits<64>>,
    b5: DFF<Bits<64>>,
    left: DFF<Bits<64>>,
    a6: DFF<Bits<64>>,
    b6: DFF<Bits<64>>,
    sum6: DFF<Bits<64>>,
    r7: DFF<Bits<64>>,
    r8: DFF<Bits<64>>,
    minus8: DFF<Bit>,
    under8: DFF<Bit>,
    over8: DFF<Bit>,
    r9: DFF<Bits<64>>,
    seen: Signal<Local, Outlook>,
    recent: Signal<Local, Bit>,
    from_b: Signal<Local, Bits<64>>,
    longer: Signal<Local, Bits<13>>,
    turned: Signal<Local, Bits<64>>,
    moved: Signal<Local, Bits<64>>,
    rest: Signal<Local, Bits<64>>,
    total: Signal<Local, Bits<64>>,
    less: Signal<Local, Bits<64>>,
    f6: Signal<Local, Bits<2>>,
    takes_b: Signal<Local, Bit>,
    above: Signal<Local, Bit>,
    value: Signal<Local, Bits<32>>,
    where9: Signal<Local, Bits<8>>,
    now_arrived: Lit<4, NOW_ARRIVED>,
    now_occupancy: Lit<4, NOW_OCCUPANCY>,
    now_largest: Lit<4, NOW_LARGEST>,
    now_flight: Lit<4, NOW_FLIGHT>,
    now_sum: Lit<4, NOW_SUM>,
    now_ahead: Lit<4, NOW_AHEAD>,
    now_excess: Lit<4, NOW_EXCESS>,
    x_level: Lit<3, LEVEL>,
    x_level_hi: Lit<3, LEVEL_HI>,
    x_quotient: Lit<3, QUOTIENT>,
    x_ahead: Lit<3, AHEAD>,
    x_excess: Lit<3, EXCESS>,
    y_marked: Lit<3, MARKED>,
    y_loops: Lit<3, LOOPS>,
    y_five: Lit<3, FIVE>,
    y_distance: Lit<3, DISTANCE>,
}

impl Logic for Alu {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, valids, firsts, endings, paths, lives, waiting, known, opens, foreseen);
        dff_setup!(self, clk, op1, op2, op3, op4, op5, op6, op7, op8, op9, a2, b2, x2, y2, a3, b3);
        dff_setup!(self, clk, a4, b4, a5, b5, left, a6, b6, sum6, r7, r8, minus8, under8, over8, r9);
        self.words_a.clk.next = self.clk.val();
        self.words_b.clk.next = self.clk.val();
        self.valids.d.next = self.valids.q.val() << 1 | bit_cast::<9, 1>(self.valid.val().into());
        self.op1.d.next = self.op.val();
        self.op2.d.next = self.op1.q.val();
        self.op3.d.next = self.op2.q.val();
        self.op4.d.next = self.op3.q.val();
        self.op5.d.next = self.op4.q.val();
        self.op6.d.next = self.op5.q.val();
        self.op7.d.next = self.op6.q.val();
        self.op8.d.next = self.op7.q.val();
        self.op9.d.next = self.op8.q.val();

        // Stage 0: registers are read.
        self.words_a.raddr.next = bit_cast::<8, 4>(self.op.val().a) << 4 | bit_cast::<8, 4>(self.path.val());
        self.words_b.raddr.next = bit_cast::<8, 4>(self.op.val().b) << 4 | bit_cast::<8, 4>(self.path.val());

        // Stage 1: what `a`, `b`, `x` and `y` are.
        self.firsts.d.next = self.firsts.q.val() << 1 | bit_cast::<9, 1>(self.first.val().into());
        self.endings.d.next = self.endings.q.val() << 1 | bit_cast::<9, 1>(self.ends.val().into());
        self.paths.d.next = self.paths.q.val() << 4 | bit_cast::<36, 4>(self.path.val());
        self.lives.d.next = self.lives.q.val() << 1 | bit_cast::<7, 1>(self.live.val().into());
        self.waiting.d.next = self.waiting.q.val() << 1 | bit_cast::<7, 1>(self.waits.val().into());
        self.recent.next = !self.loops.val().get_bit(11);
        self.known.d.next = self.known.q.val() << 1 | bit_cast::<7, 1>(self.recent.val().into());
        self.opens.d.next = self.opens.q.val() << 1 | bit_cast::<7, 1>(self.opened.val().into());
        self.seen.next = self.outlook.val();
        self.foreseen.d.next = self.foreseen.q.val() << 1 | bit_cast::<7, 1>(self.seen.val().on.into());
        self.from_b.next = 0.into();
        if (self.op1.q.val().b_from == 0) & !(self.op1.q.val().since & self.opened.val()) {
            self.from_b.next = self.words_b.rdata.val();
        }
        if self.op1.q.val().b_from == self.now_arrived.val() {
            self.from_b.next = self.arrived.val();
        }
        if self.op1.q.val().b_from == self.now_occupancy.val() {
            self.from_b.next = bit_cast::<64, 48>(self.occupancy.val());
        }
        if self.op1.q.val().b_from == self.now_largest.val() {
            self.from_b.next = self.largest.val();
        }
        if self.op1.q.val().b_from == self.now_flight.val() {
            self.from_b.next = bit_cast::<64, 44>(self.in_flight.val());
        }
        if self.op1.q.val().b_from == self.now_sum.val() {
            self.from_b.next = bit_cast::<64, 44>(self.seen.val().sum);
        }
        if self.op1.q.val().b_from == self.now_ahead.val() {
            self.from_b.next = bit_cast::<64, 32>(self.seen.val().ahead);
        }
        if self.op1.q.val().b_from == self.now_excess.val() {
            self.from_b.next = bit_cast::<64, 32>(self.seen.val().excess);
        }
        self.b2.d.next = self.from_b.val();
        self.a2.d.next = 0.into();
        if self.op1.q.val().a_on {
            self.a2.d.next = self.words_a.rdata.val();
        }
        self.x2.d.next = self.words_b.rdata.val().get_bits::<44>(0);
        if self.op1.q.val().x_from == self.x_level.val() {
            self.x2.d.next = bit_cast::<44, 32>(self.level.val());
        }
        if self.op1.q.val().x_from == self.x_level_hi.val() {
            self.x2.d.next = bit_cast::<44, 32>(self.level_hi.val());
        }
        if self.op1.q.val().x_from == self.x_quotient.val() {
            self.x2.d.next = self.quotient.val();
        }
        if self.op1.q.val().x_from == self.x_ahead.val() {
            self.x2.d.next = bit_cast::<44, 32>(self.seen.val().ahead);
        }
        if self.op1.q.val().x_from == self.x_excess.val() {
            self.x2.d.next = bit_cast::<44, 32>(self.seen.val().excess);
        }
        self.longer.next = bit_cast::<13, 12>(self.loops.val()) + 1;
        self.y2.d.next = bit_cast::<13, 8>(self.weight.val());
        if (self.op1.q.val().y_from == self.y_marked.val()) & self.any.val() & !self.waits.val() {
            self.y2.d.next = 0.into();
        }
        if self.op1.q.val().y_from == self.y_loops.val() {
            self.y2.d.next = bit_cast::<13, 12>(self.loops.val());
            if self.op1.q.val().plus & self.below.val() {
                self.y2.d.next = self.longer.val();
            }
        }
        if self.op1.q.val().y_from == self.y_five.val() {
            self.y2.d.next = 5.into();
        }
        if self.op1.q.val().y_from == self.y_distance.val() {
            self.y2.d.next = bit_cast::<13, 12>(self.seen.val().distance);
        }

        // Stage 2: the shift, which keeps the sign; the multiplier.
        self.turned.next = self.b2.q.val();
        if self.b2.q.val().get_bit(63) {
            self.turned.next = !self.b2.q.val();
        }
        self.moved.next = self.turned.val();
        if self.op2.q.val().shift == 1 {
            self.moved.next = self.turned.val() >> 2;
        }
        if self.op2.q.val().shift == 2 {
            self.moved.next = self.turned.val() >> 3;
        }
        if self.op2.q.val().shift == 3 {
            self.moved.next = self.turned.val() >> self.tau.val();
        }
        self.b3.d.next = self.moved.val();
        if self.b2.q.val().get_bit(63) {
            self.b3.d.next = !self.moved.val();
        }
        self.a3.d.next = self.a2.q.val();
        self.multiply.clk.next = self.clk.val();
        self.multiply.x.next = self.x2.q.val();
        self.multiply.y.next = self.y2.q.val();

        // Stage 3: the product.
        self.a4.d.next = self.a3.q.val();
        self.b4.d.next = self.b3.q.val();
        if self.op3.q.val().times {
            self.b4.d.next = bit_cast::<64, 57>(self.multiply.product.val());
        }

        // Stage 4: the raise, from what is left of the room. A path whose limit would fall takes nothing.
        self.rest.next = self.left.q.val() - self.b4.q.val();
        self.a5.d.next = self.a4.q.val();
        self.b5.d.next = self.b4.q.val();
        if self.valids.q.val().get_bit(3) & self.op4.q.val().raise & !self.b4.q.val().get_bit(63) {
            self.left.d.next = self.rest.val();
            if self.rest.val().get_bit(63) {
                self.b5.d.next = self.left.q.val();
                self.left.d.next = 0.into();
            }
        }
        if self.room_we.val() {
            self.left.d.next = bit_cast::<64, 48>(self.room.val());
        }

        // Stage 5: sum or difference.
        self.total.next = self.a5.q.val() + self.b5.q.val();
        self.less.next = self.a5.q.val() - self.b5.q.val();
        self.a6.d.next = self.a5.q.val();
        self.b6.d.next = self.b5.q.val();
        self.sum6.d.next = self.less.val();
        if self.op5.q.val().f == 0 {
            self.sum6.d.next = self.total.val();
        }

        // Stage 6: the smaller, the larger, or what the forecast gives.
        self.f6.next = self.op6.q.val().f;
        self.r7.d.next = self.sum6.q.val();
        self.takes_b.next = self.sum6.q.val().get_bit(63) ^ !self.f6.val().get_bit(0);
        if self.f6.val().get_bit(1) {
            self.r7.d.next = self.a6.q.val();
            if self.takes_b.val() & (!self.op6.q.val().idle | (self.any.val() & !self.waiting.q.val().get_bit(4))) {
                self.r7.d.next = self.b6.q.val();
            }
        }
        if self.op6.q.val().forecast {
            self.r7.d.next = self.a6.q.val();
            if self.foreseen.q.val().get_bit(4) {
                self.r7.d.next = self.b6.q.val();
            }
        }

        // Stage 7: how it lies to the bounds.
        self.above.next = self.r7.q.val().get_bits::<31>(32).any();
        self.value.next = self.r7.q.val().get_bits::<32>(0);
        self.r8.d.next = self.r7.q.val();
        self.minus8.d.next = self.r7.q.val().get_bit(63);
        self.over8.d.next = !self.r7.q.val().get_bit(63) & (self.above.val() | (self.value.val() > self.line.val()));
        self.under8.d.next = self.r7.q.val().get_bit(63) | (!self.above.val() & (self.value.val() < self.floor.val()));

        // Stage 8: within its bounds.
        self.r9.d.next = self.r8.q.val();
        if self.op8.q.val().zero & self.minus8.q.val() {
            self.r9.d.next = 0.into();
        }
        if (self.op8.q.val().floor & self.under8.q.val()) | (self.op8.q.val().known & !self.known.q.val().get_bit(6)) {
            self.r9.d.next = bit_cast::<64, 32>(self.floor.val());
        }
        if (self.op8.q.val().line & self.over8.q.val())
            | (self.op8.q.val().claim & self.waiting.q.val().get_bit(6))
            | (self.op8.q.val().anew & self.opens.q.val().get_bit(6))
            | self.op8.q.val().top
        {
            self.r9.d.next = bit_cast::<64, 32>(self.line.val());
        }
        if self.op8.q.val().live & !self.lives.q.val().get_bit(6) {
            self.r9.d.next = 0.into();
        }

        // Stage 9: written.
        self.where9.next =
            bit_cast::<8, 4>(self.op9.q.val().to) << 4 | bit_cast::<8, 4>(self.paths.q.val().get_bits::<4>(32));
        self.words_a.we.next = self.valids.q.val().get_bit(8) & self.op9.q.val().keeps;
        self.words_a.waddr.next = self.where9.val();
        self.words_a.wdata.next = self.r9.q.val();
        self.words_b.we.next = self.valids.q.val().get_bit(8) & self.op9.q.val().keeps;
        self.words_b.waddr.next = self.where9.val();
        self.words_b.wdata.next = self.r9.q.val();
        self.out_valid.next = self.valids.q.val().get_bit(8);
        self.out_first.next = self.firsts.q.val().get_bit(8);
        self.out_ends.next = self.endings.q.val().get_bit(8);
        self.out_path.next = self.paths.q.val().get_bits::<4>(32);
        self.out_op.next = self.op9.q.val();
        self.result.next = self.r9.q.val();
        if self.rst.val() {
            self.valids.d.next = 0.into();
        }
    }
}
