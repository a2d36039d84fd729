//! `egress` on external memory under load, against the model's: frames in at a rate and out at a rate, both at once.

use matchrdma_model::egress::{Class, Egress};
use matchrdma_model::packet_memory::PacketMemory;
use matchrdma_model::record::Intent;
use matchrdma_rtl::axi4::{Failure, Master, Memory, Settings, Statistics};
use matchrdma_rtl::egress_external::Dut;
use matchrdma_spec::params::{BEAT_BYTES, OVERHEAD_BYTES, PATHS, QUEUES};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Bytes of a 100 Gb/s port in a cycle of 250 MHz, overheads included.
pub const LINE: i64 = 50;
/// More bytes in a cycle than any frame has: only the width of the port counts.
pub const UNPACED: i64 = 1 << 20;
/// Descriptors of the top, by class.
const DESCRIPTORS: [usize; 2] = [4096, 512];
/// First block, KiB: the rings stand far apart, and far from zero.
const BASE: [u64; 2] = [0x0400_0000, 0x3000_0000];
/// The memory, KiB: 1 TiB less 1 KiB, as much as the address has.
pub const MEMORY_KIB: u32 = (1 << 30) - 1;
const CLASSES: [Class; 2] = [Class::Lossless, Class::Rest];

/// What is done to it.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Behind the port.
    pub memory: Settings,
    /// Blocks of each ring, 1 KiB, a power of two: the lossless class, the rest.
    pub blocks: [u64; 2],
    /// Cycles with frames coming in; then all leaves.
    pub cycles: u64,
    /// Bytes in a cycle: in, out.
    pub rates: [i64; 2],
    /// Shortest and longest frame, bytes.
    pub sizes: [u64; 2],
    /// Of 16 frames: those of the rest.
    pub rest: u64,
    /// The lossless class is paused, now and then, for up to so many cycles; verdicts refuse, intents find no place.
    pub trouble: u64,
    /// Stimuli and memory hang on it.
    pub seed: u64,
}

impl Load {
    /// Frames of 64 to 9000 bytes at 100 Gb/s in and out, rings of 64 MiB and 1 MiB.
    pub fn line_rate(memory: Settings, cycles: u64, seed: u64) -> Self {
        Load {
            memory,
            blocks: [1 << 16, 1 << 10],
            cycles,
            rates: [LINE; 2],
            sizes: [64, 9000],
            rest: 1,
            trouble: 0,
            seed,
        }
    }
}

/// What came of it. Index 0: the lossless class, 1: the rest.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Committed.
    pub frames_in: [u64; 2],
    /// Refused though the verdict was to keep them: there was no room.
    pub no_room: [u64; 2],
    /// Left, the same and in order.
    pub frames_out: [u64; 2],
    /// Frames that followed one of the other class, and one of their own though the other had long been waiting.
    pub turns: u64,
    /// See `turns`.
    pub repeats: u64,
    /// Dropped because the memory answered with an error.
    pub spoilt: [u64; 2],
    /// Beats in and out while frames came.
    pub beats: [u64; 2],
    /// Most bytes that were held of one path.
    pub peak_bytes: u64,
    /// Most beats that were held of the lossless class.
    pub peak_beats: u64,
    /// Of the port, while frames came.
    pub statistics: Statistics,
    /// Bursts that the memory answered with an error.
    pub failures: u64,
}

impl Outcome {
    /// Frames that came in to be kept and did not leave.
    pub fn frames_lost(&self) -> u64 {
        (0..2).map(|c| self.no_room[c] + self.frames_in[c] - self.frames_out[c]).sum()
    }
}

/// A beat of a frame as the port has it.
fn word(frame: &[u8], beat: usize) -> ([u32; 16], u32) {
    let chunk = &frame[beat * BEAT_BYTES..frame.len().min((beat + 1) * BEAT_BYTES)];
    let mut bytes = [0; BEAT_BYTES];
    bytes[..chunk.len()].copy_from_slice(chunk);
    let at = |i: usize| u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]]);
    (std::array::from_fn(at), chunk.len() as u32)
}

/// An intent as the port has it: first field at bit 0.
fn pack(i: Intent) -> [u32; 3] {
    let low = i.kind as u32 | u32::from(i.req) << 3 | u32::from(i.flow) << 4 | u32::from(i.run) << 16 | i.psn << 24;
    [low, i.psn >> 8 | i.msn << 16, i.msn >> 16]
}

struct Bench {
    dut: Dut,
    memory: Memory,
    model: Egress,
    random: ChaCha8Rng,
    /// What was held of each queue when the cycle before began: with its commits it is told a cycle later.
    held: [u64; QUEUES],
    /// The frame on the port, and its next beat.
    shown: Option<(usize, usize)>,
    /// Class of what departed last.
    before: usize,
    out: Outcome,
    now: u64,
}

impl Bench {
    fn below(&mut self, limit: u64) -> u64 {
        (u64::from(self.random.next_u32()) * limit) >> 32
    }

    fn chance(&mut self, times: u64, out_of: u64) -> bool {
        self.below(out_of) < times
    }

    /// As many short frames as long ones: a random number of bits, then a number of that length.
    fn size(&mut self, [low, high]: [u64; 2]) -> usize {
        let bits = self.below((high - low + 1).ilog2().into()) + 1;
        (low + self.below((2 << bits).min(high - low + 1))) as usize
    }

    fn frame(&mut self, sizes: [u64; 2]) -> Vec<u8> {
        let mut frame = vec![0; self.size(sizes)];
        // random where it is looked at first, and a pattern of its own behind
        let seed = self.random.next_u32();
        frame.iter_mut().enumerate().for_each(|(i, b)| {
            *b = (seed.wrapping_add(i as u32 >> 2).wrapping_mul(0x9e37_79b1) >> (8 * (i & 3))) as u8
        });
        frame
    }

    fn intent(&mut self) -> Intent {
        let kind = matchrdma_model::record::Kind::of(self.below(6)).expect("six kinds");
        Intent { kind, psn: self.random.next_u32() >> 8, msn: self.random.next_u32() >> 8, ..Intent::default() }
    }

    /// What the outputs tell of bytes held, two cycles late.
    fn check_told(&mut self) -> Result<(), String> {
        let path = self.now as usize % PATHS;
        let told = [self.dut.occupancy(), self.dut.stray()];
        let due = [self.held[path], self.held[PATHS]].map(|bytes| bytes & 0xff_ffff);
        if told != due {
            return Err(format!(
                "cycle {}: bytes held of path {path} and of none: told {told:?}, are {due:?}",
                self.now
            ));
        }
        let held: [u64; QUEUES] =
            std::array::from_fn(|q| if q < PATHS { self.model.occupancy(q) } else { self.model.stray() });
        self.out.peak_bytes = self.out.peak_bytes.max(held[..PATHS].iter().copied().max().unwrap_or(0));
        self.held = held;
        Ok(())
    }

    /// The head must be what the model has next of a class that may go. The bytes of a frame whose first beat left.
    fn check_head(&mut self, paused: bool, space: bool, ready: bool) -> Result<Option<usize>, String> {
        let dut = &self.dut;
        let wrong = |what: String| Err(format!("cycle {}: {what}", self.now));
        for (c, lost) in [dut.lost_0(), dut.lost_1()].into_iter().enumerate() {
            if lost == 1 {
                let entry = self.model.lose_of(CLASSES[c]);
                if entry.and_then(|e| e.frame).is_none() {
                    return wrong("a frame was lost that nobody gave".into());
                }
                self.out.spoilt[c] += 1;
            }
        }
        if dut.head_valid() == 0 {
            return if self.shown.is_some() { wrong("a pause within a frame".into()) } else { Ok(None) };
        }
        let data = dut.head_data();
        let (class, beat) = match self.shown {
            Some(shown) => shown,
            None => {
                let is = |c: &usize| {
                    self.model.head(CLASSES[*c]).is_some_and(|e| {
                        let said = e.frame.as_ref().map_or(dut.head_frame() == 0, |f| {
                            let (word, bytes) = word(f, 0);
                            dut.head_frame() == 1 && bytes == dut.head_bytes() && same(&word, &data, bytes)
                        });
                        said && pack(e.intent) == dut.head_intent()
                    })
                };
                let Some(class) = [0, 1].into_iter().find(is) else {
                    return wrong("the head shows what is next of no class".into());
                };
                (class, 0)
            }
        };
        let entry = self.model.head(CLASSES[class]).expect("it was found");
        if self.shown.is_none()
            && class == 0
            && (paused && entry.frame.is_some() || !space && dut.head_intent()[0] & 7 != 0)
        {
            return wrong("the lossless class goes though it may not".into());
        }
        let beats = entry.bytes().div_ceil(BEAT_BYTES).max(1);
        if let Some(frame) = &entry.frame {
            let (word, bytes) = word(frame, beat);
            if (bytes, (beat + 1 == beats)) != (dut.head_bytes(), dut.head_last() == 1) || !same(&word, &data, bytes) {
                return wrong(format!("beat {beat} of {beats} is another"));
            }
        }
        let queue = self.model.head_queue(CLASSES[class]);
        let told = (dut.head_path() == 1, dut.head_number() as usize);
        if entry.frame.is_some() && told.0 != (queue < PATHS) || told.0 && told.1 != queue {
            return wrong(format!("the path of the head: {told:?}, is {queue}"));
        }
        if !ready {
            return Ok(None);
        }
        let begins = (beat == 0 && entry.frame.is_some()).then_some(entry.bytes());
        if beat + 1 < beats {
            self.shown = Some((class, beat + 1));
            return Ok(begins);
        }
        self.shown = None;
        self.out.turns += u64::from(self.before != class);
        self.out.repeats += u64::from(self.before == class && self.model.queue(CLASSES[1 - class]).held_beats() > 200);
        self.before = class;
        let entry = self.model.depart_of(CLASSES[class]).expect("it is there");
        self.out.frames_out[class] += u64::from(entry.frame.is_some());
        Ok(begins)
    }
}

fn same(a: &[u32; 16], b: &[u32; 16], bytes: u32) -> bool {
    let whole = bytes as usize / 4;
    let part = |w: &[u32; 16]| w.get(whole).map_or(0, |x| x & !(u32::MAX << (8 * (bytes % 4))));
    a[..whole] == b[..whole] && (bytes.is_multiple_of(4) || part(a) == part(b))
}

/// The board: so much memory, and it is ready. The host: first bytes of the rings, and their KiB as log2.
pub fn settings(dut: &mut Dut, base: [u64; 2], size: [u32; 2]) {
    dut.set_memory_kib(MEMORY_KIB);
    dut.set_memory_ready(1);
    dut.set_base_0(base[0]);
    dut.set_base_1(base[1]);
    dut.set_size_0(size[0]);
    dut.set_size_1(size[1]);
}

/// Does it; the first thing that is not as the model has it ends it.
pub fn run(load: &Load) -> Result<Outcome, String> {
    let [lossless, rest] = [0, 1].map(|c| PacketMemory::new(16 * load.blocks[c] as usize, DESCRIPTORS[c]));
    let mut b = Bench {
        dut: Dut::new(),
        memory: Memory::new(load.memory, load.seed),
        model: Egress::of(lossless, rest),
        random: ChaCha8Rng::seed_from_u64(load.seed),
        held: [0; QUEUES],
        shown: None,
        before: 0,
        out: Outcome::default(),
        now: 0,
    };
    b.dut.set_rst(1);
    b.memory.drive(&mut b.dut);
    b.dut.tick();
    b.dut.tick();
    b.dut.set_rst(0);
    settings(&mut b.dut, BASE.map(|kib| kib << 10), load.blocks.map(u64::ilog2));
    b.dut.set_memory_enable(1);
    b.dut.set_overhead(OVERHEAD_BYTES);
    (0..40).for_each(|_| b.dut.tick());
    let mut credit = [0i64; 2];
    let mut current: Option<(usize, usize, Vec<u8>, usize)> = None;
    let mut paused_until = 0;
    loop {
        let feeding = b.now < load.cycles;
        if b.now == load.cycles {
            b.out.statistics = *b.memory.statistics();
        }
        if !feeding && current.is_none() && b.model.is_empty() && b.now > load.cycles {
            break;
        }
        if b.now > 20 * load.cycles + 1_000_000 {
            return Err(format!("cycle {}: frames are held that never leave", b.now));
        }
        (0..2).for_each(|side| credit[side] = (credit[side] + load.rates[side]).min(load.rates[side]));
        if feeding && current.is_none() && credit[0] >= 0 {
            let frame = b.frame(load.sizes);
            credit[0] -= frame.len() as i64 + i64::from(OVERHEAD_BYTES);
            current = Some((usize::from(b.chance(load.rest, 16)), b.below(QUEUES as u64) as usize, frame, 0));
        }
        let trouble = load.trouble > 0 && feeding;
        if trouble && b.now > 2 * paused_until && b.chance(1, 500) {
            paused_until = b.now + b.below(load.trouble);
        }
        let (paused, space) = (trouble && b.now < paused_until, !trouble || b.chance(3, 4));
        let ready = if b.shown.is_some() { !trouble || b.chance(7, 8) } else { credit[1] >= 0 };
        b.dut.set_paused(paused.into());
        b.dut.set_space(space.into());
        b.dut.set_holds(b.shown.is_some().into());
        b.dut.set_head_ready(ready.into());
        b.dut.set_occupancy_path((b.now % PATHS as u64) as u32);
        b.dut.set_rail_valid(current.is_some().into());
        b.dut.set_verdict_valid(0);
        let mut verdict = None;
        if let Some((class, queue, frame, beat)) = &current {
            let (data, bytes) = word(frame, *beat);
            let (class, queue, last) = (*class, *queue, (beat + 1) * BEAT_BYTES >= frame.len());
            b.dut.set_rail_data(data);
            b.dut.set_rail_bytes(bytes);
            b.dut.set_rail_first((*beat == 0).into());
            b.dut.set_rail_last(last.into());
            b.dut.set_rail_queue(queue as u32);
            b.dut.set_judge_lossless((class == 0).into());
            if last {
                b.dut.settle();
                let room = b.dut.room() == 1;
                let keeps = room && (!trouble || b.chance(3, 4));
                let said = if class == 0 && load.trouble > 0 { b.intent() } else { Intent::default() };
                b.out.no_room[class] += u64::from(!room);
                b.dut.set_verdict_valid(1);
                b.dut.set_forward(keeps.into());
                b.dut.set_push(keeps.into());
                b.dut.set_lossless((class == 0).into());
                b.dut.set_intent(pack(said));
                verdict = Some((keeps, said));
            }
        }
        b.memory.drive(&mut b.dut);
        b.dut.settle();
        b.memory.settle(b.dut.offers());
        b.out.failures += b.memory.take_failures().iter().map(|_: &Failure| 1).sum::<u64>();
        b.check_told()?;
        if let Some(bytes) = b.check_head(paused, space, ready)? {
            credit[1] -= bytes as i64 + i64::from(OVERHEAD_BYTES);
        }
        if feeding {
            b.out.beats[0] += u64::from(current.is_some());
            b.out.beats[1] += u64::from(ready && b.dut.head_valid() == 1 && b.dut.head_frame() == 1);
        }
        if let Some((class, queue, frame, beat)) = current.take() {
            match verdict {
                None => current = Some((class, queue, frame, beat + 1)),
                Some((false, _)) => b.model.refuse(None),
                Some((true, said)) => {
                    b.out.frames_in[class] += 1;
                    b.model.commit(CLASSES[class], queue, frame, said);
                    let beats = b.model.queue(Class::Lossless).held_beats() as u64;
                    b.out.peak_beats = b.out.peak_beats.max(beats);
                }
            }
        }
        b.dut.rise();
        b.now += 1;
    }
    if b.dut.empty() != 1 {
        return Err("all has left, and the gates are not empty".into());
    }
    Ok(b.out)
}
