//! VLAN tag: what follows its own TPID, and the EtherType behind it (IEEE 802.1Q clause 9).
//!
//! The TPID itself stands where the Ethernet header (or the tag before) has its EtherType, so a tag takes four
//! bytes and the layer-3 header begins at byte 14 + 4 * tags.

/// TPID of a customer tag (IEEE 802.1Q).
pub const TPID_CUSTOMER: u16 = 0x8100;
/// TPID of a service tag (IEEE 802.1ad).
pub const TPID_SERVICE: u16 = 0x88a8;
/// Most tags that are looked through; a frame with more is bypassed.
pub const MAX_TAGS: usize = 2;

/// Whether an EtherType announces a tag that is looked through.
pub const fn is_tpid(ethertype: u16) -> bool {
    matches!(ethertype, TPID_CUSTOMER | TPID_SERVICE)
}

header! {
    /// VLAN tag, from the TCI on.
    Vlan, 4 bytes, "IEEE 802.1Q clause 9";
    /// Priority code point.
    PCP pcp: u8 = 0, 3;
    /// Drop eligible indicator.
    DEI dei: u8 = 3, 1;
    /// VLAN identifier.
    VID vid: u16 = 4, 12;
    /// EtherType of what follows, or the next tag's TPID.
    ETHERTYPE ethertype: u16 = 16, 16;
}

#[cfg(test)]
mod tests {
    use super::*;

    golden!(Vlan { pcp: 3, dei: 0, vid: 100, ethertype: 0x0800 }, [0x60, 0x64, 0x08, 0x00]);
}
