//! Every capture of `tests/vectors` on the verilated gates.

use crate::harness::replayed::{vector, vectors, Replayed};
use std::sync::{Mutex, OnceLock};

/// Every capture, replayed once for all tests.
pub fn all() -> &'static [Replayed] {
    static ALL: OnceLock<Vec<Replayed>> = OnceLock::new();
    ALL.get_or_init(|| {
        let left = Mutex::new(vectors());
        let done = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(|| loop {
                    let Some(name) = left.lock().unwrap().pop() else { break };
                    let replayed = Replayed::new(&vector(&name), &[]);
                    done.lock().unwrap().push(replayed);
                });
            }
        });
        let mut done = done.into_inner().unwrap();
        done.sort_by(|a, b| a.name.cmp(&b.name));
        done
    })
}

const HEADER: &str = "file,active flows,pseudo-ACKs";

#[test]
fn what_leaves_is_what_came_in_or_what_the_responder_says() {
    all().iter().for_each(Replayed::judge);
}

#[test]
fn flows_and_pseudo_acks_are_as_expected() {
    let expected = std::fs::read_to_string(vector("EXPECTED.csv")).unwrap_or_default();
    let found: Vec<String> =
        std::iter::once(HEADER.to_string()).chain(all().iter().map(Replayed::expected_line)).collect();
    let found = found.join("\n") + "\n";
    assert!(found == expected, "tests/vectors/EXPECTED.csv should hold, if this is right:\n{found}");
}

#[test]
fn most_captures_of_writes_and_sends_have_pseudo_acks() {
    // drop-middle-nak lost packets on the line: its flow rightly stays in Sync.
    let names = ["write", "send", "psn-wrap", "qp4", "small", "drop-last", "rtt80"];
    let of_data = |name: &str| names.iter().any(|w| name.contains(w));
    let data: Vec<&Replayed> = all().iter().filter(|r| of_data(&r.name)).collect();
    let with = data.iter().filter(|r| r.outcome.report.pseudo_acks > 0).count();
    assert!(with * 10 >= data.len() * 9, "{with} of {}", data.len());
}

#[test]
fn the_model_decides_the_same() {
    for gates in all() {
        let model = Replayed::new(&vector(&gates.name), &["--engine", "model"]);
        model.judge();
        let active = |r: &Replayed| r.outcome.played.flows.iter().map(|f| f.became_active).collect::<Vec<_>>();
        assert_eq!(active(&model), active(gates), "{}", gates.name);
        // ACKs wait for each other in the gates, so one may say what two do in the model.
        assert!(model.outcome.report.pseudo_acks >= gates.outcome.report.pseudo_acks, "{}", gates.name);
        let drops = |r: &Replayed| r.outcome.report.dropped.clone();
        assert_eq!(drops(&model), drops(gates), "{}", gates.name);
        let frames = |r: &Replayed| r.line.iter().map(|c| c.frame.clone()).collect::<Vec<_>>();
        assert_eq!(frames(&model), frames(gates), "{}: what left on the line", gates.name);
        assert_eq!(model.outcome.report.flows, gates.outcome.report.flows, "{}", gates.name);
    }
}

#[test]
fn a_capture_without_roce_passes_untouched_with_a_warning() {
    let background = all().iter().find(|r| r.name == "background.pcap").unwrap();
    // MAC control belongs to its link.
    let passes = |f: &[u8]| crate::harness::roce::parse(f).is_none() && f.get(12..14) != Some(&[0x88, 0x08]);
    let without: Vec<_> = background.captured.iter().filter(|c| passes(&c.frame)).cloned().collect();
    assert!(without.len() > 20);
    let replayed = Replayed::of_frames("none.pcap", &without, &[]);
    replayed.judge();
    let report = &replayed.outcome.report;
    assert_eq!(report.frames_out_client + report.frames_out_line, without.len() as u64);
    assert_eq!((report.bypassed, report.pseudo_acks), (without.len() as u64, 0));
    assert!(replayed.warnings[0].contains("no RoCEv2"), "{:?}", replayed.warnings);
}

#[test]
fn a_pseudo_ack_follows_its_request_within_half_a_microsecond() {
    for replayed in all().iter().filter(|r| r.name.starts_with("write-") || r.name.starts_with("send-10000")) {
        // 125 cycles of 4 ns; the sends of several at once wait for ACKs of earlier ones in the capture
        if let Some(latency) = replayed.outcome.report.pseudo_ack_latency_cycles {
            assert!(latency.min <= 125, "{}: {latency:?}", replayed.name);
        }
    }
}
