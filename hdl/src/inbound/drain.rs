//! Inbound, beside 5: **drain**. From the client port, to the budget rail's estimator.
//!
//! In: the beat that leaves the port, and of which path, if it is of a lossless frame of one; `backlog`, such a frame waited or
//! was leaving in the cycle before; `paused`; `slot_end`, in the last cycle of a slot.
//! Out, in the cycle of `slot_end`: bytes that left, whether something waited all along, and for how long it was paused;
//! and each beat of a path, with what it counts: in the cycle of `slot_end` that is of the next slot.
//! Latency: two cycles, so a slot here is two cycles late; no cycle is left out or counts twice.
//! Model: `model::drain`. Tests: `tests/inbound/drain.rs`. Registers: `PACER_OVERHEAD`.

use rust_hdl::prelude::*;

/// Bytes count beat by beat, the `overhead` of a frame with its last.
#[derive(LogicBlock, Default)]
pub struct Drain {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub overhead: Signal<In, Bits<8>>,
    pub left_valid: Signal<In, Bit>,
    pub left_path: Signal<In, Bit>,
    pub left_number: Signal<In, Bits<4>>,
    pub left_bytes: Signal<In, Bits<7>>,
    pub left_last: Signal<In, Bit>,
    pub backlog: Signal<In, Bit>,
    pub paused: Signal<In, Bit>,
    pub slot_end: Signal<In, Bit>,
    pub drained: Signal<Out, Bits<32>>,
    pub other: Signal<Out, Bits<32>>,
    pub backlogged: Signal<Out, Bit>,
    pub paused_cycles: Signal<Out, Bits<32>>,
    pub beat_valid: Signal<Out, Bit>,
    pub beat_path: Signal<Out, Bits<4>>,
    pub beat_bytes: Signal<Out, Bits<9>>,
    leaves: DFF<Bit>,
    leaves_path: DFF<Bit>,
    leaves_number: DFF<Bits<4>>,
    cost: DFF<Bits<9>>,
    beat: Signal<Local, Bits<9>>,
    was_paused: DFF<Bit>,
    of_paths: DFF<Bits<32>>,
    of_others: DFF<Bits<32>>,
    cycles: DFF<Bits<24>>,
    idle: DFF<Bits<24>>,
    pauses: DFF<Bits<24>>,
    paths_before: Signal<Local, Bits<32>>,
    others_before: Signal<Local, Bits<32>>,
    cycles_before: Signal<Local, Bits<24>>,
    idle_before: Signal<Local, Bits<24>>,
    pauses_before: Signal<Local, Bits<24>>,
    idle_eighths: Signal<Local, Bits<27>>,
}

impl Logic for Drain {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, leaves, leaves_path, leaves_number, cost, was_paused);
        dff_setup!(self, clk, of_paths, of_others, cycles, idle, pauses);
        self.beat.next = bit_cast::<9, 7>(self.left_bytes.val());
        if self.left_last.val() {
            self.beat.next = bit_cast::<9, 7>(self.left_bytes.val()) + bit_cast::<9, 8>(self.overhead.val());
        }
        self.leaves.d.next = self.left_valid.val();
        self.leaves_path.d.next = self.left_path.val();
        self.leaves_number.d.next = self.left_number.val();
        self.cost.d.next = self.beat.val();
        self.beat_valid.next = self.leaves.q.val() & self.leaves_path.q.val();
        self.beat_path.next = self.leaves_number.q.val();
        self.beat_bytes.next = self.cost.q.val();
        self.was_paused.d.next = self.paused.val();

        self.paths_before.next = self.of_paths.q.val();
        self.others_before.next = self.of_others.q.val();
        self.cycles_before.next = self.cycles.q.val();
        self.idle_before.next = self.idle.q.val();
        self.pauses_before.next = self.pauses.q.val();
        if self.slot_end.val() {
            self.paths_before.next = 0.into();
            self.others_before.next = 0.into();
            self.cycles_before.next = 0.into();
            self.idle_before.next = 0.into();
            self.pauses_before.next = 0.into();
        }
        self.of_paths.d.next = self.paths_before.val();
        self.of_others.d.next = self.others_before.val();
        self.cycles.d.next = self.cycles_before.val() + 1;
        self.idle.d.next = self.idle_before.val();
        self.pauses.d.next = self.pauses_before.val();
        if self.leaves.q.val() & self.leaves_path.q.val() {
            self.of_paths.d.next = self.paths_before.val() + bit_cast::<32, 9>(self.cost.q.val());
        }
        if self.leaves.q.val() & !self.leaves_path.q.val() {
            self.of_others.d.next = self.others_before.val() + bit_cast::<32, 9>(self.cost.q.val());
        }
        if !self.backlog.val() {
            self.idle.d.next = self.idle_before.val() + 1;
        }
        if self.was_paused.q.val() {
            self.pauses.d.next = self.pauses_before.val() + 1;
        }
        self.drained.next = self.of_paths.q.val();
        self.other.next = self.of_others.q.val();
        self.idle_eighths.next = bit_cast::<27, 24>(self.idle.q.val()) << 3;
        self.backlogged.next = self.idle_eighths.val() <= bit_cast::<27, 24>(self.cycles.q.val());
        self.paused_cycles.next = bit_cast::<32, 24>(self.pauses.q.val());
        if self.rst.val() {
            self.leaves.d.next = false;
            self.was_paused.d.next = false;
            self.of_paths.d.next = 0.into();
            self.of_others.d.next = 0.into();
            self.cycles.d.next = 0.into();
            self.idle.d.next = 0.into();
            self.pauses.d.next = 0.into();
        }
    }
}
