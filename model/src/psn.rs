//! Arithmetic on PSN and MSN: modulo 2^24, with the half-window rule.

/// All ones of a sequence number.
pub const MASK: u32 = 0x00ff_ffff;
/// Half of the number space: what is this far ahead or further counts as behind.
pub const HALF: u32 = 0x0080_0000;

/// `a + b`.
pub fn add(a: u32, b: u32) -> u32 {
    a.wrapping_add(b) & MASK
}

/// `a - b`.
pub fn sub(a: u32, b: u32) -> u32 {
    a.wrapping_sub(b) & MASK
}

/// `a` lies after `b`.
pub fn after(a: u32, b: u32) -> bool {
    let ahead = sub(a, b);
    ahead != 0 && ahead < HALF
}

/// The way from `a` to `b`, whichever direction is shorter.
pub fn distance(a: u32, b: u32) -> u32 {
    sub(a, b).min(sub(b, a))
}

/// The one of the two that comes first.
pub fn earlier(a: u32, b: u32) -> u32 {
    if after(a, b) {
        b
    } else {
        a
    }
}

/// The one of the two that comes last.
pub fn later(a: u32, b: u32) -> u32 {
    if after(a, b) {
        a
    } else {
        b
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_wrap() {
        assert_eq!(add(MASK, 1), 0);
        assert_eq!(sub(0, 1), MASK);
        assert_eq!(add(0xff_fff0, 0x20), 0x10);
    }

    #[test]
    fn after_is_half_the_circle() {
        assert!(!after(5, 5));
        assert!(after(6, 5) && !after(5, 6));
        assert!(after(0, MASK) && !after(MASK, 0));
        assert!(after(HALF - 1, 0), "the furthest ahead");
        assert!(!after(HALF, 0) && !after(0, HALF), "exactly opposite is after in neither direction");
        assert!(after(0, HALF + 1));
    }

    #[test]
    fn distance_takes_the_short_way() {
        assert_eq!(distance(2, MASK), 3);
        assert_eq!(distance(MASK, 2), 3);
        assert_eq!(distance(HALF, 0), HALF);
        assert_eq!((earlier(0, MASK), later(0, MASK)), (MASK, 0));
        assert_eq!((earlier(7, 7), later(7, 7)), (7, 7));
    }
}
