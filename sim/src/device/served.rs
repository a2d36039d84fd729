//! A device in a thread of this process, its sockets in a folder of its own: for whoever needs one for a while.

use super::core::Tally;
use super::Device;
use crate::cli::Done;
use crate::engine::Gateway;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{mpsc, Arc};
use std::thread::{self, JoinHandle};
use tempfile::TempDir;

/// The device; it ends when this goes.
pub struct Served {
    folder: TempDir,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Tally>>,
}

impl Served {
    /// Serves a gateway from now on.
    pub fn new(gateway: Box<dyn Gateway + Send>) -> Done<Self> {
        let folder = tempfile::tempdir().map_err(|e| format!("making a folder for sockets: {e}"))?;
        let stop = Arc::new(AtomicBool::new(false));
        let [socket, client, line] = ["socket", "client", "line"].map(|name| folder.path().join(name));
        let (ready, is_ready) = mpsc::channel();
        let flag = stop.clone();
        let thread = thread::spawn(move || {
            let device = match Device::of(gateway, &socket, &client, &line) {
                Ok(device) => device,
                Err(why) => {
                    let _ = ready.send(Err(why));
                    return Tally::default();
                }
            };
            let _ = ready.send(Ok(()));
            device.run(&flag)
        });
        is_ready.recv().map_err(|e| e.to_string())??;
        Ok(Served { folder, stop, thread: Some(thread) })
    }

    /// Where one of its sockets is: `socket` of the function, `client` and `line` of the ports.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Ends it.
    pub fn end(mut self) -> Tally {
        self.join()
    }

    fn join(&mut self) -> Tally {
        self.stop.store(true, Ordering::Relaxed);
        let Some(thread) = self.thread.take() else { return Tally::default() };
        thread.thread().unpark();
        thread.join().unwrap_or_else(|panic| match thread::panicking() {
            true => Tally::default(),
            false => std::panic::resume_unwind(panic),
        })
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.join();
    }
}
