//! Captures with something wrong in the middle of an Active flow.

use crate::harness::pcap::{read, Captured};
use crate::harness::replayed::{vector, Replayed};
use crate::harness::roce;

const NEAR: [u8; 6] = [0x52, 0x54, 0, 0, 0, 0x0a];

fn is_request(captured: &Captured) -> bool {
    captured.frame[6..12] == NEAR
}

/// `write-16k-mtu1024` with one packet of the fourth message changed; its position and PSN.
fn with_change(change: impl Fn(&mut Vec<u8>)) -> (Vec<Captured>, usize, u32) {
    let mut frames = read(&vector("write-16k-mtu1024.pcap"));
    let requests: Vec<usize> = (0..frames.len()).filter(|&i| is_request(&frames[i])).collect();
    let at = requests[3 * 16 + 5];
    let psn = roce::parse(&frames[at].frame).unwrap().psn;
    change(&mut frames[at].frame);
    (frames, at, psn)
}

fn acknowledged_beyond(replayed: &Replayed, psn: u32) -> Vec<u32> {
    let (built, _) = replayed.built_and_forwarded();
    let acks = built.iter().filter_map(|c| roce::parse(&c.frame)).filter(|r| r.syndrome == 0x1f);
    acks.map(|r| r.psn).filter(|p| p.wrapping_sub(psn) & 0xff_ffff < 1 << 23).collect()
}

#[test]
fn a_bad_icrc_leaves_neither_port_and_nothing_is_acknowledged_past_the_hole() {
    for byte in [60usize, 80, 500] {
        let (frames, at, psn) = with_change(|frame| frame[byte] ^= 0x10);
        let replayed = Replayed::of_frames("bad.pcap", &frames, &[]);
        let bad = &frames[at].frame;
        assert!(!roce::parse(bad).unwrap().icrc_ok);
        assert!(replayed.line.iter().chain(&replayed.client).all(|c| c.frame != *bad), "byte {byte}: it left");
        assert_eq!(replayed.outcome.report.dropped.bad_icrc, 1);
        assert_eq!(acknowledged_beyond(&replayed, psn), [0u32; 0], "byte {byte}: past PSN {psn:#x}");
        let (built, _) = replayed.built_and_forwarded();
        let naks: Vec<u32> =
            built.iter().filter_map(|c| roce::parse(&c.frame)).filter(|r| r.syndrome == 0x60).map(|r| r.psn).collect();
        assert_eq!(naks, [psn], "one NAK names the hole");
        assert!(replayed.outcome.report.dropped.out_of_order > 0);
    }
}

#[test]
fn a_hole_that_is_filled_is_acknowledged_again() {
    let mut frames = read(&vector("write-16k-mtu1024.pcap"));
    let requests: Vec<usize> = (0..frames.len()).filter(|&i| is_request(&frames[i])).collect();
    // Two packets swapped: the later one is refused, and comes again with all behind it up to the end of its message.
    let (a, b) = (requests[3 * 16 + 5], requests[3 * 16 + 6]);
    let last = requests[3 * 16 + 15];
    let again: Vec<Captured> = frames[a..=last].iter().filter(|c| is_request(c)).cloned().collect();
    let damaged = [&frames[..a], &frames[b..=last], &again[..], &frames[last + 1..]].concat();
    frames = damaged.into_iter().zip(0..).map(|(c, n)| Captured { time_ns: 20_000 * n, ..c }).collect();
    let replayed = Replayed::of_frames("filled.pcap", &frames, &[]);
    replayed.judge();
    let report = &replayed.outcome.report;
    assert_eq!((report.flows[0].state, report.naks), ("Active", 1));
    assert_eq!(report.dropped.out_of_order, 10, "{:?}", report.dropped);
    assert_eq!(replayed.line.len(), requests.len(), "every packet left once");
}

#[test]
fn a_bad_icrc_on_no_active_flow_passes() {
    let frames = read(&vector("bad-icrc.pcap"));
    let replayed = Replayed::of_frames("bad-icrc.pcap", &frames, &[]);
    assert_eq!(replayed.line.len(), 20);
    assert_eq!(replayed.outcome.report.dropped.total(), 0);
}

#[test]
fn a_frame_with_a_wrong_length_passes_whole_or_not_at_all() {
    for (byte, value) in [(17usize, 0xff), (39, 0xff), (16, 0), (38, 0)] {
        let (frames, at, psn) = with_change(|frame| frame[byte] = value);
        let replayed = Replayed::of_frames("length.pcap", &frames, &[]);
        let odd = &frames[at].frame;
        // It is no RoCE any more: it passes, and leaves a hole.
        assert!(roce::parse(odd).is_none());
        assert_eq!(replayed.line.iter().filter(|c| c.frame == *odd).count(), 1, "byte {byte}");
        assert_eq!(acknowledged_beyond(&replayed, psn), [0u32; 0], "byte {byte}");
    }
}

#[test]
fn runts_giants_and_unknown_opcodes_do_no_harm() {
    let mut frames = read(&vector("write-16k-mtu1024.pcap"));
    let requests: Vec<usize> = (0..frames.len()).filter(|&i| is_request(&frames[i])).collect();
    let model = frames[requests[40]].frame.clone();
    let with_source = |length: usize| {
        let mut frame = vec![0x5a; length];
        frame[..length.min(14)].copy_from_slice(&model[..length.min(14)]);
        frame
    };
    let odd: Vec<Vec<u8>> = [1, 13, 14, 33, 59, 9600, 9601, 20_000].into_iter().map(with_source).collect();
    let time_ns = frames[requests[40]].time_ns;
    let odd_frames = odd.iter().map(|frame| Captured { time_ns, frame: frame.clone() });
    frames.splice(requests[40]..requests[40], odd_frames);
    let replayed = Replayed::of_frames("odd.pcap", &frames, &[]);
    let report = &replayed.outcome.report;
    assert_eq!((report.flows[0].state, report.pseudo_acks), ("Active", 5));
    assert_eq!(report.dropped.malformed, 2, "{:?}", report.dropped);
    let left = |frame: &Vec<u8>| replayed.line.iter().chain(&replayed.client).any(|c| c.frame == *frame);
    assert_eq!(odd.iter().map(left).collect::<Vec<_>>(), [true, true, true, true, true, true, false, false]);

    let (frames, at, psn) = with_change(|frame| {
        frame[42] = 0x1b;
        roce::seal(frame);
    });
    let replayed = Replayed::of_frames("unknown.pcap", &frames, &[]);
    assert!(replayed.line.iter().any(|c| c.frame == frames[at].frame));
    assert_eq!(acknowledged_beyond(&replayed, psn), [0u32; 0]);
    assert_eq!(replayed.outcome.report.flows[0].state, "Drain");
}
