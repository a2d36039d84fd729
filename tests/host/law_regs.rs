//! What the host tells the budget rail, and what it sees of it.

use crate::harness::Random;
use matchrdma_rtl::law_regs::Dut;
use matchrdma_spec::heard::HEARD;
use matchrdma_spec::params::PATHS;
use matchrdma_spec::regs::{law, Access, Reg};

/// Widths of what is known of a path, from the lowest bit up: session, knows_us, number, slot, echo, rate, limit, waiting,
/// offset, lease, live, lapsed.
const KNOWN: [usize; 12] = [32, 1, 64, 64, 64, 32, 64, 64, 64, 16, 1, 1];
/// Widths of the levels: line, floor, capacity, tau, a, p, c, h, site, session, from_wire, to_wire, slot_ps, clock_hz,
/// capabilities, lease, dst, src.
const LEVELS: [usize; 18] = [32, 32, 48, 2, 5, 5, 5, 5, 16, 32, 36, 48, 64, 32, 32, 16, 48, 48];

fn pack<const N: usize>(values: &[u64], widths: &[usize]) -> [u32; N] {
    let (mut words, mut at) = ([0; N], 0);
    for (value, width) in values.iter().zip(widths) {
        for i in 0..*width {
            words[(at + i) / 32] |= ((value >> i & 1) as u32) << ((at + i) % 32);
        }
        at += width;
    }
    words
}

/// Everything that is seen of one path.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    known: [u64; 12],
    arrived: u64,
    sent: u64,
    occupancy: u64,
    est: u64,
    hi: u64,
    slot: u64,
    grant: u64,
    limit: u64,
}

struct Bench {
    dut: Dut,
    random: Random,
    /// What each register of the map reads.
    words: Vec<u32>,
    /// What is in force, as [`LEVELS`].
    levels: [u64; 18],
    grants: [(u64, u64); PATHS],
    look: Option<usize>,
    shown: Seen,
    /// One cycle in so many takes a look, and has a pulse.
    busy: u64,
    looks: u32,
}

fn place(reg: &Reg) -> usize {
    usize::from(reg.offset - law::BASE) / 4
}

impl Bench {
    fn new(busy: u64) -> Self {
        let mut bench = Bench {
            dut: Dut::new(),
            random: Random::new(),
            words: vec![],
            levels: [0; 18],
            grants: [(0, 0); PATHS],
            look: None,
            shown: Seen::default(),
            busy,
            looks: 0,
        };
        bench.reset();
        bench
    }

    fn reset(&mut self) {
        self.dut.set_rst(1);
        (0..4).for_each(|_| self.dut.tick());
        self.dut.set_rst(0);
        self.words = law::RESET.into_iter().chain([0; 64]).take(law::MAP.len()).collect();
        (self.look, self.shown) = (None, Seen::default());
        for reg in law::MAP.iter().filter(|reg| reg.access == Access::RW) {
            self.enforce(reg);
        }
    }

    fn word(&self, reg: &Reg) -> u64 {
        self.words[place(reg)].into()
    }

    /// The register was written: what that puts into force.
    fn enforce(&mut self, reg: &Reg) {
        let pairs = [
            (law::CAPACITY_HIGH, law::CAPACITY_LOW, 2),
            (law::FROM_WIRE_HIGH, law::FROM_WIRE_LOW, 10),
            (law::TO_WIRE_HIGH, law::TO_WIRE_LOW, 11),
            (law::SLOT_PS_HIGH, law::SLOT_PS_LOW, 12),
            (law::DST_HIGH, law::DST_LOW, 16),
            (law::SRC_HIGH, law::SRC_LOW, 17),
        ];
        let singles = [
            (law::LINE, 0),
            (law::FLOOR, 1),
            (law::SITE, 8),
            (law::SESSION, 9),
            (law::CLOCK_HZ, 13),
            (law::CAPABILITIES, 14),
            (law::LEASE, 15),
        ];
        if let Some((high, low, level)) = pairs.iter().find(|pair| pair.0 == *reg) {
            self.levels[*level] = self.word(high) << 32 | self.word(low);
        }
        if let Some((reg, level)) = singles.iter().find(|pair| pair.0 == *reg) {
            self.levels[*level] = self.word(reg);
        }
        if *reg == law::SHIFTS {
            let word = self.words[place(reg)];
            for (level, field) in (3..8).zip([law::TAU, law::A, law::P, law::C, law::H]) {
                self.levels[level] = field.get(word).into();
            }
        }
    }

    /// One cycle, in which anything may happen.
    fn step(&mut self) {
        let r = &mut self.random;
        let mut seen = Seen::default();
        for (value, width) in seen.known.iter_mut().zip(KNOWN) {
            *value = r.bits(width as u32);
        }
        (seen.arrived, seen.sent, seen.occupancy) = (r.u64(), r.u64(), r.bits(48));
        (seen.est, seen.hi, seen.slot) = (r.bits(32), r.bits(32), r.bits(48));
        self.dut.set_said(pack(&seen.known, &KNOWN));
        self.dut.set_arrived(seen.arrived);
        self.dut.set_sent(seen.sent);
        self.dut.set_occupancy(seen.occupancy);
        self.dut.set_est(seen.est as u32);
        self.dut.set_hi(seen.hi as u32);
        self.dut.set_slot(seen.slot);
        let looked = r.chance(1, self.busy);
        self.dut.set_looked(looked.into());
        self.dut.settle();
        assert_eq!(self.dut.look() == 1, self.look.is_some());
        if let (true, Some(path)) = (looked, self.look) {
            assert_eq!(self.dut.look_path() as usize, path);
            (seen.grant, seen.limit) = self.grants[path];
            (self.shown, self.look) = (seen, None);
            self.looks += 1;
            self.show();
        }
        // a budget of the law, which the look of the same cycle does not see
        let r = &mut self.random;
        let (gives, path, grant, limit) = (r.chance(1, 3), r.below(16) as usize, r.bits(32), r.u64());
        self.dut.set_budget_valid(gives.into());
        self.dut.set_budget_path(path as u32);
        self.dut.set_budget_grant(grant as u32);
        self.dut.set_budget_limit(limit);
        if gives {
            self.grants[path] = (grant, limit);
        }
        let pulses: [bool; 5] = std::array::from_fn(|_| r.chance(1, self.busy));
        let [heard, high, lost, lapse, late] = pulses;
        let code = r.below(HEARD.len() as u64) as usize;
        self.dut.set_heard_valid(heard.into());
        self.dut.set_heard(code as u32);
        self.dut.set_heard_high(high.into());
        self.dut.set_lost(lost.into());
        self.dut.set_lapse_valid(lapse.into());
        self.dut.set_late(late.into());
        let counted = [
            (law::HEARD[code], heard),
            (law::CLAMPED, heard && high),
            (law::LOST, lost),
            (law::LAPSES, lapse),
            (law::LATE, late),
        ];
        for (reg, counts) in counted {
            self.words[place(&reg)] += u32::from(counts);
        }
        self.words[place(&law::STATUS)] = self.look.is_some().into();
        self.dut.rise();
    }

    /// What the look shows in the registers.
    fn show(&mut self) {
        let s = self.shown;
        let [session, knows_us, number, slot, echo, rate, limit, waiting, _, lease, live, lapsed] = s.known;
        let bit = |value: u64, field: matchrdma_spec::regs::RegField| field.with(0, value as u32);
        let peer = bit(live, law::LIVE_FIELD) | bit(lapsed, law::LAPSED_FIELD) | bit(knows_us, law::KNOWS_US_FIELD);
        let singles = [
            (law::EST, s.est),
            (law::HI, s.hi),
            (law::PEER_SESSION, session),
            (law::PEER, (peer | bit(lease, law::LEFT_FIELD)).into()),
            (law::RATE, rate),
            (law::GRANT, s.grant),
        ];
        let pairs = [
            (law::SLOT_LOW, law::SLOT_HIGH, s.slot),
            (law::SEQUENCE_LOW, law::SEQUENCE_HIGH, number),
            (law::PEER_SLOT_LOW, law::PEER_SLOT_HIGH, slot),
            (law::ECHO_LOW, law::ECHO_HIGH, echo),
            (law::LIMIT_LOW, law::LIMIT_HIGH, limit),
            (law::WAITING_LOW, law::WAITING_HIGH, waiting),
            (law::ARRIVED_LOW, law::ARRIVED_HIGH, s.arrived),
            (law::GRANT_LIMIT_LOW, law::GRANT_LIMIT_HIGH, s.limit),
            (law::SENT_LOW, law::SENT_HIGH, s.sent),
            (law::OCCUPANCY_LOW, law::OCCUPANCY_HIGH, s.occupancy),
        ];
        for (reg, value) in singles {
            self.words[place(&reg)] = value as u32;
        }
        for (low, high, value) in pairs {
            self.words[place(&low)] = value as u32;
            self.words[place(&high)] = (value >> 32) as u32;
        }
    }

    fn write(&mut self, reg: &Reg, value: u32) {
        self.dut.set_wa(reg.offset.into());
        self.dut.set_wd(value);
        self.dut.set_wr(1);
        self.step();
        self.dut.set_wr(0);
        let mask = reg.fields.iter().fold(0, |mask, field| mask | field.mask());
        self.words[place(reg)] = if reg.fields.is_empty() { value } else { value & mask };
        self.enforce(reg);
        if *reg == law::PATH {
            self.look = Some(self.words[place(reg)] as usize);
            self.words[place(&law::STATUS)] = 1;
        }
    }

    /// Reads a register: it shows what it held a cycle after its address was there.
    fn read(&mut self, reg: &Reg) {
        self.dut.set_ra(reg.offset.into());
        self.step();
        let due = self.words[place(reg)];
        self.step();
        assert_eq!(self.dut.rd(), due, "{}", reg.name);
    }

    fn levels(&mut self) {
        self.dut.settle();
        assert_eq!(self.dut.set(), pack(&self.levels, &LEVELS));
    }
}

#[test]
fn out_of_reset_the_rail_is_off_and_nothing_was_seen() {
    let mut bench = Bench::new(u64::MAX);
    bench.levels();
    law::MAP.iter().for_each(|reg| bench.read(reg));
    let (line, tau, session, dst) = (bench.levels[0], bench.levels[3], bench.levels[9], bench.levels[16]);
    assert_eq!((line, tau, session, dst), (1_638_400, 2, 0, 0xffff_ffff_ffff));
    assert_eq!([bench.levels[10], bench.levels[11], bench.levels[12]], [1 << 29, 1 << 35, 131_072_000]);
}

#[test]
fn settings_looks_and_counters_are_what_a_plain_list_says() {
    for busy in [2, 9, 60] {
        let mut bench = Bench::new(busy);
        let writable: Vec<Reg> = law::MAP.iter().filter(|reg| reg.access == Access::RW).copied().collect();
        for _ in 0..12_000 {
            match bench.random.below(8) {
                0 | 1 => {
                    let (any, one) = (bench.random.u32(), 1 << bench.random.below(32));
                    let (reg, value) = (bench.random.pick(&writable), bench.random.pick(&[any, one, 0, !0]));
                    bench.write(&reg, value);
                }
                2 => {
                    let path = bench.random.u32();
                    bench.write(&law::PATH, path);
                }
                // the same places of other blocks
                3 => {
                    let other = bench.random.pick(&[0x100, 0x200, 0x400, 0x1300, 0x8300]);
                    let at = other + 4 * bench.random.below(64) as u32;
                    bench.dut.set_wa(at);
                    bench.dut.set_wd(!0);
                    bench.dut.set_wr(1);
                    bench.dut.set_ra(at);
                    bench.step();
                    bench.dut.set_wr(0);
                    bench.step();
                    assert_eq!(bench.dut.rd(), 0, "{at:#x}");
                }
                _ => {
                    let reg = bench.random.pick(law::MAP);
                    bench.read(&reg);
                }
            }
            bench.levels();
        }
        let counted: u32 = law::HEARD.iter().map(|reg| bench.words[place(reg)]).sum();
        println!("{} looks, {counted} frames heard", bench.looks);
        assert!(bench.looks > 200 && law::HEARD.iter().all(|reg| bench.words[place(reg)] > 10));
        // a reset forgets the look too
        bench.reset();
        bench.levels();
        law::MAP.iter().for_each(|reg| bench.read(reg));
    }
}
