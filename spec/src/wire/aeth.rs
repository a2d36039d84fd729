//! ACK extended transport header (IBTA 1.6, 9.3 and 9.7.5).

/// Syndrome of an ACK that carries no credits: what a gateway says.
pub const ACK: u8 = 0x1f;
/// Syndrome of an RNR NAK with timer code 0; the timer code is in the low five bits.
pub const RNR: u8 = 0x20;
/// Syndrome of a NAK: PSN sequence error.
pub const NAK_PSN_SEQUENCE: u8 = 0x60;
/// Syndrome of a NAK: invalid request.
pub const NAK_INVALID_REQUEST: u8 = 0x61;
/// Syndrome of a NAK: remote access error.
pub const NAK_REMOTE_ACCESS: u8 = 0x62;
/// Syndrome of a NAK: remote operational error.
pub const NAK_REMOTE_OPERATIONAL: u8 = 0x63;
/// Syndrome of a NAK: invalid RD request.
pub const NAK_INVALID_RD_REQUEST: u8 = 0x64;

/// A positive acknowledgement: 000xxxxx, the low bits a credit count.
pub const fn is_ack(syndrome: u8) -> bool {
    syndrome >> 5 == 0
}

/// Receiver not ready: 001xxxxx, the low bits a timer code.
pub const fn is_rnr(syndrome: u8) -> bool {
    syndrome >> 5 == 1
}

/// A negative acknowledgement: 011xxxxx, the low bits a reason.
pub const fn is_nak(syndrome: u8) -> bool {
    syndrome >> 5 == 3
}

/// The syndrome of an RNR NAK with a 5-bit timer code.
pub const fn rnr(timer_code: u8) -> u8 {
    RNR | (timer_code & 0x1f)
}

header! {
    /// ACK extended transport header.
    Aeth, 4 bytes, "IBTA 1.6, 9.3";
    /// ACK, RNR or NAK, with its code.
    SYNDROME syndrome: u8 = 0, 8;
    /// Message sequence number: messages the responder has completed, modulo 2^24.
    MSN msn: u32 = 8, 24;
}

#[cfg(test)]
mod tests {
    use super::*;

    golden!(Aeth { syndrome: ACK, msn: 1 }, [0x1f, 0, 0, 1]);

    #[test]
    fn every_syndrome_has_at_most_one_kind() {
        for s in 0..=255u8 {
            let kinds = [is_ack(s), is_rnr(s), is_nak(s)].iter().filter(|k| **k).count();
            assert_eq!(kinds, usize::from(!matches!(s >> 5, 2 | 4..=7)), "{s:#x}");
        }
        assert!(is_ack(ACK) && is_rnr(rnr(14)) && is_nak(NAK_REMOTE_OPERATIONAL));
    }
}
