//! Budget 4 of 4: **budget_tx**. From the [reservoir](super::Reservoir), what [budget_rx](super::BudgetRx) knows, and the
//! pacer, to the line's order of departure.
//!
//! In: `budget`, what a path was granted, with its `slot`; `opened`, a path's far gateway began a new session: what it was
//! granted is void; `go` begins a round of the paths. In the cycle of `tx_order`, `said`, `sent`, `waiting` and
//! `occupancy` of `ask_path` are taken; it comes only while `may_ask` is up.
//! Out: per path with a far gateway a frame of two beats, once it is sealed and `tx_clear` is up. `missed`: a `go` found a
//! round that was not over, which goes on with what is newest.
//! Latency: from `tx_order` to `tx_valid` 39 cycles at least; a round of `n` paths takes less than `60 + 41 n` and its waits.
//! Model: `model::budget_tx`. Tests: `tests/budget/budget_tx.rs`. Registers: `LAW`.
//!
//! ```text
//! path ─▶ rate in the wire's unit ─▶ taken ─▶ seal ─▶ two beats
//! ```
//!
//! While a frame is sealed, the next path's rate is worked out.

use super::budget_frame::{BudgetFrame, Told, FRAME_BITS};
use super::known::Known;
use super::scale::Scale;
use super::seal::Seal;
use crate::prim::{Lit, LutRam};
use rust_hdl::prelude::*;

const BEAT_BITS: usize = FRAME_BITS / 2;

/// All paths.
#[derive(LogicBlock, Default)]
pub struct BudgetTx {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    // Levels from the host. One that changes while a frame is under way spoils that frame, but for `session`.
    pub site: Signal<In, Bits<16>>,
    pub session: Signal<In, Bits<32>>,
    pub to_wire: Signal<In, Bits<48>>,
    pub slot_ps: Signal<In, Bits<64>>,
    pub clock_hz: Signal<In, Bits<32>>,
    pub capabilities: Signal<In, Bits<32>>,
    pub lease: Signal<In, Bits<16>>,
    pub dst: Signal<In, Bits<48>>,
    pub src: Signal<In, Bits<48>>,
    pub peer_we: Signal<In, Bit>,
    pub peer_path: Signal<In, Bits<4>>,
    pub peer_on: Signal<In, Bit>,
    pub peer_site: Signal<In, Bits<16>>,
    pub peer_key: Signal<In, Bits<128>>,
    // From the law.
    pub budget_valid: Signal<In, Bit>,
    pub budget_path: Signal<In, Bits<4>>,
    pub budget_grant: Signal<In, Bits<32>>,
    pub budget_limit: Signal<In, Bits<64>>,
    pub slot: Signal<In, Bits<48>>,
    pub opened_valid: Signal<In, Bit>,
    pub opened_path: Signal<In, Bits<4>>,
    pub go: Signal<In, Bit>,
    pub busy: Signal<Out, Bit>,
    pub missed: Signal<Out, Bit>,
    // What a path is like.
    pub may_ask: Signal<In, Bit>,
    pub ask_path: Signal<Out, Bits<4>>,
    pub said: Signal<In, Known>,
    pub sent: Signal<In, Bits<64>>,
    pub waiting: Signal<In, Bits<48>>,
    pub occupancy: Signal<In, Bits<48>>,
    // Frames.
    pub tx_order: Signal<Out, Bit>,
    pub tx_clear: Signal<In, Bit>,
    pub tx_valid: Signal<Out, Bit>,
    pub tx_data: Signal<Out, Bits<BEAT_BITS>>,
    pub tx_bytes: Signal<Out, Bits<7>>,
    pub tx_last: Signal<Out, Bit>,
    pub tx_ready: Signal<In, Bit>,

    // The peers, and the budgets; of those in `gone` nothing counts.
    on: DFF<Bits<16>>,
    sites: LutRam<16, 4>,
    keys: LutRam<128, 4>,
    grants: LutRam<32, 4>,
    limits: LutRam<64, 4>,
    slots: LutRam<48, 4>,
    gone: DFF<Bits<16>>,
    // Our session, whether there is one, and the paths that have not said anything in it.
    life: DFF<Bits<32>>,
    alive: DFF<Bit>,
    fresh: DFF<Bits<16>>,
    numbers: LutRam<64, 4>,
    last_number: Signal<Local, Bits<64>>,
    number: Signal<Local, Bits<64>>,
    // The round: its path; its rate is being worked out; it is there.
    round: DFF<Bit>,
    next: DFF<Bits<4>>,
    ripens: DFF<Bit>,
    ripe: DFF<Bit>,
    miss: DFF<Bit>,
    here: Signal<Local, Bit>,
    seeks: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    past: Signal<Local, Bit>,
    scale: Scale,
    // The frame: it is taken, sealed, offered, and its first beat is gone.
    frames: DFF<Bit>,
    begins: DFF<Bit>,
    sealed: DFF<Bit>,
    offers: DFF<Bit>,
    second: DFF<Bit>,
    path: DFF<Bits<4>>,
    tells: Signal<Local, Told>,
    told: DFF<Told>,
    seal: Seal,
    frame: BudgetFrame,
    all_paths: Lit<16, { u16::MAX as u64 }>,
    beat: Lit<11, { BEAT_BITS as u64 }>,
    beat_bytes: Lit<7, { BEAT_BITS as u64 / 8 }>,
}

impl Logic for BudgetTx {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, on, gone, life, alive, fresh, round, next, ripens, ripe, miss, frames, begins, sealed);
        dff_setup!(self, clk, offers, second, path, told);

        // The peers.
        self.sites.clk.next = self.clk.val();
        self.sites.we.next = self.peer_we.val();
        self.sites.waddr.next = self.peer_path.val();
        self.sites.wdata.next = self.peer_site.val();
        self.sites.raddr.next = self.next.q.val();
        self.keys.clk.next = self.clk.val();
        self.keys.we.next = self.peer_we.val();
        self.keys.waddr.next = self.peer_path.val();
        self.keys.wdata.next = self.peer_key.val();
        self.keys.raddr.next = self.path.q.val();
        for i in 0..16 {
            if self.peer_we.val() & (self.peer_path.val().index() == i) {
                self.on.d.next = self.on.d.val().replace_bit(i, self.peer_on.val());
            }
        }

        // What was granted.
        self.grants.clk.next = self.clk.val();
        self.grants.we.next = self.budget_valid.val();
        self.grants.waddr.next = self.budget_path.val();
        self.grants.wdata.next = self.budget_grant.val();
        self.grants.raddr.next = self.next.q.val();
        self.limits.clk.next = self.clk.val();
        self.limits.we.next = self.budget_valid.val();
        self.limits.waddr.next = self.budget_path.val();
        self.limits.wdata.next = self.budget_limit.val();
        self.limits.raddr.next = self.next.q.val();
        self.slots.clk.next = self.clk.val();
        self.slots.we.next = self.budget_valid.val();
        self.slots.waddr.next = self.budget_path.val();
        self.slots.wdata.next = self.slot.val();
        self.slots.raddr.next = self.next.q.val();
        for i in 0..16 {
            if self.budget_valid.val() & (self.budget_path.val().index() == i) {
                self.gone.d.next = self.gone.d.val().replace_bit(i, false);
            }
            if self.opened_valid.val() & (self.opened_path.val().index() == i) {
                self.gone.d.next = self.gone.d.val().replace_bit(i, true);
            }
        }

        // The round. A path whose budget changes under way begins anew.
        self.here.next = self.alive.q.val() & self.on.q.val().get_bit(self.next.q.val().index());
        self.seeks.next = self.round.q.val() & self.here.val() & !self.ripens.q.val() & !self.ripe.q.val();
        self.takes.next = self.round.q.val()
            & self.here.val()
            & self.ripe.q.val()
            & self.may_ask.val()
            & !self.frames.q.val()
            & !self.budget_valid.val()
            & !self.opened_valid.val();
        self.past.next = self.round.q.val() & (self.takes.val() | !self.here.val());
        self.scale.clk.next = self.clk.val();
        self.scale.rst.next = self.rst.val();
        self.scale.go.next = self.seeks.val();
        self.scale.rate.next = bit_cast::<64, 32>(self.grants.rdata.val());
        self.scale.factor.next = self.to_wire.val();
        self.scale.most.next = 0.into();
        if self.seeks.val() {
            self.ripens.d.next = true;
        }
        if self.ripens.q.val() & self.scale.done.val() {
            self.ripens.d.next = false;
            self.ripe.d.next = true;
        }
        if self.past.val() | self.budget_valid.val() {
            self.ripens.d.next = false;
            self.ripe.d.next = false;
        }
        if self.past.val() {
            self.next.d.next = self.next.q.val() + 1;
            if self.next.q.val().all() {
                self.round.d.next = false;
            }
        }
        if self.go.val() & !self.round.q.val() {
            self.round.d.next = true;
            self.next.d.next = 0.into();
        }
        self.miss.d.next = self.go.val() & self.round.q.val();

        // A frame is taken.
        self.numbers.clk.next = self.clk.val();
        self.numbers.raddr.next = self.next.q.val();
        self.last_number.next = self.numbers.rdata.val();
        if self.fresh.q.val().get_bit(self.next.q.val().index()) {
            self.last_number.next = 0.into();
        }
        self.number.next = self.last_number.val() + 1;
        self.numbers.we.next = self.takes.val();
        self.numbers.waddr.next = self.next.q.val();
        self.numbers.wdata.next = self.number.val();
        for i in 0..16 {
            if self.takes.val() & (self.next.q.val().index() == i) {
                self.fresh.d.next = self.fresh.d.val().replace_bit(i, false);
            }
        }
        // a hello says nothing of all this
        self.tells.next.grants = false;
        self.tells.next.slot = 0.into();
        self.tells.next.echo = 0.into();
        self.tells.next.rate = 0.into();
        self.tells.next.limit = 0.into();
        self.tells.next.sent = 0.into();
        self.tells.next.waiting = 0.into();
        self.tells.next.occupancy = 0.into();
        if self.said.val().knows_us {
            self.tells.next.grants = true;
            self.tells.next.slot = self.slots.rdata.val();
            self.tells.next.echo = self.said.val().slot;
            self.tells.next.sent = self.sent.val();
            self.tells.next.waiting = self.waiting.val();
            self.tells.next.occupancy = self.occupancy.val();
            if !self.gone.q.val().get_bit(self.next.q.val().index()) {
                self.tells.next.rate = self.scale.product.val();
                self.tells.next.limit = self.limits.rdata.val();
            }
        }
        self.tells.next.dst_site = self.sites.rdata.val();
        self.tells.next.session = self.life.q.val();
        self.tells.next.peer_session = self.said.val().session;
        self.tells.next.number = self.number.val();
        if self.takes.val() {
            self.frames.d.next = true;
            self.path.d.next = self.next.q.val();
            self.told.d.next = self.tells.val();
        }
        self.begins.d.next = self.takes.val();

        // It is put together and sealed.
        self.frame.site.next = self.site.val();
        self.frame.slot_ps.next = self.slot_ps.val();
        self.frame.clock_hz.next = self.clock_hz.val();
        self.frame.capabilities.next = self.capabilities.val();
        self.frame.lease.next = self.lease.val();
        self.frame.dst.next = self.dst.val();
        self.frame.src.next = self.src.val();
        self.frame.told.next = self.told.q.val();
        self.frame.tag.next = self.seal.tag.val();
        self.frame.crc.next = self.seal.crc.val();
        self.seal.clk.next = self.clk.val();
        self.seal.rst.next = self.rst.val();
        self.seal.go.next = self.begins.q.val();
        self.seal.frame.next = self.frame.bare.val();
        self.seal.key.next = self.keys.rdata.val();
        self.seal.check.next = false;
        if self.seal.done.val() {
            self.sealed.d.next = true;
        }

        // It leaves.
        if self.sealed.q.val() & self.tx_clear.val() {
            self.offers.d.next = true;
        }
        if self.offers.q.val() & self.tx_ready.val() {
            self.second.d.next = true;
            if self.second.q.val() {
                self.second.d.next = false;
                self.offers.d.next = false;
                self.sealed.d.next = false;
                self.frames.d.next = false;
            }
        }
        self.tx_order.next = self.takes.val();
        self.tx_valid.next = self.offers.q.val();
        self.tx_data.next = bit_cast::<BEAT_BITS, FRAME_BITS>(self.frame.frame.val());
        if self.second.q.val() {
            self.tx_data.next = bit_cast::<BEAT_BITS, FRAME_BITS>(self.frame.frame.val() >> self.beat.val());
        }
        self.tx_bytes.next = self.beat_bytes.val();
        self.tx_last.next = self.second.q.val();
        self.ask_path.next = self.next.q.val();
        self.busy.next = self.round.q.val() | self.frames.q.val();
        self.missed.next = self.miss.q.val();

        // Another session is another life.
        self.life.d.next = self.session.val();
        self.alive.d.next = self.session.val().any();
        if self.rst.val() | (self.session.val() != self.life.q.val()) {
            self.fresh.d.next = self.all_paths.val();
            self.gone.d.next = self.all_paths.val();
        }
        if self.rst.val() {
            self.on.d.next = 0.into();
            self.round.d.next = false;
            self.ripens.d.next = false;
            self.ripe.d.next = false;
            self.frames.d.next = false;
            self.begins.d.next = false;
            self.sealed.d.next = false;
            self.offers.d.next = false;
            self.second.d.next = false;
        }
    }
}
