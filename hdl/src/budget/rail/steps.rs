//! Inside [rail](super): **steps**. The work of a slot, from one stage to the next.
//!
//! In: `boundary`, with what the client port was like; when each stage is done. Out: `go` of each stage; the slot as it
//! was (`was_*`), and the `room` of the paths, while it is worked on; whose question `ask_path` is; `hold`: no frame is judged;
//! `late`. Model: `model::budget_rail`. Tests: `tests/budget/rail/`. Registers: none.

use rust_hdl::prelude::*;

/// One slot at a time.
#[derive(LogicBlock, Default)]
pub struct Steps {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub boundary: Signal<In, Bit>,
    pub drained: Signal<In, Bits<32>>,
    pub other: Signal<In, Bits<32>>,
    pub backlogged: Signal<In, Bit>,
    pub cnp: Signal<In, Bit>,
    pub capacity: Signal<In, Bits<48>>,
    pub stray: Signal<In, Bits<48>>,
    /// Leases are at work.
    pub leasing: Signal<In, Bit>,
    /// The slot that begins is worked on.
    pub begins: Signal<Out, Bit>,
    pub loops_go: Signal<Out, Bit>,
    pub loops_done: Signal<In, Bit>,
    pub est_go: Signal<Out, Bit>,
    pub est_done: Signal<In, Bit>,
    pub law_ready: Signal<In, Bit>,
    pub law_go: Signal<Out, Bit>,
    pub law_asks: Signal<In, Bit>,
    pub law_ask: Signal<In, Bits<4>>,
    pub law_done: Signal<In, Bit>,
    pub missed: Signal<In, Bit>,
    pub was_drained: Signal<Out, Bits<32>>,
    pub was_other: Signal<Out, Bits<32>>,
    pub was_backlogged: Signal<Out, Bit>,
    pub was_cnp: Signal<Out, Bit>,
    pub room: Signal<Out, Bits<48>>,
    /// No slot is at work.
    pub rests: Signal<Out, Bit>,
    pub hold: Signal<Out, Bit>,
    /// Who asks: the loops, the law, or the frames when they may.
    pub loops_path: Signal<In, Bits<4>>,
    pub tx_path: Signal<In, Bits<4>>,
    pub ask_path: Signal<Out, Bits<4>>,
    pub tx_may: Signal<Out, Bit>,
    /// The law is answered; it has its answers.
    pub answered: Signal<Out, Bit>,
    pub granting: Signal<Out, Bit>,
    pub late: Signal<Out, Bit>,
    drained1: DFF<Bits<32>>,
    other1: DFF<Bits<32>>,
    backlogged1: DFF<Bit>,
    cnp1: DFF<Bit>,
    stray1: DFF<Bits<48>>,
    room1: DFF<Bits<48>>,
    over: Signal<Local, Bits<49>>,
    // Where the work is, one after the other.
    idle: DFF<Bit>,
    leases: DFF<Bit>,
    scans: DFF<Bit>,
    rates: DFF<Bit>,
    fits: DFF<Bits<2>>,
    asks: DFF<Bit>,
    asked: DFF<Bit>,
    path: DFF<Bits<4>>,
    grants: DFF<Bit>,
    is_late: DFF<Bit>,
    starts: Signal<Local, Bit>,
    loops_goes: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
}

impl Logic for Steps {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, drained1, other1, backlogged1, cnp1, stray1, room1);
        dff_setup!(self, clk, idle, leases, scans, rates, fits, asks, asked, path, grants, is_late);
        // A slot ends. Its work goes from one to the next.
        self.starts.next = self.boundary.val() & self.idle.q.val();
        self.begins.next = self.starts.val();
        if self.starts.val() {
            self.idle.d.next = false;
            self.leases.d.next = true;
            self.drained1.d.next = self.drained.val();
            self.other1.d.next = self.other.val();
            self.backlogged1.d.next = self.backlogged.val();
            self.cnp1.d.next = self.cnp.val();
        }
        self.is_late.d.next = (self.boundary.val() & !self.idle.q.val()) | self.missed.val();
        self.late.next = self.is_late.q.val();
        self.loops_goes.next = self.leases.q.val() & !self.leasing.val();
        if self.loops_goes.val() {
            self.leases.d.next = false;
            self.scans.d.next = true;
        }
        if self.scans.q.val() & self.loops_done.val() {
            self.scans.d.next = false;
            self.rates.d.next = true;
        }
        self.est_go.next = self.scans.q.val() & self.loops_done.val();
        // What the paths may fill: all that is not of others.
        self.over.next = bit_cast::<49, 48>(self.capacity.val()) - bit_cast::<49, 48>(self.stray1.q.val());
        self.room1.d.next = bit_cast::<48, 49>(self.over.val());
        if self.over.val().get_bit(48) {
            self.room1.d.next = 0.into();
        }
        if self.rates.q.val() & self.est_done.val() {
            self.rates.d.next = false;
            self.stray1.d.next = self.stray.val();
            self.fits.d.next = 2.into();
        }
        if self.fits.q.val() == 2 {
            self.fits.d.next = 1.into();
        }
        self.goes.next = (self.fits.q.val() == 1) & self.law_ready.val();
        if self.goes.val() {
            self.fits.d.next = 0.into();
            self.asks.d.next = true;
        }
        self.asked.d.next = self.law_asks.val();
        self.path.d.next = self.law_ask.val();
        if self.asks.q.val() & self.asked.q.val() & !self.law_asks.val() {
            self.asks.d.next = false;
            self.grants.d.next = true;
        }
        if self.law_done.val() {
            self.grants.d.next = false;
            self.idle.d.next = true;
        }
        self.hold.next = !self.idle.q.val() & !self.grants.q.val();
        self.was_drained.next = self.drained1.q.val();
        self.was_other.next = self.other1.q.val();
        self.was_backlogged.next = self.backlogged1.q.val();
        self.was_cnp.next = self.cnp1.q.val();
        self.room.next = self.room1.q.val();
        self.loops_go.next = self.loops_goes.val();
        self.law_go.next = self.goes.val();
        self.rests.next = self.idle.q.val() & !self.boundary.val();
        self.ask_path.next = self.tx_path.val();
        if self.scans.q.val() {
            self.ask_path.next = self.loops_path.val();
        }
        if self.asks.q.val() {
            self.ask_path.next = self.path.q.val();
        }
        self.tx_may.next = !self.scans.q.val() & !self.asks.q.val() & !self.leasing.val();
        self.answered.next = self.asks.q.val() & self.asked.q.val();
        self.granting.next = self.grants.q.val();
        if self.rst.val() {
            self.idle.d.next = true;
            self.leases.d.next = false;
            self.scans.d.next = false;
            self.rates.d.next = false;
            self.fits.d.next = 0.into();
            self.asks.d.next = false;
            self.asked.d.next = false;
            self.grants.d.next = false;
            self.is_late.d.next = false;
        }
    }
}
