//! Block `COUNTERS`: 64-bit counters, low word then high word, never cleared. Reading a low word latches its high one.

use super::{Access::*, Block, Reg};

/// First byte address.
pub const BASE: u16 = 0x0800;
/// From one counter to the next, bytes.
pub const STRIDE: u16 = 8;

/// A 64-bit counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// Name in registers.
    pub name: &'static str,
    /// Place in [`COUNTERS`].
    pub index: usize,
    /// What it counts.
    pub doc: &'static str,
}

impl Counter {
    /// Byte address of the low word; reading it latches the high word.
    pub const fn low(&self) -> u16 {
        BASE + STRIDE * self.index as u16
    }

    /// Byte address of the high word, as latched.
    pub const fn high(&self) -> u16 {
        self.low() + 4
    }
}

macro_rules! counters {
    ($($name:ident = $index:literal, $doc:literal;)+) => {
        $(
            #[doc = concat!("Counts ", $doc, ".")]
            pub const $name: Counter = Counter { name: stringify!($name), index: $index, doc: $doc };
        )+
        /// Every counter; its place is its `index`.
        pub const COUNTERS: &[Counter] = &[$($name),+];
        /// In address order.
        pub const MAP: &[Reg] = &[$(
            Reg::new(concat!(stringify!($name), "_LOW"), $name.low(), RO, &[], concat!($doc, ", bits 31:0; latches the high word")),
            Reg::new(concat!(stringify!($name), "_HIGH"), $name.high(), RO, &[], concat!($doc, ", bits 63:32, as latched")),
        )+];
    };
}

counters! {
    CLIENT_FRAMES_IN = 0, "frames received on the client port, dropped ones too";
    LINE_FRAMES_IN = 1, "frames received on the line port, dropped ones too";
    CLIENT_FRAMES_OUT = 2, "frames sent on the client port, pseudo-ACKs too";
    LINE_FRAMES_OUT = 3, "frames sent on the line port";
    BYPASSED = 4, "frames forwarded that belonged to no Active flow";
    PSEUDO_ACKS = 5, "ACKs built";
    NAKS = 6, "NAKs built";
    ABSORBED_ACKS = 7, "real ACKs of Active flows not forwarded";
    DROP_BAD_ICRC = 8, "frames of Active flows dropped for their ICRC";
    DROP_MAC_ERROR = 9, "frames dropped for an error of the MAC";
    DROP_OUT_OF_ORDER = 10, "requests of Active flows dropped because their PSN was ahead";
    DROP_DUPLICATE = 11, "requests of Active flows dropped because their PSN was behind";
    DROP_BUDGET_FROM_CLIENT = 12, "budget frames from the client port, dropped";
    DROP_OVERFLOW = 13, "frames dropped for want of packet memory or descriptors";
    DROP_MALFORMED = 14, "frames dropped because they were too long or cut";
    CLIENT_BYTES_IN = 15, "bytes of frames received on the client port";
    LINE_BYTES_IN = 16, "bytes of frames received on the line port";
    CLIENT_BYTES_OUT = 17, "bytes of frames sent on the client port";
    LINE_BYTES_OUT = 18, "bytes of frames sent on the line port";
    DROP_FAULT = 19, "frames of flows in Fault dropped: requests, and the far side's ACKs and NAKs";
    DROP_PFC = 20, "MAC control frames from the client port, dropped";
}

/// The block.
pub const BLOCK: Block = Block {
    name: "COUNTERS",
    base: BASE,
    bytes: 0x200,
    map: MAP,
    doc: "64-bit counters, never cleared; reading a low word latches its high word.",
};

const _: () = assert!(BLOCK.is_sound());
const _: () = {
    let mut i = 0;
    while i < COUNTERS.len() {
        assert!(COUNTERS[i].index == i, "a counter's index is its place");
        i += 1;
    }
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_follow_the_index() {
        assert_eq!((CLIENT_FRAMES_IN.low(), CLIENT_FRAMES_IN.high()), (0x0800, 0x0804));
        assert_eq!((LINE_BYTES_OUT.low(), MAP.len()), (0x0890, 42));
        for counter in COUNTERS {
            let low = &MAP[2 * counter.index];
            assert_eq!((low.name, low.offset), (format!("{}_LOW", counter.name).as_str(), counter.low()));
        }
    }
}
