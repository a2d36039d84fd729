//! Beside the rail: **psn_count**. How many PSNs a request takes, and path MTU codes.
//!
//! In with an op, at cycle t: `read`, `reth_len`, `psn`. In at t + 1: `mtu`, the flow's MTU code (0 unknown, 1..5 =
//! 256..4096). Out at t + 1: `last`, the last PSN the op takes; `after`, the one behind it; `long`, a READ of more than
//! one PSN at the smallest MTU.
//! A READ takes max(1, ceil(len / mtu)) PSNs. All but the first are (len - 1) >> log2(mtu). The sums for all five MTUs
//! are made while the flow's own is still being found, which then only chooses.
//! Model: `model::track`. Tests: those of `track`.

use matchrdma_spec::params::{PSN_BITS, READ_UNKNOWN_MTU_MAX_BYTES};
use rust_hdl::prelude::*;

/// The counter.
#[derive(LogicBlock)]
pub struct PsnCount {
    pub clk: Signal<In, Clock>,
    pub read: Signal<In, Bit>,
    pub reth_len: Signal<In, Bits<32>>,
    pub psn: Signal<In, Bits<PSN_BITS>>,
    pub mtu: Signal<In, Bits<3>>,
    pub last: Signal<Out, Bits<PSN_BITS>>,
    pub after: Signal<Out, Bits<PSN_BITS>>,
    pub long: Signal<Out, Bit>,
    /// Offset of the last byte that is read; 0 when nothing is.
    last_byte: DFF<Bits<32>>,
    is_long: DFF<Bit>,
    first: DFF<Bits<PSN_BITS>>,
    second: DFF<Bits<PSN_BITS>>,
    less: Signal<Local, Bits<32>>,
    last_256: Signal<Local, Bits<PSN_BITS>>,
    last_512: Signal<Local, Bits<PSN_BITS>>,
    last_1024: Signal<Local, Bits<PSN_BITS>>,
    last_2048: Signal<Local, Bits<PSN_BITS>>,
    last_4096: Signal<Local, Bits<PSN_BITS>>,
    after_256: Signal<Local, Bits<PSN_BITS>>,
    after_512: Signal<Local, Bits<PSN_BITS>>,
    after_1024: Signal<Local, Bits<PSN_BITS>>,
    after_2048: Signal<Local, Bits<PSN_BITS>>,
    after_4096: Signal<Local, Bits<PSN_BITS>>,
    more_256: Signal<Local, Bits<PSN_BITS>>,
    more_512: Signal<Local, Bits<PSN_BITS>>,
    more_1024: Signal<Local, Bits<PSN_BITS>>,
    more_2048: Signal<Local, Bits<PSN_BITS>>,
    more_4096: Signal<Local, Bits<PSN_BITS>>,
    unknown_max: Constant<Bits<32>>,
}

impl Default for PsnCount {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            read: Default::default(),
            reth_len: Default::default(),
            psn: Default::default(),
            mtu: Default::default(),
            last: Default::default(),
            after: Default::default(),
            long: Default::default(),
            last_byte: Default::default(),
            is_long: Default::default(),
            first: Default::default(),
            second: Default::default(),
            less: Default::default(),
            last_256: Default::default(),
            last_512: Default::default(),
            last_1024: Default::default(),
            last_2048: Default::default(),
            last_4096: Default::default(),
            after_256: Default::default(),
            after_512: Default::default(),
            after_1024: Default::default(),
            after_2048: Default::default(),
            after_4096: Default::default(),
            more_256: Default::default(),
            more_512: Default::default(),
            more_1024: Default::default(),
            more_2048: Default::default(),
            more_4096: Default::default(),
            unknown_max: Constant::new(bits(READ_UNKNOWN_MTU_MAX_BYTES as u64)),
        }
    }
}

impl Logic for PsnCount {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, last_byte, is_long, first, second);
        self.less.next = self.reth_len.val() - 1;
        self.last_byte.d.next = 0.into();
        if self.read.val() & self.reth_len.val().any() {
            self.last_byte.d.next = self.less.val();
        }
        self.is_long.d.next = self.read.val() & (self.reth_len.val() > self.unknown_max.val());
        self.first.d.next = self.psn.val();
        self.second.d.next = self.psn.val() + 1;

        self.more_256.next = self.last_byte.q.val().get_bits::<PSN_BITS>(8);
        self.more_512.next = bit_cast::<24, 23>(self.last_byte.q.val().get_bits::<23>(9));
        self.more_1024.next = bit_cast::<24, 22>(self.last_byte.q.val().get_bits::<22>(10));
        self.more_2048.next = bit_cast::<24, 21>(self.last_byte.q.val().get_bits::<21>(11));
        self.more_4096.next = bit_cast::<24, 20>(self.last_byte.q.val().get_bits::<20>(12));
        self.last_256.next = self.first.q.val() + self.more_256.val();
        self.after_256.next = self.second.q.val() + self.more_256.val();
        self.last_512.next = self.first.q.val() + self.more_512.val();
        self.after_512.next = self.second.q.val() + self.more_512.val();
        self.last_1024.next = self.first.q.val() + self.more_1024.val();
        self.after_1024.next = self.second.q.val() + self.more_1024.val();
        self.last_2048.next = self.first.q.val() + self.more_2048.val();
        self.after_2048.next = self.second.q.val() + self.more_2048.val();
        self.last_4096.next = self.first.q.val() + self.more_4096.val();
        self.after_4096.next = self.second.q.val() + self.more_4096.val();
        self.last.next = self.first.q.val();
        self.after.next = self.second.q.val();
        match self.mtu.val().index() {
            1 => {
                self.last.next = self.last_256.val();
                self.after.next = self.after_256.val();
            }
            2 => {
                self.last.next = self.last_512.val();
                self.after.next = self.after_512.val();
            }
            3 => {
                self.last.next = self.last_1024.val();
                self.after.next = self.after_1024.val();
            }
            4 => {
                self.last.next = self.last_2048.val();
                self.after.next = self.after_2048.val();
            }
            5 => {
                self.last.next = self.last_4096.val();
                self.after.next = self.after_4096.val();
            }
            _ => {
                self.last.next = self.first.q.val();
                self.after.next = self.second.q.val();
            }
        }
        self.long.next = self.is_long.q.val();
    }
}

/// The MTU code of a payload that is exactly one path MTU long, else 0.
#[derive(LogicBlock, Default)]
pub struct MtuCode {
    pub payload: Signal<In, Bits<16>>,
    pub code: Signal<Out, Bits<3>>,
}

impl Logic for MtuCode {
    #[hdl_gen]
    fn update(&mut self) {
        self.code.next = 0.into();
        match self.payload.val().index() {
            256 => self.code.next = 1.into(),
            512 => self.code.next = 2.into(),
            1024 => self.code.next = 3.into(),
            2048 => self.code.next = 4.into(),
            4096 => self.code.next = 5.into(),
            _ => self.code.next = 0.into(),
        }
    }
}
