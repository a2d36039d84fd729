//! Flows that were learnt, beside those of a configuration.
//!
//! Both are in the same tables and the same record, which says of each whether it was learnt. An apply leaves a learnt flow
//! alone as long as a route of the new configuration leads to its responder, and there is room beside the configured ones.
//! One that the configuration names is learnt no more. One that collides with a configured flow goes.

use super::describe::{self, ranges};
use super::flows::{live, moves, Moves};
use super::host::Host;
use super::plan::Plan;
use super::record::{Learnt, Record, Store};
use super::wanted::Flow;
use crate::error::{Error, Kind, Result};
use crate::learn::Source;
use crate::tables::Mirror;
use crate::transport::Transport;
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::params::QUEUE_BYPASS;
use std::collections::HashSet;

/// A flow in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Its index.
    pub index: u16,
    /// Key of its requests, and of its responses.
    pub keys: (FlowKey, FlowKey),
    /// How it was learnt; `None`: a configuration names it.
    pub source: Option<Source>,
}

/// The path that leads to the sender of a key, or to its destination, by the routes of a mirror.
pub fn path_of(mirror: &Mirror, v6: bool, address: u128) -> Option<u8> {
    let starts = ranges(mirror);
    let before = starts.iter().rev().find(|start| (start.v6, start.address) <= (v6, address))?;
    (before.v6 == v6 && usize::from(before.queue) != QUEUE_BYPASS).then_some(before.queue)
}

/// Flows in force.
pub fn standing(record: &Record) -> Vec<Standing> {
    let live = live(&record.keys, |index| record.mirror.flow(index).enable);
    let standing =
        live.into_iter().map(|(index, keys)| Standing { index, keys, source: record.learnt.get(&keys).copied() });
    standing.collect()
}

/// A flow in force as one that is wanted.
fn again(record: &Record, flow: &Standing) -> Flow {
    let setting = record.mirror.flow(flow.index);
    let place = format!("flow {}, in force", flow.index);
    let (key_out, key_in) = flow.keys;
    Flow { key_out, key_in, ack_ops_write: setting.ack_ops_write, mtu: setting.mtu, place }
}

/// Learnt flows that stay beside a configuration's, with the tables that it wants, and how each was learnt.
pub(super) fn beside(record: &Record, configured: &[Flow], new: &Mirror, most: usize) -> (Vec<Flow>, Learnt) {
    let out: HashSet<FlowKey> = configured.iter().map(|flow| flow.key_out).collect();
    let back: HashSet<FlowKey> = configured.iter().map(|flow| flow.key_in).collect();
    let room = most.saturating_sub(configured.len());
    let stays = |flow: &Standing| {
        let (key_out, key_in) = &flow.keys;
        let free = !out.contains(key_out) && !back.contains(key_in);
        free && path_of(new, key_out.v6 == 1, key_out.dst).is_some()
    };
    let learnt = standing(record).into_iter().filter_map(|flow| Some((flow.source?, flow)));
    let staying: Vec<_> = learnt.filter(|(_, flow)| stays(flow)).take(room).collect();
    let marks = staying.iter().map(|(source, flow)| (flow.keys, *source)).collect();
    (staying.iter().map(|(_, flow)| again(record, flow)).collect(), marks)
}

/// Flows come and go by what was learnt, and nothing else changes. Those that go were learnt, too.
pub(super) fn plan<T: Transport, S: Store>(
    host: &mut Host<T, S>,
    come: &[(Flow, Source)],
    go: &HashSet<(FlowKey, FlowKey)>,
) -> Result<Plan> {
    let place = host.core.bus().name();
    if !host.known() || host.record().strange != 0 || host.record().unfinished {
        let error = Error::new(Kind::Unreachable, "installing flows that were learnt").at(place);
        let error = error.but("a record of a configuration that was applied whole", "none of this device");
        return Err(error.so("apply a configuration from this host first"));
    }
    let (on, _) = host.core.switches()?;
    let most = host.core.caps().flows as usize;
    let record = host.record();
    let stays = |flow: &Standing| flow.source.is_none() || !go.contains(&flow.keys);
    let (stay, leave): (Vec<Standing>, Vec<Standing>) = standing(record).into_iter().partition(stays);
    let mut learnt: Learnt = stay.iter().filter_map(|flow| Some((flow.keys, flow.source?))).collect();
    learnt.extend(come.iter().map(|(flow, source)| ((flow.key_out, flow.key_in), *source)));
    let mut wanted: Vec<Flow> = stay.iter().map(|flow| again(record, flow)).collect();
    wanted.extend(come.iter().map(|(flow, _)| flow.clone()));
    let moves: Moves = moves(&record.keys, |index| record.mirror.flow(index), &wanted, most, !on)?;
    debug_assert_eq!(moves.gone.len(), leave.len());
    let mut mirror = record.mirror.clone();
    moves.settings.iter().for_each(|(index, setting)| mirror.set_flow(*index, *setting));
    Ok(Plan {
        changes: describe::flows(&moves),
        advice: vec![],
        warnings: vec![],
        off_meanwhile: false,
        flows_kept: moves.kept,
        tables: mirror.changed(),
        key_rows: moves.rows_in_all() + record.under_way.len(),
        settings: vec![],
        law: vec![],
        control: None,
        mirror,
        moves,
        learnt,
    })
}
