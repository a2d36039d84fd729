//! An upcall: what the gates tell the host of a frame that belongs to no flow.
//!
//! 64 bytes, little-endian, as 16 register words show them.

use crate::wire::packet::Meta;
use crate::wire::{aeth, opcode};

/// Bytes of an entry.
pub const BYTES: usize = 64;
/// Least significant bit of each part in the entry read as one little-endian number; the rest is zero.
pub mod lsb {
    /// Source address, 128 bits.
    pub const SRC_IP: usize = 0;
    /// Destination address, 128 bits.
    pub const DST_IP: usize = 128;
    /// VLAN as in a flow key, 24 bits.
    pub const VLAN: usize = 256;
    /// Opcode, 8 bits.
    pub const OPCODE: usize = 280;
    /// Destination queue pair, 24 bits.
    pub const DEST_QPN: usize = 288;
    /// Syndrome, 8 bits; 0 in a request.
    pub const SYNDROME: usize = 312;
    /// PSN, 24 bits.
    pub const PSN: usize = 320;
    /// IPv6, 1 bit.
    pub const V6: usize = 344;
    /// Message count, 24 bits; 0 in a request.
    pub const MSN: usize = 352;
}

/// A request that asks for an ACK, or an ACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    /// IPv6, not IPv4.
    pub v6: bool,
    /// As in a flow key.
    pub vlan: u32,
    /// Source; IPv4 in the low 32 bits.
    pub src_ip: u128,
    /// Destination; IPv4 in the low 32 bits.
    pub dst_ip: u128,
    /// BTH opcode.
    pub opcode: u8,
    /// Destination queue pair.
    pub dest_qpn: u32,
    /// PSN.
    pub psn: u32,
    /// AETH syndrome; 0 in a request.
    pub syndrome: u8,
    /// AETH message count; 0 in a request.
    pub msn: u32,
}

impl Digest {
    /// Of a frame that has one: an RC request that asks for an ACK, or a positive RC ACK.
    pub fn of(meta: &Meta) -> Option<Self> {
        let is_ack = meta.opcode == opcode::ACKNOWLEDGE && aeth::is_ack(meta.syndrome);
        let asks = opcode::is_request(meta.opcode) && meta.ack_req;
        (meta.roce && (is_ack || asks)).then_some(Digest {
            v6: meta.v6,
            vlan: meta.vlan,
            src_ip: meta.src_ip,
            dst_ip: meta.dst_ip,
            opcode: meta.opcode,
            dest_qpn: meta.dest_qpn,
            psn: meta.psn,
            syndrome: if is_ack { meta.syndrome } else { 0 },
            msn: if is_ack { meta.msn } else { 0 },
        })
    }

    /// The entry.
    pub fn pack(&self) -> [u8; BYTES] {
        let mut entry = [0; BYTES];
        let mut put = |lsb: usize, bytes: &[u8]| entry[lsb / 8..lsb / 8 + bytes.len()].copy_from_slice(bytes);
        put(lsb::SRC_IP, &self.src_ip.to_le_bytes());
        put(lsb::DST_IP, &self.dst_ip.to_le_bytes());
        put(lsb::VLAN, &self.vlan.to_le_bytes()[..3]);
        put(lsb::OPCODE, &[self.opcode]);
        put(lsb::DEST_QPN, &self.dest_qpn.to_le_bytes()[..3]);
        put(lsb::SYNDROME, &[self.syndrome]);
        put(lsb::PSN, &self.psn.to_le_bytes()[..3]);
        put(lsb::V6, &[self.v6.into()]);
        put(lsb::MSN, &self.msn.to_le_bytes()[..3]);
        entry
    }

    /// The digest of an entry.
    pub fn unpack(entry: &[u8; BYTES]) -> Self {
        let wide = |lsb: usize| u128::from_le_bytes(std::array::from_fn(|i| entry[lsb / 8 + i]));
        let low24 = |lsb: usize| wide(lsb) as u32 & 0xff_ffff;
        Digest {
            v6: entry[lsb::V6 / 8] & 1 == 1,
            vlan: low24(lsb::VLAN),
            src_ip: wide(lsb::SRC_IP),
            dst_ip: wide(lsb::DST_IP),
            opcode: entry[lsb::OPCODE / 8],
            dest_qpn: low24(lsb::DEST_QPN),
            psn: low24(lsb::PSN),
            syndrome: entry[lsb::SYNDROME / 8],
            msn: low24(lsb::MSN),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn any(seed: u128) -> Digest {
        let x = |k: u128| (seed + k).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        Digest {
            v6: seed & 1 == 1,
            vlan: x(1) as u32 & 0xff_ffff,
            src_ip: x(2),
            dst_ip: x(3),
            opcode: x(4) as u8,
            dest_qpn: x(5) as u32 & 0xff_ffff,
            psn: x(6) as u32 & 0xff_ffff,
            syndrome: x(7) as u8,
            msn: x(8) as u32 & 0xff_ffff,
        }
    }

    #[test]
    fn what_is_packed_is_unpacked() {
        for seed in 0..100 {
            assert_eq!(Digest::unpack(&any(seed).pack()), any(seed));
        }
        // parts do not overlap: each alone gives the whole back
        let ones = Digest { v6: true, vlan: 0xff_ffff, src_ip: !0, dst_ip: !0, opcode: 255, ..Digest::default() };
        let ones = Digest { dest_qpn: 0xff_ffff, psn: 0xff_ffff, syndrome: 255, msn: 0xff_ffff, ..ones };
        let bits: u32 = ones.pack().iter().map(|b| b.count_ones()).sum();
        assert_eq!(bits, 1 + 24 + 128 + 128 + 8 + 24 + 24 + 8 + 24);
    }

    #[test]
    fn only_requests_that_ask_and_positive_acks_have_one() {
        let meta =
            |opcode: u8, ack_req, syndrome| Meta { roce: true, opcode, ack_req, syndrome, psn: 7, ..Meta::default() };
        assert!(Digest::of(&meta(opcode::WRITE_ONLY, true, 0)).is_some());
        assert!(Digest::of(&meta(opcode::WRITE_ONLY, false, 0)).is_none());
        assert_eq!(Digest::of(&meta(opcode::ACKNOWLEDGE, false, 0x1f)).unwrap().syndrome, 0x1f);
        assert!(Digest::of(&meta(opcode::ACKNOWLEDGE, false, 0x60)).is_none());
        assert!(Digest::of(&Meta { roce: false, ..meta(opcode::WRITE_ONLY, true, 0) }).is_none());
    }
}
