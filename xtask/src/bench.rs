//! `bench`: measures, never asserts, but for one thing: a difference between gates and model is no figure. The simulator
//! does the measuring; this says which parts exist.

use crate::run::{cargo, read, root, run, write, Done, Failure};
use crate::setup::setup;
use crate::synth;
use clap::ValueEnum;
use std::path::Path;

/// One part of the benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Beats per cycle, latencies and losses of the verilated gates; a million random packets against the model.
    Rtl,
    /// Speed of the simulators.
    Sim,
    /// Cells and a relative clock figure from open synthesis.
    Synth,
    /// The long-haul network simulator.
    Net,
    /// The host driver: a full load on the model, on the gates, and on the gates behind a socket.
    Driver,
}

impl Part {
    fn name(self) -> String {
        self.to_possible_value().map(|v| v.get_name().to_string()).unwrap_or_default()
    }
}

/// Runs one part, or all that exist. `tops` are those to synthesise.
pub fn bench(only: Option<Part>, tops: &[String], json: Option<&Path>) -> Done {
    if !tops.is_empty() && only != Some(Part::Synth) {
        return Err(Failure::new(
            "bench --top",
            "names what to synthesise",
            "cargo xtask bench --only synth --top NAME",
        ));
    }
    let mut figures = serde_json::Map::new();
    if only != Some(Part::Synth) {
        figures = simulated(only)?;
    }
    if only.is_none_or(|part| part == Part::Rtl) {
        let found = differential()?;
        if let Some(rtl) = figures.get_mut("rtl").and_then(|rtl| rtl.as_object_mut()) {
            rtl.insert("differential".into(), found);
        }
    }
    if only == Some(Part::Synth) || (only.is_none() && synth::is_installed()) {
        let core = [synth::CORE.to_string()];
        figures.insert("synth".into(), synth::synth(if tops.is_empty() { &core } else { tops })?);
    } else if only.is_none() {
        eprintln!("bench: synth: left out, it needs pyosys; `cargo xtask bench --only synth` brings it");
    }
    if let Some(file) = json {
        write(file, &format!("{:#}\n", serde_json::Value::Object(figures)))?;
    }
    Ok(())
}

/// Packets of the random differential of the whole gateway, unless `PACKETS` says otherwise; and from how many seeds.
const PACKETS: &str = "1000000";
const SEEDS: &str = "8";

/// The random differential of the whole gateway against `model`, at length. A difference is a failure.
fn differential() -> Done<serde_json::Value> {
    let packets = std::env::var("PACKETS").unwrap_or_else(|_| PACKETS.into());
    eprintln!("bench: {packets} random packets through the gates and the model (a million takes some minutes) ...");
    let file = root().join("target/bench-differential.json");
    let mut command = cargo(["test", "--quiet", "-p", "matchrdma-tests", "--test", "gateway", "--"]);
    command.args(["--exact", "gateway::differential::the_gates_do_what_the_model_does", "--nocapture"]);
    command.env("PACKETS", packets).env("DIFFERENTIAL_JSON", &file);
    if std::env::var_os("SEEDS").is_none() {
        command.env("SEEDS", SEEDS);
    }
    run(&mut command)?;
    let failed = |why: String| Failure::new(format!("reading {}", file.display()), why, "");
    serde_json::from_str(&read(&file)?).map_err(|e| failed(e.to_string()))
}

/// What `matchrdma-sim bench` measures.
fn simulated(only: Option<Part>) -> Done<serde_json::Map<String, serde_json::Value>> {
    setup()?;
    eprintln!("bench: building the simulator and the gates (the first build takes some minutes) ...");
    run(&mut cargo(["build", "--release", "-p", "matchrdma-sim"]))?;
    let file = root().join("target/bench-sim.json");
    let mut command = cargo(["run", "--quiet", "--release", "-p", "matchrdma-sim", "--", "bench", "--json"]);
    command.arg(&file);
    if let Some(part) = only {
        command.args(["--only", &part.name()]);
    }
    run(&mut command)?;
    let failed = |why: String| Failure::new(format!("reading {}", file.display()), why, "");
    match serde_json::from_str(&read(&file)?).map_err(|e| failed(e.to_string()))? {
        serde_json::Value::Object(figures) => Ok(figures),
        other => Err(failed(format!("expected an object, found {other}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_to_synthesise_is_named_for_synthesis_only() {
        assert!(bench(Some(Part::Sim), &["track".into()], None).unwrap_err().help.contains("--only synth"));
    }
}
