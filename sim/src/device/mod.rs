//! `matchrdma-sim device`: a gateway as a PCI device that is not there. Its function is behind a vfio-user socket, its two
//! wire ports behind a socket each; a driver cannot tell it from a card but by its speed. `docs/device.md` is for users.
//!
//! One thread runs the [`core`], one serves the [`function`], two each serve a [`wire`] port. [`served`] is all of
//! it in threads of a process that needs a device for a while.

pub mod config;
pub mod core;
pub mod function;
pub mod served;
pub mod vector;
pub mod wire;

use self::core::{Machine, Tally};
use crate::cli::Done;
use crate::engine::Gateway;
use crate::run::Engine;
use function::{interrupts, regions, Function};
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread;
use vector::Vector;

/// Serves a gateway as a PCI device over vfio-user, with its two ports as sockets, until it is interrupted
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: matchrdma-sim device --socket /run/gw.sock --client /run/gw-client.sock --line /run/gw-line.sock"
)]
pub struct Args {
    /// Socket of the PCI function, made here; `matchrdma --device vfio-user:SOCKET` and QEMU's vfio-user-pci connect to it
    #[arg(long, value_name = "SOCKET")]
    socket: PathBuf,
    /// Socket of the client port, made here; QEMU's `-netdev stream` connects to it
    #[arg(long, value_name = "SOCKET")]
    client: PathBuf,
    /// Socket of the line port, made here
    #[arg(long, value_name = "SOCKET")]
    line: PathBuf,
    /// What the gateway is made of; the model tells no events
    #[arg(long, value_enum, default_value = "rtl")]
    engine: Engine,
    /// Print what happened as JSON on stdout at the end
    #[arg(long)]
    json: bool,
}

/// A listening socket; its file goes with it.
struct Listening {
    listener: UnixListener,
    file: SocketFile,
}

struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Listens. A socket that nobody serves any more, left behind by a process that was killed, is replaced.
fn listen(path: &Path) -> Done<Listening> {
    let failed = |found: String| format!("listening on {}: {found}", path.display());
    let socket = fs::symlink_metadata(path).is_ok_and(|m| m.file_type().is_socket());
    if socket {
        match UnixStream::connect(path) {
            Err(e) if e.kind() == ErrorKind::ConnectionRefused => {
                fs::remove_file(path).map_err(|e| failed(format!("nobody serves it, and removing it failed: {e}")))?;
            }
            _ => return Err(failed("another process serves it; end that one or choose another path".into())),
        }
    }
    let listener = UnixListener::bind(path).map_err(|e| {
        failed(match e.kind() {
            ErrorKind::AddrInUse => "a file that is not a socket is there; choose another path".into(),
            _ => e.to_string(),
        })
    })?;
    Ok(Listening { listener, file: SocketFile(path.to_path_buf()) })
}

/// A device whose sockets are there. Whoever connects waits until it runs.
pub struct Device {
    machine: Machine,
    _files: [SocketFile; 3],
}

impl Device {
    /// Makes the sockets of the function and of both ports. The calling thread must also [`Device::run`] it.
    pub fn new(engine: Engine, socket: &Path, client: &Path, line: &Path) -> Done<Self> {
        Self::of(engine.gateway(), socket, client, line)
    }

    /// The same for a gateway that is there already.
    pub fn of(gateway: Box<dyn Gateway>, socket: &Path, client: &Path, line: &Path) -> Done<Self> {
        let [socket, client, line] = [listen(socket)?, listen(client)?, listen(line)?];
        let vector = Vector::default();
        let port = |listening, name| wire::open(listening, name, thread::current());
        let (client_end, line_end) = (port(client.listener, "client"), port(line.listener, "line"));
        let (machine, bus) = Machine::new(gateway, client_end, line_end, vector.clone());
        let function = Function::new(bus, vector);
        thread::spawn(|| serve(socket.listener, function));
        Ok(Device { machine, _files: [socket.file, client.file, line.file] })
    }

    /// Runs it until `stop` is set and this thread is unparked.
    pub fn run(self, stop: &AtomicBool) -> Tally {
        self.machine.run(stop)
    }
}

/// Serves one client after another.
fn serve(listener: UnixListener, mut function: Function) {
    let server = vfio_user::Server::from_owned_fd(listener.into(), true, interrupts(), regions());
    loop {
        // A client that breaks the protocol loses its own connection and no more.
        let served = catch_unwind(AssertUnwindSafe(|| server.run(&mut function)));
        function.deserted();
        match served {
            Ok(Err(vfio_user::Error::SocketAccept(e))) => return eprintln!("device: no more clients: {e}"),
            Ok(Err(e)) => eprintln!("device: the client broke off: {e}"),
            Err(_) => eprintln!("device: the client broke the protocol"),
            Ok(Ok(())) => {}
        }
    }
}

/// Does it.
pub fn run(args: &Args) -> Done {
    let stop = Arc::new(AtomicBool::new(false));
    let (flag, core) = (stop.clone(), thread::current());
    let handler = move || {
        flag.store(true, Ordering::Relaxed);
        core.unpark();
    };
    ctrlc::set_handler(handler).map_err(|e| format!("taking signals: {e}"))?;
    let device = Device::new(args.engine, &args.socket, &args.client, &args.line)?;
    let [socket, client, line] = [&args.socket, &args.client, &args.line].map(|p| p.display().to_string());
    eprintln!("device: function at vfio-user:{socket}, client port at {client}, line port at {line}; ctrl-c ends it");
    let tally = device.run(&stop);
    let (c, w, r) = (tally.cycles, tally.writes, tally.reads);
    if args.json {
        println!("{}", serde_json::to_string(&tally).expect("numbers"));
    } else {
        eprintln!("device: ended after {c} cycles, {r} register reads, {w} writes, {} interrupts", tally.interrupts);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
