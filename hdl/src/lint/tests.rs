//! Each shape that prints as other Verilog is planted and must be refused, for the right reason; its way out must pass.

use super::lint;
use rust_hdl::prelude::*;

const OTHER: u64 = 3;

#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Mood {
    Good,
    Bad,
}

#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
struct Pair {
    low: Bits<8>,
    high: Bits<8>,
}

/// A block with this kernel over a fixed set of signals, and what the gate says of it.
macro_rules! complaints {
    ($($kernel:tt)*) => {{
        #[derive(LogicBlock, Default)]
        struct Planted {
            pub clk: Signal<In, Clock>,
            pub a: Signal<In, Bits<8>>,
            pub b: Signal<In, Bits<8>>,
            pub c: Signal<In, Bits<8>>,
            pub p: Signal<In, Bit>,
            pub one: Signal<In, Bits<1>>,
            pub m: Signal<In, Mood>,
            pub pair: Signal<In, Pair>,
            pub o: Signal<Out, Bits<8>>,
            pub wide: Signal<Out, Bits<16>>,
            pub yes: Signal<Out, Bit>,
            pub nibble: Signal<Out, Bits<4>>,
            t: Signal<Local, Bits<8>>,
            v: Signal<Local, Bits<8>>,
            row: [Signal<Local, Bits<8>>; 2],
            grid: [[Signal<Local, Bits<8>>; 2]; 2],
            r: DFF<Bits<8>>,
        }
        impl Logic for Planted {
            $($kernel)*
        }
        lint(&Planted::default(), "planted")
    }};
}

macro_rules! refused {
    ($name:ident: $reason:literal; $($kernel:tt)*) => {
        #[test]
        fn $name() {
            let found = complaints!($($kernel)*);
            assert!(found.iter().any(|c| c.contains($reason)), "expected \"{}\", found {found:#?}", $reason);
        }
    };
}

macro_rules! passed {
    ($name:ident; $($kernel:tt)*) => {
        #[test]
        fn $name() {
            assert_eq!(complaints!($($kernel)*), Vec::<String>::new());
        }
    };
}

refused! { a_widened_sum: "bit_cast: the operand may carry";
    #[hdl_gen] fn update(&mut self) {
        self.wide.next = bit_cast::<16, 8>(self.a.val() + self.b.val());
    }
}
refused! { a_widened_difference: "bit_cast: the operand may carry";
    #[hdl_gen] fn update(&mut self) {
        self.wide.next = bit_cast::<16, 8>(self.a.val() - self.b.val());
    }
}
refused! { a_widened_inversion: "bit_cast: the operand may carry";
    #[hdl_gen] fn update(&mut self) {
        self.wide.next = bit_cast::<16, 8>(!self.a.val());
    }
}
refused! { a_widened_shift: "bit_cast: the operand may carry";
    #[hdl_gen] fn update(&mut self) {
        self.wide.next = bit_cast::<16, 8>(self.a.val() << 4);
    }
}
refused! { a_widened_inversion_in_brackets: "bit_cast: the operand may carry";
    #[hdl_gen] fn update(&mut self) {
        self.wide.next = bit_cast::<16, 8>(self.a.val() & (!self.b.val()));
    }
}
refused! { a_mask_beside_a_comparison: "bracket the `& ^ |`";
    #[hdl_gen] fn update(&mut self) {
        self.yes.next = self.a.val() & self.b.val() == self.c.val();
    }
}
refused! { a_mask_behind_a_comparison: "bracket the `& ^ |`";
    #[hdl_gen] fn update(&mut self) {
        self.yes.next = self.c.val() != self.a.val() | self.b.val();
    }
}
refused! { an_inverted_bit_against_a_number: "comparison of `!bit` with a wide literal";
    #[hdl_gen] fn update(&mut self) {
        self.yes.next = !self.one.val() == 0;
    }
}
refused! { a_sum_compared: "comparison: the operand may carry";
    #[hdl_gen] fn update(&mut self) {
        self.yes.next = (self.a.val() + 1) == self.b.val();
    }
}
refused! { a_difference_compared: "comparison: the operand may carry";
    #[hdl_gen] fn update(&mut self) {
        self.yes.next = (self.a.val() - self.b.val()) < 16;
    }
}
refused! { a_sum_shifted_down: ">>: the operand may carry";
    #[hdl_gen] fn update(&mut self) {
        self.o.next = (self.a.val() + self.b.val()) >> 1;
    }
}
refused! { bits_shifted_up_and_down: ">>: the operand may carry";
    #[hdl_gen] fn update(&mut self) {
        self.o.next = (self.a.val() << 4) >> 4;
    }
}
refused! { any_bit_of_a_sum: "reduction: the operand may carry";
    #[hdl_gen] fn update(&mut self) {
        self.yes.next = (self.a.val() + self.b.val()).any();
    }
}
refused! { all_bits_of_an_inversion: "reduction: the operand may carry";
    #[hdl_gen] fn update(&mut self) {
        self.yes.next = (self.a.val() & (!self.b.val())).all() & self.p.val() & (!self.a.val()).any();
    }
}
refused! { an_index_that_carries: "index: the operand may carry";
    #[hdl_gen] fn update(&mut self) {
        self.yes.next = self.a.val().get_bit((self.b.val() + self.c.val()).index());
    }
}
refused! { an_inverted_bit_put_in_place: "replace_bit: the value is widened";
    #[hdl_gen] fn update(&mut self) {
        self.o.next = self.a.val().replace_bit(3, !self.p.val());
    }
}
refused! { a_rust_const: "is no signal of this module";
    #[hdl_gen] fn update(&mut self) {
        self.yes.next = self.a.val() == OTHER;
    }
}
refused! { a_slice_of_an_expression: "a slice of an expression";
    #[hdl_gen] fn update(&mut self) {
        self.nibble.next = (self.a.val() ^ self.b.val()).get_bits::<4>(4);
    }
}
refused! { a_slice_of_a_slice: "a slice of an expression";
    #[hdl_gen] fn update(&mut self) {
        self.nibble.next = self.a.val().get_bits::<6>(0).get_bits::<4>(2);
    }
}
refused! { a_two_dimensional_array: "is no signal of this module";
    #[hdl_gen] fn update(&mut self) {
        for i in 0..2 {
            self.grid[i][0].next = self.a.val();
        }
    }
}
refused! { a_number_too_big_for_its_signal: "does not fit the 8 bits";
    #[hdl_gen] fn update(&mut self) {
        self.yes.next = self.a.val() == 0x100;
    }
}
refused! { a_local_read_before_it_is_written: "`t` is read before it is written";
    #[hdl_gen] fn update(&mut self) {
        self.o.next = self.t.val();
        self.t.next = self.a.val();
    }
}
refused! { a_test_of_a_local_before_it_is_written: "`t` is read before it is written";
    #[hdl_gen] fn update(&mut self) {
        self.o.next = self.a.val();
        if self.t.val().any() {
            self.o.next = self.b.val();
        }
        self.t.next = self.a.val();
    }
}
refused! { a_register_input_read_before_it_is_written: "`r$d` is read before it is written";
    #[hdl_gen] fn update(&mut self) {
        self.o.next = self.r.d.val();
        self.r.d.next = self.a.val();
    }
}
refused! { a_match_on_an_inverted_bit: "match: labels are wider";
    #[hdl_gen] fn update(&mut self) {
        self.o.next = self.a.val();
        match !self.m.val() {
            Mood::Good => self.o.next = self.b.val(),
            _ => self.o.next = self.c.val(),
        }
    }
}

impl std::ops::Not for Mood {
    type Output = Mood;
    fn not(self) -> Mood {
        if self == Mood::Good {
            Mood::Bad
        } else {
            Mood::Good
        }
    }
}

passed! { results_given_to_locals_of_their_width;
    #[hdl_gen] fn update(&mut self) {
        self.t.next = self.a.val() + self.b.val();
        self.v.next = !self.a.val();
        self.wide.next = bit_cast::<16, 8>(self.t.val()) << 8 | bit_cast::<16, 8>(self.v.val());
        self.yes.next = (self.t.val() == self.c.val()) & (self.v.val() < 16) & !self.p.val();
        self.o.next = self.t.val() >> 1;
        self.nibble.next = self.v.val().get_bits::<4>(2);
    }
}
passed! { brackets_beside_a_comparison;
    #[hdl_gen] fn update(&mut self) {
        self.yes.next = (self.a.val() & self.b.val()) == self.c.val();
    }
}
passed! { bits_of_one_width_under_an_if;
    #[hdl_gen] fn update(&mut self) {
        dff_setup!(self, clk, r);
        self.o.next = 0.into();
        if !self.p.val() & (self.a.val() == self.b.val()) {
            self.o.next = self.r.q.val() + 1;
        }
        self.r.d.next = self.a.val();
    }
}
passed! { an_enum_and_a_record;
    #[hdl_gen] fn update(&mut self) {
        self.o.next = self.pair.val().low;
        match self.m.val() {
            Mood::Good => self.o.next = self.pair.val().high,
            _ => self.o.next = self.a.val(),
        }
    }
}
passed! { an_array_in_a_loop;
    #[hdl_gen] fn update(&mut self) {
        for i in 0..2 {
            self.row[i].next = self.a.val() + self.b.val();
        }
        self.o.next = self.row[1].val();
    }
}

#[test]
fn a_word_of_verilog_as_a_name() {
    #[derive(LogicBlock, Default)]
    struct Named {
        pub table: Signal<In, Bit>,
        pub before: Signal<In, Bit>,
        pub cross: Signal<In, Bit>,
        pub packed: Signal<In, Bit>,
        pub s_always: Signal<In, Bit>,
        pub o: Signal<Out, Bit>,
    }
    impl Logic for Named {
        #[hdl_gen]
        fn update(&mut self) {
            self.o.next =
                self.table.val() & self.before.val() & self.cross.val() & self.packed.val() & self.s_always.val();
        }
    }
    let complaints = lint(&Named::default(), "named");
    for word in ["table", "before", "cross", "packed", "s_always"] {
        let expected = format!("`{word}` is a word of Verilog");
        assert!(complaints.iter().any(|c| c.contains(&expected)), "{word}: {complaints:?}");
    }
}

#[test]
fn a_word_of_verilog_as_the_name_of_a_part() {
    #[derive(LogicBlock, Default)]
    struct Holder {
        pub clk: Signal<In, Clock>,
        pub o: Signal<Out, Bit>,
        inside: DFF<Bit>,
    }
    impl Logic for Holder {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clk, inside);
            self.inside.d.next = !self.inside.q.val();
            self.o.next = self.inside.q.val();
        }
    }
    assert!(lint(&Holder::default(), "holder").iter().any(|c| c.contains("`inside` is a word of Verilog")));
}

#[test]
fn a_signed_field() {
    #[derive(LogicBlock, Default)]
    struct Arithmetic {
        pub a: Signal<In, Signed<8>>,
        pub o: Signal<Out, Signed<8>>,
    }
    impl Logic for Arithmetic {
        #[hdl_gen]
        fn update(&mut self) {
            self.o.next = self.a.val();
        }
    }
    assert!(lint(&Arithmetic::default(), "arithmetic").iter().any(|c| c.contains("is Signed")));
}

#[test]
fn an_index_with_a_name_of_rust() {
    #[derive(LogicBlock, Default)]
    struct Indexed<const N: usize> {
        pub a: Signal<In, Bits<8>>,
        pub o: Signal<Out, Bits<8>>,
        row: [Signal<Local, Bits<8>>; 2],
    }
    impl<const N: usize> Logic for Indexed<N> {
        #[hdl_gen]
        fn update(&mut self) {
            self.row[0].next = self.a.val();
            self.row[1].next = self.a.val();
            self.o.next = self.row[N].val();
        }
    }
    assert!(lint(&Indexed::<1>::default(), "indexed").iter().any(|c| c.contains("not `N`")));
}

#[test]
fn a_planted_sum_does_not_leave_through_the_door() {
    #[derive(LogicBlock, Default)]
    struct Planted {
        pub a: Signal<In, Bits<8>>,
        pub b: Signal<In, Bits<8>>,
        pub o: Signal<Out, Bits<16>>,
    }
    impl Logic for Planted {
        #[hdl_gen]
        fn update(&mut self) {
            self.o.next = bit_cast::<16, 8>(self.a.val() + self.b.val());
        }
    }
    let refusal = crate::emit::emit("planted", Planted::default).unwrap_err();
    assert!(refusal.starts_with("planted: bit_cast: the operand may carry past its width"), "{refusal}");
}
