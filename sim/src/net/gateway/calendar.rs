//! What a host knows that a port will drain, slot by slot: a window of it around now, so that a long run keeps no more.

use crate::net::drain::{Rates, Through};
use crate::net::packet::Ps;
use matchrdma_model::forecast::FARTHEST;
use matchrdma_spec::regs::entry::CalendarEntry;
use std::collections::VecDeque;

/// Entries behind the farthest that a forecast may look at in one boundary.
const MARGIN: usize = 4;

/// A calendar without an end.
#[derive(Debug)]
pub struct Calendar {
    through: Through<Rates>,
    /// Entry of the first of the window.
    first: usize,
    window: VecDeque<CalendarEntry>,
}

impl Calendar {
    /// Of a port with these rates; entry n is of the slot that begins at `phase` and n + 1 slots.
    pub fn new(rates: Rates, phase: Ps, slot: Ps) -> Self {
        Calendar { through: Through::new(rates, phase + slot, slot), first: 0, window: VecDeque::new() }
    }

    /// A slot ends: entries before its own are forgotten, and the window goes as far as a forecast may look.
    pub(super) fn reach(&mut self, slot: usize) {
        while self.first + 1 < slot {
            self.window.pop_front();
            self.first += 1;
        }
        while self.window.len() < FARTHEST as usize + MARGIN {
            let budget = self.through.next().unwrap_or(0.0) as u32;
            self.window.push_back(CalendarEntry { budget, slots: 1 });
        }
    }

    pub(super) fn entry(&self, n: usize) -> CalendarEntry {
        self.window[n - self.first]
    }
}
