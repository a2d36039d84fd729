//! `pacer` against the model, and against the promise: the budget, give or take one frame.

use crate::harness::Random;
use matchrdma_model::pacer::{Pacer, PacerCfg};
use matchrdma_rtl::pacer::Dut;

/// Out of reset, with its registers as the host left them.
fn pacer(cfg: PacerCfg) -> Dut {
    let mut dut = Dut::new();
    set(&mut dut, cfg);
    dut.set_rst(1);
    dut.tick();
    dut.tick();
    dut.set_rst(0);
    dut
}

fn set(dut: &mut Dut, cfg: PacerCfg) {
    dut.set_mode(cfg.fixed.into());
    dut.set_rate(cfg.rate);
    dut.set_slot_k(cfg.slot_k.into());
    dut.set_burst(cfg.burst);
    dut.set_overhead(cfg.overhead.into());
}

#[test]
fn every_decision_is_the_models() {
    let mut random = Random::new();
    let mut held_back = 0;
    for run in 0..300 {
        let slot_k = 10 + random.below(11) as u8;
        let line = 64u64 << slot_k;
        let rates = random.pick(&[2, 1000, line, 2 * line, 1 << 32]);
        let bursts = random.pick(&[1, 10_000, 1 << 20, 1 << 32]);
        let cfg = PacerCfg {
            fixed: random.chance(9, 10),
            rate: random.below(rates) as u32,
            slot_k,
            burst: random.below(bursts) as u32,
            overhead: random.bits(8) as u8,
        };
        let often = 1 + random.below(20);
        let (mut dut, mut model) = (pacer(cfg), Pacer::new());
        model.set_cfg(cfg);
        for cycle in 0..2000 {
            let go = model.go();
            dut.settle();
            assert_eq!(dut.go() == 1, go, "run {run}, {cfg:?}, cycle {cycle}, tokens {}", model.tokens());
            let bytes = random.pick(&[60, 64, 1500, 9600, 16383]) as u16;
            let started = go && random.chance(1, often);
            let frame = random.chance(3, 4);
            dut.set_started(started.into());
            dut.set_started_frame(frame.into());
            dut.set_next_bytes(bytes.into());
            dut.settle();
            model.cycle(Some(bytes).filter(|_| started && frame));
            held_back += u32::from(!go);
            dut.rise();
        }
    }
    assert!(held_back > 10_000, "the bucket was empty often enough: {held_back}");
}

/// A queue that is never empty, on a line that sends one beat per cycle: bytes started (with overhead) by each slot's
/// end, and the longest frame.
fn backlog(cfg: PacerCfg, slots: usize, mut draw: impl FnMut() -> u16) -> (Vec<i64>, i64) {
    let mut dut = pacer(cfg);
    let (mut sent, mut longest, mut busy, mut next) = (0, 0, 0, draw());
    let mut totals = Vec::with_capacity(slots);
    for _ in 0..slots {
        for _ in 0..1u32 << cfg.slot_k {
            dut.settle();
            let starts = busy == 0 && dut.go() == 1;
            dut.set_started(starts.into());
            dut.set_started_frame(1);
            dut.set_next_bytes(next.into());
            dut.settle();
            if starts {
                let cost = i64::from(next) + i64::from(cfg.overhead);
                sent += cost;
                longest = longest.max(cost);
                busy = next.div_ceil(64);
                next = draw();
            }
            busy = busy.saturating_sub(1);
            dut.rise();
        }
        totals.push(sent);
    }
    (totals, longest)
}

/// Over any whole number of slots, from any slot to any later one.
fn assert_budget(totals: &[i64], rate: u32, longest: i64) {
    let ahead = |(slot, total): (usize, &i64)| total - (slot as i64 + 1) * i64::from(rate);
    let (mut least, mut most) = (0, 0);
    for a in totals.iter().enumerate().map(ahead) {
        (least, most) = (least.min(a), most.max(a));
    }
    assert!(
        most - least <= longest,
        "rate {rate}: from {least} to {most} bytes beside the budget, frames of {longest}"
    );
    let (slots, sent) = (totals.len() as i64, totals[totals.len() - 1]);
    let off = (sent - slots * i64::from(rate)).abs() - longest;
    assert!(
        off * 1_000_000 < slots * i64::from(rate),
        "rate {rate}: {off} bytes off over {slots} slots, beyond a frame"
    );
}

#[test]
fn a_thousand_slots_carry_their_budget_give_or_take_one_frame() {
    let mut random = Random::new();
    for rate in [50_000, 12_345, 3 * 1024 + 1] {
        let cfg = PacerCfg { fixed: true, rate, slot_k: 10, burst: 16384, overhead: 24 };
        let (totals, longest) = backlog(cfg, 1000, || random.pick(&[60, 64, 65, 256, 1500, 4154, 9600]));
        assert_budget(&totals, rate, longest);
    }
}

#[test]
fn long_slots_carry_their_budget_give_or_take_one_frame() {
    let mut random = Random::new();
    for (slot_k, rate, slots) in [(15, 1_234_567, 20), (20, 8_388_607, 1), (13, 1, 200), (12, 200_000, 100)] {
        let cfg = PacerCfg { fixed: true, rate, slot_k, burst: 16384, overhead: 24 };
        let (totals, longest) = backlog(cfg, slots, || random.pick(&[60, 1500, 4154]));
        assert_budget(&totals, rate, longest);
    }
}

#[test]
fn an_open_path_always_goes_and_a_closed_one_sends_one_frame() {
    let open = PacerCfg { fixed: false, rate: 0, ..PacerCfg::default() };
    let (totals, _) = backlog(PacerCfg { slot_k: 10, ..open }, 1, || 64);
    assert_eq!(totals, [1024 * (64 + 24)]);
    let (totals, _) = backlog(PacerCfg { fixed: true, slot_k: 10, ..open }, 3, || 64);
    assert_eq!(totals, [88, 88, 88]);
}

/// The memory and the pacer as the itinerary joins them: what leaves is the budget, frames without bytes are free.
#[test]
fn a_paced_memory_sends_its_budget() {
    let mut random = Random::new();
    let cfg = PacerCfg { fixed: true, rate: 30_000, slot_k: 10, burst: 16384, overhead: 24 };
    let (mut pacer, mut memory) = (pacer(cfg), matchrdma_rtl::packet_memory::Dut::new());
    memory.set_head_ready(1);
    let (mut sent, mut bare, mut totals) = (0, 0, vec![]);
    let (mut size, mut first) = (0usize, true);
    for cycle in 1..=100 * 1024u64 {
        // keeps it backlogged, and never near full
        let feeds = memory.held_beats() < 4000;
        if size == 0 {
            first = true;
            size = random.pick(&[60, 64, 65, 1500, 4154]);
        }
        let (last, forward) = (size <= 64, random.chance(4, 5));
        memory.set_rail_valid(feeds.into());
        memory.set_rail_bytes(size.min(64) as u32);
        memory.set_rail_last(last.into());
        memory.set_rail_first(first.into());
        memory.set_verdict_valid((feeds && last).into());
        memory.set_forward(forward.into());
        memory.set_push(1);
        if feeds {
            first = false;
            size -= size.min(64);
        }
        pacer.settle();
        memory.set_go(pacer.go());
        memory.settle();
        pacer.set_started(memory.started());
        pacer.set_started_frame(memory.next_frame());
        pacer.set_next_bytes(memory.next_bytes());
        pacer.settle();
        if memory.head_valid() == 1 && memory.head_last() == 1 {
            if memory.head_frame() == 1 {
                sent += i64::from(memory.next_bytes()) + 24;
            } else {
                bare += 1;
            }
        }
        pacer.rise();
        memory.rise();
        if cycle % 1024 == 0 {
            totals.push(sent);
        }
    }
    assert!(bare > 100);
    // a frame counts when it has left here, so two may be at the edges of a slot
    assert_budget(&totals, cfg.rate, 2 * (4154 + 24));
}
