//! The gates, a memory and the model's queues, and what each cycle must be.

use crate::harness::frame::{beats, bytes, intent, pack, word, Beat, Sizes};
use crate::harness::{Random, Stall};
use matchrdma_model::packet_memory::PacketMemory;
use matchrdma_model::record::Intent;
use matchrdma_rtl::axi4::{Failure, Master, Memory, Settings};
use matchrdma_rtl::external_memory::Dut;
use std::collections::{BTreeSet, VecDeque};

/// Descriptors of the lossless class and of the rest.
const DESCRIPTORS: [usize; 2] = [256, 64];
/// Blocks of 16 beats, and the first one's address in KiB: 512 GiB apart from zero, the rings side by side.
const BLOCKS: [u64; 2] = [64, 32];
const BASE: [u64; 2] = [0x2000_0000, 0x2000_0040];

/// What comes, and how the two heads go.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub sizes: Sizes,
    pub source: Stall,
    pub sink: Stall,
    pub cycles: u64,
    /// Of 16 frames: those of the rest.
    pub rest: u64,
    /// Verdicts that keep nothing, and a class whose head stands for a while.
    pub trouble: bool,
}

/// What was reached, so that a test can say that it tested something.
#[derive(Default, Debug)]
pub struct Reached {
    pub kept: [usize; 2],
    pub refused: usize,
    pub alone: usize,
    pub no_room: [usize; 2],
    pub lost: [usize; 2],
    /// Cycles without room though ring and descriptors had some: the stage was full.
    pub staged: usize,
    /// Frames over the end of their ring, by class and by their first beat's place in its block.
    pub wraps: [[usize; 16]; 2],
    /// Cycles in which one class gave while the other stood and held all that its window can.
    pub passed: usize,
}

pub struct Bench {
    pub dut: Dut,
    pub memory: Memory,
    pub model: [PacketMemory; 2],
    pub queues: [VecDeque<u32>; 2],
    /// Places in beats: behind the last commit; of the frames that wait.
    pub end: [u64; 2],
    pub places: [VecDeque<u64>; 2],
    pub left: [usize; 2],
    pub rooms: VecDeque<[bool; 2]>,
    /// Ring and descriptors had room, in the cycle before.
    pub had: [bool; 2],
    pub failed: BTreeSet<u64>,
    pub reached: Reached,
}

fn settle_ring(dut: &mut Dut) {
    let [mask, base] = [BLOCKS.map(|b| b as u32 - 1), BASE.map(|b| b as u32)];
    dut.set_mask_0(mask[0]);
    dut.set_mask_1(mask[1]);
    dut.set_base_0(base[0]);
    dut.set_base_1(base[1]);
    dut.set_on(1);
}

impl Bench {
    pub fn new(memory: Settings, seed: u64) -> Self {
        let mut bench = Bench {
            dut: Dut::new(),
            memory: Memory::new(memory, seed),
            model: [0, 1].map(|c| PacketMemory::new(16 * BLOCKS[c] as usize, DESCRIPTORS[c])),
            queues: Default::default(),
            end: [0; 2],
            places: Default::default(),
            left: [0; 2],
            rooms: VecDeque::from([[true; 2]; 2]),
            had: [true; 2],
            failed: BTreeSet::new(),
            reached: Reached::default(),
        };
        settle_ring(&mut bench.dut);
        bench.reset();
        bench
    }

    pub fn reset(&mut self) {
        self.dut.set_rail_valid(0);
        self.dut.set_verdict_valid(0);
        self.dut.set_rst(1);
        self.dut.tick();
        self.memory.reset();
        self.memory.drive(&mut self.dut);
        self.dut.tick();
        self.dut.set_rst(0);
        (0..40).for_each(|_| self.cycle());
    }

    /// A cycle with nothing on the rail.
    pub fn cycle(&mut self) {
        self.memory.drive(&mut self.dut);
        self.dut.settle();
        self.memory.settle(self.dut.offers());
        self.dut.rise();
    }

    fn held(&self, class: usize) -> usize {
        self.model[class].held_beats() - self.left[class]
    }

    fn block_of(class: usize, place: u64) -> u64 {
        BASE[class] + place / 16 % BLOCKS[class]
    }

    /// The head's frame is lost: a block that it has a part in failed.
    fn lose(&mut self, class: usize) {
        let entry = self.model[class].depart().expect("something waits");
        let frame = entry.frame.expect("only frames are lost");
        let place = self.places[class].pop_front().expect("as many as entries");
        let of_frame = place..place + frame.len().div_ceil(64) as u64;
        let hit = of_frame.clone().any(|p| self.failed.contains(&Self::block_of(class, p)));
        assert!(hit, "a good frame was lost: class {class}, places {of_frame:?}, {:x?}", self.failed);
        assert_eq!(self.left[class], 0, "nothing of it was shown");
        self.queues[class].pop_front();
        self.reached.lost[class] += 1;
    }

    /// What a head shows must be what its model has next.
    fn check_head(&mut self, class: usize, ready: bool) {
        let dut = &self.dut;
        let [lost, valid, frame, first, last, head_bytes, queue] = match class {
            0 => [
                dut.lost_0(),
                dut.head_valid_0(),
                dut.head_frame_0(),
                dut.head_first_0(),
                dut.head_last_0(),
                dut.head_bytes_0(),
                dut.head_queue_0(),
            ],
            _ => [
                dut.lost_1(),
                dut.head_valid_1(),
                dut.head_frame_1(),
                dut.head_first_1(),
                dut.head_last_1(),
                dut.head_bytes_1(),
                dut.head_queue_1(),
            ],
        };
        let (data, said, total) = match class {
            0 => (dut.head_data_0(), dut.head_intent_0(), dut.head_total_0()),
            _ => (dut.head_data_1(), dut.head_intent_1(), dut.head_total_1()),
        };
        if lost == 1 {
            assert_eq!(valid, 0, "shown and lost");
            assert_eq!(total as usize, self.model[class].next().map_or(0, |e| e.bytes()), "bytes lost");
            assert_eq!(queue, self.queues[class][0], "queue lost");
            return self.lose(class);
        }
        if valid == 0 {
            assert_eq!(self.left[class], 0, "a pause within a frame of class {class}");
            return;
        }
        let entry = self.model[class].next().unwrap_or_else(|| panic!("class {class} shows what nobody gave"));
        assert_eq!(frame == 1, entry.frame.is_some(), "head_frame");
        assert_eq!(said, pack(entry.intent), "head_intent");
        assert_eq!(queue, self.queues[class][0], "head_queue");
        let mut ends = true;
        if let Some(f) = &entry.frame {
            let beat = beats(f)[self.left[class]];
            assert_eq!(head_bytes, beat.bytes, "head_bytes");
            assert_eq!(total as usize, f.len(), "head_total");
            assert_eq!(word(&bytes(data, head_bytes)), beat.data, "head_data of class {class}");
            ends = beat.last;
        }
        assert_eq!((first == 1, last == 1), (self.left[class] == 0, ends), "first, last");
        if ready {
            self.left[class] += 1;
            if ends {
                self.model[class].depart();
                self.queues[class].pop_front();
                self.places[class].pop_front();
                self.left[class] = 0;
            }
        }
    }

    /// What is held, to the beat; room, which the stage may take away and nothing may add.
    fn check_held(&mut self) {
        let dut = &self.dut;
        let beats = [dut.held_beats_0(), dut.held_beats_1()].map(|n| n as usize);
        let descriptors = [dut.held_descriptors_0(), dut.held_descriptors_1()].map(|n| n as usize);
        let room = [dut.room_0(), dut.room_1()].map(|r| r == 1);
        for class in 0..2 {
            let held = self.held(class);
            // a frame that is lost goes beat by beat, unseen
            let unseen =
                if self.failed.is_empty() { 0 } else { self.model[class].next().map_or(0, |e| e.bytes().div_ceil(64)) };
            assert!(
                beats[class] <= held && held <= beats[class] + unseen,
                "{} beats of class {class}, {held}",
                beats[class]
            );
            assert_eq!(descriptors[class], self.queues[class].len(), "descriptors of class {class}");
            assert!(self.had[class] || !room[class], "room for class {class} where there is none");
            self.reached.staged += usize::from(self.had[class] && !room[class]);
            let ring = 16 * BLOCKS[class] as usize;
            self.had[class] = beats[class] + 300 <= ring && self.queues[class].len() + 32 <= DESCRIPTORS[class];
        }
        assert_eq!(dut.empty() == 1, self.queues.iter().all(VecDeque::is_empty), "empty");
        self.rooms.pop_front();
        self.rooms.push_back(room);
    }

    fn check_addresses(&self) {
        let offers = self.dut.offers();
        let inside = |class: usize, address: u64| (BASE[class]..BASE[class] + BLOCKS[class]).contains(&(address >> 10));
        if let Some(aw) = offers.aw {
            assert!(inside(0, aw.address) || inside(1, aw.address), "outside: {aw:x?}");
        }
        if let Some(ar) = offers.ar {
            assert!(inside(usize::from(ar.id >= 32), ar.address), "outside: {ar:x?}");
        }
    }

    pub fn run(&mut self, load: Load, random: &mut Random) {
        let mut current: Option<(usize, Vec<u8>, VecDeque<Beat>)> = None;
        let mut stands = [0u64; 2];
        for cycle in 0.. {
            let ends = cycle >= load.cycles;
            if current.is_none() && !ends && load.source.goes(cycle, random) {
                let length = load.sizes.draw(random);
                let frame = random.bytes(length);
                let beats = beats(&frame).into();
                current = Some((usize::from(random.chance(load.rest, 16)), frame, beats));
            }
            if current.is_none() && ends && self.queues.iter().all(VecDeque::is_empty) {
                break;
            }
            assert!(cycle < 100 * load.cycles, "the rings drain");
            self.dut.set_rail_valid(0);
            self.dut.set_verdict_valid(0);
            let queue = random.bits(5) as u32;
            let mut came = None;
            let mut verdict = (false, false, Intent::default());
            let goes = load.source.goes(cycle, random);
            if let Some((class, _, rest)) = current.as_mut().filter(|_| goes) {
                let beat = rest.pop_front().expect("a frame in hand has beats");
                self.dut.set_rail_valid(1);
                self.dut.set_rail_data(beat.data);
                self.dut.set_rail_bytes(beat.bytes);
                self.dut.set_rail_first(beat.first.into());
                self.dut.set_rail_last(beat.last.into());
                self.dut.set_rail_queue(queue);
                came = Some(beat);
                if beat.last {
                    let room = self.rooms[0][*class];
                    let keeps = room && (!load.trouble || random.chance(2, 3));
                    let pushes = keeps || load.trouble && self.rooms[0][0] && random.chance(1, 2);
                    let said = if *class == 1 && keeps { Intent::default() } else { intent(random) };
                    verdict = (keeps, pushes, said);
                    self.dut.set_verdict_valid(1);
                    self.dut.set_forward(keeps.into());
                    self.dut.set_push(pushes.into());
                    self.dut.set_lossless((*class == 0).into());
                    self.dut.set_intent(pack(said));
                    self.reached.no_room[*class] += usize::from(!room);
                }
            }
            let ready = [0, 1].map(|class: usize| {
                if load.trouble && stands[class] == 0 && random.chance(1, 400) {
                    stands[class] = cycle + random.below(1500);
                }
                let stood = stands[class] > cycle && !ends;
                stands[class] = if stood { stands[class] } else { 0 };
                !stood && load.sink.goes(cycle + 5 + class as u64, random)
            });
            self.dut.set_head_ready_0(ready[0].into());
            self.dut.set_head_ready_1(ready[1].into());
            self.memory.drive(&mut self.dut);
            self.dut.settle();
            self.check_addresses();
            let offers = self.dut.offers();
            self.memory.settle(offers);
            let failures = self.memory.take_failures();
            self.failed.extend(failures.iter().flat_map(|f: &Failure| [f.address >> 10]));
            self.check_held();
            for class in 0..2 {
                let held = self.held(1 - class);
                let gave = self.queues[class].len();
                self.check_head(class, ready[class]);
                let passes = stands[1 - class] > cycle && held > 150 && self.queues[class].len() < gave;
                self.reached.passed += usize::from(passes);
            }
            match came {
                Some(beat) if beat.last => {
                    let (class, frame, _) = current.take().expect("it came from there");
                    assert_eq!(self.dut.rail_total() as usize, frame.len(), "rail_total");
                    self.judged(class, frame, queue, verdict);
                }
                Some(_) => self.model.iter_mut().for_each(|m| m.write(1)),
                None => {}
            }
            self.dut.rise();
        }
        self.dut.set_rail_valid(0);
        self.dut.set_verdict_valid(0);
        self.dut.settle();
        assert_eq!((self.dut.empty(), self.dut.held_beats_0(), self.dut.held_beats_1()), (1, 0, 0), "all has left");
        (0..1000).for_each(|_| self.cycle());
        assert!(self.memory.is_idle(), "nothing is under way at the port");
    }

    fn judged(&mut self, class: usize, frame: Vec<u8>, queue: u32, verdict: (bool, bool, Intent)) {
        let (keeps, pushes, said) = verdict;
        let (ring, size) = (16 * BLOCKS[class], frame.len().div_ceil(64) as u64);
        for other in 0..2 {
            if other != class || !keeps {
                self.model[other].refuse(Some(said).filter(|_| pushes && !keeps && other == 0));
            }
        }
        if keeps {
            self.model[class].commit(frame, said);
            self.queues[class].push_back(if class == 0 { queue } else { 0 });
            self.places[class].push_back(self.end[class]);
            let start = self.end[class] % ring;
            if start + size > ring {
                self.reached.wraps[class][start as usize % 16] += 1;
            }
            self.end[class] += size;
            self.reached.kept[class] += 1;
        } else {
            self.reached.refused += 1;
            self.reached.alone += usize::from(pushes);
            if pushes {
                self.queues[0].push_back(queue);
                self.places[0].push_back(self.end[0]);
            }
        }
    }
}

impl Reached {
    pub fn add(&mut self, other: &Reached) {
        for class in 0..2 {
            self.kept[class] += other.kept[class];
            self.no_room[class] += other.no_room[class];
            self.lost[class] += other.lost[class];
            (0..16).for_each(|i| self.wraps[class][i] += other.wraps[class][i]);
        }
        self.refused += other.refused;
        self.alone += other.alone;
        self.staged += other.staged;
        self.passed += other.passed;
    }
}
