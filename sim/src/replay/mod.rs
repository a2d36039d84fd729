//! `replay`: a capture through one gateway. First the flows are learnt from it, then it is played.

use crate::cli::Done;
use clap::ValueEnum;
use std::path::PathBuf;

/// What `replay` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: matchrdma-sim replay tests/vectors/write-16k-mtu1024.pcap --out target/replay")]
pub struct Args {
    /// The capture, pcap or pcapng, link type Ethernet, with whole packets
    pub capture: PathBuf,
    /// Folder for client.pcap, line.pcap and report.json; it appears whole or not at all
    #[arg(long)]
    pub out: PathBuf,
    /// Which requests the gateway acknowledges early
    #[arg(long, value_enum, default_value_t = AckOps::All)]
    pub ack_ops: AckOps,
}

/// Which requests are acknowledged early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AckOps {
    /// SEND and WRITE
    All,
    /// WRITE without immediate only
    Write,
}

/// Plays a capture.
pub fn run(args: &Args) -> Done {
    Err(format!("replay {}: not built yet", args.capture.display()))
}
