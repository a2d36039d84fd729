//! Datagram extended transport header (IBTA 1.6, 9.3): before a MAD on queue pair 1.

header! {
    /// Datagram extended transport header.
    Deth, 8 bytes, "IBTA 1.6, 9.3";
    /// Queue key.
    QKEY qkey: u32 = 0, 32;
    /// Reserved.
    RESERVED reserved: u8 = 32, 8;
    /// Source queue pair number.
    SRC_QP src_qp: u32 = 40, 24;
}

/// The queue key of queue pair 1 (IBTA 1.6).
pub const QKEY_GSI: u32 = 0x8001_0000;

#[cfg(test)]
mod tests {
    use super::*;

    golden!(Deth { qkey: QKEY_GSI, reserved: 0, src_qp: 1 }, [0x80, 0x01, 0, 0, 0, 0, 0, 1]);
}
