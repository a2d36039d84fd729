//! Small iterations: against the schedule that is predicted, and against each other.

use super::*;
use crate::net::drain::Drain;
use crate::net::experiment::Experiment;
use crate::net::host::SenderCfg;
use crate::net::scheme::Scheme;
use std::path::Path;

const MS: Ps = 1_000_000_000;

fn plan(scheme: Scheme, coupled: bool) -> Plan {
    let mut pipeline = Pipeline {
        crosses: vec![false, true, false],
        micro_batches: 8,
        forward: MS,
        backward: 2 * MS,
        // 1 MiB for each of two pipelines at 100 Gb/s.
        transfer: MS * 172 / 1000,
        delay: MS,
        coupled,
        extra: 0,
        in_flight_most: 100,
    };
    pipeline.extra = if coupled { 0 } else { pipeline.extra_that_hides() };
    Plan {
        scheme,
        seed: 1,
        bps: 100_000_000_000,
        delay: MS,
        client_delay: 1_000_000,
        slot: crate::net::point::Point::slot_for(MS),
        drain: Drain::Full,
        capacity: 1 << 44,
        sender: SenderCfg {
            window_bytes: 8 << 20,
            message_bytes: 0,
            mtu_bytes: 4096,
            messages_in_flight: 1 << 40,
            ack_timeout: 4000 * MS,
            ack_every: 16,
        },
        dcqcn: true,
        pipeline,
        pipelines: 2,
        message_bytes: 1 << 20,
        burst_bytes: 0,
        iterations: 2,
        horizon: 1000 * MS,
    }
}

fn time(o: &Outcome) -> f64 {
    assert!(!o.iterations.is_empty(), "it is not done by its horizon");
    o.iterations.iter().map(|i| (i.ended - i.begun) as f64).sum::<f64>() / o.iterations.len() as f64
}

#[test]
fn a_network_that_is_wide_enough_gives_what_the_schedule_predicts() {
    for scheme in [Scheme::Conventional, Scheme::PseudoAck, Scheme::Matchrdma] {
        for coupled in [false, true] {
            let p = plan(scheme, coupled);
            let predicted = p.pipeline.run();
            let o = p.run();
            assert_eq!(o.iterations.len(), 2);
            let ratio = time(&o) / predicted.time as f64;
            // An acknowledgement of the far end comes a delay after what it acknowledges; of the near one, before it is there.
            let far = coupled && scheme == Scheme::Conventional;
            let near = coupled && !far;
            let wanted = if far {
                1.0..1.6
            } else if near {
                0.6..1.001
            } else {
                0.99..1.02
            };
            assert!(wanted.contains(&ratio), "{scheme:?} coupled {coupled}: {ratio}");
            assert!((o.bubble - predicted.bubble).abs() < 0.35);
            let payload = (2 * 2 * 8 * p.message_bytes) as f64 * 8e12 / time(&o);
            assert!((o.goodput_bps / payload - 1.0).abs() < 0.02, "{} {payload}", o.goodput_bps);
            assert!(o.sides.iter().all(|s| s.dropped == 0) && o.repeated == 0);
        }
    }
}

#[test]
fn a_stage_that_waits_for_the_far_end_pays_for_the_distance() {
    let run = |scheme| {
        let mut p = plan(scheme, true);
        (p.delay, p.pipeline.delay, p.sender.window_bytes) = (5 * MS, 5 * MS, 256 << 10);
        time(&p.run())
    };
    // 1 MiB by windows of 256 KiB takes four round trips.
    let (far, near) = (run(Scheme::Conventional), run(Scheme::Matchrdma));
    assert!(far > 5.0 * near, "{far} {near}");
}

#[test]
fn bursts_end_an_iteration_when_they_are_there() {
    let mut p = plan(Scheme::PseudoAck, false);
    let without = time(&p.run());
    p.burst_bytes = 8 << 20;
    let with = time(&p.run());
    // Two bursts of 8 MiB one way take the line together, and a delay.
    let takes = 2.0 * (8 << 20) as f64 * 8.0 / 97.66e9 * 1e12 + MS as f64;
    assert!(((with - without) / takes - 1.0).abs() < 0.03, "{} {takes}", with - without);
}

#[test]
fn what_drains_slower_than_it_comes_waits_at_the_side_that_receives() {
    let mut p = plan(Scheme::PseudoAck, false);
    p.message_bytes = 8 << 20;
    p.drain = Drain::Noise(0.5, 0.0);
    let o = p.run();
    assert!(o.sides.iter().all(|s| s.occupancy.peak > 4 << 20), "{:?}", o.sides);
    let again = p.run();
    assert_eq!(o, again, "the same seed gives the same");
    p.horizon = 5 * MS;
    assert!(p.run().iterations.is_empty());
}

const TEXT: &str = r#"
name = "small"
engine = "training"
claim = "It ends."
schemes = ["conventional", "matchrdma"]
seeds = [1]
iterations = 1
horizon_ms = 1000
[line]
rate_gbps = 100.0
one_way_delay_ms = [0.5, 1.0]
[client]
one_way_delay_us = 1.0
drain = "full"
[sender]
window_kib = 1024
mtu_bytes = 4096
ack_timeout_ms = 67.0
ack_every_packets = 16
dcqcn = true
[model]
parameters_billion = 0.1
hidden = 256
sequence = 1024
micro_batch = 1
micro_batches = 4
stages = [1, 1]
pipelines = 1
stage_tflops = 100.0
overhead_ms = 0.1
in_flight_most = 8
schedule = ["coupled", "decoupled"]
[[plot]]
title = "Iteration"
x = "one_way_delay_ms"
y = "iteration_ms"
each = "case"
"#;

#[test]
fn a_file_is_a_grid_and_gives_rows() {
    let s = TrainingScenario::parse(TEXT, Path::new(".")).unwrap();
    assert_eq!(s.runs(), 8);
    let row = s.run(7);
    let axes: Vec<&str> = ["one_way_delay_ms", "schedule", "scheme", "case"].map(|a| row.text(a)).to_vec();
    assert_eq!(axes, ["1", "decoupled", "matchrdma", "decoupled full"]);
    assert_eq!(row.text("message_mib"), "0.500");
    // 10^11 operations on one stage of two, in a millisecond and a tenth; the backward takes twice as long.
    let (got, predicted) = (row.number("iteration_ms").unwrap(), row.number("predicted_ms").unwrap());
    assert!((got / predicted - 1.0).abs() < 0.03 && got > 4.0 * (1.024 + 2.048), "{got} {predicted}");
    assert_ne!(s.run(0).values, s.run(1).values);
}

#[test]
fn what_is_wrong_is_said() {
    for (from, to, says) in [
        ("micro_batches = 4", "", "model.micro_batches = 0"),
        ("in_flight_most = 8", "in_flight_most = 1", "1F1B needs 2"),
        ("stages = [1, 1]", "stages = [0, 1]", "model.stages"),
        ("horizon_ms = 1000", "horizon_ms = 0", "horizon_ms = 0"),
        ("\"full\"", "\"step:0.5\"", "no counted time"),
        ("rate_gbps = 100.0", "rate_gbps = 0.0", "line.rate_gbps = 0"),
        ("dcqcn = true", "dcqcn = 1", ":20:9: "),
        ("iteration_ms\"", "iteration\"", "is no column"),
        ("micro_batches = 4", "micro_batches = 4\ntrace = \"x.csv\"", "come of the trace"),
        ("micro_batches = 4", "trace = \"x.csv\"", "x.csv: "),
    ] {
        let why = TrainingScenario::parse(&TEXT.replacen(from, to, 1), Path::new(".")).unwrap_err();
        assert!(why.contains(says), "{to}: {why}");
    }
}

#[test]
fn a_trace_gives_message_micro_batches_and_burst() {
    let head = "comm_type,comm_group,comm_group_size,msg_size,stage,dst,src\n";
    let send = |way: &str| format!("CommType.isend,CommGroup.pp_group,1,262144,{way},1,None\n").repeat(3);
    let end = "CommType.epoch_end,None,None,None,None,None,None\n";
    let trace = format!(
        "[ stage 0 ]\n{head}{end}{}{end}[ stage 1 ]\n{head}{end}{}CommType.all_reduce,CommGroup.dp_group,8,1048576,x,,\n{end}",
        send("forward_step"),
        send("backward_step")
    );
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("t.csv"), &trace).unwrap();
    let text = TEXT.replace("micro_batches = 4", "trace = \"t.csv\"");
    let s = TrainingScenario::parse(&text, dir.path()).unwrap();
    let m = &s.model;
    assert_eq!((m.message_bytes, m.micro_batches, m.data_parallel_kib), (Some(262_144), Some(3), 1024));
    // What is stored needs no trace.
    let stored = crate::net::experiment::stored(&s.parameters()).unwrap();
    assert_eq!(stored.runs(), 8);
    assert!(s.run(7).number("iteration_ms").unwrap() > 3.0 * 3.0);
    let wrong = text.replace("stages = [1, 1]", "stages = [2, 1]");
    assert!(TrainingScenario::parse(&wrong, dir.path()).unwrap_err().contains("has 2 stages"));
}
