//! `bench`: measures, never asserts. The simulator does the measuring; this says which parts exist.

use crate::run::{cargo, output, run, Done, Failure};
use crate::setup::setup;
use clap::ValueEnum;
use std::path::Path;

/// One part of the benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Beats per cycle, latencies and losses of the verilated gates.
    Rtl,
    /// Speed of the simulators.
    Sim,
    /// Cells and a relative clock figure from open synthesis.
    Synth,
    /// The long-haul network simulator.
    Net,
    /// The host driver.
    Driver,
}

impl Part {
    /// Why a part cannot run yet.
    pub fn missing(self) -> Option<&'static str> {
        match self {
            Part::Rtl | Part::Sim => None,
            Part::Synth => Some("not built yet: no synthesis run exists"),
            Part::Net => Some("not built yet: there is no network simulator"),
            Part::Driver => Some("not built yet: there is no VFIO driver"),
        }
    }

    fn name(self) -> String {
        self.to_possible_value().map(|v| v.get_name().to_string()).unwrap_or_default()
    }
}

/// Runs one part, or all that exist.
pub fn bench(only: Option<Part>, json: Option<&Path>) -> Done {
    if let Some((part, why)) = only.and_then(|p| p.missing().map(|why| (p, why))) {
        return Err(Failure::new(format!("bench --only {}", part.name()), why, "cargo xtask bench --only rtl"));
    }
    setup()?;
    eprintln!("bench: building the simulator and the gates (the first build takes some minutes) ...");
    run(&mut cargo(["build", "--release", "-p", "matchrdma-sim"]))?;
    let sim = || cargo(["run", "--quiet", "--release", "-p", "matchrdma-sim", "--", "bench"]);
    if output(sim().arg("--help")).is_err() {
        return Err(Failure::new("bench", "not built yet: matchrdma-sim has no command `bench`", ""));
    }
    let mut command = sim();
    if let Some(part) = only {
        command.args(["--only", &part.name()]);
    }
    if let Some(file) = json {
        command.arg("--json").arg(file);
    }
    run(&mut command)?;
    if only.is_none() {
        for part in Part::value_variants() {
            if let Some(why) = part.missing() {
                eprintln!("bench: {}: {why}", part.name());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_does_not_exist_fails_and_says_so() {
        for part in [Part::Synth, Part::Net, Part::Driver] {
            let e = bench(Some(part), None).unwrap_err();
            assert!(e.why.starts_with("not built yet"), "{e}");
        }
    }
}
