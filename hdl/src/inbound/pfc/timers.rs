//! What the client asked for: a timer per class.
//!
//! In: the client port's stream. Out: `paused`, `held`, four cycles after a frame that says so; `xoff` or `xon` two
//! cycles after it, when it is about the lossless class.
//!
//! | cycle | what |
//! | --- | --- |
//! | 1 | the beat is in a register |
//! | 2 | it is known to be a PFC frame; its timers in network order |
//! | 3 | the timers run |
//! | 4 | `paused` tells of them |

use super::timer::Timer;
use crate::prim::{Lit, Swap};
use matchrdma_spec::wire::{eth, pfc};
use rust_hdl::prelude::*;

/// Bytes of a frame up to the end of its timers, and their bits.
const BYTES: usize = pfc::TIME7.end_byte();
const BITS: usize = 8 * BYTES;
/// Where the timers lie in those in network order: all of them, the last one lowest.
const TIMES_AT: u64 = pfc::TIME7.network_lsb(BITS) as u64;

/// Eight timers.
#[derive(LogicBlock, Default)]
pub struct Timers {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub tdata: Signal<In, Bits<512>>,
    pub tkeep: Signal<In, Bits<64>>,
    pub tuser: Signal<In, Bits<1>>,
    pub tlast: Signal<In, Bit>,
    pub tvalid: Signal<In, Bit>,
    pub enable: Signal<In, Bit>,
    pub pcp: Signal<In, Bits<3>>,
    pub step: Signal<In, Bits<16>>,
    pub paused: Signal<Out, Bits<8>>,
    pub held: Signal<Out, Bit>,
    pub xoff: Signal<Out, Bit>,
    pub xon: Signal<Out, Bit>,

    kind_at: Lit<16, { pfc::OPCODE.network_lsb(BITS) as u64 }>,
    kind: Lit<32, { (eth::TYPE_MAC_CONTROL as u64) << 16 | pfc::OPCODE_PFC as u64 }>,
    enable_at: Lit<16, { pfc::ENABLE.network_lsb(BITS) as u64 }>,
    times_at: Lit<16, TIMES_AT>,
    all_there: Lit<64, { (1 << BYTES) - 1 }>,
    swap: Swap<BITS>,

    in_frame: DFF<Bit>,
    is_one: DFF<Bit>,
    beat: DFF<Bits<BITS>>,
    is_kind: Signal<Local, Bits<32>>,
    whole: Signal<Local, Bits<64>>,
    loads: DFF<Bits<8>>,
    times: DFF<Bits<128>>,
    timer0: Timer,
    timer1: Timer,
    timer2: Timer,
    timer3: Timer,
    timer4: Timer,
    timer5: Timer,
    timer6: Timer,
    timer7: Timer,
    states: Signal<Local, Bits<8>>,
    mine: Signal<Local, Bits<8>>,
    ours: Signal<Local, Bits<8>>,
    asked: Signal<Local, Bits<8>>,
    far: Signal<Local, Bits<8>>,
    shifted: Signal<Local, Bits<128>>,
    our_time: Signal<Local, Bits<16>>,
    is_paused: DFF<Bits<8>>,
    is_held: DFF<Bit>,
}

impl Logic for Timers {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, in_frame, is_one, beat, loads, times);
        dff_setup!(self, clk, is_paused, is_held);
        // 1
        if self.tvalid.val() {
            self.in_frame.d.next = !self.tlast.val();
        }
        self.whole.next = self.tkeep.val() & self.all_there.val();
        self.is_one.d.next = self.tvalid.val()
            & self.tlast.val()
            & !self.in_frame.q.val()
            & !self.tuser.val().any()
            & (self.whole.val() == self.all_there.val());
        self.beat.d.next = self.tdata.val().get_bits::<BITS>(0);
        // 2
        self.swap.din.next = self.beat.q.val();
        self.is_kind.next = bit_cast::<32, BITS>(self.swap.dout.val() >> self.kind_at.val());
        self.times.d.next = bit_cast::<128, BITS>(self.swap.dout.val() >> self.times_at.val());
        self.loads.d.next = 0.into();
        if self.is_one.q.val() & self.enable.val() & (self.is_kind.val() == self.kind.val()) {
            self.loads.d.next = bit_cast::<8, BITS>(self.swap.dout.val() >> self.enable_at.val());
        }
        // 3
        self.timer0.clk.next = self.clk.val();
        self.timer0.rst.next = self.rst.val();
        self.timer0.step.next = self.step.val();
        self.timer0.load.next = self.loads.q.val().get_bit(0);
        self.timer0.quanta.next = self.times.q.val().get_bits::<16>(112);
        self.timer1.clk.next = self.clk.val();
        self.timer1.rst.next = self.rst.val();
        self.timer1.step.next = self.step.val();
        self.timer1.load.next = self.loads.q.val().get_bit(1);
        self.timer1.quanta.next = self.times.q.val().get_bits::<16>(96);
        self.timer2.clk.next = self.clk.val();
        self.timer2.rst.next = self.rst.val();
        self.timer2.step.next = self.step.val();
        self.timer2.load.next = self.loads.q.val().get_bit(2);
        self.timer2.quanta.next = self.times.q.val().get_bits::<16>(80);
        self.timer3.clk.next = self.clk.val();
        self.timer3.rst.next = self.rst.val();
        self.timer3.step.next = self.step.val();
        self.timer3.load.next = self.loads.q.val().get_bit(3);
        self.timer3.quanta.next = self.times.q.val().get_bits::<16>(64);
        self.timer4.clk.next = self.clk.val();
        self.timer4.rst.next = self.rst.val();
        self.timer4.step.next = self.step.val();
        self.timer4.load.next = self.loads.q.val().get_bit(4);
        self.timer4.quanta.next = self.times.q.val().get_bits::<16>(48);
        self.timer5.clk.next = self.clk.val();
        self.timer5.rst.next = self.rst.val();
        self.timer5.step.next = self.step.val();
        self.timer5.load.next = self.loads.q.val().get_bit(5);
        self.timer5.quanta.next = self.times.q.val().get_bits::<16>(32);
        self.timer6.clk.next = self.clk.val();
        self.timer6.rst.next = self.rst.val();
        self.timer6.step.next = self.step.val();
        self.timer6.load.next = self.loads.q.val().get_bit(6);
        self.timer6.quanta.next = self.times.q.val().get_bits::<16>(16);
        self.timer7.clk.next = self.clk.val();
        self.timer7.rst.next = self.rst.val();
        self.timer7.step.next = self.step.val();
        self.timer7.load.next = self.loads.q.val().get_bit(7);
        self.timer7.quanta.next = self.times.q.val().get_bits::<16>(0);
        self.states.next = 0.into();
        if self.timer0.runs.val() {
            self.states.next = self.states.val() | 1;
        }
        if self.timer1.runs.val() {
            self.states.next = self.states.val() | 2;
        }
        if self.timer2.runs.val() {
            self.states.next = self.states.val() | 4;
        }
        if self.timer3.runs.val() {
            self.states.next = self.states.val() | 8;
        }
        if self.timer4.runs.val() {
            self.states.next = self.states.val() | 16;
        }
        if self.timer5.runs.val() {
            self.states.next = self.states.val() | 32;
        }
        if self.timer6.runs.val() {
            self.states.next = self.states.val() | 64;
        }
        if self.timer7.runs.val() {
            self.states.next = self.states.val() | 128;
        }
        self.is_paused.d.next = self.states.val();
        self.mine.next = bits::<8>(1) << self.pcp.val();
        self.ours.next = self.states.val() & self.mine.val();
        self.is_held.d.next = self.ours.val().any();
        self.paused.next = self.is_paused.q.val();
        self.held.next = self.is_held.q.val();
        self.far.next = bit_cast::<8, 3>(self.pcp.val()) << 4;
        self.shifted.next = self.times.q.val() << self.far.val();
        self.our_time.next = self.shifted.val().get_bits::<16>(112);
        self.asked.next = self.loads.q.val() & self.mine.val();
        self.xoff.next = self.asked.val().any() & self.our_time.val().any();
        self.xon.next = self.asked.val().any() & !self.our_time.val().any();
        if self.rst.val() {
            self.in_frame.d.next = false;
            self.is_one.d.next = false;
            self.loads.d.next = 0.into();
            self.is_paused.d.next = 0.into();
            self.is_held.d.next = false;
        }
    }
}
