//! Block `LAW`: what the budget rail is told, and what the host sees of it.
//!
//! A setting of two words takes effect whole, with the write of its high word: the low word is written first. A number of
//! two words is read whole in any order: a write of [`PATH`] takes a *look*, and what is read of the law and of that path
//! is as it was at the look, until the next one. Counters are not of the look.

use super::{Access::*, Block, Reg, RegField};
use crate::{heard, params};

/// First byte address; the registers follow each other without gaps.
pub const BASE: u16 = 0x0300;
/// Width of the factor from wire rates, bits.
pub const FROM_WIRE_BITS: u32 = 36;
/// Width of the factor to wire rates, bits.
pub const TO_WIRE_BITS: u32 = 48;
/// Capability that is told: calendars.
pub const CAPABLE_CALENDAR: u32 = 1 << 0;
/// Capability that is told: live budgets.
pub const CAPABLE_LIVE: u32 = 1 << 1;
/// Capability that is told: tags.
pub const CAPABLE_TAGS: u32 = 1 << 2;
/// Fraction bits of both.
pub const WIRE_FRACTION_BITS: u32 = 32;

/// High word of a number of 48 bits.
pub const HIGH_16: RegField = RegField::new("high", 0, 16, "bits 47:32");
/// High word of a factor of 36 bits.
pub const HIGH_4: RegField = RegField::new("high", 0, 4, "bits 35:32");
/// Shift of the correction.
pub const TAU: RegField = RegField::new("tau", 0, 2, "a surplus or lack is made good in 2^tau slots");
/// Gain of the average.
pub const A: RegField = RegField::new("a", 4, 5, "the estimate follows what drained by one part in 2^a");
/// Rise.
pub const P: RegField = RegField::new("p", 10, 5, "an estimate without a measurement rises by line / 2^p");
/// Cut.
pub const C: RegField = RegField::new("c", 16, 5, "a CNP of the local data centre takes one part in 2^c off");
/// Leak.
pub const H: RegField =
    RegField::new("h", 24, 5, "the highest estimate is forgotten by one part in 2^h of the distance");
/// Site.
pub const SITE_FIELD: RegField = RegField::new("site", 0, 16, "site");
/// Slots.
pub const LEASE_FIELD: RegField = RegField::new("slots", 0, 16, "slots of the receiver");
/// Path.
pub const PATH_FIELD: RegField = RegField::new("path", 0, 4, "path that is looked at");
/// A look is under way.
pub const BUSY_FIELD: RegField = RegField::new("busy", 0, 1, "1: a look was asked for and is not taken yet");
/// A budget was heard.
pub const LIVE_FIELD: RegField = RegField::new("live", 0, 1, "1: a budget was heard in this session");
/// The lease ran out.
pub const LAPSED_FIELD: RegField = RegField::new("lapsed", 1, 1, "1: the lease ran out, and nothing was heard since");
/// It knows our session.
pub const KNOWS_US_FIELD: RegField = RegField::new("knows_us", 2, 1, "1: its last frame named our session");
/// Lease that is left.
pub const LEFT_FIELD: RegField = RegField::new("lease", 16, 16, "slots for which its budget still holds");

/// The words of a number of two registers, the low one first.
pub const fn words(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

/// The number that two registers say.
pub const fn number(low: u32, high: u32) -> u64 {
    (high as u64) << 32 | low as u64
}

/// Both factors of a slot of `slot_ps`: from the wire's unit, and to it.
pub const fn factors(slot_ps: u64) -> (u64, u64) {
    let slot_ps = slot_ps as u128;
    (((slot_ps << WIRE_FRACTION_BITS) / PERIOD_PS) as u64, ((PERIOD_PS << WIRE_FRACTION_BITS) / slot_ps) as u64)
}

macro_rules! registers {
    ($($name:ident = $text:literal, $access:ident, $fields:expr, $doc:literal;)+) => {
        /// Place of each register in the block.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Place { $($name),+ }
        $(
            #[doc = concat!("Register: ", $doc, ".")]
            pub const $name: Reg = Reg::new($text, BASE + 4 * Place::$name as u16, $access, $fields, $doc);
        )+
        /// In address order.
        pub const MAP: &[Reg] = &[$($name),+];
    };
}

registers! {
    LINE = "LAW_LINE", RW, &[], "bytes of a slot at line rate; 1638400 after reset (100 Gb/s, 2^15 cycles of 250 MHz)";
    FLOOR = "LAW_FLOOR", RW, &[], "least budget, which an outage leaves, bytes per slot; 6400 after reset (line / 256)";
    CAPACITY_LOW = "LAW_CAPACITY_LOW", RW, &[], "bytes that may wait for the client port, bits 31:0; 1048576 after reset";
    CAPACITY_HIGH = "LAW_CAPACITY_HIGH", RW, &[HIGH_16], "the same; a write puts both words into force";
    SHIFTS = "LAW_SHIFTS", RW, &[TAU, A, P, C, H], "shifts of the law; 2, 4, 4, 3 and 9 after reset";
    SITE = "LAW_SITE", RW, &[SITE_FIELD], "our site, which no other gateway has; 0 after reset";
    SESSION = "LAW_SESSION", RW, &[], "our session, a number higher than any before; 0 after reset: the rail is off, no budget frame is sent and none counts";
    LEASE = "LAW_LEASE", RW, &[LEASE_FIELD], "how long a budget of ours holds; 32 after reset";
    FROM_WIRE_LOW = "LAW_FROM_WIRE_LOW", RW, &[], "a rate in bytes per slot is one of the wire times this over 2^32, bits 31:0; 2^29 after reset";
    FROM_WIRE_HIGH = "LAW_FROM_WIRE_HIGH", RW, &[HIGH_4], "the same; a write puts both words into force";
    TO_WIRE_LOW = "LAW_TO_WIRE_LOW", RW, &[], "a rate of the wire is one in bytes per slot times this over 2^32, bits 31:0; 2^35 after reset";
    TO_WIRE_HIGH = "LAW_TO_WIRE_HIGH", RW, &[HIGH_16], "the same; a write puts both words into force";
    SLOT_PS_LOW = "LAW_SLOT_PS_LOW", RW, &[], "length of our slots, ps, bits 31:0; 131072000 after reset";
    SLOT_PS_HIGH = "LAW_SLOT_PS_HIGH", RW, &[], "the same, bits 63:32; a write puts both words into force";
    CLOCK_HZ = "LAW_CLOCK_HZ", RW, &[], "core clock that we tell, Hz; 250000000 after reset";
    CAPABILITIES = "LAW_CAPABILITIES", RW, &[], "what we tell that we are able to do: bit 0 calendar, bit 1 live budgets, bit 2 authenticated; 2 after reset";
    DST_LOW = "LAW_DST_LOW", RW, &[], "destination MAC address of budget frames, bits 31:0; all ones after reset";
    DST_HIGH = "LAW_DST_HIGH", RW, &[HIGH_16], "the same, the first two bytes; a write puts both words into force";
    SRC_LOW = "LAW_SRC_LOW", RW, &[], "source MAC address of budget frames, bits 31:0; 1 after reset";
    SRC_HIGH = "LAW_SRC_HIGH", RW, &[HIGH_16], "the same, the first two bytes; a write puts both words into force; 0x0200 after reset";
    PATH = "LAW_PATH", RW, &[PATH_FIELD], "path to look at; a write takes a look; 0 after reset";
    STATUS = "LAW_STATUS", RO, &[BUSY_FIELD], "state of the look";
    EST = "LAW_EST", RO, &[], "estimate of the drain, bytes per slot; this and all below down to LAW_OCCUPANCY_HIGH as of the look, 0 before the first";
    HI = "LAW_HI", RO, &[], "how high the estimate has lately been, bytes per slot";
    SLOT_LOW = "LAW_SLOT_LOW", RO, &[], "slot that is granted next, bits 31:0";
    SLOT_HIGH = "LAW_SLOT_HIGH", RO, &[HIGH_16], "the same";
    PEER_SESSION = "LAW_PEER_SESSION", RO, &[], "session of the far gateway; 0: never heard";
    PEER = "LAW_PEER", RO, &[LIVE_FIELD, LAPSED_FIELD, KNOWS_US_FIELD, LEFT_FIELD], "state of the far gateway";
    SEQUENCE_LOW = "LAW_SEQUENCE_LOW", RO, &[], "number of its last frame, bits 31:0";
    SEQUENCE_HIGH = "LAW_SEQUENCE_HIGH", RO, &[], "the same, bits 63:32";
    PEER_SLOT_LOW = "LAW_PEER_SLOT_LOW", RO, &[], "its slot whose budget holds here, bits 31:0";
    PEER_SLOT_HIGH = "LAW_PEER_SLOT_HIGH", RO, &[], "the same, bits 63:32";
    ECHO_LOW = "LAW_ECHO_LOW", RO, &[], "newest of our slots whose budget it had applied, bits 31:0";
    ECHO_HIGH = "LAW_ECHO_HIGH", RO, &[], "the same, bits 63:32";
    RATE = "LAW_RATE", RO, &[], "what we may send to it, bytes per slot";
    LIMIT_LOW = "LAW_LIMIT_LOW", RO, &[], "what we may ever have sent to it, bytes, bits 31:0";
    LIMIT_HIGH = "LAW_LIMIT_HIGH", RO, &[], "the same, bits 63:32";
    WAITING_LOW = "LAW_WAITING_LOW", RO, &[], "bytes that wait there for us, bits 31:0";
    WAITING_HIGH = "LAW_WAITING_HIGH", RO, &[], "the same, bits 63:32";
    ARRIVED_LOW = "LAW_ARRIVED_LOW", RO, &[], "bytes that came from there or were lost on the line, bits 31:0";
    ARRIVED_HIGH = "LAW_ARRIVED_HIGH", RO, &[], "the same, bits 63:32";
    GRANT = "LAW_GRANT", RO, &[], "what it may send to us in the slot worked out last, bytes per slot of ours";
    GRANT_LIMIT_LOW = "LAW_GRANT_LIMIT_LOW", RO, &[], "what it may ever have sent to us, bytes, bits 31:0";
    GRANT_LIMIT_HIGH = "LAW_GRANT_LIMIT_HIGH", RO, &[], "the same, bits 63:32";
    SENT_LOW = "LAW_SENT_LOW", RO, &[], "bytes that we have sent to it, bits 31:0";
    SENT_HIGH = "LAW_SENT_HIGH", RO, &[], "the same, bits 63:32";
    OCCUPANCY_LOW = "LAW_OCCUPANCY_LOW", RO, &[], "bytes from there that wait for the client port, bits 31:0";
    OCCUPANCY_HIGH = "LAW_OCCUPANCY_HIGH", RO, &[HIGH_16], "the same";
    HEARD_BUDGET = "LAW_HEARD_BUDGET", RO, &[], "budget frames heard: a budget; these and all below modulo 2^32";
    HEARD_HELLO = "LAW_HEARD_HELLO", RO, &[], "budget frames heard: a hello of the session that is known";
    HEARD_OPENED = "LAW_HEARD_OPENED", RO, &[], "budget frames heard: a hello of a new session";
    HEARD_MALFORMED = "LAW_HEARD_MALFORMED", RO, &[], "budget frames dropped: not 128 bytes, or damaged";
    HEARD_CORRUPT = "LAW_HEARD_CORRUPT", RO, &[], "budget frames dropped: a wrong CRC";
    HEARD_VERSION = "LAW_HEARD_VERSION", RO, &[], "budget frames dropped: another version or kind";
    HEARD_ELSEWHERE = "LAW_HEARD_ELSEWHERE", RO, &[], "budget frames dropped: for another site";
    HEARD_UNKNOWN = "LAW_HEARD_UNKNOWN", RO, &[], "budget frames dropped: from a site that is the far end of no path";
    HEARD_TAG = "LAW_HEARD_TAG", RO, &[], "budget frames dropped: a wrong tag";
    HEARD_SESSION = "LAW_HEARD_SESSION", RO, &[], "budget frames dropped: of another session than is known, or not for ours";
    HEARD_OLD = "LAW_HEARD_OLD", RO, &[], "budget frames dropped: a sequence number not higher than the last";
    HEARD_RANGE = "LAW_HEARD_RANGE", RO, &[], "budget frames dropped: a slot, an echo or a total beyond what can be counted";
    CLAMPED = "LAW_CLAMPED", RO, &[], "budgets whose rate was above line and was lowered to it";
    LOST = "LAW_LOST", RO, &[], "budget frames lost because sixteen waited to be judged";
    LAPSES = "LAW_LAPSES", RO, &[], "leases that ran out";
    LATE = "LAW_LATE", RO, &[], "slots that the law left out while it worked on the one before, or whose budgets were ready before those of the one before were told";
}

/// The counters of what became of budget frames, by code of [`heard`].
pub const HEARD: [Reg; heard::HEARD.len()] = [
    HEARD_BUDGET,
    HEARD_HELLO,
    HEARD_OPENED,
    HEARD_MALFORMED,
    HEARD_CORRUPT,
    HEARD_VERSION,
    HEARD_ELSEWHERE,
    HEARD_UNKNOWN,
    HEARD_TAG,
    HEARD_SESSION,
    HEARD_OLD,
    HEARD_RANGE,
];

/// Length of a slot out of reset, ps.
const RESET_SLOT_PS: u64 = params::slot_ps(params::SLOT_K_DEFAULT, params::CLOCK_HZ);
/// Period of the rate unit on the wire, ps.
const PERIOD_PS: u128 = params::WIRE_RATE_PERIOD_NS as u128 * 1000;
/// Bytes of a slot at line rate out of reset.
const RESET_LINE: u32 = params::line_bytes_per_slot(params::SLOT_K_DEFAULT, params::CLOCK_HZ);
/// Factors out of reset.
const RESET_FROM_WIRE: u64 = factors(RESET_SLOT_PS).0;
const RESET_TO_WIRE: u64 = factors(RESET_SLOT_PS).1;

/// What the registers of the block that can be written hold after reset, in address order.
pub const RESET: [u32; 21] = [
    RESET_LINE,
    RESET_LINE >> 8,
    params::RING_BYTES as u32,
    0,
    H.with(C.with(P.with(A.with(TAU.with(0, 2), 4), 4), 3), 9),
    0,
    0,
    params::LEASE_SLOTS,
    words(RESET_FROM_WIRE)[0],
    words(RESET_FROM_WIRE)[1],
    words(RESET_TO_WIRE)[0],
    words(RESET_TO_WIRE)[1],
    words(RESET_SLOT_PS)[0],
    words(RESET_SLOT_PS)[1],
    params::CLOCK_HZ as u32,
    CAPABLE_LIVE,
    !0,
    0xffff,
    1,
    0x0200,
    0,
];

/// The block.
pub const BLOCK: Block = Block {
    name: "LAW",
    base: BASE,
    bytes: 0x100,
    map: MAP,
    doc: "What the budget rail is told, and what it does. The low word of a setting is written before its high word, which puts both into force. What is read of the law and of a path is of one moment: the look that a write of `LAW_PATH` takes.",
};

const _: () = assert!(BLOCK.is_sound());
const _: () = assert!(RESET[0] == 1_638_400 && RESET[1] == 6400 && RESET[2] == 1 << 20 && RESET[7] == 32);
const _: () = assert!(RESET_FROM_WIRE == 1 << 29 && RESET_TO_WIRE == 1 << 35 && RESET_SLOT_PS == 131_072_000);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_registers_are_those_that_can_be_written() {
        assert!(MAP.iter().enumerate().all(|(i, reg)| (reg.access == RW) == (i < RESET.len())));
        assert!(MAP.iter().enumerate().all(|(i, reg)| reg.offset == BASE + 4 * i as u16));
    }

    #[test]
    fn each_code_has_its_counter() {
        for (code, reg) in heard::HEARD.iter().zip(HEARD) {
            assert_eq!(reg.name, format!("LAW_HEARD_{}", code.name));
        }
        assert!(HEARD.windows(2).all(|pair| pair[1].offset == pair[0].offset + 4));
    }

    #[test]
    fn factors_hold_every_slot_at_both_clocks() {
        for clock in [params::CLOCK_HZ_250, params::CLOCK_HZ_322] {
            for k in params::SLOT_K_MIN..=params::SLOT_K_MAX {
                let (from, to) = factors(params::slot_ps(k, clock));
                assert!(from >> FROM_WIRE_BITS == 0 && to >> TO_WIRE_BITS == 0, "{clock} {k}");
            }
        }
    }
}
