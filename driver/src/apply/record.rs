//! What the host remembers of a device: rows of key tables cannot be read back, nor can a table in force.
//!
//! A record is written before anything that it tells of is done, so that whoever finds it after a crash knows for each row
//! and each table that it is one of two things. It is of a device as long as `ID_SCRATCH` holds its number, which a reset
//! clears, and as long as the count of commits is the record's, or one more when a commit was under way.

use crate::error::{file, Error, Kind, Result};
use crate::flow_table::{FlowTable, Place, RowWrite};
use crate::learn::Source;
use crate::tables::{of_mask, Mirror};
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::regs::entry::FlowSetting;
use matchrdma_spec::regs::flow::{FlowRow, ROW_WORDS};
use matchrdma_spec::regs::table::{FLOW, TABLES};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Form of a record; another is not read.
const FORM: u32 = 1;

/// A row of one of the two key tables.
pub type DirectedRow = (u32, RowWrite);

/// Flows that were learnt and that no configuration names, by their two keys, and how each came to be known.
pub type Learnt = BTreeMap<(FlowKey, FlowKey), Source>;

/// What the host knows of a device.
#[derive(Clone, Debug)]
pub struct Record {
    /// What `ID_SCRATCH` holds; 0: of no device yet.
    pub number: u32,
    /// Commits that took effect, with those of the tables below.
    pub generation: u32,
    /// Tables in force.
    pub mirror: Mirror,
    /// Tables of a commit that may have taken effect.
    pub committing: u32,
    /// Keys, outbound and inbound, all rows that are under way written.
    pub keys: [FlowTable; 2],
    /// Rows that may or may not be written yet, no place twice.
    pub under_way: Vec<DirectedRow>,
    /// Tables in force of which nobody knows what they hold: all of them are committed again.
    pub strange: u32,
    /// Which flows were learnt. One that is not in force any more, or not yet, may be among them; one that a configuration
    /// names never is.
    pub learnt: Learnt,
    /// An apply with the gateway off was begun and not ended: it must not be switched on.
    pub unfinished: bool,
}

impl Default for Record {
    fn default() -> Self {
        Record {
            number: 0,
            generation: 0,
            mirror: Mirror::unknown(),
            committing: 0,
            keys: Default::default(),
            under_way: vec![],
            strange: 0,
            learnt: Learnt::new(),
            unfinished: false,
        }
    }
}

/// Direction, bank, row, words.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Row(u32, usize, usize, [u32; ROW_WORDS]);

impl From<&DirectedRow> for Row {
    fn from((direction, row): &DirectedRow) -> Self {
        Row(*direction, row.place.bank, row.place.row, row.content.pack())
    }
}

impl From<&Row> for DirectedRow {
    fn from(Row(direction, bank, row, words): &Row) -> Self {
        (*direction, RowWrite { place: Place { bank: *bank, row: *row }, content: FlowRow::unpack(words) })
    }
}

/// A learnt flow: its two keys as rows have them.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Pair([u32; ROW_WORDS], [u32; ROW_WORDS], Source);

impl Pair {
    fn of((keys, source): (&(FlowKey, FlowKey), &Source)) -> Self {
        let words = |key| FlowRow { key, index: 0, valid: true }.pack();
        Pair(words(keys.0), words(keys.1), *source)
    }

    fn keys(&self) -> (FlowKey, FlowKey) {
        (FlowRow::unpack(&self.0).key, FlowRow::unpack(&self.1).key)
    }
}

/// As it is written down.
#[derive(Serialize, Deserialize)]
struct Written {
    form: u32,
    number: u32,
    generation: u32,
    in_force: [Option<Vec<u32>>; TABLES],
    /// Settings of flows while none is in force: their serials are used.
    serials: Vec<u32>,
    committing: u32,
    wanted: Vec<(usize, Vec<u32>)>,
    rows: Vec<Row>,
    under_way: Vec<Row>,
    strange: u32,
    /// Records of drivers that could not learn have none.
    #[serde(default)]
    learnt: Vec<Pair>,
    unfinished: bool,
}

impl Record {
    /// As text.
    pub fn text(&self) -> String {
        let rows = self.keys.iter().enumerate().flat_map(|(n, table)| table.rows().map(move |row| (n as u32, row)));
        let wanted = of_mask(self.committing).map(|table| (table, self.mirror.wanted(table).to_vec()));
        let written = Written {
            form: FORM,
            number: self.number,
            generation: self.generation,
            in_force: core::array::from_fn(|table| self.mirror.forced(table)),
            serials: match self.mirror.forced(FLOW) {
                Some(_) => vec![],
                None => self.mirror.wanted(FLOW).to_vec(),
            },
            committing: self.committing,
            wanted: wanted.collect(),
            rows: rows.map(|row| Row::from(&row)).collect(),
            under_way: self.under_way.iter().map(Row::from).collect(),
            strange: self.strange,
            learnt: self.learnt.iter().map(Pair::of).collect(),
            unfinished: self.unfinished,
        };
        serde_json::to_string(&written).expect("numbers and lists")
    }

    /// Of text, as found with a device whose count of commits is `generation`: what it was committing is in force when
    /// the count says so.
    fn read(text: &str, generation: u32) -> std::result::Result<Self, String> {
        let written: Written = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if written.form != FORM {
            return Err(format!("form {}", written.form));
        }
        let mut tables = written.in_force;
        let took_effect = written.committing != 0 && generation == written.generation.wrapping_add(1);
        if took_effect {
            for (table, words) in written.wanted {
                *tables.get_mut(table).ok_or("a table that does not exist")? = Some(words);
            }
        }
        let mut keys: [FlowTable; 2] = Default::default();
        for (direction, row) in written.rows.iter().map(DirectedRow::from) {
            keys.get_mut(direction as usize).ok_or("a key table that does not exist")?.put(&row);
        }
        let mut mirror = Mirror::in_force(tables);
        if mirror.forced(FLOW).is_none() {
            for (index, word) in (0..).zip(&written.serials) {
                mirror.set_flow(index, FlowSetting { enable: false, ..FlowSetting::unpack(*word) });
            }
        }
        Ok(Record {
            number: written.number,
            generation: if took_effect { generation } else { written.generation },
            mirror,
            committing: 0,
            keys,
            under_way: written.under_way.iter().map(DirectedRow::from).collect(),
            strange: if took_effect { written.strange & !written.committing } else { written.strange },
            learnt: written.learnt.iter().map(|pair| (pair.keys(), pair.2)).collect(),
            unfinished: written.unfinished,
        })
    }
}

/// Where records are kept.
pub trait Store {
    /// Its place, for messages.
    fn place(&self) -> String;
    /// The text that was kept last.
    fn load(&self) -> Result<Option<String>>;
    /// Keeps a text: after a crash it or the one before is found.
    fn keep(&mut self, text: &str) -> Result<()>;

    /// The record, held against the device's count of commits.
    fn record(&self, generation: u32) -> Result<Option<Record>> {
        let Some(text) = self.load()? else { return Ok(None) };
        Record::read(&text, generation).map(Some).map_err(|found| {
            let error = Error::new(Kind::Record, "reading the record of the device").at(self.place());
            error.but(format!("a record of form {FORM}"), found).so("remove the file, then apply with --stop")
        })
    }
}

/// In memory.
#[derive(Clone, Debug, Default)]
pub struct InMemory(Arc<Mutex<Option<String>>>);

impl Store for InMemory {
    fn place(&self) -> String {
        "memory".into()
    }

    fn load(&self) -> Result<Option<String>> {
        Ok(self.0.lock().unwrap_or_else(|e| e.into_inner()).clone())
    }

    fn keep(&mut self, text: &str) -> Result<()> {
        *self.0.lock().unwrap_or_else(|e| e.into_inner()) = Some(text.into());
        Ok(())
    }
}

/// In a file, locked as long as this lives: one host at a time.
#[derive(Debug)]
pub struct InFile {
    path: PathBuf,
    _lock: File,
}

impl InFile {
    /// Opens it, in a folder that is made if need be.
    pub fn open(path: &Path) -> Result<Self> {
        let what = "opening the record of the device";
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| file(what, folder, &error))?;
        }
        let lock_path = path.with_extension("lock");
        let lock = File::create(&lock_path).map_err(|error| file(what, &lock_path, &error))?;
        lock.try_lock().map_err(|error| {
            let error = Error::new(Kind::Record, what)
                .at(lock_path.display().to_string())
                .but("no other host", error.to_string());
            error.so("wait for the other matchrdma command, or end it")
        })?;
        Ok(InFile { path: path.into(), _lock: lock })
    }
}

impl Store for InFile {
    fn place(&self) -> String {
        self.path.display().to_string()
    }

    fn load(&self) -> Result<Option<String>> {
        match std::fs::read_to_string(&self.path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(file("reading the record of the device", &self.path, &error)),
        }
    }

    fn keep(&mut self, text: &str) -> Result<()> {
        let failed = |error| file("keeping the record of the device", &self.path, &error);
        let new = self.path.with_extension("new");
        let mut out = File::create(&new).map_err(failed)?;
        out.write_all(text.as_bytes()).and_then(|()| out.sync_all()).map_err(failed)?;
        std::fs::rename(&new, &self.path).map_err(failed)?;
        // The name itself is kept too.
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
    }
}
