//! Atomic extended transport header (IBTA 1.6, 9.3): COMPARE and SWAP, FETCH and ADD.

header! {
    /// Atomic extended transport header.
    AtomicEth, 28 bytes, "IBTA 1.6, 9.3";
    /// Virtual address.
    VIRTUAL_ADDRESS virtual_address: u64 = 0, 64;
    /// Remote key.
    RKEY rkey: u32 = 64, 32;
    /// Value to swap in, or to add.
    SWAP_OR_ADD swap_or_add: u64 = 96, 64;
    /// Value to compare with.
    COMPARE compare: u64 = 160, 64;
}

#[cfg(test)]
mod tests {
    use super::*;

    golden!(
        AtomicEth {
            virtual_address: 0x0102_0304_0506_0708,
            rkey: 0x1112_1314,
            swap_or_add: 0x2122_2324_2526_2728,
            compare: 0x3132_3334_3536_3738,
        },
        [
            0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x11, 0x12, 0x13, 0x14, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26,
            0x27, 0x28, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38,
        ]
    );
}
