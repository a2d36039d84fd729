//! The watch on one gateway of a closed loop: what goes in and comes out of its four ports, and what its host reads.
//!
//! What leaves is one that came in on the other side, or was built. Frames of one flow leave in the order in which they
//! came, so each flow has a list of its own each way, and those passed over were kept back.

use crate::engine::{Beat, Gateway, Tick};
use crate::reads::Reader;
use matchrdma_model::invariants::{Due, Watch, Watched};
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::wire::opcode;
use matchrdma_spec::wire::packet::parse_frame;
use std::collections::{HashMap, VecDeque};

/// Cycles after which a frame from the line that has not left will not: eight times what the memory towards the client
/// holds, a beat per cycle. Most were absorbed, and nothing else tells.
const OVERDUE_CYCLES: u64 = 1 << 17;

/// A frame inside.
struct Inside {
    cycle: u64,
    frame: Vec<u8>,
    due: Option<Due>,
}

/// Both ways of a flow: to the line, to the client.
#[derive(Default)]
struct Flow {
    inside: [VecDeque<Inside>; 2],
}

/// Looks on.
#[derive(Default)]
pub struct Witness {
    watch: Watch,
    reader: Reader,
    flows: Vec<Flow>,
    /// Flows by the keys of their requests, of their responses.
    keys: [HashMap<FlowKey, usize>; 2],
    /// Of the frame that is coming in from the client, from the line; that is leaving to the line, to the client.
    parts: [Vec<u8>; 4],
}

impl Witness {
    /// Watches flows by their index.
    pub fn new(flows: impl IntoIterator<Item = (u16, Watched)>) -> Self {
        let mut witness = Self::default();
        let mut indices = vec![];
        for (index, watched) in flows {
            witness.watch.flow(index, watched);
            witness.keys[0].insert(watched.key_out, witness.flows.len());
            witness.keys[1].insert(watched.key_in, witness.flows.len());
            witness.flows.push(Flow::default());
            indices.push(index);
        }
        witness.reader = Reader::new(indices);
        witness
    }

    /// Built frames seen.
    pub fn built_frames(&self) -> u64 {
        self.watch.built_frames()
    }

    /// After a cycle of the gateway: what went in and what came out. An error is a promise that was broken.
    pub fn cycle(
        &mut self,
        gateway: &mut dyn Gateway,
        client_rx: Option<&Beat>,
        line_rx: Option<&Beat>,
        tick: &Tick,
    ) -> Result<(), String> {
        let now = gateway.cycles();
        let beats = [client_rx, line_rx, tick.line_tx.as_ref(), tick.client_tx.as_ref()];
        // What departs in a cycle departs before what is said in it.
        for (port, beat) in beats.into_iter().enumerate() {
            let Some(beat) = beat else { continue };
            self.parts[port].extend(&beat.data[..beat.bytes.into()]);
            if beat.last {
                let frame = std::mem::take(&mut self.parts[port]);
                let kept = if port < 2 { self.came(port, frame, now) } else { self.left(port - 2, &frame) };
                kept.map_err(|e| format!("cycle {now}: the gateway broke a promise: {e}"))?;
            }
        }
        let read = self.reader.cycle(gateway, &mut self.watch);
        read.map_err(|e| format!("cycle {now}: reading flows: {e}"))
    }

    /// To be called when nothing more is of interest: decides what only a read can.
    pub fn finish(&mut self, gateway: &mut dyn Gateway) -> Result<(), String> {
        self.reader.finish(gateway, &mut self.watch).map_err(|e| format!("reading flows at the end: {e}"))
    }

    fn flow(&self, way: usize, frame: &[u8]) -> Option<usize> {
        let meta = parse_frame(frame);
        self.keys[way].get(&meta.flow_key()).copied().filter(|_| meta.roce)
    }

    fn came(&mut self, way: usize, frame: Vec<u8>, now: u64) -> Result<(), String> {
        let Some(n) = self.flow(way, &frame) else { return Ok(()) };
        let mut due = None;
        if way == 0 {
            due = self.watch.from_client(&frame);
        } else {
            self.watch.from_line(&frame).map_err(|v| v.to_string())?;
            let inside = &mut self.flows[n].inside[1];
            while let Some(old) = inside.pop_front_if(|old| old.cycle + OVERDUE_CYCLES < now) {
                self.watch.dropped_from_line(&old.frame);
            }
        }
        self.flows[n].inside[way].push_back(Inside { cycle: now, frame, due });
        Ok(())
    }

    fn left(&mut self, way: usize, frame: &[u8]) -> Result<(), String> {
        let Some(n) = self.flow(way, frame) else { return Ok(()) };
        let inside = &mut self.flows[n].inside[way];
        let at = inside.iter().position(|i| i.frame == frame);
        for old in inside.drain(..at.unwrap_or(0)) {
            match (way, old.due) {
                (1, _) => self.watch.dropped_from_line(&old.frame),
                (_, Some(due)) => self.watch.kept_back(due, &old.frame),
                _ => {}
            }
        }
        match (way, at) {
            (_, Some(_)) => {
                inside.pop_front();
                if way == 0 {
                    self.watch.to_line(frame);
                } else {
                    self.watch.to_client(frame);
                }
                Ok(())
            }
            (0, None) => Err(format!("a frame of {} bytes left on the line that never came in", frame.len())),
            (_, None) if parse_frame(frame).opcode == opcode::CNP => Ok(()),
            (_, None) => self.watch.built(frame).map_err(|v| v.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::closed_loop::{self, CountFrom};
    use crate::configure::Host;
    use crate::engine::{beats, Access, BusError};
    use crate::frame;
    use crate::model_gateway::ModelGateway;
    use crate::run::configure;
    use crate::scenario::{Scenario, Scheme};
    use matchrdma::tables::Mirror;
    use matchrdma_spec::wire::aeth;

    /// The model, but for a frame that it puts between two others, or holds back.
    struct Liar {
        honest: ModelGateway,
        /// In place of the first beat that leaves for the client at or after this cycle.
        lies_at: u64,
        lie: Vec<Beat>,
        /// Says that flows are in Drain from this cycle on.
        drains_at: u64,
        asked: Option<u16>,
    }

    impl Gateway for Liar {
        fn tick(&mut self, client_rx: Option<&Beat>, line_rx: Option<&Beat>, client: bool, line: bool) -> Tick {
            let lies = client && self.cycles() >= self.lies_at && !self.lie.is_empty();
            let mut t = self.honest.tick(client_rx, line_rx, client && !lies, line);
            if lies {
                t.client_tx = Some(self.lie.remove(0));
            }
            t
        }

        fn write(&mut self, addr: u16, value: u32) -> Result<(), BusError> {
            self.honest.write(addr, value)
        }

        fn read(&mut self, addr: u16) -> Result<u32, BusError> {
            self.honest.read(addr)
        }

        fn begin(&mut self, access: Access) {
            self.asked = if let Access::Read(addr) = access { Some(addr) } else { None };
            self.honest.begin(access);
        }

        fn answer(&mut self) -> Option<Result<u32, BusError>> {
            use matchrdma_spec::regs::flow::{STATE, STATE_DRAIN, STATE_FIELD};
            let drains = self.asked == Some(STATE.offset) && self.cycles() >= self.drains_at;
            let told = |word| if drains { STATE_FIELD.with(word & !STATE_FIELD.mask(), STATE_DRAIN) } else { word };
            self.honest.answer().map(|answer| answer.map(told))
        }

        fn cycles(&self) -> u64 {
            self.honest.cycles()
        }

        fn mirror(&mut self) -> &mut Mirror {
            self.honest.mirror()
        }
    }

    /// One queue pair over 20 us.
    fn played(lies_at: u64, lie: impl Fn(&crate::scenario::Pair) -> Vec<u8>, drains_at: u64) -> Result<u64, String> {
        let text = "name = \"short\"\nclock_hz = 250_000_000\nround_trips = 10\nslot_log2_cycles = 10\n\
            [client]\nrate_gbps = 100.0\none_way_delay_us = 0.3\n[line]\nrate_gbps = 100.0\none_way_delay_us = 20.0\n\
            [[sender]]\nqueue_pairs = 2\nwindow_kib = 64\nmessage_kib = 16\nmtu_bytes = 4096\n\
            messages_in_flight = 16\nack_timeout_ms = 67.0\n\
            [[path]]\nprefixes = [\"10.2.0.0/16\"]\nbudget_gbps = 95.0\n";
        let s: Scenario = toml::from_str(text).expect("a scenario");
        let lie = beats(&lie(&s.pairs()[0])).collect();
        let mut near = Liar { honest: ModelGateway::new(), lies_at, lie, drains_at, asked: None };
        let mut far = ModelGateway::new();
        configure(&mut Host::new(&mut near), &s, Scheme::PseudoAck).expect("it is set up");
        let count = s.round_trips * s.round_trip_cycles();
        let at_most = 4 * s.round_trip_cycles() + 50_000;
        let outcome = closed_loop::run(&s, &mut near, &mut far, CountFrom::Active { at_most }, count, &mut |_| {})?;
        Ok(outcome.watched)
    }

    #[test]
    fn an_honest_run_ends_and_every_built_frame_was_watched() {
        assert!(played(u64::MAX, |_| vec![], u64::MAX).expect("no promise was broken") > 100);
    }

    #[test]
    fn a_lie_ends_the_run_and_is_named() {
        let wrong = |ahead: u32, syndrome: u8, what: &str| {
            let lie = |p: &crate::scenario::Pair| frame::ack(p.far, p.near, p.first_psn + ahead, syndrome, 1);
            let found = played(40_000, lie, u64::MAX).expect_err("a promise was broken");
            assert!(found.contains("the gateway broke a promise: flow 0: ") && found.contains(what), "{found}");
        };
        wrong(0x4_0000, aeth::ACK, "NotForwarded");
        wrong(0, aeth::ACK, "Backwards");
        wrong(0x4_0000, aeth::NAK_PSN_SEQUENCE, "NotForwarded");
    }

    #[test]
    fn acks_for_a_flow_that_is_read_to_drain_end_the_run() {
        let found = played(u64::MAX, |_| vec![], 40_000).expect_err("a promise was broken");
        assert!(found.contains("NotActive"), "{found}");
    }
}
