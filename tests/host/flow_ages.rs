//! How long a flow has been in its state and held by a barrier, what it owes and since when, and why it left Active.

use super::reg_file::commit_flows;
use super::{fresh, get, put, Dut};
use crate::harness::records::{pack_back, pack_rx, pack_said};
use crate::harness::{Random, Tally};
use matchrdma_model::record::{Back, Rx, Said};
use matchrdma_spec::event;
use matchrdma_spec::params::FLOWS;
use matchrdma_spec::regs::{control, flow, timer};
use std::collections::BTreeMap;

/// A flow as it was last written, and what looks have found of it.
#[derive(Clone, Copy, Default)]
struct Flow {
    rx: Rx,
    back: Back,
    said: Said,
    age: Option<u16>,
    state: u32,
    since: u64,
    held_since: Option<u64>,
}

impl Flow {
    fn state(&self) -> u32 {
        match (self.back.fault, self.rx.drain || self.back.drain, self.back.active) {
            _ if self.rx.off || self.back.off => flow::STATE_OFF,
            (true, ..) => flow::STATE_FAULT,
            (_, true, _) => flow::STATE_DRAIN,
            (.., true) => flow::STATE_ACTIVE,
            _ => flow::STATE_SYNC,
        }
    }

    fn held(&self) -> bool {
        self.state() == flow::STATE_ACTIVE && self.said.barrier && self.said.run == self.rx.run
    }

    fn look(&mut self, now: u64) {
        if self.state() != self.state {
            (self.state, self.since) = (self.state(), now);
        }
        self.held_since = self.held().then(|| self.held_since.unwrap_or(now));
    }

    /// STATE, STATE_TICKS, DEBT, DEBT_AGE, HELD
    fn read(&self, now: u64) -> [u32; 5] {
        let ticks = if self.state() == self.state { (now - self.since).min(0x7f_ffff) as u32 } else { 0 };
        let held_for = self.held_since.filter(|_| self.held()).map_or(0, |since| (now - since).min(0x7fff) as u32);
        let owed = self.said.acked_psn.wrapping_sub(self.back.seen_psn) & 0xff_ffff;
        let owes = self.said.valid && self.said.run == self.rx.run && self.back.seen && owed < 1 << 23;
        let owed = if owes { owed } else { 0 };
        let cause = if self.back.cause != 0 { self.back.cause } else { self.rx.cause };
        [
            self.state() | u32::from(self.rx.run) << 8 | u32::from(cause) << 16,
            ticks,
            owed,
            self.age.filter(|_| owed > 0).unwrap_or(0).into(),
            held_for | u32::from(self.held()) << 16,
        ]
    }

    fn write(&self, dut: &mut Dut, index: u16) {
        dut.set_rx_addr(index.into());
        dut.set_rx_data(pack_rx(self.rx));
        dut.set_back_addr(index.into());
        dut.set_back_data(pack_back(self.back));
        dut.set_said_addr(index.into());
        dut.set_said_data(pack_said(self.said));
        dut.set_swept_valid(1);
        dut.set_age_valid(self.age.is_some().into());
        dut.set_age(self.age.unwrap_or(0x5a5a).into());
        dut.set_rx_we(1);
        dut.set_back_we(1);
        dut.set_said_we(1);
        dut.tick();
        dut.set_rx_we(0);
        dut.set_back_we(0);
        dut.set_said_we(0);
        dut.set_swept_valid(0);
    }
}

fn any(random: &mut Random) -> Flow {
    let run = random.bits(2) as u8;
    let (rare, seen_psn) = (random.chance(1, 6), random.bits(24) as u32);
    let owed = random.pick(&[0, 1, 77, 0x7f_ffff, 0x80_0000, 0xff_ffff]);
    let cause = random.below(16) as u8;
    let rx = Rx { serial: 9, run, drain: random.chance(1, 6), off: rare, cause, ..Rx::default() };
    let (fault, drain) = (random.chance(1, 6), random.chance(1, 6));
    let cause = random.pick(&[0, event::FAULT_DEBT]);
    let back = Back { run, active: random.chance(3, 4), fault, drain, seen: !rare, seen_psn, cause, ..Back::default() };
    let acked_psn = seen_psn.wrapping_add(owed) & 0xff_ffff;
    let run = if random.chance(1, 8) { run ^ 1 } else { run };
    let said = Said { run, valid: true, acked_psn, barrier: random.chance(3, 4), ..Said::default() };
    Flow { rx, back, said, age: random.pick(&[None, Some(3), Some(0x7fff)]), ..Flow::default() }
}

#[test]
fn an_operator_reads_for_how_long_and_why() {
    let (mut random, mut tally) = (Random::new(), Tally::default());
    let mut dut = fresh();
    let mut flows: BTreeMap<u16, Flow> =
        [0, 1, 2, 3, 700, 2047, 2048, 4094, 4095].map(|i| (i, Flow { since: 1 << 24, ..Flow::default() })).into();
    put(&mut dut, control::CONTROL.offset, 1);
    commit_flows(&mut dut, |_| 1 | 9 << 8);
    put(&mut dut, timer::TICK_LOG2.offset, 31);
    let mut now = 1u64 << 24;
    // Some states stay for long, some are gone before a look finds them.
    for round in 0..60u64 {
        for (index, f) in &mut flows {
            if round == 0 || random.chance(1, 3) {
                let Flow { state, since, held_since, .. } = *f;
                let new = any(&mut random);
                *f = Flow { state, since, held_since, ..new };
                f.write(&mut dut, *index);
            }
        }
        let read = |dut: &mut Dut, index: u16, f: &Flow, now: u64, tally: &mut Tally| {
            put(dut, flow::READ_INDEX.offset, index.into());
            while get(dut, flow::READ_STATUS.offset) == 1 {}
            let found =
                [flow::STATE, flow::STATE_TICKS, flow::DEBT, flow::DEBT_AGE, flow::HELD].map(|r| get(dut, r.offset));
            assert_eq!(found, f.read(now), "flow {index} in round {round}");
            tally.count(
                "in state",
                ["some", "none", "most"][usize::from(found[1] == 0) + 2 * usize::from(found[1] == 0x7f_ffff)],
            );
            let held = found[4] & 0x7fff;
            tally.count("held", ["some", "none", "most"][usize::from(held == 0) + 2 * usize::from(held == 0x7fff)]);
            tally.count("debt age", found[3].min(4));
        };
        flows.iter().for_each(|(index, f)| read(&mut dut, *index, f, now, &mut tally));
        // Ticks, or none; now and then so many that no more can be told.
        let ticks = match round % 20 {
            19 => vec![30_000; 300],
            _ => random.pick(&[vec![], vec![1], vec![2], vec![300], vec![0x7fff]]),
        };
        for by in ticks {
            now += by;
            put(&mut dut, timer::NOW.offset, (now & 0xff_ffff) as u32);
            // A host that reads all the time takes no look away.
            let reads = random.chance(1, 2);
            for _ in 0..FLOWS + 100 {
                if reads {
                    put(&mut dut, flow::READ_INDEX.offset, random.bits(12) as u32);
                } else {
                    dut.tick();
                }
            }
            flows.values_mut().for_each(|f| f.look(now));
        }
    }
    tally.print();
    tally.reached("in state", &["some", "none", "most"], 5);
    tally.reached("held", &["some", "none", "most"], 5);
    tally.reached("debt age", &[0, 3, 4], 5);
}
