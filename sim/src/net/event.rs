//! When things happen: a heap of what is next, in an order that does not depend on the machine.

use super::packet::Ps;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The packet at the front of a link's pipe is there.
    Arrive {
        /// Link.
        link: u32,
    },
    /// A link's transmitter is free.
    Free {
        /// Link.
        link: u32,
    },
    /// A timer of a node.
    Timer {
        /// Node.
        node: u32,
        /// What for: the node's own business.
        tag: u32,
    },
    /// PFC reaches a link's transmitter.
    Pause {
        /// Link.
        link: u32,
        /// Hold the lossless class, or let it go.
        on: bool,
    },
    /// The rate of a link changes.
    Rate {
        /// Link.
        link: u32,
        /// Bits per second.
        bps: u64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Event {
    at: Ps,
    order: u64,
    what: What,
}

impl Ord for Event {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.at, self.order).cmp(&(other.at, other.order))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The events to come. Those of one instant happen in the order in which they were scheduled.
#[derive(Clone, Debug, Default)]
pub struct Events {
    heap: BinaryHeap<Reverse<Event>>,
    order: u64,
}

impl Events {
    /// Schedules.
    pub fn at(&mut self, at: Ps, what: What) {
        self.order += 1;
        self.heap.push(Reverse(Event { at, order: self.order, what }));
    }

    /// The next one, unless it is later than `until`.
    pub fn next(&mut self, until: Ps) -> Option<(Ps, What)> {
        if self.heap.peek()?.0.at > until {
            return None;
        }
        self.heap.pop().map(|Reverse(e)| (e.at, e.what))
    }

    /// How many were scheduled since the start.
    pub fn scheduled(&self) -> u64 {
        self.order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_order_of_time_then_of_scheduling() {
        let mut e = Events::default();
        for (at, tag) in [(5, 0), (3, 1), (5, 2), (3, 3), (9, 4)] {
            e.at(at, What::Timer { node: 0, tag });
        }
        let mut seen = vec![];
        while let Some((at, What::Timer { tag, .. })) = e.next(8) {
            seen.push((at, tag));
        }
        assert_eq!(seen, [(3, 1), (3, 3), (5, 0), (5, 2)]);
        assert_eq!(e.next(9), Some((9, What::Timer { node: 0, tag: 4 })));
    }
}
