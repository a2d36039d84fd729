//! What a gateway is to a simulator: two ports each way, one beat per cycle, and registers.

use matchrdma::tables::Mirror;
use matchrdma_spec::params::BEAT_BYTES;
use std::fmt;

/// One beat of a frame. Byte 0 of the frame is `data[0]` of its first beat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    /// The bytes; those from `bytes` on are zero.
    pub data: [u8; BEAT_BYTES],
    /// How many of them are of the frame: all but in the last beat.
    pub bytes: u8,
    /// Ends the frame.
    pub last: bool,
    /// The MAC found an error.
    pub err: bool,
}

/// The beats of a frame, in order.
pub fn beats(frame: &[u8]) -> impl Iterator<Item = Beat> + '_ {
    let count = frame.len().div_ceil(BEAT_BYTES);
    frame.chunks(BEAT_BYTES).enumerate().map(move |(i, chunk)| {
        let mut data = [0; BEAT_BYTES];
        data[..chunk.len()].copy_from_slice(chunk);
        Beat { data, bytes: chunk.len() as u8, last: i + 1 == count, err: false }
    })
}

/// What left the gateway in one cycle: a beat is here only if its port was ready.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tick {
    /// On the client port.
    pub client_tx: Option<Beat>,
    /// On the line port.
    pub line_tx: Option<Beat>,
}

/// A register access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Of this byte address.
    Read(u16),
    /// To this byte address, of all four bytes.
    Write(u16, u32),
}

/// A register access that was answered with an error, or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusError {
    /// Byte address.
    pub addr: u16,
    /// It was a write.
    pub write: bool,
    /// What came back.
    pub found: String,
}

impl fmt::Display for BusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.write { "write" } else { "read" };
        write!(f, "register {what} at {:#06x}: expected OKAY, found {}", self.addr, self.found)
    }
}

impl std::error::Error for BusError {}

/// A gateway under simulation.
pub trait Gateway {
    /// One clock cycle. A receive port takes what it is given (a MAC cannot wait); a transmit port gives a beat only
    /// while it is ready.
    fn tick(&mut self, client_rx: Option<&Beat>, line_rx: Option<&Beat>, client_ready: bool, line_ready: bool) -> Tick;

    /// Writes a register. Takes some cycles, in which nothing is received and nothing leaves.
    fn write(&mut self, addr: u16, value: u32) -> Result<(), BusError>;

    /// Reads a register. Takes some cycles, in which nothing is received and nothing leaves.
    fn read(&mut self, addr: u16) -> Result<u32, BusError>;

    /// Begins a register access that goes on beside the traffic, a cycle of it with each [`Gateway::tick`]. One at a time,
    /// but see [`Gateway::takes_a_write`].
    fn begin(&mut self, access: Access);

    /// Whether a write may begin though the write before it has not been answered. Answers come in order.
    fn takes_a_write(&self) -> bool {
        false
    }

    /// The answer of the access begun last, once; 0 of a write.
    fn answer(&mut self) -> Option<Result<u32, BusError>>;

    /// The interrupt line. The model's tells of upcalls only.
    fn irq(&self) -> bool {
        false
    }

    /// Holds reset for a few cycles, whatever is under way, then lets go.
    fn reset(&mut self);

    /// Clock cycles since reset.
    fn cycles(&self) -> u64;

    /// What its host knows of the banked tables: kept here, since a [`Host`](crate::configure::Host) comes and goes.
    fn mirror(&mut self) -> &mut Mirror;
}

impl<G: Gateway + ?Sized> Gateway for &mut G {
    fn tick(&mut self, client_rx: Option<&Beat>, line_rx: Option<&Beat>, client_ready: bool, line_ready: bool) -> Tick {
        (**self).tick(client_rx, line_rx, client_ready, line_ready)
    }

    fn write(&mut self, addr: u16, value: u32) -> Result<(), BusError> {
        (**self).write(addr, value)
    }

    fn read(&mut self, addr: u16) -> Result<u32, BusError> {
        (**self).read(addr)
    }

    fn begin(&mut self, access: Access) {
        (**self).begin(access)
    }

    fn takes_a_write(&self) -> bool {
        (**self).takes_a_write()
    }

    fn answer(&mut self) -> Option<Result<u32, BusError>> {
        (**self).answer()
    }

    fn irq(&self) -> bool {
        (**self).irq()
    }

    fn reset(&mut self) {
        (**self).reset()
    }

    fn cycles(&self) -> u64 {
        (**self).cycles()
    }

    fn mirror(&mut self) -> &mut Mirror {
        (**self).mirror()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beats_hold_the_frame_and_end_once() {
        for len in [1, 63, 64, 65, 128, 4154] {
            let frame: Vec<u8> = (0..len).map(|i| i as u8 | 1).collect();
            let all: Vec<Beat> = beats(&frame).collect();
            let joined: Vec<u8> = all.iter().flat_map(|b| b.data[..b.bytes as usize].to_vec()).collect();
            assert_eq!(joined, frame);
            assert_eq!(all.iter().map(|b| b.last).filter(|l| *l).count(), 1);
            let end = all.last().unwrap();
            assert!(end.last && end.data[end.bytes as usize..].iter().all(|b| *b == 0));
        }
    }
}
