//! Part of [flow](super): one bank of rows, read and compared.
//!
//! In: the row at cycle 3, the key at cycle 5. Out: `hit7` and `index7` (zero without a hit) at cycle 7.

use crate::prim::{Same, Sdp, Unpack};
use rust_hdl::prelude::*;

/// A row, as `spec::regs::flow` lays it out.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Row {
    /// The key, packed.
    pub key: Bits<305>,
    /// Flow index.
    pub index: Bits<12>,
    /// In use.
    pub valid: Bit,
}

/// Registers are numbered by the cycle they are seen in.
#[derive(LogicBlock)]
pub struct Bank {
    pub clk: Signal<In, Clock>,
    pub row3: Signal<In, Bits<11>>,
    pub key5: Signal<In, Bits<305>>,
    pub hit7: Signal<Out, Bit>,
    pub index7: Signal<Out, Bits<12>>,
    pub we: Signal<In, Bit>,
    pub waddr: Signal<In, Bits<11>>,
    pub wdata: Signal<In, Bits<318>>,
    rows: Sdp<318, 11>,
    row5: DFF<Bits<318>>,
    row: Unpack<318, Row>,
    key: Signal<Local, Bits<305>>,
    // The comparison by parts, so that no carry chain is long.
    same0: Same<61>,
    same1: Same<61>,
    same2: Same<61>,
    same3: Same<61>,
    same4: Same<61>,
    same6_0: DFF<Bit>,
    same6_1: DFF<Bit>,
    same6_2: DFF<Bit>,
    same6_3: DFF<Bit>,
    same6_4: DFF<Bit>,
    valid6: DFF<Bit>,
    index6: DFF<Bits<12>>,
    found: Signal<Local, Bit>,
    hit: DFF<Bit>,
    index: DFF<Bits<12>>,
}

impl Default for Bank {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            row3: Default::default(),
            key5: Default::default(),
            hit7: Default::default(),
            index7: Default::default(),
            we: Default::default(),
            waddr: Default::default(),
            wdata: Default::default(),
            rows: Sdp::ultra(),
            row5: Default::default(),
            row: Default::default(),
            key: Default::default(),
            same0: Default::default(),
            same1: Default::default(),
            same2: Default::default(),
            same3: Default::default(),
            same4: Default::default(),
            same6_0: Default::default(),
            same6_1: Default::default(),
            same6_2: Default::default(),
            same6_3: Default::default(),
            same6_4: Default::default(),
            valid6: Default::default(),
            index6: Default::default(),
            found: Default::default(),
            hit: Default::default(),
            index: Default::default(),
        }
    }
}

impl Logic for Bank {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, row5, same6_0, same6_1, same6_2, same6_3, same6_4, valid6, index6, hit, index);
        self.rows.clk.next = self.clk.val();
        // Cycles 3 and 4: the memory and its output register.
        self.rows.raddr.next = self.row3.val();
        self.rows.we.next = self.we.val();
        self.rows.waddr.next = self.waddr.val();
        self.rows.wdata.next = self.wdata.val();
        self.row5.d.next = self.rows.rdata.val();
        // Cycle 5: in which fifths is the key the same?
        self.row.din.next = self.row5.q.val();
        self.key.next = self.row.dout.val().key;
        self.same0.a.next = self.key.val().get_bits::<61>(0);
        self.same0.b.next = self.key5.val().get_bits::<61>(0);
        self.same6_0.d.next = self.same0.same.val();
        self.same1.a.next = self.key.val().get_bits::<61>(61);
        self.same1.b.next = self.key5.val().get_bits::<61>(61);
        self.same6_1.d.next = self.same1.same.val();
        self.same2.a.next = self.key.val().get_bits::<61>(122);
        self.same2.b.next = self.key5.val().get_bits::<61>(122);
        self.same6_2.d.next = self.same2.same.val();
        self.same3.a.next = self.key.val().get_bits::<61>(183);
        self.same3.b.next = self.key5.val().get_bits::<61>(183);
        self.same6_3.d.next = self.same3.same.val();
        self.same4.a.next = self.key.val().get_bits::<61>(244);
        self.same4.b.next = self.key5.val().get_bits::<61>(244);
        self.same6_4.d.next = self.same4.same.val();
        self.valid6.d.next = self.row.dout.val().valid;
        self.index6.d.next = self.row.dout.val().index;
        // Cycle 6: in all?
        self.found.next = self.valid6.q.val()
            & self.same6_0.q.val()
            & self.same6_1.q.val()
            & self.same6_2.q.val()
            & self.same6_3.q.val()
            & self.same6_4.q.val();
        self.hit.d.next = self.found.val();
        self.index.d.next = 0.into();
        if self.found.val() {
            self.index.d.next = self.index6.q.val();
        }
        self.hit7.next = self.hit.q.val();
        self.index7.next = self.index.q.val();
    }
}
