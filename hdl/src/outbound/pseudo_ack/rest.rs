//! The flows that have just spoken, till each may speak again.
//!
//! In: `put` with `flow`; `gap`, cycles that it rests. Out: `due`, `due_flow` (`take` takes it).
//! All rest alike, so a queue has them in the order in which they come out. While the host makes the gap shorter, one
//! that went in before may hold those behind it for as long as it still has to rest.

use crate::prim::Fifo;
use rust_hdl::prelude::*;

/// Each flow at most once.
#[derive(LogicBlock, Default)]
pub struct Rest {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub gap: Signal<In, Bits<16>>,
    pub put: Signal<In, Bit>,
    pub flow: Signal<In, Bits<12>>,
    pub due: Signal<Out, Bit>,
    pub due_flow: Signal<Out, Bits<12>>,
    pub take: Signal<In, Bit>,
    pub busy: Signal<Out, Bit>,
    fifo: Fifo<30, 12>,
    /// Wraps: everything leaves long before half of it has passed.
    now: DFF<Bits<18>>,
    ends: Signal<Local, Bits<18>>,
    late: Signal<Local, Bits<18>>,
    is_due: DFF<Bit>,
}

impl Logic for Rest {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, now, is_due);
        self.now.d.next = self.now.q.val() + 1;
        self.ends.next = self.now.q.val() + bit_cast::<18, 16>(self.gap.val());
        self.fifo.clk.next = self.clk.val();
        self.fifo.rst.next = self.rst.val();
        self.fifo.wr.next = self.put.val();
        self.fifo.din.next = bit_cast::<30, 12>(self.flow.val()) | (bit_cast::<30, 18>(self.ends.val()) << 12);
        self.fifo.rd.next = self.is_due.q.val() & self.take.val();
        self.late.next = self.now.q.val() - self.fifo.dout.val().get_bits::<18>(12);
        self.is_due.d.next = !self.fifo.empty.val() & !self.late.val().get_bit(17);
        if self.is_due.q.val() & self.take.val() {
            self.is_due.d.next = false;
        }
        self.due.next = self.is_due.q.val();
        self.due_flow.next = self.fifo.dout.val().get_bits::<12>(0);
        self.busy.next = !self.fifo.empty.val();
        if self.rst.val() {
            self.is_due.d.next = false;
        }
    }
}
