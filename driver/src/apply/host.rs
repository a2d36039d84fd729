//! The host of a gateway: what it knows of it, and how a plan is carried out.
//!
//! With the gateway on, a plan has rows of keys that mean nothing yet, one commit, and rows that mean nothing any more: so
//! whoever is killed leaves the whole old configuration or the whole new one. With the gateway off, one write at the end
//! switches it on. See [`super::record`] for what survives.

use super::learnt;
use super::plan::{calendar, plan, Plan};
use super::record::{DirectedRow, Record, Store};
use super::wanted::{Flow, Wanted};
use crate::core::Core;
use crate::error::{Error, Kind, Result};
use crate::learn::Source;
use crate::tables::{of_mask, Mirror};
use crate::transport::Transport;
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::params::FLOWS;
use matchrdma_spec::regs::entry::{CalendarEntry, FlowSetting};
use matchrdma_spec::regs::{control, id, table, Window};
use serde::Serialize;
use std::collections::HashSet;

/// A gateway and what its host knows of it.
#[derive(Debug)]
pub struct Host<T, S> {
    pub(super) core: Core<T>,
    store: S,
    record: Record,
    known: bool,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Done {
    /// Commits since reset.
    pub generation: u32,
    /// Key rows written.
    pub key_rows: usize,
    /// Tables committed, as a mask.
    pub tables: u32,
}

impl<T: Transport, S: Store> Host<T, S> {
    /// Of a core, with the record that is kept of it. Writes nothing.
    pub fn attach(mut core: Core<T>, store: S) -> Result<Self> {
        core.wait("waiting for a commit to end", &table::STATUS, |word| table::BUSY.get(word) == 0)?;
        let (number, generation) = (core.read(&id::SCRATCH)?, core.read(&table::GENERATION)?);
        let strange = table::SET.get(core.read(&table::BANKS)?);
        let kept = store.record(generation)?;
        let is_of_it = |record: &Record| number != 0 && record.number == number && record.generation == generation;
        let known = kept.as_ref().is_some_and(is_of_it);
        let record = match kept {
            Some(record) if known => record,
            kept => strangers(kept.as_ref(), strange),
        };
        Ok(Host { core, store, record, known })
    }

    /// The core.
    pub fn core(&mut self) -> &mut Core<T> {
        &mut self.core
    }

    /// What is known of it.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Whether the record is of this device, as it is.
    pub fn known(&self) -> bool {
        self.known
    }

    /// The device, given back.
    pub fn into_bus(self) -> T {
        self.core.into_bus()
    }

    /// What has to be done so that the gateway does what is wanted. Writes nothing.
    pub fn plan(&mut self, wanted: &Wanted, stop: bool) -> Result<Plan> {
        plan(self, wanted, stop)
    }

    /// What has to be done so that a path has these budgets, and nothing else changes. Writes nothing.
    pub fn plan_calendar(
        &mut self,
        path: u32,
        entries: &[CalendarEntry],
        repeat: bool,
        start_slot: u32,
    ) -> Result<Plan> {
        calendar(self, path, entries, repeat, start_slot)
    }

    /// What has to be done so that these flows come that were learnt, and those go, and nothing else changes. Those that go
    /// are named by their keys, and must have been learnt; others stay. Writes nothing.
    pub fn plan_learnt(&mut self, come: &[(Flow, Source)], go: &HashSet<(FlowKey, FlowKey)>) -> Result<Plan> {
        learnt::plan(self, come, go)
    }

    /// Flows in force, as far as this host knows.
    pub fn standing(&self) -> Vec<learnt::Standing> {
        learnt::standing(&self.record)
    }

    /// Switches the gateway on, or off.
    pub fn switch(&mut self, on: bool, ack_on_arrival: bool) -> Result<()> {
        if !on {
            return self.core.disable();
        }
        if self.known && self.record.unfinished {
            let error = Error::new(Kind::Unreachable, "switching the gateway on").at(self.core.bus().name());
            let error = error.but("a configuration that was applied whole", "an apply that was cut short");
            return Err(error.so("apply it again"));
        }
        self.core.enable(ack_on_arrival)
    }

    /// Carries a plan out.
    pub fn apply(&mut self, plan: &Plan) -> Result<Done> {
        if plan.is_empty() && plan.learnt == self.record.learnt {
            return Ok(Done { generation: self.record.generation, ..Done::default() });
        }
        let (on, _) = self.core.switches()?;
        self.record.unfinished |= !on || plan.off_meanwhile;
        if self.known {
            self.keep()?;
        }
        if plan.off_meanwhile {
            self.core.disable()?;
        }
        if self.known {
            let again = std::mem::take(&mut self.record.under_way);
            self.rows(&again)?;
            self.rows(&plan.moves.before)?;
            self.rows(&plan.moves.rows)?;
        } else {
            self.get_to_know(plan)?;
        }
        plan.settings.iter().try_for_each(|(reg, word)| self.core.write(reg, *word))?;
        self.commit(plan)?;
        plan.law.iter().try_for_each(|(reg, word)| self.core.write(reg, *word))?;
        self.rows(&plan.moves.after)?;
        self.record.learnt = plan.learnt.clone();
        self.record.under_way.clear();
        self.record.unfinished = false;
        self.keep()?;
        if let Some(word) = plan.control {
            self.core.write(&control::CONTROL, word)?;
            // Read back: a posted write has arrived.
            self.core.read(&control::CONTROL)?;
        }
        Ok(Done { generation: self.record.generation, key_rows: plan.key_rows, tables: plan.tables })
    }

    fn keep(&mut self) -> Result<()> {
        self.store.keep(&self.record.text())
    }

    /// All rows of a device of which nothing is known are written, the gateway being off; then it gets its number. Who is
    /// killed before that knows nothing again.
    fn get_to_know(&mut self, plan: &Plan) -> Result<()> {
        self.core.write(&id::SCRATCH, 0)?;
        for (direction, row) in plan.moves.before.iter().chain(&plan.moves.rows) {
            self.core.row(*direction, row)?;
            self.record.keys[*direction as usize].put(row);
        }
        self.record.number = fresh_number();
        self.record.generation = self.core.read(&table::GENERATION)?;
        self.keep()?;
        self.core.write(&id::SCRATCH, self.record.number)?;
        self.known = true;
        Ok(())
    }

    /// Writes rows; first it is kept which.
    fn rows(&mut self, rows: &[DirectedRow]) -> Result<()> {
        for phase in phases(rows) {
            for (direction, row) in phase {
                self.record.keys[*direction as usize].put(row);
            }
            self.record.under_way = phase.to_vec();
            self.keep()?;
            phase.iter().try_for_each(|(direction, row)| self.core.row(*direction, row))?;
        }
        Ok(())
    }

    fn commit(&mut self, plan: &Plan) -> Result<()> {
        if plan.tables == 0 {
            return Ok(());
        }
        let mut mirror = plan.mirror.clone();
        // Before what it tells of: a flow that a configuration names is never taken for one that was learnt. Those that go
        // are learnt ones until they have gone.
        let going: HashSet<_> = plan.moves.gone.iter().map(|(_, out, back)| (*out, *back)).collect();
        self.record.learnt.retain(|keys, _| going.contains(keys));
        self.record.learnt.extend(plan.learnt.clone());
        self.record.mirror = mirror.clone();
        self.record.committing = plan.tables;
        self.keep()?;
        self.core.commit(&mut mirror, plan.tables)?;
        let generation = self.core.read(&table::GENERATION)?;
        let expected = self.record.generation.wrapping_add(1);
        if generation != expected {
            let error = Error::new(Kind::Refused, "reading the generation back").at(table::GENERATION.name);
            let error = error.but(expected.to_string(), generation.to_string());
            return Err(error.so("another host commits to this gateway, or it was reset: apply again"));
        }
        self.record.mirror = mirror;
        self.record.generation = generation;
        self.record.committing = 0;
        self.record.strange &= !plan.tables;
        self.keep()
    }
}

/// What is known of a device that is not the record's: nothing but that its flows had serials, which are not used again.
fn strangers(kept: Option<&Record>, strange: u32) -> Record {
    let mut record = Record { strange, ..Record::default() };
    for index in 0..FLOWS as u16 {
        let serial = match kept {
            Some(kept) => kept.mirror.flow(index).serial,
            None => fresh_number() as u8,
        };
        record.mirror.set_flow(index, FlowSetting { serial, ..FlowSetting::default() });
    }
    record
}

/// A number that hardly comes twice, from the clock; not 0.
fn fresh_number() -> u32 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let mixed = since.as_secs() as u32 ^ since.subsec_nanos().rotate_left(u8::BITS) ^ std::process::id().reverse_bits();
    mixed.clamp(1, u32::MAX - 1)
}

/// Cut so that none has a place twice: writing one of them again, from its begin, changes nothing.
fn phases(rows: &[DirectedRow]) -> Vec<&[DirectedRow]> {
    let (mut phases, mut begin, mut seen) = (Vec::new(), 0, HashSet::new());
    for (n, (direction, row)) in rows.iter().enumerate() {
        if !seen.insert((*direction, row.place)) {
            phases.push(&rows[begin..n]);
            (begin, seen) = (n, HashSet::from([(*direction, row.place)]));
        }
    }
    if begin < rows.len() {
        phases.push(&rows[begin..]);
    }
    phases
}

impl<T: Transport> Core<T> {
    /// Loads the shadow banks of these tables with what differs there from what is wanted, and commits them together.
    /// Waits for the end of the slot in which that takes effect. When it is refused nothing has changed.
    pub fn commit(&mut self, mirror: &mut Mirror, mask: u32) -> Result<()> {
        let what = "committing tables";
        self.wait(what, &table::STATUS, |word| table::BUSY.get(word) == 0)?;
        for block in blocks(&mirror.writes(mask)) {
            self.write_block(block.0, &block.1)?;
            let addresses = (usize::from(block.0)..).step_by(Window::STRIDE);
            addresses.zip(&block.1).for_each(|(address, word)| mirror.wrote(address as u16, *word));
        }
        for table in of_mask(mask) {
            self.write(&table::CRC[table], mirror.crc(table))?;
        }
        self.write(&table::COMMIT, mask)?;
        let status = self.wait(what, &table::STATUS, |word| table::BUSY.get(word) == 0)?;
        let code = table::CODE.get(status);
        if code == table::CODE_OK {
            mirror.committed(mask);
            return Ok(());
        }
        let word = self.read(&table::ERROR_WORD)?;
        let name = table::WINDOWS.get(table::TABLE.get(status) as usize).map_or("?", |w| w.name);
        let why = table::CODES.get(code as usize).unwrap_or(&"?");
        mirror.forget_shadow();
        let error = Error::new(Kind::Refused, what).at(format!("{}, table {name}, word {word}", self.bus().name()));
        Err(error
            .but("OK", format!("{why}, so nothing has changed"))
            .so("apply again; if it stays, the bus is not to be trusted"))
    }
}

/// Writes to addresses that follow one another, joined.
fn blocks(writes: &[(u16, u32)]) -> Vec<(u16, Vec<u32>)> {
    let mut blocks: Vec<(u16, Vec<u32>)> = Vec::new();
    for (address, word) in writes {
        match blocks.last_mut() {
            Some((first, words)) if usize::from(*first) + Window::STRIDE * words.len() == usize::from(*address) => {
                words.push(*word);
            }
            _ => blocks.push((*address, vec![*word])),
        }
    }
    blocks
}
