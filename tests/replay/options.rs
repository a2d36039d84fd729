//! What the options of `replay` change.

use crate::harness::pcap::read;
use crate::harness::replayed::{vector, Replayed};
use crate::harness::roce;

#[test]
fn a_path_rate_spaces_what_leaves_on_the_line() {
    let capture = vector("write-one-way-20ms.pcap");
    let replayed = Replayed::new(&capture, &["--path-rate", "2G"]);
    replayed.judge();
    assert_eq!(replayed.outcome.report.pseudo_acks, 7);
    // 64 frames of some 2150 bytes with their overhead; the bucket lets the first 16 KiB go at once.
    let bytes: u64 = replayed.line.iter().map(|c| c.frame.len() as u64 + 24).sum();
    let took = replayed.line.last().unwrap().time_ns - replayed.line[0].time_ns;
    let least = (bytes - 2 * 16384) * 8 / 2;
    assert!(took >= least, "{took} ns, at least {least}");
}

#[test]
fn a_rate_that_no_slot_can_hold_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let args = crate::harness::replayed::args(
        &vector("write-16k-mtu1024.pcap"),
        &home.path().join("out"),
        &["--path-rate", "1"],
    );
    let why = matchrdma_sim::replay::replay(&args, &mut |_| {}).unwrap_err();
    assert!(why.contains("--path-rate") && why.lines().count() == 1, "{why}");
    assert!(!home.path().join("out").exists());
}

#[test]
fn acknowledged_on_arrival_the_ack_is_sooner() {
    let capture = vector("write-16k-mtu1024.pcap");
    let departure = Replayed::new(&capture, &["--path-rate", "1G"]);
    let arrival = Replayed::new(&capture, &["--path-rate", "1G", "--ack-on", "arrival"]);
    arrival.judge();
    let latency = |r: &Replayed| r.outcome.report.pseudo_ack_latency_cycles.unwrap();
    assert_eq!(arrival.outcome.report.pseudo_acks, 5);
    assert!(latency(&arrival).p50 < 200, "{:?}", latency(&arrival));
    assert!(latency(&departure).p50 > 1000, "{:?}", latency(&departure));
}

#[test]
fn with_ack_ops_write_a_send_waits_for_its_real_ack() {
    let sends = Replayed::new(&vector("send-depth8.pcap"), &["--ack-ops", "write"]);
    sends.judge();
    assert_eq!(sends.outcome.report.flows[0].state, "Active");
    // Nothing is said before the real ACK is here: it comes microseconds later, a pseudo-ACK within a hundred cycles.
    let latency = sends.outcome.report.pseudo_ack_latency_cycles.unwrap();
    assert!(latency.min > 1000, "{latency:?}");
    let real: Vec<u32> = sends.entering(false).filter_map(roce::parse).map(|r| r.psn).collect();
    let said = sends.acked().into_values().next().unwrap();
    assert!(said.iter().all(|psn| real.contains(psn)) && said.last() == real.last(), "{said:x?} of {real:x?}");
    let writes = Replayed::new(&vector("write-16k-mtu1024.pcap"), &["--ack-ops", "write"]);
    assert_eq!(writes.outcome.report.pseudo_acks, 5);
}

#[test]
fn the_other_side_may_be_the_near_one() {
    let far = Replayed::new(&vector("rping-cm.pcap"), &["--near", "52:54:00:00:00:0b"]);
    far.judge();
    let flow = &far.outcome.report.flows[0];
    assert_eq!((flow.requester.as_str(), flow.state), ("10.9.0.2", "Active"));
    assert_eq!(far.outcome.report.pseudo_acks, 8);
    let none = Replayed::new(&vector("write-16k-mtu1024.pcap"), &["--near", "02:02:02:02:02:02"]);
    none.judge();
    assert_eq!(none.client.len(), read(&vector("write-16k-mtu1024.pcap")).len());
    assert!(none.warnings.iter().any(|w| w.contains("near side")), "{:?}", none.warnings);
}

#[test]
fn times_are_those_of_the_core_clock() {
    let replayed = Replayed::new(&vector("psn-wrap-write.pcap"), &["--max-gap", "300"]);
    assert!(replayed.client.iter().chain(&replayed.line).all(|c| c.time_ns % 4 == 0), "cycles of 4 ns");
    assert!(replayed.line.windows(2).all(|w| w[0].time_ns < w[1].time_ns));
    assert!(replayed.outcome.report.cycles < 25 * 400 + 10_000, "{}", replayed.outcome.report.cycles);
}
