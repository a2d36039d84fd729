//! What still holds when the far side says what is not so: of a test whose far side answers at random.
//!
//! Left out, because the gateway can know of it only what the far side says:
//! * the message count: it is the far side's to give;
//! * that all before an acknowledged PSN left in order: an ACK from behind the line settles what came before it, and a
//!   flow goes on from there. What is acknowledged must itself have left, with the right ICRC;
//! * a READ of more than 256 bytes while the host has not said how long packets are: it holds nothing up;
//! * a request that is repeated longer than it was: it holds nothing up beyond what was ever sent. A flow that starts
//!   over forgets it, and becomes Active by an ACK of all that was sent, not of all that such a request asks for;
//! * a PSN that a response names which the sender has: the gateway may say it again, sent or not;
//! * that what the far side told the sender past the gateway is not stepped back behind: it may have named anything.
//!   The gateway's own words must not step back, from where the flow became Active ([`Watch::lapsed`]);
//! * a request that waits for its answer does so until a frame that names it comes, true or not. What passes in another
//!   order than the PSNs' shows that the flow is not Active: what was open then is forgotten, as the gateway may have.
//!
//! The form of a built frame, and what the host's reads tell (NotActive, Swallowed), hold as ever.

use super::{reaches, sub, Broken, Flow, Meta, Rule, Watch};
use matchrdma_spec::wire::opcode;
use std::collections::VecDeque;

/// Stretches kept: a gateway goes on where the newest one is.
const KEPT: usize = 1 << 12;

impl Watch {
    /// Nothing is watched; the far side of every flow may lie.
    pub fn distrusting() -> Self {
        Watch { distrusts: true, ..Self::default() }
    }
}

/// PSNs of the good requests that left, first and last of each stretch, the stretch last that was last added to.
#[derive(Clone, Debug, Default)]
pub(super) struct Departed(VecDeque<(u32, u32)>);

impl Departed {
    pub(super) fn add(&mut self, first: u32, last: u32) {
        // What goes on, or repeats, where a stretch is.
        let joins = |&(from, to): &(u32, u32)| reaches(first, from) && reaches(sub(to.wrapping_add(1), 0), first);
        let at = self.0.iter().rposition(joins);
        let joined = at.and_then(|at| self.0.remove(at));
        let (from, to) = joined.unwrap_or((first, last));
        self.0.push_back((from, if reaches(last, to) { last } else { to }));
        if self.0.len() > KEPT {
            self.0.pop_front();
        }
    }

    fn has(&self, psn: u32) -> bool {
        self.0.iter().any(|&(from, to)| reaches(psn, from) && reaches(to, psn))
    }
}

impl Flow {
    /// A request left that is not the next one.
    pub(super) fn out_of_order(&mut self, meta: &Meta, expected: u32, psns: u32) {
        // It may be the next one for the gateway, which has not seen what passed in Drain.
        self.learns(meta);
        if reaches(meta.psn, expected) {
            self.begins_anew();
            self.expected = Some(sub(meta.psn.wrapping_add(psns), 0));
        } else if !opcode::is_barrier(meta.opcode, self.watched.ack_ops_write) {
            self.open.clear();
        }
    }

    /// The flow is not Active, and may go on from anywhere.
    pub(super) fn begins_anew(&mut self) {
        self.open.clear();
        (self.expected, self.newest_built) = (None, None);
    }

    /// The sender has the answer for `psn`. By the end of a response it knows from the far side that `psn` arrived.
    pub(super) fn answered(&mut self, psn: u32, ends: bool) {
        if let Some(departed) = self.departed.as_mut().filter(|_| ends) {
            departed.add(psn, psn);
        }
        self.shrink(psn);
    }

    /// A response for `psn` answers what it waits for up to there.
    pub(super) fn shrink(&mut self, psn: u32) {
        for (first, last) in &mut self.open {
            if reaches(psn, *first) && !reaches(psn, *last) {
                *first = sub(psn.wrapping_add(1), 0);
            }
        }
    }

    /// The gateway tells the sender that everything up to `psn` has arrived.
    pub(super) fn told_of_departed(&mut self, psn: u32) -> Result<(), Broken> {
        if !self.departed.as_ref().is_some_and(|departed| departed.has(psn)) {
            return Err((Rule::NotForwarded, format!("PSN {psn:#x}, which never left")));
        }
        self.passes_none(psn)?;
        if let Some(newest) = self.newest_built.filter(|&n| !reaches(psn, n)) {
            return Err((Rule::Backwards, format!("PSN {psn:#x} after {newest:#x}")));
        }
        self.newest_built = Some(psn);
        Ok(())
    }
}

#[cfg(test)]
#[path = "lies_tests.rs"]
mod tests;
