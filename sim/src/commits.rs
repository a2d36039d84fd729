//! Commits of banked tables under traffic at line rate: whether a frame is lost, whether a slot has some of the old
//! tables and some of the new.

use crate::engine::{beats, Access, Beat, Gateway};
use matchrdma::tables::of_mask;
use matchrdma_spec::params::{PATHS, QUEUES, SLOT_K_MIN};
use matchrdma_spec::regs::entry::{Path, Route, MODE_FIXED};
use matchrdma_spec::regs::table::{self, PATH, ROUTE};
use matchrdma_spec::regs::{pacer, rate, Reg};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::collections::{BTreeSet, VecDeque};

/// What was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Commits {
    /// Commits that took effect.
    pub commits: u32,
    /// Times that all paths were read within one slot.
    pub slots_read: u32,
    /// Of those, with a commit that had not been seen before.
    pub first_slots: u32,
    /// Of those, with paths of two commits.
    pub mixtures: u32,
    /// Frames to the line and to the client.
    pub frames: [u64; 2],
    /// Frames that did not leave.
    pub frames_lost: [u64; 2],
    /// Frames that left changed or twice.
    pub frames_wrong: [u64; 2],
    /// Cycles, with a beat into each side in every one.
    pub cycles: u64,
}

const FILL: u8 = 0x5a;
const SIZES: [usize; 5] = [64, 64, 128, 300, 1500];

/// One direction: numbered frames in, a beat in every cycle; what leaves is ticked off.
#[derive(Default)]
struct Stream {
    ready: VecDeque<Beat>,
    sent: u64,
    under_way: BTreeSet<u32>,
    wrong: u64,
    part: Vec<u8>,
}

impl Stream {
    /// The next beat of an IPv4 frame that says its number in its last four bytes.
    fn beat(&mut self, random: &mut ChaCha8Rng) -> Option<Beat> {
        if self.ready.is_empty() {
            let mut frame = vec![FILL; SIZES[below(random, SIZES.len() as u32) as usize]];
            frame[12..15].copy_from_slice(&[0x08, 0x00, 0x45]);
            frame[23] = 6;
            frame[26..30].copy_from_slice(&[10, 0, 0, 1]);
            frame[30..34].copy_from_slice(&[10, 0, 0, 2]);
            let end = frame.len();
            frame[end - 4..].copy_from_slice(&(self.sent as u32).to_be_bytes());
            self.ready.extend(beats(&frame));
            self.under_way.insert(self.sent as u32);
            self.sent += 1;
        }
        self.ready.pop_front()
    }

    fn take(&mut self, beat: Option<Beat>) {
        let Some(beat) = beat else { return };
        self.part.extend_from_slice(&beat.data[..beat.bytes.into()]);
        if beat.last {
            let frame = std::mem::take(&mut self.part);
            let number = frame.last_chunk().map(|last| u32::from_be_bytes(*last));
            let same = frame.len() >= 64 && frame[34..frame.len() - 4].iter().all(|b| *b == FILL) && !beat.err;
            let known = number.is_some_and(|n| self.under_way.remove(&n));
            self.wrong += u64::from(!(same && known));
        }
    }
}

fn below(random: &mut ChaCha8Rng, n: u32) -> u32 {
    random.next_u32() % n
}

struct Rig<'a> {
    gateway: &'a mut dyn Gateway,
    random: ChaCha8Rng,
    /// To the line, to the client.
    streams: [Stream; 2],
}

impl Rig<'_> {
    fn tick(&mut self, sends: bool) {
        let [to_line, to_client] = &mut self.streams;
        let client = sends.then(|| to_line.beat(&mut self.random)).flatten();
        let line = sends.then(|| to_client.beat(&mut self.random)).flatten();
        let t = self.gateway.tick(client.as_ref(), line.as_ref(), true, true);
        to_line.take(t.line_tx);
        to_client.take(t.client_tx);
    }

    fn access(&mut self, access: Access) -> Result<u32, String> {
        self.gateway.begin(access);
        loop {
            self.tick(true);
            if let Some(answer) = self.gateway.answer() {
                return answer.map_err(|e| e.to_string());
            }
        }
    }

    fn read(&mut self, reg: &Reg) -> Result<u32, String> {
        self.access(Access::Read(reg.offset))
    }

    fn write(&mut self, address: u16, value: u32) -> Result<(), String> {
        self.access(Access::Write(address, value)).map(|_| ())
    }
}

/// What commit number `tag` puts into force, on every path the same: more than the line carries, so that no frame waits.
fn path(tag: u32) -> Path {
    Path { mode: MODE_FIXED, rate: (1 << 20) + tag, burst: (1 << 20) + tag, ..Path::default() }
}

/// So many commits at random moments of slots of 1024 cycles: of paths, of routes, of both.
pub fn run(gateway: &mut dyn Gateway, commits: u32, seed: u64) -> Result<Commits, String> {
    let random = ChaCha8Rng::seed_from_u64(seed);
    let mut rig = Rig { gateway, random, streams: Default::default() };
    let begun = rig.gateway.cycles();
    let mut seen = Commits { commits, ..Commits::default() };
    rig.write(pacer::SLOT_K.offset, SLOT_K_MIN)?;
    // The tag in force by generation: a commit without paths leaves the one before.
    let mut tags = vec![0];
    for number in 1..=commits {
        let any = [1 << PATH, 1 << ROUTE, 1 << PATH | 1 << ROUTE, 1 << PATH][below(&mut rig.random, 4) as usize];
        let mask = if number == 1 { 1 << PATH | 1 << ROUTE } else { any };
        let paths = mask >> PATH & 1 == 1;
        let tag = if paths { number } else { tags[tags.len() - 1] };
        let mirror = rig.gateway.mirror();
        (0..PATHS).filter(|_| paths).for_each(|p| mirror.set_path(p, &path(tag)));
        mirror.set_routes(&[Route { address: 0x0a00_0001, v6: false, queue: (number % QUEUES as u32) as u8 }]);
        for (address, value) in rig.gateway.mirror().writes(mask) {
            rig.write(address, value)?;
            rig.gateway.mirror().wrote(address, value);
        }
        for table in of_mask(mask) {
            let crc = rig.gateway.mirror().crc(table);
            rig.write(table::CRC[table].offset, crc)?;
        }
        for _ in 0..below(&mut rig.random, 1 << SLOT_K_MIN) {
            rig.tick(true);
        }
        rig.write(table::COMMIT.offset, mask)?;
        loop {
            let (slot, generation) = (rig.read(&rate::SLOT)?, rig.read(&rate::GENERATION)? as usize);
            let mut found = BTreeSet::new();
            for path in 0..PATHS as u32 {
                rig.write(rate::PATH.offset, path)?;
                found.insert((rig.read(&rate::RATE)?, rig.read(&rate::BURST)?, rig.read(&rate::MODE)?));
            }
            if rig.read(&rate::SLOT)? == slot {
                let now = path(tags.get(generation).copied().unwrap_or(tag));
                let open = rate::OPEN_FIELD.mask();
                let whole = if generation == 0 { (0, 0, open) } else { (now.rate, now.burst, MODE_FIXED.into()) };
                seen.slots_read += 1;
                seen.first_slots += u32::from(generation == tags.len());
                seen.mixtures += u32::from(found != BTreeSet::from([whole]));
            }
            if generation == tags.len() {
                break;
            }
            let code = table::CODE.get(rig.read(&table::STATUS)?);
            if code != table::CODE_OK {
                return Err(format!("commit {number} refused: {}", table::CODES[code as usize]));
            }
        }
        tags.push(tag);
        rig.gateway.mirror().committed(mask);
    }
    seen.cycles = rig.gateway.cycles() - begun;
    // The frames that have begun end; then what is inside leaves.
    while rig.streams.iter().any(|s| !s.ready.is_empty()) {
        let [client, line] = rig.streams.each_mut().map(|s| s.ready.pop_front());
        let t = rig.gateway.tick(client.as_ref(), line.as_ref(), true, true);
        rig.streams[0].take(t.line_tx);
        rig.streams[1].take(t.client_tx);
    }
    (0..4000).for_each(|_| rig.tick(false));
    seen.frames = rig.streams.each_ref().map(|s| s.sent);
    seen.frames_lost = rig.streams.each_ref().map(|s| s.under_way.len() as u64);
    seen.frames_wrong = rig.streams.each_ref().map(|s| s.wrong);
    Ok(seen)
}
