//! Tests of scenario files.

use super::*;

fn read(text: &str) -> Result<Scenario, String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("scenario.toml");
    std::fs::write(&path, text).unwrap();
    Scenario::read(&path).map_err(|e| e.replace(&dir.path().display().to_string(), "DIR"))
}

const GOOD: &str = include_str!("../scenarios/ack-clock/scenario.toml");

#[test]
fn the_scenarios_are_sound() {
    let s = read(GOOD).unwrap();
    assert_eq!(s.round_trip_cycles(), s.cycles(1000.0) + 4 * s.cycles(s.client.one_way_delay_us));
    assert_eq!(s.schemes, [Scheme::Bypass, Scheme::PseudoAck]);
    let s = read(include_str!("../scenarios/back-pressure/scenario.toml")).unwrap();
    assert_eq!(s.schemes, [Scheme::PseudoAck, Scheme::PseudoAckPfc]);
    assert_eq!(s.pairs().len(), 64);
}

#[test]
fn queue_pairs_take_the_path_of_their_far_host() {
    let second = "\n[[sender]]\nqueue_pairs = 2\nwindow_kib = 64\nmessage_kib = 4\nmtu_bytes = 1024\n\
                  messages_in_flight = 4\nack_timeout_ms = 67.0\nfar = \"10.3.7.1\"\n\
                  [[path]]\nprefixes = [\"10.3.0.0/16\", \"10.3.7.1/32\"]\nbudget_gbps = 1.0\n\
                  [[sender]]\nqueue_pairs = 1\nwindow_kib = 64\nmessage_kib = 4\nmtu_bytes = 1024\n\
                  messages_in_flight = 4\nack_timeout_ms = 67.0\nfar = \"10.4.0.1\"\n";
    let s = read(&format!("{GOOD}{second}")).unwrap();
    let paths: Vec<_> = s.pairs().iter().map(|p| (p.sender, p.path)).collect();
    assert_eq!(paths, [(0, Some(0)), (1, Some(1)), (1, Some(1)), (2, None)]);
}

#[test]
fn an_unknown_key_is_refused_with_its_line_and_column() {
    let e = read(&GOOD.replace("window_kib", "windov_kib")).unwrap_err();
    let line = GOOD.lines().position(|l| l.starts_with("window_kib")).unwrap() + 1;
    assert!(e.starts_with(&format!("DIR/scenario.toml:{line}:1: ")) && e.contains("windov_kib"), "{e}");
    let e = read(&GOOD.replace("budget_gbps", "budget_mbps")).unwrap_err();
    assert!(e.contains("budget_mbps"), "{e}");
}

#[test]
fn impossible_values_are_refused_with_what_was_expected() {
    for (from, to, word) in [
        ("budget_gbps = 95.0", "budget_gbps = 195.0", "path[0].budget_gbps = 195"),
        ("mtu_bytes = 4096", "mtu_bytes = 4000", "sender[0].mtu_bytes = 4000"),
        ("queue_pairs = 1", "queue_pairs = 0", "sender[0].queue_pairs = 0"),
        ("prefixes = [\"10.2.0.0/16\"]", "prefixes = [\"10.2.0.1/16\"]", "no bit set behind the first 16"),
        ("prefixes = [\"10.2.0.0/16\"]", "prefixes = [\"far\"]", "path[0].prefixes: prefix \"far\": expected ADDRESS"),
        ("budget_gbps = 95.0", "budget_gbps = 95.0\npfc_on_kib = 2\npfc_off_kib = 3", "path[0].pfc_off_kib = 3"),
    ] {
        assert!(GOOD.contains(from), "{from}");
        let e = read(&GOOD.replace(from, to)).unwrap_err();
        assert!(e.contains(word), "{e}");
    }
    // The law needs a slot in which it is done.
    let with = |k: u32, scheme| {
        read(&GOOD.replace("slot_log2_cycles = 13", &format!("slot_log2_cycles = {k}\nschemes = [\"{scheme}\"]")))
    };
    assert!(with(10, "pseudo_ack").is_ok() && with(11, "match_rdma").is_ok());
    // And a gateway hears of one path to each far gateway.
    let second = "[[path]]\nprefixes = [\"10.3.0.0/16\"]\nbudget_gbps = 1.0\n";
    let two = |scheme| {
        read(&format!("{}{second}", GOOD.replace("slot_log2", &format!("schemes = [\"{scheme}\"]\nslot_log2"))))
    };
    assert!(two("pseudo_ack").is_ok());
    assert!(two("match_rdma").unwrap_err().contains("path = 2: expected 1 to 1"));
    assert!(with(10, "match_rdma").unwrap_err().contains("slot_log2_cycles = 10: expected 11 to 20"));
}
