//! Counters with the names of `spec::regs::counters`.

use matchrdma_spec::regs::counters::{Counter, COUNTERS};

/// Every counter of the gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters(Vec<u64>);

impl Default for Counters {
    fn default() -> Self {
        Counters(vec![0; COUNTERS.len()])
    }
}

impl Counters {
    /// So many more.
    pub fn add(&mut self, counter: &Counter, n: u64) {
        self.0[counter.index] += n;
    }

    /// What it stands at.
    pub fn get(&self, counter: &Counter) -> u64 {
        self.0[counter.index]
    }

    /// All of them, in address order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Counter, u64)> + '_ {
        COUNTERS.iter().zip(self.0.iter().copied())
    }
}
