//! Block `ID`: what this core is. The driver finds the core by its first word.

use super::{Access::*, Block, Reg, MAP_VERSION_VALUE};
use crate::params;

/// What `ID_MAGIC` reads: "MRD1".
pub const MAGIC_VALUE: u32 = 0x4d52_4431;
/// What `ID_MAP_VERSION` reads.
pub const VERSION_VALUE: u32 = MAP_VERSION_VALUE;

/// 0x4d524431.
pub const MAGIC: Reg = Reg::new("ID_MAGIC", 0x0000, RO, &[], "0x4d524431, \"MRD1\"");
/// Version of the map.
pub const MAP_VERSION: Reg = Reg::new("ID_MAP_VERSION", 0x0004, RO, &[], "version of this map");
/// Flows.
pub const CAPS_FLOWS: Reg = Reg::new("CAPS_FLOWS", 0x0008, RO, &[], "flows with state of their own");
/// Paths.
pub const CAPS_PATHS: Reg = Reg::new("CAPS_PATHS", 0x000c, RO, &[], "paths");
/// Prefixes.
pub const CAPS_PREFIXES: Reg = Reg::new("CAPS_PREFIXES", 0x0010, RO, &[], "prefixes of the route table");
/// Datapath width.
pub const CAPS_DATA_BITS: Reg = Reg::new("CAPS_DATA_BITS", 0x0014, RO, &[], "width of the datapath, bits");
/// Core clock.
pub const CAPS_CLOCK_HZ: Reg = Reg::new("CAPS_CLOCK_HZ", 0x0018, RO, &[], "core clock, Hz");
/// Outbound packet memory.
pub const CAPS_OUTBOUND_BYTES: Reg =
    Reg::new("CAPS_OUTBOUND_BYTES", 0x001c, RO, &[], "packet memory client to line, bytes");
/// Inbound packet memory.
pub const CAPS_EGRESS_BYTES: Reg =
    Reg::new("CAPS_EGRESS_BYTES", 0x0020, RO, &[], "packet memory line to client, bytes");
/// Scratch.
pub const SCRATCH: Reg = Reg::new("ID_SCRATCH", 0x0024, RW, &[], "no effect: reads what was written; 0 after reset");

/// In address order.
pub const MAP: &[Reg] = &[
    MAGIC,
    MAP_VERSION,
    CAPS_FLOWS,
    CAPS_PATHS,
    CAPS_PREFIXES,
    CAPS_DATA_BITS,
    CAPS_CLOCK_HZ,
    CAPS_OUTBOUND_BYTES,
    CAPS_EGRESS_BYTES,
    SCRATCH,
];

/// What the read-only registers of the block read in a core of these sizes, in address order.
pub const fn values(clock_hz: u32) -> [u32; 9] {
    [
        MAGIC_VALUE,
        VERSION_VALUE,
        params::FLOWS as u32,
        params::PATHS as u32,
        params::PREFIXES as u32,
        params::DATA_BITS as u32,
        clock_hz,
        params::RING_BYTES as u32,
        params::RING_BYTES as u32,
    ]
}

/// The block.
pub const BLOCK: Block = Block { name: "ID", base: 0x0000, bytes: 0x100, map: MAP, doc: "What this core is." };

const _: () = assert!(BLOCK.is_sound());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_in_address_order() {
        let values = values(250_000_000);
        assert_eq!(MAGIC_VALUE.to_be_bytes(), *b"MRD1");
        assert_eq!(values[usize::from(CAPS_CLOCK_HZ.offset) / 4], 250_000_000);
        assert_eq!(values[usize::from(CAPS_EGRESS_BYTES.offset) / 4], 1 << 20);
        assert_eq!(values.len(), MAP.iter().filter(|reg| reg.access == RO).count());
    }
}
