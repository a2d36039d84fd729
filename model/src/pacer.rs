//! Outbound 5 of 5: **pacer**. From `path_memory`, to the line.
//!
//! In: cycles, what waits, and the frames that start. Out: which queue's frame may start. A backlogged path sends its
//! budget exactly, give or take one frame. Gates: `hdl/src/outbound/pacer.rs`. Registers: `PACER_*`.

use crate::rate_table::Budget;
use matchrdma_spec::params::{BEAT_BYTES, OVERHEAD_BYTES, PATHS, QUANTUM_BEATS, QUEUES, SLOT_K_DEFAULT, SLOT_K_MAX};

/// Fraction bits of tokens: with as many as the longest slot has cycle bits, nothing is ever rounded.
pub const FRACTION: u32 = SLOT_K_MAX;
/// Most a bucket gains in a cycle: 512 bytes, which no output can send.
pub const MOST_GAIN: u64 = (512 << FRACTION) - 1;

/// A bucket that holds so much more than its burst is emptied, bytes.
const EMPTIED_BEYOND: i64 = 1024;

/// What a path has out of reset: no budget, so its frames always may go.
pub const OPEN: Budget = Budget { open: true, limited: false, rate: 0, burst: 0 };

/// A token bucket: bytes with [`FRACTION`] fraction bits.
#[derive(Clone, Copy, Debug, Default)]
struct Bucket {
    tokens: i64,
}

impl Bucket {
    /// One cycle: it gains, unless it holds its burst; a start takes its cost. Far beyond its burst (a deeper one was set
    /// before) it is emptied.
    fn cycle(&mut self, budget: &Budget, slot_k: u8, cost: u64) {
        let beyond = (self.tokens >> FRACTION) - i64::from(budget.burst);
        if budget.open || beyond >= EMPTIED_BEYOND {
            self.tokens = 0;
            return;
        }
        let gain = (u64::from(budget.rate) << (FRACTION - u32::from(slot_k))).min(MOST_GAIN) as i64;
        self.tokens += if beyond >= 0 { 0 } else { gain } - ((cost as i64) << FRACTION);
    }
}

/// The buckets and limits of sixteen paths, and whose turn it is. The queue behind them always may go.
#[derive(Clone, Debug)]
pub struct Pacer {
    slot_k: u8,
    overhead: u8,
    budgets: [Budget; PATHS],
    buckets: [Bucket; PATHS],
    limits: [u64; PATHS],
    sent: [u64; PATHS],
    current: usize,
    quantum: usize,
}

impl Default for Pacer {
    fn default() -> Self {
        Pacer {
            slot_k: SLOT_K_DEFAULT as u8,
            overhead: OVERHEAD_BYTES as u8,
            budgets: [OPEN; PATHS],
            buckets: Default::default(),
            limits: [0; PATHS],
            sent: [0; PATHS],
            current: 0,
            quantum: QUANTUM_BEATS,
        }
    }
}

impl Pacer {
    /// Open, as after reset.
    pub fn new() -> Self {
        Self::default()
    }

    /// Slot length, log2 of cycles, and bytes that count beside each frame's own.
    pub fn set(&mut self, slot_k: u8, overhead: u8) {
        (self.slot_k, self.overhead) = (slot_k, overhead);
    }

    /// A path has another budget from the next cycle on.
    pub fn set_budget(&mut self, path: usize, budget: Budget) {
        self.budgets[path] = budget;
    }

    /// A path may have sent so many bytes in all.
    pub fn set_limit(&mut self, path: usize, limit: u64) {
        self.limits[path] = limit;
    }

    /// What a path has sent, overheads included.
    pub fn sent(&self, path: usize) -> u64 {
        self.sent[path]
    }

    /// Tokens of a path.
    pub fn tokens(&self, path: usize) -> i64 {
        self.buckets[path].tokens
    }

    /// What a start costs: a descriptor without a frame (of no bytes) costs nothing.
    fn cost(&self, bytes: usize) -> u64 {
        if bytes == 0 {
            0
        } else {
            bytes as u64 + u64::from(self.overhead)
        }
    }

    /// An entry of so many bytes may start from this queue, now.
    pub fn may(&self, queue: usize, bytes: usize) -> bool {
        let Some(budget) = self.budgets.get(queue) else { return true };
        let within = || bytes == 0 || self.sent[queue] + self.cost(bytes) <= self.limits[queue];
        (budget.open || self.buckets[queue].tokens >= 0) && (!budget.limited || within())
    }

    /// Whose entry starts next, of queues whose first entry has so many bytes: the current one while it may and its
    /// quantum lasts, else the next in turn.
    pub fn turn(&self, next: impl Fn(usize) -> Option<usize>) -> Option<usize> {
        let may = |queue: usize| next(queue).is_some_and(|bytes| self.may(queue, bytes));
        let stays = (self.quantum > 0 && may(self.current)).then_some(self.current);
        stays.or_else(|| (1..=QUEUES).map(|i| (self.current + i) % QUEUES).find(|q| may(*q)))
    }

    /// One cycle, in which an entry of so many bytes started from a queue, or none.
    pub fn cycle(&mut self, started: Option<(usize, usize)>) {
        let (from, cost) = started.map_or((QUEUES, 0), |(queue, bytes)| (queue, self.cost(bytes)));
        for path in 0..PATHS {
            let cost = if path == from { cost } else { 0 };
            self.buckets[path].cycle(&self.budgets[path], self.slot_k, cost);
            self.sent[path] += cost;
        }
        if let Some((queue, bytes)) = started {
            let left = if queue == self.current && self.quantum > 0 { self.quantum } else { QUANTUM_BEATS };
            self.current = queue;
            self.quantum = left.saturating_sub(bytes.div_ceil(BEAT_BYTES).max(1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(rate: u32) -> Pacer {
        let mut p = Pacer::new();
        p.set(10, 24);
        p.set_budget(2, Budget { open: false, rate, burst: 16384, limited: false });
        p
    }

    /// Bytes sent in so many cycles by a queue that never empties.
    fn send(p: &mut Pacer, cycles: u32, frame: usize) -> u64 {
        let before = p.sent(2);
        for _ in 0..cycles {
            let turn = p.turn(|queue| (queue == 2).then_some(frame));
            p.cycle(turn.map(|queue| (queue, frame)));
        }
        p.sent(2) - before
    }

    #[test]
    fn open_never_waits_and_saves_nothing() {
        let mut p = Pacer::new();
        (0..100).for_each(|_| p.cycle(Some((2, 9600))));
        assert!(p.may(2, 9600) && p.tokens(2) == 0 && p.sent(2) == 962_400);
    }

    #[test]
    fn a_backlogged_queue_sends_its_budget_to_the_byte() {
        for (rate, frame) in [(1, 60), (999, 60), (12_345, 1500), (65_536, 9600)] {
            let mut p = fixed(rate);
            let sent = send(&mut p, 1024 * 1000, frame) as i64;
            let budget = i64::from(rate) * 1000;
            assert!((sent - budget).abs() <= frame as i64 + 24, "{rate} {frame}: {sent} of {budget}");
            assert_eq!((budget - sent) << FRACTION, p.tokens(2), "what is missing is in the bucket");
        }
    }

    #[test]
    fn an_idle_queue_saves_at_most_a_burst_and_no_budget_sends_one_frame() {
        let mut p = fixed(1 << 18);
        (0..1000).for_each(|_| p.cycle(None));
        assert!((0..256).contains(&((p.tokens(2) >> FRACTION) - 16384)));
        let mut p = fixed(0);
        assert_eq!(send(&mut p, 1000, 100), 124);
        assert!(!p.may(2, 100));
    }

    #[test]
    fn a_limit_is_never_passed_and_holds_nobody_else_up() {
        let mut p = Pacer::new();
        p.set_budget(2, Budget { limited: true, ..OPEN });
        p.set_limit(2, 1000);
        assert_eq!(send(&mut p, 100, 76), 1000);
        assert_eq!(p.turn(|queue| (queue == 2 || queue == 9).then_some(60)), Some(9));
        p.set_limit(2, 1099);
        assert_eq!(send(&mut p, 100, 76), 0);
        p.set_limit(2, 1100);
        assert_eq!(send(&mut p, 100, 76), 100);
    }

    #[test]
    fn all_take_turns_of_a_quantum() {
        let mut p = Pacer::new();
        let mut order = vec![];
        for _ in 0..32 {
            let turn = p.turn(|queue| [3, 16].contains(&queue).then_some(if queue == 3 { 60 } else { 300 }));
            p.cycle(turn.map(|queue| (queue, if queue == 3 { 60 } else { 300 })));
            order.extend(turn);
        }
        order.dedup();
        assert_eq!(order, [3, 16, 3, 16, 3, 16, 3]);
    }
}
