//! Congestion notification packet (IBTA 1.6 annex A17): BTH with opcode 0x81, BECN 1, AckReq 0, PSN 0, then this.

header! {
    /// Payload of a congestion notification packet.
    Cnp, 16 bytes, "IBTA 1.6 annex A17";
    /// Zero.
    RESERVED reserved: u128 = 0, 128;
}

#[cfg(test)]
mod tests {
    use super::*;

    golden!(Cnp { reserved: 0 }, [0; 16]);
}
