//! Beside the rail: **departure**. From [packet_memory] and `budget_tx`, to `m_axis_line`, with intents to `pseudo_ack`.
//!
//! In: the head stream; at commit, the intent of what was just judged; budget frames, and `started`, a frame that the
//! pacer let go. Out: the line port; intents; `commit_room`; `tx_clear`.
//! Latency: none from head to port, so that a handshake at the port is the handshake at the head: the departure.
//! An intent reaches its port one cycle after its departure, or when `pseudo_ack` has taken those before it.
//! Model: `model::packet_memory` (order). Tests: `tests/outbound/departure.rs`. Registers: `ack_on` of `CONTROL`.
//!
//! `ack_on_arrival` is the plain pseudo-ACK baseline: intents are offered at commit, and the head's are not offered
//! again. Nothing can wait at a commit, so `commit_room` falls while eight more might not fit, and the itinerary ANDs
//! it into `track`'s `room`. It may change only while the gateway is disabled and empty: what is queued at a change
//! was offered already, or never is.
//!
//! A budget frame goes between two frames, ahead of those that wait, but not ahead of what the pacer had let go when
//! `tx_order` came: until that has left, `tx_clear` is down.
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
    /// The pacer let a frame go, in this cycle.
    pub started: Signal<In, Bit>,
    pub tx_order: Signal<In, Bit>,
    pub tx_clear: Signal<Out, Bit>,
    pub tx_valid: Signal<In, Bit>,
    pub tx_data: Signal<In, Bits<512>>,
    pub tx_bytes: Signal<In, Bits<7>>,
    pub tx_last: Signal<In, Bit>,
    pub tx_ready: Signal<Out, Bit>,
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
    /// A budget frame, or a frame from the head, is on the port and not yet over.
    in_tx: DFF<Bit>,
    in_head: DFF<Bit>,
    tx: Signal<Local, Bit>,
    valid: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    /// Frames let go that have not left; those of them that a budget frame waits for.
    released: DFF<Bits<13>>,
    ahead: DFF<Bits<13>>,
    left: Signal<Local, Bit>,
    now_released: Signal<Local, Bits<13>>,
    now_ahead: Signal<Local, Bits<13>>,
    clear: DFF<Bit>,
}

impl Logic for Departure {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, in_tx, in_head, released, ahead, clear);
        self.intents.clk.next = self.clk.val();
        self.intents.rst.next = self.rst.val();
        self.says.next = self.head_intent.val().kind.any() & !self.ack_on_arrival.val();
        // True at its start, this stays true within a frame: nothing else takes the place.
        self.free.next = self.intents.space.val() | !self.says.val();

        // Who is on the port: a frame that has been shown stays until it is over.
        self.tx.next = self.in_tx.q.val() | (self.tx_valid.val() & !self.in_head.q.val());
        self.valid.next = self.head_valid.val() & self.head_frame.val() & self.free.val();
        self.last.next = self.head_last.val();
        self.m_axis_line_tdata.next = self.head_data.val();
        self.lanes.bytes.next = self.head_bytes.val();
        if self.tx.val() {
            self.valid.next = self.tx_valid.val();
            self.last.next = self.tx_last.val();
            self.m_axis_line_tdata.next = self.tx_data.val();
            self.lanes.bytes.next = self.tx_bytes.val();
        }
        self.m_axis_line_tkeep.next = self.lanes.mask.val();
        self.m_axis_line_tuser.next = false;
        self.m_axis_line_tlast.next = self.last.val();
        self.m_axis_line_tvalid.next = self.valid.val();
        self.tx_ready.next = self.tx.val() & self.m_axis_line_tready.val();
        self.ready.next = self.free.val() & ((self.m_axis_line_tready.val() & !self.tx.val()) | !self.head_frame.val());
        self.head_ready.next = self.ready.val();
        if self.valid.val() {
            self.in_tx.d.next = self.tx.val();
            self.in_head.d.next = !self.tx.val();
            if self.m_axis_line_tready.val() & self.last.val() {
                self.in_tx.d.next = false;
                self.in_head.d.next = false;
            }
        }

        // What a budget frame waits for.
        self.left.next = self.head_valid.val() & self.head_frame.val() & self.ready.val() & self.head_last.val();
        self.now_released.next = self.released.q.val();
        if self.started.val() & !self.left.val() {
            self.now_released.next = self.released.q.val() + 1;
        }
        if self.left.val() & !self.started.val() {
            self.now_released.next = self.released.q.val() - 1;
        }
        self.now_ahead.next = self.ahead.q.val();
        if self.left.val() & self.ahead.q.val().any() {
            self.now_ahead.next = self.ahead.q.val() - 1;
        }
        if self.tx_order.val() {
            self.now_ahead.next = self.now_released.val();
        }
        self.released.d.next = self.now_released.val();
        self.ahead.d.next = self.now_ahead.val();
        self.clear.d.next = !self.now_ahead.val().any();
        self.tx_clear.next = self.clear.q.val();

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
        if self.rst.val() {
            self.in_tx.d.next = false;
            self.in_head.d.next = false;
            self.released.d.next = 0.into();
            self.ahead.d.next = 0.into();
            self.clear.d.next = false;
        }
    }
}
