//! Processes that end with this one, also when it is told to end: SIGINT, SIGTERM or SIGHUP. Not with a SIGKILL of it.

use crate::run::{Done, Failure};
use std::io::Result;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// All that run.
static RUNNING: Mutex<Vec<Arc<Mutex<Child>>>> = Mutex::new(Vec::new());
/// Exit status of a program that was told to end.
const TOLD_TO_END: i32 = 130;
/// Between two looks at a process.
const NAP: Duration = Duration::from_millis(20);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on, who tells this process to end ends what it has started first. Once in a process.
pub fn with_us() -> Done {
    let end = || {
        // The lock is kept: nothing is started any more.
        let running = locked(&RUNNING);
        running.iter().for_each(|child| kill(child));
        std::process::exit(TOLD_TO_END);
    };
    ctrlc::set_handler(end).map_err(|e| Failure::new("asking to be told of signals", e.to_string(), ""))
}

fn kill(child: &Mutex<Child>) {
    let mut child = locked(child);
    let _ = child.kill();
    let _ = child.wait();
}

/// A process that ends with its owner.
pub struct Ends(Arc<Mutex<Child>>);

impl Ends {
    /// Starts it.
    pub fn start(command: &mut Command) -> Result<Self> {
        let mut running = locked(&RUNNING);
        let child = Arc::new(Mutex::new(command.spawn()?));
        running.push(child.clone());
        Ok(Ends(child))
    }

    /// How it ended, if it has.
    pub fn ended(&self) -> Result<Option<ExitStatus>> {
        locked(&self.0).try_wait()
    }

    /// Waits until it has ended.
    pub fn wait(&self) -> Result<ExitStatus> {
        loop {
            if let Some(status) = self.ended()? {
                return Ok(status);
            }
            thread::sleep(NAP);
        }
    }

    /// What it writes, once.
    pub fn pipes(&self) -> (Option<ChildStdout>, Option<ChildStderr>) {
        let mut child = locked(&self.0);
        (child.stdout.take(), child.stderr.take())
    }
}

impl Drop for Ends {
    fn drop(&mut self) {
        locked(&RUNNING).retain(|child| !Arc::ptr_eq(child, &self.0));
        kill(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::path::PathBuf;
    use std::process::Stdio;
    use std::time::Instant;

    /// Owns a process that runs for long, and says which.
    #[test]
    #[ignore = "a process of the other test"]
    fn an_owner() {
        with_us().unwrap();
        let child = Ends::start(Command::new("sleep").arg("600")).unwrap();
        println!("\nowned {}", locked(&child.0).id());
        child.wait().unwrap();
    }

    #[test]
    fn who_is_told_to_end_ends_what_it_started() {
        for signal in ["TERM", "INT", "HUP"] {
            let mut owner = Command::new(std::env::current_exe().unwrap());
            owner.args(["--exact", "vm::ends::tests::an_owner", "--ignored", "--nocapture"]);
            let owner = Ends::start(owner.stdout(Stdio::piped())).unwrap();
            let said = BufReader::new(owner.pipes().0.unwrap()).lines().map_while(Result::ok);
            let owned = said.into_iter().find_map(|line| Some(line.strip_prefix("owned ")?.to_owned())).unwrap();
            let process = PathBuf::from("/proc").join(&owned);
            assert!(process.exists());
            let id = locked(&owner.0).id().to_string();
            assert!(Command::new("kill").args([&format!("-{signal}"), &id]).status().unwrap().success());
            let begun = Instant::now();
            let status = loop {
                if let Some(status) = owner.ended().unwrap() {
                    break status;
                }
                assert!(begun.elapsed() < Duration::from_secs(60), "SIG{signal}: it goes on");
                thread::sleep(NAP);
            };
            assert_eq!(status.code(), Some(TOLD_TO_END), "SIG{signal}");
            assert!(!process.exists(), "SIG{signal}: {owned} goes on");
        }
    }
}
