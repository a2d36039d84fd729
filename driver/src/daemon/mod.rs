//! Learns flows while a gateway runs, and installs them (`matchrdma learn`; `docs/learn.md` is for users).
//!
//! [`Daemon::step`] takes out what the gateway told, reads the hosts' lists, judges what is known, and installs it
//! through the host's own record, so that an apply knows of it. Each plan takes effect whole or not at all; between two
//! steps nothing is half done, and a daemon that ends leaves its flows.

mod ageing;
pub mod decision;
mod judge;
mod lists;

use crate::apply::host::Host;
use crate::apply::learnt::path_of;
use crate::apply::record::Store;
use crate::apply::wanted::Flow;
use crate::error::{Kind, Result};
use crate::learn::{acks, surest, LearnedFlow, Learner, Source};
use crate::transport::Transport;
use crate::upcall::{number, want, Upcalls, Wanted, POLL_MAX};
use ageing::Ages;
use decision::{pair, Decision, Keys};
use judge::{judge, told, Facts};
use lists::List;
use matchrdma_spec::regs::event;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What a user says.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Lists of the hosts.
    pub lists: Vec<PathBuf>,
    /// Addresses between which ACKs are looked at, near and far, in turn.
    pub between: Vec<(IpAddr, IpAddr)>,
    /// How long each in turn.
    pub dwell: Duration,
    /// Longer than any ACK takes.
    pub settling: Duration,
    /// Learnt flows at most.
    pub limit: usize,
    /// A flow that stood still for so long goes; `None`: none does.
    pub age: Option<Duration>,
    /// Leave SEND and WRITE with immediate to the far side.
    pub ack_ops_write: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            lists: vec![],
            between: vec![],
            dwell: Duration::from_secs(10),
            settling: Duration::from_millis(500),
            limit: matchrdma_spec::params::FLOWS,
            age: Some(Duration::from_secs(600)),
            ack_ops_write: false,
        }
    }
}

/// Lists and states of flows are looked at so often.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Refusals that are remembered, so that each is told once.
const MAX_TOLD: usize = 65_536;

/// The daemon.
pub struct Daemon<T, S> {
    host: Host<T, S>,
    settings: Settings,
    upcalls: Upcalls,
    lists: Vec<List>,
    turn: usize,
    turned: Instant,
    looked: Instant,
    ages: Ages,
    told: BTreeSet<(Keys, String)>,
    irq_before: u32,
    polling: bool,
    more: bool,
    said: Vec<Decision>,
}

impl<T: Transport, S: Store> Daemon<T, S> {
    /// Begins to learn. A device that this host has configured is wanted.
    pub fn begin(mut host: Host<T, S>, settings: Settings, now: Instant) -> Result<Self> {
        host.plan_learnt(&[], &HashSet::new())?;
        let opened: Vec<_> = settings.lists.iter().cloned().map(List::open).collect::<Result<_>>()?;
        let (lists, said) = opened.into_iter().unzip();
        let irq_before = host.core().read(&event::CONTROL)?;
        // Events that nobody takes would hold the line up.
        host.core().write(&event::CONTROL, event::CONTROL_IRQ_UPCALLS.with(0, 1))?;
        let cycles = settings.settling.as_secs_f64() * f64::from(host.core().caps().clock_hz);
        let upcalls = Upcalls::new(Learner::new(acks::LIVE)).settling(cycles as u64);
        let (turn, polling, more) = (0, false, false);
        let (ages, told) = Default::default();
        let (turned, looked) = (now, now);
        let mut daemon = Daemon {
            host,
            settings,
            upcalls,
            lists,
            turn,
            turned,
            looked,
            ages,
            told,
            irq_before,
            polling,
            more,
            said,
        };
        daemon.listen()?;
        Ok(daemon)
    }

    /// Asks for datagrams, and for digests between the two whose turn it is.
    fn listen(&mut self) -> Result<()> {
        let between = self.settings.between.get(self.turn).copied();
        self.upcalls.begin(self.host.core(), &Wanted { between, datagrams: true })?;
        self.said
            .extend(between.map(|(near, far)| Decision::Listening { near: near.to_string(), far: far.to_string() }));
        Ok(())
    }

    /// Does what is to be done now, and tells what it was.
    pub fn step(&mut self, now: Instant) -> Result<Vec<Decision>> {
        if self.settings.between.len() > 1 && now >= self.turned + self.settings.dwell {
            self.turn = (self.turn + 1) % self.settings.between.len();
            self.turned = now;
            self.listen()?;
        }
        self.poll()?;
        let due = now >= self.looked + LOOK_EVERY;
        if due {
            self.looked = now;
            self.said.extend(self.lists.iter_mut().filter_map(List::look));
        }
        if self.ended()? || due {
            let go = self.aged(now)?;
            self.leave(go)?;
        }
        self.install()?;
        Ok(std::mem::take(&mut self.said))
    }

    /// Takes out what the gateway told.
    fn poll(&mut self) -> Result<()> {
        let lost = self.upcalls.lost();
        self.more = self.upcalls.poll(self.host.core())? == POLL_MAX;
        let more = self.upcalls.lost().zip(lost).map(|(now, before)| now.wrapping_sub(before));
        if let Some(more) = more.filter(|more| *more > 0) {
            let why = format!("the gateway lost {more} digests and datagrams, for nobody took them in time");
            self.said.push(Decision::Void { why });
        }
        Ok(())
    }

    fn listed(&self) -> Vec<LearnedFlow> {
        self.lists.iter().flat_map(|list| list.flows()).copied().collect()
    }

    /// Takes flows out.
    fn leave(&mut self, go: HashMap<Keys, String>) -> Result<()> {
        if go.is_empty() {
            return Ok(());
        }
        let standing = self.host.standing();
        let plan = self.host.plan_learnt(&[], &go.keys().copied().collect())?;
        self.host.apply(&plan)?;
        for flow in standing.iter().filter(|flow| go.contains_key(&flow.keys)) {
            // What is known of it is of the past, and its requests so far nobody has seen.
            self.upcalls.forget(&flow.keys.0);
            self.said.push(Decision::Gone { flow: flow.index, pair: pair(&flow.keys), why: go[&flow.keys].clone() });
        }
        self.upcalls.missed(self.host.core())
    }

    /// Installs what is known and is none yet.
    fn install(&mut self) -> Result<()> {
        let mut known = self.listed();
        known.extend(self.upcalls.learner.flows());
        let known = surest(known);
        if known.is_empty() {
            return Ok(());
        }
        let standing = self.host.standing();
        let mirror = self.host.record().mirror.clone();
        let facts = Facts {
            standing: &standing,
            mirror: &mirror,
            most: self.host.core().caps().flows as usize,
            limit: self.settings.limit,
            ack_ops_write: self.settings.ack_ops_write,
            mispaired: self.ages.mispaired(),
        };
        let verdict = judge(&known, &facts, &|v6, address| self.near(v6, address));
        self.refuse(&verdict.refused);
        if verdict.come.is_empty() {
            return Ok(());
        }
        // Those in the way go first: two flows with one key cannot stand beside each other.
        for flow in standing.iter().filter(|flow| verdict.go.contains_key(&flow.keys)) {
            let why = verdict.go[&flow.keys].clone();
            self.said.push(Decision::Gone { flow: flow.index, pair: pair(&flow.keys), why });
        }
        if !verdict.go.is_empty() {
            let plan = self.host.plan_learnt(&[], &verdict.go.keys().copied().collect())?;
            self.host.apply(&plan)?;
        }
        match self.come(&verdict.come) {
            Err(error) if matches!(error.kind, Kind::Config | Kind::Unreachable) => {
                // One of them cannot be placed: which?
                for one in &verdict.come {
                    if let Err(error) = self.come(std::slice::from_ref(one)) {
                        self.refuse(&[(
                            (one.0.key_out, one.0.key_in),
                            one.1,
                            format!("{}: {}", error.what, error.found),
                        )]);
                    }
                }
            }
            other => other?,
        }
        let new: HashMap<Keys, Source> =
            verdict.come.iter().map(|(flow, source)| ((flow.key_out, flow.key_in), *source)).collect();
        for flow in self.host.standing().iter().filter(|flow| new.contains_key(&flow.keys)) {
            let (v6, responder) = (flow.keys.0.v6 == 1, flow.keys.0.dst);
            let path = path_of(&mirror, v6, responder).unwrap_or_default();
            self.said.push(Decision::Learnt {
                flow: flow.index,
                pair: pair(&flow.keys),
                source: new[&flow.keys],
                path,
            });
        }
        Ok(())
    }

    fn come(&mut self, flows: &[(Flow, Source)]) -> Result<()> {
        let plan = self.host.plan_learnt(flows, &HashSet::new())?;
        self.host.apply(&plan).map(drop)
    }

    fn refuse(&mut self, refused: &[(Keys, Source, String)]) {
        if self.told.len() > MAX_TOLD {
            self.told.clear();
        }
        for refusal in refused {
            if self.told.insert((refusal.0, refusal.2.clone())) {
                self.said.push(told(refusal));
            }
        }
    }

    /// Whether an address is near, as far as the operator or the ports tell.
    fn near(&self, v6: bool, address: u128) -> Option<bool> {
        let is = |ip: &IpAddr| ip.is_ipv6() == v6 && number(*ip) == address;
        for (near, far) in &self.settings.between {
            if is(near) || is(far) {
                return Some(is(near));
            }
        }
        match self.upcalls.seen(v6, address) {
            [true, false] => Some(true),
            [false, true] => Some(false),
            _ => None,
        }
    }

    /// Waits until the gateway has something to tell, by its interrupt; false at the deadline. A device that has none for us
    /// is waited for in small naps.
    pub fn wait(&mut self, deadline: Instant) -> Result<bool> {
        const NAP: Duration = Duration::from_millis(10);
        if self.more {
            return Ok(true);
        }
        if !self.polling {
            match self.host.core().bus().interrupt(deadline) {
                Err(error) if error.kind == Kind::Device => {
                    self.polling = true;
                    self.said.push(Decision::Polling { why: format!("{error}") });
                }
                other => return other,
            }
        }
        let now = Instant::now();
        std::thread::sleep(deadline.saturating_duration_since(now).min(NAP));
        Ok(Instant::now() < deadline)
    }

    /// The host that it works through.
    pub fn host(&mut self) -> &mut Host<T, S> {
        &mut self.host
    }

    /// Ends: the gateway tells no more, flows stay. Gives the host back.
    pub fn end(mut self) -> Result<Host<T, S>> {
        want(self.host.core(), &Wanted::default())?;
        self.host.core().write(&event::CONTROL, self.irq_before)?;
        Ok(self.host)
    }
}
