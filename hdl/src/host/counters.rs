//! Beside host 2: **counters**. 64 bits each, in the order of `spec::regs::counters`.
//!
//! In: what each counter gains in this cycle. Out: the selected one, a cycle after `select`.
//! Model: `model::gateway` counts the same events. Tests: `tests/host/reg_file.rs`. Registers: `COUNTERS`.

use rust_hdl::prelude::*;

/// `N` counters. They start at zero, also after `rst`, and never wrap in practice: 2^64 bytes take 46 years at 100 Gb/s.
#[derive(LogicBlock)]
pub struct Counters<const N: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub gain: [Signal<In, Bits<14>>; N],
    pub select: Signal<In, Bits<5>>,
    pub value: Signal<Out, Bits<64>>,
    // Gains are registered first: a 64-bit sum starts from a flop.
    gained: [DFF<Bits<14>>; N],
    count: [DFF<Bits<64>>; N],
    /// The count that is selected; the others are zero.
    shown: [DFF<Bits<64>>; N],
    // rust-hdl cannot widen an indexed item inside a loop.
    more: Signal<Local, Bits<14>>,
}

impl<const N: usize> Default for Counters<N> {
    fn default() -> Self {
        assert!(N <= 32, "the select is five bits");
        Self {
            clk: Default::default(),
            rst: Default::default(),
            gain: std::array::from_fn(|_| Default::default()),
            select: Default::default(),
            value: Default::default(),
            gained: std::array::from_fn(|_| Default::default()),
            count: std::array::from_fn(|_| Default::default()),
            shown: std::array::from_fn(|_| Default::default()),
            more: Default::default(),
        }
    }
}

impl<const N: usize> Logic for Counters<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.value.next = bits::<64>(0);
        self.more.next = bits::<14>(0);
        for i in 0..N {
            self.gained[i].clock.next = self.clk.val();
            self.gained[i].d.next = self.gain[i].val();
            self.count[i].clock.next = self.clk.val();
            self.more.next = self.gained[i].q.val();
            self.count[i].d.next = self.count[i].q.val() + bit_cast::<64, 14>(self.more.val());
            self.shown[i].clock.next = self.clk.val();
            self.shown[i].d.next = bits::<64>(0);
            if self.select.val().index() == i {
                self.shown[i].d.next = self.count[i].q.val();
            }
            self.value.next = self.value.val() | self.shown[i].q.val();
            if self.rst.val() {
                self.gained[i].d.next = bits::<14>(0);
                self.count[i].d.next = bits::<64>(0);
            }
        }
    }
}
