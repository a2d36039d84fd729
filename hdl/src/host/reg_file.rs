//! Host 2 of 2: **reg_file**. From [axil], to every stage that the host sets; from every stage that it reads.
//!
//! One sub-block per block of `spec::regs`, all on one bus: writes go to all, the words they read are ORed.
//! `known` says which words may be read and written. The bus and its timing: `docs/blocks.md`, "The host".
//! Latency: a write acts in the next cycle; a read is answered two cycles after `rd`, of a window three.
//! Model: `spec::regs`. Tests: `tests/host/reg_file.rs`. Registers: all.
//!
//! [axil]: crate::host::Axil

use super::counter_regs::COUNTERS;
use super::{
    Axil, ControlRegs, CounterRegs, FlowRegs, FlowStateRegs, IdRegs, Known, PacerRegs, RateRegs, Tables, TimerRegs,
};
use crate::record::{Back, Cfg, Rx, Said, Times};
use rust_hdl::prelude::*;

/// The registers.
#[derive(LogicBlock)]
pub struct RegFile {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub s_axil_awaddr: Signal<In, Bits<16>>,
    pub s_axil_awvalid: Signal<In, Bit>,
    pub s_axil_awready: Signal<Out, Bit>,
    pub s_axil_wdata: Signal<In, Bits<32>>,
    pub s_axil_wstrb: Signal<In, Bits<4>>,
    pub s_axil_wvalid: Signal<In, Bit>,
    pub s_axil_wready: Signal<Out, Bit>,
    pub s_axil_bresp: Signal<Out, Bits<2>>,
    pub s_axil_bvalid: Signal<Out, Bit>,
    pub s_axil_bready: Signal<In, Bit>,
    pub s_axil_araddr: Signal<In, Bits<16>>,
    pub s_axil_arvalid: Signal<In, Bit>,
    pub s_axil_arready: Signal<Out, Bit>,
    pub s_axil_rdata: Signal<Out, Bits<32>>,
    pub s_axil_rresp: Signal<Out, Bits<2>>,
    pub s_axil_rvalid: Signal<Out, Bit>,
    pub s_axil_rready: Signal<In, Bit>,
    // The bus, for the registers of `watch`.
    pub bus_wr: Signal<Out, Bit>,
    pub bus_wa: Signal<Out, Bits<16>>,
    pub bus_wd: Signal<Out, Bits<32>>,
    pub bus_ra: Signal<Out, Bits<16>>,
    pub bus_rd: Signal<In, Bits<32>>,
    // What the host sets.
    pub enable: Signal<Out, Bit>,
    pub ack_on_arrival: Signal<Out, Bit>,
    pub pacer_slot_k: Signal<Out, Bits<5>>,
    pub pacer_overhead: Signal<Out, Bits<8>>,
    pub ack_share_log2: Signal<Out, Bits<4>>,
    pub times: Signal<Out, Times>,
    pub row_we: Signal<Out, Bit>,
    pub row_inbound: Signal<Out, Bit>,
    pub row_bank: Signal<Out, Bits<2>>,
    pub row_addr: Signal<Out, Bits<11>>,
    pub row_data: Signal<Out, Bits<318>>,
    pub cfg_we: Signal<Out, Bit>,
    pub cfg_addr: Signal<Out, Bits<13>>,
    pub cfg_data: Signal<Out, Cfg>,
    pub cfg_bank: Signal<Out, Bit>,
    // Banked tables on their way to those who read them, and which banks are in force.
    pub route_bank: Signal<Out, Bit>,
    pub route_set: Signal<Out, Bit>,
    pub route_we: Signal<Out, Bit>,
    pub route_we_bank: Signal<Out, Bit>,
    pub route_addr: Signal<Out, Bits<7>>,
    pub route_data: Signal<Out, Bits<134>>,
    pub path_we: Signal<Out, Bit>,
    pub path_addr: Signal<Out, Bits<5>>,
    pub path_word: Signal<Out, Bits<4>>,
    pub path_data: Signal<Out, Bits<32>>,
    pub calendar_we: Signal<Out, Bit>,
    pub calendar_addr: Signal<Out, Bits<14>>,
    pub calendar_data: Signal<Out, Bits<32>>,
    pub commit_banks: Signal<Out, Bits<4>>,
    pub commit_set: Signal<Out, Bits<4>>,
    pub commit_pending: Signal<Out, Bit>,
    pub commit_mask: Signal<Out, Bits<4>>,
    pub told_ask: Signal<Out, Bits<4>>,
    pub flip: Signal<In, Bit>,
    pub slot: Signal<In, Bits<32>>,
    pub slot_k: Signal<In, Bits<5>>,
    pub told_rate: Signal<In, Bits<32>>,
    pub told_burst: Signal<In, Bits<25>>,
    pub told_mode: Signal<In, Bits<3>>,
    pub told_phase: Signal<In, Bits<2>>,
    // What it reads.
    pub idle: Signal<In, Bit>,
    pub rx_we: Signal<In, Bit>,
    pub rx_addr: Signal<In, Bits<12>>,
    pub rx_data: Signal<In, Rx>,
    pub back_we: Signal<In, Bit>,
    pub back_addr: Signal<In, Bits<12>>,
    pub back_data: Signal<In, Back>,
    /// Flow `back_addr` was swept, and its debt is so old.
    pub swept_valid: Signal<In, Bit>,
    pub age_valid: Signal<In, Bit>,
    pub age: Signal<In, Bits<16>>,
    pub said_we: Signal<In, Bit>,
    pub said_addr: Signal<In, Bits<12>>,
    pub said_data: Signal<In, Said>,
    /// What each counter gains in this cycle, in the order of `spec::regs::counters::COUNTERS`.
    pub gain: [Signal<In, Bits<14>>; COUNTERS],
    axil: Axil,
    known: Known,
    id_regs: IdRegs,
    control_regs: ControlRegs,
    pacer_regs: PacerRegs,
    timer_regs: TimerRegs,
    flow_regs: FlowRegs,
    flow_state_regs: FlowStateRegs,
    counter_regs: CounterRegs,
    tables: Tables,
    rate_regs: RateRegs,
    asked: DFF<Bit>,
    answered: DFF<Bit>,
    fetched: DFF<Bit>,
    write: Signal<Local, Bit>,
    write_ok: Signal<Local, Bit>,
    wa: Signal<Local, Bits<16>>,
    wd: Signal<Local, Bits<32>>,
    ra: Signal<Local, Bits<16>>,
    go: Signal<Local, Bit>,
    word: Signal<Local, Bits<32>>,
}

impl Default for RegFile {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            s_axil_awaddr: Default::default(),
            s_axil_awvalid: Default::default(),
            s_axil_awready: Default::default(),
            s_axil_wdata: Default::default(),
            s_axil_wstrb: Default::default(),
            s_axil_wvalid: Default::default(),
            s_axil_wready: Default::default(),
            s_axil_bresp: Default::default(),
            s_axil_bvalid: Default::default(),
            s_axil_bready: Default::default(),
            s_axil_araddr: Default::default(),
            s_axil_arvalid: Default::default(),
            s_axil_arready: Default::default(),
            s_axil_rdata: Default::default(),
            s_axil_rresp: Default::default(),
            s_axil_rvalid: Default::default(),
            s_axil_rready: Default::default(),
            bus_wr: Default::default(),
            bus_wa: Default::default(),
            bus_wd: Default::default(),
            bus_ra: Default::default(),
            bus_rd: Default::default(),
            enable: Default::default(),
            ack_on_arrival: Default::default(),
            pacer_slot_k: Default::default(),
            pacer_overhead: Default::default(),
            ack_share_log2: Default::default(),
            times: Default::default(),
            row_we: Default::default(),
            row_inbound: Default::default(),
            row_bank: Default::default(),
            row_addr: Default::default(),
            row_data: Default::default(),
            cfg_we: Default::default(),
            cfg_addr: Default::default(),
            cfg_data: Default::default(),
            cfg_bank: Default::default(),
            route_bank: Default::default(),
            route_set: Default::default(),
            route_we: Default::default(),
            route_we_bank: Default::default(),
            route_addr: Default::default(),
            route_data: Default::default(),
            path_we: Default::default(),
            path_addr: Default::default(),
            path_word: Default::default(),
            path_data: Default::default(),
            calendar_we: Default::default(),
            calendar_addr: Default::default(),
            calendar_data: Default::default(),
            commit_banks: Default::default(),
            commit_set: Default::default(),
            commit_pending: Default::default(),
            commit_mask: Default::default(),
            told_ask: Default::default(),
            flip: Default::default(),
            slot: Default::default(),
            slot_k: Default::default(),
            told_rate: Default::default(),
            told_burst: Default::default(),
            told_mode: Default::default(),
            told_phase: Default::default(),
            idle: Default::default(),
            rx_we: Default::default(),
            rx_addr: Default::default(),
            rx_data: Default::default(),
            back_we: Default::default(),
            back_addr: Default::default(),
            back_data: Default::default(),
            swept_valid: Default::default(),
            age_valid: Default::default(),
            age: Default::default(),
            said_we: Default::default(),
            said_addr: Default::default(),
            said_data: Default::default(),
            gain: std::array::from_fn(|_| Default::default()),
            axil: Default::default(),
            known: Default::default(),
            id_regs: Default::default(),
            control_regs: Default::default(),
            pacer_regs: Default::default(),
            timer_regs: Default::default(),
            flow_regs: Default::default(),
            flow_state_regs: Default::default(),
            counter_regs: Default::default(),
            tables: Default::default(),
            rate_regs: Default::default(),
            asked: Default::default(),
            answered: Default::default(),
            fetched: Default::default(),
            write: Default::default(),
            write_ok: Default::default(),
            wa: Default::default(),
            wd: Default::default(),
            ra: Default::default(),
            go: Default::default(),
            word: Default::default(),
        }
    }
}

impl Logic for RegFile {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, asked, answered, fetched);
        self.axil.clk.next = self.clk.val();
        self.axil.rst.next = self.rst.val();
        self.known.clk.next = self.clk.val();
        self.axil.s_axil_awaddr.next = self.s_axil_awaddr.val();
        self.axil.s_axil_awvalid.next = self.s_axil_awvalid.val();
        self.axil.s_axil_wdata.next = self.s_axil_wdata.val();
        self.axil.s_axil_wstrb.next = self.s_axil_wstrb.val();
        self.axil.s_axil_wvalid.next = self.s_axil_wvalid.val();
        self.axil.s_axil_bready.next = self.s_axil_bready.val();
        self.axil.s_axil_araddr.next = self.s_axil_araddr.val();
        self.axil.s_axil_arvalid.next = self.s_axil_arvalid.val();
        self.axil.s_axil_rready.next = self.s_axil_rready.val();
        self.s_axil_awready.next = self.axil.s_axil_awready.val();
        self.s_axil_wready.next = self.axil.s_axil_wready.val();
        self.s_axil_bresp.next = self.axil.s_axil_bresp.val();
        self.s_axil_bvalid.next = self.axil.s_axil_bvalid.val();
        self.s_axil_arready.next = self.axil.s_axil_arready.val();
        self.s_axil_rdata.next = self.axil.s_axil_rdata.val();
        self.s_axil_rresp.next = self.axil.s_axil_rresp.val();
        self.s_axil_rvalid.next = self.axil.s_axil_rvalid.val();

        // The bus: writes.
        self.known.wr_addr.next = self.axil.wr_next.val();
        self.axil.wr_calm.next = self.known.wr_calm.val();
        self.write_ok.next = self.known.wr_ok.val() & !self.pacer_regs.deny.val() & !self.tables.deny.val();
        self.axil.wr_ok.next = self.write_ok.val();
        self.write.next = self.axil.wr.val() & self.write_ok.val();
        self.wa.next = self.axil.wr_addr.val();
        self.wd.next = self.axil.wr_data.val();

        // Reads: the address stands from `rd` to the answer; `go` when it is known that it may be read.
        self.known.rd_addr.next = self.axil.rd_addr.val();
        self.ra.next = self.axil.rd_addr.val();
        self.asked.d.next = self.axil.rd.val();
        self.go.next = self.asked.q.val() & self.known.rd_ok.val();
        self.answered.d.next = self.asked.q.val();
        self.fetched.d.next = self.answered.q.val() & self.known.rd_window.val();
        self.axil.rd_valid.next = (self.answered.q.val() & !self.known.rd_window.val()) | self.fetched.q.val();
        self.axil.rd_ok.next = self.known.rd_ok.val();

        self.bus_wr.next = self.write.val();
        self.bus_wa.next = self.wa.val();
        self.bus_wd.next = self.wd.val();
        self.bus_ra.next = self.ra.val();

        self.id_regs.clk.next = self.clk.val();
        self.id_regs.rst.next = self.rst.val();
        self.id_regs.wr.next = self.write.val();
        self.id_regs.wa.next = self.wa.val();
        self.id_regs.wd.next = self.wd.val();
        self.id_regs.ra.next = self.ra.val();
        self.control_regs.clk.next = self.clk.val();
        self.control_regs.rst.next = self.rst.val();
        self.control_regs.wr.next = self.write.val();
        self.control_regs.wa.next = self.wa.val();
        self.control_regs.wd.next = self.wd.val();
        self.control_regs.ra.next = self.ra.val();
        self.control_regs.idle.next = self.idle.val();
        // Without a table of flows every flow is off.
        self.enable.next = self.control_regs.enable.val() & self.tables.set.val().get_bit(2);
        self.ack_on_arrival.next = self.control_regs.ack_on_arrival.val();

        self.timer_regs.clk.next = self.clk.val();
        self.timer_regs.rst.next = self.rst.val();
        self.timer_regs.wr.next = self.write.val();
        self.timer_regs.wa.next = self.wa.val();
        self.timer_regs.wd.next = self.wd.val();
        self.timer_regs.ra.next = self.ra.val();
        self.times.next = self.timer_regs.times.val();
        self.pacer_regs.clk.next = self.clk.val();
        self.pacer_regs.rst.next = self.rst.val();
        self.pacer_regs.wr.next = self.write.val();
        self.pacer_regs.wa.next = self.wa.val();
        self.pacer_regs.wd.next = self.wd.val();
        self.pacer_regs.ra.next = self.ra.val();
        self.pacer_slot_k.next = self.pacer_regs.slot_k.val();
        self.pacer_overhead.next = self.pacer_regs.overhead.val();
        self.ack_share_log2.next = self.pacer_regs.ack_share_log2.val();

        self.flow_regs.clk.next = self.clk.val();
        self.flow_regs.rst.next = self.rst.val();
        self.flow_regs.wr.next = self.write.val();
        self.flow_regs.wa.next = self.wa.val();
        self.flow_regs.wd.next = self.wd.val();
        self.flow_regs.ra.next = self.ra.val();
        self.row_we.next = self.flow_regs.row_we.val();
        self.row_inbound.next = self.flow_regs.row_inbound.val();
        self.row_bank.next = self.flow_regs.row_bank.val();
        self.row_addr.next = self.flow_regs.row_addr.val();
        self.row_data.next = self.flow_regs.row_data.val();

        self.flow_state_regs.clk.next = self.clk.val();
        self.flow_state_regs.rst.next = self.rst.val();
        self.flow_state_regs.wr.next = self.write.val();
        self.flow_state_regs.wa.next = self.wa.val();
        self.flow_state_regs.wd.next = self.wd.val();
        self.flow_state_regs.ra.next = self.ra.val();
        self.flow_state_regs.enable.next = self.control_regs.enable.val() & self.tables.set.val().get_bit(2);
        self.flow_state_regs.cfg_we.next = self.tables.cfg_we.val();
        self.flow_state_regs.cfg_addr.next = self.tables.cfg_addr.val();
        self.flow_state_regs.cfg_data.next = self.tables.cfg_data.val();
        self.flow_state_regs.cfg_bank.next = self.tables.banks.val().get_bit(2);
        self.flow_state_regs.rx_we.next = self.rx_we.val();
        self.flow_state_regs.rx_addr.next = self.rx_addr.val();
        self.flow_state_regs.rx_data.next = self.rx_data.val();
        self.flow_state_regs.back_we.next = self.back_we.val();
        self.flow_state_regs.back_addr.next = self.back_addr.val();
        self.flow_state_regs.back_data.next = self.back_data.val();
        self.flow_state_regs.swept_valid.next = self.swept_valid.val();
        self.flow_state_regs.age_valid.next = self.age_valid.val();
        self.flow_state_regs.age.next = self.age.val();
        self.flow_state_regs.times.next = self.timer_regs.times.val();
        self.flow_state_regs.said_we.next = self.said_we.val();
        self.flow_state_regs.said_addr.next = self.said_addr.val();
        self.flow_state_regs.said_data.next = self.said_data.val();

        self.counter_regs.clk.next = self.clk.val();
        self.counter_regs.rst.next = self.rst.val();
        self.counter_regs.ra.next = self.ra.val();
        self.counter_regs.rd_go.next = self.go.val();
        for i in 0..21 {
            self.counter_regs.gain[i].next = self.gain[i].val();
        }

        self.tables.clk.next = self.clk.val();
        self.tables.rst.next = self.rst.val();
        self.tables.wr.next = self.write.val();
        self.tables.wa.next = self.wa.val();
        self.tables.wd.next = self.wd.val();
        self.tables.ra.next = self.ra.val();
        self.tables.rd_go.next = self.go.val();
        self.tables.flip.next = self.flip.val();
        self.cfg_we.next = self.tables.cfg_we.val();
        self.cfg_addr.next = self.tables.cfg_addr.val();
        self.cfg_data.next = self.tables.cfg_data.val();
        self.cfg_bank.next = self.tables.banks.val().get_bit(2);
        self.route_bank.next = self.tables.banks.val().get_bit(0);
        self.route_set.next = self.tables.set.val().get_bit(0);
        self.route_we.next = self.tables.route_we.val();
        self.route_we_bank.next = self.tables.route_we_bank.val();
        self.route_addr.next = self.tables.route_addr.val();
        self.route_data.next = self.tables.route_data.val();
        self.path_we.next = self.tables.path_we.val();
        self.path_addr.next = self.tables.path_addr.val();
        self.path_word.next = self.tables.path_word.val();
        self.path_data.next = self.tables.path_data.val();
        self.calendar_we.next = self.tables.calendar_we.val();
        self.calendar_addr.next = self.tables.calendar_addr.val();
        self.calendar_data.next = self.tables.calendar_data.val();
        self.commit_banks.next = self.tables.banks.val();
        self.commit_set.next = self.tables.set.val();
        self.commit_pending.next = self.tables.pending.val();
        self.commit_mask.next = self.tables.pending_mask.val();

        self.rate_regs.clk.next = self.clk.val();
        self.rate_regs.rst.next = self.rst.val();
        self.rate_regs.wr.next = self.write.val();
        self.rate_regs.wa.next = self.wa.val();
        self.rate_regs.wd.next = self.wd.val();
        self.rate_regs.ra.next = self.ra.val();
        self.rate_regs.generation.next = self.tables.generation.val();
        self.rate_regs.slot.next = self.slot.val();
        self.rate_regs.slot_k.next = self.slot_k.val();
        self.rate_regs.told_rate.next = self.told_rate.val();
        self.rate_regs.told_burst.next = self.told_burst.val();
        self.rate_regs.told_mode.next = self.told_mode.val();
        self.rate_regs.told_phase.next = self.told_phase.val();
        self.told_ask.next = self.rate_regs.ask.val();

        // A block answers zero when the address is not its own.
        self.word.next = self.id_regs.rd.val();
        self.word.next = self.word.val() | self.control_regs.rd.val();
        self.word.next = self.word.val() | self.pacer_regs.rd.val();
        self.word.next = self.word.val() | self.timer_regs.rd.val();
        self.word.next = self.word.val() | self.flow_regs.rd.val();
        self.word.next = self.word.val() | self.flow_state_regs.rd.val();
        self.word.next = self.word.val() | self.counter_regs.rd.val();
        self.word.next = self.word.val() | self.tables.rd.val();
        self.word.next = self.word.val() | self.rate_regs.rd.val();
        self.word.next = self.word.val() | self.bus_rd.val();
        self.axil.rd_data.next = self.word.val();

        if self.rst.val() {
            self.asked.d.next = false;
            self.answered.d.next = false;
            self.fetched.d.next = false;
        }
    }
}
