//! When each flow's sender was last notified: notifications to one sender keep their distance.
//!
//! In: `flow` of an op (stage 1); `stamp` with the flow of a notification that is built (stage 4).
//! Out at stage 3: `far`, the flow's last one is long enough ago.
//! The caller has at most one notification in stages 1 to 4.
//!
//! Stamps wrap after 2^24 cycles: a flow whose last notification is as old as that may wait once more for as long as
//! the spacing. So it is after power-up.

use crate::prim::Sdp;
use rust_hdl::prelude::*;

/// A stamp per flow.
#[derive(LogicBlock, Default)]
pub struct Spacing {
    pub clk: Signal<In, Clock>,
    pub spacing: Signal<In, Bits<20>>,
    pub flow: Signal<In, Bits<12>>,
    pub far: Signal<Out, Bit>,
    pub stamp: Signal<In, Bit>,
    pub stamp_flow: Signal<In, Bits<12>>,
    stamps: Sdp<24, 12>,
    now: DFF<Bits<24>>,
    age: DFF<Bits<24>>,
    least: Signal<Local, Bits<24>>,
}

impl Logic for Spacing {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, now, age);
        self.now.d.next = self.now.q.val() + 1;
        self.stamps.clk.next = self.clk.val();
        self.stamps.raddr.next = self.flow.val();
        self.stamps.we.next = self.stamp.val();
        self.stamps.waddr.next = self.stamp_flow.val();
        self.stamps.wdata.next = self.now.q.val();
        self.age.d.next = self.now.q.val() - self.stamps.rdata.val();
        self.least.next = bit_cast::<24, 20>(self.spacing.val());
        self.far.next = self.age.q.val() >= self.least.val();
    }
}
