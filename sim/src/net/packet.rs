//! What moves: packets without their bytes.

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

/// Headers of a data packet and what it costs on the wire: Ethernet 14, IPv4 20, UDP 8, BTH 12, RETH 16 (or its room),
/// ICRC 4, and 24 of FCS, preamble and gap.
pub const DATA_OVERHEAD: u32 = 98;
/// An acknowledgement on the wire: 62 bytes and 24.
pub const ACK_BYTES: u32 = 86;
/// A notification on the wire: 74 bytes and 24.
pub const CNP_BYTES: u32 = 98;
/// A frame between gateways on the wire.
pub const MAIL_BYTES: u32 = 152;

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
