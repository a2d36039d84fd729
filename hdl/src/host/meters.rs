//! Beside host 2: **meters**. Everything that is counted per flow, per queue or per bin.
//!
//! In: an event of each kind per cycle: a judged frame of a flow from the client (`out_*`), an acknowledgement or CNP
//! that was built (`said_*`), a frame that started towards the line (`left_*`), one refused for want of room
//! (`refused_*`), a histogram's sample (`latency_*`, `age_*`); a read (`ask, ask_table, ask_step, ask_index`) until it is
//! `taken`, which stands until `done`. Out: `done` with `value`: 0 where the table has no such value.
//! A latency waits for a cycle without an age; the next one comes only after it has cycles enough to wait.
//! Latency: that of [meter](super::Meter). Model: `model/src/meters.rs`. Tests: `tests/host/meters.rs`. Registers: `METER`.

use super::Meter;
use crate::prim::Lit;
use matchrdma_spec::regs::meter;
use rust_hdl::prelude::*;

/// The tables.
#[derive(LogicBlock, Default)]
pub struct Meters {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub out_valid: Signal<In, Bit>,
    pub out_flow: Signal<In, Bits<12>>,
    pub out_kept: Signal<In, Bit>,
    pub out_bytes: Signal<In, Bits<14>>,
    pub said_valid: Signal<In, Bit>,
    pub said_flow: Signal<In, Bits<12>>,
    pub said_kind: Signal<In, Bits<2>>,
    pub left_valid: Signal<In, Bit>,
    pub left_queue: Signal<In, Bits<5>>,
    pub left_bytes: Signal<In, Bits<14>>,
    pub refused_valid: Signal<In, Bit>,
    pub refused_queue: Signal<In, Bits<5>>,
    pub latency_valid: Signal<In, Bit>,
    pub latency_bin: Signal<In, Bits<5>>,
    pub age_valid: Signal<In, Bit>,
    pub age_bin: Signal<In, Bits<5>>,
    pub ask: Signal<In, Bit>,
    pub ask_table: Signal<In, Bits<3>>,
    pub ask_step: Signal<In, Bits<2>>,
    pub ask_index: Signal<In, Bits<12>>,
    pub taken: Signal<Out, Bit>,
    pub done: Signal<Out, Bit>,
    pub value: Signal<Out, Bits<64>>,
    /// By flow and whether dropped.
    out_frames: Meter<13>,
    out_sum: Meter<12>,
    /// By flow and kind.
    of_said: Meter<14>,
    left_frames: Meter<5>,
    left_sum: Meter<5>,
    of_refused: Meter<5>,
    /// By histogram and bin.
    samples: Meter<6>,
    /// A latency that waits for a cycle without an age.
    late: DFF<Bit>,
    late_bin: DFF<Bits<5>>,
    /// A value that no table has was asked for.
    nothing: DFF<Bit>,
    nobody: Signal<Local, Bit>,
    out_value: Signal<Local, Bits<64>>,
    queue_value: Signal<Local, Bits<64>>,
    other_value: Signal<Local, Bits<64>>,
    flow_out: Lit<3, { meter::FLOW_OUT as u64 }>,
    flow_said: Lit<3, { meter::FLOW_SAID as u64 }>,
    queue: Lit<3, { meter::QUEUE as u64 }>,
    ack_latency: Lit<3, { meter::ACK_LATENCY as u64 }>,
    debt_age: Lit<3, { meter::DEBT_AGE as u64 }>,
}

impl Logic for Meters {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, nothing, late, late_bin);
        self.out_frames.clk.next = self.clk.val();
        self.out_sum.clk.next = self.clk.val();
        self.of_said.clk.next = self.clk.val();
        self.left_frames.clk.next = self.clk.val();
        self.left_sum.clk.next = self.clk.val();
        self.of_refused.clk.next = self.clk.val();
        self.samples.clk.next = self.clk.val();
        self.out_frames.rst.next = self.rst.val();
        self.out_sum.rst.next = self.rst.val();
        self.of_said.rst.next = self.rst.val();
        self.left_frames.rst.next = self.rst.val();
        self.left_sum.rst.next = self.rst.val();
        self.of_refused.rst.next = self.rst.val();
        self.samples.rst.next = self.rst.val();

        // Events.
        self.out_frames.valid.next = self.out_valid.val();
        self.out_frames.index.next = bit_cast::<13, 12>(self.out_flow.val()) << 1;
        if !self.out_kept.val() {
            self.out_frames.index.next = (bit_cast::<13, 12>(self.out_flow.val()) << 1) | 1;
        }
        self.out_frames.gain.next = 1.into();
        self.out_sum.valid.next = self.out_valid.val() & self.out_kept.val();
        self.out_sum.index.next = self.out_flow.val();
        self.out_sum.gain.next = self.out_bytes.val();
        self.of_said.valid.next = self.said_valid.val();
        self.of_said.index.next =
            (bit_cast::<14, 12>(self.said_flow.val()) << 2) | bit_cast::<14, 2>(self.said_kind.val());
        self.of_said.gain.next = 1.into();
        self.left_frames.valid.next = self.left_valid.val();
        self.left_frames.index.next = self.left_queue.val();
        self.left_frames.gain.next = 1.into();
        self.left_sum.valid.next = self.left_valid.val();
        self.left_sum.index.next = self.left_queue.val();
        self.left_sum.gain.next = self.left_bytes.val();
        self.of_refused.valid.next = self.refused_valid.val();
        self.of_refused.index.next = self.refused_queue.val();
        self.of_refused.gain.next = 1.into();
        self.samples.valid.next = self.age_valid.val() | self.late.q.val();
        self.samples.index.next = bit_cast::<6, 5>(self.late_bin.q.val());
        self.samples.gain.next = 1.into();
        if self.age_valid.val() {
            self.samples.index.next = bit_cast::<6, 5>(self.age_bin.val()) | 32;
        } else {
            self.late.d.next = false;
        }
        if self.latency_valid.val() {
            self.late.d.next = true;
            self.late_bin.d.next = self.latency_bin.val();
        }

        // A read goes to the one that has the value.
        self.out_frames.ask_index.next =
            (bit_cast::<13, 12>(self.ask_index.val()) << 1) | bit_cast::<13, 1>(self.ask_step.val().get_bits::<1>(1));
        self.out_sum.ask_index.next = self.ask_index.val();
        self.of_said.ask_index.next =
            (bit_cast::<14, 12>(self.ask_index.val()) << 2) | bit_cast::<14, 2>(self.ask_step.val());
        self.left_frames.ask_index.next = self.ask_index.val().get_bits::<5>(0);
        self.left_sum.ask_index.next = self.ask_index.val().get_bits::<5>(0);
        self.of_refused.ask_index.next = self.ask_index.val().get_bits::<5>(0);
        self.samples.ask_index.next = bit_cast::<6, 5>(self.ask_index.val().get_bits::<5>(0));
        if self.ask_table.val() == self.debt_age.val() {
            self.samples.ask_index.next = bit_cast::<6, 5>(self.ask_index.val().get_bits::<5>(0)) | 32;
        }
        self.out_frames.ask.next = false;
        self.out_sum.ask.next = false;
        self.of_said.ask.next = false;
        self.left_frames.ask.next = false;
        self.left_sum.ask.next = false;
        self.of_refused.ask.next = false;
        self.samples.ask.next = false;
        self.nobody.next = false;
        if self.ask_table.val() == self.flow_out.val() {
            if self.ask_step.val() == 1 {
                self.out_sum.ask.next = self.ask.val();
            } else {
                self.out_frames.ask.next = self.ask.val();
            }
        } else if self.ask_table.val() == self.flow_said.val() {
            self.of_said.ask.next = self.ask.val();
        } else if self.ask_table.val() == self.queue.val() {
            if self.ask_step.val() == 0 {
                self.left_frames.ask.next = self.ask.val();
            } else if self.ask_step.val() == 1 {
                self.left_sum.ask.next = self.ask.val();
            } else {
                self.of_refused.ask.next = self.ask.val();
            }
        } else if ((self.ask_table.val() == self.ack_latency.val()) | (self.ask_table.val() == self.debt_age.val()))
            & (self.ask_step.val() == 0)
        {
            self.samples.ask.next = self.ask.val();
        } else {
            self.nobody.next = self.ask.val();
        }
        self.nothing.d.next = self.nobody.val();
        self.taken.next = self.nobody.val()
            | self.out_frames.taken.val()
            | self.out_sum.taken.val()
            | self.of_said.taken.val()
            | self.left_frames.taken.val()
            | self.left_sum.taken.val()
            | self.of_refused.taken.val()
            | self.samples.taken.val();

        // One reads at a time, and the question stands until it is answered.
        self.done.next = self.nothing.q.val()
            | self.out_frames.done.val()
            | self.out_sum.done.val()
            | self.of_said.done.val()
            | self.left_frames.done.val()
            | self.left_sum.done.val()
            | self.of_refused.done.val()
            | self.samples.done.val();
        self.out_value.next = self.out_frames.value.val();
        self.queue_value.next = self.left_frames.value.val();
        if self.ask_step.val().get_bit(0) {
            self.out_value.next = self.out_sum.value.val();
            self.queue_value.next = self.left_sum.value.val();
        } else if self.ask_step.val().get_bit(1) {
            self.queue_value.next = self.of_refused.value.val();
        }
        self.other_value.next = self.of_said.value.val();
        if self.ask_table.val().get_bit(1) | self.ask_table.val().get_bit(2) {
            self.other_value.next = self.samples.value.val();
        }
        self.value.next = self.other_value.val();
        if self.ask_table.val() == self.flow_out.val() {
            self.value.next = self.out_value.val();
        } else if self.ask_table.val() == self.queue.val() {
            self.value.next = self.queue_value.val();
        }
        if self.nothing.q.val() {
            self.value.next = bits::<64>(0);
        }
        if self.rst.val() {
            self.nothing.d.next = false;
            self.late.d.next = false;
        }
    }
}
