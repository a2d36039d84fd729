//! The IPv4 checksum of a congestion notification, from that of its template (RFC 1624): length and class differ.
//!
//! In: `lane`, a lane of the template per cycle; the first of an IPv4 header in one cycle, that with its checksum in the
//! next. Out two cycles after the latter: `sum`, as it lies in the packet. In other cycles it means nothing.

use super::plan::V4_LENGTH;
use crate::prim::Lit;
use rust_hdl::prelude::*;

/// One per cycle.
#[derive(LogicBlock, Default)]
pub struct Resum {
    pub clk: Signal<In, Clock>,
    pub lane: Signal<In, Bits<32>>,
    pub dscp: Signal<In, Bits<6>>,
    pub sum: Signal<Out, Bits<16>>,
    length: Lit<19, { V4_LENGTH as u64 }>,
    /// The halves of the lane as numbers, which have their first byte on top.
    first: Signal<Local, Bits<16>>,
    second: Signal<Local, Bits<16>>,
    first_new: Signal<Local, Bits<16>>,
    first_gone: Signal<Local, Bits<16>>,
    second_gone: Signal<Local, Bits<16>>,
    classes: Signal<Local, Bits<19>>,
    lengths: Signal<Local, Bits<19>>,
    change: DFF<Bits<19>>,
    total: DFF<Bits<19>>,
    folded: DFF<Bits<17>>,
    low: Signal<Local, Bits<17>>,
    high: Signal<Local, Bits<17>>,
    carry: Signal<Local, Bits<16>>,
    whole: Signal<Local, Bits<16>>,
    number: Signal<Local, Bits<16>>,
}

impl Logic for Resum {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, change, total, folded);
        self.first.next = (bit_cast::<16, 8>(self.lane.val().get_bits::<8>(0)) << 8)
            | bit_cast::<16, 8>(self.lane.val().get_bits::<8>(8));
        self.second.next = (bit_cast::<16, 8>(self.lane.val().get_bits::<8>(16)) << 8)
            | bit_cast::<16, 8>(self.lane.val().get_bits::<8>(24));
        self.first_new.next = (bit_cast::<16, 8>(self.lane.val().get_bits::<8>(0)) << 8)
            | (bit_cast::<16, 6>(self.dscp.val()) << 2)
            | bit_cast::<16, 2>(self.lane.val().get_bits::<2>(8));
        self.first_gone.next = !self.first.val();
        self.second_gone.next = !self.second.val();
        self.classes.next = bit_cast::<19, 16>(self.first_new.val()) + bit_cast::<19, 16>(self.first_gone.val());
        self.lengths.next = self.length.val() + bit_cast::<19, 16>(self.second_gone.val());
        self.change.d.next = self.classes.val() + self.lengths.val();
        // now `second` is the checksum
        self.total.d.next = self.change.q.val() + bit_cast::<19, 16>(self.second_gone.val());
        self.low.next = bit_cast::<17, 16>(self.total.q.val().get_bits::<16>(0));
        self.high.next = bit_cast::<17, 3>(self.total.q.val().get_bits::<3>(16));
        self.folded.d.next = self.low.val() + self.high.val();
        // the carry of this sum goes round once more, and then there is none
        self.carry.next = 0.into();
        if self.folded.q.val().get_bit(16) {
            self.carry.next = 1.into();
        }
        self.whole.next = self.folded.q.val().get_bits::<16>(0) + self.carry.val();
        self.number.next = !self.whole.val();
        self.sum.next = (bit_cast::<16, 8>(self.number.val().get_bits::<8>(0)) << 8)
            | bit_cast::<16, 8>(self.number.val().get_bits::<8>(8));
    }
}
