//! A gateway as a destination: the buffer in front of the data centre, and the law that keeps it low.

use super::calendar::Calendar;
use super::recirculate::{Loop, Recirculation};
use super::{Mail, Path, LOOP};
use crate::net::ecn::Ecn;
use crate::net::packet::{Kind, Packet, Ps, LOSSLESS};
use crate::net::rng::Stream;
use crate::net::world::Net;
use hdrhistogram::Histogram;
use matchrdma_model::forecast::{Course, Ended, Told};
use matchrdma_model::ledger::Ledger;
use matchrdma_model::rate_estimator::{EstimatorCfg, RateEstimator, Slot};
use matchrdma_model::reservoir::{Budget, PathSlot, Reservoir, ReservoirCfg};
use matchrdma_spec::params::PATHS;

/// How a destination slows its sources.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SinkLaw {
    /// Not at all.
    None,
    /// PFC over the line: hold above `xoff` bytes, go on below `xon`.
    Pfc {
        /// Threshold.
        xoff: u64,
        /// Threshold.
        xon: u64,
    },
    /// Per slot, what the buffer could take of all that is under way: `reserve` less what is here and granted.
    Bifrost {
        /// Bytes.
        reserve: u64,
    },
    /// Budgets of the rate estimator and the reservoir.
    Budgets {
        /// Constants of the estimator.
        estimator: EstimatorCfg,
        /// Constants of the reservoir.
        reservoir: ReservoirCfg,
    },
}

/// The grant of Bifrost for the next slot of a path, and a note of it: of the path's share of the reserve what neither
/// waits nor is under way; all in bytes.
pub fn bifrost(granted: &mut Ledger, share: u64, line: u64, occupancy: u64, echo: u64) -> u64 {
    let ahead = granted.in_flight(echo).unwrap_or(0);
    let grant = share.saturating_sub(occupancy + ahead).min(line);
    granted.note(grant, 0);
    grant
}

/// What a destination does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SinkCfg {
    /// Buffer; what comes to a full one is dropped.
    pub capacity: u64,
    /// Line, bytes per slot.
    pub line: u64,
    /// The law.
    pub law: SinkLaw,
    /// CNPs of the data centre go on to the sender.
    pub passes_cnp: bool,
    /// Marks by what waits.
    pub ecn: Option<Ecn>,
    /// Packets of flows whose receivers complain go round.
    pub recirculation: Option<Recirculation>,
}

/// The buffer.
#[derive(Debug)]
pub struct Sink {
    me: u32,
    cfg: SinkCfg,
    random: Stream,
    looping: Option<Loop>,
    /// What the host knows that each slot will drain; with one path.
    pub calendar: Option<Calendar>,
    course: Course,
    /// Link by which the client's packets come in.
    pub client_in: u32,
    /// Link to the client.
    pub client_out: u32,
    seen: [PathSlot; PATHS],
    paths: usize,
    estimator: Option<RateEstimator>,
    reservoir: Option<Reservoir<PATHS>>,
    ledgers: Vec<Ledger>,
    slot_number: u64,
    drained: u64,
    busy: Ps,
    busy_since: Option<Ps>,
    slot_began: Ps,
    cnp: bool,
    held_back: bool,
    occupancy: u64,
    /// When counting began.
    counted_from: Ps,
    changed_at: Ps,
    integral: u128,
    /// Most that waited since counting began.
    pub peak: u64,
    /// Bytes that left since counting began.
    pub drained_total: u64,
    /// Packets dropped for want of room.
    pub dropped: u64,
    samples: Histogram<u64>,
    ever: u64,
    /// Per path: bytes that left since counting began.
    pub drained_of: [u64; PATHS],
    /// Budgets of path 0, slot by slot, bytes per slot, where they are kept.
    pub granted: Option<Vec<u64>>,
}

impl Sink {
    /// A buffer of a node, with its client's links: the one in, the one out. It has no path yet.
    pub fn new(me: u32, cfg: SinkCfg, client: (u32, u32), random: Stream) -> Self {
        let (client_in, client_out) = client;
        let (estimator, reservoir) = match cfg.law {
            SinkLaw::Budgets { estimator, reservoir } => {
                (Some(RateEstimator::new(estimator)), Some(Reservoir::new(reservoir)))
            }
            _ => (None, None),
        };
        Sink {
            me,
            cfg,
            random,
            looping: cfg.recirculation.map(Loop::new),
            calendar: None,
            course: Course::default(),
            client_in,
            client_out,
            seen: [PathSlot::default(); PATHS],
            paths: 0,
            estimator,
            reservoir,
            ledgers: vec![],
            slot_number: 0,
            drained: 0,
            busy: 0,
            busy_since: None,
            slot_began: 0,
            cnp: false,
            held_back: false,
            occupancy: 0,
            counted_from: 0,
            changed_at: 0,
            integral: 0,
            peak: 0,
            drained_total: 0,
            dropped: 0,
            samples: Histogram::new(3).expect("three digits are kept"),
            ever: 0,
            drained_of: [0; PATHS],
            granted: None,
        }
    }

    /// One more source. Nothing was granted to it in the slots that are over.
    pub fn add_path(&mut self, weight: u8) {
        let echo = self.slot_number;
        self.seen[self.paths] = PathSlot { live: true, weight, waiting: 1, echo, ..PathSlot::default() };
        self.paths += 1;
        self.ledgers.push(Ledger::default());
    }

    /// Bytes that left since the start.
    pub fn drained_ever(&self) -> u64 {
        self.ever
    }

    /// Bytes that wait now.
    pub fn occupancy(&self) -> u64 {
        self.occupancy
    }

    /// Mean of what waited since counting began, bytes.
    pub fn mean(&self, now: Ps) -> f64 {
        let last = u128::from(self.occupancy) * u128::from(now - self.changed_at);
        (self.integral + last) as f64 / (now - self.counted_from).max(1) as f64
    }

    /// What was not exceeded in so many thousandths of the samples, to a thousandth of itself.
    pub fn quantile(&self, thousandths: usize) -> u64 {
        self.samples.value_at_quantile(thousandths as f64 / 1000.0)
    }

    /// Counting begins now.
    pub fn count_from(&mut self, now: Ps) {
        (self.counted_from, self.changed_at) = (now, now);
        (self.integral, self.peak, self.drained_total, self.dropped) = (0, self.occupancy, 0, 0);
        self.drained_of = [0; PATHS];
        self.samples.clear();
    }

    fn change(&mut self, now: Ps, to: u64) {
        self.integral += u128::from(self.occupancy) * u128::from(now - self.changed_at);
        self.changed_at = now;
        self.occupancy = to;
        self.peak = self.peak.max(to);
        match (self.busy_since, to) {
            (None, 1..) => self.busy_since = Some(now),
            (Some(since), 0) => {
                self.busy += now - since.max(self.slot_began);
                self.busy_since = None;
            }
            _ => {}
        }
    }

    pub(super) fn sample(&mut self, _now: Ps) {
        self.samples.record(self.occupancy).expect("it grows with what it is given");
    }

    /// So many bytes of a path came from the line.
    pub fn came(&mut self, path: usize, bytes: u64) {
        self.seen[path].arrived += bytes;
    }

    /// A packet from a line.
    pub(super) fn arrive(&mut self, net: &mut Net, path: usize, mut packet: Packet, sources: &[Path]) {
        let bytes = u64::from(packet.bytes);
        self.came(path, bytes);
        if self.occupancy + bytes > self.cfg.capacity {
            self.dropped += 1;
            return;
        }
        packet.port = path as u16;
        if let Some(at) = self.looping.as_mut().and_then(|l| l.enter(packet, net.now)) {
            self.seen[path].occupancy += bytes;
            self.change(net.now, self.occupancy + bytes);
            net.timer(self.me, LOOP, at - net.now);
            return;
        }
        if !self.forward(net, packet) {
            self.seen[path].occupancy += bytes;
            self.change(net.now, self.occupancy + bytes);
            self.hold(net, sources);
        }
    }

    /// To the client. True: it left at once.
    fn forward(&mut self, net: &mut Net, mut packet: Packet) -> bool {
        if let Some(ecn) = self.cfg.ecn {
            packet.marked |= ecn.marks(net.links[self.client_out as usize].queued(LOSSLESS), &mut self.random);
        }
        let left = net.send(self.client_out, packet);
        if left {
            self.count(packet.port.into(), packet.bytes.into());
        }
        left
    }

    /// A packet has gone round often enough.
    pub(super) fn leave_loop(&mut self, net: &mut Net, sources: &[Path]) {
        let Some(packet) = self.looping.as_mut().and_then(Loop::leave) else { return };
        if self.forward(net, packet) {
            self.seen[usize::from(packet.port)].occupancy -= u64::from(packet.bytes);
            self.change(net.now, self.occupancy - u64::from(packet.bytes));
            self.hold(net, sources);
        }
    }

    fn count(&mut self, path: usize, bytes: u64) {
        self.drained += bytes;
        self.drained_total += bytes;
        self.ever += bytes;
        self.drained_of[path] += bytes;
    }

    pub(super) fn left(&mut self, net: &mut Net, packet: &Packet, sources: &[Path]) {
        let (path, bytes) = (usize::from(packet.port), u64::from(packet.bytes));
        self.seen[path].occupancy -= bytes;
        self.count(path, bytes);
        self.change(net.now, self.occupancy - bytes);
        self.hold(net, sources);
    }

    fn hold(&mut self, net: &mut Net, sources: &[Path]) {
        if let SinkLaw::Pfc { xoff, xon } = self.cfg.law {
            let on = if self.held_back { self.occupancy > xon } else { self.occupancy > xoff };
            if on != self.held_back {
                self.held_back = on;
                for source in sources {
                    let mail = net.mail(Mail::Hold { on });
                    net.send(source.line_out, mail);
                }
            }
        }
    }

    /// A source said where it stands.
    pub fn heard(&mut self, path: usize, echo: u64, waiting: u64) {
        let seen = &mut self.seen[path];
        seen.echo = seen.echo.max(echo);
        seen.waiting = waiting;
    }

    /// An answer of the data centre passes.
    pub(super) fn client_said(&mut self, now: Ps, packet: &Packet) {
        if packet.kind == Kind::Cnp {
            self.cnp |= !self.cfg.passes_cnp;
            if let Some(looping) = &mut self.looping {
                looping.complained(packet.flow, now);
            }
        }
    }

    /// Whether a CNP of the data centre goes on to its sender.
    pub(super) fn passes(&self, packet: &Packet) -> bool {
        packet.kind != Kind::Cnp || self.cfg.passes_cnp
    }

    /// A slot is over: budgets, each with the line that it goes by.
    pub(super) fn slot(&mut self, now: Ps, sources: &[Path]) -> Vec<(u32, Mail)> {
        let mut out = vec![];
        if let Some(since) = self.busy_since {
            self.busy += now - since.max(self.slot_began);
        }
        let length = now - self.slot_began;
        let backlogged = 8 * self.busy >= 7 * length;
        let drained = std::mem::take(&mut self.drained);
        (self.busy, self.slot_began) = (0, now);
        let slot = self.slot_number;
        if let SinkLaw::Bifrost { reserve } = self.cfg.law {
            self.slot_number += 1;
            for (i, source) in sources.iter().enumerate() {
                let (share, seen) = (reserve / sources.len() as u64, &self.seen[i]);
                let grant = bifrost(&mut self.ledgers[i], share, self.cfg.line, seen.occupancy, seen.echo);
                out.push((source.line_out, Mail::Budget { slot, grant, limit: u64::MAX }));
            }
        } else if let Some(budgets) = self.grant(drained, backlogged, self.seen.map(|s| s.occupancy)) {
            if let Some(granted) = &mut self.granted {
                granted.push(budgets[0].grant.into());
            }
            for (source, b) in sources.iter().zip(budgets) {
                out.push((source.line_out, Mail::Budget { slot, grant: b.grant.into(), limit: b.limit }));
            }
        }
        out
    }

    /// The end of a slot in which so much drained, with so much of each path here: budgets, if that is its law.
    pub fn grant(&mut self, drained: u64, backlogged: bool, occupancy: [u64; PATHS]) -> Option<[Budget; PATHS]> {
        let slot = self.slot_number;
        self.slot_number += 1;
        let SinkLaw::Budgets { estimator: cfg, .. } = self.cfg.law else { return None };
        let (estimator, reservoir) = (self.estimator.as_mut()?, self.reservoir.as_mut()?);
        if let Some(calendar) = &mut self.calendar {
            calendar.reach(slot as usize);
            let entry = |n: usize| calendar.entry(n);
            let told = Told { entry: &entry, length: usize::MAX, loops: false, start: 1 };
            let ended = Ended {
                drained: drained as u32,
                backlogged: backlogged && occupancy[0] > 0,
                loops: reservoir.last_loop(0),
            };
            self.course.boundary(&told, self.slot_number as u32, &ended, &cfg);
            self.seen[0].outlook = self.course.outlook(&told);
        }
        let mut seen = self.seen;
        seen.iter_mut().zip(occupancy).for_each(|(path, bytes)| path.occupancy = bytes);
        let longest = seen.iter().filter(|s| s.live).map(|s| reservoir.loop_slots(s.echo)).max();
        estimator.slot(Slot {
            drained: drained.min(u64::from(u32::MAX)) as u32,
            other: 0,
            backlogged,
            waits: seen.iter().any(|s| s.live && s.waiting > 0),
            cnp: std::mem::take(&mut self.cnp),
            longest: longest.unwrap_or(0) as u32,
        });
        Some(reservoir.grant(estimator.est(), estimator.hi(), &seen))
    }
}

#[cfg(test)]
#[path = "sink_tests.rs"]
mod tests;
