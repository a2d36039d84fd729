//! Whether an op still means something: its own copies of `cfg`, `rx` and `back`.
//!
//! In: `flow` (stage 1), `run` and `build` of the same op one cycle later (stage 2).
//! Out, another cycle later (stage 3): `alive`, `live`, `moulded`, and the flow's `run` now.
//!
//! A build carries no run: it is alive when the flow is, and the context must then be of the run given here.

use crate::outbound::flow_state::FlowState;
use crate::prim::{Lit, Table};
use crate::record::{Back, Cfg, Rx};
use matchrdma_spec::params::FLOWS;
use rust_hdl::prelude::*;

/// Two cycles from the address to the answer, one op per cycle.
#[derive(LogicBlock, Default)]
pub struct Alive {
    pub clk: Signal<In, Clock>,
    pub enable: Signal<In, Bit>,
    pub cfg_we: Signal<In, Bit>,
    pub cfg_addr: Signal<In, Bits<13>>,
    pub cfg_data: Signal<In, Cfg>,
    /// The bank in force; `cfg_addr` is {bank, index}.
    pub cfg_bank: Signal<In, Bit>,
    pub rx_we: Signal<In, Bit>,
    pub rx_addr: Signal<In, Bits<12>>,
    pub rx_data: Signal<In, Rx>,
    pub back_we: Signal<In, Bit>,
    pub back_addr: Signal<In, Bits<12>>,
    pub back_data: Signal<In, Back>,
    pub flow: Signal<In, Bits<12>>,
    pub run: Signal<In, Bits<8>>,
    pub build: Signal<In, Bit>,
    pub alive: Signal<Out, Bit>,
    pub live: Signal<Out, Bit>,
    /// The template is of these queue pairs, and they have not failed.
    pub moulded: Signal<Out, Bit>,
    pub run_now: Signal<Out, Bits<8>>,
    cfgs: Table<Cfg, 13>,
    cfg_at: Signal<Local, Bits<13>>,
    cfg_second: Lit<13, { FLOWS as u64 }>,
    rxs: Table<Rx, 12>,
    backs: Table<Back, 12>,
    state: FlowState,
    is_alive: DFF<Bit>,
    is_live: DFF<Bit>,
    is_moulded: DFF<Bit>,
    the_run: DFF<Bits<8>>,
    meant: Signal<Local, Bit>,
    on: Signal<Local, Bit>,
}

impl Logic for Alive {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, is_alive, is_live, is_moulded, the_run);
        self.cfgs.clk.next = self.clk.val();
        self.cfgs.we.next = self.cfg_we.val();
        self.cfgs.waddr.next = self.cfg_addr.val();
        self.cfgs.wdata.next = self.cfg_data.val();
        self.cfg_at.next = bit_cast::<13, 12>(self.flow.val());
        if self.cfg_bank.val() {
            self.cfg_at.next = bit_cast::<13, 12>(self.flow.val()) | self.cfg_second.val();
        }
        self.cfgs.raddr.next = self.cfg_at.val();
        self.rxs.clk.next = self.clk.val();
        self.rxs.we.next = self.rx_we.val();
        self.rxs.waddr.next = self.rx_addr.val();
        self.rxs.wdata.next = self.rx_data.val();
        self.rxs.raddr.next = self.flow.val();
        self.backs.clk.next = self.clk.val();
        self.backs.we.next = self.back_we.val();
        self.backs.waddr.next = self.back_addr.val();
        self.backs.wdata.next = self.back_data.val();
        self.backs.raddr.next = self.flow.val();

        self.state.enable.next = self.enable.val();
        self.state.cfg.next = self.cfgs.rdata.val();
        self.state.rx.next = self.rxs.rdata.val();
        self.state.back.next = self.backs.rdata.val();
        self.meant.next = self.build.val() | (self.run.val() == self.rxs.rdata.val().run);
        self.on.next = self.state.on.val() & self.state.current.val() & self.meant.val();
        self.is_alive.d.next = self.on.val();
        self.is_live.d.next = self.on.val() & self.state.active.val();
        self.is_moulded.d.next =
            self.on.val() & (self.state.active.val() | (self.rxs.rdata.val().mould & !self.state.fault.val()));
        self.the_run.d.next = self.rxs.rdata.val().run;
        self.alive.next = self.is_alive.q.val();
        self.live.next = self.is_live.q.val();
        self.moulded.next = self.is_moulded.q.val();
        self.run_now.next = self.the_run.q.val();
    }
}
