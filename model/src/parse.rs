//! Outbound 1 of 5: **parse** (and inbound 1 of 4). From the receive port, to `icrc` and `flow`.
//!
//! In: a frame and what the MAC said of it. Out: its headers, and whether it is whole. What headers mean is a fact of the
//! wire, so they are read by `spec::wire::packet`. Gates: `hdl/src/outbound/parse.rs`. Tests: `tests/outbound/parse.rs`.

use crate::icrc;
use matchrdma_spec::params::{BEAT_BYTES, MAX_FRAME_BEATS};
use matchrdma_spec::wire::packet::{parse_frame, Meta};

/// A frame as the stages behind see it.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Its headers.
    pub meta: Meta,
    /// ICRC and IPv4 header checksum are right; says nothing of a frame that is no RoCE.
    pub good: bool,
    /// The MAC found an error, or the frame was cut.
    pub err: bool,
    /// It had more beats than a frame may have.
    pub cut: bool,
}

impl Arrival {
    /// Reads a frame.
    pub fn new(frame: &[u8], mac_error: bool) -> Self {
        let meta = parse_frame(frame);
        let cut = frame.len().div_ceil(BEAT_BYTES) > MAX_FRAME_BEATS;
        Arrival { good: icrc::good(frame, &meta), err: mac_error || cut, cut, meta }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_that_is_too_long_is_cut_and_in_error() {
        let whole = Arrival::new(&vec![0; MAX_FRAME_BEATS * BEAT_BYTES], false);
        assert!(!whole.cut && !whole.err);
        let long = Arrival::new(&vec![0; MAX_FRAME_BEATS * BEAT_BYTES + 1], false);
        assert!(long.cut && long.err);
        assert!(Arrival::new(&[0; 60], true).err);
    }
}
