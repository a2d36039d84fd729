//! Ethernet header (IEEE 802.3 clause 3), without preamble and FCS, which the MAC keeps to itself.

/// EtherType of IPv4 (RFC 894).
pub const TYPE_IPV4: u16 = 0x0800;
/// EtherType of IPv6 (RFC 2464).
pub const TYPE_IPV6: u16 = 0x86dd;
/// EtherType of MAC control frames: PAUSE and PFC (IEEE 802.3 clause 31).
pub const TYPE_MAC_CONTROL: u16 = 0x8808;
/// EtherType "local experimental 1" (IEEE 802), which budget frames use.
pub const TYPE_LOCAL_EXPERIMENTAL: u16 = 0x88b5;

header! {
    /// Ethernet header.
    Eth, 14 bytes, "IEEE 802.3 clause 3";
    /// Destination MAC address.
    DST dst: u64 = 0, 48;
    /// Source MAC address.
    SRC src: u64 = 48, 48;
    /// EtherType of what follows, or a tag's TPID.
    ETHERTYPE ethertype: u16 = 96, 16;
}

#[cfg(test)]
mod tests {
    use super::*;

    golden!(
        Eth { dst: 0x5254_0000_000b, src: 0x5254_0000_000a, ethertype: TYPE_IPV4 },
        [0x52, 0x54, 0, 0, 0, 0x0b, 0x52, 0x54, 0, 0, 0, 0x0a, 0x08, 0x00]
    );
}
