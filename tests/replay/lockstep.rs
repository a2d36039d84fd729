//! Sixteen queue pairs between two hosts, all from PSN 0, striped in lockstep.

use crate::harness::pcap::{bytes, Captured};
use crate::harness::replayed::Replayed;
use crate::harness::roce;

const NEAR: u8 = 1;
const FAR: u8 = 2;
const QUEUE_PAIRS: u32 = 16;
const REQUESTER: u32 = 0x100;
const RESPONDER: u32 = 0x200;
const MESSAGES: u32 = 6;
const WRITE_ONLY: u8 = 0x0a;
const ACK: u8 = 0x11;

/// Every queue pair writes message after message; all requests of a round leave before any of its ACKs is seen.
fn lockstep() -> Vec<Captured> {
    let mut frames = Vec::new();
    for psn in 0..MESSAGES {
        for qp in 0..QUEUE_PAIRS {
            let mut reth = vec![0; 16 + 256];
            reth[14] = 1; // DMA length 256
            frames.push(roce::build(NEAR, FAR, WRITE_ONLY, RESPONDER + qp, psn, true, &reth));
        }
        for qp in 0..QUEUE_PAIRS {
            let aeth = [0x1f, 0, 0, psn as u8 + 1];
            frames.push(roce::build(FAR, NEAR, ACK, REQUESTER + QUEUE_PAIRS - 1 - qp, psn, false, &aeth));
        }
    }
    frames.into_iter().zip(0..).map(|(frame, n)| Captured { time_ns: 1_000 * n, frame }).collect()
}

/// The hosts' lists: requester's number `0x10f - n` belongs to responder's `0x200 + n`.
fn lists() -> String {
    let list = |local: u32, remote: u32, step: i64| {
        let qp = |n: u32| {
            let remote = (i64::from(remote) + step * i64::from(n)) as u32;
            format!(
                r#"{{"ifindex":0,"ifname":"mlx5_0","port":1,"lqpn":{},"rqpn":{remote},"type":"RC","state":"RTS","path-mig-state":"MIGRATED","sq-psn":0,"comm":"train"}}"#,
                local + n
            )
        };
        (0..QUEUE_PAIRS).map(qp).collect::<Vec<_>>().join(",")
    };
    format!(
        r#"[{{"host":"a","addr":"10.0.0.1","qps":[{}]}},{{"host":"b","addr":"10.0.0.2","qps":[{}]}}]"#,
        list(REQUESTER, RESPONDER + QUEUE_PAIRS - 1, -1),
        list(RESPONDER, REQUESTER + QUEUE_PAIRS - 1, -1)
    )
}

#[test]
fn none_is_installed_from_acks() {
    let replayed = Replayed::of_frames("lockstep.pcap", &lockstep(), &[]);
    replayed.judge();
    assert!(replayed.outcome.report.flows.is_empty());
    assert_eq!(replayed.outcome.report.bypassed, u64::from(2 * MESSAGES * QUEUE_PAIRS));
    assert!(
        replayed.warnings.iter().any(|w| w.contains("16 queue pairs") && w.contains("--from-rdma")),
        "{:?}",
        replayed.warnings
    );
}

#[test]
fn all_sixteen_are_installed_from_the_hosts_lists() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("pairs.json");
    std::fs::write(&file, lists()).unwrap();
    let replayed = Replayed::of_frames("lockstep.pcap", &lockstep(), &["--from-rdma", file.to_str().unwrap()]);
    replayed.judge();
    let report = &replayed.outcome.report;
    assert_eq!(report.flows.len(), QUEUE_PAIRS as usize);
    for flow in &report.flows {
        assert_eq!(flow.requester_qpn + flow.responder_qpn, REQUESTER + RESPONDER + QUEUE_PAIRS - 1);
        assert_eq!((flow.state, flow.acknowledged_psn, flow.msn), ("Active", MESSAGES - 1, MESSAGES));
    }
    // The first message shows where a flow stands, the second is matched with its real ACK.
    assert_eq!(report.pseudo_acks, u64::from(QUEUE_PAIRS * (MESSAGES - 2)));
    assert_eq!(replayed.warnings, [""; 0]);
    for psns in replayed.acked().values() {
        assert_eq!(*psns, (0..MESSAGES).collect::<Vec<_>>());
    }
}

#[test]
fn a_pcapng_file_gives_the_same() {
    let home = tempfile::tempdir().unwrap();
    let (file, ng) = (home.path().join("pairs.json"), home.path().join("lockstep.pcapng"));
    std::fs::write(&file, lists()).unwrap();
    std::fs::write(&ng, crate::harness::pcap::bytes_ng(&lockstep())).unwrap();
    let more = ["--from-rdma", file.to_str().unwrap()];
    let of_pcap = Replayed::of_frames("lockstep.pcap", &lockstep(), &more);
    let of_ng = Replayed::new(&ng, &more);
    assert_eq!(of_ng.files, of_pcap.files);
    assert!(!bytes(&of_ng.client).is_empty());
}
