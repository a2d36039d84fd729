//! The golden model behind the face of a gateway: frames move a beat per cycle, and the registers are those of the
//! map. Stages take no time in it, so it is a quick look and no measure of latency.

mod budget;
mod pressure;
mod upcall;

use crate::engine::{beats, Access as Bus, Beat, BusError, Gateway, Tick};
use crate::model_law::ModelLaw;
use crate::model_tables::ModelTables;
use matchrdma::tables::Mirror;
use matchrdma_model::arbiter::{Arbiter, Turn};
use matchrdma_model::egress::Class;
use matchrdma_model::gateway::{Gateway as Model, Params, Timers};
use matchrdma_model::pacer::Pacer;
use matchrdma_model::packet_memory::Entry;
use matchrdma_model::record::{Cfg, State};
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::params::{ACK_SHARE_LOG2_DEFAULT, BEAT_BYTES, CLOCK_HZ, FLOWS, PATHS};
use matchrdma_spec::regs::counters::COUNTERS;
use matchrdma_spec::regs::flow::{self, FlowRow};
use matchrdma_spec::regs::table::{FLOW, PATH, ROUTE};
use matchrdma_spec::regs::upcall as upcall_regs;
use matchrdma_spec::regs::{self, control, event, id, meter, pacer, pfc, timer, Access, Reg};
use std::collections::{HashMap, VecDeque};

/// A gateway made of the model.
pub struct ModelGateway {
    model: Model,
    pacer: Pacer,
    arbiter: Arbiter,
    cycles: u64,
    now: u32,
    /// Cycles until the next tick.
    tick_in: u64,
    client_in: Receiving,
    line_in: Receiving,
    client_out: VecDeque<Beat>,
    line_out: VecDeque<Beat>,
    line_queue: usize,
    /// What leaves for the line is a budget frame: none of packet memory's.
    telling: bool,
    /// Paths whose far gateway is to be told of the slot that ended.
    to_tell: VecDeque<usize>,
    /// What each path had sent when its far gateway's session began.
    sent_before: [u64; PATHS],
    /// The frame that leaves is of this class of egress: it departs with its last beat.
    departing: Option<Class>,
    registers: HashMap<u16, u32>,
    rows: HashMap<(u32, u32), FlowRow>,
    keys: HashMap<u16, [Option<FlowKey>; 2]>,
    counter_high: u32,
    banked: ModelTables,
    law: ModelLaw,
    mirror: Mirror,
    upcalls: upcall::Upcalls,
    /// Of an access beside the traffic: it is done at once.
    answer: Option<Result<u32, BusError>>,
}

/// A frame on its way in.
#[derive(Default)]
struct Receiving {
    frame: Vec<u8>,
    err: bool,
}

impl Receiving {
    /// Takes a beat; gives the frame and its error with the last one.
    fn take(&mut self, beat: Option<&Beat>) -> Option<(Vec<u8>, bool)> {
        let beat = beat?;
        self.frame.extend(&beat.data[..beat.bytes.into()]);
        self.err |= beat.err;
        beat.last.then(|| (std::mem::take(&mut self.frame), std::mem::take(&mut self.err)))
    }
}

impl Default for ModelGateway {
    fn default() -> Self {
        Self::new()
    }
}

impl ModelGateway {
    /// Out of reset.
    pub fn new() -> Self {
        let mut gateway = ModelGateway {
            model: Model::new(Params::default()),
            pacer: Pacer::new(),
            arbiter: Arbiter::new(ACK_SHARE_LOG2_DEFAULT as u8),
            cycles: 0,
            now: 0,
            tick_in: 1 << timer::TICK_LOG2_DEFAULT,
            client_in: Receiving::default(),
            line_in: Receiving::default(),
            client_out: VecDeque::new(),
            line_out: VecDeque::new(),
            line_queue: 0,
            telling: false,
            to_tell: VecDeque::new(),
            sent_before: [0; PATHS],
            departing: None,
            registers: pacer::MAP
                .iter()
                .zip(pacer::RESET)
                .chain(pfc::MAP.iter().zip(pfc::RESET))
                .chain(timer::MAP.iter().zip(timer::RESET))
                .map(|(reg, value)| (reg.offset, value))
                .collect(),
            rows: HashMap::new(),
            keys: HashMap::new(),
            counter_high: 0,
            banked: ModelTables::default(),
            law: ModelLaw::default(),
            mirror: Mirror::powered_up(),
            upcalls: upcall::Upcalls::default(),
            answer: None,
        };
        gateway.pressure();
        gateway.model.set_law(gateway.law.cfg());
        gateway
    }

    fn tick_cycles(&self) -> u64 {
        1 << timer::TICK_FIELD.get(self.register(&timer::TICK_LOG2))
    }

    /// A cycle of a tick passes.
    fn count_ticks(&mut self) {
        self.tick_in -= 1;
        if self.tick_in == 0 {
            self.tick_in = self.tick_cycles();
            self.now = (self.now + 1) & timer::NOW_FIELD.max();
            self.model.set_now(self.now);
            self.model.sweep();
            self.model.take_events();
        }
    }

    fn register(&self, reg: &Reg) -> u32 {
        self.registers.get(&reg.offset).copied().unwrap_or(0)
    }

    /// Towards the line: the frame stays in memory until its last beat has left. Gives the queue and bytes of a start.
    fn line(&mut self, ready: bool) -> (Option<Beat>, Option<(usize, usize)>) {
        let mut started = None;
        while self.line_out.is_empty() {
            if let Some(frame) = self.budget_frame() {
                self.telling = true;
                self.line_out.extend(beats(&frame));
                break;
            }
            let model = &self.model;
            let Some(turn) = self.pacer.turn(|queue| model.outbound().next(queue).map(Entry::bytes)) else { break };
            let entry = self.model.outbound().next(turn).expect("its turn is of something that waits");
            match &entry.frame {
                Some(frame) => {
                    started = Some((turn, frame.len()));
                    (self.line_queue, self.telling) = (turn, false);
                    self.line_out.extend(beats(frame));
                }
                None => {
                    self.model.depart_queue(turn);
                }
            }
        }
        let beat = if ready { self.line_out.pop_front() } else { None };
        if beat.is_some_and(|b| b.last) && !self.telling {
            self.model.depart_queue(self.line_queue);
        }
        (beat, started)
    }

    /// Towards the client: what the arbiter says.
    fn client(&mut self, ready: bool) -> Option<Beat> {
        while self.client_out.is_empty() {
            let paused = self.model.client_paused();
            let egress = self.model.inbound().turn(paused, true);
            if let Some(class) =
                egress.filter(|class| self.model.inbound().head(*class).is_some_and(|e| e.frame.is_none()))
            {
                self.model.depart_class(class);
                continue;
            }
            // Two beats: the longest pseudo-ACK. Its real length is known only once it is built.
            let ack = (self.model.ack_waits() || self.model.cnp_waits()).then_some(2);
            match self.arbiter.turn_with_pfc(self.model.pfc_waits(), paused, egress.is_some(), ack) {
                Turn::Nobody => return None,
                Turn::Pfc => {
                    self.departing = None;
                    self.client_out.extend(self.model.next_pfc().iter().flat_map(|frame| beats(frame)));
                }
                Turn::Ack => {
                    self.departing = None;
                    let cnp = self.model.next_cnp();
                    let frame = cnp.or_else(|| self.model.next_ack().map(|ack| ack.frame));
                    self.client_out.extend(frame.iter().flat_map(|frame| beats(frame)));
                }
                Turn::Egress => {
                    self.departing = egress;
                    let next = egress.and_then(|class| self.model.inbound().head(class)?.frame.as_ref());
                    self.client_out.extend(next.iter().flat_map(|frame| beats(frame)));
                }
            }
        }
        let beat = if ready { self.client_out.pop_front() } else { None };
        if let Some(beat) = beat {
            let queue = self.departing.map(|class| self.model.inbound().head_queue(class));
            self.model.client_drained(queue.filter(|queue| *queue < PATHS), beat.bytes.into(), beat.last);
            if let Some(class) = self.departing {
                self.arbiter.sent(1);
                if beat.last {
                    self.model.depart_class(class);
                }
            }
        }
        beat
    }

    /// A row of a key table was written whole.
    fn row_written(&mut self) {
        let words = std::array::from_fn(|i| self.register(&flow::ROW_WORD[i]));
        let row = FlowRow::unpack(&words);
        let direction = flow::ROW_DIR_FIELD.get(self.register(&flow::ROW_DIR));
        let old = self.rows.insert((direction, self.register(&flow::ROW_SELECT)), row);
        // A key that moved to another of its rows before is still there.
        if let Some(old) = old.filter(|old| old.valid && !self.stands(direction, old)) {
            self.keys(old.index, direction, None);
        }
        if row.valid {
            self.keys(row.index, direction, Some(row.key));
        }
    }

    /// Whether one of the rows that a key may have holds it.
    fn stands(&self, direction: u32, row: &FlowRow) -> bool {
        row.key.rows().into_iter().zip(0..).any(|(place, bank)| {
            let select = flow::ROW_SELECT_BANK.with(place.into(), bank);
            self.rows.get(&(direction, select)) == Some(row)
        })
    }

    /// The model takes both keys of a flow at once.
    fn keys(&mut self, index: u16, direction: u32, key: Option<FlowKey>) {
        let both = self.keys.entry(index).or_default();
        if let [Some(out), Some(back)] = both {
            self.model.remove_flow(out, back);
        }
        both[direction as usize] = key;
        if let [Some(out), Some(back)] = *both {
            self.model.add_flow(out, back, index);
        }
    }

    fn written(&mut self, addr: u16, value: u32) {
        self.registers.insert(addr, value);
        if addr == upcall_regs::TAKE.offset {
            self.upcalls.take(upcall_regs::SELECT_LINE.get(self.register(&upcall_regs::SELECT)));
        } else if addr == control::CONTROL.offset {
            self.model.set_ack_on_arrival(control::ACK_ON_ARRIVAL.get(value) == 1);
            self.model.set_enable(control::ENABLE.get(value) == 1);
        } else if addr == flow::ROW_WORD[flow::ROW_WORDS - 1].offset {
            self.row_written();
        } else if pfc::MAP.iter().any(|reg| reg.offset == addr) {
            self.pressure();
        } else if timer::MAP.iter().any(|reg| reg.offset == addr) {
            if addr == timer::NOW.offset {
                self.now = timer::NOW_FIELD.get(value);
            }
            if addr == timer::NOW.offset || addr == timer::TICK_LOG2.offset {
                self.tick_in = self.tick_cycles();
            }
            let ticks = |reg| timer::TICKS_FIELD.get(self.register(&reg)) as u16;
            let gap_timeout = ticks(timer::GAP_TIMEOUT);
            let (flow_idle, debt_timeout) = (ticks(timer::FLOW_IDLE), ticks(timer::DEBT_TIMEOUT));
            self.model.set_now(self.now);
            self.model.set_timers(Timers { gap_timeout, flow_idle, debt_timeout });
        } else if pacer::MAP.iter().any(|reg| reg.offset == addr) {
            self.pace();
            self.arbiter = Arbiter::new(self.register(&pacer::ACK_SHARE_LOG2) as u8);
        }
    }

    /// Budgets in force go to the pacer.
    fn pace(&mut self) {
        let overhead = self.register(&pacer::OVERHEAD) as u8;
        self.pacer.set(self.banked.slot_k() as u8, overhead);
        self.model.set_overhead(overhead);
        for path in 0..PATHS {
            self.budget(path);
        }
    }

    /// A cycle passes; with the slot that it may end, tables and budgets change.
    fn clock(&mut self) {
        self.cycles += 1;
        self.model.pass(1);
        self.count_ticks();
        let Some(mask) = self.banked.cycle() else { return };
        self.slot_end();
        if mask >> PATH & 1 == 1 {
            self.thresholds();
            self.peers();
        }
        if mask >> FLOW & 1 == 1 {
            for index in 0..FLOWS as u16 {
                let set = self.banked.tables.flow(index);
                let (enable, ack_ops_write, mtu, serial) = (set.enable, set.ack_ops_write, set.mtu, set.serial);
                self.model.set_cfg(index, Cfg { enable, ack_ops_write, mtu, serial });
            }
        }
        if mask >> ROUTE & 1 == 1 {
            self.model.set_routes(self.banked.routes());
        }
        self.pace();
    }

    fn read_only(&mut self, reg: &Reg) -> u32 {
        let addr = reg.offset;
        if let Some(counter) = COUNTERS.iter().find(|c| c.low() == addr) {
            let value = self.model.counters().get(counter);
            self.counter_high = (value >> 32) as u32;
            return value as u32;
        }
        if COUNTERS.iter().any(|c| c.high() == addr) {
            return self.counter_high;
        }
        if addr == control::STATUS.offset {
            let idle = self.model.outbound().is_empty() && self.model.inbound().is_empty();
            return control::IDLE.with(0, idle.into());
        }
        if let Some(n) = id::MAP.iter().filter(|r| r.access == Access::RO).position(|r| r.offset == addr) {
            return id::values(CLOCK_HZ as u32)[n];
        }
        if let Some(word) = meter::VALUE.iter().position(|r| r.offset == addr) {
            let select = self.register(&meter::SELECT);
            let (table, index) = (meter::SELECT_TABLE.get(select), meter::SELECT_INDEX.get(select));
            return (self.model.meters().read(table, index as u16)[word / 2] >> (32 * (word % 2))) as u32;
        }
        if upcall_regs::MAP.contains(reg) {
            return self.upcalls.read(reg, upcall_regs::SELECT_LINE.get(self.register(&upcall_regs::SELECT)));
        }
        if *reg == event::NOW {
            return (self.cycles >> (event::TIME_BITS - 32)) as u32;
        }
        // The model tells no events.
        if [event::MAP, meter::MAP].iter().any(|map| map.contains(reg)) {
            return 0;
        }
        let seen = self.model.flow(self.register(&flow::READ_INDEX) as u16);
        match *reg {
            flow::STATE => {
                let state = match seen.state {
                    State::Off => flow::STATE_OFF,
                    State::Sync => flow::STATE_SYNC,
                    State::Active => flow::STATE_ACTIVE,
                    State::Drain => flow::STATE_DRAIN,
                    State::Fault => flow::STATE_FAULT,
                };
                let word = flow::STATE_RUN.with(flow::STATE_FIELD.with(0, state), seen.run.into());
                flow::STATE_CAUSE.with(word, seen.cause.into())
            }
            flow::EXPECTED_PSN => seen.expected_psn,
            flow::DEPARTED_PSN => seen.departed_psn,
            flow::ACKNOWLEDGED_PSN => seen.acknowledged_psn,
            flow::CONFIRMED_PSN => seen.confirmed_psn,
            flow::MSN => seen.msn,
            flow::STATE_TICKS => seen.state_ticks,
            flow::DEBT => seen.debt,
            flow::DEBT_AGE => seen.debt_age.into(),
            flow::HELD => flow::HELD_NOW.with(seen.held_ticks.into(), seen.held.into()),
            _ => 0,
        }
    }

    fn put(&mut self, addr: u16, value: u32) -> Result<(), BusError> {
        let refused = Err(BusError { addr, write: true, found: "SLVERR".into() });
        if let Some(taken) = self.banked.write(addr, value) {
            return if taken { Ok(()) } else { refused };
        }
        if let Some(sets) = self.law.write(addr, value) {
            if sets {
                self.model.set_law(self.law.cfg());
            }
            return Ok(());
        }
        match find(addr).filter(|reg| reg.access != Access::RO) {
            Some(_) => {
                self.written(addr, value);
                Ok(())
            }
            None => refused,
        }
    }

    fn get(&mut self, addr: u16) -> Result<u32, BusError> {
        if let Some(value) = self.banked.read(addr) {
            return Ok(value);
        }
        if let Some(value) = self.law.read(addr) {
            return Ok(value);
        }
        match find(addr) {
            Some(reg) if reg.access == Access::RO => Ok(self.read_only(reg)),
            Some(&timer::NOW) => Ok(self.now),
            Some(reg) if reg.access == Access::RW => Ok(self.register(reg)),
            Some(_) => Ok(0),
            None => Err(BusError { addr, write: false, found: "SLVERR".into() }),
        }
    }
}

fn find(addr: u16) -> Option<&'static Reg> {
    regs::at(addr)
}

impl Gateway for ModelGateway {
    fn tick(&mut self, client_rx: Option<&Beat>, line_rx: Option<&Beat>, client_ready: bool, line_ready: bool) -> Tick {
        debug_assert!([client_rx, line_rx].into_iter().flatten().all(|b| usize::from(b.bytes) <= BEAT_BYTES));
        self.clock();
        let (line_tx, started) = self.line(line_ready);
        self.pacer.cycle(started);
        let client_tx = self.client(client_ready);
        if let Some((frame, err)) = self.client_in.take(client_rx) {
            self.tell(0, &frame, err);
            self.model.admit_client(&frame, err);
        }
        if let Some((frame, err)) = self.line_in.take(line_rx) {
            self.tell(1, &frame, err);
            self.model.admit_line(&frame, err);
            self.heard();
        }
        Tick { client_tx, line_tx }
    }

    fn write(&mut self, addr: u16, value: u32) -> Result<(), BusError> {
        self.clock();
        self.put(addr, value)
    }

    fn read(&mut self, addr: u16) -> Result<u32, BusError> {
        self.clock();
        self.get(addr)
    }

    fn begin(&mut self, access: Bus) {
        self.answer = Some(match access {
            Bus::Read(addr) => self.get(addr),
            Bus::Write(addr, value) => self.put(addr, value).map(|()| 0),
        });
    }

    fn answer(&mut self) -> Option<Result<u32, BusError>> {
        self.answer.take()
    }

    fn irq(&self) -> bool {
        self.line_is_up()
    }

    fn reset(&mut self) {
        *self = Self::new();
    }

    fn cycles(&self) -> u64 {
        self.cycles
    }

    fn mirror(&mut self) -> &mut Mirror {
        &mut self.mirror
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configure::Host;

    fn carry(gateway: &mut ModelGateway, frame: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        for beat in beats(frame).map(Some).chain([None; 8]) {
            let tick = gateway.tick(beat.as_ref(), None, true, true);
            assert_eq!(tick.client_tx, None);
            out.extend(tick.line_tx.iter().flat_map(|b| b.data[..b.bytes.into()].to_vec()));
        }
        out
    }

    #[test]
    fn out_of_reset_it_is_a_bypass_with_the_registers_of_the_map() {
        let mut gateway = ModelGateway::new();
        for len in [14, 60, 64, 65, 200] {
            let frame: Vec<u8> = (0..len).collect();
            assert_eq!(carry(&mut gateway, &frame), frame);
        }
        let mut host = Host::new(&mut gateway);
        assert_eq!(host.identify(), Ok(CLOCK_HZ));
        let counters = host.counters().unwrap();
        assert_eq!(counters.get(&matchrdma_spec::regs::counters::LINE_FRAMES_OUT), 5);
        assert_eq!(host.idle(), Ok(true));
        assert_eq!(gateway.read(0x3400).unwrap_err().found, "SLVERR");
        assert!(gateway.write(id::MAGIC.offset, 1).is_err());
    }

    #[test]
    fn a_fixed_budget_is_kept() {
        let mut gateway = ModelGateway::new();
        // 10 bytes per cycle
        Host::new(&mut gateway).fixed_budget(10 << 10, 10).unwrap();
        // A frame with addresses: any other is bypass, which nothing paces.
        let (near, far) = crate::closed_loop::ends(0);
        let write = crate::frame::Write { first: true, last: true, message_bytes: 902, payload: 902 };
        let frame = crate::frame::write(near, far, 0, true, write);
        for _ in 0..300 {
            carry(&mut gateway, &frame);
        }
        let before = gateway.cycles();
        let mut left = 0;
        while gateway.cycles() < before + 10_000 {
            left += u32::from(gateway.tick(None, None, true, true).line_tx.is_some_and(|b| b.last));
        }
        assert!((99..=101).contains(&left), "{left} frames of 1000 bytes in 10,000 cycles");
    }
}
