//! Outbound 4 of 5: **track**. From `flow`, to `packet_memory`. The responder's view of every queue pair.
//!
//! In at cycle `JUDGE` = t, one op per cycle at most: `op_valid`, `hit`, `index` from `flow`; `roce`, `good`, `err`,
//! `cut` from `icrc`; `budget`, `opcode`, `psn`, `ack_req`, `reth_len`, `payload` of `meta`; the levels `room`,
//! `enable`. Out at t + 2: the verdict (`forward`, `push`, `reason`, `active`) with `intent`, and what was written of
//! the flow's `rx` on its bus. Buses in: `cfg_*` (host), `back_*` (`ack_filter`).
//!
//! | cycle | what |
//! | --- | --- |
//! | t | the three records are read; opcode, lengths and the rules that ask no record are worked out |
//! | t + 1 | `rx` of the op before, if it is the same flow, stands in for the RAM; the rules; `rx` is written |
//! | t + 2 | everything leaves from registers |
//!
//! Rules, by number: `docs/blocks.md`. Model: `model::track`. Tests: `tests/outbound/track.rs`. Registers: none;
//! `reg_file` keeps its own copy of `rx`.

use super::flow_state::FlowState;
use super::opcode_class::OpcodeClass;
use super::psn_count::{MtuCode, PsnCount};
use crate::prim::{Lit, Table};
use crate::record::{kind, reason, Back, Cfg, Intent, Rx};
use matchrdma_spec::params::{FLOWS, FLOW_BITS, PSN_BITS, PSN_WINDOW};
use rust_hdl::prelude::*;

/// The stage.
#[derive(LogicBlock, Default)]
pub struct Track {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub op_valid: Signal<In, Bit>,
    pub hit: Signal<In, Bit>,
    pub index: Signal<In, Bits<FLOW_BITS>>,
    pub roce: Signal<In, Bit>,
    pub good: Signal<In, Bit>,
    pub err: Signal<In, Bit>,
    pub cut: Signal<In, Bit>,
    pub budget: Signal<In, Bit>,
    pub opcode: Signal<In, Bits<8>>,
    pub psn: Signal<In, Bits<PSN_BITS>>,
    pub ack_req: Signal<In, Bit>,
    pub reth_len: Signal<In, Bits<32>>,
    pub payload: Signal<In, Bits<16>>,
    pub room: Signal<In, Bit>,
    pub enable: Signal<In, Bit>,
    pub cfg_we: Signal<In, Bit>,
    pub cfg_addr: Signal<In, Bits<13>>,
    pub cfg_data: Signal<In, Cfg>,
    /// The bank in force; `cfg_addr` is {bank, index}.
    pub cfg_bank: Signal<In, Bit>,
    pub back_we: Signal<In, Bit>,
    pub back_addr: Signal<In, Bits<FLOW_BITS>>,
    pub back_data: Signal<In, Back>,
    pub verdict_valid: Signal<Out, Bit>,
    pub forward: Signal<Out, Bit>,
    pub push: Signal<Out, Bit>,
    pub reason: Signal<Out, Bits<4>>,
    pub active: Signal<Out, Bit>,
    pub intent: Signal<Out, Intent>,
    pub rx_we: Signal<Out, Bit>,
    pub rx_addr: Signal<Out, Bits<FLOW_BITS>>,
    pub rx_data: Signal<Out, Rx>,

    rx_table: Table<Rx, FLOW_BITS>,
    back_table: Table<Back, FLOW_BITS>,
    cfg_table: Table<Cfg, 13>,
    cfg_at: Signal<Local, Bits<13>>,
    cfg_second: Lit<13, { FLOWS as u64 }>,
    classes: OpcodeClass,
    full: MtuCode,
    psns: PsnCount,
    state: FlowState,

    // t + 1: the op
    valid: DFF<Bit>,
    /// Reason of rules 1 to 3, or none.
    refused: DFF<Bits<4>>,
    no_room: DFF<Bit>,
    /// Rules 1, 2 and 4 let it pass, but for `cfg.enable`.
    flowful: DFF<Bit>,
    enabled: DFF<Bit>,
    flow: DFF<Bits<FLOW_BITS>>,
    good1: DFF<Bit>,
    known: DFF<Bit>,
    completes: DFF<Bits<PSN_BITS>>,
    barrier: DFF<Bit>,
    receives: DFF<Bit>,
    /// A sample may be taken at it.
    sampling: DFF<Bit>,
    /// MTU code of a packet that must be as long as the MTU.
    fill: DFF<Bits<3>>,
    asks: DFF<Bit>,
    psn1: DFF<Bits<PSN_BITS>>,
    /// `psn + PSN_WINDOW`, so that nearness is one subtraction.
    psn_high: DFF<Bits<PSN_BITS>>,

    // t + 2: what was written, and the verdict
    wrote: DFF<Bit>,
    wrote_flow: DFF<Bits<FLOW_BITS>>,
    wrote_rx: DFF<Rx>,
    verdict: DFF<Bit>,
    forward2: DFF<Bit>,
    reason2: DFF<Bits<4>>,
    push2: DFF<Bit>,
    active2: DFF<Bit>,
    intent2: DFF<Intent>,

    passes: Signal<Local, Bit>,
    cur: Signal<Local, Rx>,
    nxt: Signal<Local, Rx>,
    write: Signal<Local, Bit>,
    keep: Signal<Local, Bit>,
    why: Signal<Local, Bits<4>>,
    alone: Signal<Local, Bit>,
    say: Signal<Local, Intent>,
    tracked: Signal<Local, Bit>,
    from_window: Signal<Local, Bits<PSN_BITS>>,
    sample_ahead: Signal<Local, Bits<PSN_BITS>>,
    in_order: Signal<Local, Bit>,
    behind: Signal<Local, Bit>,
    near: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    blind: Signal<Local, Bit>,
    count_after: Signal<Local, Bits<PSN_BITS>>,
    msn_after: Signal<Local, Bits<PSN_BITS>>,
    msn_before: Signal<Local, Bits<PSN_BITS>>,
    run_one: Signal<Local, Bits<8>>,
    run_two: Signal<Local, Bits<8>>,
    run_next: Signal<Local, Bits<8>>,
    fresh: Signal<Local, Bit>,
    lost: Signal<Local, Bit>,
    follows: Signal<Local, Bit>,
    sample_old: Signal<Local, Bit>,

    mac_error: Lit<4, { reason::MAC_ERROR }>,
    malformed: Lit<4, { reason::MALFORMED }>,
    budget_from_client: Lit<4, { reason::BUDGET_FROM_CLIENT }>,
    overflow: Lit<4, { reason::OVERFLOW }>,
    bad_icrc: Lit<4, { reason::BAD_ICRC }>,
    out_of_order: Lit<4, { reason::OUT_OF_ORDER }>,
    duplicate: Lit<4, { reason::DUPLICATE }>,
    ack_kind: Lit<3, { kind::ACK }>,
    nak_kind: Lit<3, { kind::NAK }>,
    reack_kind: Lit<3, { kind::REACK }>,
    barrier_kind: Lit<3, { kind::BARRIER }>,
    window: Lit<PSN_BITS, { PSN_WINDOW as u64 }>,
    window_twice: Lit<PSN_BITS, { 2 * PSN_WINDOW as u64 }>,
}

impl Logic for Track {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, valid, refused, no_room, flowful, enabled, flow, good1, known, completes, barrier);
        dff_setup!(self, clk, receives, sampling, fill, asks, psn1, psn_high, wrote, wrote_flow, wrote_rx);
        dff_setup!(self, clk, verdict, forward2, reason2, push2, active2, intent2);
        self.rx_table.clk.next = self.clk.val();
        self.back_table.clk.next = self.clk.val();
        self.cfg_table.clk.next = self.clk.val();
        self.psns.clk.next = self.clk.val();

        // ---- t: read, and judge what needs no record
        self.rx_table.raddr.next = self.index.val();
        self.back_table.raddr.next = self.index.val();
        self.back_table.we.next = self.back_we.val();
        self.back_table.waddr.next = self.back_addr.val();
        self.back_table.wdata.next = self.back_data.val();
        self.cfg_at.next = bit_cast::<13, 12>(self.index.val());
        if self.cfg_bank.val() {
            self.cfg_at.next = bit_cast::<13, 12>(self.index.val()) | self.cfg_second.val();
        }
        self.cfg_table.raddr.next = self.cfg_at.val();
        self.cfg_table.we.next = self.cfg_we.val();
        self.cfg_table.waddr.next = self.cfg_addr.val();
        self.cfg_table.wdata.next = self.cfg_data.val();
        self.classes.opcode.next = self.opcode.val();
        self.full.payload.next = self.payload.val();
        self.psns.read.next = self.classes.read.val();
        self.psns.reth_len.next = self.reth_len.val();
        self.psns.psn.next = self.psn.val();

        self.valid.d.next = self.op_valid.val();
        self.flow.d.next = self.index.val();
        self.passes.next = !self.err.val() & !self.budget.val();
        self.flowful.d.next =
            self.passes.val() & self.roce.val() & self.hit.val() & self.classes.rc.val() & !self.classes.response.val();
        self.enabled.d.next = self.enable.val();
        self.no_room.d.next = !self.room.val();
        self.refused.d.next = 0.into();
        if self.err.val() & self.cut.val() {
            self.refused.d.next = self.malformed.val();
        } else if self.err.val() {
            self.refused.d.next = self.mac_error.val();
        } else if self.budget.val() {
            self.refused.d.next = self.budget_from_client.val();
        } else if !self.room.val() {
            self.refused.d.next = self.overflow.val();
        }
        self.good1.d.next = self.good.val();
        self.known.d.next = self.classes.known.val();
        self.completes.d.next = 0.into();
        if self.classes.completes.val() {
            self.completes.d.next = 1.into();
        }
        self.barrier.d.next = self.classes.barrier.val();
        self.receives.d.next = self.classes.receives.val();
        self.sampling.d.next = self.classes.ends.val() & self.ack_req.val();
        self.fill.d.next = 0.into();
        if self.classes.fills.val() {
            self.fill.d.next = self.full.code.val();
        }
        self.asks.d.next = self.ack_req.val();
        self.psn1.d.next = self.psn.val();
        self.psn_high.d.next = self.psn.val() + self.window.val();

        // ---- t + 1: the newest `rx`; what the op before wrote is not yet in the RAM's answer
        self.cur.next = self.rx_table.rdata.val();
        if self.wrote.q.val() & (self.wrote_flow.q.val() == self.flow.q.val()) {
            self.cur.next = self.wrote_rx.q.val();
        }
        self.state.enable.next = self.enabled.q.val();
        self.state.cfg.next = self.cfg_table.rdata.val();
        self.state.rx.next = self.cur.val();
        self.state.back.next = self.back_table.rdata.val();
        self.psns.mtu.next = self.state.mtu.val();

        // what the rules ask
        self.tracked.next = self.flowful.q.val() & self.state.on.val();
        self.in_order.next = self.cur.val().expected == self.psn1.q.val();
        self.from_window.next = self.psn_high.q.val() - self.cur.val().expected;
        self.near.next = self.from_window.val() <= self.window_twice.val();
        // near, so one bit beside the window's tells the side
        self.behind.next = self.from_window.val() < self.window.val();
        self.waits.next = self.barrier.q.val() | (self.receives.q.val() & self.cfg_table.rdata.val().ack_ops_write);
        self.blind.next = self.psns.long.val() & !self.state.mtu.val().any();
        self.count_after.next = self.cur.val().count + self.completes.q.val();
        self.msn_after.next = self.count_after.val() + self.back_table.rdata.val().offset;
        self.msn_before.next = self.cur.val().count + self.back_table.rdata.val().offset;
        self.run_one.next = self.cur.val().run + 1;
        self.run_two.next = self.cur.val().run + 2;
        self.run_next.next = self.run_one.val();
        if self.run_one.val() == self.back_table.rdata.val().run {
            self.run_next.next = self.run_two.val();
        }
        // in Sync: a new run first; nothing can be followed from here; the packet follows the one before
        self.fresh.next = !self.state.current.val() | (self.state.same.val() & self.back_table.rdata.val().resync);
        self.lost.next = self.no_room.q.val() | !self.good1.q.val() | !self.known.q.val() | self.blind.val();
        self.follows.next = self.cur.val().synced & self.in_order.val() & !self.fresh.val() & !self.lost.val();
        self.sample_ahead.next = self.cur.val().sample_psn - self.back_table.rdata.val().seen_psn;
        self.sample_old.next = self.state.same.val()
            & self.back_table.rdata.val().seen
            & (!self.sample_ahead.val().any() | self.sample_ahead.val().get_bit(23));

        // ---- the rules
        self.why.next = self.refused.q.val();
        self.keep.next = !self.refused.q.val().any();
        self.alone.next = false;
        self.write.next = false;
        self.nxt.next = self.cur.val();
        self.say.next = self.intent2.q.val();
        self.say.next.kind = 0.into();
        self.say.next.req = false;
        self.say.next.flow = self.flow.q.val();
        self.say.next.psn = self.psn1.q.val();
        self.say.next.msn = self.psns.last.val();
        if self.tracked.val() & self.state.sync.val() {
            // 6
            self.write.next = true;
            self.nxt.next.serial = self.cfg_table.rdata.val().serial;
            self.nxt.next.drain = false;
            self.nxt.next.synced = !self.lost.val();
            if !self.lost.val() {
                self.nxt.next.expected = self.psns.after.val();
                if self.waits.val() {
                    self.say.next.kind = self.barrier_kind.val();
                }
            }
            if self.follows.val() {
                self.nxt.next.count = self.count_after.val();
                if self.sampling.q.val() & (!self.cur.val().sample_valid | self.sample_old.val()) {
                    self.nxt.next.sample_valid = true;
                    self.nxt.next.sample_psn = self.psn1.q.val();
                    self.nxt.next.sample_count = self.count_after.val();
                }
                if self.fill.q.val().any() {
                    self.nxt.next.mtu = self.fill.q.val();
                }
            } else {
                self.nxt.next.count = 0.into();
                if !self.lost.val() {
                    self.nxt.next.count = self.completes.q.val();
                }
                self.nxt.next.sample_valid = false;
                if !self.state.current.val() {
                    self.nxt.next.mtu = 0.into();
                }
                if self.fresh.val() | self.lost.val() | self.cur.val().synced {
                    self.nxt.next.run = self.run_next.val();
                    self.nxt.next.gap = false;
                }
            }
        } else if self.tracked.val() & self.state.active.val() & self.keep.val() {
            // 7
            if !self.good1.q.val() {
                self.keep.next = false;
                self.why.next = self.bad_icrc.val();
            } else if !self.known.q.val() | !self.near.val() | (self.blind.val() & self.in_order.val()) {
                self.write.next = true;
                self.nxt.next.drain = true;
            } else if self.in_order.val() {
                self.write.next = true;
                self.nxt.next.expected = self.psns.after.val();
                self.nxt.next.count = self.count_after.val();
                self.nxt.next.gap = false;
                if self.fill.q.val().any() {
                    self.nxt.next.mtu = self.fill.q.val();
                }
                if self.waits.val() {
                    self.say.next.kind = self.barrier_kind.val();
                } else {
                    self.say.next.kind = self.ack_kind.val();
                    self.say.next.req = self.asks.q.val();
                    self.say.next.msn = self.msn_after.val();
                }
            } else if !self.behind.val() {
                self.keep.next = false;
                self.why.next = self.out_of_order.val();
                if !self.cur.val().gap {
                    self.write.next = true;
                    self.nxt.next.gap = true;
                    self.alone.next = true;
                    self.say.next.kind = self.nak_kind.val();
                    self.say.next.psn = self.cur.val().expected;
                    self.say.next.msn = self.msn_before.val();
                }
            } else if self.waits.val() {
                self.say.next.kind = self.barrier_kind.val();
            } else {
                self.keep.next = false;
                self.why.next = self.duplicate.val();
                if self.asks.q.val() {
                    self.alone.next = true;
                    self.say.next.kind = self.reack_kind.val();
                }
            }
        }
        self.say.next.run = self.nxt.val().run;

        // ---- write, and hand out at t + 2
        self.wrote.d.next = self.valid.q.val() & self.write.val();
        self.wrote_flow.d.next = self.flow.q.val();
        self.wrote_rx.d.next = self.nxt.val();
        self.rx_table.we.next = self.valid.q.val() & self.write.val();
        self.rx_table.waddr.next = self.flow.q.val();
        self.rx_table.wdata.next = self.nxt.val();
        self.verdict.d.next = self.valid.q.val();
        self.forward2.d.next = self.keep.val();
        self.push2.d.next = self.keep.val() | self.alone.val();
        self.reason2.d.next = self.why.val();
        self.active2.d.next = self.tracked.val() & self.state.active.val();
        self.intent2.d.next = self.say.val();
        self.verdict_valid.next = self.verdict.q.val();
        self.forward.next = self.forward2.q.val();
        self.push.next = self.push2.q.val();
        self.reason.next = self.reason2.q.val();
        self.active.next = self.active2.q.val();
        self.intent.next = self.intent2.q.val();
        self.rx_we.next = self.wrote.q.val();
        self.rx_addr.next = self.wrote_flow.q.val();
        self.rx_data.next = self.wrote_rx.q.val();
        if self.rst.val() {
            self.valid.d.next = false;
            self.verdict.d.next = false;
            self.wrote.d.next = false;
            self.rx_table.we.next = false;
        }
    }
}
