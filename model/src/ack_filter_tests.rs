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
    let v = f.op(InOp { room: false, ..ack(21, 101) });
    assert_eq!((v.forward, v.push, v.reason, v.active, v.back), (false, false, Reason::Overflow, true, None));
    assert_eq!(f.back(I), before);
    assert_eq!(f.op(InOp { room: false, good: false, ..nak(22) }).back, None);
    let v = f.op(InOp { room: false, ..nak(22) });
    assert_eq!((v.forward, v.push, v.reason, v.intent), (false, false, Reason::Overflow, Intent::default()));
    assert_eq!(f.back(I), Back { active: false, resync: true, ..before }, "but a refusal has its effect");
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
    assert_eq!(v.back, None);
}

#[test]
fn an_ack_for_what_was_never_sent_is_a_fault() {
    let mut f = active();
    let v = f.op(ack(25, 104));
    passes(v, Intent::default());
    assert!(f.back(I).fault);
    let v = f.op(ack(24, 104));
    passes(v, Intent::default());
    assert!(!v.active);
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
        for syndrome in [0x60, 0x63, 0x21] {
            let mut f = active();
            f.set_said(I, said);
            passes(f.op(InOp { syndrome, ..nak(psn) }), Intent::default());
            let back = f.back(I);
            assert_eq!((back.fault, back.resync, back.active), (fault, !fault, fault), "{said:?} {psn}");
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
            passes(v, confirm(22, 3, false));
            assert_eq!(v.back, None);
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
    passes(v, Intent::default());
    assert!(!v.active);
}
