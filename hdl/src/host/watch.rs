//! Beside host 2: **watch**. What an operator sees: meters, histograms, events, upcalls; the interrupt line.
//!
//! In: the register bus; from both directions what happens there. Out: its word, a cycle after `ra`; `irq`.
//! `client_*` is what outbound says, `line_*` what inbound says: the op at `JUDGE`, the frame and the verdict two cycles later.
//! Model: `model/src/meters.rs` counts the same. Tests: `tests/host/`, `tests/gateway/watch.rs`. Registers: `METER`, `EVENT`, `UPCALL`.

use super::{EventRegs, Latency, MeterRegs, Meters, UpcallRegs};
use crate::prim::Lit;
use crate::record::{kind, reason, Beat, Intent, Meta};
use rust_hdl::prelude::*;

/// The block.
#[derive(LogicBlock, Default)]
pub struct Watch {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub wr: Signal<In, Bit>,
    pub wa: Signal<In, Bits<16>>,
    pub wd: Signal<In, Bits<32>>,
    pub ra: Signal<In, Bits<16>>,
    pub rd: Signal<Out, Bits<32>>,
    pub irq: Signal<Out, Bit>,
    pub client_event_valid: Signal<In, Bit>,
    pub client_event_code: Signal<In, Bits<5>>,
    pub client_event_flow: Signal<In, Bits<12>>,
    pub client_event_run: Signal<In, Bits<8>>,
    pub client_event_psn: Signal<In, Bits<24>>,
    pub line_event_valid: Signal<In, Bit>,
    pub line_event_code: Signal<In, Bits<5>>,
    pub line_event_flow: Signal<In, Bits<12>>,
    pub line_event_run: Signal<In, Bits<8>>,
    pub line_event_psn: Signal<In, Bits<24>>,
    // An event of a path.
    pub law_event_valid: Signal<In, Bit>,
    pub law_event_code: Signal<In, Bits<5>>,
    pub law_event_path: Signal<In, Bits<4>>,
    pub client_op: Signal<In, Bit>,
    pub client_roce: Signal<In, Bit>,
    pub client_good: Signal<In, Bit>,
    pub client_err: Signal<In, Bit>,
    pub client_hit: Signal<In, Bit>,
    pub client_judged: Signal<In, Meta>,
    pub client_waited: Signal<In, Beat>,
    pub client_qp1: Signal<In, Bit>,
    pub line_op: Signal<In, Bit>,
    pub line_roce: Signal<In, Bit>,
    pub line_good: Signal<In, Bit>,
    pub line_err: Signal<In, Bit>,
    pub line_hit: Signal<In, Bit>,
    pub line_judged: Signal<In, Meta>,
    pub line_waited: Signal<In, Beat>,
    pub line_qp1: Signal<In, Bit>,
    // The op of the client, on: where it goes, and what became of it two cycles later.
    pub client_index: Signal<In, Bits<12>>,
    pub client_queue: Signal<In, Bits<5>>,
    pub client_bytes: Signal<In, Bits<14>>,
    pub verdict_valid: Signal<In, Bit>,
    pub forward: Signal<In, Bit>,
    pub reason: Signal<In, Bits<4>>,
    pub intent: Signal<In, Intent>,
    // A frame started towards the line.
    pub left_valid: Signal<In, Bit>,
    pub left_queue: Signal<In, Bits<5>>,
    pub left_bytes: Signal<In, Bits<14>>,
    // A frame was built for a sender.
    pub built_valid: Signal<In, Bit>,
    pub built_kind: Signal<In, Bits<2>>,
    pub built_flow: Signal<In, Bits<12>>,
    pub built_psn: Signal<In, Bits<24>>,
    // A look at a flow with debt.
    pub age_valid: Signal<In, Bit>,
    pub age: Signal<In, Bits<16>>,
    meters: Meters,
    meter_regs: MeterRegs,
    latency: Latency,
    event_regs: EventRegs,
    upcall_regs: UpcallRegs,
    known1: DFF<Bit>,
    known2: DFF<Bit>,
    index1: DFF<Bits<12>>,
    index2: DFF<Bits<12>>,
    queue1: DFF<Bits<5>>,
    queue2: DFF<Bits<5>>,
    bytes1: DFF<Bits<14>>,
    bytes2: DFF<Bits<14>>,
    i: Signal<Local, Intent>,
    age8: Signal<Local, Bits<8>>,
    age4: Signal<Local, Bits<4>>,
    age2: Signal<Local, Bits<2>>,
    age_log2: Signal<Local, Bits<5>>,
    aged: DFF<Bit>,
    age_bin: DFF<Bits<5>>,
    overflow: Lit<4, { reason::OVERFLOW }>,
    ack_kind: Lit<3, { kind::ACK }>,
}

impl Logic for Watch {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, known1, known2, index1, index2, queue1, queue2, bytes1, bytes2, aged, age_bin);
        self.meters.clk.next = self.clk.val();
        self.meters.rst.next = self.rst.val();
        self.meter_regs.clk.next = self.clk.val();
        self.meter_regs.rst.next = self.rst.val();
        self.latency.clk.next = self.clk.val();
        self.latency.rst.next = self.rst.val();
        self.event_regs.clk.next = self.clk.val();
        self.event_regs.rst.next = self.rst.val();
        self.upcall_regs.clk.next = self.clk.val();
        self.upcall_regs.rst.next = self.rst.val();

        // The register bus.
        self.meter_regs.wr.next = self.wr.val();
        self.meter_regs.wa.next = self.wa.val();
        self.meter_regs.wd.next = self.wd.val();
        self.meter_regs.ra.next = self.ra.val();
        self.event_regs.wr.next = self.wr.val();
        self.event_regs.wa.next = self.wa.val();
        self.event_regs.wd.next = self.wd.val();
        self.event_regs.ra.next = self.ra.val();
        self.upcall_regs.wr.next = self.wr.val();
        self.upcall_regs.wa.next = self.wa.val();
        self.upcall_regs.wd.next = self.wd.val();
        self.upcall_regs.ra.next = self.ra.val();
        self.rd.next = self.meter_regs.rd.val() | self.event_regs.rd.val() | self.upcall_regs.rd.val();
        self.meters.ask.next = self.meter_regs.ask.val();
        self.meters.ask_table.next = self.meter_regs.ask_table.val();
        self.meters.ask_step.next = self.meter_regs.ask_step.val();
        self.meters.ask_index.next = self.meter_regs.ask_index.val();
        self.meter_regs.taken.next = self.meters.taken.val();
        self.meter_regs.done.next = self.meters.done.val();
        self.meter_regs.value.next = self.meters.value.val();

        // What the op was waits for what became of it.
        self.known1.d.next = self.client_hit.val() & self.client_roce.val();
        self.index1.d.next = self.client_index.val();
        self.queue1.d.next = self.client_queue.val();
        self.bytes1.d.next = self.client_bytes.val();
        self.known2.d.next = self.known1.q.val();
        self.index2.d.next = self.index1.q.val();
        self.queue2.d.next = self.queue1.q.val();
        self.bytes2.d.next = self.bytes1.q.val();
        self.meters.out_valid.next = self.verdict_valid.val() & self.known2.q.val();
        self.meters.out_flow.next = self.index2.q.val();
        self.meters.out_kept.next = self.forward.val();
        self.meters.out_bytes.next = self.bytes2.q.val();
        self.meters.refused_valid.next = self.verdict_valid.val() & (self.reason.val() == self.overflow.val());
        self.meters.refused_queue.next = self.queue2.q.val();
        self.meters.left_valid.next = self.left_valid.val();
        self.meters.left_queue.next = self.left_queue.val();
        self.meters.left_bytes.next = self.left_bytes.val();
        self.meters.said_valid.next = self.built_valid.val();
        self.meters.said_flow.next = self.built_flow.val();
        self.meters.said_kind.next = self.built_kind.val();

        // Histograms.
        self.i.next = self.intent.val();
        self.latency.commit_valid.next = self.verdict_valid.val()
            & self.forward.val()
            & (self.i.val().kind == self.ack_kind.val())
            & self.i.val().req;
        self.latency.commit_flow.next = self.i.val().flow;
        self.latency.commit_psn.next = self.i.val().psn;
        self.latency.ack_valid.next = self.built_valid.val() & !self.built_kind.val().any();
        self.latency.ack_flow.next = self.built_flow.val();
        self.latency.ack_psn.next = self.built_psn.val();
        self.meters.latency_valid.next = self.latency.bin_valid.val();
        self.meters.latency_bin.next = self.latency.bin.val();
        self.age_log2.next = bits::<5>(0);
        self.age8.next = self.age.val().get_bits::<8>(0);
        if self.age.val().get_bits::<8>(8).any() {
            self.age8.next = self.age.val().get_bits::<8>(8);
            self.age_log2.next = self.age_log2.val() | 8;
        }
        self.age4.next = self.age8.val().get_bits::<4>(0);
        if self.age8.val().get_bits::<4>(4).any() {
            self.age4.next = self.age8.val().get_bits::<4>(4);
            self.age_log2.next = self.age_log2.val() | 4;
        }
        self.age2.next = self.age4.val().get_bits::<2>(0);
        if self.age4.val().get_bits::<2>(2).any() {
            self.age2.next = self.age4.val().get_bits::<2>(2);
            self.age_log2.next = self.age_log2.val() | 2;
        }
        if self.age2.val().get_bit(1) {
            self.age_log2.next = self.age_log2.val() | 1;
        }
        self.aged.d.next = self.age_valid.val();
        self.age_bin.d.next = self.age_log2.val();
        self.meters.age_valid.next = self.aged.q.val();
        self.meters.age_bin.next = self.age_bin.q.val();

        // Events and upcalls.
        self.event_regs.client_valid.next = self.client_event_valid.val();
        self.event_regs.client_code.next = self.client_event_code.val();
        self.event_regs.client_flow.next = self.client_event_flow.val();
        self.event_regs.client_run.next = self.client_event_run.val();
        self.event_regs.client_psn.next = self.client_event_psn.val();
        self.event_regs.line_valid.next = self.line_event_valid.val();
        self.event_regs.line_code.next = self.line_event_code.val();
        self.event_regs.line_flow.next = self.line_event_flow.val();
        self.event_regs.line_run.next = self.line_event_run.val();
        self.event_regs.line_psn.next = self.line_event_psn.val();
        self.event_regs.law_valid.next = self.law_event_valid.val();
        self.event_regs.law_code.next = self.law_event_code.val();
        self.event_regs.law_path.next = self.law_event_path.val();
        self.event_regs.upcalls.next = self.upcall_regs.waiting.val();
        self.upcall_regs.now.next = self.event_regs.now.val();
        self.irq.next = self.event_regs.irq.val();
        self.upcall_regs.client_op.next = self.client_op.val();
        self.upcall_regs.client_roce.next = self.client_roce.val();
        self.upcall_regs.client_good.next = self.client_good.val();
        self.upcall_regs.client_err.next = self.client_err.val();
        self.upcall_regs.client_hit.next = self.client_hit.val();
        self.upcall_regs.client_judged.next = self.client_judged.val();
        self.upcall_regs.client_waited.next = self.client_waited.val();
        self.upcall_regs.client_qp1.next = self.client_qp1.val();
        self.upcall_regs.line_op.next = self.line_op.val();
        self.upcall_regs.line_roce.next = self.line_roce.val();
        self.upcall_regs.line_good.next = self.line_good.val();
        self.upcall_regs.line_err.next = self.line_err.val();
        self.upcall_regs.line_hit.next = self.line_hit.val();
        self.upcall_regs.line_judged.next = self.line_judged.val();
        self.upcall_regs.line_waited.next = self.line_waited.val();
        self.upcall_regs.line_qp1.next = self.line_qp1.val();
        if self.rst.val() {
            self.known1.d.next = false;
            self.known2.d.next = false;
            self.aged.d.next = false;
        }
    }
}
