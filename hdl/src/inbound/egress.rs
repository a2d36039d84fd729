//! Inbound 4 of 5: **egress**. From [ack_filter](super::ack_filter), to [arbiter](super::Arbiter); to the budget rail, what
//! waits of each path.
//!
//! In: the rail with the queue of each frame, delayed so that a frame's last beat comes with its verdict; `lossless`, it is
//! RoCE. Out: `room` of the class that is asked for; one head stream; bytes held of `occupancy_path` and of no path.
//! Latency: as [packet_memory](crate::memory::PacketMemory), none from the pause to the head. Bytes held are two cycles late.
//! Model: `model::egress`. Tests: `tests/inbound/egress.rs`. Registers: `PACER_OVERHEAD`.
//!
//! Two queues with memory of their own: RoCE frames with the entries that have no frame, and the rest. When both have
//! something to send they take turns, entry by entry. While the client has paused the lossless class, only the rest goes.

mod external;
mod occupancy;
mod turns;

pub use external::EgressExternal;
pub use occupancy::Occupancy;
pub use turns::Turns;

use crate::memory::PacketMemory;
use crate::record::Intent;
use rust_hdl::prelude::*;

/// `2^A` beats and `2^D` descriptors for the lossless class, `2^RA` and `2^RD` for the rest.
///
/// What the head stream shows may change from cycle to cycle until `holds` says that a frame of it is on the port.
#[derive(LogicBlock, Default)]
pub struct Egress<const A: usize, const D: usize, const RA: usize, const RD: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub rail_valid: Signal<In, Bit>,
    pub rail_data: Signal<In, Bits<512>>,
    pub rail_bytes: Signal<In, Bits<7>>,
    pub rail_first: Signal<In, Bit>,
    pub rail_last: Signal<In, Bit>,
    pub rail_queue: Signal<In, Bits<5>>,
    pub verdict_valid: Signal<In, Bit>,
    pub forward: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub lossless: Signal<In, Bit>,
    pub intent: Signal<In, Intent>,
    /// Whose room is asked for.
    pub judge_lossless: Signal<In, Bit>,
    pub room: Signal<Out, Bit>,
    pub empty: Signal<Out, Bit>,
    /// The client has paused the lossless class.
    pub paused: Signal<In, Bit>,
    /// An intent would find its place.
    pub space: Signal<In, Bit>,
    /// A frame from here is on the port and not yet over.
    pub holds: Signal<In, Bit>,
    pub head_valid: Signal<Out, Bit>,
    pub head_frame: Signal<Out, Bit>,
    pub head_data: Signal<Out, Bits<512>>,
    pub head_bytes: Signal<Out, Bits<7>>,
    pub head_last: Signal<Out, Bit>,
    pub head_intent: Signal<Out, Intent>,
    /// It is of the lossless class and of a path.
    pub head_path: Signal<Out, Bit>,
    pub head_number: Signal<Out, Bits<4>>,
    pub head_ready: Signal<In, Bit>,
    /// What a frame counts beside its bytes.
    pub overhead: Signal<In, Bits<8>>,
    pub occupancy_path: Signal<In, Bits<4>>,
    pub occupancy: Signal<Out, Bits<48>>,
    pub here_path: Signal<In, Bits<4>>,
    pub here: Signal<Out, Bit>,
    pub stray: Signal<Out, Bits<48>>,
    /// In the cycle before, a lossless frame of a path waited or was leaving.
    pub backlog: Signal<Out, Bit>,
    roce: PacketMemory<A, D>,
    rest: PacketMemory<RA, RD>,
    held: Occupancy,
    silence: Signal<Local, Intent>,
    kept: Signal<Local, Bit>,
    says: Signal<Local, Bit>,
    may: Signal<Local, Bit>,
    rest_first: DFF<Bit>,
    was_rest: DFF<Bit>,
    is_rest: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    there: DFF<Bit>,
}

impl<const A: usize, const D: usize, const RA: usize, const RD: usize> Logic for Egress<A, D, RA, RD> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, rest_first, was_rest, there);
        self.roce.clk.next = self.clk.val();
        self.roce.rst.next = self.rst.val();
        self.rest.clk.next = self.clk.val();
        self.rest.rst.next = self.rst.val();
        self.held.clk.next = self.clk.val();
        self.held.rst.next = self.rst.val();

        // In: both write what comes, one of them keeps it.
        self.roce.rail_valid.next = self.rail_valid.val();
        self.roce.rail_data.next = self.rail_data.val();
        self.roce.rail_bytes.next = self.rail_bytes.val();
        self.roce.rail_first.next = self.rail_first.val();
        self.roce.rail_last.next = self.rail_last.val();
        self.roce.rail_queue.next = self.rail_queue.val();
        self.roce.verdict_valid.next = self.verdict_valid.val();
        self.roce.forward.next = self.forward.val();
        self.roce.push.next = self.push.val() & (self.lossless.val() | !self.forward.val());
        self.roce.intent.next = self.intent.val();
        self.roce.go.next = true;
        self.rest.rail_valid.next = self.rail_valid.val();
        self.rest.rail_data.next = self.rail_data.val();
        self.rest.rail_bytes.next = self.rail_bytes.val();
        self.rest.rail_first.next = self.rail_first.val();
        self.rest.rail_last.next = self.rail_last.val();
        self.rest.rail_queue.next = 0.into();
        self.rest.verdict_valid.next = self.verdict_valid.val();
        self.rest.forward.next = self.forward.val();
        self.rest.push.next = self.push.val() & self.forward.val() & !self.lossless.val();
        self.silence.next.kind = 0.into();
        self.silence.next.req = false;
        self.silence.next.flow = 0.into();
        self.silence.next.run = 0.into();
        self.silence.next.psn = 0.into();
        self.silence.next.msn = 0.into();
        self.rest.intent.next = self.silence.val();
        self.rest.go.next = true;
        self.room.next = self.rest.room.val();
        if self.judge_lossless.val() {
            self.room.next = self.roce.room.val();
        }
        self.empty.next = self.roce.empty.val() & self.rest.empty.val();

        // Out: whose turn it is, unless a frame is under way.
        self.says.next = self.roce.head_intent.val().kind.any();
        self.may.next = self.roce.head_valid.val()
            & (self.space.val() | !self.says.val())
            & (!self.paused.val() | !self.roce.head_frame.val());
        self.is_rest.next = self.rest.head_valid.val() & (self.rest_first.q.val() | !self.may.val());
        if self.holds.val() {
            self.is_rest.next = self.was_rest.q.val();
        }
        self.was_rest.d.next = self.is_rest.val();
        self.head_valid.next = self.may.val() | (self.holds.val() & self.roce.head_valid.val());
        self.head_frame.next = self.roce.head_frame.val();
        self.head_data.next = self.roce.head_data.val();
        self.head_bytes.next = self.roce.head_bytes.val();
        self.head_last.next = self.roce.head_last.val();
        self.head_intent.next = self.roce.head_intent.val();
        self.head_path.next = !self.roce.head_queue.val().get_bit(4);
        self.head_number.next = bit_cast::<4, 5>(self.roce.head_queue.val());
        if self.is_rest.val() {
            self.head_valid.next = self.rest.head_valid.val();
            self.head_frame.next = true;
            self.head_data.next = self.rest.head_data.val();
            self.head_bytes.next = self.rest.head_bytes.val();
            self.head_last.next = self.rest.head_last.val();
            self.head_intent.next = self.rest.head_intent.val();
            self.head_path.next = false;
        }
        self.takes.next = self.head_ready.val() & (self.may.val() | self.holds.val()) & !self.is_rest.val();
        self.roce.head_ready.next = self.takes.val();
        self.rest.head_ready.next = self.head_ready.val() & self.is_rest.val();
        if self.takes.val() & self.roce.head_last.val() {
            self.rest_first.d.next = true;
        }
        if self.head_ready.val() & self.is_rest.val() & self.rest.head_last.val() {
            self.rest_first.d.next = false;
        }

        // What waits of the lossless class.
        self.kept.next = self.verdict_valid.val() & self.push.val() & self.forward.val() & self.lossless.val();
        self.held.overhead.next = self.overhead.val();
        self.held.came_valid.next = self.kept.val();
        self.held.came_queue.next = self.rail_queue.val();
        self.held.came_bytes.next = self.roce.rail_total.val();
        self.held.left_valid.next = self.takes.val() & self.roce.head_frame.val() & self.roce.head_last.val();
        self.held.left_queue.next = self.roce.head_queue.val();
        self.held.left_bytes.next = self.roce.next_bytes.val();
        self.held.ask_path.next = self.occupancy_path.val();
        self.held.here_path.next = self.here_path.val();
        self.here.next = self.held.here.val();
        self.occupancy.next = bit_cast::<48, 24>(self.held.told.val());
        self.stray.next = bit_cast::<48, 24>(self.held.stray.val());
        self.there.d.next = self.roce.head_valid.val();
        self.backlog.next = self.there.q.val() & self.held.any.val();
        if self.rst.val() {
            self.rest_first.d.next = false;
            self.was_rest.d.next = false;
            self.there.d.next = false;
        }
    }
}
