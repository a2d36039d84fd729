//! The driver as a process of its own, killed at any moment of an apply: the device behind the socket runs the whole old
//! or the whole new configuration, and the next apply succeeds. `KILLS=n` says how often.

use super::kill::configured;
use super::tap::{Runs, Seen};
use super::{configs, model};
use crate::harness::Random;
use clap::Parser;
use matchrdma::cli::Cli;
use matchrdma::transport::{At, Transport};
use matchrdma::vfio_user::VfioUser;
use matchrdma_sim::device::served::Served;
use matchrdma_sim::engine::{Access, Beat, BusError, Gateway, Tick};
use matchrdma_sim::rtl_gateway::RtlGateway;
use matchrdma_spec::regs::table::{self, word_at};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{env, fs, thread};
use tempfile::TempDir;

/// What the driver's process is told, a word a line.
const ARGUMENTS: &str = "DRIVER_ARGUMENTS";
const SETTINGS: &str = "[gateway]\nenable = true\nslot_log2_cycles = 10\n";
const FLOWS: u64 = 300;

/// The driver's process: its commands, as its binary runs them.
#[test]
#[ignore = "a process of the other tests"]
fn the_driver() {
    let arguments = env::var(ARGUMENTS).expect("another test starts it");
    let cli = Cli::try_parse_from(arguments.lines()).unwrap_or_else(|error| panic!("{error}"));
    cli.run().unwrap_or_else(|error| panic!("{error}"));
}

/// Writes that came to a gateway, in order.
type Notes = Arc<Mutex<Vec<(u16, u32)>>>;

/// A gateway that notes what is written to it.
struct Noting<G> {
    gateway: G,
    notes: Notes,
}

impl<G: Gateway> Gateway for Noting<G> {
    fn tick(&mut self, client: Option<&Beat>, line: Option<&Beat>, client_ready: bool, line_ready: bool) -> Tick {
        self.gateway.tick(client, line, client_ready, line_ready)
    }

    fn write(&mut self, addr: u16, value: u32) -> Result<(), BusError> {
        self.gateway.write(addr, value)
    }

    fn read(&mut self, addr: u16) -> Result<u32, BusError> {
        self.gateway.read(addr)
    }

    fn begin(&mut self, access: Access) {
        if let Access::Write(address, value) = access {
            self.notes.lock().unwrap().push((address, value));
        }
        self.gateway.begin(access)
    }

    fn answer(&mut self) -> Option<Result<u32, BusError>> {
        self.gateway.answer()
    }

    fn reset(&mut self) {
        self.gateway.reset()
    }

    fn cycles(&self) -> u64 {
        self.gateway.cycles()
    }

    fn mirror(&mut self) -> &mut matchrdma::tables::Mirror {
        self.gateway.mirror()
    }
}

/// A device behind its socket, what was written to it, and the folder of its host.
struct Rig {
    served: Served,
    notes: Notes,
    seen: Seen,
    folder: TempDir,
}

impl Rig {
    fn new<G: Gateway + Send + 'static>(gateway: G) -> Self {
        let notes = Notes::default();
        let served = Served::new(Box::new(Noting { gateway, notes: notes.clone() })).expect("sockets");
        Rig { served, notes, seen: Seen::default(), folder: tempfile::tempdir().unwrap() }
    }

    /// Starts an apply.
    fn start(&self, text: &str) -> Child {
        let config: PathBuf = self.folder.path().join("test.toml");
        fs::write(&config, text).unwrap();
        let device = format!("vfio-user:{}", self.served.path("socket").display());
        let (config, records) = (config.display().to_string(), self.folder.path().display().to_string());
        let words = ["matchrdma", "apply", &config, "--device", &device, "--records", &records];
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "driver::killed::the_driver", "--ignored", "--nocapture"]);
        command.env(ARGUMENTS, words.join("\n")).stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// Lets it end; writes and time that it took.
    fn apply(&mut self, text: &str) -> (usize, Duration) {
        self.notes.lock().unwrap().clear();
        let begun = Instant::now();
        let ended = self.start(text).wait_with_output().unwrap();
        assert!(ended.status.success(), "an apply: {}", String::from_utf8_lossy(&ended.stderr));
        let took = begun.elapsed();
        let writes = self.notes.lock().unwrap().len();
        (writes, took)
    }

    /// What the device does, from what was written to it.
    fn runs(&mut self) -> Runs {
        let mut device = VfioUser::connect(&self.served.path("socket")).expect("it listens");
        let mut get = |offset: u16| device.read32(At { bar: 0, offset: offset.into() }).expect("the device answers");
        while table::BUSY.get(get(table::STATUS.offset)) == 1 {}
        let generation = get(table::GENERATION.offset);
        // Every write that is on its way came before these reads.
        for (address, word) in self.notes.lock().unwrap().drain(..) {
            if self.seen.committing() && word_at(address).is_some() {
                self.seen.committed(self.seen.generation + 1);
            }
            self.seen.wrote(address, word);
        }
        self.seen.committed(generation);
        assert_eq!(self.seen.generation, generation, "a commit was refused");
        self.seen.runs(get)
    }

    /// Kills an apply: at a moment of its time, or once so many writes have come. Whether it ended before.
    fn kill(&mut self, text: &str, at: Result<Duration, usize>) -> bool {
        let begun = Instant::now();
        let mut child = self.start(text);
        let reached = || match at {
            Ok(moment) => begun.elapsed() >= moment,
            Err(writes) => self.notes.lock().unwrap().len() >= writes,
        };
        while !reached() {
            if let Some(status) = child.try_wait().unwrap() {
                assert!(status.success(), "an apply that nobody killed");
                return true;
            }
            thread::sleep(Duration::from_micros(20));
        }
        child.kill().unwrap();
        child.wait().unwrap().success()
    }
}

fn a_driver_is_killed<G: Gateway + Send + 'static>(gateway: G, kills: u64) {
    let kills = env::var("KILLS").map_or(kills, |text| text.parse().expect("a number"));
    let mut random = Random::new();
    let mut rig = Rig::new(gateway);
    let mut old = configs::random(&mut random, FLOWS, SETTINGS);
    rig.apply(&old);
    assert_eq!(rig.runs().but(&configured(&old)), "");
    let mut last = {
        old = configs::random(&mut random, FLOWS, SETTINGS);
        rig.apply(&old)
    };
    assert_eq!(rig.runs().but(&configured(&old)), "");
    let mut ended = [0; 3];
    // Those that come too late do not count.
    while ended[0] + ended[1] < kills {
        let kill = ended.iter().sum::<u64>();
        assert!(kill < 9 + 4 * kills, "the kills come too late: {ended:?}");
        let new = configs::random(&mut random, FLOWS, SETTINGS);
        let (before, after) = (configured(&old), configured(&new));
        let (writes, took) = last;
        // A third by the clock; a third by writes; a third among the last of them, where the commit is.
        let at = match kill % 3 {
            0 => Ok(took.mul_f64(random.below(1000) as f64 / 1000.0)),
            1 => Err(random.below(writes as u64) as usize),
            _ => Err(writes.saturating_sub(random.below(600) as usize)),
        };
        let whole = rig.kill(&new, at);
        let runs = rig.runs();
        let (is_old, is_new) = (runs == before, runs == after);
        let neither = || format!("not the old one:\n{}\nnor the new one:\n{}", runs.but(&before), runs.but(&after));
        assert!(is_new || is_old && !whole, "kill {kill} at {at:?} of {last:?}, ended {whole}: {}", neither());
        ended[if whole { 2 } else { usize::from(is_new) }] += 1;
        let next = if random.below(2) == 0 { new } else { configs::random(&mut random, FLOWS, SETTINGS) };
        // The next one takes as long as another only when it finds all to be done.
        let done = rig.apply(&next);
        last = if done.0 * 2 > writes { done } else { last };
        assert_eq!(rig.runs().but(&configured(&next)), "", "kill {kill}: the next apply");
        old = next;
    }
    let [before, after, whole] = ended;
    println!("{kills} kills: the old configuration ran after {before}, the new one after {after}; {whole} more came too late");
    assert!(kills < 20 || before > 0 && after > 0, "the kills are spread: {ended:?}");
}

#[test]
fn a_process_killed_leaves_the_whole_old_or_the_whole_new_configuration() {
    a_driver_is_killed(model().0, 24);
}

#[test]
fn a_process_killed_leaves_the_whole_old_or_the_whole_new_configuration_on_gates() {
    a_driver_is_killed(RtlGateway::new(), 4);
}
