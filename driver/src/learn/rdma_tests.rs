use super::*;

/// One queue pair as iproute2 6.x prints it.
fn qp(ifname: &str, lqpn: u32, rqpn: u32) -> String {
    format!(
        r#"{{"ifindex":0,"ifname":"{ifname}","port":1,"lqpn":{lqpn},"rqpn":{rqpn},"type":"RC","state":"RTS","rq-psn":3,"path-mig-state":"MIGRATED","sq-psn":7,"comm":"ib_write_bw","pid":812}}"#
    )
}

fn list(qps: &[String]) -> String {
    let special =
        r#"{"ifindex":0,"ifname":"rxe_a","port":1,"lqpn":1,"type":"GSI","state":"RTS","sq-psn":0,"comm":"[ib_core]"}"#;
    format!("[{}]", [&[special.to_string()], qps].concat().join(","))
}

fn entry(host: &str, addr: &str, more: &str, qps: &[String]) -> String {
    format!(r#"{{"host":"{host}","addr":"{addr}"{more},"qps":{}}}"#, list(qps))
}

fn file(entries: &[String]) -> String {
    format!("[{}]", entries.join(","))
}

#[test]
fn sixteen_queue_pairs_are_paired_in_both_directions() {
    let a: Vec<String> = (0..16).map(|i| qp("mlx5_0", 100 + i, 215 - i)).collect();
    let b: Vec<String> = (0..16).map(|i| qp("mlx5_1", 200 + i, 115 - i)).collect();
    let lists = parse(&file(&[entry("a", "10.9.0.1", "", &a), entry("b", "10.9.0.2", "", &b)])).unwrap();
    assert_eq!(lists.unpaired, [""; 0]);
    assert_eq!(lists.flows.len(), 32);
    let there: Vec<_> = lists.flows.iter().filter(|f| f.route.requester == 0x0a09_0001).collect();
    assert_eq!(there.len(), 16);
    for flow in there {
        assert_eq!(flow.requester_qpn + flow.responder_qpn, 315);
        assert_eq!((flow.route.responder, flow.source, flow.mtu), (0x0a09_0002, Source::Rdma, None));
    }
}

#[test]
fn equal_numbers_at_both_ends_and_two_devices_of_one_host_are_paired() {
    let both = [qp("rxe_a", 17, 17), qp("rxe_b", 17, 17)];
    let lists = parse(&file(&[
        entry("vm", "2001:db8::1", r#","ifname":"rxe_a","mtu":1024"#, &both),
        entry("vm", "2001:db8::2", r#","ifname":"rxe_b""#, &both),
    ]))
    .unwrap();
    assert_eq!(lists.unpaired, [""; 0]);
    assert_eq!(lists.flows.len(), 2);
    assert!(lists.flows.iter().all(|f| f.route.v6 && f.mtu == Some(1024)));
}

#[test]
fn a_host_with_two_addresses_has_two_entries() {
    let (a, b) = ([qp("x", 17, 18)], [qp("x", 18, 17)]);
    let lists = parse(&file(&[
        entry("a", "10.9.0.1", "", &a),
        entry("a", "10.9.100.1", r#","vlan":100"#, &a),
        entry("a", "2001:db8::1", r#","vlan":[5,6]"#, &a),
        entry("b", "10.9.0.2", "", &b),
        entry("b", "10.9.100.2", r#","vlan":100"#, &b),
        entry("b", "2001:db8::2", r#","vlan":[5,6]"#, &b),
    ]))
    .unwrap();
    let vlans: Vec<u32> = lists.flows.iter().map(|f| f.route.vlan).collect();
    assert_eq!(vlans, [0, 0, 100, 100, 5 << 12 | 6, 5 << 12 | 6]);
}

#[test]
fn who_could_be_meant_twice_or_is_not_named_back_is_not_paired() {
    let lists = parse(&file(&[
        entry("a", "10.9.0.1", "", &[qp("x", 17, 18), qp("x", 30, 31)]),
        entry("b", "10.9.0.2", "", &[qp("x", 18, 17)]),
        entry("c", "10.9.0.3", "", &[qp("x", 18, 17)]),
    ]))
    .unwrap();
    assert_eq!(lists.flows, []);
    assert_eq!(lists.unpaired.len(), 2, "{:?}", lists.unpaired);
    assert!(lists.unpaired[0].contains("any of"));
    assert!(lists.unpaired[1].contains("names it back"));
}

#[test]
fn what_is_not_connected_or_not_reliable_is_ignored() {
    let idle = qp("x", 17, 18).replace("RTS", "RESET");
    let unreliable = qp("x", 19, 20).replace("\"RC\"", "\"UC\"");
    let lists = parse(&file(&[entry("a", "10.9.0.1", "", &[idle, unreliable])])).unwrap();
    assert_eq!(lists, Lists::default());
}

#[test]
fn what_is_wrong_is_said() {
    let two = entry("a", "10.9.0.1", "", &[qp("x", 1, 2), qp("y", 1, 2)]);
    let cases = [
        ("{}".to_string(), "docs/learn.md"),
        (list(&[qp("x", 1, 2)]), "docs/learn.md"),
        (file(&[entry("a", "10.9.0.300", "", &[])]), "docs/learn.md"),
        (file(&[entry("a", "10.9.0.1", r#","colour":1"#, &[])]), "colour"),
        (file(&[two]), "ifname"),
        (file(&[entry("a", "10.9.0.1", r#","ifname":"z""#, &[qp("x", 1, 2)])]), "no connected queue pair is on z"),
        (file(&[entry("a", "10.9.0.1", r#","vlan":4096"#, &[])]), "VLAN id 4096"),
        (file(&[entry("a", "10.9.0.1", r#","mtu":1500"#, &[])]), "1500"),
        (file(&[entry("a", "10.9.0.1", "", &[qp("x", 1 << 24, 2)])]), "24 bits"),
    ];
    for (text, expected) in cases {
        let why = parse(&text).unwrap_err().to_string();
        assert!(why.contains(expected), "{why}");
        assert_eq!(why.lines().count(), 1);
    }
}
