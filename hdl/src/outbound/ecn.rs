//! Beside the rail: **ecn**. Between [front](super::front)'s waiting frame and packet memory: frames of a path whose
//! senders are told to slow down anyway lose their ECN.
//!
//! In: beats with the queue of their frame; `clear`, a bit per path. Out two cycles later: the same, but the ECN bits of
//! an IP header are zero, and the IPv4 checksum fits (RFC 1624). The ICRC has neither under it.
//! A frame with fewer than 60 bytes in its first beat passes as it is.
//! Model: `model/src/ecn.rs`. Tests: `tests/outbound/ecn.rs`. Registers: path settings.

use crate::prim::{Lit, Swap};
use crate::record::Beat;
use matchrdma_spec::params::MIN_FRAME_BYTES;
use matchrdma_spec::wire::{eth, ipv4, ipv6, vlan};
use rust_hdl::prelude::*;

/// Bits of a beat, of the Ethernet header, and of a tag.
const BEAT: u64 = 512;
const ETH: u64 = 8 * eth::BYTES as u64;
const TAG: u64 = 8 * vlan::BYTES as u64;

/// One beat per cycle.
#[derive(LogicBlock, Default)]
pub struct Ecn {
    pub clk: Signal<In, Clock>,
    pub clear: Signal<In, Bits<16>>,
    pub beat_in: Signal<In, Beat>,
    pub queue_in: Signal<In, Bits<5>>,
    pub beat_out: Signal<Out, Beat>,

    type0_at: Lit<16, { BEAT - ETH }>,
    type1_at: Lit<16, { BEAT - ETH - TAG }>,
    type2_at: Lit<16, { BEAT - ETH - 2 * TAG }>,
    /// Where the first 16 bits and the checksum of an IP header lie, by the number of tags.
    ip0_at: Lit<16, { BEAT - ETH - 16 }>,
    ip1_at: Lit<16, { BEAT - ETH - TAG - 16 }>,
    ip2_at: Lit<16, { BEAT - ETH - 2 * TAG - 16 }>,
    sum0_at: Lit<16, { BEAT - ETH - ipv4::CHECKSUM.end_byte() as u64 * 8 }>,
    sum1_at: Lit<16, { BEAT - ETH - TAG - ipv4::CHECKSUM.end_byte() as u64 * 8 }>,
    sum2_at: Lit<16, { BEAT - ETH - 2 * TAG - ipv4::CHECKSUM.end_byte() as u64 * 8 }>,
    tpid_customer: Lit<16, { vlan::TPID_CUSTOMER as u64 }>,
    tpid_service: Lit<16, { vlan::TPID_SERVICE as u64 }>,
    is_ipv4: Lit<16, { eth::TYPE_IPV4 as u64 }>,
    is_ipv6: Lit<16, { eth::TYPE_IPV6 as u64 }>,
    version4: Lit<4, { ipv4::VERSION_4 as u64 }>,
    version6: Lit<4, { ipv6::VERSION_6 as u64 }>,
    least: Lit<7, { MIN_FRAME_BYTES as u64 }>,

    here: Signal<Local, Beat>,
    swap: Swap<512>,
    word: Signal<Local, Bits<512>>,
    type0: Signal<Local, Bits<16>>,
    type1: Signal<Local, Bits<16>>,
    type2: Signal<Local, Bits<16>>,
    tag0: Signal<Local, Bit>,
    tag1: Signal<Local, Bit>,
    of: Signal<Local, Bits<16>>,
    first: Signal<Local, Bits<16>>,
    sum: Signal<Local, Bits<16>>,
    asked: Signal<Local, Bits<32>>,
    takes: Signal<Local, Bit>,
    // a cycle later
    beat1: DFF<Beat>,
    first1: DFF<Bits<16>>,
    sum1: DFF<Bits<16>>,
    tags1: DFF<Bits<2>>,
    v4: DFF<Bit>,
    v6: DFF<Bit>,
    version: Signal<Local, Bits<4>>,
    ecn: Signal<Local, Bits<16>>,
    plain: Signal<Local, Bits<17>>,
    carried: Signal<Local, Bits<17>>,
    new_sum: Signal<Local, Bits<16>>,
    flip: Signal<Local, Bits<512>>,
    flip_first: Signal<Local, Bits<16>>,
    flip_sum: Signal<Local, Bits<16>>,
    back: Swap<512>,
    beat2: DFF<Beat>,
}

impl Logic for Ecn {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, beat1, first1, sum1, tags1, v4, v6, beat2);
        self.here.next = self.beat_in.val();
        self.swap.din.next = self.here.val().data;
        self.word.next = self.swap.dout.val();
        self.type0.next = bit_cast::<16, 512>(self.word.val() >> self.type0_at.val());
        self.type1.next = bit_cast::<16, 512>(self.word.val() >> self.type1_at.val());
        self.type2.next = bit_cast::<16, 512>(self.word.val() >> self.type2_at.val());
        self.tag0.next = (self.type0.val() == self.tpid_customer.val()) | (self.type0.val() == self.tpid_service.val());
        self.tag1.next = (self.type1.val() == self.tpid_customer.val()) | (self.type1.val() == self.tpid_service.val());
        self.of.next = self.type0.val();
        self.first.next = bit_cast::<16, 512>(self.word.val() >> self.ip0_at.val());
        self.sum.next = bit_cast::<16, 512>(self.word.val() >> self.sum0_at.val());
        self.tags1.d.next = 0.into();
        if self.tag0.val() & self.tag1.val() {
            self.of.next = self.type2.val();
            self.first.next = bit_cast::<16, 512>(self.word.val() >> self.ip2_at.val());
            self.sum.next = bit_cast::<16, 512>(self.word.val() >> self.sum2_at.val());
            self.tags1.d.next = 2.into();
        } else if self.tag0.val() {
            self.of.next = self.type1.val();
            self.first.next = bit_cast::<16, 512>(self.word.val() >> self.ip1_at.val());
            self.sum.next = bit_cast::<16, 512>(self.word.val() >> self.sum1_at.val());
            self.tags1.d.next = 1.into();
        }
        self.asked.next = bit_cast::<32, 16>(self.clear.val()) >> self.queue_in.val();
        self.takes.next = self.here.val().valid
            & self.here.val().first
            & (self.here.val().bytes >= self.least.val())
            & self.asked.val().get_bit(0);
        self.v4.d.next = self.takes.val() & (self.of.val() == self.is_ipv4.val());
        self.v6.d.next = self.takes.val() & (self.of.val() == self.is_ipv6.val());
        self.first1.d.next = self.first.val();
        self.sum1.d.next = self.sum.val();
        self.beat1.d.next = self.here.val();

        // what changes, in network order
        self.version.next = self.first1.q.val().get_bits::<4>(12);
        self.ecn.next = bit_cast::<16, 2>(self.first1.q.val().get_bits::<2>(0));
        self.plain.next = bit_cast::<17, 16>(self.sum1.q.val()) + bit_cast::<17, 16>(self.ecn.val());
        self.carried.next = self.plain.val() + 1;
        self.new_sum.next = self.plain.val().get_bits::<16>(0);
        if self.carried.val().get_bit(16) {
            self.new_sum.next = self.carried.val().get_bits::<16>(0);
        }
        self.flip_first.next = 0.into();
        self.flip_sum.next = 0.into();
        if self.v4.q.val() & (self.version.val() == self.version4.val()) & self.ecn.val().any() {
            self.flip_first.next = self.ecn.val();
            self.flip_sum.next = self.sum1.q.val() ^ self.new_sum.val();
        } else if self.v6.q.val() & (self.version.val() == self.version6.val()) {
            self.flip_first.next = bit_cast::<16, 2>(self.first1.q.val().get_bits::<2>(4)) << 4;
        }
        self.flip.next = (bit_cast::<512, 16>(self.flip_first.val()) << self.ip0_at.val())
            | (bit_cast::<512, 16>(self.flip_sum.val()) << self.sum0_at.val());
        if self.tags1.q.val() == 1 {
            self.flip.next = (bit_cast::<512, 16>(self.flip_first.val()) << self.ip1_at.val())
                | (bit_cast::<512, 16>(self.flip_sum.val()) << self.sum1_at.val());
        } else if self.tags1.q.val() == 2 {
            self.flip.next = (bit_cast::<512, 16>(self.flip_first.val()) << self.ip2_at.val())
                | (bit_cast::<512, 16>(self.flip_sum.val()) << self.sum2_at.val());
        }
        self.back.din.next = self.flip.val();
        self.beat2.d.next = self.beat1.q.val();
        self.beat2.d.next.data = self.beat1.q.val().data ^ self.back.dout.val();
        self.beat_out.next = self.beat2.q.val();
    }
}
