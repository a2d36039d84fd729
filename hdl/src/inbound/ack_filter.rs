//! Inbound 3 of 5: **ack_filter**. From `flow`, to `packet_memory`. The far side's answers to every queue pair.
//!
//! In at cycle `JUDGE` = t, one op per cycle at most: `op_valid`, `hit`, `index` from `flow`; `roce`, `good`, `err`,
//! `cut` from `icrc`; `budget`, `opcode`, `psn`, `syndrome`, `msn`, `payload`, `vlans`, `v6` of `meta`; the levels `room`,
//! `enable`, `times`; at t + 1 its `header`. In a cycle without an op: `sweep_valid`, `sweep_index`, a flow to look after.
//! Out at t + 2: the verdict (`forward`, `push`, `reason`, `active`, `absorbed`) with `intent`, what was written of the
//! flow's `back` on its bus, the template of a flow that became Active (`tpl_*`), an event, and of a sweep
//! (`swept_valid`, flow `back_addr`) the age of debt (`age_valid`, `age`). Buses in: `cfg_*` (host), `rx_*` (`track`), `said_*` (`pseudo_ack`).
//!
//! | cycle | what |
//! | --- | --- |
//! | t | the records are read; opcode, syndrome and payload are looked at |
//! | t + 1 | `back` after the op before, if it is the same flow, stands in for the RAM; the rules; `back` is written |
//! | t + 2 | everything leaves from registers |
//!
//! Rules, by number: `docs/blocks.md`. Model: `model::ack_filter`. Tests: `tests/inbound/ack_filter.rs`.
//! Registers: none; `flow_state_regs` keeps its own copy of `back`.

mod debt;
mod judge;

use self::debt::{Debt, Mark};
use self::judge::{Judge, Response};
use crate::outbound::flow_state::FlowState;
use crate::outbound::opcode_class::OpcodeClass;
use crate::outbound::psn_count::MtuCode;
use crate::prim::{Lit, Table};
use crate::record::{kind, reason, Back, Cfg, Intent, Rx, Said, Template, Times};
use matchrdma_spec::event;
use matchrdma_spec::params::{FLOWS, FLOW_BITS, PSN_BITS};
use rust_hdl::prelude::*;

/// The stage.
#[derive(LogicBlock, Default)]
pub struct AckFilter {
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
    pub syndrome: Signal<In, Bits<8>>,
    pub msn: Signal<In, Bits<PSN_BITS>>,
    pub payload: Signal<In, Bits<16>>,
    pub header: Signal<In, Bits<720>>,
    pub vlans: Signal<In, Bits<2>>,
    pub v6: Signal<In, Bit>,
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
    pub rx_we: Signal<In, Bit>,
    pub rx_addr: Signal<In, Bits<FLOW_BITS>>,
    pub rx_data: Signal<In, Rx>,
    pub said_we: Signal<In, Bit>,
    pub said_addr: Signal<In, Bits<FLOW_BITS>>,
    pub said_data: Signal<In, Said>,
    pub verdict_valid: Signal<Out, Bit>,
    pub forward: Signal<Out, Bit>,
    pub push: Signal<Out, Bit>,
    pub reason: Signal<Out, Bits<4>>,
    pub active: Signal<Out, Bit>,
    pub absorbed: Signal<Out, Bit>,
    pub intent: Signal<Out, Intent>,
    pub back_we: Signal<Out, Bit>,
    pub back_addr: Signal<Out, Bits<FLOW_BITS>>,
    pub back_data: Signal<Out, Back>,
    pub tpl_we: Signal<Out, Bit>,
    pub tpl_addr: Signal<Out, Bits<FLOW_BITS>>,
    pub tpl_data: Signal<Out, Template>,
    pub event_valid: Signal<Out, Bit>,
    pub event_code: Signal<Out, Bits<5>>,
    pub event_flow: Signal<Out, Bits<FLOW_BITS>>,
    pub event_run: Signal<Out, Bits<8>>,
    pub event_psn: Signal<Out, Bits<PSN_BITS>>,
    /// Flow `back_addr` was swept; with `age_valid`: it owes, and has for `age` ticks.
    pub swept_valid: Signal<Out, Bit>,
    pub age_valid: Signal<Out, Bit>,
    pub age: Signal<Out, Bits<16>>,

    back_table: Table<Back, FLOW_BITS>,
    /// Debt that is watched, by flow: only sweeps read and write it, and none comes by a flow twice in a row.
    mark_table: Table<Mark, FLOW_BITS>,
    rx_table: Table<Rx, FLOW_BITS>,
    said_table: Table<Said, FLOW_BITS>,
    cfg_table: Table<Cfg, 13>,
    cfg_at: Signal<Local, Bits<13>>,
    classes: OpcodeClass,
    full: MtuCode,
    state: FlowState,
    judge: Judge,
    debt: Debt,

    // t + 1: the op
    valid: DFF<Bit>,
    swept: DFF<Bit>,
    op: DFF<Response>,
    /// Reason of rules 1 and 2, or none.
    refused: DFF<Bits<4>>,
    /// Rules 1 and 3 let it pass, but for the flow's state.
    flowful: DFF<Bit>,
    good1: DFF<Bit>,
    /// A budget frame, which goes no further.
    heard1: DFF<Bit>,
    enabled: DFF<Bit>,
    flow: DFF<Bits<FLOW_BITS>>,
    /// The op before was of the same flow.
    again: DFF<Bit>,
    shape: DFF<Bits<3>>,
    time1: DFF<Times>,

    // t + 2: the record after the op, and the verdict
    wrote: DFF<Bit>,
    last_flow: DFF<Bits<FLOW_BITS>>,
    last_back: DFF<Back>,
    matched: DFF<Bit>,
    template2: DFF<Template>,
    verdict: DFF<Bit>,
    forward2: DFF<Bit>,
    reason2: DFF<Bits<4>>,
    push2: DFF<Bit>,
    active2: DFF<Bit>,
    absorbed2: DFF<Bit>,
    intent2: DFF<Intent>,
    code2: DFF<Bits<4>>,
    event_psn2: DFF<Bits<PSN_BITS>>,
    looked2: DFF<Bit>,
    owes2: DFF<Bit>,
    age2: DFF<Bits<16>>,

    at: Signal<Local, Bits<FLOW_BITS>>,
    comes: Signal<Local, Bit>,
    is_positive: Signal<Local, Bit>,
    cur: Signal<Local, Back>,
    whole: Signal<Local, Back>,
    nxt: Signal<Local, Back>,
    write: Signal<Local, Bit>,
    keep: Signal<Local, Bit>,
    why: Signal<Local, Bits<4>>,
    takes: Signal<Local, Bit>,
    pairs: Signal<Local, Bit>,
    code: Signal<Local, Bits<4>>,
    event_at: Signal<Local, Bits<PSN_BITS>>,
    say: Signal<Local, Intent>,
    filtered: Signal<Local, Bit>,

    /// The bank in an address of `cfg`.
    bank_bit: Lit<13, { FLOWS as u64 }>,
    mac_error: Lit<4, { reason::MAC_ERROR }>,
    malformed: Lit<4, { reason::MALFORMED }>,
    overflow: Lit<4, { reason::OVERFLOW }>,
    bad_icrc: Lit<4, { reason::BAD_ICRC }>,
    fault_reason: Lit<4, { reason::FAULT }>,
    confirm_kind: Lit<3, { kind::CONFIRM }>,
    answer_kind: Lit<3, { kind::ANSWER }>,
    fault_debt: Lit<4, { event::FAULT_DEBT as u64 }>,
}

impl Logic for AckFilter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, valid, swept, op, refused, flowful, good1, heard1, enabled, flow, again, shape, time1);
        dff_setup!(self, clk, wrote, last_flow, last_back, matched, template2, verdict, forward2, reason2, push2);
        dff_setup!(self, clk, active2, absorbed2, intent2, code2, event_psn2, looked2, owes2, age2);
        self.back_table.clk.next = self.clk.val();
        self.mark_table.clk.next = self.clk.val();
        self.rx_table.clk.next = self.clk.val();
        self.said_table.clk.next = self.clk.val();
        self.cfg_table.clk.next = self.clk.val();

        // ---- t: read, and judge what needs no record
        self.at.next = self.index.val();
        if !self.op_valid.val() {
            self.at.next = self.sweep_index.val();
        }
        self.comes.next = self.op_valid.val() | self.sweep_valid.val();
        self.back_table.raddr.next = self.at.val();
        self.mark_table.raddr.next = self.at.val();
        self.rx_table.raddr.next = self.at.val();
        self.rx_table.we.next = self.rx_we.val();
        self.rx_table.waddr.next = self.rx_addr.val();
        self.rx_table.wdata.next = self.rx_data.val();
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

        self.valid.d.next = self.comes.val();
        self.swept.d.next = !self.op_valid.val();
        self.flow.d.next = self.at.val();
        self.again.d.next = self.valid.q.val() & (self.at.val() == self.flow.q.val());
        self.time1.d.next = self.times.val();
        self.flowful.d.next =
            !self.err.val() & self.op_valid.val() & self.roce.val() & self.hit.val() & self.classes.response.val();
        self.good1.d.next = self.good.val();
        self.heard1.d.next = self.budget.val() & self.op_valid.val();
        self.enabled.d.next = self.enable.val();
        self.refused.d.next = 0.into();
        if self.err.val() & self.cut.val() {
            self.refused.d.next = self.malformed.val();
        } else if self.err.val() {
            self.refused.d.next = self.mac_error.val();
        } else if self.budget.val() {
            self.refused.d.next = 0.into();
        } else if !self.room.val() {
            self.refused.d.next = self.overflow.val();
        }
        self.is_positive.next = self.syndrome.val().get_bits::<3>(5) == 0;
        self.op.d.next.yes = self.classes.ack.val() & self.is_positive.val();
        self.op.d.next.no = self.classes.ack.val() & !self.is_positive.val();
        self.op.d.next.answered =
            self.classes.response.val() & !self.classes.ack.val() & !self.classes.response_fills.val();
        self.op.d.next.fill = 0.into();
        if self.classes.response_fills.val() {
            self.op.d.next.fill = self.full.code.val();
        }
        // 0x61 and 0x62 are told as they came, anything else as 0x63
        self.op.d.next.refusal = 3.into();
        if (self.syndrome.val() == 0x61) | (self.syndrome.val() == 0x62) {
            self.op.d.next.refusal = self.syndrome.val().get_bits::<2>(0);
        }
        self.op.d.next.room = self.room.val();
        self.op.d.next.psn = self.psn.val();
        self.op.d.next.msn = self.msn.val();
        self.shape.d.next = bit_cast::<3, 2>(self.vlans.val()) | (bit_cast::<3, 1>(self.v6.val().into()) << 2);

        // ---- t + 1: the newest `back`; what the op before left is not yet in the RAM's answer
        self.cur.next = self.back_table.rdata.val();
        if self.again.q.val() {
            self.cur.next = self.last_back.q.val();
        }
        self.state.enable.next = self.enabled.q.val();
        self.state.cfg.next = self.cfg_table.rdata.val();
        self.state.rx.next = self.rx_table.rdata.val();
        self.state.back.next = self.cur.val();
        // of another run: empty
        self.whole.next = self.cur.val();
        self.whole.next.run = self.rx_table.rdata.val().run;
        if !self.state.same.val() {
            self.whole.next.active = false;
            self.whole.next.fault = false;
            self.whole.next.resync = false;
            self.whole.next.seen = false;
            self.whole.next.off = false;
            self.whole.next.drain = false;
            self.whole.next.mtu = 0.into();
            self.whole.next.cause = 0.into();
            self.whole.next.refusal = 0.into();
        }
        self.judge.op.next = self.op.q.val();
        self.judge.rx.next = self.rx_table.rdata.val();
        self.judge.said.next = self.said_table.rdata.val();
        self.judge.back.next = self.whole.val();
        self.judge.fault.next = self.state.fault.val();
        self.judge.drain.next = self.state.drain.val();
        self.judge.active.next = self.state.active.val();
        self.judge.sync.next = self.state.sync.val();
        self.debt.mark.next = self.mark_table.rdata.val();
        self.debt.rx.next = self.rx_table.rdata.val();
        self.debt.back.next = self.cur.val();
        self.debt.said.next = self.said_table.rdata.val();
        self.debt.times.next = self.time1.q.val();
        self.debt.same.next = self.state.same.val();
        self.debt.on.next = self.state.on.val();
        self.debt.active.next = self.state.active.val();
        self.debt.drain.next = self.state.drain.val();

        // ---- the rule that holds
        self.filtered.next = self.flowful.q.val() & self.state.on.val() & self.state.current.val();
        self.why.next = self.refused.q.val();
        self.keep.next = !self.refused.q.val().any() & !self.heard1.q.val();
        self.takes.next = false;
        self.pairs.next = false;
        self.write.next = false;
        self.nxt.next = self.cur.val();
        self.code.next = 0.into();
        self.event_at.next = self.op.q.val().psn;
        self.say.next.kind = 0.into();
        self.say.next.req = false;
        self.say.next.flow = self.flow.q.val();
        self.say.next.run = self.rx_table.rdata.val().run;
        self.say.next.psn = self.op.q.val().psn;
        self.say.next.msn = self.op.q.val().msn;
        if self.swept.q.val() {
            self.event_at.next = self.mark_table.rdata.val().psn;
            if self.debt.failed.val() {
                self.write.next = true;
                self.nxt.next.fault = true;
                self.nxt.next.refusal = 3.into();
                self.nxt.next.cause = self.fault_debt.val();
                self.code.next = self.fault_debt.val();
            }
        } else if self.filtered.val() & self.good1.q.val() {
            // what was said has its effect even when there is no room for the frame
            self.code.next = self.judge.code.val();
            self.write.next = self.judge.write.val();
            if self.judge.write.val() {
                self.nxt.next = self.judge.nxt.val();
            }
            if self.op.q.val().room {
                self.keep.next = self.judge.keep.val();
                self.takes.next = self.judge.takes.val();
                self.pairs.next = self.judge.pairs.val();
                if self.judge.fails.val() {
                    self.why.next = self.fault_reason.val();
                }
                if self.judge.confirms.val() {
                    self.say.next.kind = self.confirm_kind.val();
                    self.say.next.req = self.judge.takes.val() | self.judge.pairs.val();
                }
                if self.op.q.val().answered & !self.state.fault.val() {
                    self.say.next.kind = self.answer_kind.val();
                }
            }
        } else if self.filtered.val() & self.op.q.val().room & self.state.active.val() {
            // 4
            self.keep.next = false;
            self.why.next = self.bad_icrc.val();
        }

        // ---- write, and hand out at t + 2
        self.last_flow.d.next = self.flow.q.val();
        self.last_back.d.next = self.nxt.val();
        self.wrote.d.next = self.valid.q.val() & self.write.val();
        self.back_table.we.next = self.valid.q.val() & self.write.val();
        self.back_table.waddr.next = self.flow.q.val();
        self.back_table.wdata.next = self.nxt.val();
        self.mark_table.we.next = self.valid.q.val() & self.swept.q.val();
        self.mark_table.waddr.next = self.flow.q.val();
        self.mark_table.wdata.next = self.debt.nxt.val();
        self.matched.d.next = self.valid.q.val() & self.pairs.val();
        self.template2.d.next.header = self.header.val();
        self.template2.d.next.vlans = self.shape.q.val().get_bits::<2>(0);
        self.template2.d.next.v6 = self.shape.q.val().get_bit(2);
        self.verdict.d.next = self.valid.q.val() & !self.swept.q.val();
        self.forward2.d.next = self.keep.val();
        self.push2.d.next = self.keep.val() | self.takes.val();
        self.reason2.d.next = self.why.val();
        self.active2.d.next = self.filtered.val() & self.state.active.val();
        self.absorbed2.d.next = self.takes.val();
        self.intent2.d.next = self.say.val();
        self.code2.d.next = 0.into();
        if self.valid.q.val() {
            self.code2.d.next = self.code.val();
        }
        self.event_psn2.d.next = self.event_at.val();
        self.looked2.d.next = self.valid.q.val() & self.swept.q.val();
        self.owes2.d.next = self.valid.q.val() & self.swept.q.val() & self.debt.owes.val();
        self.age2.d.next = self.debt.age.val();
        self.verdict_valid.next = self.verdict.q.val();
        self.forward.next = self.forward2.q.val();
        self.push.next = self.push2.q.val();
        self.reason.next = self.reason2.q.val();
        self.active.next = self.active2.q.val();
        self.absorbed.next = self.absorbed2.q.val();
        self.intent.next = self.intent2.q.val();
        self.back_we.next = self.wrote.q.val();
        self.back_addr.next = self.last_flow.q.val();
        self.back_data.next = self.last_back.q.val();
        self.tpl_we.next = self.matched.q.val();
        self.tpl_addr.next = self.last_flow.q.val();
        self.tpl_data.next = self.template2.q.val();
        self.event_valid.next = self.code2.q.val().any();
        self.event_code.next = bit_cast::<5, 4>(self.code2.q.val());
        self.event_flow.next = self.last_flow.q.val();
        self.event_run.next = self.last_back.q.val().run;
        self.event_psn.next = self.event_psn2.q.val();
        self.swept_valid.next = self.looked2.q.val();
        self.age_valid.next = self.owes2.q.val();
        self.age.next = self.age2.q.val();
        if self.rst.val() {
            self.valid.d.next = false;
            self.verdict.d.next = false;
            self.wrote.d.next = false;
            self.matched.d.next = false;
            self.code2.d.next = 0.into();
            self.looked2.d.next = false;
            self.owes2.d.next = false;
            self.back_table.we.next = false;
            self.mark_table.we.next = false;
        }
    }
}
