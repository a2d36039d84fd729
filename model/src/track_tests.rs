//! Directed cases of `track`, one rule of `docs/blocks.md` each.

use super::*;

const WRITE_FIRST: u8 = 0x06;
const WRITE_MIDDLE: u8 = 0x07;
const WRITE_LAST: u8 = 0x08;
const WRITE_ONLY: u8 = 0x0a;
const SEND_ONLY: u8 = 0x04;
const READ: u8 = 0x0c;
const I: u16 = 5;

fn write(psn: u32) -> TrackOp {
    TrackOp {
        hit: true,
        index: I,
        roce: true,
        good: true,
        opcode: WRITE_ONLY,
        psn,
        room: true,
        enable: true,
        ..TrackOp::default()
    }
}

fn op(opcode: u8, psn: u32) -> TrackOp {
    let payload = match opcode {
        _ if fills_mtu(opcode) => 1024,
        _ if crate::record::op(opcode) == Op::Data => 12,
        matchrdma_spec::wire::opcode::ATOMIC_WRITE => 8,
        _ => 0,
    };
    TrackOp { opcode, payload, ..write(psn) }
}

/// A time at which stamps of `ago` ticks ago are older than `timer` when `timer < ago`.
fn times(now: u32, [gap, idle, debt]: [u16; 3]) -> Times {
    Times::at(now, gap, idle, debt)
}

fn asked(op: TrackOp) -> TrackOp {
    TrackOp { ack_req: true, ..op }
}

fn configured() -> Track {
    let mut t = Track::new();
    t.set_cfg(I, Cfg { enable: true, serial: 1, ..Cfg::default() });
    t
}

/// Synced at 99, Active with offset 7, expecting 100 with count 1.
fn active() -> Track {
    let mut t = configured();
    t.op(asked(write(98)));
    t.op(asked(write(99)));
    let run = t.rx(I).run;
    t.set_back(I, Back { active: true, offset: 7, ..Back::empty(run) });
    assert_eq!((t.rx(I).expected, t.rx(I).count), (100, 2));
    t
}

fn intent(t: &Track, kind: Kind, psn: u32, msn: u32, req: bool) -> Intent {
    Intent { kind, req, flow: I, run: t.rx(I).run, psn, msn }
}

fn passes(v: Verdict) {
    assert!(v.forward && v.push && v.reason == Reason::None, "{v:?}");
}

#[test]
fn a_broken_frame_is_dropped_before_anything_else() {
    let mut t = active();
    let v = t.op(TrackOp { err: true, room: false, budget: true, ..write(100) });
    assert_eq!((v.forward, v.push, v.reason), (false, false, Reason::MacError));
    assert_eq!(t.op(TrackOp { err: true, cut: true, ..write(100) }).reason, Reason::Malformed);
    assert_eq!(t.op(TrackOp { budget: true, enable: false, ..write(100) }).reason, Reason::BudgetFromClient);
    assert_eq!(t.rx(I).expected, 100);
}

#[test]
fn without_room_an_active_flow_sees_a_gap_later() {
    let mut t = active();
    let before = t.rx(I);
    let v = t.op(TrackOp { room: false, ..write(100) });
    assert_eq!((v.forward, v.push, v.reason, v.active), (false, false, Reason::Overflow, true));
    assert_eq!(t.rx(I), before);
    assert_eq!(t.op(write(101)).intent, intent(&t, Kind::Nak, 100, 9, false));
}

#[test]
fn without_room_a_flow_in_sync_starts_over() {
    let mut t = configured();
    t.op(write(1));
    let run = t.rx(I).run;
    t.op(TrackOp { room: false, opcode: 0x11, ..write(2) });
    t.op(TrackOp { room: false, roce: false, ..write(2) });
    t.op(TrackOp { room: false, hit: false, ..write(2) });
    assert!(t.rx(I).synced);
    t.op(TrackOp { room: false, ..write(2) });
    assert!(!t.rx(I).synced);
    assert_ne!(t.rx(I).run, run);
}

#[test]
fn what_is_no_business_of_the_flow_passes() {
    let mut t = active();
    let before = t.rx(I);
    for op in [
        TrackOp { roce: false, ..write(500) },
        TrackOp { hit: false, ..write(500) },
        TrackOp { enable: false, ..write(500) },
        op(0x11, 500),
        op(0x24, 500),
        op(0x81, 0),
    ] {
        let v = t.op(op);
        passes(v);
        assert_eq!((v.intent, v.active), (Intent::default(), false));
    }
    assert_eq!(t.rx(I), before);
}

#[test]
fn drain_passes_everything_untouched() {
    for drain in [(true, false), (false, true)] {
        let mut t = active();
        t.rx[usize::from(I)].drain = drain.0;
        let run = t.rx(I).run;
        t.set_back(I, Back { active: true, drain: drain.1, ..Back::empty(run) });
        let before = t.rx(I);
        for psn in [100, 200, 50] {
            let v = t.op(asked(write(psn)));
            passes(v);
            assert_eq!((v.intent, v.active), (Intent::default(), false));
        }
        assert_eq!(t.rx(I), before);
    }
}

#[test]
fn fault_refuses_every_request_at_its_own_psn() {
    let mut t = active();
    let run = t.rx(I).run;
    let before = t.rx(I);
    for refusal in [1, 2, 3] {
        t.set_back(I, Back { active: true, fault: true, refusal, ..Back::empty(run) });
        for asks in [write(100), asked(write(50)), op(READ, 7), op(0x15, 100), write(0x80_0000)] {
            let v = t.op(asks);
            assert_eq!((v.forward, v.push, v.reason, v.active), (false, true, Reason::Fault, false));
            assert_eq!(v.intent, intent(&t, Kind::Refuse, asks.psn, 0x60 + u32::from(refusal), false));
        }
    }
    assert_eq!(t.op(TrackOp { good: false, ..write(100) }).reason, Reason::BadIcrc, "nobody knows what it was");
    passes(t.op(op(0x11, 100)));
    assert_eq!(t.rx(I), before);
}

#[test]
fn mac_control_frames_stay_on_their_link() {
    let mut t = active();
    let v = t.op(TrackOp { mac_control: true, roce: false, room: false, ..write(0) });
    assert_eq!((v.forward, v.push, v.reason), (false, false, Reason::Pfc));
}

#[test]
fn off_by_its_own_record_is_off_until_a_new_serial() {
    let run = active().rx(I).run;
    for (rx_off, back_off) in [(true, false), (false, true)] {
        let mut t = active();
        t.rx[usize::from(I)].off = rx_off;
        t.set_back(I, Back { active: true, off: back_off, ..Back::empty(run) });
        let v = t.op(write(100));
        passes(v);
        assert_eq!((v.active, t.rx(I).expected), (false, 100));
        t.set_cfg(I, Cfg { enable: true, serial: 2, ..Cfg::default() });
        t.op(write(100));
        assert_eq!((t.rx(I).off, t.rx(I).synced, t.rx(I).expected), (false, true, 101));
    }
}

#[test]
fn a_flow_that_has_not_begun_waits_for_a_packet_it_can_begin_with() {
    let mut t = configured();
    let before = t.rx(I);
    for lost in [TrackOp { good: false, ..write(7) }, TrackOp { room: false, ..write(7) }, op(0x15, 7)] {
        t.op(lost);
        assert_eq!(t.rx(I), before);
    }
    t.op(write(7));
    assert_eq!((t.rx(I).run, t.rx(I).expected), (1, 8));
}

#[test]
fn a_sender_that_goes_back_in_sync_does_not_start_the_flow_over() {
    let mut t = configured();
    for psn in 10..20 {
        t.op(asked(write(psn)));
    }
    let run = t.rx(I).run;
    passes(t.op(asked(write(12))));
    let rx = t.rx(I);
    assert_eq!((rx.run, rx.expected, rx.count, rx.sample_valid), (run, 20, 10, false));
    let v = t.op(TrackOp { reth_len: 1, ..op(READ, 13) });
    assert_eq!(v.intent, intent(&t, Kind::Barrier, 13, 13, true), "asked for again");
    (14..20).for_each(|psn| passes(t.op(asked(write(psn)))));
    assert!(!t.rx(I).sample_valid, "what is repeated is no sample");
    t.op(asked(write(20)));
    let rx = t.rx(I);
    assert_eq!((rx.run, rx.count, rx.sample_psn, rx.sample_count, rx.rewound), (run, 11, 20, 11, false));
}

#[test]
fn one_that_stays_behind_is_another_one() {
    let timers = [5, 100, 100];
    let at = |now, op: TrackOp| TrackOp { times: times(now, timers), ..op };
    let mut t = configured();
    (10..20).for_each(|psn| passes(t.op(at(50, write(psn)))));
    let run = t.rx(I).run;
    t.op(at(100, write(3)));
    t.op(at(105, write(4)));
    assert_eq!((t.rx(I).run, t.rx(I).expected), (run, 20), "it went back five ticks ago, not fifty");
    t.op(at(106, write(5)));
    let rx = t.rx(I);
    assert_eq!((rx.run, rx.expected, rx.count, rx.rewound, rx.gap), (run + 1, 6, 1, true, false));
}

#[test]
fn what_was_sent_is_not_forgotten_when_following_ends() {
    let mut t = configured();
    (10..20).for_each(|psn| passes(t.op(write(psn))));
    t.op(TrackOp { good: false, ..write(20) });
    let run = t.rx(I).run;
    assert!(!t.rx(I).synced);
    t.op(write(15));
    assert_eq!((t.rx(I).expected, t.rx(I).count, t.rx(I).run), (20, 0, run), "goes back before what was lost");
    t.op(write(20));
    assert_eq!((t.rx(I).expected, t.rx(I).count, t.rx(I).run), (21, 1, run));
}

#[test]
fn a_change_of_mig_req_or_a_payload_that_cannot_be_drains() {
    for (odd, cause) in [
        (TrackOp { mig_req: true, ..write(100) }, event::DRAIN_MIGRATED),
        (TrackOp { payload: 1000, ..op(WRITE_FIRST, 100) }, event::DRAIN_MALFORMED),
        (TrackOp { payload: 4097, ..write(100) }, event::DRAIN_MALFORMED),
        (TrackOp { payload: 4, ..op(READ, 100) }, event::DRAIN_MALFORMED),
        (TrackOp { payload: 4, ..op(0x1d, 100) }, event::DRAIN_MALFORMED),
        (TrackOp { payload: 4, ..op(0x1f, 100) }, event::DRAIN_OPCODE),
        (write(0x40_0000), event::DRAIN_ASTRAY),
        (TrackOp { reth_len: 9999, ..op(READ, 100) }, event::DRAIN_READ),
    ] {
        let mut t = active();
        let v = t.op(odd);
        passes(v);
        assert_eq!((t.rx(I).drain, t.rx(I).cause), (true, cause));
        assert_eq!(v.event, Some(Event { code: cause, flow: I, run: t.rx(I).run, psn: odd.psn }));
    }
    let mut t = active();
    t.set_cfg(I, Cfg { enable: true, serial: 1, mtu: 2, ..Cfg::default() });
    t.op(TrackOp { payload: 1024, ..op(WRITE_FIRST, 100) });
    assert_eq!(t.rx(I).cause, event::DRAIN_MALFORMED, "another path MTU than the host's");
}

/// Told up to `acked`, confirmed up to 99.
fn owing(t: &mut Track, acked_psn: u32) {
    let run = t.rx(I).run;
    t.set_back(I, Back { active: true, seen: true, seen_psn: 99, ..Back::empty(run) });
    t.set_said(I, Said { run, valid: true, acked_psn, ..Said::default() });
}

#[test]
fn a_gap_that_stays_open_drains() {
    let timers = [5, 3, 100];
    let mut t = active();
    owing(&mut t, 99);
    t.op(TrackOp { times: times(10, timers), ..write(102) });
    assert_eq!(
        t.sweep(I, true, &times(15, timers)),
        (true, Some(Event { code: event::IDLE, flow: I, run: 2, psn: 100 }))
    );
    let mut t = active();
    owing(&mut t, 101);
    t.op(TrackOp { times: times(10, timers), ..write(102) });
    t.op(TrackOp { times: times(14, timers), ..write(103) });
    assert_eq!(t.sweep(I, true, &times(15, timers)), (false, None));
    let event = Event { code: event::DRAIN_GAP, flow: I, run: 1, psn: 100 };
    assert_eq!(t.sweep(I, true, &times(16, timers)), (true, Some(event)));
    assert_eq!((t.rx(I).drain, t.rx(I).cause), (true, event::DRAIN_GAP));
}

#[test]
fn a_flow_that_rests_without_debt_returns_to_sync() {
    let timers = [5, 20, 100];
    for (acked, rests) in [(99, true), (98, true), (100, false)] {
        let mut t = active();
        t.op(TrackOp { times: times(10, timers), ..write(100) });
        owing(&mut t, acked);
        let run = t.rx(I).run;
        assert_eq!(t.sweep(I, true, &times(30, timers)), (false, None));
        // A duplicate is no progress: a queue pair that began anew must not keep the old one's state alive.
        t.op(TrackOp { times: times(30, timers), ..write(50) });
        let (wrote, event) = t.sweep(I, true, &times(31, timers));
        assert_eq!((wrote, event.map(|e| e.code)), (rests, Some(event::IDLE).filter(|_| rests)));
        assert_eq!((t.rx(I).run != run, t.rx(I).synced, t.rx(I).expected), (rests, !rests, 101));
    }
}

#[test]
fn drain_ends_without_debt_or_in_time() {
    let timers = [5, 20, 50];
    let sweep = |t: &mut Track, now| t.sweep(I, true, &times(now, timers)).1.map(|e| e.code);
    for (odd, off) in [(write(0x40_0000), false), (op(0x1f, 100), true)] {
        for (acked, end, code) in [(99, 12, event::DRAINED), (100, 61, event::DRAIN_TIMEOUT)] {
            let mut t = active();
            owing(&mut t, acked);
            t.op(TrackOp { times: times(10, timers), ..odd });
            let run = t.rx(I).run;
            assert_eq!(sweep(&mut t, end - 1), None);
            assert_eq!(sweep(&mut t, end), Some(code));
            let rx = t.rx(I);
            assert_eq!((rx.drain, rx.off, rx.run != run, rx.rewound), (false, off, !off, !off));
            assert_ne!(rx.cause, 0, "remembered");
        }
    }
}

#[test]
fn a_drain_that_the_far_side_began_is_taken_over() {
    let timers = [5, 20, 50];
    let mut t = active();
    let run = t.rx(I).run;
    t.set_back(I, Back { active: true, drain: true, cause: event::DRAIN_MSN, ..Back::empty(run) });
    assert_eq!(t.sweep(I, true, &times(70, timers)), (true, None));
    assert_eq!((t.rx(I).drain, t.rx(I).cause), (true, event::DRAIN_MSN));
    assert_eq!(t.sweep(I, true, &times(71, timers)).1, None);
    assert_eq!(t.sweep(I, true, &times(72, timers)).1.unwrap().code, event::DRAINED);
    assert_eq!(state(true, &t.cfg[usize::from(I)], &t.rx(I), &t.back[usize::from(I)]), State::Sync);
}

#[test]
fn an_age_stops_where_it_can_still_be_told() {
    let mut t = active();
    owing(&mut t, 100);
    for now in (0..0x3_0000).step_by(0x1000) {
        assert_eq!(t.sweep(I, true, &times(now, [0x7fff; 3])), (false, None), "{now:x}");
    }
    owing(&mut t, 99);
    assert!(t.sweep(I, true, &times(0x3_0000, [5, 0x7ffe, 5])).1.is_some());
}

#[test]
fn sync_takes_its_first_packet_as_the_start() {
    let mut t = configured();
    let v = t.op(op(WRITE_MIDDLE, 0xff_ffff));
    passes(v);
    assert_eq!(v.intent, Intent::default());
    let rx = t.rx(I);
    assert_eq!((rx.synced, rx.expected, rx.count, rx.serial, rx.run), (true, 0, 0, 1, 1));
    assert!(!rx.rewound);
    t.op(op(WRITE_LAST, 0));
    assert_eq!((t.rx(I).expected, t.rx(I).count, t.rx(I).run), (1, 1, 1));
}

#[test]
fn sync_samples_the_end_of_a_message_that_asks_for_an_ack() {
    let mut t = configured();
    t.op(asked(write(10)));
    assert!(!t.rx(I).sample_valid, "the packet that sets the start is no sample");
    t.op(asked(op(WRITE_FIRST, 11)));
    t.op(asked(op(WRITE_MIDDLE, 12)));
    t.op(op(WRITE_LAST, 13));
    assert!(!t.rx(I).sample_valid);
    t.op(asked(write(14)));
    t.op(asked(write(15)));
    assert_eq!((t.rx(I).sample_valid, t.rx(I).sample_psn, t.rx(I).sample_count), (true, 14, 3));
    // An ACK passed beyond it: the next one is the sample.
    let run = t.rx(I).run;
    t.set_back(I, Back { seen: true, seen_psn: 13, ..Back::empty(run) });
    t.op(asked(write(16)));
    assert_eq!(t.rx(I).sample_psn, 14);
    t.set_back(I, Back { seen: true, seen_psn: 14, ..Back::empty(run) });
    t.op(asked(write(17)));
    assert_eq!((t.rx(I).sample_psn, t.rx(I).sample_count), (17, 6));
}

#[test]
fn sync_starts_over_after_gap_bad_icrc_unknown_opcode_and_what_no_opcode_allows() {
    for odd in [write(12), TrackOp { good: false, ..write(11) }, op(0x15, 11), TrackOp { payload: 4097, ..write(11) }] {
        let mut t = configured();
        t.op(write(9));
        t.op(asked(write(10)));
        let before = t.rx(I);
        assert!(before.sample_valid);
        let v = t.op(odd);
        passes(v);
        let rx = t.rx(I);
        assert_eq!((rx.run, rx.sample_valid), (before.run + 1, false));
        let restarted = odd.psn == 12;
        assert_eq!((rx.synced, rx.count), (restarted, u32::from(restarted)));
        if restarted {
            assert_eq!(rx.expected, odd.psn + 1);
        }
    }
}

#[test]
fn sync_starts_over_when_the_far_side_refused() {
    let mut t = configured();
    t.op(write(9));
    t.op(asked(write(10)));
    let run = t.rx(I).run;
    t.set_back(I, Back { resync: true, ..Back::empty(run) });
    t.op(asked(write(11)));
    let rx = t.rx(I);
    assert_eq!((rx.run, rx.synced, rx.count, rx.sample_valid), (run + 1, true, 1, false));
    // What back says of the older run is void.
    t.op(asked(write(12)));
    assert_eq!((t.rx(I).run, t.rx(I).sample_valid), (run + 1, true));
}

#[test]
fn a_new_serial_is_one_new_run_and_forgets_the_mtu() {
    let mut t = configured();
    t.op(write(9));
    t.op(TrackOp { payload: 1024, ..op(WRITE_FIRST, 10) });
    assert_eq!(t.rx(I).mtu, 3);
    t.op(write(20));
    assert_eq!(t.rx(I).mtu, 3, "a new run keeps it");
    let run = t.rx(I).run;
    t.set_cfg(I, Cfg { enable: true, serial: 2, ..Cfg::default() });
    t.op(write(21));
    let rx = t.rx(I);
    assert_eq!((rx.run, rx.serial, rx.mtu, rx.synced, rx.expected), (run + 1, 2, 0, true, 22));
}

#[test]
fn sync_carries_barriers_along() {
    let mut t = configured();
    let v = t.op(TrackOp { reth_len: 100, ..op(READ, 30) });
    assert_eq!(v.intent, intent(&t, Kind::Barrier, 30, 30, false));
    let v = t.op(op(0x13, 31));
    assert_eq!(v.intent, intent(&t, Kind::Barrier, 31, 31, false));
    assert_eq!(t.rx(I).count, 2);
    t.set_cfg(I, Cfg { enable: true, serial: 1, ack_ops_write: true, ..Cfg::default() });
    assert_eq!(t.op(op(SEND_ONLY, 32)).intent.kind, Kind::Barrier);
    assert_eq!(t.op(op(WRITE_ONLY, 33)).intent.kind, Kind::None);
}

#[test]
fn a_long_read_of_unknown_mtu_restarts_sync_and_drains_active() {
    let long = TrackOp { reth_len: 257, ..op(READ, 100) };
    let mut t = configured();
    t.op(write(99));
    t.op(long);
    assert!(!t.rx(I).synced);
    let mut t = active();
    let v = t.op(long);
    passes(v);
    assert_eq!((v.intent.kind, v.active, t.rx(I).drain), (Kind::None, true, true));
    assert!(!t.op(write(100)).active);
}

#[test]
fn the_mtu_comes_from_the_host_then_from_data_then_from_responses() {
    let long = TrackOp { reth_len: 5000, ..op(READ, 100) };
    let last = |t: &mut Track| t.op(long).intent.msn;
    let run = active().rx(I).run;
    let back = Back { active: true, offset: 7, mtu: 5, ..Back::empty(run) };
    let mut t = active();
    t.set_back(I, back);
    assert_eq!(last(&mut t), 101);
    let mut t = active();
    t.op(TrackOp { payload: 2048, ..op(WRITE_FIRST, 100) });
    t.set_back(I, back);
    t.op(TrackOp { payload: 2048, ..op(WRITE_MIDDLE, 101) });
    t.op(TrackOp { payload: 256, ..op(WRITE_LAST, 102) });
    let v = t.op(TrackOp { psn: 103, ..long });
    assert_eq!(v.intent, intent(&t, Kind::Barrier, 103, 105, false));
    assert_eq!((t.rx(I).expected, t.rx(I).count), (106, 4));
    let mut t = active();
    t.set_cfg(I, Cfg { enable: true, serial: 1, mtu: 1, ..Cfg::default() });
    assert_eq!(last(&mut t), 119);
}

#[test]
fn active_acknowledges_what_is_in_order() {
    let mut t = active();
    let v = t.op(op(WRITE_FIRST, 100));
    passes(v);
    assert!(v.active);
    assert_eq!(v.intent, intent(&t, Kind::Ack, 100, 9, false));
    assert_eq!(t.op(asked(op(WRITE_LAST, 101))).intent, intent(&t, Kind::Ack, 101, 10, true));
}

#[test]
fn active_drops_a_bad_icrc_and_then_sees_a_gap() {
    let mut t = active();
    let v = t.op(TrackOp { good: false, opcode: 0x15, ..write(100) });
    assert_eq!((v.forward, v.push, v.reason, v.active), (false, false, Reason::BadIcrc, true));
    assert_eq!(t.op(write(101)).reason, Reason::OutOfOrder);
}

#[test]
fn a_gap_is_answered_once() {
    let mut t = active();
    let v = t.op(write(101));
    assert_eq!((v.forward, v.push, v.reason), (false, true, Reason::OutOfOrder));
    assert_eq!(v.intent, intent(&t, Kind::Nak, 100, 9, false));
    assert!(t.rx(I).mould, "Active, if only for a gap");
    let v = t.op(write(102));
    assert_eq!((v.forward, v.push, v.reason, v.intent), (false, false, Reason::OutOfOrder, Intent::default()));
    assert_eq!(t.op(asked(write(100))).intent, intent(&t, Kind::Ack, 100, 10, true));
    assert!(t.op(write(102)).push, "the next gap is another one");
}

#[test]
fn a_duplicate_is_answered_when_it_asks() {
    let mut t = active();
    let v = t.op(asked(write(99)));
    assert_eq!((v.forward, v.push, v.reason), (false, true, Reason::Duplicate));
    assert_eq!(v.intent, intent(&t, Kind::Reack, 0, 0, false));
    let v = t.op(write(99));
    assert_eq!((v.forward, v.push, v.reason), (false, false, Reason::Duplicate));
    assert_eq!(t.rx(I).expected, 100);
}

#[test]
fn a_repeated_read_goes_to_the_far_side() {
    let mut t = active();
    t.op(write(101));
    let before = t.rx(I);
    let v = t.op(TrackOp { reth_len: 256, ..op(READ, 97) });
    passes(v);
    assert_eq!(v.intent, intent(&t, Kind::Barrier, 97, 97, true));
    assert_eq!(t.rx(I), before, "an open gap included");
}

#[test]
fn a_psn_from_elsewhere_drains() {
    for (psn, drains) in
        [(100 + 65535, false), (100 + 65536, true), (psn::sub(100, 65536), false), (psn::sub(100, 65537), true)]
    {
        let mut t = active();
        let v = t.op(write(psn));
        assert_eq!((t.rx(I).drain, v.forward), (drains, drains), "{psn}");
    }
    let mut t = active();
    passes(t.op(op(0x1e, 100)));
    assert!(t.rx(I).drain);
}

#[test]
fn numbers_wrap_in_the_middle_of_a_run() {
    let mut t = configured();
    t.op(asked(write(psn::MASK - 1)));
    t.op(asked(write(psn::MASK)));
    let run = t.rx(I).run;
    t.set_back(I, Back { active: true, offset: psn::MASK - 1, ..Back::empty(run) });
    assert_eq!(t.op(write(0)).intent.msn, 1);
    assert_eq!(t.op(write(psn::MASK)).reason, Reason::Duplicate);
    assert_eq!(t.op(write(2)).intent.psn, 1);
}

#[test]
fn with_ops_write_a_send_waits_for_the_far_side() {
    let mut t = active();
    t.set_cfg(I, Cfg { enable: true, serial: 1, ack_ops_write: true, ..Cfg::default() });
    assert_eq!(t.op(op(SEND_ONLY, 100)).intent, intent(&t, Kind::Barrier, 100, 100, false));
    assert_eq!(t.op(op(0x0b, 101)).intent.kind, Kind::Barrier);
    assert_eq!(t.op(op(WRITE_ONLY, 102)).intent.kind, Kind::Ack);
    let v = t.op(asked(op(SEND_ONLY, 100)));
    assert!(v.forward);
    assert_eq!(v.intent.kind, Kind::Barrier);
}
