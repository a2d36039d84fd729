//! Beside host 2: **law_regs**. Block `LAW`: what the budget rail is told, and what the host sees of it.
//!
//! In: the register bus; what the rail tells (named as there). Out: its word, two cycles after `ra`; `set`, all levels of
//! the rail; `look` with `look_path`, a look that is wanted.
//! A setting of two words takes effect with its high word. `looked`: in this cycle `said`, `arrived`, `sent` and
//! `occupancy` are those of `look_path`; while `look` is up that takes the look.
//! Model: `model::budget_rail`. Tests: `tests/host/law_regs.rs`. Registers: `LAW`.

mod look;
mod tallies;

use crate::budget::Known;
use crate::prim::Lit;
use look::Look;
use matchrdma_spec::regs::law;
use rust_hdl::prelude::*;
use tallies::Tallies;

/// What the host set.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct LawSet {
    pub line: Bits<32>,
    pub floor: Bits<32>,
    pub capacity: Bits<48>,
    pub tau: Bits<2>,
    pub a: Bits<5>,
    pub p: Bits<5>,
    pub c: Bits<5>,
    pub h: Bits<5>,
    pub site: Bits<16>,
    pub session: Bits<32>,
    pub from_wire: Bits<36>,
    pub to_wire: Bits<48>,
    pub slot_ps: Bits<64>,
    pub clock_hz: Bits<32>,
    pub capabilities: Bits<32>,
    pub lease: Bits<16>,
    pub dst: Bits<48>,
    pub src: Bits<48>,
}

/// Low words that wait for their high ones.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct LawLows {
    pub capacity: Bits<32>,
    pub from_wire: Bits<32>,
    pub to_wire: Bits<32>,
    pub slot_ps: Bits<32>,
    pub dst: Bits<32>,
    pub src: Bits<32>,
}

/// The block.
#[derive(LogicBlock, Default)]
pub struct LawRegs {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub wr: Signal<In, Bit>,
    pub wa: Signal<In, Bits<16>>,
    pub wd: Signal<In, Bits<32>>,
    pub ra: Signal<In, Bits<16>>,
    pub rd: Signal<Out, Bits<32>>,
    pub set: Signal<Out, LawSet>,
    // A look.
    pub look: Signal<Out, Bit>,
    pub look_path: Signal<Out, Bits<4>>,
    pub looked: Signal<In, Bit>,
    pub said: Signal<In, Known>,
    pub arrived: Signal<In, Bits<64>>,
    pub sent: Signal<In, Bits<64>>,
    pub occupancy: Signal<In, Bits<48>>,
    // What the law says.
    pub est: Signal<In, Bits<32>>,
    pub hi: Signal<In, Bits<32>>,
    pub slot: Signal<In, Bits<48>>,
    pub budget_valid: Signal<In, Bit>,
    pub budget_path: Signal<In, Bits<4>>,
    pub budget_grant: Signal<In, Bits<32>>,
    pub budget_limit: Signal<In, Bits<64>>,
    pub late: Signal<In, Bit>,
    // What became of frames.
    pub heard_valid: Signal<In, Bit>,
    pub heard: Signal<In, Bits<4>>,
    pub heard_high: Signal<In, Bit>,
    pub lost: Signal<In, Bit>,
    pub lapse_valid: Signal<In, Bit>,
    kept: DFF<LawSet>,
    lows: DFF<LawLows>,
    taker: Look,
    tallies: Tallies,
    at: DFF<Bits<6>>,
    mine: DFF<Bit>,
    read: DFF<Bits<32>>,
    word: Signal<Local, Bits<32>>,
    set_now: Signal<Local, LawSet>,
    lows_now: Signal<Local, LawLows>,
    place: Signal<Local, Bits<6>>,
    writes: Signal<Local, Bit>,
    capacity: Signal<Local, Bits<48>>,
    from_wire: Signal<Local, Bits<36>>,
    to_wire: Signal<Local, Bits<48>>,
    slot_ps: Signal<Local, Bits<64>>,
    dst: Signal<Local, Bits<48>>,
    src: Signal<Local, Bits<48>>,
    block: Lit<8, { (law::BASE >> 8) as u64 }>,
    reset_line: Lit<32, { law::RESET[0] as u64 }>,
    reset_floor: Lit<32, { law::RESET[1] as u64 }>,
    reset_capacity: Lit<48, { pair(2) }>,
    reset_tau: Lit<2, { law::TAU.get(law::RESET[4]) as u64 }>,
    reset_a: Lit<5, { law::A.get(law::RESET[4]) as u64 }>,
    reset_p: Lit<5, { law::P.get(law::RESET[4]) as u64 }>,
    reset_c: Lit<5, { law::C.get(law::RESET[4]) as u64 }>,
    reset_h: Lit<5, { law::H.get(law::RESET[4]) as u64 }>,
    reset_site: Lit<16, { law::RESET[5] as u64 }>,
    reset_session: Lit<32, { law::RESET[6] as u64 }>,
    reset_lease: Lit<16, { law::RESET[7] as u64 }>,
    reset_from_wire: Lit<36, { pair(8) }>,
    reset_to_wire: Lit<48, { pair(10) }>,
    reset_slot_ps: Lit<64, { pair(12) }>,
    reset_clock_hz: Lit<32, { law::RESET[14] as u64 }>,
    reset_capabilities: Lit<32, { law::RESET[15] as u64 }>,
    reset_dst: Lit<48, { pair(16) }>,
    reset_src: Lit<48, { pair(18) }>,
}

/// What the two words from `place` on hold after reset.
const fn pair(place: usize) -> u64 {
    (law::RESET[place + 1] as u64) << 32 | law::RESET[place] as u64
}

// The places below are those of the map.
const _: () = assert!(law::CAPACITY_LOW.offset == law::BASE + 4 * 2 && law::SHIFTS.offset == law::BASE + 4 * 4);
const _: () = assert!(law::FROM_WIRE_LOW.offset == law::BASE + 4 * 8 && law::DST_LOW.offset == law::BASE + 4 * 16);
const _: () = assert!(law::PATH.offset == law::BASE + 4 * 20 && law::RESET.len() == 21);
const _: () = assert!(law::BASE.is_multiple_of(256) && law::MAP.len() <= 64);
const _: () = assert!(law::TAU.lsb == 0 && law::A.lsb == 4 && law::P.lsb == 10 && law::C.lsb == 16 && law::H.lsb == 24);

impl Logic for LawRegs {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, kept, lows, at, mine, read);
        self.set_now.next = self.kept.q.val();
        self.lows_now.next = self.lows.q.val();
        self.capacity.next = self.set_now.val().capacity;
        self.from_wire.next = self.set_now.val().from_wire;
        self.to_wire.next = self.set_now.val().to_wire;
        self.slot_ps.next = self.set_now.val().slot_ps;
        self.dst.next = self.set_now.val().dst;
        self.src.next = self.set_now.val().src;

        self.writes.next = self.wr.val() & (self.wa.val().get_bits::<8>(8) == self.block.val());
        self.place.next = self.wa.val().get_bits::<6>(2);
        if self.writes.val() {
            match self.place.val().index() {
                0 => self.kept.d.next.line = self.wd.val(),
                1 => self.kept.d.next.floor = self.wd.val(),
                2 => self.lows.d.next.capacity = self.wd.val(),
                3 => {
                    self.kept.d.next.capacity = (bit_cast::<48, 16>(self.wd.val().get_bits::<16>(0)) << 32)
                        | bit_cast::<48, 32>(self.lows_now.val().capacity)
                }
                4 => {
                    self.kept.d.next.tau = self.wd.val().get_bits::<2>(0);
                    self.kept.d.next.a = self.wd.val().get_bits::<5>(4);
                    self.kept.d.next.p = self.wd.val().get_bits::<5>(10);
                    self.kept.d.next.c = self.wd.val().get_bits::<5>(16);
                    self.kept.d.next.h = self.wd.val().get_bits::<5>(24);
                }
                5 => self.kept.d.next.site = self.wd.val().get_bits::<16>(0),
                6 => self.kept.d.next.session = self.wd.val(),
                7 => self.kept.d.next.lease = self.wd.val().get_bits::<16>(0),
                8 => self.lows.d.next.from_wire = self.wd.val(),
                9 => {
                    self.kept.d.next.from_wire = (bit_cast::<36, 4>(self.wd.val().get_bits::<4>(0)) << 32)
                        | bit_cast::<36, 32>(self.lows_now.val().from_wire)
                }
                10 => self.lows.d.next.to_wire = self.wd.val(),
                11 => {
                    self.kept.d.next.to_wire = (bit_cast::<48, 16>(self.wd.val().get_bits::<16>(0)) << 32)
                        | bit_cast::<48, 32>(self.lows_now.val().to_wire)
                }
                12 => self.lows.d.next.slot_ps = self.wd.val(),
                13 => {
                    self.kept.d.next.slot_ps =
                        (bit_cast::<64, 32>(self.wd.val()) << 32) | bit_cast::<64, 32>(self.lows_now.val().slot_ps)
                }
                14 => self.kept.d.next.clock_hz = self.wd.val(),
                15 => self.kept.d.next.capabilities = self.wd.val(),
                16 => self.lows.d.next.dst = self.wd.val(),
                17 => {
                    self.kept.d.next.dst = (bit_cast::<48, 16>(self.wd.val().get_bits::<16>(0)) << 32)
                        | bit_cast::<48, 32>(self.lows_now.val().dst)
                }
                18 => self.lows.d.next.src = self.wd.val(),
                19 => {
                    self.kept.d.next.src = (bit_cast::<48, 16>(self.wd.val().get_bits::<16>(0)) << 32)
                        | bit_cast::<48, 32>(self.lows_now.val().src)
                }
                _ => self.kept.d.next.line = self.set_now.val().line,
            }
        }
        self.set.next = self.kept.q.val();

        self.taker.clk.next = self.clk.val();
        self.taker.rst.next = self.rst.val();
        self.taker.wanted.next = self.writes.val() & (self.place.val() == 20);
        self.taker.wanted_path.next = self.wd.val().get_bits::<4>(0);
        self.taker.at.next = self.at.q.val();
        self.taker.looked.next = self.looked.val();
        self.taker.said.next = self.said.val();
        self.taker.arrived.next = self.arrived.val();
        self.taker.sent.next = self.sent.val();
        self.taker.occupancy.next = self.occupancy.val();
        self.taker.est.next = self.est.val();
        self.taker.hi.next = self.hi.val();
        self.taker.slot.next = self.slot.val();
        self.taker.budget_valid.next = self.budget_valid.val();
        self.taker.budget_path.next = self.budget_path.val();
        self.taker.budget_grant.next = self.budget_grant.val();
        self.taker.budget_limit.next = self.budget_limit.val();
        self.look.next = self.taker.look.val();
        self.look_path.next = self.taker.look_path.val();
        self.tallies.clk.next = self.clk.val();
        self.tallies.rst.next = self.rst.val();
        self.tallies.at.next = self.at.q.val();
        self.tallies.heard_valid.next = self.heard_valid.val();
        self.tallies.heard.next = self.heard.val();
        self.tallies.heard_high.next = self.heard_high.val();
        self.tallies.lost.next = self.lost.val();
        self.tallies.lapse_valid.next = self.lapse_valid.val();
        self.tallies.late.next = self.late.val();

        self.at.d.next = self.ra.val().get_bits::<6>(2);
        self.mine.d.next = self.ra.val().get_bits::<8>(8) == self.block.val();
        self.word.next = bits::<32>(0);
        match self.at.q.val().index() {
            0 => self.word.next = self.set_now.val().line,
            1 => self.word.next = self.set_now.val().floor,
            2 => self.word.next = self.lows_now.val().capacity,
            3 => self.word.next = bit_cast::<32, 16>(self.capacity.val().get_bits::<16>(32)),
            4 => {
                self.word.next = bit_cast::<32, 2>(self.set_now.val().tau)
                    | (bit_cast::<32, 5>(self.set_now.val().a) << 4)
                    | (bit_cast::<32, 5>(self.set_now.val().p) << 10)
                    | (bit_cast::<32, 5>(self.set_now.val().c) << 16)
                    | (bit_cast::<32, 5>(self.set_now.val().h) << 24)
            }
            5 => self.word.next = bit_cast::<32, 16>(self.set_now.val().site),
            6 => self.word.next = self.set_now.val().session,
            7 => self.word.next = bit_cast::<32, 16>(self.set_now.val().lease),
            8 => self.word.next = self.lows_now.val().from_wire,
            9 => self.word.next = bit_cast::<32, 4>(self.from_wire.val().get_bits::<4>(32)),
            10 => self.word.next = self.lows_now.val().to_wire,
            11 => self.word.next = bit_cast::<32, 16>(self.to_wire.val().get_bits::<16>(32)),
            12 => self.word.next = self.lows_now.val().slot_ps,
            13 => self.word.next = self.slot_ps.val().get_bits::<32>(32),
            14 => self.word.next = self.set_now.val().clock_hz,
            15 => self.word.next = self.set_now.val().capabilities,
            16 => self.word.next = self.lows_now.val().dst,
            17 => self.word.next = bit_cast::<32, 16>(self.dst.val().get_bits::<16>(32)),
            18 => self.word.next = self.lows_now.val().src,
            19 => self.word.next = bit_cast::<32, 16>(self.src.val().get_bits::<16>(32)),
            _ => self.word.next = bits::<32>(0),
        }
        self.read.d.next = bits::<32>(0);
        if self.mine.q.val() {
            self.read.d.next = self.word.val() | self.taker.word.val() | self.tallies.word.val();
        }
        self.rd.next = self.read.q.val();

        if self.rst.val() {
            self.kept.d.next.line = self.reset_line.val();
            self.kept.d.next.floor = self.reset_floor.val();
            self.kept.d.next.capacity = self.reset_capacity.val();
            self.kept.d.next.tau = self.reset_tau.val();
            self.kept.d.next.a = self.reset_a.val();
            self.kept.d.next.p = self.reset_p.val();
            self.kept.d.next.c = self.reset_c.val();
            self.kept.d.next.h = self.reset_h.val();
            self.kept.d.next.site = self.reset_site.val();
            self.kept.d.next.session = self.reset_session.val();
            self.kept.d.next.lease = self.reset_lease.val();
            self.kept.d.next.from_wire = self.reset_from_wire.val();
            self.kept.d.next.to_wire = self.reset_to_wire.val();
            self.kept.d.next.slot_ps = self.reset_slot_ps.val();
            self.kept.d.next.clock_hz = self.reset_clock_hz.val();
            self.kept.d.next.capabilities = self.reset_capabilities.val();
            self.kept.d.next.dst = self.reset_dst.val();
            self.kept.d.next.src = self.reset_src.val();
            self.lows.d.next.capacity = self.reset_capacity.val().get_bits::<32>(0);
            self.lows.d.next.from_wire = self.reset_from_wire.val().get_bits::<32>(0);
            self.lows.d.next.to_wire = self.reset_to_wire.val().get_bits::<32>(0);
            self.lows.d.next.slot_ps = self.reset_slot_ps.val().get_bits::<32>(0);
            self.lows.d.next.dst = self.reset_dst.val().get_bits::<32>(0);
            self.lows.d.next.src = self.reset_src.val().get_bits::<32>(0);
        }
    }
}
