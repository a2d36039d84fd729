//! Each promise seen broken, and kept in the case beside it.

use super::*;
use crate::sample::{self, ack, damaged, key_in, key_out, read, read_response, send_only, write_only};

pub(super) const I: u16 = 1;

fn watch(ack_ops_write: bool) -> Watch {
    let mut w = Watch::new();
    w.flow(I, Watched { key_out: key_out(), key_in: key_in(), mtu: Some(1024), ack_ops_write });
    w
}

/// 10 was acknowledged by the far side with a count of 5, and the sender has it; 11 and 12 left as well.
pub(super) fn started() -> Watch {
    let mut w = watch(false);
    w.to_line(&write_only(10, true, 8));
    w.from_line(&ack(10, 0x1f, 5)).unwrap();
    w.to_client(&ack(10, 0x1f, 5));
    w.to_line(&write_only(11, true, 8));
    w.to_line(&write_only(12, true, 8));
    w
}

pub(super) fn rule(r: Result<(), Violation>) -> Option<Rule> {
    r.err().map(|v| v.rule)
}

#[test]
fn what_left_in_order_may_be_acknowledged() {
    let mut w = started();
    assert_eq!(w.built(&ack(11, 0x1f, 6)), Ok(()));
    assert_eq!(w.built(&ack(12, 0x1f, 7)), Ok(()));
    assert_eq!(w.built(&ack(12, 0x1f, 7)), Ok(()), "again");
    assert_eq!(w.built(&ack(13, 0x60, 7)), Ok(()), "the gap behind it");
    assert_eq!(w.from_line(&ack(12, 0x1f, 7)), Ok(()));
    assert_eq!(w.built_frames(), 4);
}

#[test]
fn what_did_not_leave_may_not() {
    assert_eq!(rule(started().built(&ack(13, 0x1f, 8))), Some(Rule::NotForwarded));
    assert_eq!(rule(started().built(&ack(14, 0x60, 8))), Some(Rule::NotForwarded));
    assert_eq!(rule(watch(false).built(&ack(1, 0x1f, 0))), Some(Rule::NotForwarded));
    let mut w = started();
    w.to_line(&damaged(write_only(13, true, 8)));
    assert_eq!(rule(w.built(&ack(13, 0x1f, 8))), Some(Rule::NotForwarded), "its ICRC was wrong");
    w.to_line(&write_only(14, true, 8));
    assert_eq!(rule(w.built(&ack(14, 0x1f, 8))), Some(Rule::NotForwarded), "13 is missing before it");
    w.to_line(&write_only(13, true, 8));
    w.to_line(&write_only(14, true, 8));
    assert_eq!(w.built(&ack(14, 0x1f, 9)), Ok(()));
}

#[test]
fn a_read_must_be_answered_first() {
    let mut w = started();
    w.to_line(&read(13, 3000));
    w.to_line(&write_only(16, true, 8));
    assert_eq!(w.built(&ack(12, 0x1f, 7)), Ok(()), "what lies before it");
    assert_eq!(rule(w.clone().built(&ack(16, 0x1f, 9))), Some(Rule::Barrier));
    assert_eq!(rule(w.clone().built(&ack(17, 0x60, 9))), Some(Rule::Barrier));
    assert_eq!(rule(w.clone().built(&ack(14, 0x60, 8))), Some(Rule::Barrier));
    let first = read_response(0x0d, 13, 8, 1024);
    let last = read_response(0x0f, 15, 8, 952);
    w.from_line(&first).unwrap();
    w.to_client(&first);
    w.from_line(&last).unwrap();
    assert_eq!(rule(w.clone().built(&ack(16, 0x1f, 9))), Some(Rule::Barrier), "its last response has not left");
    w.from_line(&ack(16, 0x1f, 9)).unwrap();
    assert_eq!(rule(w.clone().built(&ack(16, 0x1f, 9))), Some(Rule::Barrier), "nor does a real ACK overtake it");
    let mut lost = w.clone();
    w.to_client(&last);
    assert_eq!(w.built(&ack(16, 0x1f, 9)), Ok(()));
    lost.dropped_from_line(&last);
    lost.from_line(&ack(16, 0x1f, 9)).unwrap();
    assert_eq!(lost.built(&ack(16, 0x1f, 9)), Ok(()), "the sender takes it for an implied NAK, and is right");
}

#[test]
fn a_repeated_read_must_be_answered_again() {
    let mut w = started();
    w.to_line(&read(13, 8));
    w.to_client(&read_response(0x10, 13, 8, 8));
    w.to_line(&write_only(14, true, 8));
    w.to_line(&read(13, 8));
    assert_eq!(rule(w.clone().built(&ack(14, 0x1f, 9))), Some(Rule::Barrier));
    w.to_client(&read_response(0x10, 13, 8, 8));
    assert_eq!(w.built(&ack(14, 0x1f, 9)), Ok(()));
}

#[test]
fn with_ops_write_a_send_must_be_answered_first() {
    for (ops_write, right) in [(false, None), (true, Some(Rule::Barrier))] {
        let mut w = watch(ops_write);
        w.to_line(&write_only(10, true, 8));
        w.from_line(&ack(10, 0x1f, 5)).unwrap();
        w.to_line(&send_only(11, true, 8));
        assert_eq!(rule(w.clone().built(&ack(11, 0x1f, 6))), right);
        w.from_line(&ack(11, 0x1f, 6)).unwrap();
        assert_eq!(w.built(&ack(11, 0x1f, 6)), Ok(()));
    }
}

#[test]
fn the_sender_is_never_told_less() {
    let mut w = started();
    w.built(&ack(12, 0x1f, 7)).unwrap();
    assert_eq!(rule(w.clone().built(&ack(11, 0x1f, 6))), Some(Rule::Backwards));
    assert_eq!(rule(w.clone().built(&ack(12, 0x60, 6))), Some(Rule::Backwards));
    let mut w = started();
    w.to_client(&ack(12, 0x1f, 7));
    assert_eq!(rule(w.built(&ack(11, 0x1f, 6))), Some(Rule::Backwards), "by the far side");
    w.lapsed(I);
    assert_eq!(w.built(&ack(11, 0x1f, 6)), Ok(()), "but not when it was no longer Active in between");
    let mut w = started();
    w.built(&ack(12, 0x1f, 7)).unwrap();
    assert_eq!(w.overtaken(&ack(12, 0x1f, 7)), Ok(()));
    assert_eq!(rule(w.overtaken(&ack(11, 0x1f, 6))), Some(Rule::Backwards), "a real one was overtaken");
    let mut w = started();
    w.to_client(&ack(12, 0x60, 6));
    assert_eq!(w.built(&ack(11, 0x1f, 6)), Ok(()), "a refusal of 12 acknowledges 11");
}

#[test]
fn the_message_count_is_the_far_sides() {
    assert_eq!(rule(started().built(&ack(12, 0x1f, 6))), Some(Rule::MessageCount));
    assert_eq!(rule(started().built(&ack(13, 0x60, 8))), Some(Rule::MessageCount));
    assert_eq!(rule(started().from_line(&ack(12, 0x1f, 9))), Some(Rule::MessageCount));
    let mut w = watch(false);
    w.to_line(&write_only(10, true, 8));
    assert_eq!(rule(w.built(&ack(10, 0x1f, 1))), Some(Rule::MessageCount), "nobody knows it yet");
    // The answer to a repeated READ may name more.
    let mut w = started();
    w.to_line(&read(13, 8));
    w.to_line(&write_only(14, true, 8));
    let answer = read_response(0x10, 13, 9, 8);
    w.from_line(&answer).unwrap();
    w.to_client(&answer);
    assert_eq!(w.clone().built(&ack(13, 0x1f, 9)), Ok(()));
    assert_eq!(rule(w.built(&ack(13, 0x1f, 10))), Some(Rule::MessageCount));
    // Nothing can be said of a count from before the watch.
    let mut w = watch(false);
    w.to_line(&write_only(10, true, 8));
    w.from_line(&ack(9, 0x1f, 5)).unwrap();
    assert_eq!(w.built(&ack(10, 0x1f, 77)), Ok(()));
    // A message of three packets counts at its last.
    let mut w = started();
    for (op, psn, reth) in [(0x06, 13, Some(3000)), (0x07, 14, None), (0x08, 15, None)] {
        w.to_line(&sample::request(op, psn, true, reth, 8));
    }
    assert_eq!(w.built(&ack(14, 0x1f, 7)), Ok(()));
    assert_eq!(w.built(&ack(15, 0x1f, 8)), Ok(()));
}

#[test]
fn a_built_frame_is_well_formed() {
    let broken = |change: fn(&mut Vec<u8>)| {
        let mut frame = ack(11, 0x1f, 6);
        change(&mut frame);
        rule(started().built(&frame))
    };
    assert_eq!(broken(|_| {}), None);
    assert_eq!(broken(|f| f[61] ^= 1), Some(Rule::Form), "ICRC");
    assert_eq!(broken(|f| f[24] ^= 1), Some(Rule::Form), "IPv4 checksum");
    assert_eq!(broken(|f| f.push(0)), Some(Rule::Form), "length");
    assert_eq!(rule(started().built(&ack(11, 0x1e, 6))), Some(Rule::Form), "credits");
    assert_eq!(rule(started().built(&ack(11, 0x64, 6))), Some(Rule::Form), "another error");
    assert_eq!(started().built(&ack(11, 0x63, 6)), Ok(()), "the end of a queue pair in Fault");
    assert_eq!(rule(started().built(&write_only(11, false, 8))), Some(Rule::Form), "no ACK");
    assert_eq!(rule(started().built(&sample::ACK_V6)), Some(Rule::Form), "for no flow");
}

#[test]
fn numbers_wrap_and_a_flow_can_begin_anew() {
    let mut w = watch(false);
    for psn in [PSN_MASK, 0, 1] {
        w.to_line(&write_only(psn, true, 8));
    }
    w.from_line(&ack(PSN_MASK, 0x1f, PSN_MASK)).unwrap();
    assert_eq!(w.built(&ack(0, 0x1f, 0)), Ok(()));
    assert_eq!(w.built(&ack(1, 0x1f, 1)), Ok(()));
    assert_eq!(rule(w.clone().built(&ack(PSN_MASK, 0x1f, PSN_MASK))), Some(Rule::Backwards));
    w.flow(I, Watched { key_out: key_out(), key_in: key_in(), mtu: None, ack_ops_write: false });
    assert_eq!(rule(w.built(&ack(1, 0x1f, 1))), Some(Rule::NotForwarded));
}

#[test]
fn only_an_active_flow_is_acknowledged() {
    let mut w = started();
    w.active(I, false);
    assert_eq!(rule(w.built(&ack(11, 0x1f, 6))), Some(Rule::NotActive));
    assert_eq!(rule(w.built(&ack(12, 0x60, 6))), Some(Rule::NotActive));
    assert_eq!(w.built(&ack(11, 0x63, 6)), Ok(()), "the end of a queue pair in Fault");
    w.active(I, true);
    assert_eq!(w.built(&ack(11, 0x1f, 6)), Ok(()));
}

#[test]
fn a_repeated_read_is_never_swallowed() {
    let mut w = started();
    assert_eq!(w.dropped_from_client(&read(14, 8)), Ok(()), "13 is missing before it");
    w.to_line(&read(13, 8));
    assert_eq!(rule(w.dropped_from_client(&read(13, 8))), Some(Rule::Swallowed));
    assert_eq!(w.dropped_from_client(&write_only(12, true, 8)), Ok(()), "the gateway may answer it");
    assert_eq!(w.dropped_from_client(&damaged(read(13, 8))), Ok(()));
    w.active(I, false);
    assert_eq!(w.dropped_from_client(&read(13, 8)), Ok(()), "refused in Fault");
}

#[test]
fn queue_pairs_made_anew_are_not_answered_from_the_old() {
    let mut w = started();
    w.built(&ack(12, 0x1f, 7)).unwrap();
    w.flow(I, Watched { key_out: key_out(), key_in: key_in(), mtu: Some(1024), ack_ops_write: false });
    assert_eq!(rule(w.built(&ack(12, 0x1f, 7))), Some(Rule::NotForwarded));
    w.to_line(&write_only(10, true, 8));
    assert_eq!(rule(w.clone().built(&ack(12, 0x1f, 7))), Some(Rule::NotForwarded), "what the old ones had sent");
    assert_eq!(rule(w.built(&ack(10, 0x1f, 5))), Some(Rule::MessageCount), "what the old ones had counted");
}
