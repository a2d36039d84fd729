//! Inbound, beside 4: **pfc**. From the client port and `back_pressure`, to [arbiter](super::Arbiter).
//!
//! In: the client port's stream, as it arrives; `over` (the gateway cannot take much more); the host's settings.
//! Out: `paused`, the classes that the client has paused; PFC frames of our own; pulses for the counters.
//! Latency: 4 cycles from a PFC frame to `paused`; 2 from `over` to `pfc_valid`.
//! Model: `model/src/pfc.rs`. Tests: `tests/inbound/pfc.rs`. Registers: `PFC_*`.
//!
//! Only frames of one beat without a MAC error are obeyed: a MAC control frame has 60 bytes. `track` drops them all.

mod sender;
mod timer;
mod timers;

use rust_hdl::prelude::*;
use sender::Sender;
use timers::Timers;

/// 802.1Qbb on the client port, both ways.
#[derive(LogicBlock, Default)]
pub struct Pfc {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub s_axis_client_tdata: Signal<In, Bits<512>>,
    pub s_axis_client_tkeep: Signal<In, Bits<64>>,
    pub s_axis_client_tuser: Signal<In, Bits<1>>,
    pub s_axis_client_tlast: Signal<In, Bit>,
    pub s_axis_client_tvalid: Signal<In, Bit>,
    /// Obey and send.
    pub enable: Signal<In, Bit>,
    /// The lossless class.
    pub pcp: Signal<In, Bits<3>>,
    /// Quanta that pass in a cycle, 8 fraction bits.
    pub step: Signal<In, Bits<16>>,
    /// Quanta that an XOFF of ours asks for.
    pub quanta: Signal<In, Bits<16>>,
    /// Our address, first byte on top.
    pub source: Signal<In, Bits<48>>,
    pub over: Signal<In, Bit>,
    pub paused: Signal<Out, Bits<8>>,
    /// The lossless class is.
    pub held: Signal<Out, Bit>,
    pub pfc_valid: Signal<Out, Bit>,
    pub pfc_data: Signal<Out, Bits<512>>,
    pub pfc_ready: Signal<In, Bit>,
    /// A frame for the lossless class came, or left.
    pub xoff_in: Signal<Out, Bit>,
    pub xon_in: Signal<Out, Bit>,
    pub xoff_out: Signal<Out, Bit>,
    pub xon_out: Signal<Out, Bit>,
    timers: Timers,
    sender: Sender,
}

impl Logic for Pfc {
    #[hdl_gen]
    fn update(&mut self) {
        self.timers.clk.next = self.clk.val();
        self.timers.rst.next = self.rst.val();
        self.timers.tdata.next = self.s_axis_client_tdata.val();
        self.timers.tkeep.next = self.s_axis_client_tkeep.val();
        self.timers.tuser.next = self.s_axis_client_tuser.val();
        self.timers.tlast.next = self.s_axis_client_tlast.val();
        self.timers.tvalid.next = self.s_axis_client_tvalid.val();
        self.timers.enable.next = self.enable.val();
        self.timers.pcp.next = self.pcp.val();
        self.timers.step.next = self.step.val();
        self.paused.next = self.timers.paused.val();
        self.held.next = self.timers.held.val();
        self.xoff_in.next = self.timers.xoff.val();
        self.xon_in.next = self.timers.xon.val();

        self.sender.clk.next = self.clk.val();
        self.sender.rst.next = self.rst.val();
        self.sender.pcp.next = self.pcp.val();
        self.sender.step.next = self.step.val();
        self.sender.quanta.next = self.quanta.val();
        self.sender.source.next = self.source.val();
        self.sender.over.next = self.over.val() & self.enable.val();
        self.pfc_valid.next = self.sender.pfc_valid.val();
        self.pfc_data.next = self.sender.pfc_data.val();
        self.sender.pfc_ready.next = self.pfc_ready.val();
        self.xoff_out.next = self.sender.xoff.val();
        self.xon_out.next = self.sender.xon.val();
    }
}
