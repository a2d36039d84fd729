//! A port of the gateway: what is on its way in, and what is on its way out.

use crate::capture::Packet;
use crate::engine::Beat;
use std::collections::VecDeque;

/// Both sides of a port.
#[derive(Default)]
pub struct Port {
    /// Beats still to go in.
    pub beats: VecDeque<Beat>,
    /// The frame whose beats those are.
    pub coming: Option<Packet>,
    /// The cycle at which the port can take the next frame.
    pub free_at: u64,
    /// Bytes of the frame that is leaving on the transmit side.
    leaving: Vec<u8>,
    /// The last cycle in which a beat came in or left.
    pub busy_at: u64,
    /// Frames that came in whole.
    pub frames_in: u64,
    /// Frames that left whole.
    pub frames_out: u64,
}

impl Port {
    /// Nothing is on its way in.
    pub fn is_empty(&self) -> bool {
        self.beats.is_empty()
    }

    /// A frame may begin to come in.
    pub fn is_free(&self) -> bool {
        self.is_empty() && self.free_at == 0
    }

    /// A beat went in; gives the frame with its last beat.
    pub fn fed(&mut self, now: u64, beat: Option<Beat>) -> Option<Packet> {
        let beat = beat?;
        self.busy_at = now;
        if !beat.last {
            return None;
        }
        self.frames_in += 1;
        self.coming.take()
    }

    /// A beat came out; gives the frame with its last beat.
    pub fn left(&mut self, now: u64, beat: Option<Beat>) -> Option<Vec<u8>> {
        let beat = beat?;
        self.busy_at = now;
        self.leaving.extend(&beat.data[..beat.bytes.into()]);
        if !beat.last {
            return None;
        }
        self.frames_out += 1;
        Some(std::mem::take(&mut self.leaving))
    }
}
