//! `ci`: everything a change must pass, in the order that fails fastest, with the time of each step.

use crate::run::{cargo, root, run, write, Done, Failure};
use crate::{chores, constraints, docs, lint, setup, shells, tidy, vm};
use std::path::Path;
use std::time::{Duration, Instant};

struct Step {
    name: &'static str,
    /// What a contributor types to run this step alone.
    alone: &'static str,
    work: fn() -> Done,
}

const STEPS: &[Step] = &[
    Step { name: "setup", alone: "cargo xtask setup", work: || setup::setup().map(drop) },
    Step { name: "format", alone: "cargo fmt --all", work: || run(&mut cargo(["fmt", "--all", "--check"])) },
    Step { name: "tidy", alone: "cargo xtask tidy", work: tidy_step },
    Step {
        name: "clippy",
        alone: "cargo clippy --workspace --all-targets -- -D warnings",
        work: || run(&mut cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])),
    },
    Step { name: "generated docs", alone: "cargo xtask gen", work: || docs::generate(true) },
    Step { name: "test", alone: "cargo xtask test", work: || chores::test(&[]) },
    Step { name: "same Verilog twice", alone: "cargo xtask verilog", work: emit_twice },
    Step { name: "lint", alone: "cargo xtask lint", work: || lint::check(&root().join("target/verilog")) },
    Step {
        name: "constraints",
        alone: "cargo xtask constraints",
        work: || constraints::check(&root().join("target/verilog/gateway.v")),
    },
    Step {
        name: "rustdoc",
        alone: "RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps",
        work: || run(cargo(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings")),
    },
    Step { name: "network figures", alone: "cargo xtask figures", work: chores::figures },
    Step { name: "virtual machine", alone: "cargo xtask vm-test", work: || vm::vm_test(false) },
    Step { name: "demo", alone: "cargo xtask demo", work: || chores::demo(chores::HEADLINE) },
];

/// Runs every step; stops at the first that fails.
pub fn ci(json: Option<&Path>) -> Done {
    let mut times: Vec<(&str, Duration)> = Vec::new();
    let mut failed = None;
    for (i, step) in STEPS.iter().enumerate() {
        println!("\nci: [{}/{}] {} ...", i + 1, STEPS.len(), step.name);
        let start = Instant::now();
        let result = (step.work)();
        times.push((step.name, start.elapsed()));
        match result {
            Ok(()) => {
                println!("ci: [{}/{}] {} ok, {:.0} s", i + 1, STEPS.len(), step.name, start.elapsed().as_secs_f64())
            }
            Err(e) => {
                failed = Some(Failure::new(
                    format!("ci step {} of {}, {}", i + 1, STEPS.len(), step.name),
                    e.to_string(),
                    step.alone,
                ));
                break;
            }
        }
    }
    print!("\n{}", table(&times, failed.is_none()));
    if let Some(path) = json {
        let steps: Vec<_> =
            times.iter().map(|(n, t)| serde_json::json!({ "step": n, "seconds": t.as_secs_f64() })).collect();
        let report = serde_json::json!({ "passed": failed.is_none(), "steps": steps });
        write(path, &format!("{report:#}\n"))?;
    }
    failed.map_or(Ok(()), Err)
}

fn table(times: &[(&str, Duration)], passed: bool) -> String {
    let mut out = String::new();
    for (i, (name, time)) in times.iter().enumerate() {
        let result = if !passed && i + 1 == times.len() { "FAILED" } else { "ok" };
        out += &format!("ci: {name:<20} {:>6.0} s  {result}\n", time.as_secs_f64());
    }
    let total: Duration = times.iter().map(|(_, t)| *t).sum();
    let skipped = STEPS.len() - times.len();
    out += &format!(
        "ci: {:<20} {:>6.0} s  {}\n",
        "total",
        total.as_secs_f64(),
        if passed { "passed".into() } else { format!("stopped, {skipped} step(s) not run") }
    );
    out
}

fn tidy_step() -> Done {
    let findings = tidy::check_workspace()?;
    findings.iter().for_each(|f| eprintln!("{f}"));
    match findings.len() {
        0 => Ok(()),
        n => Err(Failure::new("tidy", format!("{n} finding(s), listed above"), "")),
    }
}

/// Emission is deterministic: two runs write the same bytes.
fn emit_twice() -> Done {
    let dirs = ["target/verilog", "target/verilog-again"].map(|d| root().join(d));
    for dir in &dirs {
        let _ = std::fs::remove_dir_all(dir);
        chores::verilog(dir)?;
    }
    let n = same_bytes(&dirs[0], &dirs[1])?;
    let plugins = [shells::emit()?, shells::emit_to(root().join("target/shells-again"))?];
    let of_plugins = same_bytes(&plugins[0], &plugins[1])?;
    println!("{n} Verilog file(s) and {of_plugins} of the shells' plugins, the same bytes twice");
    Ok(())
}

/// Compares two folders and what is below them, and returns how many files they hold.
fn same_bytes(a: &Path, b: &Path) -> Done<usize> {
    let list = |dir: &Path| -> Done<Vec<_>> {
        let read = |e: std::io::Error| Failure::new(format!("reading {}", dir.display()), e.to_string(), "");
        let (mut files, mut folders) = (Vec::new(), vec![dir.to_path_buf()]);
        while let Some(folder) = folders.pop() {
            for path in std::fs::read_dir(folder).map_err(read)?.flatten().map(|e| e.path()) {
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(dir).unwrap_or(&path).to_path_buf();
                    files.push((name, std::fs::read(path).map_err(read)?));
                }
            }
        }
        files.sort();
        Ok(files)
    };
    let (first, second) = (list(a)?, list(b)?);
    if first.is_empty() {
        return Err(Failure::new("emitting twice", format!("{} is empty", a.display()), ""));
    }
    if first == second {
        return Ok(first.len());
    }
    let differs = first.iter().find(|f| !second.contains(f)).or_else(|| second.iter().find(|f| !first.contains(f)));
    let name = differs.map(|(n, _)| n.display().to_string()).unwrap_or_default();
    Err(Failure::new("emitting twice", format!("{name} differs between {} and {}", a.display(), b.display()), ""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_different_byte_or_a_missing_file_is_seen() {
        let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        assert!(same_bytes(a.path(), b.path()).is_err(), "nothing emitted is not success");
        fs::write(a.path().join("x.v"), "module x;").unwrap();
        assert!(same_bytes(a.path(), b.path()).is_err());
        fs::write(b.path().join("x.v"), "module x;").unwrap();
        assert_eq!(same_bytes(a.path(), b.path()), Ok(1));
        fs::write(b.path().join("x.v"), "module y;").unwrap();
        assert!(same_bytes(a.path(), b.path()).unwrap_err().why.contains("x.v"));
        fs::write(b.path().join("x.v"), "module x;").unwrap();
        for (folder, text) in [(&a, "1"), (&b, "2")] {
            fs::create_dir_all(folder.path().join("box/deep")).unwrap();
            fs::write(folder.path().join("box/deep/y.tcl"), text).unwrap();
        }
        assert!(same_bytes(a.path(), b.path()).unwrap_err().why.contains("box/deep/y.tcl"));
        fs::write(b.path().join("box/deep/y.tcl"), "1").unwrap();
        assert_eq!(same_bytes(a.path(), b.path()), Ok(2));
    }

    #[test]
    fn the_closing_table_names_the_step_that_failed() {
        let times = [("setup", Duration::from_secs(1)), ("format", Duration::from_secs(2))];
        let text = table(&times, false);
        assert!(text.contains("format                    2 s  FAILED"), "{text}");
        assert!(text.contains("3 s  stopped"), "{text}");
    }
}
