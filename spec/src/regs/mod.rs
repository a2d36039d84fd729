//! The registers: one file per block, each with its map in address order.
//!
//! AXI4-Lite, 32-bit data, a window of 64 KiB (16-bit byte addresses). An access outside the map answers an error.

pub mod control;
pub mod counters;
pub mod entry;
pub mod event;
pub mod flow;
pub mod id;
pub mod law;
pub mod meter;
pub mod pacer;
pub mod pfc;
pub mod rate;
pub mod table;
pub mod timer;
pub mod upcall;

/// Size of the window, bytes.
pub const WINDOW_BYTES: usize = 1 << ADDRESS_BITS;
/// Width of a byte address in the window, bits.
pub const ADDRESS_BITS: usize = 16;
/// Version of this map: `ID` block, `MAP_VERSION`. One more with every incompatible change.
pub const MAP_VERSION_VALUE: u32 = 4;

/// Who may do what with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read only; a write answers an error.
    RO,
    /// Read and write; reads give what was last written.
    RW,
    /// Write only; a read gives 0.
    WO,
}

/// Some bits of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegField {
    /// Name.
    pub name: &'static str,
    /// Least significant bit.
    pub lsb: u32,
    /// Width in bits.
    pub bits: u32,
    /// What it says, with its unit.
    pub doc: &'static str,
}

impl RegField {
    /// A field of `bits` bits from bit `lsb` up.
    pub const fn new(name: &'static str, lsb: u32, bits: u32, doc: &'static str) -> Self {
        assert!(bits >= 1 && lsb + bits <= 32, "a field lies in 32 bits");
        RegField { name, lsb, bits, doc }
    }

    /// The largest value.
    pub const fn max(&self) -> u32 {
        u32::MAX >> (32 - self.bits)
    }

    /// The field's bits within the register.
    pub const fn mask(&self) -> u32 {
        self.max() << self.lsb
    }

    /// The field's value in a register's `word`.
    pub const fn get(&self, word: u32) -> u32 {
        (word >> self.lsb) & self.max()
    }

    /// `word` with the field replaced by `value`; bits above the width are ignored.
    pub const fn with(&self, word: u32, value: u32) -> u32 {
        (word & !self.mask()) | ((value & self.max()) << self.lsb)
    }
}

/// One 32-bit register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reg {
    /// Name: the block's noun first.
    pub name: &'static str,
    /// Byte address in the window.
    pub offset: u16,
    /// Who may do what.
    pub access: Access,
    /// Fields, lowest first; none when the register is one number.
    pub fields: &'static [RegField],
    /// What it says or does, with its unit.
    pub doc: &'static str,
}

impl Reg {
    /// A register at byte address `offset`.
    pub const fn new(
        name: &'static str,
        offset: u16,
        access: Access,
        fields: &'static [RegField],
        doc: &'static str,
    ) -> Self {
        Reg { name, offset, access, fields, doc }
    }
}

/// A block of registers: one noun, one file.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Name.
    pub name: &'static str,
    /// First byte address.
    pub base: u16,
    /// Size of its part of the window, bytes.
    pub bytes: u16,
    /// Its registers in address order.
    pub map: &'static [Reg],
    /// What it is for.
    pub doc: &'static str,
}

impl Block {
    /// Whether registers are 4-byte aligned, in address order without overlap, and inside the block; and the fields
    /// of each lie in 32 bits, lowest first, without overlap.
    pub const fn is_sound(&self) -> bool {
        let (mut i, mut next) = (0, self.base as u32);
        while i < self.map.len() {
            let reg = &self.map[i];
            let at = reg.offset as u32;
            if !at.is_multiple_of(4) || at < next || !fields_are_sound(reg.fields) {
                return false;
            }
            next = at + 4;
            i += 1;
        }
        next <= self.base as u32 + self.bytes as u32
    }
}

/// A banked table as the host sees it: words of its shadow bank, read and written.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Name.
    pub name: &'static str,
    /// First byte address.
    pub base: u16,
    /// Entries.
    pub entries: usize,
    /// Words of an entry.
    pub words: usize,
    /// What the words say.
    pub doc: &'static str,
}

impl Window {
    /// Bytes from a word to the next.
    pub const STRIDE: usize = 4;

    /// Words of the table.
    pub const fn length(&self) -> usize {
        self.entries * self.words
    }

    /// Byte address of a word.
    pub const fn address(&self, word: usize) -> u16 {
        assert!(word < self.length(), "the word is in the table");
        self.base + (Self::STRIDE * word) as u16
    }
}

/// Whether fields lie in 32 bits, lowest first, without overlap.
const fn fields_are_sound(fields: &[RegField]) -> bool {
    let (mut i, mut next) = (0, 0);
    while i < fields.len() {
        if fields[i].bits == 0 || fields[i].lsb < next {
            return false;
        }
        next = fields[i].lsb + fields[i].bits;
        i += 1;
    }
    next <= 32
}

/// Every block, in address order.
pub const BLOCKS: &[Block] = &[
    id::BLOCK,
    control::BLOCK,
    pacer::BLOCK,
    law::BLOCK,
    flow::BLOCK,
    counters::BLOCK,
    table::BLOCK,
    meter::BLOCK,
    event::BLOCK,
    upcall::BLOCK,
    pfc::BLOCK,
    timer::BLOCK,
    rate::BLOCK,
];

const _: () = {
    let (mut i, mut next) = (0, 0u32);
    while i < BLOCKS.len() {
        assert!(BLOCKS[i].base as u32 >= next, "blocks are in address order and do not overlap");
        assert!(BLOCKS[i].is_sound(), "registers are aligned, in order, in their block; fields do not overlap");
        next = BLOCKS[i].base as u32 + BLOCKS[i].bytes as u32;
        i += 1;
    }
    assert!(next <= table::WINDOWS[0].base as u32, "the blocks lie before the windows of tables");
};

/// Every register, in address order.
pub fn all() -> impl Iterator<Item = &'static Reg> {
    BLOCKS.iter().flat_map(|block| block.map)
}

/// The register at a byte address, if there is one.
pub fn at(offset: u16) -> Option<&'static Reg> {
    all().find(|reg| reg.offset == offset)
}

/// The register of a name, if there is one.
pub fn named(name: &str) -> Option<&'static Reg> {
    all().find(|reg| reg.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn block(base: u16, bytes: u16, map: &'static [Reg]) -> Block {
        Block { name: "x", base, bytes, map, doc: "" }
    }
    const fn reg(offset: u16, fields: &'static [RegField]) -> Reg {
        Reg::new("x", offset, Access::RW, fields, "")
    }
    const fn field(lsb: u32, bits: u32) -> RegField {
        RegField { name: "x", lsb, bits, doc: "" }
    }

    #[test]
    fn the_proof_refuses_what_is_wrong() {
        const F: &[RegField] = &[field(0, 4), field(4, 28)];
        const OVERLAP: &[RegField] = &[field(0, 4), field(3, 2)];
        const OUTSIDE: &[RegField] = &[field(0, 4), field(30, 3)];
        assert!(block(16, 8, const { &[reg(16, F), reg(20, &[])] }).is_sound());
        assert!(!block(16, 8, const { &[reg(16, OVERLAP)] }).is_sound());
        assert!(!block(16, 8, const { &[reg(16, OUTSIDE)] }).is_sound());
        assert!(!block(16, 8, const { &[reg(18, &[])] }).is_sound());
        assert!(!block(16, 8, const { &[reg(16, &[]), reg(16, &[])] }).is_sound());
        assert!(!block(16, 8, const { &[reg(12, &[])] }).is_sound());
        assert!(!block(16, 8, const { &[reg(24, &[])] }).is_sound());
    }

    #[test]
    fn fields_are_read_and_replaced() {
        let f = field(8, 8);
        assert_eq!((f.get(0x1234_5678), f.with(0x1234_5678, 0x3ab)), (0x56, 0x1234_ab78));
        assert_eq!(field(0, 32).with(5, u32::MAX), u32::MAX);
    }

    #[test]
    fn registers_are_found_and_names_are_unique() {
        assert_eq!(at(0).unwrap().name, "ID_MAGIC");
        assert!(at(2).is_none());
        for reg in all() {
            assert_eq!(named(reg.name), Some(reg));
            assert_eq!(at(reg.offset), Some(reg));
            assert!(!reg.doc.is_empty());
        }
    }
}
