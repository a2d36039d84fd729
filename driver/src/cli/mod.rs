//! The commands of `matchrdma`, as a user types them.

mod device;
mod load;
mod shell;
mod show;
mod status;
mod watch;

use crate::error::Result;
use clap::{Args, Parser, Subcommand};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Configures and watches a MatchRDMA gateway.
#[derive(Debug, Parser)]
#[command(
    name = "matchrdma",
    version,
    after_help = "Example: matchrdma apply gateway.toml --device 0000:3b:00.0\n\nExit status: 0 done, 1 it failed, 2 typed wrong."
)]
pub struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

/// What every command takes.
#[derive(Debug, Args)]
pub struct Common {
    /// The gateway: a PCI address, or vfio-user:SOCKET; without it the only one that is bound to vfio-pci
    #[arg(long, global = true, value_name = "0000:bb:dd.f|vfio-user:SOCKET")]
    device: Option<String>,
    /// Print JSON on stdout
    #[arg(long, global = true)]
    json: bool,
    /// Where what this host knows of gateways is kept
    #[arg(long, global = true, value_name = "FOLDER", default_value = "/var/lib/matchrdma")]
    records: PathBuf,
}

/// One command.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find the core and say who it is
    #[command(after_help = "Example: matchrdma probe --device 0000:3b:00.0")]
    Probe,
    /// Say what the gateway does: switches, budgets, counters
    #[command(after_help = "Example: matchrdma status --prometheus")]
    Status {
        /// Text for Prometheus
        #[arg(long, conflicts_with = "json")]
        prometheus: bool,
    },
    /// Bring the gateway to a configuration: all of it takes effect, or none
    #[command(after_help = "Example: matchrdma apply gateway.toml --dry-run")]
    Apply {
        /// The configuration
        config: PathBuf,
        /// Say what would change, and write nothing
        #[arg(long)]
        dry_run: bool,
        /// The gateway may be off meanwhile, so that every flow passes through
        #[arg(long)]
        stop: bool,
    },
    /// Show a table in force, with live state
    #[command(after_help = "Example: matchrdma show flows --json")]
    Show {
        /// Which
        what: show::What,
    },
    /// Budgets over time
    #[command(subcommand)]
    Calendar(Calendar),
    /// A live table: budgets, rates, what waits, states of flows
    #[command(after_help = "Example: matchrdma watch --every 0.5")]
    Watch {
        /// Look every so many seconds
        #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
        every: f64,
        /// End after so many seconds; without it never
        #[arg(long, value_name = "SECONDS")]
        seconds: Option<f64>,
    },
    /// Print faults and lease losses as they come, by interrupt
    #[command(after_help = "Example: matchrdma events --json")]
    Events {
        /// End after so many seconds; without it never
        #[arg(long, value_name = "SECONDS")]
        seconds: Option<f64>,
    },
    /// Switch the gateway on
    #[command(after_help = "Example: matchrdma enable")]
    Enable,
    /// Switch the gateway off: every flow passes through
    #[command(after_help = "Example: matchrdma disable")]
    Disable,
    /// Print completions for a shell
    #[command(after_help = "Example: matchrdma completions bash > /etc/bash_completion.d/matchrdma")]
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    #[command(after_help = "Example: matchrdma man > /usr/share/man/man1/matchrdma.1")]
    Man,
}

/// `calendar`.
#[derive(Debug, Subcommand)]
pub enum Calendar {
    /// Give a path the budgets of a file, from the next slot on
    #[command(after_help = "Example: matchrdma calendar load morning.csv --path 3 --repeat")]
    Load(load::CalendarArgs),
}

impl Cli {
    /// Does what was asked; what it says goes to stdout.
    pub fn run(&self) -> Result<()> {
        let Common { json, .. } = self.common;
        let common = &self.common;
        match &self.command {
            Command::Probe => status::probe(common),
            Command::Status { prometheus } => status::status(common, *prometheus),
            Command::Apply { config, dry_run, stop } => load::apply(common, config, *dry_run, *stop),
            Command::Show { what } => show::show(common, *what),
            Command::Calendar(Calendar::Load(args)) => load::calendar(common, args),
            Command::Watch { every, seconds } => watch::watch(common, *every, *seconds),
            Command::Events { seconds } => status::events(common, *seconds, json),
            Command::Enable => load::switch(common, true),
            Command::Disable => load::switch(common, false),
            Command::Completions { shell } => shell::completions(*shell),
            Command::Man => shell::man(),
        }
    }
}

/// Prints a value: JSON, or the text.
fn print<V: Serialize>(json: bool, value: &V, text: &str) {
    match json {
        true => println!("{}", serde_json::to_string(value).expect("numbers and texts")),
        false => print!("{text}"),
    }
}

/// Exit 0: done; 1: it failed, with one line on stderr; 2: typed wrong.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            match cli.common.json {
                true => eprintln!("{}", serde_json::to_string(&error).expect("texts")),
                false => eprintln!("matchrdma: {error}"),
            }
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_commands_are_sound_and_each_has_an_example() {
        Cli::command().debug_assert();
        fn walk(command: &clap::Command) {
            for sub in command.get_subcommands() {
                let help = sub.get_after_help().map(|help| help.to_string()).unwrap_or_default();
                assert!(sub.has_subcommands() || help.contains("Example: matchrdma"), "{}", sub.get_name());
                walk(sub);
            }
        }
        walk(&Cli::command());
    }

    #[test]
    fn what_is_typed_wrong_is_usage_and_what_is_not_there_is_a_failure() {
        assert_eq!(Cli::try_parse_from(["matchrdma", "aply"]).unwrap_err().exit_code(), 2);
        assert_eq!(Cli::try_parse_from(["matchrdma", "show", "all"]).unwrap_err().exit_code(), 2);
        let run = |args: &[&str]| Cli::try_parse_from(args).expect("it is typed right").run().unwrap_err();
        let error = run(&["matchrdma", "probe", "--device", "nonsense"]);
        assert!(error.to_string().contains("0000:bb:dd.f"), "{error}");
        let error = run(&["matchrdma", "probe", "--device", "vfio-user:/nowhere"]);
        assert!(error.to_string().contains("vfio-user"), "{error}");
    }
}
