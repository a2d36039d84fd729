//! Budget: **rail**. The four stages joined: what a gateway does at the end of a slot, and with a budget frame.
//!
//! In: levels from the host; the paths' far gateways and weights; the tables with their forecasts; `boundary`, the last
//! cycle of a slot, with what the client port was like; beats of paths that leave it; what each path is like here (`sent`,
//! `waiting`, `occupancy` of `ask_path`, `here` of `visits`, in the same cycle); bytes and frames from the line. Out: rates
//! and limits of the paths; frames for the line; what the law found.
//! Latency: from `boundary` to `done` at most 140 cycles more than the law takes; then the frames.
//! Model: `model::budget_rail`. Tests: `tests/budget/rail/`. Registers: `LAW`.
//!
//! ```text
//! boundary ─▶ leases ─▶ longest loop ─▶ estimator ─▶ law asks ─▶ law ─▶ done ─▶ frames, path by path
//!             no frame is judged ─────────────────────────────▶
//!             forecasts: where each stands ────────────────────▶ their outlooks, late in the law
//! ```
//!
//! So what the law sees of a path is of one moment, and a frame that came in a slot's last cycles is of the next.
//! Another session of ours begins between two slots' work: nothing was heard, said or sent before it.

mod loops;
mod sessions;
mod steps;

use super::budget_rx::BudgetRx;
use super::budget_tx::BudgetTx;
use super::forecast::Forecast;
use super::known::Known;
use super::rate_estimator::RateEstimator;
use super::reservoir::Reservoir;
use crate::prim::{Lit, LutRam};
pub use loops::Loops;
use matchrdma_spec::heard;
use matchrdma_spec::wire::budget::BYTES;
use rust_hdl::prelude::*;
use sessions::Sessions;
use steps::Steps;

/// The budget rail of one gateway.
#[derive(LogicBlock, Default)]
pub struct BudgetRail {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    // Levels from the host.
    pub line: Signal<In, Bits<32>>,
    pub floor: Signal<In, Bits<32>>,
    pub capacity: Signal<In, Bits<48>>,
    pub tau: Signal<In, Bits<2>>,
    pub a: Signal<In, Bits<5>>,
    pub p: Signal<In, Bits<5>>,
    pub c: Signal<In, Bits<5>>,
    pub h: Signal<In, Bits<5>>,
    pub site: Signal<In, Bits<16>>,
    pub session: Signal<In, Bits<32>>,
    pub from_wire: Signal<In, Bits<36>>,
    pub to_wire: Signal<In, Bits<48>>,
    pub slot_ps: Signal<In, Bits<64>>,
    pub clock_hz: Signal<In, Bits<32>>,
    pub capabilities: Signal<In, Bits<32>>,
    pub lease: Signal<In, Bits<16>>,
    pub dst: Signal<In, Bits<48>>,
    pub src: Signal<In, Bits<48>>,
    // The paths, one per cycle, round and round.
    pub peer_we: Signal<In, Bit>,
    pub peer_path: Signal<In, Bits<4>>,
    pub peer_on: Signal<In, Bit>,
    pub peer_site: Signal<In, Bits<16>>,
    pub peer_weight: Signal<In, Bits<8>>,
    pub peer_key: Signal<In, Bits<128>>,
    // The tables, and RATE's slot.
    pub path_we: Signal<In, Bit>,
    pub path_addr: Signal<In, Bits<5>>,
    pub path_word: Signal<In, Bits<4>>,
    pub path_data: Signal<In, Bits<32>>,
    pub calendar_we: Signal<In, Bit>,
    pub calendar_addr: Signal<In, Bits<14>>,
    pub calendar_data: Signal<In, Bits<32>>,
    pub banks: Signal<In, Bits<4>>,
    pub set: Signal<In, Bits<4>>,
    pub rate_slot: Signal<In, Bits<32>>,
    // The slot that ends.
    pub boundary: Signal<In, Bit>,
    pub drained: Signal<In, Bits<32>>,
    pub other: Signal<In, Bits<32>>,
    pub backlogged: Signal<In, Bit>,
    pub cnp: Signal<In, Bit>,
    // What leaves the client port of a path.
    pub left_valid: Signal<In, Bit>,
    pub left_path: Signal<In, Bits<4>>,
    pub left_bytes: Signal<In, Bits<9>>,
    pub visits: Signal<Out, Bits<4>>,
    /// Something of `visits` is here, in the same cycle.
    pub here: Signal<In, Bit>,
    // What a path is like here.
    pub ask_path: Signal<Out, Bits<4>>,
    pub sent: Signal<In, Bits<64>>,
    pub waiting: Signal<In, Bits<48>>,
    pub occupancy: Signal<In, Bits<48>>,
    pub stray: Signal<In, Bits<48>>,
    /// What is known of `ask_path`, in the same cycle.
    pub said: Signal<Out, Known>,
    pub arrived: Signal<Out, Bits<64>>,
    // From the line.
    pub came_valid: Signal<In, Bit>,
    pub came_path: Signal<In, Bits<4>>,
    pub came_bytes: Signal<In, Bits<14>>,
    pub frame_valid: Signal<In, Bit>,
    pub frame: Signal<In, Bits<{ 8 * BYTES }>>,
    pub bad: Signal<In, Bit>,
    // What a path may do.
    pub live_we: Signal<Out, Bit>,
    pub live_path: Signal<Out, Bits<4>>,
    pub live_rate: Signal<Out, Bits<32>>,
    pub limit: Signal<Out, Bits<64>>,
    pub free: Signal<Out, Bits<16>>,
    pub lapse_valid: Signal<Out, Bit>,
    // What became of frames.
    pub heard_valid: Signal<Out, Bit>,
    pub heard: Signal<Out, Bits<4>>,
    pub heard_path: Signal<Out, Bits<4>>,
    pub heard_high: Signal<Out, Bit>,
    pub lost: Signal<Out, Bit>,
    /// The pacer's `sent` of the path begins at 0, within four cycles.
    pub opened_valid: Signal<Out, Bit>,
    pub opened_path: Signal<Out, Bits<4>>,
    // Frames for the line.
    pub tx_order: Signal<Out, Bit>,
    pub tx_clear: Signal<In, Bit>,
    pub tx_valid: Signal<Out, Bit>,
    pub tx_data: Signal<Out, Bits<512>>,
    pub tx_bytes: Signal<Out, Bits<7>>,
    pub tx_last: Signal<Out, Bit>,
    pub tx_ready: Signal<In, Bit>,
    // What the law found.
    pub est: Signal<Out, Bits<32>>,
    pub hi: Signal<Out, Bits<32>>,
    pub slot: Signal<Out, Bits<48>>,
    pub budget_valid: Signal<Out, Bit>,
    pub budget_path: Signal<Out, Bits<4>>,
    pub budget_grant: Signal<Out, Bits<32>>,
    pub budget_limit: Signal<Out, Bits<64>>,
    pub done: Signal<Out, Bit>,
    /// A slot ended while the work of the one before was not over, and its own is left out; or its frames are.
    pub late: Signal<Out, Bit>,

    rx: BudgetRx,
    tx: BudgetTx,
    estimator: RateEstimator,
    law: Reservoir,
    forecast: Forecast,
    steps: Steps,
    loops: Loops,
    sessions: Sessions,
    on: DFF<Bits<16>>,
    weights: LutRam<8, 4>,
    life: DFF<Bits<32>>,
    reborn: DFF<Bit>,
    clears: Signal<Local, Bit>,
    echo: Signal<Local, Bits<64>>,
    line_waits: Signal<Local, Bits<64>>,
    lives: Signal<Local, Bit>,
    opened: Signal<Local, Bit>,
    h_opened: Lit<4, { heard::OPENED as u64 }>,
}

impl Logic for BudgetRail {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, on, life, reborn);
        self.clears.next = self.rst.val() | self.reborn.q.val();
        self.rx.clk.next = self.clk.val();
        self.rx.rst.next = self.clears.val();
        self.tx.clk.next = self.clk.val();
        self.tx.rst.next = self.rst.val();
        self.estimator.clk.next = self.clk.val();
        self.estimator.rst.next = self.clears.val();
        self.law.clk.next = self.clk.val();
        self.law.rst.next = self.rst.val();
        self.forecast.clk.next = self.clk.val();
        self.forecast.rst.next = self.rst.val();
        self.loops.clk.next = self.clk.val();
        self.loops.rst.next = self.rst.val();

        // The host's levels, and the paths.
        self.rx.site.next = self.site.val();
        self.rx.session.next = self.life.q.val();
        self.rx.line.next = self.line.val();
        self.rx.floor.next = self.floor.val();
        self.rx.from_wire.next = self.from_wire.val();
        self.tx.site.next = self.site.val();
        self.tx.session.next = self.life.q.val();
        self.tx.to_wire.next = self.to_wire.val();
        self.tx.slot_ps.next = self.slot_ps.val();
        self.tx.clock_hz.next = self.clock_hz.val();
        self.tx.capabilities.next = self.capabilities.val();
        self.tx.lease.next = self.lease.val();
        self.tx.dst.next = self.dst.val();
        self.tx.src.next = self.src.val();
        self.estimator.line.next = self.line.val();
        self.estimator.a.next = self.a.val();
        self.estimator.p.next = self.p.val();
        self.estimator.c.next = self.c.val();
        self.estimator.h.next = self.h.val();
        self.law.line.next = self.line.val();
        self.law.floor.next = self.floor.val();
        self.law.tau.next = self.tau.val();
        self.rx.peer_we.next = self.peer_we.val();
        self.rx.peer_path.next = self.peer_path.val();
        self.rx.peer_on.next = self.peer_on.val();
        self.rx.peer_site.next = self.peer_site.val();
        self.rx.peer_key.next = self.peer_key.val();
        self.tx.peer_we.next = self.peer_we.val();
        self.tx.peer_path.next = self.peer_path.val();
        self.tx.peer_on.next = self.peer_on.val();
        self.tx.peer_site.next = self.peer_site.val();
        self.tx.peer_key.next = self.peer_key.val();
        self.weights.clk.next = self.clk.val();
        self.weights.we.next = self.peer_we.val();
        self.weights.waddr.next = self.peer_path.val();
        self.weights.wdata.next = self.peer_weight.val();
        for i in 0..16 {
            if self.peer_we.val() & (self.peer_path.val().index() == i) {
                self.on.d.next = self.on.d.val().replace_bit(i, self.peer_on.val());
            }
        }

        // From the line.
        self.rx.came_valid.next = self.came_valid.val();
        self.rx.came_path.next = self.came_path.val();
        self.rx.came_bytes.next = self.came_bytes.val();
        self.rx.frame_valid.next = self.frame_valid.val();
        self.rx.frame.next = self.frame.val();
        self.rx.bad.next = self.bad.val();
        self.rx.boundary.next = self.boundary.val();
        self.live_we.next = self.rx.live_we.val();
        self.live_path.next = self.rx.live_path.val();
        self.live_rate.next = self.rx.live_rate.val();
        self.limit.next = self.rx.limit.val();
        self.free.next = self.rx.free.val();
        self.lapse_valid.next = self.rx.lapse_valid.val();
        self.heard_valid.next = self.rx.heard_valid.val();
        self.heard.next = self.rx.heard.val();
        self.heard_path.next = self.rx.heard_path.val();
        self.heard_high.next = self.rx.heard_high.val();
        self.lost.next = self.rx.lost.val();

        // A slot ends. Its work goes from one to the next.
        self.steps.clk.next = self.clk.val();
        self.steps.rst.next = self.rst.val();
        self.steps.boundary.next = self.boundary.val();
        self.steps.drained.next = self.drained.val();
        self.steps.other.next = self.other.val();
        self.steps.backlogged.next = self.backlogged.val();
        self.steps.cnp.next = self.cnp.val();
        self.steps.capacity.next = self.capacity.val();
        self.steps.stray.next = self.stray.val();
        self.steps.leasing.next = self.rx.ends.val();
        self.steps.loops_done.next = self.loops.done.val();
        self.steps.est_done.next = self.estimator.done.val();
        self.steps.law_ready.next = self.law.ready.val();
        self.steps.law_asks.next = self.law.asks.val();
        self.steps.law_ask.next = self.law.ask.val();
        self.steps.law_done.next = self.law.done.val();
        self.steps.missed.next = self.tx.missed.val();
        self.late.next = self.steps.late.val();
        self.loops.go.next = self.steps.loops_go.val();
        self.estimator.go.next = self.steps.est_go.val();
        self.estimator.drained.next = self.steps.was_drained.val();
        self.estimator.other.next = self.steps.was_other.val();
        self.estimator.backlogged.next = self.steps.was_backlogged.val();
        self.estimator.cnp.next = self.steps.was_cnp.val();
        self.estimator.waits.next = self.loops.waits.val();
        self.estimator.longest.next = self.loops.longest.val();
        self.rx.hold.next = self.steps.hold.val();

        // What a path is like: asked for the loops, the law or its frame.
        self.steps.tx_path.next = self.tx.ask_path.val();
        self.steps.loops_path.next = self.loops.ask_path.val();
        self.rx.ask_path.next = self.steps.ask_path.val();
        self.ask_path.next = self.steps.ask_path.val();
        self.said.next = self.rx.said.val();
        self.arrived.next = self.rx.arrived.val();
        self.echo.next = self.rx.said.val().echo;
        self.line_waits.next = self.rx.said.val().waiting;
        self.lives.next = self.on.q.val().get_bit(self.steps.ask_path.val().index()) & self.rx.said.val().knows_us;
        self.weights.raddr.next = self.steps.ask_path.val();
        self.opened.next = self.rx.heard_valid.val() & (self.rx.heard.val() == self.h_opened.val());
        self.opened_valid.next = self.opened.val();
        self.opened_path.next = self.rx.heard_path.val();
        self.sessions.clk.next = self.clk.val();
        self.sessions.rst.next = self.rst.val();
        self.sessions.opened.next = self.opened.val();
        self.sessions.path.next = self.rx.heard_path.val();
        self.sessions.slot.next = self.law.slot.val();
        self.sessions.granting.next = self.steps.granting.val();
        self.sessions.ask_path.next = self.steps.ask_path.val();
        self.sessions.said.next = self.echo.val().get_bits::<48>(0);
        self.sessions.answered.next = self.steps.answered.val();
        self.sessions.budget_path.next = self.law.budget_path.val();
        self.loops.slot.next = self.law.slot.val();
        self.loops.live.next = self.lives.val();
        self.loops.waiting.next = self.line_waits.val();
        self.loops.echo.next = self.sessions.echo.val();
        self.law.go.next = self.steps.law_go.val();
        self.law.capacity.next = self.steps.room.val();
        self.law.est.next = self.estimator.est.val();
        self.law.hi.next = self.estimator.hi.val();
        self.law.seen_live.next = self.lives.val();
        self.law.seen_waits.next = self.line_waits.val().any();
        self.law.seen_opened.next = self.sessions.anew.val();
        self.law.seen_weight.next = self.weights.rdata.val();
        self.law.seen_arrived.next = self.rx.arrived.val();
        self.law.seen_occupancy.next = self.occupancy.val();
        self.law.seen_echo.next = self.sessions.echo.val();

        // What the client port will drain.
        self.forecast.path_we.next = self.path_we.val();
        self.forecast.path_addr.next = self.path_addr.val();
        self.forecast.path_word.next = self.path_word.val();
        self.forecast.path_data.next = self.path_data.val();
        self.forecast.calendar_we.next = self.calendar_we.val();
        self.forecast.calendar_addr.next = self.calendar_addr.val();
        self.forecast.calendar_data.next = self.calendar_data.val();
        self.forecast.banks.next = self.banks.val();
        self.forecast.set.next = self.set.val();
        self.forecast.line.next = self.line.val();
        self.forecast.a.next = self.a.val();
        self.forecast.p.next = self.p.val();
        self.forecast.go.next = self.boundary.val();
        self.forecast.shows.next = self.steps.begins.val();
        self.forecast.slot.next = self.rate_slot.val();
        self.forecast.backlogged.next = self.backlogged.val();
        self.visits.next = self.forecast.visits.val();
        self.forecast.here.next = self.here.val();
        self.forecast.left_valid.next = self.left_valid.val();
        self.forecast.left_path.next = self.left_path.val();
        self.forecast.left_bytes.next = self.left_bytes.val();
        self.forecast.loops_we.next = self.law.loops_we.val();
        self.forecast.loops_path.next = self.law.loops_path.val();
        self.forecast.loops.next = self.law.loops.val();
        self.forecast.at.next = self.law.outlook_path.val();
        self.law.outlook.next = self.forecast.outlook.val();

        // What each may send, and what is told of it.
        self.budget_valid.next = self.law.budget_valid.val();
        self.budget_path.next = self.law.budget_path.val();
        self.budget_grant.next = self.law.budget_grant.val();
        self.budget_limit.next = self.law.budget_limit.val();
        if self.sessions.stale.val() {
            self.budget_grant.next = 0.into();
            self.budget_limit.next = 0.into();
        }
        self.est.next = self.estimator.est.val();
        self.hi.next = self.estimator.hi.val();
        self.slot.next = self.law.slot.val();
        self.done.next = self.law.done.val();
        self.tx.budget_valid.next = self.law.budget_valid.val();
        self.tx.budget_path.next = self.law.budget_path.val();
        self.tx.budget_grant.next = self.budget_grant.val();
        self.tx.budget_limit.next = self.budget_limit.val();
        self.tx.slot.next = self.law.slot.val();
        self.tx.opened_valid.next = self.opened.val();
        self.tx.opened_path.next = self.rx.heard_path.val();
        self.tx.go.next = self.law.done.val();
        self.tx.may_ask.next = self.steps.tx_may.val() & !self.sessions.settles.val();
        self.tx.said.next = self.rx.said.val();
        self.tx.sent.next = self.sent.val();
        self.tx.waiting.next = self.waiting.val();
        self.tx.occupancy.next = self.occupancy.val();
        self.tx_order.next = self.tx.tx_order.val();
        self.tx.tx_clear.next = self.tx_clear.val();
        self.tx.tx_ready.next = self.tx_ready.val();
        self.tx_valid.next = self.tx.tx_valid.val();
        self.tx_data.next = self.tx.tx_data.val();
        self.tx_bytes.next = self.tx.tx_bytes.val();
        self.tx_last.next = self.tx.tx_last.val();

        // Another session is another life. It begins when no slot is at work.
        self.reborn.d.next = false;
        if self.steps.rests.val() & (self.session.val() != self.life.q.val()) {
            self.life.d.next = self.session.val();
            self.reborn.d.next = true;
        }
        if self.rst.val() {
            self.on.d.next = 0.into();
            self.life.d.next = self.session.val();
            self.reborn.d.next = false;
        }
    }
}
