//! Flush extended transport header (IBTA 1.6 annex A19): between the BTH and the RETH of a FLUSH.

header! {
    /// Flush extended transport header.
    Feth, 4 bytes, "IBTA 1.6 annex A19";
    /// Reserved.
    RESERVED reserved: u32 = 0, 26;
    /// Selectivity level: 0 range of the RETH, 1 whole memory region.
    SELECTIVITY selectivity: u8 = 26, 2;
    /// Placement type: bit 0 global visibility, bit 1 persistence.
    PLACEMENT placement: u8 = 28, 4;
}

#[cfg(test)]
mod tests {
    use super::*;

    golden!(Feth { reserved: 0, selectivity: 1, placement: 2 }, [0, 0, 0, 0x12]);
}
