//! The buffer by itself, in front of a client that is stopped.

use super::*;
use crate::net::link::Link;

fn sink(capacity: u64) -> (Sink, Net) {
    let mut net = Net::default();
    (0..2).for_each(|_| net.links.push(Link::new((0, 0), (1, 0), 0, 0)));
    let cfg = SinkCfg { capacity, line: 1_000, law: SinkLaw::None, passes_cnp: true, ecn: None, recirculation: None };
    let mut sink = Sink::new(0, cfg, (0, 1), Stream::new(1, 1));
    sink.add_path(1);
    (sink, net)
}

fn packet(number: u64) -> Packet {
    Packet::data(0, number, 902, false)
}

#[test]
fn what_finds_no_room_is_dropped_and_counted() {
    let (mut sink, mut net) = sink(2_500);
    (0..4).for_each(|n| sink.arrive(&mut net, 0, packet(n), &[]));
    assert_eq!((sink.occupancy(), sink.dropped, sink.peak), (2_000, 2, 2_000));
}

#[test]
fn the_mean_is_over_time() {
    let (mut sink, mut net) = sink(1 << 20);
    net.now = 1_000;
    sink.arrive(&mut net, 0, packet(0), &[]);
    net.now = 2_000;
    sink.arrive(&mut net, 0, packet(1), &[]);
    net.now = 3_000;
    sink.left(&mut net, &packet(0), &[]);
    assert_eq!(sink.mean(4_000), 1_000.0, "0, 1000, 2000 and 1000 bytes for a nanosecond each");
    assert_eq!((sink.drained_ever(), sink.peak), (1_000, 2_000));
    sink.count_from(4_000);
    assert_eq!((sink.mean(8_000), sink.drained_total, sink.peak), (1_000.0, 0, 1_000));
}
