//! IPv6 header (RFC 8200 3), with no extension header behind it.

/// Version field of IPv6.
pub const VERSION_6: u8 = 6;
/// Next-header number of UDP.
pub const NEXT_UDP: u8 = 17;

header! {
    /// IPv6 header.
    Ipv6, 40 bytes, "RFC 8200 3";
    /// Version: 6.
    VERSION version: u8 = 0, 4;
    /// Traffic class: DSCP and ECN.
    TRAFFIC_CLASS traffic_class: u8 = 4, 8;
    /// Flow label.
    FLOW_LABEL flow_label: u32 = 12, 20;
    /// Length of what follows this header, bytes.
    PAYLOAD_LENGTH payload_length: u16 = 32, 16;
    /// Protocol of what follows.
    NEXT_HEADER next_header: u8 = 48, 8;
    /// Hop limit, hops.
    HOP_LIMIT hop_limit: u8 = 56, 8;
    /// Source address.
    SRC src: u128 = 64, 128;
    /// Destination address.
    DST dst: u128 = 192, 128;
}

#[cfg(test)]
mod tests {
    use super::*;

    golden!(
        Ipv6 {
            version: 6,
            traffic_class: 0xb9,
            flow_label: 0x1_2345,
            payload_length: 28,
            next_header: NEXT_UDP,
            hop_limit: 64,
            src: 0x2001_0db8_0000_0000_0000_0000_0000_0002,
            dst: 0x2001_0db8_0000_0000_0000_0000_0000_0001,
        },
        [
            0x6b, 0x91, 0x23, 0x45, 0, 28, 17, 64, 0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0x20,
            0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
        ]
    );
}
