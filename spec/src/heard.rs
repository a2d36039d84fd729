//! What becomes of a budget frame that comes from the line: one code for each.
//!
//! A frame counts only when everything about it is right. Of what is wrong, the first code from 3 on that fits is the
//! frame's; it is dropped, and nothing else changes.

/// What became of a budget frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard {
    /// Name.
    pub name: &'static str,
    /// Code, [`BITS`] bits.
    pub code: u8,
    /// What was found.
    pub doc: &'static str,
}

/// Width of a code, bits.
pub const BITS: usize = 4;

macro_rules! heard {
    ($($name:ident = $code:literal, $doc:literal;)+) => {
        $(
            #[doc = concat!("A budget frame: ", $doc, ".")]
            pub const $name: u8 = $code;
        )+
        /// Every code, in order.
        pub const HEARD: &[Heard] = &[$(Heard { name: stringify!($name), code: $code, doc: $doc }),+];
    };
}

heard! {
    BUDGET = 0, "a budget; it counts";
    HELLO = 1, "a hello of the session that is known; it counts, and grants nothing";
    OPENED = 2, "a hello of a new session; it counts, and all that is known of the path begins at nought";
    MALFORMED = 3, "not 128 bytes, or damaged by the port's word";
    CORRUPT = 4, "its CRC is wrong";
    VERSION = 5, "another version, or neither hello nor budget";
    ELSEWHERE = 6, "for another site";
    UNKNOWN = 7, "from a site that is the far end of no path";
    TAG = 8, "its tag is wrong";
    SESSION = 9, "not of the session that is known, or not for ours";
    OLD = 10, "its sequence number is not higher than the last";
    RANGE = 11, "a budget whose slot, echo, limit or sent total is beyond what can be counted";
}

/// Codes below this one count, and their path is known; the others are dropped.
pub const REFUSED_FROM: u8 = MALFORMED;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_their_places_and_fit() {
        assert!(HEARD.iter().enumerate().all(|(i, h)| usize::from(h.code) == i && !h.doc.is_empty()));
        assert!(HEARD.len() <= 1 << BITS);
        assert!(HEARD.iter().all(|h| (h.code < REFUSED_FROM) == h.doc.contains("it counts")));
    }
}
