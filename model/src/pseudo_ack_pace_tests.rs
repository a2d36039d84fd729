//! How often a flow speaks, and notifications.

use super::*;

#[test]
fn a_flow_that_spoke_rests_and_then_says_what_is_newest() {
    let mut p = told();
    p.set_gap(100);
    p.set_now(1000);
    p.intent(ack(100, 2));
    assert_eq!(next(&mut p), Some((false, 100, 2)));
    p.intent(ack(101, 3));
    p.set_now(1099);
    p.intent(ack(102, 4));
    assert_eq!((next(&mut p), p.next_due()), (None, Some(1100)));
    p.set_now(1100);
    assert_eq!(next(&mut p), Some((false, 102, 4)));
    p.set_now(1200);
    assert_eq!(next(&mut p), None, "nothing new");
    p.intent(ack(103, 5));
    assert_eq!(next(&mut p), Some((false, 103, 5)), "and it has rested");
}

#[test]
fn a_sender_is_notified_no_more_often_than_the_host_says() {
    let mut p = told();
    p.set_cnp(CnpClass { dscp: 48, pcp: 6 }, 500);
    p.set_now(10);
    assert!(p.notify(I, RUN).is_some());
    p.set_now(509);
    assert!(p.notify(I, RUN).is_none());
    p.set_now(510);
    assert!(p.notify(I, RUN).is_some());
    p.set_now(2000);
    assert!(p.notify(I, RUN + 1).is_none(), "another life");
    p.set_back(I, Back::empty(RUN));
    assert!(p.notify(I, RUN).is_none(), "not Active, and never was");
    p.set_rx(I, Rx { mould: true, ..p.rx[usize::from(I)] });
    assert!(p.notify(I, RUN).is_some(), "its template is its own");
    p.set_now(3000);
    p.set_cfg(I, Cfg { serial: 2, ..p.cfg[usize::from(I)] });
    assert!(p.notify(I, RUN).is_none(), "another pair");
    p.set_cfg(I, Cfg { serial: 1, ..p.cfg[usize::from(I)] });
    p.set_now(4000);
    p.set_back(I, Back { fault: true, ..Back::empty(RUN) });
    assert!(p.notify(I, RUN).is_none(), "failed");
}

#[test]
fn a_notification_is_what_the_standard_asks() {
    let class = CnpClass { dscp: 48, pcp: 6 };
    for (real, v6) in [(&ACK_V4[..], false), (&ACK_V6[..], true)] {
        let acked = parse_frame(real);
        for vlans in 0..=2u8 {
            let mut tagged = real.to_vec();
            let tags: [u8; 8] = [0x88, 0xa8, 0x20, 0x64, 0x81, 0, 0, 7];
            tagged.splice(12..12, tags[8 - 4 * usize::from(vlans)..].iter().copied());
            let built = notification(&Template { vlans, ..template(&tagged, v6) }, class);
            let meta = parse_frame(&built);
            assert!(meta.roce && meta.ip_ok && icrc_ok(&built, &meta), "{v6} {vlans}");
            assert_eq!((meta.opcode, meta.becn, meta.ack_req, meta.psn), (0x81, true, false, 0));
            assert_eq!((meta.dest_qpn, meta.src_ip, meta.dst_ip), (acked.dest_qpn, acked.src_ip, acked.dst_ip));
            assert_eq!(built[built.len() - 20..built.len() - 4], [0; 16]);
            assert_eq!(built.len(), if v6 { 94 } else { 74 } + 4 * usize::from(vlans));
            for tag in 0..usize::from(vlans) {
                assert_eq!(built[14 + 4 * tag] >> 5, 6);
            }
        }
    }
}
