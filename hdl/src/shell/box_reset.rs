//! **box_reset**: the shell's reset handshake to one long reset.
//!
//! In: `mod_rstn`, low for a cycle or more of `axil_clk`. Out: `areset`, a flip-flop that is high for 128 cycles after it, and
//! at power-up; `done`, low meanwhile. It does not wait for the other clocks, which may stand: each leaves reset by itself.
//! Model: none. Tests: `tests/shell/opennic.rs`. Registers: none.

use rust_hdl::prelude::*;

/// A counter that stands at its top.
#[derive(LogicBlock, Default)]
pub struct BoxReset {
    pub axil_clk: Signal<In, Clock>,
    pub mod_rstn: Signal<In, Bit>,
    pub areset: Signal<Out, Bit>,
    /// The same level for logic of `axil_clk`.
    pub resetting: Signal<Out, Bit>,
    pub done: Signal<Out, Bit>,
    count: DFF<Bits<8>>,
    reset: DFF<Bit>,
    level: DFF<Bit>,
    is_done: DFF<Bit>,
    up: Signal<Local, Bit>,
}

impl Logic for BoxReset {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, axil_clk, count, reset, level, is_done);
        self.up.next = self.count.q.val().get_bit(7);
        if !self.up.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        self.reset.d.next = !self.up.val();
        self.level.d.next = !self.up.val();
        self.is_done.d.next = self.up.val();
        if !self.mod_rstn.val() {
            self.count.d.next = 0.into();
            self.is_done.d.next = false;
        }
        self.areset.next = self.reset.q.val();
        self.resetting.next = self.level.q.val();
        self.done.next = self.is_done.q.val();
    }
}
