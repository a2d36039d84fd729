//! What an ACK frame says, and whether it is sound: a parser and an ICRC that share nothing with `spec`, `model` or `hdl`.

/// What a frame says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    pub v6: bool,
    pub tags: usize,
    pub opcode: u8,
    pub dest_qp: u32,
    pub ack_req: bool,
    pub psn: u32,
    pub syndrome: u8,
    pub msn: u32,
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

fn u24_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([0, bytes[at], bytes[at + 1], bytes[at + 2]])
}

/// Reads a frame that must be exactly one RoCEv2 ACK or NAK, and panics when anything in it is not as it must be.
pub fn acknowledgement(frame: &[u8]) -> Acknowledgement {
    let mut tags = 0;
    while matches!(u16_at(frame, 12 + 4 * tags), 0x8100 | 0x88a8) {
        tags += 1;
    }
    let ip = &frame[14 + 4 * tags..];
    let (v6, udp_at) = match (u16_at(frame, 12 + 4 * tags), ip[0]) {
        (0x0800, 0x45) => (false, 20),
        (0x86dd, first) if first >> 4 == 6 => (true, 40),
        other => panic!("neither IPv4 nor IPv6: {other:x?}"),
    };
    if v6 {
        assert_eq!(usize::from(u16_at(ip, 4)) + 40, ip.len(), "IPv6 payload length");
        assert_eq!(ip[6], 17, "UDP");
    } else {
        assert_eq!(usize::from(u16_at(ip, 2)), ip.len(), "IPv4 total length");
        assert_eq!(ip[9], 17, "UDP");
        let sum: u32 = (0..10).map(|i| u32::from(u16_at(ip, 2 * i))).sum();
        assert_eq!((sum & 0xffff) + (sum >> 16), 0xffff, "IPv4 checksum of {frame:02x?}");
    }
    assert_eq!(u16_at(ip, udp_at + 2), 4791, "UDP port");
    assert_eq!(usize::from(u16_at(ip, udp_at + 4)), ip.len() - udp_at, "UDP length");
    let bth = udp_at + 8;
    assert_eq!(ip.len(), bth + 12 + 4 + 4, "BTH, AETH and ICRC and no more");
    let stored = u32::from_le_bytes(ip[ip.len() - 4..].try_into().unwrap());
    assert_eq!(stored, super::roce::icrc(&ip[..ip.len() - 4], udp_at), "ICRC of {frame:02x?}");
    Acknowledgement {
        v6,
        tags,
        opcode: ip[bth],
        dest_qp: u24_at(ip, bth + 5),
        ack_req: ip[bth + 8] & 0x80 != 0,
        psn: u24_at(ip, bth + 9),
        syndrome: ip[bth + 12],
        msn: u24_at(ip, bth + 13),
    }
}
