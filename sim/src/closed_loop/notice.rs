//! The host of the destination, which knows how its data centre will drain: beside the traffic it sees when a slot begins,
//! writes the forecast of each path, and commits it.

use crate::engine::{Access, Gateway};
use crate::scenario::Scenario;
use matchrdma::calendar::{entries, Slots};
use matchrdma::tables::of_mask;
use matchrdma_spec::regs::table::{self, CALENDAR, PATH};
use matchrdma_spec::regs::{rate, Reg};
use std::collections::VecDeque;

/// Slots from the one seen to begin to the first of the forecast: what the writes and the checks of a commit take, and more.
const LEAD: u32 = 32;
const MASK: u32 = 1 << PATH | 1 << CALENDAR;

/// What the host waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// A slot that begins; the one that ran when it looked last.
    Slot(Option<u32>),
    /// What is to be written is written.
    Load,
    /// The commit.
    Commit,
    /// The slot, which the forecast must not have begun in.
    Check,
    /// Nothing more.
    Done,
}

/// The host.
pub struct Notice {
    stage: Stage,
    /// What the client port drains: from when on (ps), bits per second.
    rates: Vec<(u64, u64)>,
    /// Until then, ps.
    until_ps: u64,
    later_ps: i64,
    /// Share of each path, by weight.
    weights: Vec<u64>,
    length_ps: u64,
    clock_hz: u64,
    lead: u32,
    start: u32,
    writes: VecDeque<(u16, u32)>,
    /// The access under way.
    under_way: Option<Access>,
}

impl Notice {
    /// Of the rates from the run's first cycle on to cycle `until`: each holds from a cycle on, bits per second.
    pub fn new(s: &Scenario, rates: &[(u64, u64)], until: u64) -> Self {
        let ps = |cycle: u64| (u128::from(cycle) * 1_000_000_000_000 / u128::from(s.clock_hz)) as u64;
        let cycles = (1u64 << s.slot_log2_cycles) as f64;
        let length_ps = (cycles * 1e12 / s.destination.hz(s.clock_hz)).round() as u64;
        Notice {
            stage: Stage::Slot(None),
            rates: rates.iter().map(|(at, bps)| (ps(*at), *bps)).collect(),
            until_ps: ps(until),
            later_ps: (s.destination.calendar_late_slots * length_ps as f64) as i64,
            weights: (0..s.source_count()).map(|n| s.source(n).weight.into()).collect(),
            length_ps,
            clock_hz: s.clock_hz,
            lead: LEAD,
            start: 0,
            writes: VecDeque::new(),
            under_way: None,
        }
    }

    /// A cycle of the run, before the gateway's: an access begins when none is under way.
    pub fn cycle(&mut self, gateway: &mut dyn Gateway, now: u64) -> Result<(), String> {
        if let Some(access) = self.under_way {
            let Some(answer) = gateway.answer() else { return Ok(()) };
            self.under_way = None;
            self.answered(gateway, access, answer.map_err(|e| e.to_string())?, now)?;
        }
        let read = |reg: &Reg| Some(Access::Read(reg.offset));
        self.under_way = match self.stage {
            Stage::Slot(_) | Stage::Check => read(&rate::SLOT),
            Stage::Load => self.writes.front().map(|(address, value)| Access::Write(*address, *value)),
            Stage::Commit => read(&table::STATUS),
            Stage::Done => None,
        };
        self.under_way.into_iter().for_each(|access| gateway.begin(access));
        Ok(())
    }

    fn answered(&mut self, gateway: &mut dyn Gateway, access: Access, word: u32, now: u64) -> Result<(), String> {
        match self.stage {
            Stage::Slot(before) => {
                if before.is_some_and(|before| before != word) {
                    self.load(gateway, word, now)?;
                } else {
                    self.stage = Stage::Slot(Some(word));
                }
            }
            Stage::Load => {
                self.writes.pop_front();
                if let Access::Write(address, value) = access {
                    gateway.mirror().wrote(address, value);
                }
                if self.writes.is_empty() {
                    self.stage = Stage::Commit;
                }
            }
            Stage::Commit if table::BUSY.get(word) == 1 => {}
            Stage::Commit => {
                let code = table::CODE.get(word);
                if code != table::CODE_OK {
                    return Err(format!("the forecast refused: {}", table::CODES[code as usize]));
                }
                gateway.mirror().committed(MASK);
                self.stage = Stage::Check;
            }
            Stage::Check => {
                if word.wrapping_sub(self.start) < 1 << 31 {
                    return Err(format!("the forecast in force in slot {word}: expected before {}", self.start));
                }
                self.stage = Stage::Done;
            }
            Stage::Done => {}
        }
        Ok(())
    }

    /// Slot `number` began a few cycles ago.
    fn load(&mut self, gateway: &mut dyn Gateway, number: u32, now: u64) -> Result<(), String> {
        let began_ps = (u128::from(now) * 1_000_000_000_000 / u128::from(self.clock_hz)) as u64;
        let slots = Slots { number, began_ps, length_ps: self.length_ps };
        self.start = number.wrapping_add(self.lead);
        let count = (self.until_ps.saturating_sub(began_ps) / self.length_ps) as u32 + 1;
        let all: u64 = self.weights.iter().sum();
        for (path, weight) in self.weights.iter().enumerate() {
            let share: Vec<_> = self.rates.iter().map(|(at, bps)| (*at, bps * weight / all)).collect();
            let entries = entries(&share, &slots, self.start, count, self.later_ps).map_err(|e| e.to_string())?;
            gateway.mirror().set_forecast(path, 0, &entries, false, self.start);
        }
        let mirror = gateway.mirror();
        self.writes = mirror.writes(MASK).into();
        self.writes.extend(of_mask(MASK).map(|table| (table::CRC[table].offset, mirror.crc(table))));
        self.writes.push_back((table::COMMIT.offset, MASK));
        self.stage = Stage::Load;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configure::Host;
    use crate::model_gateway::ModelGateway;
    use crate::setup::configure_destination;

    /// The host, in so many cycles of a destination of the model; what it reports, and the paths as they are then.
    fn told(change: impl Fn(&mut Notice)) -> (Result<(), String>, ModelGateway, Notice) {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/calendar-gateways/scenario.toml");
        let s = Scenario::read(file.as_ref()).expect("a scenario of the tree");
        let mut gateway = ModelGateway::new();
        configure_destination(&mut Host::new(&mut gateway), &s).expect("it is set");
        // Half the rate from cycle 200,000 on, of 400,000: slot 97 or so, of 195.
        let mut notice = Notice::new(&s, &[(0, 25_000_000_000), (200_000, 12_500_000_000)], 400_000);
        change(&mut notice);
        for now in 0..100_000 {
            if let Err(e) = notice.cycle(&mut gateway, now) {
                return (Err(e), gateway, notice);
            }
            gateway.tick(None, None, true, true);
        }
        (Ok(()), gateway, notice)
    }

    #[test]
    fn it_says_what_each_slot_drains_before_the_first_of_them_begins() {
        let (said, mut gateway, notice) = told(|_| ());
        assert_eq!((said, notice.stage), (Ok(()), Stage::Done));
        let path = gateway.mirror().path(0);
        assert_eq!((path.forecast_length, path.forecast_start, path.peer_on), (3, notice.start, true));
        assert_eq!(gateway.mirror().changed(), 0, "all of it is in force");
    }

    #[test]
    fn it_tells_when_the_forecast_comes_too_late_or_does_not_fit() {
        let (said, ..) = told(|notice| notice.lead = 1);
        assert!(said.is_err_and(|e| e.contains("expected before")));
        // Another rate in each of 400 slots.
        let (said, ..) = told(|notice| {
            notice.rates = (0..1000).map(|n| (n * 4_000_000, 10_000_000_000 + n * 10_000_000)).collect();
            notice.until_ps = 400 * notice.length_ps;
        });
        assert!(said.is_err_and(|e| e.contains("expected at most 256")));
    }
}
