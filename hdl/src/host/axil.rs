//! Host 1 of 2: **axil**. From the shell's AXI4-Lite master, to [reg_file].
//!
//! In: the five channels. Out: one pulse per write (`wr`) and per read (`rd`), with address and data.
//! A read is answered before the next is taken. A write is done two cycles after AW and W are here, which come in any order,
//! unless two answers wait; the next AW and W are taken while it is done. So a write takes two cycles, and one cycle behind
//! another in the same 1 KiB if both are `wr_calm`: such a write changes nothing by which the next is judged.
//! `wr_next` is `wr_addr` of the next cycle; `wr_ok` and `wr_calm` are of `wr_addr`, looked at in the cycle of `wr`. But for
//! calm writes `wr_addr` stands a cycle before `wr`. `rd_valid` may come any number of cycles after `rd`.
//! Model: none. Tests: `tests/host/axil.rs`. Registers: none of its own.
//!
//! A write with any strobe low is refused: no register has a meaning in part.
//!
//! [reg_file]: crate::host::RegFile

use rust_hdl::prelude::*;

/// The bus end.
#[derive(LogicBlock, Default)]
pub struct Axil {
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
    /// A whole word is written, if `wr_ok`.
    pub wr: Signal<Out, Bit>,
    pub wr_addr: Signal<Out, Bits<16>>,
    pub wr_data: Signal<Out, Bits<32>>,
    pub wr_next: Signal<Out, Bits<16>>,
    pub wr_ok: Signal<In, Bit>,
    pub wr_calm: Signal<In, Bit>,
    /// A word is asked for; `rd_addr` stays until it is there.
    pub rd: Signal<Out, Bit>,
    pub rd_addr: Signal<Out, Bits<16>>,
    pub rd_valid: Signal<In, Bit>,
    pub rd_data: Signal<In, Bits<32>>,
    pub rd_ok: Signal<In, Bit>,
    aw: DFF<Bits<16>>,
    aw_full: DFF<Bit>,
    w: DFF<Bits<32>>,
    w_full: DFF<Bit>,
    whole: DFF<Bit>,
    stood: DFF<Bit>,
    follows: DFF<Bit>,
    b_valid: DFF<Bit>,
    b_error: DFF<Bit>,
    b_more: DFF<Bit>,
    b_more_error: DFF<Bit>,
    ar: DFF<Bits<16>>,
    asked: DFF<Bit>,
    waiting: DFF<Bit>,
    r: DFF<Bits<32>>,
    r_valid: DFF<Bit>,
    r_error: DFF<Bit>,
    here: Signal<Local, Bit>,
    act: Signal<Local, Bit>,
    error: Signal<Local, Bit>,
    b_left: Signal<Local, Bit>,
    aw_take: Signal<Local, Bit>,
    aw_next: Signal<Local, Bits<16>>,
    aw_room: Signal<Local, Bit>,
    w_room: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    word: Signal<Local, Bits<32>>,
}

impl Logic for Axil {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, aw, aw_full, w, w_full, whole, stood, follows, b_valid, b_error, b_more, b_more_error);
        dff_setup!(self, clk, ar, asked, waiting, r, r_valid, r_error);

        // Writes: address and data are kept until both are here and there is room for the answer; they make room as they act.
        self.here.next = self.aw_full.q.val() & self.w_full.q.val();
        self.act.next =
            self.here.val() & !self.b_more.q.val() & (self.stood.q.val() | (self.follows.q.val() & self.wr_calm.val()));
        self.stood.d.next = self.here.val() & !self.act.val();
        self.aw_room.next = !self.aw_full.q.val() | self.act.val();
        self.w_room.next = !self.w_full.q.val() | self.act.val();
        self.s_axil_awready.next = self.aw_room.val();
        self.s_axil_wready.next = self.w_room.val();
        self.aw_take.next = self.s_axil_awvalid.val() & self.aw_room.val();
        self.aw_next.next = self.aw.q.val();
        if self.aw_take.val() {
            self.aw_next.next = self.s_axil_awaddr.val();
        }
        self.aw.d.next = self.aw_next.val();
        self.wr_next.next = self.aw_next.val();
        self.follows.d.next = self.act.val()
            & self.aw_take.val()
            & self.wr_calm.val()
            & (self.s_axil_awaddr.val().get_bits::<6>(10) == self.aw.q.val().get_bits::<6>(10));
        self.wr.next = self.act.val() & self.whole.q.val();
        self.wr_addr.next = self.aw.q.val();
        self.wr_data.next = self.w.q.val();
        if self.act.val() {
            self.aw_full.d.next = false;
            self.w_full.d.next = false;
        }
        if self.aw_take.val() {
            self.aw_full.d.next = true;
        }
        if self.s_axil_wvalid.val() & self.w_room.val() {
            self.w.d.next = self.s_axil_wdata.val();
            self.whole.d.next = self.s_axil_wstrb.val().all();
            self.w_full.d.next = true;
        }

        // Their answers: of two at most, in order.
        self.error.next = !(self.wr_ok.val() & self.whole.q.val());
        self.b_left.next = !self.b_valid.q.val() | self.s_axil_bready.val();
        if self.b_left.val() {
            self.b_valid.d.next = self.b_more.q.val() | self.act.val();
            self.b_error.d.next = self.error.val();
            if self.b_more.q.val() {
                self.b_error.d.next = self.b_more_error.q.val();
            }
            self.b_more.d.next = false;
        } else if self.act.val() {
            self.b_more.d.next = true;
            self.b_more_error.d.next = self.error.val();
        }
        self.s_axil_bvalid.next = self.b_valid.q.val();
        self.s_axil_bresp.next = bits::<2>(0);
        if self.b_error.q.val() {
            self.s_axil_bresp.next = bits::<2>(2);
        }

        // Reads: one at a time, from address to answer taken.
        self.free.next = !self.asked.q.val() & !self.waiting.q.val() & !self.r_valid.q.val();
        self.s_axil_arready.next = self.free.val();
        self.asked.d.next = false;
        if self.free.val() & self.s_axil_arvalid.val() {
            self.ar.d.next = self.s_axil_araddr.val();
            self.asked.d.next = true;
        }
        self.rd.next = self.asked.q.val();
        self.rd_addr.next = self.ar.q.val();
        if self.asked.q.val() {
            self.waiting.d.next = true;
        }
        self.word.next = bits::<32>(0);
        if self.rd_ok.val() {
            self.word.next = self.rd_data.val();
        }
        if self.r_valid.q.val() & self.s_axil_rready.val() {
            self.r_valid.d.next = false;
        }
        if self.waiting.q.val() & self.rd_valid.val() {
            self.waiting.d.next = false;
            self.r.d.next = self.word.val();
            self.r_error.d.next = !self.rd_ok.val();
            self.r_valid.d.next = true;
        }
        self.s_axil_rvalid.next = self.r_valid.q.val();
        self.s_axil_rdata.next = self.r.q.val();
        self.s_axil_rresp.next = bits::<2>(0);
        if self.r_error.q.val() {
            self.s_axil_rresp.next = bits::<2>(2);
        }

        if self.rst.val() {
            self.aw_full.d.next = false;
            self.w_full.d.next = false;
            self.b_valid.d.next = false;
            self.b_more.d.next = false;
            self.stood.d.next = false;
            self.follows.d.next = false;
            self.asked.d.next = false;
            self.waiting.d.next = false;
            self.r_valid.d.next = false;
        }
    }
}
