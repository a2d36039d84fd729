//! One run: the simulated device in its own process, and the guest that finds it on its PCI bus.

use super::archive::Files;
use super::ends::{with_us, Ends};
use super::guest::{self, Outcome, Said};
use super::traffic;
use crate::run::{Done, Failure};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Names of the sockets, in the folder of the run: the names of sockets must be short.
pub const SOCKET: &str = "gw.sock";
const CLIENT: &str = "client.sock";
const LINE: &str = "line.sock";
/// A device that does not listen by then does not start.
const DEVICE_STARTS: Duration = Duration::from_secs(60);
/// A guest that is silent for so long hangs, also on a busy machine.
const SILENCE: Duration = Duration::from_secs(600);
/// How long the device may take to answer, ms: QEMU gives a device up for good after one late answer.
const ANSWER_MS: u32 = 60_000;

fn failed(what: &str, why: impl ToString) -> Failure {
    Failure::new(what, why.to_string(), "")
}

/// Starts the device and waits until it listens.
fn device(program: &Path, folder: &Path) -> Done<Ends> {
    let log = fs::File::create(folder.join("device.log")).map_err(|e| failed("making device.log", e))?;
    let mut command = Command::new(program);
    command.args(["device", "--socket", SOCKET, "--client", CLIENT, "--line", LINE]);
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    let device = Ends::start(&mut command).map_err(|e| failed("starting the simulated device", e))?;
    let begun = Instant::now();
    while !folder.join(SOCKET).exists() {
        if let Ok(Some(status)) = device.ended() {
            let said = fs::read_to_string(folder.join("device.log")).unwrap_or_default();
            return Err(failed("the simulated device", format!("it ended at once ({status}): {}", said.trim())));
        }
        if begun.elapsed() > DEVICE_STARTS {
            return Err(failed("the simulated device", format!("no socket after {} s", DEVICE_STARTS.as_secs())));
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(device)
}

/// QEMU's arguments. Not KVM, which some machines offer and cannot do; one processor, since two have hung a boot; the
/// guest's memory shared, as vfio-user asks; the IOMMU before the device it stands before.
fn guest(files: &Files, kernel: &Path, folder: &Path) -> Command {
    let device = serde_json::json!({
        "driver": "vfio-user-pci",
        "socket": { "type": "unix", "path": SOCKET },
        "x-msg-timeout": ANSWER_MS,
    });
    let mut command = files.qemu();
    command.args(["-accel", "tcg", "-cpu", "max", "-smp", "1", "-m", "512"]);
    command.args(["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-serial", "stdio"]);
    command.args(["-object", "memory-backend-memfd,id=mem,size=512M,share=on"]);
    command.args(["-machine", "q35,memory-backend=mem,kernel-irqchip=split"]);
    command.args(["-device", "intel-iommu,intremap=on,caching-mode=on"]);
    command.args(["-device", &device.to_string()]);
    command.arg("-kernel").arg(kernel).args(["-initrd", "guest.img"]);
    command.args(["-append", "console=ttyS0 intel_iommu=on panic=-1 no_timer_check quiet"]);
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the guest against the device, and gives what each of its steps did. `folder` holds `guest.img`.
pub fn run(files: &Files, kernel: &Path, simulator: &Path, folder: &Path) -> Done<Vec<Outcome>> {
    for socket in [SOCKET, CLIENT, LINE] {
        let _ = fs::remove_file(folder.join(socket));
    }
    with_us()?;
    let _device = device(simulator, folder)?;
    let started = Ends::start(&mut guest(files, kernel, folder));
    let qemu = started.map_err(|e| failed("starting QEMU", e))?;
    let (console, errors) = qemu.pipes();
    let mut log = fs::File::create(folder.join("guest.log")).map_err(|e| failed("making guest.log", e))?;
    let (to_us, lines) = mpsc::channel();
    if let Some(console) = console {
        thread::spawn(move || {
            let mut console = BufReader::new(console);
            let mut line = Vec::new();
            while console.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
                let text = String::from_utf8_lossy(&line).trim_end().to_string();
                if to_us.send(text).is_err() {
                    return;
                }
                line.clear();
            }
        });
    }
    let mut reader = guest::Reader::default();
    loop {
        match lines.recv_timeout(SILENCE) {
            Ok(line) => {
                let _ = writeln!(log, "{line}");
                match reader.line(&line) {
                    Said::Nothing => {}
                    Said::News(text) => println!("vm-test: {text}"),
                    Said::Traffic => {
                        println!("vm-test: traffic: {}", traffic::play(&folder.join(CLIENT), &folder.join(LINE))?);
                    }
                }
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                let why = format!("it was silent for {} s{}", SILENCE.as_secs(), reader.within());
                return Err(Failure::new("the guest", why, format!("less {}/guest.log", folder.display())));
            }
        }
    }
    let status = qemu.wait().map_err(|e| failed("QEMU", e))?;
    if !reader.finished() {
        let said = errors.map(|e| BufReader::new(e).lines().map_while(Result::ok).collect::<Vec<_>>());
        let said = said.unwrap_or_default().join("; ");
        let why = format!("it ended ({status}) before its last step{}; QEMU said: {said}", reader.within());
        return Err(Failure::new("the guest", why, format!("less {}/guest.log", folder.display())));
    }
    Ok(reader.outcomes())
}
