//! What a gateway says of itself: switches, counters, flows, budgets, events.

use crate::core::Core;
use crate::error::{Error, Kind, Result};
use crate::rail;
use crate::transport::Transport;
use matchrdma_spec::event::EVENTS;
use matchrdma_spec::regs::counters::{Counter, COUNTERS};
use matchrdma_spec::regs::upcall;
use matchrdma_spec::regs::{control, event, flow, law, meter, rate, Reg, RegField, Window};
use serde::Serialize;

/// States of a flow, by their number.
pub const STATES: [(u32, &str); 5] = [
    (flow::STATE_OFF, "Off"),
    (flow::STATE_SYNC, "Sync"),
    (flow::STATE_ACTIVE, "Active"),
    (flow::STATE_DRAIN, "Drain"),
    (flow::STATE_FAULT, "Fault"),
];

/// Words from the status of a flow's latch to the last one that is latched.
const LATCH_WORDS: usize = latched(&flow::HELD) + 1;

const fn latched(reg: &Reg) -> usize {
    (reg.offset - flow::READ_STATUS.offset) as usize / Window::STRIDE
}

/// A flow as the gateway has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FlowState {
    /// `Off`, `Sync`, `Active`, `Drain` or `Fault`.
    pub state: &'static str,
    /// Run that the state is of.
    pub run: u8,
    /// Next PSN of the requester.
    pub expected_psn: u32,
    /// Newest PSN that left on the line.
    pub departed_psn: u32,
    /// Newest PSN given to the sender.
    pub acknowledged_psn: u32,
    /// Newest PSN that the far side acknowledged.
    pub confirmed_psn: u32,
    /// Messages completed.
    pub msn: u32,
    /// Name of the event by which it last drained, failed or was left alone.
    pub cause: Option<&'static str>,
    /// Ticks for which it has been in its state.
    pub state_ticks: u32,
    /// PSNs acknowledged and not confirmed.
    pub debt: u32,
    /// Ticks for which the oldest of them that is watched has been open.
    pub debt_age_ticks: u32,
    /// Ticks for which a barrier has held it; `None`: none holds.
    pub held_ticks: Option<u32>,
}

/// Every counter, in address order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters(Vec<u64>);

impl Counters {
    /// What one stands at.
    pub fn get(&self, counter: &Counter) -> u64 {
        self.0[counter.index]
    }
}

/// The budget of a path in the slot that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Budget {
    /// Mode in force, as in a path's entry.
    pub mode: u8,
    /// Line rate.
    pub open: bool,
    /// Stopped by the far gateway's byte limit too.
    pub limited: bool,
    /// Of the calendar: 0 before its start or none, 1 running, 2 over.
    pub phase: u32,
    /// Bytes per slot.
    pub rate: u32,
    /// Depth of the bucket, bytes.
    pub burst: u32,
}

/// What happened to a flow or a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Event {
    /// Its name; `?` of a code that this driver does not know.
    pub name: &'static str,
    /// Its code.
    pub code: u8,
    /// Flow index, or path.
    pub flow: u16,
    /// Run of the flow.
    pub run: u8,
    /// PSN that it is about.
    pub psn: u32,
    /// When, core clock cycles since reset.
    pub cycles: u64,
}

impl<T: Transport> Core<T> {
    /// Whether the gateway is on, and whether it acknowledges on arrival.
    pub fn switches(&mut self) -> Result<(bool, bool)> {
        let word = self.read(&control::CONTROL)?;
        Ok((control::ENABLE.get(word) == 1, control::ACK_ON_ARRIVAL.get(word) == 1))
    }

    /// Switches the gateway on.
    pub fn enable(&mut self, ack_on_arrival: bool) -> Result<()> {
        let word = control::ENABLE.with(0, 1);
        self.write(&control::CONTROL, control::ACK_ON_ARRIVAL.with(word, ack_on_arrival.into()))
    }

    /// Switches it off: every flow passes through.
    pub fn disable(&mut self) -> Result<()> {
        self.write(&control::CONTROL, 0)
    }

    /// Nothing is inside.
    pub fn idle(&mut self) -> Result<bool> {
        Ok(control::IDLE.get(self.read(&control::STATUS)?) == 1)
    }

    /// What a flow does now.
    pub fn flow_state(&mut self, index: u16) -> Result<FlowState> {
        self.write(&flow::READ_INDEX, index.into())?;
        let what = format!("reading flow {index}");
        // The status and all that is latched lie together: mostly one message to a device behind a socket.
        let mut words = [0; LATCH_WORDS];
        self.read_block(flow::READ_STATUS.offset, &mut words)?;
        if flow::READ_BUSY.get(words[0]) == 1 {
            self.wait(&what, &flow::READ_STATUS, |word| flow::READ_BUSY.get(word) == 0)?;
            self.read_block(flow::READ_STATUS.offset, &mut words)?;
        }
        let field = |reg: &Reg, field: &RegField| field.get(words[latched(reg)]);
        let state = field(&flow::STATE, &flow::STATE_FIELD);
        let named = STATES.iter().find(|(number, _)| *number == state).map(|(_, name)| *name);
        let unknown = || {
            let error = Error::new(Kind::Map, what.clone()).at(flow::STATE.name);
            error.but("a state from 0 to 4", state.to_string()).so("use the driver of this bitstream's release")
        };
        Ok(FlowState {
            state: named.ok_or_else(unknown)?,
            run: field(&flow::STATE, &flow::STATE_RUN) as u8,
            expected_psn: field(&flow::EXPECTED_PSN, &flow::PSN_FIELD),
            departed_psn: field(&flow::DEPARTED_PSN, &flow::PSN_FIELD),
            acknowledged_psn: field(&flow::ACKNOWLEDGED_PSN, &flow::PSN_FIELD),
            confirmed_psn: field(&flow::CONFIRMED_PSN, &flow::PSN_FIELD),
            msn: field(&flow::MSN, &flow::MSN_FIELD),
            cause: name_of(field(&flow::STATE, &flow::STATE_CAUSE)),
            state_ticks: field(&flow::STATE_TICKS, &flow::STATE_TICKS_FIELD),
            debt: field(&flow::DEBT, &flow::DEBT_FIELD),
            debt_age_ticks: field(&flow::DEBT_AGE, &flow::DEBT_AGE_FIELD),
            held_ticks: match field(&flow::HELD, &flow::HELD_NOW) {
                0 => None,
                _ => Some(field(&flow::HELD, &flow::HELD_TICKS)),
            },
        })
    }

    /// What one counter stands at.
    pub fn counter(&mut self, counter: &Counter) -> Result<u64> {
        let mut words = [0; 2];
        self.read_block(counter.low(), &mut words)?;
        Ok(law::number(words[0], words[1]))
    }

    /// What every counter stands at.
    pub fn counters(&mut self) -> Result<Counters> {
        COUNTERS.iter().map(|c| self.counter(c)).collect::<Result<_>>().map(Counters)
    }

    /// The three values of an index of a table of `METER`.
    pub fn meter(&mut self, table: u32, index: u16) -> Result<[u64; 3]> {
        self.write(&meter::SELECT, meter::SELECT_TABLE.with(meter::SELECT_INDEX.with(0, index.into()), table))?;
        let what = format!("reading meter {table} of {index}");
        self.wait(&what, &meter::STATUS, |word| meter::STATUS_BUSY.get(word) == 0)?;
        let mut words = [0; 6];
        self.read_block(meter::VALUE[0].offset, &mut words)?;
        Ok([0, 2, 4].map(|i| law::number(words[i], words[i + 1])))
    }

    /// What the budget rail knows of a path, as of one moment. `None`: the rail is off.
    pub fn look(&mut self, path: usize) -> Result<Option<rail::Look>> {
        if self.read(&law::SESSION)? == 0 {
            return Ok(None);
        }
        self.write(&law::PATH, law::PATH_FIELD.with(0, path as u32))?;
        // A slot at most, and a slot may have 2^20 cycles.
        self.wait("looking at a path", &law::STATUS, |word| law::BUSY_FIELD.get(word) == 0)?;
        rail::Look::read(|reg| self.read(reg)).map(Some)
    }

    /// The budget of a path in the slot that runs.
    pub fn budget(&mut self, path: usize) -> Result<Budget> {
        self.write(&rate::PATH, rate::PATH_FIELD.with(0, path as u32))?;
        let word = self.read(&rate::MODE)?;
        Ok(Budget {
            mode: rate::MODE_FIELD.get(word) as u8,
            open: rate::OPEN_FIELD.get(word) == 1,
            limited: rate::LIMITED_FIELD.get(word) == 1,
            phase: rate::PHASE_FIELD.get(word),
            rate: self.read(&rate::RATE)?,
            burst: self.read(&rate::BURST)?,
        })
    }

    /// Takes the oldest event out; `None`: none waits.
    pub fn event(&mut self) -> Result<Option<Event>> {
        let head = self.read(&event::HEAD)?;
        let code = event::HEAD_CODE.get(head);
        if code == 0 {
            return Ok(None);
        }
        let psn = event::PSN_FIELD.get(self.read(&event::PSN)?);
        let cycles = upcall::time(self.read(&event::TIME_LOW)?, self.read(&event::TIME_HIGH)?);
        self.write(&event::TAKE, 0)?;
        Ok(Some(Event {
            name: name_of(code).unwrap_or("?"),
            code: code as u8,
            flow: event::HEAD_FLOW.get(head) as u16,
            run: event::HEAD_RUN.get(head) as u8,
            psn,
            cycles,
        }))
    }
}

/// Name of an event; `None` of code 0.
fn name_of(code: u32) -> Option<&'static str> {
    EVENTS.get((code as usize).checked_sub(1)?).map(|event| event.name)
}

impl<T: Transport> crate::upcall::Registers for Core<T> {
    type Error = Error;

    fn read(&mut self, reg: &Reg) -> Result<u32> {
        Core::read(self, reg)
    }

    fn write(&mut self, reg: &Reg, word: u32) -> Result<()> {
        Core::write(self, reg, word)
    }
}
