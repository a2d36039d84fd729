//! The stages together, frame by frame, with a watch on everything that leaves.

use super::*;
use crate::budget_rx::{Heard, Refused};
use crate::invariants::{Watch, Watched};
use crate::sample::{self, ack, damaged, key_in, key_out, read, read_response, send_only, write_only};
use matchrdma_spec::event;
use matchrdma_spec::params::{QUEUE_BYPASS, QUEUE_PAGES};
use matchrdma_spec::wire::packet::parse_frame;

const I: u16 = 42;
const ACK: u8 = 0x1f;
const NAK: u8 = 0x60;

struct Rig {
    gateway: Gateway,
    watch: Watch,
}

fn rig() -> Rig {
    let mut gateway = Gateway::new(Params::default());
    gateway.add_flow(key_out(), key_in(), I);
    gateway.set_cfg(I, Cfg { enable: true, mtu: 3, serial: 1, ..Cfg::default() });
    gateway.set_enable(true);
    let mut watch = Watch::new();
    let mtu = Some(1024);
    watch.flow(I, Watched { key_out: key_out(), key_in: key_in(), mtu, ack_ops_write: false });
    Rig { gateway, watch }
}

/// Active, expecting PSN 100; the far side counted 12 messages up to 99.
fn active() -> Rig {
    let mut r = rig();
    r.client(&write_only(98, true, 8));
    r.client(&write_only(99, true, 8));
    assert_eq!(r.line(&ack(99, ACK, 12)), ["client: ack 63 msn c"]);
    assert_eq!(r.gateway.flow(I).state, State::Active);
    r
}

impl Rig {
    fn client(&mut self, frame: &[u8]) -> Vec<String> {
        let out = self.gateway.client_in(frame, false);
        self.see(out)
    }

    fn line(&mut self, frame: &[u8]) -> Vec<String> {
        self.watch.from_line(frame).unwrap();
        let out = self.gateway.line_in(frame, false);
        self.see(out)
    }

    fn see(&mut self, out: Vec<Out>) -> Vec<String> {
        out.iter().map(|o| self.see_one(o)).collect()
    }

    fn see_one(&mut self, out: &Out) -> String {
        let meta = parse_frame(&out.frame);
        let says = match (meta.opcode, meta.syndrome >> 5) {
            (0x11, 0) => format!("ack {:x} msn {:x}", meta.psn, meta.msn),
            (0x11, _) => format!("nak {:x} msn {:x}", meta.psn, meta.msn),
            (op, _) => format!("{op:x} at {:x}", meta.psn),
        };
        match (out.port, out.built) {
            (Port::Line, _) => {
                self.watch.to_line(&out.frame);
                format!("line: {says}")
            }
            (Port::Client, true) => {
                self.watch.active(I, self.gateway.flow(I).state == State::Active);
                self.watch.built(&out.frame).unwrap();
                format!("built: {says}")
            }
            (Port::Client, false) => {
                if !matches!(self.gateway.flow(I).state, State::Sync | State::Active) {
                    self.watch.lapsed(I);
                }
                self.watch.overtaken(&out.frame).unwrap();
                self.watch.to_client(&out.frame);
                format!("client: {says}")
            }
        }
    }

    fn count(&self, counter: &Counter) -> u64 {
        self.gateway.counters().get(counter)
    }
}

#[test]
fn out_of_reset_it_is_a_bypass() {
    let mut r = rig();
    r.gateway.set_enable(false);
    for frame in [&write_only(1, true, 9)[..], &damaged(write_only(2, true, 9)), &[0; 60], &[1; 9600], &[]] {
        let out = r.gateway.client_in(frame, false);
        assert_eq!(out, [Out { port: Port::Line, frame: frame.to_vec(), built: false }]);
        let out = r.gateway.line_in(frame, false);
        assert_eq!(out, [Out { port: Port::Client, frame: frame.to_vec(), built: false }]);
    }
    assert_eq!(r.count(&BYPASSED), 10);
    assert_eq!((r.count(&CLIENT_FRAMES_IN), r.count(&CLIENT_FRAMES_OUT)), (5, 5));
    assert_eq!(r.count(&LINE_BYTES_IN), r.count(&CLIENT_BYTES_OUT));
    assert_eq!(r.gateway.flow(I).state, State::Off);
}

#[test]
fn broken_and_overlong_frames_are_dropped_even_then() {
    let mut r = rig();
    r.gateway.set_enable(false);
    assert!(r.gateway.client_in(&[0; 60], true).is_empty());
    assert!(r.gateway.line_in(&[0; 60], true).is_empty());
    assert!(r.gateway.client_in(&[0; 9601], false).is_empty());
    assert!(r.gateway.line_in(&[0; 9601], false).is_empty());
    assert_eq!((r.count(&DROP_MAC_ERROR), r.count(&DROP_MALFORMED), r.count(&BYPASSED)), (2, 2, 0));
    // Of a frame that is cut, what came before the cut counts.
    assert_eq!((r.count(&CLIENT_BYTES_IN), r.count(&LINE_BYTES_IN)), (9660, 9660));
}

#[test]
fn a_budget_frame_goes_no_further_even_then() {
    let mut r = rig();
    r.gateway.set_enable(false);
    let mut frame = vec![0; 60];
    frame[12..14].copy_from_slice(&[0x88, 0xb5]);
    frame[14..18].copy_from_slice(&matchrdma_spec::wire::budget::MAGIC_VALUE.to_be_bytes());
    assert!(r.gateway.client_in(&frame, false).is_empty());
    assert_eq!(r.count(&DROP_BUDGET_FROM_CLIENT), 1);
    assert!(r.gateway.take_heard().is_empty());
    assert!(r.gateway.line_in(&frame, false).is_empty());
    assert_eq!(r.gateway.take_heard(), [Heard::Refused(Refused::Malformed)], "too short");
}

#[test]
fn a_write_is_acknowledged_when_it_has_left() {
    let mut r = active();
    assert_eq!(r.client(&write_only(100, true, 8)), ["line: a at 64", "built: ack 64 msn d"]);
    assert_eq!(r.line(&ack(100, ACK, 13)), [""; 0], "the real one is not news");
    let flow = r.gateway.flow(I);
    assert_eq!((flow.expected_psn, flow.msn), (101, 13));
    assert_eq!((flow.departed_psn, flow.acknowledged_psn, flow.confirmed_psn), (100, 100, 100));
    assert_eq!((r.count(&PSEUDO_ACKS), r.count(&ABSORBED_ACKS)), (1, 1));
}

#[test]
fn on_arrival_it_is_acknowledged_when_it_is_admitted() {
    let mut r = active();
    r.gateway.set_ack_on_arrival(true);
    let out = r.gateway.client_in(&write_only(100, true, 8), false);
    assert_eq!(out.iter().map(|o| (o.port, o.built)).collect::<Vec<_>>(), [(Port::Client, true), (Port::Line, false)]);
}

#[test]
fn what_was_refused_looks_like_a_gap() {
    let mut r = active();
    assert_eq!(r.client(&damaged(write_only(100, true, 8))), [""; 0]);
    assert_eq!(r.client(&write_only(101, true, 8)), ["built: nak 64 msn c"]);
    assert_eq!(r.client(&write_only(102, true, 8)), [""; 0]);
    assert_eq!(r.client(&write_only(100, true, 8)), ["line: a at 64", "built: ack 64 msn d"]);
    assert_eq!(r.client(&write_only(100, true, 8)), ["built: ack 64 msn d"]);
    let counts = [&DROP_BAD_ICRC, &DROP_OUT_OF_ORDER, &DROP_DUPLICATE, &NAKS].map(|c| r.count(c));
    assert_eq!(counts, [1, 2, 1, 1]);
}

#[test]
fn a_full_memory_refuses_whole_frames() {
    let mut r = active();
    // the queue's guarantee, and nothing shared
    r.gateway.outbound = PathMemory::new([1, 1, 0]);
    (1..QUEUE_PAGES).for_each(|_| r.gateway.outbound.refuse(QUEUE_BYPASS, Some(Intent::default())));
    r.gateway.admit_client(&write_only(100, true, 8), false);
    let v = r.gateway.admit_client(&write_only(101, true, 8), false);
    assert_eq!(v.reason, Reason::Overflow);
    assert_eq!(r.count(&DROP_OVERFLOW), 1);
    let out = r.gateway.settle();
    assert_eq!(r.see(out), ["line: a at 64", "built: ack 64 msn d"]);
    assert_eq!(r.client(&write_only(102, true, 8)), ["built: nak 65 msn d"]);
}

#[test]
fn nothing_passes_a_read_before_its_last_response() {
    let mut r = active();
    assert_eq!(r.client(&read(100, 3000)), ["line: c at 64"]);
    assert_eq!(r.client(&write_only(103, true, 8)), ["line: a at 67"]);
    assert_eq!(r.line(&read_response(0x0d, 100, 13, 1024)), ["client: d at 64"]);
    assert_eq!(r.line(&read_response(0x0f, 102, 13, 952)), ["client: f at 66", "built: ack 67 msn e"]);
    assert_eq!(r.line(&ack(103, ACK, 14)), [""; 0]);
}

#[test]
fn with_ops_write_a_send_is_the_far_sides_to_answer() {
    let mut r = active();
    r.gateway.set_cfg(I, Cfg { enable: true, mtu: 3, serial: 1, ack_ops_write: true });
    assert_eq!(r.client(&send_only(100, true, 8)), ["line: 4 at 64"]);
    assert_eq!(r.client(&write_only(101, true, 8)), ["line: a at 65"]);
    assert_eq!(r.line(&ack(100, ACK, 13)), ["built: ack 65 msn e"]);
}

#[test]
fn a_refusal_of_what_is_not_acknowledged_starts_sync_over() {
    let mut r = active();
    assert_eq!(r.client(&write_only(100, false, 8)), ["line: a at 64"]);
    assert_eq!(r.line(&ack(100, NAK, 12)), ["client: nak 64 msn c"]);
    assert_eq!(r.gateway.flow(I).state, State::Sync);
    assert_eq!(r.client(&write_only(100, true, 8)), ["line: a at 64"]);
    assert_eq!(r.client(&write_only(101, true, 8)), ["line: a at 65"]);
    assert_eq!(r.line(&ack(101, ACK, 14)), ["client: ack 65 msn e"]);
    assert_eq!(r.client(&write_only(102, true, 8)), ["line: a at 66", "built: ack 66 msn f"]);
}

#[test]
fn a_refusal_of_what_is_acknowledged_is_a_fault() {
    let mut r = active();
    r.client(&write_only(100, true, 8));
    assert_eq!(r.line(&ack(100, NAK, 12)), [""; 0]);
    assert_eq!(r.gateway.flow(I).state, State::Fault);
    assert_eq!(r.gateway.take_events().last().map(|e| (e.code, e.psn)), Some((event::FAULT_REFUSED, 100)));
    let nothing_is_forwarded = r.client(&write_only(101, true, 8)).iter().all(|what| what.starts_with("built"));
    assert!(nothing_is_forwarded && r.count(&DROP_FAULT) == 2);
    // Only the host ends it.
    r.gateway.set_cfg(I, Cfg { enable: true, mtu: 3, serial: 2, ..Cfg::default() });
    assert_eq!(r.gateway.flow(I).state, State::Sync);
}

#[test]
fn so_is_one_of_what_the_far_side_itself_had_acknowledged() {
    let mut r = active();
    assert_eq!(r.line(&ack(99, NAK, 12)), [""; 0]);
    assert_eq!(r.gateway.flow(I).state, State::Fault);
}

#[test]
fn a_stranger_drains() {
    let mut r = active();
    assert_eq!(r.client(&write_only(0x80_0000, true, 8)), ["line: a at 800000"]);
    assert_eq!(r.gateway.flow(I).state, State::Drain);
    assert_eq!(r.line(&ack(99, ACK, 12)), ["client: ack 63 msn c"]);
    assert_eq!(r.count(&BYPASSED), 2 + 1 + 1, "two in Sync and an ACK each");
}

#[test]
fn frames_of_no_flow_pass_beside() {
    let mut r = active();
    r.gateway.remove_flow(&key_out(), &key_in());
    assert_eq!(r.client(&write_only(500, true, 8)), ["line: a at 1f4"]);
    assert_eq!(r.client(&damaged(write_only(500, true, 8))), ["line: a at 1f4"]);
    assert_eq!(r.gateway.client_in(&sample::READ_VLAN, false)[0].frame, sample::READ_VLAN);
}
