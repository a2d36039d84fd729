//! The help of every command as Markdown, for docs/cli.md.

use crate::cli::Cli;
use crate::run::{cargo, output, Done};
use crate::setup::setup;
use clap::CommandFactory;

/// Binaries of the workspace, by package, in the order a reader meets them.
const BINARIES: &[(&str, &str)] =
    &[("matchrdma-sim", "matchrdma-sim"), ("matchrdma-hdl", "matchrdma-hdl"), ("matchrdma", "matchrdma")];

/// One section per binary, `cargo xtask` first. Builds the binaries; one that does not exist yet is left out.
pub fn markdown() -> Done<String> {
    let mut out = xtask();
    let metadata = output(&mut cargo(["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata).unwrap_or_default();
    for (package, binary) in BINARIES.iter().filter(|(p, b)| exists(&metadata, p, b)) {
        setup()?;
        let help = |args: &[&str]| {
            let mut command = cargo(["run", "--quiet", "-p", package, "--bin", binary, "--"]);
            output(command.args(args).arg("--help"))
        };
        let top = help(&[])?;
        out += &section(2, binary, &top);
        for name in subcommands(&top) {
            let text = help(&[&name])?;
            out += &section(3, &format!("{binary} {name}"), &text);
            for below in subcommands(&text) {
                out += &section(4, &format!("{binary} {name} {below}"), &help(&[&name, &below])?);
            }
        }
    }
    Ok(out)
}

fn xtask() -> String {
    let mut cli = Cli::command();
    cli.build();
    let mut out = section(2, "cargo xtask", &cli.clone().render_long_help().to_string());
    for sub in cli.get_subcommands().filter(|s| s.get_name() != "help") {
        out += &section(3, &format!("cargo xtask {}", sub.get_name()), &sub.clone().render_long_help().to_string());
    }
    out
}

fn section(level: usize, title: &str, help: &str) -> String {
    let lines: Vec<&str> = help.trim().lines().map(str::trim_end).collect();
    format!("{} {title}\n\n```text\n{}\n```\n\n", "#".repeat(level), lines.join("\n"))
}

fn exists(metadata: &serde_json::Value, package: &str, binary: &str) -> bool {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    packages
        .filter(|p| p["name"] == package)
        .flat_map(|p| p["targets"].as_array().into_iter().flatten())
        .any(|t| t["name"] == binary && t["kind"].as_array().into_iter().flatten().any(|k| k == "bin"))
}

/// The names in the `Commands:` part of a help.
fn subcommands(help: &str) -> Vec<String> {
    let after = help.lines().skip_while(|l| *l != "Commands:").skip(1);
    let names = after.take_while(|l| !l.is_empty()).filter(|l| l.starts_with("  ") && !l.starts_with("   "));
    names.filter_map(|l| l.split_whitespace().next()).filter(|n| *n != "help").map(String::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_from_a_help() {
        let help = "Does it.\n\nUsage: x\n\nCommands:\n  list  Lists\n  emit  Emits\n          more\n  help  Print\n\nOptions:\n  -h  Help\n";
        assert_eq!(subcommands(help), ["list", "emit"]);
        assert!(subcommands("Usage: x\n").is_empty());
    }

    #[test]
    fn every_chore_is_documented() {
        let text = xtask();
        for chore in ["setup", "demo", "test", "bench", "gen", "tidy", "verilog", "vm-test", "ci"] {
            assert!(text.contains(&format!("### cargo xtask {chore}\n")), "{chore}");
        }
    }

    #[test]
    fn a_binary_that_does_not_exist_is_left_out() {
        let m = serde_json::json!({ "packages": [{ "name": "a", "targets": [{ "name": "a", "kind": ["bin"] }, { "name": "b", "kind": ["lib"] }] }] });
        assert!(exists(&m, "a", "a") && !exists(&m, "a", "b") && !exists(&m, "c", "a"));
    }
}
