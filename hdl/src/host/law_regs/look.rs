//! Inside [law_regs](super::LawRegs): **look**. What is read of the law and of a path, all of one moment.
//!
//! In: `wanted` with its path; `looked`, while `look` is up, with all that is seen of `look_path`; the law's budgets as they
//! come. Out: the word of place `at` of the block, in the same cycle: zero if it is not here, and before the first look.
//! Model: `tests/host/law_regs.rs` has its own. Tests: the same. Registers: `LAW`.

use crate::budget::Known;
use crate::prim::LutRam;
use matchrdma_spec::regs::law;
use rust_hdl::prelude::*;

/// The look.
#[derive(LogicBlock, Default)]
pub struct Look {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub wanted: Signal<In, Bit>,
    pub wanted_path: Signal<In, Bits<4>>,
    pub at: Signal<In, Bits<6>>,
    pub word: Signal<Out, Bits<32>>,
    pub look: Signal<Out, Bit>,
    pub look_path: Signal<Out, Bits<4>>,
    pub looked: Signal<In, Bit>,
    pub said: Signal<In, Known>,
    pub arrived: Signal<In, Bits<64>>,
    pub sent: Signal<In, Bits<64>>,
    pub occupancy: Signal<In, Bits<48>>,
    pub est: Signal<In, Bits<32>>,
    pub hi: Signal<In, Bits<32>>,
    pub slot: Signal<In, Bits<48>>,
    pub budget_valid: Signal<In, Bit>,
    pub budget_path: Signal<In, Bits<4>>,
    pub budget_grant: Signal<In, Bits<32>>,
    pub budget_limit: Signal<In, Bits<64>>,
    path: DFF<Bits<4>>,
    looks: DFF<Bit>,
    seen: DFF<Bit>,
    grants: LutRam<32, 4>,
    limits: LutRam<64, 4>,
    said_then: DFF<Known>,
    arrived_then: DFF<Bits<64>>,
    sent_then: DFF<Bits<64>>,
    occupancy_then: DFF<Bits<48>>,
    est_then: DFF<Bits<32>>,
    hi_then: DFF<Bits<32>>,
    slot_then: DFF<Bits<48>>,
    grant_then: DFF<Bits<32>>,
    limit_then: DFF<Bits<64>>,
    takes: Signal<Local, Bit>,
    k: Signal<Local, Known>,
    number: Signal<Local, Bits<64>>,
    peer_slot: Signal<Local, Bits<64>>,
    echo: Signal<Local, Bits<64>>,
    limit: Signal<Local, Bits<64>>,
    waiting: Signal<Local, Bits<64>>,
    state: Signal<Local, Bits<32>>,
    found: Signal<Local, Bits<32>>,
}

// The places below are those of the map.
const _: () = assert!(law::PATH.offset == law::BASE + 4 * 20 && law::STATUS.offset == law::BASE + 4 * 21);
const _: () = assert!(law::PEER_SESSION.offset == law::BASE + 4 * 26 && law::RATE.offset == law::BASE + 4 * 34);
const _: () = assert!(law::GRANT.offset == law::BASE + 4 * 41 && law::OCCUPANCY_HIGH.offset == law::BASE + 4 * 47);
const _: () = assert!(law::LAPSED_FIELD.lsb == 1 && law::KNOWS_US_FIELD.lsb == 2 && law::LEFT_FIELD.lsb == 16);

impl Logic for Look {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, path, looks, seen, said_then, arrived_then, sent_then, occupancy_then);
        dff_setup!(self, clk, est_then, hi_then, slot_then, grant_then, limit_then);
        self.grants.clk.next = self.clk.val();
        self.limits.clk.next = self.clk.val();
        self.grants.we.next = self.budget_valid.val();
        self.limits.we.next = self.budget_valid.val();
        self.grants.waddr.next = self.budget_path.val();
        self.limits.waddr.next = self.budget_path.val();
        self.grants.wdata.next = self.budget_grant.val();
        self.limits.wdata.next = self.budget_limit.val();
        self.grants.raddr.next = self.path.q.val();
        self.limits.raddr.next = self.path.q.val();
        self.look.next = self.looks.q.val();
        self.look_path.next = self.path.q.val();

        self.takes.next = self.looks.q.val() & self.looked.val();
        if self.takes.val() {
            self.looks.d.next = false;
            self.seen.d.next = true;
            self.said_then.d.next = self.said.val();
            self.arrived_then.d.next = self.arrived.val();
            self.sent_then.d.next = self.sent.val();
            self.occupancy_then.d.next = self.occupancy.val();
            self.est_then.d.next = self.est.val();
            self.hi_then.d.next = self.hi.val();
            self.slot_then.d.next = self.slot.val();
            self.grant_then.d.next = self.grants.rdata.val();
            self.limit_then.d.next = self.limits.rdata.val();
        }
        if self.wanted.val() {
            self.path.d.next = self.wanted_path.val();
            self.looks.d.next = true;
        }

        self.k.next = self.said_then.q.val();
        self.number.next = self.k.val().number;
        self.peer_slot.next = self.k.val().slot;
        self.echo.next = self.k.val().echo;
        self.limit.next = self.k.val().limit;
        self.waiting.next = self.k.val().waiting;
        self.state.next = bit_cast::<32, 16>(self.k.val().lease) << 16;
        if self.k.val().live {
            self.state.next = self.state.val() | 1;
        }
        if self.k.val().lapsed {
            self.state.next = self.state.val() | 2;
        }
        if self.k.val().knows_us {
            self.state.next = self.state.val() | 4;
        }
        self.found.next = bits::<32>(0);
        match self.at.val().index() {
            22 => self.found.next = self.est_then.q.val(),
            23 => self.found.next = self.hi_then.q.val(),
            24 => self.found.next = self.slot_then.q.val().get_bits::<32>(0),
            25 => self.found.next = bit_cast::<32, 16>(self.slot_then.q.val().get_bits::<16>(32)),
            26 => self.found.next = self.k.val().session,
            27 => self.found.next = self.state.val(),
            28 => self.found.next = self.number.val().get_bits::<32>(0),
            29 => self.found.next = self.number.val().get_bits::<32>(32),
            30 => self.found.next = self.peer_slot.val().get_bits::<32>(0),
            31 => self.found.next = self.peer_slot.val().get_bits::<32>(32),
            32 => self.found.next = self.echo.val().get_bits::<32>(0),
            33 => self.found.next = self.echo.val().get_bits::<32>(32),
            34 => self.found.next = self.k.val().rate,
            35 => self.found.next = self.limit.val().get_bits::<32>(0),
            36 => self.found.next = self.limit.val().get_bits::<32>(32),
            37 => self.found.next = self.waiting.val().get_bits::<32>(0),
            38 => self.found.next = self.waiting.val().get_bits::<32>(32),
            39 => self.found.next = self.arrived_then.q.val().get_bits::<32>(0),
            40 => self.found.next = self.arrived_then.q.val().get_bits::<32>(32),
            41 => self.found.next = self.grant_then.q.val(),
            42 => self.found.next = self.limit_then.q.val().get_bits::<32>(0),
            43 => self.found.next = self.limit_then.q.val().get_bits::<32>(32),
            44 => self.found.next = self.sent_then.q.val().get_bits::<32>(0),
            45 => self.found.next = self.sent_then.q.val().get_bits::<32>(32),
            46 => self.found.next = self.occupancy_then.q.val().get_bits::<32>(0),
            47 => self.found.next = bit_cast::<32, 16>(self.occupancy_then.q.val().get_bits::<16>(32)),
            _ => self.found.next = bits::<32>(0),
        }
        self.word.next = bits::<32>(0);
        if self.seen.q.val() {
            self.word.next = self.found.val();
        }
        if self.at.val() == 20 {
            self.word.next = bit_cast::<32, 4>(self.path.q.val());
        }
        if (self.at.val() == 21) & self.looks.q.val() {
            self.word.next = bits::<32>(1);
        }
        if self.rst.val() {
            self.path.d.next = bits::<4>(0);
            self.looks.d.next = false;
            self.seen.d.next = false;
        }
    }
}
