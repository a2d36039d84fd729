//! IPv4 header without options (RFC 791 3.1).

/// Version field of IPv4.
pub const VERSION_4: u8 = 4;
/// Header length field of a header without options, 32-bit words.
pub const IHL_NO_OPTIONS: u8 = 5;
/// Bits of `flags_frag` that make a packet a fragment: "more fragments" and the offset.
pub const FRAGMENT_MASK: u16 = 0x3fff;
/// "Don't fragment" in `flags_frag`; RoCEv2 senders set it (IBTA 1.6 annex A17).
pub const DONT_FRAGMENT: u16 = 0x4000;
/// Protocol number of UDP.
pub const PROTO_UDP: u8 = 17;

header! {
    /// IPv4 header without options.
    Ipv4, 20 bytes, "RFC 791 3.1";
    /// Version: 4.
    VERSION version: u8 = 0, 4;
    /// Header length, 32-bit words.
    IHL ihl: u8 = 4, 4;
    /// Differentiated services code point (RFC 2474).
    DSCP dscp: u8 = 8, 6;
    /// Explicit congestion notification (RFC 3168).
    ECN ecn: u8 = 14, 2;
    /// Length of the packet with this header, bytes.
    TOTAL_LENGTH total_length: u16 = 16, 16;
    /// Identification.
    IDENTIFICATION identification: u16 = 32, 16;
    /// Flags and fragment offset.
    FLAGS_FRAG flags_frag: u16 = 48, 16;
    /// Time to live, hops.
    TTL ttl: u8 = 64, 8;
    /// Protocol of what follows.
    PROTOCOL protocol: u8 = 72, 8;
    /// Header checksum: see `checksum`.
    CHECKSUM checksum: u16 = 80, 16;
    /// Source address.
    SRC src: u32 = 96, 32;
    /// Destination address.
    DST dst: u32 = 128, 32;
}

/// The ones' complement sum of the 16-bit words of `header` (even length), folded (RFC 1071):
/// 0xffff when a header with its checksum in place is right.
pub fn ones_sum(header: &[u8]) -> u16 {
    let mut sum: u32 = header.chunks_exact(2).map(|w| u32::from(u16::from_be_bytes([w[0], w[1]]))).sum();
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

/// The header checksum of the 20-byte header at the start of `header`, whatever its checksum field holds.
pub fn checksum(header: &[u8]) -> u16 {
    let mut copy = [0; BYTES];
    copy.copy_from_slice(&header[..BYTES]);
    CHECKSUM.set(&mut copy, 0);
    !ones_sum(&copy)
}

/// Whether the checksum of the 20-byte header at the start of `header` is right.
pub fn checksum_ok(header: &[u8]) -> bool {
    ones_sum(&header[..BYTES]) == 0xffff
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES_OF_A_WRITE: [u8; BYTES] =
        [0x45, 0, 0x04, 0x3c, 0x10, 0xf1, 0x40, 0, 0x40, 0x11, 0x11, 0xac, 10, 9, 0, 1, 10, 9, 0, 2];
    golden!(
        Ipv4 {
            version: 4,
            ihl: 5,
            dscp: 0,
            ecn: 0,
            total_length: 1084,
            identification: 0x10f1,
            flags_frag: DONT_FRAGMENT,
            ttl: 64,
            protocol: PROTO_UDP,
            checksum: 0x11ac,
            src: 0x0a09_0001,
            dst: 0x0a09_0002,
        },
        BYTES_OF_A_WRITE
    );

    #[test]
    fn the_checksum_of_a_captured_header() {
        assert_eq!(checksum(&BYTES_OF_A_WRITE), 0x11ac);
        assert!(checksum_ok(&BYTES_OF_A_WRITE));
        let mut wrong = BYTES_OF_A_WRITE;
        wrong[15] ^= 1;
        assert!(!checksum_ok(&wrong));
    }
}
