//! What a frame keeps of its template, and what is the same in every frame: constants of [seal](super::seal).

use super::resum::V4_LENGTH;
use crate::prim::Value;
use matchrdma_spec::field::Field;
use matchrdma_spec::params::BEAT_BYTES;
use matchrdma_spec::wire::{aeth, bth, cnp, eth, icrc, ipv4, ipv6, opcode, udp, vlan};
use rust_hdl::prelude::*;

/// Bits of an Ethernet header without tags, and of one tag.
pub const ETH_BITS: u64 = 8 * eth::BYTES as u64;
pub const TAG_BITS: u64 = 8 * vlan::BYTES as u64;
/// Bytes from the IP header to the end of the AETH.
pub const V4_BYTES: usize = ipv4::BYTES + udp::BYTES + bth::BYTES + aeth::BYTES;
pub const V6_BYTES: usize = ipv6::BYTES + udp::BYTES + bth::BYTES + aeth::BYTES;
/// The same to the end of a notification.
pub const V4_CNP_BYTES: usize = V4_LENGTH - icrc::BYTES;
pub const V6_CNP_BYTES: usize = ipv6::BYTES + udp::BYTES + bth::BYTES + cnp::BYTES;
/// What an ACK changes: from the byte with AckReq to the end of the AETH.
pub const NEWS_BYTES: usize = bth::BYTES - bth::ACK_REQ.first_byte() + aeth::BYTES;

/// Where the lowest bit of a field within one byte lies in a beat whose first byte begins its header.
pub const fn low_bit(field: Field) -> u64 {
    (8 * field.first_byte() + 8 - field.offset % 8 - field.bits) as u64
}

/// Bytes as bits, zero behind.
fn bits_of<const W: usize>(bytes: &[u8]) -> Bits<W> {
    let bit = |i: usize| bytes.get(i / 8).is_some_and(|byte| byte >> (i % 8) & 1 == 1);
    (0..W).fold(Bits::default(), |all: Bits<W>, i| all.replace_bit(i, bit(i)))
}

macro_rules! values {
    ($($(#[$doc:meta])* $name:ident, $bits:literal = $bytes:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name;
        impl Value<$bits> for $name {
            fn value() -> Bits<$bits> {
                bits_of(&$bytes)
            }
        }
    )*};
}

values! {
    /// The bits of an ACK or NAK that stay the template's.
    Keep4, 512 = [0xff; V4_BYTES - NEWS_BYTES];
    Keep6, 512 = [0xff; V6_BYTES - NEWS_BYTES];
    /// Those of a notification.
    Keep4Cnp, 512 = notification(vec![0xff; V4_BYTES - NEWS_BYTES], false, false);
    Keep6Cnp, 512 = notification(vec![0xff; V6_BYTES - NEWS_BYTES], true, false);
    /// What every notification has in the others.
    Put4Cnp, 512 = notification(vec![0; V4_BYTES], false, true);
    Put6Cnp, 512 = notification(vec![0; V6_BYTES], true, true);
    /// The bits that the ICRC takes as ones.
    Ones4, 512 = ones(ipv4::BYTES, &icrc::MASKED_V4);
    Ones6, 512 = {
        let mut ones = ones(ipv6::BYTES, &icrc::MASKED_V6);
        ones[0] = ipv6::VERSION.max() as u8; // the version, in the high half, stays
        ones
    };
    /// The state of the CRC after the eight bytes of ones.
    Seed, 512 = icrc::SEED.to_le_bytes();
    /// The Ethernet header without tags, with one, and with two.
    Eth0, 176 = [0xff; eth::BYTES];
    Eth1, 176 = [0xff; eth::BYTES + vlan::BYTES];
    /// All but the priority in the first tag, and in both.
    NoPcp1, 176 = no_pcp(1);
    NoPcp2, 176 = no_pcp(2);
}

/// Ones where the ICRC takes ones.
fn ones(ip_bytes: usize, masked: &[usize]) -> [u8; BEAT_BYTES] {
    let mut ones = [0; BEAT_BYTES];
    let checksum = ip_bytes + udp::CHECKSUM.first_byte();
    for at in masked.iter().copied().chain([checksum, checksum + 1, ip_bytes + udp::BYTES + bth::MASKED_BYTE]) {
        ones[at] = 0xff;
    }
    ones
}

fn no_pcp(tags: usize) -> Vec<u8> {
    let mut keep = vec![0xff; eth::BYTES + 2 * vlan::BYTES];
    for tag in 0..tags {
        vlan::PCP.set(&mut keep[eth::BYTES + tag * vlan::BYTES..], 0);
    }
    keep
}

/// The fields of a notification in `packet`: `put` there, or zero.
fn notification(mut packet: Vec<u8>, v6: bool, put: bool) -> Vec<u8> {
    let (ip_bytes, end) = if v6 { (ipv6::BYTES, V6_CNP_BYTES) } else { (ipv4::BYTES, V4_CNP_BYTES) };
    let udp_bytes = end + icrc::BYTES - ip_bytes;
    let value = |value: usize| if put { value as u128 } else { 0 };
    if v6 {
        let ecn = ipv6::TRAFFIC_CLASS.get(&packet) & ipv4::ECN.max();
        ipv6::TRAFFIC_CLASS.set(&mut packet, ecn);
        ipv6::PAYLOAD_LENGTH.set(&mut packet, value(udp_bytes));
    } else {
        ipv4::DSCP.set(&mut packet, 0);
        ipv4::TOTAL_LENGTH.set(&mut packet, value(V4_LENGTH));
        ipv4::CHECKSUM.set(&mut packet, 0);
    }
    udp::LENGTH.set(&mut packet[ip_bytes..], value(udp_bytes));
    let transport = &mut packet[ip_bytes + udp::BYTES..];
    bth::OPCODE.set(transport, value(opcode::CNP.into()));
    transport[bth::MASKED_BYTE] = 0;
    bth::BECN.set(transport, value(1));
    packet
}
