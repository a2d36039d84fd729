//! What holds against a far side that lies, seen broken; and what does not, let pass.

use super::super::tests::{rule, I};
use super::super::*;
use crate::sample::{self, ack, damaged, key_in, key_out, read, read_response, write_only};

/// 10 to 12 left, of a flow whose far side has said nothing that is true.
fn started() -> Watch {
    let mut w = Watch::distrusting();
    w.flow(I, Watched { key_out: key_out(), key_in: key_in(), mtu: Some(1024), ack_ops_write: false });
    for psn in 10..13 {
        w.to_line(&write_only(psn, true, 8));
    }
    w.from_line(&ack(10, 0x1f, 5)).unwrap();
    w.to_client(&ack(10, 0x1f, 5));
    w
}

#[test]
fn no_message_count_is_wrong_and_no_lie_is_the_gateways() {
    let mut w = started();
    for (psn, msn) in [(11, 900), (12, 3), (0x40_0000, 5), (9, 5)] {
        assert_eq!(w.from_line(&ack(psn, 0x1f, msn)), Ok(()));
        w.to_client(&ack(psn, 0x1f, msn));
    }
    assert_eq!(w.built(&ack(11, 0x1f, 77)), Ok(()));
    assert_eq!(w.built(&ack(12, 0x1f, 3)), Ok(()));
}

#[test]
fn what_never_left_is_not_acknowledged() {
    assert_eq!(rule(started().built(&ack(13, 0x1f, 8))), Some(Rule::NotForwarded));
    assert_eq!(rule(started().built(&ack(14, 0x60, 8))), Some(Rule::NotForwarded));
    assert_eq!(started().built(&ack(13, 0x60, 8)), Ok(()), "the gap behind it");
    let mut w = started();
    w.to_line(&damaged(write_only(13, true, 8)));
    assert_eq!(rule(w.built(&ack(13, 0x1f, 8))), Some(Rule::NotForwarded), "its ICRC was wrong");
    // The flow goes on from where its sender is.
    w.to_line(&write_only(20, true, 8));
    assert_eq!(w.built(&ack(20, 0x1f, 8)), Ok(()));
    assert_eq!(rule(w.clone().built(&ack(19, 0x1f, 8))), Some(Rule::NotForwarded));
    w.flow(I, Watched { key_out: key_out(), key_in: key_in(), mtu: Some(1024), ack_ops_write: false });
    assert_eq!(rule(w.built(&ack(20, 0x1f, 8))), Some(Rule::NotForwarded), "of the queue pairs before");
}

#[test]
fn a_read_must_be_answered_first_truly_or_not() {
    let mut w = started();
    w.to_line(&read(13, 3000));
    w.to_line(&write_only(16, true, 8));
    assert_eq!(w.built(&ack(12, 0x1f, 7)), Ok(()));
    assert_eq!(rule(w.clone().built(&ack(16, 0x1f, 9))), Some(Rule::Barrier));
    let middle = read_response(0x10, 14, 8, 8);
    w.from_line(&middle).unwrap();
    assert_eq!(rule(w.clone().built(&ack(14, 0x1f, 9))), Some(Rule::Barrier), "it has not left");
    w.to_client(&middle);
    assert_eq!(w.built(&ack(14, 0x1f, 9)), Ok(()));
    assert_eq!(rule(w.clone().built(&ack(15, 0x1f, 9))), Some(Rule::Barrier), "what is left of it");
    let mut longer = started();
    longer.to_line(&read(11, 9000));
    assert_eq!(rule(longer.clone().built(&ack(12, 0x1f, 9))), Some(Rule::Barrier));
    longer.to_line(&write_only(13, true, 8));
    longer.from_line(&ack(13, 0x1f, 9)).unwrap();
    longer.to_line(&write_only(14, true, 8));
    assert_eq!(longer.built(&ack(14, 0x1f, 9)), Ok(()), "a repeated request that is longer than it was");
    let mut ahead = started();
    assert_eq!(rule(ahead.clone().built(&ack(13, 0x1f, 9))), Some(Rule::NotForwarded));
    ahead.to_client(&read_response(0x10, 13, 9, 8));
    assert_eq!(ahead.built(&ack(13, 0x1f, 9)), Ok(()), "the far side told the sender itself");
    let mut again = w.clone();
    w.from_line(&ack(15, 0x1f, 1)).unwrap();
    assert_eq!(w.built(&ack(16, 0x1f, 9)), Ok(()));
    again.to_line(&write_only(15, true, 8));
    assert_eq!(again.built(&ack(16, 0x1f, 9)), Ok(()), "its sender went back: the flow was not Active");
}

#[test]
fn the_gateways_own_words_never_step_back() {
    let mut w = started();
    w.to_client(&ack(12, 0x1f, 7));
    assert_eq!(w.built(&ack(11, 0x1f, 7)), Ok(()), "behind the far side's");
    w.built(&ack(12, 0x1f, 7)).unwrap();
    assert_eq!(rule(w.clone().built(&ack(11, 0x1f, 7))), Some(Rule::Backwards));
    w.lapsed(I);
    assert_eq!(w.built(&ack(11, 0x1f, 7)), Ok(()));
    w.built(&ack(12, 0x1f, 7)).unwrap();
    // A READ of unknown length holds nothing up.
    let mut unknown = Watch::distrusting();
    unknown.flow(I, Watched { key_out: key_out(), key_in: key_in(), mtu: None, ack_ops_write: false });
    unknown.to_line(&read(13, 3000));
    unknown.to_line(&write_only(14, true, 8));
    assert_eq!(unknown.built(&ack(14, 0x1f, 7)), Ok(()));
    assert_eq!(rule(unknown.built(&ack(15, 0x1f, 7))), Some(Rule::NotForwarded));
}

#[test]
fn the_host_takes_a_flow_out_and_changes_what_is_the_far_sides() {
    let mut w = started();
    w.setting(I, Some(1024), true);
    w.to_line(&sample::send_only(13, true, 8));
    assert_eq!(rule(w.clone().built(&ack(13, 0x1f, 8))), Some(Rule::Barrier));
    w.forget(I);
    assert_eq!(rule(w.built(&ack(12, 0x1f, 7))), Some(Rule::Form), "for no flow");
    assert_eq!(w.expected(I), None);
}
