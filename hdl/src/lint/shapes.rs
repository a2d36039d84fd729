//! The shapes that the gate lets through, in one block, so that a test can hold their Verilog to their Rust.

use rust_hdl::prelude::*;

/// Every accepted shape that mixes widths, inversions or precedence. Combinational.
#[derive(LogicBlock, Default)]
pub struct Shapes {
    pub a: Signal<In, Bits<8>>,
    pub b: Signal<In, Bits<8>>,
    pub c: Signal<In, Bits<8>>,
    pub p: Signal<In, Bit>,
    pub q: Signal<In, Bit>,
    pub big: Signal<In, Bits<40>>,
    pub sum_widened: Signal<Out, Bits<16>>,
    pub not_widened: Signal<Out, Bits<16>>,
    pub joined: Signal<Out, Bits<24>>,
    pub narrowed_sum: Signal<Out, Bits<4>>,
    pub average: Signal<Out, Bits<8>>,
    pub masked_equal: Signal<Out, Bit>,
    pub not_bits: Signal<Out, Bit>,
    pub xor_not_equal: Signal<Out, Bit>,
    pub reduced: Signal<Out, Bits<4>>,
    pub not_reduced: Signal<Out, Bits<4>>,
    pub minus_in_brackets: Signal<Out, Bits<8>>,
    pub shifted: Signal<Out, Bits<8>>,
    pub replaced: Signal<Out, Bits<40>>,
    pub picked: Signal<Out, Bit>,
    pub taken: Signal<Out, Bits<8>>,
    pub product: Signal<Out, Bits<32>>,
    pub logical: Signal<Out, Bit>,
    pub counted: Signal<Out, Bits<8>>,
    sum: Signal<Local, Bits<8>>,
    not_a: Signal<Local, Bits<8>>,
    a16: Signal<Local, Bits<16>>,
    b16: Signal<Local, Bits<16>>,
    ones: [Signal<Local, Bits<8>>; 9],
}

impl Logic for Shapes {
    #[hdl_gen]
    fn update(&mut self) {
        self.sum.next = self.a.val() + self.b.val();
        self.not_a.next = !self.a.val();
        self.sum_widened.next = bit_cast::<16, 8>(self.sum.val());
        self.not_widened.next = bit_cast::<16, 8>(self.not_a.val());
        self.joined.next = bit_cast::<24, 8>(self.a.val()) << 16
            | bit_cast::<24, 8>(self.not_a.val()) << 8
            | bit_cast::<24, 8>(self.sum.val());
        self.narrowed_sum.next = bit_cast::<4, 8>(self.a.val() + self.b.val());
        self.average.next = self.sum.val() >> 1;
        self.masked_equal.next = (self.a.val() & self.b.val()) == self.c.val();
        self.not_bits.next = !self.p.val() & (!self.q.val() | (self.a.val() < self.b.val()));
        self.xor_not_equal.next = (self.p.val() ^ !self.q.val()) != self.p.val();
        self.reduced.next = 0.into();
        self.not_reduced.next = 0.into();
        if self.a.val().any() {
            self.reduced.next = 1.into();
        }
        if self.a.val().all() | self.b.val().xor() {
            self.reduced.next = self.reduced.val() | 2;
        }
        if !self.a.val().xor() & !self.b.val().any() | !(self.c.val() ^ self.a.val()).all() {
            self.not_reduced.next = self.not_reduced.val() + 3;
        }
        self.minus_in_brackets.next = self.a.val() - (self.b.val() ^ self.c.val()) - 1;
        self.shifted.next = (self.a.val() << bit_cast::<3, 8>(self.b.val())) ^ (self.c.val() >> 3);
        self.replaced.next = self.big.val().replace_bit(37, self.p.val());
        self.picked.next = self.big.val().get_bit(bit_cast::<5, 8>(self.a.val()).index());
        self.taken.next = self.big.val().get_bits::<8>(bit_cast::<5, 8>(self.b.val()).index());
        self.a16.next = bit_cast::<16, 8>(self.a.val()) << 8 | bit_cast::<16, 8>(self.c.val());
        self.b16.next = bit_cast::<16, 8>(self.b.val()) << 8 | bit_cast::<16, 8>(self.sum.val());
        self.product.next = self.a16.val() * self.b16.val();
        self.logical.next = (self.a.val() == 7) && self.p.val() || !self.q.val() && (self.b.val() >= self.c.val());
        self.ones[0].next = 0.into();
        for i in 0..8 {
            self.ones[i + 1].next = self.ones[i].val();
            if self.a.val().get_bit(i) {
                self.ones[i + 1].next = self.ones[i].val() + 1;
            }
        }
        self.counted.next = self.ones[8].val();
    }
}
