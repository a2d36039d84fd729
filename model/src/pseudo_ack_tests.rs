//! Directed cases of `pseudo_ack`, one rule of `docs/blocks.md` each.

use super::*;
use crate::ack_filter::HEADER_BYTES;
use crate::psn;
use crate::sample::{ACK_V4, ACK_V6};
use matchrdma_spec::wire::packet::{icrc_ok, parse_frame};

#[path = "pseudo_ack_pace_tests.rs"]
mod pace;

const I: u16 = 3;
const RUN: u8 = 9;

fn template(frame: &[u8], v6: bool) -> Template {
    let mut header = [0; HEADER_BYTES];
    header[..frame.len()].copy_from_slice(frame);
    Template { header, vlans: 0, v6 }
}

/// Active; the real ACK of 99 has not left yet.
fn silent() -> PseudoAck {
    let mut p = PseudoAck::new(false);
    p.set_enable(true);
    p.set_cfg(I, Cfg { enable: true, serial: 1, ..Cfg::default() });
    p.set_rx(I, Rx { serial: 1, run: RUN, synced: true, expected: 100, ..Rx::default() });
    p.set_back(I, Back { active: true, ..Back::empty(RUN) });
    p.set_template(I, template(&ACK_V4, false));
    p
}

/// Active; the sender has its ACK of 99.
fn told() -> PseudoAck {
    let mut p = silent();
    p.intent(confirm(99, 1, true));
    assert_eq!(next(&mut p), None);
    p
}

fn intent(kind: Kind, psn: u32, msn: u32, req: bool) -> Intent {
    Intent { kind, req, flow: I, run: RUN, psn, msn }
}

fn ack(psn: u32, msn: u32) -> Intent {
    intent(Kind::Ack, psn, msn, true)
}

fn nak(psn: u32, msn: u32) -> Intent {
    intent(Kind::Nak, psn, msn, false)
}

fn reack() -> Intent {
    intent(Kind::Reack, 0, 0, false)
}

fn barrier(first: u32, last: u32) -> Intent {
    intent(Kind::Barrier, first, last, false)
}

fn confirm(psn: u32, msn: u32, req: bool) -> Intent {
    intent(Kind::Confirm, psn, msn, req)
}

/// Next frame as (NAK, PSN, MSN), checked for its form.
fn next(p: &mut PseudoAck) -> Option<(bool, u32, u32)> {
    let built = p.build()?;
    let meta = parse_frame(&built.frame);
    assert!(meta.roce && meta.ip_ok && icrc_ok(&built.frame, &meta));
    assert_eq!((meta.opcode, meta.ack_req, meta.psn, meta.msn), (0x11, false, built.psn, built.msn));
    assert_eq!(matches!(meta.syndrome, 0x60..=0x63), built.nak);
    assert!(built.nak || meta.syndrome == 0x1f);
    assert_eq!(built.flow, I);
    Some((built.nak, built.psn, built.msn))
}

fn answer(psn: u32, msn: u32) -> Intent {
    intent(Kind::Answer, psn, msn, false)
}

fn refuse(psn: u32, syndrome: u8) -> Intent {
    intent(Kind::Refuse, psn, syndrome.into(), false)
}

fn after(mut p: PseudoAck, intents: &[Intent]) -> Vec<(bool, u32, u32)> {
    for &i in intents {
        p.intent(i);
    }
    std::iter::from_fn(|| next(&mut p)).collect()
}

#[test]
fn data_that_asks_is_acknowledged_once_for_all_before_it() {
    assert_eq!(after(told(), &[ack(100, 2), ack(101, 3), ack(102, 4)]), [(false, 102, 4)]);
    assert_eq!(after(told(), &[intent(Kind::Ack, 100, 2, false)]), []);
    let mut p = told();
    p.intent(ack(100, 2));
    assert_eq!(next(&mut p), Some((false, 100, 2)));
    p.intent(ack(101, 3));
    assert_eq!(next(&mut p), Some((false, 101, 3)));
    let said = Said {
        run: RUN,
        valid: true,
        acked_psn: 101,
        acked_msn: 3,
        departed_psn: 101,
        confirmed_psn: 99,
        barrier: false,
    };
    assert_eq!(p.said(I), said);
}

#[test]
fn eager_builds_with_every_intent() {
    let mut p = told();
    p.eager = true;
    assert_eq!(p.intent(ack(100, 2)).map(|f| f.psn), Some(100));
    assert_eq!(p.intent(ack(101, 2)).map(|f| f.psn), Some(101));
    assert!(!p.busy());
}

#[test]
fn nothing_is_said_before_the_real_ack_has_left() {
    assert_eq!(after(silent(), &[ack(100, 2), nak(101, 2), reack()]), []);
    assert_eq!(after(silent(), &[ack(100, 2), confirm(98, 0, false)]), [], "an older one");
    assert_eq!(after(silent(), &[ack(100, 2), confirm(98, 0, false), confirm(99, 1, true)]), [(false, 100, 2)]);
    assert_eq!(after(silent(), &[nak(100, 1), confirm(99, 1, true)]), [(true, 100, 1)]);
    assert_eq!(after(silent(), &[ack(100, 2), confirm(105, 7, true)]), [], "the real one said more");
}

#[test]
fn an_intent_of_another_life_is_discarded() {
    let off = |change: fn(&mut PseudoAck)| {
        let mut p = told();
        change(&mut p);
        p.intent(ack(100, 2));
        p.intent(confirm(101, 2, true));
        let said = p.said(I);
        assert_eq!(next(&mut p), None);
        said
    };
    let untouched = told().said(I);
    assert_eq!(off(|p| p.set_enable(false)), untouched);
    assert_eq!(off(|p| p.set_cfg(I, Cfg { enable: false, serial: 1, ..Cfg::default() })), untouched);
    assert_eq!(off(|p| p.set_cfg(I, Cfg { enable: true, serial: 2, ..Cfg::default() })), untouched);
    assert_eq!(off(|p| p.set_rx(I, Rx { serial: 1, run: RUN + 1, ..Rx::default() })), untouched);
    // Not Active: only what the far side said counts, and waits.
    let said = off(|p| p.set_back(I, Back::empty(RUN)));
    assert_eq!((said.departed_psn, said.confirmed_psn), (0, 101));
}

#[test]
fn a_new_run_forgets_what_the_old_one_waited_for() {
    let mut p = told();
    p.intent(barrier(100, 103));
    p.intent(ack(104, 3));
    p.intent(nak(105, 3));
    p.set_rx(I, Rx { serial: 1, run: RUN + 1, ..Rx::default() });
    p.set_back(I, Back { active: true, ..Back::empty(RUN + 1) });
    p.intent(Intent { run: RUN + 1, ..confirm(7, 1, true) });
    p.intent(Intent { run: RUN + 1, ..ack(8, 2) });
    assert_eq!(next(&mut p), Some((false, 8, 2)));
    assert_eq!(next(&mut p), None);
}

#[test]
fn a_flow_that_stops_being_active_says_nothing_more() {
    let mut p = told();
    p.intent(ack(100, 2));
    p.set_rx(I, Rx { serial: 1, run: RUN, drain: true, ..Rx::default() });
    assert_eq!(next(&mut p), None);
    assert!(!p.busy());
    let mut p = told();
    p.intent(ack(100, 2));
    p.set_rx(I, Rx { serial: 1, run: RUN + 1, ..Rx::default() });
    p.set_back(I, Back { active: true, ..Back::empty(RUN + 1) });
    assert_eq!(next(&mut p), None, "what is said belongs to the old run");
}

#[test]
fn a_gap_is_named_and_answers_all_before_it() {
    assert_eq!(after(told(), &[ack(100, 2), nak(101, 2)]), [(true, 101, 2)]);
    let mut p = told();
    p.intent(nak(101, 2));
    assert_eq!(next(&mut p), Some((true, 101, 2)));
    assert_eq!(p.said(I).acked_psn, 100);
    p.intent(reack());
    assert_eq!(next(&mut p), Some((false, 100, 2)));
}

#[test]
fn a_gap_that_was_closed_is_not_named() {
    let unasked = intent(Kind::Ack, 100, 2, false);
    assert_eq!(after(told(), &[nak(100, 1), unasked]), []);
    assert_eq!(after(told(), &[nak(101, 2), unasked]), [(true, 101, 2)]);
    // What the far side said of an earlier run may cover it.
    assert_eq!(after(told(), &[nak(100, 1), confirm(100, 2, true)]), [(false, 100, 2)]);
    assert_eq!(after(told(), &[confirm(100, 2, true), nak(100, 1)]), [(false, 100, 2)]);
    // A READ closes it as well.
    assert_eq!(after(told(), &[nak(100, 1), barrier(100, 100), confirm(100, 2, false)]), []);
    assert_eq!(after(told(), &[nak(100, 1), barrier(98, 98), confirm(98, 2, false)]), [(true, 100, 1)]);
}

#[test]
fn a_duplicate_gets_the_newest_ack_again() {
    assert_eq!(after(told(), &[reack(), reack()]), [(false, 99, 1)]);
    let unasked = intent(Kind::Ack, 100, 2, false);
    assert_eq!(after(told(), &[unasked, reack()]), [(false, 100, 2)], "the newest, though it did not ask");
    assert_eq!(after(told(), &[unasked, ack(101, 3), reack()]), [(false, 101, 3)]);
    let held = [barrier(100, 100), intent(Kind::Ack, 101, 3, false), reack()];
    assert_eq!(after(told(), &held), [(false, 99, 1)]);
    assert_eq!(after(told(), &[&held[..], &[confirm(100, 2, false)]].concat()), [(false, 101, 3)]);
}

#[test]
fn nothing_passes_a_barrier() {
    let read = barrier(100, 103);
    assert_eq!(after(told(), &[read, ack(104, 3)]), []);
    assert_eq!(after(told(), &[read, nak(104, 2)]), []);
    assert_eq!(after(told(), &[read, reack()]), [(false, 99, 1)], "what lies before it may be repeated");
    // Its last response carries it away, and what was held follows.
    assert_eq!(after(told(), &[read, ack(104, 3), confirm(102, 2, false)]), []);
    assert_eq!(after(told(), &[read, ack(104, 3), confirm(103, 2, false)]), [(false, 104, 3)]);
    assert_eq!(after(told(), &[read, ack(104, 3), confirm(104, 3, false)]), [], "the far side said it all");
    assert_eq!(after(told(), &[read, nak(104, 2), confirm(103, 2, false)]), [(true, 104, 2)]);
}

#[test]
fn barriers_join() {
    let held = [barrier(100, 103), ack(104, 3), barrier(105, 106), ack(107, 5)];
    let with = |more: &[Intent]| after(told(), &[&held, more].concat());
    assert_eq!(with(&[confirm(103, 2, false)]), []);
    assert_eq!(with(&[confirm(103, 2, false), confirm(106, 4, false)]), [(false, 107, 5)]);
    // A real ACK between the two is passed on: what lies before it is answered.
    assert_eq!(with(&[confirm(104, 3, true)]), [(false, 104, 3)]);
    // A repeated READ puts the barrier back.
    assert_eq!(after(told(), &[ack(100, 2), barrier(98, 98)]), []);
    assert_eq!(after(told(), &[ack(100, 2), barrier(98, 98), confirm(98, 0, false)]), [(false, 100, 2)]);
}

#[test]
fn a_real_ack_is_news_or_is_nothing() {
    assert_eq!(after(told(), &[confirm(100, 2, true)]), [(false, 100, 2)]);
    assert_eq!(after(told(), &[ack(101, 3), confirm(100, 2, true)]), [(false, 101, 3)]);
    let mut p = told();
    p.intent(ack(101, 3));
    next(&mut p);
    p.intent(confirm(101, 3, true));
    assert_eq!(next(&mut p), None);
    assert_eq!(p.said(I).confirmed_psn, 101);
}

#[test]
fn numbers_wrap() {
    let mut p = silent();
    p.intent(confirm(psn::MASK, psn::MASK, true));
    p.intent(barrier(0, 1));
    p.intent(ack(2, 1));
    p.intent(confirm(1, 0, false));
    assert_eq!(next(&mut p), Some((false, 2, 1)));
    p.intent(nak(3, 1));
    assert_eq!(next(&mut p), Some((true, 3, 1)));
}

#[test]
fn a_flow_waits_in_the_queue_once_and_flows_take_turns() {
    let mut p = told();
    let other = I + 1;
    p.set_cfg(other, Cfg { enable: true, serial: 1, ..Cfg::default() });
    p.set_rx(other, Rx { serial: 1, run: RUN, ..Rx::default() });
    p.set_back(other, Back { active: true, ..Back::empty(RUN) });
    p.set_template(other, template(&ACK_V6, true));
    p.intent(Intent { flow: other, ..confirm(4, 4, true) });
    p.intent(ack(100, 2));
    p.intent(Intent { flow: other, ..confirm(5, 5, true) });
    p.intent(ack(101, 3));
    assert_eq!(p.ready, [I, other]);
    assert_eq!(p.build().map(|f| (f.flow, f.psn, f.frame.len())), Some((I, 101, 62)));
    assert_eq!(p.build().map(|f| (f.flow, f.psn, f.frame.len())), Some((other, 5, 82)));
    assert_eq!(p.build(), None);
}

#[test]
fn the_frame_is_the_real_ack_with_other_numbers() {
    for (real, v6) in [(&ACK_V4[..], false), (&ACK_V6[..], true)] {
        let meta = parse_frame(real);
        assert_eq!(acknowledgement(&template(real, v6), meta.psn, meta.syndrome, meta.msn), real);
    }
    let mut tagged = ACK_V4.to_vec();
    tagged.splice(12..12, [0x88, 0xa8, 0x20, 0x64, 0x81, 0, 0, 7]);
    let t = Template { vlans: 2, ..template(&tagged, false) };
    let built = acknowledgement(&t, 0x12_3456, aeth::NAK_PSN_SEQUENCE, 0x65_4321);
    let meta = parse_frame(&built);
    assert!(icrc_ok(&built, &meta));
    assert_eq!((built.len(), meta.vlans, meta.psn, meta.msn), (70, 2, 0x12_3456, 0x65_4321));
}

#[test]
fn a_repeated_request_waits_for_its_answer_and_for_no_ack() {
    let again = |first, last| intent(Kind::Barrier, first, last, true);
    let held = [ack(105, 3), again(90, 93)];
    let with = |more: &[Intent]| after(told(), &[&held[..], more].concat());
    // A real ACK may have been sent before the repeated request arrived there.
    assert_eq!(with(&[confirm(105, 3, true)]), []);
    assert_eq!(with(&[confirm(106, 4, true), ack(107, 5)]), []);
    assert_eq!(with(&[confirm(105, 3, true), answer(93, 1)]), [(false, 105, 3)]);
    // Half of it answers nothing behind it.
    assert_eq!(with(&[answer(91, 1)]), []);
    assert_eq!(with(&[answer(91, 1), answer(93, 1)]), [(false, 105, 3)]);
    // Nor does the answer to a later one that was on its way before.
    assert_eq!(with(&[barrier(106, 108), answer(108, 1)]), []);
    // But it did answer that one.
    assert_eq!(with(&[barrier(106, 108), answer(108, 1), answer(93, 1)]), [(false, 108, 1)]);
    // What was repeated beside it waits too.
    assert_eq!(with(&[again(97, 97), answer(93, 1)]), []);
    assert_eq!(with(&[again(97, 97), answer(93, 1), confirm(105, 3, true)]), []);
    assert_eq!(with(&[again(97, 97), answer(93, 1), answer(97, 1)]), [(false, 105, 3)]);
    // A SEND behind it, that only the far side may acknowledge: its ACK counts once the READ has its answer.
    let send = barrier(106, 106);
    let data = ack(107, 5);
    assert_eq!(with(&[send, data, answer(93, 1)]), []);
    assert_eq!(with(&[send, data, answer(93, 1), confirm(106, 4, true)]), [(false, 107, 5)]);
    assert_eq!(with(&[send, data, confirm(106, 4, true), answer(93, 1), confirm(106, 4, true)]), [(false, 107, 5)]);
}

#[test]
fn an_answer_is_no_ack_of_ours() {
    assert_eq!(after(told(), &[answer(104, 2)]), [], "the sender has it already");
    assert_eq!(after(silent(), &[answer(104, 2), ack(105, 3)]), [], "nor does it make anything sayable");
    assert_eq!(after(told(), &[barrier(100, 103), ack(104, 3), answer(103, 2)]), [(false, 104, 3)]);
}

#[test]
fn what_was_confirmed_never_goes_back() {
    let mut p = told();
    p.intent(confirm(110, 4, true));
    p.intent(answer(103, 2));
    assert_eq!(p.said(I).confirmed_psn, 110);
}

/// In Fault.
fn failed() -> PseudoAck {
    let mut p = told();
    p.set_back(I, Back { active: true, fault: true, ..Back::empty(RUN) });
    p
}

#[test]
fn a_request_in_fault_is_refused_at_its_own_psn_whatever_waits() {
    assert_eq!(after(failed(), &[refuse(101, 0x63)]), [(true, 101, 1)]);
    let mut p = told();
    p.intent(barrier(100, 103));
    p.intent(nak(104, 2));
    p.set_back(I, Back { active: true, fault: true, ..Back::empty(RUN) });
    p.intent(refuse(104, 0x62));
    assert_eq!(p.build().map(|f| parse_frame(&f.frame).syndrome), Some(0x62));
    assert_eq!(next(&mut p), None);
    assert_eq!(p.said(I).acked_psn, 99, "a refusal tells nothing else");
}

#[test]
fn no_refusal_acknowledges_a_request_that_was_refused() {
    assert_eq!(after(failed(), &[refuse(101, 0x63), refuse(102, 0x63)]), [(true, 101, 1)]);
    assert_eq!(after(failed(), &[refuse(102, 0x63), refuse(101, 0x61)]), [(true, 101, 1)]);
    let mut p = failed();
    p.intent(refuse(101, 0x63));
    assert_eq!(next(&mut p), Some((true, 101, 1)));
    p.intent(refuse(102, 0x63));
    assert_eq!(next(&mut p), Some((true, 101, 1)), "again the first");
    assert_eq!(next(&mut p), None);
}

#[test]
fn nothing_is_refused_before_the_real_ack_has_left_or_for_another_life() {
    let fault = |p: &mut PseudoAck| p.set_back(I, Back { active: true, fault: true, ..Back::empty(RUN) });
    let mut p = silent();
    fault(&mut p);
    p.intent(refuse(101, 0x63));
    assert_eq!(next(&mut p), None);
    p.intent(confirm(99, 1, true));
    assert_eq!(next(&mut p), Some((true, 101, 1)));
    let mut p = failed();
    p.intent(refuse(101, 0x63));
    p.set_rx(I, Rx { serial: 1, run: RUN + 1, ..Rx::default() });
    assert_eq!(next(&mut p), None);
    assert_eq!(next(&mut p), None);
}
