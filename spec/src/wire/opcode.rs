//! Operation codes of the BTH (IBTA 1.6, 9.2, and annex A19): bits 7:5 the transport, bits 4:0 the operation.
//!
//! The functions take the whole byte. All but [`transport`] are about reliable connection and say "no" (or 0) for
//! every other transport.

/// Transport of reliable connection.
pub const TRANSPORT_RC: u8 = 0;
/// Transport of unreliable connection.
pub const TRANSPORT_UC: u8 = 1;
/// Transport of reliable datagram.
pub const TRANSPORT_RD: u8 = 2;
/// Transport of unreliable datagram.
pub const TRANSPORT_UD: u8 = 3;
/// Transport of congestion notification.
pub const TRANSPORT_CNP: u8 = 4;
/// Transport of extended reliable connection.
pub const TRANSPORT_XRC: u8 = 5;

/// SEND first.
pub const SEND_FIRST: u8 = 0x00;
/// SEND middle.
pub const SEND_MIDDLE: u8 = 0x01;
/// SEND last.
pub const SEND_LAST: u8 = 0x02;
/// SEND last with immediate.
pub const SEND_LAST_IMM: u8 = 0x03;
/// SEND only.
pub const SEND_ONLY: u8 = 0x04;
/// SEND only with immediate.
pub const SEND_ONLY_IMM: u8 = 0x05;
/// RDMA WRITE first.
pub const WRITE_FIRST: u8 = 0x06;
/// RDMA WRITE middle.
pub const WRITE_MIDDLE: u8 = 0x07;
/// RDMA WRITE last.
pub const WRITE_LAST: u8 = 0x08;
/// RDMA WRITE last with immediate.
pub const WRITE_LAST_IMM: u8 = 0x09;
/// RDMA WRITE only.
pub const WRITE_ONLY: u8 = 0x0a;
/// RDMA WRITE only with immediate.
pub const WRITE_ONLY_IMM: u8 = 0x0b;
/// RDMA READ request.
pub const READ_REQUEST: u8 = 0x0c;
/// RDMA READ response first.
pub const READ_RESPONSE_FIRST: u8 = 0x0d;
/// RDMA READ response middle.
pub const READ_RESPONSE_MIDDLE: u8 = 0x0e;
/// RDMA READ response last.
pub const READ_RESPONSE_LAST: u8 = 0x0f;
/// RDMA READ response only; also answers FLUSH and ATOMIC WRITE.
pub const READ_RESPONSE_ONLY: u8 = 0x10;
/// Acknowledge.
pub const ACKNOWLEDGE: u8 = 0x11;
/// ATOMIC acknowledge.
pub const ATOMIC_ACKNOWLEDGE: u8 = 0x12;
/// COMPARE and SWAP.
pub const CMP_SWAP: u8 = 0x13;
/// FETCH and ADD.
pub const FETCH_ADD: u8 = 0x14;
/// SEND last with invalidate.
pub const SEND_LAST_INV: u8 = 0x16;
/// SEND only with invalidate.
pub const SEND_ONLY_INV: u8 = 0x17;
/// FLUSH (IBTA 1.6 annex A19).
pub const FLUSH: u8 = 0x1c;
/// ATOMIC WRITE (IBTA 1.6 annex A19).
pub const ATOMIC_WRITE: u8 = 0x1d;
/// SEND only of unreliable datagram: what carries a management datagram.
pub const UD_SEND_ONLY: u8 = 0x64;
/// Congestion notification packet (IBTA 1.6 annex A17).
pub const CNP: u8 = 0x81;

/// The transport of an opcode: bits 7:5.
pub const fn transport(op: u8) -> u8 {
    op >> 5
}

/// Whether this is an RC opcode that has a meaning; 0x15, 0x18..=0x1b, 0x1e and 0x1f have none.
pub const fn known_rc(op: u8) -> bool {
    matches!(op, 0x00..=0x14 | 0x16 | 0x17 | 0x1c | 0x1d)
}

/// From the requester: SEND, WRITE, READ request, atomics, FLUSH, ATOMIC WRITE.
pub const fn is_request(op: u8) -> bool {
    known_rc(op) && !is_response(op)
}

/// From the responder: READ response, ACKNOWLEDGE (ACK, NAK, RNR), ATOMIC acknowledge.
pub const fn is_response(op: u8) -> bool {
    matches!(op, READ_RESPONSE_FIRST..=ATOMIC_ACKNOWLEDGE)
}

/// READ response of any position.
pub const fn is_read_response(op: u8) -> bool {
    matches!(op, READ_RESPONSE_FIRST..=READ_RESPONSE_ONLY)
}

/// SEND of any position, with immediate and invalidate.
pub const fn is_send(op: u8) -> bool {
    matches!(op, SEND_FIRST..=SEND_ONLY_IMM | SEND_LAST_INV | SEND_ONLY_INV)
}

/// WRITE of any position, with immediate.
pub const fn is_write(op: u8) -> bool {
    matches!(op, WRITE_FIRST..=WRITE_ONLY_IMM)
}

/// COMPARE and SWAP or FETCH and ADD.
pub const fn is_atomic(op: u8) -> bool {
    matches!(op, CMP_SWAP | FETCH_ADD)
}

/// FIRST of a SEND, WRITE or READ response.
pub const fn is_first(op: u8) -> bool {
    matches!(op, SEND_FIRST | WRITE_FIRST | READ_RESPONSE_FIRST)
}

/// MIDDLE of a SEND, WRITE or READ response.
pub const fn is_middle(op: u8) -> bool {
    matches!(op, SEND_MIDDLE | WRITE_MIDDLE | READ_RESPONSE_MIDDLE)
}

/// LAST of a SEND, WRITE or READ response, with immediate and invalidate.
pub const fn is_last(op: u8) -> bool {
    matches!(op, SEND_LAST | SEND_LAST_IMM | WRITE_LAST | WRITE_LAST_IMM | READ_RESPONSE_LAST | SEND_LAST_INV)
}

/// ONLY of a SEND, WRITE or READ response, with immediate and invalidate. Requests of a single packet that have no
/// FIRST form (READ, atomics, FLUSH, ATOMIC WRITE) are not meant.
pub const fn is_only(op: u8) -> bool {
    matches!(op, SEND_ONLY | SEND_ONLY_IMM | WRITE_ONLY | WRITE_ONLY_IMM | READ_RESPONSE_ONLY | SEND_ONLY_INV)
}

/// A request packet that ends a message, so that the responder's MSN counts one more (IBTA 1.6, 9.7).
pub const fn completes_message(op: u8) -> bool {
    is_request(op) && !is_first(op) && !is_middle(op)
}

/// A request that has a response or a real ACK of its own to wait for before any later pseudo-ACK.
/// READ, atomics, FLUSH and ATOMIC WRITE always; with `ack_ops_write` also everything but WRITE without immediate.
pub const fn is_barrier(op: u8, ack_ops_write: bool) -> bool {
    let waits = matches!(op, READ_REQUEST | CMP_SWAP | FETCH_ADD | FLUSH | ATOMIC_WRITE);
    waits || (ack_ops_write && (is_send(op) || matches!(op, WRITE_LAST_IMM | WRITE_ONLY_IMM)))
}

/// Whether a RETH follows the BTH directly and its DMA length is the message's: WRITE FIRST and ONLY, READ request.
pub const fn has_reth(op: u8) -> bool {
    matches!(op, WRITE_FIRST | WRITE_ONLY | WRITE_ONLY_IMM | READ_REQUEST)
}

/// Whether an AETH follows the BTH.
pub const fn has_aeth(op: u8) -> bool {
    is_response(op) && op != READ_RESPONSE_MIDDLE
}

/// Bytes of extension headers between BTH and payload of an RC packet; 0 for unknown opcodes.
pub const fn ext_header_bytes(op: u8) -> usize {
    match op {
        SEND_LAST_IMM | SEND_ONLY_IMM | WRITE_LAST_IMM => 4,
        WRITE_FIRST | WRITE_ONLY | READ_REQUEST | ATOMIC_WRITE => 16,
        WRITE_ONLY_IMM | FLUSH => 20,
        READ_RESPONSE_FIRST | READ_RESPONSE_LAST | READ_RESPONSE_ONLY | ACKNOWLEDGE => 4,
        ATOMIC_ACKNOWLEDGE => 12,
        CMP_SWAP | FETCH_ADD => 28,
        SEND_LAST_INV | SEND_ONLY_INV => 4,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn those(f: impl Fn(u8) -> bool) -> Vec<u8> {
        (0..=255).filter(|op| f(*op)).collect()
    }

    #[test]
    fn every_opcode_is_in_its_sets() {
        let unknown = [0x15, 0x18, 0x19, 0x1a, 0x1b, 0x1e, 0x1f];
        assert_eq!(those(|op| transport(op) == TRANSPORT_RC && !known_rc(op)), unknown);
        assert_eq!(those(known_rc).len(), 25);
        assert_eq!(those(is_response), [0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12]);
        assert_eq!(those(is_request).len(), 19);
        assert_eq!(those(is_first), [0x00, 0x06, 0x0d]);
        assert_eq!(those(is_middle), [0x01, 0x07, 0x0e]);
        assert_eq!(those(is_last), [0x02, 0x03, 0x08, 0x09, 0x0f, 0x16]);
        assert_eq!(those(is_only), [0x04, 0x05, 0x0a, 0x0b, 0x10, 0x17]);
        let complete = [2, 3, 4, 5, 8, 9, 0x0a, 0x0b, 0x0c, 0x13, 0x14, 0x16, 0x17, 0x1c, 0x1d];
        assert_eq!(those(completes_message), complete);
        assert_eq!(those(|op| is_barrier(op, false)), [0x0c, 0x13, 0x14, 0x1c, 0x1d]);
        let but_writes = [0, 1, 2, 3, 4, 5, 9, 0x0b, 0x0c, 0x13, 0x14, 0x16, 0x17, 0x1c, 0x1d];
        assert_eq!(those(|op| is_barrier(op, true)), but_writes);
        assert_eq!(those(has_reth), [0x06, 0x0a, 0x0b, 0x0c]);
        assert_eq!(those(has_aeth), [0x0d, 0x0f, 0x10, 0x11, 0x12]);
        assert_eq!(those(|op| ext_header_bytes(op) != 0 && !known_rc(op)), []);
        assert_eq!(transport(CNP), TRANSPORT_CNP);
        assert_eq!((transport(UD_SEND_ONLY), UD_SEND_ONLY % 32), (TRANSPORT_UD, SEND_ONLY));
    }

    #[test]
    fn extension_headers_are_as_long_as_their_parts() {
        use crate::wire::{aeth, atomic, atomic_ack, feth, ieth, immediate, reth};
        for op in 0..=255u8 {
            let imm = matches!(op, SEND_LAST_IMM | SEND_ONLY_IMM | WRITE_LAST_IMM | WRITE_ONLY_IMM);
            let sum = usize::from(has_reth(op) || op == FLUSH || op == ATOMIC_WRITE) * reth::BYTES
                + usize::from(has_aeth(op)) * aeth::BYTES
                + usize::from(imm) * immediate::BYTES
                + usize::from(is_atomic(op)) * atomic::BYTES
                + usize::from(op == ATOMIC_ACKNOWLEDGE) * atomic_ack::BYTES
                + usize::from(matches!(op, SEND_LAST_INV | SEND_ONLY_INV)) * ieth::BYTES
                + usize::from(op == FLUSH) * feth::BYTES;
            assert_eq!(ext_header_bytes(op), sum, "{op:#x}");
        }
    }
}
