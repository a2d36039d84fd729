//! Budget: **budgets**. The [rail](super::BudgetRail) with what the host sets and sees of it, and with the pacer's totals.
//!
//! In: the register bus; the tables and the paths' far gateways; the end of a slot with what it was like; from inbound, bytes and budget
//! frames; from outbound, what was sent and waits. Out: rates and limits; budget frames. No logic of its own but for what
//! a slot remembers: a CNP that came from the client.
//! Latency: that of its blocks. Model: `model::budget_rail`. Tests: `tests/gateway/live.rs`. Registers: `LAW`.

use super::{BudgetRail, Totals};
use crate::host::{LawRegs, LawSet};
use crate::prim::Lit;
use crate::record::Meta;
use matchrdma_spec::event;
use matchrdma_spec::wire::opcode;
use rust_hdl::prelude::*;

/// Everything between the gateway's two directions and the far gateways' budgets.
#[derive(LogicBlock, Default)]
pub struct Budgets {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    // The register bus.
    pub wr: Signal<In, Bit>,
    pub wa: Signal<In, Bits<16>>,
    pub wd: Signal<In, Bits<32>>,
    pub ra: Signal<In, Bits<16>>,
    pub rd: Signal<Out, Bits<32>>,
    // path_scan.
    pub peer_we: Signal<In, Bit>,
    pub peer_path: Signal<In, Bits<4>>,
    pub peer_on: Signal<In, Bit>,
    pub peer_site: Signal<In, Bits<16>>,
    pub peer_weight: Signal<In, Bits<8>>,
    pub peer_key: Signal<In, Bits<128>>,
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
    // rate_table.
    pub slot: Signal<In, Bits<32>>,
    pub slot_end: Signal<In, Bit>,
    pub limited: Signal<In, Bits<16>>,
    pub live_we: Signal<Out, Bit>,
    pub live_path: Signal<Out, Bits<4>>,
    pub live_rate: Signal<Out, Bits<32>>,
    // Inbound.
    pub drained: Signal<In, Bits<32>>,
    pub other: Signal<In, Bits<32>>,
    pub backlogged: Signal<In, Bit>,
    pub left_valid: Signal<In, Bit>,
    pub left_path: Signal<In, Bits<4>>,
    pub left_bytes: Signal<In, Bits<9>>,
    pub here_path: Signal<Out, Bits<4>>,
    pub here: Signal<In, Bit>,
    pub occupancy_path: Signal<Out, Bits<4>>,
    pub occupancy: Signal<In, Bits<48>>,
    pub stray: Signal<In, Bits<48>>,
    pub came_valid: Signal<In, Bit>,
    pub came_path: Signal<In, Bits<4>>,
    pub came_bytes: Signal<In, Bits<14>>,
    pub frame_valid: Signal<In, Bit>,
    pub frame: Signal<In, Bits<1024>>,
    pub bad: Signal<In, Bit>,
    // Outbound: the op from the client, and the pacer.
    pub op_valid: Signal<In, Bit>,
    pub op_roce: Signal<In, Bit>,
    pub op_good: Signal<In, Bit>,
    pub op_err: Signal<In, Bit>,
    pub op_judged: Signal<In, Meta>,
    pub limits: Signal<Out, Bits<16>>,
    pub limit_we: Signal<Out, Bit>,
    pub limit_path: Signal<Out, Bits<4>>,
    pub limit: Signal<Out, Bits<64>>,
    pub sent_path: Signal<Out, Bits<4>>,
    pub sent: Signal<In, Bits<64>>,
    pub waiting_path: Signal<Out, Bits<4>>,
    pub waiting: Signal<In, Bits<24>>,
    pub tx_order: Signal<Out, Bit>,
    pub tx_clear: Signal<In, Bit>,
    pub tx_valid: Signal<Out, Bit>,
    pub tx_data: Signal<Out, Bits<512>>,
    pub tx_bytes: Signal<Out, Bits<7>>,
    pub tx_last: Signal<Out, Bit>,
    pub tx_ready: Signal<In, Bit>,
    // To watch.
    pub event_valid: Signal<Out, Bit>,
    pub event_code: Signal<Out, Bits<5>>,
    pub event_path: Signal<Out, Bits<4>>,
    rail: BudgetRail,
    totals: Totals,
    regs: LawRegs,
    levels: Signal<Local, LawSet>,
    judged: Signal<Local, Meta>,
    notified: Signal<Local, Bit>,
    /// A CNP came from the client in this slot.
    cnp: DFF<Bit>,
    lease_lost: Lit<5, { event::LEASE_LOST as u64 }>,
    peer_opened: Lit<5, { event::PEER_OPENED as u64 }>,
    cnp_opcode: Lit<8, { opcode::CNP as u64 }>,
}

impl Logic for Budgets {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, cnp);
        self.rail.clk.next = self.clk.val();
        self.rail.rst.next = self.rst.val();
        self.totals.clk.next = self.clk.val();
        self.totals.rst.next = self.rst.val();
        self.regs.clk.next = self.clk.val();
        self.regs.rst.next = self.rst.val();

        // The host -> rail.
        self.regs.wr.next = self.wr.val();
        self.regs.wa.next = self.wa.val();
        self.regs.wd.next = self.wd.val();
        self.regs.ra.next = self.ra.val();
        self.rd.next = self.regs.rd.val();
        self.levels.next = self.regs.set.val();
        self.rail.line.next = self.levels.val().line;
        self.rail.floor.next = self.levels.val().floor;
        self.rail.capacity.next = self.levels.val().capacity;
        self.rail.tau.next = self.levels.val().tau;
        self.rail.a.next = self.levels.val().a;
        self.rail.p.next = self.levels.val().p;
        self.rail.c.next = self.levels.val().c;
        self.rail.h.next = self.levels.val().h;
        self.rail.site.next = self.levels.val().site;
        self.rail.session.next = self.levels.val().session;
        self.rail.from_wire.next = self.levels.val().from_wire;
        self.rail.to_wire.next = self.levels.val().to_wire;
        self.rail.slot_ps.next = self.levels.val().slot_ps;
        self.rail.clock_hz.next = self.levels.val().clock_hz;
        self.rail.capabilities.next = self.levels.val().capabilities;
        self.rail.lease.next = self.levels.val().lease;
        self.rail.dst.next = self.levels.val().dst;
        self.rail.src.next = self.levels.val().src;
        self.rail.peer_we.next = self.peer_we.val();
        self.rail.peer_path.next = self.peer_path.val();
        self.rail.peer_on.next = self.peer_on.val();
        self.rail.peer_site.next = self.peer_site.val();
        self.rail.peer_weight.next = self.peer_weight.val();
        self.rail.peer_key.next = self.peer_key.val();

        // The tables, rate_table -> rail.
        self.rail.path_we.next = self.path_we.val();
        self.rail.path_addr.next = self.path_addr.val();
        self.rail.path_word.next = self.path_word.val();
        self.rail.path_data.next = self.path_data.val();
        self.rail.calendar_we.next = self.calendar_we.val();
        self.rail.calendar_addr.next = self.calendar_addr.val();
        self.rail.calendar_data.next = self.calendar_data.val();
        self.rail.banks.next = self.banks.val();
        self.rail.set.next = self.set.val();
        self.rail.rate_slot.next = self.slot.val();

        // Inbound -> rail. A CNP of the local data centre passes outbound.
        self.rail.boundary.next = self.slot_end.val();
        self.rail.drained.next = self.drained.val();
        self.rail.other.next = self.other.val();
        self.rail.backlogged.next = self.backlogged.val();
        self.judged.next = self.op_judged.val();
        self.notified.next = self.op_valid.val()
            & self.op_roce.val()
            & self.op_good.val()
            & !self.op_err.val()
            & (self.judged.val().opcode == self.cnp_opcode.val());
        self.rail.cnp.next = self.cnp.q.val();
        self.cnp.d.next = self.cnp.q.val() | self.notified.val();
        if self.slot_end.val() {
            self.cnp.d.next = self.notified.val();
        }
        self.rail.left_valid.next = self.left_valid.val();
        self.rail.left_path.next = self.left_path.val();
        self.rail.left_bytes.next = self.left_bytes.val();
        self.here_path.next = self.rail.visits.val();
        self.rail.here.next = self.here.val();
        self.rail.stray.next = self.stray.val();
        self.rail.came_valid.next = self.came_valid.val();
        self.rail.came_path.next = self.came_path.val();
        self.rail.came_bytes.next = self.came_bytes.val();
        self.rail.frame_valid.next = self.frame_valid.val();
        self.rail.frame.next = self.frame.val();
        self.rail.bad.next = self.bad.val();

        // What a path is like here -> rail.
        self.occupancy_path.next = self.rail.ask_path.val();
        self.rail.occupancy.next = self.occupancy.val();
        self.waiting_path.next = self.rail.ask_path.val();
        self.rail.waiting.next = bit_cast::<48, 24>(self.waiting.val());
        self.totals.opened_valid.next = self.rail.opened_valid.val();
        self.totals.opened_path.next = self.rail.opened_path.val();
        self.totals.asks.next = self.rail.ask_path.val();
        self.sent_path.next = self.totals.sent_path.val();
        self.totals.sent_in_all.next = self.sent.val();
        self.rail.sent.next = self.totals.sent.val();

        // rail -> rate_table, the pacer.
        self.live_we.next = self.rail.live_we.val();
        self.live_path.next = self.rail.live_path.val();
        self.live_rate.next = self.rail.live_rate.val();
        self.totals.live_we.next = self.rail.live_we.val();
        self.totals.live_path.next = self.rail.live_path.val();
        self.totals.live_limit.next = self.rail.limit.val();
        self.limit_we.next = self.totals.limit_we.val();
        self.limit_path.next = self.totals.limit_path.val();
        self.limit.next = self.totals.limit.val();
        self.limits.next = self.limited.val() & !self.rail.free.val();

        // rail -> departure.
        self.tx_order.next = self.rail.tx_order.val();
        self.rail.tx_clear.next = self.tx_clear.val();
        self.tx_valid.next = self.rail.tx_valid.val();
        self.tx_data.next = self.rail.tx_data.val();
        self.tx_bytes.next = self.rail.tx_bytes.val();
        self.tx_last.next = self.rail.tx_last.val();
        self.rail.tx_ready.next = self.tx_ready.val();

        // rail -> the host.
        self.regs.looked.next = (self.rail.ask_path.val() == self.regs.look_path.val()) & !self.totals.holds.val();
        self.regs.said.next = self.rail.said.val();
        self.regs.arrived.next = self.rail.arrived.val();
        self.regs.sent.next = self.totals.sent.val();
        self.regs.occupancy.next = self.occupancy.val();
        self.regs.est.next = self.rail.est.val();
        self.regs.hi.next = self.rail.hi.val();
        self.regs.slot.next = self.rail.slot.val();
        self.regs.budget_valid.next = self.rail.budget_valid.val();
        self.regs.budget_path.next = self.rail.budget_path.val();
        self.regs.budget_grant.next = self.rail.budget_grant.val();
        self.regs.budget_limit.next = self.rail.budget_limit.val();
        self.regs.late.next = self.rail.late.val();
        self.regs.heard_valid.next = self.rail.heard_valid.val();
        self.regs.heard.next = self.rail.heard.val();
        self.regs.heard_high.next = self.rail.heard_high.val();
        self.regs.lost.next = self.rail.lost.val();
        self.regs.lapse_valid.next = self.rail.lapse_valid.val();
        // Leases run out at a slot's end, when no frame is judged.
        self.event_valid.next = self.rail.lapse_valid.val() | self.rail.opened_valid.val();
        self.event_code.next = self.lease_lost.val();
        if self.rail.opened_valid.val() {
            self.event_code.next = self.peer_opened.val();
        }
        self.event_path.next = self.rail.opened_path.val();
        if self.rst.val() {
            self.cnp.d.next = false;
        }
    }
}
