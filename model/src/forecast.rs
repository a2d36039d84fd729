//! Budget, beside 2: **forecast**. From the tables and from what left the client port, to the [`reservoir`](crate::reservoir).
//!
//! In, once per slot boundary: the tables in force, the number of the slot that begins, and of each path the slot that
//! ended and the loop that the law last used. Out: per path an outlook, what the port will drain of it.
//!
//! Where a forecast stands is state: the entry of the slot that begins, the entry so many slots ahead, and the sum of
//! what lies between the two. The far one goes ahead by at most two slots per boundary until it is a loop ahead; when the
//! loop gets shorter the near one catches up. What was promised too much is learnt from what left: only downwards, since
//! a promise that is too low leaves no trace at the port. A forecast that promised too much by more than an eighth of the
//! line is doubted: for a while there is no outlook, and the law goes by what it sees.
//!
//! Gates: `hdl/src/budget/forecast/`. Registers: `LAW`, words 14 and 15 of a path's entry.

use crate::rate_estimator::EstimatorCfg;
use crate::tables::Tables;
use matchrdma_spec::params::{CALENDAR_ENTRIES, PATHS};
use matchrdma_spec::regs::entry::CalendarEntry;
use matchrdma_spec::regs::table::CALENDAR;

/// Slots that the far end goes ahead in one boundary, at most.
const AHEAD_PER_SLOT: usize = 2;
/// Slots without an outlook after a promise that was too much by more than an eighth of the line.
const DOUBT_SLOTS: u32 = 2047;
/// The far end is at most so many slots ahead.
pub const FARTHEST: i64 = 4095;

/// A path in the slot that ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// Bytes of its lossless class that left, with their overheads.
    pub drained: u32,
    /// The port was backlogged, and something of the path waits.
    pub backlogged: bool,
    /// The loop as the law last used it, slots.
    pub loops: i64,
}

/// What a port will drain of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outlook {
    /// Of the slot at the far end, bytes.
    pub ahead: i64,
    /// Of the slots from the one that begins up to the far end, the far end not among them, bytes.
    pub sum: i64,
    /// How many these are.
    pub distance: i64,
    /// What is promised too much, at most 0, bytes per slot.
    pub error: i64,
}

/// A forecast as the host gave it.
#[derive(Clone, Copy)]
pub struct Told<'a> {
    /// Its entries.
    pub entry: &'a dyn Fn(usize) -> CalendarEntry,
    /// How many: 0, there is none.
    pub length: usize,
    /// After the last comes the first.
    pub loops: bool,
    /// Slot of the first.
    pub start: u32,
}

/// A place in a forecast: the entry, and for how many slots more it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Place {
    entry: usize,
    left: u32,
}

impl Place {
    fn at(told: &Told, entry: usize) -> Self {
        Place { entry, left: (told.entry)(entry).slots - 1 }
    }

    fn value(&self, told: &Told) -> i64 {
        (told.entry)(self.entry).budget.into()
    }

    /// One slot on; `None` behind the last.
    fn next(self, told: &Told) -> Option<Self> {
        match self {
            Place { entry, left: 1.. } => Some(Place { entry, left: self.left - 1 }),
            Place { entry, .. } if entry + 1 < told.length => Some(Place::at(told, entry + 1)),
            _ => told.loops.then(|| Place::at(told, 0)),
        }
    }
}

/// Where one path's forecast stands.
#[derive(Clone, Debug, Default)]
pub struct Course {
    on: bool,
    over: bool,
    near: Place,
    ahead: Place,
    distance: i64,
    sum: i64,
    error: i64,
    /// Slots more without an outlook.
    doubt: u32,
    /// Of the slot that runs.
    promised: i64,
}

impl Course {
    /// The slot that ended, against what it had promised: gain `2^-a`, and forgotten by `line >> p` per slot.
    fn correct(&mut self, ended: &Ended, cfg: &EstimatorCfg) {
        let short = i64::from(ended.drained) - self.promised;
        let error = match ended.backlogged {
            true => self.error + ((short - self.error) >> cfg.a),
            false => self.error.max(short.min(0)) + (cfg.line >> cfg.p),
        };
        self.error = if self.on { error.min(0) } else { 0 };
        self.doubt = if self.error < -(cfg.line >> 3) { DOUBT_SLOTS } else { self.doubt.saturating_sub(1) };
    }

    /// A boundary; `slot` begins.
    pub fn boundary(&mut self, told: &Told, slot: u32, ended: &Ended, cfg: &EstimatorCfg) {
        self.correct(ended, cfg);
        if self.on {
            let stood_together = self.distance == 0;
            if !stood_together {
                self.sum -= self.near.value(told);
                self.distance -= 1;
            }
            match self.near.next(told) {
                Some(near) => self.near = near,
                None => *self = Course { over: true, ..Course::default() },
            }
            if stood_together {
                self.ahead = self.near;
            }
        } else if told.length > 0 && !self.over && slot.wrapping_sub(told.start) < 1 << 31 {
            let first = Place::at(told, 0);
            *self = Course { on: true, near: first, ahead: first, ..Course::default() };
        }
        for _ in 0..AHEAD_PER_SLOT {
            if self.on && self.distance < ended.loops.min(FARTHEST) {
                self.sum += self.ahead.value(told);
                self.distance += 1;
                // Behind the last entry it goes on as the last slot.
                self.ahead = self.ahead.next(told).unwrap_or(self.ahead);
            }
        }
        self.promised = if self.on { self.near.value(told) } else { 0 };
    }

    /// What the port will drain, unless that is doubted; `told` as at the last boundary.
    pub fn outlook(&self, told: &Told) -> Option<Outlook> {
        (self.on && self.doubt == 0).then(|| Outlook {
            ahead: self.ahead.value(told),
            sum: self.sum,
            distance: self.distance,
            error: self.error,
        })
    }
}

/// All paths.
#[derive(Clone, Debug, Default)]
pub struct Forecast {
    courses: [Course; PATHS],
    /// First entry, length, loop and start as they were in force.
    set: [(u8, u16, bool, u32); PATHS],
    calendars: u32,
    outlooks: [Option<Outlook>; PATHS],
}

impl Forecast {
    /// A boundary: `slot` begins, with these tables. The correction has the estimator's constants.
    pub fn boundary(&mut self, tables: &Tables, slot: u32, ended: &[Ended; PATHS], cfg: &EstimatorCfg) {
        // A commit of calendars begins every forecast anew, one of paths those that it is about.
        let calendars = tables.banks() >> CALENDAR & 1;
        let swapped = std::mem::replace(&mut self.calendars, calendars) != calendars;
        for (i, course) in self.courses.iter_mut().enumerate() {
            let path = tables.path(i);
            let set = (path.forecast_first, path.forecast_length, path.forecast_loops, path.forecast_start);
            let moved = set != std::mem::replace(&mut self.set[i], set);
            if swapped || moved {
                *course = Course::default();
            }
            let entry = |n: usize| tables.calendar(i, (usize::from(set.0) + n) % CALENDAR_ENTRIES);
            let told = Told { entry: &entry, length: set.1.into(), loops: set.2, start: set.3 };
            course.boundary(&told, slot, &ended[i], cfg);
            self.outlooks[i] = course.outlook(&told);
        }
    }

    /// What the port will drain of a path from the slot on that has begun; `None` when the host has not said so.
    pub fn outlook(&self, path: usize) -> Option<Outlook> {
        self.outlooks[path]
    }
}

#[cfg(test)]
#[path = "forecast_tests.rs"]
mod tests;
