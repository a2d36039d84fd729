//! Hashes: flow rows, CRC-32, SipHash-2-4.
//!
//! The flow hashes are CRCs with neither an initial value nor a final inversion, so each of their bits is an
//! XOR of key bits and nothing else: in gates, one XOR network.

use crate::params::{FLOW_BANKS, FLOW_ROW_BITS};

/// Reflected polynomial of CRC-32 (IEEE 802.3 clause 3).
pub const POLY_IEEE: u32 = 0xedb8_8320;
/// Reflected polynomial of CRC-32C (RFC 3720 12.1, Castagnoli).
pub const POLY_CASTAGNOLI: u32 = 0x82f6_3b78;

/// Tables of a reflected 32-bit CRC, eight bytes at a time.
struct Tables([[u32; 256]; 8]);

impl Tables {
    const fn new(poly: u32) -> Self {
        let mut t = [[0u32; 256]; 8];
        let mut i = 0;
        while i < 256 {
            let (mut crc, mut bit) = (i as u32, 0);
            while bit < 8 {
                crc = if crc & 1 == 1 { (crc >> 1) ^ poly } else { crc >> 1 };
                bit += 1;
            }
            t[0][i] = crc;
            i += 1;
        }
        let mut k = 1;
        while k < 8 {
            let mut i = 0;
            while i < 256 {
                let before = t[k - 1][i];
                t[k][i] = (before >> 8) ^ t[0][(before & 0xff) as usize];
                i += 1;
            }
            k += 1;
        }
        Tables(t)
    }

    fn update(&self, mut crc: u32, bytes: &[u8]) -> u32 {
        let t = &self.0;
        let mut eights = bytes.chunks_exact(8);
        for e in &mut eights {
            let low = crc ^ u32::from_le_bytes([e[0], e[1], e[2], e[3]]);
            crc = t[7][(low & 0xff) as usize]
                ^ t[6][(low >> 8 & 0xff) as usize]
                ^ t[5][(low >> 16 & 0xff) as usize]
                ^ t[4][(low >> 24) as usize]
                ^ t[3][e[4] as usize]
                ^ t[2][e[5] as usize]
                ^ t[1][e[6] as usize]
                ^ t[0][e[7] as usize];
        }
        for &b in eights.remainder() {
            crc = (crc >> 8) ^ t[0][((crc ^ u32::from(b)) & 0xff) as usize];
        }
        crc
    }
}

static IEEE: Tables = Tables::new(POLY_IEEE);
static CASTAGNOLI: Tables = Tables::new(POLY_CASTAGNOLI);

/// The CRC-32 register after `bytes`, from `state`: reflected, no initial value and no final inversion of its own.
pub fn crc32_update(state: u32, bytes: &[u8]) -> u32 {
    IEEE.update(state, bytes)
}

/// CRC-32 as in IEEE 802.3: register starts at ones, result inverted. Also the CRC of table banks and budget frames.
pub fn crc32(bytes: &[u8]) -> u32 {
    !IEEE.update(!0, bytes)
}

/// CRC-32C as in RFC 3720: register starts at ones, result inverted.
pub fn crc32c(bytes: &[u8]) -> u32 {
    !CASTAGNOLI.update(!0, bytes)
}

/// What tells one flow from another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FlowKey {
    /// 1 for IPv6, 0 for IPv4.
    pub v6: u8,
    /// 24 bits: outer VID << 12 | inner VID; a single VID in the low 12 bits; 0 without a tag.
    pub vlan: u32,
    /// Source address; IPv4 in the low 32 bits.
    pub src: u128,
    /// Destination address; IPv4 in the low 32 bits.
    pub dst: u128,
    /// Destination queue pair number, 24 bits.
    pub qpn: u32,
}

/// Length of a packed flow key, bytes.
pub const KEY_BYTES: usize = 39;

impl FlowKey {
    /// The key as the hashes take it, big-endian: v6 (1 byte), vlan (3), src (16), dst (16), qpn (3).
    /// Read as one big-endian number it is the key of a flow row (see `regs::flow`).
    pub const fn pack(&self) -> [u8; KEY_BYTES] {
        let mut out = [0; KEY_BYTES];
        out[0] = self.v6 & 1;
        put(&mut out, 1, 3, self.vlan as u128);
        put(&mut out, 4, 16, self.src);
        put(&mut out, 20, 16, self.dst);
        put(&mut out, 36, 3, self.qpn as u128);
        out
    }

    /// The row of each bank where this key may lie.
    pub fn rows(&self) -> [u16; FLOW_BANKS] {
        flow_rows(&self.pack())
    }
}

const fn put(out: &mut [u8], at: usize, bytes: usize, value: u128) {
    let mut i = 0;
    while i < bytes {
        out[at + i] = (value >> (8 * (bytes - 1 - i))) as u8;
        i += 1;
    }
}

/// The row of each bank for a packed key, 11 bits each: bits 10:0 and 21:11 of the CRC-32C, then of the CRC-32,
/// both reflected with initial value 0 and no final inversion.
pub fn flow_rows(key: &[u8; KEY_BYTES]) -> [u16; FLOW_BANKS] {
    const MASK: u32 = (1 << FLOW_ROW_BITS) - 1;
    let (c, i) = (CASTAGNOLI.update(0, key), IEEE.update(0, key));
    [c, c >> FLOW_ROW_BITS, i, i >> FLOW_ROW_BITS].map(|h| (h & MASK) as u16)
}

/// SipHash-2-4 of `message` with a 128-bit key, 64-bit tag (Aumasson and Bernstein, 2012).
pub fn siphash24(key: &[u8; 16], message: &[u8]) -> u64 {
    let word = |b: &[u8]| b.iter().rev().fold(0u64, |v, &x| v << 8 | u64::from(x));
    let (k0, k1) = (word(&key[..8]), word(&key[8..]));
    let mut v = [
        k0 ^ 0x736f_6d65_7073_6575,
        k1 ^ 0x646f_7261_6e64_6f6d,
        k0 ^ 0x6c79_6765_6e65_7261,
        k1 ^ 0x7465_6462_7974_6573,
    ];
    let mut absorb = |m: u64| {
        v[3] ^= m;
        sip_round(&mut v);
        sip_round(&mut v);
        v[0] ^= m;
    };
    let words = message.chunks_exact(8);
    let last = (message.len() as u64) << 56 | word(words.remainder());
    words.for_each(|w| absorb(word(w)));
    absorb(last);
    v[2] ^= 0xff;
    for _ in 0..4 {
        sip_round(&mut v);
    }
    v[0] ^ v[1] ^ v[2] ^ v[3]
}

fn sip_round(v: &mut [u64; 4]) {
    v[0] = v[0].wrapping_add(v[1]);
    v[1] = v[1].rotate_left(13) ^ v[0];
    v[0] = v[0].rotate_left(32);
    v[2] = v[2].wrapping_add(v[3]);
    v[3] = v[3].rotate_left(16) ^ v[2];
    v[0] = v[0].wrapping_add(v[3]);
    v[3] = v[3].rotate_left(21) ^ v[0];
    v[2] = v[2].wrapping_add(v[1]);
    v[1] = v[1].rotate_left(17) ^ v[2];
    v[2] = v[2].rotate_left(32);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slow(poly: u32, mut crc: u32, bytes: &[u8]) -> u32 {
        for b in bytes {
            crc ^= u32::from(*b);
            for _ in 0..8 {
                crc = if crc & 1 == 1 { (crc >> 1) ^ poly } else { crc >> 1 };
            }
        }
        crc
    }

    #[test]
    fn published_check_values() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        let key: [u8; 16] = core::array::from_fn(|i| i as u8);
        let message: [u8; 15] = core::array::from_fn(|i| i as u8);
        assert_eq!(siphash24(&key, &message), 0xa129_ca61_49be_45e5); // the paper's appendix A
        assert_eq!(siphash24(&key, &[]), 0x726f_db47_dd0e_0e31); // first of the reference code's vectors
    }

    #[test]
    fn tables_agree_with_shifts_at_every_length() {
        let bytes: Vec<u8> = (0..100u32).map(|i| (i * 73 + 5) as u8).collect();
        for n in 0..bytes.len() {
            assert_eq!(IEEE.update(7, &bytes[..n]), slow(POLY_IEEE, 7, &bytes[..n]));
            assert_eq!(CASTAGNOLI.update(7, &bytes[..n]), slow(POLY_CASTAGNOLI, 7, &bytes[..n]));
        }
    }

    #[test]
    fn a_key_packs_big_endian_and_its_rows_are_linear() {
        let a = FlowKey { v6: 1, vlan: 0x0a_bcde, src: 0x1111 << 112 | 1, dst: 2 << 120 | 3, qpn: 0x12_3456 };
        let packed = a.pack();
        assert_eq!(packed[..6], [1, 0x0a, 0xbc, 0xde, 0x11, 0x11]);
        assert_eq!(packed[19..21], [1, 2]);
        assert_eq!(packed[35..], [3, 0x12, 0x34, 0x56]);
        let b = FlowKey { v6: 0, vlan: 7, src: 0x0a09_0001, dst: 0x0a09_0002, qpn: 17 };
        let both: [u8; KEY_BYTES] = core::array::from_fn(|i| packed[i] ^ b.pack()[i]);
        let sum: [u16; FLOW_BANKS] = core::array::from_fn(|i| a.rows()[i] ^ b.rows()[i]);
        assert_eq!(flow_rows(&both), sum);
        assert_eq!(FlowKey::default().rows(), [0; 4]);
        let c = slow(POLY_CASTAGNOLI, 0, &packed);
        let i = slow(POLY_IEEE, 0, &packed);
        let want = [c & 0x7ff, c >> 11 & 0x7ff, i & 0x7ff, i >> 11 & 0x7ff];
        assert_eq!(a.rows().map(u32::from), want);
    }
}
