//! `ack_filter`, rule by rule: one small story for each, with the expected words written out.

use super::ack_filter::{cycle, fresh, Inputs};
use matchrdma_model::ack_filter::{InOp, InVerdict, Template, HEADER_BYTES};
use matchrdma_model::record::{Back, Cfg, Event, Intent, Kind, Reason, Rx, Said, Times};
use matchrdma_rtl::ack_filter::Dut;
use matchrdma_spec::event;
use matchrdma_spec::wire::opcode::*;

const FLOW: u16 = 0xc31;
const ON: Cfg = Cfg { enable: true, ack_ops_write: false, mtu: 0, serial: 1 };
/// Run 7; PSN 100 is expected; PSN 90 was sampled at 20 messages.
const RX: Rx = Rx {
    serial: 1,
    run: 7,
    synced: true,
    drain: false,
    gap: false,
    sample_valid: true,
    mtu: 0,
    expected: 100,
    count: 30,
    sample_psn: 90,
    sample_count: 20,
    off: false,
    rewound: false,
    mould: false,
    mig: false,
    cause: 0,
};

struct Bench {
    dut: Dut,
    back: Back,
    template: Option<Template>,
}

impl Bench {
    fn new() -> Self {
        let mut bench = Bench { dut: fresh(), back: Back::default(), template: None };
        bench.write(Inputs { cfg: Some((FLOW, ON)), rx: Some((FLOW, RX)), ..Inputs::default() });
        bench
    }

    fn write(&mut self, inputs: Inputs) {
        cycle(&mut self.dut, &inputs);
    }

    fn rx(&mut self, rx: Rx) {
        self.write(Inputs { rx: Some((FLOW, rx)), ..Inputs::default() });
    }

    fn burst(&mut self, ops: &[InOp]) -> Vec<InVerdict> {
        let mut verdicts = vec![];
        for at in 0..ops.len() + 2 {
            let op = ops.get(at).copied();
            let seen =
                cycle(&mut self.dut, &Inputs { op: op.unwrap_or_default(), valid: op.is_some(), ..Inputs::default() });
            verdicts.extend(seen.verdict);
            if let Some((index, back)) = seen.back {
                assert_eq!(index, FLOW);
                self.back = back;
            }
            if let Some((index, template)) = seen.template {
                assert_eq!(index, FLOW);
                self.template = Some(template);
            }
        }
        assert_eq!(verdicts.len(), ops.len(), "one verdict for each op, two cycles later");
        verdicts
    }

    fn op(&mut self, op: InOp) -> InVerdict {
        self.burst(&[op])[0]
    }

    /// Looks after `FLOW`; what is told, and the age of its debt.
    fn sweep(&mut self, times: Times) -> (Option<Event>, Option<u16>) {
        let mut seen = (None, None);
        for at in 0..3 {
            let sweep = Some(FLOW).filter(|_| at == 0);
            let op = InOp { enable: true, ..InOp::default() };
            let out = cycle(&mut self.dut, &Inputs { sweep, op, times, ..Inputs::default() });
            assert!(out.verdict.is_none());
            seen = (seen.0.or(out.event), seen.1.or(out.age));
            self.back = out.back.map_or(self.back, |(_, back)| back);
        }
        seen
    }

    /// A flow that the ACK of its sample made Active, with an offset of 1000.
    fn active() -> Self {
        let mut bench = Bench::new();
        bench.op(ack(90, 1020));
        assert!(bench.back.active && bench.back.offset == 1000);
        bench
    }
}

fn response(opcode: u8, psn: u32, msn: u32) -> InOp {
    InOp {
        hit: true,
        index: FLOW,
        roce: true,
        good: true,
        opcode,
        psn,
        msn,
        room: true,
        enable: true,
        ..InOp::default()
    }
}

fn ack(psn: u32, msn: u32) -> InOp {
    InOp { syndrome: 0x1f, ..response(ACKNOWLEDGE, psn, msn) }
}

fn nak(psn: u32, syndrome: u8) -> InOp {
    InOp { syndrome, ..response(ACKNOWLEDGE, psn, 5) }
}

fn confirm(req: bool, psn: u32, msn: u32) -> Intent {
    Intent { kind: Kind::Confirm, req, flow: FLOW, run: 7, psn, msn }
}

fn passed(active: bool, intent: Intent) -> InVerdict {
    InVerdict { forward: true, push: true, active, intent, ..InVerdict::default() }
}

fn answered(psn: u32, msn: u32) -> Intent {
    Intent { kind: Kind::Answer, ..confirm(false, psn, msn) }
}

fn told(verdict: InVerdict, code: u8, psn: u32) -> InVerdict {
    InVerdict { event: Some(Event { code, flow: FLOW, run: 7, psn }), ..verdict }
}

fn dropped(active: bool, reason: Reason) -> InVerdict {
    InVerdict { active, reason, ..InVerdict::default() }
}

const NOTHING: Intent = Intent { kind: Kind::None, req: false, flow: 0, run: 0, psn: 0, msn: 0 };

#[test]
fn errors_come_first_and_then_want_of_room() {
    let mut b = Bench::active();
    let all = InOp { err: true, room: false, good: false, ..ack(95, 7) };
    assert_eq!(b.op(all), dropped(false, Reason::MacError));
    assert_eq!(b.op(InOp { cut: true, ..all }), dropped(false, Reason::Malformed));
    let before = b.back;
    assert_eq!(b.op(InOp { err: false, ..all }), dropped(true, Reason::Overflow));
    assert_eq!(b.back, before);
    assert_eq!(b.op(InOp { err: false, good: true, ..all }), dropped(true, Reason::Overflow));
    assert_eq!(b.back, Back { seen_psn: 95, ..before }, "but it was said");
    let budget = InOp { budget: true, hit: false, roce: false, err: false, ..all };
    assert_eq!(b.op(budget), dropped(false, Reason::None), "heard elsewhere, and needs no room");
    assert_eq!(b.op(InOp { err: true, ..budget }), dropped(false, Reason::MacError));
}

#[test]
fn a_refusal_has_its_effect_without_room() {
    let mut b = Bench::active();
    let before = b.back;
    let refused = InOp { room: false, ..nak(96, 0x60) };
    assert_eq!(b.op(InOp { good: false, ..refused }), dropped(true, Reason::Overflow));
    assert_eq!(b.back, before);
    assert_eq!(b.op(refused), told(dropped(true, Reason::Overflow), event::RESYNC, 96));
    assert_eq!((b.back.active, b.back.resync), (false, true));
}

#[test]
fn what_is_no_response_of_a_known_flow_passes_untouched() {
    let mut b = Bench::active();
    let before = b.back;
    for op in [
        InOp { roce: false, ..ack(95, 7) },
        InOp { hit: false, ..ack(95, 7) },
        InOp { enable: false, ..ack(95, 7) },
        response(SEND_ONLY, 95, 7),
        response(CNP, 0, 7),
        response(0x31, 95, 7),
    ] {
        assert_eq!(b.op(op), passed(false, NOTHING), "{op:?}");
    }
    b.rx(Rx { serial: 2, ..RX });
    assert_eq!(b.op(ack(95, 7)), passed(false, NOTHING), "a stale flow");
    assert_eq!(b.back, before);
}

#[test]
fn an_ack_in_sync_passes_and_the_one_of_the_sample_makes_the_flow_active() {
    let mut b = Bench::new();
    assert_eq!(b.op(ack(89, 1019)), passed(false, confirm(false, 89, 1019)));
    assert_eq!((b.back.run, b.back.seen, b.back.seen_psn, b.back.active), (7, true, 89, false));
    assert_eq!(b.template, None);
    let header = std::array::from_fn(|i| (3 * i) as u8);
    let op = InOp { header, vlans: 2, v6: true, ..ack(90, 5) };
    assert_eq!(b.op(op), told(passed(false, confirm(true, 90, 5)), event::ACTIVE, 90));
    assert_eq!((b.back.active, b.back.offset, b.back.seen_psn), (true, 0xff_fff1, 90));
    assert_eq!(b.template, Some(Template { header, vlans: 2, v6: true }));
    assert_eq!(HEADER_BYTES, 90);
}

#[test]
fn no_sample_and_no_ack_of_another_psn_makes_a_flow_active() {
    for rx in [Rx { synced: false, ..RX }, Rx { sample_valid: false, ..RX }, Rx { sample_psn: 91, ..RX }] {
        let mut b = Bench::new();
        b.rx(rx);
        b.op(ack(90, 1020));
        assert!(b.back.seen && !b.back.active && b.template.is_none(), "{rx:?}");
    }
}

#[test]
fn a_real_ack_on_an_active_flow_is_absorbed() {
    let mut b = Bench::active();
    let before = b.back;
    let taken =
        InVerdict { push: true, active: true, absorbed: true, intent: confirm(true, 99, 1029), ..InVerdict::default() };
    assert_eq!(b.op(ack(99, 1029)), taken);
    assert_eq!(b.back, Back { seen_psn: 99, ..before });
    assert!(b.op(ack(97, 1029)).absorbed);
    assert_eq!(b.back.seen_psn, 99, "never backwards");
}

#[test]
fn an_ack_of_what_was_never_sent_ends_the_pair() {
    let mut b = Bench::active();
    assert_eq!(b.op(ack(100, 1030)), told(passed(true, NOTHING), event::MISPAIRED, 100));
    assert!(b.back.off && b.back.cause == event::MISPAIRED);
    assert_eq!(b.burst(&[ack(95, 7), nak(95, 0x60), response(READ_RESPONSE_ONLY, 95, 7)]), [passed(false, NOTHING); 3]);
    let mut b = Bench::active();
    b.rx(Rx { rewound: true, ..RX });
    assert_eq!(b.op(ack(100, 1030)), told(passed(true, NOTHING), event::RESYNC, 100));
    assert_eq!((b.back.off, b.back.active, b.back.resync), (false, false, true), "it may have been sent before");
}

#[test]
fn a_fault_keeps_acks_to_itself() {
    let mut b = Bench::active();
    b.write(Inputs {
        said: Some((FLOW, Said { run: 7, valid: true, acked_psn: 95, ..Said::default() })),
        ..Inputs::default()
    });
    b.op(nak(95, 0x62));
    assert_eq!((b.back.fault, b.back.refusal, b.back.cause), (true, 2, event::FAULT_REFUSED));
    let before = b.back;
    assert_eq!(b.burst(&[ack(95, 7), nak(99, 0x20)]), [dropped(false, Reason::Fault); 2]);
    assert_eq!(
        b.burst(&[response(READ_RESPONSE_ONLY, 95, 7), response(ATOMIC_ACKNOWLEDGE, 95, 7)]),
        [passed(false, NOTHING); 2]
    );
    assert_eq!(b.back, before);
}

#[test]
fn another_message_count_drains() {
    let mut b = Bench::active();
    let said = Said { run: 7, valid: true, acked_psn: 95, acked_msn: 1025, ..Said::default() };
    b.write(Inputs { said: Some((FLOW, said)), ..Inputs::default() });
    assert!(b.op(ack(95, 1025)).absorbed && b.op(ack(94, 1)).absorbed && !b.back.drain);
    let verdict = b.op(ack(95, 1026));
    assert_eq!(verdict.event.map(|e| e.code), Some(event::DRAIN_MSN));
    assert!(verdict.absorbed && b.back.drain && b.back.cause == event::DRAIN_MSN);
    assert_eq!(b.op(ack(96, 1026)), passed(false, confirm(false, 96, 1026)), "Drain lets it pass");
}

#[test]
fn debt_is_watched_until_it_is_too_old() {
    let times = |now| Times::at(now, 0, 0, 10);
    let mut b = Bench::active();
    let said = |acked_psn| Said { run: 7, valid: true, acked_psn, ..Said::default() };
    let tell = |b: &mut Bench, acked| b.write(Inputs { said: Some((FLOW, said(acked))), ..Inputs::default() });
    tell(&mut b, 95);
    assert_eq!(b.sweep(times(100)), (None, None));
    tell(&mut b, 97);
    b.op(ack(96, 1026));
    assert_eq!(b.sweep(times(109)), (None, None), "paid; the next mark");
    assert_eq!(b.sweep(times(119)), (None, Some(10)));
    let fault = Event { code: event::FAULT_DEBT, flow: FLOW, run: 7, psn: 97 };
    assert_eq!(b.sweep(times(120)), (Some(fault), Some(11)));
    assert_eq!((b.back.fault, b.back.refusal, b.back.cause), (true, 3, event::FAULT_DEBT));
}

#[test]
fn a_refusal_of_what_the_sender_was_told_is_a_fault_and_another_one_a_new_start() {
    for (acked, psn, fault) in [(95, 95, true), (95, 94, true), (95, 96, false), (0, 0xff_ffff, true)] {
        for syndrome in [0x60, 0x61, 0x20, 0x3f] {
            let mut b = Bench::active();
            let said = Said { run: 7, valid: true, acked_psn: acked, ..Said::default() };
            b.write(Inputs { said: Some((FLOW, said)), ..Inputs::default() });
            let verdict = if fault {
                told(dropped(true, Reason::Fault), event::FAULT_REFUSED, psn)
            } else {
                told(passed(true, NOTHING), event::RESYNC, psn)
            };
            assert_eq!(b.op(nak(psn, syndrome)), verdict);
            assert_eq!((b.back.fault, b.back.active, b.back.resync), (fault, fault, !fault), "{acked} {psn}");
        }
    }
    for said in [
        Said { run: 7, valid: false, acked_psn: 95, ..Said::default() },
        Said { run: 6, valid: true, acked_psn: 95, ..Said::default() },
    ] {
        let mut b = Bench::active();
        b.write(Inputs { said: Some((FLOW, said)), ..Inputs::default() });
        b.op(nak(95, 0x60));
        assert!(!b.back.fault && b.back.resync, "nothing was said");
    }
}

#[test]
fn a_refusal_in_sync_asks_for_a_new_start_and_no_match_comes_before_it() {
    let mut b = Bench::new();
    assert_eq!(
        b.burst(&[nak(88, 0x60), ack(90, 1020)]),
        [passed(false, NOTHING), passed(false, confirm(false, 90, 1020))]
    );
    assert!(b.back.resync && !b.back.active && b.template.is_none());
    b.rx(Rx { run: 8, ..RX });
    b.op(ack(90, 1020));
    assert_eq!((b.back.run, b.back.resync, b.back.active), (8, false, true), "the new run may match");
}

#[test]
fn a_bad_answer_is_dropped_on_an_active_flow_alone() {
    let bad = InOp { good: false, ..ack(90, 1020) };
    let mut b = Bench::new();
    assert_eq!(b.op(bad), passed(false, NOTHING));
    assert_eq!(b.back, Back::default());
    let mut b = Bench::active();
    assert_eq!(b.op(bad), dropped(true, Reason::BadIcrc));
}

#[test]
fn a_flow_that_drains_passes_everything() {
    let mut b = Bench::active();
    b.rx(Rx { drain: true, ..RX });
    let before = b.back;
    let verdicts = b.burst(&[ack(95, 7), InOp { good: false, ..ack(97, 7) }, nak(96, 0x60)]);
    assert_eq!(verdicts[0], passed(false, confirm(false, 95, 7)));
    assert_eq!(verdicts[1..], [passed(false, NOTHING); 2]);
    assert_eq!(b.back, Back { seen_psn: 95, ..before });
}

#[test]
fn the_end_of_an_answer_confirms_and_a_full_packet_tells_the_mtu() {
    let mut b = Bench::active();
    for op in [READ_RESPONSE_LAST, READ_RESPONSE_ONLY, ATOMIC_ACKNOWLEDGE] {
        assert_eq!(b.op(response(op, 95, 1025)), passed(true, answered(95, 1025)));
    }
    assert_eq!(b.op(InOp { payload: 1000, ..response(READ_RESPONSE_FIRST, 95, 9) }), passed(true, NOTHING));
    assert_eq!(b.back.mtu, 0);
    for (payload, code) in [(256, 1), (512, 2), (1024, 3), (2048, 4), (4096, 5)] {
        let op = [READ_RESPONSE_FIRST, READ_RESPONSE_MIDDLE][code as usize % 2];
        assert_eq!(b.op(InOp { payload, ..response(op, 95, 9) }), passed(true, NOTHING));
        assert_eq!(b.back.mtu, code);
        assert!(b.back.active);
    }
}

#[test]
fn answers_in_consecutive_cycles_see_each_other() {
    let mut b = Bench::new();
    let verdicts = b.burst(&[ack(90, 1020), ack(91, 1021), nak(95, 0x60), ack(92, 1022)]);
    assert_eq!(verdicts[0], told(passed(false, confirm(true, 90, 1020)), event::ACTIVE, 90));
    assert!(verdicts[1].absorbed, "already Active");
    assert_eq!(verdicts[2], told(passed(true, NOTHING), event::RESYNC, 95));
    assert_eq!(verdicts[3], passed(false, confirm(false, 92, 1022)), "no longer");
}

#[test]
fn an_older_run_counts_as_empty() {
    let mut b = Bench::active();
    b.rx(Rx { run: 8, sample_valid: false, ..RX });
    assert_eq!(b.op(ack(95, 1025)), passed(false, Intent { run: 8, ..confirm(false, 95, 1025) }));
    assert_eq!((b.back.run, b.back.active, b.back.seen), (8, false, true));
}
