//! The memory: takes addresses and data, lets its channels move them, answers late.

use super::dram::Channel;
use super::rules::{span, Rules};
use super::settings::Settings;
use super::statistics::Statistics;
use super::store::Store;
use super::{Address, Drives, Master, Offers, ReadData, Response, Word, WriteData};
use std::collections::VecDeque;

/// SLVERR.
const FAILED: u32 = 2;

/// A burst that was answered with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// It was a write.
    pub write: bool,
    /// First byte that is not what it should be.
    pub address: u64,
    /// Beats from there.
    pub beats: u32,
}

/// A burst between its address and its end.
struct Burst {
    number: u64,
    address: Address,
    since: u64,
    /// When it may be answered; none before it was moved.
    due: Option<u64>,
    data: VecDeque<Word>,
    /// Of a read: the beat that is wrong. Of a write: any.
    fails: Option<u32>,
    done: u32,
}

/// See [`super`].
pub struct Memory {
    settings: Settings,
    channels: Vec<Channel>,
    store: Store,
    rules: Rules,
    /// In the order of their addresses.
    writes: VecDeque<Burst>,
    reads: VecDeque<Burst>,
    /// Data that came before its address.
    early: VecDeque<WriteData>,
    next: u64,
    drives: Drives,
    /// Number of the read whose beat is on R.
    shown: Option<u64>,
    random: u64,
    statistics: Statistics,
    failures: Vec<Failure>,
}

impl Memory {
    /// Empty. What comes in which order hangs on `seed` alone.
    pub fn new(settings: Settings, seed: u64) -> Self {
        Memory {
            settings,
            channels: (0..settings.channels).map(|_| Channel::default()).collect(),
            store: Store::default(),
            rules: Rules::default(),
            writes: VecDeque::new(),
            reads: VecDeque::new(),
            early: VecDeque::new(),
            next: 0,
            drives: Drives::default(),
            shown: None,
            random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            statistics: Statistics { peak: settings.peak(), ..Statistics::default() },
            failures: vec![],
        }
    }

    fn draw(&mut self, limit: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 20) % limit
    }

    fn goes(&mut self, stall: u8) -> bool {
        stall == 0 || self.draw(256) >= u64::from(stall)
    }

    /// Changes what kind of memory it is from now on; the number of channels stays.
    pub fn set(&mut self, settings: Settings) {
        self.settings = Settings { channels: self.channels.len(), ..settings };
    }

    /// Drives the port in this cycle.
    pub fn drive(&mut self, dut: &mut impl Master) {
        let stalls = self.settings.stalls;
        self.drives.aw_ready = self.writes.len() < self.settings.outstanding && self.goes(stalls.aw);
        self.drives.w_ready = self.early.len() < 64 && self.goes(stalls.w);
        self.drives.ar_ready = self.reads.len() < self.settings.outstanding && self.goes(stalls.ar);
        if self.drives.b.is_none() && self.goes(stalls.b) {
            self.drives.b = self.response();
        }
        if self.drives.r.is_none() && self.goes(stalls.r) {
            self.drives.r = self.beat();
        }
        dut.set_memory(&self.drives);
    }

    /// The oldest write of some ID, if it is due.
    fn response(&mut self) -> Option<Response> {
        let now = self.statistics.cycles;
        let oldest = self.writes.front()?;
        let due = oldest.due.is_some_and(|due| due <= now);
        let resp = if oldest.fails.is_some() { FAILED } else { 0 };
        due.then_some(Response { id: oldest.address.id, resp })
    }

    /// A beat of a read that is due and the oldest of its ID.
    fn beat(&mut self) -> Option<ReadData> {
        let now = self.statistics.cycles;
        let mut seen = 0u64;
        let mut may = vec![];
        for (index, burst) in self.reads.iter().enumerate() {
            let bit = 1u64 << burst.address.id;
            let first = seen & bit == 0;
            seen |= bit;
            if first && burst.due.is_some_and(|due| due <= now) {
                may.push(index);
            } else if !self.settings.reorder {
                break;
            }
        }
        let choice = if may.len() > 1 && self.settings.reorder { self.draw(may.len() as u64) as usize } else { 0 };
        let burst = &self.reads[*may.get(choice)?];
        self.shown = Some(burst.number);
        let data = *burst.data.front().expect("it was read when it was moved");
        let resp = if burst.fails == Some(burst.done) { FAILED } else { 0 };
        Some(ReadData { id: burst.address.id, data, resp, last: burst.done + 1 == burst.address.beats })
    }

    /// Looks at what the master drove, and lets a cycle pass.
    pub fn settle(&mut self, offers: Offers) {
        let Drives { aw_ready, w_ready, ar_ready, .. } = self.drives;
        self.rules.hold(&offers, [aw_ready, w_ready, ar_ready]);
        let s = &mut self.statistics;
        s.waited[0] += u64::from(offers.aw.is_some() && !aw_ready);
        s.waited[1] += u64::from(offers.ar.is_some() && !ar_ready);
        if let Some(address) = offers.aw.filter(|_| aw_ready) {
            self.rules.write(&address);
            let burst = self.burst(address, 0);
            self.writes.push_back(burst);
        }
        if let Some(beat) = offers.w.filter(|_| w_ready) {
            self.rules.data(&beat);
            self.early.push_back(beat);
            self.statistics.beats[0] += 1;
        }
        if let Some(address) = offers.ar.filter(|_| ar_ready) {
            self.rules.read(&address);
            let burst = self.burst(address, 1);
            self.channel(&address).push(1, (burst.number, address.beats));
            self.reads.push_back(burst);
        }
        self.statistics.most[0] = self.statistics.most[0].max(self.writes.len());
        self.statistics.most[1] = self.statistics.most[1].max(self.reads.len());
        self.fill();
        if offers.b_ready && self.drives.b.take().is_some() {
            self.answered();
        }
        if offers.r_ready && self.drives.r.take().is_some() {
            self.delivered();
        }
        self.serve();
        self.statistics.cycles += 1;
    }

    fn burst(&mut self, address: Address, direction: usize) -> Burst {
        self.next += 1;
        let fails = self.draw(1 << 16) < u64::from(self.settings.errors[direction]);
        let fails = fails.then(|| self.draw(u64::from(address.beats)) as u32);
        let (number, since) = (self.next, self.statistics.cycles);
        Burst { number, address, since, due: None, data: VecDeque::new(), fails, done: 0 }
    }

    fn channel(&mut self, burst: &Address) -> &mut Channel {
        let channels = self.channels.len() as u64;
        &mut self.channels[(burst.address / Settings::INTERLEAVE % channels) as usize]
    }

    /// Data go to the oldest writes that lack some; one that has all waits for its channel.
    fn fill(&mut self) {
        while !self.early.is_empty() {
            let Some(at) = self.writes.iter().position(|w| w.data.len() < w.address.beats as usize) else { return };
            let burst = &mut self.writes[at];
            burst.data.extend(self.early.pop_front().map(|beat| beat.data));
            if burst.data.len() == burst.address.beats as usize {
                let (number, address) = (burst.number, burst.address);
                self.channel(&address).push(0, (number, address.beats));
            }
        }
    }

    fn answered(&mut self) {
        let burst = self.writes.pop_front().expect("it was answered");
        self.rules.written(&burst.address);
        self.end(0, &burst);
        if burst.fails.is_some() {
            self.failures.push(Failure { write: true, address: burst.address.address, beats: burst.address.beats });
        }
    }

    fn delivered(&mut self) {
        let number = self.shown.take().expect("a beat was shown");
        let at = self.reads.iter().position(|r| r.number == number).expect("it is under way");
        let burst = &mut self.reads[at];
        let address = burst.address.address + u64::from(burst.done) * super::BEAT_BYTES;
        if burst.fails == Some(burst.done) {
            self.failures.push(Failure { write: false, address, beats: 1 });
        }
        burst.done += 1;
        burst.data.pop_front();
        self.rules.was_read(address);
        self.statistics.beats[1] += 1;
        if burst.done == burst.address.beats {
            let burst = self.reads.remove(at).expect("it is there");
            self.end(1, &burst);
        }
    }

    fn end(&mut self, direction: usize, burst: &Burst) {
        let s = &mut self.statistics;
        s.bursts[direction] += 1;
        s.failed[direction] += u64::from(burst.fails.is_some());
        s.latency[direction].add(s.cycles - burst.since);
    }

    /// The channels move what they can; what is moved is in the store, or read from it.
    fn serve(&mut self) {
        let (settings, now) = (self.settings, self.statistics.cycles);
        for index in 0..self.channels.len() {
            // the channels are refreshed one after another
            let period = settings.refresh[0].max(1);
            let phase = (now + index as u64 * period / self.channels.len() as u64) % period;
            let Some(number) = self.channels[index].step(&settings, phase) else { continue };
            let [write, read] = [settings.write_latency, settings.read_latency];
            if let Some(at) = self.writes.iter().position(|w| w.number == number) {
                let due = now + write[0] + self.draw(write[1] + 1);
                let burst = &mut self.writes[at];
                burst.due = Some(due);
                let keeps = burst.fails.is_none();
                for (address, data) in span(&burst.address).zip(&burst.data) {
                    // what failed holds what nobody wrote
                    self.store.write(address, if keeps { *data } else { [0xdead_beef; 16] });
                }
            } else {
                let due = now + read[0] + self.draw(read[1] + 1);
                let at = self.reads.iter().position(|r| r.number == number).expect("its channel had it");
                let burst = &mut self.reads[at];
                burst.due = Some(due);
                let store = &self.store;
                burst.data = span(&burst.address).map(|a| store.read(a).expect("the rules asked")).collect();
                if let Some(beat) = burst.fails {
                    burst.data[beat as usize] = [0xbad0_bad0; 16];
                }
            }
        }
    }

    /// What it did.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The bursts that were answered with an error since it was last asked.
    pub fn take_failures(&mut self) -> Vec<Failure> {
        std::mem::take(&mut self.failures)
    }

    /// Nothing is under way.
    pub fn is_idle(&self) -> bool {
        self.writes.is_empty() && self.reads.is_empty() && self.early.is_empty() && self.rules.is_idle()
    }

    /// Bytes of the simulated memory that were touched, whole pages.
    pub fn touched(&self) -> u64 {
        self.store.touched()
    }

    /// A reset of the master and of the port's side of the memory: what was under way is forgotten, what it holds is not.
    pub fn reset(&mut self) {
        self.rules.reset();
        self.channels.iter_mut().for_each(|c| *c = Channel::default());
        self.writes.clear();
        self.reads.clear();
        self.early.clear();
        self.drives = Drives::default();
        self.shown = None;
    }
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
