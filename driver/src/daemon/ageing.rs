//! Which learnt flows go: those whose connection has ended, those that stood still, and those that are no pair.
//!
//! A flow with debt stays: what the sender was told has to be confirmed first.

use super::decision::Keys;
use super::Daemon;
use crate::apply::learnt::Standing;
use crate::apply::record::Store;
use crate::error::Result;
use crate::observe::{FlowState, STATES};
use crate::transport::Transport;
use matchrdma_spec::event::{EVENTS, MISPAIRED};
use matchrdma_spec::regs::flow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::{Duration, Instant};

/// What a learnt flow did when it was looked at last.
#[derive(Clone, Copy, Debug)]
struct Look {
    /// State, expected and confirmed PSN, messages.
    did: (&'static str, u32, u32, u32),
    /// Since when it has done nothing else.
    since: Instant,
}

/// Flows that are looked at at a time.
const LOOKS: usize = 64;

/// What is known of the ages of learnt flows.
#[derive(Debug, Default)]
pub(super) struct Ages {
    next: usize,
    looks: BTreeMap<Keys, Look>,
    /// Their connection has ended.
    closing: BTreeSet<Keys>,
    /// They turned out to be no pair.
    mispaired: BTreeSet<Keys>,
}

impl Ages {
    /// Pairs that turned out to be none.
    pub(super) fn mispaired(&self) -> &BTreeSet<Keys> {
        &self.mispaired
    }

    /// Why a flow in that state is to go, if it is. `age`: how long it may stand still.
    fn goes(&mut self, keys: Keys, state: &FlowState, now: Instant, age: Option<Duration>) -> Option<String> {
        let off = STATES.iter().find(|(number, _)| *number == flow::STATE_OFF).map(|(_, name)| *name);
        let no_pair = EVENTS.iter().find(|event| event.code == MISPAIRED).map(|event| event.name);
        if Some(state.state) == off && state.cause == no_pair {
            self.mispaired.insert(keys);
            return Some("the gateway has found that these two are no pair".into());
        }
        let did = (state.state, state.expected_psn, state.confirmed_psn, state.msn);
        let look = self.looks.entry(keys).or_insert(Look { did, since: now });
        if look.did != did {
            *look = Look { did, since: now };
        }
        let still = now.saturating_duration_since(look.since);
        if state.debt > 0 {
            return None;
        }
        if self.closing.remove(&keys) {
            return Some("its connection has ended, by RDMA CM".into());
        }
        let age = age.filter(|age| still >= *age)?;
        Some(format!("it stood still for {} s (--age)", age.as_secs_f64()))
    }
}

impl<T: Transport, S: Store> Daemon<T, S> {
    /// Takes notice of connections that have ended. Whether flows wait for their debt to be confirmed before they go.
    pub(super) fn ended(&mut self) -> Result<bool> {
        for key in self.upcalls.learner.ended() {
            self.upcalls.forget(&key);
            self.upcalls.missed(self.host.core())?;
            let of_it = |flow: &Standing| flow.source.is_some() && (flow.keys.0 == key || flow.keys.1 == key);
            self.ages.closing.extend(self.host.standing().into_iter().filter(of_it).map(|flow| flow.keys));
        }
        Ok(!self.ages.closing.is_empty())
    }

    /// Looks at some learnt flows; gives those that go, and why.
    pub(super) fn aged(&mut self, now: Instant) -> Result<HashMap<Keys, String>> {
        let mut go = HashMap::new();
        let learnt: Vec<Standing> = self.host.standing().into_iter().filter(|flow| flow.source.is_some()).collect();
        let all: HashSet<Keys> = learnt.iter().map(|flow| flow.keys).collect();
        self.ages.looks.retain(|keys, _| all.contains(keys));
        self.ages.closing.retain(|keys| all.contains(keys));
        if learnt.is_empty() {
            return Ok(go);
        }
        let listed: HashSet<Keys> = self.listed().iter().map(|flow| (flow.key_out(), flow.key_in())).collect();
        let (first, count) = (self.ages.next % learnt.len(), LOOKS.min(learnt.len()));
        self.ages.next = first + count;
        let in_turn = (first..first + count).map(|n| n % learnt.len());
        let closing = (0..learnt.len()).filter(|n| self.ages.closing.contains(&learnt[*n].keys));
        for flow in in_turn.chain(closing).collect::<BTreeSet<_>>().into_iter().map(|n| &learnt[n]) {
            let state = self.host.core().flow_state(flow.index)?;
            let age = self.settings.age.filter(|_| !listed.contains(&flow.keys));
            if let Some(why) = self.ages.goes(flow.keys, &state, now, age) {
                go.insert(flow.keys, why);
            }
        }
        Ok(go)
    }
}
