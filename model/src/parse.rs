//! Outbound 1 of 5: **parse** (and inbound 1 of 4). From the receive port, to `icrc` and `flow`.
//!
//! In: a frame and what the MAC said of it. Out: its headers, and whether it is whole. What headers mean is a fact of the
//! wire, so they are read by `spec::wire::packet`. Gates: `hdl/src/outbound/parse.rs`. Tests: `tests/outbound/parse.rs`.

use crate::icrc;
use matchrdma_spec::params::{BEAT_BYTES, MAX_FRAME_BEATS};
use matchrdma_spec::wire::eth;
use matchrdma_spec::wire::packet::{parse_frame, Meta};
use matchrdma_spec::wire::{ipv6, vlan};

/// Bytes in which the addresses of any frame lie.
const ADDRESS_BYTES: usize = eth::BYTES + vlan::MAX_TAGS * vlan::BYTES + ipv6::BYTES;

/// Where a frame comes from and goes to, by its addresses; those that it lacks are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Addresses {
    /// It has addresses.
    pub ip: bool,
    /// They are of IPv6.
    pub v6: bool,
    /// Source; IPv4 in the low 32 bits.
    pub src: u128,
    /// Destination.
    pub dst: u128,
}

impl Addresses {
    /// Of a frame, as if zeros were behind its end.
    fn new(frame: &[u8], meta: &Meta) -> Self {
        let of = |m: &Meta| Addresses { ip: m.ip, v6: m.v6, src: m.src_ip, dst: m.dst_ip };
        if frame.len() >= ADDRESS_BYTES {
            return of(meta);
        }
        let mut whole = [0; ADDRESS_BYTES];
        whole[..frame.len()].copy_from_slice(frame);
        of(&parse_frame(&whole))
    }
}

/// A frame as the stages behind see it.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Its headers.
    pub meta: Meta,
    /// What `route` looks at.
    pub addresses: Addresses,
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
        let addresses = Addresses::new(frame, &meta);
        Arrival { addresses, good: icrc::good(frame, &meta), err: mac_error || cut, cut, meta }
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

    #[test]
    fn a_runt_has_the_addresses_that_zeros_behind_it_give() {
        let mut frame = [0; 20];
        frame[12..15].copy_from_slice(&[0x86, 0xdd, 0x60]);
        let runt = Arrival::new(&frame, false);
        assert!(!runt.meta.ip && runt.addresses.ip && runt.addresses.v6);
        assert!(!Arrival::new(&frame[..14], false).addresses.ip);
    }
}
