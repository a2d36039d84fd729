//! Outbound 4 of 5: **track**. From `flow`, to `packet_memory`. The responder's view of every queue pair.
//!
//! In at cycle `JUDGE` = t, one op per cycle at most: `op_valid`, `hit`, `index` from `flow`; `roce`, `good`, `err`,
//! `cut` from `icrc`; `budget`, `mac_control`, `opcode`, `psn`, `ack_req`, `mig_req`, `reth_len`, `payload` of `meta`;
//! the levels `room`, `enable`, `times`. In a cycle without an op: `sweep_valid`, `sweep_index`, a flow to look after.
//! Out at t + 2: the verdict (`forward`, `push`, `reason`, `active`) with `intent`, what was written of the flow's `rx`
//! on its bus, and an event. Buses in: `cfg_*` (host), `back_*` (`ack_filter`), `said_*` (`pseudo_ack`).
//!
//! | cycle | what |
//! | --- | --- |
//! | t | the records are read; opcode, lengths and the rules that ask no record are worked out |
//! | t + 1 | the record after the op before, if it is the same flow, stands in for the RAM; the rules; `rx` is written |
//! | t + 2 | everything leaves from registers |
//!
//! Rules, by number: `docs/blocks.md`. Model: `model::track`. Tests: `tests/outbound/track.rs`. Registers: none;
//! `flow_state_regs` keeps its own copy of `rx`.

mod active;
mod sync;
mod tend;
mod view;

use self::active::ActiveRule;
use self::sync::SyncRule;
use self::tend::Tend;
use self::view::{Look, Request};
use super::opcode_class::OpcodeClass;
use super::psn_count::{MtuCode, PsnCount};
use crate::prim::{Lit, Table};
use crate::record::{kind, reason, Back, Cfg, Intent, Rx, Said, Times};
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
    pub mac_control: Signal<In, Bit>,
    pub opcode: Signal<In, Bits<8>>,
    pub psn: Signal<In, Bits<PSN_BITS>>,
    pub ack_req: Signal<In, Bit>,
    pub mig_req: Signal<In, Bit>,
    pub reth_len: Signal<In, Bits<32>>,
    pub payload: Signal<In, Bits<16>>,
    pub room: Signal<In, Bit>,
    pub enable: Signal<In, Bit>,
    pub times: Signal<In, Times>,
    /// Looked at when there is no op.
    pub sweep_valid: Signal<In, Bit>,
    pub sweep_index: Signal<In, Bits<FLOW_BITS>>,
    pub cfg_we: Signal<In, Bit>,
    pub cfg_addr: Signal<In, Bits<13>>,
    pub cfg_data: Signal<In, Cfg>,
    /// The bank in force; `cfg_addr` is {bank, index}.
    pub cfg_bank: Signal<In, Bit>,
    pub back_we: Signal<In, Bit>,
    pub back_addr: Signal<In, Bits<FLOW_BITS>>,
    pub back_data: Signal<In, Back>,
    pub said_we: Signal<In, Bit>,
    pub said_addr: Signal<In, Bits<FLOW_BITS>>,
    pub said_data: Signal<In, Said>,
    pub verdict_valid: Signal<Out, Bit>,
    pub forward: Signal<Out, Bit>,
    pub push: Signal<Out, Bit>,
    pub reason: Signal<Out, Bits<4>>,
    pub active: Signal<Out, Bit>,
    /// The flow is not Off.
    pub followed: Signal<Out, Bit>,
    pub intent: Signal<Out, Intent>,
    pub rx_we: Signal<Out, Bit>,
    pub rx_addr: Signal<Out, Bits<FLOW_BITS>>,
    pub rx_data: Signal<Out, Rx>,
    pub event_valid: Signal<Out, Bit>,
    pub event_code: Signal<Out, Bits<5>>,
    pub event_flow: Signal<Out, Bits<FLOW_BITS>>,
    pub event_run: Signal<Out, Bits<8>>,
    pub event_psn: Signal<Out, Bits<PSN_BITS>>,

    rx_table: Table<Rx, FLOW_BITS>,
    /// When each flow last moved: nobody else's business.
    moved_table: Table<Bits<16>, FLOW_BITS>,
    back_table: Table<Back, FLOW_BITS>,
    said_table: Table<Said, FLOW_BITS>,
    cfg_table: Table<Cfg, 13>,
    cfg_at: Signal<Local, Bits<13>>,
    classes: OpcodeClass,
    full: MtuCode,
    psns: PsnCount,
    look: Look,
    sync: SyncRule,
    act: ActiveRule,
    tend: Tend,

    // t + 1: the op
    valid: DFF<Bit>,
    swept: DFF<Bit>,
    op: DFF<Request>,
    /// Reason of rules 1 to 4, or none.
    refused: DFF<Bits<4>>,
    /// Rules 1, 2, 3 and 5 let it pass, but for the flow's state.
    flowful: DFF<Bit>,
    enabled: DFF<Bit>,
    flow: DFF<Bits<FLOW_BITS>>,
    /// The op before was of the same flow.
    again: DFF<Bit>,
    psn_high: DFF<Bits<PSN_BITS>>,
    time1: DFF<Times>,

    // t + 2: the record after the op, and the verdict
    wrote: DFF<Bit>,
    last_flow: DFF<Bits<FLOW_BITS>>,
    last_rx: DFF<Rx>,
    last_moved: DFF<Bits<16>>,
    verdict: DFF<Bit>,
    forward2: DFF<Bit>,
    reason2: DFF<Bits<4>>,
    push2: DFF<Bit>,
    active2: DFF<Bit>,
    followed2: DFF<Bit>,
    intent2: DFF<Intent>,
    code2: DFF<Bits<4>>,
    event_psn2: DFF<Bits<PSN_BITS>>,

    at: Signal<Local, Bits<FLOW_BITS>>,
    comes: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    bare: Signal<Local, Bit>,
    odd: Signal<Local, Bit>,
    need: Signal<Local, Bits<3>>,
    cur: Signal<Local, Rx>,
    moved: Signal<Local, Bits<16>>,
    nxt: Signal<Local, Rx>,
    nxt_moved: Signal<Local, Bits<16>>,
    write: Signal<Local, Bit>,
    keep: Signal<Local, Bit>,
    why: Signal<Local, Bits<4>>,
    alone: Signal<Local, Bit>,
    code: Signal<Local, Bits<4>>,
    event_at: Signal<Local, Bits<PSN_BITS>>,
    say: Signal<Local, Intent>,
    tracked: Signal<Local, Bit>,
    syndrome: Signal<Local, Bits<PSN_BITS>>,

    /// The bank in an address of `cfg`.
    bank_bit: Lit<13, { FLOWS as u64 }>,
    mac_error: Lit<4, { reason::MAC_ERROR }>,
    malformed: Lit<4, { reason::MALFORMED }>,
    budget_from_client: Lit<4, { reason::BUDGET_FROM_CLIENT }>,
    overflow: Lit<4, { reason::OVERFLOW }>,
    bad_icrc: Lit<4, { reason::BAD_ICRC }>,
    fault: Lit<4, { reason::FAULT }>,
    pfc: Lit<4, { reason::PFC }>,
    ack_kind: Lit<3, { kind::ACK }>,
    nak_kind: Lit<3, { kind::NAK }>,
    barrier_kind: Lit<3, { kind::BARRIER }>,
    refuse_kind: Lit<3, { kind::REFUSE }>,
    window: Lit<PSN_BITS, { PSN_WINDOW as u64 }>,
    syndrome_nak: Lit<PSN_BITS, 0x60>,
}

impl Logic for Track {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, valid, swept, op, refused, flowful, enabled, flow, again, psn_high, time1);
        dff_setup!(
            self, clk, wrote, last_flow, last_rx, last_moved, verdict, forward2, reason2, push2, active2, followed2
        );
        dff_setup!(self, clk, intent2, code2, event_psn2);
        self.rx_table.clk.next = self.clk.val();
        self.moved_table.clk.next = self.clk.val();
        self.back_table.clk.next = self.clk.val();
        self.said_table.clk.next = self.clk.val();
        self.cfg_table.clk.next = self.clk.val();
        self.psns.clk.next = self.clk.val();

        // ---- t: read, and judge what needs no record
        self.at.next = self.index.val();
        if !self.op_valid.val() {
            self.at.next = self.sweep_index.val();
        }
        self.comes.next = self.op_valid.val() | self.sweep_valid.val();
        self.rx_table.raddr.next = self.at.val();
        self.moved_table.raddr.next = self.at.val();
        self.back_table.raddr.next = self.at.val();
        self.back_table.we.next = self.back_we.val();
        self.back_table.waddr.next = self.back_addr.val();
        self.back_table.wdata.next = self.back_data.val();
        self.said_table.raddr.next = self.at.val();
        self.said_table.we.next = self.said_we.val();
        self.said_table.waddr.next = self.said_addr.val();
        self.said_table.wdata.next = self.said_data.val();
        self.cfg_at.next = bit_cast::<13, 12>(self.at.val());
        if self.cfg_bank.val() {
            self.cfg_at.next = bit_cast::<13, 12>(self.at.val()) | self.bank_bit.val();
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

        self.valid.d.next = self.comes.val();
        self.swept.d.next = !self.op_valid.val();
        self.flow.d.next = self.at.val();
        self.again.d.next = self.valid.q.val() & (self.at.val() == self.flow.q.val());
        self.time1.d.next = self.times.val();
        self.passes.next = !self.err.val() & !self.budget.val() & !self.mac_control.val();
        self.flowful.d.next = self.passes.val()
            & self.op_valid.val()
            & self.roce.val()
            & self.hit.val()
            & self.classes.rc.val()
            & !self.classes.response.val();
        self.enabled.d.next = self.enable.val();
        self.refused.d.next = 0.into();
        if self.err.val() & self.cut.val() {
            self.refused.d.next = self.malformed.val();
        } else if self.err.val() {
            self.refused.d.next = self.mac_error.val();
        } else if self.budget.val() {
            self.refused.d.next = self.budget_from_client.val();
        } else if self.mac_control.val() {
            self.refused.d.next = self.pfc.val();
        } else if !self.room.val() {
            self.refused.d.next = self.overflow.val();
        }
        self.need.next = 6.into();
        if self.payload.val() <= 256 {
            self.need.next = 1.into();
        } else if self.payload.val() <= 512 {
            self.need.next = 2.into();
        } else if self.payload.val() <= 1024 {
            self.need.next = 3.into();
        } else if self.payload.val() <= 2048 {
            self.need.next = 4.into();
        } else if self.payload.val() <= 4096 {
            self.need.next = 5.into();
        }
        self.bare.next = self.classes.barrier.val() & !self.classes.atomic_write.val();
        self.odd.next = (self.classes.fills.val() & !self.full.code.val().any())
            | (self.classes.ends.val() & (self.need.val() == 6))
            | (self.bare.val() & self.payload.val().any())
            | (self.classes.atomic_write.val() & (self.payload.val() != 8));
        self.op.d.next.sweep = !self.op_valid.val();
        self.op.d.next.no_room = !self.room.val();
        self.op.d.next.good = self.good.val();
        self.op.d.next.known = self.classes.known.val();
        self.op.d.next.odd = self.odd.val();
        self.op.d.next.spoilt = !self.room.val() | !self.good.val() | !self.classes.known.val() | self.odd.val();
        self.op.d.next.completes = self.classes.completes.val();
        self.op.d.next.barrier = self.classes.barrier.val();
        self.op.d.next.receives = self.classes.receives.val();
        self.op.d.next.sampling = self.classes.ends.val() & self.ack_req.val();
        self.op.d.next.ends = self.classes.ends.val();
        self.op.d.next.fills = self.classes.fills.val();
        self.op.d.next.fill = 0.into();
        if self.classes.fills.val() {
            self.op.d.next.fill = self.full.code.val();
        }
        self.op.d.next.need = self.need.val();
        self.op.d.next.asks = self.ack_req.val();
        self.op.d.next.mig = self.mig_req.val();
        self.op.d.next.psn = self.psn.val();
        self.psn_high.d.next = self.psn.val() + self.window.val();

        // ---- t + 1: the newest record; what the op before left is not yet in the RAM's answer
        self.cur.next = self.rx_table.rdata.val();
        self.moved.next = self.moved_table.rdata.val();
        if self.again.q.val() {
            self.cur.next = self.last_rx.q.val();
            self.moved.next = self.last_moved.q.val();
        }
        self.look.enable.next = self.enabled.q.val();
        self.look.op.next = self.op.q.val();
        self.look.psn_high.next = self.psn_high.q.val();
        self.look.long.next = self.psns.long.val();
        self.look.rx.next = self.cur.val();
        self.look.moved.next = self.moved.val();
        self.look.cfg.next = self.cfg_table.rdata.val();
        self.look.back.next = self.back_table.rdata.val();
        self.look.said.next = self.said_table.rdata.val();
        self.look.times.next = self.time1.q.val();
        self.psns.mtu.next = self.look.mtu.val();

        // ---- the rules, all at once
        self.sync.op.next = self.op.q.val();
        self.sync.view.next = self.look.view.val();
        self.sync.rx.next = self.cur.val();
        self.sync.moved.next = self.moved.val();
        self.sync.cfg.next = self.cfg_table.rdata.val();
        self.sync.times.next = self.time1.q.val();
        self.sync.after.next = self.psns.after.val();
        self.act.op.next = self.op.q.val();
        self.act.view.next = self.look.view.val();
        self.act.rx.next = self.cur.val();
        self.act.moved.next = self.moved.val();
        self.act.times.next = self.time1.q.val();
        self.act.after.next = self.psns.after.val();
        self.tend.view.next = self.look.view.val();
        self.tend.rx.next = self.cur.val();
        self.tend.moved.next = self.moved.val();
        self.tend.back.next = self.back_table.rdata.val();
        self.tend.said.next = self.said_table.rdata.val();
        self.tend.times.next = self.time1.q.val();

        // ---- the one that holds
        self.tracked.next = self.flowful.q.val() & self.look.view.val().on;
        self.why.next = self.refused.q.val();
        self.keep.next = !self.refused.q.val().any();
        self.alone.next = false;
        self.write.next = false;
        self.nxt.next = self.cur.val();
        self.nxt_moved.next = self.moved.val();
        self.code.next = 0.into();
        self.event_at.next = self.op.q.val().psn;
        self.say.next.kind = 0.into();
        self.say.next.req = false;
        self.say.next.flow = self.flow.q.val();
        self.say.next.psn = self.op.q.val().psn;
        self.say.next.msn = self.psns.last.val();
        self.syndrome.next = self.syndrome_nak.val() | bit_cast::<24, 2>(self.back_table.rdata.val().refusal);
        if self.swept.q.val() {
            self.write.next = self.tend.write.val();
            self.nxt.next = self.tend.nxt.val();
            self.nxt_moved.next = self.tend.nxt_moved.val();
            self.code.next = self.tend.code.val();
            self.event_at.next = self.tend.psn.val();
        } else if self.tracked.val() & self.look.view.val().sync {
            // 8
            self.write.next = self.sync.write.val();
            if self.sync.write.val() {
                self.nxt.next = self.sync.nxt.val();
                self.nxt_moved.next = self.sync.nxt_moved.val();
            }
            if self.sync.barrier.val() {
                self.say.next.kind = self.barrier_kind.val();
                self.say.next.req = self.sync.twice.val();
            }
        } else if self.tracked.val() & !self.op.q.val().no_room {
            if self.look.view.val().active {
                // 9
                self.write.next = self.act.write.val();
                self.nxt.next = self.act.nxt.val();
                self.nxt_moved.next = self.act.nxt_moved.val();
                self.code.next = self.act.code.val();
                self.keep.next = self.act.keep.val();
                self.alone.next = self.act.alone.val();
                self.why.next = self.act.why.val();
                self.say.next.kind = self.act.say_kind.val();
                self.say.next.req = self.act.say_req.val();
                if self.act.say_kind.val() == self.ack_kind.val() {
                    self.say.next.msn = self.look.view.val().msn_after;
                }
                if self.act.say_kind.val() == self.nak_kind.val() {
                    self.say.next.psn = self.cur.val().expected;
                    self.say.next.msn = self.look.view.val().msn_before;
                }
            }
            if self.look.view.val().fault {
                // 6
                self.keep.next = false;
                self.why.next = self.bad_icrc.val();
                if self.op.q.val().good {
                    self.why.next = self.fault.val();
                    self.alone.next = true;
                    self.say.next.kind = self.refuse_kind.val();
                    self.say.next.msn = self.syndrome.val();
                }
            }
        }
        self.say.next.run = self.nxt.val().run;

        // ---- write, and hand out at t + 2
        self.last_flow.d.next = self.flow.q.val();
        self.last_rx.d.next = self.nxt.val();
        self.last_moved.d.next = self.nxt_moved.val();
        self.wrote.d.next = self.valid.q.val() & self.write.val();
        self.rx_table.we.next = self.valid.q.val() & self.write.val();
        self.rx_table.waddr.next = self.flow.q.val();
        self.rx_table.wdata.next = self.nxt.val();
        self.moved_table.we.next = self.valid.q.val();
        self.moved_table.waddr.next = self.flow.q.val();
        self.moved_table.wdata.next = self.nxt_moved.val();
        self.verdict.d.next = self.valid.q.val() & !self.swept.q.val();
        self.forward2.d.next = self.keep.val();
        self.push2.d.next = self.keep.val() | self.alone.val();
        self.reason2.d.next = self.why.val();
        self.active2.d.next = self.tracked.val() & self.look.view.val().active;
        self.followed2.d.next = self.tracked.val();
        self.intent2.d.next = self.say.val();
        self.code2.d.next = 0.into();
        if self.valid.q.val() {
            self.code2.d.next = self.code.val();
        }
        self.event_psn2.d.next = self.event_at.val();
        self.verdict_valid.next = self.verdict.q.val();
        self.forward.next = self.forward2.q.val();
        self.push.next = self.push2.q.val();
        self.reason.next = self.reason2.q.val();
        self.active.next = self.active2.q.val();
        self.followed.next = self.followed2.q.val();
        self.intent.next = self.intent2.q.val();
        self.rx_we.next = self.wrote.q.val();
        self.rx_addr.next = self.last_flow.q.val();
        self.rx_data.next = self.last_rx.q.val();
        self.event_valid.next = self.code2.q.val().any();
        self.event_code.next = bit_cast::<5, 4>(self.code2.q.val());
        self.event_flow.next = self.last_flow.q.val();
        self.event_run.next = self.last_rx.q.val().run;
        self.event_psn.next = self.event_psn2.q.val();
        if self.rst.val() {
            self.valid.d.next = false;
            self.verdict.d.next = false;
            self.wrote.d.next = false;
            self.code2.d.next = 0.into();
            self.rx_table.we.next = false;
            self.moved_table.we.next = false;
        }
    }
}
