//! `gains` against the arithmetic of the model.

use crate::harness::Random;
use matchrdma_model::pacer::MOST_GAIN;
use matchrdma_rtl::pacer_gains::Dut;

macro_rules! each {
    ($dut:ident, $rates:ident: $($n:literal $set:ident $get:ident),*) => {{
        $($dut.$set($rates[$n]);)*
        |dut: &Dut| [$(dut.$get()),*]
    }};
}

#[test]
fn a_rate_per_slot_is_a_gain_per_cycle_some_cycles_later() {
    let mut random = Random::new();
    let mut dut = Dut::new();
    dut.set_rst(1);
    dut.tick();
    dut.set_rst(0);
    let mut capped = 0;
    for _ in 0..2000 {
        let slot_k = 10 + random.below(11) as u32;
        let most = random.pick(&[100, 64 << slot_k, 1 << 32]);
        let rates: [u32; 16] = std::array::from_fn(|_| random.below(most) as u32);
        dut.set_slot_k(slot_k);
        let gains = each!(dut, rates: 0 set_rate_0 gain_0, 1 set_rate_1 gain_1, 2 set_rate_2 gain_2,
            3 set_rate_3 gain_3, 4 set_rate_4 gain_4, 5 set_rate_5 gain_5, 6 set_rate_6 gain_6, 7 set_rate_7 gain_7,
            8 set_rate_8 gain_8, 9 set_rate_9 gain_9, 10 set_rate_10 gain_10, 11 set_rate_11 gain_11,
            12 set_rate_12 gain_12, 13 set_rate_13 gain_13, 14 set_rate_14 gain_14, 15 set_rate_15 gain_15);
        (0..17).for_each(|_| dut.tick());
        dut.settle();
        let want = rates.map(|rate| (u64::from(rate) << (20 - slot_k)).min(MOST_GAIN) as u32);
        assert_eq!(gains(&dut), want, "slots of 2^{slot_k}");
        capped += want.iter().filter(|gain| u64::from(**gain) == MOST_GAIN).count();
    }
    assert!(capped > 1000);
}
