//! Beside host 2: **tally**. What every counter gains in a cycle.
//!
//! In: events of both directions. Out: one number per counter, in the order of `spec::regs::counters`, same cycle.
//! Model: `model::gateway` counts the same events. Tests: `tests/gateway/counters.rs`. Registers: `COUNTERS`.

use crate::prim::{ones, Lit, XorNet};
use crate::record::reason;
use matchrdma_spec::regs::counters;
use rust_hdl::prelude::*;

const N: usize = counters::COUNTERS.len();

// A kernel indexes an array by plain numbers: these are the ones below.
const _: () = assert!(counters::CLIENT_FRAMES_IN.index == 0);
const _: () = assert!(counters::LINE_FRAMES_IN.index == 1);
const _: () = assert!(counters::CLIENT_FRAMES_OUT.index == 2);
const _: () = assert!(counters::LINE_FRAMES_OUT.index == 3);
const _: () = assert!(counters::BYPASSED.index == 4);
const _: () = assert!(counters::PSEUDO_ACKS.index == 5);
const _: () = assert!(counters::NAKS.index == 6);
const _: () = assert!(counters::ABSORBED_ACKS.index == 7);
const _: () = assert!(counters::DROP_BAD_ICRC.index == 8);
const _: () = assert!(counters::DROP_MAC_ERROR.index == 9);
const _: () = assert!(counters::DROP_OUT_OF_ORDER.index == 10);
const _: () = assert!(counters::DROP_DUPLICATE.index == 11);
const _: () = assert!(counters::DROP_BUDGET_FROM_CLIENT.index == 12);
const _: () = assert!(counters::DROP_OVERFLOW.index == 13);
const _: () = assert!(counters::DROP_MALFORMED.index == 14);
const _: () = assert!(counters::CLIENT_BYTES_IN.index == 15);
const _: () = assert!(counters::LINE_BYTES_IN.index == 16);
const _: () = assert!(counters::CLIENT_BYTES_OUT.index == 17);
const _: () = assert!(counters::LINE_BYTES_OUT.index == 18);
const _: () = assert!(counters::DROP_FAULT.index == 19);
const _: () = assert!(counters::DROP_PFC.index == 20);
const _: () = assert!(N == 21);

/// Events to gains. `client_*` are of the outbound rail, which the client port feeds; `line_*` of the inbound one.
#[derive(LogicBlock)]
pub struct Tally {
    pub client_check_valid: Signal<In, Bit>,
    pub client_check_bytes: Signal<In, Bits<14>>,
    pub client_verdict_valid: Signal<In, Bit>,
    pub client_forward: Signal<In, Bit>,
    pub client_reason: Signal<In, Bits<4>>,
    pub client_active: Signal<In, Bit>,
    pub line_check_valid: Signal<In, Bit>,
    pub line_check_bytes: Signal<In, Bits<14>>,
    pub line_verdict_valid: Signal<In, Bit>,
    pub line_forward: Signal<In, Bit>,
    pub line_reason: Signal<In, Bits<4>>,
    pub line_active: Signal<In, Bit>,
    pub absorbed: Signal<In, Bit>,
    /// An ACK frame's last beat left `pseudo_ack`.
    pub ack_done: Signal<In, Bit>,
    pub ack_nak: Signal<In, Bit>,
    /// A beat left `m_axis_client`.
    pub client_left: Signal<In, Bit>,
    pub client_last: Signal<In, Bit>,
    pub client_keep: Signal<In, Bits<64>>,
    /// A beat left `m_axis_line`.
    pub line_left: Signal<In, Bit>,
    pub line_last: Signal<In, Bit>,
    pub line_keep: Signal<In, Bits<64>>,
    pub gain: [Signal<Out, Bits<14>>; N],
    client_top: Signal<Local, Bits<64>>,
    client_above: Signal<Local, Bits<64>>,
    client_length: XorNet<64, 7>,
    client_passes: Signal<Local, Bit>,
    client_drops: Signal<Local, Bit>,
    line_top: Signal<Local, Bits<64>>,
    line_above: Signal<Local, Bits<64>>,
    line_length: XorNet<64, 7>,
    line_passes: Signal<Local, Bit>,
    line_drops: Signal<Local, Bit>,
    sum: [Signal<Local, Bits<14>>; N],
    mac_error: Lit<4, { reason::MAC_ERROR }>,
    malformed: Lit<4, { reason::MALFORMED }>,
    budget: Lit<4, { reason::BUDGET_FROM_CLIENT }>,
    overflow: Lit<4, { reason::OVERFLOW }>,
    bad_icrc: Lit<4, { reason::BAD_ICRC }>,
    out_of_order: Lit<4, { reason::OUT_OF_ORDER }>,
    duplicate: Lit<4, { reason::DUPLICATE }>,
    fault: Lit<4, { reason::FAULT }>,
    pfc: Lit<4, { reason::PFC }>,
}

impl Default for Tally {
    fn default() -> Self {
        // The top of a run of ones tells how many there are.
        let length = || XorNet::new(|i| ones(i as u64 + 1, 0));
        Self {
            client_check_valid: Default::default(),
            client_check_bytes: Default::default(),
            client_verdict_valid: Default::default(),
            client_forward: Default::default(),
            client_reason: Default::default(),
            client_active: Default::default(),
            line_check_valid: Default::default(),
            line_check_bytes: Default::default(),
            line_verdict_valid: Default::default(),
            line_forward: Default::default(),
            line_reason: Default::default(),
            line_active: Default::default(),
            absorbed: Default::default(),
            ack_done: Default::default(),
            ack_nak: Default::default(),
            client_left: Default::default(),
            client_last: Default::default(),
            client_keep: Default::default(),
            line_left: Default::default(),
            line_last: Default::default(),
            line_keep: Default::default(),
            gain: std::array::from_fn(|_| Default::default()),
            client_top: Default::default(),
            client_above: Default::default(),
            client_length: length(),
            client_passes: Default::default(),
            client_drops: Default::default(),
            line_top: Default::default(),
            line_above: Default::default(),
            line_length: length(),
            line_passes: Default::default(),
            line_drops: Default::default(),
            sum: std::array::from_fn(|_| Default::default()),
            mac_error: Default::default(),
            malformed: Default::default(),
            budget: Default::default(),
            overflow: Default::default(),
            bad_icrc: Default::default(),
            out_of_order: Default::default(),
            duplicate: Default::default(),
            fault: Default::default(),
            pfc: Default::default(),
        }
    }
}

impl Logic for Tally {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..21 {
            self.sum[i].next = bits::<14>(0);
        }
        self.client_above.next = self.client_keep.val() >> 1;
        self.client_top.next = self.client_keep.val() & !self.client_above.val();
        self.client_length.din.next = self.client_top.val();
        self.client_passes.next =
            self.client_verdict_valid.val() & self.client_forward.val() & !self.client_active.val();
        self.client_drops.next = self.client_verdict_valid.val() & self.client_reason.val().any();
        if self.client_check_valid.val() {
            self.sum[0].next = bits::<14>(1);
            self.sum[15].next = self.client_check_bytes.val();
        }
        if self.client_left.val() {
            self.sum[17].next = bit_cast::<14, 7>(self.client_length.dout.val());
            if self.client_last.val() {
                self.sum[2].next = bits::<14>(1);
            }
        }
        if self.client_passes.val() {
            self.sum[4].next = self.sum[4].val() + 1;
        }
        if self.client_drops.val() & (self.client_reason.val() == self.mac_error.val()) {
            self.sum[9].next = self.sum[9].val() + 1;
        }
        if self.client_drops.val() & (self.client_reason.val() == self.malformed.val()) {
            self.sum[14].next = self.sum[14].val() + 1;
        }
        if self.client_drops.val() & (self.client_reason.val() == self.budget.val()) {
            self.sum[12].next = self.sum[12].val() + 1;
        }
        if self.client_drops.val() & (self.client_reason.val() == self.overflow.val()) {
            self.sum[13].next = self.sum[13].val() + 1;
        }
        if self.client_drops.val() & (self.client_reason.val() == self.bad_icrc.val()) {
            self.sum[8].next = self.sum[8].val() + 1;
        }
        if self.client_drops.val() & (self.client_reason.val() == self.out_of_order.val()) {
            self.sum[10].next = self.sum[10].val() + 1;
        }
        if self.client_drops.val() & (self.client_reason.val() == self.duplicate.val()) {
            self.sum[11].next = self.sum[11].val() + 1;
        }
        if self.client_drops.val() & (self.client_reason.val() == self.fault.val()) {
            self.sum[19].next = self.sum[19].val() + 1;
        }
        if self.client_drops.val() & (self.client_reason.val() == self.pfc.val()) {
            self.sum[20].next = bits::<14>(1);
        }
        self.line_above.next = self.line_keep.val() >> 1;
        self.line_top.next = self.line_keep.val() & !self.line_above.val();
        self.line_length.din.next = self.line_top.val();
        self.line_passes.next = self.line_verdict_valid.val() & self.line_forward.val() & !self.line_active.val();
        self.line_drops.next = self.line_verdict_valid.val() & self.line_reason.val().any();
        if self.line_check_valid.val() {
            self.sum[1].next = bits::<14>(1);
            self.sum[16].next = self.line_check_bytes.val();
        }
        if self.line_left.val() {
            self.sum[18].next = bit_cast::<14, 7>(self.line_length.dout.val());
            if self.line_last.val() {
                self.sum[3].next = bits::<14>(1);
            }
        }
        if self.line_passes.val() {
            self.sum[4].next = self.sum[4].val() + 1;
        }
        if self.line_drops.val() & (self.line_reason.val() == self.mac_error.val()) {
            self.sum[9].next = self.sum[9].val() + 1;
        }
        if self.line_drops.val() & (self.line_reason.val() == self.malformed.val()) {
            self.sum[14].next = self.sum[14].val() + 1;
        }
        if self.line_drops.val() & (self.line_reason.val() == self.overflow.val()) {
            self.sum[13].next = self.sum[13].val() + 1;
        }
        if self.line_drops.val() & (self.line_reason.val() == self.bad_icrc.val()) {
            self.sum[8].next = self.sum[8].val() + 1;
        }
        if self.line_drops.val() & (self.line_reason.val() == self.fault.val()) {
            self.sum[19].next = self.sum[19].val() + 1;
        }
        if self.absorbed.val() {
            self.sum[7].next = bits::<14>(1);
        }
        if self.ack_done.val() {
            if self.ack_nak.val() {
                self.sum[6].next = bits::<14>(1);
            } else {
                self.sum[5].next = bits::<14>(1);
            }
        }
        for i in 0..21 {
            self.gain[i].next = self.sum[i].val();
        }
    }
}
