//! The grid, and what is refused.

use super::*;

pub(crate) const GOOD: &str = r#"
name = "t"
engine = "network"
claim = "none"
schemes = ["conventional", "matchrdma"]
seeds = [1, 2]
warm_round_trips = 2
round_trips = 5
[line]
rate_gbps = 100.0
one_way_delay_ms = [0.1, 0.5]
[client]
one_way_delay_us = 1.0
drain = "full"
[sender]
queue_pairs = 2
window_kib = [64, 128, 256]
message_kib = 64
mtu_bytes = 4096
ack_timeout_ms = 67.0
ack_every_packets = 16
dcqcn = true
"#;

#[test]
fn the_grid_is_of_all_values() {
    let s = NetScenario::parse(GOOD).unwrap();
    let cells = s.cells();
    assert_eq!(cells.len(), 2 * 3 * 2 * 2);
    let first: Vec<&str> = cells[0].axes.iter().map(|a| a.1.as_str()).collect();
    assert_eq!(first, ["100", "0.1", "full", "full", "1", "64", "64", "2", "", "", "0", "0", "1", "conventional"]);
    assert!(cells.iter().enumerate().all(|(i, a)| cells[..i].iter().all(|b| a != b)));
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (from, to, says) in [
        ("name = ", "nam = ", ":2:1: "),
        ("dcqcn = true", "dcqcn = 3", "invalid type"),
        ("\"full\"", "\"half\"", "drain \"half\""),
        ("dcqcn = true", "dcqcn = true\nload = \"half\"", "load \"half\""),
        ("[0.1, 0.5]", "0.0", "line.one_way_delay_ms = 0"),
        ("\"conventional\"", "\"conventionel\"", "conventionel"),
        ("one_way_delay_ms = [0.1, 0.5]", "one_way_delay_ms = 0.1\nsources = [1, 17]", "sources: 17, expected 1 to 16"),
        ("[sender]", "[law]\nleak_log2 = [9, 32]\n[sender]", "law.leak_log2 = 32: expected 0 to"),
        ("[sender]", "[law]\nslot_log2 = 10\n[sender]", "law.slot_log2 = 10: expected 11 to 20"),
        ("mtu_bytes = 4096", "mtu_bytes = 4097", "sender.mtu_bytes = 4097"),
    ] {
        let text = GOOD.replace(from, to);
        assert_ne!(text, GOOD);
        let why = NetScenario::parse(&text).unwrap_err();
        assert!(why.contains(says), "{why}");
    }
    let plot = "[[plot]]\ntitle = \"t\"\nx = \"window_kib\"\ny = \"goodputt\"\n";
    assert!(NetScenario::parse(&format!("{GOOD}{plot}")).unwrap_err().contains("\"goodputt\" is no column"));
    let trace = "[[trace]]\ntitle = \"t\"\nof = { drain = \"half\" }\nfrom_round_trips = 1.0\nround_trips = 1.0\n";
    assert!(NetScenario::parse(&format!("{GOOD}{trace}")).unwrap_err().contains("no run has {\"drain\": \"half\"}"));
    let trace = trace.replace("half", "full").replace("= 1.0", "= 0.0");
    assert!(NetScenario::parse(&format!("{GOOD}{trace}")).unwrap_err().contains("a length of more than 0"));
}
