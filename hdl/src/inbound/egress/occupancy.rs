//! Beside [egress](super): what it holds of each path.
//!
//! In: lossless frames as they are committed, and as their last beat leaves; both may be in one cycle, of one path.
//! Out: bytes of the path that is asked for, in the same cycle, and of another one whether there are some; bytes of no
//! path; `any`, frames of a path are here.
//! Latency: a frame that comes or leaves in one cycle counts two cycles later.
//! Model: `model::egress`. Tests: `tests/inbound/egress.rs`. Registers: none.
//!
//! Per path a total of what came and one of what left, each with a writer of its own: the difference is what is here.
//! Totals are modulo 2^24, more than the memory can hold, overheads and all.

use crate::prim::LutRam;
use matchrdma_spec::params::{DESCRIPTORS, RING_BYTES};
use rust_hdl::prelude::*;

const _: () = assert!(RING_BYTES + DESCRIPTORS * 255 < 1 << 24);

/// Bytes count with the `overhead` of their frame. For 16 cycles after `rst` nothing may come.
#[derive(LogicBlock, Default)]
pub struct Occupancy {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub overhead: Signal<In, Bits<8>>,
    pub came_valid: Signal<In, Bit>,
    pub came_queue: Signal<In, Bits<5>>,
    pub came_bytes: Signal<In, Bits<14>>,
    pub left_valid: Signal<In, Bit>,
    pub left_queue: Signal<In, Bits<5>>,
    pub left_bytes: Signal<In, Bits<14>>,
    pub ask_path: Signal<In, Bits<4>>,
    pub told: Signal<Out, Bits<24>>,
    pub here_path: Signal<In, Bits<4>>,
    pub here: Signal<Out, Bit>,
    pub stray: Signal<Out, Bits<24>>,
    pub any: Signal<Out, Bit>,
    comes: DFF<Bit>,
    comes_queue: DFF<Bits<5>>,
    comes_bytes: DFF<Bits<14>>,
    leaves: DFF<Bit>,
    leaves_queue: DFF<Bits<5>>,
    leaves_bytes: DFF<Bits<14>>,
    plus: Signal<Local, Bits<24>>,
    minus: Signal<Local, Bits<24>>,
    came: LutRam<24, 4>,
    came_of_ask: LutRam<24, 4>,
    came_of_here: LutRam<24, 4>,
    left: LutRam<24, 4>,
    left_of_ask: LutRam<24, 4>,
    left_of_here: LutRam<24, 4>,
    astray: DFF<Bits<24>>,
    stray_plus: Signal<Local, Bits<24>>,
    stray_minus: Signal<Local, Bits<24>>,
    frames: DFF<Bits<16>>,
    one_more: Signal<Local, Bit>,
    one_less: Signal<Local, Bit>,
    /// Counts from `rst`: the tables are cleared.
    cleared: DFF<Bits<5>>,
    clears: Signal<Local, Bit>,
    zero: Signal<Local, Bits<24>>,
}

impl Logic for Occupancy {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, comes, comes_queue, comes_bytes, leaves, leaves_queue, leaves_bytes);
        dff_setup!(self, clk, astray, frames, cleared);
        self.came.clk.next = self.clk.val();
        self.came_of_ask.clk.next = self.clk.val();
        self.left.clk.next = self.clk.val();
        self.left_of_ask.clk.next = self.clk.val();
        self.came_of_here.clk.next = self.clk.val();
        self.left_of_here.clk.next = self.clk.val();
        self.comes.d.next = self.came_valid.val();
        self.comes_queue.d.next = self.came_queue.val();
        self.comes_bytes.d.next = self.came_bytes.val();
        self.leaves.d.next = self.left_valid.val();
        self.leaves_queue.d.next = self.left_queue.val();
        self.leaves_bytes.d.next = self.left_bytes.val();

        // The paths.
        self.plus.next = bit_cast::<24, 14>(self.comes_bytes.q.val()) + bit_cast::<24, 8>(self.overhead.val());
        self.minus.next = bit_cast::<24, 14>(self.leaves_bytes.q.val()) + bit_cast::<24, 8>(self.overhead.val());
        self.one_more.next = self.comes.q.val() & !self.comes_queue.q.val().get_bit(4);
        self.one_less.next = self.leaves.q.val() & !self.leaves_queue.q.val().get_bit(4);
        self.came.raddr.next = bit_cast::<4, 5>(self.comes_queue.q.val());
        self.came.we.next = self.one_more.val();
        self.came.waddr.next = bit_cast::<4, 5>(self.comes_queue.q.val());
        self.came.wdata.next = self.came.rdata.val() + self.plus.val();
        self.left.raddr.next = bit_cast::<4, 5>(self.leaves_queue.q.val());
        self.left.we.next = self.one_less.val();
        self.left.waddr.next = bit_cast::<4, 5>(self.leaves_queue.q.val());
        self.left.wdata.next = self.left.rdata.val() + self.minus.val();
        self.zero.next = 0.into();
        self.clears.next = !self.cleared.q.val().get_bit(4);
        if self.clears.val() {
            self.cleared.d.next = self.cleared.q.val() + 1;
            self.came.we.next = true;
            self.came.waddr.next = bit_cast::<4, 5>(self.cleared.q.val());
            self.came.wdata.next = self.zero.val();
            self.left.we.next = true;
            self.left.waddr.next = bit_cast::<4, 5>(self.cleared.q.val());
            self.left.wdata.next = self.zero.val();
        }
        self.came_of_ask.we.next = self.came.we.val();
        self.came_of_ask.waddr.next = self.came.waddr.val();
        self.came_of_ask.wdata.next = self.came.wdata.val();
        self.left_of_ask.we.next = self.left.we.val();
        self.left_of_ask.waddr.next = self.left.waddr.val();
        self.left_of_ask.wdata.next = self.left.wdata.val();
        self.came_of_ask.raddr.next = self.ask_path.val();
        self.left_of_ask.raddr.next = self.ask_path.val();
        self.came_of_here.we.next = self.came.we.val();
        self.came_of_here.waddr.next = self.came.waddr.val();
        self.came_of_here.wdata.next = self.came.wdata.val();
        self.left_of_here.we.next = self.left.we.val();
        self.left_of_here.waddr.next = self.left.waddr.val();
        self.left_of_here.wdata.next = self.left.wdata.val();
        self.came_of_here.raddr.next = self.here_path.val();
        self.left_of_here.raddr.next = self.here_path.val();
        self.here.next = self.came_of_here.rdata.val() != self.left_of_here.rdata.val();
        self.told.next = self.came_of_ask.rdata.val() - self.left_of_ask.rdata.val();

        // No path; and how many frames.
        self.stray_plus.next = 0.into();
        self.stray_minus.next = 0.into();
        if self.comes.q.val() & self.comes_queue.q.val().get_bit(4) {
            self.stray_plus.next = self.plus.val();
        }
        if self.leaves.q.val() & self.leaves_queue.q.val().get_bit(4) {
            self.stray_minus.next = self.minus.val();
        }
        self.astray.d.next = self.astray.q.val() + self.stray_plus.val() - self.stray_minus.val();
        self.stray.next = self.astray.q.val();
        if self.one_more.val() & !self.one_less.val() {
            self.frames.d.next = self.frames.q.val() + 1;
        }
        if self.one_less.val() & !self.one_more.val() {
            self.frames.d.next = self.frames.q.val() - 1;
        }
        self.any.next = self.frames.q.val().any();
        if self.rst.val() {
            self.comes.d.next = false;
            self.leaves.d.next = false;
            self.astray.d.next = 0.into();
            self.frames.d.next = 0.into();
            self.cleared.d.next = 0.into();
        }
    }
}
