//! `path_memory` with a rail, a scheduler that starts whatever may be started, a line, and the model beside it.

use crate::harness::frame::{beats, bytes, intent, pack, word, Beat, Sizes};
use crate::harness::{Random, Stall};
use matchrdma_model::packet_memory::Entry;
use matchrdma_model::path_memory::PathMemory;
use matchrdma_model::record::Intent;
use matchrdma_rtl::path_memory::Dut;
use matchrdma_spec::params::{PAGES, QUEUES};
use std::collections::VecDeque;

/// Cycles from an op's `room` to its verdict.
const VERDICT: usize = 2;
/// Cycles that `room` and `held_beats` may be late.
const LATE: usize = 45;
/// Descriptors of a queue that may be out of the store before they are started.
const AHEAD: usize = 8;
/// Cycles within which a committed entry waits for its start.
const AT_HAND: usize = 60;

/// A beat on its way to the verdict.
#[derive(Clone, Copy)]
pub struct OnRail {
    beat: Beat,
    queue: usize,
    may_keep: bool,
}

/// What was reached, so that a test can say that it tested something.
#[derive(Debug, Default)]
pub struct Reached {
    pub kept: usize,
    pub refused: usize,
    pub alone: usize,
    pub no_room: usize,
    pub most_pages: usize,
    pub most_descriptor_pages: usize,
}

/// How the test drives the memory.
#[derive(Clone, Copy)]
pub struct Drive {
    pub sizes: Sizes,
    /// All frames are of this length instead.
    pub length: Option<usize>,
    pub source: Stall,
    pub sink: Stall,
    /// Queues that frames go to.
    pub queues: u64,
    /// One in so many cycles starts something.
    pub starts: u64,
    /// Of four frames that may be kept, so many are.
    pub keeps: u64,
}

pub struct Bench {
    pub dut: Dut,
    /// Entries leave it when they are started, or when they have departed: the gates are between the two.
    early: PathMemory,
    pub late: PathMemory,
    started: VecDeque<(usize, Entry)>,
    left: usize,
    pub rail: VecDeque<Option<OnRail>>,
    frame: Vec<u8>,
    frame_queue: usize,
    pub to_come: VecDeque<Beat>,
    pub coming: VecDeque<Vec<u8>>,
    writing: usize,
    /// For so many cycles: the memory has surely had room, surely none.
    had_room: [usize; QUEUES],
    had_none: [usize; QUEUES],
    held: [VecDeque<(usize, usize)>; QUEUES],
    unstarted: [usize; QUEUES],
    cycle: u64,
    pub reached: Reached,
}

pub fn reset(dut: &mut Dut) {
    dut.set_rst(1);
    dut.set_rail_valid(0);
    dut.set_verdict_valid(0);
    dut.set_start(0);
    dut.tick();
    dut.tick();
    dut.set_rst(0);
}

impl Bench {
    pub fn new() -> Self {
        let mut dut = Dut::new();
        reset(&mut dut);
        Bench::of(dut)
    }

    pub fn of(dut: Dut) -> Self {
        Bench {
            dut,
            early: PathMemory::default().with_ahead(AHEAD),
            late: PathMemory::default(),
            started: VecDeque::new(),
            left: 0,
            rail: VecDeque::from([None; VERDICT]),
            frame: vec![],
            frame_queue: 0,
            to_come: VecDeque::new(),
            coming: VecDeque::new(),
            writing: 0,
            had_room: [0; QUEUES],
            had_none: [0; QUEUES],
            held: Default::default(),
            unstarted: [0; QUEUES],
            cycle: 0,
            reached: Reached::default(),
        }
    }

    fn is_empty(&self) -> bool {
        self.late.is_empty()
    }

    /// A beat comes to its judgement, if one may; its verdict comes two cycles later.
    fn judge(&mut self, drive: &Drive, feeds: bool, random: &mut Random) {
        if self.to_come.is_empty() && feeds && drive.source.goes(self.cycle, random) {
            let length = drive.length.unwrap_or_else(|| drive.sizes.draw(random));
            self.frame = random.bytes(length);
            self.frame_queue = loop {
                let queue = random.below(QUEUES as u64) as usize;
                if drive.queues >> queue & 1 == 1 {
                    break queue;
                }
            };
            self.to_come = beats(&self.frame).into();
        }
        let goes = !self.to_come.is_empty() && drive.source.goes(self.cycle, random);
        self.dut.set_judge_queue(self.frame_queue as u32);
        self.dut.settle();
        let beat = if goes { self.to_come.pop_front() } else { None };
        let room = self.dut.room() == 1;
        // as the itinerary: an op is judged 18 cycles after reset at the earliest
        assert!(self.cycle != 18 || room);
        if beat.is_some_and(|b| b.last) {
            self.coming.push_back(std::mem::take(&mut self.frame));
            self.reached.no_room += usize::from(!room);
        }
        self.rail.push_back(beat.map(|beat| OnRail { beat, queue: self.frame_queue, may_keep: room }));
        assert!(room || self.had_room[self.frame_queue] < LATE || self.cycle < 16, "cycle {}: room", self.cycle);
        assert!(!room || self.had_none[self.frame_queue] < LATE, "cycle {}: no room", self.cycle);
    }

    /// What is late by a sweep over the queues.
    fn check_held(&mut self) {
        let dut = &self.dut;
        let held = [
            dut.held_beats_0(),
            dut.held_beats_1(),
            dut.held_beats_2(),
            dut.held_beats_3(),
            dut.held_beats_4(),
            dut.held_beats_5(),
            dut.held_beats_6(),
            dut.held_beats_7(),
            dut.held_beats_8(),
            dut.held_beats_9(),
            dut.held_beats_10(),
            dut.held_beats_11(),
            dut.held_beats_12(),
            dut.held_beats_13(),
            dut.held_beats_14(),
            dut.held_beats_15(),
            dut.held_beats_16(),
        ];
        for (queue, held) in held.into_iter().enumerate() {
            let seen = &mut self.held[queue];
            seen.push_back((self.early.held_beats(queue), self.late.held_beats(queue)));
            if seen.len() > 24 {
                seen.pop_front();
            }
            let least = seen.iter().map(|s| s.0).min().unwrap_or(0);
            let most = seen.iter().map(|s| s.1).max().unwrap_or(0);
            assert!((least..=most).contains(&(held as usize)), "queue {queue} holds {held}, {least} to {most}");
            let room = |had: &mut usize, room: bool| *had = if room { *had + 1 } else { 0 };
            room(&mut self.had_room[queue], self.late.room(queue));
            room(&mut self.had_none[queue], !self.early.room(queue));
        }
    }

    /// The head, and the step of it if it is taken.
    fn check_head(&mut self, ready: bool) {
        let dut = &self.dut;
        if dut.head_valid() == 0 {
            assert_eq!(self.left, 0, "cycle {}: a frame that has begun goes on", self.cycle);
            return;
        }
        let (queue, entry) = self.started.front().expect("what leaves was started").clone();
        assert_eq!(dut.head_queue() as usize, queue, "head_queue");
        assert_eq!(dut.head_frame() == 1, entry.frame.is_some(), "head_frame");
        assert_eq!(dut.head_intent(), pack(entry.intent), "head_intent");
        let mut last = true;
        if let Some(frame) = &entry.frame {
            let beat = beats(frame)[self.left];
            assert_eq!(dut.head_bytes(), beat.bytes, "head_bytes");
            assert_eq!(word(&bytes(dut.head_data(), beat.bytes)), beat.data, "cycle {}: head_data", self.cycle);
            last = beat.last;
        }
        assert_eq!(dut.head_first() == 1, self.left == 0, "head_first");
        assert_eq!(dut.head_last() == 1, last, "head_last");
        if ready {
            self.left += 1;
            if last {
                self.left = 0;
                self.started.pop_front();
                self.late.depart(queue);
            }
        }
    }

    /// One cycle.
    pub fn step(&mut self, drive: &Drive, feeds: bool, random: &mut Random) {
        self.judge(drive, feeds, random);
        let now = self.rail.pop_front().expect("as long as it was");
        let (mut keeps, mut pushes, mut said) = (false, false, Intent::default());
        self.dut.set_rail_valid(now.is_some().into());
        self.dut.set_verdict_valid(0);
        self.dut.set_rail_last(random.bits(1) as u32);
        if let Some(OnRail { beat, queue, may_keep }) = now {
            let mut data = random.words(512);
            for (random, real) in data.iter_mut().zip(beat.data).take(beat.bytes.div_ceil(4) as usize) {
                *random = real;
            }
            self.dut.set_rail_data(data);
            self.dut.set_rail_bytes(beat.bytes);
            self.dut.set_rail_first(beat.first.into());
            self.dut.set_rail_last(beat.last.into());
            self.dut.set_rail_queue(queue as u32);
            self.writing += 1;
            if beat.last {
                keeps = may_keep && random.chance(drive.keeps, 4);
                pushes = keeps || may_keep && random.chance(1, 2);
                said = intent(random);
                self.dut.set_verdict_valid(1);
                self.dut.set_forward(keeps.into());
                self.dut.set_push(pushes.into());
                self.dut.set_intent(pack(said));
            }
        }
        let ready = drive.sink.goes(self.cycle + 5, random);
        self.dut.set_head_ready(ready.into());

        // A start, of any queue that waits.
        self.dut.settle();
        assert_eq!(self.dut.empty() == 1, self.late.is_empty(), "empty");
        let waits = self.dut.waits();
        let first = random.below(QUEUES as u64) as usize;
        let may = self.dut.may_start() == 1 && random.chance(1, drive.starts);
        let queue = (0..QUEUES).map(|i| (first + i) % QUEUES).find(|q| waits >> q & 1 == 1).filter(|_| may);
        self.dut.set_start(queue.is_some().into());
        self.dut.set_offer_queue(queue.unwrap_or(first) as u32);
        self.dut.settle();
        for (queue, unstarted) in self.unstarted.iter_mut().enumerate() {
            *unstarted = if self.early.next(queue).is_some() && waits >> queue & 1 == 0 { *unstarted + 1 } else { 0 };
            assert!(*unstarted < AT_HAND, "cycle {}: queue {queue} waits and does not say so", self.cycle);
        }
        if let Some(queue) = queue {
            let entry = self.early.depart(queue).expect("what waits was committed");
            assert_eq!(self.dut.offer_frame() == 1, entry.frame.is_some(), "cycle {}: offer_frame", self.cycle);
            if entry.frame.is_some() {
                assert_eq!(self.dut.offer_bytes() as usize, entry.bytes(), "cycle {}: offer_bytes", self.cycle);
            }
            self.started.push_back((queue, entry));
        }
        self.check_head(ready);
        if let Some(OnRail { beat, queue, .. }) = now.filter(|r| r.beat.last) {
            debug_assert!(beat.last);
            let frame = self.coming.pop_front().expect("it came from there");
            self.writing = 0;
            for model in [&mut self.early, &mut self.late] {
                if keeps {
                    model.commit(queue, frame.clone(), said);
                } else {
                    model.refuse(queue, Some(said).filter(|_| pushes));
                }
            }
            self.reached.kept += usize::from(keeps);
            self.reached.refused += usize::from(!keeps);
            self.reached.alone += usize::from(pushes && !keeps);
        }
        self.check_held();
        let of_beats: usize = (0..QUEUES).map(|q| self.late.beat_pages(q)).sum();
        let of_descriptors: usize = (0..QUEUES).map(|q| self.late.descriptor_pages(q)).sum();
        self.reached.most_pages = self.reached.most_pages.max(of_beats);
        self.reached.most_descriptor_pages = self.reached.most_descriptor_pages.max(of_descriptors);
        assert!(of_beats + 3 <= PAGES && of_descriptors <= PAGES + AHEAD, "pages: {of_beats} {of_descriptors}");
        self.dut.rise();
        self.cycle += 1;
    }

    pub fn run(&mut self, drive: Drive, cycles: u64, random: &mut Random) {
        for _ in 0..cycles {
            self.step(&drive, true, random);
        }
    }

    pub fn drain(&mut self, random: &mut Random) {
        let drive = Drive { sink: Stall::Never, source: Stall::Never, starts: 1, ..EASY };
        let from = self.cycle;
        while !self.is_empty() || !self.to_come.is_empty() || self.rail.iter().any(Option::is_some) {
            self.step(&drive, false, random);
            assert!(self.cycle < from + 40_000, "the queues drain");
        }
        for _ in 0..60 {
            self.step(&drive, false, random);
        }
        assert_eq!((self.dut.empty(), self.dut.head_valid(), self.dut.waits()), (1, 0, 0), "all has left");
    }
}

/// Everything goes.
pub const EASY: Drive = Drive {
    sizes: Sizes::Any,
    length: None,
    source: Stall::Never,
    sink: Stall::Never,
    queues: (1 << QUEUES) - 1,
    starts: 1,
    keeps: 3,
};
