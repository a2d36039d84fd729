//! The IPv4 checksum of a congestion notification, from that of its template (RFC 1624): length and class differ.
//!
//! In: the template's checksum and length as they lie in the packet (first byte lowest); the first word of its header
//! and of the notification's, as numbers. Out three cycles later: the notification's checksum, as it lies in the packet.

use crate::prim::Lit;
use matchrdma_spec::wire::{bth, cnp, icrc, ipv4, udp};
use rust_hdl::prelude::*;

/// Length of a notification's IPv4 packet.
pub const V4_LENGTH: usize = ipv4::BYTES + udp::BYTES + bth::BYTES + cnp::BYTES + icrc::BYTES;

/// One per cycle.
#[derive(LogicBlock, Default)]
pub struct Resum {
    pub clk: Signal<In, Clock>,
    pub old_sum: Signal<In, Bits<16>>,
    pub old_length: Signal<In, Bits<16>>,
    pub old_first: Signal<In, Bits<16>>,
    pub new_first: Signal<In, Bits<16>>,
    pub new_sum: Signal<Out, Bits<16>>,
    length: Lit<20, { V4_LENGTH as u64 }>,
    gone_sum: Signal<Local, Bits<16>>,
    gone_length: Signal<Local, Bits<16>>,
    gone_first: Signal<Local, Bits<16>>,
    gone: DFF<Bits<20>>,
    come: DFF<Bits<20>>,
    late: DFF<Bits<20>>,
    total: DFF<Bits<20>>,
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
        dff_setup!(self, clk, gone, come, late, total, folded);
        // numbers have their first byte on top
        self.gone_sum.next = !((bit_cast::<16, 8>(self.old_sum.val().get_bits::<8>(0)) << 8)
            | bit_cast::<16, 8>(self.old_sum.val().get_bits::<8>(8)));
        self.gone_length.next = !((bit_cast::<16, 8>(self.old_length.val().get_bits::<8>(0)) << 8)
            | bit_cast::<16, 8>(self.old_length.val().get_bits::<8>(8)));
        self.gone_first.next = !self.old_first.val();
        self.gone.d.next = bit_cast::<20, 16>(self.gone_sum.val()) + bit_cast::<20, 16>(self.gone_first.val());
        self.come.d.next = bit_cast::<20, 16>(self.new_first.val()) + self.length.val();
        self.late.d.next = bit_cast::<20, 16>(self.gone_length.val());
        self.total.d.next = self.gone.q.val() + self.come.q.val() + self.late.q.val();
        self.low.next = bit_cast::<17, 16>(self.total.q.val().get_bits::<16>(0));
        self.high.next = bit_cast::<17, 4>(self.total.q.val().get_bits::<4>(16));
        self.folded.d.next = self.low.val() + self.high.val();
        // the carry of this sum goes round once more, and then there is none
        self.carry.next = 0.into();
        if self.folded.q.val().get_bit(16) {
            self.carry.next = 1.into();
        }
        self.whole.next = self.folded.q.val().get_bits::<16>(0) + self.carry.val();
        self.number.next = !self.whole.val();
        self.new_sum.next = (bit_cast::<16, 8>(self.number.val().get_bits::<8>(0)) << 8)
            | bit_cast::<16, 8>(self.number.val().get_bits::<8>(8));
    }
}
