//! Beside the rail: **departure**. From [packet_memory], to `m_axis_line`, with intents to `pseudo_ack`.
//!
//! In: the head stream; at commit, the intent of what was just judged. Out: the line port; intents; `commit_room`.
//! Latency: none from head to port, so that a handshake at the port is the handshake at the head: the departure.
//! An intent reaches its port one cycle after its departure, or when `pseudo_ack` has taken those before it.
//! Model: `model::packet_memory` (order). Tests: `tests/outbound/departure.rs`. Registers: `ack_on` of `CONTROL`.
//!
//! `ack_on_arrival` is the plain pseudo-ACK baseline: intents are offered at commit, and the head's are not offered
//! again. Nothing can wait at a commit, so `commit_room` falls while eight more might not fit, and the itinerary ANDs
//! it into `track`'s `room`. It may change only while the gateway is disabled and empty: what is queued at a change
//! was offered already, or never is.
//!
//! [packet_memory]: crate::memory::PacketMemory

use crate::memory::IntentQueue;
use crate::prim::Keep;
use crate::record::Intent;
use rust_hdl::prelude::*;

/// The line side of packet memory, combinational. An entry whose intent says something starts only when the intent has
/// its place in the queue; from then on its beats wait for `tready` alone.
#[derive(LogicBlock, Default)]
pub struct Departure {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub ack_on_arrival: Signal<In, Bit>,
    /// `track` pushed a descriptor, in this cycle.
    pub commit_valid: Signal<In, Bit>,
    pub commit_intent: Signal<In, Intent>,
    pub commit_room: Signal<Out, Bit>,
    pub head_valid: Signal<In, Bit>,
    pub head_frame: Signal<In, Bit>,
    pub head_data: Signal<In, Bits<512>>,
    pub head_bytes: Signal<In, Bits<7>>,
    pub head_last: Signal<In, Bit>,
    pub head_intent: Signal<In, Intent>,
    pub head_ready: Signal<Out, Bit>,
    pub m_axis_line_tdata: Signal<Out, Bits<512>>,
    pub m_axis_line_tkeep: Signal<Out, Bits<64>>,
    pub m_axis_line_tuser: Signal<Out, Bit>,
    pub m_axis_line_tlast: Signal<Out, Bit>,
    pub m_axis_line_tvalid: Signal<Out, Bit>,
    pub m_axis_line_tready: Signal<In, Bit>,
    pub line_intent_valid: Signal<Out, Bit>,
    pub line_intent: Signal<Out, Intent>,
    pub line_intent_ready: Signal<In, Bit>,
    intents: IntentQueue,
    lanes: Keep,
    says: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
}

impl Logic for Departure {
    #[hdl_gen]
    fn update(&mut self) {
        self.intents.clk.next = self.clk.val();
        self.intents.rst.next = self.rst.val();
        self.says.next = self.head_intent.val().kind.any() & !self.ack_on_arrival.val();
        // True at its start, this stays true within a frame: nothing else takes the place.
        self.free.next = self.intents.space.val() | !self.says.val();

        self.lanes.bytes.next = self.head_bytes.val();
        self.m_axis_line_tdata.next = self.head_data.val();
        self.m_axis_line_tkeep.next = self.lanes.mask.val();
        self.m_axis_line_tuser.next = false;
        self.m_axis_line_tlast.next = self.head_last.val();
        self.m_axis_line_tvalid.next = self.head_valid.val() & self.head_frame.val() & self.free.val();
        self.ready.next = self.free.val() & (self.m_axis_line_tready.val() | !self.head_frame.val());
        self.head_ready.next = self.ready.val();

        self.intents.offer.next = self.head_valid.val() & self.ready.val() & self.head_last.val() & self.says.val();
        self.intents.intent.next = self.head_intent.val();
        if self.ack_on_arrival.val() {
            self.intents.offer.next = self.commit_valid.val() & self.commit_intent.val().kind.any();
            self.intents.intent.next = self.commit_intent.val();
        }
        self.commit_room.next = self.intents.room.val() | !self.ack_on_arrival.val();
        self.line_intent_valid.next = self.intents.out_valid.val();
        self.line_intent.next = self.intents.out_intent.val();
        self.intents.out_ready.next = self.line_intent_ready.val();
    }
}
