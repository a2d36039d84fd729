//! The commands, as a user types them.

use crate::bench::{bench, Part};
use crate::run::{Done, Failure};
use crate::vm::vm_test;
use crate::{chores, ci, constraints, docs, lint, setup, tidy};
use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// The chores of the MatchRDMA gateway.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, after_help = "Example: cargo xtask demo")]
pub struct Cli {
    #[command(subcommand)]
    command: Chore,
}

/// One chore.
#[derive(Debug, Subcommand)]
pub enum Chore {
    /// Install the pinned Verilator under target/ unless the machine has one
    #[command(after_help = "Example: cargo xtask setup")]
    Setup {
        /// Print what was found as JSON on stdout
        #[arg(long)]
        json: bool,
    },
    /// Run a scenario on two verilated gateways, write its report to target/demo, compare it with its expected.csv
    #[command(after_help = "Example: cargo xtask demo")]
    Demo {
        /// A folder of sim/scenarios
        #[arg(default_value = chores::HEADLINE)]
        scenario: String,
    },
    /// Run every test that needs no virtual machine
    #[command(after_help = "Example: cargo xtask test pacer -- --nocapture")]
    Test {
        /// Arguments for `cargo test`, passed on as they are
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        extra: Vec<String>,
    },
    /// Run every scenario of the network simulator and compare its figures with its expected.csv
    #[command(after_help = "Example: cargo xtask figures")]
    Figures,
    /// Measure speeds, sizes and losses; asserts nothing
    #[command(after_help = "Example: cargo xtask bench --only rtl --json target/bench.json")]
    Bench {
        /// Only this part
        #[arg(long)]
        only: Option<Part>,
        /// Synthesise this top module instead of the whole core; may be given more than once
        #[arg(long, value_name = "NAME")]
        top: Vec<String>,
        /// Write the figures to this file
        #[arg(long)]
        json: Option<PathBuf>,
    },
    /// Write the generated parts of docs/ again
    #[command(after_help = "Example: cargo xtask gen --check")]
    Gen {
        /// Change nothing; fail when a file is stale
        #[arg(long)]
        check: bool,
    },
    /// Check the rules of the layout
    #[command(after_help = "Example: cargo xtask tidy")]
    Tidy {
        /// Print the findings as JSON on stdout
        #[arg(long)]
        json: bool,
    },
    /// Write the Verilog of every top to a folder
    #[command(after_help = "Example: cargo xtask verilog --out target/verilog")]
    Verilog {
        /// The folder
        #[arg(long, default_value = "target/verilog")]
        out: PathBuf,
    },
    /// Lint the Verilog of a folder in Verilator (the gateway) and in Icarus (every file), and print what is waived
    #[command(after_help = "Example: cargo xtask lint")]
    Lint {
        /// The folder; written before when it has no gateway.v
        #[arg(long, default_value = "target/verilog")]
        verilog: PathBuf,
    },
    /// Run the constraint files with the vendor's commands stubbed, against the emitted Verilog
    #[command(after_help = "Example: cargo xtask constraints")]
    Constraints {
        /// gateway.v; written anew when absent
        #[arg(long, value_name = "FILE")]
        verilog: Option<PathBuf>,
    },
    /// Run the driver in a virtual machine, through the kernel's own VFIO, against the gates as a PCI device
    #[command(after_help = "Example: cargo xtask vm-test")]
    VmTest {
        /// Download QEMU and the guest's kernel again
        #[arg(long)]
        fresh: bool,
    },
    /// Run everything that a change must pass, and print the time of each step
    #[command(after_help = "Example: cargo xtask ci")]
    Ci {
        /// Write step names, seconds and results to this file
        #[arg(long)]
        json: Option<PathBuf>,
    },
}

impl Cli {
    /// Does what was asked.
    pub fn run(self) -> Done {
        match self.command {
            Chore::Setup { json } => {
                let found = setup::setup()?;
                if json {
                    println!("{}", serde_json::json!({ "verilator": found.describe() }));
                }
                Ok(())
            }
            Chore::Demo { scenario } => chores::demo(&scenario),
            Chore::Test { .. } => chores::test(&after("test", std::env::args())),
            Chore::Figures => chores::figures(),
            Chore::Bench { only, top, json } => bench(only, &top, json.as_deref()),
            Chore::Gen { check } => docs::generate(check),
            Chore::Tidy { json } => print_tidy(json),
            Chore::Lint { verilog } => {
                if !verilog.join("gateway.v").is_file() {
                    chores::verilog(&verilog)?;
                }
                lint::check(&verilog)
            }
            Chore::Constraints { verilog } => constraints::run(verilog),
            Chore::Verilog { out } => {
                chores::verilog(&out)?;
                println!("verilog: {}", out.display());
                Ok(())
            }
            Chore::VmTest { fresh } => vm_test(fresh),
            Chore::Ci { json } => ci::ci(json.as_deref()),
        }
    }
}

/// What follows a word on the command line, with any `--` that clap would have eaten.
fn after(word: &str, args: impl Iterator<Item = String>) -> Vec<String> {
    args.skip_while(|a| a != word).skip(1).collect()
}

fn print_tidy(json: bool) -> Done {
    let findings = tidy::check_workspace()?;
    if json {
        let list: Vec<_> = findings
            .iter()
            .map(|f| serde_json::json!({ "rule": f.rule, "path": f.path, "line": f.line, "message": f.message }))
            .collect();
        println!("{}", serde_json::Value::from(list));
    } else {
        findings.iter().for_each(|f| eprintln!("{f}"));
    }
    match findings.len() {
        0 => {
            eprintln!("tidy: {} rules hold", tidy::RULES.len());
            Ok(())
        }
        n => Err(Failure::new("tidy", format!("{n} finding(s), listed above"), "")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed_and_every_command_shows_an_example() {
        let mut cli = Cli::command();
        cli.build();
        cli.clone().debug_assert();
        for sub in cli.get_subcommands().filter(|s| s.get_name() != "help") {
            let help = sub.clone().render_long_help().to_string();
            assert!(help.contains("Example: cargo xtask"), "{} has no example", sub.get_name());
        }
    }

    #[test]
    fn extra_arguments_reach_cargo_test_unchanged() {
        for line in ["xtask test -- --nocapture", "xtask test -p xtask -- --nocapture", "xtask test pacer"] {
            let args = || line.split(' ').map(String::from);
            assert!(Cli::try_parse_from(args()).is_ok(), "{line}");
            assert_eq!(after("test", args()), args().skip(2).collect::<Vec<_>>());
        }
    }
}
