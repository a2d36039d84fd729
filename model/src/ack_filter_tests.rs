//! Directed cases of `ack_filter`, one rule of `docs/blocks.md` each.

use super::*;

const I: u16 = 7;

fn ack(psn: u32, msn: u32) -> InOp {
    InOp {
        hit: true,
        index: I,
        roce: true,
        good: true,
        opcode: ACKNOWLEDGE,
        psn,
        syndrome: 0x1f,
        msn,
        room: true,
        enable: true,
        ..InOp::default()
    }
}

fn nak(psn: u32) -> InOp {
    InOp { syndrome: 0x60, ..ack(psn, 0) }
}

fn op(opcode: u8, psn: u32) -> InOp {
    InOp { opcode, ..ack(psn, 3) }
}

/// In Sync: sample at 20 with count 4, expecting 25, run 9.
fn sync() -> AckFilter {
    let mut f = AckFilter::new();
    f.set_cfg(I, Cfg { enable: true, serial: 1, ..Cfg::default() });
    f.set_rx(
        I,
        Rx {
            serial: 1,
            run: 9,
            synced: true,
            sample_valid: true,
            expected: 25,
            sample_psn: 20,
            sample_count: 4,
            ..Rx::default()
        },
    );
    f
}

fn active() -> AckFilter {
    let mut f = sync();
    f.op(ack(20, 100));
    assert!(f.back(I).active);
    f
}

fn confirm(psn: u32, msn: u32, req: bool) -> Intent {
    Intent { kind: Kind::Confirm, req, flow: I, run: 9, psn, msn }
}

fn answer(psn: u32, msn: u32) -> Intent {
    Intent { kind: Kind::Answer, ..confirm(psn, msn, false) }
}

fn passes(v: InVerdict, intent: Intent) {
    assert!(v.forward && v.push && !v.absorbed && v.reason == Reason::None, "{v:?}");
    assert_eq!(v.intent, intent);
}

#[test]
fn broken_frames_and_a_full_memory_change_nothing() {
    let mut f = active();
    let before = f.back(I);
    assert_eq!(f.op(InOp { err: true, room: false, ..nak(1) }).reason, Reason::MacError);
    assert_eq!(f.op(InOp { err: true, cut: true, ..nak(1) }).reason, Reason::Malformed);
    assert_eq!(f.op(InOp { room: false, good: false, ..nak(22) }).back, None);
    let budget = InOp { budget: true, hit: false, roce: false, ..nak(1) };
    assert_eq!(f.op(InOp { err: true, ..budget }).reason, Reason::MacError);
    assert_eq!(f.op(InOp { room: false, ..budget }), f.op(budget), "it needs no room");
    assert_eq!(f.op(budget), InVerdict::default());
    assert_eq!(f.back(I), before);
    let v = f.op(InOp { room: false, ..ack(21, 101) });
    assert_eq!((v.forward, v.push, v.reason, v.active), (false, false, Reason::Overflow, true));
    let before = Back { seen_psn: 21, ..before };
    assert_eq!(f.back(I), before, "but what was said was said");
    let v = f.op(InOp { room: false, ..nak(22) });
    assert_eq!((v.forward, v.push, v.reason, v.intent), (false, false, Reason::Overflow, Intent::default()));
    assert_eq!(f.back(I), Back { active: false, resync: true, ..before }, "a refusal too");
    let mut f = sync();
    f.op(InOp { room: false, ..ack(20, 100) });
    assert_eq!(
        f.back(I),
        Back { seen: true, seen_psn: 20, ..Back::empty(9) },
        "no match: the ACK must reach the sender"
    );
}

#[test]
fn what_is_no_business_of_the_flow_passes() {
    let mut f = active();
    for op in [
        InOp { roce: false, ..ack(21, 0) },
        InOp { hit: false, ..ack(21, 0) },
        InOp { enable: false, ..ack(21, 0) },
        op(0x0a, 21),
        op(0x81, 21),
    ] {
        let v = f.op(op);
        passes(v, Intent::default());
        assert!(!v.active);
    }
    f.set_rx(I, Rx { serial: 2, run: 9, ..Rx::default() });
    let v = f.op(nak(21));
    passes(v, Intent::default());
    assert_eq!(v.back, None);
}

#[test]
fn a_bad_icrc_is_dropped_on_an_active_flow_only() {
    let bad = InOp { good: false, ..ack(20, 100) };
    let mut f = sync();
    passes(f.op(bad), Intent::default());
    assert_eq!(f.back(I), Back::default());
    let v = active().op(bad);
    assert_eq!((v.forward, v.push, v.reason, v.active), (false, false, Reason::BadIcrc, true));
}

#[test]
fn the_ack_of_the_sample_makes_the_flow_active() {
    let mut f = sync();
    let mut header = [0; HEADER_BYTES];
    header[61] = 0xaa;
    passes(f.op(ack(19, 99)), confirm(19, 99, false));
    assert_eq!((f.back(I).active, f.back(I).seen, f.back(I).seen_psn, f.back(I).run), (false, true, 19, 9));
    let v = f.op(InOp { header, vlans: 1, v6: true, ..ack(20, 100) });
    passes(v, confirm(20, 100, true));
    assert_eq!(v.template, Some(Template { header, vlans: 1, v6: true }));
    assert!(!v.active, "it was not yet");
    let back = f.back(I);
    assert_eq!((back.active, back.offset, back.seen_psn), (true, 96, 20));
}

#[test]
fn an_ack_makes_active_only_for_exactly_the_sample_of_this_run() {
    let mut f = sync();
    assert_eq!(f.op(ack(21, 100)).template, None);
    f.set_rx(I, Rx { synced: false, ..f.rx[usize::from(I)] });
    f.op(ack(20, 100));
    assert!(!f.back(I).active);
    let mut f = sync();
    f.set_rx(I, Rx { sample_valid: false, ..f.rx[usize::from(I)] });
    f.op(ack(20, 100));
    assert!(!f.back(I).active);
    let mut f = sync();
    f.op(nak(22));
    f.op(ack(20, 100));
    assert!(!f.back(I).active, "the sender is about to go back");
}

#[test]
fn another_run_leaves_nothing_behind() {
    let mut f = active();
    f.set_rx(I, Rx { run: 10, ..f.rx[usize::from(I)] });
    let v = f.op(ack(19, 99));
    assert!(v.forward, "in Sync again");
    let back = f.back(I);
    assert_eq!((back.run, back.active, back.offset, back.seen), (10, false, 0, true));
}

#[test]
fn active_absorbs_positive_acks() {
    let mut f = active();
    let v = f.op(ack(24, 104));
    assert_eq!((v.forward, v.push, v.absorbed, v.active, v.reason), (false, true, true, true, Reason::None));
    assert_eq!(v.intent, confirm(24, 104, true));
    assert_eq!(f.back(I).seen_psn, 24);
    f.op(ack(22, 104));
    assert_eq!(f.back(I).seen_psn, 24, "never backwards");
}

#[test]
fn an_ack_for_what_was_never_sent_means_that_the_pair_is_none() {
    let mut f = active();
    let v = f.op(ack(25, 104));
    passes(v, Intent::default());
    assert_eq!(v.event, Some(Event { code: event::MISPAIRED, flow: I, run: 9, psn: 25 }));
    assert_eq!((f.back(I).off, f.back(I).seen_psn), (true, 20));
    let v = f.op(ack(24, 104));
    passes(v, Intent::default());
    assert!(!v.active);
    let mut f = active();
    f.set_rx(I, Rx { rewound: true, ..f.rx[usize::from(I)] });
    let v = f.op(ack(25, 104));
    passes(v, Intent::default());
    assert_eq!(v.event.unwrap().code, event::RESYNC, "it was sent, but not since the flow went back");
    assert_eq!((f.back(I).off, f.back(I).active, f.back(I).resync), (false, false, true));
}

#[test]
fn another_message_count_for_what_the_sender_was_told_drains() {
    let said = Said { run: 9, valid: true, acked_psn: 22, acked_msn: 102, ..Said::default() };
    for (said, ack, drains) in [
        (said, ack(22, 103), true),
        (said, ack(22, 102), false),
        (said, ack(21, 103), false),
        (Said { valid: false, ..said }, ack(22, 103), false),
        (Said { run: 8, ..said }, ack(22, 103), false),
    ] {
        let mut f = active();
        f.set_said(I, said);
        let v = f.op(ack);
        assert!(v.absorbed && v.intent == confirm(ack.psn, ack.msn, true));
        let code = Some(event::DRAIN_MSN).filter(|_| drains);
        assert_eq!((f.back(I).drain, v.event.map(|e| e.code)), (drains, code));
    }
}

#[test]
fn in_fault_acks_end_here_and_responses_pass() {
    let mut f = active();
    f.back[usize::from(I)].fault = true;
    let before = f.back(I);
    for op in [ack(21, 101), nak(21), InOp { syndrome: 0x20, ..ack(24, 0) }] {
        let v = f.op(op);
        assert_eq!((v.forward, v.push, v.reason, v.absorbed), (false, false, Reason::Fault, false));
    }
    for opcode in [0x0d, 0x0f, 0x12] {
        passes(f.op(InOp { payload: 1024, ..op(opcode, 22) }), Intent::default());
    }
    assert_eq!(f.back(I), before);
}

fn times(now: u32, debt_timeout: u16) -> Times {
    Times::at(now, 0, 0, debt_timeout)
}

#[test]
fn debt_is_too_old_when_what_was_marked_is_not_confirmed_in_time() {
    let said = |acked_psn| Said { run: 9, valid: true, acked_psn, ..Said::default() };
    let mut f = active();
    f.set_said(I, said(20));
    assert_eq!(f.sweep(I, true, &times(5, 10)), Swept::default(), "no debt");
    f.set_said(I, said(22));
    assert_eq!(f.sweep(I, true, &times(10, 10)), Swept::default());
    assert_eq!(f.debt_age(I, &times(14, 10)), Some(4));
    f.set_said(I, said(24));
    f.op(ack(22, 102));
    assert_eq!(f.sweep(I, true, &times(19, 10)), Swept::default(), "paid; the next mark is at 24");
    assert_eq!(f.sweep(I, true, &times(29, 10)), Swept { age: Some(10), ..Swept::default() });
    let swept = f.sweep(I, true, &times(30, 10));
    assert_eq!(swept.event, Some(Event { code: event::FAULT_DEBT, flow: I, run: 9, psn: 24 }));
    assert_eq!((f.back(I).fault, f.back(I).refusal, f.back(I).cause), (true, 3, event::FAULT_DEBT));
    assert_eq!(f.sweep(I, true, &times(50, 10)), Swept::default());
    assert_eq!(f.debt_age(I, &times(50, 10)), None);
}

#[test]
fn debt_of_an_older_run_is_forgotten_and_that_of_a_drain_is_the_drains() {
    let said = Said { run: 9, valid: true, acked_psn: 22, ..Said::default() };
    let mut f = active();
    f.set_said(I, said);
    f.sweep(I, true, &times(0, 10));
    f.set_rx(I, Rx { drain: true, ..f.rx[usize::from(I)] });
    assert_eq!(f.sweep(I, true, &times(100, 10)), Swept { age: Some(100), ..Swept::default() });
    assert_eq!(f.debt_age(I, &times(100, 10)), Some(100));
    let mut f = active();
    f.set_said(I, said);
    f.sweep(I, true, &times(0, 10));
    f.set_rx(I, Rx { run: 10, sample_psn: 21, ..f.rx[usize::from(I)] });
    f.op(ack(21, 101));
    f.set_said(I, Said { run: 10, acked_psn: 23, ..said });
    assert_eq!(f.sweep(I, true, &times(100, 10)), Swept::default(), "a mark of now");
    assert_eq!(f.debt_age(I, &times(100, 10)), Some(0));
}

#[test]
fn a_refusal_of_what_was_acknowledged_is_a_fault() {
    let said = Said { run: 9, valid: true, acked_psn: 22, ..Said::default() };
    for (said, psn, fault) in [
        (said, 22, true),
        (said, 21, true),
        (said, 23, false),
        (Said { run: 8, ..said }, 22, false),
        (Said { valid: false, ..said }, 22, false),
    ] {
        for syndrome in [0x60, 0x62, 0x63, 0x21] {
            let mut f = active();
            f.set_said(I, said);
            let v = f.op(InOp { syndrome, ..nak(psn) });
            let back = f.back(I);
            assert_eq!((back.fault, back.resync, back.active), (fault, !fault, fault), "{said:?} {psn}");
            let code = if fault { event::FAULT_REFUSED } else { event::RESYNC };
            assert_eq!(v.event, Some(Event { code, flow: I, run: 9, psn }));
            if fault {
                assert_eq!((v.forward, v.push, v.reason), (false, false, Reason::Fault));
                assert_eq!(back.refusal, if syndrome == 0x62 { 2 } else { 3 });
            } else {
                passes(v, Intent::default());
            }
        }
    }
}

#[test]
fn a_refusal_in_sync_starts_it_over() {
    let mut f = sync();
    passes(f.op(nak(22)), Intent::default());
    assert_eq!(f.back(I), Back { resync: true, ..Back::empty(9) });
}

#[test]
fn responses_confirm_with_their_last_packet() {
    for mut f in [sync(), active()] {
        for opcode in [0x0f, 0x10, 0x12] {
            let v = f.op(op(opcode, 22));
            passes(v, answer(22, 3));
            assert_eq!((f.back(I).seen, f.back(I).seen_psn), (true, 22));
        }
        for opcode in [0x0d, 0x0e] {
            let v = f.op(InOp { payload: 2048, ..op(opcode, 22) });
            passes(v, Intent::default());
            assert_eq!(f.back(I).mtu, 4);
            assert_eq!(f.op(InOp { payload: 2047, ..op(opcode, 22) }).back, None);
            assert_eq!(f.back(I).mtu, 4);
        }
    }
}

#[test]
fn drain_passes_acks() {
    let mut f = active();
    f.set_rx(I, Rx { drain: true, ..f.rx[usize::from(I)] });
    let v = f.op(ack(21, 101));
    passes(v, confirm(21, 101, false));
    assert!(!v.active);
    assert_eq!(f.back(I).seen_psn, 21);
    passes(f.op(op(0x0f, 23)), answer(23, 3));
    f.set_said(I, Said { run: 9, valid: true, acked_psn: 22, ..Said::default() });
    passes(f.op(nak(23)), Intent::default());
    assert!(!f.back(I).fault && !f.back(I).resync);
    assert_eq!(f.op(nak(22)).reason, Reason::Fault, "a debt that will never be paid");
    assert!(f.back(I).fault);
}
