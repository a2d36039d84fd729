//! The daemon that learns, from the hosts' lists: what becomes a flow, what is refused, and what a kill leaves.

use super::learning::{acting, daemon, settings, step, FAR, NEAR, ROUTES};
use super::model;
use super::tap::{Fuse, Fused};
use super::visit::running;
use crate::harness::Random;
use matchrdma::apply::host::Host;
use matchrdma::core::Core;
use matchrdma::daemon::decision::Decision;
use matchrdma::daemon::{Daemon, Settings};
use matchrdma::Kind;
use std::net::IpAddr;
use std::time::{Duration, Instant};

fn pairs_file(folder: &std::path::Path, pairs: &[(u32, u32)]) -> std::path::PathBuf {
    let path = folder.join("pairs.json");
    let qps = |swap: bool| {
        let one = |(a, b): &(u32, u32)| {
            let (l, r) = if swap { (b, a) } else { (a, b) };
            format!(r#"{{"ifname":"m","lqpn":{l},"rqpn":{r},"type":"RC","state":"RTS"}}"#)
        };
        pairs.iter().map(one).collect::<Vec<_>>().join(",")
    };
    let text = format!(
        r#"[{{"host":"a","addr":"{NEAR}","qps":[{}]}},{{"host":"b","addr":"{FAR}","qps":[{}]}}]"#,
        qps(false),
        qps(true)
    );
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn lists_are_read_again_when_they_change_and_what_they_name_does_not_age() {
    let folder = tempfile::tempdir().unwrap();
    let list = pairs_file(folder.path(), &[(17, 18), (21, 22)]);
    let (mut tap, store) = running(model(), ROUTES);
    let mut daemon = daemon(&mut tap, &store, Settings { lists: vec![list.clone()], between: vec![], ..settings() });
    let after = |seconds| Duration::from_secs(seconds);
    let now = Instant::now();
    let said = step(&mut daemon, now);
    assert!(matches!(&said[0], Decision::List { flows: 4, .. }) && said.len() == 3, "{said:?}");
    assert_eq!(step(&mut daemon, now + after(2)), []);
    // Another job: one queue pair has another partner, one is named no more, one is new.
    pairs_file(folder.path(), &[(17, 118), (121, 122), (200, 1)]);
    let said = step(&mut daemon, now + after(4));
    let text: Vec<String> = said.iter().map(|decision| decision.to_string()).collect();
    assert!(text[0].starts_with("list ") && text.len() == 5, "{text:?}");
    assert!(text[1].starts_with("refused") && text[1].contains("queue pair 1 is none"), "{text:?}");
    assert!(text[2].starts_with("gone ") && text[2].contains("anew"), "{text:?}");
    assert!(text[3..].iter().all(|line| line.starts_with("learnt ") && line.contains("the hosts' lists, path 3")));
    // A file that is not whole yet changes nothing.
    std::fs::write(&list, "[{").unwrap();
    let said = step(&mut daemon, now + after(6));
    assert!(matches!(&said[..], [Decision::BadList { why }] if why.contains("docs/learn.md")), "{said:?}");
    // What no list names ages; what one names stays though nothing passes for hours.
    let said = step(&mut daemon, now + after(700));
    assert!(matches!(&said[..], [Decision::Gone { why, .. }] if why.contains("600 s")), "{said:?}");
    assert_eq!(step(&mut daemon, now + after(7200)), []);
    daemon.end().unwrap();
    assert_eq!(acting(&mut tap), [(17, 118), (121, 122)]);
}

#[test]
fn there_is_a_limit_and_each_refusal_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let list = pairs_file(folder.path(), &[(17, 18), (21, 22), (31, 32)]);
    let configured = format!("{ROUTES}[[flow]]\nrequester = \"10.9.0.1\"\nrequester_qpn = 99\nresponder = \"10.9.0.2\"\nresponder_qpn = 32\n");
    let (mut tap, store) = running(model(), &configured);
    let mut daemon = daemon(&mut tap, &store, Settings { lists: vec![list], limit: 1, ..settings() });
    let text: Vec<String> = step(&mut daemon, Instant::now()).iter().map(|decision| decision.to_string()).collect();
    assert_eq!(text.len(), 4, "{text:?}");
    assert!(text[1..3].iter().any(|line| line.contains("the limit of 1 learnt flows")), "{text:?}");
    assert!(text[1..3].iter().any(|line| line.contains("qp 0x20") && line.contains("configuration")), "{text:?}");
    assert_eq!(step(&mut daemon, Instant::now()), []);
    daemon.end().unwrap();
    assert_eq!(acting(&mut tap), [(17, 18), (99, 32)]);
}

#[test]
fn what_no_route_leads_to_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let list = pairs_file(folder.path(), &[(17, 18)]);
    for (routes, between, expected) in [
        ("", vec![], "no route leads to either end"),
        ("", vec![(IpAddr::from(NEAR), IpAddr::from(FAR))], "no route leads to its responder"),
        ("[[route]]\nprefix = \"10.0.0.0/8\"\npath = 0\n", vec![], "both ends are behind a path"),
        ("[[route]]\nprefix = \"10.0.0.0/8\"\npath = 0\n", vec![(IpAddr::from(NEAR), IpAddr::from(FAR))], "learnt "),
    ] {
        let (mut tap, store) = running(model(), &format!("[gateway]\nslot_log2_cycles = 10\n{routes}"));
        let mut daemon = daemon(&mut tap, &store, Settings { lists: vec![list.clone()], between, ..settings() });
        let said = step(&mut daemon, Instant::now());
        assert!(said.len() == 2 && said[1].to_string().contains(expected), "{said:?}");
    }
}

/// Whatever step the daemon is in when the device goes or it is killed, no flow is torn, and the next daemon goes on.
#[test]
fn a_daemon_that_is_killed_leaves_whole_flows() {
    let mut random = Random::new();
    let folder = tempfile::tempdir().unwrap();
    let (mut tap, store) = running(model(), ROUTES);
    let mut killed = 0;
    for n in 0..60 {
        let list = pairs_file(folder.path(), &[(17 + n, 18 + n), (200 + n % 3, 300 + n)]);
        let fuse = Fuse::of(usize::MAX);
        tap.fuse = fuse.clone();
        let store = Fused(store.clone(), fuse.clone());
        let host = Host::attach(Core::find(&mut tap).unwrap(), store).unwrap();
        let mut daemon = Daemon::begin(host, Settings { lists: vec![list], ..settings() }, Instant::now()).unwrap();
        // A commit of a host that has just come writes the whole table of flows.
        fuse.set(random.below(9000) as usize);
        match daemon.step(Instant::now()) {
            Ok(_) => assert_eq!(daemon.step(Instant::now()).map(|said| said.len()), Ok(0)),
            Err(error) => {
                killed += 1;
                assert_eq!(error.kind, Kind::Gone, "{error}");
            }
        }
        drop(daemon);
        tap.fuse = Fuse::of(usize::MAX);
        acting(&mut tap);
    }
    println!("{killed} of 60 daemons killed in a step");
    assert!((11..60).contains(&killed));
    let list = pairs_file(folder.path(), &[(5, 6)]);
    let mut daemon = daemon(&mut tap, &store, Settings { lists: vec![list], ..settings() });
    assert_eq!(step(&mut daemon, Instant::now()).len(), 2);
    daemon.end().unwrap();
    assert!(acting(&mut tap).contains(&(5, 6)));
}
