//! Both directions, beside the rail: **icrc**. From [parse](super::parse), to `track` and `ack_filter`.
//!
//! In: the rail and `meta`, one beat per cycle. Out: after each last beat, whether the frame is a whole RoCEv2 packet,
//! whether its ICRC and IPv4 header checksum are right, and its size.
//! Latency: exactly 10 cycles from `rail_last` to `check_valid`.
//! Model: `model/src/icrc.rs`. Tests: `tests/outbound/icrc.rs`. Registers: none.
//!
//! CRC-32 is linear over bits, which removes every special case of the usual CRC engine:
//!
//! * Zeros in front of a message leave a zero state alone. So the state starts at zero, every byte in front of the IP
//!   header is set to zero, and the state that eight leading bytes of ones give is added as if it were data of the
//!   first four bytes of the IP header.
//! * Masked bits are set to zero too, and what ones would have added is added: one constant for each shape of headers,
//!   with the above, in [`mask`]. So nothing is ever done to a bit but to clear it, which a register does by itself.
//! * Behind a message and its CRC the state is one constant, the residue, and zeros move it on by a known map. So every
//!   byte behind the ICRC is set to zero too, and after the beat with its last byte the state must be the residue moved
//!   on by the zeros in that beat: one constant of 64, in [`remainder`]. There is no network for tails.

pub mod mask;
pub mod remainder;

use crate::record::Meta;
use mask::{Mask, Step};
use remainder::Remainder;
use rust_hdl::prelude::*;

/// The check of a frame's ICRC. Registers are numbered by the cycle they are seen in, the input being cycle 0.
#[derive(LogicBlock, Default)]
pub struct Icrc {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub rail_valid: Signal<In, Bit>,
    pub rail_data: Signal<In, Bits<512>>,
    pub rail_bytes: Signal<In, Bits<7>>,
    pub rail_first: Signal<In, Bit>,
    pub rail_last: Signal<In, Bit>,
    pub rail_err: Signal<In, Bit>,
    pub rail_cut: Signal<In, Bit>,
    pub meta: Signal<In, Meta>,
    pub check_valid: Signal<Out, Bit>,
    pub roce: Signal<Out, Bit>,
    pub good: Signal<Out, Bit>,
    pub bytes: Signal<Out, Bits<14>>,
    pub beats: Signal<Out, Bits<8>>,
    pub err: Signal<Out, Bit>,
    pub cut: Signal<Out, Bit>,
    mask: Mask,
    remainder: Remainder,
    step5: DFF<Step>,
    step6: DFF<Step>,
    step7: DFF<Step>,
    step8: DFF<Step>,
    step9: DFF<Step>,
    step10: DFF<Step>,
    shape: Signal<Local, Bits<3>>,
    right: Signal<Local, Bit>,
    earlier: DFF<Bit>,
    right9: DFF<Bit>,
    good10: DFF<Bit>,
}

impl Logic for Icrc {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, step5, step6, step7, step8, step9, step10, earlier, right9, good10);
        self.mask.clk.next = self.clk.val();
        self.remainder.clk.next = self.clk.val();

        // Cycles 0 to 3: set aside what the CRC does not cover.
        self.mask.rst.next = self.rst.val();
        self.mask.rail_valid.next = self.rail_valid.val();
        self.mask.rail_data.next = self.rail_data.val();
        self.mask.rail_bytes.next = self.rail_bytes.val();
        self.mask.rail_first.next = self.rail_first.val();
        self.mask.rail_last.next = self.rail_last.val();
        self.mask.rail_err.next = self.rail_err.val();
        self.mask.rail_cut.next = self.rail_cut.val();
        self.mask.meta.next = self.meta.val();

        // Cycles 4 to 7: the CRC, and is it what it must be?
        self.remainder.data4.next = self.mask.data4.val();
        self.step5.d.next = self.mask.step4.val();
        self.shape.next = bit_cast::<3, 2>(self.step5.q.val().vlans);
        if self.step5.q.val().v6 {
            self.shape.next = bit_cast::<3, 2>(self.step5.q.val().vlans) | 4;
        }
        self.remainder.shape5.next = self.shape.val();
        self.remainder.first5.next = self.step5.q.val().first;
        self.remainder.second5.next = self.step5.q.val().second;
        self.step6.d.next = self.step5.q.val();
        self.remainder.valid6.next = self.step6.q.val().valid;
        self.remainder.first6.next = self.step6.q.val().first;
        self.remainder.zeros6.next = self.step6.q.val().zeros;
        self.step7.d.next = self.step6.q.val();
        self.remainder.ends7.next = self.step7.q.val().ends;
        self.step8.d.next = self.step7.q.val();

        // Cycle 8: was it so in any beat of the frame? Padding may follow for whole beats.
        self.right.next = self.remainder.right8.val() | (self.earlier.q.val() & !self.step8.q.val().first);
        if self.step8.q.val().valid {
            self.earlier.d.next = self.right.val();
        }
        self.right9.d.next = self.right.val();
        self.step9.d.next = self.step8.q.val();

        // Cycle 9: the verdict, registered.
        self.good10.d.next = self.right9.q.val() & self.step9.q.val().ip_ok;
        self.step10.d.next = self.step9.q.val();
        self.check_valid.next = self.step10.q.val().valid & self.step10.q.val().last;
        self.roce.next = self.step10.q.val().roce;
        self.good.next = self.good10.q.val();
        self.bytes.next = self.step10.q.val().bytes;
        self.beats.next = self.step10.q.val().beats;
        self.err.next = self.step10.q.val().err;
        self.cut.next = self.step10.q.val().cut;

        if self.rst.val() {
            self.step5.d.next.valid = false;
            self.step6.d.next.valid = false;
            self.step7.d.next.valid = false;
            self.step8.d.next.valid = false;
            self.step9.d.next.valid = false;
            self.step10.d.next.valid = false;
        }
    }
}
