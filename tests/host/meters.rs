//! The meters against their model, read as the host reads them, and the latency of one packet at a time.

use crate::harness::Random;
use matchrdma_model::meters::{Meters, Said};
use matchrdma_rtl::{latency, meter, meters};
use matchrdma_spec::params::{histogram_bin, LATENCY_GIVE_UP_CYCLES};

/// Drives one event, or none, and takes what a read in the same cycle brings.
fn cycle(dut: &mut meter::Dut, event: Option<(u32, u32)>, ask: Option<u32>) -> (bool, Option<u64>) {
    dut.set_valid(event.is_some().into());
    dut.set_index(event.map_or(0, |e| e.0));
    dut.set_gain(event.map_or(0, |e| e.1));
    dut.set_ask(ask.is_some().into());
    dut.set_ask_index(ask.unwrap_or(0));
    dut.settle();
    let result = (dut.taken() == 1, (dut.done() == 1).then(|| dut.value()));
    dut.rise();
    result
}

#[test]
fn every_event_counts_also_of_one_index_in_cycles_that_follow() {
    let mut random = Random::new();
    let mut dut = meter::Dut::new();
    let mut sums = [0u64; 32];
    let mut reads: std::collections::VecDeque<u64> = Default::default();
    let (mut told, mut busy) = (0, 0);
    for phase in 0..200 {
        // few indices and no pause, so that every distance between events of one index comes
        let indices = 1 + random.below(if phase % 2 == 0 { 3 } else { 32 });
        let full = random.chance(1, 2);
        for _ in 0..200 {
            let event = (full || random.chance(2, 3)).then(|| (random.below(indices) as u32, random.bits(14) as u32));
            let ask = random.chance(1, 3).then(|| random.below(indices) as u32);
            let (taken, done) = cycle(&mut dut, event, ask);
            if let Some(value) = done {
                assert_eq!(Some(value), reads.pop_front(), "a read gives what was counted before it");
                told += 1;
            }
            assert_eq!(taken, ask.is_some() && event.is_none());
            if let (true, Some(index)) = (taken, ask) {
                reads.push_back(sums[index as usize]);
            }
            if let Some((index, gain)) = event {
                sums[index as usize] += u64::from(gain);
                busy += 1;
            }
        }
    }
    assert!(told > 1000 && busy > 20_000, "{told} reads, {busy} events");
    for _ in 0..6 {
        if let (_, Some(value)) = cycle(&mut dut, None, None) {
            assert_eq!(Some(value), reads.pop_front());
        }
    }
    // and all of them in the end
    for (index, sum) in sums.iter().enumerate() {
        assert!(cycle(&mut dut, None, Some(index as u32)).0);
        let value = (0..6).find_map(|_| cycle(&mut dut, None, None).1).expect("a read ends");
        assert_eq!(value, *sum, "index {index}");
    }
}

#[test]
fn a_sum_passes_32_bits() {
    let mut dut = meter::Dut::new();
    let gain = 16383;
    let events = (1u64 << 32) / u64::from(gain) + 2;
    for _ in 0..events {
        cycle(&mut dut, Some((5, gain)), None);
    }
    cycle(&mut dut, None, Some(5));
    let value = (0..6).find_map(|_| cycle(&mut dut, None, None).1);
    assert_eq!(value, Some(events * u64::from(gain)));
}

/// Asks until taken, and waits for the value.
fn read(dut: &mut meters::Dut, table: u32, step: u32, index: u32) -> u64 {
    dut.set_ask_table(table);
    dut.set_ask_step(step);
    dut.set_ask_index(index);
    dut.set_ask(1);
    let mut value = None;
    for _ in 0..20 {
        dut.settle();
        let taken = dut.taken() == 1;
        value = value.or((dut.done() == 1).then(|| dut.value()));
        dut.rise();
        if taken {
            dut.set_ask(0);
        }
    }
    value.expect("a read ends when nothing is counted")
}

#[test]
fn all_tables_count_side_by_side() {
    let mut random = Random::new();
    let mut dut = meters::Dut::new();
    let mut model = Meters::default();
    dut.set_rst(1);
    dut.tick();
    dut.set_rst(0);
    let mut late = false;
    let flows: Vec<u16> = (0..6).map(|_| random.bits(12) as u16).collect();
    for _ in 0..20_000 {
        let chance = |random: &mut Random| random.chance(4, 5);
        let (flow, kept, bytes) = (random.pick(&flows), random.chance(3, 4), random.bits(14) as u16);
        dut.set_out_valid(0);
        if chance(&mut random) {
            dut.set_out_valid(1);
            dut.set_out_flow(flow.into());
            dut.set_out_kept(kept.into());
            dut.set_out_bytes(bytes.into());
            model.out(flow, kept, bytes);
        }
        let (flow, what) = (random.pick(&flows), random.pick(&[Said::Ack, Said::Nak, Said::Cnp]));
        dut.set_said_valid(0);
        if chance(&mut random) {
            dut.set_said_valid(1);
            dut.set_said_flow(flow.into());
            dut.set_said_kind(what as u32);
            model.said(flow, what);
        }
        let (queue, bytes) = (random.below(17) as u8, random.bits(14) as u16);
        dut.set_left_valid(0);
        if chance(&mut random) {
            dut.set_left_valid(1);
            dut.set_left_queue(queue.into());
            dut.set_left_bytes(bytes.into());
            model.left(queue, bytes);
        }
        let (queue, latency, age) = (random.below(17) as u8, random.bits(5) as u8, random.bits(5) as u8);
        dut.set_refused_valid(0);
        if chance(&mut random) {
            dut.set_refused_valid(1);
            dut.set_refused_queue(queue.into());
            model.refused(queue);
        }
        dut.set_age_valid(0);
        if random.chance(1, 2) {
            dut.set_age_valid(1);
            dut.set_age_bin(age.into());
            model.age(age);
        } else {
            late = false;
        }
        // a latency waits for a cycle without an age, and there is one at a time
        dut.set_latency_valid(0);
        if !late && chance(&mut random) {
            dut.set_latency_valid(1);
            dut.set_latency_bin(latency.into());
            model.latency(latency);
            late = true;
        }
        dut.tick();
    }
    for valid in [meters::Dut::set_out_valid, meters::Dut::set_said_valid, meters::Dut::set_left_valid] {
        valid(&mut dut, 0);
    }
    dut.set_refused_valid(0);
    dut.set_latency_valid(0);
    dut.set_age_valid(0);
    for table in 0..8 {
        let indices: Vec<u16> =
            if table < 2 { flows.iter().copied().chain([4095]).collect() } else { (0..32).collect() };
        for index in indices {
            let values = [0, 1, 2].map(|step| read(&mut dut, table, step, index.into()));
            assert_eq!(values, model.read(table, index), "table {table}, index {index}");
        }
    }
}

#[test]
fn the_latency_of_one_packet_at_a_time_by_its_log2() {
    let mut random = Random::new();
    let mut dut = latency::Dut::new();
    dut.set_rst(1);
    dut.tick();
    dut.set_rst(0);
    let quiet = |dut: &mut latency::Dut, cycles: u64| {
        dut.set_commit_valid(0);
        dut.set_ack_valid(0);
        (0..cycles).for_each(|_| {
            dut.tick();
            assert_eq!(dut.bin_valid(), 0);
        });
    };
    for round in 0..300 {
        let (flow, psn) = (random.bits(12) as u32, random.bits(24) as u32);
        let span = 1 + random.below(1 << (1 + round % 12));
        let commit = |dut: &mut latency::Dut, flow: u32, psn: u32| {
            dut.set_commit_valid(1);
            dut.set_commit_flow(flow);
            dut.set_commit_psn(psn);
        };
        let ack = |dut: &mut latency::Dut, flow: u32, psn: u32| {
            dut.set_ack_valid(1);
            dut.set_ack_flow(flow);
            dut.set_ack_psn(psn & 0xff_ffff);
        };
        commit(&mut dut, flow, psn);
        dut.tick();
        dut.set_commit_valid(0);
        for _ in 1..span {
            // another flow's ACK, an older one of this flow, another commit: none ends or moves the sample
            dut.set_commit_valid(0);
            dut.set_ack_valid(0);
            match random.below(4) {
                0 => ack(&mut dut, flow ^ 1, psn),
                1 => ack(&mut dut, flow, psn.wrapping_sub(1)),
                2 => commit(&mut dut, flow ^ 2, (psn + 5) & 0xff_ffff),
                _ => {}
            }
            dut.tick();
            assert_eq!(dut.bin_valid(), 0);
        }
        dut.set_commit_valid(0);
        let newer = random.below(100) as u32;
        ack(&mut dut, flow, psn + newer);
        dut.tick();
        dut.set_ack_valid(0);
        dut.tick();
        dut.settle();
        assert_eq!(dut.bin_valid(), 1, "span {span}");
        assert_eq!(dut.bin() as usize, histogram_bin(span), "span {span}");
        let pause = 1 + random.below(4);
        dut.rise();
        quiet(&mut dut, pause);
    }
    // nobody answers: given up, and counted in the last bin
    dut.set_commit_valid(1);
    dut.tick();
    quiet(&mut dut, LATENCY_GIVE_UP_CYCLES);
    let given_up = (0..4).find_map(|_| {
        dut.tick();
        (dut.bin_valid() == 1).then(|| dut.bin())
    });
    assert_eq!(given_up, Some(31));
}
