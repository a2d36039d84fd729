//! A gateway whose host works while frames pass: a device that the driver reaches beside a beat into each side in every
//! cycle. Of every frame it is seen whether it left, once and as it came; of every slot that can be read whole, whether
//! all paths had the budgets of one commit.

use crate::engine::{beats, Access, Beat, Gateway};
use matchrdma::transport::{At, Transport};
use matchrdma::{Error, Kind, Result};
use matchrdma_spec::params::{PATHS, SLOT_K_MIN};
use matchrdma_spec::pci::BAR0_BYTES;
use matchrdma_spec::regs::entry::Path;
use matchrdma_spec::regs::{rate, table, Reg};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};

/// What was seen of frames and slots.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Seen {
    /// Times that all paths were read within one slot.
    pub slots_read: u32,
    /// Of those, with a commit that had not been seen before.
    pub first_slots: u32,
    /// Of those, with budgets that are not all of one commit.
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

impl Seen {
    /// For people.
    pub fn text(&self) -> String {
        let Seen { slots_read, first_slots, mixtures, frames, frames_lost, frames_wrong, cycles } = self;
        let both = |numbers: &[u64; 2]| numbers[0] + numbers[1];
        let (frames, lost, wrong) = (both(frames), both(frames_lost), both(frames_wrong));
        format!(
            "{cycles} cycles with a beat into each side: {lost} of {frames} frames lost, {wrong} wrong\n  {slots_read} times \
             all paths read within a slot, {first_slots} with a commit just in force: {mixtures} mixtures of old and new"
        )
    }
}

/// Where the frames go to: of no flow, and of a path if a route leads there.
pub const DESTINATION: [u8; 4] = [198, 51, 100, 2];
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
            frame[26..30].copy_from_slice(&[198, 51, 100, 1]);
            frame[30..34].copy_from_slice(&DESTINATION);
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

/// Rate, burst and mode of a path in a slot, as the registers tell.
type Budget = (u32, u32, u32);

/// A gateway under load, as a device.
pub struct Beside<G> {
    gateway: G,
    random: ChaCha8Rng,
    /// To the line, to the client.
    streams: [Stream; 2],
    /// Budgets of all paths by count of commits, as far as they are known.
    budgets: Vec<[Budget; PATHS]>,
    newest: usize,
    begun: u64,
    seen: Seen,
}

/// A wait in simulation.
const PATIENCE: Duration = Duration::from_secs(600);

impl<G: Gateway> Beside<G> {
    /// Of a gateway out of reset.
    pub fn new(gateway: G, seed: u64) -> Self {
        let begun = gateway.cycles();
        let open = (0, 0, rate::OPEN_FIELD.mask());
        Beside {
            gateway,
            random: ChaCha8Rng::seed_from_u64(seed),
            streams: Default::default(),
            budgets: vec![[open; PATHS]],
            newest: 0,
            begun,
            seen: Seen::default(),
        }
    }

    /// The gateway.
    pub fn gateway(&mut self) -> &mut G {
        &mut self.gateway
    }

    /// The next commit puts these paths into force, each at a fixed rate.
    pub fn expect(&mut self, paths: &[Path; PATHS]) {
        self.budgets.push(paths.map(|path| (path.rate, path.burst, path.mode.into())));
    }

    /// A number below `n`.
    pub fn any(&mut self, n: u32) -> usize {
        below(&mut self.random, n) as usize
    }

    /// A cycle.
    pub fn tick(&mut self) {
        self.cycle(true)
    }

    fn cycle(&mut self, sends: bool) {
        let [to_line, to_client] = &mut self.streams;
        let client = sends.then(|| to_line.beat(&mut self.random)).flatten();
        let line = sends.then(|| to_client.beat(&mut self.random)).flatten();
        let t = self.gateway.tick(client.as_ref(), line.as_ref(), true, true);
        to_line.take(t.line_tx);
        to_client.take(t.client_tx);
    }

    fn access(&mut self, access: Access) -> Result<u32> {
        self.gateway.begin(access);
        loop {
            self.tick();
            if let Some(answer) = self.gateway.answer() {
                return Ok(answer?);
            }
        }
    }

    fn get(&mut self, reg: &Reg) -> Result<u32> {
        self.access(Access::Read(reg.offset))
    }

    /// Reads all paths; when that was within one slot, they are of one commit. Whether the newest one is in force.
    pub fn look(&mut self) -> Result<bool> {
        let (slot, generation) = (self.get(&rate::SLOT)?, self.get(&rate::GENERATION)? as usize);
        let mut found = Vec::new();
        for path in 0..PATHS as u32 {
            self.access(Access::Write(rate::PATH.offset, path))?;
            found.push((self.get(&rate::RATE)?, self.get(&rate::BURST)?, self.get(&rate::MODE)?));
        }
        if self.get(&rate::SLOT)? == slot {
            let whole = self.budgets.get(generation).is_some_and(|budgets| budgets[..] == found[..]);
            self.seen.slots_read += 1;
            self.seen.first_slots += u32::from(generation > self.newest);
            self.seen.mixtures += u32::from(!whole);
            self.newest = self.newest.max(generation);
        }
        Ok(generation + 1 >= self.budgets.len())
    }

    /// Lets what has begun end, and what is inside leave; gives the gateway back.
    pub fn finish(mut self) -> (Seen, G) {
        self.seen.cycles = self.gateway.cycles() - self.begun;
        while self.streams.iter().any(|s| !s.ready.is_empty()) {
            let [client, line] = self.streams.each_mut().map(|s| s.ready.pop_front());
            let t = self.gateway.tick(client.as_ref(), line.as_ref(), true, true);
            self.streams[0].take(t.line_tx);
            self.streams[1].take(t.client_tx);
        }
        (0..4000).for_each(|_| self.cycle(false));
        self.seen.frames = self.streams.each_ref().map(|s| s.sent);
        self.seen.frames_lost = self.streams.each_ref().map(|s| s.under_way.len() as u64);
        self.seen.frames_wrong = self.streams.each_ref().map(|s| s.wrong);
        (self.seen, self.gateway)
    }
}

impl<G: Gateway> Transport for Beside<G> {
    fn name(&self) -> String {
        "simulated gateway under load".into()
    }

    fn bar_bytes(&self, bar: u8) -> u64 {
        match bar {
            0 => BAR0_BYTES,
            _ => 0,
        }
    }

    /// While a host waits for a commit, the paths are looked at.
    fn read32(&mut self, at: At) -> Result<u32> {
        let address = address(at)?;
        if address == table::STATUS.offset && self.budgets.len() > 1 {
            self.look()?;
        }
        self.access(Access::Read(address))
    }

    /// A commit is asked for at any moment of a slot.
    fn write32(&mut self, at: At, word: u32) -> Result<()> {
        let address = address(at)?;
        if address == table::COMMIT.offset {
            (0..below(&mut self.random, 1 << SLOT_K_MIN)).for_each(|_| self.tick());
        }
        self.access(Access::Write(address, word)).map(|_| ())
    }

    fn interrupt(&mut self, deadline: Instant) -> Result<bool> {
        while !self.gateway.irq() {
            if Instant::now() > deadline {
                return Ok(false);
            }
            self.tick();
        }
        Ok(true)
    }

    fn patience(&self) -> Duration {
        PATIENCE
    }
}

fn address(at: At) -> Result<u16> {
    u16::try_from(at.offset).ok().filter(|_| at.bar == 0).ok_or_else(|| {
        Error::new(Kind::Access, "an access")
            .but("an address in BAR0", at.to_string())
            .so("this is a fault of the driver")
    })
}
