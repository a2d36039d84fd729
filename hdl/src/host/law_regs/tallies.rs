//! Inside [law_regs](super::LawRegs): **tallies**. How often what became of budget frames, leases and slots.
//!
//! In: pulses of the rail. Out: the word of place `at` of the block, in the same cycle, zero if it is not here. Each
//! counts modulo 2^32. Model: `tests/host/law_regs.rs` has its own. Tests: the same. Registers: `LAW`.

use crate::prim::Lit;
use matchrdma_spec::heard::HEARD;
use matchrdma_spec::regs::law;
use rust_hdl::prelude::*;

/// Codes of what became of a frame.
const CODES: usize = HEARD.len();

/// The counters.
#[derive(LogicBlock, Default)]
pub struct Tallies {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub at: Signal<In, Bits<6>>,
    pub word: Signal<Out, Bits<32>>,
    pub heard_valid: Signal<In, Bit>,
    pub heard: Signal<In, Bits<4>>,
    pub heard_high: Signal<In, Bit>,
    pub lost: Signal<In, Bit>,
    pub lapse_valid: Signal<In, Bit>,
    pub late: Signal<In, Bit>,
    of_code: [DFF<Bits<32>>; CODES],
    clamped: DFF<Bits<32>>,
    losses: DFF<Bits<32>>,
    lapses: DFF<Bits<32>>,
    lates: DFF<Bits<32>>,
    code: Signal<Local, Bits<6>>,
    found: Signal<Local, Bits<32>>,
    first: Lit<6, { place(law::HEARD_BUDGET.offset) }>,
    at_clamped: Lit<6, { place(law::CLAMPED.offset) }>,
    at_lost: Lit<6, { place(law::LOST.offset) }>,
    at_lapses: Lit<6, { place(law::LAPSES.offset) }>,
    at_late: Lit<6, { place(law::LATE.offset) }>,
}

/// Place of a register in the block.
const fn place(offset: u16) -> u64 {
    (offset - law::BASE) as u64 / 4
}

const _: () = assert!(CODES == 12);

impl Logic for Tallies {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, clamped, losses, lapses, lates);
        self.code.next = self.at.val() - self.first.val();
        self.found.next = bits::<32>(0);
        for i in 0..12 {
            self.of_code[i].clock.next = self.clk.val();
            self.of_code[i].d.next = self.of_code[i].q.val();
            if self.heard_valid.val() & (self.heard.val().index() == i) {
                self.of_code[i].d.next = self.of_code[i].q.val() + 1;
            }
            if self.code.val().index() == i {
                self.found.next = self.found.val() | self.of_code[i].q.val();
            }
            if self.rst.val() {
                self.of_code[i].d.next = bits::<32>(0);
            }
        }
        if self.heard_valid.val() & self.heard_high.val() {
            self.clamped.d.next = self.clamped.q.val() + 1;
        }
        if self.lost.val() {
            self.losses.d.next = self.losses.q.val() + 1;
        }
        if self.lapse_valid.val() {
            self.lapses.d.next = self.lapses.q.val() + 1;
        }
        if self.late.val() {
            self.lates.d.next = self.lates.q.val() + 1;
        }
        if self.at.val() == self.at_clamped.val() {
            self.found.next = self.clamped.q.val();
        }
        if self.at.val() == self.at_lost.val() {
            self.found.next = self.losses.q.val();
        }
        if self.at.val() == self.at_lapses.val() {
            self.found.next = self.lapses.q.val();
        }
        if self.at.val() == self.at_late.val() {
            self.found.next = self.lates.q.val();
        }
        self.word.next = self.found.val();
        if self.rst.val() {
            self.clamped.d.next = bits::<32>(0);
            self.losses.d.next = bits::<32>(0);
            self.lapses.d.next = bits::<32>(0);
            self.lates.d.next = bits::<32>(0);
        }
    }
}
