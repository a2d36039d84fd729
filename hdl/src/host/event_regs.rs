//! Beside host 2: **event_regs**. Block `EVENT`: events of both directions and of paths in one queue, the time, and the interrupt line.
//!
//! In: the register bus; events from `track` (`client_*`), from `ack_filter` (`line_*`) and of paths (`law_*`), one of each
//! per cycle;
//! `upcalls` (some upcall waits). Out: its word, a cycle after `ra`; `now`, cycles since reset; `irq`.
//! What comes from the line waits, in a few places, for a cycle without an event of the client, and what comes of a path
//! for one without either. What finds no place is lost and counted.
//! Model: `tests/host/event_regs.rs` has its own. Tests: the same. Registers: `EVENT`.

use super::HostQueue;
use crate::prim::{Fifo, Lit};
use matchrdma_spec::regs::event;
use rust_hdl::prelude::*;

/// Width of an event with its time: code, run, flow, psn, time.
const WIDTH: usize = 5 + 8 + 12 + 24 + event::TIME_BITS;

/// Width of one of a path that waits: code, path, time.
const OF_PATH: usize = 5 + 4 + event::TIME_BITS;

/// The block.
#[derive(LogicBlock, Default)]
pub struct EventRegs {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub wr: Signal<In, Bit>,
    pub wa: Signal<In, Bits<16>>,
    pub wd: Signal<In, Bits<32>>,
    pub ra: Signal<In, Bits<16>>,
    pub rd: Signal<Out, Bits<32>>,
    pub client_valid: Signal<In, Bit>,
    pub client_code: Signal<In, Bits<5>>,
    pub client_flow: Signal<In, Bits<12>>,
    pub client_run: Signal<In, Bits<8>>,
    pub client_psn: Signal<In, Bits<24>>,
    pub line_valid: Signal<In, Bit>,
    pub line_code: Signal<In, Bits<5>>,
    pub line_flow: Signal<In, Bits<12>>,
    pub line_run: Signal<In, Bits<8>>,
    pub line_psn: Signal<In, Bits<24>>,
    pub law_valid: Signal<In, Bit>,
    pub law_code: Signal<In, Bits<5>>,
    pub law_path: Signal<In, Bits<4>>,
    pub upcalls: Signal<In, Bit>,
    pub now: Signal<Out, Bits<48>>,
    pub irq: Signal<Out, Bit>,
    line: Fifo<WIDTH, 4>,
    law: Fifo<OF_PATH, 4>,
    queue: HostQueue<WIDTH, 9>,
    clock: DFF<Bits<48>>,
    control: DFF<Bits<2>>,
    lost: DFF<Bits<32>>,
    asserted: DFF<Bit>,
    read: DFF<Bits<32>>,
    client_lost: Signal<Local, Bit>,
    line_lost: Signal<Local, Bit>,
    law_lost: Signal<Local, Bit>,
    some: Signal<Local, Bits<2>>,
    more: Signal<Local, Bits<2>>,
    from_line: Signal<Local, Bit>,
    from_law: Signal<Local, Bit>,
    of_path: Signal<Local, Bits<OF_PATH>>,
    client_event: Signal<Local, Bits<WIDTH>>,
    head: Signal<Local, Bits<WIDTH>>,
    at_control: Lit<16, { event::CONTROL.offset as u64 }>,
    at_status: Lit<16, { event::STATUS.offset as u64 }>,
    at_lost: Lit<16, { event::LOST.offset as u64 }>,
    at_take: Lit<16, { event::TAKE.offset as u64 }>,
    at_head: Lit<16, { event::HEAD.offset as u64 }>,
    at_psn: Lit<16, { event::PSN.offset as u64 }>,
    at_time_low: Lit<16, { event::TIME_LOW.offset as u64 }>,
    at_time_high: Lit<16, { event::TIME_HIGH.offset as u64 }>,
    at_now: Lit<16, { event::NOW.offset as u64 }>,
}

impl Logic for EventRegs {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, clock, control, lost, asserted, read);
        self.line.clk.next = self.clk.val();
        self.queue.clk.next = self.clk.val();
        self.line.rst.next = self.rst.val();
        self.law.clk.next = self.clk.val();
        self.law.rst.next = self.rst.val();
        self.queue.rst.next = self.rst.val();
        self.clock.d.next = self.clock.q.val() + 1;
        self.now.next = self.clock.q.val();

        self.client_event.next = bit_cast::<97, 5>(self.client_code.val())
            | (bit_cast::<97, 8>(self.client_run.val()) << 5)
            | (bit_cast::<97, 12>(self.client_flow.val()) << 13)
            | (bit_cast::<97, 24>(self.client_psn.val()) << 25)
            | (bit_cast::<97, 48>(self.clock.q.val()) << 49);
        self.line.wr.next = self.line_valid.val();
        self.line.din.next = bit_cast::<97, 5>(self.line_code.val())
            | (bit_cast::<97, 8>(self.line_run.val()) << 5)
            | (bit_cast::<97, 12>(self.line_flow.val()) << 13)
            | (bit_cast::<97, 24>(self.line_psn.val()) << 25)
            | (bit_cast::<97, 48>(self.clock.q.val()) << 49);
        self.client_lost.next = self.client_valid.val() & self.queue.full.val();
        self.line_lost.next = self.line_valid.val() & self.line.full.val();
        self.law.wr.next = self.law_valid.val();
        self.law.din.next = bit_cast::<57, 5>(self.law_code.val())
            | (bit_cast::<57, 4>(self.law_path.val()) << 5)
            | (bit_cast::<57, 48>(self.clock.q.val()) << 9);
        self.law_lost.next = self.law_valid.val() & self.law.full.val();
        self.some.next = bits::<2>(0);
        if self.client_lost.val() {
            self.some.next = bits::<2>(1);
        }
        self.more.next = self.some.val() + 1;
        if self.line_lost.val() {
            self.some.next = self.more.val();
        }
        self.more.next = self.some.val() + 1;
        if self.law_lost.val() {
            self.some.next = self.more.val();
        }
        self.lost.d.next = self.lost.q.val() + bit_cast::<32, 2>(self.some.val());

        // The client's goes into the one queue at once; the line's waits for a cycle without, a path's for one without both.
        self.from_line.next = !self.client_valid.val() & !self.line.empty.val();
        self.from_law.next = !self.client_valid.val() & self.line.empty.val() & !self.law.empty.val();
        self.queue.wr.next = self.client_valid.val() | self.from_line.val() | self.from_law.val();
        self.queue.din.next = self.client_event.val();
        if self.from_line.val() {
            self.queue.din.next = self.line.dout.val();
        }
        self.of_path.next = self.law.dout.val();
        if self.from_law.val() {
            self.queue.din.next = bit_cast::<97, 5>(self.of_path.val().get_bits::<5>(0))
                | (bit_cast::<97, 4>(self.of_path.val().get_bits::<4>(5)) << 13)
                | (bit_cast::<97, 48>(self.of_path.val().get_bits::<48>(9)) << 49);
        }
        self.law.rd.next = self.from_law.val() & !self.queue.full.val();
        self.line.rd.next = self.from_line.val() & !self.queue.full.val();
        self.queue.rd.next = self.wr.val() & (self.wa.val() == self.at_take.val());

        if self.wr.val() & (self.wa.val() == self.at_control.val()) {
            self.control.d.next = self.wd.val().get_bits::<2>(0);
        }
        self.asserted.d.next = (self.control.q.val().get_bit(0) & !self.queue.empty.val())
            | (self.control.q.val().get_bit(1) & self.upcalls.val());
        self.irq.next = self.asserted.q.val();

        self.head.next = self.queue.dout.val();
        self.read.d.next = bits::<32>(0);
        if self.ra.val() == self.at_control.val() {
            self.read.d.next = bit_cast::<32, 2>(self.control.q.val());
        }
        if self.ra.val() == self.at_status.val() {
            self.read.d.next = bit_cast::<32, 16>(self.queue.count.val());
        }
        if self.ra.val() == self.at_lost.val() {
            self.read.d.next = self.lost.q.val();
        }
        if self.ra.val() == self.at_now.val() {
            self.read.d.next = self.clock.q.val().get_bits::<32>(16);
        }
        if !self.queue.empty.val() {
            if self.ra.val() == self.at_head.val() {
                self.read.d.next = bit_cast::<32, 5>(self.head.val().get_bits::<5>(0))
                    | (bit_cast::<32, 8>(self.head.val().get_bits::<8>(5)) << 8)
                    | (bit_cast::<32, 12>(self.head.val().get_bits::<12>(13)) << 16);
            }
            if self.ra.val() == self.at_psn.val() {
                self.read.d.next = bit_cast::<32, 24>(self.head.val().get_bits::<24>(25));
            }
            if self.ra.val() == self.at_time_low.val() {
                self.read.d.next = self.head.val().get_bits::<32>(49);
            }
            if self.ra.val() == self.at_time_high.val() {
                self.read.d.next = bit_cast::<32, 16>(self.head.val().get_bits::<16>(81));
            }
        }
        self.rd.next = self.read.q.val();
        if self.rst.val() {
            self.clock.d.next = bits::<48>(0);
            self.control.d.next = bits::<2>(0);
            self.lost.d.next = bits::<32>(0);
            self.asserted.d.next = false;
        }
    }
}
