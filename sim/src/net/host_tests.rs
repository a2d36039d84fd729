//! A sender by itself, answered by the test.

use super::*;
use crate::net::link::Link;

const CFG: SenderCfg = SenderCfg {
    window_bytes: 1 << 20,
    message_bytes: 8192,
    mtu_bytes: 4096,
    messages_in_flight: 3,
    ack_timeout: 1_000,
    ack_every: 100,
};

fn host(rate: Option<DcqcnCfg>) -> (Host, Net) {
    let mut net = Net::default();
    net.links.push(Link::new((0, 0), (1, 0), 100_000_000_000, 0));
    let mut host = Host::new(0, 0);
    host.add_requester(0, CFG, None, rate);
    host.start(&mut net);
    (host, net)
}

/// Numbers of what it sends until it waits.
fn sent(host: &mut Host, net: &mut Net) -> Vec<u64> {
    std::iter::from_fn(|| host.pull(net)).map(|p| p.number).collect()
}

#[test]
fn messages_in_flight_are_a_limit_and_acknowledgements_open_it() {
    let (mut h, mut n) = host(None);
    assert_eq!(sent(&mut h, &mut n), [0, 1, 2, 3, 4, 5], "three messages of two packets");
    h.arrive(&mut n, Packet::control(Kind::Ack, 0, 2));
    assert_eq!(sent(&mut h, &mut n), [6, 7]);
    assert_eq!(h.requesters()[0].messages_done(), 1);
}

#[test]
fn a_nak_goes_back_to_what_is_missing() {
    let (mut h, mut n) = host(None);
    sent(&mut h, &mut n);
    h.arrive(&mut n, Packet::control(Kind::Nak, 0, 3));
    assert_eq!(sent(&mut h, &mut n), [3, 4, 5, 6, 7]);
    assert_eq!((h.requesters()[0].naks, h.requesters()[0].repeated), (1, 3));
}

#[test]
fn silence_goes_back_to_the_oldest() {
    let (mut h, mut n) = host(None);
    sent(&mut h, &mut n);
    h.arrive(&mut n, Packet::control(Kind::Ack, 0, 1));
    n.now = 900;
    h.timer(&mut n, RETRANSMIT);
    assert_eq!(sent(&mut h, &mut n), [0; 0]);
    n.now = 1_100;
    h.timer(&mut n, RETRANSMIT);
    assert_eq!(sent(&mut h, &mut n), [1, 2, 3, 4, 5]);
    assert_eq!(h.requesters()[0].timeouts, 1);
}

#[test]
fn a_notification_slows_the_sender() {
    let (mut h, mut n) = host(Some(DcqcnCfg::published(100e9)));
    n.now = 1_000_000;
    h.arrive(&mut n, Packet::control(Kind::Cnp, 0, 0));
    assert_eq!((h.requesters[0].rate_bps(n.now), h.requesters[0].notified), (Some(50e9), 1));
    assert_eq!(sent(&mut h, &mut n), [0], "the next one waits for its time");
    n.now += 4194 * 160;
    assert_eq!(sent(&mut h, &mut n), [1]);
}

#[test]
fn a_receiver_names_a_gap_once_and_notifies_with_spacing() {
    let mut r = Responder::default();
    let mut take = |number, marked, now| {
        receive(&mut r, Packet { marked, ..Packet::data(0, number, 4096, true) }, now, 1_000)
            .map(|p| p.map(|p| (p.kind, p.number)))
    };
    assert_eq!(take(0, true, 0), [Some((Kind::Ack, 1)), Some((Kind::Cnp, 0))]);
    assert_eq!(take(2, true, 500), [Some((Kind::Nak, 1)), None]);
    assert_eq!(take(3, true, 1_000), [None, Some((Kind::Cnp, 0))]);
    assert_eq!(take(1, false, 1_500), [Some((Kind::Ack, 2)), None]);
    assert_eq!(take(0, false, 1_600), [Some((Kind::Ack, 2)), None]);
    assert_eq!(r.placed_bytes, 2 * 4096);
}
