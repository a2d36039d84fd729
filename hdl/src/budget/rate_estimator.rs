//! Budget 1 of 3: **rate_estimator**. From the client port's drain, to [reservoir].
//!
//! In: `go` in a cycle of its own, with what the slot that ended was like. Out: `est` and `hi`, bytes per slot, of that
//! slot once `done` has pulsed, 61 cycles after `go`; they stand until the next.
//! Model: `model::rate_estimator`. Tests: `tests/budget/rate_estimator.rs`. Registers: `LAW`.
//!
//! One adder, one shifter: an operation is `w + (u - v >> n)` or `w - (u - v >> n)`, and takes four cycles: difference,
//! shift, sum, and what is done with it. Fifteen of them, whatever the slot was like. Numbers are signed, 36 bits.
//!
//! [reservoir]: crate::budget::Reservoir

use crate::prim::Lit;
use rust_hdl::prelude::*;

/// The estimator of one port.
#[derive(LogicBlock, Default)]
pub struct RateEstimator {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    // The constants of the law.
    pub line: Signal<In, Bits<32>>,
    pub a: Signal<In, Bits<5>>,
    pub p: Signal<In, Bits<5>>,
    pub c: Signal<In, Bits<5>>,
    pub h: Signal<In, Bits<5>>,
    // The slot.
    pub go: Signal<In, Bit>,
    pub drained: Signal<In, Bits<32>>,
    pub other: Signal<In, Bits<32>>,
    pub backlogged: Signal<In, Bit>,
    pub waits: Signal<In, Bit>,
    pub cnp: Signal<In, Bit>,
    pub longest: Signal<In, Bits<16>>,
    pub done: Signal<Out, Bit>,
    pub est: Signal<Out, Bits<32>>,
    pub hi: Signal<Out, Bits<32>>,
    // The state of the law.
    level: DFF<Bits<36>>,
    fast: DFF<Bits<36>>,
    dev: DFF<Bits<36>>,
    peak: DFF<Bits<36>>,
    oth: DFF<Bits<36>>,
    held: DFF<Bits<16>>,
    out_est: DFF<Bits<32>>,
    out_hi: DFF<Bits<32>>,
    // The slot as it was, and what comes of it.
    x: DFF<Bits<36>>,
    y: DFF<Bits<36>>,
    full: DFF<Bit>,
    wants: DFF<Bit>,
    cut: DFF<Bit>,
    span: DFF<Bits<16>>,
    average: DFF<Bits<36>>,
    threshold: DFF<Bits<36>>,
    distance: DFF<Bits<36>>,
    jumps: DFF<Bit>,
    holds: DFF<Bit>,
    top: DFF<Bits<36>>,
    fresh: DFF<Bits<36>>,
    // The sequencer.
    busy: DFF<Bit>,
    count: DFF<Bits<6>>,
    ended: DFF<Bit>,
    u: DFF<Bits<36>>,
    v: DFF<Bits<36>>,
    w: DFF<Bits<36>>,
    n: DFF<Bits<5>>,
    minus: DFF<Bit>,
    shifted: DFF<Bits<36>>,
    under: DFF<Bit>,
    step: Signal<Local, Bits<4>>,
    phase: Signal<Local, Bits<2>>,
    wide_line: Signal<Local, Bits<36>>,
    difference: Signal<Local, Bits<36>>,
    turned: Signal<Local, Bits<36>>,
    moved: Signal<Local, Bits<36>>,
    sum: Signal<Local, Bits<36>>,
    fewer: Signal<Local, Bits<16>>,
    negated: Signal<Local, Bits<36>>,
    size: Signal<Local, Bits<36>>,
    back: Signal<Local, Bits<36>>,
    more: Signal<Local, Bits<36>>,
    less: Signal<Local, Bits<36>>,
    positive: Signal<Local, Bits<32>>,
    settled: Signal<Local, Bits<36>>,
    stays: Signal<Local, Bit>,
    last: Lit<4, 14>,
}

impl Logic for RateEstimator {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, level, fast, dev, peak, oth, held, out_est, out_hi, x, y, full, wants, cut, span);
        dff_setup!(self, clk, average, threshold, distance, jumps, holds, top, fresh, busy, count, ended);
        dff_setup!(self, clk, u, v, w, n, minus, shifted, under);
        self.wide_line.next = bit_cast::<36, 32>(self.line.val());
        self.step.next = self.count.q.val().get_bits::<4>(2);
        self.phase.next = self.count.q.val().get_bits::<2>(0);
        self.ended.d.next = false;

        // Phase 0: the operands of the step.
        if self.phase.val() == 0 {
            self.u.d.next = self.x.q.val();
            self.v.d.next = self.level.q.val();
            self.w.d.next = self.level.q.val();
            self.n.d.next = self.a.val();
            self.minus.d.next = false;
            if self.step.val() == 1 {
                self.v.d.next = self.fast.q.val();
                self.w.d.next = self.fast.q.val();
                self.n.d.next = bits::<5>(1);
            }
            if self.step.val() == 2 {
                self.u.d.next = self.distance.q.val();
                self.v.d.next = self.dev.q.val();
                self.w.d.next = self.dev.q.val();
                self.n.d.next = bits::<5>(5);
            }
            if self.step.val() == 3 {
                self.u.d.next = self.wide_line.val();
                self.v.d.next = bits::<36>(0);
                self.w.d.next = self.dev.q.val() << 1;
                self.n.d.next = bits::<5>(6);
            }
            if self.step.val() == 4 {
                self.u.d.next = self.fast.q.val();
                self.w.d.next = bits::<36>(0);
                self.n.d.next = bits::<5>(0);
            }
            if self.step.val() == 5 {
                self.u.d.next = self.threshold.q.val();
                self.v.d.next = self.distance.q.val();
            }
            if self.step.val() == 6 {
                self.u.d.next = self.wide_line.val();
                self.v.d.next = bits::<36>(0);
                self.w.d.next = self.top.q.val();
                self.n.d.next = self.p.val();
            }
            if self.step.val() == 7 {
                self.u.d.next = self.wide_line.val();
                self.v.d.next = self.fresh.q.val();
            }
            if self.step.val() == 8 {
                self.u.d.next = self.level.q.val();
                self.v.d.next = self.fresh.q.val();
            }
            if self.step.val() == 9 {
                self.u.d.next = self.fresh.q.val();
                self.v.d.next = bits::<36>(0);
                self.w.d.next = self.fresh.q.val();
                self.n.d.next = self.c.val();
                self.minus.d.next = true;
            }
            if self.step.val() == 10 {
                self.u.d.next = self.peak.q.val();
                self.w.d.next = self.peak.q.val();
                self.n.d.next = self.h.val();
                self.minus.d.next = true;
            }
            if self.step.val() == 11 {
                self.u.d.next = self.peak.q.val();
            }
            if self.step.val() == 12 {
                self.u.d.next = self.y.q.val();
                self.v.d.next = self.oth.q.val();
                self.w.d.next = self.oth.q.val();
                self.n.d.next = bits::<5>(2);
            }
            if self.step.val() == 13 {
                self.u.d.next = self.level.q.val();
                self.v.d.next = self.oth.q.val();
                self.w.d.next = bits::<36>(0);
                self.n.d.next = bits::<5>(0);
            }
            if self.step.val() == 14 {
                self.u.d.next = self.peak.q.val();
                self.v.d.next = self.oth.q.val();
                self.w.d.next = bits::<36>(0);
                self.n.d.next = bits::<5>(0);
            }
        }

        // Phase 1: the difference, and its sign.
        self.difference.next = self.u.q.val() - self.v.q.val();
        if self.phase.val() == 1 {
            self.shifted.d.next = self.difference.val();
            self.under.d.next = self.difference.val().get_bit(35);
        }
        // Phase 2: the arithmetic shift. How far off: the same without a sign.
        self.negated.next = bits::<36>(0) - self.shifted.q.val();
        self.turned.next = self.shifted.q.val();
        self.size.next = self.shifted.q.val();
        if self.under.q.val() {
            self.turned.next = !self.shifted.q.val();
            self.size.next = self.negated.val();
        }
        self.moved.next = self.turned.val() >> self.n.q.val();
        self.back.next = self.moved.val();
        if self.under.q.val() {
            self.back.next = !self.moved.val();
        }
        if self.phase.val() == 2 {
            self.shifted.d.next = self.back.val();
            if self.step.val() == 0 {
                self.top.d.next = self.x.q.val();
                if self.under.q.val() {
                    self.top.d.next = self.level.q.val();
                }
            }
            if (self.step.val() == 0) | (self.step.val() == 4) {
                self.distance.d.next = self.size.val();
            }
        }
        // Phase 3: the sum, and what is done with it.
        self.more.next = self.w.q.val() + self.shifted.q.val();
        self.less.next = self.w.q.val() - self.shifted.q.val();
        self.sum.next = self.more.val();
        if self.minus.q.val() {
            self.sum.next = self.less.val();
        }
        self.positive.next = self.sum.val().get_bits::<32>(0);
        if self.under.q.val() {
            self.positive.next = bits::<32>(0);
        }
        self.fewer.next = self.held.q.val() - 1;
        self.stays.next = self.held.q.val().any();
        self.settled.next = self.fresh.q.val();
        if self.cut.q.val() & !self.holds.q.val() {
            self.settled.next = self.sum.val();
            self.stays.next = self.span.q.val().any();
        }
        if self.phase.val() == 3 {
            if self.step.val() == 0 {
                self.average.d.next = self.sum.val();
            }
            if (self.step.val() == 1) & self.full.q.val() {
                self.fast.d.next = self.sum.val();
            }
            if (self.step.val() == 2) & self.full.q.val() {
                self.dev.d.next = self.sum.val();
            }
            if self.step.val() == 3 {
                self.threshold.d.next = self.sum.val();
            }
            if self.step.val() == 5 {
                self.jumps.d.next = self.under.q.val();
            }
            if self.step.val() == 6 {
                // Without a backlog, what left can only be a lower bound.
                self.fresh.d.next = self.top.q.val();
                if self.wants.q.val() {
                    self.fresh.d.next = self.sum.val();
                }
                if self.full.q.val() {
                    self.fresh.d.next = self.average.q.val();
                    if self.jumps.q.val() {
                        self.fresh.d.next = self.fast.q.val();
                    }
                }
            }
            if self.step.val() == 7 {
                if self.under.q.val() {
                    self.fresh.d.next = self.wide_line.val();
                } else if self.fresh.q.val().get_bit(35) {
                    self.fresh.d.next = bits::<36>(0);
                }
            }
            if self.step.val() == 8 {
                self.holds.d.next = self.held.q.val().any();
                if self.held.q.val().any() {
                    self.held.d.next = self.fewer.val();
                    if self.under.q.val() {
                        self.fresh.d.next = self.level.q.val();
                    }
                }
            }
            if self.step.val() == 9 {
                self.level.d.next = self.settled.val();
                if self.cut.q.val() & !self.holds.q.val() {
                    self.held.d.next = self.span.q.val();
                }
                if self.stays.val() | !self.full.q.val() {
                    self.fast.d.next = self.settled.val();
                }
            }
            if self.step.val() == 10 {
                self.peak.d.next = self.sum.val();
            }
            if (self.step.val() == 11) & self.under.q.val() {
                self.peak.d.next = self.level.q.val();
            }
            if self.step.val() == 12 {
                self.oth.d.next = self.sum.val();
            }
            if self.step.val() == 13 {
                self.out_est.d.next = self.positive.val();
            }
            if self.step.val() == 14 {
                self.out_hi.d.next = self.positive.val();
            }
        }

        if self.busy.q.val() {
            self.count.d.next = self.count.q.val() + 1;
            if (self.step.val() == self.last.val()) & self.phase.val().all() {
                self.busy.d.next = false;
                self.ended.d.next = true;
                self.count.d.next = bits::<6>(0);
            }
        } else {
            self.count.d.next = bits::<6>(0);
        }
        if self.go.val() {
            self.busy.d.next = true;
            self.x.d.next = bit_cast::<36, 32>(self.drained.val());
            self.y.d.next = bit_cast::<36, 32>(self.other.val());
            self.full.d.next = self.backlogged.val();
            self.wants.d.next = self.waits.val();
            self.cut.d.next = self.cnp.val();
            self.span.d.next = self.longest.val();
        }
        self.done.next = self.ended.q.val();
        self.est.next = self.out_est.q.val();
        self.hi.next = self.out_hi.q.val();
        // The whole port is assumed until something else is seen.
        if self.rst.val() {
            self.busy.d.next = false;
            self.ended.d.next = false;
            self.level.d.next = self.wide_line.val();
            self.fast.d.next = self.wide_line.val();
            self.peak.d.next = self.wide_line.val();
            self.dev.d.next = bits::<36>(0);
            self.oth.d.next = bits::<36>(0);
            self.held.d.next = bits::<16>(0);
            self.out_est.d.next = self.line.val();
            self.out_hi.d.next = self.line.val();
        }
    }
}
