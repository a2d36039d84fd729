//! Inside [budget_rx](super::BudgetRx): **known**. What is known of a path, and what a frame or a slot's end makes of it.
//!
//! Combinational. Model: `model::budget_rx`. Tests: `tests/budget/budget_rx.rs`. Registers: none.

use crate::prim::{Lit, Swap};
use matchrdma_spec::field::Field;
use matchrdma_spec::heard;
use matchrdma_spec::wire::budget::*;
use rust_hdl::prelude::*;

/// Width of [`Known`].
pub const KNOWN_BITS: usize = 467;
const FRAME_BITS: usize = 8 * BYTES;
const _: () = assert!(SLOT_BITS == 48 && TOTAL_BITS == 62);

/// Where the lowest bit of a field is in a frame whose first byte is on top.
pub(super) const fn at(field: Field) -> u64 {
    (FRAME_BITS - field.offset - field.bits) as u64
}

/// What is known of a path.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Known {
    pub session: Bits<32>,
    pub knows_us: Bit,
    pub number: Bits<64>,
    pub slot: Bits<64>,
    pub echo: Bits<64>,
    pub rate: Bits<32>,
    pub limit: Bits<64>,
    pub waiting: Bits<64>,
    /// What arrived, less what came.
    pub offset: Bits<64>,
    pub lease: Bits<16>,
    pub live: Bit,
    pub lapsed: Bit,
}

/// The rules.
#[derive(LogicBlock, Default)]
pub struct Judge {
    pub site: Signal<In, Bits<16>>,
    pub session: Signal<In, Bits<32>>,
    pub floor: Signal<In, Bits<32>>,
    /// A slot ends; else a frame is judged.
    pub tick: Signal<In, Bit>,
    pub frame: Signal<In, Bits<FRAME_BITS>>,
    pub bad: Signal<In, Bit>,
    pub hit: Signal<In, Bit>,
    pub came: Signal<In, Bits<64>>,
    pub tag_ok: Signal<In, Bit>,
    pub crc_ok: Signal<In, Bit>,
    pub rate: Signal<In, Bits<32>>,
    pub now: Signal<In, Known>,
    pub becomes: Signal<Out, Known>,
    /// Code of `spec::heard`.
    pub heard: Signal<Out, Bits<4>>,
    /// The frame counts; it is a budget; it opens a session or is a budget, so that rate and limit are set.
    pub counts: Signal<Out, Bit>,
    pub budget: Signal<Out, Bit>,
    pub sets: Signal<Out, Bit>,
    /// The slot's end slows the path; the lease has just run out.
    pub slows: Signal<Out, Bit>,
    pub lapse: Signal<Out, Bit>,
    /// The byte limit does not hold.
    pub free: Signal<Out, Bit>,

    version_at: Lit<11, { at(VERSION) }>,
    kind_at: Lit<11, { at(KIND) }>,
    lease_at: Lit<11, { at(LEASE) }>,
    dst_at: Lit<11, { at(DST_SITE) }>,
    session_at: Lit<11, { at(SESSION) }>,
    peer_at: Lit<11, { at(PEER_SESSION) }>,
    number_at: Lit<11, { at(SEQUENCE) }>,
    slot_at: Lit<11, { at(SLOT) }>,
    echo_at: Lit<11, { at(ECHO) }>,
    limit_at: Lit<11, { at(LIMIT) }>,
    sent_at: Lit<11, { at(SENT) }>,
    waiting_at: Lit<11, { at(WAITING) }>,
    version: Lit<8, { VERSION_VALUE as u64 }>,
    k_hello: Lit<8, { KIND_HELLO as u64 }>,
    k_budget: Lit<8, { KIND_BUDGET as u64 }>,
    h_hello: Lit<4, { heard::HELLO as u64 }>,
    h_opened: Lit<4, { heard::OPENED as u64 }>,
    h_malformed: Lit<4, { heard::MALFORMED as u64 }>,
    h_corrupt: Lit<4, { heard::CORRUPT as u64 }>,
    h_version: Lit<4, { heard::VERSION as u64 }>,
    h_elsewhere: Lit<4, { heard::ELSEWHERE as u64 }>,
    h_unknown: Lit<4, { heard::UNKNOWN as u64 }>,
    h_tag: Lit<4, { heard::TAG as u64 }>,
    h_session: Lit<4, { heard::SESSION as u64 }>,
    h_old: Lit<4, { heard::OLD as u64 }>,
    h_range: Lit<4, { heard::RANGE as u64 }>,
    h_budget: Lit<4, { heard::BUDGET as u64 }>,
    whole: Swap<FRAME_BITS>,
    f: Signal<Local, Bits<FRAME_BITS>>,
    of_version: Signal<Local, Bits<8>>,
    kind: Signal<Local, Bits<8>>,
    dst: Signal<Local, Bits<16>>,
    theirs: Signal<Local, Bits<32>>,
    ours: Signal<Local, Bits<32>>,
    number: Signal<Local, Bits<64>>,
    sent: Signal<Local, Bits<64>>,
    hello: Signal<Local, Bit>,
    same: Signal<Local, Bit>,
    higher: Signal<Local, Bit>,
    names_us: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    old: Signal<Local, Bit>,
    slot: Signal<Local, Bits<64>>,
    echo: Signal<Local, Bits<64>>,
    limit: Signal<Local, Bits<64>>,
    beyond: Signal<Local, Bit>,
    right: Signal<Local, Bit>,
    opened: Signal<Local, Bit>,
    grants: Signal<Local, Bit>,
    half: Signal<Local, Bits<32>>,
    after: Signal<Local, Known>,
}

impl Logic for Judge {
    #[hdl_gen]
    fn update(&mut self) {
        self.whole.din.next = self.frame.val();
        self.f.next = self.whole.dout.val();
        self.of_version.next = bit_cast::<8, FRAME_BITS>(self.f.val() >> self.version_at.val());
        self.kind.next = bit_cast::<8, FRAME_BITS>(self.f.val() >> self.kind_at.val());
        self.dst.next = bit_cast::<16, FRAME_BITS>(self.f.val() >> self.dst_at.val());
        self.theirs.next = bit_cast::<32, FRAME_BITS>(self.f.val() >> self.session_at.val());
        self.ours.next = bit_cast::<32, FRAME_BITS>(self.f.val() >> self.peer_at.val());
        self.number.next = bit_cast::<64, FRAME_BITS>(self.f.val() >> self.number_at.val());
        self.sent.next = bit_cast::<64, FRAME_BITS>(self.f.val() >> self.sent_at.val());

        // does it count?
        self.hello.next = self.kind.val() == self.k_hello.val();
        self.same.next = self.theirs.val() == self.now.val().session;
        self.higher.next = self.theirs.val() > self.now.val().session;
        self.names_us.next = self.ours.val() == self.session.val();
        self.fits.next = (self.names_us.val() | (self.hello.val() & !self.ours.val().any()))
            & ((self.same.val() & self.theirs.val().any()) | (self.hello.val() & self.higher.val()));
        self.old.next = self.same.val() & (self.number.val() <= self.now.val().number);
        self.slot.next = bit_cast::<64, FRAME_BITS>(self.f.val() >> self.slot_at.val());
        self.echo.next = bit_cast::<64, FRAME_BITS>(self.f.val() >> self.echo_at.val());
        self.limit.next = bit_cast::<64, FRAME_BITS>(self.f.val() >> self.limit_at.val());
        self.beyond.next = !self.hello.val()
            & (self.slot.val().get_bits::<16>(48).any()
                | self.echo.val().get_bits::<16>(48).any()
                | self.limit.val().get_bits::<2>(62).any()
                | self.sent.val().get_bits::<2>(62).any());
        self.opened.next = !self.same.val();
        self.right.next = false;
        if self.bad.val() {
            self.heard.next = self.h_malformed.val();
        } else if !self.crc_ok.val() {
            self.heard.next = self.h_corrupt.val();
        } else if (self.of_version.val() != self.version.val())
            | (!self.hello.val() & (self.kind.val() != self.k_budget.val()))
        {
            self.heard.next = self.h_version.val();
        } else if self.dst.val() != self.site.val() {
            self.heard.next = self.h_elsewhere.val();
        } else if !self.hit.val() {
            self.heard.next = self.h_unknown.val();
        } else if !self.tag_ok.val() {
            self.heard.next = self.h_tag.val();
        } else if !self.fits.val() {
            self.heard.next = self.h_session.val();
        } else if self.old.val() {
            self.heard.next = self.h_old.val();
        } else if self.beyond.val() {
            self.heard.next = self.h_range.val();
        } else {
            self.right.next = true;
            self.heard.next = self.h_budget.val();
            if self.hello.val() {
                self.heard.next = self.h_hello.val();
                if self.opened.val() {
                    self.heard.next = self.h_opened.val();
                }
            }
        }
        self.grants.next = !self.hello.val();
        self.counts.next = self.right.val();
        self.budget.next = self.grants.val();
        self.sets.next = self.right.val() & (self.grants.val() | self.opened.val());

        // a frame that counts
        self.after.next = self.now.val();
        self.lapse.next = false;
        self.slows.next = false;
        self.half.next = self.now.val().rate >> 1;
        if self.tick.val() {
            if self.now.val().live {
                if self.now.val().lease.any() {
                    self.after.next.lease = self.now.val().lease - 1;
                } else {
                    self.lapse.next = !self.now.val().lapsed;
                    self.slows.next = true;
                    self.after.next.lapsed = true;
                    self.after.next.rate = self.half.val();
                    if self.half.val() < self.floor.val() {
                        self.after.next.rate = self.floor.val();
                    }
                }
            }
        } else {
            self.after.next.session = self.theirs.val();
            self.after.next.number = self.number.val();
            self.after.next.knows_us = self.names_us.val();
            if self.grants.val() {
                self.after.next.slot = self.slot.val();
                self.after.next.echo = self.echo.val();
                self.after.next.rate = self.rate.val();
                self.after.next.limit = self.limit.val();
                self.after.next.waiting = bit_cast::<64, FRAME_BITS>(self.f.val() >> self.waiting_at.val());
                self.after.next.offset = self.sent.val() - self.came.val();
                self.after.next.lease = bit_cast::<16, FRAME_BITS>(self.f.val() >> self.lease_at.val());
                self.after.next.live = true;
                self.after.next.lapsed = false;
            } else if self.opened.val() {
                self.after.next.slot = 0.into();
                self.after.next.echo = 0.into();
                self.after.next.rate = 0.into();
                self.after.next.limit = 0.into();
                self.after.next.waiting = 0.into();
                self.after.next.offset = !self.came.val() + 1;
                self.after.next.lease = 0.into();
                self.after.next.live = false;
                self.after.next.lapsed = false;
            }
        }
        self.becomes.next = self.after.val();
        self.free.next = self.after.val().lapsed & (self.after.val().rate <= self.floor.val());
    }
}
