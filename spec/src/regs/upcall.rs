//! Block `UPCALL`: what passes and belongs to no flow, so that the host can learn flows: digests of requests that ask
//! for an ACK and of ACKs, between two addresses that the host chooses; and frames for queue pair 1 whole.
//!
//! Each direction has its own queue of entries of 64 bytes. An entry is a [`Digest`](crate::upcall::Digest), or a piece
//! of a frame; the pieces of a frame follow one another. An entry's time never is before that of an entry read
//! earlier from either queue as long as the reader takes the older of the two heads, so the order in which frames
//! passed can be told.

use super::{Access::*, Block, Reg, RegField};

/// Entries that wait at most, per direction.
pub const ENTRIES_MAX: usize = 512;
/// A frame is taken whole or not at all, and only when so many entries are free; what is longer is not for learning.
pub const FRAME_ENTRIES: usize = 8;

/// Digests wanted.
pub const CONTROL_DIGESTS: RegField = RegField::new("digests", 0, 1, "1: digests of frames between the two addresses");
/// IPv6.
pub const CONTROL_V6: RegField = RegField::new("v6", 1, 1, "1: the two addresses are IPv6");
/// Frames for queue pair 1 wanted.
pub const CONTROL_FRAMES: RegField = RegField::new("frames", 2, 1, "1: frames for queue pair 1, between any addresses");
/// Shown queue.
pub const SELECT_LINE: RegField =
    RegField::new("line", 0, 1, "0: what came from the client port; 1: from the line port");
/// Entries that wait.
pub const STATUS_CLIENT: RegField = RegField::new("client", 0, 16, "entries that wait, from the client port");
/// Entries that wait.
pub const STATUS_LINE: RegField = RegField::new("line", 16, 16, "entries that wait, from the line port");
/// Kind of an entry.
pub const HEAD_VALID: RegField = RegField::new("valid", 0, 1, "1: an entry waits");
/// Kind of an entry.
pub const HEAD_DIGEST: RegField = RegField::new("digest", 1, 1, "1: a digest; 0: a piece of a frame");
/// First piece.
pub const HEAD_FIRST: RegField = RegField::new("first", 2, 1, "1: the first piece of its frame, or a digest");
/// Last piece.
pub const HEAD_LAST: RegField = RegField::new("last", 3, 1, "1: the last piece of its frame, or a digest");
/// Bytes in the entry.
pub const HEAD_BYTES: RegField = RegField::new("bytes", 8, 7, "bytes of the entry that count, 1 to 64");
/// High part of a time.
pub const TIME_HIGH_FIELD: RegField = RegField::new("time", 0, 16, "bits 47:32 of the time");

/// What is wanted.
pub const CONTROL: Reg = Reg::new(
    "UPCALL_CONTROL",
    0x0c40,
    RW,
    &[CONTROL_DIGESTS, CONTROL_V6, CONTROL_FRAMES],
    "what is told; 0 after reset. Entries of an earlier setting stay in the queues",
);

macro_rules! words {
    ($access:ident, $doc:literal; $($name:literal, $offset:literal;)+) => {
        [$(Reg::new($name, $offset, $access, &[], $doc)),+]
    };
}
/// Address on the client side.
pub const NEAR: [Reg; 4] = words! { RW, "address on the client side, lowest word first; IPv4: one word";
    "UPCALL_NEAR0", 0x0c44; "UPCALL_NEAR1", 0x0c48; "UPCALL_NEAR2", 0x0c4c; "UPCALL_NEAR3", 0x0c50;
};
/// Address on the line side.
pub const FAR: [Reg; 4] = words! { RW, "address on the line side, lowest word first; IPv4: one word";
    "UPCALL_FAR0", 0x0c54; "UPCALL_FAR1", 0x0c58; "UPCALL_FAR2", 0x0c5c; "UPCALL_FAR3", 0x0c60;
};
/// How many wait.
pub const STATUS: Reg = Reg::new("UPCALL_STATUS", 0x0c64, RO, &[STATUS_CLIENT, STATUS_LINE], "entries that wait");
/// How many were lost.
pub const LOST: Reg = Reg::new(
    "UPCALL_LOST",
    0x0c68,
    RO,
    &[],
    "digests and frames lost since reset because a queue was full; when it goes up, what was learnt from ACKs is void",
);
/// Shown queue.
pub const SELECT: Reg =
    Reg::new("UPCALL_SELECT", 0x0c6c, RW, &[SELECT_LINE], "the queue that the registers below show");
/// Next, please.
pub const TAKE: Reg =
    Reg::new("UPCALL_TAKE", 0x0c70, WO, &[], "any write takes the oldest entry out; nothing when none waits");
/// The oldest.
pub const HEAD: Reg = Reg::new(
    "UPCALL_HEAD",
    0x0c74,
    RO,
    &[HEAD_VALID, HEAD_DIGEST, HEAD_FIRST, HEAD_LAST, HEAD_BYTES],
    "the oldest entry of the queue; 0: none waits",
);
/// Its time.
pub const TIME_LOW: Reg = Reg::new(
    "UPCALL_TIME_LOW",
    0x0c78,
    RO,
    &[],
    "when, in core clock cycles since reset: bits 31:0 of the oldest entry",
);
/// Its time.
pub const TIME_HIGH: Reg = Reg::new("UPCALL_TIME_HIGH", 0x0c7c, RO, &[TIME_HIGH_FIELD], "the same, bits 47:32");
/// Its bytes.
pub const WORD: [Reg; 16] = words! { RO, "four bytes of the oldest entry, the first one in bits 7:0";
    "UPCALL_WORD0", 0x0c80; "UPCALL_WORD1", 0x0c84; "UPCALL_WORD2", 0x0c88; "UPCALL_WORD3", 0x0c8c;
    "UPCALL_WORD4", 0x0c90; "UPCALL_WORD5", 0x0c94; "UPCALL_WORD6", 0x0c98; "UPCALL_WORD7", 0x0c9c;
    "UPCALL_WORD8", 0x0ca0; "UPCALL_WORD9", 0x0ca4; "UPCALL_WORD10", 0x0ca8; "UPCALL_WORD11", 0x0cac;
    "UPCALL_WORD12", 0x0cb0; "UPCALL_WORD13", 0x0cb4; "UPCALL_WORD14", 0x0cb8; "UPCALL_WORD15", 0x0cbc;
};

/// A time, from its two registers.
pub const fn time(low: u32, high: u32) -> u64 {
    (TIME_HIGH_FIELD.get(high) as u64) << 32 | low as u64
}

/// In address order.
pub const MAP: &[Reg] = &[
    CONTROL, NEAR[0], NEAR[1], NEAR[2], NEAR[3], FAR[0], FAR[1], FAR[2], FAR[3], STATUS, LOST, SELECT, TAKE, HEAD,
    TIME_LOW, TIME_HIGH, WORD[0], WORD[1], WORD[2], WORD[3], WORD[4], WORD[5], WORD[6], WORD[7], WORD[8], WORD[9],
    WORD[10], WORD[11], WORD[12], WORD[13], WORD[14], WORD[15],
];

/// The block.
pub const BLOCK: Block = Block {
    name: "UPCALL",
    base: 0x0c40,
    bytes: 0xc0,
    map: MAP,
    doc: "What belongs to no flow, for the host to learn from.",
};

const _: () = assert!(BLOCK.is_sound());
