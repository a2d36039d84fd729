//! Which of the pairs that are known become flows: no device and no clock here.
//!
//! A flow of a gateway has its requester near: a pair gives one, of its two directions. Which end is near is told by the
//! port at which the address was seen, or by the operator; where neither tells, by the routes: what is behind a path is far.

use super::decision::{pair, Decision, Keys};
use crate::apply::learnt::{path_of, Standing};
use crate::apply::wanted::Flow;
use crate::learn::{LearnedFlow, Source};
use crate::tables::Mirror;
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::params::PSN_MASK;
use matchrdma_spec::regs::flow::mtu_code;
use std::collections::{BTreeSet, HashMap, HashSet};

/// What a verdict goes by.
pub(super) struct Facts<'a> {
    /// Flows in force.
    pub standing: &'a [Standing],
    /// Tables in force: the routes.
    pub mirror: &'a Mirror,
    /// Flows that the gateway holds.
    pub most: usize,
    /// Of these, learnt ones at most.
    pub limit: usize,
    /// Leave SEND and WRITE with immediate to the far side.
    pub ack_ops_write: bool,
    /// Pairs that turned out to be none.
    pub mispaired: &'a BTreeSet<Keys>,
}

/// What is to be done.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    /// Flows that come.
    pub come: Vec<(Flow, Source)>,
    /// Flows that go first, and why.
    pub go: HashMap<Keys, String>,
    /// Pairs that are refused.
    pub refused: Vec<(Keys, Source, String)>,
}

/// Queue pairs below are the management's.
const FIRST_QPN: u32 = 2;

/// Where an address is: near, far, or not told.
pub(super) type Side<'a> = dyn Fn(bool, u128) -> Option<bool> + 'a;

/// Judges pairs, the surest first. `near`: whether an address is near, as far as anybody has seen.
pub(super) fn judge(pairs: &[LearnedFlow], facts: &Facts, near: &Side) -> Verdict {
    let mut verdict = Verdict::default();
    let by_out: HashMap<FlowKey, &Standing> = facts.standing.iter().map(|flow| (flow.keys.0, flow)).collect();
    let by_in: HashMap<FlowKey, &Standing> = facts.standing.iter().map(|flow| (flow.keys.1, flow)).collect();
    let (mut count, mut learnt) = (facts.standing.len(), facts.standing.iter().filter(|f| f.source.is_some()).count());
    let mut pairs: Vec<&LearnedFlow> = pairs.iter().collect();
    pairs.sort_by_key(|flow| std::cmp::Reverse(flow.source));
    for flow in pairs {
        let keys: Keys = (flow.key_out(), flow.key_in());
        let (out, back) = (by_out.get(&keys.0), by_in.get(&keys.1));
        if out.is_some_and(|out| out.keys == keys) {
            continue;
        }
        let route = &flow.route;
        let side =
            |address| near(route.v6, address).or_else(|| path_of(facts.mirror, route.v6, address).map(|_| false));
        // Of an address that nobody has seen and that no route leads to nothing is known: it is near if the other is far.
        let from_near = match (side(route.requester), side(route.responder)) {
            (Some(true), Some(false)) | (None, Some(false)) | (Some(true), None) => true,
            (Some(false), Some(true)) | (Some(false), None) | (None, Some(true)) => continue,
            (one, other) => {
                // Both directions are here: one of them is told.
                if route.requester < route.responder {
                    let seen = if one == Some(true) || other == Some(true) {
                        "both ends are near"
                    } else {
                        "no route leads to either end"
                    };
                    let seen = if one == Some(false) { "both ends are behind a path" } else { seen };
                    verdict.refused.push((
                        keys,
                        flow.source,
                        format!("{seen}: add a route, or say with --between which end is near"),
                    ));
                }
                false
            }
        };
        if !from_near {
            continue;
        }
        match refused(flow, &keys, facts, out.copied(), back.copied()) {
            Some(why) => verdict.refused.push((keys, flow.source, why)),
            None => {
                let others: HashSet<Keys> = [out, back].into_iter().flatten().map(|other| other.keys).collect();
                let going = others.iter().filter(|other| !verdict.go.contains_key(*other)).count();
                if learnt - going >= facts.limit || count - going >= facts.most {
                    let why = match learnt - going >= facts.limit {
                        true => format!("the limit of {} learnt flows is reached (--limit)", facts.limit),
                        false => format!("all {} flows of the gateway are in use", facts.most),
                    };
                    verdict.refused.push((keys, flow.source, why));
                    continue;
                }
                (count, learnt) = (count + 1 - going, learnt + 1 - going);
                let why = format!("{} paired its queue pair anew: {}", flow.source, pair(&keys));
                verdict.go.extend(others.into_iter().map(|other| (other, why.clone())));
                let mtu = flow.mtu.map_or(0, mtu_code) as u8;
                let (key_out, key_in) = keys;
                let place = format!("{}, from {}", pair(&keys), flow.source);
                let ack_ops_write = facts.ack_ops_write;
                verdict.come.push((Flow { key_out, key_in, ack_ops_write, mtu, place }, flow.source));
            }
        }
    }
    verdict
}

/// Why a pair whose requester is near cannot be a flow.
fn refused(
    flow: &LearnedFlow,
    keys: &Keys,
    facts: &Facts,
    out: Option<&Standing>,
    back: Option<&Standing>,
) -> Option<String> {
    let qpns = [flow.requester_qpn, flow.responder_qpn];
    if let Some(qpn) = qpns.into_iter().find(|qpn| !(FIRST_QPN..=PSN_MASK).contains(qpn)) {
        return Some(format!("queue pair {qpn} is none of a connection"));
    }
    if facts.mispaired.contains(keys) {
        return Some("the gateway has found that these two are no pair".into());
    }
    if path_of(facts.mirror, flow.route.v6, flow.route.responder).is_none() {
        return Some("no route leads to its responder, so it has no budget: add a route".into());
    }
    for other in [out, back].into_iter().flatten() {
        match other.source {
            None => return Some(format!("the configuration pairs its queue pair otherwise: flow {}", other.index)),
            Some(source) if source > flow.source => {
                return Some(format!("{source} pairs its queue pair otherwise: flow {}", other.index));
            }
            Some(_) => {}
        }
    }
    None
}

/// A refusal as it is told.
pub(super) fn told((keys, source, why): &(Keys, Source, String)) -> Decision {
    Decision::Refused { pair: pair(keys), source: *source, why: why.clone() }
}
