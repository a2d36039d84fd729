//! `learn`: a daemon that installs flows as they are learnt.

use super::{device, Common};
use crate::daemon::decision::Decision;
use crate::daemon::{Daemon, Settings};
use crate::error::{file, Kind, Result};
use clap::Args;
use serde::Serialize;
use std::io::{stdout, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

/// What `learn` takes.
#[derive(Debug, Args)]
pub struct LearnArgs {
    /// The hosts' own lists (docs/learn.md); read again when the file changes. May be given several times
    #[arg(long, value_name = "FILE")]
    from_rdma: Vec<PathBuf>,
    /// Look at ACKs between these two: an address of the near data centre, one of a far one. Several take turns
    #[arg(long, value_name = "NEAR,FAR", value_parser = two_addresses)]
    between: Vec<(IpAddr, IpAddr)>,
    /// How long each of several takes its turn
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = time)]
    dwell: Duration,
    /// Longer than any ACK takes, queues and all: for so long after it begins to look no ACK counts
    #[arg(long, value_name = "SECONDS", default_value = "0.5", value_parser = time)]
    settling: Duration,
    /// Flows that are learnt at most; without it all that the gateway holds
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// A learnt flow that stood still for so long goes, unless a list names it
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = time)]
    age: Duration,
    /// Learnt flows stay until their connection ends
    #[arg(long, conflicts_with = "age")]
    no_age: bool,
    /// Leave SEND and WRITE with immediate of learnt flows to the far side
    #[arg(long)]
    write_only: bool,
    /// End after so many seconds; without it at SIGINT or SIGTERM
    #[arg(long, value_name = "SECONDS", value_parser = time)]
    seconds: Option<Duration>,
}

/// Two addresses of one family.
fn two_addresses(text: &str) -> std::result::Result<(IpAddr, IpAddr), String> {
    let expected = "expected two addresses of one family, as 10.1.0.1,10.9.0.1";
    let (near, far) = text.split_once(',').ok_or(expected)?;
    let read = |text: &str| text.trim().parse::<IpAddr>().map_err(|error| format!("{expected}: {text:?}: {error}"));
    let (near, far) = (read(near)?, read(far)?);
    match near.is_ipv4() == far.is_ipv4() && near != far {
        true => Ok((near, far)),
        false => Err(expected.into()),
    }
}

/// Seconds.
fn time(text: &str) -> std::result::Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|error| format!("{error}"))?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// The longest nap: a device without an interrupt, and a signal, are noticed so soon.
const NAP: Duration = Duration::from_millis(100);

#[derive(Serialize)]
struct Line<'a> {
    unix_ms: u128,
    #[serde(flatten)]
    decision: &'a Decision,
}

fn say(json: bool, decisions: &[Decision]) -> Result<()> {
    let mut text = String::new();
    for decision in decisions {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        text += &match json {
            true => serde_json::to_string(&Line { unix_ms: since.as_millis(), decision }).expect("numbers and texts"),
            false => decision.to_string(),
        };
        text += "\n";
    }
    stdout().write_all(text.as_bytes()).map_err(|error| file("writing", Path::new("stdout"), &error))
}

/// `learn`.
pub(super) fn learn(common: &Common, args: &LearnArgs) -> Result<()> {
    let host = device::host(common)?;
    let stop = super::told_to_end()?;
    let settings = Settings {
        lists: args.from_rdma.clone(),
        between: args.between.clone(),
        dwell: args.dwell,
        settling: args.settling,
        limit: args.limit.unwrap_or(usize::MAX),
        age: (!args.no_age).then_some(args.age),
        ack_ops_write: args.write_only,
    };
    let begun = Instant::now();
    let over = || stop.load(Ordering::Relaxed) || args.seconds.is_some_and(|seconds| begun.elapsed() >= seconds);
    let mut daemon = Daemon::begin(host, settings, begun)?;
    // Whatever ends it ends between two steps, and the gateway is told.
    let ended = loop {
        if over() {
            break Ok(());
        }
        let step = daemon.step(Instant::now()).and_then(|said| say(common.json, &said));
        if let Err(error) = step.and_then(|()| daemon.wait(Instant::now() + NAP)) {
            break Err(error);
        }
    };
    let gone = ended.as_ref().is_err_and(|error| error.kind == Kind::Gone);
    let told = if gone { Ok(()) } else { daemon.end().map(drop) };
    ended.and(told)
}
