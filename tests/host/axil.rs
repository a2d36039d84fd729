//! AXI4-Lite as a bus: every order of address and data, every pace, nothing taken twice.

use super::{fresh, get, put, read, write, Pace, OKAY, SLVERR};
use crate::harness::Random;
use matchrdma_rtl::axil::{self, idle, Slave};
use matchrdma_rtl::reg_file::Dut;
use matchrdma_spec::regs::{flow, id, pacer, table};

const AT: u32 = id::SCRATCH.offset as u32;

#[test]
fn address_and_data_come_in_any_order() {
    let mut dut = fresh();
    for (address_at, data_at) in [(0, 0), (0, 1), (0, 2), (0, 9), (1, 0), (2, 0), (9, 0)] {
        for response_at in [0, 1, 3, 30] {
            let pace = Pace { address_at, data_at, response_at };
            let value = 0x5a00_0000 | address_at << 16 | data_at << 8 | response_at;
            assert_eq!(write(&mut dut, AT, value, 0xf, pace), OKAY, "{pace:?}");
            assert_eq!(read(&mut dut, AT, response_at), (value, OKAY), "{pace:?}");
        }
    }
}

#[test]
fn a_write_of_some_bytes_is_refused_and_writes_nothing() {
    let mut dut = fresh();
    put(&mut dut, id::SCRATCH.offset, 0x1234_5678);
    for strobe in 0..15 {
        assert_eq!(write(&mut dut, AT, !0, strobe, Pace::default()), SLVERR, "{strobe:#x}");
        assert_eq!(get(&mut dut, id::SCRATCH.offset), 0x1234_5678, "{strobe:#x}");
    }
    // Nor does it have a side effect: the last word of a row would write the row, a commit would be busy.
    for register in [flow::ROW_WORD[9], table::COMMIT, flow::READ_INDEX] {
        for strobe in 0..15 {
            assert_eq!(write(&mut dut, register.offset.into(), 1, strobe, Pace::default()), SLVERR);
            for _ in 0..4 {
                dut.settle();
                assert_eq!((dut.row_we(), dut.commit_mask()), (0, 0), "{} {strobe:#x}", register.name);
                dut.rise();
            }
        }
    }
}

#[test]
fn a_write_acts_once_however_long_its_answer_waits() {
    let mut dut = fresh();
    for register in [flow::ROW_WORD[9]] {
        for response_at in [0, 1, 2, 20] {
            let pace = Pace { response_at, ..Pace::default() };
            let mut seen = 0;
            // The bus model owns the cycles, so count the pulses by a bus of our own.
            let mut access = axil::Access::write(register.offset.into(), 7);
            for cycle in 0..60 {
                access.drive(&mut dut);
                dut.set_s_axil_bready((cycle >= pace.response_at).into());
                dut.settle();
                seen += dut.row_we();
                if access.look(&dut).is_some() && cycle >= pace.response_at {
                    dut.rise();
                    break;
                }
                dut.rise();
            }
            idle(&mut dut);
            for _ in 0..20 {
                dut.settle();
                seen += dut.row_we();
                dut.rise();
            }
            assert_eq!(seen, 1, "{} {pace:?}", register.name);
        }
    }
}

/// Both directions at once, every channel at its own random pace, against a plain array.
#[test]
fn reads_and_writes_go_side_by_side() {
    let mut random = Random::new();
    let mut dut = fresh();
    let registers = [id::SCRATCH, table::CRC[0], table::CRC[3]];
    let mut held = [0; 3];
    for _ in 0..2000 {
        let (w, r) = (random.below(3) as usize, random.below(3) as usize);
        let data = random.u32();
        let paces: [u32; 5] = std::array::from_fn(|_| random.below(6) as u32);
        let (mut aw, mut dw, mut b, mut ar, mut answer) = (true, true, None, true, None);
        let mut cycle = 0;
        while b.is_none() || answer.is_none() {
            let offers = [aw && cycle >= paces[0], dw && cycle >= paces[1], ar && cycle >= paces[2]];
            dut.set_write_address(offers[0].then_some(registers[w].offset.into()));
            dut.set_write_data(offers[1].then_some((data, 0xf)));
            dut.set_read_address(offers[2].then_some(registers[r].offset.into()));
            let takes = (b.is_none() && cycle >= paces[3], answer.is_none() && cycle >= paces[4]);
            dut.set_ready(takes.0, takes.1);
            dut.settle();
            let ready = Slave::ready(&dut);
            aw &= !(offers[0] && ready.write_address);
            dw &= !(offers[1] && ready.write_data);
            ar &= !(offers[2] && ready.read_address);
            if takes.0 {
                b = dut.write_response();
            }
            if takes.1 {
                answer = dut.read_response();
            }
            dut.rise();
            cycle += 1;
            assert!(cycle < 100, "the bus hangs");
        }
        idle(&mut dut);
        let before = held[r];
        held[w] = data;
        let after = held[r];
        assert_eq!(b, Some(OKAY));
        let (data, response) = answer.expect("the loop ended");
        assert!(response == OKAY && (data == before || data == after), "{data:#x}: {before:#x} or {after:#x}");
    }
    for (register, value) in registers.iter().zip(held) {
        assert_eq!(get(&mut dut, register.offset), value, "{}", register.name);
    }
}

#[test]
fn a_reset_in_the_middle_of_an_access_leaves_the_bus_free() {
    let mut dut = fresh();
    for cycles in 0..12 {
        for mut access in [axil::Access::write(AT, 5), axil::Access::read(AT)] {
            for _ in 0..cycles {
                access.drive(&mut dut);
                dut.set_s_axil_bready(0);
                dut.set_s_axil_rready(0);
                dut.settle();
                access.look(&dut);
                dut.rise();
            }
            super::reset(&mut dut);
            dut.settle();
            assert_eq!((dut.write_response(), dut.read_response()), (None, None), "{cycles}");
            assert_eq!(put(&mut dut, id::SCRATCH.offset, 9), OKAY);
            assert_eq!(get(&mut dut, id::SCRATCH.offset), 9);
        }
    }
}

/// A write of a stream: where, what, with which strobes, and what must be answered.
type Posted = (u32, u32, u8, u8);

/// A row as it is written: its number, and its lowest word.
type Row = (u32, u32);

/// Writes one after another, address, data and answer each when `pace` says so; what was asked for stays until it is taken.
/// The rows that were written, and cycles until the last answer was taken.
fn stream(dut: &mut Dut, writes: &[Posted], mut pace: impl FnMut() -> [bool; 3]) -> (Vec<Row>, u32) {
    let (mut addresses, mut datas, mut answers, mut cycles) = (0, 0, 0, 0);
    let mut offered = [false; 2];
    let mut rows = vec![];
    while answers < writes.len() {
        let [address, data, takes] = pace();
        offered = [(offered[0] || address) && addresses < writes.len(), (offered[1] || data) && datas < writes.len()];
        dut.set_write_address(offered[0].then(|| writes[addresses].0));
        dut.set_write_data(offered[1].then(|| (writes[datas].1, writes[datas].2)));
        dut.set_ready(takes, true);
        dut.settle();
        let (ready, answer) = (dut.ready(), dut.write_response());
        if dut.row_we() == 1 {
            rows.push((dut.row_addr(), dut.row_data()[0]));
        }
        if let (Some(answer), true) = (answer, takes) {
            assert!(answers < addresses.min(datas), "an answer of nothing");
            assert_eq!(answer, writes[answers].3, "write {answers}: {:x?}", writes[answers]);
            answers += 1;
        }
        let taken = [offered[0] && ready.write_address, offered[1] && ready.write_data];
        (addresses, datas) = (addresses + usize::from(taken[0]), datas + usize::from(taken[1]));
        offered = [offered[0] && !taken[0], offered[1] && !taken[1]];
        dut.rise();
        cycles += 1;
        assert!(cycles < 1000 + 100 * writes.len() as u32, "the bus hangs");
    }
    idle(dut);
    (rows, cycles)
}

/// Words of a window and of key rows one in a cycle, others one in two.
#[test]
fn writes_one_after_another_take_a_cycle_or_two_each() {
    const N: u32 = 100;
    let mut dut = fresh();
    let window = u32::from(table::WINDOWS[table::CALENDAR].base);
    let row: [u32; 2] = [flow::ROW_SELECT, flow::ROW_WORD[9]].map(|word| word.offset.into());
    for (at, each) in [([AT; 2], 2), ([window, window + 4], 1), ([window, AT], 2), (row, 1), ([row[0], window], 2)] {
        let writes: Vec<Posted> = (0..N).map(|n| (at[n as usize % 2], n, 0xf, OKAY)).collect();
        let (_, cycles) = stream(&mut dut, &writes, || [true; 3]);
        assert_eq!(cycles, each * (N - 1) + 4, "{at:x?}");
    }
    let kept = [AT, window, window + 4].map(|at| get(&mut dut, at as u16));
    assert_eq!(kept, [N - 1; 3]);
}

#[test]
fn a_bank_that_a_commit_has_refuses_the_very_next_write() {
    let mut dut = fresh();
    let path = u32::from(table::WINDOWS[table::PATH].base);
    let (commit, mask) = (table::COMMIT.offset.into(), 1 << table::PATH);
    let writes = [(path, 5, 0xf, OKAY), (commit, mask, 0xf, OKAY), (path, 6, 0xf, SLVERR), (AT, 7, 0xf, OKAY)];
    stream(&mut dut, &writes, || [true; 3]);
    assert_eq!((get(&mut dut, path as u16), get(&mut dut, id::SCRATCH.offset)), (5, 7));
}

/// Writes in every cycle, into a bank that a commit has and into one that it has not.
#[test]
fn each_write_of_a_stream_is_judged_by_its_own_bank() {
    let [path, calendar] = [table::PATH, table::CALENDAR].map(|t| u32::from(table::WINDOWS[t].base));
    let row: u32 = flow::ROW_WORD[0].offset.into();
    let kinds = [(calendar, OKAY), (path, SLVERR), (row, OKAY)];
    for turn in 0..27 {
        let mut dut = fresh();
        put(&mut dut, table::COMMIT.offset, 1 << table::PATH);
        let which = [turn % 3, turn / 3 % 3, turn / 9];
        let writes: Vec<Posted> =
            (0..9).map(|n| kinds[which[n % 3]]).map(|(at, answer)| (at, 7, 0xf, answer)).collect();
        stream(&mut dut, &writes, || [true; 3]);
    }
}

/// Whatever the paces of the three channels: each write acts once, in order, and has its own answer.
#[test]
fn no_write_of_a_stream_is_lost_or_done_twice() {
    let mut random = Random::new();
    let mut dut = fresh();
    let window = u32::from(table::WINDOWS[table::CALENDAR].base);
    let row_select: u32 = flow::ROW_SELECT.offset.into();
    for turn in 0..60 {
        // The paces of a turn, in eighths; 8: always.
        let paces: [u64; 3] = std::array::from_fn(|_| if turn == 0 { 8 } else { 1 + random.below(8) });
        let (mut held, mut rows, mut row, mut first) = ([None; 6], vec![], 0, None);
        let mut writes = vec![(row_select, 0, 0xf, OKAY)];
        for _ in 0..300 {
            let data = random.u32();
            let strobe = if random.below(6) == 0 { random.below(15) as u8 } else { 0xf };
            let whole = strobe == 0xf;
            let which = random.below(10) as usize;
            let (at, allowed): (u32, bool) = match which {
                0 => (AT, true),
                1 => (table::CRC[2].offset.into(), true),
                2..=5 => (window + 4 * which as u32, true),
                6 => (flow::ROW_WORD[0].offset.into(), true),
                7 => (flow::ROW_WORD[9].offset.into(), true),
                8 => (row_select, true),
                _ => {
                    let not = [id::MAGIC.offset, 0x0ffc, pacer::SLOT_K.offset, id::SCRATCH.offset + 2];
                    (not[random.below(4) as usize].into(), false)
                }
            };
            // A slot of so many cycles there is not.
            let data = if at == u32::from(pacer::SLOT_K.offset) { data | 1 << 31 } else { data };
            let done = whole && allowed;
            match which {
                0..=5 if done => held[which] = Some(data),
                6 if done => first = Some(data),
                7 if done => rows.push((row, first)),
                8 if done => row = data & flow::ROW_SELECT_ROW.mask(),
                _ => {}
            }
            writes.push((at, data, strobe, if done { OKAY } else { SLVERR }));
        }
        // What the window holds from before is not known.
        let (mut wrote, _) = stream(&mut dut, &writes, || paces.map(|eighths| random.below(8) < eighths));
        for _ in 0..4 {
            dut.settle();
            if dut.row_we() == 1 {
                wrote.push((dut.row_addr(), dut.row_data()[0]));
            }
            dut.rise();
        }
        assert_eq!(wrote.len(), rows.len(), "{paces:?}");
        for ((at, word), (row, first)) in wrote.into_iter().zip(rows) {
            assert!(
                at == row && first.is_none_or(|first| first == word),
                "{paces:?}: {at} {word:#x}: {row} {first:x?}"
            );
        }
        for (which, value) in held.into_iter().enumerate() {
            let at = match which {
                0 => id::SCRATCH.offset,
                1 => table::CRC[2].offset,
                _ => (window + 4 * which as u32) as u16,
            };
            assert!(value.is_none_or(|value| get(&mut dut, at) == value), "{paces:?}: {at:#x}");
        }
    }
}
