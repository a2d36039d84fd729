//! The verilated `pseudo_ack` against the model, one intent at a time and many at once.

mod bench;
mod crowd;
mod notifications;
mod resting;
mod templates;

use crate::harness::{acknowledgement, Random, Stall};
use bench::{Bench, Seen};
use matchrdma_model::pseudo_ack::PseudoAck;
use matchrdma_model::record::{Back, Cfg, Intent, Kind, Rx};
use templates::{any_template, real_acks};

const SERIAL: u8 = 7;
const ON: Cfg = Cfg { enable: true, ack_ops_write: false, mtu: 0, serial: SERIAL };

fn rx(run: u8) -> Rx {
    Rx { serial: SERIAL, run, synced: true, ..Rx::default() }
}

fn back(run: u8) -> Back {
    Back { run, active: true, ..Back::default() }
}

fn say(kind: Kind, flow: u16, run: u8, psn: u32, msn: u32) -> Intent {
    Intent { kind, req: true, flow, run, psn: psn & 0xff_ffff, msn: msn & 0xff_ffff }
}

/// An Active flow of run 1 whose first real ACK, for the PSN before `psn`, has reached the sender.
fn activate_at(bench: &mut Bench, random: &mut Random, flow: u16, psn: u32) {
    bench.write_cfg(flow, ON);
    bench.write_rx(flow, rx(1));
    bench.write_back(flow, back(1));
    bench.write_template(flow, &any_template(random, flow.into()));
    bench.step(random);
    bench.offer(false, say(Kind::Confirm, flow, 1, psn.wrapping_sub(1) & 0xff_ffff, 0));
    while bench.waiting() != (0, 0) {
        bench.step(random);
    }
    bench.taken.clear();
}

/// An Active flow of run 1 to which PSN 0 has not been acknowledged.
fn activate(bench: &mut Bench, random: &mut Random, flow: u16) {
    activate_at(bench, random, flow, 0);
}

/// Every kind of intent, and every record changing under them, one at a time: frames and `said` are the model's.
#[test]
fn one_at_a_time_it_says_what_the_model_says() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    let mut model = PseudoAck::new(false);
    let flows = [0u16, 1, 77, 2048, 4095];
    let (mut enable, mut last) = (true, [0; 5]);
    bench.set_enable(enable);
    model.set_enable(enable);
    let mut cursor = [100, 0xff_fffa, 0x7f_fff8, 0, 0x12_3456u32];
    let (mut rxs, mut backs, mut cfgs) = ([Rx::default(); 5], [Back::default(); 5], [Cfg::default(); 5]);
    let (mut frames, mut naks, mut refusals, mut shapes) = (0, 0, 0, std::collections::BTreeSet::new());
    for flow in flows {
        let template = any_template(&mut random, flow.into());
        model.set_template(flow, template);
        bench.write_template(flow, &template);
        bench.step(&mut random);
    }
    for event in 0..60_000 {
        let at = random.below(5) as usize;
        let flow = flows[at];
        match random.below(40) {
            0 => {
                let r = &mut rxs[at];
                *r = Rx { serial: SERIAL, run: r.run.wrapping_add(random.chance(1, 3).into()), ..Rx::default() };
                r.drain = random.chance(1, 6);
                r.serial ^= u8::from(random.chance(1, 6));
                model.set_rx(flow, *r);
                bench.write_rx(flow, *r);
            }
            1 | 2 => {
                let stale = random.chance(1, 6).into();
                backs[at] = Back { run: rxs[at].run.wrapping_sub(stale), ..Back::default() };
                backs[at].active = random.chance(7, 8);
                backs[at].fault = random.chance(1, 8);
                model.set_back(flow, backs[at]);
                bench.write_back(flow, backs[at]);
            }
            3 => {
                cfgs[at] = Cfg { enable: random.chance(7, 8), ..ON };
                cfgs[at].serial ^= u8::from(random.chance(1, 8));
                model.set_cfg(flow, cfgs[at]);
                bench.write_cfg(flow, cfgs[at]);
            }
            4 => {
                let template = any_template(&mut random, flow.into());
                model.set_template(flow, template);
                bench.write_template(flow, &template);
            }
            5 => {
                enable = random.chance(7, 8);
                model.set_enable(enable);
                bench.set_enable(enable);
            }
            _ => {
                cursor[at] = (cursor[at] + random.below(4) as u32) & 0xff_ffff;
                let mut psn = cursor[at].wrapping_add(random.below(7) as u32).wrapping_sub(5);
                if random.chance(1, 200) {
                    psn ^= 0x80_0000; // as far away as can be
                }
                let kind = match Kind::of(random.below(8)).unwrap() {
                    Kind::Refuse if random.chance(9, 10) => Kind::Ack,
                    kind => kind,
                };
                let mut msn = random.bits(24) as u32;
                let mut req = random.chance(2, 3);
                if kind == Kind::Barrier {
                    msn = psn.wrapping_add(random.below(4) as u32);
                    req = random.chance(1, 6);
                    last[at] = msn;
                } else if kind == Kind::Answer && random.chance(1, 2) {
                    psn = last[at];
                } else if kind == Kind::Refuse {
                    msn = random.pick(&[0x61, 0x62, 0x63]);
                }
                let run = rxs[at].run.wrapping_sub(random.chance(1, 20).into());
                let intent = Intent { req, ..say(kind, flow, run, psn, msn) };
                assert!(model.intent(intent).is_none());
                bench.offer(random.chance(1, 2), intent);
            }
        }
        bench.step(&mut random);
        bench.idle(&mut random);
        let expected: Vec<Seen> = std::iter::from_fn(|| model.build()).map(|f| Seen::of(&f)).collect();
        let seen = std::mem::take(&mut bench.seen);
        assert_eq!(seen, expected, "event {event}, {:x?}", bench.taken.last());
        for one in &seen {
            let said = acknowledgement(&one.frame);
            assert_eq!((said.opcode, said.ack_req), (0x11, false));
            let refusal = (0x61..=0x63).contains(&said.syndrome);
            assert!(if one.nak { said.syndrome == 0x60 || refusal } else { said.syndrome == 0x1f });
            refusals += u32::from(refusal);
            assert_eq!(said.dest_qp, u32::from(flow));
            shapes.insert((said.v6, said.tags, one.nak));
            frames += 1;
            naks += u32::from(one.nak);
        }
        // until something is written, `said` of the bench is empty, as the model's
        assert_eq!(bench.said(flow), model.said(flow), "event {event}, {:x?}", bench.taken.last());
        bench.taken.clear();
    }
    println!("{frames} frames, {naks} of them NAKs, {refusals} refusals, {} shapes", shapes.len());
    assert!(frames > 2000 && naks > 300 && refusals > 100 && shapes.len() == 12, "{frames} {naks} {shapes:?}");
}

/// What Linux's RoCE stack sent, said again through a template made of it, is the same frame to the last bit.
#[test]
fn a_real_ack_said_again_is_the_same_frame() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    bench.set_enable(true);
    let mut count = 0;
    for name in ["write-16k-mtu1024", "ipv6-write", "vlan100-pcp3-write", "ipv6-linklocal-send", "psn-wrap-write"] {
        for (frame, template) in real_acks(name) {
            let real = acknowledgement(&frame);
            activate_at(&mut bench, &mut random, count, real.psn);
            bench.write_template(count, &template);
            bench.step(&mut random);
            bench.offer(false, say(Kind::Confirm, count, 1, real.psn, real.msn));
            bench.idle(&mut random);
            assert_eq!(std::mem::take(&mut bench.seen), [Seen { frame, nak: false, cnp: false }], "{name}");
            count += 1;
        }
    }
    assert!(count > 20, "{count}");
}

/// Intents move at one per cycle, of one flow and of many, whatever is remembered of them.
#[test]
fn intents_without_a_request_move_one_per_cycle() {
    let mut random = Random::new();
    for flows in [1u16, 2, 3, 64] {
        let mut bench = Bench::new();
        bench.set_enable(true);
        for flow in 0..flows {
            activate(&mut bench, &mut random, flow);
        }
        for i in 0..3000u32 {
            let intent = say(Kind::Ack, (i % u32::from(flows)) as u16, 1, i, i);
            bench.offer(true, Intent { req: false, ..intent });
        }
        let start = bench.cycle;
        while bench.waiting().0 > 0 {
            bench.step(&mut random);
        }
        assert!(bench.cycle - start <= 3000 + 2, "{} cycles for 3000 intents", bench.cycle - start);
        bench.idle(&mut random);
        for flow in 0..flows {
            let last = (0..3000u32).rev().find(|i| i % u32::from(flows) == u32::from(flow)).unwrap();
            assert_eq!(bench.said(flow).departed_psn, last);
        }
    }
}

/// With both ports full of intents that all ask for frames, frames and both kinds of intents keep moving.
#[test]
fn nobody_starves() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    bench.set_enable(true);
    for flow in 0..128 {
        activate(&mut bench, &mut random, flow);
    }
    for i in 0..20_000u32 {
        let (flow, psn) = ((i % 64) as u16, i / 64);
        bench.offer(true, say(Kind::Ack, flow, 1, psn, psn));
        bench.offer(false, say(Kind::Confirm, flow + 64, 1, psn, psn));
    }
    let (mut taken, mut lines, mut frames) = (0, 0, 0);
    for _ in 0..8000 {
        bench.step(&mut random);
    }
    taken += bench.taken.len();
    lines += bench.taken.iter().filter(|(line, _)| *line).count();
    frames += bench.seen.len();
    println!("8000 cycles: {taken} intents, {lines} of the line, {frames} frames");
    assert!(taken >= 4000, "{taken} intents in 8000 cycles");
    assert!(lines.abs_diff(taken - lines) <= 2, "{lines} of {taken} are the line's");
    assert!(frames >= 480, "{frames} frames in 8000 cycles");
}

/// Every flow there is waits to speak while the sink takes nothing; then each speaks once.
#[test]
fn all_flows_at_once_are_all_heard() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    bench.set_enable(true);
    for flow in 0..4096 {
        activate(&mut bench, &mut random, flow);
    }
    for round in 0..3u32 {
        bench.sink = Stall::Bursts;
        for flow in 0..4096 {
            bench.offer(round % 2 == 0, say(Kind::Confirm, flow, 1, round, round));
        }
        bench.idle(&mut random);
        let seen = std::mem::take(&mut bench.seen);
        let mut heard: Vec<u32> = seen.iter().map(|s| acknowledgement(&s.frame).dest_qp).collect();
        heard.sort();
        assert_eq!(heard, (0..4096).collect::<Vec<u32>>(), "round {round}");
    }
}

/// A reset while flows wait in the ready queue does not leave them silent.
#[test]
fn a_reset_leaves_no_flow_silent() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    bench.set_enable(true);
    for flow in 0..64 {
        activate(&mut bench, &mut random, flow);
    }
    for round in 0..8u32 {
        for flow in 0..64 {
            bench.offer(true, say(Kind::Confirm, flow, 1, 2 * round, 0));
        }
        for _ in 0..30 + 9 * round {
            bench.step(&mut random);
        }
        bench.reset();
        bench.seen.clear();
        for flow in 0..64 {
            bench.offer(true, say(Kind::Confirm, flow, 1, 2 * round + 1, 0));
        }
        bench.idle(&mut random);
        assert_eq!(std::mem::take(&mut bench.seen).len(), 64, "round {round}");
    }
}

/// Intents of kind NONE and of kinds that do not exist change nothing.
#[test]
fn an_intent_of_no_kind_is_ignored() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    bench.set_enable(true);
    activate(&mut bench, &mut random, 5);
    bench.offer(true, say(Kind::Confirm, 5, 1, 10, 1));
    bench.idle(&mut random);
    let said = bench.said(5);
    assert_eq!(bench.seen.len(), 1);
    for _ in 0..20 {
        bench.offer(true, say(Kind::None, 5, 1, 20, 2));
        bench.offer(false, say(Kind::None, 6, 0, 20, 2));
    }
    bench.idle(&mut random);
    assert_eq!((bench.seen.len(), bench.said(5)), (1, said));
}

/// A flow that restarts while its entry waits in the ready queue says nothing of its old run.
#[test]
fn a_flow_that_restarts_forgets_what_it_was_about_to_say() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    bench.set_enable(true);
    for flow in 0..40 {
        activate(&mut bench, &mut random, flow);
    }
    bench.shut = true;
    for flow in 0..40 {
        bench.offer(false, say(Kind::Confirm, flow, 1, 100, 1));
    }
    for _ in 0..400 {
        bench.step(&mut random);
    }
    for flow in 0..40 {
        bench.write_rx(flow, rx(2));
        bench.write_back(flow, back(2));
        bench.step(&mut random);
    }
    bench.shut = false;
    bench.idle(&mut random);
    // one was made, and one waited, and they could not leave
    assert_eq!(std::mem::take(&mut bench.seen).len(), 2);
    for flow in 0..40 {
        bench.offer(false, say(Kind::Confirm, flow, 2, 6, 0));
        bench.offer(false, say(Kind::Confirm, flow, 2, 7, 1));
    }
    bench.idle(&mut random);
    let heard: Vec<_> = bench.seen.iter().map(|s| acknowledgement(&s.frame)).map(|a| (a.dest_qp, a.psn)).collect();
    assert_eq!(heard, (0..40).map(|flow| (flow, 7)).collect::<Vec<_>>());
}

/// However often a flow has news while the sink takes nothing, it has one place in the ready queue.
#[test]
fn a_busy_flow_takes_one_place_and_crowds_nobody_out() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    bench.set_enable(true);
    for flow in 0..40 {
        activate(&mut bench, &mut random, flow);
    }
    bench.shut = true;
    for flow in 0..20 {
        bench.offer(false, say(Kind::Confirm, flow, 1, 1, 1));
    }
    for psn in 0..5000 {
        bench.offer(false, say(Kind::Confirm, 20, 1, psn, psn));
    }
    for flow in 21..40 {
        bench.offer(false, say(Kind::Confirm, flow, 1, 1, 1));
    }
    while bench.waiting() != (0, 0) {
        bench.step(&mut random);
    }
    bench.shut = false;
    bench.idle(&mut random);
    let heard: Vec<_> = bench.seen.iter().map(|s| acknowledgement(&s.frame)).map(|a| (a.dest_qp, a.psn)).collect();
    let all: Vec<_> = (0..40).map(|flow| (flow, if flow == 20 { 4999 } else { 1 })).collect();
    assert_eq!(heard, all);
}

/// A READ repeated behind what was acknowledged holds back even what was said before, until the far side has answered.
#[test]
fn a_repeated_read_silences_the_flow_until_it_is_answered() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    bench.set_enable(true);
    activate(&mut bench, &mut random, 3);
    bench.offer(false, say(Kind::Confirm, 3, 1, 10, 4));
    bench.idle(&mut random);
    assert_eq!(std::mem::take(&mut bench.seen).len(), 1);
    for intent in [
        say(Kind::Barrier, 3, 1, 5, 6),
        say(Kind::Confirm, 3, 1, 10, 4),
        say(Kind::Reack, 3, 1, 0, 0),
        say(Kind::Ack, 3, 1, 11, 5),
        say(Kind::Nak, 3, 1, 12, 5),
    ] {
        bench.offer(true, intent);
        bench.idle(&mut random);
        assert_eq!(bench.seen, [], "{intent:?}");
    }
    // half of the answer: what lies before the rest of it is answered, and nothing more
    bench.offer(false, say(Kind::Answer, 3, 1, 5, 2));
    bench.idle(&mut random);
    assert_eq!(bench.seen, []);
    bench.offer(false, say(Kind::Answer, 3, 1, 6, 2));
    bench.idle(&mut random);
    // the gap is still open, and its NAK acknowledges what came before it
    let said = acknowledgement(&bench.seen[0].frame);
    assert_eq!((bench.seen.len(), bench.seen[0].nak, said.psn, said.msn), (1, true, 12, 5));
}
