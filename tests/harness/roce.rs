//! A second opinion on RoCEv2 frames: own parser, own ICRC (crc32fast), own IPv4 checksum. It shares nothing with
//! `spec`, `model` or `hdl`, so that a mistake in those is seen here.

use std::net::IpAddr;

/// What a RoCEv2 frame says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roce {
    /// Everything in front of the IP header.
    pub ethernet: Vec<u8>,
    pub v6: bool,
    pub src: IpAddr,
    pub dst: IpAddr,
    /// TTL or hop limit.
    pub ttl: u8,
    /// TOS or traffic class.
    pub tos: u8,
    pub src_port: u16,
    pub opcode: u8,
    pub ack_req: bool,
    pub pkey: u16,
    pub qpn: u32,
    pub psn: u32,
    pub syndrome: u8,
    pub msn: u32,
    pub icrc_ok: bool,
    pub checksum_ok: bool,
    /// Bytes behind the ICRC.
    pub padding: usize,
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |n, b| n << 8 | u32::from(*b))
}

/// Where the IP header begins, and the EtherType in front of it.
fn layer3(frame: &[u8]) -> Option<(usize, u16)> {
    let mut at = 12;
    loop {
        let ethertype = number(frame.get(at..at + 2)?) as u16;
        if !matches!(ethertype, 0x8100 | 0x88a8) || at >= 20 {
            return Some((at + 2, ethertype));
        }
        at += 4;
    }
}

/// A RoCEv2 frame; `None` of any other.
pub fn parse(frame: &[u8]) -> Option<Roce> {
    let (l3, ethertype) = layer3(frame)?;
    let ip = &frame[l3..];
    let (header, length, protocol, v6) = match (ethertype, *ip.first()? >> 4) {
        (0x0800, 4) if ip.len() >= 28 && ip[0] == 0x45 && number(&ip[6..8]) & 0x3fff == 0 => {
            (20, number(&ip[2..4]) as usize, ip[9], false)
        }
        (0x86dd, 6) if ip.len() >= 48 => (40, 40 + number(&ip[4..6]) as usize, ip[6], true),
        _ => return None,
    };
    let udp = &ip[header..];
    let fits = length <= ip.len() && length >= header + 8 + 12 + 4;
    if protocol != 17 || number(&udp[2..4]) != 4791 || !fits || number(&udp[4..6]) as usize != length - header {
        return None;
    }
    let bth = &udp[8..];
    let has_aeth = matches!(bth[0], 0x0d | 0x0f..=0x12);
    if has_aeth && length < header + 8 + 12 + 4 + 4 {
        return None;
    }
    let address = |v4: usize, v6_at: usize| match v6 {
        false => IpAddr::from(<[u8; 4]>::try_from(&ip[v4..v4 + 4]).expect("four bytes")),
        true => IpAddr::from(<[u8; 16]>::try_from(&ip[v6_at..v6_at + 16]).expect("sixteen bytes")),
    };
    Some(Roce {
        ethernet: frame[..l3].to_vec(),
        v6,
        src: address(12, 8),
        dst: address(16, 24),
        ttl: if v6 { ip[7] } else { ip[8] },
        tos: if v6 { ip[0] << 4 | ip[1] >> 4 } else { ip[1] },
        src_port: number(&udp[..2]) as u16,
        opcode: bth[0],
        ack_req: bth[8] >> 7 == 1,
        pkey: number(&bth[2..4]) as u16,
        qpn: number(&bth[5..8]),
        psn: number(&bth[9..12]),
        syndrome: if has_aeth { bth[12] } else { 0 },
        msn: if has_aeth { number(&bth[13..16]) } else { 0 },
        icrc_ok: number(&ip[length - 4..length]).swap_bytes() == icrc(&ip[..length - 4], header),
        checksum_ok: v6 || checksum(&ip[..20]) == 0,
        padding: ip.len() - length,
    })
}

/// The ICRC of an IP packet without its last four bytes.
pub fn icrc(packet: &[u8], ip_header: usize) -> u32 {
    let mut masked = [&[0xff; 8][..], packet].concat();
    let ip = &mut masked[8..];
    if ip_header == 20 {
        [1, 8, 10, 11].into_iter().for_each(|i| ip[i] = 0xff);
    } else {
        ip[0] |= 0x0f;
        [1, 2, 3, 7].into_iter().for_each(|i| ip[i] = 0xff);
    }
    [6, 7, 12].into_iter().for_each(|i| ip[ip_header + i] = 0xff);
    crc32fast::hash(&masked)
}

/// The one's complement sum of an IPv4 header: 0 when its checksum is right, the checksum when that field is 0.
fn checksum(header: &[u8]) -> u16 {
    let mut sum: u32 = header.chunks(2).map(number).sum();
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// An IPv4 frame from host `from` to host `to` (last byte of MAC and address), with BTH and what follows it.
pub fn build(from: u8, to: u8, opcode: u8, qpn: u32, psn: u32, ack_req: bool, rest: &[u8]) -> Vec<u8> {
    let mac = |host: u8| [0x02, 0, 0, 0, 0, host];
    let length = 20 + 8 + 12 + rest.len() + 4;
    let mut ip =
        vec![0x45, 0, (length >> 8) as u8, length as u8, 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, from, 10, 0, 0, to];
    let sum = checksum(&ip);
    ip[10..12].copy_from_slice(&sum.to_be_bytes());
    ip.extend([0xc0, 0x01, 0x12, 0xb7, ((length - 20) >> 8) as u8, (length - 20) as u8, 0, 0]);
    ip.extend([opcode, 0x40, 0xff, 0xff]);
    ip.extend(qpn.to_be_bytes());
    ip.extend((psn | u32::from(ack_req) << 31).to_be_bytes());
    ip.extend(rest);
    let crc = icrc(&ip, 20);
    ip.extend(crc.to_le_bytes());
    [&mac(to)[..], &mac(from), &[0x08, 0x00], &ip].concat()
}

/// A good ICRC again, after the frame was changed.
pub fn seal(frame: &mut [u8]) {
    let (l3, ethertype) = layer3(frame).expect("an IP frame");
    let header = if ethertype == 0x0800 { 20 } else { 40 };
    let end = frame.len() - 4;
    let crc = icrc(&frame[l3..end], header);
    frame[end..].copy_from_slice(&crc.to_le_bytes());
}
