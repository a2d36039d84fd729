//! Budget: **budget_rail**. The four stages joined: what a gateway does at the end of a slot, and with a budget frame.
//!
//! In, once per slot: what left the client port, and what waits there of each path. In between: bytes and budget frames
//! from the line. Out: what each path may send here, and frames that tell the far gateways what they may send.
//!
//! A path takes part when it has a far gateway that knows our session. Another session of ours is another life: nothing
//! was heard, said or sent before it.
//!
//! Gates: `hdl/src/budget/rail.rs`. Registers: `LAW`, and words 7 and 10 to 13 of a path's entry.

use crate::budget_rx::{BudgetCfg, BudgetRx, Heard, Peer, Said};
use crate::budget_tx::{BudgetTx, Telling};
use crate::forecast::{Ended, Forecast, Outlook};
use crate::rate_estimator::{EstimatorCfg, RateEstimator, Slot};
use crate::reservoir::{Budget, PathSlot, Reservoir, ReservoirCfg};
use crate::tables::Tables;
use matchrdma_spec::params::PATHS;

/// Everything that the host sets for all paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RailCfg {
    /// Who we are, and in which units we speak.
    pub budget: BudgetCfg,
    /// Constants of the estimator.
    pub estimator: EstimatorCfg,
    /// Constants of the law.
    pub law: ReservoirCfg,
    /// Destination and source address of budget frames.
    pub addresses: (u64, u64),
}

/// What the client port was like in a slot, bytes with their overhead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortSlot {
    /// Left: the lossless class of paths.
    pub drained: u32,
    /// Left: the lossless class of each path.
    pub drained_of: [u32; PATHS],
    /// Left: all else.
    pub other: u32,
    /// Something of a path waited, or was leaving, for at least 7/8 of the slot.
    pub backlogged: bool,
    /// A CNP came from the local data centre.
    pub cnp: bool,
    /// Waits of each path.
    pub occupancy: [u64; PATHS],
    /// Waits of the lossless class of no path: it takes from what the paths may fill.
    pub stray: u64,
}

/// The rail of one gateway.
#[derive(Clone, Debug)]
pub struct BudgetRail {
    cfg: RailCfg,
    peers: [Peer; PATHS],
    weights: [u8; PATHS],
    rx: BudgetRx,
    tx: BudgetTx,
    estimator: RateEstimator,
    law: Reservoir<PATHS>,
    forecast: Forecast,
    budgets: [Budget; PATHS],
    /// Slots of before a session began do not count.
    since: [u64; PATHS],
}

impl BudgetRail {
    /// No path has a far gateway.
    pub fn new(cfg: RailCfg) -> Self {
        let peers = [Peer::default(); PATHS];
        BudgetRail {
            cfg,
            peers,
            weights: [0; PATHS],
            rx: BudgetRx::new(cfg.budget, peers),
            tx: BudgetTx::new(cfg.budget, peers, cfg.addresses.0, cfg.addresses.1),
            estimator: RateEstimator::new(cfg.estimator),
            law: Reservoir::new(cfg.law),
            forecast: Forecast::default(),
            budgets: [Budget::default(); PATHS],
            since: [0; PATHS],
        }
    }

    /// What the host sets is another from now on.
    pub fn set(&mut self, cfg: RailCfg) {
        let reborn = cfg.budget.session != self.cfg.budget.session;
        self.cfg = cfg;
        self.estimator.set(cfg.estimator);
        self.law.set(cfg.law);
        self.rx.set(cfg.budget);
        self.tx.set(cfg.budget, cfg.addresses);
        if reborn {
            self.rx = BudgetRx::new(cfg.budget, self.peers);
            self.tx = BudgetTx::new(cfg.budget, self.peers, cfg.addresses.0, cfg.addresses.1);
            self.estimator = RateEstimator::new(cfg.estimator);
            self.budgets = [Budget::default(); PATHS];
        }
    }

    /// A path's far gateway, and the path's weight here.
    pub fn set_peer(&mut self, path: usize, peer: Peer, weight: u8) {
        (self.peers[path], self.weights[path]) = (peer, weight);
        self.rx.set_peer(path, peer);
        self.tx.set_peer(path, peer);
    }

    /// What is known of a path.
    pub fn said(&self, path: usize) -> &Said {
        self.rx.said(path)
    }

    /// What the law gave a path in the last slot.
    pub fn budget(&self, path: usize) -> Budget {
        self.budgets[path]
    }

    /// The estimate, and how high it has lately been, bytes per slot.
    pub fn estimate(&self) -> (i64, i64) {
        (self.estimator.est(), self.estimator.hi())
    }

    /// The slot that is granted next.
    pub fn slot_number(&self) -> u64 {
        self.law.slot()
    }

    /// The byte limit of a path does not count: an outage has brought its rate to the floor.
    pub fn free(&self, path: usize) -> bool {
        self.rx.said(path).free(self.cfg.budget.floor)
    }

    /// A frame of a path came from the line: bytes, with its overhead.
    pub fn came(&mut self, path: usize, bytes: u64) {
        self.rx.bytes_came(path, bytes);
    }

    /// A budget frame came from the line. After `Opened` the path has sent nothing yet.
    pub fn frame(&mut self, frame: &[u8], damaged: bool) -> Heard {
        let heard = self.rx.frame(frame, damaged);
        if let Heard::Opened(path) = heard {
            self.law.forget(path);
            (self.since[path], self.budgets[path]) = (self.law.slot(), Budget::default());
        }
        heard
    }

    /// The end of a slot: leases. The paths whose lease has just run out, as bits.
    pub fn boundary(&mut self) -> u16 {
        self.rx.boundary()
    }

    /// The end of a slot, also of one whose law is left out: forecasts. Slot `begins` begins, with these tables.
    pub fn forecast(&mut self, tables: &Tables, begins: u32, port: &PortSlot) {
        let ended = core::array::from_fn(|path| Ended {
            drained: port.drained_of[path],
            backlogged: port.backlogged && port.occupancy[path] > 0,
            loops: self.law.last_loop(path),
        });
        self.forecast.boundary(tables, begins, &ended, &self.cfg.estimator);
    }

    /// What the port will drain of a path, as the host has said.
    pub fn outlook(&self, path: usize) -> Option<Outlook> {
        self.forecast.outlook(path)
    }

    /// Newest of our slots that a path's source had applied.
    fn echo(&self, path: usize) -> u64 {
        self.rx.said(path).echo.max(self.since[path])
    }

    /// The law takes part with a path.
    fn live(&self, path: usize) -> bool {
        self.peers[path].on && self.rx.said(path).knows_us
    }

    /// The end of a slot: what the far gateways may send in the next.
    pub fn slot(&mut self, port: &PortSlot) -> [Budget; PATHS] {
        let live = (0..PATHS).filter(|&i| self.live(i));
        let longest = live.clone().map(|i| self.law.loop_slots(self.echo(i))).max().unwrap_or(0) as u32;
        let waits = live.clone().any(|i| self.rx.said(i).waiting > 0);
        let PortSlot { drained, other, backlogged, cnp, .. } = *port;
        self.estimator.slot(Slot { drained, other, backlogged, waits, cnp, longest });
        let seen: [PathSlot; PATHS] = core::array::from_fn(|i| PathSlot {
            live: self.live(i),
            weight: self.weights[i],
            arrived: self.rx.said(i).arrived,
            occupancy: port.occupancy[i],
            waiting: self.rx.said(i).waiting,
            echo: self.echo(i),
            outlook: self.forecast.outlook(i),
        });
        let capacity = (self.cfg.law.capacity - port.stray as i64).max(0);
        self.law.set(ReservoirCfg { capacity, ..self.cfg.law });
        self.budgets = self.law.grant(self.estimator.est(), self.estimator.hi(), &seen);
        self.budgets
    }

    /// The frame that tells a path's far gateway what the law gave; `None` without one, or in session 0.
    pub fn tell(&mut self, path: usize, sent: u64, waiting: u64, occupancy: u64) -> Option<Vec<u8>> {
        if self.cfg.budget.session == 0 {
            return None;
        }
        let slot = self.law.slot().saturating_sub(1);
        self.tx.frame(path, self.rx.said(path), &self.budgets[path], &Telling { slot, sent, waiting, occupancy })
    }
}

#[cfg(test)]
#[path = "budget_tests.rs"]
mod tests;
