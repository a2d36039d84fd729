//! **gateway**: the stages joined, frame by frame.
//!
//! [`Gateway::client_in`] and [`Gateway::line_in`] process one frame to quiescence: everything departs at once, and
//! acknowledgements are built at once. Where waiting matters (a simulator with links and a pacer), use the steps they
//! are made of: [`Gateway::admit_client`] and [`Gateway::admit_line`] judge a frame and put it into packet memory,
//! [`Gateway::depart_queue`] and [`Gateway::depart_client`] take the next entry out, [`Gateway::next_ack`] builds.
//!
//! Gates: `hdl/src/gateway.rs`. Registers: `CONTROL`, `FLOW_*`, counters.

mod ages;
mod budget;
mod pressure;
#[cfg(test)]
mod pressure_tests;
mod shape;

pub use shape::{FlowState, Out, Params, Port, Timers};

use self::ages::Ages;
use crate::ack_filter::{AckFilter, InOp, InVerdict, HEADER_BYTES};
use crate::back_pressure::BackPressure;
use crate::budget_rail::BudgetRail;
use crate::budget_rx::Heard;
use crate::counters::Counters;
use crate::drain::Drain;
use crate::egress::{Class, Egress};
use crate::flow::{Direction, FlowTable};
use crate::meters::{Meters, Said as Told};
use crate::parse::Arrival;
use crate::path_memory::PathMemory;
use crate::pfc::Pfc;
use crate::pseudo_ack::{AckFrame, PseudoAck};
use crate::psn;
use crate::record::*;
use crate::route::RouteTable;
use crate::track::{Track, TrackOp, Verdict};
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::params::{MAX_FRAME_BYTES, OVERHEAD_BYTES, PATHS};
use matchrdma_spec::regs::counters::*;
use matchrdma_spec::wire::opcode;
use matchrdma_spec::wire::packet::Meta;
use std::collections::{BTreeSet, VecDeque};

/// The whole gateway.
#[derive(Clone, Debug)]
pub struct Gateway {
    enable: bool,
    ack_on_arrival: bool,
    times: Times,
    timers: Timers,
    events: Vec<Event>,
    flows: FlowTable,
    routes: RouteTable,
    cfg: Vec<Cfg>,
    track: Track,
    ack_filter: AckFilter,
    pseudo_ack: PseudoAck,
    back_pressure: BackPressure,
    pfc: Pfc,
    /// Notifications on their way to the client.
    cnps: VecDeque<Vec<u8>>,
    /// Cycles since reset.
    now: u64,
    outbound: PathMemory,
    inbound: Egress,
    drain: Drain,
    /// Bytes of lossless frames of each path that left the client port in this slot, overheads included.
    drained_of: [u32; PATHS],
    rail: BudgetRail,
    /// Bytes that wait for the line of each path, overheads included.
    waiting: [u64; PATHS],
    /// Bytes that count beside each frame's own.
    overhead: u8,
    /// A CNP came from the client in this slot.
    client_cnp: bool,
    /// What became of budget frames.
    heard: Vec<Heard>,
    counters: Counters,
    meters: Meters,
    /// Flows that were ever on.
    used: BTreeSet<u16>,
    ages: Ages,
}

impl Gateway {
    /// Out of reset: a bypass.
    pub fn new(params: Params) -> Self {
        Gateway {
            enable: false,
            ack_on_arrival: false,
            times: Times::default(),
            timers: Timers::default(),
            events: Vec::new(),
            flows: FlowTable::new(),
            routes: RouteTable::default(),
            cfg: vec![Cfg::default(); FLOWS],
            track: Track::new(),
            ack_filter: AckFilter::new(),
            pseudo_ack: PseudoAck::new(false),
            back_pressure: BackPressure::new(),
            pfc: Pfc::default(),
            cnps: VecDeque::new(),
            now: 0,
            outbound: PathMemory::new(params.outbound),
            inbound: Egress::new(params.inbound_beats, params.descriptors),
            drain: Drain::default(),
            drained_of: [0; PATHS],
            rail: BudgetRail::new(budget::OFF),
            waiting: [0; PATHS],
            overhead: OVERHEAD_BYTES as u8,
            client_cnp: false,
            heard: Vec::new(),
            counters: Counters::default(),
            meters: Meters::default(),
            used: BTreeSet::new(),
            ages: Ages::default(),
        }
    }

    /// `CONTROL.enable`.
    pub fn set_enable(&mut self, enable: bool) {
        self.enable = enable;
        self.pseudo_ack.set_enable(enable);
    }

    /// `CONTROL.ack_on_arrival`: intents count when a frame is admitted, not when it has departed. Unsafe on reset.
    pub fn set_ack_on_arrival(&mut self, on: bool) {
        self.ack_on_arrival = on;
    }

    /// Sets which prefix leads to which path, for both directions.
    pub fn set_routes(&mut self, routes: RouteTable) {
        self.routes = routes;
    }

    /// The queue of a frame: from the client by its destination, from the line by its source.
    pub fn queue(&self, port: Port, arrival: &Arrival) -> u8 {
        let a = arrival.addresses;
        self.routes.queue(a.ip, a.v6, if port == Port::Client { a.dst } else { a.src })
    }

    /// `TIMER_*`: how long is too long, ticks.
    pub fn set_timers(&mut self, timers: Timers) {
        self.timers = timers;
        self.set_now(self.times.now);
    }

    /// The present, in ticks. Flows are looked after by [`Gateway::sweep`].
    pub fn set_now(&mut self, now: u32) {
        let Timers { gap_timeout, flow_idle, debt_timeout } = self.timers;
        self.times = Times::at(now, gap_timeout, flow_idle, debt_timeout);
    }

    /// Looks after every flow that the host ever enabled, as the gates do once a tick with all of them.
    pub fn sweep(&mut self) {
        for index in self.used.clone() {
            let (wrote, event) = self.track.sweep(index, self.enable, &self.times);
            if wrote {
                self.share_rx(index);
            }
            self.events.extend(event);
            let swept = self.ack_filter.sweep(index, self.enable, &self.times);
            if swept.back.is_some() {
                self.share_back(index);
            }
            self.events.extend(swept.event);
            let (state, held) = self.stands(index);
            self.ages.look(index, state, held, swept.age, &self.times);
        }
    }

    /// What happened to flows since the last call, oldest first.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    fn share_rx(&mut self, index: u16) {
        let rx = self.track.rx(index);
        self.ack_filter.set_rx(index, rx);
        self.pseudo_ack.set_rx(index, rx);
    }

    fn share_back(&mut self, index: u16) {
        let back = self.ack_filter.back(index);
        self.track.set_back(index, back);
        self.pseudo_ack.set_back(index, back);
    }

    fn share_said(&mut self, index: u16) {
        let said = self.pseudo_ack.said(index);
        self.ack_filter.set_said(index, said);
        self.track.set_said(index, said);
    }

    /// Gives a flow its keys: of requests from the client, and of responses from the line.
    pub fn add_flow(&mut self, key_out: FlowKey, key_in: FlowKey, index: u16) {
        self.flows.insert(Direction::Outbound, key_out, index);
        self.flows.insert(Direction::Inbound, key_in, index);
    }

    /// Takes keys out.
    pub fn remove_flow(&mut self, key_out: &FlowKey, key_in: &FlowKey) {
        self.flows.remove(Direction::Outbound, key_out);
        self.flows.remove(Direction::Inbound, key_in);
    }

    /// Sets a flow up; another serial than before starts it afresh.
    pub fn set_cfg(&mut self, index: u16, cfg: Cfg) {
        self.cfg[usize::from(index)] = cfg;
        if cfg.enable {
            self.used.insert(index);
        }
        self.track.set_cfg(index, cfg);
        self.ack_filter.set_cfg(index, cfg);
        self.pseudo_ack.set_cfg(index, cfg);
    }

    /// One frame from the client, to quiescence.
    pub fn client_in(&mut self, frame: &[u8], mac_error: bool) -> Vec<Out> {
        self.admit_client(frame, mac_error);
        self.settle()
    }

    /// One frame from the line, to quiescence.
    pub fn line_in(&mut self, frame: &[u8], mac_error: bool) -> Vec<Out> {
        self.admit_line(frame, mac_error);
        self.settle()
    }

    fn settle(&mut self) -> Vec<Out> {
        let mut out = Vec::new();
        loop {
            // What was acknowledged on arrival is said first; else nothing is ready before a departure.
            while let Some(frame) = self.next_pfc().or_else(|| self.next_cnp()) {
                out.push(Out { port: Port::Client, frame, built: true });
            }
            while let Some(ack) = self.next_ack() {
                out.push(Out { port: Port::Client, frame: ack.frame, built: true });
            }
            if let Some(left) = self.depart_line() {
                out.extend(left.map(|frame| Out { port: Port::Line, frame, built: false }));
            } else if let Some(left) = self.depart_client() {
                out.extend(left.map(|frame| Out { port: Port::Client, frame, built: false }));
            } else {
                return out;
            }
        }
    }

    /// Judges a frame from the client and keeps it, or not.
    pub fn admit_client(&mut self, frame: &[u8], mac_error: bool) -> Verdict {
        self.counters.add(&CLIENT_FRAMES_IN, 1);
        self.counters.add(&CLIENT_BYTES_IN, frame.len().min(MAX_FRAME_BYTES) as u64);
        let arrival = Arrival::new(frame, mac_error);
        self.pfc.receive(frame, mac_error);
        let meta = &arrival.meta;
        self.client_cnp |= meta.roce && arrival.good && !arrival.err && meta.opcode == opcode::CNP;
        let index = self.look(Direction::Outbound, meta);
        let queue = usize::from(self.queue(Port::Client, &arrival));
        let verdict = self.track.op(TrackOp {
            hit: index.is_some(),
            index: index.unwrap_or(0),
            roce: meta.roce,
            good: arrival.good,
            err: arrival.err,
            cut: arrival.cut,
            budget: meta.budget,
            mac_control: meta.mac_control,
            opcode: meta.opcode,
            psn: meta.psn,
            ack_req: meta.ack_req,
            mig_req: meta.mig_req,
            reth_len: meta.reth_len,
            payload: meta.payload,
            room: self.outbound.room(queue),
            enable: self.enable,
            times: self.times,
        });
        if let Some(index) = index {
            self.share_rx(index);
        }
        self.events.extend(verdict.event);
        self.count(verdict.reason, verdict.forward && !verdict.active);
        if let Some(index) = index {
            self.meters.out(index, verdict.forward, frame.len().min(MAX_FRAME_BYTES) as u16);
        }
        if verdict.reason == Reason::Overflow {
            self.meters.refused(self.queue(Port::Client, &arrival));
        }
        // On arrival, memory carries no intents: they count now.
        let waiting = if self.ack_on_arrival { Intent::default() } else { verdict.intent };
        if let Some(index) = index.filter(|_| verdict.tracked) {
            self.notify(queue, index);
        }
        if verdict.forward {
            self.outbound.commit(queue, self.marked(frame, queue), waiting);
            self.waits(queue, frame.len(), true);
            self.level();
        } else {
            self.outbound.refuse(queue, Some(waiting).filter(|_| verdict.push));
        }
        if self.ack_on_arrival && verdict.push {
            self.say(verdict.intent);
        }
        verdict
    }

    /// Judges a frame from the line and keeps it, or not.
    pub fn admit_line(&mut self, frame: &[u8], mac_error: bool) -> InVerdict {
        self.counters.add(&LINE_FRAMES_IN, 1);
        self.counters.add(&LINE_BYTES_IN, frame.len().min(MAX_FRAME_BYTES) as u64);
        let arrival = Arrival::new(frame, mac_error);
        let meta = &arrival.meta;
        let index = self.look(Direction::Inbound, meta);
        let (class, queue) = (Class::of(meta.roce), usize::from(self.queue(Port::Line, &arrival)));
        let mut header = [0; HEADER_BYTES];
        let shown = frame.len().min(HEADER_BYTES);
        header[..shown].copy_from_slice(&frame[..shown]);
        let verdict = self.ack_filter.op(InOp {
            hit: index.is_some(),
            index: index.unwrap_or(0),
            roce: meta.roce,
            good: arrival.good,
            err: arrival.err,
            cut: arrival.cut,
            budget: meta.budget,
            opcode: meta.opcode,
            psn: meta.psn,
            syndrome: meta.syndrome,
            msn: meta.msn,
            payload: meta.payload,
            header,
            vlans: meta.vlans,
            v6: meta.v6,
            room: self.inbound.room(class),
            enable: self.enable,
        });
        if let Some(index) = index {
            self.share_back(index);
            if let Some(template) = verdict.template {
                self.pseudo_ack.set_template(index, template);
            }
        }
        self.events.extend(verdict.event);
        self.count(verdict.reason, verdict.forward && !verdict.active);
        self.counters.add(&ABSORBED_ACKS, verdict.absorbed.into());
        if verdict.forward {
            self.inbound.commit(class, queue, frame.to_vec(), verdict.intent);
        } else {
            self.inbound.refuse(Some(verdict.intent).filter(|_| verdict.push));
        }
        self.hear(&arrival, queue, frame);
        verdict
    }

    /// An entry towards the line departs, of the first queue that has one: a frame or, within, nothing but its intent.
    /// `None`: nothing waits.
    pub fn depart_line(&mut self) -> Option<Option<Vec<u8>>> {
        self.depart_queue(self.outbound.waiting()?)
    }

    /// The next entry of a queue towards the line departs.
    pub fn depart_queue(&mut self, queue: usize) -> Option<Option<Vec<u8>>> {
        let entry = self.outbound.depart(queue)?;
        self.level();
        if let Some(frame) = &entry.frame {
            self.counters.add(&LINE_FRAMES_OUT, 1);
            self.counters.add(&LINE_BYTES_OUT, frame.len() as u64);
            self.meters.left(queue as u8, frame.len() as u16);
        }
        self.waits(queue, entry.bytes(), false);
        self.say(entry.intent);
        Some(entry.frame)
    }

    /// The next entry towards the client departs: a frame or, within, nothing but its intent. `None`: nothing waits.
    pub fn depart_client(&mut self) -> Option<Option<Vec<u8>>> {
        self.depart_class(self.inbound.turn(self.client_paused(), true)?)
    }

    /// The next entry of a class towards the client departs.
    pub fn depart_class(&mut self, class: Class) -> Option<Option<Vec<u8>>> {
        let entry = self.inbound.depart_of(class)?;
        if let Some(frame) = &entry.frame {
            self.counters.add(&CLIENT_FRAMES_OUT, 1);
            self.counters.add(&CLIENT_BYTES_OUT, frame.len() as u64);
        }
        self.say(entry.intent);
        Some(entry.frame)
    }

    /// Builds the next acknowledgement and sends it to the client.
    pub fn next_ack(&mut self) -> Option<AckFrame> {
        let ack = self.pseudo_ack.build()?;
        self.share_said(ack.flow);
        self.counters.add(if ack.nak { &NAKS } else { &PSEUDO_ACKS }, 1);
        self.meters.said(ack.flow, if ack.nak { Told::Nak } else { Told::Ack });
        self.counters.add(&CLIENT_FRAMES_OUT, 1);
        self.counters.add(&CLIENT_BYTES_OUT, ack.frame.len() as u64);
        Some(ack)
    }

    /// Something waits to be built.
    pub fn ack_waits(&self) -> bool {
        self.pseudo_ack.busy()
    }

    /// Packet memory towards the line.
    pub fn outbound(&self) -> &PathMemory {
        &self.outbound
    }

    /// Packet memory towards the client.
    pub fn inbound(&self) -> &Egress {
        &self.inbound
    }

    /// Counters since reset.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// What is counted per flow and per queue.
    pub fn meters(&self) -> &Meters {
        &self.meters
    }

    /// A flow as the host reads it.
    pub fn flow(&self, index: u16) -> FlowState {
        let (cfg, rx, back) = (self.cfg[usize::from(index)], self.track.rx(index), self.ack_filter.back(index));
        let said = self.pseudo_ack.said(index);
        let offset = if same(&cfg, &rx, &back) && back.active { back.offset } else { 0 };
        let (state, held) = self.stands(index);
        let debt = if debt(&rx, &back, &said) { psn::sub(said.acked_psn, back.seen_psn) } else { 0 };
        let (state_ticks, held_ticks, debt_age) = self.ages.read(index, state, held, debt > 0, &self.times);
        FlowState {
            state,
            cause: match back.cause {
                _ if !current(&cfg, &rx) => 0,
                cause if cause != 0 && back.run == rx.run => cause,
                _ => rx.cause,
            },
            state_ticks,
            debt,
            debt_age,
            held,
            held_ticks,
            run: rx.run,
            expected_psn: rx.expected,
            departed_psn: said.departed_psn,
            acknowledged_psn: said.acked_psn,
            confirmed_psn: said.confirmed_psn,
            msn: psn::add(rx.count, offset),
        }
    }

    /// Where a flow stands, and whether a barrier holds it.
    fn stands(&self, index: u16) -> (State, bool) {
        let (cfg, rx, back) = (self.cfg[usize::from(index)], self.track.rx(index), self.ack_filter.back(index));
        let said = self.pseudo_ack.said(index);
        let state = state(self.enable, &cfg, &rx, &back);
        (state, state == State::Active && said.barrier && said.run == rx.run)
    }

    fn look(&self, direction: Direction, meta: &Meta) -> Option<u16> {
        Some(meta).filter(|m| m.roce).and_then(|m| self.flows.look(direction, &m.flow_key()))
    }

    fn say(&mut self, intent: Intent) {
        self.pseudo_ack.intent(intent);
        self.share_said(intent.flow);
    }

    fn count(&mut self, reason: Reason, bypassed: bool) {
        let counter = match reason {
            Reason::None => &BYPASSED,
            Reason::MacError => &DROP_MAC_ERROR,
            Reason::Malformed => &DROP_MALFORMED,
            Reason::BudgetFromClient => &DROP_BUDGET_FROM_CLIENT,
            Reason::Overflow => &DROP_OVERFLOW,
            Reason::BadIcrc => &DROP_BAD_ICRC,
            Reason::OutOfOrder => &DROP_OUT_OF_ORDER,
            Reason::Duplicate => &DROP_DUPLICATE,
            Reason::Fault => &DROP_FAULT,
            Reason::Pfc => &DROP_PFC,
        };
        self.counters.add(counter, u64::from(reason != Reason::None || bypassed));
    }
}

#[cfg(test)]
#[path = "gateway_tests.rs"]
mod tests;
