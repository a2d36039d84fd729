//! Frames for unit tests: three captured ones (`tests/vectors`), and requests and responses made to order.

use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::wire::icrc;

/// write-16k-mtu1024.pcap 17: ACK.
pub const ACK_V4: [u8; 62] = [
    0x52, 0x54, 0, 0, 0, 0x0a, 0x52, 0x54, 0, 0, 0, 0x0b, 0x08, 0x00, 0x45, 0, 0, 0x30, 0xba, 0x1e, 0x40, 0, 0x40,
    0x11, 0x6c, 0x8a, 10, 9, 0, 2, 10, 9, 0, 1, 0xc1, 0x69, 0x12, 0xb7, 0, 0x1c, 0, 0, 0x11, 0, 0xff, 0xff, 0, 0, 0,
    0x13, 0, 0x64, 0xc0, 0x4d, 0x1f, 0, 0, 0x01, 0xd6, 0xc9, 0x2c, 0x2d,
];
/// vlan100-pcp3-read.pcap 1: READ request of 8192 bytes.
pub const READ_VLAN: [u8; 78] = [
    0x52, 0x54, 0, 0, 0, 0x0b, 0x52, 0x54, 0, 0, 0, 0x0a, 0x81, 0x00, 0x60, 0x64, 0x08, 0x00, 0x45, 0, 0, 0x3c, 0x54,
    0x69, 0x40, 0, 0x40, 0x11, 0x0a, 0x33, 10, 9, 100, 1, 10, 9, 100, 2, 0xc1, 0xb9, 0x12, 0xb7, 0, 0x28, 0, 0, 0x0c,
    0, 0xff, 0xff, 0, 0, 0, 0x15, 0x80, 0x73, 0xb0, 0xc6, 0, 0, 0x56, 0x01, 0x24, 0x94, 0x30, 0, 0, 0, 0x06, 0x69, 0,
    0, 0x20, 0, 0xed, 0x97, 0xbc, 0x6c,
];
/// ipv6-write.pcap 5: ACK.
pub const ACK_V6: [u8; 82] = [
    0x52, 0x54, 0, 0, 0, 0x0a, 0x52, 0x54, 0, 0, 0, 0x0b, 0x86, 0xdd, 0x60, 0, 0, 0, 0, 0x1c, 0x11, 0x40, 0x20, 0x01,
    0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xc1,
    0x44, 0x12, 0xb7, 0, 0x1c, 0, 0, 0x11, 0, 0xff, 0xff, 0, 0, 0, 0x12, 0, 0x4a, 0x58, 0xc5, 0x1f, 0, 0, 1, 0x15,
    0x87, 0x11, 0x07,
];

/// Queue pair of the responder, where requests go.
pub const RESPONDER: u32 = 0x11;
/// Queue pair of the requester, where responses go.
pub const REQUESTER: u32 = 0x22;
const NEAR: u32 = 0x0a09_0001;
const FAR: u32 = 0x0a09_0002;

/// Key of requests.
pub fn key_out() -> FlowKey {
    FlowKey { v6: 0, vlan: 0, src: NEAR.into(), dst: FAR.into(), qpn: RESPONDER }
}

/// Key of responses.
pub fn key_in() -> FlowKey {
    FlowKey { v6: 0, vlan: 0, src: FAR.into(), dst: NEAR.into(), qpn: REQUESTER }
}

fn packet(src: u32, dst: u32, qpn: u32, opcode: u8, psn: u32, ack_req: bool, rest: &[u8]) -> Vec<u8> {
    let pad = rest.len().wrapping_neg() & 3;
    let udp = 8 + 12 + rest.len() + pad + 4;
    let mut f = vec![0x52, 0x54, 0, 0, 0, 0x0b, 0x52, 0x54, 0, 0, 0, 0x0a, 0x08, 0x00];
    f.extend([0x45, 0]);
    f.extend((20 + udp as u16).to_be_bytes());
    f.extend([0, 0, 0x40, 0, 0x40, 17, 0, 0]);
    f.extend(src.to_be_bytes());
    f.extend(dst.to_be_bytes());
    let sum = f[14..34].chunks(2).fold(0u32, |s, w| s + u32::from(u16::from_be_bytes([w[0], w[1]])));
    let sum = (sum & 0xffff) + (sum >> 16);
    f[24..26].copy_from_slice(&(!(sum as u16)).to_be_bytes());
    f.extend([0xc1, 0x69, 0x12, 0xb7]);
    f.extend((udp as u16).to_be_bytes());
    f.extend([0, 0, opcode, (pad as u8) << 4, 0xff, 0xff]);
    f.extend(qpn.to_be_bytes());
    f.extend((psn | u32::from(ack_req) << 31).to_be_bytes());
    f.extend(rest);
    f.extend(vec![0; pad + 4]);
    assert!(icrc::seal(&mut f, 14, 20 + udp));
    f
}

/// A request of the near side; `reth`: address, key and this length, for the opcodes that have it.
pub fn request(opcode: u8, psn: u32, ack_req: bool, reth: Option<u32>, payload: usize) -> Vec<u8> {
    let mut rest = Vec::new();
    if let Some(len) = reth {
        rest.extend([0; 12]);
        rest.extend(len.to_be_bytes());
    }
    rest.extend((0..payload).map(|i| i as u8));
    packet(NEAR, FAR, RESPONDER, opcode, psn, ack_req, &rest)
}

/// A WRITE of one packet.
pub fn write_only(psn: u32, ack_req: bool, payload: usize) -> Vec<u8> {
    request(0x0a, psn, ack_req, Some(payload as u32), payload)
}

/// A SEND of one packet.
pub fn send_only(psn: u32, ack_req: bool, payload: usize) -> Vec<u8> {
    request(0x04, psn, ack_req, None, payload)
}

/// A READ request.
pub fn read(psn: u32, len: u32) -> Vec<u8> {
    request(0x0c, psn, true, Some(len), 0)
}

/// An ACK, NAK or RNR of the far side.
pub fn ack(psn: u32, syndrome: u8, msn: u32) -> Vec<u8> {
    let aeth = u32::from(syndrome) << 24 | msn;
    packet(FAR, NEAR, REQUESTER, 0x11, psn, false, &aeth.to_be_bytes())
}

/// A READ response with AETH: FIRST, LAST or ONLY.
pub fn read_response(opcode: u8, psn: u32, msn: u32, payload: usize) -> Vec<u8> {
    let mut rest = (0x1f00_0000 | msn).to_be_bytes().to_vec();
    rest.extend(vec![0x77; payload]);
    packet(FAR, NEAR, REQUESTER, opcode, psn, false, &rest)
}

/// The same with one payload or header bit of the IP packet wrong.
pub fn damaged(mut frame: Vec<u8>) -> Vec<u8> {
    let at = frame.len() - 5;
    frame[at] ^= 0x10;
    frame
}
