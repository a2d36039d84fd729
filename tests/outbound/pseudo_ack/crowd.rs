//! Many flows at once, with frames held back: what is said may be coalesced, but must be true, in order, and complete.

use super::bench::Bench;
use super::templates::any_template;
use super::{back, rx, say, ON};
use crate::harness::{acknowledgement, grid, Random};
use matchrdma_model::pseudo_ack::PseudoAck;
use matchrdma_model::psn::{add, after, later, sub};
use matchrdma_model::record::{Intent, Kind};
use std::collections::VecDeque;

/// The message count at a PSN: any function that gives each PSN its own.
fn msn_of(psn: u32) -> u32 {
    (psn.wrapping_mul(5) + 3) & 0xff_ffff
}

/// A flow as its sender, its frames on the line and its far side make it.
struct Flow {
    index: u16,
    run: u8,
    /// Where this run's PSNs begin; runs lie 2^16 apart.
    base: u32,
    next: u32,
    /// First and last PSN of what the far side must answer, while its answer has not left the client port, and whether
    /// it was sent before (then a real ACK may be older than it), with the cycle of its departure.
    barriers: VecDeque<(u32, u32, Option<u64>)>,
    /// Answers on their way: cycle, PSN, and `Confirm` (absorbed) or `Answer`.
    answers: VecDeque<(u64, u32, Kind)>,
    /// The newest PSN that the sender knows to be acknowledged, by frames of this run.
    told: Option<u32>,
    /// The PSN after the newest that has departed.
    gone: u32,
    reacked: bool,
    asked: u32,
    /// Requests sent again and not answered, and the last PSN of the newest: a sender goes through them in order.
    again: u32,
    again_last: u32,
}

impl Flow {
    fn start(&mut self, random: &mut Random) {
        self.base = add(self.base, 0x1_0000 + random.bits(8) as u32);
        self.next = add(self.base, 1);
        self.gone = self.next;
        self.barriers.clear();
        self.answers.clear();
        self.told = None;
        self.reacked = false;
        self.asked = self.base;
        self.again = 0;
    }

    /// What leaves on the line next.
    fn line(&mut self, random: &mut Random) -> Intent {
        let psn = self.next;
        let make = |kind, psn, msn| say(kind, self.index, self.run, psn, msn);
        match random.below(20) {
            0 => make(Kind::Nak, psn, msn_of(sub(psn, 1))),
            1 => make(Kind::Reack, 0, 0),
            2 => {
                let last = add(psn, random.below(5) as u32);
                self.next = add(last, 1);
                Intent { req: false, ..make(Kind::Barrier, psn, last) }
            }
            3 if sub(psn, self.base) > 20 && (self.again == 0 || sub(psn, self.again_last) > 4) => {
                let mut first = sub(psn, 3 + random.below(10) as u32);
                if self.again > 0 {
                    first = later(first, add(self.again_last, 1));
                }
                self.again += 1;
                self.again_last = first;
                make(Kind::Barrier, first, self.again_last)
            }
            _ => {
                self.next = add(psn, 1);
                Intent { req: random.chance(1, 3), ..make(Kind::Ack, psn, msn_of(psn)) }
            }
        }
    }

    /// An intent was taken from the line's queue: it has departed, and the far side will answer.
    fn departed(&mut self, intent: &Intent, cycle: u64, random: &mut Random) {
        let due = (cycle + 100 + random.below(400)).max(self.answers.back().map_or(0, |a| a.0));
        match intent.kind {
            Kind::Ack => {
                self.gone = add(intent.psn, 1);
                if intent.req {
                    self.asked = intent.psn;
                }
                if random.chance(u64::from(intent.req) + 1, 3) {
                    self.answers.push_back((due, intent.psn, Kind::Confirm));
                }
            }
            Kind::Barrier => {
                self.gone = later(self.gone, add(intent.msn, 1));
                self.barriers.push_back((intent.psn, intent.msn, intent.req.then_some(cycle)));
                self.answers.push_back((due, intent.msn, Kind::Answer));
            }
            Kind::Reack => self.reacked = true,
            _ => {}
        }
    }

    /// A frame reached the sender.
    fn heard(&mut self, built_at: u64, nak: bool, psn: u32, msn: u32) {
        let mine = sub(psn, self.base) < 0x8000;
        if !mine {
            assert!(self.told.is_none(), "flow {}: an older run spoke after this one", self.index);
            return;
        }
        let answered = if nak { sub(psn, 1) } else { psn };
        assert_eq!(msn, msn_of(answered), "flow {}: the message count at {answered:x}", self.index);
        assert!(after(self.gone, answered), "flow {}: {psn:x} has not departed", self.index);
        for (first, _, again) in &self.barriers {
            // a frame that was built before a request is repeated is not called back
            let built_before = again.is_some_and(|left| built_at < left + 40);
            assert!(
                built_before || after(*first, answered),
                "flow {}: {psn:x}, built at {built_at}, is past the barrier at {first:x}: {:x?}",
                self.index,
                self.barriers
            );
        }
        if let Some(told) = self.told {
            let forward = after(answered, told) || answered == told && (nak || self.reacked);
            assert!(forward, "flow {}: {answered:x} after {told:x}", self.index);
        }
        self.told = Some(answered);
    }
}

fn activate(bench: &mut Bench, model: &mut PseudoAck, flow: &Flow, random: &mut Random) {
    bench.write_cfg(flow.index, ON);
    bench.write_rx(flow.index, rx(flow.run));
    bench.write_back(flow.index, back(flow.run));
    bench.step(random);
    model.set_cfg(flow.index, ON);
    model.set_rx(flow.index, rx(flow.run));
    model.set_back(flow.index, back(flow.run));
}

/// What the block took and said in the last cycle.
fn observe(bench: &mut Bench, model: &mut PseudoAck, flows: &mut [Flow], random: &mut Random) -> [usize; 2] {
    let cycle = bench.cycle;
    let counts = [bench.taken.len(), bench.seen.len()];
    for (line, intent) in std::mem::take(&mut bench.taken) {
        model.intent(intent);
        let flow = flows.iter_mut().find(|f| f.index == intent.flow).unwrap();
        if line && intent.run == flow.run {
            flow.departed(&intent, cycle, random);
        } else if intent.run == flow.run {
            let repeats = |flow: &Flow| flow.barriers.iter().filter(|(.., again)| again.is_some()).count() as u32;
            let before = repeats(flow);
            // the far side answers in order, but what lies beyond all that was repeated may have been on its way
            let own = flow.barriers.iter().any(|&(_, last, again)| again.is_some() && !after(intent.psn, last));
            let own = own && intent.kind == Kind::Answer;
            flow.barriers.retain(|&(_, last, again)| after(last, intent.psn) || again.is_some() && !own);
            flow.again -= before - repeats(flow);
        }
    }
    for seen in std::mem::take(&mut bench.seen) {
        let said = acknowledgement(&seen.frame);
        let flow = flows.iter_mut().find(|f| u32::from(f.index) == said.dest_qp).unwrap();
        let (built_at, flow_then, kind, psn) = bench.built.pop_front().expect("it was told");
        assert_eq!((u32::from(flow_then), kind, psn), (said.dest_qp, seen.nak.into(), said.psn));
        flow.heard(built_at, seen.nak, said.psn, said.msn);
    }
    counts
}

#[test]
fn many_at_once_it_says_the_truth_in_order_and_nothing_is_lost() {
    let mut random = Random::new();
    for (source, sink) in grid() {
        let mut bench = Bench::new();
        let mut model = PseudoAck::new(true);
        bench.set_enable(true);
        model.set_enable(true);
        let mut flows: Vec<Flow> = (0..6u16)
            .map(|i| Flow {
                index: i * 819,
                run: 1,
                base: 0xfe_fff0u32.wrapping_add(u32::from(i) << 20) & 0xff_ffff,
                next: 0,
                barriers: VecDeque::new(),
                answers: VecDeque::new(),
                told: None,
                gone: 0,
                reacked: false,
                asked: 0,
                again: 0,
                again_last: 0,
            })
            .collect();
        for flow in &mut flows {
            flow.start(&mut random);
            bench.write_template(flow.index, &any_template(&mut random, flow.index.into()));
            activate(&mut bench, &mut model, flow, &mut random);
            flow.answers.push_back((bench.cycle + 150, flow.base, Kind::Confirm));
        }
        (bench.source, bench.sink) = (source, sink);
        bench.set_pace(random.pick(&[0, 0, 1, 30, 400]), 0, 0, 0);
        let (mut restarts, mut cycles, mut total) = (0, 0, [0; 2]);
        loop {
            let producing = cycles < 12_000;
            if producing && bench.waiting().0 < 6 {
                let at = random.below(6) as usize;
                let intent = flows[at].line(&mut random);
                bench.offer(true, intent);
            }
            for flow in &mut flows {
                while bench.waiting().1 < 6 && flow.answers.front().is_some_and(|a| a.0 <= bench.cycle) {
                    let (_, psn, kind) = flow.answers.pop_front().unwrap();
                    bench.offer(false, say(kind, flow.index, flow.run, psn, msn_of(psn)));
                }
            }
            if producing && random.chance(1, 1500) {
                // the flow starts over while intents of its old run still come
                let flow = &mut flows[random.below(6) as usize];
                flow.run = flow.run.wrapping_add(1);
                flow.start(&mut random);
                bench.write_rx(flow.index, rx(flow.run));
                bench.write_back(flow.index, back(flow.run));
                model.set_rx(flow.index, rx(flow.run));
                model.set_back(flow.index, back(flow.run));
                flow.answers.push_back((bench.cycle + 150, flow.base, Kind::Confirm));
                restarts += 1;
            }
            bench.step(&mut random);
            let [intents, frames] = observe(&mut bench, &mut model, &mut flows, &mut random);
            total = [total[0] + intents, total[1] + frames];
            cycles += 1;
            if cycles == 12_000 {
                for flow in &mut flows {
                    let psn = flow.next;
                    flow.next = add(psn, 1);
                    bench.offer(true, say(Kind::Ack, flow.index, flow.run, psn, msn_of(psn)));
                    // the far side always answers what asks
                    flow.answers.push_back((bench.cycle + 4000, psn, Kind::Confirm));
                }
            }
            let quiet = bench.waiting() == (0, 0) && flows.iter().all(|f| f.answers.is_empty());
            if !producing && quiet {
                break;
            }
        }
        bench.idle(&mut random);
        observe(&mut bench, &mut model, &mut flows, &mut random);
        for flow in &flows {
            let at = format!("flow {}, {source:?}, {sink:?}", flow.index);
            let told = flow.told.unwrap_or_else(|| panic!("never told anything: {at}"));
            assert!(!after(flow.asked, told), "asked for {:x}, told {told:x}: {at}", flow.asked);
            assert!(flow.barriers.is_empty(), "{at}");
            assert_eq!(bench.said(flow.index), model.said(flow.index), "{at}");
        }
        let [intents, frames] = total;
        println!("{source:?}, {sink:?}: {intents} intents, {frames} frames, {restarts} restarts");
        assert!(restarts > 0 && intents > 500 && frames > 100);
    }
}
