//! `paced_memory` with a source, a line, and the model beside it.

use crate::harness::Random;
use matchrdma_model::pacer::{Pacer, FRACTION, MOST_GAIN};
use matchrdma_model::rate_table::Budget;
use matchrdma_rtl::paced_memory::Dut;
use matchrdma_spec::params::{OVERHEAD_BYTES, PATHS, QUEUES};
use std::collections::VecDeque;

/// Cycles within which something that may start does so, on an idle line.
const AT_ONCE: u32 = 30;

macro_rules! one_of {
    ($dut:ident, $i:ident, $value:ident: $($n:literal $set:ident),*) => {
        match $i {
            $($n => $dut.$set($value),)*
            _ => panic!("path {}", $i),
        }
    };
}

fn set_gain(dut: &mut Dut, i: usize, value: u32) {
    one_of!(dut, i, value: 0 set_gain_0, 1 set_gain_1, 2 set_gain_2, 3 set_gain_3, 4 set_gain_4, 5 set_gain_5,
        6 set_gain_6, 7 set_gain_7, 8 set_gain_8, 9 set_gain_9, 10 set_gain_10, 11 set_gain_11, 12 set_gain_12,
        13 set_gain_13, 14 set_gain_14, 15 set_gain_15);
}

fn set_burst(dut: &mut Dut, i: usize, value: u32) {
    one_of!(dut, i, value: 0 set_burst_0, 1 set_burst_1, 2 set_burst_2, 3 set_burst_3, 4 set_burst_4, 5 set_burst_5,
        6 set_burst_6, 7 set_burst_7, 8 set_burst_8, 9 set_burst_9, 10 set_burst_10, 11 set_burst_11,
        12 set_burst_12, 13 set_burst_13, 14 set_burst_14, 15 set_burst_15);
}

/// A line that takes so many bytes per cycle, what a frame costs beside its bytes included.
pub struct Line {
    per_cycle: i64,
    credit: i64,
}

impl Line {
    pub fn new(per_cycle: i64) -> Self {
        Line { per_cycle, credit: 0 }
    }

    /// It takes a beat in this cycle.
    pub fn ready(&mut self) -> bool {
        // at 64 it is the datapath that limits
        self.credit = (self.credit + self.per_cycle).min(self.per_cycle);
        self.per_cycle >= 64 || self.credit > 0
    }

    /// A beat was taken.
    pub fn sent(&mut self, left: Left) {
        self.credit -= i64::from(left.bytes) + if left.last { i64::from(OVERHEAD_BYTES) } else { 0 };
    }
}

/// A beat that left.
#[derive(Clone, Copy, Debug)]
pub struct Left {
    pub bytes: u32,
    pub last: bool,
}

/// A frame in a queue.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    size: usize,
    number: u32,
    since: u64,
}

pub struct Rig {
    dut: Dut,
    pub model: Pacer,
    pub slot_k: u8,
    overhead: u64,
    open: u32,
    limited: u32,
    pub limits: [u64; PATHS],
    limit_now: Option<(usize, u64)>,
    coming: Option<(usize, usize, usize)>,
    queues: [VecDeque<Waiting>; QUEUES],
    started: VecDeque<(usize, Waiting)>,
    beat: usize,
    numbers: [u32; QUEUES],
    /// Beats fed and not left.
    pub held: [u64; QUEUES],
    /// Bytes of frames whose first beat left, overheads included.
    pub begun: [u64; QUEUES],
    pub refused: [u64; QUEUES],
    pub longest_wait: [u64; QUEUES],
    pub starts: u64,
    /// Of some frames, only an intent is kept.
    pub bares: bool,
    sent: VecDeque<[u64; PATHS]>,
    idle: u32,
    now: u64,
}

impl Rig {
    /// Out of reset, all paths open.
    pub fn new(slot_k: u8, overhead: u8) -> Self {
        let mut dut = Dut::new();
        dut.set_rst(1);
        dut.set_overhead(overhead.into());
        dut.set_open(0xffff);
        dut.tick();
        dut.tick();
        dut.set_rst(0);
        (0..18).for_each(|_| dut.tick());
        let mut model = Pacer::new();
        model.set(slot_k, overhead);
        Rig {
            dut,
            model,
            slot_k,
            overhead: overhead.into(),
            open: 0xffff,
            limited: 0,
            limits: [0; PATHS],
            limit_now: None,
            coming: None,
            queues: Default::default(),
            started: VecDeque::new(),
            beat: 0,
            numbers: [0; QUEUES],
            held: [0; QUEUES],
            begun: [0; QUEUES],
            refused: [0; QUEUES],
            longest_wait: [0; QUEUES],
            starts: 0,
            bares: true,
            sent: VecDeque::from([[0; PATHS]; 2]),
            idle: 0,
            now: 0,
        }
    }

    pub fn set_budget(&mut self, path: usize, budget: Budget) {
        self.model.set_budget(path, budget);
        let gain = (u64::from(budget.rate) << (FRACTION - u32::from(self.slot_k))).min(MOST_GAIN);
        set_gain(&mut self.dut, path, gain as u32);
        set_burst(&mut self.dut, path, budget.burst);
        let bit = |all: u32, on: bool| all & !(1 << path) | u32::from(on) << path;
        self.open = bit(self.open, budget.open);
        self.limited = bit(self.limited, budget.limited);
        self.dut.set_open(self.open);
        self.dut.set_limited(self.limited);
    }

    /// The limit is written in the coming cycle, and counts from the one behind it.
    pub fn write_limit(&mut self, path: usize, limit: u64) {
        self.limit_now = Some((path, limit));
    }

    /// No frame is on its way in.
    pub fn is_between(&self) -> bool {
        self.coming.is_none()
    }

    /// A frame comes in, a beat per cycle from the coming one on.
    pub fn feed(&mut self, queue: usize, size: usize) {
        assert!(self.is_between());
        self.coming = Some((queue, size, 0));
    }

    /// Frames that wait for their start.
    pub fn waiting(&self, queue: usize) -> usize {
        self.queues[queue].len()
    }

    /// One cycle: gives the beat that left.
    pub fn cycle(&mut self, ready: bool, random: &mut Random) -> Option<Left> {
        let dut = &mut self.dut;
        dut.set_head_ready(ready.into());
        dut.set_limit_we(self.limit_now.is_some().into());
        if let Some((path, limit)) = self.limit_now {
            dut.set_limit_path(path as u32);
            dut.set_limit(limit);
        }

        // In: what has room is kept, and sometimes only an intent is left of it.
        dut.set_rail_valid(self.coming.is_some().into());
        dut.set_verdict_valid(0);
        let mut came = None;
        if let Some((queue, size, beat)) = self.coming {
            let rest = size - 64 * beat;
            let last = rest <= 64;
            let mut data = [0; 16];
            (data[0], data[1]) = ((queue as u32) << 27 | self.numbers[queue] & 0x7ff_ffff, beat as u32);
            dut.set_rail_data(data);
            dut.set_rail_bytes(rest.min(64) as u32);
            dut.set_rail_first((beat == 0).into());
            dut.set_rail_last(last.into());
            dut.set_rail_queue(queue as u32);
            dut.set_judge_queue(queue as u32);
            self.coming = Some((queue, size, beat + 1)).filter(|_| !last);
            if last {
                dut.settle();
                let room = dut.room() == 1;
                let bare = self.bares && random.chance(1, 200);
                dut.set_verdict_valid(1);
                dut.set_forward(u32::from(room && !bare));
                dut.set_push(room.into());
                if room {
                    let size = if bare { 0 } else { size };
                    came = Some((queue, Waiting { size, number: self.numbers[queue], since: self.now }));
                } else {
                    self.refused[queue] += 1;
                }
            }
        }
        let read = random.below(PATHS as u64) as usize;
        dut.set_sent_path(read as u32);
        dut.settle();

        // A start is one that the model allows.
        let may = |queue: usize| self.queues[queue].front().filter(|w| self.model.may(queue, w.size));
        let at_hand = |queue: usize| may(queue).is_some_and(|w| w.since + u64::from(AT_ONCE) < self.now);
        let waits = (0..QUEUES).any(at_hand);
        let mut started = None;
        if dut.start() == 1 {
            let queue = dut.start_queue() as usize;
            let first = self.queues[queue].front().copied().expect("what starts was committed");
            assert_eq!(dut.start_frame() == 1, first.size > 0, "cycle {}: start_frame", self.now);
            if first.size > 0 {
                assert_eq!(dut.start_bytes() as usize, first.size, "cycle {}: start_bytes", self.now);
            }
            assert!(self.model.may(queue, first.size), "cycle {}: queue {queue} may not", self.now);
            self.queues[queue].pop_front();
            let wait = &mut self.longest_wait[queue];
            *wait = (*wait).max(self.now - first.since);
            started = Some((queue, first.size));
            self.started.push_back((queue, first));
            self.starts += 1;
        }
        self.model.cycle(started);
        let seen = self.sent.pop_front().expect("two");
        assert_eq!(dut.sent(), seen[read], "cycle {}: what path {read} has sent", self.now);
        self.sent.push_back(std::array::from_fn(|path| self.model.sent(path)));
        if let Some((path, limit)) = self.limit_now.take() {
            self.limits[path] = limit;
            self.model.set_limit(path, limit);
        }

        // Out: every frame of a queue, in order.
        let valid = dut.head_valid() == 1;
        self.idle = if ready && !valid && waits { self.idle + 1 } else { 0 };
        assert!(self.idle < AT_ONCE, "cycle {}: something may start and does not", self.now);
        let mut left = None;
        if valid && ready {
            let &(queue, Waiting { size, number, .. }) = self.started.front().expect("what leaves was started");
            assert_eq!(dut.head_queue() as usize, queue, "cycle {}: head_queue", self.now);
            assert_eq!(dut.head_frame() == 1, size > 0, "cycle {}: head_frame", self.now);
            let rest = size.saturating_sub(64 * self.beat);
            assert_eq!(dut.head_last() == 1, rest <= 64, "cycle {}: head_last", self.now);
            if size > 0 {
                let tag = ((queue as u32) << 27 | number & 0x7ff_ffff, self.beat as u32);
                let data = dut.head_data();
                assert_eq!((data[0], data[1]), tag, "cycle {}: the next frame of its queue", self.now);
                left = Some(Left { bytes: rest.min(64) as u32, last: rest <= 64 });
                self.held[queue] -= 1;
                if self.beat == 0 {
                    self.begun[queue] += size as u64 + self.overhead;
                }
            }
            self.beat += 1;
            if rest <= 64 {
                self.beat = 0;
                self.started.pop_front();
            }
        }
        if let Some((queue, waiting)) = came {
            self.numbers[queue] += 1;
            self.held[queue] += waiting.size.div_ceil(64) as u64;
            self.queues[queue].push_back(waiting);
        }
        self.dut.rise();
        self.now += 1;
        left
    }

    /// Until all has left.
    pub fn drain(&mut self, random: &mut Random) {
        let until = self.now + 60_000;
        while !self.started.is_empty() || !self.is_between() || self.queues.iter().any(|q| !q.is_empty()) {
            self.cycle(true, random);
            assert!(self.now < until, "all leaves: {:?}", self.queues.each_ref().map(VecDeque::len));
        }
        self.cycle(true, random);
        assert_eq!((self.dut.empty(), self.dut.head_valid()), (1, 0), "all has left");
    }
}
