//! `departure`: what leaves is what was at the head, or a budget frame whole, and an intent follows its departure.

use crate::harness::frame::{beats, intent, keep, pack, Beat, Sizes};
use crate::harness::head::{Head, Taken};
use crate::harness::{grid, Random, Stall};
use matchrdma_model::record::Kind;
use matchrdma_rtl::departure::Dut;
use std::collections::VecDeque;

/// Places in the queue of intents.
const PLACES: usize = 16;

/// Runs some cycles and then until the source is empty. Gives how often an intent was waited for.
fn run(sizes: Sizes, source: Stall, sink: Stall, takes: Stall, arrival: bool, random: &mut Random) -> usize {
    let mut dut = Dut::new();
    dut.set_rst(1);
    dut.tick();
    dut.set_rst(0);
    dut.set_ack_on_arrival(arrival.into());
    let mut head = Head::new(sizes, if arrival { 100 } else { 300 });
    let mut intents: VecDeque<[u32; 3]> = VecDeque::new();
    // as long ago as the itinerary may have looked at it
    let mut room = VecDeque::from([true; 3]);
    let (mut waited, mut commits) = (0, 400);
    // What is left of the budget frame that is offered, and of which frame the port has shown a beat.
    let mut budget: VecDeque<Beat> = VecDeque::new();
    let (mut in_budget, mut in_head, mut told) = (false, false, 0);
    for cycle in 0.. {
        assert!(cycle < 200_000, "it all leaves");
        head.offer(source.goes(cycle, random), random);
        if head.is_done() && intents.is_empty() && budget.is_empty() && (commits == 0 || !arrival) {
            break;
        }
        crate::harness::head::drive!(dut, head, random);
        let may_commit = room.pop_front().expect("three") && commits > 0;
        let commit = Some(intent(random)).filter(|_| (may_commit || !arrival) && random.chance(2, 3));
        dut.set_commit_valid(commit.is_some().into());
        dut.set_commit_intent(pack(commit.unwrap_or_else(|| intent(random))));
        if budget.is_empty() && !head.is_done() && random.chance(1, 20) {
            budget = beats(&random.bytes(128)).into();
        }
        let tx = budget.front().copied();
        dut.set_tx_valid(tx.is_some().into());
        dut.set_tx_data(tx.map_or_else(|| random.words(512), |b| b.data));
        dut.set_tx_bytes(tx.map_or(64, |b| b.bytes));
        dut.set_tx_last(tx.is_some_and(|b| b.last).into());
        let (ready, takes) = (sink.goes(cycle + 3, random), takes.goes(cycle + 11, random));
        dut.set_m_axis_line_tready(ready.into());
        dut.set_line_intent_ready(takes.into());
        dut.settle();

        assert_eq!(dut.line_intent_valid() == 1, !intents.is_empty(), "line_intent_valid, cycle {cycle}");
        let commit_room = !arrival || intents.len() + 8 <= PLACES;
        assert_eq!(dut.commit_room() == 1, commit_room, "commit_room, cycle {cycle}");
        room.push_back(commit_room);
        let says = head.says().filter(|_| !arrival);
        let free = says.is_none() || intents.len() < PLACES;
        waited += usize::from(!free && head.is_first());
        let tells = in_budget || (tx.is_some() && !in_head);
        let shows = head.is_frame() && (free || !head.is_first()) && !tells;
        assert_eq!(dut.m_axis_line_tvalid() == 1, shows || tells, "tvalid, cycle {cycle}");
        assert_eq!(dut.tx_ready() == 1, tells && ready, "tx_ready, cycle {cycle}");
        if let Some(beat) = tx.filter(|_| tells) {
            let port = (dut.m_axis_line_tdata(), dut.m_axis_line_tkeep(), dut.m_axis_line_tlast() == 1);
            assert_eq!(port, (beat.data, keep(beat.bytes), beat.last), "a budget frame, cycle {cycle}");
            in_budget = !(ready && beat.last);
            if ready {
                budget.pop_front();
                told += usize::from(beat.last);
            }
        }
        if shows {
            let port = (dut.m_axis_line_tdata(), dut.m_axis_line_tkeep(), dut.m_axis_line_tlast() == 1);
            head.assert_on_port(port, dut.m_axis_line_tuser());
        }
        let moves = if head.is_frame() { shows && ready } else { head.is_shown() && free };
        if shows {
            in_head = !(ready && head.beat().is_some_and(|b| b.last));
        }
        assert_eq!(head.is_shown() && dut.head_ready() == 1, moves, "head_ready, cycle {cycle}");
        if let Some(front) = intents.front() {
            assert_eq!(dut.line_intent(), *front, "line_intent, cycle {cycle}");
            if takes {
                intents.pop_front();
            }
        }
        if moves && head.take() == Taken::Entry {
            intents.extend(says.map(pack));
        }
        if arrival {
            let said = commit.filter(|i| i.kind != Kind::None);
            intents.extend(said.map(pack));
            commits -= usize::from(commit.is_some());
        }
        assert!(intents.len() <= PLACES, "room was promised");
        dut.rise();
    }
    dut.set_head_valid(0);
    dut.set_tx_valid(0);
    dut.settle();
    assert!(told > 0, "budget frames go");
    assert_eq!((dut.m_axis_line_tvalid(), dut.line_intent_valid()), (0, 0), "all has left");
    waited
}

fn over_the_grid(arrival: bool) -> usize {
    let mut random = Random::new();
    let mut waited = 0;
    for sizes in [Sizes::OneBeat, Sizes::Few, Sizes::Any] {
        for (source, sink) in grid() {
            for takes in [Stall::Never, Stall::Half, Stall::Mostly] {
                println!("{sizes:?} {source:?} {sink:?} {takes:?}");
                waited += run(sizes, source, sink, takes, arrival, &mut random);
            }
        }
    }
    waited
}

#[test]
fn frames_leave_unchanged_and_intents_follow_their_departure() {
    assert!(over_the_grid(false) > 1000, "pseudo_ack was slow enough to be waited for");
}

#[test]
fn on_arrival_intents_come_from_the_commit_and_frames_wait_for_none() {
    assert_eq!(over_the_grid(true), 0);
}

/// Frames of one beat, each let go some cycles before it comes to the head.
#[test]
fn a_budget_frame_waits_for_what_was_let_go_before_its_order() {
    let mut random = Random::new();
    let mut dut = Dut::new();
    dut.set_rst(1);
    dut.tick();
    dut.set_rst(0);
    dut.tick();
    let (mut inside, mut before, mut waits) = (0u32, 0u32, 0);
    for cycle in 0..20_000 {
        let starts = inside < 40 && random.chance(1, 3);
        let shown = inside > 0 && random.chance(1, 2);
        let order = random.chance(1, 50);
        let ready = random.chance(3, 4);
        dut.set_started(starts.into());
        dut.set_tx_order(order.into());
        dut.set_tx_valid(0);
        dut.set_head_valid(shown.into());
        dut.set_head_frame(1);
        dut.set_head_bytes(64);
        dut.set_head_last(1);
        dut.set_head_intent([0; 3]);
        dut.set_m_axis_line_tready(ready.into());
        dut.settle();
        assert_eq!(dut.tx_clear() == 1, before == 0, "cycle {cycle}: {before} of {inside}");
        waits += u32::from(before > 0);
        let left = u32::from(shown && ready);
        inside = inside + u32::from(starts) - left;
        before = if order { inside } else { before.saturating_sub(left) };
        dut.rise();
    }
    assert!(waits > 1000, "{waits}");
}
