//! `demo`, `test`, `verilog`: thin lines over cargo, after `setup`.

use crate::expected;
use crate::run::{cargo, root, run, Done, Failure};
use crate::setup::setup;
use std::path::Path;
use std::time::Instant;

/// The scenario that shows what the gateway is for.
pub const HEADLINE: &str = "ack-clock";

/// Runs a scenario of `sim/scenarios` on verilated gates, writes its report to `target/demo`, and compares the figures
/// with the scenario's own `expected.csv`, if it has one.
pub fn demo(scenario: &str) -> Done {
    let start = Instant::now();
    setup()?;
    let folder = format!("sim/scenarios/{scenario}");
    let file = format!("{folder}/scenario.toml");
    if !root().join(&file).is_file() {
        return Err(Failure::new("demo", format!("{file} does not exist"), "ls sim/scenarios"));
    }
    eprintln!("demo: building the simulator and the gates (the first build takes some minutes) ...");
    run(&mut cargo(["build", "--release", "-p", "matchrdma-sim"]))?;
    eprintln!("demo: running {file} on two verilated gateways ...");
    let sim = |args: &[&str]| {
        let mut command = cargo(["run", "--quiet", "--release", "-p", "matchrdma-sim", "--"]);
        command.args(args);
        run(&mut command)
    };
    sim(&["run", &file, "--engine", "rtl", "--out", "target/demo"])?;
    sim(&["report", "target/demo"])?;
    println!("\ndemo: done in {:.0} s. What it wrote:", start.elapsed().as_secs_f64());
    for path in written(&root().join("target/demo"))? {
        println!("  target/demo/{path}");
    }
    match expected::check(&root().join(&folder), &root().join("target/demo/summary.json"))? {
        Some(n) => println!("demo: {n} figures, all as in {folder}/expected.csv"),
        None => println!("demo: {folder} has no expected.csv: nothing compared"),
    }
    Ok(())
}

/// Whether a scenario is one that `matchrdma-sim sweep` runs: it says which engine it is for.
pub fn is_swept(folder: &Path) -> bool {
    std::fs::read_to_string(folder.join("scenario.toml")).is_ok_and(|t| t.lines().any(|l| l.starts_with("engine = ")))
}

/// Runs every scenario of the network simulator whole, and compares its figures with its `expected.csv`.
pub fn figures() -> Done {
    setup()?;
    run(&mut cargo(["build", "--release", "-p", "matchrdma-sim"]))?;
    let folder = root().join("sim/scenarios");
    for name in written(&folder)?.into_iter().filter(|n| is_swept(&folder.join(n))) {
        let start = Instant::now();
        let out = format!("target/figures/{name}");
        let _ = std::fs::remove_dir_all(root().join(&out));
        let file = |f: &str| format!("sim/scenarios/{name}/{f}");
        let mut command = cargo(["run", "--quiet", "--release", "-p", "matchrdma-sim", "--", "sweep"]);
        command.args([&file("scenario.toml"), "--out", &out, "--expect", &file("expected.csv"), "--quiet"]);
        run(&mut command)?;
        println!("figures: {name} as expected, {:.0} s, {out}/report.html", start.elapsed().as_secs_f64());
    }
    Ok(())
}

/// The reports and plots in a folder, by name.
fn written(dir: &Path) -> Done<Vec<String>> {
    let entries =
        std::fs::read_dir(dir).map_err(|e| Failure::new(format!("listing {}", dir.display()), e.to_string(), ""))?;
    let mut names: Vec<String> = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

/// Every test that needs no virtual machine. `extra` goes to `cargo test` as it is.
pub fn test(extra: &[String]) -> Done {
    setup()?;
    let mut command = cargo(["test", "--workspace"]);
    command.args(extra);
    run(&mut command)
}

/// Emits every top of the gates into a folder.
pub fn verilog(out: &Path) -> Done {
    let mut command = cargo(["run", "--quiet", "-p", "matchrdma-hdl", "--bin", "matchrdma-hdl", "--", "emit", "--out"]);
    command.arg(out);
    run(&mut command)
}
