//! How long flows have been in their state and held by a barrier, and how old their debt is, as looks find it.
//!
//! Every flow is looked at once a tick; what a look finds changed gets a stamp.
//! Gates: `hdl/src/host/flow_ages.rs`. Registers: `FLOW_STATE_TICKS`, `FLOW_HELD`, `FLOW_DEBT_AGE`.

use crate::record::{State, Times, FLOWS};
use matchrdma_spec::params::PSN_MASK;
use matchrdma_spec::regs::flow::STATE_TICKS_MAX;

/// What the looks at one flow found, and since when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Looked {
    state: State,
    since: u32,
    held_since: Option<u16>,
    debt_age: u16,
}

/// All flows.
#[derive(Clone, Debug)]
pub(super) struct Ages(Vec<Looked>);

impl Default for Ages {
    fn default() -> Self {
        Ages(vec![Looked { state: State::Off, since: 0, held_since: None, debt_age: 0 }; FLOWS])
    }
}

impl Ages {
    /// A look at a flow: what it is now, and the age of its debt if it has been watched for some time.
    pub fn look(&mut self, index: u16, state: State, held: bool, debt_age: Option<u16>, times: &Times) {
        let looked = &mut self.0[usize::from(index)];
        let since = if looked.state == state { looked.since } else { times.now };
        let held_since = held.then(|| times.clamp(looked.held_since.unwrap_or(times.stamp())));
        let since = times.now.wrapping_sub(ticks(since, times)) & PSN_MASK;
        *looked = Looked { state, since, held_since, debt_age: debt_age.unwrap_or(0) };
    }

    /// Ticks for which the flow has been in `state`, 0 while no look has found it there; for which a barrier has held
    /// it; and the age of its debt, if it has some.
    pub fn read(&self, index: u16, state: State, held: bool, debt: bool, times: &Times) -> (u32, u16, u16) {
        let looked = &self.0[usize::from(index)];
        let in_state = if looked.state == state { ticks(looked.since, times) } else { 0 };
        let held_for = looked.held_since.filter(|_| held).map_or(0, |since| age(since, times));
        (in_state, held_for, if debt { looked.debt_age } else { 0 })
    }
}

fn ticks(since: u32, times: &Times) -> u32 {
    (times.now.wrapping_sub(since) & PSN_MASK).min(STATE_TICKS_MAX)
}

fn age(since: u16, times: &Times) -> u16 {
    times.stamp().wrapping_sub(times.clamp(since))
}
