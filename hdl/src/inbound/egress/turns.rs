//! Beside **egress** on external memory: which class goes, and what the lossless one holds.
//!
//! In: the head streams of both classes, what was committed and what was lost. Out: one head stream; bytes held.
//! Latency: none from the pause to the head. Bytes held are two cycles late.
//! Model: `model::egress`. Tests: `tests/inbound/egress_external.rs`. Registers: `PACER_OVERHEAD`.

use super::Occupancy;
use crate::record::Intent;
use rust_hdl::prelude::*;

/// What the head stream shows may change from cycle to cycle until `holds` says that a frame of it is on the port.
#[derive(LogicBlock, Default)]
pub struct Turns {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub roce_valid: Signal<In, Bit>,
    pub roce_frame: Signal<In, Bit>,
    pub roce_data: Signal<In, Bits<512>>,
    pub roce_bytes: Signal<In, Bits<7>>,
    pub roce_last: Signal<In, Bit>,
    pub roce_intent: Signal<In, Intent>,
    pub roce_queue: Signal<In, Bits<5>>,
    pub roce_total: Signal<In, Bits<14>>,
    pub roce_ready: Signal<Out, Bit>,
    /// Its head is gone, and was not shown.
    pub roce_lost: Signal<In, Bit>,
    pub rest_valid: Signal<In, Bit>,
    pub rest_data: Signal<In, Bits<512>>,
    pub rest_bytes: Signal<In, Bits<7>>,
    pub rest_last: Signal<In, Bit>,
    pub rest_intent: Signal<In, Intent>,
    pub rest_ready: Signal<Out, Bit>,
    pub paused: Signal<In, Bit>,
    pub space: Signal<In, Bit>,
    pub holds: Signal<In, Bit>,
    pub head_valid: Signal<Out, Bit>,
    pub head_frame: Signal<Out, Bit>,
    pub head_data: Signal<Out, Bits<512>>,
    pub head_bytes: Signal<Out, Bits<7>>,
    pub head_last: Signal<Out, Bit>,
    pub head_intent: Signal<Out, Intent>,
    pub head_path: Signal<Out, Bit>,
    pub head_number: Signal<Out, Bits<4>>,
    pub head_ready: Signal<In, Bit>,
    pub overhead: Signal<In, Bits<8>>,
    /// A lossless frame was committed.
    pub came_valid: Signal<In, Bit>,
    pub came_queue: Signal<In, Bits<5>>,
    pub came_bytes: Signal<In, Bits<14>>,
    pub occupancy_path: Signal<In, Bits<4>>,
    pub occupancy: Signal<Out, Bits<48>>,
    pub here_path: Signal<In, Bits<4>>,
    pub here: Signal<Out, Bit>,
    pub stray: Signal<Out, Bits<48>>,
    pub backlog: Signal<Out, Bit>,
    held: Occupancy,
    says: Signal<Local, Bit>,
    may: Signal<Local, Bit>,
    rest_first: DFF<Bit>,
    was_rest: DFF<Bit>,
    is_rest: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    there: DFF<Bit>,
}

impl Logic for Turns {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, rest_first, was_rest, there);
        self.held.clk.next = self.clk.val();
        self.held.rst.next = self.rst.val();

        // Out: whose turn it is, unless a frame is under way.
        self.says.next = self.roce_intent.val().kind.any();
        self.may.next = self.roce_valid.val()
            & (self.space.val() | !self.says.val())
            & (!self.paused.val() | !self.roce_frame.val());
        self.is_rest.next = self.rest_valid.val() & (self.rest_first.q.val() | !self.may.val());
        if self.holds.val() {
            self.is_rest.next = self.was_rest.q.val();
        }
        self.was_rest.d.next = self.is_rest.val();
        self.head_valid.next = self.may.val() | (self.holds.val() & self.roce_valid.val());
        self.head_frame.next = self.roce_frame.val();
        self.head_data.next = self.roce_data.val();
        self.head_bytes.next = self.roce_bytes.val();
        self.head_last.next = self.roce_last.val();
        self.head_intent.next = self.roce_intent.val();
        self.head_path.next = !self.roce_queue.val().get_bit(4);
        self.head_number.next = bit_cast::<4, 5>(self.roce_queue.val());
        if self.is_rest.val() {
            self.head_valid.next = self.rest_valid.val();
            self.head_frame.next = true;
            self.head_data.next = self.rest_data.val();
            self.head_bytes.next = self.rest_bytes.val();
            self.head_last.next = self.rest_last.val();
            self.head_intent.next = self.rest_intent.val();
            self.head_path.next = false;
        }
        self.takes.next = self.head_ready.val() & (self.may.val() | self.holds.val()) & !self.is_rest.val();
        self.roce_ready.next = self.takes.val();
        self.rest_ready.next = self.head_ready.val() & self.is_rest.val();
        if self.takes.val() & self.roce_last.val() {
            self.rest_first.d.next = true;
        }
        if self.head_ready.val() & self.is_rest.val() & self.rest_last.val() {
            self.rest_first.d.next = false;
        }

        // What waits of the lossless class; what is lost has left.
        self.held.overhead.next = self.overhead.val();
        self.held.came_valid.next = self.came_valid.val();
        self.held.came_queue.next = self.came_queue.val();
        self.held.came_bytes.next = self.came_bytes.val();
        self.held.left_valid.next =
            (self.takes.val() & self.roce_frame.val() & self.roce_last.val()) | self.roce_lost.val();
        self.held.left_queue.next = self.roce_queue.val();
        self.held.left_bytes.next = self.roce_total.val();
        self.held.ask_path.next = self.occupancy_path.val();
        self.held.here_path.next = self.here_path.val();
        self.here.next = self.held.here.val();
        self.occupancy.next = bit_cast::<48, 24>(self.held.told.val());
        self.stray.next = bit_cast::<48, 24>(self.held.stray.val());
        self.there.d.next = self.roce_valid.val();
        self.backlog.next = self.there.q.val() & self.held.any.val();
        if self.rst.val() {
            self.rest_first.d.next = false;
            self.was_rest.d.next = false;
            self.there.d.next = false;
        }
    }
}
