//! Plays a batch through the gates and holds what comes of it against what the model said.

use super::Run;
use crate::harness::Stall;
use matchrdma_model::gateway::FlowState;
use matchrdma_model::record::{Event, State};
use matchrdma_sim::engine::Beat;
use matchrdma_spec::event::EVENTS;
use matchrdma_spec::params::PSN_MASK;
use matchrdma_spec::regs::meter;
use matchrdma_spec::wire::opcode::*;
use matchrdma_spec::wire::packet::{parse_frame, Meta};
use std::collections::VecDeque;

/// A frame that the model has had and the gates have not.
pub struct Sent {
    pub port: &'static str,
    pub bytes: Vec<u8>,
    pub beats: Vec<Beat>,
    /// What must leave by the line port.
    pub line: Vec<Vec<u8>>,
    /// What must leave by the client port, and whether the gateway builds it.
    pub client: VecDeque<(Vec<u8>, bool)>,
    pub about: String,
}

/// What must have come at least once.
pub const CASES: [&str; 17] = [
    "repeated byte by byte",
    "flow started afresh",
    "queue pair created anew, the host knows",
    "queue pair created anew, the host does not know",
    "PSN wraps",
    "READ",
    "ATOMIC",
    "ahead",
    "behind",
    "NAK of the far side",
    "RNR of the far side",
    "a barrier holds",
    "debt",
    "old debt",
    "batch with gaps",
    "batch that is held back",
    "batch of many",
];

impl Run {
    /// Counts what a frame was.
    pub(super) fn cases(&mut self, meta: &Meta, from_client: bool, before: &FlowState, after: &FlowState) {
        let ahead = meta.psn.wrapping_sub(before.expected_psn) & PSN_MASK;
        let mut is = |case: &'static str, so: bool| {
            if so {
                self.tally.count("case", case);
            }
        };
        is("READ", meta.roce && meta.opcode == READ_REQUEST);
        is("ATOMIC", meta.roce && matches!(meta.opcode, CMP_SWAP | FETCH_ADD | ATOMIC_WRITE));
        is("ahead", from_client && meta.roce && ahead != 0 && ahead <= PSN_MASK / 2);
        is("behind", from_client && meta.roce && ahead > PSN_MASK / 2);
        is("PSN wraps", from_client && before.expected_psn > 0xff_0000 && after.expected_psn < 0x1_0000);
        let refusal = !from_client && meta.roce && meta.opcode == ACKNOWLEDGE;
        is("NAK of the far side", refusal && meta.syndrome >> 5 == 3);
        is("RNR of the far side", refusal && meta.syndrome >> 5 == 1);
        is("a barrier holds", after.held);
        is("debt", after.debt > 0);
        is("old debt", after.debt > 0 && after.debt_age > 0);
    }

    /// The gates get what waits.
    pub(super) fn flush(&mut self) {
        let mut batch = std::mem::take(&mut self.batch);
        self.busy.clear();
        let most = (self.flows.len() / 2).clamp(1, 48) as u64;
        let some = 1 + self.random.below(most);
        self.full = self.random.pick(&[1, some, most, most]) as usize;
        if batch.is_empty() {
            return;
        }
        let into = |port: &str| -> Vec<Beat> {
            batch.iter().filter(|s| s.port == port).flat_map(|s| s.beats.iter().cloned()).collect()
        };
        let (client, line) = (into("client"), into("line"));
        let all = [Stall::Never, Stall::Never, Stall::Half, Stall::Bursts];
        let [in_client, in_line, out_client, out_line] = [(); 4].map(|()| self.random.pick(&all));
        for (case, so) in [
            ("batch with gaps", in_client != Stall::Never || in_line != Stall::Never),
            ("batch that is held back", out_client != Stall::Never || out_line != Stall::Never),
            ("batch of many", batch.len() >= most as usize / 2),
        ] {
            if so {
                self.tally.count("case", case);
            }
        }
        let stalls = [in_client, in_line, out_client, out_line];
        let found = self.bench.play_both([&client, &line], stalls, &mut self.random);
        let expected: Vec<Vec<u8>> = batch.iter().flat_map(|s| s.line.iter().cloned()).collect();
        if found[1] != expected {
            self.fail("on the line", &batch, &found, &say(&expected));
        }
        // In the order of arrival, RoCE and the rest each for itself, whatever is built between.
        let mut passing = [false, true].map(|roce| -> VecDeque<usize> {
            let passes = |(frame, built): &&(Vec<u8>, bool)| !built && parse_frame(frame).roce == roce;
            let of = |(n, s): (usize, &Sent)| vec![n; s.client.iter().filter(passes).count()];
            batch.iter().enumerate().flat_map(of).collect()
        });
        for frame in &found[0] {
            let whose = batch.iter().position(|s| s.client.front().is_some_and(|(next, _)| next == frame));
            let Some(n) = whose else {
                self.fail("to the client: not this, or not now", &batch, &found, &say(std::slice::from_ref(frame)));
            };
            let built = batch[n].client.pop_front().expect("it is at the front").1;
            if !built && passing[usize::from(parse_frame(frame).roce)].pop_front() != Some(n) {
                self.fail("to the client: overtaken", &batch, &found, &say(std::slice::from_ref(frame)));
            }
        }
        let missing: Vec<Vec<u8>> = batch.iter().flat_map(|s| s.client.iter().map(|f| f.0.clone())).collect();
        if !missing.is_empty() {
            self.fail("to the client: missing", &batch, &found, &say(&missing));
        }
        self.compare_events();
        self.tell_lapsed();
        let one = self.random.below(self.flows.len() as u64) as usize;
        self.compare_flow(one);
    }

    /// The watch on the gates hears which flows are not Active any longer.
    pub(super) fn tell_lapsed(&mut self) {
        for flow in &mut self.flows {
            let active = self.model.flow(flow.index).state == State::Active;
            if std::mem::replace(&mut flow.active, active) && !active {
                self.bench.gates.lapsed(flow.index);
            }
        }
    }

    fn fail(&mut self, what: &str, batch: &[Sent], found: &[Vec<Vec<u8>>; 2], expected: &[String]) -> ! {
        let sent: Vec<String> =
            batch.iter().map(|s| format!("{} in: {}\n    {:?}", s.port, s.about, parse_frame(&s.bytes))).collect();
        let flows: Vec<u16> = self.flows.iter().map(|f| f.index).collect();
        for index in flows {
            let (gates, model) = (self.bench.flow(index), self.model.flow(index));
            if gates != model {
                println!("flow {index}, gates {gates:?}\n      model {model:?}");
            }
        }
        panic!(
            "{what}: {expected:#?}\nbatch {sent:#?}\ngates: to the client {:#?}\non the line {:#?}",
            say(&found[0]),
            say(&found[1])
        );
    }

    /// The same happened to flows.
    pub(super) fn compare_events(&mut self) {
        let by_flow = |e: &Event| (e.flow, e.code, e.run, e.psn);
        let (mut gates, mut model) = (self.bench.events(), self.model.take_events());
        gates.sort_by_key(by_flow);
        model.sort_by_key(by_flow);
        assert_eq!(gates, model, "events, left gates, right model");
        for event in model {
            self.tally.count("event", EVENTS[usize::from(event.code) - 1].name);
        }
    }

    fn compare_flow(&mut self, i: usize) {
        let index = self.flows[i].index;
        let (gates, model) = (self.bench.flow(index), self.model.flow(index));
        assert_eq!(gates, model, "flow {index}, left gates, right model");
    }

    /// All that can be read.
    pub(super) fn compare(&mut self, at: u64) {
        for i in 0..self.flows.len() {
            self.compare_flow(i);
            let index = self.flows[i].index;
            for table in [meter::FLOW_OUT, meter::FLOW_SAID] {
                let (gates, model) = (self.bench.meter(table, index), self.model.meters().read(table, index));
                assert_eq!(gates, model, "meter {table} of flow {index} after {at} frames");
            }
        }
        for queue in 0..17 {
            let (gates, model) = (self.bench.meter(meter::QUEUE, queue), self.model.meters().read(meter::QUEUE, queue));
            assert_eq!(gates, model, "meter of queue {queue} after {at} frames");
        }
        for ((counter, gates), (_, model)) in self.bench.counters().into_iter().zip(self.model.counters().iter()) {
            assert_eq!(gates, model, "{} after {at} frames, left gates, right model", counter.name);
        }
    }
}

fn say(frames: &[Vec<u8>]) -> Vec<String> {
    frames.iter().map(|f| format!("{} bytes {:?}", f.len(), parse_frame(f))).collect()
}
