//! What the gate on kernels lets through means in Verilog what it means in Rust.

use crate::harness::Random;
use matchrdma_rtl::kernel_shapes::Dut;

#[test]
fn accepted_shapes_compute_the_same_in_verilog_as_in_rust() {
    let mut random = Random::new();
    let mut dut = Dut::new();
    for round in 0..20_000 {
        // few values at first, so that equal operands and empty words are common
        let bits = if round % 2 == 0 { 2 } else { 8 };
        let [a, b, c] = std::array::from_fn(|_| random.bits(bits) as u8 ^ if random.chance(1, 4) { 0xff } else { 0 });
        let (p, q, big) = (random.chance(1, 2), random.chance(1, 2), random.bits(40));
        dut.set_a(a.into());
        dut.set_b(b.into());
        dut.set_c(c.into());
        dut.set_p(p.into());
        dut.set_q(q.into());
        dut.set_big(big);
        dut.eval();
        let at = format!("a {a:#x}, b {b:#x}, c {c:#x}, p {p}, q {q}, big {big:#x}");
        let sum = a.wrapping_add(b);
        assert_eq!(dut.sum_widened(), u32::from(sum), "{at}");
        assert_eq!(dut.not_widened(), u32::from(!a), "{at}");
        assert_eq!(dut.joined(), u32::from_be_bytes([0, a, !a, sum]), "{at}");
        assert_eq!(dut.narrowed_sum(), u32::from(sum & 15), "{at}");
        assert_eq!(dut.average(), u32::from(sum >> 1), "{at}");
        assert_eq!(dut.masked_equal() == 1, a & b == c, "{at}");
        assert_eq!(dut.not_bits() == 1, !p & (!q | (a < b)), "{at}");
        assert_eq!(dut.xor_not_equal() == 1, (p ^ !q) != p, "{at}");
        let odd = |x: u8| x.count_ones() % 2 == 1;
        let reduced = u32::from(a != 0) | if (a == 255) | odd(b) { 2 } else { 0 };
        assert_eq!(dut.reduced(), reduced, "{at}");
        assert_eq!(dut.not_reduced(), if !odd(a) & (b == 0) | (c ^ a != 255) { 3 } else { 0 }, "{at}");
        assert_eq!(dut.minus_in_brackets(), u32::from(a.wrapping_sub(b ^ c).wrapping_sub(1)), "{at}");
        assert_eq!(dut.shifted(), u32::from(a << (b & 7) ^ c >> 3), "{at}");
        assert_eq!(dut.replaced(), big & !(1 << 37) | u64::from(p) << 37, "{at}");
        assert_eq!(dut.picked() == 1, big >> (a & 31) & 1 == 1, "{at}");
        assert_eq!(dut.taken(), (big >> (b & 31)) as u32 & 0xff, "{at}");
        let words = (u32::from(a) << 8 | u32::from(c), u32::from(b) << 8 | u32::from(sum));
        assert_eq!(dut.product(), words.0 * words.1, "{at}");
        assert_eq!(dut.logical() == 1, (a == 7) && p || !q && (b >= c), "{at}");
        assert_eq!(dut.counted(), a.count_ones(), "{at}");
    }
}
