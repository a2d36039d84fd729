//! `egress` against the model's two queues, cycle by cycle.

use crate::harness::frame::{beats, bytes, intent, pack, word, Beat, Sizes};
use crate::harness::{grid, Random, Stall};
use matchrdma_model::egress::{Class, Egress};
use matchrdma_model::packet_memory::PacketMemory;
use matchrdma_model::record::{Intent, Kind};
use matchrdma_rtl::egress::Dut;
use matchrdma_spec::params::{PATHS, QUEUES};
use std::collections::VecDeque;

/// Of each of the two small memories.
const RING: usize = 512;
const QUEUE: usize = 64;
/// Cycles from commit to the head.
const LATENCY: u64 = 4;

/// What comes, and how the client side goes.
#[derive(Clone, Copy, Debug)]
struct Load {
    sizes: Sizes,
    source: Stall,
    sink: Stall,
    /// Verdicts that keep nothing, pauses, other frames on the port, no place for an intent.
    trouble: bool,
    /// The sink takes nothing before.
    from: u64,
}

/// What was reached, so that a test can say that it tested something.
#[derive(Default, Debug)]
struct Reached {
    kept: [usize; 2],
    alone: usize,
    no_room: [usize; 2],
    /// Cycles in which the rest left while the lossless class was paused, or had no place for its intent.
    passed: usize,
    /// A frame came and one left, of one path, in one cycle.
    together: usize,
    /// Cycles in which a paused frame of a path was a backlog.
    paused_backlog: usize,
    /// Cycles with nothing on the port.
    idle: usize,
    most: u64,
}

/// What is told of the past.
#[derive(Clone, Default)]
struct Held {
    paths: [u64; PATHS],
    stray: u64,
    backlog: bool,
}

/// Cycle, class, queue, frame and intent.
type OnWay = (u64, Class, usize, Option<Vec<u8>>, Intent);

/// The block and the model, once as frames come and once as they reach the head.
struct Bench {
    dut: Dut,
    early: Egress,
    late: Egress,
    on_way: VecDeque<OnWay>,
    queued: [usize; 2],
    left: [usize; 2],
    rooms: VecDeque<[bool; 2]>,
    held: VecDeque<Held>,
    holds: Option<Class>,
    waited: bool,
    reached: Reached,
}

fn at(class: Class) -> usize {
    usize::from(class == Class::Rest)
}

impl Bench {
    fn new(random: &mut Random) -> Self {
        let mut dut = Dut::new();
        let overhead = random.bits(8) as u8;
        dut.set_overhead(overhead.into());
        dut.set_rst(1);
        dut.tick();
        dut.set_rst(0);
        // the tables are cleared
        (0..16).for_each(|_| dut.tick());
        let memory = || PacketMemory::new(RING, QUEUE);
        let mut model = Egress::of(memory(), memory());
        model.set_overhead(overhead);
        Bench {
            dut,
            early: model.clone(),
            late: model,
            on_way: VecDeque::new(),
            queued: [0; 2],
            left: [0; 2],
            rooms: vec![[true; 2]; 3].into(),
            held: vec![Held::default(); 2].into(),
            holds: None,
            waited: false,
            reached: Reached::default(),
        }
    }

    fn room(&self, class: Class) -> bool {
        let held = self.early.queue(class).held_beats() - self.left[at(class)];
        RING - held >= 300 && QUEUE - self.queued[at(class)] >= 32
    }

    /// What is told beside the streams.
    fn check_told(&mut self, random: &mut Random) {
        let path = random.below(PATHS as u64) as usize;
        let class = if random.chance(1, 2) { Class::Lossless } else { Class::Rest };
        let other = random.below(PATHS as u64) as usize;
        self.dut.set_occupancy_path(path as u32);
        self.dut.set_here_path(other as u32);
        self.dut.set_judge_lossless((class == Class::Lossless).into());
        self.dut.settle();
        let held = &self.held[0];
        assert_eq!(self.dut.occupancy(), held.paths[path], "occupancy of path {path}");
        assert_eq!(self.dut.here() == 1, held.paths[other] > 0, "something of path {other}");
        assert_eq!(self.dut.stray(), held.stray, "stray");
        assert_eq!(self.dut.backlog() == 1, self.waited && held.backlog, "backlog");
        assert_eq!(self.dut.room() == 1, self.rooms[2][at(class)], "room of {class:?}");
        assert_eq!(self.dut.empty() == 1, self.early.is_empty(), "empty");
        self.reached.most = self.reached.most.max(held.paths[path]);
    }

    /// The head stream in this cycle; whose frame departs.
    fn check_head(&mut self, paused: bool, space: bool, busy: bool, sink: bool) -> Option<usize> {
        let expected = self.holds.or_else(|| self.late.turn(paused, space));
        assert_eq!(self.dut.head_valid() == 1, expected.is_some(), "head_valid: {expected:?}");
        // as the arbiter does it
        let frame = self.dut.head_frame() == 1;
        let ready = !frame || !busy && sink;
        self.dut.set_head_ready(ready.into());
        self.dut.settle();
        self.waited = self.late.head(Class::Lossless).is_some();
        self.reached.paused_backlog += usize::from(paused && self.waited && self.held[0].backlog);
        let Some(class) = expected else {
            self.reached.idle += 1;
            return None;
        };
        let entry = self.late.head(class).expect("it has the turn").clone();
        assert_eq!(frame, entry.frame.is_some(), "head_frame");
        assert_eq!(self.dut.head_intent(), pack(entry.intent), "head_intent");
        let mut last = true;
        if let Some(frame) = &entry.frame {
            let beat = beats(frame)[self.left[at(class)]];
            let shown = (self.dut.head_bytes(), self.dut.head_last() == 1);
            assert_eq!(shown, (beat.bytes, beat.last), "head_bytes, head_last");
            assert_eq!(word(&bytes(self.dut.head_data(), beat.bytes)), beat.data, "head_data");
            let queue = self.late.head_queue(class);
            assert_eq!(self.dut.head_path() == 1, queue < PATHS, "head_path, of queue {queue}");
            assert!(queue >= PATHS || self.dut.head_number() as usize == queue, "head_number, of queue {queue}");
            last = beat.last;
            self.holds = Some(class).filter(|_| !busy);
        }
        if !ready {
            return None;
        }
        self.left[at(class)] += usize::from(frame);
        self.reached.passed += usize::from(class == Class::Rest && (paused || !space));
        if !last {
            return None;
        }
        (self.left[at(class)], self.holds) = (0, None);
        let queue = self.late.head_queue(class);
        self.late.depart_of(class);
        self.early.depart_of(class);
        self.queued[at(class)] -= 1;
        Some(queue).filter(|_| frame && class == Class::Lossless)
    }

    fn run(&mut self, load: Load, cycles: u64, random: &mut Random) {
        let mut current: Option<(Class, usize, Vec<u8>, VecDeque<Beat>)> = None;
        let mut paused = false;
        for cycle in 0.. {
            let ends = cycle >= cycles;
            if current.is_none() && !ends && load.source.goes(cycle, random) {
                let length = load.sizes.draw(random);
                let frame = random.bytes(length);
                let any = random.below(QUEUES as u64) as usize;
                let queue = random.pick(&[3, 3, 3, 16, any]);
                let class = Class::of(random.chance(1, 2));
                current = Some((class, queue, frame.clone(), beats(&frame).into()));
            }
            if current.is_none() && ends && self.early.is_empty() {
                break;
            }
            assert!(cycle < 100 * cycles, "the queues drain");
            while self.on_way.front().is_some_and(|entry| entry.0 + LATENCY <= cycle) {
                let (_, class, queue, frame, said) = self.on_way.pop_front().expect("it is there");
                match frame {
                    Some(frame) => self.late.commit(class, queue, frame, said),
                    None => self.late.refuse(Some(said)),
                }
            }
            self.dut.set_rail_valid(0);
            self.dut.set_verdict_valid(0);
            let mut came = None;
            let mut verdict = (false, false, Intent::default());
            let goes = load.source.goes(cycle, random);
            if let Some((class, queue, _, rest)) = current.as_mut().filter(|_| goes) {
                let beat = rest.pop_front().expect("a frame in hand has beats");
                let mut data = random.words(512);
                for (random, real) in data.iter_mut().zip(beat.data).take(beat.bytes.div_ceil(4) as usize) {
                    *random = real;
                }
                self.dut.set_rail_valid(1);
                self.dut.set_rail_data(data);
                self.dut.set_rail_bytes(beat.bytes);
                self.dut.set_rail_first(beat.first.into());
                self.dut.set_rail_last(beat.last.into());
                self.dut.set_rail_queue(*queue as u32);
                came = Some(beat);
                if beat.last {
                    let room = self.rooms[0][at(*class)];
                    let keeps = room && (!load.trouble || random.chance(2, 3));
                    // what is not kept may leave an intent; the lossless class has room for it
                    let pushes = keeps || self.rooms[0][0] && load.trouble && random.chance(1, 2);
                    let said = if *class == Class::Rest && keeps { Intent::default() } else { intent(random) };
                    verdict = (keeps, pushes, said);
                    self.dut.set_verdict_valid(1);
                    self.dut.set_forward(keeps.into());
                    self.dut.set_push(pushes.into());
                    self.dut.set_lossless((*class == Class::Lossless).into());
                    self.dut.set_intent(pack(said));
                    self.reached.no_room[at(*class)] += usize::from(!room);
                }
            }
            if load.trouble && random.chance(1, 30) {
                paused = !paused;
            }
            paused &= !ends;
            let space = !load.trouble || random.chance(3, 4);
            let busy = load.trouble && self.holds.is_none() && random.chance(1, 3);
            let sink = cycle >= load.from && load.sink.goes(cycle + 5, random);
            self.dut.set_paused(paused.into());
            self.dut.set_space(space.into());
            self.dut.set_holds(self.holds.is_some().into());
            self.check_told(random);
            self.rooms.pop_front();
            self.rooms.push_back([self.room(Class::Lossless), self.room(Class::Rest)]);
            let idle = self.reached.idle;
            let departed = self.check_head(paused, space, busy, sink);
            if load.from > 0 && cycle > load.from && !ends {
                assert_eq!(self.reached.idle, idle, "a bubble in cycle {cycle}");
            }
            match came {
                Some(beat) if beat.last => {
                    let (class, queue, frame, _) = current.take().expect("it came from there");
                    let (keeps, pushes, said) = verdict;
                    if keeps {
                        self.early.commit(class, queue, frame.clone(), said);
                        self.reached.kept[at(class)] += 1;
                        self.queued[at(class)] += 1;
                        self.reached.together += usize::from(class == Class::Lossless && departed == Some(queue));
                    } else {
                        self.early.refuse(Some(said).filter(|_| pushes));
                        self.reached.alone += usize::from(pushes);
                        self.queued[0] += usize::from(pushes);
                    }
                    if pushes {
                        self.on_way.push_back((cycle, class, queue, Some(frame).filter(|_| keeps), said));
                    }
                }
                Some(_) => self.early.write(1),
                None => {}
            }
            self.held.pop_front();
            let paths = std::array::from_fn(|path| self.early.occupancy(path));
            self.held.push_back(Held { paths, stray: self.early.stray(), backlog: self.early.backlog() });
            self.dut.rise();
        }
        self.dut.set_rail_valid(0);
        self.dut.set_verdict_valid(0);
        self.dut.set_holds(0);
        (0..3).for_each(|_| self.dut.tick());
        for path in 0..PATHS {
            self.dut.set_occupancy_path(path as u32);
            self.dut.settle();
            assert_eq!((self.dut.occupancy(), self.dut.stray(), self.dut.backlog()), (0, 0, 0), "all has left");
        }
    }
}

#[test]
fn two_queues_take_turns_and_what_they_hold_is_known() {
    let mut random = Random::new();
    let mut all = Reached::default();
    for sizes in Sizes::ALL {
        for (source, sink) in grid() {
            let load = Load { sizes, source, sink, trouble: true, from: 0 };
            println!("{load:?}");
            let mut bench = Bench::new(&mut random);
            bench.run(load, 2000, &mut random);
            for class in 0..2 {
                all.kept[class] += bench.reached.kept[class];
                all.no_room[class] += bench.reached.no_room[class];
            }
            all.alone += bench.reached.alone;
            all.passed += bench.reached.passed;
            all.together += bench.reached.together;
            all.paused_backlog += bench.reached.paused_backlog;
            all.most = all.most.max(bench.reached.most);
        }
    }
    println!("{all:?}");
    assert!(all.kept.iter().all(|n| *n > 1000) && all.alone > 1000 && all.no_room.iter().all(|n| *n > 100));
    assert!(all.passed > 1000 && all.together > 100 && all.paused_backlog > 1000 && all.most > 9000);
}

#[test]
fn one_beat_leaves_in_every_cycle_whatever_the_mixture() {
    let mut random = Random::new();
    for (sizes, from) in [(Sizes::OneBeat, 10), (Sizes::Few, 40), (Sizes::Mtu, 150)] {
        let mut bench = Bench::new(&mut random);
        let load = Load { sizes, source: Stall::Never, sink: Stall::Never, trouble: false, from };
        bench.run(load, 20_000, &mut random);
        assert!(bench.reached.kept.iter().all(|n| *n > 100), "{:?}", bench.reached);
        assert_eq!(bench.reached.no_room, [0; 2]);
    }
}

#[test]
fn a_full_lossless_queue_leaves_room_for_the_rest_and_the_other_way_round() {
    for class in [Class::Lossless, Class::Rest] {
        let mut dut = Dut::new();
        dut.set_rst(1);
        dut.tick();
        dut.set_rst(0);
        (0..16).for_each(|_| dut.tick());
        dut.set_rail_valid(1);
        dut.set_rail_bytes(64);
        dut.set_rail_first(1);
        dut.set_rail_last(1);
        dut.set_verdict_valid(1);
        dut.set_forward(1);
        dut.set_push(1);
        dut.set_lossless((class == Class::Lossless).into());
        dut.set_intent(pack(Intent { kind: Kind::None, ..Intent::default() }));
        (0..40).for_each(|_| dut.tick());
        for asked in [Class::Lossless, Class::Rest] {
            dut.set_judge_lossless((asked == Class::Lossless).into());
            dut.settle();
            assert_eq!(dut.room() == 1, asked != class, "{asked:?} with {class:?} full");
        }
    }
}
