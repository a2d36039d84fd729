//! A simulated device, through a socket that speaks vfio-user.
//!
//! The client of the protocol waits for ever for an answer, so it has a thread of its own, and who asks it waits with a
//! deadline. A device that misses one is not asked again.

use crate::error::{Error, Kind, Result};
use crate::interrupt::Line;
use crate::transport::{At, Transport, WORD_BYTES};
use matchrdma_spec::pci::{self, COMMAND_MASTER, COMMAND_MEMORY, COMMAND_OFFSET, MSIX_CORE};
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::time::{Duration, Instant};
use vfio_bindings::bindings::vfio::*;
use vfio_user::Client;

/// How long an answer may take. A simulated device answers in microseconds, but its machine may be busy.
const PATIENCE: Duration = Duration::from_secs(60);
/// Words of one message at most.
const MESSAGE_WORDS: usize = 1024;

enum Ask {
    Read { region: u32, offset: u64, bytes: usize },
    Write { region: u32, offset: u64, bytes: Vec<u8> },
    Interrupt(RawFd),
}

type Answer = std::result::Result<Vec<u8>, String>;

/// A device behind a socket.
pub struct VfioUser {
    socket: PathBuf,
    bars: Vec<u64>,
    ask: Sender<Ask>,
    answer: Receiver<Answer>,
    line: Option<Line>,
    /// It missed a deadline, or the socket is closed.
    lost: bool,
}

impl VfioUser {
    /// Connects to a device that listens.
    pub fn connect(socket: &Path) -> Result<Self> {
        let (ask, asked) = channel();
        let (answered, answer) = channel();
        let (said, opened) = channel();
        let path = socket.to_owned();
        std::thread::spawn(move || match Client::new(&path) {
            Ok(client) => {
                let size = |bar| client.region(VFIO_PCI_BAR0_REGION_INDEX + bar).map_or(0, |region| region.size);
                let bars = (0..VFIO_PCI_ROM_REGION_INDEX - VFIO_PCI_BAR0_REGION_INDEX).map(size).collect();
                let _ = said.send(Ok(bars));
                serve(client, &asked, &answered);
            }
            Err(error) => drop(said.send(Err(error.to_string()))),
        });
        let failed = |found: String| {
            let error = Error::new(Kind::Device, "connecting to the vfio-user device").at(socket.display().to_string());
            error.but("a device that listens", found).so("start it first: matchrdma-sim device --socket PATH ...")
        };
        let opened = opened.recv_timeout(PATIENCE).map_err(|_| failed(format!("no answer in {PATIENCE:?}")))?;
        let bars: Vec<u64> = opened.map_err(failed)?;
        let mut device = VfioUser { socket: socket.into(), bars, ask, answer, line: None, lost: false };
        let word = device.asked(read(VFIO_PCI_CONFIG_REGION_INDEX, COMMAND_OFFSET, size_of::<u16>()))?;
        let word = u16::from_le_bytes(word.try_into().unwrap_or_default()) | COMMAND_MASTER | COMMAND_MEMORY;
        device.asked(write(VFIO_PCI_CONFIG_REGION_INDEX, COMMAND_OFFSET, word.to_le_bytes().into()))?;
        Ok(device)
    }

    fn asked(&mut self, ask: Ask) -> Result<Vec<u8>> {
        let gone = |found: String| {
            let error = Error::new(Kind::Gone, "asking the vfio-user device").at(self.socket.display().to_string());
            error.but("an answer", found).so("look at the device's own messages, and start it again")
        };
        if self.lost {
            return Err(gone("it is gone".into()));
        }
        let sent = self.ask.send(ask).map_err(|_| "the connection ended".to_owned());
        let answer = sent.and_then(|()| match self.answer.recv_timeout(PATIENCE) {
            Ok(answer) => answer,
            Err(_) => Err(format!("none in {PATIENCE:?}, or the connection ended")),
        });
        answer.map_err(|found| {
            let error = gone(found);
            self.lost = true;
            error
        })
    }
}

fn read(region: u32, offset: u64, bytes: usize) -> Ask {
    Ask::Read { region, offset, bytes }
}

fn write(region: u32, offset: u64, bytes: Vec<u8>) -> Ask {
    Ask::Write { region, offset, bytes }
}

/// Asks the device, as long as somebody asks.
fn serve(mut client: Client, asked: &Receiver<Ask>, answered: &Sender<Answer>) {
    while let Ok(ask) = asked.recv() {
        let answer = match ask {
            Ask::Read { region, offset, bytes } => {
                let mut data = vec![0; bytes];
                client.region_read(region, offset, &mut data).map(|()| data)
            }
            Ask::Write { region, offset, bytes } => client.region_write(region, offset, &bytes).map(|()| vec![]),
            Ask::Interrupt(descriptor) => {
                let flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
                let first = MSIX_CORE.into();
                client.set_irqs(VFIO_PCI_MSIX_IRQ_INDEX, flags, first, 1, &[descriptor]).map(|()| vec![])
            }
        };
        if answered.send(answer.map_err(|error| error.to_string())).is_err() {
            break;
        }
    }
    let _ = client.shutdown();
}

impl Transport for VfioUser {
    fn name(&self) -> String {
        format!("vfio-user:{}", self.socket.display())
    }

    fn bar_bytes(&self, bar: u8) -> u64 {
        self.bars.get(usize::from(bar)).copied().unwrap_or(0)
    }

    fn read32(&mut self, at: At) -> Result<u32> {
        let mut word = [pci::NOBODY];
        self.read_block(at, &mut word)?;
        Ok(word[0])
    }

    fn write32(&mut self, at: At, word: u32) -> Result<()> {
        self.write_block(at, &[word])
    }

    fn read_block(&mut self, at: At, words: &mut [u32]) -> Result<()> {
        let mut at = at;
        for part in words.chunks_mut(MESSAGE_WORDS) {
            let bytes = self.asked(read(at.bar.into(), at.offset, size_of_val(part)))?;
            for (word, bytes) in part.iter_mut().zip(bytes.as_chunks().0) {
                *word = u32::from_le_bytes(*bytes);
            }
            at = at.plus(WORD_BYTES * part.len() as u64);
        }
        Ok(())
    }

    fn write_block(&mut self, at: At, words: &[u32]) -> Result<()> {
        let mut at = at;
        for part in words.chunks(MESSAGE_WORDS) {
            let bytes = part.iter().flat_map(|word| word.to_le_bytes()).collect();
            self.asked(write(at.bar.into(), at.offset, bytes))?;
            at = at.plus(WORD_BYTES * part.len() as u64);
        }
        Ok(())
    }

    fn interrupt(&mut self, deadline: Instant) -> Result<bool> {
        if self.line.is_none() {
            let line = Line::new()?;
            self.asked(Ask::Interrupt(line.descriptor()))?;
            self.line = Some(line);
        }
        self.line.as_ref().map_or(Ok(false), |line| line.wait(deadline))
    }

    fn patience(&self) -> Duration {
        PATIENCE
    }
}
