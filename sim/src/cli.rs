//! The commands, as a user types them. Each has a module of its own with its `Args` and its `run`.

use crate::{bench, device, replay, report, run, sweep};
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// What a command gives back: nothing, or one line that says what was tried, where, and what was found.
pub type Done<T = ()> = Result<T, String>;

/// Simulates MatchRDMA gateways, cycle by cycle.
#[derive(Debug, Parser)]
#[command(
    name = "matchrdma-sim",
    version,
    after_help = "Example: matchrdma-sim replay tests/vectors/write-16k-mtu1024.pcap --out target/replay"
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// One command.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Play a capture through one gateway and write what leaves its two ports
    Replay(replay::Args),
    /// Run a scenario on its gateways, once per scheme, and compare
    Run(run::Args),
    /// Run a scenario of the network simulator over its whole grid
    Sweep(sweep::Args),
    /// Draw the plots and the page of a result folder anew
    Report(report::Args),
    /// Serve a gateway as a PCI device over vfio-user, with its two ports as sockets
    Device(device::Args),
    /// Measure the gates and the speed of their simulation
    Bench(bench::Args),
}

impl Cli {
    /// What was asked.
    pub fn into_command(self) -> Command {
        self.command
    }

    /// Does what was asked.
    pub fn run(&self) -> Done {
        match &self.command {
            Command::Replay(args) => replay::run(args),
            Command::Run(args) => run::run(args),
            Command::Sweep(args) => sweep::run(args),
            Command::Report(args) => report::run(args),
            Command::Device(args) => device::run(args),
            Command::Bench(args) => bench::run(args),
        }
    }
}

/// Exit 0: done; 1: it failed, with one line on stderr; 2: typed wrong.
pub fn main() -> ExitCode {
    match Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("matchrdma-sim: {why}");
            ExitCode::FAILURE
        }
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
            assert!(help.contains("Example: matchrdma-sim"), "{} has no example", sub.get_name());
        }
    }

    #[test]
    fn what_is_typed_wrong_is_a_usage_error() {
        for line in ["matchrdma-sim", "matchrdma-sim replay", "matchrdma-sim replay a.pcap --out d --ack-ops some"] {
            let error = Cli::try_parse_from(line.split(' ')).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{line}");
        }
    }
}
