//! Back-pressure: what a slow path says to its senders, and what the client's pauses do to the client port.

use super::bench::{Bench, Joiner};
use super::packets::{aeth, frame, plain, reth, Packet, Way};
use crate::harness::{roce, Random};
use matchrdma_model::record::{Cfg, State};
use matchrdma_sim::configure::Host;
use matchrdma_sim::engine::{beats, Beat, Gateway};
use matchrdma_spec::regs::counters::COUNTERS;
use matchrdma_spec::regs::entry::{Path, Route, MODE_FIXED};
use matchrdma_spec::regs::flow::{DIR_INBOUND, DIR_OUTBOUND};
use matchrdma_spec::regs::{pfc, Reg};
use matchrdma_spec::wire::opcode::{ACKNOWLEDGE, CNP, SEND_ONLY, WRITE_ONLY};
use matchrdma_spec::wire::packet::parse_frame;
use std::collections::{BTreeMap, VecDeque};

const FLOWS: u32 = 4;
/// A queue pair of no flow.
const NOBODY: u32 = 0x900;
const SPACING: u32 = 3000;
const QUANTA: u32 = 1000;
/// Bytes per cycle that the path lets go.
const RATE: u32 = 16;

fn way(i: u32) -> Way {
    Way {
        v6: i % 2 == 1,
        vids: [vec![], vec![5]][i as usize / 2].clone(),
        src: if i % 2 == 1 { 0xfd00 << 112 | u128::from(i) } else { 0x0a00_0001 + u128::from(i) },
        dst: if i % 2 == 1 { 0xfd01 << 112 } else { 0x0a02_0001 },
        src_mac: 1 + i as u8,
        dst_mac: 100,
    }
}

fn read(bench: &mut Bench, register: &Reg) -> u32 {
    bench.gates.read(register.offset).expect("the register can be read")
}

/// Each register of the block has its value of reset, and then what is written in its fields.
fn registers_hold_what_is_written(bench: &mut Bench) {
    for (register, reset) in pfc::MAP.iter().zip(pfc::RESET) {
        assert_eq!(read(bench, register), reset, "{}", register.name);
        let mask = register.fields.iter().fold(0, |mask, field| mask | field.mask());
        for value in [!0, 0x5a5a_a5a5, 0] {
            bench.write(register, value);
            let kept = if register.fields.is_empty() { value } else { value & mask };
            assert_eq!(read(bench, register), kept, "{}", register.name);
        }
        bench.write(register, reset);
    }
    assert!(pfc::MAP[pfc::RESET.len()..].iter().all(|register| read(bench, register) == 0));
}

/// A WRITE of one packet with 900 bytes.
fn write_of(i: u32, psn: u32, ack_req: bool, ident: u32) -> Vec<u8> {
    let body = [reth(900), vec![i as u8; 900]].concat();
    frame(&way(i), &Packet { opcode: WRITE_ONLY, qpn: 0x100 + i, psn, ack_req, body, ident })
}

/// Four flows, Active, all on path 0.
fn active(path: Path) -> Bench {
    let mut random = Random::new();
    let mut bench = Bench::new();
    bench.gates.mirror().set_routes(&[false, true].map(|v6| Route { address: 0, v6, queue: 0 }));
    bench.gates.mirror().set_path(0, &path);
    for i in 0..FLOWS {
        bench.add_key(DIR_OUTBOUND, way(i).key(0x100 + i), index(i), &mut random);
        bench.add_key(DIR_INBOUND, way(i).back().key(0x200 + i), index(i), &mut random);
        bench.set_cfg(index(i), Cfg { enable: true, serial: 1, ..Cfg::default() });
    }
    Host::new(&mut bench.gates).enable(false).expect("the gateway takes it");
    for i in 0..FLOWS {
        for psn in 0..2 {
            let request: Vec<Beat> = beats(&write_of(i, psn, true, i)).collect();
            bench.play(&request, true);
        }
        let body = aeth(0x1f, 2);
        let ack = Packet { opcode: ACKNOWLEDGE, qpn: 0x200 + i, psn: 1, body, ..Packet::default() };
        let ack = frame(&way(i).back(), &ack);
        bench.play(&beats(&ack).collect::<Vec<_>>(), false);
        assert_eq!(bench.flow(index(i)).state, State::Active, "flow {i}");
    }
    bench
}

fn index(i: u32) -> u16 {
    (1 + 1000 * i) as u16
}

/// What a PFC frame of ours asks of class 3; `None` of another frame.
fn asked(frame: &[u8]) -> Option<u16> {
    if frame[12..16] != [0x88, 0x08, 0x01, 0x01] {
        return None;
    }
    assert_eq!((frame.len(), &frame[..6], &frame[6..12]), (60, &[1, 0x80, 0xc2, 0, 0, 1][..], &[2, 0, 0, 0, 0, 1][..]));
    assert_eq!(frame[16..18], [0, 8], "class 3 alone");
    Some(u16::from_be_bytes([frame[24], frame[25]]))
}

#[test]
fn a_slow_path_notifies_its_senders_then_stops_the_client_then_lets_it_go() {
    let path = Path {
        mode: MODE_FIXED,
        rate: RATE << 10,
        burst: 16_384,
        cnp_on: 30_000,
        cnp_off: 15_000,
        pfc_on: 100_000,
        pfc_off: 50_000,
        ..Path::default()
    };
    let mut bench = active(path);
    registers_hold_what_is_written(&mut bench);
    bench.write(&pfc::CONTROL, pfc::CLASS_FIELD.with(1, 3));
    bench.write(&pfc::QUANTA, QUANTA);
    bench.write(&pfc::CNP_SPACING, SPACING);
    let mut out: [Joiner; 2] = Default::default();
    let mut sent: VecDeque<Vec<u8>> = VecDeque::new();
    let mut going: VecDeque<Beat> = VecDeque::new();
    let (mut psn, mut held, mut stopped) = ([2u32; FLOWS as usize], 0u32, false);
    let mut cnps: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    let (mut offs, mut ons, mut last_off) = (0u32, 0u32, 0u64);
    let sending = 60_000;
    for now in 0..110_000u64 {
        if going.is_empty() && now < sending && now % 24 == 0 && !stopped {
            let i = (now / 24) as u32 % FLOWS;
            let next = write_of(i, psn[i as usize], psn[i as usize] % 8 == 0, now as u32);
            psn[i as usize] += 1;
            held += next.len().div_ceil(64) as u32 * 64;
            going = beats(&next).collect();
            sent.push_back(next);
        }
        let tick = bench.gates.tick(going.pop_front().as_ref(), None, true, true);
        if out[1].take(tick.line_tx) {
            let left = out[1].frames.pop().unwrap();
            held -= left.len().div_ceil(64) as u32 * 64;
            assert_eq!(Some(left), sent.pop_front(), "cycle {now}: what leaves is what came, in order");
        }
        if !out[0].take(tick.client_tx) {
            continue;
        }
        let frame = out[0].frames.pop().unwrap();
        match asked(&frame) {
            Some(0) => {
                ons += 1;
                assert!(stopped && held <= path.pfc_off + 2000, "cycle {now}: XON with {held} bytes held");
                stopped = false;
            }
            Some(quanta) => {
                assert_eq!(u32::from(quanta), QUANTA);
                assert!(held + 2000 >= if stopped { path.pfc_off } else { path.pfc_on }, "cycle {now}: {held}");
                let since = now - last_off;
                assert!(
                    !stopped || since * 200 / 256 <= u64::from(QUANTA / 2) + 20,
                    "cycle {now}: again after {since}"
                );
                (stopped, last_off, offs) = (true, now, offs + 1);
            }
            None => {
                let said = roce::parse(&frame).expect("RoCE");
                assert!(said.icrc_ok && said.checksum_ok && said.padding == 0);
                if said.opcode == CNP {
                    assert!(held + 2000 >= path.cnp_off, "cycle {now}: a notification with {held} bytes held");
                    assert_eq!((said.tos >> 2, said.psn, said.ack_req), (48, 0, false));
                    cnps.entry(said.qpn).or_default().push(now);
                }
            }
        }
        assert!(held < path.pfc_on + 5000, "cycle {now}: {held} bytes held, and nobody stops");
    }
    println!("{offs} XOFF, {ons} XON, notifications {:?}", cnps.values().map(Vec::len).collect::<Vec<_>>());
    assert!(sent.is_empty() && held == 0 && !stopped, "{held} bytes left behind");
    assert!(ons >= 3 && offs > 2 * ons, "{offs} {ons}");
    assert_eq!(cnps.keys().copied().collect::<Vec<_>>(), (0x200..0x200 + FLOWS).collect::<Vec<_>>());
    for times in cnps.values() {
        assert!(times.windows(2).all(|t| t[1] - t[0] + 64 >= u64::from(SPACING)), "{times:?}");
        assert!(times.len() as u32 >= ons, "{times:?}"); // the client is stopped for half of the time
    }
    for (counter, value) in bench.counters() {
        assert!(value == 0 || !counter.name.starts_with("DROP_"), "{}: {value}", counter.name);
    }
    let total: usize = cnps.values().map(Vec::len).sum();
    let seen = [pfc::XOFF_OUT, pfc::XON_OUT, pfc::CNPS, pfc::OVER].map(|register| read(&mut bench, &register));
    assert_eq!(seen, [offs, ons, total as u32, 0]);
    assert!(COUNTERS.len() > 10);
}

/// Plays frames one after the other, a spacing after whatever was before; the queue pairs that are told to slow down.
fn notified(bench: &mut Bench, frames: &[Vec<u8>]) -> Vec<u32> {
    let mut out = Joiner::default();
    for _ in 0..SPACING {
        out.take(bench.gates.tick(None, None, true, true).client_tx);
    }
    out.frames.clear();
    let mut going: VecDeque<Beat> = frames.iter().flat_map(|frame| beats(frame).collect::<Vec<_>>()).collect();
    for _ in 0..going.len() + 200 {
        out.take(bench.gates.tick(going.pop_front().as_ref(), None, true, true).client_tx);
    }
    let said = out.frames.iter().map(|frame| roce::parse(frame).expect("RoCE"));
    said.filter(|said| said.opcode == CNP).map(|said| said.qpn).collect()
}

#[test]
fn a_sender_is_told_in_every_state_of_its_flow_once_it_was_active() {
    let path =
        Path { mode: MODE_FIXED, rate: 1 << 10, burst: 16_384, cnp_on: 10_000, cnp_off: 5000, ..Path::default() };
    let mut bench = active(path);
    bench.write(&pfc::CNP_SPACING, SPACING);
    // Enough to keep the path over its threshold until the end.
    let burst: Vec<_> = (2..62).map(|psn| write_of(0, psn, false, psn)).collect();
    assert_eq!(notified(&mut bench, &burst), [0x200], "Active, kept");
    assert_eq!(notified(&mut bench, &[write_of(1, 5, false, 5)]), [0x201], "Active, out of order and refused");
    let nak = Packet { opcode: ACKNOWLEDGE, qpn: 0x201, psn: 2, body: aeth(0x60, 2), ..Packet::default() };
    for beat in beats(&frame(&way(1).back(), &nak)) {
        bench.gates.tick(None, Some(&beat), true, true);
    }
    assert_eq!(notified(&mut bench, &[write_of(1, 2, false, 2)]), [0x201], "Sync");
    assert_eq!(bench.flow(index(1)).state, State::Sync);
    bench.set_cfg(index(2), Cfg { enable: true, serial: 2, ..Cfg::default() });
    assert!(notified(&mut bench, &[write_of(2, 2, false, 2)]).is_empty(), "another pair, never Active");
    let over = read(&mut bench, &pfc::OVER);
    assert_eq!(over & 1, 1, "the path was over its threshold all the time: {over:#x}");
}

/// A PFC frame of the client for class 3.
fn pause(quanta: u16) -> Vec<Beat> {
    let mut frame = vec![1, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 0, 9, 0x88, 0x08, 0x01, 0x01, 0, 8];
    frame.resize(60, 0);
    frame[24..26].copy_from_slice(&quanta.to_be_bytes());
    beats(&frame).collect()
}

#[test]
fn a_pause_of_the_client_holds_its_class_alone_and_reaches_nobody_else() {
    let mut bench = active(Path::default());
    bench.write(&pfc::CONTROL, pfc::CLASS_FIELD.with(1, 3));
    let mut random = Random::new();
    let mut out: [Joiner; 2] = Default::default();
    // RoCE of no flow, and the rest
    let (mut sent, mut number) = ([VecDeque::new(), VecDeque::new()], 0);
    let (mut began_held, mut passed) = (false, 0);
    let (mut from_line, mut from_client): (VecDeque<Beat>, VecDeque<Beat>) = Default::default();
    // paused from when to when, at the port
    let (mut until, mut since, mut quiet, mut pauses, mut on_line) = (0u64, 0u64, 0u64, 0, 0);
    let mut psn = [2u32; FLOWS as usize];
    for now in 0..40_000u64 {
        if from_line.is_empty() && now < 38_000 && random.chance(1, 4) {
            let size = 60 + random.below(400) as usize;
            let rest = random.chance(1, 2);
            let body = random.bytes(size);
            let lossless = Packet { opcode: SEND_ONLY, qpn: NOBODY, ident: number as u32, body, ..Packet::default() };
            let next = if rest { plain(size, number) } else { frame(&way(0).back(), &lossless) };
            number += 1;
            from_line = beats(&next).collect();
            sent[usize::from(rest)].push_back(next);
        }
        if from_client.is_empty() && now < 38_000 {
            if now % 1000 == 500 {
                let quanta = random.pick(&[100u16, 200, 300]);
                from_client = pause(quanta).into();
                (since, until) = (now, now + u64::from(quanta) * 256 / 200);
                pauses += 1;
            } else if now % 1000 == 600 && now % 3000 < 1000 {
                from_client = pause(0).into();
                until = now;
            } else if now % 100 == 50 {
                let i = (now / 100) as u32 % FLOWS;
                from_client = beats(&write_of(i, psn[i as usize], true, now as u32)).collect();
                psn[i as usize] += 1;
            }
        }
        let tick = bench.gates.tick(from_client.pop_front().as_ref(), from_line.pop_front().as_ref(), true, true);
        // the pause takes a few cycles to count
        let held = now > since + 20 && now + 1 < until;
        quiet += u64::from(held && tick.client_tx.is_none());
        if tick.client_tx.is_some() && out[0].part.is_empty() {
            began_held = held;
        }
        if out[0].take(tick.client_tx) {
            let frame = out[0].frames.pop().unwrap();
            let rest = frame[12..14] == [0x88, 0xb6];
            assert!(rest || !began_held, "cycle {now}: a frame of the class paused from {since} to {until}");
            passed += u32::from(rest && began_held);
            // the others are ACKs
            let ours = !rest && parse_frame(&frame).dest_qpn == NOBODY;
            if rest || ours {
                assert_eq!(Some(frame), sent[usize::from(rest)].pop_front(), "cycle {now}");
            }
        }
        if out[1].take(tick.line_tx) {
            let frame = out[1].frames.pop().unwrap();
            on_line += u32::from(frame[12..14] == [0x88, 0x08]);
        }
    }
    println!("{pauses} pauses, {quiet} cycles quiet, {passed} frames of the rest passed");
    assert_eq!(on_line, 0, "MAC control never crosses the line");
    assert!(sent.iter().all(VecDeque::is_empty) && pauses > 30 && quiet > 2000 && passed > 300);
    let ons = read(&mut bench, &pfc::XON_IN);
    assert_eq!(read(&mut bench, &pfc::XOFF_IN), pauses);
    assert!(ons > 5 && read(&mut bench, &pfc::STATUS) == 0);
}
