//! `pfc` against the model, cycle by cycle, and what it sends against bytes written out here.

use crate::harness::frame::{beats, bytes, keep};
use crate::harness::{grid, Random};
use matchrdma_model::pfc::{Pfc, Settings};
use matchrdma_rtl::pfc::Dut;

/// Cycles from a frame's beat to the timers, from there to `paused`, and from a beat to the pulses.
const TO_TIMERS: u64 = 3;
const TO_PULSE: u64 = 2;

/// A PFC frame of 60 bytes, by hand.
fn by_hand(source: u64, enable: u8, times: [u16; 8]) -> Vec<u8> {
    let mut frame = vec![0x01, 0x80, 0xc2, 0, 0, 1];
    frame.extend(&source.to_be_bytes()[2..]);
    frame.extend([0x88, 0x08, 0x01, 0x01, 0, enable]);
    times.iter().for_each(|time| frame.extend(time.to_be_bytes()));
    frame.resize(60, 0);
    frame
}

fn apply(dut: &mut Dut, settings: Settings) {
    dut.set_enable(settings.enable.into());
    dut.set_pcp(settings.class.into());
    dut.set_step(settings.step.into());
    dut.set_quanta(settings.quanta.into());
    dut.set_source(settings.source);
}

fn start(settings: Settings) -> Dut {
    let mut dut = Dut::new();
    apply(&mut dut, settings);
    dut.set_rst(1);
    dut.tick();
    dut.tick();
    dut.set_rst(0);
    dut
}

/// A frame as a client may send it: PFC, nearly PFC, or anything.
fn any_frame(random: &mut Random) -> Vec<u8> {
    let times = std::array::from_fn(|_| if random.chance(1, 3) { 0 } else { random.below(40) as u16 });
    let mut frame = by_hand(random.bits(48), random.bits(8) as u8, times);
    match random.below(12) {
        0 => frame[12 + random.below(4) as usize] ^= 1 << random.below(8),
        1 => frame.truncate(1 + random.below(60) as usize),
        2 => frame.resize(60 + random.below(5) as usize, 0xff),
        3 => frame.resize(64 + random.below(120) as usize, 7),
        4 => frame = random.bytes(1 + frame.len() % 50),
        _ => {}
    }
    frame
}

/// Pauses, cycle by cycle: which classes, from when to when, and what is counted.
#[test]
fn every_pause_is_the_models_to_the_cycle() {
    let mut random = Random::new();
    let (mut pauses, mut pulses) = (0u32, [0u32; 2]);
    for round in 0..40 {
        let step = random.pick(&[1u16, 155, 200, 256, 700]);
        let settings = Settings {
            enable: round % 10 != 9,
            class: random.bits(3) as u8,
            step,
            quanta: 0xffff,
            source: random.bits(48),
        };
        let mut dut = start(settings);
        let mut model = Pfc::new(settings);
        let mut arrivals: Vec<(u64, Vec<u8>, bool)> = Vec::new();
        let mut expected_pulse = Vec::new();
        let mut sending: std::collections::VecDeque<_> = Vec::new().into();
        let mut before = 0;
        for cycle in 0..4000u64 {
            if sending.is_empty() && random.chance(1, 12) {
                let frame = any_frame(&mut random);
                let error = random.chance(1, 10);
                sending = beats(&frame).into();
                arrivals.push((cycle + sending.len() as u64 - 1, frame, error));
            }
            let beat = sending.pop_front();
            dut.set_s_axis_client_tvalid(beat.is_some().into());
            if let Some(beat) = beat {
                dut.set_s_axis_client_tdata(beat.data);
                dut.set_s_axis_client_tkeep(keep(beat.bytes));
                dut.set_s_axis_client_tlast(beat.last.into());
                dut.set_s_axis_client_tuser(u32::from(beat.last && arrivals.last().unwrap().2));
            } else {
                dut.set_s_axis_client_tdata(random.words(512));
                dut.set_s_axis_client_tlast(random.bits(1) as u32);
            }
            dut.settle();
            // the model's timers of this cycle; `paused` is a register behind them
            assert_eq!(dut.paused(), before, "round {round}, cycle {cycle}");
            assert_eq!(dut.held(), before >> settings.class & 1);
            let pulse = expected_pulse.iter().position(|(at, _)| *at == cycle).map(|i| expected_pulse.remove(i).1);
            assert_eq!((dut.xoff_in() == 1, dut.xon_in() == 1), (pulse == Some(true), pulse == Some(false)));
            before = u32::from(model.paused());
            pauses += before.count_ones();
            model.pass(1);
            for (at, frame, error) in arrivals.iter().filter(|(at, ..)| at + TO_TIMERS == cycle + 1) {
                if let Some(stops) = model.receive(frame, *error) {
                    pulses[usize::from(stops)] += 1;
                }
                assert!(*at <= cycle);
            }
            if let Some((_, frame, error)) = arrivals.last().filter(|(at, ..)| *at == cycle) {
                // the same frame, asked of a model of its own, for the pulse that comes before the timers
                let stops = Pfc::new(settings).receive(frame, *error);
                expected_pulse.extend(stops.map(|stops| (cycle + TO_PULSE, stops)));
            }
            dut.rise();
        }
    }
    println!("{pauses} class-cycles paused, {pulses:?} XON and XOFF");
    assert!(pauses > 10_000 && pulses.iter().all(|n| *n > 50));
}

/// XOFF as soon as there is too much, again before half of it is over, XON when there is not: each frame whole, in time.
#[test]
fn the_client_is_stopped_kept_stopped_and_let_go() {
    let mut random = Random::new();
    let (mut offs, mut ons, mut refreshed) = (0, 0, 0);
    for (over_pace, ready_pace) in grid() {
        let quanta = random.pick(&[2u16, 20, 101, 0xffff]);
        let settings =
            Settings { enable: true, class: random.bits(3) as u8, step: 200, quanta, source: random.bits(48) };
        let mut dut = start(settings);
        let (mut told, mut last, mut shown) = (false, 0u64, None);
        let mut over = false;
        for cycle in 0..6000u64 {
            if random.chance(1, 300) {
                over = over_pace.goes(cycle, &mut random);
            }
            let ready = ready_pace.goes(cycle, &mut random);
            dut.set_over(over.into());
            dut.set_pfc_ready(ready.into());
            dut.settle();
            let valid = dut.pfc_valid() == 1;
            let frame = valid.then(|| bytes(dut.pfc_data(), 60));
            assert!(shown.is_none() || shown == frame, "an untaken frame changed, cycle {cycle}");
            shown = frame.clone().filter(|_| !ready);
            let taken = frame.filter(|_| ready);
            let stops = taken.as_ref().map(|frame| frame[18 + 2 * usize::from(settings.class)..][..2] != [0, 0]);
            assert_eq!((dut.xoff_out() == 1, dut.xon_out() == 1), (stops == Some(true), stops == Some(false)));
            if let (Some(frame), Some(stops)) = (taken, stops) {
                let mut times = [0; 8];
                times[usize::from(settings.class)] = if stops { quanta } else { 0 };
                assert_eq!(frame, by_hand(settings.source, 1 << settings.class, times));
                assert!(stops || told, "XON without XOFF");
                if stops && told {
                    let waited = (cycle - last) * 200 / 256;
                    assert!(waited >= u64::from(quanta / 2).saturating_sub(1), "again after {waited} quanta");
                    refreshed += 1;
                }
                offs += u32::from(stops);
                ons += u32::from(!stops);
                (told, last) = (stops, cycle);
            }
            if told && over && ready_pace == crate::harness::Stall::Never {
                assert!((cycle - last) * 200 / 256 <= u64::from(quanta / 2) + 8, "not again, cycle {cycle}");
            }
            dut.rise();
        }
        dut.set_over(0);
        dut.set_pfc_ready(1);
        for _ in 0..10 {
            dut.settle();
            if dut.xon_out() == 1 || dut.xoff_out() == 1 {
                told = dut.xoff_out() == 1;
            }
            dut.rise();
        }
        assert!(!told, "the client is let go in the end");
    }
    println!("{offs} XOFF, {refreshed} of them again, {ons} XON");
    assert!(offs > 100 && ons > 20 && refreshed > 50);
}
