//! Management datagram header (IBTA 1.6, 13.4.3): a UD packet for queue pair 1, behind its BTH and DETH.

/// Management class of communication management.
pub const CLASS_CM: u8 = 0x07;
/// Method of every communication management message.
pub const METHOD_SEND: u8 = 0x03;
/// Class version of communication management.
pub const CLASS_VERSION_CM: u8 = 2;
/// Queue pair that management datagrams go to.
pub const QP_GSI: u32 = 1;
/// Length of a whole management datagram, bytes.
pub const MAD_BYTES: usize = 256;

header! {
    /// Management datagram header.
    Mad, 24 bytes, "IBTA 1.6, 13.4.3";
    /// Base version: 1.
    BASE_VERSION base_version: u8 = 0, 8;
    /// Management class.
    CLASS class: u8 = 8, 8;
    /// Class version.
    CLASS_VERSION class_version: u8 = 16, 8;
    /// Method.
    METHOD method: u8 = 24, 8;
    /// Status.
    STATUS status: u16 = 32, 16;
    /// Class specific.
    CLASS_SPECIFIC class_specific: u16 = 48, 16;
    /// Transaction id.
    TRANSACTION_ID transaction_id: u64 = 64, 64;
    /// Attribute: see `cm`.
    ATTRIBUTE attribute: u16 = 128, 16;
    /// Reserved.
    RESERVED reserved: u16 = 144, 16;
    /// Attribute modifier.
    MODIFIER modifier: u32 = 160, 32;
}

#[cfg(test)]
mod tests {
    use super::*;

    golden!(
        Mad {
            base_version: 1,
            class: CLASS_CM,
            class_version: CLASS_VERSION_CM,
            method: METHOD_SEND,
            status: 0,
            class_specific: 0,
            transaction_id: 0x0000_0002_70eb_2983,
            attribute: super::super::cm::ATTRIBUTE_REQ,
            reserved: 0,
            modifier: 0,
        },
        [1, 7, 2, 3, 0, 0, 0, 0, 0, 0, 0, 2, 0x70, 0xeb, 0x29, 0x83, 0, 0x10, 0, 0, 0, 0, 0, 0]
    );
}
