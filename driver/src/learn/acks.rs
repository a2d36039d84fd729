//! Pairs from ACKs, by uniqueness.
//!
//! Candidates of an ACK are the queue pairs of the reverse direction that have its PSN among their requests for an ACK
//! that have passed and are unanswered. An ACK with no candidate shows nothing. A pair is known when one queue pair,
//! and only one, was a candidate of every ACK that had any, and there were enough of those.
//!
//! Real workloads start every queue pair at PSN 0 and stripe over them in lockstep, so "the same PSN was seen" alone
//! pairs the wrong ones; then every ACK has all of them as candidates, and nothing is learnt.

use super::{LearnedFlow, Route, Source};
use matchrdma_spec::params::{PSN_MASK, PSN_WINDOW};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

/// ACKs that must agree while traffic runs.
pub const LIVE: usize = 8;
/// ACKs that must agree when the whole of a capture is seen.
pub const WHOLE_FILE: usize = 2;

/// Unanswered requests that are remembered of one route; when there are more, what it has shown so far is forgotten.
const MAX_UNANSWERED: usize = 262_144;

/// What ACKs have shown so far.
#[derive(Clone, Debug)]
pub struct Acks {
    min_acks: usize,
    routes: BTreeMap<Route, Side>,
}

/// Requests that passed on one route, and the ACKs that came back.
#[derive(Clone, Debug, Default)]
struct Side {
    /// By responder's queue pair: unanswered PSNs that asked for an ACK, oldest first.
    unanswered: HashMap<u32, VecDeque<u32>>,
    /// The same by PSN.
    waiting: HashMap<u32, BTreeSet<u32>>,
    /// How many there are.
    count: usize,
    /// By requester's queue pair.
    evidence: BTreeMap<u32, Evidence>,
}

#[derive(Clone, Debug)]
struct Evidence {
    /// Responder's queue pairs that were a candidate of every ACK that had any.
    candidates: BTreeSet<u32>,
    acks: usize,
    newest_psn: u32,
}

/// From `b` forward to `a`.
fn distance(a: u32, b: u32) -> u32 {
    a.wrapping_sub(b) & PSN_MASK
}

/// Two PSNs that one queue pair may have under way at a time.
fn near(a: u32, b: u32) -> bool {
    distance(a, b).min(distance(b, a)) <= PSN_WINDOW
}

/// `a` is `b` or a little before it.
fn behind(a: u32, b: u32) -> bool {
    distance(b, a) <= PSN_WINDOW
}

impl Acks {
    /// A pair is known when at least `min_acks` ACKs agree.
    pub fn new(min_acks: usize) -> Self {
        Acks { min_acks, routes: BTreeMap::new() }
    }

    /// A request that asks for an ACK passed.
    pub fn request(&mut self, route: Route, responder_qpn: u32, psn: u32) {
        let side = self.routes.entry(route).or_default();
        if side.count >= MAX_UNANSWERED {
            *side = Side::default();
        }
        let Side { unanswered, waiting, count, .. } = side;
        if !waiting.entry(psn).or_default().insert(responder_qpn) {
            return; // repeated
        }
        let psns = unanswered.entry(responder_qpn).or_default();
        psns.push_back(psn);
        *count += 1;
        while let Some(&oldest) = psns.front().filter(|&&oldest| !near(oldest, psn)) {
            psns.pop_front();
            *count -= 1;
            forget(waiting, oldest, responder_qpn);
        }
    }

    /// A positive ACK came back on `route` (the route of the requests that it answers).
    pub fn ack(&mut self, route: Route, requester_qpn: u32, psn: u32) {
        let Some(side) = self.routes.get_mut(&route) else { return };
        let known = side.evidence.get(&requester_qpn);
        if known.is_some_and(|e| behind(psn, e.newest_psn)) {
            return; // repeated: it says nothing new
        }
        let Some(candidates) = side.waiting.get(&psn).filter(|c| !c.is_empty()) else { return };
        let evidence = side.evidence.entry(requester_qpn).or_insert_with(|| Evidence {
            candidates: candidates.clone(),
            acks: 0,
            newest_psn: psn,
        });
        evidence.candidates.retain(|qpn| candidates.contains(qpn));
        evidence.acks += 1;
        evidence.newest_psn = psn;
        // As far as can be told this is the one that was answered, with everything before it.
        if let (Some(&answered), 1) = (evidence.candidates.first(), evidence.candidates.len()) {
            let Side { unanswered, waiting, count, .. } = side;
            if let Some(psns) = unanswered.get_mut(&answered) {
                psns.retain(|&p| {
                    let keep = !behind(p, psn);
                    if !keep {
                        *count -= 1;
                        forget(waiting, p, answered);
                    }
                    keep
                });
            }
        }
    }

    /// Something was missed: what was seen so far shows nothing.
    pub fn overflow(&mut self) {
        self.routes.clear();
    }

    /// Pairs known now, both directions of each.
    pub fn flows(&self) -> Vec<LearnedFlow> {
        let mut flows = Vec::new();
        for (&route, side) in &self.routes {
            let mut claims: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            for (&requester_qpn, evidence) in &side.evidence {
                if let (Some(&one), 1) = (evidence.candidates.first(), evidence.candidates.len()) {
                    if evidence.acks >= self.min_acks {
                        claims.entry(one).or_default().push(requester_qpn);
                    }
                }
            }
            for (responder_qpn, claimants) in claims {
                // Two that claim the same one: at least one of them is wrong.
                if let [requester_qpn] = claimants[..] {
                    let flow = LearnedFlow { route, requester_qpn, responder_qpn, mtu: None, source: Source::Acks };
                    flows.extend([flow, flow.reversed()]);
                }
            }
        }
        flows
    }
}

fn forget(waiting: &mut HashMap<u32, BTreeSet<u32>>, psn: u32, qpn: u32) {
    if let Some(qpns) = waiting.get_mut(&psn) {
        qpns.remove(&qpn);
        if qpns.is_empty() {
            waiting.remove(&psn);
        }
    }
}

#[cfg(test)]
#[path = "acks_tests.rs"]
mod tests;
