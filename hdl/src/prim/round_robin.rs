//! Taking turns: which of those that want is next.

use rust_hdl::prelude::*;

/// `index` is the first that wants behind the one taken last, in a ring of `N`; `any`: there is one. No latency.
/// `take` is looked at when `any` is up. Out of reset the turn is at 0.
#[derive(LogicBlock, Default)]
pub struct RoundRobin<const N: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub want: Signal<In, Bits<N>>,
    pub take: Signal<In, Bit>,
    pub any: Signal<Out, Bit>,
    pub index: Signal<Out, Bits<B>>,
    encoder: Encoder<N, B>,
    /// Those in front of the turn's end; inverted, so that reset is zero.
    passed: DFF<Bits<N>>,
    ahead: Signal<Local, Bits<N>>,
    not_ahead: Signal<Local, Bits<N>>,
    not_want: Signal<Local, Bits<N>>,
    minus_ahead: Signal<Local, Bits<N>>,
    minus_want: Signal<Local, Bits<N>>,
    one_hot: Signal<Local, Bits<N>>,
    below: Signal<Local, Bits<N>>,
}

impl<const N: usize, const B: usize> Logic for RoundRobin<N, B> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, passed);
        // A carry chain finds the lowest bit: `x & -x`.
        self.ahead.next = self.want.val() & !self.passed.q.val();
        self.not_ahead.next = !self.ahead.val();
        self.not_want.next = !self.want.val();
        self.minus_ahead.next = self.not_ahead.val() + 1;
        self.minus_want.next = self.not_want.val() + 1;
        self.one_hot.next = self.want.val() & self.minus_want.val();
        if self.ahead.val().any() {
            self.one_hot.next = self.ahead.val() & self.minus_ahead.val();
        }
        self.encoder.one_hot.next = self.one_hot.val();
        self.index.next = self.encoder.index.val();
        self.any.next = self.want.val().any();
        self.below.next = self.one_hot.val() - 1;
        if self.take.val() & self.want.val().any() {
            self.passed.d.next = self.one_hot.val() | self.below.val();
        }
        if self.rst.val() {
            self.passed.d.next = 0.into();
        }
    }
}

/// The place of the one bit that is set; zero without one. No latency.
#[derive(LogicBlock, Default)]
pub struct Encoder<const N: usize, const B: usize> {
    pub one_hot: Signal<In, Bits<N>>,
    pub index: Signal<Out, Bits<B>>,
}

impl<const N: usize, const B: usize> Logic for Encoder<N, B> {
    fn update(&mut self) {
        let hot = self.one_hot.val();
        self.index.next = bits((0..N).filter(|&i| hot.get_bit(i)).fold(0, |index, i| index | i as u64));
    }

    fn connect(&mut self) {
        self.index.connect();
    }

    fn hdl(&self) -> Verilog {
        let bit = |b: usize| {
            let inputs: Vec<_> = (0..N).filter(|i| i >> b & 1 == 1).map(|i| format!("one_hot[{i}]")).collect();
            if inputs.is_empty() {
                "1'b0".into()
            } else {
                format!("|{{{}}}", inputs.join(", "))
            }
        };
        let bits: Vec<String> = (0..B).rev().map(bit).collect();
        Verilog::Custom(format!("always @(*) index = {{{}}};", bits.join(", ")))
    }
}

/// Bit number `index` when `on`, else none. No latency.
#[derive(LogicBlock, Default)]
pub struct Decoder<const N: usize, const B: usize> {
    pub on: Signal<In, Bit>,
    pub index: Signal<In, Bits<B>>,
    pub one_hot: Signal<Out, Bits<N>>,
    unit: Signal<Local, Bits<N>>,
}

impl<const N: usize, const B: usize> Logic for Decoder<N, B> {
    #[hdl_gen]
    fn update(&mut self) {
        self.unit.next = 0.into();
        if self.on.val() {
            self.unit.next = 1.into();
        }
        self.one_hot.next = self.unit.val() << self.index.val();
    }
}

/// `N` counters from 0 to 8, told by three flags each. `up` and `down` of one may come together.
///
/// They are kept bit-sliced: four vectors of `N`, so that all count in a few word operations.
#[derive(LogicBlock, Default)]
pub struct Eights<const N: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub up: Signal<In, Bits<N>>,
    pub down: Signal<In, Bits<N>>,
    /// Not zero.
    pub some: Signal<Out, Bits<N>>,
    pub one: Signal<Out, Bits<N>>,
    /// Eight.
    pub full: Signal<Out, Bits<N>>,
    bit0: DFF<Bits<N>>,
    bit1: DFF<Bits<N>>,
    bit2: DFF<Bits<N>>,
    bit3: DFF<Bits<N>>,
    more: Signal<Local, Bits<N>>,
    less: Signal<Local, Bits<N>>,
    carry1: Signal<Local, Bits<N>>,
    carry2: Signal<Local, Bits<N>>,
    carry3: Signal<Local, Bits<N>>,
    borrow1: Signal<Local, Bits<N>>,
    borrow2: Signal<Local, Bits<N>>,
    borrow3: Signal<Local, Bits<N>>,
}

impl<const N: usize> Logic for Eights<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, bit0, bit1, bit2, bit3);
        self.more.next = self.up.val() & !self.down.val();
        self.less.next = self.down.val() & !self.up.val();
        self.carry1.next = self.more.val() & self.bit0.q.val();
        self.carry2.next = self.carry1.val() & self.bit1.q.val();
        self.carry3.next = self.carry2.val() & self.bit2.q.val();
        self.borrow1.next = self.less.val() & !self.bit0.q.val();
        self.borrow2.next = self.borrow1.val() & !self.bit1.q.val();
        self.borrow3.next = self.borrow2.val() & !self.bit2.q.val();
        self.bit0.d.next = self.bit0.q.val() ^ self.more.val() ^ self.less.val();
        self.bit1.d.next = self.bit1.q.val() ^ self.carry1.val() ^ self.borrow1.val();
        self.bit2.d.next = self.bit2.q.val() ^ self.carry2.val() ^ self.borrow2.val();
        self.bit3.d.next = self.bit3.q.val() ^ self.carry3.val() ^ self.borrow3.val();
        self.some.next = self.bit0.q.val() | self.bit1.q.val() | self.bit2.q.val() | self.bit3.q.val();
        self.one.next = self.bit0.q.val() & !self.bit1.q.val() & !self.bit2.q.val() & !self.bit3.q.val();
        self.full.next = self.bit3.q.val();
        if self.rst.val() {
            self.bit0.d.next = 0.into();
            self.bit1.d.next = 0.into();
            self.bit2.d.next = 0.into();
            self.bit3.d.next = 0.into();
        }
    }
}
