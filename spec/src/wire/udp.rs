//! UDP header (RFC 768).

/// Destination port of RoCEv2 (IANA "roce", IBTA 1.6 annex A17).
pub const PORT_ROCE: u16 = 4791;

header! {
    /// UDP header.
    Udp, 8 bytes, "RFC 768";
    /// Source port: in RoCEv2 entropy for equal-cost paths, constant for a queue pair.
    SRC_PORT src_port: u16 = 0, 16;
    /// Destination port.
    DST_PORT dst_port: u16 = 16, 16;
    /// Length of this header and what follows, bytes.
    LENGTH length: u16 = 32, 16;
    /// Checksum; 0 = none, as RoCEv2 senders have it.
    CHECKSUM checksum: u16 = 48, 16;
}

#[cfg(test)]
mod tests {
    use super::*;

    golden!(
        Udp { src_port: 0xc169, dst_port: PORT_ROCE, length: 0x428, checksum: 0 },
        [0xc1, 0x69, 0x12, 0xb7, 0x04, 0x28, 0, 0]
    );
}
