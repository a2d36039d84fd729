//! `bench --only synth`: what the gates cost, from open synthesis. docs/hardware.md says what the figures prove.
//!
//! Gates -> Verilog (`verilog`) -> pyosys (`run.py`) -> netlist (`netlist`) -> `report`.

mod limits;
mod netlist;
pub mod report;
mod tool;
pub mod verilog;

use crate::run::{cargo, read, root, run, write, Done, Failure};
use netlist::Measured;
use report::Report;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

pub use tool::is_installed;

/// The whole core.
pub const CORE: &str = "gateway";
const SCRIPT: &str = include_str!("run.py");

/// Synthesises the tops, prints their tables, and fails on what must not be in them. Returns what goes to JSON.
pub fn synth(tops: &[String]) -> Done<serde_json::Value> {
    let python = tool::python()?;
    let folder = root().join("target/synth");
    std::fs::create_dir_all(&folder).map_err(|e| Failure::new(folder.display().to_string(), e.to_string(), ""))?;
    let mut emit = cargo(["run", "--quiet", "-p", "matchrdma-hdl", "--bin", "matchrdma-hdl", "--", "emit", "--out"]);
    emit.arg(&folder);
    tops.iter().for_each(|top| {
        emit.args(["--top", top]);
    });
    run(emit.stdout(Stdio::null()))?;
    let script = folder.join("run.py");
    write(&script, SCRIPT)?;
    let (mut reports, mut faults) = (vec![], vec![]);
    for top in tops {
        let start = Instant::now();
        let (measured, left) = one(&python, &folder, &script, top)?;
        let report = Report::new(top, measured, left, start.elapsed().as_secs_f64());
        println!("{}", report.table());
        faults.extend(report.faults.iter().map(|f| format!("{top}: {f}")));
        reports.push(report);
    }
    if !faults.is_empty() {
        return Err(Failure::new("bench --only synth", faults.join(" · "), ""));
    }
    let all: Vec<_> = reports.iter().map(Report::json).collect();
    Ok(if let [one] = &all[..] { one.clone() } else { all.into() })
}

fn one(python: &Path, folder: &Path, script: &Path, top: &str) -> Done<(Measured, Vec<String>)> {
    let failed = |why: String| Failure::new(format!("synthesis of {top}"), why, "");
    let prepared = verilog::prepare(&read(&folder.join(format!("{top}.v")))?, top).map_err(failed)?;
    let out = folder.join(top);
    std::fs::create_dir_all(&out).map_err(|e| failed(e.to_string()))?;
    let input = out.join("input.v");
    write(&input, &prepared.verilog)?;
    eprintln!("bench: synthesising {top} ({} modules kept apart) ...", prepared.kept.len());
    let log = std::fs::File::create(out.join("log.txt")).map_err(|e| failed(e.to_string()))?;
    run(Command::new(python).arg(script).arg(&input).arg(top).arg(&out).args(&prepared.kept).stdout(log))?;
    let netlist = serde_json::from_str(&read(&out.join("netlist.json"))?).map_err(|e| failed(e.to_string()))?;
    let measured = netlist::measure(&netlist, top, &prepared.blocks).map_err(failed)?;
    let left = read(&out.join("left.txt"))?.lines().filter(|l| !l.is_empty()).map(String::from).collect();
    Ok((measured, left))
}
