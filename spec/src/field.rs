//! A bit field of a header: where it lies on the wire, read and written in byte slices, found in gates.
//!
//! Offsets count bits in wire order: bit 0 is the most significant bit of the header's first byte, and
//! values are big-endian, as every header here has them (the ICRC alone is little-endian, see `wire::icrc`).

/// One field of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name, as in the header's struct.
    pub name: &'static str,
    /// Bits from the first bit of the header, in wire order.
    pub offset: usize,
    /// Width in bits, 1 to 128.
    pub bits: usize,
    /// What it says, with its unit.
    pub doc: &'static str,
}

impl Field {
    /// A field of `bits` bits that begins `offset` bits after the first bit of the header.
    pub const fn new(name: &'static str, offset: usize, bits: usize, doc: &'static str) -> Self {
        assert!(bits >= 1 && bits <= 128, "a field has 1 to 128 bits");
        Field { name, offset, bits, doc }
    }

    /// The first byte of the header that holds a bit of the field.
    #[inline]
    pub const fn first_byte(&self) -> usize {
        self.offset / 8
    }

    /// The byte after the last one that holds a bit of the field.
    #[inline]
    pub const fn end_byte(&self) -> usize {
        (self.offset + self.bits).div_ceil(8)
    }

    /// The largest value the field can hold.
    pub const fn max(&self) -> u128 {
        u128::MAX >> (128 - self.bits)
    }

    /// The field's value in `header`. Panics when the header is too short.
    #[inline]
    pub const fn get(&self, header: &[u8]) -> u128 {
        let (mut at, end, mut value) = (self.offset, self.offset + self.bits, 0u128);
        while at < end {
            let (skip, take) = piece(at, end);
            let low = 8 - skip - take;
            let mask = 0xff >> (8 - take);
            // `take` is 8 at most, so the shift never reaches the width.
            value = (value << take) | ((header[at / 8] >> low) & mask) as u128;
            at += take;
        }
        value
    }

    /// Writes `value` into `header` and leaves every other bit alone; bits above the width are ignored.
    /// Panics when the header is too short.
    #[inline]
    pub const fn set(&self, header: &mut [u8], value: u128) {
        let (mut at, end) = (self.offset, self.offset + self.bits);
        while at < end {
            let (skip, take) = piece(at, end);
            let low = 8 - skip - take;
            let mask = (0xffu8 >> (8 - take)) << low;
            let bits = (value >> (end - at - take)) as u8;
            header[at / 8] = (header[at / 8] & !mask) | ((bits << low) & mask);
            at += take;
        }
    }

    /// For gates: the bit position of the field's first byte in a beat whose byte `i` is `tdata[8*i+7:8*i]`,
    /// the header beginning at byte `header_byte` of that beat (or of a window of several beats).
    pub const fn lsb(&self, header_byte: usize) -> usize {
        8 * (header_byte + self.first_byte())
    }

    /// For gates: the position of the field's least significant bit in a word of `word_bits` bits that holds
    /// the header in network order, first byte on top.
    pub const fn network_lsb(&self, word_bits: usize) -> usize {
        word_bits - self.offset - self.bits
    }
}

/// Bits to skip and to take in the byte that holds bit `at`, for a field that ends before bit `end`.
#[inline]
const fn piece(at: usize, end: usize) -> (usize, usize) {
    let skip = at % 8;
    let (left, wanted) = (8 - skip, end - at);
    (skip, if left < wanted { left } else { wanted })
}

/// Whether `fields`, in wire order, cover `total_bits` bits with no gap and no overlap.
pub const fn tiles(fields: &[Field], total_bits: usize) -> bool {
    let (mut i, mut at) = (0, 0);
    while i < fields.len() {
        if fields[i].offset != at {
            return false;
        }
        at += fields[i].bits;
        i += 1;
    }
    at == total_bits
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: [u8; 17] =
        [0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99];

    /// Bit by bit, the slow way.
    fn slow(header: &[u8], offset: usize, bits: usize) -> u128 {
        (offset..offset + bits).fold(0, |v, i| (v << 1) | u128::from(header[i / 8] >> (7 - i % 8) & 1))
    }

    #[test]
    fn get_reads_every_offset_and_width() {
        for offset in 0..HEADER.len() * 8 {
            for bits in 1..=128.min(HEADER.len() * 8 - offset) {
                let field = Field::new("x", offset, bits, "");
                assert_eq!(field.get(&HEADER), slow(&HEADER, offset, bits), "{offset} {bits}");
            }
        }
    }

    #[test]
    fn set_writes_the_field_and_nothing_else() {
        for offset in 0..HEADER.len() * 8 {
            for bits in 1..=128.min(HEADER.len() * 8 - offset) {
                let field = Field::new("x", offset, bits, "");
                for value in [0, u128::MAX, 0x0123_4567_89ab_cdef_0f1e_2d3c_4b5a_6978] {
                    let mut header = HEADER;
                    field.set(&mut header, value);
                    assert_eq!(field.get(&header), value & field.max());
                    field.set(&mut header, field.get(&HEADER));
                    assert_eq!(header, HEADER, "{offset} {bits}");
                }
            }
        }
    }

    #[test]
    fn gates_find_a_field() {
        let psn = Field::new("psn", 72, 24, "");
        assert_eq!(psn.lsb(42), 8 * (42 + 9));
        assert_eq!(psn.network_lsb(96), 0);
        assert_eq!((psn.first_byte(), psn.end_byte()), (9, 12));
    }

    #[test]
    fn tiles_refuses_gaps_overlaps_and_wrong_totals() {
        let f = |offset, bits| Field::new("x", offset, bits, "");
        assert!(tiles(&[f(0, 4), f(4, 12)], 16));
        assert!(!tiles(&[f(0, 4), f(5, 11)], 16));
        assert!(!tiles(&[f(0, 4), f(3, 13)], 16));
        assert!(!tiles(&[f(0, 4), f(4, 12)], 24));
        assert!(!tiles(&[f(4, 12), f(0, 4)], 16));
    }
}
