//! The watch on one gateway: what goes in and comes out of its four ports, and what its host reads.
//!
//! What leaves is one that came in on the other side, or was built. Frames of one flow leave in the order in which they
//! came, so each flow has a list of its own each way, and those passed over were kept back. Nothing is built for no flow.

use crate::engine::{Beat, Gateway, Tick};
use crate::reads::Reader;
use matchrdma_model::invariants::{Due, Watch, Watched};
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::params::MAX_FRAME_BYTES;
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
    keys: [FlowKey; 2],
    inside: [VecDeque<Inside>; 2],
}

/// A frame that comes in, or leaves.
#[derive(Default)]
struct Part {
    bytes: Vec<u8>,
    /// The MAC found an error, or its end has no byte.
    bad: bool,
}

/// Looks on.
#[derive(Default)]
pub struct Witness {
    watch: Watch,
    reader: Reader,
    flows: HashMap<u16, Flow>,
    /// Flows by the keys of their requests, of their responses.
    keys: [HashMap<FlowKey, u16>; 2],
    /// Of the frame that is coming in from the client, from the line; that is leaving to the line, to the client.
    parts: [Part; 4],
    /// ACKs and CNPs of no flow that came from the line, and how many of each are inside.
    strangers: HashMap<Vec<u8>, u32>,
    /// A request is acknowledged when it comes, not when it leaves.
    on_arrival: bool,
}

impl Witness {
    /// Watches flows by their index.
    pub fn new(flows: impl IntoIterator<Item = (u16, Watched)>) -> Self {
        let mut witness = Self::default();
        flows.into_iter().for_each(|(index, watched)| witness.flow(index, watched));
        witness
    }

    /// Watches none yet, and believes no far side: [`Watch::distrusting`].
    pub fn distrusting() -> Self {
        Witness { watch: Watch::distrusting(), ..Self::default() }
    }

    /// Watches a flow from now on; one already watched begins anew.
    pub fn flow(&mut self, index: u16, watched: Watched) {
        let keys = [watched.key_out, watched.key_in];
        if self.flows.get(&index).is_some_and(|flow| flow.keys != keys) {
            self.forget(index);
        }
        self.watch.flow(index, watched);
        self.flows.entry(index).or_default().keys = keys;
        self.keys.iter_mut().zip(keys).for_each(|(by_key, key)| {
            by_key.insert(key, index);
        });
        self.reader.add(index);
    }

    /// Watches a flow no longer.
    pub fn forget(&mut self, index: u16) {
        self.watch.forget(index);
        self.reader.remove(index);
        let Some(flow) = self.flows.remove(&index) else { return };
        for (by_key, key) in self.keys.iter_mut().zip(flow.keys) {
            if by_key.get(&key) == Some(&index) {
                by_key.remove(&key);
            }
        }
        let [_, to_client] = flow.inside;
        to_client.into_iter().filter(|inside| acknowledges(&inside.frame)).for_each(|inside| {
            *self.strangers.entry(inside.frame).or_default() += 1;
        });
    }

    /// The host has changed how a flow is treated: [`Watch::setting`].
    pub fn setting(&mut self, index: u16, mtu: Option<u32>, ack_ops_write: bool) {
        self.watch.setting(index, mtu, ack_ops_write);
    }

    /// A flow is not Active any longer, as the host knows: [`Watch::lapsed`].
    pub fn lapsed(&mut self, index: u16) {
        self.watch.lapsed(index);
    }

    /// No flow is Active any longer.
    pub fn all_lapsed(&mut self) {
        self.flows.keys().for_each(|index| self.watch.lapsed(*index));
    }

    /// Whether a request is acknowledged when it comes, not when it leaves.
    pub fn on_arrival(&mut self, on_arrival: bool) {
        self.on_arrival = on_arrival;
    }

    /// The gateway was reset: what was inside is lost, and no flow is in force.
    pub fn reset(&mut self) {
        self.flows.keys().for_each(|index| self.watch.forget(*index));
        let watch = std::mem::take(&mut self.watch);
        *self = Witness { watch, ..Self::default() };
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
        self.ports(gateway.cycles(), client_rx, line_rx, tick)?;
        self.reads(gateway, true)
    }

    /// What a cycle showed at the ports.
    pub fn ports(
        &mut self,
        now: u64,
        client_rx: Option<&Beat>,
        line_rx: Option<&Beat>,
        tick: &Tick,
    ) -> Result<(), String> {
        let beats = [client_rx, line_rx, tick.line_tx.as_ref(), tick.client_tx.as_ref()];
        // What departs in a cycle departs before what is said in it.
        for (port, beat) in beats.into_iter().enumerate() {
            let Some(beat) = beat else { continue };
            let part = &mut self.parts[port];
            // Of one that is too long it is enough to know that.
            if part.bytes.len() <= MAX_FRAME_BYTES {
                part.bytes.extend_from_slice(&beat.data[..beat.bytes.into()]);
            }
            part.bad |= beat.err || beat.bytes == 0;
            if beat.last {
                let mut part = std::mem::take(part);
                let kept = match port {
                    // What no room and no rule can save.
                    0 | 1 if part.bad || part.bytes.len() > MAX_FRAME_BYTES => Ok(()),
                    0 | 1 => self.came(port, std::mem::take(&mut part.bytes), now),
                    _ => self.left(port - 2, &part.bytes),
                };
                if port >= 2 {
                    part.bytes.clear();
                    self.parts[port] = Part { bad: false, ..part };
                }
                kept.map_err(|e| format!("cycle {now}: the gateway broke a promise: {e}"))?;
            }
        }
        Ok(())
    }

    /// Goes on reading flows; begins an access only while the bus is `free`.
    pub fn reads(&mut self, gateway: &mut dyn Gateway, free: bool) -> Result<(), String> {
        let read = self.reader.beside(gateway, &mut self.watch, free);
        read.map_err(|e| format!("cycle {}: reading flows: {e}", gateway.cycles()))
    }

    /// The host that looks on.
    pub fn reader(&mut self) -> &mut Reader {
        &mut self.reader
    }

    /// To be called when nothing more is of interest: decides what only a read can.
    pub fn finish(&mut self, gateway: &mut dyn Gateway) -> Result<(), String> {
        self.reader.finish(gateway, &mut self.watch).map_err(|e| format!("reading flows at the end: {e}"))
    }

    fn came(&mut self, way: usize, frame: Vec<u8>, now: u64) -> Result<(), String> {
        let meta = parse_frame(&frame);
        if !meta.roce {
            return Ok(());
        }
        let Some(flow) = self.keys[way].get(&meta.flow_key()).and_then(|index| self.flows.get_mut(index)) else {
            if way == 1 && matches!(meta.opcode, opcode::ACKNOWLEDGE | opcode::CNP) {
                *self.strangers.entry(frame).or_default() += 1;
            }
            return Ok(());
        };
        let mut due = None;
        if way == 0 {
            due = self.watch.from_client(&frame);
            if self.on_arrival {
                self.watch.to_line(&frame);
            }
        } else {
            self.watch.from_line(&frame).map_err(|v| v.to_string())?;
            let inside = &mut flow.inside[1];
            while let Some(old) = inside.pop_front_if(|old| old.cycle + OVERDUE_CYCLES < now) {
                self.watch.dropped_from_line(&old.frame);
            }
        }
        flow.inside[way].push_back(Inside { cycle: now, frame, due });
        Ok(())
    }

    fn left(&mut self, way: usize, frame: &[u8]) -> Result<(), String> {
        let meta = parse_frame(frame);
        if !meta.roce {
            return Ok(());
        }
        let Some(flow) = self.keys[way].get(&meta.flow_key()).and_then(|index| self.flows.get_mut(index)) else {
            return if way == 1 { self.stranger_left(meta.opcode, frame) } else { Ok(()) };
        };
        let inside = &mut flow.inside[way];
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
                if way == 1 {
                    self.watch.to_client(frame);
                } else if !self.on_arrival {
                    self.watch.to_line(frame);
                }
                Ok(())
            }
            (0, None) => Err(format!("a frame of {} bytes left on the line that never came in", frame.len())),
            (_, None) if meta.opcode == opcode::CNP => Ok(()),
            (_, None) => self.watch.built(frame).map_err(|v| v.to_string()),
        }
    }

    /// A frame of no flow left to the client: it is none that the gateway built.
    fn stranger_left(&mut self, op: u8, frame: &[u8]) -> Result<(), String> {
        if !matches!(op, opcode::ACKNOWLEDGE | opcode::CNP) {
            return Ok(());
        }
        match self.strangers.get_mut(frame) {
            Some(1) => self.strangers.remove(frame).map_or(Ok(()), |_| Ok(())),
            Some(count) => {
                *count -= 1;
                Ok(())
            }
            None => Err(format!("a frame of {} bytes with opcode {op:#x} was built for no flow", frame.len())),
        }
    }
}

/// A frame is one that the gateway may build as well.
fn acknowledges(frame: &[u8]) -> bool {
    let meta = parse_frame(frame);
    meta.roce && matches!(meta.opcode, opcode::ACKNOWLEDGE | opcode::CNP)
}

#[cfg(test)]
mod tests {
    use crate::closed_loop::{self, CountFrom};
    use crate::configure::Host;
    use crate::engine::beats;
    use crate::frame;
    use crate::liar::Liar;
    use crate::model_gateway::ModelGateway;
    use crate::scenario::{Scenario, Scheme};
    use crate::setup::configure;
    use matchrdma_spec::wire::aeth;

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
        configure(&mut Host::new(&mut near), &s, Scheme::PseudoAck, 0).expect("it is set up");
        let count = s.round_trips * s.round_trip_cycles();
        let at_most = 4 * s.round_trip_cycles() + 50_000;
        let outcome = {
            let from = CountFrom::Active { at_most };
            closed_loop::run(&s, Scheme::PseudoAck, &mut [&mut near], &mut far, from, count, &mut |_| {})?
        };
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
