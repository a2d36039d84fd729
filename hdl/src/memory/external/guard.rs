//! Beside **external memory**: what the host asks for, taken whole or refused.
//!
//! In: where the rings shall be, what memory there is, `enable`. Out: the rings' places, `on`, and why not.
//! Latency: one cycle. Model: none, the codes are in `spec`. Tests: `tests/inbound/egress_external.rs`. Registers: none yet.

use crate::prim::Lit;
use matchrdma_spec::params::*;
use rust_hdl::prelude::*;

/// Looks once, when `enable` comes up, and stays with what it found until `enable` goes down; but memory that is ready no
/// longer turns it off. Settings are taken only while `empty`. Index 0: the lossless class, 1: the rest.
#[derive(LogicBlock, Default)]
pub struct Guard {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub enable: Signal<In, Bit>,
    /// First byte, and KiB as log2.
    pub base: [Signal<In, Bits<40>>; 2],
    pub size: [Signal<In, Bits<5>>; 2],
    /// The memory is this many KiB, and is calibrated.
    pub memory_kib: Signal<In, Bits<30>>,
    pub memory_ready: Signal<In, Bit>,
    pub empty: Signal<In, Bit>,
    pub on: Signal<Out, Bit>,
    pub status: Signal<Out, Bits<3>>,
    pub base_kib: [Signal<Out, Bits<30>>; 2],
    pub mask: [Signal<Out, Bits<22>>; 2],
    was: DFF<Bit>,
    is_on: DFF<Bit>,
    code: DFF<Bits<3>>,
    base0: DFF<Bits<30>>,
    base1: DFF<Bits<30>>,
    mask0: DFF<Bits<22>>,
    mask1: DFF<Bits<22>>,
    begin0: Signal<Local, Bits<32>>,
    begin1: Signal<Local, Bits<32>>,
    blocks0: Signal<Local, Bits<32>>,
    blocks1: Signal<Local, Bits<32>>,
    end0: Signal<Local, Bits<32>>,
    end1: Signal<Local, Bits<32>>,
    less0: Signal<Local, Bits<32>>,
    less1: Signal<Local, Bits<32>>,
    odd: Signal<Local, Bits<10>>,
    found: Signal<Local, Bits<3>>,
    one: Lit<32, 1>,
    smallest: Lit<5, { MEMORY_RING_KIB_LOG2_MIN }>,
    largest: Lit<5, { MEMORY_RING_KIB_LOG2_MAX }>,
    off_code: Lit<3, MEMORY_OFF>,
    on_code: Lit<3, MEMORY_ON>,
    misaligned: Lit<3, MEMORY_MISALIGNED>,
    too_small: Lit<3, MEMORY_SMALL>,
    not_ready: Lit<3, MEMORY_NOT_READY>,
    holds: Lit<3, MEMORY_HOLDS>,
    bad_size: Lit<3, MEMORY_SIZE>,
    overlap: Lit<3, MEMORY_OVERLAP>,
}

impl Logic for Guard {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, was, is_on, code, base0, base1, mask0, mask1);
        self.begin0.next = bit_cast::<32, 30>(self.base[0].val().get_bits::<30>(10));
        self.begin1.next = bit_cast::<32, 30>(self.base[1].val().get_bits::<30>(10));
        self.blocks0.next = self.one.val() << bit_cast::<32, 5>(self.size[0].val());
        self.blocks1.next = self.one.val() << bit_cast::<32, 5>(self.size[1].val());
        self.end0.next = self.begin0.val() + self.blocks0.val();
        self.end1.next = self.begin1.val() + self.blocks1.val();
        self.less0.next = self.blocks0.val() - 1;
        self.less1.next = self.blocks1.val() - 1;
        self.odd.next = self.base[0].val().get_bits::<10>(0) | self.base[1].val().get_bits::<10>(0);

        self.found.next = self.on_code.val();
        if !self.memory_ready.val() {
            self.found.next = self.not_ready.val();
        } else if !self.empty.val() {
            self.found.next = self.holds.val();
        } else if self.odd.val().any() {
            self.found.next = self.misaligned.val();
        } else if (self.size[0].val() < self.smallest.val())
            | (self.size[1].val() < self.smallest.val())
            | (self.size[0].val() > self.largest.val())
            | (self.size[1].val() > self.largest.val())
        {
            self.found.next = self.bad_size.val();
        } else if (self.end0.val() > bit_cast::<32, 30>(self.memory_kib.val()))
            | (self.end1.val() > bit_cast::<32, 30>(self.memory_kib.val()))
        {
            self.found.next = self.too_small.val();
        } else if (self.begin0.val() < self.end1.val()) & (self.begin1.val() < self.end0.val()) {
            self.found.next = self.overlap.val();
        }

        self.was.d.next = self.enable.val();
        if self.enable.val() & !self.was.q.val() {
            self.code.d.next = self.found.val();
            if self.found.val() == self.on_code.val() {
                self.is_on.d.next = true;
                self.base0.d.next = bit_cast::<30, 32>(self.begin0.val());
                self.base1.d.next = bit_cast::<30, 32>(self.begin1.val());
                self.mask0.d.next = bit_cast::<22, 32>(self.less0.val());
                self.mask1.d.next = bit_cast::<22, 32>(self.less1.val());
            }
        }
        if self.is_on.q.val() & !self.memory_ready.val() {
            self.is_on.d.next = false;
            self.code.d.next = self.not_ready.val();
        }
        if !self.enable.val() {
            self.is_on.d.next = false;
            self.code.d.next = self.off_code.val();
        }
        self.on.next = self.is_on.q.val();
        self.status.next = self.code.q.val();
        self.base_kib[0].next = self.base0.q.val();
        self.base_kib[1].next = self.base1.q.val();
        self.mask[0].next = self.mask0.q.val();
        self.mask[1].next = self.mask1.q.val();
        if self.rst.val() {
            self.was.d.next = false;
            self.is_on.d.next = false;
            self.code.d.next = self.off_code.val();
        }
    }
}
