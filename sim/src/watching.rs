//! A gateway that is watched whatever it is used for: a [`Witness`] at its ports, which learns from the host's own writes
//! what flows there are.
//!
//! The bus is shared: what the witness reads beside the traffic waits for the accesses of the host, each but the one
//! that has begun.

use crate::engine::{Access, Beat, BusError, Gateway, Tick};
use crate::witness::Witness;
use matchrdma::tables::Mirror;
use matchrdma_model::invariants::Watched;
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::regs::control;
use matchrdma_spec::regs::entry::FlowSetting;
use matchrdma_spec::regs::flow::{self, FlowRow, DIR_OUTBOUND, ROW_WORDS};
use matchrdma_spec::regs::table;
use std::collections::{BTreeMap, HashMap};

/// What the host has told the gateway of flows.
#[derive(Default)]
struct Told {
    /// Of the row that is being written.
    select: u32,
    direction: u32,
    words: [u32; ROW_WORDS],
    rows: HashMap<(u32, u32), FlowRow>,
    /// Words of the settings, by index, of both banks.
    banks: [HashMap<usize, u32>; 2],
    /// The bank in force, once there was a commit.
    force: Option<usize>,
    /// Tables of the commit that runs.
    commit: Option<u32>,
    enabled: bool,
}

/// A flow as it is watched.
#[derive(Clone, Copy)]
struct Seen {
    watched: Watched,
    setting: FlowSetting,
}

/// A gateway under watch.
pub struct Watching<G: Gateway> {
    gateway: G,
    witness: Option<Witness>,
    told: Told,
    /// What the host told has changed since the witness heard of it.
    stale: bool,
    seen: BTreeMap<u16, Seen>,
    /// Serials of flows that were taken out: until the host starts them afresh nothing is known of them.
    taken_out: HashMap<u16, u8>,
    /// An access of the host that waits for the bus; that is on it.
    wanted: Option<Access>,
    on_bus: Option<Access>,
    /// A read of the witness is on the bus, of which nobody waits for the answer.
    left_over: bool,
    strict: bool,
    broken: Option<String>,
}

impl<G: Gateway> Watching<G> {
    /// Watches it from now on, out of reset. What is broken is told by [`Watching::finish`].
    pub fn new(gateway: G) -> Self {
        Watching {
            gateway,
            witness: Some(Witness::default()),
            told: Told::default(),
            stale: false,
            seen: BTreeMap::new(),
            taken_out: HashMap::new(),
            wanted: None,
            on_bus: None,
            left_over: false,
            strict: false,
            broken: None,
        }
    }

    /// The same for a test: panics in the cycle in which a promise is broken, and if need be when it is dropped.
    pub fn strict(gateway: G) -> Self {
        let mut watching = Self::new(gateway);
        watching.strict = true;
        watching
    }

    /// No far side is believed: see [`matchrdma_model::invariants::Watch::distrusting`]. To be said before there are flows.
    pub fn distrust(&mut self) {
        assert!(self.seen.is_empty(), "flows are watched already");
        self.witness = Some(Witness::distrusting());
    }

    /// Of a simulation that has a watch of its own.
    pub fn unwatched(&mut self) {
        self.witness = None;
    }

    /// A flow is not Active any longer, as the simulation knows.
    pub fn lapsed(&mut self, index: u16) {
        self.witness.iter_mut().for_each(|witness| witness.lapsed(index));
    }

    /// Built frames seen.
    pub fn built_frames(&self) -> u64 {
        self.witness.as_ref().map_or(0, Witness::built_frames)
    }

    /// To be called at the end: an error is the first promise that was broken.
    pub fn finish(&mut self) -> Result<(), String> {
        if self.broken.is_none() && self.on_bus.is_none() {
            if let Some(witness) = &mut self.witness {
                self.broken = witness.finish(&mut self.gateway).err();
            }
        }
        self.broken.clone().map_or(Ok(()), Err)
    }

    /// Nothing is watched behind a promise that was broken.
    fn keep(&mut self, kept: Result<(), String>) {
        if let Err(what) = kept {
            assert!(!self.strict, "{what}");
            self.broken = Some(what);
            self.left_over = self.reading();
            self.witness = None;
        }
    }

    /// The bus is the witness's.
    fn reading(&mut self) -> bool {
        self.left_over || self.witness.as_mut().is_some_and(|witness| witness.reader().under_way())
    }

    /// The witness hears of the flows that there are now.
    fn reconcile(&mut self) {
        self.stale = false;
        let Some(witness) = &mut self.witness else { return };
        let mut keys: HashMap<u16, [Option<FlowKey>; 2]> = HashMap::new();
        for ((direction, _), row) in &self.told.rows {
            keys.entry(row.index).or_default()[usize::from(*direction != DIR_OUTBOUND)] = Some(row.key);
        }
        let whole = |index: &u16| matches!(keys.get(index), Some([Some(_), Some(_)]));
        let gone: Vec<u16> = self.seen.keys().filter(|index| !whole(index)).copied().collect();
        for index in gone {
            witness.forget(index);
            let seen = self.seen.remove(&index);
            self.taken_out.extend(seen.map(|seen| (index, seen.setting.serial)));
        }
        for (index, keys) in keys {
            let [Some(key_out), Some(key_in)] = keys else { continue };
            let setting = FlowSetting::unpack(self.told.setting(index));
            let mtu = flow::mtu_bytes(setting.mtu.into());
            let ack_ops_write = setting.ack_ops_write;
            let now = Seen { watched: Watched { key_out, key_in, mtu, ack_ops_write }, setting };
            let same_keys = |w: &Watched| (w.key_out, w.key_in) == (key_out, key_in);
            match self.seen.get(&index) {
                Some(old) if old.setting == setting && same_keys(&old.watched) => continue,
                Some(old) if old.setting.serial == setting.serial && same_keys(&old.watched) => {
                    if old.setting.enable != setting.enable {
                        witness.lapsed(index);
                    }
                    witness.setting(index, mtu, ack_ops_write);
                }
                _ if !setting.enable => continue,
                None if self.taken_out.get(&index) == Some(&setting.serial) => continue,
                _ => witness.flow(index, now.watched),
            }
            self.seen.insert(index, now);
        }
    }

    fn wrote(&mut self, addr: u16, value: u32) {
        let told = &mut self.told;
        if addr == flow::ROW_SELECT.offset {
            told.select = value;
        } else if addr == flow::ROW_DIR.offset {
            told.direction = value;
        } else if let Some(word) = flow::ROW_WORD.iter().position(|reg| reg.offset == addr) {
            told.words[word] = value;
            if word + 1 == ROW_WORDS {
                self.stale = true;
                let (place, row) = ((told.direction, told.select), FlowRow::unpack(&told.words));
                if row.valid {
                    told.rows.insert(place, row);
                } else {
                    told.rows.remove(&place);
                }
            }
        } else if addr == table::COMMIT.offset {
            told.commit = told.commit.or(Some(value));
        } else if let Some((table::FLOW, word)) = table::word_at(addr) {
            told.banks[1 - told.force.unwrap_or(0)].insert(word, value);
        } else if addr == flow::READ_INDEX.offset {
            self.witness.iter_mut().for_each(|witness| witness.reader().disturbed());
        } else if addr == control::CONTROL.offset {
            let enabled = control::ENABLE.get(value) == 1;
            if let Some(witness) = &mut self.witness {
                witness.on_arrival(control::ACK_ON_ARRIVAL.get(value) == 1);
                if enabled != told.enabled {
                    witness.all_lapsed();
                }
            }
            told.enabled = enabled;
        }
    }

    fn has_read(&mut self, addr: u16, value: u32) {
        if addr != table::STATUS.offset || table::BUSY.get(value) == 1 {
            return;
        }
        let commit = self.told.commit.take().filter(|_| table::CODE.get(value) == table::CODE_OK);
        if commit.is_some_and(|mask| mask >> table::FLOW & 1 == 1) {
            self.told.force = Some(1 - self.told.force.unwrap_or(0));
            self.stale = true;
        }
    }

    fn done(&mut self, access: Access, answer: &Result<u32, BusError>) {
        match (access, answer) {
            (Access::Write(addr, value), Ok(_)) => self.wrote(addr, value),
            (Access::Read(addr), Ok(value)) => self.has_read(addr, *value),
            (_, Err(_)) => {}
        }
    }
}

impl Told {
    fn setting(&self, index: u16) -> u32 {
        let bank = self.force.map(|bank| &self.banks[bank]);
        bank.and_then(|bank| bank.get(&index.into())).copied().unwrap_or(0)
    }
}

impl<G: Gateway> Gateway for Watching<G> {
    fn tick(&mut self, client_rx: Option<&Beat>, line_rx: Option<&Beat>, client_ready: bool, line_ready: bool) -> Tick {
        if self.stale {
            self.reconcile();
        }
        let tick = self.gateway.tick(client_rx, line_rx, client_ready, line_ready);
        if let Some(witness) = &mut self.witness {
            let free = self.wanted.is_none() && self.on_bus.is_none();
            let kept = witness.ports(self.gateway.cycles(), client_rx, line_rx, &tick);
            let kept = kept.and_then(|()| witness.reads(&mut self.gateway, free));
            self.keep(kept);
        } else if self.left_over {
            self.left_over = self.gateway.answer().is_none();
        }
        if self.wanted.is_some() && !self.reading() {
            let access = self.wanted.take();
            access.into_iter().for_each(|access| self.gateway.begin(access));
            self.on_bus = access;
        }
        tick
    }

    fn write(&mut self, addr: u16, value: u32) -> Result<(), BusError> {
        let wrote = self.gateway.write(addr, value);
        self.done(Access::Write(addr, value), &wrote.clone().map(|()| 0));
        wrote
    }

    fn read(&mut self, addr: u16) -> Result<u32, BusError> {
        let answer = self.gateway.read(addr);
        self.done(Access::Read(addr), &answer);
        answer
    }

    fn begin(&mut self, access: Access) {
        assert!(self.wanted.is_none() && self.on_bus.is_none(), "one access at a time");
        if self.reading() {
            self.wanted = Some(access);
        } else {
            self.gateway.begin(access);
            self.on_bus = Some(access);
        }
    }

    fn answer(&mut self) -> Option<Result<u32, BusError>> {
        let access = self.on_bus?;
        let answer = self.gateway.answer()?;
        self.on_bus = None;
        self.done(access, &answer);
        Some(answer)
    }

    fn irq(&self) -> bool {
        self.gateway.irq()
    }

    fn reset(&mut self) {
        self.gateway.reset();
        self.witness.iter_mut().for_each(Witness::reset);
        // Tables keep what they hold, and none is in force.
        (self.told.force, self.told.commit, self.told.enabled) = (None, None, false);
        (self.wanted, self.on_bus, self.left_over) = (None, None, false);
        self.seen.clear();
        self.taken_out.clear();
    }

    fn cycles(&self) -> u64 {
        self.gateway.cycles()
    }

    fn mirror(&mut self) -> &mut Mirror {
        self.gateway.mirror()
    }
}

impl<G: Gateway> Drop for Watching<G> {
    fn drop(&mut self) {
        if self.strict && !std::thread::panicking() {
            let kept = self.finish();
            assert!(kept.is_ok(), "{kept:?}");
        }
    }
}

#[cfg(test)]
#[path = "watching_tests.rs"]
mod tests;
