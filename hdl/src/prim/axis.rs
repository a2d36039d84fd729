//! AXI4-Stream: the two ends of a stream, and a register slice that cuts every path between them.

use rust_hdl::prelude::*;

/// The receiving end, as the block sees it. A field `s_axis` gives ports `s_axis_tdata` and so on.
#[derive(LogicInterface, Default, Clone)]
#[join = "AxisM"]
pub struct AxisS<const D: usize, const K: usize, const U: usize> {
    pub tdata: Signal<In, Bits<D>>,
    pub tkeep: Signal<In, Bits<K>>,
    pub tuser: Signal<In, Bits<U>>,
    pub tlast: Signal<In, Bit>,
    pub tvalid: Signal<In, Bit>,
    pub tready: Signal<Out, Bit>,
}

/// The sending end, as the block sees it.
#[derive(LogicInterface, Default, Clone)]
#[join = "AxisS"]
pub struct AxisM<const D: usize, const K: usize, const U: usize> {
    pub tdata: Signal<Out, Bits<D>>,
    pub tkeep: Signal<Out, Bits<K>>,
    pub tuser: Signal<Out, Bits<U>>,
    pub tlast: Signal<Out, Bit>,
    pub tvalid: Signal<Out, Bit>,
    pub tready: Signal<In, Bit>,
}

/// A register slice with every output registered, ready included; one beat per cycle for ever.
///
/// Latency: one cycle. A beat that arrives while the output is held waits in the skid registers, and ready falls.
#[derive(LogicBlock, Default)]
pub struct AxisSlice<const D: usize, const K: usize, const U: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub s_axis: AxisS<D, K, U>,
    pub m_axis: AxisM<D, K, U>,
    data: DFF<Bits<D>>,
    keep: DFF<Bits<K>>,
    user: DFF<Bits<U>>,
    last: DFF<Bit>,
    valid: DFF<Bit>,
    skid_data: DFF<Bits<D>>,
    skid_keep: DFF<Bits<K>>,
    skid_user: DFF<Bits<U>>,
    skid_last: DFF<Bit>,
    skid_valid: DFF<Bit>,
    ready: DFF<Bit>,
    moves: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
}

impl<const D: usize, const K: usize, const U: usize> Logic for AxisSlice<D, K, U> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, data, keep, user, last, valid);
        dff_setup!(self, clk, skid_data, skid_keep, skid_user, skid_last, skid_valid, ready);
        self.moves.next = self.m_axis.tready.val() | !self.valid.q.val();
        self.taken.next = self.s_axis.tvalid.val() & self.ready.q.val();
        if self.moves.val() {
            self.data.d.next = self.s_axis.tdata.val();
            self.keep.d.next = self.s_axis.tkeep.val();
            self.user.d.next = self.s_axis.tuser.val();
            self.last.d.next = self.s_axis.tlast.val();
            self.valid.d.next = self.taken.val();
            self.skid_valid.d.next = false;
            self.ready.d.next = true;
            if self.skid_valid.q.val() {
                self.data.d.next = self.skid_data.q.val();
                self.keep.d.next = self.skid_keep.q.val();
                self.user.d.next = self.skid_user.q.val();
                self.last.d.next = self.skid_last.q.val();
                self.valid.d.next = true;
            }
        } else if self.taken.val() {
            self.skid_valid.d.next = true;
            self.ready.d.next = false;
        } else {
            self.ready.d.next = !self.skid_valid.q.val();
        }
        // the skid registers follow the input until they hold something: no enable on the valid path
        if !self.skid_valid.q.val() {
            self.skid_data.d.next = self.s_axis.tdata.val();
            self.skid_keep.d.next = self.s_axis.tkeep.val();
            self.skid_user.d.next = self.s_axis.tuser.val();
            self.skid_last.d.next = self.s_axis.tlast.val();
        }
        self.s_axis.tready.next = self.ready.q.val();
        self.m_axis.tdata.next = self.data.q.val();
        self.m_axis.tkeep.next = self.keep.q.val();
        self.m_axis.tuser.next = self.user.q.val();
        self.m_axis.tlast.next = self.last.q.val();
        self.m_axis.tvalid.next = self.valid.q.val();
        if self.rst.val() {
            self.valid.d.next = false;
            self.skid_valid.d.next = false;
            self.ready.d.next = false;
        }
    }
}
