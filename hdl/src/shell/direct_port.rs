//! A port of Corundum's direct streams: **direct_port**, between a MAC's two clocks and the core's.
//!
//! ```text
//! MAC rx ─► (cut) ─► guard ─► rx_queue ─────────► m_axis_core      (rx_clk to clk)
//! MAC tx ◄─ slice ◄─ (cut) ◄─ store ◄─ tx_queue ◄ s_axis_core      (clk to tx_clk)
//! ```
//!
//! A MAC may be reset by itself, when its link goes: a frame that it was bringing then ends with an error mark, the rest of
//! one that it was taking is left out, and the next begins with its first beat.
//! The host's frames end here. Each is taken and told to be sent, so that its queue goes on; what the MAC says of the frames
//! that it has sent is of ours, and is not the host's.
//! In: the MAC's and the host's ends, the core's sending end. Out: the others.
//! Model: none. Tests: `tests/shell/corundum.rs`. Registers: none.

use super::{MacGuard, PacketFifo};
use crate::prim::{AsyncFifo, AxisM, AxisS, AxisSlice, Lit, ResetSync};
use rust_hdl::prelude::*;

/// One port. Bit 0 of `tuser` is the bad frame's mark.
#[derive(LogicBlock, Default)]
pub struct DirectPort {
    pub clk: Signal<In, Clock>,
    pub rx_clk: Signal<In, Clock>,
    pub tx_clk: Signal<In, Clock>,
    pub areset: Signal<In, Bit>,
    /// The MAC's own resets, each of its clock.
    pub rx_rst: Signal<In, Bit>,
    pub tx_rst: Signal<In, Bit>,
    pub s_axis_mac_tdata: Signal<In, Bits<512>>,
    pub s_axis_mac_tkeep: Signal<In, Bits<64>>,
    pub s_axis_mac_tuser: Signal<In, Bits<1>>,
    pub s_axis_mac_tlast: Signal<In, Bit>,
    pub s_axis_mac_tvalid: Signal<In, Bit>,
    pub m_axis_mac: AxisM<512, 64, 1>,
    pub host_tag: Signal<In, Bits<16>>,
    pub host_tlast: Signal<In, Bit>,
    pub host_tvalid: Signal<In, Bit>,
    pub host_tready: Signal<Out, Bit>,
    pub cpl_tag: Signal<Out, Bits<16>>,
    pub cpl_valid: Signal<Out, Bit>,
    pub cpl_ready: Signal<In, Bit>,
    pub m_axis_core_tdata: Signal<Out, Bits<512>>,
    pub m_axis_core_tkeep: Signal<Out, Bits<64>>,
    pub m_axis_core_tuser: Signal<Out, Bits<1>>,
    pub m_axis_core_tlast: Signal<Out, Bit>,
    pub m_axis_core_tvalid: Signal<Out, Bit>,
    pub s_axis_core: AxisS<512, 64, 1>,
    // On the MAC's receive clock.
    rx_reset: ResetSync,
    /// Within a frame.
    under_way: DFF<Bit>,
    cut: Signal<Local, Bit>,
    guard: MacGuard,
    rx_last: Signal<Local, Bits<1>>,
    rx_queue: AsyncFifo<578, 5, 6>,
    // On the MAC's transmit clock.
    tx_queue: AsyncFifo<578, 5, 6>,
    tx_last: Signal<Local, Bits<1>>,
    tx_reset: ResetSync,
    store: PacketFifo,
    /// Some of a frame has been passed on, and not its end.
    begun: DFF<Bit>,
    /// The rest of a frame is left out.
    swallow: DFF<Bit>,
    goes: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    slice: AxisSlice<512, 64, 1>,
    /// A frame of the host's is to be told of.
    told: DFF<Bit>,
    tag: DFF<Bits<16>>,
    data_bits: Lit<10, 512>,
    keep_bits: Lit<10, 576>,
    last_bits: Lit<10, 577>,
}

impl Logic for DirectPort {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, rx_clk, under_way);
        dff_setup!(self, tx_clk, begun, swallow, told, tag);

        // From the MAC. What it was bringing when it was reset ends with a mark.
        self.rx_reset.clk.next = self.rx_clk.val();
        self.rx_reset.areset.next = self.areset.val();
        self.cut.next = self.rx_rst.val() & self.under_way.q.val();
        self.guard.clk.next = self.rx_clk.val();
        self.guard.rst.next = self.rx_reset.held.val();
        self.guard.room.next = !self.rx_queue.full.val();
        self.guard.s_axis_tdata.next = self.s_axis_mac_tdata.val();
        self.guard.s_axis_tkeep.next = self.s_axis_mac_tkeep.val();
        self.guard.s_axis_tuser.next = self.s_axis_mac_tuser.val();
        self.guard.s_axis_tlast.next = self.s_axis_mac_tlast.val();
        self.guard.s_axis_tvalid.next = self.s_axis_mac_tvalid.val();
        if self.s_axis_mac_tvalid.val() {
            self.under_way.d.next = !self.s_axis_mac_tlast.val();
        }
        if self.rx_rst.val() {
            self.guard.s_axis_tkeep.next = 1.into();
            self.guard.s_axis_tuser.next = 1.into();
            self.guard.s_axis_tlast.next = true;
            self.guard.s_axis_tvalid.next = self.cut.val();
            self.under_way.d.next = false;
        }
        self.rx_queue.areset.next = self.areset.val();
        self.rx_queue.wr_clk.next = self.rx_clk.val();
        self.rx_queue.rd_clk.next = self.clk.val();
        self.rx_last.next = 0.into();
        if self.guard.tlast.val() {
            self.rx_last.next = 1.into();
        }
        self.rx_queue.din.next = bit_cast::<578, 512>(self.guard.tdata.val())
            | (bit_cast::<578, 64>(self.guard.tkeep.val()) << self.data_bits.val())
            | (bit_cast::<578, 1>(self.guard.tuser.val()) << self.keep_bits.val())
            | (bit_cast::<578, 1>(self.rx_last.val()) << self.last_bits.val());
        self.rx_queue.wr.next = self.guard.pass.val();
        self.rx_queue.rd.next = true;
        self.m_axis_core_tdata.next = self.rx_queue.dout.val().get_bits::<512>(0);
        self.m_axis_core_tkeep.next = self.rx_queue.dout.val().get_bits::<64>(512);
        self.m_axis_core_tuser.next = self.rx_queue.dout.val().get_bits::<1>(576);
        self.m_axis_core_tlast.next = self.rx_queue.dout.val().get_bit(577);
        self.m_axis_core_tvalid.next = !self.rx_queue.empty.val();

        // To the MAC: whole frames.
        self.tx_queue.areset.next = self.areset.val();
        self.tx_queue.wr_clk.next = self.clk.val();
        self.tx_queue.rd_clk.next = self.tx_clk.val();
        self.tx_last.next = 0.into();
        if self.s_axis_core.tlast.val() {
            self.tx_last.next = 1.into();
        }
        self.tx_queue.din.next = bit_cast::<578, 512>(self.s_axis_core.tdata.val())
            | (bit_cast::<578, 64>(self.s_axis_core.tkeep.val()) << self.data_bits.val())
            | (bit_cast::<578, 1>(self.s_axis_core.tuser.val()) << self.keep_bits.val())
            | (bit_cast::<578, 1>(self.tx_last.val()) << self.last_bits.val());
        self.tx_queue.wr.next = self.s_axis_core.tvalid.val();
        self.s_axis_core.tready.next = !self.tx_queue.full.val();
        self.tx_reset.clk.next = self.tx_clk.val();
        self.tx_reset.areset.next = self.areset.val();
        self.store.clk.next = self.tx_clk.val();
        self.store.rst.next = self.tx_reset.held.val();
        self.store.s_axis.tdata.next = self.tx_queue.dout.val().get_bits::<512>(0);
        self.store.s_axis.tkeep.next = self.tx_queue.dout.val().get_bits::<64>(512);
        self.store.s_axis.tuser.next = self.tx_queue.dout.val().get_bits::<1>(576);
        self.store.s_axis.tlast.next = self.tx_queue.dout.val().get_bit(577);
        self.store.s_axis.tvalid.next = !self.tx_queue.empty.val();
        self.tx_queue.rd.next = self.store.s_axis.tready.val();

        // A frame that the MAC's reset has cut is not gone on with.
        self.goes.next = !self.tx_rst.val() & !self.swallow.q.val();
        self.passes.next = self.store.m_axis.tvalid.val() & self.goes.val();
        self.store.m_axis.tready.next = self.swallow.q.val() | (self.goes.val() & self.slice.s_axis.tready.val());
        if self.passes.val() & self.slice.s_axis.tready.val() {
            self.begun.d.next = !self.store.m_axis.tlast.val();
        }
        if self.store.m_axis.tvalid.val() & self.store.m_axis.tlast.val() {
            self.swallow.d.next = false;
        }
        if self.tx_rst.val() & self.begun.q.val() {
            self.swallow.d.next = true;
            self.begun.d.next = false;
        }
        if self.tx_reset.held.val() {
            self.swallow.d.next = false;
            self.begun.d.next = false;
        }
        self.slice.clk.next = self.tx_clk.val();
        self.slice.rst.next = self.tx_reset.held.val() | self.tx_rst.val();
        self.slice.s_axis.tdata.next = self.store.m_axis.tdata.val();
        self.slice.s_axis.tkeep.next = self.store.m_axis.tkeep.val();
        self.slice.s_axis.tuser.next = self.store.m_axis.tuser.val();
        self.slice.s_axis.tlast.next = self.store.m_axis.tlast.val();
        self.slice.s_axis.tvalid.next = self.passes.val();
        self.m_axis_mac.tdata.next = self.slice.m_axis.tdata.val();
        self.m_axis_mac.tkeep.next = self.slice.m_axis.tkeep.val();
        self.m_axis_mac.tuser.next = self.slice.m_axis.tuser.val();
        self.m_axis_mac.tlast.next = self.slice.m_axis.tlast.val();
        self.m_axis_mac.tvalid.next = self.slice.m_axis.tvalid.val();
        self.slice.m_axis.tready.next = self.m_axis_mac.tready.val();

        // The host's frames: one at a time, until it is told of.
        self.host_tready.next = !self.told.q.val();
        self.cpl_valid.next = self.told.q.val();
        self.cpl_tag.next = self.tag.q.val();
        if self.told.q.val() {
            self.told.d.next = !self.cpl_ready.val();
        } else if self.host_tvalid.val() & self.host_tlast.val() {
            self.told.d.next = true;
            self.tag.d.next = self.host_tag.val();
        }
    }
}
