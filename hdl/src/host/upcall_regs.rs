//! Beside host 2: **upcall_regs**. Block `UPCALL`: what is wanted, and the oldest entry of the queue that the host looks at.
//!
//! In: the register bus; of each direction the op and the frame ([upcall](super::Upcall)), `now`. Out: its word, a cycle after
//! `ra`; `waiting`: some entry waits. Model: none. Tests: `tests/host/upcall.rs`. Registers: `UPCALL`.

use super::Upcall;
use crate::prim::Lit;
use crate::record::{Beat, Meta};
use matchrdma_spec::regs::upcall;
use rust_hdl::prelude::*;

/// The block.
#[derive(LogicBlock, Default)]
pub struct UpcallRegs {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub wr: Signal<In, Bit>,
    pub wa: Signal<In, Bits<16>>,
    pub wd: Signal<In, Bits<32>>,
    pub ra: Signal<In, Bits<16>>,
    pub rd: Signal<Out, Bits<32>>,
    pub client_op: Signal<In, Bit>,
    pub client_roce: Signal<In, Bit>,
    pub client_good: Signal<In, Bit>,
    pub client_err: Signal<In, Bit>,
    pub client_hit: Signal<In, Bit>,
    pub client_judged: Signal<In, Meta>,
    pub client_waited: Signal<In, Beat>,
    pub client_qp1: Signal<In, Bit>,
    pub line_op: Signal<In, Bit>,
    pub line_roce: Signal<In, Bit>,
    pub line_good: Signal<In, Bit>,
    pub line_err: Signal<In, Bit>,
    pub line_hit: Signal<In, Bit>,
    pub line_judged: Signal<In, Meta>,
    pub line_waited: Signal<In, Beat>,
    pub line_qp1: Signal<In, Bit>,
    pub now: Signal<In, Bits<48>>,
    pub waiting: Signal<Out, Bit>,
    from_client: Upcall,
    from_line: Upcall,
    control: DFF<Bits<3>>,
    near0: DFF<Bits<32>>,
    near1: DFF<Bits<32>>,
    near2: DFF<Bits<32>>,
    near3: DFF<Bits<32>>,
    far0: DFF<Bits<32>>,
    far1: DFF<Bits<32>>,
    far2: DFF<Bits<32>>,
    far3: DFF<Bits<32>>,
    show_line: DFF<Bit>,
    lost: DFF<Bits<32>>,
    read: DFF<Bits<32>>,
    take: Signal<Local, Bit>,
    valid: Signal<Local, Bit>,
    digest: Signal<Local, Bit>,
    first: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    bytes: Signal<Local, Bits<7>>,
    stamp: Signal<Local, Bits<48>>,
    word: Signal<Local, Bits<32>>,
    near: Signal<Local, Bits<128>>,
    far: Signal<Local, Bits<128>>,
    word_lsb: Signal<Local, Bits<9>>,
    at_control: Lit<16, { upcall::CONTROL.offset as u64 }>,
    at_near0: Lit<16, { upcall::NEAR[0].offset as u64 }>,
    at_near1: Lit<16, { upcall::NEAR[1].offset as u64 }>,
    at_near2: Lit<16, { upcall::NEAR[2].offset as u64 }>,
    at_near3: Lit<16, { upcall::NEAR[3].offset as u64 }>,
    at_far0: Lit<16, { upcall::FAR[0].offset as u64 }>,
    at_far1: Lit<16, { upcall::FAR[1].offset as u64 }>,
    at_far2: Lit<16, { upcall::FAR[2].offset as u64 }>,
    at_far3: Lit<16, { upcall::FAR[3].offset as u64 }>,
    at_status: Lit<16, { upcall::STATUS.offset as u64 }>,
    at_lost: Lit<16, { upcall::LOST.offset as u64 }>,
    at_select: Lit<16, { upcall::SELECT.offset as u64 }>,
    at_take: Lit<16, { upcall::TAKE.offset as u64 }>,
    at_head: Lit<16, { upcall::HEAD.offset as u64 }>,
    at_time_low: Lit<16, { upcall::TIME_LOW.offset as u64 }>,
    at_time_high: Lit<16, { upcall::TIME_HIGH.offset as u64 }>,
    at_word: Lit<10, { upcall::WORD[0].offset as u64 >> 6 }>,
}

impl Logic for UpcallRegs {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, control, near0, near1, near2, near3, far0, far1, far2, far3, show_line, lost, read);
        self.near.next = bit_cast::<128, 32>(self.near0.q.val())
            | (bit_cast::<128, 32>(self.near1.q.val()) << 32)
            | (bit_cast::<128, 32>(self.near2.q.val()) << 64)
            | (bit_cast::<128, 32>(self.near3.q.val()) << 96);
        self.far.next = bit_cast::<128, 32>(self.far0.q.val())
            | (bit_cast::<128, 32>(self.far1.q.val()) << 32)
            | (bit_cast::<128, 32>(self.far2.q.val()) << 64)
            | (bit_cast::<128, 32>(self.far3.q.val()) << 96);
        self.take.next = self.wr.val() & (self.wa.val() == self.at_take.val());

        self.from_client.clk.next = self.clk.val();
        self.from_client.rst.next = self.rst.val();
        self.from_client.op_valid.next = self.client_op.val();
        self.from_client.roce.next = self.client_roce.val();
        self.from_client.good.next = self.client_good.val();
        self.from_client.err.next = self.client_err.val();
        self.from_client.hit.next = self.client_hit.val();
        self.from_client.judged.next = self.client_judged.val();
        self.from_client.waited.next = self.client_waited.val();
        self.from_client.qp1.next = self.client_qp1.val();
        self.from_client.digests.next = self.control.q.val().get_bit(0);
        self.from_client.v6.next = self.control.q.val().get_bit(1);
        self.from_client.frames.next = self.control.q.val().get_bit(2);
        self.from_client.src.next = self.near.val();
        self.from_client.dst.next = self.far.val();
        self.from_client.now.next = self.now.val();
        self.from_client.take.next = self.take.val() & !self.show_line.q.val();

        self.from_line.clk.next = self.clk.val();
        self.from_line.rst.next = self.rst.val();
        self.from_line.op_valid.next = self.line_op.val();
        self.from_line.roce.next = self.line_roce.val();
        self.from_line.good.next = self.line_good.val();
        self.from_line.err.next = self.line_err.val();
        self.from_line.hit.next = self.line_hit.val();
        self.from_line.judged.next = self.line_judged.val();
        self.from_line.waited.next = self.line_waited.val();
        self.from_line.qp1.next = self.line_qp1.val();
        self.from_line.digests.next = self.control.q.val().get_bit(0);
        self.from_line.v6.next = self.control.q.val().get_bit(1);
        self.from_line.frames.next = self.control.q.val().get_bit(2);
        self.from_line.src.next = self.far.val();
        self.from_line.dst.next = self.near.val();
        self.from_line.now.next = self.now.val();
        self.from_line.take.next = self.take.val() & self.show_line.q.val();
        if self.from_client.lost.val() & self.from_line.lost.val() {
            self.lost.d.next = self.lost.q.val() + 2;
        } else if self.from_client.lost.val() | self.from_line.lost.val() {
            self.lost.d.next = self.lost.q.val() + 1;
        }
        self.waiting.next = self.from_client.valid.val() | self.from_line.valid.val();

        if self.wr.val() & (self.wa.val() == self.at_control.val()) {
            self.control.d.next = self.wd.val().get_bits::<3>(0);
        }
        if self.wr.val() & (self.wa.val() == self.at_select.val()) {
            self.show_line.d.next = self.wd.val().get_bit(0);
        }
        if self.wr.val() & (self.wa.val() == self.at_near0.val()) {
            self.near0.d.next = self.wd.val();
        }
        if self.wr.val() & (self.wa.val() == self.at_near1.val()) {
            self.near1.d.next = self.wd.val();
        }
        if self.wr.val() & (self.wa.val() == self.at_near2.val()) {
            self.near2.d.next = self.wd.val();
        }
        if self.wr.val() & (self.wa.val() == self.at_near3.val()) {
            self.near3.d.next = self.wd.val();
        }
        if self.wr.val() & (self.wa.val() == self.at_far0.val()) {
            self.far0.d.next = self.wd.val();
        }
        if self.wr.val() & (self.wa.val() == self.at_far1.val()) {
            self.far1.d.next = self.wd.val();
        }
        if self.wr.val() & (self.wa.val() == self.at_far2.val()) {
            self.far2.d.next = self.wd.val();
        }
        if self.wr.val() & (self.wa.val() == self.at_far3.val()) {
            self.far3.d.next = self.wd.val();
        }

        // The queue that is looked at: of each the word, then which queue.
        self.word_lsb.next = bit_cast::<9, 4>(self.ra.val().get_bits::<4>(2)) << 5;
        self.valid.next = self.from_client.valid.val();
        self.digest.next = self.from_client.digest.val();
        self.first.next = self.from_client.first.val();
        self.last.next = self.from_client.last.val();
        self.bytes.next = self.from_client.bytes.val();
        self.stamp.next = self.from_client.stamp.val();
        self.word.next = self.from_client.entry.val().get_bits::<32>(self.word_lsb.val().index());
        if self.show_line.q.val() {
            self.valid.next = self.from_line.valid.val();
            self.digest.next = self.from_line.digest.val();
            self.first.next = self.from_line.first.val();
            self.last.next = self.from_line.last.val();
            self.bytes.next = self.from_line.bytes.val();
            self.stamp.next = self.from_line.stamp.val();
            self.word.next = self.from_line.entry.val().get_bits::<32>(self.word_lsb.val().index());
        }

        self.read.d.next = bits::<32>(0);
        if self.ra.val() == self.at_control.val() {
            self.read.d.next = bit_cast::<32, 3>(self.control.q.val());
        }
        if self.ra.val() == self.at_near0.val() {
            self.read.d.next = self.near0.q.val();
        }
        if self.ra.val() == self.at_near1.val() {
            self.read.d.next = self.near1.q.val();
        }
        if self.ra.val() == self.at_near2.val() {
            self.read.d.next = self.near2.q.val();
        }
        if self.ra.val() == self.at_near3.val() {
            self.read.d.next = self.near3.q.val();
        }
        if self.ra.val() == self.at_far0.val() {
            self.read.d.next = self.far0.q.val();
        }
        if self.ra.val() == self.at_far1.val() {
            self.read.d.next = self.far1.q.val();
        }
        if self.ra.val() == self.at_far2.val() {
            self.read.d.next = self.far2.q.val();
        }
        if self.ra.val() == self.at_far3.val() {
            self.read.d.next = self.far3.q.val();
        }
        if self.ra.val() == self.at_status.val() {
            self.read.d.next = bit_cast::<32, 16>(self.from_client.count.val())
                | (bit_cast::<32, 16>(self.from_line.count.val()) << 16);
        }
        if self.ra.val() == self.at_lost.val() {
            self.read.d.next = self.lost.q.val();
        }
        if (self.ra.val() == self.at_select.val()) & self.show_line.q.val() {
            self.read.d.next = bits::<32>(1);
        }
        if self.valid.val() {
            if self.ra.val() == self.at_head.val() {
                self.read.d.next = bit_cast::<32, 1>(self.valid.val().into())
                    | (bit_cast::<32, 1>(self.digest.val().into()) << 1)
                    | (bit_cast::<32, 1>(self.first.val().into()) << 2)
                    | (bit_cast::<32, 1>(self.last.val().into()) << 3)
                    | (bit_cast::<32, 7>(self.bytes.val()) << 8);
            }
            if self.ra.val() == self.at_time_low.val() {
                self.read.d.next = self.stamp.val().get_bits::<32>(0);
            }
            if self.ra.val() == self.at_time_high.val() {
                self.read.d.next = bit_cast::<32, 16>(self.stamp.val().get_bits::<16>(32));
            }
            if self.ra.val().get_bits::<10>(6) == self.at_word.val() {
                self.read.d.next = self.word.val();
            }
        }
        self.rd.next = self.read.q.val();
        if self.rst.val() {
            self.control.d.next = bits::<3>(0);
            self.show_line.d.next = false;
            self.lost.d.next = bits::<32>(0);
        }
    }
}
