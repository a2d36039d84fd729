//! Base transport header (IBTA 1.6, 9.2).

/// The byte of the header that the ICRC masks: FECN, BECN and reserved bits (IBTA 1.6 annex A17).
pub const MASKED_BYTE: usize = 4;
/// The default partition key.
pub const PKEY_DEFAULT: u16 = 0xffff;

header! {
    /// Base transport header.
    Bth, 12 bytes, "IBTA 1.6, 9.2";
    /// Operation code: see `opcode`.
    OPCODE opcode: u8 = 0, 8;
    /// Solicited event.
    SOLICITED solicited: u8 = 8, 1;
    /// Migration state.
    MIG_REQ mig_req: u8 = 9, 1;
    /// Bytes of padding behind the payload, 0 to 3.
    PAD_COUNT pad_count: u8 = 10, 2;
    /// Transport header version: 0.
    VERSION version: u8 = 12, 4;
    /// Partition key.
    PKEY pkey: u16 = 16, 16;
    /// Forward explicit congestion notification.
    FECN fecn: u8 = 32, 1;
    /// Backward explicit congestion notification.
    BECN becn: u8 = 33, 1;
    /// Reserved, and masked by the ICRC.
    RESERVED6 reserved6: u8 = 34, 6;
    /// Destination queue pair number.
    DEST_QP dest_qp: u32 = 40, 24;
    /// Acknowledgement requested.
    ACK_REQ ack_req: u8 = 64, 1;
    /// Reserved.
    RESERVED7 reserved7: u8 = 65, 7;
    /// Packet sequence number.
    PSN psn: u32 = 72, 24;
}

#[cfg(test)]
mod tests {
    use super::*;

    golden!(
        Bth {
            opcode: 0x06,
            solicited: 0,
            mig_req: 1,
            pad_count: 3,
            version: 0,
            pkey: PKEY_DEFAULT,
            fecn: 0,
            becn: 1,
            reserved6: 0,
            dest_qp: 0x13,
            ack_req: 1,
            reserved7: 0,
            psn: 0x64_c03e,
        },
        [0x06, 0x70, 0xff, 0xff, 0x40, 0, 0, 0x13, 0x80, 0x64, 0xc0, 0x3e]
    );
}
