//! Invalidate extended transport header (IBTA 1.6, 9.3): SEND with invalidate.

header! {
    /// Invalidate extended transport header.
    Ieth, 4 bytes, "IBTA 1.6, 9.3";
    /// Remote key to invalidate.
    RKEY rkey: u32 = 0, 32;
}

#[cfg(test)]
mod tests {
    use super::*;

    golden!(Ieth { rkey: 0x0102_0304 }, [1, 2, 3, 4]);
}
