//! A template becomes a packet: PSN and AETH go in, and a masked copy is laid out for the CRC.
//!
//! In: `fire`, `template` (the first 90 raw bytes of a real ACK, its number of tags, IPv6), what to say: an ACK or NAK,
//! or a congestion notification (`cnp`) with `dscp` and `pcp`.
//! Out three cycles later: `valid`, `parts`, `covered`; two more cycles later `sum`, the IPv4 checksum of a
//! notification, whose place in `parts` is empty until then. Neither its DSCP nor its checksum is under the ICRC.
//!
//! The ICRC covers 44 bytes of IPv4 or 64 of IPv6. Laid to the end of one beat with zeros in front, they are one step
//! of a CRC from state zero: zeros do not change a zero state, and the state of the eight bytes of ones that the ICRC
//! begins with is added to the first four bytes. A notification has 56 or 76 bytes: what goes beyond the beat is zeros,
//! which the CRC's user adds.

use super::mould::*;
use super::resum::Resum;
use crate::prim::{Lit, Wide};
use matchrdma_spec::params::BEAT_BYTES;
use matchrdma_spec::wire::{eth, ipv4, vlan};
use rust_hdl::prelude::*;

/// From the byte with AckReq to the end of the AETH, in wire order.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct News {
    pub ack_req: Bits<8>,
    pub psn2: Bits<8>,
    pub psn1: Bits<8>,
    pub psn0: Bits<8>,
    pub syndrome: Bits<8>,
    pub msn2: Bits<8>,
    pub msn1: Bits<8>,
    pub msn0: Bits<8>,
}

/// A frame in parts: the packet from its IP header to its AETH, zero behind; the Ethernet header with its tags.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Parts {
    pub packet: Bits<512>,
    pub eth: Bits<176>,
    pub vlans: Bits<2>,
    pub v6: Bit,
    pub nak: Bit,
    pub cnp: Bit,
}

/// Three cycles, one frame per cycle.
#[derive(LogicBlock, Default)]
pub struct Seal {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub fire: Signal<In, Bit>,
    pub template: Signal<In, Bits<723>>,
    pub nak: Signal<In, Bit>,
    pub cnp: Signal<In, Bit>,
    pub syndrome: Signal<In, Bits<8>>,
    pub psn: Signal<In, Bits<24>>,
    pub msn: Signal<In, Bits<24>>,
    pub dscp: Signal<In, Bits<6>>,
    pub pcp: Signal<In, Bits<3>>,
    pub valid: Signal<Out, Bit>,
    pub parts: Signal<Out, Parts>,
    pub covered: Signal<Out, Bits<512>>,
    pub sum: Signal<Out, Bits<16>>,

    skip0: Lit<10, ETH_BITS>,
    skip1: Lit<10, { ETH_BITS + TAG_BITS }>,
    skip2: Lit<10, { ETH_BITS + 2 * TAG_BITS }>,
    shape_at: Lit<10, 720>,
    news_at4: Lit<10, { 8 * (V4_BYTES - NEWS_BYTES) as u64 }>,
    news_at6: Lit<10, { 8 * (V6_BYTES - NEWS_BYTES) as u64 }>,
    align4: Lit<10, { 8 * (BEAT_BYTES - V4_BYTES) as u64 }>,
    align4_cnp: Lit<10, { 8 * (BEAT_BYTES - V4_CNP_BYTES) as u64 }>,
    length_at: Lit<10, { 8 * ipv4::TOTAL_LENGTH.first_byte() as u64 }>,
    sum_at: Lit<10, { 8 * ipv4::CHECKSUM.first_byte() as u64 }>,
    dscp_at4: Lit<10, { low_bit(ipv4::DSCP) }>,
    pcp_at1: Lit<10, { 8 * eth::BYTES as u64 + low_bit(vlan::PCP) }>,
    pcp_at2: Lit<10, { 8 * (eth::BYTES + vlan::BYTES) as u64 + low_bit(vlan::PCP) }>,
    keep4: Wide<512, Keep4>,
    keep6: Wide<512, Keep6>,
    keep4_cnp: Wide<512, Keep4Cnp>,
    keep6_cnp: Wide<512, Keep6Cnp>,
    put4_cnp: Wide<512, Put4Cnp>,
    put6_cnp: Wide<512, Put6Cnp>,
    ones4: Wide<512, Ones4>,
    ones6: Wide<512, Ones6>,
    seed: Wide<512, Seed>,
    eth0: Wide<176, Eth0>,
    eth1: Wide<176, Eth1>,
    no_pcp1: Wide<176, NoPcp1>,
    no_pcp2: Wide<176, NoPcp2>,

    valid0: DFF<Bit>,
    template0: DFF<Bits<723>>,
    nak0: DFF<Bit>,
    cnp0: DFF<Bit>,
    syndrome0: DFF<Bits<8>>,
    psn0: DFF<Bits<24>>,
    msn0: DFF<Bits<24>>,
    header: Signal<Local, Bits<720>>,
    shape: Signal<Local, Bits<3>>,
    vlans: Signal<Local, Bits<2>>,
    ip_on: Signal<Local, Bits<720>>,
    news: Signal<Local, News>,
    valid1: DFF<Bit>,
    parts1: DFF<Parts>,
    news1: DFF<Bits<64>>,
    here: Signal<Local, Bits<512>>,
    dscp_high: Signal<Local, Bits<6>>,
    dscp4: Signal<Local, Bits<512>>,
    dscp6: Signal<Local, Bits<512>>,
    pcp1: Signal<Local, Bits<176>>,
    pcp2: Signal<Local, Bits<176>>,
    first: Signal<Local, Bits<16>>,
    first_class: Signal<Local, Bits<16>>,
    packet: Signal<Local, Bits<512>>,
    masked: Signal<Local, Bits<512>>,
    valid2: DFF<Bit>,
    parts2: DFF<Parts>,
    covered2: DFF<Bits<512>>,
    resum: Resum,
}

impl Logic for Seal {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, valid0, template0, nak0, cnp0, syndrome0, psn0, msn0);
        dff_setup!(self, clk, valid1, parts1, news1, valid2, parts2, covered2);
        self.valid0.d.next = self.fire.val();
        self.template0.d.next = self.template.val();
        self.nak0.d.next = self.nak.val();
        self.cnp0.d.next = self.cnp.val();
        self.syndrome0.d.next = self.syndrome.val();
        self.psn0.d.next = self.psn.val();
        self.msn0.d.next = self.msn.val();

        // the IP packet to the front, the Ethernet header beside it
        self.header.next = self.template0.q.val().get_bits::<720>(0);
        self.shape.next = bit_cast::<3, 723>(self.template0.q.val() >> self.shape_at.val());
        self.vlans.next = self.shape.val().get_bits::<2>(0);
        self.parts1.d.next.eth = self.header.val().get_bits::<176>(0);
        self.parts1.d.next.vlans = self.vlans.val();
        self.parts1.d.next.v6 = self.shape.val().get_bit(2);
        self.parts1.d.next.nak = self.nak0.q.val();
        self.parts1.d.next.cnp = self.cnp0.q.val();
        self.ip_on.next = self.header.val() >> self.skip2.val();
        if self.vlans.val() == 0 {
            self.ip_on.next = self.header.val() >> self.skip0.val();
            self.parts1.d.next.eth = self.header.val().get_bits::<176>(0) & self.eth0.val();
        } else if self.vlans.val() == 1 {
            self.ip_on.next = self.header.val() >> self.skip1.val();
            self.parts1.d.next.eth = self.header.val().get_bits::<176>(0) & self.eth1.val();
        }
        self.parts1.d.next.packet = self.ip_on.val().get_bits::<512>(0);
        // network order: the most significant byte comes first
        self.news.next.ack_req = 0.into();
        self.news.next.psn2 = self.psn0.q.val().get_bits::<8>(16);
        self.news.next.psn1 = self.psn0.q.val().get_bits::<8>(8);
        self.news.next.psn0 = self.psn0.q.val().get_bits::<8>(0);
        self.news.next.syndrome = self.syndrome0.q.val();
        self.news.next.msn2 = self.msn0.q.val().get_bits::<8>(16);
        self.news.next.msn1 = self.msn0.q.val().get_bits::<8>(8);
        self.news.next.msn0 = self.msn0.q.val().get_bits::<8>(0);
        self.news1.d.next = self.news.val().into();
        if self.cnp0.q.val() {
            self.news1.d.next = 0.into();
        }
        self.valid1.d.next = self.valid0.q.val();

        // the class of a notification
        self.here.next = self.parts1.q.val().packet;
        self.dscp4.next = bit_cast::<512, 6>(self.dscp.val()) << self.dscp_at4.val();
        self.dscp_high.next = self.dscp.val() >> 2;
        self.dscp6.next =
            bit_cast::<512, 6>(self.dscp_high.val()) | (bit_cast::<512, 2>(self.dscp.val().get_bits::<2>(0)) << 14);
        self.pcp1.next = bit_cast::<176, 3>(self.pcp.val()) << self.pcp_at1.val();
        self.pcp2.next = bit_cast::<176, 3>(self.pcp.val()) << self.pcp_at2.val();
        self.first.next = (bit_cast::<16, 8>(self.here.val().get_bits::<8>(0)) << 8)
            | bit_cast::<16, 8>(self.here.val().get_bits::<8>(8));
        self.first_class.next = (bit_cast::<16, 8>(self.here.val().get_bits::<8>(0)) << 8)
            | (bit_cast::<16, 6>(self.dscp.val()) << 2)
            | bit_cast::<16, 2>(self.here.val().get_bits::<2>(8));
        self.resum.clk.next = self.clk.val();
        self.resum.old_first.next = self.first.val();
        self.resum.new_first.next = self.first_class.val();
        self.resum.old_length.next = bit_cast::<16, 512>(self.here.val() >> self.length_at.val());
        self.resum.old_sum.next = bit_cast::<16, 512>(self.here.val() >> self.sum_at.val());

        // the news go in; what the ICRC covers, to the end of a beat
        self.packet.next =
            (self.here.val() & self.keep4.val()) | (bit_cast::<512, 64>(self.news1.q.val()) << self.news_at4.val());
        self.masked.next = 0.into();
        self.parts2.d.next = self.parts1.q.val();
        if self.parts1.q.val().v6 {
            self.packet.next =
                (self.here.val() & self.keep6.val()) | (bit_cast::<512, 64>(self.news1.q.val()) << self.news_at6.val());
            if self.parts1.q.val().cnp {
                self.packet.next = (self.here.val() & self.keep6_cnp.val()) | self.put6_cnp.val() | self.dscp6.val();
            }
            self.masked.next = (self.packet.val() | self.ones6.val()) ^ self.seed.val();
            self.covered2.d.next = self.masked.val();
        } else {
            if self.parts1.q.val().cnp {
                self.packet.next = (self.here.val() & self.keep4_cnp.val()) | self.put4_cnp.val() | self.dscp4.val();
            }
            self.masked.next = (self.packet.val() | self.ones4.val()) ^ self.seed.val();
            self.covered2.d.next = self.masked.val() << self.align4.val();
            if self.parts1.q.val().cnp {
                self.covered2.d.next = self.masked.val() << self.align4_cnp.val();
            }
        }
        self.parts2.d.next.packet = self.packet.val();
        if self.parts1.q.val().cnp & (self.parts1.q.val().vlans == 1) {
            self.parts2.d.next.eth = (self.parts1.q.val().eth & self.no_pcp1.val()) | self.pcp1.val();
        } else if self.parts1.q.val().cnp & (self.parts1.q.val().vlans == 2) {
            self.parts2.d.next.eth = (self.parts1.q.val().eth & self.no_pcp2.val()) | self.pcp1.val() | self.pcp2.val();
        }
        self.valid2.d.next = self.valid1.q.val();
        self.valid.next = self.valid2.q.val();
        self.parts.next = self.parts2.q.val();
        self.covered.next = self.covered2.q.val();
        self.sum.next = self.resum.new_sum.val();
        if self.rst.val() {
            self.valid0.d.next = false;
            self.valid1.d.next = false;
            self.valid2.d.next = false;
        }
    }
}
