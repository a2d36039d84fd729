//! The host's driver with as much as a core holds: how long it takes, while frames pass, on each device.

use crate::beside::Beside;
use crate::device::served::Served;
use crate::device::wire::{read_frame, write_frame};
use crate::model_gateway::ModelGateway;
use crate::rtl_gateway::RtlGateway;
use matchrdma::apply::check::check;
use matchrdma::apply::config::Source;
use matchrdma::apply::host::{Done, Host};
use matchrdma::apply::record::InFile;
use matchrdma::core::Core;
use matchrdma::transport::Transport;
use matchrdma::vfio_user::VfioUser;
use matchrdma_spec::params::{FLOWS, PATHS};
use matchrdma_spec::regs::entry::MODE_CALENDAR;
use matchrdma_spec::regs::table;
use serde::Serialize;
use std::collections::BTreeMap;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Of one device.
#[derive(Clone, Debug, Serialize)]
pub struct Load {
    /// Until a device that nobody knows runs a configuration without flows: every row of its key tables is written.
    pub first_seconds: f64,
    /// Until the same device, switched on, runs a full one; read, checked and planned from its text.
    pub full_seconds: f64,
    /// Key rows of that.
    pub key_rows: usize,
    /// Until the state of every flow and the budget of every path were read back, and were right.
    pub read_back_seconds: f64,
    /// Frames that passed meanwhile, both ways together.
    pub frames: u64,
    /// Of them, those that did not leave as they came.
    pub frames_lost: u64,
}

mod full;
pub use full::full;

/// On, and nothing more.
const BARE: &str = "[gateway]\nenable = true\nslot_log2_cycles = 10\n";
/// Between two frames of a port behind a socket.
const PAUSE: Duration = Duration::from_micros(500);

/// For people.
pub fn text(devices: &BTreeMap<String, Load>) -> String {
    let line = |(device, load): (&String, &Load)| {
        let Load { first_seconds, full_seconds, key_rows, read_back_seconds, frames, frames_lost } = load;
        format!(
            "driver, {device}: {first_seconds:.2} s until a device that nobody knows runs, {full_seconds:.2} s for a full load \
             of {key_rows} key rows, read back in {read_back_seconds:.2} s; {frames_lost} of {frames} frames lost meanwhile\n"
        )
    };
    devices.iter().map(line).collect()
}

/// Each device by its name.
pub fn measure() -> Result<BTreeMap<String, Load>, String> {
    let mut all = BTreeMap::new();
    let mut model = Beside::new(ModelGateway::new(), 1);
    let load = loaded(&mut model)?;
    all.insert("model".into(), passed(load, &model.finish().0));
    let mut gates = Beside::new(RtlGateway::new(), 1);
    let load = loaded(&mut gates)?;
    all.insert("gates".into(), passed(load, &gates.finish().0));
    let served = Served::new(Box::new(RtlGateway::new()))?;
    let ports = ["client", "line"].map(|port| UnixStream::connect(served.path(port)));
    let [client, line] = ports.map(|port| port.map_err(|e| format!("connecting to a port: {e}")));
    let traffic = Traffic::begin(client?, line?)?;
    let load = loaded(VfioUser::connect(&served.path("socket"))?)?;
    let (frames, frames_lost) = traffic.end();
    all.insert("vfio_user".into(), Load { frames, frames_lost, ..load });
    served.end();
    Ok(all)
}

fn passed(load: Load, seen: &crate::beside::Seen) -> Load {
    let both = |numbers: [u64; 2]| numbers[0] + numbers[1];
    Load { frames: both(seen.frames), frames_lost: both(seen.frames_lost) + both(seen.frames_wrong), ..load }
}

/// Applies the two configurations, and reads back what the second one says.
fn loaded<T: Transport>(device: T) -> Result<Load, String> {
    let folder = tempfile::tempdir().map_err(|e| format!("making a folder for a record: {e}"))?;
    let record = folder.path().join("device.json");
    let (device, first_seconds, _) = applied(device, BARE, &record)?;
    let (device, full_seconds, Done { key_rows, generation, .. }) = applied(device, &full(), &record)?;
    let mut core = Core::find(device)?;
    let begun = Instant::now();
    let wrong = |what: String| Err(format!("a full load, read back: {what}"));
    for index in 0..FLOWS as u16 {
        let state = core.flow_state(index)?.state;
        if state != "Sync" {
            return wrong(format!("flow {index} is {state}"));
        }
    }
    for path in 0..PATHS {
        let budget = core.budget(path)?;
        if budget.mode != MODE_CALENDAR {
            return wrong(format!("path {path} has {budget:?}"));
        }
    }
    let commits = core.read(&table::GENERATION)?;
    if commits != generation {
        return wrong(format!("{commits} commits, and {generation} took effect"));
    }
    let read_back_seconds = begun.elapsed().as_secs_f64();
    Ok(Load { first_seconds, full_seconds, key_rows, read_back_seconds, frames: 0, frames_lost: 0 })
}

/// As the command does it, but for opening the device.
fn applied<T: Transport>(device: T, text: &str, record: &Path) -> Result<(T, f64, Done), String> {
    let begun = Instant::now();
    let mut host = Host::attach(Core::find(device)?, InFile::open(record)?)?;
    let caps = *host.core().caps();
    let source = Source::new("full.toml", text);
    let wanted = check(&source, &source.parse()?, &caps, Path::new("."))?;
    let plan = host.plan(&wanted, false)?;
    let done = host.apply(&plan)?;
    Ok((host.into_bus(), begun.elapsed().as_secs_f64(), done))
}

/// Frames through the ports of a device, both ways, until told to end.
struct Traffic {
    stop: Arc<AtomicBool>,
    directions: [thread::JoinHandle<(u64, u64)>; 2],
    ports: [UnixStream; 2],
}

impl Traffic {
    fn begin(mut client: UnixStream, mut line: UnixStream) -> Result<Self, String> {
        carries(&mut client, &mut line)?;
        carries(&mut line, &mut client)?;
        let stop = Arc::new(AtomicBool::new(false));
        let again = |port: &UnixStream| port.try_clone().map_err(|e| format!("a port: {e}"));
        let ports = [again(&client)?, again(&line)?];
        let pairs = [(again(&client)?, again(&line)?), (line, client)];
        let directions = pairs.map(|(from, to)| {
            let stop = stop.clone();
            thread::spawn(move || pass(from, to, &stop))
        });
        Ok(Traffic { stop, directions, ports })
    }

    /// Frames that were sent, and of them those that did not come as they were.
    fn end(self) -> (u64, u64) {
        self.stop.store(true, Ordering::Relaxed);
        let both = self.directions.map(|direction| direction.join().unwrap_or((0, u64::MAX)));
        drop(self.ports);
        (both[0].0 + both[1].0, both[0].1.saturating_add(both[1].1))
    }
}

/// What leaves a port before its peer is taken is lost. So this frame is sent again and again until it comes, and is no
/// traffic, whenever it does.
const HERE: [u8; 64] = [0xee; 64];

/// Waits until a direction carries frames.
fn carries(from: &mut UnixStream, to: &mut UnixStream) -> Result<(), String> {
    const TRIES: u32 = 100;
    to.set_read_timeout(Some(Duration::from_millis(100))).map_err(|e| format!("a port: {e}"))?;
    let came =
        (0..TRIES).any(|_| write_frame(from, &HERE).is_ok() && read_frame(to).is_ok_and(|f| f == Some(HERE.into())));
    came.then_some(()).ok_or_else(|| format!("the ports: nothing comes through; {TRIES} frames were sent"))
}

/// The next frame of the traffic.
fn next(from: &mut UnixStream) -> Option<Vec<u8>> {
    loop {
        match read_frame(from) {
            Ok(Some(frame)) if frame == HERE => {}
            frame => return frame.ok().flatten(),
        }
    }
}

/// Sends a frame, waits until it has come, and sends the next.
fn pass(mut from: UnixStream, mut to: UnixStream, stop: &AtomicBool) -> (u64, u64) {
    let (mut sent, mut wrong) = (0u64, 0);
    let _ = to.set_read_timeout(Some(Duration::from_secs(60)));
    while !stop.load(Ordering::Relaxed) {
        let length = 64 + (sent * 37 % 1400) as usize;
        let frame: Vec<u8> = (0..length).map(|n| (n as u64 * 31 + sent) as u8 | 1).collect();
        let whole = write_frame(&mut from, &frame).is_ok() && next(&mut to) == Some(frame);
        sent += 1;
        wrong += u64::from(!whole);
        thread::sleep(PAUSE);
    }
    (sent, wrong)
}
