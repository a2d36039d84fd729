//! A wire port as a unix stream socket: each frame behind its length, 4 bytes, big-endian. QEMU's `-netdev stream` speaks
//! it. One peer at a time; while there is none, what leaves is lost, as on a fibre that ends nowhere.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::mpsc::{self, TrySendError};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, Thread};

/// Longest frame that a length may announce: more than any port takes, and what no network stack sends.
pub const FRAME_BYTES_MAX: usize = 0xffff;
/// Frames that wait on the way in, and on the way out: more, and who sends them waits.
const FRAMES: usize = 64;

/// The port's side of a socket.
pub struct End {
    /// Frames that came.
    pub arrived: mpsc::Receiver<Vec<u8>>,
    leaving: mpsc::SyncSender<Vec<u8>>,
}

impl End {
    /// A frame leaves; it comes back when the peer does not keep up.
    pub fn leave(&self, frame: Vec<u8>) -> Option<Vec<u8>> {
        match self.leaving.try_send(frame) {
            Err(TrySendError::Full(frame)) => Some(frame),
            _ => None,
        }
    }
}

#[derive(Clone, Default)]
struct Peer(Arc<Mutex<Option<UnixStream>>>);

impl Peer {
    fn stream(&self) -> MutexGuard<'_, Option<UnixStream>> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }
}

/// Writes a frame behind its length.
pub fn write_frame(to: &mut impl Write, frame: &[u8]) -> io::Result<()> {
    let mut all = (frame.len() as u32).to_be_bytes().to_vec();
    all.extend_from_slice(frame);
    to.write_all(&all)
}

/// Reads the next frame; `None` at the end of the stream.
pub fn read_frame(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let length = u32::from_be_bytes(length) as usize;
    if length == 0 || length > FRAME_BYTES_MAX {
        let why = format!("a frame of {length} bytes: expected 1 to {FRAME_BYTES_MAX} behind 4 bytes of length");
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    let mut frame = vec![0; length];
    from.read_exact(&mut frame)?;
    Ok(Some(frame))
}

/// Serves a port's socket. `core` is woken with each frame.
pub fn open(listener: UnixListener, name: &'static str, core: Thread) -> End {
    let (to_core, arrived) = mpsc::sync_channel(FRAMES);
    let (leaving, from_core) = mpsc::sync_channel::<Vec<u8>>(FRAMES);
    let peer = Peer::default();
    let writer = peer.clone();
    thread::spawn(move || {
        for frame in from_core {
            let mut stream = writer.stream();
            let failed = stream.as_mut().is_some_and(|stream| write_frame(stream, &frame).is_err());
            if failed {
                *stream = None;
            }
        }
    });
    thread::spawn(move || {
        for stream in listener.incoming() {
            let served = stream.and_then(|stream| serve(stream, &peer, &to_core, &core));
            *peer.stream() = None;
            if let Err(e) = served {
                eprintln!("device: {name} port: {e}; its peer was disconnected");
            }
        }
    });
    End { arrived, leaving }
}

fn serve(mut stream: UnixStream, peer: &Peer, to_core: &mpsc::SyncSender<Vec<u8>>, core: &Thread) -> io::Result<()> {
    *peer.stream() = Some(stream.try_clone()?);
    let read = loop {
        match read_frame(&mut stream) {
            Ok(Some(frame)) => {
                // A core that is gone takes nothing, and the process ends.
                let _ = to_core.send(frame);
                core.unpark();
            }
            Ok(None) => break Ok(()),
            Err(e) => break Err(e),
        }
    };
    // Who writes to it stops, too.
    let _ = stream.shutdown(Shutdown::Both);
    read
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_stands_behind_its_length() {
        let mut bytes = vec![];
        write_frame(&mut bytes, &[7; 300]).unwrap();
        assert_eq!(bytes[..5], [0, 0, 1, 44, 7]);
        write_frame(&mut bytes, &[8]).unwrap();
        let mut from = &bytes[..];
        assert_eq!(read_frame(&mut from).unwrap(), Some(vec![7; 300]));
        assert_eq!(read_frame(&mut from).unwrap(), Some(vec![8]));
        assert_eq!(read_frame(&mut from).unwrap(), None);
    }

    #[test]
    fn a_length_that_cannot_be_is_an_error_and_so_is_half_a_frame() {
        assert!(read_frame(&mut &[0, 0, 0, 0][..]).unwrap_err().to_string().contains("a frame of 0 bytes"));
        assert!(read_frame(&mut &[0, 1, 0, 0, 1][..]).unwrap_err().to_string().contains("65536"));
        assert_eq!(read_frame(&mut &[0, 0, 0, 2, 1][..]).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
