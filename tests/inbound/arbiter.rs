//! `arbiter` against the model's turns, and its share counted.

use crate::harness::frame::{beats, keep, pack, word, Beat, Sizes};
use crate::harness::head::{Head, Taken};
use crate::harness::{grid, Random, Stall};
use matchrdma_model::arbiter::{Arbiter, Turn};
use matchrdma_rtl::arbiter::Dut;
use std::collections::VecDeque;

/// Places in the queue of intents.
const PLACES: usize = 16;

/// How steadily each side goes.
#[derive(Clone, Copy, Debug)]
struct Pace {
    head: Stall,
    ack: Stall,
    sink: Stall,
    /// `None`: `pseudo_ack` takes no intent at all.
    intents: Option<Stall>,
    /// PFC frames come, and the client pauses us, one cycle in so many; 0: never.
    pfc: u64,
}

/// Beats that left.
#[derive(Default, Debug)]
struct Sent {
    head: usize,
    ack: usize,
    /// ACK beats that left while a frame waited.
    in_front: usize,
    entries: usize,
    waited: usize,
    pfc: usize,
    /// Cycles in which something waited, and only the client's pause kept it.
    paused: usize,
}

fn run(mut head: Head, pace: Pace, share_log2: u8, cycles: u64, random: &mut Random) -> Sent {
    let mut dut = Dut::new();
    dut.set_rst(1);
    dut.tick();
    dut.set_rst(0);
    dut.set_ack_share_log2(share_log2.into());
    let mut model = Arbiter::new(share_log2);
    let mut ack: VecDeque<Beat> = VecDeque::new();
    let mut intents: VecDeque<[u32; 3]> = VecDeque::new();
    let mut turn = Turn::Nobody;
    let mut sent = Sent::default();
    let mut ends = false;
    let (mut pfc, mut paused): (Option<Vec<u8>>, bool) = (None, false);
    // the entry is one that a pause does not hold
    let mut rest = false;
    for cycle in 0.. {
        // sources stop at some cycle, then everything drains
        ends |= cycle >= cycles;
        head.offer(!ends && pace.head.goes(cycle, random), random);
        if ack.is_empty() && !ends && pace.ack.goes(cycle + 17, random) {
            let length = random.pick(&[62, 66, 70, 82, 86, 90]);
            ack = beats(&random.bytes(length)).into();
        }
        if pace.pfc > 0 && random.chance(1, pace.pfc) {
            paused = !paused && !ends;
        }
        if pfc.is_none() && !ends && pace.pfc > 0 && random.chance(1, pace.pfc) {
            pfc = Some(random.bytes(60));
        }
        paused &= !ends;
        if ends && (pace.intents.is_none() || !head.is_shown() && ack.is_empty() && intents.is_empty() && pfc.is_none())
        {
            break;
        }
        assert!(cycle < 100 * cycles, "it all leaves");
        crate::harness::head::drive!(dut, head, random);
        // as egress does it: what may not start is not shown, what is on the port stays
        let holds = turn == Turn::Egress;
        let free = head.says().is_none() || intents.len() < PLACES;
        let may = holds || free && (!head.is_frame() || !paused || rest);
        dut.set_head_valid((head.is_shown() && may).into());
        dut.set_ack_valid((!ack.is_empty()).into());
        dut.set_ack_data(ack.front().map_or_else(|| random.words(512), |b| b.data));
        dut.set_ack_bytes(ack.front().map_or(1, |b| b.bytes));
        dut.set_ack_last(ack.front().map_or(random.bits(1) as u32, |b| b.last.into()));
        dut.set_pfc_valid(pfc.is_some().into());
        dut.set_pfc_data(pfc.as_ref().map_or_else(|| random.words(512), |frame| word(frame)));
        dut.set_paused(paused.into());
        let ready = pace.sink.goes(cycle + 3, random);
        let takes = pace.intents.is_some_and(|p| p.goes(cycle + 11, random));
        dut.set_m_axis_client_tready(ready.into());
        dut.set_client_intent_ready(takes.into());
        dut.settle();

        assert_eq!(dut.space() == 1, intents.len() < PLACES, "space, cycle {cycle}");
        assert_eq!(dut.holds() == 1, holds, "holds, cycle {cycle}");
        sent.waited += usize::from(!free && head.is_first());
        let waits = head.is_frame() && may;
        if turn == Turn::Nobody {
            turn = model.turn_with_pfc(pfc.is_some(), paused, waits, (!ack.is_empty()).then_some(ack.len() as u32));
            sent.paused += usize::from(paused && turn == Turn::Nobody && (head.is_frame() || !ack.is_empty()));
        }
        assert_eq!(dut.m_axis_client_tvalid() == 1, turn != Turn::Nobody, "tvalid, cycle {cycle}, {turn:?}");
        let port = (dut.m_axis_client_tdata(), dut.m_axis_client_tkeep(), dut.m_axis_client_tlast() == 1);
        match turn {
            Turn::Egress => head.assert_on_port(port, dut.m_axis_client_tuser()),
            Turn::Ack => {
                let beat = ack[0];
                assert_eq!((port.1, port.2, dut.m_axis_client_tuser()), (keep(beat.bytes), beat.last, 0));
                assert_eq!(word(&crate::harness::frame::bytes(port.0, beat.bytes)), beat.data);
            }
            Turn::Pfc => {
                assert_eq!((port.1, port.2, dut.m_axis_client_tuser()), (keep(60), true, 0));
                assert_eq!(port.0, word(pfc.as_ref().unwrap()));
            }
            Turn::Nobody => {}
        }
        let bare = head.is_shown() && !head.is_frame();
        let moves = if bare { may } else { turn == Turn::Egress && ready };
        assert_eq!(head.is_shown() && may && dut.head_ready() == 1, moves, "head_ready, cycle {cycle}");
        let leaves = turn != Turn::Nobody && ready;
        assert_eq!(dut.left_valid() == 1, leaves, "left_valid, cycle {cycle}");
        if leaves {
            let left = (dut.left_head() == 1, keep(dut.left_bytes()), dut.left_last() == 1);
            assert_eq!(left, (turn == Turn::Egress, port.1, port.2), "what left, cycle {cycle}");
        }
        let ack_moves = turn == Turn::Ack && ready;
        assert_eq!(!ack.is_empty() && dut.ack_ready() == 1, ack_moves, "ack_ready, cycle {cycle}");
        let pfc_moves = turn == Turn::Pfc && ready;
        assert_eq!(pfc.is_some() && dut.pfc_ready() == 1, pfc_moves, "pfc_ready, cycle {cycle}");
        assert_eq!(dut.client_intent_valid() == 1, !intents.is_empty(), "client_intent_valid, cycle {cycle}");
        if let Some(front) = intents.front() {
            assert_eq!(dut.client_intent(), *front, "client_intent, cycle {cycle}");
            if takes {
                intents.pop_front();
            }
        }
        if moves {
            let says = head.says();
            if !bare {
                model.sent(1);
                sent.head += 1;
            }
            if head.take() == Taken::Entry {
                rest = random.chance(1, 2);
                sent.entries += 1;
                intents.extend(says.map(pack));
                if !bare {
                    turn = Turn::Nobody;
                }
            }
        }
        if pfc_moves {
            sent.pfc += 1;
            pfc = None;
            turn = Turn::Nobody;
        }
        if ack_moves {
            sent.ack += 1;
            sent.in_front += usize::from(waits);
            ack.pop_front();
            if ack.is_empty() {
                turn = Turn::Nobody;
            }
        }
        dut.rise();
    }
    sent
}

#[test]
fn every_turn_is_the_models_and_every_frame_leaves_whole() {
    let mut random = Random::new();
    let (mut waited, mut in_front, mut pfc, mut paused) = (0, 0, 0, 0);
    for sizes in [Sizes::OneBeat, Sizes::Few, Sizes::Any] {
        for (head, sink) in grid() {
            for (ack, intents) in
                [(Stall::Never, Stall::Half), (Stall::Half, Stall::Mostly), (Stall::Mostly, Stall::Never)]
            {
                let pace = Pace { head, ack, sink, intents: Some(intents), pfc: random.pick(&[0, 3, 20, 60]) };
                let share_log2 = random.pick(&[0, 1, 2, 4]);
                println!("{sizes:?} {pace:?} share 1/{}", 1 << share_log2);
                let sent = run(Head::new(sizes, usize::MAX), pace, share_log2, 600, &mut random);
                waited += sent.waited;
                in_front += sent.in_front;
                pfc += sent.pfc;
                paused += sent.paused;
            }
        }
    }
    println!("{pfc} PFC frames; {paused} cycles in which only a pause kept something");
    assert!(pfc > 1000 && paused > 1000);
    assert!(waited > 1000 && in_front > 1000, "{waited} cycles waited for intents, {in_front} ACK beats in front");
}

#[test]
fn acks_take_their_share_of_a_busy_port_and_no_more() {
    let mut random = Random::new();
    for share_log2 in [0, 2, 4, 6] {
        let pace =
            Pace { head: Stall::Never, ack: Stall::Never, sink: Stall::Never, intents: Some(Stall::Never), pfc: 0 };
        let sent = run(Head::of_frames(Sizes::Few), pace, share_log2, 30_000, &mut random);
        let share = sent.head >> share_log2;
        assert!(sent.in_front <= share, "1/{}: {sent:?}", 1 << share_log2);
        assert!(sent.in_front + 10 >= share, "1/{}: {sent:?}", 1 << share_log2);
    }
}

#[test]
fn acks_pass_while_the_head_waits_for_a_place_for_its_intent() {
    let mut random = Random::new();
    let pace = Pace { head: Stall::Never, ack: Stall::Never, sink: Stall::Half, intents: None, pfc: 0 };
    let sent = run(Head::new(Sizes::OneBeat, usize::MAX), pace, 4, 4000, &mut random);
    assert!(sent.entries < 40, "the head waits: {sent:?}");
    assert!(sent.ack > 1800, "ACKs pass: {sent:?}");
}
