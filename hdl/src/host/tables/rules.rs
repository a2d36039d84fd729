//! Beside host 2: **rules**. What a word of a route and of a path may be.
//!
//! In: words in order, one per cycle; `start` before the first; `taken` when they take effect. Out, in the same cycle:
//! `code`, 0 when the word is right.
//! Between the two: `routed` (paths that routes lead to, of those in force), `off` (paths that are off, of the commit if
//! it has paths). Model: `model::tables`. Tests: `tests/host/tables.rs`. Registers: `TABLE`.

use crate::prim::Lit;
use matchrdma_spec::params::{CALENDAR_ENTRIES, QUEUE_BYPASS};
use matchrdma_spec::regs::{entry, table};
use rust_hdl::prelude::*;

/// Routes: ascending, to queues that exist, to no path that is off.
#[derive(LogicBlock, Default)]
pub struct RouteRule {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub start: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub at: Signal<In, Bits<3>>,
    pub word: Signal<In, Bits<32>>,
    pub taken: Signal<In, Bit>,
    pub off: Signal<In, Bits<16>>,
    pub routed: Signal<Out, Bits<16>>,
    pub code: Signal<Out, Bits<8>>,
    /// A cycle later: the row that the words up to this one make, and whether it is whole.
    pub row: Signal<Out, Bits<134>>,
    pub whole: Signal<Out, Bit>,
    // Words of the entry before, the next to be compared first; behind them those of this one.
    oldest: DFF<Bits<32>>,
    older: DFF<Bits<32>>,
    newer: DFF<Bits<32>>,
    newest: DFF<Bits<32>>,
    above: DFF<Bit>,
    ones: DFF<Bit>,
    v6: DFF<Bit>,
    opens: DFF<Bit>,
    queue: DFF<Bits<5>>,
    done: DFF<Bit>,
    uses: [DFF<Bit>; 16],
    used: [DFF<Bit>; 16],
    more: Signal<Local, Bit>,
    same: Signal<Local, Bit>,
    is_v6: Signal<Local, Bit>,
    unused: Signal<Local, Bit>,
    ascends: Signal<Local, Bit>,
    to: Signal<Local, Bits<5>>,
    leads_off: Signal<Local, Bit>,
    stray: Signal<Local, Bits<32>>,
    joined: Signal<Local, Bits<134>>,
    power: Signal<Local, Bits<16>>,
    all: Signal<Local, Bits<16>>,
    bypass: Lit<5, { QUEUE_BYPASS as u64 }>,
    may: Lit<32, { !(entry::ROUTE_V6.mask() | entry::ROUTE_QUEUE.mask()) as u64 }>,
    code_order: Lit<8, { table::CODE_ROUTE_ORDER as u64 }>,
    code_queue: Lit<8, { table::CODE_ROUTE_QUEUE as u64 }>,
    code_off: Lit<8, { table::CODE_ROUTE_PATH_OFF as u64 }>,
    code_reserved: Lit<8, { table::CODE_RESERVED as u64 }>,
}

impl Logic for RouteRule {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, oldest, older, newer, newest, above, ones, v6, opens, queue, done);
        self.more.next = self.word.val() > self.oldest.q.val();
        self.same.next = self.word.val() == self.oldest.q.val();
        if self.valid.val() & !self.at.val().get_bit(2) {
            self.oldest.d.next = self.older.q.val();
            self.older.d.next = self.newer.q.val();
            self.newer.d.next = self.newest.q.val();
            self.newest.d.next = self.word.val();
            self.above.d.next = self.more.val() | (self.same.val() & self.above.q.val());
            self.ones.d.next = self.word.val().all() & self.ones.q.val();
            if !self.at.val().any() {
                self.above.d.next = self.more.val();
                self.ones.d.next = self.word.val().all();
            }
        }

        self.is_v6.next = self.word.val().get_bit(0);
        self.to.next = self.word.val().get_bits::<5>(8);
        self.unused.next = self.is_v6.val() & self.ones.q.val();
        self.ascends.next = self.opens.q.val()
            | (self.is_v6.val() & !self.v6.q.val())
            | ((self.is_v6.val() == self.v6.q.val()) & self.above.q.val());
        self.leads_off.next = false;
        self.power.next = bits::<16>(1);
        self.all.next = bits::<16>(0);
        for i in 0..16 {
            self.uses[i].clock.next = self.clk.val();
            self.used[i].clock.next = self.clk.val();
            self.uses[i].d.next = self.uses[i].q.val();
            self.used[i].d.next = self.used[i].q.val();
            if self.to.val().index() == i {
                if (self.off.val() & self.power.val()).any() {
                    self.leads_off.next = true;
                }
                if self.valid.val() & (self.at.val() == 4) {
                    self.uses[i].d.next = true;
                }
            }
            if self.used[i].q.val() {
                self.all.next = self.all.val() | self.power.val();
            }
            if self.taken.val() {
                self.used[i].d.next = self.uses[i].q.val();
            }
            if self.start.val() {
                self.uses[i].d.next = false;
            }
            if self.rst.val() {
                self.used[i].d.next = false;
            }
            self.power.next = self.power.val() << 1;
        }
        self.routed.next = self.all.val();

        self.code.next = bits::<8>(0);
        self.stray.next = self.word.val() & self.may.val();
        self.done.d.next = false;
        if self.at.val() == 4 {
            if self.leads_off.val() {
                self.code.next = self.code_off.val();
            }
            if !self.ascends.val() & !self.unused.val() {
                self.code.next = self.code_order.val();
            }
            if (self.to.val() > self.bypass.val()) | (self.unused.val() & (self.to.val() != self.bypass.val())) {
                self.code.next = self.code_queue.val();
            }
            if self.stray.val().any() {
                self.code.next = self.code_reserved.val();
            }
            self.done.d.next = self.valid.val();
            if self.valid.val() {
                self.v6.d.next = self.is_v6.val();
                self.queue.d.next = self.to.val();
                self.opens.d.next = false;
            }
        }
        if (self.at.val() > 4) & self.word.val().any() {
            self.code.next = self.code_reserved.val();
        }
        if self.start.val() {
            self.opens.d.next = true;
        }

        self.whole.next = self.done.q.val();
        self.joined.next = bit_cast::<134, 32>(self.oldest.q.val());
        self.joined.next = self.joined.val() | (bit_cast::<134, 32>(self.older.q.val()) << 32);
        self.joined.next = self.joined.val() | (bit_cast::<134, 32>(self.newer.q.val()) << 64);
        self.joined.next = self.joined.val() | (bit_cast::<134, 32>(self.newest.q.val()) << 96);
        self.joined.next = self.joined.val() | (bit_cast::<134, 5>(self.queue.q.val()) << 129);
        self.row.next = self.joined.val();
        if self.v6.q.val() {
            self.row.next = self.joined.val() | (bits::<134>(1) << 128);
        }
    }
}

/// Paths: modes that exist, buckets that hold a frame, far gateways that can grant, calendars that have an entry,
/// forecasts that lie within the path's entries.
#[derive(LogicBlock, Default)]
pub struct PathRule {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub at: Signal<In, Bits<8>>,
    pub word: Signal<In, Bits<32>>,
    pub taken: Signal<In, Bit>,
    /// The commit has paths: its routes are held against these.
    pub comes: Signal<In, Bit>,
    /// It has routes: these paths are not held against those in force.
    pub routes_come: Signal<In, Bit>,
    /// Paths that the routes in force lead to.
    pub routed: Signal<In, Bits<16>>,
    pub off: Signal<Out, Bits<16>>,
    pub code: Signal<Out, Bits<8>>,
    mode: DFF<Bits<3>>,
    offs: [DFF<Bit>; 16],
    is_off: [DFF<Bit>; 16],
    number: Signal<Local, Bits<4>>,
    place: Signal<Local, Bits<4>>,
    goes_off: Signal<Local, Bit>,
    in_use: Signal<Local, Bit>,
    paced: Signal<Local, Bit>,
    timed: Signal<Local, Bit>,
    granted: Signal<Local, Bit>,
    has_peer: Signal<Local, Bit>,
    stray: Signal<Local, Bits<32>>,
    stray7: Signal<Local, Bits<32>>,
    stray14: Signal<Local, Bits<32>>,
    length: Signal<Local, Bits<9>>,
    /// Forecast: its first entry, its length, and the entry behind its last.
    first: Signal<Local, Bits<10>>,
    span: Signal<Local, Bits<10>>,
    behind: Signal<Local, Bits<10>>,
    power: Signal<Local, Bits<16>>,
    all: Signal<Local, Bits<16>>,
    none: Lit<3, { entry::MODE_OPEN as u64 }>,
    calendar: Lit<3, { entry::MODE_CALENDAR as u64 }>,
    live: Lit<3, { entry::MODE_LIVE as u64 }>,
    lesser: Lit<3, { entry::MODE_LESSER as u64 }>,
    mode_off: Lit<3, { entry::MODE_OFF as u64 }>,
    burst_min: Lit<32, { entry::BURST_MIN as u64 }>,
    burst_max: Lit<32, { entry::BURST_MAX as u64 }>,
    longest: Lit<9, { CALENDAR_ENTRIES as u64 }>,
    entries: Lit<10, { CALENDAR_ENTRIES as u64 }>,
    may0: Lit<32, { !entry::Path::BITS[0] as u64 }>,
    may7: Lit<32, { !entry::Path::BITS[7] as u64 }>,
    may8: Lit<32, { !entry::Path::BITS[8] as u64 }>,
    may14: Lit<32, { !entry::Path::BITS[14] as u64 }>,
    code_off: Lit<8, { table::CODE_ROUTE_PATH_OFF as u64 }>,
    code_mode: Lit<8, { table::CODE_PATH_MODE as u64 }>,
    code_burst: Lit<8, { table::CODE_PATH_BURST as u64 }>,
    code_peer: Lit<8, { table::CODE_PATH_PEER as u64 }>,
    code_length: Lit<8, { table::CODE_CALENDAR_LENGTH as u64 }>,
    code_forecast: Lit<8, { table::CODE_FORECAST_LENGTH as u64 }>,
    code_reserved: Lit<8, { table::CODE_RESERVED as u64 }>,
}

// Words 1 to 6, 9 to 13 and 15 may be anything.
const _: () = assert!(entry::Path::BITS[1] & entry::Path::BITS[6] & entry::Path::BITS[9] == !0);
const _: () = assert!(entry::Path::BITS[10] & entry::Path::BITS[13] == !0);
const _: () = assert!(entry::Path::BITS[11] & entry::Path::BITS[12] & entry::Path::BITS[15] == !0);
const _: () = assert!(entry::FORECAST_FIRST.bits == 8 && entry::FORECAST_LENGTH.lsb == 8);
const _: () = assert!(entry::PATH_WEIGHT.lsb == 16 && entry::PATH_WEIGHT.bits == 8 && entry::PATH_PEER_ON.lsb == 24);

impl Logic for PathRule {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, mode);
        self.number.next = self.at.val().get_bits::<4>(4);
        self.place.next = self.at.val().get_bits::<4>(0);
        self.goes_off.next = self.word.val().get_bits::<3>(0) == self.mode_off.val();
        self.in_use.next = false;
        self.power.next = bits::<16>(1);
        self.all.next = bits::<16>(0);
        for i in 0..16 {
            self.offs[i].clock.next = self.clk.val();
            self.is_off[i].clock.next = self.clk.val();
            self.offs[i].d.next = self.offs[i].q.val();
            self.is_off[i].d.next = self.is_off[i].q.val();
            if self.number.val().index() == i {
                if (self.routed.val() & self.power.val()).any() {
                    self.in_use.next = true;
                }
                if self.valid.val() & !self.place.val().any() {
                    self.offs[i].d.next = self.goes_off.val();
                }
            }
            if self.comes.val() {
                if self.offs[i].q.val() {
                    self.all.next = self.all.val() | self.power.val();
                }
            } else if self.is_off[i].q.val() {
                self.all.next = self.all.val() | self.power.val();
            }
            if self.taken.val() {
                self.is_off[i].d.next = self.offs[i].q.val();
            }
            if self.rst.val() {
                self.is_off[i].d.next = false;
            }
            self.power.next = self.power.val() << 1;
        }
        self.off.next = self.all.val();

        if self.valid.val() & !self.place.val().any() {
            self.mode.d.next = self.word.val().get_bits::<3>(0);
        }
        self.paced.next = (self.mode.q.val() != self.none.val()) & (self.mode.q.val() != self.mode_off.val());
        self.timed.next = (self.mode.q.val() == self.calendar.val()) | (self.mode.q.val() == self.lesser.val());
        self.granted.next = (self.mode.q.val() == self.live.val()) | (self.mode.q.val() == self.lesser.val());
        self.has_peer.next = self.word.val().get_bit(24) & self.word.val().get_bits::<8>(16).any();
        self.length.next = self.word.val().get_bits::<9>(0);
        self.code.next = bits::<8>(0);
        self.stray.next = self.word.val() & self.may8.val();
        if self.place.val() == 0 {
            self.stray.next = self.word.val() & self.may0.val();
            if self.goes_off.val() & self.in_use.val() & !self.routes_come.val() {
                self.code.next = self.code_off.val();
            }
            if self.word.val().get_bits::<3>(0) > self.mode_off.val() {
                self.code.next = self.code_mode.val();
            }
            if self.stray.val().any() {
                self.code.next = self.code_reserved.val();
            }
        }
        if (self.place.val() == 2)
            & self.paced.val()
            & ((self.word.val() < self.burst_min.val()) | (self.word.val() > self.burst_max.val()))
        {
            self.code.next = self.code_burst.val();
        }
        self.stray7.next = self.word.val() & self.may7.val();
        if self.place.val() == 7 {
            if self.granted.val() & !self.has_peer.val() {
                self.code.next = self.code_peer.val();
            }
            if self.stray7.val().any() {
                self.code.next = self.code_reserved.val();
            }
        }
        if self.place.val() == 8 {
            if (self.length.val() > self.longest.val()) | (self.timed.val() & !self.length.val().any()) {
                self.code.next = self.code_length.val();
            }
            if self.stray.val().any() {
                self.code.next = self.code_reserved.val();
            }
        }
        self.first.next = bit_cast::<10, 8>(self.word.val().get_bits::<8>(0));
        self.span.next = bit_cast::<10, 9>(self.word.val().get_bits::<9>(8));
        self.behind.next = self.first.val() + self.span.val();
        self.stray14.next = self.word.val() & self.may14.val();
        if self.place.val() == 14 {
            if self.behind.val() > self.entries.val() {
                self.code.next = self.code_forecast.val();
            }
            if self.stray14.val().any() {
                self.code.next = self.code_reserved.val();
            }
        }
    }
}
