//! Inbound 5 of 5: **arbiter**. From [egress], `pseudo_ack` and `pfc`, to `m_axis_client`, with intents to `pseudo_ack`.
//!
//! In: the head stream, ACK frames, PFC frames. Out: the client port; intents of what has left.
//! Latency: none from either input to the port, so that a handshake at the port is the handshake at the head.
//! An intent reaches its port one cycle after its departure, or when `pseudo_ack` has taken those before it.
//! Model: `model::arbiter`. Tests: `tests/inbound/arbiter.rs`. Registers: `ack_share_log2`.
//!
//! ACK frames go first, but not at the cost of more than one beat in `2^ack_share_log2` beats of waiting frames: every
//! beat from the head earns one credit, up to 64 ACK beats' worth, and an ACK beat that overtakes costs
//! `2^ack_share_log2`. While no frame waits ACKs go, and cost nothing. PFC frames go first of all, and cost nothing.
//! While `paused`, no ACK frame starts; what egress may still send, it knows itself.
//!
//! [egress]: super::Egress

use crate::memory::IntentQueue;
use crate::prim::{Keep, Lit};
use crate::record::Intent;
use matchrdma_spec::wire::pfc;
use rust_hdl::prelude::*;

/// The client side of egress, combinational; whole frames at a time.
///
/// `space`: an intent has its place in the queue. Egress shows no entry whose intent says something without it; so ACK
/// frames pass, and `pseudo_ack` can never wait for itself. `holds`: a frame from egress is on the port and not yet over.
/// `left_*`: the beat that leaves the port in this cycle; `left_head`: it is of egress.
/// An entry without a frame passes without a beat, beside whatever is on the port.
/// An ACK frame has one or two beats, and `ack_valid` stays up within it. A PFC frame is one beat of 60 bytes.
#[derive(LogicBlock, Default)]
pub struct Arbiter {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub ack_share_log2: Signal<In, Bits<4>>,
    pub head_valid: Signal<In, Bit>,
    pub head_frame: Signal<In, Bit>,
    pub head_data: Signal<In, Bits<512>>,
    pub head_bytes: Signal<In, Bits<7>>,
    pub head_last: Signal<In, Bit>,
    pub head_intent: Signal<In, Intent>,
    pub head_ready: Signal<Out, Bit>,
    pub ack_valid: Signal<In, Bit>,
    pub ack_data: Signal<In, Bits<512>>,
    pub ack_bytes: Signal<In, Bits<7>>,
    pub ack_last: Signal<In, Bit>,
    pub ack_ready: Signal<Out, Bit>,
    pub pfc_valid: Signal<In, Bit>,
    pub pfc_data: Signal<In, Bits<512>>,
    pub pfc_ready: Signal<Out, Bit>,
    pub paused: Signal<In, Bit>,
    pub m_axis_client_tdata: Signal<Out, Bits<512>>,
    pub m_axis_client_tkeep: Signal<Out, Bits<64>>,
    pub m_axis_client_tuser: Signal<Out, Bit>,
    pub m_axis_client_tlast: Signal<Out, Bit>,
    pub m_axis_client_tvalid: Signal<Out, Bit>,
    pub m_axis_client_tready: Signal<In, Bit>,
    pub client_intent_valid: Signal<Out, Bit>,
    pub client_intent: Signal<Out, Intent>,
    pub client_intent_ready: Signal<In, Bit>,
    pub space: Signal<Out, Bit>,
    pub holds: Signal<Out, Bit>,
    pub left_valid: Signal<Out, Bit>,
    pub left_head: Signal<Out, Bit>,
    pub left_bytes: Signal<Out, Bits<7>>,
    pub left_last: Signal<Out, Bit>,
    intents: IntentQueue,
    lanes: Keep,
    says: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    /// An ACK frame, or a frame from the head, is on the port and not yet over.
    in_ack: DFF<Bit>,
    in_head: DFF<Bit>,
    between: Signal<Local, Bit>,
    pfc: Signal<Local, Bit>,
    pfc_bytes: Lit<7, { pfc::BYTES as u64 }>,
    starts_ack: Signal<Local, Bit>,
    ack: Signal<Local, Bit>,
    valid: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
    credit: DFF<Bits<24>>,
    credit_next: Signal<Local, Bits<24>>,
    /// It pays for an ACK frame of one beat, of two.
    enough1: DFF<Bit>,
    enough2: DFF<Bit>,
    enough: Signal<Local, Bit>,
    one: Signal<Local, Bits<24>>,
    two: Signal<Local, Bits<24>>,
    cost: Signal<Local, Bits<24>>,
    most: Signal<Local, Bits<24>>,
}

impl Logic for Arbiter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, in_ack, in_head, credit, enough1, enough2);
        self.intents.clk.next = self.clk.val();
        self.intents.rst.next = self.rst.val();
        self.says.next = self.head_intent.val().kind.any();
        self.space.next = self.intents.space.val();
        self.holds.next = self.in_head.q.val();
        self.waits.next = self.head_valid.val() & self.head_frame.val();
        self.between.next = !self.in_ack.q.val() & !self.in_head.q.val();
        self.pfc.next = self.pfc_valid.val() & self.between.val();

        // Who is on the port: a frame that has been shown stays until it is over.
        self.two.next = bits::<24>(2) << self.ack_share_log2.val();
        self.one.next = bits::<24>(1) << self.ack_share_log2.val();
        self.cost.next = self.two.val();
        self.enough.next = self.enough2.q.val();
        if self.ack_last.val() {
            self.cost.next = self.one.val();
            self.enough.next = self.enough1.q.val();
        }
        self.most.next = bits::<24>(64) << self.ack_share_log2.val();
        self.starts_ack.next = self.ack_valid.val()
            & self.between.val()
            & !self.pfc_valid.val()
            & !self.paused.val()
            & (self.enough.val() | !self.waits.val());
        self.ack.next = self.in_ack.q.val() | self.starts_ack.val();
        self.valid.next = self.waits.val();
        self.last.next = self.head_last.val();
        self.m_axis_client_tdata.next = self.head_data.val();
        self.lanes.bytes.next = self.head_bytes.val();
        if self.ack.val() {
            self.valid.next = self.ack_valid.val();
            self.last.next = self.ack_last.val();
            self.m_axis_client_tdata.next = self.ack_data.val();
            self.lanes.bytes.next = self.ack_bytes.val();
        }
        if self.pfc.val() {
            self.valid.next = true;
            self.last.next = true;
            self.m_axis_client_tdata.next = self.pfc_data.val();
            self.lanes.bytes.next = self.pfc_bytes.val();
        }
        self.m_axis_client_tkeep.next = self.lanes.mask.val();
        self.m_axis_client_tuser.next = false;
        self.m_axis_client_tlast.next = self.last.val();
        self.m_axis_client_tvalid.next = self.valid.val();
        self.ack_ready.next = self.ack.val() & self.m_axis_client_tready.val();
        self.pfc_ready.next = self.pfc.val() & self.m_axis_client_tready.val();
        self.ready.next =
            (!self.ack.val() & !self.pfc.val() & self.m_axis_client_tready.val()) | !self.head_frame.val();
        self.head_ready.next = self.ready.val();

        self.left_valid.next = self.valid.val() & self.m_axis_client_tready.val();
        self.left_head.next = !self.ack.val() & !self.pfc.val();
        self.left_bytes.next = self.lanes.bytes.val();
        self.left_last.next = self.last.val();

        if self.valid.val() & !self.pfc.val() {
            self.in_ack.d.next = self.ack.val();
            self.in_head.d.next = !self.ack.val();
            if self.m_axis_client_tready.val() & self.last.val() {
                self.in_ack.d.next = false;
                self.in_head.d.next = false;
            }
        }
        self.credit_next.next = self.credit.q.val();
        if self.starts_ack.val() & self.waits.val() {
            self.credit_next.next = self.credit.q.val() - self.cost.val();
        } else if self.waits.val() & self.ready.val() & (self.credit.q.val() < self.most.val()) {
            self.credit_next.next = self.credit.q.val() + 1;
        }

        self.intents.offer.next = self.head_valid.val() & self.ready.val() & self.head_last.val() & self.says.val();
        self.intents.intent.next = self.head_intent.val();
        self.client_intent_valid.next = self.intents.out_valid.val();
        self.client_intent.next = self.intents.out_intent.val();
        self.intents.out_ready.next = self.client_intent_ready.val();
        if self.rst.val() {
            self.in_ack.d.next = false;
            self.in_head.d.next = false;
            self.credit_next.next = 0.into();
        }
        self.credit.d.next = self.credit_next.val();
        self.enough1.d.next = self.credit_next.val() >= self.one.val();
        self.enough2.d.next = self.credit_next.val() >= self.two.val();
    }
}
