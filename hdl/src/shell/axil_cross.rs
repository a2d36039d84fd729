//! **axil_cross**: the shell's AXI4-Lite master, on its own clock, to the core's slave on the core's clock.
//!
//! In: the box's five channels, `resetting` (level of `axil_clk`) and `areset` (the same as a flip-flop). Out: the core's
//! five channels. One access at a time, writes first.
//! Every access is answered, whatever the core's clock does: one that the core has not answered in 4096 cycles, and any
//! until its late answer has come, one during a reset, one beyond the core's 64 KiB, and a write of some bytes of a word, with
//! SLVERR.
//! Model: none. Tests: `tests/shell/opennic.rs`. Registers: none of its own.

use crate::prim::{AsyncFifo, ResetSync};
use rust_hdl::prelude::*;

/// Two queues between the clocks, a state machine on each side.
#[derive(LogicBlock, Default)]
pub struct AxilCross {
    pub axil_clk: Signal<In, Clock>,
    pub clk: Signal<In, Clock>,
    pub areset: Signal<In, Bit>,
    pub resetting: Signal<In, Bit>,
    pub s_axil_awaddr: Signal<In, Bits<20>>,
    pub s_axil_awvalid: Signal<In, Bit>,
    pub s_axil_awready: Signal<Out, Bit>,
    pub s_axil_wdata: Signal<In, Bits<32>>,
    pub s_axil_wstrb: Signal<In, Bits<4>>,
    pub s_axil_wvalid: Signal<In, Bit>,
    pub s_axil_wready: Signal<Out, Bit>,
    pub s_axil_bresp: Signal<Out, Bits<2>>,
    pub s_axil_bvalid: Signal<Out, Bit>,
    pub s_axil_bready: Signal<In, Bit>,
    pub s_axil_araddr: Signal<In, Bits<20>>,
    pub s_axil_arvalid: Signal<In, Bit>,
    pub s_axil_arready: Signal<Out, Bit>,
    pub s_axil_rdata: Signal<Out, Bits<32>>,
    pub s_axil_rresp: Signal<Out, Bits<2>>,
    pub s_axil_rvalid: Signal<Out, Bit>,
    pub s_axil_rready: Signal<In, Bit>,
    pub m_axil_awaddr: Signal<Out, Bits<16>>,
    pub m_axil_awvalid: Signal<Out, Bit>,
    pub m_axil_awready: Signal<In, Bit>,
    pub m_axil_wdata: Signal<Out, Bits<32>>,
    pub m_axil_wvalid: Signal<Out, Bit>,
    pub m_axil_wready: Signal<In, Bit>,
    pub m_axil_bresp: Signal<In, Bits<2>>,
    pub m_axil_bvalid: Signal<In, Bit>,
    pub m_axil_bready: Signal<Out, Bit>,
    pub m_axil_araddr: Signal<Out, Bits<16>>,
    pub m_axil_arvalid: Signal<Out, Bit>,
    pub m_axil_arready: Signal<In, Bit>,
    pub m_axil_rdata: Signal<In, Bits<32>>,
    pub m_axil_rresp: Signal<In, Bits<2>>,
    pub m_axil_rvalid: Signal<In, Bit>,
    pub m_axil_rready: Signal<Out, Bit>,
    // On the shell's clock.
    aw: DFF<Bits<20>>,
    aw_full: DFF<Bit>,
    w: DFF<Bits<32>>,
    /// All of its bytes are meant.
    w_whole: DFF<Bit>,
    w_full: DFF<Bit>,
    ar: DFF<Bits<20>>,
    ar_full: DFF<Bit>,
    b_valid: DFF<Bit>,
    b_error: DFF<Bit>,
    r_valid: DFF<Bit>,
    r_error: DFF<Bit>,
    r: DFF<Bits<32>>,
    /// The core was asked, `writes` says for what, for `cycles` cycles.
    asked: DFF<Bit>,
    writes: DFF<Bit>,
    cycles: DFF<Bits<13>>,
    /// Its answer comes too late.
    owed: DFF<Bit>,
    may_write: Signal<Local, Bit>,
    may_read: Signal<Local, Bit>,
    address: Signal<Local, Bits<20>>,
    offset: Signal<Local, Bits<16>>,
    beyond: Signal<Local, Bits<4>>,
    refused: Signal<Local, Bit>,
    asks: Signal<Local, Bit>,
    late: Signal<Local, Bit>,
    answered: Signal<Local, Bit>,
    fails: Signal<Local, Bit>,
    is_write: Signal<Local, Bits<1>>,
    requests: AsyncFifo<49, 2, 3>,
    answers: AsyncFifo<33, 2, 3>,
    // On the core's clock.
    reset: ResetSync,
    request: DFF<Bits<49>>,
    busy: DFF<Bit>,
    aw_wait: DFF<Bit>,
    w_wait: DFF<Bit>,
    ar_wait: DFF<Bit>,
    takes: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    error: Signal<Local, Bits<1>>,
}

impl Logic for AxilCross {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, axil_clk, aw, aw_full, w, w_whole, w_full, ar, ar_full, b_valid, b_error, r_valid, r_error, r);
        dff_setup!(self, axil_clk, asked, writes, cycles, owed);
        dff_setup!(self, clk, request, busy, aw_wait, w_wait, ar_wait);
        self.requests.areset.next = self.areset.val();
        self.requests.wr_clk.next = self.axil_clk.val();
        self.requests.rd_clk.next = self.clk.val();
        self.answers.areset.next = self.areset.val();
        self.answers.wr_clk.next = self.clk.val();
        self.answers.rd_clk.next = self.axil_clk.val();
        self.reset.clk.next = self.clk.val();
        self.reset.areset.next = self.areset.val();

        // What the shell offers is kept.
        self.s_axil_awready.next = !self.aw_full.q.val();
        self.s_axil_wready.next = !self.w_full.q.val();
        self.s_axil_arready.next = !self.ar_full.q.val();
        if self.s_axil_awvalid.val() & !self.aw_full.q.val() {
            self.aw.d.next = self.s_axil_awaddr.val();
            self.aw_full.d.next = true;
        }
        if self.s_axil_wvalid.val() & !self.w_full.q.val() {
            self.w.d.next = self.s_axil_wdata.val();
            self.w_whole.d.next = self.s_axil_wstrb.val().all();
            self.w_full.d.next = true;
        }
        if self.s_axil_arvalid.val() & !self.ar_full.q.val() {
            self.ar.d.next = self.s_axil_araddr.val();
            self.ar_full.d.next = true;
        }
        if self.s_axil_bready.val() {
            self.b_valid.d.next = false;
        }
        if self.s_axil_rready.val() {
            self.r_valid.d.next = false;
        }

        // One is asked for, or refused.
        self.may_write.next = self.aw_full.q.val() & self.w_full.q.val() & !self.b_valid.q.val() & !self.asked.q.val();
        self.may_read.next = self.ar_full.q.val() & !self.r_valid.q.val() & !self.asked.q.val() & !self.may_write.val();
        self.address.next = self.ar.q.val();
        self.is_write.next = 0.into();
        if self.may_write.val() {
            self.address.next = self.aw.q.val();
            self.is_write.next = 1.into();
        }
        self.beyond.next = self.address.val().get_bits::<4>(16);
        self.offset.next = self.address.val().get_bits::<16>(0);
        self.refused.next = self.beyond.val().any()
            | self.owed.q.val()
            | self.resetting.val()
            | (self.may_write.val() & !self.w_whole.q.val());
        self.asks.next = (self.may_write.val() | self.may_read.val()) & !self.refused.val();
        self.requests.wr.next = self.asks.val();
        self.requests.din.next = bit_cast::<49, 32>(self.w.q.val())
            | (bit_cast::<49, 16>(self.offset.val()) << 32)
            | (bit_cast::<49, 1>(self.is_write.val()) << 48);
        if self.asks.val() {
            self.asked.d.next = true;
            self.writes.d.next = self.may_write.val();
            self.cycles.d.next = 0.into();
        }
        if self.may_write.val() {
            self.aw_full.d.next = false;
            self.w_full.d.next = false;
            self.b_valid.d.next = self.refused.val();
            self.b_error.d.next = true;
        }
        if self.may_read.val() {
            self.ar_full.d.next = false;
            self.r_valid.d.next = self.refused.val();
            self.r_error.d.next = true;
            self.r.d.next = 0.into();
        }

        // It is answered, or not in time.
        self.answers.rd.next = true;
        self.late.next = self.cycles.q.val().get_bit(12);
        self.answered.next = self.asked.q.val() & !self.answers.empty.val() & !self.resetting.val();
        self.fails.next = self.asked.q.val() & !self.answered.val() & (self.late.val() | self.resetting.val());
        if self.asked.q.val() {
            self.cycles.d.next = self.cycles.q.val() + 1;
        }
        if self.answered.val() | self.fails.val() {
            self.asked.d.next = false;
            if self.writes.q.val() {
                self.b_valid.d.next = true;
                self.b_error.d.next = self.fails.val() | self.answers.dout.val().get_bit(32);
            } else {
                self.r_valid.d.next = true;
                self.r_error.d.next = self.fails.val() | self.answers.dout.val().get_bit(32);
                self.r.d.next = 0.into();
                if self.answered.val() {
                    self.r.d.next = self.answers.dout.val().get_bits::<32>(0);
                }
            }
        }
        if !self.answers.empty.val() {
            self.owed.d.next = false;
        }
        if self.fails.val() {
            self.owed.d.next = true;
        }
        if self.resetting.val() {
            self.owed.d.next = false;
        }
        self.s_axil_bvalid.next = self.b_valid.q.val();
        self.s_axil_bresp.next = 0.into();
        if self.b_error.q.val() {
            self.s_axil_bresp.next = 2.into();
        }
        self.s_axil_rvalid.next = self.r_valid.q.val();
        self.s_axil_rdata.next = self.r.q.val();
        self.s_axil_rresp.next = 0.into();
        if self.r_error.q.val() {
            self.s_axil_rresp.next = 2.into();
        }

        // The core's side: an access on its bus until the answer is there.
        self.takes.next = !self.busy.q.val() & !self.requests.empty.val();
        self.requests.rd.next = self.takes.val();
        if self.takes.val() {
            self.busy.d.next = true;
            self.request.d.next = self.requests.dout.val();
            self.aw_wait.d.next = self.requests.dout.val().get_bit(48);
            self.w_wait.d.next = self.requests.dout.val().get_bit(48);
            self.ar_wait.d.next = !self.requests.dout.val().get_bit(48);
        }
        self.m_axil_awaddr.next = self.request.q.val().get_bits::<16>(32);
        self.m_axil_awvalid.next = self.aw_wait.q.val();
        self.m_axil_wdata.next = self.request.q.val().get_bits::<32>(0);
        self.m_axil_wvalid.next = self.w_wait.q.val();
        self.m_axil_araddr.next = self.request.q.val().get_bits::<16>(32);
        self.m_axil_arvalid.next = self.ar_wait.q.val();
        if self.m_axil_awready.val() & self.aw_wait.q.val() {
            self.aw_wait.d.next = false;
        }
        if self.m_axil_wready.val() & self.w_wait.q.val() {
            self.w_wait.d.next = false;
        }
        if self.m_axil_arready.val() & self.ar_wait.q.val() {
            self.ar_wait.d.next = false;
        }
        self.m_axil_bready.next = true;
        self.m_axil_rready.next = true;
        self.ends.next = self.busy.q.val() & (self.m_axil_bvalid.val() | self.m_axil_rvalid.val());
        self.error.next = 0.into();
        if self.m_axil_bvalid.val() {
            if self.m_axil_bresp.val().any() {
                self.error.next = 1.into();
            }
        } else if self.m_axil_rresp.val().any() {
            self.error.next = 1.into();
        }
        self.answers.wr.next = self.ends.val();
        self.answers.din.next =
            bit_cast::<33, 32>(self.m_axil_rdata.val()) | (bit_cast::<33, 1>(self.error.val()) << 32);
        if self.ends.val() {
            self.busy.d.next = false;
        }
        if self.reset.held.val() {
            self.busy.d.next = false;
            self.aw_wait.d.next = false;
            self.w_wait.d.next = false;
            self.ar_wait.d.next = false;
        }
    }
}
