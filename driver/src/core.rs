//! The core behind a device: found by its magic, asked who it is, and its registers by name.

use crate::error::{Error, Kind, Result};
use crate::flow_table::RowWrite;
use crate::transport::{At, Transport};
use matchrdma_spec::pci::{self, NOBODY};
use matchrdma_spec::regs::{flow, id, Reg, Window, WINDOW_BYTES};
use serde::Serialize;
use std::ops::Range;
use std::time::Instant;

/// What a core is able to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Caps {
    /// Version of its register map.
    pub map_version: u32,
    /// Flows.
    pub flows: u32,
    /// Paths.
    pub paths: u32,
    /// Prefixes.
    pub prefixes: u32,
    /// Width of its datapath, bits.
    pub data_bits: u32,
    /// Core clock, Hz.
    pub clock_hz: u32,
    /// Packet memory towards the line, bytes.
    pub outbound_bytes: u32,
    /// Packet memory towards the client, bytes.
    pub egress_bytes: u32,
}

impl Caps {
    /// What the words of the block `ID` say, in address order.
    pub fn of(words: &[u32]) -> Self {
        let word = |reg: &Reg| words[usize::from(reg.offset - id::BLOCK.base) / Window::STRIDE];
        Caps {
            map_version: word(&id::MAP_VERSION),
            flows: word(&id::CAPS_FLOWS),
            paths: word(&id::CAPS_PATHS),
            prefixes: word(&id::CAPS_PREFIXES),
            data_bits: word(&id::CAPS_DATA_BITS),
            clock_hz: word(&id::CAPS_CLOCK_HZ),
            outbound_bytes: word(&id::CAPS_OUTBOUND_BYTES),
            egress_bytes: word(&id::CAPS_EGRESS_BYTES),
        }
    }
}

/// A core, found.
#[derive(Debug)]
pub struct Core<T> {
    bus: T,
    window: At,
    caps: Caps,
    /// What the window of key rows holds, as far as it is known: all but the last word stay from row to row.
    row: [Option<u32>; flow::ROW_WORDS],
    direction: Option<u32>,
}

impl<T: Transport> Core<T> {
    /// Finds the core: at one of the places of [`pci::WINDOWS`], by its magic.
    pub fn find(mut bus: T) -> Result<Self> {
        let what = "finding the core";
        let mut seen = Vec::new();
        for place in pci::WINDOWS {
            let window = At { bar: place.bar, offset: place.offset };
            let bytes = bus.bar_bytes(window.bar);
            if bytes < place.offset + WINDOW_BYTES as u64 {
                seen.push((format!("BAR{} of {bytes:#x} bytes, too small for {}", window.bar, place.name), None));
                continue;
            }
            let magic = bus.read32(window.plus(id::MAGIC.offset.into()))?;
            if magic == id::MAGIC_VALUE {
                return Self::identified(bus, window);
            }
            seen.push((format!("{magic:#010x} at {window}"), Some(magic)));
        }
        let places: Vec<String> = seen.iter().map(|(text, _)| text.clone()).collect();
        let read: Vec<u32> = seen.iter().filter_map(|(_, magic)| *magic).collect();
        let expected = format!("the magic {:#010x}", id::MAGIC_VALUE);
        if !read.is_empty() && read.iter().all(|word| *word == NOBODY) {
            return Err(gone(&bus.name(), what));
        }
        let remedy = match read.is_empty() {
            true => "load a bitstream with the core: its window has 64 KiB, in BAR0 or in BAR2 of an OpenNIC shell",
            false => "check that this is the device, and that its bitstream holds the core",
        };
        Err(Error::new(Kind::NoCore, what).at(bus.name()).but(expected, places.join("; ")).so(remedy))
    }

    /// Reads who it is; a map that is not ours is refused before anything else is read.
    fn identified(mut bus: T, window: At) -> Result<Self> {
        let map_version = bus.read32(window.plus(id::MAP_VERSION.offset.into()))?;
        let place = format!("{}, {window}, {}", bus.name(), id::MAP_VERSION.name);
        if map_version == NOBODY {
            return Err(gone(&bus.name(), "identifying the core"));
        }
        if map_version != id::VERSION_VALUE {
            let (older, use_this) = match map_version < id::VERSION_VALUE {
                true => ("older", "load the bitstream of this release, or use the driver of that one"),
                false => ("newer", "use the driver of that bitstream's release"),
            };
            let error = Error::new(Kind::Map, format!("identifying the core: its register map is {older} than ours"));
            return Err(error.at(place).but(id::VERSION_VALUE.to_string(), map_version.to_string()).so(use_this));
        }
        let mut words = id::values(0);
        bus.read_block(window, &mut words)?;
        let caps = Caps::of(&words);
        if caps.clock_hz == 0 || caps.flows == 0 || caps.paths == 0 {
            let found = format!("{} flows, {} paths, a clock of {} Hz", caps.flows, caps.paths, caps.clock_hz);
            let error = Error::new(Kind::NoCore, "reading what the core can hold").at(place);
            return Err(error.but("flows, paths and a clock", found).so("load the bitstream again"));
        }
        Ok(Self::again(bus, window, caps))
    }

    /// One that was found before, by whoever knows that it is the same still. Reads nothing.
    pub fn again(bus: T, window: At, caps: Caps) -> Self {
        Core { bus, window, caps, row: [None; flow::ROW_WORDS], direction: None }
    }

    /// What it is able to hold.
    pub fn caps(&self) -> &Caps {
        &self.caps
    }

    /// Where its window begins.
    pub fn window(&self) -> At {
        self.window
    }

    /// The device it is in.
    pub fn bus(&mut self) -> &mut T {
        &mut self.bus
    }

    /// The device it is in, given back.
    pub fn into_bus(self) -> T {
        self.bus
    }

    fn at(&self, offset: u16) -> At {
        self.window.plus(offset.into())
    }

    /// Reads a register. One that reads all ones makes sure that the device is there.
    pub fn read(&mut self, reg: &Reg) -> Result<u32> {
        let word = self.bus.read32(self.at(reg.offset))?;
        if word == NOBODY && self.bus.read32(self.at(id::MAGIC.offset))? != id::MAGIC_VALUE {
            return Err(gone(&self.bus.name(), &format!("reading {}", reg.name)));
        }
        Ok(word)
    }

    /// Writes a register.
    pub fn write(&mut self, reg: &Reg, word: u32) -> Result<()> {
        self.bus.write32(self.at(reg.offset), word)
    }

    /// Writes words that follow one another, at a byte address of the window.
    pub fn write_block(&mut self, offset: u16, words: &[u32]) -> Result<()> {
        self.bus.write_block(self.at(offset), words)
    }

    /// Reads words that follow one another. When one reads all ones it makes sure that the device is there.
    pub fn read_block(&mut self, offset: u16, words: &mut [u32]) -> Result<()> {
        self.bus.read_block(self.at(offset), words)?;
        if words.contains(&NOBODY) && self.bus.read32(self.at(id::MAGIC.offset))? != id::MAGIC_VALUE {
            return Err(gone(&self.bus.name(), &format!("reading {} words at {offset:#06x}", words.len())));
        }
        Ok(())
    }

    /// Reads `reg` until `done`, or until the transport's patience is over.
    pub fn wait(&mut self, what: &str, reg: &Reg, done: impl Fn(u32) -> bool) -> Result<u32> {
        let start = Instant::now();
        loop {
            let word = self.read(reg)?;
            if done(word) {
                return Ok(word);
            }
            if start.elapsed() > self.bus.patience() {
                let place = format!("{}, {}", self.bus.name(), reg.name);
                let found = format!("{word:#x} after {:.1} s", start.elapsed().as_secs_f64());
                let error = Error::new(Kind::Deadline, what).at(place).but("an end", found);
                return Err(error.so("look at the device: its clock may stand still; reset it"));
            }
        }
    }

    /// Writes a row of a key table; its last word makes it whole. Words that the window holds already are not written.
    pub fn row(&mut self, direction: u32, row: &RowWrite) -> Result<()> {
        let bank = flow::ROW_SELECT_BANK.with(0, row.place.bank as u32);
        self.write(&flow::ROW_SELECT, flow::ROW_SELECT_ROW.with(bank, row.place.row as u32))?;
        if self.direction != Some(direction) {
            self.write(&flow::ROW_DIR, direction)?;
            self.direction = Some(direction);
        }
        let words = row.content.pack();
        let last = flow::ROW_WORDS - 1;
        // What differs and lies together is one message to a device behind a socket.
        for run in runs((0..=last).filter(|n| *n == last || self.row[*n] != Some(words[*n]))) {
            self.write_block(flow::ROW_WORD[run.start].offset, &words[run])?;
        }
        self.row = words.map(Some);
        Ok(())
    }
}

/// Runs of ascending numbers.
fn runs(numbers: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    for n in numbers {
        match all.last_mut() {
            Some(run) if n == run.end => run.end = n + 1,
            _ => all.push(n..n + 1),
        }
    }
    all
}

/// Nobody answers.
fn gone(name: &str, what: &str) -> Error {
    let error = Error::new(Kind::Gone, what).at(name).but("an answer", "all ones: the device is gone");
    error.so("check its power and its link (dmesg), then rescan the bus: echo 1 > /sys/bus/pci/rescan")
}
