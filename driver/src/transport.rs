//! How a device is reached: reads and writes in its BARs, and its interrupt.
//!
//! A word is 32 bits, as on the core's bus. A number of 64 bits is two words, the low one first: that is the order which
//! latches counters and puts settings into force, and bridges from PCI Express to AXI4-Lite take one word at a time.

use crate::error::Result;
use std::time::{Duration, Instant};

/// A byte in a BAR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct At {
    /// BAR.
    pub bar: u8,
    /// Byte.
    pub offset: u64,
}

impl At {
    /// So many bytes further.
    pub fn plus(self, bytes: u64) -> At {
        At { offset: self.offset + bytes, ..self }
    }
}

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BAR{} offset {:#x}", self.bar, self.offset)
    }
}

/// A device, however it is reached. Every call returns before a deadline of the transport's own.
pub trait Transport {
    /// The device, as a user names it.
    fn name(&self) -> String;

    /// Size of a BAR that may be accessed, bytes; 0: there is none.
    fn bar_bytes(&self, bar: u8) -> u64;

    /// Reads a word. All ones is what a device that is gone reads.
    fn read32(&mut self, at: At) -> Result<u32>;

    /// Writes a word. May be posted: a read flushes it.
    fn write32(&mut self, at: At, word: u32) -> Result<()>;

    /// Reads two words, the low one first.
    fn read64(&mut self, at: At) -> Result<u64> {
        let low = self.read32(at)?;
        let high = self.read32(at.plus(WORD_BYTES))?;
        Ok(matchrdma_spec::regs::law::number(low, high))
    }

    /// Writes two words, the low one first.
    fn write64(&mut self, at: At, value: u64) -> Result<()> {
        self.write_block(at, &matchrdma_spec::regs::law::words(value))
    }

    /// Reads words that follow one another.
    fn read_block(&mut self, at: At, words: &mut [u32]) -> Result<()> {
        for (word, offset) in words.iter_mut().zip((0..).step_by(WORD_BYTES as usize)) {
            *word = self.read32(at.plus(offset))?;
        }
        Ok(())
    }

    /// Writes words that follow one another, in address order.
    fn write_block(&mut self, at: At, words: &[u32]) -> Result<()> {
        let offsets = (0..).step_by(WORD_BYTES as usize);
        words.iter().zip(offsets).try_for_each(|(word, offset)| self.write32(at.plus(offset), *word))
    }

    /// Waits for the device's interrupt; false at the deadline.
    fn interrupt(&mut self, deadline: Instant) -> Result<bool>;

    /// How long a wait for the device may take: a simulated one is slower than any real one.
    fn patience(&self) -> Duration {
        Duration::from_secs(5)
    }
}

/// Bytes of a word.
pub const WORD_BYTES: u64 = u32::BITS as u64 / 8;

macro_rules! passed_on {
    ($($of:ty),+) => {$(
        impl<T: Transport + ?Sized> Transport for $of {
            fn name(&self) -> String {
                (**self).name()
            }
            fn bar_bytes(&self, bar: u8) -> u64 {
                (**self).bar_bytes(bar)
            }
            fn read32(&mut self, at: At) -> Result<u32> {
                (**self).read32(at)
            }
            fn write32(&mut self, at: At, word: u32) -> Result<()> {
                (**self).write32(at, word)
            }
            fn read64(&mut self, at: At) -> Result<u64> {
                (**self).read64(at)
            }
            fn write64(&mut self, at: At, value: u64) -> Result<()> {
                (**self).write64(at, value)
            }
            fn read_block(&mut self, at: At, words: &mut [u32]) -> Result<()> {
                (**self).read_block(at, words)
            }
            fn write_block(&mut self, at: At, words: &[u32]) -> Result<()> {
                (**self).write_block(at, words)
            }
            fn interrupt(&mut self, deadline: Instant) -> Result<bool> {
                (**self).interrupt(deadline)
            }
            fn patience(&self) -> Duration {
                (**self).patience()
            }
        }
    )+};
}
passed_on!(&mut T, Box<T>);
