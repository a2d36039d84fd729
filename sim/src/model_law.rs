//! Block `LAW` of a [`ModelGateway`](crate::model_gateway::ModelGateway): settings for `model::budget_rail`, looks at it,
//! counters.

use matchrdma_model::budget_rail::{BudgetRail, RailCfg};
use matchrdma_model::budget_rx::{BudgetCfg, Heard};
use matchrdma_model::rate_estimator::EstimatorCfg;
use matchrdma_model::reservoir::ReservoirCfg;
use matchrdma_spec::params::PATHS;
use matchrdma_spec::regs::law::{self, number, words};
use matchrdma_spec::regs::{Access, Reg, RegField};

/// What the registers hold.
pub struct ModelLaw {
    words: Vec<u32>,
    /// High and low words that are in force of the settings of two words.
    force: Vec<u32>,
    wanted: Option<usize>,
}

fn place(reg: &Reg) -> usize {
    law::MAP.iter().position(|at| at == reg).expect("a register of the block")
}

impl Default for ModelLaw {
    fn default() -> Self {
        let words: Vec<u32> = law::RESET.into_iter().chain([0; 64]).take(law::MAP.len()).collect();
        ModelLaw { force: words.clone(), words, wanted: None }
    }
}

impl ModelLaw {
    /// Writes one of its registers; `None`: it is none of them. `Some(true)`: other settings are in force, see
    /// [`ModelLaw::cfg`].
    pub fn write(&mut self, addr: u16, value: u32) -> Option<bool> {
        let at = law::MAP.iter().position(|reg| reg.offset == addr && reg.access != Access::RO)?;
        let reg = &law::MAP[at];
        let kept = reg.fields.iter().fold(0, |mask, field| mask | field.mask());
        self.words[at] = if reg.fields.is_empty() { value } else { value & kept };
        if *reg == law::PATH {
            self.wanted = Some(law::PATH_FIELD.get(value) as usize);
            return Some(false);
        }
        if reg.name.ends_with("_LOW") {
            return Some(false);
        }
        let both = if reg.name.ends_with("_HIGH") { at - 1..=at } else { at..=at };
        self.force[both.clone()].copy_from_slice(&self.words[both]);
        Some(true)
    }

    /// Reads one of its registers; `None`: it is none of them.
    pub fn read(&self, addr: u16) -> Option<u32> {
        let at = law::MAP.iter().position(|reg| reg.offset == addr)?;
        Some(match law::MAP[at] {
            law::STATUS => self.wanted.is_some().into(),
            _ => self.words[at],
        })
    }

    /// The settings in force.
    pub fn cfg(&self) -> RailCfg {
        let one = |reg: &Reg| self.force[place(reg)];
        let two = |low: &Reg, high: &Reg| number(one(low), one(high));
        let shift = |field: RegField| field.get(one(&law::SHIFTS));
        let (line, floor) = (one(&law::LINE), one(&law::FLOOR));
        RailCfg {
            budget: BudgetCfg {
                site: one(&law::SITE) as u16,
                session: one(&law::SESSION),
                line,
                floor,
                from_wire: two(&law::FROM_WIRE_LOW, &law::FROM_WIRE_HIGH),
                to_wire: two(&law::TO_WIRE_LOW, &law::TO_WIRE_HIGH),
                slot_ps: two(&law::SLOT_PS_LOW, &law::SLOT_PS_HIGH),
                clock_hz: one(&law::CLOCK_HZ),
                capabilities: one(&law::CAPABILITIES),
                lease: one(&law::LEASE) as u16,
            },
            estimator: EstimatorCfg {
                line: line.into(),
                a: shift(law::A),
                p: shift(law::P),
                c: shift(law::C),
                h: shift(law::H),
            },
            law: ReservoirCfg {
                line: line.into(),
                capacity: two(&law::CAPACITY_LOW, &law::CAPACITY_HIGH) as i64,
                floor: floor.into(),
                tau: shift(law::TAU),
            },
            addresses: (two(&law::DST_LOW, &law::DST_HIGH), two(&law::SRC_LOW, &law::SRC_HIGH)),
        }
    }

    /// The path that is to be looked at, if a look is wanted.
    pub fn wanted(&self) -> Option<usize> {
        self.wanted
    }

    /// Takes the look that is wanted; `sent` and `occupancy` are the path's.
    pub fn look(&mut self, rail: &BudgetRail, sent: u64, occupancy: u64) {
        let Some(path) = self.wanted.take().filter(|path| *path < PATHS) else { return };
        let (said, budget, (est, hi)) = (rail.said(path), rail.budget(path), rail.estimate());
        let peer = law::LIVE_FIELD.with(0, said.live.into());
        let peer = law::KNOWS_US_FIELD.with(law::LAPSED_FIELD.with(peer, said.lapsed.into()), said.knows_us.into());
        let ones = [
            (law::EST, est as u32),
            (law::HI, hi as u32),
            (law::PEER_SESSION, said.session),
            (law::PEER, law::LEFT_FIELD.with(peer, said.lease.into())),
            (law::RATE, said.rate),
            (law::GRANT, budget.grant),
        ];
        let twos = [
            (law::SLOT_LOW, rail.slot_number()),
            (law::SEQUENCE_LOW, said.sequence),
            (law::PEER_SLOT_LOW, said.slot),
            (law::ECHO_LOW, said.echo),
            (law::LIMIT_LOW, said.limit),
            (law::WAITING_LOW, said.waiting),
            (law::ARRIVED_LOW, said.arrived),
            (law::GRANT_LIMIT_LOW, budget.limit),
            (law::SENT_LOW, sent),
            (law::OCCUPANCY_LOW, occupancy),
        ];
        for (reg, word) in ones {
            self.words[place(&reg)] = word;
        }
        for (low, value) in twos {
            let at = place(&low);
            self.words[at..=at + 1].copy_from_slice(&words(value));
        }
    }

    /// Counts what became of a budget frame.
    pub fn heard(&mut self, heard: Heard) {
        self.count(&law::HEARD[usize::from(heard.code())], 1);
        self.count(&law::CLAMPED, matches!(heard, Heard::Budget(_, true)).into());
    }

    /// Counts leases that ran out, as bits.
    pub fn lapses(&mut self, paths: u16) {
        self.count(&law::LAPSES, paths.count_ones());
    }

    fn count(&mut self, reg: &Reg, more: u32) {
        let at = place(reg);
        self.words[at] = self.words[at].wrapping_add(more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use matchrdma::rail::{Look, Settings, Shifts};
    use matchrdma_model::budget_rx::Refused;

    fn put(law: &mut ModelLaw, settings: &Settings) {
        for (reg, word) in settings.writes() {
            assert!(law.write(reg.offset, word).is_some(), "{}", reg.name);
        }
    }

    #[test]
    fn what_the_host_sets_is_what_the_model_gets() {
        let mut law = ModelLaw::default();
        assert_eq!(law.cfg().budget.session, 0, "off out of reset");
        let shifts = Shifts { tau: 3, a: 5, p: 6, c: 7, h: 31 };
        let settings = Settings {
            slot_k: 11,
            capacity: 0x1234_5678_9abc,
            dst: 0x0102_0304_0506,
            shifts,
            ..Settings::new(0xabcd, 77)
        };
        put(&mut law, &settings);
        let RailCfg { budget, estimator, law: reservoir, addresses } = law.cfg();
        assert_eq!((budget.site, budget.session, budget.line, budget.floor), (0xabcd, 77, 102_400, 400));
        assert_eq!((budget.slot_ps, budget.lease, budget.clock_hz), (8_192_000, 32, 250_000_000));
        assert_eq!((budget.from_wire, budget.to_wire), law::factors(8_192_000));
        assert_eq!((estimator.a, estimator.p, estimator.c, estimator.h), (5, 6, 7, 31));
        assert_eq!((reservoir.capacity, reservoir.tau, reservoir.line), (0x1234_5678_9abc, 3, 102_400));
        assert_eq!(addresses, (0x0102_0304_0506, 0x0200_0000_0001));
    }

    #[test]
    fn a_low_word_waits_for_its_high_word() {
        let mut law = ModelLaw::default();
        assert_eq!(law.write(law::CAPACITY_LOW.offset, 5), Some(false));
        assert_eq!((law.cfg().law.capacity, law.read(law::CAPACITY_LOW.offset)), (1 << 20, Some(5)));
        assert_eq!(law.write(law::CAPACITY_HIGH.offset, 0x1_0001), Some(true));
        assert_eq!((law.cfg().law.capacity, law.read(law::CAPACITY_HIGH.offset)), (0x1_0000_0005, Some(1)));
        assert_eq!((law.write(law::EST.offset, 1), law.write(0, 1), law.read(0)), (None, None, None));
    }

    #[test]
    fn a_look_says_what_the_rail_says_and_counters_count() {
        let mut law = ModelLaw::default();
        put(&mut law, &Settings::new(1, 2));
        let rail = BudgetRail::new(law.cfg());
        law.look(&rail, 9, 9);
        let busy = |law: &ModelLaw| law.read(law::STATUS.offset);
        assert_eq!((law.read(law::EST.offset), busy(&law)), (Some(0), Some(0)), "none was wanted");
        law.write(law::PATH.offset, 5);
        assert_eq!((busy(&law), law.wanted()), (Some(1), Some(5)));
        law.look(&rail, 1 << 40, 7);
        let seen = Look::read(|reg| law.read(reg.offset).ok_or(())).unwrap();
        let expected = Look { est: 1_638_400, hi: 1_638_400, sent: 1 << 40, occupancy: 7, ..Look::default() };
        assert_eq!((seen, busy(&law)), (expected, Some(0)));
        law.heard(Heard::Budget(1, true));
        law.heard(Heard::Refused(Refused::Tag));
        law.lapses(0b101);
        let counts = [law::HEARD_BUDGET, law::HEARD_TAG, law::HEARD_OLD, law::CLAMPED, law::LAPSES];
        assert_eq!(counts.map(|reg| law.read(reg.offset).unwrap()), [1, 1, 0, 1, 2]);
    }
}
