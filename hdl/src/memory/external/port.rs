//! Beside **external memory**: the AXI4 master that both classes share.
//!
//! In: bursts that each class would write and read. Out: the five channels of AXI4; responses and beats to their class.
//! Latency: an address leaves in the cycle after it was chosen.
//! Model: none, it is wiring. Tests: `tests/memory/external.rs`. Registers: none.
//!
//! All writes have one ID, so that responses come in order. A read's ID is its class and slot. The classes take turns,
//! burst by burst. Whatever was asked for has its place: `rready` is always up.

use crate::prim::Fifo;
use rust_hdl::prelude::*;

/// Index 0: the lossless class, 1: the rest.
#[derive(LogicBlock, Default)]
pub struct Port {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub write_want: [Signal<In, Bit>; 2],
    pub write_beats: [Signal<In, Bits<5>>; 2],
    pub write_address: [Signal<In, Bits<40>>; 2],
    pub write_take: [Signal<Out, Bit>; 2],
    pub word_valid: [Signal<In, Bit>; 2],
    pub word: [Signal<In, Bits<512>>; 2],
    pub word_pop: [Signal<Out, Bit>; 2],
    pub done_valid: [Signal<Out, Bit>; 2],
    pub done_beats: Signal<Out, Bits<5>>,
    pub done_error: Signal<Out, Bit>,
    pub done_stop: [Signal<In, Bit>; 2],
    pub read_want: [Signal<In, Bit>; 2],
    pub read_beats: [Signal<In, Bits<5>>; 2],
    pub read_address: [Signal<In, Bits<40>>; 2],
    pub read_slot: [Signal<In, Bits<5>>; 2],
    pub read_take: [Signal<Out, Bit>; 2],
    pub came_valid: [Signal<Out, Bit>; 2],
    pub came_slot: Signal<Out, Bits<5>>,
    pub came_data: Signal<Out, Bits<512>>,
    pub came_error: Signal<Out, Bit>,
    pub m_axi_awid: Signal<Out, Bits<6>>,
    pub m_axi_awaddr: Signal<Out, Bits<40>>,
    pub m_axi_awlen: Signal<Out, Bits<8>>,
    pub m_axi_awvalid: Signal<Out, Bit>,
    pub m_axi_awready: Signal<In, Bit>,
    pub m_axi_wdata: Signal<Out, Bits<512>>,
    pub m_axi_wlast: Signal<Out, Bit>,
    pub m_axi_wvalid: Signal<Out, Bit>,
    pub m_axi_wready: Signal<In, Bit>,
    pub m_axi_bresp: Signal<In, Bits<2>>,
    pub m_axi_bvalid: Signal<In, Bit>,
    pub m_axi_bready: Signal<Out, Bit>,
    pub m_axi_arid: Signal<Out, Bits<6>>,
    pub m_axi_araddr: Signal<Out, Bits<40>>,
    pub m_axi_arlen: Signal<Out, Bits<8>>,
    pub m_axi_arvalid: Signal<Out, Bit>,
    pub m_axi_arready: Signal<In, Bit>,
    pub m_axi_rid: Signal<In, Bits<6>>,
    pub m_axi_rdata: Signal<In, Bits<512>>,
    pub m_axi_rresp: Signal<In, Bits<2>>,
    pub m_axi_rvalid: Signal<In, Bit>,
    // Write.
    aw_valid: DFF<Bit>,
    aw_address: DFF<Bits<40>>,
    aw_len: DFF<Bits<5>>,
    /// Of the burst whose beats are going: how many are left, and whose they are.
    left: DFF<Bits<5>>,
    of_rest: DFF<Bit>,
    /// Bursts that wait for their response: beats, and whose.
    flight: Fifo<6, 5>,
    w_valid: Signal<Local, Bit>,
    w_last: Signal<Local, Bit>,
    w_taken: Signal<Local, Bit>,
    may_write: Signal<Local, Bit>,
    writes_rest: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    beats: Signal<Local, Bits<5>>,
    awaited: Signal<Local, Bits<6>>,
    b_rest: Signal<Local, Bit>,
    b_ready: Signal<Local, Bit>,
    b_taken: Signal<Local, Bit>,
    // Read.
    ar_valid: DFF<Bit>,
    ar_address: DFF<Bits<40>>,
    ar_len: DFF<Bits<5>>,
    ar_id: DFF<Bits<6>>,
    read_rest: DFF<Bit>,
    may_read: Signal<Local, Bit>,
    reads_rest: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    r_rest: Signal<Local, Bit>,
}

impl Logic for Port {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clk, aw_valid, aw_address, aw_len, left, of_rest, ar_valid, ar_address, ar_len, ar_id, read_rest
        );
        self.flight.clk.next = self.clk.val();
        self.flight.rst.next = self.rst.val();

        // Data go in the order of their addresses. The next burst is chosen with the last beat of one.
        self.w_valid.next = self.left.q.val().any() & self.word_valid[0].val();
        self.m_axi_wdata.next = self.word[0].val();
        if self.of_rest.q.val() {
            self.w_valid.next = self.left.q.val().any() & self.word_valid[1].val();
            self.m_axi_wdata.next = self.word[1].val();
        }
        self.w_last.next = self.left.q.val() == 1;
        self.w_taken.next = self.w_valid.val() & self.m_axi_wready.val();
        self.m_axi_wvalid.next = self.w_valid.val();
        self.m_axi_wlast.next = self.w_last.val();
        self.word_pop[0].next = self.w_taken.val() & !self.of_rest.q.val();
        self.word_pop[1].next = self.w_taken.val() & self.of_rest.q.val();
        self.may_write.next = (!self.left.q.val().any() | (self.w_taken.val() & self.w_last.val()))
            & (!self.aw_valid.q.val() | self.m_axi_awready.val())
            & !self.flight.full.val();
        self.writes_rest.next = self.write_want[1].val() & (!self.write_want[0].val() | !self.of_rest.q.val());
        self.writes.next = self.may_write.val() & (self.write_want[0].val() | self.write_want[1].val());
        self.write_take[0].next = self.writes.val() & !self.writes_rest.val();
        self.write_take[1].next = self.writes.val() & self.writes_rest.val();
        self.beats.next = self.write_beats[0].val();
        if self.writes_rest.val() {
            self.beats.next = self.write_beats[1].val();
        }
        if self.m_axi_awready.val() {
            self.aw_valid.d.next = false;
        }
        if self.w_taken.val() {
            self.left.d.next = self.left.q.val() - 1;
        }
        if self.writes.val() {
            self.aw_valid.d.next = true;
            self.aw_address.d.next = self.write_address[0].val();
            if self.writes_rest.val() {
                self.aw_address.d.next = self.write_address[1].val();
            }
            self.aw_len.d.next = self.beats.val() - 1;
            self.left.d.next = self.beats.val();
            self.of_rest.d.next = self.writes_rest.val();
        }
        self.m_axi_awid.next = 0.into();
        self.m_axi_awaddr.next = self.aw_address.q.val();
        self.m_axi_awlen.next = bit_cast::<8, 5>(self.aw_len.q.val());
        self.m_axi_awvalid.next = self.aw_valid.q.val();

        // Responses.
        self.flight.wr.next = self.writes.val();
        self.flight.din.next = bit_cast::<6, 5>(self.beats.val());
        if self.writes_rest.val() {
            self.flight.din.next = bit_cast::<6, 5>(self.beats.val()) | 32;
        }
        self.awaited.next = self.flight.dout.val();
        self.b_rest.next = self.awaited.val().get_bit(5);
        self.b_ready.next = !self.done_stop[0].val();
        if self.b_rest.val() {
            self.b_ready.next = !self.done_stop[1].val();
        }
        self.m_axi_bready.next = self.b_ready.val();
        self.b_taken.next = self.b_ready.val() & self.m_axi_bvalid.val();
        self.flight.rd.next = self.b_taken.val();
        self.done_valid[0].next = self.b_taken.val() & !self.b_rest.val();
        self.done_valid[1].next = self.b_taken.val() & self.b_rest.val();
        self.done_beats.next = self.awaited.val().get_bits::<5>(0);
        self.done_error.next = self.m_axi_bresp.val().get_bit(1);

        // Reads.
        self.may_read.next = !self.ar_valid.q.val() | self.m_axi_arready.val();
        self.reads_rest.next = self.read_want[1].val() & (!self.read_want[0].val() | !self.read_rest.q.val());
        self.reads.next = self.may_read.val() & (self.read_want[0].val() | self.read_want[1].val());
        self.read_take[0].next = self.reads.val() & !self.reads_rest.val();
        self.read_take[1].next = self.reads.val() & self.reads_rest.val();
        if self.m_axi_arready.val() {
            self.ar_valid.d.next = false;
        }
        if self.reads.val() {
            self.ar_valid.d.next = true;
            self.read_rest.d.next = self.reads_rest.val();
            self.ar_address.d.next = self.read_address[0].val();
            self.ar_len.d.next = self.read_beats[0].val() - 1;
            self.ar_id.d.next = bit_cast::<6, 5>(self.read_slot[0].val());
            if self.reads_rest.val() {
                self.ar_address.d.next = self.read_address[1].val();
                self.ar_len.d.next = self.read_beats[1].val() - 1;
                self.ar_id.d.next = bit_cast::<6, 5>(self.read_slot[1].val()) | 32;
            }
        }
        self.m_axi_arid.next = self.ar_id.q.val();
        self.m_axi_araddr.next = self.ar_address.q.val();
        self.m_axi_arlen.next = bit_cast::<8, 5>(self.ar_len.q.val());
        self.m_axi_arvalid.next = self.ar_valid.q.val();
        self.r_rest.next = self.m_axi_rid.val().get_bit(5);
        self.came_valid[0].next = self.m_axi_rvalid.val() & !self.r_rest.val();
        self.came_valid[1].next = self.m_axi_rvalid.val() & self.r_rest.val();
        self.came_slot.next = self.m_axi_rid.val().get_bits::<5>(0);
        self.came_data.next = self.m_axi_rdata.val();
        self.came_error.next = self.m_axi_rresp.val().get_bit(1);
        if self.rst.val() {
            self.aw_valid.d.next = false;
            self.left.d.next = 0.into();
            self.of_rest.d.next = false;
            self.ar_valid.d.next = false;
            self.read_rest.d.next = false;
        }
    }
}
