//! Beside [pacer](super): bytes per slot as bytes per cycle.
//!
//! In: what `rate_table` gives. Out: what the buckets take.
//! Latency: one path per cycle, so a rate that changes in one cycle is at its bucket at most 17 cycles later; how much
//! later depends on the path alone, as long as slots begin in step with 16 cycles (the shortest has 1024).
//! Model: `model::pacer`. Tests: `tests/outbound/gains.rs`. Registers: none.

use crate::prim::Lit;
use rust_hdl::prelude::*;

/// `gain[i]` is `rate[i] << (20 - slot_k)`, at most 2^29 - 1.
#[derive(LogicBlock, Default)]
pub struct Gains {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub slot_k: Signal<In, Bits<5>>,
    pub rate: [Signal<In, Bits<32>>; 16],
    pub gain: [Signal<Out, Bits<29>>; 16],
    turn: DFF<Bits<4>>,
    asked: DFF<Bits<4>>,
    picked: DFF<Bits<32>>,
    gains: [DFF<Bits<29>>; 16],
    rate_of_turn: Signal<Local, Bits<32>>,
    places: Signal<Local, Bits<4>>,
    whole: Signal<Local, Bits<44>>,
    shifted: Signal<Local, Bits<29>>,
    most: Lit<29, { (1 << 29) - 1 }>,
}

impl Logic for Gains {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, turn, asked, picked);
        self.turn.d.next = self.turn.q.val() + 1;
        self.rate_of_turn.next = 0.into();
        for i in 0..16 {
            if self.turn.q.val().index() == i {
                self.rate_of_turn.next = self.rate[i].val();
            }
        }
        self.asked.d.next = self.turn.q.val();
        self.picked.d.next = self.rate_of_turn.val();
        // 20 - slot_k, modulo 16: a slot has 2^10 to 2^20 cycles
        self.places.next = bits::<4>(4) - bit_cast::<4, 5>(self.slot_k.val());
        self.whole.next = bit_cast::<44, 32>(self.picked.q.val()) << self.places.val();
        self.shifted.next = bit_cast::<29, 44>(self.whole.val());
        if self.whole.val().get_bits::<15>(29).any() {
            self.shifted.next = self.most.val();
        }
        for i in 0..16 {
            self.gains[i].clock.next = self.clk.val();
            self.gains[i].d.next = self.gains[i].q.val();
            if self.asked.q.val().index() == i {
                self.gains[i].d.next = self.shifted.val();
            }
            self.gain[i].next = self.gains[i].q.val();
            if self.rst.val() {
                self.gains[i].d.next = 0.into();
            }
        }
        if self.rst.val() {
            self.turn.d.next = 0.into();
        }
    }
}
