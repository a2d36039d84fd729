//! Beside [departure] and [arbiter]: intents on their way to `pseudo_ack`.
//!
//! Latency: an intent offered in one cycle is at the output in the next.
//! Tests: with the two blocks that use it. Registers: none.
//!
//! A frame's last beat may not wait for `pseudo_ack`: a valid beat stays valid until it is taken. So an intent has its
//! place here before its frame's first beat is shown.
//!
//! [departure]: crate::outbound::departure
//! [arbiter]: crate::inbound::arbiter

use crate::prim::{Fifo, Unpack};
use crate::record::Intent;
use rust_hdl::prelude::*;

/// Sixteen intents. `space`: one more fits. `room`: eight more fit, for an offer that comes a few cycles later.
#[derive(LogicBlock)]
pub struct IntentQueue {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub offer: Signal<In, Bit>,
    pub intent: Signal<In, Intent>,
    pub space: Signal<Out, Bit>,
    pub room: Signal<Out, Bit>,
    pub out_valid: Signal<Out, Bit>,
    pub out_intent: Signal<Out, Intent>,
    pub out_ready: Signal<In, Bit>,
    fifo: Fifo<72, 4>,
    record: Unpack<72, Intent>,
}

impl Default for IntentQueue {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            offer: Default::default(),
            intent: Default::default(),
            space: Default::default(),
            room: Default::default(),
            out_valid: Default::default(),
            out_intent: Default::default(),
            out_ready: Default::default(),
            fifo: Fifo::new(7),
            record: Default::default(),
        }
    }
}

impl Logic for IntentQueue {
    #[hdl_gen]
    fn update(&mut self) {
        self.fifo.clk.next = self.clk.val();
        self.fifo.rst.next = self.rst.val();
        self.fifo.wr.next = self.offer.val();
        self.fifo.din.next = self.intent.val().into();
        self.space.next = !self.fifo.full.val();
        self.room.next = !self.fifo.almost_full.val();
        self.record.din.next = self.fifo.dout.val();
        self.out_intent.next = self.record.dout.val();
        self.out_valid.next = !self.fifo.empty.val();
        self.fifo.rd.next = self.out_ready.val();
    }
}
