//! AXI4-Stream, 512 bits: frames to beats and back, a source with gaps and a sink with back-pressure.
//!
//! One cycle, with `dut` a device whose streams are called `s_axis` and `m_axis`:
//! ```ignore
//! dut.set_s_axis(source.offer(may_start));
//! dut.set_m_axis_tready(sink.offer(takes).into());
//! dut.settle();
//! source.settle(dut.s_axis_tready() == 1);
//! sink.settle(dut.m_axis());
//! dut.rise();
//! ```

use std::collections::VecDeque;

/// Bytes of a beat.
pub const BEAT_BYTES: usize = 64;

/// One transfer: byte 0 of the frame is the low byte of word 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beat {
    /// `tdata`, least significant word first.
    pub data: [u32; 16],
    /// `tkeep`, one bit per byte.
    pub keep: u64,
    /// `tlast`.
    pub last: bool,
    /// `tuser`: bit 0 is the MAC's error mark.
    pub user: u32,
}

impl Beat {
    /// Valid bytes; `tkeep` must be contiguous from bit 0.
    pub fn bytes(&self) -> usize {
        assert!(self.keep & self.keep.wrapping_add(1) == 0, "tkeep {:#x} has holes", self.keep);
        self.keep.count_ones() as usize
    }
}

/// A frame and its error mark.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// From the first byte of Ethernet, without FCS.
    pub bytes: Vec<u8>,
    /// `tuser` of the last beat.
    pub user: u32,
}

impl From<Vec<u8>> for Frame {
    fn from(bytes: Vec<u8>) -> Self {
        Frame { bytes, user: 0 }
    }
}

/// Cuts a frame into beats. Bytes behind the end carry a pattern, so that a block which reads them is caught;
/// `user` goes with the last beat.
pub fn beats(frame: &Frame) -> Vec<Beat> {
    assert!(!frame.bytes.is_empty(), "a frame has at least one byte");
    let chunks = frame.bytes.chunks(BEAT_BYTES);
    let count = chunks.len();
    let cut = |(index, chunk): (usize, &[u8])| {
        let mut bytes = [0xa5; BEAT_BYTES];
        bytes[..chunk.len()].copy_from_slice(chunk);
        let last = index + 1 == count;
        Beat { data: words(&bytes), keep: keep(chunk.len()), last, user: if last { frame.user } else { 0 } }
    };
    chunks.enumerate().map(cut).collect()
}

/// `tkeep` of a beat with that many bytes.
pub fn keep(bytes: usize) -> u64 {
    u64::MAX >> (BEAT_BYTES - bytes)
}

fn words(bytes: &[u8; BEAT_BYTES]) -> [u32; 16] {
    std::array::from_fn(|w| u32::from_le_bytes(std::array::from_fn(|b| bytes[4 * w + b])))
}

/// Offers beats one after another, and holds each until it is taken.
#[derive(Default)]
pub struct Source {
    beats: VecDeque<Beat>,
    held: bool,
}

impl Source {
    /// Queues a frame.
    pub fn push(&mut self, frame: &Frame) {
        self.beats.extend(beats(frame));
    }

    /// Beats not yet taken.
    pub fn left(&self) -> usize {
        self.beats.len()
    }

    /// What to drive in this cycle. `goes`: false makes a gap, unless a beat already offered still waits.
    pub fn offer(&mut self, goes: bool) -> Option<&Beat> {
        self.held |= goes;
        self.beats.front().filter(|_| self.held)
    }

    /// Tells whether the device was ready when the beat was offered; true when it was taken.
    pub fn settle(&mut self, ready: bool) -> bool {
        let taken = self.held && ready && self.beats.pop_front().is_some();
        self.held &= !ready && !self.beats.is_empty();
        taken
    }
}

/// Takes beats, puts frames together, and holds the device to the protocol.
#[derive(Default)]
pub struct Sink {
    frames: VecDeque<Frame>,
    partial: Vec<u8>,
    ready: bool,
    waiting: Option<Beat>,
    /// Refuse a pause between the beats of a frame while ready is up, as a MAC does.
    pub no_gaps: bool,
    in_frame: bool,
}

impl Sink {
    /// `tready` in this cycle.
    pub fn offer(&mut self, takes: bool) -> bool {
        self.ready = takes;
        takes
    }

    /// What the device offered in this cycle; the beat when it was taken.
    pub fn settle(&mut self, offered: Option<Beat>) -> Option<Beat> {
        if let Some(waiting) = self.waiting.take() {
            assert_eq!(offered, Some(waiting), "a beat changed or went away before it was taken");
        }
        if self.no_gaps && self.in_frame && self.ready {
            assert!(offered.is_some(), "a pause inside a frame");
        }
        let beat = offered?;
        if !self.ready {
            self.waiting = Some(beat);
            return None;
        }
        let bytes = beat.bytes();
        assert!(bytes == BEAT_BYTES || (beat.last && bytes > 0), "a beat of {bytes} bytes, last {}", beat.last);
        self.partial.extend(beat.data.iter().flat_map(|w| w.to_le_bytes()).take(bytes));
        self.in_frame = !beat.last;
        if beat.last {
            self.frames.push_back(Frame { bytes: std::mem::take(&mut self.partial), user: beat.user });
        }
        Some(beat)
    }

    /// The oldest whole frame.
    pub fn pop(&mut self) -> Option<Frame> {
        self.frames.pop_front()
    }

    /// True when no frame is left, whole or begun: how every stream test ends.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty() && self.partial.is_empty() && self.waiting.is_none()
    }
}
