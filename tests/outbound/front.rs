//! `front`: the header of a frame, and its queue, at its op and at all its beats, whatever tables come while it passes.

use crate::harness::frames::{any_frame, beats, Beat};
use crate::harness::routes::{any_routes, rows, table};
use crate::harness::{Random, Stall};
use matchrdma::route_table::Route;
use matchrdma_model::parse::Arrival;
use matchrdma_rtl::front::Dut;
use std::collections::{HashMap, VecDeque};

/// Cycles from a beat on the rail to where it is seen.
const WAIT: usize = 12;

fn load(dut: &mut Dut, bank: usize, routes: &[Route]) {
    dut.set_route_we(1);
    dut.set_route_we_bank(bank as u32);
    for (at, row) in rows(routes).into_iter().enumerate() {
        dut.set_route_addr(at as u32);
        dut.set_route_data(row);
        dut.tick();
    }
    dut.set_route_we(0);
    dut.tick();
}

/// Bytes of `header`.
const HEADER: usize = 90;

/// A frame that comes out of the delay line.
#[derive(Default)]
struct Leaving {
    bytes: Vec<u8>,
    bank: usize,
    queues: Vec<u32>,
}

/// Plays frames while the table in force changes in any cycle. Gives how many frames went to each queue.
fn play(by_source: bool, stall: Stall, random: &mut Random) -> HashMap<u32, usize> {
    let mut dut = Dut::new();
    dut.set_rst(1);
    (0..3).for_each(|_| dut.tick());
    dut.set_rst(0);
    dut.set_by_source(by_source.into());
    let tables = [0, 1].map(|bank| {
        let routes = any_routes(random);
        load(&mut dut, bank, &routes);
        table(&routes)
    });
    let mut waiting: VecDeque<Beat> = (0..1500).flat_map(|_| beats(&any_frame(random), None, random)).collect();
    let (mut banks, mut judged) = (VecDeque::from([0; WAIT]), VecDeque::new());
    // what `header` was in the cycle before
    let mut header = vec![];
    let (mut leaving, mut seen, mut quiet) = (None::<Leaving>, HashMap::new(), 0);
    let (mut bank, mut mixed) = (0, 0);
    for cycle in 0u64.. {
        let beat = if stall.goes(cycle, random) { waiting.pop_front() } else { None };
        dut.set_s_axis_tvalid(beat.is_some().into());
        if let Some(beat) = &beat {
            dut.set_s_axis_tdata(beat.data);
            dut.set_s_axis_tkeep(beat.keep);
            dut.set_s_axis_tlast(beat.last.into());
            dut.set_s_axis_tuser(0);
        }
        if random.chance(1, 3) {
            bank = 1 - bank;
        }
        dut.set_route_bank(bank as u32);
        dut.set_route_set(1);
        banks.push_back(bank);
        let then = banks.pop_front().unwrap();
        dut.settle();
        if dut.check_valid() == 1 {
            judged.push_back((cycle + 2, dut.judge_queue()));
        }
        // data 512, bytes 7, first, last, valid
        let waited = dut.waited();
        let bit = |i: usize| waited[i / 32] >> (i % 32) & 1 == 1;
        if bit(521) {
            quiet = 0;
            assert_eq!(bit(519), leaving.is_none(), "cycle {cycle}: first");
            let frame = leaving.get_or_insert_with(|| Leaving { bank: then, ..Leaving::default() });
            frame.bytes.extend(waited[..16].iter().flat_map(|w| w.to_le_bytes()).take((waited[16] & 127) as usize));
            frame.queues.push(dut.beat_queue());
            mixed += usize::from(frame.bank != then);
            if bit(520) {
                let mut frame = leaving.take().unwrap();
                let a = Arrival::new(&frame.bytes, false).addresses;
                let addr = if by_source { a.src } else { a.dst };
                let want = u32::from(tables[frame.bank].queue(a.ip, a.v6, addr));
                assert!(frame.queues.iter().all(|q| *q == want), "cycle {cycle}: {:?}, want {want}", frame.queues);
                assert_eq!(judged.pop_front(), Some((cycle, want)), "cycle {cycle}: the op's queue, two cycles before");
                *seen.entry(want).or_default() += 1;
                frame.bytes.resize(frame.bytes.len().max(HEADER), 0);
                assert!(header == frame.bytes[..HEADER], "cycle {cycle}: the header, a cycle before");
            }
        }
        header = dut.header().iter().flat_map(|w| w.to_le_bytes()).take(HEADER).collect();
        dut.rise();
        quiet += 1;
        if waiting.is_empty() && quiet > 60 {
            break;
        }
    }
    assert!(leaving.is_none() && judged.is_empty(), "everything has left");
    assert!(mixed > 100, "{mixed} beats under another table than their frame's first are too few to show much");
    seen
}

#[test]
fn a_frame_keeps_the_queue_that_its_first_beat_found() {
    let mut random = Random::new();
    for stall in [Stall::Never, Stall::Half, Stall::Bursts] {
        for by_source in [false, true] {
            let seen = play(by_source, stall, &mut random);
            let nowhere = seen.get(&16).copied().unwrap_or(0);
            println!("{stall:?}, by source {by_source}: {} queues, {nowhere} frames to none", seen.len());
            assert!(seen.len() > 6 && nowhere > 50, "{seen:?}");
        }
    }
}
