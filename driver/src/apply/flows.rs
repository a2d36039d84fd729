//! Which flow gets which index, and which rows of the key tables are written before and after the commit.
//!
//! Before the commit every flow in force keeps its rows and its index, and rows of new flows have indices that nothing in
//! force enables: so they mean nothing yet. After it the rows of flows that went are taken out. With the gateway off no
//! flow acts, and indices of flows that go are free at once.

use super::record::DirectedRow;
use super::wanted::Flow;
use crate::error::{Error, Kind, Result};
use crate::flow_table::{FlowTable, Refused};
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::regs::entry::FlowSetting;
use matchrdma_spec::regs::flow::{DIR_INBOUND, DIR_OUTBOUND};
use std::collections::{BTreeMap, HashMap, HashSet};

/// What becomes of flows.
#[derive(Clone, Debug, Default)]
pub struct Moves {
    /// Rows that mean nothing, taken out first.
    pub before: Vec<DirectedRow>,
    /// Rows of new flows, and of old ones that make room.
    pub rows: Vec<DirectedRow>,
    /// Rows of flows that go, taken out after the commit.
    pub after: Vec<DirectedRow>,
    /// Settings that change.
    pub settings: Vec<(u16, FlowSetting)>,
    /// Key tables once all rows are written but those of `after`.
    pub keys: [FlowTable; 2],
    /// Indices and keys of flows that are new, that go, and that start afresh.
    pub new: Vec<(u16, FlowKey, FlowKey)>,
    /// Those that go.
    pub gone: Vec<(u16, FlowKey, FlowKey)>,
    /// Those whose setting changes.
    pub afresh: Vec<u16>,
    /// Flows that stay as they are.
    pub kept: usize,
}

impl Moves {
    /// How many rows are written.
    pub fn rows_in_all(&self) -> usize {
        self.before.len() + self.rows.len() + self.after.len()
    }
}

/// Flows that are whole: enabled, with both keys.
pub fn live(keys: &[FlowTable; 2], enabled: impl Fn(u16) -> bool) -> BTreeMap<u16, (FlowKey, FlowKey)> {
    let by_index = |table: &FlowTable| -> HashMap<u16, FlowKey> {
        table.rows().map(|row| (row.content.index, row.content.key)).collect()
    };
    let (out, back) = (by_index(&keys[DIR_OUTBOUND as usize]), by_index(&keys[DIR_INBOUND as usize]));
    let whole = out.into_iter().filter(|(index, _)| enabled(*index));
    whole.filter_map(|(index, key)| Some((index, (key, *back.get(&index)?)))).collect()
}

/// Works it out. `setting` is what is in force of an index; `stopped`: the gateway is off.
pub fn moves(
    keys: &[FlowTable; 2],
    setting: impl Fn(u16) -> FlowSetting,
    wanted: &[Flow],
    most: usize,
    stopped: bool,
) -> Result<Moves> {
    let live = live(keys, |index| setting(index).enable);
    let owner: HashMap<FlowKey, u16> = live.iter().map(|(index, (out, _))| (*out, *index)).collect();
    let answers: HashMap<FlowKey, u16> = live.iter().map(|(index, (_, back))| (*back, *index)).collect();
    let mut moves = Moves { keys: keys.clone(), ..Moves::default() };
    let (mut kept, mut fresh) = (HashSet::new(), Vec::new());
    for flow in wanted {
        match owner.get(&flow.key_out).filter(|index| live[*index].1 == flow.key_in) {
            Some(index) => {
                kept.insert(*index);
                let old = setting(*index);
                if (old.ack_ops_write, old.mtu) != (flow.ack_ops_write, flow.mtu) {
                    moves.afresh.push(*index);
                    moves.settings.push((*index, started(old, flow)));
                }
            }
            None => fresh.push(flow),
        }
    }
    moves.kept = kept.len() - moves.afresh.len();
    moves.gone = live.iter().filter(|(i, _)| !kept.contains(i)).map(|(i, (out, back))| (*i, *out, *back)).collect();
    if !stopped {
        possible(&fresh, &owner, &answers, live.len(), most)?;
    }
    // Rows of nobody, left by an apply that was cut short; with the gateway off also those of flows that go.
    let holds = |index: &u16| kept.contains(index) || !stopped && live.contains_key(index);
    for direction in [DIR_OUTBOUND, DIR_INBOUND] {
        let table = &mut moves.keys[direction as usize];
        let stale: Vec<FlowKey> = table.rows().filter(|r| !holds(&r.content.index)).map(|r| r.content.key).collect();
        moves.before.extend(stale.iter().filter_map(|key| table.remove(key)).map(|row| (direction, row)));
    }
    let mut free = (0..most as u16).filter(|index| !holds(index));
    let mut placed = Vec::new();
    for flow in fresh {
        let index = free.next().ok_or_else(|| crowded(flow, most))?;
        moves.settings.push((index, started(setting(index), flow)));
        moves.new.push((index, flow.key_out, flow.key_in));
        placed.push((index, flow));
    }
    for direction in [DIR_OUTBOUND, DIR_INBOUND] {
        let key = |flow: &Flow| if direction == DIR_OUTBOUND { flow.key_out } else { flow.key_in };
        // Words that the window holds from the row before are not written again: alike keys follow one another.
        placed.sort_by_key(|(_, flow)| {
            let FlowKey { v6, vlan, src, dst, qpn } = key(flow);
            (v6, vlan, dst >> u8::BITS, src, dst, qpn)
        });
        for (index, flow) in &placed {
            let rows = moves.keys[direction as usize].insert(key(flow), *index).map_err(|why| refused(flow, &why))?;
            moves.rows.extend(rows.into_iter().map(|row| (direction, row)));
        }
    }
    // Whatever else is enabled is so no more, also what has lost its keys to an apply that was cut short.
    let used: HashSet<u16> = moves.settings.iter().map(|(index, _)| *index).chain(kept.iter().copied()).collect();
    let rest = (0..most as u16).filter(|index| !used.contains(index) && setting(*index).enable);
    moves.settings.extend(rest.map(|index| (index, FlowSetting { enable: false, ..setting(index) })));
    for (_, out, back) in &moves.gone {
        if !stopped {
            // Where they lie once the new ones are in.
            let mut after = |direction: u32, key: &FlowKey| {
                if let Some((place, _)) = moves.keys[direction as usize].find(key) {
                    moves.after.push((direction, crate::flow_table::RowWrite { place, content: Default::default() }));
                }
            };
            after(DIR_OUTBOUND, out);
            after(DIR_INBOUND, back);
        }
    }
    Ok(moves)
}

/// A setting that starts the flow afresh.
fn started(old: FlowSetting, flow: &Flow) -> FlowSetting {
    let serial = old.serial.checked_add(1).unwrap_or(1);
    FlowSetting { enable: true, ack_ops_write: flow.ack_ops_write, mtu: flow.mtu, serial }
}

/// Whether new flows can stand beside those in force until the commit.
fn possible(
    fresh: &[&Flow],
    owner: &HashMap<FlowKey, u16>,
    answers: &HashMap<FlowKey, u16>,
    live: usize,
    most: usize,
) -> Result<()> {
    let remedy =
        "apply a configuration without the flows that go first, or add --stop: every flow passes through meanwhile";
    for flow in fresh {
        let taken = owner.get(&flow.key_out).or_else(|| answers.get(&flow.key_in));
        if let Some(index) = taken {
            let error = Error::new(Kind::Unreachable, "adding a flow beside those that run").at(flow.place.clone());
            let found = format!("those of flow {index}, which is paired with another queue pair");
            return Err(error.but("keys of no flow that runs", found).so(remedy));
        }
    }
    if live + fresh.len() > most {
        let place = fresh.first().map_or(String::new(), |flow| flow.place.clone());
        let error = Error::new(Kind::Unreachable, "adding flows beside those that run").at(place);
        let expected = format!("at most {} new flows, for {live} of {most} run until the commit", most - live);
        return Err(error.but(expected, fresh.len().to_string()).so(remedy));
    }
    Ok(())
}

fn crowded(flow: &Flow, most: usize) -> Error {
    let error = Error::new(Kind::Config, "giving a flow an index").at(flow.place.clone());
    error.but(format!("at most {most} flows"), "more".to_string()).so("take flows out of the configuration")
}

fn refused(flow: &Flow, why: &Refused) -> Error {
    let error = Error::new(Kind::Config, "placing the keys of a flow").at(flow.place.clone());
    error
        .but("a free row", why.to_string())
        .so("take the flow out of the configuration: its keys collide with too many others")
}
