//! Budget frame: what two gateways tell each other, once per slot, path and direction (section 6 of the design).
//!
//! Untagged, two whole beats. A frame is a budget frame only with both the EtherType and the magic, since others
//! use the EtherType too. All integers are big-endian, the CRC and the tag as well.

use super::eth;
use crate::hash;

/// First word behind the EtherType: "MRBG".
pub const MAGIC_VALUE: u32 = 0x4d52_4247;
/// Layout version of this file.
pub const VERSION_VALUE: u8 = 1;
/// `kind` of a hello: version, clock, capabilities; may open a session.
pub const KIND_HELLO: u8 = 1;
/// `kind` of a budget.
pub const KIND_BUDGET: u8 = 2;

header! {
    /// Budget frame, Ethernet header included.
    Budget, 128 bytes, "MatchRDMA budget frame, version 1";
    /// Destination MAC.
    DST dst: u64 = 0, 48;
    /// Source MAC.
    SRC src: u64 = 48, 48;
    /// EtherType: 0x88B5.
    ETHERTYPE ethertype: u16 = 96, 16;
    /// 0x4d524247.
    MAGIC magic: u32 = 112, 32;
    /// Layout version.
    VERSION version: u8 = 144, 8;
    /// 1 hello, 2 budget.
    KIND kind: u8 = 152, 8;
    /// Lease of the budget, slots of the receiver.
    LEASE lease: u16 = 160, 16;
    /// Site id of the sender, global.
    SRC_SITE src_site: u16 = 176, 16;
    /// Site id of the receiver, global.
    DST_SITE dst_site: u16 = 192, 16;
    /// Session of the sender, never reused.
    SESSION session: u32 = 208, 32;
    /// Session of the receiver as the sender knows it; 0 = none yet.
    PEER_SESSION peer_session: u32 = 240, 32;
    /// Core clock of the sender, Hz.
    CLOCK_HZ clock_hz: u32 = 272, 32;
    /// Capabilities: bit 0 calendar, bit 1 live budgets, bit 2 authenticated.
    CAPABILITIES capabilities: u32 = 304, 32;
    /// Sequence number of the frame within its session; the highest wins.
    SEQUENCE sequence: u64 = 336, 64;
    /// Length of the sender's slots, ps.
    SLOT_PS slot_ps: u64 = 400, 64;
    /// Number of the sender's slot that this frame is of.
    SLOT slot: u64 = 464, 64;
    /// Newest of the receiver's slots whose budget the sender has applied.
    ECHO echo: u64 = 528, 64;
    /// Budget granted, bytes per 2^20 ns.
    RATE rate: u64 = 592, 64;
    /// Running total that the receiver may ever have sent, bytes.
    LIMIT limit: u64 = 656, 64;
    /// Running total that the sender has sent, bytes, sampled as this frame entered the departure order.
    SENT sent: u64 = 720, 64;
    /// Waiting at the sender for this path, bytes.
    WAITING waiting: u64 = 784, 64;
    /// Held at the sender for its data centre from this path, bytes.
    OCCUPANCY occupancy: u64 = 848, 64;
    /// Zero.
    RESERVED reserved: u16 = 912, 16;
    /// SipHash-2-4 of bytes 14..116; 0 with the zero key.
    TAG tag: u64 = 928, 64;
    /// CRC-32 (IEEE) of bytes 14..124.
    CRC crc: u32 = 992, 32;
}

/// First byte under the tag and the CRC: the magic, so that a bridge may rewrite the MAC addresses.
pub const COVERED_FROM: usize = MAGIC.offset / 8;
/// A budget's slot and echo are below 2 to this.
pub const SLOT_BITS: u32 = 48;
/// A budget's limit and sent total are below 2 to this: four thousand million gigabytes.
pub const TOTAL_BITS: u32 = 62;
/// The key that means "unauthenticated".
pub const ZERO_KEY: [u8; 16] = [0; 16];

const _: () = assert!(BYTES == 2 * crate::params::BEAT_BYTES);
const _: () = assert!(COVERED_FROM == 14 && TAG.offset == 8 * 116 && CRC.offset == 8 * 124);

/// Whether a frame is a budget frame: untagged, EtherType and magic. Says nothing of its length, CRC or tag.
pub fn is_budget(frame: &[u8]) -> bool {
    frame.len() >= MAGIC.end_byte()
        && ETHERTYPE.get(frame) == u128::from(eth::TYPE_LOCAL_EXPERIMENTAL)
        && MAGIC.get(frame) == u128::from(MAGIC_VALUE)
}

/// The tag that `frame` should carry: 0 with the zero key. Panics when the frame is too short.
pub fn tag(frame: &[u8], key: &[u8; 16]) -> u64 {
    if *key == ZERO_KEY {
        return 0;
    }
    hash::siphash24(key, &frame[COVERED_FROM..TAG.first_byte()])
}

/// The CRC that `frame` should carry. Panics when the frame is too short.
pub fn crc(frame: &[u8]) -> u32 {
    hash::crc32(&frame[COVERED_FROM..CRC.first_byte()])
}

/// Writes tag and CRC into a frame whose other fields are in place.
pub fn seal(frame: &mut [u8], key: &[u8; 16]) {
    TAG.set(frame, u128::from(tag(frame, key)));
    CRC.set(frame, u128::from(crc(frame)));
}

/// Whether the CRC of `frame` is right; false when it is too short.
pub fn crc_ok(frame: &[u8]) -> bool {
    frame.len() >= BYTES && CRC.get(frame) == u128::from(crc(frame))
}

/// Whether the tag of `frame` is right; false when it is too short, and always right with the zero key.
pub fn tag_ok(frame: &[u8], key: &[u8; 16]) -> bool {
    frame.len() >= BYTES && (*key == ZERO_KEY || TAG.get(frame) == u128::from(tag(frame, key)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes 0, 1, 2 and so on, but for what makes it a budget frame.
    const COUNTED: [u8; BYTES] = {
        let mut b = [0; BYTES];
        let mut i = 0;
        while i < BYTES {
            b[i] = i as u8;
            i += 1;
        }
        [b[12], b[13], b[14], b[15], b[16], b[17]] = [0x88, 0xb5, 0x4d, 0x52, 0x42, 0x47];
        b
    };
    golden!(
        Budget {
            dst: 0x0001_0203_0405,
            src: 0x0607_0809_0a0b,
            ethertype: 0x88b5,
            magic: MAGIC_VALUE,
            version: 0x12,
            kind: 0x13,
            lease: 0x1415,
            src_site: 0x1617,
            dst_site: 0x1819,
            session: 0x1a1b_1c1d,
            peer_session: 0x1e1f_2021,
            clock_hz: 0x2223_2425,
            capabilities: 0x2627_2829,
            sequence: 0x2a2b_2c2d_2e2f_3031,
            slot_ps: 0x3233_3435_3637_3839,
            slot: 0x3a3b_3c3d_3e3f_4041,
            echo: 0x4243_4445_4647_4849,
            rate: 0x4a4b_4c4d_4e4f_5051,
            limit: 0x5253_5455_5657_5859,
            sent: 0x5a5b_5c5d_5e5f_6061,
            waiting: 0x6263_6465_6667_6869,
            occupancy: 0x6a6b_6c6d_6e6f_7071,
            reserved: 0x7273,
            tag: 0x7475_7677_7879_7a7b,
            crc: 0x7c7d_7e7f,
        },
        COUNTED
    );

    #[test]
    fn a_frame_needs_ethertype_and_magic() {
        assert!(is_budget(&COUNTED) && is_budget(&COUNTED[..18]) && !is_budget(&COUNTED[..17]));
        for at in 12..18 {
            let mut other = COUNTED;
            other[at] ^= 1;
            assert!(!is_budget(&other), "byte {at}");
        }
    }

    #[test]
    fn a_sealed_frame_is_good_until_a_bit_changes() {
        let key = *b"0123456789abcdef";
        let mut frame = COUNTED;
        seal(&mut frame, &key);
        assert!(crc_ok(&frame) && tag_ok(&frame, &key) && tag_ok(&frame, &ZERO_KEY));
        assert!(!tag_ok(&frame, b"0123456789abcdeF"));
        assert!(!crc_ok(&frame[1..]) && !tag_ok(&frame[1..], &key));
        for bit in 8 * COVERED_FROM..8 * BYTES {
            let mut bad = frame;
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(!crc_ok(&bad), "bit {bit}");
            assert_eq!(tag_ok(&bad, &key), bit >= 8 * 124, "bit {bit}");
        }
        seal(&mut frame, &ZERO_KEY);
        assert_eq!(TAG.get(&frame), 0);
    }
}
