//! A host that knows how the destination's data centre will drain: beside the traffic it sees when a slot begins, writes
//! the forecast of each path, at the destination, or a calendar of its own path, at a source, and commits it.

use crate::engine::{Access, Gateway};
use crate::scenario::Scenario;
use matchrdma::calendar::{entries, Slots};
use matchrdma::tables::of_mask;
use matchrdma_spec::regs::table::{self, CALENDAR, PATH};
use matchrdma_spec::regs::{entry, rate, Reg};
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

/// Whose host it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The destination's: a path for each source.
    Destination,
    /// That of a source, whose first path leads to the destination.
    Source(usize),
}

/// The host.
pub struct Notice {
    whose: Whose,
    stage: Stage,
    /// What the client port drains: from when on (ps), bits per second.
    rates: Vec<(u64, u64)>,
    /// Until then, ps.
    until_ps: u64,
    /// What it says acts so much later; below 0: earlier.
    later_ps: i64,
    /// Weight of each path that it sets, and of all sources.
    weights: Vec<u64>,
    all_weights: u64,
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
    pub fn new(s: &Scenario, whose: Whose, rates: &[(u64, u64)], until: u64) -> Self {
        let ps = |cycle: u64| (u128::from(cycle) * 1_000_000_000_000 / u128::from(s.clock_hz)) as u64;
        let weights: Vec<u64> = (0..s.source_count()).map(|n| s.source(n).weight.into()).collect();
        let all_weights = weights.iter().sum();
        let (hz, early_ps, weights) = match whose {
            Whose::Destination => (s.destination.hz(s.clock_hz), 0, weights),
            Whose::Source(n) => {
                let source = s.source(n);
                (source.hz(s.clock_hz), ps(s.cycles(source.one_way_delay_us)) as i64, vec![weights[n]])
            }
        };
        let length_ps = ((1u64 << s.slot_log2_cycles) as f64 * 1e12 / hz).round() as u64;
        Notice {
            whose,
            stage: Stage::Slot(None),
            rates: rates.iter().map(|(at, bps)| (ps(*at), *bps)).collect(),
            until_ps: ps(until),
            later_ps: (s.destination.calendar_late_slots * length_ps as f64) as i64 - early_ps,
            weights,
            all_weights,
            length_ps,
            clock_hz: s.clock_hz,
            lead: LEAD,
            start: 0,
            writes: VecDeque::new(),
            under_way: None,
        }
    }

    /// An access of its own is on the bus.
    pub fn under_way(&self) -> bool {
        self.under_way.is_some()
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
        for (path, weight) in self.weights.iter().enumerate() {
            let share: Vec<_> = self.rates.iter().map(|(at, bps)| (*at, bps * weight / self.all_weights)).collect();
            let entries = entries(&share, &slots, self.start, count, self.later_ps).map_err(|e| e.to_string())?;
            let mirror = gateway.mirror();
            match self.whose {
                Whose::Destination => mirror.set_forecast(path, 0, &entries, false, self.start),
                Whose::Source(_) => {
                    mirror.set_calendar(path, &entries);
                    let settings = entry::Path {
                        mode: entry::MODE_LESSER,
                        length: entries.len() as u16,
                        start: self.start,
                        ..mirror.path(path)
                    };
                    mirror.set_path(path, &settings);
                }
            }
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
    use crate::scenario::Scheme;
    use crate::setup::{configure, configure_destination};
    use entry::{CalendarEntry, Path, MODE_LESSER};

    /// The host of an end, beside a gateway of the model; what it reports, and the paths as they are then.
    fn told(whose: Whose, change: impl Fn(&mut Notice)) -> (Result<(), String>, ModelGateway, Notice) {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/calendar-gateways/scenario.toml");
        let s = Scenario::read(file.as_ref()).expect("a scenario of the tree");
        let mut gateway = ModelGateway::new();
        let mut host = Host::new(&mut gateway);
        match whose {
            Whose::Destination => configure_destination(&mut host, &s),
            Whose::Source(n) => configure(&mut host, &s, Scheme::MatchRdmaCalendarBoth, n),
        }
        .expect("it is set");
        // Half the rate from cycle 200,000 on, of 400,000: slot 97 or so, of 195.
        let mut notice = Notice::new(&s, whose, &[(0, 25_000_000_000), (200_000, 12_500_000_000)], 400_000);
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
        let (said, mut gateway, notice) = told(Whose::Destination, |_| ());
        assert_eq!((said, notice.stage), (Ok(()), Stage::Done));
        let path = gateway.mirror().path(0);
        assert_eq!((path.forecast_length, path.forecast_start, path.peer_on), (3, notice.start, true));
        assert_eq!(gateway.mirror().changed(), 0, "all of it is in force");
    }

    #[test]
    fn a_source_has_it_as_a_calendar_a_lines_delay_earlier() {
        let told = |change: fn(&mut Notice)| {
            let (said, mut gateway, notice) = told(Whose::Source(0), change);
            assert_eq!((said, notice.stage), (Ok(()), Stage::Done));
            let mirror = gateway.mirror();
            assert_eq!(mirror.changed(), 0, "all of it is in force");
            let Path { mode, length, loops, start, forecast_length, .. } = mirror.path(0);
            assert_eq!((mode, length, loops, start, forecast_length), (MODE_LESSER, 3, false, notice.start, 0));
            let [high, between, low] = [0, 2, 4].map(|n| CalendarEntry::unpack(&mirror.wanted(CALENDAR)[n..]));
            // When the rate falls, in slots.
            let part = f64::from(between.budget - low.budget) / f64::from(high.budget - low.budget);
            f64::from(start + high.slots) + part
        };
        // 104 us are 26,000 cycles, and so many slots of 2048.
        let earlier = told(|notice| notice.later_ps = 0) - told(|_| ());
        assert!((earlier - 26_000.0 / 2048.0).abs() < 0.001, "{earlier}");
    }

    #[test]
    fn it_tells_when_the_forecast_comes_too_late_or_does_not_fit() {
        let (said, ..) = told(Whose::Destination, |notice| notice.lead = 1);
        assert!(said.is_err_and(|e| e.contains("expected before")));
        // Another rate in each of 400 slots.
        let (said, ..) = told(Whose::Destination, |notice| {
            notice.rates = (0..1000).map(|n| (n * 4_000_000, 10_000_000_000 + n * 10_000_000)).collect();
            notice.until_ps = 400 * notice.length_ps;
        });
        assert!(said.is_err_and(|e| e.contains("expected at most 256")));
    }
}
