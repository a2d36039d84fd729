//! Beside host 2: **flow_state_regs**. Block `FLOW`, what is read: a flow's live state.
//!
//! In: the register bus; `enable`; the buses of the records; `times`; of `ack_filter`'s sweeps the flow (`back_addr`) and
//! its debt's age. Out: its word, a cycle after `ra`. Between the host's reads [`FlowAges`] reads the copies.
//! Writing `FLOW_READ_INDEX` latches the flow's state two cycles later, from copies of the records: a read costs the stages nothing.
//! Model: `model::gateway`. Tests: `tests/host/reg_file.rs`. Registers: `FLOW`, from `FLOW_READ_INDEX` on.

use super::FlowAges;
use crate::outbound::flow_state::FlowState;
use crate::prim::{Lit, Table};
use crate::record::{Back, Cfg, Rx, Said, Times};
use matchrdma_spec::params::FLOWS;
use matchrdma_spec::regs::flow;
use rust_hdl::prelude::*;

/// The copies and what was latched of them.
#[derive(LogicBlock, Default)]
pub struct FlowStateRegs {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub wr: Signal<In, Bit>,
    pub wa: Signal<In, Bits<16>>,
    pub wd: Signal<In, Bits<32>>,
    pub ra: Signal<In, Bits<16>>,
    pub rd: Signal<Out, Bits<32>>,
    pub enable: Signal<In, Bit>,
    pub cfg_we: Signal<In, Bit>,
    pub cfg_addr: Signal<In, Bits<13>>,
    pub cfg_data: Signal<In, Cfg>,
    /// The bank in force; `cfg_addr` is {bank, index}.
    pub cfg_bank: Signal<In, Bit>,
    pub rx_we: Signal<In, Bit>,
    pub rx_addr: Signal<In, Bits<12>>,
    pub rx_data: Signal<In, Rx>,
    pub back_we: Signal<In, Bit>,
    pub back_addr: Signal<In, Bits<12>>,
    pub back_data: Signal<In, Back>,
    pub swept_valid: Signal<In, Bit>,
    pub age_valid: Signal<In, Bit>,
    pub age: Signal<In, Bits<16>>,
    pub times: Signal<In, Times>,
    pub said_we: Signal<In, Bit>,
    pub said_addr: Signal<In, Bits<12>>,
    pub said_data: Signal<In, Said>,
    cfg_copy: Table<Cfg, 13>,
    at: Signal<Local, Bits<12>>,
    cfg_at: Signal<Local, Bits<13>>,
    cfg_second: Lit<13, { FLOWS as u64 }>,
    rx_copy: Table<Rx, 12>,
    back_copy: Table<Back, 12>,
    said_copy: Table<Said, 12>,
    state: FlowState,
    index: DFF<Bits<12>>,
    pending: DFF<Bits<2>>,
    latched_state: DFF<Bits<32>>,
    latched_expected: DFF<Bits<24>>,
    latched_msn: DFF<Bits<24>>,
    latched_said: DFF<Said>,
    latched_ticks: DFF<Bits<24>>,
    latched_held: DFF<Bits<32>>,
    latched_debt: DFF<Bits<24>>,
    latched_age: DFF<Bits<16>>,
    ages: FlowAges,
    told: Signal<Local, Bit>,
    owed: Signal<Local, Bits<24>>,
    holds: Signal<Local, Bit>,
    cause: Signal<Local, Bits<4>>,
    read: DFF<Bits<32>>,
    rx: Signal<Local, Rx>,
    back: Signal<Local, Back>,
    said: Signal<Local, Said>,
    code: Signal<Local, Bits<32>>,
    at_index: Lit<16, { flow::READ_INDEX.offset as u64 }>,
    at_status: Lit<16, { flow::READ_STATUS.offset as u64 }>,
    at_state: Lit<16, { flow::STATE.offset as u64 }>,
    at_expected: Lit<16, { flow::EXPECTED_PSN.offset as u64 }>,
    at_departed: Lit<16, { flow::DEPARTED_PSN.offset as u64 }>,
    at_acknowledged: Lit<16, { flow::ACKNOWLEDGED_PSN.offset as u64 }>,
    at_confirmed: Lit<16, { flow::CONFIRMED_PSN.offset as u64 }>,
    at_msn: Lit<16, { flow::MSN.offset as u64 }>,
    at_ticks: Lit<16, { flow::STATE_TICKS.offset as u64 }>,
    at_debt: Lit<16, { flow::DEBT.offset as u64 }>,
    at_age: Lit<16, { flow::DEBT_AGE.offset as u64 }>,
    at_held: Lit<16, { flow::HELD.offset as u64 }>,
    held_now: Lit<32, { 1 << flow::HELD_NOW.lsb as u64 }>,
    code_sync: Lit<32, { flow::STATE_SYNC as u64 }>,
    code_active: Lit<32, { flow::STATE_ACTIVE as u64 }>,
    code_drain: Lit<32, { flow::STATE_DRAIN as u64 }>,
    code_fault: Lit<32, { flow::STATE_FAULT as u64 }>,
}

impl Logic for FlowStateRegs {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, index, pending, latched_state, latched_expected, latched_msn, latched_said, read);
        dff_setup!(self, clk, latched_ticks, latched_held, latched_debt, latched_age);
        self.cfg_copy.clk.next = self.clk.val();
        self.rx_copy.clk.next = self.clk.val();
        self.back_copy.clk.next = self.clk.val();
        self.said_copy.clk.next = self.clk.val();

        // Read a cycle after the index is written, latched a cycle later.
        self.pending.d.next = self.pending.q.val() << 1;
        if self.wr.val() & (self.wa.val() == self.at_index.val()) {
            self.index.d.next = self.wd.val().get_bits::<12>(0);
            self.pending.d.next = bits::<2>(1);
        }
        self.ages.clk.next = self.clk.val();
        self.ages.rst.next = self.rst.val();
        self.ages.times.next = self.times.val();
        self.ages.swept_valid.next = self.swept_valid.val();
        self.ages.swept_flow.next = self.back_addr.val();
        self.ages.age_valid.next = self.age_valid.val();
        self.ages.age.next = self.age.val();
        self.ages.ask.next = self.pending.q.val().get_bit(0);
        self.ages.asked.next = self.index.q.val();
        self.at.next = self.ages.at.val();
        self.cfg_at.next = bit_cast::<13, 12>(self.at.val());
        if self.cfg_bank.val() {
            self.cfg_at.next = bit_cast::<13, 12>(self.at.val()) | self.cfg_second.val();
        }
        self.cfg_copy.raddr.next = self.cfg_at.val();
        self.cfg_copy.we.next = self.cfg_we.val();
        self.cfg_copy.waddr.next = self.cfg_addr.val();
        self.cfg_copy.wdata.next = self.cfg_data.val();
        self.rx_copy.raddr.next = self.at.val();
        self.rx_copy.we.next = self.rx_we.val();
        self.rx_copy.waddr.next = self.rx_addr.val();
        self.rx_copy.wdata.next = self.rx_data.val();
        self.back_copy.raddr.next = self.at.val();
        self.back_copy.we.next = self.back_we.val();
        self.back_copy.waddr.next = self.back_addr.val();
        self.back_copy.wdata.next = self.back_data.val();
        self.said_copy.raddr.next = self.at.val();
        self.said_copy.we.next = self.said_we.val();
        self.said_copy.waddr.next = self.said_addr.val();
        self.said_copy.wdata.next = self.said_data.val();
        self.rx.next = self.rx_copy.rdata.val();
        self.back.next = self.back_copy.rdata.val();
        self.said.next = self.said_copy.rdata.val();
        self.state.enable.next = self.enable.val();
        self.state.cfg.next = self.cfg_copy.rdata.val();
        self.state.rx.next = self.rx.val();
        self.state.back.next = self.back.val();
        self.code.next = bits::<32>(0);
        if self.state.on.val() {
            self.code.next = self.code_sync.val();
            if self.state.fault.val() {
                self.code.next = self.code_fault.val();
            } else if self.state.drain.val() {
                self.code.next = self.code_drain.val();
            } else if self.state.active.val() {
                self.code.next = self.code_active.val();
            }
        }
        self.holds.next = self.state.on.val()
            & self.state.active.val()
            & self.said.val().barrier
            & (self.said.val().run == self.rx.val().run);
        self.ages.state.next = self.code.val().get_bits::<3>(0);
        self.ages.holds.next = self.holds.val();
        self.owed.next = self.said.val().acked_psn - self.back.val().seen_psn;
        self.told.next = self.said.val().valid
            & (self.said.val().run == self.rx.val().run)
            & self.state.same.val()
            & self.back.val().seen
            & self.owed.val().any()
            & !self.owed.val().get_bit(23);
        self.cause.next = bits::<4>(0);
        if self.state.current.val() {
            self.cause.next = self.rx.val().cause;
            if self.state.same.val() & self.back.val().cause.any() {
                self.cause.next = self.back.val().cause;
            }
        }
        if self.pending.q.val().get_bit(1) {
            self.latched_ticks.d.next = self.ages.ticks.val();
            self.latched_held.d.next = bit_cast::<32, 15>(self.ages.held_ticks.val());
            if self.holds.val() {
                self.latched_held.d.next = bit_cast::<32, 15>(self.ages.held_ticks.val()) | self.held_now.val();
            }
            self.latched_debt.d.next = bits::<24>(0);
            self.latched_age.d.next = bits::<16>(0);
            if self.told.val() {
                self.latched_debt.d.next = self.owed.val();
                self.latched_age.d.next = self.ages.debt_age.val();
            }
            self.latched_state.d.next = self.code.val()
                | (bit_cast::<32, 8>(self.rx.val().run) << 8)
                | (bit_cast::<32, 4>(self.cause.val()) << 16);
            self.latched_expected.d.next = self.rx.val().expected;
            self.latched_msn.d.next = self.rx.val().count;
            // In Drain and Fault too the flow counts as the far side does.
            if self.state.current.val() & self.state.same.val() & self.back.val().active {
                self.latched_msn.d.next = self.rx.val().count + self.back.val().offset;
            }
            self.latched_said.d.next = self.said.val();
        }

        self.read.d.next = bits::<32>(0);
        if self.ra.val() == self.at_index.val() {
            self.read.d.next = bit_cast::<32, 12>(self.index.q.val());
        }
        if (self.ra.val() == self.at_status.val()) & self.pending.q.val().any() {
            self.read.d.next = bits::<32>(1);
        }
        if self.ra.val() == self.at_state.val() {
            self.read.d.next = self.latched_state.q.val();
        }
        if self.ra.val() == self.at_expected.val() {
            self.read.d.next = bit_cast::<32, 24>(self.latched_expected.q.val());
        }
        if self.ra.val() == self.at_departed.val() {
            self.read.d.next = bit_cast::<32, 24>(self.latched_said.q.val().departed_psn);
        }
        if self.ra.val() == self.at_acknowledged.val() {
            self.read.d.next = bit_cast::<32, 24>(self.latched_said.q.val().acked_psn);
        }
        if self.ra.val() == self.at_confirmed.val() {
            self.read.d.next = bit_cast::<32, 24>(self.latched_said.q.val().confirmed_psn);
        }
        if self.ra.val() == self.at_msn.val() {
            self.read.d.next = bit_cast::<32, 24>(self.latched_msn.q.val());
        }
        if self.ra.val() == self.at_ticks.val() {
            self.read.d.next = bit_cast::<32, 24>(self.latched_ticks.q.val());
        }
        if self.ra.val() == self.at_debt.val() {
            self.read.d.next = bit_cast::<32, 24>(self.latched_debt.q.val());
        }
        if self.ra.val() == self.at_age.val() {
            self.read.d.next = bit_cast::<32, 16>(self.latched_age.q.val());
        }
        if self.ra.val() == self.at_held.val() {
            self.read.d.next = self.latched_held.q.val();
        }
        self.rd.next = self.read.q.val();
        if self.rst.val() {
            self.pending.d.next = bits::<2>(0);
        }
    }
}
