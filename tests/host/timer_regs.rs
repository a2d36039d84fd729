//! The time: ticks as long as they were set, and what is longer ago than each timer, all of one tick.

use crate::harness::records::unpack_times;
use crate::harness::Random;
use matchrdma_model::record::Times;
use matchrdma_rtl::timer_regs::Dut;
use matchrdma_spec::regs::timer;

fn fresh() -> Dut {
    let mut dut = Dut::new();
    dut.set_rst(1);
    dut.tick();
    dut.set_rst(0);
    dut
}

fn put(dut: &mut Dut, register: &matchrdma_spec::regs::Reg, value: u32) {
    dut.set_wr(1);
    dut.set_wa(register.offset.into());
    dut.set_wd(value);
    dut.tick();
    dut.set_wr(0);
}

fn get(dut: &mut Dut, register: &matchrdma_spec::regs::Reg) -> u32 {
    dut.set_ra(register.offset.into());
    dut.tick();
    dut.settle();
    dut.rd()
}

fn times(dut: &mut Dut) -> Times {
    dut.settle();
    unpack_times(dut.times())
}

#[test]
fn out_of_reset_the_timers_are_those_of_the_design() {
    let mut dut = fresh();
    for (register, value) in timer::MAP.iter().zip(timer::RESET) {
        assert_eq!(get(&mut dut, register), value, "{}", register.name);
    }
    assert_eq!(times(&mut dut), Times::at(0, 39, 382, 3815));
}

#[test]
fn a_tick_is_as_long_as_it_was_set() {
    let mut dut = fresh();
    for log2 in [0, 1, 4, 9] {
        put(&mut dut, &timer::TICK_LOG2, log2);
        put(&mut dut, &timer::NOW, 0xff_fff0);
        let mut seen = vec![];
        let mut last = None;
        for cycle in 0..34u64 << log2 {
            let now = times(&mut dut).now;
            if last != Some(now) {
                seen.push((cycle, now));
                last = Some(now);
            }
            dut.rise();
        }
        let steps: Vec<_> =
            seen.windows(2).skip(1).map(|w| (w[1].0 - w[0].0, w[1].1.wrapping_sub(w[0].1) & 0xff_ffff)).collect();
        assert!(steps.len() > 25 && steps.iter().skip(1).all(|s| *s == (1 << log2, 1)), "{log2}: {steps:?}");
    }
}

#[test]
fn all_that_is_told_is_of_one_tick() {
    let mut random = Random::new();
    let mut dut = fresh();
    let mut timers = [39u16, 382, 3815];
    put(&mut dut, &timer::TICK_LOG2, 2);
    for _ in 0..2000 {
        let which = random.below(3) as usize;
        if random.chance(1, 10) {
            let any = random.bits(15) as u16;
            timers[which] = random.pick(&[0, 1, 0x7fff, any]);
            let register = [timer::GAP_TIMEOUT, timer::FLOW_IDLE, timer::DEBT_TIMEOUT][which];
            put(&mut dut, &register, timers[which].into());
            dut.tick();
        }
        if random.chance(1, 50) {
            put(&mut dut, &timer::NOW, random.bits(24) as u32);
        }
        dut.tick();
        let seen = times(&mut dut);
        assert_eq!(seen, Times::at(seen.now, timers[0], timers[1], timers[2]));
    }
}
