//! What moves: packets without their bytes.

use matchrdma_spec::params::OVERHEAD_BYTES;
use matchrdma_spec::wire::{aeth, bth, budget, cnp, eth, icrc, ipv4, reth, udp};

/// Picoseconds since the start of a run.
pub type Ps = u64;

/// One second.
pub const SECOND: Ps = 1_000_000_000_000;

/// What a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Payload of a request.
    Data,
    /// Everything below `number` is acknowledged.
    Ack,
    /// Everything below `number` is acknowledged, and `number` is missing.
    Nak,
    /// Congestion notification to the sender of a flow.
    Cnp,
    /// Between gateways: `number` is a place in the mailbox.
    Mail,
}

/// Acknowledgements, notifications and mail: never held by PFC, first at every port.
pub const CONTROL: usize = 0;
/// The lossless class.
pub const LOSSLESS: usize = 1;
/// Classes.
pub const CLASSES: usize = 2;

/// A packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Packets of a flow are counted from zero.
    pub number: u64,
    /// Queue pair.
    pub flow: u32,
    /// On the wire, overhead counted.
    pub bytes: u32,
    /// Of the user.
    pub payload: u32,
    /// Port by which it came into the node that holds it.
    pub port: u16,
    /// What it is.
    pub kind: Kind,
    /// Asks for an acknowledgement.
    pub asks: bool,
    /// Congestion experienced.
    pub marked: bool,
}

/// Headers of every RoCEv2 packet over IPv4, and what it costs on the wire beside its bytes.
const BASE: u32 = (eth::BYTES + ipv4::BYTES + udp::BYTES + bth::BYTES + icrc::BYTES) as u32 + OVERHEAD_BYTES;
/// What a data packet costs beside its payload; each is given the room of a RETH.
pub const DATA_OVERHEAD: u32 = BASE + reth::BYTES as u32;
/// An acknowledgement on the wire.
pub const ACK_BYTES: u32 = BASE + aeth::BYTES as u32;
/// A notification on the wire.
pub const CNP_BYTES: u32 = BASE + cnp::BYTES as u32;
/// A frame between gateways on the wire.
pub const MAIL_BYTES: u32 = budget::BYTES as u32 + OVERHEAD_BYTES;

const _: () = assert!(DATA_OVERHEAD == 98 && ACK_BYTES == 86 && CNP_BYTES == 98 && MAIL_BYTES == 152);

impl Packet {
    /// A packet of control: an acknowledgement, a notification, mail.
    pub const fn control(kind: Kind, flow: u32, number: u64) -> Self {
        let bytes = match kind {
            Kind::Cnp => CNP_BYTES,
            Kind::Mail => MAIL_BYTES,
            _ => ACK_BYTES,
        };
        Packet { number, flow, bytes, payload: 0, port: 0, kind, asks: false, marked: false }
    }

    /// A packet of data.
    pub const fn data(flow: u32, number: u64, payload: u32, asks: bool) -> Self {
        let bytes = payload + DATA_OVERHEAD;
        Packet { number, flow, bytes, payload, port: 0, kind: Kind::Data, asks, marked: false }
    }

    /// Its class.
    pub const fn class(&self) -> usize {
        match self.kind {
            Kind::Data => LOSSLESS,
            _ => CONTROL,
        }
    }
}
