//! AXI4-Lite as a bus: every order of address and data, every pace, nothing taken twice.

use super::{fresh, get, put, read, write, Pace, OKAY, SLVERR};
use crate::harness::Random;
use matchrdma_rtl::axil;
use matchrdma_spec::regs::{flow, id, table};

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
            axil::idle(&mut dut);
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
            use axil::Slave;
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
        axil::idle(&mut dut);
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
            use axil::Slave;
            assert_eq!((dut.write_response(), dut.read_response()), (None, None), "{cycles}");
            assert_eq!(put(&mut dut, id::SCRATCH.offset, 9), OKAY);
            assert_eq!(get(&mut dut, id::SCRATCH.offset), 9);
        }
    }
}
