//! `replay`: a capture through one gateway. First the flows are learnt from it, then it is played.
//!
//! [`survey`] reads the file once: which side is near, which queue pairs belong together. [`play`] sends it through
//! the gateway frame by frame, with a watch on what must hold; [`ledger`] tells what each frame that leaves is.
//! [`report`] says what came of it.

pub mod ledger;
pub mod play;
pub mod port;
pub mod report;
pub mod survey;

use crate::capture::Capture;
use crate::cli::Done;
use crate::configure::{bytes_per_slot, FlowSetting, Host, Tables, SLOT_K};
use crate::engine::Gateway;
use crate::model_gateway::ModelGateway;
use crate::outdir::OutDir;
use crate::rtl_gateway::RtlGateway;
use clap::ValueEnum;
use matchrdma::learn::rdma::{self, Lists};
use matchrdma_spec::regs::counters::ABSORBED_ACKS;
use play::{Played, Player, Setting};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use survey::Survey;

/// Files of a result.
pub const FILES: [&str; 3] = [CLIENT, LINE, REPORT];
/// What left the client port.
pub const CLIENT: &str = "client.pcap";
/// What left the line port.
pub const LINE: &str = "line.pcap";
/// What came of it.
pub const REPORT: &str = "report.json";

/// What `replay` takes.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Example: matchrdma-sim replay tests/vectors/write-16k-mtu1024.pcap --out target/replay")]
pub struct Args {
    /// The capture, pcap or pcapng, link type Ethernet, with whole packets
    pub capture: PathBuf,
    /// Folder for client.pcap, line.pcap and report.json; it appears whole or not at all
    #[arg(long)]
    pub out: PathBuf,
    /// MAC address of the data-centre side: frames from it enter the client port, all others the line port
    /// [default: source of the first RC request, else of the first RoCE frame, else of the first frame]
    #[arg(long)]
    pub near: Option<Mac>,
    /// The hosts' own queue pair lists, as docs/learn.md shows
    #[arg(long, value_name = "FILE")]
    pub from_rdma: Option<PathBuf>,
    /// Which requests the gateway acknowledges early
    #[arg(long, value_enum, default_value_t = AckOps::All)]
    pub ack_ops: AckOps,
    /// When data counts as sent: when it has left on the line, or when it has been admitted (unsafe on reset)
    #[arg(long, value_enum, default_value_t = AckOn::Departure)]
    pub ack_on: AckOn,
    /// Budget of the path, such as 100G or 2.5G bits per second [default: line rate]
    #[arg(long)]
    pub path_rate: Option<Rate>,
    /// Longest pause between frames, clock cycles: longer ones of the capture are cut to this
    #[arg(long, default_value_t = 2000)]
    pub max_gap: u64,
    /// What plays the gateway
    #[arg(long, value_enum, default_value_t = Engine::Rtl)]
    pub engine: Engine,
    /// Print the report as JSON on stdout instead of a summary
    #[arg(long)]
    pub json: bool,
}

/// Which requests are acknowledged early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AckOps {
    /// SEND and WRITE
    All,
    /// WRITE without immediate only
    Write,
}

/// When data counts as sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AckOn {
    /// When it has left on the line
    Departure,
    /// When it has been admitted
    Arrival,
}

/// What plays the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// The gates, verilated
    Rtl,
    /// The golden model: quick, with no latency of its own
    Model,
}

/// A MAC address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mac(pub [u8; 6]);

impl FromStr for Mac {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split([':', '-']).collect();
        let bytes: Option<Vec<u8>> = { parts.iter() }
            .map(|p| {
                Some(p).filter(|p| p.len() == 2 && !p.starts_with('+')).and_then(|p| u8::from_str_radix(p, 16).ok())
            })
            .collect();
        let bytes = bytes.and_then(|b| b.try_into().ok());
        bytes.map(Mac).ok_or_else(|| format!("expected six bytes such as 52:54:00:00:00:0a, found {text}"))
    }
}

impl std::fmt::Display for Mac {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

/// Bits per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate(pub u64);

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("expected a rate such as 100G, 2.5G or 400M, found {text}");
        let last = text.chars().last().ok_or_else(bad)?;
        let unit = match last {
            'k' | 'K' => 1e3,
            'm' | 'M' => 1e6,
            'g' | 'G' => 1e9,
            't' | 'T' => 1e12,
            _ => 1.0,
        };
        let digits = if unit > 1.0 { &text[..text.len() - last.len_utf8()] } else { text };
        let number: f64 = digits.parse().map_err(|_| bad())?;
        let bps = number * unit;
        if (1.0..=1e15).contains(&bps) {
            Ok(Rate(bps.round() as u64))
        } else {
            Err(bad())
        }
    }
}

/// What a replay found out: the report, and what tests want to know beside it.
#[derive(Debug)]
pub struct Outcome {
    /// From the first reading.
    pub survey: Survey,
    /// From the second.
    pub played: Played,
    /// `report.json`.
    pub report: report::Report,
}

impl Outcome {
    /// Real ACKs of Active flows that were not forwarded.
    pub fn absorbed(&self) -> u64 {
        self.played.counters.get(&ABSORBED_ACKS)
    }
}

/// Plays a capture and tells the user.
pub fn run(args: &Args) -> Done {
    let outcome = replay(args, &mut |warning| eprintln!("matchrdma-sim: warning: {warning}"))?;
    if args.json {
        print!("{}", report::json(&outcome.report));
    } else {
        print!("{}", report::summary(args, &outcome));
    }
    Ok(())
}

/// Plays a capture and writes the result folder.
pub fn replay(args: &Args, warn: &mut dyn FnMut(String)) -> Result<Outcome, String> {
    let lists = args.from_rdma.as_deref().map(read_lists).transpose()?.unwrap_or_default();
    for unpaired in &lists.unpaired {
        warn(format!("--from-rdma: {unpaired}"));
    }
    let survey = survey::survey(&args.capture, args.near, &lists.flows)?;
    survey.warnings().into_iter().for_each(warn);
    let out = OutDir::begin(&args.out, &FILES)?;
    let mut gateway = engine(args.engine);
    let (setting, flows) = configure(args, &survey, &mut *gateway)?;
    let mut player = Player::new(&mut *gateway, setting, flows, out.pcap(CLIENT)?, out.pcap(LINE)?)?;
    let progress = crate::progress::Progress::new(survey.frames, "frames");
    for packet in Capture::open(&args.capture)? {
        player.packet(packet?, survey.near)?;
        progress.advance();
    }
    let played = player.finish()?;
    let report = report::report(&played);
    out.write(REPORT, report::json(&report).as_bytes())?;
    out.publish()?;
    Ok(Outcome { survey, played, report })
}

fn read_lists(path: &Path) -> Result<Lists, String> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|e| format!("reading {shown}: {e}"))?;
    rdma::parse(&text).map_err(|e| format!("reading {shown}: {e}"))
}

fn engine(engine: Engine) -> Box<dyn Gateway> {
    match engine {
        Engine::Rtl => Box::new(RtlGateway::new()),
        Engine::Model => Box::new(ModelGateway::new()),
    }
}

/// Sets the gateway up as the user asked, with the flows of the near side.
fn configure(
    args: &Args,
    survey: &Survey,
    gateway: &mut dyn Gateway,
) -> Result<(Setting, Vec<play::Installed>), String> {
    let mut host = Host::new(gateway);
    let clock_hz = host.identify()?;
    let path_bytes_per_slot = match args.path_rate {
        None => None,
        Some(Rate(bps)) => {
            let bytes = bytes_per_slot(bps, SLOT_K, clock_hz).ok_or_else(|| {
                format!(
                    "--path-rate: {bps} bits per second is no budget of a slot of 2^{SLOT_K} cycles at {clock_hz} Hz"
                )
            })?;
            host.fixed_budget(bytes, SLOT_K)?;
            Some(bytes)
        }
    };
    let mut tables = Tables::new();
    let mut flows = Vec::new();
    for flow in &survey.flows {
        let ack_ops_write = args.ack_ops == AckOps::Write;
        let setting = FlowSetting { ack_ops_write, mtu: flow.mtu, serial: 1 };
        let index = tables.install(&mut host, flow.key_out(), flow.key_in(), setting)?;
        flows.push(play::Installed { index, flow: *flow });
    }
    let ack_on_arrival = args.ack_on == AckOn::Arrival;
    host.enable(ack_on_arrival)?;
    let ack_ops_write = args.ack_ops == AckOps::Write;
    Ok((Setting { clock_hz, path_bytes_per_slot, ack_on_arrival, ack_ops_write, max_gap: args.max_gap }, flows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_rates_read_as_people_write_them() {
        assert_eq!("52:54:00:00:00:0a".parse(), Ok(Mac([0x52, 0x54, 0, 0, 0, 0x0a])));
        assert_eq!("52-54-00-00-00-0A".parse::<Mac>().unwrap().to_string(), "52:54:00:00:00:0a");
        for bad in [
            "",
            "52:54:00:00:00",
            "52:54:00:00:00:0a:01",
            "52:54:00:00:00:xx",
            "525400:00:00:0:0a",
            "+1:54:00:00:00:0a",
        ] {
            assert!(bad.parse::<Mac>().is_err(), "{bad}");
        }
        for (text, bps) in [("100G", 100_000_000_000), ("2.5g", 2_500_000_000), ("400M", 400_000_000), ("9600", 9600)] {
            assert_eq!(text.parse(), Ok(Rate(bps)));
        }
        for bad in ["", "G", "fast", "-1G", "0", "1e99", "NaN", "100GG", "1 G"] {
            assert!(bad.parse::<Rate>().is_err(), "{bad}");
        }
    }
}
