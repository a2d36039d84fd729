//! Every register of the map, and nothing beside it.

use super::{fresh, get, put, read, reset, Dut, OKAY, SLVERR};
use crate::harness::records::{pack_back, pack_rx, pack_said};
use crate::harness::Random;
use matchrdma_model::record::{Back, Rx, Said};
use matchrdma_spec::hash::{crc32, FlowKey};
use matchrdma_spec::params::{CLOCK_HZ, FLOWS, SLOT_K_MAX, SLOT_K_MIN};
use matchrdma_spec::regs::{
    self, control, counters, event, flow, id, law, meter, pacer, pfc, table, upcall, Access, Reg,
};
use std::collections::BTreeMap;

/// Registers that `reg_file` has: those of `watch`, `pfc_regs` and `law_regs` are on the same bus beside it.
fn here() -> impl Iterator<Item = &'static Reg> {
    let beside = [meter::MAP, event::MAP, upcall::MAP, pfc::MAP, law::MAP];
    regs::all().filter(move |reg| !beside.iter().any(|map| map.contains(reg)))
}

/// Bits that a register keeps.
fn mask(register: &Reg) -> u32 {
    match register.fields {
        [] => u32::MAX,
        fields => fields.iter().fold(0, |m, f| m | f.mask()),
    }
}

#[test]
fn out_of_reset_the_registers_hold_what_the_map_says() {
    let mut dut = fresh();
    let check = |dut: &mut _| {
        for (register, value) in id::MAP.iter().zip(id::values(CLOCK_HZ as u32)) {
            assert_eq!(get(dut, register.offset), value, "{}", register.name);
        }
        for (register, value) in pacer::MAP.iter().zip(pacer::RESET) {
            assert_eq!(get(dut, register.offset), value, "{}", register.name);
        }
        for register in [id::SCRATCH, control::CONTROL].iter().chain(counters::MAP) {
            assert_eq!(get(dut, register.offset), 0, "{}", register.name);
        }
    };
    check(&mut dut);
    for register in regs::all().filter(|r| r.access == Access::RW) {
        let value = if *register == pacer::SLOT_K { SLOT_K_MAX } else { !0 };
        assert_eq!(put(&mut dut, register.offset, value), OKAY, "{}", register.name);
    }
    reset(&mut dut);
    check(&mut dut);
}

#[test]
fn a_register_reads_as_it_was_written_in_its_fields() {
    let mut random = Random::new();
    let mut dut = fresh();
    // the time goes on
    let all: Vec<_> = here().filter(|r| r.access == Access::RW && r.name != "TIMER_NOW").collect();
    let mut held: Vec<Option<u32>> = vec![None; all.len()];
    for step in 0..400 {
        let i = step % all.len();
        let (any, one, near) = (random.u32(), 1 << random.below(32), random.below(25) as u32);
        let value = random.pick(&[0, !0, any, one, near]);
        let slot = *all[i] == pacer::SLOT_K;
        let taken = !slot || (SLOT_K_MIN..=SLOT_K_MAX).contains(&value);
        assert_eq!(put(&mut dut, all[i].offset, value), if taken { OKAY } else { SLVERR }, "{}", all[i].name);
        if taken {
            held[i] = Some(value & mask(all[i]));
        }
        for (register, value) in all.iter().zip(&held) {
            if let Some(value) = value {
                assert_eq!(get(&mut dut, register.offset), *value, "{} of {:#x}", register.name, mask(register));
            }
        }
    }
}

#[test]
fn nothing_writes_a_register_that_can_only_be_read() {
    let mut dut = fresh();
    for register in regs::all().filter(|r| r.access == Access::RO) {
        let before = get(&mut dut, register.offset);
        assert_eq!(put(&mut dut, register.offset, !before), SLVERR, "{}", register.name);
        assert_eq!(get(&mut dut, register.offset), before, "{}", register.name);
    }
    for register in regs::all().filter(|r| r.access == Access::WO) {
        assert_eq!(put(&mut dut, register.offset, 0), OKAY, "{}", register.name);
        assert_eq!(read(&mut dut, register.offset.into(), 0), (0, OKAY), "{}", register.name);
    }
}

#[test]
fn what_is_not_on_the_map_answers_an_error_and_does_nothing() {
    let mut dut = fresh();
    let kept: Vec<_> =
        regs::all().filter(|r| r.access == Access::RW && r.name != "TIMER_NOW").map(|r| r.offset).collect();
    let before: Vec<_> = kept.iter().map(|at| get(&mut dut, *at)).collect();
    // Every word below the end of the map and some above, and every address that is no word's.
    let words =
        (0..0x1000u16).step_by(4).chain((0x1000..=0xfff0).step_by(0x3fc)).chain([0x2000, 0x2ffc, 0x3400, 0x3ffc]);
    let mirrors = regs::all().flat_map(|r| [0x1000, 0x2000, 0x4000, 0x8000].map(|high| r.offset | high));
    let odd = regs::all().flat_map(|r| [1, 2, 3].map(|low| r.offset | low));
    for at in words.chain(mirrors).chain(odd) {
        if regs::at(at).is_some() || regs::table::word_at(at).is_some() {
            continue;
        }
        assert_eq!(read(&mut dut, at.into(), 0), (0, SLVERR), "{at:#x}");
        assert_eq!(put(&mut dut, at, !0), SLVERR, "{at:#x}");
        assert_eq!((dut.row_we(), dut.commit_mask()), (0, 0), "{at:#x}");
    }
    let after: Vec<_> = kept.iter().map(|at| get(&mut dut, *at)).collect();
    assert_eq!(before, after);
}

/// Commits a table of flows, and ends the slot.
pub fn commit_flows(dut: &mut Dut, word: impl Fn(u16) -> u32) {
    let words: Vec<u32> = (0..FLOWS as u16).map(word).collect();
    for (at, word) in words.iter().enumerate() {
        assert_eq!(put(dut, table::WINDOWS[table::FLOW].address(at), *word), OKAY);
    }
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    put(dut, table::CRC[table::FLOW].offset, crc32(&bytes));
    put(dut, table::COMMIT.offset, 1 << table::FLOW);
    while dut.commit_pending() == 0 {
        assert_eq!(table::CODE.get(get(dut, table::STATUS.offset)), 0);
    }
    dut.set_flip(1);
    dut.tick();
    dut.set_flip(0);
    assert_eq!(get(dut, table::STATUS.offset), 0);
}

#[test]
fn a_window_reads_the_bank_that_it_writes() {
    let mut dut = fresh();
    let mut random = Random::new();
    let mut held = BTreeMap::new();
    for _ in 0..300 {
        let window = random.pick(&table::WINDOWS);
        let at = window.address(random.below(window.length() as u64) as usize);
        let value = random.u32();
        assert_eq!(put(&mut dut, at, value), OKAY);
        held.insert(at, value);
        let (at, value) = held.iter().nth(random.below(held.len() as u64) as usize).expect("one");
        assert_eq!(get(&mut dut, *at), *value, "{at:#x}");
    }
}

#[test]
fn switches_and_numbers_go_to_the_stages() {
    let mut dut = fresh();
    dut.settle();
    assert_eq!((dut.enable(), dut.ack_on_arrival()), (0, 0));
    put(&mut dut, control::CONTROL.offset, 1);
    assert_eq!(dut.enable(), 0, "not without a table of flows");
    commit_flows(&mut dut, |_| 0);
    assert_eq!((dut.enable(), dut.ack_on_arrival()), (1, 0));
    put(&mut dut, control::CONTROL.offset, 2);
    assert_eq!((dut.enable(), dut.ack_on_arrival()), (0, 1));
    for (register, value) in pacer::MAP.iter().zip([20, 0xab, 9]) {
        put(&mut dut, register.offset, value);
    }
    assert_eq!((dut.pacer_slot_k(), dut.pacer_overhead()), (20, 0xab));
    assert_eq!(dut.ack_share_log2(), 9);
    for idle in [0, 1] {
        dut.set_idle(idle);
        assert_eq!(get(&mut dut, control::STATUS.offset), idle);
    }
}

#[test]
fn the_last_word_writes_a_row_whole() {
    let mut random = Random::new();
    let mut dut = fresh();
    for _ in 0..50 {
        let key = FlowKey {
            v6: random.bits(1) as u8,
            vlan: random.bits(24) as u32,
            src: u128::from(random.u64()) << 64 | u128::from(random.u64()),
            dst: u128::from(random.u64()) << 64 | u128::from(random.u64()),
            qpn: random.bits(24) as u32,
        };
        let words = flow::FlowRow { key, index: random.bits(12) as u16, valid: random.chance(1, 2) }.pack();
        let (row, bank, inbound) = (random.bits(11) as u32, random.bits(2) as u32, random.bits(1) as u32);
        put(&mut dut, flow::ROW_SELECT.offset, row | bank << 16);
        put(&mut dut, flow::ROW_DIR.offset, inbound);
        for (register, word) in flow::ROW_WORD.iter().zip(words).take(9) {
            put(&mut dut, register.offset, word);
        }
        let mut access = matchrdma_rtl::axil::Access::write(flow::ROW_WORD[9].offset.into(), words[9]);
        let mut seen = 0;
        loop {
            access.drive(&mut dut);
            dut.settle();
            if dut.row_we() == 1 {
                seen += 1;
                assert_eq!(dut.row_data(), words);
                assert_eq!((dut.row_addr(), dut.row_bank(), dut.row_inbound()), (row, bank, inbound));
            }
            let done = access.look(&dut).is_some();
            dut.rise();
            if done {
                break;
            }
        }
        assert_eq!(seen, 1);
    }
}

#[test]
fn a_flow_is_latched_when_its_index_is_written() {
    let mut random = Random::new();
    let mut dut = fresh();
    put(&mut dut, control::CONTROL.offset, 1);
    let serial_of = |index: u16| (index ^ index >> 5) as u8;
    commit_flows(&mut dut, |index| 1 | u32::from(serial_of(index)) << 8);
    for _ in 0..200 {
        let index = random.bits(12) as u16;
        let (serial, run) = (serial_of(index), random.bits(8) as u8);
        let (drain, fault) = (random.chance(1, 3), random.chance(1, 3));
        let mut number = || random.bits(24) as u32;
        let rx = Rx { serial, run, synced: true, drain, expected: number(), count: number(), ..Rx::default() };
        let back = Back { run, active: true, fault, offset: number(), ..Back::default() };
        let (acked_psn, acked_msn) = (number(), number());
        let (departed_psn, confirmed_psn) = (number(), number());
        let said = Said { run, valid: true, acked_psn, acked_msn, departed_psn, confirmed_psn, barrier: false };
        dut.set_rx_addr(index.into());
        dut.set_rx_data(pack_rx(rx));
        dut.set_rx_we(1);
        dut.set_back_addr(index.into());
        dut.set_back_data(pack_back(back));
        dut.set_back_we(1);
        dut.set_said_addr(index.into());
        dut.set_said_data(pack_said(said));
        dut.set_said_we(1);
        dut.tick();
        dut.set_rx_we(0);
        dut.set_back_we(0);
        dut.set_said_we(0);
        put(&mut dut, flow::READ_INDEX.offset, index.into());
        while get(&mut dut, flow::READ_STATUS.offset) == 1 {}
        let found = [flow::STATE, flow::EXPECTED_PSN, flow::DEPARTED_PSN, flow::ACKNOWLEDGED_PSN]
            .into_iter()
            .chain([flow::CONFIRMED_PSN, flow::MSN])
            .map(|r| get(&mut dut, r.offset))
            .collect::<Vec<_>>();
        let state = match (drain, fault) {
            (_, true) => flow::STATE_FAULT,
            (true, false) => flow::STATE_DRAIN,
            (false, false) => flow::STATE_ACTIVE,
        };
        let state = state | u32::from(run) << 8;
        let msn = rx.count.wrapping_add(back.offset) & 0xff_ffff;
        assert_eq!(found, [state, rx.expected, said.departed_psn, said.acked_psn, said.confirmed_psn, msn]);
    }
}

/// Sets what counter `i` gains in the next cycle.
fn gain(dut: &mut matchrdma_rtl::reg_file::Dut, i: usize, value: u32) {
    macro_rules! one_of {
        ($($n:literal $set:ident),*) => { match i { $($n => dut.$set(value),)* _ => unreachable!() } };
    }
    one_of!(0 set_gain_0, 1 set_gain_1, 2 set_gain_2, 3 set_gain_3, 4 set_gain_4, 5 set_gain_5, 6 set_gain_6,
        7 set_gain_7, 8 set_gain_8, 9 set_gain_9, 10 set_gain_10, 11 set_gain_11, 12 set_gain_12, 13 set_gain_13,
        14 set_gain_14, 15 set_gain_15, 16 set_gain_16, 17 set_gain_17, 18 set_gain_18, 19 set_gain_19, 20 set_gain_20);
}

#[test]
fn a_counter_has_64_bits_and_its_low_word_latches_the_high_one() {
    let mut dut = fresh();
    let most = 0x3fff;
    // To just below the carry into the high word: a different number for each counter.
    let mut held = [0u64; counters::COUNTERS.len()];
    for (i, count) in held.iter_mut().enumerate() {
        gain(&mut dut, i, most - i as u32);
        *count += u64::from(most) - i as u64;
    }
    dut.tick();
    for steps in 0..(1u64 << 18) + 300 {
        if steps == 0 {
            (0..held.len()).for_each(|i| gain(&mut dut, i, most));
        }
        dut.tick();
        held.iter_mut().for_each(|count| *count += u64::from(most));
    }
    (0..held.len()).for_each(|i| gain(&mut dut, i, 0));
    for (counter, value) in counters::COUNTERS.iter().zip(held) {
        assert!(value >> 32 == 1);
        assert_eq!(get(&mut dut, counter.low()), value as u32, "{}", counter.name);
        assert_eq!(get(&mut dut, counter.high()), (value >> 32) as u32, "{}", counter.name);
    }
}

#[test]
fn a_carry_between_the_two_reads_does_not_tear_a_counter() {
    let mut dut = fresh();
    let mut held = 0u64;
    gain(&mut dut, 3, 0x3fff);
    while held + 0x3fff < 1 << 32 {
        dut.tick();
        held += 0x3fff;
    }
    gain(&mut dut, 3, 0);
    let counter = counters::COUNTERS[3];
    let low = get(&mut dut, counter.low());
    assert_eq!(u64::from(low), held);
    // It passes 2^32 before the high word is read; a read that is refused latches nothing.
    gain(&mut dut, 3, 0x3fff);
    dut.tick();
    gain(&mut dut, 3, 0);
    (0..3).for_each(|_| dut.tick());
    assert_eq!(read(&mut dut, u32::from(counter.low()) | 0x2000, 0), (0, SLVERR));
    assert_eq!(get(&mut dut, counter.high()), 0);
    assert_eq!(get(&mut dut, counter.low()), (held + 0x3fff) as u32);
    assert_eq!(get(&mut dut, counter.high()), 1);
}
