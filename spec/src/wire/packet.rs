//! The reference parse of a whole Ethernet frame: what the gates' `parse` must say, bit for bit.

use super::{aeth, bth, budget, eth, icrc, ipv4, ipv6, opcode, reth, udp, vlan};
use crate::hash::FlowKey;

/// What a frame says. Flags are 0 or 1. The rule for each field, `len` being the frame's length in bytes:
///
/// * **Always** (when `len >= 14`, else 0): `vlans`, `vlan`, `l3_offset`. A tag counts when the EtherType before it is
///   0x8100 or 0x88A8, fewer than two tags are before it, and the frame holds it with the EtherType behind it
///   (`len >= 14 + 4 * vlans`). So the EtherType at `l3_offset - 2` is always in the frame; a third tag is not looked
///   through.
/// * **When `ip`**, else 0: `v6`, `src_ip`, `dst_ip`. `ip` says: EtherType 0x0800, version 4 and
///   `len >= l3_offset + 20`, or EtherType 0x86DD, version 6 and `len >= l3_offset + 40`; whatever the header length,
///   protocol or fragment field.
/// * **When `roce`**, else 0: everything from `ip_len` to `payload`. `roce` says all of:
///   `ip`; for IPv4 header length 5 words, no fragment (`flags_frag & 0x3fff == 0`), protocol 17; for IPv6 next header
///   17; UDP destination port 4791; UDP length = IP packet length - IP header; the IP packet ends within the frame
///   (`l3_offset + ip_len <= len`: Ethernet padding behind it is allowed) and is shorter than 2^16 bytes; and it holds IP header + 8 UDP + 12 BTH
///   + `ext_header_bytes(opcode)` (0 unless RC) + 4 ICRC. Neither ICRC nor IPv4 checksum is judged here.
/// * `budget`: untagged, EtherType 0x88B5 and the magic at byte 14 (`len >= 18`).
/// * `mac_control`: untagged, EtherType 0x8808.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Meta {
    /// A complete RoCEv2 packet.
    pub roce: bool,
    /// A budget frame.
    pub budget: bool,
    /// A frame of MAC control: PAUSE, PFC.
    pub mac_control: bool,
    /// Has an IP header whose addresses can be routed.
    pub ip: bool,
    /// IPv6, not IPv4.
    pub v6: bool,
    /// VLAN tags, 0 to 2.
    pub vlans: u8,
    /// 24 bits: outer VID << 12 | inner VID with two tags; the VID in the low 12 bits with one; 0 with none.
    pub vlan: u32,
    /// First byte behind EtherType and tags: 14, 18 or 22.
    pub l3_offset: u8,
    /// Source address; IPv4 in the low 32 bits.
    pub src_ip: u128,
    /// Destination address; IPv4 in the low 32 bits.
    pub dst_ip: u128,
    /// Length of the IP packet, header included, bytes.
    pub ip_len: u16,
    /// The IPv4 header checksum is right; always for IPv6.
    pub ip_ok: bool,
    /// BTH opcode.
    pub opcode: u8,
    /// BTH destination queue pair.
    pub dest_qpn: u32,
    /// BTH packet sequence number.
    pub psn: u32,
    /// BTH acknowledgement request.
    pub ack_req: bool,
    /// BTH migration state.
    pub mig_req: bool,
    /// BTH backward congestion notification.
    pub becn: bool,
    /// BTH padding behind the payload, bytes, 0 to 3.
    pub pad_count: u8,
    /// BTH partition key.
    pub pkey: u16,
    /// RETH DMA length, bytes: opcodes 0x06, 0x0a, 0x0b, 0x0c; else 0.
    pub reth_len: u32,
    /// AETH syndrome: opcodes 0x0d, 0x0f, 0x10, 0x11, 0x12; else 0.
    pub syndrome: u8,
    /// AETH message sequence number: the same opcodes; else 0.
    pub msn: u32,
    /// Payload of an RC packet, bytes: `ip_len` - IP header - 8 - 12 - extension headers - 4 - `pad_count`, 0 when that
    /// is negative; 0 for other transports.
    pub payload: u16,
}

impl Meta {
    /// Length of the IP header, bytes: 20 or 40.
    pub const fn ip_header_bytes(&self) -> usize {
        if self.v6 {
            ipv6::BYTES
        } else {
            ipv4::BYTES
        }
    }

    /// First byte of the UDP header; of use when `roce`.
    pub const fn udp_offset(&self) -> usize {
        self.l3_offset as usize + self.ip_header_bytes()
    }

    /// First byte of the BTH; of use when `roce`.
    pub const fn bth_offset(&self) -> usize {
        self.udp_offset() + udp::BYTES
    }

    /// The key of the flow this packet belongs to; of use when `roce`.
    pub const fn flow_key(&self) -> FlowKey {
        FlowKey { v6: self.v6 as u8, vlan: self.vlan, src: self.src_ip, dst: self.dst_ip, qpn: self.dest_qpn }
    }
}

/// Whether a RoCEv2 frame carries the right ICRC; false when `meta` says it is none.
pub fn icrc_ok(frame: &[u8], meta: &Meta) -> bool {
    meta.roce && icrc::ok(frame, meta.l3_offset as usize, meta.ip_len as usize)
}

/// What `frame` says: see [`Meta`] for the rule of every field.
pub fn parse_frame(frame: &[u8]) -> Meta {
    let mut meta = Meta::default();
    if frame.len() < eth::BYTES {
        return meta;
    }
    let mut ethertype = eth::ETHERTYPE.get(frame) as u16;
    let mut at = eth::BYTES;
    while vlan::is_tpid(ethertype) && usize::from(meta.vlans) < vlan::MAX_TAGS && frame.len() >= at + vlan::BYTES {
        meta.vlan = meta.vlan << 12 | vlan::VID.get(&frame[at..]) as u32;
        ethertype = vlan::ETHERTYPE.get(&frame[at..]) as u16;
        at += vlan::BYTES;
        meta.vlans += 1;
    }
    meta.l3_offset = at as u8;
    meta.budget = budget::is_budget(frame);
    meta.mac_control = meta.vlans == 0 && ethertype == eth::TYPE_MAC_CONTROL;
    let l3 = &frame[at..];
    meta.ip = match ethertype {
        eth::TYPE_IPV4 => l3.len() >= ipv4::BYTES && l3[0] >> 4 == ipv4::VERSION_4,
        eth::TYPE_IPV6 => l3.len() >= ipv6::BYTES && l3[0] >> 4 == ipv6::VERSION_6,
        _ => false,
    };
    if !meta.ip {
        return meta;
    }
    meta.v6 = ethertype == eth::TYPE_IPV6;
    let (ip_len, udp_follows, ip_ok);
    if meta.v6 {
        meta.src_ip = ipv6::SRC.get(l3);
        meta.dst_ip = ipv6::DST.get(l3);
        ip_len = ipv6::BYTES + ipv6::PAYLOAD_LENGTH.get(l3) as usize;
        udp_follows = l3[ipv6::NEXT_HEADER.first_byte()] == ipv6::NEXT_UDP;
        ip_ok = true;
    } else {
        meta.src_ip = ipv4::SRC.get(l3);
        meta.dst_ip = ipv4::DST.get(l3);
        ip_len = ipv4::TOTAL_LENGTH.get(l3) as usize;
        udp_follows = l3[0] & 15 == ipv4::IHL_NO_OPTIONS
            && ipv4::FLAGS_FRAG.get(l3) as u16 & ipv4::FRAGMENT_MASK == 0
            && l3[ipv4::PROTOCOL.first_byte()] == ipv4::PROTO_UDP;
        ip_ok = ipv4::checksum_ok(l3);
    }
    let header = meta.ip_header_bytes();
    if !udp_follows || ip_len > l3.len() || ip_len > u16::MAX as usize {
        return meta;
    }
    let least = header + udp::BYTES + bth::BYTES + icrc::BYTES;
    if ip_len < least {
        return meta;
    }
    let udp_header = &l3[header..];
    let to_roce = udp::DST_PORT.get(udp_header) as u16 == udp::PORT_ROCE;
    if !to_roce || udp::LENGTH.get(udp_header) as usize != ip_len - header {
        return meta;
    }
    let bth_header = &udp_header[udp::BYTES..];
    let op = bth_header[bth::OPCODE.first_byte()];
    let extension = opcode::ext_header_bytes(op);
    if ip_len < least + extension {
        return meta;
    }
    meta.roce = true;
    meta.ip_len = ip_len as u16;
    meta.ip_ok = ip_ok;
    meta.opcode = op;
    meta.dest_qpn = bth::DEST_QP.get(bth_header) as u32;
    meta.psn = bth::PSN.get(bth_header) as u32;
    meta.ack_req = bth::ACK_REQ.get(bth_header) == 1;
    meta.mig_req = bth::MIG_REQ.get(bth_header) == 1;
    meta.becn = bth::BECN.get(bth_header) == 1;
    meta.pad_count = bth::PAD_COUNT.get(bth_header) as u8;
    meta.pkey = bth::PKEY.get(bth_header) as u16;
    let ext_header = &bth_header[bth::BYTES..];
    if opcode::has_reth(op) {
        meta.reth_len = reth::DMA_LENGTH.get(ext_header) as u32;
    }
    if opcode::has_aeth(op) {
        meta.syndrome = aeth::SYNDROME.get(ext_header) as u8;
        meta.msn = aeth::MSN.get(ext_header) as u32;
    }
    if opcode::transport(op) == opcode::TRANSPORT_RC {
        meta.payload = (ip_len - least - extension).saturating_sub(meta.pad_count as usize) as u16;
    }
    meta
}

#[cfg(test)]
pub(crate) mod samples {
    //! Captured frames (sources: tests/vectors/SOURCES.md).

    /// write-16k-mtu1024.pcap 17: ACK.
    pub const ACK_V4: [u8; 62] = [
        0x52, 0x54, 0, 0, 0, 0x0a, 0x52, 0x54, 0, 0, 0, 0x0b, 0x08, 0x00, 0x45, 0, 0, 0x30, 0xba, 0x1e, 0x40, 0, 0x40,
        0x11, 0x6c, 0x8a, 10, 9, 0, 2, 10, 9, 0, 1, 0xc1, 0x69, 0x12, 0xb7, 0, 0x1c, 0, 0, 0x11, 0, 0xff, 0xff, 0, 0,
        0, 0x13, 0, 0x64, 0xc0, 0x4d, 0x1f, 0, 0, 0x01, 0xd6, 0xc9, 0x2c, 0x2d,
    ];
    /// vlan100-pcp3-read.pcap 1: READ request of 8192 bytes.
    pub const READ_VLAN: [u8; 78] = [
        0x52, 0x54, 0, 0, 0, 0x0b, 0x52, 0x54, 0, 0, 0, 0x0a, 0x81, 0x00, 0x60, 0x64, 0x08, 0x00, 0x45, 0, 0, 0x3c,
        0x54, 0x69, 0x40, 0, 0x40, 0x11, 0x0a, 0x33, 10, 9, 100, 1, 10, 9, 100, 2, 0xc1, 0xb9, 0x12, 0xb7, 0, 0x28, 0,
        0, 0x0c, 0, 0xff, 0xff, 0, 0, 0, 0x15, 0x80, 0x73, 0xb0, 0xc6, 0, 0, 0x56, 0x01, 0x24, 0x94, 0x30, 0, 0, 0,
        0x06, 0x69, 0, 0, 0x20, 0, 0xed, 0x97, 0xbc, 0x6c,
    ];
    /// ipv6-write.pcap 5: ACK.
    pub const ACK_V6: [u8; 82] = [
        0x52, 0x54, 0, 0, 0, 0x0a, 0x52, 0x54, 0, 0, 0, 0x0b, 0x86, 0xdd, 0x60, 0, 0, 0, 0, 0x1c, 0x11, 0x40, 0x20,
        0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        1, 0xc1, 0x44, 0x12, 0xb7, 0, 0x1c, 0, 0, 0x11, 0, 0xff, 0xff, 0, 0, 0, 0x12, 0, 0x4a, 0x58, 0xc5, 0x1f, 0, 0,
        1, 0x15, 0x87, 0x11, 0x07,
    ];
    /// cnp.pcap 4: CNP.
    pub const CNP_V4: [u8; 74] = [
        0x02, 0, 0x5e, 0x10, 0, 1, 0x02, 0, 0x5e, 0x10, 0, 2, 0x08, 0x00, 0x45, 0xc0, 0, 0x3c, 0, 0, 0x40, 0, 0x40,
        0x11, 0x4d, 0x9f, 198, 51, 100, 20, 192, 0, 2, 10, 0xc1, 0x23, 0x12, 0xb7, 0, 0x28, 0, 0, 0x81, 0x40, 0xff,
        0xff, 0x40, 0, 0x0a, 0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x6f, 0x45, 0x1a, 0x73,
    ];
}
