//! Beside the rail, in both directions: **flow_state**. What three records say of a flow, together.
//!
//! In: `enable` (global) and the flow's `cfg`, `rx`, `back`. Out, in the same cycle: `on` (not Off), `current`, `same`,
//! and exactly one of `fault`, `drain`, `active`, `sync`, whatever `on` is. `mtu`: the path MTU's code, 0 while unknown.
//! Model: `model::track`. Tests: those of `track`, `ack_filter` and `reg_file`.

use crate::record::{Back, Cfg, Rx};
use rust_hdl::prelude::*;

/// The derivation, three levels of logic deep.
#[derive(LogicBlock, Default)]
pub struct FlowState {
    pub enable: Signal<In, Bit>,
    pub cfg: Signal<In, Cfg>,
    pub rx: Signal<In, Rx>,
    pub back: Signal<In, Back>,
    pub on: Signal<Out, Bit>,
    /// `rx` is of the run of the queue pair that the host means.
    pub current: Signal<Out, Bit>,
    /// `back` is of the same run as `rx`.
    pub same: Signal<Out, Bit>,
    pub fault: Signal<Out, Bit>,
    pub drain: Signal<Out, Bit>,
    pub active: Signal<Out, Bit>,
    pub sync: Signal<Out, Bit>,
    pub mtu: Signal<Out, Bits<3>>,
    is_current: Signal<Local, Bit>,
    is_same: Signal<Local, Bit>,
    both: Signal<Local, Bit>,
    left: Signal<Local, Bit>,
    failed: Signal<Local, Bit>,
    drains: Signal<Local, Bit>,
    acts: Signal<Local, Bit>,
    set_mtu: Signal<Local, Bits<3>>,
}

impl Logic for FlowState {
    #[hdl_gen]
    fn update(&mut self) {
        self.is_current.next = self.rx.val().serial == self.cfg.val().serial;
        self.is_same.next = self.back.val().run == self.rx.val().run;
        self.both.next = self.is_current.val() & self.is_same.val();
        // each from the records at once, so that none waits for another
        self.left.next = (self.is_current.val() & self.rx.val().off) | (self.both.val() & self.back.val().off);
        self.on.next = self.enable.val() & self.cfg.val().enable & !self.left.val();
        self.failed.next = self.both.val() & self.back.val().fault;
        self.drains.next = self.is_current.val()
            & (self.rx.val().drain | (self.is_same.val() & self.back.val().drain))
            & !(self.is_same.val() & self.back.val().fault);
        self.acts.next = self.both.val()
            & self.back.val().active
            & !self.back.val().fault
            & !self.back.val().drain
            & !self.rx.val().drain;
        self.current.next = self.is_current.val();
        self.same.next = self.is_same.val();
        self.fault.next = self.failed.val();
        self.drain.next = self.drains.val();
        self.active.next = self.acts.val();
        self.sync.next = !self.failed.val() & !self.drains.val() & !self.acts.val();
        self.mtu.next = 0.into();
        // the host may write 6 and 7, which are no codes
        self.set_mtu.next = self.cfg.val().mtu;
        if self.set_mtu.val().any() & !(self.set_mtu.val().get_bit(2) & self.set_mtu.val().get_bit(1)) {
            self.mtu.next = self.cfg.val().mtu;
        } else if self.is_current.val() & self.rx.val().mtu.any() {
            self.mtu.next = self.rx.val().mtu;
        } else if self.both.val() {
            self.mtu.next = self.back.val().mtu;
        }
    }
}
