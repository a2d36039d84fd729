//! Beside [reservoir](super): the law as a **program** of vector operations, and its words.
//!
//! An operation goes over the sixteen paths, one per cycle, from path `slot mod 16` on. The [alu](super::Alu) begins the next one
//! before the last is through; what it needs of it is there by then, path by path. What is a sum over paths is not, and
//! an operation that uses one waits (`fence`).
//! Model: `model::reservoir`, line by line. Tests: `tests/budget/reservoir/law.rs`. Registers: none.
#![allow(missing_docs)]

use rust_hdl::prelude::*;

/// What an operation does: `result = tidy(a f b')`, where `b'` is `b` shifted, or `x * y`, or the raise that `b` gets.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Op {
    /// The register that is written, if any.
    pub to: Bits<4>,
    pub keeps: Bit,
    /// Register of `a`; without `a_on` it is 0.
    pub a: Bits<4>,
    pub a_on: Bit,
    /// Register of `b`, or what else `b` is.
    pub b: Bits<4>,
    pub b_from: Bits<4>,
    /// `b` is 0, of a path whose session begins.
    pub since: Bit,
    /// Of `b`, to the right: 0, 2, 3, tau.
    pub shift: Bits<2>,
    /// `x * y` takes the place of `b`; `x` is the register `b` or a number for all paths.
    pub times: Bit,
    pub x_from: Bits<3>,
    pub y_from: Bits<3>,
    /// `y` is one more, when the estimate is below the line.
    pub plus: Bit,
    /// The raise that `b` asks for takes its place, as far as there is room.
    pub raise: Bit,
    /// 0: sum, 1: difference, 2: smaller, 3: larger.
    pub f: Bits<2>,
    /// Larger only of a path that waits for nothing while others do, else `a`.
    pub idle: Bit,
    /// Instead: `b` of a path with a forecast, else `a`.
    pub forecast: Bit,
    /// At least 0; at least floor; at most line.
    pub zero: Bit,
    pub floor: Bit,
    pub line: Bit,
    /// Line, of a path whose session begins.
    pub anew: Bit,
    /// Line, of a path that waits.
    pub claim: Bit,
    /// Floor, when the loop is beyond the ledger.
    pub known: Bit,
    /// 0, of a path that is not live.
    pub live: Bit,
    /// Line, of all.
    pub top: Bit,
    /// What is done with the sum of the results: a step of a level, of `est` or `hi`; a division; the room.
    pub level: Bit,
    pub hi: Bit,
    pub divide: Bit,
    /// What is divided is what `est` or `hi` has above the sum, when no path waits; else it is the sum.
    pub over: Bit,
    pub room: Bit,
    /// Waits until all before it is through.
    pub fence: Bit,
    /// Goes back to the operation before it while there are steps.
    pub again: Bit,
    /// The results are the grants; the limits.
    pub grants: Bit,
    pub limits: Bit,
    /// The last one.
    pub last: Bit,
}

/// Bits of a word.
pub const BITS: usize = Op::BITS;
/// Where the law begins; before it is what a reset does.
pub const LAW: usize = 2;

// The registers: each a word per path.
const ARRIVED: u64 = 0;
const BEFORE: u64 = 1;
const DEMAND: u64 = 2;
const CLAIM: u64 = 3;
const SHARE: u64 = 4;
const SHARE_HI: u64 = 5;
const LARGEST: u64 = 6;
const BASE: u64 = 7;
const ASKS: u64 = 8;
const GRANT: u64 = 9;
const T: u64 = 10;
const OWN: u64 = 11;

// What `b` is: a register, nothing, or a word of the slot.
const ZERO: u64 = 1;
pub const NOW_ARRIVED: u64 = 2;
pub const NOW_OCCUPANCY: u64 = 3;
pub const NOW_LARGEST: u64 = 4;
pub const NOW_FLIGHT: u64 = 5;
pub const NOW_SUM: u64 = 6;
pub const NOW_AHEAD: u64 = 7;
pub const NOW_EXCESS: u64 = 8;

// What `x` and `y` are.
pub const LEVEL: u64 = 1;
pub const LEVEL_HI: u64 = 2;
pub const QUOTIENT: u64 = 3;
pub const AHEAD: u64 = 4;
pub const EXCESS: u64 = 5;
const WEIGHT: u64 = 0;
pub const MARKED: u64 = 1;
pub const LOOPS: u64 = 2;
pub const FIVE: u64 = 3;
pub const DISTANCE: u64 = 4;

const SHIFT_2: u64 = 1;
const SHIFT_3: u64 = 2;
const SHIFT_TAU: u64 = 3;

/// `to = 0`.
fn to(to: u64) -> Op {
    Op { to: to.into(), keeps: true, b_from: ZERO.into(), ..Op::default() }
}

impl Op {
    fn a(self, a: u64) -> Op {
        Op { a: a.into(), a_on: true, ..self }
    }
    fn f(self, f: u64, b: u64) -> Op {
        Op { f: f.into(), b: b.into(), b_from: 0.into(), ..self }
    }
    fn plus(self, b: u64) -> Op {
        self.f(0, b)
    }
    fn minus(self, b: u64) -> Op {
        self.f(1, b)
    }
    fn min(self, b: u64) -> Op {
        self.f(2, b)
    }
    fn max(self, b: u64) -> Op {
        self.f(3, b)
    }
    /// What `b` is instead of a register.
    fn now(self, b_from: u64) -> Op {
        Op { b_from: b_from.into(), ..self }
    }
    fn shift(self, shift: u64) -> Op {
        Op { shift: shift.into(), ..self }
    }
    /// `b`, a register, times `y`.
    fn times(self, y_from: u64) -> Op {
        Op { times: true, x_from: 0.into(), y_from: y_from.into(), ..self }
    }
    /// A number for all paths times `y`, instead of `b`.
    fn product(self, x_from: u64, y_from: u64) -> Op {
        Op { times: true, x_from: x_from.into(), y_from: y_from.into(), ..self }
    }
    fn fence(self) -> Op {
        Op { fence: true, ..self }
    }
}

/// The words, in order.
pub fn program() -> Vec<Op> {
    let nothing = to(T);
    let line = |op| Op { line: true, ..op };
    let zero = |op| Op { zero: true, ..op };
    let live = |op| Op { live: true, ..op };
    let taken = |x| Op { keeps: false, level: true, ..nothing.a(CLAIM).min(T).product(x, WEIGHT) };
    let share = |s, x| Op { divide: true, over: true, ..to(s).a(CLAIM).min(T).product(x, WEIGHT) };
    vec![
        // Reset: nothing came yet, and who sends may want all.
        to(BEFORE),
        Op { top: true, last: true, ..to(DEMAND) },
        // What each came to want, as far as it can be seen here.
        to(ARRIVED).now(NOW_ARRIVED),
        Op { since: true, ..to(T).a(ARRIVED).minus(BEFORE) },
        Op { anew: true, ..to(DEMAND).plus(DEMAND) },
        to(T).a(T).minus(DEMAND),
        to(DEMAND).a(DEMAND).plus(T).shift(SHIFT_2),
        to(BEFORE).now(NOW_ARRIVED),
        Op { zero: true, line: true, claim: true, ..to(CLAIM).plus(DEMAND) },
        // The levels of `est` and `hi`, bit by bit in turn.
        taken(LEVEL),
        Op { hi: true, again: true, ..taken(LEVEL_HI) },
        // Shares; what nobody asks for is spread by weight.
        share(SHARE, LEVEL),
        line(to(SHARE).a(SHARE).plus(T).product(QUOTIENT, WEIGHT).fence()),
        Op { hi: true, ..share(SHARE_HI, LEVEL_HI) },
        line(to(SHARE_HI).a(SHARE_HI).plus(T).product(QUOTIENT, WEIGHT).fence()),
        // The reserve of all.
        zero(to(T).a(SHARE_HI).minus(SHARE)),
        Op { divide: true, ..to(T).plus(T).times(LOOPS) },
        // What is held here and may come: the room.
        to(LARGEST).now(NOW_LARGEST),
        zero(to(T).a(LARGEST).minus(T).now(NOW_ARRIVED)),
        Op { room: true, ..to(T).a(T).plus(T).now(NOW_OCCUPANCY) },
        to(BASE).a(LARGEST).max(T).now(NOW_ARRIVED),
        line(to(ASKS).a(CLAIM).plus(CLAIM).shift(SHIFT_3)),
        // The reserve and the target of each, less what is here and under way, plus what drains meanwhile.
        to(T).product(QUOTIENT, MARKED).fence(),
        Op { plus: true, ..to(T).a(T).plus(SHARE).times(LOOPS) },
        to(T).a(T).minus(T).now(NOW_OCCUPANCY),
        to(T).a(T).minus(T).now(NOW_FLIGHT),
        Op { floor: true, ..line(to(GRANT).a(SHARE).plus(T).shift(SHIFT_TAU)) },
        Op { idle: true, ..to(GRANT).a(GRANT).max(ASKS) },
        // With a forecast: what the path will drain until all under way is here, less what is here and under way.
        to(T).product(AHEAD, LOOPS),
        to(T).a(T).minus(T).product(AHEAD, DISTANCE),
        to(T).a(T).plus(T).now(NOW_SUM),
        zero(to(T).a(T).minus(T).product(EXCESS, LOOPS)),
        to(T).a(T).minus(T).now(NOW_OCCUPANCY),
        to(T).a(T).minus(T).now(NOW_FLIGHT),
        // A quarter of a slot may wait.
        Op { top: true, ..to(OWN) },
        to(T).a(T).plus(OWN).shift(SHIFT_2),
        to(OWN).now(NOW_AHEAD),
        zero(line(to(OWN).a(OWN).minus(OWN).now(NOW_EXCESS))),
        Op { floor: true, ..line(to(OWN).a(OWN).plus(T).shift(SHIFT_3)) },
        Op { forecast: true, known: true, grants: true, ..live(to(GRANT).a(GRANT).plus(OWN)) },
        // The limits, each raise from the room.
        to(T).a(ARRIVED).plus(T).now(NOW_FLIGHT),
        to(T).a(T).plus(GRANT).times(FIVE),
        live(to(T).a(T).minus(BASE)),
        Op { raise: true, limits: true, last: true, ..live(to(T).a(BASE).plus(T)) },
    ]
}
