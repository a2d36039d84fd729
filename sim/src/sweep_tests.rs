//! A small grid, whole, in shards, and stopped.

use super::*;

const TEXT: &str = r#"
name = "small"
engine = "network"
claim = "A gateway makes distance cheap."
schemes = ["conventional", "matchrdma"]
seeds = [1]
warm_round_trips = 20
round_trips = 20
[line]
rate_gbps = 100.0
one_way_delay_ms = [0.1, 0.2]
[client]
one_way_delay_us = 1.0
drain = ["full", "step:0.5"]
[sender]
queue_pairs = 1
window_kib = 512
message_kib = 64
mtu_bytes = 4096
ack_timeout_ms = 67.0
ack_every_packets = 16
dcqcn = true
[[compare]]
what = "goodput"
paper = "up to 20 times"
column = "goodput_gbps"
of = "matchrdma"
against = "conventional"
how = "times"
[[plot]]
title = "Goodput"
x = "one_way_delay_ms"
y = "goodput_gbps"
each = "drain"
[[plot]]
title = "Waiting"
x = "drain"
y = "occupancy_mean_bdp"
log_y = true
"#;

fn files(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn shards_jobs_and_a_restart_give_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("scenario.toml");
    fs::write(&file, TEXT).unwrap();
    let (whole, parts) = (dir.path().join("whole"), dir.path().join("parts"));
    sweep(&file, (0, 1), 1, &whole).unwrap();
    for (i, done) in [(2, 2), (0, 5), (1, 8)] {
        sweep(&file, (i, 3), 2, &parts).unwrap();
        assert_eq!(files(&parts.join("points")).len(), done, "a shard does its own part");
    }
    // One run is lost, and done again.
    fs::remove_file(point_file(&parts, 5)).unwrap();
    sweep(&file, (0, 1), 2, &parts).unwrap();
    let (scenario, rows) = collect(&whole).unwrap();
    assert_eq!(rows.len(), 8);
    assert_eq!(rows, collect(&parts).unwrap().1);
    let wanted = dir.path().join("expected.csv");
    fs::write(&wanted, csv(&rows)).unwrap();
    compare(&wanted, &rows).unwrap();
    let planted = csv(&rows).replacen("full", "half", 1);
    fs::write(&wanted, planted).unwrap();
    let why = compare(&wanted, &rows).unwrap_err();
    assert!(why.contains("expected.csv:2: expected 100,0.1,half") && why.contains("found 100,0.1,full"), "{why}");
    publish(&whole, scenario.as_ref(), &rows).unwrap();
    let wanted = ["figure-1-full.svg", "figure-1-step-0-5.svg", "figure-2.svg", "points", "report.html", "results.csv"];
    assert_eq!(files(&whole), wanted);
    let html = fs::read_to_string(whole.join("report.html")).unwrap();
    assert!(html.contains("makes distance cheap") && html.matches("<svg").count() == 3);
    assert!(html.contains("up to 20 times") && html.contains("times (matchrdma against conventional, 4 pairs)"));
    let figure = |x: &str, y: &str| [x.to_string(), y.to_string()];
    let goodput = figure("one way delay, ms", "goodput, Gb/s");
    let axes = vec![goodput.clone(), goodput, figure("drain", "occupancy mean, BDP")];
    crate::report::tests::sound(&html, &crate::report::tests::Wanted { claims: 1, axes });
    assert!(!html.contains("http://") || html.matches("http://").count() == html.matches("http://www.w3.org").count());
}

#[test]
fn a_folder_of_another_scenario_or_version_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (dir.path().join("scenario.toml"), dir.path().join("out"));
    fs::write(&file, TEXT.replace("round_trips = 20", "round_trips = 1").replace("seeds = [1]", "seeds = [3]"))
        .unwrap();
    sweep(&file, (0, 8), 1, &out).unwrap();
    fs::write(&file, TEXT).unwrap();
    assert!(sweep(&file, (0, 8), 1, &out).unwrap_err().contains("of another scenario"));
    let point = point_file(&out, 0);
    let text = fs::read_to_string(&point).unwrap();
    fs::write(&point, text.replace(env!("CARGO_PKG_VERSION"), "0.0.9")).unwrap();
    assert!(collect(&out).unwrap_err().contains("written by version 0.0.9"));
    fs::write(&point, "{").unwrap();
    assert!(collect(&out).unwrap_err().contains("00000.json:1:"));
    assert!(collect(dir.path()).unwrap_err().contains("expected a folder that `sweep` wrote"));
}

#[test]
fn a_shard_outside_its_range_is_refused() {
    assert_eq!(shard("2/8"), Ok((2, 8)));
    for wrong in ["8/8", "1", "a/2", "0/0", "-1/2"] {
        assert!(shard(wrong).unwrap_err().contains("expected I/N"), "{wrong}");
    }
}

#[test]
fn a_trace_is_of_the_runs_that_it_names() {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (dir.path().join("scenario.toml"), dir.path().join("out"));
    let trace = "[[trace]]\ntitle = \"Fall\"\nof = { drain = \"step:0.5\", one_way_delay_ms = \"0.2\" }\n\
                 from_round_trips = 20.0\nround_trips = 8.0\n";
    fs::write(&file, format!("{TEXT}{trace}")).unwrap();
    sweep(&file, (0, 1), 0, &out).unwrap();
    let (scenario, rows) = collect(&out).unwrap();
    publish(&out, scenario.as_ref(), &rows).unwrap();
    let csv = fs::read_to_string(out.join("trace-1.csv")).unwrap();
    let points: Vec<Vec<&str>> = csv.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let mut schemes: Vec<&str> = points.iter().map(|p| p[1]).collect();
    schemes.dedup();
    assert_eq!((points.len(), schemes.as_slice()), (800, ["conventional", "matchrdma"].as_slice()));
    let at: Vec<f64> = points[..400].iter().map(|p| p[2].parse().unwrap()).collect();
    assert!(at[0] == 20.0 && at[399] > 27.9 && at.is_sorted());
    // The drain falls a fifth of the counted time after its beginning.
    let waits = |from: f64, to: f64| {
        let here = points[400..].iter().filter(|p| (from..to).contains(&p[2].parse().unwrap()));
        here.map(|p| p[3].parse::<f64>().unwrap()).fold(0.0, f64::max)
    };
    assert!(waits(24.5, 26.0) > 0.2 + waits(20.0, 24.0), "{} {}", waits(20.0, 24.0), waits(24.5, 26.0));
    assert!(fs::read_to_string(out.join("report.html")).unwrap().contains("Fall"));
}
