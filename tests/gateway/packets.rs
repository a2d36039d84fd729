//! RoCE frames of every shape, byte by byte: IPv4 or IPv6, no, one or two tags, any opcode.

use crate::harness::Random;
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::wire::icrc;

/// One direction of a connection: what the headers in front of the BTH say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    pub v6: bool,
    /// Outer first, at most two.
    pub vids: Vec<u16>,
    pub src: u128,
    pub dst: u128,
    pub src_mac: u8,
    pub dst_mac: u8,
}

impl Way {
    /// The other direction.
    pub fn back(&self) -> Way {
        let Way { v6, vids, src, dst, src_mac, dst_mac } = self.clone();
        Way { v6, vids, src: dst, dst: src, src_mac: dst_mac, dst_mac: src_mac }
    }

    /// Key of the frames that go this way to a queue pair.
    pub fn key(&self, qpn: u32) -> FlowKey {
        let vlan = self.vids.iter().fold(0, |v, vid| v << 12 | u32::from(*vid));
        FlowKey { v6: self.v6.into(), vlan, src: self.src, dst: self.dst, qpn }
    }

    fn l3(&self) -> usize {
        14 + 4 * self.vids.len()
    }
}

/// What the BTH and the rest say.
#[derive(Clone, Debug, Default)]
pub struct Packet {
    pub opcode: u8,
    pub qpn: u32,
    pub psn: u32,
    pub ack_req: bool,
    /// Extension headers and payload.
    pub body: Vec<u8>,
    /// Makes frames that say the same different: IPv4 identification, IPv6 flow label.
    pub ident: u32,
}

/// A frame as a NIC builds it, without Ethernet padding.
pub fn frame(way: &Way, p: &Packet) -> Vec<u8> {
    let pad = p.body.len().wrapping_neg() & 3;
    let udp_len = 8 + 12 + p.body.len() + pad + 4;
    let mut f = vec![2, 0, 0, 0, 0, way.dst_mac, 2, 0, 0, 0, 0, way.src_mac];
    for (i, vid) in way.vids.iter().enumerate() {
        let tpid: u16 = if i + 1 < way.vids.len() { 0x88a8 } else { 0x8100 };
        f.extend(tpid.to_be_bytes());
        f.extend((0x6000 | vid).to_be_bytes());
    }
    let ip_len;
    if way.v6 {
        ip_len = 40 + udp_len;
        f.extend([0x86, 0xdd]);
        f.extend((0x6680_0000 | (p.ident & 0xf_ffff)).to_be_bytes());
        f.extend((udp_len as u16).to_be_bytes());
        f.extend([17, 64]);
        f.extend(way.src.to_be_bytes());
        f.extend(way.dst.to_be_bytes());
    } else {
        ip_len = 20 + udp_len;
        f.extend([8, 0, 0x45, 0x6a]);
        f.extend((ip_len as u16).to_be_bytes());
        f.extend((p.ident as u16).to_be_bytes());
        f.extend([0x40, 0, 64, 17, 0, 0]);
        f.extend((way.src as u32).to_be_bytes());
        f.extend((way.dst as u32).to_be_bytes());
        let at = way.l3();
        let sum = f[at..at + 20].chunks(2).fold(0u32, |s, w| s + u32::from(u16::from_be_bytes([w[0], w[1]])));
        let sum = (sum & 0xffff) + (sum >> 16);
        let sum = (sum & 0xffff) + (sum >> 16);
        f[at + 10..at + 12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
    }
    // IPv4 has 16 bits of identification; the source port, which the ICRC covers too, takes the next ones.
    f.extend((0xc000 | (p.ident >> 16 & 0x3fff) as u16).to_be_bytes());
    f.extend([0x12, 0xb7]);
    f.extend((udp_len as u16).to_be_bytes());
    f.extend([0, 0]);
    f.extend([p.opcode, (pad as u8) << 4, 0xff, 0xff]);
    f.extend(p.qpn.to_be_bytes());
    f.extend((p.psn | u32::from(p.ack_req) << 31).to_be_bytes());
    f.extend(&p.body);
    f.resize(f.len() + pad + 4, 0);
    assert!(icrc::seal(&mut f, way.l3(), ip_len), "a whole packet has room for its ICRC");
    f
}

/// A RETH for so many bytes.
pub fn reth(bytes: u32) -> Vec<u8> {
    let mut h = vec![0x11; 12];
    h.extend(bytes.to_be_bytes());
    h
}

/// An AETH.
pub fn aeth(syndrome: u8, msn: u32) -> Vec<u8> {
    (u32::from(syndrome) << 24 | msn & 0xff_ffff).to_be_bytes().to_vec()
}

/// A frame that is no RoCE, and unlike any other number's.
pub fn plain(size: usize, number: u64) -> Vec<u8> {
    let mut f: Vec<u8> = (0..size).map(|i| (i as u64 * 5).wrapping_add(number.wrapping_mul(11)) as u8).collect();
    if size >= 14 {
        f[12..14].copy_from_slice(&[0x88, 0xb6]);
    }
    if size >= 22 {
        f[14..22].copy_from_slice(&number.to_le_bytes());
    }
    f
}

/// A budget frame as far as the gateway looks.
pub fn budget() -> Vec<u8> {
    let mut f = vec![0; 128];
    f[12..14].copy_from_slice(&[0x88, 0xb5]);
    f[14..18].copy_from_slice(&matchrdma_spec::wire::budget::MAGIC_VALUE.to_be_bytes());
    f
}

/// The same packet with the other MigReq.
pub fn migrated(way: &Way, mut f: Vec<u8>) -> Vec<u8> {
    let l3 = way.l3();
    let ip_header = if way.v6 { 40 } else { 20 };
    f[l3 + ip_header + 8 + 1] ^= 0x40;
    let ip_len = f.len() - l3;
    assert!(icrc::seal(&mut f, l3, ip_len));
    f
}

/// A MAC control frame: PFC, or any other.
pub fn mac_control(random: &mut Random) -> Vec<u8> {
    let mut f = random.bytes(60);
    f[..6].copy_from_slice(&[1, 0x80, 0xc2, 0, 0, 1]);
    f[12..14].copy_from_slice(&[0x88, 0x08]);
    f[14..16].copy_from_slice(&random.pick(&[[1, 1], [0, 1]]));
    f
}
