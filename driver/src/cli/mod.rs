//! The commands of `matchrdma`, as a user types them.

mod device;
mod learn;
mod load;
mod shell;
mod show;
mod status;
mod watch;

use crate::error::{Error, Kind, Result};
use clap::{Args, Parser, Subcommand};
use serde::Serialize;
use std::io::{stdout, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

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
    /// Learn queue pairs from what passes and from the hosts' lists, and install them as flows, until it is told to end
    #[command(
        after_help = "Example: matchrdma learn --from-rdma pairs.json --between 10.1.0.1,10.9.0.1\n\nFlows stay when it ends, and stay through an apply (docs/learn.md)."
    )]
    Learn(learn::LearnArgs),
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
    /// Print the manual page, or write all of them
    #[command(after_help = "Example: matchrdma man --out /usr/share/man/man1")]
    Man {
        /// Write the page of every command here; without it that of the program goes to stdout
        #[arg(long, value_name = "FOLDER")]
        out: Option<PathBuf>,
    },
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
            Command::Learn(args) => learn::learn(common, args),
            Command::Enable => load::switch(common, true),
            Command::Disable => load::switch(common, false),
            Command::Completions { shell } => shell::completions(*shell),
            Command::Man { out } => shell::man(out.as_deref()),
        }
    }
}

/// Prints a value: JSON, or the text.
fn print<V: Serialize>(json: bool, value: &V, text: &str) {
    let text = match json {
        true => serde_json::to_string(value).expect("numbers and texts") + "\n",
        false => text.into(),
    };
    if stdout().write_all(text.as_bytes()).and_then(|()| stdout().flush()).is_err() {
        // Whoever read it has enough.
        std::process::exit(1);
    }
}

/// Set once SIGINT, SIGTERM or SIGHUP has come.
fn told_to_end() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let told = stop.clone();
    let failed = |error: ctrlc::Error| {
        let error = Error::new(Kind::Device, "asking to be told of signals")
            .at("this process")
            .but("a handler", error.to_string());
        error.so("start it again")
    };
    ctrlc::set_handler(move || told.store(true, Ordering::Relaxed)).map_err(failed)?;
    Ok(stop)
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
    fn addresses_to_look_between_are_two_of_one_family() {
        let learn = |between: &str| Cli::try_parse_from(["matchrdma", "learn", "--between", between]);
        assert!(learn("10.1.0.1,10.9.0.1").is_ok() && learn("fe80::1,fe80::2").is_ok());
        for wrong in ["10.1.0.1", "10.1.0.1,fe80::2", "10.1.0.1,ten", "10.1.0.1,10.1.0.1"] {
            assert_eq!(learn(wrong).unwrap_err().exit_code(), 2, "{wrong}");
        }
        assert_eq!(Cli::try_parse_from(["matchrdma", "learn", "--age", "-1"]).unwrap_err().exit_code(), 2);
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
