use super::*;

const ROUTE: Route = Route { v6: false, vlan: 0, requester: 1, responder: 2 };

/// Flows in the direction of `ROUTE`, as (requester's, responder's).
fn pairs(acks: &Acks) -> Vec<(u32, u32)> {
    acks.flows().iter().filter(|f| f.route == ROUTE).map(|f| (f.requester_qpn, f.responder_qpn)).collect()
}

#[test]
fn one_queue_pair_is_known_after_enough_acks() {
    for min in [WHOLE_FILE, LIVE] {
        let mut acks = Acks::new(min);
        for n in 0..min as u32 {
            assert_eq!(pairs(&acks), []);
            acks.request(ROUTE, 200, 10 * n);
            acks.ack(ROUTE, 100, 10 * n);
        }
        assert_eq!(pairs(&acks), [(100, 200)]);
        assert_eq!(acks.flows().len(), 2, "both directions");
    }
}

#[test]
fn sixteen_queue_pairs_in_lockstep_show_nothing() {
    let mut acks = Acks::new(WHOLE_FILE);
    for psn in 0..1000 {
        (0..16).for_each(|qp| acks.request(ROUTE, 200 + qp, psn));
        (0..16).for_each(|qp| acks.ack(ROUTE, 100 + qp, psn));
    }
    assert_eq!(pairs(&acks), []);
}

#[test]
fn lockstep_is_seen_through_once_one_of_them_falls_out_of_step() {
    let mut acks = Acks::new(WHOLE_FILE);
    for psn in 0..10 {
        (0..2).for_each(|qp| acks.request(ROUTE, 200 + qp, psn));
        (0..2).for_each(|qp| acks.ack(ROUTE, 100 + qp, psn));
    }
    acks.request(ROUTE, 201, 10);
    acks.ack(ROUTE, 101, 10);
    assert_eq!(pairs(&acks), [(101, 201)], "the other may still be either");
}

#[test]
fn an_ack_without_a_candidate_and_a_repeated_ack_show_nothing() {
    let mut acks = Acks::new(WHOLE_FILE);
    acks.ack(ROUTE, 100, 5);
    acks.request(ROUTE, 200, 7);
    acks.ack(ROUTE, 100, 6);
    acks.ack(ROUTE, 100, 7);
    // A repeated ACK, while another queue pair waits at the same PSN: no evidence for or against anyone.
    acks.request(ROUTE, 201, 7);
    acks.ack(ROUTE, 100, 7);
    assert_eq!(pairs(&acks), []);
    acks.request(ROUTE, 200, 9);
    acks.ack(ROUTE, 100, 9);
    assert_eq!(pairs(&acks), [(100, 200)]);
}

#[test]
fn answered_requests_are_no_candidates_of_a_later_queue_pair() {
    let mut acks = Acks::new(WHOLE_FILE);
    for psn in [0xff_fffe, 0xff_ffff, 0, 1] {
        acks.request(ROUTE, 200, psn);
        acks.ack(ROUTE, 100, psn);
    }
    for psn in [0xff_fffe, 0xff_ffff, 0, 1] {
        acks.request(ROUTE, 201, psn);
        acks.ack(ROUTE, 101, psn);
    }
    assert_eq!(pairs(&acks), [(100, 200), (101, 201)]);
}

#[test]
fn a_contradiction_is_never_a_pair() {
    let mut acks = Acks::new(WHOLE_FILE);
    for (responder_qpn, psn) in [(200, 1), (201, 2), (200, 3), (200, 4), (200, 5)] {
        acks.request(ROUTE, responder_qpn, psn);
        acks.ack(ROUTE, 100, psn);
    }
    assert_eq!(pairs(&acks), []);
}

#[test]
fn two_that_claim_the_same_one_are_both_refused() {
    let mut acks = Acks::new(WHOLE_FILE);
    for n in 0..4 {
        for requester_qpn in [100, 101] {
            acks.request(ROUTE, 200, n);
            acks.ack(ROUTE, requester_qpn, n);
        }
    }
    assert_eq!(pairs(&acks), []);
}

#[test]
fn one_ack_may_answer_several_requests() {
    let mut acks = Acks::new(WHOLE_FILE);
    (0..8).for_each(|psn| acks.request(ROUTE, 200, psn));
    acks.ack(ROUTE, 100, 7);
    (8..12).for_each(|psn| acks.request(ROUTE, 200, psn));
    acks.ack(ROUTE, 100, 11);
    assert_eq!(pairs(&acks), [(100, 200)]);
    assert!(acks.routes[&ROUTE].waiting.is_empty());
}

#[test]
fn what_is_remembered_is_bounded() {
    let mut acks = Acks::new(WHOLE_FILE);
    (0..3 * PSN_WINDOW).for_each(|psn| acks.request(ROUTE, 200, psn));
    assert_eq!(acks.routes[&ROUTE].waiting.len() as u32, PSN_WINDOW + 1);
}

#[test]
fn an_overflow_discards_evidence() {
    let mut acks = Acks::new(WHOLE_FILE);
    for psn in 0..2 {
        acks.request(ROUTE, 200, psn);
        acks.ack(ROUTE, 100, psn);
    }
    acks.overflow();
    assert_eq!(pairs(&acks), []);
}

#[test]
fn routes_are_apart() {
    let mut acks = Acks::new(WHOLE_FILE);
    let other = Route { vlan: 100, ..ROUTE };
    for psn in 0..3 {
        for route in [ROUTE, other] {
            acks.request(route, 200, psn);
        }
        acks.ack(ROUTE, 100, psn);
        acks.ack(other, 101, psn);
        acks.ack(ROUTE.reversed(), 102, psn);
    }
    let all: Vec<_> = acks.flows().iter().map(|f| (f.route, f.requester_qpn)).collect();
    assert_eq!(all, [(ROUTE, 100), (ROUTE.reversed(), 200), (other, 101), (other.reversed(), 200)]);
}

/// A daemon listens for days.
#[test]
fn requests_that_nobody_answers_do_not_fill_the_memory() {
    let mut acks = Acks::new(LIVE);
    for n in 0..3 * MAX_UNANSWERED as u32 {
        acks.request(ROUTE, 200 + n % 4, n / 4);
    }
    let side = &acks.routes[&ROUTE];
    let held: usize = side.unanswered.values().map(VecDeque::len).sum();
    assert!(held <= MAX_UNANSWERED && held == side.count, "{held} requests, {} counted", side.count);
    assert_eq!(side.waiting.values().map(BTreeSet::len).sum::<usize>(), held);
    // It goes on learning.
    let past = 3 * MAX_UNANSWERED as u32;
    for n in past..past + LIVE as u32 {
        acks.request(ROUTE, 300, n);
        acks.ack(ROUTE, 100, n);
    }
    assert_eq!(pairs(&acks), [(100, 300)]);
}
