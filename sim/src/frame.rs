//! RoCEv2 frames as a NIC builds them: IPv4 without tags, ICRC sealed.

use matchrdma_spec::wire::{aeth, bth, cnp, eth, icrc, ipv4, opcode, reth, udp};

/// Bytes in front of the BTH.
const BTH_AT: usize = eth::BYTES + ipv4::BYTES + udp::BYTES;

/// One end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// MAC address.
    pub mac: u64,
    /// IPv4 address.
    pub ip: u32,
    /// Queue pair number.
    pub qpn: u32,
}

fn seal(from: End, to: End, opcode: u8, psn: u32, ack_req: bool, body: &[u8], pad: usize) -> Vec<u8> {
    let ip_len = ipv4::BYTES + udp::BYTES + bth::BYTES + body.len() + icrc::BYTES;
    let mut f = vec![0; eth::BYTES + ip_len];
    eth::Eth { dst: to.mac, src: from.mac, ethertype: eth::TYPE_IPV4 }.emit(&mut f);
    let mut ip = ipv4::Ipv4 {
        version: ipv4::VERSION_4,
        ihl: ipv4::IHL_NO_OPTIONS,
        dscp: 26,
        ecn: 2,
        total_length: ip_len as u16,
        flags_frag: ipv4::DONT_FRAGMENT,
        ttl: 64,
        protocol: ipv4::PROTO_UDP,
        src: from.ip,
        dst: to.ip,
        ..Default::default()
    };
    let at = eth::BYTES;
    ip.emit(&mut f[at..]);
    ip.checksum = ipv4::checksum(&f[at..at + ipv4::BYTES]);
    ip.emit(&mut f[at..]);
    let at = at + ipv4::BYTES;
    let src_port = 0xc000 | (from.qpn as u16 & 0x3fff);
    udp::Udp { src_port, dst_port: udp::PORT_ROCE, length: (ip_len - ipv4::BYTES) as u16, checksum: 0 }
        .emit(&mut f[at..]);
    bth::Bth {
        opcode,
        mig_req: 1,
        pad_count: pad as u8,
        pkey: bth::PKEY_DEFAULT,
        dest_qp: to.qpn,
        ack_req: u8::from(ack_req),
        psn,
        ..Default::default()
    }
    .emit(&mut f[BTH_AT..]);
    f[BTH_AT + bth::BYTES..BTH_AT + bth::BYTES + body.len()].copy_from_slice(body);
    assert!(icrc::seal(&mut f, eth::BYTES, ip_len), "a frame that we built has room for its ICRC");
    f
}

/// What a WRITE packet is within its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// First packet of its message: carries the RETH.
    pub first: bool,
    /// Last packet of its message.
    pub last: bool,
    /// Length of the whole message, bytes.
    pub message_bytes: u32,
    /// Payload of this packet, bytes.
    pub payload: usize,
}

/// A packet of an RDMA WRITE. The payload is a counting pattern from `psn`.
pub fn write(from: End, to: End, psn: u32, ack_req: bool, w: Write) -> Vec<u8> {
    let opcode = match (w.first, w.last) {
        (true, true) => opcode::WRITE_ONLY,
        (true, false) => opcode::WRITE_FIRST,
        (false, true) => opcode::WRITE_LAST,
        (false, false) => opcode::WRITE_MIDDLE,
    };
    let pad = w.payload.next_multiple_of(4) - w.payload;
    let head = if w.first { reth::BYTES } else { 0 };
    let mut body = vec![0; head + w.payload + pad];
    if w.first {
        reth::Reth { virtual_address: 0x1000, rkey: 0x0077_0001, dma_length: w.message_bytes }.emit(&mut body);
    }
    for (i, quad) in body[head..head + w.payload].chunks_mut(4).enumerate() {
        let word = psn.wrapping_mul(0x9e37_79b1).wrapping_add(i as u32).to_le_bytes();
        quad.copy_from_slice(&word[..quad.len()]);
    }
    seal(from, to, opcode, psn, ack_req, &body, pad)
}

/// An acknowledgement with the given syndrome.
pub fn ack(from: End, to: End, psn: u32, syndrome: u8, msn: u32) -> Vec<u8> {
    let mut body = [0; aeth::BYTES];
    aeth::Aeth { syndrome, msn }.emit(&mut body);
    seal(from, to, opcode::ACKNOWLEDGE, psn, false, &body, 0)
}

/// A congestion notification packet.
pub fn cnp(from: End, to: End) -> Vec<u8> {
    let mut f = seal(from, to, opcode::CNP, 0, false, &[0; cnp::BYTES], 0);
    bth::BECN.set(&mut f[BTH_AT..], 1);
    let ip_len = f.len() - eth::BYTES;
    assert!(icrc::seal(&mut f, eth::BYTES, ip_len), "a frame that we built has room for its ICRC");
    f
}

#[cfg(test)]
mod tests {
    use super::*;
    use matchrdma_spec::wire::packet::{icrc_ok, parse_frame};

    const NEAR: End = End { mac: 0x0200_0000_0001, ip: 0x0a00_0001, qpn: 0x11 };
    const FAR: End = End { mac: 0x0200_0000_0002, ip: 0x0a00_0002, qpn: 0x22 };

    #[test]
    fn a_built_write_parses_with_a_right_icrc() {
        for payload in [1usize, 2, 3, 4, 255, 4096] {
            let w = Write { first: true, last: true, message_bytes: payload as u32, payload };
            let f = write(NEAR, FAR, 0xff_ffff, true, w);
            let m = parse_frame(&f);
            assert!(m.roce && m.ip_ok && icrc_ok(&f, &m), "{payload}");
            assert_eq!((m.psn, m.payload as usize, m.ack_req), (0xff_ffff, payload, true));
        }
    }

    #[test]
    fn a_built_ack_says_what_it_was_given() {
        let f = ack(FAR, NEAR, 7, aeth::ACK, 3);
        let m = parse_frame(&f);
        assert!(m.roce && icrc_ok(&f, &m));
        assert_eq!((m.opcode, m.psn, m.syndrome, m.msn, m.dest_qpn), (opcode::ACKNOWLEDGE, 7, aeth::ACK, 3, 0x11));
    }
}
