//! The programs as a user runs them: the driver's binary, and the simulated device's, each a process of its own.

use matchrdma::core::Core;
use matchrdma::vfio_user::VfioUser;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};
use tempfile::TempDir;

/// Longer than anything here takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A process that ends with the test.
pub struct Process(pub Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The device, and the folder of its host. The name of its socket has all that a text for others must escape.
pub struct Rig {
    _device: Process,
    folder: TempDir,
}

const SOCKET: &str = "a \"gateway\" \\ of\nours";

impl Rig {
    /// A device out of reset; the golden model, which is faster than gates.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_matchrdma-sim-process"));
        command.arg("device").current_dir(&folder).args(["--engine", "model"]);
        command.args(["--socket", SOCKET, "--client", "client", "--line", "line"]).stderr(Stdio::null());
        let device = Process(command.spawn().unwrap());
        let begun = Instant::now();
        // The last that it makes.
        while !folder.path().join("line").exists() {
            assert!(begun.elapsed() < PATIENCE, "the device does not start");
            thread::sleep(Duration::from_millis(5));
        }
        Rig { _device: device, folder }
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join(SOCKET)
    }

    /// How a user names the device.
    pub fn device(&self) -> String {
        format!("vfio-user:{}", self.socket().display())
    }

    /// A port of the device. What leaves before the device has taken the connection is lost, so that is waited for.
    pub fn port(&self, name: &str) -> UnixStream {
        let stream = UnixStream::connect(self.folder.path().join(name)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        thread::sleep(Duration::from_millis(300));
        stream
    }

    /// The driver, about to be started.
    pub fn driver(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_matchrdma-process"));
        command.args(arguments).args(["--device", &self.device()]).arg("--records").arg(self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the driver; what it wrote to stdout.
    pub fn run(&self, arguments: &[&str]) -> String {
        let Output { status, stdout, stderr } = self.driver(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&stderr);
        assert!(status.success(), "{arguments:?}: {status}: {said}");
        String::from_utf8(stdout).unwrap()
    }

    /// A configuration as a file.
    pub fn config(&self, text: &str) -> String {
        let path = self.folder.path().join("config.toml");
        fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// The core, for this process.
    pub fn core(&self) -> Core<VfioUser> {
        Core::find(VfioUser::connect(&self.socket()).unwrap()).unwrap()
    }
}
