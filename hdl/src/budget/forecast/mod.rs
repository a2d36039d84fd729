//! Beside [reservoir](super::Reservoir): **forecast**. What this gateway's client port will drain of each path, as the
//! host has said it.
//!
//! In: words of the tables PATH and CALENDAR on their way into shadow banks; the banks in force; `go` in the last cycle of
//! a slot, when `slot` and the banks change; what leaves the client port of a path, beat by beat; in the same cycle as
//! `visits`, whether something of that path is here (`here`); the loops that the law found. Out: of the path `at`, a
//! cycle later, its [`Outlook`]: that of the slot which began with the last `go` that had `shows` up.
//! Latency: a pass of 128 cycles from the one after `go`, eight per path; `go` may come again after 130.
//! Model: `model::forecast`. Tests: `tests/budget/forecast.rs`. Registers: words 14 and 15 of a path, `CALENDAR`.
//!
//! ```text
//!        the slot that begins            slots + distance
//!  ─────[near]──────── sum ──────────────[ahead]─────▶   distance follows the loop, two slots per slot
//! ```

mod after;
mod drains;
mod slack;
mod walk;
mod words;

use crate::prim::{LutRam, Unpack};
use drains::Drains;
use rust_hdl::prelude::*;
use slack::Slack;
use walk::Walk;
use words::Words;

/// What the law hears of a path.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Outlook {
    /// There is one; else the rest means nothing.
    pub on: Bit,
    /// What it will drain in the slot that is `distance` slots away, and in all before it.
    pub ahead: Bits<32>,
    pub sum: Bits<44>,
    pub distance: Bits<12>,
    /// Bytes per slot by which that is too much.
    pub excess: Bits<32>,
}

const OUTLOOK_BITS: usize = <Outlook as Synth>::BITS;

/// The forecasts of sixteen paths.
#[derive(LogicBlock, Default)]
pub struct Forecast {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    // The tables.
    pub path_we: Signal<In, Bit>,
    pub path_addr: Signal<In, Bits<5>>,
    pub path_word: Signal<In, Bits<4>>,
    pub path_data: Signal<In, Bits<32>>,
    pub calendar_we: Signal<In, Bit>,
    pub calendar_addr: Signal<In, Bits<14>>,
    pub calendar_data: Signal<In, Bits<32>>,
    pub banks: Signal<In, Bits<4>>,
    pub set: Signal<In, Bits<4>>,
    // Constants of the law.
    pub line: Signal<In, Bits<32>>,
    pub a: Signal<In, Bits<5>>,
    pub p: Signal<In, Bits<5>>,
    // The slot.
    pub go: Signal<In, Bit>,
    pub shows: Signal<In, Bit>,
    pub slot: Signal<In, Bits<32>>,
    pub backlogged: Signal<In, Bit>,
    pub visits: Signal<Out, Bits<4>>,
    pub here: Signal<In, Bit>,
    pub left_valid: Signal<In, Bit>,
    pub left_path: Signal<In, Bits<4>>,
    pub left_bytes: Signal<In, Bits<9>>,
    // The law.
    pub loops_we: Signal<In, Bit>,
    pub loops_path: Signal<In, Bits<4>>,
    pub loops: Signal<In, Bits<12>>,
    pub at: Signal<In, Bits<4>>,
    pub outlook: Signal<Out, Outlook>,
    words: Words,
    drains: Drains,
    walk: Walk,
    slack: Slack,
    outlooks: LutRam<OUTLOOK_BITS, 4>,
    told: Unpack<OUTLOOK_BITS, Outlook>,
    out: DFF<Outlook>,
    busy: DFF<Bit>,
    count: DFF<Bits<7>>,
    full: DFF<Bit>,
    showing: DFF<Bit>,
    /// Since reset there was no pass.
    fresh: DFF<Bit>,
    /// The bank of CALENDAR in the last pass.
    was_bank: DFF<Bit>,
    number: Signal<Local, Bits<4>>,
    beat: Signal<Local, Bits<3>>,
    ends: Signal<Local, Bit>,
    shown: Signal<Local, Outlook>,
}

impl Logic for Forecast {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, out, busy, count, full, showing, fresh, was_bank);
        self.words.clk.next = self.clk.val();
        self.words.rst.next = self.rst.val();
        self.drains.clk.next = self.clk.val();
        self.drains.rst.next = self.rst.val();
        self.walk.clk.next = self.clk.val();
        self.slack.clk.next = self.clk.val();
        self.outlooks.clk.next = self.clk.val();

        // The pass.
        self.number.next = self.count.q.val().get_bits::<4>(3);
        self.beat.next = self.count.q.val().get_bits::<3>(0);
        self.ends.next = self.busy.q.val() & self.count.q.val().all();
        if self.busy.q.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        if self.ends.val() {
            self.busy.d.next = false;
            self.fresh.d.next = false;
            self.was_bank.d.next = self.banks.val().get_bit(3);
        }
        if self.go.val() {
            self.busy.d.next = true;
            self.count.d.next = 0.into();
            self.full.d.next = self.backlogged.val();
            self.showing.d.next = self.shows.val();
        }

        // What a path drained; its words and its loop.
        self.drains.turn.next = self.go.val();
        self.drains.left_valid.next = self.left_valid.val();
        self.drains.left_path.next = self.left_path.val();
        self.drains.left_bytes.next = self.left_bytes.val();
        self.drains.path.next = self.number.val();
        self.words.path_we.next = self.path_we.val();
        self.words.path_addr.next = self.path_addr.val();
        self.words.path_word.next = self.path_word.val();
        self.words.path_data.next = self.path_data.val();
        self.words.bank.next = self.banks.val().get_bit(1);
        self.words.is_set.next = self.set.val().get_bit(1);
        self.words.loops_we.next = self.loops_we.val();
        self.words.loops_path.next = self.loops_path.val();
        self.words.loops_found.next = self.loops.val();
        self.words.path.next = self.number.val();

        // Where its calendar stands.
        self.walk.calendar_we.next = self.calendar_we.val();
        self.walk.calendar_addr.next = self.calendar_addr.val();
        self.walk.calendar_data.next = self.calendar_data.val();
        self.walk.bank.next = self.banks.val().get_bit(3);
        self.walk.is_set.next = self.set.val().get_bit(3);
        self.walk.valid.next = self.busy.q.val();
        self.walk.path.next = self.number.val();
        self.walk.beat.next = self.beat.val();
        self.walk.slot.next = self.slot.val();
        self.walk.anew.next = self.fresh.q.val() | (self.banks.val().get_bit(3) ^ self.was_bank.q.val());
        self.walk.span.next = self.words.span.val();
        self.walk.start.next = self.words.start.val();
        self.walk.loops.next = self.words.loops.val();

        // What was promised too much.
        self.visits.next = self.number.val();
        self.slack.valid.next = self.busy.q.val();
        self.slack.path.next = self.number.val();
        self.slack.beat.next = self.beat.val();
        self.slack.line.next = self.line.val();
        self.slack.a.next = self.a.val();
        self.slack.p.next = self.p.val();
        self.slack.drained.next = self.drains.drained.val();
        self.slack.full.next = self.full.q.val() & self.here.val();
        self.slack.promised.next = self.walk.promised.val();
        self.slack.keeps.next = self.walk.keeps.val();

        // For the law, which reads on when a slot is left out.
        self.shown.next.on = self.walk.on.val() & self.slack.trusted.val();
        self.shown.next.ahead = self.walk.ahead.val();
        self.shown.next.sum = self.walk.sum.val();
        self.shown.next.distance = self.walk.distance.val();
        self.shown.next.excess = self.slack.excess.val();
        self.outlooks.we.next = self.busy.q.val() & self.showing.q.val() & self.beat.val().all();
        self.outlooks.waddr.next = self.number.val();
        self.outlooks.wdata.next = self.shown.val().into();
        self.outlooks.raddr.next = self.at.val();
        self.told.din.next = self.outlooks.rdata.val();
        self.out.d.next = self.told.dout.val();
        self.outlook.next = self.out.q.val();
        if self.rst.val() {
            self.busy.d.next = false;
            self.fresh.d.next = true;
        }
    }
}
