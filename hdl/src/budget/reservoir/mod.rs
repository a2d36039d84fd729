//! Budget 2 of 4: **reservoir**. From [rate_estimator](crate::budget::RateEstimator), to the budget frames.
//!
//! In: `go`, while `ready`, with the estimate of the slot that ended; then, in each of 16 cycles, the path `ask` is asked,
//! and a cycle later what it is like is taken. Out: in 16 cycles that follow, `budget_valid`, with a path, its grant and
//! its limit, from path `slot mod 16` on; then `done`. `slot`: the one that is granted.
//! Latency: 16 cycles for each operation of the `program`, two for each bit of `line`, and what three divisions and the
//! ledger take: `docs/blocks.md` says how many. Model: `model::reservoir`.
//! Tests: `tests/budget/reservoir/law.rs`. Registers: `LAW`.
//!
//! Sixteen paths take turns on one adder, one multiplier and one comparator, 64 bits wide; see `program`.

mod alu;
mod divide;
mod ledger;
mod multiply;
mod program;
mod queue;
mod sequencer;
mod sums;

use super::forecast::Outlook;
use crate::prim::LutRam;
use alu::Alu;
use rust_hdl::prelude::*;
use sequencer::Sequencer;
use sums::Sums;

pub use divide::Divide;
pub use ledger::Ledger;

/// The law for sixteen paths to one port.
#[derive(LogicBlock, Default)]
pub struct Reservoir {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    // The constants of the law. They stand still, as do `est` and `hi` from `go` to `done`; none of these is above `line`
    // but the capacity.
    pub line: Signal<In, Bits<32>>,
    pub floor: Signal<In, Bits<32>>,
    pub capacity: Signal<In, Bits<48>>,
    pub tau: Signal<In, Bits<2>>,
    pub go: Signal<In, Bit>,
    pub est: Signal<In, Bits<32>>,
    pub hi: Signal<In, Bits<32>>,
    pub ready: Signal<Out, Bit>,
    pub asks: Signal<Out, Bit>,
    pub ask: Signal<Out, Bits<4>>,
    pub seen_live: Signal<In, Bit>,
    pub seen_waits: Signal<In, Bit>,
    /// Its far gateway began a new session in the slot that ended.
    pub seen_opened: Signal<In, Bit>,
    pub seen_weight: Signal<In, Bits<8>>,
    pub seen_arrived: Signal<In, Bits<64>>,
    pub seen_occupancy: Signal<In, Bits<48>>,
    pub seen_echo: Signal<In, Bits<48>>,
    /// The path whose outlook is taken a cycle later; that stands from the 300th cycle after `go` to `done`.
    pub outlook_path: Signal<Out, Bits<4>>,
    pub outlook: Signal<In, Outlook>,
    /// The loop of a path, slots, as it is found; of each path once per slot.
    pub loops_we: Signal<Out, Bit>,
    pub loops_path: Signal<Out, Bits<4>>,
    pub loops: Signal<Out, Bits<12>>,
    pub slot: Signal<Out, Bits<48>>,
    pub budget_valid: Signal<Out, Bit>,
    pub budget_path: Signal<Out, Bits<4>>,
    pub budget_grant: Signal<Out, Bits<32>>,
    pub budget_limit: Signal<Out, Bits<64>>,
    pub done: Signal<Out, Bit>,
    sequencer: Sequencer,
    alu: Alu,
    sums: Sums,
    ledger: Ledger,
    // The slot as it was, of each path.
    arrived: LutRam<64, 4>,
    occupancy: LutRam<48, 4>,
    weights: LutRam<8, 4>,
    lives: LutRam<1, 4>,
    waits: LutRam<1, 4>,
    openings: LutRam<1, 4>,
    grants: LutRam<32, 4>,
    asked: DFF<Bit>,
    asked_path: DFF<Bits<4>>,
    arrived1: DFF<Bits<64>>,
    occupancy1: DFF<Bits<48>>,
    weight1: DFF<Bits<8>>,
    live1: DFF<Bit>,
    waits1: DFF<Bit>,
    opened1: DFF<Bit>,
    number: DFF<Bits<48>>,
    out_valid: DFF<Bit>,
    out_path: DFF<Bits<4>>,
    out_grant: DFF<Bits<32>>,
    out_limit: DFF<Bits<64>>,
    weight: Signal<Local, Bits<8>>,
    waiting: Signal<Local, Bit>,
}

impl Logic for Reservoir {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, asked, asked_path, arrived1, occupancy1, weight1, live1, waits1, opened1, number);
        dff_setup!(self, clk, out_valid, out_path, out_grant, out_limit);
        self.sequencer.clk.next = self.clk.val();
        self.sequencer.rst.next = self.rst.val();
        self.alu.clk.next = self.clk.val();
        self.alu.rst.next = self.rst.val();
        self.sums.clk.next = self.clk.val();
        self.sums.rst.next = self.rst.val();
        self.ledger.clk.next = self.clk.val();
        self.ledger.rst.next = self.rst.val();
        self.arrived.clk.next = self.clk.val();
        self.occupancy.clk.next = self.clk.val();
        self.weights.clk.next = self.clk.val();
        self.lives.clk.next = self.clk.val();
        self.waits.clk.next = self.clk.val();
        self.openings.clk.next = self.clk.val();
        self.grants.clk.next = self.clk.val();

        // What each path is like. One that is not live has no weight, and waits for nothing.
        self.asked.d.next = self.sequencer.asks.val();
        self.asked_path.d.next = self.sequencer.ask.val();
        self.weight.next = 0.into();
        if self.seen_live.val() {
            self.weight.next = self.seen_weight.val();
        }
        self.waiting.next = self.seen_live.val() & self.seen_waits.val();
        self.arrived.we.next = self.asked.q.val();
        self.arrived.waddr.next = self.asked_path.q.val();
        self.arrived.wdata.next = self.seen_arrived.val();
        self.occupancy.we.next = self.asked.q.val();
        self.occupancy.waddr.next = self.asked_path.q.val();
        self.occupancy.wdata.next = self.seen_occupancy.val();
        self.weights.we.next = self.asked.q.val();
        self.weights.waddr.next = self.asked_path.q.val();
        self.weights.wdata.next = self.weight.val();
        self.lives.we.next = self.asked.q.val();
        self.lives.waddr.next = self.asked_path.q.val();
        self.lives.wdata.next = self.seen_live.val().into();
        self.waits.we.next = self.asked.q.val();
        self.waits.waddr.next = self.asked_path.q.val();
        self.waits.wdata.next = self.waiting.val().into();
        self.openings.we.next = self.asked.q.val();
        self.openings.waddr.next = self.asked_path.q.val();
        self.openings.wdata.next = self.seen_opened.val().into();
        self.ledger.echo_we.next = self.asked.q.val();
        self.ledger.echo_path.next = self.asked_path.q.val();
        self.ledger.echo.next = self.seen_echo.val();
        self.arrived.raddr.next = self.sequencer.path.val();
        self.occupancy.raddr.next = self.sequencer.path.val();
        self.weights.raddr.next = self.sequencer.path.val();
        self.lives.raddr.next = self.sequencer.path.val();
        self.waits.raddr.next = self.sequencer.path.val();
        self.openings.raddr.next = self.sequencer.path.val();
        self.arrived1.d.next = self.arrived.rdata.val();
        self.occupancy1.d.next = self.occupancy.rdata.val();
        self.weight1.d.next = self.weights.rdata.val();
        self.live1.d.next = self.lives.rdata.val().any();
        self.waits1.d.next = self.waits.rdata.val().any();
        self.opened1.d.next = self.openings.rdata.val().any();

        self.sequencer.go.next = self.go.val();
        self.sequencer.slot.next = self.number.q.val();
        self.sequencer.busy.next = self.sums.busy.val() | self.ledger.busy.val();
        self.sequencer.more.next = self.sums.more.val();

        self.alu.line.next = self.line.val();
        self.alu.floor.next = self.floor.val();
        self.alu.tau.next = self.tau.val();
        self.alu.below.next = self.sums.below.val();
        self.alu.any.next = self.sums.any.val();
        self.alu.valid.next = self.sequencer.valid.val();
        self.alu.first.next = self.sequencer.first.val();
        self.alu.ends.next = self.sequencer.ends.val();
        self.alu.path.next = self.sequencer.path.val();
        self.alu.op.next = self.sequencer.op.val();
        self.alu.arrived.next = self.arrived1.q.val();
        self.alu.occupancy.next = self.occupancy1.q.val();
        self.alu.weight.next = self.weight1.q.val();
        self.alu.live.next = self.live1.q.val();
        self.alu.waits.next = self.waits1.q.val();
        self.alu.opened.next = self.opened1.q.val();
        self.alu.loops.next = self.ledger.loops.val();
        self.alu.in_flight.next = self.ledger.in_flight.val();
        self.alu.largest.next = self.ledger.largest.val();
        self.outlook_path.next = self.sequencer.path.val();
        self.alu.outlook.next = self.outlook.val();
        self.alu.level.next = self.sums.level.val();
        self.alu.level_hi.next = self.sums.level_hi.val();
        self.alu.quotient.next = self.sums.quotient.val();
        self.alu.room_we.next = self.sums.room_we.val();
        self.alu.room.next = self.sums.room.val();

        self.sums.line.next = self.line.val();
        self.sums.capacity.next = self.capacity.val();
        self.sums.est.next = self.est.val();
        self.sums.hi.next = self.hi.val();
        self.sums.go.next = self.go.val();
        self.sums.path_valid.next = self.asked.q.val();
        self.sums.weight.next = self.weight.val();
        self.sums.waits.next = self.waiting.val();
        self.sums.begins.next = self.sequencer.valid.val() & self.sequencer.first.val();
        self.sums.ends.next = self.sequencer.valid.val() & self.sequencer.ends.val();
        self.sums.op.next = self.sequencer.op.val();
        self.sums.result_valid.next = self.alu.out_valid.val();
        self.sums.result_first.next = self.alu.out_first.val();
        self.sums.result_ends.next = self.alu.out_ends.val();
        self.sums.result_op.next = self.alu.out_op.val();
        self.sums.result.next = self.alu.result.val();

        self.ledger.slot.next = self.number.q.val();
        self.ledger.look.next = self.sequencer.look.val();
        self.ledger.at.next = self.sequencer.path.val();
        self.ledger.grant_we.next = self.alu.out_valid.val() & self.alu.out_op.val().grants;
        self.ledger.limit_we.next = self.alu.out_valid.val() & self.alu.out_op.val().limits;
        self.ledger.budget_path.next = self.alu.out_path.val();
        self.ledger.budget.next = self.alu.result.val();
        self.ledger.note.next = self.sequencer.note.val();

        self.loops_we.next = self.ledger.found.val();
        self.loops_path.next = self.ledger.found_path.val();
        self.loops.next = self.ledger.found_loops.val();

        // Out: a grant waits for its limit.
        self.grants.we.next = self.alu.out_valid.val() & self.alu.out_op.val().grants;
        self.grants.waddr.next = self.alu.out_path.val();
        self.grants.wdata.next = self.alu.result.val().get_bits::<32>(0);
        self.grants.raddr.next = self.alu.out_path.val();
        self.out_valid.d.next = self.alu.out_valid.val() & self.alu.out_op.val().limits;
        self.out_path.d.next = self.alu.out_path.val();
        self.out_grant.d.next = self.grants.rdata.val();
        self.out_limit.d.next = self.alu.result.val();
        self.budget_valid.next = self.out_valid.q.val();
        self.budget_path.next = self.out_path.q.val();
        self.budget_grant.next = self.out_grant.q.val();
        self.budget_limit.next = self.out_limit.q.val();
        self.ready.next = self.sequencer.ready.val();
        self.asks.next = self.sequencer.asks.val();
        self.ask.next = self.sequencer.ask.val();
        self.slot.next = self.number.q.val();
        self.done.next = self.sequencer.done.val();
        if self.sequencer.done.val() {
            self.number.d.next = self.number.q.val() + 1;
        }
        if self.rst.val() {
            self.number.d.next = 0.into();
            self.out_valid.d.next = false;
        }
    }
}
