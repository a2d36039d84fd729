//! The budget rail in the gateway: what it hears of frames, slots and the client port.

use super::Gateway;
use crate::arrivals::{told, Told};
use crate::budget_rail::{BudgetRail, PortSlot, RailCfg};
use crate::budget_rx::{BudgetCfg, Heard, Peer};
use crate::parse::Arrival;
use crate::rate_estimator::EstimatorCfg;
use crate::reservoir::{Budget, ReservoirCfg};
use crate::tables::Tables;
use matchrdma_spec::params::PATHS;

/// Session 0: nothing is said.
pub(super) const OFF: RailCfg = RailCfg {
    budget: BudgetCfg {
        site: 0,
        session: 0,
        line: 0,
        floor: 0,
        from_wire: 0,
        to_wire: 0,
        slot_ps: 0,
        clock_hz: 0,
        capabilities: 0,
        lease: 0,
    },
    estimator: EstimatorCfg { line: 0, a: 0, p: 0, c: 0, h: 0 },
    law: ReservoirCfg { line: 0, capacity: 0, floor: 0, tau: 0 },
    addresses: (0, 0),
};

/// What the end of a slot brought.
#[derive(Clone, Copy, Debug)]
pub struct SlotEnd {
    /// The paths whose lease has just run out, as bits.
    pub lapses: u16,
    /// What each path's far gateway may send.
    pub budgets: [Budget; PATHS],
}

impl Gateway {
    /// `LAW_*`.
    pub fn set_law(&mut self, cfg: RailCfg) {
        self.rail.set(cfg);
    }

    /// Who is at the far end of a path, and its weight here.
    pub fn set_peer(&mut self, path: usize, peer: Peer, weight: u8) {
        self.rail.set_peer(path, peer, weight);
    }

    /// `PACER_OVERHEAD`. Changes only while nothing is inside.
    pub fn set_overhead(&mut self, overhead: u8) {
        self.overhead = overhead;
        self.inbound.set_overhead(overhead);
        self.drain.set_overhead(overhead);
    }

    /// The budget rail.
    pub fn rail(&self) -> &BudgetRail {
        &self.rail
    }

    /// Bytes that wait for the line of a path.
    pub fn waiting(&self, path: usize) -> u64 {
        self.waiting[path]
    }

    /// What became of budget frames since the last call, oldest first. A path of `Opened` has sent nothing yet.
    pub fn take_heard(&mut self) -> Vec<Heard> {
        std::mem::take(&mut self.heard)
    }

    /// So many bytes left the client port: of a lossless frame of a path or of something else, the last of their frame
    /// or not.
    pub fn client_drained(&mut self, path: Option<usize>, bytes: u64, last: bool) {
        self.drain.left(path.is_some(), bytes, last);
        if let Some(path) = path {
            self.drained_of[path] += bytes as u32 + if last { self.overhead.into() } else { 0 };
        }
    }

    /// A slot is over, and `begins` begins with these tables.
    pub fn slot_end(&mut self, tables: &Tables, begins: u32) -> SlotEnd {
        let lapses = self.rail.boundary();
        let port = self.drain.slot();
        let port = PortSlot {
            drained: port.drained as u32,
            drained_of: std::mem::take(&mut self.drained_of),
            other: port.other as u32,
            backlogged: port.backlogged,
            cnp: std::mem::take(&mut self.client_cnp),
            occupancy: core::array::from_fn(|path| self.inbound.occupancy(path)),
            stray: self.inbound.stray(),
        };
        self.rail.forecast(tables, begins, &port);
        SlotEnd { lapses, budgets: self.rail.slot(&port) }
    }

    /// The frame that tells the far gateway of a path what it may send; `sent`: what this path has sent in its session.
    pub fn tell(&mut self, path: usize, sent: u64) -> Option<Vec<u8>> {
        self.rail.tell(path, sent, self.waiting[path], self.inbound.occupancy(path))
    }

    /// A frame from the line was judged.
    pub(super) fn hear(&mut self, arrival: &Arrival, queue: usize, frame: &[u8]) {
        match told(arrival, queue, frame, self.overhead) {
            Told::Nothing => {}
            Told::Came(path, bytes) => self.rail.came(path, bytes),
            Told::Budget(damaged) => {
                let heard = self.rail.frame(frame, damaged);
                self.heard.push(heard);
            }
        }
    }

    /// A frame waits for the line, or waits no more.
    pub(super) fn waits(&mut self, queue: usize, bytes: usize, more: bool) {
        if let Some(waiting) = self.waiting.get_mut(queue).filter(|_| bytes > 0) {
            let cost = bytes as u64 + u64::from(self.overhead);
            *waiting = if more { *waiting + cost } else { *waiting - cost };
        }
    }
}
