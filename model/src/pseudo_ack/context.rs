//! What is known of one flow, and what each intent makes of it.

use crate::psn;
use crate::record::*;
use matchrdma_spec::wire::aeth;

/// A PSN and the message count there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// The PSN.
    pub psn: u32,
    /// Messages completed.
    pub msn: u32,
}

/// What a frame says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Says {
    /// Of its AETH.
    pub syndrome: u8,
    /// What it speaks of.
    pub at: Point,
}

/// What is known of one flow.
#[derive(Clone, Copy, Debug, Default)]
pub struct Context {
    /// The run all this belongs to.
    pub run: u8,
    /// The real ACK that made the flow Active has left the client port.
    pub valid: bool,
    /// Newest that the sender was told, or is about to be.
    pub acked: Point,
    /// `acked` is to be said.
    pend: bool,
    /// The gap to be named.
    nak: Option<Point>,
    /// The earliest request that was refused, with its syndrome; whether that is still to be said.
    refused: Option<(u32, u8)>,
    refuse: bool,
    /// First and last PSN of what only the far side may answer.
    barrier: Option<(u32, u32)>,
    /// Last PSN of the requests among those that were repeated.
    repeat: Option<u32>,
    /// To be said once it may.
    held: Option<Point>,
    /// Newest data that left, whether it asked or not.
    newest: Option<Point>,
    /// Newest that left on the line.
    pub departed_psn: u32,
    /// Newest that the far side acknowledged.
    pub confirmed_psn: u32,
}

impl Context {
    /// Nothing yet, of run `run`.
    pub fn new(run: u8) -> Context {
        Context { run, ..Context::default() }
    }

    /// Something is outstanding that only the far side may answer.
    pub fn holds(&self) -> bool {
        self.barrier.is_some()
    }

    /// An alive flow has something to say; `live`: it is Active.
    pub fn wants(&self, live: bool) -> bool {
        self.may_refuse() || live && (self.may_ack() || self.may_nak())
    }

    fn may_refuse(&self) -> bool {
        self.refuse && self.valid
    }

    fn may_ack(&self) -> bool {
        self.pend && self.valid && self.barrier.is_none_or(|(first, _)| psn::after(first, self.acked.psn))
    }

    fn may_nak(&self) -> bool {
        // The far side may have acknowledged the gap meanwhile: an earlier run had sent it.
        let news = self.nak.is_some_and(|nak| !psn::after(self.acked.psn, psn::sub(nak.psn, 1)));
        news && self.valid && self.barrier.is_none()
    }

    /// Data or a request left in order up to `psn`: a gap before it is closed.
    fn close_gap(&mut self, psn: u32) {
        self.nak = self.nak.filter(|nak| psn::after(nak.psn, psn));
    }

    /// Something left a port.
    pub fn apply(&mut self, intent: &Intent, live: bool) {
        let at = Point { psn: intent.psn, msn: intent.msn };
        match intent.kind {
            Kind::Ack if live => {
                self.departed_psn = at.psn;
                self.close_gap(at.psn);
                self.newest = Some(at);
                if !intent.req {
                    // Nobody waits for it.
                } else if self.barrier.is_some() || !self.valid {
                    self.held = Some(at);
                } else if psn::after(at.psn, self.acked.psn) {
                    self.acked = at;
                    self.pend = true;
                }
            }
            Kind::Nak if live => {
                self.nak = Some(at);
                self.refused = None;
                self.refuse = false;
            }
            Kind::Reack if live && self.valid => {
                self.pend = true;
                if let Some(newest) = self.newest.filter(|newest| psn::after(newest.psn, self.acked.psn)) {
                    if self.barrier.is_some() {
                        self.held = Some(newest);
                    } else {
                        self.acked = newest;
                    }
                }
            }
            Kind::Ack | Kind::Nak | Kind::Reack | Kind::None => {}
            Kind::Barrier => {
                let (first, last) = (intent.psn, intent.msn);
                if !intent.req {
                    self.departed_psn = last;
                }
                self.close_gap(last);
                let (old_first, old_last) = self.barrier.unwrap_or((first, last));
                self.barrier = Some((psn::earlier(old_first, first), psn::later(old_last, last)));
                if intent.req {
                    self.repeat = Some(self.repeat.map_or(last, |old| psn::later(old, last)));
                }
            }
            Kind::Confirm => self.confirm(at, intent.req, false),
            Kind::Answer => self.confirm(at, false, true),
            Kind::Refuse => {
                self.nak = None;
                let this = (at.psn, at.msn as u8);
                self.refused = Some(self.refused.filter(|(psn, _)| !psn::after(*psn, at.psn)).unwrap_or(this));
                self.refuse = true;
            }
        }
    }

    fn confirm(&mut self, at: Point, req: bool, response: bool) {
        if !self.valid || psn::after(at.psn, self.confirmed_psn) {
            self.confirmed_psn = at.psn;
        }
        if !self.valid && req {
            // It has left itself, and with it all that is older.
            self.acked = at;
            self.valid = true;
        } else if self.valid && psn::after(at.psn, self.acked.psn) {
            self.acked = at;
            self.pend |= req;
        }
        // What was sent again is answered by its own response: others may have been on their way before.
        if self.repeat.is_none_or(|last| response && (last == at.psn || psn::after(last, at.psn))) {
            self.barrier = match self.barrier {
                Some((_, last)) if !psn::after(last, at.psn) => None,
                Some((first, last)) if !psn::after(first, at.psn) => Some((psn::add(at.psn, 1), last)),
                unmoved => unmoved,
            };
        }
        if response && self.repeat == Some(at.psn) {
            // What was answered meanwhile did not count: now it does.
            self.repeat = None;
            self.barrier = self.barrier.filter(|(_, last)| psn::after(*last, self.confirmed_psn));
        }
        if self.barrier.is_none() {
            self.repeat = None;
        }
        if self.barrier.is_none() && self.valid {
            if let Some(held) = self.held.take().filter(|held| psn::after(held.psn, self.acked.psn)) {
                self.acked = held;
                self.pend = true;
            }
        }
    }

    /// What an alive flow says now; it counts as said. `live`: it is Active.
    pub fn say(&mut self, live: bool) -> Option<Says> {
        if self.may_refuse() {
            let (psn, syndrome) = self.refused?;
            self.refuse = false;
            Some(Says { syndrome, at: Point { psn, msn: self.acked.msn } })
        } else if live && self.may_nak() {
            let nak = self.nak.take()?;
            self.pend = false;
            self.acked = Point { psn: psn::sub(nak.psn, 1), msn: nak.msn };
            Some(Says { syndrome: aeth::NAK_PSN_SEQUENCE, at: nak })
        } else if live && self.may_ack() {
            self.pend = false;
            Some(Says { syndrome: aeth::ACK, at: self.acked })
        } else {
            None
        }
    }
}
