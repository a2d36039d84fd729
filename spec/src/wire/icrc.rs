//! Invariant CRC (IBTA 1.6 annex A17): the last four bytes of the IP packet, stored little-endian.
//!
//! CRC-32 (IEEE) of eight bytes of ones, then the IP packet up to the ICRC with the fields that may change on the way
//! set to ones: IPv4 TOS, TTL and header checksum, or IPv6 traffic class, flow label and hop limit; the UDP checksum;
//! byte 4 of the BTH. Ethernet header, tags and Ethernet padding are outside it.

use super::{bth, udp};
use crate::hash::crc32_update;

/// Length of the ICRC, bytes.
pub const BYTES: usize = 4;
/// Bytes of ones in front (where InfiniBand has its local route header).
pub const PREFIX: [u8; 8] = [0xff; 8];
/// The CRC register after the prefix, from ones: where a CRC of the IP packet alone begins.
pub const SEED: u32 = 0xdebb_20e3;
/// Bytes of an IPv4 header that are set to ones.
pub const MASKED_V4: [usize; 4] = [1, 8, 10, 11];
/// Bytes of an IPv6 header that are set to ones; of byte 0 the low half too.
pub const MASKED_V6: [usize; 4] = [1, 2, 3, 7];

/// The ICRC of the packet whose IP header begins at byte `l3_offset` of `frame` and which is `ip_len` bytes long, ICRC
/// included. Its IP version is that of the header; IPv4 options count unmasked, though a gateway never asks for them.
/// `None` when the frame ends earlier or the packet has no room for UDP, BTH and ICRC.
pub fn compute(frame: &[u8], l3_offset: usize, ip_len: usize) -> Option<u32> {
    let packet = frame.get(l3_offset..l3_offset.checked_add(ip_len)?)?;
    let first = *packet.first()?;
    let (udp_at, masked_ip) = match first >> 4 {
        4 => (4 * usize::from(first & 15), MASKED_V4),
        6 => (super::ipv6::BYTES, MASKED_V6),
        _ => return None,
    };
    let headers_end = udp_at + udp::BYTES + bth::BYTES;
    if udp_at < super::ipv4::BYTES || packet.len() < headers_end + BYTES {
        return None;
    }
    let mut headers = [0; 60 + udp::BYTES + bth::BYTES];
    let headers = &mut headers[..headers_end];
    headers.copy_from_slice(&packet[..headers_end]);
    if first >> 4 == 6 {
        headers[0] |= 0x0f;
    }
    for at in masked_ip.into_iter().chain([udp_at + 6, udp_at + 7, udp_at + udp::BYTES + bth::MASKED_BYTE]) {
        headers[at] = 0xff;
    }
    let state = crc32_update(SEED, headers);
    Some(!crc32_update(state, &packet[headers_end..packet.len() - BYTES]))
}

/// The ICRC that the packet carries, as a number. `None` when the frame ends earlier.
pub fn stored(frame: &[u8], l3_offset: usize, ip_len: usize) -> Option<u32> {
    let end = l3_offset.checked_add(ip_len)?;
    let bytes = frame.get(end.checked_sub(BYTES)?..end)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

/// Whether the packet carries the right ICRC; false when `compute` has none.
pub fn ok(frame: &[u8], l3_offset: usize, ip_len: usize) -> bool {
    let computed = compute(frame, l3_offset, ip_len);
    computed.is_some() && computed == stored(frame, l3_offset, ip_len)
}

/// Writes the right ICRC into a packet whose other bytes are in place; false, and nothing written, when there is none.
pub fn seal(frame: &mut [u8], l3_offset: usize, ip_len: usize) -> bool {
    match compute(frame, l3_offset, ip_len) {
        Some(icrc) => {
            let end = l3_offset + ip_len;
            frame[end - BYTES..end].copy_from_slice(&icrc.to_le_bytes());
            true
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::packet::samples::{ACK_V4, ACK_V6, CNP_V4, READ_VLAN};

    const SAMPLES: [(&[u8], usize, usize); 4] =
        [(&ACK_V4, 14, 48), (&READ_VLAN, 18, 60), (&ACK_V6, 14, 68), (&CNP_V4, 14, 60)];

    #[test]
    fn captured_frames_are_right() {
        assert_eq!(!crc32_update(!0, &PREFIX), !SEED);
        for (frame, l3, len) in SAMPLES {
            assert!(ok(frame, l3, len));
            let mut again = frame.to_vec();
            again[l3 + len - 4..].fill(0xa5);
            assert!(seal(&mut again, l3, len));
            assert_eq!(again, frame);
        }
    }

    #[test]
    fn exactly_the_masked_bits_do_not_count() {
        for (frame, l3, len) in SAMPLES {
            let v6 = frame[l3] >> 4 == 6;
            let udp = l3 + if v6 { 40 } else { 20 };
            for bit in 0..8 * frame.len() {
                let byte = bit / 8;
                if bit / 8 == l3 && (bit % 8 >= 4 || !v6) {
                    continue; // version and header length: another packet altogether
                }
                let masked = byte < l3
                    || [udp + 6, udp + 7, udp + 12].contains(&byte)
                    || (if v6 { MASKED_V6 } else { MASKED_V4 }).contains(&(byte - l3))
                    || byte == l3;
                let mut changed = frame.to_vec();
                changed[byte] ^= 1 << (bit % 8);
                assert_eq!(ok(&changed, l3, len), masked, "bit {bit}");
            }
        }
    }

    #[test]
    fn short_frames_have_no_icrc() {
        for (frame, l3, len) in SAMPLES {
            for cut in 0..frame.len() {
                assert!(!ok(&frame[..cut], l3, len), "{cut}");
            }
            let least = if frame[l3] >> 4 == 6 { 64 } else { 44 };
            assert!(compute(frame, l3, least).is_some() && compute(frame, l3, least - 1).is_none());
            assert!(compute(frame, l3, 0).is_none() && compute(frame, usize::MAX, 2).is_none());
            assert!(stored(frame, 0, 3).is_none());
        }
    }
}
