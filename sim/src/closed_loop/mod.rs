//! Sources behind their gateways, the lines from them, and one destination behind its gateway.
//!
//! ```text
//! nic ─client wire─ [source gateway] ═══ line ═══╗
//! nic ─client wire─ [source gateway] ═══ line ═══╩═ [destination gateway] ─client wire─ responders
//! ```
//!
//! Time is counted in cycles of the scenario's clock; a gateway with a clock of its own has now one more cycle, now one less.

mod clock;
mod data_centre;
mod destination;
mod far;
mod notice;
mod source;

use self::clock::Clock;
use self::destination::Destination;
use self::notice::{Notice, Whose};
use self::source::Source;
use crate::configure::Host;
use crate::engine::Gateway;
use crate::frame::End;
use crate::host::Requester;
use crate::scenario::{site_source, Pair, Scenario, Scheme, NEAR_QPN};
use crate::setup;
use matchrdma::rail::Settings;
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::params::OVERHEAD_BYTES;
use matchrdma_spec::wire::budget;
use matchrdma_spec::wire::packet::parse_frame;

/// The ends of queue pair `i` of the first group of senders: (near, far).
pub fn ends(i: u32) -> (End, End) {
    let near = End { mac: 0x0200_0000_0001, ip: 0x0a01_0001, qpn: NEAR_QPN + i };
    let far = End { mac: 0x0200_0000_0002, ip: 0x0a02_0001, qpn: 0x200 + i };
    (near, far)
}

/// Keys of a queue pair: as its requests have it, and as the answers do.
pub fn pair_keys(pair: &Pair) -> (FlowKey, FlowKey) {
    let (near, far) = (pair.near, pair.far);
    let key = |from: End, to: End| FlowKey { v6: 0, vlan: 0, src: from.ip.into(), dst: to.ip.into(), qpn: to.qpn };
    (key(near, far), key(far, near))
}

/// One slot of one path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// Payload placed in order at the receiver, bytes.
    pub placed_bytes: u64,
    /// Unacknowledged at the senders when the slot ended, bytes.
    pub window_bytes: u64,
    /// Most that waited in the source gateway in the slot, frame bytes.
    pub near_bytes: u64,
    /// Most that waited in the destination gateway in the slot, frame bytes.
    pub far_bytes: u64,
    /// Mean of that, frame bytes.
    pub far_mean_bytes: u64,
}

/// What a run gives.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Slot by slot, path by path, those of the first source first; behind the last path what takes none.
    pub slots: Vec<Vec<Slot>>,
    /// Cycle at which the last flow was seen to be acknowledged by its gateway.
    pub active_cycle: Option<u64>,
    /// Cycle from which goodput counts, and how many cycles it counts.
    pub counted: (u64, u64),
    /// Payload placed in order while goodput counts, bytes.
    pub counted_bytes: u64,
    /// The same of the queue pair that placed least.
    pub least_bytes: u64,
    /// Queue pairs that placed nothing in the last quarter of the counted time.
    pub silent: u64,
    /// Frames sent again by the senders.
    pub repeated: u64,
    /// NAKs that the senders received.
    pub naks: u64,
    /// Of these, such as named a gap again within the gap timeout.
    pub naks_again: u64,
    /// ACKs that stepped back at a sender.
    pub backwards: u64,
    /// Retransmission timers that ran out.
    pub timeouts: u64,
    /// ACKs and NAKs that the senders received.
    pub acks: u64,
    /// CNPs that the senders received.
    pub cnps: u64,
    /// PFC frames that stopped the senders' port, and that let it go.
    pub pfc: [u64; 2],
    /// Cycles in which PFC held the senders' port.
    pub paused_cycles: u64,
    /// Of what the data centre could have drained while goodput counts, the part that it did.
    pub utilisation: f64,
    /// Most bytes of budget frames, with their overhead, that left one gateway for its line while goodput counts.
    pub budget_bytes: u64,
    /// CNPs that the data centre sent, and XOFFs.
    pub data_centre: [u64; 2],
    /// ACKs and NAKs that the source gateways built, each one held against what must hold.
    pub watched: u64,
    /// Cycles simulated.
    pub cycles: u64,
}

/// When a run starts to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountFrom {
    /// When every flow is acknowledged by the gateway; an error after this many cycles without.
    Active {
        /// Cycles to wait.
        at_most: u64,
    },
    /// At a cycle.
    Cycle(u64),
}

/// The parts around the gateways.
struct Loop {
    pairs: Vec<Pair>,
    sources: Vec<Source>,
    destination: Destination,
    /// The destination's host, once it knows when which drain begins.
    notice: Option<Notice>,
    paths: usize,
    slots: Vec<Slot>,
    cycles: u64,
}

/// What left a gateway for its line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Port {
    budget_bytes: u64,
}

impl Port {
    fn left(&mut self, frame: &[u8]) {
        if budget::is_budget(frame) {
            self.budget_bytes += frame.len() as u64 + u64::from(OVERHEAD_BYTES);
        }
    }
}

impl Loop {
    fn new(s: &Scenario, kind: Scheme) -> Self {
        let pairs = s.pairs();
        let class = |p: &Pair| p.path.map_or(s.classes() - 1, |path| p.source * s.paths.len() + path);
        let classes: Vec<usize> = pairs.iter().map(class).collect();
        let mut first = 0;
        let mut sources = vec![];
        for n in 0..s.source_count() {
            let own: Vec<Pair> = pairs.iter().filter(|p| p.source == n).copied().collect();
            sources.push(Source::new(s, n, &own, first));
            first += own.len();
        }
        Loop {
            destination: Destination::new(s, kind, &pairs, &classes),
            notice: None,
            pairs,
            sources,
            paths: s.paths.len(),
            slots: vec![Slot::default(); s.classes()],
            cycles: 0,
        }
    }

    /// One cycle.
    fn cycle(&mut self, near: &mut [&mut dyn Gateway], far: &mut dyn Gateway, now: u64) -> Result<(), String> {
        let (destination, paths) = (&mut self.destination, self.paths);
        let slots = &mut self.slots;
        destination.wires(&mut |class, bytes| slots[class].placed_bytes += bytes, now);
        for (source, gateway) in self.sources.iter_mut().zip(near) {
            let path = |frame: &[u8]| {
                let pair = destination.pair(frame).map(|i| &destination.receiving[i]);
                pair.filter(|r| r.class < slots.len() - 1).map_or(paths, |r| r.class % paths)
            };
            source.wires(&path, now);
            source.gateway(*gateway, &path, now)?;
        }
        for source in &mut self.sources {
            while let Some(f) = source.line_there.leave(now) {
                self.destination.arrives(&f);
            }
        }
        if let Some(notice) = &mut self.notice {
            notice.cycle(far, now)?;
        }
        for f in self.destination.gateway(far, now) {
            let to = if budget::is_budget(&f) {
                site_source(budget::DST_SITE.get(&f) as u16)
            } else {
                let qpn = parse_frame(&f).dest_qpn;
                self.pairs.iter().find(|p| p.near.qpn == qpn).map(|p| p.source)
            };
            if let Some(source) = self.sources.get_mut(to.unwrap_or(0)) {
                source.line_back.enter(f, now);
            }
        }
        for (source, told) in self.destination.says(now) {
            self.sources[source].tell(told, now);
        }
        self.look();
        Ok(())
    }

    /// What waits, for the record.
    fn look(&mut self) {
        self.cycles += 1;
        for (class, slot) in self.slots.iter_mut().enumerate() {
            let none = class + 1 == self.destination.waits.len();
            let near: u64 = if none {
                self.sources.iter().map(|s| s.waits[self.paths].bytes()).sum()
            } else {
                self.sources[class / self.paths].waits[class % self.paths].bytes()
            };
            let far = self.destination.waits[class].bytes();
            slot.near_bytes = slot.near_bytes.max(near);
            slot.far_bytes = slot.far_bytes.max(far);
            slot.far_mean_bytes += far;
        }
    }

    /// A slot is over.
    fn slot(&mut self) -> Vec<Slot> {
        let requesters = self.sources.iter().flat_map(|s| &s.nic.requesters);
        for (requester, r) in requesters.zip(&self.destination.receiving) {
            self.slots[r.class].window_bytes += requester.unacknowledged_bytes();
        }
        let cycles = std::mem::take(&mut self.cycles).max(1);
        self.slots.iter_mut().for_each(|slot| slot.far_mean_bytes /= cycles);
        let empty = vec![Slot::default(); self.slots.len()];
        std::mem::replace(&mut self.slots, empty)
    }

    fn unacknowledged(&self) -> usize {
        self.sources.iter().map(|s| s.nic.unacknowledged()).sum()
    }

    fn outcome(&self, slots: Vec<Vec<Slot>>, active_cycle: Option<u64>, counted: (u64, u64), now: u64) -> Outcome {
        let receiving = &self.destination.receiving;
        let placed = || receiving.iter().map(|r| r.responder.placed_bytes - r.before);
        let requesters = || self.sources.iter().flat_map(|s| &s.nic.requesters);
        let sum = |of: fn(&Requester) -> u64| requesters().map(of).sum();
        let nic = |of: fn(&Source) -> u64| self.sources.iter().map(of).sum::<u64>();
        Outcome {
            slots,
            active_cycle,
            counted,
            counted_bytes: placed().sum(),
            least_bytes: placed().min().unwrap_or(0),
            silent: receiving.iter().filter(|r| now - r.placed_at > counted.1 / 4).count() as u64,
            repeated: sum(|r| r.repeated),
            naks: sum(|r| r.naks),
            naks_again: nic(|s| s.nic.naks_again),
            backwards: sum(|r| r.backwards),
            timeouts: sum(|r| r.timeouts),
            acks: nic(|s| s.nic.acks),
            cnps: sum(|r| r.cnps),
            pfc: [nic(|s| s.nic.pfc[0]), nic(|s| s.nic.pfc[1])],
            paused_cycles: nic(|s| s.nic.paused_cycles),
            utilisation: self.destination.utilisation(),
            budget_bytes: self
                .sources
                .iter()
                .map(|s| &s.port)
                .chain([&self.destination.port])
                .map(|p| p.budget_bytes)
                .max()
                .unwrap_or(0),
            data_centre: self.destination.data_centre.said,
            watched: nic(|s| s.witness.built_frames()),
            cycles: now,
        }
    }
}

/// When the host of which source, or of the destination, begins another session; the first is the last.
fn restarts(s: &Scenario) -> Vec<(u64, Option<usize>)> {
    let sources = (0..s.source_count()).map(|n| (s.source(n).restart_us, Some(n)));
    let all = sources.chain([(s.destination.restart_us, None)]);
    let mut all: Vec<_> = all.filter(|(us, _)| *us > 0.0).map(|(us, who)| (s.cycles(us), who)).collect();
    all.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    all
}

/// Watches the source gateways and runs until goodput was counted for `count_cycles`. `progress` is told the share done,
/// now and then.
pub fn run(
    s: &Scenario,
    kind: Scheme,
    near: &mut [&mut dyn Gateway],
    far: &mut dyn Gateway,
    from: CountFrom,
    count_cycles: u64,
    progress: &mut dyn FnMut(f64),
) -> Result<Outcome, String> {
    let mut l = Loop::new(s, kind);
    let mut restarts = if kind.has_budgets() { restarts(s) } else { vec![] };
    let mut slots = Vec::new();
    let slot_cycles = 1u64 << s.slot_log2_cycles;
    let mut active_cycle = None;
    let mut counted_from = match from {
        CountFrom::Active { .. } => None,
        CountFrom::Cycle(c) => Some(c),
    };
    let (mut now, mut planned) = (0u64, false);
    loop {
        while restarts.last().is_some_and(|(at, _)| *at <= now) {
            let again = |host: &mut Host, settings: Settings| {
                host.rail(&Settings { session: settings.session + 1, ..settings }).map_err(|e| e.to_string())
            };
            match restarts.pop().and_then(|(_, source)| source) {
                Some(n) => again(&mut Host::new(&mut *near[n]), setup::source(s, n))?,
                None => again(&mut Host::new(&mut *far), setup::destination(s))?,
            }
        }
        l.cycle(near, far, now)?;
        now += 1;
        if active_cycle.is_none() && l.unacknowledged() == 0 {
            active_cycle = Some(now);
            if matches!(from, CountFrom::Active { .. }) {
                counted_from = Some(now + s.warm_up_cycles());
            }
        }
        if let Some(from) = counted_from.filter(|_| !planned) {
            planned = true;
            let rates = l.destination.plan(from, count_cycles);
            let notice = |whose| Notice::new(s, whose, &rates, from + count_cycles);
            l.notice = kind.has_forecast().then(|| notice(Whose::Destination));
            for (n, source) in l.sources.iter_mut().enumerate() {
                source.notice = kind.has_calendar().then(|| notice(Whose::Source(n)));
            }
        }
        if counted_from == Some(now) {
            l.destination.begin();
            let sources = l.sources.iter_mut().map(|s| &mut s.port);
            sources.chain([&mut l.destination.port]).for_each(|port| *port = Port::default());
        }
        if now.is_multiple_of(slot_cycles) {
            slots.push(l.slot());
            let whole = counted_from.unwrap_or(now) + count_cycles;
            progress((now as f64 / whole as f64).min(1.0));
        }
        match (counted_from, from) {
            (Some(start), _) if now == start + count_cycles => {
                for (source, gateway) in l.sources.iter_mut().zip(near) {
                    source.witness.finish(*gateway)?;
                }
                return Ok(l.outcome(slots, active_cycle, (start, count_cycles), now));
            }
            (None, CountFrom::Active { at_most }) if now > at_most => {
                return Err(format!(
                    "{} of {} flows were not acknowledged by their gateway within {at_most} cycles",
                    l.unacknowledged(),
                    l.pairs.len()
                ));
            }
            _ => {}
        }
    }
}
