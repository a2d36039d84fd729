//! RDMA extended transport header (IBTA 1.6, 9.3): WRITE FIRST and ONLY, READ request, FLUSH, ATOMIC WRITE.

header! {
    /// RDMA extended transport header.
    Reth, 16 bytes, "IBTA 1.6, 9.3";
    /// Virtual address.
    VIRTUAL_ADDRESS virtual_address: u64 = 0, 64;
    /// Remote key.
    RKEY rkey: u32 = 64, 32;
    /// Length of the whole operation, bytes.
    DMA_LENGTH dma_length: u32 = 96, 32;
}

#[cfg(test)]
mod tests {
    use super::*;

    golden!(
        Reth { virtual_address: 0x558f_9f25_2000, rkey: 0x496, dma_length: 16384 },
        [0, 0, 0x55, 0x8f, 0x9f, 0x25, 0x20, 0, 0, 0, 0x04, 0x96, 0, 0, 0x40, 0]
    );
}
