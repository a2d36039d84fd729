//! A gateway that holds too much, and one whose client pauses.

use super::*;
use crate::back_pressure::{Threshold, Thresholds};
use crate::pfc::Settings;
use crate::pseudo_ack::CnpClass;
use crate::route::{Prefix, RouteTable};
use crate::sample::{ack, key_in, key_out, write_only};
use matchrdma_spec::wire::{ipv4, packet::parse_frame, pfc};

const I: u16 = 7;

/// Active, everything on path 3.
fn active() -> Gateway {
    let mut g = Gateway::new(Params::default());
    g.set_routes(RouteTable::new([false, true].map(|v6| (Prefix { v6, addr: 0, len: 0 }, 3)).into()));
    g.add_flow(key_out(), key_in(), I);
    g.set_cfg(I, Cfg { enable: true, mtu: 3, serial: 1, ..Cfg::default() });
    g.set_enable(true);
    g.client_in(&write_only(98, true, 8), false);
    g.client_in(&write_only(99, true, 8), false);
    g.line_in(&ack(99, 0x1f, 12), false);
    assert_eq!(g.flow(I).state, State::Active);
    g.set_pfc(Settings { enable: true, class: 3, step: 256, quanta: 100, source: 7 });
    g.set_pace(0, 1000, CnpClass { dscp: 48, pcp: 6 });
    let cnp = Threshold { on: 1024, off: 512 };
    g.set_thresholds(3, Thresholds { cnp, pfc: Threshold { on: 2048, off: 1024 }, ecn_clear: true });
    g
}

#[test]
fn a_path_that_holds_too_much_notifies_then_stops_then_lets_go() {
    let mut g = active();
    let mut seen = vec![];
    for i in 0..20u32 {
        g.pass(100);
        g.admit_client(&write_only(100 + i, false, 64), false);
        seen.push((g.next_cnp().is_some(), g.next_pfc().map(|f| pfc::Pfc::parse(&f).unwrap().time3)));
    }
    // Three beats a frame: over the first threshold with the sixth, which the seventh says, and over the second with the
    // eleventh; then at the spacing, and again when half of the pause is over.
    let cnps: Vec<usize> = (0..20).filter(|&i| seen[i].0).collect();
    assert_eq!(cnps, [6, 16]);
    let pauses: Vec<_> = (0..20).filter_map(|i| seen[i].1.map(|time| (i, time))).collect();
    assert_eq!(pauses, (10..20).map(|i| (i, 100)).collect::<Vec<_>>());
    let mut on = None;
    for left in 0..20 {
        g.pass(10);
        g.depart_line();
        let said = g.next_pfc().map(|f| pfc::Pfc::parse(&f).unwrap().time3);
        on = on.or(said.filter(|time| *time == 0).map(|_| left));
    }
    assert_eq!(on, Some(14), "five frames are left");
    g.client_in(&write_only(120, false, 64), false);
    assert!(!g.cnp_waits() && !g.pfc_waits());
}

#[test]
fn a_sender_is_told_in_every_state_of_its_flow_once_it_was_active() {
    let mut g = active();
    for psn in 100..107 {
        g.admit_client(&write_only(psn, false, 64), false);
    }
    let asks = |g: &mut Gateway, psn| {
        while g.next_cnp().is_some() {}
        g.pass(1000);
        let verdict = g.admit_client(&write_only(psn, false, 64), false);
        (verdict.forward, g.next_cnp().is_some())
    };
    assert_eq!(asks(&mut g, 107), (true, true));
    assert_eq!(asks(&mut g, 110), (false, true), "out of order: refused, and too much all the same");
    // The path keeps what it holds.
    g.admit_line(&ack(100, 0x60, 12), false);
    assert_eq!((g.flow(I).state, asks(&mut g, 108)), (State::Sync, (true, true)));
    g.set_cfg(I, Cfg { enable: true, mtu: 3, serial: 2, ..Cfg::default() });
    assert_eq!((g.flow(I).state, asks(&mut g, 109)), (State::Sync, (true, false)), "never Active");
}

#[test]
fn frames_lose_their_ecn_while_the_path_is_over() {
    let mut g = active();
    let marked = |psn| {
        let mut frame = write_only(psn, false, 64);
        ipv4::ECN.set(&mut frame[14..], 3);
        let sum = ipv4::checksum(&frame[14..]);
        ipv4::CHECKSUM.set(&mut frame[14..], sum.into());
        frame
    };
    for i in 0..10 {
        g.admit_client(&marked(100 + i), false);
    }
    let left: Vec<u128> = (0..10).map(|_| ipv4::ECN.get(&g.depart_line().unwrap().unwrap()[14..])).collect();
    assert_eq!(left, [3, 3, 3, 3, 3, 3, 0, 0, 0, 0]);
    assert!(g.client_in(&marked(110), false).iter().all(|o| parse_frame(&o.frame).ip_ok));
}

#[test]
fn the_client_pauses_us() {
    let mut g = active();
    let mut frame = [0; pfc::BYTES];
    pfc::Pfc::new(1, 8, [9, 9, 9, 50, 9, 9, 9, 9]).emit(&mut frame);
    g.client_in(&frame, false);
    assert!(g.client_paused());
    g.pass(50);
    assert!(!g.client_paused());
}
