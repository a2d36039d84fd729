//! What stands in a device, seen from the bus: every write of the driver is looked at, and the driver is not asked.
//!
//! A [`Fuse`] ends the driver's work in its midst, as a kill does: what was written before it is written, and nothing
//! after it.

use matchrdma::apply::record::{InMemory, Store};
use matchrdma::flow_table::Place;
use matchrdma::transport::{At, Transport, WORD_BYTES};
use matchrdma::{Error, Kind, Result};
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::params::PATHS;
use matchrdma_spec::regs::entry::{FlowSetting, Path, Route};
use matchrdma_spec::regs::flow::{self, FlowRow};
use matchrdma_spec::regs::table::{self, word_at, TABLES, WINDOWS};
use matchrdma_spec::regs::{control, law, pacer, pfc, timer, Access, Reg};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Steps that may still be done: writes to the device, and texts that are kept.
#[derive(Clone, Debug)]
pub struct Fuse(Arc<AtomicUsize>);

impl Fuse {
    pub fn of(steps: usize) -> Self {
        Fuse(Arc::new(AtomicUsize::new(steps)))
    }

    pub fn burn(&self) -> Result<()> {
        let left = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        left.map(|_| ()).map_err(|_| Error::new(Kind::Gone, "the driver is killed"))
    }

    pub fn set(&self, steps: usize) {
        self.0.store(steps, Ordering::SeqCst);
    }

    pub fn left(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// A store that a kill stops too.
#[derive(Clone, Debug)]
pub struct Fused(pub InMemory, pub Fuse);

impl Store for Fused {
    fn place(&self) -> String {
        self.0.place()
    }

    fn load(&self) -> Result<Option<String>> {
        self.0.load()
    }

    fn keep(&mut self, text: &str) -> Result<()> {
        self.1.burn()?;
        self.0.keep(text)
    }
}

/// What was written to a device, in order.
#[derive(Debug)]
pub struct Seen {
    registers: BTreeMap<u16, u32>,
    rows: HashMap<(u32, Place), FlowRow>,
    banks: [[Vec<u32>; 2]; TABLES],
    force: [Option<usize>; TABLES],
    committing: u32,
    pub generation: u32,
}

/// A device whose writes are looked at.
pub struct Tap<T> {
    pub inner: T,
    pub fuse: Fuse,
    /// Steps that may still be done once a commit was asked for.
    pub after_commit: Option<usize>,
    pub writes: usize,
    seen: Seen,
}

/// What a device does, in the terms of who configures it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    pub control: u32,
    /// Registers that matter and are no table.
    pub registers: BTreeMap<&'static str, u32>,
    pub routes: Vec<Route>,
    pub paths: Vec<Path>,
    /// The part of each calendar that counts.
    pub calendars: Vec<Vec<u32>>,
    /// Keys of flows that act, with acknowledged opcodes and MTU.
    pub flows: BTreeSet<(FlowKey, FlowKey, bool, u8)>,
    /// What no configuration says: a flow that acts without its two keys, or with more.
    pub torn: Vec<String>,
}

/// Registers that an apply decides, and that are no table.
fn settings() -> impl Iterator<Item = &'static Reg> {
    let blocks = [&pacer::BLOCK, &law::BLOCK, &pfc::BLOCK, &timer::BLOCK];
    let all = blocks.into_iter().flat_map(|block| block.map).filter(|reg| reg.access == Access::RW);
    all.filter(|reg| ![law::SESSION, law::PATH, timer::NOW].contains(reg))
}

impl Runs {
    /// What differs from another.
    pub fn but(&self, other: &Runs) -> String {
        let mut text = Vec::new();
        if self.control != other.control {
            text.push(format!("control {} {}", self.control, other.control));
        }
        for (name, word) in &self.registers {
            if other.registers[name] != *word {
                text.push(format!("{name} {word:#x} {:#x}", other.registers[name]));
            }
        }
        if self.routes != other.routes {
            text.push(format!("routes {:?} {:?}", self.routes, other.routes));
        }
        for (n, (a, b)) in self.paths.iter().zip(&other.paths).enumerate() {
            if (a, &self.calendars[n]) != (b, &other.calendars[n]) {
                text.push(format!("path {n} {a:?} {b:?}"));
            }
        }
        text.extend(self.flows.symmetric_difference(&other.flows).take(5).map(|flow| format!("{flow:?}")));
        text.extend(self.torn.iter().take(5).cloned());
        text.join("\n")
    }
}

impl Default for Seen {
    fn default() -> Self {
        let banks = core::array::from_fn(|table| [vec![0; WINDOWS[table].length()], vec![0; WINDOWS[table].length()]]);
        Seen {
            registers: BTreeMap::new(),
            rows: HashMap::new(),
            banks,
            force: [None; TABLES],
            committing: 0,
            generation: 0,
        }
    }
}

impl Seen {
    /// A commit was asked for, and what became of it is not known yet.
    pub fn committing(&self) -> bool {
        self.committing != 0
    }

    /// A commit that was asked for has ended; so many took effect since reset.
    pub fn committed(&mut self, generation: u32) {
        if generation != self.generation {
            for table in (0..TABLES).filter(|table| self.committing >> table & 1 == 1) {
                self.force[table] = Some(1 - self.force[table].unwrap_or(0));
            }
        }
        (self.generation, self.committing) = (generation, 0);
    }

    pub fn wrote(&mut self, address: u16, word: u32) {
        self.registers.insert(address, word);
        if let Some((table, at)) = word_at(address) {
            self.banks[table][1 - self.force[table].unwrap_or(0)][at] = word;
        } else if address == flow::ROW_WORD[flow::ROW_WORDS - 1].offset {
            let register = |reg: &Reg| self.registers.get(&reg.offset).copied().unwrap_or(0);
            let select = register(&flow::ROW_SELECT);
            let bank = flow::ROW_SELECT_BANK.get(select) as usize;
            let place = Place { bank, row: flow::ROW_SELECT_ROW.get(select) as usize };
            let words = core::array::from_fn(|n| register(&flow::ROW_WORD[n]));
            self.rows.insert((register(&flow::ROW_DIR), place), FlowRow::unpack(&words));
        } else if address == table::COMMIT.offset {
            self.committing = word;
        }
    }

    /// What the device does; `get` reads a register of it.
    pub fn runs(&self, mut get: impl FnMut(u16) -> u32) -> Runs {
        let mut runs = Runs { control: get(control::CONTROL.offset), ..Runs::default() };
        runs.registers = settings().map(|reg| (reg.name, get(reg.offset))).collect();
        let force = |table: usize| self.force[table].map(|bank| self.banks[table][bank].clone());
        let routes = force(table::ROUTE).unwrap_or_default();
        runs.routes = routes.chunks(table::ROUTE_WORDS).map(Route::unpack).filter(|route| !route.unused()).collect();
        let paths = force(table::PATH).unwrap_or(vec![0; WINDOWS[table::PATH].length()]);
        runs.paths = paths.chunks(table::PATH_WORDS).map(Path::unpack).collect();
        let calendars = force(table::CALENDAR).unwrap_or(vec![0; WINDOWS[table::CALENDAR].length()]);
        for (path, words) in runs.paths.iter().zip(calendars.chunks(calendars.len() / PATHS)) {
            let forecast = usize::from(path.forecast_first) + usize::from(path.forecast_length);
            let used = forecast.max(path.length.into());
            runs.calendars.push(words[..table::CALENDAR_WORDS * used].to_vec());
        }
        let mut keys: HashMap<(u32, u16), BTreeSet<FlowKey>> = HashMap::new();
        let mut owners: HashMap<(u32, FlowKey), BTreeSet<u16>> = HashMap::new();
        for ((direction, place), row) in self.rows.iter().filter(|(_, row)| row.valid) {
            keys.entry((*direction, row.index)).or_default().insert(row.key);
            owners.entry((*direction, row.key)).or_default().insert(row.index);
            if usize::from(row.key.rows()[place.bank]) != place.row {
                runs.torn.push(format!("a key where nobody looks for it: {row:?}"));
            }
        }
        for (index, word) in force(table::FLOW).unwrap_or_default().iter().enumerate() {
            let set = FlowSetting::unpack(*word);
            if !set.enable {
                continue;
            }
            let mut one = |direction| {
                let found = keys.get(&(direction, index as u16)).cloned().unwrap_or_default();
                if found.len() != 1 || owners[&(direction, *found.first().unwrap())].len() != 1 {
                    runs.torn.push(format!("flow {index} acts in direction {direction} with keys {found:?}"));
                }
                found.first().copied().unwrap_or_default()
            };
            runs.flows.insert((one(flow::DIR_OUTBOUND), one(flow::DIR_INBOUND), set.ack_ops_write, set.mtu));
        }
        runs
    }
}

impl<T: Transport> Tap<T> {
    pub fn new(inner: T) -> Self {
        Tap { inner, fuse: Fuse::of(usize::MAX), after_commit: None, writes: 0, seen: Seen::default() }
    }

    fn get(&mut self, offset: u16) -> u32 {
        self.inner.read32(At { bar: 0, offset: offset.into() }).expect("the device answers")
    }

    /// Lets a commit that is under way end, and takes notice.
    fn settle(&mut self) {
        while table::BUSY.get(self.get(table::STATUS.offset)) == 1 {}
        let generation = self.get(table::GENERATION.offset);
        self.seen.committed(generation);
    }

    /// What it does now.
    pub fn runs(&mut self) -> Runs {
        self.settle();
        let inner = &mut self.inner;
        self.seen.runs(|offset| inner.read32(At { bar: 0, offset: offset.into() }).expect("the device answers"))
    }
}

impl<T: Transport> Transport for Tap<T> {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn bar_bytes(&self, bar: u8) -> u64 {
        self.inner.bar_bytes(bar)
    }

    fn read32(&mut self, at: At) -> Result<u32> {
        if self.fuse.left() == 0 {
            return Err(Error::new(Kind::Gone, "the driver is killed"));
        }
        self.inner.read32(at)
    }

    fn write32(&mut self, at: At, word: u32) -> Result<()> {
        self.write_block(at, &[word])
    }

    /// One block to the device too, cut where the fuse ends.
    fn write_block(&mut self, at: At, words: &[u32]) -> Result<()> {
        // A write to a table means another bank once a commit took effect.
        if self.seen.committing() && word_at(at.offset as u16).is_some() {
            self.settle();
        }
        let whole = words.iter().take_while(|_| self.fuse.burn().is_ok()).count();
        self.inner.write_block(at, &words[..whole])?;
        self.writes += whole;
        for (address, word) in (at.offset..).step_by(WORD_BYTES as usize).zip(&words[..whole]) {
            self.seen.wrote(address as u16, *word);
            if address == u64::from(table::COMMIT.offset) {
                self.after_commit.take().into_iter().for_each(|steps| self.fuse.set(steps));
            }
        }
        match whole == words.len() {
            true => Ok(()),
            false => Err(Error::new(Kind::Gone, "the driver is killed")),
        }
    }

    fn read_block(&mut self, at: At, words: &mut [u32]) -> Result<()> {
        if self.fuse.left() == 0 {
            return Err(Error::new(Kind::Gone, "the driver is killed"));
        }
        self.inner.read_block(at, words)
    }

    fn interrupt(&mut self, deadline: Instant) -> Result<bool> {
        self.inner.interrupt(deadline)
    }

    fn patience(&self) -> Duration {
        self.inner.patience()
    }
}
