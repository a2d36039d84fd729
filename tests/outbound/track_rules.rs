//! `track`, rule by rule: one small story for each, with the expected words written out.

use super::track::{cycle, fresh, Inputs};
use matchrdma_model::record::{Back, Cfg, Event, Intent, Kind, Reason, Rx, Said, Times};
use matchrdma_model::track::{TrackOp, Verdict};
use matchrdma_rtl::track::Dut;
use matchrdma_spec::event;
use matchrdma_spec::wire::opcode::*;

const FLOW: u16 = 0x5a7;
const ON: Cfg = Cfg { enable: true, ack_ops_write: false, mtu: 0, serial: 1 };

/// The gates and the record they last wrote of `FLOW`.
struct Bench {
    dut: Dut,
    rx: Rx,
}

impl Bench {
    fn new() -> Self {
        let mut bench = Bench { dut: fresh(), rx: Rx::default() };
        bench.cfg(ON);
        bench
    }

    fn cfg(&mut self, cfg: Cfg) {
        cycle(&mut self.dut, &Inputs { cfg: Some((FLOW, cfg)), ..Inputs::default() });
    }

    fn back(&mut self, back: Back) {
        cycle(&mut self.dut, &Inputs { back: Some((FLOW, back)), ..Inputs::default() });
    }

    /// Ops in consecutive cycles, and what becomes of each.
    fn burst(&mut self, ops: &[TrackOp]) -> Vec<Verdict> {
        let mut verdicts = vec![];
        for at in 0..ops.len() + 2 {
            let op = ops.get(at).copied();
            let seen =
                cycle(&mut self.dut, &Inputs { op: op.unwrap_or_default(), valid: op.is_some(), ..Inputs::default() });
            verdicts.extend(seen.verdict);
            if let Some((index, rx)) = seen.rx {
                assert_eq!(index, FLOW);
                self.rx = rx;
            }
        }
        assert_eq!(verdicts.len(), ops.len(), "one verdict for each op, two cycles later");
        verdicts
    }

    fn op(&mut self, op: TrackOp) -> Verdict {
        self.burst(&[op])[0]
    }

    fn said(&mut self, said: Said) {
        cycle(&mut self.dut, &Inputs { said: Some((FLOW, said)), ..Inputs::default() });
    }

    /// Looks after `FLOW`; what is told.
    fn sweep(&mut self, times: Times) -> Option<Event> {
        let mut events = vec![];
        for at in 0..3 {
            let sweep = Some(FLOW).filter(|_| at == 0);
            let op = TrackOp { times, enable: true, ..TrackOp::default() };
            let seen = cycle(&mut self.dut, &Inputs { sweep, op, ..Inputs::default() });
            assert!(seen.verdict.is_none());
            events.extend(seen.event);
            self.rx = seen.rx.map_or(self.rx, |(_, rx)| rx);
        }
        events.pop()
    }

    /// A flow that is Active, expects PSN 100, has counted 3 messages in Sync, and an MSN that is 1000 further.
    fn active() -> Self {
        let mut bench = Bench::new();
        bench.burst(&[send(97), send(98), send(99)]);
        bench.back(Back { run: bench.rx.run, active: true, offset: 1000, ..Back::default() });
        bench
    }

    fn intent(&self, kind: Kind, req: bool, psn: u32, msn: u32) -> Intent {
        Intent { kind, req, flow: FLOW, run: self.rx.run, psn, msn }
    }
}

fn request(opcode: u8, psn: u32) -> TrackOp {
    let payload = match opcode {
        SEND_FIRST | SEND_MIDDLE | WRITE_FIRST | WRITE_MIDDLE => 1024,
        ATOMIC_WRITE => 8,
        _ => 0,
    };
    TrackOp {
        payload,
        hit: true,
        index: FLOW,
        roce: true,
        good: true,
        opcode,
        psn,
        room: true,
        enable: true,
        ..TrackOp::default()
    }
}

fn send(psn: u32) -> TrackOp {
    request(SEND_ONLY, psn)
}

fn asking(op: TrackOp) -> TrackOp {
    TrackOp { ack_req: true, ..op }
}

fn read(psn: u32, reth_len: u32) -> TrackOp {
    TrackOp { reth_len, ..request(READ_REQUEST, psn) }
}

fn passed(active: bool, intent: Intent) -> Verdict {
    Verdict { forward: true, push: true, active, tracked: true, intent, ..Verdict::default() }
}

fn dropped(active: bool, reason: Reason) -> Verdict {
    Verdict { active, tracked: true, reason, ..Verdict::default() }
}

/// Of no flow, or of one that is Off.
fn unfollowed(verdict: Verdict) -> Verdict {
    Verdict { tracked: false, ..verdict }
}

const NOTHING: Intent = Intent { kind: Kind::None, req: false, flow: 0, run: 0, psn: 0, msn: 0 };

#[test]
fn a_mac_error_comes_before_every_other_reason() {
    let mut b = Bench::active();
    let all = TrackOp { err: true, budget: true, room: false, good: false, ..send(100) };
    assert_eq!(b.op(all), unfollowed(dropped(false, Reason::MacError)));
    assert_eq!(b.op(TrackOp { cut: true, ..all }), unfollowed(dropped(false, Reason::Malformed)));
    assert_eq!(b.op(TrackOp { err: false, ..all }), unfollowed(dropped(false, Reason::BudgetFromClient)));
    assert_eq!(b.op(TrackOp { err: false, budget: false, ..all }), dropped(true, Reason::Overflow));
    let control = TrackOp { err: false, budget: false, mac_control: true, roce: false, ..all };
    assert_eq!(b.op(control), unfollowed(dropped(false, Reason::Pfc)));
}

#[test]
fn what_is_no_request_of_a_known_flow_passes_untouched() {
    let mut b = Bench::active();
    let before = b.rx;
    for op in [
        TrackOp { roce: false, ..send(100) },
        TrackOp { hit: false, ..send(100) },
        TrackOp { enable: false, ..send(100) },
        request(CNP, 0),
        request(0x24, 100),
        request(READ_RESPONSE_FIRST, 100),
        request(ACKNOWLEDGE, 100),
        request(ATOMIC_ACKNOWLEDGE, 100),
    ] {
        assert_eq!(b.op(op), unfollowed(passed(false, NOTHING)), "{op:?}");
    }
    assert_eq!(b.rx, before);
    b.cfg(Cfg { enable: false, ..ON });
    assert_eq!(b.op(send(100)), unfollowed(passed(false, NOTHING)));
}

#[test]
fn the_first_packet_says_where_the_flow_stands() {
    let mut b = Bench::new();
    assert_eq!(b.op(send(0xff_ffff)), passed(false, NOTHING));
    assert_eq!((b.rx.synced, b.rx.expected, b.rx.count, b.rx.serial), (true, 0, 1, 1));
    b.op(request(SEND_FIRST, 0));
    assert_eq!((b.rx.expected, b.rx.count, b.rx.run), (1, 1, 1));
}

#[test]
fn a_gap_or_a_bad_packet_in_sync_starts_over_and_what_was_sent_is_remembered() {
    let mut b = Bench::new();
    b.burst(&[send(10), asking(send(11))]);
    assert_eq!((b.rx.sample_valid, b.rx.sample_psn, b.rx.sample_count, b.rx.run), (true, 11, 2, 1));
    assert_eq!(b.op(send(13)), passed(false, NOTHING));
    assert_eq!((b.rx.synced, b.rx.expected, b.rx.count, b.rx.sample_valid, b.rx.run), (true, 14, 1, false, 2));
    for bad in [TrackOp { good: false, ..send(14) }, request(0x15, 14), read(14, 257)] {
        let run = b.rx.run;
        assert_eq!(b.op(bad), passed(false, NOTHING));
        assert_eq!((b.rx.synced, b.rx.count, b.rx.run, b.rx.expected), (false, 0, run + 1, 14), "{bad:?}");
        b.op(send(13));
        assert_eq!((b.rx.synced, b.rx.count, b.rx.expected), (true, 0, 14), "nothing new yet");
        assert_eq!(b.rx.run, run + 1, "one new run, not two");
    }
}

#[test]
fn a_packet_lost_for_want_of_room_starts_over_in_sync_and_changes_nothing_when_active() {
    let mut b = Bench::new();
    b.burst(&[send(10), asking(send(11))]);
    assert_eq!(b.op(TrackOp { room: false, ..send(12) }), dropped(false, Reason::Overflow));
    assert_eq!((b.rx.synced, b.rx.run), (false, 2));

    let mut b = Bench::active();
    let before = b.rx;
    assert_eq!(b.op(TrackOp { room: false, ..send(100) }), dropped(true, Reason::Overflow));
    assert_eq!(b.rx, before);
    let nak = b.intent(Kind::Nak, false, 100, 1003);
    let verdict = b.op(send(101));
    assert_eq!(
        verdict,
        Verdict { push: true, intent: nak, ..dropped(true, Reason::OutOfOrder) },
        "a later frame shows it"
    );
}

#[test]
fn a_new_serial_or_a_resync_makes_one_new_run_that_back_does_not_remember() {
    let mut b = Bench::active();
    let run = b.rx.run;
    b.cfg(Cfg { serial: 2, ..ON });
    b.back(Back { run: run + 1, active: true, ..Back::default() });
    assert_eq!(b.op(send(500)), passed(false, NOTHING), "what was active is void");
    assert_eq!((b.rx.serial, b.rx.run, b.rx.expected), (2, run + 2, 501));
    b.back(Back { run: run + 2, resync: true, ..Back::default() });
    b.burst(&[send(501), send(502)]);
    assert_eq!((b.rx.run, b.rx.expected, b.rx.count), (run + 3, 503, 2));
}

#[test]
fn a_sample_is_the_end_of_data_that_asks_and_is_taken_again_when_an_ack_has_passed() {
    let mut b = Bench::new();
    b.burst(&[asking(send(10)), send(11), asking(request(SEND_MIDDLE, 12)), asking(request(FETCH_ADD, 13))]);
    assert!(!b.rx.sample_valid, "not the first packet, none that does not ask, no MIDDLE, no ATOMIC");
    b.burst(&[asking(request(WRITE_LAST, 14)), asking(send(15))]);
    assert_eq!((b.rx.sample_psn, b.rx.sample_count), (14, 4), "the first stays");
    b.back(Back { run: b.rx.run, seen: true, seen_psn: 13, ..Back::default() });
    b.op(asking(send(16)));
    assert_eq!(b.rx.sample_psn, 14, "an earlier ACK does not pass it");
    b.back(Back { run: b.rx.run, seen: true, seen_psn: 14, ..Back::default() });
    b.op(asking(send(17)));
    assert_eq!((b.rx.sample_psn, b.rx.sample_count), (17, 7));
}

#[test]
fn data_in_order_on_an_active_flow_may_be_acknowledged_with_its_message_number() {
    let mut b = Bench::active();
    let verdicts = b.burst(&[request(WRITE_FIRST, 100), asking(request(WRITE_LAST, 101)), asking(send(102))]);
    assert_eq!(verdicts[0], passed(true, b.intent(Kind::Ack, false, 100, 1003)));
    assert_eq!(verdicts[1], passed(true, b.intent(Kind::Ack, true, 101, 1004)));
    assert_eq!(verdicts[2], passed(true, b.intent(Kind::Ack, true, 102, 1005)));
}

#[test]
fn a_gap_is_answered_once_until_it_is_closed() {
    let mut b = Bench::active();
    let nak = |b: &Bench, psn, msn| Verdict {
        push: true,
        intent: b.intent(Kind::Nak, false, psn, msn),
        ..dropped(true, Reason::OutOfOrder)
    };
    let verdicts = b.burst(&[send(101), send(102), send(100), send(102), send(103)]);
    assert_eq!(verdicts[0], nak(&b, 100, 1003));
    assert_eq!(verdicts[1], dropped(true, Reason::OutOfOrder));
    assert_eq!(verdicts[2], passed(true, b.intent(Kind::Ack, false, 100, 1004)));
    assert_eq!(verdicts[3], nak(&b, 101, 1004));
    assert_eq!(verdicts[4], dropped(true, Reason::OutOfOrder));
}

#[test]
fn a_duplicate_is_answered_when_it_asks_and_sent_on_when_only_the_far_side_can_answer() {
    let mut b = Bench::active();
    let before = b.rx;
    let reack = b.intent(Kind::Reack, false, 0, 0);
    assert_eq!(b.op(send(99)), dropped(true, Reason::Duplicate));
    assert_eq!(b.op(asking(send(99))), Verdict { push: true, intent: reack, ..dropped(true, Reason::Duplicate) });
    for op in [read(98, 1), request(CMP_SWAP, 98), request(FLUSH, 98), request(ATOMIC_WRITE, 98)] {
        assert_eq!(b.op(op), passed(true, b.intent(Kind::Barrier, true, 98, 98)), "a repeat");
    }
    assert_eq!(b.rx, before);
}

#[test]
fn a_bad_frame_on_an_active_flow_is_dropped_and_never_acknowledged() {
    let mut b = Bench::active();
    let before = b.rx;
    assert_eq!(b.op(asking(TrackOp { good: false, ..send(100) })), dropped(true, Reason::BadIcrc));
    assert_eq!(b.op(TrackOp { good: false, ..request(0x15, 100) }), dropped(true, Reason::BadIcrc));
    assert_eq!(b.rx, before);
}

#[test]
fn what_cannot_be_the_same_connection_drains_the_flow() {
    let near = [100 + 0xffff, (100 - 0x1_0000) as u32 & 0xff_ffff];
    for psn in near {
        let mut b = Bench::active();
        assert!(b.op(send(psn)).reason != Reason::None && !b.rx.drain, "{psn:#x} is near");
    }
    let far = [send(near[0] + 1), send(near[1] - 1), request(0x1f, 100), read(100, 257)];
    for op in far {
        let mut b = Bench::active();
        let verdict = b.op(op);
        assert_eq!(Verdict { event: None, ..verdict }, passed(true, NOTHING), "{op:?}");
        assert_eq!(verdict.event.map(|e| (e.code, e.psn)), Some((b.rx.cause, op.psn)));
        assert!(b.rx.drain);
        assert_eq!(b.burst(&[send(100), send(5), asking(send(99))]), [passed(false, NOTHING); 3], "Drain passes all");
        assert_eq!(b.rx.expected, 100);
    }
}

#[test]
fn a_read_takes_a_psn_for_every_packet_of_its_answer() {
    for (code, mtu) in [(1u8, 256u32), (2, 512), (3, 1024), (4, 2048), (5, 4096)] {
        for (len, n) in [(0, 1), (1, 1), (mtu, 1), (mtu + 1, 2), (8 * mtu, 8), (8 * mtu + 1, 9)] {
            let mut b = Bench::active();
            b.cfg(Cfg { mtu: code, ..ON });
            assert_eq!(b.op(read(100, len)), passed(true, b.intent(Kind::Barrier, false, 100, 99 + n)), "{mtu} {len}");
            assert_eq!((b.rx.expected, b.rx.count), (100 + n, 4));
        }
    }
}

#[test]
fn psns_wrap() {
    let mut b = Bench::new();
    b.cfg(Cfg { mtu: 3, ..ON });
    b.op(send(0xff_fffd));
    b.back(Back { run: b.rx.run, active: true, offset: 0xff_ffff, ..Back::default() });
    let verdicts =
        b.burst(&[asking(send(0xff_fffe)), read(0xff_ffff, 2000), asking(send(1)), asking(send(0xff_ffff)), send(3)]);
    assert_eq!(verdicts[0], passed(true, b.intent(Kind::Ack, true, 0xff_fffe, 1)));
    assert_eq!(verdicts[1], passed(true, b.intent(Kind::Barrier, false, 0xff_ffff, 0)));
    assert_eq!(verdicts[2], passed(true, b.intent(Kind::Ack, true, 1, 3)));
    assert_eq!(verdicts[3].reason, Reason::Duplicate);
    assert_eq!(verdicts[4].reason, Reason::OutOfOrder);
}

#[test]
fn the_mtu_is_learnt_from_full_packets_in_order() {
    let full = |opcode, psn, payload| TrackOp { payload, ..request(opcode, psn) };
    let mut b = Bench::new();
    b.burst(&[full(WRITE_FIRST, 10, 1024), full(WRITE_LAST, 11, 1024), full(WRITE_ONLY, 12, 1024)]);
    assert_eq!(b.rx.mtu, 0, "not from the first packet, a LAST or an ONLY");
    b.op(full(WRITE_MIDDLE, 13, 1024));
    assert_eq!(b.rx.mtu, 3);
    b.op(send(20));
    assert_eq!(b.rx.mtu, 3, "a new run keeps it");
    assert_eq!(b.op(read(21, 5000)), passed(false, b.intent(Kind::Barrier, false, 21, 25)));
    b.cfg(Cfg { serial: 9, ..ON });
    b.op(send(26));
    assert_eq!(b.rx.mtu, 0, "a new serial does not");
    b.back(Back { run: b.rx.run, mtu: 2, ..Back::default() });
    assert_eq!(b.op(read(27, 1025)), passed(false, b.intent(Kind::Barrier, false, 27, 29)), "or from READ responses");
}

#[test]
fn a_flow_may_acknowledge_plain_writes_alone() {
    let last = |op: u8| {
        let mut b = Bench::active();
        b.cfg(Cfg { ack_ops_write: true, ..ON });
        b.op(request(op, 100)).intent.kind
    };
    for op in 0..=0x1fu8 {
        let kind = match op {
            WRITE_FIRST | WRITE_MIDDLE | WRITE_LAST | WRITE_ONLY => Kind::Ack,
            _ if is_request(op) => Kind::Barrier,
            _ => Kind::None,
        };
        assert_eq!(last(op), kind, "{op:#04x}");
    }
}

#[test]
fn a_barrier_is_set_before_the_flow_is_active() {
    let mut b = Bench::new();
    assert_eq!(b.op(request(FETCH_ADD, 10)), passed(false, b.intent(Kind::Barrier, false, 10, 10)), "as the first");
    assert_eq!(b.op(request(FETCH_ADD, 11)), passed(false, b.intent(Kind::Barrier, false, 11, 11)), "in order");
    assert_eq!(b.op(request(FETCH_ADD, 20)), passed(false, b.intent(Kind::Barrier, false, 20, 20)), "behind a gap");
}

#[test]
fn a_fault_refuses_every_request_at_its_own_psn() {
    let mut b = Bench::active();
    let before = b.rx;
    for refusal in [1u8, 2, 3] {
        b.back(Back { run: b.rx.run, active: true, fault: true, refusal, ..Back::default() });
        for op in [send(100), send(7), read(100, 9999), request(0x1f, 100)] {
            let intent = b.intent(Kind::Refuse, false, op.psn, 0x60 + u32::from(refusal));
            assert_eq!(b.op(op), Verdict { push: true, intent, ..dropped(false, Reason::Fault) });
        }
    }
    assert_eq!(b.op(TrackOp { good: false, ..send(99) }), dropped(false, Reason::BadIcrc));
    assert_eq!(b.rx, before);
}

#[test]
fn a_sender_that_goes_back_in_sync_keeps_its_flow() {
    let mut b = Bench::new();
    b.burst(&[send(10), asking(send(11)), asking(send(12))]);
    let run = b.rx.run;
    let verdicts = b.burst(&[asking(send(11)), read(12, 1), send(13), asking(send(14))]);
    assert_eq!(verdicts[0], passed(false, NOTHING));
    assert_eq!(verdicts[1], passed(false, b.intent(Kind::Barrier, true, 12, 12)));
    assert_eq!((b.rx.run, b.rx.expected, b.rx.count, b.rx.sample_psn, b.rx.sample_count), (run, 15, 5, 14, 5));
}

#[test]
fn time_drains_ends_and_forgets() {
    let times = |now| Times::at(now, 5, 20, 50);
    let event = |b: &Bench, code, psn| Some(Event { code, flow: FLOW, run: b.rx.run, psn });
    // a gap
    let mut b = Bench::active();
    b.op(TrackOp { times: times(10), ..send(101) });
    assert_eq!(b.sweep(times(15)), None);
    assert_eq!(b.sweep(times(16)), event(&b, event::DRAIN_GAP, 100));
    assert!(b.rx.drain && b.rx.gap);
    assert_eq!((b.sweep(times(16)), b.sweep(times(17))), (None, None));
    let run = b.rx.run;
    assert_eq!(b.sweep(times(18)), event(&b, event::DRAINED, 0));
    assert_eq!((b.rx.drain, b.rx.off, b.rx.synced, b.rx.rewound, b.rx.run), (false, false, false, true, run + 1));
    // what cannot be, with debt
    let mut b = Bench::active();
    b.back(Back { run: b.rx.run, active: true, seen: true, seen_psn: 90, ..Back::default() });
    b.said(Said { run: b.rx.run, valid: true, acked_psn: 95, ..Said::default() });
    b.op(TrackOp { times: times(100), ..request(0x1f, 100) });
    assert_eq!(b.sweep(times(150)), None);
    assert_eq!(b.sweep(times(151)), event(&b, event::DRAIN_TIMEOUT, 95));
    assert_eq!((b.rx.drain, b.rx.off), (false, true));
    assert_eq!(b.op(send(100)), unfollowed(passed(false, NOTHING)), "Off");
    assert_eq!(b.rx.expected, 100);
    // rest
    let mut b = Bench::active();
    b.op(TrackOp { times: times(10), ..send(100) });
    b.op(TrackOp { times: times(20), ..send(50) });
    assert_eq!(b.sweep(times(30)), None);
    let run = b.rx.run;
    assert_eq!(b.sweep(times(31)), Some(Event { code: event::IDLE, flow: FLOW, run: run + 1, psn: 101 }));
    assert_eq!((b.rx.synced, b.rx.expected), (false, 101));
}

#[test]
fn other_flows_are_left_alone() {
    let mut b = Bench::active();
    let mut ops = vec![];
    for k in 0..8 {
        ops.push(send(100 + k));
        ops.push(TrackOp { index: FLOW ^ 1, hit: true, ..send(7000 + 2 * k) });
    }
    cycle(&mut b.dut, &Inputs { cfg: Some((FLOW ^ 1, ON)), ..Inputs::default() });
    let mut acks = 0;
    for at in 0..ops.len() + 2 {
        let op = ops.get(at).copied();
        let seen = cycle(&mut b.dut, &Inputs { op: op.unwrap_or_default(), valid: op.is_some(), ..Inputs::default() });
        acks += usize::from(seen.verdict.is_some_and(|v| v.intent.kind == Kind::Ack));
    }
    assert_eq!(acks, 8);
}
