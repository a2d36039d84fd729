//! What the host reads of a flow, and what two reads of it together say of the time between them.
//!
//! A read takes some cycles, and a built frame may have been under way for long when it leaves. So nothing is judged by
//! one read. What is suspicious waits for the next read that was asked for after it, and is a violation only if both
//! reads together show that what it needs was never so between them. What carries this: the run id that is read with
//! the state. Within a run a flow goes from Sync to Active and from there on, never back; what it expects never steps back.
//!
//! The host's own changes are no news: after one that keeps the run (enable off and on again) it says [`Watch::lapsed`].
//!
//! [`Watch::lapsed`]: super::Watch::lapsed

use super::{reaches, Rule};
use crate::record::State;

/// So many frames at most are under way between the look at the flow that builds them and their last beat at the port,
/// those of all flows together. In gates one is made or leaves, and one more is in the contexts or waits
/// (`pseudo_ack/frame.rs`); the copies of a flow that are looked at and that are read differ by fewer cycles than the
/// answer of a read takes.
pub const UNDER_WAY: u64 = 2;

/// What the host reads of a flow, latched at once; and the counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// Where it stands.
    pub state: State,
    /// The run that the state is of.
    pub run: u8,
    /// The next PSN it waits for.
    pub expected: u32,
    /// Frames refused for lack of room, of all flows.
    pub overflows: u32,
}

impl Read {
    /// Requests pass that only the far side may answer.
    fn passes(&self) -> bool {
        matches!(self.state, State::Sync | State::Active | State::Drain)
    }
}

/// What the next read decides.
#[derive(Clone, Debug)]
struct Doubt {
    rule: Rule,
    clock: u64,
    before: Read,
    /// Of [`Reads::turns`].
    turns: u64,
    what: String,
}

/// A frame from the client that must leave unless memory has no room for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    pub(super) index: u16,
    before: Read,
}

/// The reads of one flow.
#[derive(Clone, Debug, Default)]
pub(super) struct Reads {
    last: Option<Read>,
    /// Built frames when it was first read to stand as it does.
    since: u64,
    /// How often something came that may have taken a flow from Active back to Sync within its run.
    turns: u64,
    turns_at_last: u64,
    doubts: Vec<Doubt>,
    /// Newest that the gateway said while the flow stood Active.
    said: Option<u32>,
}

impl Reads {
    /// A frame was built, the `number`th of all: is it for an Active flow?
    pub(super) fn built(&mut self, psn: u32, number: u64, clock: u64, what: String) {
        let Some(before) = self.last.filter(|_| number > self.since + UNDER_WAY) else { return };
        if before.state == State::Active {
            self.said = Some(self.said.filter(|&said| reaches(said, psn)).unwrap_or(psn));
        } else {
            self.doubt(Rule::NotActive, before, clock, what);
        }
    }

    /// A real ACK leaves: has a built one overtaken it?
    pub(super) fn passed(&mut self, psn: u32, clock: u64) {
        let (Some(before), Some(said)) = (self.last, self.said) else { return };
        if !reaches(psn, said) {
            let what = format!("the real ACK of {psn:#x} left after the built one of {said:#x}");
            self.doubt(Rule::Backwards, before, clock, what);
        }
    }

    /// A request comes in that only the far side may answer: is it one that was sent before?
    pub(super) fn due(&self, index: u16, psn: u32) -> Option<Due> {
        let before = self.last.filter(|read| read.passes() && !reaches(psn, read.expected))?;
        Some(Due { index, before })
    }

    /// It did not leave.
    pub(super) fn dropped(&mut self, due: Due, clock: u64, what: String) {
        self.doubt(Rule::Swallowed, due.before, clock, what);
    }

    fn doubt(&mut self, rule: Rule, before: Read, clock: u64, what: String) {
        self.doubts.push(Doubt { rule, clock, before, turns: self.turns_at_last, what });
    }

    /// The far side refused something, or acknowledged what the flow has not got to; or a sender went back.
    pub(super) fn turn(&mut self) {
        self.turns += 1;
    }

    /// What the flow was last read to wait for.
    pub(super) fn expected(&self) -> Option<u32> {
        self.last.map(|read| read.expected)
    }

    /// Something waits for a read.
    pub(super) fn doubtful(&self) -> bool {
        !self.doubts.is_empty()
    }

    /// A read that was asked for at `asked`, when `built` frames have been built. What it proves wrong.
    pub(super) fn read(&mut self, now: Read, asked: u64, built: u64) -> Option<(Rule, String)> {
        let (due, later) = std::mem::take(&mut self.doubts).into_iter().partition(|d| d.clock <= asked);
        self.doubts = later;
        let due: Vec<Doubt> = due;
        let turns = self.turns;
        let wrong = due.into_iter().find(|d| stood(d.rule, &d.before, &now, turns > d.turns));
        let rule = |read: &Read| if read.state == State::Active { Rule::Backwards } else { Rule::NotActive };
        let stands = self.last.is_some_and(|last| stood(rule(&last), &last, &now, turns > self.turns_at_last));
        if !stands {
            (self.since, self.said) = (built, None);
        }
        (self.last, self.turns_at_last) = (Some(now), turns);
        wrong.map(|d| (d.rule, format!("{}; read before {:?}, and after {now:?}", d.what, d.before)))
    }
}

/// Whether two reads show that between them the flow was never what it would have to be for the rule to be kept.
fn stood(rule: Rule, before: &Read, now: &Read, turned: bool) -> bool {
    let active = |read: &Read| read.state == State::Active;
    before.run == now.run
        && match rule {
            Rule::NotActive => {
                let never = before.state != State::Sync || (now.state == State::Sync && !turned);
                !active(before) && !active(now) && never
            }
            Rule::Swallowed => before.passes() && now.passes() && before.overflows == now.overflows,
            _ => active(before) && active(now),
        }
}
