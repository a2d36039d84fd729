//! A template becomes a packet: PSN and AETH go in, and a masked copy is laid out for the CRC.
//!
//! In: `fire`, `template` (the first 90 raw bytes of a real ACK, its number of tags, IPv6), what to say.
//! Out three cycles later: `valid`, `parts`, `covered`.
//!
//! The ICRC covers 44 bytes of IPv4 or 64 of IPv6. Laid to the end of one beat with zeros in front, they are one step
//! of a CRC from state zero: zeros do not change a zero state, and the state of the eight bytes of ones that the ICRC
//! begins with is added to the first four bytes.

use crate::prim::Lit;
use matchrdma_spec::params::BEAT_BYTES;
use matchrdma_spec::wire::{aeth, bth, eth, icrc, ipv4, ipv6, udp, vlan};
use rust_hdl::prelude::*;

/// Bits of an Ethernet header without tags, and of one tag.
pub const ETH_BITS: u64 = 8 * eth::BYTES as u64;
pub const TAG_BITS: u64 = 8 * vlan::BYTES as u64;
/// Bytes from the IP header to the end of the AETH.
pub const V4_BYTES: usize = ipv4::BYTES + udp::BYTES + bth::BYTES + aeth::BYTES;
pub const V6_BYTES: usize = ipv6::BYTES + udp::BYTES + bth::BYTES + aeth::BYTES;
/// What changes: from the byte with AckReq to the end of the AETH.
const NEWS_BYTES: usize = bth::BYTES - bth::ACK_REQ.first_byte() + aeth::BYTES;

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
}

/// Three cycles, one frame per cycle.
#[derive(LogicBlock)]
pub struct Seal {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub fire: Signal<In, Bit>,
    pub template: Signal<In, Bits<723>>,
    pub nak: Signal<In, Bit>,
    pub psn: Signal<In, Bits<24>>,
    pub msn: Signal<In, Bits<24>>,
    pub valid: Signal<Out, Bit>,
    pub parts: Signal<Out, Parts>,
    pub covered: Signal<Out, Bits<512>>,

    skip0: Lit<10, ETH_BITS>,
    skip1: Lit<10, { ETH_BITS + TAG_BITS }>,
    skip2: Lit<10, { ETH_BITS + 2 * TAG_BITS }>,
    shape_at: Lit<10, 720>,
    news_at4: Lit<10, { 8 * (V4_BYTES - NEWS_BYTES) as u64 }>,
    news_at6: Lit<10, { 8 * (V6_BYTES - NEWS_BYTES) as u64 }>,
    align4: Lit<10, { 8 * (BEAT_BYTES - V4_BYTES) as u64 }>,
    syndrome_ack: Lit<8, { aeth::ACK as u64 }>,
    syndrome_nak: Lit<8, { aeth::NAK_PSN_SEQUENCE as u64 }>,
    /// The bytes that stay the template's.
    keep4: Constant<Bits<512>>,
    keep6: Constant<Bits<512>>,
    /// The bits that the ICRC takes as ones.
    ones4: Constant<Bits<512>>,
    ones6: Constant<Bits<512>>,
    /// The state of the CRC after the eight bytes of ones.
    seed: Constant<Bits<512>>,
    /// The Ethernet header without tags, and with one.
    eth0: Constant<Bits<176>>,
    eth1: Constant<Bits<176>>,

    valid0: DFF<Bit>,
    template0: DFF<Bits<723>>,
    nak0: DFF<Bit>,
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
    packet: Signal<Local, Bits<512>>,
    masked: Signal<Local, Bits<512>>,
    valid2: DFF<Bit>,
    parts2: DFF<Parts>,
    covered2: DFF<Bits<512>>,
}

/// A beat of bytes as bits, zero behind.
fn beat(bytes: &[u8]) -> Bits<512> {
    let bit = |i: usize| bytes.get(i / 8).is_some_and(|byte| byte >> (i % 8) & 1 == 1);
    (0..8 * BEAT_BYTES).fold(Bits::default(), |all: Bits<512>, i| all.replace_bit(i, bit(i)))
}

/// Ones where the ICRC takes ones.
fn ones(ip_bytes: usize, masked: &[usize]) -> [u8; BEAT_BYTES] {
    let mut ones = [0; BEAT_BYTES];
    let checksum = ip_bytes + udp::CHECKSUM.first_byte();
    for at in masked.iter().copied().chain([checksum, checksum + 1, ip_bytes + udp::BYTES + bth::MASKED_BYTE]) {
        ones[at] = 0xff;
    }
    ones
}

impl Default for Seal {
    fn default() -> Self {
        let low = |bits: u64| (0..bits as usize).fold(Bits::<176>::default(), |all, i| all.replace_bit(i, true));
        let keep = |bytes: usize| beat(&vec![0xff; bytes - NEWS_BYTES]);
        let mut ones6 = ones(ipv6::BYTES, &icrc::MASKED_V6);
        ones6[0] = ipv6::VERSION.max() as u8; // the version, in the high half, stays
        Self {
            clk: Default::default(),
            rst: Default::default(),
            fire: Default::default(),
            template: Default::default(),
            nak: Default::default(),
            psn: Default::default(),
            msn: Default::default(),
            valid: Default::default(),
            parts: Default::default(),
            covered: Default::default(),
            skip0: Default::default(),
            skip1: Default::default(),
            skip2: Default::default(),
            shape_at: Default::default(),
            news_at4: Default::default(),
            news_at6: Default::default(),
            align4: Default::default(),
            syndrome_ack: Default::default(),
            syndrome_nak: Default::default(),
            keep4: Constant::new(keep(V4_BYTES)),
            keep6: Constant::new(keep(V6_BYTES)),
            ones4: Constant::new(beat(&ones(ipv4::BYTES, &icrc::MASKED_V4))),
            ones6: Constant::new(beat(&ones6)),
            seed: Constant::new(beat(&icrc::SEED.to_le_bytes())),
            eth0: Constant::new(low(ETH_BITS)),
            eth1: Constant::new(low(ETH_BITS + TAG_BITS)),
            valid0: Default::default(),
            template0: Default::default(),
            nak0: Default::default(),
            psn0: Default::default(),
            msn0: Default::default(),
            header: Default::default(),
            shape: Default::default(),
            vlans: Default::default(),
            ip_on: Default::default(),
            news: Default::default(),
            valid1: Default::default(),
            parts1: Default::default(),
            news1: Default::default(),
            packet: Default::default(),
            masked: Default::default(),
            valid2: Default::default(),
            parts2: Default::default(),
            covered2: Default::default(),
        }
    }
}

impl Logic for Seal {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, valid0, template0, nak0, psn0, msn0);
        dff_setup!(self, clk, valid1, parts1, news1, valid2, parts2, covered2);
        self.valid0.d.next = self.fire.val();
        self.template0.d.next = self.template.val();
        self.nak0.d.next = self.nak.val();
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
        self.news.next.syndrome = self.syndrome_ack.val();
        if self.nak0.q.val() {
            self.news.next.syndrome = self.syndrome_nak.val();
        }
        self.news.next.msn2 = self.msn0.q.val().get_bits::<8>(16);
        self.news.next.msn1 = self.msn0.q.val().get_bits::<8>(8);
        self.news.next.msn0 = self.msn0.q.val().get_bits::<8>(0);
        self.news1.d.next = self.news.val().into();
        self.valid1.d.next = self.valid0.q.val();

        // the news go in; what the ICRC covers, to the end of a beat
        if self.parts1.q.val().v6 {
            self.packet.next = (self.parts1.q.val().packet & self.keep6.val())
                | (bit_cast::<512, 64>(self.news1.q.val()) << self.news_at6.val());
            self.masked.next = (self.packet.val() | self.ones6.val()) ^ self.seed.val();
            self.covered2.d.next = self.masked.val();
        } else {
            self.packet.next = (self.parts1.q.val().packet & self.keep4.val())
                | (bit_cast::<512, 64>(self.news1.q.val()) << self.news_at4.val());
            self.masked.next = (self.packet.val() | self.ones4.val()) ^ self.seed.val();
            self.covered2.d.next = self.masked.val() << self.align4.val();
        }
        self.parts2.d.next = self.parts1.q.val();
        self.parts2.d.next.packet = self.packet.val();
        self.valid2.d.next = self.valid1.q.val();
        self.valid.next = self.valid2.q.val();
        self.parts.next = self.parts2.q.val();
        self.covered.next = self.covered2.q.val();
        if self.rst.val() {
            self.valid0.d.next = false;
            self.valid1.d.next = false;
            self.valid2.d.next = false;
        }
    }
}
