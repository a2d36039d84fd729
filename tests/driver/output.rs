//! What the driver's binary prints for others: Prometheus, whoever watches, and its end when it is told to end.

use super::process::{Process, Rig, PATIENCE};
use matchrdma_sim::device::wire::{read_frame, write_frame};
use matchrdma_spec::regs::counters::{CLIENT_FRAMES_IN, COUNTERS};
use matchrdma_spec::regs::{event, upcall};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const CONFIG: &str = "[gateway]\nenable = true\nslot_log2_cycles = 10\n\
    [[path]]\nindex = 3\nmode = \"fixed\"\nrate_gbps = 40\n[[path]]\nindex = 4\nmode = \"fixed\"\nrate_gbps = 7.5\n\
    [[route]]\nprefix = \"10.9.0.0/24\"\npath = 3\n\
    [[flow]]\nrequester = \"10.1.0.1\"\nrequester_qpn = 19\nresponder = \"10.9.0.2\"\nresponder_qpn = 19\nmtu_bytes = 1024\n";

/// An IPv4 frame to 10.9.0.2 that is no RoCE.
fn frame() -> Vec<u8> {
    let mut frame = vec![0x5a; 300];
    frame[12..15].copy_from_slice(&[0x08, 0x00, 0x45]);
    frame[23] = 6;
    frame[26..34].copy_from_slice(&[10, 1, 0, 1, 10, 9, 0, 2]);
    frame
}

/// A family of the text format: its type, and its samples by their labels.
#[derive(Default)]
struct Family {
    kind: String,
    samples: BTreeMap<Vec<(String, String)>, f64>,
}

fn is_name(text: &str, colons: bool) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_' || colons && c == ':';
    text.starts_with(letter) && text.chars().all(|c| letter(c) || c.is_ascii_digit())
}

/// The labels in front of `}`, unescaped, and what follows it.
fn labels(text: &str) -> (Vec<(String, String)>, &str) {
    let (mut labels, mut rest) = (vec![], text);
    loop {
        let (name, after) = rest.split_once("=\"").unwrap_or_else(|| panic!("no label: {rest}"));
        assert!(is_name(name, false), "a label's name: {name}");
        let (mut value, mut letters) = (String::new(), after.char_indices());
        let end = loop {
            match letters.next().unwrap_or_else(|| panic!("a label does not end: {after}")) {
                (_, '\\') => match letters.next() {
                    Some((_, letter @ ('\\' | '"'))) => value.push(letter),
                    Some((_, 'n')) => value.push('\n'),
                    other => panic!("an escape that there is not, {other:?}: {after}"),
                },
                (at, '"') => break at,
                (_, letter) => value.push(letter),
            }
        };
        labels.push((name.to_string(), value));
        rest = &after[end + 1..];
        match rest.split_at(1) {
            (",", more) => rest = more,
            ("}", more) => return (labels, more),
            _ => panic!("after a label: {rest}"),
        }
    }
}

/// Reads the text format, version 0.0.4, line by line: HELP, TYPE, samples, family by family.
fn families(text: &str) -> BTreeMap<String, Family> {
    assert!(text.ends_with('\n'), "the last line ends");
    let mut families: BTreeMap<String, Family> = BTreeMap::new();
    let (mut helped, mut current) = (String::new(), String::new());
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, doc) = help.split_once(' ').unwrap_or_else(|| panic!("no text: {line}"));
            assert!(is_name(name, true) && !doc.trim().is_empty(), "{line}");
            assert!(!doc.replace("\\\\", "").replace("\\n", "").contains('\\'), "an escape: {line}");
            helped = name.into();
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').unwrap_or_else(|| panic!("no type: {line}"));
            assert_eq!(name, helped, "HELP stands before TYPE");
            assert!(["counter", "gauge"].contains(&kind), "{line}");
            assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
            let family = Family { kind: kind.into(), ..Family::default() };
            assert!(families.insert(name.into(), family).is_none(), "a family comes once: {line}");
            current = name.into();
        } else {
            let (name, rest) = line.split_once('{').unwrap_or_else(|| panic!("no labels: {line}"));
            assert_eq!(name, current, "a sample stands in its family: {line}");
            let (labels, value) = labels(rest);
            let value = value.strip_prefix(' ').and_then(|value| value.parse().ok());
            let samples = &mut families.get_mut(name).unwrap().samples;
            let again = samples.insert(labels, value.unwrap_or_else(|| panic!("a value: {line}")));
            assert!(again.is_none(), "a sample comes once: {line}");
        }
    }
    assert!(families.values().all(|family| !family.samples.is_empty()), "a family without a sample");
    families
}

#[test]
fn a_status_for_prometheus_is_in_its_format_and_says_what_the_status_says() {
    let rig = Rig::new();
    rig.run(&["apply", &rig.config(CONFIG)]);
    let (mut client, mut line) = (rig.port("client"), rig.port("line"));
    for _ in 0..3 {
        write_frame(&mut client, &frame()).unwrap();
        assert!(read_frame(&mut line).unwrap().is_some());
    }
    let text = rig.run(&["status", "--prometheus"]);
    let status: Value = serde_json::from_str(&rig.run(&["status", "--json"])).unwrap();
    let families = families(&text);
    let device = vec![("device".to_string(), rig.device())];
    let one = |name: &str, kind: &str| {
        let family = families.get(name).unwrap_or_else(|| panic!("no {name}:\n{text}"));
        assert_eq!((family.kind.as_str(), family.samples.len()), (kind, 1), "{name}");
        *family.samples.get(&device).unwrap_or_else(|| panic!("{name}: {:?}", family.samples))
    };
    for counter in COUNTERS {
        let value = one(&format!("matchrdma_{}_total", counter.name.to_lowercase()), "counter");
        assert_eq!(Some(value), status["counters"][counter.name].as_f64(), "{}", counter.name);
        assert!(*counter != CLIENT_FRAMES_IN || value == 3.0, "{value}");
    }
    assert_eq!(one("matchrdma_enabled", "gauge"), 1.0);
    assert_eq!(one("matchrdma_generation", "gauge"), 1.0);
    assert_eq!(one("matchrdma_events_waiting", "gauge"), 0.0);
    let paths = &families["matchrdma_path_rate_bytes_per_slot"];
    let told = status["paths"].as_array().unwrap();
    assert_eq!((paths.kind.as_str(), paths.samples.len()), ("gauge", told.len()));
    for (n, path) in told.iter().enumerate() {
        let labels = vec![("device".to_string(), rig.device()), ("path".to_string(), n.to_string())];
        assert_eq!(Some(paths.samples[&labels]), path["rate"].as_f64(), "path {n}");
    }
    // 1024 cycles of 4 ns at 40 Gb/s.
    assert_eq!(told[3]["rate"], 20_480);
    assert_eq!(families.len(), COUNTERS.len() + 4);
}

/// Says that it is over, also when a check fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What the driver prints until so many lines begin like this; then it is killed.
fn looks(rig: &Rig, arguments: &[&str], begin: &str, count: usize) -> String {
    let mut watch = Process(rig.driver(arguments).spawn().unwrap());
    let (mut text, mut left) = (String::new(), count);
    for line in BufReader::new(watch.0.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        left -= usize::from(line.starts_with(begin));
        text = text + &line + "\n";
        if left == 0 {
            break;
        }
    }
    assert_eq!(left, 0, "it ended: {text}");
    text
}

#[test]
fn watch_is_a_table_of_paths_and_flows_that_is_looked_at_again_and_again() {
    let rig = Rig::new();
    rig.run(&["apply", &rig.config(CONFIG)]);
    let end = "flows: 1 Sync\n";
    let text = rig.run(&["watch", "--seconds", "0"]);
    assert_eq!(text.matches("flows: ").count(), 1, "one look, and no time for another: {text}");
    let text = looks(&rig, &["watch", "--every", "0.05"], "flows: ", 2);
    assert!(!text.contains('\x1b'), "no terminal is cleared that is none: {text}");
    let tables: Vec<&str> = text.split_inclusive(end).collect();
    assert!(tables.len() == 2 && tables.iter().all(|table| table.ends_with(end)), "{text}");
    for table in tables {
        let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
        let heading = "path mode budget Gb/s sent Gb/s refused waits here waits there far";
        assert_eq!(rows[0].join(" "), heading, "{text}");
        let paths = &rows[1..rows.len() - 1];
        let of = |path: &str| paths.iter().find(|row| row[0] == path).unwrap_or_else(|| panic!("no {path}: {text}"));
        assert_eq!((of("3")[1], of("3")[2], of("4")[2]), ("fixed", "40.000", "7.500"), "{text}");
        assert!(paths.iter().all(|row| row.len() == 8 && row[4] == "0" && row[5..] == ["-", "-", "-"]), "{text}");
    }
    // While frames pass on one of them.
    let (mut client, mut line) = (rig.port("client"), rig.port("line"));
    let over = AtomicBool::new(false);
    let text = thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                write_frame(&mut client, &frame()).unwrap();
                assert!(read_frame(&mut line).unwrap().is_some());
            }
        });
        let _over = Over(&over);
        looks(&rig, &["watch", "--json", "--every", "0.2"], "{", 3)
    });
    for (n, look) in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).enumerate() {
        let paths = look["paths"].as_array().unwrap();
        assert!(paths.len() == 16 && look["flows"] == serde_json::json!({"Sync": 1}), "{look}");
        assert!(paths[0]["mode"] == "open" && paths[0]["budget_gbps"].is_null(), "{look}");
        assert!(paths[3]["mode"] == "fixed" && paths[3]["budget_gbps"] == 40.0, "{look}");
        // A rate is known from the second look on.
        let sent = |path: usize| paths[path]["sent_gbps"].as_f64();
        assert!(if n == 0 { sent(3).is_none() } else { sent(3) > Some(0.0) && sent(4) == Some(0.0) }, "{look}");
    }
}

#[test]
fn learn_ends_when_it_is_told_to_and_the_gateway_tells_no_more() {
    for signal in ["INT", "TERM", "HUP"] {
        let rig = Rig::new();
        rig.run(&["apply", &rig.config(CONFIG)]);
        let mut learn = Process(rig.driver(&["learn", "--json", "--between", "10.1.0.7,10.9.0.7"]).spawn().unwrap());
        let mut said = BufReader::new(learn.0.stdout.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        let decision: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{line:?}: {e}"));
        assert!(decision["unix_ms"].is_number(), "{decision}");
        let id = learn.0.id().to_string();
        assert!(Command::new("kill").args([&format!("-{signal}"), &id]).status().unwrap().success());
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = learn.0.try_wait().unwrap() {
                break status;
            }
            assert!(begun.elapsed() < PATIENCE, "SIG{signal}: it goes on");
            thread::sleep(Duration::from_millis(5));
        };
        let (mut rest, mut errors) = (String::new(), String::new());
        said.read_to_string(&mut rest).unwrap();
        learn.0.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert!(status.success() && errors.is_empty(), "SIG{signal}: {status}: {errors}");
        assert!(rest.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "cut off: {rest}");
        let mut core = rig.core();
        assert_eq!((core.read(&upcall::CONTROL), core.read(&event::CONTROL)), (Ok(0), Ok(0)), "SIG{signal}");
        // Its flow works on, and the next one begins at once.
        assert_eq!(core.flow_state(0).unwrap().state, "Sync");
        drop(core);
        rig.run(&["learn", "--seconds", "0"]);
    }
}
