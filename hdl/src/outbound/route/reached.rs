//! Part of [route](super): whether a key lies at or behind a start.
//!
//! In: two keys of 129 bits (address, and IPv6 at the top). Out: `key >= start`. Combinational.
//!
//! In parts of 16 bits, since one chain over 129 is too long for a cycle that also reads a table.

use rust_hdl::prelude::*;

/// The comparison.
#[derive(LogicBlock, Default)]
pub struct Reached {
    pub key: Signal<In, Bits<129>>,
    pub start: Signal<In, Bits<129>>,
    pub reached: Signal<Out, Bit>,
    more: [Signal<Local, Bit>; 8],
    same: [Signal<Local, Bit>; 8],
    low_more: Signal<Local, Bit>,
    mid_more: Signal<Local, Bit>,
    mid_same: Signal<Local, Bit>,
    high_more: Signal<Local, Bit>,
    high_same: Signal<Local, Bit>,
    v6_more: Signal<Local, Bit>,
    v6_same: Signal<Local, Bit>,
}

impl Logic for Reached {
    #[hdl_gen]
    fn update(&mut self) {
        self.more[0].next = self.key.val().get_bits::<16>(0) > self.start.val().get_bits::<16>(0);
        self.same[0].next = self.key.val().get_bits::<16>(0) == self.start.val().get_bits::<16>(0);
        self.more[1].next = self.key.val().get_bits::<16>(16) > self.start.val().get_bits::<16>(16);
        self.same[1].next = self.key.val().get_bits::<16>(16) == self.start.val().get_bits::<16>(16);
        self.more[2].next = self.key.val().get_bits::<16>(32) > self.start.val().get_bits::<16>(32);
        self.same[2].next = self.key.val().get_bits::<16>(32) == self.start.val().get_bits::<16>(32);
        self.more[3].next = self.key.val().get_bits::<16>(48) > self.start.val().get_bits::<16>(48);
        self.same[3].next = self.key.val().get_bits::<16>(48) == self.start.val().get_bits::<16>(48);
        self.more[4].next = self.key.val().get_bits::<16>(64) > self.start.val().get_bits::<16>(64);
        self.same[4].next = self.key.val().get_bits::<16>(64) == self.start.val().get_bits::<16>(64);
        self.more[5].next = self.key.val().get_bits::<16>(80) > self.start.val().get_bits::<16>(80);
        self.same[5].next = self.key.val().get_bits::<16>(80) == self.start.val().get_bits::<16>(80);
        self.more[6].next = self.key.val().get_bits::<16>(96) > self.start.val().get_bits::<16>(96);
        self.same[6].next = self.key.val().get_bits::<16>(96) == self.start.val().get_bits::<16>(96);
        self.more[7].next = self.key.val().get_bits::<16>(112) > self.start.val().get_bits::<16>(112);
        self.same[7].next = self.key.val().get_bits::<16>(112) == self.start.val().get_bits::<16>(112);
        self.v6_more.next = self.key.val().get_bit(128) & !self.start.val().get_bit(128);
        self.v6_same.next = self.key.val().get_bit(128) == self.start.val().get_bit(128);
        self.low_more.next = self.more[2].val()
            | (self.same[2].val()
                & (self.more[1].val() | (self.same[1].val() & (self.more[0].val() | self.same[0].val()))));
        self.mid_more.next = self.more[5].val()
            | (self.same[5].val() & (self.more[4].val() | (self.same[4].val() & self.more[3].val())));
        self.mid_same.next = self.same[5].val() & self.same[4].val() & self.same[3].val();
        self.high_more.next = self.more[7].val() | (self.same[7].val() & self.more[6].val());
        self.high_same.next = self.same[7].val() & self.same[6].val();
        self.reached.next = self.v6_more.val()
            | (self.v6_same.val()
                & (self.high_more.val()
                    | (self.high_same.val() & (self.mid_more.val() | (self.mid_same.val() & self.low_more.val())))));
    }
}
