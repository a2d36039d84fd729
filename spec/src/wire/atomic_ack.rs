//! Atomic acknowledge extended transport header (IBTA 1.6, 9.3): behind the AETH of an ATOMIC response.

header! {
    /// Atomic acknowledge extended transport header.
    AtomicAckEth, 8 bytes, "IBTA 1.6, 9.3";
    /// Value before the operation.
    ORIGINAL original: u64 = 0, 64;
}

#[cfg(test)]
mod tests {
    use super::*;

    golden!(AtomicAckEth { original: 0x0102_0304_0506_0708 }, [1, 2, 3, 4, 5, 6, 7, 8]);
}
