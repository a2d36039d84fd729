//! Both directions, beside the rail: **route**. From [parse](super::parse), to packet memory's queues.
//!
//! In: an address, in any cycle. Out: the queue of the range it lies in, 16 where no route leads.
//! One lookup per cycle, no valid. Latency: exactly 10 cycles.
//! Model: `model/src/route.rs`. Tests: `tests/outbound/route.rs`. Registers: window `ROUTE`.
//!
//! The host flattens its prefixes into at most 128 ascending range starts. A search over them takes eight steps, one
//! per cycle: the middle start, then the middle of the half that is left, and so on; start 127 is a step of its own.
//! So each start is read by one step only, and each step has its own table: the two largest in block RAM, the others in
//! lookup tables. Start `i` belongs to the step whose number is 6 less the ones at the end of `i`.

pub mod step;

use crate::prim::Lit;
use matchrdma_spec::params::QUEUE_BYPASS;
use rust_hdl::prelude::*;
use step::{Look, Step};

/// A start without its queue: address, and IPv6 at the top.
const KEY_BITS: usize = 128 + 1;

/// The search. Registers are numbered by the cycle they are seen in, the input being cycle 0.
#[derive(LogicBlock, Default)]
pub struct Route {
    pub clk: Signal<In, Clock>,
    pub ip: Signal<In, Bit>,
    pub v6: Signal<In, Bit>,
    pub addr: Signal<In, Bits<128>>,
    pub bank: Signal<In, Bit>,
    pub to_queue: Signal<Out, Bits<5>>,
    pub row_we: Signal<In, Bit>,
    pub row_bank: Signal<In, Bit>,
    pub row_addr: Signal<In, Bits<7>>,
    pub row_data: Signal<In, Bits<134>>,
    step0: Step<1>,
    step1: Step<2>,
    step2: Step<3>,
    step3: Step<4>,
    step4: Step<5>,
    step5: Step<6>,
    step6: Step<7>,
    last: Step<1>,
    look: Signal<Local, Look>,
    queue9: DFF<Bits<5>>,
    ip9: DFF<Bit>,
    queue10: DFF<Bits<5>>,
    write: DFF<Bit>,
    write_bank: DFF<Bits<1>>,
    write_addr: DFF<Bits<7>>,
    write_data: DFF<Bits<134>>,
    queue_at: Lit<16, { KEY_BITS as u64 }>,
    bypass: Lit<5, { QUEUE_BYPASS as u64 }>,
    inverted: Signal<Local, Bits<129>>,
    turned: Signal<Local, Bits<5>>,
}

impl Logic for Route {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, queue9, ip9, queue10, write, write_bank, write_addr, write_data);
        self.step0.clk.next = self.clk.val();
        self.step1.clk.next = self.clk.val();
        self.step2.clk.next = self.clk.val();
        self.step3.clk.next = self.clk.val();
        self.step4.clk.next = self.clk.val();
        self.step5.clk.next = self.clk.val();
        self.step6.clk.next = self.clk.val();
        self.last.clk.next = self.clk.val();

        // Cycle 0: nothing is reached yet.
        self.look.next.key = bit_cast::<129, 128>(self.addr.val()) | (bit_cast::<129, 1>(self.v6.val().into()) << 128);
        self.look.next.ip = self.ip.val();
        self.look.next.best = self.bypass.val();
        self.step0.look.next = self.look.val();
        self.step0.path.next = bit_cast::<8, 1>(self.bank.val().into());

        // Cycles 1 to 8: the steps. The bank is pushed on by seven decisions.
        self.step1.look.next = self.step0.look_out.val();
        self.step1.path.next = self.step0.path_out.val();
        self.step2.look.next = self.step1.look_out.val();
        self.step2.path.next = self.step1.path_out.val();
        self.step3.look.next = self.step2.look_out.val();
        self.step3.path.next = self.step2.path_out.val();
        self.step4.look.next = self.step3.look_out.val();
        self.step4.path.next = self.step3.path_out.val();
        self.step5.look.next = self.step4.look_out.val();
        self.step5.path.next = self.step4.path_out.val();
        self.step6.look.next = self.step5.look_out.val();
        self.step6.path.next = self.step5.path_out.val();
        self.last.look.next = self.step6.look_out.val();
        self.last.path.next = self.step6.path_out.val() >> 7;

        // Cycle 9: what has no address takes no route.
        self.queue9.d.next = self.last.look_out.val().best;
        self.ip9.d.next = self.last.look_out.val().ip;
        self.queue10.d.next = self.bypass.val();
        if self.ip9.q.val() {
            self.queue10.d.next = self.queue9.q.val();
        }
        self.to_queue.next = self.queue10.q.val();

        // The host's write, inverted and a cycle later.
        self.write.d.next = self.row_we.val();
        self.write_bank.d.next = self.row_bank.val().into();
        self.write_addr.d.next = self.row_addr.val();
        self.inverted.next = !self.row_data.val().get_bits::<129>(0);
        self.turned.next = self.row_data.val().get_bits::<5>(self.queue_at.val().index()) ^ self.bypass.val();
        self.write_data.d.next =
            bit_cast::<134, 129>(self.inverted.val()) | (bit_cast::<134, 5>(self.turned.val()) << 129);
        self.step0.we.next = self.write.q.val() & (self.write_addr.q.val().get_bits::<7>(0) == 63);
        self.step0.wdata.next = self.write_data.q.val();
        self.step0.waddr.next = self.write_bank.q.val();
        self.step1.we.next = self.write.q.val() & (self.write_addr.q.val().get_bits::<6>(0) == 31);
        self.step1.wdata.next = self.write_data.q.val();
        self.step1.waddr.next = (bit_cast::<2, 1>(self.write_bank.q.val()) << 1)
            | bit_cast::<2, 1>(self.write_addr.q.val().get_bits::<1>(6));
        self.step2.we.next = self.write.q.val() & (self.write_addr.q.val().get_bits::<5>(0) == 15);
        self.step2.wdata.next = self.write_data.q.val();
        self.step2.waddr.next = (bit_cast::<3, 1>(self.write_bank.q.val()) << 2)
            | bit_cast::<3, 2>(self.write_addr.q.val().get_bits::<2>(5));
        self.step3.we.next = self.write.q.val() & (self.write_addr.q.val().get_bits::<4>(0) == 7);
        self.step3.wdata.next = self.write_data.q.val();
        self.step3.waddr.next = (bit_cast::<4, 1>(self.write_bank.q.val()) << 3)
            | bit_cast::<4, 3>(self.write_addr.q.val().get_bits::<3>(4));
        self.step4.we.next = self.write.q.val() & (self.write_addr.q.val().get_bits::<3>(0) == 3);
        self.step4.wdata.next = self.write_data.q.val();
        self.step4.waddr.next = (bit_cast::<5, 1>(self.write_bank.q.val()) << 4)
            | bit_cast::<5, 4>(self.write_addr.q.val().get_bits::<4>(3));
        self.step5.we.next = self.write.q.val() & (self.write_addr.q.val().get_bits::<2>(0) == 1);
        self.step5.wdata.next = self.write_data.q.val();
        self.step5.waddr.next = (bit_cast::<6, 1>(self.write_bank.q.val()) << 5)
            | bit_cast::<6, 5>(self.write_addr.q.val().get_bits::<5>(2));
        self.step6.we.next = self.write.q.val() & !self.write_addr.q.val().get_bit(0);
        self.step6.wdata.next = self.write_data.q.val();
        self.step6.waddr.next = (bit_cast::<7, 1>(self.write_bank.q.val()) << 6)
            | bit_cast::<7, 6>(self.write_addr.q.val().get_bits::<6>(1));
        self.last.we.next = self.write.q.val() & self.write_addr.q.val().all();
        self.last.wdata.next = self.write_data.q.val();
        self.last.waddr.next = self.write_bank.q.val();
    }
}
