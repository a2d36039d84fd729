//! Beside the rail: **ecn**. Frames of a path whose senders are told to slow down anyway lose their ECN.
//!
//! In: a frame. Out: the same, not ECN-capable, with an IPv4 checksum that is right when it was.
//! Gates: `hdl/src/outbound/ecn.rs`. Registers: path settings.

use matchrdma_spec::params::MIN_FRAME_BYTES;
use matchrdma_spec::wire::{eth, ipv4, ipv6, vlan};

/// Zeroes the ECN bits of an IP header. Anything else, and a frame of fewer than 60 bytes, stays as it is.
pub fn clear(frame: &mut [u8]) {
    if frame.len() < MIN_FRAME_BYTES {
        return;
    }
    let mut kind = eth::ETHERTYPE.get(frame) as u16;
    let mut l3 = eth::BYTES;
    while vlan::is_tpid(kind) && l3 < eth::BYTES + vlan::MAX_TAGS * vlan::BYTES {
        kind = vlan::ETHERTYPE.get(&frame[l3..]) as u16;
        l3 += vlan::BYTES;
    }
    let ip = &mut frame[l3..];
    if kind == eth::TYPE_IPV4 && ipv4::VERSION.get(ip) == ipv4::VERSION_4.into() && ipv4::ECN.get(ip) != 0 {
        // one's complement, where all ones are zero
        let sum = ipv4::CHECKSUM.get(ip) + ipv4::ECN.get(ip);
        ipv4::CHECKSUM.set(ip, if sum >= 0xffff { sum - 0xffff } else { sum });
        ipv4::ECN.set(ip, 0);
    } else if kind == eth::TYPE_IPV6 && ipv6::VERSION.get(ip) == ipv6::VERSION_6.into() {
        let class = ipv6::TRAFFIC_CLASS.get(ip) & !ipv4::ECN.max();
        ipv6::TRAFFIC_CLASS.set(ip, class);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{ACK_V4, ACK_V6};
    use matchrdma_spec::wire::packet::{icrc_ok, parse_frame};

    #[test]
    fn a_marked_frame_is_whole_and_unmarked() {
        for (real, v6) in [(&ACK_V4[..], false), (&ACK_V6[..], true)] {
            for ecn in 0..4u128 {
                let mut frame = real.to_vec();
                if v6 {
                    ipv6::TRAFFIC_CLASS.set(&mut frame[14..], 0xb8 | ecn);
                } else {
                    ipv4::ECN.set(&mut frame[14..], ecn);
                    let sum = ipv4::checksum(&frame[14..]);
                    ipv4::CHECKSUM.set(&mut frame[14..], sum.into());
                }
                clear(&mut frame);
                let meta = parse_frame(&frame);
                assert!(meta.ip_ok && icrc_ok(&frame, &meta), "{v6} {ecn}");
                let left = if v6 { ipv6::TRAFFIC_CLASS.get(&frame[14..]) } else { ipv4::ECN.get(&frame[14..]) };
                assert_eq!(left & 3, 0);
                assert!(v6 || ipv4::CHECKSUM.get(&frame[14..]) == ipv4::checksum(&frame[14..]).into());
            }
        }
    }

    #[test]
    fn what_is_no_ip_stays() {
        for kind in [[0x88, 0x08], [0x08, 0x06], [0x81, 0]] {
            let mut frame = [0xff; 80];
            frame[12..14].copy_from_slice(&kind);
            let before = frame;
            clear(&mut frame);
            assert_eq!(frame, before, "{kind:x?}");
        }
        let mut short = ACK_V4[..59].to_vec();
        short[15] |= 3;
        let before = short.clone();
        clear(&mut short);
        assert_eq!(short, before);
    }
}
