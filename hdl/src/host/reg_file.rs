//! Host 2 of 2: **reg_file**. From [axil], to every stage that the host sets; from every stage that it reads.
//!
//! The map is `spec::regs`: which words may be read and written comes from it as one table, their places as constants.
//! Side effects: the last word of the row window writes a row; `FLOW_CFG` writes a setting; `FLOW_READ_INDEX` latches
//! a flow's state; reading a counter's low word latches its high one.
//! Latency: a write acts in the next cycle; a read is answered a cycle after `rd`.
//! Model: `spec::regs`. Tests: `tests/host/reg_file.rs`. Registers: all.
//!
//! A flow's state is read from copies of the records, so a read costs the stages nothing.
//!
//! [axil]: crate::host::Axil

use super::{Axil, Counters, Known};
use crate::outbound::flow_state::FlowState;
use crate::prim::{Lit, Table};
use crate::record::{Back, Cfg, Rx, Said};
use matchrdma_spec::regs::{self, control, counters, flow, id, pacer};
use rust_hdl::prelude::*;

/// Number of counters.
pub const COUNTERS: usize = counters::COUNTERS.len();

const fn at(reg: &regs::Reg) -> u64 {
    reg.offset as u64
}

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
    // What the host sets.
    pub enable: Signal<Out, Bit>,
    pub ack_on_arrival: Signal<Out, Bit>,
    pub pacer_mode: Signal<Out, Bit>,
    pub pacer_rate: Signal<Out, Bits<32>>,
    pub pacer_slot_k: Signal<Out, Bits<5>>,
    pub pacer_burst: Signal<Out, Bits<32>>,
    pub pacer_overhead: Signal<Out, Bits<8>>,
    pub ack_share_log2: Signal<Out, Bits<4>>,
    pub row_we: Signal<Out, Bit>,
    pub row_inbound: Signal<Out, Bit>,
    pub row_bank: Signal<Out, Bits<2>>,
    pub row_addr: Signal<Out, Bits<11>>,
    pub row_data: Signal<Out, Bits<318>>,
    pub cfg_we: Signal<Out, Bit>,
    pub cfg_addr: Signal<Out, Bits<12>>,
    pub cfg_data: Signal<Out, Cfg>,
    // What it reads.
    pub idle: Signal<In, Bit>,
    pub rx_we: Signal<In, Bit>,
    pub rx_addr: Signal<In, Bits<12>>,
    pub rx_data: Signal<In, Rx>,
    pub back_we: Signal<In, Bit>,
    pub back_addr: Signal<In, Bits<12>>,
    pub back_data: Signal<In, Back>,
    pub said_we: Signal<In, Bit>,
    pub said_addr: Signal<In, Bits<12>>,
    pub said_data: Signal<In, Said>,
    /// What each counter gains in this cycle, in the order of `spec::regs::counters::COUNTERS`.
    pub gain: [Signal<In, Bits<14>>; COUNTERS],
    axil: Axil,
    counters: Counters<COUNTERS>,
    known: Known,
    cfg_copy: Table<Cfg, 12>,
    rx_copy: Table<Rx, 12>,
    back_copy: Table<Back, 12>,
    said_copy: Table<Said, 12>,
    state: FlowState,
    scratch: DFF<Bits<32>>,
    control: DFF<Bits<2>>,
    mode: DFF<Bit>,
    rate: DFF<Bits<32>>,
    slot_k: DFF<Bits<5>>,
    burst: DFF<Bits<32>>,
    overhead: DFF<Bits<8>>,
    share: DFF<Bits<4>>,
    row_select: DFF<Bits<32>>,
    row_dir: DFF<Bit>,
    row_word: [DFF<Bits<32>>; 9],
    row: DFF<Bits<318>>,
    row_write: DFF<Bit>,
    cfg_index: DFF<Bits<12>>,
    cfg_write: DFF<Bit>,
    cfg: DFF<Cfg>,
    read_index: DFF<Bits<12>>,
    read_wait: DFF<Bits<2>>,
    latched_state: DFF<Bits<32>>,
    latched_expected: DFF<Bits<24>>,
    latched_msn: DFF<Bits<24>>,
    latched_said: DFF<Said>,
    high: DFF<Bits<32>>,
    reading: DFF<Bit>,
    wa: Signal<Local, Bits<16>>,
    wd: Signal<Local, Bits<32>>,
    ra: Signal<Local, Bits<16>>,
    value: Signal<Local, Bits<64>>,
    write: Signal<Local, Bit>,
    setting: Signal<Local, Cfg>,
    joined: Signal<Local, Bits<318>>,
    rx: Signal<Local, Rx>,
    back: Signal<Local, Back>,
    said: Signal<Local, Said>,
    code: Signal<Local, Bits<32>>,
    row_select_bits: Lit<32, { (flow::ROW_SELECT_ROW.mask() | flow::ROW_SELECT_BANK.mask()) as u64 }>,
    at_scratch: Lit<16, { at(&id::SCRATCH) }>,
    at_control: Lit<16, { at(&control::CONTROL) }>,
    at_status: Lit<16, { at(&control::STATUS) }>,
    at_mode: Lit<16, { at(&pacer::MODE) }>,
    at_rate: Lit<16, { at(&pacer::RATE) }>,
    at_slot_k: Lit<16, { at(&pacer::SLOT_K) }>,
    at_burst: Lit<16, { at(&pacer::BURST) }>,
    at_overhead: Lit<16, { at(&pacer::OVERHEAD) }>,
    at_share: Lit<16, { at(&pacer::ACK_SHARE_LOG2) }>,
    at_row_select: Lit<16, { at(&flow::ROW_SELECT) }>,
    at_row_dir: Lit<16, { at(&flow::ROW_DIR) }>,
    at_row_word: [Constant<Bits<16>>; 9],
    at_row_last: Lit<16, { at(&flow::ROW_WORD[9]) }>,
    at_cfg_index: Lit<16, { at(&flow::CFG_INDEX) }>,
    at_cfg: Lit<16, { at(&flow::CFG) }>,
    at_read_index: Lit<16, { at(&flow::READ_INDEX) }>,
    at_read_status: Lit<16, { at(&flow::READ_STATUS) }>,
    at_state: Lit<16, { at(&flow::STATE) }>,
    at_expected: Lit<16, { at(&flow::EXPECTED_PSN) }>,
    at_departed: Lit<16, { at(&flow::DEPARTED_PSN) }>,
    at_acknowledged: Lit<16, { at(&flow::ACKNOWLEDGED_PSN) }>,
    at_confirmed: Lit<16, { at(&flow::CONFIRMED_PSN) }>,
    at_msn: Lit<16, { at(&flow::MSN) }>,
    counters_from: Lit<16, { counters::BASE as u64 }>,
    code_sync: Lit<32, { flow::STATE_SYNC as u64 }>,
    code_active: Lit<32, { flow::STATE_ACTIVE as u64 }>,
    code_drain: Lit<32, { flow::STATE_DRAIN as u64 }>,
    code_fault: Lit<32, { flow::STATE_FAULT as u64 }>,
    reset_slot_k: Lit<5, { pacer::RESET[2] as u64 }>,
    reset_burst: Lit<32, { pacer::RESET[3] as u64 }>,
    reset_overhead: Lit<8, { pacer::RESET[4] as u64 }>,
    reset_share: Lit<4, { pacer::RESET[5] as u64 }>,
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
            enable: Default::default(),
            ack_on_arrival: Default::default(),
            pacer_mode: Default::default(),
            pacer_rate: Default::default(),
            pacer_slot_k: Default::default(),
            pacer_burst: Default::default(),
            pacer_overhead: Default::default(),
            ack_share_log2: Default::default(),
            row_we: Default::default(),
            row_inbound: Default::default(),
            row_bank: Default::default(),
            row_addr: Default::default(),
            row_data: Default::default(),
            cfg_we: Default::default(),
            cfg_addr: Default::default(),
            cfg_data: Default::default(),
            idle: Default::default(),
            rx_we: Default::default(),
            rx_addr: Default::default(),
            rx_data: Default::default(),
            back_we: Default::default(),
            back_addr: Default::default(),
            back_data: Default::default(),
            said_we: Default::default(),
            said_addr: Default::default(),
            said_data: Default::default(),
            gain: std::array::from_fn(|_| Default::default()),
            axil: Default::default(),
            counters: Default::default(),
            known: Default::default(),
            cfg_copy: Default::default(),
            rx_copy: Default::default(),
            back_copy: Default::default(),
            said_copy: Default::default(),
            state: Default::default(),
            scratch: Default::default(),
            control: Default::default(),
            mode: Default::default(),
            rate: Default::default(),
            slot_k: Default::default(),
            burst: Default::default(),
            overhead: Default::default(),
            share: Default::default(),
            row_select: Default::default(),
            row_dir: Default::default(),
            row_word: std::array::from_fn(|_| Default::default()),
            row: Default::default(),
            row_write: Default::default(),
            cfg_index: Default::default(),
            cfg_write: Default::default(),
            cfg: Default::default(),
            read_index: Default::default(),
            read_wait: Default::default(),
            latched_state: Default::default(),
            latched_expected: Default::default(),
            latched_msn: Default::default(),
            latched_said: Default::default(),
            high: Default::default(),
            reading: Default::default(),
            wa: Default::default(),
            wd: Default::default(),
            ra: Default::default(),
            value: Default::default(),
            write: Default::default(),
            setting: Default::default(),
            joined: Default::default(),
            rx: Default::default(),
            back: Default::default(),
            said: Default::default(),
            code: Default::default(),
            row_select_bits: Default::default(),
            at_scratch: Default::default(),
            at_control: Default::default(),
            at_status: Default::default(),
            at_mode: Default::default(),
            at_rate: Default::default(),
            at_slot_k: Default::default(),
            at_burst: Default::default(),
            at_overhead: Default::default(),
            at_share: Default::default(),
            at_row_select: Default::default(),
            at_row_dir: Default::default(),
            at_row_word: std::array::from_fn(|i| Constant::new(bits(at(&flow::ROW_WORD[i])))),
            at_row_last: Default::default(),
            at_cfg_index: Default::default(),
            at_cfg: Default::default(),
            at_read_index: Default::default(),
            at_read_status: Default::default(),
            at_state: Default::default(),
            at_expected: Default::default(),
            at_departed: Default::default(),
            at_acknowledged: Default::default(),
            at_confirmed: Default::default(),
            at_msn: Default::default(),
            counters_from: Default::default(),
            code_sync: Default::default(),
            code_active: Default::default(),
            code_drain: Default::default(),
            code_fault: Default::default(),
            reset_slot_k: Default::default(),
            reset_burst: Default::default(),
            reset_overhead: Default::default(),
            reset_share: Default::default(),
        }
    }
}

impl Logic for RegFile {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, scratch, control, mode, rate, slot_k, burst, overhead, share);
        dff_setup!(self, clk, row_select, row_dir, row, row_write, cfg_index, cfg_write, cfg);
        dff_setup!(self, clk, read_index, read_wait, latched_state, latched_expected, latched_msn, latched_said);
        dff_setup!(self, clk, high, reading);
        self.axil.clk.next = self.clk.val();
        self.known.clk.next = self.clk.val();
        self.counters.clk.next = self.clk.val();
        self.cfg_copy.clk.next = self.clk.val();
        self.rx_copy.clk.next = self.clk.val();
        self.back_copy.clk.next = self.clk.val();
        self.said_copy.clk.next = self.clk.val();
        self.axil.rst.next = self.rst.val();
        self.counters.rst.next = self.rst.val();
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

        // Writes.
        self.wa.next = self.axil.wr_addr.val();
        self.wd.next = self.axil.wr_data.val();
        self.known.wr_addr.next = self.axil.wr_addr.val();
        self.axil.wr_ok.next = self.known.wr_ok.val();
        self.write.next = self.axil.wr.val();
        if self.write.val() & (self.wa.val() == self.at_scratch.val()) {
            self.scratch.d.next = self.wd.val();
        }
        if self.write.val() & (self.wa.val() == self.at_control.val()) {
            self.control.d.next = self.wd.val().get_bits::<2>(0);
        }
        if self.write.val() & (self.wa.val() == self.at_mode.val()) {
            self.mode.d.next = self.wd.val().get_bit(0);
        }
        if self.write.val() & (self.wa.val() == self.at_rate.val()) {
            self.rate.d.next = self.wd.val();
        }
        if self.write.val() & (self.wa.val() == self.at_slot_k.val()) {
            self.slot_k.d.next = self.wd.val().get_bits::<5>(0);
        }
        if self.write.val() & (self.wa.val() == self.at_burst.val()) {
            self.burst.d.next = self.wd.val();
        }
        if self.write.val() & (self.wa.val() == self.at_overhead.val()) {
            self.overhead.d.next = self.wd.val().get_bits::<8>(0);
        }
        if self.write.val() & (self.wa.val() == self.at_share.val()) {
            self.share.d.next = self.wd.val().get_bits::<4>(0);
        }
        if self.write.val() & (self.wa.val() == self.at_row_select.val()) {
            self.row_select.d.next = self.wd.val() & self.row_select_bits.val();
        }
        if self.write.val() & (self.wa.val() == self.at_row_dir.val()) {
            self.row_dir.d.next = self.wd.val().get_bit(0);
        }
        self.joined.next = bit_cast::<318, 32>(self.wd.val()) << 288;
        for i in 0..9 {
            self.row_word[i].clock.next = self.clk.val();
            self.row_word[i].d.next = self.row_word[i].q.val();
            if self.write.val() & (self.wa.val() == self.at_row_word[i].val()) {
                self.row_word[i].d.next = self.wd.val();
            }
        }
        self.joined.next = self.joined.val() | (bit_cast::<318, 32>(self.row_word[0].q.val()) << 0);
        self.joined.next = self.joined.val() | (bit_cast::<318, 32>(self.row_word[1].q.val()) << 32);
        self.joined.next = self.joined.val() | (bit_cast::<318, 32>(self.row_word[2].q.val()) << 64);
        self.joined.next = self.joined.val() | (bit_cast::<318, 32>(self.row_word[3].q.val()) << 96);
        self.joined.next = self.joined.val() | (bit_cast::<318, 32>(self.row_word[4].q.val()) << 128);
        self.joined.next = self.joined.val() | (bit_cast::<318, 32>(self.row_word[5].q.val()) << 160);
        self.joined.next = self.joined.val() | (bit_cast::<318, 32>(self.row_word[6].q.val()) << 192);
        self.joined.next = self.joined.val() | (bit_cast::<318, 32>(self.row_word[7].q.val()) << 224);
        self.joined.next = self.joined.val() | (bit_cast::<318, 32>(self.row_word[8].q.val()) << 256);
        self.row_write.d.next = false;
        if self.write.val() & (self.wa.val() == self.at_row_last.val()) {
            self.row.d.next = self.joined.val();
            self.row_write.d.next = true;
        }
        if self.write.val() & (self.wa.val() == self.at_cfg_index.val()) {
            self.cfg_index.d.next = self.wd.val().get_bits::<12>(0);
        }
        self.setting.next.enable = self.wd.val().get_bit(0);
        self.setting.next.ack_ops_write = self.wd.val().get_bit(1);
        self.setting.next.zero = bits::<2>(0);
        self.setting.next.mtu = self.wd.val().get_bits::<3>(4);
        self.setting.next.zero1 = false;
        self.setting.next.serial = self.wd.val().get_bits::<8>(8);
        self.cfg_write.d.next = false;
        if self.write.val() & (self.wa.val() == self.at_cfg.val()) {
            self.cfg.d.next = self.setting.val();
            self.cfg_write.d.next = true;
        }

        // A flow's records: read a cycle after the index is written, latched a cycle later.
        self.read_wait.d.next = self.read_wait.q.val() << 1;
        if self.write.val() & (self.wa.val() == self.at_read_index.val()) {
            self.read_index.d.next = self.wd.val().get_bits::<12>(0);
            self.read_wait.d.next = bits::<2>(1);
        }
        self.cfg_copy.raddr.next = self.read_index.q.val();
        self.cfg_copy.we.next = self.cfg_write.q.val();
        self.cfg_copy.waddr.next = self.cfg_index.q.val();
        self.cfg_copy.wdata.next = self.cfg.q.val();
        self.rx_copy.raddr.next = self.read_index.q.val();
        self.rx_copy.we.next = self.rx_we.val();
        self.rx_copy.waddr.next = self.rx_addr.val();
        self.rx_copy.wdata.next = self.rx_data.val();
        self.back_copy.raddr.next = self.read_index.q.val();
        self.back_copy.we.next = self.back_we.val();
        self.back_copy.waddr.next = self.back_addr.val();
        self.back_copy.wdata.next = self.back_data.val();
        self.said_copy.raddr.next = self.read_index.q.val();
        self.said_copy.we.next = self.said_we.val();
        self.said_copy.waddr.next = self.said_addr.val();
        self.said_copy.wdata.next = self.said_data.val();
        self.rx.next = self.rx_copy.rdata.val();
        self.back.next = self.back_copy.rdata.val();
        self.said.next = self.said_copy.rdata.val();
        self.state.enable.next = self.control.q.val().get_bit(0);
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
        if self.read_wait.q.val().get_bit(1) {
            self.latched_state.d.next = self.code.val() | (bit_cast::<32, 8>(self.rx.val().run) << 8);
            self.latched_expected.d.next = self.rx.val().expected;
            self.latched_msn.d.next = self.rx.val().count;
            // In Drain and Fault too the flow counts as the far side does.
            if self.state.current.val() & self.state.same.val() & self.back.val().active {
                self.latched_msn.d.next = self.rx.val().count + self.back.val().offset;
            }
            self.latched_said.d.next = self.said.val();
        }

        // Reads.
        self.ra.next = self.axil.rd_addr.val();
        self.known.rd_addr.next = self.axil.rd_addr.val();
        self.counters.select.next = self.ra.val().get_bits::<5>(3);
        for i in 0..19 {
            self.counters.gain[i].next = self.gain[i].val();
        }
        self.value.next = self.counters.value.val();
        self.reading.d.next = self.axil.rd.val();
        self.axil.rd_valid.next = self.reading.q.val();
        self.axil.rd_ok.next = self.known.rd_ok.val();
        self.axil.rd_data.next = bits::<32>(0);
        if !self.ra.val().get_bits::<8>(8).any() {
            self.axil.rd_data.next = self.known.identity.val();
        }
        if self.ra.val() >= self.counters_from.val() {
            self.axil.rd_data.next = self.value.val().get_bits::<32>(0);
            if self.ra.val().get_bit(2) {
                self.axil.rd_data.next = self.high.q.val();
            } else if self.reading.q.val() & self.known.rd_ok.val() {
                self.high.d.next = self.value.val().get_bits::<32>(32);
            }
        }
        if self.ra.val() == self.at_scratch.val() {
            self.axil.rd_data.next = self.scratch.q.val();
        }
        if self.ra.val() == self.at_control.val() {
            self.axil.rd_data.next = bit_cast::<32, 2>(self.control.q.val());
        }
        if (self.ra.val() == self.at_status.val()) & self.idle.val() {
            self.axil.rd_data.next = bits::<32>(1);
        }
        if (self.ra.val() == self.at_mode.val()) & self.mode.q.val() {
            self.axil.rd_data.next = bits::<32>(1);
        }
        if self.ra.val() == self.at_rate.val() {
            self.axil.rd_data.next = self.rate.q.val();
        }
        if self.ra.val() == self.at_slot_k.val() {
            self.axil.rd_data.next = bit_cast::<32, 5>(self.slot_k.q.val());
        }
        if self.ra.val() == self.at_burst.val() {
            self.axil.rd_data.next = self.burst.q.val();
        }
        if self.ra.val() == self.at_overhead.val() {
            self.axil.rd_data.next = bit_cast::<32, 8>(self.overhead.q.val());
        }
        if self.ra.val() == self.at_share.val() {
            self.axil.rd_data.next = bit_cast::<32, 4>(self.share.q.val());
        }
        if self.ra.val() == self.at_row_select.val() {
            self.axil.rd_data.next = self.row_select.q.val();
        }
        if (self.ra.val() == self.at_row_dir.val()) & self.row_dir.q.val() {
            self.axil.rd_data.next = bits::<32>(1);
        }
        if self.ra.val() == self.at_cfg_index.val() {
            self.axil.rd_data.next = bit_cast::<32, 12>(self.cfg_index.q.val());
        }
        if self.ra.val() == self.at_read_index.val() {
            self.axil.rd_data.next = bit_cast::<32, 12>(self.read_index.q.val());
        }
        if (self.ra.val() == self.at_read_status.val()) & self.read_wait.q.val().any() {
            self.axil.rd_data.next = bits::<32>(1);
        }
        if self.ra.val() == self.at_state.val() {
            self.axil.rd_data.next = self.latched_state.q.val();
        }
        if self.ra.val() == self.at_expected.val() {
            self.axil.rd_data.next = bit_cast::<32, 24>(self.latched_expected.q.val());
        }
        if self.ra.val() == self.at_departed.val() {
            self.axil.rd_data.next = bit_cast::<32, 24>(self.latched_said.q.val().departed_psn);
        }
        if self.ra.val() == self.at_acknowledged.val() {
            self.axil.rd_data.next = bit_cast::<32, 24>(self.latched_said.q.val().acked_psn);
        }
        if self.ra.val() == self.at_confirmed.val() {
            self.axil.rd_data.next = bit_cast::<32, 24>(self.latched_said.q.val().confirmed_psn);
        }
        if self.ra.val() == self.at_msn.val() {
            self.axil.rd_data.next = bit_cast::<32, 24>(self.latched_msn.q.val());
        }

        // To the stages.
        self.enable.next = self.control.q.val().get_bit(0);
        self.ack_on_arrival.next = self.control.q.val().get_bit(1);
        self.pacer_mode.next = self.mode.q.val();
        self.pacer_rate.next = self.rate.q.val();
        self.pacer_slot_k.next = self.slot_k.q.val();
        self.pacer_burst.next = self.burst.q.val();
        self.pacer_overhead.next = self.overhead.q.val();
        self.ack_share_log2.next = self.share.q.val();
        self.row_we.next = self.row_write.q.val();
        self.row_inbound.next = self.row_dir.q.val();
        self.row_addr.next = self.row_select.q.val().get_bits::<11>(0);
        self.row_bank.next = self.row_select.q.val().get_bits::<2>(16);
        self.row_data.next = self.row.q.val();
        self.cfg_we.next = self.cfg_write.q.val();
        self.cfg_addr.next = self.cfg_index.q.val();
        self.cfg_data.next = self.cfg.q.val();

        if self.rst.val() {
            self.scratch.d.next = bits::<32>(0);
            self.control.d.next = bits::<2>(0);
            self.mode.d.next = false;
            self.rate.d.next = bits::<32>(0);
            self.slot_k.d.next = self.reset_slot_k.val();
            self.burst.d.next = self.reset_burst.val();
            self.overhead.d.next = self.reset_overhead.val();
            self.share.d.next = self.reset_share.val();
            self.row_write.d.next = false;
            self.cfg_write.d.next = false;
            self.read_wait.d.next = bits::<2>(0);
            self.reading.d.next = false;
        }
    }
}
