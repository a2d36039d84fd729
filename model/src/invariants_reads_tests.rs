//! What two reads of a flow prove, and what they do not.

use super::tests::{rule, started, I};
use super::*;
use crate::record::State::{self, *};
use crate::sample::{ack, damaged, read as read_request, write_only};

fn seen(state: State, run: u8) -> Read {
    Read { state, run, expected: 13, overflows: 0 }
}

/// The host reads, asking after all that came so far.
fn reads(w: &mut Watch, read: Read) -> Result<(), Violation> {
    let asked = w.asks();
    w.read(I, read, asked)
}

/// Read to stand so, and all that was under way then has left.
fn stands(state: State, run: u8) -> Watch {
    let mut w = started();
    assert_eq!(reads(&mut w, seen(state, run)), Ok(()));
    for _ in 0..UNDER_WAY {
        w.built(&ack(11, 0x1f, 6)).unwrap();
    }
    assert_eq!(w.doubtful(), None, "what was under way");
    w
}

#[test]
fn what_is_built_between_two_reads_that_leave_no_time_for_active_is_wrong() {
    for (before, after, right) in [
        ((Drain, 7), (Drain, 7), Some(Rule::NotActive)),
        ((Drain, 7), (Off, 7), Some(Rule::NotActive)),
        ((Fault, 7), (Fault, 7), Some(Rule::NotActive)),
        ((Off, 7), (Off, 7), Some(Rule::NotActive)),
        ((Sync, 7), (Sync, 7), Some(Rule::NotActive)),
        // It was Active in between, or may have been.
        ((Sync, 7), (Drain, 7), None),
        ((Sync, 7), (Fault, 7), None),
        ((Sync, 7), (Active, 7), None),
        ((Drain, 7), (Sync, 8), None),
        ((Sync, 7), (Sync, 8), None),
        ((Active, 7), (Drain, 7), None),
    ] {
        let mut w = stands(before.0, before.1);
        assert_eq!(w.built(&ack(12, 0x1f, 7)), Ok(()), "not yet");
        assert_eq!(w.doubtful().is_some(), before.0 != Active);
        assert_eq!(rule(reads(&mut w, seen(after.0, after.1))), right, "{before:?} {after:?}");
        assert_eq!(w.doubtful(), None);
    }
}

#[test]
fn a_refusal_by_the_gateway_is_no_promise_also_by_reads() {
    let mut w = stands(Fault, 7);
    w.built(&ack(12, 0x63, 6)).unwrap();
    assert_eq!(reads(&mut w, seen(Fault, 7)), Ok(()));
}

#[test]
fn what_was_under_way_is_counted_from_the_first_read() {
    let mut w = stands(Drain, 7);
    assert_eq!(reads(&mut w, seen(Drain, 7)), Ok(()));
    w.built(&ack(12, 0x1f, 7)).unwrap();
    assert_eq!(rule(reads(&mut w, seen(Drain, 7))), Some(Rule::NotActive));
    let mut w = stands(Active, 7);
    assert_eq!(reads(&mut w, seen(Drain, 7)), Ok(()));
    w.built(&ack(12, 0x1f, 7)).unwrap();
    assert_eq!(reads(&mut w, seen(Drain, 7)), Ok(()), "built before");
}

#[test]
fn a_read_that_was_asked_for_before_proves_nothing() {
    let mut w = stands(Sync, 7);
    let asked = w.asks();
    w.built(&ack(12, 0x1f, 7)).unwrap();
    assert_eq!(w.read(I, seen(Sync, 7), asked), Ok(()));
    assert_eq!(w.doubtful(), Some(I));
    assert_eq!(rule(reads(&mut w, seen(Sync, 7))), Some(Rule::NotActive));
}

#[test]
fn a_refusal_of_the_far_side_may_have_ended_what_no_read_saw() {
    for frame in [ack(13, 0x60, 7), ack(12, 0x2a, 7), ack(14, 0x1f, 9)] {
        let mut w = stands(Sync, 7);
        w.built(&ack(12, 0x1f, 7)).unwrap();
        w.from_line(&frame).unwrap();
        assert_eq!(reads(&mut w, seen(Sync, 7)), Ok(()));
    }
    let mut w = stands(Sync, 7);
    w.built(&ack(12, 0x1f, 7)).unwrap();
    w.from_client(&write_only(11, true, 8));
    assert_eq!(reads(&mut w, seen(Sync, 7)), Ok(()), "or a sender that went back");
    let mut w = stands(Sync, 7);
    w.built(&ack(12, 0x1f, 7)).unwrap();
    w.from_line(&ack(12, 0x1f, 7)).unwrap();
    w.from_client(&write_only(13, true, 8));
    assert_eq!(rule(reads(&mut w, seen(Sync, 7))), Some(Rule::NotActive), "but not what goes on as it should");
}

#[test]
fn a_repeated_read_that_does_not_leave_was_swallowed() {
    let mut w = started();
    w.to_line(&read_request(13, 8));
    assert_eq!(w.from_client(&read_request(13, 8)), None, "nothing is known yet");
    let before = Read { expected: 14, ..seen(Active, 7) };
    reads(&mut w, before).unwrap();
    assert_eq!(w.from_client(&read_request(14, 8)), None, "not sent before");
    assert_eq!(w.from_client(&write_only(12, true, 8)), None, "the gateway may answer it");
    assert_eq!(w.from_client(&damaged(read_request(13, 8))), None);
    let due = w.from_client(&read_request(13, 8)).expect("it is to leave");
    for (after, right) in [
        (before, Some(Rule::Swallowed)),
        (Read { state: Drain, ..before }, Some(Rule::Swallowed)),
        (Read { state: Fault, ..before }, None),
        (Read { run: 8, ..before }, None),
        (Read { overflows: 1, ..before }, None),
    ] {
        let mut w = w.clone();
        w.kept_back(due, &read_request(13, 8));
        assert_eq!(rule(reads(&mut w, after)), right, "{after:?}");
    }
    for state in [Fault, Off] {
        reads(&mut w, Read { state, ..before }).unwrap();
        assert_eq!(w.from_client(&read_request(13, 8)), None, "{state:?}");
    }
}

#[test]
fn no_real_ack_is_overtaken_while_the_flow_is_active() {
    for (after, right) in [((Active, 7), Some(Rule::Backwards)), ((Active, 8), None), ((Drain, 7), None)] {
        let mut w = stands(Active, 7);
        w.to_client(&ack(11, 0x1f, 6));
        w.built(&ack(12, 0x1f, 7)).unwrap();
        assert_eq!(w.doubtful(), None);
        w.to_client(&ack(12, 0x1f, 7));
        assert_eq!(w.doubtful(), None);
        w.to_client(&ack(11, 0x1f, 6));
        assert_eq!(rule(reads(&mut w, seen(after.0, after.1))), right, "{after:?}");
    }
    let mut w = stands(Active, 7);
    w.built(&ack(12, 0x1f, 7)).unwrap();
    w.lapsed(I);
    reads(&mut w, seen(Active, 7)).unwrap();
    w.to_client(&ack(11, 0x1f, 6));
    assert_eq!(w.doubtful(), None, "said before");
}
