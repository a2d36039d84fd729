//! Inbound 3 of 4: **ack_filter**. From `flow`, to `packet_memory`. The far side's answers to every queue pair.
//!
//! In at cycle `JUDGE` = t, one op per cycle at most: `op_valid`, `hit`, `index` from `flow`; `roce`, `good`, `err`,
//! `cut` from `icrc`; `opcode`, `psn`, `syndrome`, `msn`, `payload`, `vlans`, `v6` of `meta`; `header`; the levels
//! `room`, `enable`. Out at t + 2: the verdict (`forward`, `push`, `reason`, `active`, `absorbed`) with `intent`, what
//! was written of the flow's `back` on its bus, and the template of a flow that became Active (`tpl_*`).
//! Buses in: `cfg_*` (host), `rx_*` (`track`), `said_*` (`pseudo_ack`).
//!
//! | cycle | what |
//! | --- | --- |
//! | t | the four records are read; opcode, syndrome and payload are looked at |
//! | t + 1 | `back` of the op before, if it is the same flow, stands in for the RAM; the rules; `back` is written |
//! | t + 2 | everything leaves from registers |
//!
//! Rules, by number: `docs/blocks.md`. Model: `model::ack_filter`. Tests: `tests/inbound/ack_filter.rs`.
//! Registers: none; `reg_file` keeps its own copy of `back`.

use crate::outbound::flow_state::FlowState;
use crate::outbound::opcode_class::OpcodeClass;
use crate::outbound::psn_count::MtuCode;
use crate::prim::{Lit, Table};
use crate::record::{kind, reason, Back, Cfg, Intent, Rx, Said, Template};
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

    back_table: Table<Back, FLOW_BITS>,
    rx_table: Table<Rx, FLOW_BITS>,
    said_table: Table<Said, FLOW_BITS>,
    cfg_table: Table<Cfg, 13>,
    cfg_at: Signal<Local, Bits<13>>,
    cfg_second: Lit<13, { FLOWS as u64 }>,
    classes: OpcodeClass,
    full: MtuCode,
    state: FlowState,

    // t + 1: the op
    valid: DFF<Bit>,
    /// Reason of rules 1 and 2, or none.
    refused: DFF<Bits<4>>,
    /// Rules 1 and 3 let it pass, but for `cfg` and `rx`.
    flowful: DFF<Bit>,
    enabled: DFF<Bit>,
    flow: DFF<Bits<FLOW_BITS>>,
    good1: DFF<Bit>,
    /// A positive ACK.
    yes: DFF<Bit>,
    /// Any other ACK.
    no: DFF<Bit>,
    /// The end of an answer that is no ACK.
    answered: DFF<Bit>,
    /// MTU code of an answer that must be as long as the MTU.
    fill: DFF<Bits<3>>,
    psn1: DFF<Bits<PSN_BITS>>,
    msn1: DFF<Bits<PSN_BITS>>,
    template: DFF<Template>,

    // t + 2: what was written, and the verdict
    wrote: DFF<Bit>,
    wrote_flow: DFF<Bits<FLOW_BITS>>,
    wrote_back: DFF<Back>,
    matched: DFF<Bit>,
    template2: DFF<Template>,
    verdict: DFF<Bit>,
    forward2: DFF<Bit>,
    reason2: DFF<Bits<4>>,
    push2: DFF<Bit>,
    active2: DFF<Bit>,
    absorbed2: DFF<Bit>,
    intent2: DFF<Intent>,

    is_positive: Signal<Local, Bit>,
    cur: Signal<Local, Back>,
    nxt: Signal<Local, Back>,
    rx: Signal<Local, Rx>,
    said: Signal<Local, Said>,
    write: Signal<Local, Bit>,
    keep: Signal<Local, Bit>,
    heard: Signal<Local, Bit>,
    why: Signal<Local, Bits<4>>,
    takes: Signal<Local, Bit>,
    pairs: Signal<Local, Bit>,
    say: Signal<Local, Intent>,
    filtered: Signal<Local, Bit>,
    unsent_by: Signal<Local, Bits<PSN_BITS>>,
    beyond_said: Signal<Local, Bits<PSN_BITS>>,
    sent: Signal<Local, Bit>,
    told: Signal<Local, Bit>,
    of_sample: Signal<Local, Bit>,
    offset: Signal<Local, Bits<PSN_BITS>>,

    mac_error: Lit<4, { reason::MAC_ERROR }>,
    malformed: Lit<4, { reason::MALFORMED }>,
    overflow: Lit<4, { reason::OVERFLOW }>,
    bad_icrc: Lit<4, { reason::BAD_ICRC }>,
    confirm_kind: Lit<3, { kind::CONFIRM }>,
}

impl Logic for AckFilter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, valid, refused, flowful, enabled, flow, good1, yes, no, answered, fill, psn1, msn1);
        dff_setup!(self, clk, template, wrote, wrote_flow, wrote_back, matched, template2);
        dff_setup!(self, clk, verdict, forward2, reason2, push2, active2, absorbed2, intent2);
        self.back_table.clk.next = self.clk.val();
        self.rx_table.clk.next = self.clk.val();
        self.said_table.clk.next = self.clk.val();
        self.cfg_table.clk.next = self.clk.val();

        // ---- t: read, and judge what needs no record
        self.back_table.raddr.next = self.index.val();
        self.rx_table.raddr.next = self.index.val();
        self.rx_table.we.next = self.rx_we.val();
        self.rx_table.waddr.next = self.rx_addr.val();
        self.rx_table.wdata.next = self.rx_data.val();
        self.said_table.raddr.next = self.index.val();
        self.said_table.we.next = self.said_we.val();
        self.said_table.waddr.next = self.said_addr.val();
        self.said_table.wdata.next = self.said_data.val();
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

        self.valid.d.next = self.op_valid.val();
        self.flow.d.next = self.index.val();
        self.flowful.d.next = !self.err.val() & self.roce.val() & self.hit.val() & self.classes.response.val();
        self.enabled.d.next = self.enable.val();
        self.refused.d.next = 0.into();
        if self.err.val() & self.cut.val() {
            self.refused.d.next = self.malformed.val();
        } else if self.err.val() {
            self.refused.d.next = self.mac_error.val();
        } else if !self.room.val() {
            self.refused.d.next = self.overflow.val();
        }
        self.good1.d.next = self.good.val();
        self.is_positive.next = self.syndrome.val().get_bits::<3>(5) == 0;
        self.yes.d.next = self.classes.ack.val() & self.is_positive.val();
        self.no.d.next = self.classes.ack.val() & !self.is_positive.val();
        self.answered.d.next =
            self.classes.response.val() & !self.classes.ack.val() & !self.classes.response_fills.val();
        self.fill.d.next = 0.into();
        if self.classes.response_fills.val() {
            self.fill.d.next = self.full.code.val();
        }
        self.psn1.d.next = self.psn.val();
        self.msn1.d.next = self.msn.val();
        self.template.d.next.header = self.header.val();
        self.template.d.next.vlans = self.vlans.val();
        self.template.d.next.v6 = self.v6.val();

        // ---- t + 1: the newest `back`; what the op before wrote is not yet in the RAM's answer
        self.cur.next = self.back_table.rdata.val();
        if self.wrote.q.val() & (self.wrote_flow.q.val() == self.flow.q.val()) {
            self.cur.next = self.wrote_back.q.val();
        }
        self.rx.next = self.rx_table.rdata.val();
        self.said.next = self.said_table.rdata.val();
        self.state.enable.next = self.enabled.q.val();
        self.state.cfg.next = self.cfg_table.rdata.val();
        self.state.rx.next = self.rx.val();
        self.state.back.next = self.cur.val();

        // what the rules ask
        self.filtered.next = self.flowful.q.val() & self.state.on.val() & self.state.current.val();
        self.unsent_by.next = self.rx.val().expected - self.psn1.q.val();
        self.sent.next = self.unsent_by.val().any() & !self.unsent_by.val().get_bit(23);
        self.beyond_said.next = self.psn1.q.val() - self.said.val().acked_psn;
        self.told.next = self.said.val().valid
            & (self.said.val().run == self.rx.val().run)
            & (!self.beyond_said.val().any() | self.beyond_said.val().get_bit(23));
        self.of_sample.next =
            self.rx.val().synced & self.rx.val().sample_valid & (self.rx.val().sample_psn == self.psn1.q.val());
        self.offset.next = self.msn1.q.val() - self.rx.val().sample_count;

        // ---- the rules
        self.why.next = self.refused.q.val();
        self.keep.next = !self.refused.q.val().any();
        self.takes.next = false;
        self.pairs.next = false;
        self.write.next = false;
        // a `back` of another run counts as empty
        self.nxt.next = self.cur.val();
        self.nxt.next.run = self.rx.val().run;
        if !self.state.same.val() {
            self.nxt.next.active = false;
            self.nxt.next.fault = false;
            self.nxt.next.resync = false;
            self.nxt.next.seen = false;
            self.nxt.next.mtu = 0.into();
        }
        self.say.next = self.intent2.q.val();
        self.say.next.kind = 0.into();
        self.say.next.req = false;
        self.say.next.flow = self.flow.q.val();
        self.say.next.run = self.rx.val().run;
        self.say.next.psn = self.psn1.q.val();
        self.say.next.msn = self.msn1.q.val();
        // a refusal has its effect even when there is no room for it
        self.heard.next = self.keep.val() | (self.no.q.val() & self.good1.q.val());
        if self.filtered.val() & self.heard.val() {
            if !self.good1.q.val() {
                // 4
                if self.state.active.val() {
                    self.keep.next = false;
                    self.why.next = self.bad_icrc.val();
                }
            } else if self.state.active.val() {
                if self.yes.q.val() & self.sent.val() {
                    // 6
                    self.keep.next = false;
                    self.takes.next = true;
                    self.say.next.kind = self.confirm_kind.val();
                    self.say.next.req = true;
                } else if self.yes.q.val() | (self.no.q.val() & self.told.val()) {
                    // 6, 7: an answer to what was never sent, or a refusal of what the sender was told is done
                    self.write.next = true;
                    self.nxt.next.fault = true;
                } else if self.no.q.val() {
                    // 7
                    self.write.next = true;
                    self.nxt.next.active = false;
                    self.nxt.next.resync = true;
                }
            } else if self.state.sync.val() {
                if self.yes.q.val() {
                    // 6
                    self.write.next = true;
                    self.nxt.next.seen = true;
                    self.nxt.next.seen_psn = self.psn1.q.val();
                    self.say.next.kind = self.confirm_kind.val();
                    if self.of_sample.val() & !(self.state.same.val() & self.cur.val().resync) {
                        self.nxt.next.active = true;
                        self.nxt.next.offset = self.offset.val();
                        self.pairs.next = true;
                        self.say.next.req = true;
                    }
                } else if self.no.q.val() {
                    // 7
                    self.write.next = true;
                    self.nxt.next.resync = true;
                }
            }
            if self.good1.q.val() & !self.state.fault.val() & !self.state.drain.val() {
                // 8
                if self.answered.q.val() {
                    self.say.next.kind = self.confirm_kind.val();
                }
                if self.fill.q.val().any() {
                    self.write.next = true;
                    self.nxt.next.mtu = self.fill.q.val();
                }
            }
        }

        // ---- write, and hand out at t + 2
        self.wrote.d.next = self.valid.q.val() & self.write.val();
        self.wrote_flow.d.next = self.flow.q.val();
        self.wrote_back.d.next = self.nxt.val();
        self.matched.d.next = self.valid.q.val() & self.pairs.val();
        self.template2.d.next = self.template.q.val();
        self.back_table.we.next = self.valid.q.val() & self.write.val();
        self.back_table.waddr.next = self.flow.q.val();
        self.back_table.wdata.next = self.nxt.val();
        self.verdict.d.next = self.valid.q.val();
        self.forward2.d.next = self.keep.val();
        self.push2.d.next = self.keep.val() | self.takes.val();
        self.reason2.d.next = self.why.val();
        self.active2.d.next = self.filtered.val() & self.state.active.val();
        self.absorbed2.d.next = self.takes.val();
        self.intent2.d.next = self.say.val();
        self.verdict_valid.next = self.verdict.q.val();
        self.forward.next = self.forward2.q.val();
        self.push.next = self.push2.q.val();
        self.reason.next = self.reason2.q.val();
        self.active.next = self.active2.q.val();
        self.absorbed.next = self.absorbed2.q.val();
        self.intent.next = self.intent2.q.val();
        self.back_we.next = self.wrote.q.val();
        self.back_addr.next = self.wrote_flow.q.val();
        self.back_data.next = self.wrote_back.q.val();
        self.tpl_we.next = self.matched.q.val();
        self.tpl_addr.next = self.wrote_flow.q.val();
        self.tpl_data.next = self.template2.q.val();
        if self.rst.val() {
            self.valid.d.next = false;
            self.verdict.d.next = false;
            self.wrote.d.next = false;
            self.matched.d.next = false;
            self.back_table.we.next = false;
        }
    }
}
