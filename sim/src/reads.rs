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
}

const ACCESSES: usize = 5;

impl Reader {
    /// Reads these flows.
    pub fn new(flows: Vec<u16>) -> Self {
        Reader { flows, ..Self::default() }
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
        loop {
            let Some((index, asked)) = self.at else {
                let Some(&turn) = self.flows.get(self.turn) else { return Ok(()) };
                let doubtful = watch.doubtful();
                if doubtful.is_none() {
                    self.turn = (self.turn + 1) % self.flows.len();
                }
                let index = doubtful.unwrap_or(turn);
                (self.at, self.step) = (Some((index, watch.asks())), 0);
                gateway.begin(self.access(index));
                return Ok(());
            };
            let Some(answer) = gateway.answer() else { return Ok(()) };
            self.words[self.step] = answer.map_err(|e| e.to_string())?;
            // Busy: once more.
            if !(self.step == 1 && flow::READ_BUSY.get(self.words[1]) == 1) {
                self.step += 1;
            }
            if self.step < ACCESSES {
                gateway.begin(self.access(index));
                continue;
            }
            self.at = None;
            return watch.read(index, self.read()?, asked).map_err(|violation| violation.to_string());
        }
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
