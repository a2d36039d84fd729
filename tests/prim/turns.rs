//! Taking turns, and small counters side by side.

use crate::harness::Random;

#[test]
fn all_that_want_get_their_turn() {
    let mut random = Random::new();
    let mut dut = matchrdma_rtl::round_robin::Dut::new();
    dut.set_rst(1);
    dut.tick();
    dut.set_rst(0);
    let mut first = 0;
    for cycle in 0..20_000 {
        let few = random.bits(17) & random.bits(17) & random.bits(17);
        let any = random.bits(17);
        let want = random.pick(&[few, few & any, any, 0x1_ffff]);
        let take = random.chance(2, 3);
        dut.set_want(want as u32);
        dut.set_take(take.into());
        dut.settle();
        let turn = (0..17).map(|i| (first + i) % 17).find(|i| want >> i & 1 == 1);
        assert_eq!(dut.any() == 1, turn.is_some(), "cycle {cycle}");
        if let Some(turn) = turn {
            assert_eq!(dut.index(), turn, "cycle {cycle}, {want:017b}, from {first}");
            if take {
                first = turn + 1;
            }
        }
        dut.rise();
    }
}

#[test]
fn seventeen_counters_count_to_eight() {
    let mut random = Random::new();
    let mut dut = matchrdma_rtl::eights::Dut::new();
    dut.set_rst(1);
    dut.tick();
    dut.set_rst(0);
    let (mut counts, mut reached) = ([0; 17], [0; 9]);
    for _ in 0..20_000 {
        dut.settle();
        let flags = |test: fn(u32) -> bool| (0..17).fold(0, |flags, i| flags | u32::from(test(counts[i])) << i);
        assert_eq!((dut.some(), dut.one(), dut.full()), (flags(|n| n > 0), flags(|n| n == 1), flags(|n| n == 8)));
        let (mut up, mut down) = (0, 0);
        for (i, count) in counts.iter_mut().enumerate() {
            reached[*count as usize] += 1;
            let (more, less) = (*count < 8 && random.chance(1, 2), *count > 0 && random.chance(1, 2));
            up |= u32::from(more) << i;
            down |= u32::from(less) << i;
            *count = *count + u32::from(more) - u32::from(less);
        }
        dut.set_up(up);
        dut.set_down(down);
        dut.rise();
    }
    assert!(reached.iter().all(|n| *n > 1000), "{reached:?}");
}

#[test]
fn a_table_in_lookup_tables_is_an_array_read_within_the_cycle() {
    let mut random = Random::new();
    let mut dut = matchrdma_rtl::lut_ram::Dut::new();
    let mut words = [0; 32];
    for _ in 0..8000 {
        let (raddr, waddr, we, wdata) = (random.below(32), random.below(32), random.chance(1, 2), random.bits(33));
        dut.set_raddr(raddr as u32);
        dut.set_waddr(waddr as u32);
        dut.set_we(we.into());
        dut.set_wdata(wdata);
        dut.settle();
        assert_eq!(dut.rdata(), words[raddr as usize]);
        dut.rise();
        if we {
            words[waddr as usize] = wdata;
        }
    }
}
