//! What went in and what came out, port by port: each frame that leaves is one that came in on the other side, or was
//! built by the gateway.

use matchrdma_model::invariants::Due;
use std::collections::VecDeque;

/// A frame that came in and has not been seen leaving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The cycle of its last beat.
    pub cycle: u64,
    /// Number in the capture.
    pub number: u64,
    /// Its bytes.
    pub frame: Vec<u8>,
    /// It must leave unless there is no room for it.
    pub due: Option<Due>,
}

/// One direction, in order.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    pending: VecDeque<Pending>,
}

impl Ledger {
    /// A frame came in.
    pub fn came(&mut self, pending: Pending) {
        self.pending.push_back(pending);
    }

    /// A frame left: the one that came in, and those before it, which then did not leave. `None`: it never came in.
    pub fn left(&mut self, frame: &[u8]) -> Option<(Pending, Vec<Pending>)> {
        let at = self.find(frame)?;
        let mut skipped: Vec<Pending> = self.pending.drain(..=at).collect();
        let found = skipped.pop()?;
        Some((found, skipped))
    }

    /// Whether such a frame waits.
    pub fn holds(&self, frame: &[u8]) -> bool {
        self.find(frame).is_some()
    }

    fn find(&self, frame: &[u8]) -> Option<usize> {
        self.pending.iter().position(|p| p.frame == frame)
    }

    /// Frames that came in before a cycle and have not left: they will not.
    pub fn overdue(&mut self, before: u64) -> Vec<Pending> {
        let n = self.pending.iter().take_while(|p| p.cycle < before).count();
        self.pending.drain(..n).collect()
    }

    /// Whether every frame that came in has been accounted for.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_leave_in_order_and_what_is_passed_over_was_kept_back() {
        let mut ledger = Ledger::default();
        for number in 1..=5u8 {
            ledger.came(Pending { cycle: number.into(), number: number.into(), frame: vec![number], due: None });
        }
        let (found, skipped) = ledger.left(&[2]).unwrap();
        assert_eq!((found.number, skipped.len()), (2, 1));
        assert_eq!(ledger.left(&[1]), None, "not in order");
        assert_eq!(ledger.overdue(5).iter().map(|p| p.number).collect::<Vec<_>>(), [3, 4]);
        assert!(ledger.holds(&[5]) && !ledger.is_empty());
    }
}
