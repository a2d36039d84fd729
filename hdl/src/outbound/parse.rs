//! Outbound 1 of 5: **parse**. From the client port, to [flow](super::flow) and [icrc](super::icrc); the inbound
//! direction has its own, behind the line port.
//!
//! In: a stream that is never held up. Out: the rail, and with it `meta` of the frame, which stays as it is from its
//! first beat until the next frame's.
//! Latency: from a last beat to `rail_last` exactly 8 cycles. An earlier beat is held until the next one of its frame
//! is here, since the headers of an IPv6 packet end in the second beat; from there it takes 7 cycles.
//! Model: `model/src/parse.rs`. Tests: `tests/outbound/parse.rs`. Registers: none.
//!
//! [`ingress`] counts, cuts and holds; [`align`] finds the IP header behind 0, 1 or 2 tags; [`extract`] reads it and
//! what follows. Bytes beyond the end of a frame are zero from the first register on, in the data and in what is read.

pub mod align;
pub mod extract;
pub mod ingress;
pub mod operation;

use crate::prim::Pipe;
use crate::record::Meta;
use align::Align;
use extract::Extract;
use ingress::{Ingress, Mark};
use rust_hdl::prelude::*;

/// The parser. Registers are numbered by the cycle they are seen in, a last beat being taken at cycle 0.
#[derive(LogicBlock, Default)]
pub struct Parse {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub s_axis_tdata: Signal<In, Bits<512>>,
    pub s_axis_tkeep: Signal<In, Bits<64>>,
    pub s_axis_tlast: Signal<In, Bit>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_tuser: Signal<In, Bits<1>>,
    pub rail_valid: Signal<Out, Bit>,
    pub rail_data: Signal<Out, Bits<512>>,
    pub rail_bytes: Signal<Out, Bits<7>>,
    pub rail_first: Signal<Out, Bit>,
    pub rail_last: Signal<Out, Bit>,
    pub rail_err: Signal<Out, Bit>,
    pub rail_cut: Signal<Out, Bit>,
    pub meta: Signal<Out, Meta>,
    ingress: Ingress,
    align: Align,
    extract: Extract,
    mark2: Signal<Local, Mark>,
    mark3: DFF<Mark>,
    mark4: DFF<Mark>,
    mark5: DFF<Mark>,
    mark6: DFF<Mark>,
    mark7: DFF<Mark>,
    mark8: DFF<Mark>,
    // The beat and as much of the next one as is looked at.
    next3: DFF<Bits<272>>,
    data3: DFF<Bits<512>>,
    raw3: Signal<Local, Bits<784>>,
    data7: Pipe<512, 4>,
    data8: DFF<Bits<512>>,
}

impl Logic for Parse {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, mark3, mark4, mark5, mark6, mark7, mark8);
        dff_setup!(self, clk, data3, next3, data8);
        self.data7.clk.next = self.clk.val();
        self.data7.rst.next = self.rst.val();
        self.ingress.clk.next = self.clk.val();
        self.align.clk.next = self.clk.val();
        self.extract.clk.next = self.clk.val();
        self.ingress.rst.next = self.rst.val();
        self.ingress.tdata.next = self.s_axis_tdata.val();
        self.ingress.tkeep.next = self.s_axis_tkeep.val();
        self.ingress.tlast.next = self.s_axis_tlast.val();
        self.ingress.tvalid.next = self.s_axis_tvalid.val();
        self.ingress.tuser.next = self.s_axis_tuser.val().any();

        // Cycle 2: a beat and the next one of its frame, or zeros.
        self.mark2.next = self.ingress.mark2.val();
        self.data3.d.next = self.ingress.data2.val();
        self.next3.d.next = self.ingress.next2.val();
        if self.mark2.val().last {
            self.next3.d.next = 0.into();
        }
        self.raw3.next = bit_cast::<784, 512>(self.data3.q.val()) | (bit_cast::<784, 272>(self.next3.q.val()) << 512);
        self.data7.din.next = self.data3.q.val();
        self.mark3.d.next = self.mark2.val();
        self.mark4.d.next = self.mark3.q.val();
        self.mark5.d.next = self.mark4.q.val();
        self.mark6.d.next = self.mark5.q.val();
        self.mark7.d.next = self.mark6.q.val();
        self.mark8.d.next = self.mark7.q.val();

        // Cycles 2 and 3 align, cycles 4 to 7 extract; both look at every beat as if it were a first one.
        self.align.data2.next = self.ingress.data2.val();
        self.align.raw3.next = self.raw3.val();
        self.extract.rst.next = self.rst.val();
        self.extract.l3.next = self.align.l3.val();
        self.extract.shape4.next = self.align.shape4.val();
        self.extract.load7.next = self.mark7.q.val().valid & self.mark7.q.val().first;

        // Cycle 7: what was read from the first beat is kept.
        self.data8.d.next = self.data7.dout.val();

        self.rail_valid.next = self.mark8.q.val().valid;
        self.rail_data.next = self.data8.q.val();
        self.rail_bytes.next = self.mark8.q.val().bytes;
        self.rail_first.next = self.mark8.q.val().first;
        self.rail_last.next = self.mark8.q.val().last;
        self.rail_err.next = self.mark8.q.val().err;
        self.rail_cut.next = self.mark8.q.val().cut;
        self.meta.next = self.extract.meta.val();

        if self.rst.val() {
            self.mark3.d.next.valid = false;
            self.mark4.d.next.valid = false;
            self.mark5.d.next.valid = false;
            self.mark6.d.next.valid = false;
            self.mark7.d.next.valid = false;
            self.mark8.d.next.valid = false;
        }
    }
}
