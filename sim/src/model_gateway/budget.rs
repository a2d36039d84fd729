//! The budget rail on its way to and from the model: slots, budget frames, live budgets, and what the host sets.

use super::ModelGateway;
use matchrdma_model::budget_rx::Heard;
use matchrdma_model::rate_table::Budget;
use matchrdma_spec::params::PATHS;

impl ModelGateway {
    /// Path settings came into force.
    pub(super) fn peers(&mut self) {
        for path in 0..PATHS {
            let (peer, weight, _) = self.banked.peer(path);
            self.model.set_peer(path, peer, weight);
        }
    }

    /// A slot is over: the law decides, and the far gateways are to be told.
    pub(super) fn slot_end(&mut self) {
        let end = self.model.slot_end(&self.banked.tables, self.banked.rates.slot());
        self.law.lapses(end.lapses);
        if let Some(path) = self.law.wanted() {
            let sent = self.pacer.sent(path) - self.sent_before[path];
            self.law.look(self.model.rail(), sent, self.model.inbound().occupancy(path));
        }
        self.to_tell = (0..PATHS).collect();
        self.heard();
    }

    /// The next frame that tells a far gateway of its budget, as of now.
    pub(super) fn budget_frame(&mut self) -> Option<Vec<u8>> {
        while let Some(path) = self.to_tell.pop_front() {
            let sent = self.pacer.sent(path) - self.sent_before[path];
            if let Some(frame) = self.model.tell(path, sent) {
                return Some(frame);
            }
        }
        None
    }

    /// What may be sent has perhaps changed: a budget was heard, or a slot is over.
    pub(super) fn heard(&mut self) {
        for heard in self.model.take_heard() {
            self.law.heard(heard);
            if let Heard::Opened(path) = heard {
                self.sent_before[path] = self.pacer.sent(path);
            }
        }
        for path in 0..PATHS {
            let said = *self.model.rail().said(path);
            self.banked.rates.live(path, said.rate);
            self.pacer.set_limit(path, self.sent_before[path] + said.limit);
            self.budget(path);
        }
    }

    /// The budget in force of a path goes to the pacer.
    pub(super) fn budget(&mut self, path: usize) {
        let budget = self.banked.rates.budget(path);
        let limited = budget.limited && !self.model.rail().free(path);
        self.pacer.set_budget(path, Budget { limited, ..budget });
    }
}
