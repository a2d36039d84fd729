//! What the budget rail is told of the inbound itinerary: frames of no flow, off the line and onto the client port.

use crate::harness::frames::{any_frame, beats, Beat};
use crate::harness::routes::{any_routes, rows, table};
use crate::harness::{Random, Stall};
use matchrdma_model::arrivals::{told, Told};
use matchrdma_model::drain::Drain;
use matchrdma_model::egress::{Class, Egress};
use matchrdma_model::packet_memory::PacketMemory;
use matchrdma_model::parse::Arrival;
use matchrdma_model::record::Intent;
use matchrdma_model::route::RouteTable;
use matchrdma_rtl::inbound::Dut;
use matchrdma_spec::params::{MAX_FRAME_BYTES, PATHS, REST_BEATS, REST_DESCRIPTORS};
use matchrdma_spec::wire::budget::{BYTES, MAGIC, MAGIC_VALUE};
use std::collections::VecDeque;

/// Cycles from a frame's last beat to its verdict, and from there to the head.
const VERDICT: u64 = 20;
const HEAD: u64 = 4;

/// Some of them budgets. A giant would be judged before its end.
fn frame(random: &mut Random) -> Vec<u8> {
    if random.chance(7, 8) {
        let mut frame = any_frame(random);
        frame.truncate(MAX_FRAME_BYTES);
        return frame;
    }
    let length = random.pick(&[BYTES, BYTES, BYTES - 1, BYTES + 1, 60]);
    let mut frame = random.bytes(length);
    frame[12..14].copy_from_slice(&[0x88, 0xb5]);
    MAGIC.set(&mut frame, MAGIC_VALUE.into());
    frame
}

/// A frame on its way to its verdict.
struct Coming {
    cycle: u64,
    frame: Vec<u8>,
    err: bool,
    class: Class,
    queue: usize,
    told: Told,
}

#[derive(Default, Debug)]
struct Seen {
    came: usize,
    refused: usize,
    budgets: [usize; 2],
    left: [usize; 2],
    passed: usize,
    built: usize,
    backlogged: [usize; 2],
}

/// A beat that left: of which path, bytes, the last of its frame.
type Left = (Option<usize>, u64, bool);

/// What left, a backlog, a pause.
type Past = (Option<Left>, bool, bool);

struct Bench {
    dut: Dut,
    routes: RouteTable,
    overhead: u8,
    egress: Egress,
    drain: Drain,
    /// Bytes of each path that left in this slot: beat by beat as told, and as they must be.
    beats: [[u64; PATHS]; 2],
    coming: VecDeque<Coming>,
    /// Occupancy, stray and backlog of the last two cycles; commits of the lossless class that wait.
    held: VecDeque<([u64; PATHS], u64, bool)>,
    commits: VecDeque<u64>,
    /// Of the last two cycles.
    past: VecDeque<Past>,
    leaving: Vec<u8>,
    class: Class,
    seen: Seen,
}

impl Bench {
    fn new(random: &mut Random) -> Bench {
        let mut dut = Dut::new();
        let overhead = random.bits(8) as u8;
        let routes = any_routes(random);
        dut.set_overhead(overhead.into());
        dut.set_ack_share_log2(2);
        dut.set_route_set(1);
        dut.set_client_intent_ready(1);
        dut.set_rst(1);
        (0..3).for_each(|_| dut.tick());
        dut.set_rst(0);
        dut.set_route_we(1);
        for (at, row) in rows(&routes).into_iter().enumerate() {
            dut.set_route_addr(at as u32);
            dut.set_route_data(row);
            dut.tick();
        }
        dut.set_route_we(0);
        dut.tick();
        // the drain begins here
        dut.set_slot_end(1);
        dut.tick();
        let mut egress = Egress::of(PacketMemory::new(512, 64), PacketMemory::new(REST_BEATS, REST_DESCRIPTORS));
        egress.set_overhead(overhead);
        let mut drain = Drain::default();
        drain.set_overhead(overhead);
        drain.cycles(1, false, false);
        Bench {
            dut,
            routes: table(&routes),
            overhead,
            egress,
            drain,
            beats: [[0; PATHS]; 2],
            coming: VecDeque::new(),
            held: vec![([0; PATHS], 0, false); 2].into(),
            commits: VecDeque::new(),
            past: vec![(None, false, false)].into(),
            leaving: vec![],
            class: Class::Rest,
            seen: Seen::default(),
        }
    }

    fn queue(&self, arrival: &Arrival) -> usize {
        let a = arrival.addresses;
        self.routes.queue(a.ip, a.v6, a.src).into()
    }

    fn check_arrivals(&mut self, cycle: u64) {
        let due = |after: u64| self.coming.iter().find(|c| c.cycle + VERDICT + after == cycle);
        let came = match due(2).map(|c| &c.told) {
            Some(Told::Came(path, bytes)) => Some((*path, *bytes)),
            _ => None,
        };
        let seen = (self.dut.came_valid() == 1).then(|| (self.dut.came_path() as usize, self.dut.came_bytes().into()));
        assert_eq!(seen, came, "came, cycle {cycle}");
        self.seen.came += usize::from(came.is_some());
        let heard = due(1).and_then(|c| match c.told {
            Told::Budget(bad) => Some((bad, c.frame.clone())),
            _ => None,
        });
        assert_eq!(self.dut.frame_valid() == 1, heard.is_some(), "frame_valid, cycle {cycle}");
        if let Some((bad, frame)) = heard {
            assert_eq!(self.dut.bad() == 1, bad);
            let shown: Vec<u8> = self.dut.frame().iter().flat_map(|w| w.to_le_bytes()).collect();
            assert!(bad || shown == frame, "the frame is whole");
            self.seen.budgets[usize::from(bad)] += 1;
        }
    }

    /// The beat that leaves the port, if one does.
    fn client(&mut self, paused: bool) -> Option<Left> {
        let bytes = self.dut.m_axis_client_tkeep().count_ones();
        let last = self.dut.m_axis_client_tlast() == 1;
        if self.dut.ack_ready() == 1 || self.dut.pfc_ready() == 1 {
            self.seen.built += 1;
            return Some((None, bytes.into(), last));
        }
        let data = self.dut.m_axis_client_tdata();
        let beat: Vec<u8> = data.iter().flat_map(|w| w.to_le_bytes()).take(bytes as usize).collect();
        if self.leaving.is_empty() {
            let begins = |class: &Class| {
                let head = self.egress.head(*class).and_then(|entry| entry.frame.as_ref());
                head.is_some_and(|frame| frame.starts_with(&beat) && last == (frame.len() == beat.len()))
            };
            self.class = [Class::Lossless, Class::Rest].into_iter().find(begins).expect("it is a frame that waits");
        }
        self.leaving.extend(beat);
        let queue = self.egress.head_queue(self.class);
        let path = (self.class == Class::Lossless && queue < PATHS).then_some(queue);
        self.seen.passed += usize::from(paused && self.class == Class::Rest);
        if last {
            let entry = self.egress.depart_of(self.class).expect("it waits");
            assert_eq!(entry.frame, Some(std::mem::take(&mut self.leaving)), "whole, and in order");
            self.seen.left[usize::from(self.class == Class::Rest)] += 1;
            if self.class == Class::Lossless {
                self.commits.pop_front();
            }
        }
        Some((path, bytes.into(), last))
    }

    fn run(&mut self, frames: usize, source: Stall, sink: Stall, random: &mut Random) {
        let mut waiting: VecDeque<(Beat, Option<Coming>)> = VecDeque::new();
        let (mut left, mut paused, mut quiet) = (frames, false, 0);
        let (mut ack, mut pfc, mut shown) = (false, false, false);
        for cycle in 0u64.. {
            if waiting.is_empty() && left > 0 {
                left -= 1;
                let frame = frame(random);
                let count = frame.len().div_ceil(64);
                let err = random.chance(1, 10).then(|| random.below(count as u64) as usize);
                let arrival = Arrival::new(&frame, err.is_some());
                let (queue, class) = (self.queue(&arrival), Class::of(arrival.meta.roce));
                let told = told(&arrival, queue, &frame, self.overhead);
                let all = beats(&frame, err, random);
                let mut coming = Some(Coming { cycle: 0, err: arrival.err, frame, class, queue, told });
                waiting.extend(all.into_iter().map(|b| (b.clone(), if b.last { coming.take() } else { None })));
            }
            let beat = if source.goes(cycle, random) { waiting.pop_front() } else { None };
            self.dut.set_s_axis_line_tvalid(beat.is_some().into());
            if let Some((beat, coming)) = beat {
                self.dut.set_s_axis_line_tdata(beat.data);
                self.dut.set_s_axis_line_tkeep(beat.keep);
                self.dut.set_s_axis_line_tlast(beat.last.into());
                self.dut.set_s_axis_line_tuser(beat.err.into());
                self.coming.extend(coming.map(|c| Coming { cycle, ..c }));
            }
            let ends = left == 0 && waiting.is_empty();
            paused = !ends && (paused ^ random.chance(1, 60));
            ack |= !ends && random.chance(1, 20);
            pfc |= !ends && random.chance(1, 50);
            let ready = sink.goes(cycle + 7, random);
            let slot_end = random.chance(1, 40);
            let path = random.below(PATHS as u64) as usize;
            self.dut.set_paused(paused.into());
            self.dut.set_ack_valid(ack.into());
            self.dut.set_ack_data(random.words(512));
            self.dut.set_ack_bytes(62);
            self.dut.set_ack_last(1);
            self.dut.set_pfc_valid(pfc.into());
            self.dut.set_m_axis_client_tready(ready.into());
            self.dut.set_slot_end(slot_end.into());
            self.dut.set_occupancy_path(path as u32);
            self.dut.set_here_path(path as u32);
            self.dut.settle();

            self.check_arrivals(cycle);
            let held = self.held[0];
            assert_eq!((self.dut.occupancy(), self.dut.stray()), (held.0[path], held.1), "path {path}, cycle {cycle}");
            assert_eq!(self.dut.here() == 1, held.0[path] > 0, "path {path}, cycle {cycle}");
            if slot_end {
                let slot = self.drain.slot();
                let seen = (self.dut.drained(), self.dut.other(), self.dut.backlogged() == 1, self.dut.paused_cycles());
                let want = (slot.drained as u32, slot.other as u32, slot.backlogged, slot.paused as u32);
                assert_eq!(seen, want, "cycle {cycle}");
                let [told, must] = std::mem::take(&mut self.beats);
                assert_eq!((told, told.iter().sum()), (must, slot.drained), "beat by beat, cycle {cycle}");
                self.seen.backlogged[usize::from(slot.backlogged)] += 1;
            }
            if self.dut.left_valid() == 1 {
                self.beats[0][self.dut.left_path() as usize] += u64::from(self.dut.left_bytes());
            }
            let there = self.commits.front().is_some_and(|at| at + HEAD <= cycle);
            let backlog = there && self.held[1].2;
            let valid = self.dut.m_axis_client_tvalid() == 1;
            let begins = self.leaving.is_empty() && !shown;
            let moved = (valid && ready).then(|| self.client(paused)).flatten();
            let built = self.dut.ack_ready() == 1 || self.dut.pfc_ready() == 1;
            let waits = paused && begins && moved.is_some() && !built;
            assert!(!waits || self.class == Class::Rest, "a pause holds the lossless class, cycle {cycle}");
            shown = valid && !ready;
            ack &= self.dut.ack_ready() == 0;
            pfc &= self.dut.pfc_ready() == 0;
            self.past.push_back((moved, backlog, paused));
            if self.past.len() > 1 {
                let (left, backlog, paused) = self.past.pop_front().expect("two are there");
                self.drain.cycles(1, backlog, paused);
                if let Some((path, bytes, last)) = left {
                    self.drain.left(path.is_some(), bytes, last);
                    let wire = bytes + if last { u64::from(self.overhead) } else { 0 };
                    path.into_iter().for_each(|path| self.beats[1][path] += wire);
                }
            }

            // The verdict.
            let judged = self.coming.iter().position(|c| c.cycle + VERDICT == cycle);
            assert_eq!(self.dut.verdict_valid() == 1, judged.is_some(), "verdict, cycle {cycle}");
            if let Some(at) = judged {
                let Coming { err, class, queue, .. } = self.coming[at];
                let forward = self.dut.forward() == 1;
                assert!(!(err && forward), "a damaged frame is dropped");
                self.seen.refused += usize::from(!err && !forward);
                if forward {
                    self.egress.commit(class, queue, self.coming[at].frame.clone(), Intent::default());
                    self.commits.extend(Some(cycle).filter(|_| class == Class::Lossless));
                }
            }
            self.coming.retain(|c| c.cycle + VERDICT + 2 > cycle);
            self.held.pop_front();
            let paths = std::array::from_fn(|path| self.egress.occupancy(path));
            self.held.push_back((paths, self.egress.stray(), self.egress.backlog()));
            self.dut.rise();
            quiet = if ends && self.coming.is_empty() && self.egress.is_empty() { quiet + 1 } else { 0 };
            if quiet > 10 {
                break;
            }
        }
    }
}

#[test]
fn what_came_what_waits_and_what_drained_is_told_to_the_byte() {
    let mut random = Random::new();
    let mut all = Seen::default();
    for (source, sink) in [(Stall::Never, Stall::Half), (Stall::Half, Stall::Never), (Stall::Bursts, Stall::Bursts)] {
        let mut bench = Bench::new(&mut random);
        bench.run(2000, source, sink, &mut random);
        println!("{source:?} {sink:?}: {:?}", bench.seen);
        let Seen { came, refused, budgets, left, passed, built, backlogged } = bench.seen;
        (all.came, all.refused) = (all.came + came, all.refused + refused);
        (all.passed, all.built) = (all.passed + passed, all.built + built);
        for i in 0..2 {
            all.budgets[i] += budgets[i];
            all.left[i] += left[i];
            all.backlogged[i] += backlogged[i];
        }
    }
    assert!(all.came > 1000 && all.refused > 100 && all.passed > 1000 && all.built > 100, "{all:?}");
    let each = all.budgets.iter().chain(&all.left).chain(&all.backlogged);
    assert!(each.min().is_some_and(|n| *n > 100), "{all:?}");
}
