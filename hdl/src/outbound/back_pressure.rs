//! Outbound, beside 5: **back_pressure**. From packet memory's levels and [track](super::track)'s verdicts, to
//! `pseudo_ack` (notifications), `pfc`, and the clearing of ECN.
//!
//! In: `scan_*`, a path's thresholds, one path at a time in any order; what each path holds; verdicts.
//! Out: levels per path; a request to notify the sender of a frame.
//! Latency: 2 cycles from a path's scan to its levels, 1 from a verdict to its request.
//! Model: `model/src/back_pressure.rs`. Tests: `tests/outbound/back_pressure.rs`. Registers: path settings, `PFC_OVER`.

use rust_hdl::prelude::*;

/// Thresholds with hysteresis.
#[derive(LogicBlock, Default)]
pub struct BackPressure {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub scan_valid: Signal<In, Bit>,
    pub scan_path: Signal<In, Bits<4>>,
    /// Bytes; `on` = 0: never.
    pub scan_cnp_on: Signal<In, Bits<32>>,
    pub scan_cnp_off: Signal<In, Bits<32>>,
    pub scan_pfc_on: Signal<In, Bits<32>>,
    pub scan_pfc_off: Signal<In, Bits<32>>,
    pub scan_ecn_clear: Signal<In, Bit>,
    pub held_beats: [Signal<In, Bits<16>>; 17],
    /// A verdict on a frame, of a flow that is not Off, for a queue.
    pub judged_valid: Signal<In, Bit>,
    pub judged_followed: Signal<In, Bit>,
    pub judged_queue: Signal<In, Bits<5>>,
    pub judged_flow: Signal<In, Bits<12>>,
    pub judged_run: Signal<In, Bits<8>>,
    pub cnp_over: Signal<Out, Bits<16>>,
    pub pfc_over: Signal<Out, Bits<16>>,
    /// Paths whose frames lose their ECN.
    pub ecn_clear: Signal<Out, Bits<16>>,
    /// Some path is over its threshold for PFC.
    pub over: Signal<Out, Bit>,
    pub cnp_valid: Signal<Out, Bit>,
    pub cnp_flow: Signal<Out, Bits<12>>,
    pub cnp_run: Signal<Out, Bits<8>>,

    valid: DFF<Bit>,
    mine: Signal<Local, Bits<16>>,
    path: DFF<Bits<16>>,
    one_of_2: [Signal<Local, Bits<16>>; 8],
    one_of_4: [Signal<Local, Bits<16>>; 4],
    one_of_8: [Signal<Local, Bits<16>>; 2],
    held: Signal<Local, Bits<16>>,
    bytes: DFF<Bits<32>>,
    cnp_on: DFF<Bits<32>>,
    cnp_off: DFF<Bits<32>>,
    pfc_on: DFF<Bits<32>>,
    pfc_off: DFF<Bits<32>>,
    clears: DFF<Bit>,
    cnp_rises: Signal<Local, Bit>,
    cnp_stays: Signal<Local, Bit>,
    pfc_rises: Signal<Local, Bit>,
    pfc_stays: Signal<Local, Bit>,
    cnps: DFF<Bits<16>>,
    pfcs: DFF<Bits<16>>,
    ecns: DFF<Bits<16>>,
    is_over: DFF<Bit>,
    queue_bit: Signal<Local, Bits<32>>,
    hit: Signal<Local, Bits<32>>,
    asks: DFF<Bit>,
    flow: DFF<Bits<12>>,
    run: DFF<Bits<8>>,
}

impl Logic for BackPressure {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, valid, path, bytes, cnp_on, cnp_off, pfc_on, pfc_off, clears, cnps, pfcs, ecns);
        dff_setup!(self, clk, is_over, asks, flow, run);
        for i in 0..8 {
            self.one_of_2[i].next = self.held_beats[2 * i].val();
            if self.scan_path.val().get_bit(0) {
                self.one_of_2[i].next = self.held_beats[2 * i + 1].val();
            }
        }
        for i in 0..4 {
            self.one_of_4[i].next = self.one_of_2[2 * i].val();
            if self.scan_path.val().get_bit(1) {
                self.one_of_4[i].next = self.one_of_2[2 * i + 1].val();
            }
        }
        for i in 0..2 {
            self.one_of_8[i].next = self.one_of_4[2 * i].val();
            if self.scan_path.val().get_bit(2) {
                self.one_of_8[i].next = self.one_of_4[2 * i + 1].val();
            }
        }
        self.held.next = self.one_of_8[0].val();
        if self.scan_path.val().get_bit(3) {
            self.held.next = self.one_of_8[1].val();
        }
        self.mine.next = bits::<16>(1) << self.scan_path.val();
        self.valid.d.next = self.scan_valid.val();
        self.path.d.next = self.mine.val();
        self.bytes.d.next = bit_cast::<32, 16>(self.held.val()) << 6;
        self.cnp_on.d.next = self.scan_cnp_on.val();
        self.cnp_off.d.next = self.scan_cnp_off.val();
        self.pfc_on.d.next = self.scan_pfc_on.val();
        self.pfc_off.d.next = self.scan_pfc_off.val();
        self.clears.d.next = self.scan_ecn_clear.val();

        self.cnp_rises.next = self.cnp_on.q.val().any() & (self.bytes.q.val() >= self.cnp_on.q.val());
        self.cnp_stays.next = self.cnp_on.q.val().any() & (self.bytes.q.val() > self.cnp_off.q.val());
        self.pfc_rises.next = self.pfc_on.q.val().any() & (self.bytes.q.val() >= self.pfc_on.q.val());
        self.pfc_stays.next = self.pfc_on.q.val().any() & (self.bytes.q.val() > self.pfc_off.q.val());
        if self.valid.q.val() {
            if self.cnp_rises.val() {
                self.cnps.d.next = self.cnps.q.val() | self.path.q.val();
            } else if !self.cnp_stays.val() {
                self.cnps.d.next = self.cnps.q.val() & !self.path.q.val();
            }
            if self.pfc_rises.val() {
                self.pfcs.d.next = self.pfcs.q.val() | self.path.q.val();
            } else if !self.pfc_stays.val() {
                self.pfcs.d.next = self.pfcs.q.val() & !self.path.q.val();
            }
            self.ecns.d.next = self.ecns.q.val() & !self.path.q.val();
            if self.clears.q.val() {
                self.ecns.d.next = self.ecns.q.val() | self.path.q.val();
            }
        }
        self.is_over.d.next = self.pfcs.q.val().any();
        self.cnp_over.next = self.cnps.q.val();
        self.pfc_over.next = self.pfcs.q.val();
        self.ecn_clear.next = self.ecns.q.val() & self.cnps.q.val();
        self.over.next = self.is_over.q.val();

        self.queue_bit.next = bits::<32>(1) << self.judged_queue.val();
        self.hit.next = self.queue_bit.val() & bit_cast::<32, 16>(self.cnps.q.val());
        self.asks.d.next = self.judged_valid.val() & self.judged_followed.val() & self.hit.val().any();
        self.flow.d.next = self.judged_flow.val();
        self.run.d.next = self.judged_run.val();
        self.cnp_valid.next = self.asks.q.val();
        self.cnp_flow.next = self.flow.q.val();
        self.cnp_run.next = self.run.q.val();
        if self.rst.val() {
            self.valid.d.next = false;
            self.cnps.d.next = 0.into();
            self.pfcs.d.next = 0.into();
            self.ecns.d.next = 0.into();
            self.is_over.d.next = false;
            self.asks.d.next = false;
        }
    }
}
