//! Part of [parse](super): the fields of IP, UDP, BTH, RETH and AETH, and what they say of one another.
//!
//! In: what follows the tags, in network order, at cycle 4. Out: `meta` at cycle 8, taken over when `load7`.

use super::align::{Shape, L3_BYTES};
use super::operation::Operation;
use crate::prim::Lit;
use crate::record::Meta;
use matchrdma_spec::field::Field;
use matchrdma_spec::wire::{aeth, bth, ipv4, ipv6, reth, udp};
use rust_hdl::prelude::*;

/// From UDP to the end of a RETH.
const L4_BYTES: usize = udp::BYTES + bth::BYTES + reth::BYTES;
/// Where the BTH begins in it, and the header behind the BTH.
const BTH: usize = udp::BYTES;
const EXT: usize = udp::BYTES + bth::BYTES;

/// Where a field of an IP header lies in `l3`.
const fn ip(field: Field) -> u64 {
    field.network_lsb(8 * L3_BYTES) as u64
}

/// Where a field lies in `l4`, its header beginning at byte `header`.
const fn l4(header: usize, field: Field) -> u64 {
    field.network_lsb(8 * (L4_BYTES - header)) as u64
}

/// Where 16-bit word `word` of an IPv4 header lies in `l3`.
const fn word(word: usize) -> u64 {
    (8 * L3_BYTES - 16 * (word + 1)) as u64
}

/// Where what follows an IP header of `header` bytes lies in `l3`.
const fn behind(header: usize) -> u64 {
    (8 * (L3_BYTES - header - L4_BYTES)) as u64
}

/// What is read early and used late.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Carry {
    /// IPv6.
    pub v6: Bit,
    /// UDP follows directly: no options, no fragment, no extension header.
    pub plain: Bit,
    /// A budget frame.
    pub budget: Bit,
    /// A frame of MAC control.
    pub mac_control: Bit,
    /// Has addresses.
    pub ip: Bit,
    /// Tags.
    pub vlans: Bits<2>,
    /// Their VIDs.
    pub vlan: Bits<24>,
    /// Source address.
    pub src: Bits<128>,
    /// Destination address.
    pub dst: Bits<128>,
    /// What follows the IP header.
    pub l4: Bits<288>,
}

/// Registers are numbered by the cycle they are seen in.
#[derive(LogicBlock, Default)]
pub struct Extract {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub l3: Signal<In, Bits<608>>,
    pub shape4: Signal<In, Shape>,
    pub load7: Signal<In, Bit>,
    pub meta: Signal<Out, Meta>,
    operation: Operation,
    fragment: Signal<Local, Bits<16>>,
    carry5: DFF<Carry>,
    carry6: DFF<Carry>,
    carry7: DFF<Carry>,
    length5: DFF<Bits<17>>,
    sum5a: DFF<Bits<20>>,
    sum5b: DFF<Bits<20>>,
    sum5c: DFF<Bits<20>>,
    sum5d: DFF<Bits<20>>,
    l4_5: Signal<Local, Bits<288>>,
    header5: Signal<Local, Bits<17>>,
    udp_length5: Signal<Local, Bits<16>>,
    ip_bytes6: DFF<Bits<17>>,
    ip_want6: DFF<Bits<17>>,
    udp_length6: DFF<Bits<16>>,
    least6: DFF<Bits<16>>,
    to_roce6: DFF<Bit>,
    rc6: DFF<Bit>,
    has_reth6: DFF<Bit>,
    has_aeth6: DFF<Bit>,
    sum6: DFF<Bits<20>>,
    roce7: DFF<Bit>,
    ip_bytes7: DFF<Bits<16>>,
    room7: DFF<Bits<16>>,
    rc7: DFF<Bit>,
    has_reth7: DFF<Bit>,
    has_aeth7: DFF<Bit>,
    folded7: DFF<Bits<17>>,
    l4_7: Signal<Local, Bits<288>>,
    pad: Signal<Local, Bits<16>>,
    left: Signal<Local, Bits<16>>,
    read: Signal<Local, Meta>,
    out: DFF<Meta>,
    // IP, in `l3`.
    src4_at: Lit<16, { ip(ipv4::SRC) }>,
    dst4_at: Lit<16, { ip(ipv4::DST) }>,
    src6_at: Lit<16, { ip(ipv6::SRC) }>,
    dst6_at: Lit<16, { ip(ipv6::DST) }>,
    length4_at: Lit<16, { ip(ipv4::TOTAL_LENGTH) }>,
    length6_at: Lit<16, { ip(ipv6::PAYLOAD_LENGTH) }>,
    ihl_at: Lit<16, { ip(ipv4::IHL) }>,
    fragment_at: Lit<16, { ip(ipv4::FLAGS_FRAG) }>,
    protocol_at: Lit<16, { ip(ipv4::PROTOCOL) }>,
    next_header_at: Lit<16, { ip(ipv6::NEXT_HEADER) }>,
    l4_at4: Lit<16, { behind(ipv4::BYTES) }>,
    l4_at6: Lit<16, { behind(ipv6::BYTES) }>,
    word0: Lit<16, { word(0) }>,
    word1: Lit<16, { word(1) }>,
    word2: Lit<16, { word(2) }>,
    word3: Lit<16, { word(3) }>,
    word4: Lit<16, { word(4) }>,
    word5: Lit<16, { word(5) }>,
    word6: Lit<16, { word(6) }>,
    word7: Lit<16, { word(7) }>,
    word8: Lit<16, { word(8) }>,
    word9: Lit<16, { word(9) }>,
    // The rest, in `l4`.
    port_at: Lit<16, { l4(0, udp::DST_PORT) }>,
    udp_length_at: Lit<16, { l4(0, udp::LENGTH) }>,
    opcode_at: Lit<16, { l4(BTH, bth::OPCODE) }>,
    mig_req_at: Lit<16, { l4(BTH, bth::MIG_REQ) }>,
    pad_at: Lit<16, { l4(BTH, bth::PAD_COUNT) }>,
    becn_at: Lit<16, { l4(BTH, bth::BECN) }>,
    dest_qp_at: Lit<16, { l4(BTH, bth::DEST_QP) }>,
    ack_req_at: Lit<16, { l4(BTH, bth::ACK_REQ) }>,
    psn_at: Lit<16, { l4(BTH, bth::PSN) }>,
    dma_length_at: Lit<16, { l4(EXT, reth::DMA_LENGTH) }>,
    syndrome_at: Lit<16, { l4(EXT, aeth::SYNDROME) }>,
    msn_at: Lit<16, { l4(EXT, aeth::MSN) }>,
    // What the fields must be.
    no_options: Lit<4, { ipv4::IHL_NO_OPTIONS as u64 }>,
    fragment_mask: Lit<16, { ipv4::FRAGMENT_MASK as u64 }>,
    proto_udp: Lit<8, { ipv4::PROTO_UDP as u64 }>,
    next_udp: Lit<8, { ipv6::NEXT_UDP as u64 }>,
    port_roce: Lit<16, { udp::PORT_ROCE as u64 }>,
    header4: Lit<17, { ipv4::BYTES as u64 }>,
    header6: Lit<17, { ipv6::BYTES as u64 }>,
}

impl Logic for Extract {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, carry5, carry6, carry7, length5, sum5a, sum5b, sum5c, sum5d, ip_bytes6, ip_want6);
        dff_setup!(self, clk, udp_length6, least6, to_roce6, rc6, has_reth6, has_aeth6, sum6, roce7, ip_bytes7, room7);
        dff_setup!(self, clk, rc7, has_reth7, has_aeth7, folded7, out);

        // Cycle 4: the IP header, and what follows it.
        self.fragment.next = self.l3.val().get_bits::<16>(self.fragment_at.val().index()) & self.fragment_mask.val();
        self.carry5.d.next.v6 = self.shape4.val().v6;
        self.carry5.d.next.budget = self.shape4.val().budget;
        self.carry5.d.next.mac_control = self.shape4.val().mac_control;
        self.carry5.d.next.ip = self.shape4.val().v4 | self.shape4.val().v6;
        self.carry5.d.next.vlans = self.shape4.val().vlans;
        self.carry5.d.next.vlan = self.shape4.val().vlan;
        self.carry5.d.next.plain = false;
        self.carry5.d.next.src = 0.into();
        self.carry5.d.next.dst = 0.into();
        self.carry5.d.next.l4 = self.l3.val().get_bits::<288>(self.l4_at4.val().index());
        self.length5.d.next = bit_cast::<17, 16>(self.l3.val().get_bits::<16>(self.length4_at.val().index()));
        if self.shape4.val().v4 {
            self.carry5.d.next.plain = (self.l3.val().get_bits::<4>(self.ihl_at.val().index())
                == self.no_options.val())
                & !self.fragment.val().any()
                & (self.l3.val().get_bits::<8>(self.protocol_at.val().index()) == self.proto_udp.val());
            self.carry5.d.next.src = bit_cast::<128, 32>(self.l3.val().get_bits::<32>(self.src4_at.val().index()));
            self.carry5.d.next.dst = bit_cast::<128, 32>(self.l3.val().get_bits::<32>(self.dst4_at.val().index()));
        }
        if self.shape4.val().v6 {
            self.carry5.d.next.plain =
                self.l3.val().get_bits::<8>(self.next_header_at.val().index()) == self.next_udp.val();
            self.carry5.d.next.src = self.l3.val().get_bits::<128>(self.src6_at.val().index());
            self.carry5.d.next.dst = self.l3.val().get_bits::<128>(self.dst6_at.val().index());
            self.carry5.d.next.l4 = self.l3.val().get_bits::<288>(self.l4_at6.val().index());
            self.length5.d.next = bit_cast::<17, 16>(self.l3.val().get_bits::<16>(self.length6_at.val().index()));
        }
        self.sum5a.d.next = bit_cast::<20, 16>(self.l3.val().get_bits::<16>(self.word0.val().index()))
            + bit_cast::<20, 16>(self.l3.val().get_bits::<16>(self.word1.val().index()))
            + bit_cast::<20, 16>(self.l3.val().get_bits::<16>(self.word2.val().index()));
        self.sum5b.d.next = bit_cast::<20, 16>(self.l3.val().get_bits::<16>(self.word3.val().index()))
            + bit_cast::<20, 16>(self.l3.val().get_bits::<16>(self.word4.val().index()))
            + bit_cast::<20, 16>(self.l3.val().get_bits::<16>(self.word5.val().index()));
        self.sum5c.d.next = bit_cast::<20, 16>(self.l3.val().get_bits::<16>(self.word6.val().index()))
            + bit_cast::<20, 16>(self.l3.val().get_bits::<16>(self.word7.val().index()));
        self.sum5d.d.next = bit_cast::<20, 16>(self.l3.val().get_bits::<16>(self.word8.val().index()))
            + bit_cast::<20, 16>(self.l3.val().get_bits::<16>(self.word9.val().index()));

        // Cycle 5: the two lengths as both headers have them; what the opcode asks for.
        self.carry6.d.next = self.carry5.q.val();
        self.l4_5.next = self.carry5.q.val().l4;
        self.header5.next = self.header4.val();
        self.ip_bytes6.d.next = self.length5.q.val();
        if self.carry5.q.val().v6 {
            self.header5.next = self.header6.val();
            self.ip_bytes6.d.next = self.length5.q.val() + self.header6.val();
        }
        self.udp_length5.next = self.l4_5.val().get_bits::<16>(self.udp_length_at.val().index());
        self.udp_length6.d.next = self.udp_length5.val();
        self.ip_want6.d.next = self.header5.val() + bit_cast::<17, 16>(self.udp_length5.val());
        self.to_roce6.d.next = self.l4_5.val().get_bits::<16>(self.port_at.val().index()) == self.port_roce.val();
        self.operation.opcode.next = self.l4_5.val().get_bits::<8>(self.opcode_at.val().index());
        self.least6.d.next = self.operation.least.val();
        self.rc6.d.next = self.operation.rc.val();
        self.has_reth6.d.next = self.operation.has_reth.val();
        self.has_aeth6.d.next = self.operation.has_aeth.val();
        self.sum6.d.next = self.sum5a.q.val() + self.sum5b.q.val() + self.sum5c.q.val() + self.sum5d.q.val();

        // Cycle 6: is it RoCEv2, as far as the headers tell? IP lengths above 65535 are no packets of ours.
        self.carry7.d.next = self.carry6.q.val();
        self.roce7.d.next = self.carry6.q.val().plain
            & self.to_roce6.q.val()
            & (self.ip_bytes6.q.val() == self.ip_want6.q.val())
            & !self.ip_bytes6.q.val().get_bit(16)
            & (self.udp_length6.q.val() >= self.least6.q.val());
        self.ip_bytes7.d.next = self.ip_bytes6.q.val().get_bits::<16>(0);
        self.room7.d.next = self.udp_length6.q.val() - self.least6.q.val();
        self.rc7.d.next = self.rc6.q.val();
        self.has_reth7.d.next = self.has_reth6.q.val();
        self.has_aeth7.d.next = self.has_aeth6.q.val();
        self.folded7.d.next = bit_cast::<17, 16>(self.sum6.q.val().get_bits::<16>(0))
            + bit_cast::<17, 4>(self.sum6.q.val().get_bits::<4>(16));

        // Cycle 7: all of it, into the record.
        self.l4_7.next = self.carry7.q.val().l4;
        self.pad.next = bit_cast::<16, 2>(self.l4_7.val().get_bits::<2>(self.pad_at.val().index()));
        self.left.next = self.room7.q.val() - self.pad.val();
        self.read.next.hdr_roce = self.roce7.q.val();
        self.read.next.v6 = self.carry7.q.val().v6;
        self.read.next.vlans = self.carry7.q.val().vlans;
        self.read.next.budget = self.carry7.q.val().budget;
        self.read.next.mac_control = self.carry7.q.val().mac_control;
        self.read.next.ip = self.carry7.q.val().ip;
        self.read.next.vlan = self.carry7.q.val().vlan;
        self.read.next.src_ip = self.carry7.q.val().src;
        self.read.next.dst_ip = self.carry7.q.val().dst;
        self.read.next.ip_ok = false;
        self.read.next.ack_req = false;
        self.read.next.mig_req = false;
        self.read.next.becn = false;
        self.read.next.opcode = 0.into();
        self.read.next.ip_len = 0.into();
        self.read.next.payload = 0.into();
        self.read.next.dest_qpn = 0.into();
        self.read.next.psn = 0.into();
        self.read.next.msn = 0.into();
        self.read.next.syndrome = 0.into();
        self.read.next.reth_len = 0.into();
        if self.roce7.q.val() {
            // The ones' complement sum is all ones, folded once or twice.
            self.read.next.ip_ok =
                self.carry7.q.val().v6 | (self.folded7.q.val() == 65_535) | (self.folded7.q.val() == 131_070);
            self.read.next.ack_req = self.l4_7.val().get_bit(self.ack_req_at.val().index());
            self.read.next.mig_req = self.l4_7.val().get_bit(self.mig_req_at.val().index());
            self.read.next.becn = self.l4_7.val().get_bit(self.becn_at.val().index());
            self.read.next.opcode = self.l4_7.val().get_bits::<8>(self.opcode_at.val().index());
            self.read.next.ip_len = self.ip_bytes7.q.val();
            self.read.next.dest_qpn = self.l4_7.val().get_bits::<24>(self.dest_qp_at.val().index());
            self.read.next.psn = self.l4_7.val().get_bits::<24>(self.psn_at.val().index());
            if self.rc7.q.val() & (self.room7.q.val() >= self.pad.val()) {
                self.read.next.payload = self.left.val();
            }
            if self.has_reth7.q.val() {
                self.read.next.reth_len = self.l4_7.val().get_bits::<32>(self.dma_length_at.val().index());
            }
            if self.has_aeth7.q.val() {
                self.read.next.syndrome = self.l4_7.val().get_bits::<8>(self.syndrome_at.val().index());
                self.read.next.msn = self.l4_7.val().get_bits::<24>(self.msn_at.val().index());
            }
        }
        if self.load7.val() {
            self.out.d.next = self.read.val();
        }
        self.meta.next = self.out.q.val();

        // What only waits is cleared by the reset, lest synthesis make shift registers of lookup tables of it.
        if self.rst.val() {
            self.carry6.d.next.src = 0.into();
            self.carry6.d.next.dst = 0.into();
            self.carry6.d.next.vlan = 0.into();
            self.carry6.d.next.l4 = 0.into();
        }
    }
}
