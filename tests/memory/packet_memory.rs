//! `packet_memory` against the model's plain queue, cycle by cycle.

use crate::harness::frame::{beats, intent, pack, Beat, Sizes};
use crate::harness::{grid, Random, Stall};
use matchrdma_model::packet_memory::PacketMemory;
use matchrdma_model::record::{Intent, Kind};
use matchrdma_rtl::packet_memory::Dut as Large;
use matchrdma_rtl::packet_memory_small::Dut as Small;
use std::collections::VecDeque;

/// Of the small one.
const RING: usize = 512;
const QUEUE: usize = 64;
/// Cycles from commit to the head.
const LATENCY: u64 = 4;

/// Who keeps the ring from overflowing.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Guard {
    /// The verdict, by `room` of two cycles ago, as `track` does; frames come in whatever is held.
    Room,
    /// The source: a frame comes in when there is exactly the space for it, and may be kept.
    Exact,
}

/// What was reached, so that a test can say that it tested something.
#[derive(Default)]
struct Reached {
    kept: usize,
    refused: usize,
    alone: usize,
    no_room: usize,
    full: usize,
    queue_full: usize,
}

/// The memory, the model, and what the model does not count: parts of frames, and time.
struct Bench {
    dut: Small,
    model: PacketMemory,
    /// Cycle and queue of each.
    queued: VecDeque<(u64, u32)>,
    left: usize,
    shown: bool,
    room: VecDeque<bool>,
    reached: Reached,
}

impl Bench {
    fn new() -> Self {
        let mut dut = Small::new();
        dut.set_rst(1);
        dut.tick();
        dut.tick();
        dut.set_rst(0);
        let room = VecDeque::from([true; 3]);
        let model = PacketMemory::new(RING, QUEUE);
        Bench { dut, model, queued: VecDeque::new(), left: 0, shown: false, room, reached: Reached::default() }
    }

    fn held(&self) -> usize {
        self.model.held_beats() - self.left
    }

    /// Everything that the outputs must be in this cycle, and the step of the head if it is taken.
    fn check(&mut self, cycle: u64, go: bool, ready: bool) {
        let dut = &mut self.dut;
        let held = self.model.held_beats() - self.left;
        assert_eq!(dut.held_beats() as usize, held, "beats held");
        assert_eq!(dut.held_descriptors() as usize, self.queued.len(), "descriptors held");
        assert_eq!(dut.empty() == 1, self.queued.is_empty(), "empty");
        if cycle > 0 {
            assert_eq!(dut.room() == 1, self.room[2], "room");
        }
        self.room.pop_front();
        self.room.push_back(RING - held >= 300 && QUEUE - self.queued.len() >= 32);

        let there = self.queued.front().is_some_and(|(committed, _)| committed + LATENCY <= cycle);
        assert_eq!(dut.next_valid() == 1, there && !self.shown, "next_valid");
        let shows = there && (self.shown || go);
        assert_eq!(dut.head_valid() == 1, shows, "head_valid");
        assert_eq!(dut.started() == 1, shows && !self.shown, "started");
        if !there {
            return;
        }
        let entry = self.model.next().expect("as many as were queued").clone();
        if !self.shown {
            assert_eq!(dut.next_frame() == 1, entry.frame.is_some(), "next_frame");
            if entry.frame.is_some() {
                assert_eq!(dut.next_bytes() as usize, entry.bytes(), "next_bytes");
            }
        }
        if !shows {
            return;
        }
        assert_eq!(dut.head_frame() == 1, entry.frame.is_some(), "head_frame");
        assert_eq!(dut.head_intent(), pack(entry.intent), "head_intent");
        assert_eq!(dut.head_queue(), self.queued[0].1, "head_queue");
        let mut last = true;
        if let Some(frame) = &entry.frame {
            let beat = beats(frame)[self.left];
            let bytes = dut.head_bytes();
            assert_eq!(bytes, beat.bytes, "head_bytes");
            let data = crate::harness::frame::word(&crate::harness::frame::bytes(dut.head_data(), bytes));
            assert_eq!(data, beat.data, "head_data");
            last = beat.last;
        }
        assert_eq!(dut.head_first() == 1, self.left == 0, "head_first");
        assert_eq!(dut.head_last() == 1, last, "head_last");
        self.shown = true;
        if ready {
            self.left += 1;
            if last {
                self.model.depart();
                self.queued.pop_front();
                self.left = 0;
                self.shown = false;
            }
        }
    }

    fn run(&mut self, sizes: Sizes, source: Stall, sink: Stall, guard: Guard, cycles: u64, random: &mut Random) {
        let mut current: Option<(Vec<u8>, VecDeque<Beat>)> = None;
        for cycle in 0.. {
            if current.is_none() && cycle < cycles && source.goes(cycle, random) {
                let length = sizes.draw(random);
                let frame = random.bytes(length);
                let beats = beats(&frame);
                if guard == Guard::Room || self.held() + beats.len() <= RING {
                    current = Some((frame, beats.into()));
                }
            }
            if current.is_none() && cycle >= cycles && self.queued.is_empty() {
                break;
            }
            assert!(cycle < 100 * cycles, "the queue drains");
            let dut = &mut self.dut;
            dut.set_rail_valid(0);
            dut.set_verdict_valid(0);
            let (mut keeps, mut pushes, mut said) = (false, false, Intent::default());
            let queue = random.bits(5) as u32;
            let mut came = None;
            let goes = source.goes(cycle, random);
            if let Some((_, rest)) = current.as_mut().filter(|_| goes) {
                let beat = rest.pop_front().expect("a frame in hand has beats");
                let mut data = random.words(512);
                for (random, real) in data.iter_mut().zip(beat.data).take(beat.bytes.div_ceil(4) as usize) {
                    *random = real;
                }
                dut.set_rail_valid(1);
                dut.set_rail_data(data);
                dut.set_rail_bytes(beat.bytes);
                dut.set_rail_first(beat.first.into());
                dut.set_rail_last(beat.last.into());
                dut.set_rail_queue(queue);
                came = Some(beat);
                if beat.last {
                    let room = match guard {
                        Guard::Room => self.room[0],
                        Guard::Exact => self.queued.len() < QUEUE,
                    };
                    keeps = random.chance(2, 3) && room;
                    pushes = keeps || random.chance(1, 2) && room;
                    said = intent(random);
                    dut.set_verdict_valid(1);
                    dut.set_forward(keeps.into());
                    dut.set_push(pushes.into());
                    dut.set_intent(pack(said));
                    self.reached.no_room += usize::from(!room);
                }
            }
            let (go, ready) = (random.chance(3, 4), sink.goes(cycle + 5, random));
            dut.set_go(go.into());
            dut.set_head_ready(ready.into());
            dut.settle();
            self.check(cycle, go, ready);
            match came {
                Some(beat) if beat.last => {
                    let (frame, _) = current.take().expect("it came from there");
                    assert_eq!(self.dut.rail_total() as usize, frame.len(), "rail_total");
                    if keeps {
                        self.model.commit(frame, said);
                        self.reached.kept += 1;
                    } else {
                        self.model.refuse(Some(said).filter(|_| pushes));
                        self.reached.refused += 1;
                        self.reached.alone += usize::from(pushes);
                    }
                    if pushes {
                        self.queued.push_back((cycle, queue));
                    }
                }
                Some(_) => self.model.write(1),
                None => {}
            }
            assert!(self.held() <= RING, "room was promised");
            self.reached.full += usize::from(self.held() == RING);
            self.reached.queue_full += usize::from(self.queued.len() == QUEUE);
            self.dut.rise();
        }
        assert!(self.model.is_empty() && self.model.held_beats() == 0);
        self.dut.set_rail_valid(0);
        self.dut.set_verdict_valid(0);
        self.dut.settle();
        assert_eq!((self.dut.empty(), self.dut.held_beats(), self.dut.head_valid()), (1, 0, 0), "all has left");
    }
}

fn over_the_grid(guard: Guard) -> Reached {
    let mut random = Random::new();
    let mut total = Reached::default();
    for sizes in Sizes::ALL {
        for (source, sink) in grid() {
            println!("{sizes:?} {source:?} {sink:?} {guard:?}");
            let mut bench = Bench::new();
            bench.run(sizes, source, sink, guard, 1500, &mut random);
            total.kept += bench.reached.kept;
            total.refused += bench.reached.refused;
            total.alone += bench.reached.alone;
            total.no_room += bench.reached.no_room;
            total.full += bench.reached.full;
            total.queue_full += bench.reached.queue_full;
        }
    }
    assert!(total.kept > 1000 && total.refused > 1000 && total.alone > 300, "all verdicts were given");
    total
}

#[test]
fn a_ring_guarded_by_room_is_a_queue_and_never_overflows() {
    let reached = over_the_grid(Guard::Room);
    assert!(reached.no_room > 100, "room ran out");
}

#[test]
fn a_ring_filled_to_the_last_beat_is_a_queue() {
    let reached = over_the_grid(Guard::Exact);
    assert!(reached.full > 10 && reached.queue_full > 10, "it was full: {} {}", reached.full, reached.queue_full);
}

#[test]
fn a_reset_inside_a_frame_forgets_everything() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    bench.dut.set_go(1);
    for (beat, (last, push)) in [(false, 0), (true, 1), (false, 0)].into_iter().enumerate() {
        bench.dut.set_rail_valid(1);
        bench.dut.set_rail_bytes(64);
        bench.dut.set_rail_first((beat == 0).into());
        bench.dut.set_rail_last(last.into());
        bench.dut.set_verdict_valid(push);
        bench.dut.set_forward(push);
        bench.dut.set_push(push);
        bench.dut.tick();
    }
    bench.dut.set_rail_valid(0);
    bench.dut.set_verdict_valid(0);
    (0..6).for_each(|_| bench.dut.tick());
    assert_eq!((bench.dut.head_valid(), bench.dut.held_beats()), (1, 3));
    let mut fresh = Bench::new();
    std::mem::swap(&mut fresh.dut, &mut bench.dut);
    fresh.dut.set_rst(1);
    fresh.dut.tick();
    fresh.dut.tick();
    fresh.dut.set_rst(0);
    fresh.run(Sizes::Few, Stall::Never, Stall::Never, Guard::Room, 500, &mut random);
    assert!(fresh.reached.kept > 50);
}

/// The data of a beat, told by its place.
fn pattern(frame: u32, beat: u32) -> [u32; 16] {
    std::array::from_fn(|i| frame.wrapping_mul(0x9e37_79b1) ^ (beat << 4 | i as u32))
}

/// One beat in every cycle, for so many; the output takes from cycle `wait` on. No bubble may show from then.
fn one_beat_per_cycle(wait: u64, cycles: u64, mut draw: impl FnMut() -> usize) {
    let mut dut = Large::new();
    dut.set_rst(1);
    dut.tick();
    dut.tick();
    dut.set_rst(0);
    dut.set_go(1);
    let mut sizes = VecDeque::new();
    let (mut frame_in, mut beat_in, mut size) = (0u32, 0u32, 0);
    let (mut frame_out, mut beat_out) = (0u32, 0u32);
    let mut flows = false;
    for cycle in 0..cycles {
        if beat_in == 0 {
            size = draw();
            sizes.push_back(size);
        }
        let rest = size - 64 * beat_in as usize;
        let last = rest <= 64;
        dut.set_rail_valid(1);
        dut.set_rail_data(pattern(frame_in, beat_in));
        dut.set_rail_bytes(rest.min(64) as u32);
        dut.set_rail_first((beat_in == 0).into());
        dut.set_rail_last(last.into());
        dut.set_verdict_valid(last.into());
        dut.set_forward(last.into());
        dut.set_push(last.into());
        dut.set_intent(pack(Intent { kind: Kind::Ack, psn: frame_in, ..Intent::default() }));
        dut.set_head_ready((cycle >= wait).into());
        dut.settle();
        assert!(dut.room() == 1 || cycle == 0);
        let valid = dut.head_valid() == 1;
        assert!(valid || !flows, "a bubble in cycle {cycle}");
        if valid && cycle >= wait {
            flows = true;
            let size = sizes[0];
            let rest = size - 64 * beat_out as usize;
            let marks = (dut.head_first() == 1, dut.head_last() == 1, dut.head_bytes() as usize);
            assert_eq!(marks, (beat_out == 0, rest <= 64, rest.min(64)), "cycle {cycle}");
            assert_eq!(dut.head_data(), pattern(frame_out, beat_out), "cycle {cycle}");
            assert_eq!(dut.head_intent()[0] >> 24, frame_out & 0xff);
            beat_out += 1;
            if rest <= 64 {
                (frame_out, beat_out) = (frame_out + 1, 0);
                sizes.pop_front();
            }
        }
        dut.rise();
        beat_in += 1;
        if last {
            (frame_in, beat_in) = (frame_in + 1, 0);
        }
    }
    assert!(flows && frame_in - frame_out <= 1 + (wait as u32).max(70), "what came in has left");
}

#[test]
fn one_beat_enters_and_one_leaves_in_every_cycle_of_100_000() {
    for size in [64, 65, 256, 1500, 4154] {
        one_beat_per_cycle(0, 100_000, || size);
    }
}

#[test]
fn one_beat_enters_and_one_leaves_in_every_cycle_of_100_000_with_mixed_sizes() {
    let mut random = Random::new();
    // the longest frame is stored before it leaves, so that much must be waiting
    one_beat_per_cycle(160, 100_000, || random.pick(&[60, 64, 65, 256, 1500, 4154, 9600]));
}
