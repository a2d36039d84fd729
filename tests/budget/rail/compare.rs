//! What the gates tell in a cycle, against the model.

use super::bench::{words, Bench, Waiting, Work, PATHS};
use matchrdma_model::budget_rail::BudgetRail;
use matchrdma_model::budget_rx::Heard;
use matchrdma_model::reservoir::Budget;
use matchrdma_spec::heard::HEARD;

/// Cycles from a boundary to the law's last question, at most, and from there to `done`, but for the bits of the line.
const TO_THE_LAW: u64 = 180;
const OF_THE_LAW: u64 = 948;

impl Bench {
    fn count(&mut self, what: &'static str) {
        *self.seen.entry(what).or_default() += 1;
    }

    pub fn hears(&mut self) {
        let mut opened = None;
        if self.dut.heard_valid() == 1 {
            let Waiting { frame, bad, came } = self.given.pop_front().expect("a frame was given");
            let now = self.came;
            let judge = |model: &mut BudgetRail| {
                let heard = model.frame(&frame, bad);
                // what came since counts still
                if let Heard::Opened(path) | Heard::Budget(path, _) = heard {
                    model.came(path, now[path] - came[path]);
                }
                heard
            };
            let heard = judge(&mut self.model);
            self.old.iter_mut().for_each(|old| assert_eq!(judge(old), heard));
            let (path, high) = match heard {
                Heard::Budget(path, high) => (Some(path), high),
                Heard::Hello(path) | Heard::Opened(path) => (Some(path), false),
                Heard::Refused(_) => (None, false),
            };
            let code = heard.code();
            assert_eq!((self.dut.heard(), self.dut.heard_high() == 1), (code.into(), high), "cycle {}", self.cycle);
            assert!(path.is_none_or(|path| path == self.dut.heard_path() as usize));
            self.count(HEARD[usize::from(code)].name);
            if let Heard::Opened(path) = heard {
                opened = Some(path);
                self.forgets.iter().for_each(|(path, _)| self.sent[*path] = 0);
                self.forgets = Some((path, self.cycle + 4));
                if self.work == Work::Law {
                    self.count("opened while the law works");
                }
            }
        }
        assert_eq!(self.dut.opened_valid() == 1, opened.is_some());
        assert!(opened.is_none_or(|path| path == self.dut.opened_path() as usize));
        if self.dut.live_we() == 1 {
            self.live[self.dut.live_path() as usize] = (self.dut.live_rate(), self.dut.limit());
        }
        if self.dut.lapse_valid() == 1 {
            self.lapses |= 1 << self.dut.live_path();
        }
    }

    pub fn works(&mut self, path: u32) {
        // a round over all paths: first that of the longest loop, then the law's
        self.turn = if path == self.turn.0 + 1 { (path, self.turn.1 + 1) } else { (path, u32::from(path == 0)) };
        let swept = self.turn == (15, 16);
        match self.work {
            Work::Begun(since) if swept && self.cycle > since + 30 => {
                let lapses = self.model.boundary();
                assert_eq!(std::mem::take(&mut self.lapses), lapses);
                *self.seen.entry("lapse").or_default() += u64::from(lapses.count_ones());
                for path in 0..PATHS {
                    let said = self.model.said(path);
                    assert_eq!(self.live[path], (said.rate, said.limit), "path {path}, cycle {}", self.cycle);
                    assert_eq!(self.dut.free() >> path & 1 == 1, self.model.free(path));
                    *self.seen.entry("live").or_default() += u64::from(said.knows_us && self.peers[path].on);
                    *self.seen.entry("free").or_default() += u64::from(self.model.free(path));
                }
                self.work = Work::Rates(self.cycle);
            }
            Work::Rates(_) if swept => {
                assert!(self.cycle <= self.begun + TO_THE_LAW, "{} cycles", self.cycle - self.begun);
                let waits = |path: usize| self.model.said(path).waiting > 0;
                let takes_part = |path: usize| self.peers[path].on && self.model.said(path).knows_us;
                if !(0..PATHS).any(|path| takes_part(path) && waits(path)) {
                    let stranger = (0..PATHS).any(waits);
                    self.count(if stranger { "one that takes no part waits" } else { "nobody waits" });
                }
                self.old = Some(self.model.clone());
                self.model.slot(&self.port);
                (self.work, self.budgets) = (Work::Law, 0);
            }
            _ => {}
        }
        if self.dut.budget_valid() == 1 {
            assert_eq!(self.work, Work::Law);
            self.old = None;
            let (path, slot) = (self.dut.budget_path(), self.model.slot_number() - 1);
            assert_eq!(u64::from(path), (slot + self.budgets) % 16);
            let found = Budget { grant: self.dut.budget_grant(), limit: self.dut.budget_limit() };
            assert_eq!(found, self.model.budget(path as usize), "path {path} of slot {slot}");
            self.budgets += 1;
        }
        if self.dut.done() == 1 {
            assert_eq!((self.work, self.budgets), (Work::Law, 16));
            assert_eq!(self.dut.slot() + 1, self.model.slot_number());
            let bits = u64::from(32 - self.cfg.budget.line.leading_zeros());
            assert!(self.cycle <= self.begun + TO_THE_LAW + OF_THE_LAW + 32 * bits);
            let (est, hi) = self.model.estimate();
            assert_eq!((i64::from(self.dut.est()), i64::from(self.dut.hi())), (est, hi));
            self.work = Work::None;
            // the round of the slot before goes on when it is not over
            if self.cfg.budget.session != 0 && self.round == 0 {
                self.perhaps = 0;
                (0..PATHS).for_each(|path| self.round |= u16::from(self.peers[path].on) << path);
            }
            self.count("slots");
        }
        if let Work::Begun(since) | Work::Rates(since) = self.work {
            assert!(self.cycle < since + 250, "it hangs");
        }
    }

    pub fn sends(&mut self, path: usize, ready: bool) {
        if self.dut.tx_valid() == 1 {
            let (frame, at) = self.under.as_mut().expect("a frame was ordered");
            assert!(*at > 0 || self.cleared || self.offered);
            assert_eq!((self.dut.tx_bytes(), self.dut.tx_last()), (64, *at as u32));
            assert_eq!(self.dut.tx_data(), words::<16>(&frame[64 * *at..]), "beat {at} of {frame:02x?}");
            self.offered = true;
            *at += usize::from(ready);
            if *at == 2 {
                (self.under, self.offered) = (None, false);
            }
        }
        if self.dut.tx_order() == 1 {
            assert!(self.under.is_none() && self.forgets.is_none(), "what it has sent is not known yet");
            let (sent, waiting, occupancy) = (self.sent[path], self.waiting[path], self.port.occupancy[path]);
            let new = self.model.tell(path, sent, waiting, occupancy);
            let frame = match &mut self.old {
                Some(old) => old.tell(path, sent, waiting, occupancy),
                None => new,
            };
            self.under = Some((frame.expect("it has a peer"), 0));
            assert!((self.round | self.perhaps) >> path & 1 == 1, "path {path} is told twice");
            self.round &= !(1 << path);
            self.perhaps &= !(1 << path);
            self.count("told");
            if self.old.is_some() {
                self.count("told of the slot before");
            }
            if !self.model.said(path).knows_us {
                self.count("told hello");
            }
        }
    }
}
