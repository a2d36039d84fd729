//! Inside [walk](super::walk): **after**. The entry that follows another.
//!
//! Combinational. Model: `model::forecast`. Tests: `tests/budget/forecast.rs`. Registers: none.

use rust_hdl::prelude::*;

/// Behind the last comes the first.
#[derive(LogicBlock, Default)]
pub struct After {
    pub at: Signal<In, Bits<8>>,
    pub length: Signal<In, Bits<9>>,
    pub after: Signal<Out, Bits<8>>,
    pub last: Signal<Out, Bit>,
    next_at: Signal<Local, Bits<9>>,
}

impl Logic for After {
    #[hdl_gen]
    fn update(&mut self) {
        self.next_at.next = bit_cast::<9, 8>(self.at.val()) + 1;
        self.last.next = self.next_at.val() == self.length.val();
        self.after.next = self.next_at.val().get_bits::<8>(0);
        if self.next_at.val() == self.length.val() {
            self.after.next = 0.into();
        }
    }
}
