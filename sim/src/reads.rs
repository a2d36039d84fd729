//! The host that looks on: it reads one flow after the other beside the traffic and tells the watch, which then judges
//! what only a flow's state can tell. A read takes some tens of cycles, and costs the stages nothing.
//!
//! A flow of which the watch has something to decide is read next; else they take turns.

use crate::engine::{Access, Gateway};
use matchrdma_model::invariants::{Read, Watch};
use matchrdma_model::record::State;
use matchrdma_spec::regs::counters::DROP_OVERFLOW;
use matchrdma_spec::regs::flow;

/// Cycles in which what has begun to be read is read, and then every doubt of the watch.
const FINISH_CYCLES: u32 = 1 << 20;

/// Reads flows.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    flows: Vec<u16>,
    turn: usize,
    /// What is being read, and when it was asked for.
    at: Option<(u16, u64)>,
    /// Of its accesses.
    step: usize,
    words: [u32; ACCESSES],
    /// The access is on the bus.
    under_way: bool,
    /// Another host has read a flow meanwhile: from the first access again.
    again: bool,
}

const ACCESSES: usize = 5;

impl Reader {
    /// Reads these flows.
    pub fn new(flows: Vec<u16>) -> Self {
        Reader { flows, ..Self::default() }
    }

    /// Reads this flow as well.
    pub fn add(&mut self, index: u16) {
        if !self.flows.contains(&index) {
            self.flows.push(index);
        }
    }

    /// Reads this flow no longer.
    pub fn remove(&mut self, index: u16) {
        self.flows.retain(|flow| *flow != index);
        self.turn = if self.turn < self.flows.len() { self.turn } else { 0 };
    }

    /// An access of its own is on the bus.
    pub fn under_way(&self) -> bool {
        self.under_way
    }

    /// What was latched is another flow.
    pub fn disturbed(&mut self) {
        self.step = 0;
        self.again = self.under_way;
    }

    fn access(&self, index: u16) -> Access {
        match self.step {
            0 => Access::Write(flow::READ_INDEX.offset, index.into()),
            1 => Access::Read(flow::READ_STATUS.offset),
            2 => Access::Read(flow::STATE.offset),
            3 => Access::Read(flow::EXPECTED_PSN.offset),
            _ => Access::Read(DROP_OVERFLOW.low()),
        }
    }

    /// Goes on with it, after a cycle of the gateway. An error is a promise that was broken, or a bus that is.
    pub fn cycle(&mut self, gateway: &mut dyn Gateway, watch: &mut Watch) -> Result<(), String> {
        self.beside(gateway, watch, true)
    }

    /// The same beside another host: begins an access only while the bus is `free`.
    pub fn beside(&mut self, gateway: &mut dyn Gateway, watch: &mut Watch, free: bool) -> Result<(), String> {
        if self.under_way {
            let Some(answer) = gateway.answer() else { return Ok(()) };
            self.under_way = false;
            let word = answer.map_err(|e| e.to_string())?;
            if !std::mem::take(&mut self.again) {
                self.words[self.step] = word;
                // Busy: once more.
                self.step += usize::from(!(self.step == 1 && flow::READ_BUSY.get(word) == 1));
            }
            if self.step == ACCESSES {
                self.step = 0;
                let Some((index, asked)) = self.at.take() else { return Ok(()) };
                return watch.read(index, self.read()?, asked).map_err(|violation| violation.to_string());
            }
        }
        if !free {
            return Ok(());
        }
        let index = match self.at {
            Some((index, _)) => index,
            None => {
                let Some(&turn) = self.flows.get(self.turn) else { return Ok(()) };
                let doubtful = watch.doubtful();
                if doubtful.is_none() {
                    self.turn = (self.turn + 1) % self.flows.len();
                }
                let index = doubtful.unwrap_or(turn);
                self.at = Some((index, watch.asks()));
                index
            }
        };
        gateway.begin(self.access(index));
        self.under_way = true;
        Ok(())
    }

    fn read(&self) -> Result<Read, String> {
        let [.., word, expected, overflows] = self.words;
        let state = match flow::STATE_FIELD.get(word) {
            flow::STATE_OFF => State::Off,
            flow::STATE_SYNC => State::Sync,
            flow::STATE_ACTIVE => State::Active,
            flow::STATE_DRAIN => State::Drain,
            flow::STATE_FAULT => State::Fault,
            other => return Err(format!("state {other} of a flow has no meaning")),
        };
        Ok(Read { state, run: flow::STATE_RUN.get(word) as u8, expected: flow::PSN_FIELD.get(expected), overflows })
    }

    /// Reads until the watch has nothing to decide, in cycles in which nothing comes in and nothing leaves.
    pub fn finish(&mut self, gateway: &mut dyn Gateway, watch: &mut Watch) -> Result<(), String> {
        for _ in 0..FINISH_CYCLES {
            if self.at.is_none() && watch.doubtful().is_none() {
                return Ok(());
            }
            gateway.tick(None, None, false, false);
            self.cycle(gateway, watch)?;
        }
        Err("the flows could not be read".into())
    }
}
