//! What becomes of each word of a frame: where a template's fields lie, and what the ICRC makes of them.
//!
//! A frame goes by in words of two lanes of four bytes, two bytes late, so that every field of IP and above lies in one
//! lane. The shape of a frame says what each lane is; this table says what is done with it.

use matchrdma_spec::wire::{aeth, bth, cnp, eth, icrc, ipv4, ipv6, udp, vlan};
use rust_hdl::prelude::*;

/// Bytes before the frame in its first word.
pub const PAD: usize = 2;
/// Bytes of a lane.
pub const LANE: usize = 4;
/// Words of the longest frame, an IPv6 notification with two tags.
pub const WORDS: usize = 13;
/// Bytes of a template that some frame keeps: those before the AckReq of IPv6 with two tags.
pub const KEPT_BYTES: usize = eth::BYTES + 2 * vlan::BYTES + ipv6::BYTES + udp::BYTES + bth::ACK_REQ.first_byte();
/// Bytes of UDP in a notification, header and ICRC included.
pub const CNP_UDP_BYTES: usize = udp::BYTES + bth::BYTES + cnp::BYTES + icrc::BYTES;
/// Length of a notification's IPv4 packet.
pub const V4_LENGTH: usize = ipv4::BYTES + CNP_UDP_BYTES;

/// What a lane says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// What the template says.
    Keep = 0,
    /// AckReq and PSN.
    Psn = 1,
    /// The AETH.
    Aeth = 2,
    Zero = 3,
    /// A tag: its priority is the notification's.
    Tag = 4,
    /// The first lane of IPv4: class and length are a notification's.
    Class4 = 5,
    /// The first lane of IPv6: its class is a notification's.
    Class6 = 6,
    /// Its first half is a notification's length in UDP.
    Length = 7,
    /// Its first byte is the opcode of a notification.
    Opcode = 8,
    /// Its first byte has BECN set, and nothing else.
    Becn = 9,
}

/// What is done with a lane.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Lane {
    pub says: Bits<4>,
    /// The ICRC covers it; it is the first one that it covers.
    pub inside: Bit,
    pub first: Bit,
    /// The ICRC takes its bytes as ones: the low half of byte 0, all of byte 0, bytes 1, 2, 3.
    pub low: Bit,
    pub ones0: Bit,
    pub ones1: Bit,
    pub ones2: Bit,
    pub ones3: Bit,
    /// The ICRC lies here; the IPv4 checksum of a notification lies in its second half.
    pub icrc: Bit,
    pub sum: Bit,
}

/// Width of [`Lane`].
pub const LANE_BITS: usize = 13;

/// A frame's shape: bit 3 a notification, bit 2 IPv6, bits 1:0 tags (3 is never asked for).
fn shape(at: usize) -> (bool, bool, usize) {
    (at & 8 != 0, at & 4 != 0, (at & 3).min(2))
}

/// Bytes of a frame of that shape.
pub fn frame_bytes(at: usize) -> usize {
    let (cnp, v6, tags) = shape(at);
    let ip = if v6 { ipv6::BYTES } else { ipv4::BYTES };
    let says = if cnp { cnp::BYTES } else { aeth::BYTES };
    eth::BYTES + tags * vlan::BYTES + ip + udp::BYTES + bth::BYTES + says + icrc::BYTES
}

/// Lane `lane` of a frame of shape `at`, packed as [`Lane`].
pub fn lane(at: usize, lane: usize) -> u64 {
    let (cnp, v6, tags) = shape(at);
    let first = (eth::BYTES + tags * vlan::BYTES + PAD) / LANE;
    let end = (frame_bytes(at) - icrc::BYTES + PAD) / LANE;
    let transport = first + if v6 { ipv6::BYTES } else { ipv4::BYTES } / LANE;
    let base = transport + udp::BYTES / LANE;
    let ack_req = base + bth::ACK_REQ.first_byte() / LANE;
    let tag = (eth::BYTES + PAD) / LANE;

    let says = match lane {
        l if l >= end => Says::Zero,
        l if l >= ack_req && cnp => Says::Zero,
        l if l == ack_req => Says::Psn,
        l if l > ack_req => Says::Aeth,
        _ if !cnp => Says::Keep,
        l if (tag..first).contains(&l) => Says::Tag,
        l if l == first && v6 => Says::Class6,
        l if l == first => Says::Class4,
        l if l == first + ipv6::PAYLOAD_LENGTH.first_byte() / LANE && v6 => Says::Length,
        l if l == transport + udp::LENGTH.first_byte() / LANE => Says::Length,
        l if l == base => Says::Opcode,
        l if l == base + bth::MASKED_BYTE / LANE => Says::Becn,
        _ => Says::Keep,
    };

    let masked: &[usize] = if v6 { &icrc::MASKED_V6 } else { &icrc::MASKED_V4 };
    let checksum = LANE * (transport - first) + udp::CHECKSUM.first_byte();
    let transport_masked = [checksum, checksum + 1, LANE * (base - first) + bth::MASKED_BYTE];
    let inside = (first..end).contains(&lane);
    let mut ones = 0;
    for byte in masked.iter().chain(&transport_masked).filter(|byte| inside && **byte / LANE == lane - first) {
        ones |= 1 << (byte % LANE);
    }
    // of byte 0 of IPv6 the version stays
    let low = v6 && lane == first;
    let sum = cnp && !v6 && lane == first + ipv4::CHECKSUM.first_byte() / LANE;
    let bit = |is: bool, at: usize| u64::from(is) << at;
    says as u64 | bit(inside, 4) | bit(lane == first, 5) | bit(low, 6) | ones << 7 | bit(lane == end, 11) | bit(sum, 12)
}

/// Whether word `word` of a frame of shape `at` is its last.
pub fn is_last(at: usize, word: usize) -> bool {
    word == (frame_bytes(at) + PAD - 1) / (2 * LANE)
}
