//! From a MAC: **mac_guard** lets whole frames through, where the MAC cannot wait and what follows may be full.
//!
//! In: the MAC's stream without ready, and `room` of what follows. Out: a beat when `pass`, to be taken at once, one cycle
//! behind the port. A frame that is under way when reset ends is left out. When there is no room for a beat, the rest of its
//! frame is left out too; if some of it has passed, an empty end with an error mark follows as soon as there is room, so that
//! what was cut counts as a frame with a MAC error.
//! Model: none. Tests: `tests/shell/mac_guard.rs`. Registers: none.

use rust_hdl::prelude::*;

/// One receive port of a MAC.
#[derive(LogicBlock, Default)]
pub struct MacGuard {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub s_axis_tdata: Signal<In, Bits<512>>,
    pub s_axis_tkeep: Signal<In, Bits<64>>,
    pub s_axis_tuser: Signal<In, Bits<1>>,
    pub s_axis_tlast: Signal<In, Bit>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub room: Signal<In, Bit>,
    pub pass: Signal<Out, Bit>,
    pub tdata: Signal<Out, Bits<512>>,
    pub tkeep: Signal<Out, Bits<64>>,
    pub tuser: Signal<Out, Bits<1>>,
    pub tlast: Signal<Out, Bit>,
    data: DFF<Bits<512>>,
    keep: DFF<Bits<64>>,
    user: DFF<Bits<1>>,
    last: DFF<Bit>,
    valid: DFF<Bit>,
    /// Within a frame, seen on the port; reset does not change what the MAC is at.
    under_way: DFF<Bit>,
    under_way_next: Signal<Local, Bit>,
    /// The rest of the frame is left out.
    swallow: DFF<Bit>,
    /// Some of a frame has passed, and not its end.
    begun: DFF<Bit>,
    /// An end is due.
    owed: DFF<Bit>,
    fits: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
}

impl Logic for MacGuard {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, data, keep, user, last, valid, under_way, swallow, begun, owed);
        self.data.d.next = self.s_axis_tdata.val();
        self.keep.d.next = self.s_axis_tkeep.val();
        self.user.d.next = self.s_axis_tuser.val();
        self.last.d.next = self.s_axis_tlast.val();
        self.valid.d.next = self.s_axis_tvalid.val();

        self.under_way_next.next = self.under_way.q.val();
        if self.valid.q.val() {
            self.under_way_next.next = !self.last.q.val();
        }
        self.under_way.d.next = self.under_way_next.val();

        self.ends.next = self.owed.q.val() & self.room.val();
        self.fits.next = self.valid.q.val() & !self.swallow.q.val() & !self.owed.q.val() & self.room.val();
        self.pass.next = self.fits.val() | self.ends.val();
        self.tdata.next = self.data.q.val();
        self.tkeep.next = self.keep.q.val();
        self.tuser.next = self.user.q.val();
        self.tlast.next = self.last.q.val();
        if self.owed.q.val() {
            self.tkeep.next = 1.into();
            self.tuser.next = 1.into();
            self.tlast.next = true;
        }
        if self.ends.val() {
            self.owed.d.next = false;
            self.begun.d.next = false;
        }
        if self.valid.q.val() {
            if self.swallow.q.val() {
                self.swallow.d.next = !self.last.q.val();
            } else if self.fits.val() {
                self.begun.d.next = !self.last.q.val();
            } else {
                self.swallow.d.next = !self.last.q.val();
                if self.begun.q.val() & !self.owed.q.val() {
                    self.owed.d.next = true;
                }
            }
        }

        if self.rst.val() {
            self.swallow.d.next = self.under_way_next.val();
            self.begun.d.next = false;
            self.owed.d.next = false;
        }
    }
}
