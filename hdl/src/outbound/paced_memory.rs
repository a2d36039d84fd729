//! Beside the rail: **paced_memory**. [path_memory](crate::memory::PathMemory) and [pacer](super::pacer), joined.
//!
//! In: what `path_memory` takes from `track`, and the budgets. Out: the head stream. No logic of its own.
//! Latency: a frame committed in one cycle is at the head eleven cycles later when nothing is before it.
//! Model: `model::path_memory`, `model::pacer`. Tests: `tests/outbound/pacer.rs`. Registers: none.

use super::Pacer;
use crate::memory::PathMemory;
use crate::record::Intent;
use rust_hdl::prelude::*;

/// The queues towards the line, and who goes next.
#[derive(LogicBlock, Default)]
pub struct PacedMemory {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    // The rail.
    pub rail_valid: Signal<In, Bit>,
    pub rail_data: Signal<In, Bits<512>>,
    pub rail_bytes: Signal<In, Bits<7>>,
    pub rail_first: Signal<In, Bit>,
    pub rail_last: Signal<In, Bit>,
    pub rail_queue: Signal<In, Bits<5>>,
    pub verdict_valid: Signal<In, Bit>,
    pub forward: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub intent: Signal<In, Intent>,
    pub judge_queue: Signal<In, Bits<5>>,
    pub room: Signal<Out, Bit>,
    pub empty: Signal<Out, Bit>,
    pub held_beats: [Signal<Out, Bits<16>>; 17],
    // The budgets.
    pub open: Signal<In, Bits<16>>,
    pub gain: [Signal<In, Bits<29>>; 16],
    pub burst: [Signal<In, Bits<25>>; 16],
    pub overhead: Signal<In, Bits<8>>,
    pub limited: Signal<In, Bits<16>>,
    pub limit_we: Signal<In, Bit>,
    pub limit_path: Signal<In, Bits<4>>,
    pub limit: Signal<In, Bits<64>>,
    pub sent_path: Signal<In, Bits<4>>,
    pub sent: Signal<Out, Bits<64>>,
    /// A frame or an intent alone starts, in this cycle.
    pub start: Signal<Out, Bit>,
    pub start_queue: Signal<Out, Bits<5>>,
    pub start_frame: Signal<Out, Bit>,
    pub start_bytes: Signal<Out, Bits<14>>,
    // The line.
    pub head_valid: Signal<Out, Bit>,
    pub head_frame: Signal<Out, Bit>,
    pub head_data: Signal<Out, Bits<512>>,
    pub head_bytes: Signal<Out, Bits<7>>,
    pub head_first: Signal<Out, Bit>,
    pub head_last: Signal<Out, Bit>,
    pub head_intent: Signal<Out, Intent>,
    pub head_queue: Signal<Out, Bits<5>>,
    pub head_ready: Signal<In, Bit>,
    memory: PathMemory,
    pacer: Pacer,
}

impl Logic for PacedMemory {
    #[hdl_gen]
    fn update(&mut self) {
        self.memory.clk.next = self.clk.val();
        self.memory.rst.next = self.rst.val();
        self.pacer.clk.next = self.clk.val();
        self.pacer.rst.next = self.rst.val();

        self.memory.rail_valid.next = self.rail_valid.val();
        self.memory.rail_data.next = self.rail_data.val();
        self.memory.rail_bytes.next = self.rail_bytes.val();
        self.memory.rail_first.next = self.rail_first.val();
        self.memory.rail_last.next = self.rail_last.val();
        self.memory.rail_queue.next = self.rail_queue.val();
        self.memory.verdict_valid.next = self.verdict_valid.val();
        self.memory.forward.next = self.forward.val();
        self.memory.push.next = self.push.val();
        self.memory.intent.next = self.intent.val();
        self.memory.judge_queue.next = self.judge_queue.val();
        self.room.next = self.memory.room.val();
        self.empty.next = self.memory.empty.val();
        for i in 0..17 {
            self.held_beats[i].next = self.memory.held_beats[i].val();
        }

        self.pacer.open.next = self.open.val();
        for i in 0..16 {
            self.pacer.gain[i].next = self.gain[i].val();
            self.pacer.burst[i].next = self.burst[i].val();
        }
        self.pacer.overhead.next = self.overhead.val();
        self.pacer.limited.next = self.limited.val();
        self.pacer.limit_we.next = self.limit_we.val();
        self.pacer.limit_path.next = self.limit_path.val();
        self.pacer.limit.next = self.limit.val();
        self.pacer.sent_path.next = self.sent_path.val();
        self.sent.next = self.pacer.sent.val();

        // What waits, who is asked for, what it is, and whether it starts.
        self.pacer.waits.next = self.memory.waits.val();
        self.pacer.single.next = self.memory.single.val();
        self.pacer.may_start.next = self.memory.may_start.val();
        self.memory.offer_queue.next = self.pacer.offer_queue.val();
        self.pacer.offer_frame.next = self.memory.offer_frame.val();
        self.pacer.offer_bytes.next = self.memory.offer_bytes.val();
        self.memory.start.next = self.pacer.start.val();
        self.start.next = self.pacer.start.val();
        self.start_queue.next = self.pacer.offer_queue.val();
        self.start_frame.next = self.memory.offer_frame.val();
        self.start_bytes.next = self.memory.offer_bytes.val();

        self.head_valid.next = self.memory.head_valid.val();
        self.head_frame.next = self.memory.head_frame.val();
        self.head_data.next = self.memory.head_data.val();
        self.head_bytes.next = self.memory.head_bytes.val();
        self.head_first.next = self.memory.head_first.val();
        self.head_last.next = self.memory.head_last.val();
        self.head_intent.next = self.memory.head_intent.val();
        self.head_queue.next = self.memory.head_queue.val();
        self.memory.head_ready.next = self.head_ready.val();
    }
}
