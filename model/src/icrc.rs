//! **icrc**, beside the rail of both directions: is a packet as its sender made it?
//!
//! In: a frame and where `parse` found its IP packet. Out: right or wrong. Gates: `hdl/src/outbound/icrc.rs`.
//! `spec` has the format and a fast check of its own; this is a second, slow one (four bits at a time), so that the
//! two are evidence for each other.

use matchrdma_spec::wire::icrc::{BYTES, MASKED_V4, MASKED_V6};
use matchrdma_spec::wire::packet::Meta;

/// Remainders of the sixteen nibbles; polynomial 0x04c11db7, reflected.
const NIBBLES: [u32; 16] = {
    let mut table = [0; 16];
    let mut i = 0;
    while i < 16 {
        let (mut v, mut bit) = (i as u32, 0);
        while bit < 4 {
            v = (v >> 1) ^ (0xedb8_8320 * (v & 1));
            bit += 1;
        }
        table[i] = v;
        i += 1;
    }
    table
};

fn crc32(bytes: impl Iterator<Item = u8>) -> u32 {
    !bytes.fold(!0, |crc, b| {
        let crc = crc ^ u32::from(b);
        let crc = (crc >> 4) ^ NIBBLES[(crc & 15) as usize];
        (crc >> 4) ^ NIBBLES[(crc & 15) as usize]
    })
}

/// The ICRC of an IP packet without its last four bytes; `udp` is where its UDP header begins.
fn of_packet(packet: &[u8], udp: usize) -> u32 {
    let v6 = packet[0] >> 4 == 6;
    let variant = |at: usize| {
        let in_ip = if v6 { MASKED_V6.contains(&at) } else { MASKED_V4.contains(&at) };
        (in_ip && at < udp) || at == udp + 6 || at == udp + 7 || at == udp + 12
    };
    let masked = packet.iter().enumerate().map(|(at, &b)| match at {
        0 if v6 => b | 0x0f,
        at if variant(at) => 0xff,
        _ => b,
    });
    crc32([0xff; 8].into_iter().chain(masked))
}

/// The packet is RoCE and neither its ICRC nor its IPv4 checksum says that it was damaged.
pub fn good(frame: &[u8], meta: &Meta) -> bool {
    if !meta.roce || !meta.ip_ok {
        return false;
    }
    let l3 = usize::from(meta.l3_offset);
    let packet = &frame[l3..l3 + usize::from(meta.ip_len)];
    let (body, stored) = packet.split_at(packet.len() - BYTES);
    of_packet(body, meta.ip_header_bytes()).to_le_bytes() == stored
}

/// Writes the ICRC of a frame that ends with it.
pub fn seal(frame: &mut [u8], l3: usize, ip_header_bytes: usize) {
    let end = frame.len() - BYTES;
    let icrc = of_packet(&frame[l3..end], ip_header_bytes);
    frame[end..].copy_from_slice(&icrc.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{self, ACK_V4, ACK_V6};
    use matchrdma_spec::wire::packet::{icrc_ok, parse_frame};

    #[test]
    fn crc32_has_its_published_check_value() {
        assert_eq!(crc32(b"123456789".iter().copied()), 0xcbf4_3926);
    }

    #[test]
    fn captured_frames_are_good_and_any_single_bit_is_noticed_as_spec_notices_it() {
        for frame in [&ACK_V4[..], &ACK_V6[..], &sample::READ_VLAN[..], &sample::write_only(7, true, 33)] {
            assert!(good(frame, &parse_frame(frame)));
            for bit in 0..8 * frame.len() {
                let mut changed = frame.to_vec();
                changed[bit / 8] ^= 1 << (bit % 8);
                let meta = parse_frame(&changed);
                assert_eq!(good(&changed, &meta), meta.ip_ok && icrc_ok(&changed, &meta), "bit {bit}");
            }
        }
    }

    #[test]
    fn padding_behind_the_packet_does_not_count() {
        let mut frame = ACK_V4.to_vec();
        frame.extend([1, 2, 3]);
        assert!(good(&frame, &parse_frame(&frame)));
    }

    #[test]
    fn a_seal_is_good() {
        for (frame, ip_header) in [(&ACK_V4[..], 20), (&ACK_V6[..], 40)] {
            let mut again = frame.to_vec();
            let end = again.len();
            again[end - 4..].fill(0);
            seal(&mut again, 14, ip_header);
            assert_eq!(again, frame);
        }
    }
}
