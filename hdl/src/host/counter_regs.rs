//! Beside host 2: **counter_regs**. Block `COUNTERS`: 64 bits each, read in two words.
//!
//! In: the register bus (only reads; `rd_go` latches); what each counter gains in this cycle, in the order of
//! `spec::regs::counters`. Out: its word, a cycle after `rd_go`.
//! Model: `model::gateway` counts the same events. Tests: `tests/host/reg_file.rs`. Registers: `COUNTERS`.

use super::Counters;
use crate::prim::Lit;
use matchrdma_spec::regs::counters;
use rust_hdl::prelude::*;

/// Number of counters.
pub const COUNTERS: usize = counters::COUNTERS.len();

/// The block. Reading a low word latches the high one.
#[derive(LogicBlock)]
pub struct CounterRegs {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub ra: Signal<In, Bits<16>>,
    pub rd_go: Signal<In, Bit>,
    pub rd: Signal<Out, Bits<32>>,
    pub gain: [Signal<In, Bits<14>>; COUNTERS],
    counters: Counters<COUNTERS>,
    high: DFF<Bits<32>>,
    read: DFF<Bits<32>>,
    from: Lit<16, { counters::BASE as u64 }>,
    to: Lit<16, { counters::BASE as u64 + counters::STRIDE as u64 * COUNTERS as u64 }>,
    mine: Signal<Local, Bit>,
    value: Signal<Local, Bits<64>>,
}

impl Default for CounterRegs {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            ra: Default::default(),
            rd_go: Default::default(),
            rd: Default::default(),
            gain: std::array::from_fn(|_| Default::default()),
            counters: Default::default(),
            high: Default::default(),
            read: Default::default(),
            from: Default::default(),
            to: Default::default(),
            mine: Default::default(),
            value: Default::default(),
        }
    }
}

impl Logic for CounterRegs {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, high, read);
        self.counters.clk.next = self.clk.val();
        self.counters.rst.next = self.rst.val();
        for i in 0..21 {
            self.counters.gain[i].next = self.gain[i].val();
        }
        // The counter is chosen while the address stands, a cycle before `rd_go`.
        self.counters.select.next = self.ra.val().get_bits::<5>(3);
        self.value.next = self.counters.value.val();
        self.mine.next = (self.ra.val() >= self.from.val()) & (self.ra.val() < self.to.val());
        self.read.d.next = bits::<32>(0);
        if self.mine.val() {
            if self.ra.val().get_bit(2) {
                self.read.d.next = self.high.q.val();
            } else {
                self.read.d.next = self.value.val().get_bits::<32>(0);
                if self.rd_go.val() {
                    self.high.d.next = self.value.val().get_bits::<32>(32);
                }
            }
        }
        self.rd.next = self.read.q.val();
    }
}
